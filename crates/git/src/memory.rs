//! A folder of a few files in memory.

use std::io;

use bytes::Bytes;

use crate::folder::{BlobId, Folder, FolderEntry, FolderEntryKind, FolderError, position};

/// Files in memory, with their paths.
#[derive(Clone, Debug, Default)]
pub struct FilesInMemory {
    entries: Vec<FolderEntry>,
    bytes: Vec<Bytes>,
}

impl FilesInMemory {
    /// Creates a folder of files with different paths.
    pub fn new(mut files: Vec<(String, Bytes)>) -> Self {
        files.sort_by(|(a, _), (b, _)| a.cmp(b));
        let entry = |(path, bytes): &(String, Bytes)| FolderEntry {
            path: path.clone(),
            kind: FolderEntryKind::File,
            blob: BlobId::of(bytes),
            size: bytes.len() as u64,
        };
        let entries = files.iter().map(entry).collect();
        Self { entries, bytes: files.into_iter().map(|(_, bytes)| bytes).collect() }
    }
}

impl Folder for FilesInMemory {
    fn entries(&self) -> Result<&[FolderEntry], FolderError> {
        Ok(&self.entries)
    }

    fn read(&self, entry: &FolderEntry) -> io::Result<Vec<u8>> {
        let at = position(&self.entries, &entry.path).and_then(|at| self.bytes.get(at));
        at.map(|bytes| bytes.to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
