//! The API reference: the contract as one HTML page without scripts.

use std::fmt::Write;

use serde_json::Value;

use crate::contract::Contract;
use crate::embedded;
use crate::operation::{Content, Operation, ParameterLocation};
use crate::schemas;

const STYLE: &str = "\
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent);\
--soft:color-mix(in srgb,currentColor 6%,transparent);--link:light-dark(#0550ae,#79b8ff)}\
body{font:16px/1.55 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1.5rem}\
a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:2px}\
code,pre,.path{font:13px/1.5 ui-monospace,monospace}\
pre{background:var(--soft);border-radius:6px;overflow-x:auto;padding:.75rem}\
nav ul{columns:14rem;list-style:none;padding:0}\
article{border-top:1px solid var(--line);padding:.75rem 0}\
h2{margin-top:3rem}h3{font-size:1rem;margin:.25rem 0}\
.method{border:1px solid var(--line);border-radius:4px;font:600 12px/1 ui-monospace,monospace;\
padding:.2em .45em}.note{opacity:.75}summary{cursor:pointer}\
table{border-collapse:collapse;font-size:.9rem}td{padding:.15rem 1rem .15rem 0;vertical-align:top}";

/// Renders the whole page.
pub(crate) fn page(contract: &Contract) -> String {
    let mut out = String::with_capacity(1 << 20);
    // Writing into a String cannot fail.
    let _ = write(&mut out, contract);
    out
}

fn write(out: &mut String, contract: &Contract) -> std::fmt::Result {
    write!(
        out,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>API reference</title><style>{STYLE}</style></head><body>\
         <h1>API reference</h1>\
         <p>Every request carries <code>Authorization: Bearer &lt;token&gt;</code> unless the \
         operation works without one. Errors have the form \
         <code>{{\"error\": {{\"code\", \"message\"}}}}</code>. The same \
         description is available as <a href=\"openapi.json\">OpenAPI</a>.</p><nav aria-label=\"Groups\"><ul>"
    )?;
    for (group, _) in embedded::OPERATIONS {
        write!(out, "<li><a href=\"#group-{group}\">{}</a></li>", title(group))?;
    }
    write!(out, "<li><a href=\"#schemas\">Schemas</a></li></ul></nav><main>")?;
    for (group, _) in embedded::OPERATIONS {
        write!(out, "<section><h2 id=\"group-{group}\">{}</h2>", title(group))?;
        for operation in contract.operations().iter().filter(|one| one.group == *group) {
            write_operation(out, operation)?;
        }
        write!(out, "</section>")?;
    }
    write!(out, "<section><h2 id=\"schemas\">Schemas</h2>")?;
    let components = schemas::root()["components"]["schemas"].as_object();
    for (name, schema) in components.into_iter().flatten() {
        write!(out, "<article id=\"schema-{name}\"><h3>{name}</h3><pre>")?;
        write_schema(out, schema, 0)?;
        write!(out, "</pre></article>")?;
    }
    write!(out, "</section></main></body></html>")
}

fn title(group: &str) -> String {
    let text = group.replace('-', " ");
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn write_operation(out: &mut String, operation: &Operation) -> std::fmt::Result {
    let Operation { id, method, path, .. } = operation;
    write!(
        out,
        "<article id=\"{id}\"><h3><a href=\"#{id}\">{id}</a></h3>\
         <p><span class=\"method\">{method}</span> <span class=\"path\">{}</span></p>",
        escape(path)
    )?;
    if let Some(summary) = &operation.summary {
        write!(out, "<p>{}</p>", escape(summary))?;
    }
    let notes = [
        (operation.deprecated, "Deprecated."),
        (operation.pending, "Not implemented yet; answers 501."),
        (operation.public, "Works without a token."),
        (operation.share_key, "Accepts a share key instead of a token."),
    ];
    for (_, note) in notes.iter().filter(|(holds, _)| *holds) {
        write!(out, "<p class=\"note\">{note}</p>")?;
    }
    write!(out, "<details><summary>Request and responses</summary><table>")?;
    for parameter in &operation.parameters {
        let location = match parameter.location {
            ParameterLocation::Path => "path",
            ParameterLocation::Query => "query",
            ParameterLocation::Header => "header",
        };
        let required = if parameter.required { ", required" } else { "" };
        write!(out, "<tr><td><code>{}</code><td>{location}{required}<td><code>", parameter.name)?;
        write_schema(out, &parameter.schema, 0)?;
        write!(out, "</code>")?;
    }
    write!(out, "</table>")?;
    if let Some(body) = &operation.body {
        let required = if body.required { "" } else { " (optional)" };
        write_content(out, &format!("Body{required}"), &body.content)?;
    }
    for response in &operation.responses {
        let status = response.status.map_or_else(|| "Other".to_owned(), |code| code.to_string());
        write_content(out, &status, &response.content)?;
    }
    write!(out, "</details></article>")
}

fn write_content(out: &mut String, heading: &str, content: &[Content]) -> std::fmt::Result {
    if content.is_empty() {
        return write!(out, "<p><strong>{heading}</strong>: no content</p>");
    }
    for one in content {
        write!(out, "<p><strong>{heading}</strong>: <code>{}</code></p>", one.media_type)?;
        if let Some(schema) = &one.schema {
            write!(out, "<pre>")?;
            write_schema(out, schema, 0)?;
            write!(out, "</pre>")?;
        }
    }
    Ok(())
}

/// Renders a schema in a short notation, `{ field: type, optional?: type }`, with references as
/// links.
fn write_schema(out: &mut String, schema: &Value, indent: usize) -> std::fmt::Result {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return write!(out, "<a href=\"#schema-{name}\">{name}</a>");
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return write_joined(out, values, " | ", |out, value| {
            write!(out, "{}", escape(&value.to_string()))
        });
    }
    for (keyword, between) in [("anyOf", " | "), ("allOf", " &amp; ")] {
        if let Some(parts) = schema.get(keyword).and_then(Value::as_array) {
            return write_joined(out, parts, between, |out, part| write_schema(out, part, indent));
        }
    }
    match schema.get("type") {
        Some(Value::String(name)) if name == "array" => {
            write!(out, "[")?;
            write_schema(out, schema.get("items").unwrap_or(&Value::Null), indent)?;
            write!(out, "]")
        }
        Some(Value::String(name)) if name == "object" => write_object(out, schema, indent),
        Some(Value::String(name)) => {
            let format = schema.get("format").and_then(Value::as_str);
            write!(out, "{}", format.unwrap_or(name))
        }
        Some(Value::Array(names)) => write_joined(out, names, " | ", |out, name| {
            write!(out, "{}", name.as_str().unwrap_or_default())
        }),
        _ if schema.get("properties").is_some() => write_object(out, schema, indent),
        _ => write!(out, "any"),
    }
}

fn write_object(out: &mut String, schema: &Value, indent: usize) -> std::fmt::Result {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    writeln!(out, "{{")?;
    let pad = "  ".repeat(indent + 1);
    for (name, property) in
        schema.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        let mark = if is_required(name) { "" } else { "?" };
        write!(out, "{pad}{}{mark}: ", escape(name))?;
        write_schema(out, property, indent + 1)?;
        writeln!(out)?;
    }
    match schema.get("additionalProperties") {
        Some(Value::Object(map)) => {
            write!(out, "{pad}[name]: ")?;
            write_schema(out, &Value::Object(map.clone()), indent + 1)?;
            writeln!(out)?;
        }
        Some(Value::Bool(true)) => writeln!(out, "{pad}[name]: any")?,
        _ => {}
    }
    write!(out, "{}}}", "  ".repeat(indent))
}

fn write_joined(
    out: &mut String,
    items: &[Value],
    between: &str,
    mut one: impl FnMut(&mut String, &Value) -> std::fmt::Result,
) -> std::fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            write!(out, "{between}")?;
        }
        one(out, item)?;
    }
    Ok(())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
