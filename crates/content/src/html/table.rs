//! Rendering of tables as grids and as cards.

use std::fmt::Write as _;

use super::media::ImageStyle;
use super::{Renderer, fill};
use crate::document::{
    Block, BlockKind, Cell, Color, ColumnKind, ColumnRole, Inline, InlineKind, Leaf, Node,
    Reference, Row, SelectOption, Table, TableColumn, View, plain_text,
};
use crate::reference::ContentRef;

/// Maximum for which a rating is shown as stars; a higher one is shown as numbers.
const STAR_LIMIT: f64 = 10.0;
/// Number of a column's options that are compared at the cost of one node.
const OPTIONS_PER_NODE: usize = 16;
/// Number of characters of a column's longest cell from which on the column is kept wide.
const LONG_CELL: usize = 60;
/// Number of characters of a column's longest cell up to which the column can be narrow.
const SHORT_CELL: usize = 8;
/// Number of characters up to which code in a cell stays on one line.
const UNBROKEN_CODE: usize = 24;

/// The width of a column is a multiple of these pixels, from 2 to 50 times.
const COLUMN_STEP: f64 = 20.0;

impl Renderer<'_> {
    pub(super) fn table(&mut self, table: &Table) {
        match table.view {
            View::Grid { hide_header } => self.grid(table, hide_header),
            View::Cards { large, hide_column_title, wrap: _ } => {
                self.cards(table, large, hide_column_title == Some(false));
            }
        }
    }

    fn grid(&mut self, table: &Table, hide_header: bool) {
        self.raw(if table.full_width == Some(true) {
            "<div class=\"table full-width\""
        } else {
            "<div class=\"table\""
        });
        // The table can be wider than the page, so keyboard users must be able to scroll it.
        self.raw(" role=\"group\" tabindex=\"0\"");
        self.attribute("aria-label", self.labels().table);
        self.raw("><table>");
        let visible = |column: &&TableColumn| !column.hidden;
        if table.columns.iter().filter(visible).any(|column| column.width.is_some()) {
            self.raw("<colgroup>");
            for column in table.columns.iter().filter(visible) {
                self.raw("<col");
                if let Some(width) = column.width.filter(|width| width.is_finite()) {
                    // HTML has no attribute for widths, and style sheets know these classes only.
                    let steps = (width / COLUMN_STEP).round().clamp(2.0, 50.0);
                    self.attribute("class", &format!("width-{:.0}", steps * COLUMN_STEP));
                }
                self.raw(">");
            }
            self.raw("</colgroup>");
        }
        let sizes = column_sizes(table);
        if !hide_header {
            self.raw("<thead><tr>");
            for (column, size) in table.columns.iter().zip(&sizes).filter(|(c, _)| !c.hidden) {
                // An empty cell is not the header of anything.
                let has_title = !column.title.trim().is_empty();
                self.raw(if has_title { "<th scope=\"col\"" } else { "<td" });
                self.column_size(*size);
                self.cell_align(column);
                self.raw(">");
                self.text(&column.title);
                self.raw(if has_title { "</th>" } else { "</td>" });
            }
            self.raw("</tr></thead>");
        }
        self.raw("<tbody>\n");
        for (index, row) in table.rows.iter().enumerate() {
            if !self.begin_node() {
                break;
            }
            // The sizes of the columns are stated in the first row.
            let states_size = hide_header && index == 0;
            self.raw("<tr>");
            let cells = table.columns.iter().zip(&row.cells).zip(&sizes);
            for ((column, cell), size) in cells.filter(|((column, _), _)| !column.hidden) {
                self.raw("<td");
                if states_size {
                    self.column_size(*size);
                }
                if has_long_code(cell) {
                    self.raw(" data-code=\"long\"");
                }
                self.cell_align(column);
                self.raw(">");
                self.cell(column, cell);
                self.raw("</td>");
            }
            self.raw("</tr>\n");
        }
        self.raw("</tbody></table></div>\n");
    }

    fn column_size(&mut self, size: ColumnSize) {
        match size {
            ColumnSize::Narrow => self.raw(" data-size=\"narrow\""),
            ColumnSize::Medium => {}
            ColumnSize::Wide => self.raw(" data-size=\"wide\""),
        }
    }

    fn cell_align(&mut self, column: &TableColumn) {
        if column.kind == ColumnKind::Number {
            self.attribute("data-align", "end");
        }
        if let ColumnKind::Text { align, vertical } = &column.kind {
            match *align {
                "center" => self.attribute("data-align", "center"),
                "right" => self.attribute("data-align", "end"),
                _ => {}
            }
            if let Some(vertical) = vertical {
                self.attribute("data-valign", vertical);
            }
        }
    }

    pub(super) fn cell(&mut self, column: &TableColumn, cell: &Cell) {
        match cell {
            Cell::Empty => {}
            Cell::Text { nodes, .. } => {
                let outer = std::mem::replace(&mut self.in_cell, true);
                self.cell_blocks(nodes);
                self.in_cell = outer;
            }
            Cell::Number(number) => match &column.kind {
                ColumnKind::Rating { max } => self.rating(*number, *max),
                _ => {
                    // Keep the sign in front of the number in right-to-left text.
                    let _ = write!(self.html.body, "<bdi>{number}</bdi>");
                }
            },
            Cell::Unusable(text) => self.text(text),
            Cell::Checkbox(checked) => {
                self.raw("<input type=\"checkbox\" disabled");
                self.attribute("aria-label", &column.title);
                self.raw(if *checked { " checked>" } else { ">" });
            }
            Cell::Values(values) => {
                values.iter().for_each(|value| self.option(column, value));
            }
            Cell::Reference(reference) => self.named_link(reference),
            Cell::References(references) => {
                for (index, reference) in references.iter().enumerate() {
                    self.raw(if index > 0 { ", " } else { "" });
                    self.named_link(reference);
                }
            }
            Cell::Image { reference, alt, object_fit } => {
                let alt = alt.as_deref().unwrap_or_default();
                let style = ImageStyle { fit: object_fit.as_deref(), ..ImageStyle::default() };
                self.image_element(reference, None, alt, style);
            }
        }
    }

    fn cell_blocks(&mut self, nodes: &[Block]) {
        match nodes {
            [Node { kind: BlockKind::Paragraph(paragraph), .. }] => self.inlines(&paragraph.nodes),
            nodes => self.blocks(nodes),
        }
    }

    fn option(&mut self, column: &TableColumn, value: &str) {
        self.charge_lookup(column);
        let option = option(column, value);
        self.raw("<span class=\"option");
        if let Some(color) = option.map(|option| Color::from_name(&option.color))
            && color != Color::Default
        {
            let _ =
                write!(self.html.body, " bg-{0} color-{0}", color.name().trim_start_matches('$'));
        }
        self.raw("\">");
        self.text(option.map_or(value, |option| &option.label));
        self.raw("</span> ");
    }

    /// Charges the search for an option, as columns can have any number of options.
    fn charge_lookup(&mut self, column: &TableColumn) {
        if let ColumnKind::Select { options, .. } = &column.kind {
            self.charge(options.len() / OPTIONS_PER_NODE);
        }
    }

    fn rating(&mut self, number: f64, max: f64) {
        let stars = number.round();
        let spoken = fill(&fill(self.labels().rating, number), max);
        if !(1.0..=STAR_LIMIT).contains(&max) || !(0.0..=max).contains(&stars) {
            self.raw("<span class=\"rating\">");
            self.text(&spoken);
            return self.raw("</span>");
        }
        self.raw("<span class=\"rating\" role=\"img\"");
        self.attribute("aria-label", &spoken);
        self.raw(">");
        let mut at = 1.0;
        while at <= max {
            self.raw(if at <= stars { "★" } else { "☆" });
            at += 1.0;
        }
        self.raw("</span>");
    }

    fn named_link(&mut self, reference: &Reference) {
        let name = self.name(reference);
        if let ContentRef::User { .. } = reference.target {
            self.raw("<span class=\"user\">");
            self.text(&name);
            return self.raw("</span>");
        }
        self.open_link(reference, None);
        self.text(&name);
        self.close_link(reference);
    }

    fn cards(&mut self, table: &Table, large: bool, titles: bool) {
        self.raw(if large {
            "<ul class=\"cards cards-large\">\n"
        } else {
            "<ul class=\"cards\">\n"
        });
        for row in &table.rows {
            if !self.begin_node() {
                break;
            }
            self.card(table, row, titles);
        }
        self.raw("</ul>\n");
    }

    fn card(&mut self, table: &Table, row: &Row, titles: bool) {
        let with_role = |role: ColumnRole| {
            let cells = table.columns.iter().zip(&row.cells);
            cells.filter(move |(column, _)| column.role == Some(role)).map(|(_, cell)| cell)
        };
        let target = with_role(ColumnRole::Target).find_map(reference);
        let target = target.and_then(|reference| self.href(reference));
        let cover = with_role(ColumnRole::Cover).find(|cell| self.shows(cell));
        let dark = with_role(ColumnRole::CoverDark).find(|cell| self.shows(cell));
        self.raw("<li class=\"card\">");
        if let Some(cell) = cover.or(dark)
            && let Some(picture) = reference(cell)
        {
            let dark = dark.and_then(reference).filter(|_| cover.is_some());
            let fit = match cell {
                Cell::Image { object_fit, .. } => object_fit.as_deref(),
                _ => None,
            };
            let style = ImageStyle { class: Some("card-cover"), fit, ..ImageStyle::default() };
            self.image_element(picture, dark, "", style);
        }
        self.raw("<div class=\"card-body\">");
        // Links cannot be nested, so the card's own link comes last, and the stylesheet spreads it
        // over the card.
        for (column, cell) in card_cells(table, row) {
            self.raw("<div class=\"card-cell\">");
            if titles && !column.title.is_empty() {
                self.raw("<span class=\"card-title\">");
                self.text(&column.title);
                self.raw("</span> ");
            }
            self.cell(column, cell);
            self.raw("</div>");
        }
        self.raw("</div>");
        if let Some(href) = target {
            self.raw("<a class=\"card-link\"");
            self.attribute("href", &href);
            let name = card_name(table, row);
            self.attribute("aria-label", if name.is_empty() { self.labels().open } else { &name });
            self.raw("></a>");
        }
        self.raw("</li>\n");
    }

    fn shows(&self, cell: &Cell) -> bool {
        reference(cell).is_some_and(|reference| self.image_file(reference).is_some())
    }
}

/// The width that a column needs for its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ColumnSize {
    Narrow,
    Medium,
    Wide,
}

/// Returns the width that each column needs, hidden columns included.
fn column_sizes(table: &Table) -> Vec<ColumnSize> {
    let mut sizes = vec![ColumnSize::Narrow; table.columns.len()];
    for (size, column) in sizes.iter_mut().zip(&table.columns) {
        *size = size_of_text(column.title.chars().count());
    }
    for row in &table.rows {
        for (size, cell) in sizes.iter_mut().zip(&row.cells) {
            *size = (*size).max(cell_size(cell));
        }
    }
    sizes
}

const fn size_of_text(characters: usize) -> ColumnSize {
    match characters {
        0..=SHORT_CELL => ColumnSize::Narrow,
        LONG_CELL.. => ColumnSize::Wide,
        _ => ColumnSize::Medium,
    }
}

fn cell_size(cell: &Cell) -> ColumnSize {
    match cell {
        Cell::Empty | Cell::Number(_) | Cell::Checkbox(_) => ColumnSize::Narrow,
        Cell::Text { nodes, .. } => {
            let sizes = nodes.iter().map(|node| match &node.kind {
                BlockKind::Paragraph(paragraph) if has_only_text(&paragraph.nodes) => {
                    size_of_text(plain_text(&paragraph.nodes).chars().count())
                }
                BlockKind::Paragraph(paragraph) => {
                    size_of_text(plain_text(&paragraph.nodes).chars().count())
                        .max(ColumnSize::Medium)
                }
                BlockKind::Code(_) => ColumnSize::Wide,
                _ => ColumnSize::Medium,
            });
            sizes.max().unwrap_or(ColumnSize::Narrow)
        }
        _ => ColumnSize::Medium,
    }
}

fn has_only_text(nodes: &[Inline]) -> bool {
    nodes.iter().all(|node| matches!(node.kind, InlineKind::Text(_) | InlineKind::Emoji { .. }))
}

/// Returns `true` for code that is too long to stay on one line of a cell.
pub(super) fn is_long_code(text: &str) -> bool {
    text.chars().nth(UNBROKEN_CODE).is_some()
}

/// Returns `true` if a cell contains code that is too long to stay on one line.
fn has_long_code(cell: &Cell) -> bool {
    let Cell::Text { nodes, .. } = cell else { return false };
    let is_long = |leaf: &Leaf| leaf.marks.code && is_long_code(&leaf.text);
    let in_line = |nodes: &[Inline]| {
        nodes.iter().any(|node| match &node.kind {
            InlineKind::Text(leaves) => leaves.iter().any(is_long),
            InlineKind::Link(link) => link.nodes.iter().any(|inner| match &inner.kind {
                InlineKind::Text(leaves) => leaves.iter().any(is_long),
                _ => false,
            }),
            _ => false,
        })
    };
    nodes.iter().any(|node| match &node.kind {
        BlockKind::Paragraph(paragraph) => in_line(&paragraph.nodes),
        // Other blocks are rare in cells, so their code is not measured.
        _ => true,
    })
}

/// Returns the cells that a card shows below its picture, with their columns. A column of text that
/// is marked as the cover has no picture, so its text is shown, even if it is hidden when the card
/// would be empty otherwise.
fn card_cells<'t>(table: &'t Table, row: &'t Row) -> Vec<(&'t TableColumn, &'t Cell)> {
    let cells = || {
        let cells = table.columns.iter().zip(&row.cells);
        cells.filter(|(_, cell)| !matches!(cell, Cell::Empty))
    };
    let is_cover_text = |column: &TableColumn, cell: &Cell| {
        matches!(column.role, Some(ColumnRole::Cover | ColumnRole::CoverDark))
            && match cell {
                Cell::Text { nodes, .. } => !nodes.is_empty(),
                Cell::Unusable(_) => true,
                _ => false,
            }
    };
    let visible: Vec<_> = cells()
        .filter(|(column, cell)| {
            !column.hidden && (column.role.is_none() || is_cover_text(column, cell))
        })
        .collect();
    if !visible.is_empty() {
        return visible;
    }
    cells().filter(|(column, cell)| is_cover_text(column, cell)).collect()
}

/// Returns the text of the first cell that has any.
fn card_name(table: &Table, row: &Row) -> String {
    card_cells(table, row)
        .into_iter()
        .filter_map(|(_, cell)| match cell {
            Cell::Text { nodes, .. } => nodes.iter().find_map(|block| match &block.kind {
                BlockKind::Paragraph(paragraph) => Some(plain_text(&paragraph.nodes)),
                BlockKind::Heading(heading) => Some(plain_text(&heading.nodes)),
                _ => None,
            }),
            Cell::Unusable(text) => Some(text.clone()),
            _ => None,
        })
        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

fn reference(cell: &Cell) -> Option<&Reference> {
    match cell {
        Cell::Reference(reference) | Cell::Image { reference, .. } => Some(reference),
        Cell::References(references) => references.first(),
        _ => None,
    }
}

fn option<'c>(column: &'c TableColumn, value: &str) -> Option<&'c SelectOption> {
    match &column.kind {
        ColumnKind::Select { options, .. } => options.iter().find(|option| option.value == value),
        _ => None,
    }
}
