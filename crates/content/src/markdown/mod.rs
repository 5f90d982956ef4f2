//! Parses Markdown of the dialect into documents.
//!
//! A CommonMark parser with GFM's tables, checkboxes, strikethrough and footnotes provides the
//! basis. Before it runs, the mask makes block tags visible to it. After it has run, the folder
//! pairs block tags within each container, and the inline builder interprets the dialect's HTML.

mod block;
mod containers;
mod finish;
mod html_block;
mod html_code;
mod html_table;
mod inline;
mod inline_parts;
mod mask;
mod mask_inline;
mod print;
mod source_map;
mod table;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::document::{
    Block, BlockKind, Document, Identity, Inline, JSON_LEVELS, Node, Opaque, OpaqueKind, Reference,
    Visit,
};
use crate::reference::{self, ContentRef, ParseContext};
use crate::source::Span;
use crate::syntax::{markup, tag};
use crate::work;

pub(crate) use inline_parts::next_shortcode;
pub(crate) use mask::bars_in_code;
pub(crate) use mask_inline::{adapted, adjoins_emphasis, original};
pub use print::print;
use source_map::SourceMap;

/// The part of [`JSON_LEVELS`] that Markdown may use, so that a table with a list in a cell fits
/// anywhere.
const MARKDOWN_JSON_LEVELS: usize = JSON_LEVELS - 8;
/// Maximum number of table cells that a source may omit. Without a limit, a table of a few
/// kilobytes could take gigabytes.
const MAX_OMITTED_CELLS: usize = 100_000;
/// Maximum number of bytes of link definitions that links within separately parsed parts may
/// repeat, in addition to the length of the text. The CommonMark parser has the same limit for
/// other links.
const MAX_DEFINITION_BYTES: usize = 100_000;
/// Number of JSON levels of a note, including the line that refers to it.
const NOTE_LEVELS: usize = 6;

/// Maximum length in bytes of a text that is parsed as Markdown. A longer text becomes one opaque
/// block. The limit bounds the time and memory of everything that processes documents: the longest
/// of 5,700 real pages has a third of this length.
pub const PARSE_LIMIT: usize = 512 << 10;
/// Maximum number of blocks, inlines and lines of code of a document. A text with more becomes one
/// opaque block.
pub const NODE_LIMIT: usize = 60_000;

/// Parses the body of a page: the text after its front matter and title.
///
/// Spans in the result are offsets in `body`. Any text yields a document.
#[must_use]
pub fn parse(body: &str, context: &ParseContext<'_>) -> Document {
    parse_as(body, context, &Identity::default())
}

/// Does what [`parse`] does, and keeps the keys and anchors that `identity` assigns.
#[must_use]
pub fn parse_as(body: &str, context: &ParseContext<'_>, identity: &Identity) -> Document {
    let state = ParseState {
        context,
        whole: body,
        note_labels: OnceCell::new(),
        identity,
        depth: Cell::new(0),
        notes: RefCell::default(),
        has_annotations: Cell::new(false),
        definitions: RefCell::default(),
        definition_bytes: Cell::new(body.len() + MAX_DEFINITION_BYTES),
        remaining_cells: Cell::new(MAX_OMITTED_CELLS),
        frames: RefCell::default(),
    };
    let mut read = Document::default();
    if body.len() <= PARSE_LIMIT {
        read.nodes = block::parse_whole(body, &state);
    }
    if body.len() > PARSE_LIMIT || node_count(&read) > NODE_LIMIT {
        read.nodes = vec![oversized(body)];
        state.has_annotations.set(false);
        state.frames.take();
        state.notes.take();
    }
    finish::document(read.nodes, body, &state)
}

/// Returns the number of blocks and inlines in a document.
#[must_use]
pub fn node_count(document: &Document) -> usize {
    struct Nodes(usize);
    impl<'d> Visit<'d> for Nodes {
        fn block(&mut self, _: &'d Block) {
            self.0 += 1;
        }
        fn inline(&mut self, _: &'d Inline) {
            self.0 += 1;
        }
        fn plain(&mut self, _: &'d str) {
            self.0 += 1;
        }
    }
    let mut counted = Nodes(0);
    document.walk(&mut counted);
    counted.0
}

/// Returns an opaque block with a text that is too long to be parsed, without the line endings
/// around it.
fn oversized(body: &str) -> Block {
    let start = body.len() - body.trim_start_matches(['\n', '\r']).len();
    let end = body.trim_end_matches(['\n', '\r']).len();
    let span = Span::new(start.min(end), end);
    let source = span.of(body).to_owned();
    let (nodes, references) = (Vec::new(), Vec::new());
    let opaque = Opaque { block: OpaqueKind::Unknown, source, nodes, references };
    Node::new(span, BlockKind::Opaque(Box::new(opaque)))
}

/// Returns Markdown of an author who does not know the dialect, as Markdown of the dialect: what would
/// be a tag is text.
#[must_use]
pub fn without_tags(text: &str) -> String {
    text.replace("{%", "\\{%")
}

/// Returns `true` if a text is a single tag of a construct that takes an opening and a closing tag.
pub(crate) fn is_unpaired_tag(text: &str) -> bool {
    if text.starts_with("{%") {
        let tag = tag::Tag::parse(text).filter(|tag| tag.length == text.len());
        return tag.is_some_and(|tag| containers::is_container(&tag));
    }
    let mut tokens = markup::tokens(text).map(|(token, _)| token);
    let name = match (tokens.next(), tokens.next()) {
        (Some(markup::Token::Open(tag)), None) => tag.name,
        (Some(markup::Token::Close(name)), None) => name,
        _ => return false,
    };
    ["details", "summary", "div"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Returns the label and the location of each note of a text.
pub(crate) fn note_places(text: &str) -> Vec<(String, Span)> {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let masked = mask::mask(text);
    let mut options = Options::ENABLE_FOOTNOTES;
    options.set(Options::ENABLE_TABLES, table::omitted_cells(text) <= MAX_OMITTED_CELLS);
    let events = Parser::new_ext(&masked, options);
    let notes = events.into_offset_iter().filter_map(|(event, range)| match event {
        Event::Start(Tag::FootnoteDefinition(label)) => {
            Some((label.into_string(), Span::new(range.start, range.end)))
        }
        _ => None,
    });
    notes.collect()
}

/// Returns `true` if a text is a heading of level 1 that is underlined, and nothing else.
pub(crate) fn is_underlined_title(text: &str) -> bool {
    use pulldown_cmark::{Event, HeadingLevel, Parser, Tag};
    let masked = mask::mask(text);
    let mut events = Parser::new(&masked).into_offset_iter();
    let is_title = |(event, range): (Event<'_>, std::ops::Range<usize>)| {
        matches!(event, Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }))
            && range.end >= text.trim_end().len()
    };
    events.next().is_some_and(is_title)
}

/// The state shared by all parts of one parse.
pub(crate) struct ParseState<'c> {
    context: &'c ParseContext<'c>,
    /// The whole text.
    whole: &'c str,
    /// The labels of the notes of the whole text.
    note_labels: OnceCell<HashSet<&'c str>>,
    /// The keys and anchors that the text keeps from earlier.
    identity: &'c Identity,
    /// The number of JSON levels of the open containers.
    depth: Cell<usize>,
    /// Notes by label.
    notes: RefCell<HashMap<String, Note>>,
    has_annotations: Cell<bool>,
    /// Targets and titles of link definitions by label.
    definitions: RefCell<HashMap<String, (String, String)>>,
    /// Remaining bytes of definitions that links in parts of the text may repeat.
    definition_bytes: Cell<usize>,
    /// Remaining number of table cells that may be omitted.
    remaining_cells: Cell<usize>,
    /// References of frames and other embedded content within lines.
    frames: RefCell<Vec<Reference>>,
}

/// A note.
pub(crate) struct Note {
    body: Arc<Vec<Block>>,
    /// The offset of its start in the source.
    start: usize,
    /// The length of its source in bytes.
    size: usize,
    /// The number of JSON levels of its containers.
    levels: usize,
}

impl<'c> ParseState<'c> {
    /// Returns the labels of possible notes in the whole text.
    fn note_labels(&self) -> &HashSet<&'c str> {
        self.note_labels.get_or_init(|| {
            work::spend(self.whole.len());
            let lines =
                self.whole.split('\n').map(|line| line.trim_start_matches([' ', '\t', '>']));
            let labels =
                lines.filter_map(|line| Some(line.strip_prefix("[^")?.split_once("]:")?.0));
            labels.filter(|label| !label.is_empty() && !label.contains([']', '['])).collect()
        })
    }

    fn reference(&self, raw: &str, span: Span) -> Reference {
        Reference {
            raw: raw.to_owned(),
            span,
            target: reference::resolve(raw, self.context.path, self.context.lookup),
            name: None,
        }
    }

    /// Returns a reference whose text in the source is `text`, which names a person or a page of
    /// another space.
    fn named_reference(&self, raw: &str, span: Span, text: &str) -> Reference {
        let reference = self.reference(raw, span);
        let text = text.trim().trim_start_matches('@');
        let is_person = matches!(reference.target, ContentRef::User { .. });
        let is_named = is_person || reference.target.page_elsewhere().is_some();
        let is_name = is_named && !text.is_empty() && text != reference::label(raw) && text != raw;
        Reference { name: is_name.then(|| text.to_owned()), ..reference }
    }

    /// Returns an opaque block for source that is not understood, with the possible references of
    /// its HTML. `span` is its location.
    fn opaque(&self, source: String, span: Span) -> Opaque {
        let is_attribute = |found: &reference::ScannedTarget<'_>| {
            matches!(found.syntax, reference::Syntax::Attribute { .. })
        };
        let targets = reference::scan(&source).filter(is_attribute);
        let mut raws: Vec<_> = targets.map(|found| found.raw).collect();
        raws.sort_unstable();
        raws.dedup();
        let references = raws.iter().map(|raw| self.reference(raw, span)).collect();
        Opaque { block: OpaqueKind::Unknown, source, nodes: Vec::new(), references }
    }

    /// Reserves `cells` omitted table cells. Returns `false`, without reserving them, if fewer
    /// remain.
    fn reserve_cells(&self, cells: usize) -> bool {
        let left = self.remaining_cells.get().checked_sub(cells);
        self.remaining_cells.set(left.unwrap_or(self.remaining_cells.get()));
        left.is_some()
    }

    /// Calls `parse` in a container that takes `levels` JSON levels. Returns `None` if that exceeds
    /// the limit.
    fn nested<T>(&self, levels: usize, parse: impl FnOnce() -> T) -> Option<T> {
        if self.depth.get() + levels > MARKDOWN_JSON_LEVELS {
            return None;
        }
        self.depth.set(self.depth.get() + levels);
        let parsed = parse();
        self.depth.set(self.depth.get() - levels);
        Some(parsed)
    }
}

#[cfg(test)]
pub(crate) mod tests;
