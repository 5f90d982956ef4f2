//! The state of a synchronisation after successes and failures, and the time of its next check.

use bindery_model::{Entropy, GitSyncDirection, GitSyncPause, GitSyncStatus, Timestamp};
use bindery_store::JobError;
use bindery_store::git_syncs::GitSync;

/// Delay of the attempt after the first failure, in milliseconds. It doubles with each failure.
const FIRST_DELAY: i64 = 30_000;
/// Maximum delay of an attempt, in milliseconds: an hour.
const MAX_DELAY: i64 = 60 * 60 * 1_000;
/// Number of refused credentials in a row after which the synchronisation pauses.
const MAX_AUTH_FAILURES: u32 = 10;
/// The code of errors that the credentials cause.
const AUTH_FAILURE: &str = "needs-credentials";
/// The code of errors because both sides changed the same lines.
pub(super) const CONFLICT: &str = "conflict";
/// The code of the error of a branch whose history was rewritten.
pub(super) const REWRITTEN: &str = "rewritten-history";

/// Sets the state after a successful run or check.
pub(super) fn succeed(sync: &mut GitSync, now: Timestamp, entropy: &Entropy) {
    sync.checked_at = Some(now);
    (sync.error, sync.failures, sync.auth_failures) = (None, 0, 0);
    if sync.status == GitSyncStatus::Paused {
        return;
    }
    sync.status = GitSyncStatus::Active;
    sync.next_at = next_check(sync, now, entropy);
}

/// Sets the time of the next check without changing the state.
pub(super) fn check_later(sync: &mut GitSync, now: Timestamp, entropy: &Entropy) {
    sync.checked_at = Some(now);
    sync.next_at = next_check(sync, now, entropy);
}

/// Sets the state after a failed run or check.
pub(super) fn fail(sync: &mut GitSync, error: JobError, now: Timestamp, entropy: &Entropy) {
    let is_auth = error.code == AUTH_FAILURE;
    let pause = match error.code.as_str() {
        REWRITTEN => Some(GitSyncPause::RewrittenHistory),
        _ if is_auth && sync.auth_failures + 1 >= MAX_AUTH_FAILURES => {
            Some(GitSyncPause::Authentication)
        }
        _ => None,
    };
    let is_conflict = error.code == CONFLICT;
    sync.failures = if is_conflict { 0 } else { sync.failures.saturating_add(1) };
    sync.auth_failures = if is_auth { sync.auth_failures.saturating_add(1) } else { 0 };
    sync.error = Some(error);
    if sync.status == GitSyncStatus::Paused {
        return;
    }
    (sync.status, sync.next_at) = match pause {
        Some(_) => (GitSyncStatus::Paused, None),
        // The same conflict would come again; a new commit or a new head can resolve it.
        None if is_conflict => (GitSyncStatus::Conflict, next_check(sync, now, entropy)),
        None => {
            let delay = spread(retry_delay(sync.failures), entropy);
            (GitSyncStatus::Failed, Some(now.plus_millis(delay)))
        }
    };
    sync.pause_reason = pause;
}

/// Returns the delay after a number of failures in a row, in milliseconds.
fn retry_delay(failures: u32) -> i64 {
    FIRST_DELAY.saturating_mul(1 << failures.saturating_sub(1).min(20)).min(MAX_DELAY)
}

/// Returns the time of the next check of the branch; `None` if it is not checked.
fn next_check(sync: &GitSync, now: Timestamp, entropy: &Entropy) -> Option<Timestamp> {
    let settings = &sync.settings;
    if settings.polling_seconds == 0
        || (sync.has_run && settings.direction == GitSyncDirection::Export)
    {
        return None;
    }
    let interval = i64::from(settings.polling_seconds) * 1_000;
    Some(now.plus_millis(spread(interval, entropy)))
}

/// Returns a time between nine tenths and the whole of a time, so that those that began together
/// spread.
fn spread(millis: i64, entropy: &Entropy) -> i64 {
    let [random] = entropy.bytes::<1>();
    millis - millis / 10 * i64::from(random) / 255
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_an_hour() {
        let delays = [1, 2, 3, 7, 8, 9, u32::MAX].map(retry_delay);
        assert_eq!(delays, [30_000, 60_000, 120_000, 1_920_000, 3_600_000, 3_600_000, 3_600_000]);
    }

    #[test]
    fn times_are_spread_within_a_tenth() {
        let entropy = Entropy::seeded(1);
        let times: Vec<i64> = (0..100).map(|_| spread(300_000, &entropy)).collect();
        assert!(times.iter().all(|time| (270_000..=300_000).contains(time)), "{times:?}");
        assert!(times.iter().max() != times.iter().min());
    }
}
