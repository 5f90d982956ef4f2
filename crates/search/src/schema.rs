//! The layout of the index.
//!
//! All terms of a page begin with its namespace: the number of a space together with a set of
//! conditions. A search reads the terms of the namespaces that a reader may see and no others, so
//! postings, frequencies, prefixes and corrections are those of what the reader may see.
//!
//! - `words`, with positions: namespace, word, separator, [`WordPart`].
//! - `forms`, with frequencies: namespace, [`FormPrefix`], form, separator, [`FormPart`].

use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::analyzer::FormKind;

/// The version of the layout and of the text analysis. An index of another version is discarded.
pub(crate) const SCHEMA_VERSION: u32 = 2;
/// The name of the tokenizer of the two fields.
pub(crate) const LINES: &str = "lines";
/// The number of characters of a namespace in a term.
pub(crate) const NAMESPACE_LEN: usize = 5;
/// Separates a word from its part. No word contains it.
const SEPARATOR: char = '\u{1}';
/// The difference of positions between texts that are not adjacent.
const GAP: usize = 32;

/// The part of a page that a word is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordPart {
    Title,
    Heading,
    /// Titles of ancestors and the path.
    Place,
    /// Emphasised words and the description.
    Emphasis,
    Body,
    Code,
}

impl WordPart {
    pub(crate) const ALL: [Self; 6] =
        [Self::Title, Self::Heading, Self::Place, Self::Emphasis, Self::Body, Self::Code];

    pub(crate) fn letter(self) -> char {
        match self {
            Self::Title => 'T',
            Self::Heading => 'H',
            Self::Place => 'A',
            Self::Emphasis => 'E',
            Self::Body => 'B',
            Self::Code => 'C',
        }
    }

    pub(crate) fn of(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.letter() as u32 == u32::from(byte))
    }

    pub(crate) fn form_part(self) -> FormPart {
        match self {
            Self::Title => FormPart::Title,
            Self::Heading => FormPart::Heading,
            Self::Place | Self::Emphasis | Self::Body | Self::Code => FormPart::Other,
        }
    }
}

/// The part of a page that a form is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormPart {
    Title,
    Heading,
    Other,
}

impl FormPart {
    pub(crate) const ALL: [Self; 3] = [Self::Title, Self::Heading, Self::Other];

    pub(crate) fn letter(self) -> char {
        match self {
            Self::Title => 't',
            Self::Heading => 'h',
            Self::Other => 'b',
        }
    }
}

/// The letter that stands before a form in its term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormPrefix {
    Kind(FormKind),
    /// The key of a whole title.
    WholeTitle,
    /// The key of a whole heading.
    WholeHeading,
    /// In every page, in the namespace of its title.
    Page,
    /// In the other namespaces of a page.
    PagePart,
}

impl FormPrefix {
    pub(crate) fn letter(self) -> char {
        match self {
            Self::Kind(FormKind::Stem) => 's',
            Self::Kind(FormKind::Part) => 'p',
            Self::Kind(FormKind::Whole) => 'w',
            Self::WholeTitle => 'x',
            Self::WholeHeading => 'y',
            Self::Page => 'd',
            Self::PagePart => 'n',
        }
    }
}

/// The fields of the index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    pub(crate) words: Field,
    pub(crate) forms: Field,
    /// The ids of the space and the page, or of the space alone for its state.
    pub(crate) key: Field,
    /// The id of the space, in its pages.
    pub(crate) space: Field,
    /// [`Facts`](crate::page::Facts).
    pub(crate) facts: Field,
    /// The page or the state of the space, for showing it.
    pub(crate) stored: Field,
}

pub(crate) fn schema() -> (Schema, Fields) {
    let text = |option, tokenizer| {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(tokenizer)
            .set_index_option(option)
            .set_fieldnorms(false);
        TextOptions::default().set_indexing_options(indexing)
    };
    let mut schema = Schema::builder();
    let fields = Fields {
        words: schema
            .add_text_field("words", text(IndexRecordOption::WithFreqsAndPositions, LINES)),
        forms: schema.add_text_field("forms", text(IndexRecordOption::WithFreqs, LINES)),
        key: schema.add_text_field("key", text(IndexRecordOption::Basic, "raw")),
        space: schema.add_text_field("space", text(IndexRecordOption::Basic, "raw")),
        facts: schema.add_u64_field("facts", FAST),
        stored: schema.add_bytes_field("stored", STORED),
    };
    (schema.build(), fields)
}

/// Writes the number of a namespace in characters that sort like the number.
pub(crate) fn push_namespace(number: u32, out: &mut String) {
    for digit in (0..NAMESPACE_LEN).rev() {
        let value = (number >> (digit * 6)) & 63;
        out.push(char::from(b'0' + u8::try_from(value).unwrap_or_default()));
    }
}

/// Appends the term of a word without its part: the prefix of the terms of all parts.
pub(crate) fn push_word(namespace: &str, word: &str, out: &mut String) {
    out.push_str(namespace);
    out.push_str(word);
    out.push(SEPARATOR);
}

/// Appends the term of a form without its part.
pub(crate) fn push_form(namespace: &str, prefix: FormPrefix, form: &str, out: &mut String) {
    out.push_str(namespace);
    out.push(prefix.letter());
    out.push_str(form);
    out.push(SEPARATOR);
}

/// Splits the term of a word into the word and its part.
pub(crate) fn split_word(term: &[u8]) -> Option<(&str, WordPart)> {
    let (part, rest) = term.split_last()?;
    let word = rest.get(NAMESPACE_LEN..rest.len().checked_sub(1)?)?;
    Some((std::str::from_utf8(word).ok()?, WordPart::of(*part)?))
}

/// Writes terms as lines for [`LineTokenizer`].
#[derive(Debug, Clone)]
pub(crate) struct TermLines(String);

impl TermLines {
    pub(crate) fn new() -> Self {
        // The namespace is written over these characters when it is known.
        Self(format!("{}\n", "0".repeat(NAMESPACE_LEN)))
    }

    pub(crate) fn word(&mut self, word: &str, part: WordPart) {
        self.0.push_str(word);
        self.0.push(SEPARATOR);
        self.0.push(part.letter());
        self.0.push('\n');
    }

    pub(crate) fn form(&mut self, prefix: FormPrefix, form: &str, part: FormPart) {
        self.0.push(prefix.letter());
        self.0.push_str(form);
        self.0.push(SEPARATOR);
        self.0.push(part.letter());
        self.0.push('\n');
    }

    /// Separates texts that are not adjacent.
    pub(crate) fn gap(&mut self) {
        self.0.push('\n');
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn with_namespace(mut self, namespace: &str) -> String {
        self.0.replace_range(..NAMESPACE_LEN, namespace);
        self.0
    }
}

/// Reads what [`TermLines`] wrote: a line with the namespace, then a term on each line. An empty
/// line is a gap.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineTokenizer {
    token: Token,
}

#[derive(Debug)]
pub(crate) struct LineStream<'a> {
    rest: &'a str,
    namespace: &'a str,
    position: usize,
    token: &'a mut Token,
}

impl Tokenizer for LineTokenizer {
    type TokenStream<'a> = LineStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> LineStream<'a> {
        self.token.reset();
        let (namespace, rest) = text.split_once('\n').unwrap_or_default();
        LineStream { rest, namespace, position: 0, token: &mut self.token }
    }
}

impl TokenStream for LineStream<'_> {
    fn advance(&mut self) -> bool {
        while let Some((line, rest)) = self.rest.split_once('\n') {
            self.rest = rest;
            if line.is_empty() {
                self.position += GAP;
                continue;
            }
            self.token.text.clear();
            self.token.text.push_str(self.namespace);
            self.token.text.push_str(line);
            self.token.position = self.position;
            self.position += 1;
            return true;
        }
        false
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
