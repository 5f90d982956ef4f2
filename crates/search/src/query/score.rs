//! The score of a page.
//!
//! Each unit adds its inverse frequency times a value for the places in which it was found. The text
//! counts as in BM25; a title or a heading adds a fixed value. A title that says the whole query and
//! nothing else adds as much as the words themselves, so that the page of that name comes first.

use crate::page::Facts;
use crate::query::lookup::Place;
use crate::query::postings::Occurrence;
use crate::query::units::Variant;

/// The saturation of frequencies, as in BM25.
const K1: f32 = 1.2;
/// The length of a common page in words.
const COMMON_WORDS: f32 = 400.0;

const IN_HEADING: f32 = 0.6;
const IN_ANCESTORS: f32 = 0.2;
const EMPHASIS_FREQUENCY: f32 = 1.0;
const CODE_FREQUENCY: f32 = 0.6;
/// The value of a title that says the whole query and nothing else: a part that counts the share of
/// the query that it says, and a part that counts the square of the share.
const TITLE_COVERAGE: f32 = 1.0;
const FULL_TITLE_COVERAGE: f32 = 1.2;
/// The value of the same words in the same order.
const WHOLE_TITLE: f32 = 0.6;
const WHOLE_HEADING: f32 = 0.5;
/// The value of a page at the top of its space, against one deep below.
const DEPTH: f32 = 0.04;

/// The values that depend on the kind of the query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scoring {
    /// The weight of the length of a text, as in BM25.
    length: f32,
    /// The value of a word in the title.
    title: f32,
}

impl Scoring {
    /// The values for pages that have all words.
    pub(crate) const ALL: Self = Self { length: 0.35, title: 1.1 };
    /// The values for pages that have some of the words. Long pages have some words of everything,
    /// so the length and the title say more about the subject of a page.
    pub(crate) const SOME: Self = Self { length: 1.0, title: 2.0 };

    /// Returns the factor for the length of a page.
    pub(crate) fn length_factor(self, facts: Facts) -> f32 {
        K1 * (1.0 - self.length + self.length * f32::from(facts.body_words) / COMMON_WORDS)
    }
}

/// The result of one unit in one page.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct UnitScore {
    pub(crate) value: f32,
    /// The factor of the best variant in the title, 0 without one.
    pub(crate) title: f32,
    /// The variant with the best value.
    pub(crate) variant: usize,
}

/// Returns the inverse frequency of a unit that is in `documents` of `total` pages.
pub(crate) fn inverse_frequency(documents: u64, total: u64) -> f32 {
    let (documents, total) = (documents.min(total) as f32, total as f32);
    (1.0 + (total - documents + 0.5) / (documents + 0.5)).ln()
}

/// Scores the occurrences of a unit, which are ordered by variant. The best variant counts.
pub(crate) fn score_unit(
    occurrences: &[Occurrence],
    variants: &[Variant],
    shares: &[f32],
    scoring: Scoring,
    length: f32,
) -> UnitScore {
    let mut best = UnitScore::default();
    for group in occurrences.chunk_by(|a, b| a.variant == b.variant) {
        let Some(first) = group.first() else { continue };
        let factor = variants.get(first.variant).map_or(0.0, |variant| variant.factor);
        let share = shares.get(first.variant).copied().unwrap_or(1.0);
        let (mut frequency, mut flat) = (0.0, 0.0);
        let mut title: f32 = 0.0;
        for one in group {
            let count = one.frequency as f32;
            match one.place {
                Place::Title => {
                    flat += scoring.title;
                    title = factor;
                }
                Place::Heading => flat += IN_HEADING * (1.0 - 0.5f32.powf(count)) * 2.0 / 1.5,
                Place::Ancestors => flat += IN_ANCESTORS,
                Place::Emphasis => frequency += EMPHASIS_FREQUENCY * count,
                Place::Body => frequency += count,
                Place::Code => frequency += CODE_FREQUENCY * count,
            }
        }
        let value = factor * share * (flat + frequency / (frequency + length));
        best.title = best.title.max(title);
        if value > best.value {
            best.value = value;
            best.variant = first.variant;
        }
    }
    best
}

/// The factors of a page's score, apart from the scores of its units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageScore {
    /// The sum of inverse frequencies times values.
    pub(crate) sum: f32,
    /// The sum of the inverse frequencies of all units.
    pub(crate) all: f32,
    /// The same for the units in the title, times their factors.
    pub(crate) in_title: f32,
    /// The number of words of the query in the title.
    pub(crate) title_words: usize,
    pub(crate) is_whole_title: bool,
    pub(crate) is_whole_heading: bool,
}

impl PageScore {
    pub(crate) fn total(self, facts: Facts, weight: f32) -> f32 {
        let words = self.title_words.min(usize::from(facts.title_words)) as f32;
        let of_title = words / f32::from(facts.title_words.max(1));
        let of_query = if self.all > 0.0 { self.in_title / self.all } else { 0.0 };
        let mut extra = (TITLE_COVERAGE + FULL_TITLE_COVERAGE * of_query) * of_query * of_title;
        if self.is_whole_title {
            extra += WHOLE_TITLE;
        }
        if self.is_whole_heading {
            extra += WHOLE_HEADING;
        }
        extra += DEPTH / (1.0 + f32::from(facts.depth));
        (self.sum + self.all * extra) * facts.boost * weight
    }
}
