//! Versions of specifications and their content.

use bindery_model::{
    Error, OpenApiSpecId, OpenApiVersionId, OpenApiVisibility, OrganizationId, Result,
};
use bindery_openapi::{FORMAT_BYTES, is_json_format};
use bindery_revision::Hash;
use bindery_store::openapi::{self, OpenApiFile, OpenApiSpec, OpenApiVersion};
use bindery_store::organizations::Organization;
use bindery_store::{ObjectPieces, Store, Tx};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{SpecView, get, shown};
use crate::Context;
use crate::access::{self, Authorized};

/// The format of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// JSON.
    Json,
    /// YAML that is not JSON too.
    Yaml,
}

/// Returns the text of a file in pieces, which may end within a character: it can have many megabytes.
#[must_use]
pub fn text_of(file: &OpenApiFile) -> ObjectPieces {
    ObjectPieces::new(file.object, 0..u64::try_from(file.size).unwrap_or_default())
}

/// Returns the format of the text of a file.
///
/// # Errors
/// Returns an error if the object cannot be read.
pub async fn format_of(store: &Store, file: &OpenApiFile) -> Result<Format> {
    let beginning = store.object_range(&file.object, 0..FORMAT_BYTES as u64).await?;
    let is_json = is_json_format(&String::from_utf8_lossy(&beginning));
    Ok(if is_json { Format::Json } else { Format::Yaml })
}

/// Returns a version of a specification.
///
/// # Errors
/// Returns 403 for guests, and 404 if there is no such specification or version.
pub fn version(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
    id: &str,
) -> Result<(SpecView, OpenApiVersion)> {
    let view = get(cx, organization, slug)?;
    let id = OpenApiVersionId::parse(id);
    let version = find_version(cx.tx, view.spec.id, id)?;
    Ok((view, version))
}

/// Returns the version of a specification that was read last.
///
/// # Errors
/// Returns 403 for guests, and 404 if there is no such specification, or if it was never read.
pub fn latest(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
) -> Result<(SpecView, OpenApiVersion)> {
    let view = get(cx, organization, slug)?;
    let version = find_version(cx.tx, view.spec.id, view.spec.version)?;
    Ok((view, version))
}

/// Returns a specification with the version that was read last, to members of its organization, to
/// visitors of a site with a page that shows it, and, if it is public, to all callers.
///
/// # Errors
/// Returns 404 if there is none that the caller may read.
pub fn latest_for_reader(
    cx: &Context<'_>,
    organization: &str,
    slug: &str,
) -> Result<(OpenApiSpec, OpenApiVersion)> {
    let missing = || Error::not_found("OpenAPI specification");
    let organization = OrganizationId::parse(organization).ok_or_else(missing)?;
    let spec = openapi::get_by_slug(cx.tx, organization, slug)?.ok_or_else(missing)?;
    let person = cx.caller.person();
    let is_member = person.map(|person| access::sees_members(cx.tx, person, organization));
    let is_public = spec.visibility == OpenApiVisibility::Public;
    let is_seen = is_public || is_member.transpose()?.unwrap_or_default();
    if !is_seen && !shown::is_shown(cx, &spec)? {
        return Err(missing());
    }
    let version = find_version(cx.tx, spec.id, spec.version)?;
    Ok((spec, version))
}

/// The path below which the files of public specifications are.
pub const PUBLIC_PATH: &str = "/~openapi/";

/// Returns the path of the root of a specification that everybody may read; `None` if it is private,
/// or was never read.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn public_path(tx: &Tx<'_>, spec: &OpenApiSpec) -> Result<Option<String>> {
    let version = spec.version.filter(|_| spec.visibility == OpenApiVisibility::Public);
    let Some(version) = version else { return Ok(None) };
    let root = openapi::get_root(tx, version)?;
    Ok(root.map(|root| format!("{PUBLIC_PATH}{}/{}", spec.id, encoded(&root.name))))
}

/// The characters that are encoded in paths.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Encodes the name of a file for the path of an address.
fn encoded(name: &str) -> String {
    let parts = name.split('/').map(|part| utf8_percent_encode(part, IN_PATH).to_string());
    parts.collect::<Vec<_>>().join("/")
}

/// Returns a file of a specification that everybody may read, named by its path below
/// [`PUBLIC_PATH`]: the id of the specification and the path of the file, or the id alone for the
/// first file.
///
/// # Errors
/// Returns an error if the store fails.
pub fn public_file(tx: &Tx<'_>, path: &str) -> Result<Option<OpenApiFile>> {
    let (id, name) = path.split_once('/').map_or((path, None), |(id, name)| (id, Some(name)));
    let Some(id) = OpenApiSpecId::parse(id) else { return Ok(None) };
    let spec = openapi::get(tx, id)?;
    let spec = spec.filter(|spec| spec.visibility == OpenApiVisibility::Public);
    let Some(version) = spec.and_then(|spec| spec.version) else { return Ok(None) };
    let files = openapi::list_files(tx, version)?;
    let is_named = |file: &&OpenApiFile| name.is_none_or(|name| encoded(&file.name) == name);
    Ok(files.into_iter().find(|file| is_named(&file)))
}

fn find_version(
    tx: &Tx<'_>,
    spec: OpenApiSpecId,
    id: Option<OpenApiVersionId>,
) -> Result<OpenApiVersion> {
    let version = match id {
        Some(id) => openapi::get_version(tx, spec, id)?,
        None => None,
    };
    version.ok_or_else(|| Error::not_found("version of the OpenAPI specification"))
}

/// Returns the root of a version.
///
/// # Errors
/// Returns an error if the store fails.
pub fn root(tx: &Tx<'_>, version: &OpenApiVersion) -> Result<OpenApiFile> {
    let root = openapi::get_root(tx, version.id)?;
    root.ok_or_else(|| Error::internal("a version without files"))
}

/// Returns the files of a version, the root first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn files(tx: &Tx<'_>, version: &OpenApiVersion) -> Result<Vec<OpenApiFile>> {
    Ok(openapi::list_files(tx, version.id)?)
}

pub(super) fn text_of_object(tx: &Tx<'_>, object: &Hash) -> Result<String> {
    let bytes = tx.object_uncached(object)?;
    String::from_utf8(bytes.into())
        .map_err(|error| Error::internal(format!("a file of a specification: {error}")))
}
