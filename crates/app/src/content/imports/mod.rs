//! Imports of content into a space, from Git repositories and from archives.
//!
//! The changes of a repository are merged with those that were made in the space since both agreed.
//! Imports with conflicts wait in a change request.

mod base;
mod conflicts;
mod job;
mod language;
mod merge;
mod origin;
mod pending;
mod preview;
mod publish;
mod source;

pub(crate) use self::job::{ArchiveImportJob, GitImportJob};
pub(super) use self::job::{Source, build, import_failure};
pub use self::language::{LanguageFolder, folder_tag, folders_of_job};
pub(super) use self::merge::{merge_into, put};
pub(crate) use self::pending::Pending;
pub(super) use self::preview::{BothChanged, ImportPreview, preview};
pub(super) use self::publish::put_revision;
pub(super) use self::source::git_failure;
pub use crate::content::git_requests::check_directory;

use bindery_model::{Error, JobId, LanguageTag, Result, SpaceId, Timestamp};
use bindery_revision::Hash;
use bindery_store::git_states::{self, GitAttempt};
use bindery_store::spaces::Space;
use bindery_store::{Event, Job, NewEvent, NewJob};
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::access::{Action, Authorized, authorize_target};
use crate::content::git_requests::{GitRequest, GitRequestPayload, last_event};
use crate::content::spaces::require_unlocked;
use crate::jobs;

/// A request for an import from Git.
#[derive(Clone, Debug, Default)]
pub struct GitImport {
    /// The repository and the circumstances.
    pub request: GitRequest,
    /// `true` if all files are read again, also unchanged ones.
    pub force: bool,
    /// `true` if the import creates a revision without changing the main content.
    pub standalone: bool,
    /// The language of the content.
    pub language: Option<LanguageTag>,
}

/// The payload of a Git import.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GitPayload {
    #[serde(flatten)]
    request: GitRequestPayload,
    #[serde(default)]
    force: bool,
    #[serde(default)]
    standalone: bool,
    #[serde(default)]
    language: Option<String>,
}

impl GitPayload {
    /// Returns the payload of an import that is a part of a synchronisation.
    pub(in crate::content) const fn of_sync(request: GitRequestPayload, force: bool) -> Self {
        Self { request, force, standalone: false, language: None }
    }

    /// Returns `true` if the event is older than the last processed one.
    fn is_past(&self, last: Option<Timestamp>) -> bool {
        !self.standalone && self.request.is_past(last)
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

/// Enqueues an import from Git, after the checks that need no network.
///
/// # Errors
/// Returns 400 for an invalid address, ref or directory; 409 if the main content would change and
/// the space is locked.
pub fn start_git(cx: &Context<'_>, space: &Authorized<Space>, asked: &GitImport) -> Result<JobId> {
    if !asked.standalone {
        require_unlocked(space)?;
    }
    let payload = GitPayload {
        request: GitRequestPayload::check(cx, &asked.request)?,
        force: asked.force,
        standalone: asked.standalone,
        language: asked.language.as_ref().map(LanguageTag::to_string),
    };
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
        let (url, provider) = (payload.request.url.clone(), payload.request.provider());
        git_states::set_attempt(cx.tx, space.id, &GitAttempt { job, url, provider })?;
    }
    Ok(job)
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
