//! Rendering of parts of blocks: items, tabs, lines, images, rows and cells.

use std::fmt::Write as _;

use super::super::media::ImageStyle;
use super::{Visible, Writer, alt, collapse_unchanged, content_change, label_of_lines};
use crate::diff::{Change, Entry, Part};
use crate::document::{Block, BlockKind, Cell, Image};

/// Number of unchanged lines, rows and items shown beside a change.
const CONTEXT: usize = 3;

/// Returns the first characters of a part's text.
pub(super) fn preview(part: Part<'_>, most: usize) -> String {
    let mut text = part.words();
    if let Some((end, _)) = text.char_indices().nth(most) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Returns the elements that mark an inserted or deleted part.
fn change_tags(change: Change) -> (&'static str, &'static str) {
    match change {
        Change::Inserted => ("<ins class=\"block\">", "</ins>"),
        Change::Deleted => ("<del class=\"block\">", "</del>"),
        _ => ("", ""),
    }
}

fn class(change: Change) -> &'static str {
    match change {
        Change::Inserted => " class=\"inserted\"",
        Change::Deleted => " class=\"deleted\"",
        Change::Moved => " class=\"moved\"",
        Change::Edited | Change::Same | Change::MovedAway => "",
    }
}

impl Writer<'_> {
    /// Renders the items of a list.
    pub(super) fn items(&mut self, list: &Entry<'_>) {
        for shown in collapse_unchanged(&list.parts, CONTEXT) {
            let entry = match shown {
                Visible::Collapsed(entries) => {
                    let count = entries.len();
                    let _ =
                        writeln!(self.out.html.body, "<li class=\"folded\">{count} unchanged</li>");
                    continue;
                }
                Visible::Entry(entry) if entry.change == Change::MovedAway => {
                    self.moved_away(entry, "li");
                    continue;
                }
                Visible::Entry(entry) => entry.expanded(),
            };
            self.raw("<li>");
            if let Some(Part::Item(item)) = entry.part()
                && let Some(checked) = item.kind.checked
            {
                self.raw("<input type=\"checkbox\" disabled aria-label=\"Done\"");
                self.raw(if checked { " checked> " } else { "> " });
            }
            self.part_content(&entry, list.change);
            self.raw("</li>\n");
        }
    }

    /// Renders tabs, steps and columns.
    pub(super) fn parts(&mut self, holder: &Entry<'_>) {
        for (index, entry) in holder.parts.iter().enumerate() {
            if entry.change == Change::MovedAway {
                self.moved_away(entry, "p");
                continue;
            }
            let entry = entry.expanded();
            let name = match entry.part() {
                Some(Part::Tab(_)) => "Tab",
                Some(Part::Step(_)) => "Step",
                _ => "Column",
            };
            let _ = writeln!(
                self.out.html.body,
                "<section class=\"part\">\n<p class=\"label\">{name} {}</p>",
                index + 1
            );
            if !entry.text().is_empty() {
                self.raw("<p class=\"title\">");
                self.runs(&entry.text(), content_change(holder.change));
                self.raw("</p>\n");
            }
            self.part_content(&entry, holder.change);
            self.raw("</section>\n");
        }
    }

    /// Renders the content of an item, tab, step or column.
    fn part_content(&mut self, entry: &Entry<'_>, holder: Change) {
        let (open, close) =
            if entry.change == holder { ("", "") } else { change_tags(entry.change) };
        self.raw(open);
        if entry.change == Change::Moved {
            self.raw("<p class=\"remark\">Moved here</p>\n");
        }
        self.changed_attributes(entry);
        let is_before = entry.change == Change::Deleted;
        self.with_side(is_before, |writer| {
            writer.blocks(&entry.parts, content_change(entry.change))
        });
        self.raw(close);
    }

    /// Renders the lines of code, of a formula or of opaque source.
    pub(super) fn lines(&mut self, block: &Block, entry: &Entry<'_>) {
        self.raw("<figure class=\"code\"><figcaption>");
        self.out.text(&label_of_lines(block));
        self.raw("</figcaption>");
        self.changed_attributes(entry);
        self.raw("<pre tabindex=\"0\"><code>");
        for shown in collapse_unchanged(&entry.parts, CONTEXT) {
            let line = match shown {
                Visible::Collapsed(lines) => {
                    let count = lines.len();
                    let _ = writeln!(
                        self.out.html.body,
                        "<span class=\"line folded\">⋯ {count} unchanged</span>"
                    );
                    continue;
                }
                Visible::Entry(line) => line.expanded(),
            };
            let element = match line.change {
                change if change == entry.change => "span",
                Change::Inserted => "ins",
                Change::Deleted => "del",
                _ => "span",
            };
            let _ = write!(self.out.html.body, "<{element} class=\"line\">");
            self.runs(&line.text(), line.change);
            let _ = writeln!(self.out.html.body, "</{element}>");
        }
        self.raw("</code></pre></figure>\n");
    }

    pub(super) fn images(&mut self, images: &Entry<'_>) {
        self.changed_attributes(images);
        for entry in &images.parts {
            let entry = entry.expanded();
            let (open, close) =
                if entry.change == images.change { ("", "") } else { change_tags(entry.change) };
            self.raw(open);
            self.raw("<figure class=\"image\">");
            let is_other = entry.attributes.iter().any(|attribute| attribute.name.contains("ref"));
            if let (true, Some(Part::Image(before))) = (is_other, entry.before) {
                self.raw("<del class=\"block\">");
                self.with_side(true, |writer| writer.image_element(&before.kind));
                self.raw("</del>");
            }
            if let Some(Part::Image(image)) = entry.part() {
                self.raw(if is_other { "<ins class=\"block\">" } else { "" });
                let is_before = entry.change == Change::Deleted;
                self.with_side(is_before, |writer| writer.image_element(&image.kind));
                self.raw(if is_other { "</ins>" } else { "" });
            }
            if !entry.text().is_empty() {
                self.raw("<figcaption>");
                self.runs(&entry.text(), entry.change);
                self.raw("</figcaption>");
            }
            self.changed_attributes(&entry);
            self.raw("</figure>\n");
            self.raw(close);
        }
    }

    fn image_element(&mut self, image: &Image) {
        self.out.image_element(
            &image.reference,
            image.dark.as_ref(),
            &alt(image),
            ImageStyle::default(),
        );
    }

    pub(super) fn table(&mut self, table: &Entry<'_>) {
        self.changed_attributes(table);
        let is_column = |entry: &&Entry<'_>| matches!(entry.part(), Some(Part::TableColumn(_)));
        let count = table.parts.iter().take_while(is_column).count();
        let (columns, rows) = table.parts.split_at(count);
        self.raw("<div class=\"table\" role=\"group\" tabindex=\"0\"");
        self.out.attribute("aria-label", self.out.labels().table);
        self.raw("><table><thead><tr>");
        for column in columns {
            let column = column.expanded();
            self.raw("<th scope=\"col\"");
            self.raw(if column.change == table.change { "" } else { class(column.change) });
            self.raw(">");
            self.runs(&column.text(), content_change(table.change));
            self.raw("</th>");
        }
        self.raw("</tr></thead><tbody>\n");
        for shown in collapse_unchanged(rows, CONTEXT) {
            match shown {
                Visible::Collapsed(rows) => {
                    let _ = writeln!(
                        self.out.html.body,
                        "<tr class=\"folded\"><td colspan=\"{}\">{} unchanged</td></tr>",
                        count.max(1),
                        rows.len()
                    );
                }
                Visible::Entry(row) if row.change == Change::MovedAway => {
                    let _ = write!(self.out.html.body, "<tr><td colspan=\"{}\">", count.max(1));
                    self.moved_away(row, "span");
                    self.raw("</td></tr>\n");
                }
                Visible::Entry(row) => self.row(&row.expanded(), columns, table.change),
            }
        }
        self.raw("</tbody></table></div>\n");
        for column in columns.iter().filter(|column| !column.attributes.is_empty()) {
            self.changed_attributes(column);
        }
    }

    fn row(&mut self, row: &Entry<'_>, columns: &[Entry<'_>], table: Change) {
        self.raw("<tr");
        self.raw(if row.change == table { "" } else { class(row.change) });
        self.raw(">");
        let mut cells = row.parts.iter().peekable();
        for column in columns {
            let is_of = |part: Option<Part<'_>>, column: Option<Part<'_>>| match (part, column) {
                (Some(Part::Cell(_, of)), Some(Part::TableColumn(column))) => {
                    std::ptr::eq(of, column)
                }
                _ => false,
            };
            let cell = cells.next_if(|cell| {
                is_of(cell.after, column.after) || is_of(cell.before, column.before)
            });
            let Some(cell) = cell else {
                self.raw("<td></td>");
                continue;
            };
            self.raw("<td");
            self.raw(if cell.change == row.change { "" } else { class(cell.change) });
            self.raw(">");
            let is_whole = matches!(row.change, Change::Inserted | Change::Deleted);
            let around = if is_whole && row.change != table { row.change } else { Change::Same };
            let (open, close) = match (around, cell.change) {
                (Change::Inserted, _) | (_, Change::Inserted) => ("<ins>", "</ins>"),
                (Change::Deleted, _) | (_, Change::Deleted) => ("<del>", "</del>"),
                _ => ("", ""),
            };
            let is_before = cell.change == Change::Deleted;
            self.raw(if table == cell.change { "" } else { open });
            self.with_side(is_before, |writer| writer.cell(cell));
            self.raw(if table == cell.change { "" } else { close });
            self.raw("</td>");
        }
        self.raw("</tr>\n");
    }

    fn cell(&mut self, cell: &Entry<'_>) {
        let cell = cell.expanded();
        let is_edited = cell.change == Change::Edited;
        let value = |part: Option<Part<'_>>| matches!(part, Some(Part::Cell(found, _)) if !matches!(found, Cell::Text { .. } | Cell::Empty));
        if is_edited && value(cell.before) {
            self.raw("<del>");
            self.with_side(true, |writer| writer.value(cell.before));
            self.raw("</del> ");
        }
        if value(cell.part()) {
            self.raw(if is_edited { "<ins>" } else { "" });
            self.value(cell.part());
            self.raw(if is_edited { "</ins>" } else { "" });
        }
        match cell.parts.as_slice() {
            [only] if is_paragraph(only.part()) && only.attributes.is_empty() => {
                let only = only.expanded();
                let within = if only.change == cell.change { only.change } else { Change::Same };
                self.runs(&only.text(), within);
            }
            parts => self.blocks(parts, content_change(cell.change)),
        }
    }

    fn value(&mut self, part: Option<Part<'_>>) {
        if let Some(Part::Cell(cell, column)) = part {
            self.out.cell(column, cell);
        }
    }
}

fn is_paragraph(part: Option<Part<'_>>) -> bool {
    matches!(part, Some(Part::Block(block)) if matches!(block.kind, BlockKind::Paragraph(_)))
}
