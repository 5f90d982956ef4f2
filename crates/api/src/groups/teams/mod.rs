//! Group `teams`.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::people::organizations::Organization;
use bindery_app::people::teams::{self, TeamQuery, TeamRow, VisibleTeam};
use bindery_model::{Result, Role};
use bindery_wire::request::{CreateOrganizationTeamBody, UpdateTeamInOrganizationByIdBody};

use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listTeamsInOrganizationById", Action::ViewOrganization, list),
        write("createOrganizationTeam", Action::CreateTeam, create),
        read("getTeamInOrganizationById", Action::ViewTeam, get),
        write("updateTeamInOrganizationById", Action::ManageTeam, update),
        write("removeTeamFromOrganizationById", Action::ManageTeam, delete),
    ]
}

fn list(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let query = TeamQuery { owner: call.query().text("owner"), title: call.query().text("title") };
    let (seen, count) = teams::list(cx, organization, query, page.after_time(), page.rows())?;
    let list = page.list(
        seen,
        count,
        |seen| time_position(seen.row.team.created_at, seen.row.team.id),
        |seen| Ok(present::team(seen)),
    )?;
    Reply::json(200, &list)
}

fn create(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let CreateOrganizationTeamBody { title, members } = call.body()?;
    let row = teams::create(cx, organization, &title, &members.unwrap_or_default())?;
    let (of, team) = (organization.id, row.team.id);
    let location = cx.app.urls.api(format_args!("/orgs/{of}/teams/{team}"));
    let seen = VisibleTeam { row, role: Role::Admin };
    Ok(Reply::json(201, &present::team(seen))?.with_location(location))
}

fn get(_: &Context<'_>, team: &Authorized<TeamRow>, _: &Call) -> Result<Reply> {
    let seen = VisibleTeam { row: TeamRow::clone(team), role: team.role() };
    Reply::json(200, &present::team(seen))
}

fn update(cx: &Context<'_>, team: &Authorized<TeamRow>, call: &Call) -> Result<Reply> {
    let UpdateTeamInOrganizationByIdBody { title } = call.body()?;
    let seen = VisibleTeam { row: teams::update(cx, team, &title)?, role: team.role() };
    Reply::json(200, &present::team(seen))
}

fn delete(cx: &Context<'_>, team: &Authorized<TeamRow>, _: &Call) -> Result<Reply> {
    teams::delete(cx, team)?;
    Ok(Reply::empty(205))
}
