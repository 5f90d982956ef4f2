//! Links that let in whoever follows them.

use bindery_model::{CollectionId, InviteLinkId, OrganizationId, Role, SpaceId, Timestamp, UserId};

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

const COLUMNS: &str =
    "l.id, l.organization, l.space, l.collection, l.role, l.created_by, l.created_at";

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
    })
}

/// Stores a new link.
///
/// # Errors
/// When the store fails.
pub fn create(tx: &Tx<'_>, link: &InviteLink) -> Result<(), StoreError> {
    let (space, collection) = match link.to {
        InvitedTo::Organization => (None, None),
        InvitedTo::Space(space) => (Some(space), None),
        InvitedTo::Collection(collection) => (None, Some(collection)),
    };
    tx.execute(
        "INSERT INTO invite_links (id, organization, space, collection, role, created_by, \
         created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &[
            link.id.into(),
            link.organization.into(),
            space.into(),
            collection.into(),
            link.role.map(Role::as_str).into(),
            link.created_by.into(),
            link.created_at.into(),
        ],
    )?;
    Ok(())
}

/// A link of an organization.
///
/// # Errors
/// When the store fails.
pub fn get(
    tx: &Tx<'_>,
    organization: OrganizationId,
    id: InviteLinkId,
) -> Result<Option<InviteLink>, StoreError> {
    tx.query_opt(
        &format!("SELECT {COLUMNS} FROM invite_links l WHERE l.id = $1 AND l.organization = $2"),
        &[id.into(), organization.into()],
        read,
    )
}

/// The links to an organization as a whole, oldest first, after the given place.
///
/// # Errors
/// When the store fails.
pub fn list(
    tx: &Tx<'_>,
    organization: OrganizationId,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<InviteLink>, StoreError> {
    let (time, id) = after.unwrap_or((Timestamp::from_millis(i64::MIN), ""));
    tx.query(
        &format!(
            "SELECT {COLUMNS} FROM invite_links l WHERE l.organization = $1 AND l.space IS NULL \
             AND l.collection IS NULL AND (l.created_at, l.id) > ($2, $3) \
             ORDER BY l.created_at, l.id LIMIT $4"
        ),
        &[organization.into(), time.into(), id.into(), limit.into()],
        read,
    )
}

/// How many links to an organization as a whole there are.
///
/// # Errors
/// When the store fails.
pub fn count(tx: &Tx<'_>, organization: OrganizationId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM invite_links l WHERE l.organization = $1 AND l.space IS NULL \
         AND l.collection IS NULL",
        &[organization.into()],
        |row| row.get(0),
    )
}

/// Changes what a link gives.
///
/// # Errors
/// When the store fails.
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
/// When the store fails.
pub fn delete(tx: &Tx<'_>, id: InviteLinkId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM invite_links WHERE id = $1", &[id.into()])?;
    Ok(())
}
