//! The last dry runs of synchronisations.

use bindery_model::{JobId, RevisionId, SpaceId, Timestamp};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// A dry run that has ended.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct GitSyncDryRun in git_sync_dry_runs as d, insert {
        /// The space.
        pub space: SpaceId,
        /// The job.
        pub job: JobId,
        /// Time of the end.
        pub finished_at: Timestamp,
        /// The commit at the branch; `None` if there is no such branch.
        pub commit: Option<String> = commit_id,
        /// The head of the space.
        pub revision: RevisionId,
        /// The changes that a run would make, as JSON.
        pub result: String,
    }
}

/// Returns the last dry run of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, space: SpaceId) -> Result<Option<GitSyncDryRun>, StoreError> {
    tx.query_opt(
        sql!(GitSyncDryRun::SELECT, " WHERE d.space = $1"),
        &[space.into()],
        GitSyncDryRun::from_row,
    )
}

/// Replaces the last dry run of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, run: &GitSyncDryRun) -> Result<(), StoreError> {
    delete(tx, run.space)?;
    tx.execute(insert!(GitSyncDryRun), &run.values())?;
    Ok(())
}

/// Deletes the last dry run of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, space: SpaceId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM git_sync_dry_runs WHERE space = $1", &[space.into()])?;
    Ok(())
}
