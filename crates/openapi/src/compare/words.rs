//! Words for the sentences of changes.

use std::fmt::Display;

use serde_json::Value;

/// Maximum number of characters of a value in a sentence.
const MAX_SHOWN: usize = 120;
/// Maximum number of values of a list in a sentence.
const MAX_LISTED: usize = 12;

/// Returns a text, shortened if it is long, as it stands in a sentence.
pub(super) fn quoted(text: &str) -> String {
    format!("`{}`", short(text))
}

/// Returns a text without what is beyond the length of a sentence.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns a value as it stands in a sentence.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("a list of {}", count(items.len(), "value")),
        Value::Object(fields) => format!("an object with {}", count(fields.len(), "field")),
        value => format!("`{value}`"),
    }
}

/// Returns names as they stand in a sentence.
pub(super) fn listed<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    let mut names = names.into_iter();
    let shown = names.by_ref().take(MAX_LISTED).map(|name| quoted(&name.to_string()));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match names.count() {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Returns a text that begins with a capital letter.
pub(super) fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}
