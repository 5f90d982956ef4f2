//! A folder of files as imports read it, wherever it comes from: a commit, an archive, a disk.

use std::fmt;

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

/// Files that can be read from any number of threads.
pub trait Folder: Sync {
    /// Everything in it, sorted by path as bytes, each path once.
    fn entries(&self) -> &[FolderEntry];

    /// The bytes of a file, or the target of a link.
    ///
    /// # Errors
    /// When they cannot be read.
    fn read(&self, entry: &FolderEntry) -> std::io::Result<Vec<u8>>;
}
