//! Revisions of change requests that took the place of others while people typed.

use bindery_model::{RevisionId, SpaceId, Timestamp};

use crate::record::{FromRow, Record, record, sql};
use crate::{StoreError, Tx, params};

record! {
    /// The relation of a revision to the one before it.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Amendment in revisions as r {
        /// The time of the first text in it, if it has only what people typed since then.
        pub typed_since: Option<Timestamp>,
        /// The revision whose place it took, unless that one was deleted.
        pub supersedes: Option<RevisionId>,
    }
}

/// Returns the relation of a revision to the one before it; `None` if there is no such revision.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, space: SpaceId, id: RevisionId) -> Result<Option<Amendment>, StoreError> {
    tx.query_opt(
        sql!(Amendment::SELECT, " WHERE r.space = $1 AND r.id = $2"),
        params![space, id],
        Amendment::from_row,
    )
}

/// Records the relation of a revision to the one before it.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(
    tx: &Tx<'_>,
    space: SpaceId,
    id: RevisionId,
    amendment: Amendment,
) -> Result<(), StoreError> {
    let Amendment { typed_since, supersedes } = amendment;
    tx.execute(
        "UPDATE revisions SET typed_since = $3, supersedes = $4 WHERE space = $1 AND id = $2",
        params![space, id, typed_since, supersedes],
    )?;
    Ok(())
}

/// Deletes up to `limit` revisions whose place another one took before a time, and that nothing
/// refers to. Returns their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_superseded(tx: &Tx<'_>, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
    let found: Vec<(SpaceId, RevisionId, RevisionId)> = tx.query(
        "SELECT r.space, r.id, r.supersedes FROM revisions r \
         WHERE r.supersedes IS NOT NULL AND r.created_at < $1 \
         AND NOT EXISTS (SELECT 1 FROM editing_sessions s WHERE s.space = r.space \
         AND (s.base_revision = r.supersedes OR s.revision = r.supersedes)) \
         AND NOT EXISTS (SELECT 1 FROM change_request_reviews v \
         WHERE v.change_request = r.change_request AND v.revision = r.supersedes) \
         AND NOT EXISTS (SELECT 1 FROM change_request_reviewers w \
         WHERE w.change_request = r.change_request AND w.revision = r.supersedes) \
         AND NOT EXISTS (SELECT 1 FROM comments c WHERE c.space = r.space \
         AND c.change_request = r.change_request AND c.revision = r.supersedes) \
         AND NOT EXISTS (SELECT 1 FROM revision_commits m \
         WHERE m.space = r.space AND m.revision = r.supersedes) \
         ORDER BY r.created_at, r.id LIMIT $2",
        params![before, limit],
        FromRow::from_row,
    )?;
    for (space, id, superseded) in &found {
        tx.execute(
            "UPDATE revisions SET supersedes = NULL WHERE space = $1 AND id = $2",
            params![*space, *id],
        )?;
        tx.execute(
            "DELETE FROM revisions WHERE space = $1 AND id = $2",
            params![*space, *superseded],
        )?;
    }
    Ok(found.len() as u64)
}
