//! Uploads of files that belong to an organization and to none of its spaces.
//!
//! A caller who may upload receives an address with a secret, which accepts one upload. Fonts and
//! images of sites are served to everybody, because published pages load them; their keys cannot be
//! guessed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bindery_model::{Error, FieldPath, Result, StorageFileId, StorageKind};
use bindery_store::organizations::Organization;
pub use bindery_store::storage_files::StorageFile;
use bindery_store::{StoreError, Tx, storage_files};
use bytes::Bytes;

use crate::access::Authorized;
use crate::content::content_type::essence;
use crate::publishing::urls::Urls;
use crate::{App, Context};

/// Path prefix of uploaded files on the host of published sites.
pub const PATH: &str = "/~storage/";

/// Maximum size of a file of a font, in bytes.
const MAX_FONT_BYTES: i64 = 5 << 20;
/// Maximum size of a file to import, in bytes.
const MAX_IMPORT_BYTES: i64 = 16 << 20;
/// Maximum number of files of an organization that nothing uses.
const MAX_UNUSED: i64 = 500;
/// Time in milliseconds during which an address accepts an upload: 15 minutes.
const UPLOAD_TIME_MILLIS: i64 = 15 * 60 * 1000;
/// Time in milliseconds after which a file that nothing uses is deleted: one day.
const UNUSED_MILLIS: i64 = 24 * 60 * 60 * 1000;
/// Maximum length of a name and of a media type, in characters.
const MAX_TEXT: usize = 255;

/// The media types that clients state for fonts. The recognised type counts after the upload.
const STATED_FONT_TYPES: &[&str] = &[
    "",
    "application/octet-stream",
    "application/font-woff",
    "application/font-woff2",
    "application/x-font-woff",
    "application/x-font-woff2",
    "application/x-font-ttf",
    "application/x-font-otf",
    "application/vnd.ms-opentype",
    "font/woff2",
    "font/woff",
    "font/ttf",
    "font/otf",
    "font/sfnt",
];

/// The description of a file before its upload.
#[derive(Clone, Copy, Debug)]
pub struct NewUpload<'a> {
    /// Its purpose.
    pub kind: StorageKind,
    /// Its name.
    pub name: &'a str,
    /// Its media type.
    pub content_type: &'a str,
    /// Its size in bytes.
    pub size: f64,
}

/// An address that accepts one upload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UploadAddress {
    /// The key of the file.
    pub key: StorageFileId,
    /// The address, with a secret.
    pub url: String,
}

/// Creates an address that accepts one upload within 15 minutes.
///
/// # Errors
/// Returns 400 if the description of the file is invalid, and 409 if the organization has the
/// maximum number of files that nothing uses.
pub fn create(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    upload: &NewUpload<'_>,
) -> Result<UploadAddress> {
    let (content_type, stated_size) = check(upload)?;
    if storage_files::count_unused(cx.tx, organization.id)? >= MAX_UNUSED {
        return Err(Error::conflict(format!(
            "this organization has {MAX_UNUSED} uploaded files that nothing uses, the maximum: \
             they are deleted after a day"
        )));
    }
    let secret = URL_SAFE_NO_PAD.encode(cx.app.entropy.bytes::<32>());
    let file = StorageFile {
        id: StorageFileId::random(&cx.app.entropy),
        organization: organization.id,
        kind: upload.kind,
        content_type,
        stated_size,
        upload_digest: digest(&secret),
        expires_at: cx.now().plus_millis(UPLOAD_TIME_MILLIS),
        object: None,
        size: None,
        created_at: cx.now(),
    };
    storage_files::create(cx.tx, &file)?;
    let url = format!("{}?upload={secret}", address(&cx.app.urls, file.id));
    Ok(UploadAddress { key: file.id, url })
}

/// Returns the address of a file.
pub(super) fn address(urls: &Urls, id: StorageFileId) -> String {
    format!("{}{PATH}{id}", urls.sites())
}

/// Checks the description of a file and returns its media type and its size.
fn check(upload: &NewUpload<'_>) -> Result<(String, i64)> {
    let file = FieldPath::new("/file");
    for (field, text) in [("name", upload.name), ("type", upload.content_type)] {
        let length = text.chars().count();
        if length > MAX_TEXT {
            return Err(file
                .field(field)
                .invalid(format!("found {length} characters, allowed: at most {MAX_TEXT}")));
        }
    }
    let content_type = essence(upload.content_type);
    let max = match upload.kind {
        StorageKind::CustomizationFont => MAX_FONT_BYTES,
        StorageKind::ImportFile => MAX_IMPORT_BYTES,
        StorageKind::SiteImage => {
            return Err(Error::internal("images of sites have no addresses for uploads"));
        }
    };
    if upload.kind == StorageKind::CustomizationFont
        && !STATED_FONT_TYPES.contains(&content_type.as_str())
    {
        return Err(file.field("type").invalid(format!(
            "found {content_type:?}, allowed: the type of a font, such as \"font/woff2\""
        )));
    }
    let size = upload.size;
    // The comparison is false for values that are no numbers.
    let is_allowed = size >= 1.0 && size <= max as f64 && size.fract() == 0.0;
    if !is_allowed {
        return Err(file
            .field("size")
            .invalid(format!("found {size}, allowed: a whole number from 1 to {max} bytes")));
    }
    Ok((content_type, size as i64))
}

/// Returns the hash by which the secret of an address is recognised.
fn digest(secret: &str) -> [u8; 32] {
    *blake3::hash(secret.as_bytes()).as_bytes()
}

/// Returns the file whose upload an address accepts; `None` if the secret is wrong or has expired.
///
/// # Errors
/// Returns an error if the store fails.
pub async fn find_upload(
    app: &App,
    id: StorageFileId,
    secret: &str,
) -> Result<Option<StorageFile>> {
    let file = app.store.read(move |tx| storage_files::get(tx, id)).await?;
    let digest = digest(secret);
    Ok(file.filter(|file| {
        crate::secrets::equal(&file.upload_digest, &digest) && app.clock.now() < file.expires_at
    }))
}

/// Stores the bytes of a file.
///
/// # Errors
/// Returns 400 if the bytes are not what was stated: another size, or no font. Returns 409 if the
/// file has been uploaded before.
pub async fn receive(app: &App, file: &StorageFile, bytes: Bytes) -> Result<()> {
    let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    if size != file.stated_size {
        return Err(Error::invalid(format!(
            "found {size} bytes, allowed: the stated size of {} bytes",
            file.stated_size
        )));
    }
    let content_type = match file.kind {
        StorageKind::CustomizationFont => font_type(&bytes)?.to_owned(),
        StorageKind::ImportFile | StorageKind::SiteImage => file.content_type.clone(),
    };
    let used = || Error::conflict("the file has been uploaded: each address accepts one upload");
    if file.object.is_some() {
        return Err(used());
    }
    let object = app.store.put_blob_from(std::io::Cursor::new(bytes)).await?;
    let id = file.id;
    let complete = move |tx: &Tx<'_>| storage_files::complete(tx, id, &content_type, &object, size);
    match app.store.write(complete).await? {
        true => Ok(()),
        false => Err(used()),
    }
}

/// Recognises a font by its first bytes and returns its media type.
///
/// # Errors
/// Returns 400 if the bytes are no font, or a compressed font that is cut off.
fn font_type(bytes: &[u8]) -> Result<&'static str> {
    let found = match bytes.get(..4) {
        Some(b"wOF2") => "font/woff2",
        Some(b"wOFF") => "font/woff",
        Some(b"OTTO") => "font/otf",
        Some([0, 1, 0, 0] | b"true") => "font/ttf",
        _ => {
            return Err(Error::invalid(
                "found a file that is no font, allowed: WOFF2, WOFF, TrueType and OpenType",
            ));
        }
    };
    // The header of a compressed font contains the length of the file.
    let stated = bytes.get(8..12).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
    let stated = stated.map(|bytes| u64::from(u32::from_be_bytes(bytes)));
    let is_compressed = matches!(found, "font/woff2" | "font/woff");
    if is_compressed && stated != Some(bytes.len() as u64) || bytes.len() < 12 {
        return Err(Error::invalid(
            "found a font whose length differs from the length in its header, allowed: a complete \
             file",
        ));
    }
    Ok(found)
}

/// Returns an uploaded file of a font or an image of a site. Other files are served to nobody.
///
/// # Errors
/// Returns an error if the store fails.
pub fn find_public_file(tx: &Tx<'_>, id: StorageFileId) -> Result<Option<StorageFile>> {
    let file = storage_files::get(tx, id)?.filter(|file| file.object.is_some());
    Ok(file.filter(|file| match file.kind {
        StorageKind::CustomizationFont | StorageKind::SiteImage => true,
        StorageKind::ImportFile => false,
    }))
}

/// Deletes files that nothing has used for a day. Returns their number.
pub(crate) fn delete_unused(tx: &Tx<'_>) -> Result<u64, StoreError> {
    storage_files::delete_unused(tx, tx.now().plus_millis(-UNUSED_MILLIS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_are_recognised_by_their_first_bytes() {
        let check = |start: &[u8], expect: Option<&str>| {
            let mut bytes = start.to_vec();
            bytes.resize(16, 0);
            bytes[8..12].copy_from_slice(&16_u32.to_be_bytes());
            assert_eq!(font_type(&bytes).ok(), expect, "{start:?}");
        };
        check(b"wOF2", Some("font/woff2"));
        check(b"wOFF", Some("font/woff"));
        check(b"OTTO", Some("font/otf"));
        check(&[0, 1, 0, 0], Some("font/ttf"));
        check(b"<svg", None);
        check(b"ttcf", None);
        assert!(font_type(b"wOF2").is_err());
        assert!(font_type(b"wOF2\0\0\0\0\0\0\0\xff...............").is_err());
    }
}
