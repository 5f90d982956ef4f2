//! `getSiteById`: returns a site.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::published::ReadableSite;
use bindery_model::Result;

use super::site_response;
use crate::call::Call;
use crate::operation::{Operation, read};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("getSiteById", Action::ReadSite, run)
}

fn run(cx: &Context<'_>, site: &Authorized<ReadableSite>, _: &Call) -> Result<Reply> {
    Reply::json(200, &site_response(cx, site.0.clone())?)
}
