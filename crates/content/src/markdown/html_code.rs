//! Parses `<pre><code>` blocks, whose lines may be highlighted and contain notes and expressions.

use super::html_block::HtmlText;
use super::inline::InlineBuilder;
use crate::document::{BlockKind, Code, CodeLine, Inline, InlineKind, Leaf, Node};
use crate::source::Span;
use crate::syntax::markup::{self, OpenTag, Token};

/// Parses the tokens within a `<pre>`.
pub(super) fn read(
    html: &HtmlText<'_, '_>,
    tag: &OpenTag<'_>,
    content: &[(Token<'_>, Span)],
    whole: Span,
) -> BlockKind {
    let mut code = Code {
        syntax: class_name(tag, "language-").or_else(|| class_name(tag, "lang-")),
        title: tag.text("data-title"),
        wrap: tag.text("data-overflow").map(|overflow| overflow == "wrap"),
        line_numbers: tag.flag("data-line-numbers"),
        full_width: tag.flag("data-full-width"),
        expandable: tag.flag("data-expandable"),
        collapsed_line_count: tag.text("data-collapsed-line-count").and_then(|n| n.parse().ok()),
        lines: Vec::new(),
    };
    let start = content.first().map_or(whole.start, |(_, span)| span.start);
    let inlines = InlineBuilder::new(html.state, html.text, html.map_from(0));
    let mut lines = Lines { html, inlines, start, lines: Vec::new() };
    for (index, (token, span)) in content.iter().enumerate() {
        match token {
            Token::Open(tag) if tag.is("code") && !tag.has_class("expression") => {
                if code.syntax.is_none() {
                    code.syntax = class_name(tag, "lang-").or_else(|| class_name(tag, "language-"));
                }
                if lines.lines.is_empty() {
                    lines.start = span.end;
                }
            }
            Token::Close(name)
                if name.eq_ignore_ascii_case("code") && !lines.inlines.is_capturing() =>
            {
                lines.end_of_code(span.start);
            }
            Token::Text(text) => {
                // HTML ignores a line ending directly after the tag.
                let skipped = if index == 0 { text.len() - skip_line_end(text).len() } else { 0 };
                lines.text(text.get(skipped..).unwrap_or_default(), span.start + skipped);
            }
            Token::Open(tag) if tag.is("br") && !lines.inlines.is_inside() => {
                lines.end(span.start, span.end);
            }
            Token::Open(tag) if !is_allowed_in_code(tag) => lines.inlines.markup(*span),
            token => lines.inlines.html(*token, *span),
        }
    }
    code.lines = lines.finish(whole);
    BlockKind::Code(Box::new(code))
}

/// Returns `true` if a line of code may contain the element: a mark, a note or an expression.
fn is_allowed_in_code(tag: &OpenTag<'_>) -> bool {
    const MARKS: [&str; 11] =
        ["strong", "b", "em", "del", "s", "strike", "kbd", "sup", "sub", "mark", "code"];
    MARKS.iter().any(|name| tag.is(name)) || tag.is("a") && tag.has("data-footnote-ref")
}

fn skip_line_end(text: &str) -> &str {
    text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text)
}

fn class_name(tag: &OpenTag<'_>, prefix: &str) -> Option<String> {
    let class = tag.attribute("class")?;
    let name = class.split_whitespace().find_map(|one| one.strip_prefix(prefix))?;
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

struct Lines<'l, 't, 'c> {
    html: &'l HtmlText<'t, 'c>,
    inlines: InlineBuilder<'l, 'c>,
    /// The start of the current line.
    start: usize,
    lines: Vec<Node<CodeLine>>,
}

impl Lines<'_, '_, '_> {
    fn text(&mut self, text: &str, start: usize) {
        let mut at = start;
        for part in text.split_inclusive('\n') {
            let line = part.strip_suffix('\n').unwrap_or(part);
            let bare = line.strip_suffix('\r').filter(|_| line.len() < part.len()).unwrap_or(line);
            // A line ending written as an entity does not end the line here.
            let plain = markup::unescape(bare).replace('\n', " ");
            self.inlines.plain(&plain, Span::new(at, at + bare.len()));
            if line.len() < part.len() {
                if self.inlines.is_inside() {
                    // Notes and expressions have only one line.
                    self.inlines.plain(" ", Span::new(at + bare.len(), at + part.len()));
                } else {
                    self.end(at + bare.len(), at + part.len());
                }
            }
            at += part.len();
        }
    }

    /// Ends the current line before `end`. The next line begins at `next`.
    fn end(&mut self, end: usize, next: usize) {
        let pieces = self.inlines.take();
        let is_bold = self.inlines.is_bold();
        self.push(pieces, is_bold, end);
        self.start = next;
    }

    fn push(&mut self, mut pieces: Vec<Inline>, is_bold: bool, end: usize) {
        let highlighted = if pieces.is_empty() { is_bold } else { unbold(&mut pieces) };
        let line = CodeLine::of(highlighted, pieces);
        self.lines.push(self.html.node(Span::new(self.start, end), line));
    }

    /// Ends the code. Later content is not part of it.
    fn end_of_code(&mut self, end: usize) {
        if !self.inlines.is_inside() {
            let pieces = self.inlines.take();
            if !pieces.is_empty() {
                self.push(pieces, false, end);
            }
            self.start = end;
        }
    }

    fn finish(mut self, whole: Span) -> Vec<Node<CodeLine>> {
        self.inlines.close();
        let pieces = self.inlines.take();
        if !pieces.is_empty() || self.lines.is_empty() {
            let end = whole.end.max(self.start);
            self.push(pieces, false, end);
        }
        self.lines
    }
}

/// Removes the bold mark from a line that is entirely bold, and returns `true` if it was: such a
/// line is highlighted.
fn unbold(pieces: &mut [Inline]) -> bool {
    fn leaves(piece: &mut Inline) -> &mut [Leaf] {
        match &mut piece.kind {
            InlineKind::Text(leaves) => leaves,
            InlineKind::Annotation(annotation) => &mut annotation.leaves,
            _ => &mut [],
        }
    }
    let mut all = pieces.iter_mut().flat_map(|piece| leaves(piece).iter());
    let is_marked = all.by_ref().any(|leaf| leaf.marks.bold) && {
        let mut all = pieces.iter_mut().flat_map(|piece| leaves(piece).iter());
        all.all(|leaf| leaf.marks.bold || leaf.is_markup)
    };
    if is_marked {
        let all = pieces.iter_mut().flat_map(|piece| leaves(piece).iter_mut());
        all.for_each(|leaf| leaf.marks.bold = false);
    }
    is_marked
}
