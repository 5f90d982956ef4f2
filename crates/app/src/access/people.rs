//! Access to users and members, and checks that depend on a membership.

use bindery_model::{Error, OrganizationId, Result, Role, UserId};
use bindery_store::Tx;
use bindery_store::members::{self, MemberRow};
use bindery_store::users::{self, User};

use super::{Loaded, Membership, Person, Target, TargetKind, membership, organization_role};

/// A user: the caller, or a person who shares an organization with the caller.
#[derive(Clone, Debug)]
pub struct UserTarget(pub User);

impl Target for UserTarget {
    const KIND: TargetKind = TargetKind::User;
    type Key = UserId;

    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &UserId) -> Result<Option<Loaded<Self>>> {
        let Some(person) = person else {
            return Ok(None);
        };
        let Some(user) = users::get(tx, *key)? else {
            return Ok(None);
        };
        let role = if user.id == person.user {
            Some(Role::Admin)
        } else {
            let within =
                (!person.organizations.is_empty()).then_some(person.organizations.as_slice());
            let seen = person.spaces.is_empty() && members::can_see(tx, person.user, *key, within)?;
            seen.then_some(Role::Read)
        };
        Ok(Some(Loaded { target: Self(user), role }))
    }
}

/// A member of the organization that the path names. Guests see only themselves.
#[derive(Clone, Copy, Debug)]
pub struct MemberTarget {
    /// The organization.
    pub organization: OrganizationId,
    /// The membership.
    pub row: MemberRow,
}

impl Target for MemberTarget {
    const KIND: TargetKind = TargetKind::Member;
    type Key = (OrganizationId, UserId);

    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &Self::Key) -> Result<Option<Loaded<Self>>> {
        let (organization, user) = *key;
        let Some(person) = person else {
            return Ok(None);
        };
        let Some(row) = members::get(tx, organization, user)? else {
            return Ok(None);
        };
        let seen = user == person.user || sees_members(tx, person, organization)?;
        let role = if seen { organization_role(tx, person, organization)? } else { None };
        Ok(Some(Loaded { target: Self { organization, row }, role }))
    }
}

/// A member to be removed. Members have the role `admin` on themselves, so they may leave.
#[derive(Clone, Copy, Debug)]
pub struct LeavingMember(pub MemberTarget);

impl Target for LeavingMember {
    const KIND: TargetKind = MemberTarget::KIND;
    type Key = <MemberTarget as Target>::Key;

    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &Self::Key) -> Result<Option<Loaded<Self>>> {
        let Some(Loaded { target, role }) = MemberTarget::load(tx, person, key)? else {
            return Ok(None);
        };
        let leaves = person.is_some_and(|person| person.user == target.row.user);
        let role = role.map(|role| if leaves { Role::Admin } else { role });
        Ok(Some(Loaded { target: Self(target), role }))
    }
}

/// Returns `true` if the caller can see the members of an organization and other data that only
/// members see. Guests and tokens that are limited to spaces cannot.
///
/// # Errors
/// Fails if the store fails.
pub fn sees_members(tx: &Tx<'_>, person: &Person, organization: OrganizationId) -> Result<bool> {
    let (membership, _) = membership(tx, person, organization)?;
    Ok(matches!(membership, Membership::Member(_)) && person.spaces.is_empty())
}

/// Refuses callers who are not members with a role. `what` completes "you may not".
///
/// # Errors
/// Returns a `forbidden` error for guests, strangers, and tokens that are limited to spaces.
pub fn require_member(
    tx: &Tx<'_>,
    person: Option<&Person>,
    organization: OrganizationId,
    what: &str,
) -> Result<()> {
    let sees = person.map(|person| sees_members(tx, person, organization)).transpose()?;
    if sees == Some(true) {
        return Ok(());
    }
    Err(Error::forbidden(format!("you may not {what}: it needs a role in the organization")))
}

/// Refuses callers who may not create organizations. Only an administrator of an organization may
/// create another one; otherwise every invited person could create users and tokens.
///
/// # Errors
/// Returns a `forbidden` error for callers who administer no organization, and for tokens that are
/// limited to organizations or spaces.
pub fn require_founder(tx: &Tx<'_>, person: &Person) -> Result<()> {
    if !person.organizations.is_empty() || !person.spaces.is_empty() {
        return Err(Error::forbidden(
            "this token may not create organizations: it is limited to organizations or spaces",
        ));
    }
    if members::administers_any(tx, person.user)? {
        return Ok(());
    }
    Err(Error::forbidden(
        "you may not create organizations: it needs the permission admin in another one",
    ))
}
