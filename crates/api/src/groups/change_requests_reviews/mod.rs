//! Group `change-requests-reviews`.

use bindery_app::access::{Action, Authorized};
use bindery_app::review::change_request_reviews::Review;
use bindery_app::review::change_requests::ChangeRequestTarget;
use bindery_app::{Context, review::change_request_reviews};
use bindery_model::{Error, Result, ReviewId};
use bindery_wire::request::SubmitChangeRequestReviewBody;
use bindery_wire::response;

use super::space_comments::{format, rich_text};
use crate::call::Call;
use crate::closed_sets::verdict_of;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("getReviewsByChangeRequestId", Action::ReadSpace, list),
        read("getChangeRequestReviewById", Action::ReadSpace, get),
        write("submitChangeRequestReview", Action::ReviewChangeRequest, submit),
    ]
}

type Target = Authorized<ChangeRequestTarget>;

fn review_responses(
    cx: &Context<'_>,
    target: &Target,
    reviews: Vec<Review>,
    call: &Call,
) -> Result<Vec<response::ChangeRequestReview>> {
    let views = change_request_reviews::views(cx, target, reviews)?.into_iter();
    views.map(|view| present::review(cx.app, target, view, format(call))).collect()
}

fn review_response(
    cx: &Context<'_>,
    target: &Target,
    review: Review,
    call: &Call,
) -> Result<response::ChangeRequestReview> {
    let review = review_responses(cx, target, vec![review], call)?.pop();
    review.ok_or_else(|| Error::internal("a review was not shown"))
}

fn list(cx: &Context<'_>, target: &Target, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let outdated = call.query().flag("outdated");
    let (rows, count) =
        change_request_reviews::list(cx, target, outdated, page.after_time(), page.rows())?;
    let list = page.list_of(
        rows,
        count,
        |row| time_position(row.created_at, row.id),
        |rows| review_responses(cx, target, rows, call),
    )?;
    Reply::json(200, &list)
}

fn get(cx: &Context<'_>, target: &Target, call: &Call) -> Result<Reply> {
    let id = ReviewId::parse(call.path("reviewId"));
    let review = change_request_reviews::get(cx, target, id)?;
    Reply::json(200, &review_response(cx, target, review, call)?)
}

fn submit(cx: &Context<'_>, target: &Target, call: &Call) -> Result<Reply> {
    call.check_if_match(target.change_request.head)?;
    let SubmitChangeRequestReviewBody { status, comment } = call.body()?;
    let comment = comment.map(|body| rich_text("/comment", body)).transpose()?;
    let review = change_request_reviews::submit(cx, target, verdict_of(status), comment)?;
    let response = review_response(cx, target, review, call)?;
    let location = response.urls.location.clone();
    Ok(Reply::json(201, &response)?.with_location(location))
}
