//! A cache of page texts as HTML, separate from the rest of the page. A page whose navigation
//! changed is rendered again without parsing and highlighting its text again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bindery_model::{Error, Result, SiteId, SpaceId};
use bindery_revision::Hash;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};

use super::validity::{CacheEntry, Changes};
use crate::view::OutlineEntry;

/// Compression level of cached texts. The lowest level is the fastest to compress and decompress.
const COMPRESSION_LEVEL: i32 = 1;

/// A page's text rendered as HTML.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct RenderedText {
    pub(super) body: String,
    pub(super) outline: Vec<OutlineEntry>,
    /// The ids that the title of the page has besides its own.
    pub(super) title_ids: Vec<String>,
    /// The first sentences of the text as a description.
    pub(super) summary: Option<String>,
    /// The number of changelogs in the text.
    pub(super) changelogs: usize,
}

/// Identifies a rendered text on a site. Two pages of one space with equal texts and variables
/// share it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct TextKey {
    pub(super) site: SiteId,
    pub(super) space: SpaceId,
    pub(super) body: Hash,
    /// The hash of the page's variables, which expressions in the text may show.
    pub(super) variables: Option<Hash>,
}

/// A rendered text, compressed.
#[derive(Debug)]
pub(super) struct CompressedText {
    bytes: Box<[u8]>,
    /// The size before compression in bytes.
    size: usize,
}

impl CompressedText {
    pub(super) fn compress(text: &RenderedText) -> Result<Self> {
        let broken = |error: &dyn std::fmt::Display| {
            Error::internal(format!("a rendered text cannot be compressed: {error}"))
        };
        let plain = postcard::to_stdvec(text).map_err(|error| broken(&error))?;
        let bytes =
            zstd::bulk::compress(&plain, COMPRESSION_LEVEL).map_err(|error| broken(&error))?;
        Ok(Self { bytes: bytes.into(), size: plain.len() })
    }

    pub(super) fn decompress(&self) -> Result<RenderedText> {
        let broken = |error: &dyn std::fmt::Display| {
            Error::internal(format!("a cached text cannot be decompressed: {error}"))
        };
        let plain =
            zstd::bulk::decompress(&self.bytes, self.size).map_err(|error| broken(&error))?;
        postcard::from_bytes(&plain).map_err(|error| broken(&error))
    }
}

#[derive(Clone, Debug)]
struct EntryWeight;

impl Weighter<TextKey, Arc<CacheEntry<CompressedText>>> for EntryWeight {
    fn weight(&self, _: &TextKey, entry: &Arc<CacheEntry<CompressedText>>) -> u64 {
        let bytes = entry.value.bytes.len() + entry.overhead() + size_of::<TextKey>();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// A cache of rendered texts, limited in bytes.
#[derive(Debug)]
pub(super) struct TextCache {
    cache: Cache<TextKey, Arc<CacheEntry<CompressedText>>, EntryWeight>,
    rendered: AtomicU64,
}

impl TextCache {
    pub(super) fn new(bytes: u64) -> Self {
        // A text takes some kilobytes. The estimate only sizes the initial table.
        let items = usize::try_from(bytes / 2_048).unwrap_or(usize::MAX).clamp(64, 65_536);
        let cache = Cache::with_weighter(items, bytes, EntryWeight);
        Self { cache, rendered: AtomicU64::new(0) }
    }

    /// Returns the text if it is valid for this version of its site.
    pub(super) fn get(
        &self,
        key: &TextKey,
        version: i64,
        changes: &Changes,
    ) -> Option<Arc<CacheEntry<CompressedText>>> {
        self.cache.get(key).filter(|entry| entry.is_valid(version, changes))
    }

    /// Caches a text that was just rendered.
    pub(super) fn insert(&self, key: TextKey, entry: CacheEntry<CompressedText>) {
        self.rendered.fetch_add(1, Ordering::Relaxed);
        self.cache.insert(key, Arc::new(entry));
    }

    /// Returns the number of texts that were rendered.
    pub(super) fn rendered(&self) -> u64 {
        self.rendered.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive_compression() {
        let outline = vec![OutlineEntry { level: 2, anchor: "a".into(), title: "A\0\n".into() }];
        let body = "<p>text</p>".repeat(500);
        let text = RenderedText {
            body,
            outline,
            title_ids: vec!["t".into()],
            summary: Some("text".into()),
            changelogs: 1,
        };
        let compressed = CompressedText::compress(&text).unwrap();
        assert!(compressed.bytes.len() < text.body.len() / 10);
        assert_eq!(compressed.decompress().unwrap(), text);
        let empty = RenderedText::default();
        assert_eq!(CompressedText::compress(&empty).unwrap().decompress().unwrap(), empty);
    }
}
