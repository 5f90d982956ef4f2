//! Parses HTML tables: typed columns, grids and cards.

use super::block::{self, add_tokens};
use super::html_block::{HtmlText, paragraph};
use super::html_code;
use super::inline::{CellPiece, InlineBuilder};
use super::mask;
use super::table::Ids;
use crate::document::{
    Block, BlockKind, Cell, ColumnKind, ColumnRole, Key, ListItem, Node, Reference, Row,
    SelectOption, Table, TableColumn, View,
};
use crate::source::Span;
use crate::syntax::markup::{self, OpenTag, Token};
use crate::work;

type Tokens<'t> = [(Token<'t>, Span)];

/// Parses a table. Returns `None` if the document model cannot represent it.
pub(super) fn read(html: &HtmlText<'_, '_>, element: &Tokens<'_>) -> Option<BlockKind> {
    let Some((Token::Open(tag), _)) = element.first() else {
        return None;
    };
    let mut reader = Reader { html, ids: Ids::default(), table: table(tag), first_row: true };
    let mut index = 1;
    let mut row: Option<Vec<(OpenTag<'_>, usize, usize)>> = None;
    let mut row_start = 0;
    while let Some((token, span)) = element.get(index) {
        match token {
            Token::Open(tag) if tag.is("table") => return None,
            Token::Open(tag) if tag.is("tr") => {
                reader.row(row.take(), Span::new(row_start, span.start), element)?;
                row = Some(Vec::new());
                row_start = span.start;
            }
            Token::Open(tag) if tag.is("td") || tag.is("th") => {
                if tag.has("rowspan") || tag.has("colspan") {
                    return None;
                }
                let end = cell_end(element, index)?;
                row.get_or_insert_default().push((*tag, index + 1, end));
                index = end;
                continue;
            }
            Token::Close(name) if name.eq_ignore_ascii_case("tr") => {
                reader.row(row.take(), Span::new(row_start, span.end), element)?;
            }
            Token::Text(text) if !text.trim().is_empty() => return None,
            _ => {}
        }
        index += 1;
    }
    reader.row(row.take(), Span::new(row_start, row_start), element)?;
    reader.fill()?;
    reader.table.columns.shrink_to_fit();
    reader.table.rows.shrink_to_fit();
    (!reader.table.columns.is_empty()).then(|| BlockKind::Table(Box::new(reader.table)))
}

fn table(tag: &OpenTag<'_>) -> Table {
    let hidden = tag.flag("data-header-hidden").unwrap_or(false);
    let view = if tag.attribute("data-view").as_deref() == Some("cards") {
        View::Cards {
            large: tag.attribute("data-card-size").as_deref() == Some("large"),
            hide_column_title: tag.flag("data-column-title-hidden"),
            wrap: tag.flag("data-card-wrap"),
        }
    } else {
        View::Grid { hide_header: hidden }
    };
    let (full_width, search) = (tag.flag("data-full-width"), tag.flag("data-search"));
    Table { view, columns: Vec::new(), rows: Vec::new(), full_width, search }
}

/// Returns the index of the token after a cell's content, or `None` if the cell contains a table.
fn cell_end(element: &Tokens<'_>, index: usize) -> Option<usize> {
    for (at, (token, _)) in element.iter().enumerate().skip(index + 1) {
        work::spend(1);
        let ends = match token {
            Token::Open(tag) if tag.is("table") => return None,
            Token::Open(tag) => ["td", "th", "tr", "tbody"].iter().any(|name| tag.is(name)),
            Token::Close(name) => ["td", "th", "tr", "thead", "tbody", "table"]
                .iter()
                .any(|n| n.eq_ignore_ascii_case(name)),
            _ => false,
        };
        if ends {
            return Some(at);
        }
    }
    Some(element.len())
}

struct Reader<'r, 't, 'c> {
    html: &'r HtmlText<'t, 'c>,
    ids: Ids,
    table: Table,
    first_row: bool,
}

impl Reader<'_, '_, '_> {
    /// Parses a row. Returns `None` if it omits more cells than the page may.
    fn row(
        &mut self,
        cells: Option<Vec<(OpenTag<'_>, usize, usize)>>,
        span: Span,
        element: &Tokens<'_>,
    ) -> Option<()> {
        let Some(cells) = cells.filter(|cells| !cells.is_empty()) else {
            return Some(());
        };
        let content = |from: usize, to: usize| element.get(from..to).unwrap_or_default();
        let is_header = cells.iter().all(|(tag, ..)| tag.is("th"));
        if std::mem::replace(&mut self.first_row, false) {
            if is_header {
                for (tag, from, to) in &cells {
                    let column = self.column(tag, content(*from, *to));
                    self.table.columns.push(column);
                }
                return Some(());
            }
            if let View::Grid { hide_header } = &mut self.table.view {
                *hide_header = true;
            }
        }
        while self.table.columns.len() < cells.len() {
            let column = self.ids.text_column(String::new(), "left");
            self.table.columns.push(column);
        }
        let location = self.html.node(span, ()).span;
        let count = self.table.columns.len();
        if !self.html.state.reserve_cells(count - cells.len()) {
            return None;
        }
        let mut read: Vec<Cell> = Vec::with_capacity(count);
        let columns = self.table.columns.iter().zip(&cells);
        read.extend(columns.map(|(column, (tag, from, to))| {
            self.cell(&column.kind, tag, content(*from, *to), location)
        }));
        read.resize(count, Cell::Empty);
        let id = self.ids.row(span.of(self.html.text));
        self.table.rows.push(Row { id, span: location, cells: read });
        Some(())
    }

    /// Fills the rows before the longest one, so that each has a cell for every column. Returns
    /// `None` if that takes too many cells.
    fn fill(&mut self) -> Option<()> {
        let count = self.table.columns.len();
        for row in &mut self.table.rows {
            if !self.html.state.reserve_cells(count.saturating_sub(row.cells.len())) {
                return None;
            }
            row.cells.resize(count, Cell::Empty);
        }
        Some(())
    }

    fn column(&mut self, tag: &OpenTag<'_>, content: &Tokens<'_>) -> TableColumn {
        let mut title = String::new();
        let mut options = Vec::new();
        let mut in_select = false;
        let mut multiple = tag.has("data-multiple");
        for (token, _) in content {
            match token {
                Token::Open(inner) if inner.is("select") => {
                    in_select = true;
                    multiple |= inner.has("multiple");
                }
                Token::Open(option) if option.is("option") => options.push(SelectOption {
                    value: option.attribute("value").unwrap_or_default().into_owned(),
                    label: option.attribute("label").unwrap_or_default().into_owned(),
                    color: option.attribute("color").unwrap_or_default().into_owned(),
                }),
                Token::Text(text) if !in_select => title.push_str(&markup::unescape(text)),
                _ => {}
            }
        }
        let mut column = self.ids.text_column(title.trim().to_owned(), text_align(tag));
        column.kind = match tag.attribute("data-type").as_deref() {
            Some("number") => ColumnKind::Number,
            Some("checkbox") => ColumnKind::Checkbox,
            Some("rating") => {
                let max = tag.text("data-max").and_then(|max| max.parse().ok()).unwrap_or(5.0);
                ColumnKind::Rating { max }
            }
            Some("content-ref") => ColumnKind::ContentRef,
            Some("files") => ColumnKind::Files,
            Some("image") => ColumnKind::Image,
            Some("users") => ColumnKind::Users { multiple },
            Some("select") => ColumnKind::Select { multiple, options },
            _ if in_select => ColumnKind::Select { multiple, options },
            _ => ColumnKind::Text { align: text_align(tag), vertical: vertical(tag) },
        };
        column.width =
            tag.text("width").and_then(|width| width.parse().ok()).filter(|w: &f64| w.is_finite());
        column.hidden = tag.flag("data-hidden").unwrap_or(false);
        column.role = if tag.has("data-card-target") {
            Some(ColumnRole::Target)
        } else if tag.has("data-card-cover-dark") {
            Some(ColumnRole::CoverDark)
        } else if tag.has("data-card-cover") {
            Some(ColumnRole::Cover)
        } else {
            None
        };
        column
    }

    /// Returns the blocks of a cell: its text, and the code between.
    fn blocks(&self, content: &Tokens<'_>, location: Span) -> Vec<Block> {
        let mut blocks = Vec::new();
        let (mut from, mut at) = (0, 0);
        while let Some((token, span)) = content.get(at) {
            at += 1;
            let Token::Open(tag) = token else { continue };
            if !tag.is("pre") || tag.is_self_closing {
                continue;
            }
            self.text(content.get(from..at - 1).unwrap_or_default(), location, &mut blocks);
            let rest = content.get(at..).unwrap_or_default();
            work::spend(rest.len());
            let is_end = |(token, _): &(Token<'_>, Span)| match token {
                Token::Close(name) => name.eq_ignore_ascii_case("pre"),
                _ => false,
            };
            let end = rest.iter().position(is_end).map_or(content.len(), |end| at + end);
            let last = content.get(end).or_else(|| content.last());
            let whole = Span::new(span.start, last.map_or(span.end, |(_, last)| last.end));
            let inner = content.get(at..end).unwrap_or_default();
            blocks.push(self.html.node(whole, html_code::read(self.html, tag, inner, whole)));
            from = (end + 1).min(content.len());
            at = from;
        }
        self.text(content.get(from..).unwrap_or_default(), location, &mut blocks);
        blocks.shrink_to_fit();
        blocks
    }

    /// Returns the blocks of a cell with blank lines, which separate Markdown from the tags around
    /// it. Returns `None` for a cell without blank lines or with indented text, and for one that
    /// begins with code.
    fn markdown(&self, content: &Tokens<'_>) -> Option<Vec<Block>> {
        /// Number of JSON levels, more than any container takes.
        const LEVELS: usize = 8;
        let ((first, start), (_, end)) = (content.first()?, content.last()?);
        let whole = Span::new(start.start, end.end);
        let text = whole.of(self.html.text);
        work::spend(text.len());
        let is_code = matches!(first, Token::Open(tag) if tag.is("pre"));
        let is_indented = |line: &str| line.starts_with("    ") && !line.trim().is_empty();
        if is_code || !mask::has_blank_line(text) || text.lines().any(is_indented) {
            return None;
        }
        let lead = text.len() - text.trim_start().len();
        let map = self.html.map_from(whole.start + lead);
        let state = self.html.state;
        state.nested(LEVELS, || block::parse(text.trim(), map, state))
    }

    fn text(&self, content: &Tokens<'_>, location: Span, to: &mut Vec<Block>) {
        let is_blank = |(token, _): &(Token<'_>, Span)| match token {
            Token::Text(text) => text.trim().is_empty(),
            _ => false,
        };
        let is_between = !to.is_empty() || content.is_empty();
        if is_between && content.iter().all(is_blank) {
            return;
        }
        let mut inlines =
            InlineBuilder::for_cell(self.html.state, self.html.text, self.html.map_from(0));
        add_tokens(&mut inlines, content);
        to.extend(cell_blocks(inlines.finish_cell(), location));
    }

    /// Gives people the names in the links of a cell. Each reference belongs to the next link.
    fn name_people(&self, references: &mut [Reference], content: &Tokens<'_>) {
        let mut references = references.iter_mut();
        let mut open: Option<(&mut Reference, String)> = None;
        let state = self.html.state;
        let name = |(reference, text): (&mut Reference, String)| {
            *reference = state.named_reference(&reference.raw, reference.span, &text);
        };
        for (token, _) in content {
            match token {
                Token::Open(tag) if tag.is("a") && tag.text("href").is_some() => {
                    open.take().into_iter().for_each(name);
                    open = references.next().map(|reference| (reference, String::new()));
                }
                Token::Open(tag) if tag.is("img") && tag.text("src").is_some() => {
                    references.next();
                }
                Token::Close(closed) if closed.eq_ignore_ascii_case("a") => {
                    open.take().into_iter().for_each(name);
                }
                Token::Text(text) => {
                    if let Some((_, found)) = &mut open {
                        found.push_str(&markup::unescape(text));
                    }
                }
                _ => {}
            }
        }
        open.into_iter().for_each(name);
    }

    fn cell(
        &self,
        kind: &ColumnKind,
        tag: &OpenTag<'_>,
        content: &Tokens<'_>,
        location: Span,
    ) -> Cell {
        let reference = |raw: &str| self.html.state.reference(raw, location);
        let text = || -> String {
            let texts = content.iter().filter_map(|(token, _)| match token {
                Token::Text(text) => Some(markup::unescape(text)),
                _ => None,
            });
            texts.collect::<String>().trim().to_owned()
        };
        let links = || -> Vec<Reference> {
            let targets = content.iter().filter_map(|(token, _)| match token {
                Token::Open(tag) if tag.is("a") => tag.text("href"),
                Token::Open(tag) if tag.is("img") => tag.text("src"),
                _ => None,
            });
            let mut links: Vec<Reference> = targets.map(|raw| reference(&raw)).collect();
            links.shrink_to_fit();
            links
        };
        let not_empty = |cell: Cell, is_empty: bool| if is_empty { Cell::Empty } else { cell };
        let cell = match kind {
            ColumnKind::Text { .. } => {
                let nodes =
                    self.markdown(content).unwrap_or_else(|| self.blocks(content, location));
                let is_empty = nodes.is_empty();
                not_empty(Cell::Text { key: Key::default(), nodes }, is_empty)
            }
            ColumnKind::Number | ColumnKind::Rating { .. } => {
                let number = text().parse::<f64>().ok().filter(|number| number.is_finite());
                number.map_or(Cell::Empty, Cell::Number)
            }
            ColumnKind::Checkbox => match text().as_str() {
                "true" => Cell::Checkbox(true),
                "false" => Cell::Checkbox(false),
                _ => Cell::Empty,
            },
            ColumnKind::Select { .. } => {
                let values: Vec<String> = content
                    .iter()
                    .filter_map(|(token, _)| match token {
                        Token::Open(tag) => tag.text("data-option"),
                        _ => None,
                    })
                    .collect();
                let is_empty = values.is_empty();
                not_empty(Cell::Values(values), is_empty)
            }
            ColumnKind::Files | ColumnKind::Users { .. } => {
                let mut references = links();
                if matches!(kind, ColumnKind::Users { .. }) {
                    self.name_people(&mut references, content);
                }
                let is_empty = references.is_empty();
                not_empty(Cell::References(references), is_empty)
            }
            ColumnKind::ContentRef => match links().into_iter().next() {
                Some(reference) => Cell::Reference(Box::new(reference)),
                None => Cell::Empty,
            },
            ColumnKind::Image => match links().into_iter().next() {
                Some(found) => Cell::Image {
                    reference: Box::new(found),
                    object_fit: tag
                        .text("data-object-fit")
                        .filter(|fit| matches!(fit.as_str(), "contain" | "fill" | "cover")),
                    alt: tag.text("data-alt"),
                },
                None => Cell::Empty,
            },
        };
        if !matches!(cell, Cell::Empty) || matches!(kind, ColumnKind::Text { .. }) {
            return cell;
        }
        let text = text();
        if text.is_empty() { Cell::Empty } else { Cell::Unusable(text) }
    }
}

fn text_align(tag: &OpenTag<'_>) -> &'static str {
    match tag.attribute("align").as_deref() {
        Some("center") => "center",
        Some("right") => "right",
        _ => "left",
    }
}

fn vertical(tag: &OpenTag<'_>) -> Option<&'static str> {
    match tag.attribute("valign").as_deref() {
        Some("top") => Some("top"),
        Some("middle") => Some("middle"),
        Some("bottom") => Some("bottom"),
        _ => None,
    }
}

/// Returns the blocks of a cell: paragraphs, and lists of adjacent items.
pub(super) fn cell_blocks(pieces: Vec<CellPiece>, span: Span) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for piece in pieces {
        let block = paragraph(piece.nodes, span);
        let Some(is_ordered) = piece.item else {
            blocks.push(block);
            continue;
        };
        let item = Node::new(block.span, ListItem { checked: None, nodes: vec![block] });
        let end = item.span.end;
        match blocks.last_mut() {
            Some(Node { kind: BlockKind::OrderedList { items, .. }, span, .. }) if is_ordered => {
                items.push(item);
                span.end = span.end.max(end);
            }
            Some(Node { kind: BlockKind::UnorderedList { items }, span, .. }) if !is_ordered => {
                items.push(item);
                span.end = span.end.max(end);
            }
            _ => {
                let span = item.span;
                let items = vec![item];
                let kind = if is_ordered {
                    BlockKind::OrderedList { start: 1, items }
                } else {
                    BlockKind::UnorderedList { items }
                };
                blocks.push(Node::new(span, kind));
            }
        }
    }
    blocks.shrink_to_fit();
    blocks
}
