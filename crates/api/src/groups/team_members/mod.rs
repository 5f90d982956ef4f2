//! Group `team-members`.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::people::team_members::{self, TeamMembersPatch};
use bindery_app::people::teams::TeamRow;
use bindery_model::Result;
use bindery_wire::request::{AddMemberToOrganizationTeamByIdBody, UpdateMembersInOrganizationTeam};

use crate::call::Call;
use crate::closed_sets::team_role_of;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listTeamMembersInOrganizationById", Action::ViewTeam, list),
        write("updateMembersInOrganizationTeam", Action::ManageTeam, update),
        write("addMemberToOrganizationTeamById", Action::ManageTeam, add),
        write("deleteMemberFromOrganizationTeamById", Action::ManageTeam, delete),
    ]
}

fn list(cx: &Context<'_>, team: &Authorized<TeamRow>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let rows = team_members::list(cx, team, page.after_time(), page.rows())?;
    let list = page.list_of(
        rows,
        team.team.members,
        |row| time_position(row.joined_at, row.user),
        |rows| {
            let views = team_members::views(cx, team, rows)?.into_iter();
            Ok(views.map(|view| present::team_member(cx.app, view)).collect())
        },
    )?;
    Reply::json(200, &list)
}

fn update(cx: &Context<'_>, team: &Authorized<TeamRow>, call: &Call) -> Result<Reply> {
    let UpdateMembersInOrganizationTeam { add, memberships, remove } = call.body()?;
    let memberships = memberships.unwrap_or_default().into_iter();
    let patch = TeamMembersPatch {
        add: add.unwrap_or_default(),
        memberships: memberships.map(|(user, member)| (user, team_role_of(member.role))).collect(),
        remove: remove.unwrap_or_default(),
    };
    team_members::update(cx, team, &patch)?;
    Ok(Reply::empty(204))
}

fn add(cx: &Context<'_>, team: &Authorized<TeamRow>, call: &Call) -> Result<Reply> {
    let AddMemberToOrganizationTeamByIdBody { role: given } = call.body()?;
    team_members::put(cx, team, call.path("userId"), given.map(team_role_of))?;
    Ok(Reply::empty(204))
}

fn delete(cx: &Context<'_>, team: &Authorized<TeamRow>, call: &Call) -> Result<Reply> {
    team_members::delete(cx, team, call.path("userId"))?;
    Ok(Reply::empty(205))
}
