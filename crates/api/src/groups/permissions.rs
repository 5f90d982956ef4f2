//! Groups `space-users`, `space-teams`, `collection-users`, `collection-teams`, `site-users` and
//! `site-teams`: the permissions on spaces, collections and sites.

use bindery_app::access::permissions::{self, Grantee, Granting, UserAccessView};
use bindery_app::access::{Action, Authorized, Sources};
use bindery_app::content::collections::Collection;
use bindery_app::content::spaces::Space;
use bindery_app::publishing::sites::SiteTarget;
use bindery_app::{Context, Tx};
use bindery_model::{Error, ErrorKind, FieldPath, Result, Role, TeamId, UserId};
use bindery_wire::Patch;
use bindery_wire::request::UpdateUserPermissionInSpaceBody;
use bindery_wire::response::{
    ListTeamPermissionsInSpaceResponseItem, OrganizationPointer, UserSitePermission,
    UserSitePermissionOrigin,
};
use bindery_wire::values::MemberRole;
use serde::Deserialize;

use crate::call::Call;
use crate::closed_sets::{member_role, role_of};
use crate::lists::{Page, time_position};
use crate::operation::{Operation, PathTarget, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("inviteToSpace", Action::ManagePermissions, invite::<Space>),
        read("listUserPermissionsInSpace", Action::ViewPermissions, list_users::<Space>),
        write("updateUserPermissionInSpace", Action::ManagePermissions, update_user::<Space>),
        write("removeUserFromSpace", Action::ManagePermissions, remove_user::<Space>),
        read("listPermissionsAggregateInSpace", Action::ViewPermissions, list_all::<Space>),
        read("listTeamPermissionsInSpace", Action::ViewPermissions, list_teams::<Space>),
        write("updateTeamPermissionInSpace", Action::ManagePermissions, update_team::<Space>),
        write("removeTeamFromSpace", Action::ManagePermissions, remove_team::<Space>),
        write("inviteToCollection", Action::ManagePermissions, invite::<Collection>),
        read("listUserPermissionsInCollection", Action::ViewPermissions, list_users::<Collection>),
        write(
            "updateUserPermissionInCollection",
            Action::ManagePermissions,
            update_user::<Collection>,
        ),
        write("removeUserFromCollection", Action::ManagePermissions, remove_user::<Collection>),
        read(
            "listPermissionsAggregateInCollection",
            Action::ViewPermissions,
            list_all::<Collection>,
        ),
        read("listTeamPermissionsInCollection", Action::ViewPermissions, list_teams::<Collection>),
        write(
            "updateTeamPermissionInCollection",
            Action::ManagePermissions,
            update_team::<Collection>,
        ),
        write("removeTeamFromCollection", Action::ManagePermissions, remove_team::<Collection>),
        write("inviteToSite", Action::ManagePermissions, invite::<SiteTarget>),
        read("listUserPermissionsInSite", Action::ViewPermissions, list_users::<SiteTarget>),
        write("updateUserPermissionInSite", Action::ManagePermissions, update_user::<SiteTarget>),
        write("removeUserFromSite", Action::ManagePermissions, remove_user::<SiteTarget>),
        read("listPermissionsAggregateInSite", Action::ViewPermissions, list_all_in_site),
        read("listTeamPermissionsInSite", Action::ViewPermissions, list_teams::<SiteTarget>),
        write("updateTeamPermissionInSite", Action::ManagePermissions, update_team::<SiteTarget>),
        write("removeTeamFromSite", Action::ManagePermissions, remove_team::<SiteTarget>),
    ]
}

/// A space or a collection, with the sources of the permissions there.
trait GrantTarget: Granting + PathTarget {
    fn sources(&self, tx: &Tx<'_>) -> Result<Sources>;
}

impl GrantTarget for Space {
    fn sources(&self, tx: &Tx<'_>) -> Result<Sources> {
        Sources::of_space(tx, self)
    }
}

impl GrantTarget for Collection {
    fn sources(&self, tx: &Tx<'_>) -> Result<Sources> {
        Sources::of_collection(tx, self)
    }
}

/// The contract's `InviteUsersAndTeams` and `InviteSiteUsersAndTeams`, whose variants may be combined.
#[derive(Deserialize)]
struct Invitation {
    role: Option<MemberRole>,
    #[serde(default)]
    users: Vec<String>,
    #[serde(default)]
    teams: Vec<String>,
}

fn invite<T: Granting>(cx: &Context<'_>, on: &Authorized<T>, call: &Call) -> Result<Reply> {
    let Invitation { role: new_role, users, teams } = call.body()?;
    // Null means no role, as for a guest: the grant is removed.
    let new_role = new_role.map(role_of);
    for (index, user) in users.iter().enumerate() {
        let known = match UserId::parse(user) {
            Some(id) => Some(id),
            None if user.contains('@') => {
                permissions::user_by_email(cx, FieldPath::new("/users").field(index), user)?
            }
            None => None,
        };
        let grantee = known.map(Grantee::User);
        grant(cx, on, grantee, new_role, &format!("body at /users/{index}: the member {user:?}"))?;
    }
    for (index, team) in teams.iter().enumerate() {
        let grantee = TeamId::parse(team).map(Grantee::Team);
        grant(cx, on, grantee, new_role, &format!("body at /teams/{index}: the team {team:?}"))?;
    }
    Ok(Reply::empty(204))
}

fn grant<T: Granting>(
    cx: &Context<'_>,
    on: &Authorized<T>,
    grantee: Option<Grantee>,
    role: Option<Role>,
    what: &str,
) -> Result<()> {
    let grantee = grantee.ok_or_else(|| Error::not_found(what))?;
    match permissions::set(cx, on, grantee, role) {
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Error::not_found(what)),
        done => done,
    }
}

/// Sets the role in the body. Null removes the grant, and without a role nothing changes.
fn update<T: Granting>(
    cx: &Context<'_>,
    on: &Authorized<T>,
    grantee: Grantee,
    call: &Call,
) -> Result<Reply> {
    let UpdateUserPermissionInSpaceBody { role: new_role } = call.body()?;
    match new_role {
        Patch::Absent => permissions::require_known(cx, &**on, grantee)?,
        Patch::Null => permissions::set(cx, on, grantee, None)?,
        Patch::Value(new_role) => permissions::set(cx, on, grantee, Some(role_of(new_role)))?,
    }
    Ok(Reply::empty(204))
}

fn update_user<T: Granting>(cx: &Context<'_>, on: &Authorized<T>, call: &Call) -> Result<Reply> {
    let user = UserId::parse(call.path("userId")).ok_or_else(|| Error::not_found("member"))?;
    update(cx, on, Grantee::User(user), call)
}

fn update_team<T: Granting>(cx: &Context<'_>, on: &Authorized<T>, call: &Call) -> Result<Reply> {
    let team = TeamId::parse(call.path("teamId")).ok_or_else(|| Error::not_found("team"))?;
    update(cx, on, Grantee::Team(team), call)
}

fn remove<T: Granting>(
    cx: &Context<'_>,
    on: &Authorized<T>,
    grantee: Option<Grantee>,
) -> Result<Reply> {
    let removed = match grantee {
        Some(grantee) => permissions::remove(cx, on, grantee)?,
        None => false,
    };
    Ok(Reply::empty(if removed { 205 } else { 204 }))
}

fn remove_user<T: Granting>(cx: &Context<'_>, on: &Authorized<T>, call: &Call) -> Result<Reply> {
    remove(cx, on, UserId::parse(call.path("userId")).map(Grantee::User))
}

fn remove_team<T: Granting>(cx: &Context<'_>, on: &Authorized<T>, call: &Call) -> Result<Reply> {
    let team = TeamId::parse(call.path("teamId"));
    let reply = remove(cx, on, team.map(Grantee::Team))?;
    if reply.status == 204
        && let Some(team) = team
        && let Some(above) = permissions::inherited_by_team(cx, &**on, team)?
    {
        return Err(Error::invalid(format!(
            "the team has its permission from the collection {}: take it back there",
            above.id
        )));
    }
    Ok(reply)
}

fn list_users<T: Granting>(cx: &Context<'_>, on: &Authorized<T>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (rows, count) = permissions::users(cx, &**on, page.after(), page.rows())?;
    let list = page.list(
        rows,
        count,
        |(user, _)| user.id.to_string(),
        |(user, role)| Ok(present::user_permission(cx.app, user, role, None)),
    )?;
    Reply::json(200, &list)
}

fn list_teams<T: Granting>(cx: &Context<'_>, on: &Authorized<T>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (rows, count) = permissions::teams(cx, &**on, page.after(), page.rows())?;
    let list = page.list(
        rows,
        count,
        |(seen, _)| seen.row.team.id.to_string(),
        |(seen, role)| {
            Ok(ListTeamPermissionsInSpaceResponseItem {
                permission: member_role(role),
                team: present::team(seen),
            })
        },
    )?;
    Reply::json(200, &list)
}

fn list_all<T: GrantTarget>(cx: &Context<'_>, on: &Authorized<T>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let only = call.query().text("role").and_then(Role::parse);
    let (rows, count) =
        permissions::list_user_access(cx, &**on, only, page.after_time(), page.rows())?;
    let list = page.list_of(
        rows,
        count,
        |row| time_position(row.joined_at, row.user.id),
        |rows| {
            let ids: Vec<UserId> = rows.iter().map(|row| row.user.id).collect();
            let mut sources = on.sources(cx.tx)?.of(cx.tx, &ids)?;
            let responses = rows.into_iter().map(|UserAccessView { user, role, joined_at: _ }| {
                let sources = sources.remove(&user.id);
                present::user_permission(cx.app, user, role, sources)
            });
            Ok(responses.collect())
        },
    )?;
    Reply::json(200, &list)
}

/// Lists all people with a role on a site. The origin of the roles is the organization of the site.
fn list_all_in_site(cx: &Context<'_>, on: &Authorized<SiteTarget>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (rows, count) =
        permissions::list_user_access(cx, &**on, None, page.after_time(), page.rows())?;
    let list = page.list(
        rows,
        count,
        |row| time_position(row.joined_at, row.user.id),
        |UserAccessView { user, role, joined_at: _ }| {
            let organization = on.0.organization.to_string();
            Ok(UserSitePermission {
                permission: Some(member_role(role)),
                user: present::user(cx.app, user),
                origin: UserSitePermissionOrigin::OrganizationPointer(OrganizationPointer {
                    organization,
                }),
            })
        },
    )?;
    Reply::json(200, &list)
}
