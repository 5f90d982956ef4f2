//! Loading a target and deciding about it, in one step.

use std::ops::Deref;

use bindery_model::{CollectionId, Error, OrganizationId, Result, Role, SpaceId, UserId};
use bindery_store::collections::Collection;
use bindery_store::organizations::Organization;
use bindery_store::spaces::Space;
use bindery_store::{Tx, collections, members, organizations, spaces};

use super::{AccessFacts, Action, Caller, Decision, Facts, Membership, Person, Scopes, decide};

/// Something that access is decided about.
pub trait Target: Sized {
    /// The noun of its message "… not found".
    const NOUN: &'static str;
    /// `true` if callers without credentials can reach it.
    const OPEN: bool = false;
    /// The key that identifies it in a request.
    type Key;

    /// Returns `true` if it is deleted and waits for its removal. A deleted target can be read and
    /// restored, and nothing else.
    fn is_deleted(&self) -> bool {
        false
    }

    /// Loads it with the caller's level on it; `None` where there is none.
    ///
    /// # Errors
    /// When the store fails.
    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &Self::Key) -> Result<Option<Loaded<Self>>>;
}

/// A target and the caller's level on it.
#[derive(Debug)]
pub struct Loaded<T> {
    /// The target.
    pub target: T,
    /// The caller's level; `None`: it does not exist for the caller.
    pub role: Option<Role>,
}

/// Proof that the caller may do what the handler stated; only `authorize_target` makes one.
#[derive(Clone, Debug)]
pub struct Authorized<T> {
    target: T,
    role: Role,
}

impl<T> Authorized<T> {
    /// The caller's level on the target.
    pub const fn role(&self) -> Role {
        self.role
    }

    /// The target itself.
    pub fn into_inner(self) -> T {
        self.target
    }
}

impl<T> Deref for Authorized<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.target
    }
}

/// Loads the target and decides whether the caller may do this with it.
///
/// # Errors
/// 401 where a token is needed, 404 for what does not exist for the caller, 403 with what is
/// missing.
pub fn authorize_target<T: Target>(
    tx: &Tx<'_>,
    caller: &Caller,
    action: Action,
    key: Option<&T::Key>,
) -> Result<Authorized<T>> {
    let person = caller.person();
    if person.is_none() && !T::OPEN {
        return Err(Error::unauthenticated("this operation needs a token"));
    }
    let loaded = match key {
        Some(key) => T::load(tx, person, key)?,
        None => None,
    };
    let Some(Loaded { target, role }) = loaded else {
        return Err(Error::not_visible(T::NOUN));
    };
    let scopes = person.map_or(Scopes::ALL, |person| person.scopes);
    match (decide(role, scopes, action), role) {
        (Decision::Allowed, Some(_))
            if action.changes() && action != Action::DeleteSpace && target.is_deleted() =>
        {
            Err(Error::conflict("the space is deleted: restore it first"))
        }
        (Decision::Allowed, Some(role)) => Ok(Authorized { target, role }),
        (Decision::Lacks(needed), _) => Err(Error::forbidden(format!(
            "you may not {}: it needs the permission {}",
            action.describe(),
            needed.as_str()
        ))),
        (Decision::OutOfScope(scope), _) => Err(Error::forbidden(format!(
            "this token may not {}: it lacks the scope {}",
            action.describe(),
            scope.as_str()
        ))),
        _ => Err(Error::not_visible(T::NOUN)),
    }
}

/// The target of operations that are about nothing in particular.
#[derive(Clone, Copy, Debug)]
pub struct Anyone;

impl Target for Anyone {
    const NOUN: &'static str = "operation";
    const OPEN: bool = true;
    type Key = ();

    fn load(_: &Tx<'_>, _: Option<&Person>, (): &()) -> Result<Option<Loaded<Self>>> {
        Ok(Some(Loaded { target: Self, role: Some(Role::Read) }))
    }
}

/// The target of operations on what belongs to the caller.
#[derive(Clone, Copy, Debug)]
pub struct SignedIn;

impl Target for SignedIn {
    const NOUN: &'static str = "user";
    type Key = ();

    fn load(_: &Tx<'_>, _: Option<&Person>, (): &()) -> Result<Option<Loaded<Self>>> {
        Ok(Some(Loaded { target: Self, role: Some(Role::Admin) }))
    }
}

impl Target for Organization {
    const NOUN: &'static str = "organization";
    type Key = OrganizationId;

    fn load(
        tx: &Tx<'_>,
        person: Option<&Person>,
        key: &OrganizationId,
    ) -> Result<Option<Loaded<Self>>> {
        let Some(person) = person else {
            return Ok(None);
        };
        let Some(target) = organizations::get(tx, *key)? else {
            return Ok(None);
        };
        let role = organization_role(tx, person, *key)?;
        Ok(Some(Loaded { target, role }))
    }
}

impl Target for Space {
    const NOUN: &'static str = "space";
    type Key = SpaceId;

    fn is_deleted(&self) -> bool {
        self.deleted_at.is_some()
    }

    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &SpaceId) -> Result<Option<Loaded<Self>>> {
        let Some(person) = person else {
            return Ok(None);
        };
        let Some(target) = spaces::get(tx, *key)? else {
            return Ok(None);
        };
        let role = space_access(tx, person, &target)?.role();
        Ok(Some(Loaded { target, role }))
    }
}

impl Target for Collection {
    const NOUN: &'static str = "collection";
    type Key = CollectionId;

    fn load(
        tx: &Tx<'_>,
        person: Option<&Person>,
        key: &CollectionId,
    ) -> Result<Option<Loaded<Self>>> {
        let Some(person) = person else {
            return Ok(None);
        };
        let Some(target) = collections::get(tx, *key)? else {
            return Ok(None);
        };
        let role = collection_access(tx, person, &target)?.role();
        Ok(Some(Loaded { target, role }))
    }
}

/// The membership of a person in an organization, and the organization's default role.
///
/// # Errors
/// When the store fails.
pub fn membership(
    tx: &Tx<'_>,
    person: &Person,
    organization: OrganizationId,
) -> Result<(Membership, Option<Role>)> {
    if !person.reaches_organization(organization) {
        return Ok((Membership::Stranger, None));
    }
    membership_of(tx, person.user, organization)
}

/// The membership of any user in an organization, regardless of the caller.
///
/// # Errors
/// When the store fails.
pub fn membership_of(
    tx: &Tx<'_>,
    user: UserId,
    organization: OrganizationId,
) -> Result<(Membership, Option<Role>)> {
    let Some(standing) = members::get_membership(tx, organization, user)? else {
        return Ok((Membership::Stranger, None));
    };
    let membership = match standing.member {
        members::Member { disabled: true, .. } => Membership::Stranger,
        members::Member { role: None, .. } => Membership::Guest,
        members::Member { role: Some(role), .. } => Membership::Member(role),
    };
    Ok((membership, standing.default_role))
}

/// A person's level on an organization itself. Guests see it; a token that is limited to spaces
/// does no more than see it.
///
/// # Errors
/// When the store fails.
pub fn organization_role(
    tx: &Tx<'_>,
    person: &Person,
    organization: OrganizationId,
) -> Result<Option<Role>> {
    let (membership, default_role) = membership(tx, person, organization)?;
    Ok(role_in_organization(person, membership, default_role))
}

/// The level that a membership gives on the organization itself, to whom this token is shown.
pub fn role_in_organization(
    person: &Person,
    membership: Membership,
    default_role: Option<Role>,
) -> Option<Role> {
    let role = role_of_member(membership, default_role);
    role.map(|role| if person.spaces.is_empty() { role } else { Role::Read })
}

/// The level that a membership gives on the organization itself.
pub fn role_of_member(membership: Membership, default_role: Option<Role>) -> Option<Role> {
    match membership {
        Membership::Stranger => None,
        Membership::Guest => Some(Role::Read),
        Membership::Member(role) => Some(role).max(default_role),
    }
}

/// A person's level on the sites of an organization. Guests see what they are granted and nothing
/// else, tokens that are limited to spaces likewise.
///
/// # Errors
/// When the store fails.
pub fn sites_role(
    tx: &Tx<'_>,
    person: &Person,
    organization: OrganizationId,
) -> Result<Option<Role>> {
    let (membership, default_role) = membership(tx, person, organization)?;
    if membership == Membership::Guest || !person.spaces.is_empty() {
        return Ok(None);
    }
    Ok(role_in_organization(person, membership, default_role))
}

/// The facts that a decision about a space depends on, for this person.
///
/// # Errors
/// When the store fails.
pub fn space_access(tx: &Tx<'_>, person: &Person, space: &Space) -> Result<Facts> {
    if !person.reaches_space(space.id) {
        return Ok(Facts::default());
    }
    let standing = membership(tx, person, space.organization)?;
    Ok(AccessFacts::load(tx, person.user, standing, &[space], &[])?.space(space))
}

/// The facts that a decision about a collection depends on, for this person. A token that is
/// limited to spaces reaches no collection.
///
/// # Errors
/// When the store fails.
pub fn collection_access(tx: &Tx<'_>, person: &Person, collection: &Collection) -> Result<Facts> {
    if !person.spaces.is_empty() {
        return Ok(Facts::default());
    }
    let standing = membership(tx, person, collection.organization)?;
    Ok(AccessFacts::load(tx, person.user, standing, &[], &[collection])?.collection(collection))
}

/// The level that somebody has on a space, whoever asks.
///
/// # Errors
/// When the store fails.
pub fn level_of(tx: &Tx<'_>, user: UserId, space: &Space) -> Result<Option<Role>> {
    let standing = membership_of(tx, user, space.organization)?;
    Ok(AccessFacts::load(tx, user, standing, &[space], &[])?.space(space).role())
}
