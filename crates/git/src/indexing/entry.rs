//! The entries of a pack (gitformat-pack(5)): their headers and their data.

use std::fs::File;
use std::os::unix::fs::FileExt;

use flate2::{Decompress, FlushDecompress, Status};
use gix_hash::ObjectId;
use gix_object::Kind;

use super::PackError;

/// Stands for no base, or for one that is not known yet.
pub(super) const NO_BASE: u32 = u32::MAX;
/// Maximum bytes of a pack that are read at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// One entry of a pack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The offset of the entry in the file.
    pub(super) offset: u64,
    /// The id of the object. Null until the entry's deltas are applied.
    pub(super) id: ObjectId,
    /// The CRC-32 of the entry's bytes in the pack.
    pub(super) crc: u32,
    /// The size of the object in bytes.
    pub(super) size: u32,
    /// The size of the inflated data (the object or the delta) in bytes.
    pub(super) inflated: u32,
    /// The index of the base entry, if the delta refers to it by offset.
    pub(super) base: u32,
    /// The length of the header in bytes.
    pub(super) header_bytes: u8,
    /// The kind of the entry.
    pub(super) kind: EntryKind,
}

/// The kind of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EntryKind {
    /// A complete object.
    Whole(Kind),
    /// A delta.
    Delta,
}

/// The type of an entry as its header declares it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EntryHeader {
    /// A complete object.
    Whole(Kind),
    /// A delta on the entry that begins this number of bytes earlier.
    Offset(u64),
    /// A delta on the object with this id.
    Id(ObjectId),
}

impl EntryHeader {
    /// Reads the type, the base and the size from single bytes.
    pub(super) fn read(
        next: &mut dyn FnMut() -> Result<u8, PackError>,
    ) -> Result<(Self, u64), PackError> {
        let mut byte = next()?;
        let kind = (byte >> 4) & 7;
        let mut size = u64::from(byte & 15);
        let mut shift = 4;
        while byte & 0x80 != 0 {
            byte = next()?;
            if shift > 57 {
                return Err(PackError::Malformed("an entry declares an impossible size"));
            }
            size |= u64::from(byte & 0x7f) << shift;
            shift += 7;
        }
        let head = match kind {
            1 => Self::Whole(Kind::Commit),
            2 => Self::Whole(Kind::Tree),
            3 => Self::Whole(Kind::Blob),
            4 => Self::Whole(Kind::Tag),
            6 => Self::Offset(read_distance(next)?),
            7 => {
                let mut id = [0; 20];
                for byte in &mut id {
                    *byte = next()?;
                }
                Self::Id(ObjectId::Sha1(id))
            }
            _ => return Err(PackError::Malformed("an entry has an unknown type")),
        };
        Ok((head, size))
    }
}

fn read_distance(next: &mut dyn FnMut() -> Result<u8, PackError>) -> Result<u64, PackError> {
    let mut byte = next()?;
    let mut distance = u64::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = next()?;
        if distance >= 1 << 55 {
            return Err(PackError::Malformed("a delta declares an impossible base offset"));
        }
        distance = ((distance + 1) << 7) | u64::from(byte & 0x7f);
    }
    Ok(distance)
}

/// Encodes the type and the size of a complete object as the header of an entry.
pub(super) fn encode_header(kind: Kind, size: usize) -> Vec<u8> {
    let number = match kind {
        Kind::Commit => 1,
        Kind::Tree => 2,
        Kind::Blob => 3,
        Kind::Tag => 4,
    };
    let mut rest = size >> 4;
    let mut byte = (number << 4) | low_bits(size, 0x0f);
    let mut head = Vec::new();
    while rest > 0 {
        head.push(byte | 0x80);
        byte = low_bits(rest, 0x7f);
        rest >>= 7;
    }
    head.push(byte);
    head
}

fn low_bits(number: usize, mask: u8) -> u8 {
    number.to_le_bytes().first().copied().unwrap_or_default() & mask
}

/// Inflates entries of a complete pack file.
pub(super) struct Inflater {
    inflate: Decompress,
    chunk: Vec<u8>,
}

impl Inflater {
    pub(super) fn new() -> Self {
        Self { inflate: Decompress::new(true), chunk: Vec::new() }
    }

    /// Returns the inflated data of an entry that ends before `end`.
    pub(super) fn read(
        &mut self,
        file: &File,
        entry: &Entry,
        end: u64,
    ) -> Result<Vec<u8>, PackError> {
        let wrong = PackError::Malformed("an entry cannot be inflated");
        let mut at = entry.offset + u64::from(entry.header_bytes);
        let mut out = vec![0; entry.inflated as usize];
        self.inflate.reset(true);
        loop {
            let left = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX);
            self.chunk.resize(left.min(CHUNK_BYTES), 0);
            file.read_exact_at(&mut self.chunk, at).map_err(PackError::Disk)?;
            let (before, made) = (self.inflate.total_in(), self.inflate.total_out());
            let rest = usize::try_from(made).ok().and_then(|made| out.get_mut(made..));
            let rest = rest.unwrap_or_default();
            let status = self.inflate.decompress(&self.chunk, rest, FlushDecompress::None);
            let moved = self.inflate.total_in() - before;
            match status {
                Ok(Status::StreamEnd) if self.inflate.total_out() == out.len() as u64 => {
                    return Ok(out);
                }
                Ok(Status::Ok) if moved > 0 || self.inflate.total_out() > made => at += moved,
                _ => return Err(wrong),
            }
        }
    }
}
