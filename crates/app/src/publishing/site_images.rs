//! Images of the looks of sites, such as logos and favicons. Published pages load them, so they are
//! served to everybody; their addresses cannot be guessed.

use bindery_git::media;
use bindery_model::{Error, FieldPath, Result, SiteId, StorageFileId, StorageKind};
use bindery_revision::Dimensions;
use bindery_store::site_images::{self as rows, SiteImage};
use bindery_store::storage_files::{self, StorageFile};
use bindery_store::{PreparedObject, site_customizations};

use super::sites::SiteTarget;
use super::storage;
use crate::access::Authorized;
use crate::content::base64;
use crate::{App, Context, text};

/// Maximum size of an image, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// Maximum number of images of a site.
const MAX_IMAGES: usize = 100;
/// Time in milliseconds for which an image that the look does not use is kept: one day.
const UNUSED_MILLIS: i64 = 24 * 60 * 60 * 1000;
/// Maximum length of a name, in characters.
const MAX_NAME: usize = 255;

/// The media types of images.
const TYPES: &[&str] =
    &["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml"];

/// An image whose bytes are staged in the store.
#[derive(Clone, Debug)]
pub struct PreparedImage {
    content_type: &'static str,
    dimensions: Option<Dimensions>,
    object: PreparedObject,
}

/// A stored image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredImage {
    /// Its id.
    pub id: StorageFileId,
    /// Its media type.
    pub content_type: &'static str,
    /// Its size in bytes.
    pub size: u64,
    /// Its width and height in pixels; `None` for vector images.
    pub dimensions: Option<Dimensions>,
    /// Its public address.
    pub url: String,
}

/// Decodes an image and stages its bytes.
///
/// # Errors
/// Returns 400 if the bytes are no image, or too many.
pub async fn prepare(app: &App, name: &str, encoded: &str) -> Result<PreparedImage> {
    let name = text::title("/name", name, 1, MAX_NAME)?;
    let at = FieldPath::new("/base64");
    let bytes = base64::decode(&at, encoded, MAX_BYTES)?;
    let found = media::content_type(&name, &bytes);
    let is_svg = found == "image/svg+xml" && bytes.windows(4).any(|part| part == b"<svg");
    let is_image = is_svg || media::by_bytes(&bytes).is_some_and(|kind| TYPES.contains(&kind));
    if !is_image || !TYPES.contains(&found) {
        return Err(at.invalid(format_args!(
            "found a file of the type {found}, allowed: PNG, JPEG, GIF, WebP, AVIF and SVG"
        )));
    }
    let dimensions = media::dimensions(found, &bytes);
    let object = app.store.stage(PreparedObject::new(bytes)).await?;
    Ok(PreparedImage { content_type: found, dimensions, object })
}

/// Adds an image to a site. Images that the look of the site has not used for a day are deleted.
///
/// # Errors
/// Returns 409 if the site has the maximum number of images.
pub fn create(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    image: &PreparedImage,
) -> Result<StoredImage> {
    let site = &site.0;
    if delete_unused(cx, site.id)? >= MAX_IMAGES {
        return Err(Error::conflict(format!(
            "this site has {MAX_IMAGES} images, the maximum: those that its look does not use are \
             deleted after a day"
        )));
    }
    let PreparedImage { content_type, dimensions, ref object } = *image;
    let size = object.size();
    let stored_size = i64::try_from(size).unwrap_or(i64::MAX);
    let file = StorageFile {
        id: StorageFileId::random(&cx.app.entropy),
        organization: site.organization,
        kind: StorageKind::SiteImage,
        content_type: content_type.to_owned(),
        stated_size: stored_size,
        upload_digest: cx.app.entropy.bytes(),
        expires_at: cx.now(),
        object: Some(object.hash()),
        size: Some(stored_size),
        created_at: cx.now(),
    };
    cx.tx.put_prepared(std::slice::from_ref(object))?;
    storage_files::create(cx.tx, &file)?;
    rows::create(cx.tx, &SiteImage { file: file.id, site: site.id, created_at: cx.now() })?;
    let url = storage::address(&cx.app.urls, file.id);
    Ok(StoredImage { id: file.id, content_type, size, dimensions, url })
}

/// Deletes the images that the look of a site has not used for a day, and returns the number of the
/// others.
fn delete_unused(cx: &Context<'_>, site: SiteId) -> Result<usize> {
    let looks = site_customizations::list_of_site(cx.tx, site)?;
    let before = cx.now().plus_millis(-UNUSED_MILLIS);
    let mut kept = 0;
    for image in rows::list(cx.tx, site)? {
        let id = image.file.to_string();
        let is_used = looks.iter().any(|look| look.contains(&id));
        if is_used || image.created_at > before {
            kept += 1;
        } else {
            rows::delete(cx.tx, image.file)?;
        }
    }
    Ok(kept)
}
