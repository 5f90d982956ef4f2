//! Validity of cached values: a value that was rendered from a site's content is valid until some
//! content that it read changes.
//!
//! Each part of the content (a facet) that a rendering reads is recorded as a hash. When the
//! version of a site moves, the old and the new content are compared, which reads only the parts
//! that differ, and the hashes of those parts are stored with the version. Checking whether a value
//! of an older version is still valid therefore reads no content.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{PoisonError, RwLock};

use bindery_app::content::snapshot::broken_object;
use bindery_model::{Result, SpaceId};
use bindery_revision::{Content, Facet, Hash, ObjectError, Objects};
use bytes::Bytes;

/// Maximum number of hashes that are held for one site. Of a larger change only the version is
/// held.
const MAX_HASHES: usize = 50_000;

/// A hash of a facet of a space. If two facets share a hash, a value that read one of them is
/// rendered again when the other changes, which costs time and is never wrong.
pub(super) type FacetHash = u32;

fn facet_hash(space: SpaceId, facet: Facet<'_>) -> FacetHash {
    hash_of((space, facet))
}

fn hash_of(facet: impl std::hash::Hash) -> FacetHash {
    let mut hasher = DefaultHasher::new();
    facet.hash(&mut hasher);
    // Any half of a well-mixed hash is itself well mixed.
    (hasher.finish() & u64::from(u32::MAX)) as FacetHash
}

/// A hash of the description of an embedded address, which pages of a space show.
fn embed_hash(space: SpaceId, address: &Hash) -> FacetHash {
    hash_of((space, "embed", address))
}

/// A hash of an OpenAPI specification, which pages of a space show.
fn spec_hash(space: SpaceId, slug: &str) -> FacetHash {
    hash_of((space, "openapi", slug))
}

/// Objects that record which facets are read.
pub(super) struct ReadTracker<'a> {
    objects: &'a dyn Objects,
    space: SpaceId,
    hashes: RefCell<Vec<FacetHash>>,
    is_recording: bool,
}

impl<'a> ReadTracker<'a> {
    pub(super) fn new(objects: &'a dyn Objects, space: SpaceId) -> Self {
        Self { objects, space, hashes: RefCell::default(), is_recording: true }
    }

    /// Creates a tracker that records nothing, for values that depend on everything.
    pub(super) fn without_record(objects: &'a dyn Objects, space: SpaceId) -> Self {
        Self { is_recording: false, ..Self::new(objects, space) }
    }

    /// Returns the same objects with an empty record.
    pub(super) fn with_empty_record(&self) -> Self {
        Self::new(self.objects, self.space)
    }

    /// Returns the same objects as those of another space, with an empty record.
    pub(super) fn of_space(&self, space: SpaceId) -> Self {
        Self::new(self.objects, space)
    }

    /// Adds facets that another reader of the objects recorded.
    pub(super) fn add_reads(&self, hashes: &[FacetHash]) {
        self.hashes.borrow_mut().extend_from_slice(hashes);
    }

    /// Records that the description of an embedded address was looked up, whether there is one or
    /// not.
    pub(super) fn record_embed(&self, address: &Hash) {
        if self.is_recording {
            self.hashes.borrow_mut().push(embed_hash(self.space, address));
        }
    }

    /// Records that an OpenAPI specification was looked up, whether there is one or not.
    pub(super) fn record_spec(&self, slug: &str) {
        if self.is_recording {
            self.hashes.borrow_mut().push(spec_hash(self.space, slug));
        }
    }

    /// Returns the recorded hashes, sorted and without duplicates.
    pub(super) fn hashes(&self) -> Box<[FacetHash]> {
        let mut hashes = self.hashes.borrow().clone();
        hashes.sort_unstable();
        hashes.dedup();
        hashes.into()
    }
}

impl Objects for ReadTracker<'_> {
    fn get(&self, hash: &Hash) -> std::result::Result<Bytes, ObjectError> {
        self.objects.get(hash)
    }

    fn record_read(&self, facet: Facet<'_>) {
        if !self.is_recording {
            return;
        }
        self.hashes.borrow_mut().push(facet_hash(self.space, facet));
    }
}

/// The changes of a site, with the version of each.
#[derive(Debug)]
pub(super) struct Changes(RwLock<ChangeLog>);

#[derive(Debug)]
struct ChangeLog {
    /// Nothing is known about changes before this version.
    since: i64,
    /// The last version at which each facet changed.
    last_changes: HashMap<FacetHash, i64>,
}

impl Changes {
    /// Creates a record that knows no changes before `version`.
    pub(super) fn starting_at(version: i64) -> Self {
        Self(RwLock::new(ChangeLog { since: version, last_changes: HashMap::new() }))
    }

    /// Records that everything may have changed with `version`.
    pub(super) fn record_everything(&self, version: i64) {
        let mut log = self.0.write().unwrap_or_else(PoisonError::into_inner);
        log.since = log.since.max(version);
        log.last_changes.clear();
    }

    /// Records the differences between an older content of a space and its content at `version`.
    pub(super) fn record_differences(
        &self,
        version: i64,
        space: SpaceId,
        (old, new): (&Content, &Content),
        objects: &dyn Objects,
    ) -> Result<()> {
        let mut hashes = Vec::new();
        let complete = old.changed_facets(new, objects, &mut |facet| {
            hashes.push(facet_hash(space, facet));
            hashes.len() <= MAX_HASHES
        });
        if !complete.map_err(broken_object)? {
            self.record_everything(version);
            return Ok(());
        }
        self.record_hashes(version, &hashes);
        Ok(())
    }

    /// Records facets that changed for a reason other than a change of the content.
    pub(super) fn record_facets<'k>(
        &self,
        version: i64,
        space: SpaceId,
        facets: impl IntoIterator<Item = Facet<'k>>,
    ) {
        let hashes: Vec<FacetHash> =
            facets.into_iter().map(|facet| facet_hash(space, facet)).collect();
        self.record_hashes(version, &hashes);
    }

    /// Records that the descriptions of embedded addresses changed.
    pub(super) fn record_embeds<'k>(
        &self,
        version: i64,
        space: SpaceId,
        addresses: impl IntoIterator<Item = &'k Hash>,
    ) {
        let hashes: Vec<FacetHash> =
            addresses.into_iter().map(|address| embed_hash(space, address)).collect();
        self.record_hashes(version, &hashes);
    }

    /// Records that OpenAPI specifications changed.
    pub(super) fn record_specs<'k>(
        &self,
        version: i64,
        space: SpaceId,
        slugs: impl IntoIterator<Item = &'k str>,
    ) {
        let hashes: Vec<FacetHash> = slugs.into_iter().map(|slug| spec_hash(space, slug)).collect();
        self.record_hashes(version, &hashes);
    }

    fn record_hashes(&self, version: i64, hashes: &[FacetHash]) {
        let mut log = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if log.last_changes.len() + hashes.len() > MAX_HASHES {
            log.since = log.since.max(version);
            log.last_changes.clear();
            return;
        }
        for hash in hashes {
            let last = log.last_changes.entry(*hash).or_insert(version);
            *last = version.max(*last);
        }
    }

    /// Returns `true` if none of these facets changed after `version`.
    fn are_unchanged_since(&self, version: i64, hashes: &[FacetHash]) -> bool {
        let log = self.0.read().unwrap_or_else(PoisonError::into_inner);
        version >= log.since
            && (log.last_changes.is_empty()
                || hashes
                    .iter()
                    .all(|hash| log.last_changes.get(hash).is_none_or(|at| *at <= version)))
    }
}

/// The content that a cached value depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Dependencies {
    /// Depends on these facets and on the way the site presents the content.
    Facets(Box<[FacetHash]>),
    /// Depends on everything that the site shows.
    Everything,
}

/// A value that was rendered for one version of a site and may be valid for later ones.
#[derive(Debug)]
pub(super) struct CacheEntry<T> {
    pub(super) value: T,
    pub(super) dependencies: Dependencies,
    /// The last version for which the value is known to be valid.
    version: AtomicI64,
}

impl<T> CacheEntry<T> {
    pub(super) fn new(value: T, dependencies: Dependencies, version: i64) -> Self {
        Self { value, dependencies, version: AtomicI64::new(version) }
    }

    /// Returns `true` if the value is valid for a version of its site. `changes` must contain all
    /// changes up to that version.
    pub(super) fn is_valid(&self, version: i64, changes: &Changes) -> bool {
        let valid_for = self.version.load(Ordering::Acquire);
        if valid_for == version {
            return true;
        }
        let Dependencies::Facets(hashes) = &self.dependencies else { return false };
        // A request that still reads an older version renders a value of its own.
        let is_valid = valid_for < version && changes.are_unchanged_since(valid_for, hashes);
        if is_valid {
            self.version.fetch_max(version, Ordering::AcqRel);
        }
        is_valid
    }

    /// Returns the bytes that the entry takes besides the value.
    pub(super) fn overhead(&self) -> usize {
        let hashes = match &self.dependencies {
            Dependencies::Facets(hashes) => size_of_val::<[FacetHash]>(hashes),
            Dependencies::Everything => 0,
        };
        hashes + size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_valid_until_a_dependency_changes() {
        let changes = Changes::starting_at(3);
        let entry = |version, hashes: &[FacetHash]| {
            CacheEntry::new((), Dependencies::Facets(hashes.into()), version)
        };
        let (one, both) = (entry(3, &[1]), entry(3, &[1, 2]));
        assert!(!entry(2, &[]).is_valid(3, &changes), "changes before version 3 are unknown");
        changes.record_hashes(4, &[2]);
        assert!(one.is_valid(4, &changes));
        assert!(!both.is_valid(4, &changes));
        assert!(both.is_valid(3, &changes), "a reader of the older version may use it");
        assert!(!one.is_valid(3, &changes), "it may contain newer content");
        let all = CacheEntry::new((), Dependencies::Everything, 4);
        assert!(all.is_valid(4, &changes) && !all.is_valid(5, &changes));
        changes.record_hashes(5, &[1]);
        assert!(!one.is_valid(5, &changes) && entry(5, &[1, 2]).is_valid(6, &changes));
        changes.record_everything(7);
        assert!(!entry(6, &[]).is_valid(7, &changes));
    }

    #[test]
    fn excess_changes_invalidate_everything() {
        let changes = Changes::starting_at(0);
        let many: Vec<FacetHash> = (1..).take(MAX_HASHES).collect();
        changes.record_hashes(1, &many);
        let entry = CacheEntry::new((), Dependencies::Facets([0].into()), 0);
        assert!(entry.is_valid(1, &changes));
        changes.record_hashes(2, &[5; 1]);
        assert!(!entry.is_valid(2, &changes));
    }
}
