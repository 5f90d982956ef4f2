//! `publishSite`, `unpublishSite`: make a site available to readers, or not.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::sites::{self, SiteTarget};
use bindery_model::Result;

use super::site_response;
use crate::call::Call;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("publishSite", Action::ManageSite, |cx, site, call| run(cx, site, call, true)),
        write("unpublishSite", Action::ManageSite, |cx, site, call| run(cx, site, call, false)),
    ]
}

fn run(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    _: &Call,
    published: bool,
) -> Result<Reply> {
    let site = sites::set_published(cx, site, published)?;
    Reply::json(200, &site_response(cx, site)?)
}
