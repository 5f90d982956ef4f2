//! Links of sites to other websites.

use bindery_model::{SiteExternalLinkId, SiteId, SiteSectionGroupId};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// A link of a site to another website as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct SiteExternalLink in site_external_links as x, insert {
        /// Its id.
        pub id: SiteExternalLinkId,
        /// The site.
        pub site: SiteId,
        /// The group that contains it; `None` at the top level.
        pub section_group: Option<SiteSectionGroupId>,
        /// The title shown to readers.
        pub title: String,
        /// The titles for readers of some languages, as a JSON object.
        pub localized_title: Option<String>,
        /// The description shown to readers.
        pub description: Option<String>,
        /// The descriptions for readers of some languages, as a JSON object.
        pub localized_description: Option<String>,
        /// The name of its icon.
        pub icon: Option<String>,
        /// The address.
        pub url: String,
        /// `true` if readers do not see it yet.
        pub draft: bool,
        /// The condition under which readers see it.
        pub condition: Option<String>,
        /// Its sort position among the items of the same group.
        pub position: i64,
    }
}

/// Inserts a link.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, link: &SiteExternalLink) -> Result<(), StoreError> {
    tx.execute(insert!(SiteExternalLink), &link.values())?;
    Ok(())
}

/// Updates all fields except the id and the site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, link: &SiteExternalLink) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE site_external_links SET section_group = $2, title = $3, localized_title = $4, \
         description = $5, localized_description = $6, icon = $7, url = $8, draft = $9, \
         condition = $10, position = $11 WHERE id = $1",
        &[
            link.id.into(),
            link.section_group.into(),
            link.title.as_str().into(),
            link.localized_title.as_deref().into(),
            link.description.as_deref().into(),
            link.localized_description.as_deref().into(),
            link.icon.as_deref().into(),
            link.url.as_str().into(),
            link.draft.into(),
            link.condition.as_deref().into(),
            link.position.into(),
        ],
    )?;
    Ok(())
}

/// Deletes a link.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, id: SiteExternalLinkId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM site_external_links WHERE id = $1", &[id.into()])?;
    Ok(())
}

/// Returns all links of a site by their positions.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(tx: &Tx<'_>, site: SiteId) -> Result<Vec<SiteExternalLink>, StoreError> {
    tx.query(
        sql!(SiteExternalLink::SELECT, " WHERE x.site = $1 ORDER BY x.position, x.id"),
        &[site.into()],
        SiteExternalLink::from_row,
    )
}
