//! Invitations of a mail address. An invitation can be accepted once, by the owner of the address,
//! and expires.

use std::collections::{HashMap, HashSet};

use bindery_model::{
    Error, FieldPath, InvitationId, OrganizationId, Result, Role, Timestamp, UserId,
};
use bindery_store::invitations::{self, Invitation};
use bindery_store::organizations::{self, Organization};
use bindery_store::users::{self as people, User};
use bindery_store::{Event, JoinMethod, NewEvent, members};

use super::{admit, invitation_mail};
use crate::access::{Action, Authorized, Lineage, Person, SignedIn, authorize_target};
use crate::secrets::InvitedBy;
use crate::{Context, people::tokens, people::users, text};

/// Lifetime of an invitation, in milliseconds: 14 days.
const LIFETIME: i64 = 14 * 24 * 60 * 60 * 1000;
/// Maximum number of mail addresses in one request.
const MAX_INVITEES: usize = 200;

/// A person to invite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invitee {
    /// The mail address.
    pub email: String,
    /// The role, if it differs from the common role of the request; `Some(None)`: a guest.
    pub role: Option<Option<Role>>,
}

/// The result of inviting a list of addresses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Invited {
    /// The invitees who are already members.
    pub users: Vec<UserId>,
    /// Number of invitations created.
    pub invited: u64,
    /// Addresses that cannot sign in through a provider, although the request asked for that.
    pub failed_sso_emails: Vec<String>,
}

/// Invites people. Members are not changed, and a new invitation replaces an earlier one to the
/// same address.
///
/// # Errors
/// Returns 400 with the invalid address.
pub fn invite(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    invitees: &[Invitee],
    role: Option<Option<Role>>,
    sso: bool,
) -> Result<Invited> {
    if invitees.len() > MAX_INVITEES {
        return Err(Error::invalid(format!(
            "found {}, allowed: at most {MAX_INVITEES}",
            invitees.len()
        ))
        .at(FieldPath::new("/emails")));
    }
    let mut emails = Vec::with_capacity(invitees.len());
    for (index, invitee) in invitees.iter().enumerate() {
        emails.push(text::email(FieldPath::new("/emails").field(index), &invitee.email)?);
    }
    if sso {
        // There is no provider to sign in through.
        return Ok(Invited { failed_sso_emails: emails, ..Invited::default() });
    }
    let mut done = Invited::default();
    let mut seen = HashSet::new();
    for (invitee, email) in invitees.iter().zip(emails) {
        if !seen.insert(email.to_lowercase()) {
            continue;
        }
        if let Some(user) = people::get_by_email(cx.tx, &email)?
            && members::get(cx.tx, organization.id, user.id)?.is_some()
        {
            done.users.push(user.id);
            continue;
        }
        let role = invitee.role.or(role).unwrap_or(organization.default_role);
        create(cx, organization.id, email, role)?;
        done.invited += 1;
    }
    Ok(done)
}

/// Invites one mail address, also one that belongs to a user. Replaces an earlier invitation to
/// the same address.
pub(crate) fn create(
    cx: &Context<'_>,
    organization: OrganizationId,
    email: String,
    role: Option<Role>,
) -> Result<InvitationId> {
    let invitation = Invitation {
        id: InvitationId::random(&cx.app.entropy),
        organization,
        email,
        role,
        invited_by: cx
            .user()
            .ok_or_else(|| Error::internal("an invitation is created without a user"))?,
        created_at: cx.now(),
        expires_at: cx.lineage().bound(cx.now().plus_millis(LIFETIME)),
        sent_at: None,
        token: cx.lineage().token,
    };
    invitations::set(cx.tx, &invitation)?;
    invitation_mail::enqueue(cx, &invitation)?;
    let event = Event::InvitationCreated {
        invitation: invitation.id,
        email: invitation.email,
        role: invitation.role,
    };
    record(cx, organization, event)?;
    Ok(invitation.id)
}

/// An invitation with the other data of its response.
#[derive(Clone, Debug)]
pub struct InvitationView {
    /// The row.
    pub invitation: Invitation,
    /// The user who created the invitation.
    pub invited_by: User,
    /// The secret that accepts the invitation, for the caller to hand over. `None` if the caller's
    /// credential expires before the invitation, as the secret would outlive it.
    pub secret: Option<String>,
}

/// Lists the pending invitations, oldest first, after the given position, and returns the total
/// number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_invitations(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<InvitationView>, i64)> {
    let count = invitations::count(cx.tx, organization.id, cx.now())?;
    let found = invitations::list(cx.tx, organization.id, cx.now(), after, rows)?;
    let ids: Vec<UserId> = found.iter().map(|one| one.invited_by).collect();
    let inviting: HashMap<UserId, User> = people::get_many(cx.tx, &ids)?;
    let views = found.into_iter().map(|invitation| {
        let invited_by = inviting.get(&invitation.invited_by).cloned();
        Ok(InvitationView {
            secret: cx
                .lineage()
                .expires_at
                .is_none_or(|end| invitation.expires_at <= end)
                .then(|| cx.app.secrets.invitation(invitation.id, InvitedBy::Hand)),
            invited_by: invited_by
                .ok_or_else(|| Error::internal("the inviting user does not exist"))?,
            invitation,
        })
    });
    Ok((views.collect::<Result<_>>()?, count))
}

/// Revokes an invitation.
///
/// # Errors
/// Returns 404 if the organization has no such invitation.
pub fn delete_invitation(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    id: Option<InvitationId>,
) -> Result<()> {
    let found = id.map(|id| invitations::get(cx.tx, id, cx.now())).transpose()?.flatten();
    let found = found.filter(|found| found.organization == organization.id);
    let found = found.ok_or_else(not_found)?;
    invitations::delete(cx.tx, found.id)?;
    let event = Event::InvitationRevoked { invitation: found.id, email: found.email };
    record(cx, organization.id, event)
}

/// A request to accept an invitation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Accept {
    /// The secret of the invitation.
    pub secret: String,
    /// The name of a new account; `None` uses the local part of the mail address.
    pub display_name: Option<String>,
    /// `true` if a new account gets a token.
    pub token: bool,
}

/// The result of accepting an invitation.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The organization.
    pub organization: OrganizationId,
    /// The new member.
    pub user: User,
    /// The token of a new account, if the request asked for one.
    pub token: Option<String>,
    /// The bounds of the first session of a new account.
    pub lineage: Lineage,
}

/// Accepts an invitation. If no user has the mail address, the holder of the secret gets a new
/// account with it; administrators who can read the secret can create users in any case. If a user
/// has the address, only that user can accept, and only while signed in, so the secret of an
/// invitation never gives access to an existing account.
///
/// # Errors
/// Returns 401 if the user of the address must sign in first, and 404 if the invitation is unknown,
/// expired, revoked or for another address.
pub fn accept(cx: &Context<'_>, how: &Accept) -> Result<Accepted> {
    let (invitation, way) = find(cx, &how.secret)?;
    let account = people::get_by_email(cx.tx, &invitation.email)?;
    let lineage = tokens::handed_over_by(cx.tx, invitation.token)?;
    let (user, token) = match (account, cx.caller.person()) {
        (Some(_), None) => {
            return Err(Error::unauthenticated(
                "there is an account with this mail address: sign in to accept the invitation",
            ));
        }
        (Some(account), Some(person)) => {
            authorize_target::<SignedIn>(cx.tx, cx.caller, Action::JoinOrganization, Some(&()))?;
            if how.token {
                return Err(
                    Error::conflict("only a new account gets a token").at(FieldPath::new("/token"))
                );
            }
            (own(cx, person, account, &invitation, way)?, None)
        }
        (None, Some(_)) => return Err(not_found()),
        (None, None) => {
            let name = how.display_name.as_deref().unwrap_or_default();
            let user = users::store(cx.tx, cx.app, &invitation.email, name)?;
            let user = if way == InvitedBy::Mail {
                users::verify(cx.tx, cx.now(), user, None)?
            } else {
                user
            };
            let at = (&*cx.app.entropy, cx.now());
            let token = how.token.then(|| tokens::issue_first(cx.tx, at, user.id, lineage));
            let token = token.transpose()?;
            (user, token)
        }
    };
    enter(cx, &invitation, &user)?;
    Ok(Accepted { organization: invitation.organization, user, token, lineage })
}

/// Accepts an invitation to an organization as the signed-in caller.
pub(super) fn accept_as(
    cx: &Context<'_>,
    _: &Authorized<SignedIn>,
    organization: OrganizationId,
    secret: &str,
) -> Result<()> {
    let person = cx.caller.person().ok_or_else(not_found)?;
    let (invitation, way) = find(cx, secret)?;
    let account = people::get_by_email(cx.tx, &invitation.email)?;
    let account = account.filter(|_| invitation.organization == organization);
    let account = account.ok_or_else(not_found)?;
    let user = own(cx, person, account, &invitation, way)?;
    enter(cx, &invitation, &user)
}

fn not_found() -> Error {
    Error::not_found("invite")
}

fn find(cx: &Context<'_>, secret: &str) -> Result<(Invitation, InvitedBy)> {
    let (id, way) = cx.app.secrets.invited(secret).ok_or_else(not_found)?;
    let found = invitations::get(cx.tx, id, cx.now())?.ok_or_else(not_found)?;
    Ok((found, way))
}

/// The data of an invitation that is shown to the holder of its secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvitationDetails {
    /// The organization's title.
    pub organization: String,
    /// The name of the user who created the invitation.
    pub invited_by: String,
    /// The invited mail address.
    pub email: String,
    /// The user who has the address, if there is one.
    pub account: Option<UserId>,
    /// The channel by which the secret was delivered.
    pub way: InvitedBy,
}

/// Returns the invitation of a secret; `None` if it does not exist or is no longer valid.
///
/// # Errors
/// Returns an error if the store fails.
pub fn invitation_details(cx: &Context<'_>, secret: &str) -> Result<Option<InvitationDetails>> {
    let Some((id, way)) = cx.app.secrets.invited(secret) else { return Ok(None) };
    let Some(invitation) = invitations::get(cx.tx, id, cx.now())? else { return Ok(None) };
    let organization = organizations::get(cx.tx, invitation.organization)?;
    let by = people::get(cx.tx, invitation.invited_by)?;
    let account = people::get_by_email(cx.tx, &invitation.email)?.map(|user| user.id);
    Ok(organization.zip(by).map(|(organization, by)| InvitationDetails {
        organization: organization.title,
        invited_by: by.display_name,
        email: invitation.email,
        account,
        way,
    }))
}

/// Returns the account of the invited address if it is the caller's. Marks the address as verified
/// if the secret was delivered by mail.
fn own(
    cx: &Context<'_>,
    person: &Person,
    account: User,
    invitation: &Invitation,
    way: InvitedBy,
) -> Result<User> {
    if account.id != person.user || !person.reaches_organization(invitation.organization) {
        return Err(not_found());
    }
    if way == InvitedBy::Mail && account.verified_at.is_none() {
        return users::verify(cx.tx, cx.now(), account, Some(person.credential));
    }
    Ok(account)
}

/// Admits the user and deletes the invitation.
fn enter(cx: &Context<'_>, invitation: &Invitation, user: &User) -> Result<()> {
    let Invitation { id, organization, role, .. } = invitation;
    if !admit(cx, *organization, user.id, *role, JoinMethod::Invitation)? {
        return Err(not_found());
    }
    invitations::delete(cx.tx, *id)?;
    let event = Event::InvitationAccepted { invitation: *id, user: user.id };
    cx.tx.record(&NewEvent::new(event).by(user.id).organization(*organization))?;
    Ok(())
}

fn record(cx: &Context<'_>, organization: OrganizationId, event: Event) -> Result<()> {
    cx.tx.record(&NewEvent::new(event).by(cx.user()).organization(organization))?;
    Ok(())
}
