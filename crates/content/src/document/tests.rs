//! Properties of arbitrary documents.

use std::collections::{BTreeSet, HashSet};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::Value;

use super::*;
use crate::arbitrary::{self, without_identity};
use crate::reference::NoLookup;
use crate::{ParseContext, markdown};

/// Calls `visit` with every object within a value.
fn objects(value: &Value, visit: &mut impl FnMut(&Map<String, Value>)) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| objects(value, visit)),
        Value::Object(object) => {
            visit(object);
            object.values().for_each(|value| objects(value, visit));
        }
        _ => {}
    }
}

fn json(document: &Document) -> Value {
    serde_json::to_value(document).expect("JSON")
}

/// Types of nodes, marks and references.
const NAMES: &[&str] = &[
    "paragraph",
    "heading-1",
    "heading-2",
    "heading-3",
    "list-ordered",
    "list-unordered",
    "list-tasks",
    "list-item",
    "blockquote",
    "hint",
    "code",
    "code-line",
    "math",
    "divider",
    "images",
    "image",
    "file",
    "drawing",
    "embed",
    "table",
    "grid",
    "cards",
    "expandable",
    "expandable-title",
    "expandable-body",
    "tabs",
    "tabs-item",
    "stepper",
    "stepper-step",
    "columns",
    "column",
    "content-ref",
    "reusable-content",
    "if",
    "swagger",
    "openapi-operation",
    "openapi-schemas",
    "openapi-webhook",
    "integration",
    "link",
    "emoji",
    "icon",
    "expression",
    "inline-math",
    "inline-image",
    "annotation",
    "annotation-body",
    "mention",
    "button",
    "bold",
    "italic",
    "strikethrough",
    "keyboard",
    "superscript",
    "subscript",
    "color",
    "text",
    "number",
    "checkbox",
    "rating",
    "files",
    "users",
    "select",
    "url",
    "anchor",
    "page",
    "file",
    "user",
    "collection",
    "space",
    "openapi",
];

#[test]
fn every_type_and_mark_occurs() {
    let mut seen = BTreeSet::new();
    let mut runner = TestRunner::deterministic();
    for _ in 0..1500 {
        let document = arbitrary::document().new_tree(&mut runner).expect("a document").current();
        objects(&json(&document), &mut |object| {
            let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
            seen.insert(format!("{}{}", text("type"), text("kind")));
        });
    }
    for &name in NAMES {
        assert!(seen.contains(name), "{name}");
    }
}

proptest! {
    #[test]
    fn keys_and_anchors_are_unique(document in arbitrary::document()) {
        let (mut keys, mut anchors) = (HashSet::new(), HashSet::new());
        let mut repeated = Vec::new();
        objects(&json(&document), &mut |object| {
            if let Some(key) = object.get("key") && !keys.insert(key.to_string()) {
                repeated.push(key.to_string());
            }
            if let Some(id) = object.get("meta").and_then(|meta| meta.get("id"))
                && (!anchors.insert(id.to_string()) || id == "")
            {
                repeated.push(id.to_string());
            }
        });
        prop_assert_eq!(repeated, Vec::<String>::new());
        prop_assert_eq!(without_identity(&document), without_identity(&without_identity(&document)));
        let mut again = document.clone();
        again.complete();
        prop_assert_eq!(again, document);
    }
}

#[test]
fn embeds_are_blocks_and_frames_with_addresses_on_the_web() {
    let source = "{% embed url=\"https://a.b/1\" %}\n\n\
        <iframe src=\"https://a.b/2?x&amp;y\"></iframe>\n\n\
        a <iframe src=\"https://a.b/3\"></iframe> <video src=\"https://a.b/no\"></video>\n\n\
        {% hint style=\"info\" %}\n{% embed url=\"https://a.b/4\" %}\n{% endhint %}\n\n\
        {% embed url=\"https://a.b/1\" %}\n\n{% embed url=\"javascript:alert(1)\" %}\n\n\
        | a |\n|---|\n| <iframe src=\"https://a.b/5\"></iframe> |\n\n```\n\
        {% embed url=\"https://a.b/no\" %}\n```\n";
    let context = ParseContext { path: "a.md", lookup: &NoLookup };
    let document = markdown::parse(source, &context);
    let found = document.embeds(10);
    let expected =
        ["https://a.b/1", "https://a.b/2?x&y", "https://a.b/3", "https://a.b/4", "https://a.b/5"];
    assert_eq!(found, expected);
    assert_eq!(document.embeds(2), expected[..2]);
}
