//! Descriptions in one file and in several, and their mistakes.

use bindery_openapi::{Description, Loader, Problem, Version};
use url::Url;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Reads a description at an address from some files by address.
fn read(files: &[(&str, &str)]) -> Result<std::result::Result<Description, Vec<Problem>>> {
    let (first, text) = files.first().ok_or("no file")?;
    let mut loader = Loader::new(Some(Url::parse(first)?));
    loader.add(*text);
    while let Some(wanted) = loader.wanted(1).pop() {
        match files.iter().find(|(address, _)| *address == wanted.url.as_str()) {
            Some((_, text)) => loader.found(&wanted, &wanted.url, (*text).to_owned()),
            None => loader.lost(&wanted, "the server answered with 404"),
        }
    }
    Ok(loader.finish())
}

fn uploaded(text: &str) -> std::result::Result<Description, Vec<Problem>> {
    let mut loader = Loader::new(None);
    loader.add(text);
    loader.finish()
}

fn messages(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

fn failures(found: std::result::Result<Description, Vec<Problem>>) -> Vec<String> {
    messages(&found.err().unwrap_or_default())
}

#[test]
fn versions_are_recognised() {
    for (text, expected) in [
        (r#"{"openapi": "3.0.3"}"#, Version::V30),
        ("openapi: 3.1.0", Version::V31),
        ("openapi: 3.1", Version::V31),
        ("\u{feff}openapi: '3.2.0'", Version::V32),
        (" {\"swagger\": \"2.0\"}", Version::V20),
        ("swagger: 2.0", Version::V20),
    ] {
        let found = uploaded(text).map(|found| found.version);
        assert_eq!(found, Ok(expected), "{text}");
    }
}

#[test]
fn what_is_no_description_is_refused() {
    let allowed = "allowed: `openapi` 3.0, 3.1 or 3.2, or `swagger` 2.0";
    for (text, expected) in [
        ("{}", format!("found no version, {allowed}")),
        (
            "openapi: 4.0.0",
            format!("line 1:10 at /openapi: found the version \"4.0.0\", {allowed}"),
        ),
        (
            "{\n \"swagger\": \"1.2\"}",
            format!("line 2:13 at /swagger: found the version \"1.2\", {allowed}"),
        ),
        ("- a", "found no object, allowed: an OpenAPI description".to_owned()),
        (
            "{\n  \"openapi\": \"3.0.0\"\n  \"a\": 1}",
            "line 3:3: this is not JSON: expected `,` or `}`".to_owned(),
        ),
    ] {
        assert_eq!(failures(uploaded(text)), [expected], "{text}");
    }
    let found = failures(uploaded("openapi: 3.1.0\ninfo: {title: [}"));
    assert!(found[0].starts_with("line 2:"), "{found:?}");
}

#[test]
fn files_are_found_by_their_references() -> Result {
    let found = read(&[
        (
            "https://a.example/api/v1/openapi.yaml",
            "openapi: 3.1.0\ninfo: {title: Ships, version: 1.0}\npaths:\n  /ships:\n    $ref: 'paths/ships.yaml#/all'\ncomponents:\n  schemas:\n    Port: {$ref: ../port.json}\n    Mine: {$ref: 'openapi.yaml#/components/schemas/Port'}\n    Other: {$ref: 'https://b.example/s.yaml'}\n",
        ),
        (
            "https://a.example/api/v1/paths/ships.yaml",
            "all:\n  get:\n    responses:\n      200: {description: All, content: {a/b: {schema: {$ref: '../openapi.yaml#/components/schemas/Port'}}}}\n",
        ),
        (
            "https://a.example/api/port.json",
            r##"{"type": "object", "properties": {"next": {"$ref": "#"}}}"##,
        ),
        ("https://b.example/s.yaml", "type: string"),
    ])?;
    let found = found.map_err(|problems| messages(&problems).join("\n"))?;
    let names: Vec<_> = found.texts.keys().map(String::as_str).collect();
    let expected = [
        "https://a.example/api/port.json",
        "https://b.example/s.yaml",
        "openapi.yaml",
        "paths/ships.yaml",
    ];
    assert_eq!(names, expected);
    assert_eq!(found.title, "Ships");
    assert_eq!(messages(&found.problems), [] as [&str; 0]);
    let responses = found.values["paths/ships.yaml"].pointer("/all/get/responses/200/description");
    assert_eq!(responses.and_then(serde_json::Value::as_str), Some("All"));
    Ok(())
}

#[test]
fn references_to_nothing_are_told_and_leave_the_rest() -> Result {
    let text = "openapi: 3.0.0\npaths: {}\ncomponents:\n  schemas:\n    A:\n      properties:\n        b:\n          $ref: '#/components/schemas/B'\n        example:\n          $ref: '#/components/schemas/C'\n      example: {$ref: '#/not/read'}\n    D: {$anchor: d, allOf: [{$ref: '#d'}, {$ref: '#e'}]}\n";
    let found = uploaded(text).map_err(|problems| messages(&problems).join("\n"))?;
    let expected = [
        "line 8:17 at /components/schemas/A/properties/b/$ref: \"#/components/schemas/B\" leads to nothing",
        "line 10:17 at /components/schemas/A/properties/example/$ref: \"#/components/schemas/C\" leads to nothing",
        "line 12:50 at /components/schemas/D/allOf/1/$ref: \"#e\" leads to nothing",
    ];
    assert_eq!(messages(&found.problems), expected);
    Ok(())
}

#[test]
fn files_that_cannot_be_read_are_failures_with_their_place() -> Result {
    let first = "https://a.example/openapi.json";
    let text = "{\"openapi\": \"3.0.0\",\n \"paths\": {\"/a\": {\"$ref\": \"a.yaml\"}}}";
    let expected = "openapi.json:2:27 at /paths/~1a/$ref: https://a.example/a.yaml cannot be read: the server answered with 404";
    assert_eq!(failures(read(&[(first, text)])?), [expected]);
    let found = failures(read(&[(first, text), ("https://a.example/a.yaml", "get: {a: b\n")])?);
    assert!(found[0].starts_with("a.yaml:"), "{found:?}");
    let text = "openapi: 3.0.0\npaths: {/a: {$ref: 'file:///etc/passwd'}, /b: {$ref: b.yaml}}";
    let found = failures(uploaded(text));
    assert!(found[0].contains("allowed: an address that begins with http"), "{found:?}");
    assert!(found[1].contains("an uploaded text has no other files"), "{found:?}");
    Ok(())
}

#[test]
fn bombs_are_refused() {
    let deep =
        format!("{{\"openapi\": \"3.0.0\", \"a\": {}1{}}}", "[".repeat(125), "]".repeat(125));
    assert_eq!(failures(uploaded(&deep)).len(), 1);
    let yaml = format!("openapi: 3.0.0\na: {}1{}", "[".repeat(200), "]".repeat(200));
    assert_eq!(failures(uploaded(&yaml)).len(), 1);
    let mut aliases = "openapi: 3.0.0\na0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned();
    for level in 1..9 {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        aliases.push_str(&format!("a{level}: &a{level} [{items}]\n"));
    }
    assert_eq!(failures(uploaded(&aliases)).len(), 1);
}

#[test]
fn values_that_need_too_much_memory_are_refused() -> Result {
    let many = format!("[{}1]", "[],".repeat(5_000_000));
    let mut loader = Loader::new(None);
    loader.add(many);
    let problems = loader.finish().err().ok_or("it was read")?;
    assert!(problems[0].message.contains("too many values"), "{}", problems[0]);
    Ok(())
}
