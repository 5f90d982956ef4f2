//! Serialization of differences to JSON, as defined by the contract.

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::plain::inline_text;
use super::{Attribute, Change, Difference, Entry, Run};

/// Writes only the entries that differ, in order.
struct Different<'a, 'd>(&'a [Entry<'d>]);

impl Serialize for Different<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut sequence = to.serialize_seq(None)?;
        for entry in self.0.iter().filter(|entry| entry.change != Change::Same) {
            sequence.serialize_element(entry)?;
        }
        sequence.end()
    }
}

impl Serialize for Difference<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let counts = self.counts();
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("inserted", &counts.inserted)?;
        map.serialize_entry("deleted", &counts.deleted)?;
        map.serialize_entry("edited", &counts.edited)?;
        map.serialize_entry("moved", &counts.moved)?;
        map.serialize_entry("blocks", &Different(&self.entries))?;
        map.end()
    }
}

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { change, before, after, attributes, runs, parts } = self;
        let text = match change {
            Change::Inserted | Change::Deleted => self.text(),
            _ => Cow::Borrowed(runs.as_slice()),
        };
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("change", change.name())?;
        map.serialize_entry("type", self.part().map_or("", |part| part.name()))?;
        if let Some(key) = before.and_then(|part| part.key()) {
            map.serialize_entry("before", &key)?;
        }
        if let Some(key) = after.and_then(|part| part.key()) {
            map.serialize_entry("after", &key)?;
        }
        if !attributes.is_empty() {
            map.serialize_entry("attributes", attributes)?;
        }
        if !text.is_empty() {
            map.serialize_entry("text", &*text)?;
        }
        if parts.iter().any(|part| part.change != Change::Same) {
            map.serialize_entry("parts", &Different(parts))?;
        }
        map.end()
    }
}

impl Serialize for Attribute {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { name, before, after } = self;
        let mut map = to.serialize_map(Some(3))?;
        map.serialize_entry("name", name)?;
        map.serialize_entry("before", before)?;
        map.serialize_entry("after", after)?;
        map.end()
    }
}

impl Serialize for Run<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { change, before, after, attributes, text, parts } = self;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("change", change.name())?;
        let shown = if *change == Change::Deleted { before } else { after };
        map.serialize_entry("text", &inline_text(shown))?;
        if !attributes.is_empty() {
            map.serialize_entry("attributes", attributes)?;
        }
        if !text.is_empty() {
            map.serialize_entry("runs", text)?;
        }
        if parts.iter().any(|part| part.change != Change::Same) {
            map.serialize_entry("parts", &Different(parts))?;
        }
        map.end()
    }
}
