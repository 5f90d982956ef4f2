//! Ordered maps of bytes as trees of objects whose shape depends on the content alone.
//!
//! A prolly tree: entries are cut into chunks where a keyed hash of an entry's key says so, the
//! chunks' last keys are cut in the same way one level up, until one chunk is left. The chance of
//! a cut grows with the entry's size, so that chunks are about 4 KB whatever they hold. The hash is
//! keyed with a secret [`Salt`], so that nobody can choose keys that make bad chunks.

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
use crate::reach::{Needed, Part, Values};
use crate::record::Record;
use node::{Found, Node};

/// The secret that decides where a map is cut; maps are compared quickly only under one salt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Salt([u8; 16]);

impl Salt {
    /// A new random salt.
    pub fn random(entropy: &Entropy) -> Self {
        Self(entropy.bytes())
    }

    /// A given salt, for tests.
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its bytes, to tell what is cut under another one.
    pub(crate) const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// An edit of one key: the new value, or `None` to take the entry away.
pub type Edit = (Bytes, Option<Bytes>);

/// A map: where its root is, how many entries it has, and how it is cut.
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
    /// A map without entries; it needs no object.
    pub const fn empty(salt: Salt) -> Self {
        Self { root: None, len: 0, salt }
    }

    /// The root object; `None` without entries. Equal under one salt means equal content.
    pub const fn root(&self) -> Option<Hash> {
        self.root
    }

    /// The salt.
    pub const fn salt(&self) -> Salt {
        self.salt
    }

    /// How many entries there are.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The value of `key`.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn get(&self, objects: &dyn Objects, key: &[u8]) -> Result<Option<Bytes>, ObjectError> {
        let mut next = self.root;
        while let Some(hash) = next {
            match Node::find(&objects.get(&hash)?, key)? {
                Found::Value(value) => return Ok(Some(value)),
                Found::Below(hash) => next = Some(hash),
                Found::Nothing => return Ok(None),
            }
        }
        Ok(None)
    }

    /// How many entries have a smaller key than `key`.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn rank(&self, objects: &dyn Objects, key: &[u8]) -> Result<u64, ObjectError> {
        let Some(root) = self.root else { return Ok(0) };
        let mut node = Node::load(objects, &root)?;
        let mut before = 0;
        loop {
            let at = node.position(key);
            match &node {
                Node::Leaf(_) => return Ok(before + at as u64),
                Node::Inner { children, .. } => {
                    before += children.iter().take(at).map(|child| child.count).sum::<u64>();
                    match children.get(at) {
                        Some(child) => node = Node::load(objects, &child.hash)?,
                        None => return Ok(before),
                    }
                }
            }
        }
    }

    /// The entries from `from` on in the given direction: ascending from the first key that is
    /// not smaller, descending from the last key that is not larger. `None` begins at the end
    /// that the direction starts from.
    pub fn range<'a>(
        &self,
        objects: &'a dyn Objects,
        from: Option<&[u8]>,
        direction: Direction,
    ) -> Range<'a> {
        Range::from_key(objects, self, from, direction)
    }

    /// The entries in ascending order from the one that `rank` others come before.
    pub fn range_from_rank<'a>(&self, objects: &'a dyn Objects, rank: u64) -> Range<'a> {
        Range::from_rank(objects, self, rank)
    }

    /// The entries whose key begins with `prefix`, ascending.
    pub fn prefix<'a>(&self, objects: &'a dyn Objects, prefix: &[u8]) -> Range<'a> {
        Range::from_key(objects, self, Some(prefix), Direction::Ascending).within(prefix)
    }

    /// How many keys begin with `prefix`.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn count_prefix(&self, objects: &dyn Objects, prefix: &[u8]) -> Result<u64, ObjectError> {
        let end = match successor(prefix) {
            Some(end) => self.rank(objects, &end)?,
            None => self.len,
        };
        Ok(end - self.rank(objects, prefix)?)
    }

    /// What differs between this map (the old one) and `new`, in the order of keys, descending
    /// only where hashes differ.
    pub fn diff<'a>(&self, new: &Self, objects: &'a dyn Objects) -> Diff<'a> {
        Diff::new(objects, self, new)
    }

    /// This map with edits, which may come in any order; of several on one key the last one
    /// counts. Only the chunks that they touch are written.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn apply(
        &self,
        staging: &mut Staging<'_>,
        edits: impl IntoIterator<Item = Edit>,
    ) -> Result<Self, ObjectError> {
        apply::apply(self, staging, edits.into_iter().collect())
    }

    /// A map of entries that come in ascending order of distinct keys; see [`MapBuilder`].
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

    /// What a collector begins with: the root, if there is one.
    pub fn needed(&self, values: Values) -> Option<Needed> {
        self.root.map(|root| (Part::Node(values), root))
    }

    /// What a node needs: the nodes under it, or what its values name.
    pub(crate) fn node_needs(bytes: &Bytes, values: Values) -> Result<Vec<Needed>, ObjectError> {
        match Node::read(bytes)? {
            Node::Inner { children, .. } => {
                Ok(children.iter().map(|child| (Part::Node(values), child.hash)).collect())
            }
            Node::Leaf(entries) => {
                let mut needed = Vec::new();
                for entry in entries {
                    values.named(&entry.value, &mut |hash| needed.push((Part::Bytes, hash)))?;
                }
                Ok(needed)
            }
        }
    }
}

/// The smallest bytes larger than everything that begins with `prefix`.
fn successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut end = prefix.get(..=last)?.to_vec();
    if let Some(byte) = end.last_mut() {
        *byte += 1;
    }
    Some(end)
}
