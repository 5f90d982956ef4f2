//! `createSiteShareLink`: creates a share link with a new key.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::audience::share_links;
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::Result;
use bindery_wire::request::CreateSiteShareLinkBody;

use super::HINT;
use crate::call::Call;
use crate::operation::{Operation, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("createSiteShareLink", Action::ManageSite, run)
}

fn run(cx: &Context<'_>, site: &Authorized<SiteTarget>, call: &Call) -> Result<Reply> {
    let CreateSiteShareLinkBody { name } = call.body()?;
    let view = share_links::create(cx, site, &name)?;
    let location = cx.app.urls.api(format_args!(
        "/orgs/{}/sites/{}/share-links/{}",
        site.0.organization, site.0.id, view.link.id
    ));
    let reply = Reply::json(201, &present::share_link(view))?;
    Ok(reply.with_location(location).with_secret(HINT.to_owned()))
}
