//! Teams: who sees one, and who manages it.

use bindery_model::{OrganizationId, Result, Role, TeamId, TeamRole, UserId};
use bindery_store::teams::{self, TeamRow};
use bindery_store::{Tx, members};

use super::{Loaded, Membership, Person, Target, membership, role_in_organization};

impl Target for TeamRow {
    const NOUN: &'static str = "team";
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

/// Returns a person's level on a team: administrators of the organization and owners of the team
/// manage it, other members see it, guests see their own teams. `role` is the level on the
/// organization itself.
fn team_role(membership: Membership, role: Option<Role>, own: Option<TeamRole>) -> Option<Role> {
    match (membership, role?, own) {
        (Membership::Stranger, _, _) | (Membership::Guest, _, None) => None,
        (_, Role::Admin, _) | (_, _, Some(TeamRole::Owner)) => Some(Role::Admin),
        _ => Some(Role::Read),
    }
}

/// A person's level on a team, where what the person is to the organization is known. A token that
/// is limited to spaces sees none.
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

/// Which teams of an organization somebody manages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ManagedTeams {
    /// All: an administrator.
    All,
    /// Those that they own.
    Owned,
    /// None: a stranger, or a disabled member.
    None,
}

/// Which teams of an organization somebody manages, whoever asks.
///
/// # Errors
/// When the store fails.
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
