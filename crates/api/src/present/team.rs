//! A team and its members.

use bindery_app::App;
use bindery_app::people::team_members::{TeamMember, TeamMemberView};
use bindery_app::people::teams::{Team, TeamRow, VisibleTeam};
use bindery_model::Role;
use bindery_wire::response::{
    self, OrganizationTeam, OrganizationTeamMember, OrganizationTeamMemberPermissions,
    OrganizationTeamPermissions,
};

use super::member;
use crate::closed_sets::team_role;

pub(crate) fn team(seen: VisibleTeam) -> OrganizationTeam {
    let VisibleTeam { row: TeamRow { team, spaces, own: _ }, role } = seen;
    let Team { id, organization: _, title, members, created_at } = team;
    OrganizationTeam {
        id: id.to_string(),
        title,
        members: members.unsigned_abs(),
        spaces: spaces.unsigned_abs(),
        created_at,
        permissions: OrganizationTeamPermissions { admin: role == Role::Admin, view: true },
    }
}

pub(crate) fn team_member(app: &App, view: TeamMemberView) -> OrganizationTeamMember {
    let TeamMemberView { team: TeamMember { user: _, role, joined_at: _ }, member: row, user } =
        view;
    OrganizationTeamMember {
        organization: member(app, row, user),
        team: response::TeamMember { role: team_role(role) },
        permissions: OrganizationTeamMemberPermissions { view: true },
    }
}
