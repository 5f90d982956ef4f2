//! Builds inlines from Markdown and HTML.

mod html;

use std::sync::Arc;

use super::inline_parts::{leaves_of, link_nodes, next_shortcode, one_line};
use super::{ParseState, SourceMap};
use crate::document::{
    Annotation, Button, ColorMark, Inline, InlineImage, InlineKind, Leaf, Link, Marks, Node,
    Reference, plain_text,
};
use crate::reference::ContentRef;
use crate::source::{INVALID_BYTE, Span};
use crate::syntax::{self, markup};

/// Prefix of the targets of annotated text.
const NOTE_PREFIX: &str = "#user-content-fn-";

/// A mark that can be nested.
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

/// The effect that ends with an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Mark(Mark),
    Color,
    Link,
    None,
}

struct OpenElement {
    name: String,
    effect: Effect,
}

enum LinkKind {
    Link,
    Mention,
    Anchor,
    Note(String),
    Button { primary: bool, icon: Option<String>, action: Option<(String, Option<String>)> },
}

struct OpenLink {
    kind: LinkKind,
    raw: String,
    /// The title, if specified.
    title: Option<String>,
    start: usize,
    /// The element's id, which makes it a link target.
    id: Option<String>,
    /// The inlines before the link.
    before: Vec<Inline>,
}

/// An open element whose content is not parsed as text.
struct CapturedElement {
    name: &'static str,
    /// The start of the element.
    start: usize,
    /// The start of the content.
    from: usize,
    content: CapturedContent,
}

/// The use of the content of an element that is not parsed as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CapturedContent {
    /// The content is discarded, because it can be generated.
    Discarded,
    Expression,
    /// The content is kept in the source of the whole element.
    Verbatim,
}

/// A paragraph or a list item in a table cell.
pub(crate) struct CellPiece {
    pub(crate) nodes: Vec<Inline>,
    /// For a list item, `true` if its list is ordered.
    pub(crate) item: Option<bool>,
}

/// Builds inlines.
pub(crate) struct InlineBuilder<'b, 'c> {
    state: &'b ParseState<'c>,
    source: &'b str,
    map: SourceMap<'b>,
    nodes: Vec<Inline>,
    leaves: Vec<Leaf>,
    leaves_span: Option<Span>,
    counts: [u32; MARKS],
    colors: Vec<ColorMark>,
    open: Vec<OpenElement>,
    link: Option<OpenLink>,
    captured: Option<CapturedElement>,
    /// The end of the source processed so far.
    seen: usize,
    /// The dark-mode image for the next `<img>`.
    dark: Option<String>,
    /// `true` if the line is a heading, whose id an anchor may specify.
    is_heading: bool,
    /// The heading id that an anchor specifies.
    pub(crate) anchor: Option<String>,
    /// The completed pieces, in a table cell.
    cell: Option<Vec<CellPiece>>,
    list: Option<bool>,
    in_item: bool,
}

impl<'b, 'c> InlineBuilder<'b, 'c> {
    /// Creates a builder for text within `source`, which is located at `place`.
    pub(crate) fn new(state: &'b ParseState<'c>, source: &'b str, map: SourceMap<'b>) -> Self {
        Self {
            state,
            source,
            map,
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

    /// Creates a builder for a table cell, in which block elements begin paragraphs.
    pub(crate) fn for_cell(state: &'b ParseState<'c>, source: &'b str, map: SourceMap<'b>) -> Self {
        Self { cell: Some(Vec::new()), ..Self::new(state, source, map) }
    }

    /// Configures the builder for the text of a heading.
    pub(crate) fn for_heading(self) -> Self {
        Self { is_heading: true, ..self }
    }

    fn marks(&self) -> Marks {
        let [bold, italic, strikethrough, code, keyboard, superscript, subscript] =
            self.counts.map(|count| count > 0);
        let color = self.colors.last().copied();
        Marks { bold, italic, code, keyboard, strikethrough, superscript, subscript, color }
    }

    /// Begins a mark.
    pub(crate) fn mark(&mut self, mark: Mark) {
        if let Some(count) = self.counts.get_mut(mark as usize) {
            *count += 1;
        }
    }

    /// Ends a mark.
    pub(crate) fn unmark(&mut self, mark: Mark) {
        if let Some(count) = self.counts.get_mut(mark as usize) {
            *count = count.saturating_sub(1);
        }
    }

    /// Adds text and replaces emoji shortcodes in it.
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

    /// Adds a soft line break.
    pub(crate) fn soft_break(&mut self, span: Span) {
        if !self.is_captured(span) {
            self.leaf(" ", span, false);
        }
    }

    /// Adds a hard line break.
    pub(crate) fn hard_break(&mut self, span: Span) {
        if !self.is_captured(span) {
            self.leaf("\n", span, false);
        }
    }

    /// Adds a code span.
    pub(crate) fn code(&mut self, text: &str, span: Span) {
        if self.is_captured(span) {
            return;
        }
        self.mark(Mark::Code);
        self.leaf(text, span, false);
        self.unmark(Mark::Code);
    }

    /// Adds a formula.
    pub(crate) fn math(&mut self, formula: &str, span: Span) {
        if !self.is_captured(span) {
            self.push(span, InlineKind::Math { formula: formula.to_owned() });
        }
    }

    /// Returns `true` if text at the current position belongs to a captured element.
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
            // The result lives as long as the document, so unused capacity is released.
            leaves.iter_mut().for_each(|leaf| leaf.text.shrink_to_fit());
            leaves.shrink_to_fit();
            self.nodes.push(Node::new(self.map.span(span), InlineKind::Text(leaves)));
        }
    }

    fn push(&mut self, span: Span, kind: InlineKind) {
        self.flush();
        self.nodes.push(Node::new(self.map.span(span), kind));
    }

    /// Begins a Markdown link.
    pub(crate) fn start_link(&mut self, raw: &str, title: &str, span: Span) {
        let kind = if title == "mention" { LinkKind::Mention } else { LinkKind::Link };
        if self.open_link(kind, raw.to_owned(), None, span.start) {
            self.title_link(title);
        }
    }

    fn open_link(&mut self, kind: LinkKind, raw: String, id: Option<String>, start: usize) -> bool {
        if self.link.is_some() || self.captured.is_some() {
            return false;
        }
        self.flush();
        let before = std::mem::take(&mut self.nodes);
        self.link = Some(OpenLink { kind, raw, title: None, start, id, before });
        true
    }

    /// Sets the title of the open link.
    fn title_link(&mut self, title: &str) {
        if let Some(link) = self.link.as_mut().filter(|_| !title.trim().is_empty()) {
            link.title = Some(one_line(title).into_owned());
        }
    }

    /// Ends a link. Does nothing if no link is open.
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
        let location = self.map.span(Span::new(link.start, span.end));
        let reference = || match link.raw.as_str() {
            "#" => Reference {
                raw: link.raw.clone(),
                span: location,
                target: ContentRef::Url { url: link.raw.clone() },
                name: None,
            },
            raw => self.state.reference(raw, location),
        };
        let kind = match link.kind {
            LinkKind::Link => InlineKind::Link(Box::new(Link {
                reference: titled(reference(), link.title),
                nodes: link_nodes(nodes),
            })),
            LinkKind::Mention => {
                let text = plain_text(&nodes);
                let reference = self.state.named_reference(&link.raw, location, &text);
                InlineKind::Mention(Box::new(reference))
            }
            LinkKind::Anchor => {
                self.anchor = self.anchor.take().or(link.id);
                self.nodes.extend(nodes);
                return;
            }
            LinkKind::Note(label) => {
                self.state.has_annotations.set(true);
                let leaves = leaves_of(nodes);
                let annotation = Annotation { label, leaves, body: Arc::default() };
                InlineKind::Annotation(Box::new(annotation))
            }
            LinkKind::Button { primary, icon, action } => InlineKind::Button(Box::new(Button {
                label: plain_text(&nodes).trim().to_owned(),
                primary,
                icon,
                reference: reference(),
                action,
            })),
        };
        self.nodes.push(Node::new(location, kind));
    }

    /// Adds a reference to a note, which annotates the preceding link or word.
    pub(crate) fn note(&mut self, label: &str, span: Span) {
        if self.is_captured(span) {
            return;
        }
        if self.link.is_some() {
            self.leaf(&format!("[^{label}]"), span, false);
            return;
        }
        self.state.has_annotations.set(true);
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
        // A note after a tag does not annotate a part of the tag.
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

    /// Adds a Markdown image within text.
    pub(crate) fn image(&mut self, raw: &str, title: &str, alt: &str, span: Span) {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let image = self.bare_image(raw, span);
        self.push_image(InlineImage { alt: some(alt), caption: some(title), ..image }, span);
    }

    /// Returns an image without attributes.
    fn bare_image(&mut self, raw: &str, span: Span) -> InlineImage {
        let location = self.map.span(span);
        InlineImage {
            reference: self.state.reference(raw, location),
            dark: self.dark.take().map(|dark| self.state.reference(&dark, location)),
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

    /// Adds text without replacing shortcodes.
    pub(crate) fn plain(&mut self, text: &str, span: Span) {
        if !self.is_captured(span) {
            self.leaf(text, span, false);
        }
    }

    /// Adds a tag that has no meaning here.
    pub(crate) fn markup(&mut self, span: Span) {
        if !self.is_captured(span) {
            self.unknown(span);
        }
    }

    /// Returns `true` if the next content belongs to a captured element or a link.
    pub(crate) fn is_inside(&self) -> bool {
        self.captured.is_some() || self.link.is_some()
    }

    /// Returns `true` if an element is open whose content is not parsed as text.
    pub(crate) fn is_capturing(&self) -> bool {
        self.captured.is_some()
    }

    /// Returns `true` if text would be bold at the current position.
    pub(crate) fn is_bold(&self) -> bool {
        self.marks().bold
    }

    /// Takes the inlines built so far and leaves open marks open.
    pub(crate) fn take(&mut self) -> Vec<Inline> {
        self.flush();
        self.nodes.shrink_to_fit();
        std::mem::take(&mut self.nodes)
    }

    /// Adds inlines that were built elsewhere.
    pub(crate) fn append(&mut self, nodes: Vec<Inline>) {
        self.flush();
        self.nodes.extend(nodes);
    }

    fn unknown(&mut self, span: Span) {
        let source = self.source;
        self.tags(span.of(source), span);
    }

    /// Adds tags verbatim.
    fn tags(&mut self, tags: &str, span: Span) {
        for raw in syntax::frame_targets(tags) {
            let reference = self.state.reference(&raw, Span::default());
            self.state.frames.borrow_mut().push(reference);
        }
        self.leaf(tags, span, true);
    }

    /// Returns all inlines.
    pub(crate) fn finish(mut self) -> Vec<Inline> {
        self.close();
        self.nodes
    }

    /// Returns the paragraphs and list items of a cell.
    pub(crate) fn finish_cell(mut self) -> Vec<CellPiece> {
        self.close();
        self.in_item = false;
        self.end_piece();
        self.cell.take().unwrap_or_default()
    }

    /// Closes all open elements and links.
    pub(crate) fn close(&mut self) {
        let end = self.seen;
        if let Some(captured) = self.captured.take() {
            // The element was not closed, so its text stays readable.
            if captured.content == CapturedContent::Verbatim {
                self.unknown(Span::new(captured.start, captured.from));
            }
            let span = Span::new(captured.from.min(end), end);
            let source = self.source;
            let text = markup::readable_text(span.of(source));
            let paragraph = text.split("\n\n").next().unwrap_or_default().trim().to_owned();
            self.leaf(&one_line(&paragraph), span, false);
        }
        match self.link.take() {
            // An anchor without id and content stays a tag.
            Some(OpenLink { kind: LinkKind::Anchor, id: None, before, start, .. })
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

/// Returns the markup of an anchor without text, which serves as a link target.
fn place_markup(id: &str) -> String {
    let mut markup = "<a id=\"".to_owned();
    markup::escape(id, &mut markup);
    markup + "\"></a>"
}

/// Returns the reference of a link with this title. People have names instead.
fn titled(reference: Reference, title: Option<String>) -> Reference {
    match reference.target {
        ContentRef::User { .. } => reference,
        _ => Reference { name: title, ..reference },
    }
}
