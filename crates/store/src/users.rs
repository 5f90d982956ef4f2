//! People.

use std::collections::HashMap;

use bindery_model::{Timestamp, UserId};

use crate::value::placeholders;
use crate::{Row, StoreError, Tx};

/// A person as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct User {
    /// The id.
    pub id: UserId,
    /// The mail address as it was given.
    pub email: String,
    /// The name that others see.
    pub display_name: String,
    /// Where the picture is.
    pub photo_url: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
}

fn read(row: &Row<'_>) -> Result<User, StoreError> {
    Ok(User {
        id: row.get(0)?,
        email: row.get(1)?,
        display_name: row.get(2)?,
        photo_url: row.get(3)?,
        created_at: row.get(4)?,
    })
}

/// Stores a new person; `false` if somebody has the address already.
///
/// # Errors
/// When the store fails.
pub fn create(tx: &Tx<'_>, user: &User) -> Result<bool, StoreError> {
    let added = tx.execute(
        "INSERT INTO users (id, email, email_folded, display_name, photo_url, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (email_folded) DO NOTHING",
        &[
            user.id.into(),
            user.email.as_str().into(),
            user.email.to_lowercase().into(),
            user.display_name.as_str().into(),
            user.photo_url.as_deref().into(),
            user.created_at.into(),
        ],
    )?;
    Ok(added > 0)
}

/// The person with this id.
///
/// # Errors
/// When the store fails.
pub fn get(tx: &Tx<'_>, id: UserId) -> Result<Option<User>, StoreError> {
    tx.query_opt(
        "SELECT u.id, u.email, u.display_name, u.photo_url, u.created_at FROM users u \
         WHERE u.id = $1",
        &[id.into()],
        read,
    )
}

/// The people with these ids.
///
/// # Errors
/// When the store fails.
pub fn by_ids(tx: &Tx<'_>, ids: &[UserId]) -> Result<HashMap<UserId, User>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut values = Vec::new();
    let sql = format!(
        "SELECT u.id, u.email, u.display_name, u.photo_url, u.created_at FROM users u \
         WHERE u.id IN ({})",
        placeholders(&mut values, ids)
    );
    let people = tx.query(&sql, &values, read)?;
    Ok(people.into_iter().map(|user| (user.id, user)).collect())
}

/// The person with this mail address, without regard to case.
///
/// # Errors
/// When the store fails.
pub fn get_by_email(tx: &Tx<'_>, email: &str) -> Result<Option<User>, StoreError> {
    tx.query_opt(
        "SELECT u.id, u.email, u.display_name, u.photo_url, u.created_at FROM users u \
         WHERE u.email_folded = $1",
        &[email.to_lowercase().into()],
        read,
    )
}
