//! Group `change-request-reviewers`.

use bindery_app::access::{Action, Authorized};
use bindery_app::review::change_request_reviewers::{
    self as reviewers, RequestedReviewer, ReviewRequest,
};
use bindery_app::review::change_requests::ChangeRequestTarget;
use bindery_app::{Context, content::documents};
use bindery_model::{Result, UserId};
use bindery_wire::request::RequestReviewersForChangeRequestBody;
use bindery_wire::response::{
    ChangeRequestRequestedReviewer, RequestReviewersForChangeRequestResponse,
};

use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("getRequestedReviewersByChangeRequestId", Action::ReadSpace, list),
        write("requestReviewersForChangeRequest", Action::EditChangeRequest, request),
        write("removeRequestedReviewerFromChangeRequest", Action::EditChangeRequest, remove),
    ]
}

type Target = Authorized<ChangeRequestTarget>;

fn reviewer_responses(
    cx: &Context<'_>,
    rows: Vec<RequestedReviewer>,
) -> Result<Vec<ChangeRequestRequestedReviewer>> {
    let views = reviewers::views(cx, rows)?.into_iter();
    Ok(views.map(|view| present::requested_reviewer(cx.app, view)).collect())
}

fn list(cx: &Context<'_>, target: &Target, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (rows, count) = reviewers::list(cx, target, page.after_time(), page.rows())?;
    let list = page.list_of(
        rows,
        count,
        |row| time_position(row.created_at, row.user),
        |rows| reviewer_responses(cx, rows),
    )?;
    Reply::json(200, &list)
}

fn request(cx: &Context<'_>, target: &Target, call: &Call) -> Result<Reply> {
    let RequestReviewersForChangeRequestBody { users, subject, description } = call.body()?;
    let request = ReviewRequest {
        users,
        subject,
        description: description
            .map(|document| documents::of_people("/description", &document))
            .transpose()?,
    };
    let users = reviewer_responses(cx, reviewers::request(cx, target, request)?)?;
    Reply::json(200, &RequestReviewersForChangeRequestResponse { users: Some(users) })
}

fn remove(cx: &Context<'_>, target: &Target, call: &Call) -> Result<Reply> {
    reviewers::remove(cx, target, UserId::parse(call.path("userId")))?;
    Ok(Reply::empty(205))
}
