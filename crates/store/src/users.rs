//! Users.

use std::collections::HashMap;

use bindery_model::{Timestamp, UserId};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::value::placeholders;
use crate::{StoreError, Tx};

record! {
    /// A user as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct User in users as u, insert {
        /// The id.
        pub id: UserId,
        /// The email address, as entered.
        pub email: String,
        /// The name that others see.
        pub display_name: String,
        /// The URL of the photo.
        pub photo_url: Option<String>,
        /// Time of creation.
        pub created_at: Timestamp,
        /// Time at which the user proved that the email address is theirs.
        pub verified_at: Option<Timestamp>,
    }
}

/// Inserts a new user. Returns `false` if the email address is taken.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, user: &User) -> Result<bool, StoreError> {
    let mut values = user.values();
    values.push(user.email.to_lowercase().into());
    values.push(user.display_name.to_lowercase().into());
    let added = tx.execute(
        sql!(
            insert!(User, email_folded, display_name_folded),
            " ON CONFLICT (email_folded) DO NOTHING"
        ),
        &values,
    )?;
    Ok(added > 0)
}

/// Updates a user's name, photo and verification of the email address.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, user: &User) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE users SET display_name = $1, display_name_folded = $2, photo_url = $3, \
         verified_at = $4 WHERE id = $5",
        &[
            user.display_name.as_str().into(),
            user.display_name.to_lowercase().into(),
            user.photo_url.as_deref().into(),
            user.verified_at.into(),
            user.id.into(),
        ],
    )?;
    Ok(())
}

/// Returns the user with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, id: UserId) -> Result<Option<User>, StoreError> {
    tx.query_opt(sql!(User::SELECT, " WHERE u.id = $1"), &[id.into()], User::from_row)
}

/// Returns the users with these ids.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_many(tx: &Tx<'_>, ids: &[UserId]) -> Result<HashMap<UserId, User>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut values = Vec::new();
    let sql = format!("{} WHERE u.id IN ({})", User::SELECT, placeholders(&mut values, ids));
    let people = tx.query(&sql, &values, User::from_row)?;
    Ok(people.into_iter().map(|user| (user.id, user)).collect())
}

/// Returns the user with this email address, ignoring case.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_email(tx: &Tx<'_>, email: &str) -> Result<Option<User>, StoreError> {
    tx.query_opt(
        sql!(User::SELECT, " WHERE u.email_folded = $1"),
        &[email.to_lowercase().into()],
        User::from_row,
    )
}
