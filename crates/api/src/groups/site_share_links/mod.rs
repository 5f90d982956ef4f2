//! Group `site-share-links`.

mod create_site_share_link;
mod delete_site_share_link_by_id;
mod list_site_share_links;
mod update_site_share_link_by_id;

use crate::operation::Operation;

/// Tells a caller who repeats a request where to find the key of the link.
const HINT: &str = "listSiteShareLinks shows the link";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        create_site_share_link::operation(),
        delete_site_share_link_by_id::operation(),
        list_site_share_links::operation(),
        update_site_share_link_by_id::operation(),
    ]
}
