//! Teams of organizations.

use std::collections::BTreeMap;

use bindery_model::{FieldPath, OrganizationId, Result, Role, TeamId, TeamRole, Timestamp, UserId};
use bindery_store::organizations::Organization;
use bindery_store::team_members::{self, MemberTeamFilter};
use bindery_store::teams::{self, TeamFilter};
pub use bindery_store::teams::{Team, TeamRow};
use bindery_store::{Event, NewEvent, TeamSettings};

use crate::access::{self, Authorized, ManagedTeams, MemberTarget, Membership, Person};
use crate::people::team_members::named_members;
use crate::{Context, text};

/// Maximum length of a title, in characters.
const TITLE: usize = 64;
/// Maximum number of characters that case folding produces from one character.
const FOLDED: usize = 3;

/// A team with the caller's role on it.
#[derive(Clone, Debug)]
pub struct VisibleTeam {
    /// The team.
    pub row: TeamRow,
    /// The caller's role.
    pub role: Role,
}

/// Creates a team with these members of the organization.
///
/// # Errors
/// Returns 400 if the title is invalid or a user is not a member of the organization.
pub fn create(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    title: &str,
    members: &[String],
) -> Result<TeamRow> {
    let title = text::title("/title", title, 1, TITLE)?;
    let named =
        members.iter().enumerate().map(|(index, id)| (FieldPath::new("/members").field(index), id));
    let users = named_members(cx.tx, organization.id, named)?;
    let team = Team {
        id: TeamId::random(&cx.app.entropy),
        organization: organization.id,
        title,
        members: i64::try_from(users.len()).unwrap_or_default(),
        created_at: cx.now(),
    };
    teams::create(cx.tx, &team, &text::folded(&team.title))?;
    let members: BTreeMap<UserId, TeamRole> =
        users.into_iter().map(|user| (user, TeamRole::Member)).collect();
    team_members::change(cx.tx, team.id, &BTreeMap::new(), &members, cx.now())?;
    let own = cx.user().and_then(|user| members.get(&user)).copied();
    record(cx, &team, Event::TeamCreated { team: team.id, title: team.title.clone(), members })?;
    Ok(TeamRow { team, spaces: 0, own })
}

/// Changes the title of a team.
///
/// # Errors
/// Returns 400 if the title is invalid.
pub fn update(cx: &Context<'_>, row: &TeamRow, title: &str) -> Result<TeamRow> {
    let title = text::title("/title", title, 1, TITLE)?;
    let team = Team { title, ..row.team.clone() };
    if team.title != row.team.title {
        teams::rename(cx.tx, team.id, &team.title, &text::folded(&team.title))?;
        let settings = |team: &Team| TeamSettings { title: team.title.clone() };
        let (before, after) = (settings(&row.team), settings(&team));
        record(cx, &team, Event::TeamUpdated { team: team.id, before, after })?;
    }
    Ok(TeamRow { team, ..row.clone() })
}

/// Deletes a team with its grants.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(cx: &Context<'_>, row: &TeamRow) -> Result<()> {
    let team = &row.team;
    let granted = teams::get_grants(cx.tx, team.id)?;
    let event = Event::TeamDeleted {
        team: team.id,
        title: team.title.clone(),
        members: team_members::all(cx.tx, team.id)?,
        spaces: granted.spaces,
        collections: granted.collections,
        sites: granted.sites,
    };
    teams::delete(cx.tx, team.id)?;
    record(cx, team, event)
}

pub(crate) fn record(cx: &Context<'_>, team: &Team, event: Event) -> Result<()> {
    cx.tx.record(&NewEvent::new(event).by(cx.user()).organization(team.organization))?;
    Ok(())
}

/// The requested filter of a list of teams.
#[derive(Clone, Copy, Debug, Default)]
pub struct TeamQuery<'a> {
    /// Lists only teams that this member manages.
    pub owner: Option<&'a str>,
    /// Lists only teams whose title contains this text, ignoring case.
    pub title: Option<&'a str>,
}

/// Returns the folded title that a filter searches for; `None` if no team can match.
fn sought(title: Option<&str>) -> Option<Option<String>> {
    let sought = title.map(text::folded).filter(|title| !title.is_empty());
    let possible = sought.as_ref().is_none_or(|title| title.chars().count() <= TITLE * FOLDED);
    possible.then_some(sought)
}

/// The calling person and their membership in the organization.
struct TeamViewer<'a> {
    person: &'a Person,
    membership: Membership,
    default_role: Option<Role>,
}

impl<'a> TeamViewer<'a> {
    fn of(cx: &Context<'a>, organization: OrganizationId) -> Result<Option<Self>> {
        let Some(person) = cx.caller.person() else {
            return Ok(None);
        };
        let (membership, default_role) = access::membership(cx.tx, person, organization)?;
        Ok(Some(Self { person, membership, default_role }))
    }

    fn seen(&self, row: TeamRow) -> Option<VisibleTeam> {
        let role = access::role_in_team(self.person, self.membership, self.default_role, row.own)?;
        Some(VisibleTeam { row, role })
    }

    /// Returns `true` if the caller can see teams. Tokens that are limited to spaces cannot.
    fn sees_teams(&self) -> bool {
        self.person.spaces.is_empty()
    }

    fn is_guest(&self) -> bool {
        self.membership == Membership::Guest
    }
}

/// Returns the teams of an organization that the caller sees, oldest first, and their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    asked: TeamQuery<'_>,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<VisibleTeam>, i64)> {
    let nothing = || Ok((Vec::new(), 0));
    let viewer = TeamViewer::of(cx, organization.id)?.filter(TeamViewer::sees_teams);
    let (Some(viewer), Some(title)) = (viewer, sought(asked.title)) else {
        return nothing();
    };
    let owner = match asked.owner.map(UserId::parse) {
        None => None,
        Some(None) => return nothing(),
        Some(Some(owner)) => match access::managed_teams(cx.tx, owner, organization.id)? {
            ManagedTeams::All => None,
            ManagedTeams::Owned => Some(owner),
            ManagedTeams::None => return nothing(),
        },
    };
    let filter = TeamFilter {
        organization: organization.id,
        caller: viewer.person.user,
        member: viewer.is_guest().then_some(viewer.person.user),
        owner,
        title: title.as_deref(),
    };
    let count = teams::count(cx.tx, &filter)?;
    let found = teams::list(cx.tx, &filter, after, rows)?;
    Ok((found.into_iter().filter_map(|row| viewer.seen(row)).collect(), count))
}

/// A team of a member, with the member's role in it.
#[derive(Clone, Debug)]
pub struct TeamOfMember {
    /// The team, as the caller sees it.
    pub seen: VisibleTeam,
    /// The member's role in the team.
    pub role: TeamRole,
}

/// Returns the teams of a member, ordered by id, after the given one, and their number.
///
/// # Errors
/// Returns 404 if the caller cannot see teams.
pub fn list_of_member(
    cx: &Context<'_>,
    target: &Authorized<MemberTarget>,
    title: Option<&str>,
    after: Option<&str>,
    rows: u32,
) -> Result<(Vec<TeamOfMember>, i64)> {
    let missing = || bindery_model::Error::not_found("member");
    let organization = target.organization;
    let viewer =
        TeamViewer::of(cx, organization)?.filter(TeamViewer::sees_teams).ok_or_else(missing)?;
    let Some(title) = sought(title) else {
        return Ok((Vec::new(), 0));
    };
    let of = MemberTeamFilter {
        organization,
        user: target.row.user,
        caller: viewer.person.user,
        title: title.as_deref(),
    };
    let count = team_members::count_of_user(cx.tx, &of)?;
    let found = team_members::list_of_user(cx.tx, &of, after, rows)?;
    let teams = found
        .into_iter()
        .filter_map(|(row, role)| Some(TeamOfMember { seen: viewer.seen(row)?, role }));
    Ok((teams.collect(), count))
}
