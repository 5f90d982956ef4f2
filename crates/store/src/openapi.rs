//! OpenAPI specifications of organizations, with their versions and files.

use bindery_model::{
    OpenApiComparison, OpenApiFailure, OpenApiSpecId, OpenApiState, OpenApiVersionId,
    OpenApiVisibility, OrganizationId, Timestamp,
};
use bindery_revision::Hash;

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx, Value};

record! {
    /// A specification as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct OpenApiSpec in openapi_specs as s, insert {
        /// Its id.
        pub id: OpenApiSpecId,
        /// The organization that owns it.
        pub organization: OrganizationId,
        /// The name by which content refers to it.
        pub slug: String,
        /// The address of its source.
        pub url: Option<String>,
        /// The text of its source, if it has no address.
        pub upload: Option<Hash>,
        /// The people who can read it.
        pub visibility: OpenApiVisibility,
        /// Its progress.
        pub state: OpenApiState,
        /// A number that grows with each request to read the source.
        pub run: i64,
        /// The version that was read last.
        pub version: Option<OpenApiVersionId>,
        /// The reason why the last run failed.
        pub error: Option<OpenApiFailure>,
        /// The findings of the last run, as JSON.
        pub messages: String,
        /// The end of the last run.
        pub processed_at: Option<Timestamp>,
        /// The time from which on the source is read again without a request.
        pub next_at: Option<Timestamp>,
        /// The sealed token with which a program asks to read the source again.
        pub hook: Option<String>,
        /// The time at which that token was made.
        pub hook_at: Option<Timestamp>,
        /// `true` if the source is to be read again when the present run ends.
        pub again: bool,
        /// Time of creation.
        pub created_at: Timestamp,
        /// Time of the last change.
        pub updated_at: Timestamp,
    }
}

record! {
    /// A version of a specification.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct OpenApiVersion in openapi_versions as v, insert {
        /// Its id.
        pub id: OpenApiVersionId,
        /// The specification.
        pub spec: OpenApiSpecId,
        /// A hash of the names and the texts of all files.
        pub digest: Hash,
        /// The map of the pieces, encoded.
        pub pieces: Vec<u8>,
        /// Time of creation.
        pub created_at: Timestamp,
        /// The version that was read before this one.
        pub earlier: Option<OpenApiVersionId>,
        /// The progress of the comparison with it.
        pub comparison: OpenApiComparison,
        /// The changes, as JSON.
        pub changes: Option<Hash>,
        /// The number of changes that break programs.
        pub breaking: u32,
        /// The number of changes that can break some programs.
        pub warnings: u32,
        /// The number of the other changes.
        pub infos: u32,
    }
}

record! {
    /// A file of a version.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct OpenApiFile in openapi_files as f, insert {
        /// The version.
        pub version: OpenApiVersionId,
        /// Its position; 0 for the root.
        pub position: u32,
        /// Its name.
        pub name: String,
        /// The address that it was read from.
        pub url: Option<String>,
        /// Its text.
        pub object: Hash,
        /// The size of its text in bytes.
        pub size: i64,
        /// The header `ETag` of the response.
        pub etag: Option<String>,
        /// The header `Last-Modified` of the response.
        pub modified: Option<String>,
    }
}

record! {
    /// An overlay of a specification: the source of changes to its description.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct OpenApiOverlay in openapi_overlays as o, insert {
        /// The specification.
        pub spec: OpenApiSpecId,
        /// Its position in the order in which overlays are applied.
        pub position: u32,
        /// The address of its source.
        pub url: Option<String>,
        /// Its text, if it has no address.
        pub upload: Option<Hash>,
    }
}

record! {
    /// The text of an overlay that changed a version.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct OpenApiVersionOverlay in openapi_version_overlays as w, insert {
        /// The version.
        pub version: OpenApiVersionId,
        /// Its position.
        pub position: u32,
        /// The name in messages.
        pub name: String,
        /// Its text.
        pub object: Hash,
    }
}

/// Inserts a new specification.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, spec: &OpenApiSpec) -> Result<(), StoreError> {
    tx.execute(insert!(OpenApiSpec), &spec.values())?;
    Ok(())
}

/// Returns the specification with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, id: OpenApiSpecId) -> Result<Option<OpenApiSpec>, StoreError> {
    tx.query_opt(sql!(OpenApiSpec::SELECT, " WHERE s.id = $1"), &[id.into()], OpenApiSpec::from_row)
}

/// Returns the specification of an organization with this slug.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_slug(
    tx: &Tx<'_>,
    organization: OrganizationId,
    slug: &str,
) -> Result<Option<OpenApiSpec>, StoreError> {
    tx.query_opt(
        sql!(OpenApiSpec::SELECT, " WHERE s.organization = $1 AND s.slug = $2"),
        &[organization.into(), slug.into()],
        OpenApiSpec::from_row,
    )
}

/// Returns the specifications of an organization, oldest first, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    organization: OrganizationId,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<OpenApiSpec>, StoreError> {
    let (time, id) = after.unwrap_or((Timestamp::from_millis(i64::MIN), ""));
    tx.query(
        sql!(
            OpenApiSpec::SELECT,
            " WHERE s.organization = $1 AND (s.created_at > $2 OR (s.created_at = $2 AND s.id > $3)) \
             ORDER BY s.created_at, s.id LIMIT $4"
        ),
        &[organization.into(), time.into(), id.into(), limit.into()],
        OpenApiSpec::from_row,
    )
}

/// Returns the number of specifications of an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, organization: OrganizationId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM openapi_specs WHERE organization = $1",
        &[organization.into()],
        FromRow::from_row,
    )
}

/// Stores the fields of a specification that can change.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, spec: &OpenApiSpec) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE openapi_specs SET url = $2, upload = $3, visibility = $4, state = $5, run = $6, \
         version = $7, error = $8, messages = $9, processed_at = $10, next_at = $11, \
         updated_at = $12, hook = $13, hook_at = $14, again = $15 \
         WHERE id = $1",
        &[
            spec.id.into(),
            spec.url.as_deref().into(),
            spec.upload.as_ref().into(),
            spec.visibility.into(),
            spec.state.into(),
            spec.run.into(),
            spec.version.into(),
            spec.error.into(),
            spec.messages.as_str().into(),
            spec.processed_at.into(),
            spec.next_at.into(),
            spec.updated_at.into(),
            spec.hook.as_deref().into(),
            spec.hook_at.into(),
            spec.again.into(),
        ],
    )?;
    Ok(())
}

/// Deletes a specification with its versions.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, id: OpenApiSpecId) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM openapi_files WHERE version IN \
         (SELECT v.id FROM openapi_versions v WHERE v.spec = $1)",
        "DELETE FROM openapi_version_overlays WHERE version IN \
         (SELECT v.id FROM openapi_versions v WHERE v.spec = $1)",
        "DELETE FROM openapi_overlays WHERE spec = $1",
        "DELETE FROM openapi_versions WHERE spec = $1",
        "DELETE FROM openapi_specs WHERE id = $1",
    ] {
        tx.execute(sql, &[id.into()])?;
    }
    Ok(())
}

/// Returns `true` if the source of any specification must be read again.
///
/// # Errors
/// Returns an error if the store fails.
pub fn is_any_due(tx: &Tx<'_>) -> Result<bool, StoreError> {
    tx.exists("SELECT 1 FROM openapi_specs WHERE next_at <= $1 LIMIT 1", &[tx.now().into()])
}

/// Returns the specifications whose source must be read again, those that wait longest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_due(tx: &Tx<'_>, limit: u32) -> Result<Vec<OpenApiSpec>, StoreError> {
    tx.query(
        sql!(OpenApiSpec::SELECT, " WHERE s.next_at <= $1 ORDER BY s.next_at, s.id LIMIT $2"),
        &[tx.now().into(), limit.into()],
        OpenApiSpec::from_row,
    )
}

/// Inserts a new version with its files and overlays.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create_version(
    tx: &Tx<'_>,
    version: &OpenApiVersion,
    files: &[OpenApiFile],
    overlays: &[OpenApiVersionOverlay],
) -> Result<(), StoreError> {
    tx.execute(insert!(OpenApiVersion), &version.values())?;
    for file in files {
        tx.execute(insert!(OpenApiFile), &file.values())?;
    }
    for overlay in overlays {
        tx.execute(insert!(OpenApiVersionOverlay), &overlay.values())?;
    }
    Ok(())
}

/// Stores the result of the comparison of a version.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_changes(tx: &Tx<'_>, version: &OpenApiVersion) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE openapi_versions SET comparison = $2, changes = $3, breaking = $4, warnings = $5, \
         infos = $6 WHERE id = $1",
        &[
            version.id.into(),
            version.comparison.into(),
            version.changes.as_ref().into(),
            version.breaking.into(),
            version.warnings.into(),
            version.infos.into(),
        ],
    )?;
    Ok(())
}

/// Returns the overlays of a specification, in order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_overlays(tx: &Tx<'_>, spec: OpenApiSpecId) -> Result<Vec<OpenApiOverlay>, StoreError> {
    tx.query(
        sql!(OpenApiOverlay::SELECT, " WHERE o.spec = $1 ORDER BY o.position"),
        &[spec.into()],
        OpenApiOverlay::from_row,
    )
}

/// Replaces the overlays of a specification.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_overlays(
    tx: &Tx<'_>,
    spec: OpenApiSpecId,
    overlays: &[OpenApiOverlay],
) -> Result<(), StoreError> {
    tx.execute("DELETE FROM openapi_overlays WHERE spec = $1", &[spec.into()])?;
    for overlay in overlays {
        tx.execute(insert!(OpenApiOverlay), &overlay.values())?;
    }
    Ok(())
}

/// Returns the overlays that changed a version, in order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_version_overlays(
    tx: &Tx<'_>,
    version: OpenApiVersionId,
) -> Result<Vec<OpenApiVersionOverlay>, StoreError> {
    tx.query(
        sql!(OpenApiVersionOverlay::SELECT, " WHERE w.version = $1 ORDER BY w.position"),
        &[version.into()],
        OpenApiVersionOverlay::from_row,
    )
}

/// Stores the headers for conditional requests of a file.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_validators(tx: &Tx<'_>, file: &OpenApiFile) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE openapi_files SET url = $3, etag = $4, modified = $5 \
         WHERE version = $1 AND position = $2",
        &[
            file.version.into(),
            file.position.into(),
            file.url.as_deref().into(),
            file.etag.as_deref().into(),
            file.modified.as_deref().into(),
        ],
    )?;
    Ok(())
}

/// Returns a version of a specification.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_version(
    tx: &Tx<'_>,
    spec: OpenApiSpecId,
    id: OpenApiVersionId,
) -> Result<Option<OpenApiVersion>, StoreError> {
    tx.query_opt(
        sql!(OpenApiVersion::SELECT, " WHERE v.id = $1 AND v.spec = $2"),
        &[id.into(), spec.into()],
        OpenApiVersion::from_row,
    )
}

/// Returns the version of a specification that was read last.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_current(tx: &Tx<'_>, spec: &OpenApiSpec) -> Result<Option<OpenApiVersion>, StoreError> {
    match spec.version {
        Some(version) => get_version(tx, spec.id, version),
        None => Ok(None),
    }
}

/// Returns the version of a specification with this digest.
///
/// # Errors
/// Returns an error if the store fails.
pub fn find_version(
    tx: &Tx<'_>,
    spec: OpenApiSpecId,
    digest: &Hash,
) -> Result<Option<OpenApiVersion>, StoreError> {
    tx.query_opt(
        sql!(OpenApiVersion::SELECT, " WHERE v.spec = $1 AND v.digest = $2"),
        &[spec.into(), digest.into()],
        OpenApiVersion::from_row,
    )
}

/// Returns the versions of a specification, newest first, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_versions(
    tx: &Tx<'_>,
    spec: OpenApiSpecId,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<OpenApiVersion>, StoreError> {
    let (time, id) = after.unwrap_or((Timestamp::from_millis(i64::MAX), ""));
    tx.query(
        sql!(
            OpenApiVersion::SELECT,
            " WHERE v.spec = $1 AND (v.created_at < $2 OR (v.created_at = $2 AND v.id < $3)) \
             ORDER BY v.created_at DESC, v.id DESC LIMIT $4"
        ),
        &[spec.into(), time.into(), id.into(), limit.into()],
        OpenApiVersion::from_row,
    )
}

/// Returns the number of versions of a specification.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_versions(tx: &Tx<'_>, spec: OpenApiSpecId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM openapi_versions WHERE spec = $1",
        &[spec.into()],
        FromRow::from_row,
    )
}

/// Returns the number of versions of a specification that were compared with the one before them.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_compared(tx: &Tx<'_>, spec: OpenApiSpecId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM openapi_versions WHERE spec = $1 AND comparison = $2",
        &[spec.into(), OpenApiComparison::Complete.into()],
        FromRow::from_row,
    )
}

/// Returns the files of a version, the root first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_files(tx: &Tx<'_>, version: OpenApiVersionId) -> Result<Vec<OpenApiFile>, StoreError> {
    tx.query(
        sql!(OpenApiFile::SELECT, " WHERE f.version = $1 ORDER BY f.position"),
        &[version.into()],
        OpenApiFile::from_row,
    )
}

/// Returns the root of a version.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_root(tx: &Tx<'_>, version: OpenApiVersionId) -> Result<Option<OpenApiFile>, StoreError> {
    tx.query_opt(
        sql!(OpenApiFile::SELECT, " WHERE f.version = $1 AND f.position = 0"),
        &[version.into()],
        OpenApiFile::from_row,
    )
}

/// Returns the specifications of an organization that were read, each with the version that was read
/// last.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_current(
    tx: &Tx<'_>,
    organization: OrganizationId,
) -> Result<Vec<(String, Option<String>, OpenApiVersion)>, StoreError> {
    tx.query(
        sql!(
            "SELECT s.slug, s.url, ",
            OpenApiVersion::COLUMNS,
            " FROM openapi_specs s JOIN openapi_versions v ON v.id = s.version \
             WHERE s.organization = $1 ORDER BY s.slug"
        ),
        &[organization.into()],
        FromRow::from_row,
    )
}

/// Returns the ids and the encoded maps of the pieces of versions, in order, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_pieces(
    tx: &Tx<'_>,
    after: Option<OpenApiVersionId>,
    limit: u32,
) -> Result<Vec<(OpenApiVersionId, Vec<u8>)>, StoreError> {
    let after = after.as_ref().map_or("", OpenApiVersionId::as_str);
    tx.query(
        "SELECT id, pieces FROM openapi_versions WHERE id > $1 ORDER BY id LIMIT $2",
        &[after.into(), limit.into()],
        FromRow::from_row,
    )
}

/// Returns the texts of all files, overlays and uploads and the changes of all versions, each once and
/// in order, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_objects(tx: &Tx<'_>, after: Option<Hash>, limit: u32) -> Result<Vec<Hash>, StoreError> {
    let after = after.as_ref().map_or(Value::from(&[0u8; 0]), Value::from);
    tx.query(
        "SELECT o.object FROM (SELECT object FROM openapi_files \
         UNION SELECT upload FROM openapi_specs WHERE upload IS NOT NULL \
         UNION SELECT upload FROM openapi_overlays WHERE upload IS NOT NULL \
         UNION SELECT object FROM openapi_version_overlays \
         UNION SELECT changes FROM openapi_versions WHERE changes IS NOT NULL) o \
         WHERE o.object > $1 ORDER BY o.object LIMIT $2",
        &[after, limit.into()],
        FromRow::from_row,
    )
}
