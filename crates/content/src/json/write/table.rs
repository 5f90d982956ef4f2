//! Serialization of tables to the contract's JSON.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{Data, Datum, head, serialize_number};
use crate::document::{Block, Cell, ColumnKind, ColumnRole, Key, Table, TableColumn, View};
use crate::reference::ContentRef;

pub(super) fn serialize_table<S: Serializer>(
    table: &Table,
    key: Key,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    head(&mut map, "block", "table", key, true)?;
    map.serialize_entry("data", &TableData(table))?;
    map.serialize_entry("fragments", &TableFragments(table))?;
    map.end()
}

struct TableData<'a>(&'a Table);

impl Serialize for TableData<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Table { view: _, columns: _, rows: _, full_width, search } = self.0;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("view", &TableView(self.0))?;
        map.serialize_entry("records", &TableRecords(self.0))?;
        map.serialize_entry("definition", &TableDefinition(self.0))?;
        for (name, flag) in [("fullWidth", full_width), ("search", search)] {
            if let Some(flag) = flag {
                map.serialize_entry(name, flag)?;
            }
        }
        map.end()
    }
}

struct TableView<'a>(&'a Table);

impl Serialize for TableView<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct Widths<'a>(&'a Table);
        impl Serialize for Widths<'_> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let mut map = to.serialize_map(None)?;
                for column in &self.0.columns {
                    if let Some(width) = column.width {
                        map.serialize_entry(&column.id, &Datum::Number(width))?;
                    }
                }
                map.end()
            }
        }
        let table = self.0;
        let columns: Vec<&str> =
            table.columns.iter().filter(|c| !c.hidden).map(|c| c.id.as_str()).collect();
        let mut map = to.serialize_map(None)?;
        let has_widths = table.columns.iter().any(|column| column.width.is_some());
        match table.view {
            View::Grid { hide_header } => {
                map.serialize_entry("type", "grid")?;
                map.serialize_entry("columns", &columns)?;
                map.serialize_entry("hideHeader", &hide_header)?;
                if has_widths {
                    map.serialize_entry("columnWidths", &Widths(table))?;
                    map.serialize_entry("useNewSizing", &true)?;
                }
            }
            View::Cards { large, hide_column_title, wrap } => {
                map.serialize_entry("type", "cards")?;
                map.serialize_entry("cardSize", if large { "large" } else { "medium" })?;
                map.serialize_entry("columns", &columns)?;
                for (name, flag) in [("hideColumnTitle", hide_column_title), ("wrap", wrap)] {
                    if let Some(flag) = flag {
                        map.serialize_entry(name, &flag)?;
                    }
                }
                // The contract has no widths for cards. They are written so that those in the
                // source are kept.
                if has_widths {
                    map.serialize_entry("columnWidths", &Widths(table))?;
                }
            }
        }
        if matches!(table.view, View::Cards { .. }) {
            for column in &table.columns {
                let name = match column.role {
                    Some(ColumnRole::Target) => "targetDefinition",
                    Some(ColumnRole::Cover) => "coverDefinition",
                    Some(ColumnRole::CoverDark) => "coverDefinitionDark",
                    None => continue,
                };
                map.serialize_entry(name, &column.id)?;
            }
        }
        map.end()
    }
}

struct TableRecords<'a>(&'a Table);

impl Serialize for TableRecords<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct Record<'a>(&'a Table, usize);
        impl Serialize for Record<'_> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                struct Values<'a>(&'a Table, usize);
                impl Serialize for Values<'_> {
                    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                        let mut map = to.serialize_map(None)?;
                        let cells = self.0.rows.get(self.1).into_iter().flat_map(|row| &row.cells);
                        for (column, cell) in self.0.columns.iter().zip(cells) {
                            map.serialize_entry(&column.id, &CellValue(cell))?;
                        }
                        map.end()
                    }
                }
                let mut map = to.serialize_map(Some(2))?;
                // Clients sort this as text, so the number is padded: ten must not sort before
                // nine.
                map.serialize_entry("orderIndex", &format!("{:08}", self.1))?;
                map.serialize_entry("values", &Values(self.0, self.1))?;
                map.end()
            }
        }
        let mut map = to.serialize_map(None)?;
        for (index, row) in self.0.rows.iter().enumerate() {
            map.serialize_entry(&row.id, &Record(self.0, index))?;
        }
        map.end()
    }
}

struct CellValue<'a>(&'a Cell);

impl Serialize for CellValue<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Cell::Empty | Cell::Unusable(_) => to.serialize_none(),
            Cell::Text { key, .. } => key.serialize(to),
            Cell::Number(number) => serialize_number(*number, to),
            Cell::Checkbox(checked) => to.serialize_bool(*checked),
            Cell::Values(values) => values.serialize(to),
            Cell::Reference(reference) => reference.target.serialize(to),
            Cell::References(references) => {
                let ids = references.iter().map(|reference| match &reference.target {
                    ContentRef::File { file } => file,
                    ContentRef::User { user } => user,
                    _ => &reference.raw,
                });
                to.collect_seq(ids)
            }
            Cell::Image { reference, object_fit: None, alt: None } => {
                reference.target.serialize(to)
            }
            Cell::Image { reference, object_fit, alt } => Data(&[
                ("ref", Datum::Reference(&reference.target)),
                ("objectFit", Datum::text(object_fit.as_ref())),
                ("alt", Datum::text(alt.as_ref())),
            ])
            .serialize(to),
        }
    }
}

struct TableDefinition<'a>(&'a Table);

impl Serialize for TableDefinition<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for column in &self.0.columns {
            map.serialize_entry(&column.id, &Definition(column))?;
        }
        map.end()
    }
}

struct Definition<'a>(&'a TableColumn);

impl Serialize for Definition<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let column = self.0;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("id", &column.id)?;
        map.serialize_entry("title", &column.title)?;
        let name = match &column.kind {
            ColumnKind::Text { align, vertical } => {
                map.serialize_entry("textAlignment", align)?;
                if let Some(vertical) = vertical {
                    map.serialize_entry("verticalAlignment", vertical)?;
                }
                "text"
            }
            ColumnKind::Number => "number",
            ColumnKind::Checkbox => "checkbox",
            ColumnKind::Rating { max } => {
                map.serialize_entry("max", &Datum::Number(*max))?;
                "rating"
            }
            ColumnKind::Files => "files",
            ColumnKind::Image => "image",
            ColumnKind::ContentRef => "content-ref",
            ColumnKind::Users { multiple } => {
                map.serialize_entry("multiple", multiple)?;
                "users"
            }
            ColumnKind::Select { multiple, options } => {
                map.serialize_entry("multiple", multiple)?;
                let options: Vec<_> = options
                    .iter()
                    .map(|option| {
                        serde_json::json!({
                            "value": option.value, "label": option.label, "color": option.color
                        })
                    })
                    .collect();
                map.serialize_entry("options", &options)?;
                "select"
            }
        };
        map.serialize_entry("type", name)?;
        map.end()
    }
}

struct TableFragments<'a>(&'a Table);

impl Serialize for TableFragments<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let cells = self.0.rows.iter().flat_map(|row| &row.cells);
        to.collect_seq(cells.filter_map(|cell| match cell {
            Cell::Text { key, nodes } => Some(TableFragment(*key, nodes)),
            _ => None,
        }))
    }
}

/// A fragment whose name is its key.
struct TableFragment<'a>(Key, &'a [Block]);

impl Serialize for TableFragment<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(4))?;
        map.serialize_entry("object", "fragment")?;
        map.serialize_entry("key", &self.0.part(0))?;
        map.serialize_entry("fragment", &self.0)?;
        map.serialize_entry("nodes", self.1)?;
        map.end()
    }
}
