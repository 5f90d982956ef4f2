//! The places of spaces in sites.

use bindery_model::{SiteId, SiteSpaceId, SpaceId};

use crate::{Row, StoreError, Tx};

/// A space's place in a site as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiteSpace {
    /// Its id.
    pub id: SiteSpaceId,
    /// The site.
    pub site: SiteId,
    /// The space.
    pub space: SpaceId,
    /// Its path in the site.
    pub path: String,
    /// The title that readers see.
    pub title: String,
    /// Its place in the order.
    pub position: i64,
    /// Shown at the site's root.
    pub is_default: bool,
}

macro_rules! columns {
    () => {
        "p.id, p.site, p.space, p.path, p.title, p.position, p.is_default"
    };
}

fn read(row: &Row<'_>) -> Result<SiteSpace, StoreError> {
    Ok(SiteSpace {
        id: row.get(0)?,
        site: row.get(1)?,
        space: row.get(2)?,
        path: row.get(3)?,
        title: row.get(4)?,
        position: row.get(5)?,
        is_default: row.get(6)?,
    })
}

/// Stores a new place; `false` if the space or the path is in the site already.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, place: &SiteSpace) -> Result<bool, StoreError> {
    let added = tx.execute(
        "INSERT INTO site_spaces (id, site, space, path, title, position, is_default) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
        &[
            place.id.into(),
            place.site.into(),
            place.space.into(),
            place.path.as_str().into(),
            place.title.as_str().into(),
            place.position.into(),
            i64::from(place.is_default).into(),
        ],
    )?;
    Ok(added > 0)
}

/// All places of a site, in order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(tx: &Tx<'_>, site: SiteId) -> Result<Vec<SiteSpace>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM site_spaces p WHERE p.site = $1 ",
            "ORDER BY p.position, p.id"
        ),
        &[site.into()],
        read,
    )
}

/// How many places a site has.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, site: SiteId) -> Result<i64, StoreError> {
    tx.query_one("SELECT COUNT(*) FROM site_spaces p WHERE p.site = $1", &[site.into()], |row| {
        row.get(0)
    })
}

/// Whether any site has a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn shows(tx: &Tx<'_>, space: SpaceId) -> Result<bool, StoreError> {
    let sql = "SELECT p.id FROM site_spaces p WHERE p.space = $1 LIMIT 1";
    Ok(tx.query_opt(sql, &[space.into()], |_| Ok(()))?.is_some())
}
