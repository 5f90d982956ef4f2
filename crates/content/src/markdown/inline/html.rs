//! Interprets HTML within a line: tags become marks, links or inlines, or stay verbatim.

use super::super::inline_parts::{color, icon, next_shortcode, one_line};
use super::{
    CapturedContent, CapturedElement, CellPiece, Effect, InlineBuilder, LinkKind, Mark,
    NOTE_PREFIX, OpenElement,
};
use crate::document::{InlineImage, InlineKind, Length};
use crate::emoji;
use crate::source::Span;
use crate::syntax::markup::{self, OpenTag, Token};
use crate::work;

/// Maximum length of the fallback content of a frame, in bytes.
const MAX_FALLBACK_BYTES: usize = 4096;
/// Maximum distance in bytes of the end of an element that a sentence does not name.
const MAX_NAMED_BYTES: usize = 256;
/// Maximum number of open elements that are searched for the one that a closing tag ends.
const MAX_SEARCHED_ELEMENTS: usize = 64;

impl InlineBuilder<'_, '_> {
    /// Adds an HTML token. `span` is relative to the builder's source.
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

    /// Adds HTML text. Characters written as entities form neither formulas nor shortcodes.
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

    fn open_tag(&mut self, tag: &OpenTag<'_>, span: Span) {
        let name = tag.name.to_ascii_lowercase();
        let effect = match name.as_str() {
            "strong" | "b" => Effect::Mark(Mark::Bold),
            "em" => Effect::Mark(Mark::Italic),
            "i" => match icon(tag) {
                Some(icon) => {
                    self.push(span, InlineKind::Icon(Box::new(icon)));
                    return self.capture("i", span, CapturedContent::Discarded);
                }
                None => Effect::Mark(Mark::Italic),
            },
            "del" | "s" | "strike" => Effect::Mark(Mark::Strikethrough),
            "code" if tag.has_class("expression") => {
                return self.capture("code", span, CapturedContent::Expression);
            }
            "code" => Effect::Mark(Mark::Code),
            "kbd" => Effect::Mark(Mark::Keyboard),
            "sup" => Effect::Mark(Mark::Superscript),
            "sub" => Effect::Mark(Mark::Subscript),
            "mark" if tag.is_self_closing => Effect::None,
            "mark" => {
                self.colors.push(color(tag));
                Effect::Color
            }
            "br" => return self.hard_break(span),
            "img" => return self.img(tag, span),
            "source" if !tag.has("src") => {
                let is_dark = tag.attribute("media").is_some_and(|media| media.contains("dark"));
                self.dark = tag.text("srcset").filter(|_| is_dark);
                return;
            }
            "span" if tag.attribute("data-tag").as_deref() == Some("emoji") => {
                if let Some(code) = tag.text("data-code") {
                    let code = emoji::characters(&code).map_or(code, |found| emoji::code(&found));
                    self.push(span, InlineKind::Emoji { code });
                    return self.capture("span", span, CapturedContent::Discarded);
                }
                return self.unknown(span);
            }
            "span" if tag.is_bare() => Effect::None,
            "picture" => Effect::None,
            "video" | "audio" | "iframe" if tag.has_fallback() => return self.frame(tag, span),
            "a" | "button" => return self.anchor_tag(tag, name, span),
            name if self.cell.is_some() && is_cell_element(name) => {
                return self.cell_tag(name, true);
            }
            name => return self.other_tag(tag, name, span),
        };
        if !tag.is_self_closing {
            if let Effect::Mark(mark) = effect {
                self.mark(mark);
            }
            self.open.push(OpenElement { name, effect });
        }
    }

    /// Adds the start of an element without an effect. A sentence such as "the `<table>` element"
    /// names the element: its tag is text if it has no attributes, no content beside it, and no end.
    fn other_tag(&mut self, tag: &OpenTag<'_>, name: &str, span: Span) {
        let source = self.source;
        let next = source.as_bytes().get(span.end);
        let has_content = next.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'<');
        let is_named = tag.is_bare()
            && !tag.is_self_closing
            && !has_content
            && markup::is_structure_name(name);
        if !is_named || self.closes_within(MAX_NAMED_BYTES, name, span.end) {
            return self.unknown(span);
        }
        self.leaf(span.of(source), span, false);
    }

    fn anchor_tag(&mut self, tag: &OpenTag<'_>, name: String, span: Span) {
        let href = tag.text("href");
        let id = tag.text("id").or_else(|| tag.text("name"));
        let raw = href.clone().unwrap_or_default();
        if tag.has("data-mention") {
            let reference = self.state.reference(&raw, self.map.span(span));
            self.push(span, InlineKind::Mention(Box::new(reference)));
            return self.capture("a", span, CapturedContent::Discarded);
        }
        let note = raw.strip_prefix(NOTE_PREFIX).filter(|_| tag.has("data-footnote-ref"));
        let (kind, raw) = if let Some(label) = note {
            (LinkKind::Note(label.to_owned()), String::new())
        } else if tag.has_class("button") || name == "button" {
            let action = tag.text("data-action").map(|action| (action, tag.text("data-query")));
            let icon = tag.text("data-icon");
            let raw = if raw.is_empty() { "#".to_owned() } else { raw };
            (LinkKind::Button { primary: tag.has_class("primary"), icon, action }, raw)
        } else if href.is_some() {
            (LinkKind::Link, raw)
        } else if self.is_heading && id.is_some() {
            (LinkKind::Anchor, raw)
        } else {
            // An anchor that serves as a link target.
            return self.unknown(span);
        };
        if self.open_link(kind, raw, id, span.start) {
            self.title_link(&tag.text("title").unwrap_or_default());
            self.open.push(OpenElement { name, effect: Effect::Link });
        } else {
            self.unknown(span);
        }
    }

    fn img(&mut self, tag: &OpenTag<'_>, span: Span) {
        let Some(src) = tag.text("src") else {
            return self.other_tag(tag, "img", span);
        };
        let original = match tag.attribute("data-size").as_deref() {
            Some("line") => Some(false),
            Some("original") => Some(true),
            _ => None,
        };
        let length = |name| Length::parse(&tag.text(name)?);
        let image = InlineImage {
            alt: tag.text("alt"),
            caption: tag.text("title"),
            original_size: original,
            width: length("width"),
            height: length("height"),
            ..self.bare_image(&src, span)
        };
        self.push_image(image, span);
    }

    fn capture(&mut self, name: &'static str, tag: Span, content: CapturedContent) {
        self.captured = Some(CapturedElement { name, start: tag.start, from: tag.end, content });
    }

    /// Adds a frame with external content. Its fallback content is not text for readers.
    fn frame(&mut self, tag: &OpenTag<'_>, span: Span) {
        let name = ["video", "audio"].into_iter().find(|name| tag.is(name)).unwrap_or("iframe");
        if self.closes_within(MAX_FALLBACK_BYTES, name, span.end) {
            self.capture(name, span, CapturedContent::Verbatim);
        } else {
            self.other_tag(tag, name, span);
        }
    }

    /// Returns `true` if the element's closing tag follows within the same text and this many bytes.
    fn closes_within(&self, limit: usize, name: &str, from: usize) -> bool {
        let rest = self.source.as_bytes().get(from..).unwrap_or_default();
        let rest = rest.get(..rest.len().min(limit)).unwrap_or_default();
        work::spend(rest.len());
        let mut ends = memchr::memmem::find_iter(rest, b"</");
        let end = ends.find(|at| {
            let after = rest.get(at + 2..).unwrap_or_default();
            after.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
        });
        let between = end.and_then(|end| rest.get(..end));
        between.is_some_and(|between| {
            let blank = |line: &[u8]| line.iter().all(|b| b.is_ascii_whitespace() || *b == b'>');
            let mut lines = between.split(|byte| *byte == b'\n').skip(1);
            let is_cell = self.cell.is_some();
            lines.all(|line| !blank(line)) && !(is_cell && between.contains(&b'|'))
        })
    }

    fn close_tag(&mut self, name: &str, span: Span) {
        if let Some(captured) = &self.captured {
            if captured.name.eq_ignore_ascii_case(name) {
                let content = Span::new(captured.from, span.start);
                let whole = Span::new(captured.start, span.end);
                let kind = captured.content;
                self.captured = None;
                match kind {
                    CapturedContent::Discarded => self.name_mention(content),
                    CapturedContent::Expression => {
                        let source = content.of(self.source);
                        let expression = markup::unescape(source).trim().to_owned();
                        self.push(content, InlineKind::Expression { expression });
                    }
                    CapturedContent::Verbatim => self.tags(&one_line(whole.of(self.source)), whole),
                }
            }
            return;
        }
        work::spend(self.open.len().min(MAX_SEARCHED_ELEMENTS));
        let matching = self.open.iter().enumerate().rev().take(MAX_SEARCHED_ELEMENTS);
        let found = matching.into_iter().find(|(_, open)| open.name.eq_ignore_ascii_case(name));
        if let Some((index, _)) = found {
            match self.open.remove(index).effect {
                Effect::Mark(mark) => self.unmark(mark),
                Effect::Color => {
                    self.colors.pop();
                }
                Effect::Link => self.end_link(span),
                Effect::None => {}
            }
        } else if self.cell.is_some() && is_cell_element(&name.to_ascii_lowercase()) {
            self.cell_tag(&name.to_ascii_lowercase(), false);
        } else {
            self.unknown(span);
        }
    }

    /// Gives the mention before the end of its element the name in its content.
    fn name_mention(&mut self, content: Span) {
        let Some(InlineKind::Mention(reference)) = self.nodes.last_mut().map(|node| &mut node.kind)
        else {
            return;
        };
        let text = one_line(&markup::readable_text(content.of(self.source))).into_owned();
        **reference = self.state.named_reference(&reference.raw, reference.span, &text);
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

    pub(super) fn end_piece(&mut self) {
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
}

/// Returns `true` if an element of this name begins a piece of a cell.
fn is_cell_element(name: &str) -> bool {
    matches!(name, "p" | "ul" | "ol" | "li" | "div" | "figure" | "figcaption")
}
