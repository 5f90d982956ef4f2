//! Reviews, requested reviewers and contributors of a change request.

use bindery_app::App;
use bindery_app::review::change_request_contributors::{
    Contribution, Contributor, ContributorView,
};
use bindery_app::review::change_request_reviewers::{RequestedReviewer, RequestedReviewerView};
use bindery_app::review::change_request_reviews::{Review, ReviewView};
use bindery_app::review::change_requests::ChangeRequestTarget;
use bindery_model::Result;
use bindery_wire::response::{
    ChangeRequestRequestedReviewer, ChangeRequestReview, ChangeRequestReviewUrls,
    ChangeRequestUserContributor,
};
use bindery_wire::values::{
    ChangeRequestRequestedReviewerKind, ChangeRequestUserContributorActionType,
};

use super::comment::{BodyFormat, comment};
use super::user;
use crate::closed_sets::review_status;

pub(crate) fn review(
    app: &App,
    target: &ChangeRequestTarget,
    view: ReviewView,
    format: BodyFormat,
) -> Result<ChangeRequestReview> {
    let ReviewView { review, reviewer, requested_by, outdated, comment: comment_view } = view;
    let Review {
        id,
        change_request,
        revision,
        reviewer: _,
        requested_by: _,
        verdict,
        comment: _,
        created_at,
        updated_at,
    } = review;
    Ok(ChangeRequestReview {
        id: id.to_string(),
        revision: revision.to_string(),
        reviewer: user(app, reviewer),
        requested_by: requested_by.map(|asker| user(app, asker)),
        status: review_status(verdict),
        outdated,
        comment: comment_view.map(|comment_view| comment(app, comment_view, format)).transpose()?,
        created_at,
        updated_at,
        urls: ChangeRequestReviewUrls {
            location: app.urls.api(format_args!(
                "/spaces/{}/change-requests/{change_request}/reviews/{id}",
                target.space.id
            )),
        },
    })
}

pub(crate) fn requested_reviewer(
    app: &App,
    view: RequestedReviewerView,
) -> ChangeRequestRequestedReviewer {
    let RequestedReviewerView { requested, user: reviewer, requested_by } = view;
    let RequestedReviewer { change_request: _, user: _, requested_by: _, revision, created_at } =
        requested;
    ChangeRequestRequestedReviewer {
        revision: revision.to_string(),
        requested_by: user(app, requested_by),
        created_at,
        kind: ChangeRequestRequestedReviewerKind::User,
        user: Some(user(app, reviewer)),
        team: None,
    }
}

pub(crate) fn contributor(app: &App, view: ContributorView) -> ChangeRequestUserContributor {
    let ContributorView { contributor, user: person } = view;
    let Contributor { user: _, kind, times, last_at } = contributor;
    ChangeRequestUserContributor {
        updated_at: last_at,
        count: times.unsigned_abs(),
        user: user(app, person),
        action_type: match kind {
            Contribution::Edit => ChangeRequestUserContributorActionType::Edit,
            Contribution::Comment => ChangeRequestUserContributorActionType::Comment,
        },
    }
}
