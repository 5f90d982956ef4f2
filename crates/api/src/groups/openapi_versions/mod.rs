//! Group `openapi-versions`: the versions of OpenAPI specifications and their content.

use bindery_app::Context;
use bindery_app::access::{Action, Anyone, Authorized};
use bindery_app::content::openapi::{self, OpenApiVersion};
use bindery_app::people::organizations::Organization;
use bindery_model::Result;

use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listOpenAPISpecVersions", Action::ViewOrganization, list_versions),
        read("getLatestOpenAPISpecVersion", Action::ViewOrganization, latest),
        read("getLatestOpenAPISpecVersionContent", Action::Call, latest_content),
        read("getOpenAPISpecVersionById", Action::ViewOrganization, by_id),
        read("getOpenAPISpecVersionContentById", Action::ViewOrganization, content_by_id),
        read("getLatestOpenAPISpecVersionContentRaw", Action::ViewOrganization, latest_raw),
    ]
}

/// `listOpenAPISpecVersions`: lists the versions of an OpenAPI specification.
fn list_versions(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let slug = call.path("specSlug");
    let (versions, count) =
        openapi::list_versions(cx, organization, slug, page.after_time(), page.rows())?;
    let position = |version: &OpenApiVersion| time_position(version.created_at, version.id);
    let list = page.list(versions, count, position, |version| {
        Ok(present::openapi_version(cx.app, organization.id, slug, &version))
    })?;
    Reply::json(200, &list)
}

/// `getLatestOpenAPISpecVersion`: returns the version that was read last.
fn latest(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let (view, version) = openapi::latest(cx, organization, call.path("specSlug"))?;
    Reply::json(200, &present::openapi_version(cx.app, organization.id, &view.spec.slug, &version))
}

/// `getOpenAPISpecVersionById`: returns a version of an OpenAPI specification.
fn by_id(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let (slug, id) = (call.path("specSlug"), call.path("versionId"));
    let (view, version) = openapi::version(cx, organization, slug, id)?;
    Reply::json(200, &present::openapi_version(cx.app, organization.id, &view.spec.slug, &version))
}

/// `getOpenAPISpecVersionContentById`: returns the files of a version.
fn content_by_id(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let (slug, id) = (call.path("specSlug"), call.path("versionId"));
    let (view, version) = openapi::version(cx, organization, slug, id)?;
    Ok(present::openapi_content(cx.app, &view.spec, &openapi::files(cx.tx, &version)?))
}

/// `getLatestOpenAPISpecVersionContent`: returns the files of the version that was read last, also to
/// visitors of sites.
fn latest_content(cx: &Context<'_>, _: &Authorized<Anyone>, call: &Call) -> Result<Reply> {
    let (organization, slug) = (call.path("organizationId"), call.path("specSlug"));
    let (spec, version) = openapi::latest_for_reader(cx, organization, slug)?;
    Ok(present::openapi_content(cx.app, &spec, &openapi::files(cx.tx, &version)?))
}

/// `getLatestOpenAPISpecVersionContentRaw`: returns the root of the version that was read last.
fn latest_raw(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let (_, version) = openapi::latest(cx, organization, call.path("specSlug"))?;
    Ok(present::openapi_raw_content(&openapi::root(cx.tx, &version)?))
}
