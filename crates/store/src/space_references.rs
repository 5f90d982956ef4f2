//! References between spaces: candidates in which to search for links to a page from other spaces.
//! Only a space's content shows whether a reference still exists.

use bindery_model::SpaceId;

use crate::record::FromRow;
use crate::{StoreError, Tx};

/// Records that a space's content refers to another space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, target: SpaceId, source: SpaceId) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO space_references (target, source) VALUES ($1, $2) \
         ON CONFLICT (target, source) DO NOTHING",
        &[target.into(), source.into()],
    )?;
    Ok(())
}

/// Returns the spaces that a space's content refers or referred to.
///
/// # Errors
/// Returns an error if the store fails.
pub fn targets(tx: &Tx<'_>, source: SpaceId) -> Result<Vec<SpaceId>, StoreError> {
    tx.query(
        "SELECT s.target FROM space_references s WHERE s.source = $1",
        &[source.into()],
        FromRow::from_row,
    )
}

/// Returns the spaces whose content refers or referred to a space, sorted by id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(tx: &Tx<'_>, target: SpaceId) -> Result<Vec<SpaceId>, StoreError> {
    tx.query(
        "SELECT s.source FROM space_references s WHERE s.target = $1 ORDER BY s.source",
        &[target.into()],
        FromRow::from_row,
    )
}
