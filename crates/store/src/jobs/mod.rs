//! Work to do outside of a request: enqueued in the transaction that causes it, visible and
//! cancellable.

mod lease;

use bindery_model::{JobId, OrganizationId, RevisionId, SpaceId, Timestamp, UserId};
use serde_json::Value as Json;

pub use self::lease::{JobLease, JobSignal, LeaseRequest, LeasedJob, Retry};

use crate::{Column, FromColumn, Row, StoreError, Tx, Value, params};

/// Where a job stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum JobStatus {
    /// It waits for a worker, or for another attempt.
    Queued,
    /// A worker has it.
    Running,
    /// It did what it was to do.
    Done,
    /// It could not, and will not be tried again.
    Failed,
    /// Somebody, or a newer job, made it unnecessary.
    Cancelled,
}

/// How far a job has come, in units of its own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// What is done.
    pub done: u64,
    /// What there is to do, once that is known.
    pub total: Option<u64>,
    /// What is being done, for people.
    pub message: Option<String>,
}

/// Why a job failed, or why its last attempt did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobError {
    /// A stable word for programs.
    pub code: String,
    /// An explanation for people. It is shown as it is: no secrets.
    pub message: String,
}

/// A job to be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewJob {
    /// What to do.
    pub kind: String,
    /// The organization it is done for.
    pub organization: Option<OrganizationId>,
    /// The space it is done for.
    pub space: Option<SpaceId>,
    /// Who caused it.
    pub actor: Option<UserId>,
    /// What its kind needs to know.
    pub payload: Json,
    /// Whether it changes the space's content: never do two such jobs of one space run at once.
    pub content: bool,
    /// True if it makes those of its kind unnecessary that still wait for the same space. Those
    /// that leave its content alone stay.
    pub replaces_waiting: bool,
    /// How often it is tried.
    pub max_attempts: u32,
    /// When it may start; at once unless told otherwise.
    pub run_at: Option<Timestamp>,
}

/// A job as it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// What to do.
    pub kind: String,
    /// The organization it is done for.
    pub organization: Option<OrganizationId>,
    /// The space it is done for.
    pub space: Option<SpaceId>,
    /// Who caused it.
    pub actor: Option<UserId>,
    /// What its kind needs to know.
    pub payload: Json,
    /// Where it stands.
    pub status: JobStatus,
    /// How often it was started.
    pub attempts: u32,
    /// How often it is tried.
    pub max_attempts: u32,
    /// How far it has come.
    pub progress: Option<Progress>,
    /// Why it, or its last attempt, failed.
    pub error: Option<JobError>,
    /// The revision it made.
    pub revision: Option<RevisionId>,
    /// Whether it was asked to stop.
    pub cancel_requested: bool,
    /// When it was enqueued.
    pub created_at: Timestamp,
    /// When it was first started.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

/// Which jobs to list; newest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JobFilter {
    /// Those of this organization.
    pub organization: Option<OrganizationId>,
    /// Those of this space.
    pub space: Option<SpaceId>,
    /// Those of this kind.
    pub kind: Option<String>,
    /// Those that stand so.
    pub status: Option<JobStatus>,
    /// Those of these organizations.
    pub within: Option<Vec<OrganizationId>>,
    /// Those after this one in the list.
    pub after: Option<JobCursor>,
}

/// A job's place in the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobCursor {
    /// When it was enqueued.
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
            ("kind", kind.as_ref().map(Value::from)),
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
            // An empty list lets nothing through, in words that both engines take.
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
    /// How often a job is tried unless told otherwise.
    pub const ATTEMPTS: u32 = 5;

    /// A job of a kind that needs nothing.
    pub fn new(kind: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            organization: None,
            space: None,
            actor: None,
            payload: Json::Null,
            content: false,
            replaces_waiting: false,
            max_attempts: Self::ATTEMPTS,
            run_at: None,
        }
    }
}

impl Job {
    /// Its place in the list.
    pub const fn cursor(&self) -> JobCursor {
        JobCursor { created_at: self.created_at, id: self.id }
    }
}

impl JobStatus {
    const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Done, Self::Failed, Self::Cancelled];

    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Reads its word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Whether nothing more will happen to the job.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

impl From<JobStatus> for Value<'_> {
    fn from(status: JobStatus) -> Self {
        Value::from(status.as_str())
    }
}

impl FromColumn for JobStatus {
    const EXPECTED: &'static str = "a job's status";

    fn from_column(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Text(text) => Self::parse(text),
            _ => None,
        }
    }
}

/// The columns that [`read`] reads, in its order.
const COLUMNS: &str = "id, kind, organization, space, actor, payload, status, attempts, \
    max_attempts, progress_done, progress_total, progress_message, error_code, error_message, \
    revision, cancel_requested, created_at, started_at, finished_at";

impl Tx<'_> {
    /// Enqueues a job; it runs once this transaction has committed.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn enqueue(&self, job: &NewJob) -> Result<JobId, StoreError> {
        if let (true, Some(space)) = (job.replaces_waiting, &job.space) {
            self.execute(
                "UPDATE jobs SET status = 'cancelled', finished_at = $1,
                     error_code = 'superseded', error_message = 'a newer job took its place'
                 WHERE space = $2 AND kind = $3 AND content = $4 AND status = 'queued'",
                params![self.now(), space, &job.kind, job.content],
            )?;
        }
        let id = JobId::random(self.entropy());
        self.execute(
            "INSERT INTO jobs (id, kind, organization, space, actor, payload, content, status,
                 attempts, max_attempts, run_at, stamp, cancel_requested, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 'queued', 0, $8, $9, $10, 0, $11)",
            params![
                id,
                &job.kind,
                job.organization,
                job.space,
                job.actor,
                job.payload.to_string(),
                job.content,
                job.max_attempts.max(1),
                job.run_at.unwrap_or(self.now()),
                self.shared().stamps.next(self.now()),
                self.now(),
            ],
        )?;
        self.note_enqueued();
        Ok(id)
    }

    /// A job.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn job(&self, id: JobId) -> Result<Option<Job>, StoreError> {
        self.query_opt(&format!("SELECT {COLUMNS} FROM jobs WHERE id = $1"), params![id], read)
    }

    /// Jobs, newest first.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn list_jobs(&self, filter: &JobFilter, limit: u32) -> Result<Vec<Job>, StoreError> {
        let (conditions, mut values) = filter.conditions();
        values.push(Value::from(limit));
        let sql = format!(
            "SELECT {COLUMNS} FROM jobs {conditions} ORDER BY created_at DESC, id DESC LIMIT ${}",
            values.len()
        );
        self.query(&sql, &values, read)
    }

    /// How many jobs pass a filter, its cursor included.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn count_jobs(&self, filter: &JobFilter) -> Result<i64, StoreError> {
        let (conditions, values) = filter.conditions();
        let sql = format!("SELECT COUNT(*) FROM jobs {conditions}");
        self.query_one(&sql, &values, |row| row.get(0))
    }

    /// Cancels a job: one that waits at once, one that runs as soon as its worker looks. What has
    /// ended stays as it is. Where it stands then; `None` when there is no such job.
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
        self.query_opt("SELECT status FROM jobs WHERE id = $1", params![id], |row| row.get(0))
    }

    /// Forgets jobs that ended before a time; how many.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn forget_jobs(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.execute("DELETE FROM jobs WHERE finished_at < $1", params![before])
    }
}

fn read(row: &Row<'_>) -> Result<Job, StoreError> {
    let payload = row.get::<String>(5)?;
    let progress =
        |done| Ok::<_, StoreError>(Progress { done, total: row.get(10)?, message: row.get(11)? });
    let error = |code| Ok::<_, StoreError>(JobError { code, message: row.get(13)? });
    Ok(Job {
        id: row.get(0)?,
        kind: row.get(1)?,
        organization: row.get(2)?,
        space: row.get(3)?,
        actor: row.get(4)?,
        payload: serde_json::from_str(&payload)
            .map_err(|error| StoreError::Corrupt(format!("a job's payload: {error}")))?,
        status: row.get(6)?,
        attempts: row.get(7)?,
        max_attempts: row.get(8)?,
        progress: row.get::<Option<u64>>(9)?.map(progress).transpose()?,
        error: row.get::<Option<String>>(12)?.map(error).transpose()?,
        revision: row.get(14)?,
        cancel_requested: row.get(15)?,
        created_at: row.get(16)?,
        started_at: row.get(17)?,
        finished_at: row.get(18)?,
    })
}
