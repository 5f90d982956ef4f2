//! Markdown of the dialect: read into documents, printed from them.
//!
//! A CommonMark parser with GFM's tables, boxes, strikethrough and footnotes does the ground
//! work. Before it, the mask makes block tags visible to it; after it, the folder pairs them
//! within each container, and the inline builder reads the dialect's HTML.

mod block;
mod finish;
mod fold;
mod html_block;
mod html_code;
mod html_table;
mod inline;
mod inline_parts;
pub(crate) mod markup;
mod mask;
mod place;
mod print;
mod table;
pub(crate) mod tag;
pub(crate) mod work;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::document::{
    Block, BlockKind, Document, Inline, Node, Opaque, OpaqueKind, Reference, Visit,
};
use crate::identity::Identity;
use crate::reference::{self, Lookup};
use crate::source::Span;

pub(crate) use finish::{hash, part};
pub(crate) use fold::length;
use place::Place;
pub use print::print;

/// So many levels of JSON the containers around a block may take: a container of blocks takes two,
/// or four where it has parts. What is deeper is kept as opaque source.
///
/// Many readers of JSON refuse more than 128 levels. A document has two of its own, a block with
/// its text at most ten, and the rest is for the answer that the document is part of.
pub(crate) const JSON_LEVELS: usize = 108;
/// What Markdown may take of [`JSON_LEVELS`]: a table with a list in a cell fits at any place.
const DEPTH_LIMIT: usize = JSON_LEVELS - 8;
/// So many cells of tables a source may leave out. More of them would make a table of a few
/// kilobytes take gigabytes.
const FILLED_CELLS_LIMIT: usize = 100_000;
/// Bytes of definitions that links in parts of a text may repeat, beyond the length of the text: as
/// much as the CommonMark parser repeats for links outside of parts.
const DEFINITION_BYTES: usize = 100_000;
/// What a note takes, with the line that it is on.
const NOTE_LEVELS: usize = 6;

/// Longest text that is read as Markdown, in bytes; a longer one is kept as it is, as one opaque
/// block. It bounds the time and memory of everything that works on documents: the longest page of
/// 5,700 real ones has a third of this.
pub const PARSE_LIMIT: usize = 512 << 10;
/// Blocks, pieces of lines and lines of code that are read from a text at most; one of more is kept
/// as one that is too long.
pub const NODE_LIMIT: usize = 60_000;

/// What is known around a text that is parsed.
#[derive(Clone, Copy)]
pub struct ParseContext<'c> {
    /// The file's path from the content's root.
    pub path: &'c str,
    /// Which pages and files exist.
    pub lookup: &'c dyn Lookup,
}

/// Reads the body of a page: what follows its front matter and title.
///
/// Places in the result are offsets in `body`. Any text gives a document.
#[must_use]
pub fn parse(body: &str, context: &ParseContext<'_>) -> Document {
    parse_as(body, context, &Identity::default())
}

/// As [`parse`], with what the text has of before.
#[must_use]
pub fn parse_as(body: &str, context: &ParseContext<'_>, identity: &Identity) -> Document {
    let shared = Shared {
        context,
        whole: body,
        note_labels: OnceCell::new(),
        identity,
        depth: Cell::new(0),
        notes: RefCell::default(),
        has_annotations: Cell::new(false),
        definitions: RefCell::default(),
        definition_bytes: Cell::new(body.len() + DEFINITION_BYTES),
        cells_to_fill: Cell::new(FILLED_CELLS_LIMIT),
        frames: RefCell::default(),
    };
    let mut read = Document::default();
    if body.len() <= PARSE_LIMIT {
        read.nodes = block::parse_whole(body, &shared);
    }
    if body.len() > PARSE_LIMIT || node_count(&read) > NODE_LIMIT {
        read.nodes = vec![oversized(body)];
        shared.has_annotations.set(false);
        shared.frames.take();
    }
    finish::document(read.nodes, body, &shared)
}

/// Returns the number of blocks and pieces of lines in a document.
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

/// A text that is too long to be read, as it is but for the line ends around it.
fn oversized(body: &str) -> Block {
    let start = body.len() - body.trim_start_matches(['\n', '\r']).len();
    let end = body.trim_end_matches(['\n', '\r']).len();
    let span = Span::new(start.min(end), end);
    let source = span.of(body).to_owned();
    let (nodes, references) = (Vec::new(), Vec::new());
    let opaque = Opaque { block: OpaqueKind::Unknown, source, nodes, references };
    Node::new(span, BlockKind::Opaque(Box::new(opaque)))
}

/// Whether a text is nothing but tags of HTML and comments, as they may stand within a line. What
/// stands in place of a frame belongs to its tags.
pub(crate) fn is_inline_markup(text: &str) -> bool {
    let mut frame: Option<&str> = None;
    !text.is_empty()
        && markup::tokens(text).all(|(token, _)| {
            match token {
                markup::Token::Text(_) => return frame.is_some(),
                markup::Token::Open(tag) if frame.is_none() && tag.holds_fallback() => {
                    frame = Some(tag.name);
                }
                markup::Token::Close(name)
                    if frame.is_some_and(|open| open.eq_ignore_ascii_case(name)) =>
                {
                    frame = None;
                }
                _ => {}
            }
            true
        })
        && frame.is_none()
}

/// What the tags of a line show from elsewhere: the targets as the source has them.
pub(crate) fn frame_targets(markup: &str) -> impl Iterator<Item = String> {
    markup::tokens(markup).filter_map(|(token, _)| match token {
        markup::Token::Open(tag) if tag.is_frame() || tag.is("source") => tag.text("src"),
        _ => None,
    })
}

/// The length of the block tag that a text begins with.
pub(crate) fn tag_length(text: &str) -> Option<usize> {
    if text.starts_with("{%") { tag::end(text) } else { None }
}

/// Whether a text is a tag that begins or ends what takes two.
pub(crate) fn is_half(text: &str) -> bool {
    if text.starts_with("{%") {
        let tag = tag::Tag::parse(text).filter(|tag| tag.length == text.len());
        return tag.is_some_and(|tag| fold::is_container(&tag));
    }
    let mut tokens = markup::tokens(text).map(|(token, _)| token);
    let name = match (tokens.next(), tokens.next()) {
        (Some(markup::Token::Open(tag)), None) => tag.name,
        (Some(markup::Token::Close(name)), None) => name,
        _ => return false,
    };
    ["details", "summary", "div"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The labels of the notes of a text, and where each note is.
pub(crate) fn note_places(text: &str) -> Vec<(String, Span)> {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let masked = mask::mask(text);
    let mut options = Options::ENABLE_FOOTNOTES;
    options.set(Options::ENABLE_TABLES, table::cells_to_fill(text) <= FILLED_CELLS_LIMIT);
    let events = Parser::new_ext(&masked, options);
    let notes = events.into_offset_iter().filter_map(|(event, range)| match event {
        Event::Start(Tag::FootnoteDefinition(label)) => {
            Some((label.into_string(), Span::new(range.start, range.end)))
        }
        _ => None,
    });
    notes.collect()
}

/// What all parts of one parse share.
pub(crate) struct Shared<'c> {
    context: &'c ParseContext<'c>,
    /// The whole text.
    whole: &'c str,
    /// The labels of the notes of the whole.
    note_labels: OnceCell<HashSet<&'c str>>,
    /// What the text has of before.
    identity: &'c Identity,
    /// How many levels of JSON the containers take that are open.
    depth: Cell<usize>,
    /// The bodies of notes by their labels.
    notes: RefCell<HashMap<String, Note>>,
    has_annotations: Cell<bool>,
    /// Targets and titles of the definitions of links, by their labels.
    definitions: RefCell<HashMap<String, (String, String)>>,
    /// Bytes of definitions that links in parts of the text may still repeat.
    definition_bytes: Cell<usize>,
    /// How many cells of tables may still be left out.
    cells_to_fill: Cell<usize>,
    /// What tags within lines show from elsewhere.
    frames: RefCell<Vec<Reference>>,
}

/// The body of a note.
pub(crate) struct Note {
    body: Arc<Vec<Block>>,
    /// Bytes of its source.
    size: usize,
    /// How many levels of JSON its containers take.
    levels: usize,
}

impl<'c> Shared<'c> {
    /// The labels of what may be notes of the whole.
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
        }
    }

    /// Source that is not understood, with what its HTML may point to; `span` is its place.
    fn opaque(&self, source: String, span: Span) -> Opaque {
        let is_attribute = |place: &reference::Place<'_>| {
            matches!(place.syntax, reference::Syntax::Attribute { .. })
        };
        let places = reference::scan(&source).filter(is_attribute);
        let mut raws: Vec<_> = places.map(|place| place.raw).collect();
        raws.sort_unstable();
        raws.dedup();
        let references = raws.iter().map(|raw| self.reference(raw, span)).collect();
        Opaque { block: OpaqueKind::Unknown, source, nodes: Vec::new(), references }
    }

    /// Whether so many more cells may be filled that the source leaves out; then they are counted.
    fn may_fill(&self, cells: usize) -> bool {
        let left = self.cells_to_fill.get().checked_sub(cells);
        self.cells_to_fill.set(left.unwrap_or(self.cells_to_fill.get()));
        left.is_some()
    }

    /// Runs `parse` in a container that takes so many levels; `None` where that is too deep.
    fn deeper<T>(&self, levels: usize, parse: impl FnOnce() -> T) -> Option<T> {
        if self.depth.get() + levels > DEPTH_LIMIT {
            return None;
        }
        self.depth.set(self.depth.get() + levels);
        let parsed = parse();
        self.depth.set(self.depth.get() - levels);
        Some(parsed)
    }
}

#[cfg(test)]
mod dialect;
#[cfg(test)]
mod forms;
#[cfg(test)]
pub(crate) mod properties;
#[cfg(test)]
mod tests;
