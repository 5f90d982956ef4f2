//! Pending invitations of email addresses.

use bindery_model::{InvitationId, OrganizationId, Role, Timestamp, TokenId, UserId};

use crate::{Row, StoreError, Tx};

/// An invitation as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invitation {
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

const COLUMNS: &str = "i.id, i.organization, i.email, i.role, i.invited_by, i.created_at, \
     i.expires_at, i.sent_at, i.token";

fn read(row: &Row<'_>) -> Result<Invitation, StoreError> {
    Ok(Invitation {
        id: row.get(0)?,
        organization: row.get(1)?,
        email: row.get(2)?,
        role: row.get(3)?,
        invited_by: row.get(4)?,
        created_at: row.get(5)?,
        expires_at: row.get(6)?,
        sent_at: row.get(7)?,
        token: row.get(8)?,
    })
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
    tx.execute(
        "INSERT INTO invitations (id, organization, email, email_folded, role, invited_by, \
         created_at, expires_at, token) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        &[
            invitation.id.into(),
            invitation.organization.into(),
            invitation.email.as_str().into(),
            folded.as_str().into(),
            invitation.role.into(),
            invitation.invited_by.into(),
            invitation.created_at.into(),
            invitation.expires_at.into(),
            invitation.token.into(),
        ],
    )?;
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
        &format!("SELECT {COLUMNS} FROM invitations i WHERE i.id = $1 AND i.expires_at > $2"),
        &[id.into(), now.into()],
        read,
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
        &format!(
            "SELECT {COLUMNS} FROM invitations i WHERE i.organization = $1 AND i.expires_at > $2 \
             AND (i.created_at, i.id) > ($3, $4) ORDER BY i.created_at, i.id LIMIT $5"
        ),
        &[organization.into(), now.into(), time.into(), id.into(), limit.into()],
        read,
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
        |row| row.get(0),
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
    let sql = format!(
        "SELECT {COLUMNS} FROM invitations i WHERE i.token = $1 ORDER BY i.created_at, i.id"
    );
    tx.query(&sql, &[token.into()], read)
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
    let count = tx.query_one("SELECT COUNT(*) FROM invitations", &[], |row| row.get::<i64>(0))?;
    Ok(u64::try_from(count).unwrap_or_default())
}
