//! Group `site-external-links`.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::sites::SiteTarget;
use bindery_app::publishing::structure::{
    self, Item, LinkPatch, NewLink, SiteExternalLink, SiteStructure,
};
use bindery_model::Result;
use bindery_wire::request::{AddExternalLinkToSiteBody, UpdateSiteExternalLinkByIdBody};

use crate::call::Call;
use crate::lists::Page;
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listSiteExternalLinks", Action::ReadSite, list_external_links),
        write("addExternalLinkToSite", Action::ManageSite, add_external_link),
        write("updateSiteExternalLinkById", Action::ManageSite, update_external_link),
        write("deleteSiteExternalLinkById", Action::ManageSite, delete_external_link),
    ]
}

/// `listSiteExternalLinks`: lists the external links of a site in the order of its sections.
fn list_external_links(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let structure = SiteStructure::load(cx.tx, site.0.id)?;
    let link = |item| match item {
        Item::ExternalLink(id) => structure.external_link(id).cloned(),
        Item::SiteSpace(_) | Item::Section(_) | Item::Group(_) => None,
    };
    let links = structure.in_order().into_iter().filter_map(link);
    let links: Vec<_> = links.map(present::site_external_link).collect();
    Reply::json(200, &page.window(links, |link| link.id.clone()))
}

/// `addExternalLinkToSite`: adds a link to another website to the sections of a site.
fn add_external_link(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let AddExternalLinkToSiteBody {
        title,
        localized_title,
        description,
        localized_description,
        icon,
        url,
        parent,
        draft,
        condition,
    } = call.body()?;
    let other = LinkPatch {
        localized_title: localized_title.map(Some),
        description: description.change(),
        localized_description: localized_description.change(),
        icon: icon.change(),
        draft,
        condition: condition.change(),
        ..LinkPatch::default()
    };
    let link = structure::add_external_link(cx, site, NewLink { title, url, parent, other })?;
    let SiteExternalLink { id, site: of_site, .. } = &link;
    let location = cx
        .app
        .urls
        .api(format_args!("/orgs/{}/sites/{of_site}/external-links/{id}", site.0.organization));
    Ok(Reply::json(201, &present::site_external_link(link))?.with_location(location))
}

/// `updateSiteExternalLinkById`: changes an external link of a site.
fn update_external_link(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let UpdateSiteExternalLinkByIdBody {
        title,
        localized_title,
        description,
        localized_description,
        icon,
        url,
        parent,
        draft,
        condition,
    } = call.body()?;
    let patch = LinkPatch {
        title,
        localized_title: localized_title.change(),
        description: description.change(),
        localized_description: localized_description.change(),
        icon: icon.change(),
        url,
        parent: parent.change(),
        draft,
        condition: condition.change(),
    };
    let id = call.path("siteExternalLinkId");
    let link = structure::update_external_link(cx, site, id, patch)?;
    if call.prefers_minimal {
        return Ok(Reply::minimal());
    }
    Reply::json(200, &present::site_external_link(link))
}

/// `deleteSiteExternalLinkById`: deletes an external link of a site.
fn delete_external_link(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let id = call.path("siteExternalLinkId");
    let deleted = structure::delete_external_link(cx, site, id)?;
    Ok(Reply::empty(if deleted { 205 } else { 204 }))
}
