//! Tables: their columns, records and the fragments with the texts of cells.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::write::Writer;
use super::{data_of, list_of, read, text_of};
use crate::node::{Attrs, Fragment, Marks, Node};
use crate::schema::NodeType;

fn attrs<const COUNT: usize>(named: [(&str, Value); COUNT]) -> Attrs {
    named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn text_column() -> Attrs {
    attrs([("type", "text".into()), ("textAlignment", "left".into())])
}

/// Returns the definition of a column without its id and its title.
fn without_title(definition: &Value) -> Value {
    let mut own = definition.as_object().cloned().unwrap_or_default();
    own.shift_remove("id");
    own.shift_remove("title");
    Value::Object(own)
}

/// Returns the table of the editor: its columns, the hidden ones last, and its records.
pub(super) fn read(json: &Value, mut own: Attrs) -> Option<Node> {
    let (view, definition) = (data_of(json, "view"), data_of(json, "definition"));
    let definition = definition.as_object()?;
    let kind = text_of(view, "type");
    let shown = list_of(view, "columns").iter().filter_map(Value::as_str);
    let shown: Vec<_> = shown.filter(|id| definition.contains_key(*id)).collect();
    let hidden = definition.keys().map(String::as_str).filter(|id| !shown.contains(id));
    let columns: Vec<_> = shown.iter().copied().chain(hidden).collect();
    if columns.is_empty() || !matches!(kind, "grid" | "cards") {
        return None;
    }
    let header = columns.iter().map(|column| {
        let own = definition.get(*column)?;
        let title = read::text(text_of(own, "title"), Marks::default());
        let text = read::paragraph(Fragment::of(title.into_iter().collect()))?;
        let cell = attrs([
            ("column", (*column).into()),
            ("definition", without_title(own)),
            ("isHidden", (!shown.contains(column)).into()),
        ]);
        NodeType::TableHeader.node(&cell, Fragment::of(vec![text]))
    });
    let header = Fragment::of(header.collect::<Option<_>>()?);
    let mut rows = vec![NodeType::TableRow.node(&Attrs::default(), header)?];
    let parts: HashMap<_, _> =
        list_of(json, "fragments").iter().map(|part| (text_of(part, "fragment"), part)).collect();
    let mut records: Vec<_> = data_of(json, "records").as_object().into_iter().flatten().collect();
    records.sort_by_key(|(_, record)| text_of(record, "orderIndex"));
    for (record, json) in records {
        let values = json.get("values").unwrap_or(&Value::Null);
        let cells = columns.iter().map(|column| {
            let own = definition.get(*column)?;
            let value = values.get(column).unwrap_or(&Value::Null);
            if text_of(own, "type") != "text" {
                let value = attrs([("value", value.clone()), ("definition", without_title(own))]);
                let value = NodeType::CellValue.node(&value, Fragment::default())?;
                return NodeType::TableCell.node(&Attrs::default(), Fragment::of(vec![value]));
            }
            let part = value.as_str().and_then(|name| parts.get(name).copied());
            let content = read::blocks(part.map_or(&[], |part| list_of(part, "nodes")));
            let part = part.cloned().unwrap_or_default();
            NodeType::TableCell.node(&attrs([("fragment", part)]), content)
        });
        let cells = Fragment::of(cells.collect::<Option<_>>()?);
        rows.push(NodeType::TableRow.node(&attrs([("record", record.as_str().into())]), cells)?);
    }
    own.insert("view".to_owned(), kind.into());
    own.insert(
        "hideHeader".to_owned(),
        (view.get("hideHeader") == Some(&Value::Bool(true))).into(),
    );
    let table = read::checked(NodeType::Table, &own, Fragment::of(rows))?;
    table.check().is_ok().then_some(table)
}

/// The columns of a table that is written.
#[derive(Default)]
struct Columns {
    names: Vec<String>,
    /// Tells for each column whether it holds texts.
    texts: Vec<bool>,
    shown: Vec<Value>,
    definition: Map<String, Value>,
}

impl Columns {
    fn add(&mut self, name: String, mut own: Attrs, title: &str) {
        own.insert("id".to_owned(), name.as_str().into());
        own.insert("title".to_owned(), title.into());
        self.texts.push(own.get("type").is_some_and(|kind| kind == "text"));
        self.definition.insert(name.clone(), Value::Object(own));
        self.names.push(name);
    }

    /// Returns whether a cell can be in the column at an index.
    fn fits(&self, cell: &Node, index: usize) -> bool {
        self.texts.get(index) == Some(&value_of(cell).is_none())
    }

    /// Returns the index of a column for a cell that has none in its place, since one person added
    /// or removed a column while another one added a row. The column is added if there is none from
    /// an index on.
    fn spare(&mut self, cell: &Node, from: usize, writer: &mut Writer<'_>) -> usize {
        let found = (from..self.names.len()).find(|index| self.fits(cell, *index));
        found.unwrap_or_else(|| {
            let own = value_of(cell).map_or_else(text_column, |value| {
                let own = value.attr("definition").as_object();
                let own = own.filter(|own| own.get("type").is_some_and(|kind| kind != "text"));
                own.cloned().unwrap_or_else(|| attrs([("type", "number".into())]))
            });
            self.add_without_title(own, writer);
            self.names.len() - 1
        })
    }

    fn add_without_title(&mut self, own: Attrs, writer: &mut Writer<'_>) {
        let name = writer.new_key();
        self.shown.push(name.as_str().into());
        self.add(name, own, "");
    }
}

/// Returns the value that a cell has instead of a text.
fn value_of(cell: &Node) -> Option<&Node> {
    let only = cell.content().first().filter(|_| cell.content().len() == 1);
    only.filter(|node| node.kind() == NodeType::CellValue)
}

fn is_empty(cell: &Node) -> bool {
    let is_empty = |node: &Node| match node.kind() {
        NodeType::CellValue => node.attr("value").is_null(),
        NodeType::Paragraph => node.content().is_empty(),
        _ => false,
    };
    let is_new = cell.attr("fragment").as_object().is_none();
    is_new && cell.content().len() == 1 && cell.content().iter().all(is_empty)
}

/// Returns the data and the fragments of a table.
pub(super) fn write(
    node: &Node,
    before: &Map<String, Value>,
    writer: &mut Writer<'_>,
) -> (Map<String, Value>, Vec<Value>) {
    let mut columns = Columns::default();
    let mut rows = node.content().iter();
    for cell in rows.next().into_iter().flat_map(|header| header.content().iter()) {
        let given = cell.attr("column").as_str();
        let given = given.filter(|id| !columns.definition.contains_key(*id));
        let id = given.map_or_else(|| writer.new_key(), str::to_owned);
        if *cell.attr("isHidden") != true {
            columns.shown.push(Value::from(id.as_str()));
        }
        // A row of texts is the first one if the row of headers was removed.
        let own = cell.attr("definition").as_object().cloned();
        columns.add(id, own.unwrap_or_else(text_column), &cell.text_content());
    }
    let titled = columns.names.len();
    let mut records = Map::new();
    let mut fragments = Vec::new();
    for (index, row) in rows.enumerate() {
        let given = row.attr("record").as_str().filter(|id| !records.contains_key(*id));
        let record = given.map_or_else(|| writer.new_key(), str::to_owned);
        let mut values = Map::new();
        let mut next = titled;
        for (place, cell) in row.content().iter().enumerate() {
            let mut at = place;
            if place >= titled || !columns.fits(cell, place) {
                if is_empty(cell) {
                    continue;
                }
                at = columns.spare(cell, next, writer);
                next = at + 1;
            }
            let value = match value_of(cell) {
                Some(value) => value.attr("value").clone(),
                None => write_text(cell, &mut fragments, writer),
            };
            values.insert(columns.names[at].clone(), value);
        }
        let order = format!("{index:08}");
        records.insert(record, json!({ "orderIndex": order, "values": values }));
    }
    if columns.names.is_empty() {
        // Two people removed the last two columns at the same time.
        columns.add_without_title(text_column(), writer);
    }
    let mut data = before.clone();
    let view = view_of(before.get("view"), node, columns.shown, &columns.names);
    data.insert("view".to_owned(), view);
    data.insert("records".to_owned(), Value::Object(records));
    data.insert("definition".to_owned(), Value::Object(columns.definition));
    (data, fragments)
}

/// Returns the value of a cell with a text, which becomes a fragment. Its name is the value.
fn write_text(cell: &Node, fragments: &mut Vec<Value>, writer: &mut Writer<'_>) -> Value {
    if is_empty(cell) {
        return Value::Null;
    }
    let known = cell.attr("fragment").as_object();
    let name = known.and_then(|known| known.get("fragment")).and_then(Value::as_str);
    let name = name.filter(|name| writer.is_free(name)).map(str::to_owned);
    let name = name.unwrap_or_else(|| writer.new_key());
    let mut part = attrs([("object", "fragment".into()), ("key", writer.new_key().into())]);
    part.extend(known.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
    part.insert("fragment".to_owned(), name.as_str().into());
    part.insert("nodes".to_owned(), writer.children(cell).into());
    fragments.push(Value::Object(part));
    name.into()
}

fn view_of(before: Option<&Value>, node: &Node, shown: Vec<Value>, all: &[String]) -> Value {
    let kind = node.attr("view").as_str().unwrap_or("grid");
    let mut own = before.and_then(Value::as_object).cloned().unwrap_or_default();
    for name in ["type", "columns", "hideHeader"] {
        own.shift_remove(name);
    }
    if kind == "cards" {
        let known: HashSet<_> = all.iter().map(String::as_str).collect();
        own.retain(|name, value| {
            let is_column = name.ends_with("Definition") || name.ends_with("DefinitionDark");
            !is_column || value.as_str().is_some_and(|id| known.contains(id))
        });
        own.entry("cardSize").or_insert_with(|| "medium".into());
    } else {
        own.insert("hideHeader".to_owned(), (*node.attr("hideHeader") == true).into());
    }
    own.insert("type".to_owned(), kind.into());
    own.insert("columns".to_owned(), shown.into());
    Value::Object(own)
}
