//! The first pass over a pack while it arrives: writes every byte to the disk, inflates every entry
//! once and computes the ids of complete objects. Only a record of each entry is kept.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufWriter, Read, Write};

use flate2::{Crc, Decompress, FlushDecompress, Status};
use gix_hash::{Hasher, Kind as HashKind, ObjectId};
use gix_object::Kind;
use tempfile::NamedTempFile;

use super::delta;
use super::entry::{Entry, EntryHeader, EntryKind, NO_BASE};
use super::{COLLISION, PackError, PackLimits, PackWriter};

/// Length of a pack's header in bytes.
pub(super) const HEADER_BYTES: u64 = 12;
/// Length of a pack's trailing checksum in bytes.
pub(super) const TRAILER_BYTES: usize = 20;
/// Number of entries after which the stop flag is checked.
const STOP_CHECK_INTERVAL: u32 = 256;

/// Entries that wait for an object, by the object's id.
pub(super) type PendingDeltas = HashMap<ObjectId, Vec<u32>>;

/// A pack on the disk without its index.
pub(super) struct ScannedPack {
    /// The file, complete except for the bases that a thin pack omits.
    pub(super) file: NamedTempFile,
    /// The entries in the order of the file.
    pub(super) entries: Vec<Entry>,
    /// Deltas that refer to their base by id.
    pub(super) pending: PendingDeltas,
    /// The end of the last entry.
    pub(super) end: u64,
    /// The pack's checksum.
    pub(super) checksum: ObjectId,
    /// Bytes of all unpacked entries.
    pub(super) unpacked: u64,
}

impl ScannedPack {
    pub(super) fn has_deltas(&self) -> bool {
        self.entries.iter().any(|entry| entry.kind == EntryKind::Delta)
    }

    /// Returns the end of an entry.
    pub(super) fn end_of(&self, at: usize) -> u64 {
        self.entries.get(at + 1).map_or(self.end, |next| next.offset)
    }
}

/// Adds up the unpacked size of a pack.
pub(super) struct SizeCounter<'a> {
    pub(super) limits: &'a PackLimits,
    pub(super) unpacked: u64,
}

impl SizeCounter<'_> {
    /// Counts bytes that are about to be produced. Returns them if they are within the limits.
    pub(super) fn add(&mut self, bytes: u64) -> Result<u32, PackError> {
        let most = self.limits.object_bytes;
        let size = u32::try_from(bytes).ok().filter(|size| *size as usize <= most);
        let size =
            size.ok_or_else(|| PackError::Limit(format!("an object of more than {most} bytes")))?;
        self.unpacked = self.unpacked.saturating_add(bytes);
        if self.unpacked > self.limits.unpacked {
            let limit = format!("it unpacks to more than {} bytes", self.limits.unpacked);
            return Err(PackError::Limit(limit));
        }
        Ok(size)
    }
}

/// Copies the bytes of a pack from the source to the file.
struct TeeReader<'a> {
    from: &'a mut dyn BufRead,
    to: BufWriter<NamedTempFile>,
    hasher: Hasher,
    crc: Crc,
    at: u64,
}

impl TeeReader<'_> {
    fn take(&mut self, count: usize) -> Result<(), PackError> {
        let bytes = self.from.fill_buf().map_err(PackError::Read)?;
        let taken = bytes.get(..count).unwrap_or(bytes);
        self.to.write_all(taken).map_err(PackError::Disk)?;
        self.hasher.update(taken);
        self.crc.update(taken);
        self.at += taken.len() as u64;
        self.from.consume(count);
        Ok(())
    }

    fn byte(&mut self) -> Result<u8, PackError> {
        let bytes = self.from.fill_buf().map_err(PackError::Read)?;
        let byte = *bytes.first().ok_or(TRUNCATED)?;
        self.take(1)?;
        Ok(byte)
    }

    /// Inflates one entry of a known size.
    fn inflate(
        &mut self,
        inflate: &mut Decompress,
        size: u64,
        scratch: &mut [u8],
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<(), PackError> {
        const WRONG: PackError = PackError::Malformed("an entry cannot be inflated");
        inflate.reset(true);
        loop {
            let bytes = self.from.fill_buf().map_err(PackError::Read)?;
            if bytes.is_empty() {
                return Err(TRUNCATED);
            }
            let (taken, made) = (inflate.total_in(), inflate.total_out());
            let status = inflate.decompress(bytes, scratch, FlushDecompress::None);
            let status = status.map_err(|_| WRONG)?;
            let taken = usize::try_from(inflate.total_in() - taken).unwrap_or_default();
            let made = usize::try_from(inflate.total_out() - made).unwrap_or_default();
            self.take(taken)?;
            sink(scratch.get(..made).unwrap_or_default());
            if inflate.total_out() > size {
                return Err(PackError::Malformed("an entry is larger than it declares"));
            }
            match status {
                Status::StreamEnd if inflate.total_out() == size => return Ok(()),
                Status::StreamEnd => {
                    return Err(PackError::Malformed("an entry is smaller than it declares"));
                }
                _ if taken == 0 && made == 0 => return Err(WRONG),
                _ => {}
            }
        }
    }
}

const TRUNCATED: PackError = PackError::Malformed("it is truncated");

/// Writes a pack to the disk and lists its entries.
pub(super) fn scan(
    from: &mut dyn BufRead,
    writer: &PackWriter<'_>,
) -> Result<ScannedPack, PackError> {
    let file = tempfile::Builder::new().prefix("arriving").tempfile_in(writer.folder);
    let mut reader = TeeReader {
        from,
        to: BufWriter::with_capacity(256 << 10, file.map_err(PackError::Disk)?),
        hasher: gix_hash::hasher(HashKind::Sha1),
        crc: Crc::new(),
        at: 0,
    };
    let count = read_count(&mut reader)?;
    if count > writer.limits.objects {
        return Err(PackError::Limit(format!("{} objects", writer.limits.objects)));
    }
    let mut entries = Entries {
        // The declared count is untrusted, so the list grows with the entries that arrive.
        list: Vec::new(),
        pending: PendingDeltas::new(),
        size_counter: SizeCounter { limits: &writer.limits, unpacked: 0 },
        inflate: Decompress::new(true),
        scratch: vec![0; 64 << 10],
    };
    for number in 0..count {
        if number.is_multiple_of(STOP_CHECK_INTERVAL) {
            writer.check_stop()?;
        }
        entries.read(&mut reader)?;
    }
    let TeeReader { from, mut to, hasher, at: end, .. } = reader;
    let checksum = hasher.try_finalize().map_err(|_| COLLISION)?;
    let mut trailer = [0; TRAILER_BYTES];
    from.read_exact(&mut trailer).map_err(PackError::Read)?;
    if checksum.as_slice() != trailer {
        return Err(PackError::Malformed("its checksum is wrong"));
    }
    to.write_all(&trailer).map_err(PackError::Disk)?;
    let file = to.into_inner().map_err(|error| PackError::Disk(error.into_error()))?;
    let Entries { list, pending, size_counter: SizeCounter { unpacked, .. }, .. } = entries;
    Ok(ScannedPack { file, entries: list, pending, end, checksum, unpacked })
}

fn read_count(reader: &mut TeeReader<'_>) -> Result<u32, PackError> {
    let mut head = [0; HEADER_BYTES as usize];
    for byte in &mut head {
        *byte = reader.byte()?;
    }
    let (_, count) = gix_pack::data::header::decode(&head)
        .map_err(|_| PackError::Malformed("its header is invalid"))?;
    Ok(count)
}

struct Entries<'a> {
    list: Vec<Entry>,
    pending: PendingDeltas,
    size_counter: SizeCounter<'a>,
    inflate: Decompress,
    scratch: Vec<u8>,
}

impl Entries<'_> {
    fn read(&mut self, reader: &mut TeeReader<'_>) -> Result<(), PackError> {
        let offset = reader.at;
        reader.crc = Crc::new();
        let (head, inflated) = EntryHeader::read(&mut || reader.byte())?;
        let header_bytes = u8::try_from(reader.at - offset).unwrap_or(u8::MAX);
        let size = self.size_counter.add(inflated)?;
        let mut entry = Entry {
            offset,
            id: ObjectId::null(HashKind::Sha1),
            crc: 0,
            size,
            inflated: size,
            base: NO_BASE,
            header_bytes,
            kind: EntryKind::Delta,
        };
        match head {
            EntryHeader::Whole(kind) => {
                entry.kind = EntryKind::Whole(kind);
                entry.id = self.whole(reader, kind, inflated)?;
            }
            EntryHeader::Offset(distance) => {
                entry.size = self.delta(reader, inflated)?;
                entry.base = self.base_at(offset.checked_sub(distance))?;
            }
            EntryHeader::Id(base) => {
                entry.size = self.delta(reader, inflated)?;
                let number = u32::try_from(self.list.len()).unwrap_or(NO_BASE);
                self.pending.entry(base).or_default().push(number);
            }
        }
        entry.crc = reader.crc.sum();
        self.list.push(entry);
        Ok(())
    }

    /// Reads a complete object and returns its id.
    fn whole(
        &mut self,
        reader: &mut TeeReader<'_>,
        kind: Kind,
        size: u64,
    ) -> Result<ObjectId, PackError> {
        let mut hasher = gix_hash::hasher(HashKind::Sha1);
        hasher.update(&gix_object::encode::loose_header(kind, size));
        let sink = &mut |bytes: &[u8]| hasher.update(bytes);
        reader.inflate(&mut self.inflate, size, &mut self.scratch, sink)?;
        hasher.try_finalize().map_err(|_| COLLISION)
    }

    /// Reads a delta and returns the size of the object that it produces.
    fn delta(&mut self, reader: &mut TeeReader<'_>, size: u64) -> Result<u32, PackError> {
        let mut begin = Vec::with_capacity(delta::MAX_SIZES_BYTES);
        let sink = &mut |bytes: &[u8]| {
            let wanted = (delta::MAX_SIZES_BYTES - begin.len()).min(bytes.len());
            begin.extend_from_slice(bytes.get(..wanted).unwrap_or_default());
        };
        reader.inflate(&mut self.inflate, size, &mut self.scratch, sink)?;
        let (_, result, _) = delta::sizes(&begin)?;
        self.size_counter.add(result)
    }

    fn base_at(&self, offset: Option<u64>) -> Result<u32, PackError> {
        offset
            .and_then(|offset| self.list.binary_search_by_key(&offset, |entry| entry.offset).ok())
            .and_then(|at| u32::try_from(at).ok())
            .ok_or(PackError::Malformed("a delta refers to an offset at which no entry begins"))
    }
}

/// Returns the checksum of a file's bytes before `end`.
pub(super) fn checksum(file: &mut File, end: u64) -> Result<ObjectId, PackError> {
    use std::io::{Seek as _, SeekFrom};
    file.seek(SeekFrom::Start(0)).map_err(PackError::Disk)?;
    let mut hasher = gix_hash::hasher(HashKind::Sha1);
    let mut rest = file.take(end);
    let mut chunk = vec![0; 64 << 10];
    loop {
        let read = rest.read(&mut chunk).map_err(PackError::Disk)?;
        if read == 0 {
            return hasher.try_finalize().map_err(|_| COLLISION);
        }
        hasher.update(chunk.get(..read).unwrap_or_default());
    }
}
