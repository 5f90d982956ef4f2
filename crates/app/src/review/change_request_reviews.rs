//! Reviews of change requests. Users with the permission to review can also review their own change
//! requests, as in GitBook. A merge rule that requires another reviewer names the reviewers or
//! states the requirement in an expression.

use std::collections::HashMap;

use bindery_model::{
    CommentId, Error, FieldPath, NotificationKind, Result, ReviewId, RevisionId, Timestamp,
};
use bindery_store::change_request_reviews::{self as rows, ReviewFilter};
pub use bindery_store::change_request_reviews::{Review, Verdict};
use bindery_store::change_requests::Status;
use bindery_store::users::{self, User};
use bindery_store::{Event, change_request_reviewers};

use crate::Context;
use crate::access::Authorized;
use crate::review::change_requests::{ChangeRequestTarget, author, record};
use crate::review::comments::{self, CommentView, Discussion, NewComment, NewTarget};
use crate::review::notifications::{self, Cause, Recipients};
use crate::review::rich_text::RichText;

/// A review with the related data that a response shows.
#[derive(Clone, Debug)]
pub struct ReviewView {
    /// The row.
    pub review: Review,
    /// The reviewer.
    pub reviewer: User,
    /// The user who requested the review.
    pub requested_by: Option<User>,
    /// `true` if the content has changed since the review.
    pub outdated: bool,
    /// The comment that was posted with the review; `None` if there is none or it was deleted.
    pub comment: Option<CommentView>,
}

/// Returns the views of these reviews of a change request for a response, in the same order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn views(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    reviews: Vec<Review>,
) -> Result<Vec<ReviewView>> {
    let ids: Vec<_> =
        reviews.iter().flat_map(|row| [Some(row.reviewer), row.requested_by]).flatten().collect();
    let people = users::get_many(cx.tx, &ids)?;
    let mut posted = review_comments(cx, target, &reviews)?;
    let views = reviews.into_iter().map(|review| {
        let reviewer = people.get(&review.reviewer).cloned();
        Ok(ReviewView {
            reviewer: reviewer.ok_or_else(|| Error::internal("a review that nobody gave"))?,
            requested_by: review.requested_by.and_then(|id| people.get(&id).cloned()),
            outdated: is_outdated(&review, target.change_request.head),
            comment: review.comment.and_then(|id| posted.remove(&id)),
            review,
        })
    });
    views.collect()
}

/// Returns the comments that were posted with reviews, without deleted ones.
fn review_comments(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    reviews: &[Review],
) -> Result<HashMap<CommentId, CommentView>> {
    let about = Discussion::of(target);
    let mut rows = Vec::new();
    for id in reviews.iter().filter_map(|review| review.comment) {
        rows.extend(bindery_store::comments::get(cx.tx, about.subject(), id)?);
    }
    let views = comments::views(cx, &about, rows)?.into_iter();
    Ok(views.map(|view| (view.comment.id, view)).collect())
}

/// Returns `true` if the review refers to other content than `head`.
pub(crate) fn is_outdated(review: &Review, head: RevisionId) -> bool {
    review.revision != head
}

/// Returns the reviews of a change request, newest first, and their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    outdated: Option<bool>,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<(Vec<Review>, i64)> {
    let row = &target.change_request;
    let filter = ReviewFilter { change_request: row.id, head: row.head, outdated };
    Ok((rows::list(cx.tx, &filter, after, limit)?, rows::count(cx.tx, &filter)?))
}

/// Returns a review of a change request.
///
/// # Errors
/// Returns 404 if the review does not exist.
pub fn get(cx: &Context<'_>, target: &ChangeRequestTarget, id: Option<ReviewId>) -> Result<Review> {
    let found = id.map(|id| rows::get(cx.tx, target.change_request.id, id)).transpose()?.flatten();
    found.ok_or_else(|| Error::not_found("review"))
}

/// Submits a review of the current content of a change request, optionally with a comment.
///
/// # Errors
/// Returns 409 if the change request is archived or merged, and an error if the comment is invalid.
pub fn submit(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    verdict: Verdict,
    comment: Option<RichText>,
) -> Result<Review> {
    let row = &target.change_request;
    match row.status {
        Status::Draft | Status::Open => {}
        Status::Archived => {
            return Err(Error::conflict(
                "the change request is archived: open it to review it (PATCH its status)",
            ));
        }
        Status::Merged => {
            return Err(Error::conflict("the change request is merged: it cannot be reviewed"));
        }
    }
    let reviewer = author(cx)?;
    let asked = change_request_reviewers::get(cx.tx, row.id, reviewer)?;
    // The latest review of each reviewer counts, so the reviews of one reviewer need distinct
    // times.
    let last = rows::latest_per_reviewer(cx.tx, row.id)?.into_iter();
    let last = last.filter(|last| last.reviewer == reviewer).map(|last| last.created_at).next();
    let after = last.map_or(cx.now(), |last| Timestamp::from_millis(last.millis() + 1));
    let now = cx.now().max(after);
    let id = ReviewId::random(&cx.app.entropy);
    let comment = comment.map(|body| {
        let new = NewComment { body, target: NewTarget::default(), review: Some(id) };
        comments::post(cx, &Discussion::of(target), &FieldPath::new("/comment"), &new)
    });
    let review = Review {
        id,
        change_request: row.id,
        revision: row.head,
        reviewer,
        requested_by: asked.map(|asked| asked.requested_by),
        verdict,
        comment: comment.transpose()?.map(|comment| comment.id),
        created_at: now,
        updated_at: now,
    };
    rows::create(cx.tx, &review)?;
    let event =
        Event::ReviewSubmitted { change_request: row.id, review: review.id, status: verdict };
    record(cx, &target.space, event)?;
    let cause = Cause {
        comment: review.comment,
        verdict: Some(verdict),
        ..Cause::change_request(&target.space, row)
    };
    let creator = Recipients::default().with(NotificationKind::Reviewed, [row.created_by]);
    notifications::notify(cx, cause, creator)?;
    Ok(review)
}
