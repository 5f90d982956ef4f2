//! `listInvitations`, `deleteInvitation`, `acceptInvitation`: invitations by mail. They also work
//! on a server that sends no mail.

use bindery_app::Context;
use bindery_app::access::{Action, Anyone, Authorized};
use bindery_app::people::organization_invites::{self, Accept, Accepted};
use bindery_app::people::organizations::Organization;
use bindery_model::{InvitationId, Result};
use bindery_wire::request::AcceptInvitation;
use bindery_wire::response::AcceptedInvitation;

use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listInvitations", Action::ManageMembers, list),
        write("deleteInvitation", Action::ManageMembers, delete),
        write("acceptInvitation", Action::Call, accept),
    ]
}

fn list(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (found, count) =
        organization_invites::list_invitations(cx, organization, page.after_time(), page.rows())?;
    let list = page.list(
        found,
        count,
        |view| time_position(view.invitation.created_at, view.invitation.id),
        |view| Ok(present::invitation(cx.app, view)),
    )?;
    Ok(Reply::json(200, &list)?.without_caching())
}

fn delete(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let id = InvitationId::parse(call.path("invitationId"));
    organization_invites::delete_invitation(cx, organization, id)?;
    Ok(Reply::empty(205))
}

fn accept(cx: &Context<'_>, _: &Authorized<Anyone>, call: &Call) -> Result<Reply> {
    let AcceptInvitation { invitation, display_name, token } = call.body()?;
    let how = Accept { secret: invitation, display_name, token: token == Some(true) };
    let Accepted { organization, user, token, lineage: _ } =
        organization_invites::accept(cx, &how)?;
    let user = present::user(cx.app, user);
    let hint = token.is_some().then(|| "sign in and create a token".to_owned());
    let answer = AcceptedInvitation { organization: organization.to_string(), user, token };
    Ok(Reply { secret: hint, ..Reply::json(200, &answer)?.without_caching() })
}
