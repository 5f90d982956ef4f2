//! Queries and their results.

pub(crate) mod dictionary;
pub(crate) mod evaluate;
pub(crate) mod lookup;
pub(crate) mod matcher;
pub(crate) mod names;
pub(crate) mod postings;
pub(crate) mod score;
pub(crate) mod search;
pub(crate) mod snippet;
pub(crate) mod units;

pub use names::NameHit;
pub use units::{MAX_SYNONYM_WORDS, count_words};

use std::ops::Range;

use bindery_model::{PageId, SpaceId};

use crate::entry::Condition;

/// Maximum length of a query in characters. Further ones are ignored.
pub const MAX_QUERY_CHARS: usize = 512;
/// Maximum number of the last page that a query can return. Totals are not limited.
pub const MAX_RANK: usize = 10_000;

/// A space that a query searches, and the part of it that the reader may see.
#[derive(Clone, Copy)]
pub struct Scope<'q> {
    /// The space.
    pub space: SpaceId,
    /// A factor of the scores: more than 1 for the reader's language and variant.
    pub weight: f32,
    /// Returns `true` for the conditions that hold for the reader. The search asks for each
    /// condition of the space once.
    pub holds: &'q dyn Fn(&Condition) -> bool,
}

impl<'q> Scope<'q> {
    /// Returns the scope of a space for readers for whom the given conditions hold.
    #[must_use]
    pub fn new(space: SpaceId, holds: &'q dyn Fn(&Condition) -> bool) -> Self {
        Self { space, weight: 1.0, holds }
    }
}

impl std::fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scope").field("space", &self.space).finish_non_exhaustive()
    }
}

/// The interpretation of the last word of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// All words are complete.
    #[default]
    Full,
    /// The last word may be the beginning of a word, unless a space follows it.
    Typing,
}

/// A query.
#[derive(Debug, Clone, Copy)]
pub struct Query<'q> {
    /// The text as typed.
    pub text: &'q str,
    /// The interpretation of the last word.
    pub mode: Mode,
    /// The spaces to search, each with the conditions that hold for the reader.
    pub scopes: &'q [Scope<'q>],
    /// Groups of words or phrases with the same meaning.
    pub synonyms: &'q [Vec<String>],
    /// The number of pages to skip.
    pub offset: usize,
    /// The number of pages to return.
    pub limit: usize,
}

impl<'q> Query<'q> {
    /// Returns a query for the first ten pages, with complete words and without synonyms.
    #[must_use]
    pub fn new(text: &'q str, scopes: &'q [Scope<'q>]) -> Self {
        Self { text, mode: Mode::Full, scopes, synonyms: &[], offset: 0, limit: 10 }
    }
}

/// The result of a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hits {
    /// The number of all pages that match.
    pub total: usize,
    /// The pages from the offset, best first.
    pub pages: Vec<PageHit>,
    /// Words that were replaced, because no page or few pages have them as typed.
    pub corrections: Vec<Correction>,
    /// `true` if no page has all words of the query, and the pages have only some of them.
    pub is_partial: bool,
    /// `false` if the query was too expensive to be evaluated to its end. The total is then a lower
    /// bound.
    pub is_complete: bool,
}

/// A word that was replaced by a similar one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The word as typed.
    pub typed: String,
    /// The word that was searched.
    pub used: String,
}

/// A page that matches a query.
#[derive(Debug, Clone, PartialEq)]
pub struct PageHit {
    /// The space.
    pub space: SpaceId,
    /// The page.
    pub page: PageId,
    /// The path in the space.
    pub path: String,
    /// The title.
    pub title: String,
    /// The byte ranges of the matches in the title.
    pub title_highlights: Vec<Range<usize>>,
    /// The description; may be empty.
    pub description: String,
    /// The titles of the pages above, outermost first.
    pub ancestors: Vec<String>,
    /// The score. Scores of one result can be compared.
    pub score: f32,
    /// The best sections, best first.
    pub sections: Vec<SectionHit>,
}

/// A section that matches a query.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionHit {
    /// The anchor of the heading; `None` for the text before the first heading.
    pub anchor: Option<String>,
    /// The heading.
    pub heading: String,
    /// The byte ranges of the matches in the heading.
    pub heading_highlights: Vec<Range<usize>>,
    /// The sentences that match best.
    pub snippet: String,
    /// The byte ranges of the matches in the snippet.
    pub highlights: Vec<Range<usize>>,
}
