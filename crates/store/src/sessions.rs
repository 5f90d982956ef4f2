//! Sessions of browsers, stored by the hashes of their secrets.

use bindery_model::{SessionId, Timestamp, TokenId, UserId};

use crate::{Row, StoreError, Tx};

/// How a person signed in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// With the password.
    Password,
    /// By a link that was mailed or handed over.
    Link,
    /// With a personal token.
    Token,
}

impl Way {
    const ALL: [Self; 3] = [Self::Password, Self::Link, Self::Token];

    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Link => "link",
            Self::Token => "token",
        }
    }

    fn read(row: &Row<'_>, column: usize) -> Result<Self, StoreError> {
        let word = row.get::<String>(column)?;
        let found = Self::ALL.into_iter().find(|way| way.as_str() == word);
        found.ok_or_else(|| StoreError::Corrupt(format!("a session's way is \"{word}\"")))
    }
}

/// A session as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// Whose it is.
    pub user: UserId,
    /// The hash of its secret.
    pub hash: [u8; 32],
    /// How the person signed in.
    pub way: Way,
    /// The only host that it is good for.
    pub host: String,
    /// The address that it was begun from.
    pub address: String,
    /// The program that it was begun with, as that calls itself.
    pub agent: String,
    /// When it began.
    pub created_at: Timestamp,
    /// From when on it is not accepted.
    pub expires_at: Timestamp,
    /// When it was last used, to the minute or so.
    pub last_used_at: Timestamp,
    /// The token that began it, with which it ends.
    pub token: Option<TokenId>,
    /// The last moment to which use prolongs it, where that comes before the usual one.
    pub ends_at: Option<Timestamp>,
}

const COLUMNS: &str = "s.id, s.user_id, s.hash, s.way, s.host, s.address, s.agent, s.created_at, \
     s.expires_at, s.last_used_at, s.token, s.ends_at";

fn read(row: &Row<'_>) -> Result<Session, StoreError> {
    Ok(Session {
        id: row.get(0)?,
        user: row.get(1)?,
        hash: row.get(2)?,
        way: Way::read(row, 3)?,
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

/// Stores a new session. Those that expired go.
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
            session.way.as_str().into(),
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

/// The session whose secret has this hash.
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

/// The session of a person that has not expired by now.
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

/// The sessions of a person that have not expired by now, oldest first, after the given place.
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

/// How many sessions of a person have not expired by now.
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

/// Returns the session of a person that was not used for the longest time.
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

/// Ends a session of a person; `false` if there was none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, user: UserId, id: SessionId) -> Result<bool, StoreError> {
    let sql = "DELETE FROM sessions WHERE user_id = $1 AND id = $2";
    Ok(tx.execute(sql, &[user.into(), id.into()])? > 0)
}

/// Returns the sessions that a token began.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_of_token(tx: &Tx<'_>, token: TokenId) -> Result<Vec<Session>, StoreError> {
    let sql =
        format!("SELECT {COLUMNS} FROM sessions s WHERE s.token = $1 ORDER BY s.created_at, s.id");
    tx.query(&sql, &[token.into()], read)
}

/// Makes a session independent of the token that began it.
///
/// # Errors
/// Returns an error if the store fails.
pub fn detach(tx: &Tx<'_>, id: SessionId) -> Result<(), StoreError> {
    tx.execute("UPDATE sessions SET token = NULL WHERE id = $1", &[id.into()])?;
    Ok(())
}

/// Notes that a session was used, and until when it goes on for that.
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
