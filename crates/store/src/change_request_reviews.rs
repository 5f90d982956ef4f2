//! Reviews of change requests.

use bindery_model::{ChangeRequestId, CommentId, ReviewId, RevisionId, Timestamp, UserId};

use crate::{Row, StoreError, Tx, Value};

/// What a reviewer says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// It may be merged.
    Approved,
    /// Something is to change first.
    ChangesRequested,
}

impl Verdict {
    /// The contract's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::ChangesRequested => "changes-requested",
        }
    }

    /// Reads the contract's word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Approved, Self::ChangesRequested]
            .into_iter()
            .find(|verdict| verdict.as_str() == text)
    }
}

/// A review as it is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Review {
    /// Its id.
    pub id: ReviewId,
    /// What was reviewed.
    pub change_request: ChangeRequestId,
    /// The content that the reviewer saw.
    pub revision: RevisionId,
    /// Who reviewed it.
    pub reviewer: UserId,
    /// Who had asked for it.
    pub requested_by: Option<UserId>,
    /// What the reviewer said.
    pub verdict: Verdict,
    /// The comment that came with it.
    pub comment: Option<CommentId>,
    /// When it was given.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

macro_rules! columns {
    () => {
        "v.id, v.change_request, v.revision, v.reviewer, v.requested_by, v.status, v.comment, \
         v.created_at, v.updated_at"
    };
}

fn read(row: &Row<'_>) -> Result<Review, StoreError> {
    let verdict = row.get::<String>(5)?;
    Ok(Review {
        id: row.get(0)?,
        change_request: row.get(1)?,
        revision: row.get(2)?,
        reviewer: row.get(3)?,
        requested_by: row.get(4)?,
        verdict: Verdict::parse(&verdict)
            .ok_or_else(|| StoreError::Corrupt(format!("a review's status {verdict:?}")))?,
        comment: row.get(6)?,
        created_at: row.get(7)?,
        updated_at: row.get(8)?,
    })
}

/// Stores a new review.
///
/// # Errors
/// When the store fails.
pub fn create(tx: &Tx<'_>, review: &Review) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO change_request_reviews (id, change_request, revision, reviewer, \
         requested_by, status, comment, created_at, updated_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        &[
            review.id.into(),
            review.change_request.into(),
            review.revision.into(),
            review.reviewer.into(),
            review.requested_by.into(),
            review.verdict.as_str().into(),
            review.comment.into(),
            review.created_at.into(),
            review.updated_at.into(),
        ],
    )?;
    Ok(())
}

/// The review of a change request with this id.
///
/// # Errors
/// When the store fails.
pub fn get(
    tx: &Tx<'_>,
    change_request: ChangeRequestId,
    id: ReviewId,
) -> Result<Option<Review>, StoreError> {
    tx.query_opt(
        concat!(
            "SELECT ",
            columns!(),
            " FROM change_request_reviews v WHERE v.id = $1 AND v.change_request = $2"
        ),
        &[id.into(), change_request.into()],
        read,
    )
}

/// Which reviews of a change request a list shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReviewFilter {
    /// The change request.
    pub change_request: ChangeRequestId,
    /// Its content of now.
    pub head: RevisionId,
    /// Only those of an older content, or only those of this one.
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

/// The reviews of a change request, newest first, after the given place.
///
/// # Errors
/// When the store fails.
pub fn list(
    tx: &Tx<'_>,
    filter: &ReviewFilter,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Review>, StoreError> {
    let (mut sql, mut values) = query(columns!(), filter);
    if let Some((time, id)) = after {
        values.extend([Value::from(time), Value::from(id.to_owned())]);
        let (time, id) = (values.len() - 1, values.len());
        sql.push_str(&format!(
            " AND (v.created_at < ${time} OR (v.created_at = ${time} AND v.id < ${id}))"
        ));
    }
    values.push(limit.into());
    sql.push_str(&format!(" ORDER BY v.created_at DESC, v.id DESC LIMIT ${}", values.len()));
    tx.query(&sql, &values, read)
}

/// How many reviews there are.
///
/// # Errors
/// When the store fails.
pub fn count(tx: &Tx<'_>, filter: &ReviewFilter) -> Result<i64, StoreError> {
    let (sql, values) = query("COUNT(*)", filter);
    tx.query_one(&sql, &values, |row| row.get(0))
}

/// The last review that each person gave of a change request, whatever content it is of.
///
/// # Errors
/// When the store fails.
pub fn latest_of_each(
    tx: &Tx<'_>,
    change_request: ChangeRequestId,
) -> Result<Vec<Review>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM change_request_reviews v WHERE v.change_request = $1 AND NOT EXISTS \
             (SELECT 1 FROM change_request_reviews n WHERE n.change_request = v.change_request \
             AND n.reviewer = v.reviewer AND (n.created_at > v.created_at \
             OR (n.created_at = v.created_at AND n.id > v.id))) ORDER BY v.created_at, v.id"
        ),
        &[change_request.into()],
        read,
    )
}
