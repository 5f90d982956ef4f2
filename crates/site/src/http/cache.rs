//! Answers kept in memory, bounded in bytes.

use std::hash::Hash;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::Prepared;

#[derive(Clone, Debug)]
struct Bytes;

impl<K> Weighter<K, Arc<Prepared>> for Bytes {
    fn weight(&self, _: &K, prepared: &Arc<Prepared>) -> u64 {
        u64::try_from(prepared.weight()).unwrap_or(u64::MAX)
    }
}

/// A cache of answers that holds at most so many bytes and forgets what is read least.
#[derive(Debug)]
pub struct PreparedCache<K> {
    cache: Cache<K, Arc<Prepared>, Bytes>,
}

impl<K: Eq + Hash + Clone> PreparedCache<K> {
    /// A cache of at most `bytes`.
    pub fn new(bytes: u64) -> Self {
        // A page takes some tens of kilobytes; the estimate only sizes the first table.
        let items = usize::try_from(bytes / 32_768).unwrap_or(usize::MAX).clamp(64, 65_536);
        Self { cache: Cache::with_weighter(items, bytes, Bytes) }
    }

    /// What is kept under the key.
    pub fn get(&self, key: &K) -> Option<Arc<Prepared>> {
        self.cache.get(key)
    }

    /// What is kept under the key, made now if it is not there. Of several callers one makes it
    /// and the others wait for it.
    ///
    /// # Errors
    /// What `make` refused with; nothing is kept then.
    pub fn get_or_make<E>(
        &self,
        key: &K,
        make: impl FnOnce() -> Result<Prepared, E>,
    ) -> Result<Arc<Prepared>, E> {
        self.cache.get_or_insert_with(key, || make().map(Arc::new))
    }

    /// Keeps an answer.
    pub fn insert(&self, key: K, prepared: Arc<Prepared>) {
        self.cache.insert(key, prepared);
    }

    /// Forgets an answer.
    pub fn remove(&self, key: &K) {
        self.cache.remove(key);
    }

    /// The bytes in use.
    pub fn weight(&self) -> u64 {
        self.cache.weight()
    }
}
