//! Replies to comments.

use std::collections::HashMap;

use bindery_model::{CommentId, CommentReplyId, Timestamp, UserId};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::value::placeholders;
use crate::{StoreError, Tx, Value};

record! {
    /// A reply as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Reply in comment_replies as r, insert {
        /// Its id.
        pub id: CommentReplyId,
        /// The comment that it answers.
        pub comment: CommentId,
        /// The text, as a document in JSON.
        pub body: String,
        /// The author.
        pub posted_by: UserId,
        /// Time of posting.
        pub posted_at: Timestamp,
        /// Time of the last change to its text.
        pub edited_at: Option<Timestamp>,
    }
}

/// Inserts a new reply and increments the comment's count.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create_reply(tx: &Tx<'_>, reply: &Reply) -> Result<(), StoreError> {
    tx.execute(insert!(Reply), &reply.values())?;
    count(tx, reply.comment, 1)
}

fn count(tx: &Tx<'_>, comment: CommentId, by: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE comments SET replies = replies + $2 WHERE id = $1",
        &[comment.into(), by.into()],
    )?;
    Ok(())
}

/// Returns the reply to a comment with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_reply(
    tx: &Tx<'_>,
    comment: CommentId,
    id: CommentReplyId,
) -> Result<Option<Reply>, StoreError> {
    tx.query_opt(
        sql!(Reply::SELECT, " WHERE r.id = $1 AND r.comment = $2"),
        &[id.into(), comment.into()],
        Reply::from_row,
    )
}

/// Updates a reply's text.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update_reply(tx: &Tx<'_>, reply: &Reply) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE comment_replies SET body = $2, edited_at = $3 WHERE id = $1",
        &[reply.id.into(), reply.body.as_str().into(), reply.edited_at.into()],
    )?;
    Ok(())
}

/// Deletes a reply with its reactions and decrements the comment's count.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_reply(tx: &Tx<'_>, reply: &Reply) -> Result<(), StoreError> {
    tx.execute("DELETE FROM comment_reactions WHERE subject = $1", &[reply.id.into()])?;
    tx.execute("DELETE FROM comment_replies WHERE id = $1", &[reply.id.into()])?;
    tx.execute(
        "DELETE FROM notifications WHERE comment = $1 AND reply = $2",
        &[reply.comment.into(), reply.id.into()],
    )?;
    count(tx, reply.comment, -1)
}

/// Returns the replies to a comment, oldest first, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_replies(
    tx: &Tx<'_>,
    comment: CommentId,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Reply>, StoreError> {
    let (time, id) = after.unwrap_or((Timestamp::from_millis(i64::MIN), ""));
    tx.query(
        sql!(
            Reply::SELECT,
            " WHERE r.comment = $1 \
             AND (r.posted_at > $2 OR (r.posted_at = $2 AND r.id > $3)) \
             ORDER BY r.posted_at, r.id LIMIT $4"
        ),
        &[comment.into(), time.into(), id.into(), limit.into()],
        Reply::from_row,
    )
}

record! {
    /// A person who replied to a comment.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Replier in comment_replies as r {
        /// The person.
        pub user: UserId = posted_by,
        /// Number of their replies.
        pub count: i64 = "COUNT(*)",
        /// Time at which one of these replies was last posted or changed.
        pub updated_at: Timestamp = "MAX(COALESCE(r.edited_at, r.posted_at))",
    }
}

/// Returns the people who replied to each of these comments, sorted by their first reply.
///
/// # Errors
/// Returns an error if the store fails.
pub fn repliers(
    tx: &Tx<'_>,
    comments: &[CommentId],
) -> Result<HashMap<CommentId, Vec<Replier>>, StoreError> {
    let mut repliers: HashMap<CommentId, Vec<Replier>> = HashMap::new();
    if comments.is_empty() {
        return Ok(repliers);
    }
    let mut values: Vec<Value<'static>> = Vec::new();
    let sql = format!(
        "SELECT r.comment, {} FROM comment_replies r WHERE r.comment IN ({}) \
         GROUP BY r.comment, r.posted_by ORDER BY MIN(r.posted_at), r.posted_by",
        Replier::COLUMNS,
        placeholders(&mut values, comments)
    );
    let rows = tx.query(&sql, &values, <(CommentId, Replier)>::from_row)?;
    for (comment, replier) in rows {
        repliers.entry(comment).or_default().push(replier);
    }
    Ok(repliers)
}
