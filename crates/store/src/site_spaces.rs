//! Assignments of spaces to sites.

use bindery_model::{SiteId, SiteSpaceId, SpaceId};

use crate::{Row, StoreError, Tx};

/// The assignment of a space to a site, as stored.
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
    /// The title shown to readers.
    pub title: String,
    /// Its sort position.
    pub position: i64,
    /// `true` if the space is served at the site's root.
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

/// Inserts an assignment. Returns `false` if the site already has the space or the path.
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

/// Returns all assignments of a site, in order.
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

/// Returns the number of spaces on a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, site: SiteId) -> Result<i64, StoreError> {
    tx.query_one("SELECT COUNT(*) FROM site_spaces p WHERE p.site = $1", &[site.into()], |row| {
        row.get(0)
    })
}

/// Returns `true` if any site includes the space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn includes(tx: &Tx<'_>, space: SpaceId) -> Result<bool, StoreError> {
    let sql = "SELECT p.id FROM site_spaces p WHERE p.space = $1 LIMIT 1";
    Ok(tx.query_opt(sql, &[space.into()], |_| Ok(()))?.is_some())
}
