//! `listSiteShareLinks`: lists the share links of a site with their keys.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::audience::share_links;
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::Result;

use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("listSiteShareLinks", Action::ManageSite, run)
}

fn run(cx: &Context<'_>, site: &Authorized<SiteTarget>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (links, count) = share_links::list(cx, site, page.after_time(), page.rows())?;
    let list = page.list(
        links,
        count,
        |view| time_position(view.link.created_at, view.link.id),
        |view| Ok(present::share_link(view)),
    )?;
    Ok(Reply::json(200, &list)?.without_caching())
}
