//! Group `site-sections`.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::published::ReadableSite;
use bindery_app::publishing::sites::SiteTarget;
use bindery_app::publishing::structure::{
    self, Item, Neighbours, NewSection, SectionPatch, SiteSection,
};
use bindery_model::{Error, Result, SiteSectionId};
use bindery_wire::request::{
    AddSectionToSiteBody, MoveSiteSectionBody, SiteSectionPointer, UpdateSiteSectionByIdBody,
};

use super::site_structure::view;
use crate::call::Call;
use crate::lists::Page;
use crate::operation::{Operation, read, write};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("addSectionToSite", Action::ManageSite, add_section_to_site),
        read("listSiteSections", Action::ReadSite, list_site_sections),
        write("updateSiteSectionById", Action::ManageSite, update_site_section_by_id),
        write("deleteSiteSectionById", Action::ManageSite, delete_site_section_by_id),
        write("moveSiteSection", Action::ManageSite, move_site_section),
    ]
}

/// `addSectionToSite`: adds a section to a site.
fn add_section_to_site(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let AddSectionToSiteBody { space_id, title, icon } = call.body()?;
    let new = NewSection {
        space: space_id,
        title: title.change().flatten(),
        icon: icon.change().flatten(),
    };
    let section = structure::add_section(cx, site, new)?;
    let location = cx.app.urls.api(format_args!(
        "/orgs/{}/sites/{}/sections/{}",
        site.0.organization, site.0.id, section.id
    ));
    Ok(reply(cx, site, 201, &section)?.with_location(location))
}

/// `listSiteSections`: lists the sections of a site in order.
fn list_site_sections(
    cx: &Context<'_>,
    site: &Authorized<ReadableSite>,
    call: &Call,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let sections = view(cx, &site.0)?.sections();
    Reply::json(200, &page.window(sections, |section| section.id.clone()))
}

/// `updateSiteSectionById`: changes a section of a site.
fn update_site_section_by_id(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let UpdateSiteSectionByIdBody { title, path, default_site_space, condition, icon, description } =
        call.body()?;
    let patch = SectionPatch {
        title,
        path,
        default_site_space,
        condition: condition.change(),
        icon: icon.change(),
        description: description.change(),
    };
    let section = structure::update_section(cx, site, call.path("siteSectionId"), patch)?;
    reply(cx, site, 200, &section)
}

/// `deleteSiteSectionById`: removes a section and its spaces from a site.
fn delete_site_section_by_id(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let deleted = structure::delete_section(cx, site, call.path("siteSectionId"))?;
    Ok(Reply::empty(if deleted { 205 } else { 204 }))
}

/// `moveSiteSection`: moves a section before or after another one.
fn move_site_section(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let MoveSiteSectionBody { position } = call.body()?;
    let item = section_item(call.path("siteSectionId"))?;
    let neighbour = |pointer: Option<SiteSectionPointer>| {
        pointer.map(|pointer| section_item(&pointer.site_section)).transpose()
    };
    let neighbours = match position {
        Some(position) => {
            Neighbours { before: neighbour(position.before)?, after: neighbour(position.after)? }
        }
        None => Neighbours::default(),
    };
    structure::sort(cx, site, item, neighbours)?;
    let item = view(cx, &site.0)?.item(item).ok_or_else(|| Error::not_found("section"))?;
    Reply::json(200, &item)
}

fn section_item(id: &str) -> Result<Item> {
    let id = SiteSectionId::parse(id).ok_or_else(|| Error::not_found("section"))?;
    Ok(Item::Section(id))
}

fn reply(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    status: u16,
    section: &SiteSection,
) -> Result<Reply> {
    let section = view(cx, &site.0)?.section(section.id);
    Reply::json(status, &section.ok_or_else(|| Error::not_found("section"))?)
}
