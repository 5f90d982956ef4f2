//! Garbage collection of unreferenced objects, concurrent with writes.
//!
//! A collection marks the objects that revisions, Git states, link indexes, uploaded files, PDFs,
//! pictures of embeds, OpenAPI specifications and unfinished jobs need. Then it removes the objects that were neither reached nor stored since the previous
//! collection began. Marks are written in small transactions. A collection that is interrupted
//! while marking has removed nothing; the next one starts again.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use bindery_git::import::GitState;
use bindery_revision::{Hash, ObjectError, ObjectKind, ObjectRef, Record};
use bindery_store::git_branches::{self, BranchRoots};
use bindery_store::link_indexes::{self, StoredIndex};
use bindery_store::{
    GarbageCollection, Store, StoreError, computed_contents, embeds, git_exports, git_states,
    openapi, pdf_files, revisions, storage_files,
};

use crate::content::openapi::root_of;
use crate::jobs::registry;

/// Minimum time between two collections while others write: longer than any write takes from
/// storing an object to referring to it.
pub const INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);
/// Maximum number of objects that one transaction marks.
const MARKED_AT_ONCE: usize = 512;
/// Maximum number of roots that one transaction reads.
const ROOTS_AT_ONCE: u32 = 256;
/// Maximum number of rows that one transaction removes.
const REMOVED_AT_ONCE: u32 = 256;

/// The result of a garbage collection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Collected {
    /// Number of objects that the collection marked.
    pub reached: u64,
    /// Number of removed objects.
    pub removed: u64,
}

/// Runs a collection, unless the last one began less than `apart` ago; then it returns `None`. No
/// write may take longer than `apart` from storing an object to referring to it.
///
/// # Errors
/// Fails if the store fails or a needed object cannot be read. If marking fails, nothing is
/// removed.
pub async fn collect(store: &Store, apart: Duration) -> Result<Option<Collected>, StoreError> {
    let Some(collection) = store.begin_collection(apart).await? else { return Ok(None) };
    let mut walk = Walk { store, collection, reached: 0, bytes: Sketch::default() };
    walk.revisions().await?;
    walk.git_states().await?;
    walk.git_exports().await?;
    walk.git_branches().await?;
    walk.link_indexes().await?;
    walk.storage_files().await?;
    walk.pdf_files().await?;
    walk.embed_pictures().await?;
    walk.openapi_texts().await?;
    walk.openapi_pieces().await?;
    walk.computed_contents().await?;
    walk.reach(store.read(registry::referenced_objects).await?).await?;
    let mut removed = 0;
    loop {
        match store.sweep_objects(collection, REMOVED_AT_ONCE).await? {
            0 => return Ok(Some(Collected { reached: walk.reached, removed })),
            more => removed += more,
        }
    }
}

/// The marking of one collection.
struct Walk<'a> {
    store: &'a Store,
    collection: GarbageCollection,
    reached: u64,
    bytes: Sketch,
}

impl Walk<'_> {
    async fn revisions(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let roots = self
                .store
                .read(move |tx| revisions::list_gc_roots(tx, after, ROOTS_AT_ONCE))
                .await?;
            let Some(last) = roots.last() else { return Ok(()) };
            after = Some((last.space, last.revision));
            for root in roots {
                let mut needed = vec![(ObjectKind::Revision, root.object)];
                if let Some(state) = root.state {
                    needed.extend(state_roots(&state)?);
                }
                if let Some(synced) = root.synced {
                    needed.push((ObjectKind::Revision, synced.object));
                    needed.extend(state_roots(&synced.state)?);
                }
                self.reach(needed).await?;
            }
        }
    }

    async fn git_states(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let states = self
                .store
                .read(move |tx| git_states::list_states(tx, after, ROOTS_AT_ONCE))
                .await?;
            let Some((last, _)) = states.last() else { return Ok(()) };
            after = Some(*last);
            for (_, state) in states {
                self.reach(state_roots(&state)?).await?;
            }
        }
    }

    async fn git_exports(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let exports = self
                .store
                .read(move |tx| git_exports::list_roots(tx, after, ROOTS_AT_ONCE))
                .await?;
            let Some((last, ..)) = exports.last() else { return Ok(()) };
            after = Some(*last);
            for (_, object, state) in exports {
                let mut needed = state_roots(&state)?;
                needed.push((ObjectKind::Revision, object));
                self.reach(needed).await?;
            }
        }
    }

    async fn git_branches(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let branches = self
                .store
                .read(move |tx| git_branches::list_roots(tx, after.as_ref(), ROOTS_AT_ONCE))
                .await?;
            let Some(last) = branches.last() else { return Ok(()) };
            after = Some(last.key.clone());
            for BranchRoots { key: _, objects, state } in branches {
                let mut needed = match &state {
                    Some(state) => state_roots(state)?,
                    None => Vec::new(),
                };
                needed.extend(objects.into_iter().map(|object| (ObjectKind::Revision, object)));
                self.reach(needed).await?;
            }
        }
    }

    async fn link_indexes(&mut self) -> Result<(), StoreError> {
        for StoredIndex { base, index } in self.store.read_blocking(link_indexes::list).await? {
            let needed = index.root().into_iter().chain([(ObjectKind::Revision, base)]);
            self.reach(needed.collect()).await?;
        }
        Ok(())
    }

    async fn storage_files(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let files = self
                .store
                .read(move |tx| storage_files::list_objects(tx, after, ROOTS_AT_ONCE))
                .await?;
            let Some((last, _)) = files.last() else { return Ok(()) };
            after = Some(*last);
            self.reach(files.iter().map(|(_, object)| (ObjectKind::Bytes, *object)).collect())
                .await?;
        }
    }

    async fn pdf_files(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let files = self
                .store
                .read(move |tx| pdf_files::list_objects(tx, after, ROOTS_AT_ONCE))
                .await?;
            let Some((last, _)) = files.last() else { return Ok(()) };
            after = Some(*last);
            self.reach(files.iter().map(|(_, object)| (ObjectKind::Bytes, *object)).collect())
                .await?;
        }
    }

    async fn embed_pictures(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let pictures =
                self.store.read(move |tx| embeds::list_objects(tx, after, ROOTS_AT_ONCE)).await?;
            let Some((last, _)) = pictures.last() else { return Ok(()) };
            after = Some(*last);
            self.reach(pictures.iter().map(|(_, object)| (ObjectKind::Bytes, *object)).collect())
                .await?;
        }
    }

    async fn openapi_texts(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let texts =
                self.store.read(move |tx| openapi::list_objects(tx, after, ROOTS_AT_ONCE)).await?;
            let Some(last) = texts.last() else { return Ok(()) };
            after = Some(*last);
            self.reach(texts.into_iter().map(|text| (ObjectKind::Bytes, text)).collect()).await?;
        }
    }

    async fn openapi_pieces(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let maps =
                self.store.read(move |tx| openapi::list_pieces(tx, after, ROOTS_AT_ONCE)).await?;
            let Some((last, _)) = maps.last() else { return Ok(()) };
            after = Some(*last);
            for (_, map) in &maps {
                let root = root_of(map).map_err(unreadable)?;
                self.reach(root.into_iter().collect()).await?;
            }
        }
    }

    async fn computed_contents(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let contents = self
                .store
                .read(move |tx| computed_contents::list(tx, after, ROOTS_AT_ONCE))
                .await?;
            let Some(last) = contents.last() else { return Ok(()) };
            after = Some(last.object);
            let shown = contents.iter().map(|content| (ObjectKind::Revision, content.shown));
            self.reach(shown.collect()).await?;
        }
    }

    /// Marks these objects and, recursively, the objects that they need.
    async fn reach(&mut self, mut pending: Vec<ObjectRef>) -> Result<(), StoreError> {
        while !pending.is_empty() {
            let batch = pending.split_off(pending.len().saturating_sub(MARKED_AT_ONCE));
            let mut parts: HashMap<Hash, ObjectKind> = HashMap::with_capacity(batch.len());
            for (part, hash) in batch {
                let known = parts.entry(hash).or_insert(part);
                // If two objects need the same bytes as different kinds, the inner kind counts,
                // because it refers to further objects.
                if part.is_inner() {
                    *known = part;
                }
            }
            let hashes = parts.keys().copied().collect();
            let fresh: HashSet<Hash> =
                self.store.mark_objects(self.collection, hashes).await?.into_iter().collect();
            self.reached += fresh.len() as u64;
            // An object that was marked as plain bytes has not been searched for references yet.
            parts.retain(|hash, part| {
                let new = fresh.contains(hash);
                if new && !part.is_inner() {
                    self.bytes.insert(hash);
                }
                part.is_inner() && (new || self.bytes.may_have(hash))
            });
            let needed = self.store.read_blocking(move |tx| {
                let mut needed = Vec::new();
                for (hash, part) in parts {
                    needed
                        .extend(part.references(&tx.object_uncached(&hash)?).map_err(unreadable)?);
                }
                Ok::<_, StoreError>(needed)
            });
            pending.extend(needed.await?);
        }
        Ok(())
    }
}

/// Returns the objects that an encoded Git state refers to.
fn state_roots(state: &[u8]) -> Result<Vec<ObjectRef>, StoreError> {
    GitState::decode(state).map(|state| state.roots()).map_err(unreadable)
}

/// Converts the error of an object that must be readable.
fn unreadable(error: ObjectError) -> StoreError {
    StoreError::Corrupt(format!("an object that is needed: {error}"))
}

/// A set of hashes in constant memory. It has no false negatives, but false positives.
struct Sketch(Vec<u64>);

impl Sketch {
    /// Number of words; together they use one mebibyte.
    const WORDS: usize = 1 << 17;

    /// Returns the word and the bit of a hash. The bits of a hash are uniformly distributed, so
    /// they need no further hashing.
    fn place(hash: &Hash) -> (usize, u64) {
        let [a, b, c, d, ..] = *hash.as_bytes();
        let bits = u32::from_le_bytes([a, b, c, d]) as usize;
        ((bits >> 6) % Self::WORDS, 1 << (bits & 63))
    }

    fn insert(&mut self, hash: &Hash) {
        let (word, bit) = Self::place(hash);
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    fn may_have(&self, hash: &Hash) -> bool {
        let (word, bit) = Self::place(hash);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }
}

impl Default for Sketch {
    fn default() -> Self {
        Self(vec![0; Self::WORDS])
    }
}
