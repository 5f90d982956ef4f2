//! Schemas as nested lists that open and close without scripts.

use bindery_content::html::OpenApiView;
use bindery_openapi::{Description, Direction, Discriminator, Part};
use maud::{Markup, html};
use serde_json::Value;

use super::ModelLinks;
use super::labels::ApiLabels;
use super::text::{prose, short};

/// Maximum number of schemas within each other.
const MAX_DEPTH: usize = 5;
/// Number of schemas within each other that are open at first.
const OPEN_DEPTH: usize = 1;
/// Number of properties that a model on a page with several may have on average.
const PROPERTIES: usize = 40;
/// Maximum number of values of an enumeration that are shown.
const MAX_VALUES: usize = 100;
/// Maximum number of values of a discriminator that are shown beside a variant.
const MAX_NAMED_VALUES: usize = 3;

/// Writes schemas, up to a number of properties.
pub(super) struct Schemas<'d> {
    description: &'d Description,
    labels: &'static ApiLabels,
    links: &'d ModelLinks<'d>,
    /// The way that values go: properties that go the other way only are left out.
    direction: Option<Direction>,
    /// The names of models that have an entry of their own on the page; the others are shown where
    /// they are used.
    left: usize,
    /// The size of the HTML that texts and entries may still have, in bytes.
    bytes: usize,
    /// The schemas around the present one, by their places in memory.
    open: Vec<*const Value>,
    /// The number of those that are shown as a list within the one above.
    level: usize,
    /// `true` if all are open at first.
    is_open: bool,
}

/// Approximate size of the HTML of an entry without its texts, in bytes.
const ENTRY_HTML: usize = 200;

/// Returns the anchor of a model on its page.
pub(crate) fn model_anchor(name: &str) -> String {
    format!("model-{name}")
}

/// Returns the models with these names, up to a size in bytes.
pub(super) fn models(
    description: &Description,
    names: &[String],
    labels: &'static ApiLabels,
    links: &ModelLinks<'_>,
    bytes: usize,
) -> OpenApiView {
    let own = |name: &str| match names.iter().any(|own| own == name) {
        true => Some(format!("#{}", model_anchor(name))),
        false => links(name),
    };
    let properties = PROPERTIES * names.len();
    let mut schemas = Schemas::new(description, labels, &own, properties, bytes);
    let top = description.top();
    let known = top.field("components").and_then(|parts| parts.field("schemas"));
    let details = html! {
        div.api-models {
            @for name in names {
                @if let Some(schema) = known.filter(|_| !schemas.is_full()).and_then(|known| known.field(name)) {
                    details.api-model id=(model_anchor(name)) {
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
        links: &'d ModelLinks<'d>,
        properties: usize,
        bytes: usize,
    ) -> Self {
        Self {
            description,
            labels,
            links,
            direction: None,
            left: properties,
            bytes,
            open: Vec::new(),
            level: 0,
            is_open: false,
        }
    }

    /// Returns the name of the model that a schema or its items are, as a link if it has a page.
    fn model(&self, schema: Part<'d>) -> Markup {
        let items = || self.description.followed(schema)?.field("items")?.model();
        let Some(name) = schema.model().or_else(items) else { return html! {} };
        match (self.links)(&name) {
            Some(href) => html! { " " a.api-link href=(href) { (name) } },
            None => html! {},
        }
    }

    /// Returns the name of a model, as a link if it has a page.
    fn named(&self, name: &str) -> Markup {
        match (self.links)(name) {
            Some(href) => html! { a.api-link href=(href) { (name) } },
            None => html! { code { (name) } },
        }
    }

    /// Shows all lists open at first, or only the outer ones.
    pub(super) fn set_open(&mut self, is_open: bool) {
        self.is_open = is_open;
    }

    /// Leaves out the properties that do not go in a direction, from here on.
    pub(super) fn set_direction(&mut self, direction: Option<Direction>) {
        self.direction = direction;
    }

    /// Returns `true` if values in the present direction have a property.
    fn has(&self, schema: Part<'d>) -> bool {
        let other = match self.direction {
            Some(Direction::Request) => "readOnly",
            Some(Direction::Response) => "writeOnly",
            None => return true,
        };
        !schema.is(other) && !self.description.followed(schema).is_some_and(|it| it.is(other))
    }

    /// Returns `true` if nothing more is shown.
    pub(super) fn is_full(&self) -> bool {
        self.bytes == 0
    }

    /// Returns the HTML of a text, as far as there is room.
    pub(super) fn prose(&mut self, text: &str) -> Markup {
        if self.is_full() {
            return html! {};
        }
        let shown = prose(text);
        self.spend(shown.0.len());
        shown
    }

    /// Notes that HTML was made.
    pub(super) fn spend(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// Returns the type of a schema and everything in it.
    pub(super) fn alone(&mut self, schema: Part<'d>) -> Markup {
        let about = self.about(schema);
        let inner = self.inner(schema);
        html! {
            @if let Some(followed) = self.description.followed(schema) {
                @let kind = self.description.type_of(followed);
                @let model = self.model(schema);
                // The properties that follow say the same as the word.
                @if kind != "object" || inner.0.is_empty() || !model.0.is_empty() {
                    p.api-type { (kind) (model) }
                }
            }
            (about)
            (inner)
        }
    }

    /// Returns an entry of a list: the name and the schema of a parameter or a property. `outer` is
    /// the parameter or the header that has the schema.
    pub(super) fn entry(
        &mut self,
        name: &str,
        schema: Part<'d>,
        is_required: bool,
        outer: Option<Part<'d>>,
    ) -> Markup {
        if self.is_full() {
            return html! {};
        }
        self.left = self.left.saturating_sub(1);
        self.spend(ENTRY_HTML + name.len());
        let labels = self.labels;
        let followed = self.description.followed(schema);
        let is = |field: &str| {
            [Some(schema), followed, outer].into_iter().flatten().any(|part| part.is(field))
        };
        let about = match outer.and_then(|outer| outer.text("description")) {
            Some(text) => html! { (self.prose(text)) (self.limits(schema, outer)) },
            None => html! { (self.text_of(schema)) (self.limits(schema, outer)) },
        };
        let inner = self.inner(schema);
        html! {
            li.api-entry {
                div.api-head {
                    code.api-name { (name) }
                    span.api-type {
                        @if let Some(schema) = followed { (self.description.type_of(schema)) }
                        (self.model(schema))
                    }
                    @if is_required { span.api-required { (labels.required) } }
                    @if is("deprecated") { span.api-mark { (labels.deprecated) } }
                    @if is("readOnly") { span.api-mark { (labels.read_only) } }
                    @if is("writeOnly") { span.api-mark { (labels.write_only) } }
                }
                (about)
                (inner)
            }
        }
    }

    /// Returns the description and the limits of a schema.
    fn about(&mut self, schema: Part<'d>) -> Markup {
        html! { (self.text_of(schema)) (self.limits(schema, None)) }
    }

    /// Returns the description of a schema.
    fn text_of(&mut self, schema: Part<'d>) -> Markup {
        let followed = self.description.followed(schema);
        let text = schema.text("description");
        let text = text.or_else(|| followed.and_then(|schema| schema.text("description")));
        text.map(|text| self.prose(text)).unwrap_or_default()
    }

    /// Returns the default, the example and the limits of a schema and of the items of a list.
    /// `outer` can state another example.
    fn limits(&mut self, schema: Part<'d>, outer: Option<Part<'d>>) -> Markup {
        let mut limits = self.limits_of(schema, outer);
        let mut items = self.description.followed(schema).and_then(|schema| schema.field("items"));
        for _ in 0..MAX_DEPTH {
            let Some(part) = items.and_then(|items| self.description.followed(items)) else {
                break;
            };
            limits = html! { (limits) (self.limits_of(part, None)) };
            items = part.field("items");
        }
        self.spend(limits.0.len());
        limits
    }

    fn limits_of(&self, schema: Part<'d>, outer: Option<Part<'d>>) -> Markup {
        let Some(schema) = self.description.followed(schema) else { return html! {} };
        let labels = self.labels;
        let value = |name: &str| schema.value.get(name).filter(|value| !value.is_null());
        let examples = schema.field("examples").and_then(|list| list.items().next());
        let of_outer = outer.and_then(|outer| self.description.stated_example(outer));
        let example = of_outer.map(|example| example.value);
        let example = example.or(value("example")).or(examples.map(|example| example.value));
        let example = example.filter(|value| !value.is_object() && !value.is_array());
        let constant = value("const");
        let texts =
            schema.value.get("x-enumDescriptions").or(schema.value.get("x-enum-descriptions"));
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
            @if let Some(value) = constant {
                p.api-limit { (labels.values) " " code { (short(value)) } }
            }
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
        let shape = self.description.shape(followed);
        if shape.is_empty() {
            return html! {};
        }
        let place = std::ptr::from_ref(followed.value);
        if self.open.contains(&place) {
            return match schema.model() {
                Some(name) => {
                    html! { p.api-limit { (self.labels.recursive) " " (self.named(&name)) } }
                }
                None => html! { p.api-limit { (self.labels.recursive) } },
            };
        }
        if self.open.len() >= MAX_DEPTH || self.left == 0 || self.is_full() {
            return match schema.model() {
                Some(name) => html! { p.api-limit { (self.labels.more) " " (self.named(&name)) } },
                None => html! { p.api-limit { "…" } },
            };
        }
        self.open.push(place);
        if let Some(items) = shape.items.filter(|_| shape.has_only_items()) {
            let inner = self.inner(items);
            self.open.pop();
            return inner;
        }
        self.level += 1;
        let labels = self.labels;
        let depth = self.level;
        let mut parts = html! {};
        if !shape.fields.is_empty() {
            let entries: Vec<Markup> = shape
                .fields
                .iter()
                .filter(|field| self.has(field.schema))
                .copied()
                .collect::<Vec<_>>()
                .into_iter()
                .map(|field| self.entry(field.name, field.schema, field.is_required, None))
                .collect();
            if !entries.is_empty() {
                parts = html! { (parts) ul.api-list { @for entry in &entries { (entry) } } };
            }
        }
        for (variants, label) in [(&shape.one_of, labels.one_of), (&shape.any_of, labels.any_of)] {
            if variants.is_empty() {
                continue;
            }
            let shown: Vec<Markup> = variants
                .iter()
                .enumerate()
                .map(|(at, one)| self.variant(at, *one, shape.discriminator.as_ref()))
                .collect();
            parts = html! {
                (parts)
                p.api-limit { (label) }
                div.api-variants { @for one in &shown { (one) } }
            };
        }
        let has_variants = !shape.one_of.is_empty() || !shape.any_of.is_empty();
        if let Some(discriminator) = shape.discriminator.filter(|_| !has_variants) {
            parts = html! { (parts) (self.models_of(&discriminator)) };
        }
        if let Some(items) = shape.items {
            let inner = self.inner(items);
            parts = html! { (parts) (inner) };
        }
        if let Some(other) = shape.other {
            let entry = self.entry(labels.other_properties, other, false, None);
            parts = html! { (parts) ul.api-list { (entry) } };
        }
        self.open.pop();
        self.level -= 1;
        let content = parts.into_string();
        if content.is_empty() {
            return html! {};
        }
        let title = if shape.items.is_some() { labels.items } else { labels.properties };
        html! {
            @if depth <= OPEN_DEPTH {
                div.api-parts { (maud::PreEscaped(content)) }
            } @else {
                details.api-parts open[self.is_open] { summary { (title) } (maud::PreEscaped(content)) }
            }
        }
    }

    /// Returns the values of a property, each with the model that it stands for.
    fn models_of(&mut self, discriminator: &Discriminator<'_>) -> Markup {
        let Discriminator { property, values } = discriminator;
        let values = values.get(..MAX_VALUES.min(values.len())).unwrap_or_default();
        let size: usize = values.iter().map(|(value, model)| value.len() + 2 * model.len()).sum();
        self.spend(size + ENTRY_HTML * values.len());
        html! {
            ul.api-values {
                @for (value, model) in values {
                    li { code { (property) " = " (value) } " " (self.named(model)) }
                }
            }
        }
    }

    fn variant(
        &mut self,
        index: usize,
        variant: Part<'d>,
        discriminator: Option<&Discriminator<'_>>,
    ) -> Markup {
        if self.is_full() {
            return html! {};
        }
        self.spend(ENTRY_HTML);
        let followed = self.description.followed(variant);
        let title = followed.and_then(|schema| schema.text("title")).map(str::to_owned);
        let values = discriminator.zip(variant.model()).map(|(found, model)| {
            let values = found.values_of(&model).into_iter().take(MAX_NAMED_VALUES);
            (found.property, values.collect::<Vec<_>>())
        });
        let title = variant.model().or(title);
        let title = title.unwrap_or_else(|| format!("{} {}", self.labels.variant, index + 1));
        // The first variant shows what a value can be.
        let is_open = self.is_open || index == 0 && self.level <= OPEN_DEPTH;
        let about = self.about(variant);
        // The parts of a variant need no list of their own that opens.
        self.level -= 1;
        let inner = self.inner(variant);
        self.level += 1;
        html! {
            details.api-variant open[is_open] {
                summary {
                    (title) " "
                    span.api-type { @if let Some(schema) = followed { (self.description.type_of(schema)) } }
                    @if let Some((property, values)) = values {
                        @for value in &values { " " code.api-type { (property) " = " (value) } }
                    }
                }
                (about)
                (inner)
            }
        }
    }
}
