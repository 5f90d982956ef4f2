//! How an object's bytes are kept: as they are, or compressed when that pays.

use std::cell::RefCell;

use bindery_revision::Hash;
use bytes::Bytes;
use zstd::bulk::{Compressor, Decompressor};

use crate::StoreError;

/// Objects that take at most this many bytes are kept in the database.
pub(crate) const INLINE: u64 = 64 << 10;

/// Larger objects are kept as they are, so that a range of them can be read without the rest.
pub(crate) const COMPRESSIBLE: usize = 8 << 20;

/// Below this, zstd's frame outweighs what it saves.
const WORTHWHILE: usize = 64;

/// The fastest: objects are small, and bulk imports are bound by this.
const LEVEL: i32 = 1;

/// How the bytes are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Codec {
    Plain = 0,
    Zstd = 1,
}

impl Codec {
    /// Reads what a row holds.
    pub(crate) const fn read(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Plain),
            1 => Some(Self::Zstd),
            _ => None,
        }
    }
}

/// Where the bytes are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Location {
    Database = 0,
    Place = 1,
}

/// An object ready to be stored: hashed, and compressed when that pays. Making one is the
/// expensive part; it belongs on the caller's threads, not into a transaction.
#[derive(Clone, Debug)]
pub struct PreparedObject {
    pub(crate) hash: Hash,
    pub(crate) size: u64,
    pub(crate) codec: Codec,
    pub(crate) location: Location,
    pub(crate) kept: u64,
    pub(crate) stored: Bytes,
}

impl PreparedObject {
    /// Hashes and compresses these bytes.
    pub fn new(bytes: Bytes) -> Self {
        Self::hashed(Hash::of(&bytes), bytes)
    }

    /// Compresses bytes whose hash is known already; the caller vouches for it.
    pub fn hashed(hash: Hash, bytes: Bytes) -> Self {
        let size = bytes.len() as u64;
        let (codec, stored) = match compress(&bytes) {
            Some(smaller) => (Codec::Zstd, smaller.into()),
            None => (Codec::Plain, bytes),
        };
        let kept = stored.len() as u64;
        Self { hash, size, codec, location: Location::Database, kept, stored }
    }

    /// The object's hash.
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// The bytes of the object itself.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The bytes that it takes.
    pub const fn stored_size(&self) -> u64 {
        self.kept
    }

    pub(crate) const fn is_large(&self) -> bool {
        self.kept > INLINE
    }
}

thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// `None` when the bytes are better kept as they are.
fn compress(bytes: &[u8]) -> Option<Vec<u8>> {
    if !(WORTHWHILE..=COMPRESSIBLE).contains(&bytes.len()) {
        return None;
    }
    let smaller = COMPRESSOR.with_borrow_mut(|slot| {
        let mut compressor = match slot.take() {
            Some(compressor) => compressor,
            None => Compressor::new(LEVEL).ok()?,
        };
        let smaller = compressor.compress(bytes).ok()?;
        *slot = Some(compressor);
        Some(smaller)
    })?;
    // What saves less than a twentieth is not worth the time of every reader.
    (smaller.len() < bytes.len() - bytes.len() / 20).then_some(smaller)
}

pub(crate) fn decode(codec: i64, size: u64, stored: Bytes) -> Result<Bytes, StoreError> {
    let corrupt = |what: &str| StoreError::Corrupt(format!("an object {what}"));
    let bytes = match Codec::read(codec) {
        Some(Codec::Plain) => stored,
        Some(Codec::Zstd) => {
            let size = usize::try_from(size).ok().filter(|size| *size <= COMPRESSIBLE);
            let size = size.ok_or_else(|| corrupt("is larger than any that is compressed"))?;
            decompress(&stored, size).ok_or_else(|| corrupt("cannot be decompressed"))?.into()
        }
        None => return Err(corrupt("is kept in an unknown way")),
    };
    if bytes.len() as u64 == size { Ok(bytes) } else { Err(corrupt("has another size")) }
}

fn decompress(stored: &[u8], size: usize) -> Option<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|slot| {
        let mut decompressor = match slot.take() {
            Some(decompressor) => decompressor,
            None => Decompressor::new().ok()?,
        };
        let bytes = decompressor.decompress(stored, size).ok()?;
        *slot = Some(decompressor);
        Some(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_come_back_as_they_were() {
        let noise: Vec<u8> =
            (0..4096_u32).flat_map(|n| *blake3::hash(&n.to_le_bytes()).as_bytes()).collect();
        let check = |bytes: &[u8], codec: Codec| {
            let prepared = PreparedObject::new(Bytes::copy_from_slice(bytes));
            assert_eq!(prepared.codec, codec, "{} bytes", bytes.len());
            assert_eq!(prepared.hash(), Hash::of(bytes));
            let back = decode(codec as i64, prepared.size(), prepared.stored.clone()).unwrap();
            assert_eq!(back, bytes);
            assert!(decode(codec as i64, prepared.size() + 1, prepared.stored).is_err());
        };
        check(b"", Codec::Plain);
        check(b"short", Codec::Plain);
        check(&[7; 5000], Codec::Zstd);
        check(&noise, Codec::Plain);
        check(&vec![7; COMPRESSIBLE + 1], Codec::Plain);
    }
}
