//! Builds blocks from the events of the CommonMark parser.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use pulldown_cmark::{
    BrokenLink, BrokenLinkCallback, CodeBlockKind, CowStr, Event, HeadingLevel, LinkType,
    OffsetIter, Options, Parser, Tag, TagEnd,
};

use super::containers::{self, Piece};
use super::html_block::{self, HtmlText};
use super::inline::{InlineBuilder, Mark};
use super::inline_parts::one_line;
use super::{Note, ParseState, SourceMap, mask, source_map, table};
use crate::document::{
    Block, BlockKind, Code, CodeLine, Heading, Image, Images, Inline, InlineKind, Leaf, ListItem,
    Marks, Node, Paragraph,
};
use crate::source::{INVALID_BYTE, Span};
use crate::syntax::markup::{self, Token};
use crate::work;

/// Parses the whole text into blocks.
pub(super) fn parse_whole(text: &str, state: &ParseState<'_>) -> Vec<Block> {
    read(text, SourceMap::Offset(0), state, true)
}

/// Parses a part of the text, located at `place`, into blocks. Link definitions of the whole text
/// apply.
pub(super) fn parse(text: &str, map: SourceMap<'_>, state: &ParseState<'_>) -> Vec<Block> {
    read(text, map, state, false)
}

fn read(text: &str, map: SourceMap<'_>, state: &ParseState<'_>, is_whole: bool) -> Vec<Block> {
    work::spend(text.len());
    let masked = mask::mask(text);
    let (masked, ahead) = if is_whole { (masked, 0) } else { with_notes(masked, state) };
    let mut options =
        Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    options.set(Options::ENABLE_TABLES, state.reserve_cells(table::omitted_cells(text)));
    let definitions = Some(Definitions(state));
    let parser = Parser::new_with_broken_link_callback(&masked, options, definitions);
    if is_whole {
        let mut definitions = state.definitions.borrow_mut();
        for (label, definition) in parser.reference_definitions().iter() {
            let title = definition.title.as_deref().unwrap_or_default();
            definitions.insert(normalized(label), (definition.dest.to_string(), title.to_owned()));
        }
    }
    let iterator = parser.into_offset_iter();
    let mut reader = Reader {
        source: text,
        seen: masked.get(ahead..).unwrap_or_default(),
        map,
        state,
        events: Events { iterator, ahead, returned: None },
        checkboxes: Vec::new(),
    };
    reader.blocks()
}

/// Prepends the notes that the text refers to, because the parser treats a reference to an
/// undefined note as text. Returns the text and the length of the prepended part.
fn with_notes<'m>(masked: Cow<'m, str>, state: &ParseState<'_>) -> (Cow<'m, str>, usize) {
    let mut before = String::new();
    let mut found: HashSet<&str> = HashSet::new();
    for part in masked.split("[^").skip(1) {
        let label = part.split(']').next().unwrap_or_default();
        work::spend(label.len());
        if state.note_labels().contains(label) && found.insert(label) {
            before.push_str(&format!("[^{label}]: x\n"));
        }
    }
    if before.is_empty() {
        return (masked, 0);
    }
    // Ends the last note, whatever follows.
    before.push_str("\n<!-- -->\n");
    let ahead = before.len();
    before.push_str(&masked);
    (Cow::Owned(before), ahead)
}

/// Looks up the link definitions of the whole text for its parts.
struct Definitions<'d, 'c>(&'d ParseState<'c>);

impl<'i> BrokenLinkCallback<'i> for Definitions<'_, '_> {
    fn handle_broken_link(&mut self, link: BrokenLink<'i>) -> Option<(CowStr<'i>, CowStr<'i>)> {
        let definitions = self.0.definitions.borrow();
        if definitions.is_empty() {
            return None;
        }
        let (target, title) = definitions.get(&normalized(&link.reference))?;
        let room = self.0.definition_bytes.get().checked_sub(target.len() + title.len())?;
        self.0.definition_bytes.set(room);
        Some((target.clone().into(), title.clone().into()))
    }
}

/// Normalizes a label for comparison.
fn normalized(label: &str) -> String {
    label.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The parser's events, with room for one returned event.
struct Events<'e, 'c> {
    iterator: OffsetIter<'e, Definitions<'e, 'c>>,
    /// The length of the prepended part, whose events are skipped.
    ahead: usize,
    returned: Option<(Event<'e>, Span)>,
}

impl<'e> Events<'e, '_> {
    fn next(&mut self) -> Option<(Event<'e>, Span)> {
        let ahead = self.ahead;
        self.returned.take().or_else(|| {
            let (event, range) = self.iterator.find(|(_, range)| range.start >= ahead)?;
            Some((event, Span::new(range.start - ahead, range.end - ahead)))
        })
    }
}

pub(super) struct Reader<'e, 'c> {
    pub(super) source: &'e str,
    /// The masked source, as the parser sees it.
    seen: &'e str,
    pub(super) map: SourceMap<'e>,
    pub(super) state: &'e ParseState<'c>,
    events: Events<'e, 'c>,
    /// The checkbox of each open list item.
    checkboxes: Vec<Option<bool>>,
}

impl<'e, 'c> Reader<'e, 'c> {
    /// Returns the next event and its location.
    pub(super) fn next(&mut self) -> Option<(Event<'e>, Span)> {
        self.events.next()
    }

    fn push_back(&mut self, event: Event<'e>, span: Span) {
        self.events.returned = Some((event, span));
    }

    /// Returns the blocks up to the end of the open container, and consumes its end event.
    fn blocks(&mut self) -> Vec<Block> {
        let mut pieces = Vec::new();
        while let Some((event, span)) = self.next() {
            match event {
                Event::Start(tag) if is_block(&tag) => self.block(tag, span, &mut pieces),
                Event::Rule => pieces.push(Piece::Block(self.node(span, BlockKind::Divider))),
                Event::TaskListMarker(checked) => self.set_checkbox(checked),
                Event::End(end) if is_block_end(end) => break,
                event => {
                    // Text directly in a tight list item.
                    self.push_back(event, span);
                    let mut inlines = InlineBuilder::new(self.state, self.source, self.map);
                    let whole = self.run(&mut inlines, span);
                    let nodes = inlines.finish();
                    if !nodes.is_empty() {
                        pieces.push(Piece::Block(self.paragraph(whole, nodes)));
                    }
                }
            }
        }
        containers::build(pieces, self.source, self.map, self.state)
    }

    fn set_checkbox(&mut self, checked: bool) {
        if let Some(open) = self.checkboxes.last_mut() {
            *open = Some(checked);
        }
    }

    fn node<T>(&self, span: Span, kind: T) -> Node<T> {
        Node::new(self.map.span(span), kind)
    }

    /// Skips everything up to the end of the block that has just begun.
    fn skip(&mut self) {
        let mut depth = 1_usize;
        while let Some((event, _)) = self.next() {
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn opaque(&self, span: Span) -> Block {
        work::spend(span.len());
        let source = unindented(self.source, span);
        let opaque = self.state.opaque(source, self.map.span(span));
        self.node(span, BlockKind::Opaque(Box::new(opaque)))
    }

    fn block(&mut self, tag: Tag<'e>, span: Span, pieces: &mut Vec<Piece>) {
        match tag {
            Tag::Paragraph => {
                let mut inlines = InlineBuilder::new(self.state, self.source, self.map);
                self.run(&mut inlines, span);
                self.next();
                let nodes = inlines.finish();
                pieces.push(Piece::Block(self.paragraph(span, nodes)));
            }
            Tag::Heading { level, .. } => {
                let heading = self.heading(level, span);
                pieces.push(Piece::Block(heading));
            }
            Tag::CodeBlock(kind) => {
                let code = self.code(&kind, span);
                pieces.push(Piece::Block(code));
            }
            Tag::HtmlBlock => {
                let (text, local) = self.html(span);
                let whole = self.map.compose(&local, text.len());
                let html = HtmlText {
                    text: &text,
                    local_map: SourceMap::of(&local),
                    map: SourceMap::of(&whole),
                    state: self.state,
                };
                html_block::read(&html, pieces);
            }
            Tag::BlockQuote(_) => {
                let state = self.state;
                let quote = match state.nested(2, || self.blocks()) {
                    Some(nodes) => {
                        self.node(span, BlockKind::Quote { nodes: or_empty_paragraph(nodes) })
                    }
                    None => self.too_deep(span),
                };
                pieces.push(Piece::Block(quote));
            }
            Tag::List(start) => {
                let state = self.state;
                let list = match state.nested(4, || self.list(start, span)) {
                    Some(list) => list,
                    None => self.too_deep(span),
                };
                pieces.push(Piece::Block(list));
            }
            Tag::FootnoteDefinition(label) => {
                let state = self.state;
                if let Some(body) = state.nested(1, || self.blocks()) {
                    let note = Note {
                        body: Arc::new(or_empty_paragraph(body)),
                        start: self.map.span(span).start,
                        size: span.len(),
                        levels: 0,
                    };
                    state.notes.borrow_mut().entry(label.into_string()).or_insert(note);
                } else {
                    self.skip();
                }
            }
            Tag::Table(alignments) => {
                let table = table::read(self, &alignments, span);
                pieces.push(Piece::Block(table));
            }
            _ => {
                self.skip();
                pieces.push(Piece::Block(self.opaque(span)));
            }
        }
    }

    fn too_deep(&mut self, span: Span) -> Block {
        self.skip();
        self.opaque(span)
    }

    fn list(&mut self, start: Option<u64>, span: Span) -> Block {
        let mut items = Vec::new();
        while let Some((event, item_span)) = self.next() {
            match event {
                Event::Start(Tag::Item) => {
                    self.checkboxes.push(None);
                    let nodes = or_empty_paragraph(self.blocks());
                    let checked = self.checkboxes.pop().flatten();
                    items.push(self.node(item_span, ListItem { checked, nodes }));
                }
                _ => break,
            }
        }
        items.shrink_to_fit();
        let boxes = items.iter().filter(|item| item.kind.checked.is_some()).count();
        let kind = match start {
            None if boxes > 0 && boxes == items.len() => BlockKind::TaskList { items },
            _ => {
                items.iter_mut().for_each(restore_checkbox);
                match start {
                    Some(start) => BlockKind::OrderedList { start, items },
                    None => BlockKind::UnorderedList { items },
                }
            }
        };
        self.node(span, kind)
    }

    /// Parses inlines up to the first other event. Returns the location of all inlines.
    pub(super) fn run(&mut self, inlines: &mut InlineBuilder<'_, '_>, first: Span) -> Span {
        let mut whole = first;
        while let Some((event, span)) = self.next() {
            match event {
                Event::Text(text) if text.contains('\n') => {
                    // A line feed written as an entity is not a hard break.
                    inlines.text(&text.replace('\n', " "), span);
                }
                Event::Text(text) => inlines.text(self.original(span, &text), span),
                Event::Code(text) => match formula(span.of(self.source)) {
                    Some(formula) => inlines.math(formula, span),
                    None => inlines.code(&self.original_code(span, text), span),
                },
                Event::InlineHtml(_) | Event::Html(_) => {
                    for (token, local) in markup::tokens(span.of(self.source)) {
                        inlines.html(token, local.shifted(span.start));
                    }
                }
                Event::SoftBreak => inlines.soft_break(span),
                Event::HardBreak => inlines.hard_break(span),
                Event::FootnoteReference(label) => inlines.note(&label, span),
                Event::TaskListMarker(checked) => self.set_checkbox(checked),
                Event::Start(Tag::Emphasis) => inlines.mark(Mark::Italic),
                Event::End(TagEnd::Emphasis) => inlines.unmark(Mark::Italic),
                Event::Start(Tag::Strong) => inlines.mark(Mark::Bold),
                Event::End(TagEnd::Strong) => inlines.unmark(Mark::Bold),
                Event::Start(Tag::Strikethrough) => inlines.mark(Mark::Strikethrough),
                Event::End(TagEnd::Strikethrough) => inlines.unmark(Mark::Strikethrough),
                Event::Start(Tag::Link { link_type: LinkType::Email, dest_url, .. }) => {
                    inlines.start_link(&format!("mailto:{dest_url}"), "", span);
                }
                Event::Start(Tag::Link { dest_url, title, .. }) => {
                    inlines.start_link(&dest_url, &title, span);
                }
                Event::End(TagEnd::Link) => inlines.end_link(span),
                Event::Start(Tag::Image { dest_url, title, .. }) => {
                    let alt = self.alt_text();
                    inlines.image(&dest_url, &title, &alt, span);
                }
                event => {
                    self.push_back(event, span);
                    break;
                }
            }
            whole.end = whole.end.max(span.end);
        }
        whole
    }

    /// Returns the alternative text of an image, up to the image's end.
    fn alt_text(&mut self) -> String {
        let mut text = String::new();
        let mut depth = 0_usize;
        while let Some((event, span)) = self.next() {
            match event {
                Event::Text(part) => text.push_str(self.original(span, &part)),
                Event::Code(part) => text.push_str(&self.original_code(span, part)),
                Event::SoftBreak | Event::HardBreak => text.push(' '),
                Event::Start(Tag::Image { .. }) => depth += 1,
                Event::End(TagEnd::Image) if depth == 0 => break,
                Event::End(TagEnd::Image) => depth -= 1,
                _ => {}
            }
        }
        text
    }

    /// Returns a text as it is in the source, because the parser may have seen it masked.
    fn original<'t>(&self, span: Span, text: &'t str) -> &'t str
    where
        'e: 't,
    {
        if span.of(self.seen) == text { span.of(self.source) } else { text }
    }

    /// Returns the text of a code span as it is in the source, because the parser may have seen it
    /// masked.
    fn original_code(&self, span: Span, text: CowStr<'e>) -> CowStr<'e> {
        let source = span.of(self.source);
        if span.of(self.seen) == source {
            return text;
        }
        let code = source.trim_matches('`').replace("\r\n", " ").replace('\n', " ");
        let inner = code.strip_prefix(' ').and_then(|code| code.strip_suffix(' '));
        let is_padded = !code.trim_matches(' ').is_empty();
        inner.filter(|_| is_padded).unwrap_or(&code).to_owned().into()
    }

    fn paragraph(&self, span: Span, nodes: Vec<Inline>) -> Block {
        let source = span.of(self.source).trim();
        let kind = if let Some(formula) = formula(source) {
            BlockKind::Math { formula: formula.trim().to_owned() }
        } else if matches!(source, "\\" | "&#x20;") {
            BlockKind::Paragraph(Paragraph::default())
        } else {
            paragraph_or_image(nodes)
        };
        self.node(span, kind)
    }

    fn heading(&mut self, level: HeadingLevel, span: Span) -> Block {
        let mut inlines = InlineBuilder::new(self.state, self.source, self.map).for_heading();
        self.run(&mut inlines, span);
        self.next();
        inlines.close();
        let id = inlines.anchor.take();
        let (nodes, id) = heading_text(inlines.finish(), id);
        let level = match level {
            HeadingLevel::H1 | HeadingLevel::H2 => 1,
            HeadingLevel::H3 => 2,
            _ => 3,
        };
        let heading = Heading { level, id, anchor: String::new(), align: None, nodes };
        self.node(span, BlockKind::Heading(Box::new(heading)))
    }

    fn code(&mut self, kind: &CodeBlockKind<'_>, span: Span) -> Block {
        let syntax = match kind {
            CodeBlockKind::Fenced(info) => info.split_whitespace().next().map(str::to_owned),
            CodeBlockKind::Indented => None,
        };
        let mut lines = CodeLines::default();
        while let Some((event, at)) = self.next() {
            match event {
                Event::Text(text) => {
                    let exact = at.len() == text.len();
                    let text = self.original(at, &text);
                    lines.push(text, at, exact);
                }
                _ => break,
            }
        }
        let lines = lines.finish(span, self.map);
        self.node(span, BlockKind::Code(Box::new(Code { syntax, lines, ..Code::default() })))
    }

    /// Returns the text of an HTML block without the prefixes of its containers, and its pieces in
    /// the source.
    fn html(&mut self, span: Span) -> (String, Vec<source_map::Segment>) {
        let mut text = String::new();
        let mut pieces: Vec<source_map::Segment> = Vec::new();
        let mut end = None;
        while let Some((event, at)) = self.next() {
            match event {
                Event::Html(part) | Event::Text(part) => {
                    if end != Some(at.start) {
                        pieces.push((text.len(), at.start));
                    }
                    // Text that differs from the source ends a piece.
                    end = (at.len() == part.len()).then_some(at.end);
                    text.push_str(self.original(at, &part));
                }
                _ => break,
            }
        }
        if pieces.is_empty() {
            pieces.push((0, span.start));
        }
        (text, pieces)
    }
}

/// Returns a part of the source without the prefixes that its containers put before its lines.
pub(super) fn unindented(source: &str, span: Span) -> String {
    /// Maximum length of a line prefix.
    const MAX_BYTES: usize = 512;
    let text = span.of(source).trim_end_matches(['\n', '\r']);
    let before = source.as_bytes().get(..span.start).unwrap_or_default();
    let length = before.iter().rev().take(MAX_BYTES).take_while(|&&b| b != b'\n').count();
    let prefix = before.get(before.len() - length..).unwrap_or_default();
    if prefix.is_empty() || length == MAX_BYTES || !text.contains('\n') {
        return text.to_owned();
    }
    let mut lines = text.split_inclusive('\n');
    let mut unindented = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let bytes = line.as_bytes();
        let mut at = 0;
        for byte in prefix {
            if *byte == b'>' {
                at += bytes.iter().skip(at).take(3).take_while(|&&b| b == b' ').count();
            }
            let expected = if *byte == b'>' { b'>' } else { b' ' };
            match bytes.get(at) {
                Some(found) if *found == expected || (*found == b'\t' && expected == b' ') => {
                    at += 1
                }
                _ => break,
            }
        }
        unindented.push_str(line.get(at..).unwrap_or_default());
    }
    unindented
}

/// Collects the lines of code.
#[derive(Default)]
pub(super) struct CodeLines {
    lines: Vec<(String, Option<Span>)>,
    is_open: bool,
}

impl CodeLines {
    /// Adds text. `exact` is `true` if `span` locates the text byte for byte.
    pub(super) fn push(&mut self, text: &str, span: Span, exact: bool) {
        let mut start = span.start;
        for part in text.split_inclusive('\n') {
            let line = part.strip_suffix('\n').unwrap_or(part);
            let line = line.strip_suffix('\r').unwrap_or(line);
            let location = exact.then(|| Span::new(start, start + line.len()));
            let is_broken = line.contains(['\0', INVALID_BYTE]);
            let clean = is_broken.then(|| line.replace(['\0', INVALID_BYTE], "\u{FFFD}"));
            match (self.lines.last_mut().filter(|_| self.is_open), clean) {
                (Some((open, open_location)), clean) => {
                    open.push_str(clean.as_deref().unwrap_or(line));
                    *open_location = None;
                }
                (None, clean) => {
                    self.lines.push((clean.unwrap_or_else(|| line.to_owned()), location));
                }
            }
            self.is_open = !part.ends_with('\n');
            start += part.len();
        }
    }

    pub(super) fn finish(self, whole: Span, map: SourceMap<'_>) -> Vec<Node<CodeLine>> {
        let mut lines: Vec<Node<CodeLine>> = self
            .lines
            .into_iter()
            .map(|(text, span)| {
                let line = CodeLine { text, ..CodeLine::default() };
                Node::new(map.span(span.unwrap_or(whole)), line)
            })
            .collect();
        if lines.is_empty() {
            lines.push(Node::new(map.span(whole), CodeLine::default()));
        }
        lines
    }
}

/// Returns the formula between `$$` if it is the entire text.
fn formula(source: &str) -> Option<&str> {
    let inner = source.strip_prefix("$$")?.strip_suffix("$$")?;
    (!inner.trim().is_empty() && !inner.contains("$$")).then_some(inner)
}

/// Returns a paragraph, or an image block if the paragraph consists of an image.
fn paragraph_or_image(mut nodes: Vec<Inline>) -> BlockKind {
    let is_image = |node: &Inline| match &node.kind {
        InlineKind::Image(image) => image.original_size.is_none(),
        _ => false,
    };
    if nodes.len() == 1
        && nodes.first().is_some_and(is_image)
        && let Some(Node { span, kind: InlineKind::Image(image), .. }) = nodes.pop()
    {
        let caption = image.caption.clone().or_else(|| image.alt.clone()).unwrap_or_default();
        let caption = if caption.is_empty() {
            Vec::new()
        } else {
            let leaf = Leaf { text: one_line(&caption).into_owned(), ..Leaf::default() };
            vec![Node::new(span, InlineKind::Text(vec![leaf]))]
        };
        let InlineKind::Image(image) = InlineKind::Image(image) else {
            return empty();
        };
        let image = Image {
            reference: image.reference,
            dark: image.dark,
            alt: image.alt,
            width: image.width,
            height: image.height,
            caption,
        };
        let images = Images { images: vec![Node::new(span, image)], ..Images::default() };
        return BlockKind::Images(Box::new(images));
    }
    BlockKind::Paragraph(Paragraph { align: None, nodes })
}

fn empty() -> BlockKind {
    BlockKind::Paragraph(Paragraph::default())
}

/// Splits a heading into its text and the id of the anchor after it.
pub(super) fn heading_text(
    mut nodes: Vec<Inline>,
    mut id: Option<String>,
) -> (Vec<Inline>, Option<String>) {
    if let Some(Node { kind: InlineKind::Text(leaves), .. }) = nodes.last_mut() {
        if let Some(last) = leaves.last_mut() {
            if id.is_none()
                && let Some((text, found)) =
                    last.text.trim_end().strip_suffix('}').and_then(|t| t.rsplit_once("{#"))
                && !found.is_empty()
                && !found.contains(char::is_whitespace)
            {
                id = Some(found.to_owned());
                last.text = text.to_owned();
            }
            last.text.truncate(last.text.trim_end().len());
        }
        if leaves.last().is_some_and(|leaf| leaf.text.is_empty()) {
            leaves.pop();
        }
        if leaves.is_empty() {
            nodes.pop();
        }
    }
    (nodes, id)
}

/// Returns the blocks, or an empty paragraph if there are none.
pub(super) fn or_empty_paragraph(mut nodes: Vec<Block>) -> Vec<Block> {
    if nodes.is_empty() {
        nodes.reserve_exact(1);
        nodes.push(Node::new(Span::default(), empty()));
    }
    nodes
}

/// Turns the checkbox of an item back into text.
fn restore_checkbox(item: &mut Node<ListItem>) {
    let Some(checked) = item.kind.checked.take() else {
        return;
    };
    let text = if checked { "[x] " } else { "[ ] " };
    let leaf = Leaf { text: text.to_owned(), marks: Marks::default(), is_markup: false };
    if let Some(Node { kind: BlockKind::Paragraph(paragraph), span, .. }) =
        item.kind.nodes.first_mut()
    {
        match paragraph.nodes.first_mut() {
            Some(Node { kind: InlineKind::Text(leaves), .. }) => match leaves.first_mut() {
                Some(first) if first.marks == leaf.marks && !first.is_markup => {
                    first.text.insert_str(0, text);
                }
                _ => leaves.insert(0, leaf),
            },
            _ => paragraph.nodes.insert(0, Node::new(*span, InlineKind::Text(vec![leaf]))),
        }
    }
}

fn is_block(tag: &Tag<'_>) -> bool {
    !matches!(
        tag,
        Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript
            | Tag::Link { .. }
            | Tag::Image { .. }
    )
}

fn is_block_end(end: TagEnd) -> bool {
    !matches!(
        end,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link
            | TagEnd::Image
    )
}

/// Passes HTML tokens to a builder.
pub(super) fn add_tokens<'t>(
    inlines: &mut InlineBuilder<'_, '_>,
    tokens: impl IntoIterator<Item = &'t (Token<'t>, Span)>,
) {
    tokens.into_iter().for_each(|(token, span)| inlines.html(*token, *span));
}
