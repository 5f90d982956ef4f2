//! Stores pictures whose addresses contain their data as files of the space.

use std::collections::BTreeMap;

use bindery_content::reference::inlined;
use bindery_model::FileId;
use bindery_revision::{FileRecord, Hash, PathEntry};
use data_encoding::{BASE64, BASE64_NOPAD};

use super::ImportError;
use super::assemble::Importer;
use crate::media;

/// Maximum size of a picture in bytes. Pages of this size are not parsed.
const MAX_BYTES: usize = 1 << 20;

/// A picture in the source of a page.
pub(super) struct InlinedPicture {
    /// The path of its file, which derives from its address.
    path: String,
    content_type: &'static str,
    bytes: Vec<u8>,
}

impl InlinedPicture {
    /// Returns the pictures of a source that can be shown, each once.
    pub(super) fn all(source: &str) -> Vec<Self> {
        let found: BTreeMap<String, &str> =
            inlined::scan(source).map(|(address, path)| (path, address)).collect();
        found.into_iter().filter_map(|(path, address)| Self::of(path, address)).collect()
    }

    /// Returns the picture with an address, or `None` if its bytes are not those of a safe picture.
    fn of(path: String, address: &str) -> Option<Self> {
        let data = inlined::data(address)?;
        if data.len() / 4 * 3 > MAX_BYTES {
            return None;
        }
        let padded = data.as_bytes();
        let bare = data.trim_end_matches('=').as_bytes();
        let bytes = BASE64.decode(padded).or_else(|_| BASE64_NOPAD.decode(bare)).ok()?;
        let content_type = media::by_bytes(&bytes)?;
        let is_safe = matches!(
            content_type,
            "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/avif"
        );
        is_safe.then_some(Self { path, content_type, bytes })
    }
}

impl Importer<'_, '_> {
    /// Stores pictures as files, before the references of their page are resolved.
    pub(super) fn store_pictures(
        &mut self,
        pictures: Vec<InlinedPicture>,
    ) -> Result<(), ImportError> {
        for InlinedPicture { path, content_type, bytes } in pictures {
            if self.resolver.files.contains_key(&path) || self.view.get(&path)?.is_some() {
                continue;
            }
            let id = match self.old.at_path(self.objects, &path)? {
                Some(PathEntry::File(id)) => id,
                _ => FileId::random(self.context.entropy),
            };
            let hash = Hash::of(&bytes);
            self.resolver.files.insert(path.clone(), id);
            self.pictures.push(FileRecord {
                id,
                name: path.rsplit('/').next().unwrap_or(&path).to_owned(),
                path: Some(path),
                content_type: content_type.to_owned(),
                size: bytes.len() as u64,
                hash,
                dimensions: media::dimensions(content_type, &bytes),
            });
            self.output.staging.put_hashed(hash, bytes.into());
            self.output.flush_if_full()?;
        }
        Ok(())
    }
}
