//! `createOrganization`: creates an organization with the caller as its administrator.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::content::openapi;
use bindery_app::people::organizations::{self, NewOrganization};
use bindery_model::Result;
use bindery_wire::request::CreateOrganization;
use serde::Deserialize;
use serde_json::Value;

use super::organization_response;
use crate::call::Call;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("createOrganization", Action::JoinOrganization, run)
        .additional_action(Action::ManageOrganization)
}

/// The query parameter with the address of the organization's first OpenAPI specification.
const OPENAPI_URL: &str = "openapiUrl";

/// The preferences as the client sent them, including unknown fields.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawPreferences {
    onboarding_preferences: Option<Value>,
}

fn run(cx: &Context<'_>, caller: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let CreateOrganization { title, email_domains, onboarding_preferences: _ } = call.body()?;
    let RawPreferences { onboarding_preferences } = call.body()?;
    let openapi = call.query().text(OPENAPI_URL);
    let openapi = openapi.map(|url| openapi::source_of_parameter(cx.app, OPENAPI_URL, url));
    let new = NewOrganization {
        title,
        email_domains: email_domains.unwrap_or_default(),
        onboarding: onboarding_preferences.map(|given| given.to_string()),
        with_site: call.flag("withDefaultSite", false),
        openapi: openapi.transpose()?,
    };
    let created = organizations::create_with_admin(cx, caller, &new)?;
    let location = cx.app.urls.api(format_args!("/orgs/{}", created.id));
    Ok(Reply::json(201, &organization_response(cx, created)?)?.with_location(location))
}
