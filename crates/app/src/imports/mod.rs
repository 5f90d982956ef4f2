//! Bringing content into a space from Git or from an archive: the request, and the job.

mod job;
mod source;

pub(crate) use self::job::{ArchiveImportJob, GitImportJob};

use bindery_git::{RefName, Remote};
use bindery_model::{Error, GitProvider, JobId, JobKind, Result, SpaceId, Timestamp};
use bindery_outbound::Url;
use bindery_revision::Hash;
use bindery_store::git_states::{self, GitAttempt, Provider};
use bindery_store::spaces::Space;
use bindery_store::{Event, Job, JobFilter, JobStatus, NewEvent, NewJob, Tx};
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::access::{Action, Authorized, authorize_target};
use crate::jobs;

/// Longest address that people follow, in bytes.
const LONGEST_ADDRESS: usize = 2000;
/// Longest name of a repository's cache, in bytes.
const LONGEST_CACHE_NAME: usize = 256;

/// An import as it was asked for.
#[derive(Clone, Debug, Default)]
pub struct GitImport {
    /// The repository's address, maybe with credentials in it.
    pub url: String,
    /// The ref; `None`: the repository's default branch.
    pub reference: Option<String>,
    /// The project's directory; empty: the repository's root.
    pub directory: String,
    /// The caller's name for the repository's cache.
    pub cache: Option<String>,
    /// The address of the repository's file view.
    pub tree_url: Option<String>,
    /// The prefix of a commit's address, which its id is appended to.
    pub commit_url: Option<String>,
    /// The time of the event that the import is for.
    pub event_at: Option<Timestamp>,
    /// True if everything is read anew, also where nothing changed.
    pub force: bool,
    /// True if the revision is made beside the main content, which stays as it is.
    pub standalone: bool,
    /// The Git hosting service.
    pub provider: Provider,
}

/// The job's own copy of what was asked for: no secret is readable in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GitPayload {
    url: String,
    credentials: Option<String>,
    reference: String,
    directory: String,
    tree_url: Option<String>,
    commit_url: Option<String>,
    #[serde(default)]
    cache: Option<String>,
    /// In milliseconds.
    #[serde(default)]
    event_at: Option<i64>,
    #[serde(default)]
    force: bool,
    #[serde(default)]
    standalone: bool,
    #[serde(default)]
    provider: Option<GitProvider>,
    #[serde(default)]
    provider_url: Option<String>,
}

impl GitPayload {
    fn event_at(&self) -> Option<Timestamp> {
        self.event_at.map(Timestamp::from_millis)
    }

    fn provider(&self) -> Provider {
        Provider { name: self.provider, url: self.provider_url.clone() }
    }

    /// Returns whether the event is older than the last one that was processed.
    fn is_past(&self, last: Option<Timestamp>) -> bool {
        !self.standalone && self.event_at().zip(last).is_some_and(|(own, last)| own < last)
    }
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
pub(crate) struct ArchivePayload {
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

/// An address that people follow, which is shown as it is.
fn check_address(place: &str, address: Option<&str>) -> Result<Option<String>> {
    let Some(address) = address.map(str::trim).filter(|address| !address.is_empty()) else {
        return Ok(None);
    };
    let parsed = Url::parse(address).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.host_str().is_some_and(|host| !host.is_empty())
    });
    let safe = parsed.is_some_and(|url| url.username().is_empty() && url.password().is_none());
    if !safe || address.len() > LONGEST_ADDRESS || address.chars().any(char::is_control) {
        return Err(Error::invalid(format!(
            "{place}: allowed is an address that begins with https:// or http://, of at most \
             {LONGEST_ADDRESS} bytes, without user name and password"
        )));
    }
    Ok(Some(address.to_owned()))
}

/// The name of a cache: any text of some length.
fn check_cache(name: Option<&str>) -> Result<Option<String>> {
    let name = name.filter(|name| !name.is_empty());
    if name
        .is_some_and(|name| name.len() > LONGEST_CACHE_NAME || name.chars().any(char::is_control))
    {
        return Err(Error::invalid(format!(
            "body at /repoCacheID: allowed is a text of at most {LONGEST_CACHE_NAME} bytes without \
             control characters"
        )));
    }
    Ok(name.map(str::to_owned))
}

/// Enqueues an import from Git. What can be seen without the network is refused here.
///
/// # Errors
/// 400 for an address, ref or directory that cannot be right; 409 for a locked space whose main
/// content would change.
pub fn start_git(cx: &Context<'_>, space: &Authorized<Space>, asked: &GitImport) -> Result<JobId> {
    if !asked.standalone {
        refuse_locked(space)?;
    }
    let payload = checked(cx, asked)?;
    let is_past = payload.is_past(last_event(cx.tx, space.id)?);
    // An event that is over must not take the place of a newer one that waits.
    let supersedes_queued = !payload.standalone && !is_past;
    let job = NewJob {
        changes_content: !payload.standalone,
        supersedes_queued,
        ..jobs::new_job::<GitImportJob>(&payload)?
    };
    let job = enqueue(cx, space, job)?;
    if supersedes_queued {
        let (url, provider) = (payload.url.clone(), payload.provider());
        git_states::set_attempt(cx.tx, space.id, &GitAttempt { job, url, provider })?;
    }
    Ok(job)
}

fn checked(cx: &Context<'_>, asked: &GitImport) -> Result<GitPayload> {
    let remote = Remote::parse(asked.url.trim())
        .map_err(|error| Error::invalid(format!("body at /url: {error}")))?;
    remote
        .url
        .check(&cx.app.guard)
        .map_err(|error| Error::invalid(format!("body at /url: {error}")))?;
    let reference = match &asked.reference {
        None => RefName::head(),
        Some(name) => RefName::parse(name.trim())
            .map_err(|error| Error::invalid(format!("body at /ref: {error}")))?,
    };
    check_directory("body at /repoProjectDirectory", &asked.directory)?;
    let credentials = remote.credentials.as_ref().map(|credentials| {
        let (user, password) = credentials.expose();
        serde_json::to_string(&(user, password))
            .map_err(|error| Error::internal(format!("credentials: {error}")))
            .and_then(|text| cx.app.secrets.seal(&cx.app.entropy, &text))
    });
    let Provider { name, url } = &asked.provider;
    Ok(GitPayload {
        url: remote.url.as_str().to_owned(),
        credentials: credentials.transpose()?,
        reference: reference.as_str().to_owned(),
        directory: match asked.directory.trim_end_matches('/') {
            "." => String::new(),
            directory => directory.to_owned(),
        },
        tree_url: check_address("body at /repoTreeURL", asked.tree_url.as_deref())?,
        commit_url: check_address("body at /repoCommitURL", asked.commit_url.as_deref())?,
        cache: check_cache(asked.cache.as_deref())?,
        event_at: asked.event_at.map(Timestamp::millis),
        force: asked.force,
        standalone: asked.standalone,
        provider: *name,
        provider_url: check_address("body at /gitInfo/url", url.as_deref())?,
    })
}

/// The time of the newest event that an import of a space was for, or waits to be for.
fn last_event(tx: &Tx<'_>, space: SpaceId) -> Result<Option<Timestamp>> {
    let mut last = git_states::get(tx, space)?.and_then(|state| state.event_at);
    for status in [JobStatus::Queued, JobStatus::Running] {
        let kind = Some(JobKind::GitImport);
        let filter =
            JobFilter { space: Some(space), kind, status: Some(status), ..JobFilter::default() };
        for job in tx.list_jobs(&filter, u32::MAX)? {
            let payload = serde_json::from_value::<GitPayload>(job.payload).ok();
            let payload = payload.filter(|payload| !payload.standalone);
            last = last.max(payload.and_then(|payload| payload.event_at()));
        }
    }
    Ok(last)
}

/// Enqueues an import from an archive.
///
/// # Errors
/// 403, 404 of the space; 409 for a locked one.
pub fn start_archive(cx: &Context<'_>, space: &str, asked: &ArchiveImport) -> Result<Job> {
    let key = SpaceId::parse(space);
    let space = authorize_target::<Space>(cx.tx, cx.caller, Action::ImportContent, key.as_ref())?;
    refuse_locked(&space)?;
    let payload = ArchivePayload { archive: asked.archive, directory: asked.directory.clone() };
    let job = NewJob {
        changes_content: true,
        supersedes_queued: true,
        ..jobs::new_job::<ArchiveImportJob>(&payload)?
    };
    let id = enqueue(cx, &space, job)?;
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

/// Enqueues an import and records its start.
fn enqueue(cx: &Context<'_>, space: &Authorized<Space>, job: NewJob) -> Result<JobId> {
    let job = cx.tx.enqueue(&NewJob {
        organization: Some(space.organization),
        space: Some(space.id),
        actor: cx.user(),
        ..job
    })?;
    cx.tx.record(
        &NewEvent::new(Event::ImportStarted { job: job.to_string() })
            .by(cx.user())
            .organization(space.organization)
            .space(space.id),
    )?;
    Ok(job)
}
