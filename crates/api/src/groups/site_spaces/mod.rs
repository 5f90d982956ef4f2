//! Group `site-spaces`.

mod add_space_to_site;
mod list_site_spaces;

use bindery_app::access::{Caller, space_access};
use bindery_app::spaces::Seen;
use bindery_app::{Cx, spaces};
use bindery_model::Result;
use bindery_store::site_spaces::SiteSpace;
use bindery_store::sites::Site;
use bindery_wire::response;

use crate::operation::Operation;
use crate::present;

pub(super) fn operations() -> Vec<Operation> {
    vec![add_space_to_site::operation(), list_site_spaces::operation()]
}

/// A place with its space, if the caller sees the space.
fn shown(cx: &Cx<'_>, site: &Site, place: SiteSpace) -> Result<Option<response::SiteSpace>> {
    let Caller::Person(person) = cx.caller else {
        return Ok(None);
    };
    let Some(space) = bindery_store::spaces::get(cx.tx, place.space)? else {
        return Ok(None);
    };
    let Some(role) = space_access(cx.tx, person, &space)?.role() else {
        return Ok(None);
    };
    let views = spaces::views(cx, vec![Seen { space, role }])?;
    let Some(view) = views.into_iter().next() else { return Ok(None) };
    Ok(Some(present::site_space(cx.app, site, place, present::space(cx.app, view)?)))
}
