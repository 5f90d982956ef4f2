//! `deleteSiteShareLinkById`: deletes a share link.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::audience::share_links::{self, ShareLinkTarget};
use bindery_model::Result;

use crate::call::Call;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("deleteSiteShareLinkById", Action::ManageSite, run)
}

fn run(cx: &Context<'_>, link: &Authorized<ShareLinkTarget>, _: &Call) -> Result<Reply> {
    share_links::delete(cx, link)?;
    Ok(Reply::empty(205))
}
