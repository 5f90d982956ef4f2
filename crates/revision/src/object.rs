//! Immutable bytes addressed by their hash: what everything of a revision is made of.

use std::collections::{HashMap, HashSet};
use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::facet::Facet;
use crate::reach::Needed;

/// The BLAKE3 hash of an object's bytes. Never shown to the outside: knowing one gives no access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Hash([u8; Hash::LEN]);

impl Hash {
    /// Bytes in a hash.
    pub const LEN: usize = 32;

    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The raw bytes, for keys and columns.
    pub const fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }

    /// Reads raw bytes; `None` for any other length than 32.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Why an object could not be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ObjectError {
    /// Nothing is stored under this hash.
    #[error("object {0:?} is missing")]
    Missing(Hash),
    /// The bytes are no object of the expected kind or version.
    #[error("object is not readable as {0}")]
    Corrupt(&'static str),
    /// The place where objects are kept failed.
    #[error("objects cannot be read: {0}")]
    Failed(String),
}

/// Where objects are read from. Not bound to `Sync`, so that a transaction can be one.
pub trait Objects {
    /// The bytes under this hash.
    ///
    /// # Errors
    /// When there are none, or the place where they are kept fails.
    fn get(&self, hash: &Hash) -> Result<Bytes, ObjectError>;

    /// Is told which part of a content is looked at through this. Who keeps what is made from a
    /// content listens here, to know how long it holds.
    fn looked_at(&self, facet: Facet<'_>) {
        let _ = facet;
    }
}

impl<T: Objects + ?Sized> Objects for &T {
    fn get(&self, hash: &Hash) -> Result<Bytes, ObjectError> {
        (**self).get(hash)
    }

    fn looked_at(&self, facet: Facet<'_>) {
        (**self).looked_at(facet);
    }
}

/// New objects over those that exist: each distinct one is held once, in the order in which it
/// came, until it is drained into the store.
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
    /// Nothing new yet, over `base`.
    pub fn new(base: &'a dyn Objects) -> Self {
        Self { base, new: HashMap::new(), order: Vec::new(), bytes: 0 }
    }

    /// Adds an object and gives its hash.
    pub fn put(&mut self, bytes: impl Into<Bytes>) -> Hash {
        let bytes = bytes.into();
        let hash = Hash::of(&bytes);
        self.put_hashed(hash, bytes);
        hash
    }

    /// Adds an object whose hash was computed elsewhere, by a worker thread for instance. The
    /// caller vouches for the hash.
    pub fn put_hashed(&mut self, hash: Hash, bytes: Bytes) {
        let size = bytes.len();
        if let std::collections::hash_map::Entry::Vacant(entry) = self.new.entry(hash) {
            entry.insert(bytes);
            self.order.push(hash);
            self.bytes += size;
        }
    }

    /// How many objects are held.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether none is held.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Bytes of the objects that are held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Hands out the objects held, in the order in which they came, and holds none any more. Who
    /// drains before the work is done stores them where `base` finds them.
    pub fn drain(&mut self) -> Vec<(Hash, Bytes)> {
        self.bytes = 0;
        let order = std::mem::take(&mut self.order);
        let mut new = std::mem::take(&mut self.new);
        order.into_iter().filter_map(|hash| new.remove(&hash).map(|bytes| (hash, bytes))).collect()
    }

    /// As [`Staging::drain`], but only what is reached from `roots` through objects that are held:
    /// the rest were steps in between, which nothing refers to.
    ///
    /// # Errors
    /// When an object that is held is not what it is needed as.
    pub fn drain_needed(&mut self, roots: Vec<Needed>) -> Result<Vec<(Hash, Bytes)>, ObjectError> {
        let mut pending = roots;
        let mut reached = HashSet::new();
        while let Some((part, hash)) = pending.pop() {
            if let Some(bytes) = self.new.get(&hash)
                && reached.insert((part, hash))
            {
                pending.extend(part.needs(bytes)?);
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

/// Objects in memory, for tests and for content that is never stored.
#[derive(Clone, Default, Debug)]
pub struct MemoryObjects(HashMap<Hash, Bytes>);

impl MemoryObjects {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what a staging handed out.
    pub fn extend(&mut self, objects: impl IntoIterator<Item = (Hash, Bytes)>) {
        self.0.extend(objects);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
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
