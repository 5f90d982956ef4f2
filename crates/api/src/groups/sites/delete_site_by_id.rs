//! `deleteSiteById`: deletes a site.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::sites::{self, SiteTarget};
use bindery_model::Result;

use crate::call::Call;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("deleteSiteById", Action::DeleteSite, run)
}

fn run(cx: &Context<'_>, site: &Authorized<SiteTarget>, _: &Call) -> Result<Reply> {
    sites::delete(cx, site)?;
    Ok(Reply::empty(205))
}
