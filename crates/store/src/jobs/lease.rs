//! Workers lease jobs for a limited time, so that the job of a dead worker becomes available again.

use std::collections::BTreeMap;
use std::time::Duration;

use bindery_model::{Id, JobId, JobKind, OrganizationId, RevisionId, Timestamp};

use super::{Job, JobError, Progress};
use crate::record::{FromRow, Record, record, sql};
use crate::{Store, StoreError, Tx, Value, params};

/// The delay before the second attempt, in milliseconds. It doubles with each attempt, up to
/// [`MAX_DELAY_MILLIS`].
const FIRST_DELAY_MILLIS: i64 = 4_000;

/// The longest delay between attempts, in milliseconds: 15 minutes.
const MAX_DELAY_MILLIS: i64 = 15 * 60 * 1000;

/// Maximum number of attempts for a content job whose workers die. The job's input may be the
/// cause.
const MAX_LOST_ATTEMPTS: u32 = 2;

/// A worker's request for a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeaseRequest {
    /// The worker's name, for people.
    pub worker: String,
    /// The job kinds that the worker supports, each with its maximum number of running jobs across
    /// all workers.
    pub kinds: Vec<(JobKind, u32)>,
    /// Maximum number of running jobs of these kinds in total.
    pub total: u32,
    /// Maximum number of running jobs of these kinds per organization.
    pub per_organization: u32,
    /// Duration of the lease. Each report of the worker renews it.
    pub lease: Duration,
}

record! {
    /// The number of running jobs of one kind for one organization.
    struct RunningJobs in jobs as j {
        kind: JobKind,
        organization: Option<OrganizationId>,
        count: u32 = "COUNT(*)",
    }
}

/// A worker's lease of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobLease {
    /// The job.
    pub job: JobId,
    token: Id,
    /// `true` if the holder does only a part of the job's work.
    is_step: bool,
}

impl JobLease {
    /// Returns the lease for a part of the job's work, whose success does not end the job.
    #[must_use]
    pub fn step(&self) -> Self {
        Self { is_step: true, ..self.clone() }
    }
}

/// A job with its lease.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeasedJob {
    /// The lease.
    pub lease: JobLease,
    /// The job.
    pub job: Job,
}

/// The response to a worker's report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobSignal {
    /// The worker should continue.
    Continue,
    /// The job should stop. The worker should undo unfinished work and call
    /// [`confirm_job_cancelled`](Tx::confirm_job_cancelled).
    Cancel,
    /// The lease is lost, and another worker may have the job. The worker must stop without
    /// writing.
    Lost,
}

/// The retry policy of a failed job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Retry {
    /// Retry after a delay if attempts are left.
    Later,
    /// Do not retry.
    Never,
}

impl Store {
    /// Leases the next available job. Returns `None` if there is none.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub async fn lease_job(&self, request: LeaseRequest) -> Result<Option<LeasedJob>, StoreError> {
        // Reading first keeps idle workers from writing.
        let wanted = request.clone();
        if !self.read(move |tx| tx.has_job_to_lease(&wanted)).await? {
            return Ok(None);
        }
        self.write(move |tx| tx.lease_job(&request)).await
    }

    /// Reports a job's progress and renews its lease.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub async fn report_job(
        &self,
        lease: &JobLease,
        progress: Option<Progress>,
        hold: Duration,
    ) -> Result<JobSignal, StoreError> {
        let lease = lease.clone();
        self.write(move |tx| tx.report_job(&lease, progress.as_ref(), hold)).await
    }

    /// Returns the time at which a job may become available: the earliest start of a queued job of
    /// a known kind, or end of a lease. The time may be in the past.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub async fn next_job_at(&self) -> Result<Option<Timestamp>, StoreError> {
        self.read(|tx| {
            let kinds = JobKind::ALL.map(Value::from);
            let queued = format!(
                "SELECT MIN(run_at) FROM jobs WHERE status = 'queued' AND kind IN ({})",
                numbered_placeholders(0, kinds.len())
            );
            let queued: Option<Timestamp> = tx.query_one(&queued, &kinds, FromRow::from_row)?;
            let held = "SELECT MIN(leased_until) FROM jobs WHERE status = 'running'";
            let held: Option<Timestamp> = tx.query_one(held, &[], FromRow::from_row)?;
            Ok(queued.into_iter().chain(held).min())
        })
        .await
    }
}

impl Tx<'_> {
    fn has_job_to_lease(&self, request: &LeaseRequest) -> Result<bool, StoreError> {
        let lost = self.exists(
            "SELECT 1 FROM jobs WHERE status = 'running' AND leased_until <= $1 LIMIT 1",
            params![self.now()],
        )?;
        Ok(lost || self.next_job(request)?.is_some())
    }

    fn lease_job(&self, request: &LeaseRequest) -> Result<Option<LeasedJob>, StoreError> {
        self.reclaim_jobs()?;
        let Some(id) = self.next_job(request)? else {
            return Ok(None);
        };
        let token = Id::random(self.entropy());
        self.execute(
            "UPDATE jobs SET status = 'running', attempts = attempts + 1, lease = $1,
                 worker = $2, leased_until = $3, started_at = COALESCE(started_at, $4),
                 progress_done = NULL, progress_total = NULL, progress_message = NULL
             WHERE id = $5",
            params![token, &request.worker, lease_end(self.now(), request.lease), self.now(), id],
        )?;
        let job =
            self.query_one(sql!(Job::SELECT, " WHERE j.id = $1"), params![id], Job::from_row)?;
        Ok(Some(LeasedJob { lease: JobLease { job: id, token, is_step: false }, job }))
    }

    /// Returns the next job to run. Prefers the organizations with the fewest running jobs, then
    /// the job that has waited longest.
    fn next_job(&self, request: &LeaseRequest) -> Result<Option<JobId>, StoreError> {
        let running = self.running_jobs(request)?;
        if running.iter().map(|job| job.count).sum::<u32>() >= request.total {
            return Ok(None);
        }
        let runs = |kind: JobKind| {
            running.iter().filter(|job| job.kind == kind).map(|job| job.count).sum::<u32>()
        };
        let kinds: Vec<JobKind> = request
            .kinds
            .iter()
            .filter(|(kind, limit)| runs(*kind) < *limit)
            .map(|(kind, _)| *kind)
            .collect();
        let mut shares: BTreeMap<OrganizationId, u32> = BTreeMap::new();
        for job in &running {
            if let Some(organization) = job.organization {
                *shares.entry(organization).or_default() += job.count;
            }
        }
        for share in 0..request.per_organization {
            let have_more = shares.iter().filter(|(_, count)| **count > share);
            let others: Vec<OrganizationId> = have_more.map(|(id, _)| *id).collect();
            let found = self.longest_waiting_job(&kinds, &others)?;
            if found.is_some() || others.is_empty() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Returns the running jobs of the requested kinds, counted by kind and organization.
    fn running_jobs(&self, request: &LeaseRequest) -> Result<Vec<RunningJobs>, StoreError> {
        if request.kinds.is_empty() {
            return Ok(Vec::new());
        }
        let values: Vec<Value<'_>> = request.kinds.iter().map(|(kind, _)| (*kind).into()).collect();
        let kinds = numbered_placeholders(0, values.len());
        self.query(
            &format!(
                "{} WHERE j.status = 'running' AND j.kind IN ({kinds}) \
                 GROUP BY j.kind, j.organization",
                RunningJobs::SELECT
            ),
            &values,
            RunningJobs::from_row,
        )
    }

    /// Returns the job of these kinds that has waited longest and may run, outside these
    /// organizations.
    fn longest_waiting_job(
        &self,
        kinds: &[JobKind],
        without: &[OrganizationId],
    ) -> Result<Option<JobId>, StoreError> {
        if kinds.is_empty() {
            return Ok(None);
        }
        let mut values = vec![Value::from(self.now())];
        let kind_places = numbered_placeholders(values.len(), kinds.len());
        values.extend(kinds.iter().map(|kind| Value::from(*kind)));
        let organization_places = numbered_placeholders(values.len(), without.len());
        values.extend(without.iter().map(Value::from));
        let organizations = match without {
            [] => String::new(),
            _ => {
                format!("AND (organization IS NULL OR organization NOT IN ({organization_places}))")
            }
        };
        self.query_opt(
            &format!(
                "SELECT id FROM jobs
                 WHERE status = 'queued' AND run_at <= $1 AND kind IN ({kind_places}) {organizations}
                 AND (content = 0 OR NOT EXISTS (
                     SELECT 1 FROM jobs AS other
                     WHERE other.space = jobs.space AND other.content = 1
                     AND other.status = 'running'))
                 ORDER BY run_at, stamp, id LIMIT 1"
            ),
            &values,
            FromRow::from_row,
        )
    }

    /// Reclaims jobs whose leases have expired. Queues them again, or ends them if no attempt is
    /// left or cancellation was requested.
    fn reclaim_jobs(&self) -> Result<(), StoreError> {
        let now = self.now();
        self.execute(
            "UPDATE jobs SET status = 'cancelled', finished_at = $1, lease = NULL
             WHERE status = 'running' AND leased_until <= $1 AND cancel_requested = 1",
            params![now],
        )?;
        self.execute(
            "UPDATE jobs SET status = 'failed', finished_at = $1, lease = NULL,
                 error_code = 'worker_lost',
                 error_message = 'the server stopped during the job; the job will not be tried again'
             WHERE status = 'running' AND leased_until <= $1
             AND (attempts >= max_attempts OR (content = 1 AND attempts >= $2))",
            params![now, MAX_LOST_ATTEMPTS],
        )?;
        self.execute(
            "UPDATE jobs SET status = 'queued', run_at = $1, lease = NULL,
                 error_code = 'worker_lost',
                 error_message = 'the server stopped during the job; the job will be tried again'
             WHERE status = 'running' AND leased_until <= $1",
            params![now],
        )?;
        Ok(())
    }

    fn report_job(
        &self,
        lease: &JobLease,
        progress: Option<&Progress>,
        hold: Duration,
    ) -> Result<JobSignal, StoreError> {
        let JobLease { job, token, is_step: _ } = lease;
        let held = self.execute(
            "UPDATE jobs SET leased_until = $1 WHERE id = $2 AND lease = $3",
            params![lease_end(self.now(), hold), job, token],
        )?;
        if held == 0 {
            return Ok(JobSignal::Lost);
        }
        if let Some(Progress { done, total, message }) = progress {
            self.execute(
                "UPDATE jobs SET progress_done = $1, progress_total = $2, progress_message = $3
                 WHERE id = $4",
                params![done.cast_signed(), total.map(u64::cast_signed), message.as_ref(), job],
            )?;
        }
        let sql = "SELECT cancel_requested FROM jobs WHERE id = $1";
        let cancel = self.query_one(sql, params![job], FromRow::from_row)?;
        Ok(if cancel { JobSignal::Cancel } else { JobSignal::Continue })
    }

    /// Ends a successful job. Call it in the transaction with the job's last effect, so that both
    /// are committed or neither. With the lease of a [step](JobLease::step), the job goes on.
    ///
    /// # Errors
    /// Returns [`StoreError::LeaseLost`] if another worker holds the job; roll back.
    pub fn finish_job(
        &self,
        lease: &JobLease,
        revision: Option<RevisionId>,
    ) -> Result<(), StoreError> {
        if lease.is_step {
            let held = self.execute(
                "UPDATE jobs SET revision = COALESCE($3, revision) WHERE id = $1 AND lease = $2",
                params![lease.job, lease.token, revision],
            )?;
            return if held == 0 { Err(StoreError::LeaseLost) } else { Ok(()) };
        }
        self.end_job(
            "UPDATE jobs SET status = 'done', finished_at = $3, lease = NULL, error_code = NULL,
                 error_message = NULL, revision = $4
             WHERE id = $1 AND lease = $2",
            params![lease.job, lease.token, self.now(), revision],
        )
    }

    /// Sets the final message of a job that is about to end, for people.
    ///
    /// # Errors
    /// Returns [`StoreError::LeaseLost`] if another worker holds the job; roll back.
    pub fn set_job_message(&self, lease: &JobLease, message: &str) -> Result<(), StoreError> {
        let held = self.execute(
            "UPDATE jobs SET progress_done = 0, progress_total = NULL, progress_message = $3
             WHERE id = $1 AND lease = $2",
            params![lease.job, lease.token, message],
        )?;
        if held == 0 { Err(StoreError::LeaseLost) } else { Ok(()) }
    }

    /// Sets the folders of languages in the repository that a job imported, as JSON.
    ///
    /// # Errors
    /// Returns [`StoreError::LeaseLost`] if another worker holds the job; roll back.
    pub fn set_job_languages(&self, lease: &JobLease, languages: &str) -> Result<(), StoreError> {
        let held = self.execute(
            "UPDATE jobs SET languages = $3 WHERE id = $1 AND lease = $2",
            params![lease.job, lease.token, languages],
        )?;
        if held == 0 { Err(StoreError::LeaseLost) } else { Ok(()) }
    }

    /// Ends a failed attempt. Users see the message unchanged.
    ///
    /// # Errors
    /// Returns [`StoreError::LeaseLost`] if another worker holds the job.
    pub fn fail_job(
        &self,
        lease: &JobLease,
        error: &JobError,
        retry: Retry,
    ) -> Result<(), StoreError> {
        let sql = "SELECT attempts, max_attempts, cancel_requested FROM jobs
             WHERE id = $1 AND lease = $2";
        let (attempts, most, cancel) = self
            .query_opt(sql, params![lease.job, lease.token], <(u32, u32, bool)>::from_row)?
            .ok_or(StoreError::LeaseLost)?;
        let again = retry == Retry::Later && attempts < most && !cancel;
        let status = match (cancel, again) {
            (true, _) => "cancelled",
            (false, true) => "queued",
            (false, false) => "failed",
        };
        let run_at = self.now().plus_millis(self.retry_delay_millis(attempts));
        self.end_job(
            "UPDATE jobs SET status = $3, error_code = $4, error_message = $5, run_at = $6,
                 finished_at = $7, lease = NULL
             WHERE id = $1 AND lease = $2",
            params![
                lease.job,
                lease.token,
                status,
                &error.code,
                &error.message,
                run_at,
                (!again).then_some(self.now()),
            ],
        )
    }

    /// Ends a job whose cancellation was requested.
    ///
    /// # Errors
    /// Returns [`StoreError::LeaseLost`] if another worker holds the job.
    pub fn confirm_job_cancelled(&self, lease: &JobLease) -> Result<(), StoreError> {
        self.end_job(
            "UPDATE jobs SET status = 'cancelled', finished_at = $3, lease = NULL
             WHERE id = $1 AND lease = $2",
            params![lease.job, lease.token, self.now()],
        )
    }

    /// Returns an unfinished job to the queue, for example when the server shuts down. This does
    /// not count as an attempt.
    ///
    /// # Errors
    /// Returns [`StoreError::LeaseLost`] if another worker holds the job.
    pub fn release_job(&self, lease: &JobLease) -> Result<(), StoreError> {
        self.end_job(
            "UPDATE jobs SET status = 'queued', run_at = $3, attempts = attempts - 1, lease = NULL
             WHERE id = $1 AND lease = $2",
            params![lease.job, lease.token, self.now()],
        )
    }

    fn end_job(&self, sql: &str, values: &[Value<'_>]) -> Result<(), StoreError> {
        if self.execute(sql, values)? == 0 {
            return Err(StoreError::LeaseLost);
        }
        // Another job may be waiting for this one to end.
        self.mark_enqueued();
        Ok(())
    }

    /// Returns the delay after an attempt, in milliseconds. It doubles with each attempt. A random
    /// factor between one half and one spreads jobs that failed together.
    fn retry_delay_millis(&self, attempts: u32) -> i64 {
        let whole = FIRST_DELAY_MILLIS.saturating_mul(1 << attempts.saturating_sub(1).min(20));
        let whole = whole.min(MAX_DELAY_MILLIS);
        let [jitter] = self.entropy().bytes::<1>();
        whole / 2 + whole / 2 * i64::from(jitter) / 255
    }
}

/// Returns `count` placeholders after the first `after`, such as `$3, $4`.
fn numbered_placeholders(after: usize, count: usize) -> String {
    let places: Vec<String> =
        (after + 1..=after + count).map(|number| format!("${number}")).collect();
    places.join(", ")
}

fn lease_end(now: Timestamp, lease: Duration) -> Timestamp {
    now.plus_millis(i64::try_from(lease.as_millis()).unwrap_or(i64::MAX))
}
