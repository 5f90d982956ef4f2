//! Browser sessions, stored by the hashes of their secrets.

use bindery_model::{SessionId, Timestamp, TokenId, UserId, closed_set};

use crate::{Row, StoreError, Tx};

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

/// A session as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// The person it belongs to.
    pub user: UserId,
    /// The hash of its secret.
    pub hash: [u8; 32],
    /// The method with which the person signed in.
    pub method: SignInMethod,
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

const COLUMNS: &str = "s.id, s.user_id, s.hash, s.way, s.host, s.address, s.agent, s.created_at, \
     s.expires_at, s.last_used_at, s.token, s.ends_at";

fn read(row: &Row<'_>) -> Result<Session, StoreError> {
    Ok(Session {
        id: row.get(0)?,
        user: row.get(1)?,
        hash: row.get(2)?,
        method: row.get(3)?,
        host: row.get(4)?,
        address: row.get(5)?,
        agent: row.get(6)?,
        created_at: row.get(7)?,
        expires_at: row.get(8)?,
        last_used_at: row.get(9)?,
        token: row.get(10)?,
        ends_at: row.get(11)?,
    })
}

/// Inserts a new session. Deletes expired sessions.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, session: &Session) -> Result<(), StoreError> {
    tx.execute("DELETE FROM sessions WHERE expires_at <= $1", &[session.created_at.into()])?;
    tx.execute(
        "INSERT INTO sessions (id, user_id, hash, way, host, address, agent, created_at, \
         expires_at, last_used_at, token, ends_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        &[
            session.id.into(),
            session.user.into(),
            session.hash.as_slice().into(),
            session.method.into(),
            session.host.as_str().into(),
            session.address.as_str().into(),
            session.agent.as_str().into(),
            session.created_at.into(),
            session.expires_at.into(),
            session.last_used_at.into(),
            session.token.into(),
            session.ends_at.into(),
        ],
    )?;
    Ok(())
}

/// Returns the session whose secret has this hash.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_hash(tx: &Tx<'_>, hash: &[u8; 32]) -> Result<Option<Session>, StoreError> {
    tx.query_opt(
        "SELECT s.id, s.user_id, s.hash, s.way, s.host, s.address, s.agent, s.created_at, \
         s.expires_at, s.last_used_at, s.token, s.ends_at FROM sessions s WHERE s.hash = $1",
        &[hash.as_slice().into()],
        read,
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
        &format!(
            "SELECT {COLUMNS} FROM sessions s \
             WHERE s.id = $1 AND s.user_id = $2 AND s.expires_at > $3"
        ),
        &[id.into(), user.into(), now.into()],
        read,
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
        &format!(
            "SELECT {COLUMNS} FROM sessions s WHERE s.user_id = $1 AND s.expires_at > $2 \
             AND (s.created_at > $3 OR (s.created_at = $3 AND s.id > $4)) \
             ORDER BY s.created_at, s.id LIMIT $5"
        ),
        &[user.into(), now.into(), time.into(), id.into(), i64::from(limit).into()],
        read,
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
        |row| row.get(0),
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
        |row| row.get(0),
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
    let sql =
        format!("SELECT {COLUMNS} FROM sessions s WHERE s.token = $1 ORDER BY s.created_at, s.id");
    tx.query(&sql, &[token.into()], read)
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
