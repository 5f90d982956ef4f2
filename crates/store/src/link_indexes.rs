//! Stored link indexes: one for each space, of its current or an earlier main content. An index of
//! earlier content is outdated.

use bindery_model::{OrganizationId, SpaceId, Timestamp};
use bindery_revision::{Hash, LinkIndex, Record};

use crate::record::{Columns, FromRow, Record as _, record, sql};
use crate::{StoreError, Tx};

record! {
    /// An index with the content it belongs to.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct StoredIndex in link_indexes as l {
        /// The object of a revision with that content.
        pub base: Hash,
        /// The index.
        pub index: LinkIndex = entries,
    }
}

impl FromRow for LinkIndex {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        Self::decode(&columns.read::<Vec<u8>>()?)
            .map_err(|error| StoreError::Corrupt(error.to_string()))
    }
}

/// Returns the stored index of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, space: SpaceId) -> Result<Option<StoredIndex>, StoreError> {
    tx.query_opt(
        sql!(StoredIndex::SELECT, " WHERE l.space = $1"),
        &[space.into()],
        StoredIndex::from_row,
    )
}

/// Returns the indexes of all spaces. The snapshot must be consistent: if the list were read in
/// parts, it could miss an object that a space passes to its copy meanwhile.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(tx: &Tx<'_>) -> Result<Vec<StoredIndex>, StoreError> {
    tx.query(StoredIndex::SELECT, &[], StoredIndex::from_row)
}

/// Sets the index of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, space: SpaceId, stored: &StoredIndex) -> Result<(), StoreError> {
    let entries = stored.index.encode().map_err(|error| StoreError::Corrupt(error.to_string()))?;
    tx.execute(
        "INSERT INTO link_indexes (space, base, entries) VALUES ($1, $2, $3) \
         ON CONFLICT (space) DO UPDATE SET base = excluded.base, entries = excluded.entries",
        &[space.into(), (&stored.base).into(), entries.as_ref().into()],
    )?;
    Ok(())
}

/// Copies a space's index to a copy of the space and marks the copy's index as outdated. A later
/// update checks whether the index belongs to the copy's content.
///
/// # Errors
/// Returns an error if the store fails.
pub fn copy(tx: &Tx<'_>, from: SpaceId, to: SpaceId) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO link_indexes (space, base, entries) \
         SELECT $2, l.base, l.entries FROM link_indexes l WHERE l.space = $1",
        &[from.into(), to.into()],
    )?;
    set_outdated_since(tx, to, Some(tx.now()))
}

/// Returns the spaces of an organization whose indexes are outdated, most recently changed first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_outdated(
    tx: &Tx<'_>,
    organization: OrganizationId,
    limit: u32,
) -> Result<Vec<SpaceId>, StoreError> {
    tx.query(
        "SELECT s.id FROM spaces s WHERE s.links_behind IS NOT NULL AND s.organization = $1 \
         AND s.deleted_at IS NULL ORDER BY s.links_behind DESC LIMIT $2",
        &[organization.into(), limit.into()],
        FromRow::from_row,
    )
}

/// Sets the time since which a space's index has been outdated; `None` marks it as up to date.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_outdated_since(
    tx: &Tx<'_>,
    space: SpaceId,
    since: Option<Timestamp>,
) -> Result<(), StoreError> {
    tx.execute("UPDATE spaces SET links_behind = $2 WHERE id = $1", &[space.into(), since.into()])?;
    Ok(())
}
