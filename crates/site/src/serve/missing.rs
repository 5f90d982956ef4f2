//! Data of 404 responses: the paths of a space's pages, indexed for comparison with a requested
//! path.

use std::sync::Arc;

use bindery_model::{Result, SiteId, SpaceId};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::navigation::is_page;
use super::page::Shelf;
use crate::urls::{Candidate, NearMatches};
use crate::view::NavNode;
use crate::view::navigation::{Limits, navigation};

/// Maximum bytes of cached indexes, as estimated by [`Weight`].
const KEPT: u64 = 24 << 20;
/// Estimated bytes of one page in an index.
const ENTRY: usize = 256;
/// Maximum number of pages in an index. Pages beyond it in reading order are never suggested.
const INDEXED: usize = 5_000;

/// The data that a 404 page shows besides the requested path.
#[derive(Debug)]
pub(super) struct MissingIndex {
    /// The version of the site from which the index was built.
    version: i64,
    /// The pages that are compared with the requested path.
    pub(super) pages: NearMatches,
    /// The navigation.
    pub(super) navigation: Vec<NavNode>,
}

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<(SiteId, SpaceId), Arc<MissingIndex>> for Weight {
    fn weight(&self, _: &(SiteId, SpaceId), index: &Arc<MissingIndex>) -> u64 {
        let entries = index.pages.len() + index.navigation.len() + 8;
        u64::try_from(entries * ENTRY).unwrap_or(u64::MAX)
    }
}

/// A cache of the indexes of the spaces that recently responded with 404.
#[derive(Debug)]
pub(super) struct MissingIndexes(Cache<(SiteId, SpaceId), Arc<MissingIndex>, Weight>);

impl Default for MissingIndexes {
    fn default() -> Self {
        Self(Cache::with_weighter(64, KEPT, Weight))
    }
}

impl MissingIndexes {
    /// Returns the index of a space, built once for each version of its site.
    pub(super) fn get(&self, shelf: &Shelf<'_>) -> Result<Arc<MissingIndex>> {
        let version = shelf.site.site.version;
        let key = (shelf.site.site.id, shelf.place.space.id);
        if let Some(index) = self.0.get(&key).filter(|index| index.version == version) {
            return Ok(index);
        }
        let index = Arc::new(build(shelf, version)?);
        self.0.insert(key, Arc::clone(&index));
        Ok(index)
    }
}

fn build(shelf: &Shelf<'_>, version: i64) -> Result<MissingIndex> {
    let mut candidates = Vec::new();
    for child in shelf.tree.entries().take(INDEXED) {
        let child = child?;
        if is_page(&child) {
            let path = shelf.tree.path(child.id)?;
            candidates.push(Candidate { path, title: child.entry.title });
        }
    }
    Ok(MissingIndex {
        version,
        pages: NearMatches::new(candidates),
        navigation: navigation(&shelf.tree, &[], &Limits::default())?,
    })
}
