//! The random documents and edits that `web/src/editor/steps.test.ts` makes. `BINDERY_STEP_CASES`
//! names a file with others.

use std::io::Read as _;

use bindery_steps::Node;
use serde_json::Value;

const CASES: &[u8] = include_bytes!("../cases.jsonl.gz");

/// Reads a document of a case.
pub(crate) fn node(json: &Value) -> Node {
    Node::from_json(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

/// Passes each case to a function.
pub(crate) fn each(mut check: impl FnMut(&Value)) {
    let read = |path| std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let file = std::env::var("BINDERY_STEP_CASES").map(read);
    let mut text = String::new();
    let decoded =
        flate2::read::GzDecoder::new(file.as_deref().unwrap_or(CASES)).read_to_string(&mut text);
    assert!(decoded.is_ok(), "{decoded:?}");
    let mut count = 0;
    for line in text.lines() {
        check(&serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")));
        count += 1;
    }
    assert!(count > 50, "{count} cases");
}
