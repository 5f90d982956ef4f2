//! The images of a job. Each is checked before pages show it, because the typesetter rejects a
//! whole chapter for one broken image.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::PathBuf;

use bindery_paper::ImageFact;
use bindery_paper::folder::{Folder, ImageFile};
use image::ImageReader;
use typst::foundations::{Bytes, Smart};
use typst::syntax::FileId;
use typst::visualize::{ExchangeFormat, RasterImage, SvgImage};

use crate::filters;
use crate::world::file_id;

/// Maximum number of pixels of an image.
const PIXEL_LIMIT: u64 = 40_000_000;
/// Maximum size of an image file in bytes.
const BYTE_LIMIT: u64 = 32 << 20;
/// Maximum size of an SVG image in bytes.
const SVG_LIMIT: u64 = 2 << 20;
/// Maximum total size of all image files in bytes.
const TOTAL_LIMIT: u64 = 384 << 20;
/// Maximum work for the filters of all SVG images.
const TOTAL_WORK: f64 = 3e9;

/// The images that can be shown.
#[derive(Default)]
pub(crate) struct Images {
    facts: Vec<ImageFact>,
    paths: HashMap<FileId, PathBuf>,
}

impl Images {
    pub(crate) fn facts(&self) -> Vec<ImageFact> {
        self.facts.clone()
    }

    pub(crate) fn read(&self, id: FileId) -> Option<Bytes> {
        std::fs::read(self.paths.get(&id)?).ok().map(Bytes::new)
    }
}

/// Returns the images that the typesetter accepts and that fit the limits.
pub(crate) fn usable(folder: &Folder, files: &[ImageFile]) -> Images {
    let mut images = Images::default();
    let mut room = TOTAL_LIMIT;
    let mut work = TOTAL_WORK;
    for ImageFile { id, is_svg } in files {
        let path = folder.image(id);
        let Some(bytes) = read(&path, if *is_svg { SVG_LIMIT } else { BYTE_LIMIT }.min(room))
        else {
            continue;
        };
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let checked = if *is_svg { svg_size(bytes, &mut work) } else { raster_size(bytes) };
        let Some((extension, width, height)) = checked else { continue };
        // The typesetter recognises the format by the extension.
        let name = format!("/files/{id}.{extension}");
        let Ok(file) = file_id(&name) else { continue };
        room = room.saturating_sub(length);
        images.paths.insert(file, path);
        images.facts.push(ImageFact { id: id.clone(), path: name, width, height });
        typst::comemo::evict(0);
    }
    images
}

fn read(path: &PathBuf, limit: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(limit + 1).read_to_end(&mut bytes).ok()?;
    let length = u64::try_from(bytes.len()).ok()?;
    (length <= limit).then_some(bytes)
}

/// Returns the size of an image whose filters take no more than the work that is left.
fn svg_size(bytes: Vec<u8>, left: &mut f64) -> Option<(&'static str, f64, f64)> {
    let image = SvgImage::new(Bytes::new(bytes)).ok()?;
    let (width, height) = (image.width(), image.height());
    let rest = *left - filters::work(image.tree())?;
    if width < 1.0 || height < 1.0 || rest < 0.0 {
        return None;
    }
    *left = rest;
    Some(("svg", width, height))
}

fn raster_size(bytes: Vec<u8>) -> Option<(&'static str, f64, f64)> {
    let reader = ImageReader::new(BufReader::new(std::io::Cursor::new(&bytes)));
    let reader = reader.with_guessed_format().ok()?;
    let (extension, format) = match reader.format()? {
        image::ImageFormat::Png => ("png", ExchangeFormat::Png),
        image::ImageFormat::Jpeg => ("jpg", ExchangeFormat::Jpg),
        image::ImageFormat::Gif => ("gif", ExchangeFormat::Gif),
        image::ImageFormat::WebP => ("webp", ExchangeFormat::Webp),
        _ => return None,
    };
    // The size is in the first bytes, so an image that is too large is not decoded.
    let (width, height) = reader.into_dimensions().ok()?;
    if u64::from(width) * u64::from(height) > PIXEL_LIMIT || width == 0 || height == 0 {
        return None;
    }
    RasterImage::new(Bytes::new(bytes), format, Smart::Auto).ok()?;
    Some((extension, f64::from(width), f64::from(height)))
}
