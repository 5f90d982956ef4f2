//! Encoding of objects: plain, or compressed if that saves space.

use std::cell::RefCell;

use bindery_revision::Hash;
use bytes::Bytes;
use zstd::bulk::{Compressor, Decompressor};

use crate::StoreError;

/// Maximum stored size of objects in the database, in bytes.
pub(crate) const MAX_INLINE: u64 = 64 << 10;

/// Maximum size of compressed objects, in bytes. Larger objects stay plain, so that ranges can be
/// read separately.
pub(crate) const MAX_COMPRESSIBLE: usize = 8 << 20;

/// Minimum size of compressed objects, in bytes. Below it, the zstd frame costs more than
/// compression saves.
const MIN_COMPRESSIBLE: usize = 64;

/// zstd's fastest level. Objects are small, and compression limits the speed of bulk imports.
const ZSTD_LEVEL: i32 = 1;

/// The encoding of stored bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Codec {
    Plain = 0,
    Zstd = 1,
}

impl Codec {
    /// Parses the value of a row.
    pub(crate) const fn read(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Plain),
            1 => Some(Self::Zstd),
            _ => None,
        }
    }
}

/// The location of stored bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Location {
    Database = 0,
    External = 1,
}

/// An object ready to be stored: hashed, and compressed if that saves space. Preparation is
/// expensive, so it belongs on the caller's threads and not in a transaction.
#[derive(Clone, Debug)]
pub struct PreparedObject {
    pub(crate) hash: Hash,
    pub(crate) size: u64,
    pub(crate) codec: Codec,
    pub(crate) location: Location,
    pub(crate) stored_size: u64,
    pub(crate) stored: Bytes,
}

impl PreparedObject {
    /// Hashes and compresses an object.
    pub fn new(bytes: Bytes) -> Self {
        Self::with_hash(Hash::of(&bytes), bytes)
    }

    /// Compresses an object with a known hash. The caller guarantees that the hash is correct.
    pub fn with_hash(hash: Hash, bytes: Bytes) -> Self {
        let size = bytes.len() as u64;
        let (codec, stored) = match compress(&bytes) {
            Some(smaller) => (Codec::Zstd, smaller.into()),
            None => (Codec::Plain, bytes),
        };
        let stored_size = stored.len() as u64;
        Self { hash, size, codec, location: Location::Database, stored_size, stored }
    }

    /// Returns the object's hash.
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// Returns the size of the object in bytes.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Returns the stored size in bytes.
    pub const fn stored_size(&self) -> u64 {
        self.stored_size
    }

    pub(crate) const fn is_large(&self) -> bool {
        self.stored_size > MAX_INLINE
    }
}

thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Compresses an object. Returns `None` if it should stay plain.
fn compress(bytes: &[u8]) -> Option<Vec<u8>> {
    if !(MIN_COMPRESSIBLE..=MAX_COMPRESSIBLE).contains(&bytes.len()) {
        return None;
    }
    let smaller = COMPRESSOR.with_borrow_mut(|slot| {
        let mut compressor = match slot.take() {
            Some(compressor) => compressor,
            None => Compressor::new(ZSTD_LEVEL).ok()?,
        };
        let smaller = compressor.compress(bytes).ok()?;
        *slot = Some(compressor);
        Some(smaller)
    })?;
    // Savings of less than 5% do not justify the cost of decompression for every reader.
    (smaller.len() < bytes.len() - bytes.len() / 20).then_some(smaller)
}

pub(crate) fn decode(codec: i64, size: u64, stored: Bytes) -> Result<Bytes, StoreError> {
    let corrupt = |what: &str| StoreError::Corrupt(format!("an object {what}"));
    let bytes = match Codec::read(codec) {
        Some(Codec::Plain) => stored,
        Some(Codec::Zstd) => {
            let size = usize::try_from(size).ok().filter(|size| *size <= MAX_COMPRESSIBLE);
            let size = size.ok_or_else(|| corrupt("is larger than any that is compressed"))?;
            decompress(&stored, size).ok_or_else(|| corrupt("cannot be decompressed"))?.into()
        }
        None => return Err(corrupt("has an unknown encoding")),
    };
    if bytes.len() as u64 == size { Ok(bytes) } else { Err(corrupt("has the wrong size")) }
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
    fn objects_decode_to_the_original() {
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
        check(&vec![7; MAX_COMPRESSIBLE + 1], Codec::Plain);
    }
}
