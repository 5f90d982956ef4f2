//! A member of an organization.

use bindery_app::App;
use bindery_app::people::members::{Member, MemberRow};
use bindery_app::people::users::User;
use bindery_wire::response;

use super::user;
use crate::closed_sets::member_role;

pub(crate) fn member(app: &App, row: MemberRow, who: User) -> response::OrganizationMember {
    let MemberRow { user: id, member, joined_at, last_seen_at, spaces, teams } = row;
    let Member { role, disabled } = member;
    response::OrganizationMember {
        id: id.to_string(),
        role: role.map(member_role),
        user: user(app, who),
        disabled,
        joined_at,
        last_seen_at,
        // Single sign-on is not implemented yet.
        sso: false,
        spaces: spaces.unsigned_abs(),
        teams: teams.unsigned_abs(),
    }
}
