//! Personal access tokens, stored as hashes.

use bindery_model::{Timestamp, TokenId, UserId};

use crate::{Row, StoreError, Tx};

/// A token as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// Its id.
    pub id: TokenId,
    /// The person it belongs to.
    pub user: UserId,
    /// The name that its owner gave it.
    pub name: String,
    /// The first characters, by which its owner recognises it.
    pub prefix: String,
    /// The hash of the token's text.
    pub hash: [u8; 32],
    /// The scopes, as a bit mask.
    pub scopes: i64,
    /// The ids of the organizations that it is limited to, separated by spaces; empty for no limit.
    pub organizations: String,
    /// The ids of the spaces that it is limited to, separated by spaces; empty for no limit.
    pub spaces: String,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time from which it is no longer valid.
    pub expires_at: Option<Timestamp>,
    /// Time of the last use, accurate to about a minute.
    pub last_used_at: Option<Timestamp>,
    /// The token that created this one, directly or through a session.
    pub parent: Option<TokenId>,
}

const COLUMNS: &str = "t.id, t.user_id, t.name, t.prefix, t.hash, t.scopes, t.organizations, \
     t.spaces, t.created_at, t.expires_at, t.last_used_at, t.parent";

fn read(row: &Row<'_>) -> Result<Token, StoreError> {
    Ok(Token {
        id: row.get(0)?,
        user: row.get(1)?,
        name: row.get(2)?,
        prefix: row.get(3)?,
        hash: row.get(4)?,
        scopes: row.get(5)?,
        organizations: row.get(6)?,
        spaces: row.get(7)?,
        created_at: row.get(8)?,
        expires_at: row.get(9)?,
        last_used_at: row.get(10)?,
        parent: row.get(11)?,
    })
}

/// Inserts a new token.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, token: &Token) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO tokens (id, user_id, name, prefix, hash, scopes, organizations, spaces, \
         created_at, expires_at, parent) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        &[
            token.id.into(),
            token.user.into(),
            token.name.as_str().into(),
            token.prefix.as_str().into(),
            token.hash.as_slice().into(),
            token.scopes.into(),
            token.organizations.as_str().into(),
            token.spaces.as_str().into(),
            token.created_at.into(),
            token.expires_at.into(),
            token.parent.into(),
        ],
    )?;
    Ok(())
}

/// Returns the token with this hash.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_hash(tx: &Tx<'_>, hash: &[u8; 32]) -> Result<Option<Token>, StoreError> {
    tx.query_opt(
        "SELECT t.id, t.user_id, t.name, t.prefix, t.hash, t.scopes, t.organizations, t.spaces, \
         t.created_at, t.expires_at, t.last_used_at, t.parent FROM tokens t WHERE t.hash = $1",
        &[hash.as_slice().into()],
        read,
    )
}

/// Returns a person's tokens, oldest first, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_of_user(
    tx: &Tx<'_>,
    user: UserId,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Token>, StoreError> {
    let (time, id) = after.unwrap_or((Timestamp::from_millis(i64::MIN), ""));
    tx.query(
        &format!(
            "SELECT {COLUMNS} FROM tokens t WHERE t.user_id = $1 \
             AND (t.created_at > $2 OR (t.created_at = $2 AND t.id > $3)) \
             ORDER BY t.created_at, t.id LIMIT $4"
        ),
        &[user.into(), time.into(), id.into(), i64::from(limit).into()],
        read,
    )
}

/// Returns the number of a person's tokens.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_of_user(tx: &Tx<'_>, user: UserId) -> Result<i64, StoreError> {
    tx.query_one("SELECT COUNT(*) FROM tokens t WHERE t.user_id = $1", &[user.into()], |row| {
        row.get(0)
    })
}

/// Deletes a person's expired tokens.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_expired(tx: &Tx<'_>, user: UserId, now: Timestamp) -> Result<(), StoreError> {
    let sql = "DELETE FROM tokens WHERE user_id = $1 AND expires_at <= $2";
    tx.execute(sql, &[user.into(), now.into()])?;
    Ok(())
}

/// Returns the token with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, id: TokenId) -> Result<Option<Token>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM tokens t WHERE t.id = $1");
    tx.query_opt(&sql, &[id.into()], read)
}

/// Returns a person's token with all its descendants, which may belong to other people. The list is
/// empty if the person has no such token.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_with_descendants(
    tx: &Tx<'_>,
    user: UserId,
    id: TokenId,
) -> Result<Vec<Token>, StoreError> {
    let sql = format!(
        "WITH RECURSIVE family (id) AS ( \
           SELECT f.id FROM tokens f WHERE f.user_id = $1 AND f.id = $2 \
           UNION SELECT c.id FROM tokens c JOIN family p ON c.parent = p.id) \
         SELECT {COLUMNS} FROM tokens t JOIN family m ON m.id = t.id \
         ORDER BY t.created_at, t.id"
    );
    tx.query(&sql, &[user.into(), id.into()], read)
}

/// Deletes a token.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, id: TokenId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM tokens WHERE id = $1", &[id.into()])?;
    Ok(())
}

/// Detaches a token from the token that created it.
///
/// # Errors
/// Returns an error if the store fails.
pub fn detach(tx: &Tx<'_>, id: TokenId) -> Result<(), StoreError> {
    tx.execute("UPDATE tokens SET parent = NULL WHERE id = $1", &[id.into()])?;
    Ok(())
}

/// Records the use of a token.
///
/// # Errors
/// Returns an error if the store fails.
pub fn touch(tx: &Tx<'_>, id: TokenId, at: Timestamp) -> Result<(), StoreError> {
    tx.execute("UPDATE tokens SET last_used_at = $1 WHERE id = $2", &[at.into(), id.into()])?;
    Ok(())
}
