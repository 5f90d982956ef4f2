//! `listSpacesInOrganizationById`: lists the spaces of an organization that the caller sees.

use bindery_app::access::{Action, Authorized};
use bindery_app::people::organizations::Organization;
use bindery_app::{Context, content::spaces};
use bindery_model::Result;

use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("listSpacesInOrganizationById", Action::ViewOrganization, run)
}

fn run(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (listed, count) = spaces::list(cx, organization.id, page.after_time(), page.rows())?;
    let list = page.list_of(
        listed,
        count,
        |listed| time_position(listed.outline.space.created_at, listed.outline.space.id),
        |listed| present::listed_spaces(cx, listed),
    )?;
    Reply::json(200, &list)
}
