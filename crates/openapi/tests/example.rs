//! Examples of schemas.

use bindery_openapi::{Description, Direction, Loader, shortened_value};
use serde_json::{Value, json};

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

fn read(schemas: &Value) -> Result<Description> {
    let text = json!({ "openapi": "3.1.0", "components": { "schemas": schemas } });
    let mut loader = Loader::new(None);
    loader.add(text.to_string());
    Ok(loader.finish().map_err(|problems| problems[0].clone())?)
}

/// Returns the example of the schema `A`.
fn example(schemas: &Value, direction: Direction) -> Result<Option<Value>> {
    let description = read(schemas)?;
    let file = &description.root;
    let schema = description.target(file, "#/components/schemas/A").ok_or("no schema")?;
    Ok(description.example(schema, direction))
}

fn response(schema: &Value) -> Result<Option<Value>> {
    example(&json!({ "A": schema }), Direction::Response)
}

#[test]
fn stated_values_come_first() -> Result {
    for (schema, expected) in [
        (json!({ "type": "string", "example": "a", "default": "b" }), json!("a")),
        (json!({ "type": "string", "examples": ["c", "d"] }), json!("c")),
        (json!({ "const": 7 }), json!(7)),
        (json!({ "type": "integer", "default": 3, "enum": [1, 3] }), json!(3)),
        (json!({ "enum": ["x", "y"] }), json!("x")),
        (json!({ "type": ["null", "integer"] }), json!(1)),
        (json!({ "type": ["integer", "null"] }), json!(1)),
        (json!({ "type": "null" }), Value::Null),
        (json!(true), json!({})),
    ] {
        assert_eq!(response(&schema)?, Some(expected), "{schema}");
    }
    assert_eq!(response(&json!(false))?, None);
    Ok(())
}

#[test]
fn generated_values_fit_their_limits() -> Result {
    for (schema, expected) in [
        (json!({ "type": "integer", "minimum": 5 }), json!(5)),
        (json!({ "type": "integer", "exclusiveMinimum": 5 }), json!(6)),
        (json!({ "type": "integer", "minimum": 5, "exclusiveMinimum": true }), json!(6)),
        (json!({ "type": "integer", "maximum": -3 }), json!(-4)),
        (json!({ "type": "number", "minimum": 0.25 }), json!(0.25)),
        (json!({ "type": "integer", "minimum": 7, "multipleOf": 5 }), json!(10)),
        (json!({ "type": "number" }), json!(1)),
        (json!({ "type": "string", "minLength": 6 }), json!("texttext")),
        (json!({ "type": "string", "maxLength": 2 }), json!("te")),
        (json!({ "type": "string", "format": "date-time" }), json!("2025-01-31T09:30:00Z")),
        (json!({ "type": "boolean" }), json!(true)),
        (json!({ "type": "array", "items": { "type": "integer" }, "minItems": 2 }), json!([1, 1])),
        (json!({ "type": "array" }), json!([])),
        (
            json!({ "prefixItems": [{ "type": "integer" }, { "type": "string" }] }),
            json!([1, "text"]),
        ),
        (json!({ "additionalProperties": { "type": "boolean" } }), json!({ "key": true })),
    ] {
        assert_eq!(response(&schema)?, Some(expected), "{schema}");
    }
    Ok(())
}

#[test]
fn parts_and_variants_are_put_together() -> Result {
    let schemas = json!({
        "A": {
            "allOf": [{ "$ref": "#/components/schemas/B" }, { "properties": { "two": { "type": "integer" } } }],
            "properties": { "three": { "oneOf": [{ "type": "string" }, { "type": "integer" }] } },
        },
        "B": { "type": "object", "properties": { "one": { "type": "string" } } },
    });
    let expected = json!({ "one": "text", "two": 1, "three": "text" });
    assert_eq!(example(&schemas, Direction::Request)?, Some(expected));
    Ok(())
}

#[test]
fn properties_of_the_other_direction_are_left_out() -> Result {
    let schemas = json!({ "A": { "properties": {
        "id": { "type": "integer", "readOnly": true },
        "password": { "type": "string", "writeOnly": true },
        "name": { "type": "string" },
    } } });
    let expected = json!({ "password": "text", "name": "text" });
    assert_eq!(example(&schemas, Direction::Request)?, Some(expected));
    assert_eq!(example(&schemas, Direction::Response)?, Some(json!({ "id": 1, "name": "text" })));
    Ok(())
}

#[test]
fn circles_end_where_they_close() -> Result {
    let schemas = json!({ "A": { "properties": {
        "name": { "type": "string" },
        "next": { "$ref": "#/components/schemas/A" },
        "all": { "type": "array", "items": { "$ref": "#/components/schemas/A" } },
    } } });
    let expected = json!({ "name": "text", "all": [] });
    assert_eq!(example(&schemas, Direction::Response)?, Some(expected));
    Ok(())
}

#[test]
fn a_schema_that_multiplies_has_a_bounded_example() -> Result {
    let mut schemas = serde_json::Map::new();
    for level in 0..30 {
        let next = json!({ "$ref": format!("#/components/schemas/S{}", level + 1) });
        let properties: serde_json::Map<_, _> =
            (0..10).map(|number| (format!("p{number}"), next.clone())).collect();
        schemas.insert(format!("S{level}"), json!({ "properties": properties }));
    }
    schemas.insert("A".to_owned(), json!({ "$ref": "#/components/schemas/S0" }));
    let found = example(&Value::Object(schemas), Direction::Response)?.ok_or("no example")?;
    assert!(found.to_string().len() < 20_000);
    Ok(())
}

#[test]
fn long_values_are_shortened_evenly() {
    let ship = json!({ "name": "x".repeat(300), "ports": [1, 2, 3, 4, 5] });
    assert_eq!(shortened_value(&ship, 1_000), ship);
    let fleet = json!({ "ships": vec![ship; 20], "flag": "blue" });
    let short = shortened_value(&fleet, 1_000);
    assert_eq!(short["flag"], "blue");
    let first = short["ships"][0]["name"].as_str().unwrap_or_default();
    assert!(first.ends_with('…') && short.to_string().len() < 1_000, "{short}");
    assert_eq!(shortened_value(&fleet, 10), json!({}));
}
