//! Which spaces refer to which: where to look for what leads to a page from other spaces. Whether
//! a text still does is said by the content of the space alone.

use bindery_model::SpaceId;

use crate::{StoreError, Tx};

/// Notes that texts of a space refer to another one.
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

/// The spaces that a space's texts refer or referred to.
///
/// # Errors
/// Returns an error if the store fails.
pub fn targets(tx: &Tx<'_>, source: SpaceId) -> Result<Vec<SpaceId>, StoreError> {
    tx.query(
        "SELECT s.target FROM space_references s WHERE s.source = $1",
        &[source.into()],
        |row| row.get(0),
    )
}

/// The spaces whose texts refer or referred to a space, in the order of their ids.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(tx: &Tx<'_>, target: SpaceId) -> Result<Vec<SpaceId>, StoreError> {
    tx.query(
        "SELECT s.source FROM space_references s WHERE s.target = $1 ORDER BY s.source",
        &[target.into()],
        |row| row.get(0),
    )
}
