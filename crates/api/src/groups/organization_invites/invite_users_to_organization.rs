//! `inviteUsersToOrganization`: invites people by their mail addresses.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::people::organization_invites::{self, Invited, Invitee};
use bindery_app::people::organizations::Organization;
use bindery_model::{Error, Result};
use bindery_wire::request::{
    InviteUsersToOrganization, InviteUsersToOrganizationEmail, InviteUsersToOrganizationEmailEmail,
};
use bindery_wire::response::InviteUsersToOrganizationResponse;

use crate::call::Call;
use crate::closed_sets::role_of;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("inviteUsersToOrganization", Action::ManageMembers, run)
}

fn run(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let InviteUsersToOrganization { emails, role, sso } = call.body()?;
    let invitees: Vec<Invitee> =
        emails.into_iter().enumerate().map(invitee).collect::<Result<_>>()?;
    let role = role.change().map(|role| role.map(role_of));
    let sso = sso == Some(true);
    let Invited { users, invited, failed_sso_emails } =
        organization_invites::invite(cx, organization, &invitees, role, sso)?;
    let answer = InviteUsersToOrganizationResponse {
        users: users.iter().map(ToString::to_string).collect(),
        invited,
        failed_sso_emails: sso.then_some(failed_sso_emails),
    };
    Reply::json(200, &answer)
}

fn invitee((index, given): (usize, InviteUsersToOrganizationEmail)) -> Result<Invitee> {
    match given {
        InviteUsersToOrganizationEmail::Text(email) => Ok(Invitee { email, role: None }),
        InviteUsersToOrganizationEmail::Email(InviteUsersToOrganizationEmailEmail {
            email,
            role,
        }) => {
            let role = role.map(role_of);
            Ok(Invitee { email, role: Some(role) })
        }
        InviteUsersToOrganizationEmail::Other(_) => Err(Error::invalid(format!(
            "body at /emails/{index}: allowed: an email address, or an object with an email \
             address and a role"
        ))),
    }
}
