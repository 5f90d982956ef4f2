//! `listTeamsForOrganizationMember`: lists the teams of a member.

use bindery_app::access::{Action, Authorized, MemberTarget};
use bindery_app::{Context, people::teams};
use bindery_model::Result;
use bindery_wire::response::{ListTeamsForOrganizationMemberResponseItem, TeamMember};

use crate::call::Call;
use crate::closed_sets::team_role;
use crate::lists::Page;
use crate::operation::{Operation, read};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("listTeamsForOrganizationMember", Action::ViewOrganization, run)
}

fn run(cx: &Context<'_>, target: &Authorized<MemberTarget>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let title = call.query().text("title");
    let (found, count) = teams::list_of_member(cx, target, title, page.after(), page.rows())?;
    let list = page.list(
        found,
        count,
        |found| found.seen.row.team.id.to_string(),
        |found| {
            Ok(ListTeamsForOrganizationMemberResponseItem {
                member: TeamMember { role: team_role(found.role) },
                team: present::team(found.seen),
            })
        },
    )?;
    Reply::json(200, &list)
}
