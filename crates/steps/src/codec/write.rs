//! Documents of the editor become documents of the API.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{CONTAINERS, LISTS, code, list_of, tables};
use crate::node::{Fragment, Mark, Marks, Node};
use crate::schema::{MarkType, NodeType};

pub(super) fn document(doc: &Node, data: &Value, new_key: &mut dyn FnMut() -> String) -> Value {
    let mut writer = Writer { used: HashSet::new(), new_key };
    let mut nodes = Vec::with_capacity(doc.content().len());
    let last = doc.content().len().saturating_sub(1);
    for (index, node) in doc.content().iter().enumerate() {
        // The empty paragraph at the end is there to write in.
        let is_rest = index == last && is_new_empty(node);
        if !is_rest && is_saved(node) {
            nodes.push((*writer.block(node)).clone());
        }
    }
    json!({ "object": "document", "data": data, "nodes": nodes })
}

fn is_new_empty(node: &Node) -> bool {
    let is_empty = node.kind() == NodeType::Paragraph && node.content().is_empty();
    is_empty && node.source().is_none()
}

/// Returns `false` for blocks that are about nothing yet.
fn is_saved(node: &Node) -> bool {
    match node.kind() {
        NodeType::CellValue => false,
        NodeType::Atom => node.source().is_some() || !is_incomplete(node.attr("json")),
        _ => true,
    }
}

/// Returns `true` if a block lacks what it is about, such as the address of a picture.
fn is_incomplete(json: &Value) -> bool {
    let of = |json: &Value, name: &str| {
        json.get("data").and_then(|data| data.get(name)).cloned().unwrap_or_default()
    };
    let is_missing = |target: Value| {
        let named = |name| target.get(name).is_some_and(|value| !value.is_null());
        target.is_null()
            || (target.get("url") == Some(&json!("")) && !named("file") && !named("page"))
    };
    match json.get("type").and_then(Value::as_str) {
        Some("images") => list_of(json, "nodes").iter().all(|image| is_missing(of(image, "ref"))),
        Some("embed") => of(json, "url").as_str().is_none_or(str::is_empty),
        Some("file" | "content-ref") => is_missing(of(json, "ref")),
        _ => false,
    }
}

/// Writes one document. Each key is used once, also if a block was divided.
pub(super) struct Writer<'a> {
    used: HashSet<String>,
    new_key: &'a mut dyn FnMut() -> String,
}

type Object = Map<String, Value>;

impl Writer<'_> {
    pub(super) fn new_key(&mut self) -> String {
        (self.new_key)()
    }

    /// Returns `true` once for each name.
    pub(super) fn is_free(&mut self, name: &str) -> bool {
        self.used.insert(name.to_owned())
    }

    fn key(&mut self, given: &Value) -> Value {
        let free = given.as_str().filter(|key| !self.used.contains(*key)).map(str::to_owned);
        let key = free.unwrap_or_else(|| self.new_key());
        self.used.insert(key.clone());
        key.into()
    }

    fn block(&mut self, node: &Node) -> Arc<Value> {
        let source = node.source();
        if let Some(source) = source {
            let key = source.get("key").and_then(Value::as_str);
            if key.is_none_or(|key| !self.used.contains(key)) {
                self.take(source);
                return Arc::clone(source);
            }
        }
        let written = Arc::new(Value::Object(self.written(node)));
        if source.is_none() {
            node.set_source(Arc::clone(&written));
        }
        written
    }

    /// Remembers the keys of a block and of those in it.
    fn take(&mut self, json: &Value) {
        if let Some(key) = json.get("key").and_then(Value::as_str) {
            self.used.insert(key.to_owned());
        }
        for node in list_of(json, "nodes") {
            if node.get("object").and_then(Value::as_str) == Some("block") {
                self.take(node);
            }
        }
    }

    fn written(&mut self, node: &Node) -> Object {
        if node.kind() == NodeType::Atom {
            let mut json = node.attr("json").as_object().cloned().unwrap_or_default();
            let key = self.key(json.get("key").unwrap_or(&Value::Null));
            json.insert("key".to_owned(), key);
            return json;
        }
        let mut json = Object::new();
        json.insert("object".to_owned(), "block".into());
        json.extend(node.attr("rest").as_object().cloned().unwrap_or_default());
        json.insert("type".to_owned(), type_of(node).into());
        json.insert("key".to_owned(), self.key(node.attr("key")));
        let before = json.get("data").and_then(Value::as_object).cloned().unwrap_or_default();
        let is_void =
            matches!(node.kind(), NodeType::Divider | NodeType::Expandable | NodeType::Table);
        json.insert("isVoid".to_owned(), is_void.into());
        let (data, inner) = match node.kind() {
            NodeType::Divider => (before, Vec::new()),
            NodeType::Code => self.code(node, before),
            NodeType::Expandable => (before, self.expandable(node)),
            NodeType::Table => tables::write(node, &before, self),
            kind if kind.allows_marks() => (with_data(node, before), self.inline(node.content())),
            _ => (with_data(node, before), self.children(node)),
        };
        json.insert("data".to_owned(), Value::Object(data));
        if node.kind() != NodeType::Divider {
            let part = if is_void { "fragments" } else { "nodes" };
            json.insert(part.to_owned(), inner.into());
        }
        json
    }

    pub(super) fn children(&mut self, node: &Node) -> Vec<Value> {
        let is_item = matches!(node.kind(), NodeType::ListItem | NodeType::TaskItem);
        let mut found = Vec::with_capacity(node.content().len());
        for (index, child) in node.content().iter().enumerate() {
            // The editor puts an empty text at the beginning of an item that begins with another
            // block.
            let is_added = is_item && index == 0 && node.content().len() > 1 && is_new_empty(child);
            if !is_added && is_saved(child) {
                found.push((*self.block(child)).clone());
            }
        }
        found
    }

    fn code(&mut self, node: &Node, mut data: Object) -> (Object, Vec<Value>) {
        let overflow = match *node.attr("wraps") == true {
            true => json!("wrap"),
            false => match data.get("overflow") {
                None => Value::Null,
                Some(known) if known == "wrap" => Value::Null,
                Some(known) => known.clone(),
            },
        };
        let of = |name: &str| node.attr(name).clone();
        let values = [
            ("syntax", of("syntax")),
            ("title", of("title")),
            ("lineNumbers", of("lineNumbers")),
            ("overflow", overflow),
        ];
        for (name, value) in values {
            let is_set = !matches!(&value, Value::Null | Value::Bool(false)) && value != "";
            match is_set {
                true => drop(data.insert(name.to_owned(), value)),
                false => drop(data.shift_remove(name)),
            }
        }
        let before = node.attr("lines").as_array().map_or(&[][..], Vec::as_slice);
        let lines = code::lines_of(&node.text_content(), before, |text| {
            let nodes = vec![self.text(vec![leaf_of(text, &Marks::default())])];
            json!({
                "object": "block", "type": "code-line", "key": self.new_key(), "isVoid": false,
                "data": {}, "nodes": nodes,
            })
        });
        (data, lines)
    }

    fn expandable(&mut self, node: &Node) -> Vec<Value> {
        let mut parts = Vec::new();
        for (child, name) in node.content().iter().zip(["expandable-title", "expandable-body"]) {
            let nodes = match child.kind() {
                NodeType::ExpandableTitle => {
                    let nodes = self.inline(child.content());
                    vec![json!({
                        "object": "block", "type": "paragraph", "key": self.new_key(),
                        "isVoid": false, "data": {}, "nodes": nodes,
                    })]
                }
                _ => self.children(child),
            };
            let mut part = Object::new();
            part.insert("object".to_owned(), "fragment".into());
            part.insert("key".to_owned(), self.new_key().into());
            part.insert("fragment".to_owned(), name.into());
            part.insert("type".to_owned(), name.into());
            part.extend(child.attr("json").as_object().cloned().unwrap_or_default());
            part.insert("nodes".to_owned(), nodes.into());
            parts.push(Value::Object(part));
        }
        parts
    }

    /// Returns inline elements: runs of text, links with their texts, and others.
    fn inline(&mut self, content: &Fragment) -> Vec<Value> {
        let mut runs: Vec<(Option<&Mark>, Vec<Value>)> = Vec::new();
        let mut leaves = Vec::new();
        let is_wrapper = |mark: &&Mark| matches!(mark.kind, MarkType::Link | MarkType::Annotation);
        for node in content.iter() {
            let around = node.marks().iter().find(is_wrapper);
            if runs.last().is_none_or(|(last, _)| *last != around) {
                self.flush(&mut leaves, &mut runs);
                runs.push((around, Vec::new()));
            }
            let json = node.attr("json");
            if let Some(text) = node.as_text() {
                leaves.push(leaf_of(text.as_str(), node.marks()));
            } else if json.get("object").and_then(Value::as_str) == Some("leaf") {
                leaves.push(json.clone());
            } else {
                self.flush(&mut leaves, &mut runs);
                let mut json = json.as_object().cloned().unwrap_or_default();
                let key = self.key(json.get("key").unwrap_or(&Value::Null));
                json.insert("key".to_owned(), key);
                runs.last_mut().into_iter().for_each(|(_, run)| run.push(json.clone().into()));
            }
        }
        self.flush(&mut leaves, &mut runs);
        let mut nodes = Vec::new();
        for (around, run) in runs {
            match around {
                Some(mark) => nodes.push(self.wrapper(mark, run)),
                None => nodes.extend(run),
            }
        }
        if nodes.is_empty() {
            nodes.push(self.text(vec![leaf_of("", &Marks::default())]));
        }
        nodes
    }

    /// Ends a run of text.
    fn flush(&mut self, leaves: &mut Vec<Value>, runs: &mut [(Option<&Mark>, Vec<Value>)]) {
        if let Some((_, run)) = runs.last_mut().filter(|_| !leaves.is_empty()) {
            run.push(self.text(std::mem::take(leaves)));
        }
    }

    fn wrapper(&mut self, mark: &Mark, nodes: Vec<Value>) -> Value {
        let of = |name: &str| mark.attrs.get(name).cloned().unwrap_or_default();
        let key = self.key(&of("key"));
        match mark.kind {
            MarkType::Annotation => json!({
                "object": "inline", "type": "annotation", "key": key, "isVoid": false, "data": {},
                "fragments": of("fragments"), "nodes": nodes,
            }),
            _ => json!({
                "object": "inline", "type": "link", "key": key, "isVoid": false,
                "data": { "ref": of("ref") }, "nodes": nodes,
            }),
        }
    }

    fn text(&mut self, leaves: Vec<Value>) -> Value {
        json!({ "object": "text", "key": self.new_key(), "leaves": leaves })
    }
}

/// Returns the type of a block in documents of the API.
fn type_of(node: &Node) -> String {
    let kind = node.kind();
    let named = LISTS.iter().chain(&CONTAINERS).find(|(_, found)| *found == kind);
    let name = match kind {
        NodeType::Heading => return format!("heading-{}", node.attr("level")),
        NodeType::Tab => "tabs-item",
        NodeType::Condition => "if",
        NodeType::ListItem | NodeType::TaskItem => "list-item",
        kind => named.map_or(kind.name(), |(name, _)| name),
    };
    name.to_owned()
}

/// Returns the data of a block with what its attributes say.
fn with_data(node: &Node, mut data: Object) -> Object {
    let mut set = |name: &str| drop(data.insert(name.to_owned(), node.attr(name).clone()));
    match node.kind() {
        NodeType::Hint => set("style"),
        NodeType::Tab => set("title"),
        NodeType::TaskItem => set("checked"),
        NodeType::Condition => set("expression"),
        NodeType::OrderedList if !node.attr("start").is_null() => set("start"),
        NodeType::Paragraph if !node.attr("align").is_null() => set("align"),
        _ => {}
    }
    data
}

fn leaf_of(text: &str, marks: &Marks) -> Value {
    let own = marks.iter().filter_map(|mark| match mark.kind {
        MarkType::Link | MarkType::Annotation => None,
        MarkType::Code => Some(json!({ "object": "mark", "type": "code" })),
        MarkType::Color => {
            let set = mark.attrs.iter().filter(|(_, value)| !value.is_null());
            let data: Object = set.map(|(name, value)| (name.clone(), value.clone())).collect();
            Some(json!({ "object": "mark", "type": "color", "data": data }))
        }
        kind => Some(json!({ "object": "mark", "type": kind.name() })),
    });
    json!({ "object": "leaf", "text": text, "marks": own.collect::<Vec<_>>() })
}
