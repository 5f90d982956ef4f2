//! A folder of files as a space's content.
//!
//! The table of contents (or the folders, where there is none) gives a plan of the page tree;
//! pages of the plan are paired with those of the previous content, so that they keep their ids;
//! the sources that changed are read and taken apart on all cores; and the result is written:
//! at once where there was nothing before, else as edits of what was there.

mod arrange;
#[expect(clippy::vec_box, reason = "records are large, many, and move from list to list")]
mod assemble;
mod delta;
#[expect(clippy::vec_box, reason = "records are large, many, and move from list to list")]
mod finish;
mod includes;
mod likeness;
mod outside;
mod pairing;
mod plan;
mod redirects;
mod resolve;
mod sources;
mod state;
#[cfg(test)]
mod tests;
mod turned;
mod view;

use bindery_model::{Entropy, Timestamp};
use bindery_outbound::CancellationToken;
use bindery_revision::tree::TreeError;
use bindery_revision::{Content, Hash, Needed, ObjectError, Objects, Staging};
use bytes::Bytes;

pub use resolve::variables;
pub use state::{GitEntry, GitItem, GitState};

use crate::folder::{Folder, FolderError};

/// Where in the repository the content is, and what is too much.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ImportOptions {
    /// The folder of the repository that holds the space; empty for all of it.
    pub project_directory: String,
    /// Where people see the repository's files: what links that lead out of the content's root
    /// are put behind. Without it such links stay as they are written.
    pub tree_url: Option<String>,
    /// True if every file is read, also where it is what it was at the last import.
    pub reread: bool,
    /// What is too much.
    pub limits: ImportLimits,
}

/// What is too much for an import.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImportLimits {
    /// Files in the folder.
    pub entries: usize,
    /// Bytes of a page's source; a longer one is left out with a warning.
    pub page_bytes: u64,
    /// Bytes of a file; a longer one is left out with a warning.
    pub file_bytes: u64,
    /// Bytes of new objects that are held before they are handed to the sink.
    pub staged_bytes: usize,
}

impl Default for ImportLimits {
    fn default() -> Self {
        Self {
            entries: 1_000_000,
            page_bytes: 32 << 20,
            file_bytes: 256 << 20,
            staged_bytes: 8 << 20,
        }
    }
}

/// What the space held before.
#[derive(Clone, Copy, Debug)]
pub struct Previous<'a> {
    /// Its content.
    pub content: &'a Content,
    /// What the last import from this repository left; `None` before the first.
    pub state: Option<&'a GitState>,
    /// The commit that this state is of, where it came from one: where the folder knows it too,
    /// only what differs is looked at.
    pub commit: Option<&'a str>,
}

/// What an import needs from around it.
#[derive(Clone, Copy)]
pub struct ImportContext<'a> {
    /// The time that new and changed pages get.
    pub now: Timestamp,
    /// Where new ids come from.
    pub entropy: &'a Entropy,
    /// Told how far it is, from time to time.
    pub progress: &'a dyn Fn(ImportProgress),
    /// Stops it.
    pub cancel: &'a CancellationToken,
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

/// How far an import is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImportProgress {
    /// Files that were read.
    pub done: usize,
    /// Files that are to be read.
    pub total: usize,
}

/// Takes new objects. What it was given must be readable through the import's `objects`.
pub type Sink<'s> = dyn FnMut(Vec<(Hash, Bytes)>) -> Result<(), ObjectError> + 's;

/// What an import made.
#[derive(Clone, PartialEq, Debug)]
pub struct Imported {
    /// The content.
    pub content: Content,
    /// What to give to the next import.
    pub state: GitState,
    /// The folder of the repository that paths of the content begin in, ending in a slash unless
    /// it is the repository itself.
    pub prefix: String,
    /// What could not be used.
    pub warnings: Vec<ImportWarning>,
    /// How much there was.
    pub counts: ImportCounts,
}

/// Something that an import could not use, for a person to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImportWarning {
    /// The file that it is about, from the root of the repository.
    pub path: String,
    /// The line, from 1, where one is known.
    pub line: Option<usize>,
    /// A sentence.
    pub message: String,
}

/// How much an import found and did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImportCounts {
    /// Pages of the content, of all kinds.
    pub pages: u64,
    /// Files of the content.
    pub files: u64,
    /// Reusable contents of the content.
    pub reusable: u64,
    /// Files that were read.
    pub read: u64,
    /// Pages that were made, changed or taken away.
    pub changed: u64,
}

/// Why a folder was not imported. Nothing of it counts then.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It was asked to stop.
    #[error("the import was cancelled")]
    Cancelled,
    /// The project directory leads out of the repository.
    #[error("the project directory `{0}` leads out of the repository")]
    Climbs(String),
    /// The project directory is not there.
    #[error("the repository has no folder `{0}`")]
    NoSuchFolder(String),
    /// There is nothing to import.
    #[error("there is no Markdown file in {0}")]
    Empty(String),
    /// More files than are allowed.
    #[error("there are more than {0} files")]
    TooMany(usize),
    /// More of something else than is allowed.
    #[error("there is more than this server takes: {0}")]
    Limit(String),
    /// A file cannot be read.
    #[error("`{path}` cannot be read: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
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

/// Imports a folder. New objects go to `sink` in batches while it works; the content is whole when
/// this returns, and nothing needs to be undone when it fails.
///
/// # Errors
/// When there is nothing to import, a limit is passed, a file or an object cannot be read, or it
/// was cancelled.
pub fn import(
    folder: &dyn Folder,
    options: &ImportOptions,
    previous: Option<Previous<'_>>,
    objects: &dyn Objects,
    sink: &mut Sink<'_>,
    context: &ImportContext<'_>,
) -> Result<Imported, ImportError> {
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
    /// What was there before.
    objects: &'o dyn Objects,
    staging: Staging<'o>,
    sink: &'o mut Sink<'o>,
    limit: usize,
}

impl Output<'_> {
    /// Hands objects over when many have come together.
    fn ease(&mut self) -> Result<(), ObjectError> {
        if self.staging.bytes() >= self.limit { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ObjectError> {
        let objects = self.staging.drain();
        self.hand_over(objects)
    }

    /// Hands over the last objects: what is needed of them from `roots`.
    fn finish(&mut self, roots: Vec<Needed>) -> Result<(), ObjectError> {
        let objects = self.staging.drain_needed(roots)?;
        self.hand_over(objects)
    }

    fn hand_over(&mut self, objects: Vec<(Hash, Bytes)>) -> Result<(), ObjectError> {
        if objects.is_empty() { Ok(()) } else { (self.sink)(objects) }
    }
}
