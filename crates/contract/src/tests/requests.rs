//! Tests of the checks of requests.

use serde_json::{Value, json};

use super::{block, contract, text};
use crate::{explain, schemas};

fn pairs(text: &str) -> Vec<(String, String)> {
    text.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn check_body(id: &str, body: Value, expect: &str) {
    let outcome = contract().operation(id).unwrap().check_body(&body);
    let outcome = outcome.map_or_else(|error| error.to_string(), |()| "fine".to_owned());
    assert_eq!(outcome, expect, "{id} {body}");
}

fn check_query(id: &str, query: &str, expect: &str) {
    let outcome = contract().operation(id).unwrap().check_query(&pairs(query));
    let outcome = outcome.map_or_else(|e| e.to_string(), |query| query.into_value().to_string());
    assert_eq!(outcome, expect, "{id}?{query}");
}

#[test]
fn queries_are_read_by_type() {
    check_query("listSites", "", r#"{"limit":50}"#);
    check_query("listSites", "limit=1000&page=x&unknown=1", r#"{"page":"x","limit":1000}"#);
    check_query("listSites", "published=true", r#"{"limit":50,"published":true}"#);
    check_query("getRevisionById", "metadata=false", r#"{"metadata":false,"computed":true}"#);
    check_query(
        "getPageById",
        "evaluated=deterministic-only",
        r#"{"evaluated":"deterministic-only","metadata":true,"computed":true}"#,
    );
    check_query(
        "getPageById",
        "evaluated=true",
        r#"{"evaluated":true,"metadata":true,"computed":true}"#,
    );
    check_query("listJobs", "status=failed", r#"{"status":"failed","limit":50}"#);
    check_query("adsListSites", "", r#"{"limit":50,"status":"in-review"}"#);
}

#[test]
fn invalid_parameters_are_named() {
    const LIMIT: &str = "a whole number of 1 to 1000";
    for (text, found) in [
        ("0", "0"),
        ("1001", "1001"),
        ("1.5", "1.5"),
        ("-1", "-1"),
        ("many", "\"many\""),
        ("", "\"\""),
        ("1e999", "\"1e999\""),
    ] {
        check_query(
            "listSites",
            &format!("limit={text}"),
            &format!("query parameter \"limit\": found {found}, allowed: {LIMIT}"),
        );
    }
    check_query(
        "listSites",
        "limit=1&limit=2",
        "query parameter \"limit\": found 2 values, allowed: one",
    );
    check_query(
        "listSites",
        "title=a\0b",
        "query parameter \"title\": found a text with U+0000, allowed: text without it",
    );
    check_query(
        "getPageById",
        "format=pdf",
        r#"query parameter "format": found "pdf", allowed: one of "document", "markdown""#,
    );
    check_query(
        "getPageById",
        "metadata=1",
        r#"query parameter "metadata": found "1", allowed: true or false"#,
    );
    check_query(
        "getPageById",
        "evaluated=maybe",
        r#"query parameter "evaluated": found "maybe", allowed: true or false or "deterministic-only""#,
    );
    check_query("getEmbedByUrl", "", r#"query parameter "url": found nothing, allowed: a text"#);
}

#[test]
fn paths_are_checked() {
    let check = |id: &str, text: &str, expect: &str| {
        let outcome = contract().operation(id).unwrap().check_path(&pairs(text));
        let outcome = outcome.map_or_else(|error| error.to_string(), |()| "fine".to_owned());
        assert_eq!(outcome, expect);
    };
    check("getSpaceById", "spaceId=x", "fine");
    check("getSpaceById", "", r#"path parameter "spaceId": found nothing, allowed: a text"#);
    check(
        "getSpaceById",
        "spaceId=\0",
        r#"path parameter "spaceId": found a text with U+0000, allowed: text without it"#,
    );
    check(
        "getIntegrationByName",
        "integrationName=a/b",
        r#"path parameter "integrationName": found "a/b", allowed: a text of at most 100 characters that matches ^[a-zA-Z0-9-_.]+$"#,
    );
}

#[test]
fn bodies_are_checked() {
    let long = "x".repeat(51);
    check_body("createSpace", json!({}), "fine");
    check_body("createSpace", json!({ "title": "A", "anything": 1 }), "fine");
    check_body(
        "importGitRepository",
        json!([]),
        r#"body: found a list of 0, allowed: an object like {"url": "…"}"#,
    );
    check_body(
        "postCommentInSpace",
        json!({ "body": 5 }),
        r#"body at /body: found 5, allowed: an object like {"markdown": "…"} or an object like {"document": {"object": "document", "data": {"schemaVersion": 1}, "nodes": [{…}]}}"#,
    );
    check_body(
        "importGitRepository",
        json!({ "url": "u", "gitInfo": "github" }),
        r#"body at /gitInfo: found "github", allowed: an object like {"provider": "github"}"#,
    );
    check_body(
        "createSpace",
        json!({ "title": long }),
        "body at /title: found a text of 51 characters, allowed: a text of at most 50 characters",
    );
    check_body(
        "createSpace",
        json!({ "title": "a\0" }),
        "body at /title: found a text with U+0000, allowed: text without it",
    );
    check_body(
        "createTranslation",
        json!({ "language": "xx", "source": { "space": "a", "language": "en" } }),
        &format!(
            "body at /language: found \"xx\", allowed: {}",
            explain::describe(schemas::resolve("#/components/schemas/TranslationLanguage"))
        ),
    );
    check_body(
        "createSpace",
        json!({ "editMode": "shut" }),
        r#"body at /editMode: found "shut", allowed: one of "live", "locked""#,
    );
}

#[test]
fn members_of_bodies_are_checked() {
    check_body(
        "importGitRepository",
        json!({ "ref": "r" }),
        "body at /url: found nothing, allowed: a text",
    );
    check_body(
        "importGitRepository",
        json!({ "url": "u", "ref": "r", "timestamp": "today" }),
        r#"body at /timestamp: found "today", allowed: a time such as "2026-01-31T12:00:00Z""#,
    );
    check_body(
        "importGitRepository",
        json!({ "url": "https://me:secret@host/x", "ref": 7 }),
        "body at /ref: found 7, allowed: a text",
    );
    check_body(
        "createUser",
        json!({ "email": "a@b.c", "displayName": "A", "organization": "o", "role": null }),
        "fine",
    );
    check_body(
        "createUser",
        json!({ "email": "a.b@c@d", "displayName": "A", "organization": "o", "role": "read" }),
        "body at /email: found a text of 7 characters, allowed: an e-mail address of at most 254 characters",
    );
    check_body(
        "createUser",
        json!({ "email": "a@b.c", "displayName": "A", "organization": "o", "role": "boss" }),
        r#"body at /role: found "boss", allowed: one of "admin", "create", "edit", "review", "comment", "read" or null"#,
    );
}

#[test]
fn nested_bodies_are_checked() {
    check_body("transferSpace", json!({ "organization": "o", "parent": null }), "fine");
    check_body("createChangeRequest", json!({ "subject": "s", "own": { "free": true } }), "fine");
    check_body(
        "applyTemplateToSpace",
        json!({ "id": "blank", "changeRequestId": 5 }),
        "body at /changeRequestId: found 5, allowed: a text",
    );
    check_body(
        "updateOrganizationById",
        json!({ "defaultContent": { "type": "collection", "collection": "c" } }),
        "fine",
    );
    check_body(
        "updateOrganizationById",
        json!({ "defaultContent": { "type": "page" } }),
        r#"body at /defaultContent/type: found "page", allowed: one of "site", "space", "collection""#,
    );
    check_body(
        "updateOrganizationById",
        json!({ "mergeRules": { "type": "rules", "rules": [{ "rule": "custom" }] } }),
        "body at /mergeRules/rules/0/expression: found nothing, allowed: a text of 0 to 1024 characters",
    );
    check_body(
        "updateChangeRequestContent",
        json!({ "changes": [] }),
        &format!(
            "body at /changes: found a list of 0, allowed: {}",
            explain::describe(
                &contract()
                    .operation("updateChangeRequestContent")
                    .unwrap()
                    .body
                    .as_ref()
                    .unwrap()
                    .json()
                    .unwrap()["properties"]["changes"]
            )
        ),
    );
}

#[test]
fn missing_bodies_are_refused_where_one_is_required() {
    let check = |id: &str| contract().operation(id).unwrap().check_no_body();
    check("createSpace").unwrap();
    check("publishSite").unwrap();
    assert_eq!(
        check("addSpaceToSite").unwrap_err().to_string(),
        r#"body: found nothing, allowed: an object like {"spaceId": "…"} (application/json)"#
    );
    assert_eq!(
        check("importSpaceArchive").unwrap_err().to_string(),
        "body: found nothing, allowed: application/gzip, application/zip, application/octet-stream"
    );
}

/// Deeply nested documents, valid and invalid, with the children before the deciding type. A check
/// whose work doubles with each level would not finish.
#[test]
fn deep_documents_are_checked() {
    let nested = |inner: Value, levels: usize| {
        (0..levels).fold(inner, |inner, _| {
            json!({ "nodes": [inner], "data": { "style": "info" }, "object": "block", "type": "hint" })
        })
    };
    for inner in [block("paragraph", &[text("a")]), json!({ "object": "block", "type": "nothing" })]
    {
        let body = json!({ "description": { "object": "document", "data": {}, "nodes": [nested(inner, 95)] } });
        let operation = contract().operation("updateChangeRequestById").unwrap();
        let _compiled = operation.check_body(&json!({}));
        let outcome = operation.check_body(&body);
        assert_eq!(outcome.is_ok(), !body.to_string().contains("nothing"));
    }
}

/// The description of any body is short enough to be read in a message.
#[test]
fn descriptions_of_schemas_are_short() {
    for operation in contract().operations() {
        let Some(schema) = operation.body.as_ref().and_then(|body| body.json()) else { continue };
        let description = explain::describe(schema);
        assert!(description.chars().count() < 2_000, "{}: {description}", operation.id);
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let description = explain::describe(property);
            assert!(description.chars().count() < 2_000, "{} {name}: {description}", operation.id);
        }
    }
}
