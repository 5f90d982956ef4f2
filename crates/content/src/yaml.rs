//! One way to read YAML, into a JSON value with bounded cost; and one to change it, key by key.

mod edit;
mod layout;
mod print;

use serde_json::Value;

pub(crate) use edit::edit;
pub use edit::{Change, YamlError};
pub(crate) use print::{line_end, lines};

/// Values and keys that the aliases of a document may repeat in all.
const ALIAS_EVENTS: usize = 100_000;

/// Reads one YAML document by the rules of YAML 1.2, so that `yes` is text and `'5.8'` is no
/// number. Nesting, aliases and size are bounded by the reader's budget. An empty document is
/// null.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    let alias_limits = serde_saphyr::alias_limits! { max_total_replayed_events: ALIAS_EVENTS };
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

/// Text of a scalar that a person wrote where text is expected.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
