//! Examples of calls and answers, derived from the contract.

use serde_json::{Map, Value, json};

use crate::operation::{Operation, ParameterLocation};
use crate::schemas;

/// Maximum depth of an example.
const MAX_DEPTH: usize = REQUIRED_DEPTH + 5;
/// The last levels of an example, which have no optional fields.
const REQUIRED_DEPTH: usize = 8;
/// Maximum number of optional fields of an example's objects.
const MAX_OPTIONAL: usize = 3;

/// Groups and operations that `@gitbook/api` 0.146 lacks. Examples of these use `fetch`.
const OUTSIDE_CLIENT: [&str; 30] = [
    "addExternalLinkToSite",
    "bindery",
    "bulkUpsertSiteRedirects",
    "createOrganization",
    "deleteSiteExternalLinkById",
    "duplicateSiteSpace",
    "getApiInformation",
    "getGitSyncInstallationById",
    "getImportRun",
    "getLatestOpenAPISpecVersionContentRaw",
    "getOrganizationAuditEvent",
    "installGitSyncProviderOnTarget",
    "inviteToSite",
    "listChangeRequestPageMetaLinks",
    "listImportRuns",
    "listOrganizationAuditEventActions",
    "listOrganizationAuditEvents",
    "listRevisionPageMetaLinks",
    "listSiteGitSyncInstallations",
    "listSpacePageMetaLinks",
    "listTeamPermissionsInSite",
    "listUserPermissionsInSite",
    "removeTeamFromSite",
    "removeUserFromSite",
    "uninstallGitSyncInstallation",
    "updateChangeRequestContent",
    "updateGitSyncInstallationById",
    "updateSiteExternalLinkById",
    "updateTeamPermissionInSite",
    "updateUserPermissionInSite",
];

/// Returns the placeholder of a path parameter in a shell: `spaceId` becomes `SPACE_ID`.
fn placeholder(name: &str) -> String {
    let mut out = String::new();
    let mut previous = '_';
    for letter in name.chars() {
        if letter.is_uppercase() && previous.is_lowercase() {
            out.push('_');
        }
        out.extend(letter.to_uppercase());
        previous = letter;
    }
    out
}

/// Returns the path with placeholders and the required query.
fn target(operation: &Operation) -> String {
    let mut target = operation.path.clone();
    for parameter in operation.parameters_in(ParameterLocation::Path) {
        let name = &parameter.name;
        target = target.replace(&format!("{{{name}}}"), &placeholder(name));
    }
    let required = operation.parameters_in(ParameterLocation::Query).filter(|one| one.required);
    for (at, parameter) in required.enumerate() {
        let separator = if at == 0 { '?' } else { '&' };
        target = format!("{target}{separator}{}={}", parameter.name, placeholder(&parameter.name));
    }
    target
}

/// Returns the example of a JSON body.
fn json_body(operation: &Operation) -> Option<Value> {
    let schema = operation.body.as_ref()?.json()?;
    Some(example(schema, "", MAX_DEPTH))
}

/// Returns the media type of a body that is not JSON.
fn file_body(operation: &Operation) -> Option<&str> {
    let body = operation.body.as_ref().filter(|body| body.json().is_none())?;
    body.content.first().map(|content| content.media_type.as_str())
}

/// Returns the call with curl.
pub(super) fn curl(operation: &Operation) -> String {
    let mut parts = vec![
        format!("curl -X {}", operation.method),
        format!("\"$BINDERY_SERVER{}\"", target(operation)),
    ];
    if !operation.public {
        parts.push("-H \"Authorization: Bearer $BINDERY_TOKEN\"".to_owned());
    }
    if let Some(body) = json_body(operation) {
        parts.push("-H \"Content-Type: application/json\"".to_owned());
        let quoted = indented(&pretty(&body).replace('\'', "'\\''"));
        parts.push(format!("-d '{quoted}'"));
    } else if let Some(media_type) = file_body(operation) {
        parts.push(format!("-H \"Content-Type: {media_type}\""));
        parts.push("--data-binary @FILE".to_owned());
    }
    parts.join(" \\\n  ")
}

/// Returns the call in JavaScript: with the client `@gitbook/api` where it has a function for the
/// operation, otherwise with `fetch`.
pub(super) fn javascript(operation: &Operation) -> String {
    let is_outside = [operation.id.as_str(), operation.group.as_str()]
        .iter()
        .any(|name| OUTSIDE_CLIENT.contains(name));
    if is_outside { with_fetch(operation) } else { with_client(operation) }
}

fn with_client(operation: &Operation) -> String {
    let module = operation.path.split('/').nth(2).unwrap_or_default();
    let mut arguments: Vec<String> = operation
        .parameters_in(ParameterLocation::Path)
        .map(|parameter| format!("'{}'", placeholder(&parameter.name)))
        .collect();
    arguments.extend(json_body(operation).map(|body| javascript_value(&body)));
    let query: Vec<String> = operation
        .parameters_in(ParameterLocation::Query)
        .filter(|parameter| parameter.required)
        .map(|parameter| format!("{}: '{}'", parameter.name, placeholder(&parameter.name)))
        .collect();
    if !query.is_empty() {
        arguments.push(format!("{{ {} }}", query.join(", ")));
    }
    let has_answer = operation.responses.iter().any(|response| {
        response.status.is_none_or(|status| status < 300) && response.json().is_some()
    });
    let result = if has_answer { "const { data } = await " } else { "await " };
    format!(
        "import {{ GitBookAPI }} from '@gitbook/api';\n\n\
         const api = new GitBookAPI({{\n  endpoint: process.env.BINDERY_SERVER,\n  \
         authToken: process.env.BINDERY_TOKEN,\n}});\n\
         {result}api.{}.{}({});",
        camel_case(module),
        camel_case(&operation.id),
        arguments.join(", ")
    )
}

fn with_fetch(operation: &Operation) -> String {
    let mut headers = Vec::new();
    if !operation.public {
        headers.push("Authorization: `Bearer ${process.env.BINDERY_TOKEN}`".to_owned());
    }
    let mut options = vec![format!("method: '{}'", operation.method)];
    let body = match (json_body(operation), file_body(operation)) {
        (Some(body), _) => {
            headers.push("'Content-Type': 'application/json'".to_owned());
            Some(format!("body: JSON.stringify({})", indented(&javascript_value(&body))))
        }
        (None, Some(media_type)) => {
            headers.push(format!("'Content-Type': '{media_type}'"));
            Some("body: file".to_owned())
        }
        (None, None) => None,
    };
    if !headers.is_empty() {
        options.push(format!("headers: {{\n    {},\n  }}", headers.join(",\n    ")));
    }
    options.extend(body);
    format!(
        "const response = await fetch(`${{process.env.BINDERY_SERVER}}{}`, {{\n  {},\n}});",
        target(operation),
        options.join(",\n  ")
    )
}

/// Returns the name in the form of the client: `custom-hostnames` becomes `customHostnames`,
/// `getSpacePDF` becomes `getSpacePdf`.
fn camel_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let at = |index: usize| letters.get(index).copied().unwrap_or_default();
    let mut out = String::new();
    let mut starts_word = false;
    for (index, letter) in letters.iter().enumerate() {
        if matches!(letter, '-' | '_') {
            starts_word = true;
            continue;
        }
        let follows_capital = index > 0 && at(index - 1).is_uppercase();
        let ends_word = !at(index + 1).is_lowercase();
        if std::mem::take(&mut starts_word) {
            out.extend(letter.to_uppercase());
        } else if follows_capital && ends_word {
            out.extend(letter.to_lowercase());
        } else {
            out.push(*letter);
        }
    }
    out
}

/// Returns the answer of a successful call as JSON.
pub(super) fn answer(operation: &Operation) -> Option<String> {
    let response = operation
        .responses
        .iter()
        .find(|response| response.status.is_none_or(|status| status < 300))?;
    Some(pretty(&example(response.json()?, "", MAX_DEPTH)))
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// Returns a value as JavaScript, without quotes around names where they are not needed.
fn javascript_value(value: &Value) -> String {
    let mut out = String::new();
    for line in pretty(value).lines() {
        let body = line.trim_start();
        let name = body.strip_prefix('"').and_then(|rest| rest.split_once("\": "));
        let is_plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !out.is_empty() {
            out.push('\n');
        }
        match name.filter(|(name, _)| is_plain(name)) {
            Some((name, rest)) => {
                out.push_str(line.get(..line.len() - body.len()).unwrap_or_default());
                out.push_str(name);
                out.push_str(": ");
                out.push_str(rest);
            }
            None => out.push_str(line),
        }
    }
    out
}

fn indented(text: &str) -> String {
    text.replace('\n', "\n  ")
}

/// Returns a value that matches a schema: required fields and some others.
fn example(schema: &Value, name: &str, depth: usize) -> Value {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        if depth == 0 {
            return Value::Null;
        }
        return example(schemas::resolve(reference), name, depth - 1);
    }
    for keyword in ["example", "const", "default"] {
        if let Some(value) = schema.get(keyword) {
            return value.clone();
        }
    }
    if let Some(value) = schema.get("enum").and_then(|values| values.get(0)) {
        return value.clone();
    }
    let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
    if let Some(parts) = list("allOf") {
        let mut merged = Map::new();
        for part in parts {
            if let Value::Object(fields) = example(part, name, depth) {
                merged.extend(fields);
            }
        }
        return Value::Object(merged);
    }
    let own = object(schema, depth);
    if let Some(variants) = list("anyOf") {
        let variant = variants.first().map_or(Value::Null, |first| example(first, name, depth));
        return match (own, variant) {
            (Some(mut fields), Value::Object(others)) => {
                fields.extend(others);
                Value::Object(fields)
            }
            (_, variant) => variant,
        };
    }
    if let Some(fields) = own {
        return Value::Object(fields);
    }
    let kind = match schema.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or_default(),
        _ => "",
    };
    match kind {
        "array" if depth <= REQUIRED_DEPTH && schema.get("minItems").is_none() => json!([]),
        "array" if depth == 0 => json!([]),
        "array" => {
            let items = schema.get("items").map(|items| example(items, name, depth - 1));
            items.filter(|item| !item.is_null()).map_or_else(|| json!([]), |item| json!([item]))
        }
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "boolean" => json!(true),
        "string" => json!(text(schema, name)),
        "object" => json!({}),
        _ => Value::Null,
    }
}

/// Returns the fields of an object; `None` for other schemas.
fn object(schema: &Value, depth: usize) -> Option<Map<String, Value>> {
    let properties = schema.get("properties")?.as_object()?;
    let mut fields = Map::new();
    if depth == 0 {
        return Some(fields);
    }
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let mut optional = 0;
    for (name, field) in properties {
        if !is_required(name) {
            optional += 1;
            if optional > MAX_OPTIONAL || depth <= REQUIRED_DEPTH {
                continue;
            }
        }
        let value = example(field, name, depth - 1);
        if !value.is_null() || is_required(name) {
            fields.insert(name.clone(), value);
        }
    }
    Some(fields)
}

/// Returns a text for a field, by its pattern, its format or its name.
fn text(schema: &Value, name: &str) -> &'static str {
    match schema.get("pattern").and_then(Value::as_str).unwrap_or_default() {
        pattern if pattern.starts_with("^#") => return "#346ddb",
        pattern if pattern.starts_with("^refs/heads/") => return "refs/heads/main",
        pattern if pattern.starts_with("^\\/") => return "/guides/setup",
        _ => {}
    }
    match (schema.get("format").and_then(Value::as_str), name) {
        (Some("date-time"), _) => "2026-02-03T04:05:06.789Z",
        (Some("uri"), _) | (_, "url" | "href") => "https://docs.example.com/",
        (Some("email"), _) | (_, "email") => "ada@example.com",
        (_, "title" | "subject") => "Handbook",
        (_, "displayName") => "Ada Lovelace",
        (_, "path") => "guides/setup",
        (_, "slug") => "setup",
        (_, "languageTag") => "pt-BR",
        (_, "emoji") => "1f4d6",
        (_, "markdown") => "Some *text*.",
        (_, name) if name == "id" || name.ends_with("Id") => "a1b2c3d4e5f6g7h8i9j0",
        _ => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;

    fn operation(id: &str) -> &'static Operation {
        Contract::embedded().operation(id).unwrap()
    }

    #[test]
    fn names_follow_the_client() {
        for (name, expect) in [
            ("getSpacePDF", "getSpacePdf"),
            ("renderIntegrationUIWithGet", "renderIntegrationUiWithGet"),
            ("listOpenAPISpecVersions", "listOpenApiSpecVersions"),
            ("custom-hostnames", "customHostnames"),
            ("setUserAsSSOMemberForOrganization", "setUserAsSsoMemberForOrganization"),
            ("getSpaceById", "getSpaceById"),
        ] {
            assert_eq!(camel_case(name), expect);
        }
    }

    #[test]
    fn calls_name_their_parameters() {
        let space = operation("getSpaceById");
        assert!(curl(space).contains("/v1/spaces/SPACE_ID\""), "{}", curl(space));
        assert!(javascript(space).contains("await api.spaces.getSpaceById('SPACE_ID');"));
        let import = operation("importSpaceArchive");
        assert!(curl(import).contains("--data-binary @FILE"), "{}", curl(import));
        assert!(javascript(import).contains("await fetch("), "{}", javascript(import));
        let search = operation("getEmbedByUrlInSpace");
        assert!(
            javascript(search).contains("('SPACE_ID', { url: 'URL' })"),
            "{}",
            javascript(search)
        );
    }

    #[test]
    fn bodies_match_the_contract() {
        let contract = Contract::embedded();
        let built = contract.operations().iter().filter(|operation| !operation.pending);
        let bodies: Vec<_> = built.filter_map(|one| Some((one, json_body(one)?))).collect();
        let wrong: Vec<&str> = bodies
            .iter()
            .filter(|(operation, body)| operation.check_body(body).is_err())
            .map(|(operation, _)| operation.id.as_str())
            .collect();
        assert!(wrong.is_empty(), "{} of {}: {wrong:?}", wrong.len(), bodies.len());
    }
}
