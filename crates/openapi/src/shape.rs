//! The shape of schemas: their type in words, their properties and their variants.

use serde_json::Value;

use crate::load::Description;
use crate::resolve::Part;

/// Maximum number of schemas that consist of each other, or are items of each other.
const MAX_DEPTH: usize = 6;
/// Maximum number of variants that a type names.
const MAX_NAMED: usize = 4;

/// The names of the first items of a list that have schemas of their own.
const POSITIONS: [&str; 10] =
    ["[0]", "[1]", "[2]", "[3]", "[4]", "[5]", "[6]", "[7]", "[8]", "[9]"];

/// A property of a schema.
#[derive(Clone, Copy, Debug)]
pub struct Field<'d> {
    /// Its name.
    pub name: &'d str,
    /// Its schema.
    pub schema: Part<'d>,
    /// `true` if every value has it.
    pub is_required: bool,
}

/// The property whose value tells which model an object is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Discriminator<'d> {
    /// The name of the property.
    pub property: &'d str,
    /// The values, each with the name of its model. Other models have their names as values.
    pub values: Vec<(&'d str, String)>,
}

impl Discriminator<'_> {
    /// Returns the values that stand for a model.
    #[must_use]
    pub fn values_of(&self, model: &str) -> Vec<String> {
        let values = self.values.iter().filter(|(_, of)| of == model);
        let values: Vec<String> = values.map(|(value, _)| (*value).to_owned()).collect();
        if values.is_empty() { vec![model.to_owned()] } else { values }
    }
}

/// The parts of a schema, and of those that it consists of.
#[derive(Clone, Debug, Default)]
pub struct Shape<'d> {
    /// The properties, in order.
    pub fields: Vec<Field<'d>>,
    /// The variants of which exactly one fits.
    pub one_of: Vec<Part<'d>>,
    /// The variants of which at least one fits.
    pub any_of: Vec<Part<'d>>,
    /// The schema of items.
    pub items: Option<Part<'d>>,
    /// The schema of all other properties.
    pub other: Option<Part<'d>>,
    /// The property that tells the variants apart.
    pub discriminator: Option<Discriminator<'d>>,
}

impl Shape<'_> {
    /// Returns `true` if the schema has no parts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_none() && self.has_only_items()
    }

    /// Returns `true` if the schema has no parts but items.
    #[must_use]
    pub fn has_only_items(&self) -> bool {
        self.fields.is_empty()
            && self.one_of.is_empty()
            && self.any_of.is_empty()
            && self.other.is_none()
            && self.discriminator.as_ref().is_none_or(|found| found.values.is_empty())
    }
}

/// Returns the name of the model that a reference leads to.
fn model_of(reference: &str) -> String {
    let name = reference.rsplit('/').next().unwrap_or_default();
    name.replace("~1", "/").replace("~0", "~")
}

impl<'d> Part<'d> {
    /// Returns the name of the model that the value refers to.
    #[must_use]
    pub fn model(self) -> Option<String> {
        self.value.get("$ref")?.as_str().map(model_of)
    }

    /// Returns the property that tells the variants of the schema apart.
    pub(crate) fn discriminator(self) -> Option<Discriminator<'d>> {
        let discriminator = self.field("discriminator")?;
        let values = discriminator.field("mapping").into_iter().flat_map(Part::fields);
        let values =
            values.filter_map(|(value, model)| Some((value, model_of(model.value.as_str()?))));
        let property = discriminator.text("propertyName")?;
        Some(Discriminator { property, values: values.collect() })
    }

    fn is_null(self) -> bool {
        self.value.get("type").is_some_and(|kind| kind == "null")
    }
}

impl Description {
    /// Returns the parts of a schema.
    #[must_use]
    pub fn shape<'d>(&'d self, schema: Part<'d>) -> Shape<'d> {
        let mut shape = Shape::default();
        self.collect(schema, &mut shape, 0);
        if let Some(schema) = self.followed(schema) {
            shape.items = schema.field("items").filter(|items| items.value.is_object());
            let other = schema.field("additionalProperties");
            shape.other = other.filter(|other| other.value.is_object());
            let first = schema.field("prefixItems").into_iter().flat_map(Part::items);
            for (name, item) in POSITIONS.iter().zip(first) {
                shape.fields.push(Field { name, schema: item, is_required: false });
            }
            for (name, field) in
                schema.field("patternProperties").into_iter().flat_map(Part::fields)
            {
                shape.fields.push(Field { name, schema: field, is_required: false });
            }
        }
        shape
    }

    fn collect<'d>(&'d self, schema: Part<'d>, shape: &mut Shape<'d>, depth: usize) {
        let Some(schema) = self.followed(schema).filter(|_| depth < MAX_DEPTH) else { return };
        if shape.discriminator.is_none() {
            shape.discriminator = schema.discriminator();
        }
        for (name, field) in schema.field("properties").into_iter().flat_map(Part::fields) {
            if !shape.fields.iter().any(|known| known.name == name) {
                shape.fields.push(Field { name, schema: field, is_required: false });
            }
        }
        for (kind, variants) in [("oneOf", &mut shape.one_of), ("anyOf", &mut shape.any_of)] {
            let found = schema.field(kind).into_iter().flat_map(Part::items);
            variants.extend(found.filter(|variant| !variant.is_null()));
        }
        for part in schema.field("allOf").into_iter().flat_map(Part::items) {
            self.collect(part, shape, depth + 1);
        }
        for name in schema.field("required").into_iter().flat_map(Part::items) {
            if let Some(known) = shape.fields.iter_mut().find(|known| name.value == known.name) {
                known.is_required = true;
            }
        }
    }

    /// Returns the type of a schema with its limits, such as `string · date-time | null`.
    #[must_use]
    pub fn type_of(&self, schema: Part<'_>) -> String {
        let mut text = self.type_name(schema, 0);
        let Some(schema) = self.followed(schema) else { return text };
        for name in ["format", "contentMediaType"] {
            if let Some(value) = schema.text(name) {
                text = format!("{text} · {value}");
            }
        }
        for limit in limits_of(schema) {
            text = format!("{text} · {limit}");
        }
        if self.is_nullable(schema) { format!("{text} | null") } else { text }
    }

    fn is_nullable(&self, schema: Part<'_>) -> bool {
        let kinds = schema.field("type").into_iter().flat_map(Part::items);
        let variants = ["oneOf", "anyOf"].iter().filter_map(|kind| schema.field(kind));
        schema.is("nullable")
            || kinds.into_iter().any(|kind| kind.value == "null")
            || variants.flat_map(Part::items).any(Part::is_null)
    }

    fn type_name(&self, schema: Part<'_>, depth: usize) -> String {
        let Some(followed) = self.followed(schema).filter(|_| depth < MAX_DEPTH) else {
            return schema.model().unwrap_or_else(|| "object".to_owned());
        };
        let kinds: Vec<&str> = match followed.value.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => {
                kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect()
            }
            _ => Vec::new(),
        };
        let items = followed.field("items").filter(|_| kinds.is_empty() || kinds == ["array"]);
        if let Some(items) = items {
            return format!("{}[]", self.type_name(items, depth + 1));
        }
        if !kinds.is_empty() {
            return kinds.join(" | ");
        }
        let has = |fields: &[&str]| fields.iter().any(|field| followed.value.get(*field).is_some());
        if has(&["const", "enum"]) {
            return "enum".to_owned();
        }
        if has(&["properties", "allOf", "additionalProperties"]) {
            return "object".to_owned();
        }
        let Some(variants) = ["oneOf", "anyOf"].iter().find_map(|kind| followed.field(kind)) else {
            return "any".to_owned();
        };
        let variants = variants.items().filter(|variant| !variant.is_null()).take(MAX_NAMED);
        let mut names: Vec<String> =
            variants.map(|variant| self.type_name(variant, depth + 1)).collect();
        names.dedup();
        names.join(" | ")
    }
}

/// Returns the limits of the values of a schema, such as `≥ 1` or `length 3 – 20`.
fn limits_of(schema: Part<'_>) -> Vec<String> {
    let number = |name: &str| schema.value.get(name).filter(|value| value.is_number());
    let mut limits = Vec::new();
    let ends =
        [("minimum", "exclusiveMinimum", ["≥", ">"]), ("maximum", "exclusiveMaximum", ["≤", "<"])];
    let [lowest, highest] = ends.map(|(name, exclusive, [sign, open])| {
        // OpenAPI 3.0 has a truth value beside the limit, later versions have a limit of its own.
        match (number(exclusive), number(name)) {
            (Some(limit), _) => Some((open, limit)),
            (None, Some(limit)) if schema.is(exclusive) => Some((open, limit)),
            (None, limit) => limit.map(|limit| (sign, limit)),
        }
    });
    match (lowest, highest) {
        (Some(("≥", lowest)), Some(("≤", highest))) => {
            limits.push(format!("{lowest} – {highest}"))
        }
        (lowest, highest) => {
            let each = lowest.into_iter().chain(highest);
            limits.extend(each.map(|(sign, limit)| format!("{sign} {limit}")));
        }
    }
    if let Some(step) = number("multipleOf") {
        limits.push(format!("multiple of {step}"));
    }
    for (word, lowest, highest) in [
        ("length", "minLength", "maxLength"),
        ("items", "minItems", "maxItems"),
        ("properties", "minProperties", "maxProperties"),
    ] {
        limits.extend(match (number(lowest), number(highest)) {
            (Some(lowest), Some(highest)) if lowest == highest => Some(format!("{word} {lowest}")),
            (Some(lowest), Some(highest)) => Some(format!("{word} {lowest} – {highest}")),
            (Some(lowest), None) => Some(format!("{word} ≥ {lowest}")),
            (None, Some(highest)) => Some(format!("{word} ≤ {highest}")),
            (None, None) => None,
        });
    }
    if schema.is("uniqueItems") {
        limits.push("unique items".to_owned());
    }
    limits
}
