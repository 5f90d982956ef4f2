//! Tests that parse and print every construct of the dialect.
//!
//! In `dialect.txt`, each case begins with a line `=== name`, followed by the source. The line `---
//! read` precedes the document on one line, and the line `--- printed` precedes the canonical form,
//! if that differs from the source.

use super::outline_of;
use crate::arbitrary::{PAGE_PATH, World, parse};
use crate::document::Document;
use crate::print::{PrintContext, normal, print, print_edited};

const CASES: &str = include_str!("dialect.txt");

struct Case<'c> {
    name: &'c str,
    source: &'c str,
    read: &'c str,
    printed: &'c str,
}

fn cases() -> impl Iterator<Item = Case<'static>> {
    CASES.split("\n=== ").skip(1).map(|case| {
        let (name, case) = case.split_once('\n').expect("a name");
        let (source, rest) = case.split_once("--- read\n").expect("what is read");
        let (read, printed) = rest.split_once("\n--- printed\n").unwrap_or((rest, source));
        Case { name, source, read: read.trim_end_matches('\n'), printed }
    })
}

/// Returns the case with its actual results.
fn actual(case: &Case<'_>, document: &Document, context: &PrintContext<'_>) -> String {
    let json = serde_json::to_value(document).expect("JSON");
    let printed = print(document, context);
    let mut text = format!("=== {}\n{}--- read\n{}\n", case.name, case.source, outline_of(&json));
    if printed.trim_end() != case.source.trim_end() {
        text.push_str(&format!("--- printed\n{}", printed.trim_end()));
        text.push('\n');
    }
    text
}

#[test]
fn constructs_are_read_and_printed() {
    let context = PrintContext { path: PAGE_PATH, lookup: &World, names: &World };
    let mut wrong = String::new();
    for case in cases() {
        let document = parse(case.source);
        let json = serde_json::to_value(&document).expect("JSON");
        let printed = print(&document, &context);
        if outline_of(&json) != case.read || printed.trim_end() != case.printed.trim_end() {
            wrong.push_str(&actual(&case, &document, &context));
            continue;
        }
        // An unchanged source is printed verbatim, with either kind of line ending.
        for source in [case.source.to_owned(), case.source.replace('\n', "\r\n")] {
            let source = source.trim_end();
            let unchanged = parse(source);
            assert_eq!(print_edited(source, &unchanged, &unchanged, &context), source);
            let crlf = serde_json::to_value(&unchanged).expect("JSON");
            if !case.read.contains("integration=bindery") {
                assert_eq!(outline_of(&crlf), outline_of(&json), "{source:?}");
            }
        }
        // The canonical form parses to the same document.
        let expected = normal(&document, &context.reader());
        let read = normal(&parse(&printed), &context.reader());
        assert!(read.has_same_content_as(&expected), "{}\n{printed}", case.name);
    }
    assert!(wrong.is_empty(), "wrong cases as they are:\n{wrong}");
}
