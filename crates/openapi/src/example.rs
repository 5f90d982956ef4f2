//! Examples of schemas: those that a description states, and generated ones, which are the same each
//! time.

use serde_json::{Map, Number, Value, json};

use crate::load::Description;
use crate::resolve::Part;

/// Maximum number of values of an example.
const MAX_VALUES: usize = 500;
/// Maximum number of arrays and objects within each other.
const MAX_DEPTH: usize = 10;
/// Maximum length of a text that is repeated until it has the length that a schema asks for.
const MAX_LENGTH: u64 = 100;
/// Maximum number of items of a generated list.
const MAX_ITEMS: u64 = 3;

/// The direction in which a value is sent. Some properties are only sent in one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// To the server.
    Request,
    /// From the server.
    Response,
}

impl Description {
    /// Returns the first example that a parameter, a header or a media type states.
    #[must_use]
    pub fn stated_example<'d>(&'d self, part: Part<'d>) -> Option<Part<'d>> {
        self.stated_examples(part).next().map(|(_, example)| example)
    }

    /// Returns all examples that a media type states, each with its summary or its name; the only one
    /// has none.
    pub fn stated_examples<'d>(
        &'d self,
        part: Part<'d>,
    ) -> impl Iterator<Item = (&'d str, Part<'d>)> {
        let only = part.field("example");
        let examples = part.field("examples").filter(|_| only.is_none());
        let examples = examples.into_iter().flat_map(Part::fields);
        let examples = examples.filter_map(|(name, example)| {
            let example = self.followed(example)?;
            Some((example.text("summary").unwrap_or(name), example.field("value")?))
        });
        only.map(|example| ("", example)).into_iter().chain(examples)
    }

    /// Returns an example of a schema: the one that it states, else a generated one. Circles are cut
    /// where they close. Returns `None` for a schema that permits nothing, or leads to nothing.
    #[must_use]
    pub fn example(&self, schema: Part<'_>, direction: Direction) -> Option<Value> {
        let mut generator =
            Generator { description: self, direction, open: Vec::new(), left: MAX_VALUES };
        generator.value(schema)
    }
}

struct Generator<'d> {
    description: &'d Description,
    direction: Direction,
    /// The schemas around the present one, by their places in memory.
    open: Vec<*const Value>,
    left: usize,
}

impl Generator<'_> {
    fn value(&mut self, schema: Part<'_>) -> Option<Value> {
        let schema = self.description.followed(schema)?;
        if schema.value == &Value::Bool(false) || self.left == 0 || self.open.len() >= MAX_DEPTH {
            return None;
        }
        let place = std::ptr::from_ref(schema.value);
        if self.open.contains(&place) {
            return None;
        }
        self.left -= 1;
        self.open.push(place);
        let found = stated(schema).or_else(|| self.generated(schema));
        self.open.pop();
        found
    }

    fn generated(&mut self, schema: Part<'_>) -> Option<Value> {
        if let Some(parts) = schema.field("allOf") {
            return Some(self.all_of(schema, parts));
        }
        for name in ["oneOf", "anyOf"] {
            if let Some(variants) = schema.field(name) {
                let found = variants.items().find_map(|variant| {
                    let value = self.value(variant)?;
                    Some(self.told_apart(schema, variant, value))
                });
                return match (found, schema.value.get("properties")) {
                    (Some(Value::Object(mut fields)), Some(_)) => {
                        fields.extend(self.object(schema));
                        Some(Value::Object(fields))
                    }
                    (Some(found), _) => Some(found),
                    (None, _) => Some(Value::Null),
                };
            }
        }
        Some(match kind_of(schema) {
            "object" => Value::Object(self.object(schema)),
            "array" => self.array(schema),
            "string" => text(schema).into(),
            "integer" => number(schema, true),
            "number" => number(schema, false),
            "boolean" => true.into(),
            "null" => Value::Null,
            _ => json!({}),
        })
    }

    /// Returns the value of a variant with the property that tells it apart from the others.
    fn told_apart(&self, schema: Part<'_>, variant: Part<'_>, mut value: Value) -> Value {
        let (Some(found), Some(model)) = (schema.discriminator(), variant.model()) else {
            return value;
        };
        let is_mapped = found.values.iter().any(|(_, of)| *of == model);
        let own = self.description.shape(variant).fields.into_iter();
        let own = own.filter(|field| field.name == found.property).find_map(|field| {
            let schema = self.description.followed(field.schema)?;
            schema.field("const").or_else(|| schema.field("enum"))
        });
        if let Value::Object(fields) = &mut value
            && (is_mapped || own.is_none())
            && let Some(first) = found.values_of(&model).into_iter().next()
        {
            fields.insert(found.property.to_owned(), first.into());
        }
        value
    }

    /// Returns the fields of all parts of a schema; a part that is no object replaces those before.
    fn all_of(&mut self, schema: Part<'_>, parts: Part<'_>) -> Value {
        let mut merged = Map::new();
        let mut other = None;
        for part in parts.items() {
            match self.value(part) {
                Some(Value::Object(fields)) => merged.extend(fields),
                Some(value) => other = Some(value),
                None => {}
            }
        }
        merged.extend(self.object(schema));
        match other {
            Some(value) if merged.is_empty() => value,
            _ => Value::Object(merged),
        }
    }

    fn object(&mut self, schema: Part<'_>) -> Map<String, Value> {
        let skipped = match self.direction {
            Direction::Request => "readOnly",
            Direction::Response => "writeOnly",
        };
        let mut fields = Map::new();
        for (name, property) in schema.field("properties").into_iter().flat_map(Part::fields) {
            let followed = self.description.followed(property);
            if property.is(skipped) || followed.is_some_and(|property| property.is(skipped)) {
                continue;
            }
            if let Some(value) = self.value(property) {
                fields.insert(name.to_owned(), value);
            }
        }
        if let Some(more) =
            schema.field("additionalProperties").filter(|more| more.value.is_object())
            && fields.is_empty()
            && let Some(value) = self.value(more)
        {
            fields.insert("key".to_owned(), value);
        }
        fields
    }

    fn array(&mut self, schema: Part<'_>) -> Value {
        let first: Vec<Value> = schema
            .field("prefixItems")
            .into_iter()
            .flat_map(Part::items)
            .filter_map(|item| self.value(item))
            .collect();
        if !first.is_empty() {
            return first.into();
        }
        let count = whole(schema, "minItems").unwrap_or(1).clamp(1, MAX_ITEMS);
        let item = schema.field("items").and_then(|item| self.value(item));
        let Some(item) = item else { return json!([]) };
        let count = usize::try_from(count).unwrap_or(1);
        vec![item; count].into()
    }
}

/// Returns the example that a schema states, if any.
fn stated(schema: Part<'_>) -> Option<Value> {
    let first = |name: &str| schema.value.get(name)?.as_array()?.first();
    let found = schema.value.get("example").or_else(|| first("examples"));
    let found = found.or_else(|| schema.value.get("const")).or_else(|| schema.value.get("default"));
    found.or_else(|| first("enum")).cloned()
}

/// Returns the type of a schema, also of one that does not state it.
fn kind_of(schema: Part<'_>) -> &str {
    let kind = match schema.value.get("type") {
        Some(Value::String(kind)) => Some(kind.as_str()),
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str);
            let first = kinds.next();
            kinds.chain(first).find(|kind| *kind != "null").or(first)
        }
        _ => None,
    };
    let has = |names: &[&str]| names.iter().any(|name| schema.value.get(name).is_some());
    match kind {
        Some(kind) => kind,
        None if has(&["properties", "additionalProperties"]) => "object",
        None if has(&["items", "prefixItems"]) => "array",
        None if has(&["format", "pattern", "minLength", "maxLength"]) => "string",
        None if has(&["minimum", "maximum", "multipleOf"]) => "number",
        None => "",
    }
}

fn whole(schema: Part<'_>, name: &str) -> Option<u64> {
    schema.value.get(name)?.as_u64()
}

fn text(schema: Part<'_>) -> String {
    let found = match schema.text("format").unwrap_or_default() {
        "date" => "2025-01-31",
        "date-time" => "2025-01-31T09:30:00Z",
        "time" => "09:30:00Z",
        "duration" => "PT15M",
        "email" | "idn-email" => "name@example.com",
        "hostname" | "idn-hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "url" | "iri" => "https://example.com",
        "uri-reference" | "iri-reference" => "/path",
        "uuid" => "123e4567-e89b-12d3-a456-426614174000",
        "byte" => "dGV4dA==",
        "binary" => "…",
        "password" => "password",
        _ => "text",
    };
    let least = whole(schema, "minLength").unwrap_or(0).min(MAX_LENGTH);
    let most = whole(schema, "maxLength").unwrap_or(u64::MAX);
    let count = |text: &str| u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
    let mut found = found.to_owned();
    while count(&found) < least {
        found.push_str("text");
    }
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    found.chars().take(most).collect()
}

/// Returns a number that a schema permits.
fn number(schema: Part<'_>, is_whole: bool) -> Value {
    let value = |name: &str| schema.value.get(name).and_then(Value::as_f64);
    // Before OpenAPI 3.1, the limits are exclusive if a field says so.
    let minimum = value("exclusiveMinimum")
        .map(|limit| (limit, true))
        .or_else(|| value("minimum").map(|limit| (limit, schema.is("exclusiveMinimum"))));
    let maximum = value("exclusiveMaximum").or_else(|| value("maximum"));
    let step = value("multipleOf").filter(|step| *step > 0.0);
    let mut found = match (minimum, maximum) {
        (Some((limit, is_exclusive)), _) => {
            let step = if is_whole { 1.0 } else { step.unwrap_or(0.5) };
            if is_exclusive { limit + step } else { limit }
        }
        (None, Some(limit)) if limit < 1.0 => limit - 1.0,
        _ => 1.0,
    };
    if let Some(step) = step {
        found = (found / step).ceil() * step;
    }
    if is_whole {
        found = found.ceil();
    }
    let is_exact = found.fract() == 0.0 && found.abs() < 9e15;
    match is_exact {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
        true => Value::from(found as i64),
        false => Number::from_f64(found).map_or(Value::from(1), Value::Number),
    }
}
