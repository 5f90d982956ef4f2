//! Counts of attempts to sign in.

use bindery_model::{Timestamp, closed_set};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
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

record! {
    /// The attempts counted for one subject.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Attempts in sign_in_attempts as a, insert {
        /// Number of attempts.
        pub count: i64 = tried,
        /// Time of the first counted attempt.
        pub began_at: Timestamp,
    }
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
        sql!(Attempts::SELECT, " WHERE a.subject = $1 AND a.began_at >= $2"),
        &[subject.as_slice().into(), since.into()],
        Attempts::from_row,
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
    let first = Attempts { count: 1, began_at: now };
    let mut values = first.values();
    values.push(subject.as_slice().into());
    tx.query_one(
        sql!(
            insert!(Attempts, subject),
            " ON CONFLICT (subject) DO UPDATE SET tried = sign_in_attempts.tried + 1 RETURNING ",
            Attempts::NAMES
        ),
        &values,
        Attempts::from_row,
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
