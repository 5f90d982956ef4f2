//! Organizations.

use bindery_model::{OrganizationId, Role, Timestamp, UserId};

use crate::{Row, StoreError, Tx, Value};

/// An organization as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Organization {
    /// Its id.
    pub id: OrganizationId,
    /// Its title.
    pub title: String,
    /// The role of members in places that say nothing else.
    pub default_role: Option<Role>,
    /// What merges need in spaces that say nothing else, as the contract's JSON.
    pub merge_rules: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
}

const COLUMNS: &str = "o.id, o.title, o.default_role, o.created_at, o.merge_rules";

fn read(row: &Row<'_>) -> Result<Organization, StoreError> {
    Ok(Organization {
        id: row.get(0)?,
        title: row.get(1)?,
        default_role: row.get::<Option<String>>(2)?.as_deref().and_then(Role::parse),
        created_at: row.get(3)?,
        merge_rules: row.get(4)?,
    })
}

/// Stores a new organization.
///
/// # Errors
/// When the store fails.
pub fn create(tx: &Tx<'_>, organization: &Organization) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO organizations (id, title, default_role, created_at, merge_rules) \
         VALUES ($1, $2, $3, $4, $5)",
        &[
            organization.id.into(),
            organization.title.as_str().into(),
            organization.default_role.map(Role::as_str).into(),
            organization.created_at.into(),
            organization.merge_rules.as_deref().into(),
        ],
    )?;
    Ok(())
}

/// The organization with this id.
///
/// # Errors
/// When the store fails.
pub fn get(tx: &Tx<'_>, id: OrganizationId) -> Result<Option<Organization>, StoreError> {
    tx.query_opt(
        &format!("SELECT {COLUMNS} FROM organizations o WHERE o.id = $1"),
        &[id.into()],
        read,
    )
}

fn of_user(
    select: &str,
    user: UserId,
    within: Option<&[OrganizationId]>,
) -> (String, Vec<Value<'static>>) {
    let mut values = vec![Value::from(user)];
    let mut sql = format!(
        "SELECT {select} FROM members m JOIN organizations o ON o.id = m.organization \
         WHERE m.user_id = $1 AND m.disabled = 0"
    );
    if let Some(within) = within {
        let ids: Vec<String> = within
            .iter()
            .map(|id| {
                values.push(Value::from(*id));
                format!("${}", values.len())
            })
            .collect();
        sql.push_str(&format!(" AND o.id IN ({})", ids.join(", ")));
    }
    (sql, values)
}

/// The organizations of a person, oldest first, after the given place; of those in `within` only,
/// where that is given.
///
/// # Errors
/// When the store fails.
pub fn list_of_user(
    tx: &Tx<'_>,
    user: UserId,
    within: Option<&[OrganizationId]>,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Organization>, StoreError> {
    let (mut sql, mut values) = of_user(COLUMNS, user, within);
    if let Some((time, id)) = after {
        values.extend([Value::from(time), Value::from(id.to_owned())]);
        let (time, id) = (values.len() - 1, values.len());
        sql.push_str(&format!(
            " AND (o.created_at > ${time} OR (o.created_at = ${time} AND o.id > ${id}))"
        ));
    }
    values.push(Value::from(limit));
    sql.push_str(&format!(" ORDER BY o.created_at, o.id LIMIT ${}", values.len()));
    tx.query(&sql, &values, read)
}

/// How many organizations a person is in.
///
/// # Errors
/// When the store fails.
pub fn count_of_user(
    tx: &Tx<'_>,
    user: UserId,
    within: Option<&[OrganizationId]>,
) -> Result<i64, StoreError> {
    let (sql, values) = of_user("COUNT(*)", user, within);
    tx.query_one(&sql, &values, |row| row.get(0))
}

/// Whether the store has any organization at all.
///
/// # Errors
/// When the store fails.
pub fn any(tx: &Tx<'_>) -> Result<bool, StoreError> {
    Ok(tx.query_opt("SELECT o.id FROM organizations o LIMIT 1", &[], |_| Ok(()))?.is_some())
}
