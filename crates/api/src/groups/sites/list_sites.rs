//! `listSites`: lists the sites of an organization.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::people::organizations::Organization;
use bindery_app::publishing::sites::{self, SiteFilter};
use bindery_model::{Result, SiteType, SpaceId};
use bindery_wire::List;

use super::site_response;
use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("listSites", Action::ViewOrganization, run)
}

fn run(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let query = call.query();
    let space = query.text("space").map(SpaceId::parse);
    if space == Some(None) {
        return Reply::json(200, &List::<()> { next: None, count: Some(0), items: Vec::new() });
    }
    let filter = SiteFilter {
        space: space.flatten(),
        title: query.text("title").map(str::to_owned),
        published: query.flag("published"),
        types: query.texts("type").filter_map(SiteType::parse).collect(),
        granted_to: None,
    };
    let (rows, count) = sites::list(cx, organization, &filter, page.after_time(), page.rows())?;
    let list = page.list(
        rows,
        count,
        |site| time_position(site.created_at, site.id),
        |site| site_response(cx, site),
    )?;
    Reply::json(200, &list)
}
