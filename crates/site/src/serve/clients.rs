//! Limits the concurrent requests of one client address. Requests beyond the limit that are not
//! served from the cache wait, so that one address cannot occupy all permits for rendering.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of concurrent requests of one address.
const MAX_CONCURRENT: usize = 32;
/// Number of remembered addresses at which those without requests are removed.
const MAX_REMEMBERED: usize = 4_096;

/// The permits of all client addresses.
#[derive(Debug, Default)]
pub(super) struct ClientLimiter(Mutex<HashMap<IpAddr, Weak<Semaphore>>>);

impl ClientLimiter {
    /// Waits for a permit of an address. IPv6 addresses of one /64 network share their permits.
    pub(super) async fn acquire(&self, address: IpAddr) -> Option<OwnedSemaphorePermit> {
        // Semaphores are never closed.
        self.for_network(network(address)).acquire_owned().await.ok()
    }

    fn for_network(&self, address: IpAddr) -> Arc<Semaphore> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = known.get(&address).and_then(Weak::upgrade) {
            return own;
        }
        if known.len() >= MAX_REMEMBERED {
            known.retain(|_, own| own.strong_count() > 0);
        }
        let own = Arc::new(Semaphore::new(MAX_CONCURRENT));
        known.insert(address, Arc::downgrade(&own));
        own
    }
}

pub(super) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let mut octets = address.octets();
            octets.iter_mut().skip(8).for_each(|octet| *octet = 0);
            IpAddr::from(octets)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn addresses_have_separate_limits() {
        let limiter = ClientLimiter::default();
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let mut taken = Vec::new();
        for host in 0..MAX_CONCURRENT {
            taken.push(limiter.acquire(address(&format!("2001:db8::{host:x}"))).await);
        }
        let next = limiter.acquire(address("2001:db8::ffff"));
        tokio::pin!(next);
        tokio::select! {
            biased;
            _ = &mut next => panic!("more turns than an address has"),
            other = limiter.acquire(address("2001:db8:0:1::1")) => assert!(other.is_some()),
        }
        taken.pop();
        assert!(next.await.is_some());
    }
}
