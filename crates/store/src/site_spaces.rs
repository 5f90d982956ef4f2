//! Assignments of spaces to sites.

use bindery_model::{SiteId, SiteSectionId, SiteSpaceId, SpaceId};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx, embeds};

record! {
    /// The assignment of a space to a site, as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct SiteSpace in site_spaces as p, insert {
        /// Its id.
        pub id: SiteSpaceId,
        /// The site.
        pub site: SiteId,
        /// The section that contains it; `None` if the site has no sections.
        pub section: Option<SiteSectionId>,
        /// The space.
        pub space: SpaceId,
        /// Its path in its section.
        pub path: String,
        /// The title shown to readers.
        pub title: String,
        /// The condition under which readers see it.
        pub condition: Option<String>,
        /// Its sort position.
        pub position: i64,
        /// `true` if the space is served at the root of its section, or of a site without sections.
        pub is_default: bool,
        /// The language tag that replaces that of the space on this site.
        pub language: Option<String>,
    }
}

/// Inserts an assignment. Returns `false` if the site already has the space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, place: &SiteSpace) -> Result<bool, StoreError> {
    let sql = sql!(insert!(SiteSpace), " ON CONFLICT DO NOTHING");
    let added = tx.execute(sql, &place.values())?;
    embeds::mark_spaces_of(tx, place.id)?;
    Ok(added > 0)
}

/// Updates all fields except the id and the site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, place: &SiteSpace) -> Result<(), StoreError> {
    embeds::mark_spaces_of(tx, place.id)?;
    tx.execute(
        "UPDATE site_spaces SET section = $2, space = $3, path = $4, title = $5, condition = $6, \
         position = $7, is_default = $8, language = $9 WHERE id = $1",
        &[
            place.id.into(),
            place.section.into(),
            place.space.into(),
            place.path.as_str().into(),
            place.title.as_str().into(),
            place.condition.as_deref().into(),
            place.position.into(),
            place.is_default.into(),
            place.language.as_deref().into(),
        ],
    )?;
    embeds::mark_spaces_of(tx, place.id)
}

/// Deletes an assignment.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, id: SiteSpaceId) -> Result<(), StoreError> {
    embeds::mark_spaces_of(tx, id)?;
    tx.execute("DELETE FROM site_spaces WHERE id = $1", &[id.into()])?;
    Ok(())
}

/// Returns all assignments of a site, in order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(tx: &Tx<'_>, site: SiteId) -> Result<Vec<SiteSpace>, StoreError> {
    tx.query(
        sql!(SiteSpace::SELECT, " WHERE p.site = $1 ORDER BY p.position, p.id"),
        &[site.into()],
        SiteSpace::from_row,
    )
}

/// Returns the site on which a space was placed first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn first_site_of(tx: &Tx<'_>, space: SpaceId) -> Result<Option<SiteId>, StoreError> {
    tx.query_opt(
        "SELECT p.site FROM site_spaces p JOIN sites s ON s.id = p.site WHERE p.space = $1 \
         ORDER BY s.created_at, s.id LIMIT 1",
        &[space.into()],
        FromRow::from_row,
    )
}

/// Returns the number of spaces on a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, site: SiteId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM site_spaces p WHERE p.site = $1",
        &[site.into()],
        FromRow::from_row,
    )
}

/// Returns `true` if any site includes the space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn includes(tx: &Tx<'_>, space: SpaceId) -> Result<bool, StoreError> {
    let sql = "SELECT p.id FROM site_spaces p WHERE p.space = $1 LIMIT 1";
    Ok(tx.query_opt(sql, &[space.into()], |_| Ok(()))?.is_some())
}
