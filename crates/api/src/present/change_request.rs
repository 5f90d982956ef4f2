//! A change request.

use bindery_app::App;
use bindery_app::review::change_requests::{ChangeRequest, ChangeRequestView, Status};
use bindery_model::{Error, Result};
use bindery_wire::response;
use bindery_wire::values::ChangeRequestStatus;
use serde_json::value::RawValue;

use super::user;

pub(crate) const fn status(status: Status) -> ChangeRequestStatus {
    match status {
        Status::Draft => ChangeRequestStatus::Draft,
        Status::Open => ChangeRequestStatus::Open,
        Status::Archived => ChangeRequestStatus::Archived,
        Status::Merged => ChangeRequestStatus::Merged,
    }
}

pub(crate) fn change_request(
    app: &App,
    view: ChangeRequestView,
) -> Result<response::ChangeRequest> {
    let outdated = view.is_outdated();
    let ChangeRequestView { change_request, space, created_by } = view;
    let ChangeRequest {
        id,
        space: _,
        number,
        status: state,
        subject,
        description,
        extra: _,
        created_by: _,
        created_at,
        updated_at,
        head,
        initial,
        merged_ancestor,
        merged,
        comments,
    } = change_request;
    let description = description
        .map(RawValue::from_string)
        .transpose()
        .map_err(|error| Error::internal(format!("a description is not JSON: {error}")))?;
    let app_url = app.urls.app_space(space.organization, space.id);
    Ok(response::ChangeRequest {
        id: id.to_string(),
        number: number.unsigned_abs(),
        status: status(state),
        subject,
        description,
        created_by: user(app, created_by),
        created_at,
        updated_at,
        space: space.id.to_string(),
        revision: head.to_string(),
        revision_initial: initial.to_string(),
        revision_merged_ancestor: Some(merged_ancestor.to_string()),
        revision_merged: merged.map(|merged| merged.to_string()),
        comments: comments.unsigned_abs(),
        outdated,
        conversations_issues_cluster: None,
        urls: response::ChangeRequestUrls {
            app: format!("{app_url}/~/changes/{number}"),
            location: app.urls.api(format_args!("/spaces/{}/change-requests/{id}", space.id)),
        },
    })
}
