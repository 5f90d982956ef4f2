//! Compares the limits, the discriminator and the conditions of a schema.

use std::collections::HashSet;
use std::fmt::Display;

use serde_json::Value;

use super::facts::Findings;
use super::graph::Step;
use super::{Both, words};
use crate::resolve::Part;

/// A limit and the ends of the ids of its rules.
struct Limit {
    keyword: &'static str,
    name: &'static str,
    /// The value of a schema that does not state the limit, if it has one all the same.
    missing: Option<f64>,
    increased: &'static str,
    decreased: &'static str,
    set: &'static str,
    unset: &'static str,
}

/// Returns a limit that a schema can be without.
macro_rules! limit {
    ($keyword:literal, $rule:literal, $name:literal, $missing:expr) => {
        Limit {
            keyword: $keyword,
            name: $name,
            missing: $missing,
            increased: concat!($rule, "-increased"),
            decreased: concat!($rule, "-decreased"),
            set: concat!($rule, "-set"),
            unset: concat!($rule, "-unset"),
        }
    };
}

const LIMITS: [Limit; 10] = [
    limit!("minimum", "min", "lowest value", None),
    limit!("maximum", "max", "highest value", None),
    limit!("exclusiveMinimum", "exclusive-min", "lower limit", None),
    limit!("exclusiveMaximum", "exclusive-max", "upper limit", None),
    limit!("minLength", "min-length", "shortest length", Some(0.0)),
    limit!("maxLength", "max-length", "greatest length", None),
    limit!("minItems", "min-items", "lowest number of items", Some(0.0)),
    limit!("maxItems", "max-items", "highest number of items", None),
    limit!("minContains", "min-contains", "lowest number of matching items", None),
    limit!("maxContains", "max-contains", "highest number of matching items", None),
];

/// Adds the differences of limits and of the pattern.
pub(super) fn add_limits(found: &mut Findings<'_>, schemas: Both<'_>) {
    for limit in &LIMITS {
        add_limit(found, limit, schemas);
    }
    let pattern = |part: Part<'_>| part.text("pattern").map(str::to_owned);
    match (pattern(schemas.before), pattern(schemas.after)) {
        (None, Some(new)) => {
            found.add("pattern-added", format!("has the new pattern {}", words::quoted(&new)));
        }
        (Some(old), None) => {
            found.add("pattern-removed", format!("lost its pattern {}", words::quoted(&old)));
        }
        (Some(old), Some(new)) if old != new => {
            let is_wide = new == ".*";
            let rule = if is_wide { "pattern-generalized" } else { "pattern-changed" };
            let (old, new) = (words::quoted(&old), words::quoted(&new));
            found.add(rule, format!("changed its pattern from {old} to {new}"));
        }
        _ => {}
    }
}

fn add_limit(found: &mut Findings<'_>, limit: &Limit, schemas: Both<'_>) {
    let number =
        |part: Part<'_>| part.value.get(limit.keyword).and_then(Value::as_f64).or(limit.missing);
    let name = limit.name;
    match (number(schemas.before), number(schemas.after)) {
        (None, Some(new)) => found.add(limit.set, format!("has the new {name} {new}")),
        (Some(old), None) => found.add(limit.unset, format!("lost its {name} {old}")),
        (Some(old), Some(new)) if old < new => {
            found.add(limit.increased, format!("raised its {name} from {old} to {new}"));
        }
        (Some(old), Some(new)) if old > new => {
            found.add(limit.decreased, format!("lowered its {name} from {old} to {new}"));
        }
        _ => {}
    }
}

/// Adds the differences of the property that decides between variants, and of its values.
pub(super) fn add_discriminator(found: &mut Findings<'_>, schemas: Both<'_>) {
    let discriminator = |part: Part<'_>| part.value.get("discriminator").is_some();
    match (discriminator(schemas.before), discriminator(schemas.after)) {
        (false, true) => found.add("discriminator-added", "has a new discriminator".to_owned()),
        (true, false) => found.add("discriminator-removed", "lost its discriminator".to_owned()),
        _ => {}
    }
    let Some(both) = schemas.field("discriminator") else { return };
    let name = |part: Part<'_>| words::quoted(part.text("propertyName").unwrap_or_default());
    let (old, new) = (name(both.before), name(both.after));
    if old != new {
        let text = format!("changed the property of its discriminator from {old} to {new}");
        found.add("discriminator-property-name-changed", text);
    }
    let (added, removed, kept) = keys(both, "mapping");
    if !added.is_empty() {
        let text = format!("has the new values {} of its discriminator", words::listed(added));
        found.add("discriminator-mapping-added", text);
    }
    if !removed.is_empty() {
        let text = format!("lost the values {} of its discriminator", words::listed(removed));
        found.add("discriminator-mapping-deleted", text);
    }
    for (key, inner) in kept {
        let (old, new) = (inner.before.value, inner.after.value);
        if old != new {
            let (key, old, new) = (words::quoted(key), words::shown(old), words::shown(new));
            let text = format!(
                "changed the schema of the value {key} of its discriminator from {old} to {new}"
            );
            found.add("discriminator-mapping-changed", text);
        }
    }
}

/// The schemas that a schema can have below a keyword, each with the ends of the ids of its rules. The
/// rules are claimed by others if a schema became a list of types.
const CONDITIONS: [(&str, &str, &str); 8] = [
    ("if", "if-added", "if-removed"),
    ("then", "then-added", "then-removed"),
    ("else", "else-added", "else-removed"),
    ("contains", "contains-added", "contains-removed"),
    ("propertyNames", "property-names-added", "property-names-removed"),
    ("unevaluatedItems", "unevaluated-items-added", "unevaluated-items-removed"),
    ("unevaluatedProperties", "unevaluated-properties-added", "unevaluated-properties-removed"),
    ("contentSchema", "content-schema-added", "content-schema-removed"),
];

/// Adds the differences of what OpenAPI 3.1 added to schemas.
pub(super) fn add_conditions<'d>(found: &mut Findings<'d>, schemas: Both<'d>, is_claimed: bool) {
    for (keyword, added, removed) in CONDITIONS {
        found.descend(keyword, schemas);
        if !is_claimed {
            add_condition(found, schemas, (keyword, added, removed));
        }
    }
    add_maps(found, schemas, is_claimed);
    add_prefix_items(found, schemas, is_claimed);
    if !is_claimed {
        add_dependent_names(found, schemas);
        add_content(found, schemas);
    }
}

fn add_condition(
    found: &mut Findings<'_>,
    schemas: Both<'_>,
    (keyword, added, removed): (&str, &'static str, &'static str),
) {
    let has = |part: Part<'_>| part.value.get(keyword).is_some_and(|value| !value.is_null());
    match (has(schemas.before), has(schemas.after)) {
        (false, true) => found.add(added, format!("has a new schema in `{keyword}`")),
        (true, false) => found.add(removed, format!("lost its schema in `{keyword}`")),
        _ => {}
    }
}

/// Adds the differences of schemas for properties that match a pattern or that exist.
fn add_maps<'d>(found: &mut Findings<'d>, schemas: Both<'d>, is_claimed: bool) {
    for (keyword, rules) in [
        ("patternProperties", ["pattern-property-added", "pattern-property-removed"]),
        ("dependentSchemas", ["dependent-schema-added", "dependent-schema-removed"]),
    ] {
        let (added, removed, kept) = keys(schemas, keyword);
        for (name, inner) in kept {
            found.children.push((Step::Inner(keyword, words::short(name)), inner));
        }
        for name in added.into_iter().filter(|_| !is_claimed) {
            let text = format!("has a new schema for {} in `{keyword}`", words::quoted(name));
            found.add(rules[0], text);
        }
        for name in removed.into_iter().filter(|_| !is_claimed) {
            let text = format!("lost its schema for {} in `{keyword}`", words::quoted(name));
            found.add(rules[1], text);
        }
    }
}

/// Adds the differences of the schemas of the first items, which belong together by their places.
fn add_prefix_items<'d>(found: &mut Findings<'d>, schemas: Both<'d>, is_claimed: bool) {
    let items = |part: Part<'d>| -> Vec<Part<'d>> {
        part.field("prefixItems").into_iter().flat_map(Part::items).collect()
    };
    let (before, after) = (items(schemas.before), items(schemas.after));
    for (at, (before, after)) in before.iter().zip(&after).enumerate() {
        let inner = Both { before: *before, after: *after };
        found.children.push((Step::Inner("prefixItems", (at + 1).to_string()), inner));
    }
    let (old, new) = (before.len(), after.len());
    let text =
        format!("changed the number of its first items with own schemas from {old} to {new}");
    match old.cmp(&new) {
        _ if is_claimed => {}
        std::cmp::Ordering::Less => found.add("prefix-items-added", text),
        std::cmp::Ordering::Greater => found.add("prefix-items-removed", text),
        std::cmp::Ordering::Equal => {}
    }
}

/// Adds the differences of the properties that others need.
fn add_dependent_names(found: &mut Findings<'_>, schemas: Both<'_>) {
    let (added, removed, kept) = keys(schemas, "dependentRequired");
    let names = |part: Option<Part<'_>>| {
        let names = part.into_iter().flat_map(Part::items);
        let names: Vec<_> = names.filter_map(|name| name.value.as_str()).collect();
        words::listed(names)
    };
    let of = |part: Part<'_>, name: &str| {
        names(part.field("dependentRequired").and_then(|part| part.field(name)))
    };
    for name in added {
        let text = needs(name, of(schemas.after, name), "now");
        found.add("dependent-required-added", text);
    }
    for name in removed {
        let text = needs(name, of(schemas.before, name), "no longer");
        found.add("dependent-required-removed", text);
    }
    for (name, inner) in kept {
        let sorted = |part: Part<'_>| -> HashSet<String> {
            let names = part.items().filter_map(|name| name.value.as_str());
            names.map(str::to_owned).collect()
        };
        if sorted(inner.before) != sorted(inner.after) {
            let (old, new) = (names(Some(inner.before)), names(Some(inner.after)));
            let name = words::quoted(name);
            let text =
                format!("needs with the property {name} others than before: {old} became {new}");
            found.add("dependent-required-changed", text);
        }
    }
}

fn needs(name: &str, others: impl Display, when: &str) -> String {
    format!("{when} needs the properties {others} where it has {}", words::quoted(name))
}

/// Adds the differences of texts that have a format of their own.
fn add_content(found: &mut Findings<'_>, schemas: Both<'_>) {
    for (keyword, name, rule) in [
        ("contentMediaType", "media type", "content-media-type-changed"),
        ("contentEncoding", "encoding", "content-encoding-changed"),
    ] {
        let shown = |part: Part<'_>| part.text(keyword).map_or("none".to_owned(), words::quoted);
        let (old, new) = (shown(schemas.before), shown(schemas.after));
        if old != new {
            found.add(rule, format!("changed the {name} of its text from {old} to {new}"));
        }
    }
}

/// The names of the fields that only one state has, and those of both states.
type Keys<'d> = (Vec<&'d str>, Vec<&'d str>, Vec<(&'d str, Both<'d>)>);

/// Returns the fields below a keyword that were added, removed and kept.
fn keys<'d>(schemas: Both<'d>, keyword: &str) -> Keys<'d> {
    let (before, after) = (schemas.before.field(keyword), schemas.after.field(keyword));
    let is_in = |part: Option<Part<'d>>, name: &str| part.and_then(|part| part.field(name));
    let (mut removed, mut kept) = (Vec::new(), Vec::new());
    for (name, old) in before.into_iter().flat_map(Part::fields) {
        match is_in(after, name) {
            Some(new) => kept.push((name, Both { before: old, after: new })),
            None => removed.push(name),
        }
    }
    let new = after.into_iter().flat_map(Part::fields).map(|(name, _)| name);
    let added = new.filter(|name| is_in(before, name).is_none()).collect();
    (added, removed, kept)
}
