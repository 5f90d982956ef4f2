//! Parses YAML into JSON values at bounded cost, and edits YAML key by key.

mod edit;
mod layout;
mod print;

use serde_json::Value;

pub(crate) use edit::edit;
pub use edit::{Change, YamlError};
pub(crate) use print::{line_end, lines};

/// Maximum number of values and keys that a document's aliases may repeat in total.
const MAX_ALIAS_EVENTS: usize = 100_000;

/// Parses one YAML document by the rules of YAML 1.2: `yes` and `'5.8'` are text. The parser's
/// budget bounds nesting, aliases and size. An empty document is null.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    let alias_limits = serde_saphyr::alias_limits! { max_total_replayed_events: MAX_ALIAS_EVENTS };
    let options = serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        alias_limits: alias_limits,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let message = error.to_string();
        message.lines().next().unwrap_or("not valid YAML").to_owned()
    })
}

/// Returns the text of a scalar in a field that expects text: numbers and booleans are converted.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
