//! Tests of the reference.

use std::collections::{HashMap, HashSet};

use super::*;

fn contract() -> &'static Contract {
    Contract::embedded()
}

fn content(path: &str) -> String {
    file(contract(), path).unwrap_or_else(|| panic!("no file {path}")).content
}

/// Returns the values of an attribute.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    page.split(start.as_str()).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

/// Returns all pages by path.
fn pages() -> HashMap<String, String> {
    let mut paths = vec![String::new(), "schemas".to_owned()];
    paths.extend(embedded::OPERATIONS.iter().map(|(group, _)| (*group).to_owned()));
    let names = schema_areas().flat_map(|(_, names)| names);
    paths.extend(names.map(|name| format!("schemas/{name}")));
    paths.into_iter().map(|path| (path.clone(), content(&path))).collect()
}

#[test]
fn every_link_of_every_page_leads_somewhere() {
    let pages = pages();
    let ids: HashMap<&str, HashSet<&str>> = pages
        .iter()
        .map(|(path, page)| (path.as_str(), attributes(page, "id").into_iter().collect()))
        .collect();
    for (path, page) in &pages {
        assert_eq!(ids[path.as_str()].len(), attributes(page, "id").len(), "{path}: repeated ids");
        for href in attributes(page, "href") {
            let (target, anchor) = href.split_once('#').unwrap_or((href, ""));
            let target = match target.strip_prefix(ROOT) {
                _ if target == "/v1/openapi.json" => continue,
                Some(rest) => rest.trim_start_matches('/'),
                None => path.as_str(),
            };
            let found = ids.get(target);
            let is_file = matches!(target, "search" | "reference.css");
            assert!(is_file || found.is_some(), "{path}: {href}");
            assert!(
                anchor.is_empty() || found.is_some_and(|ids| ids.contains(anchor)),
                "{path}: {href}"
            );
        }
    }
}

#[test]
fn every_operation_has_a_place_with_the_implemented_ones_first() {
    for (group, _) in embedded::OPERATIONS {
        let page = content(group);
        let operations = contract().operations().iter().filter(|one| one.group == *group);
        let place = |operation: &Operation| {
            let article = format!("<article id=\"{}\">", operation.id);
            page.find(&article).unwrap_or_else(|| panic!("{group}: no {article}"))
        };
        let (pending, built): (Vec<_>, Vec<_>) = operations.partition(|one| one.pending);
        let last = built.iter().map(|one| place(one)).max();
        let first = pending.iter().map(|one| place(one)).min();
        if let (Some(last), Some(first)) = (last, first) {
            assert!(last < first, "{group}");
        }
    }
}

#[test]
fn pages_are_small() {
    for (path, page) in pages() {
        // Markup of this kind shrinks to a tenth.
        assert!(page.len() < 800_000, "{path}: {} bytes", page.len());
        assert!(!page.contains(" style=") && !page.contains("javascript:"), "{path}");
        assert!(page.matches("<h1>").count() == 1, "{path}");
    }
}

#[test]
fn every_parameter_and_most_fields_are_described() {
    for operation in contract().operations() {
        for parameter in &operation.parameters {
            let name = &parameter.name;
            assert!(descriptions::of_parameter(name).is_some(), "{name} of {}", operation.id);
        }
    }
    let described = |page: &str| {
        let fields = page.matches("<dt><code>").count();
        let bare = page.matches("</dt><dd></dd>").count();
        (fields, bare)
    };
    let (fields, bare) = pages()
        .iter()
        .filter(|(path, _)| !path.starts_with("schemas"))
        .map(|(_, page)| described(page))
        .fold((0, 0), |(fields, bare), (more, less)| (fields + more, bare + less));
    assert!(bare * 4 < fields, "{bare} of {fields} fields have no description");
}

#[test]
fn the_search_finds_names_paths_and_words() {
    for (query, expect) in [
        ("getSpaceById", "/v1/docs/spaces#getSpaceById"),
        ("GETSPACE", "/v1/docs/spaces#getSpaceById"),
        ("patch spaces", "/v1/docs/spaces#updateSpaceById"),
        ("archive import", "/v1/docs/bindery#importSpaceArchive"),
        ("SiteStructure", "/v1/docs/schemas/SiteStructure"),
    ] {
        let page = results(contract(), query).content;
        assert!(page.contains(&format!("href=\"{expect}\"")), "{query}");
        assert!(content("search.json").contains(expect), "{query}");
    }
    let nothing = results(contract(), "\"><script>x").content;
    assert!(nothing.contains("0 results") && !nothing.contains("<script>x"), "{nothing}");
    assert!(results(contract(), &"\u{e9}".repeat(500)).content.len() < 100_000);
    assert!(!results(contract(), " ").content.contains("<li><p>"));
}

#[test]
fn unknown_paths_have_no_file() {
    for path in ["nothing", "schemas/Nothing", "spaces/x", "schemas/Space/x", "search"] {
        assert_eq!(file(contract(), path), None, "{path}");
    }
}

#[test]
fn fields_are_nested_without_end() {
    let page = content("schemas/DocumentBlock");
    assert!(page.contains("One of:") && page.contains("<details>"), "{page}");
    let update = content("spaces");
    let field = "<code>languageTag</code>";
    assert!(update.contains(field) && update.contains("BCP 47"), "no {field}");
    assert!(content("spaces").contains("Values: <code>live</code>, <code>locked</code>"));
}
