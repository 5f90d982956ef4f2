//! Printed documents are read as they were.

use proptest::prelude::*;

use super::*;
use crate::document::arbitrary::{self, HOLDER, World};

fn context() -> PrintContext<'static> {
    PrintContext { path: HOLDER, lookup: &World, names: &World }
}

/// What was printed, and the first lines of JSON in which two documents differ.
fn difference(printed: &str, expected: &Document, read: &Document) -> String {
    let json = |document: &Document| {
        let text = serde_json::to_string_pretty(&arbitrary::bare(document)).expect("JSON");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (expected, read) = (json(expected), json(read));
    let at = expected.iter().zip(&read).take_while(|(left, right)| left == right).count();
    let around = |lines: &[String]| {
        lines.iter().skip(at.saturating_sub(9)).take(18).cloned().collect::<Vec<_>>().join("\n")
    };
    format!("<<<\n{printed}>>>\nexpected\n{}\nread\n{}", around(&expected), around(&read))
}

/// So many cases of each property, unless the environment says how many.
fn cases(default: u32) -> ProptestConfig {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default(),
        None => ProptestConfig::with_cases(default),
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn printed_documents_are_read_as_they_were(document in arbitrary::document()) {
        let printed = print(&document, &context());
        let read = arbitrary::parse(&printed);
        let expected = normal(&document, &context().reader());
        prop_assert!(expected.says_the_same_as(&normal(&read, &context().reader())), "{}", difference(&printed, &expected, &read));
    }
}
