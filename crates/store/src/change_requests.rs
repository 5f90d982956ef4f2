//! Change requests: their rows, contributors and lists.

use bindery_model::{ChangeRequestId, RevisionId, SpaceId, Timestamp, UserId, closed_set};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::spaces::SpaceFilter;
use crate::{Column, FromColumn, StoreError, Tx, Value};

closed_set! {
    /// The status of a change request.
    Status {
        /// In progress.
        Draft = "draft",
        /// Ready for review.
        Open = "open",
        /// Set aside.
        Archived = "archived",
        /// Merged into the main content.
        Merged = "merged",
    }
}

impl Status {
    /// Returns `true` if it is a draft or open, so that its content can change and be merged.
    pub const fn is_pending(self) -> bool {
        matches!(self, Self::Draft | Self::Open)
    }
}

record! {
    /// A change request as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct ChangeRequest in change_requests as c, insert {
        /// Its id.
        pub id: ChangeRequestId,
        /// The space it belongs to.
        pub space: SpaceId,
        /// Its number in the space, counted from 1.
        pub number: i64,
        /// Its status.
        pub status: Status,
        /// A one-line summary; may be empty.
        pub subject: String,
        /// A longer description, as a document in JSON.
        pub description: Option<String>,
        /// Custom properties set at its creation, as JSON.
        pub extra: Option<String>,
        /// The person who created it.
        pub created_by: UserId,
        /// Time of creation.
        pub created_at: Timestamp,
        /// Time of the last change to it or its content.
        pub updated_at: Timestamp,
        /// The revision with its current content.
        pub head: RevisionId,
        /// The revision of the main content that it started from.
        pub initial: RevisionId,
        /// The newest revision of the main content that it contains.
        pub merged_ancestor: RevisionId,
        /// The revision of the main content that its merge created.
        pub merged: Option<RevisionId>,
        /// Number of unresolved comments.
        pub comments: i64,
    }
}

/// Inserts a new change request.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, change_request: &ChangeRequest) -> Result<(), StoreError> {
    tx.execute(insert!(ChangeRequest), &change_request.values())?;
    Ok(())
}

/// Returns the change request of a space with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    space: SpaceId,
    id: ChangeRequestId,
) -> Result<Option<ChangeRequest>, StoreError> {
    tx.query_opt(
        sql!(ChangeRequest::SELECT, " WHERE c.id = $1 AND c.space = $2"),
        &[id.into(), space.into()],
        ChangeRequest::from_row,
    )
}

/// Returns the change request of a space with this number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_number(
    tx: &Tx<'_>,
    space: SpaceId,
    number: i64,
) -> Result<Option<ChangeRequest>, StoreError> {
    tx.query_opt(
        sql!(ChangeRequest::SELECT, " WHERE c.space = $1 AND c.number = $2"),
        &[space.into(), number.into()],
        ChangeRequest::from_row,
    )
}

/// Returns the change request whose merge created a revision of the main content.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_merge(
    tx: &Tx<'_>,
    space: SpaceId,
    merged: RevisionId,
) -> Result<Option<ChangeRequest>, StoreError> {
    tx.query_opt(
        sql!(ChangeRequest::SELECT, " WHERE c.space = $1 AND c.merged = $2"),
        &[space.into(), merged.into()],
        ChangeRequest::from_row,
    )
}

/// Updates a change request's status, subject, description and merged revision.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, change_request: &ChangeRequest) -> Result<(), StoreError> {
    let c = change_request;
    tx.execute(
        "UPDATE change_requests SET status = $2, subject = $3, description = $4, \
         updated_at = $5, merged = $6 WHERE id = $1",
        &[
            c.id.into(),
            c.status.into(),
            c.subject.as_str().into(),
            c.description.as_deref().into(),
            c.updated_at.into(),
            c.merged.into(),
        ],
    )?;
    Ok(())
}

/// Sets the head of a change request to `to` if it still is `from`. Returns `false` otherwise.
///
/// # Errors
/// Returns an error if the store fails.
pub fn move_head(
    tx: &Tx<'_>,
    id: ChangeRequestId,
    from: RevisionId,
    to: RevisionId,
    merged_ancestor: RevisionId,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let moved = tx.execute(
        "UPDATE change_requests SET head = $1, merged_ancestor = $2, updated_at = $3 \
         WHERE id = $4 AND head = $5",
        &[to.into(), merged_ancestor.into(), at.into(), id.into(), from.into()],
    )?;
    Ok(moved > 0)
}

/// Adds `by` to the count of unresolved comments.
///
/// # Errors
/// Returns an error if the store fails.
pub fn add_comment_count(tx: &Tx<'_>, id: ChangeRequestId, by: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE change_requests SET comments = comments + $2 WHERE id = $1",
        &[id.into(), by.into()],
    )?;
    Ok(())
}

/// A kind of contribution to a change request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contribution {
    /// A change to its content.
    Edit,
    /// A comment on it.
    Comment,
}

impl Contribution {
    /// Returns the contribution's name in the API contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Comment => "comment",
        }
    }
}

impl FromColumn for Contribution {
    const EXPECTED: &'static str = "a kind of contribution";

    fn from_column(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Text("comment") => Some(Self::Comment),
            Column::Text(_) => Some(Self::Edit),
            _ => None,
        }
    }
}

/// Records a contribution of a person to a change request.
///
/// # Errors
/// Returns an error if the store fails.
pub fn record_contribution(
    tx: &Tx<'_>,
    id: ChangeRequestId,
    user: UserId,
    kind: Contribution,
    at: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO change_request_contributors \
         (change_request, user_id, action, times, first_at, last_at) \
         VALUES ($1, $2, $3, 1, $4, $4) \
         ON CONFLICT (change_request, user_id, action) DO UPDATE SET \
         times = change_request_contributors.times + 1, last_at = excluded.last_at",
        &[id.into(), user.into(), kind.as_str().into(), at.into()],
    )?;
    Ok(())
}

record! {
    /// A person's contributions of one kind to a change request.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Contributor in change_request_contributors as w {
        /// The contributor.
        pub user: UserId = user_id,
        /// The kind of contribution.
        pub kind: Contribution = action,
        /// Number of contributions.
        pub times: i64,
        /// Time of the latest contribution.
        pub last_at: Timestamp,
    }
}

/// Returns the heads of the change requests of a space that are not closed yet.
///
/// # Errors
/// Returns an error if the store fails.
pub fn pending_heads(tx: &Tx<'_>, space: SpaceId) -> Result<Vec<RevisionId>, StoreError> {
    tx.query(
        "SELECT head FROM change_requests WHERE space = $1 AND status IN ($2, $3)",
        &[space.into(), Status::Draft.into(), Status::Open.into()],
        FromRow::from_row,
    )
}

/// Returns the contributors to a change request, most recent first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_contributors(tx: &Tx<'_>, id: ChangeRequestId) -> Result<Vec<Contributor>, StoreError> {
    tx.query(
        sql!(
            Contributor::SELECT,
            " WHERE w.change_request = $1 ORDER BY w.last_at DESC, w.user_id, w.action"
        ),
        &[id.into()],
        Contributor::from_row,
    )
}

/// Selects the change requests in a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChangeRequestFilter {
    /// Change requests with this status.
    pub status: Option<Status>,
    /// Change requests created by this person.
    pub creator: Option<UserId>,
    /// Change requests that this person contributed to.
    pub contributor: Option<UserId>,
    /// Change requests that this person was asked to review.
    pub requested_reviewer: Option<UserId>,
}

/// The scope of a list.
#[derive(Clone, Copy, Debug)]
pub enum ListScope<'a> {
    /// One space.
    Space(SpaceId),
    /// All spaces of an organization that the user may see.
    Visible(&'a SpaceFilter<'a>),
}

fn query(
    select: &str,
    within: ListScope<'_>,
    filter: &ChangeRequestFilter,
) -> (String, Vec<Value<'static>>) {
    let mut values = Vec::new();
    let mut bind = |value: Value<'static>| {
        values.push(value);
        format!("${}", values.len())
    };
    let ChangeRequestFilter { status, creator, contributor, requested_reviewer } = *filter;
    let mut conditions = Vec::new();
    if let Some(status) = status {
        conditions.push(format!("c.status = {}", bind(status.into())));
    }
    if let Some(creator) = creator {
        conditions.push(format!("c.created_by = {}", bind(creator.into())));
    }
    if let Some(user) = contributor {
        conditions.push(format!(
            "EXISTS (SELECT 1 FROM change_request_contributors w \
             WHERE w.change_request = c.id AND w.user_id = {})",
            bind(user.into())
        ));
    }
    if let Some(user) = requested_reviewer {
        conditions.push(format!(
            "EXISTS (SELECT 1 FROM change_request_reviewers w \
             WHERE w.change_request = c.id AND w.user_id = {})",
            bind(user.into())
        ));
    }
    let from = match within {
        ListScope::Space(space) => {
            conditions.push(format!("c.space = {}", bind(space.into())));
            "change_requests c".to_owned()
        }
        ListScope::Visible(filter) => {
            conditions.extend(filter.conditions(&mut values));
            conditions.push("s.deleted_at IS NULL".to_owned());
            "change_requests c JOIN spaces s ON s.id = c.space".to_owned()
        }
    };
    (format!("SELECT {select} FROM {from} WHERE {}", conditions.join(" AND ")), values)
}

/// The position of a change request in lists, which sort by time of creation, then by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListPosition {
    /// Time of creation.
    pub created_at: Timestamp,
    /// Its number in its space.
    pub number: i64,
    /// Its id.
    pub id: ChangeRequestId,
}

/// Returns change requests, newest first, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    within: ListScope<'_>,
    filter: &ChangeRequestFilter,
    after: Option<ListPosition>,
    limit: u32,
) -> Result<Vec<ChangeRequest>, StoreError> {
    let (mut sql, mut values) = query(ChangeRequest::COLUMNS, within, filter);
    if let Some(ListPosition { created_at, number, id }) = after {
        values.extend([created_at.into(), number.into(), id.into()]);
        let (time, number, id) = (values.len() - 2, values.len() - 1, values.len());
        sql.push_str(&format!(
            " AND (c.created_at < ${time} OR (c.created_at = ${time} AND (c.number < ${number} \
             OR (c.number = ${number} AND c.id < ${id}))))"
        ));
    }
    values.push(limit.into());
    sql.push_str(&format!(
        " ORDER BY c.created_at DESC, c.number DESC, c.id DESC LIMIT ${}",
        values.len()
    ));
    tx.query(&sql, &values, ChangeRequest::from_row)
}

/// Returns the number of matching change requests.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(
    tx: &Tx<'_>,
    within: ListScope<'_>,
    filter: &ChangeRequestFilter,
) -> Result<i64, StoreError> {
    let (sql, values) = query("COUNT(*)", within, filter);
    tx.query_one(&sql, &values, FromRow::from_row)
}
