//! Personal access tokens, stored as hashes.

use bindery_model::{Timestamp, TokenId, UserId};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// A token as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Token in tokens as t, insert {
        /// Its id.
        pub id: TokenId,
        /// The person it belongs to.
        pub user: UserId = user_id,
        /// The name that its owner gave it.
        pub name: String,
        /// The first characters, by which its owner recognises it.
        pub prefix: String,
        /// The hash of the token's text.
        pub hash: [u8; 32],
        /// The scopes, as a bit mask.
        pub scopes: i64,
        /// The ids of the organizations that it is limited to, separated by spaces; empty for no
        /// limit.
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
}

/// Inserts a new token.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, token: &Token) -> Result<(), StoreError> {
    tx.execute(insert!(Token), &token.values())?;
    Ok(())
}

/// Returns the token with this hash.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_hash(tx: &Tx<'_>, hash: &[u8; 32]) -> Result<Option<Token>, StoreError> {
    tx.query_opt(
        sql!(Token::SELECT, " WHERE t.hash = $1"),
        &[hash.as_slice().into()],
        Token::from_row,
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
        sql!(
            Token::SELECT,
            " WHERE t.user_id = $1 \
             AND (t.created_at > $2 OR (t.created_at = $2 AND t.id > $3)) \
             ORDER BY t.created_at, t.id LIMIT $4"
        ),
        &[user.into(), time.into(), id.into(), i64::from(limit).into()],
        Token::from_row,
    )
}

/// Returns the number of a person's tokens.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_of_user(tx: &Tx<'_>, user: UserId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM tokens t WHERE t.user_id = $1",
        &[user.into()],
        FromRow::from_row,
    )
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
    tx.query_opt(sql!(Token::SELECT, " WHERE t.id = $1"), &[id.into()], Token::from_row)
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
    let sql = sql!(
        "WITH RECURSIVE family (id) AS ( \
           SELECT f.id FROM tokens f WHERE f.user_id = $1 AND f.id = $2 \
           UNION SELECT c.id FROM tokens c JOIN family p ON c.parent = p.id) ",
        Token::SELECT,
        " JOIN family m ON m.id = t.id ORDER BY t.created_at, t.id"
    );
    tx.query(sql, &[user.into(), id.into()], Token::from_row)
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
