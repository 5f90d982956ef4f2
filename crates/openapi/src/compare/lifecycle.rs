//! Deprecation, sunset dates and stability of operations, parameters and properties.

use std::fmt;

use serde_json::Value;

use super::words;
use crate::resolve::Part;

/// The field with the day from which something can be gone.
pub(super) const SUNSET: &str = "x-sunset";
/// The field with the stability.
const STABILITY: &str = "x-stability-level";

/// A day of the calendar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Day {
    year: u16,
    month: u8,
    day: u8,
}

impl Day {
    /// Returns the day that a text such as `2026-11-29` begins with, as RFC 3339 has it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (date, rest) = text.split_at_checked(10)?;
        let is_end = rest.is_empty() || rest.starts_with(['T', 't', ' ']);
        let mut numbers = date.split('-');
        let mut number = |length: usize| {
            let text = numbers.next().filter(|text| text.len() == length)?;
            text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u16>().ok())?
        };
        let (year, month, day) = (number(4)?, number(2)?, number(2)?);
        let is_day = (1..=days_of(year, month)).contains(&day);
        let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
        (is_end && is_day).then_some(Self { year, month, day })
    }
}

/// Returns the number of days of a month; 0 if there is no such month.
fn days_of(year: u16, month: u16) -> u16 {
    let is_leap_year =
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap_year => 29,
        2 => 28,
        _ => 0,
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// The sunset date of something.
pub(super) enum Sunset {
    None,
    On(Day),
    /// A value that is no date, as it stands in a sentence.
    Invalid(String),
}

impl Sunset {
    /// Returns the sunset date that a value states.
    pub(super) fn of(part: Part<'_>) -> Self {
        match part.value.get(SUNSET) {
            None => Self::None,
            Some(Value::String(text)) => match Day::parse(text) {
                Some(day) => Self::On(day),
                None => Self::Invalid(words::quoted(text)),
            },
            Some(value) => Self::Invalid(words::shown(value)),
        }
    }
}

/// The end of the deprecation of something that was removed.
pub(super) enum Removal {
    NotDeprecated,
    /// The removal was announced, on the day if there is one.
    Announced(Option<Day>),
    Early(Day),
    InvalidSunset(String),
}

impl Removal {
    /// Judges the removal of a value on a day.
    pub(super) fn of(part: Part<'_>, today: Option<Day>) -> Self {
        match Sunset::of(part) {
            _ if !part.is("deprecated") => Self::NotDeprecated,
            Sunset::None => Self::Announced(None),
            Sunset::On(day) if today.is_some_and(|today| today < day) => Self::Early(day),
            Sunset::On(day) => Self::Announced(Some(day)),
            Sunset::Invalid(found) => Self::InvalidSunset(found),
        }
    }
}

/// A change of the deprecation of something.
pub(super) enum Deprecation {
    Reactivated,
    Deprecated(Option<Day>),
    /// The sunset date is before today.
    Late(Day),
    InvalidSunset(String),
}

impl Deprecation {
    /// Judges the change of a value on a day; `None` if its deprecation is the same.
    pub(super) fn of(before: Part<'_>, after: Part<'_>, today: Option<Day>) -> Option<Self> {
        Some(match (before.is("deprecated"), after.is("deprecated")) {
            (true, false) => Self::Reactivated,
            (false, true) => match Sunset::of(after) {
                Sunset::None => Self::Deprecated(None),
                Sunset::On(day) if today.is_some_and(|today| day < today) => Self::Late(day),
                Sunset::On(day) => Self::Deprecated(Some(day)),
                Sunset::Invalid(found) => Self::InvalidSunset(found),
            },
            _ => return None,
        })
    }
}

/// A change of the sunset date of something that stays deprecated.
pub(super) enum SunsetChange {
    Removed,
    /// The date is earlier, and before today.
    TooEarly(Day, Day),
    Invalid(String),
}

impl SunsetChange {
    /// Judges the change of a value on a day; `None` if nothing is wrong with it.
    pub(super) fn of(before: Part<'_>, after: Part<'_>, today: Option<Day>) -> Option<Self> {
        let (old, new) = (before.value.get(SUNSET)?, after.value.get(SUNSET));
        if !after.is("deprecated") || Some(old) == new {
            return None;
        }
        match (Sunset::of(before), Sunset::of(after)) {
            (_, Sunset::None) => Some(Self::Removed),
            (Sunset::Invalid(found), _) | (_, Sunset::Invalid(found)) => Some(Self::Invalid(found)),
            (Sunset::On(old), Sunset::On(new)) => {
                let is_early = new < old && today.is_some_and(|today| new < today);
                is_early.then_some(Self::TooEarly(old, new))
            }
            (Sunset::None, _) => None,
        }
    }
}

/// The stability of something, the least stable first. It is stable if it states none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stability {
    Draft,
    Alpha,
    Beta,
    Stable,
}

impl Stability {
    /// Returns the stability that a value states, or what it states instead.
    pub(super) fn of(part: Part<'_>) -> Result<Self, String> {
        Ok(match part.value.get(STABILITY) {
            None => Self::Stable,
            Some(Value::String(text)) => match text.as_str() {
                "draft" => Self::Draft,
                "alpha" => Self::Alpha,
                "beta" => Self::Beta,
                "stable" => Self::Stable,
                text => return Err(words::quoted(text)),
            },
            Some(value) => return Err(words::shown(value)),
        })
    }

    /// Returns whether others may rely on it.
    pub(super) fn is_reliable(self) -> bool {
        self >= Self::Beta
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Alpha => "alpha",
            Self::Beta => "beta",
            Self::Stable => "stable",
        }
    }
}
