//! `getPublishedContentSite`: returns the profile of a published site.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::published::ReadableSite;
use bindery_model::Result;
use bindery_wire::response;
use serde::Serialize;
use serde_json::{Value, json};

use super::site_response;
use crate::call::Call;
use crate::groups::site_structure;
use crate::operation::{Operation, read_long};
use crate::present;
use crate::reply::Reply;

/// The profile of a published site.
#[derive(Serialize)]
#[serde(tag = "object", rename = "published-content-site")]
struct Profile {
    site: response::Site,
    structure: response::SiteStructure,
    customizations: Value,
    scripts: [Value; 0],
}

pub(super) fn operation() -> Operation {
    read_long("getPublishedContentSite", Action::ReadSite, run)
}

fn run(cx: &Context<'_>, site: &Authorized<ReadableSite>, _: &Call) -> Result<Reply> {
    let customization = present::default_customization(&site.0.title);
    let profile = Profile {
        structure: site_structure::view(cx, &site.0)?.structure(),
        customizations: json!({ "site": customization, "siteSpaces": {} }),
        site: site_response(cx, site.0.clone())?,
        scripts: [],
    };
    Reply::json(200, &profile)
}
