//! The schemas of the contract: read when first needed, shared by every validator.

use std::sync::OnceLock;

use jsonschema::{Draft, Registry, ValidationOptions, Validator};
use serde_json::Value;

use crate::load;

/// The address under which validators find the contract's schemas.
const ADDRESS: &str = "urn:bindery:contract";

/// `{"components": …}`, read once.
pub(crate) fn root() -> &'static Value {
    static ROOT: OnceLock<Value> = OnceLock::new();
    ROOT.get_or_init(|| {
        #[expect(clippy::expect_used, reason = "the files are compiled in and read by tests")]
        load::components().expect("the contract's files")
    })
}

/// What a reference of the contract names; `null` for one that names nothing.
pub(crate) fn resolve(reference: &str) -> &'static Value {
    reference.strip_prefix('#').and_then(|pointer| root().pointer(pointer)).unwrap_or(&Value::Null)
}

fn registry() -> &'static Registry<'static> {
    static REGISTRY: OnceLock<Registry<'static>> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        #[expect(clippy::expect_used, reason = "the files are compiled in and read by tests")]
        Registry::new()
            .draft(Draft::Draft202012)
            .add(ADDRESS, root())
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

/// A validator for a schema of the contract.
///
/// # Errors
/// When the schema is none, or one of its references names nothing.
pub(crate) fn compile(schema: &Value) -> Result<Validator, String> {
    let schema = absolute(schema);
    options().with_registry(registry()).build(&schema).map_err(|error| error.to_string())
}

/// Whether one keyword (a pattern, a format) holds for a value.
pub(crate) fn keyword_holds(keyword: &str, operand: &Value, value: &Value) -> bool {
    let schema = serde_json::json!({ keyword: operand });
    options().build(&schema).is_ok_and(|validator| validator.is_valid(value))
}

/// The same schema with its references pointing into the registry.
fn absolute(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| match value.as_str() {
                Some(reference) if key == "$ref" => {
                    (key.clone(), Value::from(format!("{ADDRESS}{reference}")))
                }
                _ => (key.clone(), absolute(value)),
            })
            .collect(),
        Value::Array(items) => items.iter().map(absolute).collect(),
        other => other.clone(),
    }
}
