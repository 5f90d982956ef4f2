//! The history of the runs of synchronisations.

use bindery_model::{GitSyncRunState, GitSyncTrigger, JobId, RevisionId, SpaceId, Timestamp};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

/// Maximum number of runs that are kept for a space.
const MAX_RUNS: i64 = 200;

record! {
    /// A run of a synchronisation.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct GitSyncRun in git_sync_runs as r, insert {
        /// The space.
        pub space: SpaceId,
        /// The number within the space, counted from 1.
        pub number: i64,
        /// The job.
        pub job: JobId,
        /// The cause.
        pub trigger: GitSyncTrigger = cause,
        /// The state.
        pub state: GitSyncRunState,
        /// Time of the start.
        pub started_at: Timestamp,
        /// Time of the end.
        pub finished_at: Option<Timestamp>,
        /// The commit at the branch before the run.
        pub commit_before: Option<String>,
        /// The commit at the branch after the run.
        pub commit_after: Option<String>,
        /// The head of the space before the run.
        pub revision_before: Option<RevisionId>,
        /// The head of the space after the run.
        pub revision_after: Option<RevisionId>,
        /// A stable code of the error.
        pub error_code: Option<String>,
        /// The result or the error, for people.
        pub message: Option<String>,
    }
}

/// Returns the run of a job.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_job(
    tx: &Tx<'_>,
    space: SpaceId,
    job: JobId,
) -> Result<Option<GitSyncRun>, StoreError> {
    tx.query_opt(
        sql!(GitSyncRun::SELECT, " WHERE r.space = $1 AND r.job = $2"),
        &[space.into(), job.into()],
        GitSyncRun::from_row,
    )
}

/// Returns the newest run of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn last(tx: &Tx<'_>, space: SpaceId) -> Result<Option<GitSyncRun>, StoreError> {
    tx.query_opt(
        sql!(GitSyncRun::SELECT, " WHERE r.space = $1 ORDER BY r.number DESC LIMIT 1"),
        &[space.into()],
        GitSyncRun::from_row,
    )
}

/// Adds a run with the next number, and deletes the oldest runs if there are too many.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, mut run: GitSyncRun) -> Result<GitSyncRun, StoreError> {
    run.number = last(tx, run.space)?.map_or(1, |last| last.number + 1);
    tx.execute(insert!(GitSyncRun), &run.values())?;
    tx.execute(
        "DELETE FROM git_sync_runs WHERE space = $1 AND number <= $2",
        &[run.space.into(), (run.number - MAX_RUNS).into()],
    )?;
    Ok(run)
}

/// Updates a run.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, run: &GitSyncRun) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE git_sync_runs SET state = $3, finished_at = $4, commit_after = $5, \
         revision_after = $6, error_code = $7, message = $8 WHERE space = $1 AND number = $2",
        &[
            run.space.into(),
            run.number.into(),
            run.state.into(),
            run.finished_at.into(),
            run.commit_after.as_ref().into(),
            run.revision_after.into(),
            run.error_code.as_ref().into(),
            run.message.as_ref().into(),
        ],
    )?;
    Ok(())
}

/// Returns the runs of a space before a number, newest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    space: SpaceId,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<GitSyncRun>, StoreError> {
    tx.query(
        sql!(
            GitSyncRun::SELECT,
            " WHERE r.space = $1 AND r.number < $2 ORDER BY r.number DESC LIMIT $3"
        ),
        &[space.into(), before.unwrap_or(i64::MAX).into(), limit.into()],
        GitSyncRun::from_row,
    )
}

/// Returns the number of runs of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, space: SpaceId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM git_sync_runs r WHERE r.space = $1",
        &[space.into()],
        FromRow::from_row,
    )
}

/// Returns the runs that have not ended although their jobs have, because the server stopped or
/// somebody cancelled the job.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_abandoned(tx: &Tx<'_>, limit: u32) -> Result<Vec<GitSyncRun>, StoreError> {
    tx.query(
        sql!(
            GitSyncRun::SELECT,
            " WHERE r.state = 'running' AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = r.job \
             AND j.status IN ('queued', 'running')) ORDER BY r.job LIMIT $1"
        ),
        &[limit.into()],
        GitSyncRun::from_row,
    )
}
