//! How often somebody tried to sign in.

use bindery_model::Timestamp;

use crate::{StoreError, Tx};

/// How often something was tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attempts {
    /// How often.
    pub tried: i64,
    /// Since when.
    pub began_at: Timestamp,
}

/// Returns the attempts at `subject`, if they are counted since a moment not before `since`.
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
        |row| Ok(Attempts { tried: row.get(0)?, began_at: row.get(1)? }),
    )
}

/// Counts one more attempt at `subject`, and begins anew where the last count began before
/// `since`. Counts of others that began before then go.
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
        |row| Ok(Attempts { tried: row.get(0)?, began_at: row.get(1)? }),
    )
}

/// Forgets the attempts at a subject.
///
/// # Errors
/// Returns an error if the store fails.
pub fn forget(tx: &Tx<'_>, subject: &[u8; 32]) -> Result<(), StoreError> {
    tx.execute("DELETE FROM sign_in_attempts WHERE subject = $1", &[subject.as_slice().into()])?;
    Ok(())
}

/// Counts one attempt at a subject less.
///
/// # Errors
/// Returns an error if the store fails.
pub fn take_back(tx: &Tx<'_>, subject: &[u8; 32]) -> Result<(), StoreError> {
    let sql = "UPDATE sign_in_attempts SET tried = tried - 1 WHERE subject = $1 AND tried > 0";
    tx.execute(sql, &[subject.as_slice().into()])?;
    Ok(())
}
