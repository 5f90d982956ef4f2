//! JSON pointers (RFC 6901).

use std::fmt;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str};
use serde_json::Value;

/// The characters that are encoded in the fragment of an address.
const FRAGMENT: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'%').add(b'#');

/// The steps from the top of a document to one of its values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Pointer(Vec<String>);

impl Pointer {
    /// Returns the pointer of a text such as `/paths/~1ships/get`; `None` unless it is empty or
    /// begins with a slash.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::default());
        }
        let steps = text.strip_prefix('/')?.split('/');
        Some(Self(steps.map(|step| step.replace("~1", "/").replace("~0", "~")).collect()))
    }

    /// Returns the pointer of the fragment of an address, in which some characters are encoded.
    #[must_use]
    pub fn of_fragment(fragment: &str) -> Option<Self> {
        Self::parse(&percent_decode_str(fragment).decode_utf8().ok()?)
    }

    /// Returns `true` if it leads to the whole document.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn steps(&self) -> &[String] {
        &self.0
    }

    /// Returns the pointer to a value of this one.
    #[must_use]
    pub fn child(&self, step: impl Into<String>) -> Self {
        let mut steps = self.0.clone();
        steps.push(step.into());
        Self(steps)
    }

    /// Returns the value that it leads to.
    #[must_use]
    pub fn find<'v>(&self, root: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(root, |value, step| match value {
            Value::Object(fields) => fields.get(step),
            Value::Array(items) => items.get(index_of(step)?),
            _ => None,
        })
    }

    /// Returns the pointer to the same value below other steps.
    pub(crate) fn under(&self, steps: [&str; 2]) -> Self {
        let above = steps.into_iter().map(str::to_owned);
        Self(above.chain(self.0.iter().cloned()).collect())
    }

    /// Replaces a value that exists.
    pub(crate) fn set(&self, root: &mut Value, new: Value) {
        let value = self.0.iter().try_fold(root, |value, step| match value {
            Value::Object(fields) => fields.get_mut(step),
            Value::Array(items) => items.get_mut(index_of(step)?),
            _ => None,
        });
        if let Some(value) = value {
            *value = new;
        }
    }

    /// Inserts a value, with objects around it where there are none. Does nothing where the value
    /// around it is no object.
    pub(crate) fn insert(&self, root: &mut Value, new: Value) {
        let mut value = root;
        for step in &self.0 {
            if value.is_null() {
                *value = Value::Object(serde_json::Map::new());
            }
            value = match value {
                Value::Object(fields) => fields.entry(step).or_insert(Value::Null),
                Value::Array(items) => match index_of(step).and_then(|at| items.get_mut(at)) {
                    Some(item) => item,
                    None => return,
                },
                _ => return,
            };
        }
        if value.is_null() || !value.is_object() {
            *value = new;
        } else if let (Value::Object(known), Value::Object(new)) = (value, new) {
            for (name, field) in new {
                known.entry(name).or_insert(field);
            }
        }
    }

    /// Returns the fragment of an address that leads to the value.
    pub(crate) fn to_fragment(&self) -> String {
        percent_encoding::utf8_percent_encode(&self.to_string(), FRAGMENT).to_string()
    }
}

impl FromIterator<String> for Pointer {
    fn from_iter<I: IntoIterator<Item = String>>(steps: I) -> Self {
        Self(steps.into_iter().collect())
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.0 {
            write!(f, "/{}", step.replace('~', "~0").replace('/', "~1"))?;
        }
        Ok(())
    }
}

pub(crate) fn index_of(step: &str) -> Option<usize> {
    let is_index =
        step.bytes().all(|byte| byte.is_ascii_digit()) && (step == "0" || !step.starts_with('0'));
    step.parse().ok().filter(|_| is_index)
}
