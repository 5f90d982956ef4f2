//! Contents with the pages that sources compute.

use bindery_model::SpaceId;
use bindery_revision::Hash;

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// A revision, and the same one with the pages that sources compute.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct ComputedContent in computed_contents as c, insert {
        /// The object of the revision.
        pub object: Hash,
        /// The space.
        pub space: SpaceId,
        /// A hash of what the pages were made of.
        pub basis: Hash,
        /// The object of the revision with computed pages.
        pub shown: Hash,
    }
}

/// Stores the revision that is shown for another one. Replaces an earlier one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, content: &ComputedContent) -> Result<(), StoreError> {
    tx.execute("DELETE FROM computed_contents WHERE object = $1", &[(&content.object).into()])?;
    tx.execute(insert!(ComputedContent), &content.values())?;
    Ok(())
}

/// Returns the revision that is shown for another one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, object: &Hash) -> Result<Option<ComputedContent>, StoreError> {
    tx.query_opt(
        sql!(ComputedContent::SELECT, " WHERE c.object = $1"),
        &[object.into()],
        ComputedContent::from_row,
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
