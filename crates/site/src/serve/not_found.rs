//! Data of 404 responses: the paths of a space's pages, indexed for comparison with a requested
//! path.

use std::sync::Arc;

use bindery_model::{Result, SiteId, SpaceId};
use bindery_revision::Hash;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::navigation::is_page;
use super::page::PageContext;
use crate::urls::{Candidate, NearMatches};
use crate::view::NavNode;
use crate::view::navigation::{Limits, navigation};

/// Maximum bytes of cached indexes, as estimated by [`EntryWeight`].
const MAX_BYTES: u64 = 24 << 20;
/// Estimated bytes of one page in an index.
const ENTRY_BYTES: usize = 256;
/// Maximum number of pages in an index. Pages beyond it in reading order are never suggested.
const MAX_PAGES: usize = 5_000;

/// The data that a 404 page shows besides the requested path.
#[derive(Debug)]
pub(super) struct NotFoundIndex {
    /// The version of the site from which the index was built.
    version: i64,
    /// The pages that are compared with the requested path.
    pub(super) pages: NearMatches,
    /// The navigation.
    pub(super) navigation: Vec<NavNode>,
    /// `true` if the index may depend on the claims of the visitor.
    pub(super) is_personal: bool,
}

/// A space of a site, and the fingerprint of the claims of its visitor if the index depends on them.
type Key = (SiteId, SpaceId, Option<Hash>);

#[derive(Clone, Debug)]
struct EntryWeight;

impl Weighter<Key, Arc<NotFoundIndex>> for EntryWeight {
    fn weight(&self, _: &Key, index: &Arc<NotFoundIndex>) -> u64 {
        let entries = index.pages.len() + index.navigation.len() + 8;
        u64::try_from(entries * ENTRY_BYTES).unwrap_or(u64::MAX)
    }
}

/// A cache of the indexes of the spaces that recently responded with 404.
#[derive(Debug)]
pub(super) struct NotFoundCache(Cache<Key, Arc<NotFoundIndex>, EntryWeight>);

impl Default for NotFoundCache {
    fn default() -> Self {
        Self(Cache::with_weighter(64, MAX_BYTES, EntryWeight))
    }
}

impl NotFoundCache {
    /// Returns the index of a space, built once for each version of its site, or for each visitor if
    /// the visitor decides which pages exist.
    pub(super) fn get(&self, context: &PageContext<'_>) -> Result<Arc<NotFoundIndex>> {
        let version = context.site.site.version;
        let key = |claims| (context.site.site.id, context.space.space.id, claims);
        let claims = context.answers.claims_digest();
        let known = [None, claims]
            .into_iter()
            .find_map(|claims| self.0.get(&key(claims)).filter(|index| index.version == version));
        if let Some(index) = known {
            return Ok(index);
        }
        let index = Arc::new(build(context, version)?);
        self.0.insert(key(claims.filter(|_| index.is_personal)), Arc::clone(&index));
        Ok(index)
    }
}

fn build(context: &PageContext<'_>, version: i64) -> Result<NotFoundIndex> {
    let mut candidates = Vec::new();
    for child in context.tree.entries().take(MAX_PAGES) {
        let child = child?;
        if is_page(&child) {
            let path = context.tree.path(child.id)?;
            candidates.push(Candidate { path, title: child.entry.title });
        }
    }
    let navigation = navigation(&context.tree, &[], &Limits::default())?;
    // The tree remembers answers, so questions that the request asked before count too.
    let is_personal = context.answers.times_asked() > 0;
    Ok(NotFoundIndex { version, pages: NearMatches::new(candidates), navigation, is_personal })
}
