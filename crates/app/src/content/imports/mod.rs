//! Imports of content into a space, from Git repositories and from archives.

mod job;
mod language;
mod source;

pub(crate) use self::job::{ArchiveImportJob, GitImportJob};
pub use self::language::{LanguageFolder, folder_tag, folders_of_job};

use bindery_git::{RefName, Remote};
use bindery_model::{
    Error, FieldPath, GitProvider, JobId, JobKind, LanguageTag, Location, Result, SpaceId,
    Timestamp,
};
use bindery_outbound::Url;
use bindery_revision::Hash;
use bindery_store::git_states::{self, GitAttempt, Provider};
use bindery_store::spaces::Space;
use bindery_store::{Event, Job, JobFilter, JobStatus, NewEvent, NewJob, Tx};
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::access::{Action, Authorized, authorize_target};
use crate::content::spaces::require_unlocked;
use crate::jobs;

/// Maximum size of the address of a file view or a commit, in bytes.
const LONGEST_ADDRESS: usize = 2000;
/// Maximum size of the name of a repository's cache, in bytes.
const LONGEST_CACHE_NAME: usize = 256;

/// A request for an import from Git.
#[derive(Clone, Debug, Default)]
pub struct GitImport {
    /// The repository's address, which may contain credentials.
    pub url: String,
    /// The ref; `None` for the repository's default branch.
    pub reference: Option<String>,
    /// The project's directory; empty for the root of the repository.
    pub directory: String,
    /// The caller's name for the repository's cache.
    pub cache: Option<String>,
    /// The address of the repository's file view.
    pub tree_url: Option<String>,
    /// The prefix of the addresses of commits, which end with the commit's id.
    pub commit_url: Option<String>,
    /// The time of the event that caused the import.
    pub event_at: Option<Timestamp>,
    /// `true` if all files are read again, also unchanged ones.
    pub force: bool,
    /// `true` if the import creates a revision without changing the main content.
    pub standalone: bool,
    /// The Git hosting service.
    pub provider: Provider,
    /// The language of the content.
    pub language: Option<LanguageTag>,
}

/// The payload of a Git import. The credentials are encrypted.
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
    /// Milliseconds since the Unix epoch.
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
    #[serde(default)]
    language: Option<String>,
}

impl GitPayload {
    fn event_at(&self) -> Option<Timestamp> {
        self.event_at.map(Timestamp::from_millis)
    }

    fn provider(&self) -> Provider {
        Provider { name: self.provider, url: self.provider_url.clone() }
    }

    /// Returns `true` if the event is older than the last processed one.
    fn is_past(&self, last: Option<Timestamp>) -> bool {
        !self.standalone && self.event_at().zip(last).is_some_and(|(own, last)| own < last)
    }
}

/// A request for an import from an uploaded archive.
#[derive(Clone, Debug)]
pub struct ArchiveImport {
    /// The object with the bytes of the archive.
    pub archive: Hash,
    /// The project's directory; empty for the root of the archive.
    pub directory: String,
    /// The language of the content.
    pub language: Option<LanguageTag>,
}

/// The payload of an archive import.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ArchivePayload {
    archive: Hash,
    directory: String,
    #[serde(default)]
    language: Option<String>,
}

/// Checks that a project directory is a relative path inside the repository. `place` is the place
/// of the directory in the request.
///
/// # Errors
/// Returns 400 with the place, the directory and the permitted form.
pub fn check_directory(place: impl Into<Location>, directory: &str) -> Result<()> {
    let climbs = directory.split('/').any(|part| part == "..");
    let odd = directory.contains(['\\', '\0']) || directory.chars().any(char::is_control);
    if climbs || odd || directory.starts_with('/') {
        return Err(Error::invalid(format!(
            "found \"{}\", allowed: a path inside the repository, without a leading \
             slash and without ..",
            directory.escape_debug()
        ))
        .at(place));
    }
    Ok(())
}

/// Checks an address that pages show as a link. Returns `None` for an empty address.
fn check_address(place: &'static str, address: Option<&str>) -> Result<Option<String>> {
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
            "allowed: an address that begins with https:// or http://, of at most \
             {LONGEST_ADDRESS} bytes, without user name and password"
        ))
        .at(FieldPath::new(place)));
    }
    Ok(Some(address.to_owned()))
}

/// Checks the name of a cache. Returns `None` for an empty name.
fn check_cache(name: Option<&str>) -> Result<Option<String>> {
    let name = name.filter(|name| !name.is_empty());
    if name
        .is_some_and(|name| name.len() > LONGEST_CACHE_NAME || name.chars().any(char::is_control))
    {
        return Err(Error::invalid(format!(
            "allowed: a text of at most {LONGEST_CACHE_NAME} bytes without \
             control characters"
        ))
        .at(FieldPath::new("/repoCacheID")));
    }
    Ok(name.map(str::to_owned))
}

/// Enqueues an import from Git, after the checks that need no network.
///
/// # Errors
/// Returns 400 for an invalid address, ref or directory; 409 if the main content would change and
/// the space is locked.
pub fn start_git(cx: &Context<'_>, space: &Authorized<Space>, asked: &GitImport) -> Result<JobId> {
    if !asked.standalone {
        require_unlocked(space)?;
    }
    let payload = checked(cx, asked)?;
    let is_past = payload.is_past(last_event(cx.tx, space.id)?);
    // An outdated event must not replace a waiting import of a newer event.
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

/// Validates a request and returns the payload of its job.
fn checked(cx: &Context<'_>, asked: &GitImport) -> Result<GitPayload> {
    let remote =
        Remote::parse(asked.url.trim()).map_err(|error| FieldPath::new("/url").invalid(error))?;
    remote.url.check(&cx.app.guard).map_err(|error| FieldPath::new("/url").invalid(error))?;
    let reference = match &asked.reference {
        None => RefName::head(),
        Some(name) => {
            RefName::parse(name.trim()).map_err(|error| FieldPath::new("/ref").invalid(error))?
        }
    };
    check_directory(FieldPath::new("/repoProjectDirectory"), &asked.directory)?;
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
        tree_url: check_address("/repoTreeURL", asked.tree_url.as_deref())?,
        commit_url: check_address("/repoCommitURL", asked.commit_url.as_deref())?,
        cache: check_cache(asked.cache.as_deref())?,
        event_at: asked.event_at.map(Timestamp::millis),
        force: asked.force,
        standalone: asked.standalone,
        provider: *name,
        provider_url: check_address("/gitInfo/url", url.as_deref())?,
        language: asked.language.as_ref().map(LanguageTag::to_string),
    })
}

/// Returns the time of the newest event among the finished, running and waiting imports of a space.
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
/// Returns 404 or 403 if the caller may not see the space or not import into it; 409 if it is
/// locked.
pub fn start_archive(cx: &Context<'_>, space: &str, asked: &ArchiveImport) -> Result<Job> {
    let key = SpaceId::parse(space);
    let space = authorize_target::<Space>(cx.tx, cx.caller, Action::ImportContent, key.as_ref())?;
    require_unlocked(&space)?;
    let payload = ArchivePayload {
        archive: asked.archive,
        directory: asked.directory.clone(),
        language: asked.language.as_ref().map(LanguageTag::to_string),
    };
    let job = NewJob {
        changes_content: true,
        supersedes_queued: true,
        ..jobs::new_job::<ArchiveImportJob>(&payload)?
    };
    let id = enqueue(cx, &space, job)?;
    cx.tx.job(id)?.ok_or_else(|| Error::internal("a job vanished"))
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
