//! The product's own manual, carried in the binary: the sample of a first start.

use std::io;

use bindery_git::{Folder, FolderEntry, FolderEntryKind, FolderError};
use include_dir::{Dir, include_dir};

static MANUAL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../docs");

/// Folders that are no part of the manual: for developers, or for the project's front page.
const LEFT_OUT: [&str; 2] = ["decisions", "images"];

/// The manual as a folder.
pub(crate) struct Manual(Vec<FolderEntry>);

/// The manual.
pub(crate) fn folder() -> Manual {
    let mut entries = Vec::new();
    collect(&MANUAL, &mut entries);
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    Manual(entries)
}

fn collect(dir: &Dir<'_>, entries: &mut Vec<FolderEntry>) {
    for file in dir.files() {
        entries.push(FolderEntry {
            path: file.path().to_string_lossy().replace('\\', "/"),
            kind: FolderEntryKind::File,
            blob: None,
            size: file.contents().len() as u64,
        });
    }
    for dir in dir.dirs() {
        if !LEFT_OUT.iter().any(|name| dir.path() == std::path::Path::new(name)) {
            collect(dir, entries);
        }
    }
}

impl Folder for Manual {
    fn entries(&self) -> Result<&[FolderEntry], FolderError> {
        Ok(&self.0)
    }

    fn read(&self, entry: &FolderEntry) -> io::Result<Vec<u8>> {
        let file = MANUAL.get_file(&entry.path);
        file.map(|file| file.contents().to_vec())
            .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}
