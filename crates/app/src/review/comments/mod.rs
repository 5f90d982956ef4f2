//! Comments on spaces and change requests, with their replies and reactions.
//!
//! All users with the permission to comment can also resolve and reopen any discussion, as in
//! GitBook. Only the author can change a comment. GitBook's documentation does not say who can
//! delete comments of others; Bindery allows this to the author and to reviewers.

mod anchors;
mod permissions;
mod reactions;
mod replies;
mod versions;
mod views;

pub use anchors::{MissingTarget, NewTarget};
pub use permissions::Permissions;
pub use reactions::ReactionsPatch;
pub use replies::{ReplyPatch, delete_reply, get_reply, list_replies, post_reply, update_reply};
pub use versions::{reply_version, version};
pub use views::{
    CommentView, ReactionView, ReplierView, ReplyView, reply_view, reply_views, view, views,
};

use bindery_model::{
    CommentId, CommentReplyId, Error, FieldPath, NotificationKind, Result, ReviewId, RevisionId,
    Role, Timestamp, UserId,
};
use bindery_store::Event;
use bindery_store::change_requests::{self, ChangeRequest, Contribution};
use bindery_store::comments::{self as rows, Resolution};
pub use bindery_store::comments::{Comment, CommentFilter, Reply, Subject, TableCell};
use bindery_store::members::MemberRow;
use bindery_store::spaces::{self, Space, SpaceCounts};
use bindery_store::users::{self, User};

use self::anchors::Anchors;
use crate::Context;
use crate::access::Authorized;
use crate::review::change_requests::{ChangeRequestTarget, author, record};
use crate::review::notifications::{self, Cause, Recipients};
use crate::review::rich_text::{self, RichText};

/// A target of comments.
pub trait HasComments {
    /// Returns the space and, for a change request, the change request.
    fn parts(&self) -> (&Space, Option<&ChangeRequest>);
}

impl HasComments for Space {
    fn parts(&self) -> (&Space, Option<&ChangeRequest>) {
        (self, None)
    }
}

impl HasComments for ChangeRequestTarget {
    fn parts(&self) -> (&Space, Option<&ChangeRequest>) {
        (&self.space, Some(&self.change_request))
    }
}

/// The comments on the main content of a space or on a change request, for a caller.
#[derive(Clone, Copy, Debug)]
pub struct Discussion<'a> {
    /// The space.
    pub space: &'a Space,
    /// The change request; `None` for the main content.
    pub change_request: Option<&'a ChangeRequest>,
    role: Role,
}

impl<'a> Discussion<'a> {
    /// Returns the discussion of an authorized target.
    pub fn of<T: HasComments>(target: &'a Authorized<T>) -> Self {
        let (space, change_request) = target.parts();
        Self { space, change_request, role: target.role() }
    }

    /// Returns the key of the discussion's rows.
    pub fn subject(&self) -> Subject {
        let change_request = self.change_request.map(|change_request| change_request.id);
        Subject { space: self.space.id, change_request }
    }

    /// Returns the revision that is commented on.
    fn head(&self) -> RevisionId {
        self.change_request.map_or(self.space.head, |change_request| change_request.head)
    }

    /// Returns the cause of notifications about a comment or about a reply to it.
    fn cause(&self, comment: CommentId, reply: Option<CommentReplyId>) -> Cause<'a> {
        let Self { space, change_request, role: _ } = *self;
        Cause { space, change_request, comment: Some(comment), reply, verdict: None }
    }

    /// Adds `by` to the number of open comments.
    fn count(&self, cx: &Context<'_>, by: i64) -> Result<()> {
        match self.change_request {
            Some(change_request) => {
                change_requests::add_comment_count(cx.tx, change_request.id, by)?;
            }
            None => {
                let by = SpaceCounts { comments: by, ..SpaceCounts::default() };
                spaces::add_counts(cx.tx, self.space.id, by)?;
            }
        }
        Ok(())
    }

    /// Records a user as a contributor to the change request.
    fn contribute(&self, cx: &Context<'_>, user: UserId, at: Timestamp) -> Result<()> {
        if let Some(change_request) = self.change_request {
            let what = Contribution::Comment;
            change_requests::record_contribution(cx.tx, change_request.id, user, what, at)?;
        }
        Ok(())
    }
}

/// The values of a new comment.
#[derive(Clone, PartialEq, Debug)]
pub struct NewComment {
    /// The text.
    pub body: RichText,
    /// The part of the content that the comment refers to.
    pub target: NewTarget,
    /// The review that the comment belongs to.
    pub review: Option<ReviewId>,
}

/// Posts a comment. `pointer` is the location of its body in the request.
///
/// # Errors
/// Returns an error if the body is invalid, or if the target is not in the content.
pub fn post(
    cx: &Context<'_>,
    about: &Discussion<'_>,
    pointer: &FieldPath,
    new: &NewComment,
) -> Result<Comment> {
    let posted_by = author(cx)?;
    let NewComment { body, target, review } = new;
    let body = rich_text::store(pointer, body)?;
    let page = Anchors::of(cx, about)?.check(target)?;
    let now = cx.now();
    let comment = Comment {
        id: CommentId::random(&cx.app.entropy),
        subject: about.subject(),
        review: *review,
        revision: about.head(),
        page,
        node: target.node.clone(),
        table_cell: target.table_cell.clone(),
        body,
        posted_by,
        posted_at: now,
        edited_at: None,
        resolved: None,
        replies: 0,
    };
    rows::create(cx.tx, &comment)?;
    about.count(cx, 1)?;
    about.contribute(cx, posted_by, now)?;
    let change_request = comment.subject.change_request;
    record(cx, about.space, Event::CommentPosted { comment: comment.id, change_request })?;
    // The author of a change request is notified of the review, if the comment belongs to one.
    let creator = about.change_request.filter(|_| comment.review.is_none());
    let recipients = Recipients::default()
        .with(NotificationKind::Mention, rich_text::mentioned(&comment.body)?)
        .with(NotificationKind::Comment, creator.map(|change_request| change_request.created_by));
    notifications::notify(cx, about.cause(comment.id, None), recipients)?;
    Ok(comment)
}

/// Returns the comment with an id.
///
/// # Errors
/// Returns 404 if the discussion has no such comment.
pub fn get(cx: &Context<'_>, about: &Discussion<'_>, id: &str) -> Result<Comment> {
    let found = match CommentId::parse(id) {
        Some(id) => rows::get(cx.tx, about.subject(), id)?,
        None => None,
    };
    found.ok_or_else(|| Error::not_found("comment"))
}

/// Returns comments, and the number of comments that match the filter.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    about: &Discussion<'_>,
    filter: &CommentFilter,
    newest_first: bool,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<(Vec<Comment>, i64)> {
    let subject = about.subject();
    Ok((
        rows::list(cx.tx, subject, filter, newest_first, after, limit)?,
        rows::count(cx.tx, subject, filter)?,
    ))
}

/// The new values of a comment; absent fields stay unchanged.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CommentPatch {
    /// The text.
    pub body: Option<RichText>,
    /// `true` if its discussion is resolved.
    pub resolved: Option<bool>,
    /// The caller's reactions.
    pub reactions: ReactionsPatch,
}

/// Changes a comment.
///
/// # Errors
/// Returns 403 if the patch changes the body and another user posted the comment, and an error if
/// the request is invalid.
pub fn update(
    cx: &Context<'_>,
    about: &Discussion<'_>,
    before: Comment,
    patch: &CommentPatch,
) -> Result<Comment> {
    let user = author(cx)?;
    let CommentPatch { body, resolved, reactions } = patch;
    let now = cx.now();
    let mut after = before.clone();
    let mut fields = Vec::new();
    if let Some(body) = body {
        permissions::check_edit(cx, about, before.posted_by)?;
        after.body = rich_text::store("/body", body)?;
        if after.body != before.body {
            after.edited_at = Some(now);
            fields.push("body".to_owned());
        }
    }
    if reactions::update(cx, before.id.id(), user, reactions)? {
        fields.push("reactions".to_owned());
    }
    let (comment, change_request) = (before.id, before.subject.change_request);
    let mut events = Vec::new();
    if !fields.is_empty() {
        events.push(Event::CommentUpdated { comment, change_request, fields });
    }
    match (before.resolved.is_some(), resolved.unwrap_or(before.resolved.is_some())) {
        (false, true) => {
            after.resolved = Some(Resolution { at: now, by: user });
            about.count(cx, -1)?;
            events.push(Event::CommentResolved { comment, change_request });
        }
        (true, false) => {
            after.resolved = None;
            about.count(cx, 1)?;
            events.push(Event::CommentReopened { comment, change_request });
        }
        _ => {}
    }
    if after != before {
        rows::update(cx.tx, &after)?;
    }
    if after.body != before.body {
        let recipients = newly_mentioned(&before.body, &after.body)?;
        notifications::notify(cx, about.cause(comment, None), recipients)?;
    }
    for event in events {
        record(cx, about.space, event)?;
    }
    Ok(after)
}

/// Returns the users whom a text mentions since its last change.
fn newly_mentioned(before: &str, after: &str) -> Result<Recipients> {
    let known = rich_text::mentioned(before)?;
    let added = rich_text::mentioned(after)?.into_iter().filter(|user| !known.contains(user));
    Ok(Recipients::default().with(NotificationKind::Mention, added))
}

/// Deletes a comment with its replies.
///
/// # Errors
/// Returns 403 if another user posted the comment and the caller cannot moderate comments.
pub fn delete(cx: &Context<'_>, about: &Discussion<'_>, comment: &Comment) -> Result<()> {
    permissions::check_delete(cx, about, comment.posted_by)?;
    rows::delete(cx.tx, comment.id)?;
    if comment.resolved.is_none() {
        about.count(cx, -1)?;
    }
    let change_request = comment.subject.change_request;
    record(cx, about.space, Event::CommentDeleted { comment: comment.id, change_request })
}

/// A member who commented or replied.
#[derive(Clone, Debug)]
pub struct Commenter {
    /// The membership.
    pub member: MemberRow,
    /// The user.
    pub user: User,
}

/// Returns the members who commented or replied, in the order in which they joined, and their
/// number. Former members are left out.
///
/// # Errors
/// Returns an error if the store fails.
pub fn commenters(
    cx: &Context<'_>,
    about: &Discussion<'_>,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<(Vec<Commenter>, i64)> {
    let (subject, organization) = (about.subject(), about.space.organization);
    let members = rows::list_commenters(cx.tx, subject, organization, after, limit)?;
    let count = rows::count_commenters(cx.tx, subject, organization)?;
    let people: Vec<UserId> = members.iter().map(|member| member.user).collect();
    let people = users::get_many(cx.tx, &people)?;
    let commenters = members
        .into_iter()
        .filter_map(|member| Some(Commenter { user: people.get(&member.user)?.clone(), member }));
    Ok((commenters.collect(), count))
}
