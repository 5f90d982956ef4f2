//! `updateSitePublishingAuthById`: changes how visitors sign in to a site.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::audience::publishing_auth;
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::Result;
use bindery_wire::request::SitePublishingAuthUpdate;

use super::HINT;
use crate::call::Call;
use crate::closed_sets::visitor_auth_backend_of;
use crate::operation::{Operation, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("updateSitePublishingAuthById", Action::ManageSiteKeys, run)
}

fn run(cx: &Context<'_>, site: &Authorized<SiteTarget>, call: &Call) -> Result<Reply> {
    let SitePublishingAuthUpdate { backend, fallback_url } = call.body()?;
    let fallback_url = fallback_url.change();
    let fallback_url = fallback_url.as_ref().map(Option::as_deref);
    let backend = visitor_auth_backend_of(backend);
    let view = publishing_auth::update(cx, site, backend, fallback_url)?;
    Ok(Reply::json(200, &present::publishing_auth(view))?.with_secret(HINT.to_owned()))
}
