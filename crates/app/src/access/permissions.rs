//! Permissions on spaces, collections and sites: granting, revoking and listing them.

use bindery_model::{
    CollectionId, Error, FieldPath, Level, OrganizationId, Result, Role, TeamId, Timestamp, UserId,
};
use bindery_store::collections::{self, Collection};
use bindery_store::permissions::{self, UserAccess, UserAccessFilter};
pub use bindery_store::permissions::{Grantee, Resource};
use bindery_store::spaces::Space;
use bindery_store::users::{self, User};
use bindery_store::{Event, NewEvent, organizations, teams};

use crate::access::{self, Authorized};
use crate::people::teams::VisibleTeam;
use crate::publishing::sites::SiteTarget;
use crate::{Context, text};

/// A resource that permissions are granted on.
pub trait Granting {
    /// Returns the reference to the resource.
    fn resource(&self) -> Resource;
    /// Returns the organization that owns the resource.
    fn organization(&self) -> OrganizationId;
    /// Returns the collection that contains the resource.
    fn parent(&self) -> Option<CollectionId>;
    /// Returns the level that members have by default.
    fn effective_level(&self) -> Level;
}

macro_rules! granting {
    ($($kind:ident),*) => {$(
        impl Granting for $kind {
            fn resource(&self) -> Resource {
                Resource::$kind(self.id)
            }

            fn organization(&self) -> OrganizationId {
                self.organization
            }

            fn parent(&self) -> Option<CollectionId> {
                self.parent
            }

            fn effective_level(&self) -> Level {
                self.effective_level
            }
        }
    )*};
}

granting!(Space, Collection);

impl Granting for SiteTarget {
    fn resource(&self) -> Resource {
        Resource::Site(self.0.id)
    }

    fn organization(&self) -> OrganizationId {
        self.0.organization
    }

    fn parent(&self) -> Option<CollectionId> {
        None
    }

    fn effective_level(&self) -> Level {
        Level::Inherit
    }
}

/// Grants a role in place of the earlier one; `None` revokes it.
///
/// # Errors
/// Returns 404 if the user or team is not in the organization.
pub fn set<T: Granting>(
    cx: &Context<'_>,
    on: &Authorized<T>,
    grantee: Grantee,
    role: Option<Role>,
) -> Result<()> {
    require_known(cx, &**on, grantee)?;
    change(cx, &**on, grantee, role)?;
    Ok(())
}

/// Rejects a user or a team outside the organization.
///
/// # Errors
/// Returns 404 if the user or team is not in the organization.
pub fn require_known<T: Granting>(cx: &Context<'_>, on: &T, grantee: Grantee) -> Result<()> {
    if permissions::belongs_to_organization(cx.tx, on.organization(), grantee)? {
        return Ok(());
    }
    Err(Error::not_found(match grantee {
        Grantee::User(_) => "member",
        Grantee::Team(_) => "team",
    }))
}

/// Revokes a grant. Returns `false` if there was none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn remove<T: Granting>(cx: &Context<'_>, on: &Authorized<T>, grantee: Grantee) -> Result<bool> {
    change(cx, &**on, grantee, None)
}

/// Grants a role to a user, unless an equal or higher one is already granted.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn raise<T: Granting>(cx: &Context<'_>, on: &T, user: UserId, role: Role) -> Result<()> {
    let grantee = Grantee::User(user);
    if permissions::get(cx.tx, on.resource(), grantee)? < Some(role) {
        change(cx, on, grantee, Some(role))?;
    }
    Ok(())
}

fn change<T: Granting>(
    cx: &Context<'_>,
    on: &T,
    grantee: Grantee,
    role: Option<Role>,
) -> Result<bool> {
    let resource = on.resource();
    let before = permissions::get(cx.tx, resource, grantee)?;
    if before == role {
        return Ok(false);
    }
    match role {
        Some(role) => permissions::put(cx.tx, resource, grantee, role)?,
        None => permissions::delete(cx.tx, resource, grantee)?,
    }
    let (user, team) = match grantee {
        Grantee::User(id) => (Some(id), None),
        Grantee::Team(id) => (None, Some(id)),
    };
    let after = role;
    let in_collection =
        |collection| Event::PermissionChanged { collection, user, team, before, after };
    let event = match resource {
        Resource::Space(id) => NewEvent::new(in_collection(None)).space(id),
        Resource::Collection(id) => NewEvent::new(in_collection(Some(id))),
        Resource::Site(id) => {
            NewEvent::new(Event::SitePermissionChanged { user, team, before, after }).site(id)
        }
    };
    cx.tx.record(&event.by(cx.user()).organization(on.organization()))?;
    Ok(true)
}

/// Returns an ancestor collection on which a team has a role, if there is one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn inherited_by_team<T: Granting>(
    cx: &Context<'_>,
    on: &T,
    team: TeamId,
) -> Result<Option<Collection>> {
    let Some(parent) = on.parent() else { return Ok(None) };
    let above = collections::with_ancestors(cx.tx, &[parent])?;
    for (id, collection) in above {
        let on = Resource::Collection(id);
        if permissions::get(cx.tx, on, Grantee::Team(team))?.is_some() {
            return Ok(Some(collection));
        }
    }
    Ok(None)
}

/// Lists the users with a direct grant and its role, ordered by id, after the given one, and
/// returns the total number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn users<T: Granting>(
    cx: &Context<'_>,
    on: &T,
    after: Option<&str>,
    rows: u32,
) -> Result<(Vec<(User, Role)>, i64)> {
    let (count, _) = permissions::count(cx.tx, on.resource())?;
    let found = permissions::list_users(cx.tx, on.resource(), after, rows)?;
    let ids: Vec<UserId> = found.iter().map(|(user, _)| *user).collect();
    let mut people = users::get_many(cx.tx, &ids)?;
    let found = found.into_iter().filter_map(|(user, role)| Some((people.remove(&user)?, role)));
    Ok((found.collect(), count))
}

/// Lists the teams with a direct grant, ordered by id, after the given one, and returns the total
/// number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn teams<T: Granting>(
    cx: &Context<'_>,
    on: &T,
    after: Option<&str>,
    rows: u32,
) -> Result<(Vec<(VisibleTeam, Role)>, i64)> {
    let (_, count) = permissions::count(cx.tx, on.resource())?;
    let Some(person) = cx.caller.person() else { return Ok((Vec::new(), 0)) };
    let (membership, default_role) = access::membership(cx.tx, person, on.organization())?;
    let mut found = Vec::new();
    for (id, granted) in permissions::list_teams(cx.tx, on.resource(), after, rows)? {
        let Some(row) = teams::get(cx.tx, on.organization(), id, person.user)? else { continue };
        let role = access::role_in_team(person, membership, default_role, row.own);
        // Callers who see the permissions of a resource also see the teams that have them.
        found.push((VisibleTeam { row, role: role.unwrap_or(Role::Read) }, granted));
    }
    Ok((found, count))
}

/// A user with access to a resource.
#[derive(Clone, Debug)]
pub struct UserAccessView {
    /// The user.
    pub user: User,
    /// The user's role on the resource.
    pub role: Role,
    /// The time at which the user joined the organization.
    pub joined_at: Timestamp,
}

/// Returns the user with a mail address; `None` if there is no such user. `path` is the location
/// of the address in the request body.
///
/// # Errors
/// Returns 400 if the text is not a mail address.
pub fn user_by_email(cx: &Context<'_>, path: FieldPath, email: &str) -> Result<Option<UserId>> {
    let email = text::email(path, email)?;
    Ok(users::get_by_email(cx.tx, &email)?.map(|user| user.id))
}

/// Lists all users with any access to a resource, direct or inherited, in the order in which they
/// joined the organization, after the given position, and returns the total number. With `role`,
/// lists only the users whose role is exactly that one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_user_access<T: Granting>(
    cx: &Context<'_>,
    on: &T,
    role: Option<Role>,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<UserAccessView>, i64)> {
    let organization = organizations::get(cx.tx, on.organization())?;
    let (space, site, start) = match on.resource() {
        Resource::Space(id) => (Some(id), None, on.parent()),
        Resource::Collection(id) => (None, None, Some(id)),
        Resource::Site(id) => (None, Some(id), None),
    };
    let ancestors: Vec<CollectionId> = match start {
        Some(start) => collections::with_ancestors(cx.tx, &[start])?.into_keys().collect(),
        None => Vec::new(),
    };
    let filter = UserAccessFilter {
        organization: on.organization(),
        space,
        site,
        collections: &ancestors,
        default: match on.effective_level() {
            Level::Inherit => None,
            Level::None => Some(None),
            Level::Role(role) => Some(Some(role)),
        },
        organization_default: organization.and_then(|organization| organization.default_role),
        role,
    };
    let count = permissions::count_user_access(cx.tx, &filter)?;
    let found = permissions::list_user_access(cx.tx, &filter, after, rows)?;
    let ids: Vec<UserId> = found.iter().map(|row| row.user).collect();
    let mut people = users::get_many(cx.tx, &ids)?;
    let found = found.into_iter().filter_map(|UserAccess { user, role, joined_at }| {
        Some(UserAccessView { user: people.remove(&user)?, role, joined_at })
    });
    Ok((found.collect(), count))
}
