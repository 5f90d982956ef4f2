//! Group `site-structure`.

use std::collections::HashMap;

use bindery_app::Context;
use bindery_app::access::{Action, Authorized, Loaded, load_target};
use bindery_app::content::spaces::{self, VisibleSpace};
use bindery_app::publishing::published::{ReadableSite, ReadableSpace};
use bindery_app::publishing::sites::{Site, SiteSpace};
use bindery_app::publishing::structure::SiteStructure;
use bindery_model::{Result, Role};
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
    let Some((readable, role)) = readable_space(cx, site_space)? else { return Ok(None) };
    let ReadableSpace { space, visitor, previewed: _ } = readable;
    if visitor {
        return Ok(Some(present::space_for_visitor(cx, space)?));
    }
    let views = spaces::views(cx, vec![VisibleSpace { space, role }])?;
    let Some(view) = views.into_iter().next() else { return Ok(None) };
    Ok(Some(present::space(cx.app, view)?))
}

/// Returns the space of a site space with the caller's role; `None` if the caller does not see it.
pub(super) fn readable_space(
    cx: &Context<'_>,
    site_space: &SiteSpace,
) -> Result<Option<(ReadableSpace, Role)>> {
    let loaded = load_target::<ReadableSpace>(cx.tx, cx.caller, &site_space.space)?;
    let seen = loaded.and_then(|Loaded { target, role }| Some((target, role?)));
    Ok(seen.filter(|(readable, _)| readable.space.deleted_at.is_none()))
}
