//! Tests of imports of small generated folders, first and repeated ones.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use bindery_model::{Entropy, PageId, Timestamp};
use bindery_revision::tree::Tree;
use bindery_revision::{
    Content, ContentRef, Dimensions, Direction, FileRecord, Hash, MemoryObjects, NavigationKind,
    Objects, PageBody, PageRecord, PathEntry, Record, Redirect, ReusableRecord, Variable,
};

use super::*;
use crate::folder::{BlobId, FolderEntry, FolderEntryKind, FolderError};

mod edits;
mod first;
mod identity;
mod large;
mod repeated;

/// Files in memory with ids derived from their bytes.
struct Files {
    entries: Vec<FolderEntry>,
    bytes: HashMap<String, Vec<u8>>,
    reads: Mutex<Vec<String>>,
    /// A previous commit and the paths that changed since.
    changed: Option<(String, Vec<String>)>,
    /// The times of the last changes in milliseconds; those of files without one are unknown.
    times: HashMap<String, i64>,
}

impl Files {
    /// Creates files from paths and bytes. Bytes that begin with `->` make a link.
    fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let mut bytes = HashMap::new();
        let mut entries = Vec::new();
        for (path, content) in files {
            let (kind, content) = match content.strip_prefix(b"->") {
                Some(target) => (FolderEntryKind::Symlink, target),
                None => (FolderEntryKind::File, content),
            };
            entries.push(FolderEntry {
                path: path.to_owned(),
                kind,
                blob: BlobId::from_bytes(&Hash::of(content).as_bytes()[..20]),
                size: content.len() as u64,
            });
            bytes.insert(path.to_owned(), content.to_vec());
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Self { entries, bytes, reads: Mutex::default(), changed: None, times: HashMap::new() }
    }

    fn texts(files: &[(&str, &str)]) -> Self {
        Self::new(files.iter().map(|(path, text)| (*path, text.as_bytes())))
    }

    /// Returns a copy with these files added or replaced. `None` removes a file.
    fn with(&self, changes: &[(&str, Option<&str>)]) -> Self {
        let mut all: BTreeMap<&str, &[u8]> =
            self.bytes.iter().map(|(path, bytes)| (path.as_str(), &bytes[..])).collect();
        for (path, text) in changes {
            match text {
                Some(text) => all.insert(path, text.as_bytes()),
                None => all.remove(path),
            };
        }
        Self::new(all)
    }
}

impl Folder for Files {
    fn entries(&self) -> Result<&[FolderEntry], FolderError> {
        Ok(&self.entries)
    }

    fn changed_since(&self, commit: &str) -> Result<Option<Vec<String>>, FolderError> {
        let known = self.changed.as_ref().filter(|(known, _)| known == commit);
        Ok(known.map(|(_, paths)| paths.clone()))
    }

    fn changed_at(&self, path: &str) -> Option<Timestamp> {
        self.times.get(path).copied().map(Timestamp::from_millis)
    }

    fn read(&self, entry: &FolderEntry) -> std::io::Result<Vec<u8>> {
        self.reads.lock().unwrap().push(entry.path.clone());
        Ok(self.bytes[&entry.path].clone())
    }
}

/// A space into which folders are imported.
struct Space {
    objects: MemoryObjects,
    entropy: Entropy,
    now: i64,
    last: Option<ImportResult>,
    /// The commit of the last import.
    commit: Option<String>,
    /// Objects and bytes that the last import wrote.
    written: (usize, usize),
}

impl Space {
    fn new() -> Self {
        let (objects, entropy) = (MemoryObjects::new(), Entropy::seeded(3));
        Self { objects, entropy, now: 0, last: None, commit: None, written: (0, 0) }
    }

    fn try_import(
        &mut self,
        files: &dyn Folder,
        options: &ImportOptions,
    ) -> Result<(), ImportError> {
        self.now += 1000;
        let cancel = CancellationToken::new();
        let context = ImportContext {
            now: Timestamp::from_millis(self.now),
            entropy: &self.entropy,
            progress: &|_| {},
            cancel: &cancel,
            large_files: None,
        };
        let previous = self.last.as_ref().map(|last| Previous {
            content: &last.content,
            state: Some(&last.state),
            commit: self.commit.as_deref(),
            present: None,
            proposed: &[],
        });
        let mut new = Vec::new();
        let imported = {
            let mut sink = |objects| {
                new.extend::<Vec<(Hash, Bytes)>>(objects);
                Ok(())
            };
            import(files, options, previous, &self.objects, &mut sink, &context)?
        };
        self.written = (new.len(), new.iter().map(|(_, bytes)| bytes.len()).sum());
        self.objects.extend(new);
        self.last = Some(imported);
        Ok(())
    }

    fn import(&mut self, files: &Files) -> &ImportResult {
        self.try_import(files, &ImportOptions::default()).unwrap();
        self.last.as_ref().unwrap()
    }

    fn of(files: &[(&str, &str)]) -> Self {
        let mut space = Self::new();
        space.import(&Files::texts(files));
        space
    }

    fn content(&self) -> &Content {
        &self.last.as_ref().unwrap().content
    }

    fn tree(&self) -> Tree<'_> {
        Tree::new(self.content(), &self.objects)
    }

    fn page_id(&self, path: &str) -> PageId {
        match self.content().at_path(&self.objects, path).unwrap() {
            Some(PathEntry::Page(id)) => id,
            other => panic!("{path}: {other:?}"),
        }
    }

    fn page(&self, path: &str) -> PageRecord {
        self.tree().page(self.page_id(path)).unwrap()
    }

    fn body(&self, path: &str) -> PageBody {
        let hash = self.page(path).body.unwrap();
        PageBody::decode(&self.objects.get(&hash).unwrap()).unwrap()
    }

    fn file(&self, path: &str) -> Option<FileRecord> {
        match self.content().at_path(&self.objects, path).unwrap() {
            Some(PathEntry::File(id)) => self.content().file(&self.objects, id).unwrap(),
            _ => None,
        }
    }

    /// Renders the tree as text: one indented line per page with a sign of its kind, its slug and
    /// its title.
    fn outline(&self) -> String {
        let mut out = String::new();
        let mut walk = self.tree().walk();
        while let Some(child) = walk.next() {
            let child = child.unwrap();
            let sign = match child.entry.kind {
                NavigationKind::Document => "",
                NavigationKind::Group => "+",
                NavigationKind::Link(_) => ">",
                NavigationKind::Computed => "*",
            };
            let indent = "  ".repeat(walk.depth());
            out += &format!("{indent}{sign}{} {}\n", child.entry.slug, child.entry.title);
        }
        out
    }

    fn warnings(&self) -> Vec<String> {
        let last = self.last.as_ref().unwrap();
        last.warnings
            .iter()
            .map(|warning| format!("{}: {}", warning.path, warning.message))
            .collect()
    }

    /// Checks the invariants of every import: each page is in the tree, each object exists, and an
    /// import into an empty space has the same result except for ids.
    fn check(&self, files: &Files) {
        assert_eq!(self.tree().walk().count() as u64, self.tree().len());
        let content = self.content();
        for hash in content.objects(&self.objects).unwrap() {
            assert!(self.objects.get(&hash).is_ok(), "an object is missing");
        }
        let mut fresh = Self::new();
        fresh.import(files);
        assert_eq!(self.outline(), fresh.outline());
        let paths = |space: &Self| -> Vec<(Vec<u8>, u8)> {
            let entries = space.content().paths.range(&space.objects, None, Direction::Ascending);
            entries
                .map(|entry| {
                    let (path, entry) = entry.unwrap();
                    let kind = match PathEntry::decode(&entry).unwrap() {
                        PathEntry::Page(_) => 0,
                        PathEntry::File(_) => 1,
                        PathEntry::Reusable(_) => 2,
                    };
                    (path.to_vec(), kind)
                })
                .collect()
        };
        let (own, new) = (paths(self), paths(&fresh));
        let mut more = own.clone();
        more.retain(|path| !new.contains(path));
        assert!(new.iter().all(|path| own.contains(path)), "{own:?} {new:?}");
        // A file that is no longer referenced stays until it is deleted from the folder.
        let there = |path: &[u8]| files.bytes.contains_key(std::str::from_utf8(path).unwrap());
        assert!(more.iter().all(|(path, kind)| *kind == 1 && there(path)), "{more:?}");
        let kept = more.len() as u64;
        assert_eq!(content.files.len(), fresh.content().files.len() + kept);
        assert_eq!(content.reusable.len(), fresh.content().reusable.len());
        let states = |space: &Self| space.last.as_ref().unwrap().state.files.len();
        assert_eq!(states(self), states(&fresh) + kept);
    }
}
