//! A folder of files as imports read it: a commit, an archive or a folder on the disk.

use std::io::Read;
use std::{fmt, io};

use bindery_model::Timestamp;

/// The kind of an entry in a folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FolderEntryKind {
    /// A file.
    File,
    /// A symbolic link. Its bytes are its target.
    Symlink,
    /// A submodule: a reference to another repository.
    Submodule,
    /// Any other kind, such as a device.
    Other,
}

/// Git's id of a file's content, 20 or 32 bytes long.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobId {
    bytes: [u8; 32],
    len: u8,
}

impl BlobId {
    /// Creates an id from 20 or 32 bytes. Returns `None` for any other length.
    pub fn from_bytes(id: &[u8]) -> Option<Self> {
        let len = u8::try_from(id.len()).ok().filter(|len| matches!(len, 20 | 32))?;
        let mut bytes = [0; 32];
        bytes.iter_mut().zip(id).for_each(|(to, from)| *to = *from);
        Some(Self { bytes, len })
    }

    /// Returns the id that Git assigns to these bytes in a repository with SHA-1 ids.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let kind = gix_object::Kind::Blob;
        let id = gix_object::compute_hash(gix_hash::Kind::Sha1, kind, bytes).ok()?;
        Self::from_bytes(id.as_slice())
    }

    /// Returns the bytes of the id.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}

/// Formats the id in lower-case hexadecimal, as Git does.
impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An entry of a folder. Folders themselves have no entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FolderEntry {
    /// The path from the folder, separated by `/`, without `.`, `..` and empty parts.
    pub path: String,
    /// The kind of the entry.
    pub kind: FolderEntryKind,
    /// The id of the content, if the source of the folder knows it without reading the content.
    pub blob: Option<BlobId>,
    /// The size in bytes. For a link, the length of its target.
    pub size: u64,
}

/// The reason why a folder cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder has more files than allowed.
    #[error("more than {0} files")]
    TooMany(usize),
    /// The folder exceeds another limit.
    #[error("{0}")]
    Limit(String),
    /// The folder cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A set of files that can be read from several threads at once.
pub trait Folder: Sync {
    /// Returns all entries, sorted by the bytes of their paths and without duplicates.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be listed.
    fn entries(&self) -> Result<&[FolderEntry], FolderError>;

    /// Returns the entry at a path. Reading few of many entries this way avoids listing all of
    /// them.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be listed.
    fn get(&self, path: &str) -> Result<Option<&FolderEntry>, FolderError> {
        Ok(find(self.entries()?, path))
    }

    /// Returns the sorted paths whose entries differ from those in `commit`, or `None` if that
    /// commit is not available.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read.
    fn changed_since(&self, commit: &str) -> Result<Option<Vec<String>>, FolderError> {
        let _ = commit;
        Ok(None)
    }

    /// Returns the time of the last change of the file at a path: that of the commit which changed
    /// it if the folder knows this commit, else that of the commit whose files the folder holds.
    /// `None` if the folder has no commit.
    fn changed_at(&self, path: &str) -> Option<Timestamp> {
        let _ = path;
        None
    }

    /// Returns the bytes of a file or the target of a link.
    ///
    /// # Errors
    /// Returns an error if the bytes cannot be read.
    fn read(&self, entry: &FolderEntry) -> io::Result<Vec<u8>>;

    /// Opens a large file, whose bytes need not fit into memory.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened.
    fn open(&self, entry: &FolderEntry) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(io::Cursor::new(self.read(entry)?)))
    }

    /// Releases the resources for reading. The folder must not be read afterwards.
    fn close(&self) {}
}

/// Finds the entry of a path in a sorted list.
pub(crate) fn find<'a>(entries: &'a [FolderEntry], path: &str) -> Option<&'a FolderEntry> {
    entries.get(position(entries, path)?)
}

/// Returns the position of a path in a sorted list.
pub(crate) fn position(entries: &[FolderEntry], path: &str) -> Option<usize> {
    entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()
}
