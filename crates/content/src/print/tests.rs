//! Printed documents are read as they were.

use proptest::prelude::*;

use super::*;
use crate::document::arbitrary::{self, HOLDER, World};

fn context() -> PrintContext<'static> {
    PrintContext { path: HOLDER, lookup: &World, names: &World }
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
        prop_assert_eq!(arbitrary::bare(&normal(&read, &context().reader())), arbitrary::bare(&expected), "{}", printed);
    }
}
