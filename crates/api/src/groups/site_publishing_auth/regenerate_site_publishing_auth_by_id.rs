//! `regenerateSitePublishingAuthById`: replaces the key that signs visitors in to a site.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::audience::publishing_auth;
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::Result;

use super::HINT;
use crate::call::Call;
use crate::operation::{Operation, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("regenerateSitePublishingAuthById", Action::ManageSiteKeys, run)
}

fn run(cx: &Context<'_>, site: &Authorized<SiteTarget>, _: &Call) -> Result<Reply> {
    let view = publishing_auth::regenerate(cx, site)?;
    Ok(Reply::json(200, &present::publishing_auth(view))?.with_secret(HINT.to_owned()))
}
