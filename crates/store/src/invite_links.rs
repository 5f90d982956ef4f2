//! Links that let in whoever follows them.

use bindery_model::{
    CollectionId, InviteLinkId, OrganizationId, Role, SpaceId, Timestamp, TokenId, UserId,
};

use crate::{Row, StoreError, Tx};

/// A link as it is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InviteLink {
    /// The id, which is the secret.
    pub id: InviteLinkId,
    /// The organization that it leads into.
    pub organization: OrganizationId,
    /// What in it.
    pub to: InvitedTo,
    /// What it gives there; `None`: nothing but being a guest.
    pub role: Option<Role>,
    /// Who made it.
    pub created_by: UserId,
    /// When it was made.
    pub created_at: Timestamp,
    /// The token with which it was made, with which it ends.
    pub token: Option<TokenId>,
    /// The time from which on it is not accepted; `None`: no limit.
    pub expires_at: Option<Timestamp>,
}

/// What a link leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InvitedTo {
    /// The organization as a whole.
    Organization,
    /// A space of it.
    Space(SpaceId),
    /// A collection of it.
    Collection(CollectionId),
}

const COLUMNS: &str = "l.id, l.organization, l.space, l.collection, l.role, l.created_by, \
     l.created_at, l.token, l.expires_at";

fn read(row: &Row<'_>) -> Result<InviteLink, StoreError> {
    let to = match (row.get::<Option<SpaceId>>(2)?, row.get::<Option<CollectionId>>(3)?) {
        (Some(space), _) => InvitedTo::Space(space),
        (None, Some(collection)) => InvitedTo::Collection(collection),
        (None, None) => InvitedTo::Organization,
    };
    Ok(InviteLink {
        id: row.get(0)?,
        organization: row.get(1)?,
        to,
        role: row.get::<Option<String>>(4)?.as_deref().and_then(Role::parse),
        created_by: row.get(5)?,
        created_at: row.get(6)?,
        token: row.get(7)?,
        expires_at: row.get(8)?,
    })
}

/// Stores a new link. Those of its organization that expired go.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, link: &InviteLink) -> Result<(), StoreError> {
    let (space, collection) = match link.to {
        InvitedTo::Organization => (None, None),
        InvitedTo::Space(space) => (Some(space), None),
        InvitedTo::Collection(collection) => (None, Some(collection)),
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
            link.role.map(Role::as_str).into(),
            link.created_by.into(),
            link.created_at.into(),
            link.token.into(),
            link.expires_at.into(),
        ],
    )?;
    Ok(())
}

/// A link of an organization that has not expired.
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

/// Returns the links of an organization, to the whole and to its spaces and collections, that
/// have not expired, oldest first.
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

/// Returns the links that were made with a token.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_of_token(tx: &Tx<'_>, token: TokenId) -> Result<Vec<InviteLink>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM invite_links l WHERE l.token = $1 ORDER BY l.created_at, l.id"
    );
    tx.query(&sql, &[token.into()], read)
}

/// Changes what a link gives.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_role(tx: &Tx<'_>, id: InviteLinkId, role: Option<Role>) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE invite_links SET role = $1 WHERE id = $2",
        &[role.map(Role::as_str).into(), id.into()],
    )?;
    Ok(())
}

/// Takes a link away.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, id: InviteLinkId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM invite_links WHERE id = $1", &[id.into()])?;
    Ok(())
}
