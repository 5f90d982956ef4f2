//! Access to uploaded archives, and the failures of fetches.

use std::fs::File;
use std::path::Path;

use bindery_git::{ArchiveError, ArchiveFolder, ArchiveLimits, GitError};
use bindery_revision::Hash;
use bindery_store::{JobError, Retry, StoreError};
use tokio::runtime::Handle;

use crate::App;
use crate::jobs::JobFailure;

/// Opens a stored archive as a folder.
pub(super) fn open_archive(app: &App, archive: &Hash) -> Result<ArchiveFolder, JobFailure> {
    let unpacked = app.cache_dir.join("uploads");
    let file = open(app, archive, &unpacked).map_err(|error| {
        tracing::error!(%error, "an archive cannot be read");
        JobFailure::fatal("internal", "the server failed while reading the archive")
    })?;
    let limits = ArchiveLimits {
        bytes: app.limits.import_bytes,
        entries: usize::try_from(app.limits.import_files).unwrap_or(usize::MAX),
        file_bytes: app.limits.import_file_bytes,
        ..ArchiveLimits::default()
    };
    ArchiveFolder::unpack(file, &unpacked, limits).map_err(|error| {
        if let ArchiveError::Disk(_) = error {
            tracing::error!(%error, "an archive cannot be unpacked");
        }
        JobFailure::fatal("archive", error.to_string())
    })
}

/// Opens the file of a stored archive, and creates the folder for its unpacked files.
fn open(app: &App, archive: &Hash, unpacked: &Path) -> Result<File, StoreError> {
    std::fs::create_dir_all(unpacked)
        .map_err(|error| StoreError::Unavailable(format!("create a folder: {error}")))?;
    Handle::current().block_on(app.store.open_object(archive))
}

/// Converts the error of a fetch. Temporary errors are retried.
pub(in crate::content) fn git_failure(error: GitError) -> JobFailure {
    let code = match &error {
        GitError::Cancelled => return JobFailure::Cancelled,
        GitError::Transport(_) => "unreachable",
        GitError::NotARepository { .. } => "not-a-repository",
        GitError::NeedsCredentials { .. } => "needs-credentials",
        GitError::Server { .. } | GitError::Refused { .. } | GitError::Protocol { .. } => "remote",
        GitError::LargeFiles { .. } => "large-files-rejected",
        GitError::NoSuchRef { .. } | GitError::NotACommit { .. } => "ref-not-found",
        GitError::Empty { .. } => "empty",
        GitError::Limit { .. } => "too-large",
        GitError::Time { .. } => "timeout",
        GitError::Damaged { .. } | GitError::Disk { .. } => "internal",
    };
    let retry = if error.is_temporary() { Retry::Later } else { Retry::Never };
    JobFailure::Failed(JobError { code: code.to_owned(), message: error.to_string() }, retry)
}

impl From<GitError> for JobFailure {
    fn from(error: GitError) -> Self {
        git_failure(error)
    }
}
