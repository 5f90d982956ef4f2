//! Operations on one member: reading, updating and removing it, and recording its activity.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized, LeavingMember, MemberTarget};
use bindery_app::people::members::{self, MemberPatch, MemberView};
use bindery_app::people::organizations::Organization;
use bindery_model::Result;
use bindery_wire::request::UpdateMemberInOrganizationByIdBody;

use crate::call::Call;
use crate::closed_sets::role_of;
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("getMemberInOrganizationById", Action::ViewOrganization, get),
        write("updateMemberInOrganizationById", Action::ManageMembers, update),
        write("removeMemberFromOrganizationById", Action::RemoveMember, remove),
        write("updateOrganizationMemberLastSeenAt", Action::ViewOrganization, ping),
        write("setUserAsSSOMemberForOrganization", Action::ManageMembers, set_sso),
    ]
}

fn render(cx: &Context<'_>, MemberView { row, user }: MemberView) -> Result<Reply> {
    Reply::json(200, &present::member(cx.app, row, user))
}

fn get(cx: &Context<'_>, target: &Authorized<MemberTarget>, _: &Call) -> Result<Reply> {
    render(cx, members::view(cx, target)?)
}

fn update(cx: &Context<'_>, target: &Authorized<MemberTarget>, call: &Call) -> Result<Reply> {
    let UpdateMemberInOrganizationByIdBody { role } = call.body()?;
    let role = role.change().map(|role| role.map(role_of));
    render(cx, members::update(cx, target, MemberPatch { role, disabled: None })?)
}

fn remove(cx: &Context<'_>, target: &Authorized<LeavingMember>, _: &Call) -> Result<Reply> {
    members::delete(cx, target)?;
    Ok(Reply::empty(205))
}

// The claims in the body are ignored, as visitor sign-in through Bindery is not implemented yet.
fn ping(cx: &Context<'_>, organization: &Authorized<Organization>, _: &Call) -> Result<Reply> {
    render(cx, members::ping(cx, organization)?)
}

fn set_sso(cx: &Context<'_>, target: &Authorized<MemberTarget>, _: &Call) -> Result<Reply> {
    render(cx, members::set_sso(target)?)
}
