//! Previews of exports: the files that a commit would change.

use std::collections::HashMap;

use bindery_content::line_merge::changed_lines;
use bindery_model::GitSyncChangeKind;
use bindery_revision::Objects;

use super::commit::{Run, Written, WrittenFile};
use super::{After, Conflict, ExportError, ExportSettings, FileEdits, OpenObject, pages};
use crate::commit::CommitFolder;
use crate::folder::{Folder as _, FolderEntry};
use crate::import::{GitItem, ImportError};

/// Maximum size of a text whose lines are compared, in bytes.
const MAX_COMPARED_BYTES: u64 = 1 << 20;

/// The files that a commit would change, and those that cannot be exported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preview {
    /// The first changes, by path.
    pub changes: Vec<FileChange>,
    /// The number of all changes.
    pub count: usize,
    /// The files that both sides changed in different ways. If there are any, nothing is written.
    pub conflicts: Vec<Conflict>,
}

/// A change of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileChange {
    /// The path from the root of the repository.
    pub path: String,
    /// The path of a renamed file at the branch.
    pub previous: Option<String>,
    /// The kind of the change.
    pub kind: GitSyncChangeKind,
    /// The numbers of changed lines; `None` unless both versions are texts of at most 1 MiB.
    pub lines: Option<LineCounts>,
}

/// The numbers of changed lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineCounts {
    /// The number of lines that are added.
    pub added: usize,
    /// The number of lines that are removed.
    pub removed: usize,
}

/// Finds out what [`commit()`](super::commit()) would change, and returns at most `most` changes.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn preview(
    edits: &FileEdits,
    objects: &dyn Objects,
    open: &OpenObject<'_>,
    settings: &ExportSettings<'_>,
    most: usize,
) -> Result<Preview, ExportError> {
    let mut run = Run::new(objects, open, settings);
    run.files(edits)?;
    if run.exported.conflicts.is_empty() {
        // Paths that cannot be written are known only now.
        run.tree()?;
    }
    let found = renamed(std::mem::take(&mut run.written));
    let reader = Reader { base: settings.base, objects, open };
    let count = found.len();
    let changes = found.into_iter().take(most).map(|pair| {
        if settings.cancel.is_cancelled() {
            return Err(ImportError::Cancelled.into());
        }
        reader.change(&pair)
    });
    let changes = changes.collect::<Result<_, _>>()?;
    Ok(Preview { changes, count, conflicts: run.exported.conflicts })
}

/// A file that is written, and the former file of the same item.
struct Pair {
    file: WrittenFile,
    former: Option<WrittenFile>,
}

impl WrittenFile {
    fn is_deletion(&self) -> bool {
        matches!(self.new, Written::Edit(After::Deleted))
    }
}

/// Returns the files in their order, where the deletion of an item's file and its new file are one
/// change.
fn renamed(written: Vec<WrittenFile>) -> Vec<Pair> {
    let mut former = HashMap::new();
    for (at, file) in written.iter().enumerate().filter(|(_, file)| file.is_deletion()) {
        former.extend(key(file.item).map(|key| (key, at)));
    }
    let target = |file: &WrittenFile| {
        let is_new = !file.is_deletion() && file.found.is_none();
        key(file.item).filter(|_| is_new).and_then(|key| former.get(&key).copied())
    };
    let targets: Vec<Option<usize>> = written.iter().map(target).collect();
    let mut rest: Vec<Option<WrittenFile>> = written.into_iter().map(Some).collect();
    let mut formers: Vec<Option<WrittenFile>> = Vec::new();
    for target in targets {
        formers.push(target.and_then(|at| rest.get_mut(at)?.take()));
    }
    let pair = |(file, former): (Option<WrittenFile>, _)| Some(Pair { file: file?, former });
    rest.into_iter().zip(formers).filter_map(pair).collect()
}

/// Returns a key that identifies the item of a file; `None` for a file that is no item.
fn key(item: GitItem) -> Option<String> {
    match item {
        GitItem::Page { id, .. } => Some(id.to_string()),
        GitItem::File(id) => Some(id.to_string()),
        GitItem::Reusable(id) => Some(id.to_string()),
        GitItem::Source => None,
    }
}

/// Reads the versions of files.
struct Reader<'a> {
    base: Option<&'a CommitFolder>,
    objects: &'a dyn Objects,
    open: &'a OpenObject<'a>,
}

impl Reader<'_> {
    fn change(&self, pair: &Pair) -> Result<FileChange, ExportError> {
        let Pair { file, former } = pair;
        let found = former.as_ref().map_or(file.found.as_ref(), |former| former.found.as_ref());
        let kind = match (file.is_deletion(), former, found) {
            (true, ..) => GitSyncChangeKind::Removed,
            (false, Some(_), _) => GitSyncChangeKind::Renamed,
            (false, None, None) => GitSyncChangeKind::Added,
            (false, None, Some(_)) => GitSyncChangeKind::Modified,
        };
        let (old, new) = (self.old(found)?, self.new_text(&file.new)?);
        let lines = old.zip(new).map(|(old, new)| {
            let (added, removed) = changed_lines(&old, &new);
            LineCounts { added, removed }
        });
        let previous = former.as_ref().map(|former| former.at.clone());
        Ok(FileChange { path: file.at.clone(), previous, kind, lines })
    }

    /// Returns the text of the file at the branch, which is empty if there is none.
    fn old(&self, found: Option<&FolderEntry>) -> Result<Option<String>, ExportError> {
        let (Some(base), Some(found)) = (self.base, found) else { return Ok(Some(String::new())) };
        if found.size > MAX_COMPARED_BYTES {
            return Ok(None);
        }
        Ok(text(base.read(found)?))
    }

    /// Returns the new text of a file, which is empty if the file is deleted.
    fn new_text(&self, new: &Written) -> Result<Option<String>, ExportError> {
        let bytes = match new {
            Written::Pointer => return Ok(None),
            Written::Text(text) | Written::Edit(After::Text(text)) => text.to_vec(),
            Written::Edit(After::Deleted) => Vec::new(),
            Written::Edit(After::Body(body)) => pages::source_of(self.objects, body)?.to_vec(),
            Written::Edit(After::Object { size, .. }) if *size > MAX_COMPARED_BYTES => {
                return Ok(None);
            }
            Written::Edit(After::Object { hash, .. }) => {
                let mut bytes = Vec::new();
                (self.open)(hash)?.read_to_end(&mut bytes)?;
                bytes
            }
        };
        Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= MAX_COMPARED_BYTES).and_then(text))
    }
}

/// Returns the text of a file; `None` if it is binary.
fn text(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}
