//! Limits of the listener.

use std::time::Duration;

use crate::meter::WINDOW;

/// Limits of the listener.
#[derive(Clone, Copy, Debug)]
pub struct ListenLimits {
    /// Connections open at once. When there are more, stuck and idle ones are closed.
    pub connections: usize,
    /// Connections open at once from one address (IPv6: from one network of 64 bits). Trusted
    /// proxies have no such limit.
    pub connections_per_address: usize,
    /// How long a client may take to send a request's head, and a connection may be idle.
    pub head: Duration,
    /// Bytes per second that a client has to read or send at least while the server waits for it,
    /// over [`transfer_time`](Self::transfer_time). 0: no limit.
    pub transfer_rate: u64,
    /// The time over which [`transfer_rate`](Self::transfer_rate) is measured.
    pub transfer_time: Duration,
    /// Bytes of answers in memory that clients do not read, of all connections together.
    pub unread_bytes: u64,
    /// Bytes of unfinished heads that are longer than 16 KiB, of all connections together.
    pub long_heads: u64,
    /// How long open requests may take to end after shutdown began.
    pub drain: Duration,
}

/// Bytes of a head above which it counts for [`ListenLimits::long_heads`].
pub(crate) const LONG_HEAD: u64 = 16 << 10;

/// Connections beyond the limit, for those who must get in and while others are being closed.
const SPARE: usize = 64;

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
    /// Descriptors that the rest of the server needs: the store, jobs, uploads, outgoing requests.
    const OTHER_DESCRIPTORS: u64 = 256;
    /// Descriptors below which a server cannot do its work.
    pub const LEAST_DESCRIPTORS: u64 = 512;

    /// Fits the numbers of connections to the descriptors that the process may open. One address
    /// gets at most three quarters of the connections.
    #[must_use]
    pub fn within(mut self, descriptors: u64) -> Self {
        let others = Self::OTHER_DESCRIPTORS + SPARE as u64;
        let most = usize::try_from(descriptors.saturating_sub(others)).unwrap_or(usize::MAX);
        self.connections = self.connections.min(most).max(1);
        let share = (self.connections / 4 * 3).max(1);
        self.connections_per_address = self.connections_per_address.clamp(1, share);
        self
    }

    pub(crate) fn spare(&self) -> usize {
        SPARE.min(self.connections)
    }

    /// The time between two looks at all connections.
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
