//! Members of teams.

use std::collections::BTreeMap;

use bindery_model::{OrganizationId, TeamId, TeamRole, Timestamp, UserId};

use crate::record::{FromRow, Record, record, sql};
use crate::teams::{self, TeamRow};
use crate::value::placeholders;
use crate::{StoreError, Tx, Value};

/// Maximum number of people in one statement.
const MAX_USERS_PER_STATEMENT: usize = 500;

record! {
    /// A member of a team.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct TeamMember in team_members as w {
        /// The person.
        pub user: UserId = user_id,
        /// The role.
        pub role: TeamRole,
        /// Time at which they joined.
        pub joined_at: Timestamp,
    }
}

/// Returns the roles of these people in a team. Omits people who are not in the team.
///
/// # Errors
/// Returns an error if the store fails.
pub fn roles(
    tx: &Tx<'_>,
    team: TeamId,
    users: &[UserId],
) -> Result<BTreeMap<UserId, TeamRole>, StoreError> {
    let mut known = BTreeMap::new();
    for users in users.chunks(MAX_USERS_PER_STATEMENT) {
        let mut values = vec![Value::from(team)];
        let sql = format!(
            "SELECT w.user_id, w.role FROM team_members w WHERE w.team = $1 AND w.user_id IN ({})",
            placeholders(&mut values, users)
        );
        known.extend(tx.query(&sql, &values, <(UserId, TeamRole)>::from_row)?);
    }
    Ok(known)
}

/// Returns all members of a team with their roles.
///
/// # Errors
/// Returns an error if the store fails.
pub fn all(tx: &Tx<'_>, team: TeamId) -> Result<BTreeMap<UserId, TeamRole>, StoreError> {
    let rows = tx.query(
        "SELECT w.user_id, w.role FROM team_members w WHERE w.team = $1",
        &[team.into()],
        FromRow::from_row,
    )?;
    Ok(rows.into_iter().collect())
}

/// Changes the roles of people in a team from `before` to `after`. Both contain only the affected
/// people. A person who is absent from `after` leaves the team.
///
/// # Errors
/// Returns an error if the store fails.
pub fn change(
    tx: &Tx<'_>,
    team: TeamId,
    before: &BTreeMap<UserId, TeamRole>,
    after: &BTreeMap<UserId, TeamRole>,
    at: Timestamp,
) -> Result<(), StoreError> {
    let roles: Vec<_> =
        after.iter().filter(|(user, _)| before.get(user) != after.get(user)).collect();
    for roles in roles.chunks(MAX_USERS_PER_STATEMENT) {
        let mut values = vec![Value::from(team), Value::from(at)];
        let rows: Vec<String> = roles
            .iter()
            .map(|(user, role)| {
                values.extend([Value::from(**user), Value::from(**role)]);
                format!("($1, ${}, ${}, $2)", values.len() - 1, values.len())
            })
            .collect();
        let sql = format!(
            "INSERT INTO team_members (team, user_id, role, joined_at) VALUES {} \
             ON CONFLICT (team, user_id) DO UPDATE SET role = excluded.role",
            rows.join(", ")
        );
        tx.execute(&sql, &values)?;
    }
    let leaving: Vec<UserId> =
        before.keys().filter(|user| !after.contains_key(user)).copied().collect();
    for users in leaving.chunks(MAX_USERS_PER_STATEMENT) {
        let mut values = vec![Value::from(team)];
        let sql = format!(
            "DELETE FROM team_members WHERE team = $1 AND user_id IN ({})",
            placeholders(&mut values, users)
        );
        tx.execute(&sql, &values)?;
    }
    let length = |roles: &BTreeMap<_, _>| i64::try_from(roles.len()).unwrap_or_default();
    match length(after) - length(before) {
        0 => Ok(()),
        by => {
            let sql = "UPDATE teams SET members = members + $2 WHERE id = $1";
            tx.execute(sql, &[team.into(), by.into()]).map(drop)
        }
    }
}

/// Returns the members of a team, sorted by the time they joined, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    team: TeamId,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<TeamMember>, StoreError> {
    let mut values = vec![Value::from(team)];
    let mut sql = sql!(TeamMember::SELECT, " WHERE w.team = $1").to_owned();
    if let Some((time, user)) = after {
        values.extend([Value::from(time), Value::from(user.to_owned())]);
        sql.push_str(" AND (w.joined_at > $2 OR (w.joined_at = $2 AND w.user_id > $3))");
    }
    values.push(limit.into());
    sql.push_str(&format!(" ORDER BY w.joined_at, w.user_id LIMIT ${}", values.len()));
    tx.query(&sql, &values, TeamMember::from_row)
}

/// Selects a person's teams.
#[derive(Clone, Copy, Debug)]
pub struct MemberTeamFilter<'a> {
    /// Teams of this organization.
    pub organization: OrganizationId,
    /// The person.
    pub user: UserId,
    /// The person who makes the request.
    pub caller: UserId,
    /// Teams whose folded title contains this text.
    pub title: Option<&'a str>,
}

impl MemberTeamFilter<'_> {
    fn conditions(&self, values: &mut Vec<Value<'static>>) -> String {
        values.extend([Value::from(self.user), Value::from(self.organization)]);
        let mut sql = "FROM team_members w JOIN teams t ON t.id = w.team \
             WHERE w.user_id = $1 AND t.organization = $2"
            .to_owned();
        if let Some(title) = self.title {
            values.push(teams::like_containing(title).into());
            sql.push_str(" AND t.title_folded LIKE $3 ESCAPE '!'");
        }
        sql
    }
}

/// Returns a person's teams with their role in each, sorted by team id, starting after `after`.
/// Sorting by id reads directly from the index, even if a person has very many teams.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_of_user(
    tx: &Tx<'_>,
    filter: &MemberTeamFilter<'_>,
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<(TeamRow, TeamRole)>, StoreError> {
    let mut values = Vec::new();
    let mut sql = filter.conditions(&mut values);
    if let Some(after) = after {
        values.push(after.to_owned().into());
        sql.push_str(&format!(" AND w.team > ${}", values.len()));
    }
    values.extend([Value::from(limit), Value::from(filter.caller)]);
    let (limit, caller) = (values.len() - 1, values.len());
    let columns = teams::columns(caller);
    let sql = format!("SELECT {columns}, w.role {sql} ORDER BY w.team LIMIT ${limit}");
    tx.query(&sql, &values, FromRow::from_row)
}

/// Returns the number of a person's matching teams.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_of_user(tx: &Tx<'_>, filter: &MemberTeamFilter<'_>) -> Result<i64, StoreError> {
    let mut values = Vec::new();
    let sql = format!("SELECT COUNT(*) {}", filter.conditions(&mut values));
    tx.query_one(&sql, &values, FromRow::from_row)
}
