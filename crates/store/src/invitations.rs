//! Pending invitations of email addresses.

use bindery_model::{InvitationId, OrganizationId, Role, Timestamp, TokenId, UserId};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// An invitation as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Invitation in invitations as i, insert {
        /// Its id.
        pub id: InvitationId,
        /// The organization that it invites to.
        pub organization: OrganizationId,
        /// The email address, as entered.
        pub email: String,
        /// The role; `None` for a guest.
        pub role: Option<Role>,
        /// The person who sent the invitation.
        pub invited_by: UserId,
        /// Time of creation.
        pub created_at: Timestamp,
        /// Time from which the invitation is no longer valid.
        pub expires_at: Timestamp,
        /// Time at which a mail server accepted the message.
        pub sent_at: Option<Timestamp>,
        /// The token that created the invitation. The invitation ends with the token.
        pub token: Option<TokenId>,
    }
}

/// Stores an invitation and replaces an earlier one to the same address. Deletes expired
/// invitations.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, invitation: &Invitation) -> Result<(), StoreError> {
    let folded = invitation.email.to_lowercase();
    tx.execute(
        "DELETE FROM invitations WHERE organization = $1 AND (email_folded = $2 OR expires_at <= $3)",
        &[
            invitation.organization.into(),
            folded.as_str().into(),
            invitation.created_at.into(),
        ],
    )?;
    let mut values = invitation.values();
    values.push(folded.as_str().into());
    tx.execute(insert!(Invitation, email_folded), &values)?;
    Ok(())
}

/// Returns the invitation with this id, if it has not expired at `now`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    id: InvitationId,
    now: Timestamp,
) -> Result<Option<Invitation>, StoreError> {
    tx.query_opt(
        sql!(Invitation::SELECT, " WHERE i.id = $1 AND i.expires_at > $2"),
        &[id.into(), now.into()],
        Invitation::from_row,
    )
}

/// Returns the pending invitations, oldest first, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    organization: OrganizationId,
    now: Timestamp,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Invitation>, StoreError> {
    let (time, id) = after.unwrap_or((Timestamp::from_millis(i64::MIN), ""));
    tx.query(
        sql!(
            Invitation::SELECT,
            " WHERE i.organization = $1 AND i.expires_at > $2 \
             AND (i.created_at, i.id) > ($3, $4) ORDER BY i.created_at, i.id LIMIT $5"
        ),
        &[organization.into(), now.into(), time.into(), id.into(), limit.into()],
        Invitation::from_row,
    )
}

/// Returns the number of pending invitations.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM invitations i WHERE i.organization = $1 AND i.expires_at > $2",
        &[organization.into(), now.into()],
        FromRow::from_row,
    )
}

/// Records that a mail server accepted an invitation's message.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_sent(tx: &Tx<'_>, id: InvitationId, at: Timestamp) -> Result<(), StoreError> {
    tx.execute("UPDATE invitations SET sent_at = $1 WHERE id = $2", &[at.into(), id.into()])?;
    Ok(())
}

/// Returns the invitations that a token created.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_of_token(tx: &Tx<'_>, token: TokenId) -> Result<Vec<Invitation>, StoreError> {
    let sql = sql!(Invitation::SELECT, " WHERE i.token = $1 ORDER BY i.created_at, i.id");
    tx.query(sql, &[token.into()], Invitation::from_row)
}

/// Deletes an invitation.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, id: InvitationId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM invitations WHERE id = $1", &[id.into()])?;
    Ok(())
}

/// Returns the number of invitations in all organizations.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_all(tx: &Tx<'_>) -> Result<u64, StoreError> {
    let count = tx.query_one("SELECT COUNT(*) FROM invitations", &[], i64::from_row)?;
    Ok(u64::try_from(count).unwrap_or_default())
}
