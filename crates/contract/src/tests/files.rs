//! Invariants of the contract's files.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::contract;
use crate::{Method, Operation, ParameterLocation, description, embedded, load, schemas};

/// Every file in the folders is compiled in.
#[test]
fn all_files_are_embedded() {
    for (folder, files) in [("operations", embedded::OPERATIONS), ("schemas", embedded::SCHEMAS)] {
        let folder = format!("{}/contract/{folder}", env!("CARGO_MANIFEST_DIR"));
        let names = std::fs::read_dir(folder).unwrap();
        let names: BTreeSet<String> =
            names.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        let embedded = files.iter().map(|(name, _)| format!("{name}.json")).collect();
        assert_eq!(names, embedded);
    }
}

/// 309 operations of the base contract, 28 additions, 80 of Bindery's own.
#[test]
fn all_operations_are_there() {
    assert_eq!(contract().operations().len(), 309 + 28 + 80);
    assert_eq!(schemas::root()["components"]["schemas"].as_object().unwrap().len(), 791);
}

#[test]
fn ids_and_routes_are_unique() {
    let mut ids = BTreeSet::new();
    let mut routes = BTreeSet::new();
    for operation in contract().operations() {
        assert!(ids.insert(&operation.id), "{} is defined twice", operation.id);
        let route =
            operation.path.split('/').map(|step| if step.starts_with('{') { "{}" } else { step });
        let route = (operation.method.as_str(), route.collect::<Vec<_>>().join("/"));
        assert!(routes.insert(route), "{} has the route of another operation", operation.id);
        let in_path: BTreeSet<&str> = operation
            .path
            .split('/')
            .filter_map(|s| s.strip_prefix('{')?.strip_suffix('}'))
            .collect();
        let declared =
            operation.parameters_in(ParameterLocation::Path).map(|one| one.name.as_str()).collect();
        assert_eq!(in_path, declared, "{}", operation.id);
    }
}

#[test]
fn built_operations_have_a_summary() {
    for operation in contract().operations() {
        let has_summary = operation.summary.as_ref().is_some_and(|text| text.ends_with('.'));
        assert_eq!(has_summary, !operation.pending, "{}", operation.id);
    }
}

#[test]
fn pending_lines_are_sorted_and_known() {
    let lines: Vec<&str> = embedded::PENDING.lines().collect();
    assert!(lines.is_sorted());
    let built = contract().operations().iter().filter(|operation| !operation.pending);
    contract().check_handlers(built.map(|operation| operation.id.as_str())).unwrap();
}

#[test]
fn handlers_and_operations_must_agree() {
    let built =
        || contract().operations().iter().filter(|one| !one.pending).map(|one| one.id.as_str());
    let check = |ids: Vec<&str>, expect: &str| {
        assert_eq!(contract().check_handlers(ids).unwrap_err(), [expect]);
    };
    check(
        built().filter(|id| *id != "getSpaceById").collect(),
        "getSpaceById has neither a handler nor a pending line",
    );
    check(
        built().chain(["getNothing"]).collect(),
        "getNothing has a handler, but the contract has no such operation",
    );
    if let Some(pending) = contract().operations().iter().find(|one| one.pending) {
        let expect = format!("{} has a handler: remove its line from pending.txt", pending.id);
        check(built().chain([pending.id.as_str()]).collect(), &expect);
    }
    check(built().chain(["getSpaceById"]).collect(), "getSpaceById has two handlers");
}

fn references(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            out.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|value| references(value, out));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, out)),
        _ => {}
    }
}

#[test]
fn every_reference_resolves() {
    let document = description::document(&json!({}));
    let mut all = Vec::new();
    references(&document, &mut all);
    assert!(all.len() > 2000);
    for reference in all {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn every_schema_compiles() {
    for (name, _) in schemas::root()["components"]["schemas"].as_object().unwrap() {
        let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
        schemas::compile(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    for operation in contract().operations() {
        let body = operation.body.iter().filter_map(|body| body.json());
        let answers = operation.responses.iter().filter_map(|response| response.json());
        for schema in body.chain(answers) {
            schemas::compile(schema).unwrap_or_else(|error| panic!("{}: {error}", operation.id));
        }
    }
}

/// The schemas use only keywords that `explain` and `jsonschema` support.
#[test]
fn schemas_use_known_keywords_only() {
    const KNOWN: &[&str] = &[
        "$ref",
        "description",
        "type",
        "properties",
        "required",
        "enum",
        "items",
        "anyOf",
        "allOf",
        "format",
        "maxLength",
        "minLength",
        "additionalProperties",
        "default",
        "deprecated",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "pattern",
        "discriminator",
        "minProperties",
        "maxProperties",
        "propertyNames",
        "uniqueItems",
    ];
    fn walk(name: &str, schema: &Value) {
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            assert!(KNOWN.contains(&keyword.as_str()), "{name}: {keyword}");
            match keyword.as_str() {
                "properties" => value.as_object().unwrap().values().for_each(|one| walk(name, one)),
                "anyOf" | "allOf" => {
                    value.as_array().unwrap().iter().for_each(|one| walk(name, one))
                }
                "items" | "additionalProperties" | "propertyNames" => walk(name, value),
                _ => {}
            }
        }
    }
    for (name, schema) in schemas::root()["components"]["schemas"].as_object().unwrap() {
        walk(name, schema);
    }
}

#[test]
fn every_widening_has_a_reason() {
    let all: Value = serde_json::from_str(embedded::WIDENINGS).unwrap();
    for one in all.as_array().unwrap() {
        assert!(one["reason"].as_str().unwrap().ends_with('.'), "{one}");
    }
    load::components().unwrap();
}

#[test]
fn few_operations_work_without_a_token() {
    let of = |pick: fn(&Operation) -> bool| {
        let all = contract().operations().iter().filter(|one| pick(one));
        all.map(|one| one.id.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(
        of(|one| one.public),
        [
            "signIn",
            "sendSignInLink",
            "receiveGitEvent",
            "acceptInvitation",
            "receiveOpenAPIHook",
            "trackEventsInSiteById",
            "getApiInformation",
            "getEmbedByUrl",
            "getPublishedContentByUrl",
            "resolvePublishedContentByUrl",
        ]
    );
    assert_eq!(
        of(|one| one.share_key),
        [
            "getSiteRedirectBySource",
            "listSiteSections",
            "listSiteSpaces",
            "getSiteStructure",
            "getPublishedContentSite",
            "getSpaceById",
        ]
    );
}

#[test]
fn the_description_is_complete() {
    let limits = json!({ "jsonDepth": 200 });
    let document: Value = serde_json::from_slice(&contract().openapi(&limits)).unwrap();
    assert_eq!(document["info"]["x-limits"], limits);
    assert_eq!(document["openapi"], "3.1.0");
    let operation = &document["paths"]["/spaces/{spaceId}"]["get"];
    assert_eq!(operation["operationId"], "getSpaceById");
    assert_eq!(operation["tags"], json!(["spaces"]));
    let paths = document["paths"].as_object().unwrap();
    let count: usize = paths.values().map(|item| item.as_object().unwrap().len()).sum();
    assert_eq!(count, contract().operations().len());
    assert!(document.to_string().matches("\"nullable\"").next().is_none());
}

#[test]
fn methods_have_their_names() {
    for method in [Method::Get, Method::Post, Method::Put, Method::Patch, Method::Delete] {
        assert_eq!(Method::parse(method.as_str()), Some(method));
    }
}
