//! Group `integrations`: renders the blocks of `bindery`, the integration whose blocks are content
//! without a type in the contract. No others exist.

use bindery_app::Context;
use bindery_app::access::{Action, Anyone, Authorized};
use bindery_content::json::OWN_INTEGRATION;
use bindery_model::{Error, Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::operation::{Operation, read_with_body};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![read_with_body("renderIntegrationUIWithPost", Action::Call, render)]
}

/// The parts of the body that say what is rendered. The contract checks the others.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wanted {
    component_id: String,
    props: Map<String, Value>,
}

/// `renderIntegrationUIWithPost`: returns the source in the properties of a block as the element to
/// show. Reads nothing.
fn render(_: &Context<'_>, _: &Authorized<Anyone>, call: &Call) -> Result<Reply> {
    if call.path("integrationName") != OWN_INTEGRATION {
        return Err(Error::not_found("integration"));
    }
    let Wanted { component_id, props } = call.body()?;
    let source = props.get("markdown").and_then(Value::as_str).unwrap_or_default();
    let is_hidden = props.get("hidden") == Some(&Value::Bool(true));
    let shown = match component_id.as_str() {
        "opaque" if is_hidden => None,
        "opaque" | "prompt" => {
            Some(json!({ "type": "codeblock", "content": source, "syntax": "markdown" }))
        }
        "updates" => Some(json!({ "type": "markdown", "content": without_tags(source) })),
        _ => return Err(Error::not_found("block")),
    };
    let children: Vec<Value> = shown.into_iter().collect();
    let element = json!({ "type": "block", "children": children });
    let output = json!({ "type": "element", "element": element, "state": {}, "props": props });
    Reply::json(200, &output)
}

/// Returns Markdown without the lines that are a tag.
fn without_tags(source: &str) -> String {
    let is_tag = |line: &str| line.trim().starts_with("{%") && line.trim().ends_with("%}");
    source.split_inclusive('\n').filter(|line| !is_tag(line)).collect()
}
