//! Parses the contract's files into operations and components and applies the widenings.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use crate::embedded;
use crate::operation::{
    Body, BodyLimit, Content, Method, Operation, Parameter, ParameterLocation, Response,
};

/// The error is the reason why the contract's files are invalid, which tests rule out.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// An operation as in its file, with the group that the file is named after.
pub(crate) struct RawOperation {
    pub(crate) id: String,
    pub(crate) group: &'static str,
    pub(crate) value: Value,
}

struct Widening {
    target: String,
    value: Value,
}

/// Returns all operations as JSON, in the order of the files, with the widenings applied.
pub(crate) fn raw_operations() -> Result<Vec<RawOperation>> {
    let mut all = Vec::new();
    for (group, text) in embedded::OPERATIONS {
        for (id, value) in object(group, text)? {
            all.push(RawOperation { id, group, value });
        }
    }
    for widening in widenings()? {
        let Some(rest) = widening.target.strip_prefix("/operations/") else {
            continue;
        };
        let (id, pointer) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let raw = all.iter_mut().find(|raw| raw.id == id);
        let raw = raw.ok_or_else(|| format!("a widening names the operation {id}"))?;
        set(&mut raw.value, pointer, widening.value)?;
    }
    Ok(all)
}

/// Returns `{"components": {"schemas", "parameters", "responses", "headers"}}` with the widenings
/// applied.
pub(crate) fn components() -> Result<Value> {
    let mut schemas = Map::new();
    for (area, text) in embedded::SCHEMAS {
        for (name, schema) in object(area, text)? {
            if schemas.insert(name.clone(), schema).is_some() {
                return Err(format!("the schema {name} is defined twice"));
            }
        }
    }
    let mut root = json!({ "components": {
        "schemas": schemas,
        "parameters": object("parameters", embedded::PARAMETERS)?,
        "responses": object("responses", embedded::RESPONSES)?,
        "headers": object("headers", embedded::HEADERS)?,
    }});
    for widening in widenings()? {
        if widening.target.starts_with("/components/") {
            set(&mut root, &widening.target, widening.value)?;
        }
    }
    Ok(root)
}

/// Returns the ids of the pending operations.
pub(crate) fn pending() -> BTreeSet<String> {
    embedded::PENDING.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Returns the table of operations.
pub(crate) fn operations() -> Result<Vec<Operation>> {
    let shared = SharedComponents {
        parameters: widened("parameters", embedded::PARAMETERS)?,
        responses: widened("responses", embedded::RESPONSES)?,
        pending: pending(),
    };
    raw_operations()?.into_iter().map(|raw| shared.operation(raw)).collect()
}

struct SharedComponents {
    parameters: Value,
    responses: Value,
    pending: BTreeSet<String>,
}

impl SharedComponents {
    fn operation(&self, raw: RawOperation) -> Result<Operation> {
        let RawOperation { id, group, value } = raw;
        let method = value["method"].as_str().and_then(Method::parse);
        let method = method.ok_or_else(|| format!("{id}: no method"))?;
        let path = value["path"].as_str().ok_or_else(|| format!("{id}: no path"))?;
        let security = value.get("security").and_then(Value::as_array);
        let share_key = security.is_some_and(|all| all.iter().any(|s| s.get("shareKey").is_some()));
        let parameters = list(&value["parameters"]);
        let responses = value["responses"].as_object();
        let responses = responses.ok_or_else(|| format!("{id}: no answers"))?;
        Ok(Operation {
            method,
            path: format!("/v1{path}"),
            group: group.to_owned(),
            summary: value["summary"].as_str().map(str::to_owned),
            deprecated: value["deprecated"] == true,
            pending: self.pending.contains(&id),
            public: security.is_some_and(Vec::is_empty),
            share_key,
            parameters: parameters.map(|one| self.parameter(&id, one)).collect::<Result<_>>()?,
            body: value.get("requestBody").map(body),
            responses: responses
                .iter()
                .map(|(status, one)| self.response(&id, status, one))
                .collect::<Result<_>>()?,
            body_limit: match value["x-body-limit"].as_str() {
                Some("content") => BodyLimit::Content,
                Some("archive") => BodyLimit::Archive,
                Some("event") => BodyLimit::Event,
                _ => BodyLimit::Json,
            },
            validator: OnceLock::new(),
            id,
        })
    }

    fn parameter(&self, id: &str, value: &Value) -> Result<Parameter> {
        let value = referenced(&self.parameters, value)?;
        Ok(Parameter {
            name: value["name"].as_str().unwrap_or_default().to_owned(),
            location: match value["in"].as_str() {
                Some("path") => ParameterLocation::Path,
                Some("query") => ParameterLocation::Query,
                Some("header") => ParameterLocation::Header,
                other => return Err(format!("{id}: a parameter in {other:?}")),
            },
            required: value["required"] == true,
            schema: value["schema"].clone(),
        })
    }

    fn response(&self, id: &str, status: &str, value: &Value) -> Result<Response> {
        let status = match status {
            "default" => None,
            code => Some(code.parse().map_err(|_| format!("{id}: the status {code}"))?),
        };
        let content = content(&referenced(&self.responses, value)?["content"]);
        Ok(Response { status, content, validator: OnceLock::new() })
    }
}

fn body(value: &Value) -> Body {
    Body { required: value["required"] == true, content: content(&value["content"]) }
}

fn content(value: &Value) -> Vec<Content> {
    value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(media_type, one)| Content {
            media_type: media_type.clone(),
            schema: one.get("schema").cloned(),
        })
        .collect()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns the value itself, or the target of its reference (by its last segment) in `shared`.
fn referenced<'a>(shared: &'a Value, value: &'a Value) -> Result<&'a Value> {
    let Some(reference) = value["$ref"].as_str() else {
        return Ok(value);
    };
    let name = reference.rsplit('/').next().unwrap_or_default();
    shared.get(name).ok_or_else(|| format!("{reference} does not exist"))
}

fn widened(part: &str, text: &str) -> Result<Value> {
    let mut value = Value::Object(object(part, text)?);
    let prefix = format!("/components/{part}");
    for widening in widenings()? {
        if let Some(pointer) = widening.target.strip_prefix(&prefix) {
            set(&mut value, pointer, widening.value)?;
        }
    }
    Ok(value)
}

fn widenings() -> Result<Vec<Widening>> {
    let all: Value = parse("widenings", embedded::WIDENINGS)?;
    list(&all)
        .map(|one| {
            let target = one["target"].as_str().ok_or("a widening without a target")?;
            Ok(Widening { target: target.to_owned(), value: one["value"].clone() })
        })
        .collect()
}

/// Sets the value at `pointer`, whose parent must exist.
fn set(root: &mut Value, pointer: &str, value: Value) -> Result<()> {
    let (parent, key) = pointer.rsplit_once('/').ok_or_else(|| format!("{pointer}: no step"))?;
    let key = key.replace("~1", "/").replace("~0", "~");
    let missing = || format!("a widening names {pointer}, which does not exist");
    match root.pointer_mut(parent).ok_or_else(missing)? {
        Value::Object(map) => {
            map.insert(key, value);
        }
        // The position after the last item, as in RFC 6901.
        Value::Array(items) if key == "-" => items.push(value),
        Value::Array(items) => {
            let index: usize = key.parse().map_err(|_| missing())?;
            *items.get_mut(index).ok_or_else(missing)? = value;
        }
        _ => return Err(missing()),
    }
    Ok(())
}

fn object(name: &str, text: &str) -> Result<Map<String, Value>> {
    match parse(name, text)? {
        Value::Object(map) => Ok(map),
        _ => Err(format!("{name}: not an object")),
    }
}

fn parse(name: &str, text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| format!("{name}: {error}"))
}
