//! `deleteSpaceById` deletes a space, `restoreSpace` restores it within seven days.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::spaces::{self, Space, VisibleSpace};
use bindery_model::Result;

use crate::call::Call;
use crate::operation::{Operation, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("deleteSpaceById", Action::DeleteSpace, delete),
        write("restoreSpace", Action::DeleteSpace, restore),
    ]
}

fn delete(cx: &Context<'_>, space: &Authorized<Space>, _: &Call) -> Result<Reply> {
    Ok(Reply::empty(if spaces::delete(cx, space)? { 205 } else { 204 }))
}

fn restore(cx: &Context<'_>, space: &Authorized<Space>, _: &Call) -> Result<Reply> {
    let seen = VisibleSpace { space: spaces::restore(cx, space)?, role: space.role() };
    let head = seen.space.head;
    Ok(Reply::json(200, &present::one_space(cx, seen)?)?.with_revision_etag(head))
}
