//! The shape of schemas.

use bindery_openapi::{Description, Direction, Loader, Part};

type Failure = Box<dyn std::error::Error>;

const TEXT: &str = "openapi: 3.1.0
info: {title: Shapes, version: '1'}
paths: {}
components:
  schemas:
    Base: {type: object, required: [id], properties: {id: {type: string, format: uuid}}}
    Ship:
      allOf:
        - {$ref: '#/components/schemas/Base'}
        - {properties: {name: {type: [string, 'null'], maxLength: 9}, id: {type: integer}}}
      required: [name]
    Fleet: {type: array, items: {$ref: '#/components/schemas/Ship'}, minItems: 1, maxItems: 3}
    Any: {oneOf: [{$ref: '#/components/schemas/Ship'}, {type: string}, {type: 'null'}]}
    Map: {type: object, additionalProperties: {type: integer, minimum: 0}}
    Circle: {allOf: [{$ref: '#/components/schemas/Circle'}], properties: {a: {type: boolean}}}
    Nothing: {}
    Boat: {discriminator: {propertyName: kind, mapping: {small: '#/components/schemas/Base', tiny: Base, large: Ship}}, oneOf: [{$ref: '#/components/schemas/Base'}, {$ref: '#/components/schemas/Ship'}, {$ref: '#/components/schemas/Nothing'}]}
    Pair: {type: array, prefixItems: [{type: string}, {type: integer}], patternProperties: {'^x-': {type: boolean}}}
    Share: {type: number, exclusiveMinimum: 0, maximum: 1, multipleOf: 0.25}
    Old: {type: integer, minimum: 1, exclusiveMaximum: true, maximum: 9}
    Code: {type: string, minLength: 3, maxLength: 3}
    Tags: {type: array, maxItems: 5, uniqueItems: true, items: {type: string}}
";

fn described() -> Result<Description, Failure> {
    let mut loader = Loader::new(None);
    loader.add(TEXT);
    loader.finish().map_err(|problems| format!("{problems:?}").into())
}

fn schema<'d>(description: &'d Description, name: &str) -> Result<Part<'d>, Failure> {
    let target = format!("#/components/schemas/{name}");
    description.target(&description.root, &target).ok_or_else(|| name.into())
}

#[test]
fn types_are_described_in_words() -> Result<(), Failure> {
    let description = described()?;
    for (name, expect) in [
        ("Ship", "object"),
        ("Fleet", "object[] · items 1 – 3"),
        ("Share", "number · > 0 · ≤ 1 · multiple of 0.25"),
        ("Old", "integer · ≥ 1 · < 9"),
        ("Code", "string · length 3"),
        ("Tags", "string[] · items ≤ 5 · unique items"),
        ("Any", "object | string | null"),
        ("Map", "object"),
        ("Nothing", "any"),
        ("Circle", "object"),
    ] {
        assert_eq!(description.type_of(schema(&description, name)?), expect, "{name}");
    }
    Ok(())
}

#[test]
fn properties_of_all_parts_are_collected_once() -> Result<(), Failure> {
    let description = described()?;
    let shape = description.shape(schema(&description, "Ship")?);
    let fields: Vec<_> = shape
        .fields
        .iter()
        .map(|field| (field.name, field.is_required, description.type_of(field.schema)))
        .collect();
    let expect = [
        ("id", true, "string · uuid".to_owned()),
        ("name", true, "string · length ≤ 9 | null".to_owned()),
    ];
    assert_eq!(fields, expect);
    assert_eq!(description.shape(schema(&description, "Circle")?).fields.len(), 1);
    assert_eq!(description.shape(schema(&description, "Any")?).one_of.len(), 2);
    assert!(description.shape(schema(&description, "Map")?).other.is_some());
    assert!(description.shape(schema(&description, "Nothing")?).is_empty());
    Ok(())
}

#[test]
fn variants_are_told_apart_by_a_property() -> Result<(), Failure> {
    let description = described()?;
    let boat = schema(&description, "Boat")?;
    let shape = description.shape(boat);
    let found = shape.discriminator.ok_or("no discriminator")?;
    assert_eq!(
        (found.property, found.values_of("Base")),
        ("kind", vec!["small".into(), "tiny".into()])
    );
    assert_eq!(
        (found.values_of("Ship"), found.values_of("Nothing")),
        (vec!["large".into()], vec!["Nothing".into()])
    );
    let example = description.example(boat, Direction::Request).ok_or("no example")?;
    assert_eq!(example["kind"], "small");
    let fields = description.shape(schema(&description, "Pair")?).fields;
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    assert_eq!(names, ["[0]", "[1]", "^x-"]);
    Ok(())
}
