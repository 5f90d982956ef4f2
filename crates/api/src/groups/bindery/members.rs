//! `updateMemberAccess`: disables and re-enables a member.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized, MemberTarget};
use bindery_app::people::members::{self, MemberPatch, MemberView};
use bindery_model::Result;
use bindery_wire::request::UpdateMemberAccessBody;

use crate::call::Call;
use crate::operation::{Operation, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("updateMemberAccess", Action::ManageMembers, run)
}

fn run(cx: &Context<'_>, target: &Authorized<MemberTarget>, call: &Call) -> Result<Reply> {
    let UpdateMemberAccessBody { disabled } = call.body()?;
    let patch = MemberPatch { role: None, disabled: Some(disabled) };
    let MemberView { row, user } = members::update(cx, target, patch)?;
    Reply::json(200, &present::member(cx.app, row, user))
}
