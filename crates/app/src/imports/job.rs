//! The job of an import: fetch, build, and one transaction that makes it the space's content.

use bindery_git::import::{
    self, GitState, ImportContext, ImportError, ImportLimits, ImportOptions, ImportProgress,
    Imported, Previous,
};
use bindery_git::{Credentials, FetchProgress, FetchRequest, Folder, RefName, Remote};
use bindery_model::{RevisionId, SpaceId, UserId};
use bindery_revision::{Author, ContentKind, ObjectError, Revision};
use bindery_store::git_states::{self, GitState as GitRow};
use bindery_store::revisions::{self, Commit};
use bindery_store::spaces::Space;
use bindery_store::{
    Event, Job, JobLease, NewEvent, PreparedObject, Retry, StoreError, Tx, spaces,
};
use tokio::runtime::Handle;

use super::source::{git_failure, open_archive};
use super::{ArchivePayload, GitPayload};
use crate::content::Snapshot;
use crate::revisions::{Committed, commit};
use crate::worker::{JobFailure, Running};
use crate::{App, git};

/// How often an import is built anew because the space changed under it.
const TRIES: u32 = 5;

/// Where an import came from, as the revision and the space remember it.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    url: String,
    reference: String,
    directory: String,
    oid: String,
    message: String,
    commit_url: Option<String>,
    tree_url: Option<String>,
}

pub(super) fn run_git(app: &App, job: &Job, running: &Running) -> Result<(), JobFailure> {
    let payload: GitPayload = payload(job)?;
    let broken = || JobFailure::fatal("internal", "the job's own record is not readable");
    let credentials = match &payload.credentials {
        None => None,
        Some(sealed) => {
            let text = app.secrets.open(sealed).ok_or_else(|| {
                JobFailure::fatal(
                    "credentials-lost",
                    "the stored credentials were sealed with another key; start the import again",
                )
            })?;
            let (user, password): (String, String) =
                serde_json::from_str(&text).map_err(|_| broken())?;
            Some(Credentials::new(user, password))
        }
    };
    let remote = Remote::parse(&payload.url).map_err(|_| broken())?.with_credentials(credentials);
    let reference = RefName::parse(&payload.reference).map_err(|_| broken())?;
    let organization = job.organization.ok_or_else(broken)?;
    let progress = |progress: FetchProgress| match progress {
        FetchProgress::Connecting => running.report(0, None, "connecting"),
        FetchProgress::Receiving { bytes, objects } => running.report(
            0,
            Some(objects.into()),
            &format!("receiving, {} KiB so far", bytes / 1024),
        ),
        FetchProgress::Indexing { objects } => running.report(0, Some(objects.into()), "indexing"),
        FetchProgress::Done => running.report(0, None, "reading the tree"),
    };
    for _ in 0..TRIES {
        let base = read_base(app, job)?;
        let request = FetchRequest {
            organization,
            remote: &remote,
            reference: &reference,
            known: base.commit.as_deref(),
            cancel: running.cancel.clone(),
            progress: &progress,
        };
        let fetched = app.fetcher.fetch(&request).map_err(git_failure)?;
        let commit = fetched.folder.commit();
        let origin = Origin {
            url: payload.url.clone(),
            reference: fetched.reference.clone(),
            directory: payload.directory.clone(),
            message: commit.message.clone(),
            commit_url: payload.commit_url.as_ref().map(|base| join_url(base, &commit.oid)),
            tree_url: payload.tree_url.clone(),
            oid: commit.oid.clone(),
        };
        let imported =
            build(app, running, &fetched.folder, &payload.directory, &base).map_err(|error| {
                if matches!(error, ImportError::Read { .. } | ImportError::List(_)) {
                    // A cache that cannot be read would fail every import to come.
                    if let Err(error) = app.fetcher.discard(&request) {
                        tracing::warn!(%error, "a damaged cache cannot be emptied");
                    }
                }
                import_failure(error)
            })?;
        if let Committed::Done = save(app, job, running, imported, &base, Some(origin))? {
            return Ok(());
        }
    }
    Err(contended())
}

fn join_url(base: &str, part: &str) -> String {
    format!("{}/{part}", base.trim_end_matches('/'))
}

pub(super) fn run_archive(app: &App, job: &Job, running: &Running) -> Result<(), JobFailure> {
    let payload: ArchivePayload = payload(job)?;
    running.report(0, None, "unpacking");
    let folder = open_archive(app, &payload.archive)?;
    for _ in 0..TRIES {
        let base = read_base(app, job)?;
        let imported =
            build(app, running, &folder, &payload.directory, &base).map_err(import_failure)?;
        if let Committed::Done = save(app, job, running, imported, &base, None)? {
            return Ok(());
        }
    }
    Err(contended())
}

fn contended() -> JobFailure {
    JobFailure::Failed(
        bindery_store::JobError {
            code: "contended".to_owned(),
            message: "the space kept changing while the import was built".to_owned(),
        },
        Retry::Later,
    )
}

fn payload<T: serde::de::DeserializeOwned>(job: &Job) -> Result<T, JobFailure> {
    serde_json::from_value(job.payload.clone())
        .map_err(|_| JobFailure::fatal("internal", "the job's own record is not readable"))
}

/// Makes what was built the space's content, unless the space changed meanwhile: then it has to be
/// built anew on what is there now.
fn save(
    app: &App,
    job: &Job,
    running: &Running,
    imported: Imported,
    base: &Base,
    origin: Option<Origin>,
) -> Result<Committed, JobFailure> {
    for warning in imported.warnings.iter().take(100) {
        tracing::info!(job = %job.id, path = warning.path, "{}", warning.message);
    }
    running.report(imported.counts.read, Some(imported.counts.read), "saving");
    let made = Made {
        base: base.space.head,
        content: imported.content,
        state: git::encode(&imported.state).map_err(internal)?,
        origin,
        actor: job.actor,
    };
    let lease = running.lease.clone();
    Handle::current().block_on(finish(app, base.space.id, made, lease, job.id))
}

fn internal(error: bindery_model::Error) -> JobFailure {
    tracing::error!(%error, "an import failed");
    JobFailure::fatal("internal", "the server failed while doing this")
}

struct Base {
    space: Space,
    snapshot: Snapshot,
    state: Option<GitState>,
    /// The commit of that state.
    commit: Option<String>,
}

fn read_base(app: &App, job: &Job) -> Result<Base, JobFailure> {
    let space =
        job.space.ok_or_else(|| JobFailure::fatal("internal", "an import without a space"))?;
    let base = app.store.read_here(|tx| {
        let Some(space) = spaces::get(tx, space)?.filter(|space| space.deleted_at.is_none()) else {
            return Ok(None);
        };
        let snapshot = Snapshot::of(app, tx, &space, None)?;
        let row = git_states::get(tx, space.id)?;
        let state = row.as_ref().map(|row| git::decode(&row.state)).transpose()?;
        let commit = row.map(|row| row.oid).filter(|oid| !oid.is_empty());
        Ok(Some(Base { space, snapshot, state, commit }))
    });
    base.map_err(internal)?
        .ok_or_else(|| JobFailure::fatal("space-deleted", "the space was deleted"))
}

fn build(
    app: &App,
    running: &Running,
    folder: &dyn Folder,
    directory: &str,
    base: &Base,
) -> Result<Imported, ImportError> {
    let objects = app.store.objects();
    let mut sink = |batch: Vec<_>| {
        let prepared =
            batch.into_iter().map(|(hash, bytes)| PreparedObject::hashed(hash, bytes)).collect();
        Handle::current()
            .block_on(app.store.put_objects(prepared))
            .map_err(|error| ObjectError::Failed(error.to_string()))
    };
    let report = |progress: ImportProgress| {
        running.report(progress.done as u64, Some(progress.total as u64), "importing");
    };
    let options = ImportOptions {
        project_directory: directory.to_owned(),
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
        commit: base.commit.as_deref(),
    };
    import::import(folder, &options, Some(previous), &objects, &mut sink, &context)
}

fn import_failure(error: ImportError) -> JobFailure {
    match error {
        ImportError::Cancelled => JobFailure::Cancelled,
        ImportError::Climbs(_) | ImportError::NoSuchFolder(_) => {
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

/// Content that an import made, and what it stands on.
#[derive(Clone, Debug)]
struct Made {
    base: RevisionId,
    content: bindery_revision::Content,
    state: Vec<u8>,
    origin: Option<Origin>,
    actor: Option<UserId>,
}

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
            if row.locked {
                return Err(JobFailure::fatal("space-locked", "the space was locked meanwhile"));
            }
            let committed = commit_made(tx, &row, id, &made, now)?;
            if let Committed::Moved = committed {
                return Ok(committed);
            }
            tx.record(
                &NewEvent::new(Event::ImportFinished { job: job.to_string(), revision: Some(id) })
                    .by(made.actor)
                    .organization(row.organization)
                    .space(space),
            )?;
            tx.finish_job(&lease, Some(id))?;
            Ok(committed)
        })
        .await
}

fn commit_made(
    tx: &Tx<'_>,
    space: &Space,
    id: RevisionId,
    made: &Made,
    now: bindery_model::Timestamp,
) -> Result<Committed, StoreError> {
    let revision = Revision {
        parents: vec![made.base],
        kind: ContentKind::Edits,
        author: made.actor.map_or(Author::System, Author::User),
        created_at: now,
        message: made.origin.as_ref().map(|origin| origin.message.clone()),
        content: made.content.clone(),
    };
    if let Committed::Moved = commit(tx, space, id, made.base, &revision)? {
        return Ok(Committed::Moved);
    }
    let origin = made.origin.as_ref();
    let text = |field: fn(&Origin) -> &str| origin.map(field).unwrap_or_default().to_owned();
    if let Some(origin) = origin {
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
            },
        )?;
    }
    git_states::set(
        tx,
        space.id,
        &GitRow {
            url: text(|origin| &origin.url),
            reference: text(|origin| &origin.reference),
            directory: text(|origin| &origin.directory),
            oid: text(|origin| &origin.oid),
            state: made.state.clone(),
            tree_url: origin.and_then(|origin| origin.tree_url.clone()),
            updated_at: now,
        },
    )?;
    Ok(Committed::Done)
}
