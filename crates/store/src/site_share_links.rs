//! Share links of sites, each with a key that opens the site.

use bindery_model::{SiteId, SiteShareLinkId, Timestamp};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// A share link as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct SiteShareLink in site_share_links as l, insert {
        /// Its id.
        pub id: SiteShareLinkId,
        /// The site that it opens.
        pub site: SiteId,
        /// Its name.
        pub name: String,
        /// `true` if the key opens the site.
        pub active: bool,
        /// A keyed hash of the key.
        pub key_digest: [u8; 32],
        /// The key, encrypted.
        pub sealed_key: String,
        /// Time of creation.
        pub created_at: Timestamp,
    }
}

/// Inserts a new share link.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, link: &SiteShareLink) -> Result<(), StoreError> {
    tx.execute(insert!(SiteShareLink), &link.values())?;
    Ok(())
}

/// Returns a share link of a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    site: SiteId,
    id: SiteShareLinkId,
) -> Result<Option<SiteShareLink>, StoreError> {
    tx.query_opt(
        sql!(SiteShareLink::SELECT, " WHERE l.id = $1 AND l.site = $2"),
        &[id.into(), site.into()],
        SiteShareLink::from_row,
    )
}

/// Returns the share links of a site, oldest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(tx: &Tx<'_>, site: SiteId) -> Result<Vec<SiteShareLink>, StoreError> {
    tx.query(
        sql!(SiteShareLink::SELECT, " WHERE l.site = $1 ORDER BY l.created_at, l.id"),
        &[site.into()],
        SiteShareLink::from_row,
    )
}

/// Returns the number of share links of a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, site: SiteId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM site_share_links l WHERE l.site = $1",
        &[site.into()],
        FromRow::from_row,
    )
}

/// Stores the name, the key and the state of a share link.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, link: &SiteShareLink) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE site_share_links SET name = $1, active = $2, key_digest = $3, sealed_key = $4 \
         WHERE id = $5",
        &[
            (&link.name).into(),
            link.active.into(),
            (&link.key_digest).into(),
            (&link.sealed_key).into(),
            link.id.into(),
        ],
    )?;
    Ok(())
}

/// Deletes a share link.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, id: SiteShareLinkId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM site_share_links WHERE id = $1", &[id.into()])?;
    Ok(())
}
