//! Teams of organizations.

use std::collections::BTreeMap;

use bindery_model::{
    CollectionId, OrganizationId, Role, SiteId, SpaceId, TeamId, TeamRole, Timestamp, UserId,
};

use crate::record::{Columns, FromRow, Record, record};
use crate::{FromColumn, StoreError, Tx, Value};

record! {
    /// A team as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Team in teams as t {
        /// Its id.
        pub id: TeamId,
        /// The organization that owns it.
        pub organization: OrganizationId,
        /// Its title.
        pub title: String,
        /// Number of members.
        pub members: i64,
        /// Time of creation.
        pub created_at: Timestamp,
    }
}

/// A team as in lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TeamRow {
    /// The team.
    pub team: Team,
    /// Number of spaces granted to the team directly, not through a collection.
    pub spaces: i64,
    /// The caller's role in the team.
    pub own: Option<TeamRole>,
}

/// Returns the columns of a [`TeamRow`] for a team `t`. `caller` is the number of the parameter
/// with the caller's id.
pub(crate) fn columns(caller: usize) -> String {
    format!(
        "{}, (SELECT COUNT(*) FROM space_teams g WHERE g.team = t.id), \
         (SELECT o.role FROM team_members o WHERE o.team = t.id AND o.user_id = ${caller})",
        Team::COLUMNS
    )
}

impl FromRow for TeamRow {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        Ok(Self { team: columns.read()?, spaces: columns.read()?, own: columns.read()? })
    }
}

/// Inserts a new team without members.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, team: &Team, title_folded: &str) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO teams (id, organization, title, title_folded, members, created_at) \
         VALUES ($1, $2, $3, $4, 0, $5)",
        &[
            team.id.into(),
            team.organization.into(),
            team.title.as_str().into(),
            title_folded.into(),
            team.created_at.into(),
        ],
    )?;
    Ok(())
}

/// Returns the team of an organization with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    organization: OrganizationId,
    team: TeamId,
    caller: UserId,
) -> Result<Option<TeamRow>, StoreError> {
    tx.query_opt(
        &format!("SELECT {} FROM teams t WHERE t.id = $1 AND t.organization = $2", columns(3)),
        &[team.into(), organization.into(), caller.into()],
        TeamRow::from_row,
    )
}

/// Returns `true` if the person owns a team of the organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn owns_any(
    tx: &Tx<'_>,
    organization: OrganizationId,
    user: UserId,
) -> Result<bool, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM team_members m JOIN teams t ON t.id = m.team \
         WHERE m.user_id = $1 AND m.role = $2 AND t.organization = $3",
        &[user.into(), TeamRole::Owner.as_str().into(), organization.into()],
        |row| Ok(i64::from_row(row)? > 0),
    )
}

/// Sets a team's title.
///
/// # Errors
/// Returns an error if the store fails.
pub fn rename(
    tx: &Tx<'_>,
    team: TeamId,
    title: &str,
    title_folded: &str,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE teams SET title = $2, title_folded = $3 WHERE id = $1",
        &[team.into(), title.into(), title_folded.into()],
    )?;
    Ok(())
}

/// The grants of a team.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TeamGrants {
    /// Grants on spaces.
    pub spaces: BTreeMap<SpaceId, Role>,
    /// Grants on collections.
    pub collections: BTreeMap<CollectionId, Role>,
    /// Grants on sites.
    pub sites: BTreeMap<SiteId, Role>,
}

fn grants<T: FromColumn + Ord>(
    tx: &Tx<'_>,
    sql: &str,
    team: TeamId,
) -> Result<BTreeMap<T, Role>, StoreError> {
    let rows = tx.query(sql, &[team.into()], FromRow::from_row)?;
    Ok(rows.into_iter().collect())
}

/// Returns all grants of a team.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_grants(tx: &Tx<'_>, team: TeamId) -> Result<TeamGrants, StoreError> {
    Ok(TeamGrants {
        spaces: grants(tx, "SELECT g.space, g.role FROM space_teams g WHERE g.team = $1", team)?,
        collections: grants(
            tx,
            "SELECT g.collection, g.role FROM collection_teams g WHERE g.team = $1",
            team,
        )?,
        sites: grants(tx, "SELECT g.site, g.role FROM site_teams g WHERE g.team = $1", team)?,
    })
}

/// Deletes a team with its memberships and grants.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, team: TeamId) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM team_members WHERE team = $1",
        "DELETE FROM space_teams WHERE team = $1",
        "DELETE FROM collection_teams WHERE team = $1",
        "DELETE FROM site_teams WHERE team = $1",
        "DELETE FROM teams WHERE id = $1",
    ] {
        tx.execute(sql, &[team.into()])?;
    }
    Ok(())
}

/// Selects the teams in a list.
#[derive(Clone, Copy, Debug)]
pub struct TeamFilter<'a> {
    /// Teams of this organization.
    pub organization: OrganizationId,
    /// The person who makes the request.
    pub caller: UserId,
    /// Teams that this person belongs to.
    pub member: Option<UserId>,
    /// Teams that this person owns.
    pub owner: Option<UserId>,
    /// Teams whose folded title contains this text.
    pub title: Option<&'a str>,
}

/// Returns a pattern for `LIKE … ESCAPE '!'` that matches texts containing `text`.
pub(crate) fn like_containing(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for char in text.chars() {
        if matches!(char, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(char);
    }
    pattern.push('%');
    pattern
}

impl TeamFilter<'_> {
    fn conditions(&self, values: &mut Vec<Value<'static>>) -> String {
        values.push(self.organization.into());
        let mut sql = "FROM teams t WHERE t.organization = $1".to_owned();
        let mut narrow = |value: Value<'static>, [before, after]: [&str; 2]| {
            values.push(value);
            sql.push_str(&format!(" AND {before}${}{after}", values.len()));
        };
        let those_of = "t.id IN (SELECT w.team FROM team_members w WHERE w.user_id = ";
        if let Some(member) = self.member {
            narrow(member.into(), [those_of, ")"]);
        }
        if let Some(owner) = self.owner {
            narrow(owner.into(), [those_of, " AND w.role = 'owner')"]);
        }
        if let Some(title) = self.title {
            narrow(like_containing(title).into(), ["t.title_folded LIKE ", " ESCAPE '!'"]);
        }
        sql
    }
}

/// Returns the matching teams, oldest first, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    filter: &TeamFilter<'_>,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<TeamRow>, StoreError> {
    let mut values = Vec::new();
    let mut sql = filter.conditions(&mut values);
    if let Some((time, id)) = after {
        values.extend([Value::from(time), Value::from(id.to_owned())]);
        let (time, id) = (values.len() - 1, values.len());
        sql.push_str(&format!(
            " AND (t.created_at > ${time} OR (t.created_at = ${time} AND t.id > ${id}))"
        ));
    }
    values.extend([Value::from(limit), Value::from(filter.caller)]);
    let (limit, caller) = (values.len() - 1, values.len());
    let columns = columns(caller);
    let sql = format!("SELECT {columns} {sql} ORDER BY t.created_at, t.id LIMIT ${limit}");
    tx.query(&sql, &values, TeamRow::from_row)
}

/// Returns the number of matching teams.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, filter: &TeamFilter<'_>) -> Result<i64, StoreError> {
    let mut values = Vec::new();
    let sql = format!("SELECT COUNT(*) {}", filter.conditions(&mut values));
    tx.query_one(&sql, &values, FromRow::from_row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_take_everything_literally() {
        for (text, expect) in [("docs", "%docs%"), ("50%", "%50!%%"), ("a_b!", "%a!_b!!%")] {
            assert_eq!(like_containing(text), expect);
        }
    }
}
