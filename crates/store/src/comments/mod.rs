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

use crate::value::placeholders;
use crate::{Row, StoreError, Tx, Value};

/// The subject of comments: the main content of a space, or a change request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The space.
    pub space: SpaceId,
    /// The change request; `None` for the main content.
    pub change_request: Option<ChangeRequestId>,
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

/// A comment as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// Its id.
    pub id: CommentId,
    /// The subject it is about.
    pub subject: Subject,
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
    pub resolved: Option<Resolution>,
    /// Number of replies.
    pub replies: i64,
}

impl Comment {
    const fn status(&self) -> &'static str {
        status(self.resolved.is_some())
    }
}

const fn status(resolved: bool) -> &'static str {
    if resolved { "resolved" } else { "open" }
}

macro_rules! columns {
    () => {
        "c.id, c.space, c.change_request, c.review, c.revision, c.page, c.node, c.table_cell, \
         c.body, c.posted_by, c.posted_at, c.edited_at, c.resolved_at, c.resolved_by, c.replies"
    };
}

fn read(row: &Row<'_>) -> Result<Comment, StoreError> {
    let cell = row.get::<Option<String>>(7)?;
    let table_cell = cell.map(|cell| serde_json::from_str(&cell)).transpose();
    let resolution = row.get::<Option<Timestamp>>(12)?.zip(row.get::<Option<UserId>>(13)?);
    Ok(Comment {
        id: row.get(0)?,
        subject: Subject { space: row.get(1)?, change_request: row.get(2)? },
        review: row.get(3)?,
        revision: row.get(4)?,
        page: row.get(5)?,
        node: row.get(6)?,
        table_cell: table_cell
            .map_err(|error| StoreError::Corrupt(format!("a comment's table cell: {error}")))?,
        body: row.get(8)?,
        posted_by: row.get(9)?,
        posted_at: row.get(10)?,
        edited_at: row.get(11)?,
        resolved: resolution.map(|(at, by)| Resolution { at, by }),
        replies: row.get(14)?,
    })
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
    let sql = format!(
        concat!("SELECT ", columns!(), " FROM comments c WHERE {} AND c.id = ${}"),
        about,
        values.len()
    );
    tx.query_opt(&sql, &values, read)
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
    let (mut sql, mut values) = query(columns!(), subject, filter);
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
    tx.query(&sql, &values, read)
}

/// Returns the number of matching comments on a subject.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, subject: Subject, filter: &CommentFilter) -> Result<i64, StoreError> {
    let (sql, values) = query("COUNT(*)", subject, filter);
    tx.query_one(&sql, &values, |row| row.get(0))
}
