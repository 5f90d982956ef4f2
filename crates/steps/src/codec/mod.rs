//! The conversion between documents of the API and those of the editor.

mod code;
mod read;
mod tables;
mod write;

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::node::{Fragment, Node};
use crate::schema::NodeType;

/// The types of lists in documents of the API, with those of the editor.
const LISTS: [(&str, NodeType); 3] = [
    ("list-unordered", NodeType::BulletList),
    ("list-ordered", NodeType::OrderedList),
    ("list-tasks", NodeType::TaskList),
];

/// The types of other blocks with children.
const CONTAINERS: [(&str, NodeType); 6] = [
    ("blockquote", NodeType::Blockquote),
    ("tabs", NodeType::Tabs),
    ("stepper", NodeType::Stepper),
    ("stepper-step", NodeType::Step),
    ("columns", NodeType::Columns),
    ("column", NodeType::Column),
];

impl Node {
    /// Reads a document of the API. Blocks that the editor does not know become atoms, which carry
    /// their JSON.
    #[must_use]
    pub fn from_document(document: &Value) -> Self {
        read::document(document)
    }

    /// Returns the document of the API with these data. Blocks that no step has changed are as they
    /// were read; new ones get keys from `new_key`.
    #[must_use]
    pub fn to_document(&self, data: &Value, new_key: &mut dyn FnMut() -> String) -> Value {
        write::document(self, data, new_key)
    }

    /// Returns a document of the API with the blocks that are not the same in an earlier version of
    /// this document, and perhaps some between them.
    #[must_use]
    pub fn changed_blocks(&self, before: &Self, new_key: &mut dyn FnMut() -> String) -> Value {
        let (own, old) = (self.content().as_slice(), before.content().as_slice());
        let most = own.len().min(old.len());
        let start = own.iter().zip(old).take_while(|(one, other)| one.is(other)).count();
        let rest = own.iter().rev().zip(old.iter().rev()).take(most - start);
        let end = rest.take_while(|(one, other)| one.is(other)).count();
        let changed = own.get(start..own.len() - end).unwrap_or_default();
        let changed = self.with_content(Fragment::of(changed.to_vec()));
        write::document(&changed, &Value::Object(Map::new()), new_key)
    }

    /// Returns this document with the blocks that were read from a document of the API, where they
    /// are equal. They are then written as they were read.
    #[must_use]
    pub fn with_sources(&self, read: &Self) -> Self {
        let known: HashMap<&str, &Self> =
            read.content().iter().filter_map(|node| Some((node.key()?, node))).collect();
        let nodes = self.content().iter().map(|node| {
            let found = node.key().and_then(|key| known.get(key).copied());
            found.filter(|found| *found == node).unwrap_or(node).clone()
        });
        self.with_content(Fragment::of(nodes.collect()))
    }
}

fn list_of<'a>(json: &'a Value, name: &str) -> &'a [Value] {
    json.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text_of<'a>(json: &'a Value, name: &str) -> &'a str {
    json.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns a field of the data of a block, or `null` if there is none.
fn data_of<'a>(json: &'a Value, name: &str) -> &'a Value {
    json.get("data").and_then(|data| data.get(name)).unwrap_or(&Value::Null)
}
