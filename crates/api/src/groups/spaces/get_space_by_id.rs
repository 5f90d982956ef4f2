//! `getSpaceById`: returns a space.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::spaces::VisibleSpace;
use bindery_app::publishing::published::ReadableSpace;
use bindery_model::Result;

use crate::call::Call;
use crate::operation::{Operation, read};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("getSpaceById", Action::ReadSpace, run)
}

fn run(cx: &Context<'_>, space: &Authorized<ReadableSpace>, _: &Call) -> Result<Reply> {
    let ReadableSpace { space: row, visitor, previewed: _ } = &**space;
    let head = row.head;
    if *visitor {
        return Ok(Reply::json(200, &present::space_for_visitor(cx, row.clone())?)?
            .with_revision_etag(head));
    }
    let seen = VisibleSpace { space: row.clone(), role: space.role() };
    Ok(Reply::json(200, &present::one_space(cx, seen)?)?.with_revision_etag(head))
}
