//! Exports a content to a repository.
//!
//! [`edits`] compares the content with the one that was synchronised last and returns the files that
//! differ, each with the text that both sides started from. [`commit()`] applies them to a commit of
//! the repository: files that the repository changed meanwhile are merged line by line. Only the
//! folders along changed paths get new trees, so everything else keeps its objects.

mod commit;
mod front;
mod pack;
mod pages;
mod preview;
mod sources;
mod table;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::{BTreeMap, HashSet};

use bindery_content::YamlError;
use bindery_content::reference::inlined;
use bindery_model::PageId;
use bindery_revision::tree::TreeError;
use bindery_revision::{
    Content, Difference, Direction, FileRecord, Hash, Map, ObjectError, Objects, PageRecord,
    PathEntry, Record, ReusableRecord,
};
use bytes::Bytes;

pub use self::commit::{CommitText, Conflict, ExportSettings, Exported, Person, commit};
pub use self::pack::{OpenObject, WrittenCommit};
pub use self::preview::{FileChange, LineCounts, Preview, preview};
use crate::folder::{BlobId, Folder};
use crate::import::view::View;
use crate::import::{GitItem, GitState, ImportError, ImportOptions};

/// The content that was synchronised last, and its files in the repository.
#[derive(Clone, Copy, Debug)]
pub struct Synced<'a> {
    /// The content.
    pub content: &'a Content,
    /// Its files.
    pub state: &'a GitState,
}

/// The parameters of [`edits`].
#[derive(Clone, Copy, Debug)]
pub struct EditOptions<'a> {
    /// The folder of the repository that holds the space. Empty for the whole repository.
    pub project_directory: &'a str,
    /// `true` if unchanged files are returned as well, because the repository may lack them.
    pub complete: bool,
}

/// The files in which a content differs from a repository.
#[derive(Debug)]
pub struct FileEdits {
    /// The root of the content in the repository, with a trailing slash unless it is the repository
    /// itself.
    pub prefix: String,
    /// The edits by path from the root.
    pub(crate) files: BTreeMap<String, FileEdit>,
}

impl FileEdits {
    /// Returns `true` if nothing differs.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// The new content of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FileEdit {
    /// The path from the root of the repository.
    pub(crate) at: String,
    /// The item that the file belongs to.
    pub(crate) item: GitItem,
    /// The blob that was synchronised last; `None` if there was no such file.
    pub(crate) known: Option<BlobId>,
    /// The text that was synchronised last, for merging.
    pub(crate) before: Option<Bytes>,
    /// The new content.
    pub(crate) after: After,
}

/// The content of a file after an export.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum After {
    /// A text.
    Text(Bytes),
    /// The unchanged source of a page or a reusable content, by the object of its text.
    Body(Hash),
    /// The bytes of an object.
    Object {
        hash: Hash,
        size: u64,
    },
    Deleted,
}

/// The reason why a content cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The folder of the repository cannot be used.
    #[error(transparent)]
    Folder(#[from] ImportError),
    /// The content cannot be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A YAML file or front matter cannot be edited.
    #[error("`{path}` cannot be edited: {source}")]
    Yaml {
        /// The file.
        path: String,
        /// The cause.
        source: YamlError,
    },
    /// An object of the repository cannot be read.
    #[error("the repository cannot be read: {0}")]
    Repository(String),
    /// The local disk cannot be written.
    #[error("the commit cannot be written: {0}")]
    Disk(#[from] std::io::Error),
}

impl From<ObjectError> for ExportError {
    fn from(error: ObjectError) -> Self {
        Self::Tree(error.into())
    }
}

impl From<crate::packs::ReadError> for ExportError {
    fn from(error: crate::packs::ReadError) -> Self {
        Self::Repository(error.to_string())
    }
}

/// Returns the files in which `content` differs from what was synchronised last. `folder` holds the
/// files of the repository's commit, which tell where the content is.
///
/// # Errors
/// Returns an error if a file or an object cannot be read, or if the project directory is outside
/// the repository.
pub fn edits(
    content: &Content,
    synced: Option<Synced<'_>>,
    folder: &dyn Folder,
    objects: &dyn Objects,
    options: EditOptions<'_>,
) -> Result<FileEdits, ExportError> {
    let import = ImportOptions {
        project_directory: options.project_directory.to_owned(),
        ..ImportOptions::default()
    };
    let view = View::open(folder, &import)?;
    let empty = Content::empty(content.salt());
    let before = synced.map_or(&empty, |synced| synced.content);
    // Paths in the state are relative to the root, so they are meaningless under another root.
    let state = synced.map(|synced| synced.state).filter(|state| state.prefix == view.prefix);
    let mut export = Export {
        now: content,
        before,
        is_first: synced.is_none(),
        state,
        view: &view,
        objects,
        complete: options.complete || state.is_none(),
        moved: HashSet::new(),
        files: BTreeMap::new(),
    };
    export.pages()?;
    export.reusable()?;
    export.assets()?;
    export.inlined_pictures()?;
    export.sources()?;
    export.remaining()?;
    let files = export.files;
    Ok(FileEdits { prefix: view.prefix, files })
}

/// An export in progress.
struct Export<'a> {
    now: &'a Content,
    /// The content that was synchronised last; empty for the first export.
    before: &'a Content,
    is_first: bool,
    state: Option<&'a GitState>,
    view: &'a View<'a>,
    objects: &'a dyn Objects,
    complete: bool,
    /// The pages whose files have other paths than before.
    moved: HashSet<PageId>,
    files: BTreeMap<String, FileEdit>,
}

/// The old and the new record of an item; at least one of them is present.
struct Pair<R> {
    old: Option<R>,
    new: Option<R>,
}

impl<R: PartialEq> Pair<R> {
    fn is_unchanged(&self) -> bool {
        self.old == self.new
    }
}

impl Export<'_> {
    fn pages(&mut self) -> Result<(), ExportError> {
        let Self { before, now, objects, complete, .. } = *self;
        for pair in pairs::<PageRecord>(&before.pages, &now.pages, objects, complete) {
            let pair = pair?;
            let path = |page: &Option<PageRecord>| page.as_ref()?.source_path.clone();
            let id = pair.new.as_ref().or(pair.old.as_ref()).map(|page| page.id);
            let (old, new) = (path(&pair.old), path(&pair.new));
            if let (Some(path), Some(id)) = (&new, id)
                && let Some(after) = self.page(&pair, path)?
            {
                self.put(path, page_item(id), after, pair.old.and_then(|old| old.body))?;
            }
            if old.is_some() && new.is_some() && old != new {
                self.moved.extend(id);
            }
            self.release(old, new.as_deref())?;
        }
        Ok(())
    }

    fn reusable(&mut self) -> Result<(), ExportError> {
        let Self { before, now, objects, complete, .. } = *self;
        for pair in pairs::<ReusableRecord>(&before.reusable, &now.reusable, objects, complete) {
            let pair = pair?;
            let path = |reusable: &Option<ReusableRecord>| reusable.as_ref()?.path.clone();
            let (old, new) = (path(&pair.old), path(&pair.new));
            if let (Some(path), Some(reusable)) = (&new, &pair.new)
                && let Some(after) = self.reusable_text(&pair, path)?
            {
                let item = GitItem::Reusable(reusable.id);
                self.put(path, item, after, pair.old.and_then(|old| old.body))?;
            }
            self.release(old, new.as_deref())?;
        }
        Ok(())
    }

    fn assets(&mut self) -> Result<(), ExportError> {
        let Self { before, now, objects, complete, .. } = *self;
        for pair in pairs::<FileRecord>(&before.files, &now.files, objects, complete) {
            let Pair { old, new } = pair?;
            let old_path = old.as_ref().and_then(|old| old.path.clone());
            if let Some(FileRecord { id, path: Some(path), hash, size, .. }) = &new {
                let is_same = old_path.as_ref() == Some(path)
                    && old.as_ref().is_some_and(|old| old.hash == *hash);
                let is_file = !inlined::is_path(path) || self.known(path)?.is_some();
                if is_file && (!is_same || self.complete) {
                    let after = After::Object { hash: *hash, size: *size };
                    self.put(path, GitItem::File(*id), after, None)?;
                }
            }
            self.release(old_path, new.and_then(|new| new.path).as_deref())?;
        }
        Ok(())
    }

    /// Adds the files of pictures whose addresses contained their data, if an edited text names them
    /// as files now.
    fn inlined_pictures(&mut self) -> Result<(), ExportError> {
        let mut named = Vec::new();
        for edit in self.files.values() {
            let text = match &edit.after {
                After::Text(text) => text.clone(),
                After::Body(body) => pages::source_of(self.objects, body)?,
                After::Object { .. } | After::Deleted => continue,
            };
            named.extend(inlined::named(&String::from_utf8_lossy(&text)));
        }
        for path in named {
            let Some(PathEntry::File(id)) = self.now.at_path(self.objects, &path)? else {
                continue;
            };
            if let Some(FileRecord { hash, size, .. }) = self.now.file(self.objects, id)? {
                self.put(&path, GitItem::File(id), After::Object { hash, size }, None)?;
            }
        }
        Ok(())
    }

    /// Adds the deletion of files that were synchronised and belong to nothing any more.
    fn remaining(&mut self) -> Result<(), ExportError> {
        let Some(state) = self.state.filter(|_| self.complete) else { return Ok(()) };
        for entry in state.files.range(self.objects, None, Direction::Ascending) {
            let path = String::from_utf8_lossy(&entry?.0).into_owned();
            let is_source = matches!(
                state.get(self.objects, &path)?.map(|entry| entry.item),
                Some(GitItem::Source)
            );
            if !is_source {
                self.release(Some(path), None)?;
            }
        }
        Ok(())
    }

    /// Records the new content of a file. `body` is the object of its text at the last
    /// synchronisation.
    fn put(
        &mut self,
        path: &str,
        item: GitItem,
        after: After,
        body: Option<Hash>,
    ) -> Result<(), ExportError> {
        let (known, item) = match self.known(path)? {
            Some((known, titled)) => (Some(known), titled.unwrap_or(item)),
            None => (None, item),
        };
        let before = match (known, body) {
            (Some(known), Some(body)) => {
                let source = pages::source_of(self.objects, &body)?;
                // An export edits the head of a source.
                let is_known = BlobId::of(&source) == Some(known);
                if is_known { Some(source) } else { self.view.blob(&known).map(Bytes::from) }
            }
            _ => None,
        };
        let at = self.at(path)?;
        self.files.insert(path.to_owned(), FileEdit { at, item, known, before, after });
        Ok(())
    }

    /// Records the deletion of a file that its item left, unless another item took its path.
    fn release(&mut self, old: Option<String>, new: Option<&str>) -> Result<(), ExportError> {
        let Some(path) = old.filter(|old| Some(old.as_str()) != new) else { return Ok(()) };
        if self.files.contains_key(&path) || self.now.at_path(self.objects, &path)?.is_some() {
            return Ok(());
        }
        let Some(known) =
            self.state.map(|state| state.get(self.objects, &path)).transpose()?.flatten()
        else {
            return Ok(());
        };
        // A symbolic link is deleted itself, not the file that it leads to.
        let (at, item, known) = (self.view.place_of(&path), known.item, known.blob());
        let edit = FileEdit { at, item, known, before: None, after: After::Deleted };
        self.files.insert(path, edit);
        Ok(())
    }

    /// Returns the blob at a path at the last synchronisation, and its item if the item belongs to
    /// the path still.
    fn known(&self, path: &str) -> Result<Option<(BlobId, Option<GitItem>)>, ExportError> {
        let Some(state) = self.state else { return Ok(None) };
        let Some(entry) = state.get(self.objects, path)? else { return Ok(None) };
        let owner = self.now.at_path(self.objects, path)?;
        let is_same = match (entry.item, owner) {
            (GitItem::Page { id, .. }, Some(PathEntry::Page(page))) => id == page,
            (GitItem::Source, _) => true,
            _ => false,
        };
        Ok(entry.blob().map(|blob| (blob, is_same.then_some(entry.item))))
    }

    /// Returns the path in the repository of a path from the root. Symbolic links are followed to
    /// the file that holds the text.
    fn at(&self, path: &str) -> Result<String, ExportError> {
        Ok(match self.view.get(path)? {
            Some(file) => file.entry.path.clone(),
            None => self.view.place_of(path),
        })
    }
}

/// Returns the records of two maps that differ; with `complete`, all records.
fn pairs<'m, R: Record + 'm>(
    before: &'m Map,
    now: &'m Map,
    objects: &'m dyn Objects,
    complete: bool,
) -> impl Iterator<Item = Result<Pair<R>, ObjectError>> + use<'m, R> {
    let pair = |difference: Difference| -> Result<Pair<R>, ObjectError> {
        let record = |bytes: Option<Bytes>| bytes.map(|bytes| R::decode(&bytes)).transpose();
        Ok(Pair { old: record(difference.old)?, new: record(difference.new)? })
    };
    let differences = before.diff(now, objects).map(move |entry| pair(entry?));
    let unchanged = now.range(objects, None, Direction::Ascending).take_while(move |_| complete);
    let unchanged = unchanged.filter_map(move |entry| {
        let read = || {
            let (key, new) = entry?;
            let old = before.get(objects, &key)?;
            let is_same = old.as_ref() == Some(&new);
            is_same.then(|| pair(Difference { key, old, new: Some(new) })).transpose()
        };
        read().transpose()
    });
    differences.chain(unchanged)
}

/// Returns the item of a page without a known one: the title is in the table of contents.
const fn page_item(id: PageId) -> GitItem {
    GitItem::Page { id, titled: false }
}
