//! Visitors who were admitted to a site, by the cookies of their requests, so that their tokens are
//! verified once and not for every page.

use std::sync::Arc;

use bindery_app::publishing::sites::Site;
use bindery_model::{SiteId, Timestamp};
use http::header;
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};

use super::visitors::{Admitted, VisitorRequest};

/// Maximum memory of the cache in bytes, as far as it is counted.
const CACHE_BYTES: u64 = 4 << 20;
/// Maximum length of the cookies of a cached visitor, in bytes.
const MAX_COOKIE_BYTES: usize = 12 << 10;
/// Estimated memory of a visitor besides the cookies, whose claims are in memory in two forms, in
/// bytes.
const VISITOR_BYTES: usize = 1_024;

/// A site in one version, and the cookies of a request. The version changes with the audience of
/// the site and with the schema of the claims.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    site: SiteId,
    version: i64,
    cookies: Box<[u8]>,
}

/// A key borrowed from a request.
#[derive(Clone, Copy, Hash, Debug)]
pub(super) struct VisitorKey<'a> {
    site: SiteId,
    version: i64,
    cookies: &'a [u8],
}

impl<'a> VisitorKey<'a> {
    /// Returns the key of a request; `None` if anything but one header with cookies can concern the
    /// visitor.
    pub(super) fn of(site: &Site, request: VisitorRequest<'a>) -> Option<Self> {
        let mut cookies = request.headers.get_all(header::COOKIE).iter();
        let first = cookies.next().map_or(&[][..], |cookies| cookies.as_bytes());
        let is_all = cookies.next().is_none();
        (is_all && request.query.is_empty() && first.len() <= MAX_COOKIE_BYTES).then_some(Self {
            site: site.id,
            version: site.version,
            cookies: first,
        })
    }
}

impl Equivalent<Key> for VisitorKey<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.site == key.site && self.version == key.version && *self.cookies == *key.cookies
    }
}

#[derive(Clone, Debug)]
struct CookieWeight;

impl Weighter<Key, Arc<Admitted>> for CookieWeight {
    fn weight(&self, key: &Key, _: &Arc<Admitted>) -> u64 {
        // The claims of a visitor are no longer than the cookies that contain them.
        u64::try_from(VISITOR_BYTES + 4 * key.cookies.len()).unwrap_or(u64::MAX)
    }
}

/// A cache of admitted visitors of all sites, limited in bytes.
#[derive(Debug)]
pub(super) struct KnownVisitors {
    cache: Cache<Key, Arc<Admitted>, CookieWeight>,
    anybody: Arc<Admitted>,
}

impl Default for KnownVisitors {
    fn default() -> Self {
        let cache = Cache::with_weighter(1_024, CACHE_BYTES, CookieWeight);
        Self { cache, anybody: Arc::default() }
    }
}

impl KnownVisitors {
    /// Returns the visitor of sites that everybody may read.
    pub(super) fn anybody(&self) -> Arc<Admitted> {
        Arc::clone(&self.anybody)
    }

    /// Returns the visitor with these cookies, unless their token has ended.
    pub(super) fn get(&self, key: VisitorKey<'_>, now: Timestamp) -> Option<Arc<Admitted>> {
        let admitted = self.cache.get(&key)?;
        admitted.visitor.signed_in_until.is_none_or(|until| now < until).then_some(admitted)
    }

    /// Keeps a visitor who was admitted.
    pub(super) fn insert(&self, key: VisitorKey<'_>, admitted: &Arc<Admitted>) {
        let VisitorKey { site, version, cookies } = key;
        self.cache.insert(Key { site, version, cookies: cookies.into() }, Arc::clone(admitted));
    }
}

#[cfg(test)]
mod tests {
    use bindery_app::publishing::audience::Visitor;
    use bindery_model::SiteId;

    use super::*;

    #[test]
    fn a_visitor_is_known_until_the_token_ends_or_the_site_changes() {
        let known = KnownVisitors::default();
        let key = |version, cookies| VisitorKey {
            site: SiteId::parse("AbCdEfGhIjKlMnOpQrSt").unwrap(),
            version,
            cookies,
        };
        let until = Timestamp::from_millis(1_000);
        let visitor = Visitor { signed_in_until: Some(until), ..Visitor::anonymous() };
        known.insert(key(1, b"a=b"), &Arc::new(Admitted { visitor, claims: None }));
        assert!(known.get(key(1, b"a=b"), Timestamp::from_millis(999)).is_some());
        assert!(known.get(key(1, b"a=b"), until).is_none());
        assert!(known.get(key(2, b"a=b"), Timestamp::from_millis(0)).is_none());
        assert!(known.get(key(1, b"a=c"), Timestamp::from_millis(0)).is_none());
    }
}
