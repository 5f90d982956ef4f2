//! Finds the words of a text and their other forms.

use std::collections::HashMap;
use std::ops::Range;

use crate::text::compounds::{Class, Compound, Run, compounds};
use crate::text::stem::Language;
use crate::text::{MAX_COMPOUND_BYTES, MAX_WORD_BYTES, cut, fold, grams, identifiers};

/// Maximum number of words whose stems are remembered.
const MAX_CACHED_STEMS: usize = 50_000;
/// Maximum number of runs of a compound that is also indexed without its signs.
const MAX_JOINED_RUNS: usize = 4;
/// Maximum length in bytes of a run of a whole title as typed.
const MAX_WHOLE_RUN: usize = 4 * MAX_COMPOUND_BYTES;

/// The kind of a form under which a word is also found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum FormKind {
    /// The stem of a word, if it differs from the word.
    Stem,
    /// A part of an identifier: `user` of `getUserById`.
    Part,
    /// A compound as typed, or without its signs; a single character of a script without spaces.
    Whole,
}

impl FormKind {
    /// The number of kinds.
    pub(crate) const COUNT: usize = 3;
}

/// Receives the words of a text.
pub(crate) trait Sink {
    /// Called for each word, in order.
    fn word(&mut self, folded: &str, range: Range<usize>);
    /// Called for each further form of the words that were just passed.
    fn form(&mut self, kind: FormKind, form: &str, range: Range<usize>);
    /// Returns `true` if the stem of a word is needed.
    fn needs_stem(&self, folded: &str) -> bool {
        let _ = folded;
        true
    }
}

/// Finds the words of texts in one language.
#[derive(Debug)]
pub(crate) struct Analyzer {
    language: Language,
    /// Stems by words in lower case; `None` for words without a stem of their own.
    stems: HashMap<Box<str>, Option<Box<str>>>,
    lower: String,
    folded: String,
    stem: String,
    parts: Vec<Range<usize>>,
}

impl Analyzer {
    pub(crate) fn new(language: Language) -> Self {
        Self {
            language,
            stems: HashMap::new(),
            lower: String::new(),
            folded: String::new(),
            stem: String::new(),
            parts: Vec::new(),
        }
    }

    /// Changes the language of the following texts.
    pub(crate) fn set_language(&mut self, language: Language) {
        if self.language != language {
            self.language = language;
            self.stems.clear();
        }
    }

    /// Passes the words of a text to `sink`.
    pub(crate) fn analyze(&mut self, text: &str, sink: &mut impl Sink) {
        let mut next = compounds(text);
        while let Some(compound) = next.next() {
            for run in compound.runs {
                match run.class {
                    Class::Word => self.word(text, run, sink),
                    Class::Ideographs | Class::Clusters => self.grams(text, run, sink),
                }
            }
            self.wholes(text, &compound, sink);
        }
    }

    fn word(&mut self, text: &str, run: &Run, sink: &mut impl Sink) {
        let word = cut(text.get(run.range.clone()).unwrap_or_default(), MAX_WORD_BYTES);
        self.lower.clear();
        fold::lower(word, &mut self.lower);
        self.folded.clear();
        fold::strip(&self.lower, &mut self.folded);
        if self.folded.is_empty() {
            return;
        }
        sink.word(&self.folded, run.range.clone());
        if sink.needs_stem(&self.folded) && self.find_stem() {
            sink.form(FormKind::Stem, &self.stem, run.range.clone());
        }
        let mut parts = std::mem::take(&mut self.parts);
        identifiers::parts(word, &mut parts);
        for part in &parts {
            let range = run.range.start + part.start..run.range.start + part.end;
            self.lower.clear();
            fold::lower(word.get(part.clone()).unwrap_or_default(), &mut self.lower);
            self.folded.clear();
            fold::strip(&self.lower, &mut self.folded);
            sink.form(FormKind::Part, &self.folded, range.clone());
            if sink.needs_stem(&self.folded) && self.find_stem() {
                sink.form(FormKind::Stem, &self.stem, range);
            }
        }
        self.parts = parts;
    }

    /// Finds the stem of the current word. Returns `false` if it does not differ from the word.
    fn find_stem(&mut self) -> bool {
        self.stem.clear();
        if let Some(known) = self.stems.get(self.lower.as_str()) {
            let Some(stem) = known else { return false };
            self.stem.push_str(stem);
            return true;
        }
        let differs = self.language.stem(&self.lower, &mut self.stem) && self.stem != self.folded;
        if self.stems.len() >= MAX_CACHED_STEMS {
            self.stems.clear();
        }
        let known = differs.then(|| self.stem.as_str().into());
        self.stems.insert(self.lower.as_str().into(), known);
        differs
    }

    fn grams(&mut self, text: &str, run: &Run, sink: &mut impl Sink) {
        let source = text.get(run.range.clone()).unwrap_or_default();
        self.folded.clear();
        fold::fold(source, &mut self.folded);
        let mut characters = Vec::new();
        grams::characters(&self.folded, run.class, &mut characters);
        // Ranges are exact if folding changed no lengths, as for almost all text.
        let is_same = self.folded.len() == source.len();
        let range = |from: usize, len: usize| {
            if is_same {
                run.range.start + from..run.range.start + from + len
            } else {
                run.range.clone()
            }
        };
        if let [only] = characters.as_slice() {
            sink.word(only, run.range.clone());
        }
        let mut at = 0;
        for (pair, first) in grams::pairs(&self.folded, &characters).zip(&characters) {
            sink.word(pair, range(at, pair.len()));
            at += first.len();
        }
        let mut at = 0;
        for character in &characters {
            sink.form(FormKind::Whole, character, range(at, character.len()));
            at += character.len();
        }
    }

    fn wholes(&mut self, text: &str, compound: &Compound<'_>, sink: &mut impl Sink) {
        if compound.typed.len() > MAX_COMPOUND_BYTES {
            return;
        }
        let (core, typed) = (compound.core(), compound.typed.clone());
        if compound.runs.len() == 1 && core == typed {
            return;
        }
        let mut pass = |text: &str| {
            self.folded.clear();
            fold::fold(text, &mut self.folded);
            sink.form(FormKind::Whole, &self.folded, typed.clone());
        };
        if core != typed {
            pass(text.get(typed.clone()).unwrap_or_default());
        }
        if compound.runs.len() > 1 {
            pass(text.get(core.clone()).unwrap_or_default());
            if let Some(joined) = joined(text, compound) {
                pass(&joined);
            }
            if let Some(number) = version_number(text.get(core).unwrap_or_default()) {
                pass(number);
            }
        }
    }
}

/// Returns the number of a version without the `v` before it: `1.2.3` for `v1.2.3`.
pub(crate) fn version_number(core: &str) -> Option<&str> {
    let number = core.strip_prefix(['v', 'V'])?;
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let minor = rest.strip_prefix('.').filter(|_| rest.len() < number.len())?;
    minor.starts_with(|c: char| c.is_ascii_digit()).then_some(number)
}

/// Returns a compound of a few words without its signs: `snake_case` becomes `snakecase`.
pub(crate) fn joined(text: &str, compound: &Compound<'_>) -> Option<String> {
    let runs = compound.runs.iter().map(|run| text.get(run.range.clone()).unwrap_or_default());
    let is_joined = (2..=MAX_JOINED_RUNS).contains(&compound.runs.len())
        && runs.clone().all(|run| run.chars().any(char::is_alphabetic));
    is_joined.then(|| runs.collect())
}

/// Returns the key under which a whole title or heading is found: its stems, separated by spaces.
/// Returns `None` for a text without words and for long texts.
pub(crate) fn whole_key(text: &str, language: Language) -> Option<String> {
    let mut key = String::new();
    let mut next = compounds(text);
    let mut lower = String::new();
    while let Some(compound) = next.next() {
        for run in compound.runs {
            if run.range.len() > MAX_WHOLE_RUN {
                return None;
            }
            if !key.is_empty() {
                key.push(' ');
            }
            lower.clear();
            fold::lower(text.get(run.range.clone()).unwrap_or_default(), &mut lower);
            if run.class != Class::Word || !language.stem(&lower, &mut key) {
                fold::strip(&lower, &mut key);
            }
        }
        if key.len() > MAX_COMPOUND_BYTES {
            return None;
        }
    }
    Some(key).filter(|key| !key.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Shown(Vec<String>);

    impl Sink for Shown {
        fn word(&mut self, folded: &str, _: Range<usize>) {
            self.0.push(folded.to_owned());
        }
        fn form(&mut self, kind: FormKind, form: &str, _: Range<usize>) {
            let kind = match kind {
                FormKind::Stem => "s",
                FormKind::Part => "p",
                FormKind::Whole => "w",
            };
            self.0.push(format!("{kind}:{form}"));
        }
    }

    fn check(text: &str, expect: &str) {
        let mut shown = Shown::default();
        Analyzer::new(Language::of(Some("en"))).analyze(text, &mut shown);
        assert_eq!(shown.0.join(" "), expect, "{text}");
    }

    #[test]
    fn identifiers_are_found_whole_and_in_parts() {
        check("getUserById", "getuserbyid p:get p:user p:by p:id");
        check("snake_case", "snake case w:snake_case w:snakecase");
        check("a::b", "a b w:a::b w:ab");
        check("--flag-name", "flag name w:--flag-name w:flag-name w:flagname");
        check("HTTP 404", "http 404");
        check("v1.2.3", "v1 2 3 w:v1.2.3 w:1.2.3");
        check("v1.md", "v1 md w:v1.md w:v1md");
        check(
            "/v1/spaces/{id}",
            "v1 spaces s:space id w:/v1/spaces/{id w:v1/spaces/{id w:v1spacesid",
        );
        check("foo.bar()", "foo bar w:foo.bar w:foobar");
        check("C++", "c w:c++");
        check(".gitbook.yaml", "gitbook yaml w:.gitbook.yaml w:gitbook.yaml w:gitbookyaml");
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_pairs() {
        check("数据库", "数据 据库 w:数 w:据 w:库");
        check("库", "库 w:库");
    }

    #[test]
    fn whole_titles_have_keys() {
        let english = Language::of(Some("en"));
        assert_eq!(
            whole_key("Configuring: Web-Hooks!", english).as_deref(),
            Some("configur web hook")
        );
        assert_eq!(whole_key("…", english), None);
        assert_eq!(whole_key(&"e\u{301}\u{302}\u{303}".repeat(60), english), None);
    }
}
