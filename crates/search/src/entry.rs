//! The content of a page as the index takes it.

use bindery_model::{PageId, SpaceId};
use serde::{Deserialize, Serialize};

/// A condition for seeing a page or a part of it.
///
/// The index compares conditions and does not know their meaning: a scope decides which of them
/// hold for a reader.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Condition {
    /// Pages that are hidden from the navigation and the search of readers.
    Hidden,
    /// An expression, such as the condition of an adaptive page or block, in a form that says all
    /// that its value depends on apart from the visitor.
    Expression(String),
}

/// A page to index.
#[derive(Debug, Clone, PartialEq)]
pub struct PageEntry {
    /// The id.
    pub id: PageId,
    /// The path in its space, without a leading slash.
    pub path: String,
    /// The title.
    pub title: String,
    /// The description; may be empty.
    pub description: String,
    /// The titles of the pages above it, outermost first.
    pub ancestors: Vec<String>,
    /// The language of the text as a tag of BCP 47.
    pub language: Option<String>,
    /// A factor of the score: 1 for most pages. It is kept within 0.1 and 10.
    pub boost: f32,
    /// Conditions that must all hold for seeing the page at all.
    pub conditions: Vec<Condition>,
    /// The parts of the text, in order.
    pub sections: Vec<Section>,
}

/// A part of a page: a heading and the text below it, or a part of that text with conditions of its
/// own.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// The anchor of the heading; `None` before the first heading.
    pub anchor: Option<String>,
    /// The text of the heading.
    pub heading: String,
    /// The level of the heading: 1 to 3, or 0 before the first heading.
    pub level: u8,
    /// `true` for a further part of a section whose heading an earlier part has.
    pub is_continuation: bool,
    /// The text, including inline code.
    pub text: String,
    /// The words that the text emphasises, separated by line feeds.
    pub emphasis: String,
    /// The text of code blocks.
    pub code: String,
    /// Conditions that must hold for seeing this part, besides those of the page.
    pub conditions: Vec<Condition>,
}

/// A page in a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PageKey {
    /// The space.
    pub space: SpaceId,
    /// The page.
    pub page: PageId,
}
