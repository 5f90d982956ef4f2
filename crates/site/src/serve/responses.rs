//! A cache of responses with their compressed forms, limited in bytes.

use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bindery_model::SiteId;
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};

use super::validity::{CacheEntry, Changes};
use crate::http::PreparedResponse;

/// The site and path of a cached response.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    site: SiteId,
    path: String,
}

/// A [`Key`] borrowed from a request.
#[derive(Clone, Copy, Hash)]
struct KeyRef<'a> {
    site: SiteId,
    path: &'a str,
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.site == key.site && self.path == key.path
    }
}

type CachedResponse = CacheEntry<Arc<PreparedResponse>>;

#[derive(Clone, Debug)]
struct EntryWeight;

impl Weighter<Key, Arc<CachedResponse>> for EntryWeight {
    fn weight(&self, key: &Key, response: &Arc<CachedResponse>) -> u64 {
        let bytes = response.value.memory_bytes() + response.overhead() + key.path.len();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// A cache of responses that evicts the least read ones first.
#[derive(Debug)]
pub(super) struct ResponseCache {
    cache: Cache<Key, Arc<CachedResponse>, EntryWeight>,
    rendered: AtomicU64,
}

impl ResponseCache {
    /// Creates a cache of at most `bytes` bytes.
    pub(super) fn new(bytes: u64) -> Self {
        // A page takes some tens of kilobytes. The estimate only sizes the initial table.
        let items = usize::try_from(bytes / 32_768).unwrap_or(usize::MAX).clamp(64, 65_536);
        let cache = Cache::with_weighter(items, bytes, EntryWeight);
        Self { cache, rendered: AtomicU64::new(0) }
    }

    /// Returns the response for a path if it is valid for this version of the site.
    pub(super) fn get(
        &self,
        site: SiteId,
        path: &str,
        version: i64,
        changes: &Changes,
    ) -> Option<Arc<PreparedResponse>> {
        let response = self.cache.get(&KeyRef { site, path })?;
        response.is_valid(version, changes).then(|| Arc::clone(&response.value))
    }

    /// Caches a response that was just rendered and returns the one to send. If the previous
    /// response is identical, it is returned, because its compressed forms already exist.
    pub(super) fn insert(
        &self,
        site: SiteId,
        path: &str,
        mut response: CachedResponse,
    ) -> Arc<PreparedResponse> {
        self.rendered.fetch_add(1, Ordering::Relaxed);
        if let Some(previous) = self.cache.get(&KeyRef { site, path })
            && previous.value.is_identical(&response.value)
        {
            response.value = Arc::clone(&previous.value);
        }
        let sent = Arc::clone(&response.value);
        self.cache.insert(Key { site, path: path.to_owned() }, Arc::new(response));
        sent
    }

    /// Returns the number of responses that were rendered for the cache.
    pub(super) fn rendered(&self) -> u64 {
        self.rendered.load(Ordering::Relaxed)
    }

    /// Returns the bytes in use.
    #[cfg(test)]
    pub(super) fn memory_bytes(&self) -> u64 {
        self.cache.weight()
    }
}

#[cfg(test)]
mod tests {
    use bindery_model::Id;

    use super::super::validity::Dependencies;
    use super::*;
    use crate::http::CacheControl;

    fn site() -> SiteId {
        SiteId::new(Id::parse("01234567890123456789").unwrap())
    }

    fn response(text: String, version: i64) -> CachedResponse {
        let prepared = Arc::new(PreparedResponse::page(text, CacheControl::Revalidate));
        CacheEntry::new(prepared, Dependencies::Facets([1].into()), version)
    }

    #[test]
    fn the_cache_is_limited_in_bytes() {
        let responses = ResponseCache::new(1 << 20);
        for number in 0..500 {
            responses.insert(site(), &number.to_string(), response("x".repeat(10_000), 0));
            assert!(responses.memory_bytes() <= 1 << 20);
        }
        assert!(responses.memory_bytes() > 1 << 19);
    }

    #[test]
    fn an_identical_response_keeps_its_compressed_forms() {
        let responses = ResponseCache::new(1 << 20);
        let changes = Changes::starting_at(0);
        let first = responses.insert(site(), "a", response("text".to_owned(), 0));
        assert!(Arc::ptr_eq(&first, &responses.get(site(), "a", 0, &changes).unwrap()));
        assert!(responses.get(site(), "b", 0, &changes).is_none());
        changes.record_everything(1);
        assert!(responses.get(site(), "a", 1, &changes).is_none());
        let same = responses.insert(site(), "a", response("text".to_owned(), 1));
        assert!(Arc::ptr_eq(&first, &same));
        assert!(Arc::ptr_eq(&first, &responses.get(site(), "a", 1, &changes).unwrap()));
        let other = responses.insert(site(), "a", response("other".to_owned(), 2));
        assert!(!Arc::ptr_eq(&first, &other));
    }
}
