//! Group `site-section-groups`.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::published::ReadableSite;
use bindery_app::publishing::sites::SiteTarget;
use bindery_app::publishing::structure::{
    self, GroupPatch, Item, Neighbours, NewGroup, SiteSectionGroup,
};
use bindery_model::{Error, Result, SiteSectionGroupId, SiteSectionId};
use bindery_wire::request::{
    AddSectionGroupToSiteBody, AddSectionToGroupBody, MoveSiteSectionGroupBody,
    SiteSectionGroupPointer, UpdateSiteSectionGroupByIdBody,
};
use bindery_wire::values::SiteSectionGroupPointerType;

use super::site_structure::view;
use crate::call::Call;
use crate::lists::Page;
use crate::operation::{Operation, read, write};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listSiteSectionGroups", Action::ReadSite, list_site_section_groups),
        write("addSectionGroupToSite", Action::ManageSite, add_section_group_to_site),
        write("updateSiteSectionGroupById", Action::ManageSite, update_site_section_group_by_id),
        write("deleteSiteSectionGroupById", Action::ManageSite, delete_site_section_group_by_id),
        write("addSectionToGroup", Action::ManageSite, add_section_to_group),
        write("removeSectionFromGroup", Action::ManageSite, remove_section_from_group),
        write("moveSiteSectionGroup", Action::ManageSite, move_site_section_group),
    ]
}

/// `listSiteSectionGroups`: lists the section groups of a site in order.
fn list_site_section_groups(
    cx: &Context<'_>,
    site: &Authorized<ReadableSite>,
    call: &Call,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let groups = view(cx, &site.0)?.groups();
    Reply::json(200, &page.window(groups, |group| group.id.clone()))
}

/// `addSectionGroupToSite`: adds a section group to a site.
fn add_section_group_to_site(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let AddSectionGroupToSiteBody { title, icon, sections, parent } = call.body()?;
    let icon = icon.change().flatten();
    let new = NewGroup { title, icon, sections: sections.unwrap_or_default(), parent };
    let group = structure::add_group(cx, site, new)?;
    let location = cx.app.urls.api(format_args!(
        "/orgs/{}/sites/{}/section-groups/{}",
        site.0.organization, site.0.id, group.id
    ));
    Ok(reply(cx, site, 201, &group)?.with_location(location))
}

/// `updateSiteSectionGroupById`: changes a section group.
fn update_site_section_group_by_id(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let UpdateSiteSectionGroupByIdBody { title, icon } = call.body()?;
    let patch = GroupPatch { title, icon: icon.change() };
    let group = structure::update_group(cx, site, call.path("siteSectionGroupId"), patch)?;
    reply(cx, site, 200, &group)
}

/// `deleteSiteSectionGroupById`: deletes a section group and keeps its sections.
fn delete_site_section_group_by_id(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let deleted = structure::delete_group(cx, site, call.path("siteSectionGroupId"))?;
    Ok(Reply::empty(if deleted { 205 } else { 204 }))
}

/// `addSectionToGroup`: moves a section into a group.
fn add_section_to_group(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let AddSectionToGroupBody { section_id } = call.body()?;
    let id = call.path("siteSectionGroupId");
    let group = structure::add_section_to_group(cx, site, id, &section_id)?;
    let location = cx.app.urls.api(format_args!(
        "/orgs/{}/sites/{}/section-groups/{}",
        site.0.organization, site.0.id, group.id
    ));
    Ok(reply(cx, site, 201, &group)?.with_location(location))
}

/// `removeSectionFromGroup`: moves a section out of a group.
fn remove_section_from_group(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let (group, section) = (call.path("siteSectionGroupId"), call.path("siteSectionId"));
    let removed = structure::remove_section_from_group(cx, site, group, section)?;
    Ok(Reply::empty(if removed { 205 } else { 204 }))
}

/// `moveSiteSectionGroup`: moves a section group before or after another item.
fn move_site_section_group(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let MoveSiteSectionGroupBody { position } = call.body()?;
    let id = call.path("siteSectionGroupId");
    let id = SiteSectionGroupId::parse(id).ok_or_else(|| Error::not_found("section group"))?;
    let neighbours = match position {
        Some(position) => Neighbours {
            before: position.before.map(pointed).transpose()?,
            after: position.after.map(pointed).transpose()?,
        },
        None => Neighbours::default(),
    };
    structure::sort(cx, site, Item::Group(id), neighbours)?;
    let group = view(cx, &site.0)?.item(Item::Group(id));
    Reply::json(200, &group.ok_or_else(|| Error::not_found("section group"))?)
}

fn pointed(pointer: SiteSectionGroupPointer) -> Result<Item> {
    let SiteSectionGroupPointer { r#type, id } = pointer;
    let (item, noun) = match r#type {
        SiteSectionGroupPointerType::SiteSection => {
            (SiteSectionId::parse(&id).map(Item::Section), "section")
        }
        SiteSectionGroupPointerType::SiteSectionGroup => {
            (SiteSectionGroupId::parse(&id).map(Item::Group), "section group")
        }
    };
    item.ok_or_else(|| Error::not_found(noun))
}

fn reply(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    status: u16,
    group: &SiteSectionGroup,
) -> Result<Reply> {
    let group = view(cx, &site.0)?.group(group.id);
    Reply::json(status, &group.ok_or_else(|| Error::not_found("section group"))?)
}
