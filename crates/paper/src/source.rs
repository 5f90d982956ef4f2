//! Typst source in code mode: calls of functions with string literals as arguments.
//!
//! All text of authors is written by [`Source::string`], as a string literal. Within such a
//! literal, only the backslash and the quotation mark have a meaning, and both are escaped. Authors
//! can therefore add no markup, no code and no reference to a file.

use std::fmt::Write as _;

/// Number of characters of a word from which on it may break at any of [`BREAKS`].
const LONG_WORD: usize = 24;
/// Number of characters of a piece of a long word after which it may break anywhere.
const LONG_PIECE: usize = 40;
/// Characters after which a long word may break.
const BREAKS: &str = "/\\.,:;_-?&=+|@#%)]}>";

/// Source that is being written.
#[derive(Debug, Default)]
pub(crate) struct Source {
    text: String,
}

impl Source {
    /// Appends source that contains no text of authors.
    pub(crate) fn code(&mut self, code: &str) {
        self.text.push_str(code);
    }

    /// Appends formatted source that contains no text of authors.
    pub(crate) fn number(&mut self, number: impl std::fmt::Display) {
        let _ = write!(self.text, "{number}");
    }

    /// Appends a string literal.
    pub(crate) fn string(&mut self, text: &str) {
        self.text.push('"');
        for char in text.chars() {
            match char {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\t' => self.text.push_str("    "),
                char if char.is_control() => {}
                char => self.text.push(char),
            }
        }
        self.text.push('"');
    }

    /// Appends text as content: string literals, with places between them where long words may
    /// break.
    pub(crate) fn words(&mut self, text: &str) {
        let mut start = 0;
        let mut breaks = LongWords::default();
        for (at, char) in text.char_indices() {
            if let Some(from) = breaks.place(at, char) {
                // Only words that are long get places to break.
                self.piece(text.get(start..from).unwrap_or_default());
                self.code("z;");
                start = from;
            }
        }
        self.piece(text.get(start..).unwrap_or_default());
    }

    fn piece(&mut self, text: &str) {
        if !text.is_empty() {
            self.string(text);
            self.code(";");
        }
    }

    /// Returns `true` if white space that follows is not visible: after white space, and at the
    /// start of a line.
    pub(crate) fn ends_with_space(&self) -> bool {
        [" \";", "\u{a0}\";", "par({", "rtl({", "ltr({", "linebreak();"]
            .iter()
            .any(|end| self.text.ends_with(end))
    }

    /// Returns the number of bytes written so far.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Removes everything after the first `length` bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
    }

    /// Returns the source after the first `length` bytes.
    pub(crate) fn since(&self, length: usize) -> &str {
        self.text.get(length..).unwrap_or_default()
    }

    pub(crate) fn into_string(self) -> String {
        self.text
    }
}

/// Finds the places where long words may break.
#[derive(Default)]
struct LongWords {
    /// Number of characters of the word so far.
    word: usize,
    /// Number of characters since the last place.
    piece: usize,
    /// `true` if the previous character is one of [`BREAKS`].
    after_break: bool,
}

impl LongWords {
    /// Takes the next character. Returns its position if the word may break before it.
    fn place(&mut self, at: usize, char: char) -> Option<usize> {
        // Scripts without spaces break between their characters anyway.
        if char.is_whitespace() || ('\u{2e80}'..='\u{ffdc}').contains(&char) {
            *self = Self::default();
            return None;
        }
        let is_place = self.word >= LONG_WORD / 2
            && self.piece >= 2
            && (self.after_break && !BREAKS.contains(char) || self.piece >= LONG_PIECE);
        self.word += 1;
        self.piece = if is_place { 1 } else { self.piece + 1 };
        self.after_break = BREAKS.contains(char);
        is_place.then_some(at)
    }
}

/// Returns `true` if the first letter of a text belongs to a script that is written from right to
/// left; `None` if the text has no letters.
pub(crate) fn is_right_to_left(text: &str) -> Option<bool> {
    text.chars().find(|char| char.is_alphabetic()).map(|char| {
        matches!(char,
            '\u{590}'..='\u{8ff}'
            | '\u{fb1d}'..='\u{fdff}'
            | '\u{fe70}'..='\u{feff}'
            | '\u{10800}'..='\u{10fff}'
            | '\u{1e800}'..='\u{1efff}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        let mut source = Source::default();
        source.words(text);
        source.into_string()
    }

    #[test]
    fn literals_contain_the_text_and_nothing_else() {
        for (text, expect) in [
            ("", ""),
            ("a \"b\" \\c", r#""a \"b\" \\c";"#),
            ("#import \"x\"; $y$ *z* @a <b>", r##""#import \"x\"; $y$ *z* @a <b>";"##),
            ("a\nb\tc\0\u{7f}", r#""a\nb    c";"#),
            ("\\", r#""\\";"#),
            ("\\\" + read(\"/etc/passwd\") + \"", r#""\\\" + read(\"/etc/passwd\") + \"";"#),
        ] {
            assert_eq!(words(text), expect, "{text}");
        }
    }

    #[test]
    fn long_words_break() {
        assert_eq!(words("a short/word stays"), "\"a short/word stays\";");
        assert_eq!(
            words("https://example.com/a-long/path"),
            "\"https://example.\";z;\"com/\";z;\"a-\";z;\"long/\";z;\"path\";"
        );
        let long = "x".repeat(100);
        assert_eq!(words(&long).matches(";z;").count(), 2);
        assert_eq!(words(&"字".repeat(100)).matches(";z;").count(), 0);
    }

    #[test]
    fn the_first_letter_gives_the_direction() {
        for (text, expect) in [
            ("12 abc", Some(false)),
            ("1. שלום abc", Some(true)),
            ("«سلام»", Some(true)),
            ("字", Some(false)),
            ("12", None),
        ] {
            assert_eq!(is_right_to_left(text), expect, "{text}");
        }
    }
}
