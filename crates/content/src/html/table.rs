//! Rendering of tables as grids and as cards.

use std::fmt::Write as _;

use super::media::ImageStyle;
use super::{Renderer, fill};
use crate::document::{
    Block, BlockKind, Cell, Color, ColumnKind, ColumnRole, Node, Reference, Row, SelectOption,
    Table, TableColumn, View,
};
use crate::reference::ContentRef;

/// Maximum for which a rating is shown as stars; a higher one is shown as numbers.
const STAR_LIMIT: f64 = 10.0;
/// Number of a column's options that are compared at the cost of one node.
const OPTIONS_PER_NODE: usize = 16;

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
        self.raw(" role=\"region\" tabindex=\"0\"");
        self.attribute("aria-label", self.labels().table);
        self.raw("><table>");
        let visible = |column: &&TableColumn| !column.hidden;
        if table.columns.iter().filter(visible).any(|column| column.width.is_some()) {
            self.raw("<colgroup>");
            for column in table.columns.iter().filter(visible) {
                self.raw("<col");
                if let Some(width) = column.width.filter(|width| width.is_finite()) {
                    self.attribute("width", &format!("{:.0}", width.clamp(16.0, 2_000.0)));
                }
                self.raw(">");
            }
            self.raw("</colgroup>");
        }
        if !hide_header {
            self.raw("<thead><tr>");
            for column in table.columns.iter().filter(visible) {
                self.raw("<th scope=\"col\"");
                self.cell_align(column);
                self.raw(">");
                self.text(&column.title);
                self.raw("</th>");
            }
            self.raw("</tr></thead>");
        }
        self.raw("<tbody>\n");
        for row in &table.rows {
            if !self.begin_node() {
                break;
            }
            self.raw("<tr>");
            for (column, cell) in table.columns.iter().zip(&row.cells).filter(|(c, _)| !c.hidden) {
                self.raw("<td");
                self.cell_align(column);
                self.raw(">");
                self.cell(column, cell);
                self.raw("</td>");
            }
            self.raw("</tr>\n");
        }
        self.raw("</tbody></table></div>\n");
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
            Cell::Text { nodes, .. } => self.cell_blocks(nodes),
            Cell::Number(number) => match &column.kind {
                ColumnKind::Rating { max } => self.rating(*number, *max),
                _ => {
                    // Keep the sign in front of the number in right-to-left text.
                    let _ = write!(self.html.body, "<bdi>{number}</bdi>");
                }
            },
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
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            if column.hidden || column.role.is_some() || matches!(cell, Cell::Empty) {
                continue;
            }
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

/// Returns the text of the first cell that has any.
fn card_name(table: &Table, row: &Row) -> String {
    let visible = table.columns.iter().zip(&row.cells).filter(|(column, _)| !column.hidden);
    visible
        .filter_map(|(_, cell)| match cell {
            Cell::Text { nodes, .. } => nodes.iter().find_map(|block| match &block.kind {
                BlockKind::Paragraph(paragraph) => {
                    Some(crate::document::plain_text(&paragraph.nodes))
                }
                BlockKind::Heading(heading) => Some(crate::document::plain_text(&heading.nodes)),
                _ => None,
            }),
            _ => None,
        })
        .map(|text| text.trim().to_owned())
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
