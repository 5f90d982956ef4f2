//! Replies to comments.

use std::iter;

use bindery_model::{CommentReplyId, Error, NotificationKind, Result, Timestamp};
use bindery_store::Event;
use bindery_store::comments::{self as rows, Comment, Reply};

use super::reactions::{self, ReactionsPatch};
use super::{Discussion, newly_mentioned, permissions};
use crate::Context;
use crate::review::change_requests::{author, record};
use crate::review::notifications::{self, Recipients};
use crate::review::rich_text::{self, RichText};

/// Posts a reply to a comment. A resolved discussion stays resolved.
///
/// # Errors
/// Returns an error if the body is invalid.
pub fn post_reply(
    cx: &Context<'_>,
    about: &Discussion<'_>,
    comment: &Comment,
    body: &RichText,
) -> Result<Reply> {
    let posted_by = author(cx)?;
    let now = cx.now();
    let reply = Reply {
        id: CommentReplyId::random(&cx.app.entropy),
        comment: comment.id,
        body: rich_text::store("/body", body)?,
        posted_by,
        posted_at: now,
        edited_at: None,
    };
    rows::create_reply(cx.tx, &reply)?;
    about.contribute(cx, posted_by, now)?;
    let event = Event::CommentReplyPosted {
        comment: comment.id,
        reply: reply.id,
        change_request: comment.subject.change_request,
    };
    record(cx, about.space, event)?;
    let repliers = rows::repliers(cx.tx, &[comment.id])?.into_values().flatten();
    let participants = iter::once(comment.posted_by).chain(repliers.map(|replier| replier.user));
    let creator = about.change_request.map(|change_request| change_request.created_by);
    let recipients = Recipients::default()
        .with(NotificationKind::Mention, rich_text::mentioned(&reply.body)?)
        .with(NotificationKind::Reply, participants.chain(creator));
    notifications::notify(cx, about.cause(comment.id, Some(reply.id)), recipients)?;
    Ok(reply)
}

/// Returns the reply to a comment with an id.
///
/// # Errors
/// Returns 404 if the comment has no such reply.
pub fn get_reply(cx: &Context<'_>, comment: &Comment, id: &str) -> Result<Reply> {
    let found = match CommentReplyId::parse(id) {
        Some(id) => rows::get_reply(cx.tx, comment.id, id)?,
        None => None,
    };
    found.ok_or_else(|| Error::not_found("reply"))
}

/// Returns the replies to a comment, oldest first, and their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_replies(
    cx: &Context<'_>,
    comment: &Comment,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<(Vec<Reply>, i64)> {
    Ok((rows::list_replies(cx.tx, comment.id, after, limit)?, comment.replies))
}

/// The new values of a reply; absent fields stay unchanged.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReplyPatch {
    /// The text.
    pub body: Option<RichText>,
    /// The caller's reactions.
    pub reactions: ReactionsPatch,
}

/// Changes a reply.
///
/// # Errors
/// Returns 403 if the patch changes the body and another user posted the reply, and an error if the
/// request is invalid.
pub fn update_reply(
    cx: &Context<'_>,
    about: &Discussion<'_>,
    comment: &Comment,
    before: Reply,
    patch: &ReplyPatch,
) -> Result<Reply> {
    let user = author(cx)?;
    let ReplyPatch { body, reactions } = patch;
    let mut after = before.clone();
    let mut fields = Vec::new();
    if let Some(body) = body {
        permissions::check_edit(cx, about, before.posted_by)?;
        after.body = rich_text::store("/body", body)?;
        if after.body != before.body {
            after.edited_at = Some(cx.now());
            rows::update_reply(cx.tx, &after)?;
            let recipients = newly_mentioned(&before.body, &after.body)?;
            notifications::notify(cx, about.cause(comment.id, Some(before.id)), recipients)?;
            fields.push("body".to_owned());
        }
    }
    if reactions::update(cx, before.id.id(), user, reactions)? {
        fields.push("reactions".to_owned());
    }
    if !fields.is_empty() {
        let event = Event::CommentReplyUpdated {
            comment: comment.id,
            reply: before.id,
            change_request: comment.subject.change_request,
            fields,
        };
        record(cx, about.space, event)?;
    }
    Ok(after)
}

/// Deletes a reply.
///
/// # Errors
/// Returns 403 if another user posted the reply and the caller cannot moderate comments.
pub fn delete_reply(
    cx: &Context<'_>,
    about: &Discussion<'_>,
    comment: &Comment,
    reply: &Reply,
) -> Result<()> {
    permissions::check_delete(cx, about, reply.posted_by)?;
    rows::delete_reply(cx.tx, reply)?;
    let event = Event::CommentReplyDeleted {
        comment: comment.id,
        reply: reply.id,
        change_request: comment.subject.change_request,
    };
    record(cx, about.space, event)
}
