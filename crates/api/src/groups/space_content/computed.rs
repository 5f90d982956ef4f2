//! `getComputedDocument`, `getComputedRevision`: content that a source computes from data outside
//! the space.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::spaces::Space;
use bindery_model::{Error, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::call::Call;
use crate::operation::{Operation, write};
use crate::reply::Reply;

// Registered as writes, because only writes receive a body. They change nothing.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("getComputedDocument", Action::ReadSpace, of_source),
        write("getComputedRevision", Action::ReadSpace, of_source),
    ]
}

/// The request. The seed is ignored, as no source is random.
#[derive(Deserialize)]
struct ComputedContentRequest {
    source: Source,
}

#[derive(Deserialize)]
struct Source {
    r#type: String,
    #[serde(default)]
    dependencies: Value,
}

fn of_source(_: &Context<'_>, _: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let ComputedContentRequest { source } = call.body()?;
    Err(missing(&source))
}

/// Builds the error for a missing dependency of a source, according to the kind of the source.
fn missing(source: &Source) -> Error {
    match source.r#type.as_str() {
        "builtin:openapi" if source.dependencies.pointer("/spec/ref/spec").is_some() => {
            Error::not_found("OpenAPI specification")
        }
        "builtin:translation" => Error::not_found("translation"),
        _ => Error::not_found("integration"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_missing_dependency_is_named() {
        for (source, expected) in [
            (
                json!({
                    "type": "builtin:openapi",
                    "dependencies": { "spec": { "ref": { "kind": "openapi", "spec": "pets" } } },
                }),
                "OpenAPI specification",
            ),
            (json!({ "type": "builtin:translation" }), "translation"),
            (json!({ "type": "integration:some:source" }), "integration"),
        ] {
            let source = Source::deserialize(&source).expect("a source");
            assert!(missing(&source).to_string().contains(expected), "{expected}");
        }
    }
}
