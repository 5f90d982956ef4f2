//! `getChangeRequestById`: returns a change request.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::published::ReadableChangeRequest;
use bindery_model::Result;

use super::render;
use crate::call::Call;
use crate::operation::{Operation, read};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("getChangeRequestById", Action::ReadSpace, run)
}

fn run(cx: &Context<'_>, target: &Authorized<ReadableChangeRequest>, _: &Call) -> Result<Reply> {
    render(cx, 200, target.0.change_request.clone())
}
