//! Concurrency limits for renderings. Large renderings wait for one of few permits, so that they
//! neither delay small ones nor use much memory at once. One organization never holds all permits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bindery_model::OrganizationId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of concurrent small renderings. Small and large renderings together are fewer
/// than the store's concurrent long reads, so that the API always has some of those.
const MAX_SMALL: usize = 4;
/// Maximum number of concurrent small renderings of one organization.
const MAX_SMALL_PER_ORGANIZATION: usize = 3;
/// Maximum number of concurrent large renderings.
const MAX_LARGE: usize = 2;
/// Maximum number of concurrent large renderings of one organization.
const MAX_LARGE_PER_ORGANIZATION: usize = 1;
/// Number of remembered organizations at which those without renderings are removed.
const MAX_REMEMBERED: usize = 256;

/// The size class of a rendering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Size {
    /// Takes some tens of milliseconds. A rendering that exceeds the limits is started again as a
    /// large one.
    Small,
    /// Takes all that one page may take.
    Large,
}

/// A permit for one rendering, released when dropped.
#[derive(Debug)]
pub(super) struct RenderPermit {
    _own: OwnedSemaphorePermit,
    _shared: OwnedSemaphorePermit,
}

/// The permits of both size classes.
#[derive(Debug)]
pub(super) struct RenderLimiter {
    small: Limiter,
    large: Limiter,
}

impl Default for RenderLimiter {
    fn default() -> Self {
        Self {
            small: Limiter::new(MAX_SMALL, MAX_SMALL_PER_ORGANIZATION),
            large: Limiter::new(MAX_LARGE, MAX_LARGE_PER_ORGANIZATION),
        }
    }
}

impl RenderLimiter {
    /// Waits for a permit. The renderings of one organization wait for each other first.
    pub(super) async fn acquire(
        &self,
        size: Size,
        organization: OrganizationId,
    ) -> Option<RenderPermit> {
        match size {
            Size::Small => self.small.acquire(organization).await,
            Size::Large => self.large.acquire(organization).await,
        }
    }
}

#[derive(Debug)]
struct Limiter {
    total: Arc<Semaphore>,
    per_organization: usize,
    organizations: Mutex<HashMap<OrganizationId, Weak<Semaphore>>>,
}

impl Limiter {
    fn new(total: usize, per_organization: usize) -> Self {
        Self {
            total: Arc::new(Semaphore::new(total)),
            per_organization,
            organizations: Mutex::default(),
        }
    }

    async fn acquire(&self, organization: OrganizationId) -> Option<RenderPermit> {
        // Semaphores are never closed.
        let own = self.for_organization(organization).acquire_owned().await.ok()?;
        let shared = Arc::clone(&self.total).acquire_owned().await.ok()?;
        Some(RenderPermit { _own: own, _shared: shared })
    }

    fn for_organization(&self, organization: OrganizationId) -> Arc<Semaphore> {
        let mut known = self.organizations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = known.get(&organization).and_then(Weak::upgrade) {
            return own;
        }
        if known.len() >= MAX_REMEMBERED {
            known.retain(|_, own| own.strong_count() > 0);
        }
        let own = Arc::new(Semaphore::new(self.per_organization));
        known.insert(organization, Arc::downgrade(&own));
        own
    }
}

#[cfg(test)]
mod tests {
    use bindery_model::Id;

    use super::*;

    fn organization(number: u8) -> OrganizationId {
        OrganizationId::new(Id::derived(&[number; 32]))
    }

    #[tokio::test]
    async fn one_organization_does_not_take_all_permits() {
        let limiter = RenderLimiter::default();
        for (size, per_organization) in
            [(Size::Small, MAX_SMALL_PER_ORGANIZATION), (Size::Large, MAX_LARGE_PER_ORGANIZATION)]
        {
            let mut taken = Vec::new();
            for _ in 0..per_organization {
                taken.push(limiter.acquire(size, organization(1)).await.unwrap());
            }
            let next = limiter.acquire(size, organization(1));
            tokio::pin!(next);
            tokio::select! {
                biased;
                _ = &mut next => panic!("more places than one organization has"),
                other = limiter.acquire(size, organization(2)) => assert!(other.is_some()),
            }
            taken.pop();
            assert!(next.await.is_some());
        }
    }
}
