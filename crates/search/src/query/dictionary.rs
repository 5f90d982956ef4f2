//! Finds the words of the index that begin with a text or resemble a word.

use std::collections::HashMap;
use std::sync::OnceLock;

use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder, SINK_STATE};
use tantivy_fst::Automaton;

use crate::analyzer::FormKind;
use crate::error::SearchError;
use crate::query::lookup::{OpenSegment, Places, SearchedSpace};
use crate::query::units::{Origin, Prefix, Target, Unit, Variant};
use crate::schema::{FormPrefix, NAMESPACE_LEN, WordPart, split_word};

/// Maximum number of words that a beginning is completed to.
const MAX_COMPLETIONS: usize = 24;
/// The length from which a beginning is completed to words of the text, in characters.
const MIN_COMPLETED: usize = 3;
/// Maximum number of words that a word is corrected to.
const MAX_CORRECTIONS: usize = 6;
/// Maximum number of terms that are read to complete or correct one word.
const MAX_TERMS: usize = 40_000;
/// The length from which a word may differ in two letters, in characters.
const TWO_ERRORS: usize = 8;
/// The number of pages below which a word may be an error.
pub(crate) const FEW_DOCUMENTS: u64 = 3;

/// The minimum ratio of the frequency of a correction to that of the word that it replaces.
const MORE_FREQUENT: f32 = 10.0;

/// The factor of a completed word.
const COMPLETED: f32 = 0.85;
/// The factors of words that differ in one and in two letters.
const CORRECTED: [f32; 2] = [0.6, 0.4];

/// A word of the index.
struct KnownWord {
    word: String,
    /// The number of documents, counting titles and headings more.
    frequency: f32,
}

/// The value of a document that has a word in a part.
fn part_weight(part: WordPart) -> f32 {
    match part {
        WordPart::Title => 6.0,
        WordPart::Heading => 3.0,
        WordPart::Place | WordPart::Emphasis | WordPart::Body | WordPart::Code => 1.0,
    }
}

/// Adds the words that begin with the prefix of a unit to its variants.
pub(crate) fn complete(
    unit: &mut Unit,
    spaces: &[SearchedSpace],
    segments: &[OpenSegment<'_>],
    places: Places,
) -> Result<(), SearchError> {
    let (prefix, is_whole) = match &unit.prefix {
        Some(Prefix::Word(prefix)) => (prefix.clone(), false),
        Some(Prefix::Whole(prefix)) => (prefix.clone(), true),
        None => return Ok(()),
    };
    // Almost every page has words that begin with a certain letter.
    let is_short = !is_whole && prefix.chars().nth(MIN_COMPLETED - 1).is_none();
    let origin = if is_short { Origin::CompletedInNames } else { Origin::Completed };
    let mut words = Collected::new();
    for (at, segment) in segments.iter().enumerate() {
        for namespace in spaces.iter().flat_map(|space| space.namespaces_in(at)) {
            let mut from = namespace.clone();
            if is_whole {
                from.push(FormPrefix::Kind(FormKind::Whole).letter());
            }
            from.push_str(&prefix);
            let mut to = from.clone();
            to.push(char::MAX);
            let dictionary = if is_whole { segment.forms.terms() } else { segment.words.terms() };
            let stream = dictionary.range().ge(&from).lt(&to).into_stream();
            let mut stream = stream.map_err(SearchError::damaged)?;
            while words.left > 0
                && let Some((term, info)) = stream.next()
            {
                if is_whole {
                    let text = term.get(NAMESPACE_LEN + 1..term.len().saturating_sub(2));
                    words.add(text.unwrap_or_default(), info.doc_freq as f32);
                } else if let Some((word, part)) = split_word(term)
                    && places.include(part)
                    && (!is_short || matches!(part, WordPart::Title | WordPart::Heading))
                {
                    words.add(word.as_bytes(), info.doc_freq as f32 * part_weight(part));
                } else {
                    words.left -= 1;
                }
            }
        }
    }
    let mut known = words.finish();
    known.retain(|known| known.word != prefix);
    known.sort_by(|a, b| b.frequency.total_cmp(&a.frequency).then_with(|| a.word.cmp(&b.word)));
    known.truncate(MAX_COMPLETIONS);
    for KnownWord { word, .. } in known {
        let target =
            if is_whole { Target::Form(FormKind::Whole, word) } else { Target::Word(word) };
        if unit.variants.iter().all(|variant| variant.target != target) {
            unit.variants.push(Variant { target, factor: COMPLETED, origin });
        }
    }
    Ok(())
}

/// Adds the words that resemble the word of a unit to its variants. The best are those with few
/// differences and many pages. A word that `documents` pages have is corrected only to words that
/// many more pages have.
pub(crate) fn correct(
    unit: &mut Unit,
    documents: u64,
    spaces: &[SearchedSpace],
    segments: &[OpenSegment<'_>],
    places: Places,
) -> Result<(), SearchError> {
    let Some(word) = unit.correctable().map(str::to_owned) else { return Ok(()) };
    let is_prefix = unit.prefix.is_some();
    let more = documents as f32 * MORE_FREQUENT;
    let mut ranked = Vec::new();
    // Words with two errors are many and seldom needed.
    for limit in 1..=max_errors(&word) {
        ranked = similar(&word, limit, is_prefix, spaces, segments, places)?;
        ranked.retain(|known| known.word != word && known.documents >= more);
        if !ranked.is_empty() {
            break;
        }
    }
    ranked.sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| a.word.cmp(&b.word)));
    let best = ranked.first().map_or(0.0, |known| known.value);
    for known in ranked.into_iter().take(MAX_CORRECTIONS) {
        let base = CORRECTED.get(known.errors - 1).copied().unwrap_or_default();
        // The best correction is far more likely than the others.
        let factor = base * (0.6 + 0.4 * (known.value / best));
        let target = Target::Word(known.word);
        if unit.variants.iter().all(|variant| variant.target != target) {
            unit.variants.push(Variant { target, factor, origin: Origin::Corrected });
        }
    }
    Ok(())
}

/// A word that resembles another one.
struct SimilarWord {
    word: String,
    documents: f32,
    errors: usize,
    /// The frequency, divided by how unlikely the errors are.
    value: f32,
}

/// Returns the words with one to `limit` errors.
fn similar(
    word: &str,
    limit: usize,
    is_prefix: bool,
    spaces: &[SearchedSpace],
    segments: &[OpenSegment<'_>],
    places: Places,
) -> Result<Vec<SimilarWord>, SearchError> {
    let mut automaton = Similar::new(word, limit, is_prefix);
    let mut words = Collected::new();
    for (at, segment) in segments.iter().enumerate() {
        for namespace in spaces.iter().flat_map(|space| space.namespaces_in(at)) {
            namespace.as_bytes().clone_into(&mut automaton.namespace);
            let stream = segment.words.terms().search(&automaton).into_stream();
            let mut stream = stream.map_err(SearchError::damaged)?;
            while words.left > 0
                && let Some((term, info)) = stream.next()
            {
                match split_word(term) {
                    Some((word, part)) if places.include(part) => {
                        words.add(word.as_bytes(), info.doc_freq as f32 * part_weight(part));
                    }
                    _ => words.left -= 1,
                }
            }
        }
    }
    let found = words.finish().into_iter().filter_map(|known| {
        let errors =
            if is_prefix { prefix_errors(word, &known.word) } else { errors(word, &known.word) };
        let factor = 12f32.powi(1 - i32::try_from(errors).unwrap_or(i32::MAX));
        (1..=limit).contains(&errors).then_some(SimilarWord {
            documents: known.frequency,
            value: known.frequency * factor,
            word: known.word,
            errors,
        })
    });
    Ok(found.collect())
}

/// The words that were read, with the sums of their frequencies.
struct Collected {
    /// The number of terms that may still be read.
    left: usize,
    words: HashMap<Box<[u8]>, f32>,
    last: Vec<u8>,
    frequency: f32,
}

impl Collected {
    fn new() -> Self {
        Self { left: MAX_TERMS, words: HashMap::new(), last: Vec::new(), frequency: 0.0 }
    }

    /// Adds a term. The parts of a word follow each other.
    fn add(&mut self, word: &[u8], frequency: f32) {
        self.left -= 1;
        if self.last != word {
            self.flush();
            self.last.extend_from_slice(word);
        }
        self.frequency += frequency;
    }

    fn flush(&mut self) {
        if !self.last.is_empty() {
            match self.words.get_mut(self.last.as_slice()) {
                Some(known) => *known += self.frequency,
                None => {
                    self.words.insert(self.last.as_slice().into(), self.frequency);
                }
            }
        }
        self.last.clear();
        self.frequency = 0.0;
    }

    fn finish(mut self) -> Vec<KnownWord> {
        self.flush();
        let words = self.words.into_iter();
        words
            .filter_map(|(word, frequency)| {
                let word = String::from_utf8(word.into_vec()).ok()?;
                Some(KnownWord { word, frequency })
            })
            .collect()
    }
}

/// Returns the number of errors that a word may have: none below four letters, one below eight.
fn max_errors(word: &str) -> usize {
    match word.chars().count() {
        0..=3 => 0,
        4..TWO_ERRORS => 1,
        _ => 2,
    }
}

/// Returns the number of letters that were added, left out, replaced or swapped with the next one.
/// An error in the first letter counts twice.
fn errors(typed: &str, word: &str) -> usize {
    let a: Vec<char> = typed.chars().collect();
    let b: Vec<char> = word.chars().collect();
    let distance = distances(&a, &b).last().copied().unwrap_or_default();
    distance + usize::from(distance > 0 && a.first() != b.first())
}

/// Returns the number of errors in the beginning of a word.
fn prefix_errors(typed: &str, word: &str) -> usize {
    let a: Vec<char> = typed.chars().collect();
    let b: Vec<char> = word.chars().take(a.len() + 2).collect();
    let distance = distances(&a, &b).into_iter().min().unwrap_or_default();
    distance + usize::from(distance > 0 && a.first() != b.first())
}

/// Returns the distances of Damerau and Levenshtein (with adjacent swaps) between `a` and each
/// beginning of `b`.
fn distances(a: &[char], b: &[char]) -> Vec<usize> {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        let mut left = i + 1;
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX / 2);
            let mut cost =
                (at(&above, j) + usize::from(x != y)).min(at(&above, j + 1) + 1).min(left + 1);
            let is_swap = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if is_swap {
                cost = cost.min(at(&before, j - 1) + 1);
            }
            row.push(cost);
            left = cost;
        }
        before = std::mem::replace(&mut above, row);
    }
    above
}

/// Accepts the terms of a namespace whose words resemble a word.
struct Similar {
    namespace: Vec<u8>,
    dfa: DFA,
}

/// The position in a term.
#[derive(Clone, Copy)]
enum At {
    Namespace(usize),
    Word(u32),
    /// After the word. The rest of the term is its part.
    Part,
    Nowhere,
}

impl Similar {
    fn new(word: &str, limit: usize, is_prefix: bool) -> Self {
        static BUILDERS: OnceLock<[LevenshteinAutomatonBuilder; 2]> = OnceLock::new();
        let builders =
            BUILDERS.get_or_init(|| [1, 2].map(|d| LevenshteinAutomatonBuilder::new(d, true)));
        let [one, two] = builders;
        let builder = if limit >= 2 { two } else { one };
        let dfa = if is_prefix { builder.build_prefix_dfa(word) } else { builder.build_dfa(word) };
        Self { namespace: Vec::new(), dfa }
    }
}

impl Automaton for &Similar {
    type State = At;

    fn start(&self) -> At {
        At::Namespace(0)
    }

    fn is_match(&self, state: &At) -> bool {
        matches!(state, At::Part)
    }

    fn can_match(&self, state: &At) -> bool {
        match state {
            At::Nowhere => false,
            At::Word(state) => *state != SINK_STATE,
            At::Namespace(_) | At::Part => true,
        }
    }

    fn accept(&self, state: &At, byte: u8) -> At {
        match *state {
            At::Namespace(at) if self.namespace.get(at) == Some(&byte) => {
                if at + 1 == self.namespace.len() {
                    At::Word(self.dfa.initial_state())
                } else {
                    At::Namespace(at + 1)
                }
            }
            At::Word(state) if byte == 1 => match self.dfa.distance(state) {
                Distance::Exact(_) => At::Part,
                Distance::AtLeast(_) => At::Nowhere,
            },
            At::Word(state) => At::Word(self.dfa.transition(state, byte)),
            At::Part => At::Part,
            At::Namespace(_) | At::Nowhere => At::Nowhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted() {
        for (typed, word, expect) in [
            ("webhook", "webhook", 0),
            ("webhok", "webhook", 1),
            ("wehbook", "webhook", 1),
            ("webhoook", "webhook", 1),
            ("ebhook", "webhook", 2),
            ("xebhook", "webhook", 2),
            ("ewbhook", "webhook", 2),
            ("webxxok", "webhook", 2),
        ] {
            assert_eq!(errors(typed, word), expect, "{typed} {word}");
        }
        assert_eq!(prefix_errors("instlla", "installation"), 1);
        assert_eq!(prefix_errors("insta", "installation"), 0);
    }
}
