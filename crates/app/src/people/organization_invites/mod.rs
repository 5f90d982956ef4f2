//! Ways into an organization: invite links, which any signed-in user can follow, and invitations of
//! one mail address.

mod invitation_mail;
mod invitations;

pub(crate) use invitation_mail::InvitationMailJob;
pub(crate) use invitations::create as create_invitation;
pub use invitations::{
    Accept, Accepted, InvitationDetails, InvitationView, Invited, Invitee, accept,
    delete_invitation, invitation_details, invite, list_invitations,
};

use bindery_model::{
    CollectionId, Error, FieldPath, InviteLinkId, Level, OrganizationId, Result, Role, SpaceId,
    Timestamp, UserId,
};
use bindery_store::collections::{self, Collection};
pub use bindery_store::invitations::Invitation;
use bindery_store::invite_links::{self, InviteLink, InviteTarget};
use bindery_store::members::{self, Member};
use bindery_store::organizations::{self, Organization};
use bindery_store::spaces::{self, Space};
use bindery_store::{Event, FieldChange, JoinMethod, NewEvent, Tx};

use crate::access::{
    Action, Authorized, Loaded, Person, SignedIn, Target, TargetKind, authorize_target,
    collection_access, organization_role, space_access,
};
use crate::people::organizations::add_member;
use crate::{Context, access::permissions};

/// Number of characters of a link's id in audit events. The full id is a secret that grants access.
const AUDIT_PREFIX: usize = 6;
/// Maximum number of invite links in an organization.
const MAX_LINKS: u32 = 1_000;

/// An invite link, as shown to callers who manage its destination.
#[derive(Clone, Debug)]
pub struct InviteLinkTarget {
    /// The link.
    pub link: InviteLink,
    /// The destination of the link.
    pub to: Destination,
}

/// The destination of an invite link.
#[derive(Clone, Debug)]
pub enum Destination {
    /// The organization as a whole.
    Organization,
    /// A space of the organization.
    Space(Space),
    /// A collection of the organization.
    Collection(Collection),
}

impl Destination {
    /// Loads the destination of a link; `None` if it was deleted or has moved to another
    /// organization.
    fn of(tx: &Tx<'_>, link: &InviteLink) -> Result<Option<Self>> {
        let here = link.organization;
        Ok(match link.to {
            InviteTarget::Organization => Some(Self::Organization),
            InviteTarget::Space(id) => spaces::get(tx, id)?
                .filter(|space| space.organization == here && space.deleted_at.is_none())
                .map(Self::Space),
            InviteTarget::Collection(id) => collections::get(tx, id)?
                .filter(|collection| collection.organization == here)
                .map(Self::Collection),
        })
    }
}

impl Target for InviteLinkTarget {
    const KIND: TargetKind = TargetKind::InviteLink;
    type Key = (OrganizationId, InviteLinkId);

    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &Self::Key) -> Result<Option<Loaded<Self>>> {
        let Some(caller) = person else {
            return Ok(None);
        };
        let Some(link) = invite_links::get(tx, key.0, key.1, tx.now())? else {
            return Ok(None);
        };
        let Some((target, role)) = Self::seen_by(tx, caller, link)? else {
            return Ok(None);
        };
        Ok(Some(Loaded { target, role }))
    }
}

impl InviteLinkTarget {
    /// Returns a link with the caller's role on its destination, if the destination exists. The
    /// role is `None` if it does not include managing members.
    fn seen_by(
        tx: &Tx<'_>,
        caller: &Person,
        link: InviteLink,
    ) -> Result<Option<(Self, Option<Role>)>> {
        let Some(to) = Destination::of(tx, &link)? else {
            return Ok(None);
        };
        let role = match &to {
            Destination::Organization => organization_role(tx, caller, link.organization)?,
            Destination::Space(space) => space_access(tx, caller, space)?.role(),
            Destination::Collection(collection) => {
                collection_access(tx, caller, collection)?.role()
            }
        };
        // Any user who knows a link can follow it, so other callers must not see it.
        let role = role.filter(|role| *role >= Action::ManageMembers.requirements().role);
        Ok(Some((Self { link, to }, role)))
    }
}

/// Returns `true` if a link grants no more than members already have by default.
///
/// # Errors
/// Returns an error if the store fails.
pub fn is_redundant(tx: &Tx<'_>, target: &InviteLinkTarget) -> Result<bool> {
    let level = match &target.to {
        // Such a link always grants something: the membership.
        Destination::Organization => return Ok(false),
        Destination::Space(space) => space.effective_level,
        Destination::Collection(collection) => collection.effective_level,
    };
    let default = match level {
        Level::None => None,
        Level::Role(role) => Some(role),
        Level::Inherit => organizations::get(tx, target.link.organization)?
            .and_then(|organization| organization.default_role),
    };
    Ok(target.link.role <= default)
}

/// The destination of a new link, as the request names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkTo {
    /// The organization as a whole.
    Organization,
    /// A space with this id.
    Space(String),
    /// A collection with this id.
    Collection(String),
}

/// Creates an invite link.
///
/// # Errors
/// Returns 403 or 404 if the caller cannot manage the destination, and 409 if the organization has
/// switched invite links off or has reached the maximum number.
pub fn create(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    to: &LinkTo,
    role: Option<Role>,
) -> Result<InviteLinkTarget> {
    let to = managed(cx, organization.id, to)?;
    if !organization.invite_links {
        return Err(Error::conflict("this organization has switched invite links off"));
    }
    let present = invite_links::list(cx.tx, organization.id, cx.now(), MAX_LINKS)?.len();
    if present >= usize::try_from(MAX_LINKS).unwrap_or(usize::MAX) {
        return Err(Error::conflict(format!(
            "this organization has {MAX_LINKS} invite links, the maximum: revoke some first"
        )));
    }
    let created_by =
        cx.user().ok_or_else(|| Error::internal("a link is created without a user"))?;
    let link = InviteLink {
        id: InviteLinkId::random(&cx.app.entropy),
        organization: organization.id,
        to: match &to {
            Destination::Organization => InviteTarget::Organization,
            Destination::Space(space) => InviteTarget::Space(space.id),
            Destination::Collection(collection) => InviteTarget::Collection(collection.id),
        },
        role,
        created_by,
        created_at: cx.now(),
        token: cx.lineage().token,
        expires_at: cx.lineage().expires_at,
    };
    invite_links::create(cx.tx, &link)?;
    let (prefix, target, role) = audit_fields(&link);
    record(cx.tx, cx.user(), &link, Event::InviteLinkCreated { link: prefix, to: target, role })?;
    Ok(InviteLinkTarget { link, to })
}

/// Loads the destination of a new link, if the caller may manage its members.
fn managed(cx: &Context<'_>, organization: OrganizationId, to: &LinkTo) -> Result<Destination> {
    let not_here = |noun: &str| Error::not_found(noun).at(FieldPath::default().field(noun));
    match to {
        LinkTo::Organization => {
            let action = Action::ManageMembers;
            authorize_target::<Organization>(cx.tx, cx.caller, action, Some(&organization))?;
            Ok(Destination::Organization)
        }
        LinkTo::Space(id) => {
            let (action, key) = (Action::ManageSpace, SpaceId::parse(id));
            let space = authorize_target::<Space>(cx.tx, cx.caller, action, key.as_ref())?;
            if space.organization != organization {
                return Err(not_here("space"));
            }
            Ok(Destination::Space(space.into_inner()))
        }
        LinkTo::Collection(id) => {
            let (action, key) = (Action::ManageCollection, CollectionId::parse(id));
            let found = authorize_target::<Collection>(cx.tx, cx.caller, action, key.as_ref())?;
            if found.organization != organization {
                return Err(not_here("collection"));
            }
            Ok(Destination::Collection(found.into_inner()))
        }
    }
}

/// Lists the links that the caller may manage, oldest first, after the given position, and returns
/// the total number. An administrator of the organization manages all links, an administrator of a
/// space or a collection the links to it.
///
/// # Errors
/// Returns 403 if the token lacks the scope, or if the caller can manage no link.
pub fn list(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<InviteLinkTarget>, i64)> {
    let person = cx.caller.person().ok_or_else(|| Error::not_found("organization"))?;
    let action = Action::ManageMembers;
    let whole =
        authorize_target::<Organization>(cx.tx, cx.caller, action, Some(&organization.id)).err();
    let mut found = Vec::new();
    if whole.is_none() || person.scopes.allows(action.requirements().scope) {
        for link in invite_links::list(cx.tx, organization.id, cx.now(), MAX_LINKS)? {
            if let Some((target, Some(_))) = InviteLinkTarget::seen_by(cx.tx, person, link)? {
                found.push(target);
            }
        }
    }
    if let (Some(refusal), true) = (whole, found.is_empty()) {
        return Err(refusal);
    }
    let count = i64::try_from(found.len()).unwrap_or(i64::MAX);
    let position = |target: &InviteLinkTarget| (target.link.created_at, target.link.id);
    if let Some((time, id)) = after {
        found.retain(|target| {
            let (at, own) = position(target);
            (at, own.as_str()) > (time, id)
        });
    }
    found.truncate(usize::try_from(rows).unwrap_or(usize::MAX));
    Ok((found, count))
}

/// Changes the role that a link grants. Users who have already followed the link keep their role.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(
    cx: &Context<'_>,
    target: &Authorized<InviteLinkTarget>,
    role: Option<Role>,
) -> Result<InviteLinkTarget> {
    let before = target.link;
    let word = |role: Option<Role>| role.map(Role::as_str);
    let change = FieldChange::of("role", &word(before.role), &word(role))?;
    if let Some(change) = change {
        invite_links::set_role(cx.tx, before.id, role)?;
        let (link, _, _) = audit_fields(&before);
        record(
            cx.tx,
            cx.user(),
            &before,
            Event::InviteLinkUpdated { link, changes: vec![change] },
        )?;
    }
    Ok(InviteLinkTarget { link: InviteLink { role, ..before }, to: target.to.clone() })
}

/// Revokes a link.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(cx: &Context<'_>, target: &Authorized<InviteLinkTarget>) -> Result<()> {
    let by = cx.user().ok_or_else(|| Error::internal("a link is revoked without a user"))?;
    revoke_link(cx.tx, by, &target.link)
}

/// Revokes a link without an access check.
pub(crate) fn revoke_link(tx: &Tx<'_>, by: UserId, link: &InviteLink) -> Result<()> {
    invite_links::delete(tx, link.id)?;
    let (prefix, to, role) = audit_fields(link);
    record(tx, Some(by), link, Event::InviteLinkRevoked { link: prefix, to, role })
}

/// Admits the caller by an invite link or by an invitation to their mail address. Following a link
/// again never lowers a role.
///
/// # Errors
/// Returns the same 404 for an unknown, an expired and a revoked invite.
pub fn follow(
    cx: &Context<'_>,
    caller: &Authorized<SignedIn>,
    organization: Option<OrganizationId>,
    invite: &str,
) -> Result<()> {
    let not_found = || Error::not_found("invite");
    let id = organization.ok_or_else(not_found)?;
    let Some(link) = InviteLinkId::parse(invite) else {
        return invitations::accept_as(cx, caller, id, invite);
    };
    let user = cx.user().ok_or_else(not_found)?;
    let reached = cx.caller.person().is_some_and(|person| person.reaches_organization(id));
    let organization = organizations::get(cx.tx, id)?
        .filter(|organization| reached && organization.invite_links)
        .ok_or_else(not_found)?;
    let link = invite_links::get(cx.tx, id, link, cx.now())?.ok_or_else(not_found)?;
    let to = Destination::of(cx.tx, &link)?.ok_or_else(not_found)?;
    // A link to a space or a collection makes new members guests of the organization.
    let role = link.role.filter(|_| matches!(to, Destination::Organization));
    admit(cx, organization.id, user, role, JoinMethod::Link)?
        .then_some(())
        .ok_or_else(not_found)?;
    match (link.role, to) {
        (Some(role), Destination::Space(space)) => permissions::raise(cx, &space, user, role),
        (Some(role), Destination::Collection(collection)) => {
            permissions::raise(cx, &collection, user, role)
        }
        _ => Ok(()),
    }
}

/// Makes a user a member with this role, or raises the role of a member. Returns `false` for
/// disabled members, who cannot be admitted.
fn admit(
    cx: &Context<'_>,
    organization: OrganizationId,
    user: UserId,
    role: Option<Role>,
    by: JoinMethod,
) -> Result<bool> {
    let Some(row) = members::get(cx.tx, organization, user)? else {
        return add_member(cx, organization, user, role, by);
    };
    if row.member.disabled {
        return Ok(false);
    }
    let before = row.member;
    if role > before.role {
        members::update(cx.tx, organization, user, Member { role, ..before })?;
        let word = |role: Option<Role>| role.map(Role::as_str);
        let change = FieldChange::of("role", &word(before.role), &word(role))?;
        let changes = change.into_iter().collect();
        let event = NewEvent::new(Event::MemberUpdated { user, changes }).by(cx.user());
        cx.tx.record(&event.organization(organization))?;
    }
    Ok(true)
}

/// Returns the fields of a link for audit events: the start of its id, its destination and its
/// role.
fn audit_fields(link: &InviteLink) -> (String, Option<String>, Option<Role>) {
    let to = match link.to {
        InviteTarget::Organization => None,
        InviteTarget::Space(id) => Some(format!("space:{id}")),
        InviteTarget::Collection(id) => Some(format!("collection:{id}")),
    };
    (link.id.as_str().chars().take(AUDIT_PREFIX).collect(), to, link.role)
}

fn record(tx: &Tx<'_>, by: Option<UserId>, link: &InviteLink, event: Event) -> Result<()> {
    let space = match link.to {
        InviteTarget::Space(id) => Some(id),
        _ => None,
    };
    let event = NewEvent::new(event).by(by).organization(link.organization);
    tx.record(&event.space(space))?;
    Ok(())
}
