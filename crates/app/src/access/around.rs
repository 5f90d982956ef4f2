//! What decisions about spaces and collections depend on, gathered for many at once.

use std::collections::HashMap;

use bindery_model::{CollectionId, Level, Result, Role, SpaceId, UserId};
use bindery_store::Tx;
use bindery_store::collections::{self, Collection};
use bindery_store::permissions::{self, Resource};
use bindery_store::spaces::Space;

use super::{Facts, Membership};

/// Somebody in an organization, with the collections around some of its content and what reaches
/// them there.
#[derive(Debug)]
pub struct Around {
    membership: Membership,
    default_role: Option<Role>,
    collections: HashMap<CollectionId, Collection>,
    granted: HashMap<Resource, Role>,
}

impl Around {
    /// Gathers what the decisions about these spaces and collections take.
    ///
    /// # Errors
    /// When the store fails.
    pub fn load(
        tx: &Tx<'_>,
        user: UserId,
        (membership, default_role): (Membership, Option<Role>),
        spaces: &[&Space],
        collections: &[&Collection],
    ) -> Result<Self> {
        let mut around =
            Self { membership, default_role, collections: HashMap::new(), granted: HashMap::new() };
        if matches!(membership, Membership::Stranger | Membership::Member(Role::Admin)) {
            return Ok(around);
        }
        let parents = spaces.iter().filter_map(|space| space.parent);
        let mut above: Vec<CollectionId> =
            parents.chain(collections.iter().map(|one| one.id)).collect();
        above.sort_unstable();
        above.dedup();
        if !above.is_empty() {
            around.collections = collections::with_ancestors(tx, &above)?;
        }
        let spaces: Vec<SpaceId> = spaces.iter().map(|space| space.id).collect();
        let above: Vec<CollectionId> = around.collections.keys().copied().collect();
        around.granted = permissions::highest_roles(tx, user, &spaces, &above)?;
        Ok(around)
    }

    /// The highest of what was granted on a collection and above it.
    fn granted_in(&self, collection: Option<CollectionId>) -> Option<Role> {
        let mut highest = None;
        let mut next = collection;
        // A collection is never in itself; the count is for a store that says otherwise.
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

    /// What a decision about a space depends on.
    pub fn space(&self, space: &Space) -> Facts {
        let own = self.granted.get(&Resource::Space(space.id)).copied();
        let granted = own.max(self.granted_in(space.parent));
        self.facts(space.effective_level, granted, space.deleted_at.is_some())
    }

    /// What a decision about a collection depends on.
    pub fn collection(&self, collection: &Collection) -> Facts {
        let granted = self.granted_in(Some(collection.id));
        self.facts(collection.effective_level, granted, false)
    }

    /// Whether the collection that something is in exists for them; also where it is in none.
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
