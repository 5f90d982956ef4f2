//! Operations, webhooks and models of OpenAPI specifications.

mod labels;
mod operation;
mod schema;
mod text;

use bindery_content::document::OpenApiPart;
use bindery_content::html::OpenApiView;
use bindery_openapi::Description;

pub(crate) use labels::ApiLabels;

/// Returns a part of a specification as readers see it. `description` has the part and the values
/// that it needs. The HTML ends near a size in bytes.
pub(crate) fn view(
    description: &Description,
    part: &OpenApiPart,
    labels: &'static ApiLabels,
    bytes: usize,
) -> Option<OpenApiView> {
    match part {
        OpenApiPart::Operation { path, method } | OpenApiPart::Swagger { path, method, .. } => {
            operation::view(description, ("paths", path), method, labels, bytes)
        }
        OpenApiPart::Webhook { name, method } => {
            operation::view(description, ("webhooks", name), method, labels, bytes)
        }
        OpenApiPart::Schemas { schemas, grouped: _ } => {
            Some(schema::models(description, schemas, labels, bytes))
        }
    }
}
