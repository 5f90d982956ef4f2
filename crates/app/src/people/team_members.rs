//! The members of a team: listing, adding and removing them, and changing their roles.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use bindery_model::{Error, FieldPath, OrganizationId, Result, TeamRole, Timestamp, UserId};
use bindery_store::members::{self, MemberRow};
pub use bindery_store::team_members::TeamMember;
use bindery_store::teams::TeamRow;
use bindery_store::users::{self, User};
use bindery_store::{Event, Tx, team_members as rows};

use crate::Context;
use crate::people::teams::record;

/// Returns the members of an organization that a request names, without duplicates. Each name comes
/// with its JSON pointer in the body.
///
/// # Errors
/// Returns 400 with the location of the first user who is not a member.
pub(crate) fn named_members<'a>(
    tx: &Tx<'_>,
    organization: OrganizationId,
    named: impl Iterator<Item = (FieldPath, &'a String)>,
) -> Result<BTreeSet<UserId>> {
    let refused = |pointer: &FieldPath, id: &str| {
        Error::invalid(format!("found {id:?}, allowed: the id of a member of this organization"))
            .at(pointer)
    };
    let named = named
        .map(|(pointer, id)| match UserId::parse(id) {
            Some(user) => Ok((pointer, user)),
            None => Err(refused(&pointer, id)),
        })
        .collect::<Result<Vec<_>>>()?;
    let users: BTreeSet<UserId> = named.iter().map(|(_, user)| *user).collect();
    let asked: Vec<UserId> = users.iter().copied().collect();
    let known: HashSet<UserId> = members::filter_members(tx, organization, &asked)?;
    match named.iter().find(|(_, user)| !known.contains(user)) {
        Some((pointer, user)) => Err(refused(pointer, user.as_str())),
        None => Ok(users),
    }
}

/// Changes to the members of a team.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TeamMembersPatch {
    /// Users to add; members keep their role.
    pub add: Vec<String>,
    /// Users to add or change, with their roles.
    pub memberships: BTreeMap<String, TeamRole>,
    /// Users to remove.
    pub remove: Vec<String>,
}

/// Applies all changes to the members of a team, or none.
///
/// # Errors
/// Returns 400 if an added user is not a member of the organization, or if a user is both added and
/// removed.
pub fn update(cx: &Context<'_>, row: &TeamRow, patch: &TeamMembersPatch) -> Result<()> {
    let TeamMembersPatch { add, memberships, remove } = patch;
    let leaving: BTreeSet<&str> = remove.iter().map(String::as_str).collect();
    let added = add.iter().enumerate().map(|(index, id)| (FieldPath::new("/add").field(index), id));
    let set = memberships.keys().map(|id| (FieldPath::new("/memberships").field(id), id));
    let named: Vec<(FieldPath, &String)> = added.chain(set).collect();
    if let Some((pointer, id)) = named.iter().find(|(_, id)| leaving.contains(id.as_str())) {
        return Err(Error::invalid(format!(
            "found {id:?}, which is in /remove too, allowed: one of them"
        ))
        .at(pointer));
    }
    let coming = named_members(cx.tx, row.team.organization, named.into_iter())?;
    // An id that is not a user's cannot be a member.
    let leaving = leaving.into_iter().filter_map(UserId::parse);
    let touched: Vec<UserId> = coming.iter().copied().chain(leaving).collect();
    let before = rows::roles(cx.tx, row.team.id, &touched)?;
    let after = coming
        .into_iter()
        .map(|user| {
            let role = memberships.get(user.as_str()).or_else(|| before.get(&user)).copied();
            (user, role.unwrap_or(TeamRole::Member))
        })
        .collect();
    change(cx, row, before, after)
}

fn change(
    cx: &Context<'_>,
    row: &TeamRow,
    mut before: BTreeMap<UserId, TeamRole>,
    mut after: BTreeMap<UserId, TeamRole>,
) -> Result<()> {
    let same: Vec<UserId> = after
        .iter()
        .filter(|(user, role)| before.get(user) == Some(role))
        .map(|(user, _)| *user)
        .collect();
    for user in &same {
        before.remove(user);
        after.remove(user);
    }
    if before.is_empty() && after.is_empty() {
        return Ok(());
    }
    rows::change(cx.tx, row.team.id, &before, &after, cx.now())?;
    record(cx, &row.team, Event::TeamMembersUpdated { team: row.team.id, before, after })
}

/// Adds a user to a team, or changes the role of a member of the team. Without a role, a member
/// keeps the current one.
///
/// # Errors
/// Returns 404 if the user is not a member of the organization.
pub fn put(cx: &Context<'_>, row: &TeamRow, user: &str, role: Option<TeamRole>) -> Result<()> {
    let missing = || Error::not_found("member");
    let user = UserId::parse(user).ok_or_else(missing)?;
    members::get_membership(cx.tx, row.team.organization, user)?.ok_or_else(missing)?;
    let before = rows::roles(cx.tx, row.team.id, &[user])?;
    let role = role.or_else(|| before.get(&user).copied()).unwrap_or(TeamRole::Member);
    change(cx, row, before, BTreeMap::from([(user, role)]))
}

/// Removes a user from a team.
///
/// # Errors
/// Returns 404 if the user is not in the team.
pub fn delete(cx: &Context<'_>, row: &TeamRow, user: &str) -> Result<()> {
    let missing = || Error::not_found("member of the team");
    let user = UserId::parse(user).ok_or_else(missing)?;
    let before = rows::roles(cx.tx, row.team.id, &[user])?;
    if before.is_empty() {
        return Err(missing());
    }
    change(cx, row, before, BTreeMap::new())
}

/// A member of a team for a response.
#[derive(Clone, Debug)]
pub struct TeamMemberView {
    /// The membership of the team.
    pub team: TeamMember,
    /// The membership of the organization.
    pub member: MemberRow,
    /// The user.
    pub user: User,
}

/// Returns the members of a team in the order in which they were added, after the given position.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    row: &TeamRow,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<TeamMember>> {
    Ok(rows::list(cx.tx, row.team.id, after, limit)?)
}

/// Returns the views of these members for a response, in the same order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn views(
    cx: &Context<'_>,
    row: &TeamRow,
    found: Vec<TeamMember>,
) -> Result<Vec<TeamMemberView>> {
    let ids: Vec<UserId> = found.iter().map(|member| member.user).collect();
    let members = members::get_many(cx.tx, row.team.organization, &ids)?;
    let mut people = users::get_many(cx.tx, &ids)?;
    let views = found.into_iter().map(|team| {
        let known = members.get(&team.user).copied().zip(people.remove(&team.user));
        let (member, user) = known.ok_or_else(|| {
            Error::internal("a member of a team is not a member of the organization")
        })?;
        Ok(TeamMemberView { team, member, user })
    });
    views.collect()
}
