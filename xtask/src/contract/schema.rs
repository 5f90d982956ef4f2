//! The contract's schemas as shapes: references are resolved, `allOf` is merged, and null is
//! separated.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The published description, and the module of each of its schemas.
pub(super) struct Source {
    document: Value,
    areas: BTreeMap<String, String>,
}

/// The values that a schema permits.
#[derive(Debug)]
pub(super) enum Shape {
    /// Those of another schema, by name.
    Named(String),
    /// One of these strings.
    Texts(Vec<String>),
    Text,
    Time,
    Bool,
    Number,
    List(Value),
    Map(Value),
    Object(Object),
    /// Those of any of these schemas, without null.
    Union(Vec<Value>),
    Any,
}

/// The fields of an object, with `allOf` merged.
#[derive(Debug, Default)]
pub(super) struct Object {
    pub(super) fields: Vec<Field>,
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) schema: Value,
    pub(super) required: bool,
    /// The named schema that declares the field, if another schema includes it.
    pub(super) owner: Option<String>,
}

impl Source {
    pub(super) fn new(document: Value, areas: BTreeMap<String, String>) -> Self {
        Self { document, areas }
    }

    /// Returns the implemented operations.
    pub(super) fn implemented(&self) -> Vec<&Value> {
        let paths = self.document["paths"].as_object().into_iter().flatten();
        paths
            .flat_map(|(_, item)| item.as_object().into_iter().flatten())
            .map(|(_, operation)| operation)
            .filter(|operation| operation.get("x-pending").is_none())
            .collect()
    }

    /// Returns the schema with a name.
    pub(super) fn named(&self, name: &str) -> Result<&Value> {
        let schemas = &self.document["components"]["schemas"];
        schemas.get(name).with_context(|| format!("no schema {name}"))
    }

    /// Resolves a reference to a parameter or a response. Returns other values unchanged.
    pub(super) fn resolve<'a>(&'a self, value: &'a Value) -> Result<&'a Value> {
        match value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
            Some(pointer) => {
                self.document.pointer(pointer).with_context(|| format!("no {pointer}"))
            }
            None => Ok(value),
        }
    }

    /// Returns the module of a schema.
    pub(super) fn area(&self, name: &str) -> Result<&str> {
        self.areas.get(name).map(String::as_str).with_context(|| format!("no file has {name}"))
    }

    /// Returns `true` if the schema permits null.
    pub(super) fn nullable(&self, schema: &Value) -> Result<bool> {
        if let Some(name) = reference(schema) {
            return self.nullable(self.named(name)?);
        }
        if let Some(variants) = schema["anyOf"].as_array() {
            for variant in variants {
                if self.nullable(variant)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        Ok(match &schema["type"] {
            Value::String(name) => name == "null",
            Value::Array(names) => names.iter().any(|name| name == "null"),
            _ => false,
        })
    }

    /// Returns the shape of a schema without null.
    pub(super) fn shape(&self, schema: &Value) -> Result<Shape> {
        if let Some(name) = reference(schema) {
            return Ok(Shape::Named(name.to_owned()));
        }
        if let Some(variants) = schema["anyOf"].as_array() {
            return self.union(variants);
        }
        if schema["allOf"].is_array() {
            return Ok(Shape::Object(self.object(schema)?));
        }
        let names = match &schema["type"] {
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            name => name.as_str().into_iter().collect::<Vec<_>>(),
        };
        let names: Vec<&str> = names.into_iter().filter(|name| *name != "null").collect();
        Ok(match names.as_slice() {
            ["string"] => match schema["enum"].as_array() {
                Some(values) => Shape::Texts(
                    values.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                ),
                None if schema["format"] == "date-time" => Shape::Time,
                None => Shape::Text,
            },
            ["boolean"] => Shape::Bool,
            ["integer" | "number"] => Shape::Number,
            ["array"] => Shape::List(schema["items"].clone()),
            ["object"] => self.object_or_map(schema)?,
            [] if schema["properties"].is_object() => self.object_or_map(schema)?,
            [] => Shape::Any,
            other => bail!("a schema of the types {other:?}"),
        })
    }

    fn object_or_map(&self, schema: &Value) -> Result<Shape> {
        let empty = schema["properties"].as_object().is_none_or(serde_json::Map::is_empty);
        Ok(match &schema["additionalProperties"] {
            Value::Object(values) if empty => Shape::Map(Value::Object(values.clone())),
            Value::Bool(true) if empty => Shape::Any,
            _ => Shape::Object(self.object(schema)?),
        })
    }

    /// Returns the shape of a union. A single variant is returned itself; variants that are all
    /// strings form one enumeration.
    fn union(&self, variants: &[Value]) -> Result<Shape> {
        let mut rest = Vec::new();
        for variant in variants {
            if variant["type"] != "null" {
                rest.push(variant.clone());
            }
        }
        if let [one] = rest.as_slice() {
            return self.shape(one);
        }
        let mut texts = Vec::new();
        for variant in &rest {
            match self.texts(variant)? {
                Some(values) => texts.extend(values),
                None => return Ok(Shape::Union(rest)),
            }
        }
        Ok(Shape::Texts(texts))
    }

    /// Returns the strings of an enumeration; `None` for other schemas.
    fn texts(&self, schema: &Value) -> Result<Option<Vec<String>>> {
        let mut shape = self.shape(schema)?;
        while let Shape::Named(name) = shape {
            shape = self.shape(self.named(&name)?)?;
        }
        Ok(match shape {
            Shape::Texts(values) => Some(values),
            _ => None,
        })
    }

    /// Returns the fields of an object: its own, those of `allOf`, and those of `anyOf` as optional
    /// fields.
    pub(super) fn object(&self, schema: &Value) -> Result<Object> {
        if let Some(name) = reference(schema) {
            let mut object = self.object(self.named(name)?)?;
            for field in &mut object.fields {
                field.owner.get_or_insert_with(|| name.to_owned());
            }
            return Ok(object);
        }
        let mut object = Object::default();
        for part in schema["allOf"].as_array().into_iter().flatten() {
            for field in self.object(part)?.fields {
                object.add(field);
            }
        }
        if let Some(variants) = schema["anyOf"].as_array() {
            self.merge_variants(variants, &mut object)?;
        }
        for (name, value) in schema["properties"].as_object().into_iter().flatten() {
            let (name, schema) = (name.clone(), value.clone());
            object.add(Field { name, schema, required: false, owner: None });
        }
        for name in schema["required"].as_array().into_iter().flatten() {
            for field in object.fields.iter_mut().filter(|field| name == &field.name) {
                field.required = true;
            }
        }
        Ok(object)
    }

    fn merge_variants(&self, variants: &[Value], object: &mut Object) -> Result<()> {
        let variants: Vec<Object> =
            variants.iter().map(|variant| self.object(variant)).collect::<Result<_>>()?;
        for variant in &variants {
            for field in &variant.fields {
                let required = variants.iter().all(|other| {
                    other.fields.iter().any(|one| one.name == field.name && one.required)
                });
                object.widen(Field { required, ..field.clone() });
            }
        }
        Ok(())
    }
}

impl Object {
    /// Adds a field. A later schema of the same field replaces the earlier one, since it is
    /// narrower.
    fn add(&mut self, field: Field) {
        match self.fields.iter_mut().find(|known| known.name == field.name) {
            Some(known) => {
                known.schema = field.schema;
                known.owner = field.owner;
                known.required |= field.required;
            }
            None => self.fields.push(field),
        }
    }

    /// Adds a field of one of several variants.
    fn widen(&mut self, field: Field) {
        match self.fields.iter_mut().find(|known| known.name == field.name) {
            Some(known) if known.schema != field.schema => {
                known.schema = json!({ "anyOf": [known.schema, field.schema] });
            }
            Some(_) => {}
            None => self.fields.push(field),
        }
    }
}

/// Returns the name that a schema refers to.
pub(super) fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next())
}
