//! Embedded folders of the binary as sources of imports.

use std::io;

use bindery_git::{Folder, FolderEntry, FolderEntryKind, FolderError};
use include_dir::Dir;

/// An embedded folder of the binary.
#[derive(Debug)]
pub struct Embedded {
    dir: &'static Dir<'static>,
    entries: Vec<FolderEntry>,
}

impl Embedded {
    /// Creates a source from `dir` without the folders `left_out`, whose paths are relative to
    /// `dir`.
    pub fn new(dir: &'static Dir<'static>, left_out: &[&str]) -> Self {
        let mut entries = Vec::new();
        collect(dir, dir, left_out, &mut entries);
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        Self { dir, entries }
    }
}

fn path(root: &Dir<'_>, path: &std::path::Path) -> String {
    let inside = path.strip_prefix(root.path()).unwrap_or(path);
    inside.to_string_lossy().replace('\\', "/")
}

fn collect(root: &Dir<'_>, dir: &Dir<'_>, left_out: &[&str], entries: &mut Vec<FolderEntry>) {
    for file in dir.files() {
        entries.push(FolderEntry {
            path: path(root, file.path()),
            kind: FolderEntryKind::File,
            blob: None,
            size: file.contents().len() as u64,
        });
    }
    for dir in dir.dirs() {
        if !left_out.contains(&path(root, dir.path()).as_str()) {
            collect(root, dir, left_out, entries);
        }
    }
}

impl Folder for Embedded {
    fn entries(&self) -> Result<&[FolderEntry], FolderError> {
        Ok(&self.entries)
    }

    fn read(&self, entry: &FolderEntry) -> io::Result<Vec<u8>> {
        let file = self.dir.get_file(self.dir.path().join(&entry.path));
        file.map(|file| file.contents().to_vec())
            .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}
