//! Group `sites`.

mod adaptive_schema;
mod create_site;
mod delete_site_by_id;
mod get_published_content_site;
mod get_site_by_id;
mod list_sites;
mod publish_site;
mod sort_site_structure;
mod update_site_by_id;

use bindery_app::Context;
use bindery_app::publishing::ads;
use bindery_app::publishing::sites::{self, Site};
use bindery_model::Result;
use bindery_wire::response;

use crate::operation::Operation;
use crate::present;

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = vec![
        create_site::operation(),
        get_published_content_site::operation(),
        get_site_by_id::operation(),
        list_sites::operation(),
        update_site_by_id::operation(),
        delete_site_by_id::operation(),
        sort_site_structure::operation(),
    ];
    operations.extend(publish_site::operations());
    operations.extend(adaptive_schema::operations());
    operations
}

fn site_response(cx: &Context<'_>, site: Site) -> Result<response::Site> {
    let spaces = sites::count_spaces(cx, &site)?;
    let ads = ads::get(cx, &site)?;
    Ok(present::site(cx.app, site, spaces, ads))
}
