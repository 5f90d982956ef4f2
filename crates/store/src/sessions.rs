//! Browser sessions, stored by the hashes of their secrets.

use bindery_model::{SessionId, Timestamp, TokenId, UserId, closed_set};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

closed_set! {
    /// The method with which a person signed in.
    SignInMethod {
        /// A password.
        Password = "password",
        /// A sign-in link, mailed or handed over.
        Link = "link",
        /// A personal access token.
        Token = "token",
    }
}

record! {
    /// A session as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Session in sessions as s, insert {
        /// Its id.
        pub id: SessionId,
        /// The person it belongs to.
        pub user: UserId = user_id,
        /// The hash of its secret.
        pub hash: [u8; 32],
        /// The method with which the person signed in.
        pub method: SignInMethod = way,
        /// The only host on which it is valid.
        pub host: String,
        /// The IP address from which it was started.
        pub address: String,
        /// The user agent with which it was started.
        pub agent: String,
        /// Time of creation.
        pub created_at: Timestamp,
        /// Time from which it is no longer valid.
        pub expires_at: Timestamp,
        /// Time of the last use, accurate to about a minute.
        pub last_used_at: Timestamp,
        /// The token that started it. The session ends with the token.
        pub token: Option<TokenId>,
        /// The latest time to which use can extend it, if that is earlier than usual.
        pub ends_at: Option<Timestamp>,
    }
}

/// Inserts a new session. Deletes expired sessions.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, session: &Session) -> Result<(), StoreError> {
    tx.execute("DELETE FROM sessions WHERE expires_at <= $1", &[session.created_at.into()])?;
    tx.execute(insert!(Session), &session.values())?;
    Ok(())
}

/// Returns the session whose secret has this hash.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_hash(tx: &Tx<'_>, hash: &[u8; 32]) -> Result<Option<Session>, StoreError> {
    tx.query_opt(
        sql!(Session::SELECT, " WHERE s.hash = $1"),
        &[hash.as_slice().into()],
        Session::from_row,
    )
}

/// Returns a person's session, if it has not expired at `now`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    user: UserId,
    id: SessionId,
    now: Timestamp,
) -> Result<Option<Session>, StoreError> {
    tx.query_opt(
        sql!(Session::SELECT, " WHERE s.id = $1 AND s.user_id = $2 AND s.expires_at > $3"),
        &[id.into(), user.into(), now.into()],
        Session::from_row,
    )
}

/// Returns a person's sessions that have not expired at `now`, oldest first, starting after
/// `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_of_user(
    tx: &Tx<'_>,
    user: UserId,
    now: Timestamp,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Session>, StoreError> {
    let (time, id) = after.unwrap_or((Timestamp::from_millis(i64::MIN), ""));
    tx.query(
        sql!(
            Session::SELECT,
            " WHERE s.user_id = $1 AND s.expires_at > $2 \
             AND (s.created_at > $3 OR (s.created_at = $3 AND s.id > $4)) \
             ORDER BY s.created_at, s.id LIMIT $5"
        ),
        &[user.into(), now.into(), time.into(), id.into(), i64::from(limit).into()],
        Session::from_row,
    )
}

/// Returns the number of a person's sessions that have not expired at `now`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_of_user(tx: &Tx<'_>, user: UserId, now: Timestamp) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM sessions s WHERE s.user_id = $1 AND s.expires_at > $2",
        &[user.into(), now.into()],
        FromRow::from_row,
    )
}

/// Returns the person's session with the oldest last use.
///
/// # Errors
/// Returns an error if the store fails.
pub fn least_recently_used(tx: &Tx<'_>, user: UserId) -> Result<Option<SessionId>, StoreError> {
    tx.query_opt(
        "SELECT s.id FROM sessions s WHERE s.user_id = $1 ORDER BY s.last_used_at, s.id LIMIT 1",
        &[user.into()],
        FromRow::from_row,
    )
}

/// Ends a person's session. Returns `false` if there was none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, user: UserId, id: SessionId) -> Result<bool, StoreError> {
    let sql = "DELETE FROM sessions WHERE user_id = $1 AND id = $2";
    Ok(tx.execute(sql, &[user.into(), id.into()])? > 0)
}

/// Returns the sessions that a token started.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_of_token(tx: &Tx<'_>, token: TokenId) -> Result<Vec<Session>, StoreError> {
    let sql = sql!(Session::SELECT, " WHERE s.token = $1 ORDER BY s.created_at, s.id");
    tx.query(sql, &[token.into()], Session::from_row)
}

/// Detaches a session from the token that started it.
///
/// # Errors
/// Returns an error if the store fails.
pub fn detach(tx: &Tx<'_>, id: SessionId) -> Result<(), StoreError> {
    tx.execute("UPDATE sessions SET token = NULL WHERE id = $1", &[id.into()])?;
    Ok(())
}

/// Records a use of a session and its new time of expiry.
///
/// # Errors
/// Returns an error if the store fails.
pub fn touch(
    tx: &Tx<'_>,
    id: SessionId,
    at: Timestamp,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    let sql = "UPDATE sessions SET last_used_at = $1, expires_at = $2 WHERE id = $3";
    tx.execute(sql, &[at.into(), expires_at.into(), id.into()])?;
    Ok(())
}
