//! `listSiteSpaces`: lists the spaces of a site in order.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::published::{self, ReadableSite};
use bindery_model::Result;

use super::site_space_response;
use crate::call::Call;
use crate::lists::Page;
use crate::operation::{Operation, read};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("listSiteSpaces", Action::ReadSite, run)
}

fn run(cx: &Context<'_>, site: &Authorized<ReadableSite>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let default = call.query().flag("default");
    let mut visible = Vec::new();
    for site_space in published::list_site_spaces(cx, site)? {
        if default.is_none_or(|default| site_space.is_default == default) {
            let at = (site_space.position, site_space.id.to_string());
            if let Some(site_space_response) = site_space_response(cx, &site.0, site_space)? {
                visible.push((at, site_space_response));
            }
        }
    }
    let count = i64::try_from(visible.len()).unwrap_or(i64::MAX);
    let position = |at: &(i64, String)| format!("{:020} {}", at.0, at.1);
    let rows: Vec<_> = visible
        .into_iter()
        .filter(|(at, _)| page.after().is_none_or(|after| position(at).as_str() > after))
        .take(usize::try_from(page.rows()).unwrap_or(usize::MAX))
        .collect();
    let list = page.list(
        rows,
        count,
        |(at, _)| position(at),
        |(_, site_space_response)| Ok(site_space_response),
    )?;
    Reply::json(200, &list)
}
