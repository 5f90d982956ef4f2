//! Contents with the pages that sources compute.

use bindery_model::SpaceId;
use bindery_revision::Hash;

use crate::record::{FromRow, Record, record, sql};
use crate::{StoreError, Tx};

record! {
    /// A revision, and the same one with the pages that sources compute.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct ComputedContent in computed_contents as c {
        /// The object of the revision.
        pub object: Hash,
        /// The space.
        pub space: SpaceId,
        /// The object of the revision with computed pages.
        pub shown: Hash,
    }
}

/// Stores the revision that is shown for another one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, space: SpaceId, object: &Hash, shown: &Hash) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO computed_contents (object, space, shown) VALUES ($1, $2, $3) \
         ON CONFLICT (object) DO UPDATE SET shown = excluded.shown",
        &[object.into(), space.into(), shown.into()],
    )?;
    Ok(())
}

/// Returns the object of the revision that is shown for another one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn shown(tx: &Tx<'_>, object: &Hash) -> Result<Option<Hash>, StoreError> {
    tx.query_opt(
        "SELECT shown FROM computed_contents WHERE object = $1",
        &[object.into()],
        FromRow::from_row,
    )
}

/// Returns the spaces with computed pages in an organization, deleted ones excepted.
///
/// # Errors
/// Returns an error if the store fails.
pub fn spaces(
    tx: &Tx<'_>,
    organization: bindery_model::OrganizationId,
) -> Result<Vec<SpaceId>, StoreError> {
    tx.query(
        "SELECT s.id FROM spaces s WHERE s.organization = $1 AND s.deleted_at IS NULL \
         AND EXISTS (SELECT 1 FROM computed_contents c WHERE c.space = s.id) ORDER BY s.id",
        &[organization.into()],
        FromRow::from_row,
    )
}

/// Deletes entries of revisions that no longer exist.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_unused(tx: &Tx<'_>) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM computed_contents WHERE NOT EXISTS \
         (SELECT 1 FROM revisions r WHERE r.object = computed_contents.object)",
        &[],
    )?;
    Ok(())
}

/// Returns the entries of revisions that exist, in the order of their objects, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    after: Option<Hash>,
    limit: u32,
) -> Result<Vec<ComputedContent>, StoreError> {
    let after = after.as_ref().map_or(crate::Value::from(&[0u8; 0]), crate::Value::from);
    tx.query(
        sql!(
            ComputedContent::SELECT,
            " WHERE c.object > $1 AND EXISTS (SELECT 1 FROM revisions r WHERE r.object = c.object) \
             ORDER BY c.object LIMIT $2"
        ),
        &[after, limit.into()],
        ComputedContent::from_row,
    )
}
