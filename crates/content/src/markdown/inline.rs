//! Builds the inlines of a line of text from Markdown and from HTML.

mod html;

use std::sync::Arc;

use super::inline_parts::{leaves_of, link_nodes, next_shortcode, one_line};
use super::{Place, Shared, markup};
use crate::document::{
    Annotation, Button, ColorMark, Inline, InlineImage, InlineKind, Leaf, Link, Marks, Node,
    Reference, plain_text,
};
use crate::reference::ContentRef;
use crate::source::{INVALID_BYTE, Span};

/// The prefix that targets of annotated text have.
const NOTE_PREFIX: &str = "#user-content-fn-";

/// A mark that can be switched on several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Bold,
    Italic,
    Strikethrough,
    Code,
    Keyboard,
    Superscript,
    Subscript,
}

const MARKS: usize = 7;

/// What the end of an element undoes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Mark(Mark),
    Color,
    Link,
    Nothing,
}

struct OpenElement {
    name: String,
    effect: Effect,
}

enum Flavor {
    Link,
    Mention,
    Anchor,
    Note(String),
    Button { primary: bool, icon: Option<String>, action: Option<(String, Option<String>)> },
}

struct OpenLink {
    flavor: Flavor,
    raw: String,
    start: usize,
    /// The id that the element gives its place.
    id: Option<String>,
    /// What came before the link.
    before: Vec<Inline>,
}

/// Content of an element that is not read as text.
struct Captured {
    name: &'static str,
    /// Where the element starts.
    start: usize,
    /// Where the content starts.
    from: usize,
    content: Content,
}

/// What becomes of the content of an element that is not read as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// It is regenerated.
    Left,
    Expression,
    /// It stays in the source of the whole element.
    Kept,
}

/// A paragraph or an item of a list in a table's cell.
pub(crate) struct CellPiece {
    pub(crate) nodes: Vec<Inline>,
    /// For an item: whether its list is numbered.
    pub(crate) item: Option<bool>,
}

/// Builds inlines.
pub(crate) struct Inlines<'b, 'c> {
    shared: &'b Shared<'c>,
    source: &'b str,
    place: Place<'b>,
    nodes: Vec<Inline>,
    leaves: Vec<Leaf>,
    leaves_span: Option<Span>,
    counts: [u32; MARKS],
    colors: Vec<ColorMark>,
    open: Vec<OpenElement>,
    link: Option<OpenLink>,
    captured: Option<Captured>,
    /// The end of what was read.
    seen: usize,
    /// Picture for dark surroundings, for the next `<img>`.
    dark: Option<String>,
    /// Whether the line is a heading, whose id an anchor gives.
    is_heading: bool,
    /// The id that an anchor gives the heading.
    pub(crate) anchor: Option<String>,
    /// In a table's cell: what is complete.
    cell: Option<Vec<CellPiece>>,
    list: Option<bool>,
    in_item: bool,
}

impl<'b, 'c> Inlines<'b, 'c> {
    /// A builder for text within `source`, which lies at `place`.
    pub(crate) fn new(shared: &'b Shared<'c>, source: &'b str, place: Place<'b>) -> Self {
        Self {
            shared,
            source,
            place,
            nodes: Vec::new(),
            leaves: Vec::new(),
            leaves_span: None,
            counts: [0; MARKS],
            colors: Vec::new(),
            open: Vec::new(),
            link: None,
            captured: None,
            seen: 0,
            dark: None,
            is_heading: false,
            anchor: None,
            cell: None,
            list: None,
            in_item: false,
        }
    }

    /// A builder for a table's cell, where block elements begin paragraphs.
    pub(crate) fn for_cell(shared: &'b Shared<'c>, source: &'b str, place: Place<'b>) -> Self {
        Self { cell: Some(Vec::new()), ..Self::new(shared, source, place) }
    }

    /// The same for the text of a heading.
    pub(crate) fn for_heading(self) -> Self {
        Self { is_heading: true, ..self }
    }

    fn marks(&self) -> Marks {
        let [bold, italic, strikethrough, code, keyboard, superscript, subscript] =
            self.counts.map(|count| count > 0);
        let color = self.colors.last().copied();
        Marks { bold, italic, code, keyboard, strikethrough, superscript, subscript, color }
    }

    /// Switches a mark on.
    pub(crate) fn mark(&mut self, mark: Mark) {
        if let Some(count) = self.counts.get_mut(mark as usize) {
            *count += 1;
        }
    }

    /// Switches a mark off.
    pub(crate) fn unmark(&mut self, mark: Mark) {
        if let Some(count) = self.counts.get_mut(mark as usize) {
            *count = count.saturating_sub(1);
        }
    }

    /// Text, in which shortcodes of emoji are read.
    pub(crate) fn text(&mut self, text: &str, span: Span) {
        if self.is_captured(span) {
            return;
        }
        let mut rest = text;
        while let Some((before, code, after)) = next_shortcode(rest) {
            self.leaf(before, span, false);
            self.push(span, InlineKind::Emoji { code });
            rest = after;
        }
        self.leaf(rest, span, false);
    }

    /// A line end within the text.
    pub(crate) fn soft_break(&mut self, span: Span) {
        if !self.is_captured(span) {
            self.leaf(" ", span, false);
        }
    }

    /// A line end that readers see.
    pub(crate) fn hard_break(&mut self, span: Span) {
        if !self.is_captured(span) {
            self.leaf("\n", span, false);
        }
    }

    /// A code span.
    pub(crate) fn code(&mut self, text: &str, span: Span) {
        if self.is_captured(span) {
            return;
        }
        self.mark(Mark::Code);
        self.leaf(text, span, false);
        self.unmark(Mark::Code);
    }

    /// A formula.
    pub(crate) fn math(&mut self, formula: &str, span: Span) {
        if !self.is_captured(span) {
            self.push(span, InlineKind::Math { formula: formula.to_owned() });
        }
    }

    /// Whether text here belongs to a captured element.
    fn is_captured(&mut self, span: Span) -> bool {
        self.see(span);
        self.captured.is_some()
    }

    fn see(&mut self, span: Span) {
        self.seen = self.seen.max(span.end);
    }

    fn leaf(&mut self, text: &str, span: Span, is_markup: bool) {
        if text.is_empty() {
            return;
        }
        let marks = self.marks();
        let whole = self.leaves_span.get_or_insert(span);
        whole.end = whole.end.max(span.end);
        let broken = text.contains(['\0', INVALID_BYTE]);
        let cleaned = broken.then(|| text.replace(['\0', INVALID_BYTE], "\u{FFFD}"));
        let text = cleaned.as_deref().unwrap_or(text);
        match self.leaves.last_mut() {
            Some(last) if last.marks == marks && last.is_markup == is_markup => {
                last.text.push_str(text);
            }
            _ => self.leaves.push(Leaf { text: text.to_owned(), marks, is_markup }),
        }
    }

    fn flush(&mut self) {
        let span = self.leaves_span.take().unwrap_or_default();
        if !self.leaves.is_empty() {
            let mut leaves = std::mem::take(&mut self.leaves);
            // What is built stays for as long as the document: no room is kept for more.
            leaves.iter_mut().for_each(|leaf| leaf.text.shrink_to_fit());
            leaves.shrink_to_fit();
            self.nodes.push(Node::new(self.place.span(span), InlineKind::Text(leaves)));
        }
    }

    fn push(&mut self, span: Span, kind: InlineKind) {
        self.flush();
        self.nodes.push(Node::new(self.place.span(span), kind));
    }

    /// The start of a Markdown link.
    pub(crate) fn start_link(&mut self, raw: &str, title: &str, span: Span) {
        let flavor = if title == "mention" { Flavor::Mention } else { Flavor::Link };
        self.open_link(flavor, raw.to_owned(), None, span.start);
    }

    fn open_link(&mut self, flavor: Flavor, raw: String, id: Option<String>, start: usize) -> bool {
        if self.link.is_some() || self.captured.is_some() {
            return false;
        }
        self.flush();
        let before = std::mem::take(&mut self.nodes);
        self.link = Some(OpenLink { flavor, raw, start, id, before });
        true
    }

    /// The end of a link. Without an open one nothing happens.
    pub(crate) fn end_link(&mut self, span: Span) {
        self.see(span);
        let Some(link) = self.link.take() else { return };
        self.flush();
        let nodes = std::mem::replace(&mut self.nodes, link.before);
        if let Some(id) = &link.id
            && nodes.is_empty()
        {
            if self.is_heading {
                self.anchor = link.id;
            } else {
                self.leaf(&place_markup(id), Span::new(link.start, span.end), true);
            }
            return;
        }
        let place = self.place.span(Span::new(link.start, span.end));
        let reference = || match link.raw.as_str() {
            "#" => Reference {
                raw: link.raw.clone(),
                span: place,
                target: ContentRef::Url { url: link.raw.clone() },
            },
            raw => self.shared.reference(raw, place),
        };
        let kind = match link.flavor {
            Flavor::Link => InlineKind::Link(Box::new(Link {
                reference: reference(),
                nodes: link_nodes(nodes),
            })),
            Flavor::Mention => InlineKind::Mention(Box::new(reference())),
            Flavor::Anchor => {
                self.anchor = self.anchor.take().or(link.id);
                self.nodes.extend(nodes);
                return;
            }
            Flavor::Note(label) => {
                self.shared.has_annotations.set(true);
                let leaves = leaves_of(nodes);
                let annotation = Annotation { label, leaves, body: Arc::default() };
                InlineKind::Annotation(Box::new(annotation))
            }
            Flavor::Button { primary, icon, action } => InlineKind::Button(Box::new(Button {
                label: plain_text(&nodes).trim().to_owned(),
                primary,
                icon,
                reference: reference(),
                action,
            })),
        };
        self.nodes.push(Node::new(place, kind));
    }

    /// A reference to a note: it annotates the link before it, or the word before it.
    pub(crate) fn note(&mut self, label: &str, span: Span) {
        if self.is_captured(span) {
            return;
        }
        if self.link.is_some() {
            self.leaf(&format!("[^{label}]"), span, false);
            return;
        }
        self.shared.has_annotations.set(true);
        let label = label.to_owned();
        if self.leaves.is_empty()
            && let Some(Node { kind: InlineKind::Link(link), .. }) = self.nodes.last_mut()
            && link.reference.raw.starts_with(NOTE_PREFIX)
        {
            let leaves = leaves_of(std::mem::take(&mut link.nodes));
            let annotation = Annotation { label, leaves, body: Arc::default() };
            if let Some(last) = self.nodes.last_mut() {
                last.kind = InlineKind::Annotation(Box::new(annotation));
            }
            return;
        }
        // A note behind a tag belongs to no part of the tag.
        let word = self.leaves.last_mut().filter(|leaf| !leaf.is_markup).map(|leaf| {
            let from = leaf.text.rfind(char::is_whitespace).map_or(0, |at| {
                at + leaf.text.get(at..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8)
            });
            Leaf { text: leaf.text.split_off(from), marks: leaf.marks, is_markup: false }
        });
        self.leaves.retain(|leaf| !leaf.text.is_empty());
        let leaves: Vec<Leaf> = word.into_iter().filter(|leaf| !leaf.text.is_empty()).collect();
        let annotation = Annotation { label, leaves, body: Arc::default() };
        self.push(span, InlineKind::Annotation(Box::new(annotation)));
    }

    /// A Markdown picture within text.
    pub(crate) fn image(&mut self, raw: &str, title: &str, alt: &str, span: Span) {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let image = self.picture(raw, span);
        self.push_image(InlineImage { alt: some(alt), caption: some(title), ..image }, span);
    }

    /// A picture of which nothing is said.
    fn picture(&mut self, raw: &str, span: Span) -> InlineImage {
        let place = self.place.span(span);
        InlineImage {
            reference: self.shared.reference(raw, place),
            dark: self.dark.take().map(|dark| self.shared.reference(&dark, place)),
            caption: None,
            alt: None,
            original_size: None,
            width: None,
            height: None,
        }
    }

    fn push_image(&mut self, image: InlineImage, span: Span) {
        if !self.is_captured(span) {
            self.push(span, InlineKind::Image(Box::new(image)));
        }
    }

    /// Text as it is, without shortcodes.
    pub(crate) fn plain(&mut self, text: &str, span: Span) {
        if !self.is_captured(span) {
            self.leaf(text, span, false);
        }
    }

    /// A tag that means nothing here.
    pub(crate) fn markup(&mut self, span: Span) {
        if !self.is_captured(span) {
            self.unknown(span);
        }
    }

    /// Whether what comes belongs to an element that is not read as text, or to a link.
    pub(crate) fn is_inside(&self) -> bool {
        self.captured.is_some() || self.link.is_some()
    }

    /// Whether an element is open whose content is not read as text.
    pub(crate) fn is_capturing(&self) -> bool {
        self.captured.is_some()
    }

    /// Whether text would be bold here.
    pub(crate) fn is_bold(&self) -> bool {
        self.marks().bold
    }

    /// Takes what was built so far, the marks that are open left open.
    pub(crate) fn take(&mut self) -> Vec<Inline> {
        self.flush();
        self.nodes.shrink_to_fit();
        std::mem::take(&mut self.nodes)
    }

    /// Takes inlines that were built elsewhere.
    pub(crate) fn adopt(&mut self, nodes: Vec<Inline>) {
        self.flush();
        self.nodes.extend(nodes);
    }

    fn unknown(&mut self, span: Span) {
        let source = self.source;
        self.tags(span.of(source), span);
    }

    /// Tags that stay as they are.
    fn tags(&mut self, tags: &str, span: Span) {
        for raw in super::frame_targets(tags) {
            let reference = self.shared.reference(&raw, Span::default());
            self.shared.frames.borrow_mut().push(reference);
        }
        self.leaf(tags, span, true);
    }

    /// Everything that was built.
    pub(crate) fn finish(mut self) -> Vec<Inline> {
        self.close();
        self.nodes
    }

    /// The paragraphs and items of a cell.
    pub(crate) fn finish_cell(mut self) -> Vec<CellPiece> {
        self.close();
        self.in_item = false;
        self.end_piece();
        self.cell.take().unwrap_or_default()
    }

    /// Takes what was built so far and whether an anchor was seen.
    pub(crate) fn close(&mut self) {
        let end = self.seen;
        if let Some(captured) = self.captured.take() {
            // Never closed: its text stays readable.
            if captured.content == Content::Kept {
                self.unknown(Span::new(captured.start, captured.from));
            }
            let span = Span::new(captured.from.min(end), end);
            let source = self.source;
            let text = markup::readable_text(span.of(source));
            let paragraph = text.split("\n\n").next().unwrap_or_default().trim().to_owned();
            self.leaf(&one_line(&paragraph), span, false);
        }
        match self.link.take() {
            // A tag that begins nothing stays one.
            Some(OpenLink { flavor: Flavor::Anchor, id: None, before, start, .. })
                if self.nodes.is_empty() && self.leaves.is_empty() =>
            {
                self.nodes = before;
                let source = self.source.get(start..).unwrap_or_default();
                let tag = markup::tokens(source).next().map_or(0, |(_, span)| span.end);
                let span = Span::new(start, start + tag);
                let tag = span.of(self.source);
                self.leaf(tag, span, true);
            }
            link => {
                self.link = link;
                self.end_link(Span::new(end, end));
            }
        }
        self.flush();
        self.nodes.shrink_to_fit();
    }
}

/// An anchor without text, which is a place for links alone.
fn place_markup(id: &str) -> String {
    let mut markup = "<a id=\"".to_owned();
    crate::html::escape(id, &mut markup);
    markup + "\"></a>"
}
