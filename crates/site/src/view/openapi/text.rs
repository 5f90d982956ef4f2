//! Texts of specifications, which are Markdown by other authors than those of the pages.

use std::sync::Arc;

use bindery_content::html::{NoLinks, RenderContext, render};
use bindery_content::reference::{NoLookup, ParseContext};
use bindery_content::{Document, markdown};
use bindery_openapi::shortened_text;
use maud::{Markup, PreEscaped};
use serde_json::Value;

/// Maximum size of a text that is shown, in bytes.
const MAX_TEXT: usize = 64 << 10;
/// Maximum length of a value that is shown, in characters.
const MAX_VALUE: usize = 200;
/// A path that no page has, so that relative links lead nowhere.
const NOWHERE: &str = "~/page.md";

/// Returns the document of a text, whose author knows nothing about the tags of the dialect.
pub(super) fn document(text: &str) -> Arc<Document> {
    let text = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default();
    let plain = markdown::without_tags(text);
    Arc::new(markdown::parse(&plain, &ParseContext { path: NOWHERE, lookup: &NoLookup }))
}

/// Returns the HTML of a text.
pub(super) fn prose(text: &str) -> Markup {
    let document = document(text);
    PreEscaped(render(&document, &RenderContext { links: &NoLinks, highlight: false }).body)
}

/// Returns a value in one line.
pub(super) fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    shortened(&text)
}

/// Returns the beginning of a text that is too long for a line.
pub(super) fn shortened(text: &str) -> String {
    shortened_text(text, MAX_VALUE)
}
