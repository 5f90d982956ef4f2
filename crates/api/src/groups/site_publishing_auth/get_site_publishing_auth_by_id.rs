//! `getSitePublishingAuthById`: returns how visitors sign in to a site, with its key.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::audience::publishing_auth;
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::Result;

use crate::call::Call;
use crate::operation::{Operation, read};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("getSitePublishingAuthById", Action::ManageSiteKeys, run)
}

fn run(cx: &Context<'_>, site: &Authorized<SiteTarget>, _: &Call) -> Result<Reply> {
    let view = publishing_auth::get(cx, site)?;
    Ok(Reply::json(200, &present::publishing_auth(view))?.without_caching())
}
