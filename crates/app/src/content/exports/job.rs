//! The job of an export: it builds the commit, pushes it and stores what both sides agree on.

use bindery_git::export::{CommitText, Conflict, ExportError, Exported, FileEdits, Synced};
use bindery_git::{
    CommitFolder, FetchProgress, FetchRequest, FilesInMemory, Folder as _, GitError, Pushed,
    RefName, Remote,
};
use bindery_model::{JobKind, OrganizationId};
use bindery_revision::Content;
use bindery_store::{Event, Job, JobError, NewEvent, Retry, StoreError};
use tokio::runtime::Handle;

use super::build::{CommitPlan, Prepared, commit, commit_text, push, state_after};
use super::place::{Agreement, Place};
use super::{ExportPayload, authors};
use crate::App;
use crate::content::git;
use crate::content::git_requests::UNREADABLE;
use crate::content::imports::{Pending, git_failure};
use crate::content::synced_content::SyncedContent;
use crate::jobs::{BackgroundJob, JobFailure, RunningJob};

/// Maximum number of attempts of an export that fails for a temporary reason.
const ATTEMPTS: u32 = 3;
/// Maximum number of times that one attempt builds the commit because the branch moved meanwhile.
const TRIES: u32 = 5;
/// Maximum number of conflicts that an error names.
const LISTED: usize = 20;
/// The configuration file of the project directory.
const CONFIG: &str = ".gitbook.yaml";

/// The code of the failure of an export whose commit the server refused.
pub(in crate::content) const REJECTED: &str = "rejected";

const PUSHED: &str = "the branch was updated";
const PRESENT: &str = "nothing to do: the branch has this content";
const PAST: &str = "nothing to do: the timestamp is older than that of the last import or export";

/// The job that exports content to a Git repository.
pub(crate) struct GitExportJob;

impl BackgroundJob for GitExportJob {
    const KIND: JobKind = JobKind::GitExport;
    const MAX_ATTEMPTS: u32 = ATTEMPTS;
    const PAYLOAD_ERROR: &str = UNREADABLE;
    type Payload = ExportPayload;

    fn run(
        app: &App,
        job: &Job,
        payload: ExportPayload,
        running: &RunningJob,
    ) -> Result<(), JobFailure> {
        let outcome = Run::new(app, job, &payload, running).and_then(|run| run.run());
        if let Err(JobFailure::Failed(error, _)) = &outcome {
            tracing::info!(job = %job.id, code = error.code, message = error.message, "export failed");
        }
        outcome
    }
}

/// An attempt to export.
pub(super) struct Run<'a> {
    app: &'a App,
    job: &'a Job,
    payload: &'a ExportPayload,
    running: &'a RunningJob,
    organization: OrganizationId,
    remote: Remote,
    reference: RefName,
}

/// The commit that an export builds on.
pub(super) struct Base {
    folder: CommitFolder,
    /// `true` if the commit is at the branch, `false` if the branch does not exist yet.
    is_tip: bool,
    /// `true` if the repository lacks the commit.
    is_copy: bool,
}

/// The content that is exported, and what it last agreed on with the branch.
pub(super) struct Exportable<'a> {
    pub(super) content: &'a Content,
    pub(super) synced: Option<Synced<'a>>,
    /// `true` if the agreement is with this branch.
    pub(super) is_own: bool,
}

impl<'a> Exportable<'a> {
    /// Returns the content of a space.
    pub(super) fn of(place: &'a Place) -> Self {
        let agreed = place.agreed.as_ref();
        let synced =
            |agreed: &'a SyncedContent| Synced { content: &agreed.content, state: &agreed.state };
        Self {
            content: &place.snapshot.revision.content,
            synced: agreed.map(synced),
            is_own: place.is_own,
        }
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(
        app: &'a App,
        job: &'a Job,
        payload: &'a ExportPayload,
        running: &'a RunningJob,
    ) -> Result<Self, JobFailure> {
        let unreadable = || JobFailure::fatal("internal", UNREADABLE);
        let reference = RefName::parse(&payload.request.reference).map_err(|_| unreadable())?;
        let organization = job.organization.ok_or_else(unreadable)?;
        let remote = payload.request.remote(app, organization)?;
        Ok(Self { app, job, payload, running, organization, remote, reference })
    }

    fn run(&self) -> Result<(), JobFailure> {
        for _ in 0..TRIES {
            let place = self.place()?;
            let last = place.row.as_ref().and_then(|row| row.event_at);
            if self.payload.request.is_past(last) {
                return self.skip(&place);
            }
            if let Some(pending) = place.pending.as_ref().filter(|_| !self.payload.force) {
                return Err(waiting_failure(pending));
            }
            let base = self.base(&place)?;
            let (edits, exported) =
                self.build(&place, base.as_ref(), &Exportable::of(&place), commit)?;
            if !exported.conflicts.is_empty() {
                return Err(conflict_failure(&exported.conflicts));
            }
            let tip = base.as_ref().filter(|base| base.is_tip);
            let old = tip.map(|base| base.folder.commit().oid.clone());
            if exported.commit.is_some() {
                let request = self.request((&self.remote, &self.reference), None, &|_| {});
                match push(self.app, self.running, &request, old.as_deref(), &exported)? {
                    Pushed::Done => {}
                    Pushed::Moved => continue,
                    Pushed::Refused(reason) => return Err(refusal(&reason)),
                }
            }
            return self.finish(&place, base.as_ref(), &edits, exported);
        }
        Err(JobFailure::Failed(
            JobError {
                code: "contended".to_owned(),
                message: "the branch kept moving while the commit was built".to_owned(),
            },
            Retry::Later,
        ))
    }

    pub(super) fn place(&self) -> Result<Place, JobFailure> {
        let space = self
            .job
            .space
            .ok_or_else(|| JobFailure::fatal("internal", "an export without a space"))?;
        let read =
            self.app.store.read_sync(|tx| Place::read(self.app, tx, space, &self.payload.request));
        read.map_err(JobFailure::internal)?
            .ok_or_else(|| JobFailure::fatal("space-deleted", "the space was deleted"))
    }

    /// Returns a request for a ref of a repository. `known` is a commit whose files are known.
    fn request<'r>(
        &'r self,
        (remote, reference): (&'r Remote, &'r RefName),
        known: Option<&'r str>,
        progress: &'r (dyn Fn(FetchProgress) + Sync),
    ) -> FetchRequest<'r> {
        FetchRequest {
            organization: self.organization,
            remote,
            cache: self.payload.request.cache.as_deref(),
            reference,
            // Without a known commit, the dates of all files would be read from the history.
            known: known.or(Some("")),
            cancel: self.running.cancel.clone(),
            progress,
        }
    }

    fn report(&self, progress: FetchProgress) {
        let message = match progress {
            FetchProgress::Connecting => "connecting",
            FetchProgress::Receiving { .. } => "receiving",
            FetchProgress::Indexing { .. } => "indexing",
            FetchProgress::Done => "comparing",
        };
        self.running.report(0, None, message);
    }

    /// Returns the commit of the branch. For a new branch, returns the commit that the space was
    /// imported from, if it can be read: it has the files that are no documentation.
    pub(super) fn base(&self, place: &Place) -> Result<Option<Base>, JobFailure> {
        let known = place.agreed.as_ref().and_then(|agreed| agreed.oid.as_deref());
        let progress = |progress| self.report(progress);
        let branch = (&self.remote, &self.reference);
        match self.app.fetcher.fetch(&self.request(branch, known, &progress)) {
            Ok(fetched) => {
                return Ok(Some(Base { folder: fetched.folder, is_tip: true, is_copy: false }));
            }
            Err(GitError::NoSuchRef { .. } | GitError::Empty { .. }) => {}
            Err(error) => return Err(git_failure(error)),
        }
        let Some(row) =
            place.row.as_ref().filter(|row| row.directory == self.payload.request.directory)
        else {
            return Ok(None);
        };
        let (Ok(commit), Ok(mut remote)) = (RefName::parse(&row.oid), Remote::parse(&row.url))
        else {
            return Ok(None);
        };
        let is_copy = remote.url != self.remote.url;
        if !is_copy {
            remote = self.remote.clone();
        }
        // Another repository is read without credentials, so only public files are copied.
        match self.app.fetcher.fetch(&self.request((&remote, &commit), None, &progress)) {
            Ok(fetched) => Ok(Some(Base { folder: fetched.folder, is_tip: false, is_copy })),
            Err(error @ GitError::Cancelled) => Err(git_failure(error)),
            Err(error) => {
                tracing::info!(%error, "the branch begins without the files of the import");
                Ok(None)
            }
        }
    }

    /// Compares a content with the branch, and calls `with` with the edits. Returns them with its
    /// result.
    pub(super) fn build<T>(
        &self,
        place: &Place,
        base: Option<&Base>,
        export: &Exportable<'_>,
        with: impl FnOnce(&Prepared<'_>) -> Result<T, ExportError>,
    ) -> Result<(FileEdits, T), JobFailure> {
        self.running.report(0, None, "comparing");
        let Exportable { content, synced, is_own } = *export;
        let directory = self.payload.request.directory.as_str();
        let has_all_files = base.is_some_and(|base| is_own || !base.is_tip);
        let alone = self.configuration(place)?;
        let text = self.text(place)?;
        let plan = CommitPlan {
            content,
            synced,
            base: base.map(|base| &base.folder),
            alone: &alone,
            is_copy: base.is_some_and(|base| base.is_copy),
            is_new: base.is_none_or(|base| !base.is_tip),
            // The server of a copy needs the contents of all files in Git LFS.
            complete: !has_all_files || self.payload.force || base.is_some_and(|base| base.is_copy),
            force: self.payload.force,
            directory,
            merged: &self.payload.merged,
            text: &text,
        };
        plan.with(self.app, self.running, with)
    }

    /// Returns a folder with the configuration of the content, which tells its root.
    fn configuration(&self, place: &Place) -> Result<FilesInMemory, JobFailure> {
        let sources = &place.snapshot.revision.content.sources;
        let mut files = Vec::new();
        if let Some((_, hash)) = sources.iter().find(|(path, _)| path == CONFIG) {
            let bytes = Handle::current().block_on(self.app.store.object(hash))?;
            let directory = self.payload.request.directory.as_str();
            let slash = if directory.is_empty() { "" } else { "/" };
            files.push((format!("{directory}{slash}{CONFIG}"), bytes));
        }
        Ok(FilesInMemory::new(files))
    }

    /// Returns the message and the authors of the commit.
    fn text(&self, place: &Place) -> Result<CommitText, JobFailure> {
        let (space, head) = (place.space.id, place.snapshot.row.id);
        let agreed = place.agreed.as_ref();
        let authors = self.app.store.read_sync(|tx| {
            let since = agreed.map(|agreed| agreed.newest_shared(tx, space)).transpose()?;
            authors::since(tx, space, head, since.flatten())
        })?;
        let key = self.payload.signing_key.as_deref();
        commit_text(self.app, &self.payload.message, authors, place.snapshot.row.created_at, key)
    }

    fn finish(
        &self,
        place: &Place,
        base: Option<&Base>,
        edits: &FileEdits,
        exported: Exported,
    ) -> Result<(), JobFailure> {
        let app = self.app;
        let content = &place.snapshot.revision.content;
        let known = place.agreed.as_ref().map(|agreed| &agreed.state);
        let state = state_after(app, content, known, edits, &exported)?;
        let oid = match (&exported.commit, base) {
            (Some(commit), _) => Some(commit.oid.clone()),
            (None, Some(base)) if base.is_tip => Some(base.folder.commit().oid.clone()),
            _ => None,
        };
        let message = if exported.commit.is_some() { PUSHED } else { PRESENT };
        let is_made = |oid: &str| base.is_none_or(|base| base.folder.commit().oid != oid);
        let agreed_oid = oid.filter(|_| self.has_no_other_changes(place, base, &exported));
        let made = exported.commit.filter(|commit| is_made(&commit.oid));
        let agreement = Agreement {
            space: place.space.id,
            is_main: place.is_main,
            revision: place.snapshot.row.id,
            object: place.snapshot.row.object,
            state: git::encode(&state).map_err(JobFailure::internal)?,
            request: self.payload.request.clone(),
            agreed_oid,
            made: made.map(|commit| (commit.oid, commit.message)),
            actor: self.job.actor,
            job: self.job.id,
        };
        let (lease, now) = (self.running.lease.clone(), app.clock.now());
        Handle::current()
            .block_on(app.store.write(move |tx| agreement.store(tx, &lease, now, message)))
    }

    /// Returns `true` if the branch has no changes that the space lacks.
    fn has_no_other_changes(
        &self,
        place: &Place,
        base: Option<&Base>,
        exported: &Exported,
    ) -> bool {
        let Some(base) = base else { return true };
        let Some(agreed) = place.agreed.as_ref() else { return false };
        if exported.merged > 0 {
            return false;
        }
        let Some(oid) = &agreed.oid else { return false };
        if *oid == base.folder.commit().oid {
            return true;
        }
        let changed = base.folder.changed_since(oid).ok().flatten();
        changed.is_some_and(|changed| changed.iter().all(|path| exported.paths.contains(path)))
    }

    /// Ends a job whose event is older than the last one.
    fn skip(&self, place: &Place) -> Result<(), JobFailure> {
        let (job, actor, lease) = (self.job.id, self.job.actor, self.running.lease.clone());
        let (space, organization) = (place.space.id, place.space.organization);
        let ended = self.app.store.write(move |tx| {
            tx.record(
                &NewEvent::new(Event::ExportFinished { job: job.to_string(), commit: None })
                    .by(actor)
                    .organization(organization)
                    .space(space),
            )?;
            tx.set_job_message(&lease, PAST)?;
            tx.finish_job(&lease, None)?;
            Ok::<_, StoreError>(())
        });
        Ok(Handle::current().block_on(ended)?)
    }
}

/// Returns the failure of an export whose commit the server refused.
pub(in crate::content) fn refusal(reason: &str) -> JobFailure {
    JobFailure::fatal(REJECTED, format!("the Git server rejected the commit: {reason}"))
}

/// Returns the failure of an export to a branch whose last import waits in a change request.
fn waiting_failure(pending: &Pending) -> JobFailure {
    let number = pending.change_request.number;
    let message = format!(
        "nothing was exported, because changes of the branch conflict with changes of the space: \
         they wait in change request {number}. Merge or archive it first, or export with `force` to \
         replace the repository's version"
    );
    JobFailure::fatal("conflict", message)
}

/// Returns the failure of an export that would overwrite changes.
pub(in crate::content) fn conflict_failure(conflicts: &[Conflict]) -> JobFailure {
    let mut message =
        "nothing was exported, because both sides changed the same files: ".to_owned();
    let listed: Vec<String> = conflicts
        .iter()
        .take(LISTED)
        .map(|conflict| format!("`{}` {}", conflict.path, conflict.reason))
        .collect();
    message.push_str(&listed.join("; "));
    if let Some(more) = conflicts.len().checked_sub(LISTED).filter(|more| *more > 0) {
        message.push_str(&format!("; and {more} more"));
    }
    message.push_str(
        ". Import the branch first, or export with `force` to replace the repository's version",
    );
    JobFailure::fatal("conflict", message)
}
