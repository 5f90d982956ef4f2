//! Access to teams.

use bindery_model::{OrganizationId, Result, Role, TeamId, TeamRole, UserId};
use bindery_store::teams::{self, TeamRow};
use bindery_store::{Tx, members};

use super::{Loaded, Membership, Person, Target, TargetKind, membership, role_in_organization};

impl Target for TeamRow {
    const KIND: TargetKind = TargetKind::Team;
    type Key = (OrganizationId, TeamId);

    fn load(
        tx: &Tx<'_>,
        person: Option<&Person>,
        (organization, team): &Self::Key,
    ) -> Result<Option<Loaded<Self>>> {
        let Some(person) = person else {
            return Ok(None);
        };
        let Some(target) = teams::get(tx, *organization, *team, person.user)? else {
            return Ok(None);
        };
        let (membership, default_role) = membership(tx, person, *organization)?;
        let role = role_in_team(person, membership, default_role, target.own);
        Ok(Some(Loaded { target, role }))
    }
}

/// Returns a person's role on a team: administrators of the organization and owners of the team
/// manage it, other members see it, guests see only the teams that they belong to. `role` is the
/// person's role on the organization itself, `own` their role in the team.
fn team_role(membership: Membership, role: Option<Role>, own: Option<TeamRole>) -> Option<Role> {
    match (membership, role?, own) {
        (Membership::Stranger, _, _) | (Membership::Guest, _, None) => None,
        (_, Role::Admin, _) | (_, _, Some(TeamRole::Owner)) => Some(Role::Admin),
        _ => Some(Role::Read),
    }
}

/// Returns a person's role on a team, given the person's membership in the organization. Tokens that
/// are limited to spaces see no team. `own` is the person's role in the team.
pub fn role_in_team(
    person: &Person,
    membership: Membership,
    default_role: Option<Role>,
    own: Option<TeamRole>,
) -> Option<Role> {
    if !person.spaces.is_empty() {
        return None;
    }
    team_role(membership, role_in_organization(person, membership, default_role), own)
}

/// The teams of an organization that a user manages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ManagedTeams {
    /// All teams: the user is an administrator.
    All,
    /// The teams that the user owns.
    Owned,
    /// No team: the user is not a member, or a disabled one.
    None,
}

/// Returns the teams of an organization that a user manages, regardless of the caller.
///
/// # Errors
/// Fails if the store fails.
pub fn managed_teams(
    tx: &Tx<'_>,
    user: UserId,
    organization: OrganizationId,
) -> Result<ManagedTeams> {
    Ok(match members::get_membership(tx, organization, user)? {
        None => ManagedTeams::None,
        Some(standing) if standing.member.disabled => ManagedTeams::None,
        Some(standing) => match standing.member.role {
            Some(role) if Some(role).max(standing.default_role) == Some(Role::Admin) => {
                ManagedTeams::All
            }
            _ => ManagedTeams::Owned,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_on_a_team() {
        let (owner, member) = (Some(TeamRole::Owner), Some(TeamRole::Member));
        let reader = Membership::Member(Role::Read);
        for (membership, role, own, expect) in [
            (Membership::Stranger, None, owner, None),
            (Membership::Guest, Some(Role::Read), None, None),
            (Membership::Guest, Some(Role::Read), member, Some(Role::Read)),
            (Membership::Guest, Some(Role::Read), owner, Some(Role::Admin)),
            (reader, Some(Role::Read), None, Some(Role::Read)),
            (reader, Some(Role::Create), member, Some(Role::Read)),
            (reader, Some(Role::Read), owner, Some(Role::Admin)),
            (Membership::Member(Role::Admin), Some(Role::Admin), None, Some(Role::Admin)),
        ] {
            assert_eq!(team_role(membership, role, own), expect, "{membership:?} {own:?}");
        }
    }
}
