//! Documents and the Markdown dialect: pure, no I/O.
//!
//! Everything here is total: any text gives a result, never a panic, in time linear in its
//! length. What is not understood is kept verbatim and reported as a [`Warning`] or an opaque
//! block.

mod alert;
pub mod config;
#[cfg(test)]
mod corpus;
pub mod diff;
pub mod document;
pub mod emoji;
pub mod expression;
pub mod front_matter;
mod highlight;
#[cfg(any(test, feature = "hostile"))]
pub mod hostile;
pub mod html;
pub mod identity;
pub mod markdown;
pub mod merge;
pub mod page;
mod pairing;
mod pieces;
pub mod print;
pub mod reference;
pub mod slug;
pub mod source;
pub mod summary;
pub mod text;
mod yaml;

pub use config::{Config, Variables};
pub use document::Document;
pub use front_matter::FrontMatter;
pub use identity::Identity;
pub use markdown::ParseContext;
pub use page::Page;
pub use reference::{ContentRef, Lookup, Target};
pub use source::{Span, Warning};
pub use summary::Summary;
pub use yaml::{Change, YamlError};
