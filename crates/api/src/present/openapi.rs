//! OpenAPI specifications and their versions.

use bindery_app::App;
use bindery_app::content::openapi::{Message, OpenApiSpec, OpenApiVersion, SpecView};
use bindery_model::OrganizationId;
use bindery_wire::response::{
    OpenAPIErrorObject, OpenAPISpec, OpenAPISpecPermissions, OpenAPISpecUrls, OpenAPISpecVersion,
    OpenAPISpecVersionUrls,
};

use crate::closed_sets;

pub(crate) fn openapi_spec(app: &App, view: SpecView) -> OpenAPISpec {
    let SpecView { spec, messages, public_path, can_edit } = view;
    let OpenApiSpec {
        id,
        organization,
        slug,
        url,
        upload: _,
        visibility,
        state,
        run: _,
        version,
        error,
        messages: _,
        processed_at,
        next_at: _,
        hook: _,
        hook_at: _,
        again: _,
        created_at,
        updated_at,
    } = spec;
    let published = public_path.map(|path| format!("{}{path}", app.urls.sites()));
    let messages = messages.into_iter();
    let messages =
        messages.map(|Message { code, message }| OpenAPIErrorObject { message, code: Some(code) });
    OpenAPISpec {
        id: id.to_string(),
        created_at,
        updated_at,
        urls: OpenAPISpecUrls {
            location: app.urls.api(format_args!("/orgs/{organization}/openapi/{slug}")),
            app: app.urls.app_openapi(organization, &slug),
            published,
        },
        slug,
        source_url: url,
        processing_state: state.as_str().into(),
        visibility: Some(closed_sets::openapi_visibility(visibility)),
        last_version: version.map(|version| version.to_string()),
        last_processed_at: processed_at,
        last_process_error_code: error.map(|error| error.as_str().into()),
        last_processed_errors: processed_at.map(|_| messages.collect()),
        permissions: OpenAPISpecPermissions { view: true, edit: can_edit },
    }
}

pub(crate) fn openapi_version(
    app: &App,
    organization: OrganizationId,
    slug: &str,
    version: &OpenApiVersion,
) -> OpenAPISpecVersion {
    let OpenApiVersion { id, created_at, .. } = version;
    let location = app.urls.api(format_args!("/orgs/{organization}/openapi/{slug}/versions/{id}"));
    OpenAPISpecVersion {
        id: id.to_string(),
        created_at: Some(*created_at),
        url: format!("{location}/content"),
        urls: OpenAPISpecVersionUrls { location },
    }
}
