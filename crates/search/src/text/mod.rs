//! Text analysis: from text to words, cut alike in pages and in queries.
//!
//! [`compounds`] divides a text at spaces and punctuation, and each compound into runs of letters of
//! one kind. [`fold`] brings a run into the form in which it is compared, [`identifiers`] divides
//! `getUserById`, [`stem`] finds the stems of words, [`weak_words`] knows words of little meaning, and
//! [`related_words`] words with a similar meaning.

pub(crate) mod compounds;
pub(crate) mod fold;
pub(crate) mod grams;
pub(crate) mod identifiers;
pub(crate) mod related_words;
pub(crate) mod sentences;
pub(crate) mod stem;
pub(crate) mod weak_words;

/// Maximum length of an indexed word in bytes. Longer words are cut.
pub(crate) const MAX_WORD_BYTES: usize = 64;
/// Maximum length of a compound that is indexed as a whole, in bytes.
pub(crate) const MAX_COMPOUND_BYTES: usize = 96;

/// Cuts a text to at most `limit` bytes, at a character.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or_default()
}
