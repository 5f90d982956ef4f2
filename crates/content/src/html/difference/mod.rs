//! Rendering of differences between documents for people. Insertions and deletions are marked, and
//! unchanged blocks away from any change are collapsed. The output contains only elements that this
//! module writes, and is readable without scripts and styles.

mod parts;

use std::fmt::Write as _;

use super::ids::PageIds;
use super::{RenderContext, Renderer};
use crate::diff::{Attribute, Change, Difference, Entry, Part, Run, value_text};
use crate::document::{Block, BlockKind, Document, OpaqueKind, plain_text};

/// Number of unchanged blocks shown beside a change.
const CONTEXT: usize = 2;
/// Number of characters shown of a block at its old position after it was moved.
const PREVIEW_LENGTH: usize = 80;

/// The options for rendering the two sides of a difference.
#[derive(Clone, Copy)]
pub struct DifferenceContext<'r> {
    /// The context of the old document.
    pub before: RenderContext<'r>,
    /// The context of the new document.
    pub after: RenderContext<'r>,
    /// The number of notes on the page before this difference; notes are numbered consecutively.
    pub notes: usize,
    /// Maximum size of the HTML in bytes; at most [`OUTPUT_LIMIT`](super::OUTPUT_LIMIT).
    pub limit: usize,
}

/// A rendered difference.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RenderedDifference {
    /// The HTML of the blocks.
    pub body: String,
    /// The number of notes on the page after this difference.
    pub notes: usize,
}

/// Renders a difference.
#[must_use]
pub fn render_difference(
    difference: &Difference<'_>,
    sides: &DifferenceContext<'_>,
) -> RenderedDifference {
    let Difference { before, after, entries } = difference;
    let mut writer = Writer {
        out: Renderer::new(sides.after, after, sides.notes),
        sides: [(sides.before, before), (sides.after, after)],
        is_before: false,
        other_ids: None,
    };
    writer.out.limit = sides.limit.min(super::OUTPUT_LIMIT);
    writer.blocks(entries, Change::Same);
    writer.out.write_notes();
    writer.out.write_notice();
    let notes = sides.notes + writer.out.notes.len();
    RenderedDifference { body: writer.out.html.body, notes }
}

struct Writer<'r> {
    out: Renderer<'r>,
    /// The context and the document of both sides.
    sides: [(RenderContext<'r>, &'r Document); 2],
    /// `true` if the old side is being rendered.
    is_before: bool,
    /// The link targets of the side that is not being rendered. Collecting them walks the whole
    /// document, so they are kept when the side changes.
    other_ids: Option<PageIds>,
}

/// An item of a list with collapsed entries.
enum Visible<'e, 'd> {
    Entry(&'e Entry<'d>),
    /// Unchanged entries away from any change.
    Collapsed(&'e [Entry<'d>]),
}

/// Collapses unchanged entries, except for `context` entries beside changes. A single entry is not
/// collapsed.
fn collapse_unchanged<'e, 'd>(entries: &'e [Entry<'d>], context: usize) -> Vec<Visible<'e, 'd>> {
    let mut shown = Vec::new();
    let mut from = 0;
    for run in entries.chunk_by(|a, b| a.change == Change::Same && b.change == Change::Same) {
        let is_same = run.first().is_some_and(|entry| entry.change == Change::Same);
        let open_before = if from == 0 { 0 } else { context };
        from += run.len();
        let open_after = if from == entries.len() { 0 } else { context };
        if !is_same || run.len() <= open_before + open_after + 1 {
            shown.extend(run.iter().map(Visible::Entry));
            continue;
        }
        let (first, rest) = run.split_at(open_before);
        let (middle, last) = rest.split_at(rest.len() - open_after);
        shown.extend(first.iter().map(Visible::Entry));
        shown.push(Visible::Collapsed(middle));
        shown.extend(last.iter().map(Visible::Entry));
    }
    shown
}

impl Writer<'_> {
    fn raw(&mut self, html: &str) {
        self.out.raw(html);
    }

    /// Runs `run` for the old or the new side.
    fn with_side(&mut self, is_before: bool, run: impl FnOnce(&mut Self)) {
        if is_before == self.is_before {
            return run(self);
        }
        self.change_side();
        run(self);
        self.change_side();
    }

    fn change_side(&mut self) {
        self.is_before = !self.is_before;
        let [before, after] = self.sides;
        (self.out.context, self.out.document) = if self.is_before { before } else { after };
        std::mem::swap(&mut self.out.ids, &mut self.other_ids);
    }

    fn blocks(&mut self, entries: &[Entry<'_>], within: Change) {
        for shown in collapse_unchanged(entries, CONTEXT) {
            match shown {
                Visible::Entry(entry) => self.entry(entry, within),
                Visible::Collapsed(entries) => {
                    let count = entries.len();
                    let _ = writeln!(
                        self.out.html.body,
                        "<details class=\"unchanged\"><summary>{count} unchanged</summary>"
                    );
                    entries.iter().for_each(|entry| self.entry(entry, within));
                    self.raw("</details>\n");
                }
            }
        }
    }

    /// Renders a block. Marks its change unless the container has the same one.
    fn entry(&mut self, entry: &Entry<'_>, within: Change) {
        if !self.out.begin_node() {
            return;
        }
        let (open, close) = match entry.change {
            Change::MovedAway => return self.moved_away(entry, "p"),
            change if change == within => ("", ""),
            Change::Inserted => ("<ins class=\"block\">\n", "</ins>\n"),
            Change::Deleted => ("<del class=\"block\">\n", "</del>\n"),
            Change::Moved => {
                ("<div class=\"moved\"><p class=\"remark\">Moved here</p>\n", "</div>\n")
            }
            Change::Edited if entry.parts.is_empty() => ("<div class=\"edited\">\n", "</div>\n"),
            // Changes within it are marked there.
            Change::Edited | Change::Same => ("", ""),
        };
        self.raw(open);
        let entry = entry.expanded();
        if entry.change == Change::Deleted {
            self.with_side(true, |writer| writer.block(&entry));
        } else {
            self.block(&entry);
        }
        self.raw(close);
    }

    /// Renders the old position of a moved block.
    fn moved_away(&mut self, entry: &Entry<'_>, element: &str) {
        let text =
            entry.before.map(|part| parts::preview(part, PREVIEW_LENGTH)).unwrap_or_default();
        let _ = write!(self.out.html.body, "<{element} class=\"remark away\">Moved from here: ");
        self.out.text(&text);
        let _ = writeln!(self.out.html.body, "</{element}>");
    }

    fn block(&mut self, entry: &Entry<'_>) {
        let Some(Part::Block(block)) = entry.part() else {
            return;
        };
        match &block.kind {
            BlockKind::Paragraph(paragraph) => {
                self.raw("<p");
                self.out.align(paragraph.align);
                self.raw(">");
                self.runs(&entry.text(), entry.change);
                self.raw("</p>\n");
                self.changed_attributes(entry);
            }
            BlockKind::Heading(heading) => {
                let tag = heading.level.clamp(1, 3) + 2;
                let _ = write!(self.out.html.body, "<h{tag}>");
                self.runs(&entry.text(), entry.change);
                let _ = writeln!(self.out.html.body, "</h{tag}>");
                self.changed_attributes(entry);
            }
            BlockKind::OrderedList { start, .. } => {
                let _ = writeln!(self.out.html.body, "<ol start=\"{start}\">");
                self.items(entry);
                self.raw("</ol>\n");
                self.changed_attributes(entry);
            }
            BlockKind::UnorderedList { .. } | BlockKind::TaskList { .. } => {
                let is_task = matches!(block.kind, BlockKind::TaskList { .. });
                self.raw(if is_task { "<ul class=\"tasks\">\n" } else { "<ul>\n" });
                self.items(entry);
                self.raw("</ul>\n");
                self.changed_attributes(entry);
            }
            BlockKind::Table(_) => self.table(entry),
            BlockKind::Images(_) => self.images(entry),
            BlockKind::Code(_) | BlockKind::Opaque(_) => self.lines(block, entry),
            BlockKind::Math { .. } if entry.change == Change::Edited => self.lines(block, entry),
            _ if entry.parts.is_empty() && !is_container(&block.kind) => self.leaf(entry),
            _ => self.container(block, entry),
        }
    }

    /// Renders a block as a whole; an edited one in both versions.
    fn leaf(&mut self, entry: &Entry<'_>) {
        self.changed_attributes(entry);
        let is_edited = entry.is_edited();
        if let (true, Some(Part::Block(before))) = (is_edited, entry.before) {
            self.raw("<del class=\"block\">\n");
            self.with_side(true, |writer| writer.published_block(before));
            self.raw("</del>\n");
        }
        let shown = if entry.change == Change::Deleted { entry.before } else { entry.part() };
        if let Some(Part::Block(block)) = shown {
            self.raw(if is_edited { "<ins class=\"block\">\n" } else { "" });
            self.published_block(block);
            self.raw(if is_edited { "</ins>\n" } else { "" });
        }
    }

    fn published_block(&mut self, block: &Block) {
        if let BlockKind::ReusableContent(reference) = &block.kind {
            self.raw("<p class=\"label\">Reusable content: ");
            let name = self.out.name(reference);
            self.out.text(&name);
            return self.raw("</p>\n");
        }
        self.out.block(block);
    }

    /// Renders a container.
    fn container(&mut self, block: &Block, entry: &Entry<'_>) {
        let name = match &block.kind {
            BlockKind::Quote { .. } => "Quote".to_owned(),
            BlockKind::Hint(hint) => format!("Hint: {}", hint.style.name()),
            BlockKind::Expandable(_) => "Expandable".to_owned(),
            BlockKind::Tabs { .. } => "Tabs".to_owned(),
            BlockKind::Stepper { .. } => "Steps".to_owned(),
            BlockKind::Columns { .. } => "Columns".to_owned(),
            BlockKind::If { expression, .. } => format!("If {expression}"),
            _ => String::new(),
        };
        let hint = match &block.kind {
            BlockKind::Hint(hint) => format!(" hint-{}", hint.style.name()),
            _ => String::new(),
        };
        let _ = write!(self.out.html.body, "<section class=\"box{hint}\">\n<p class=\"label\">");
        self.out.text(&name);
        self.raw("</p>\n");
        self.changed_attributes(entry);
        if !entry.text().is_empty() {
            self.raw("<p class=\"title\">");
            self.runs(&entry.text(), entry.change);
            self.raw("</p>\n");
        }
        let holds_parts = entry.parts.iter().any(|p| !matches!(p.part(), Some(Part::Block(_))));
        if holds_parts {
            self.parts(entry);
        } else {
            self.blocks(&entry.parts, content_change(entry.change));
        }
        self.raw("</section>\n");
    }

    /// Renders text with its changes marked. A change of the whole text is marked by the caller.
    fn runs(&mut self, runs: &[Run<'_>], within: Change) {
        for run in runs {
            match run.change {
                Change::Deleted if within == Change::Deleted => self.out.inlines(&run.before),
                Change::Inserted if within == Change::Inserted => self.out.inlines(&run.after),
                Change::Inserted => {
                    self.raw("<ins>");
                    self.out.inlines(&run.after);
                    self.raw("</ins>");
                }
                Change::Deleted => {
                    self.raw("<del>");
                    self.with_side(true, |writer| writer.out.inlines(&run.before));
                    self.raw("</del>");
                }
                Change::Edited => self.edited_run(run),
                _ => self.out.inlines(&run.after),
            }
        }
    }

    fn edited_run(&mut self, run: &Run<'_>) {
        self.raw("<span class=\"edited-words\"");
        let labels: Vec<String> =
            run.attributes.iter().map(|attribute| self.describe_change(attribute)).collect();
        if !labels.is_empty() {
            self.out.attribute("title", &labels.join("; "));
        }
        self.raw(">");
        if run.text.is_empty() {
            self.out.inlines(&run.after);
        } else {
            self.runs(&run.text, Change::Edited);
        }
        self.raw("</span>");
        for attribute in run.attributes.iter().filter(|attribute| attribute.name == "ref") {
            self.raw(" <small class=\"about\">");
            self.values(attribute);
            self.raw("</small>");
        }
    }

    fn describe_change(&self, attribute: &Attribute) -> String {
        let [before, after] = self.sides;
        let (old, new) = (
            value_text(&attribute.before, before.0.links),
            value_text(&attribute.after, after.0.links),
        );
        format!("{}: {old} → {new}", attribute.name)
    }

    fn values(&mut self, attribute: &Attribute) {
        let [before, after] = self.sides;
        for (value, links, open, close) in [
            (&attribute.before, before.0.links, "<del>", "</del> "),
            (&attribute.after, after.0.links, "<ins>", "</ins>"),
        ] {
            if !value.is_null() {
                self.raw(open);
                self.out.text(&value_text(value, links));
                self.raw(close);
            }
        }
    }

    /// Renders the changed attributes of a part and the changes to notes in its text.
    fn changed_attributes(&mut self, entry: &Entry<'_>) {
        for attribute in &entry.attributes {
            self.raw("<p class=\"about\"><span>");
            self.out.text(&attribute.name);
            self.raw("</span> ");
            self.values(attribute);
            self.raw("</p>\n");
        }
        for run in entry.runs.iter().filter(|run| !run.parts.is_empty()) {
            self.raw("<section class=\"box\">\n<p class=\"label\">Note</p>\n");
            self.blocks(&run.parts, Change::Edited);
            self.raw("</section>\n");
        }
    }
}

/// Returns the change that applies to all content of a part with this change.
fn content_change(change: Change) -> Change {
    match change {
        Change::Inserted | Change::Deleted | Change::Same => change,
        Change::Edited | Change::Moved | Change::MovedAway => Change::Same,
    }
}

fn is_container(kind: &BlockKind) -> bool {
    matches!(
        kind,
        BlockKind::Quote { .. }
            | BlockKind::Hint(_)
            | BlockKind::Expandable(_)
            | BlockKind::Tabs { .. }
            | BlockKind::Stepper { .. }
            | BlockKind::Columns { .. }
            | BlockKind::If { .. }
    )
}

/// Returns the label for a block that consists of lines.
fn label_of_lines(block: &Block) -> String {
    match &block.kind {
        BlockKind::Code(code) => {
            let labels = [code.title.as_deref(), code.syntax.as_deref()];
            let labels: Vec<&str> = labels.into_iter().flatten().collect();
            if labels.is_empty() { "Code".to_owned() } else { labels.join(" · ") }
        }
        BlockKind::Math { .. } => "Formula".to_owned(),
        BlockKind::Opaque(opaque) if opaque.block == OpaqueKind::Comment => "Comment".to_owned(),
        _ => "Source".to_owned(),
    }
}

/// Returns the alternative text of an image.
fn alt(image: &crate::document::Image) -> String {
    image.alt.clone().unwrap_or_else(|| plain_text(&image.caption))
}
