//! Group `change-requests`.

mod create_change_request;
mod get_change_request_by_id;
mod list_change_requests;
mod merge_change_request;
mod update_change_request_by_id;

use bindery_app::review::change_requests::ChangeRequest;
use bindery_app::{Context, review::change_requests};
use bindery_model::Result;

use crate::groups::space_content::pdf;
use crate::operation::Operation;
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = vec![
        create_change_request::operation(),
        get_change_request_by_id::operation(),
        update_change_request_by_id::operation(),
        pdf::of_change_request(),
    ];
    operations.extend(list_change_requests::operations());
    operations.extend(merge_change_request::operations());
    operations
}

/// Builds the answer with a change request.
fn render(cx: &Context<'_>, status: u16, row: ChangeRequest) -> Result<Reply> {
    let revision = row.head;
    let view = change_requests::view(cx.tx, row)?;
    let response = present::change_request(cx.app, view)?;
    let location = response.urls.location.clone();
    let reply = Reply::json(status, &response)?.with_revision_etag(revision);
    Ok(if status == 201 { reply.with_location(location) } else { reply })
}
