//! A folder on the local disk, used for the sample content and for uploads by the command line.

use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::commit::SkippedEntry;
use crate::folder::{Folder, FolderEntry, FolderEntryKind, FolderError};

/// Maximum nesting depth of folders.
const MAX_DEPTH: usize = 128;

/// The files below a folder as listed when it was opened. Symbolic links are listed as links and
/// never followed. `.git` is omitted.
#[derive(Clone, Debug)]
pub struct LocalFolder {
    root: PathBuf,
    entries: Vec<FolderEntry>,
    skipped: Vec<SkippedEntry>,
}

impl LocalFolder {
    /// Lists a folder recursively.
    ///
    /// # Errors
    /// Returns an error if the path is not a folder or if a folder below it cannot be listed.
    pub fn open(root: &Path) -> io::Result<Self> {
        // The path itself may be a link. Links below it are not followed.
        let root = fs::canonicalize(root)?;
        let mut folder = Self { root, entries: Vec::new(), skipped: Vec::new() };
        folder.list(&folder.root.clone(), "", 0)?;
        folder.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(folder)
    }

    /// Returns the omitted names.
    pub fn skipped(&self) -> &[SkippedEntry] {
        &self.skipped
    }

    fn list(&mut self, folder: &Path, prefix: &str, depth: usize) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let path = format!("{prefix}{}", name.to_string_lossy());
            if name.to_str().is_none() {
                self.skipped.push(SkippedEntry { path, reason: "the name is not UTF-8" });
                continue;
            }
            if name.eq_ignore_ascii_case(".git") {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_dir() && depth >= MAX_DEPTH {
                self.skipped.push(SkippedEntry { path, reason: "folders are nested too deeply" });
            } else if kind.is_dir() {
                self.list(&entry.path(), &format!("{path}/"), depth + 1)?;
            } else {
                let size = entry.metadata()?.len();
                self.entries.push(FolderEntry { path, kind: kind_of(kind), blob: None, size });
            }
        }
        Ok(())
    }
}

impl Folder for LocalFolder {
    fn entries(&self) -> Result<&[FolderEntry], FolderError> {
        Ok(&self.entries)
    }

    fn read(&self, entry: &FolderEntry) -> io::Result<Vec<u8>> {
        let path = self.root.join(&entry.path);
        let kind = kind_of(fs::symlink_metadata(&path)?.file_type());
        match kind {
            FolderEntryKind::File if self.is_inside(&path)? => fs::read(path),
            FolderEntryKind::Symlink => {
                Ok(fs::read_link(path)?.into_os_string().into_encoded_bytes())
            }
            _ => Err(io::Error::other("not a file of this folder")),
        }
    }

    fn open(&self, entry: &FolderEntry) -> io::Result<Box<dyn Read + '_>> {
        let path = self.root.join(&entry.path);
        let is_file = fs::symlink_metadata(&path)?.is_file() && self.is_inside(&path)?;
        if !is_file {
            return Err(io::Error::other("not a file of this folder"));
        }
        Ok(Box::new(File::open(path)?))
    }
}

impl LocalFolder {
    /// Returns `true` if the path is still inside the folder. A parent may have become a link since
    /// it was listed.
    fn is_inside(&self, path: &Path) -> io::Result<bool> {
        Ok(fs::canonicalize(path)?.starts_with(&self.root))
    }
}

fn kind_of(kind: FileType) -> FolderEntryKind {
    if kind.is_file() {
        FolderEntryKind::File
    } else if kind.is_symlink() {
        FolderEntryKind::Symlink
    } else {
        FolderEntryKind::Other
    }
}
