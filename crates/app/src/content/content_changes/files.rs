//! Files that are inserted with changes. They are prepared before the transaction and inserted in
//! it.

use bindery_git::media;
use bindery_model::{FieldPath, FileId, Result};
use bindery_outbound::{Request, Url};
use bindery_revision::{FileRecord, PathEntry, edit};
use bindery_store::PreparedObject;
use bytes::Bytes;

use super::Work;
use crate::content::snapshot::broken_object;
use crate::content::{base64, content_type};
use crate::{App, text};

/// Maximum size in bytes of a file that is sent among changes.
const INLINE: usize = 1 << 20;
/// Maximum size in bytes of a file that is sent alone.
const UPLOADED: usize = 25 << 20;
/// Maximum size in bytes of a file that is fetched from an address.
const FETCHED: u64 = 25 << 20;
/// Maximum length of a name, in characters.
const NAME: usize = 256;
/// Maximum length of each part of a media type, in bytes (RFC 6838).
const TYPE_PART: usize = 127;

/// The folder for inserted files.
const FOLDER: &str = ".gitbook/assets";

/// A file that a request inserts.
#[derive(Clone, Debug)]
pub struct NewFile {
    /// The name by which the other changes of the request refer to the file.
    pub reference: Option<String>,
    /// The name of the downloaded file.
    pub name: String,
    /// Its media type, if the request declares one. A range such as `image/*` refuses all others.
    pub content_type: Option<String>,
    /// The source of its bytes.
    pub source: FileSource,
}

/// The source of a file's bytes.
#[derive(Clone, Debug)]
pub enum FileSource {
    /// A public address from which the bytes are fetched.
    Url(String),
    /// The bytes in a request with changes, as Base64.
    Base64(String),
    /// The bytes in a request that sends this file alone, as Base64.
    Upload(String),
}

/// A file whose bytes are staged in the store.
#[derive(Clone, Debug)]
pub struct PreparedFile {
    reference: Option<String>,
    name: String,
    content_type: String,
    dimensions: Option<bindery_revision::Dimensions>,
    object: PreparedObject,
}

/// Fetches or decodes a file and stages its bytes. `at` is its location in the request.
///
/// # Errors
/// Returns an error if the file or its address is invalid.
pub async fn prepare(app: &App, at: &FieldPath, new: NewFile) -> Result<PreparedFile> {
    let NewFile { reference, name, content_type, source } = new;
    let name = text::title(at.field("name"), &name, 1, NAME)?;
    if name.contains(['/', '\\']) || name.chars().all(|c| c == '.') {
        return Err(at.field("name").invalid(format_args!(
            "found {name:?}, allowed: the name of a file, without a folder"
        )));
    }
    let (range, said) = match content_type {
        Some(said) if said.ends_with("/*") => (Some(said.to_ascii_lowercase()), None),
        said => (None, said),
    };
    let (bytes, said) = match source {
        FileSource::Base64(text) => (base64::decode(&at.field("base64"), &text, INLINE)?, said),
        FileSource::Upload(text) => (base64::decode(&at.field("base64"), &text, UPLOADED)?, said),
        FileSource::Url(url) => {
            let (bytes, told) = fetch(app, &at.field("url"), &url).await?;
            // Servers often tell a type by the name; the bytes know better.
            let told = told.filter(|_| media::by_bytes(&bytes).is_none());
            (bytes, said.or(told))
        }
    };
    let content_type = media_type(at, &name, said.as_deref(), &bytes)?;
    let name = match range {
        Some(range) => in_range(at, name, &content_type, &range)?,
        None => name,
    };
    let dimensions = media::dimensions(&content_type, &bytes);
    let object = app.store.stage(PreparedObject::new(bytes)).await?;
    Ok(PreparedFile { reference, name, content_type, dimensions, object })
}

/// Returns the media type of a file: the declared one, unless its bytes are something else.
fn media_type(at: &FieldPath, name: &str, said: Option<&str>, bytes: &[u8]) -> Result<String> {
    let found = media::content_type(name, bytes);
    let Some(said) = said.map(content_type::essence).filter(|said| !said.is_empty()) else {
        return Ok(found.to_owned());
    };
    let at = at.field("contentType");
    let token = |part: &str| {
        !part.is_empty()
            && part.len() <= TYPE_PART
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
    };
    if !said.split_once('/').is_some_and(|(kind, part)| token(kind) && token(part)) {
        let found: String = said.chars().take(TYPE_PART).collect();
        return Err(at.invalid(format_args!("found {found:?}, allowed: a media type")));
    }
    let told = media::by_bytes(bytes);
    let is_raster =
        ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "application/pdf"]
            .contains(&said.as_str());
    let same = |a: &str, b: &str| a == b || (a == "image/jpg" && b == "image/jpeg");
    match told {
        Some(told) if same(&said, told) => Ok(told.to_owned()),
        Some(told) if said != "application/octet-stream" => {
            Err(at.invalid(format_args!("found {said:?}, but the file is {told}")))
        }
        Some(told) => Ok(told.to_owned()),
        None if is_raster => {
            Err(at.invalid(format_args!("found {said:?}, but the file is of another type")))
        }
        None => Ok(said),
    }
}

/// Returns the name of a file whose type is in a range such as `image/*`. A name without an
/// extension gets that of the type.
///
/// # Errors
/// Returns an error if the type is outside the range.
fn in_range(at: &FieldPath, name: String, content_type: &str, range: &str) -> Result<String> {
    if !range.strip_suffix('*').is_some_and(|prefix| content_type.starts_with(prefix)) {
        let found = format_args!("found {range:?}, but the file is {content_type}");
        return Err(at.field("contentType").invalid(found));
    }
    let has_extension = media::by_name(&name) != media::UNKNOWN;
    Ok(match media::extension(content_type) {
        Some(extension) if !has_extension => format!("{name}.{extension}"),
        _ => name,
    })
}

/// Fetches the bytes at an address. Also returns the media type that the server declares.
async fn fetch(app: &App, at: &FieldPath, url: &str) -> Result<(Bytes, Option<String>)> {
    let allowed = "allowed: a public http or https address";
    let parsed = Url::parse(url).map_err(|error| at.invalid(format_args!("{error}; {allowed}")))?;
    if !matches!(parsed.scheme(), "http" | "https") || !parsed.username().is_empty() {
        return Err(at.invalid(allowed));
    }
    let failed = |error: bindery_outbound::Error| at.invalid(format_args!("{error}"));
    let request = Request::get(parsed).body_limit(FETCHED);
    let response = app.client.send(request).await.map_err(failed)?;
    if !response.status.is_success() {
        return Err(at.invalid(format_args!("the address answers with status {}", response.status)));
    }
    let header = response.headers.get(bindery_outbound::header::CONTENT_TYPE);
    let told = header.and_then(|value| value.to_str().ok()).map(content_type::essence);
    // Generic types do not describe the file.
    let told = told.filter(|told| told != "application/octet-stream" && told != "text/plain");
    Ok((response.body.bytes().await.map_err(failed)?, told))
}

impl Work<'_, '_> {
    pub(super) fn insert_files(&mut self, at: &FieldPath, files: Vec<PreparedFile>) -> Result<()> {
        for (index, file) in files.into_iter().enumerate() {
            let at = at.field("files").field(index);
            let PreparedFile { reference, name, content_type, dimensions, object } = file;
            let record = FileRecord {
                id: FileId::random(&self.app.entropy),
                path: Some(self.free_path(&format!("{FOLDER}/{name}"))?),
                name,
                content_type,
                size: object.size(),
                hash: object.hash(),
                dimensions,
            };
            self.content =
                edit::put_file(&self.content, self.staging, &record).map_err(broken_object)?;
            self.objects.push(object);
            self.name(&at, reference, PathEntry::File(record.id))?;
            self.files.push(record);
        }
        Ok(())
    }
}
