//! `listSiteSpaces`: lists the spaces of a site in order.

use bindery_app::Cx;
use bindery_app::access::{Action, Authorized};
use bindery_app::published::ReadableSite;
use bindery_model::Result;
use bindery_store::site_spaces;

use super::shown;
use crate::call::Call;
use crate::lists::Page;
use crate::operation::{Operation, read};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("listSiteSpaces", Action::ReadSite, run)
}

fn run(cx: &Cx<'_>, site: &Authorized<ReadableSite>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let default = call.query().flag("default");
    let mut visible = Vec::new();
    for place in site_spaces::list(cx.tx, site.0.id)? {
        if default.is_none_or(|default| place.is_default == default) {
            let at = (place.position, place.id.to_string());
            if let Some(shown) = shown(cx, &site.0, place)? {
                visible.push((at, shown));
            }
        }
    }
    let count = i64::try_from(visible.len()).unwrap_or(i64::MAX);
    let place = |at: &(i64, String)| format!("{:020} {}", at.0, at.1);
    let rows: Vec<_> = visible
        .into_iter()
        .filter(|(at, _)| page.after().is_none_or(|after| place(at).as_str() > after))
        .take(usize::try_from(page.rows()).unwrap_or(usize::MAX))
        .collect();
    let list = page.list(rows, count, |(at, _)| place(at), |(_, shown)| Ok(shown))?;
    Reply::json(200, &list)
}
