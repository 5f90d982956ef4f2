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
pub(crate) use labels::ApiLabels;

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

/// Returns a part of a specification as readers see it. `description` has the part and the values
/// that it needs. The HTML ends near a size in bytes.
pub(crate) fn view(
    description: &Description,
    part: &OpenApiPart,
    labels: &'static ApiLabels,
    console: Option<&ConsoleKey>,
    bytes: usize,
) -> Option<OpenApiView> {
    match part {
        OpenApiPart::Operation { path, method } | OpenApiPart::Swagger { path, method, .. } => {
            operation::view(description, ("paths", path), method, labels, console, bytes)
        }
        OpenApiPart::Webhook { name, method } => {
            operation::view(description, ("webhooks", name), method, labels, None, bytes)
        }
        OpenApiPart::Schemas { schemas, grouped: _ } => {
            Some(schema::models(description, schemas, labels, bytes))
        }
    }
}

#[cfg(test)]
mod tests {
    use bindery_openapi::Loader;

    use super::*;

    #[test]
    fn the_html_of_an_operation_ends_near_its_size() {
        let text = "words ".repeat(300);
        let response = |code: usize| format!("'{code}': {{description: \"a\\n\\n{text}\"}}");
        let responses: Vec<String> = (100..600).map(response).collect();
        let mut loader = Loader::new(None);
        loader.add(format!(
            "openapi: 3.1.0\ninfo: {{title: Ships, version: '1'}}\n\
             paths: {{/ships: {{get: {{responses: {{{}}}}}}}}}\n",
            responses.join(", ")
        ));
        let description = loader.finish().unwrap();
        let part = OpenApiPart::Operation { path: "/ships".into(), method: "get".into() };
        let labels = ApiLabels::of("en");
        let shown = |bytes: usize| view(&description, &part, labels, None, bytes).unwrap();
        let all = shown(4 << 20);
        assert!(all.details.contains(">599<") && all.samples.is_some());
        let some = shown(100_000);
        assert!(some.details.contains(">100<") && some.details.len() < 120_000);
        assert!(some.samples.is_none());
        let none = shown(0);
        assert_eq!((none.title.as_str(), none.description.is_none()), ("GET /ships", true));
        assert_eq!(none.details, "");
    }
}
