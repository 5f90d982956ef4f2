//! Swagger 2.0 as OpenAPI 3.0.

use bindery_openapi::{convert, parse};
use serde_json::{Value, json};

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

const PETS: &str = "
swagger: '2.0'
info: {title: Pets, version: '1'}
host: pets.example
basePath: /v1/
schemes: [https, http]
consumes: [application/json]
produces: [application/json, text/xml]
parameters:
  Limit: {name: limit, in: query, type: integer, maximum: 100}
  Pet: {name: pet, in: body, required: true, schema: {$ref: '#/definitions/Pet'}}
paths:
  /pets:
    parameters:
      - $ref: '#/parameters/Limit'
    get:
      parameters:
        - {name: tags, in: query, type: array, items: {type: string}, collectionFormat: multi}
        - {name: odd, in: query, type: array, items: {type: string}, collectionFormat: tsv}
      responses:
        200:
          description: All
          schema: {type: array, items: {$ref: '#/definitions/Pet'}}
          headers: {X-Total: {type: integer, description: Count}}
          examples: {application/json: []}
        default: {$ref: '#/responses/Error'}
    post:
      produces: [text/plain]
      parameters:
        - $ref: '#/parameters/Pet'
      responses: {201: {description: Made, schema: {type: file}}}
  /pets/photo:
    post:
      schemes: [wss]
      consumes: [multipart/form-data]
      parameters:
        - {name: photo, in: formData, type: file, required: true, description: A picture}
        - {name: note, in: formData, type: string}
      responses: {204: {description: Kept}}
responses:
  Error: {description: Wrong, schema: {$ref: 'other.yaml#/definitions/Error'}}
definitions:
  Pet:
    type: object
    discriminator: kind
    properties:
      kind: {type: string, x-nullable: true}
      type: {$ref: '#/definitions/Kind'}
  Kind: {type: string}
securityDefinitions:
  basic: {type: basic}
  key: {type: apiKey, in: header, name: X-Key}
  login: {type: oauth2, flow: accessCode, authorizationUrl: 'https://a.example/a', tokenUrl: 'https://a.example/t', scopes: {read: Reads}}
  odd: {type: other}
";

#[test]
fn operations_come_to_their_new_places() -> Result {
    let (found, losses) = convert(&parse("", PETS)?);
    let at = |pointer: &str| found.pointer(pointer).cloned().unwrap_or(Value::Null);
    assert_eq!(at("/openapi"), "3.0.4");
    assert_eq!(
        at("/servers"),
        json!([{ "url": "https://pets.example/v1" }, { "url": "http://pets.example/v1" }])
    );
    assert_eq!(
        at("/components/parameters"),
        json!({ "Limit": { "name": "limit", "in": "query", "schema": { "type": "integer", "maximum": 100 } } })
    );
    assert_eq!(at("/paths/~1pets/parameters/0/$ref"), "#/components/parameters/Limit");
    let tags = json!({ "name": "tags", "in": "query", "style": "form", "explode": true, "schema": { "type": "array", "items": { "type": "string" } } });
    assert_eq!(at("/paths/~1pets/get/parameters/0"), tags);
    let all = json!({
        "description": "All",
        "headers": { "X-Total": { "description": "Count", "schema": { "type": "integer" } } },
        "content": {
            "application/json": { "schema": { "type": "array", "items": { "$ref": "#/components/schemas/Pet" } }, "example": [] },
            "text/xml": { "schema": { "type": "array", "items": { "$ref": "#/components/schemas/Pet" } } },
        },
    });
    assert_eq!(at("/paths/~1pets/get/responses/200"), all);
    assert_eq!(at("/paths/~1pets/get/responses/default/$ref"), "#/components/responses/Error");
    let body = json!({ "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Pet" } } }, "required": true });
    assert_eq!(at("/paths/~1pets/post/requestBody"), body);
    assert_eq!(
        at("/paths/~1pets/post/responses/201/content/text~1plain/schema"),
        json!({ "type": "string", "format": "binary" })
    );
    let photo = json!({
        "content": { "multipart/form-data": { "schema": {
            "type": "object",
            "properties": {
                "photo": { "type": "string", "format": "binary", "description": "A picture" },
                "note": { "type": "string" },
            },
            "required": ["photo"],
        } } },
        "required": true,
    });
    assert_eq!(at("/paths/~1pets~1photo/post/requestBody"), photo);
    assert_eq!(at("/paths/~1pets~1photo/post/servers/0/url"), "wss://pets.example/v1");
    let losses: Vec<_> =
        losses.iter().map(|loss| format!("{}: {}", loss.pointer, loss.message)).collect();
    let expected = [
        "/paths/~1pets/get/parameters/1: the values are not separated as \"tsv\" says",
        "/securityDefinitions/odd: the way to sign in is missing, because its type is unknown",
    ];
    assert_eq!(losses, expected);
    Ok(())
}

#[test]
fn components_come_to_their_new_places() -> Result {
    let (found, _) = convert(&parse("", PETS)?);
    let at = |pointer: &str| found.pointer(pointer).cloned().unwrap_or(Value::Null);
    let pet = json!({
        "type": "object",
        "discriminator": { "propertyName": "kind" },
        "properties": { "kind": { "type": "string", "nullable": true }, "type": { "$ref": "#/components/schemas/Kind" } },
    });
    assert_eq!(at("/components/schemas/Pet"), pet);
    assert_eq!(
        at("/components/responses/Error/content/application~1json/schema/$ref"),
        "other.yaml#/definitions/Error"
    );
    assert_eq!(
        at("/components/securitySchemes/basic"),
        json!({ "type": "http", "scheme": "basic" })
    );
    assert_eq!(
        at("/components/securitySchemes/key"),
        json!({ "in": "header", "name": "X-Key", "type": "apiKey" })
    );
    let login = json!({ "type": "oauth2", "flows": { "authorizationCode": {
        "authorizationUrl": "https://a.example/a", "tokenUrl": "https://a.example/t", "scopes": { "read": "Reads" },
    } } });
    assert_eq!(at("/components/securitySchemes/login"), login);
    Ok(())
}

#[test]
fn a_description_without_a_host_is_relative_to_its_address() -> Result {
    for (text, expected) in [("swagger: '2.0'", "/"), ("{swagger: '2.0', basePath: /api}", "/api")]
    {
        let (found, _) = convert(&parse("", text)?);
        assert_eq!(found["servers"][0]["url"], expected);
    }
    Ok(())
}
