//! Loads the facts for access decisions about many spaces and collections at once.

use std::collections::HashMap;

use bindery_model::{CollectionId, Level, Result, Role, SpaceId, UserId};
use bindery_store::Tx;
use bindery_store::collections::{self, Collection};
use bindery_store::permissions::{self, Resource};
use bindery_store::spaces::SpaceOutline;

use super::{Facts, Membership};

/// The membership of a person in an organization, with their grants and the collections that
/// contain the given content.
#[derive(Debug)]
pub struct AccessFacts {
    membership: Membership,
    default_role: Option<Role>,
    collections: HashMap<CollectionId, Collection>,
    granted: HashMap<Resource, Role>,
}

impl AccessFacts {
    /// Loads the facts for decisions about these spaces and collections.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub fn load(
        tx: &Tx<'_>,
        user: UserId,
        (membership, default_role): (Membership, Option<Role>),
        spaces: &[SpaceOutline],
        collections: &[&Collection],
    ) -> Result<Self> {
        let mut facts =
            Self { membership, default_role, collections: HashMap::new(), granted: HashMap::new() };
        if matches!(membership, Membership::Stranger | Membership::Member(Role::Admin)) {
            return Ok(facts);
        }
        let parents = spaces.iter().filter_map(|space| space.parent);
        let mut above: Vec<CollectionId> =
            parents.chain(collections.iter().map(|one| one.id)).collect();
        above.sort_unstable();
        above.dedup();
        if !above.is_empty() {
            facts.collections = collections::with_ancestors(tx, &above)?;
        }
        let spaces: Vec<SpaceId> = spaces.iter().map(|space| space.id).collect();
        let above: Vec<CollectionId> = facts.collections.keys().copied().collect();
        facts.granted = permissions::highest_roles(tx, user, &spaces, &above)?;
        Ok(facts)
    }

    /// Returns the highest grant on a collection and on the collections that contain it.
    fn granted_in(&self, collection: Option<CollectionId>) -> Option<Role> {
        let mut highest = None;
        let mut next = collection;
        // The bound guards against a cycle of collections in the store.
        for _ in 0..=self.collections.len() {
            let Some(id) = next else { break };
            highest = highest.max(self.granted.get(&Resource::Collection(id)).copied());
            next = self.collections.get(&id).and_then(|collection| collection.parent);
        }
        highest
    }

    fn facts(&self, level: Level, granted: Option<Role>, deleted: bool) -> Facts {
        let Self { membership, default_role, .. } = *self;
        Facts { membership, default_role, level, granted, deleted }
    }

    /// Returns the facts for a decision about a space.
    pub fn space(&self, space: &SpaceOutline) -> Facts {
        let own = self.granted.get(&Resource::Space(space.id)).copied();
        let granted = own.max(self.granted_in(space.parent));
        self.facts(space.effective_level, granted, space.deleted_at.is_some())
    }

    /// Returns the facts for a decision about a collection.
    pub fn collection(&self, collection: &Collection) -> Facts {
        let granted = self.granted_in(Some(collection.id));
        self.facts(collection.effective_level, granted, false)
    }

    /// Returns `true` if the person sees the parent collection, or if there is no parent.
    pub fn sees_parent(&self, parent: Option<CollectionId>) -> bool {
        let Some(parent) = parent else { return true };
        match self.membership {
            Membership::Stranger => false,
            Membership::Member(Role::Admin) => true,
            _ => self
                .collections
                .get(&parent)
                .is_some_and(|collection| self.collection(collection).role().is_some()),
        }
    }
}
