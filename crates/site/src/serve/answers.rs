//! A cache of responses with their compressed forms, limited in bytes.

use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bindery_model::SiteId;
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};

use super::kept::{Changes, Kept};
use crate::http::Prepared;

/// The site and path of a cached response.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    site: SiteId,
    path: String,
}

/// A [`Key`] borrowed from a request.
#[derive(Clone, Copy, Hash)]
struct Asked<'a> {
    site: SiteId,
    path: &'a str,
}

impl Equivalent<Key> for Asked<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.site == key.site && self.path == key.path
    }
}

type Answer = Kept<Arc<Prepared>>;

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<Key, Arc<Answer>> for Weight {
    fn weight(&self, key: &Key, answer: &Arc<Answer>) -> u64 {
        let bytes = answer.value.weight() + answer.overhead() + key.path.len();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// A cache of responses that evicts the least read ones first.
#[derive(Debug)]
pub(super) struct Answers {
    cache: Cache<Key, Arc<Answer>, Weight>,
    made: AtomicU64,
}

impl Answers {
    /// Creates a cache of at most `bytes` bytes.
    pub(super) fn new(bytes: u64) -> Self {
        // A page takes some tens of kilobytes. The estimate only sizes the initial table.
        let items = usize::try_from(bytes / 32_768).unwrap_or(usize::MAX).clamp(64, 65_536);
        let cache = Cache::with_weighter(items, bytes, Weight);
        Self { cache, made: AtomicU64::new(0) }
    }

    /// Returns the response for a path if it is valid for this version of the site.
    pub(super) fn get(
        &self,
        site: SiteId,
        path: &str,
        version: i64,
        changes: &Changes,
    ) -> Option<Arc<Prepared>> {
        let answer = self.cache.get(&Asked { site, path })?;
        answer.holds(version, changes).then(|| Arc::clone(&answer.value))
    }

    /// Caches a response that was just rendered and returns the one to send. If the previous
    /// response is identical, it is returned, because its compressed forms already exist.
    pub(super) fn insert(&self, site: SiteId, path: &str, mut answer: Answer) -> Arc<Prepared> {
        self.made.fetch_add(1, Ordering::Relaxed);
        if let Some(former) = self.cache.get(&Asked { site, path })
            && former.value.is_same(&answer.value)
        {
            answer.value = Arc::clone(&former.value);
        }
        let sent = Arc::clone(&answer.value);
        self.cache.insert(Key { site, path: path.to_owned() }, Arc::new(answer));
        sent
    }

    /// Returns the number of responses that were rendered for the cache.
    pub(super) fn made(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }

    /// Returns the bytes in use.
    #[cfg(test)]
    pub(super) fn weight(&self) -> u64 {
        self.cache.weight()
    }
}

#[cfg(test)]
mod tests {
    use bindery_model::Id;

    use super::super::kept::Depends;
    use super::*;
    use crate::http::CacheControl;

    fn site() -> SiteId {
        SiteId::new(Id::parse("01234567890123456789").unwrap())
    }

    fn answer(text: String, version: i64) -> Answer {
        let prepared = Arc::new(Prepared::page(text, CacheControl::Revalidate));
        Kept::new(prepared, Depends::On([1].into()), version)
    }

    #[test]
    fn answers_are_bounded_in_bytes() {
        let answers = Answers::new(1 << 20);
        for number in 0..500 {
            answers.insert(site(), &number.to_string(), answer("x".repeat(10_000), 0));
            assert!(answers.weight() <= 1 << 20);
        }
        assert!(answers.weight() > 1 << 19);
    }

    #[test]
    fn an_answer_made_anew_keeps_its_compressed_forms_where_it_is_the_same() {
        let answers = Answers::new(1 << 20);
        let changes = Changes::since(0);
        let first = answers.insert(site(), "a", answer("text".to_owned(), 0));
        assert!(Arc::ptr_eq(&first, &answers.get(site(), "a", 0, &changes).unwrap()));
        assert!(answers.get(site(), "b", 0, &changes).is_none());
        changes.everything(1);
        assert!(answers.get(site(), "a", 1, &changes).is_none());
        let same = answers.insert(site(), "a", answer("text".to_owned(), 1));
        assert!(Arc::ptr_eq(&first, &same));
        assert!(Arc::ptr_eq(&first, &answers.get(site(), "a", 1, &changes).unwrap()));
        let other = answers.insert(site(), "a", answer("other".to_owned(), 2));
        assert!(!Arc::ptr_eq(&first, &other));
    }
}
