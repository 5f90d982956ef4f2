//! Access to uploaded archives, and the failures of fetches.

use bindery_git::{ArchiveError, ArchiveFolder, ArchiveLimits, GitError};
use bindery_revision::Hash;
use bindery_store::{JobError, Retry};
use tokio::runtime::Handle;

use crate::App;
use crate::jobs::JobFailure;

/// Number of bytes of an archive that are read at a time.
const PIECE: u64 = 4 << 20;

/// Copies a stored archive to a temporary file and opens it as a folder.
pub(super) fn open_archive(app: &App, archive: &Hash) -> Result<ArchiveFolder, JobFailure> {
    let file = copy(app, archive).map_err(|error| {
        tracing::error!(%error, "an archive cannot be read");
        JobFailure::fatal("internal", "the server failed while reading the archive")
    })?;
    let limits = ArchiveLimits {
        bytes: app.limits.import_bytes,
        entries: usize::try_from(app.limits.import_files).unwrap_or(usize::MAX),
        file_bytes: app.limits.import_file_bytes,
        ..ArchiveLimits::default()
    };
    ArchiveFolder::unpack(file, &app.cache_dir.join("uploads"), limits).map_err(|error| {
        if let ArchiveError::Disk(_) = error {
            tracing::error!(%error, "an archive cannot be unpacked");
        }
        JobFailure::fatal("archive", error.to_string())
    })
}

/// Copies a stored archive to a temporary file.
fn copy(app: &App, archive: &Hash) -> std::io::Result<std::fs::File> {
    use std::io::{Seek as _, Write as _};
    let uploads = app.cache_dir.join("uploads");
    std::fs::create_dir_all(&uploads)?;
    let mut file = tempfile::tempfile_in(&uploads)?;
    let runtime = Handle::current();
    let info = runtime.block_on(app.store.object_info(archive)).map_err(std::io::Error::other)?;
    let size = info.map_or(0, |info| info.size);
    let mut at = 0;
    while at < size {
        let end = (at + PIECE).min(size);
        let piece = runtime.block_on(app.store.object_range(archive, at..end));
        file.write_all(&piece.map_err(std::io::Error::other)?)?;
        at = end;
    }
    file.rewind()?;
    Ok(file)
}

/// Converts the error of a fetch. Temporary errors are retried.
pub(super) fn git_failure(error: GitError) -> JobFailure {
    let code = match &error {
        GitError::Cancelled => return JobFailure::Cancelled,
        GitError::Transport(_) => "unreachable",
        GitError::NotARepository { .. } => "not-a-repository",
        GitError::NeedsCredentials { .. } => "needs-credentials",
        GitError::Server { .. } | GitError::Refused { .. } | GitError::Protocol { .. } => "remote",
        GitError::NoSuchRef { .. } | GitError::NotACommit { .. } => "ref-not-found",
        GitError::Empty { .. } => "empty",
        GitError::Limit { .. } => "too-large",
        GitError::Time { .. } => "timeout",
        GitError::Damaged { .. } | GitError::Disk { .. } => "internal",
    };
    let retry = if error.is_temporary() { Retry::Later } else { Retry::Never };
    JobFailure::Failed(JobError { code: code.to_owned(), message: error.to_string() }, retry)
}
