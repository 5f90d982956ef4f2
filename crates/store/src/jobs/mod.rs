//! Jobs: work outside a request. A transaction enqueues the jobs that it causes. Users can see and
//! cancel them.

mod counts;
mod lease;

use bindery_model::{
    JobId, JobKind, OrganizationId, RevisionId, SpaceId, Timestamp, UserId, closed_set,
};
use serde_json::Value as Json;

pub use self::counts::JobCount;
pub use self::lease::{JobLease, JobSignal, LeaseRequest, LeasedJob, Retry};

use crate::record::{Columns, FromRow, Record, record, sql};
use crate::{Column, FromColumn, StoreError, Tx, Value, params};

closed_set! {
    /// The status of a job.
    JobStatus {
        /// Waiting for a worker or for the next attempt.
        Queued = "queued",
        /// A worker is running it.
        Running = "running",
        /// Finished successfully.
        Done = "done",
        /// Failed permanently.
        Failed = "failed",
        /// Cancelled by a user or superseded by a newer job.
        Cancelled = "cancelled",
    }
}

/// The kind of a stored job. A newer release of the server may have enqueued a job of a kind that
/// this one does not know; such a job waits for a server that knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoredJobKind {
    /// A kind that this server knows.
    Known(JobKind),
    /// The stored name of another kind.
    Unknown(String),
}

/// The progress of a job, in units that the job chooses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Completed units.
    pub done: u64,
    /// Total units, once known.
    pub total: Option<u64>,
    /// The current step, for people.
    pub message: Option<String>,
}

/// The error of a job or of its last attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobError {
    /// A stable code for programs.
    pub code: String,
    /// An explanation for people. Users see it unchanged, so it must not contain secrets.
    pub message: String,
}

/// A job to enqueue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewJob {
    /// The kind of job.
    pub kind: JobKind,
    /// The organization it belongs to.
    pub organization: Option<OrganizationId>,
    /// The space it belongs to.
    pub space: Option<SpaceId>,
    /// The person who caused it.
    pub actor: Option<UserId>,
    /// Input that depends on the kind.
    pub payload: Json,
    /// `true` if it changes the space's content. At most one such job runs per space.
    pub changes_content: bool,
    /// `true` if it supersedes queued jobs of the same kind and space with the same
    /// `changes_content` flag.
    pub supersedes_queued: bool,
    /// Maximum number of attempts.
    pub max_attempts: u32,
    /// The earliest start; `None` for immediately.
    pub run_at: Option<Timestamp>,
}

record! {
    /// A job as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Job in jobs as j {
        /// Its id.
        pub id: JobId,
        /// The kind of job.
        pub kind: StoredJobKind,
        /// The organization it belongs to.
        pub organization: Option<OrganizationId>,
        /// The space it belongs to.
        pub space: Option<SpaceId>,
        /// The person who caused it.
        pub actor: Option<UserId>,
        /// Input that depends on the kind.
        pub payload: Json,
        /// The status.
        pub status: JobStatus,
        /// Number of attempts started.
        pub attempts: u32,
        /// Maximum number of attempts.
        pub max_attempts: u32,
        /// The progress.
        pub progress: Option<Progress> = (progress_done, progress_total, progress_message),
        /// The error of the job or of its last attempt.
        pub error: Option<JobError> = (error_code, error_message),
        /// The revision it created.
        pub revision: Option<RevisionId>,
        /// The folders of languages in the repository that it imported, as JSON.
        pub languages: Option<String>,
        /// `true` if cancellation was requested.
        pub cancel_requested: bool,
        /// Time of creation.
        pub created_at: Timestamp,
        /// Start of the first attempt.
        pub started_at: Option<Timestamp>,
        /// Time of its end.
        pub finished_at: Option<Timestamp>,
    }
}

/// Selects the jobs in a list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JobFilter {
    /// Jobs of this organization.
    pub organization: Option<OrganizationId>,
    /// Jobs of this space.
    pub space: Option<SpaceId>,
    /// Jobs of this kind.
    pub kind: Option<JobKind>,
    /// Jobs with this status.
    pub status: Option<JobStatus>,
    /// Jobs of one of these organizations.
    pub within: Option<Vec<OrganizationId>>,
    /// Jobs after this position in the list.
    pub after: Option<JobCursor>,
}

/// A job's position in the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobCursor {
    /// Time of creation.
    pub created_at: Timestamp,
    /// Its id.
    pub id: JobId,
}

impl JobFilter {
    fn conditions(&self) -> (String, Vec<Value<'_>>) {
        let Self { organization, space, kind, status, within, after } = self;
        let mut conditions = Vec::new();
        let mut values: Vec<Value<'_>> = Vec::new();
        let equal = [
            ("organization", organization.as_ref().map(Value::from)),
            ("space", space.as_ref().map(Value::from)),
            ("kind", kind.map(Value::from)),
            ("status", status.map(Value::from)),
        ];
        for (column, value) in equal {
            if let Some(value) = value {
                values.push(value);
                conditions.push(format!("{column} = ${}", values.len()));
            }
        }
        if let Some(within) = within {
            let places: Vec<String> = within
                .iter()
                .map(|organization| {
                    values.push(Value::from(organization));
                    format!("${}", values.len())
                })
                .collect();
            // An empty list must match no rows, in SQL that both engines accept.
            conditions.push(match places.as_slice() {
                [] => "1 = 0".to_owned(),
                places => format!("organization IN ({})", places.join(", ")),
            });
        }
        if let Some(JobCursor { created_at, id }) = after {
            values.extend([Value::from(*created_at), Value::from(id)]);
            let (at, id) = (values.len() - 1, values.len());
            conditions.push(format!("(created_at, id) < (${at}, ${id})"));
        }
        let conditions = match conditions.as_slice() {
            [] => String::new(),
            some => format!("WHERE {}", some.join(" AND ")),
        };
        (conditions, values)
    }
}

impl NewJob {
    /// Default maximum number of attempts.
    pub const ATTEMPTS: u32 = 5;

    /// Creates a job without input that belongs to no object.
    pub const fn new(kind: JobKind) -> Self {
        Self {
            kind,
            organization: None,
            space: None,
            actor: None,
            payload: Json::Null,
            changes_content: false,
            supersedes_queued: false,
            max_attempts: Self::ATTEMPTS,
            run_at: None,
        }
    }
}

impl Job {
    /// Returns the job's position in the list.
    pub const fn cursor(&self) -> JobCursor {
        JobCursor { created_at: self.created_at, id: self.id }
    }
}

impl StoredJobKind {
    /// Returns the kind, or `None` if this server does not know it.
    pub const fn known(&self) -> Option<JobKind> {
        match self {
            Self::Known(kind) => Some(*kind),
            Self::Unknown(_) => None,
        }
    }

    /// Returns the stored name.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(kind) => kind.as_str(),
            Self::Unknown(name) => name,
        }
    }
}

impl PartialEq<JobKind> for StoredJobKind {
    fn eq(&self, kind: &JobKind) -> bool {
        self.known() == Some(*kind)
    }
}

impl FromColumn for StoredJobKind {
    const EXPECTED: &'static str = "the kind of a job";
    const SHOWS_TEXT: bool = true;

    fn from_column(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Text(name) => {
                let unknown = || Self::Unknown(name.to_owned());
                Some(JobKind::parse(name).map_or_else(unknown, Self::Known))
            }
            _ => None,
        }
    }
}

impl JobStatus {
    /// Returns `true` if the status can no longer change.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

impl Tx<'_> {
    /// Enqueues a job. It can run once this transaction has committed.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn enqueue(&self, job: &NewJob) -> Result<JobId, StoreError> {
        if let (true, Some(space)) = (job.supersedes_queued, &job.space) {
            self.execute(
                "UPDATE jobs SET status = 'cancelled', finished_at = $1,
                     error_code = 'superseded', error_message = 'a newer job replaced this one'
                 WHERE space = $2 AND kind = $3 AND content = $4 AND status = 'queued'",
                params![self.now(), space, job.kind, job.changes_content],
            )?;
        }
        let id = JobId::random(self.entropy());
        self.execute(
            "INSERT INTO jobs (id, kind, organization, space, actor, payload, content, status,
                 attempts, max_attempts, run_at, stamp, cancel_requested, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 'queued', 0, $8, $9, $10, 0, $11)",
            params![
                id,
                job.kind,
                job.organization,
                job.space,
                job.actor,
                job.payload.to_string(),
                job.changes_content,
                job.max_attempts.max(1),
                job.run_at.unwrap_or(self.now()),
                self.shared().stamps.next(self.now()),
                self.now(),
            ],
        )?;
        self.mark_enqueued();
        Ok(id)
    }

    /// Returns a job.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn job(&self, id: JobId) -> Result<Option<Job>, StoreError> {
        self.query_opt(sql!(Job::SELECT, " WHERE j.id = $1"), params![id], Job::from_row)
    }

    /// Returns the matching jobs, newest first.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn list_jobs(&self, filter: &JobFilter, limit: u32) -> Result<Vec<Job>, StoreError> {
        let (conditions, mut values) = filter.conditions();
        values.push(Value::from(limit));
        let sql = format!(
            "{} {conditions} ORDER BY created_at DESC, id DESC LIMIT ${}",
            Job::SELECT,
            values.len()
        );
        self.query(&sql, &values, Job::from_row)
    }

    /// Returns the number of jobs that match a filter, including its cursor.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn count_jobs(&self, filter: &JobFilter) -> Result<i64, StoreError> {
        let (conditions, values) = filter.conditions();
        let sql = format!("SELECT COUNT(*) FROM jobs {conditions}");
        self.query_one(&sql, &values, FromRow::from_row)
    }

    /// Cancels a job: a queued job immediately, a running job when its worker reports next. An
    /// ended job stays unchanged. Returns the job's status, or `None` if there is no such job.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn cancel_job(&self, id: JobId) -> Result<Option<JobStatus>, StoreError> {
        self.execute(
            "UPDATE jobs SET status = 'cancelled', finished_at = $1
             WHERE id = $2 AND status = 'queued'",
            params![self.now(), id],
        )?;
        self.execute(
            "UPDATE jobs SET cancel_requested = 1 WHERE id = $1 AND status = 'running'",
            params![id],
        )?;
        self.query_opt("SELECT status FROM jobs WHERE id = $1", params![id], FromRow::from_row)
    }

    /// Deletes jobs that ended before `before` and returns their number.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn delete_finished_jobs(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.execute("DELETE FROM jobs WHERE finished_at < $1", params![before])
    }
}

impl FromRow for Json {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        serde_json::from_str(&columns.read::<String>()?)
            .map_err(|error| StoreError::Corrupt(format!("a job's payload: {error}")))
    }
}

impl FromRow for Option<Progress> {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        let (done, total, message) = columns.read::<(Option<u64>, _, _)>()?;
        Ok(done.map(|done| Progress { done, total, message }))
    }
}

impl FromRow for Option<JobError> {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        let (code, message) = columns.read::<(Option<String>, Option<String>)>()?;
        Ok(code.map(|code| JobError { code, message: message.unwrap_or_default() }))
    }
}
