//! Any text and any value is read without a panic, in bounded time.

use bindery_openapi::{
    Description, Direction, Language, Loader, Pointer, compare, convert, parse, positions,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Returns values whose fields have the names that descriptions have.
fn values() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "$ref",
        "type",
        "properties",
        "items",
        "allOf",
        "oneOf",
        "get",
        "post",
        "parameters",
        "in",
        "name",
        "schema",
        "required",
        "content",
        "responses",
        "200",
        "tags",
        "parent",
        "example",
        "examples",
        "servers",
        "url",
        "variables",
        "security",
        "flow",
        "minimum",
        "multipleOf",
        "minLength",
        "minItems",
        "format",
        "definitions",
        "a/b",
        "x-internal",
        "requestBody",
    ]);
    let texts = prop::sample::select(vec![
        "#/components/schemas/A",
        "#",
        "#/a~1b",
        "other.yaml#/a",
        "https://a.example/x",
        "string",
        "integer",
        "object",
        "array",
        "body",
        "formData",
        "query",
        "path",
        "a",
        "",
        "file",
        "::",
        "{a}",
        "oauth2",
        "apiKey",
        "漢字 \u{1F6A2}",
        "application/json",
    ]);
    let leaf = prop_oneof![
        texts.prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(6, 120, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((names.clone(), inner), 0..6).prop_map(|fields| {
                let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value));
                Value::Object(fields.collect::<Map<_, _>>())
            }),
        ]
    })
}

/// Reads a description without its other files.
fn described(text: String) -> Option<Description> {
    let mut loader = Loader::new(None);
    loader.add(text);
    while let Some(wanted) = loader.wanted(1).pop() {
        loader.lost(&wanted, "there is none");
    }
    loader.finish().ok()
}

/// Returns a description with parts at the places where they mean something.
fn whole(version: (&str, &str), parts: &[Value]) -> Option<Value> {
    let [paths, schemas, tags, shared, security] = parts else { return None };
    let body = json!({ "content": { "application/json": { "schema": paths } } });
    let mut root = json!({
        "paths": {
            "/a": paths,
            "/b/{a}": { "get": shared },
            "/c": { "post": { "requestBody": body, "responses": { "200": body } } },
        },
        "components": { "schemas": { "A": schemas, "a/b": paths }, "securitySchemes": security },
        "tags": tags,
        "definitions": schemas,
        "parameters": shared,
        "securityDefinitions": security,
    });
    root[version.0] = version.1.into();
    Some(root)
}

/// Reads everything of a description.
fn read_all(text: String) {
    let Some(description) = described(text) else { return };
    let outline = description.outline();
    for operation in outline.tags.iter().flat_map(|tag| &tag.operations) {
        if let Some(request) = description.request(&operation.path, &operation.method) {
            for language in Language::ALL {
                assert!(language.program(&request).contains("http"));
            }
        }
    }
    for name in &outline.models {
        let target =
            format!("#{}", Pointer::default().child("components").child("schemas").child(name));
        if let Some(schema) = description.target(&description.root, &target) {
            let _example = description.example(schema, Direction::Response);
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in "\\PC*") {
        let _value = parse("", &text);
        read_all(text);
    }

    #[test]
    fn any_description_is_read(
        version in prop::sample::select(vec![("openapi", "3.1.0"), ("swagger", "2.0")]),
        parts in prop::collection::vec(values(), 5),
    ) {
        let Some(root) = whole(version, &parts) else { return Ok(()) };
        let _converted = convert(&root);
        read_all(root.to_string());
    }

    #[test]
    fn a_description_has_no_changes_from_itself(
        version in prop::sample::select(vec![("openapi", "3.1.0"), ("swagger", "2.0")]),
        old in prop::collection::vec(values(), 5),
        new in prop::collection::vec(values(), 5),
    ) {
        let (Some(old), Some(new)) = (whole(version, &old), whole(version, &new)) else {
            return Ok(());
        };
        let texts = (old.to_string(), new.to_string());
        let (Some(old), Some(new)) = (described(texts.0), described(texts.1)) else {
            return Ok(());
        };
        prop_assert_eq!(compare(&old, &old.clone()), vec![]);
        prop_assert!(compare(&old, &new).iter().all(|change| change.text.ends_with('.')));
    }

    #[test]
    fn pointers_lead_back_to_their_values(steps in prop::collection::vec("[a~/%#0-9é ]{0,4}", 0..5)) {
        let pointer = steps.iter().fold(Pointer::default(), |pointer, step| pointer.child(step));
        prop_assert_eq!(Pointer::parse(&pointer.to_string()), Some(pointer.clone()));
        let value = steps.iter().rev().fold(json!(7), |value, step| json!({ step: value }));
        prop_assert_eq!(pointer.find(&value), Some(&json!(7)));
        let text = serde_json::to_string_pretty(&value).unwrap_or_default();
        let expected = text.lines().position(|line| line.trim_start_matches(['"', ' ']).contains('7') && !line.ends_with('{'));
        if let (Some(position), Some(line)) = (positions(&text, &[&pointer])[0], expected) {
            prop_assert_eq!(position.line, line + 1);
        }
    }
}
