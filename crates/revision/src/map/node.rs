//! The encoding of a map's nodes: leaves hold entries, inner nodes the last keys of their children.

use bytes::{BufMut, Bytes, BytesMut};

use super::Salt;
use crate::object::{Hash, ObjectError, Objects};

/// The first byte of every node. It is increased when the encoding changes.
const VERSION: u8 = 1;
/// The maximum level of a node. A higher level is reported as corruption.
const MAX_LEVEL: u8 = 64;
/// The target size of a chunk in bytes.
const TARGET_CHUNK_SIZE: u64 = 4096;
/// The maximum size of a chunk in bytes, without its last entry.
pub(super) const MAX_CHUNK_SIZE: usize = 32 * 1024;

/// An entry of a leaf.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) key: Bytes,
    pub(super) value: Bytes,
}

/// An entry of an inner node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Child {
    pub(super) last: Bytes,
    pub(super) hash: Hash,
    pub(super) count: u64,
}

/// The common interface of leaf and inner entries for dividing and joining chunks.
pub(super) trait Item: Clone + PartialEq {
    fn key(&self) -> &Bytes;
    fn count(&self) -> u64;
    fn size(&self) -> usize;
    fn encode(level: u8, items: &[Self]) -> Bytes;
    fn of(node: Node) -> Result<Vec<Self>, ObjectError>;
}

/// A decoded node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Node {
    Leaf(Vec<Entry>),
    Inner { level: u8, children: Vec<Child> },
}

/// The result of looking up a key in a node.
pub(super) enum Lookup {
    /// The value of the key.
    Value(Bytes),
    /// The child node that would hold the key.
    Child(Hash),
    /// The key is not in the map.
    Missing,
}

/// The number of entries of a node before a key.
pub(super) struct Before {
    pub(super) count: u64,
    /// The child node that holds the further entries before the key; `None` if there are none.
    pub(super) child: Option<Hash>,
}

impl Node {
    pub(super) fn load(objects: &dyn Objects, hash: &Hash) -> Result<Self, ObjectError> {
        Self::read(&objects.get(hash)?)
    }

    pub(super) fn read(bytes: &Bytes) -> Result<Self, ObjectError> {
        Self::decode(bytes).ok_or(ObjectError::Corrupt("a node of a map"))
    }

    pub(super) fn level(&self) -> u8 {
        match self {
            Self::Leaf(_) => 0,
            Self::Inner { level, .. } => *level,
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Leaf(entries) => entries.len(),
            Self::Inner { children, .. } => children.len(),
        }
    }

    /// Returns the first position whose key is not smaller than `key`.
    pub(super) fn position(&self, key: &[u8]) -> usize {
        match self {
            Self::Leaf(entries) => entries.partition_point(|entry| &entry.key[..] < key),
            Self::Inner { children, .. } => children.partition_point(|c| &c.last[..] < key),
        }
    }

    /// Looks up a key in an encoded node, reading only up to the key's position.
    pub(super) fn find(bytes: &Bytes, key: &[u8]) -> Result<Lookup, ObjectError> {
        Self::scan(bytes, key).ok_or(ObjectError::Corrupt("a node of a map"))
    }

    fn scan(bytes: &Bytes, key: &[u8]) -> Option<Lookup> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.byte()? != VERSION {
            return None;
        }
        let level = reader.byte()?;
        for _ in 0..reader.varint()? {
            let order = reader.skip()?.cmp(key);
            if level > 0 {
                let hash = reader.skip_bytes(Hash::LEN)?;
                if order.is_ge() {
                    return Hash::from_bytes(hash).map(Lookup::Child);
                }
                reader.varint()?;
            } else if order.is_eq() {
                return reader.slice().map(Lookup::Value);
            } else if order.is_gt() {
                return Some(Lookup::Missing);
            } else {
                reader.skip()?;
            }
        }
        Some(Lookup::Missing)
    }

    /// Counts the entries before a key in an encoded node, reading only up to the key's position.
    pub(super) fn before(bytes: &Bytes, key: &[u8]) -> Result<Before, ObjectError> {
        Self::count(bytes, key).ok_or(ObjectError::Corrupt("a node of a map"))
    }

    fn count(bytes: &Bytes, key: &[u8]) -> Option<Before> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.byte()? != VERSION {
            return None;
        }
        let level = reader.byte()?;
        let mut count = 0;
        for _ in 0..reader.varint()? {
            let is_before = reader.skip()? < key;
            if level > 0 {
                let hash = reader.skip_bytes(Hash::LEN)?;
                if !is_before {
                    return Hash::from_bytes(hash).map(|hash| Before { count, child: Some(hash) });
                }
                count += reader.varint()?;
            } else if is_before {
                count += 1;
                reader.skip()?;
            } else {
                break;
            }
        }
        Some(Before { count, child: None })
    }

    fn decode(bytes: &Bytes) -> Option<Self> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.byte()? != VERSION {
            return None;
        }
        let level = reader.byte()?;
        let len = reader.varint()?;
        // An entry takes at least two bytes, which bounds the memory that a wrong length can
        // reserve.
        let mut room = usize::try_from(len).ok().filter(|len| *len <= bytes.len() / 2)?;
        if level > MAX_LEVEL || room == 0 {
            return None;
        }
        let node = if level == 0 {
            let mut entries = Vec::with_capacity(room);
            while room > 0 {
                entries.push(Entry { key: reader.slice()?, value: reader.slice()? });
                room -= 1;
            }
            Self::Leaf(entries)
        } else {
            let mut children = Vec::with_capacity(room);
            while room > 0 {
                let last = reader.slice()?;
                let hash = Hash::from_bytes(&reader.take(Hash::LEN)?)?;
                children.push(Child { last, hash, count: reader.varint()? });
                room -= 1;
            }
            Self::Inner { level, children }
        };
        (reader.at == bytes.len()).then_some(node)
    }
}

impl Item for Entry {
    fn key(&self) -> &Bytes {
        &self.key
    }

    fn count(&self) -> u64 {
        1
    }

    fn size(&self) -> usize {
        self.key.len() + self.value.len() + 3
    }

    fn encode(level: u8, items: &[Self]) -> Bytes {
        let mut out = header(level, items.len(), items.iter().map(Self::size).sum());
        for item in items {
            put_slice(&mut out, &item.key);
            put_slice(&mut out, &item.value);
        }
        out.freeze()
    }

    fn of(node: Node) -> Result<Vec<Self>, ObjectError> {
        match node {
            Node::Leaf(entries) => Ok(entries),
            Node::Inner { .. } => Err(ObjectError::Corrupt("a leaf of a map")),
        }
    }
}

impl Item for Child {
    fn key(&self) -> &Bytes {
        &self.last
    }

    fn count(&self) -> u64 {
        self.count
    }

    fn size(&self) -> usize {
        self.last.len() + Hash::LEN + 5
    }

    fn encode(level: u8, items: &[Self]) -> Bytes {
        let mut out = header(level, items.len(), items.iter().map(Self::size).sum());
        for item in items {
            put_slice(&mut out, &item.last);
            out.put_slice(item.hash.as_bytes());
            put_varint(&mut out, item.count);
        }
        out.freeze()
    }

    fn of(node: Node) -> Result<Vec<Self>, ObjectError> {
        match node {
            Node::Inner { children, .. } => Ok(children),
            Node::Leaf(_) => Err(ObjectError::Corrupt("an inner node of a map")),
        }
    }
}

/// Returns `true` if a chunk ends after this item. The decision depends only on the item, so that
/// an edit changes no boundary but its own. At most one item in four ends a chunk, so that every
/// level is smaller than the one below.
pub(super) fn is_boundary(salt: Salt, level: u8, item: &impl Item) -> bool {
    let mut secret = [0; 32];
    secret[..16].copy_from_slice(&salt.0);
    secret[16] = level;
    let hash = blake3::keyed_hash(&secret, item.key());
    let mut word = [0; 4];
    word.copy_from_slice(&hash.as_bytes()[..4]);
    let chance = (item.size() as u64).min(TARGET_CHUNK_SIZE / 4);
    u64::from(u32::from_le_bytes(word)) < chance * (1 << 32) / TARGET_CHUNK_SIZE
}

fn header(level: u8, len: usize, size: usize) -> BytesMut {
    let mut out = BytesMut::with_capacity(size + 16);
    out.put_u8(VERSION);
    out.put_u8(level);
    put_varint(&mut out, len as u64);
    out
}

fn put_slice(out: &mut BytesMut, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.put_slice(bytes);
}

fn put_varint(out: &mut BytesMut, mut value: u64) {
    while value >= 0x80 {
        out.put_u8(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.put_u8(value.to_le_bytes()[0]);
}

struct Reader<'a> {
    bytes: &'a Bytes,
    at: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, len: usize) -> Option<Bytes> {
        let start = self.at;
        self.skip_bytes(len)?;
        Some(self.bytes.slice(start..self.at))
    }

    fn skip_bytes(&mut self, len: usize) -> Option<&[u8]> {
        let start = self.at;
        self.at = start.checked_add(len)?;
        self.bytes.get(start..self.at)
    }

    fn skip(&mut self) -> Option<&[u8]> {
        let len = usize::try_from(self.varint()?).ok()?;
        self.skip_bytes(len)
    }

    fn slice(&mut self) -> Option<Bytes> {
        let len = usize::try_from(self.varint()?).ok()?;
        self.take(len)
    }
}
