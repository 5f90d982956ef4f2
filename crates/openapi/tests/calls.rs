//! The forms and the requests of calls.

use std::collections::BTreeMap;

use bindery_openapi::{CallValues, Description, FormField, Language, Loader, Problem};

const TEXT: &str = "
openapi: 3.1.0
info: {title: Ships, version: '1'}
servers:
  - url: https://{region}.api.example.com/v1
    variables: {region: {default: eu, enum: [eu, us]}}
  - url: https://{tenant}.example.net/
    variables: {tenant: {default: demo}}
  - url: https://{host}/v2
    variables: {host: {default: api.example.org}}
  - url: ../v3
  - url: https://user:pass@example.com
paths:
  /ships/{id}/parts/{part}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer, example: 4}}
      - {name: part, in: path, required: true, schema: {type: string, enum: [hull, mast]}}
    post:
      summary: Mend a part
      security: [{token: []}, {login: [], key: []}, {}]
      parameters:
        - {name: tags, in: query, explode: false, schema: {type: array, items: {type: string}}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: Host, in: header, schema: {type: string}}
        - {name: seen, in: cookie, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/json: {schema: {type: object, properties: {speed: {type: integer, example: 3}}}}
          multipart/form-data:
            schema:
              type: object
              required: [plan]
              properties: {plan: {type: string, format: binary}, note: {type: string}}
      responses: {'200': {description: Done}}
  /hidden:
    x-hideTryItPanel: true
    get: {responses: {'200': {description: Done}}}
components:
  securitySchemes:
    token: {type: http, scheme: bearer}
    login: {type: http, scheme: basic}
    key: {type: apiKey, in: header, name: X-Key}
";

const PATH: &str = "/ships/{id}/parts/{part}";

type Tested = Result<(), Vec<Problem>>;

fn description() -> Result<Description, Vec<Problem>> {
    let mut loader = Loader::new("https://docs.example.com/api/ships.yaml".parse().ok());
    loader.add(TEXT);
    loader.finish()
}

fn values(parameters: &[(&str, &str, &[&str])]) -> CallValues {
    let parameters = parameters.iter().map(|(name, place, values)| {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        ((*name).to_owned(), (*place).to_owned(), values)
    });
    CallValues { parameters: parameters.collect(), ..CallValues::default() }
}

fn usual() -> CallValues {
    values(&[("id", "path", &["7"]), ("part", "path", &["hull"])])
}

#[test]
fn a_form_has_all_that_a_call_takes() -> Tested {
    let description = description()?;
    let form = description.call_form(PATH, "post").unwrap_or_default();
    assert_eq!(form.title, "Mend a part");
    let urls: Vec<&str> = form.servers.iter().map(|server| server.url.as_str()).collect();
    assert_eq!(urls[3], "https://docs.example.com/v3");
    assert_eq!(form.servers[0].variables[0].values, ["eu", "us"]);
    let parameters: Vec<_> = form
        .parameters
        .iter()
        .map(|one| (one.name.as_str(), one.place.as_str(), one.required, one.multiple))
        .collect();
    let expect = [
        ("id", "path", true, false),
        ("part", "path", true, false),
        ("tags", "query", false, true),
        ("X-Trace", "header", false, false),
        ("seen", "cookie", false, false),
    ];
    assert_eq!(parameters, expect);
    assert_eq!((form.parameters[0].value.as_str(), form.body_required), ("4", true));
    assert!(form.bodies[0].example.contains("\"speed\": 3") && form.bodies[0].fields.is_none());
    let fields = form.bodies[1].fields.clone().unwrap_or_default();
    let fields: Vec<_> =
        fields.iter().map(|one| (one.name.as_str(), one.required, one.is_file)).collect();
    assert_eq!(fields, [("plan", true, true), ("note", false, false)]);
    let kinds: Vec<Vec<&str>> =
        form.security.iter().map(|way| way.iter().map(|one| one.kind).collect()).collect();
    assert_eq!(kinds, [vec!["bearer"], vec!["basic", "apiKey"], vec![]]);
    assert_eq!(description.call_form("/hidden", "get"), None);
    assert_eq!(description.call_form("/ships", "get"), None);
    Ok(())
}

#[test]
fn a_call_has_its_values_encoded() -> Tested {
    let description = description()?;
    let call = description.call(
        PATH,
        "post",
        &CallValues {
            credentials: vec![
                ("token".to_owned(), "T".to_owned()),
                ("login".to_owned(), "me:secret".to_owned()),
                ("key".to_owned(), "K".to_owned()),
            ],
            content_type: Some("application/json; charset=utf-8".to_owned()),
            body: Some(b"{}".to_vec()),
            ..values(&[
                ("id", "path", &["a/?#%"]),
                ("part", "path", &["é"]),
                ("tags", "query", &["1&2", "3"]),
                ("X-Trace", "header", &["t"]),
                ("Host", "header", &["evil.example"]),
                ("seen", "cookie", &["yes; other=1"]),
            ])
        },
    );
    let call = call.map_err(|_| Vec::new())?;
    let url = "https://eu.api.example.com/v1/ships/a%2F%3F%23%25/parts/%C3%A9?tags=1%262,3";
    assert_eq!((call.method.as_str(), call.url.as_str()), ("POST", url));
    let named = |pairs: &[(String, String)]| {
        pairs.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>()
    };
    assert_eq!(
        named(&call.headers),
        ["X-Trace: t", "content-type: application/json; charset=utf-8"]
    );
    let secret = [
        "authorization: Bearer T",
        "authorization: Basic bWU6c2VjcmV0",
        "X-Key: K",
        "cookie: seen=yes other=1",
    ];
    assert_eq!(named(&call.secret_headers), secret);
    assert_eq!(call.body, Some(b"{}".to_vec()));
    Ok(())
}

#[test]
fn a_call_leads_to_a_server_of_the_description_only() -> Tested {
    let description = description()?;
    let at = |server: usize, variables: &[(&str, &str)]| {
        let variables: BTreeMap<String, String> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let call = description.call(PATH, "post", &CallValues { server, variables, ..usual() });
        call.map(|call| call.url.to_string())
    };
    assert_eq!(
        at(1, &[("tenant", "acme-1")]),
        Ok("https://acme-1.example.net/ships/7/parts/hull".to_owned())
    );
    assert_eq!(at(2, &[]), Ok("https://api.example.org/v2/ships/7/parts/hull".to_owned()));
    assert_eq!(at(3, &[]), Ok("https://docs.example.com/v3/ships/7/parts/hull".to_owned()));
    for (server, variables) in [
        (0, &[("region", "evil")][..]),
        (1, &[("tenant", "evil.com/")]),
        (1, &[("tenant", "a.b")]),
        (1, &[("tenant", "")]),
        (1, &[("tenant", "me@evil")]),
        (2, &[("host", "localhost")]),
        (2, &[("host", "evil.com")]),
        (4, &[]),
        (5, &[]),
    ] {
        assert!(at(server, variables).is_err(), "{server} {variables:?}");
    }
    Ok(())
}

#[test]
fn values_that_do_not_fit_are_named() -> Tested {
    let description = description()?;
    let refusal = |values: &CallValues| match description.call(PATH, "post", values) {
        Ok(call) => call.url.to_string(),
        Err(refusal) => refusal,
    };
    for id in ["", ".", ".."] {
        let wrong = values(&[("id", "path", &[id]), ("part", "path", &["hull"])]);
        assert!(refusal(&wrong).contains("\"id\" is empty or only dots"), "{}", refusal(&wrong));
    }
    let missing = values(&[("id", "path", &["7"])]);
    assert!(refusal(&missing).contains("\"part\" is missing"));
    let other = CallValues {
        content_type: Some("text/plain".to_owned()),
        body: Some(Vec::new()),
        ..usual()
    };
    assert!(refusal(&other).contains("allowed: application/json, multipart/form-data"));
    let unknown = CallValues { credentials: vec![("x".to_owned(), "y".to_owned())], ..usual() };
    assert!(refusal(&unknown).contains("no way \"x\""));
    assert!(description.call("/ships", "get", &usual()).is_err());
    Ok(())
}

#[test]
fn a_call_is_a_request_of_a_program() -> Tested {
    let description = description()?;
    let mut given = usual();
    given.content_type = Some("multipart/form-data; boundary=x".to_owned());
    given.body = Some(b"the parts".to_vec());
    given.credentials = vec![("token".to_owned(), "T".to_owned())];
    let call = description.call(PATH, "post", &given);
    let Ok(call) = call else { return Err(Vec::new()) };
    let file = FormField { name: "plan".to_owned(), value: None };
    let with_parts = Language::Curl.program(&call.clone().into_request(Some(vec![file])));
    assert!(with_parts.contains("--form 'plan=@file'"), "{with_parts}");
    assert!(with_parts.contains("'authorization: Bearer T'"), "{with_parts}");
    assert!(!with_parts.contains("boundary"), "{with_parts}");
    let with_text = Language::Curl.program(&call.into_request(None));
    assert!(with_text.contains("--data 'the parts'"), "{with_text}");
    Ok(())
}
