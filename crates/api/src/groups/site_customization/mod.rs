//! Group `site-customization`.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::customization;
use bindery_app::publishing::published::ReadableSite;
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::{Error, Result, SiteSpaceId};
use serde_json::Value;

use super::site_structure::view;
use crate::call::Call;
use crate::operation::{Operation, read, write};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("getSiteCustomizationById", Action::ReadSite, get_site_customization),
        write("updateSiteCustomizationById", Action::ManageSite, update_site_customization),
        read("getSiteSpaceCustomizationById", Action::ReadSite, get_site_space_customization),
        write("overrideSiteSpaceCustomizationById", Action::ManageSite, override_site_space),
        write("deleteSiteSpaceCustomizationById", Action::ManageSite, delete_override),
    ]
}

/// `getSiteCustomizationById`: returns the customization of a site.
fn get_site_customization(
    cx: &Context<'_>,
    site: &Authorized<ReadableSite>,
    _: &Call,
) -> Result<Reply> {
    Reply::json(200, &customization::get(cx, site)?)
}

/// `updateSiteCustomizationById`: replaces the customization of a site.
fn update_site_customization(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let given: Value = call.body()?;
    Reply::json(200, &customization::update(cx, site, &given)?)
}

/// `getSiteSpaceCustomizationById`: returns the customization of a site space.
fn get_site_space_customization(
    cx: &Context<'_>,
    site: &Authorized<ReadableSite>,
    call: &Call,
) -> Result<Reply> {
    let id = call.path("siteSpaceId");
    // A site space is shown to the callers who see its space.
    let key = SiteSpaceId::parse(id);
    let is_visible = match key {
        Some(key) => view(cx, &site.0)?.site_space(key).is_some(),
        None => false,
    };
    if !is_visible {
        return Err(Error::not_found("site space"));
    }
    Reply::json(200, &customization::get_of_site_space(cx, site, id)?)
}

/// `overrideSiteSpaceCustomizationById`: changes what a site space overrides.
fn override_site_space(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let (id, change): (&str, Value) = (call.path("siteSpaceId"), call.body()?);
    Reply::json(200, &customization::override_site_space(cx, site, id, &change)?)
}

/// `deleteSiteSpaceCustomizationById`: deletes what a site space overrides.
fn delete_override(cx: &Context<'_>, site: &Authorized<SiteTarget>, call: &Call) -> Result<Reply> {
    let deleted = customization::delete_override(cx, site, call.path("siteSpaceId"))?;
    Ok(Reply::empty(if deleted { 205 } else { 204 }))
}
