//! Requests to users to review a change request.

use bindery_model::{Error, FieldPath, NotificationKind, Result, Timestamp, UserId};
pub use bindery_store::change_request_reviewers::RequestedReviewer;
use bindery_store::change_requests::Status;
use bindery_store::users::{self, User};
use bindery_store::{Event, change_request_reviewers as rows};

use crate::review::change_requests::{
    self, ChangeRequestPatch, ChangeRequestTarget, author, record,
};
use crate::review::notifications::{self, Cause, Recipients};
use crate::{Context, access};

/// A requested reviewer, and the user who requested the review.
#[derive(Clone, Debug)]
pub struct RequestedReviewerView {
    /// The row.
    pub requested: RequestedReviewer,
    /// The requested reviewer.
    pub user: User,
    /// The user who requested the review.
    pub requested_by: User,
}

/// Returns the views of these requests for a response, in the same order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn views(cx: &Context<'_>, rows: Vec<RequestedReviewer>) -> Result<Vec<RequestedReviewerView>> {
    let ids: Vec<_> = rows.iter().flat_map(|row| [row.user, row.requested_by]).collect();
    let people = users::get_many(cx.tx, &ids)?;
    let person = |id| {
        let known = people.get(&id).cloned();
        known.ok_or_else(|| Error::internal("a review request without a reviewer"))
    };
    let views = rows.into_iter().map(|requested| {
        Ok(RequestedReviewerView {
            user: person(requested.user)?,
            requested_by: person(requested.requested_by)?,
            requested,
        })
    });
    views.collect()
}

/// Returns the requested reviewers, oldest first, and their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<(Vec<RequestedReviewer>, i64)> {
    let id = target.change_request.id;
    Ok((rows::list(cx.tx, id, after, limit)?, rows::count(cx.tx, id)?))
}

/// The requested reviewers, and changes to the change request that are sent with the request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReviewRequest {
    /// The ids of the reviewers. May be empty.
    pub users: Vec<String>,
    /// The new subject; `None` leaves it unchanged.
    pub subject: Option<String>,
    /// The new description, as the JSON of a document; `None` leaves it unchanged.
    pub description: Option<String>,
}

/// Requests reviews from users. A draft becomes open. A user who was requested before is requested
/// again only if the content has changed since.
///
/// # Errors
/// Returns 400 if a user cannot see the space, and 409 if the change request is archived or merged.
pub fn request(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    request: ReviewRequest,
) -> Result<Vec<RequestedReviewer>> {
    let row = &target.change_request;
    let status = match row.status {
        Status::Draft | Status::Open => Status::Open,
        Status::Archived => {
            return Err(Error::conflict(
                "the change request is archived: open it to ask for reviews (PATCH its status)",
            ));
        }
        Status::Merged => {
            return Err(Error::conflict("the change request is merged: it needs no review"));
        }
    };
    let requested_by = author(cx)?;
    let users = reviewers(cx, target, &request.users)?;
    let ReviewRequest { users: _, subject, description } = request;
    let patch = ChangeRequestPatch { subject, description, status: Some(status) };
    change_requests::update(cx, target, patch)?;
    let mut asked = Vec::with_capacity(users.len());
    let mut recipients = Recipients::default();
    for user in users {
        let known = rows::get(cx.tx, row.id, user)?;
        if let Some(known) = known.filter(|known| known.revision == row.head) {
            asked.push(known);
            continue;
        }
        let created_at = known.map_or(cx.now(), |known| known.created_at);
        let revision = row.head;
        let request =
            RequestedReviewer { change_request: row.id, user, requested_by, revision, created_at };
        rows::put(cx.tx, &request)?;
        record(cx, &target.space, Event::ReviewerRequested { change_request: row.id, user })?;
        asked.push(request);
        recipients = recipients.with(NotificationKind::ReviewRequested, [user]);
    }
    notifications::notify(cx, Cause::change_request(&target.space, row), recipients)?;
    Ok(asked)
}

/// Returns the users that a request names, without duplicates.
fn reviewers(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    ids: &[String],
) -> Result<Vec<UserId>> {
    let mut users = Vec::with_capacity(ids.len());
    for (index, id) in ids.iter().enumerate() {
        let level = |user| access::level_of(cx.tx, user, &target.space);
        let user = match UserId::parse(id) {
            Some(user) => level(user)?.map(|_| user),
            None => None,
        };
        // Unknown users and users without access get the same error, which does not reveal which
        // users exist.
        let user = user.ok_or_else(|| {
            Error::invalid(format!(
                "found {id:?}, allowed: the id of a user who can read \
                 this space"
            ))
            .at(FieldPath::new("/users").field(index))
        })?;
        if !users.contains(&user) {
            users.push(user);
        }
    }
    Ok(users)
}

/// Withdraws the request for a review from a user.
///
/// # Errors
/// Returns 404 if no review was requested from the user, and 409 if the change request is merged.
pub fn remove(cx: &Context<'_>, target: &ChangeRequestTarget, user: Option<UserId>) -> Result<()> {
    let row = &target.change_request;
    let missing = || Error::not_found("requested reviewer");
    let user = user.ok_or_else(missing)?;
    rows::get(cx.tx, row.id, user)?.ok_or_else(missing)?;
    if row.status == Status::Merged {
        return Err(Error::conflict("the change request is merged: its reviewers cannot change"));
    }
    rows::delete(cx.tx, row.id, user)?;
    record(cx, &target.space, Event::ReviewerRemoved { change_request: row.id, user })
}
