//! Parses query parameters into the types of the contract.

use serde_json::{Map, Value};

use crate::error::{ContractError, Location};
use crate::explain;
use crate::operation::{Parameter, ParameterLocation};
use crate::schemas;

/// The known query parameters of a request, with the contract's defaults filled in.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Query(Map<String, Value>);

impl Query {
    /// Returns the value of a parameter.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Returns the value of a text parameter.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// Returns the value of a boolean parameter.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.get(name)?.as_bool()
    }

    /// Returns the value of an integer parameter.
    pub fn number(&self, name: &str) -> Option<u64> {
        let value = self.get(name)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be whole, positive and small"
        )]
        let spelled_otherwise = || {
            let number = value.as_f64().filter(|number| number.fract() == 0.0)?;
            (0.0..1e15).contains(&number).then_some(number as u64)
        };
        value.as_u64().or_else(spelled_otherwise)
    }

    /// Returns the texts of a list parameter; empty if the parameter is absent.
    pub fn texts(&self, name: &str) -> impl Iterator<Item = &str> {
        let items = self.get(name).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Returns all parameters as one JSON object, for deserialization.
    pub fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

/// Parses the known parameters in `pairs` and ignores others.
pub(crate) fn read<'a>(
    parameters: impl Iterator<Item = &'a Parameter>,
    pairs: &[(String, String)],
) -> Result<Query, ContractError> {
    let mut values = Map::new();
    for parameter in parameters {
        let texts = pairs.iter().filter(|(name, _)| *name == parameter.name);
        let texts: Vec<&str> = texts.map(|(_, text)| text.as_str()).collect();
        let value = match texts.as_slice() {
            [] => default(parameter)?,
            texts => Some(parse_value(parameter, texts)?),
        };
        if let Some(value) = value {
            values.insert(parameter.name.clone(), value);
        }
    }
    Ok(Query(values))
}

fn default(parameter: &Parameter) -> Result<Option<Value>, ContractError> {
    let schema = &parameter.schema;
    match schema.get("default").or_else(|| resolve_reference(schema).get("default")) {
        Some(value) => Ok(Some(value.clone())),
        None if parameter.required => {
            Err(error(parameter, "nothing".to_owned(), explain::describe(schema)))
        }
        None => Ok(None),
    }
}

fn parse_value(parameter: &Parameter, texts: &[&str]) -> Result<Value, ContractError> {
    let schema = resolve_reference(&parameter.schema);
    let value = match (schema.get("type").and_then(Value::as_str), texts) {
        (Some("array"), texts) => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            texts.iter().map(|text| coerce(items, text)).collect()
        }
        (_, [text]) => coerce(schema, text),
        _ => {
            return Err(error(parameter, format!("{} values", texts.len()), "one".to_owned()));
        }
    };
    check(parameter, &value)?;
    Ok(value)
}

/// Checks the value of a parameter.
pub(crate) fn check(parameter: &Parameter, value: &Value) -> Result<(), ContractError> {
    match explain::find_nul(value).or_else(|| explain::explain(&parameter.schema, value)) {
        Some(violation) => Err(error(parameter, violation.found, violation.allowed)),
        None => Ok(()),
    }
}

pub(crate) fn error(parameter: &Parameter, found: String, allowed: String) -> ContractError {
    let name = parameter.name.clone();
    let location = match parameter.location {
        ParameterLocation::Path => Location::Path(name),
        ParameterLocation::Query => Location::Query(name),
        ParameterLocation::Header => Location::Header(name),
    };
    ContractError { location, found, allowed }
}

/// Returns the target of a schema's reference, or the schema itself.
fn resolve_reference(schema: &Value) -> &Value {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => schemas::resolve(reference),
        None => schema,
    }
}

/// Converts a text to the type of the schema; keeps the text if it cannot be converted.
fn coerce(schema: &Value, text: &str) -> Value {
    let schema = resolve_reference(schema);
    if let Some(variants) = schema.get("anyOf").and_then(Value::as_array) {
        let values = variants.iter().map(|variant| (variant, coerce(variant, text)));
        let fitting = values.filter(|(variant, value)| explain::explain(variant, value).is_none());
        return fitting.map(|(_, value)| value).next().unwrap_or_else(|| Value::from(text));
    }
    let as_text = || Value::from(text);
    match schema.get("type").and_then(Value::as_str) {
        Some("boolean") => text.parse::<bool>().map_or_else(|_| as_text(), Value::from),
        Some("integer" | "number") => number(text).unwrap_or_else(as_text),
        _ => as_text(),
    }
}

fn number(text: &str) -> Option<Value> {
    let value = match text.parse::<i64>() {
        Ok(whole) => Value::from(whole),
        Err(_) => Value::from(text.parse::<f64>().ok().filter(|number| number.is_finite())?),
    };
    Some(value)
}
