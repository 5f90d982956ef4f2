//! Versions of the specification.

use serde_json::Value;

/// A version of the OpenAPI specification. The last number of a version changes nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Version {
    /// Swagger 2.0.
    V20,
    /// OpenAPI 3.0.
    V30,
    /// OpenAPI 3.1.
    V31,
    /// OpenAPI 3.2.
    V32,
}

impl Version {
    /// Returns the version that a description states, or the name of the field at fault with what
    /// would be right.
    pub(crate) fn of(root: &Value) -> Result<Self, (&'static str, String)> {
        let text = |name: &str| match root.get(name) {
            Some(Value::String(text)) => Some(text.clone()),
            // YAML without quotes.
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        let allowed = "allowed: `openapi` 3.0, 3.1 or 3.2, or `swagger` 2.0";
        let unknown = |found: String| format!("found the version {found:?}, {allowed}");
        if let Some(found) = text("openapi") {
            let is = |minor: &str| {
                found == minor
                    || found.strip_prefix(minor).is_some_and(|rest| rest.starts_with('.'))
            };
            return match [("3.0", Self::V30), ("3.1", Self::V31), ("3.2", Self::V32)]
                .into_iter()
                .find(|(minor, _)| is(minor))
            {
                Some((_, version)) => Ok(version),
                None => Err(("openapi", unknown(found))),
            };
        }
        match text("swagger") {
            Some(found) if found == "2.0" || found == "2" => Ok(Self::V20),
            Some(found) => Err(("swagger", unknown(found))),
            None => Err(("", format!("found no version, {allowed}"))),
        }
    }
}
