//! The schemas of the contract, parsed on first use and shared by all validators.

use std::sync::OnceLock;

use jsonschema::{Draft, Registry, ValidationOptions, Validator};
use serde_json::Value;

use crate::load;

/// The base URI of the contract's schemas for the validators.
const BASE_URI: &str = "urn:bindery:contract";

/// Returns `{"components": …}`, which is parsed once.
pub(crate) fn root() -> &'static Value {
    static ROOT: OnceLock<Value> = OnceLock::new();
    ROOT.get_or_init(|| {
        #[expect(clippy::expect_used, reason = "the files are compiled in and read by tests")]
        load::components().expect("the contract's files")
    })
}

/// Returns the target of a reference in the contract; `null` if it does not exist.
pub(crate) fn resolve(reference: &str) -> &'static Value {
    reference.strip_prefix('#').and_then(|pointer| root().pointer(pointer)).unwrap_or(&Value::Null)
}

fn registry() -> &'static Registry<'static> {
    static REGISTRY: OnceLock<Registry<'static>> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        #[expect(clippy::expect_used, reason = "the files are compiled in and read by tests")]
        Registry::new()
            .draft(Draft::Draft202012)
            .add(BASE_URI, root())
            .and_then(jsonschema::RegistryBuilder::prepare)
            .expect("the contract's schemas")
    })
}

fn options() -> ValidationOptions<'static> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
}

/// Compiles a schema of the contract.
///
/// # Errors
/// Fails if the schema is invalid or has an unresolvable reference.
pub(crate) fn compile(schema: &Value) -> Result<Validator, String> {
    let schema = absolute(schema);
    options().with_registry(registry()).build(&schema).map_err(|error| error.to_string())
}

/// Returns `true` if one keyword, such as a pattern or a format, holds for a value.
pub(crate) fn keyword_holds(keyword: &str, operand: &Value, value: &Value) -> bool {
    let schema = serde_json::json!({ keyword: operand });
    options().build(&schema).is_ok_and(|validator| validator.is_valid(value))
}

/// Returns the schema with its references pointing into the registry.
fn absolute(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| match value.as_str() {
                Some(reference) if key == "$ref" => {
                    (key.clone(), Value::from(format!("{BASE_URI}{reference}")))
                }
                _ => (key.clone(), absolute(value)),
            })
            .collect(),
        Value::Array(items) => items.iter().map(absolute).collect(),
        other => other.clone(),
    }
}
