//! Customizations of sites and site spaces, as JSON.

use bindery_model::{SiteId, SiteSpaceId};

use crate::record::FromRow;
use crate::{StoreError, Tx};

/// Returns the stored customization of a site; `None` if it was never changed.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, site: SiteId) -> Result<Option<String>, StoreError> {
    tx.query_opt(
        "SELECT settings FROM site_customizations WHERE site = $1",
        &[site.into()],
        FromRow::from_row,
    )
}

/// Stores the customization of a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, site: SiteId, settings: &str) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO site_customizations (site, settings) VALUES ($1, $2) \
         ON CONFLICT (site) DO UPDATE SET settings = excluded.settings",
        &[site.into(), settings.into()],
    )?;
    Ok(())
}

/// Returns the values that a site space overrides; `None` if there are none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_override(tx: &Tx<'_>, site_space: SiteSpaceId) -> Result<Option<String>, StoreError> {
    tx.query_opt(
        "SELECT settings FROM site_space_customizations WHERE site_space = $1",
        &[site_space.into()],
        FromRow::from_row,
    )
}

/// Returns the stored customization of a site and all that its site spaces override.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_of_site(tx: &Tx<'_>, site: SiteId) -> Result<Vec<String>, StoreError> {
    tx.query(
        "SELECT c.settings FROM site_customizations c WHERE c.site = $1 UNION ALL \
         SELECT o.settings FROM site_space_customizations o JOIN site_spaces s \
         ON s.id = o.site_space WHERE s.site = $1",
        &[site.into()],
        FromRow::from_row,
    )
}

/// Stores the values that a site space overrides.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_override(
    tx: &Tx<'_>,
    site_space: SiteSpaceId,
    settings: &str,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO site_space_customizations (site_space, settings) VALUES ($1, $2) \
         ON CONFLICT (site_space) DO UPDATE SET settings = excluded.settings",
        &[site_space.into(), settings.into()],
    )?;
    Ok(())
}

/// Deletes the values that a site space overrides. Returns `false` if there were none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_override(tx: &Tx<'_>, site_space: SiteSpaceId) -> Result<bool, StoreError> {
    let deleted = tx.execute(
        "DELETE FROM site_space_customizations WHERE site_space = $1",
        &[site_space.into()],
    )?;
    Ok(deleted > 0)
}
