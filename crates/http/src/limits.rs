//! Limits of the listener.

use std::time::Duration;

use crate::meter::WINDOW;

/// Limits of the listener.
#[derive(Clone, Copy, Debug)]
pub struct ListenLimits {
    /// Maximum number of open connections. Above it, stuck and idle connections are closed.
    pub connections: usize,
    /// Maximum number of open connections from one address (for IPv6, from one /64 network). The
    /// limit does not apply to trusted proxies.
    pub connections_per_address: usize,
    /// Maximum time to send a request's head, and maximum idle time of a connection.
    pub head: Duration,
    /// Minimum rate in bytes per second at which a client reads or sends while the server waits for
    /// it, averaged over [`transfer_time`](Self::transfer_time). 0 disables the limit.
    pub transfer_rate: u64,
    /// The time over which [`transfer_rate`](Self::transfer_rate) is measured.
    pub transfer_time: Duration,
    /// Maximum total size in bytes of unread responses in memory, of all connections together.
    pub unread_bytes: u64,
    /// Maximum total size in bytes of unfinished heads above 16 KiB, of all connections together.
    pub long_heads: u64,
    /// Maximum time for open requests to finish after shutdown has begun.
    pub drain: Duration,
}

/// Size of a head in bytes above which it counts for [`ListenLimits::long_heads`].
pub(crate) const LONG_HEAD_BYTES: u64 = 16 << 10;

/// Connections beyond the limit, for urgent requests and for the time until others are closed.
const SPARE_SLOTS: usize = 64;

impl Default for ListenLimits {
    fn default() -> Self {
        Self {
            connections: 16_384,
            connections_per_address: 1_024,
            head: Duration::from_secs(20),
            transfer_rate: 500,
            transfer_time: Duration::from_secs(60),
            unread_bytes: 128 << 20,
            long_heads: 32 << 20,
            drain: Duration::from_secs(25),
        }
    }
}

impl ListenLimits {
    /// File descriptors reserved for the store, jobs, uploads and outgoing requests.
    const OTHER_DESCRIPTORS: u64 = 256;
    /// Minimum number of file descriptors with which a server works.
    pub const MIN_DESCRIPTORS: u64 = 512;

    /// Reduces the limits to the number of file descriptors that the process may open. One address
    /// gets at most three quarters of the connections.
    #[must_use]
    pub fn within(mut self, descriptors: u64) -> Self {
        let others = Self::OTHER_DESCRIPTORS + SPARE_SLOTS as u64;
        let most = usize::try_from(descriptors.saturating_sub(others)).unwrap_or(usize::MAX);
        self.connections = self.connections.min(most).max(1);
        let share = (self.connections / 4 * 3).max(1);
        self.connections_per_address = self.connections_per_address.clamp(1, share);
        self
    }

    pub(crate) fn spare(&self) -> usize {
        SPARE_SLOTS.min(self.connections)
    }

    /// Returns the interval between two checks of all connections.
    pub(crate) fn tick(&self) -> Duration {
        (self.transfer_time / WINDOW).max(Duration::from_millis(10))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_fit_the_descriptors() {
        let limits = |descriptors| {
            let limits = ListenLimits::default().within(descriptors);
            (limits.connections, limits.connections_per_address)
        };
        assert_eq!(limits(1_048_576), (16_384, 1_024));
        assert_eq!(limits(1_024), (704, 528));
        assert_eq!(limits(512), (192, 144));
        assert_eq!(limits(0), (1, 1));
    }
}
