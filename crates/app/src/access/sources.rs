//! The sources of a person's role, for explanations of access.

use std::collections::HashMap;

use bindery_model::{CollectionId, Level, OrganizationId, Result, Role, UserId};
use bindery_store::Tx;
use bindery_store::collections::{self, Collection};
use bindery_store::permissions::{self, Grant, Grantee, Resource};
use bindery_store::spaces::Space;

use super::{Membership, membership_of};

/// The kind of a source of a role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SourceKind {
    /// The role that a member has in the organization.
    Member,
    /// The organization's default role.
    OrganizationDefault,
    /// The default level of a space or collection. It replaces the defaults above it.
    Default(Resource),
    /// A grant on a space or collection, to the person or to a team.
    Grant(Resource, Grantee),
}

/// A source of a role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// The kind of the source.
    pub kind: SourceKind,
    /// The role that the source gives; `None` for a default level without access.
    pub role: Option<Role>,
}

/// An organization, space or collection with the collections around it, from which the sources of
/// roles on it are found.
#[derive(Debug)]
pub struct Sources {
    organization: OrganizationId,
    space: Option<(Resource, Level)>,
    above: Vec<Collection>,
}

impl Sources {
    /// Returns the sources on an organization itself.
    pub const fn of_organization(organization: OrganizationId) -> Self {
        Self { organization, space: None, above: Vec::new() }
    }

    /// Loads the defaults on and around a space.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub fn of_space(tx: &Tx<'_>, space: &Space) -> Result<Self> {
        Ok(Self {
            organization: space.organization,
            space: Some((Resource::Space(space.id), space.default_level)),
            above: chain(tx, space.parent)?,
        })
    }

    /// Loads the defaults on and around a collection.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub fn of_collection(tx: &Tx<'_>, collection: &Collection) -> Result<Self> {
        let above = chain(tx, Some(collection.id))?;
        Ok(Self { organization: collection.organization, space: None, above })
    }

    /// Returns the sources of these users' roles on the object, for each user the nearest source
    /// first.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub fn of(&self, tx: &Tx<'_>, users: &[UserId]) -> Result<HashMap<UserId, Vec<Source>>> {
        let spaces: Vec<_> = match self.space {
            Some((Resource::Space(id), _)) => vec![id],
            _ => Vec::new(),
        };
        let above: Vec<CollectionId> = self.above.iter().map(|one| one.id).collect();
        let mut granted: HashMap<UserId, Vec<Grant>> = HashMap::new();
        for grant in permissions::list_effective(tx, users, &spaces, &above, &[])? {
            granted.entry(grant.user).or_default().push(grant);
        }
        let mut found = HashMap::new();
        for user in users {
            let standing = membership_of(tx, *user, self.organization)?;
            let granted = granted.remove(user).unwrap_or_default();
            found.insert(*user, self.of_one(standing, granted));
        }
        Ok(found)
    }

    fn of_one(
        &self,
        (membership, default_role): (Membership, Option<Role>),
        granted: Vec<Grant>,
    ) -> Vec<Source> {
        let grants = granted.into_iter().map(|Grant { resource, grantee, role, .. }| Source {
            kind: SourceKind::Grant(resource, grantee),
            role: Some(role),
        });
        let member = |role| Source { kind: SourceKind::Member, role: Some(role) };
        let mut sources = Vec::new();
        match membership {
            Membership::Stranger => return sources,
            Membership::Guest => {}
            Membership::Member(Role::Admin) => sources.push(member(Role::Admin)),
            Membership::Member(role) => match self.default() {
                Some(default) => sources.push(default),
                None => {
                    sources.push(member(role));
                    let kind = SourceKind::OrganizationDefault;
                    sources.extend(default_role.map(|role| Source { kind, role: Some(role) }));
                }
            },
        }
        sources.extend(grants);
        sources
    }

    /// Returns the nearest default level that is not `inherit`.
    fn default(&self) -> Option<Source> {
        let above = self
            .above
            .iter()
            .map(|collection| (Resource::Collection(collection.id), collection.default_level));
        self.space.into_iter().chain(above).find_map(|(place, level)| {
            let role = match level {
                Level::Inherit => return None,
                Level::None => None,
                Level::Role(role) => Some(role),
            };
            Some(Source { kind: SourceKind::Default(place), role })
        })
    }
}

/// Returns a collection and the collections around it, nearest first.
fn chain(tx: &Tx<'_>, from: Option<CollectionId>) -> Result<Vec<Collection>> {
    let Some(from) = from else { return Ok(Vec::new()) };
    let mut all = collections::with_ancestors(tx, &[from])?;
    let mut chain = Vec::new();
    let mut next = Some(from);
    while let Some(collection) = next.and_then(|id| all.remove(&id)) {
        next = collection.parent;
        chain.push(collection);
    }
    Ok(chain)
}
