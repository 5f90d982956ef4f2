//! Places for renderings. A large page waits for one of few places, so that it neither delays
//! small ones nor meets many others in memory, and one organization never has all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bindery_model::OrganizationId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Small renderings at once. Together with the large ones fewer than the long reads of a store, so
/// that the API keeps some of these.
const SMALL: usize = 4;
/// Small renderings at once for one organization.
const SMALL_EACH: usize = 3;
/// Large renderings at once.
const LARGE: usize = 2;
/// Large renderings at once for one organization.
const LARGE_EACH: usize = 1;
/// Organizations that are remembered before those without renderings are forgotten.
const REMEMBERED: usize = 256;

/// How much a rendering may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Size {
    /// Some tens of milliseconds. What turns out to take more begins again as a large one.
    Small,
    /// All that one page may take.
    Large,
}

/// A place, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    _own: OwnedSemaphorePermit,
    _shared: OwnedSemaphorePermit,
}

/// The places of both sizes.
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
    /// Waits for a place; those of one organization wait for each other first.
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
