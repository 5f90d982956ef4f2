//! The indexes of references that are stored: one for each space, of its main content or of an
//! earlier one. Where it is of an earlier one the space is behind.

use bindery_model::{OrganizationId, SpaceId, Timestamp};
use bindery_revision::{Hash, LinkIndex, Record};

use crate::{Row, StoreError, Tx};

/// An index, and which content it is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoredIndex {
    /// The object of a revision with that content.
    pub base: Hash,
    /// The index.
    pub index: LinkIndex,
}

impl StoredIndex {
    fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        let index = LinkIndex::decode(&row.get::<Vec<u8>>(1)?)
            .map_err(|error| StoreError::Corrupt(error.to_string()))?;
        Ok(Self { base: row.get(0)?, index })
    }
}

/// The index that was stored last for a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, space: SpaceId) -> Result<Option<StoredIndex>, StoreError> {
    tx.query_opt(
        "SELECT l.base, l.entries FROM link_indexes l WHERE l.space = $1",
        &[space.into()],
        StoredIndex::read,
    )
}

/// The indexes of all spaces, as they are at one moment: a copy that is made while they are gone
/// through must not stand on what its origin has left.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(tx: &Tx<'_>) -> Result<Vec<StoredIndex>, StoreError> {
    tx.query("SELECT l.base, l.entries FROM link_indexes l", &[], StoredIndex::read)
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

/// Gives a copy of a space the index of its origin. Whether that is of the copy's content is seen
/// later: it is behind.
///
/// # Errors
/// Returns an error if the store fails.
pub fn copy(tx: &Tx<'_>, from: SpaceId, to: SpaceId) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO link_indexes (space, base, entries) \
         SELECT $2, l.base, l.entries FROM link_indexes l WHERE l.space = $1",
        &[from.into(), to.into()],
    )?;
    set_behind(tx, to, Some(tx.now()))
}

/// The space that is behind for longest, if that began before a time, with when.
///
/// # Errors
/// Returns an error if the store fails.
pub fn behind_before(
    tx: &Tx<'_>,
    time: Timestamp,
) -> Result<Option<(SpaceId, Timestamp)>, StoreError> {
    tx.query_opt(
        "SELECT s.id, s.links_behind FROM spaces s WHERE s.links_behind <= $1 \
         ORDER BY s.links_behind LIMIT 1",
        &[time.into()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// The spaces of an organization that are behind, those first that were changed last.
///
/// # Errors
/// Returns an error if the store fails.
pub fn behind_of(
    tx: &Tx<'_>,
    organization: OrganizationId,
    limit: u32,
) -> Result<Vec<SpaceId>, StoreError> {
    tx.query(
        "SELECT s.id FROM spaces s WHERE s.links_behind IS NOT NULL AND s.organization = $1 \
         AND s.deleted_at IS NULL ORDER BY s.links_behind DESC LIMIT $2",
        &[organization.into(), limit.into()],
        |row| row.get(0),
    )
}

/// Says until when somebody makes the next index of a space that was behind since a time; `false`
/// if somebody else does.
///
/// # Errors
/// Returns an error if the store fails.
pub fn claim(
    tx: &Tx<'_>,
    space: SpaceId,
    since: Timestamp,
    until: Timestamp,
) -> Result<bool, StoreError> {
    let claimed = tx.execute(
        "UPDATE spaces SET links_behind = $3 WHERE id = $1 AND links_behind = $2",
        &[space.into(), since.into(), until.into()],
    )?;
    Ok(claimed > 0)
}

/// Says since when a space is behind; `None`: it is not.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_behind(tx: &Tx<'_>, space: SpaceId, since: Option<Timestamp>) -> Result<(), StoreError> {
    tx.execute("UPDATE spaces SET links_behind = $2 WHERE id = $1", &[space.into(), since.into()])?;
    Ok(())
}
