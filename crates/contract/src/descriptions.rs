//! Descriptions of groups, parameters and fields by their names.

use std::sync::OnceLock;

use serde_json::{Map, Value};

use crate::embedded;

fn file() -> &'static Value {
    static FILE: OnceLock<Value> = OnceLock::new();
    FILE.get_or_init(|| {
        #[expect(clippy::expect_used, reason = "the file is compiled in and read by tests")]
        serde_json::from_str(embedded::DESCRIPTIONS).expect("the descriptions")
    })
}

fn get(kind: &str, name: &str) -> Option<&'static str> {
    file()[kind][name].as_str()
}

/// Returns the description of a group.
pub(crate) fn of_group(name: &str) -> Option<&'static str> {
    get("groups", name)
}

/// Returns the description of a parameter.
pub(crate) fn of_parameter(name: &str) -> Option<&'static str> {
    get("parameters", name)
}

/// Returns the description of a field: that of its schema, else that of its name.
pub(crate) fn of_field<'a>(name: &str, schema: &'a Value) -> Option<&'a str> {
    schema.get("description").and_then(Value::as_str).or_else(|| get("fields", name))
}

/// Adds descriptions to parameters and fields that have none, in the whole of a description as
/// OpenAPI.
pub(crate) fn add_to(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if let Some(name) = parameter_name(map) {
                describe(map, of_parameter(&name));
            }
            if let Some(Value::Object(properties)) = map.get_mut("properties") {
                for (name, schema) in properties {
                    if let Value::Object(schema) = schema {
                        describe(schema, get("fields", name));
                    }
                }
            }
            map.values_mut().for_each(add_to);
        }
        Value::Array(items) => items.iter_mut().for_each(add_to),
        _ => {}
    }
}

/// Returns the name of a parameter; `None` for other objects.
fn parameter_name(map: &Map<String, Value>) -> Option<String> {
    let is_parameter = matches!(map.get("in")?.as_str()?, "path" | "query" | "header");
    let name = map.get("name")?.as_str().filter(|_| is_parameter && map.contains_key("schema"))?;
    Some(name.to_owned())
}

fn describe(map: &mut Map<String, Value>, description: Option<&str>) {
    if let Some(description) = description.filter(|_| !map.contains_key("description")) {
        map.insert("description".to_owned(), description.into());
    }
}
