//! `mergeChangeRequest` merges into the main content, `updateChangeRequest` merges from it.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::review::change_requests::{self, ChangeRequestTarget, Outcome};
use bindery_model::Result;
use bindery_wire::response::{
    MergeChangeRequestResponse, OpenConflicts, OpenConflictsUrls, UpdateChangeRequestResponse,
};
use bindery_wire::values::{MergeChangeRequestResponseResult, UpdateChangeRequestResponseResult};

use crate::call::Call;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("mergeChangeRequest", Action::MergeChangeRequest, merge),
        write("updateChangeRequest", Action::EditChangeRequest, update),
    ]
}

fn merge(cx: &Context<'_>, target: &Authorized<ChangeRequestTarget>, call: &Call) -> Result<Reply> {
    call.check_if_match(target.change_request.head)?;
    let Outcome { revision, conflicts } = change_requests::merge(cx, target)?;
    let result = match conflicts {
        0 => MergeChangeRequestResponseResult::Merge,
        _ => MergeChangeRequestResponseResult::Conflicts,
    };
    let conflicts = open_conflicts(cx, target, conflicts);
    let link = location(&conflicts);
    let answer = MergeChangeRequestResponse { revision: revision.to_string(), result, conflicts };
    Ok(with_link(Reply::json(200, &answer)?.with_revision_etag(revision), link))
}

fn update(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    call: &Call,
) -> Result<Reply> {
    call.check_if_match(target.change_request.head)?;
    let Outcome { revision, conflicts } = change_requests::update_from_main(cx, target)?;
    let result = match conflicts {
        0 => UpdateChangeRequestResponseResult::Update,
        _ => UpdateChangeRequestResponseResult::Conflicts,
    };
    let conflicts = open_conflicts(cx, target, conflicts);
    let link = location(&conflicts);
    let answer = UpdateChangeRequestResponse { revision: revision.to_string(), result, conflicts };
    Ok(with_link(Reply::json(200, &answer)?.with_revision_etag(revision), link))
}

/// Returns the address of the open conflicts of a change request; `None` if there are none.
fn open_conflicts(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    count: u64,
) -> Option<OpenConflicts> {
    let (space, id) = (target.space.id, target.change_request.id);
    let path = format_args!("/bindery/spaces/{space}/change-requests/{id}/conflicts");
    let urls = OpenConflictsUrls { location: cx.app.urls.api(path) };
    (count > 0).then_some(OpenConflicts { count, urls })
}

fn location(conflicts: &Option<OpenConflicts>) -> Option<String> {
    conflicts.as_ref().map(|conflicts| conflicts.urls.location.clone())
}

fn with_link(reply: Reply, conflicts: Option<String>) -> Reply {
    match conflicts {
        Some(location) => reply.with_link(&location, "conflicts"),
        None => reply,
    }
}
