//! Ordered maps of bytes, stored as trees of objects whose shape depends only on their content.
//!
//! The maps are prolly trees. A keyed hash of each entry's key determines the chunk boundaries. The
//! chunks' last keys form the level above, which is divided in the same way until one chunk is
//! left. The probability of a boundary grows with the entry's size, so that chunks are about 4 KB
//! for entries of any size. The hash is keyed with a secret [`Salt`], so that chosen keys cannot
//! produce degenerate chunks.

mod apply;
mod build;
mod diff;
mod node;
mod range;
#[cfg(test)]
mod tests;

use bindery_model::Entropy;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

pub use build::MapBuilder;
pub use diff::{Diff, Difference};
pub use range::{Direction, Range};

use crate::object::{Hash, ObjectError, Objects, Staging};
use crate::reachability::{ObjectKind, ObjectRef, ValueKind};
use crate::record::Record;
use node::{Before, Lookup, Node};

/// The secret that determines chunk boundaries. Only maps with the same salt can be compared
/// quickly.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Salt([u8; 16]);

impl Salt {
    /// Returns a new random salt.
    pub fn random(entropy: &Entropy) -> Self {
        Self(entropy.bytes())
    }

    /// Returns a salt with the given bytes, for tests.
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes, to distinguish maps of different salts.
    pub(crate) const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// An edit of one key: the new value, or `None` to remove the entry.
pub type Edit = (Bytes, Option<Bytes>);

/// A map: the hash of its root, the number of its entries, and its salt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Map {
    root: Option<Hash>,
    len: u64,
    salt: Salt,
}

impl Record for Map {
    const NAME: &'static str = "a map";
}

impl Map {
    /// Returns a map without entries, which needs no object.
    pub const fn empty(salt: Salt) -> Self {
        Self { root: None, len: 0, salt }
    }

    /// Returns the root object; `None` if the map is empty. Maps of one salt with equal roots have
    /// equal entries.
    pub const fn root(&self) -> Option<Hash> {
        self.root
    }

    /// Returns the salt.
    pub const fn salt(&self) -> Salt {
        self.salt
    }

    /// Returns the number of entries.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Returns `true` if the map has no entries.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the value of `key`.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn get(&self, objects: &dyn Objects, key: &[u8]) -> Result<Option<Bytes>, ObjectError> {
        let mut next = self.root;
        while let Some(hash) = next {
            match Node::find(&objects.get(&hash)?, key)? {
                Lookup::Value(value) => return Ok(Some(value)),
                Lookup::Child(hash) => next = Some(hash),
                Lookup::Missing => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Returns the number of entries with a key smaller than `key`.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn rank(&self, objects: &dyn Objects, key: &[u8]) -> Result<u64, ObjectError> {
        let mut next = self.root;
        let mut rank = 0;
        while let Some(hash) = next {
            let Before { count, child } = Node::before(&objects.get(&hash)?, key)?;
            rank += count;
            next = child;
        }
        Ok(rank)
    }

    /// Iterates over the entries from `from` in the given direction: ascending from the first key
    /// that is not smaller, or descending from the last key that is not greater. `None` starts at
    /// the first or last entry respectively.
    pub fn range<'a>(
        &self,
        objects: &'a dyn Objects,
        from: Option<&[u8]>,
        direction: Direction,
    ) -> Range<'a> {
        Range::from_key(objects, self, from, direction)
    }

    /// Iterates in ascending order over the entries after the first `rank` ones.
    pub fn range_from_rank<'a>(&self, objects: &'a dyn Objects, rank: u64) -> Range<'a> {
        Range::from_rank(objects, self, rank)
    }

    /// Iterates in ascending order over the entries whose key begins with `prefix`.
    pub fn prefix<'a>(&self, objects: &'a dyn Objects, prefix: &[u8]) -> Range<'a> {
        Range::from_key(objects, self, Some(prefix), Direction::Ascending).within(prefix)
    }

    /// Returns the number of keys that begin with `prefix`.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn count_prefix(&self, objects: &dyn Objects, prefix: &[u8]) -> Result<u64, ObjectError> {
        let end = match successor(prefix) {
            Some(end) => self.rank(objects, &end)?,
            None => self.len,
        };
        Ok(end - self.rank(objects, prefix)?)
    }

    /// Iterates over the differences between this map (the old one) and `new` in ascending order of
    /// keys. Only subtrees with different hashes are read.
    pub fn diff<'a>(&self, new: &Self, objects: &'a dyn Objects) -> Diff<'a> {
        Diff::new(objects, self, new)
    }

    /// Returns this map with edits applied. The edits can be in any order; the last of several
    /// edits of a key takes effect. Only the chunks that the edits touch are written.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn apply(
        &self,
        staging: &mut Staging<'_>,
        edits: impl IntoIterator<Item = Edit>,
    ) -> Result<Self, ObjectError> {
        apply::apply(self, staging, edits.into_iter().collect())
    }

    /// Builds a map from entries in ascending order of distinct keys; see [`MapBuilder`].
    pub fn build(
        salt: Salt,
        staging: &mut Staging<'_>,
        entries: impl IntoIterator<Item = (Bytes, Bytes)>,
    ) -> Self {
        let mut builder = MapBuilder::new(salt);
        for (key, value) in entries {
            builder.push(staging, key, value);
        }
        builder.finish(staging)
    }

    /// Returns the root as a starting point for collecting reachable objects; `None` if the map is
    /// empty.
    pub fn root_ref(&self, values: ValueKind) -> Option<ObjectRef> {
        self.root.map(|root| (ObjectKind::Node(values), root))
    }

    /// Returns the objects that a node refers to: its child nodes, or the objects named by its
    /// values.
    pub(crate) fn node_references(
        bytes: &Bytes,
        values: ValueKind,
    ) -> Result<Vec<ObjectRef>, ObjectError> {
        match Node::read(bytes)? {
            Node::Inner { children, .. } => {
                Ok(children.iter().map(|child| (ObjectKind::Node(values), child.hash)).collect())
            }
            Node::Leaf(entries) => {
                let mut needed = Vec::new();
                for entry in entries {
                    values.for_each_reference(&entry.value, &mut |hash| {
                        needed.push((ObjectKind::Bytes, hash));
                    })?;
                }
                Ok(needed)
            }
        }
    }
}

/// Returns the smallest byte string greater than all that begin with `prefix`.
fn successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut end = prefix.get(..=last)?.to_vec();
    if let Some(byte) = end.last_mut() {
        *byte += 1;
    }
    Some(end)
}
