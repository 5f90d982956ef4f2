//! Members of organizations.

mod list;
mod spaces;

pub use list::{MemberFilter, MemberOrder, MemberSort, count, list};

use std::collections::{HashMap, HashSet};

use bindery_model::{OrganizationId, Role, Timestamp, UserId};

use self::spaces::count_spaces;
use crate::record::{Columns, FromRow, Record, record, sql};
use crate::value::placeholders;
use crate::{StoreError, Tx, Value};

record! {
    /// A membership as stored.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Member in members as m {
        /// The role; `None` for a guest.
        pub role: Option<Role>,
        /// `true` if the member is disabled and has no access.
        pub disabled: bool,
    }
}

/// Makes a person a member. Returns `false` if they are a member already.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(
    tx: &Tx<'_>,
    organization: OrganizationId,
    user: UserId,
    role: Option<Role>,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let added = tx.execute(
        "INSERT INTO members (organization, user_id, role, disabled, joined_at) \
         VALUES ($1, $2, $3, 0, $4) ON CONFLICT (organization, user_id) DO NOTHING",
        &[organization.into(), user.into(), role.into(), at.into()],
    )?;
    Ok(added > 0)
}

record! {
    /// A membership with the organization's default role.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct MembershipRow in members as m {
        /// The membership.
        pub member: Member = *,
        /// The organization's default role, for members without a role of their own.
        pub default_role: Option<Role> = "o.default_role",
    }
}

/// Returns a person's membership in an organization, or `None` if they are not a member.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_membership(
    tx: &Tx<'_>,
    organization: OrganizationId,
    user: UserId,
) -> Result<Option<MembershipRow>, StoreError> {
    tx.query_opt(
        sql!(
            MembershipRow::SELECT,
            " JOIN organizations o ON o.id = m.organization \
             WHERE m.organization = $1 AND m.user_id = $2"
        ),
        &[organization.into(), user.into()],
        MembershipRow::from_row,
    )
}

/// Returns the organizations in which a person is an enabled member.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_organizations(tx: &Tx<'_>, user: UserId) -> Result<Vec<OrganizationId>, StoreError> {
    tx.query(
        "SELECT m.organization FROM members m WHERE m.user_id = $1 AND m.disabled = 0 \
         ORDER BY m.organization",
        &[user.into()],
        FromRow::from_row,
    )
}

/// A member of an organization, as in lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemberRow {
    /// The person.
    pub user: UserId,
    /// The membership.
    pub member: Member,
    /// Time at which they became a member.
    pub joined_at: Timestamp,
    /// Time of their last activity, accurate to about a minute.
    pub last_seen_at: Option<Timestamp>,
    /// Number of the organization's spaces that they can access.
    pub spaces: i64,
    /// Number of the organization's teams that they belong to.
    pub teams: i64,
}

/// The columns of a [`MemberRow`] for a member `m`.
const COLUMNS: &str = sql!(
    "m.user_id, ",
    Member::COLUMNS,
    ", m.joined_at, m.last_seen_at, \
     (SELECT COUNT(*) FROM team_members g JOIN teams t ON t.id = g.team \
      WHERE g.user_id = m.user_id AND t.organization = m.organization)"
);

/// Reads [`COLUMNS`] and leaves the number of spaces at 0; see [`count_spaces`].
impl FromRow for MemberRow {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        Ok(Self {
            user: columns.read()?,
            member: columns.read()?,
            joined_at: columns.read()?,
            last_seen_at: columns.read()?,
            teams: columns.read()?,
            spaces: 0,
        })
    }
}

/// Returns a member of an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    organization: OrganizationId,
    user: UserId,
) -> Result<Option<MemberRow>, StoreError> {
    let found = tx.query_opt(
        sql!("SELECT ", COLUMNS, " FROM members m WHERE m.organization = $1 AND m.user_id = $2"),
        &[organization.into(), user.into()],
        MemberRow::from_row,
    )?;
    let mut found: Vec<MemberRow> = found.into_iter().collect();
    count_spaces(tx, organization, found.iter_mut())?;
    Ok(found.pop())
}

/// Returns the members `m` of an organization that satisfy `condition`, sorted by the time they
/// became members, starting after `after`.
pub(crate) fn list_where(
    tx: &Tx<'_>,
    organization: OrganizationId,
    condition: &str,
    mut values: Vec<Value<'static>>,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<MemberRow>, StoreError> {
    let mut sql = format!("SELECT {COLUMNS} FROM members m WHERE {condition}");
    if let Some((time, user)) = after {
        values.extend([Value::from(time), Value::from(user.to_owned())]);
        let (time, user) = (values.len() - 1, values.len());
        sql.push_str(&format!(
            " AND (m.joined_at > ${time} OR (m.joined_at = ${time} AND m.user_id > ${user}))"
        ));
    }
    values.push(limit.into());
    sql.push_str(&format!(" ORDER BY m.joined_at, m.user_id LIMIT ${}", values.len()));
    let mut found = tx.query(&sql, &values, MemberRow::from_row)?;
    count_spaces(tx, organization, found.iter_mut())?;
    Ok(found)
}

/// Updates a member's role and state.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(
    tx: &Tx<'_>,
    organization: OrganizationId,
    user: UserId,
    member: Member,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE members SET role = $1, disabled = $2 WHERE organization = $3 AND user_id = $4",
        &[member.role.into(), member.disabled.into(), organization.into(), user.into()],
    )?;
    Ok(())
}

/// Returns the member who has been an administrator of an organization for the longest time.
///
/// # Errors
/// Returns an error if the store fails.
pub fn first_administrator(
    tx: &Tx<'_>,
    organization: OrganizationId,
) -> Result<Option<UserId>, StoreError> {
    tx.query_opt(
        "SELECT m.user_id FROM members m WHERE m.organization = $1 AND m.role = $2 \
         AND m.disabled = 0 ORDER BY m.joined_at, m.user_id LIMIT 1",
        &[organization.into(), Role::Admin.as_str().into()],
        FromRow::from_row,
    )
}

/// Returns `true` if the organization has an enabled administrator other than `than`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn has_other_administrator(
    tx: &Tx<'_>,
    organization: OrganizationId,
    than: UserId,
) -> Result<bool, StoreError> {
    let found = tx.query_opt(
        "SELECT m.user_id FROM members m WHERE m.organization = $1 AND m.role = $2 \
         AND m.disabled = 0 AND m.user_id <> $3 LIMIT 1",
        &[organization.into(), Role::Admin.as_str().into(), than.into()],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}

/// Returns `true` if a person is an enabled administrator of any organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn administers_any(tx: &Tx<'_>, user: UserId) -> Result<bool, StoreError> {
    let found = tx.query_opt(
        "SELECT m.organization FROM members m WHERE m.user_id = $1 AND m.role = $2 \
         AND m.disabled = 0 LIMIT 1",
        &[user.into(), Role::Admin.as_str().into()],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}

/// Returns `true` if `one` is an enabled member with a role in an organization that `other` belongs
/// to. Considers only the organizations in `within`, if given.
///
/// # Errors
/// Returns an error if the store fails.
pub fn can_see(
    tx: &Tx<'_>,
    one: UserId,
    other: UserId,
    within: Option<&[OrganizationId]>,
) -> Result<bool, StoreError> {
    let mut values = vec![Value::from(one), Value::from(other)];
    let mut sql = "SELECT a.organization FROM members a \
         JOIN members b ON b.organization = a.organization AND b.user_id = $2 \
         WHERE a.user_id = $1 AND a.disabled = 0 AND a.role IS NOT NULL"
        .to_owned();
    if let Some(within) = within {
        let places = placeholders(&mut values, within);
        sql.push_str(&format!(" AND a.organization IN ({places})"));
    }
    sql.push_str(" LIMIT 1");
    Ok(tx.query_opt(&sql, &values, |_| Ok(()))?.is_some())
}

/// Records a member's activity, unless activity was recorded after `unless_since`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn touch(
    tx: &Tx<'_>,
    organization: OrganizationId,
    user: UserId,
    at: Timestamp,
    unless_since: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE members SET seen_before_at = last_seen_at, last_seen_at = $1 \
         WHERE organization = $2 AND user_id = $3 \
         AND (last_seen_at IS NULL OR last_seen_at <= $4)",
        &[at.into(), organization.into(), user.into(), unless_since.into()],
    )?;
    Ok(())
}

/// Deletes a membership with all the person's grants and teams in the organization, so that they
/// start without any if they return. Returns the deleted grants as pairs of `kind:id` and role.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(
    tx: &Tx<'_>,
    organization: OrganizationId,
    user: UserId,
) -> Result<Vec<(String, String)>, StoreError> {
    let params = [organization.into(), user.into()];
    let mut granted = Vec::new();
    for (kind, table, column) in [
        ("space", "space_users", "space"),
        ("collection", "collection_users", "collection"),
        ("site", "site_users", "site"),
        ("team", "team_members", "team"),
    ] {
        let of_user = format!(
            "user_id = $2 AND {column} IN (SELECT p.id FROM {kind}s p WHERE p.organization = $1)"
        );
        granted.extend(tx.query(
            &format!("SELECT {column}, role FROM {table} WHERE {of_user} ORDER BY {column}"),
            &params,
            |row| {
                let (id, role) = <(String, String)>::from_row(row)?;
                Ok((format!("{kind}:{id}"), role))
            },
        )?);
        if kind == "team" {
            tx.execute(
                "UPDATE teams SET members = members - 1 WHERE organization = $1 \
                 AND id IN (SELECT g.team FROM team_members g WHERE g.user_id = $2)",
                &params,
            )?;
        }
        tx.execute(&format!("DELETE FROM {table} WHERE {of_user}"), &params)?;
    }
    tx.execute("DELETE FROM members WHERE organization = $1 AND user_id = $2", &params)?;
    Ok(granted)
}

/// Maximum number of people in one statement.
const MAX_USERS_PER_STATEMENT: usize = 500;

/// Returns those of these people who are members of an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_many(
    tx: &Tx<'_>,
    organization: OrganizationId,
    users: &[UserId],
) -> Result<HashMap<UserId, MemberRow>, StoreError> {
    let mut found = HashMap::new();
    for users in users.chunks(MAX_USERS_PER_STATEMENT) {
        let mut values = vec![Value::from(organization)];
        let condition =
            format!("m.organization = $1 AND m.user_id IN ({})", placeholders(&mut values, users));
        let limit = u32::try_from(users.len()).unwrap_or(u32::MAX);
        let rows = list_where(tx, organization, &condition, values, None, limit)?;
        found.extend(rows.into_iter().map(|row| (row.user, row)));
    }
    Ok(found)
}

/// Returns the ids among these that belong to members of an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn filter_members(
    tx: &Tx<'_>,
    organization: OrganizationId,
    users: &[UserId],
) -> Result<HashSet<UserId>, StoreError> {
    let mut found = HashSet::new();
    for users in users.chunks(MAX_USERS_PER_STATEMENT) {
        let mut values = vec![Value::from(organization)];
        let sql = format!(
            "SELECT m.user_id FROM members m WHERE m.organization = $1 AND m.user_id IN ({})",
            placeholders(&mut values, users)
        );
        found.extend(tx.query(&sql, &values, UserId::from_row)?);
    }
    Ok(found)
}
