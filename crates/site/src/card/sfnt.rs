//! Font files in parts: the tables of one face, without those of other faces of the same file.
//!
//! A file with all faces for Chinese, Japanese and Korean has up to 30 MB. The tables that tell which
//! characters a face has are a few hundred kilobytes.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Maximum number of faces of a file.
const MAX_FACES: u32 = 64;
/// Maximum number of tables of a face.
const MAX_TABLES: u16 = 256;
/// Maximum size of the tables that are read of a face, in bytes.
const MAX_BYTES: usize = 64 << 20;

const COLLECTION: u32 = u32::from_be_bytes(*b"ttcf");
const HEADER: usize = 12;
const RECORD: usize = 16;

/// The name of a table.
pub(super) type Tag = [u8; 4];

/// Returns the number of faces of a font file.
pub(super) fn faces(path: &Path) -> u32 {
    let count = || {
        let mut file = File::open(path).ok()?;
        let header = bytes(&mut file, 0, HEADER)?;
        match u32_at(&header, 0)? {
            COLLECTION => u32_at(&header, 8),
            _ => Some(1),
        }
    };
    count().unwrap_or_default().min(MAX_FACES)
}

/// Reads the named tables of a face, as a font file of their own. Returns `None` if the file cannot
/// be read or is no font.
pub(super) fn read(path: &Path, face: u32, tags: &[Tag]) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    let header = bytes(&mut file, 0, HEADER)?;
    let start = match u32_at(&header, 0)? {
        COLLECTION => u32_at(&bytes(&mut file, 12 + 4 * u64::from(face), 4)?, 0)?,
        _ => 0,
    };
    let header = bytes(&mut file, u64::from(start), HEADER)?;
    let count = u16::from_be_bytes(header.get(4..6)?.try_into().ok()?).min(MAX_TABLES);
    let directory = bytes(&mut file, u64::from(start) + 12, usize::from(count) * RECORD)?;
    let records: Vec<&[u8]> = directory
        .chunks_exact(RECORD)
        .filter(|record| tags.iter().any(|tag| record.starts_with(tag)))
        .collect();
    let mut out = header.get(..4)?.to_vec();
    out.extend(u16::try_from(records.len()).ok()?.to_be_bytes());
    out.resize(HEADER + records.len() * RECORD, 0);
    for (at, record) in records.into_iter().enumerate() {
        let (offset, length) = (u32_at(record, 8)?, usize::try_from(u32_at(record, 12)?).ok()?);
        if out.len().checked_add(length)? > MAX_BYTES {
            return None;
        }
        let place = out.len();
        out.extend(bytes(&mut file, u64::from(offset), length)?);
        out.resize(out.len().next_multiple_of(4), 0);
        let entry = out.get_mut(HEADER + at * RECORD..HEADER + (at + 1) * RECORD)?;
        entry.copy_from_slice(record);
        entry.get_mut(8..12)?.copy_from_slice(&u32::try_from(place).ok()?.to_be_bytes());
    }
    Some(out)
}

/// Reads bytes of a file. Does not reserve memory for more than the file has.
fn bytes(file: &mut File, offset: u64, length: usize) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(length).ok()?;
    file.take(limit).read_to_end(&mut bytes).ok()?;
    (bytes.len() == length).then_some(bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
