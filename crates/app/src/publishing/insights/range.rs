//! Periods of time that queries cover, and the intervals by which times are grouped.

use bindery_model::Timestamp;

const HOUR: i64 = 60 * 60 * 1_000;
const DAY: i64 = 24 * HOUR;

bindery_model::closed_set! {
    /// A period that ends now.
    RangePreset {
        /// 365 days.
        LastYear = "lastYear",
        /// 90 days.
        Last3Months = "last3Months",
        /// 30 days.
        Last30Days = "last30Days",
        /// 7 days.
        Last7Days = "last7Days",
        /// 24 hours.
        Last24Hours = "last24Hours",
    }
}

/// A period of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The first time.
    pub from: Timestamp,
    /// The time before which the period ends.
    pub to: Timestamp,
}

impl RangePreset {
    /// Returns the period. It includes the present millisecond.
    pub const fn until(self, now: Timestamp) -> Range {
        let days = match self {
            Self::LastYear => 365,
            Self::Last3Months => 90,
            Self::Last30Days => 30,
            Self::Last7Days => 7,
            Self::Last24Hours => 1,
        };
        Range { from: now.plus_millis(-days * DAY), to: now.plus_millis(1) }
    }
}

bindery_model::closed_set! {
    /// A length of time by which times are grouped, in UTC.
    Interval {
        /// An hour.
        Hour = "hour",
        /// A day.
        Day = "day",
        /// A week, which begins on Monday.
        Week = "week",
        /// A month.
        Month = "month",
    }
}

impl Interval {
    /// Returns the beginning of the interval that contains a time, both in milliseconds since 1970.
    pub fn start(self, millis: i64) -> i64 {
        // The first Monday after the beginning of 1970 was its fifth day.
        const MONDAY: i64 = 4 * DAY;
        match self {
            Self::Hour => millis.div_euclid(HOUR) * HOUR,
            Self::Day => millis.div_euclid(DAY) * DAY,
            Self::Week => (millis - MONDAY).div_euclid(7 * DAY) * 7 * DAY + MONDAY,
            Self::Month => {
                let text = Timestamp::from_millis(millis).to_string();
                let month = text.get(..7).map(|month| format!("{month}-01T00:00:00Z"));
                let start = month.and_then(|month| Timestamp::parse(&month));
                start.map_or(millis, Timestamp::millis)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_begin_at_their_boundaries() {
        let check = |interval: Interval, text: &str, expect: &str| {
            let start = interval.start(Timestamp::parse(text).unwrap().millis());
            assert_eq!(Timestamp::from_millis(start).to_string(), expect, "{interval:?} {text}");
        };
        check(Interval::Hour, "2026-02-03T04:59:59.999Z", "2026-02-03T04:00:00.000Z");
        check(Interval::Day, "2026-02-03T00:00:00.000Z", "2026-02-03T00:00:00.000Z");
        check(Interval::Week, "2026-02-01T23:59:59.000Z", "2026-01-26T00:00:00.000Z");
        check(Interval::Week, "2026-02-02T00:00:00.000Z", "2026-02-02T00:00:00.000Z");
        check(Interval::Month, "2024-02-29T23:59:59.999Z", "2024-02-01T00:00:00.000Z");
        check(Interval::Month, "1969-12-31T23:59:59.999Z", "1969-12-01T00:00:00.000Z");
    }

    #[test]
    fn presets_include_the_present() {
        let now = Timestamp::parse("2026-03-01T00:00:00.000Z").unwrap();
        let Range { from, to } = RangePreset::Last30Days.until(now);
        assert_eq!(from.to_string(), "2026-01-30T00:00:00.000Z");
        assert!(from < now && now < to);
    }
}
