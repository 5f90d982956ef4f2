//! Reading documents from JSON: results and error messages.

mod examples;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::arbitrary::{self, PAGE_PATH, World, without_identity};
use crate::document::{BlockKind, Cell};
use crate::markdown;

fn context() -> JsonContext<'static> {
    JsonContext { path: PAGE_PATH, lookup: &World, names: &World, parse: markdown::parse }
}

fn document(nodes: Value) -> Value {
    json!({"object": "document", "data": {"schemaVersion": 8}, "nodes": nodes})
}

fn read(nodes: Value) -> Result<Document, Vec<DocumentError>> {
    Document::from_json(&document(nodes), &context())
}

fn text(text: &str) -> Value {
    json!({"object": "text", "leaves": [{"object": "leaf", "text": text, "marks": []}]})
}

fn paragraph(words: &str) -> Value {
    json!({"object": "block", "type": "paragraph", "nodes": [text(words)]})
}

fn block(name: &str, data: Value, nodes: Value) -> Value {
    json!({"object": "block", "type": name, "data": data, "nodes": nodes})
}

#[test]
fn errors_have_a_pointer_and_a_message() {
    for (nodes, pointer, message) in invalid_nodes() {
        let invalid = read(nodes.clone()).expect_err(message);
        let first = invalid.first().expect("a mistake");
        assert_eq!(first.pointer, pointer, "{nodes} {invalid:?}");
        assert!(first.message.contains(message), "{:?} has {message:?}", first.message);
    }
    let invalid = Document::from_json(&json!({"nodes": []}), &context()).expect_err("no object");
    assert_eq!(invalid.first().map(|first| first.pointer.as_str()), Some("/object"));
}

/// Returns invalid nodes, each with the pointer and a part of the message of the first error.
fn invalid_nodes() -> Vec<(Value, &'static str, &'static str)> {
    let inline = |name: &str, data: Value| json!({"object": "inline", "type": name, "data": data});
    let in_line = |node: Value| json!([{"object": "block", "type": "paragraph", "nodes": [node]}]);
    let url = json!({"kind": "url", "url": "https://x.y"});
    let table = |view: Value, values: Value| {
        json!([{"object": "block", "type": "table", "isVoid": true, "data": {
            "view": view,
            "definition": {"a/b": {"id": "a/b", "title": "A", "type": "text", "textAlignment": "left"}},
            "records": {"r": {"orderIndex": "1", "values": values}},
        }, "fragments": []}])
    };
    let grid = json!({"type": "grid", "columns": ["a/b"], "hideHeader": false});
    vec![
        (json!({}), "/nodes", "an array is needed here, not an object"),
        (json!(["x"]), "/nodes/0", "an object is needed here, not a string"),
        (json!([text("x")]), "/nodes/0", "an inline node is not allowed among blocks"),
        (in_line(paragraph("x")), "/nodes/0/nodes/0", "a block is not allowed within a line"),
        (
            json!([{"object": "block", "type": "paragraph"}]),
            "/nodes/0/nodes",
            "\"nodes\" is missing",
        ),
        (
            json!([block("hint", json!({"style": "info"}), Value::Null)]),
            "/nodes/0/nodes",
            "not null",
        ),
        (
            json!([block("toggle", json!({}), json!([]))]),
            "/nodes/0/type",
            "\"toggle\" is not known",
        ),
        (
            json!([block("hint", json!({}), json!([]))]),
            "/nodes/0/data/style",
            "\"style\" is missing",
        ),
        (
            json!([block("hint", json!({"style": "working"}), json!([]))]),
            "/nodes/0/data/style",
            "\"working\" is not known; known values: info, warning, danger, success",
        ),
        (
            json!([block("blockquote", json!({"style": "x"}), json!([]))]),
            "/nodes/0/data/style",
            "the key \"style\" is not known here",
        ),
        (
            json!([block("paragraph", json!({"align": "left"}), json!([]))]),
            "/nodes/0/data/align",
            "known values: start, center, end",
        ),
        (
            json!([block("heading-1", json!({"id": "A b"}), json!([]))]),
            "/nodes/0/data/id",
            "an id can contain only",
        ),
        (
            json!([block("list-ordered", json!({}), json!([paragraph("x")]))]),
            "/nodes/0/nodes/0/type",
            "\"type\" is \"list-item\" here, not \"paragraph\"",
        ),
        (json!([block("tabs", json!({}), json!([]))]), "/nodes/0/nodes", "at least one node"),
        (
            json!([block(
                "code",
                json!({}),
                json!([block("code-line", json!({}), json!([text("a\nb")]))])
            )]),
            "/nodes/0/nodes/0",
            "a code line cannot contain a line feed",
        ),
        (
            json!([block("code", json!({"lineNumbers": "yes"}), json!([]))]),
            "/nodes/0/data/lineNumbers",
            "true or false is needed here, not a string",
        ),
        (in_line(json!({"object": "text"})), "/nodes/0/nodes/0/leaves", "\"leaves\" is missing"),
        (
            in_line(json!({"object": "text", "leaves": [{"object": "leaf", "text": "x"}]})),
            "/nodes/0/nodes/0/leaves/0/marks",
            "\"marks\" is missing",
        ),
        (
            in_line(
                json!({"object": "text", "leaves": [{"object": "leaf", "text": 1, "marks": []}]}),
            ),
            "/nodes/0/nodes/0/leaves/0/text",
            "a string is needed here, not a number",
        ),
        (
            json!([block(
                "drawing",
                json!({"ref": {"kind": "file", "file": "nowhere"}}),
                json!([])
            )]),
            "/nodes/0/data/ref",
            "does not exist",
        ),
        (
            in_line(inline("link", json!({"ref": {"kind": "somewhere"}}))),
            "/nodes/0/nodes/0/data/ref/kind",
            "\"somewhere\" is not known",
        ),
        (
            in_line(json!({"object": "inline", "type": "link", "data": {"ref": url}, "nodes": [
                {"object": "inline", "type": "emoji", "data": {"code": "1f389"}}
            ]})),
            "/nodes/0/nodes/0/nodes/0",
            "\"emoji\" is not allowed here; allowed types: text, inline-image",
        ),
        (
            in_line(json!({"object": "inline", "type": "annotation", "nodes": [text("x")]})),
            "/nodes/0/nodes/0/fragments",
            "the fragment \"annotation-body\" is missing",
        ),
        (
            in_line(inline("expression", json!({"expression": "x".repeat(TEXT_LIMIT + 1)}))),
            "/nodes/0/nodes/0/data/expression",
            "at most 1000000 bytes are allowed here; this text has 1000001",
        ),
        (
            json!([{"object": "block", "type": "file", "data": {"ref": url}}]),
            "/nodes/0/data/ref",
            "a file block must refer to a file",
        ),
        (
            json!([{"object": "block", "type": "integration", "data": {
                "integration": "bindery", "block": "x", "props": {}
            }}]),
            "/nodes/0/data/block",
            "bindery has the blocks opaque, updates, prompt",
        ),
        (
            table(grid.clone(), json!({"a/b": "gone"})),
            "/nodes/0/data/records/r/values/a~1b",
            "no fragment of the table has this name",
        ),
        (
            table(json!({"type": "grid", "columns": ["c"]}), json!({})),
            "/nodes/0/data/view/columns/0",
            "no column has this id",
        ),
    ]
}

#[test]
fn depth_length_and_number_have_limits() {
    let nested = |depth: usize| {
        (0..depth).fold(json!([paragraph("x")]), |inner, _| {
            json!([block("blockquote", json!({}), inner)])
        })
    };
    let most = crate::document::JSON_LEVELS / 2;
    assert!(read(nested(most)).is_ok());
    let invalid = read(nested(most + 1)).expect_err("too deep");
    assert!(invalid[0].message.contains("nested too deeply"), "{invalid:?}");
    let invalid = read(json!([paragraph(&"x".repeat(TEXT_LIMIT + 1))])).expect_err("too long");
    assert_eq!(invalid[0].pointer, "/nodes/0/nodes/0/leaves/0/text");
    let long = "x".repeat(TEXT_LIMIT + 1);
    let invalid =
        read(json!([block("code", json!({"title": long}), json!([]))])).expect_err("title");
    assert_eq!(invalid[0].pointer, "/nodes/0/data/title");
    let many: Vec<Value> = (0..NODE_LIMIT / 3 + 1).map(|_| paragraph("x")).collect();
    let invalid = read(json!(many)).expect_err("too many");
    assert_eq!(invalid.len(), 1, "{invalid:?}");
    assert_eq!(
        invalid[0].message,
        "a document sent as JSON has at most 200000 nodes; divide it into several pages"
    );
    // Missing cells count too: a table has a cell for each column and row.
    let columns: serde_json::Map<String, Value> = (0..1000)
        .map(|n| (format!("c{n}"), json!({"id": "", "title": "", "type": "number"})))
        .collect();
    let records: serde_json::Map<String, Value> =
        (0..1000).map(|n| (format!("r{n}"), json!({"orderIndex": "", "values": {}}))).collect();
    let invalid = read(json!([{"object": "block", "type": "table", "fragments": [], "data": {
        "view": {"type": "grid", "columns": []}, "definition": columns, "records": records,
    }}]))
    .expect_err("too many cells");
    assert!(invalid[0].message.contains("has at most 200000 nodes"), "{invalid:?}");
    let wrong: Vec<Value> = (0..1000).map(|_| json!(1)).collect();
    assert_eq!(read(json!(wrong)).expect_err("wrong").len(), ERROR_LIMIT);
}

#[test]
fn omitted_values_are_completed() {
    let read = read(json!([
        {"object": "block", "type": "heading-2", "key": "my key", "nodes": [text("Été & d'or")]},
        {"object": "block", "type": "heading-2", "meta": {"id": "own"}, "nodes": [text("x")]},
        {"object": "block", "type": "tabs-item", "data": {"title": "T"}, "nodes": []},
        {"object": "block", "type": "list-item", "nodes": [paragraph("a")]},
        {"object": "block", "type": "divider", "key": "my key"},
        {"object": "block", "type": "divider", "key": "00000000000000ff", "unknown": 1},
    ]))
    .expect("a document");
    let json = serde_json::to_value(&read).expect("JSON");
    assert_eq!(json.pointer("/nodes/0/meta/id"), Some(&json!("ete-and-dor")));
    assert_eq!(json.pointer("/nodes/1/meta/id"), Some(&json!("own")));
    assert_eq!(json.pointer("/nodes/2/type"), Some(&json!("tabs")));
    assert_eq!(json.pointer("/nodes/2/nodes/0/nodes/0/type"), Some(&json!("paragraph")));
    assert_eq!(json.pointer("/nodes/3/type"), Some(&json!("list-unordered")));
    assert_eq!(json.pointer("/nodes/5/key"), Some(&json!("00000000000000ff")));
    // A name that is not a key always gives the same key, and each key occurs only once.
    assert_eq!(read.nodes[0].key, Key::of_name("my key"));
    assert_ne!(read.nodes[4].key, read.nodes[0].key);
    let mut keys: Vec<_> = read.nodes.iter().map(|block| block.key.0).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), read.nodes.len());
}

#[test]
fn rows_and_columns_have_their_order() {
    let column = |id: &str| json!({"id": id, "title": id, "type": "number"});
    let read = read(json!([{"object": "block", "type": "table", "isVoid": true, "data": {
        "view": {"type": "grid", "columns": ["c", "a"], "hideHeader": false, "columnWidths": {"a": 90}},
        "definition": {"a": column("a"), "b": column("b"), "c": column("c")},
        "records": {
            "late": {"orderIndex": "b", "values": {"a": 2}},
            "early": {"orderIndex": "a", "values": {"a": 1, "b": null, "c": 3.5}},
        },
    }, "fragments": []}]))
    .expect("a table");
    let BlockKind::Table(table) = &read.nodes[0].kind else { panic!("no table") };
    let columns: Vec<_> =
        table.columns.iter().map(|c| (c.id.as_str(), c.hidden, c.width)).collect();
    assert_eq!(columns, [("c", false, None), ("b", true, None), ("a", false, Some(90.0))]);
    let rows: Vec<_> = table.rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(rows, ["early", "late"]);
    assert_eq!(table.rows[0].cells, [Cell::Number(3.5), Cell::Empty, Cell::Number(1.0)]);
}

proptest! {
    #[test]
    fn documents_round_trip(document in arbitrary::document()) {
        let json = serde_json::to_value(&document).expect("JSON");
        let read = Document::from_json(&json, &context());
        prop_assert_eq!(read.as_ref().map(without_identity), Ok(without_identity(&document)));
        let again = serde_json::to_value(read.expect("a document")).expect("JSON");
        prop_assert_eq!(again, json);
    }

    #[test]
    fn parsed_documents_round_trip(parts in markdown::tests::properties::parts()) {
        let document = arbitrary::parse(&parts.concat());
        let json = serde_json::to_value(&document).expect("JSON");
        let read = Document::from_json(&json, &context());
        let again = read.map(|read| serde_json::to_value(read).expect("JSON"));
        prop_assert_eq!(again, Ok(json));
    }

    /// Replacing any part of a document by any value gives a document or errors.
    #[test]
    fn any_value_is_accepted_or_rejected(document in arbitrary::document(), at in any::<prop::sample::Index>(), value in value()) {
        let mut json = serde_json::to_value(&document).expect("JSON");
        let count = count_values(&json);
        replace(&mut json, at.index(count), &value);
        match Document::from_json(&json, &context()) {
            Ok(document) => {
                let again = serde_json::to_value(&document).expect("JSON");
                prop_assert!(Document::from_json(&again, &context()).is_ok());
            }
            Err(mistakes) => {
                prop_assert!(!mistakes.is_empty());
                for mistake in mistakes {
                    // A missing property is reported within an existing object.
                    let (outer, _) = mistake.pointer.rsplit_once('/').unwrap_or_default();
                    let place = json.pointer(&mistake.pointer).or_else(|| json.pointer(outer));
                    prop_assert!(place.is_some(), "{:?}", mistake);
                }
            }
        }
    }
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z-]{0,12}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(paragraph("x")),
        Just(text("x")),
        Just(json!([[[[]]]])),
    ]
}

fn count_values(value: &Value) -> usize {
    1 + match value {
        Value::Array(values) => values.iter().map(count_values).sum(),
        Value::Object(object) => object.values().map(count_values).sum(),
        _ => 0,
    }
}

/// Replaces the `n`th value within a value.
fn replace(value: &mut Value, n: usize, with: &Value) -> Option<usize> {
    if n == 0 {
        *value = with.clone();
        return None;
    }
    let mut left = n - 1;
    match value {
        Value::Array(values) => {
            for value in values {
                left = replace(value, left, with)?;
            }
        }
        Value::Object(object) => {
            for value in object.values_mut() {
                left = replace(value, left, with)?;
            }
        }
        _ => {}
    }
    Some(left)
}
