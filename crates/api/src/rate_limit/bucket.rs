//! A token bucket: it holds the requests of one minute and refills evenly.

use std::sync::atomic::{AtomicU64, Ordering};

use bindery_model::Timestamp;

/// Nanoseconds of a minute.
const MINUTE: u64 = 60_000_000_000;
const SECOND: u64 = 1_000_000_000;

/// The refill rate and capacity of a bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    /// Nanoseconds in which one unit is refilled.
    interval: u64,
    /// Nanoseconds in which an empty bucket fills up.
    full: u64,
}

impl Rate {
    /// Returns the rate of `requests` per minute; `None` for 0, which means no limit.
    pub(super) const fn per_minute(requests: u32) -> Option<Self> {
        let requests = requests as u64;
        match MINUTE.checked_div(requests) {
            None => None,
            Some(interval) => Some(Self { interval, full: interval * requests }),
        }
    }
}

/// The state of a bucket after a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BucketState {
    /// `true` if the request was within the limit.
    pub(super) is_within: bool,
    /// Remaining requests.
    pub(super) remaining: u64,
    /// Whole seconds until the next request is available, at least 1.
    pub(super) seconds: u64,
}

/// The state is one number, so that it needs no lock: the time at which the bucket is full again,
/// in nanoseconds (the theoretical arrival time of the generic cell rate algorithm, ITU-T I.371).
#[derive(Debug, Default)]
pub(super) struct Bucket(AtomicU64);

impl Bucket {
    /// Takes one unit, if there is one.
    pub(super) fn take(&self, rate: Rate, now: Timestamp) -> BucketState {
        self.take_nanos(rate, now, rate.interval)
    }

    /// Takes further units for a request that took one. The units are capped at the capacity of the
    /// bucket, so that a low limit does not block an expensive operation for ever.
    pub(super) fn take_more(&self, rate: Rate, now: Timestamp, units: u32) -> BucketState {
        let most = rate.full.saturating_sub(rate.interval);
        self.take_nanos(rate, now, rate.interval.saturating_mul(units.into()).min(most))
    }

    fn take_nanos(&self, rate: Rate, now: Timestamp, cost: u64) -> BucketState {
        let now = nanos(now);
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |full_at| {
            let full_at = full_time(full_at, rate, now) + cost;
            (full_at <= now + rate.full).then_some(full_at)
        });
        let (is_within, full_at) = match taken {
            Ok(before) => (true, full_time(before, rate, now) + cost),
            Err(present) => (false, full_time(present, rate, now)),
        };
        let earned = (now + rate.full).saturating_sub(full_at);
        let remaining = earned / rate.interval;
        let missing = if is_within {
            rate.interval - earned % rate.interval
        } else {
            cost.saturating_sub(earned).max(1)
        };
        BucketState { is_within, remaining, seconds: missing.div_ceil(SECOND) }
    }

    /// Returns units that were taken before.
    pub(super) fn put_back(&self, rate: Rate, units: u32) {
        let nanos = rate.interval.saturating_mul(units.into()).min(rate.full);
        // The update always succeeds, as the closure always returns a value.
        let _before = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |full_at| {
            Some(full_at.saturating_sub(nanos))
        });
    }
}

/// Returns the time at which the bucket is full again, which is `now` if it is full. A time beyond
/// the capacity of a bucket dates from before the machine's clock was set back, and is reset. Twice
/// the capacity is accepted, as threads read the clock at slightly different times.
const fn full_time(full_at: u64, rate: Rate, now: u64) -> u64 {
    if full_at < now || full_at > now.saturating_add(2 * rate.full) { now } else { full_at }
}

/// Converts a time to nanoseconds, capped at the year 2262, which leaves room for additions.
fn nanos(at: Timestamp) -> u64 {
    let millis = u64::try_from(at.millis()).unwrap_or_default();
    millis.saturating_mul(1_000_000).min(u64::MAX / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_700_000_000_000;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(START + millis)
    }

    /// Takes requests at these milliseconds and compares the remaining units and the seconds until
    /// the next one; `None` means refused.
    fn check(per_minute: u32, requests: &[(i64, Option<u64>, u64)]) {
        let (bucket, rate) = (Bucket::default(), Rate::per_minute(per_minute).unwrap());
        for &(millis, remaining, seconds) in requests {
            let found = bucket.take(rate, at(millis));
            let expect = BucketState {
                is_within: remaining.is_some(),
                remaining: remaining.unwrap_or_default(),
                seconds,
            };
            assert_eq!(found, expect, "{per_minute} a minute, at {millis} of {requests:?}");
        }
    }

    #[test]
    fn a_bucket_empties_and_fills_evenly() {
        check(3, &[(0, Some(2), 20), (0, Some(1), 20), (0, Some(0), 20), (0, None, 20)]);
        check(1, &[(0, Some(0), 60), (59_999, None, 1), (60_000, Some(0), 60)]);
        check(
            3,
            &[
                (0, Some(2), 20),
                (1_000, Some(1), 19),
                (1_500, Some(0), 19),
                (19_000, None, 1),
                (20_000, Some(0), 20),
                (20_000, None, 20),
                // A refused request takes nothing.
                (40_000, Some(0), 20),
                (79_999, Some(0), 1),
                (80_000, Some(0), 20),
                // The bucket never holds more than the requests of one minute.
                (10_000_000, Some(2), 20),
            ],
        );
        check(7, &[(0, Some(6), 9), (8_571, Some(5), 1), (8_572, Some(5), 9)]);
        check(600_000, &[(0, Some(599_999), 1), (0, Some(599_998), 1), (1, Some(599_999), 1)]);
        check(1_000_000_000, &[(0, Some(999_999_999), 1)]);
    }

    #[test]
    fn a_minute_yields_at_most_a_full_bucket_and_its_refill() {
        let (bucket, rate) = (Bucket::default(), Rate::per_minute(60).unwrap());
        let is_within =
            (0..60_000).filter(|millis| bucket.take(rate, at(*millis)).is_within).count();
        assert_eq!(is_within, 60 + 59);
    }

    #[test]
    fn returned_units_can_be_taken_again() {
        let (bucket, rate) = (Bucket::default(), Rate::per_minute(2).unwrap());
        assert_eq!(bucket.take(rate, at(0)).remaining, 1);
        bucket.put_back(rate, 1);
        assert_eq!(bucket.take(rate, at(0)).remaining, 1);
        assert_eq!(bucket.take(rate, at(0)).remaining, 0);
        bucket.put_back(rate, 1);
        assert!(bucket.take(rate, at(0)).is_within);
        assert!(!bucket.take(rate, at(0)).is_within);
        // Returning more than was taken does not overfill the bucket.
        for _ in 0..9 {
            bucket.put_back(rate, 1);
        }
        assert_eq!(bucket.take(rate, at(0)).remaining, 1);
    }

    #[test]
    fn setting_the_clock_back_blocks_no_caller() {
        // A small step back extends the wait by as much.
        check(2, &[(60_000, Some(1), 30), (59_000, None, 1), (58_000, None, 2)]);
        // A large step back resets the bucket.
        check(2, &[(3_600_000, Some(1), 30), (3_600_000, Some(0), 30), (0, Some(1), 30)]);
        let (bucket, rate) = (Bucket::default(), Rate::per_minute(2).unwrap());
        for millis in [i64::MIN, i64::MAX, 0] {
            assert!(bucket.take(rate, Timestamp::from_millis(millis)).is_within, "{millis}");
        }
    }

    #[test]
    fn an_expensive_request_takes_more_units_but_no_more_than_a_bucket_holds() {
        let (bucket, rate) = (Bucket::default(), Rate::per_minute(6).unwrap());
        let state = |is_within, remaining, seconds| BucketState { is_within, remaining, seconds };
        assert_eq!(bucket.take(rate, at(0)), state(true, 5, 10));
        assert_eq!(bucket.take_more(rate, at(0), 3), state(true, 2, 10));
        // A refused request takes nothing, and the wait covers all units that it needs.
        assert_eq!(bucket.take_more(rate, at(0), 4), state(false, 2, 20));
        assert_eq!(bucket.take_more(rate, at(20_000), 4), state(true, 0, 10));
        let (bucket, rate) = (Bucket::default(), Rate::per_minute(2).unwrap());
        assert!(bucket.take(rate, at(0)).is_within);
        assert_eq!(bucket.take_more(rate, at(0), 99), state(true, 0, 30));
        bucket.put_back(rate, 100);
        assert_eq!(bucket.take(rate, at(0)).remaining, 1);
    }

    #[test]
    fn concurrent_requests_share_the_bucket() {
        let (bucket, rate) = (Bucket::default(), Rate::per_minute(1_000).unwrap());
        let is_within: usize = std::thread::scope(|scope| {
            let takers: Vec<_> = (0..4)
                .map(|_| {
                    scope
                        .spawn(|| (0..1_000).filter(|_| bucket.take(rate, at(0)).is_within).count())
                })
                .collect();
            takers.into_iter().map(|taker| taker.join().unwrap()).sum()
        });
        assert_eq!(is_within, 1_000);
    }

    #[test]
    fn zero_disables_the_limit() {
        assert!(Rate::per_minute(0).is_none());
    }
}
