//! The search: a page with results, and the index that the script of the pages reads.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::page::{Frame, counted, page};
use super::{
    ROOT, group_title, groups, method_label, operation_href, prose, schema_areas, summary,
};
use crate::contract::Contract;
use crate::operation::Operation;

/// Maximum length of a query in bytes.
const MAX_QUERY_BYTES: usize = 200;

/// Returns the index as JSON: a list of the text, the address and the note of each result.
pub(super) fn index(contract: &Contract) -> String {
    let operation = |operation: &Operation| {
        let call = format!("{} {}", operation.method, operation.path);
        let pending = if operation.pending { " (not available yet)" } else { "" };
        let note = format!("{call} {}{pending}", summary(operation));
        json!([operation.id, operation_href(operation), note])
    };
    let groups = groups(contract);
    let operations = groups.iter().flat_map(|group| &group.operations).map(|one| operation(one));
    let names = schema_areas().flat_map(|(_, names)| names);
    let schemas = names.map(|name| json!([name, format!("{ROOT}/schemas/{name}"), "schema"]));
    Value::Array(operations.chain(schemas).collect()).to_string()
}

/// Renders the results of a search.
pub(super) fn results(contract: &Contract, query: &str) -> Markup {
    let query = query.get(..query.floor_char_boundary(MAX_QUERY_BYTES)).unwrap_or_default();
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let matches = |text: &str| {
        let text = text.to_lowercase();
        !words.is_empty() && words.iter().all(|word| text.contains(word))
    };
    let groups = groups(contract);
    let found = |operation: &&&Operation| {
        let Operation { id, path, group, method, .. } = operation;
        matches(&format!("{id} {method} {path} {group} {}", summary(operation)))
    };
    let mut operations: Vec<_> =
        groups.iter().flat_map(|group| &group.operations).filter(found).collect();
    // Names with more of the words come first, and of those the shorter ones.
    operations.sort_by_key(|operation| {
        let name = operation.id.to_lowercase();
        let missing = words.iter().filter(|word| !name.contains(word.as_str())).count();
        (operation.pending, missing, name.len())
    });
    let schemas: Vec<String> =
        schema_areas().flat_map(|(_, names)| names).filter(|name| matches(name)).collect();
    let number = operations.len() + schemas.len();
    let content = html! {
        @if words.is_empty() {
            p { "Enter a part of a name, a path or a description in the field above." }
        } @else {
            p role="status" { (counted(number, "result")) " for " q { (query) } }
        }
        ul.results {
            @for operation in operations {
                li {
                    p {
                        (method_label(operation)) " "
                        a href=(operation_href(operation)) { (operation.id) }
                        @if operation.pending { " " span.badge { "not available yet" } }
                    }
                    p { (prose(summary(operation))) }
                    p.note { (group_title(&operation.group)) " · " code { (operation.path) } }
                }
            }
            @for name in &schemas {
                li { p { a href={ (ROOT) "/schemas/" (name) } { (name) } } p.note { "Schema" } }
            }
        }
    };
    let frame = Frame {
        title: "Search",
        description: "Results of a search in the API reference.",
        current: "",
        query,
    };
    page(contract, &frame, &content)
}
