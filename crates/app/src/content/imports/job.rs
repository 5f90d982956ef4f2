//! The jobs of imports: they fetch files, build content from them, and publish it in one
//! transaction.

use std::io::Read;

use bindery_git::import::{
    self, GitState, ImportContext, ImportError, ImportLimits, ImportOptions, ImportProgress,
    ImportResult, Previous, Sink,
};
use bindery_git::{FetchProgress, FetchRequest, Folder, RefName};
use bindery_model::{JobKind, RevisionId, SpaceId, Timestamp, UserId};
use bindery_revision::{Author, ContentKind, Hash, ObjectError, ObjectKind, ObjectRef, Revision};
use bindery_store::git_states::{self, GitState as GitRow, Provider};
use bindery_store::revisions::{self, Commit, ImportBase};
use bindery_store::spaces::Space;
use bindery_store::{
    Event, Job, JobLease, NewEvent, PreparedObject, Retry, Store, StoreError, Tx, spaces,
};
use bytes::Bytes;
use tokio::runtime::Handle;

use super::language::{self, ImportLanguage};
use super::source::{git_failure, open_archive};
use super::{ArchivePayload, GitPayload};
use crate::content::git_requests::UNREADABLE;
use crate::content::revisions::{Committed, RevisionOwner, commit, store};
use crate::content::snapshot::Snapshot;
use crate::jobs::{BackgroundJob, JobFailure, RunningJob};
use crate::{App, content::git};

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
        logged(job, run_git(app, job, &payload, running))
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

/// The origin of an import, as stored with the revision and the space.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    url: String,
    reference: String,
    directory: String,
    oid: String,
    message: String,
    commit_url: Option<String>,
    tree_url: Option<String>,
    event_at: Option<Timestamp>,
    provider: Provider,
}

impl Origin {
    /// Returns the new Git state of a space after an import from this origin; `before` is its
    /// previous state.
    fn state(&self, state: Vec<u8>, before: Option<&GitRow>, now: Timestamp) -> GitRow {
        // A request without a hosting service keeps the previous one of the same repository.
        let same = before.filter(|before| before.url == self.url);
        let provider = self.provider.clone().or(same.map(|before| &before.provider));
        GitRow {
            url: self.url.clone(),
            reference: self.reference.clone(),
            directory: self.directory.clone(),
            oid: self.oid.clone(),
            state,
            tree_url: self.tree_url.clone(),
            updated_at: now,
            event_at: self.event_at.max(before.and_then(|before| before.event_at)),
            provider,
        }
    }
}

fn run_git(
    app: &App,
    job: &Job,
    payload: &GitPayload,
    running: &RunningJob,
) -> Result<(), JobFailure> {
    let broken = || JobFailure::fatal("internal", UNREADABLE);
    let asked = &payload.request;
    let remote = asked.remote(app)?;
    let reference = RefName::parse(&asked.reference).map_err(|_| broken())?;
    let organization = job.organization.ok_or_else(broken)?;
    let progress = |progress: FetchProgress| report(running, progress);
    for _ in 0..TRIES {
        let base = read_base(app, job)?;
        if payload.is_past(base.row.as_ref().and_then(|row| row.event_at)) {
            return skip(app, job, running, (None, None), PAST);
        }
        // Imported texts contain addresses of files. If the address of the file view changes, all
        // texts must be read again.
        let tree_url = asked.tree_url.clone().or_else(|| base.tree_url(&asked.url));
        let reread = payload.force || base.tree_url(&asked.url) != tree_url;
        let known = if reread { None } else { base.commit() };
        let request = FetchRequest {
            organization,
            remote: &remote,
            cache: asked.cache.as_deref(),
            reference: &reference,
            known,
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
            tree_url: tree_url.clone(),
            oid: commit.oid.clone(),
            event_at: asked.event_at(),
            provider: asked.provider(),
        };
        let may_skip = !payload.force && !payload.standalone && base.holds(&origin);
        let stated = ImportLanguage::stated(payload.language.as_deref());
        if may_skip && !reread {
            return skip(app, job, running, (stated, Some(origin)), THERE);
        }
        let source = Source { directory: &asked.directory, tree_url, reread };
        let imported = build(app, running, &fetched.folder, source, &base).map_err(|error| {
            if matches!(error, ImportError::Read { .. } | ImportError::List(_)) {
                // Later imports would fail too if the damaged cache stayed.
                if let Err(error) = app.fetcher.discard(&request) {
                    tracing::warn!(%error, "a damaged cache cannot be emptied");
                }
            }
            import_failure(error)
        })?;
        if may_skip && imported.content == base.snapshot.revision.content {
            return skip(app, job, running, (stated, Some(origin)), THERE);
        }
        let target = if payload.standalone { RevisionOwner::Nothing } else { RevisionOwner::Main };
        let source = (payload.language.as_deref(), Some(origin));
        if let Committed::Done = save(app, job, running, imported, &base, source, target)? {
            return Ok(());
        }
    }
    Err(contended())
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
    reason: &'static str,
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
        tx.set_job_message(&lease, reason)?;
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
        let base = read_base(app, job)?;
        let source = Source { directory: &payload.directory, tree_url: None, reread: false };
        let imported = build(app, running, &folder, source, &base).map_err(import_failure)?;
        let source = (payload.language.as_deref(), None);
        if let Committed::Done =
            save(app, job, running, imported, &base, source, RevisionOwner::Main)?
        {
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

/// Publishes an import from a source with a stated language and an origin, either of which can be
/// absent. Returns `Committed::Moved` if the head of the space has moved since `base` was read; the
/// caller must then build the import again.
fn save(
    app: &App,
    job: &Job,
    running: &RunningJob,
    imported: ImportResult,
    base: &Base,
    (stated, origin): (Option<&str>, Option<Origin>),
    of: RevisionOwner,
) -> Result<Committed, JobFailure> {
    for warning in imported.warnings.iter().take(100) {
        tracing::info!(job = %job.id, path = warning.path, "{}", warning.message);
    }
    running.report(imported.counts.read, Some(imported.counts.read), "saving");
    let of_content = match of {
        RevisionOwner::Main => ImportLanguage::of(app, stated, &base.space, &imported.content),
        _ => Ok(None),
    };
    let made = Made {
        base: base.space.head,
        content: imported.content,
        state: git::encode(&imported.state).map_err(internal)?,
        origin,
        actor: job.actor,
        of,
        language: of_content.map_err(internal)?,
        languages: language::folders_to_json(&imported.languages),
    };
    let lease = running.lease.clone();
    Handle::current().block_on(finish(app, base.space.id, made, lease, job.id))
}

/// Logs an error and returns a failure that does not show its details.
fn internal(error: bindery_model::Error) -> JobFailure {
    tracing::error!(%error, "an import failed");
    JobFailure::fatal("internal", "the server failed while running this job")
}

/// The content and the Git state of a space before an import.
struct Base {
    space: Space,
    snapshot: Snapshot,
    state: Option<GitState>,
    /// The row that contains the state.
    row: Option<GitRow>,
}

impl Base {
    /// Returns the last imported commit.
    fn commit(&self) -> Option<&str> {
        self.row.as_ref().map(|row| row.oid.as_str()).filter(|oid| !oid.is_empty())
    }

    /// Returns the address of the repository's file view, if the last import was from `url`.
    fn tree_url(&self, url: &str) -> Option<String> {
        self.row.as_ref().filter(|row| row.url == url).and_then(|row| row.tree_url.clone())
    }

    /// Returns `true` if the last import had the same repository, directory and commit.
    fn holds(&self, origin: &Origin) -> bool {
        self.row.as_ref().is_some_and(|row| {
            (&row.url, &row.directory, &row.oid) == (&origin.url, &origin.directory, &origin.oid)
        })
    }
}

/// Reads the current content and Git state of the job's space.
fn read_base(app: &App, job: &Job) -> Result<Base, JobFailure> {
    let space =
        job.space.ok_or_else(|| JobFailure::fatal("internal", "an import without a space"))?;
    let base = app.store.read_sync(|tx| {
        let Some(space) = spaces::get(tx, space)?.filter(|space| space.deleted_at.is_none()) else {
            return Ok(None);
        };
        let snapshot = Snapshot::of(app, tx, &space, None)?;
        let row = git_states::get(tx, space.id)?;
        let state = row.as_ref().map(|row| git::decode(&row.state)).transpose()?;
        Ok(Some(Base { space, snapshot, state, row }))
    });
    base.map_err(internal)?
        .ok_or_else(|| JobFailure::fatal("space-deleted", "the space was deleted"))
}

/// The source of an import's folder.
struct Source<'a> {
    directory: &'a str,
    tree_url: Option<String>,
    reread: bool,
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
fn build(
    app: &App,
    running: &RunningJob,
    folder: &dyn Folder,
    source: Source<'_>,
    base: &Base,
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
    };
    let previous = Previous {
        content: &base.snapshot.revision.content,
        state: base.state.as_ref(),
        commit: base.commit(),
        present: None,
    };
    import::import(folder, &options, Some(previous), &objects, &mut sink, &context)
}

fn import_failure(error: ImportError) -> JobFailure {
    match error {
        ImportError::Cancelled => JobFailure::Cancelled,
        ImportError::OutsideRepository(_) | ImportError::NoSuchFolder(_) => {
            JobFailure::fatal("directory-not-found", error.to_string())
        }
        ImportError::Empty(_) => JobFailure::fatal("empty", error.to_string()),
        ImportError::TooMany(_) | ImportError::Limit(_) => {
            JobFailure::fatal("too-large", error.to_string())
        }
        ImportError::Read { .. } | ImportError::List(_) | ImportError::Tree(_) => {
            tracing::error!(%error, "an import failed");
            let message = "the server failed while reading the files".to_owned();
            let error = bindery_store::JobError { code: "internal".to_owned(), message };
            JobFailure::Failed(error, Retry::Later)
        }
    }
}

/// The result of an import, ready to be published.
#[derive(Clone, Debug)]
struct Made {
    base: RevisionId,
    content: bindery_revision::Content,
    state: Vec<u8>,
    origin: Option<Origin>,
    actor: Option<UserId>,
    of: RevisionOwner,
    language: Option<ImportLanguage>,
    /// The folders of languages in the repository, as JSON.
    languages: Option<String>,
}

/// Publishes an import and ends its job in one transaction.
async fn finish(
    app: &App,
    space: SpaceId,
    made: Made,
    lease: JobLease,
    job: bindery_model::JobId,
) -> Result<Committed, JobFailure> {
    let now = app.clock.now();
    let id = RevisionId::random(&app.entropy);
    app.store
        .write(move |tx| {
            let Some(row) = spaces::get(tx, space)? else {
                return Err(JobFailure::fatal("space-deleted", "the space was deleted"));
            };
            if row.locked && made.of == RevisionOwner::Main {
                return Err(JobFailure::fatal("space-locked", "the space was locked meanwhile"));
            }
            let committed = commit_made(tx, &row, id, &made, now)?;
            if let Committed::Moved = committed {
                return Ok(committed);
            }
            if let (Some(language), Some(row)) = (&made.language, spaces::get(tx, space)?) {
                language.apply(tx, &row, made.actor, now)?;
            }
            tx.record(
                &NewEvent::new(Event::ImportFinished { job: job.to_string(), revision: Some(id) })
                    .by(made.actor)
                    .organization(row.organization)
                    .space(space),
            )?;
            if let Some(languages) = &made.languages {
                tx.set_job_languages(&lease, languages)?;
            }
            tx.finish_job(&lease, Some(id))?;
            Ok(committed)
        })
        .await
}

/// Writes the revision, the commit and the Git state of an import.
fn commit_made(
    tx: &Tx<'_>,
    space: &Space,
    id: RevisionId,
    made: &Made,
    now: Timestamp,
) -> Result<Committed, StoreError> {
    let revision = Revision {
        parents: vec![made.base],
        kind: ContentKind::Edits,
        author: made.actor.map_or(Author::System, Author::User),
        created_at: now,
        message: made.origin.as_ref().map(|origin| origin.message.clone()),
        content: made.content.clone(),
    };
    if made.of == RevisionOwner::Main {
        if let Committed::Moved = commit(tx, space, id, made.base, &revision)? {
            return Ok(Committed::Moved);
        }
    } else {
        store(tx, space.id, id, &revision, made.of)?;
    }
    if let Some(origin) = &made.origin {
        revisions::set_commit(
            tx,
            space.id,
            id,
            &Commit {
                oid: origin.oid.clone(),
                message: origin.message.clone(),
                reference: origin.reference.clone(),
                url: origin.commit_url.clone(),
                state: made.state.clone(),
                created_here: false,
            },
        )?;
    }
    if let (Some(_), Some(row)) = (&made.origin, revisions::get(tx, space.id, id)?) {
        let synced = ImportBase { object: row.object, state: made.state.clone() };
        revisions::set_import_base(tx, space.id, id, &synced)?;
    }
    if made.of != RevisionOwner::Main {
        return Ok(Committed::Done);
    }
    let before = git_states::get(tx, space.id)?;
    let state = match &made.origin {
        Some(origin) => origin.state(made.state.clone(), before.as_ref(), now),
        None => of_archive(made.state.clone(), before, now),
    };
    git_states::set(tx, space.id, &state)?;
    Ok(Committed::Done)
}

/// Returns the Git state of a space after an import from an archive. The time of the last event is
/// kept, so that older events of the repository stay outdated.
fn of_archive(state: Vec<u8>, before: Option<GitRow>, now: Timestamp) -> GitRow {
    GitRow {
        url: String::new(),
        reference: String::new(),
        directory: String::new(),
        oid: String::new(),
        state,
        tree_url: None,
        updated_at: now,
        event_at: before.and_then(|before| before.event_at),
        provider: Provider::default(),
    }
}
