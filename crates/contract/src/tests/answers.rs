//! Tests of the checks of responses.

use serde_json::{Value, json};

use super::{block, contract, text};
use crate::schemas;

fn document(nodes: &[Value]) -> Value {
    json!({ "object": "document", "data": { "schemaVersion": 8 }, "nodes": nodes })
}

fn check_document(nodes: &[Value], expect: &str) {
    let answer = document(nodes);
    let operation = contract().operation("getDocumentById").unwrap();
    let outcome = operation.check_response(200, Some("application/json"), Some(&answer));
    assert_eq!(outcome.err().unwrap_or_else(|| "fine".to_owned()), expect, "{answer}");
}

#[test]
fn documents_nest_as_they_do_in_practice() {
    let paragraph = || block("paragraph", &[text("a")]);
    let image = || {
        json!({ "object": "block", "type": "images", "data": {}, "isVoid": false, "nodes": [{
            "object": "block", "type": "image", "isVoid": true, "fragments": [],
            "data": { "ref": { "kind": "url", "url": "https://example.org/a.png" } },
        }]})
    };
    let code = || block("code", &[block("code-line", &[text("a")])]);
    let list = |nodes: &[Value]| block("list-unordered", &[block("list-item", nodes)]);
    check_document(&[paragraph(), block("heading-1", &[text("A")]), code(), image()], "fine");
    check_document(&[block("if", &[paragraph()])], "fine");
    check_document(&[block("hint", &[code(), image(), block("hint", &[paragraph()])])], "fine");
    check_document(&[block("blockquote", &[code()])], "fine");
    check_document(
        &[list(&[image(), block("hint", &[paragraph()])])].map(|mut one| {
            one.as_object_mut().unwrap().remove("data");
            one
        }),
        "fine",
    );
    check_document(
        &[
            paragraph(),
            block("hint", &[json!({ "object": "block", "type": "paragraf", "nodes": [] })]),
        ],
        &format!(
            "GETDOC at \"/nodes/1/nodes/0/type\" found \"paragraf\", allowed: {}",
            explain_block_types()
        )
        .replace("GETDOC", "getDocumentById answered 200:"),
    );
    // All names are listed, also if a field distinguishes some variants that the others lack.
    for other in [json!({ "isVoid": false }), json!({ "isVoid": true }), json!({ "data": {} })] {
        let mut wrong = json!({ "object": "block", "type": "paragraf", "nodes": [] });
        wrong.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
        let message = format!(
            "getDocumentById answered 200: at \"/nodes/0/type\" found \"paragraf\", allowed: {}",
            explain_block_types()
        );
        check_document(&[wrong], &message);
    }
    check_document(
        &[
            block("hint", &[]),
            json!({ "object": "block", "type": "hint", "data": {}, "nodes": [] }),
        ],
        "getDocumentById answered 200: at \"/nodes/1/data/style\" found nothing, allowed: one of \"info\", \"warning\", \"danger\", \"success\"",
    );
}

fn explain_block_types() -> String {
    let union = schemas::resolve("#/components/schemas/DocumentBlock");
    let names = union["anyOf"].as_array().unwrap().iter();
    let types = names.flat_map(|one| {
        let schema = schemas::resolve(one["$ref"].as_str().unwrap());
        schema["properties"]["type"]["enum"].as_array().unwrap()
    });
    format!("one of {}", types.map(Value::to_string).collect::<Vec<_>>().join(", "))
}

#[test]
fn a_page_may_come_without_its_text() {
    let page = json!({
        "id": "p", "title": "T", "kind": "sheet", "type": "document", "slug": "t", "path": "t",
        "urls": { "app": "http://127.0.0.1:8080/app" }, "pages": [],
        "layout": { "cover": true, "title": true, "description": true, "tableOfContents": true,
            "outline": true, "pagination": true, "metadata": true, "width": "default",
            "coverSize": "hero" },
    });
    let operation = contract().operation("getPageById").unwrap();
    let check = |body: &Value| operation.check_response(200, Some("application/json"), Some(body));
    check(&page).unwrap();
    let mut wrong = page.clone();
    wrong["kind"] = json!("group");
    assert_eq!(
        check(&wrong).unwrap_err(),
        "getPageById answered 200: at \"/kind\" found \"group\", allowed: one of \"sheet\", \"group\""
    );
    wrong = page.clone();
    wrong["layout"]["cover"] = json!(1);
    assert_eq!(
        check(&wrong).unwrap_err(),
        "getPageById answered 200: at \"/layout/cover\" found 1, allowed: true or false"
    );
}

fn check(id: &str, status: u16, media_type: Option<&str>, body: Option<Value>, expect: &str) {
    let operation = contract().operation(id).unwrap();
    let outcome = operation.check_response(status, media_type, body.as_ref());
    let outcome = outcome.err().unwrap_or_else(|| "fine".to_owned());
    assert_eq!(outcome.replace(&format!("{id} answered {status}: "), ""), expect);
}

#[test]
fn answers_are_checked() {
    let json_type = Some("application/json; charset=utf-8");
    let error = |code: u16| Some(json!({ "error": { "code": code, "message": "m" } }));
    check("importGitRepository", 204, None, None, "fine");
    check(
        "importGitRepository",
        204,
        json_type,
        Some(json!({})),
        "a body where the contract has none",
    );
    check("importGitRepository", 200, None, None, "the contract does not declare this status");
    check(
        "getApiInformation",
        200,
        json_type,
        Some(json!({ "version": "1", "build": "b" })),
        "fine",
    );
    check(
        "getApiInformation",
        200,
        json_type,
        Some(json!({ "version": "1" })),
        "at \"/build\" found nothing, allowed: a text",
    );
    check("getApiInformation", 200, json_type, None, "no body");
    check(
        "getApiInformation",
        200,
        Some("text/html"),
        None,
        "the content type text/html is not declared",
    );
    check("getApiInformation", 304, None, None, "fine");
    check("getSpaceById", 404, json_type, error(404), "fine");
    check("getOrganizationById", 404, json_type, error(404), "fine");
    check(
        "getOrganizationById",
        404,
        json_type,
        error(400),
        "at \"/error/code\" found 400, allowed: 404",
    );
    check("getSpaceById", 501, json_type, error(500), "at \"/error/code\" found 500, allowed: 501");
    check("getSpaceById", 418, json_type, error(418), "the contract does not declare this status");
    check(
        "getSpaceById",
        500,
        Some("text/plain"),
        None,
        "an error with the content type Some(\"text/plain\")",
    );
}
