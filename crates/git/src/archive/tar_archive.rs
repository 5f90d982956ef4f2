//! Tar archives, plain and with gzip.

use std::fs::File;
use std::io::{self, BufReader, Read};

use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use super::{ArchiveError, Unpacker, names};

/// Maximum bytes of a name, a link target or an extended header.
const HEADER_LIMIT: u64 = 1 << 20;
/// Bytes of a header and padding, and a share of the extended headers.
const HEADERS_PER_ENTRY: u64 = 1536;

pub(super) fn unpack_gzip(archive: File, into: &mut Unpacker) -> Result<(), ArchiveError> {
    unpack_from(MultiGzDecoder::new(BufReader::with_capacity(64 << 10, archive)), into)
}

pub(super) fn unpack(archive: File, into: &mut Unpacker) -> Result<(), ArchiveError> {
    unpack_from(BufReader::with_capacity(64 << 10, archive), into)
}

fn unpack_from(from: impl Read, into: &mut Unpacker) -> Result<(), ArchiveError> {
    // Headers and skipped content count as well, as a folder may declare content of any size.
    let headers = (into.limits.entries as u64).saturating_mul(HEADERS_PER_ENTRY);
    let mut from = from.take(into.left.saturating_add(headers));
    let unpacked = unpack_entries(&mut from, into).and_then(|()| {
        // The checksum is at the end of the stream.
        io::copy(&mut from, &mut io::sink()).map_err(|_| ArchiveError::Damaged(None))
    });
    if from.limit() == 0 {
        return Err(into.too_large());
    }
    unpacked.map(drop)
}

fn unpack_entries(from: impl Read, into: &mut Unpacker) -> Result<(), ArchiveError> {
    // Raw entries are used because the usual iterator reads names of any length into memory.
    let mut archive = Archive::new(from);
    let entries = archive.entries().map_err(|_| ArchiveError::Format)?.raw(true);
    let mut pending = Pending::default();
    for entry in entries {
        let mut entry = entry.map_err(|error| damaged(into, &error))?;
        into.count_name()?;
        match entry.header().entry_type() {
            EntryType::GNULongName => pending.path = Some(read_name(&mut entry)?),
            EntryType::GNULongLink => pending.target = Some(read_name(&mut entry)?),
            EntryType::XHeader => pending.read(&read_header(&mut entry)?),
            EntryType::XGlobalHeader => drop(read_header(&mut entry)?),
            kind => {
                let taken = std::mem::take(&mut pending);
                let raw = taken.path.unwrap_or_else(|| entry.path_bytes().into_owned());
                let target =
                    taken.target.or_else(|| entry.link_name_bytes().map(|t| t.into_owned()));
                let modified = entry.header().mtime().unwrap_or_default();
                let modified = i64::try_from(modified).unwrap_or_default();
                add_entry(into, kind, &raw, target, modified, &mut entry)?;
            }
        }
    }
    Ok(())
}

fn add_entry(
    into: &mut Unpacker,
    kind: EntryType,
    raw: &[u8],
    target: Option<Vec<u8>>,
    modified: i64,
    content: impl Read,
) -> Result<(), ArchiveError> {
    let Some(path) = names::validate_path(raw)? else {
        return Ok(());
    };
    match kind {
        EntryType::Directory => Ok(()),
        EntryType::Regular | EntryType::Continuous if raw.ends_with(b"/") => Ok(()),
        EntryType::Regular | EntryType::Continuous => into.add_file(path, modified, content),
        EntryType::Symlink => into.add_link(path, &target.unwrap_or_default()),
        EntryType::Link => Err(names::name_error(raw, "a hard link")),
        EntryType::Char | EntryType::Block | EntryType::Fifo => {
            Err(names::name_error(raw, "a device"))
        }
        _ => Err(names::name_error(raw, "neither a file nor a folder")),
    }
}

/// The values that the headers before an entry set for it.
#[derive(Default)]
struct Pending {
    path: Option<Vec<u8>>,
    target: Option<Vec<u8>>,
}

impl Pending {
    /// Parses a POSIX extended header (pax): `LENGTH KEY=VALUE\n`.
    fn read(&mut self, mut header: &[u8]) {
        while let Some(space) = header.iter().position(|&byte| byte == b' ') {
            let length = header.get(..space).and_then(|length| std::str::from_utf8(length).ok());
            let length = length.and_then(|length| length.parse::<usize>().ok()).unwrap_or_default();
            let Some((record, rest)) = header.split_at_checked(length) else {
                return;
            };
            let record = record.get(space + 1..).unwrap_or_default();
            let record = record.strip_suffix(b"\n").unwrap_or(record);
            if let Some(path) = record.strip_prefix(b"path=") {
                self.path = Some(path.to_vec());
            } else if let Some(target) = record.strip_prefix(b"linkpath=") {
                self.target = Some(target.to_vec());
            }
            if length == 0 {
                return;
            }
            header = rest;
        }
    }
}

fn read_header(entry: &mut impl Read) -> Result<Vec<u8>, ArchiveError> {
    let mut bytes = Vec::new();
    let read = entry.take(HEADER_LIMIT + 1).read_to_end(&mut bytes);
    match read {
        Ok(_) if bytes.len() as u64 > HEADER_LIMIT => {
            Err(ArchiveError::Limit("a name of more than 1 MiB".to_owned()))
        }
        Ok(_) => Ok(bytes),
        Err(_) => Err(ArchiveError::Damaged(None)),
    }
}

fn read_name(entry: &mut impl Read) -> Result<Vec<u8>, ArchiveError> {
    let mut text = read_header(entry)?;
    if let Some(end) = text.iter().position(|&byte| byte == 0) {
        text.truncate(end);
    }
    Ok(text)
}

fn damaged(into: &Unpacker, error: &io::Error) -> ArchiveError {
    tracing::debug!(%error, "a tar archive cannot be read");
    if into.seen == 0 { ArchiveError::Format } else { ArchiveError::Damaged(None) }
}
