//! Links that sign a person in once.

use bindery_model::{SignInLinkId, Timestamp, TokenId};

use crate::record::{FromRow, Record, record, sql};
use crate::{StoreError, Tx};

record! {
    /// A sign-in link as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct SignInLink in sign_in_links as l {
        /// Its id.
        pub id: SignInLinkId,
        /// The email address of the person to sign in, in lower case. No person with it needs to
        /// exist.
        pub email: String,
        /// `true` if the link is sent only to that address.
        pub mailed: bool,
        /// Time of creation.
        pub created_at: Timestamp,
        /// Time from which it is no longer valid.
        pub expires_at: Timestamp,
        /// The token that created the link. The link ends with the token.
        pub token: Option<TokenId>,
    }
}

/// Inserts a new link. Deletes expired links.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, link: &SignInLink) -> Result<(), StoreError> {
    tx.execute("DELETE FROM sign_in_links WHERE expires_at <= $1", &[link.created_at.into()])?;
    tx.execute(
        "INSERT INTO sign_in_links (id, email, mailed, created_at, expires_at, token) \
         VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            link.id.into(),
            link.email.to_lowercase().into(),
            i64::from(link.mailed).into(),
            link.created_at.into(),
            link.expires_at.into(),
            link.token.into(),
        ],
    )?;
    Ok(())
}

/// Returns the link with this id, if it has not expired at `now`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    id: SignInLinkId,
    now: Timestamp,
) -> Result<Option<SignInLink>, StoreError> {
    tx.query_opt(
        sql!(SignInLink::SELECT, " WHERE l.id = $1 AND l.expires_at > $2"),
        &[id.into(), now.into()],
        SignInLink::from_row,
    )
}

/// Deletes all links for an email address, ignoring case.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_by_email(tx: &Tx<'_>, email: &str) -> Result<(), StoreError> {
    let sql = "DELETE FROM sign_in_links WHERE email = $1";
    tx.execute(sql, &[email.to_lowercase().into()])?;
    Ok(())
}

/// Deletes the links that a token created.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_by_token(tx: &Tx<'_>, token: TokenId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM sign_in_links WHERE token = $1", &[token.into()])?;
    Ok(())
}

/// Deletes a link.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, id: SignInLinkId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM sign_in_links WHERE id = $1", &[id.into()])?;
    Ok(())
}

/// Deletes all links and returns their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_all(tx: &Tx<'_>) -> Result<u64, StoreError> {
    tx.execute("DELETE FROM sign_in_links", &[])
}
