//! Passwords, stored as slow hashes.

use bindery_model::{Timestamp, UserId};

use crate::record::FromRow;
use crate::{StoreError, Tx};

/// Returns the hash of a person's password, if they have one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, user: UserId) -> Result<Option<String>, StoreError> {
    let sql = "SELECT p.hash FROM passwords p WHERE p.user_id = $1";
    tx.query_opt(sql, &[user.into()], FromRow::from_row)
}

/// Stores the hash of a person's password and replaces an earlier one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, user: UserId, hash: &str, at: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO passwords (user_id, hash, set_at) VALUES ($1, $2, $3) \
         ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, set_at = excluded.set_at",
        &[user.into(), hash.into(), at.into()],
    )?;
    Ok(())
}

/// Removes a person's password. Returns `false` if there was none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, user: UserId) -> Result<bool, StoreError> {
    Ok(tx.execute("DELETE FROM passwords WHERE user_id = $1", &[user.into()])? > 0)
}
