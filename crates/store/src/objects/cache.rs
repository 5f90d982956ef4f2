//! An in-memory cache of decompressed objects, bounded in bytes. Objects never change, so entries
//! never expire.

use bindery_revision::Hash;
use bytes::Bytes;
use quick_cache::Weighter;

/// Overhead of an entry besides its bytes.
const ENTRY_OVERHEAD: u64 = 128;

/// Expected size of an entry in bytes, for sizing the table.
const EXPECTED_ENTRY_SIZE: u64 = 2048;

/// An object is cached only if it takes at most this fraction of the cache (1/16).
const MAX_ENTRY_DIVISOR: u64 = 16;

#[derive(Clone)]
struct Size;

impl Weighter<Hash, Bytes> for Size {
    fn weight(&self, _: &Hash, bytes: &Bytes) -> u64 {
        bytes.len() as u64 + ENTRY_OVERHEAD
    }
}

/// The cache of objects.
pub(crate) struct Cache {
    entries: quick_cache::sync::Cache<Hash, Bytes, Size>,
    max_entry_size: u64,
}

impl Cache {
    pub(crate) fn new(bytes: u64) -> Self {
        let items = usize::try_from(bytes / EXPECTED_ENTRY_SIZE).unwrap_or(usize::MAX).max(16);
        let entries = quick_cache::sync::Cache::with_weighter(items, bytes, Size);
        Self { entries, max_entry_size: bytes / MAX_ENTRY_DIVISOR }
    }

    pub(crate) fn get(&self, hash: &Hash) -> Option<Bytes> {
        self.entries.get(hash)
    }

    pub(crate) fn insert(&self, hash: Hash, bytes: &Bytes) {
        if bytes.len() as u64 <= self.max_entry_size {
            self.entries.insert(hash, bytes.clone());
        }
    }
}
