//! The readable reference of the API: a page for each group and each schema, without scripts.

mod example;
mod fields;
mod group;
mod page;
mod schema;
mod search;
#[cfg(test)]
mod tests;

use maud::{Markup, html};

use crate::contract::Contract;
use crate::operation::Operation;
use crate::{descriptions, embedded, schemas};

/// The stylesheet of all pages.
pub(crate) const STYLE: &str = include_str!("../../assets/reference.css");
/// The script that shows results of the search while the reader types.
pub(crate) const SCRIPT: &str = include_str!("../../assets/reference.js");

/// The path of the reference. All its other addresses are below it.
const ROOT: &str = "/v1/docs";

/// A response of the reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReferenceFile {
    /// The media type.
    pub content_type: &'static str,
    /// The content.
    pub content: String,
}

impl ReferenceFile {
    fn html(page: Markup) -> Self {
        Self { content_type: "text/html; charset=utf-8", content: page.into_string() }
    }
}

/// Returns the file of the reference at a path below `/v1/docs`, without slashes at its ends; `None`
/// if there is none. The path of the search is not among them.
pub(crate) fn file(contract: &Contract, path: &str) -> Option<ReferenceFile> {
    let parts: Vec<&str> = path.split('/').collect();
    match parts[..] {
        [""] => Some(ReferenceFile::html(page::overview(contract))),
        ["reference.css"] => Some(ReferenceFile {
            content_type: "text/css; charset=utf-8",
            content: STYLE.to_owned(),
        }),
        ["reference.js"] => Some(ReferenceFile {
            content_type: "text/javascript; charset=utf-8",
            content: SCRIPT.to_owned(),
        }),
        ["search.json"] => Some(ReferenceFile {
            content_type: "application/json",
            content: search::index(contract),
        }),
        ["schemas"] => Some(ReferenceFile::html(schema::list(contract))),
        ["schemas", name] => schema::page(contract, name).map(ReferenceFile::html),
        [group] if embedded::OPERATIONS.iter().any(|(known, _)| *known == group) => {
            Some(ReferenceFile::html(group::page(contract, group)))
        }
        _ => None,
    }
}

/// Returns the page with the results of a search.
pub(crate) fn results(contract: &Contract, query: &str) -> ReferenceFile {
    ReferenceFile::html(search::results(contract, query))
}

/// A group of operations.
struct Group<'c> {
    name: &'static str,
    /// The operations, those that are implemented first.
    operations: Vec<&'c Operation>,
}

impl Group<'_> {
    /// Returns the number of implemented operations.
    fn built(&self) -> usize {
        self.operations.iter().filter(|operation| !operation.pending).count()
    }

    fn href(&self) -> String {
        format!("{ROOT}/{}", self.name)
    }
}

/// Returns all groups, those with implemented operations first.
fn groups(contract: &Contract) -> Vec<Group<'_>> {
    let group = |(name, _): &(&'static str, &str)| {
        let all = contract.operations().iter().filter(|operation| operation.group == *name);
        let mut operations: Vec<_> = all.collect();
        operations.sort_by_key(|operation| operation.pending);
        Group { name, operations }
    };
    let mut groups: Vec<_> = embedded::OPERATIONS.iter().map(group).collect();
    groups.sort_by_key(|group| group.built() == 0);
    groups
}

/// Returns the title of a group: `site-share-links` becomes `Site share links`.
fn group_title(name: &str) -> String {
    let words = name.split('-').enumerate().map(|(at, word)| match word {
        "openapi" => "OpenAPI".to_owned(),
        "sso" => "SSO".to_owned(),
        "urls" => "URLs".to_owned(),
        "mcp" => "MCP".to_owned(),
        "git" => "Git".to_owned(),
        "bindery" => "Bindery".to_owned(),
        word if at == 0 => {
            let mut letters = word.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            first.chain(letters).collect()
        }
        word => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn operation_href(operation: &Operation) -> String {
    format!("{ROOT}/{}#{}", operation.group, operation.id)
}

/// Renders a text in which code is between backticks.
fn prose(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Renders a path with places where a line may break.
fn breakable(path: &str) -> Markup {
    html! {
        @for (at, part) in path.split('/').enumerate() {
            @if at > 0 { "/" wbr; }
            (part)
        }
    }
}

fn method_label(operation: &Operation) -> Markup {
    let method = operation.method.as_str();
    html! { span class={ "method " (method.to_ascii_lowercase()) } { (method) } }
}

/// Returns the first sentence about an operation.
fn summary(operation: &Operation) -> &str {
    operation.summary.as_deref().unwrap_or("Not available yet.")
}

/// Returns the names of all schemas with their areas.
fn schema_areas() -> impl Iterator<Item = (&'static str, Vec<String>)> {
    embedded::SCHEMAS.iter().map(|(area, text)| {
        let parsed: serde_json::Map<_, _> = serde_json::from_str(text).unwrap_or_default();
        let mut names: Vec<String> = parsed.into_iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        (*area, names)
    })
}

fn schema_named(name: &str) -> Option<&'static serde_json::Value> {
    schemas::root()["components"]["schemas"].get(name)
}

/// Returns the description of a group, as a text for readers and search engines.
fn group_description(name: &str) -> &'static str {
    descriptions::of_group(name).unwrap_or_default()
}
