//! Reads, writes, compares, merges and renders the documents of Bindery.
//!
//! A page is stored as a Markdown file in Bindery's dialect: CommonMark with the GitHub extensions
//! and tags such as `{% hint %}`. This crate converts between that source, the document model and
//! the JSON of the API, and does everything else that needs only the text. It performs no I/O:
//! callers pass sources in, and traits such as [`Lookup`] and [`Links`](html::Links) for everything
//! outside the text.
//!
//! Every function accepts any input: it returns a result without panicking, in time linear in the
//! length of the text. Source that the dialect does not define is kept verbatim as an opaque block
//! or reported as a [`Warning`].
//!
//! # Main types and functions
//!
//! - [`Page`] splits a file into its front matter ([`FrontMatter`]), title and body.
//! - [`markdown::parse`] parses a body into a [`Document`]; [`print::print`] writes a document as
//!   Markdown.
//! - [`Document::from_json`] reads the JSON of the API; `Document` implements `serde::Serialize`
//!   for the other direction.
//! - [`html::render`] renders a document for readers; [`text::plain`] extracts its text.
//! - [`diff::diff`] compares two documents; [`merge::merge`] merges two edited versions of one.
//! - [`Identity`] keeps the keys of blocks and the anchors of headings stable across edits.
//! - [`evaluation::evaluate_document`] evaluates the conditions and inline values of a page.
//! - [`Summary`] is a table of contents, [`Config`] a repository's configuration.
//! - [`ContentRef`] is the resolved target of a reference.
//! - [`rebase::Rebase`] rewrites the targets of a file that moved.
//!
//! # Layers
//!
//! Modules use each other in one direction only, except in tests. From the bottom: `source`,
//! `syntax` and [`mod@reference`]; the model, [`document`]; the formats [`markdown`], [`json`] and
//! [`html`], and [`text`]; then [`page`]; then [`identity`], [`mod@print`] and [`rebase`], which
//! parse and use whole pages. [`diff`] and [`merge`] use only the model; [`html`] shows what
//! [`diff`] found.
//!
//! # Example
//!
//! ```
//! use bindery_content::ParseContext;
//! use bindery_content::html::{self, NoLinks, RenderContext};
//! use bindery_content::markdown;
//! use bindery_content::reference::NoLookup;
//!
//! let context = ParseContext { path: "page.md", lookup: &NoLookup };
//! let document = markdown::parse("Read *this* first.\n", &context);
//! let html = html::render(&document, &RenderContext { links: &NoLinks, highlight: true });
//! assert_eq!(html.body, "<p>Read <em>this</em> first.</p>\n");
//! ```

mod alert;
pub mod anchor_index;
mod api_method;
#[cfg(any(test, feature = "arbitrary"))]
pub mod arbitrary;
pub mod config;
#[cfg(test)]
mod corpus;
pub mod diff;
pub mod document;
pub mod emoji;
pub mod evaluation;
pub mod front_matter;
pub mod head;
pub mod heading_scan;
mod highlight;
#[cfg(any(test, feature = "hostile"))]
pub mod hostile;
pub mod html;
pub mod identity;
pub mod json;
mod labels;
pub mod line_merge;
mod links;
pub mod markdown;
pub mod merge;
pub mod page;
mod pairing;
mod pieces;
pub mod print;
pub mod problems;
pub mod rebase;
pub mod reference;
pub mod shown;
pub mod slug;
pub mod source;
pub mod subsequence;
pub mod summary;
mod syntax;
pub mod text;
mod title_words;
mod work;
mod yaml;

pub use anchor_index::AnchorIndex;
pub use config::{Config, Variables};
pub use document::{Document, Identity};
pub use front_matter::FrontMatter;
pub use page::Page;
pub use reference::{ContentRef, Lookup, ParseContext, Target};
pub use source::{Span, Warning};
pub use summary::Summary;
pub use yaml::{Change, YamlError};
