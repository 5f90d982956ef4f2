//! Bringing content into a space from Git or from an archive: the request, and the job.

mod job;
mod source;

use bindery_git::{RefName, Remote};
use bindery_model::{Error, JobId, Result, SpaceId};
use bindery_revision::Hash;
use bindery_store::spaces::Space;
use bindery_store::{Event, Job, JobFilter, JobStatus, NewEvent, NewJob, StoreError, Tx};
use serde::{Deserialize, Serialize};

use crate::App;
use crate::Cx;
use crate::access::{Action, Authorized, authorize_target};
use crate::worker::{JobFailure, Running};

/// Imports from Git.
pub(crate) const GIT: &str = "git-import";
/// Imports from an archive.
pub(crate) const ARCHIVE: &str = "archive-import";
/// The kinds of jobs that this module runs.
pub(crate) const KINDS: [&str; 2] = [GIT, ARCHIVE];
/// How often a fetch that failed for a passing reason is tried.
const ATTEMPTS: u32 = 2;

/// An import as it was asked for.
#[derive(Clone, Debug)]
pub struct GitImport {
    /// The repository's address, maybe with credentials in it.
    pub url: String,
    /// The ref.
    pub reference: String,
    /// The project's directory; empty: the repository's root.
    pub directory: String,
    /// Where people see the repository's files.
    pub tree_url: Option<String>,
    /// What a commit's id is put behind to make its address.
    pub commit_url: Option<String>,
}

/// The job's own copy of what was asked for: no secret is readable in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct GitPayload {
    url: String,
    credentials: Option<String>,
    reference: String,
    directory: String,
    tree_url: Option<String>,
    commit_url: Option<String>,
}

/// An archive that was taken in.
#[derive(Clone, Debug)]
pub struct ArchiveImport {
    /// The object that holds its bytes.
    pub archive: Hash,
    /// The project's directory; empty: the archive's root.
    pub directory: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ArchivePayload {
    archive: Hash,
    directory: String,
}

/// A project directory: inside the repository, without tricks.
///
/// # Errors
/// Says where, what was found and what is allowed.
pub fn check_directory(place: &str, directory: &str) -> Result<()> {
    let climbs = directory.split('/').any(|part| part == "..");
    let odd = directory.contains(['\\', '\0']) || directory.chars().any(char::is_control);
    if climbs || odd || directory.starts_with('/') {
        return Err(Error::invalid(format!(
            "{place}: found \"{}\", allowed: a path inside the repository, without a leading \
             slash and without ..",
            directory.escape_debug()
        )));
    }
    Ok(())
}

/// Enqueues an import from Git. What can be seen without the network is refused here.
///
/// # Errors
/// 400 for an address, ref or directory that cannot be right; 409 for a locked space.
pub fn start_git(cx: &Cx<'_>, space: &Authorized<Space>, asked: &GitImport) -> Result<JobId> {
    refuse_locked(space)?;
    let remote = Remote::parse(asked.url.trim())
        .map_err(|error| Error::invalid(format!("body at /url: {error}")))?;
    remote
        .url
        .check(&cx.app.guard)
        .map_err(|error| Error::invalid(format!("body at /url: {error}")))?;
    let reference = RefName::parse(asked.reference.trim())
        .map_err(|error| Error::invalid(format!("body at /ref: {error}")))?;
    check_directory("body at /repoProjectDirectory", &asked.directory)?;
    let credentials = remote.credentials.as_ref().map(|credentials| {
        let (user, password) = credentials.expose();
        serde_json::to_string(&(user, password))
            .map_err(|error| Error::internal(format!("credentials: {error}")))
            .and_then(|text| cx.app.secrets.seal(&cx.app.entropy, &text))
    });
    let payload = GitPayload {
        url: remote.url.as_str().to_owned(),
        credentials: credentials.transpose()?,
        reference: reference.as_str().to_owned(),
        directory: asked.directory.clone(),
        tree_url: asked.tree_url.clone(),
        commit_url: asked.commit_url.clone(),
    };
    enqueue(cx, space, GIT, &payload)
}

/// Enqueues an import from an archive.
///
/// # Errors
/// 403, 404 of the space; 409 for a locked one.
pub fn start_archive(cx: &Cx<'_>, space: &str, asked: &ArchiveImport) -> Result<Job> {
    let key = SpaceId::parse(space);
    let space = authorize_target::<Space>(cx.tx, cx.caller, Action::ImportContent, key.as_ref())?;
    refuse_locked(&space)?;
    let payload = ArchivePayload { archive: asked.archive, directory: asked.directory.clone() };
    let id = enqueue(cx, &space, ARCHIVE, &payload)?;
    cx.tx.job(id)?.ok_or_else(|| Error::internal("a job vanished"))
}

fn refuse_locked(space: &Space) -> Result<()> {
    if space.locked {
        return Err(Error::conflict(
            "this space is locked: its content cannot be changed until editMode is live again",
        ));
    }
    Ok(())
}

fn enqueue(
    cx: &Cx<'_>,
    space: &Authorized<Space>,
    kind: &str,
    payload: &impl Serialize,
) -> Result<JobId> {
    let payload = serde_json::to_value(payload)
        .map_err(|error| Error::internal(format!("a job's payload: {error}")))?;
    let job = cx.tx.enqueue(&NewJob {
        organization: Some(space.organization),
        space: Some(space.id),
        actor: cx.user(),
        payload,
        content: true,
        replaces_waiting: true,
        max_attempts: ATTEMPTS,
        ..NewJob::new(kind)
    })?;
    cx.tx.record(
        &NewEvent::new(Event::ImportStarted { job: job.to_string() })
            .by(cx.user())
            .organization(space.organization)
            .space(space.id),
    )?;
    Ok(job)
}

/// The stored archives that jobs still need.
///
/// # Errors
/// When the store fails.
pub(crate) fn archives(tx: &Tx<'_>) -> std::result::Result<Vec<Hash>, StoreError> {
    let mut archives = Vec::new();
    for status in [JobStatus::Queued, JobStatus::Running] {
        let kind = Some(ARCHIVE.to_owned());
        let filter = JobFilter { kind, status: Some(status), ..JobFilter::default() };
        for job in tx.list_jobs(&filter, u32::MAX)? {
            let payload: ArchivePayload = serde_json::from_value(job.payload)
                .map_err(|error| StoreError::Corrupt(format!("a job's payload: {error}")))?;
            archives.push(payload.archive);
        }
    }
    Ok(archives)
}

/// Runs a job of these kinds on a thread of its own.
pub(crate) fn run(app: &App, job: &Job, running: &Running) -> std::result::Result<(), JobFailure> {
    let outcome = match job.kind.as_str() {
        GIT => job::run_git(app, job, running),
        ARCHIVE => job::run_archive(app, job, running),
        other => Err(JobFailure::fatal("internal", format!("no job is called {other}"))),
    };
    if let Err(JobFailure::Failed(error, _)) = &outcome {
        tracing::info!(job = %job.id, code = error.code, message = error.message, "import failed");
    }
    outcome
}
