//! Division of a sequence into chunks, and construction of a map from sorted entries.

use bytes::Bytes;

use super::node::{Child, Entry, Item, MAX_CHUNK_SIZE, is_boundary};
use super::{Map, Salt};
use crate::object::{Hash, Staging};

/// Divides the items of one level into chunks. Its state is reset after every boundary.
pub(super) struct Chunker<T> {
    salt: Salt,
    level: u8,
    items: Vec<T>,
    size: usize,
}

impl<T: Item> Chunker<T> {
    pub(super) fn new(salt: Salt, level: u8) -> Self {
        Self { salt, level, items: Vec::new(), size: 0 }
    }

    /// Returns `true` if the last item ended a chunk.
    pub(super) fn at_boundary(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds an item. Returns the chunk if the item ends it.
    pub(super) fn push(&mut self, item: T) -> Option<Chunk> {
        let cut = is_boundary(self.salt, self.level, &item);
        self.size += item.size();
        self.items.push(item);
        if cut || self.size >= MAX_CHUNK_SIZE { self.flush() } else { None }
    }

    /// Ends the current chunk and returns it, unless it is empty.
    pub(super) fn flush(&mut self) -> Option<Chunk> {
        let last = self.items.last()?.key().clone();
        let count = self.items.iter().map(Item::count).sum();
        let bytes = T::encode(self.level, &self.items);
        self.items.clear();
        self.size = 0;
        Some(Chunk { child: Child { last, hash: Hash::of(&bytes), count }, bytes })
    }
}

/// A finished node that is not stored yet.
pub(super) struct Chunk {
    pub(super) child: Child,
    pub(super) bytes: Bytes,
}

impl Chunk {
    pub(super) fn store(self, staging: &mut Staging<'_>) -> Child {
        staging.put_hashed(self.child.hash, self.bytes);
        self.child
    }
}

/// Builds a map from entries in ascending order. It keeps one chunk per level in memory.
pub struct MapBuilder {
    salt: Salt,
    leaves: Chunker<Entry>,
    inner: Inner,
    #[cfg(debug_assertions)]
    previous: Option<Bytes>,
}

impl MapBuilder {
    /// Returns a builder without entries.
    pub fn new(salt: Salt) -> Self {
        Self {
            salt,
            leaves: Chunker::new(salt, 0),
            inner: Inner::new(salt, 1),
            #[cfg(debug_assertions)]
            previous: None,
        }
    }

    /// Adds an entry. Its key must be greater than all earlier keys.
    pub fn push(&mut self, staging: &mut Staging<'_>, key: Bytes, value: Bytes) {
        #[cfg(debug_assertions)]
        {
            debug_assert!(self.previous.as_ref().is_none_or(|previous| *previous < key));
            self.previous = Some(key.clone());
        }
        if let Some(chunk) = self.leaves.push(Entry { key, value }) {
            let child = chunk.store(staging);
            self.inner.push(staging, child);
        }
    }

    /// Returns the map of all entries.
    pub fn finish(mut self, staging: &mut Staging<'_>) -> Map {
        if let Some(chunk) = self.leaves.flush() {
            let child = chunk.store(staging);
            self.inner.push(staging, child);
        }
        self.inner.finish(staging)
    }
}

impl std::fmt::Debug for MapBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MapBuilder").field("salt", &self.salt).finish_non_exhaustive()
    }
}

/// The levels above a sequence of nodes.
pub(super) struct Inner {
    salt: Salt,
    base: u8,
    levels: Vec<Level>,
}

/// One level under construction.
struct Level {
    chunker: Chunker<Child>,
    /// The first item while it is the only one. A level with a single item is the root and needs no
    /// chunk.
    only: Option<Child>,
}

impl Inner {
    /// Returns builders for the levels from `base` upwards.
    pub(super) fn new(salt: Salt, base: u8) -> Self {
        Self { salt, base, levels: Vec::new() }
    }

    pub(super) fn push(&mut self, staging: &mut Staging<'_>, child: Child) {
        self.push_at(0, staging, child);
    }

    fn push_at(&mut self, index: usize, staging: &mut Staging<'_>, child: Child) {
        let Some(level) = self.levels.get_mut(index) else {
            let level = self.base.saturating_add(u8::try_from(index).unwrap_or(u8::MAX));
            let chunker = Chunker::new(self.salt, level);
            self.levels.push(Level { chunker, only: Some(child) });
            return;
        };
        let items = level.only.take().into_iter().chain([child]);
        let chunks: Vec<Chunk> = items.filter_map(|item| level.chunker.push(item)).collect();
        for chunk in chunks {
            let child = chunk.store(staging);
            self.push_at(index + 1, staging, child);
        }
    }

    /// Returns the finished map. Its root is the only node of the lowest level that has just one.
    pub(super) fn finish(mut self, staging: &mut Staging<'_>) -> Map {
        let mut index = 0;
        while let Some(level) = self.levels.get_mut(index) {
            if let Some(child) = level.only.take() {
                return Map { root: Some(child.hash), len: child.count, salt: self.salt };
            }
            if let Some(chunk) = level.chunker.flush() {
                let child = chunk.store(staging);
                self.push_at(index + 1, staging, child);
            }
            index += 1;
        }
        Map::empty(self.salt)
    }
}
