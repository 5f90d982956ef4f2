//! `getSpaceById`: a space.

use bindery_app::Cx;
use bindery_app::access::{Action, Authorized};
use bindery_app::spaces::Seen;
use bindery_model::Result;
use bindery_store::spaces::Space;

use crate::call::Call;
use crate::operation::{Operation, read};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("getSpaceById", Action::ReadSpace, run)
}

fn run(cx: &Cx<'_>, space: &Authorized<Space>, _: &Call) -> Result<Reply> {
    let head = space.head;
    let seen = Seen { space: Space::clone(space), role: space.role() };
    Ok(Reply::json(200, &present::one_space(cx, seen)?)?.of_revision(head))
}
