//! Concurrency limits for renderings. Large renderings wait for one of few permits, so that they
//! neither delay small ones nor use much memory at once. One organization never holds all permits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bindery_model::OrganizationId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of concurrent small renderings. Small and large renderings together are fewer
/// than the store's concurrent long reads, so that the API always has some of those.
const SMALL: usize = 4;
/// Maximum number of concurrent small renderings of one organization.
const SMALL_EACH: usize = 3;
/// Maximum number of concurrent large renderings.
const LARGE: usize = 2;
/// Maximum number of concurrent large renderings of one organization.
const LARGE_EACH: usize = 1;
/// Number of remembered organizations at which those without renderings are removed.
const REMEMBERED: usize = 256;

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
pub(super) struct Place {
    _own: OwnedSemaphorePermit,
    _shared: OwnedSemaphorePermit,
}

/// The permits of both size classes.
#[derive(Debug)]
pub(super) struct Lanes {
    small: Lane,
    large: Lane,
}

impl Default for Lanes {
    fn default() -> Self {
        Self { small: Lane::new(SMALL, SMALL_EACH), large: Lane::new(LARGE, LARGE_EACH) }
    }
}

impl Lanes {
    /// Waits for a permit. The renderings of one organization wait for each other first.
    pub(super) async fn enter(&self, size: Size, organization: OrganizationId) -> Option<Place> {
        match size {
            Size::Small => self.small.enter(organization).await,
            Size::Large => self.large.enter(organization).await,
        }
    }
}

#[derive(Debug)]
struct Lane {
    all: Arc<Semaphore>,
    each: usize,
    organizations: Mutex<HashMap<OrganizationId, Weak<Semaphore>>>,
}

impl Lane {
    fn new(all: usize, each: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(all)), each, organizations: Mutex::default() }
    }

    async fn enter(&self, organization: OrganizationId) -> Option<Place> {
        // Semaphores are never closed.
        let own = self.of(organization).acquire_owned().await.ok()?;
        let shared = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(Place { _own: own, _shared: shared })
    }

    fn of(&self, organization: OrganizationId) -> Arc<Semaphore> {
        let mut known = self.organizations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = known.get(&organization).and_then(Weak::upgrade) {
            return own;
        }
        if known.len() >= REMEMBERED {
            known.retain(|_, own| own.strong_count() > 0);
        }
        let own = Arc::new(Semaphore::new(self.each));
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
    async fn one_organization_does_not_take_all_places() {
        let lanes = Lanes::default();
        for (size, each) in [(Size::Small, SMALL_EACH), (Size::Large, LARGE_EACH)] {
            let mut taken = Vec::new();
            for _ in 0..each {
                taken.push(lanes.enter(size, organization(1)).await.unwrap());
            }
            let next = lanes.enter(size, organization(1));
            tokio::pin!(next);
            tokio::select! {
                biased;
                _ = &mut next => panic!("more places than one organization has"),
                other = lanes.enter(size, organization(2)) => assert!(other.is_some()),
            }
            taken.pop();
            assert!(next.await.is_some());
        }
    }
}
