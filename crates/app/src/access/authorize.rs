//! Loads a target and decides about it in one step.

use std::ops::Deref;

use bindery_model::{CollectionId, Error, OrganizationId, Result, Role, SpaceId, UserId};
use bindery_store::collections::Collection;
use bindery_store::organizations::Organization;
use bindery_store::sites::Site;
use bindery_store::spaces::{Space, SpaceOutline};
use bindery_store::{Tx, collections, members, organizations, permissions, spaces};

use super::{
    AccessFacts, Action, Caller, Decision, Facts, Membership, Person, Scope, Scopes, TargetKind,
    decide,
};
use crate::publishing::resolve::SiteReader;

/// The target of an action.
pub trait Target: Sized {
    /// The kind of the target.
    const KIND: TargetKind;
    /// The key that identifies the target in a request.
    type Key;

    /// Returns `true` if the target is deleted and waits for its removal. The column `on_deleted`
    /// of the table of actions lists the actions that such a target permits.
    fn is_deleted(&self) -> bool {
        false
    }

    /// Loads the target with the caller's role on it; `None` if there is no such target.
    ///
    /// Guests and tokens that are limited to organizations or spaces are bounded here: the role is
    /// lower, or `None`.
    ///
    /// # Errors
    /// Fails if the store fails.
    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &Self::Key) -> Result<Option<Loaded<Self>>>;

    /// Loads the target for the reader of a site; `None` if the reader does not see it. Only the
    /// content of published sites exists for readers.
    ///
    /// # Errors
    /// Fails if the store fails.
    fn load_for_reader(_: &Tx<'_>, _: &SiteReader, _: &Self::Key) -> Result<Option<Loaded<Self>>> {
        Ok(None)
    }
}

/// Loads a target for a caller, as its operations see it.
///
/// # Errors
/// Fails if the store fails.
pub fn load_target<T: Target>(
    tx: &Tx<'_>,
    caller: &Caller,
    key: &T::Key,
) -> Result<Option<Loaded<T>>> {
    match caller {
        Caller::Visitor(reader) if !T::KIND.admits_anonymous() => {
            T::load_for_reader(tx, reader, key)
        }
        _ => T::load(tx, caller.person(), key),
    }
}

/// A target and the caller's role on it.
#[derive(Debug)]
pub struct Loaded<T> {
    /// The target.
    pub target: T,
    /// The caller's role; `None` if the target does not exist for the caller.
    pub role: Option<Role>,
}

/// A target on which the caller may perform the action that the operation names. Only
/// [`authorize_target`] creates this type.
#[derive(Clone, Debug)]
pub struct Authorized<T> {
    target: T,
    role: Role,
}

impl<T> Authorized<T> {
    /// Returns the caller's role on the target.
    pub const fn role(&self) -> Role {
        self.role
    }

    /// Returns the target.
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

/// Loads the target and decides if the caller may perform the action on it. `key` is `None` if the
/// request contains no valid key.
///
/// # Errors
/// Returns an `unauthenticated` error if the target requires credentials and the caller has none,
/// a "not found" error if the target does not exist for the caller, a `forbidden` error that names
/// the missing role or scope, and a `conflict` if the target is deleted.
pub fn authorize_target<T: Target>(
    tx: &Tx<'_>,
    caller: &Caller,
    action: Action,
    key: Option<&T::Key>,
) -> Result<Authorized<T>> {
    let needed = action.requirements();
    debug_assert!(needed.targets.contains(&T::KIND), "{action:?} on a {}", T::KIND.noun());
    if *caller == Caller::Anonymous && !T::KIND.admits_anonymous() {
        return Err(Error::unauthenticated("this operation needs a token"));
    }
    let loaded = match key {
        Some(key) => load_target::<T>(tx, caller, key)?,
        None => None,
    };
    let Some(Loaded { target, role }) = loaded else {
        return Err(Error::not_visible(T::KIND.noun()));
    };
    let scopes = match caller {
        Caller::Person(person) => person.scopes,
        Caller::Visitor(_) => Scopes::READ,
        Caller::Anonymous => Scopes::ALL,
    };
    match (decide(role, scopes, action), role) {
        (Decision::Allowed, Some(_)) if !needed.on_deleted && target.is_deleted() => {
            Err(Error::conflict("the space is deleted: restore it first"))
        }
        (Decision::Allowed, Some(role)) => Ok(Authorized { target, role }),
        (Decision::Lacks(role), _) => Err(Error::forbidden(format!(
            "you may not {}: it needs the permission {}",
            needed.description,
            role.as_str()
        ))),
        (Decision::OutOfScope(scope), _) => Err(out_of_scope(action, scope)),
        _ => Err(Error::not_visible(T::KIND.noun())),
    }
}

fn out_of_scope(action: Action, scope: Scope) -> Error {
    Error::forbidden(format!(
        "this token may not {}: it lacks the scope {}",
        action.requirements().description,
        scope.as_str()
    ))
}

/// Checks that the caller's credential has the scope for an action. Use cases call it for the
/// additional action of an operation, after they have checked the caller's role.
///
/// # Errors
/// Returns a `forbidden` error if the credential lacks the scope.
pub fn require_scope(caller: &Caller, action: Action) -> Result<()> {
    let scopes = caller.person().map_or(Scopes::ALL, |person| person.scopes);
    let scope = action.requirements().scope;
    if scopes.allows(scope) { Ok(()) } else { Err(out_of_scope(action, scope)) }
}

/// The target of operations that concern no object.
#[derive(Clone, Copy, Debug)]
pub struct Anyone;

impl Target for Anyone {
    const KIND: TargetKind = TargetKind::Operation;
    type Key = ();

    fn load(_: &Tx<'_>, _: Option<&Person>, (): &()) -> Result<Option<Loaded<Self>>> {
        Ok(Some(Loaded { target: Self, role: Some(Role::Read) }))
    }
}

/// The target of operations on the caller's own data.
#[derive(Clone, Copy, Debug)]
pub struct SignedIn;

impl Target for SignedIn {
    const KIND: TargetKind = TargetKind::Caller;
    type Key = ();

    fn load(_: &Tx<'_>, _: Option<&Person>, (): &()) -> Result<Option<Loaded<Self>>> {
        Ok(Some(Loaded { target: Self, role: Some(Role::Admin) }))
    }
}

impl Target for Organization {
    const KIND: TargetKind = TargetKind::Organization;
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
    const KIND: TargetKind = TargetKind::Space;
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
    const KIND: TargetKind = TargetKind::Collection;
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

/// Returns the membership of a person in an organization, and the organization's default role. A
/// person whose token does not reach the organization is a stranger.
///
/// # Errors
/// Fails if the store fails.
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

/// Returns the membership of any user in an organization, regardless of the caller, and the
/// organization's default role.
///
/// # Errors
/// Fails if the store fails.
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

/// Returns a person's role on an organization itself. Guests and tokens that are limited to spaces
/// have the role `read`.
///
/// # Errors
/// Fails if the store fails.
pub fn organization_role(
    tx: &Tx<'_>,
    person: &Person,
    organization: OrganizationId,
) -> Result<Option<Role>> {
    let (membership, default_role) = membership(tx, person, organization)?;
    Ok(role_in_organization(person, membership, default_role))
}

/// Returns the role that a membership gives on the organization itself, reduced to `read` if the
/// person's token is limited to spaces.
pub fn role_in_organization(
    person: &Person,
    membership: Membership,
    default_role: Option<Role>,
) -> Option<Role> {
    let role = role_of_member(membership, default_role);
    role.map(|role| if person.spaces.is_empty() { role } else { Role::Read })
}

/// Returns the role that a membership gives on the organization itself.
pub fn role_of_member(membership: Membership, default_role: Option<Role>) -> Option<Role> {
    match membership {
        Membership::Stranger => None,
        Membership::Guest => Some(Role::Read),
        Membership::Member(role) => Some(role).max(default_role),
    }
}

/// Returns the facts that determine a person's role on a site. Members have their role in the
/// organization there, unless a grant is higher. A token that is limited to spaces reaches no site.
///
/// # Errors
/// Fails if the store fails.
pub fn site_access(tx: &Tx<'_>, person: &Person, site: &Site) -> Result<Facts> {
    if !person.spaces.is_empty() {
        return Ok(Facts::default());
    }
    site_facts(tx, person.user, membership(tx, person, site.organization)?, site)
}

/// Returns a user's role on a site, regardless of the caller.
///
/// # Errors
/// Fails if the store fails.
pub fn role_on_site(tx: &Tx<'_>, user: UserId, site: &Site) -> Result<Option<Role>> {
    Ok(site_facts(tx, user, membership_of(tx, user, site.organization)?, site)?.role())
}

fn site_facts(
    tx: &Tx<'_>,
    user: UserId,
    (membership, default_role): (Membership, Option<Role>),
    site: &Site,
) -> Result<Facts> {
    let granted = match membership {
        Membership::Stranger | Membership::Member(Role::Admin) => None,
        _ => permissions::highest_role_on_site(tx, user, site.id)?,
    };
    Ok(Facts { membership, default_role, granted, ..Facts::default() })
}

/// The sites of an organization that a person sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VisibleSites {
    /// All sites: the person is a member with a role.
    All,
    /// The sites on which a role is granted to this guest.
    Granted(UserId),
    /// No site.
    None,
}

/// Returns the sites of an organization that a person sees, as [`site_access`] decides for each.
///
/// # Errors
/// Fails if the store fails.
pub fn visible_sites(
    tx: &Tx<'_>,
    person: &Person,
    organization: OrganizationId,
) -> Result<VisibleSites> {
    if !person.spaces.is_empty() {
        return Ok(VisibleSites::None);
    }
    Ok(match membership(tx, person, organization)?.0 {
        Membership::Stranger => VisibleSites::None,
        Membership::Guest => VisibleSites::Granted(person.user),
        Membership::Member(_) => VisibleSites::All,
    })
}

/// Returns the facts that determine a person's role on a space.
///
/// # Errors
/// Fails if the store fails.
pub fn space_access(tx: &Tx<'_>, person: &Person, space: &Space) -> Result<Facts> {
    if !person.reaches_space(space.id) {
        return Ok(Facts::default());
    }
    let standing = membership(tx, person, space.organization)?;
    let outline = SpaceOutline::from(space);
    Ok(AccessFacts::load(tx, person.user, standing, &[outline], &[])?.space(&outline))
}

/// Returns the facts that determine a person's role on a collection. A token that is limited to
/// spaces reaches no collection.
///
/// # Errors
/// Fails if the store fails.
pub fn collection_access(tx: &Tx<'_>, person: &Person, collection: &Collection) -> Result<Facts> {
    if !person.spaces.is_empty() {
        return Ok(Facts::default());
    }
    let standing = membership(tx, person, collection.organization)?;
    Ok(AccessFacts::load(tx, person.user, standing, &[], &[collection])?.collection(collection))
}

/// Returns a user's role on a space, regardless of the caller.
///
/// # Errors
/// Fails if the store fails.
pub fn level_of(tx: &Tx<'_>, user: UserId, space: &Space) -> Result<Option<Role>> {
    let standing = membership_of(tx, user, space.organization)?;
    let outline = SpaceOutline::from(space);
    Ok(AccessFacts::load(tx, user, standing, &[outline], &[])?.space(&outline).role())
}
