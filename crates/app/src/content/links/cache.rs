//! A cache of indexes of contents that have no stored index.

use std::sync::Arc;

use bindery_model::{Result, SpaceId, Timestamp};
use bindery_revision::{Content, Hash, LinkIndex, Map, MemoryObjects, ObjectError, Objects};
use bindery_store::{Tx, link_indexes};
use bytes::Bytes;
use quick_cache::sync::Cache;

use super::index::{index, indexed};
use crate::App;
use crate::cache::{CachedSize, SizedCache, sized_cache};
use crate::content::snapshot::{broken_object, revision};

/// Capacity of the cache, in bytes of objects that are not stored.
const MAX_BYTES: u64 = 32 << 20;
/// Expected size of an index in bytes, for sizing the table.
const EXPECTED_SIZE: u64 = 64 << 10;
/// Maximum number of spaces whose recent indexes are remembered.
const MAX_SPACES: usize = 1_000;
/// Maximum number of recent indexes of a space that are considered as the base of a new one.
const MAX_RECENT: usize = 4;
/// Lifetime of a cached index that builds on a stored one, in milliseconds. The garbage collector
/// keeps unreferenced objects for at least one collection interval, which is much longer.
const LIFETIME: i64 = 60 * 60 * 1_000;
/// Estimated overhead of an object in memory, in bytes.
const OBJECT_OVERHEAD: usize = 128;

/// The index of a content.
#[derive(Debug)]
pub(super) struct ContentIndex {
    /// The content.
    pub(super) content: Content,
    /// Its index.
    pub(super) index: LinkIndex,
    /// The objects of the index that are not in the store.
    pub(super) objects: MemoryObjects,
    bytes: usize,
    /// The time at which all its other objects were known to be reachable in the store.
    base_read_at: Timestamp,
}

/// A layer of objects in memory above other objects.
pub(super) struct LayeredObjects<'a> {
    pub(super) above: Option<&'a MemoryObjects>,
    pub(super) below: &'a dyn Objects,
}

impl Objects for LayeredObjects<'_> {
    fn get(&self, hash: &Hash) -> std::result::Result<Bytes, ObjectError> {
        match self.above.map(|above| above.get(hash)) {
            Some(Ok(bytes)) => Ok(bytes),
            _ => self.below.get(hash),
        }
    }
}

impl ContentIndex {
    /// Creates an index whose objects are all in the store.
    pub(super) fn stored(content: Content, index: LinkIndex, now: Timestamp) -> Self {
        Self { content, index, objects: MemoryObjects::new(), bytes: 0, base_read_at: now }
    }

    /// Builds the index of a content from the index of another one. Keeps the objects that are not
    /// in the store in memory.
    pub(super) fn follow(
        base: Option<&Self>,
        objects: &dyn Objects,
        content: &Content,
        now: Timestamp,
    ) -> Result<Self> {
        let mut new = MemoryObjects::new();
        let mut keep = |objects| {
            new.extend(objects);
            Ok(())
        };
        let below = LayeredObjects { above: base.map(|base| &base.objects), below: objects };
        let from = base.map(|base| (&base.content, base.index));
        let index = index(&below, from, content, &mut keep)?;
        let mut made = Self::stored(content.clone(), index, now);
        made.base_read_at = base.map_or(now, |base| base.base_read_at);
        let mut needed = Vec::from_iter(index.root());
        while let Some((part, hash)) = needed.pop() {
            let held = base.and_then(|base| base.objects.get(&hash).ok());
            let Some(bytes) = new.get(&hash).ok().or(held) else { continue };
            needed.extend(part.references(&bytes).map_err(broken_object)?);
            made.bytes += bytes.len() + OBJECT_OVERHEAD;
            made.objects.extend([(hash, bytes)]);
        }
        Ok(made)
    }

    fn is_valid(&self, now: Timestamp) -> bool {
        now.millis() - self.base_read_at.millis() < LIFETIME
    }
}

impl CachedSize for ContentIndex {
    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// A cache of indexes by the fingerprint of their content.
#[derive(Debug)]
pub(crate) struct IndexCache {
    made: SizedCache<Hash, ContentIndex>,
    /// The fingerprints of the indexes that were built for a space, the latest first.
    recent: Cache<SpaceId, Arc<[Hash]>>,
}

impl Default for IndexCache {
    fn default() -> Self {
        Self { made: sized_cache(MAX_BYTES, EXPECTED_SIZE), recent: Cache::new(MAX_SPACES) }
    }
}

/// Returns the stored index of a space, with the content that it describes.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn stored(app: &App, tx: &Tx<'_>, space: SpaceId) -> Result<Option<Arc<ContentIndex>>> {
    let Some(stored) = link_indexes::get(tx, space)? else { return Ok(None) };
    let content = revision(app, tx, &stored.base)?.content.clone();
    Ok(Some(Arc::new(ContentIndex::stored(content, stored.index, tx.now()))))
}

/// Returns the index of a content of a space: the stored one, a cached one, or a new one built from
/// the most similar of those. Subtracts the number of differing texts from `most`; returns `None`
/// if more than `most` texts differ.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn index_of(
    app: &App,
    tx: &Tx<'_>,
    space: SpaceId,
    content: &Content,
    most: &mut u64,
) -> Result<Option<Arc<ContentIndex>>> {
    let IndexCache { made, recent } = &app.links;
    let (of, now) = (indexed(content), tx.now());
    let stored = stored(app, tx, space)?;
    if let Some(stored) = stored.as_ref().filter(|stored| stored.index.source == Some(of)) {
        return Ok(Some(Arc::clone(stored)));
    }
    match made.get(&of) {
        Some(known) if known.is_valid(now) => return Ok(Some(known)),
        Some(_) => drop(made.remove(&of)),
        None => {}
    }
    let objects = tx.objects();
    let others = recent.get(&space).unwrap_or_default();
    let kept = others.iter().filter_map(|of| made.get(of)).filter(|made| made.is_valid(now));
    let (mut base, mut apart) = (None, content.pages.len() + content.reusable.len());
    for near in stored.into_iter().chain(kept) {
        let texts = differing(&near.content, content, &objects, apart)?;
        if texts < apart {
            (base, apart) = (Some(near), texts);
        }
    }
    if apart > *most {
        return Ok(None);
    }
    *most -= apart;
    let made = made.get_or_insert_with(&of, || {
        ContentIndex::follow(base.as_deref(), &objects, content, now).map(Arc::new)
    })?;
    let others = others.iter().copied().filter(|other| *other != of);
    recent.insert(space, std::iter::once(of).chain(others).take(MAX_RECENT).collect());
    Ok(Some(made))
}

/// Counts the pages and reusable contents that differ between two contents, up to `most`.
fn differing(from: &Content, to: &Content, objects: &dyn Objects, most: u64) -> Result<u64> {
    if from.salt() != to.salt() {
        return Ok(most);
    }
    let mut count = 0;
    let pairs: [(&Map, &Map); 2] = [(&from.pages, &to.pages), (&from.reusable, &to.reusable)];
    for (from, to) in pairs {
        for one in from.diff(to, objects) {
            one.map_err(broken_object)?;
            count += 1;
            if count >= most {
                return Ok(most);
            }
        }
    }
    Ok(count)
}
