//! Pieces of descriptions.

use std::collections::BTreeMap;

use bindery_openapi::{
    Description, Direction, HEAD, Language, Loader, PieceName, Pointer, Problem, needed,
};
use serde_json::Value;
use url::Url;

type Failure = Box<dyn std::error::Error>;

const ROOT: &str = "openapi: 3.1.0
info: {title: Ships, version: '2'}
servers: [{url: 'https://api.example'}]
paths:
  /ships/{id}:
    parameters: [{$ref: 'parts.yaml#/Id'}, {name: lang, in: query, schema: {type: string}}]
    get:
      operationId: getShip
      parameters: [{name: lang, in: query, required: true, schema: {type: string, example: nl}}]
      responses:
        '200': {$ref: '#/components/responses/Ship'}
webhooks:
  sunk: {post: {responses: {'200': {description: Done}}}}
components:
  responses:
    Ship: {description: A ship, content: {application/json: {schema: {$ref: '#/components/schemas/Ship'}}}}
    Unused: {description: Nothing refers to it}
  schemas:
    Ship:
      type: object
      properties: {name: {type: string}, sister: {$ref: '#/components/schemas/Ship'}, port: {$ref: 'parts.yaml#/Port'}}
    Alone: {type: string}
";
const PARTS: &str = "Id: {name: id, in: path, required: true, schema: {$ref: '#/Number'}}
Number: {type: integer, example: 7}
Port: {type: object, properties: {city: {$anchor: city, type: string}, twin: {$ref: '#city'}}}
";

fn described() -> Result<Description, Vec<Problem>> {
    let base = Url::parse("https://files.example/api/root.yaml").ok();
    let mut loader = Loader::new(base);
    loader.add(ROOT);
    while let Some(wanted) = loader.wanted(1).pop() {
        loader.found(&wanted, &wanted.url, PARTS.to_owned());
    }
    loader.finish()
}

fn pieces(description: &Description) -> BTreeMap<String, Value> {
    let mut pieces = BTreeMap::new();
    description.pieces(|name, piece| {
        pieces.insert(name, piece);
    });
    pieces
}

/// Returns a description of an operation and everything that it needs.
fn assembled(pieces: &BTreeMap<String, Value>, name: PieceName) -> Description {
    let mut parts = BTreeMap::new();
    let mut open = vec![name];
    while let Some(name) = open.pop() {
        let Some(piece) = pieces.get(&name.to_string()) else { continue };
        open.extend(
            needed(piece)
                .into_iter()
                .map(PieceName::Value)
                .filter(|name| !parts.contains_key(name)),
        );
        parts.insert(name, piece.clone());
    }
    Description::of_pieces(pieces.get(HEAD).cloned().unwrap_or_default(), parts)
}

fn get_ship() -> PieceName {
    PieceName::Operation { path: "/ships/{id}".to_owned(), method: "get".to_owned() }
}

#[test]
fn each_operation_and_each_needed_value_is_a_piece() -> Result<(), Failure> {
    let pieces = pieces(&described().map_err(|problems| format!("{problems:?}"))?);
    let names: Vec<&str> = pieces.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "head",
            "operation get /ships/{id}",
            "value /$files/parts.yaml/Id",
            "value /$files/parts.yaml/Number",
            "value /$files/parts.yaml/Port",
            "value /$files/parts.yaml/Port/properties/city",
            "value /components/responses/Ship",
            "value /components/schemas/Alone",
            "value /components/schemas/Ship",
            "webhook post sunk",
        ]
    );
    let operation = &pieces["operation get /ships/{id}"];
    let parameters = operation["parameters"].as_array().ok_or("no parameters")?;
    // The parameter of the operation replaces that of the path.
    assert_eq!(parameters.len(), 2);
    assert_eq!(parameters[0]["required"], true);
    assert_eq!(parameters[1]["$ref"], "#/$files/parts.yaml/Id");
    assert!(pieces["head"].get("paths").is_none());
    Ok(())
}

#[test]
fn assembled_pieces_give_the_same_examples_and_requests() -> Result<(), Failure> {
    let whole = described().map_err(|problems| format!("{problems:?}"))?;
    let part = assembled(&pieces(&whole), get_ship());
    let samples = |description: &Description| {
        description.request("/ships/{id}", "get").map(|request| Language::Curl.program(&request))
    };
    let sample = samples(&part).ok_or("no request")?;
    assert!(sample.contains("https://api.example/ships/7?lang=nl"), "{sample}");
    let example = |description: &Description| {
        let pointer = Pointer::parse("/components/schemas/Ship")?;
        let ship = description.target(&description.root, &format!("#{pointer}"))?;
        description.example(ship, Direction::Response)
    };
    assert_eq!(example(&part), example(&whole));
    assert!(example(&part).is_some());
    assert_eq!(part.title, "Ships");
    Ok(())
}
