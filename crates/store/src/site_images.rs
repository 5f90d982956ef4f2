//! Images of the looks of sites.

use bindery_model::{SiteId, StorageFileId, Timestamp};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// An image of the look of a site as stored.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct SiteImage in site_images as i, insert {
        /// The file with its bytes.
        pub file: StorageFileId,
        /// The site.
        pub site: SiteId,
        /// Time of creation.
        pub created_at: Timestamp,
    }
}

/// Inserts an image.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, image: &SiteImage) -> Result<(), StoreError> {
    tx.execute(insert!(SiteImage), &image.values())?;
    Ok(())
}

/// Returns the images of a site, oldest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(tx: &Tx<'_>, site: SiteId) -> Result<Vec<SiteImage>, StoreError> {
    tx.query(
        sql!(SiteImage::SELECT, " WHERE i.site = $1 ORDER BY i.created_at, i.file"),
        &[site.into()],
        SiteImage::from_row,
    )
}

/// Deletes an image. Its file is deleted with the files that nothing uses.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, file: StorageFileId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM site_images WHERE file = $1", &[file.into()])?;
    Ok(())
}
