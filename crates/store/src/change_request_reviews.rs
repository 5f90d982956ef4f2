//! Reviews of change requests.

use bindery_model::{
    ChangeRequestId, CommentId, ReviewId, RevisionId, Timestamp, UserId, closed_set,
};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx, Value};

closed_set! {
    /// A reviewer's verdict.
    Verdict {
        /// The change request may be merged.
        Approved = "approved",
        /// The change request needs changes before it is merged.
        ChangesRequested = "changes-requested",
    }
}

record! {
    /// A review as stored.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Review in change_request_reviews as v, insert {
        /// Its id.
        pub id: ReviewId,
        /// The reviewed change request.
        pub change_request: ChangeRequestId,
        /// The content that the reviewer saw.
        pub revision: RevisionId,
        /// The person who reviewed it.
        pub reviewer: UserId,
        /// The person who had asked for the review.
        pub requested_by: Option<UserId>,
        /// The reviewer's verdict.
        pub verdict: Verdict = status,
        /// The comment submitted with the review.
        pub comment: Option<CommentId>,
        /// Time of submission.
        pub created_at: Timestamp,
        /// Time of the last change.
        pub updated_at: Timestamp,
    }
}

/// Inserts a new review.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, review: &Review) -> Result<(), StoreError> {
    tx.execute(insert!(Review), &review.values())?;
    Ok(())
}

/// Returns the review of a change request with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    change_request: ChangeRequestId,
    id: ReviewId,
) -> Result<Option<Review>, StoreError> {
    tx.query_opt(
        sql!(Review::SELECT, " WHERE v.id = $1 AND v.change_request = $2"),
        &[id.into(), change_request.into()],
        Review::from_row,
    )
}

/// Selects the reviews in a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReviewFilter {
    /// The change request.
    pub change_request: ChangeRequestId,
    /// The change request's current content.
    pub head: RevisionId,
    /// `true` selects reviews of older content, `false` reviews of the current content.
    pub outdated: Option<bool>,
}

fn query(select: &str, filter: &ReviewFilter) -> (String, Vec<Value<'static>>) {
    let ReviewFilter { change_request, head, outdated } = *filter;
    let mut values = vec![Value::from(change_request)];
    let mut sql =
        format!("SELECT {select} FROM change_request_reviews v WHERE v.change_request = $1");
    if let Some(outdated) = outdated {
        values.push(head.into());
        sql.push_str(if outdated { " AND v.revision <> $2" } else { " AND v.revision = $2" });
    }
    (sql, values)
}

/// Returns the reviews of a change request, newest first, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    filter: &ReviewFilter,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Review>, StoreError> {
    let (mut sql, mut values) = query(Review::COLUMNS, filter);
    if let Some((time, id)) = after {
        values.extend([Value::from(time), Value::from(id.to_owned())]);
        let (time, id) = (values.len() - 1, values.len());
        sql.push_str(&format!(
            " AND (v.created_at < ${time} OR (v.created_at = ${time} AND v.id < ${id}))"
        ));
    }
    values.push(limit.into());
    sql.push_str(&format!(" ORDER BY v.created_at DESC, v.id DESC LIMIT ${}", values.len()));
    tx.query(&sql, &values, Review::from_row)
}

/// Returns the number of matching reviews.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, filter: &ReviewFilter) -> Result<i64, StoreError> {
    let (sql, values) = query("COUNT(*)", filter);
    tx.query_one(&sql, &values, FromRow::from_row)
}

/// Returns each person's latest review of a change request, including reviews of older content.
///
/// # Errors
/// Returns an error if the store fails.
pub fn latest_per_reviewer(
    tx: &Tx<'_>,
    change_request: ChangeRequestId,
) -> Result<Vec<Review>, StoreError> {
    tx.query(
        sql!(
            Review::SELECT,
            " WHERE v.change_request = $1 AND NOT EXISTS \
             (SELECT 1 FROM change_request_reviews n WHERE n.change_request = v.change_request \
             AND n.reviewer = v.reviewer AND (n.created_at > v.created_at \
             OR (n.created_at = v.created_at AND n.id > v.id))) ORDER BY v.created_at, v.id"
        ),
        &[change_request.into()],
        Review::from_row,
    )
}
