//! Removes old events, and the oldest events of sites with too many.

use bindery_model::{Result, SiteId};
use bindery_store::site_insights::{self, DayCount};

use super::track::day_of;
use crate::App;
use crate::publishing::published;

/// Number of days for which events are kept.
pub(crate) const RETENTION_DAYS: i64 = 400;
/// Maximum number of events of a site. Large ones count as several.
const MAX_EVENTS: i64 = 1_000_000;
/// Number of events that are deleted in one transaction.
const EVENTS_PER_DELETION: u32 = 5_000;

/// Deletes the events that are no longer kept, and those of deleted sites.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) async fn remove_old(app: &App) -> Result<()> {
    let today = day_of(app.clock.now());
    let first = today - RETENTION_DAYS;
    app.store.write(move |tx| site_insights::delete_salts(tx, today)).await?;
    let sites =
        app.store.read_blocking(move |tx| site_insights::list_oversized(tx, first, MAX_EVENTS));
    for site in sites.await? {
        let before = app.store.read_blocking(move |tx| {
            let days = site_insights::list_days(tx, site)?;
            let exists = published::get(tx, site)?.is_some();
            Ok::<_, bindery_model::Error>(exists.then(|| first.max(first_kept(&days))))
        });
        remove(app, site, before.await?).await?;
    }
    Ok(())
}

/// Deletes the events of a site before a day, or all of them.
async fn remove(app: &App, site: SiteId, before: Option<i64>) -> Result<()> {
    loop {
        let deleted = app
            .store
            .write(move |tx| site_insights::delete_oldest(tx, site, before, EVENTS_PER_DELETION));
        if deleted.await? < u64::from(EVENTS_PER_DELETION) {
            return Ok(());
        }
    }
}

/// Returns the first day since which a site has at most [`MAX_EVENTS`] events. The days are given
/// newest first.
fn first_kept(days: &[DayCount]) -> i64 {
    let mut stored = 0_i64;
    for count in days {
        stored = stored.saturating_add(count.stored);
        if stored > MAX_EVENTS {
            return count.day + 1;
        }
    }
    i64::MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_days_are_kept_up_to_the_maximum() {
        let check = |stored: &[i64], expect: i64| {
            let days: Vec<DayCount> = (0..)
                .zip(stored)
                .map(|(age, stored)| DayCount {
                    day: 100 - age,
                    stored: *stored,
                    ..DayCount::default()
                })
                .collect();
            assert_eq!(first_kept(&days), expect, "{stored:?}");
        };
        check(&[], i64::MIN);
        check(&[10, MAX_EVENTS - 10], i64::MIN);
        check(&[10, MAX_EVENTS - 10, 1, 5], 99);
        check(&[MAX_EVENTS + 1], 101);
    }
}
