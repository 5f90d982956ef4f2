//! Markdown of the dialect: read into documents, printed from them.
//!
//! A CommonMark parser with GFM's tables, boxes, strikethrough and footnotes does the ground
//! work. Before it, the mask makes block tags visible to it; after it, the folder pairs them
//! within each container, and the inline builder reads the dialect's HTML.

mod block;
mod finish;
mod fold;
mod html_block;
mod html_table;
mod inline;
mod inline_parts;
pub(crate) mod markup;
mod mask;
mod place;
mod print;
mod table;
mod tag;
mod work;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use crate::document::{Block, Document, Reference};
use crate::reference::{self, Lookup};
use crate::source::Span;

use place::Place;
pub use print::print;

/// Containers nested deeper than this are kept as opaque source.
pub const DEPTH_LIMIT: usize = 100;

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
    let shared = Shared {
        context,
        depth: Cell::new(0),
        notes: RefCell::default(),
        has_annotations: Cell::new(false),
    };
    let nodes = block::parse(body, Place::Offset(0), &shared);
    finish::document(nodes, body, &shared)
}

/// What all parts of one parse share.
pub(crate) struct Shared<'c> {
    context: &'c ParseContext<'c>,
    /// How many containers are open.
    depth: Cell<usize>,
    /// The bodies of notes by their labels.
    notes: RefCell<HashMap<String, Note>>,
    has_annotations: Cell<bool>,
}

/// The body of a note.
pub(crate) struct Note {
    body: Arc<Vec<Block>>,
    /// Bytes of its source.
    size: usize,
}

impl Shared<'_> {
    fn reference(&self, raw: &str, span: Span) -> Reference {
        Reference {
            raw: raw.to_owned(),
            span,
            target: reference::resolve(raw, self.context.path, self.context.lookup),
        }
    }

    /// Runs `parse` one container deeper; `None` where that is too deep.
    fn deeper<T>(&self, parse: impl FnOnce() -> T) -> Option<T> {
        if self.depth.get() >= DEPTH_LIMIT {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let parsed = parse();
        self.depth.set(self.depth.get() - 1);
        Some(parsed)
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
