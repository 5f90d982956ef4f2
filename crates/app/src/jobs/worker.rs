//! The workers, which lease jobs, run them, report their progress, and end failed attempts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bindery_model::JobKind;
use bindery_store::{JobLease, JobSignal, LeaseRequest, LeasedJob, StoreError};
use tokio::sync::watch;
use tracing::{Instrument as _, Span};

use super::failure::SERVER_FAILED;
use super::{JobFailure, RunningJob, registry, schedule};
use crate::own_thread::in_own_thread;
use crate::{App, search};

/// Time after which the lease of a job without a report ends.
const LEASE_DURATION: Duration = Duration::from_secs(60);
/// Interval between the reports of a running job.
const REPORT_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum time between two searches of an idle worker for a job. A job that this node enqueues
/// wakes its workers earlier.
const POLL_INTERVAL: Duration = Duration::from_secs(15);
/// Time that an idle worker waits while due jobs may not run yet.
const BUSY_INTERVAL: Duration = Duration::from_secs(1);

/// A group of job kinds with its own workers, which run no other kinds.
struct Lane {
    /// The kinds. Each kind is in one lane.
    kinds: &'static [JobKind],
    /// Maximum number of running jobs on all nodes, and number of workers of each node.
    max_concurrent: u32,
    /// Maximum number of running jobs of one organization.
    per_organization: u32,
}

const LANES: [Lane; 8] = [
    Lane {
        kinds: &[JobKind::GitImport, JobKind::GitExport, JobKind::GitSync, JobKind::GitSyncDryRun],
        max_concurrent: 4,
        per_organization: 2,
    },
    // One after the other, so that two jobs of a space do not register two webhooks.
    Lane { kinds: &[JobKind::GitWebhook], max_concurrent: 2, per_organization: 1 },
    Lane { kinds: &[JobKind::ArchiveImport], max_concurrent: 2, per_organization: 1 },
    Lane {
        kinds: &[JobKind::InvitationMail, JobKind::SignInMail, JobKind::NotificationMail],
        max_concurrent: 2,
        per_organization: 2,
    },
    // Each can use gigabytes of memory, up to the limit of its typesetter.
    Lane { kinds: &[JobKind::Pdf], max_concurrent: 2, per_organization: 1 },
    // The number of jobs and of requests of a job limit the requests to one host.
    Lane { kinds: &[JobKind::EmbedDescriptions], max_concurrent: 2, per_organization: 1 },
    // Most of them wait for slow servers.
    Lane { kinds: &[JobKind::OpenApi], max_concurrent: 6, per_organization: 3 },
    // Each can use a gigabyte of memory.
    Lane { kinds: &[JobKind::OpenApiComparison], max_concurrent: 1, per_organization: 1 },
];

/// Runs jobs and scheduled tasks, and updates the search index, until `stop` becomes true, then returns unfinished jobs to the
/// queue.
pub async fn run_jobs(app: Arc<App>, stop: watch::Receiver<bool>) {
    let mut tasks = tokio::task::JoinSet::new();
    for lane in &LANES {
        for number in 0..lane.max_concurrent {
            tasks.spawn(work(Arc::clone(&app), lane, number, stop.clone()));
        }
    }
    tasks.spawn(search::follow(Arc::clone(&app), stop.clone()));
    tasks.spawn(schedule::run_schedule(app, stop));
    while tasks.join_next().await.is_some() {}
}

/// Runs jobs of a lane, one after the other, until `stop` becomes true.
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

/// Returns when `stop` is true or its sender is dropped. The borrow of the value must not be held
/// over an await.
pub(crate) async fn wait_for_stop(stop: &mut watch::Receiver<bool>) {
    while !*stop.borrow_and_update() {
        if stop.changed().await.is_err() {
            return;
        }
    }
}

/// Waits until a job may have become available.
async fn idle(app: &App) {
    let next = app.store.next_job_at().await.ok().flatten();
    let wait = next.map_or(POLL_INTERVAL, |at| {
        let millis = at.millis().saturating_sub(app.clock.now().millis());
        match u64::try_from(millis) {
            // A job is due but was not leased: other workers, possibly of another node, use all
            // its places.
            Ok(0) | Err(_) => BUSY_INTERVAL,
            Ok(millis) => Duration::from_millis(millis.max(50)).min(POLL_INTERVAL),
        }
    });
    tokio::time::sleep(wait).await;
}

/// Runs one attempt, reports its progress and renews its lease.
async fn run(app: &Arc<App>, leased: LeasedJob, mut stop: watch::Receiver<bool>) {
    let started = Instant::now();
    let LeasedJob { lease, job } = leased;
    let (running, mut seen) = RunningJob::new(lease.clone());
    let task = {
        let (app, running) = (Arc::clone(app), running.clone());
        let span = Span::current();
        in_own_thread("job", move || span.in_scope(|| registry::run(&app, &job, &running)))
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
    let outcome = ended.unwrap_or_else(|error| {
        tracing::error!(%error, "a job has no result");
        Err(JobFailure::fatal("internal", SERVER_FAILED))
    });
    let name = JobFailure::outcome_name(&outcome);
    tracing::info!(outcome = name, seconds = started.elapsed().as_secs_f64(), "job ended");
    if !lost {
        end(app, &lease, outcome, stopping).await;
    }
}

/// Stores the end of an attempt that did not succeed.
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

#[cfg(test)]
mod tests {
    use bindery_model::JobKind;

    use super::LANES;

    #[test]
    fn every_kind_is_in_one_lane() {
        for kind in JobKind::ALL {
            let count = LANES.iter().filter(|lane| lane.kinds.contains(&kind)).count();
            assert_eq!(count, 1, "{}", kind.as_str());
        }
    }
}
