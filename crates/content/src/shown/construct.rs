//! Finds the link or the image around a target.

use std::borrow::Cow;

use crate::rebase::{bracketed_text, enclosed_span};
use crate::reference::{ScannedTarget, Syntax};
use crate::source::Span;
use crate::syntax::markup::{self, OpenTag, Token};

/// Maximum distance in bytes between a target and the ends of its element.
const WINDOW: usize = 4096;

/// A link or an image in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Construct {
    /// The link from its first mark to its last one.
    pub(super) span: Span,
    /// The text of the link, or the alternative text of a Markdown image.
    pub(super) label: Span,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Link,
    MarkdownImage,
    ImageElement,
    /// The variant of an image for dark mode.
    Variant,
}

impl Construct {
    /// Returns the link or the image with this target; `None` if it is another element, or if its
    /// ends are not found.
    pub(super) fn at(source: &str, place: &ScannedTarget<'_>) -> Option<Self> {
        match place.syntax {
            Syntax::Link { .. } => Self::markdown(source, place),
            Syntax::Attribute { .. } => Self::element(source, place),
            Syntax::Definition { .. } | Syntax::Tag { .. } => None,
        }
    }

    fn markdown(source: &str, place: &ScannedTarget<'_>) -> Option<Self> {
        let label = bracketed_text(source, place)?;
        let open = label.start.checked_sub(1)?;
        let is_image = source.get(..open)?.ends_with('!');
        let from = enclosed_span(place).end;
        let rest = source.get(from..)?;
        let after = rest.trim_start();
        let close = match after.chars().next()? {
            ')' => 0,
            quote @ ('"' | '\'' | '(') => {
                let quote = if quote == '(' { ')' } else { quote };
                let title = after.get(1..)?;
                let mut is_escaped = false;
                let end = title.bytes().take(WINDOW).position(|byte| {
                    let ends = !is_escaped && char::from(byte) == quote;
                    is_escaped = byte == b'\\' && !is_escaped;
                    ends
                })?;
                let tail = title.get(end + 1..)?;
                let spaces = tail.len() - tail.trim_start().len();
                tail.trim_start().starts_with(')').then_some(1 + end + 1 + spaces)?
            }
            _ => return None,
        };
        let end = from + (rest.len() - after.len()) + close + 1;
        let (start, kind) =
            if is_image { (open - 1, Kind::MarkdownImage) } else { (open, Kind::Link) };
        Some(Self { span: Span::new(start, end), label, kind })
    }

    fn element(source: &str, place: &ScannedTarget<'_>) -> Option<Self> {
        let before = source.get(..place.span.start)?;
        let near = before.len() - before.len().min(WINDOW);
        let start = memchr::memrchr(b'<', before.as_bytes().get(near..)?)? + near;
        let (token, length) = markup::tag_at(source.get(start..)?)?;
        let Token::Open(tag) = token else { return None };
        let open = Span::new(start, start + length);
        if !open.contains(place.span) {
            return None;
        }
        let kind = match tag.name.to_ascii_lowercase().as_str() {
            "img" => Kind::ImageElement,
            "source" if tag.has("srcset") => Kind::Variant,
            "a" => Kind::Link,
            _ => return None,
        };
        if kind != Kind::Link {
            return Some(Self { span: open, label: Span::new(open.end, open.end), kind });
        }
        let rest = source.get(open.end..)?;
        let rest = rest.get(..rest.floor_char_boundary(WINDOW))?;
        let close = find_end(rest)?;
        let label = Span::new(open.end, open.end + close);
        let end = label.end + rest.get(close..)?.find('>')? + 1;
        Some(Self { span: Span::new(start, end), label, kind })
    }

    pub(super) fn is_image(&self) -> bool {
        self.kind != Kind::Link
    }

    pub(super) fn is_variant(&self) -> bool {
        self.kind == Kind::Variant
    }

    fn tag<'s>(&self, source: &'s str) -> Option<OpenTag<'s>> {
        match markup::tag_at(self.span.of(source))? {
            (Token::Open(tag), _) => Some(tag),
            _ => None,
        }
    }

    /// Returns the alternative text of an image, if it has one.
    pub(super) fn alt(&self, source: &str) -> Option<String> {
        let alt = match self.kind {
            Kind::MarkdownImage => crate::page::plain_text(self.label.of(source)),
            _ => self.tag(source)?.attribute("alt").map(Cow::into_owned)?,
        };
        (!alt.trim().is_empty()).then_some(alt)
    }

    /// Returns `true` if an image is followed by a caption with this text.
    pub(super) fn is_captioned(&self, source: &str, alt: &str) -> bool {
        let rest = source.get(self.span.end..).unwrap_or_default();
        let rest = rest.get(..rest.floor_char_boundary(WINDOW)).unwrap_or_default();
        let rest = rest.strip_prefix("</picture>").unwrap_or(rest);
        let caption =
            rest.strip_prefix("<figcaption>").and_then(|rest| rest.split_once("</figcap"));
        caption.is_some_and(|(caption, _)| markup::readable_text(caption).trim() == alt.trim())
    }
}

/// Returns the offset of the end tag of a link.
fn find_end(text: &str) -> Option<usize> {
    text.match_indices("</").map(|(at, _)| at).find(|at| {
        let name = text.get(at + 2..).unwrap_or_default();
        let rest = name.strip_prefix(['a', 'A']);
        rest.is_some_and(|rest| rest.trim_start().starts_with('>'))
    })
}
