//! The checks of branches, and the attempts after failures.
//!
//! Each node looks for synchronisations that are due and claims some of them in one transaction, so
//! that no other node takes them. A check lists the refs of the repository only; a run begins if
//! the branch has moved.

use std::sync::Arc;

use bindery_model::{GitSyncStatus, GitSyncTrigger};
use bindery_outbound::CancellationToken;
use bindery_store::git_sync_runs;
use bindery_store::git_syncs::{self, GitSync};
use bindery_store::{JobError, StoreError, Tx, spaces};
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use super::{job, schedule, trigger};
use crate::App;
use crate::content::git_branches;
use crate::jobs::JobFailure;

/// Number of synchronisations that a node claims at once.
const CLAIMED_AT_ONCE: u32 = 8;
/// Duration of a claim in milliseconds, longer than a check takes.
const CLAIM: i64 = 2 * 60 * 1_000;
/// Number of abandoned runs that one transaction closes.
const CLOSED_AT_ONCE: u32 = 64;

/// Closes runs whose job was lost, and checks the branches of all synchronisations that are due.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) async fn check_due(app: Arc<App>, stop: CancellationToken) -> Result<(), StoreError> {
    close_abandoned(&app).await?;
    while !stop.is_cancelled() && app.store.read(git_syncs::is_any_due).await? {
        let claim =
            |tx: &Tx<'_>| git_syncs::claim_due(tx, CLAIMED_AT_ONCE, tx.now().plus_millis(CLAIM));
        let mut checks = JoinSet::new();
        for sync in app.store.write(claim).await? {
            let (app, stop) = (Arc::clone(&app), stop.clone());
            checks.spawn_blocking(move || check(&app, &sync, &stop));
        }
        while let Some(checked) = checks.join_next().await {
            checked.map_err(|panic| StoreError::Panicked(panic.to_string()))??;
        }
    }
    Ok(())
}

/// The result of a look at a branch.
enum Look {
    /// The branch has not changed.
    Unchanged,
    /// A run is needed.
    Changed,
    /// The branch cannot be read.
    Failed(JobError),
}

/// Checks the branch of a claimed synchronisation and records the result.
fn check(app: &App, sync: &GitSync, stop: &CancellationToken) -> Result<(), StoreError> {
    let look = match look(app, sync, stop) {
        Ok(look) => look,
        // The claim ends later, and another node checks the branch.
        Err(_) if stop.is_cancelled() => return Ok(()),
        Err(JobFailure::Failed(error, _)) => Look::Failed(error),
        Err(JobFailure::Cancelled | JobFailure::Lost) => return Ok(()),
    };
    let (id, space, entropy) = (sync.id, sync.space, app.entropy.clone());
    let record = app.store.write(move |tx| {
        let Some(mut sync) = git_syncs::get(tx, space)?.filter(|sync| sync.id == id) else {
            return Ok(());
        };
        let now = tx.now();
        match &look {
            Look::Changed => {
                trigger::request(tx, &sync, GitSyncTrigger::Poll, None)?;
                return Ok(());
            }
            Look::Unchanged => schedule::check_later(&mut sync, now, &entropy),
            Look::Failed(error) => schedule::fail(&mut sync, error.clone(), now, &entropy),
        }
        git_syncs::set(tx, &sync)
    });
    Handle::current().block_on(record)
}

fn look(app: &App, sync: &GitSync, stop: &CancellationToken) -> Result<Look, JobFailure> {
    if !sync.has_run || sync.status == GitSyncStatus::Failed {
        return Ok(Look::Changed);
    }
    let space = app.store.read_sync(|tx| spaces::get(tx, sync.space))?;
    let Some(space) = space else { return Ok(Look::Unchanged) };
    let place = (space.organization, stop);
    if job::find_tip(app, sync, place)? != sync.tip {
        return Ok(Look::Changed);
    }
    let branches = git_branches::look(app, sync, place)?;
    Ok(if branches == sync.branches { Look::Unchanged } else { Look::Changed })
}

/// Closes the runs whose jobs have ended without them, because the server stopped too often or
/// somebody cancelled the job.
async fn close_abandoned(app: &App) -> Result<(), StoreError> {
    if app.store.read(|tx| git_sync_runs::list_abandoned(tx, 1)).await?.is_empty() {
        return Ok(());
    }
    let entropy = app.entropy.clone();
    app.store
        .write(move |tx| {
            for run in git_sync_runs::list_abandoned(tx, CLOSED_AT_ONCE)? {
                let error = JobError {
                    code: "interrupted".to_owned(),
                    message: "the job of the run was cancelled, or its server stopped".to_owned(),
                };
                job::close(tx, &run, &error, None, None)?;
                if let Some(mut sync) = git_syncs::get(tx, run.space)? {
                    sync.importing = false;
                    schedule::fail(&mut sync, error, tx.now(), &entropy);
                    git_syncs::set(tx, &sync)?;
                }
            }
            Ok(())
        })
        .await
}
