//! Imports a folder of files as the content of a space.
//!
//! The table of contents (or the folders, if there is none) yields a plan of the page tree. Pages
//! of the plan are paired with those of the previous content, so that they keep their ids. The
//! sources that changed are read and parsed on all cores. The result is written at once if the
//! space was empty, otherwise as edits of the previous content.

mod arrange;
#[expect(clippy::vec_box, reason = "records are large, many, and move from list to list")]
mod assemble;
mod delta;
mod files;
#[expect(clippy::vec_box, reason = "records are large, many, and move from list to list")]
mod finish;
mod includes;
mod inlined_pictures;
mod pairing;
mod plan;
mod redirects;
mod repository_links;
mod resolve;
mod role_changes;
mod similarity;
mod sources;
mod state;
#[cfg(test)]
mod tests;
pub(crate) mod view;

use std::io::Read;

use bindery_content::summary::LanguageFolder;
use bindery_model::{Entropy, Timestamp};
use bindery_outbound::CancellationToken;
use bindery_revision::tree::TreeError;
use bindery_revision::{Content, Hash, ObjectError, ObjectRef, Objects, Staging};
use bytes::Bytes;

pub(crate) use plan::{clean_text, title_of_path};
pub use resolve::variables;
pub use state::{GitEntry, GitItem, GitState};

use crate::error::GitError;
use crate::folder::{Folder, FolderError};
use crate::lfs::LargeFiles;

/// The location of the content in the repository, and the limits of an import.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ImportOptions {
    /// The folder of the repository that holds the space. Empty for the whole repository.
    pub project_directory: String,
    /// The web address of the repository's files. Links that leave the content's root become
    /// addresses below it. Without it, such links are kept as written.
    pub tree_url: Option<String>,
    /// `true` if every file must be read, including unchanged ones.
    pub reread: bool,
    /// The limits.
    pub limits: ImportLimits,
}

/// Limits of an import.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImportLimits {
    /// Maximum number of files in the folder.
    pub entries: usize,
    /// Maximum size of a page's source in bytes. A longer page stays empty, with a warning. As JSON
    /// a page takes up to six times its size, and a response is at most 32 MiB.
    pub page_bytes: u64,
    /// Maximum bytes of a file. A larger file is omitted with a warning.
    pub file_bytes: u64,
    /// Bytes of new objects after which they are handed to the sink.
    pub staged_bytes: usize,
}

impl Default for ImportLimits {
    fn default() -> Self {
        Self {
            entries: 1_000_000,
            page_bytes: 5 << 20,
            file_bytes: 256 << 20,
            staged_bytes: 8 << 20,
        }
    }
}

/// The previous content of the space.
#[derive(Clone, Copy, Debug)]
pub struct Previous<'a> {
    /// The content.
    pub content: &'a Content,
    /// The state that the last import from this repository returned. `None` for the first import.
    pub state: Option<&'a GitState>,
    /// The commit of this state, if it is known. If the folder has this commit as well, only the
    /// differences are examined.
    pub commit: Option<&'a str>,
    /// The present content of the space, if it has changed since. An item that is new in it and in
    /// the folder keeps its id, so that a merge finds one item and not two.
    pub present: Option<&'a Content>,
    /// Proposed contents, in which new items have the ids that they keep in the import.
    pub proposed: &'a [Content],
}

/// The environment of an import.
#[derive(Clone, Copy)]
pub struct ImportContext<'a> {
    /// The time of the import. New and changed pages have this time if the folder has no dates.
    pub now: Timestamp,
    /// The source of new ids.
    pub entropy: &'a Entropy,
    /// Called with the progress from time to time.
    pub progress: &'a dyn Fn(ImportProgress),
    /// Cancels the import.
    pub cancel: &'a CancellationToken,
    /// The content of files in Git LFS. Without it, such files have the text of their pointers.
    pub large_files: Option<&'a dyn LargeFiles>,
}

impl std::fmt::Debug for ImportContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ImportContext").field("now", &self.now).finish_non_exhaustive()
    }
}

impl ImportContext<'_> {
    fn check(&self) -> Result<(), ImportError> {
        if self.cancel.is_cancelled() { Err(ImportError::Cancelled) } else { Ok(()) }
    }
}

/// The progress of an import.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImportProgress {
    /// Number of files that were read.
    pub done: usize,
    /// Number of files to read.
    pub total: usize,
}

/// Receives new objects, which must then be readable through the import's `objects`. A closure that
/// takes objects is a sink.
pub trait Sink {
    /// Stores objects.
    ///
    /// # Errors
    /// Returns an error if they cannot be stored.
    fn put(&mut self, objects: Vec<(Hash, Bytes)>) -> Result<(), ObjectError>;

    /// Stores a large file and returns its hash. Unless it is overridden, the file is read into
    /// memory.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or stored.
    fn put_file(&mut self, from: &mut dyn Read) -> Result<Hash, ObjectError> {
        let mut bytes = Vec::new();
        let read = from.read_to_end(&mut bytes);
        read.map_err(|error| ObjectError::Failed(error.to_string()))?;
        let hash = Hash::of(&bytes);
        self.put(vec![(hash, bytes.into())])?;
        Ok(hash)
    }
}

impl<F: FnMut(Vec<(Hash, Bytes)>) -> Result<(), ObjectError>> Sink for F {
    fn put(&mut self, objects: Vec<(Hash, Bytes)>) -> Result<(), ObjectError> {
        self(objects)
    }
}

/// The result of an import.
#[derive(Clone, PartialEq, Debug)]
pub struct ImportResult {
    /// The content.
    pub content: Content,
    /// The state for the next import.
    pub state: GitState,
    /// The folder of the repository to which paths of the content are relative, with a trailing
    /// slash unless it is the repository itself.
    pub prefix: String,
    /// Warnings about unusable parts.
    pub warnings: Vec<ImportWarning>,
    /// Counts of the import.
    pub counts: ImportCounts,
    /// The folders that a list of languages (`LANGS.md`) names, from the root of the repository.
    /// Empty if the import did not plan the page tree anew.
    pub languages: Vec<LanguageFolder>,
}

/// A user-readable warning about a part of the repository that the import could not use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImportWarning {
    /// The file's path from the root of the repository.
    pub path: String,
    /// The line, counted from 1, if it is known.
    pub line: Option<usize>,
    /// The message, a sentence.
    pub message: String,
}

/// Counts of an import.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImportCounts {
    /// Number of pages of the content, of all kinds.
    pub pages: u64,
    /// Number of files of the content.
    pub files: u64,
    /// Number of reusable contents of the content.
    pub reusable: u64,
    /// Number of files that were read.
    pub read: u64,
    /// Number of pages that were created, changed or deleted.
    pub changed: u64,
}

/// The reason why a folder was not imported. A failed import changes nothing.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The caller cancelled the import.
    #[error("the import was cancelled")]
    Cancelled,
    /// The project directory is outside the repository.
    #[error("the project directory `{0}` leads out of the repository")]
    OutsideRepository(String),
    /// The project directory does not exist.
    #[error("the repository has no folder `{0}`")]
    NoSuchFolder(String),
    /// The folder contains no Markdown.
    #[error("there is no Markdown file in {0}")]
    Empty(String),
    /// The folder has more files than allowed.
    #[error("there are more than {0} files")]
    TooMany(usize),
    /// The folder exceeds another limit.
    #[error("the repository exceeds a limit of this server: {0}")]
    Limit(String),
    /// A file cannot be read.
    #[error("`{path}` cannot be read: {source}")]
    Read {
        /// The file's path.
        path: String,
        /// The cause.
        source: std::io::Error,
    },
    /// A file in Git LFS cannot be received.
    #[error(transparent)]
    LargeFile(#[from] GitError),
    /// The folder cannot be listed.
    #[error("the repository cannot be read: {0}")]
    List(std::io::Error),
    /// The content cannot be read or written.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl From<FolderError> for ImportError {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::TooMany(most) => Self::TooMany(most),
            FolderError::Limit(limit) => Self::Limit(limit),
            FolderError::Io(error) => Self::List(error),
        }
    }
}

impl From<ObjectError> for ImportError {
    fn from(error: ObjectError) -> Self {
        Self::Tree(error.into())
    }
}

/// Imports a folder. New objects are passed to `sink` in batches. The content is complete when this
/// function returns, and a failure leaves nothing to undo.
///
/// # Errors
/// Returns an error if there is nothing to import, a limit is exceeded, a file or an object cannot
/// be read, or the import was cancelled.
pub fn import(
    folder: &dyn Folder,
    options: &ImportOptions,
    previous: Option<Previous<'_>>,
    objects: &dyn Objects,
    sink: &mut dyn Sink,
    context: &ImportContext<'_>,
) -> Result<ImportResult, ImportError> {
    context.check()?;
    let view = view::View::open(folder, options)?;
    let output = Output {
        objects,
        staging: Staging::new(objects),
        sink,
        limit: options.limits.staged_bytes,
    };
    let mut imported = assemble::assemble(view, options, previous, output, context)?;
    imported.counts.pages = imported.content.pages.len();
    imported.counts.files = imported.content.files.len();
    imported.counts.reusable = imported.content.reusable.len();
    Ok(imported)
}

/// New objects on their way to the sink.
struct Output<'o> {
    /// The previously stored objects.
    objects: &'o dyn Objects,
    staging: Staging<'o>,
    sink: &'o mut dyn Sink,
    limit: usize,
}

impl Output<'_> {
    /// Passes the staged objects on if they exceed the limit.
    fn flush_if_full(&mut self) -> Result<(), ObjectError> {
        if self.staging.bytes() >= self.limit { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ObjectError> {
        let objects = self.staging.drain();
        self.emit(objects)
    }

    /// Passes the last objects on, limited to those that are reachable from `roots`.
    fn finish(&mut self, roots: Vec<ObjectRef>) -> Result<(), ObjectError> {
        let objects = self.staging.drain_reachable(roots)?;
        self.emit(objects)
    }

    fn emit(&mut self, objects: Vec<(Hash, Bytes)>) -> Result<(), ObjectError> {
        if objects.is_empty() { Ok(()) } else { self.sink.put(objects) }
    }
}
