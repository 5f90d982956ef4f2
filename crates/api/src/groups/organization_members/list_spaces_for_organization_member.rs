//! `listSpacesForOrganizationMember`: lists the spaces that a member sees, with the member's role.

use std::sync::Arc;

use bindery_app::access::{self, Action, Authorized};
use bindery_app::content::spaces::Order;
use bindery_app::people::organizations::Organization;
use bindery_app::{Context, content::spaces};
use bindery_model::{Error, Result, Role, UserId};
use bindery_wire::values::MemberRole;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::call::Call;
use crate::closed_sets::member_role;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    // Members may list their own spaces.
    read("listSpacesForOrganizationMember", Action::ViewOrganization, run)
        .additional_action(Action::ManageMembers)
}

/// `MemberContentPermission` with a space that is serialized already.
#[derive(Serialize)]
struct Permission {
    permission: MemberRole,
    space: Arc<RawValue>,
}

fn run(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let user = UserId::parse(call.path("userId"));
    if user.is_none() || user != cx.user() {
        if organization.role() != Role::Admin {
            return Err(Error::forbidden(
                "you may not see the access of other members: it needs the permission admin",
            ));
        }
        access::require_scope(cx.caller, Action::ManageMembers)?;
    }
    let user = user.ok_or_else(|| Error::not_found("member"))?;
    let order = match call.query().text("order") {
        Some("asc") => Order::OldestFirst,
        _ => Order::NewestFirst,
    };
    let (seen, count) =
        spaces::list_of_member(cx, organization.id, user, order, page.after_time(), page.rows())?;
    let list = page.list_of(
        seen,
        count,
        |seen| time_position(seen.space.created_at, seen.space.id),
        |rows| {
            let roles: Vec<Role> = rows.iter().map(|seen| seen.role).collect();
            let shown = present::spaces(cx, spaces::seen_by_caller(cx, organization.id, rows)?)?;
            let shown = shown.into_iter().zip(roles);
            let with = |(space, role)| Permission { permission: member_role(role), space };
            Ok(shown.map(with).collect::<Vec<_>>())
        },
    )?;
    Reply::json(200, &list)
}
