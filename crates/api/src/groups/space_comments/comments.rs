//! Listing, posting, reading, updating and deleting comments.

use bindery_app::Context;
use bindery_app::access::Authorized;
use bindery_app::review::comments::{
    self, Comment, CommentPatch, Discussion, HasComments, NewComment, NewTarget, ReactionsPatch,
    TableCell,
};
use bindery_model::{FieldPath, Result};
use bindery_wire::List;
use bindery_wire::request::{PostCommentSchema, TableCellTarget, UpdateCommentSchema};

use super::filter::filter;
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
    let page = Page::of(cx.app, call)?;
    let Some(filter) = filter(call) else {
        return Reply::json(200, &List::<()> { next: None, count: Some(0), items: Vec::new() });
    };
    let newest_first = call.query().text("order") != Some("asc");
    let (rows, count) =
        comments::list(cx, &about, &filter, newest_first, page.after_time(), page.rows())?;
    let list = page.list_of(
        rows,
        count,
        |comment| time_position(comment.posted_at, comment.id),
        |rows| {
            let views = comments::views(cx, &about, rows)?.into_iter();
            views.map(|view| present::comment(cx.app, view, format(call))).collect()
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
    let PostCommentSchema { node, page, body, table_cell } = call.body()?;
    let table_cell =
        table_cell.map(|TableCellTarget { record, definition }| TableCell { record, definition });
    let new = NewComment {
        body: rich_text("/body", body)?,
        target: NewTarget { page, node, table_cell },
        review: None,
    };
    let comment = comments::post(cx, &about, &FieldPath::new("/body"), &new)?;
    let version = comments::version(cx.app, &comment);
    let response = present::comment(cx.app, comments::view(cx, &about, comment)?, format(call))?;
    let location = response.urls.location.clone();
    Ok(Reply::json(200, &response)?.with_location(location).with_version_etag(version))
}

pub(in crate::groups) fn get<T: HasComments>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let about = Discussion::of(target);
    let comment = comments::get(cx, &about, call.path("commentId"))?;
    render(cx, &about, comment, call)
}

pub(in crate::groups) fn update<T: HasComments>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let about = Discussion::of(target);
    let comment = load_expected(cx, &about, call)?;
    let UpdateCommentSchema { resolved, body, added_reactions, removed_reactions } = call.body()?;
    let patch = CommentPatch {
        body: body.map(|body| rich_text("/body", body)).transpose()?,
        resolved,
        reactions: ReactionsPatch {
            added: added_reactions.unwrap_or_default(),
            removed: removed_reactions.unwrap_or_default(),
        },
    };
    let comment = comments::update(cx, &about, comment, &patch)?;
    render(cx, &about, comment, call)
}

pub(in crate::groups) fn delete<T: HasComments>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let about = Discussion::of(target);
    let comment = load_expected(cx, &about, call)?;
    comments::delete(cx, &about, &comment)?;
    Ok(Reply::empty(205))
}

/// Loads the comment of the path and checks its version against `If-Match`.
fn load_expected(cx: &Context<'_>, about: &Discussion<'_>, call: &Call) -> Result<Comment> {
    let comment = comments::get(cx, about, call.path("commentId"))?;
    call.check_if_match_version("version of the comment", &comments::version(cx.app, &comment))?;
    Ok(comment)
}

fn render(
    cx: &Context<'_>,
    about: &Discussion<'_>,
    comment: Comment,
    call: &Call,
) -> Result<Reply> {
    let version = comments::version(cx.app, &comment);
    let view = comments::view(cx, about, comment)?;
    Ok(Reply::json(200, &present::comment(cx.app, view, format(call))?)?.with_version_etag(version))
}
