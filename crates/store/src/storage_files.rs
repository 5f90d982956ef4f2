//! Files that were uploaded to organizations apart from their spaces.

use bindery_model::{OrganizationId, StorageFileId, StorageKind, Timestamp};
use bindery_revision::Hash;

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// A file as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct StorageFile in storage_files as f, insert {
        /// Its id.
        pub id: StorageFileId,
        /// The organization that owns it.
        pub organization: OrganizationId,
        /// Its purpose.
        pub kind: StorageKind,
        /// The stated media type; the recognised one after the upload.
        pub content_type: String,
        /// The stated size in bytes.
        pub stated_size: i64,
        /// A hash of the secret in the address that accepts the upload.
        pub upload_digest: [u8; 32],
        /// Time until which the upload is accepted.
        pub expires_at: Timestamp,
        /// The bytes; `None` until they were uploaded.
        pub object: Option<Hash>,
        /// Their number; `None` until they were uploaded.
        pub size: Option<i64>,
        /// Time of creation.
        pub created_at: Timestamp,
    }
}

/// Inserts a file that is not uploaded yet.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, file: &StorageFile) -> Result<(), StoreError> {
    tx.execute(insert!(StorageFile), &file.values())?;
    Ok(())
}

/// Returns the file with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, id: StorageFileId) -> Result<Option<StorageFile>, StoreError> {
    tx.query_opt(sql!(StorageFile::SELECT, " WHERE f.id = $1"), &[id.into()], StorageFile::from_row)
}

/// Returns the number of files of an organization that no font and no site uses.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_unused(tx: &Tx<'_>, organization: OrganizationId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM storage_files f WHERE f.organization = $1 \
         AND NOT EXISTS (SELECT 1 FROM custom_font_faces c WHERE c.file = f.id) \
         AND NOT EXISTS (SELECT 1 FROM site_images i WHERE i.file = f.id)",
        &[organization.into()],
        FromRow::from_row,
    )
}

/// Stores the bytes of a file. Returns `false` if it has been uploaded before.
///
/// # Errors
/// Returns an error if the store fails.
pub fn complete(
    tx: &Tx<'_>,
    id: StorageFileId,
    content_type: &str,
    object: &Hash,
    size: i64,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE storage_files SET content_type = $1, object = $2, size = $3 \
         WHERE id = $4 AND object IS NULL",
        &[content_type.into(), object.into(), size.into(), id.into()],
    )?;
    Ok(changed > 0)
}

/// Deletes the files that were created before a time and that no font and no site uses. Returns their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_unused(tx: &Tx<'_>, before: Timestamp) -> Result<u64, StoreError> {
    tx.execute(
        "DELETE FROM storage_files WHERE created_at < $1 \
         AND NOT EXISTS (SELECT 1 FROM custom_font_faces c WHERE c.file = storage_files.id) \
         AND NOT EXISTS (SELECT 1 FROM site_images i WHERE i.file = storage_files.id)",
        &[before.into()],
    )
}

/// Returns the objects of files in the order of their ids, starting after `after`, with those ids.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_objects(
    tx: &Tx<'_>,
    after: Option<StorageFileId>,
    limit: u32,
) -> Result<Vec<(StorageFileId, Hash)>, StoreError> {
    let after = after.map(|id| id.to_string()).unwrap_or_default();
    tx.query(
        "SELECT id, object FROM storage_files WHERE object IS NOT NULL AND id > $1 \
         ORDER BY id LIMIT $2",
        &[after.into(), limit.into()],
        FromRow::from_row,
    )
}
