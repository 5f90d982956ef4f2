//! Stems of words, by language.

use frostem::{Algorithm, Stemmer};

use super::fold;

/// Minimum length of a word that is stemmed, in characters.
const MIN_CHARS: usize = 3;

/// The language of a page, as far as stemming needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Language(u8);

/// The languages with a stemmer: the primary subtag, the algorithm, and `true` if the language is
/// written in Latin letters. The order is stored in the index.
const LANGUAGES: [(&str, Algorithm, bool); 29] = [
    ("en", Algorithm::English, true),
    ("ar", Algorithm::Arabic, false),
    ("ca", Algorithm::Catalan, true),
    ("cs", Algorithm::Czech, true),
    ("da", Algorithm::Danish, true),
    ("de", Algorithm::German, true),
    ("el", Algorithm::Greek, false),
    ("es", Algorithm::Spanish, true),
    ("et", Algorithm::Estonian, true),
    ("fa", Algorithm::Persian, false),
    ("fi", Algorithm::Finnish, true),
    ("fr", Algorithm::French, true),
    ("hi", Algorithm::Hindi, false),
    ("hu", Algorithm::Hungarian, true),
    ("id", Algorithm::Indonesian, true),
    ("it", Algorithm::Italian, true),
    ("lt", Algorithm::Lithuanian, true),
    ("nb", Algorithm::Norwegian, true),
    ("nl", Algorithm::Dutch, true),
    ("nn", Algorithm::Norwegian, true),
    ("no", Algorithm::Norwegian, true),
    ("pl", Algorithm::Polish, true),
    ("pt", Algorithm::Portuguese, true),
    ("ro", Algorithm::Romanian, true),
    ("ru", Algorithm::Russian, false),
    ("sv", Algorithm::Swedish, true),
    ("ta", Algorithm::Tamil, false),
    ("tr", Algorithm::Turkish, true),
    ("uk", Algorithm::Ukrainian, false),
];

/// The index of a language without a stemmer that is written in Latin letters.
const OTHER_LATIN: u8 = u8::MAX;

impl Language {
    /// Returns the language of a tag such as `pt-BR`. Words of an unknown language that are written
    /// in Latin letters are taken for English.
    pub(crate) fn of(tag: Option<&str>) -> Self {
        let Some(tag) = tag else { return Self(0) };
        let primary = tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        if let Some(at) = LANGUAGES.iter().position(|(name, ..)| *name == primary) {
            return Self(u8::try_from(at).unwrap_or_default());
        }
        // In languages of other scripts, Latin words are those of programming, so English.
        const OTHER_SCRIPTS: [&str; 24] = [
            "am", "be", "bg", "bn", "gu", "he", "hy", "ja", "ka", "kk", "km", "kn", "ko", "lo",
            "mk", "ml", "mn", "mr", "my", "sr", "te", "th", "ur", "zh",
        ];
        if OTHER_SCRIPTS.contains(&primary.as_str()) { Self(0) } else { Self(OTHER_LATIN) }
    }

    /// Returns the number under which the language is stored.
    pub(crate) fn code(self) -> u8 {
        self.0
    }

    /// Returns the language that is stored under a number.
    pub(crate) fn from_code(code: u8) -> Self {
        Self(code)
    }

    fn algorithm(self, is_ascii: bool) -> Option<Algorithm> {
        let (_, algorithm, is_latin) = LANGUAGES.get(usize::from(self.0))?;
        match (is_latin, is_ascii) {
            (false, true) => Some(Algorithm::English),
            (true, _) | (false, false) => Some(*algorithm),
        }
    }

    /// Appends the folded stem of a word in lower case. Returns `false` if the word has none.
    pub(crate) fn stem(self, lower: &str, out: &mut String) -> bool {
        if lower.chars().nth(MIN_CHARS - 1).is_none() || lower.bytes().any(|b| b.is_ascii_digit()) {
            return false;
        }
        let Some(algorithm) = self.algorithm(lower.is_ascii()) else { return false };
        fold::strip(&Stemmer::new(algorithm).stem(lower), out);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tag: &str, words: &[&str], expect: &str) {
        for word in words {
            let mut stem = String::new();
            assert!(Language::of(Some(tag)).stem(word, &mut stem), "{word}");
            assert_eq!(stem, expect, "{word}");
        }
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        check("en", &["configure", "configuring", "configured", "configures"], "configur");
        check("de-CH", &["einstellung", "einstellungen"], "einstell");
        check("fr", &["créer", "créé"], "cre");
        check("es", &["páginas", "página"], "pagin");
        check("ru", &["настройка", "настройки", "настройку"], "настройк");
        check("ru", &["pages"], "page");
        check("zh-TW", &["indexes"], "index");
    }

    #[test]
    fn unknown_languages_have_no_stems() {
        assert!(!Language::of(Some("vi")).stem("pages", &mut String::new()));
        assert!(!Language::of(Some("en")).stem("ab", &mut String::new()));
    }
}
