//! The conversion between documents of the API and those of the editor.

mod code;
mod read;
mod tables;
mod write;

use serde_json::Value;

use crate::node::Node;
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
