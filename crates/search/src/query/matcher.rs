//! Finds the words of a query in stored texts, for sections, snippets and highlights.

use std::collections::HashMap;
use std::ops::Range;

use crate::analyzer::{Analyzer, FormKind, Sink};
use crate::query::units::{Origin, Target, Unit};

/// The words of a query.
#[derive(Debug, Default)]
pub(crate) struct Matcher {
    /// For each word the unit and its weight.
    words: HashMap<String, (usize, f32)>,
    /// The first bytes of the words.
    word_starts: Starts,
    /// By the number of the kind.
    forms: [HashMap<String, (usize, f32)>; FormKind::COUNT],
    /// The first bytes of the forms.
    form_starts: Starts,
    /// The first bytes of the stems, to find the stems of as few words as possible.
    stem_starts: Vec<[u8; 2]>,
    units: usize,
}

/// A set of first bytes. Most words of a text begin with others, and need not be looked up.
#[derive(Debug, Clone, Copy, Default)]
struct Starts([u64; 4]);

impl Starts {
    fn add(&mut self, word: &str) {
        let (slot, bit) = Self::place(word);
        if let Some(bits) = self.0.get_mut(slot) {
            *bits |= bit;
        }
    }

    fn contain(&self, word: &str) -> bool {
        let (slot, bit) = Self::place(word);
        self.0.get(slot).is_some_and(|bits| bits & bit != 0)
    }

    fn place(word: &str) -> (usize, u64) {
        let first = word.as_bytes().first().copied().unwrap_or_default();
        (usize::from(first >> 6), 1 << (first & 63))
    }
}

/// A match in a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Match {
    pub(crate) range: Range<usize>,
    pub(crate) unit: usize,
    pub(crate) weight: f32,
}

impl Matcher {
    /// Creates a matcher of the variants that found pages. Weak words are left out if there are
    /// others.
    pub(crate) fn new(units: &[Unit], weights: &[f32], used: &[Vec<bool>]) -> Self {
        let mut matcher = Self { units: units.len(), ..Self::default() };
        let skips_weak = units.iter().any(|unit| !unit.is_weak);
        for (at, unit) in units.iter().enumerate() {
            if unit.is_weak && skips_weak {
                continue;
            }
            let weight = weights.get(at).copied().unwrap_or_default();
            for (number, variant) in unit.variants.iter().enumerate() {
                let is_used = used.get(at).and_then(|used| used.get(number)).copied();
                // Forms that lost against better ones are shown, corrections that lost are not.
                if variant.origin == Origin::Corrected && is_used == Some(false) {
                    continue;
                }
                matcher.add(at, &variant.target, weight * variant.factor);
            }
        }
        matcher
    }

    fn add(&mut self, unit: usize, target: &Target, weight: f32) {
        match target {
            Target::Word(word) => {
                self.add_word(word, (unit, weight));
            }
            Target::Form(kind, form) => {
                if *kind == FormKind::Stem
                    && let [a, b, ..] = form.as_bytes()
                {
                    self.stem_starts.push([*a, *b]);
                }
                self.form_starts.add(form);
                if let Some(forms) = self.forms.get_mut(*kind as usize) {
                    insert(forms, form.clone(), (unit, weight));
                }
            }
            Target::Phrase(words) => {
                let weight = weight / words.len().max(1) as f32;
                for word in words {
                    self.add_word(word, (unit, weight));
                }
            }
        }
    }

    fn add_word(&mut self, word: &str, value: (usize, f32)) {
        self.word_starts.add(word);
        insert(&mut self.words, word.to_owned(), value);
    }

    /// Returns the matches in a text, in order.
    pub(crate) fn find(&self, text: &str, analyzer: &mut Analyzer) -> Vec<Match> {
        let mut sink = Matches { matcher: self, found: Vec::new() };
        analyzer.analyze(text, &mut sink);
        let mut found = sink.found;
        found.sort_by_key(|found| (found.range.start, found.range.end));
        found
    }

    /// Returns the sum of the best weights of each unit among matches.
    pub(crate) fn best<'m>(&self, matches: impl Iterator<Item = &'m Match>) -> f32 {
        let mut best = vec![0.0f32; self.units];
        for found in matches {
            if let Some(best) = best.get_mut(found.unit) {
                *best = best.max(found.weight);
            }
        }
        best.iter().sum()
    }

    /// Returns the sum of the best weights of each unit among matches, to which repetitions add a
    /// little.
    pub(crate) fn weight<'m>(&self, matches: impl Iterator<Item = &'m Match> + Clone) -> f32 {
        let all: f32 = matches.clone().map(|found| found.weight).sum();
        self.best(matches) + 0.05 * all.ln_1p()
    }
}

fn insert(map: &mut HashMap<String, (usize, f32)>, key: String, value: (usize, f32)) {
    let known = map.entry(key).or_insert(value);
    if value.1 > known.1 {
        *known = value;
    }
}

/// Returns the ranges of matches without overlaps and gaps of no length.
pub(crate) fn ranges<'m>(matches: impl Iterator<Item = &'m Match>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for found in matches {
        match ranges.last_mut() {
            Some(last) if found.range.start <= last.end => last.end = last.end.max(found.range.end),
            _ => ranges.push(found.range.clone()),
        }
    }
    ranges
}

struct Matches<'m> {
    matcher: &'m Matcher,
    found: Vec<Match>,
}

impl Matches<'_> {
    fn push(&mut self, found: Option<&(usize, f32)>, range: Range<usize>) {
        if let Some((unit, weight)) = found {
            self.found.push(Match { range, unit: *unit, weight: *weight });
        }
    }
}

impl Sink for Matches<'_> {
    fn word(&mut self, folded: &str, range: Range<usize>) {
        if self.matcher.word_starts.contain(folded) {
            self.push(self.matcher.words.get(folded), range);
        }
    }

    fn form(&mut self, kind: FormKind, form: &str, range: Range<usize>) {
        if self.matcher.form_starts.contain(form)
            && let Some(forms) = self.matcher.forms.get(kind as usize)
        {
            self.push(forms.get(form), range);
        }
    }

    fn needs_stem(&self, folded: &str) -> bool {
        match folded.as_bytes() {
            [a, b, ..] => self.matcher.stem_starts.contains(&[*a, *b]),
            _ => false,
        }
    }
}
