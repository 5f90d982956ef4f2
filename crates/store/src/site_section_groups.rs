//! Groups of sections of sites.

use bindery_model::{SiteId, SiteSectionGroupId};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// A group of sections as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct SiteSectionGroup in site_section_groups as g, insert {
        /// Its id.
        pub id: SiteSectionGroupId,
        /// The site.
        pub site: SiteId,
        /// The group that contains it; `None` at the top level.
        pub parent: Option<SiteSectionGroupId>,
        /// The title shown to readers.
        pub title: String,
        /// The name of its icon.
        pub icon: Option<String>,
        /// Its sort position among the sections and groups of the same parent.
        pub position: i64,
    }
}

/// Inserts a group.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, group: &SiteSectionGroup) -> Result<(), StoreError> {
    tx.execute(insert!(SiteSectionGroup), &group.values())?;
    Ok(())
}

/// Updates all fields except the id and the site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, group: &SiteSectionGroup) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE site_section_groups SET parent = $2, title = $3, icon = $4, position = $5 \
         WHERE id = $1",
        &[
            group.id.into(),
            group.parent.into(),
            group.title.as_str().into(),
            group.icon.as_deref().into(),
            group.position.into(),
        ],
    )?;
    Ok(())
}

/// Deletes a group. Its sections and groups must have been moved out of it.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, id: SiteSectionGroupId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM site_section_groups WHERE id = $1", &[id.into()])?;
    Ok(())
}

/// Returns all groups of a site by their positions.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(tx: &Tx<'_>, site: SiteId) -> Result<Vec<SiteSectionGroup>, StoreError> {
    tx.query(
        sql!(SiteSectionGroup::SELECT, " WHERE g.site = $1 ORDER BY g.position, g.id"),
        &[site.into()],
        SiteSectionGroup::from_row,
    )
}
