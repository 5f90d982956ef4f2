//! `addSpaceToSite`: adds a space to a site.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::sites::{self, SiteTarget};
use bindery_model::{Error, Result};
use bindery_wire::request::AddSpaceToSiteBody;

use super::site_space_response;
use crate::call::Call;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("addSpaceToSite", Action::ManageSite, run)
}

fn run(cx: &Context<'_>, site: &Authorized<SiteTarget>, call: &Call) -> Result<Reply> {
    let AddSpaceToSiteBody { space_id, section_id } = call.body()?;
    if section_id.is_some() {
        // Sections are not implemented yet, so no section id is valid.
        return Err(Error::not_found("section"));
    }
    let site_space = sites::add_space(cx, site, &space_id)?;
    let location = cx.app.urls.api(format_args!(
        "/orgs/{}/sites/{}/site-spaces/{}",
        site.0.organization, site.0.id, site_space.id
    ));
    let site_space_response =
        site_space_response(cx, &site.0, site_space)?.ok_or_else(|| Error::not_found("space"))?;
    Ok(Reply::json(201, &site_space_response)?.with_location(location))
}
