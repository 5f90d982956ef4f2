//! Rendering of blocks.

use std::fmt::Write as _;

use super::ids::ANCHOR_START;
use super::media::ImageStyle;
use super::{Destination, OutlineEntry, Renderer, math};
use bindery_expression::Expression;

use crate::alert::Alert;
use crate::document::{
    Align, Block, BlockKind, Heading, Hint, HintStyle, Icon, Inline, InlineKind, Key, ListItem,
    Node, Opaque, OpaqueKind, Paragraph, Reference, plain_text,
};

impl Renderer<'_> {
    pub(super) fn blocks(&mut self, nodes: &[Block]) {
        for block in nodes {
            if self.is_full() {
                break;
            }
            self.block(block);
        }
    }

    pub(super) fn block(&mut self, block: &Block) {
        if !self.begin_node() {
            return;
        }
        match &block.kind {
            BlockKind::Paragraph(paragraph) => self.paragraph(paragraph),
            BlockKind::Heading(heading) => self.heading(heading, block.key),
            BlockKind::OrderedList { start, items } => {
                self.raw("<ol");
                if *start != 1 {
                    self.attribute("start", &start.to_string());
                }
                self.raw(">\n");
                self.items(items, "</ol>\n");
            }
            BlockKind::UnorderedList { items } => {
                self.raw("<ul>\n");
                self.items(items, "</ul>\n");
            }
            BlockKind::TaskList { items } => {
                self.raw("<ul class=\"tasks\">\n");
                self.items(items, "</ul>\n");
            }
            BlockKind::Quote { nodes } if let Some(alert) = Alert::of(nodes) => self.alert(&alert),
            BlockKind::Quote { nodes } => {
                self.raw("<blockquote>\n");
                self.blocks(nodes);
                self.raw("</blockquote>\n");
            }
            BlockKind::Hint(hint) => self.hint(hint),
            BlockKind::Code(code) => self.code(code),
            BlockKind::Math { formula } => {
                self.raw("<div class=\"math\">");
                math::push(formula, true, &mut self.html.body);
                self.raw("</div>\n");
            }
            BlockKind::Divider => self.raw("<hr>\n"),
            BlockKind::Images(images) => self.images(images),
            BlockKind::File(file) => self.file(file),
            BlockKind::Drawing(reference) => {
                self.raw("<figure class=\"image\">");
                let alt = reference.name.as_deref().unwrap_or(self.labels().drawing);
                self.image_element(reference, None, alt, ImageStyle::default());
                self.raw("</figure>\n");
            }
            BlockKind::Embed(embed) => self.embed(embed),
            BlockKind::Table(table) => self.table(table),
            BlockKind::Expandable(expandable) => self.expandable(expandable, block.key),
            BlockKind::Tabs { items, full_width } => self.tabs(items, *full_width == Some(true)),
            BlockKind::Stepper { steps } => {
                self.raw("<ol class=\"stepper\">\n");
                for step in steps {
                    self.raw("<li class=\"step\">\n");
                    if let Some(icon) = &step.kind.icon {
                        self.raw("<span class=\"step-icon\">");
                        self.icon(&Icon { icon: icon.clone(), color: None });
                        self.raw("</span>\n");
                    }
                    self.blocks(&step.kind.nodes);
                    self.raw("</li>\n");
                }
                self.raw("</ol>\n");
            }
            BlockKind::Columns { columns, full_width } => {
                self.columns(columns, *full_width == Some(true));
            }
            BlockKind::ContentRef(reference) => {
                let name = self.name(reference);
                self.open_link(reference, Some("content-ref"));
                self.text(&name);
                self.close_link(reference);
                self.raw("\n");
            }
            BlockKind::ReusableContent(reference) => self.reusable_content(reference),
            BlockKind::If { expression, nodes } => {
                self.note_expression(expression);
                if self.context.links.condition(expression) {
                    self.blocks(nodes);
                }
            }
            BlockKind::OpenApi(part) => self.open_api(part, block.key),
            BlockKind::Integration(block) => self.integration(block),
            BlockKind::Opaque(opaque) => self.opaque(opaque),
        }
    }

    pub(super) fn note_expression(&mut self, source: &str) {
        self.html.is_adaptive |=
            Expression::parse(source).is_ok_and(|expression| expression.depends_on_visitor());
    }

    fn opaque(&mut self, opaque: &Opaque) {
        match opaque.block {
            OpaqueKind::Comment => {}
            OpaqueKind::Updates => self.updates(opaque),
            OpaqueKind::Prompt => self.prompt(opaque),
            OpaqueKind::Unknown if self.api_method(opaque) => {}
            OpaqueKind::Unknown if opaque.nodes.is_empty() => self.foreign(opaque),
            OpaqueKind::Unknown => {
                self.raw("<div class=\"opaque\">\n");
                self.blocks(&opaque.nodes);
                self.raw("</div>\n");
            }
        }
    }

    pub(super) fn align(&mut self, align: Option<Align>) {
        if let Some(align @ (Align::Center | Align::End)) = align {
            self.attribute("data-align", align.name());
        }
    }

    fn paragraph(&mut self, paragraph: &Paragraph) {
        let start = self.html.body.len();
        self.raw("<p");
        self.align(paragraph.align);
        self.raw(">");
        let text = self.html.body.len();
        self.inlines(&paragraph.nodes);
        // An intentionally empty paragraph adds space; one with only invisible tags is dropped.
        let has_markup = |node: &Inline| match &node.kind {
            InlineKind::Text(leaves) => leaves.iter().any(|leaf| leaf.is_markup),
            _ => false,
        };
        let written = self.html.body.get(text..).unwrap_or_default();
        if written.trim().is_empty() && paragraph.nodes.iter().any(has_markup) {
            return self.html.body.truncate(start);
        }
        // A paragraph with only link targets is not written as a paragraph.
        if is_only_anchors(written) {
            self.html.body.replace_range(start..text, "");
            return self.end_line();
        }
        self.raw("</p>\n");
    }

    fn heading(&mut self, heading: &Heading, key: Key) {
        let Heading { level, anchor, align, nodes, .. } = heading;
        let text = plain_text(nodes);
        let level = (*level).clamp(1, 3);
        let tag = level + 1;
        let id = self.unique_id(anchor).into_owned();
        if nodes.is_empty() {
            // A heading without text is not written, but links may point to it.
            self.write_aliases(key);
            self.write_anchor(&id);
            return self.raw("\n");
        }
        let _ = write!(self.html.body, "<h{tag}");
        self.attribute("id", &id);
        // Screen readers announce a level that follows the previous heading's, whatever the author
        // chose for its looks.
        let announced = tag.min(self.last_heading + 1);
        if announced < tag {
            let _ = write!(self.html.body, " aria-level=\"{announced}\"");
        }
        self.last_heading = announced;
        self.align(*align);
        self.raw(">");
        self.write_aliases(key);
        self.inlines(nodes);
        self.end_heading(tag, &id);
        let text = text.trim().to_owned();
        if !text.is_empty() {
            self.html.outline.push(OutlineEntry { level, id, text });
        }
    }

    /// Writes a heading with a plain text.
    pub(super) fn titled(&mut self, tag: u8, text: &str, id: &str, key: Key) {
        let _ = write!(self.html.body, "<h{tag}");
        self.attribute("id", id);
        self.last_heading = tag;
        self.raw(">");
        self.write_aliases(key);
        self.text(text);
        self.end_heading(tag, id);
        let (id, text) = (id.to_owned(), text.to_owned());
        self.html.outline.push(OutlineEntry { level: tag.saturating_sub(1), id, text });
    }

    fn end_heading(&mut self, tag: u8, id: &str) {
        self.raw(" <a class=\"anchor\"");
        self.attribute("href", &format!("#{id}"));
        self.attribute("aria-label", self.labels().heading_link);
        // The stylesheet shows the sign, so that texts copied from the page do not contain it.
        self.raw("></a>");
        let _ = writeln!(self.html.body, "</h{tag}>");
    }

    fn items(&mut self, items: &[Node<ListItem>], end: &str) {
        for item in items {
            self.raw("<li>");
            if let Some(checked) = item.kind.checked {
                self.raw("<input type=\"checkbox\" disabled");
                self.attribute("aria-label", self.labels().done);
                self.raw(if checked { " checked> " } else { "> " });
            }
            match item.kind.nodes.as_slice() {
                [Node { kind: BlockKind::Paragraph(paragraph), .. }, rest @ ..]
                    if rest.is_empty() || rest.iter().all(is_list) =>
                {
                    self.inlines(&paragraph.nodes);
                    if !rest.is_empty() {
                        self.end_line();
                    }
                    self.blocks(rest);
                }
                nodes => {
                    self.raw("\n");
                    self.blocks(nodes);
                }
            }
            self.raw("</li>\n");
        }
        self.raw(end);
    }

    /// Ends a line without white space at its end.
    pub(super) fn end_line(&mut self) {
        let end = self.html.body.trim_end_matches([' ', '\t']).len();
        self.html.body.truncate(end);
        self.raw("\n");
    }

    /// Renders a GitHub alert as a hint.
    fn alert(&mut self, alert: &Alert<'_>) {
        self.open_hint(
            alert.style,
            None,
            alert.first().is_some_and(|first| begins_bold(&first.nodes)),
        );
        if let Some(first) = alert.first() {
            self.paragraph(&first);
        }
        self.blocks(alert.rest);
        self.raw("</div></div>\n");
    }

    fn hint(&mut self, hint: &Hint) {
        self.open_hint(hint.style, hint.icon.as_deref(), has_title(&hint.nodes));
        self.blocks(&hint.nodes);
        self.raw("</div></div>\n");
    }

    /// Writes the beginning of a hint up to its content. The name of its style is its title, unless
    /// the content has one of its own.
    fn open_hint(&mut self, style: HintStyle, icon: Option<&str>, has_title: bool) {
        let _ = write!(self.html.body, "<div class=\"hint hint-{}\" role=\"note\"", style.name());
        let labels = self.labels();
        // The colour and the icon express the style only visually.
        let label = match style {
            HintStyle::Info => labels.info,
            HintStyle::Success => labels.success,
            HintStyle::Warning => labels.warning,
            HintStyle::Danger => labels.danger,
        };
        self.attribute("aria-label", label);
        self.raw(">");
        match icon {
            Some(icon) => self.icon(&Icon { icon: icon.to_owned(), color: None }),
            None => self.raw("<div class=\"hint-icon\" aria-hidden=\"true\"></div>"),
        }
        self.raw("<div class=\"hint-body\">\n");
        if !has_title {
            // Screen readers announce the label of the hint.
            self.raw("<p class=\"hint-title\" aria-hidden=\"true\" data-markdown-ignore>");
            self.text(label);
            self.raw("</p>\n");
        }
    }

    /// Returns the URL to which a block-level reference links.
    pub(super) fn href(&self, reference: &Reference) -> Option<String> {
        match self.destination(reference) {
            Destination::Address { href, .. } => Some(href),
            Destination::Broken => None,
        }
    }
}

/// Returns `true` if the content of a hint begins with a title: a heading, or words in bold.
fn has_title(nodes: &[Block]) -> bool {
    match nodes.first().map(|node| &node.kind) {
        Some(BlockKind::Heading(_)) => true,
        Some(BlockKind::Paragraph(paragraph)) => begins_bold(&paragraph.nodes),
        _ => false,
    }
}

/// Returns `true` if the first words are bold. Skips emoji and icons before them.
fn begins_bold(inlines: &[Inline]) -> bool {
    for inline in inlines {
        let InlineKind::Text(leaves) = &inline.kind else {
            match &inline.kind {
                InlineKind::Emoji { .. } | InlineKind::Icon(_) => continue,
                _ => return false,
            }
        };
        if let Some(leaf) = leaves.iter().find(|leaf| !leaf.text.trim().is_empty()) {
            return leaf.marks.bold;
        }
    }
    false
}

/// Returns `true` if the HTML consists only of link targets.
fn is_only_anchors(html: &str) -> bool {
    let mut rest = html.trim();
    while let Some((id, after)) =
        rest.strip_prefix(ANCHOR_START).and_then(|rest| rest.split_once("\"></span>"))
        && !id.contains('<')
    {
        rest = after.trim_start();
    }
    rest.is_empty() && !html.is_empty()
}

fn is_list(block: &Block) -> bool {
    matches!(
        block.kind,
        BlockKind::OrderedList { .. }
            | BlockKind::UnorderedList { .. }
            | BlockKind::TaskList { .. }
    )
}
