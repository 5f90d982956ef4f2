//! Reads the text of a query as units: words, compounds and phrases.

use std::ops::Range;

use crate::analyzer::{Analyzer, FormKind, Sink, joined, version_number};
use crate::query::MAX_QUERY_CHARS;
use crate::text::compounds::{Class, Compound, compounds};
use crate::text::related_words::{english_stem, related_words};
use crate::text::stem::Language;
use crate::text::{fold, grams, weak_words};

/// Maximum number of units of a query; further ones are ignored.
const MAX_UNITS: usize = 16;
/// Maximum number of words of a phrase; further ones are ignored.
const MAX_PHRASE_WORDS: usize = 24;
/// Maximum number of languages whose stems a query tries.
const MAX_LANGUAGES: usize = 6;
/// Maximum number of words of a synonym; longer ones are ignored.
pub const MAX_SYNONYM_WORDS: usize = 4;
/// Maximum number of synonyms that one word is replaced by.
const MAX_SYNONYMS: usize = 16;
/// Minimum share of letters in a word that can be corrected.
const MIN_CORRECTED_CHARS: usize = 4;
/// The number of words from which a query is a question, and of those that are not weak.
const QUESTION_UNITS: usize = 3;
const QUESTION_STRONG_UNITS: usize = 2;

/// Factors of the forms under which a word is found.
const EXACT: f32 = 1.0;
const AS_TYPED: f32 = 1.25;
const PHRASE: f32 = 0.9;
const JOINED: f32 = 0.8;
const SYNONYM: f32 = 0.75;
const STEM: f32 = 0.75;
const RELATED: f32 = 0.5;
const PART: f32 = 0.7;
const BARE: f32 = 0.5;

/// The terms that a variant of a unit matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// A word.
    Word(String),
    /// A further form of words.
    Form(FormKind, String),
    /// Adjacent words.
    Phrase(Vec<String>),
}

/// One of several ways in which a unit is found. The best one counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Variant {
    pub(crate) target: Target,
    pub(crate) factor: f32,
    pub(crate) origin: Origin,
}

/// The reason why a variant is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The term is a form of the typed word.
    Typed,
    /// The term begins with the typed word.
    Completed,
    /// The term begins with a typed word of one or two letters, which is completed in titles and
    /// headings only.
    CompletedInNames,
    /// The term has a similar meaning.
    Related,
    /// The term resembles the typed word.
    Corrected,
}

/// A part of a query that pages must contain.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unit {
    pub(crate) variants: Vec<Variant>,
    /// The text in the query.
    pub(crate) typed: String,
    /// The folded text, if it is a single word of letters.
    pub(crate) word: Option<String>,
    /// The number of words or pairs.
    pub(crate) words: usize,
    /// `true` for words of little meaning.
    pub(crate) is_weak: bool,
    /// `true` for words of little meaning in a question.
    pub(crate) is_light: bool,
    /// `true` for phrases in quotation marks.
    pub(crate) is_quoted: bool,
    /// The beginning of a word or compound that is still being typed.
    pub(crate) prefix: Option<Prefix>,
    /// The units that replace this one if only a part of it is found.
    pub(crate) parts: Vec<Unit>,
}

/// The beginning of a word or compound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Prefix {
    Word(String),
    Whole(String),
}

impl Unit {
    /// Returns `true` if the word is long enough to be corrected.
    pub(crate) fn correctable(&self) -> Option<&str> {
        let word = self.word.as_deref()?;
        let digits = word.chars().filter(|c| c.is_numeric()).count();
        let chars = word.chars().count();
        (chars >= MIN_CORRECTED_CHARS && digits * 3 < chars).then_some(word)
    }

    /// Returns `false` for runs of scripts without spaces and for phrases in quotation marks.
    pub(crate) fn is_word_or_compound(&self) -> bool {
        let is_whole =
            |variant: &Variant| matches!(variant.target, Target::Form(FormKind::Whole, _));
        !self.is_quoted && (self.word.is_some() || self.variants.iter().any(is_whole))
    }

    /// Returns the unit of a folded word as it is, without its other forms.
    pub(crate) fn of_word(word: String) -> Self {
        Self::new(&word, 1).with(Target::Word(word), EXACT)
    }

    fn new(typed: &str, words: usize) -> Self {
        Self {
            variants: Vec::new(),
            typed: typed.to_owned(),
            word: None,
            words,
            is_weak: false,
            is_light: false,
            is_quoted: false,
            prefix: None,
            parts: Vec::new(),
        }
    }

    fn add(&mut self, target: Target, factor: f32) {
        if let Some(known) = self.variants.iter_mut().find(|known| known.target == target) {
            known.factor = known.factor.max(factor);
        } else {
            self.variants.push(Variant { target, factor, origin: Origin::Typed });
        }
    }

    /// Makes a unit of a part of the query that is searched on its own.
    fn with(mut self, target: Target, factor: f32) -> Self {
        self.add(target, factor);
        self
    }
}

/// Reads a query. With `is_typing`, the last word may be incomplete.
pub(crate) fn parse(
    text: &str,
    languages: &[Language],
    synonyms: &[Vec<String>],
    is_typing: bool,
) -> Vec<Unit> {
    let end = text.char_indices().nth(MAX_QUERY_CHARS).map_or(text.len(), |(at, _)| at);
    let text = text.get(..end).unwrap_or_default();
    let languages = languages.get(..MAX_LANGUAGES.min(languages.len())).unwrap_or_default();
    let mut units = Vec::new();
    for (part, is_quoted) in quoted_parts(text) {
        if is_quoted {
            units.extend(phrase(part));
        } else {
            plain_units(part, languages, &mut units);
        }
    }
    units.truncate(MAX_UNITS);
    add_synonyms(&mut units, synonyms);
    let is_open = text.chars().next_back().is_some_and(|c| !c.is_whitespace() && !is_quote(c));
    if is_typing
        && is_open
        && let Some(last) = units.last_mut()
    {
        set_prefix(last);
    }
    units
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '«' | '»' | '「' | '」' | '『' | '』' | '＂')
}

/// Divides a text into parts with and without quotation marks. A mark without a counterpart is
/// ignored.
fn quoted_parts(text: &str) -> Vec<(&str, bool)> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let open = rest.char_indices().find(|(_, c)| is_quote(*c));
        let found = open.and_then(|(at, c)| {
            let start = at + c.len_utf8();
            let (length, close) = rest.get(start..)?.char_indices().find(|(_, c)| is_quote(*c))?;
            Some((at, start..start + length, start + length + close.len_utf8()))
        });
        let Some((open, inner, end)) = found else {
            parts.push((rest, false));
            return parts;
        };
        parts.push((rest.get(..open).unwrap_or_default(), false));
        parts.push((rest.get(inner).unwrap_or_default(), true));
        rest = rest.get(end..).unwrap_or_default();
    }
}

/// The words of a text in their order.
#[derive(Default)]
struct Words(Vec<String>);

impl Sink for Words {
    fn word(&mut self, folded: &str, _: Range<usize>) {
        if self.0.len() < MAX_PHRASE_WORDS {
            self.0.push(folded.to_owned());
        }
    }
    fn form(&mut self, _: FormKind, _: &str, _: Range<usize>) {}
    fn needs_stem(&self, _: &str) -> bool {
        false
    }
}

fn words_of(text: &str) -> Vec<String> {
    let mut words = Words::default();
    Analyzer::new(Language::of(None)).analyze(text, &mut words);
    words.0
}

fn phrase_target(mut words: Vec<String>) -> Option<Target> {
    match words.len() {
        0 => None,
        1 => words.pop().map(Target::Word),
        _ => Some(Target::Phrase(words)),
    }
}

/// Returns the unit of a phrase in quotation marks.
fn phrase(text: &str) -> Option<Unit> {
    let words = words_of(text);
    let mut unit = Unit::new(text.trim(), words.len());
    unit.is_quoted = true;
    // A single character is part of words that are divided into pairs.
    if let [only] = words.as_slice() {
        unit.add(Target::Form(FormKind::Whole, only.clone()), EXACT);
    }
    unit.parts = words.iter().map(|word| Unit::of_word(word.clone())).collect();
    let target = phrase_target(words)?;
    Some(unit.with(target, EXACT))
}

fn plain_units(text: &str, languages: &[Language], units: &mut Vec<Unit>) {
    let mut next = compounds(text);
    while units.len() < MAX_UNITS
        && let Some(compound) = next.next()
    {
        let Some(first) = compound.runs.first() else { continue };
        match (first.class, compound.runs.len()) {
            (Class::Word, 1) => units.extend(word(text, &compound, languages)),
            (Class::Word, _) => units.push(whole(text, &compound, languages)),
            (class, _) => {
                units.push(pairs(text.get(first.range.clone()).unwrap_or_default(), class))
            }
        }
    }
}

/// Collects the forms of one word as variants of a unit.
struct Forms<'u>(&'u mut Unit);

impl Sink for Forms<'_> {
    fn word(&mut self, _: &str, _: Range<usize>) {}
    fn form(&mut self, kind: FormKind, form: &str, _: Range<usize>) {
        if kind == FormKind::Stem {
            self.0.add(Target::Form(FormKind::Stem, form.to_owned()), STEM);
            self.0.add(Target::Word(form.to_owned()), STEM);
            self.0.add(Target::Form(FormKind::Part, form.to_owned()), STEM * PART);
        }
    }
}

fn word(text: &str, compound: &Compound<'_>, languages: &[Language]) -> Option<Unit> {
    let run = compound.runs.first()?;
    let source = text.get(run.range.clone())?;
    let folded = fold::folded(crate::text::cut(source, crate::text::MAX_WORD_BYTES));
    if folded.is_empty() {
        return None;
    }
    let mut unit = Unit::new(source, 1);
    let has_signs = compound.typed != run.range;
    if has_signs {
        let typed = fold::folded(text.get(compound.typed.clone())?);
        unit.add(Target::Form(FormKind::Whole, typed), AS_TYPED);
    }
    // `C++` is hardly ever meant by `C`.
    unit.add(
        Target::Word(folded.clone()),
        if has_signs && folded.len() < 3 { BARE } else { EXACT },
    );
    unit.add(Target::Form(FormKind::Part, folded.clone()), PART);
    unit.add(Target::Form(FormKind::Whole, folded.clone()), JOINED);
    // A word without a stem of its own is the stem of others.
    unit.add(Target::Form(FormKind::Stem, folded.clone()), STEM);
    // In lower case, so that the stems are those of the word and not of its parts.
    let lower = source.to_lowercase();
    for language in languages {
        Analyzer::new(*language).analyze(&lower, &mut Forms(&mut unit));
    }
    unit.is_weak = !has_signs && weak_words::is_weak(&folded);
    unit.is_light = !has_signs && weak_words::is_light(&folded);
    unit.parts = identifier_parts(source, languages);
    unit.word = Some(folded);
    Some(unit)
}

/// Returns the parts of an identifier such as `getUserById` as units.
fn identifier_parts(source: &str, languages: &[Language]) -> Vec<Unit> {
    let mut ranges = Vec::new();
    crate::text::identifiers::parts(source, &mut ranges);
    let mut units = Vec::new();
    for range in ranges {
        let part = source.get(range).unwrap_or_default().to_lowercase();
        let mut next = compounds(&part);
        if let Some(compound) = next.next() {
            units.extend(word(&part, &compound, languages));
        }
    }
    units
}

fn whole(text: &str, compound: &Compound<'_>, languages: &[Language]) -> Unit {
    let typed = text.get(compound.typed.clone()).unwrap_or_default();
    let core = text.get(compound.core()).unwrap_or_default();
    let mut unit = Unit::new(typed, compound.runs.len());
    if typed != core {
        unit.add(Target::Form(FormKind::Whole, fold::folded(typed)), AS_TYPED);
    }
    unit.add(Target::Form(FormKind::Whole, fold::folded(core)), EXACT);
    if let Some(number) = version_number(core) {
        unit.add(Target::Form(FormKind::Whole, fold::folded(number)), JOINED);
    }
    if let Some(target) = phrase_target(words_of(core)) {
        unit.add(target, PHRASE);
    }
    if let Some(joined) = joined(text, compound) {
        let joined = fold::folded(&joined);
        unit.add(Target::Word(joined.clone()), JOINED);
        unit.add(Target::Form(FormKind::Whole, joined), JOINED);
    }
    for run in compound.runs {
        let part = text.get(run.range.clone()).unwrap_or_default();
        plain_units(part, languages, &mut unit.parts);
    }
    unit
}

/// Returns the unit of a run of a script without spaces.
fn pairs(run: &str, class: Class) -> Unit {
    let folded = fold::folded(run);
    let mut characters = Vec::new();
    grams::characters(&folded, class, &mut characters);
    if characters.len() < 2 {
        return Unit::new(run, 1).with(Target::Form(FormKind::Whole, folded), EXACT);
    }
    let pairs = grams::pairs(&folded, &characters).take(MAX_PHRASE_WORDS);
    let words: Vec<String> = pairs.map(str::to_owned).collect();
    let mut unit = Unit::new(run, words.len());
    unit.parts = words.iter().map(|word| Unit::of_word(word.clone())).collect();
    match phrase_target(words) {
        Some(target) => unit.with(target, EXACT),
        None => unit,
    }
}

/// Returns the number of words of a text, as a search divides it.
#[must_use]
pub fn count_words(text: &str) -> usize {
    words_of(text).len()
}

/// Adds synonyms as variants of units. A phrase is found in adjacent units, each of which its
/// synonyms replace.
fn add_synonyms(units: &mut [Unit], synonyms: &[Vec<String>]) {
    if synonyms.is_empty() {
        return;
    }
    let typed: Vec<Vec<String>> = units.iter().map(|unit| words_of(&unit.typed)).collect();
    let most: Vec<usize> = units.iter().map(|unit| unit.variants.len() + MAX_SYNONYMS).collect();
    for group in synonyms {
        let words: Vec<Vec<String>> = group.iter().map(|phrase| words_of(phrase)).collect();
        let is_valid = |phrase: &&Vec<String>| (1..=MAX_SYNONYM_WORDS).contains(&phrase.len());
        for phrase in words.iter().filter(is_valid) {
            let others = words.iter().filter(is_valid).filter(|other| *other != phrase);
            for start in 0..typed.len() {
                let Some(length) = units_of(typed.get(start..).unwrap_or_default(), phrase) else {
                    continue;
                };
                for (unit, most) in units.iter_mut().zip(&most).skip(start).take(length) {
                    for other in others.clone() {
                        if unit.variants.len() < *most
                            && let Some(target) = phrase_target(other.clone())
                        {
                            unit.add(target, SYNONYM);
                        }
                    }
                }
            }
        }
    }
}

/// Returns the number of units whose words are exactly those of a phrase, from the first unit.
fn units_of(typed: &[Vec<String>], phrase: &[String]) -> Option<usize> {
    let mut rest = phrase;
    for (at, words) in typed.iter().enumerate() {
        rest = rest.strip_prefix(words.as_slice()).filter(|_| !words.is_empty())?;
        if rest.is_empty() {
            return Some(at + 1);
        }
    }
    None
}

/// Returns `true` for a query of many words. It may have words that the best page does not have.
pub(crate) fn is_question(units: &[Unit]) -> bool {
    let strong = units.iter().filter(|unit| !unit.is_weak).count();
    units.len() >= QUESTION_UNITS
        && strong >= QUESTION_STRONG_UNITS
        && units.iter().all(|unit| !unit.is_quoted)
}

/// Adds the words with a similar meaning to the variants of each unit.
pub(crate) fn add_related(units: &mut [Unit]) {
    for unit in units.iter_mut().filter(|unit| !unit.is_weak && !unit.is_quoted) {
        for word in related_words(&unit.typed.to_lowercase()) {
            let (words, stem) = (words_of(word), english_stem(word));
            let is_single = words.len() == 1;
            // All forms of a word with a stem of its own are found by the stem.
            let as_it_is = phrase_target(words).filter(|_| !is_single || stem == *word);
            let stem = is_single.then_some(Target::Form(FormKind::Stem, stem));
            for target in as_it_is.into_iter().chain(stem) {
                if unit.variants.iter().all(|known| known.target != target) {
                    let (factor, origin) = (RELATED, Origin::Related);
                    unit.variants.push(Variant { target, factor, origin });
                }
            }
        }
    }
}

fn set_prefix(unit: &mut Unit) {
    if unit.is_quoted {
        return;
    }
    unit.prefix = match (&unit.word, unit.parts.is_empty()) {
        (Some(word), _) => Some(Prefix::Word(word.clone())),
        (None, false) if unit.words > 1 => {
            let whole = unit.variants.iter().find_map(|variant| match &variant.target {
                Target::Form(FormKind::Whole, text) => Some(text.clone()),
                _ => None,
            });
            whole.map(Prefix::Whole)
        }
        _ => None,
    };
    // `the` may become `theme`.
    unit.is_weak &= unit.prefix.is_none();
    unit.is_light &= unit.prefix.is_none();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        let english = [Language::of(Some("en"))];
        let units = parse(text, &english, &[vec!["sign-in".into(), "login".into()]], true);
        let shown = units.iter().map(|unit| {
            let first = unit.variants.first().map(|variant| &variant.target);
            let more = if unit.is_weak { "-" } else { "" };
            let prefix = if unit.prefix.is_some() { "*" } else { "" };
            match first {
                Some(Target::Word(word)) => format!("{more}{word}{prefix}"),
                Some(Target::Form(_, form)) => format!("{more}={form}{prefix}"),
                Some(Target::Phrase(words)) => format!("{more}[{}]{prefix}", words.join(" ")),
                None => "?".to_owned(),
            }
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn synonyms_are_limited() {
        let plain = parse("key", &[], &[], false);
        let groups: Vec<Vec<String>> =
            (0..200).map(|number| vec!["key".into(), format!("one{number} two")]).collect();
        for (groups, more) in [(&groups[..3], 3), (&groups, MAX_SYNONYMS)] {
            let found = parse("key", &[], groups, false);
            assert_eq!(found[0].variants.len(), plain[0].variants.len() + more);
        }
    }

    #[test]
    fn queries_have_units() {
        for (text, expect) in [
            ("how to install", "-how -to install*"),
            ("\"to be\" or", "[to be] or*"),
            ("\"open", "open*"),
            ("snake_ca", "=snake_ca*"),
            ("--flag-name ", "=--flag-name"),
            ("C++", "=c++*"),
            ("数据库", "[数据 据库]"),
            ("库", "=库"),
            ("「数据库」の", "[数据 据库] =の"),
            ("!!! ???", ""),
        ] {
            assert_eq!(show(text), expect, "{text}");
        }
    }

    #[test]
    fn synonyms_are_variants() {
        let units = parse("login", &[], &[vec!["sign-in".into(), "Login".into()]], false);
        let words = vec!["sign".to_owned(), "in".to_owned()];
        assert!(units[0].variants.iter().any(|v| v.target == Target::Phrase(words.clone())));
    }

    #[test]
    fn questions_have_several_words() {
        for (text, expect) in [
            ("how do i delete a page", true),
            ("delete old pages", true),
            ("delete pages", false),
            ("how to delete", false),
            ("how to \"delete pages\" quickly", false),
        ] {
            assert_eq!(is_question(&parse(text, &[], &[], false)), expect, "{text}");
        }
    }

    #[test]
    fn related_words_are_variants() {
        let mut units = parse("deletes two-factor", &[], &[], false);
        add_related(&mut units);
        let has = |unit: &Unit, target: Target| {
            unit.variants.iter().any(|known| known.target == target && known.factor == RELATED)
        };
        assert!(has(&units[0], Target::Form(FormKind::Stem, "remov".into())));
        assert!(!has(&units[0], Target::Word("remove".into())));
        assert!(has(&units[1], Target::Phrase(vec!["multi".into(), "factor".into()])));
        assert!(has(&units[1], Target::Word("mfa".into())));
    }

    #[test]
    fn long_queries_are_cut() {
        let text = "据".repeat(512);
        let units = parse(&text, &[], &[], true);
        assert!(units.len() == 1 && units[0].words <= MAX_PHRASE_WORDS);
        assert_eq!(parse(&"a ".repeat(400), &[], &[], true).len(), MAX_UNITS);
    }
}
