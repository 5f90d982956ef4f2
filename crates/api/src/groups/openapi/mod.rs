//! Group `openapi`: OpenAPI specifications of organizations.

use bindery_app::access::{Action, Authorized};
use bindery_app::content::openapi::{self, Source, Sourced, SpecView};
use bindery_app::people::organizations::Organization;
use bindery_app::{App, Context};
use bindery_model::Result;
use bindery_wire::request::{CreateOpenAPISpecBody, UpdateOpenAPISpecBySlugBody};
use serde::Deserialize;

use crate::call::Call;
use crate::closed_sets;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write, write_with_files};
use crate::pipeline::run::PrepareFuture;
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listOpenAPISpecs", Action::ViewOrganization, list_openapi_specs),
        write_with_files("createOpenAPISpec", Action::ManageOpenApi, source, create_openapi_spec),
        read("getOpenAPISpecBySlug", Action::ViewOrganization, get_openapi_spec_by_slug),
        write_with_files(
            "createOrUpdateOpenAPISpecBySlug",
            Action::ManageOpenApi,
            source,
            create_or_update_openapi_spec_by_slug,
        ),
        write("updateOpenAPISpecBySlug", Action::ManageOpenApi, update_openapi_spec_by_slug),
        write("deleteOpenAPISpecBySlug", Action::ManageOpenApi, delete_openapi_spec_by_slug),
    ]
}

/// A body with a source.
#[derive(Deserialize)]
struct WithSource {
    source: RawSource,
}

/// A source with all fields that the client sent.
#[derive(Deserialize)]
struct RawSource {
    url: Option<String>,
    text: Option<String>,
}

/// Checks the source in a body, and stores its text.
fn source<'a>(app: &'a App, call: &'a Call) -> PrepareFuture<'a, Sourced> {
    Box::pin(async move {
        let WithSource { source: RawSource { url, text } } = call.body()?;
        openapi::stage(app, Source { url, text }).await
    })
}

/// `listOpenAPISpecs`: lists the OpenAPI specifications of an organization.
fn list_openapi_specs(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (specs, count) = openapi::list(cx, organization, page.after_time(), page.rows())?;
    let position = |view: &SpecView| time_position(view.spec.created_at, view.spec.id);
    let list = page.list(specs, count, position, |view| Ok(present::openapi_spec(cx.app, view)))?;
    Reply::json(200, &list)
}

/// `createOpenAPISpec`: adds an OpenAPI specification to an organization.
fn create_openapi_spec(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
    source: &Sourced,
) -> Result<Reply> {
    let CreateOpenAPISpecBody { slug, source: _ } = call.body()?;
    let view = openapi::create(cx, organization, &slug, source)?;
    created(cx, view)
}

fn created(cx: &Context<'_>, view: SpecView) -> Result<Reply> {
    let spec = present::openapi_spec(cx.app, view);
    let location = spec.urls.location.clone();
    Ok(Reply::json(201, &spec)?.with_location(location))
}

/// `getOpenAPISpecBySlug`: returns an OpenAPI specification.
fn get_openapi_spec_by_slug(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let view = openapi::get(cx, organization, call.path("specSlug"))?;
    Reply::json(200, &present::openapi_spec(cx.app, view))
}

/// `createOrUpdateOpenAPISpecBySlug`: sets the source of an OpenAPI specification.
fn create_or_update_openapi_spec_by_slug(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
    source: &Sourced,
) -> Result<Reply> {
    let (view, is_new) = openapi::put(cx, organization, call.path("specSlug"), source)?;
    if is_new {
        return created(cx, view);
    }
    Reply::json(200, &present::openapi_spec(cx.app, view))
}

/// `updateOpenAPISpecBySlug`: changes the visibility of an OpenAPI specification.
fn update_openapi_spec_by_slug(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let UpdateOpenAPISpecBySlugBody { visibility } = call.body()?;
    let visibility = closed_sets::openapi_visibility_of(visibility);
    let view = openapi::set_visibility(cx, organization, call.path("specSlug"), visibility)?;
    Reply::json(200, &present::openapi_spec(cx.app, view))
}

/// `deleteOpenAPISpecBySlug`: deletes an OpenAPI specification with its versions.
fn delete_openapi_spec_by_slug(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let deleted = openapi::delete(cx, organization, call.path("specSlug"))?;
    Ok(Reply::empty(if deleted { 205 } else { 204 }))
}
