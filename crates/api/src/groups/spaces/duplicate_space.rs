//! `duplicateSpace`: copies a space.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::spaces::{self, Space, VisibleSpace};
use bindery_model::Result;

use crate::call::Call;
use crate::operation::{Operation, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("duplicateSpace", Action::DuplicateSpace, run)
}

fn run(cx: &Context<'_>, space: &Authorized<Space>, _: &Call) -> Result<Reply> {
    let copy = spaces::duplicate(cx, space)?;
    let location = cx.app.urls.api(format_args!("/spaces/{}", copy.id));
    let seen = VisibleSpace { space: copy, role: space.role() };
    Ok(Reply::json(201, &present::one_space(cx, seen)?)?.with_location(location))
}
