//! The schemas of the claims that conditions on a site read.

use bindery_model::{SiteId, Timestamp};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// The schema of the claims of a site's visitors as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct SiteAdaptiveSchema in site_adaptive_schemas as a, insert {
        /// The site.
        pub site: SiteId,
        /// The JSON Schema, as JSON.
        pub json_schema: String,
        /// Time of the last change.
        pub updated_at: Timestamp,
    }
}

/// Returns the schema of a site; `None` if it has none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, site: SiteId) -> Result<Option<SiteAdaptiveSchema>, StoreError> {
    tx.query_opt(
        sql!(SiteAdaptiveSchema::SELECT, " WHERE a.site = $1"),
        &[site.into()],
        SiteAdaptiveSchema::from_row,
    )
}

/// Stores the schema of a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, schema: &SiteAdaptiveSchema) -> Result<(), StoreError> {
    let sql = sql!(
        insert!(SiteAdaptiveSchema),
        " ON CONFLICT (site) DO UPDATE SET json_schema = excluded.json_schema, \
         updated_at = excluded.updated_at"
    );
    tx.execute(sql, &schema.values())?;
    Ok(())
}
