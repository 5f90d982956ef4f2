//! Parses pipe tables.

use std::collections::HashMap;

use pulldown_cmark::{Alignment, Event, Tag, TagEnd};

use super::block::Reader;
use super::html_table::cell_blocks;
use super::inline::InlineBuilder;
use crate::document::key::hash;
use crate::document::{
    Block, BlockKind, Cell, ColumnKind, Key, Node, Row, Table, TableColumn, plain_text,
};
use crate::source::Span;

/// Assigns ids within a table. The ids derive from content, so that they stay the same when other
/// rows change.
#[derive(Default)]
pub(super) struct Ids {
    taken: HashMap<u64, u64>,
}

impl Ids {
    fn take(&mut self, seed: u64, content: &str) -> String {
        let hash = hash(seed, content.as_bytes());
        let count = self.taken.entry(hash).or_default();
        let key = Key(hash).part(*count);
        *count += 1;
        key.to_string()
    }

    /// Returns a text column.
    pub(super) fn text_column(&mut self, title: String, align: &'static str) -> TableColumn {
        TableColumn {
            id: self.take(1, &title),
            title,
            kind: ColumnKind::Text { align, vertical: None },
            width: None,
            hidden: false,
            role: None,
        }
    }

    /// Returns the id of a row with this source.
    pub(super) fn row(&mut self, source: &str) -> String {
        self.take(2, source)
    }
}

/// Returns an upper bound of the number of cells that the rows of all pipe tables omit. Each is
/// filled with an empty cell, so a few kilobytes of short rows below a long header could otherwise
/// take gigabytes.
pub(super) fn omitted_cells(text: &str) -> usize {
    let (mut columns, mut cells) = (0_usize, 0_usize);
    let bytes = text.as_bytes();
    if memchr::memchr(b'|', bytes).is_none() {
        return 0;
    }
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]) {
        let line = bytes.get(start..end).unwrap_or_default();
        start = end + 1;
        let is_delimiter = |byte: &u8| b"|-: \t>\r".contains(byte);
        let Some(first) = line.iter().find(|byte| !b" \t>\r".contains(byte)) else {
            columns = 0;
            continue;
        };
        let may_delimit = matches!(first, b'|' | b'-' | b':') && line.iter().all(is_delimiter);
        if columns == 0 && !may_delimit {
            continue;
        }
        let there = memchr::memchr_iter(b'|', line).count();
        cells = cells.saturating_add(columns.saturating_sub(there));
        if may_delimit {
            columns = columns.max(there + 1);
        }
    }
    cells
}

/// Parses the table that has just begun.
pub(super) fn read(reader: &mut Reader<'_, '_>, alignments: &[Alignment], span: Span) -> Block {
    let mut table = Table::default();
    let mut ids = Ids::default();
    while let Some((event, row_span)) = reader.next() {
        match event {
            Event::Start(Tag::TableHead) => {
                let mut aligned = alignments.iter();
                while let Some(inlines) = next_cell(reader) {
                    let nodes: Vec<_> =
                        inlines.finish_cell().into_iter().flat_map(|p| p.nodes).collect();
                    let align = match aligned.next() {
                        Some(Alignment::Center) => "center",
                        Some(Alignment::Right) => "right",
                        _ => "left",
                    };
                    // A title is a single line.
                    let title = plain_text(&nodes).replace('\n', " ");
                    table.columns.push(ids.text_column(title, align));
                }
            }
            Event::Start(Tag::TableRow) => {
                let mut cells = Vec::with_capacity(table.columns.len());
                let location = reader.map.span(row_span);
                while let Some(inlines) = next_cell(reader) {
                    let nodes = cell_blocks(inlines.finish_cell(), location);
                    cells.push(if nodes.is_empty() {
                        Cell::Empty
                    } else {
                        Cell::Text { key: Key::default(), nodes }
                    });
                }
                cells.resize(table.columns.len(), Cell::Empty);
                let id = ids.row(row_span.of(reader.source));
                table.rows.push(Row { id, span: location, cells });
            }
            Event::End(TagEnd::TableHead | TagEnd::TableRow) => {}
            _ => break,
        }
    }
    table.columns.shrink_to_fit();
    table.rows.shrink_to_fit();
    let hidden = table.columns.iter().all(|column| column.title.is_empty());
    table.view = crate::document::View::Grid { hide_header: hidden };
    Node::new(reader.map.span(span), BlockKind::Table(Box::new(table)))
}

/// Parses the next cell of a row. Returns `None` at the row's end.
fn next_cell<'e, 'c>(reader: &mut Reader<'e, 'c>) -> Option<InlineBuilder<'e, 'c>> {
    let (event, span) = reader.next()?;
    if !matches!(event, Event::Start(Tag::TableCell)) {
        return None;
    }
    let mut inlines = InlineBuilder::for_cell(reader.state, reader.source, reader.map);
    reader.run(&mut inlines, span);
    reader.next();
    Some(inlines)
}
