//! Tables. They break across pages, and their header is repeated.

use super::{Flow, Writer, flow_of};
use crate::html::Element;

/// Maximum number of columns of a table. Cells of further columns follow in the last one.
const COLUMN_LIMIT: usize = 24;
/// Maximum number of rows that a cell spans.
const ROW_SPAN_LIMIT: usize = 1_000;
/// Assumed width of a character and the padding of a cell, in points.
const CHARACTER: f64 = 5.2;
const PADDING: f64 = 12.0;
/// Number of characters of a cell beyond which its column is not made wider.
const WIDE_CELL: usize = 160;
/// Assumed width of the text of a page in points.
const TEXT_WIDTH: f64 = 470.0;

struct Cell<'e> {
    element: &'e Element,
    column: usize,
    columns: usize,
    rows: usize,
}

struct Row<'e> {
    cells: Vec<Cell<'e>>,
    is_header: bool,
}

impl Writer<'_> {
    pub(super) fn table(&mut self, table: &Element) {
        for caption in table.elements().filter(|child| child.name == "caption") {
            self.to.code("caption({");
            self.inlines_or_flow(&caption.children);
            self.to.code("});");
        }
        let (rows, count) = rows(table);
        if count == 0 {
            return;
        }
        if self.depth >= super::CONTAINER_LIMIT {
            let cells = rows.iter().flat_map(|row| &row.cells);
            return cells.for_each(|cell| self.flow(&cell.element.children));
        }
        let widths = widths(table, &rows, count);
        self.to.code(if count > 8 {
            "data-table(6.5pt,("
        } else if count > 5 {
            "data-table(8pt,("
        } else {
            "data-table(9pt,("
        });
        self.to.code(&widths);
        self.to.code("),");
        let was_in_cell = std::mem::replace(&mut self.in_cell, true);
        self.container("", ");", |to| {
            // Only rows at the start can be a header.
            let headers = rows.iter().take_while(|row| row.is_header).count();
            let headers = if headers == rows.len() { 0 } else { headers };
            let (header, body) = rows.split_at_checked(headers).unwrap_or((&[], &rows));
            if !header.is_empty() {
                to.to.code("table.header(");
                header.iter().enumerate().for_each(|(at, row)| to.row(at, row, true));
                to.to.code("),");
            }
            for (at, row) in body.iter().enumerate() {
                to.row(headers + at, row, row.is_header);
            }
        });
        self.in_cell = was_in_cell;
    }

    fn row(&mut self, at: usize, row: &Row<'_>, is_header: bool) {
        for cell in &row.cells {
            let Cell { element, column, columns, rows } = cell;
            self.to.code("table.cell(x:");
            self.to.number(column);
            self.to.code(",y:");
            self.to.number(at);
            if is_header {
                self.to.code(",fill:header-fill");
            }
            if *columns > 1 {
                self.to.code(",colspan:");
                self.to.number(columns);
            }
            if *rows > 1 && !is_header {
                self.to.code(",rowspan:");
                self.to.number(rows);
            }
            match element.attribute("data-align") {
                Some("center") => self.to.code(",align:center"),
                Some("end") => self.to.code(",align:end"),
                _ => {}
            }
            self.to.code(",{");
            let is_bold = is_header || element.name == "th";
            let start = self.to.len();
            if is_bold {
                self.to.code("strong({");
            }
            let direction = self.direction_of(&element.children);
            self.to.code(match direction {
                None => "",
                Some(true) => "set text(dir:std.rtl);",
                Some(false) => "set text(dir:std.ltr);",
            });
            let inner = self.to.len();
            self.anchor(element);
            self.inlines_or_flow(&element.children);
            if self.to.len() == inner {
                self.to.truncate(start);
            } else if is_bold {
                self.to.code("});");
            }
            self.to.code("}),");
        }
    }
}

/// Returns the rows of a table with the places of their cells, and the number of columns.
fn rows(table: &Element) -> (Vec<Row<'_>>, usize) {
    let mut found: Vec<(&Element, bool)> = Vec::new();
    for part in table.elements() {
        match part.name.as_str() {
            "thead" => {
                found.extend(part.elements().filter(|row| row.name == "tr").map(|row| (row, true)))
            }
            "tbody" | "tfoot" => {
                found
                    .extend(part.elements().filter(|row| row.name == "tr").map(|row| (row, false)));
            }
            "tr" => {
                let is_header = row_cells(part).all(|cell| cell.name == "th");
                found.push((part, is_header));
            }
            _ => {}
        }
    }
    let mut rows = Vec::with_capacity(found.len());
    // The number of rows that a cell above still occupies, for each column.
    let mut occupied: Vec<usize> = Vec::new();
    let mut count = 0;
    let total = found.len();
    for (index, (row, is_header)) in found.into_iter().enumerate() {
        let mut cells = Vec::new();
        let mut column = 0;
        for element in row_cells(row) {
            while occupied.get(column).is_some_and(|rows| *rows > 0) {
                column += 1;
            }
            if column >= COLUMN_LIMIT {
                break;
            }
            let span =
                |name: &str| element.attribute(name).and_then(|span| span.parse::<usize>().ok());
            let mut columns = 1;
            let wanted = span("colspan").unwrap_or(1).clamp(1, COLUMN_LIMIT - column);
            while columns < wanted && occupied.get(column + columns).is_none_or(|rows| *rows == 0) {
                columns += 1;
            }
            let below = if is_header { 1 } else { total - index };
            let rows = span("rowspan").unwrap_or(1).clamp(1, below.min(ROW_SPAN_LIMIT));
            if occupied.len() < column + columns {
                occupied.resize(column + columns, 0);
            }
            for place in occupied.iter_mut().skip(column).take(columns) {
                *place = rows;
            }
            cells.push(Cell { element, column, columns, rows });
            column += columns;
        }
        for place in &mut occupied {
            *place = place.saturating_sub(1);
        }
        count = count.max(occupied.len());
        rows.push(Row { cells, is_header });
    }
    (rows, count)
}

fn row_cells(row: &Element) -> impl Iterator<Item = &Element> {
    row.elements().filter(|cell| matches!(cell.name.as_str(), "td" | "th"))
}

/// Returns the widths of columns as source: as wide as their content if all fits in a line,
/// otherwise in proportion to their texts, and never narrower than a word.
fn widths(table: &Element, rows: &[Row<'_>], count: usize) -> String {
    let mut longest = vec![1_usize; count];
    let mut words = vec![1_usize; count];
    for cell in rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.columns == 1) {
        let text = cell.element.text();
        let has_blocks = cell.element.elements().any(|child| flow_of(child) == Flow::Block);
        let length = text.trim().chars().count().min(WIDE_CELL);
        let length = if has_blocks { length.max(24) } else { length };
        let word = text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0);
        let has_image =
            cell.element.elements().any(|child| matches!(child.name.as_str(), "img" | "picture"));
        let length = if has_image { length.max(12) } else { length };
        if let Some(known) = longest.get_mut(cell.column) {
            *known = (*known).max(length);
        }
        if let Some(known) = words.get_mut(cell.column) {
            *known = (*known).max(word.min(26));
        }
    }
    let points =
        |characters: usize| u32::try_from(characters).map_or(0.0, f64::from) * CHARACTER + PADDING;
    let natural: f64 = longest.iter().map(|length| points(*length)).sum();
    let stated: Vec<Option<f64>> = stated_widths(table, count);
    let mut source = String::new();
    if natural <= TEXT_WIDTH && stated.iter().all(Option::is_none) {
        return "auto,".repeat(count);
    }
    let least: f64 = words.iter().map(|word| points(*word)).sum();
    let room = (TEXT_WIDTH - least).max(0.0);
    let beyond: Vec<f64> = longest
        .iter()
        .zip(&words)
        .zip(&stated)
        .map(|((length, word), stated)| match stated {
            Some(pixels) => (pixels * 0.62 - points(*word)).max(0.0),
            None => (points(*length) - points(*word)).max(0.0),
        })
        .collect();
    let total: f64 = beyond.iter().sum::<f64>().max(1.0);
    for (word, beyond) in words.iter().zip(&beyond) {
        let width = points(*word) + beyond / total * room;
        source.push_str(&format!("{width:.1}fr,"));
    }
    source
}

/// Returns the widths in pixels that the table states for its columns.
fn stated_widths(table: &Element, count: usize) -> Vec<Option<f64>> {
    let columns = table.elements().filter(|group| group.name == "colgroup");
    let columns = columns.flat_map(Element::elements).filter(|column| column.name == "col");
    let mut widths: Vec<Option<f64>> = columns
        .map(|column| {
            column
                .attribute("class")?
                .strip_prefix("width-")?
                .parse()
                .ok()
                .filter(|width: &f64| width.is_finite() && *width > 0.0)
        })
        .collect();
    widths.resize(count, None);
    widths
}
