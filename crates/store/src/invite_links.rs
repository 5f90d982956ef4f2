//! Invite links, which give access to everyone who follows them.

use bindery_model::{
    CollectionId, InviteLinkId, OrganizationId, Role, SpaceId, Timestamp, TokenId, UserId,
};

use crate::record::{Columns, FromRow, Insert, Record, ToRow, insert, record, sql};
use crate::{StoreError, Tx, Value};

record! {
    /// An invite link as stored.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct InviteLink in invite_links as l, insert {
        /// The id, which is also the secret.
        pub id: InviteLinkId,
        /// The organization that it invites to.
        pub organization: OrganizationId,
        /// The resource that it gives access to.
        pub to: InviteTarget = (space, collection),
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

impl FromRow for InviteTarget {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        Ok(match columns.read::<(Option<SpaceId>, Option<CollectionId>)>()? {
            (Some(space), _) => Self::Space(space),
            (None, Some(collection)) => Self::Collection(collection),
            (None, None) => Self::Organization,
        })
    }
}

impl ToRow for InviteTarget {
    fn append_to<'a>(&'a self, values: &mut Vec<Value<'a>>) {
        values.extend(match self {
            Self::Organization => [Value::Null, Value::Null],
            Self::Space(space) => [space.into(), Value::Null],
            Self::Collection(collection) => [Value::Null, collection.into()],
        });
    }
}

/// Inserts a new invite link. Deletes the expired links of its organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, link: &InviteLink) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM invite_links WHERE organization = $1 AND expires_at <= $2",
        &[link.organization.into(), link.created_at.into()],
    )?;
    tx.execute(insert!(InviteLink), &link.values())?;
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
        sql!(
            InviteLink::SELECT,
            " WHERE l.id = $1 AND l.organization = $2 \
             AND (l.expires_at IS NULL OR l.expires_at > $3)"
        ),
        &[id.into(), organization.into(), now.into()],
        InviteLink::from_row,
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
        sql!(
            InviteLink::SELECT,
            " WHERE l.organization = $1 \
             AND (l.expires_at IS NULL OR l.expires_at > $2) ORDER BY l.created_at, l.id LIMIT $3"
        ),
        &[organization.into(), now.into(), limit.into()],
        InviteLink::from_row,
    )
}

/// Returns the invite links that a token created.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_of_token(tx: &Tx<'_>, token: TokenId) -> Result<Vec<InviteLink>, StoreError> {
    let sql = sql!(InviteLink::SELECT, " WHERE l.token = $1 ORDER BY l.created_at, l.id");
    tx.query(sql, &[token.into()], InviteLink::from_row)
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
