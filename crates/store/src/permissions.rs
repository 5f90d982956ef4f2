//! Explicit grants of roles on spaces, collections and sites to people and teams.

use std::collections::HashMap;

use bindery_model::{
    CollectionId, OrganizationId, Role, SiteId, SpaceId, TeamId, Timestamp, UserId,
};

use crate::record::{Columns, FromRow};
use crate::value::placeholders;
use crate::{FromColumn, StoreError, Tx, Value};

/// A resource that roles are granted on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Resource {
    /// A space.
    Space(SpaceId),
    /// A collection with everything in it.
    Collection(CollectionId),
    /// A site, without the spaces on it.
    Site(SiteId),
}

/// The recipient of a grant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Grantee {
    /// A person.
    User(UserId),
    /// A team with all its members.
    Team(TeamId),
}

/// The storage of a grant: its table, the table's two key columns and their values.
struct GrantColumns {
    table: &'static str,
    on: &'static str,
    to: &'static str,
    resource: Value<'static>,
    grantee: Value<'static>,
}

impl GrantColumns {
    fn of(resource: Resource, grantee: Grantee) -> Self {
        let (on, resource) = resource_column(resource);
        let (to, grantee) = match grantee {
            Grantee::User(id) => ("user_id", Value::from(id)),
            Grantee::Team(id) => ("team", Value::from(id)),
        };
        let table = match (on, to) {
            ("space", "user_id") => "space_users",
            ("space", _) => "space_teams",
            ("site", "user_id") => "site_users",
            ("site", _) => "site_teams",
            (_, "user_id") => "collection_users",
            _ => "collection_teams",
        };
        Self { table, on, to, resource, grantee }
    }
}

/// Returns `true` if the grantee can receive grants in an organization: a member, a guest or a team
/// of the organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn belongs_to_organization(
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

/// Returns the role granted on a resource, if any.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, resource: Resource, grantee: Grantee) -> Result<Option<Role>, StoreError> {
    let GrantColumns { table, on, to, resource, grantee } = GrantColumns::of(resource, grantee);
    let sql = format!("SELECT g.role FROM {table} g WHERE g.{on} = $1 AND g.{to} = $2");
    tx.query_opt(&sql, &[resource, grantee], FromRow::from_row)
}

/// Grants a role and replaces an earlier grant.
///
/// # Errors
/// Returns an error if the store fails.
pub fn put(
    tx: &Tx<'_>,
    resource: Resource,
    grantee: Grantee,
    role: Role,
) -> Result<(), StoreError> {
    let GrantColumns { table, on, to, resource, grantee } = GrantColumns::of(resource, grantee);
    let sql = format!(
        "INSERT INTO {table} ({on}, {to}, role) VALUES ($1, $2, $3) \
         ON CONFLICT ({on}, {to}) DO UPDATE SET role = excluded.role"
    );
    tx.execute(&sql, &[resource, grantee, role.into()])?;
    Ok(())
}

/// Deletes a grant.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, resource: Resource, grantee: Grantee) -> Result<(), StoreError> {
    let GrantColumns { table, on, to, resource, grantee } = GrantColumns::of(resource, grantee);
    let sql = format!("DELETE FROM {table} WHERE {on} = $1 AND {to} = $2");
    tx.execute(&sql, &[resource, grantee])?;
    Ok(())
}

/// Deletes the grants on a resource to people and teams outside `organization`, after the resource
/// moved there.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_foreign(
    tx: &Tx<'_>,
    resource: Resource,
    organization: OrganizationId,
) -> Result<(), StoreError> {
    let (on, id) = resource_column(resource);
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

/// Copies the grants on one space to another.
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

/// A grant that applies to a person, directly or through a team.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grant {
    /// The person.
    pub user: UserId,
    /// The resource that the role is granted on.
    pub resource: Resource,
    /// The recipient: the person or a team.
    pub grantee: Grantee,
    /// The granted role.
    pub role: Role,
}

impl FromRow for Resource {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        Ok(match columns.read::<String>()?.as_str() {
            "space" => Self::Space(columns.read()?),
            "site" => Self::Site(columns.read()?),
            _ => Self::Collection(columns.read()?),
        })
    }
}

/// Returns all grants on these resources that apply to these people, directly or through a team.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_effective(
    tx: &Tx<'_>,
    users: &[UserId],
    spaces: &[SpaceId],
    collections: &[CollectionId],
    sites: &[SiteId],
) -> Result<Vec<Grant>, StoreError> {
    if users.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = Vec::new();
    let users = placeholders(&mut values, users);
    let mut parts = Vec::new();
    let mut add = |on: &str, places: &str| {
        parts.push(format!(
            "SELECT '{on}', g.{on}, NULL, g.role, g.user_id FROM {on}_users g \
             WHERE g.user_id IN ({users}) AND g.{on} IN ({places})"
        ));
        // The query starts from the resource, as a person may belong to very many teams.
        parts.push(format!(
            "SELECT '{on}', g.{on}, g.team, g.role, m.user_id \
             FROM {on}_teams g CROSS JOIN team_members m \
             WHERE g.{on} IN ({places}) AND m.team = g.team AND m.user_id IN ({users})"
        ));
    };
    if !spaces.is_empty() {
        let places = placeholders(&mut values, spaces);
        add("space", &places);
    }
    if !collections.is_empty() {
        let places = placeholders(&mut values, collections);
        add("collection", &places);
    }
    if !sites.is_empty() {
        let places = placeholders(&mut values, sites);
        add("site", &places);
    }
    if parts.is_empty() {
        return Ok(Vec::new());
    }
    tx.query(&parts.join(" UNION ALL "), &values, |row| {
        let (resource, team, role, user) = <(_, Option<TeamId>, _, _)>::from_row(row)?;
        let grantee = team.map_or(Grantee::User(user), Grantee::Team);
        Ok(Grant { user, resource, grantee, role })
    })
}

/// Returns the highest role granted to a person on a site, directly or through a team.
///
/// # Errors
/// Returns an error if the store fails.
pub fn highest_role_on_site(
    tx: &Tx<'_>,
    user: UserId,
    site: SiteId,
) -> Result<Option<Role>, StoreError> {
    let grants = list_effective(tx, &[user], &[], &[], &[site])?;
    Ok(grants.into_iter().map(|grant| grant.role).max())
}

/// Returns the highest role granted to a person on each of these resources.
///
/// # Errors
/// Returns an error if the store fails.
pub fn highest_roles(
    tx: &Tx<'_>,
    user: UserId,
    spaces: &[SpaceId],
    collections: &[CollectionId],
) -> Result<HashMap<Resource, Role>, StoreError> {
    let mut found: HashMap<Resource, Role> = HashMap::new();
    for Grant { resource, role, .. } in list_effective(tx, &[user], spaces, collections, &[])? {
        let known = found.entry(resource).or_insert(role);
        *known = role.max(*known);
    }
    Ok(found)
}

/// Returns the people with a grant on a resource and their roles, sorted by id, starting after
/// `after`.
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

/// Returns the teams with a grant on a resource and their roles, sorted by id, starting after
/// `after`.
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

/// Returns the grants on a resource in the tables with suffix `to`, whose column `who` holds the
/// grantee.
fn list<T: FromColumn>(
    tx: &Tx<'_>,
    resource: Resource,
    (to, who): (&str, &str),
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<(T, Role)>, StoreError> {
    let (on, id) = resource_column(resource);
    let sql = format!(
        "SELECT g.{who}, g.role FROM {on}_{to} g WHERE g.{on} = $1 AND g.{who} > $2 \
         ORDER BY g.{who} LIMIT $3"
    );
    let after = Value::from(after.unwrap_or_default().to_owned());
    tx.query(&sql, &[id, after, limit.into()], FromRow::from_row)
}

/// Returns the number of people and the number of teams with a grant on a resource.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, resource: Resource) -> Result<(i64, i64), StoreError> {
    let (on, id) = resource_column(resource);
    let sql = format!(
        "SELECT (SELECT COUNT(*) FROM {on}_users g WHERE g.{on} = $1), \
         (SELECT COUNT(*) FROM {on}_teams g WHERE g.{on} = $1)"
    );
    tx.query_one(&sql, &[id], FromRow::from_row)
}

fn resource_column(resource: Resource) -> (&'static str, Value<'static>) {
    match resource {
        Resource::Space(id) => ("space", id.into()),
        Resource::Collection(id) => ("collection", id.into()),
        Resource::Site(id) => ("site", id.into()),
    }
}

/// A person with access to a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UserAccess {
    /// The person.
    pub user: UserId,
    /// Their effective role.
    pub role: Role,
    /// Time at which they became a member.
    pub joined_at: Timestamp,
}

/// The parameters of a query for the people with access to a resource.
#[derive(Clone, Copy, Debug)]
pub struct UserAccessFilter<'a> {
    /// The organization of the resource.
    pub organization: OrganizationId,
    /// The space, if the resource is a space.
    pub space: Option<SpaceId>,
    /// The site, if the resource is a site.
    pub site: Option<SiteId>,
    /// The collections that contain the resource, or the resource itself and its ancestors.
    pub collections: &'a [CollectionId],
    /// The default role on the resource; `None` if members have their role in the organization or
    /// the organization's default role.
    pub default: Option<Option<Role>>,
    /// The default role of the organization.
    pub organization_default: Option<Role>,
    /// Selects only people with this effective role.
    pub role: Option<Role>,
}

/// Returns the rank of a role: 0 for none, 1 for the lowest.
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

impl UserAccessFilter<'_> {
    /// Builds a query over `e (user_id, joined_at, level)`: the organization's people with access.
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
        if let Some(site) = self.site {
            add("site", &placeholders(&mut values, &[site]));
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

/// Returns the people with access to a resource, sorted by the time they became members, starting
/// after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_user_access(
    tx: &Tx<'_>,
    filter: &UserAccessFilter<'_>,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<UserAccess>, StoreError> {
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
        let (user, joined_at, level) = <(_, _, i64)>::from_row(row)?;
        let role = usize::try_from(level - 1).ok().and_then(|at| Role::ALL.get(at).copied());
        Ok(UserAccess { user, role: role.unwrap_or(Role::Read), joined_at })
    })
}

/// Returns the number of people with access to a resource.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_user_access(tx: &Tx<'_>, filter: &UserAccessFilter<'_>) -> Result<i64, StoreError> {
    let (sql, values) = filter.query("COUNT(*)");
    tx.query_one(&sql, &values, FromRow::from_row)
}
