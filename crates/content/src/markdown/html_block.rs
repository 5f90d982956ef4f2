//! Parses HTML blocks, which include lines with block tags and masked formulas.

use std::mem;

use super::block::{self, add_tokens, heading_text, or_empty_paragraph};
use super::containers::{self, Piece};
use super::inline::InlineBuilder;
use super::{ParseState, SourceMap, finish, html_code, html_table};
use crate::document::{
    Align, Block, BlockKind, Heading, Hint, Image, Images, Inline, InlineKind, Leaf, Length, Node,
    Opaque, OpaqueKind, Paragraph, Reference,
};
use crate::source::Span;
use crate::syntax::markup::{self, OpenTag, Token};
use crate::syntax::tag::Tag;
use crate::work;

/// The text of an HTML block and its location.
pub(super) struct HtmlText<'t, 'c> {
    pub(super) text: &'t str,
    /// The location in the text that is being parsed.
    pub(super) local_map: SourceMap<'t>,
    /// The location in the whole text.
    pub(super) map: SourceMap<'t>,
    pub(super) state: &'t ParseState<'c>,
}

impl<'t> HtmlText<'t, '_> {
    fn local(&self, span: Span) -> Span {
        self.local_map.span(span)
    }

    /// Returns the location of the part that begins at offset `at`.
    pub(super) fn map_from(&self, at: usize) -> SourceMap<'t> {
        self.map.inner(at)
    }

    pub(super) fn node<T>(&self, span: Span, kind: T) -> Node<T> {
        Node::new(self.map.span(span), kind)
    }

    fn opaque(&self, span: Span, block: OpaqueKind) -> Piece {
        let source = span.of(self.text).trim_end_matches(['\n', '\r']).to_owned();
        let opaque = match block {
            OpaqueKind::Unknown => self.state.opaque(source, self.map.span(span)),
            block => Opaque { block, source, nodes: Vec::new(), references: Vec::new() },
        };
        Piece::Block(self.node(span, BlockKind::Opaque(Box::new(opaque))))
    }
}

/// Parses an HTML block into pieces.
pub(super) fn read(html: &HtmlText<'_, '_>, pieces: &mut Vec<Piece>) {
    let text = html.text;
    let indent = text.len() - text.trim_start().len();
    let whole = Span::new(indent, text.trim_end().len().max(indent));
    let content = whole.of(text);
    if content.starts_with("$$") {
        match content.strip_prefix("$$").and_then(|rest| rest.strip_suffix("$$")) {
            Some(formula) => {
                let formula = formula.trim_matches(['\n', '\r']).to_owned();
                pieces.push(Piece::Block(html.node(whole, BlockKind::Math { formula })));
            }
            None => pieces.push(html.opaque(whole, OpaqueKind::Unknown)),
        }
        return;
    }
    if content.starts_with("{%") {
        return tag_line(html, whole, pieces);
    }
    let lower = content.get(..8).unwrap_or(content).to_ascii_lowercase();
    let is_whole = ["<pre", "<!--", "<script", "<style", "<textar", "<?", "<!"]
        .iter()
        .any(|start| lower.starts_with(start));
    if is_whole {
        return segment(html, whole, pieces);
    }
    // Lines with block tags within HTML, without blank lines around them.
    let mut start = whole.start;
    let mut at = whole.start;
    let table_end = if lower.starts_with("<table") {
        whole.start + content.rfind("</table>").unwrap_or(content.len())
    } else {
        whole.start
    };
    for line in content.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        if at >= table_end
            && line.trim_start().starts_with("{%")
            && Tag::parse(line.trim()).is_some()
        {
            segment(html, Span::new(start, at), pieces);
            tag_line(html, Span::new(at + indent, at + line.trim_end().len()), pieces);
            start = at + line.len();
        }
        at += line.len();
    }
    segment(html, Span::new(start, whole.end), pieces);
}

/// Parses a line that begins with a block tag.
fn tag_line(html: &HtmlText<'_, '_>, span: Span, pieces: &mut Vec<Piece>) {
    let line = span.of(html.text);
    let Some(tag) = Tag::parse(line) else {
        return pieces.push(html.opaque(span, OpaqueKind::Unknown));
    };
    let tag_span = Span::new(span.start, span.start + tag.length);
    let rest = Span::new(tag_span.end, span.end);
    if rest.of(html.text).trim().is_empty() {
        return pieces.push(tag_piece(html, tag, tag_span));
    }
    if tag.name == RAW && !tag.is_end {
        return pieces.push(raw_line(html, span, rest));
    }
    if !containers::is_known(&tag.name) {
        return pieces.push(html.opaque(span, OpaqueKind::Unknown));
    }
    // `{% hint %} text {% endhint %}`: the closing tag stands at the end of the line.
    let after = rest.of(html.text);
    let close = after.rfind("{%").map(|at| rest.start + at).and_then(|at| {
        let close = Tag::parse(html.text.get(at..span.end)?)?;
        let is_last = Span::new(at + close.length, span.end).of(html.text).trim().is_empty();
        (close.is_end && close.name == tag.name && is_last).then_some((at, close))
    });
    let middle = Span::new(rest.start, close.as_ref().map_or(rest.end, |(at, _)| *at));
    pieces.push(tag_piece(html, tag, tag_span));
    markdown(html, middle, LINE_LEVELS, pieces);
    if let Some((at, close)) = close {
        let span = Span::new(at, at + close.length);
        pieces.push(tag_piece(html, close, span));
    }
}

/// The name of the tag after which block tags are text.
const RAW: &str = "raw";

/// Parses a line that begins with `{% raw %}`. `rest` is the location of the text after that tag.
/// The line is kept as it is, and readers see the text between the tags.
fn raw_line(html: &HtmlText<'_, '_>, span: Span, rest: Span) -> Piece {
    let after = rest.of(html.text).trim_end();
    let close = after.rfind("{%").filter(|at| {
        let last = after.get(*at..).unwrap_or_default();
        let tag = Tag::parse(last).filter(|tag| tag.length == last.len());
        tag.is_some_and(|tag| tag.is_end && tag.name == RAW)
    });
    let length = close.unwrap_or(after.len());
    let lead = after.len() - after.trim_start().len();
    let middle = Span::new(rest.start + lead.min(length), rest.start + length);
    let text = middle.of(html.text).trim_end();
    let mut inner = Vec::new();
    if text.starts_with("{%") || text.starts_with('<') {
        // A parser would read the text as a tag.
        let leaf = Leaf { text: text.to_owned(), ..Leaf::default() };
        let nodes = vec![html.node(middle, InlineKind::Text(vec![leaf]))];
        let paragraph = BlockKind::Paragraph(Paragraph { align: None, nodes });
        inner.push(Piece::Block(html.node(middle, paragraph)));
    } else {
        markdown(html, middle, LINE_LEVELS, &mut inner);
    }
    let mut piece = html.opaque(span, OpaqueKind::Unknown);
    if let Piece::Block(Node { kind: BlockKind::Opaque(opaque), .. }) = &mut piece {
        let blocks = inner.into_iter().filter_map(|piece| match piece {
            Piece::Block(block) => Some(block),
            _ => None,
        });
        opaque.nodes = blocks.collect();
    }
    piece
}

fn tag_piece(html: &HtmlText<'_, '_>, tag: Tag, span: Span) -> Piece {
    let local = html.local(span);
    if tag.is_end { Piece::Close(tag, local) } else { Piece::Open(tag, local) }
}

/// Number of JSON levels of text on the same line as a block tag. More than any container takes,
/// because the rest of the line is parsed again for each such tag.
const LINE_LEVELS: usize = 8;

/// Parses a part of the text as Markdown that takes `levels` JSON levels.
fn markdown(html: &HtmlText<'_, '_>, span: Span, levels: usize, pieces: &mut Vec<Piece>) {
    let text = span.of(html.text);
    if text.trim().is_empty() {
        return;
    }
    let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
    let start = span.start + indent;
    let text = Span::new(start, span.end).of(html.text);
    let map = html.map_from(start);
    match html.state.nested(levels, || block::parse(text, map, html.state)) {
        Some(blocks) => pieces.extend(blocks.into_iter().map(Piece::Block)),
        None => pieces.push(html.opaque(span, OpaqueKind::Unknown)),
    }
}

type Tokens<'t> = [(Token<'t>, Span)];

/// Parses HTML, one top-level element after another.
fn segment(html: &HtmlText<'_, '_>, span: Span, pieces: &mut Vec<Piece>) {
    let span = Span::new(span.start, span.start + span.of(html.text).trim_end().len());
    let tokens: Vec<_> = markup::tokens(span.of(html.text))
        .map(|(token, at)| (token, at.shifted(span.start)))
        .collect();
    let mut index = 0;
    while let Some((token, at)) = tokens.get(index) {
        let end = match token {
            Token::Comment => {
                pieces.push(html.opaque(*at, OpaqueKind::Comment));
                index
            }
            Token::Text(text) if text.trim().is_empty() => index,
            Token::Text(text) if !begins_tag(text.trim_start()) => {
                let end = run_end(&tokens, index);
                markdown(html, span_of(&tokens, index, end), 1, pieces);
                end
            }
            Token::Text(text) if begins_verbatim(text.trim_start()) => {
                // The CommonMark parser ends no block here, so the rest belongs to this element.
                pieces.push(html.opaque(Span::new(at.start, span.end), OpaqueKind::Unknown));
                return;
            }
            Token::Text(_) => {
                pieces.push(html.opaque(*at, OpaqueKind::Unknown));
                index
            }
            Token::Close(name) => {
                pieces.push(close_piece(html, name, *at));
                index
            }
            Token::Open(tag) => open(html, &tokens, index, tag, pieces),
        };
        index = end + 1;
    }
}

/// Returns `true` if `text` begins with the name of an element that CommonMark extends to its
/// closing tag, across blank lines.
fn begins_verbatim(text: &str) -> bool {
    const STARTS: [&str; 4] = ["<pre", "<script", "<style", "<textarea"];
    STARTS
        .iter()
        .any(|start| text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)))
}

/// Returns `true` if a text begins with `<` that a parser could read as the start of a block.
/// Unknown tags do not.
fn begins_tag(text: &str) -> bool {
    text.starts_with('<') && markup::tag_at(text).is_none()
}

fn close_piece(html: &HtmlText<'_, '_>, name: &str, span: Span) -> Piece {
    if name.eq_ignore_ascii_case("details") {
        let tag = Tag { name: "details".to_owned(), is_end: true, rest: String::new(), length: 0 };
        return Piece::Close(tag, html.local(span));
    }
    if name.eq_ignore_ascii_case("div") {
        return Piece::EndImageGroup(html.local(span));
    }
    html.opaque(span, OpaqueKind::Unknown)
}

/// Parses the element that begins at `index`, and returns the index of its last token.
fn open(
    html: &HtmlText<'_, '_>,
    tokens: &Tokens<'_>,
    index: usize,
    tag: &OpenTag<'_>,
    pieces: &mut Vec<Piece>,
) -> usize {
    let span = tokens.get(index).map(|(_, span)| *span).unwrap_or_default();
    if tag.is("details") {
        let rest = if tag.has("open") { "open" } else { "" }.to_owned();
        let tag = Tag { name: "details".to_owned(), is_end: false, rest, length: 0 };
        pieces.push(Piece::Open(tag, html.local(span)));
        return index;
    }
    if is_inline(tag) {
        let end = run_end(tokens, index);
        let mut inlines = InlineBuilder::new(html.state, html.text, html.map_from(0));
        add_tokens(&mut inlines, tokens.get(index..=end).unwrap_or_default());
        let nodes = inlines.finish();
        let whole = span_of(tokens, index, end);
        if !nodes.is_empty() {
            let paragraph = BlockKind::Paragraph(Paragraph { align: None, nodes });
            pieces.push(Piece::Block(html.node(whole, paragraph)));
        }
        return end;
    }
    let end = if tag.is_void() { index } else { closing(tokens, index, tag.name) };
    let element = tokens.get(index..=end).unwrap_or_default();
    let whole = span_of(tokens, index, end);
    if tag.is("div") && is_open(element) && (end == index || images(html, element).is_some()) {
        // Its images follow after blank lines.
        let mut group = Images::default();
        frame(tag, &mut group);
        pieces.push(Piece::ImageGroup(group, html.local(span)));
        return index;
    }
    if tag.is("summary") {
        let mut inlines = InlineBuilder::new(html.state, html.text, html.map_from(0));
        summary(html, inner(element), &mut inlines);
        pieces.push(Piece::Summary(inlines.finish(), html.local(whole)));
        return end;
    }
    let kind = match tag.name.to_ascii_lowercase().as_str() {
        "figure" | "picture" | "img" => images(html, element),
        "div" if tag.attribute("data-tag").as_deref() == Some("hint") => hint(html, tag, element),
        "div" => images(html, element),
        "table" => html_table::read(html, element),
        "pre" => Some(html_code::read(html, tag, inner(element), whole)),
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => text(html, tag, element),
        "br" => Some(BlockKind::Paragraph(Paragraph::default())),
        "hr" => Some(BlockKind::Divider),
        _ => None,
    };
    pieces.push(match kind {
        Some(kind) => Piece::Block(html.node(whole, kind)),
        None => html.opaque(whole, OpaqueKind::Unknown),
    });
    end
}

/// Parses the title of an expandable block, which may contain Markdown.
fn summary(html: &HtmlText<'_, '_>, tokens: &Tokens<'_>, inlines: &mut InlineBuilder<'_, '_>) {
    let whole = match (tokens.first(), tokens.last()) {
        (Some((_, first)), Some((_, last))) => Span::new(first.start, last.end),
        _ => return,
    };
    let text = whole.of(html.text);
    let plain = !text.contains(['*', '_', '`', '[', '~', '\\']);
    if !plain {
        let lead = text.len() - text.trim_start().len();
        let trimmed = text.trim();
        let parsed = html
            .state
            .nested(1, || block::parse(trimmed, html.map_from(whole.start + lead), html.state));
        if let Some(blocks) = parsed
            && let [Node { kind: BlockKind::Paragraph(_), .. }] = blocks.as_slice()
            && let Some(Node { kind: BlockKind::Paragraph(paragraph), .. }) =
                blocks.into_iter().next()
        {
            return inlines.append(without_text_blocks(paragraph.nodes));
        }
    }
    for (token, span) in tokens {
        match token {
            token if is_text_block_tag(token) => {}
            Token::Text(text) => inlines.html(Token::Text(text.trim_matches(['\n', '\r'])), *span),
            token => inlines.html(*token, *span),
        }
    }
}

/// Removes tags of block elements that contain only text, as in an HTML title: `a <p>b</p>` becomes
/// `a b`.
fn without_text_blocks(mut nodes: Vec<Inline>) -> Vec<Inline> {
    for node in &mut nodes {
        match &mut node.kind {
            InlineKind::Text(leaves) => {
                for leaf in leaves.iter_mut().filter(|leaf| leaf.is_markup) {
                    leaf.text = markup::tokens(&leaf.text)
                        .filter(|(token, _)| !is_text_block_tag(token))
                        .map(|(_, span)| span.of(&leaf.text))
                        .collect();
                }
                leaves.retain(|leaf| !leaf.text.is_empty());
            }
            InlineKind::Link(link) => link.nodes = without_text_blocks(mem::take(&mut link.nodes)),
            _ => {}
        }
    }
    nodes.retain(|node| !matches!(&node.kind, InlineKind::Text(leaves) if leaves.is_empty()));
    finish::join_texts(&mut nodes);
    nodes
}

fn is_text_block_tag(token: &Token<'_>) -> bool {
    match token {
        Token::Open(OpenTag { name, .. }) | Token::Close(name) => is_text_block(name),
        Token::Text(_) | Token::Comment => false,
    }
}

/// Returns `true` if elements of this name are blocks that contain only text.
fn is_text_block(name: &str) -> bool {
    const NAMES: [&str; 8] = ["p", "div", "h1", "h2", "h3", "h4", "h5", "h6"];
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn span_of(tokens: &Tokens<'_>, from: usize, to: usize) -> Span {
    match (tokens.get(from), tokens.get(to)) {
        (Some((_, first)), Some((_, last))) => Span::new(first.start, last.end),
        _ => Span::default(),
    }
}

fn inner<'t, 'k>(element: &'t Tokens<'k>) -> &'t Tokens<'k> {
    let end = match element.last() {
        Some((Token::Close(_), _)) => element.len() - 1,
        _ => element.len(),
    };
    element.get(1..end).unwrap_or_default()
}

/// Returns the index of the tag that closes the element, or of the last token.
fn closing(tokens: &Tokens<'_>, index: usize, name: &str) -> usize {
    let mut depth = 0_usize;
    for (at, (token, _)) in tokens.iter().enumerate().skip(index) {
        work::spend(1);
        match token {
            Token::Open(tag) if tag.is(name) && !tag.is_void() => depth += 1,
            Token::Close(close) if close.eq_ignore_ascii_case(name) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    tokens.len().saturating_sub(1)
}

/// Returns the index of the last token of a run of text and inline elements.
fn run_end(tokens: &Tokens<'_>, index: usize) -> usize {
    let rest = tokens.iter().skip(index);
    let length = rest
        .take_while(|(token, _)| match token {
            Token::Open(tag) => is_inline(tag),
            Token::Close(name) => is_inline_name(name),
            Token::Text(_) => true,
            Token::Comment => false,
        })
        .count();
    work::spend(length);
    index + length.max(1) - 1
}

fn is_inline(tag: &OpenTag<'_>) -> bool {
    // An image with the size of text is inline, even if it stands alone.
    is_inline_name(tag.name) || tag.is("img") && tag.has("data-size")
}

fn is_inline_name(name: &str) -> bool {
    const NAMES: [&str; 20] = [
        "a", "b", "strong", "i", "em", "del", "s", "strike", "code", "kbd", "sup", "sub", "mark",
        "span", "u", "button", "small", "big", "font", "wbr",
    ];
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns the alignment that a tag's attributes specify.
fn align(tag: &OpenTag<'_>) -> Option<Align> {
    match tag.attribute("align").or_else(|| tag.attribute("data-align")).as_deref() {
        Some("left" | "start") => Some(Align::Start),
        Some("center") => Some(Align::Center),
        Some("right" | "end") => Some(Align::End),
        _ => None,
    }
}

/// Parses an HTML paragraph or heading.
fn text(html: &HtmlText<'_, '_>, tag: &OpenTag<'_>, element: &Tokens<'_>) -> Option<BlockKind> {
    let tokens = inner(element);
    let is_plain = tokens.iter().all(|(token, _)| match token {
        Token::Open(tag) => {
            is_inline(tag) || ["img", "br", "picture", "source"].iter().any(|name| tag.is(name))
        }
        Token::Close(name) => is_inline_name(name) || name.eq_ignore_ascii_case("picture"),
        Token::Text(_) | Token::Comment => true,
    });
    if !is_plain {
        return None;
    }
    let level = match tag.name.to_ascii_lowercase().as_str() {
        "h1" | "h2" => Some(1),
        "h3" => Some(2),
        "h4" | "h5" | "h6" => Some(3),
        _ => None,
    };
    let inlines = InlineBuilder::new(html.state, html.text, html.map_from(0));
    let mut inlines = if level.is_some() { inlines.for_heading() } else { inlines };
    add_tokens(&mut inlines, tokens);
    inlines.close();
    let anchor = inlines.anchor.take();
    let nodes = inlines.finish();
    let align = align(tag);
    let Some(level) = level else {
        return Some(BlockKind::Paragraph(Paragraph { align, nodes }));
    };
    let (nodes, id) = heading_text(nodes, anchor.or_else(|| tag.text("id")));
    let heading = Heading { level, id, anchor: String::new(), align, nodes };
    Some(BlockKind::Heading(Box::new(heading)))
}

/// Parses a hint in the form that the exporter uses in lists.
fn hint(html: &HtmlText<'_, '_>, tag: &OpenTag<'_>, element: &Tokens<'_>) -> Option<BlockKind> {
    let tokens = inner(element);
    let mut inlines = InlineBuilder::for_cell(html.state, html.text, html.map_from(0));
    add_tokens(&mut inlines, tokens);
    let span = element.first().map(|(_, span)| *span).unwrap_or_default();
    let nodes = html_table::cell_blocks(inlines.finish_cell(), html.node(span, ()).span);
    let style = containers::hint_style(&tag.attribute("data-style").unwrap_or_default());
    Some(BlockKind::Hint(Box::new(Hint { style, icon: None, nodes: or_empty_paragraph(nodes) })))
}

/// Parses one or more images with their captions. Returns `None` if there is other content.
fn images(html: &HtmlText<'_, '_>, element: &Tokens<'_>) -> Option<BlockKind> {
    let mut images = Images::default();
    let mut dark = None;
    let mut caption: Option<InlineBuilder<'_, '_>> = None;
    for (token, span) in element {
        match token {
            Token::Open(tag) if tag.is("figcaption") => {
                caption = Some(InlineBuilder::new(html.state, html.text, html.map_from(0)));
            }
            Token::Close(name) if name.eq_ignore_ascii_case("figcaption") => {
                let nodes = caption.take().map(InlineBuilder::finish).unwrap_or_default();
                if let Some(image) = images.images.last_mut() {
                    image.kind.caption = nodes;
                }
            }
            token if caption.is_some() => {
                let is_paragraph = match token {
                    Token::Open(tag) => tag.is("p"),
                    Token::Close(name) => name.eq_ignore_ascii_case("p"),
                    _ => false,
                };
                if let Some(inlines) = caption.as_mut().filter(|_| !is_paragraph) {
                    inlines.html(*token, *span);
                }
            }
            Token::Open(tag) if tag.is("img") => {
                let src = tag.text("src")?;
                let location = html.node(*span, ()).span;
                if tag.has_class("gitbook-drawing") {
                    let reference = html.state.reference(&src, location);
                    let reference = Reference { name: tag.text("alt"), ..reference };
                    return Some(BlockKind::Drawing(Box::new(reference)));
                }
                let image = Image {
                    reference: html.state.reference(&src, location),
                    dark: dark.take().map(|dark: String| html.state.reference(&dark, location)),
                    alt: tag.text("alt"),
                    width: dimension(tag, "width"),
                    height: dimension(tag, "height"),
                    caption: Vec::new(),
                };
                images.images.push(html.node(*span, image));
            }
            Token::Open(tag) if tag.is("source") => {
                let is_dark = tag.attribute("media").is_some_and(|media| media.contains("dark"));
                dark = tag.text("srcset").filter(|_| is_dark);
            }
            Token::Open(tag) if tag.is("div") => frame(tag, &mut images),
            Token::Text(text) if !text.trim().is_empty() => return None,
            Token::Open(tag) if !tag.is("figure") && !tag.is("picture") => return None,
            _ => {}
        }
    }
    images.images.shrink_to_fit();
    (!images.images.is_empty()).then(|| BlockKind::Images(Box::new(images)))
}

/// Returns `true` if an element continues after its HTML block and contains no other `div`, each of
/// which would be scanned again.
fn is_open(element: &Tokens<'_>) -> bool {
    let is_div = |(token, _): &(Token<'_>, Span)| match token {
        Token::Open(tag) => tag.is("div"),
        Token::Close(name) => name.eq_ignore_ascii_case("div"),
        _ => false,
    };
    !element.iter().skip(1).any(is_div)
}

/// Applies the attributes of the element around the images.
fn frame(tag: &OpenTag<'_>, images: &mut Images) {
    images.align = align(tag).or(images.align);
    images.full_width = tag.flag("data-full-width").or(images.full_width);
    images.with_frame = tag.flag("data-with-frame").or(images.with_frame);
}

fn dimension(tag: &OpenTag<'_>, name: &str) -> Option<Length> {
    Length::parse(&tag.text(name)?)
}

/// Returns a paragraph with these inlines.
pub(super) fn paragraph(nodes: Vec<Inline>, span: Span) -> Block {
    let span = nodes
        .first()
        .zip(nodes.last())
        .map_or(span, |(first, last)| Span::new(first.span.start, last.span.end));
    Node::new(span, BlockKind::Paragraph(Paragraph { align: None, nodes }))
}
