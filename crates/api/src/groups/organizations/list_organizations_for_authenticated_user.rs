//! `listOrganizationsForAuthenticatedUser`: lists the organizations of the caller.

use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::{Context, people::organizations};
use bindery_model::Result;

use super::organization_response;
use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("listOrganizationsForAuthenticatedUser", Action::ActAsSelf, run)
}

fn run(cx: &Context<'_>, _: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (rows, count) = organizations::list(cx, page.after_time(), page.rows())?;
    let list = page.list(
        rows,
        count,
        |row| time_position(row.created_at, row.id),
        |row| organization_response(cx, row),
    )?;
    Reply::json(200, &list)
}
