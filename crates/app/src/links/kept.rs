//! Indexes that were made lately: of contents that are asked for and that no stored index is of.

use std::sync::Arc;

use bindery_model::{Error, Result, SpaceId, Timestamp};
use bindery_revision::{Content, Hash, LinkIndex, Map, MemoryObjects, ObjectError, Objects};
use bindery_store::{Tx, link_indexes};
use bytes::Bytes;
use moka::sync::Cache;

use super::index::{index, indexed};
use crate::App;
use crate::content::{broken_object, revision};

/// Bytes of what is not stored of indexes.
const BYTES: u64 = 32 << 20;
/// So many spaces whose indexes are found to begin with.
const SPACES: u64 = 1_000;
/// So many indexes of a space are looked at for one to begin with.
const RECENT: usize = 4;
/// How long an index holds that stands on one that was stored, in milliseconds. A collector leaves
/// what nothing needs any more for as long as collections are apart, which is much longer.
const HOLDS: i64 = 60 * 60 * 1_000;
/// What an object that is held takes besides its bytes.
const BESIDES: usize = 128;

/// The index of a content.
#[derive(Debug)]
pub(super) struct Made {
    /// The content.
    pub(super) content: Content,
    /// Its index.
    pub(super) index: LinkIndex,
    /// What of the index is not stored.
    pub(super) objects: MemoryObjects,
    bytes: usize,
    /// When all else that it needs was known to be stored for good.
    stands_since: Timestamp,
}

/// Objects in memory over others.
pub(super) struct Over<'a> {
    pub(super) above: Option<&'a MemoryObjects>,
    pub(super) below: &'a dyn Objects,
}

impl Objects for Over<'_> {
    fn get(&self, hash: &Hash) -> std::result::Result<Bytes, ObjectError> {
        match self.above.map(|above| above.get(hash)) {
            Some(Ok(bytes)) => Ok(bytes),
            _ => self.below.get(hash),
        }
    }
}

impl Made {
    /// An index of which all is stored.
    pub(super) fn stored(content: Content, index: LinkIndex, now: Timestamp) -> Self {
        Self { content, index, objects: MemoryObjects::new(), bytes: 0, stands_since: now }
    }

    /// The index of a content, made from another one; all that is not stored of it is held.
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
        let below = Over { above: base.map(|base| &base.objects), below: objects };
        let from = base.map(|base| (&base.content, base.index));
        let index = index(&below, from, content, &mut keep)?;
        let mut made = Self::stored(content.clone(), index, now);
        made.stands_since = base.map_or(now, |base| base.stands_since);
        let mut needed = Vec::from_iter(index.root());
        while let Some((part, hash)) = needed.pop() {
            let held = base.and_then(|base| base.objects.get(&hash).ok());
            let Some(bytes) = new.get(&hash).ok().or(held) else { continue };
            needed.extend(part.references(&bytes).map_err(broken_object)?);
            made.bytes += bytes.len() + BESIDES;
            made.objects.extend([(hash, bytes)]);
        }
        Ok(made)
    }

    fn holds(&self, now: Timestamp) -> bool {
        now.millis() - self.stands_since.millis() < HOLDS
    }
}

/// Keeps what was made.
#[derive(Debug)]
pub(crate) struct KeptIndexes {
    made: Cache<Hash, Arc<Made>>,
    /// What the indexes are of that were made for a space, the last one first.
    recent: Cache<SpaceId, Arc<[Hash]>>,
}

impl Default for KeptIndexes {
    fn default() -> Self {
        let weigh =
            |_: &Hash, made: &Arc<Made>| u32::try_from(made.bytes + BESIDES).unwrap_or(u32::MAX);
        Self {
            made: Cache::builder().max_capacity(BYTES).weigher(weigh).build(),
            recent: Cache::new(SPACES),
        }
    }
}

/// The index that is stored for a space, with the content that it is of.
///
/// # Errors
/// When the store fails.
pub(super) fn stored(app: &App, tx: &Tx<'_>, space: SpaceId) -> Result<Option<Arc<Made>>> {
    let Some(stored) = link_indexes::get(tx, space)? else { return Ok(None) };
    let content = revision(app, tx, &stored.base)?.content.clone();
    Ok(Some(Arc::new(Made::stored(content, stored.index, tx.now()))))
}

/// The index of a content of a space: the one that is stored, one that was made lately, or a new
/// one, made from the nearest of those. `None` when more texts differ from that one than `most`,
/// which is less by what did.
///
/// # Errors
/// When the store fails.
pub(super) fn index_of(
    app: &App,
    tx: &Tx<'_>,
    space: SpaceId,
    content: &Content,
    most: &mut u64,
) -> Result<Option<Arc<Made>>> {
    let KeptIndexes { made, recent } = &app.links;
    let (of, now) = (indexed(content), tx.now());
    let stored = stored(app, tx, space)?;
    if let Some(stored) = stored.as_ref().filter(|stored| stored.index.source == Some(of)) {
        return Ok(Some(Arc::clone(stored)));
    }
    match made.get(&of) {
        Some(known) if known.holds(now) => return Ok(Some(known)),
        Some(_) => made.invalidate(&of),
        None => {}
    }
    let objects = tx.objects();
    let others = recent.get(&space).unwrap_or_default();
    let kept = others.iter().filter_map(|of| made.get(of)).filter(|made| made.holds(now));
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
    let made = made
        .try_get_with(of, || Made::follow(base.as_deref(), &objects, content, now).map(Arc::new))
        .map_err(|error: Arc<Error>| Error::clone(&error))?;
    let others = others.iter().copied().filter(|other| *other != of);
    recent.insert(space, std::iter::once(of).chain(others).take(RECENT).collect());
    Ok(Some(made))
}

/// How many texts and what is around them differ between two contents; `most` at most.
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
