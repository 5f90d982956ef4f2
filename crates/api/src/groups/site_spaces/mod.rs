//! Group `site-spaces`.

mod add_space_to_site;
mod list_site_spaces;

use bindery_app::access::{Caller, Loaded, Target};
use bindery_app::content::spaces::VisibleSpace;
use bindery_app::publishing::published::ReadableSpace;
use bindery_app::publishing::sites::{Site, SiteSpace};
use bindery_app::{Context, content::spaces};
use bindery_model::Result;
use bindery_wire::response;

use crate::operation::Operation;
use crate::present;

pub(super) fn operations() -> Vec<Operation> {
    vec![add_space_to_site::operation(), list_site_spaces::operation()]
}

/// Presents a site space with its space; `None` if the caller does not see the space.
fn site_space_response(
    cx: &Context<'_>,
    site: &Site,
    site_space: SiteSpace,
) -> Result<Option<response::SiteSpace>> {
    let Caller::Person(person) = cx.caller else {
        return Ok(None);
    };
    let target = ReadableSpace::load(cx.tx, Some(person), &site_space.space)?;
    let Some(Loaded { target: ReadableSpace { space, visitor }, role: Some(role) }) = target else {
        return Ok(None);
    };
    if visitor {
        let space = present::space_for_visitor(cx, space)?;
        return Ok(Some(present::site_space(cx.app, site, site_space, space)));
    }
    let views = spaces::views(cx, vec![VisibleSpace { space, role }])?;
    let Some(view) = views.into_iter().next() else { return Ok(None) };
    Ok(Some(present::site_space(cx.app, site, site_space, present::space(cx.app, view)?)))
}
