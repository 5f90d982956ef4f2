//! A cache of page texts as HTML, separate from the rest of the page. A page whose navigation
//! changed is rendered again without parsing and highlighting its text again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bindery_model::{Error, Result, SiteId, SpaceId};
use bindery_revision::Hash;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};

use super::kept::{Changes, Kept};
use crate::view::OutlineEntry;

/// Compression level of cached texts. The lowest level is the fastest to compress and decompress.
const LEVEL: i32 = 1;

/// A page's text rendered as HTML.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Rendered {
    pub(super) body: String,
    pub(super) outline: Vec<OutlineEntry>,
    /// The first sentences of the text as a description.
    pub(super) summary: Option<String>,
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
pub(super) struct Packed {
    bytes: Box<[u8]>,
    /// The size before compression in bytes.
    size: usize,
}

impl Packed {
    pub(super) fn new(rendered: &Rendered) -> Result<Self> {
        let broken = |error: &dyn std::fmt::Display| {
            Error::internal(format!("a rendered text cannot be compressed: {error}"))
        };
        let plain = postcard::to_stdvec(rendered).map_err(|error| broken(&error))?;
        let bytes = zstd::bulk::compress(&plain, LEVEL).map_err(|error| broken(&error))?;
        Ok(Self { bytes: bytes.into(), size: plain.len() })
    }

    pub(super) fn open(&self) -> Result<Rendered> {
        let broken = |error: &dyn std::fmt::Display| {
            Error::internal(format!("a cached text cannot be decompressed: {error}"))
        };
        let plain =
            zstd::bulk::decompress(&self.bytes, self.size).map_err(|error| broken(&error))?;
        postcard::from_bytes(&plain).map_err(|error| broken(&error))
    }
}

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<TextKey, Arc<Kept<Packed>>> for Weight {
    fn weight(&self, _: &TextKey, kept: &Arc<Kept<Packed>>) -> u64 {
        let bytes = kept.value.bytes.len() + kept.overhead() + size_of::<TextKey>();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// A cache of rendered texts, limited in bytes.
#[derive(Debug)]
pub(super) struct Texts {
    cache: Cache<TextKey, Arc<Kept<Packed>>, Weight>,
    made: AtomicU64,
}

impl Texts {
    pub(super) fn new(bytes: u64) -> Self {
        // A text takes some kilobytes. The estimate only sizes the initial table.
        let items = usize::try_from(bytes / 2_048).unwrap_or(usize::MAX).clamp(64, 65_536);
        let cache = Cache::with_weighter(items, bytes, Weight);
        Self { cache, made: AtomicU64::new(0) }
    }

    /// Returns the text if it is valid for this version of its site.
    pub(super) fn get(
        &self,
        key: &TextKey,
        version: i64,
        changes: &Changes,
    ) -> Option<Arc<Kept<Packed>>> {
        self.cache.get(key).filter(|kept| kept.holds(version, changes))
    }

    /// Caches a text that was just rendered.
    pub(super) fn insert(&self, key: TextKey, kept: Kept<Packed>) {
        self.made.fetch_add(1, Ordering::Relaxed);
        self.cache.insert(key, Arc::new(kept));
    }

    /// Returns the number of texts that were rendered.
    pub(super) fn made(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_as_it_was() {
        let outline = vec![OutlineEntry { level: 2, anchor: "a".into(), title: "A\0\n".into() }];
        let body = "<p>text</p>".repeat(500);
        let rendered = Rendered { body, outline, summary: Some("text".into()) };
        let packed = Packed::new(&rendered).unwrap();
        assert!(packed.bytes.len() < rendered.body.len() / 10);
        assert_eq!(packed.open().unwrap(), rendered);
        let empty = Rendered::default();
        assert_eq!(Packed::new(&empty).unwrap().open().unwrap(), empty);
    }
}
