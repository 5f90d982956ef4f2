//! The attributes of paths (gitattributes(5)), which tell which files belong to Git LFS. Only files of
//! the repository count.

use std::collections::BTreeSet;
use std::path::Path;

use gix_attributes::glob::pattern::Case;
use gix_attributes::search::{MetadataCollection, Outcome};
use gix_attributes::{Search, StateRef};

use crate::commit::CommitFolder;
use crate::folder::{Folder as _, FolderEntryKind, FolderError};

/// The name of the files with attributes.
const FILE: &str = ".gitattributes";
/// Maximum bytes of such a file. A larger one is not read.
const MAX_BYTES: u64 = 1 << 20;
/// The attribute that names the program which converts a file, and its value for Git LFS.
const FILTER: (&str, &str) = ("filter", "lfs");

/// The attributes of a commit. The files of the folders along a path are read when the path is
/// looked up.
pub(crate) struct Attributes<'a> {
    commit: Option<&'a CommitFolder>,
    /// The folders whose files were read.
    read: BTreeSet<String>,
    /// The patterns, those of a folder after those of the folders above it.
    search: Search,
    names: MetadataCollection,
}

impl<'a> Attributes<'a> {
    /// Creates the attributes of a commit; without one, no path has any.
    pub(crate) fn new(commit: Option<&'a CommitFolder>) -> Self {
        Self {
            commit,
            read: BTreeSet::new(),
            search: Search::default(),
            names: MetadataCollection::default(),
        }
    }

    /// Returns `true` if the file at a path belongs to Git LFS.
    ///
    /// # Errors
    /// Returns an error if the commit cannot be read.
    pub(crate) fn are_large(&mut self, path: &str) -> Result<bool, FolderError> {
        self.read_folder("")?;
        for (at, _) in path.match_indices('/') {
            self.read_folder(path.get(..at).unwrap_or_default())?;
        }
        let mut found = Outcome::default();
        let (name, value) = FILTER;
        found.initialize_with_selection(&self.names, [name]);
        self.search.pattern_matching_relative_path(
            path.into(),
            Case::Sensitive,
            Some(false),
            &mut found,
        );
        let is_large = found.iter_selected().any(|one| match one.assignment.state {
            StateRef::Value(found) => found.as_bstr() == value,
            StateRef::Set | StateRef::Unset | StateRef::Unspecified => false,
        });
        Ok(is_large)
    }

    fn read_folder(&mut self, folder: &str) -> Result<(), FolderError> {
        let Some(commit) = self.commit.filter(|_| self.read.insert(folder.to_owned())) else {
            return Ok(());
        };
        let is_root = folder.is_empty();
        let path = if is_root { FILE.to_owned() } else { format!("{folder}/{FILE}") };
        // Git does not follow links to such files either.
        let is_readable = |kind, size| kind == FolderEntryKind::File && size <= MAX_BYTES;
        let entry = commit.get(&path)?.filter(|entry| is_readable(entry.kind, entry.size));
        let Some(entry) = entry else { return Ok(()) };
        let bytes = commit.read(entry)?;
        self.add(&bytes, &path)
    }

    /// Adds the patterns of a file. Only that of the root can define macros.
    fn add(&mut self, bytes: &[u8], path: &str) -> Result<(), FolderError> {
        let root = Some(Path::new(""));
        let has_macros = path == FILE;
        self.search.add_patterns_buffer(bytes, path.into(), root, &mut self.names, has_macros)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_matching_line_counts() {
        let root = b"[attr]big filter=lfs diff=lfs merge=lfs -text\n\
            # a comment\n\
            *.bin filter=lfs diff=lfs merge=lfs -text\n\
            *.psd big\n\
            /top.dat filter=lfs\n\
            media/** filter=lfs\n\
            media/**/*.svg -filter\n\
            deep/**/x.dat filter=lfs\n\
            \"with space.dat\" filter=lfs\n\
            [Cc]over.dat filter=lfs\n\
            docs/small.bin !filter\n\
            !negative.dat filter=lfs\n\
            *.crypt filter=git-crypt\n\
            *.zip filter\n";
        let nested = b"*.bin -filter\n*.raw filter=lfs\n/here.dat filter=lfs\n\
            [attr]tiny filter=lfs\n*.tiny tiny\n";
        let mut attributes = Attributes::new(None);
        attributes.add(root, FILE).unwrap();
        attributes.add(nested, "plain/.gitattributes").unwrap();
        attributes.add(b"kept.bin filter=lfs\n", "plain/sub/.gitattributes").unwrap();
        let large = [
            "a.bin",
            "x/y/a.bin",
            "a.psd",
            "top.dat",
            "media/a/b.mp4",
            "deep/x.dat",
            "deep/a/b/x.dat",
            "with space.dat",
            "Cover.dat",
            "plain/a.raw",
            "plain/here.dat",
            "plain/sub/kept.bin",
        ];
        let small = [
            "a.bin.txt",
            "x/top.dat",
            "media/a/b.svg",
            "a/with space.dat.md",
            "docs/small.bin",
            "negative.dat",
            "!negative.dat",
            "a.crypt",
            "a.zip",
            "plain/a.bin",
            "plain/sub/other.bin",
            "a.raw",
            "plain/sub/here.dat",
            "plain/a.tiny",
        ];
        for (paths, expected) in [(&large[..], true), (&small[..], false)] {
            for path in paths {
                assert_eq!(attributes.are_large(path).unwrap(), expected, "{path}");
            }
        }
    }
}
