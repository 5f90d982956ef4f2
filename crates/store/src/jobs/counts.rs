//! Numbers of jobs, for metrics.

use bindery_model::JobKind;

use super::JobStatus;
use crate::{StoreError, Tx};

/// The number of jobs of one kind with one status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobCount {
    /// The kind.
    pub kind: JobKind,
    /// The status.
    pub status: JobStatus,
    /// The number of jobs.
    pub count: u64,
}

impl Tx<'_> {
    /// Returns the numbers of the jobs that have not ended, by kind and status.
    ///
    /// # Errors
    /// Returns an error of the database.
    pub fn count_unfinished_jobs(&self) -> Result<Vec<JobCount>, StoreError> {
        self.query(
            "SELECT kind, status, COUNT(*) FROM jobs WHERE status IN ('queued', 'running')
             GROUP BY kind, status",
            &[],
            |row| Ok(JobCount { kind: row.get(0)?, status: row.get(1)?, count: row.get(2)? }),
        )
    }
}
