//! Comments and replies.

use bindery_app::App;
use bindery_app::review::comments::{
    Comment, CommentView, MissingTarget, Permissions, ReactionView, ReplierView, Reply, ReplyView,
    Subject, TableCell,
};
use bindery_app::review::rich_text;
use bindery_model::{CommentId, Error, Result};
use bindery_wire::response;
use bindery_wire::values::{CommentStatus, CommentTargetGone};
use serde_json::value::RawValue;

use super::user;

/// The format of comment bodies in answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BodyFormat {
    /// The contract's document.
    Document,
    /// Markdown.
    Markdown,
}

fn body(stored: String, format: BodyFormat) -> Result<response::Document> {
    Ok(match format {
        BodyFormat::Markdown => {
            let markdown = rich_text::markdown(&stored)?;
            response::Document::MarkdownDocument(response::MarkdownDocument { markdown })
        }
        BodyFormat::Document => {
            let document = RawValue::from_string(stored)
                .map_err(|error| Error::internal(format!("a stored text is not JSON: {error}")))?;
            response::Document::Document(response::DocumentDocument { document })
        }
    })
}

fn location(app: &App, subject: Subject, id: CommentId) -> String {
    let Subject { space, change_request } = subject;
    match change_request {
        None => app.urls.api(format_args!("/spaces/{space}/comments/{id}")),
        Some(change) => {
            app.urls.api(format_args!("/spaces/{space}/change-requests/{change}/comments/{id}"))
        }
    }
}

fn reactions(app: &App, views: Vec<ReactionView>) -> response::EmojiReactions {
    let reactions = views.into_iter().map(|ReactionView { emoji, users }| {
        let users: Vec<_> = users
            .into_iter()
            .map(|(who, at)| response::EmojiReactionUser { user: user(app, who), reacted_at: at })
            .collect();
        response::EmojiReaction { emoji, count: users.len() as u64, users }
    });
    reactions.collect()
}

fn replier(app: &App, view: ReplierView) -> response::UserContributor {
    let ReplierView { user: who, count, updated_at } = view;
    response::UserContributor { updated_at, count: count.unsigned_abs(), user: user(app, who) }
}

const fn target_gone(gone: MissingTarget) -> CommentTargetGone {
    match gone {
        MissingTarget::Page => CommentTargetGone::Page,
        MissingTarget::Node => CommentTargetGone::Node,
        MissingTarget::TableCell => CommentTargetGone::TableCell,
    }
}

pub(crate) fn comment(
    app: &App,
    view: CommentView,
    format: BodyFormat,
) -> Result<response::Comment> {
    let CommentView {
        comment,
        posted_by,
        resolved_by,
        repliers,
        reactions: reacted,
        gone: missing,
        permissions,
    } = view;
    let Comment {
        id,
        subject,
        review,
        revision,
        page,
        node,
        table_cell,
        body: text,
        posted_by: _,
        posted_at,
        edited_at,
        resolved,
        replies,
    } = comment;
    let Permissions { edit, reply, delete } = permissions;
    Ok(response::Comment {
        id: id.to_string(),
        posted_by: user(app, posted_by),
        posted_at,
        edited_at,
        reactions: reactions(app, reacted),
        replies: replies.unsigned_abs(),
        repliers: repliers.into_iter().map(|view| replier(app, view)).collect(),
        body: body(text, format)?,
        target: response::CommentTarget {
            node: node.map(|id| response::CommentTargetNode { id }),
            table_cell: table_cell.map(|TableCell { record, definition }| {
                response::TableCellTarget { record, definition }
            }),
            change_request: subject.change_request.map(|id| id.to_string()),
            review: review.map(|id| id.to_string()),
            page: page.map(|id| response::CommentTargetPage { id: id.to_string() }),
            space: subject.space.to_string(),
            revision: revision.to_string(),
            gone: missing.map(target_gone),
        },
        urls: response::CommentUrls { location: location(app, subject, id) },
        permissions: response::CommentPermissions { view: true, edit, reply: Some(reply), delete },
        status: match resolved {
            Some(_) => CommentStatus::Resolved,
            None => CommentStatus::Open,
        },
        resolved_at: resolved.map(|resolved| resolved.at),
        resolved_by: resolved_by.map(|who| user(app, who)),
    })
}

pub(crate) fn comment_reply(
    app: &App,
    subject: Subject,
    view: ReplyView,
    format: BodyFormat,
) -> Result<response::CommentReply> {
    let ReplyView { reply, posted_by, reactions: reacted, permissions } = view;
    let Reply { id, comment, body: text, posted_by: _, posted_at, edited_at } = reply;
    let Permissions { edit, reply, delete } = permissions;
    Ok(response::CommentReply {
        id: id.to_string(),
        posted_by: user(app, posted_by),
        posted_at,
        edited_at,
        reactions: reactions(app, reacted),
        body: body(text, format)?,
        urls: response::CommentReplyUrls {
            location: format!("{}/replies/{id}", location(app, subject, comment)),
        },
        permissions: response::CommentReplyPermissions {
            view: true,
            edit,
            reply: Some(reply),
            delete,
        },
    })
}
