//! Prints documents as Markdown of the dialect.
//!
//! [`print()`] prints a document in its canonical style. [`print_edited`] prints only what an edit
//! changed and copies the rest from the source. Both parse their result before they return it, to
//! ensure that it has the meaning of the document.

mod block;
mod check;
mod code;
mod edit;
mod escape;
mod escaping_levels;
mod inline;
mod marks;
mod normal;
mod normal_inline;
mod normal_opaque;
mod normal_table;
mod notes;
pub mod random_edit;
mod table;
mod writer;

use std::borrow::Cow;

use crate::document::equality::ContentEq;
use crate::document::{Document, OpenApiPart, Reference};
use crate::reference::{self, Lookup, Names, ParseContext};

pub use edit::{print_edited, print_page, print_page_edited, print_page_edited_as};
pub use normal::normal;
use normal::{Stable, normal_with};

/// The surroundings of a document that is printed.
#[derive(Clone, Copy)]
pub struct PrintContext<'c> {
    /// The file's path from the content root.
    pub path: &'c str,
    /// Looks up the pages and files that exist.
    pub lookup: &'c dyn Lookup,
    /// Looks up the paths under which they are stored.
    pub names: &'c dyn Names,
}

impl<'c> PrintContext<'c> {
    /// Returns the context for parsing the printed text.
    #[must_use]
    pub fn reader(&self) -> ParseContext<'c> {
        ParseContext { path: self.path, lookup: self.lookup }
    }
}

/// Prints a text without marks in one line.
#[must_use]
pub fn plain(text: &str) -> String {
    escape::plain(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Prints a block for a part of the OpenAPI specification with this slug.
#[must_use]
pub fn open_api(spec: &str, part: &OpenApiPart) -> String {
    let (tag, name) = block::open_api_tag(part, spec);
    let label = escape::plain(&format!("OpenAPI {spec}"));
    format!("{{% {tag} %}}\n{label}\n{{% end{name} %}}\n")
}

/// Prints a document in the canonical style. The result parses to the document's [normal()] form.
#[must_use]
pub fn print(document: &Document, context: &PrintContext<'_>) -> String {
    let reader = context.reader();
    let stable = Stable::default();
    let expected = normal_with(document, &reader, &stable);
    if let Some(verbatim) = normal::normal_with_unpaired_tags(document, &reader, &stable) {
        // Most unpaired tags can stay where they are.
        let printed = block::document(&verbatim, context, &stable);
        let read = crate::markdown::parse(&printed, &reader);
        if normal_with(&read, &reader, &stable).nodes.content_eq(&expected.nodes) {
            return printed;
        }
    }
    block::document(&expected, context, &stable)
}

/// Returns the text of a reference: as written if that still resolves to its target, otherwise
/// written again.
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
