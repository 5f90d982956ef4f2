//! Exports of the content of a space to a branch of a Git repository.

mod authors;
mod build;
mod job;
mod place;
mod preview;

pub(super) use self::authors::{of_change_request, people, since};
pub(super) use self::build::{CommitPlan, commit_text, push, state_after};
pub(crate) use self::job::GitExportJob;
pub(super) use self::job::{REJECTED, conflict_failure, refusal};
use self::place::Place;
pub(in crate::content) use self::preview::{Imported, preview};

use bindery_git::RefName;
use bindery_model::{Error, FieldPath, JobId, Result, RevisionId, SpaceId};
use bindery_store::git_states::{self, GitAttempt};
use bindery_store::spaces::Space;
use bindery_store::{Event, NewEvent, NewJob, Tx};
use serde::{Deserialize, Serialize};

use crate::access::Authorized;
use crate::content::git_requests::{GitRequest, GitRequestPayload, last_event};
use crate::jobs;
use crate::{App, Context};

/// Maximum size of the message of a commit, in bytes.
const LONGEST_MESSAGE: usize = 64 << 10;

/// A request for an export to Git.
#[derive(Clone, Debug, Default)]
pub struct GitExport {
    /// The repository and the circumstances. The ref is required and must be a branch.
    pub request: GitRequest,
    /// The message of the commit.
    pub message: String,
    /// `true` if the content replaces files that the repository changed as well.
    pub force: bool,
}

/// The payload of a Git export.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ExportPayload {
    #[serde(flatten)]
    request: GitRequestPayload,
    message: String,
    force: bool,
    /// The key that signs the commit, sealed.
    #[serde(default)]
    signing_key: Option<String>,
    /// Commits of branches whose change requests were merged.
    #[serde(default)]
    merged: Vec<String>,
}

impl ExportPayload {
    /// Returns the payload of an export that is a part of a synchronisation.
    pub(in crate::content) const fn of_sync(
        request: GitRequestPayload,
        message: String,
        force: bool,
        signing_key: Option<String>,
        merged: Vec<String>,
    ) -> Self {
        Self { request, message, force, signing_key, merged }
    }
}

/// The relation of the main content of a space to a branch.
pub(in crate::content) struct Standing {
    /// The newest revision whose changes the branch has; `None` if there is none.
    pub(in crate::content) shared: Option<RevisionId>,
    /// The commit that has last agreed with a revision; `None` if it is not known, or has changes
    /// that the space lacks.
    pub(in crate::content) agreed_oid: Option<String>,
    /// `true` if the content is that of the agreement.
    pub(in crate::content) is_unchanged: bool,
}

/// Returns the relation of a space to the branch of a request; `None` if the space was deleted.
///
/// # Errors
/// Returns an error if the store fails or the content cannot be read.
pub(in crate::content) fn standing(
    app: &App,
    tx: &Tx<'_>,
    space: SpaceId,
    request: &GitRequestPayload,
) -> Result<Option<Standing>> {
    let Some(place) = Place::read(app, tx, space, request)? else { return Ok(None) };
    let agreed = place.agreed.filter(|_| place.is_own);
    let content = &place.snapshot.revision.content;
    Ok(Some(Standing {
        is_unchanged: agreed.as_ref().is_some_and(|agreed| agreed.content == *content),
        shared: match &agreed {
            Some(agreed) => agreed.newest_shared(tx, space)?,
            None => None,
        },
        agreed_oid: agreed.and_then(|agreed| agreed.oid),
    }))
}

/// Enqueues an export to Git, after the checks that need no network.
///
/// # Errors
/// Returns 400 for an invalid address, branch, directory or message.
pub fn start(cx: &Context<'_>, space: &Authorized<Space>, asked: &GitExport) -> Result<JobId> {
    let mut request = asked.request.clone();
    request.reference = Some(branch(asked.request.reference.as_deref().unwrap_or_default())?);
    let payload = ExportPayload {
        request: GitRequestPayload::check(cx, &request)?,
        message: message(&asked.message)?,
        force: asked.force,
        signing_key: None,
        merged: Vec::new(),
    };
    let is_past = payload.request.is_past(last_event(cx.tx, space.id)?);
    let (url, provider) = (payload.request.url.clone(), payload.request.provider());
    let job = cx.tx.enqueue(&NewJob {
        organization: Some(space.organization),
        space: Some(space.id),
        actor: cx.user(),
        // An import and an export of one space wait for each other.
        changes_content: true,
        ..jobs::new_job::<GitExportJob>(&payload)?
    })?;
    if !is_past {
        git_states::set_attempt(cx.tx, space.id, &GitAttempt { job, url, provider })?;
    }
    cx.tx.record(
        &NewEvent::new(Event::ExportStarted { job: job.to_string() })
            .by(cx.user())
            .organization(space.organization)
            .space(space.id),
    )?;
    Ok(job)
}

/// Returns the full name of a branch.
///
/// # Errors
/// Returns 400 if the name is not that of a branch.
pub(super) fn branch(name: &str) -> Result<String> {
    branch_at(&FieldPath::new("/ref"), name)
}

/// Returns the full name of a branch that is given at this place.
///
/// # Errors
/// Returns 400 if the name is not that of a branch.
pub(super) fn branch_at(at: &FieldPath, name: &str) -> Result<String> {
    let name = name.trim();
    let full =
        if name.starts_with("refs/") { name.to_owned() } else { format!("refs/heads/{name}") };
    let parsed = RefName::parse(&full).map_err(|error| at.invalid(error))?;
    if name == "HEAD" || parsed.branch().is_none() {
        return Err(at.invalid(format_args!(
            "found \"{}\", allowed: a branch, such as refs/heads/main",
            name.escape_debug()
        )));
    }
    Ok(full)
}

/// Checks the message of a commit.
fn message(text: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST_MESSAGE || text.contains('\0') {
        return Err(Error::invalid(format!(
            "allowed: a text of 1 to {LONGEST_MESSAGE} bytes without null characters"
        ))
        .at(FieldPath::new("/commitMessage")));
    }
    Ok(text.to_owned())
}
