//! Finds the words of the index that begin with a text or resemble a word.

use std::collections::HashMap;

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
    let order = |a: &KnownWord, b: &KnownWord| {
        b.frequency.total_cmp(&a.frequency).then_with(|| a.word.cmp(&b.word))
    };
    if known.len() > MAX_COMPLETIONS {
        known.select_nth_unstable_by(MAX_COMPLETIONS, order);
        known.truncate(MAX_COMPLETIONS);
    }
    known.sort_by(order);
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
    let typed = Typed::new(&word);
    let is_prefix = unit.prefix.is_some();
    let more = documents as f32 * MORE_FREQUENT;
    let mut ranked = Vec::new();
    // Words with two errors are many and seldom needed.
    for limit in 1..=max_errors(&word) {
        ranked = similar(&typed, limit, is_prefix, spaces, segments, places)?;
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
    typed: &Typed,
    limit: usize,
    is_prefix: bool,
    spaces: &[SearchedSpace],
    segments: &[OpenSegment<'_>],
    places: Places,
) -> Result<Vec<SimilarWord>, SearchError> {
    let mut automaton = Similar { namespace: Vec::new(), typed, limit, is_prefix };
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
            if is_prefix { prefix_errors(typed, &known.word) } else { errors(typed, &known.word) };
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
        _ => MAX_ERRORS,
    }
}

/// Returns the number of letters that were added, left out, replaced or swapped with the next one.
/// An error in the first letter counts twice.
fn errors(typed: &Typed, word: &str) -> usize {
    let last = word.chars().fold(typed.start(), |rows, letter| typed.step(&rows, letter));
    typed.errors(&last)
}

/// Returns the number of errors in the beginning of a word.
fn prefix_errors(typed: &Typed, word: &str) -> usize {
    let mut rows = typed.start();
    let mut least = typed.errors(&rows);
    for letter in word.chars().take(typed.letters.len() + MAX_ERRORS) {
        rows = typed.step(&rows, letter);
        least = least.min(typed.errors(&rows));
    }
    least
}

/// A word with which others are compared.
struct Typed {
    letters: Vec<char>,
    /// `true` if no letter takes more than two bytes.
    is_alphabetic: bool,
}

/// The distances of Damerau and Levenshtein (with adjacent swaps) between what was read of another
/// word and the beginnings of the typed word. Beginnings whose length differs by more than the errors
/// that a word may have are left out.
#[derive(Clone, Copy)]
struct Rows {
    /// The number of letters that were read.
    read: usize,
    /// The distances of the beginnings from `read - MAX_ERRORS` to `read + MAX_ERRORS` letters.
    now: [u8; BAND],
    /// The same before the last letter.
    before: [u8; BAND],
    /// The last letter, if there is one.
    last: Option<char>,
    /// `true` if the first letter is not the typed one, which counts as a further error.
    is_other_first: bool,
}

/// Maximum number of errors in a word.
const MAX_ERRORS: usize = 2;
/// The number of distances for each number of letters.
const BAND: usize = 2 * MAX_ERRORS + 1;
/// A distance that is too large to matter.
const FAR: u8 = 100;

impl Typed {
    fn new(word: &str) -> Self {
        let is_alphabetic = word.chars().all(|letter| letter.len_utf8() <= 2);
        Self { letters: word.chars().collect(), is_alphabetic }
    }

    fn start(&self) -> Rows {
        let mut now = [FAR; BAND];
        for (distance, at) in (0..).zip(now.iter_mut().skip(MAX_ERRORS)) {
            *at = distance;
        }
        Rows { read: 0, now, before: [FAR; BAND], last: None, is_other_first: false }
    }

    /// Returns the distances after a further letter.
    fn step(&self, rows: &Rows, letter: char) -> Rows {
        let Rows { read, now, before, last, is_other_first } = rows;
        let is_other_first =
            if *read == 0 { self.letters.first() != Some(&letter) } else { *is_other_first };
        let read = read + 1;
        let mut next = [FAR; BAND];
        let mut left = FAR;
        for (at, cell) in next.iter_mut().enumerate() {
            // The length of the beginning of the typed word.
            let Some(length) = (read + at).checked_sub(MAX_ERRORS) else { continue };
            let added = now.get(at + 1).copied().unwrap_or(FAR) + 1;
            let mut cost = added.min(left + 1);
            if let Some(typed) = length.checked_sub(1).map(|end| self.letters.get(end)) {
                let Some(typed) = typed else { break };
                cost = cost.min(now[at] + u8::from(*typed != letter));
                let typed_before = length.checked_sub(2).and_then(|end| self.letters.get(end));
                if typed_before == Some(&letter) && *last == Some(*typed) {
                    cost = cost.min(before[at] + 1);
                }
            }
            left = cost.min(FAR);
            *cell = left;
        }
        Rows { read, now: next, before: *now, last: Some(letter), is_other_first }
    }

    /// Returns the number of errors in what was read.
    fn errors(&self, rows: &Rows) -> usize {
        let at = (self.letters.len() + MAX_ERRORS).checked_sub(rows.read);
        let distance = at.and_then(|at| rows.now.get(at)).copied().unwrap_or(FAR);
        usize::from(distance) + usize::from(rows.is_other_first)
    }
}

/// Accepts the terms of a namespace whose words resemble a word.
struct Similar<'t> {
    namespace: Vec<u8>,
    typed: &'t Typed,
    limit: usize,
    is_prefix: bool,
}

/// The position in a term.
#[derive(Clone, Copy)]
enum At {
    Namespace(usize),
    Word(Rows),
    /// Within a letter of several bytes: the distances before it, the bits that were read, and the
    /// number of bytes that follow.
    Letter(Rows, u32, u8),
    /// After a beginning that resembles the typed one.
    Rest,
    /// After the word. The rest of the term is its part.
    Part,
    Nowhere,
}

impl Similar<'_> {
    /// Returns the position after a letter.
    fn after(&self, rows: &Rows, letter: Option<char>) -> At {
        let Some(letter) = letter else { return At::Nowhere };
        let next = self.typed.step(rows, letter);
        if self.is_prefix && self.typed.errors(&next) <= self.limit {
            return At::Rest;
        }
        // The smallest number of errors that a continuation can have. Most words of a dictionary
        // begin with another letter and end here.
        let least = next.now.iter().copied().min().unwrap_or(FAR);
        let least = usize::from(least) + usize::from(next.is_other_first);
        if least <= self.limit { At::Word(next) } else { At::Nowhere }
    }
}

impl Automaton for &Similar<'_> {
    type State = At;

    fn start(&self) -> At {
        At::Namespace(0)
    }

    fn is_match(&self, state: &At) -> bool {
        matches!(state, At::Part)
    }

    fn can_match(&self, state: &At) -> bool {
        !matches!(state, At::Nowhere)
    }

    fn accept(&self, state: &At, byte: u8) -> At {
        let bits = u32::from(byte);
        match *state {
            At::Namespace(at) if self.namespace.get(at) == Some(&byte) => {
                match at + 1 == self.namespace.len() {
                    true => At::Word(self.typed.start()),
                    false => At::Namespace(at + 1),
                }
            }
            At::Word(rows) => match byte {
                1 if self.typed.errors(&rows) <= self.limit => At::Part,
                1 => At::Nowhere,
                ..0x80 => self.after(&rows, Some(char::from(byte))),
                // No error turns a letter of an alphabet into a Chinese, Japanese or Korean one, of
                // which dictionaries have many thousands.
                0xE0.. if self.typed.is_alphabetic => At::Nowhere,
                0x80..0xE0 => At::Letter(rows, bits & 0x1F, 1),
                0xE0..0xF0 => At::Letter(rows, bits & 0x0F, 2),
                0xF0.. => At::Letter(rows, bits & 0x07, 3),
            },
            At::Letter(rows, read, left) => {
                let read = read << 6 | bits & 0x3F;
                match left {
                    ..=1 => self.after(&rows, char::from_u32(read)),
                    _ => At::Letter(rows, read, left - 1),
                }
            }
            At::Rest if byte == 1 => At::Part,
            At::Rest => At::Rest,
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
            let known = Typed::new(typed);
            assert_eq!(errors(&known, word), expect, "{typed} {word}");
        }
        assert_eq!(prefix_errors(&Typed::new("instlla"), "installation"), 1);
        assert_eq!(prefix_errors(&Typed::new("insta"), "installation"), 0);
    }

    #[test]
    fn similar_words_are_accepted() {
        for (typed, word, limit, is_prefix, expect) in [
            ("webhook", "webhook", 1, false, true),
            ("wehbook", "webhook", 1, false, true),
            ("webhxyk", "webhook", 1, false, false),
            ("webhxyk", "webhook", 2, false, true),
            ("größe", "grösse", 1, false, false),
            ("größe", "größer", 1, false, true),
            ("größe", "gräße", 1, false, true),
            ("größe", "g据öße", 1, false, false),
            ("数größe", "数g😀öße", 1, false, true),
            ("webh", "webhooks", 1, false, false),
            ("wehb", "webhooks", 1, true, true),
            ("", "a", 2, false, true),
            ("webhook", "xebhook", 1, false, false),
            ("webhook", "xebhook", 2, false, true),
            ("webhook", "xebhxok", 2, false, false),
        ] {
            let known = Typed::new(typed);
            let similar = Similar { namespace: b"ns".to_vec(), typed: &known, limit, is_prefix };
            let term = ["ns", word, "\u{1}b"].concat();
            let mut state = (&similar).start();
            for byte in term.bytes() {
                assert!((&similar).can_match(&state) || !expect, "{typed} {word}");
                state = (&similar).accept(&state, byte);
            }
            assert_eq!((&similar).is_match(&state), expect, "{typed} {word}");
        }
    }
}
