//! Builds the commit of a content, and the state in which the repository then agrees with it.

use std::fs::File;
use std::io::Read;

use bindery_git::export::{
    self, CommitText, EditOptions, ExportError, ExportSettings, Exported, FileEdits, OpenObject,
    Person, Synced,
};
use bindery_git::import::{GitState, ImportError};
use bindery_git::{CommitFolder, FetchRequest, Folder, Pushed};
use bindery_model::Timestamp;
use bindery_outbound::SshKey;
use bindery_revision::{Content, Hash, Objects, Staging};
use bindery_store::{JobError, PreparedObject, Retry};
use bytes::Bytes;
use tokio::runtime::Handle;

use crate::App;
use crate::content::git_requests::{UNREADABLE, opened};
use crate::content::imports::git_failure;
use crate::jobs::{JobFailure, RunningJob};

/// A commit that is to be built.
pub(in crate::content) struct CommitPlan<'a> {
    pub(in crate::content) content: &'a Content,
    /// The content that was synchronised last.
    pub(in crate::content) synced: Option<Synced<'a>>,
    /// The commit whose files change.
    pub(in crate::content) base: Option<&'a CommitFolder>,
    /// The files that tell the root of the content if there is no commit.
    pub(in crate::content) alone: &'a dyn Folder,
    /// `true` if the repository lacks the base.
    pub(in crate::content) is_copy: bool,
    /// `true` if the branch does not exist yet.
    pub(in crate::content) is_new: bool,
    /// `true` if unchanged files are written as well.
    pub(in crate::content) complete: bool,
    /// `true` if the content replaces files that the repository changed as well.
    pub(in crate::content) force: bool,
    /// The project's directory in the repository.
    pub(in crate::content) directory: &'a str,
    /// Commits whose changes the content has already.
    pub(in crate::content) merged: &'a [String],
    pub(in crate::content) text: &'a CommitText,
}

impl CommitPlan<'_> {
    /// Builds the commit.
    pub(in crate::content) fn build(
        &self,
        app: &App,
        running: &RunningJob,
    ) -> Result<(FileEdits, Exported), JobFailure> {
        self.with(app, running, commit)
    }

    /// Compares the content with the repository, and calls `with` with the edits. Returns them with
    /// its result.
    pub(super) fn with<T>(
        &self,
        app: &App,
        running: &RunningJob,
        with: impl FnOnce(&Prepared<'_>) -> Result<T, ExportError>,
    ) -> Result<(FileEdits, T), JobFailure> {
        running.report(0, None, "comparing");
        let objects = app.store.objects();
        let synced = self.synced;
        let options = EditOptions { project_directory: self.directory, complete: self.complete };
        let folder: &dyn Folder = match self.base {
            Some(base) => base,
            None => self.alone,
        };
        let edits =
            export::edits(self.content, synced, folder, &objects, options).map_err(failure)?;
        if self.base.is_none() && edits.is_empty() {
            return Err(JobFailure::fatal("empty", "the space has no content to export"));
        }
        let open = |hash: &Hash| -> std::io::Result<Box<dyn Read>> {
            let opened = Handle::current().block_on(app.store.open_object(hash));
            Ok(Box::new(opened.map_err(std::io::Error::other)?))
        };
        std::fs::create_dir_all(&app.cache_dir).map_err(|error| failure(error.into()))?;
        let settings = ExportSettings {
            base: self.base,
            is_copy: self.is_copy,
            is_new: self.is_new,
            force: self.force,
            merged: self.merged,
            text: self.text,
            folder: &app.cache_dir,
            cancel: &running.cancel,
        };
        let prepared = Prepared { edits: &edits, objects: &objects, open: &open, settings };
        let result = with(&prepared).map_err(failure)?;
        Ok((edits, result))
    }
}

/// The edits of an export, and what is needed to apply them.
pub(super) struct Prepared<'a> {
    pub(super) edits: &'a FileEdits,
    pub(super) objects: &'a dyn Objects,
    pub(super) open: &'a OpenObject<'a>,
    pub(super) settings: ExportSettings<'a>,
}

/// Builds the commit that contains the edits.
pub(super) fn commit(export: &Prepared<'_>) -> Result<Exported, ExportError> {
    let Prepared { edits, objects, open, settings } = export;
    export::commit(edits, *objects, *open, settings)
}

/// Sends the contents of files in Git LFS, then moves the branch of a request from the commit `old`
/// to the new one.
pub(in crate::content) fn push(
    app: &App,
    running: &RunningJob,
    request: &FetchRequest<'_>,
    old: Option<&str>,
    exported: &Exported,
) -> Result<Pushed, JobFailure> {
    let Some(commit) = &exported.commit else { return Ok(Pushed::Done) };
    // A pushed pointer must have its content.
    let files = &exported.large_files;
    if !files.is_empty() {
        let open = |hash: &Hash| -> Result<File, JobFailure> {
            Ok(Handle::current().block_on(app.store.open_object(hash))?)
        };
        let total = Some(files.len() as u64);
        let progress = |done: usize| running.report(done as u64, total, "sending large files");
        app.fetcher.upload(request, files, &open, &progress)?;
    }
    running.report(0, None, "pushing");
    app.fetcher.push(request, old, commit).map_err(git_failure)
}

/// Stores the state of the repository after an export, and returns it. `known` is the state before.
pub(in crate::content) fn state_after(
    app: &App,
    content: &Content,
    known: Option<&GitState>,
    edits: &FileEdits,
    exported: &Exported,
) -> Result<GitState, JobFailure> {
    let objects = app.store.objects();
    let known = known.filter(|state| state.prefix == edits.prefix);
    let empty = GitState::empty(&edits.prefix, content.salt());
    let mut staging = Staging::new(&objects);
    let state = known
        .unwrap_or(&empty)
        .with_files(&mut staging, &exported.files)
        .and_then(|state| Ok((staging.drain_reachable(state.roots())?, state)));
    let (written, state) = state.map_err(|error| failure(error.into()))?;
    let prepare = |(hash, bytes): (Hash, Bytes)| PreparedObject::with_hash(hash, bytes);
    Handle::current()
        .block_on(app.store.put_objects(written.into_iter().map(prepare).collect()))?;
    Ok(state)
}

/// Returns the text of a commit. `signing_key` is sealed.
pub(in crate::content) fn commit_text(
    app: &App,
    message: &str,
    authors: Vec<Person>,
    authored_at: Timestamp,
    signing_key: Option<&str>,
) -> Result<CommitText, JobFailure> {
    let host = app.urls.host();
    let host = host.split(':').next().unwrap_or(host);
    let signing_key = signing_key.map(|sealed| {
        let broken = |_| JobFailure::fatal("internal", UNREADABLE);
        opened(app, sealed).and_then(|text| SshKey::parse(&text).map_err(broken))
    });
    Ok(CommitText {
        message: message.to_owned(),
        authors,
        authored_at,
        committer: Person { name: "Bindery".to_owned(), mail: format!("bindery@{host}") },
        committed_at: app.clock.now(),
        signing_key: signing_key.transpose()?,
    })
}

fn failure(error: ExportError) -> JobFailure {
    match error {
        ExportError::Folder(ImportError::Cancelled) => JobFailure::Cancelled,
        ExportError::Folder(
            error @ (ImportError::OutsideRepository(_) | ImportError::NoSuchFolder(_)),
        ) => JobFailure::fatal("directory-not-found", error.to_string()),
        ExportError::Yaml { .. } => JobFailure::fatal("malformed-file", error.to_string()),
        error => {
            tracing::error!(%error, "an export failed");
            let message = "the server failed while writing the commit".to_owned();
            JobFailure::Failed(JobError { code: "internal".to_owned(), message }, Retry::Later)
        }
    }
}
