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
    forms: HashMap<(FormKind, String), (usize, f32)>,
    /// The first bytes of the stems, to find the stems of as few words as possible.
    stem_starts: Vec<[u8; 2]>,
    units: usize,
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
                insert(&mut self.words, word.clone(), (unit, weight));
            }
            Target::Form(kind, form) => {
                if *kind == FormKind::Stem
                    && let [a, b, ..] = form.as_bytes()
                {
                    self.stem_starts.push([*a, *b]);
                }
                insert(&mut self.forms, (*kind, form.clone()), (unit, weight));
            }
            Target::Phrase(words) => {
                let weight = weight / words.len().max(1) as f32;
                for word in words {
                    insert(&mut self.words, word.clone(), (unit, weight));
                }
            }
        }
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
    pub(crate) fn weight<'m>(&self, matches: impl Iterator<Item = &'m Match>) -> f32 {
        let mut best = vec![0.0f32; self.units];
        let mut all = 0.0;
        for found in matches {
            all += found.weight;
            if let Some(best) = best.get_mut(found.unit) {
                *best = best.max(found.weight);
            }
        }
        // Repetitions count little.
        best.iter().sum::<f32>() + 0.05 * all.ln_1p()
    }
}

fn insert<K: std::hash::Hash + Eq>(
    map: &mut HashMap<K, (usize, f32)>,
    key: K,
    value: (usize, f32),
) {
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
        self.push(self.matcher.words.get(folded), range);
    }

    fn form(&mut self, kind: FormKind, form: &str, range: Range<usize>) {
        if !self.matcher.forms.is_empty() {
            let key = (kind, form.to_owned());
            self.push(self.matcher.forms.get(&key), range);
        }
    }

    fn needs_stem(&self, folded: &str) -> bool {
        match folded.as_bytes() {
            [a, b, ..] => self.matcher.stem_starts.contains(&[*a, *b]),
            _ => false,
        }
    }
}
