//! Merging of tables: columns, rows and cells.

use crate::document::equality::ContentEq;
use crate::document::{Cell, Node, Row, Table, TableColumn};
use crate::source::Span;

use super::list::{self, Entry};
use super::value::Merge;
use super::{Merger, Side};

impl Merge for TableColumn {
    fn merge(merger: &mut Merger<'_>, base: &Self, ours: &Self, theirs: &Self) -> Self {
        Self {
            id: ours.id.clone(),
            title: merger.value(&base.title, &ours.title, &theirs.title),
            kind: merger.value(&base.kind, &ours.kind, &theirs.kind),
            width: merger.value(&base.width, &ours.width, &theirs.width),
            hidden: merger.value(&base.hidden, &ours.hidden, &theirs.hidden),
            role: merger.value(&base.role, &ours.role, &theirs.role),
        }
    }
}

impl Merger<'_> {
    pub(super) fn table(&mut self, base: &Table, ours: &Table, theirs: &Table) -> Table {
        let versions = [base, ours, theirs];
        let columns = versions.map(|table| parts(&table.columns, |_| Span::default()));
        let [base_columns, our_columns, their_columns] = &columns;
        let mut column_entries = list::merge_order(base_columns, our_columns, their_columns);
        column_entries.retain(|entry| self.stays(entry, base_columns, our_columns, their_columns));
        let rows = versions.map(|table| parts(&table.rows, |row| row.span));
        let [base_rows, our_rows, their_rows] = &rows;
        let mut merged = Vec::with_capacity(our_rows.len());
        for entry in list::merge_order(base_rows, our_rows, their_rows) {
            if self.stays(&entry, base_rows, our_rows, their_rows) {
                merged.extend(self.row(versions, &column_entries, entry));
            }
        }
        let columns = column_entries.iter().filter_map(|entry| {
            let at = |table: &'_ Table, index: Option<usize>| {
                index.and_then(|index| table.columns.get(index)).cloned()
            };
            let (before, mine) = (at(base, entry.base), at(ours, entry.ours));
            match (before, mine, at(theirs, entry.theirs)) {
                (Some(base), Some(ours), Some(theirs)) => {
                    Some(TableColumn::merge(self, &base, &ours, &theirs))
                }
                (_, mine, other) => mine.or(other),
            }
        });
        let columns = columns.collect();
        Table {
            view: self.value(&base.view, &ours.view, &theirs.view),
            columns,
            rows: merged,
            full_width: self.value(&base.full_width, &ours.full_width, &theirs.full_width),
            search: self.value(&base.search, &ours.search, &theirs.search),
        }
    }

    /// Returns `true` if a row or column that one side removed stays because the other side changed
    /// it.
    fn stays<T: ContentEq>(
        &mut self,
        entry: &Entry,
        base: &[Node<T>],
        ours: &[Node<T>],
        theirs: &[Node<T>],
    ) -> bool {
        let kept = match (entry.base, entry.ours, entry.theirs) {
            (Some(_), Some(at), None) => ours.get(at),
            (Some(_), None, Some(at)) => theirs.get(at),
            _ => return true,
        };
        let base = entry.base.and_then(|at| base.get(at));
        let is_edited = match (base, kept) {
            (Some(base), Some(kept)) => !kept.content_eq(base),
            _ => false,
        };
        self.has_conflict |= is_edited;
        is_edited
    }

    fn row(
        &mut self,
        [base, ours, theirs]: [&Table; 3],
        columns: &[Entry],
        entry: Entry,
    ) -> Option<Row> {
        let row =
            |table: &'_ Table, at: Option<usize>| at.and_then(|at| table.rows.get(at)).cloned();
        let before = row(base, entry.base);
        let (mine, other) = (row(ours, entry.ours), row(theirs, entry.theirs));
        let cell = |row: &Option<Row>, at: Option<usize>| {
            row.as_ref().and_then(|row| row.cells.get(at?)).cloned()
        };
        let mut cells = Vec::with_capacity(columns.len());
        for column in columns {
            let before = cell(&before, column.base);
            let mine = cell(&mine, column.ours);
            let other = cell(&other, column.theirs);
            cells.push(match (before, mine, other) {
                (Some(base), Some(ours), Some(theirs)) => self.cell(&base, &ours, &theirs),
                (_, Some(mine), _) => self.adopt_cell(mine, Side::Ours),
                (_, None, Some(other)) => self.adopt_cell(other, Side::Theirs),
                (_, None, None) => Cell::Empty,
            });
        }
        let place = mine.or(other)?;
        Some(Row { id: place.id, span: place.span, cells })
    }

    fn cell(&mut self, base: &Cell, ours: &Cell, theirs: &Cell) -> Cell {
        match (base, ours, theirs) {
            (
                Cell::Text { nodes: base, .. },
                Cell::Text { key, nodes: ours },
                Cell::Text { nodes: theirs, .. },
            ) => Cell::Text { key: *key, nodes: self.blocks(base, ours, theirs) },
            _ => self.value(base, ours, theirs),
        }
    }

    fn adopt_cell(&mut self, cell: Cell, side: Side) -> Cell {
        match cell {
            Cell::Text { key, nodes } => {
                let nodes = nodes.iter().filter_map(|node| self.insert_block(node, side)).collect();
                Cell::Text { key, nodes }
            }
            other => other,
        }
    }
}

/// Wraps rows or columns as nodes, which are matched by content.
fn parts<T: Clone>(parts: &[T], span: impl Fn(&T) -> Span) -> Vec<Node<T>> {
    parts.iter().map(|part| Node::new(span(part), part.clone())).collect()
}
