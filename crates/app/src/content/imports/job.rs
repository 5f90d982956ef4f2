//! The jobs of imports: they fetch files, build content from them, and have it merged and published.

use std::io::Read;

use bindery_git::import::{
    self, ImportContext, ImportError, ImportLimits, ImportOptions, ImportProgress, ImportResult,
    Previous, Sink,
};
use bindery_git::{FetchProgress, FetchRequest, Folder, LargeFiles, RefName};
use bindery_model::JobKind;
use bindery_revision::{Hash, ObjectError, ObjectKind, ObjectRef};
use bindery_store::{Event, Job, NewEvent, PreparedObject, Retry, Store, git_states, spaces};
use bytes::Bytes;
use tokio::runtime::Handle;

use super::base::{Base, Waiting};
use super::conflicts::{self, Proposed};
use super::language::ImportLanguage;
use super::merge::{Merged, merge_import};
use super::origin::Origin;
use super::publish::{self, ImportSource, MergedContent};
use super::source::{git_failure, open_archive};
use super::{ArchivePayload, GitPayload};
use crate::App;
use crate::content::git_requests::UNREADABLE;
use crate::content::revisions::{Committed, RevisionOwner};
use crate::jobs::{BackgroundJob, JobFailure, RunningJob};

/// Maximum number of attempts of an import that fails for a temporary reason.
const ATTEMPTS: u32 = 2;
/// Maximum number of times that one attempt builds an import because the space changed meanwhile.
const TRIES: u32 = 5;
/// Message of a job that ended early because the commit was imported before.
const THERE: &str = "nothing to do: this commit is the one that was imported last";
/// Message of a job that ended early because a newer event was processed before.
const PAST: &str = "nothing to do: the timestamp is older than that of the last import";

/// The job that imports content from a Git repository.
pub(crate) struct GitImportJob;

/// The job that imports content from an archive.
pub(crate) struct ArchiveImportJob;

impl BackgroundJob for GitImportJob {
    const KIND: JobKind = JobKind::GitImport;
    const MAX_ATTEMPTS: u32 = ATTEMPTS;
    const PAYLOAD_ERROR: &str = UNREADABLE;
    type Payload = GitPayload;

    fn run(
        app: &App,
        job: &Job,
        payload: GitPayload,
        running: &RunningJob,
    ) -> Result<(), JobFailure> {
        logged(job, GitRun { app, job, payload: &payload, running }.run())
    }
}

impl BackgroundJob for ArchiveImportJob {
    const KIND: JobKind = JobKind::ArchiveImport;
    const MAX_ATTEMPTS: u32 = ATTEMPTS;
    const PAYLOAD_ERROR: &str = UNREADABLE;
    type Payload = ArchivePayload;

    fn run(
        app: &App,
        job: &Job,
        payload: ArchivePayload,
        running: &RunningJob,
    ) -> Result<(), JobFailure> {
        logged(job, run_archive(app, job, &payload, running))
    }

    fn referenced_objects(payload: &ArchivePayload) -> Vec<ObjectRef> {
        vec![(ObjectKind::Bytes, payload.archive)]
    }
}

/// Logs the error of an import that failed.
fn logged(job: &Job, outcome: Result<(), JobFailure>) -> Result<(), JobFailure> {
    if let Err(JobFailure::Failed(error, _)) = &outcome {
        tracing::info!(job = %job.id, code = error.code, message = error.message, "import failed");
    }
    outcome
}

/// An attempt to import from Git.
pub(super) struct GitRun<'a> {
    pub(super) app: &'a App,
    pub(super) job: &'a Job,
    pub(super) payload: &'a GitPayload,
    pub(super) running: &'a RunningJob,
}

impl GitRun<'_> {
    fn run(&self) -> Result<(), JobFailure> {
        let Self { app, job, payload, running } = *self;
        for _ in 0..TRIES {
            let base = Base::read(app, job)?;
            if payload.is_past(base.last_event()) {
                return skip(app, job, running, (None, None), PAST.to_owned());
            }
            let committed = self.fetch(base, |base, branch, origin| {
                if self.is_merged() {
                    self.merge(base.with_branch(app, &origin)?, branch, origin)
                } else {
                    self.replace(&base, branch, origin)
                }
            })?;
            if let Committed::Done = committed {
                return Ok(());
            }
        }
        Err(contended())
    }

    /// Fetches the branch, and calls `with` with its files.
    pub(super) fn fetch<T>(
        &self,
        base: Base,
        with: impl FnOnce(Base, Branch<'_>, Origin) -> Result<T, Failure>,
    ) -> Result<T, JobFailure> {
        let Self { app, job, payload, running } = *self;
        let broken = || JobFailure::fatal("internal", UNREADABLE);
        let asked = &payload.request;
        let reference = RefName::parse(&asked.reference).map_err(|_| broken())?;
        let organization = job.organization.ok_or_else(broken)?;
        let remote = asked.remote(app, organization)?;
        let progress = |progress: FetchProgress| report(running, progress);
        // Imported texts contain addresses of files. If the address of the file view changes, all
        // texts must be read again.
        let tree_url = asked.tree_url.clone().or_else(|| base.tree_url(&asked.url));
        let reread = payload.force || base.tree_url(&asked.url) != tree_url;
        let known = base.known().filter(|_| !reread).map(str::to_owned);
        let request = FetchRequest {
            organization,
            remote: &remote,
            cache: asked.cache.as_deref(),
            reference: &reference,
            known: known.as_deref(),
            cancel: running.cancel.clone(),
            progress: &progress,
        };
        let fetched = app.fetcher.fetch(&request).map_err(git_failure)?;
        let commit = fetched.folder.commit();
        let origin = Origin {
            url: asked.url.clone(),
            reference: fetched.reference.clone(),
            directory: asked.directory.clone(),
            message: commit.message.clone(),
            commit_url: asked.commit_url(&commit.oid),
            tree_url,
            oid: commit.oid.clone(),
            event_at: asked.event_at(),
            provider: asked.provider(),
        };
        let large_files = app.fetcher.large_files(&request);
        let large_files: Option<&dyn LargeFiles> = Some(&large_files);
        let branch = Branch { folder: &fetched.folder, large_files, reread };
        with(base, branch, origin).map_err(|failure| match failure {
            Failure::Job(failure) => failure,
            Failure::Import(error) => {
                if matches!(error, ImportError::Read { .. } | ImportError::List(_)) {
                    // Later imports would fail too if the damaged cache stayed.
                    if let Err(error) = app.fetcher.discard(&request) {
                        tracing::warn!(%error, "a damaged cache cannot be emptied");
                    }
                }
                import_failure(error)
            }
        })
    }

    /// Returns `true` if the changes of the repository are merged with those of the space. A forced
    /// import replaces the content, and a standalone one does not change it.
    pub(super) fn is_merged(&self) -> bool {
        !self.payload.force && !self.payload.standalone
    }

    /// Builds the import over the present content and makes it the content of the revision.
    fn replace(
        &self,
        base: &Base,
        branch: Branch<'_>,
        origin: Origin,
    ) -> Result<Committed, Failure> {
        let Self { app, job, payload, running } = *self;
        let source = self.source(&origin, branch);
        let imported = build(app, running, branch.folder, source, base.head())?;
        let owner = if payload.standalone { RevisionOwner::Nothing } else { RevisionOwner::Main };
        let language = payload.language.as_deref();
        let source = ImportSource { language, origin: Some(origin), owner };
        Ok(publish::save(app, job, running, imported, base, None, source)?)
    }

    /// Builds the import over the content that the repository had last, merges it with the present
    /// content, and publishes the result. Conflicts go to a change request.
    fn merge(&self, base: Base, branch: Branch<'_>, origin: Origin) -> Result<Committed, Failure> {
        let Self { app, job, payload, running } = *self;
        let Branch { folder, reread, .. } = branch;
        let language = payload.language.as_deref();
        let stated = || ImportLanguage::stated(language);
        let waiting = base.waiting_import(&origin);
        let may_skip = waiting.is_none() && base.holds(&origin);
        if may_skip && !reread {
            skip(app, job, running, (stated(), Some(origin)), THERE.to_owned())?;
            return Ok(Committed::Done);
        }
        let previous = base.repository(&origin);
        let is_known = |waiting: &&Waiting| waiting.imported.oid.as_ref() == Some(&origin.oid);
        let known = waiting.filter(|waiting| !reread && is_known(waiting));
        let imported = match known {
            Some(waiting) => waiting.result(),
            None => build(app, running, folder, self.source(&origin, branch), previous)?,
        };
        if may_skip && imported.content == *previous.content {
            skip(app, job, running, (stated(), Some(origin)), THERE.to_owned())?;
            return Ok(Committed::Done);
        }
        let (content, conflicts) = match merge_import(app, &base, &origin, &imported.content)? {
            Merged::Clean { content, pages } => {
                let merged = Some(MergedContent { content: *content, pages });
                let source =
                    ImportSource { language, origin: Some(origin), owner: RevisionOwner::Main };
                return Ok(publish::save(app, job, running, imported, &base, merged, source)?);
            }
            Merged::Unchanged => {
                let source =
                    ImportSource { language, origin: Some(origin), owner: RevisionOwner::Main };
                return Ok(publish::save(app, job, running, imported, &base, None, source)?);
            }
            Merged::Waiting { .. } if let Some(waiting) = known => {
                let message = conflicts::waiting_message(&waiting.pending);
                skip(app, job, running, (None, None), message)?;
                return Ok(Committed::Done);
            }
            Merged::Waiting { content, conflicts } => (content, conflicts),
            Merged::Conflicts { content, conflicts } => (Some(content), Some(conflicts)),
        };
        let proposed = Proposed { content: content.map(|content| *content), conflicts };
        Ok(conflicts::save(app, job, running, imported, &base, proposed, origin)?)
    }

    pub(super) fn source<'s>(&'s self, origin: &Origin, branch: Branch<'s>) -> Source<'s> {
        let Branch { large_files, reread, .. } = branch;
        let directory = &self.payload.request.directory;
        Source { directory, tree_url: origin.tree_url.clone(), large_files, reread }
    }
}

/// The files of the branch that is imported.
#[derive(Clone, Copy)]
pub(super) struct Branch<'a> {
    pub(super) folder: &'a dyn Folder,
    pub(super) large_files: Option<&'a dyn LargeFiles>,
    /// `true` if every file must be read, including unchanged ones.
    pub(super) reread: bool,
}

/// The failure of an attempt to import.
pub(super) enum Failure {
    Job(JobFailure),
    Import(ImportError),
}

impl From<JobFailure> for Failure {
    fn from(failure: JobFailure) -> Self {
        Self::Job(failure)
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        Self::Import(error)
    }
}

fn report(running: &RunningJob, progress: FetchProgress) {
    match progress {
        FetchProgress::Connecting => running.report(0, None, "connecting"),
        FetchProgress::Receiving { bytes, objects } => running.report(
            0,
            Some(objects.into()),
            &format!("receiving, {} KiB so far", bytes / 1024),
        ),
        FetchProgress::Indexing { objects } => running.report(0, Some(objects.into()), "indexing"),
        FetchProgress::Done => running.report(0, None, "reading the tree"),
    }
}

/// Ends a job that has nothing to import. Updates the Git state, but creates no revision, so that
/// change requests and other work based on the head stay current. A stated language still applies.
fn skip(
    app: &App,
    job: &Job,
    running: &RunningJob,
    (language, origin): (Option<ImportLanguage>, Option<Origin>),
    reason: String,
) -> Result<(), JobFailure> {
    let (id, actor, now) = (job.id, job.actor, app.clock.now());
    let (space, organization) = (job.space, job.organization);
    let lease = running.lease.clone();
    let ended = app.store.write(move |tx| {
        if let (Some(origin), Some(space)) = (&origin, space)
            && let Some(row) = git_states::get(tx, space)?
        {
            git_states::set(tx, space, &origin.state(row.state.clone(), Some(&row), now))?;
        }
        if let (Some(language), Some(space)) = (&language, space)
            && let Some(space) = spaces::get(tx, space)?
        {
            language.apply(tx, &space, actor, now)?;
        }
        tx.record(
            &NewEvent::new(Event::ImportFinished { job: id.to_string(), revision: None })
                .by(actor)
                .organization(organization)
                .space(space),
        )?;
        tx.set_job_message(&lease, &reason)?;
        tx.finish_job(&lease, None)?;
        Ok::<_, JobFailure>(())
    });
    Handle::current().block_on(ended)
}

fn run_archive(
    app: &App,
    job: &Job,
    payload: &ArchivePayload,
    running: &RunningJob,
) -> Result<(), JobFailure> {
    running.report(0, None, "unpacking");
    let folder = open_archive(app, &payload.archive)?;
    for _ in 0..TRIES {
        let base = Base::read(app, job)?;
        let source = Source {
            directory: &payload.directory,
            tree_url: None,
            large_files: None,
            reread: false,
        };
        let imported = build(app, running, &folder, source, base.head()).map_err(import_failure)?;
        let language = payload.language.as_deref();
        let source = ImportSource { language, origin: None, owner: RevisionOwner::Main };
        if let Committed::Done = publish::save(app, job, running, imported, &base, None, source)? {
            return Ok(());
        }
    }
    Err(contended())
}

/// Returns the failure of an import whose space changed during every build.
fn contended() -> JobFailure {
    JobFailure::Failed(
        bindery_store::JobError {
            code: "contended".to_owned(),
            message: "the space kept changing while the import was built".to_owned(),
        },
        Retry::Later,
    )
}

/// The source of an import's folder.
pub(in crate::content) struct Source<'a> {
    pub(in crate::content) directory: &'a str,
    pub(in crate::content) tree_url: Option<String>,
    /// The content of files in Git LFS.
    pub(in crate::content) large_files: Option<&'a dyn LargeFiles>,
    pub(in crate::content) reread: bool,
}

/// Stores the new objects of an import.
struct StoreSink<'a>(&'a Store);

impl Sink for StoreSink<'_> {
    fn put(&mut self, objects: Vec<(Hash, Bytes)>) -> Result<(), ObjectError> {
        let prepare = |(hash, bytes)| PreparedObject::with_hash(hash, bytes);
        let prepared = objects.into_iter().map(prepare).collect();
        Handle::current()
            .block_on(self.0.put_objects(prepared))
            .map_err(|error| ObjectError::Failed(error.to_string()))
    }

    fn put_file(&mut self, from: &mut dyn Read) -> Result<Hash, ObjectError> {
        let received = self.0.receive_object(from);
        received
            .and_then(|object| Handle::current().block_on(self.0.put_received(object)))
            .map_err(|error| ObjectError::Failed(error.to_string()))
    }
}

/// Builds the content of a space from a folder and stores its new objects.
pub(in crate::content) fn build(
    app: &App,
    running: &RunningJob,
    folder: &dyn Folder,
    source: Source<'_>,
    previous: Previous<'_>,
) -> Result<ImportResult, ImportError> {
    let objects = app.store.objects();
    let mut sink = StoreSink(&app.store);
    let report = |progress: ImportProgress| {
        running.report(progress.done as u64, Some(progress.total as u64), "importing");
    };
    let options = ImportOptions {
        project_directory: source.directory.to_owned(),
        tree_url: source.tree_url,
        reread: source.reread,
        limits: ImportLimits {
            entries: usize::try_from(app.limits.import_files).unwrap_or(usize::MAX),
            file_bytes: app.limits.import_file_bytes,
            ..ImportLimits::default()
        },
    };
    let context = ImportContext {
        now: app.clock.now(),
        entropy: &app.entropy,
        progress: &report,
        cancel: &running.cancel,
        large_files: source.large_files,
    };
    import::import(folder, &options, Some(previous), &objects, &mut sink, &context)
}

pub(in crate::content) fn import_failure(error: ImportError) -> JobFailure {
    match error {
        ImportError::Cancelled => JobFailure::Cancelled,
        ImportError::OutsideRepository(_) | ImportError::NoSuchFolder(_) => {
            JobFailure::fatal("directory-not-found", error.to_string())
        }
        ImportError::Empty(_) => JobFailure::fatal("empty", error.to_string()),
        ImportError::TooMany(_) | ImportError::Limit(_) => {
            JobFailure::fatal("too-large", error.to_string())
        }
        ImportError::LargeFile(error) => git_failure(error),
        ImportError::Read { .. } | ImportError::List(_) | ImportError::Tree(_) => {
            tracing::error!(%error, "an import failed");
            let message = "the server failed while reading the files".to_owned();
            let error = bindery_store::JobError { code: "internal".to_owned(), message };
            JobFailure::Failed(error, Retry::Later)
        }
    }
}
