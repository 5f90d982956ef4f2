//! Completes a thin pack by appending the bases that it omits, as Git does.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::FileExt;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use gix_hash::ObjectId;

use super::entry::{Entry, EntryKind, NO_BASE, encode_header};
use super::resolve::resolve_from;
use super::scan::{PendingDeltas, ScannedPack, SizeCounter, checksum};
use super::{PackError, PackWriter, plan};

/// Appends the bases that deltas wait for, and applies those deltas.
pub(super) fn complete(
    scanned: &mut ScannedPack,
    mut pending: PendingDeltas,
    writer: &PackWriter<'_>,
) -> Result<(), PackError> {
    if pending.is_empty() {
        return Ok(());
    }
    let mut ids: Vec<ObjectId> = pending.keys().copied().collect();
    ids.sort_unstable();
    let mut roots = Vec::new();
    for id in ids {
        writer.check_stop()?;
        // A base that is not present may be the result of a delta on one that is.
        roots.extend(append(scanned, &id, writer)?);
    }
    let plan = plan::plan(&scanned.entries, &writer.limits)?;
    resolve_from(scanned, &roots, plan, &mut pending, writer)?;
    if !pending.is_empty() {
        return Err(PackError::Malformed("a delta refers to an unknown base object"));
    }
    close(scanned)
}

/// Appends an object that is already present to the pack.
fn append(
    scanned: &mut ScannedPack,
    id: &ObjectId,
    writer: &PackWriter<'_>,
) -> Result<Option<u32>, PackError> {
    let Some((kind, bytes)) = writer.bases.base(id) else {
        return Ok(None);
    };
    let mut sum = SizeCounter { limits: &writer.limits, unpacked: scanned.unpacked };
    let size = sum.add(bytes.len() as u64)?;
    scanned.unpacked = sum.unpacked;
    let head = encode_header(kind, bytes.len());
    let header_bytes = u8::try_from(head.len()).unwrap_or(u8::MAX);
    let mut encoder = ZlibEncoder::new(head, Compression::fast());
    encoder.write_all(&bytes).map_err(PackError::Disk)?;
    let packed = encoder.finish().map_err(PackError::Disk)?;
    let file = scanned.file.as_file();
    file.write_all_at(&packed, scanned.end).map_err(PackError::Disk)?;
    let mut crc = flate2::Crc::new();
    crc.update(&packed);
    let entry = Entry {
        offset: scanned.end,
        id: *id,
        crc: crc.sum(),
        size,
        inflated: size,
        base: NO_BASE,
        header_bytes,
        kind: EntryKind::Whole(kind),
    };
    scanned.end += packed.len() as u64;
    let number = u32::try_from(scanned.entries.len()).unwrap_or(NO_BASE);
    scanned.entries.push(entry);
    Ok(Some(number))
}

/// Updates the number of objects in the header and the checksum at the end.
fn close(scanned: &mut ScannedPack) -> Result<(), PackError> {
    let count = u32::try_from(scanned.entries.len()).unwrap_or(u32::MAX);
    let file = scanned.file.as_file_mut();
    file.write_all_at(&count.to_be_bytes(), 8).map_err(PackError::Disk)?;
    let id = checksum(file, scanned.end)?;
    file.seek(SeekFrom::Start(scanned.end)).map_err(PackError::Disk)?;
    file.write_all(id.as_slice()).map_err(PackError::Disk)?;
    file.set_len(scanned.end + id.as_slice().len() as u64).map_err(PackError::Disk)?;
    scanned.checksum = id;
    Ok(())
}
