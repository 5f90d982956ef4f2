//! The texts of pages as HTML, kept apart from what surrounds them: a page whose navigation
//! changed is put together anew without its text being parsed, coloured and rendered again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bindery_model::{Error, Result, SiteId, SpaceId};
use bindery_revision::Hash;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};

use super::kept::{Changes, Kept};
use crate::view::OutlineEntry;

/// How hard texts are compressed: they wait in memory, and are read at gigabytes a second.
const LEVEL: i32 = 1;

/// What a page's text becomes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Rendered {
    pub(super) body: String,
    pub(super) outline: Vec<OutlineEntry>,
    /// The first sentences, for machines.
    pub(super) summary: Option<String>,
}

/// A text on a site: two pages of one space with equal texts and variables share it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct TextKey {
    pub(super) site: SiteId,
    pub(super) space: SpaceId,
    pub(super) body: Hash,
    /// The variables of the page, which expressions in the text may show.
    pub(super) variables: Option<Hash>,
}

/// A rendered text, compressed.
#[derive(Debug)]
pub(super) struct Packed {
    bytes: Box<[u8]>,
    /// Bytes before they were compressed.
    size: usize,
}

impl Packed {
    pub(super) fn new(rendered: &Rendered) -> Result<Self> {
        let broken = |error: &dyn std::fmt::Display| {
            Error::internal(format!("a rendered text cannot be kept: {error}"))
        };
        let plain = postcard::to_stdvec(rendered).map_err(|error| broken(&error))?;
        let bytes = zstd::bulk::compress(&plain, LEVEL).map_err(|error| broken(&error))?;
        Ok(Self { bytes: bytes.into(), size: plain.len() })
    }

    pub(super) fn open(&self) -> Result<Rendered> {
        let broken = |error: &dyn std::fmt::Display| {
            Error::internal(format!("a kept text cannot be read: {error}"))
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

/// Rendered texts, bounded in bytes.
#[derive(Debug)]
pub(super) struct Texts {
    cache: Cache<TextKey, Arc<Kept<Packed>>, Weight>,
    made: AtomicU64,
}

impl Texts {
    pub(super) fn new(bytes: u64) -> Self {
        // A text takes some kilobytes; the estimate only sizes the first table.
        let items = usize::try_from(bytes / 2_048).unwrap_or(usize::MAX).clamp(64, 65_536);
        let cache = Cache::with_weighter(items, bytes, Weight);
        Self { cache, made: AtomicU64::new(0) }
    }

    /// A text that holds under this version of its site.
    pub(super) fn get(
        &self,
        key: &TextKey,
        version: i64,
        changes: &Changes,
    ) -> Option<Arc<Kept<Packed>>> {
        self.cache.get(key).filter(|kept| kept.holds(version, changes))
    }

    /// Keeps a text that was rendered just now.
    pub(super) fn insert(&self, key: TextKey, kept: Kept<Packed>) {
        self.made.fetch_add(1, Ordering::Relaxed);
        self.cache.insert(key, Arc::new(kept));
    }

    /// How many texts were rendered.
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
