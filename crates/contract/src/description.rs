//! The published description: the whole contract as one OpenAPI document.

use serde_json::{Map, Value, json};

use crate::load::{self, RawOperation};
use crate::schemas;
use crate::{descriptions, embedded};

/// Builds the OpenAPI 3.1 document, whose schemas are plain JSON Schema, with the limits of a
/// server.
pub(crate) fn document(limits: &Value) -> Value {
    #[expect(clippy::expect_used, reason = "the files are compiled in and read by tests")]
    let operations = load::raw_operations().expect("the contract's files");
    let pending = load::pending();
    let mut paths = Map::new();
    for raw in operations {
        let is_pending = pending.contains(&raw.id);
        let (path, method, operation) = published(raw, is_pending);
        let item = paths.entry(path).or_insert_with(|| json!({}));
        if let Some(item) = item.as_object_mut() {
            item.insert(method, operation);
        }
    }
    let tags: Vec<Value> =
        embedded::OPERATIONS.iter().map(|(group, _)| json!({ "name": group })).collect();
    let mut components = schemas::root()["components"].clone();
    components["securitySchemes"] = security_schemes();
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Bindery HTTP API",
            "version": "1",
            "description": "Errors have the form {\"error\": {\"code\", \"message\"}}; any operation \
                may answer 400, 401, 403, 404, 409, 412, 413, 414, 415, 422, 429, 431, 500, 501 (not \
                implemented yet) and 503. A value may match several variants of a union. The limits \
                of this server, in bytes, levels, seconds and requests per minute, are in x-limits. \
                If requests are limited, the headers RateLimit and RateLimit-Policy \
                (draft-ietf-httpapi-ratelimit-headers) report the caller's remaining requests.",
            "x-limits": limits,
        },
        "servers": [{ "url": "/v1" }],
        "security": [{ "user": [] }],
        "tags": tags,
        "paths": paths,
        "components": components,
    });
    descriptions::add_to(&mut document["paths"]);
    descriptions::add_to(&mut document["components"]);
    document
}

fn published(raw: RawOperation, pending: bool) -> (String, String, Value) {
    let mut operation = json!({ "operationId": raw.id, "tags": [raw.group] });
    let (mut path, mut method) = (String::new(), String::new());
    if let (Value::Object(from), Value::Object(to)) = (raw.value, &mut operation) {
        for (key, value) in from {
            match (key.as_str(), value) {
                ("path", Value::String(text)) => path = text,
                ("method", Value::String(text)) => method = text.to_lowercase(),
                ("responses", value) => {
                    to.insert(key, with_descriptions(value));
                }
                (_, value) => {
                    to.insert(key, value);
                }
            }
        }
        if pending {
            to.insert("x-pending".to_owned(), Value::Bool(true));
        }
    }
    (path, method, operation)
}

/// Adds the description that OpenAPI requires for every response, derived from the status.
fn with_descriptions(mut responses: Value) -> Value {
    for (status, response) in responses.as_object_mut().into_iter().flatten() {
        if response.get("$ref").is_some() {
            continue;
        }
        if let Some(response) = response.as_object_mut() {
            response.insert("description".to_owned(), reason(status).into());
        }
    }
    responses
}

fn reason(status: &str) -> &'static str {
    match status {
        "200" => "Done.",
        "201" => "Created.",
        "202" => "Started.",
        "204" => "Done, or nothing to do; no content.",
        "205" => "Deleted; no content.",
        "default" => "Any other outcome.",
        _ => "Refused.",
    }
}

fn security_schemes() -> Value {
    let bearer = json!({ "type": "http", "scheme": "bearer" });
    json!({
        "user": bearer,
        "user-internal": bearer,
        "user-internal-or-staff": bearer,
        "integration": bearer,
        "integration-installation": bearer,
        "shareKey": { "type": "apiKey", "in": "query", "name": "shareKey" },
    })
}
