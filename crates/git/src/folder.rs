//! A folder of files as imports read it, wherever it comes from: a commit, an archive, a disk.

use std::{fmt, io};

/// What a name in a folder stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FolderEntryKind {
    /// A file.
    File,
    /// A symbolic link; its bytes are its target.
    Symlink,
    /// Another repository.
    Submodule,
    /// Something that is none of these, a device for instance.
    Other,
}

/// The id of a file's content, as Git counts it: 20 or 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobId {
    bytes: [u8; 32],
    len: u8,
}

impl BlobId {
    /// From 20 or 32 bytes; `None` for any other number of them.
    pub fn from_bytes(id: &[u8]) -> Option<Self> {
        let len = u8::try_from(id.len()).ok().filter(|len| matches!(len, 20 | 32))?;
        let mut bytes = [0; 32];
        bytes.iter_mut().zip(id).for_each(|(to, from)| *to = *from);
        Some(Self { bytes, len })
    }

    /// The id that Git gives these bytes in a repository with SHA-1 ids.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let kind = gix_object::Kind::Blob;
        let id = gix_object::compute_hash(gix_hash::Kind::Sha1, kind, bytes).ok()?;
        Self::from_bytes(id.as_slice())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}

/// Lower-case hexadecimal, as Git prints it.
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

/// A name in a folder. Folders themselves are not named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FolderEntry {
    /// Path from the folder, `/` between its parts, without `.`, `..` and empty parts.
    pub path: String,
    /// What it is.
    pub kind: FolderEntryKind,
    /// The id of its content, where the source of the folder knows it without reading it.
    pub blob: Option<BlobId>,
    /// Its size in bytes; of a link, that of its target's name.
    pub size: u64,
}

/// Why a folder cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// More files than are allowed.
    #[error("more than {0} files")]
    TooMany(usize),
    /// More of something else than is allowed.
    #[error("{0}")]
    Limit(String),
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Files that can be read from any number of threads.
pub trait Folder: Sync {
    /// Everything in it, sorted by path as bytes, each path once.
    ///
    /// # Errors
    /// When it cannot be listed.
    fn entries(&self) -> Result<&[FolderEntry], FolderError>;

    /// What stands at a path. Whoever needs a few of many files asks for these.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    fn get(&self, path: &str) -> Result<Option<&FolderEntry>, FolderError> {
        Ok(find(self.entries()?, path))
    }

    /// The paths at which something else stands than in `commit`, sorted; `None` where that
    /// commit is not known.
    ///
    /// # Errors
    /// When the folder cannot be read.
    fn changed_since(&self, commit: &str) -> Result<Option<Vec<String>>, FolderError> {
        let _ = commit;
        Ok(None)
    }

    /// The bytes of a file, or the target of a link.
    ///
    /// # Errors
    /// When they cannot be read.
    fn read(&self, entry: &FolderEntry) -> io::Result<Vec<u8>>;

    /// Gives back what only reading needs. Nothing is read after it.
    fn close(&self) {}
}

/// The entry of a path in a sorted list.
pub(crate) fn find<'a>(entries: &'a [FolderEntry], path: &str) -> Option<&'a FolderEntry> {
    let at = entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
    entries.get(at)
}
