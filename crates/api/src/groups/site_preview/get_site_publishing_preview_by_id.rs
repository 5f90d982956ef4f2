//! `getSitePublishingPreviewById`: returns the address of a preview of a site.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::audience::preview;
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::Result;
use bindery_wire::response::GetSitePublishingPreviewByIdResponse;

use crate::call::Call;
use crate::operation::{Operation, read};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("getSitePublishingPreviewById", Action::ReadSite, run)
}

fn run(cx: &Context<'_>, site: &Authorized<SiteTarget>, call: &Call) -> Result<Reply> {
    let query = call.query();
    let url = preview::create(cx, site, query.text("siteSpace"), query.text("claims"))?;
    let response = GetSitePublishingPreviewByIdResponse { url };
    Ok(Reply::json(200, &response)?.without_caching())
}
