//! Edits tables: pipe tables row by row while their columns keep their widths, other tables word by
//! word.

use super::leaf;
use super::plan::{CannotEdit, EditResult, Planner};
use super::source::{extent, prefix, without};
use crate::document::equality::ContentEq;
use crate::document::{Block, Node, Row, Table};
use crate::markdown;
use crate::pairing::{self, Partner};
use crate::print::table;
use crate::source::Span;

/// A line of a pipe table, split into its cells. Cells include the spaces around their text.
struct Line<'s> {
    /// The text before the first cell, including its pipe.
    lead: &'s str,
    /// The cells between the pipes.
    cells: Vec<&'s str>,
    /// The text after the last cell, including its pipe.
    tail: &'s str,
}

/// Edits a table in place.
pub(super) fn edit(
    planner: &mut Planner<'_>,
    before: &Block,
    (old, new): (&Table, &Table),
    after: &Block,
) -> EditResult {
    let place = extent(planner.source, before.span, false);
    let first = place.of(planner.source);
    if first.starts_with('<') {
        return leaf::merged(planner, before, after);
    }
    let same_head = old.view == new.view
        && old.columns.content_eq(&new.columns)
        && old.full_width == new.full_width
        && old.search == new.search;
    if !same_head {
        return Err(CannotEdit);
    }
    let own = prefix(planner.source, place.start).ok_or(CannotEdit)?;
    let lines: Vec<&str> = first.split_inclusive('\n').collect();
    if lines.len() != old.rows.len() + 2 {
        return Err(CannotEdit);
    }
    let text_length = |line: &&'_ str| line.trim_end_matches(['\n', '\r']).len();
    let mut head = Vec::with_capacity(2);
    let mut rows = Vec::with_capacity(old.rows.len());
    for (index, line) in lines.iter().enumerate() {
        let text = line.get(..text_length(line)).unwrap_or_default();
        let text = if index > 0 { without(text, &own) } else { text };
        if index < 2 { head.push(split(text)) } else { rows.push(text) }
    }
    let widths = widths(&head, &rows);
    let node = |row: &Row| Node::new(Span::default(), row.clone());
    let nodes = |table: &Table| table.rows.iter().map(node).collect::<Vec<_>>();
    let (old_rows, new_rows) = (nodes(old), nodes(new));
    let line_end = planner.line_end_at(place.start);
    // The header and the delimiter row stay.
    let mut text = lines.iter().take(2).copied().collect::<String>();
    text.truncate(text.trim_end_matches(['\n', '\r']).len());
    for (row, partner) in new_rows.iter().zip(pairing::pair(&old_rows, &new_rows)) {
        let (index, same) = match partner {
            Partner::New => (None, false),
            Partner::Stays { index, same } => (Some(index), same),
            Partner::Moved { index } => (Some(index), true),
        };
        let own_line = index.and_then(|index| rows.get(index).copied());
        text.push_str(line_end);
        text.push_str(&own);
        match own_line.filter(|_| same) {
            Some(line) => text.push_str(line),
            None => {
                let before = index.and_then(|index| old_rows.get(index));
                let line = self::row(planner, own_line, before, row, widths.as_deref())?;
                text.push_str(&line);
            }
        }
    }
    // Unchanged lines keep their line endings.
    planner.replace(place, text);
    Ok(())
}

/// Returns the column widths if the pipes of all lines are aligned, otherwise `None`.
fn widths(head: &[Line<'_>], rows: &[&str]) -> Option<Vec<usize>> {
    let of = |line: &Line<'_>| line.cells.iter().map(|cell| table::units(cell)).collect::<Vec<_>>();
    let widths = of(head.first()?);
    let is_like = |line: &Line<'_>| of(line) == widths;
    let is_aligned = head.iter().all(is_like) && rows.iter().all(|row| is_like(&split(row)));
    let is_padded = widths.iter().any(|width| *width > 2);
    (is_aligned && is_padded).then_some(widths)
}

/// Prints a row: unchanged cells verbatim, other cells in their place.
fn row(
    planner: &Planner<'_>,
    line: Option<&str>,
    before: Option<&Node<Row>>,
    after: &Node<Row>,
    widths: Option<&[usize]>,
) -> Result<String, CannotEdit> {
    let own = line.map(split);
    let (lead, tail) = own.as_ref().map_or(("|", "|"), |own| (own.lead, own.tail));
    let mut text = lead.to_owned();
    for (index, cell) in after.kind.cells.iter().enumerate() {
        if index > 0 {
            text.push('|');
        }
        let old = before.and_then(|row| row.kind.cells.get(index));
        let source = own.as_ref().and_then(|own| own.cells.get(index).copied());
        if let (Some(old), Some(source)) = (old, source)
            && old.content_eq(cell)
        {
            text.push_str(source);
            continue;
        }
        if table::has_code(cell) {
            return Err(CannotEdit);
        }
        let content = table::pipe_cell(cell, &planner.printer(), planner.level.escaping());
        let edges = source.filter(|cell| !cell.trim().is_empty()).map(|cell| {
            let (start, end) = (cell.len() - cell.trim_start().len(), cell.trim_end().len());
            (cell.get(..start).unwrap_or(" "), cell.get(end..).unwrap_or(" "))
        });
        let (left, right) = edges.unwrap_or((" ", " "));
        let mut written = format!("{left}{content}");
        match widths.and_then(|widths| widths.get(index)) {
            Some(&width) => {
                // A wider text would widen the whole column.
                let units = table::units(&written);
                if units + 1 > width {
                    return Err(CannotEdit);
                }
                written.push_str(&" ".repeat(width - units));
            }
            None => written.push_str(right),
        }
        text.push_str(&written);
    }
    text.push_str(tail);
    Ok(text)
}

/// Splits a line at its pipes.
fn split(line: &str) -> Line<'_> {
    let mut pipes = Vec::new();
    let in_code = markdown::bars_in_code(line);
    let mut is_escaped = false;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'\\' => is_escaped = !is_escaped,
            b'|' if !is_escaped && in_code.binary_search(&at).is_err() => pipes.push(at),
            _ => is_escaped = false,
        }
    }
    let begins = line.trim_start().starts_with('|');
    let ends = pipes.last().is_some_and(|last| {
        line.get(last + 1..).is_some_and(|rest| rest.trim().is_empty())
            && (pipes.len() > 1 || !begins)
    });
    let first = if begins { pipes.first().map_or(0, |at| at + 1) } else { 0 };
    let last = if ends { pipes.last().copied().unwrap_or(line.len()) } else { line.len() };
    let mut cells = Vec::new();
    let mut from = first;
    for &at in pipes.iter().filter(|&&at| at >= first && at < last) {
        cells.push(line.get(from..at).unwrap_or_default());
        from = at + 1;
    }
    cells.push(line.get(from..last).unwrap_or_default());
    Line {
        lead: line.get(..first).unwrap_or_default(),
        cells,
        tail: line.get(last..).unwrap_or_default(),
    }
}
