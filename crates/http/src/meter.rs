//! Measures the rate of a transfer over a sliding window.

/// Number of parts of the window. The oldest part is dropped as a whole.
const PARTS: usize = 6;
/// Ticks per part.
const TICKS: u32 = 10;
/// Ticks per window.
pub(crate) const WINDOW: u32 = TICKS * PARTS as u32;

/// Bytes that moved in the last [`WINDOW`] ticks while the server waited for the client.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    parts: [u64; PARTS],
    ticks: u32,
}

impl Meter {
    /// Restarts the measurement, as the server no longer waits for the client.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Adds the bytes of one tick. Returns the bytes of the window once the server has waited for a
    /// full window.
    pub(crate) fn tick(&mut self, bytes: u64) -> Option<u64> {
        let part = (self.ticks / TICKS) as usize % PARTS;
        if let Some(sum) = self.parts.get_mut(part) {
            *sum = if self.ticks.is_multiple_of(TICKS) { bytes } else { *sum + bytes };
        }
        self.ticks = self.ticks.checked_add(1).unwrap_or(WINDOW);
        (self.ticks > WINDOW).then(|| self.parts.iter().sum())
    }
}

/// Returns the minimum number of bytes in a window for a transfer at `rate` bytes per second with
/// ticks of length `tick`. It leaves out one part, as the newest part may have just begun.
pub(crate) fn min_window_bytes(rate: u64, tick: std::time::Duration) -> u64 {
    let ticks = u128::from(WINDOW - TICKS);
    u64::try_from(u128::from(rate) * ticks * tick.as_micros() / 1_000_000).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Returns the tick at which a transfer is found too slow; `bytes` returns the bytes that move
    /// in a tick.
    fn ended(bytes: impl Fn(u32) -> u64) -> Option<u32> {
        let min_window_bytes = min_window_bytes(500, Duration::from_secs(1));
        let mut meter = Meter::default();
        (0..1_000).find(|tick| meter.tick(bytes(*tick)).is_some_and(|sum| sum < min_window_bytes))
    }

    #[test]
    fn a_transfer_without_progress_ends_in_time() {
        for (bytes, name) in [(0, "nothing"), (25, "25 a second"), (300, "300 a second")] {
            assert_eq!(ended(|_| bytes), Some(60), "{name}");
        }
        // The buffers of both ends accept a large amount at once.
        assert_eq!(ended(|tick| if tick == 0 { 1 << 20 } else { 25 }), Some(60));
        let late = ended(|tick| if tick == 15 { 1 << 20 } else { 0 });
        assert!(late.is_some_and(|tick| tick <= 75), "{late:?}");
    }

    #[test]
    fn a_slow_transfer_above_the_minimum_continues() {
        assert_eq!(ended(|_| 600), None);
        assert_eq!(ended(|tick| if tick % 30 == 0 { 64 << 10 } else { 0 }), None);
        assert_eq!(ended(|tick| if tick % 50 < 40 { 2_000 } else { 0 }), None);
    }

    #[test]
    fn reset_restarts_the_window() {
        let mut meter = Meter::default();
        for _ in 0..WINDOW {
            assert_eq!(meter.tick(0), None);
        }
        meter.reset();
        assert_eq!(meter.tick(0), None);
    }
}
