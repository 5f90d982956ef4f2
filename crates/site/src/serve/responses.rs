//! A cache of responses with their compressed forms, limited in bytes.

use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bindery_app::publishing::adaptive::{Answer, ClaimsOf, Question};
use bindery_model::SiteId;
use bindery_revision::Hash as ContentHash;
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};

use super::validity::{CacheEntry, Changes};
use crate::http::PreparedResponse;

/// The site and path of a cached item, with the answers that lead to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    site: SiteId,
    path: String,
    answers: AnswersHash,
}

/// A [`Key`] borrowed from a request.
#[derive(Clone, Copy, Hash)]
struct KeyRef<'a> {
    site: SiteId,
    path: &'a str,
    answers: AnswersHash,
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.site == key.site && self.path == key.path && self.answers == key.answers
    }
}

/// A hash of the questions that a rendering has asked so far and of their answers; `None` before
/// the first question.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct AnswersHash(Option<ContentHash>);

impl AnswersHash {
    /// Returns the hash after one more question.
    fn and(self, question: &Question, answer: &Answer) -> Self {
        let mut identity = Vec::with_capacity(96);
        identity.push(u8::from(self.0.is_some()));
        identity.extend(self.0.iter().flat_map(|before| before.as_bytes()));
        identity.extend(question.key().as_bytes());
        match answer {
            Answer::Condition(holds) => identity.push(u8::from(*holds)),
            Answer::Text(None) => identity.push(2),
            Answer::Text(Some(text)) => {
                identity.push(3);
                identity.extend(text.as_bytes());
            }
        }
        Self(Some(ContentHash::of(&identity)))
    }
}

type CachedResponse = CacheEntry<Arc<PreparedResponse>>;
/// The questions of a rendering with their answers, in order.
pub(super) type AskedQuestions = Vec<(Arc<Question>, Answer)>;

/// An item at a key: the response if the rendering asks nothing more, or its next question.
#[derive(Debug)]
enum Cached {
    Response(CachedResponse),
    Question(Arc<Question>),
}

#[derive(Clone, Debug)]
struct EntryWeight;

impl Weighter<Key, Arc<Cached>> for EntryWeight {
    fn weight(&self, key: &Key, cached: &Arc<Cached>) -> u64 {
        let bytes = match &**cached {
            Cached::Response(response) => response.value.memory_bytes() + response.overhead(),
            Cached::Question(question) => question.memory_bytes(),
        };
        u64::try_from(bytes + key.path.len() + size_of::<Key>()).unwrap_or(u64::MAX)
    }
}

/// A cache of responses that evicts the least read ones first.
///
/// The responses for one path form a tree: visitors whose answers to its questions are equal share
/// a response.
#[derive(Debug)]
pub(super) struct ResponseCache {
    cache: Cache<Key, Arc<Cached>, EntryWeight>,
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

    /// Returns the response for a path and a visitor if it is valid for this version of the site.
    /// Without claims, only responses that ask no questions are found.
    pub(super) fn get(
        &self,
        site: SiteId,
        path: &str,
        claims: Option<&ClaimsOf>,
        (version, changes): (i64, &Changes),
    ) -> Option<Arc<PreparedResponse>> {
        let mut answers = AnswersHash::default();
        loop {
            match &*self.cache.get(&KeyRef { site, path, answers })? {
                Cached::Response(response) => {
                    return response
                        .is_valid(version, changes)
                        .then(|| Arc::clone(&response.value));
                }
                Cached::Question(question) => {
                    answers = answers.and(question, &question.answer(claims?));
                }
            }
        }
    }

    /// Caches a response that was just rendered and returns the one to send. If the previous
    /// response is identical, it is returned, because its compressed forms already exist.
    pub(super) fn insert(
        &self,
        site: SiteId,
        path: &str,
        asked: &[(Arc<Question>, Answer)],
        mut response: CachedResponse,
    ) -> Arc<PreparedResponse> {
        self.rendered.fetch_add(1, Ordering::Relaxed);
        let mut answers = AnswersHash::default();
        let key = |answers| Key { site, path: path.to_owned(), answers };
        for (question, answer) in asked {
            let is_known = matches!(
                self.cache.get(&KeyRef { site, path, answers }).as_deref(),
                Some(Cached::Question(known)) if known.key() == question.key()
            );
            if !is_known {
                let cached = Arc::new(Cached::Question(Arc::clone(question)));
                self.cache.insert(key(answers), cached);
            }
            answers = answers.and(question, answer);
        }
        if let Some(Cached::Response(previous)) =
            self.cache.get(&KeyRef { site, path, answers }).as_deref()
            && previous.value.is_identical(&response.value)
        {
            response.value = Arc::clone(&previous.value);
        }
        let sent = Arc::clone(&response.value);
        self.cache.insert(key(answers), Arc::new(Cached::Response(response)));
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
    use bindery_app::publishing::adaptive::Answers;
    use bindery_app::publishing::audience::Visitor;
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
            responses.insert(site(), &number.to_string(), &[], response("x".repeat(10_000), 0));
            assert!(responses.memory_bytes() <= 1 << 20);
        }
        assert!(responses.memory_bytes() > 1 << 19);
    }

    #[test]
    fn an_identical_response_keeps_its_compressed_forms() {
        let responses = ResponseCache::new(1 << 20);
        let changes = Changes::starting_at(0);
        let first = responses.insert(site(), "a", &[], response("text".to_owned(), 0));
        assert!(Arc::ptr_eq(&first, &responses.get(site(), "a", None, (0, &changes)).unwrap()));
        assert!(responses.get(site(), "b", None, (0, &changes)).is_none());
        changes.record_everything(1);
        assert!(responses.get(site(), "a", None, (1, &changes)).is_none());
        let same = responses.insert(site(), "a", &[], response("text".to_owned(), 1));
        assert!(Arc::ptr_eq(&first, &same));
        assert!(Arc::ptr_eq(&first, &responses.get(site(), "a", None, (1, &changes)).unwrap()));
        let other = responses.insert(site(), "a", &[], response("other".to_owned(), 2));
        assert!(!Arc::ptr_eq(&first, &other));
    }

    #[test]
    fn visitors_with_equal_answers_share_a_response() {
        let responses = ResponseCache::new(8 << 20);
        let changes = Changes::starting_at(0);
        for number in 0..1_000_u32 {
            let mut visitor = Visitor::anonymous();
            visitor.unsigned_claims.insert("plan".to_owned(), (number % 10).into());
            visitor.unsigned_claims.insert("number".to_owned(), number.into());
            let claims = ClaimsOf::visitor(&visitor).unwrap();
            let cached = responses.get(site(), "a", Some(&claims), (0, &changes));
            let found = cached.unwrap_or_else(|| {
                let answers = Answers::new(Some(claims));
                let holds = |plan: &u32| {
                    let condition = format!("visitor.claims.unsigned.plan == {plan}");
                    answers.holds_for_site(Some(&condition))
                };
                let plan = (0..10).find(holds).unwrap();
                let asked = answers.into_asked();
                responses.insert(site(), "a", &asked, response(plan.to_string(), 0))
            });
            assert_eq!(found.body(), (number % 10).to_string().as_bytes());
        }
        assert_eq!(responses.rendered(), 10);
        assert!(responses.get(site(), "a", None, (0, &changes)).is_none());
    }
}
