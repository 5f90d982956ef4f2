//! Sections of sites.

use bindery_model::{SiteId, SiteSectionGroupId, SiteSectionId};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx, embeds};

record! {
    /// A section of a site as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct SiteSection in site_sections as e, insert {
        /// Its id.
        pub id: SiteSectionId,
        /// The site.
        pub site: SiteId,
        /// The group that contains it; `None` at the top level.
        pub section_group: Option<SiteSectionGroupId>,
        /// The title shown to readers.
        pub title: String,
        /// The description shown to readers; empty if there is none.
        pub description: String,
        /// Its path in the site.
        pub path: String,
        /// The condition under which readers see it.
        pub condition: Option<String>,
        /// The name of its icon.
        pub icon: Option<String>,
        /// Its sort position among the sections and groups of the same group.
        pub position: i64,
        /// `true` if it is served at the site's root.
        pub is_default: bool,
    }
}

/// Inserts a section. Returns `false` if the site already has the path.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, section: &SiteSection) -> Result<bool, StoreError> {
    let sql = sql!(insert!(SiteSection), " ON CONFLICT DO NOTHING");
    Ok(tx.execute(sql, &section.values())? > 0)
}

/// Updates all fields except the id and the site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, section: &SiteSection) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE site_sections SET section_group = $2, title = $3, description = $4, path = $5, \
         condition = $6, icon = $7, position = $8, is_default = $9 WHERE id = $1",
        &[
            section.id.into(),
            section.section_group.into(),
            section.title.as_str().into(),
            section.description.as_str().into(),
            section.path.as_str().into(),
            section.condition.as_deref().into(),
            section.icon.as_deref().into(),
            section.position.into(),
            section.is_default.into(),
        ],
    )?;
    Ok(())
}

/// Deletes a section and the assignments of spaces to it.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, id: SiteSectionId) -> Result<(), StoreError> {
    embeds::mark_spaces_of_section(tx, id)?;
    tx.execute("DELETE FROM site_spaces WHERE section = $1", &[id.into()])?;
    tx.execute("DELETE FROM site_sections WHERE id = $1", &[id.into()])?;
    Ok(())
}

/// Returns all sections of a site by their positions.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(tx: &Tx<'_>, site: SiteId) -> Result<Vec<SiteSection>, StoreError> {
    tx.query(
        sql!(SiteSection::SELECT, " WHERE e.site = $1 ORDER BY e.position, e.id"),
        &[site.into()],
        SiteSection::from_row,
    )
}
