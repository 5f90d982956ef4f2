//! `mergeChangeRequest` and `updateChangeRequest`: to the main content, and from it.

use bindery_app::Cx;
use bindery_app::access::{Action, Authorized};
use bindery_app::change_requests::{self, ChangeRequestTarget, Outcome};
use bindery_model::Result;
use bindery_wire::response::{MergeChangeRequestResponse, UpdateChangeRequestResponse};
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

fn merge(cx: &Cx<'_>, target: &Authorized<ChangeRequestTarget>, call: &Call) -> Result<Reply> {
    call.expects(target.change_request.head)?;
    let Outcome { revision, conflicts } = change_requests::merge(cx, target)?;
    let result = match conflicts {
        true => MergeChangeRequestResponseResult::Conflicts,
        false => MergeChangeRequestResponseResult::Merge,
    };
    let answer = MergeChangeRequestResponse { revision: revision.to_string(), result };
    Ok(Reply::json(200, &answer)?.of_revision(revision))
}

fn update(cx: &Cx<'_>, target: &Authorized<ChangeRequestTarget>, call: &Call) -> Result<Reply> {
    call.expects(target.change_request.head)?;
    let Outcome { revision, conflicts } = change_requests::update_from_main(cx, target)?;
    let result = match conflicts {
        true => UpdateChangeRequestResponseResult::Conflicts,
        false => UpdateChangeRequestResponseResult::Update,
    };
    let answer = UpdateChangeRequestResponse { revision: revision.to_string(), result };
    Ok(Reply::json(200, &answer)?.of_revision(revision))
}
