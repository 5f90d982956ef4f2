//! Group `site-structure`.

use std::collections::HashMap;

use bindery_app::Context;
use bindery_app::access::{Action, Authorized, Loaded, load_target};
use bindery_app::content::spaces::{self, VisibleSpace};
use bindery_app::publishing::published::{ReadableSite, ReadableSpace};
use bindery_app::publishing::sites::{Site, SiteSpace};
use bindery_app::publishing::structure::SiteStructure;
use bindery_model::Result;
use bindery_wire::response;

use crate::call::Call;
use crate::operation::{Operation, read};
use crate::present::{self, StructureView};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![read("getSiteStructure", Action::ReadSite, get_site_structure)]
}

/// `getSiteStructure`: returns the sections or spaces of a site in order.
fn get_site_structure(
    cx: &Context<'_>,
    site: &Authorized<ReadableSite>,
    _: &Call,
) -> Result<Reply> {
    Reply::json(200, &view(cx, &site.0)?.structure())
}

/// Returns the structure of a site as the caller sees it.
pub(super) fn view<'a>(cx: &Context<'a>, site: &'a Site) -> Result<StructureView<'a>> {
    let structure = SiteStructure::load(cx.tx, site.id)?;
    let mut shown = HashMap::new();
    for site_space in &structure.site_spaces {
        if let Some(space) = visible_space(cx, site_space)? {
            shown.insert(site_space.id, space);
        }
    }
    Ok(StructureView::new(cx.app, site, structure, shown))
}

/// Presents the space of a site space; `None` if the caller does not see it.
fn visible_space(cx: &Context<'_>, site_space: &SiteSpace) -> Result<Option<response::Space>> {
    let target = load_target::<ReadableSpace>(cx.tx, cx.caller, &site_space.space)?;
    let Some(Loaded { target: readable, role: Some(role) }) = target else {
        return Ok(None);
    };
    let ReadableSpace { space, visitor, previewed: _ } = readable;
    if space.deleted_at.is_some() {
        return Ok(None);
    }
    if visitor {
        return Ok(Some(present::space_for_visitor(cx, space)?));
    }
    let views = spaces::views(cx, vec![VisibleSpace { space, role }])?;
    let Some(view) = views.into_iter().next() else { return Ok(None) };
    Ok(Some(present::space(cx.app, view)?))
}
