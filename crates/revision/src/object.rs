//! Immutable objects addressed by their hash. Revisions consist of objects.

use std::collections::{HashMap, HashSet};
use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::facet::Facet;
use crate::reachability::ObjectRef;

/// The BLAKE3 hash of an object's bytes. Hashes are internal: they are not exposed, and knowing one
/// does not grant access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Hash([u8; Hash::LEN]);

impl Hash {
    /// The length of a hash in bytes.
    pub const LEN: usize = 32;

    /// Returns the hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Returns the raw bytes, for keys and columns.
    pub const fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }

    /// Reads raw bytes. Returns `None` if their length is not 32.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The reason why an object could not be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ObjectError {
    /// Nothing is stored under this hash.
    #[error("object {0:?} is missing")]
    Missing(Hash),
    /// The bytes do not encode an object of the expected kind or version.
    #[error("object is not readable as {0}")]
    Corrupt(&'static str),
    /// The object store failed.
    #[error("objects cannot be read: {0}")]
    Failed(String),
}

/// A source of objects. It does not require `Sync`, so that a transaction can implement it.
pub trait Objects {
    /// Returns the object with this hash.
    ///
    /// # Errors
    /// Returns an error if there is no such object or the store fails.
    fn get(&self, hash: &Hash) -> Result<Bytes, ObjectError>;

    /// Records that a part of a content was read through this source. A cache implements this to
    /// learn which changes invalidate a result that it computed.
    fn record_read(&self, facet: Facet<'_>) {
        let _ = facet;
    }
}

impl<T: Objects + ?Sized> Objects for &T {
    fn get(&self, hash: &Hash) -> Result<Bytes, ObjectError> {
        (**self).get(hash)
    }

    fn record_read(&self, facet: Facet<'_>) {
        (**self).record_read(facet);
    }
}

/// New objects on top of existing ones. Each distinct object is stored once, in the order of
/// addition, until it is drained into the store.
pub struct Staging<'a> {
    base: &'a dyn Objects,
    new: HashMap<Hash, Bytes>,
    order: Vec<Hash>,
    bytes: usize,
}

impl fmt::Debug for Staging<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staging").field("len", &self.len()).field("bytes", &self.bytes).finish()
    }
}

impl<'a> Staging<'a> {
    /// Returns a staging without new objects on top of `base`.
    pub fn new(base: &'a dyn Objects) -> Self {
        Self { base, new: HashMap::new(), order: Vec::new(), bytes: 0 }
    }

    /// Adds an object and returns its hash.
    pub fn put(&mut self, bytes: impl Into<Bytes>) -> Hash {
        let bytes = bytes.into();
        let hash = Hash::of(&bytes);
        self.put_hashed(hash, bytes);
        hash
    }

    /// Adds an object whose hash was computed elsewhere, for example by a worker thread. The caller
    /// guarantees that the hash is correct.
    pub fn put_hashed(&mut self, hash: Hash, bytes: Bytes) {
        let size = bytes.len();
        if let std::collections::hash_map::Entry::Vacant(entry) = self.new.entry(hash) {
            entry.insert(bytes);
            self.order.push(hash);
            self.bytes += size;
        }
    }

    /// Returns the number of staged objects.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns `true` if no object is staged.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns the total size of the staged objects in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Removes and returns the staged objects in the order of addition. A caller that drains before
    /// the work is done must store them where `base` finds them.
    pub fn drain(&mut self) -> Vec<(Hash, Bytes)> {
        self.bytes = 0;
        let order = std::mem::take(&mut self.order);
        let mut new = std::mem::take(&mut self.new);
        order.into_iter().filter_map(|hash| new.remove(&hash).map(|bytes| (hash, bytes))).collect()
    }

    /// Like [`Staging::drain`], but returns only the objects that are reachable from `roots`
    /// through staged objects. The others are intermediate results that nothing refers to.
    ///
    /// # Errors
    /// Returns an error if a staged object is not of the kind that a reference to it expects.
    pub fn drain_reachable(
        &mut self,
        roots: Vec<ObjectRef>,
    ) -> Result<Vec<(Hash, Bytes)>, ObjectError> {
        let mut pending = roots;
        let mut reached = HashSet::new();
        while let Some((part, hash)) = pending.pop() {
            if let Some(bytes) = self.new.get(&hash)
                && reached.insert((part, hash))
            {
                pending.extend(part.references(bytes)?);
            }
        }
        let needed: HashSet<Hash> = reached.into_iter().map(|(_, hash)| hash).collect();
        let mut held = self.drain();
        held.retain(|(hash, _)| needed.contains(hash));
        Ok(held)
    }
}

impl Objects for Staging<'_> {
    fn get(&self, hash: &Hash) -> Result<Bytes, ObjectError> {
        match self.new.get(hash) {
            Some(bytes) => Ok(bytes.clone()),
            None => self.base.get(hash),
        }
    }
}

/// Objects in memory, for tests and for contents that are never stored.
#[derive(Clone, Default, Debug)]
pub struct MemoryObjects(HashMap<Hash, Bytes>);

impl MemoryObjects {
    /// Returns an empty set of objects.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds objects that were drained from a staging.
    pub fn extend(&mut self, objects: impl IntoIterator<Item = (Hash, Bytes)>) {
        self.0.extend(objects);
    }

    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if there are no objects.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Objects for MemoryObjects {
    fn get(&self, hash: &Hash) -> Result<Bytes, ObjectError> {
        self.0.get(hash).cloned().ok_or(ObjectError::Missing(*hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn staging_holds_each_object_once_and_reads_through() {
        let mut base = MemoryObjects::new();
        let old = Hash::of(b"old");
        base.extend([(old, Bytes::from_static(b"old"))]);
        let mut staging = Staging::new(&base);
        let hash = staging.put(&b"new"[..]);
        assert_eq!(staging.put(&b"new"[..]), hash);
        assert_eq!((staging.len(), staging.bytes()), (1, 3));
        assert_eq!(staging.get(&hash).unwrap(), "new");
        assert_eq!(staging.get(&old).unwrap(), "old");
        assert_eq!(staging.drain(), [(hash, Bytes::from_static(b"new"))]);
        assert!(staging.is_empty());
        assert_eq!(staging.get(&hash), Err(ObjectError::Missing(hash)));
    }
}
