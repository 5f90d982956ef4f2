//! Archives (tar, tar with gzip, zip) as folders.
//!
//! Archives are untrusted input: their sizes may be false, and their names and links may point
//! outside. Everything is counted while it is unpacked into a spool file, in which positions are
//! independent of names. Names are accepted unchanged or refused with an error that names them;
//! they are never repaired.
//!
//! If everything in the archive is inside one top-level folder, that folder is removed from all
//! paths, as the archives of Git hosts have one (`project-1.2/README.md` → `README.md`). A
//! deliberate top-level folder cannot be distinguished from such a one, except that a name with a
//! leading dot (`.gitbook`) is kept.

mod names;
mod tar_archive;
mod zip_archive;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use bindery_model::Timestamp;

use crate::folder::{Folder, FolderEntry, FolderEntryKind, FolderError, position};
use crate::spool::{Extent, Spool, SpoolWriter};

/// Limits of an archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArchiveLimits {
    /// Maximum bytes of all files after unpacking.
    pub bytes: u64,
    /// Maximum bytes of one file after unpacking.
    pub file_bytes: u64,
    /// Maximum number of names, including folders.
    pub entries: usize,
    /// Maximum bytes after unpacking for each packed byte, beyond the first 16 MiB.
    pub ratio: u64,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        Self { bytes: 4 << 30, file_bytes: 256 << 20, entries: 500_000, ratio: 200 }
    }
}

/// Maximum bytes of all names. Names can be compressed more than any other part.
const MAX_NAME_BYTES: usize = 128 << 20;
/// Bytes that an archive may always unpack to, regardless of its size.
const FREE_BYTES: u64 = 16 << 20;
/// Seconds from 1970 to the year 1990. Earlier dates of files are not taken for true.
const EARLIEST_DATE: i64 = 631_152_000;

/// The reason for refusing an archive.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file has none of the supported formats.
    #[error("this is neither a tar archive (plain or with gzip) nor a zip archive")]
    Format,
    /// A zip archive that is encrypted or uses an unsupported compression method.
    #[error(
        "the archive uses an unsupported method: entries must be stored or deflated, without encryption"
    )]
    UnsupportedMethod,
    /// The archive is truncated or fails its checksums.
    #[error("the archive is damaged or incomplete{}", at(.0))]
    Damaged(Option<String>),
    /// The archive contains a name that is not accepted.
    #[error("the archive holds `{name}`: {problem}")]
    Name {
        /// The name, shortened.
        name: String,
        /// The defect of the name.
        problem: &'static str,
    },
    /// The archive exceeds a limit.
    #[error("the archive exceeds a limit of this server: {0}")]
    Limit(String),
    /// The archive contains no files.
    #[error("the archive holds no files")]
    Empty,
    /// Writing to the local disk failed.
    #[error("the archive cannot be unpacked: {0}")]
    Disk(io::ErrorKind),
}

fn at(name: &Option<String>) -> String {
    name.as_ref().map_or_else(String::new, |name| format!(" (at `{name}`)"))
}

/// An unpacked archive.
#[derive(Debug)]
pub struct ArchiveFolder {
    entries: Vec<FolderEntry>,
    extents: Vec<Extent>,
    /// Seconds from 1970 to the last change of each entry.
    modified: Vec<i64>,
    spool: Spool,
    top: Option<String>,
}

impl ArchiveFolder {
    /// Unpacks `archive` into a temporary file in `temporary`.
    ///
    /// # Errors
    /// Returns an error if the archive is malformed or exceeds a limit, or if it contains an unsafe
    /// name or link.
    pub fn unpack(
        mut archive: File,
        temporary: &Path,
        limits: ArchiveLimits,
    ) -> Result<Self, ArchiveError> {
        let packed = archive.metadata().map_err(|e| disk_error(&e))?.len();
        let mut magic = [0; 4];
        let known = archive.read(&mut magic).map_err(|e| disk_error(&e))?;
        archive.seek(SeekFrom::Start(0)).map_err(|e| disk_error(&e))?;
        let spool = SpoolWriter::new(temporary).map_err(|e| disk_error(&e))?;
        let ratio = packed.saturating_mul(limits.ratio).saturating_add(FREE_BYTES);
        let mut unpacker = Unpacker {
            limits,
            left: limits.bytes.min(ratio),
            by_ratio: ratio < limits.bytes,
            seen: 0,
            names: 0,
            spool,
            entries: HashMap::new(),
        };
        match magic.get(..known).unwrap_or_default() {
            [0x1f, 0x8b, ..] => tar_archive::unpack_gzip(archive, &mut unpacker)?,
            [b'P', b'K', 3 | 5, _] => zip_archive::unpack(archive, &mut unpacker)?,
            _ => tar_archive::unpack(archive, &mut unpacker)?,
        }
        unpacker.finish()
    }

    fn extent(&self, entry: &FolderEntry) -> io::Result<Extent> {
        let extent = position(&self.entries, &entry.path).and_then(|at| self.extents.get(at));
        extent.copied().ok_or_else(|| io::Error::other("not a file of this archive"))
    }

    /// Returns the top-level folder that was removed from all paths.
    pub fn top(&self) -> Option<&str> {
        self.top.as_deref()
    }
}

impl Folder for ArchiveFolder {
    fn entries(&self) -> Result<&[FolderEntry], FolderError> {
        Ok(&self.entries)
    }

    fn changed_at(&self, path: &str) -> Option<Timestamp> {
        let seconds = self.modified.get(position(&self.entries, path)?)?;
        // Older dates, such as 1980, are those of programs that leave the date out.
        (*seconds >= EARLIEST_DATE).then(|| Timestamp::from_millis(seconds.saturating_mul(1000)))
    }

    fn read(&self, entry: &FolderEntry) -> io::Result<Vec<u8>> {
        self.spool.read(self.extent(entry)?)
    }

    fn open(&self, entry: &FolderEntry) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.spool.open(self.extent(entry)?)))
    }
}

/// The state of unpacking between two entries.
struct Unpacker {
    limits: ArchiveLimits,
    /// Remaining bytes that may be unpacked.
    left: u64,
    by_ratio: bool,
    seen: usize,
    /// Bytes of all names.
    names: usize,
    spool: SpoolWriter,
    entries: HashMap<String, Unpacked>,
}

/// An unpacked file or link.
struct Unpacked {
    kind: FolderEntryKind,
    extent: Extent,
    /// Seconds from 1970 to its last change; 0 if the archive does not state it.
    modified: i64,
}

impl Unpacker {
    /// Counts a name of any kind.
    fn count_name(&mut self) -> Result<(), ArchiveError> {
        self.seen += 1;
        if self.seen > self.limits.entries {
            return Err(ArchiveError::Limit(format!("more than {} names", self.limits.entries)));
        }
        Ok(())
    }

    /// Adds a file with the bytes of `from`, regardless of the size that the archive declares.
    fn add_file(
        &mut self,
        path: String,
        modified: i64,
        from: impl Read,
    ) -> Result<(), ArchiveError> {
        let most = self.limits.file_bytes.min(self.left);
        let mut from = from.take(most.saturating_add(1));
        let extent =
            self.spool.append(&mut from).map_err(|error| classify_copy_error(&path, &error))?;
        if extent.len > self.limits.file_bytes {
            let limit = self.limits.file_bytes;
            return Err(ArchiveError::Limit(format!("`{path}` has more than {limit} bytes")));
        }
        if extent.len > self.left {
            return Err(ArchiveError::Limit(if self.by_ratio {
                format!("it unpacks to more than {} times its size", self.limits.ratio)
            } else {
                format!("it unpacks to more than {} bytes", self.limits.bytes)
            }));
        }
        self.left -= extent.len;
        self.insert(path, Unpacked { kind: FolderEntryKind::File, extent, modified })
    }

    fn too_large(&self) -> ArchiveError {
        ArchiveError::Limit(if self.by_ratio {
            format!("it unpacks to more than {} times its size", self.limits.ratio)
        } else {
            format!("it unpacks to more than {} bytes", self.limits.bytes)
        })
    }

    /// Adds a symbolic link whose target is inside the archive.
    fn add_link(&mut self, path: String, target: &[u8]) -> Result<(), ArchiveError> {
        names::check_target(&path, target)?;
        let extent = self.spool.append(&mut &*target).map_err(|error| disk_error(&error))?;
        self.insert(path, Unpacked { kind: FolderEntryKind::Symlink, extent, modified: 0 })
    }

    fn insert(&mut self, path: String, unpacked: Unpacked) -> Result<(), ArchiveError> {
        if self.entries.contains_key(&path) {
            return Err(names::name_error(path.as_bytes(), "the name occurs twice"));
        }
        self.names += path.len();
        if self.names > MAX_NAME_BYTES {
            return Err(ArchiveError::Limit(format!(
                "names of more than {MAX_NAME_BYTES} bytes in all"
            )));
        }
        self.entries.insert(path, unpacked);
        Ok(())
    }

    fn finish(self) -> Result<ArchiveFolder, ArchiveError> {
        if self.entries.is_empty() {
            return Err(ArchiveError::Empty);
        }
        let mut found: Vec<_> = self.entries.into_iter().collect();
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        names::check_folders(&found, |(path, _)| path.as_str())?;
        let top = names::common_top(found.iter().map(|(path, _)| path.as_str()));
        let cut = top.as_ref().map_or(0, |top| top.len() + 1);
        let mut entries = Vec::with_capacity(found.len());
        let mut extents = Vec::with_capacity(found.len());
        let mut times = Vec::with_capacity(found.len());
        for (path, Unpacked { kind, extent, modified }) in found {
            let path = path.get(cut..).unwrap_or_default().to_owned();
            entries.push(FolderEntry { path, kind, blob: None, size: extent.len });
            extents.push(extent);
            times.push(modified);
        }
        let spool = self.spool.finish().map_err(|error| disk_error(&error))?;
        Ok(ArchiveFolder { entries, extents, modified: times, spool, top })
    }
}

fn disk_error(error: &io::Error) -> ArchiveError {
    ArchiveError::Disk(error.kind())
}

/// Classifies a failed copy: a full disk is a local problem, any other error one of the archive.
fn classify_copy_error(path: &str, error: &io::Error) -> ArchiveError {
    match error.kind() {
        kind @ (io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
            ArchiveError::Disk(kind)
        }
        _ => ArchiveError::Damaged(Some(names::display_name(path.as_bytes()))),
    }
}
