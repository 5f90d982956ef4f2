//! Request bodies generated from the schemas of the contract: the positions of strings in them, and
//! valid bodies with a given string at one of these positions.

use std::collections::VecDeque;
use std::sync::OnceLock;

use bindery_contract::{Contract, Operation};
use serde_json::{Map, Value, json};

/// The position of a string in a body.
#[derive(Clone, Debug)]
pub(crate) struct Position {
    /// The innermost named schema (or the operation) and the path from there.
    pub(crate) name: String,
    steps: Vec<Step>,
}

#[derive(Clone, PartialEq, Debug)]
enum Step {
    /// An alternative or part of a combined schema, by keyword and index.
    Part(&'static str, usize),
    Property(String),
    Item,
    /// The value of an additional property; `Name` is the name of such a property.
    Named,
    Name,
}

/// The keywords that combine schemas.
const COMBINING: [&str; 3] = ["allOf", "anyOf", "oneOf"];

fn components() -> &'static Value {
    static COMPONENTS: OnceLock<Value> = OnceLock::new();
    COMPONENTS
        .get_or_init(|| serde_json::from_slice(&Contract::embedded().openapi(&json!({}))).unwrap())
}

/// Returns the name and the schema that a reference refers to.
fn named(schema: &Value) -> Option<(&str, &'static Value)> {
    let reference = schema.get("$ref")?.as_str()?;
    let found = components().pointer(reference.strip_prefix('#')?).unwrap();
    Some((reference.rsplit('/').next()?, found))
}

fn is_text(schema: &Value) -> bool {
    let is_string = match &schema["type"] {
        Value::String(name) => name == "string",
        Value::Array(names) => names.iter().any(|name| name == "string"),
        _ => false,
    };
    is_string && schema.get("enum").is_none() && schema.get("const").is_none()
}

/// A schema reached during the traversal, with the named schemas entered on the way.
struct Reached<'a> {
    schema: &'a Value,
    owner: String,
    path: String,
    steps: Vec<Step>,
    entered: Vec<&'a str>,
}

impl<'a> Reached<'a> {
    fn on(&self, schema: &'a Value, path: &str, step: Step) -> Self {
        Reached {
            schema,
            owner: self.owner.clone(),
            path: format!("{}{path}", self.path),
            steps: self.steps.iter().cloned().chain([step]).collect(),
            entered: self.entered.clone(),
        }
    }

    fn position(&self, path: &str, step: Option<Step>) -> Position {
        Position {
            name: format!("{}:{}{path}", self.owner, self.path),
            steps: self.steps.iter().cloned().chain(step).collect(),
        }
    }
}

/// Returns the positions of all strings in an operation's body. Schemas of documents are entered
/// only once, by the shortest path.
pub(crate) fn positions(operation: &Operation) -> Vec<Position> {
    let Some(schema) = operation.body.as_ref().and_then(|body| body.json()) else {
        return Vec::new();
    };
    let mut found: Vec<Position> = Vec::new();
    let mut once = Vec::new();
    let mut waiting = VecDeque::from([Reached {
        schema,
        owner: operation.id.clone(),
        path: String::new(),
        steps: Vec::new(),
        entered: Vec::new(),
    }]);
    while let Some(mut at) = waiting.pop_front() {
        if let Some((name, schema)) = named(at.schema) {
            let of_documents = ["Document", "JSONDocument", "ContentRef", "ContentKit"];
            if of_documents.iter().any(|prefix| name.starts_with(prefix)) {
                if once.contains(&name) {
                    continue;
                }
                once.push(name);
            }
            if !at.entered.contains(&name) {
                at.entered.push(name);
                at.owner = name.to_owned();
                at.path.clear();
                at.schema = schema;
                waiting.push_back(at);
            }
            continue;
        }
        if is_text(at.schema) {
            found.push(at.position("", None));
        }
        for keyword in COMBINING {
            for (index, part) in at.schema[keyword].as_array().into_iter().flatten().enumerate() {
                waiting.push_back(at.on(part, "", Step::Part(keyword, index)));
            }
        }
        for (name, property) in at.schema["properties"].as_object().into_iter().flatten() {
            let step = Step::Property(name.clone());
            waiting.push_back(at.on(property, &format!("/{name}"), step));
        }
        if let Some(items) = at.schema.get("items") {
            waiting.push_back(at.on(items, "/*", Step::Item));
        }
        if let Some(values @ Value::Object(_)) = at.schema.get("additionalProperties") {
            found.push(at.position("/{name}", Some(Step::Name)));
            waiting.push_back(at.on(values, "/{}", Step::Named));
        }
    }
    let mut names = Vec::new();
    found.retain(|position| {
        let is_new = !names.contains(&position.steps);
        names.push(position.steps.clone());
        is_new
    });
    found
}

/// Returns a body that conforms to the contract and has this text at the position. `around` returns
/// the values of the other required strings by position.
pub(crate) fn body(
    operation: &Operation,
    position: &Position,
    text: &str,
    around: &dyn Fn(&str) -> String,
) -> Value {
    let schema = operation.body.as_ref().and_then(|body| body.json()).unwrap();
    let filling = Filling { text, around };
    let body = filling.value(schema, &operation.id, "", Some(&position.steps));
    if let Err(refusal) = operation.check_body(&body) {
        panic!("{} at {}: {refusal}: {body}", operation.id, position.name);
    }
    body
}

struct Filling<'a> {
    text: &'a str,
    around: &'a dyn Fn(&str) -> String,
}

impl Filling<'_> {
    /// Returns the minimal value of a schema, following the given steps where there are any.
    fn value(&self, schema: &Value, owner: &str, path: &str, steps: Option<&[Step]>) -> Value {
        if let Some((name, schema)) = named(schema) {
            return self.value(schema, name, "", steps);
        }
        if steps == Some(&[]) {
            return self.text.into();
        }
        if let Some(only) = schema.get("const").or_else(|| schema["enum"].get(0)) {
            return only.clone();
        }
        let (first, rest) = match steps.and_then(<[Step]>::split_first) {
            Some((first, rest)) => (Some(first), Some(rest)),
            None => (None, None),
        };
        let mut made = Value::Null;
        for keyword in COMBINING {
            let Some(parts) = schema[keyword].as_array() else { continue };
            let chosen = match first {
                Some(Step::Part(known, index)) if *known == keyword => Some(*index),
                _ => None,
            };
            for (index, part) in parts.iter().enumerate() {
                let way = if chosen == Some(index) { rest } else { None };
                let taken = match keyword {
                    "allOf" => true,
                    _ => index == chosen.unwrap_or(0),
                };
                if taken {
                    merge(&mut made, self.value(part, owner, path, way));
                }
            }
        }
        match self.plain_type(schema) {
            "object" => merge(&mut made, self.object(schema, owner, path, (first, rest))),
            "array" => {
                let least = schema["minItems"].as_u64().unwrap_or(0);
                let way = if first == Some(&Step::Item) { rest } else { None };
                let wanted = usize::from(way.is_some() || least > 0);
                let item = |_| self.value(&schema["items"], owner, &format!("{path}/*"), way);
                made = (0..wanted).map(item).collect();
            }
            "string" if made.is_null() => {
                made = (self.around)(&format!("{owner}:{path}")).into();
            }
            "integer" | "number" => made = schema.get("minimum").cloned().unwrap_or(json!(1)),
            "boolean" => made = json!(false),
            _ => {}
        }
        made
    }

    fn plain_type<'s>(&self, schema: &'s Value) -> &'s str {
        match &schema["type"] {
            Value::String(name) => name,
            Value::Array(names) => names[0].as_str().unwrap(),
            _ if schema.get("properties").is_some() => "object",
            _ => "",
        }
    }

    fn object(
        &self,
        schema: &Value,
        owner: &str,
        path: &str,
        (first, rest): (Option<&Step>, Option<&[Step]>),
    ) -> Value {
        let mut object = Map::new();
        let required = schema["required"].as_array();
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        let property = |name: &str, way| {
            self.value(&schema["properties"][name], owner, &format!("{path}/{name}"), way)
        };
        for name in required {
            object.insert(name.to_owned(), property(name, None));
        }
        match first {
            Some(Step::Property(name)) => {
                object.insert(name.clone(), property(name, rest));
            }
            Some(Step::Named) => {
                let value = &schema["additionalProperties"];
                let value = self.value(value, owner, &format!("{path}/{{}}"), rest);
                object.insert("made".to_owned(), value);
            }
            Some(Step::Name) => {
                let value = &schema["additionalProperties"];
                let value = self.value(value, owner, &format!("{path}/{{}}"), None);
                object.insert(self.text.to_owned(), value);
            }
            _ => {}
        }
        object.into()
    }
}

/// Adds the fields of one value to another.
fn merge(into: &mut Value, other: Value) {
    match (into, other) {
        (Value::Object(fields), Value::Object(others)) => fields.extend(others),
        (into @ Value::Null, other) => *into = other,
        _ => {}
    }
}
