//! Requests for runs.

use bindery_model::{
    ChangeRequestExport, ChangeRequestId, GitSyncDirection, GitSyncStatus, GitSyncTrigger, JobId,
    JobKind, UserId,
};
use bindery_store::git_branches;
use bindery_store::git_states::{self, GitAttempt};
use bindery_store::git_syncs::{self, GitSync};
use bindery_store::spaces::{self, Space};
use bindery_store::{Event, JobFilter, JobStatus, NewEvent, NewJob, StoreError, Tx};

use super::job::{GitSyncJob, SyncPayload};
use crate::content::git_requests::GitRequestPayload;
use crate::jobs;

/// Requests a run because the head of a space moved, unless a run of the synchronisation moved it.
///
/// # Errors
/// Returns an error if the store fails.
pub(in crate::content) fn head_moved(
    tx: &Tx<'_>,
    space: &Space,
    actor: Option<UserId>,
) -> Result<(), StoreError> {
    let Some(sync) = git_syncs::get(tx, space.id)? else { return Ok(()) };
    // A run that imports exports the head afterwards, also if somebody else has moved it.
    if sync.importing || sync.settings.direction == GitSyncDirection::Import {
        return Ok(());
    }
    request(tx, &sync, GitSyncTrigger::Merge, actor)?;
    Ok(())
}

/// Requests a run because a change request changed, if its changes are written to a branch.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn change_request_changed(
    tx: &Tx<'_>,
    space: &Space,
    change_request: ChangeRequestId,
    actor: Option<UserId>,
) -> Result<(), StoreError> {
    let Some(sync) = git_syncs::get(tx, space.id)? else { return Ok(()) };
    let is_each = sync.settings.change_request_export != ChangeRequestExport::None;
    let is_written = sync.has_run
        && sync.settings.direction != GitSyncDirection::Import
        && (is_each || git_branches::of_change_request(tx, change_request)?.is_some());
    if is_written {
        request(tx, &sync, GitSyncTrigger::ChangeRequest, actor)?;
    }
    Ok(())
}

/// Requests a run. Returns its job, or the job of a run that waits already; `None` if the
/// synchronisation is paused or the space was deleted.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn request(
    tx: &Tx<'_>,
    sync: &GitSync,
    trigger: GitSyncTrigger,
    actor: Option<UserId>,
) -> Result<Option<JobId>, StoreError> {
    let space = spaces::get(tx, sync.space)?.filter(|space| space.deleted_at.is_none());
    let Some(space) = space.filter(|_| sync.status != GitSyncStatus::Paused) else {
        return Ok(None);
    };
    let waiting = JobFilter {
        space: Some(space.id),
        kind: Some(JobKind::GitSync),
        status: Some(JobStatus::Queued),
        ..JobFilter::default()
    };
    if let Some(job) = tx.list_jobs(&waiting, 1)?.first() {
        return Ok(Some(job.id));
    }
    let job = jobs::new_job::<GitSyncJob>(&SyncPayload { trigger })
        .map_err(|error| StoreError::Corrupt(error.to_string()))?;
    let job = tx.enqueue(&NewJob {
        organization: Some(space.organization),
        space: Some(space.id),
        actor,
        // Imports, exports and runs of one space wait for each other.
        changes_content: true,
        ..job
    })?;
    let provider = GitRequestPayload::of_sync(sync).provider();
    let attempt = GitAttempt { job, url: sync.settings.url.clone(), provider };
    git_states::set_attempt(tx, space.id, &attempt)?;
    tx.record(
        &NewEvent::new(Event::GitSyncStarted { job: job.to_string(), trigger })
            .by(actor)
            .organization(space.organization)
            .space(space.id),
    )?;
    Ok(Some(job))
}
