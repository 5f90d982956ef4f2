//! `getPublishedContentSite`: returns the profile of a published site.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::customization;
use bindery_app::publishing::published::ReadableSite;
use bindery_model::Result;
use bindery_wire::response;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::site_response;
use crate::call::Call;
use crate::groups::site_structure;
use crate::operation::{Operation, read_long};
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
    let structure = site_structure::view(cx, &site.0)?;
    let mut site_spaces = Map::new();
    for (site_space, _) in structure.site_spaces() {
        let id = site_space.id;
        if let Some(customization) = customization::overridden(cx.tx, site.0.id, id)? {
            site_spaces.insert(id.to_string(), customization);
        }
    }
    let mut customization = customization::of_site(cx.tx, site.0.id)?;
    // Clients of the profile expect these fields, which a customization may leave out.
    if let Some(fields) = customization.as_object_mut() {
        fields.entry("title").or_insert_with(|| site.0.title.clone().into());
        let none = || json!({ "enabled": false, "message": "No announcement", "style": "info" });
        fields.entry("announcement").or_insert_with(none);
    }
    let profile = Profile {
        structure: structure.structure(),
        customizations: json!({ "site": customization, "siteSpaces": site_spaces }),
        site: site_response(cx, site.0.clone())?,
        scripts: [],
    };
    Reply::json(200, &profile)
}
