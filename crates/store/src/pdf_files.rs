//! PDFs of spaces, which jobs make and which expire.

use bindery_model::{JobId, OrganizationId, PdfFileId, SpaceId, Timestamp};
use bindery_revision::Hash;

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// A PDF as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct PdfFile in pdf_files as f, insert {
        /// Its id.
        pub id: PdfFileId,
        /// A digest of everything that was asked for.
        pub key: Hash,
        /// The organization that owns the space.
        pub organization: OrganizationId,
        /// The space.
        pub space: SpaceId,
        /// The readers whom the content is for.
        pub audience: String,
        /// The name under which browsers save the file.
        pub name: String,
        /// The job that makes it.
        pub job: JobId,
        /// A digest of the typesetter's input; `None` until the job has written it.
        pub input: Option<Hash>,
        /// The bytes; `None` until the job is done.
        pub object: Option<Hash>,
        /// Their number; `None` until the job is done.
        pub size: Option<i64>,
        /// Time of creation.
        pub created_at: Timestamp,
        /// Time from which on it is deleted.
        pub expires_at: Timestamp,
    }
}

/// Inserts a PDF that is not made yet. Replaces an older one with the same key.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, file: &PdfFile) -> Result<(), StoreError> {
    tx.execute("DELETE FROM pdf_files WHERE key = $1", &[(&file.key).into()])?;
    tx.execute(insert!(PdfFile), &file.values())?;
    Ok(())
}

/// Returns the PDF with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, id: PdfFileId) -> Result<Option<PdfFile>, StoreError> {
    tx.query_opt(sql!(PdfFile::SELECT, " WHERE f.id = $1"), &[id.into()], PdfFile::from_row)
}

/// Returns the PDF with this key.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_key(tx: &Tx<'_>, key: &Hash) -> Result<Option<PdfFile>, StoreError> {
    tx.query_opt(sql!(PdfFile::SELECT, " WHERE f.key = $1"), &[key.into()], PdfFile::from_row)
}

/// Returns the bytes of a finished PDF of an organization with this input of the typesetter, and
/// their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn find_made(
    tx: &Tx<'_>,
    organization: OrganizationId,
    input: &Hash,
) -> Result<Option<(Hash, i64)>, StoreError> {
    tx.query_opt(
        "SELECT object, size FROM pdf_files \
         WHERE input = $1 AND organization = $2 AND object IS NOT NULL LIMIT 1",
        &[input.into(), organization.into()],
        FromRow::from_row,
    )
}

/// Stores the result of a job. Returns `false` if the PDF was deleted meanwhile.
///
/// # Errors
/// Returns an error if the store fails.
pub fn complete(
    tx: &Tx<'_>,
    id: PdfFileId,
    input: &Hash,
    object: &Hash,
    size: i64,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE pdf_files SET input = $1, object = $2, size = $3 WHERE id = $4",
        &[input.into(), object.into(), size.into(), id.into()],
    )?;
    Ok(changed > 0)
}

/// Moves the time from which on a PDF is deleted.
///
/// # Errors
/// Returns an error if the store fails.
pub fn keep_until(tx: &Tx<'_>, id: PdfFileId, at: Timestamp) -> Result<(), StoreError> {
    tx.execute("UPDATE pdf_files SET expires_at = $1 WHERE id = $2", &[at.into(), id.into()])?;
    Ok(())
}

/// Returns the number of PDFs of an organization whose job has not ended.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_waiting(tx: &Tx<'_>, organization: OrganizationId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM pdf_files f JOIN jobs j ON j.id = f.job \
         WHERE f.organization = $1 AND j.status IN ('queued', 'running')",
        &[organization.into()],
        FromRow::from_row,
    )
}

/// Deletes the PDFs that expired before a time. Returns their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_expired(tx: &Tx<'_>, now: Timestamp) -> Result<u64, StoreError> {
    tx.execute("DELETE FROM pdf_files WHERE expires_at < $1", &[now.into()])
}

/// Returns the objects of PDFs in the order of their ids, starting after `after`, with those ids.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_objects(
    tx: &Tx<'_>,
    after: Option<PdfFileId>,
    limit: u32,
) -> Result<Vec<(PdfFileId, Hash)>, StoreError> {
    let after = after.map(|id| id.to_string()).unwrap_or_default();
    tx.query(
        "SELECT id, object FROM pdf_files WHERE object IS NOT NULL AND id > $1 \
         ORDER BY id LIMIT $2",
        &[after.into(), limit.into()],
        FromRow::from_row,
    )
}
