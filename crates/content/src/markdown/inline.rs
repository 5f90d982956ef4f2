//! Builds the inlines of a line of text from Markdown and from HTML.

use std::sync::Arc;

use super::inline_parts::{color, icon, leaves_of, link_nodes, next_shortcode, one_line};
use super::markup::{self, OpenTag, Token};
use super::{Place, Shared, work};
use crate::document::{
    Annotation, Button, ColorMark, Inline, InlineImage, InlineKind, Leaf, Link, Marks, Node,
    Reference, plain_text,
};
use crate::emoji;
use crate::reference::ContentRef;
use crate::source::{INVALID_BYTE, Span};

/// The prefix that targets of annotated text have.
const NOTE_PREFIX: &str = "#user-content-fn-";
/// So many open elements are searched for the one that a closing tag ends.
const OPEN_WINDOW: usize = 64;

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
    /// Where the content starts.
    from: usize,
    is_expression: bool,
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
    /// The id that an empty anchor gives the line.
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
        if nodes.is_empty() && link.id.is_some() {
            self.anchor = link.id;
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
        let word = self.leaves.last_mut().map(|leaf| {
            let from = leaf.text.rfind(char::is_whitespace).map_or(0, |at| {
                at + leaf.text.get(at..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8)
            });
            Leaf { text: leaf.text.split_off(from), marks: leaf.marks, is_markup: leaf.is_markup }
        });
        self.leaves.retain(|leaf| !leaf.text.is_empty());
        let leaves: Vec<Leaf> = word.into_iter().filter(|leaf| !leaf.text.is_empty()).collect();
        let annotation = Annotation { label, leaves, body: Arc::default() };
        self.push(span, InlineKind::Annotation(Box::new(annotation)));
    }

    /// A Markdown picture within text.
    pub(crate) fn image(&mut self, raw: &str, title: &str, alt: &str, span: Span) {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        self.push_image(raw, some(alt), some(title), None, span);
    }

    fn push_image(
        &mut self,
        raw: &str,
        alt: Option<String>,
        caption: Option<String>,
        original_size: Option<bool>,
        span: Span,
    ) {
        if self.is_captured(span) {
            return;
        }
        let place = self.place.span(span);
        let dark = self.dark.take().map(|dark| self.shared.reference(&dark, place));
        let reference = self.shared.reference(raw, place);
        let image = InlineImage { reference, dark, caption, alt, original_size };
        self.push(span, InlineKind::Image(Box::new(image)));
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

    /// HTML tokens, with places relative to the builder's source.
    pub(crate) fn html(&mut self, token: Token<'_>, span: Span) {
        self.see(span);
        match token {
            Token::Open(tag) => {
                if self.captured.is_none() {
                    self.open_tag(&tag, span);
                }
            }
            Token::Close(name) => self.close_tag(name, span),
            Token::Text(text) => self.html_text(text, span),
            Token::Comment if self.captured.is_none() => self.unknown(span),
            Token::Comment => {}
        }
    }

    /// Text of HTML. What is written as an entity is neither a formula nor a shortcode.
    fn html_text(&mut self, text: &str, span: Span) {
        if self.captured.is_some() {
            return;
        }
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("$$") {
            let Some((formula, after)) =
                after.split_once("$$").filter(|(formula, _)| !formula.trim().is_empty())
            else {
                break;
            };
            self.html_words(before, span);
            self.math(&markup::unescape(formula), span);
            rest = after;
        }
        self.html_words(rest, span);
    }

    fn html_words(&mut self, text: &str, span: Span) {
        let mut rest = text;
        while let Some((before, code, after)) = next_shortcode(rest) {
            self.leaf(&one_line(&markup::unescape(before)), span, false);
            self.push(span, InlineKind::Emoji { code });
            rest = after;
        }
        self.leaf(&one_line(&markup::unescape(rest)), span, false);
    }

    /// Takes inlines that were built elsewhere.
    pub(crate) fn adopt(&mut self, nodes: Vec<Inline>) {
        self.flush();
        self.nodes.extend(nodes);
    }

    fn open_tag(&mut self, tag: &OpenTag<'_>, span: Span) {
        let name = tag.name.to_ascii_lowercase();
        let effect = match name.as_str() {
            "strong" | "b" => Effect::Mark(Mark::Bold),
            "em" => Effect::Mark(Mark::Italic),
            "i" => match icon(tag) {
                Some(icon) => {
                    self.push(span, InlineKind::Icon(Box::new(icon)));
                    return self.capture("i", span.end, false);
                }
                None => Effect::Mark(Mark::Italic),
            },
            "del" | "s" | "strike" => Effect::Mark(Mark::Strikethrough),
            "code" if tag.has_class("expression") => return self.capture("code", span.end, true),
            "code" => Effect::Mark(Mark::Code),
            "kbd" => Effect::Mark(Mark::Keyboard),
            "sup" => Effect::Mark(Mark::Superscript),
            "sub" => Effect::Mark(Mark::Subscript),
            "mark" => {
                self.colors.push(color(tag));
                Effect::Color
            }
            "br" => return self.hard_break(span),
            "img" => return self.img(tag, span),
            "source" => {
                let is_dark = tag.attribute("media").is_some_and(|media| media.contains("dark"));
                self.dark = tag.text("srcset").filter(|_| is_dark);
                return;
            }
            "span" if tag.attribute("data-tag").as_deref() == Some("emoji") => {
                if let Some(code) = tag.text("data-code") {
                    let code = emoji::characters(&code).map_or(code, |found| emoji::code(&found));
                    self.push(span, InlineKind::Emoji { code });
                    return self.capture("span", span.end, false);
                }
                Effect::Nothing
            }
            "span" | "picture" | "u" | "font" | "center" | "small" | "big" => Effect::Nothing,
            "a" | "button" => return self.anchor_tag(tag, name, span),
            name if self.cell.is_some() && is_cell_element(name) => {
                return self.cell_tag(name, true);
            }
            _ => return self.unknown(span),
        };
        if let Effect::Mark(mark) = effect {
            self.mark(mark);
        }
        if !tag.closes_itself {
            self.open.push(OpenElement { name, effect });
        }
    }

    fn anchor_tag(&mut self, tag: &OpenTag<'_>, name: String, span: Span) {
        let href = tag.text("href");
        let id = tag.text("id").or_else(|| tag.text("name"));
        let raw = href.clone().unwrap_or_default();
        if tag.has("data-mention") {
            let reference = self.shared.reference(&raw, self.place.span(span));
            self.push(span, InlineKind::Mention(Box::new(reference)));
            return self.capture("a", span.end, false);
        }
        let note = raw.strip_prefix(NOTE_PREFIX).filter(|_| tag.has("data-footnote-ref"));
        let (flavor, raw) = if let Some(label) = note {
            (Flavor::Note(label.to_owned()), String::new())
        } else if tag.has_class("button") || name == "button" {
            let action = tag.text("data-action").map(|action| (action, tag.text("data-query")));
            let icon = tag.text("data-icon");
            let raw = if raw.is_empty() { "#".to_owned() } else { raw };
            (Flavor::Button { primary: tag.has_class("primary"), icon, action }, raw)
        } else if href.is_some() {
            (Flavor::Link, raw)
        } else {
            (Flavor::Anchor, raw)
        };
        if self.open_link(flavor, raw, id, span.start) {
            self.open.push(OpenElement { name, effect: Effect::Link });
        } else {
            self.unknown(span);
        }
    }

    fn img(&mut self, tag: &OpenTag<'_>, span: Span) {
        let Some(src) = tag.text("src") else {
            return self.unknown(span);
        };
        let original = match tag.attribute("data-size").as_deref() {
            Some("line") => Some(false),
            Some("original") => Some(true),
            _ => None,
        };
        self.push_image(&src, tag.text("alt"), tag.text("title"), original, span);
    }

    fn capture(&mut self, name: &'static str, from: usize, is_expression: bool) {
        self.captured = Some(Captured { name, from, is_expression });
    }

    fn close_tag(&mut self, name: &str, span: Span) {
        if let Some(captured) = &self.captured {
            if captured.name.eq_ignore_ascii_case(name) {
                let content = Span::new(captured.from, span.start);
                let is_expression = captured.is_expression;
                self.captured = None;
                if is_expression {
                    let expression = markup::unescape(content.of(self.source)).trim().to_owned();
                    self.push(content, InlineKind::Expression { expression });
                }
            }
            return;
        }
        work::spend(self.open.len().min(OPEN_WINDOW));
        let matching = self.open.iter().enumerate().rev().take(OPEN_WINDOW);
        let found = matching.into_iter().find(|(_, open)| open.name.eq_ignore_ascii_case(name));
        if let Some((index, _)) = found {
            match self.open.remove(index).effect {
                Effect::Mark(mark) => self.unmark(mark),
                Effect::Color => {
                    self.colors.pop();
                }
                Effect::Link => self.end_link(span),
                Effect::Nothing => {}
            }
        } else if self.cell.is_some() && is_cell_element(&name.to_ascii_lowercase()) {
            self.cell_tag(&name.to_ascii_lowercase(), false);
        } else {
            self.unknown(span);
        }
    }

    fn cell_tag(&mut self, name: &str, opens: bool) {
        match name {
            "p" | "div" | "figure" | "figcaption" => self.end_piece(),
            "ul" | "ol" => {
                self.end_piece();
                self.list = opens.then_some(name == "ol");
            }
            "li" => {
                self.end_piece();
                self.in_item = opens;
            }
            _ => {}
        }
    }

    fn end_piece(&mut self) {
        self.flush();
        let item = if self.in_item { Some(self.list.unwrap_or(false)) } else { None };
        if self.link.is_none() && !self.nodes.is_empty() {
            let mut nodes = std::mem::take(&mut self.nodes);
            nodes.shrink_to_fit();
            if let Some(pieces) = self.cell.as_mut() {
                pieces.push(CellPiece { nodes, item });
            }
        }
    }

    fn unknown(&mut self, span: Span) {
        let source = self.source;
        self.leaf(span.of(source), span, true);
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
            let span = Span::new(captured.from.min(end), end);
            let source = self.source;
            let text = markup::readable_text(span.of(source));
            let paragraph = text.split("\n\n").next().unwrap_or_default().trim().to_owned();
            self.leaf(&one_line(&paragraph), span, false);
        }
        if self.link.is_some() {
            self.end_link(Span::new(end, end));
        }
        self.flush();
        self.nodes.shrink_to_fit();
    }
}

/// Whether an element of this name begins a piece of a cell.
fn is_cell_element(name: &str) -> bool {
    matches!(name, "p" | "ul" | "ol" | "li" | "div" | "figure" | "figcaption")
}
