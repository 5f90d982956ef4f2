//! `createSite`: creates a site with the given spaces.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::people::organizations::Organization;
use bindery_app::publishing::sites::{self, NewSite};
use bindery_model::{Result, SiteType, SiteVisibility};
use bindery_wire::request::CreateSiteBody;

use super::site_response;
use crate::call::Call;
use crate::closed_sets::{site_type_of, site_visibility_of};
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("createSite", Action::CreateSite, run)
}

fn run(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let CreateSiteBody { r#type, title, visibility, spaces } = call.body()?;
    let new = NewSite {
        site_type: r#type.map_or(SiteType::Basic, site_type_of),
        title,
        visibility: visibility.map_or(SiteVisibility::Public, site_visibility_of),
        spaces: spaces.unwrap_or_default(),
    };
    let site = sites::create(cx, organization, &new)?;
    let location = cx.app.urls.api(format_args!("/orgs/{}/sites/{}", site.organization, site.id));
    Ok(Reply::json(201, &site_response(cx, site)?)?.with_location(location))
}
