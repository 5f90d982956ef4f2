//! Explains why a value does not match a schema: location, value found, values allowed.
//!
//! A validator only returns the result. This module returns the reason in linear time: in a union
//! it follows only the variants whose tags (`object`, `type`, `kind`, …) match the value.

use serde_json::{Map, Value};

use crate::schemas;

/// A violation of a schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Violation {
    pub(crate) pointer: String,
    pub(crate) found: String,
    pub(crate) allowed: String,
}

type Schema = Map<String, Value>;

/// A required field with its allowed values.
type Tag<'a> = (&'a str, &'a [Value]);

/// Stands for an absent field in [`Violation::found`].
const ABSENT: &str = "nothing";

/// Maximum number of union variants in a message.
const MAX_VARIANTS: usize = 6;

/// Maximum length of an example in characters.
const MAX_EXAMPLE_CHARS: usize = 160;

/// Maximum nesting of objects and lists in an example.
const MAX_EXAMPLE_LEVELS: usize = 3;

/// Maximum number of references that are followed without a step into the value.
const MAX_REFERENCES: usize = 32;

/// Returns the first violation in the order of the schema; `None` if the value is valid.
pub(crate) fn explain(schema: &Value, value: &Value) -> Option<Violation> {
    walk(schema, value, &mut String::new())
}

/// Returns the first text with U+0000, which databases and pages cannot store.
pub(crate) fn find_nul(value: &Value) -> Option<Violation> {
    find_nul_at(value, &mut String::new())
}

fn find_nul_at(value: &Value, at: &mut String) -> Option<Violation> {
    match value {
        Value::String(text) if text.contains('\0') => Some(Violation {
            pointer: at.clone(),
            found: "a text with U+0000".to_owned(),
            allowed: "text without it".to_owned(),
        }),
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            with_step(at, &index.to_string(), |at| find_nul_at(item, at))
        }),
        Value::Object(map) => map.iter().find_map(|(key, item)| {
            if key.contains('\0') {
                return find_nul_at(&Value::from(key.as_str()), at);
            }
            with_step(at, key, |at| find_nul_at(item, at))
        }),
        _ => None,
    }
}

/// Calls `inner` with the pointer extended by one step.
fn with_step<T>(at: &mut String, key: &str, inner: impl FnOnce(&mut String) -> T) -> T {
    let length = at.len();
    at.push('/');
    at.push_str(&key.replace('~', "~0").replace('/', "~1"));
    let result = inner(at);
    at.truncate(length);
    result
}

fn walk(schema: &Value, value: &Value, at: &mut String) -> Option<Violation> {
    let Some(map) = schema.as_object() else {
        return (*schema == Value::Bool(false)).then(|| violation(at, value, "nothing".to_owned()));
    };
    if let Some(found) = reference(map).and_then(|target| walk(target, value, at)) {
        return Some(found);
    }
    if !type_holds(map, value) || !enum_holds(map, value) || !constraints_hold(map, value) {
        return Some(violation(at, value, describe(schema)));
    }
    let own = match value {
        Value::Object(object) => walk_object(map, object, at),
        Value::Array(items) => walk_array(map, items, at),
        _ => None,
    };
    own.or_else(|| subschemas(map, "allOf").find_map(|one| walk(one, value, at)))
        .or_else(|| walk_union(map, value, at))
}

fn walk_object(map: &Schema, object: &Schema, at: &mut String) -> Option<Violation> {
    let properties = map.get("properties").and_then(Value::as_object);
    let property = |name: &str| properties.and_then(|all| all.get(name));
    let mut required = map.get("required").and_then(Value::as_array).into_iter().flatten();
    let missing =
        required.find_map(|name| name.as_str().filter(|name| !object.contains_key(*name)));
    if let Some(name) = missing {
        let allowed = property(name).map_or_else(|| "a value".to_owned(), describe);
        let found = ABSENT.to_owned();
        return with_step(at, name, |at| Some(Violation { pointer: at.clone(), found, allowed }));
    }
    for (name, schema) in properties.into_iter().flatten() {
        let Some(value) = object.get(name) else {
            continue;
        };
        if let Some(found) = with_step(at, name, |at| walk(schema, value, at)) {
            return Some(found);
        }
    }
    for (name, value) in object.iter().filter(|(name, _)| property(name).is_none()) {
        let found = match map.get("additionalProperties") {
            Some(Value::Bool(false)) => {
                let allowed = known_names(properties);
                with_step(at, name, |at| Some(violation(at, value, allowed)))
            }
            Some(schema) => with_step(at, name, |at| walk(schema, value, at)),
            None => None,
        };
        if found.is_some() {
            return found;
        }
    }
    let names = map.get("propertyNames")?;
    object
        .keys()
        .find_map(|name| with_step(at, name, |at| walk(names, &Value::from(name.as_str()), at)))
}

fn known_names(properties: Option<&Schema>) -> String {
    let names: Vec<&str> =
        properties.into_iter().flat_map(|all| all.keys()).map(String::as_str).collect();
    match names.is_empty() {
        true => "no fields here".to_owned(),
        false => format!("only the fields {}", names.join(", ")),
    }
}

fn walk_array(map: &Schema, items: &[Value], at: &mut String) -> Option<Violation> {
    let schema = map.get("items")?;
    items
        .iter()
        .enumerate()
        .find_map(|(index, item)| with_step(at, &index.to_string(), |at| walk(schema, item, at)))
}

/// Checks the variants that match the value's tags; `None` if one matches, or else the deepest
/// violation.
fn walk_union(map: &Schema, value: &Value, at: &mut String) -> Option<Violation> {
    let variants = map.get("anyOf")?.as_array()?;
    let mut best: Option<Violation> = None;
    for variant in variants.iter().filter(|variant| tags_match(variant, value, MAX_REFERENCES)) {
        let found = walk(variant, value, at)?;
        // An invalid value is closer to the intention than an absent one.
        let closeness = |of: &Violation| (depth_of(&of.pointer), of.found != ABSENT);
        if best.as_ref().is_none_or(|old| closeness(&found) > closeness(old)) {
            best = Some(found);
        }
    }
    best.or_else(|| no_variant(map, value, at))
}

fn depth_of(pointer: &str) -> usize {
    pointer.matches('/').count()
}

/// Reports a value whose tags match no variant: names the wrong tag and its allowed values.
fn no_variant(map: &Schema, value: &Value, at: &mut String) -> Option<Violation> {
    let mut leaves = Vec::new();
    subschemas(map, "anyOf").for_each(|variant| expand(variant, &mut leaves, MAX_REFERENCES));
    if let Value::Object(object) = value
        && let Some((name, allowed)) = wrong_tag(&leaves, object)
    {
        let found = object.get(name).map_or_else(|| ABSENT.to_owned(), describe_value);
        let allowed = one_of(allowed.into_iter());
        return with_step(at, name, |at| Some(Violation { pointer: at.clone(), found, allowed }));
    }
    Some(violation(at, value, describe(&Value::Object(map.clone()))))
}

/// Returns the first wrong tag of the variants that share the most tags with the object, and the
/// values that these variants allow for it. The values of other variants are included if they
/// differ from the object in no other tag that all variants have: an optional tag of a few variants
/// does not exclude the rest.
fn wrong_tag<'a>(leaves: &[&'a Value], object: &Schema) -> Option<(&'a str, Vec<&'a Value>)> {
    let holds =
        |(name, allowed): &Tag<'_>| object.get(*name).is_some_and(|value| allowed.contains(value));
    let of_leaves = leaves.iter().map(|leaf| {
        let mut tags = Vec::new();
        tags_of(leaf, &mut tags, MAX_REFERENCES);
        (tags.iter().filter(|tag| holds(tag)).count(), tags)
    });
    let of_leaves: Vec<(usize, Vec<Tag<'_>>)> = of_leaves.collect();
    let most = of_leaves.iter().map(|(score, _)| *score).max()?;
    let mut nearest = of_leaves.iter().filter(|(score, _)| *score == most).flat_map(|(_, t)| t);
    let (wrong, _) = nearest.find(|tag| !holds(tag))?;
    let is_everywhere =
        |name: &str| of_leaves.iter().all(|(_, tags)| tags.iter().any(|(other, _)| *other == name));
    let differs = |tag: &Tag<'_>| tag.0 != *wrong && !holds(tag) && is_everywhere(tag.0);
    let possible =
        of_leaves.iter().filter(|(score, tags)| *score == most || !tags.iter().any(differs));
    let mut values = Vec::new();
    let tags = possible.flat_map(|(_, tags)| tags).filter(|(name, _)| name == wrong);
    for value in tags.flat_map(|(_, allowed)| *allowed) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Some((wrong, values))
}

/// Collects the variants of a schema, including those of nested unions.
fn expand<'a>(schema: &'a Value, out: &mut Vec<&'a Value>, depth: usize) {
    let Some(map) = schema.as_object().filter(|_| depth > 0) else {
        return;
    };
    if let Some(target) = reference(map) {
        expand(target, out, depth - 1);
    } else if map.contains_key("anyOf") {
        subschemas(map, "anyOf").for_each(|one| expand(one, out, depth - 1));
    } else {
        out.push(schema);
    }
}

/// Collects the required fields of a schema that have an enumeration of values.
fn tags_of<'a>(schema: &'a Value, out: &mut Vec<Tag<'a>>, depth: usize) {
    let Some(map) = schema.as_object().filter(|_| depth > 0) else {
        return;
    };
    if let Some(target) = reference(map) {
        tags_of(target, out, depth - 1);
    }
    subschemas(map, "allOf").for_each(|one| tags_of(one, out, depth - 1));
    let required = map.get("required").and_then(Value::as_array);
    for (name, schema) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let is_required = required.is_some_and(|all| all.iter().any(|one| one == name.as_str()));
        if let (true, Some(allowed)) = (is_required, schema.get("enum").and_then(Value::as_array)) {
            out.push((name, allowed));
        }
    }
}

/// Returns `true` if the value matches the type and the tags of the schema; other parts are
/// ignored.
fn tags_match(schema: &Value, value: &Value, depth: usize) -> bool {
    let Some(map) = schema.as_object().filter(|_| depth > 0) else {
        return true;
    };
    if !type_holds(map, value) || !enum_holds(map, value) {
        return false;
    }
    if reference(map).is_some_and(|target| !tags_match(target, value, depth - 1)) {
        return false;
    }
    if !subschemas(map, "allOf").all(|one| tags_match(one, value, depth - 1)) {
        return false;
    }
    if map.contains_key("anyOf")
        && !subschemas(map, "anyOf").any(|one| tags_match(one, value, depth - 1))
    {
        return false;
    }
    let Value::Object(object) = value else {
        return true;
    };
    let mut tags = Vec::new();
    tags_of(schema, &mut tags, 1);
    tags.iter().all(|(name, allowed)| object.get(*name).is_some_and(|v| allowed.contains(v)))
}

fn reference(map: &Schema) -> Option<&'static Value> {
    map.get("$ref").and_then(Value::as_str).map(schemas::resolve)
}

fn subschemas<'a>(map: &'a Schema, keyword: &str) -> impl Iterator<Item = &'a Value> {
    map.get(keyword).and_then(Value::as_array).into_iter().flatten()
}

fn type_holds(map: &Schema, value: &Value) -> bool {
    match map.get("type") {
        Some(Value::String(name)) => is_type(name, value),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).any(|name| is_type(name, value))
        }
        _ => true,
    }
}

fn is_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64()
                || value.is_u64()
                || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => false,
    }
}

fn enum_holds(map: &Schema, value: &Value) -> bool {
    map.get("enum").and_then(Value::as_array).is_none_or(|allowed| allowed.contains(value))
}

/// Checks lengths, ranges, patterns and formats.
fn constraints_hold(map: &Schema, value: &Value) -> bool {
    let count = |keyword: &str| map.get(keyword).and_then(Value::as_u64);
    let within = |size: usize, minimum: &str, most: &str| {
        let size = u64::try_from(size).unwrap_or(u64::MAX);
        count(minimum).is_none_or(|minimum| size >= minimum)
            && count(most).is_none_or(|most| size <= most)
    };
    match value {
        Value::String(text) => {
            within(text.chars().count(), "minLength", "maxLength")
                && ["pattern", "format"].iter().all(|keyword| {
                    map.get(*keyword)
                        .is_none_or(|operand| schemas::keyword_holds(keyword, operand, value))
                })
        }
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            let bound = |keyword: &str| map.get(keyword).and_then(Value::as_f64);
            bound("minimum").is_none_or(|minimum| number >= minimum)
                && bound("maximum").is_none_or(|most| number <= most)
        }
        Value::Array(items) => {
            within(items.len(), "minItems", "maxItems")
                && (map.get("uniqueItems") != Some(&Value::Bool(true))
                    || items
                        .iter()
                        .enumerate()
                        .all(|(i, one)| !items.iter().take(i).any(|o| o == one)))
        }
        Value::Object(object) => within(object.len(), "minProperties", "maxProperties"),
        _ => true,
    }
}

fn violation(at: &str, value: &Value, allowed: String) -> Violation {
    Violation { pointer: at.to_owned(), found: describe_value(value), allowed }
}

/// Describes a value. Long texts, and texts that may be secrets, are replaced by their length.
pub(crate) fn describe_value(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().count() <= 40 && !text.contains('@') => {
            format!("{text:?}")
        }
        Value::String(text) => format!("a text of {} characters", text.chars().count()),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    }
}

/// Describes the values that a schema allows.
pub(crate) fn describe(schema: &Value) -> String {
    describe_schema(schema, MAX_REFERENCES).unwrap_or_else(|| "a value".to_owned())
}

fn describe_schema(schema: &Value, depth: usize) -> Option<String> {
    let map = schema.as_object().filter(|_| depth > 0)?;
    if let Some(allowed) = map.get("enum").and_then(Value::as_array) {
        return Some(one_of(allowed.iter()));
    }
    if let Some(target) = reference(map) {
        return describe_schema(target, depth - 1);
    }
    if map.contains_key("anyOf") {
        let mut all: Vec<String> = Vec::new();
        for one in subschemas(map, "anyOf").filter_map(|one| describe_schema(one, depth - 1)) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
        // An object without fields of its own says less than the example of another alternative.
        if all.iter().any(|one| one.starts_with("an object like ")) {
            all.retain(|one| one != "an object");
        }
        if let Some(more) = all.len().checked_sub(MAX_VARIANTS).filter(|more| *more > 0) {
            all.truncate(MAX_VARIANTS);
            all.push(format!("one of {more} more forms"));
        }
        return Some(all.join(" or "));
    }
    match map.get("type") {
        Some(Value::String(name)) => Some(describe_type(name, map, depth)),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            Some(names.map(|name| describe_type(name, map, depth)).collect::<Vec<_>>().join(" or "))
        }
        _ => subschemas(map, "allOf").find_map(|one| describe_schema(one, depth - 1)),
    }
}

fn describe_type(name: &str, map: &Schema, depth: usize) -> String {
    let range = |minimum: &str, most: &str, unit: &str| match (map.get(minimum), map.get(most)) {
        (Some(minimum), Some(most)) if minimum == most => format!(" of {minimum}{unit}"),
        (Some(minimum), Some(most)) => format!(" of {minimum} to {most}{unit}"),
        (Some(minimum), None) => format!(" of at least {minimum}{unit}"),
        (None, Some(most)) => format!(" of at most {most}{unit}"),
        (None, None) => String::new(),
    };
    match name {
        "string" => text(map, &range("minLength", "maxLength", " characters")),
        "integer" => format!("a whole number{}", range("minimum", "maximum", "")),
        "number" => format!("a number{}", range("minimum", "maximum", "")),
        "boolean" => "true or false".to_owned(),
        "null" => "null".to_owned(),
        "array" => {
            let items = map.get("items").and_then(|items| describe_schema(items, depth - 1));
            let entries = range("minItems", "maxItems", " entries");
            format!("a list{entries}, each {}", items.unwrap_or_else(|| "a value".to_owned()))
        }
        _ => object(map, &range("minProperties", "maxProperties", " fields"), depth),
    }
}

/// Describes an object, with an example.
fn object(map: &Schema, size: &str, depth: usize) -> String {
    let properties = map.get("properties").and_then(Value::as_object);
    if properties.is_none_or(Map::is_empty) {
        let is_closed = map.get("additionalProperties") == Some(&Value::Bool(false));
        return if is_closed { "an empty object".to_owned() } else { format!("an object{size}") };
    }
    // The deepest example that is within the maximum length.
    let examples = (1..=MAX_EXAMPLE_LEVELS).rev();
    let mut examples = examples.map(|levels| format!("{{{}}}", fields(map, levels, depth)));
    match examples.find(|example| example.chars().count() <= MAX_EXAMPLE_CHARS) {
        Some(example) => format!("an object{size} like {example}"),
        None => format!("an object{size}"),
    }
}

/// Returns the fields of an object's example: the required ones, or else one.
fn fields(map: &Schema, levels: usize, depth: usize) -> String {
    let required = map.get("required").and_then(Value::as_array).into_iter().flatten();
    let required: Vec<&str> = required.filter_map(Value::as_str).collect();
    let properties = || map.get("properties").and_then(Value::as_object).into_iter().flatten();
    let mut shown: Vec<String> = properties()
        .filter(|(name, _)| required.contains(&name.as_str()))
        .map(|(name, schema)| field(name, schema, levels, depth))
        .collect();
    if shown.is_empty() {
        shown.extend(properties().next().map(|(name, one)| field(name, one, levels, depth)));
    }
    for one in subschemas(map, "allOf") {
        let Some(own) = one.as_object().filter(|_| depth > 0) else { continue };
        let target = reference(own).and_then(Value::as_object).unwrap_or(own);
        shown.extend(Some(fields(target, levels, depth - 1)).filter(|more| !more.is_empty()));
    }
    shown.join(", ")
}

fn field(name: &str, schema: &Value, levels: usize, depth: usize) -> String {
    let value = example(schema, levels.saturating_sub(1), depth.saturating_sub(1));
    format!("{}: {value}", Value::from(name))
}

/// Returns a value that a schema allows, as JSON with `…` for omitted parts.
fn example(schema: &Value, levels: usize, depth: usize) -> String {
    let Some(map) = schema.as_object().filter(|_| depth > 0) else {
        return "…".to_owned();
    };
    if let Some(first) = map.get("enum").and_then(Value::as_array).and_then(|all| all.first()) {
        return first.to_string();
    }
    if let Some(inner) = reference(map).or_else(|| subschemas(map, "anyOf").next()) {
        return example(inner, levels, depth - 1);
    }
    let name = match map.get("type") {
        Some(Value::Array(names)) => names.first().and_then(Value::as_str),
        name => name.and_then(Value::as_str),
    };
    match name {
        Some("string") => match map.get("format").and_then(Value::as_str) {
            Some("date-time") => "\"2026-01-31T12:00:00Z\"".to_owned(),
            Some("uri") => "\"https://example.org/\"".to_owned(),
            Some("email") => "\"ada@example.org\"".to_owned(),
            _ => "\"…\"".to_owned(),
        },
        Some("integer" | "number") => map.get("minimum").unwrap_or(&Value::from(1)).to_string(),
        Some("boolean") => "true".to_owned(),
        Some("null") => "null".to_owned(),
        Some("array") => match map.get("items") {
            Some(items) if levels > 0 => format!("[{}]", example(items, levels - 1, depth - 1)),
            _ => "[…]".to_owned(),
        },
        _ if levels == 0 => "{…}".to_owned(),
        _ => format!("{{{}}}", fields(map, levels, depth)),
    }
}

fn text(map: &Schema, length: &str) -> String {
    let kind = match map.get("format").and_then(Value::as_str) {
        Some("date-time") => "a time such as \"2026-01-31T12:00:00Z\"",
        Some("uri") => "an absolute URL",
        Some("email") => "an e-mail address",
        Some("uuid") => "a UUID",
        _ => "a text",
    };
    match map.get("pattern").and_then(Value::as_str) {
        Some(pattern) => format!("{kind}{length} that matches {pattern}"),
        None => format!("{kind}{length}"),
    }
}

fn one_of<'a>(allowed: impl Iterator<Item = &'a Value>) -> String {
    let mut all: Vec<String> = allowed.map(Value::to_string).collect();
    if let [one] = all.as_slice() {
        return one.clone();
    }
    let more = all.len().saturating_sub(40);
    all.truncate(40);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("one of {}{rest}", all.join(", "))
}
