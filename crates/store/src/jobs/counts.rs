//! Numbers of jobs, for metrics.

use super::{JobStatus, StoredJobKind};
use crate::record::{FromRow, Record, record, sql};
use crate::{StoreError, Tx};

record! {
    /// The number of jobs of one kind with one status.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct JobCount in jobs as j {
        /// The kind.
        pub kind: StoredJobKind,
        /// The status.
        pub status: JobStatus,
        /// The number of jobs.
        pub count: u64 = "COUNT(*)",
    }
}

impl Tx<'_> {
    /// Returns the numbers of the jobs that have not ended, by kind and status.
    ///
    /// # Errors
    /// Returns an error of the database.
    pub fn count_unfinished_jobs(&self) -> Result<Vec<JobCount>, StoreError> {
        self.query(
            sql!(
                JobCount::SELECT,
                " WHERE j.status IN ('queued', 'running') GROUP BY j.kind, j.status"
            ),
            &[],
            JobCount::from_row,
        )
    }
}
