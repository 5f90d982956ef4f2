//! The fields of a schema, with nested ones in elements that open without scripts.

use maud::{Markup, html};
use serde_json::Value;

use super::{ROOT, prose};
use crate::{descriptions, schemas};

/// The use of a schema, which decides how deep its fields are shown in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Request,
    Response,
    Schema,
}

impl Purpose {
    const fn depth(self) -> usize {
        match self {
            Self::Request => 3,
            Self::Response | Self::Schema => 2,
        }
    }
}

/// Maximum number of fields of one schema that are shown in place. Further ones are behind the links
/// to their schemas.
const MAX_FIELDS: usize = 120;
/// Maximum number of listed values.
const MAX_VALUES: usize = 40;
/// Maximum number of variants whose names make up the name of a union.
const MAX_NAMED_VARIANTS: usize = 4;
/// Maximum depth of the unions, lists and references that are followed for a name.
const MAX_NAME_DEPTH: usize = 8;

/// Renders the fields of a schema.
pub(super) fn render(schema: &Value, purpose: Purpose) -> Markup {
    let mut renderer = Renderer { left: MAX_FIELDS, open: Vec::new() };
    renderer.content(schema, purpose.depth())
}

/// Returns the name and the target of a reference; a schema that is no reference has no name.
fn resolve(schema: &Value) -> (Option<&str>, &Value) {
    let (mut name, mut schema) = (None, schema);
    for _ in 0..MAX_NAME_DEPTH {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { break };
        name = reference.rsplit('/').next();
        schema = schemas::resolve(reference);
    }
    (name, schema)
}

fn list<'a>(schema: &'a Value, keyword: &str) -> &'a [Value] {
    schema.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A field of an object.
struct Field<'a> {
    name: &'a str,
    schema: &'a Value,
    is_required: bool,
}

/// The parts of a schema, with those of `allOf` merged.
#[derive(Default)]
struct Parts<'a> {
    fields: Vec<Field<'a>>,
    /// Unions, of which a value matches one variant each.
    unions: Vec<&'a [Value]>,
    /// The schema of fields with any name.
    other: Option<&'a Value>,
    items: Option<&'a Value>,
}

impl<'a> Parts<'a> {
    fn of(schema: &'a Value) -> Self {
        let mut parts = Self::default();
        parts.add(schema, MAX_NAME_DEPTH);
        parts
    }

    fn add(&mut self, schema: &'a Value, depth: usize) {
        let (_, schema) = resolve(schema);
        let required = list(schema, "required");
        for (name, field) in
            schema.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            let is_required = required.iter().any(|one| one == name);
            match self.fields.iter_mut().find(|known| known.name == name) {
                Some(known) => {
                    known.schema = field;
                    known.is_required |= is_required;
                }
                None => self.fields.push(Field { name, schema: field, is_required }),
            }
        }
        self.other =
            self.other.or(schema.get("additionalProperties").filter(|one| one.is_object()));
        self.items = self.items.or(schema.get("items"));
        if depth == 0 {
            return;
        }
        for part in list(schema, "allOf") {
            self.add(part, depth - 1);
        }
        let variants = list(schema, "anyOf");
        let variants_with_fields =
            variants.iter().filter(|variant| is_composite(variant, depth - 1));
        match variants_with_fields.count() {
            0 => {}
            _ if variants.len() == 1 => self.add(&variants[0], depth - 1),
            _ => self.unions.push(variants),
        }
    }
}

/// Returns `true` if values of a schema contain fields or items with fields.
fn is_composite(schema: &Value, depth: usize) -> bool {
    let (_, schema) = resolve(schema);
    let any = |parts: &[Value]| depth > 0 && parts.iter().any(|part| is_composite(part, depth - 1));
    schema.get("properties").is_some()
        || schema.get("additionalProperties").is_some_and(Value::is_object)
        || schema.get("items").is_some_and(|items| depth > 0 && is_composite(items, depth - 1))
        || any(list(schema, "allOf"))
        || any(list(schema, "anyOf"))
}

struct Renderer<'a> {
    /// The number of fields that may still be shown.
    left: usize,
    /// The names of the schemas whose fields are being rendered.
    open: Vec<&'a str>,
}

impl<'a> Renderer<'a> {
    /// Renders what a schema contains.
    fn content(&mut self, schema: &'a Value, depth: usize) -> Markup {
        let (name, _) = resolve(schema);
        self.open.extend(name);
        let parts = Parts::of(schema);
        let content = html! {
            @if parts.fields.is_empty() && parts.unions.is_empty() && parts.other.is_none() {
                @match parts.items {
                    Some(items) if is_composite(items, MAX_NAME_DEPTH) => {
                        p.items { "A list; each item has:" }
                        (self.content(items, depth))
                    }
                    _ => p { span.kind { (type_name(schema)) } }
                }
                (constraints(schema))
            }
            @if !parts.fields.is_empty() || parts.other.is_some() {
                dl.fields {
                    @for field in &parts.fields { (self.field(field, depth)) }
                    @if let Some(other) = parts.other {
                        (self.field(&Field { name: "any name", schema: other, is_required: false }, depth))
                    }
                }
            }
            @for variants in &parts.unions { (self.union(variants, depth)) }
        };
        if name.is_some() {
            self.open.pop();
        }
        content
    }

    fn field(&mut self, field: &Field<'a>, depth: usize) -> Markup {
        self.left = self.left.saturating_sub(1);
        let Field { name, schema, is_required } = *field;
        let description = descriptions::of_field(name, schema);
        let inner = self.nested(schema, depth);
        html! {
            div {
                dt {
                    code { (name) } " " span.kind { (type_name(schema)) }
                    @if is_required { " " span.required { "required" } }
                }
                dd {
                    @if let Some(text) = description { p { (prose(text)) } }
                    (constraints(schema))
                    @if let Some(inner) = inner {
                        details { summary { "Fields of " code { (name) } } (inner) }
                    }
                }
            }
        }
    }

    fn union(&mut self, variants: &'a [Value], depth: usize) -> Markup {
        html! {
            p.items { "One of:" }
            ul.variants {
                @for variant in variants {
                    li {
                        @match self.nested(variant, depth) {
                            Some(inner) => details {
                                summary { (variant_name(variant)) }
                                (inner)
                            },
                            None => (type_name(variant)),
                        }
                    }
                }
            }
        }
    }

    /// Renders what a part of a schema contains; `None` if it contains nothing, or is shown on the
    /// page of its own schema.
    fn nested(&mut self, schema: &'a Value, depth: usize) -> Option<Markup> {
        let (name, target) = resolve(schema);
        let inner = target.get("items").map_or(schema, |items| items);
        let (item_name, _) = resolve(inner);
        let is_open = [name, item_name].iter().flatten().any(|name| self.open.contains(name));
        if depth == 0 || self.left == 0 || is_open || !is_composite(schema, MAX_NAME_DEPTH) {
            return None;
        }
        Some(self.content(schema, depth - 1))
    }
}

/// Returns the name of a variant: its schema, or the value of the field that tells it apart.
fn variant_name(schema: &Value) -> String {
    if let (Some(name), _) = resolve(schema) {
        return name.to_owned();
    }
    let parts = Parts::of(schema);
    let constant = |field: &Field<'_>| {
        let (_, schema) = resolve(field.schema);
        match list(schema, "enum") {
            [Value::String(value)] => Some(format!("{}: {value}", field.name)),
            _ => None,
        }
    };
    if let Some(name) = parts.fields.iter().find_map(constant) {
        return name;
    }
    let names: Vec<&str> = parts.fields.iter().take(3).map(|field| field.name).collect();
    match names[..] {
        [] => plain_type_name(schema),
        _ => format!("with {}", names.join(", ")),
    }
}

/// Returns the name of the type of a schema, with links to the pages of schemas.
pub(super) fn type_name(schema: &Value) -> Markup {
    let mut pieces = Vec::new();
    push_name(schema, MAX_NAME_DEPTH, &mut pieces);
    html! {
        @for piece in &pieces {
            @match piece {
                Piece::Text(text) => (text),
                Piece::Schema(name) => a href={ (ROOT) "/schemas/" (name) } { (name) },
            }
        }
    }
}

/// Returns the name of the type of a schema without links.
pub(super) fn plain_type_name(schema: &Value) -> String {
    let mut pieces = Vec::new();
    push_name(schema, MAX_NAME_DEPTH, &mut pieces);
    let text = |piece: Piece<'_>| match piece {
        Piece::Text(text) => text,
        Piece::Schema(name) => name.to_owned(),
    };
    pieces.into_iter().map(text).collect()
}

/// A piece of the name of a type.
enum Piece<'a> {
    Text(String),
    Schema(&'a str),
}

fn push_name<'a>(schema: &'a Value, depth: usize, out: &mut Vec<Piece<'a>>) {
    let (name, target) = resolve(schema);
    if let Some(name) = name.filter(|_| is_composite(target, MAX_NAME_DEPTH)) {
        out.push(Piece::Schema(name));
        return;
    }
    if let (Some(items), true) = (target.get("items"), depth > 0) {
        out.push(Piece::Text("list of ".to_owned()));
        push_name(items, depth - 1, out);
        return;
    }
    let variants = list(target, "anyOf");
    if !variants.is_empty() && depth > 0 {
        if variants.len() > MAX_NAMED_VARIANTS {
            out.push(Piece::Text(format!("one of {} kinds", variants.len())));
            return;
        }
        let start = out.len();
        let mut known = Vec::new();
        for variant in variants {
            let name = plain_type_name(variant);
            if known.contains(&name) {
                continue;
            }
            known.push(name);
            if out.len() > start {
                out.push(Piece::Text(" or ".to_owned()));
            }
            push_name(variant, depth - 1, out);
        }
        return;
    }
    let format = target.get("format").and_then(Value::as_str);
    let text = match target.get("type") {
        Some(Value::String(kind)) => match format {
            Some(format) => format!("{kind} ({format})"),
            None => kind.clone(),
        },
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        _ if target.get("enum").is_some() => "string".to_owned(),
        _ if target.get("properties").is_some() || target.get("allOf").is_some() => {
            "object".to_owned()
        }
        _ => "any value".to_owned(),
    };
    out.push(Piece::Text(text));
}

/// Adds the listed values of a schema and of its variants.
fn push_values<'a>(schema: &'a Value, depth: usize, values: &mut Vec<&'a Value>) {
    let (_, schema) = resolve(schema);
    if depth == 0 || schema.get("properties").is_some() {
        return;
    }
    let new = list(schema, "enum").iter().filter(|value| !value.is_null());
    let new: Vec<&Value> = new.filter(|value| !values.contains(value)).collect();
    values.extend(new);
    for variant in list(schema, "anyOf") {
        push_values(variant, depth - 1, values);
    }
}

/// Renders what values of a schema may be: the listed values, the bounds and the default.
pub(super) fn constraints(schema: &Value) -> Markup {
    let (_, schema) = resolve(schema);
    let (_, values_of) = match schema.get("items") {
        Some(items) => resolve(items),
        None => (None, schema),
    };
    let mut values = Vec::new();
    push_values(values_of, MAX_NAME_DEPTH, &mut values);
    let bound = |low: &str, high: &str, unit: &str| {
        let number = |keyword: &str| schema.get(keyword).map(ToString::to_string);
        match (number(low), number(high)) {
            (Some(low), Some(high)) if low == high => Some(format!("{low}{unit}")),
            (Some(low), Some(high)) => Some(format!("{low} to {high}{unit}")),
            (Some(low), None) => Some(format!("at least {low}{unit}")),
            (None, Some(high)) => Some(format!("at most {high}{unit}")),
            (None, None) => None,
        }
    };
    let bounds = [
        bound("minimum", "maximum", ""),
        bound("minLength", "maxLength", " characters"),
        bound("minItems", "maxItems", " items"),
    ];
    let bounds: Vec<String> = bounds.into_iter().flatten().collect();
    html! {
        @if !values.is_empty() {
            p.note {
                "Values: "
                @for (at, value) in values.iter().take(MAX_VALUES).enumerate() {
                    @if at > 0 { ", " }
                    code { (value.as_str().map_or_else(|| value.to_string(), str::to_owned)) }
                }
                @if values.len() > MAX_VALUES { " and " (values.len() - MAX_VALUES) " more" }
            }
        }
        @if !bounds.is_empty() { p.note { "Allowed: " (bounds.join(", ")) } }
        @if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
            p.note { "Pattern: " code { (pattern) } }
        }
        @if let Some(default) = schema.get("default") {
            p.note { "Default: " code { (default) } }
        }
    }
}
