//! Group `site-spaces`.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::published::ReadableSite;
use bindery_app::publishing::sites::{SiteSpace, SiteTarget};
use bindery_app::publishing::structure::{self, Item, Neighbours, SiteSpacePatch};
use bindery_model::{Error, Result, SiteSpaceId};
use bindery_wire::request::{
    AddSpaceToSiteBody, DuplicateSiteSpaceBody, MoveSiteSpaceBody, SiteSpacePointer,
    UpdateSiteSpaceByIdBody,
};

use super::site_structure::view;
use crate::call::Call;
use crate::languages::language_change;
use crate::lists::Page;
use crate::operation::{Operation, read, write};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("addSpaceToSite", Action::ManageSite, add_space_to_site),
        read("listSiteSpaces", Action::ReadSite, list_site_spaces),
        write("updateSiteSpaceById", Action::ManageSite, update_site_space_by_id),
        write("deleteSiteSpaceById", Action::ManageSite, delete_site_space_by_id),
        write("moveSiteSpace", Action::ManageSite, move_site_space),
        write("duplicateSiteSpace", Action::ManageSite, duplicate_site_space),
    ]
}

/// `addSpaceToSite`: adds a space to a site.
fn add_space_to_site(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let AddSpaceToSiteBody { space_id, section_id } = call.body()?;
    let site_space = structure::add_space(cx, site, &space_id, section_id.as_deref())?;
    created(cx, site, &site_space)
}

/// `listSiteSpaces`: lists the spaces of a site in order.
fn list_site_spaces(
    cx: &Context<'_>,
    site: &Authorized<ReadableSite>,
    call: &Call,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let default = call.query().flag("default");
    let view = view(cx, &site.0)?;
    let site_spaces = view.site_spaces().into_iter().map(|(_, site_space)| site_space);
    let matching = site_spaces.filter(|one| default.is_none() || one.default == default).collect();
    Reply::json(200, &page.window(matching, |site_space| site_space.id.clone()))
}

/// `updateSiteSpaceById`: changes the path, condition, space or language of a site space.
fn update_site_space_by_id(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let UpdateSiteSpaceByIdBody { path, condition, space_id, language_tag } = call.body()?;
    let patch = SiteSpacePatch {
        path,
        condition: condition.change(),
        space: space_id,
        language: language_change(None, language_tag)?,
    };
    let id = call.path("siteSpaceId");
    let site_space = structure::update_site_space(cx, site, id, patch)?;
    reply(cx, site, 200, &site_space)
}

/// `deleteSiteSpaceById`: removes a space from a site.
fn delete_site_space_by_id(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let deleted = structure::delete_site_space(cx, site, call.path("siteSpaceId"))?;
    Ok(Reply::empty(if deleted { 205 } else { 204 }))
}

/// `moveSiteSpace`: moves a site space before or after another one.
fn move_site_space(cx: &Context<'_>, site: &Authorized<SiteTarget>, call: &Call) -> Result<Reply> {
    let MoveSiteSpaceBody { position } = call.body()?;
    let item = site_space_item(call.path("siteSpaceId"))?;
    let neighbour = |pointer: Option<SiteSpacePointer>| {
        pointer.map(|pointer| site_space_item(&pointer.site_space)).transpose()
    };
    let neighbours = match position {
        Some(position) => {
            Neighbours { before: neighbour(position.before)?, after: neighbour(position.after)? }
        }
        None => Neighbours::default(),
    };
    structure::sort(cx, site, item, neighbours)?;
    let item = view(cx, &site.0)?.item(item);
    Reply::json(200, &item.ok_or_else(|| Error::not_found("site space"))?)
}

/// `duplicateSiteSpace`: adds a copy of a site space to the site.
fn duplicate_site_space(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let DuplicateSiteSpaceBody { draft } = call.body()?;
    let (id, draft) = (call.path("siteSpaceId"), draft.unwrap_or(false));
    let site_space = structure::duplicate_site_space(cx, site, id, draft)?;
    created(cx, site, &site_space)
}

fn site_space_item(id: &str) -> Result<Item> {
    let id = SiteSpaceId::parse(id).ok_or_else(|| Error::not_found("site space"))?;
    Ok(Item::SiteSpace(id))
}

fn created(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    site_space: &SiteSpace,
) -> Result<Reply> {
    let location = cx.app.urls.api(format_args!(
        "/orgs/{}/sites/{}/site-spaces/{}",
        site.0.organization, site.0.id, site_space.id
    ));
    Ok(reply(cx, site, 201, site_space)?.with_location(location))
}

fn reply(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    status: u16,
    site_space: &SiteSpace,
) -> Result<Reply> {
    let site_space = view(cx, &site.0)?.site_space(site_space.id);
    Reply::json(status, &site_space.ok_or_else(|| Error::not_found("site space"))?)
}
