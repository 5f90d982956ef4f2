//! Prints tables: as pipe tables if possible, otherwise as one line of HTML.

use super::block::Printer;
use super::escape::attribute;
use super::inline::{Escaping, Line, LineKind};
use super::{check, marks, reference_text};
use crate::document::{
    Block, BlockKind, Cell, ColumnKind, ColumnRole, Inline, Leaf, Marks, Table, TableColumn, View,
};
use crate::reference;

/// Prints a table.
pub(super) fn print(block: &Block, table: &Table, printer: &Printer<'_>) -> String {
    if fits_pipes(table) {
        if let Some(escaping) = printer.escaping {
            return pipes(table, printer, escaping);
        }
        let minimum = printer.escaping_levels.of(block);
        for escaping in [Escaping::Plain, Escaping::Full, Escaping::Literal]
            .into_iter()
            .filter(|c| *c >= minimum)
        {
            let text = pipes(table, printer, escaping);
            if check::parses_to(&text, block, printer.context) {
                return text;
            }
        }
    }
    html(table, printer, printer.escaping_levels.of(block))
}

/// Returns `true` if a pipe table can represent the table.
fn fits_pipes(table: &Table) -> bool {
    table.view == View::Grid { hide_header: false }
        && table.full_width.is_none()
        && table.search.is_none()
        && table.columns.iter().any(|column| !column.title.is_empty())
        && table.columns.iter().all(|column| {
            matches!(column.kind, ColumnKind::Text { vertical: None, .. })
                && column.width.is_none()
                && !column.hidden
                && column.role.is_none()
        })
        && !table.rows.iter().flat_map(|row| &row.cells).any(has_code)
}

/// Returns `true` if a cell holds code, which pipe tables cannot represent.
pub(super) fn has_code(cell: &Cell) -> bool {
    let is_code = |block: &Block| matches!(block.kind, BlockKind::Code(_));
    matches!(cell, Cell::Text { nodes, .. } if nodes.iter().any(is_code))
}

/// Prints a pipe table. Each column is as wide as its widest cell.
fn pipes(table: &Table, printer: &Printer<'_>, escaping: Escaping) -> String {
    let title = |column: &TableColumn| {
        let leaf = Leaf { text: column.title.clone(), ..Leaf::default() };
        let mut line = new_line(LineKind::Cell, escaping, printer);
        marks::leaves(&mut line, &[leaf], Marks::default(), None);
        line.out
    };
    let head: Vec<String> = table.columns.iter().map(title).collect();
    let rows: Vec<Vec<String>> = table
        .rows
        .iter()
        .map(|row| row.cells.iter().map(|cell| pipe_cell(cell, printer, escaping)).collect())
        .collect();
    let aligns: Vec<&str> = table.columns.iter().map(align_of).collect();
    let size: usize = rows.iter().chain([&head]).flatten().map(String::len).sum();
    let min_width = |align: &str| match align {
        "center" => 3,
        "right" => 2,
        _ => 1,
    };
    let mut widths: Vec<usize> = aligns.iter().map(|align| min_width(align)).collect();
    for row in rows.iter().chain([&head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(units(cell));
        }
    }
    // One long cell among many short ones would fill the table with spaces.
    let padded = widths.iter().sum::<usize>().saturating_mul(rows.len() + 2);
    if padded > 16 * size + 65_536 {
        widths.fill(0);
    }
    let mut text = String::with_capacity(padded.min(16 * size + 65_536));
    push_row(&head, &widths, &mut text);
    text.push_str("\n|");
    for (width, align) in widths.iter().zip(&aligns) {
        let dashes = (*width).max(min_width(align));
        match *align {
            "center" => text.push_str(&format!(" :{}: |", "-".repeat(dashes - 2))),
            "right" => text.push_str(&format!(" {}: |", "-".repeat(dashes - 1))),
            _ => text.push_str(&format!(" {} |", "-".repeat(dashes))),
        }
    }
    for row in &rows {
        text.push('\n');
        push_row(row, &widths, &mut text);
    }
    text
}

/// Returns the width of a cell in UTF-16 code units, as the dialect's exporter counts.
pub(super) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn push_row(cells: &[String], widths: &[usize], to: &mut String) {
    to.push('|');
    for (cell, width) in cells.iter().zip(widths) {
        to.push(' ');
        to.push_str(cell);
        to.push_str(&" ".repeat(width.saturating_sub(units(cell)) + 1));
        to.push('|');
    }
}

fn align_of(column: &TableColumn) -> &'static str {
    match column.kind {
        ColumnKind::Text { align, .. } => align,
        _ => "left",
    }
}

fn new_line<'p>(kind: LineKind, escaping: Escaping, printer: &'p Printer<'p>) -> Line<'p> {
    let (context, notes) = (printer.context, printer.notes);
    Line { out: String::new(), kind, escaping, context, notes, in_link: false }
}

/// Prints a cell of a pipe table.
pub(super) fn pipe_cell(cell: &Cell, printer: &Printer<'_>, escaping: Escaping) -> String {
    match cell {
        Cell::Text { nodes, .. } => cell_text(nodes, &|nodes| {
            super::inline::line(nodes, LineKind::Cell, escaping, printer.context, printer.notes)
        }),
        _ => String::new(),
    }
}

/// Prints the blocks of a cell. A single paragraph has no element around it.
fn cell_text(nodes: &[Block], print: &dyn Fn(&[Inline]) -> String) -> String {
    let paragraph = |block: &Block| match &block.kind {
        BlockKind::Paragraph(paragraph) => print(&paragraph.nodes),
        _ => String::new(),
    };
    if let [only] = nodes
        && matches!(only.kind, BlockKind::Paragraph(_))
    {
        return paragraph(only);
    }
    let mut text = String::new();
    for node in nodes {
        let (name, items) = match &node.kind {
            BlockKind::OrderedList { items, .. } => ("ol", items),
            BlockKind::UnorderedList { items } => ("ul", items),
            BlockKind::Code(code) => {
                text.push_str(&super::code::in_cell(code, print));
                continue;
            }
            _ => {
                text.push_str(&format!("<p>{}</p>", paragraph(node)));
                continue;
            }
        };
        text.push_str(&format!("<{name}>"));
        for item in items {
            let inner: String = item.kind.nodes.iter().map(paragraph).collect();
            text.push_str(&format!("<li>{inner}</li>"));
        }
        text.push_str(&format!("</{name}>"));
    }
    text
}

/// Prints a table as one line of HTML.
fn html(table: &Table, printer: &Printer<'_>, escaping: Escaping) -> String {
    let mut text = "<table".to_owned();
    let flag = |name: &str, flag: Option<bool>, to: &mut String| {
        if let Some(flag) = flag {
            attribute(name, if flag { "true" } else { "false" }, to);
        }
    };
    let bare_attribute = |name: &str, is_set: bool, to: &mut String| {
        if is_set {
            to.push(' ');
            to.push_str(name);
        }
    };
    let sure = |name: &str, value: Option<bool>, to: &mut String| match value {
        Some(true) => bare_attribute(name, true, to),
        value => flag(name, value, to),
    };
    match table.view {
        View::Grid { hide_header } => bare_attribute("data-header-hidden", hide_header, &mut text),
        View::Cards { large, hide_column_title, wrap } => {
            if large {
                attribute("data-card-size", "large", &mut text);
            }
            sure("data-column-title-hidden", hide_column_title, &mut text);
            flag("data-card-wrap", wrap, &mut text);
            attribute("data-view", "cards", &mut text);
        }
    }
    flag("data-search", table.search, &mut text);
    flag("data-full-width", table.full_width, &mut text);
    text.push_str("><thead><tr>");
    for column in &table.columns {
        column_head(column, printer, &mut text);
    }
    text.push_str("</tr></thead><tbody>");
    for row in &table.rows {
        text.push_str("<tr>");
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            html_cell(column, cell, (printer, escaping), &mut text);
        }
        text.push_str("</tr>");
    }
    text.push_str("</tbody></table>");
    text
}

/// Writes the `align` and `valign` attributes of a column, for its head and for each of its cells.
fn alignment(column: &TableColumn, to: &mut String) {
    if let ColumnKind::Text { align, vertical } = column.kind {
        if align != "left" {
            attribute("align", align, to);
        }
        if let Some(vertical) = vertical {
            attribute("valign", vertical, to);
        }
    }
}

fn column_head(column: &TableColumn, printer: &Printer<'_>, to: &mut String) {
    to.push_str("<th");
    if let Some(width) = column.width {
        attribute("width", &width.to_string(), to);
    }
    alignment(column, to);
    if column.hidden {
        to.push_str(" data-hidden");
    }
    match column.role {
        Some(ColumnRole::Target) => to.push_str(" data-card-target"),
        Some(ColumnRole::Cover) => to.push_str(" data-card-cover"),
        Some(ColumnRole::CoverDark) => to.push_str(" data-card-cover-dark"),
        None => {}
    }
    let kind = match &column.kind {
        ColumnKind::Text { .. } | ColumnKind::Select { .. } => None,
        ColumnKind::Number => Some("number"),
        ColumnKind::Checkbox => Some("checkbox"),
        ColumnKind::Rating { .. } => Some("rating"),
        ColumnKind::Files => Some("files"),
        ColumnKind::Image => Some("image"),
        ColumnKind::ContentRef => Some("content-ref"),
        ColumnKind::Users { .. } => Some("users"),
    };
    if let Some(kind) = kind {
        attribute("data-type", kind, to);
    }
    match column.kind {
        ColumnKind::Rating { max } => attribute("data-max", &max.to_string(), to),
        ColumnKind::Users { multiple: true } => to.push_str(" data-multiple"),
        _ => {}
    }
    to.push('>');
    push_text(&column.title, printer, to);
    if let ColumnKind::Select { multiple, options } = &column.kind {
        to.push_str(if *multiple { "<select multiple>" } else { "<select>" });
        for option in options {
            to.push_str("<option");
            attribute("value", &option.value, to);
            attribute("label", &option.label, to);
            attribute("color", &option.color, to);
            to.push_str("></option>");
        }
        to.push_str("</select>");
    }
    to.push_str("</th>");
}

fn push_text(text: &str, printer: &Printer<'_>, to: &mut String) {
    let mut line = new_line(LineKind::Html, Escaping::Plain, printer);
    let leaf = Leaf { text: text.to_owned(), ..Leaf::default() };
    marks::leaves(&mut line, &[leaf], Marks::default(), Some('<'));
    to.push_str(&line.out);
}

fn html_cell(
    column: &TableColumn,
    cell: &Cell,
    (printer, escaping): (&Printer<'_>, Escaping),
    to: &mut String,
) {
    to.push_str("<td");
    alignment(column, to);
    if let Cell::Image { object_fit, alt, .. } = cell {
        for (name, value) in [("data-object-fit", object_fit), ("data-alt", alt)] {
            if let Some(value) = value {
                attribute(name, value, to);
            }
        }
    }
    to.push('>');
    let link = |reference: &crate::document::Reference, to: &mut String| {
        let raw = reference_text(reference, printer.context);
        to.push_str("<a");
        attribute("href", &raw, to);
        to.push('>');
        let text = reference.name.as_deref().unwrap_or_else(|| reference::label(&raw));
        push_text(text, printer, to);
        to.push_str("</a>");
    };
    match cell {
        Cell::Empty => {}
        Cell::Text { nodes, .. } => {
            to.push_str(&cell_text(nodes, &|nodes| printer.html(nodes, escaping)))
        }
        Cell::Number(number) => to.push_str(&number.to_string()),
        Cell::Unusable(text) => push_text(text, printer, to),
        Cell::Checkbox(checked) => to.push_str(if *checked { "true" } else { "false" }),
        Cell::Values(values) => {
            let options: &[_] = match &column.kind {
                ColumnKind::Select { options, .. } => options,
                _ => &[],
            };
            for (index, value) in values.iter().enumerate() {
                let option = options.iter().find(|option| option.value == *value);
                let label = option.map_or(value.as_str(), |option| option.label.as_str());
                to.push_str("<span");
                attribute("data-option", value, to);
                to.push('>');
                push_text(label, printer, to);
                to.push_str(if index + 1 < values.len() { ", </span>" } else { "</span>" });
            }
        }
        Cell::References(references) => {
            references.iter().for_each(|reference| link(reference, to));
        }
        Cell::Reference(reference) | Cell::Image { reference, .. } => link(reference, to),
    }
    to.push_str("</td>");
}
