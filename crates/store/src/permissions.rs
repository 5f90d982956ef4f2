//! What was granted explicitly: to people and to teams, on spaces and on collections.

use std::collections::HashMap;

use bindery_model::{CollectionId, OrganizationId, Role, SpaceId, TeamId, Timestamp, UserId};

use crate::value::placeholders;
use crate::{FromColumn, Row, StoreError, Tx, Value};

/// What something is granted on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Resource {
    /// A space.
    Space(SpaceId),
    /// A collection, and with it everything in it.
    Collection(CollectionId),
}

/// Who something is granted to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Grantee {
    /// A person.
    User(UserId),
    /// A team: everybody in it.
    Team(TeamId),
}

/// Where a grant is stored: the table, its two columns, and their values.
struct Stored {
    table: &'static str,
    on: &'static str,
    to: &'static str,
    resource: Value<'static>,
    grantee: Value<'static>,
}

impl Stored {
    fn of(resource: Resource, grantee: Grantee) -> Self {
        let (on, resource) = match resource {
            Resource::Space(id) => ("space", Value::from(id)),
            Resource::Collection(id) => ("collection", Value::from(id)),
        };
        let (to, grantee) = match grantee {
            Grantee::User(id) => ("user_id", Value::from(id)),
            Grantee::Team(id) => ("team", Value::from(id)),
        };
        let table = match (on, to) {
            ("space", "user_id") => "space_users",
            ("space", _) => "space_teams",
            (_, "user_id") => "collection_users",
            _ => "collection_teams",
        };
        Self { table, on, to, resource, grantee }
    }
}

fn role(row: &Row<'_>, column: usize) -> Result<Role, StoreError> {
    // Nothing else is ever stored.
    Ok(Role::parse(&row.get::<String>(column)?).unwrap_or(Role::Read))
}

/// Whether something can be granted in an organization: to a member or guest of it, or to one of its
/// teams.
///
/// # Errors
/// Returns an error if the store fails.
pub fn is_known(
    tx: &Tx<'_>,
    organization: OrganizationId,
    grantee: Grantee,
) -> Result<bool, StoreError> {
    let (sql, id): (_, Value<'_>) = match grantee {
        Grantee::User(id) => {
            ("SELECT 1 FROM members m WHERE m.organization = $1 AND m.user_id = $2", id.into())
        }
        Grantee::Team(id) => {
            ("SELECT 1 FROM teams t WHERE t.organization = $1 AND t.id = $2", id.into())
        }
    };
    Ok(tx.query_opt(sql, &[organization.into(), id], |_| Ok(()))?.is_some())
}

/// What was granted; `None`: nothing.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, resource: Resource, grantee: Grantee) -> Result<Option<Role>, StoreError> {
    let Stored { table, on, to, resource, grantee } = Stored::of(resource, grantee);
    let sql = format!("SELECT g.role FROM {table} g WHERE g.{on} = $1 AND g.{to} = $2");
    tx.query_opt(&sql, &[resource, grantee], |row| role(row, 0))
}

/// Grants a role, instead of what was granted before.
///
/// # Errors
/// Returns an error if the store fails.
pub fn put(
    tx: &Tx<'_>,
    resource: Resource,
    grantee: Grantee,
    role: Role,
) -> Result<(), StoreError> {
    let Stored { table, on, to, resource, grantee } = Stored::of(resource, grantee);
    let sql = format!(
        "INSERT INTO {table} ({on}, {to}, role) VALUES ($1, $2, $3) \
         ON CONFLICT ({on}, {to}) DO UPDATE SET role = excluded.role"
    );
    tx.execute(&sql, &[resource, grantee, role.as_str().into()])?;
    Ok(())
}

/// Takes back what was granted.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, resource: Resource, grantee: Grantee) -> Result<(), StoreError> {
    let Stored { table, on, to, resource, grantee } = Stored::of(resource, grantee);
    let sql = format!("DELETE FROM {table} WHERE {on} = $1 AND {to} = $2");
    tx.execute(&sql, &[resource, grantee])?;
    Ok(())
}

/// Takes back everything that was granted on a resource to those who are not of its organization:
/// where it was moved to another one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_foreign(
    tx: &Tx<'_>,
    resource: Resource,
    organization: OrganizationId,
) -> Result<(), StoreError> {
    let (on, id) = named(resource);
    for sql in [
        format!(
            "DELETE FROM {on}_users WHERE {on} = $1 AND user_id NOT IN \
             (SELECT m.user_id FROM members m WHERE m.organization = $2)"
        ),
        format!(
            "DELETE FROM {on}_teams WHERE {on} = $1 AND team NOT IN \
             (SELECT t.id FROM teams t WHERE t.organization = $2)"
        ),
    ] {
        tx.execute(&sql, &[id.clone(), organization.into()])?;
    }
    Ok(())
}

/// Gives on a space what was granted on another one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn copy(tx: &Tx<'_>, from: SpaceId, to: SpaceId) -> Result<(), StoreError> {
    for sql in [
        "INSERT INTO space_users (space, user_id, role) \
         SELECT $2, g.user_id, g.role FROM space_users g WHERE g.space = $1",
        "INSERT INTO space_teams (space, team, role) \
         SELECT $2, g.team, g.role FROM space_teams g WHERE g.space = $1",
    ] {
        tx.execute(sql, &[from.into(), to.into()])?;
    }
    Ok(())
}

/// A grant that reaches a person, itself or through a team.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grant {
    /// Who.
    pub user: UserId,
    /// On what.
    pub resource: Resource,
    /// To whom.
    pub grantee: Grantee,
    /// What.
    pub role: Role,
}

/// All grants to these people, or to teams that they are in, on any of these.
///
/// # Errors
/// Returns an error if the store fails.
pub fn reaching(
    tx: &Tx<'_>,
    users: &[UserId],
    spaces: &[SpaceId],
    collections: &[CollectionId],
) -> Result<Vec<Grant>, StoreError> {
    if users.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = Vec::new();
    let users = placeholders(&mut values, users);
    let mut parts = Vec::new();
    let mut add = |kind: &str, on: &str, places: &str| {
        parts.push(format!(
            "SELECT '{kind}', g.{on}, NULL, g.role, g.user_id FROM {on}_users g \
             WHERE g.user_id IN ({users}) AND g.{on} IN ({places})"
        ));
        // From the resource: a person may be in very many teams.
        parts.push(format!(
            "SELECT '{kind}', g.{on}, g.team, g.role, m.user_id \
             FROM {on}_teams g CROSS JOIN team_members m \
             WHERE g.{on} IN ({places}) AND m.team = g.team AND m.user_id IN ({users})"
        ));
    };
    if !spaces.is_empty() {
        let places = placeholders(&mut values, spaces);
        add("s", "space", &places);
    }
    if !collections.is_empty() {
        let places = placeholders(&mut values, collections);
        add("c", "collection", &places);
    }
    if parts.is_empty() {
        return Ok(Vec::new());
    }
    tx.query(&parts.join(" UNION ALL "), &values, |row| {
        let resource = match row.get::<String>(0)?.as_str() {
            "s" => Resource::Space(row.get(1)?),
            _ => Resource::Collection(row.get(1)?),
        };
        let user = row.get(4)?;
        let grantee = row.get::<Option<TeamId>>(2)?.map_or(Grantee::User(user), Grantee::Team);
        Ok(Grant { user, resource, grantee, role: role(row, 3)? })
    })
}

/// The highest of what reaches a person on each of these.
///
/// # Errors
/// Returns an error if the store fails.
pub fn highest(
    tx: &Tx<'_>,
    user: UserId,
    spaces: &[SpaceId],
    collections: &[CollectionId],
) -> Result<HashMap<Resource, Role>, StoreError> {
    let mut found: HashMap<Resource, Role> = HashMap::new();
    for Grant { resource, role, .. } in reaching(tx, &[user], spaces, collections)? {
        let known = found.entry(resource).or_insert(role);
        *known = role.max(*known);
    }
    Ok(found)
}

/// Who was granted what on a resource, by id, after the given one: people, or teams.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_users(
    tx: &Tx<'_>,
    resource: Resource,
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<(UserId, Role)>, StoreError> {
    list(tx, resource, ("users", "user_id"), after, limit)
}

/// Which teams were granted what on a resource, by id, after the given one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_teams(
    tx: &Tx<'_>,
    resource: Resource,
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<(TeamId, Role)>, StoreError> {
    list(tx, resource, ("teams", "team"), after, limit)
}

/// What was granted on a resource to those of one kind, in the column that names them.
fn list<T: FromColumn>(
    tx: &Tx<'_>,
    resource: Resource,
    (to, who): (&str, &str),
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<(T, Role)>, StoreError> {
    let (on, id) = named(resource);
    let sql = format!(
        "SELECT g.{who}, g.role FROM {on}_{to} g WHERE g.{on} = $1 AND g.{who} > $2 \
         ORDER BY g.{who} LIMIT $3"
    );
    let after = Value::from(after.unwrap_or_default().to_owned());
    tx.query(&sql, &[id, after, limit.into()], |row| Ok((row.get(0)?, role(row, 1)?)))
}

/// How many people, and how many teams, were granted something on a resource.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, resource: Resource) -> Result<(i64, i64), StoreError> {
    let (on, id) = named(resource);
    let sql = format!(
        "SELECT (SELECT COUNT(*) FROM {on}_users g WHERE g.{on} = $1), \
         (SELECT COUNT(*) FROM {on}_teams g WHERE g.{on} = $1)"
    );
    tx.query_one(&sql, &[id], |row| Ok((row.get(0)?, row.get(1)?)))
}

fn named(resource: Resource) -> (&'static str, Value<'static>) {
    match resource {
        Resource::Space(id) => ("space", id.into()),
        Resource::Collection(id) => ("collection", id.into()),
    }
}

/// A person who may do something somewhere, as the database finds them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entitled {
    /// Who.
    pub user: UserId,
    /// What they may.
    pub role: Role,
    /// Since when they are a member.
    pub joined_at: Timestamp,
}

/// Whose levels on a resource are asked for.
#[derive(Clone, Copy, Debug)]
pub struct EntitledFilter<'a> {
    /// The organization of the resource.
    pub organization: OrganizationId,
    /// The space, where it is about one.
    pub space: Option<SpaceId>,
    /// The collections that it is in, or is.
    pub collections: &'a [CollectionId],
    /// What the resource gives to members; `None`: the role that a member has in the organization,
    /// or the organization's default, counts.
    pub default: Option<Option<Role>>,
    /// The default role of the organization.
    pub organization_default: Option<Role>,
    /// Those with this level only.
    pub role: Option<Role>,
}

/// The number of a role, lowest first, from 1.
fn rank(role: Option<Role>) -> i64 {
    role.map_or(0, |role| role as i64 + 1)
}

fn rank_of(column: &str) -> String {
    let cases: Vec<String> = Role::ALL
        .iter()
        .map(|role| format!("WHEN '{}' THEN {}", role.as_str(), rank(Some(*role))))
        .collect();
    format!("CASE {column} {} ELSE 0 END", cases.join(" "))
}

impl EntitledFilter<'_> {
    /// Everybody of the organization with their level, as `e (user_id, joined_at, level)`.
    fn query(&self, select: &str) -> (String, Vec<Value<'static>>) {
        let mut values = vec![Value::from(self.organization)];
        let mut grants = Vec::new();
        let mut add = |on: &str, places: &str| {
            let rank = rank_of("g.role");
            grants.push(format!(
                "SELECT g.user_id, {rank} AS level FROM {on}_users g WHERE g.{on} IN ({places})"
            ));
            grants.push(format!(
                "SELECT m.user_id, {rank} AS level FROM {on}_teams g \
                 JOIN team_members m ON m.team = g.team WHERE g.{on} IN ({places})"
            ));
        };
        if let Some(space) = self.space {
            add("space", &placeholders(&mut values, &[space]));
        }
        if !self.collections.is_empty() {
            add("collection", &placeholders(&mut values, self.collections));
        }
        let by_default = match self.default {
            None => format!(
                "SELECT m.user_id, {} AS level FROM members m \
                 WHERE m.organization = $1 AND m.role IS NOT NULL \
                 UNION ALL SELECT m.user_id, {} AS level FROM members m \
                 WHERE m.organization = $1 AND m.role IS NOT NULL",
                rank_of("m.role"),
                rank(self.organization_default)
            ),
            Some(default) => format!(
                "SELECT m.user_id, {} AS level FROM members m \
                 WHERE m.organization = $1 AND m.role IS NOT NULL",
                rank(default)
            ),
        };
        grants.push(by_default);
        let admin = rank(Some(Role::Admin));
        grants.push(format!(
            "SELECT m.user_id, {admin} AS level FROM members m \
             WHERE m.organization = $1 AND m.role = 'admin'"
        ));
        let mut sql = format!(
            "SELECT {select} FROM (SELECT m.user_id, m.joined_at, MAX(a.level) AS level \
             FROM ({}) a JOIN members m ON m.organization = $1 AND m.user_id = a.user_id \
             AND m.disabled = 0 GROUP BY m.user_id, m.joined_at) e WHERE e.level > 0",
            grants.join(" UNION ALL ")
        );
        if let Some(role) = self.role {
            values.push(Value::from(rank(Some(role))));
            sql.push_str(&format!(" AND e.level = ${}", values.len()));
        }
        (sql, values)
    }
}

/// Who may do something on a resource, in the order in which they became members, after the given
/// place.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_entitled(
    tx: &Tx<'_>,
    filter: &EntitledFilter<'_>,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Entitled>, StoreError> {
    let (mut sql, mut values) = filter.query("e.user_id, e.joined_at, e.level");
    if let Some((time, user)) = after {
        values.extend([Value::from(time), Value::from(user.to_owned())]);
        let (time, user) = (values.len() - 1, values.len());
        sql.push_str(&format!(
            " AND (e.joined_at > ${time} OR (e.joined_at = ${time} AND e.user_id > ${user}))"
        ));
    }
    values.push(limit.into());
    sql.push_str(&format!(" ORDER BY e.joined_at, e.user_id LIMIT ${}", values.len()));
    tx.query(&sql, &values, |row| {
        let level: i64 = row.get(2)?;
        let role = usize::try_from(level - 1).ok().and_then(|at| Role::ALL.get(at).copied());
        Ok(Entitled { user: row.get(0)?, joined_at: row.get(1)?, role: role.unwrap_or(Role::Read) })
    })
}

/// How many may do something on a resource.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_entitled(tx: &Tx<'_>, filter: &EntitledFilter<'_>) -> Result<i64, StoreError> {
    let (sql, values) = filter.query("COUNT(*)");
    tx.query_one(&sql, &values, |row| row.get(0))
}
