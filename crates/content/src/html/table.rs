//! Tables as grids and as cards.

use std::fmt::Write as _;

use super::Renderer;
use crate::document::{
    Block, BlockKind, Cell, ColumnKind, ColumnRole, Node, Reference, Row, Table, TableColumn, View,
};

impl Renderer<'_> {
    pub(super) fn table(&mut self, table: &Table) {
        match table.view {
            View::Grid { hide_header } => self.grid(table, hide_header),
            View::Cards { large, .. } => self.cards(table, large),
        }
    }

    fn grid(&mut self, table: &Table, hide_header: bool) {
        self.raw("<div class=\"table\" tabindex=\"0\"><table>");
        let visible = |column: &&TableColumn| !column.hidden;
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

    fn cell(&mut self, column: &TableColumn, cell: &Cell) {
        match cell {
            Cell::Empty => {}
            Cell::Text { nodes, .. } => self.cell_blocks(nodes),
            Cell::Number(number) => match &column.kind {
                ColumnKind::Rating { max } => self.rating(*number, *max),
                _ => {
                    let _ = write!(self.html.body, "{number}");
                }
            },
            Cell::Checkbox(checked) => {
                self.raw("<input type=\"checkbox\" disabled aria-label=\"Yes\"");
                self.raw(if *checked { " checked>" } else { ">" });
            }
            Cell::Values(values) => {
                for value in values {
                    self.raw("<span class=\"option\">");
                    self.text(label(column, value));
                    self.raw("</span> ");
                }
            }
            Cell::Reference(reference) => self.named_link(reference),
            Cell::References(references) => {
                for (index, reference) in references.iter().enumerate() {
                    self.raw(if index > 0 { ", " } else { "" });
                    self.named_link(reference);
                }
            }
            Cell::Image { reference, alt, .. } => {
                let alt = alt.as_deref().unwrap_or_default();
                self.image_element(reference, None, alt, None, (None, None));
            }
        }
    }

    fn cell_blocks(&mut self, nodes: &[Block]) {
        match nodes {
            [Node { kind: BlockKind::Paragraph(paragraph), .. }] => self.inlines(&paragraph.nodes),
            nodes => self.blocks(nodes),
        }
    }

    fn rating(&mut self, number: f64, max: f64) {
        let _ = write!(self.html.body, "<span class=\"rating\">{number} / {max}</span>");
    }

    fn named_link(&mut self, reference: &Reference) {
        let name = self.name(reference);
        self.open_link(reference, None);
        self.text(&name);
        self.close_link(reference);
    }

    fn cards(&mut self, table: &Table, large: bool) {
        self.raw(if large {
            "<ul class=\"cards cards-large\">\n"
        } else {
            "<ul class=\"cards\">\n"
        });
        for row in &table.rows {
            self.card(table, row);
        }
        self.raw("</ul>\n");
    }

    fn card(&mut self, table: &Table, row: &Row) {
        let with_role = |role: ColumnRole| {
            let cells = table.columns.iter().zip(&row.cells);
            cells
                .filter(|(column, _)| column.role == Some(role))
                .find_map(|(_, cell)| reference(cell))
        };
        let target = with_role(ColumnRole::Target).and_then(|reference| self.href(reference));
        let (cover, dark) = (with_role(ColumnRole::Cover), with_role(ColumnRole::CoverDark));
        self.raw("<li class=\"card\">");
        if let Some(cover) = cover.or(dark)
            && self.picture(cover).is_some()
        {
            self.image_element(cover, dark, "", Some("card-cover"), (None, None));
        }
        self.raw("<div class=\"card-body\">");
        // Links within the text must not stand in another link: the card's own comes last, and
        // the stylesheet spreads it over the card.
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            if column.hidden || column.role.is_some() || matches!(cell, Cell::Empty) {
                continue;
            }
            self.raw("<div class=\"card-cell\">");
            self.cell(column, cell);
            self.raw("</div>");
        }
        self.raw("</div>");
        if let Some(href) = target {
            self.raw("<a class=\"card-link\"");
            self.attribute("href", &href);
            let name = card_name(table, row);
            self.attribute("aria-label", if name.is_empty() { "Open" } else { &name });
            self.raw("></a>");
        }
        self.raw("</li>\n");
    }
}

/// The text of the first cell that has any.
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

fn label<'v>(column: &'v TableColumn, value: &'v str) -> &'v str {
    match &column.kind {
        ColumnKind::Select { options, .. } => options
            .iter()
            .find(|option| option.value == value)
            .map_or(value, |option| option.label.as_str()),
        _ => value,
    }
}
