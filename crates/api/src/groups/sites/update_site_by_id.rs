//! `updateSiteById`: changes the settings of a site.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::sites::{self, SitePatch, SiteTarget};
use bindery_model::Result;
use bindery_wire::request::UpdateSiteByIdBody;

use super::site_response;
use crate::call::Call;
use crate::closed_sets::{site_agents_context_of, site_visibility_of};
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("updateSiteById", Action::ManageSite, run)
}

fn run(cx: &Context<'_>, site: &Authorized<SiteTarget>, call: &Call) -> Result<Reply> {
    let UpdateSiteByIdBody {
        title,
        visibility,
        basename,
        adaptive_content,
        agents_context,
        default_site_space,
        default_site_section,
        proxy,
        hostname,
    } = call.body()?;
    let patch = SitePatch {
        title,
        visibility: visibility.map(site_visibility_of),
        basename,
        adaptive: adaptive_content.map(|content| content.enabled),
        agents_context: agents_context.map(site_agents_context_of),
        default_section: default_site_section,
        default_site_space,
        proxy: proxy.change(),
        hostname: hostname.change(),
    };
    let site = sites::update(cx, site, patch)?;
    Reply::json(200, &site_response(cx, site)?)
}
