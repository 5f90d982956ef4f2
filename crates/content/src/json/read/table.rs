//! Reading tables from JSON.

use std::collections::HashMap;

use serde_json::Value;

use super::{At, Object, Reader, TEXT_LIMIT};
use crate::document::BlockKind;
use crate::document::{
    Block, Cell, ColumnKind, ColumnRole, Key, Node, Paragraph, Reference, Row, SelectOption, Table,
    TableColumn, View,
};
use crate::reference::ContentRef;
use crate::source::Span;

const TYPES: &str = "text, number, checkbox, files, users, rating, select, content-ref, image";

impl Reader<'_> {
    pub(super) fn table(&mut self, object: &Object<'_>, data: &Object<'_>) -> Option<Table> {
        let mut columns = self.columns(data)?;
        let view = self.view(data, &mut columns)?;
        let mut fragments = self.table_fragments(object)?;
        let rows = self.rows(data, &columns, &mut fragments)?;
        let (full_width, search) = (self.flag(data, "fullWidth"), self.flag(data, "search"));
        Some(Table { view, columns, rows, full_width, search })
    }

    fn columns(&mut self, data: &Object<'_>) -> Option<Vec<TableColumn>> {
        let Some(at) = data.at("definition") else {
            return self.missing(data, "definition", "an object with a column for each id");
        };
        let definition = self.object(at)?;
        let mut columns = Vec::with_capacity(definition.map.len());
        for id in definition.map.keys() {
            self.count(&at)?;
            let Some(at) = definition.at(id) else { continue };
            let object = self.object(at)?;
            let title = self.name(&object, "title")?;
            let kind = self.column_kind(&object)?;
            let (id, role) = (id.clone(), None);
            // Columns are hidden unless the view lists them.
            columns.push(TableColumn { id, title, kind, width: None, hidden: true, role });
        }
        if columns.is_empty() {
            return self.fail(&at, "a table has at least one column");
        }
        Some(columns)
    }

    fn column_kind(&mut self, object: &Object<'_>) -> Option<ColumnKind> {
        let name = self.name(object, "type")?;
        let multiple = |reader: &mut Self| reader.flag(object, "multiple").unwrap_or(false);
        Some(match name.as_str() {
            "text" => {
                let sides = ["left", "center", "right"].map(|side| (side, side));
                let places = ["top", "middle", "bottom"].map(|place| (place, place));
                ColumnKind::Text {
                    align: self.choice(object, "textAlignment", &sides).unwrap_or("left"),
                    vertical: self.choice(object, "verticalAlignment", &places),
                }
            }
            "number" => ColumnKind::Number,
            "checkbox" => ColumnKind::Checkbox,
            "files" => ColumnKind::Files,
            "image" => ColumnKind::Image,
            "content-ref" => ColumnKind::ContentRef,
            "users" => ColumnKind::Users { multiple: multiple(self) },
            "rating" => {
                let Some(max) = object.at("max") else {
                    return self.missing(object, "max", "a number");
                };
                ColumnKind::Rating { max: self.number(&max)? }
            }
            "select" => {
                let Some(options) = object.at("options") else {
                    return self.missing(object, "options", "an array");
                };
                let options = self.list(options, |reader, at| {
                    let option = reader.object(at)?;
                    Some(SelectOption {
                        value: reader.name(&option, "value")?,
                        label: reader.name(&option, "label")?,
                        color: reader.name(&option, "color")?,
                    })
                })?;
                ColumnKind::Select { multiple: multiple(self), options }
            }
            _ => return self.unknown(object, "type", TYPES),
        })
    }

    /// Reads the view, applies its settings to the columns, and sorts the visible columns in its
    /// order.
    fn view(&mut self, data: &Object<'_>, columns: &mut Vec<TableColumn>) -> Option<View> {
        let Some(at) = data.at("view") else {
            return self.missing(data, "view", "an object");
        };
        let view = self.object(at)?;
        let mut places: HashMap<String, usize> = HashMap::new();
        let by_id: HashMap<String, usize> =
            columns.iter().enumerate().map(|(index, column)| (column.id.clone(), index)).collect();
        let Some(shown) = view.at("columns") else {
            return self.missing(&view, "columns", "an array of ids");
        };
        self.list(shown, |reader, at| {
            let id = reader.string(&at, TEXT_LIMIT)?;
            let column = by_id.get(&id).and_then(|index| columns.get_mut(*index));
            let Some(column) = column else {
                return reader.fail(&at, "no column has this id");
            };
            column.hidden = false;
            let next = places.len();
            places.entry(id).or_insert(next);
            Some(())
        })?;
        sort_visible(columns, &places);
        if let Some(widths) = view.at("columnWidths") {
            let widths = self.object(widths)?;
            for column in columns.iter_mut() {
                if let Some(at) = widths.at(&column.id) {
                    column.width = self.number(&at);
                }
            }
        }
        Some(match self.name(&view, "type")?.as_str() {
            "grid" => View::Grid { hide_header: self.flag(&view, "hideHeader").unwrap_or(false) },
            "cards" => {
                for (name, role) in [
                    ("targetDefinition", ColumnRole::Target),
                    ("coverDefinition", ColumnRole::Cover),
                    ("coverDefinitionDark", ColumnRole::CoverDark),
                ] {
                    let Some(id) = self.optional_name(&view, name) else { continue };
                    match columns.iter_mut().find(|column| column.id == id) {
                        Some(column) => column.role = Some(role),
                        None => {
                            let at = view.at(name).unwrap_or(view.at);
                            return self.fail(&at, "no column has this id");
                        }
                    }
                }
                View::Cards {
                    large: self
                        .choice(&view, "cardSize", &[("large", true), ("medium", false)])
                        .unwrap_or(false),
                    hide_column_title: self.flag(&view, "hideColumnTitle"),
                    wrap: self.flag(&view, "wrap"),
                }
            }
            _ => return self.unknown(&view, "type", "grid, cards"),
        })
    }

    /// Reads the blocks of each fragment, by the name of the fragment.
    fn table_fragments(&mut self, object: &Object<'_>) -> Option<HashMap<String, Vec<Block>>> {
        let Some(at) = object.at("fragments") else { return Some(HashMap::new()) };
        let fragments = self.nested(&at, 4, |reader| {
            reader.list(at, |reader, at| {
                let fragment = reader.object(at)?;
                reader.count(&at)?;
                let names = [fragment.at("fragment"), fragment.at("key")];
                let Some(name) = names.into_iter().flatten().next() else {
                    return reader.missing(&fragment, "fragment", "the value of its cell");
                };
                Some((reader.string(&name, TEXT_LIMIT)?, reader.non_empty_blocks(&fragment)?))
            })
        })?;
        Some(fragments.into_iter().collect())
    }

    fn rows(
        &mut self,
        data: &Object<'_>,
        columns: &[TableColumn],
        fragments: &mut HashMap<String, Vec<Block>>,
    ) -> Option<Vec<Row>> {
        let Some(at) = data.at("records") else {
            return self.missing(data, "records", "an object with a row for each id");
        };
        let records = self.object(at)?;
        let mut rows = Vec::with_capacity(records.map.len());
        for id in records.map.keys() {
            self.count(&at)?;
            let Some(at) = records.at(id) else { continue };
            let record = self.object(at)?;
            let order = self.name(&record, "orderIndex")?;
            let Some(values) = record.at("values") else {
                return self.missing(&record, "values", "an object with a value for each column");
            };
            let values = self.object(values)?;
            let mut cells = Vec::with_capacity(columns.len());
            for column in columns {
                // Missing cells count too: a table has a cell for each column and row.
                self.count(&at)?;
                cells.push(match values.at(&column.id) {
                    Some(at) => self.cell(at, &column.kind, fragments)?,
                    None => Cell::Empty,
                });
            }
            rows.push((order, Row { id: id.clone(), span: Span::default(), cells }));
        }
        rows.sort_by(|(left, _), (right, _)| left.cmp(right));
        Some(rows.into_iter().map(|(_, row)| row).collect())
    }

    fn cell(
        &mut self,
        at: At<'_>,
        kind: &ColumnKind,
        fragments: &mut HashMap<String, Vec<Block>>,
    ) -> Option<Cell> {
        if at.value.is_null() {
            return Some(Cell::Empty);
        }
        Some(match kind {
            ColumnKind::Text { .. } => {
                let name = self.string(&at, TEXT_LIMIT)?;
                if name.is_empty() {
                    return Some(Cell::Empty);
                }
                let Some(nodes) = fragments.remove(&name) else {
                    return self.fail(&at, "no fragment of the table has this name");
                };
                if is_blank(&nodes) {
                    return Some(Cell::Empty);
                }
                Cell::Text { key: Key::of_name(&name), nodes }
            }
            ColumnKind::Number | ColumnKind::Rating { .. } => Cell::Number(self.number(&at)?),
            ColumnKind::Checkbox => match at.value {
                Value::Bool(checked) => Cell::Checkbox(*checked),
                _ => return self.fail(&at, "true or false is needed here"),
            },
            ColumnKind::Select { .. } => {
                let values = self.texts(at)?;
                if values.is_empty() { Cell::Empty } else { Cell::Values(values) }
            }
            ColumnKind::Files | ColumnKind::Users { .. } => {
                let is_user = matches!(kind, ColumnKind::Users { .. });
                let ids = self.texts(at)?;
                let references: Vec<Reference> =
                    ids.into_iter().map(|id| self.list_reference(id, is_user)).collect();
                if references.is_empty() { Cell::Empty } else { Cell::References(references) }
            }
            ColumnKind::ContentRef => Cell::Reference(Box::new(self.reference_at(at)?)),
            ColumnKind::Image => {
                let object = self.object(at)?;
                if object.at("kind").is_some() {
                    let reference = Box::new(self.reference_at(at)?);
                    return Some(Cell::Image { reference, object_fit: None, alt: None });
                }
                let fits = ["contain", "fill", "cover"].map(|fit| (fit, fit));
                Cell::Image {
                    reference: Box::new(self.reference(&object, "ref")?),
                    object_fit: self.choice(&object, "objectFit", &fits).map(str::to_owned),
                    alt: self.non_empty_name(&object, "alt"),
                }
            }
        })
    }

    /// Reads a string or an array of strings.
    fn texts(&mut self, at: At<'_>) -> Option<Vec<String>> {
        if at.value.is_string() {
            return Some(vec![self.string(&at, TEXT_LIMIT)?]);
        }
        self.list(at, |reader, at| reader.string(&at, TEXT_LIMIT))
    }

    /// Returns a reference to the file or person with this id. An unknown file id becomes a raw
    /// target.
    fn list_reference(&self, id: String, is_user: bool) -> Reference {
        let names = self.context.names;
        let target = if is_user && !id.contains(['/', '.', ':']) {
            ContentRef::User { user: id }
        } else if !is_user && names.file_path(&id).is_some() {
            ContentRef::File { file: id }
        } else {
            ContentRef::Url { url: id }
        };
        let raw = crate::reference::write(&target, self.context.path, names).unwrap_or_default();
        Reference { raw, span: Span::default(), target, name: None }
    }
}

/// Returns `true` if the blocks are empty or only one empty paragraph.
fn is_blank(nodes: &[Block]) -> bool {
    match nodes {
        [] => true,
        [Node { kind: BlockKind::Paragraph(Paragraph { nodes, .. }), .. }] => nodes.is_empty(),
        _ => false,
    }
}

/// Sorts the visible columns in the order of the view. Hidden columns keep their positions.
fn sort_visible(columns: &mut Vec<TableColumn>, places: &HashMap<String, usize>) {
    let (slots, mut shown): (Vec<bool>, Vec<TableColumn>) =
        (columns.iter().map(|column| !column.hidden).collect(), Vec::new());
    let mut hidden = Vec::new();
    for column in columns.drain(..) {
        if column.hidden { hidden.push(column) } else { shown.push(column) }
    }
    shown.sort_by_key(|column| places.get(&column.id).copied());
    let (mut shown, mut hidden) = (shown.into_iter(), hidden.into_iter());
    columns.extend(
        slots
            .into_iter()
            .filter_map(|is_shown| if is_shown { shown.next() } else { hidden.next() }),
    );
}
