//! Splits text into the tokens by which printed texts and sources are compared.

use crate::print::escape::is_entity;

/// A piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    key: Key<'t>,
}

/// The meaning of a token, regardless of its spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key<'t> {
    /// A line, a word, or an entity of several characters.
    Text(&'t str),
    /// A punctuation character, verbatim, escaped, or as an entity.
    Character(char),
    /// Whitespace, including hard line breaks.
    Space,
    /// A delimiter of emphasis, or a character that can be one.
    Emphasis,
    /// A delimiter of code, or a character that can be one.
    Code,
}

impl<'t> Token<'t> {
    /// Returns the token of a line. `key` is the part of it that is compared.
    pub(super) fn line(text: &'t str, key: &'t str) -> Self {
        Self { text, key: Key::Text(key) }
    }

    /// Returns `true` if two tokens of printed texts are equal.
    pub(super) fn is_same(left: &Self, right: &Self) -> bool {
        match (left.key, right.key) {
            (Key::Text(left), Key::Text(right)) => left == right,
            _ => left.text == right.text,
        }
    }

    /// Returns `true` if two tokens can be different spellings of the same.
    pub(super) fn is_alike(left: &Self, right: &Self) -> bool {
        left.key == right.key
    }
}

/// Elements that are spelled as delimiters, too.
const ELEMENTS: [(&str, Key<'static>); 8] = [
    ("strong", Key::Emphasis),
    ("b", Key::Emphasis),
    ("em", Key::Emphasis),
    ("i", Key::Emphasis),
    ("del", Key::Emphasis),
    ("s", Key::Emphasis),
    ("code", Key::Code),
    ("br", Key::Space),
];

/// Maximum length of an entity, in bytes.
const MAX_ENTITY: usize = 12;

/// Splits a text into words, delimiters, punctuation characters, and runs of whitespace.
pub(super) fn words(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, key) = token(rest, first);
        let (text, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        tokens.push(Token { text, key: key.unwrap_or(Key::Text(text)) });
        rest = after;
    }
    tokens
}

/// Returns the length of the first token, and its key if that is not its text.
fn token(rest: &str, first: char) -> (usize, Option<Key<'static>>) {
    let is_word = |c: char| c.is_alphanumeric() && c < '\u{2E80}';
    let length_of =
        |rest: &str, holds: &dyn Fn(char) -> bool| rest.find(|c| !holds(c)).unwrap_or(rest.len());
    let spaces = |rest: &str| length_of(rest, &|c| c.is_ascii_whitespace());
    if first.is_ascii_whitespace() {
        return (spaces(rest), Some(Key::Space));
    }
    if is_word(first) {
        return (length_of(rest, &is_word), None);
    }
    let second = rest.chars().nth(1);
    match first {
        '\\' if second == Some('\n') => {
            (1 + spaces(rest.get(1..).unwrap_or_default()), Some(Key::Space))
        }
        '\\' => match second.filter(char::is_ascii_punctuation) {
            Some(second) => (2, Some(key_of(second))),
            None => (1, Some(key_of(first))),
        },
        '&' => {
            let end = rest.bytes().take(MAX_ENTITY).position(|byte| byte == b';');
            match end.and_then(|end| rest.get(..=end)).filter(|entity| is_entity(entity)) {
                Some(entity) => (entity.len(), entity_key(entity)),
                None => (1, Some(key_of(first))),
            }
        }
        '<' => element(rest).unwrap_or((1, Some(key_of(first)))),
        '*' | '_' | '~' if second == Some(first) => (2, Some(Key::Emphasis)),
        '`' => (length_of(rest, &|c| c == '`'), Some(Key::Code)),
        _ => (first.len_utf8(), Some(key_of(first))),
    }
}

fn key_of(c: char) -> Key<'static> {
    match c {
        '*' | '_' | '~' => Key::Emphasis,
        '`' => Key::Code,
        ' ' | '\t' | '\n' | '\r' => Key::Space,
        c => Key::Character(c),
    }
}

/// Returns the key of an entity, or `None` if it means a word or several characters.
fn entity_key(entity: &str) -> Option<Key<'static>> {
    let text = htmlize::unescape(entity);
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(c), None) if !c.is_alphanumeric() => Some(key_of(c)),
        _ => None,
    }
}

/// Returns the length and the key of a tag that is spelled as a delimiter, too.
fn element(rest: &str) -> Option<(usize, Option<Key<'static>>)> {
    let inner = rest.strip_prefix('<')?;
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let length = inner.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, after) = inner.split_at_checked(length)?;
    let after = after.trim_start_matches([' ', '/']).strip_prefix('>')?;
    let (_, key) = ELEMENTS.iter().find(|(element, _)| name.eq_ignore_ascii_case(element))?;
    Some((rest.len() - after.len(), Some(*key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_the_same_text_are_alike() {
        for (left, right) in [
            ("__a__ *b*", "**a** _b_"),
            ("a_b < c & d", "a\\_b \\< c &amp; d"),
            ("a  \nb", "a\\\nb"),
            ("a<br/>b", "a\\\nb"),
            ("a&#x20;", "a "),
            ("`a`", "<code>a</code>"),
            ("<STRONG>a</STRONG>", "**a**"),
        ] {
            let (left, right) = (words(left), words(right));
            assert_eq!(left.len(), right.len(), "{left:?} {right:?}");
            let mut pairs = left.iter().zip(&right);
            assert!(pairs.all(|(left, right)| Token::is_alike(left, right)), "{left:?} {right:?}");
        }
    }

    #[test]
    fn tokens_add_up_to_their_text() {
        for text in ["", "a \\\\ <b x> &nope &a;é中文 **_`` \\", "<", "&", "&#x;<br", "\\\n \n"]
        {
            let tokens: String = words(text).iter().map(|token| token.text).collect();
            assert_eq!(tokens, text);
        }
    }
}
