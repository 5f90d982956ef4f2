//! Documents of the API become documents of the editor.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{CONTAINERS, LISTS, code, data_of, list_of, tables, text_of};
use crate::node::{Attrs, Fragment, Mark, Marks, Node};
use crate::schema::{MarkType, NodeType};
use crate::text::Text;

pub(super) fn document(document: &Value) -> Node {
    let content = filled(list_of(document, "nodes").iter().map(block).collect());
    Node::new(NodeType::Doc, Arc::default(), content, Marks::default())
}

/// Returns a block of the editor.
pub(super) fn block(json: &Value) -> Node {
    let node = known(json).unwrap_or_else(|| {
        let attrs = Arc::new(Map::from_iter([("json".to_owned(), json.clone())]));
        Node::new(NodeType::Atom, attrs, Fragment::default(), Marks::default())
    });
    node.set_source(Arc::new(json.clone()));
    node
}

/// Returns blocks, or an empty paragraph if there are none.
pub(super) fn filled(mut nodes: Vec<Node>) -> Fragment {
    if nodes.is_empty() {
        nodes.extend(paragraph(Fragment::default()));
    }
    Fragment::of(nodes)
}

pub(super) fn paragraph(content: Fragment) -> Option<Node> {
    NodeType::Paragraph.node(&Attrs::default(), content)
}

pub(super) fn text(text: &str, marks: Marks) -> Option<Node> {
    (!text.is_empty()).then(|| Node::text(Text::new(text), marks))
}

/// Returns a node if its type permits its children.
pub(super) fn checked(kind: NodeType, attrs: &Attrs, content: Fragment) -> Option<Node> {
    if kind.allows(&content) { kind.node(attrs, content) } else { None }
}

/// Returns the attributes that each block keeps: its key, and what the editor leaves alone.
fn kept(json: &Value) -> Attrs {
    let mut rest = json.as_object().cloned().unwrap_or_default();
    for name in ["nodes", "fragments", "key"] {
        rest.shift_remove(name);
    }
    let key = json.get("key").cloned().unwrap_or_default();
    Map::from_iter([("key".to_owned(), key), ("rest".to_owned(), Value::Object(rest))])
}

/// Returns a block of a type that the editor knows.
fn known(json: &Value) -> Option<Node> {
    let kind = text_of(json, "type");
    let nodes = list_of(json, "nodes");
    let mut attrs = kept(json);
    let mut set = |name: &str, value: Value| {
        attrs.insert(name.to_owned(), value);
    };
    let text = |name| match data_of(json, name) {
        Value::Null => json!(""),
        value => value.clone(),
    };
    match kind {
        "paragraph" => {
            set("align", data_of(json, "align").clone());
            NodeType::Paragraph.node(&attrs, inline(nodes, &Marks::default())?)
        }
        "heading-1" | "heading-2" | "heading-3" => {
            let level = kind.bytes().last().map_or(1, |digit| digit - b'0');
            set("level", level.into());
            NodeType::Heading.node(&attrs, inline(nodes, &Marks::default())?)
        }
        "divider" => NodeType::Divider.node(&attrs, Fragment::default()),
        "code" => code(json, attrs),
        "expandable" => expandable(json, &attrs),
        "table" => tables::read(json, attrs),
        "hint" => {
            if let style @ Value::String(_) = data_of(json, "style") {
                set("style", style.clone());
            }
            checked(NodeType::Hint, &attrs, blocks(nodes))
        }
        "if" => {
            set("expression", text("expression"));
            checked(NodeType::Condition, &attrs, blocks(nodes))
        }
        "tabs-item" => {
            set("title", text("title"));
            checked(NodeType::Tab, &attrs, blocks(nodes))
        }
        "list-ordered" => {
            set("start", data_of(json, "start").clone());
            list(NodeType::OrderedList, NodeType::ListItem, &attrs, nodes)
        }
        _ => {
            let of = |types: &[(&str, NodeType)]| {
                types.iter().find(|(name, _)| *name == kind).map(|(_, found)| *found)
            };
            if let Some(found) = of(&LISTS) {
                let is_tasks = found == NodeType::TaskList;
                let item = if is_tasks { NodeType::TaskItem } else { NodeType::ListItem };
                return list(found, item, &attrs, nodes);
            }
            let found = of(&CONTAINERS)?;
            let is_outer = matches!(found, NodeType::Tabs | NodeType::Stepper | NodeType::Columns);
            let content = match is_outer {
                true => Fragment::of(nodes.iter().map(block).collect()),
                false => blocks(nodes),
            };
            checked(found, &attrs, content)
        }
    }
}

pub(super) fn blocks(nodes: &[Value]) -> Fragment {
    filled(nodes.iter().map(block).collect())
}

fn list(kind: NodeType, item: NodeType, attrs: &Attrs, nodes: &[Value]) -> Option<Node> {
    let items = nodes.iter().map(|json| {
        let mut children: Vec<_> = list_of(json, "nodes").iter().map(block).collect();
        // An item begins with a text.
        if children.first().is_none_or(|first| first.kind() != NodeType::Paragraph) {
            children.insert(0, paragraph(Fragment::default())?);
        }
        let mut attrs = kept(json);
        let is_checked = *data_of(json, "checked") == Value::Bool(true);
        attrs.insert("checked".to_owned(), is_checked.into());
        let item = checked(item, &attrs, Fragment::of(children))?;
        item.set_source(Arc::new(json.clone()));
        Some(item)
    });
    checked(kind, attrs, Fragment::of(items.collect::<Option<_>>()?))
}

fn code(json: &Value, mut attrs: Attrs) -> Option<Node> {
    let lines = list_of(json, "nodes");
    let texts: Vec<_> = lines.iter().map(code::line_text).collect::<Option<_>>()?;
    for name in ["syntax", "title", "lineNumbers"] {
        if let value @ (Value::String(_) | Value::Bool(_)) = data_of(json, name) {
            attrs.insert(name.to_owned(), value.clone());
        }
    }
    attrs.insert("wraps".to_owned(), (*data_of(json, "overflow") == "wrap").into());
    attrs.insert("lines".to_owned(), lines.into());
    let text = text(&texts.join("\n"), Marks::default());
    checked(NodeType::Code, &attrs, Fragment::of(text.into_iter().collect()))
}

fn expandable(json: &Value, attrs: &Attrs) -> Option<Node> {
    let part =
        |name| list_of(json, "fragments").iter().find(|part| text_of(part, "fragment") == name);
    let (title, body) = (part("expandable-title")?, part("expandable-body")?);
    let [line] = list_of(title, "nodes") else { return None };
    if text_of(line, "type") != "paragraph" {
        return None;
    }
    let of = |kind: NodeType, json: &Value, content| {
        checked(kind, &Map::from_iter([("json".to_owned(), json.clone())]), content)
    };
    let inline = inline(list_of(line, "nodes"), &Marks::default())?;
    let parts = vec![
        of(NodeType::ExpandableTitle, title, inline)?,
        of(NodeType::ExpandableBody, body, blocks(list_of(body, "nodes")))?,
    ];
    checked(NodeType::Expandable, attrs, Fragment::of(parts))
}

/// Returns texts and the elements in them.
fn inline(nodes: &[Value], marks: &Marks) -> Option<Fragment> {
    let mut found = Vec::new();
    add_inline(nodes, marks, &mut found)?;
    Some(Fragment::joined(found))
}

fn add_inline(nodes: &[Value], marks: &Marks, found: &mut Vec<Node>) -> Option<()> {
    let atom = |json: &Value| {
        let attrs = Arc::new(Map::from_iter([("json".to_owned(), json.clone())]));
        Node::new(NodeType::InlineAtom, attrs, Fragment::default(), Arc::clone(marks))
    };
    let wrapped = |kind: MarkType, name: &str, value: Option<&Value>, node: &Value| {
        let mut attrs = Attrs::new();
        attrs.insert(name.to_owned(), value?.clone());
        attrs.insert("key".to_owned(), node.get("key").cloned().unwrap_or_default());
        Some(Mark { kind, attrs: kind.complete(Some(&attrs))? }.add_to(marks))
    };
    for node in nodes {
        if text_of(node, "object") == "text" {
            for leaf in list_of(node, "leaves") {
                if leaf.get("markup").is_some() {
                    found.push(atom(leaf));
                    continue;
                }
                let mut all = Arc::clone(marks);
                for mark in list_of(leaf, "marks") {
                    all = mark_of(mark)?.add_to(&all);
                }
                found.extend(text(text_of(leaf, "text"), all));
            }
            continue;
        }
        match text_of(node, "type") {
            "link" => {
                let target = node.get("data").and_then(|data| data.get("ref"));
                let marks = wrapped(MarkType::Link, "ref", target, node)?;
                add_inline(list_of(node, "nodes"), &marks, found)?;
            }
            "annotation" => {
                let marks =
                    wrapped(MarkType::Annotation, "fragments", node.get("fragments"), node)?;
                add_inline(list_of(node, "nodes"), &marks, found)?;
            }
            _ => found.push(atom(node)),
        }
    }
    Some(())
}

fn mark_of(json: &Value) -> Option<Mark> {
    let name = match text_of(json, "type") {
        "code" => MarkType::Code,
        "code_mark" => return None,
        name => MarkType::of_name(name)?,
    };
    let attrs = name.complete(json.get("data").and_then(Value::as_object))?;
    Some(Mark { kind: name, attrs })
}
