//! Operations, webhooks and models of OpenAPI specifications.

mod console_labels;
mod labels;
mod operation;
mod schema;
mod text;

use bindery_content::document::OpenApiPart;
use bindery_content::html::OpenApiView;
use bindery_openapi::Description;

pub(crate) use console_labels::ConsoleLabels;
pub(crate) use labels::{ApiLabels, Texts};
pub(crate) use schema::model_anchor;

/// The values with which readers call an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ConsoleKey {
    /// The proof that the page shows the operation.
    pub(crate) key: String,
    /// The name of the specification, whose operations share credentials.
    pub(crate) spec: String,
    /// The text of the button.
    pub(crate) label: &'static str,
}

/// Returns the address of a model with a name, if it is on a page.
pub(crate) type ModelLinks<'l> = dyn Fn(&str) -> Option<String> + 'l;

/// The values around a part of a specification.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'s> {
    /// The texts.
    pub(crate) labels: &'static ApiLabels,
    /// The addresses of models.
    pub(crate) links: &'s ModelLinks<'s>,
    /// The values with which readers call the operation.
    pub(crate) console: Option<&'s ConsoleKey>,
}

/// Returns a part of a specification as readers see it. `description` has the part and the values
/// that it needs. The HTML ends near a size in bytes.
pub(crate) fn view(
    description: &Description,
    part: &OpenApiPart,
    around: Surroundings<'_>,
    bytes: usize,
) -> Option<OpenApiView> {
    match part {
        OpenApiPart::Operation { path, method } | OpenApiPart::Swagger { path, method, .. } => {
            operation::view(description, ("paths", path), method, around, bytes)
        }
        OpenApiPart::Webhook { name, method } => {
            let around = Surroundings { console: None, ..around };
            operation::view(description, ("webhooks", name), method, around, bytes)
        }
        OpenApiPart::Schemas { schemas, grouped: _ } => {
            Some(schema::models(description, schemas, around.labels, around.links, bytes))
        }
    }
}

#[cfg(test)]
mod tests;
