//! JSON pointers (RFC 6901), and the places in texts that they lead to.

use std::borrow::Cow;
use std::fmt;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str};
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::parse;
use crate::problem::Position;

/// Maximum size of a YAML text whose places are looked up, in bytes.
const MAX_YAML: usize = 4 << 20;

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

    /// Returns the place of its value in a text, if the text has one.
    #[must_use]
    pub fn position(&self, text: &str) -> Option<Position> {
        if parse::is_json(text)
            && let Some(at) = self.byte_of_json(text)
        {
            return Some(Position::of_byte(text, at));
        }
        match text.len() <= MAX_YAML {
            true => self.place_in_yaml(text),
            false => None,
        }
    }

    fn byte_of_json(&self, text: &str) -> Option<usize> {
        let mut value: &RawValue = serde_json::from_str(parse::without_mark(text)).ok()?;
        for step in &self.0 {
            value = match value.get().as_bytes().first()? {
                b'[' => {
                    let items: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
                    items.get(index_of(step)?)?
                }
                _ => Field::of(value, step)?,
            };
        }
        // Both are parts of one text.
        (value.get().as_ptr() as usize).checked_sub(text.as_ptr() as usize)
    }

    fn place_in_yaml(&self, text: &str) -> Option<Position> {
        let found = serde_saphyr::with_deserializer_from_str_with_options(
            text,
            parse::yaml_options(),
            |deserializer| Steps(&self.0).deserialize(deserializer),
        );
        found.ok().flatten()
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

fn index_of(step: &str) -> Option<usize> {
    let is_index =
        step.bytes().all(|byte| byte.is_ascii_digit()) && (step == "0" || !step.starts_with('0'));
    step.parse().ok().filter(|_| is_index)
}

/// Reads the field of a JSON object that has a name.
struct Field<'s>(&'s str);

impl Field<'_> {
    fn of<'t>(object: &'t RawValue, name: &str) -> Option<&'t RawValue> {
        let mut reader = serde_json::Deserializer::from_str(object.get());
        Field(name).deserialize(&mut reader).ok().flatten()
    }
}

impl<'de> DeserializeSeed<'de> for Field<'_> {
    type Value = Option<&'de RawValue>;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Field<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some((name, value)) = map.next_entry::<Cow<'de, str>, &RawValue>()? {
            if name == self.0 {
                found = Some(value);
            }
        }
        Ok(found)
    }
}

/// Follows the steps of a pointer in YAML.
struct Steps<'s>(&'s [String]);

impl<'de> DeserializeSeed<'de> for Steps<'_> {
    type Value = Option<Position>;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        if !self.0.is_empty() {
            return reader.deserialize_any(self);
        }
        let found = <serde_saphyr::Spanned<IgnoredAny> as serde::Deserialize>::deserialize(reader)?;
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let (line, column) = (number(found.referenced.line()), number(found.referenced.column()));
        Ok(Some(Position { line, column }))
    }
}

impl<'de> Visitor<'de> for Steps<'_> {
    type Value = Option<Position>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping or a sequence")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (first, rest) = self.0.split_first().ok_or_else(|| A::Error::custom("no step"))?;
        let mut found = None;
        while let Some(name) = map.next_key::<Key>()? {
            match name.0 == *first {
                true => found = map.next_value_seed(Steps(rest))?,
                false => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let (first, rest) = self.0.split_first().ok_or_else(|| A::Error::custom("no step"))?;
        let wanted = index_of(first);
        let mut found = None;
        let mut index = 0;
        loop {
            let is_end = match wanted == Some(index) {
                true => items.next_element_seed(Steps(rest))?.map(|place| found = place).is_none(),
                false => items.next_element::<IgnoredAny>()?.is_none(),
            };
            if is_end {
                return Ok(found);
            }
            index += 1;
        }
    }
}

/// The name of a field, which YAML may write as a number.
struct Key(String);

impl<'de> serde::Deserialize<'de> for Key {
    fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(reader)?;
        Ok(Self(value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
    }
}
