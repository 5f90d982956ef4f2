//! Time and randomness, passed in as values.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::{Serialize, Serializer};

/// A time in UTC, in milliseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Creates a timestamp from milliseconds since 1970.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns the milliseconds since 1970.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Returns the time `millis` milliseconds later.
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// Parses an RFC 3339 date and time.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(|at| Self(at.as_millisecond()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        write!(f, "{at:.3}")
    }
}

/// Serializes the time as in the API: UTC with milliseconds and `Z`.
impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A source of the current time.
pub trait Clock: Send + Sync + 'static {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

/// A clock for tests that changes only when it is advanced.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// Creates a clock that shows `at`.
    pub const fn new(at: Timestamp) -> Self {
        Self(AtomicI64::new(at.0))
    }

    /// Advances the clock by `millis` milliseconds.
    pub fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

/// A source of randomness: cryptographic in production, seeded in tests.
#[derive(Debug)]
pub struct Entropy(Mutex<StdRng>);

impl Entropy {
    /// Creates a source seeded by the operating system.
    ///
    /// # Errors
    /// Returns an error if the operating system provides no randomness.
    pub fn from_system() -> crate::Result<Self> {
        StdRng::try_from_rng(&mut rand::rngs::SysRng).map(|rng| Self(Mutex::new(rng))).map_err(
            |error| {
                crate::Error::internal(format!(
                    "the operating system provides no randomness: {error}"
                ))
            },
        )
    }

    /// Creates a source for tests that yields the same sequence for the same seed.
    pub fn seeded(seed: u64) -> Self {
        Self(Mutex::new(StdRng::seed_from_u64(seed)))
    }

    /// Returns the next `N` random bytes.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut out = [0; N];
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).fill_bytes(&mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_milliseconds_and_z() {
        assert_eq!(Timestamp::from_millis(0).to_string(), "1970-01-01T00:00:00.000Z");
        let at = Timestamp::parse("2026-02-03T04:05:06.789+01:00").unwrap();
        assert_eq!(at.to_string(), "2026-02-03T03:05:06.789Z");
    }
}
