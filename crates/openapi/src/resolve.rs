//! Follows references from file to file.

use std::collections::HashMap;

use serde_json::Value;

use crate::convert::moved;
use crate::load::{Description, address_of, name_of, split};
use crate::{Pointer, Version};

/// Maximum number of references that lead from one to the next.
const MAX_HOPS: usize = 32;

/// A value of a description, and the file that it is in, to which its references are relative.
#[derive(Clone, Copy, Debug)]
pub struct Part<'d> {
    /// The name of the file.
    pub file: &'d str,
    /// The value.
    pub value: &'d Value,
}

impl<'d> Part<'d> {
    /// Returns a field of the value.
    #[must_use]
    pub fn field(self, name: &str) -> Option<Self> {
        Some(Self { value: self.value.get(name)?, ..self })
    }

    /// Returns the fields of the value with their names.
    pub fn fields(self) -> impl Iterator<Item = (&'d str, Self)> {
        let fields = self.value.as_object().into_iter().flatten();
        fields.map(move |(name, value)| (name.as_str(), Self { value, ..self }))
    }

    /// Returns the items of the value.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let items = self.value.as_array().into_iter().flatten();
        items.map(move |value| Self { value, ..self })
    }

    /// Returns a text of the value; `None` if it has none of this name, or an empty one.
    #[must_use]
    pub fn text(self, name: &str) -> Option<&'d str> {
        self.value.get(name)?.as_str().filter(|text| !text.trim().is_empty())
    }

    /// Returns a field of the value that is `true` or `false`.
    #[must_use]
    pub fn flag(self, name: &str) -> Option<bool> {
        self.value.get(name)?.as_bool()
    }

    /// Returns `true` if a field of the value is `true`.
    #[must_use]
    pub fn is(self, name: &str) -> bool {
        self.value.get(name) == Some(&Value::Bool(true))
    }
}

impl Description {
    /// Returns the first file.
    #[must_use]
    pub fn top(&self) -> Part<'_> {
        let value = self.values.get(&self.root).unwrap_or(&Value::Null);
        Part { file: &self.root, value }
    }

    /// Returns the value that a reference leads to, over others if needed, and a value that is none
    /// as it is. Returns `None` if it leads to nothing, or in a circle.
    #[must_use]
    pub fn followed<'d>(&'d self, part: Part<'d>) -> Option<Part<'d>> {
        let mut part = part;
        for _ in 0..MAX_HOPS {
            let Some(target) = part.value.get("$ref").and_then(Value::as_str) else {
                return Some(part);
            };
            part = self.target(part.file, target)?;
        }
        None
    }

    /// Returns the value that a reference in a file leads to.
    #[must_use]
    pub fn target<'d>(&'d self, file: &'d str, target: &str) -> Option<Part<'d>> {
        let (file, pointer) = self.place(file, target)?;
        Some(Part { file, value: pointer.find(self.values.get(file)?)? })
    }

    /// Returns the file and the place of the value that a reference in a file leads to.
    pub(crate) fn place<'d>(&'d self, file: &'d str, target: &str) -> Option<(&'d str, Pointer)> {
        let (address, fragment) = split(target);
        let file = match address {
            "" => file,
            _ => {
                let from = address_of(self.base.as_ref(), &self.root, file);
                let url = match from {
                    Some(url) => url.join(address).ok()?,
                    None => url::Url::parse(address).ok()?,
                };
                let name = name_of(self.base.as_ref(), &self.root, &url);
                self.values.get_key_value(&name)?.0.as_str()
            }
        };
        let root = self.values.get(file)?;
        let is_moved = self.version == Version::V20 && file == self.root;
        let fragment_of = moved(fragment).filter(|_| is_moved);
        match Pointer::of_fragment(fragment_of.as_deref().unwrap_or(fragment)) {
            Some(pointer) => pointer.find(root).is_some().then_some((file, pointer)),
            None => Some((file, self.anchors.get(file)?.get(fragment)?.clone())),
        }
    }
}

/// The places of the schemas of a file that give themselves the name of an anchor.
pub(crate) type Anchors = HashMap<String, Pointer>;

/// Returns the anchors of a file. The first of several schemas with one name counts.
pub(crate) fn anchors_of(value: &Value) -> Anchors {
    let (mut anchors, mut path) = (Anchors::new(), Vec::new());
    collect_anchors(value, &mut path, &mut anchors);
    anchors
}

fn collect_anchors(value: &Value, path: &mut Vec<String>, anchors: &mut Anchors) {
    match value {
        Value::Object(fields) => {
            for field in ["$anchor", "$dynamicAnchor"] {
                if let Some(Value::String(name)) = fields.get(field) {
                    let pointer = || path.iter().cloned().collect();
                    anchors.entry(name.clone()).or_insert_with(pointer);
                }
            }
            for (step, value) in fields.iter().filter(|(_, value)| is_inner(value)) {
                path.push(step.clone());
                collect_anchors(value, path, anchors);
                path.pop();
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate().filter(|(_, value)| is_inner(value)) {
                path.push(index.to_string());
                collect_anchors(value, path, anchors);
                path.pop();
            }
        }
        _ => {}
    }
}

fn is_inner(value: &Value) -> bool {
    value.is_object() || value.is_array()
}
