//! Schemas as nested lists that open and close without scripts.

use bindery_content::html::OpenApiView;
use bindery_openapi::{Description, Part};
use maud::{Markup, html};
use serde_json::Value;

use super::labels::ApiLabels;
use super::text::{prose, short};

/// Maximum number of schemas within each other.
const MAX_DEPTH: usize = 6;
/// Number of schemas within each other that are open at first.
const OPEN_DEPTH: usize = 1;
/// Maximum number of values of an enumeration that are shown.
const MAX_VALUES: usize = 100;

/// Writes schemas, up to a number of properties.
pub(super) struct Schemas<'d> {
    description: &'d Description,
    labels: &'static ApiLabels,
    /// The names of models that have an entry of their own on the page; the others are shown where
    /// they are used.
    left: usize,
    /// The schemas around the present one, by their places in memory.
    open: Vec<*const Value>,
}

/// Returns the models with these names.
pub(super) fn models(
    description: &Description,
    names: &[String],
    labels: &'static ApiLabels,
) -> OpenApiView {
    let mut schemas = Schemas::new(description, labels, 400 + 4 * names.len());
    let top = description.top();
    let known = top.field("components").and_then(|parts| parts.field("schemas"));
    let details = html! {
        div.api-models {
            @for name in names {
                @if let Some(schema) = known.and_then(|known| known.field(name)) {
                    details.api-model id={ "model-" (name) } {
                        summary { code { (name) } }
                        (schemas.alone(schema))
                    }
                }
            }
        }
    };
    OpenApiView { details: details.into_string(), ..OpenApiView::default() }
}

impl<'d> Schemas<'d> {
    pub(super) fn new(
        description: &'d Description,
        labels: &'static ApiLabels,
        properties: usize,
    ) -> Self {
        Self { description, labels, left: properties, open: Vec::new() }
    }

    /// Returns the type of a schema and everything in it.
    pub(super) fn alone(&mut self, schema: Part<'d>) -> Markup {
        let about = self.about(schema);
        let inner = self.inner(schema);
        html! {
            @if let Some(followed) = self.description.followed(schema) {
                p.api-type { (self.type_of(followed)) }
            }
            (about)
            (inner)
        }
    }

    /// Returns an entry of a list: the name and the schema of a parameter or a property.
    pub(super) fn entry(
        &mut self,
        name: &str,
        schema: Part<'d>,
        is_required: bool,
        extra: Option<&str>,
    ) -> Markup {
        self.left = self.left.saturating_sub(1);
        let labels = self.labels;
        let followed = self.description.followed(schema);
        let is = |field: &str| schema.is(field) || followed.is_some_and(|schema| schema.is(field));
        let about = self.about(schema);
        let inner = self.inner(schema);
        html! {
            li.api-entry {
                div.api-head {
                    code.api-name { (name) }
                    span.api-type { @if let Some(schema) = followed { (self.type_of(schema)) } }
                    @if is_required { span.api-required { (labels.required) } }
                    @if is("deprecated") { span.api-mark { (labels.deprecated) } }
                    @if is("readOnly") { span.api-mark { (labels.read_only) } }
                    @if is("writeOnly") { span.api-mark { (labels.write_only) } }
                }
                @if let Some(text) = extra { (prose(text)) } @else { (about) }
                @if extra.is_some() { (self.limits(schema)) }
                (inner)
            }
        }
    }

    /// Returns the description and the limits of a schema.
    fn about(&self, schema: Part<'d>) -> Markup {
        let followed = self.description.followed(schema);
        let text = schema.text("description");
        let text = text.or_else(|| followed.and_then(|schema| schema.text("description")));
        html! {
            @if let Some(text) = text { (prose(text)) }
            (self.limits(schema))
        }
    }

    /// Returns the default, the example and the limits of a schema.
    fn limits(&self, schema: Part<'d>) -> Markup {
        let Some(schema) = self.description.followed(schema) else { return html! {} };
        let labels = self.labels;
        let value = |name: &str| schema.value.get(name).filter(|value| !value.is_null());
        let examples = schema.field("examples").and_then(|list| list.items().next());
        let example = value("example").or(examples.map(|example| example.value));
        let example = example.filter(|value| !value.is_object() && !value.is_array());
        let texts = schema.value.get("x-enumDescriptions").or(schema.value.get("x-enum-descriptions"));
        let values: Vec<&Value> =
            schema.field("enum").into_iter().flat_map(Part::items).map(|item| item.value).collect();
        let text_of = |index: usize, value: &Value| -> Option<String> {
            let text = match texts? {
                Value::Array(texts) => texts.get(index)?,
                Value::Object(texts) => texts.get(&short(value))?,
                _ => return None,
            };
            text.as_str().map(str::to_owned)
        };
        html! {
            @if let Some(value) = value("default") {
                p.api-limit { (labels.default) " " code { (short(value)) } }
            }
            @if let Some(value) = example {
                p.api-limit { (labels.example) " " code { (short(value)) } }
            }
            @if let Some(value) = value("pattern") {
                p.api-limit { (labels.pattern) " " code { (short(value)) } }
            }
            @if !values.is_empty() {
                @if texts.is_some() {
                    p.api-limit { (labels.values) }
                    ul.api-values {
                        @for (index, value) in values.iter().take(MAX_VALUES).enumerate() {
                            li { code { (short(value)) } " " (text_of(index, value).unwrap_or_default()) }
                        }
                    }
                } @else {
                    p.api-limit { (labels.values)
                        @for value in values.iter().take(MAX_VALUES) { " " code { (short(value)) } }
                        @if values.len() > MAX_VALUES { " …" }
                    }
                }
            }
        }
    }

    /// Returns the parts of a schema: its properties, items or variants.
    fn inner(&mut self, schema: Part<'d>) -> Markup {
        let Some(followed) = self.description.followed(schema) else { return html! {} };
        let place = std::ptr::from_ref(followed.value);
        if !has_parts(followed) {
            return html! {};
        }
        if self.open.contains(&place) {
            return html! { p.api-limit { (self.labels.recursive) } };
        }
        if self.open.len() >= MAX_DEPTH || self.left == 0 {
            return match name_of(schema) {
                Some(name) => html! { p.api-limit { (self.labels.more) " " code { (name) } } },
                None => html! { p.api-limit { "…" } },
            };
        }
        self.open.push(place);
        let labels = self.labels;
        let depth = self.open.len();
        let mut parts = html! {};
        let mut fields = Vec::new();
        let mut variants = Vec::new();
        self.collect(followed, &mut fields, &mut variants, 0);
        if !fields.is_empty() {
            let entries: Vec<Markup> = fields
                .iter()
                .map(|(name, field, is_required)| self.entry(name, *field, *is_required, None))
                .collect();
            parts = html! { (parts) ul.api-list { @for entry in &entries { (entry) } } };
        }
        for (name, label) in [("oneOf", labels.one_of), ("anyOf", labels.any_of)] {
            let of_kind: Vec<Part<'d>> = variants
                .iter()
                .filter(|(kind, _)| *kind == name)
                .map(|(_, variant)| *variant)
                .collect();
            if of_kind.is_empty() {
                continue;
            }
            let shown: Vec<Markup> =
                of_kind.iter().enumerate().map(|(at, one)| self.variant(at, *one)).collect();
            parts = html! {
                (parts)
                p.api-limit { (label) }
                div.api-variants { @for one in &shown { (one) } }
            };
        }
        if let Some(items) = followed.field("items").filter(|_| variants.is_empty()) {
            let inner = self.inner(items);
            parts = html! { (parts) (inner) };
        }
        if let Some(other) = followed.field("additionalProperties").filter(|other| other.value.is_object()) {
            let entry = self.entry(labels.other_properties, other, false, None);
            parts = html! { (parts) ul.api-list { (entry) } };
        }
        self.open.pop();
        let content = parts.into_string();
        if content.is_empty() {
            return html! {};
        }
        let title = if followed.field("items").is_some() { labels.items } else { labels.properties };
        html! {
            @if depth <= OPEN_DEPTH {
                div.api-parts { (maud::PreEscaped(content)) }
            } @else {
                details.api-parts { summary { (title) } (maud::PreEscaped(content)) }
            }
        }
    }

    /// Collects the properties and the variants of a schema and of those that it consists of.
    fn collect(
        &self,
        schema: Part<'d>,
        fields: &mut Vec<(&'d str, Part<'d>, bool)>,
        variants: &mut Vec<(&'static str, Part<'d>)>,
        depth: usize,
    ) {
        let Some(schema) = self.description.followed(schema).filter(|_| depth < MAX_DEPTH) else {
            return;
        };
        let required: Vec<&str> = schema
            .field("required")
            .into_iter()
            .flat_map(Part::items)
            .filter_map(|name| name.value.as_str())
            .collect();
        for (name, field) in schema.field("properties").into_iter().flat_map(Part::fields) {
            match fields.iter_mut().find(|(known, ..)| *known == name) {
                Some(known) => known.2 |= required.contains(&name),
                None => fields.push((name, field, required.contains(&name))),
            }
        }
        for name in &required {
            if let Some(known) = fields.iter_mut().find(|(known, ..)| known == name) {
                known.2 = true;
            }
        }
        for kind in ["oneOf", "anyOf"] {
            let found = schema.field(kind).into_iter().flat_map(Part::items);
            variants.extend(found.filter(|one| !is_null(*one)).map(|one| (kind, one)));
        }
        for part in schema.field("allOf").into_iter().flat_map(Part::items) {
            self.collect(part, fields, variants, depth + 1);
        }
    }

    fn variant(&mut self, index: usize, variant: Part<'d>) -> Markup {
        let followed = self.description.followed(variant);
        let title = followed.and_then(|schema| schema.text("title")).map(str::to_owned);
        let title = name_of(variant).or(title);
        let title = title.unwrap_or_else(|| format!("{} {}", self.labels.variant, index + 1));
        let about = self.about(variant);
        let inner = self.inner(variant);
        html! {
            details.api-variant {
                summary {
                    (title) " "
                    span.api-type { @if let Some(schema) = followed { (self.type_of(schema)) } }
                }
                (about)
                (inner)
            }
        }
    }

    /// Returns the type of a schema in words, such as `array of string`.
    fn type_of(&self, schema: Part<'d>) -> String {
        let mut text = self.type_name(schema, 0);
        let is_null = |value: &Value| value == "null";
        let is_nullable = schema.is("nullable")
            || schema.field("type").is_some_and(|kind| kind.items().any(|one| is_null(one.value)))
            || ["oneOf", "anyOf"].iter().any(|kind| {
                schema.field(kind).into_iter().flat_map(Part::items).any(self::is_null)
            });
        for (name, sign) in [
            ("format", ""), ("contentMediaType", ""),
        ] {
            if let Some(value) = schema.text(name) {
                text = format!("{text} · {sign}{value}");
            }
        }
        let number = |name: &str| schema.value.get(name).filter(|value| value.is_number());
        for (lowest, highest, unit) in [
            ("minimum", "maximum", ""),
            ("minLength", "maxLength", ""),
            ("minItems", "maxItems", ""),
        ] {
            let range = match (number(lowest), number(highest)) {
                (Some(lowest), Some(highest)) => format!("{lowest} – {highest}"),
                (Some(lowest), None) => format!("≥ {lowest}"),
                (None, Some(highest)) => format!("≤ {highest}"),
                (None, None) => continue,
            };
            text = format!("{text} · {range}{unit}");
        }
        if is_nullable { format!("{text} | null") } else { text }
    }

    fn type_name(&self, schema: Part<'d>, depth: usize) -> String {
        let Some(followed) = self.description.followed(schema).filter(|_| depth < 4) else {
            return name_of(schema).unwrap_or_else(|| "object".to_owned());
        };
        let kinds: Vec<&str> = match followed.value.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => {
                kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect()
            }
            _ => Vec::new(),
        };
        if let Some(items) = followed.field("items").filter(|_| kinds.is_empty() || kinds == ["array"]) {
            return format!("{}[]", self.type_name(items, depth + 1));
        }
        if !kinds.is_empty() {
            return kinds.join(" | ");
        }
        if followed.value.get("const").is_some() || followed.value.get("enum").is_some() {
            return "enum".to_owned();
        }
        let is_object = ["properties", "allOf", "additionalProperties"]
            .iter()
            .any(|field| followed.value.get(*field).is_some());
        if is_object {
            return "object".to_owned();
        }
        match ["oneOf", "anyOf"].iter().find_map(|kind| followed.field(kind)) {
            Some(variants) => {
                let mut names: Vec<String> = variants
                    .items()
                    .filter(|one| !is_null(*one))
                    .take(4)
                    .map(|one| self.type_name(one, depth + 1))
                    .collect();
                names.dedup();
                names.join(" | ")
            }
            None => self.labels.any_value.to_owned(),
        }
    }
}

fn is_null(schema: Part<'_>) -> bool {
    schema.value.get("type").is_some_and(|kind| kind == "null")
}

/// Returns `true` if a schema has others within it.
fn has_parts(schema: Part<'_>) -> bool {
    ["properties", "items", "oneOf", "anyOf", "allOf"]
        .iter()
        .any(|field| schema.value.get(*field).is_some())
        || schema.value.get("additionalProperties").is_some_and(Value::is_object)
}

/// Returns the name of the model that a schema refers to.
fn name_of(schema: Part<'_>) -> Option<String> {
    let target = schema.value.get("$ref")?.as_str()?;
    let name = target.rsplit('/').next()?;
    Some(name.replace("~1", "/").replace("~0", "~"))
}
