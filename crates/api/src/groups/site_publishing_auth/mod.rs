//! Group `site-publishing-auth`.

mod get_site_publishing_auth_by_id;
mod regenerate_site_publishing_auth_by_id;
mod update_site_publishing_auth_by_id;

use crate::operation::Operation;

/// Tells a caller who repeats a request where to find the key of the site.
const HINT: &str = "getSitePublishingAuthById shows the key";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get_site_publishing_auth_by_id::operation(),
        regenerate_site_publishing_auth_by_id::operation(),
        update_site_publishing_auth_by_id::operation(),
    ]
}
