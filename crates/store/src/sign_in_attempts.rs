//! Counts of attempts to sign in.

use bindery_model::{Timestamp, closed_set};

use crate::{StoreError, Tx};

closed_set! {
    /// The scope of a count of attempts, as audit events name it.
    AttemptScope {
        /// One device.
        Device = "device",
        /// One network.
        Network = "network",
        /// All networks from which the account was not used before.
        Account = "account",
        /// A signed-in user who confirms the current password.
        Session = "session",
    }
}

/// The attempts counted for one subject.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attempts {
    /// Number of attempts.
    pub count: i64,
    /// Time of the first counted attempt.
    pub began_at: Timestamp,
}

/// Returns the attempts for `subject`, if the count began at `since` or later.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    subject: &[u8; 32],
    since: Timestamp,
) -> Result<Option<Attempts>, StoreError> {
    tx.query_opt(
        "SELECT a.tried, a.began_at FROM sign_in_attempts a \
         WHERE a.subject = $1 AND a.began_at >= $2",
        &[subject.as_slice().into(), since.into()],
        |row| Ok(Attempts { count: row.get(0)?, began_at: row.get(1)? }),
    )
}

/// Counts one more attempt for `subject`. Deletes all counts that began before `since` first, so an
/// old count starts again.
///
/// # Errors
/// Returns an error if the store fails.
pub fn add(
    tx: &Tx<'_>,
    subject: &[u8; 32],
    now: Timestamp,
    since: Timestamp,
) -> Result<Attempts, StoreError> {
    tx.execute("DELETE FROM sign_in_attempts WHERE began_at < $1", &[since.into()])?;
    tx.query_one(
        "INSERT INTO sign_in_attempts (subject, tried, began_at) VALUES ($1, 1, $2) \
         ON CONFLICT (subject) DO UPDATE SET tried = sign_in_attempts.tried + 1 \
         RETURNING tried, began_at",
        &[subject.as_slice().into(), now.into()],
        |row| Ok(Attempts { count: row.get(0)?, began_at: row.get(1)? }),
    )
}

/// Deletes the count for a subject.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, subject: &[u8; 32]) -> Result<(), StoreError> {
    tx.execute("DELETE FROM sign_in_attempts WHERE subject = $1", &[subject.as_slice().into()])?;
    Ok(())
}

/// Decrements the count for a subject.
///
/// # Errors
/// Returns an error if the store fails.
pub fn decrement(tx: &Tx<'_>, subject: &[u8; 32]) -> Result<(), StoreError> {
    let sql = "UPDATE sign_in_attempts SET tried = tried - 1 WHERE subject = $1 AND tried > 0";
    tx.execute(sql, &[subject.as_slice().into()])?;
    Ok(())
}
