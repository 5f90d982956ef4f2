//! Invite links, which give access to everyone who follows them.

use bindery_model::{
    CollectionId, InviteLinkId, OrganizationId, Role, SpaceId, Timestamp, TokenId, UserId,
};

use crate::{Row, StoreError, Tx};

/// An invite link as stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InviteLink {
    /// The id, which is also the secret.
    pub id: InviteLinkId,
    /// The organization that it invites to.
    pub organization: OrganizationId,
    /// The resource that it gives access to.
    pub to: InviteTarget,
    /// The role that it grants; `None` makes the person only a guest.
    pub role: Option<Role>,
    /// The person who created it.
    pub created_by: UserId,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The token that created the link. The link ends with the token.
    pub token: Option<TokenId>,
    /// Time from which the link is no longer valid; `None` for no limit.
    pub expires_at: Option<Timestamp>,
}

/// The resource that an invite link gives access to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InviteTarget {
    /// The organization as a whole.
    Organization,
    /// A space of the organization.
    Space(SpaceId),
    /// A collection of the organization.
    Collection(CollectionId),
}

const COLUMNS: &str = "l.id, l.organization, l.space, l.collection, l.role, l.created_by, \
     l.created_at, l.token, l.expires_at";

fn read(row: &Row<'_>) -> Result<InviteLink, StoreError> {
    let to = match (row.get::<Option<SpaceId>>(2)?, row.get::<Option<CollectionId>>(3)?) {
        (Some(space), _) => InviteTarget::Space(space),
        (None, Some(collection)) => InviteTarget::Collection(collection),
        (None, None) => InviteTarget::Organization,
    };
    Ok(InviteLink {
        id: row.get(0)?,
        organization: row.get(1)?,
        to,
        role: row.get(4)?,
        created_by: row.get(5)?,
        created_at: row.get(6)?,
        token: row.get(7)?,
        expires_at: row.get(8)?,
    })
}

/// Inserts a new invite link. Deletes the expired links of its organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, link: &InviteLink) -> Result<(), StoreError> {
    let (space, collection) = match link.to {
        InviteTarget::Organization => (None, None),
        InviteTarget::Space(space) => (Some(space), None),
        InviteTarget::Collection(collection) => (None, Some(collection)),
    };
    tx.execute(
        "DELETE FROM invite_links WHERE organization = $1 AND expires_at <= $2",
        &[link.organization.into(), link.created_at.into()],
    )?;
    tx.execute(
        "INSERT INTO invite_links (id, organization, space, collection, role, created_by, \
         created_at, token, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        &[
            link.id.into(),
            link.organization.into(),
            space.into(),
            collection.into(),
            link.role.into(),
            link.created_by.into(),
            link.created_at.into(),
            link.token.into(),
            link.expires_at.into(),
        ],
    )?;
    Ok(())
}

/// Returns an organization's invite link, if it has not expired at `now`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    organization: OrganizationId,
    id: InviteLinkId,
    now: Timestamp,
) -> Result<Option<InviteLink>, StoreError> {
    tx.query_opt(
        &format!(
            "SELECT {COLUMNS} FROM invite_links l WHERE l.id = $1 AND l.organization = $2 \
             AND (l.expires_at IS NULL OR l.expires_at > $3)"
        ),
        &[id.into(), organization.into(), now.into()],
        read,
    )
}

/// Returns the invite links of an organization, its spaces and its collections that have not
/// expired at `now`, oldest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    organization: OrganizationId,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<InviteLink>, StoreError> {
    tx.query(
        &format!(
            "SELECT {COLUMNS} FROM invite_links l WHERE l.organization = $1 \
             AND (l.expires_at IS NULL OR l.expires_at > $2) ORDER BY l.created_at, l.id LIMIT $3"
        ),
        &[organization.into(), now.into(), limit.into()],
        read,
    )
}

/// Returns the invite links that a token created.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_of_token(tx: &Tx<'_>, token: TokenId) -> Result<Vec<InviteLink>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM invite_links l WHERE l.token = $1 ORDER BY l.created_at, l.id"
    );
    tx.query(&sql, &[token.into()], read)
}

/// Sets the role that an invite link grants.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_role(tx: &Tx<'_>, id: InviteLinkId, role: Option<Role>) -> Result<(), StoreError> {
    tx.execute("UPDATE invite_links SET role = $1 WHERE id = $2", &[role.into(), id.into()])?;
    Ok(())
}

/// Deletes an invite link.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, id: InviteLinkId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM invite_links WHERE id = $1", &[id.into()])?;
    Ok(())
}
