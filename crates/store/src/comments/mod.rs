//! Comments on spaces and change requests: their rows and lists.

mod commenters;
mod reactions;
mod replies;

pub use commenters::{count_commenters, list_commenters};
pub use reactions::{Reaction, add_reaction, count_reactions_by, reactions, remove_reaction};
pub use replies::{
    Replier, Reply, create_reply, delete_reply, get_reply, list_replies, repliers, update_reply,
};

use bindery_model::{
    ChangeRequestId, CommentId, PageId, ReviewId, RevisionId, SpaceId, Timestamp, UserId,
};
use serde::{Deserialize, Serialize};

use crate::record::{Columns, FromRow, Record, record};
use crate::value::placeholders;
use crate::{StoreError, Tx, Value};

record! {
    /// The subject of comments: the main content of a space, or a change request.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Subject in comments as c {
        /// The space.
        pub space: SpaceId,
        /// The change request; `None` for the main content.
        pub change_request: Option<ChangeRequestId>,
    }
}

impl Subject {
    /// Returns the SQL condition for comments on this subject.
    fn condition(self, alias: &str, values: &mut Vec<Value<'static>>) -> String {
        values.push(self.space.into());
        let space = format!("{alias}.space = ${}", values.len());
        match self.change_request {
            None => format!("{space} AND {alias}.change_request IS NULL"),
            Some(id) => {
                values.push(id.into());
                format!("{space} AND {alias}.change_request = ${}", values.len())
            }
        }
    }
}

/// A cell of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TableCell {
    /// The id of the row.
    pub record: String,
    /// The id of the column.
    pub definition: String,
}

/// The resolution of a discussion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resolution {
    /// Time of the resolution.
    pub at: Timestamp,
    /// The person who resolved it.
    pub by: UserId,
}

record! {
    /// A comment as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Comment in comments as c {
        /// Its id.
        pub id: CommentId,
        /// The subject it is about.
        pub subject: Subject = *,
        /// The review it was submitted with.
        pub review: Option<ReviewId>,
        /// The revision it was made on.
        pub revision: RevisionId,
        /// The page it refers to.
        pub page: Option<PageId>,
        /// The key of the block it refers to.
        pub node: Option<String>,
        /// The table cell it refers to.
        pub table_cell: Option<TableCell>,
        /// The text, as a document in JSON.
        pub body: String,
        /// The author.
        pub posted_by: UserId,
        /// Time of posting.
        pub posted_at: Timestamp,
        /// Time of the last change to its text.
        pub edited_at: Option<Timestamp>,
        /// The resolution of its discussion; `None` if it is open.
        pub resolved: Option<Resolution> = (resolved_at, resolved_by),
        /// Number of replies.
        pub replies: i64,
    }
}

impl Comment {
    const fn status(&self) -> &'static str {
        status(self.resolved.is_some())
    }
}

const fn status(resolved: bool) -> &'static str {
    if resolved { "resolved" } else { "open" }
}

impl FromRow for Option<TableCell> {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        let cell = columns.read::<Option<String>>()?;
        let cell = cell.map(|cell| serde_json::from_str(&cell)).transpose();
        cell.map_err(|error| StoreError::Corrupt(format!("a comment's table cell: {error}")))
    }
}

impl FromRow for Option<Resolution> {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        let (at, by) = columns.read::<(Option<Timestamp>, Option<UserId>)>()?;
        Ok(at.zip(by).map(|(at, by)| Resolution { at, by }))
    }
}

/// Inserts a new comment.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, comment: &Comment) -> Result<(), StoreError> {
    let c = comment;
    let cell = c.table_cell.as_ref().map(serde_json::to_string).transpose();
    let cell =
        cell.map_err(|error| StoreError::Corrupt(format!("a comment's table cell: {error}")))?;
    tx.execute(
        "INSERT INTO comments (id, space, change_request, review, revision, page, node, \
         table_cell, body, posted_by, posted_at, edited_at, status, resolved_at, resolved_by, \
         replies) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
        &[
            c.id.into(),
            c.subject.space.into(),
            c.subject.change_request.into(),
            c.review.into(),
            c.revision.into(),
            c.page.into(),
            c.node.as_deref().into(),
            cell.into(),
            c.body.as_str().into(),
            c.posted_by.into(),
            c.posted_at.into(),
            c.edited_at.into(),
            c.status().into(),
            c.resolved.map(|resolved| resolved.at).into(),
            c.resolved.map(|resolved| resolved.by).into(),
            c.replies.into(),
        ],
    )?;
    Ok(())
}

/// Returns the comment on a subject with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, subject: Subject, id: CommentId) -> Result<Option<Comment>, StoreError> {
    let mut values = Vec::new();
    let about = subject.condition("c", &mut values);
    values.push(id.into());
    let sql = format!("{} WHERE {about} AND c.id = ${}", Comment::SELECT, values.len());
    tx.query_opt(&sql, &values, Comment::from_row)
}

/// Updates a comment's text and resolution.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, comment: &Comment) -> Result<(), StoreError> {
    let c = comment;
    tx.execute(
        "UPDATE comments SET body = $2, edited_at = $3, status = $4, resolved_at = $5, \
         resolved_by = $6 WHERE id = $1",
        &[
            c.id.into(),
            c.body.as_str().into(),
            c.edited_at.into(),
            c.status().into(),
            c.resolved.map(|resolved| resolved.at).into(),
            c.resolved.map(|resolved| resolved.by).into(),
        ],
    )?;
    Ok(())
}

/// Deletes a comment with its replies and all reactions to them.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, id: CommentId) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM comment_reactions WHERE subject = $1 OR subject IN \
         (SELECT r.id FROM comment_replies r WHERE r.comment = $1)",
        "DELETE FROM comment_replies WHERE comment = $1",
        "DELETE FROM notifications WHERE comment = $1",
        "DELETE FROM comments WHERE id = $1",
    ] {
        tx.execute(sql, &[id.into()])?;
    }
    Ok(())
}

/// Selects the comments in a list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommentFilter {
    /// `true` selects resolved comments, `false` open ones.
    pub resolved: Option<bool>,
    /// Comments on this page.
    pub page: Option<PageId>,
    /// Comments by one of these authors.
    pub authors: Option<Vec<UserId>>,
}

fn query(select: &str, subject: Subject, filter: &CommentFilter) -> (String, Vec<Value<'static>>) {
    let CommentFilter { resolved, page, authors } = filter;
    let mut values = Vec::new();
    let mut conditions = vec![subject.condition("c", &mut values)];
    if let Some(resolved) = *resolved {
        values.push(status(resolved).into());
        conditions.push(format!("c.status = ${}", values.len()));
    }
    if let Some(page) = *page {
        values.push(page.into());
        conditions.push(format!("c.page = ${}", values.len()));
    }
    match authors.as_deref() {
        None => {}
        Some([]) => conditions.push("1 = 0".to_owned()),
        Some(authors) => {
            conditions.push(format!("c.posted_by IN ({})", placeholders(&mut values, authors)));
        }
    }
    (format!("SELECT {select} FROM comments c WHERE {}", conditions.join(" AND ")), values)
}

/// Returns the comments on a subject, sorted by time of posting, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    subject: Subject,
    filter: &CommentFilter,
    newest_first: bool,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Comment>, StoreError> {
    let (mut sql, mut values) = query(Comment::COLUMNS, subject, filter);
    let (than, order) = if newest_first { ("<", "DESC") } else { (">", "ASC") };
    if let Some((time, id)) = after {
        values.extend([Value::from(time), Value::from(id.to_owned())]);
        let (time, id) = (values.len() - 1, values.len());
        sql.push_str(&format!(
            " AND (c.posted_at {than} ${time} OR (c.posted_at = ${time} AND c.id {than} ${id}))"
        ));
    }
    values.push(limit.into());
    let limit = values.len();
    sql.push_str(&format!(" ORDER BY c.posted_at {order}, c.id {order} LIMIT ${limit}"));
    tx.query(&sql, &values, Comment::from_row)
}

/// Returns the number of matching comments on a subject.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, subject: Subject, filter: &CommentFilter) -> Result<i64, StoreError> {
    let (sql, values) = query("COUNT(*)", subject, filter);
    tx.query_one(&sql, &values, FromRow::from_row)
}
