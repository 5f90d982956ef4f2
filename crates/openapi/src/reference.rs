//! Finds the references of a file.

use serde_json::{Map, Value};

use crate::Pointer;

/// A step on the way to a value.
#[derive(Clone, Copy)]
enum Step<'v> {
    Name(&'v str),
    Index(usize),
}

/// A reference in a file.
pub(crate) struct Reference<'v, 'p> {
    /// The address and the fragment, as written.
    pub(crate) target: &'v str,
    /// Way to the field with the target.
    path: &'p [Step<'v>],
}

impl Reference<'_, '_> {
    pub(crate) fn pointer(&self) -> Pointer {
        self.path.iter().fold(Pointer::default(), |pointer, step| match step {
            Step::Name(name) => pointer.child(*name),
            Step::Index(index) => pointer.child(index.to_string()),
        })
    }
}

/// Names of fields whose value has names of its own, which mean nothing.
const NAMED: [&str; 22] = [
    "$defs",
    "callbacks",
    "content",
    "definitions",
    "dependentSchemas",
    "encoding",
    "examples",
    "headers",
    "links",
    "mediaTypes",
    "parameters",
    "pathItems",
    "paths",
    "patternProperties",
    "properties",
    "requestBodies",
    "responses",
    "schemas",
    "securityDefinitions",
    "securitySchemes",
    "variables",
    "webhooks",
];

/// Names of fields whose value is data, in which a reference would mean nothing.
const DATA: [&str; 5] = ["const", "default", "enum", "example", "value"];

/// Passes each reference of a file to a function.
pub(crate) fn each<'v>(root: &'v Value, mut found: impl FnMut(&Reference<'v, '_>)) {
    Walk { path: Vec::new(), found: &mut found }.value(root, false);
}

struct Walk<'v, 'f> {
    path: Vec<Step<'v>>,
    found: &'f mut dyn FnMut(&Reference<'v, '_>),
}

impl<'v> Walk<'v, '_> {
    fn value(&mut self, value: &'v Value, is_named: bool) {
        match value {
            Value::Object(fields) => self.object(fields, is_named),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.path.push(Step::Index(index));
                    self.value(item, false);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }

    fn object(&mut self, fields: &'v Map<String, Value>, is_named: bool) {
        for (name, value) in fields {
            self.path.push(Step::Name(name));
            match (name.as_str(), value) {
                ("$ref", Value::String(target)) => self.reference(target),
                _ if is_named => self.value(value, false),
                ("mapping", Value::Object(names)) => self.mapping(names),
                ("examples", Value::Array(_)) => {}
                (name, _) if DATA.contains(&name) || name.starts_with("x-") => {}
                (name, _) => self.value(value, NAMED.contains(&name)),
            }
            self.path.pop();
        }
    }

    /// Reads the values of a discriminator, each of which is the name of a schema or a reference.
    fn mapping(&mut self, names: &'v Map<String, Value>) {
        for (name, value) in names {
            if let Value::String(target) = value
                && target.contains(['/', '#'])
            {
                self.path.push(Step::Name(name));
                self.reference(target);
                self.path.pop();
            }
        }
    }

    fn reference(&mut self, target: &'v str) {
        (self.found)(&Reference { target, path: &self.path });
    }
}
