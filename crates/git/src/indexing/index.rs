//! Writes the index of a pack (version 2, gitformat-pack(5)), and renames pack and index to their
//! final names.

use std::io::{BufWriter, Write};
use std::path::Path;

use gix_hash::{Hasher, Kind as HashKind};
use tempfile::NamedTempFile;

use super::entry::Entry;
use super::scan::ScannedPack;
use super::{COLLISION, PackError, WrittenPack};

/// Minimum offset that is stored in the table of large offsets.
const MIN_LARGE_OFFSET: u64 = 1 << 31;

/// Writes the index and renames both files to their final names.
pub(super) fn finish(scanned: ScannedPack, folder: &Path) -> Result<WrittenPack, PackError> {
    let ScannedPack { file, mut entries, checksum, .. } = scanned;
    entries.sort_unstable_by_key(|entry| entry.id);
    let index = tempfile::Builder::new().prefix("arriving").tempfile_in(folder);
    let index = write(&entries, checksum.as_slice(), index.map_err(PackError::Disk)?)?;
    let path = folder.join(format!("pack-{checksum}.pack"));
    let persist = |file: NamedTempFile, path: &Path| {
        file.persist(path).map(drop).map_err(|error| PackError::Disk(error.error))
    };
    persist(index, &path.with_extension("idx"))?;
    persist(file, &path)?;
    Ok(WrittenPack { path })
}

struct HashingWriter {
    to: BufWriter<NamedTempFile>,
    hasher: Hasher,
}

impl HashingWriter {
    fn put(&mut self, bytes: &[u8]) -> Result<(), PackError> {
        self.hasher.update(bytes);
        self.to.write_all(bytes).map_err(PackError::Disk)
    }
}

fn write(
    entries: &[Entry],
    checksum: &[u8],
    file: NamedTempFile,
) -> Result<NamedTempFile, PackError> {
    let mut out = HashingWriter {
        to: BufWriter::with_capacity(256 << 10, file),
        hasher: gix_hash::hasher(HashKind::Sha1),
    };
    out.put(b"\xfftOc\0\0\0\x02")?;
    let mut below = 0;
    for first in 0..=u8::MAX {
        let rest = entries.get(below..).unwrap_or_default();
        below += rest.partition_point(|entry| entry.id.first_byte() <= first);
        out.put(&u32::try_from(below).unwrap_or(u32::MAX).to_be_bytes())?;
    }
    for entry in entries {
        out.put(entry.id.as_slice())?;
    }
    for entry in entries {
        out.put(&entry.crc.to_be_bytes())?;
    }
    let mut large_offsets: u32 = 0;
    for entry in entries {
        let place = match u32::try_from(entry.offset) {
            Ok(near) if entry.offset < MIN_LARGE_OFFSET => near,
            _ => {
                large_offsets += 1;
                0x8000_0000 | (large_offsets - 1)
            }
        };
        out.put(&place.to_be_bytes())?;
    }
    for entry in entries.iter().filter(|entry| entry.offset >= MIN_LARGE_OFFSET) {
        out.put(&entry.offset.to_be_bytes())?;
    }
    out.put(checksum)?;
    let HashingWriter { mut to, hasher } = out;
    let id = hasher.try_finalize().map_err(|_| COLLISION)?;
    to.write_all(id.as_slice()).map_err(PackError::Disk)?;
    to.into_inner().map_err(|error| PackError::Disk(error.into_error()))
}
