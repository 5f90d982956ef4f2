//! Prints the document of a Markdown file as JSON.
//!
//! `cargo run --example document -- FILE`

#![expect(clippy::print_stdout, reason = "printing is its purpose")]

use bindery_content::reference::NoLookup;
use bindery_content::{Page, ParseContext, markdown, source};

fn main() {
    let path = std::env::args().nth(1).unwrap_or_default();
    let bytes = std::fs::read(&path).unwrap_or_default();
    let text = source::decode(&bytes);
    let page = Page::split(&text);
    let context = ParseContext { path: "page.md", lookup: &NoLookup };
    let document = markdown::parse(page.body.of(&text), &context);
    println!("{}", serde_json::to_string_pretty(&document).unwrap_or_default());
}
