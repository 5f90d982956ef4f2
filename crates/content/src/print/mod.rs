//! Documents printed as Markdown of the dialect.
//!
//! [`print()`] gives a document in its one canonical style. [`print_edited`] gives a source in
//! which only what an edit changed is printed anew. Both read what they print before they give
//! it away: what comes out means what went in.

mod block;
mod careful;
mod check;
mod code;
mod edit;
mod escape;
mod inline;
mod marks;
mod normal;
mod normal_inline;
mod normal_opaque;
mod normal_table;
mod notes;
mod table;
pub mod trial;
mod writer;

use std::borrow::Cow;

use crate::document::same::Content;
use crate::document::{Document, Reference};
use crate::markdown::ParseContext;
use crate::reference::{self, Lookup, Names};

pub use edit::{print_edited, print_page, print_page_edited};
pub use normal::normal;

/// What is known around a document that is printed.
#[derive(Clone, Copy)]
pub struct PrintContext<'c> {
    /// The file's path from the content's root.
    pub path: &'c str,
    /// Which pages and files exist.
    pub lookup: &'c dyn Lookup,
    /// Under which names they are stored.
    pub names: &'c dyn Names,
}

impl<'c> PrintContext<'c> {
    /// What reads the printed text.
    #[must_use]
    pub fn reader(&self) -> ParseContext<'c> {
        ParseContext { path: self.path, lookup: self.lookup }
    }
}

/// Prints a document in the canonical style: Markdown that is read as the document's
/// [normal()] form.
#[must_use]
pub fn print(document: &Document, context: &PrintContext<'_>) -> String {
    let reader = context.reader();
    let expected = normal(document, &reader);
    if let Some(verbatim) = normal::normal_but_halves(document, &reader) {
        // Most halves of pairs of tags are read as nothing else where they stand.
        let printed = block::document(&verbatim, context);
        if normal(&crate::markdown::parse(&printed, &reader), &reader).nodes.same(&expected.nodes) {
            return printed;
        }
    }
    block::document(&expected, context)
}

/// The text of a reference: as it was written where that still leads to its target, else anew.
fn reference_text<'r>(reference: &'r Reference, context: &PrintContext<'_>) -> Cow<'r, str> {
    let raw = reference.raw.as_str();
    let holds = || match &reference.target {
        reference::ContentRef::Url { url } if url == raw => true,
        target => reference::resolve(raw, context.path, context.lookup) == *target,
    };
    if holds() {
        return Cow::Borrowed(raw);
    }
    match reference::write(&reference.target, context.path, context.names) {
        Some(text) => Cow::Owned(text),
        None => Cow::Borrowed(raw),
    }
}

#[cfg(test)]
mod tests;
