//! Requests of operations, and the programs that send them.

use bindery_openapi::{Body, Description, Language, Loader, Request};
use serde_json::json;
use url::Url;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

fn read(text: &str) -> Result<Description> {
    let mut loader = Loader::new(Some(Url::parse("https://docs.example/api/main.yaml")?));
    loader.add(text);
    Ok(loader.finish().map_err(|problems| problems[0].clone())?)
}

const SHIPS: &str = "
openapi: 3.1.0
servers: [{url: 'https://{region}.example/v1/', variables: {region: {default: eu}}}]
security: [{token: []}]
paths:
  /ships/{ship}:
    parameters:
      - {name: ship, in: path, required: true, schema: {type: string}, example: 'a b/c'}
      - {name: view, in: query, required: true, schema: {type: string}}
    get:
      servers: [{url: /relative}]
      security: [{key: [], basic: []}]
      parameters:
        - {name: view, in: query, required: true, schema: {type: array, example: [x, y&z]}}
        - {name: page, in: query, schema: {type: integer}}
        - {name: X-Trace, in: header, required: true, schema: {type: integer}}
    patch:
      requestBody:
        content:
          text/plain: {}
          application/json: {schema: {properties: {name: {type: string}}}}
    put:
      security: []
      requestBody: {content: {application/x-www-form-urlencoded: {example: {a: 1, b: x y}}}}
components:
  securitySchemes:
    token: {type: http, scheme: bearer}
    key: {type: apiKey, in: query, name: key}
    basic: {type: http, scheme: Basic}
";

fn header(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[test]
fn requests_have_what_an_operation_needs() -> Result {
    let description = read(SHIPS)?;
    let request = |method: &str| description.request("/ships/{ship}", method).ok_or("none");
    let get = Request {
        method: "GET".to_owned(),
        url: "https://docs.example/relative/ships/a%20b%2Fc?view=x%2Cy%26z&key=KEY".to_owned(),
        headers: vec![header("X-Trace", "1"), header("Authorization", "Basic CREDENTIALS")],
        body: None,
    };
    assert_eq!(request("get")?, get);
    let patch = Request {
        method: "PATCH".to_owned(),
        url: "https://eu.example/v1/ships/a%20b%2Fc?view=text".to_owned(),
        headers: vec![
            header("Authorization", "Bearer TOKEN"),
            header("Content-Type", "application/json"),
        ],
        body: Some(Body::Json(json!({ "name": "text" }))),
    };
    assert_eq!(request("patch")?, patch);
    let put = request("put")?;
    assert_eq!(put.body, Some(Body::Text("a=1&b=x%20y".to_owned())));
    assert_eq!(put.headers.len(), 1);
    assert_eq!(description.request("/ships/{ship}", "post"), None);
    assert_eq!(description.request("/ships/{ship}", "parameters"), None);
    assert_eq!(description.request("/none", "get"), None);
    Ok(())
}

#[test]
fn programs_have_all_of_a_request() {
    let request = Request {
        method: "POST".to_owned(),
        url: "https://a.example/b?c=d".to_owned(),
        headers: vec![header("Content-Type", "application/json"), header("X-Key", "k")],
        body: Some(Body::Json(json!({ "name": "x" }))),
    };
    for language in Language::ALL {
        let program = language.program(&request);
        for part in ["https://a.example/b?c=d", "X-Key", "application/json"] {
            assert!(program.contains(part), "{part}:\n{program}");
        }
        let has_method = ["POST", "Post"].iter().any(|method| program.contains(method));
        assert!(has_method && program.contains("name"), "{program}");
    }
    let expected = "curl --request POST 'https://a.example/b?c=d' \\\n  \
                    --header 'Content-Type: application/json' \\\n  --header 'X-Key: k' \\\n  \
                    --data '{\n  \"name\": \"x\"\n}'";
    assert_eq!(Language::Curl.program(&request), expected);
}

/// A value that would end a text and run a program in each language, if it was not quoted.
const HOSTILE: &str = "'; \"#{`id`} ${1+1} $(id) \\' \\\" */ \"\"\" \"# //";

#[test]
fn values_cannot_leave_their_quotes() {
    let request = Request {
        method: "POST".to_owned(),
        url: "https://a.example/".to_owned(),
        headers: vec![header("X-Key", HOSTILE)],
        body: Some(Body::Text(format!("{HOSTILE}\n{HOSTILE}"))),
    };
    let expected = [
        (Language::Curl, "'X-Key: '\\''; \"#{`id`}"),
        (Language::JavaScript, "\"'; \\\"#{`id`} ${1+1} $(id) \\\\' \\\\\\\" */"),
        (Language::Kotlin, "\"'; \\\"#{`id`} \\${1+1} \\$(id)"),
        (Language::Php, "'X-Key: \\'; \"#{`id`} ${1+1} $(id) \\\\\\' \\\\\""),
        (Language::Ruby, "= '\\'; \"#{`id`} ${1+1} $(id) \\\\\\' \\\\\""),
        (Language::Rust, "r##\"'; \"#{`id`}"),
    ];
    for (language, part) in expected {
        let program = language.program(&request);
        assert!(program.contains(part), "{}\n{program}", language.name());
    }
}
