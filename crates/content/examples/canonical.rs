//! Prints the body of a Markdown file in the canonical style.
//!
//! `cargo run --example canonical -- FILE`

#![expect(clippy::print_stdout, reason = "printing is its purpose")]

use bindery_content::print::{PrintContext, print};
use bindery_content::reference::{Names, NoLookup};
use bindery_content::{Page, markdown, source};

struct NoNames;

impl Names for NoNames {
    fn page_path(&self, _page: &str) -> Option<String> {
        None
    }
    fn file_path(&self, _file: &str) -> Option<String> {
        None
    }
    fn reusable_content_path(&self, _reusable_content: &str) -> Option<String> {
        None
    }
}

fn main() {
    let path = std::env::args().nth(1).unwrap_or_default();
    let bytes = std::fs::read(&path).unwrap_or_default();
    let text = source::decode(&bytes);
    let page = Page::split(&text);
    let context = PrintContext { path: "page.md", lookup: &NoLookup, names: &NoNames };
    let document = markdown::parse(page.body.of(&text), &context.reader());
    print!("{}", print(&document, &context));
}
