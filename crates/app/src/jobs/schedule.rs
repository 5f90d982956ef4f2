//! Repeating work, which every node does on its own clock.
//!
//! An interval begins when a run has ended, and starts anew with the process. Tasks that only one
//! node may do at a time take a claim in the store: garbage collection
//! (`Store::begin_collection`), link indexes and the search for embeds (`outdated::change`), and
//! checks of branches (`git_syncs::claim_due`). All others are safe to run on several nodes at once.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bindery_outbound::CancellationToken;
use bindery_store::StoreError;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::worker::wait_for_stop;
use crate::App;
use crate::content::{embeds, git_sync, links, openapi, pdf, spaces};
use crate::publishing::{insights, storage};
use crate::review::{editing, notifications};
use crate::{audit_events, jobs::collector};

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Minimum age of stale files: longer than any write takes.
const STALE_FILE_AGE: Duration = DAY;
/// Maximum number of files that one statement removes.
const MAX_FILES_PER_REMOVAL: u32 = 256;
/// Time in milliseconds that finished jobs are kept: 30 days.
const JOB_RETENTION_MILLIS: i64 = 30 * 24 * 60 * 60 * 1000;

type TaskError = Box<dyn std::error::Error + Send + Sync>;
type TaskFuture = Pin<Box<dyn Future<Output = Result<(), TaskError>> + Send>>;

/// A task that is repeated while the server runs.
struct ScheduledTask {
    /// The name, for the log.
    name: &'static str,
    /// Time between the start of the server and the first run.
    first_delay: Duration,
    /// Time between the end of a run and the next run.
    interval: Duration,
    /// The end of a run when the server stops.
    shutdown: Shutdown,
    run: fn(Arc<App>, CancellationToken) -> TaskFuture,
}

/// The end of a run when the server stops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shutdown {
    /// The run is dropped at the point where it waits.
    Drop,
    /// The run's token is cancelled, and the server waits for the end of the run.
    Cancel,
}

/// All repeating work of a server.
const SCHEDULE: [ScheduledTask; 13] = [
    ScheduledTask {
        name: "remove-stale-files",
        first_delay: Duration::ZERO,
        interval: DAY,
        shutdown: Shutdown::Drop,
        run: |app, _| Box::pin(remove_stale_files(app)),
    },
    ScheduledTask {
        name: "remove-deleted-spaces",
        first_delay: Duration::ZERO,
        interval: HOUR,
        shutdown: Shutdown::Drop,
        run: |app, _| Box::pin(remove_deleted_spaces(app)),
    },
    ScheduledTask {
        name: "purge-audit-events",
        first_delay: Duration::ZERO,
        interval: DAY,
        shutdown: Shutdown::Drop,
        run: |app, _| Box::pin(purge_audit_events(app)),
    },
    ScheduledTask {
        name: "purge-records",
        first_delay: Duration::ZERO,
        interval: DAY,
        shutdown: Shutdown::Drop,
        run: |app, _| Box::pin(purge_records(app)),
    },
    ScheduledTask {
        name: "store-insights",
        first_delay: Duration::from_secs(1),
        interval: Duration::from_secs(1),
        shutdown: Shutdown::Cancel,
        run: |app, _| Box::pin(store_insights(app)),
    },
    ScheduledTask {
        name: "purge-insights",
        first_delay: Duration::from_secs(60),
        interval: HOUR,
        shutdown: Shutdown::Drop,
        run: |app, _| Box::pin(purge_insights(app)),
    },
    ScheduledTask {
        name: "collect-garbage",
        first_delay: Duration::from_secs(10 * 60),
        interval: Duration::from_secs(10 * 60),
        shutdown: Shutdown::Drop,
        run: |app, _| Box::pin(collect_garbage(app)),
    },
    ScheduledTask {
        name: "store-link-indexes",
        first_delay: Duration::from_secs(2),
        interval: Duration::from_secs(2),
        shutdown: Shutdown::Cancel,
        run: |app, stop| Box::pin(store_link_indexes(app, stop)),
    },
    ScheduledTask {
        name: "find-embeds",
        first_delay: Duration::from_secs(1),
        interval: Duration::from_secs(1),
        shutdown: Shutdown::Cancel,
        run: |app, stop| Box::pin(find_embeds(app, stop)),
    },
    ScheduledTask {
        name: "read-openapi-sources",
        first_delay: Duration::from_secs(1),
        interval: Duration::from_secs(1),
        shutdown: Shutdown::Drop,
        run: |app, _| Box::pin(read_openapi_sources(app)),
    },
    ScheduledTask {
        name: "save-edited-pages",
        first_delay: Duration::ZERO,
        interval: Duration::from_millis(500),
        shutdown: Shutdown::Cancel,
        run: |app, _| Box::pin(save_edited_pages(app)),
    },
    ScheduledTask {
        name: "compact-edited-pages",
        first_delay: Duration::from_secs(60),
        interval: Duration::from_secs(10 * 60),
        shutdown: Shutdown::Drop,
        run: |app, _| Box::pin(compact_edited_pages(app)),
    },
    ScheduledTask {
        name: "check-git-branches",
        first_delay: Duration::from_secs(1),
        interval: Duration::from_secs(1),
        shutdown: Shutdown::Cancel,
        run: |app, stop| Box::pin(check_git_branches(app, stop)),
    },
];

/// Runs all scheduled tasks beside each other until `stop` becomes true.
pub(super) async fn run_schedule(app: Arc<App>, stop: watch::Receiver<bool>) {
    let mut tasks = JoinSet::new();
    for task in &SCHEDULE {
        tasks.spawn(repeat(task, Arc::clone(&app), stop.clone()));
    }
    while let Some(ended) = tasks.join_next().await {
        if let Err(error) = ended {
            tracing::error!(%error, "a scheduled task panicked");
        }
    }
    if let Err(error) = insights::observed::store_waiting(&app, true).await {
        tracing::warn!(%error, "the last events of readers are lost");
    }
}

/// Repeats one task until `stop` becomes true.
async fn repeat(task: &ScheduledTask, app: Arc<App>, mut stop: watch::Receiver<bool>) {
    let mut delay = task.first_delay;
    loop {
        tokio::select! {
            () = wait_for_stop(&mut stop) => return,
            () = tokio::time::sleep(delay) => {}
        }
        let cancel = CancellationToken::new();
        let mut run = (task.run)(Arc::clone(&app), cancel.clone());
        let ended = tokio::select! {
            ended = &mut run => ended,
            () = wait_for_stop(&mut stop) => {
                cancel.cancel();
                if task.shutdown == Shutdown::Cancel && let Err(error) = run.await {
                    tracing::debug!(task = task.name, %error, "a scheduled task was cancelled");
                }
                return;
            }
        };
        if let Err(error) = ended {
            tracing::warn!(task = task.name, %error, "a scheduled task failed");
        }
        delay = task.interval;
    }
}

/// Removes files that were staged for the store and never became part of it.
async fn remove_stale_files(app: Arc<App>) -> Result<(), TaskError> {
    app.store.schedule_orphan_removal().await?;
    while app.store.sweep_files(STALE_FILE_AGE, MAX_FILES_PER_REMOVAL).await? > 0 {}
    Ok(())
}

/// Requests runs for OpenAPI specifications whose source must be read again.
async fn read_openapi_sources(app: Arc<App>) -> Result<(), TaskError> {
    openapi::read_due(&app.store).await?;
    Ok(())
}

/// Removes deleted spaces that can no longer be restored.
async fn remove_deleted_spaces(app: Arc<App>) -> Result<(), TaskError> {
    let kept = i64::try_from(spaces::RETENTION.as_millis()).unwrap_or(i64::MAX);
    while spaces::remove_one(&app.store, app.clock.now().plus_millis(-kept)).await? {}
    Ok(())
}

/// Deletes expired audit events.
async fn purge_audit_events(app: Arc<App>) -> Result<(), TaskError> {
    audit_events::remove_old(&app).await?;
    Ok(())
}

/// Deletes expired responses kept for `Idempotency-Key`, jobs that ended long ago, uploads and
/// descriptions of embeds that nothing uses, and expired PDFs.
async fn purge_records(app: Arc<App>) -> Result<(), TaskError> {
    let purged = app.store.write(|tx| {
        let responses = tx.delete_expired_responses()?;
        let jobs = tx.delete_finished_jobs(tx.now().plus_millis(-JOB_RETENTION_MILLIS))?;
        let uploads = storage::delete_unused(tx)?;
        let pdfs = pdf::delete_expired(tx)?;
        let embeds = embeds::delete_unused(tx)?;
        let notifications = notifications::delete_old(tx)?;
        let sessions = editing::remove_idle(tx)?;
        editing::remove_expired(tx)?;
        Ok::<_, StoreError>([responses, jobs, uploads, pdfs, embeds, notifications, sessions])
    });
    let [responses, jobs, uploads, pdfs, embeds, notifications, sessions] = purged.await?;
    tracing::debug!(
        responses,
        jobs,
        uploads,
        pdfs,
        embeds,
        notifications,
        sessions,
        "expired records are deleted"
    );
    Ok(())
}

/// Writes the events that pages of sites observed.
async fn store_insights(app: Arc<App>) -> Result<(), TaskError> {
    insights::observed::store_waiting(&app, false).await?;
    Ok(())
}

/// Deletes the events of readers that are no longer kept.
async fn purge_insights(app: Arc<App>) -> Result<(), TaskError> {
    insights::retention::remove_old(&app).await?;
    Ok(())
}

/// Removes objects that nothing refers to, unless the last collection of any node began less than
/// [`collector::INTERVAL`] ago.
async fn collect_garbage(app: Arc<App>) -> Result<(), TaskError> {
    if let Some(collected) = collector::collect(&app.store, collector::INTERVAL).await? {
        tracing::info!(?collected, "objects were collected");
    }
    Ok(())
}

/// Updates the stored link indexes of spaces that have changed, one after the other.
async fn store_link_indexes(app: Arc<App>, stop: CancellationToken) -> Result<(), TaskError> {
    while links::store_next(&app.store, app.clock.now(), &stop).await? {}
    Ok(())
}

/// Finds the addresses that changed spaces embed, and enqueues the jobs that describe them.
async fn find_embeds(app: Arc<App>, stop: CancellationToken) -> Result<(), TaskError> {
    if !app.describes_embeds {
        return Ok(());
    }
    while embeds::scan::scan_next(&app.store, app.clock.now(), &stop).await? {}
    embeds::enqueue_due(&app.store).await?;
    Ok(())
}

/// Writes what people are writing together into the content of their change requests.
async fn save_edited_pages(app: Arc<App>) -> Result<(), TaskError> {
    editing::save_due(&app).await?;
    Ok(())
}

/// Deletes steps and revisions of edited pages that later ones contain.
async fn compact_edited_pages(app: Arc<App>) -> Result<(), TaskError> {
    editing::compact(&app.store).await?;
    Ok(())
}

/// Checks the branches of synchronisations that are due, and starts runs for those that changed.
async fn check_git_branches(app: Arc<App>, stop: CancellationToken) -> Result<(), TaskError> {
    git_sync::check_due(app, stop).await?;
    Ok(())
}
