//! Runs jobs: leases one after another, reports, and ends them in the transaction of their effect.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bindery_model::JobKind;
use bindery_outbound::CancellationToken;
use bindery_store::{
    JobError, JobLease, JobSignal, LeaseRequest, LeasedJob, Progress, Retry, StoreError,
};
use tokio::sync::watch;
use tracing::{Instrument as _, Span};

use crate::App;
use crate::{audit_events, collector, imports, links, mail, spaces};

/// Time after which the lease of a job without a report ends.
const LEASE_DURATION: Duration = Duration::from_secs(60);
/// Interval between the reports of a running job.
const REPORT_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum time between two searches of an idle worker for a job.
const POLL_INTERVAL: Duration = Duration::from_secs(15);
/// Interval between two removals of stale files, and their minimum age: longer than any write
/// takes.
const STALE_FILE_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);
/// Interval between two removals of expired deleted spaces.
const SPACE_REMOVAL_INTERVAL: Duration = Duration::from_secs(60 * 60);
/// Interval between two purges of expired records.
const PURGE_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);
/// Time in milliseconds that finished jobs are kept: 30 days.
const JOB_RETENTION_MILLIS: i64 = 30 * 24 * 60 * 60 * 1000;
/// Interval between two attempts to start a garbage collection, and the delay of the first.
const COLLECTION_INTERVAL: Duration = Duration::from_secs(10 * 60);
/// Interval between two searches for spaces with an outdated index of references.
const LINK_INDEX_INTERVAL: Duration = Duration::from_secs(2);
/// Files that are removed in one go.
const MAX_FILES_PER_REMOVAL: u32 = 256;
/// Time that an idle worker waits while due jobs may not run yet.
const BUSY_INTERVAL: Duration = Duration::from_secs(1);

/// Kinds of jobs with workers of their own, which run nothing else.
struct Lane {
    /// The kinds.
    kinds: &'static [JobKind],
    /// Jobs that run at once on all nodes; each node has as many workers.
    max_concurrent: u32,
    /// Jobs that run at once for one organization.
    per_organization: u32,
}

const LANES: [Lane; 3] = [
    Lane { kinds: &[JobKind::GitImport], max_concurrent: 4, per_organization: 2 },
    Lane { kinds: &[JobKind::ArchiveImport], max_concurrent: 2, per_organization: 1 },
    Lane {
        kinds: &[JobKind::InvitationMail, JobKind::SignInMail],
        max_concurrent: 2,
        per_organization: 2,
    },
];

/// The result of an attempt that did not succeed.
#[derive(Debug)]
pub(crate) enum JobFailure {
    /// With this error.
    Failed(JobError, Retry),
    /// Because somebody asked it to stop.
    Cancelled,
    /// Because another worker has it now.
    Lost,
}

impl From<StoreError> for JobFailure {
    fn from(error: StoreError) -> Self {
        if matches!(error, StoreError::LeaseLost) {
            return Self::Lost;
        }
        tracing::error!(%error, "a job failed in the store");
        Self::Failed(
            JobError { code: "internal".to_owned(), message: "the server failed".to_owned() },
            Retry::Later,
        )
    }
}

impl JobFailure {
    /// A failure that trying again cannot help.
    pub(crate) fn fatal(code: &str, message: impl Into<String>) -> Self {
        let error = JobError { code: code.to_owned(), message: message.into() };
        Self::Failed(error, Retry::Never)
    }
}

/// The handle of a running job, to report progress and to notice cancellation.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    /// Its hold on the job.
    pub(crate) lease: JobLease,
    /// Set when it is to stop.
    pub(crate) cancel: CancellationToken,
    progress: Arc<watch::Sender<Progress>>,
}

impl Running {
    /// Says how far the job is.
    pub(crate) fn report(&self, done: u64, total: Option<u64>, message: &str) {
        self.progress.send_replace(Progress { done, total, message: Some(message.to_owned()) });
    }
}

/// Runs jobs until `stop` says so, then gives back what is unfinished.
pub async fn run_jobs(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    let mut tasks = tokio::task::JoinSet::new();
    for lane in &LANES {
        for number in 0..lane.max_concurrent {
            tasks.spawn(work(Arc::clone(&app), lane, number, stop.clone()));
        }
    }
    tasks.spawn(store_links(Arc::clone(&app), stop.clone()));
    let tidying = [
        tokio::spawn(remove_stale_files(Arc::clone(&app))),
        tokio::spawn(remove_expired_spaces(Arc::clone(&app))),
        tokio::spawn(collect_garbage(Arc::clone(&app))),
        tokio::spawn(purge_records(Arc::clone(&app))),
    ];
    wait_for_stop(&mut stop).await;
    for task in tidying {
        task.abort();
        // Ended before the runtime is: what it waits for would otherwise look like a failure.
        drop(task.await);
    }
    while tasks.join_next().await.is_some() {}
}

/// Once a day, removes files that were staged for the store and never came into it.
async fn remove_stale_files(app: Arc<App>) {
    loop {
        let swept = async {
            app.store.schedule_orphan_removal().await?;
            while app.store.sweep_files(STALE_FILE_INTERVAL, MAX_FILES_PER_REMOVAL).await? > 0 {}
            Ok::<_, StoreError>(())
        };
        if let Err(error) = swept.await {
            tracing::warn!(%error, "stale files cannot be removed");
        }
        tokio::time::sleep(STALE_FILE_INTERVAL).await;
    }
}

/// Removes spaces for good whose time to be brought back is over.
async fn remove_expired_spaces(app: Arc<App>) {
    let kept = i64::try_from(spaces::RETENTION.as_millis()).unwrap_or(i64::MAX);
    loop {
        loop {
            match spaces::remove_one(&app.store, app.clock.now().plus_millis(-kept)).await {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    tracing::warn!(%error, "deleted spaces cannot be removed");
                    break;
                }
            }
        }
        tokio::time::sleep(SPACE_REMOVAL_INTERVAL).await;
    }
}

/// Once a day, deletes expired audit events, responses kept for `Idempotency-Key`, and jobs that
/// ended long ago.
async fn purge_records(app: Arc<App>) {
    loop {
        if let Err(error) = audit_events::remove_old(&app).await {
            tracing::warn!(%error, "expired audit events cannot be deleted");
        }
        let purged = app.store.write(|tx| {
            let responses = tx.delete_expired_responses()?;
            let jobs = tx.delete_finished_jobs(tx.now().plus_millis(-JOB_RETENTION_MILLIS))?;
            Ok::<_, StoreError>((responses, jobs))
        });
        match purged.await {
            Ok((responses, jobs)) => {
                tracing::debug!(responses, jobs, "expired records are deleted")
            }
            Err(error) => tracing::warn!(%error, "expired records cannot be deleted"),
        }
        tokio::time::sleep(PURGE_INTERVAL).await;
    }
}

/// Once a day, by one node, removes objects that nothing refers to.
async fn collect_garbage(app: Arc<App>) {
    loop {
        tokio::time::sleep(COLLECTION_INTERVAL).await;
        match collector::collect(&app.store, collector::APART).await {
            Ok(None) => {}
            Ok(Some(collected)) => tracing::info!(?collected, "objects were collected"),
            Err(error) => tracing::warn!(%error, "objects cannot be collected"),
        }
    }
}

/// Brings stored indexes of references up to what spaces hold now, one after the other.
async fn store_links(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    let cancel = CancellationToken::new();
    while !*stop.borrow() {
        tokio::select! {
            () = wait_for_stop(&mut stop) => return,
            () = tokio::time::sleep(LINK_INDEX_INTERVAL) => {}
        }
        let mut more = true;
        while more {
            let next = links::store_next(&app.store, app.clock.now(), &cancel);
            tokio::pin!(next);
            let stored = tokio::select! {
                stored = &mut next => stored,
                () = wait_for_stop(&mut stop) => {
                    cancel.cancel();
                    if let Err(error) = next.await {
                        tracing::debug!(%error, "an index of references was not made to its end");
                    }
                    return;
                }
            };
            more = stored.unwrap_or_else(|error| {
                tracing::warn!(%error, "an index of references cannot be stored");
                false
            });
        }
    }
}

async fn work(app: Arc<App>, lane: &Lane, number: u32, mut stop: watch::Receiver<bool>) {
    let mut enqueued = app.store.watch_jobs();
    while !*stop.borrow() {
        enqueued.mark_unchanged();
        let request = LeaseRequest {
            worker: format!("{}-{number}", std::process::id()),
            kinds: lane.kinds.iter().map(|kind| (*kind, lane.max_concurrent)).collect(),
            total: lane.max_concurrent,
            per_organization: lane.per_organization,
            lease: LEASE_DURATION,
        };
        match app.store.lease_job(request).await {
            Ok(Some(leased)) => {
                let job = &leased.job;
                let span = tracing::info_span!(
                    "job",
                    kind = job.kind.as_str(),
                    id = %job.id,
                    attempt = job.attempts
                );
                run(&app, leased, stop.clone()).instrument(span).await;
            }
            Ok(None) => {
                tokio::select! {
                    _ = enqueued.changed() => {}
                    () = wait_for_stop(&mut stop) => {}
                    () = idle(&app) => {}
                }
            }
            Err(error) => {
                tracing::warn!(%error, "cannot look for jobs");
                tokio::select! {
                    () = wait_for_stop(&mut stop) => {}
                    () = tokio::time::sleep(POLL_INTERVAL) => {}
                }
            }
        }
    }
}

/// Returns once the server is to end. What it waited for must not be held over an await.
async fn wait_for_stop(stop: &mut watch::Receiver<bool>) {
    while !*stop.borrow_and_update() {
        if stop.changed().await.is_err() {
            return;
        }
    }
}

async fn idle(app: &App) {
    let next = app.store.next_job_at().await.ok().flatten();
    let wait = next.map_or(POLL_INTERVAL, |at| {
        let millis = at.millis().saturating_sub(app.clock.now().millis());
        match u64::try_from(millis) {
            // It was not lent: others have its places, maybe those of another node.
            Ok(0) | Err(_) => BUSY_INTERVAL,
            Ok(millis) => Duration::from_millis(millis.max(50)).min(POLL_INTERVAL),
        }
    });
    tokio::time::sleep(wait).await;
}

async fn run(app: &Arc<App>, leased: LeasedJob, mut stop: watch::Receiver<bool>) {
    let started = Instant::now();
    let LeasedJob { lease, job } = leased;
    let (progress, mut seen) = watch::channel(Progress::default());
    let running = Running {
        lease: lease.clone(),
        cancel: CancellationToken::new(),
        progress: Arc::new(progress),
    };
    let task = {
        let (app, running) = (Arc::clone(app), running.clone());
        let span = Span::current();
        tokio::task::spawn_blocking(move || {
            span.in_scope(|| match job.kind {
                JobKind::GitImport => imports::run_git(&app, &job, &running),
                JobKind::ArchiveImport => imports::run_archive(&app, &job, &running),
                JobKind::InvitationMail => mail::run_invitation(&app, &job, &running),
                JobKind::SignInMail => mail::run_sign_in(&app, &job, &running),
            })
        })
    };
    tokio::pin!(task);
    let mut stopping = false;
    let mut lost = false;
    let ended = loop {
        tokio::select! {
            ended = &mut task => break ended,
            () = wait_for_stop(&mut stop), if !stopping => {
                stopping = true;
                running.cancel.cancel();
            }
            () = tokio::time::sleep(REPORT_INTERVAL) => {
                let progress = seen.borrow_and_update().clone();
                match app.store.report_job(&lease, Some(progress), LEASE_DURATION).await {
                    Ok(JobSignal::Continue) => {}
                    Ok(JobSignal::Cancel) => running.cancel.cancel(),
                    Ok(JobSignal::Lost) => {
                        lost = true;
                        running.cancel.cancel();
                    }
                    Err(error) => tracing::warn!(%error, "cannot report a job"),
                }
            }
        }
    };
    let outcome = ended.unwrap_or_else(|panic| {
        tracing::error!(%panic, "a job panicked");
        Err(JobFailure::fatal("internal", "the server failed while doing this"))
    });
    let name = outcome_name(&outcome);
    tracing::info!(outcome = name, seconds = started.elapsed().as_secs_f64(), "job ended");
    if !lost {
        end(app, &lease, outcome, stopping).await;
    }
}

/// Returns the name of an outcome, for the log.
const fn outcome_name(outcome: &Result<(), JobFailure>) -> &'static str {
    match outcome {
        Ok(()) => "done",
        Err(JobFailure::Cancelled) => "cancelled",
        Err(JobFailure::Lost) => "lost",
        Err(JobFailure::Failed(..)) => "failed",
    }
}

async fn end(app: &App, lease: &JobLease, outcome: Result<(), JobFailure>, stopping: bool) {
    let lease = lease.clone();
    let ended: Result<(), StoreError> = app
        .store
        .write(move |tx| match &outcome {
            // A job that succeeds ends in the transaction of its last effect.
            Ok(()) | Err(JobFailure::Lost) => Ok(()),
            Err(JobFailure::Cancelled) if stopping => tx.release_job(&lease),
            Err(JobFailure::Cancelled) => tx.confirm_job_cancelled(&lease),
            Err(JobFailure::Failed(error, retry)) => tx.fail_job(&lease, error, *retry),
        })
        .await;
    if let Err(error) = ended {
        tracing::warn!(%error, "cannot end a job; another worker will find it");
    }
}
