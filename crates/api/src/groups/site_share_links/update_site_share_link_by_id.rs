//! `updateSiteShareLinkById`: renames, revokes or activates a share link.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::audience::share_links::{self, ShareLinkTarget};
use bindery_model::Result;
use bindery_wire::request::UpdateSiteShareLinkByIdBody;

use super::HINT;
use crate::call::Call;
use crate::operation::{Operation, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("updateSiteShareLinkById", Action::ManageSite, run)
}

fn run(cx: &Context<'_>, link: &Authorized<ShareLinkTarget>, call: &Call) -> Result<Reply> {
    let UpdateSiteShareLinkByIdBody { active, name } = call.body()?;
    let view = share_links::update(cx, link, name.as_deref(), active)?;
    Ok(Reply::json(200, &present::share_link(view))?.with_secret(HINT.to_owned()))
}
