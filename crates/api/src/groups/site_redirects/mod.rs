//! Group `site-redirects`.

mod bulk_upsert_site_redirects;

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::published::ReadableSite;
use bindery_app::publishing::redirects::{self, NewDestination};
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::Result;
use bindery_wire::request::{
    CreateSiteRedirectBody, SiteRedirectDestination, SiteRedirectDestinationPage,
    SiteRedirectDestinationSiteSection, SiteRedirectDestinationSiteSpace,
    UpdateSiteRedirectByIdBody,
};
use bindery_wire::response::GetSiteRedirectBySourceResponse;

use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("createSiteRedirect", Action::ManageSite, create_site_redirect),
        read("listSiteRedirects", Action::ReadSite, list_site_redirects),
        write("updateSiteRedirectById", Action::ManageSite, update_site_redirect_by_id),
        write("deleteSiteRedirectById", Action::ManageSite, delete_site_redirect_by_id),
        read("getSiteRedirectBySource", Action::ReadSite, get_site_redirect_by_source),
        bulk_upsert_site_redirects::operation(),
    ]
}

/// `createSiteRedirect`: creates a redirect of a site.
fn create_site_redirect(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let CreateSiteRedirectBody { source, destination } = call.body()?;
    let redirect = redirects::create(cx, site, &source, &named(destination))?;
    let location = cx.app.urls.api(format_args!(
        "/orgs/{}/sites/{}/redirects/{}",
        site.0.organization, site.0.id, redirect.id
    ));
    Ok(Reply::json(201, &present::site_redirect(redirect)?)?.with_location(location))
}

/// `listSiteRedirects`: lists the redirects of a site.
fn list_site_redirects(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let search = call.query.text("search").unwrap_or_default();
    let (found, count) = redirects::list(cx, site, search, page.after_time(), page.rows())?;
    let list = page.list(
        found,
        count,
        |redirect| time_position(redirect.created_at, redirect.id),
        present::site_redirect,
    )?;
    Reply::json(200, &list)
}

/// `updateSiteRedirectById`: changes a redirect of a site.
fn update_site_redirect_by_id(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let UpdateSiteRedirectByIdBody { source, destination } = call.body()?;
    let destination = destination.map(named);
    let id = call.path("siteRedirectId");
    let redirect = redirects::update(cx, site, id, source.as_deref(), destination.as_ref())?;
    Reply::json(200, &present::site_redirect(redirect)?)
}

/// `deleteSiteRedirectById`: deletes a redirect of a site.
fn delete_site_redirect_by_id(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let deleted = redirects::delete(cx, site, call.path("siteRedirectId"))?;
    Ok(Reply::empty(if deleted { 205 } else { 204 }))
}

/// `getSiteRedirectBySource`: returns the redirect that applies to a path, and its target.
fn get_site_redirect_by_source(
    cx: &Context<'_>,
    site: &Authorized<ReadableSite>,
    call: &Call,
) -> Result<Reply> {
    let source = call.query.text("source").unwrap_or_default();
    let (redirect, target) = redirects::get_by_source(cx, site, source)?;
    let redirect = present::site_redirect(redirect)?;
    Reply::json(200, &GetSiteRedirectBySourceResponse { redirect, target })
}

/// Converts a destination in a request.
fn named(destination: SiteRedirectDestination) -> NewDestination {
    match destination {
        SiteRedirectDestination::SiteSection(SiteRedirectDestinationSiteSection {
            site_section_id,
        }) => NewDestination::Section(site_section_id),
        SiteRedirectDestination::SiteSpace(SiteRedirectDestinationSiteSpace { site_space_id }) => {
            NewDestination::SiteSpace(site_space_id)
        }
        SiteRedirectDestination::Page(SiteRedirectDestinationPage { site_space_id, page_id }) => {
            NewDestination::Page(site_space_id, page_id)
        }
    }
}
