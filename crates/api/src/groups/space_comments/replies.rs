//! Listing, posting, reading, updating and deleting replies.

use bindery_app::Context;
use bindery_app::access::Authorized;
use bindery_app::review::comments::Reply as Row;
use bindery_app::review::comments::{
    self, Comment, Discussion, HasComments, ReactionsPatch, ReplyPatch,
};
use bindery_model::{Error, Result};
use bindery_wire::request::{PostCommentReplySchema, UpdateCommentReplySchema};

use super::{format, rich_text};
use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::present;
use crate::reply::Reply;

pub(in crate::groups) fn list<T: HasComments>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let about = Discussion::of(target);
    let comment = comments::get(cx, &about, call.path("commentId"))?;
    let page = Page::of(cx.app, call)?;
    let (rows, count) = comments::list_replies(cx, &comment, page.after_time(), page.rows())?;
    let list = page.list_of(
        rows,
        count,
        |reply| time_position(reply.posted_at, reply.id),
        |rows| {
            let views = comments::reply_views(cx, &about, rows)?.into_iter();
            let subject = comment.subject;
            views.map(|view| present::comment_reply(cx.app, subject, view, format(call))).collect()
        },
    )?;
    Reply::json(200, &list)
}

pub(in crate::groups) fn post<T: HasComments>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let about = Discussion::of(target);
    let comment = comments::get(cx, &about, call.path("commentId"))?;
    refuse_resolved(call)?;
    let PostCommentReplySchema { body } = call.body()?;
    let reply = comments::post_reply(cx, &about, &comment, &rich_text("/body", body)?)?;
    let (reply, location) = render(cx, &about, &comment, reply, call)?;
    Ok(reply.with_location(location))
}

/// Refuses the field `resolved`. Only a comment can be resolved, together with its replies.
fn refuse_resolved(call: &Call) -> Result<()> {
    if call.has_field("resolved") {
        return Err(Error::invalid(
            "body at /resolved: a reply cannot be resolved; allowed: {\"resolved\": true} in a \
             change of the comment that it replies to",
        ));
    }
    Ok(())
}

pub(in crate::groups) fn get<T: HasComments>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let about = Discussion::of(target);
    let (comment, reply) = load_reply(cx, &about, call)?;
    Ok(render(cx, &about, &comment, reply, call)?.0)
}

pub(in crate::groups) fn update<T: HasComments>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let about = Discussion::of(target);
    let (comment, reply) = load_expected(cx, &about, call)?;
    refuse_resolved(call)?;
    let UpdateCommentReplySchema { body, added_reactions, removed_reactions } = call.body()?;
    let patch = ReplyPatch {
        body: body.map(|body| rich_text("/body", body)).transpose()?,
        reactions: ReactionsPatch {
            added: added_reactions.unwrap_or_default(),
            removed: removed_reactions.unwrap_or_default(),
        },
    };
    let reply = comments::update_reply(cx, &about, &comment, reply, &patch)?;
    Ok(render(cx, &about, &comment, reply, call)?.0)
}

pub(in crate::groups) fn delete<T: HasComments>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let about = Discussion::of(target);
    let (comment, reply) = load_expected(cx, &about, call)?;
    comments::delete_reply(cx, &about, &comment, &reply)?;
    Ok(Reply::empty(205))
}

/// Loads the reply of the path, and its comment.
fn load_reply(cx: &Context<'_>, about: &Discussion<'_>, call: &Call) -> Result<(Comment, Row)> {
    let comment = comments::get(cx, about, call.path("commentId"))?;
    let reply = comments::get_reply(cx, &comment, call.path("commentReplyId"))?;
    Ok((comment, reply))
}

/// Like `load_reply`, but also checks the reply's version against `If-Match`.
fn load_expected(cx: &Context<'_>, about: &Discussion<'_>, call: &Call) -> Result<(Comment, Row)> {
    let (comment, reply) = load_reply(cx, about, call)?;
    call.check_if_match_version("version of the reply", &comments::reply_version(cx.app, &reply))?;
    Ok((comment, reply))
}

/// Builds the answer with a reply, and returns it with the reply's address.
fn render(
    cx: &Context<'_>,
    about: &Discussion<'_>,
    comment: &Comment,
    reply: Row,
    call: &Call,
) -> Result<(Reply, String)> {
    let version = comments::reply_version(cx.app, &reply);
    let view = comments::reply_view(cx, about, reply)?;
    let response = present::comment_reply(cx.app, comment.subject, view, format(call))?;
    Ok((Reply::json(200, &response)?.with_version_etag(version), response.urls.location))
}
