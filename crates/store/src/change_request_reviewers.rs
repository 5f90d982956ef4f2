//! People who were asked to review a change request.

use bindery_model::{ChangeRequestId, RevisionId, Timestamp, UserId};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx, Value};

record! {
    /// A request for a review as stored.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct RequestedReviewer in change_request_reviewers as w, insert {
        /// The change request to review.
        pub change_request: ChangeRequestId,
        /// The person who was asked.
        pub user: UserId = user_id,
        /// The person who asked.
        pub requested_by: UserId,
        /// The content at the time of the latest request.
        pub revision: RevisionId,
        /// Time of the first request.
        pub created_at: Timestamp,
    }
}

/// Inserts a request for a review, or updates it if the person was asked before.
///
/// # Errors
/// Returns an error if the store fails.
pub fn put(tx: &Tx<'_>, asked: &RequestedReviewer) -> Result<(), StoreError> {
    tx.execute(
        sql!(
            insert!(RequestedReviewer),
            " ON CONFLICT (change_request, user_id) DO UPDATE SET \
             requested_by = excluded.requested_by, revision = excluded.revision"
        ),
        &asked.values(),
    )?;
    Ok(())
}

/// Returns the request to a person for a review.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    change_request: ChangeRequestId,
    user: UserId,
) -> Result<Option<RequestedReviewer>, StoreError> {
    tx.query_opt(
        sql!(RequestedReviewer::SELECT, " WHERE w.change_request = $1 AND w.user_id = $2"),
        &[change_request.into(), user.into()],
        RequestedReviewer::from_row,
    )
}

/// Returns the requested reviewers, oldest request first, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    change_request: ChangeRequestId,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<RequestedReviewer>, StoreError> {
    let mut values = vec![Value::from(change_request)];
    let mut sql = sql!(RequestedReviewer::SELECT, " WHERE w.change_request = $1").to_owned();
    if let Some((time, id)) = after {
        values.extend([Value::from(time), Value::from(id.to_owned())]);
        sql.push_str(" AND (w.created_at > $2 OR (w.created_at = $2 AND w.user_id > $3))");
    }
    values.push(limit.into());
    sql.push_str(&format!(" ORDER BY w.created_at, w.user_id LIMIT ${}", values.len()));
    tx.query(&sql, &values, RequestedReviewer::from_row)
}

/// Returns the number of requested reviewers.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, change_request: ChangeRequestId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM change_request_reviewers w WHERE w.change_request = $1",
        &[change_request.into()],
        FromRow::from_row,
    )
}

/// Withdraws a request for a review. Returns `false` if there was none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(
    tx: &Tx<'_>,
    change_request: ChangeRequestId,
    user: UserId,
) -> Result<bool, StoreError> {
    let deleted = tx.execute(
        "DELETE FROM change_request_reviewers WHERE change_request = $1 AND user_id = $2",
        &[change_request.into(), user.into()],
    )?;
    Ok(deleted > 0)
}
