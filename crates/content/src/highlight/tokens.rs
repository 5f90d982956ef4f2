//! The classified pieces of a line and the cursor that produces them.

/// The class of a token, which determines its colour in the stylesheet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// A comment.
    Comment,
    /// A string.
    Text,
    /// A number or another literal.
    Number,
    /// A keyword.
    Keyword,
    /// An operator or punctuation.
    Punctuation,
    /// The name of a function or command.
    Function,
    /// The name of a type.
    Type,
    /// A variable, attribute, option or key.
    Variable,
    /// An inserted line of a patch.
    Inserted,
    /// A deleted line of a patch.
    Deleted,
}

impl Class {
    /// Returns the name of the class in HTML.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Comment => "c",
            Self::Text => "s",
            Self::Number => "n",
            Self::Keyword => "k",
            Self::Punctuation => "p",
            Self::Function => "f",
            Self::Type => "t",
            Self::Variable => "v",
            Self::Inserted => "g",
            Self::Deleted => "d",
        }
    }
}

/// The tokens of one line in order, each beginning where the previous one ends.
#[derive(Debug, Default)]
pub(crate) struct Tokens(Vec<(usize, Option<Class>)>);

impl Tokens {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds a token that ends at the byte `end`. Merges adjacent tokens of the same class.
    pub(super) fn push(&mut self, end: usize, class: Option<Class>) {
        if self.end() >= end {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.1 == class => last.0 = end,
            _ => self.0.push((end, class)),
        }
    }

    /// Covers the rest of a line of this length.
    pub(super) fn finish(&mut self, length: usize) {
        self.push(length, None);
    }

    fn end(&self) -> usize {
        self.0.last().map_or(0, |(end, _)| *end)
    }

    /// Returns the pieces of the line with their classes.
    pub(crate) fn pieces<'t>(
        &'t self,
        line: &'t str,
    ) -> impl Iterator<Item = (&'t str, Option<Class>)> {
        let mut start = 0;
        self.0.iter().map(move |(end, class)| {
            let piece = line.get(start..*end).unwrap_or_default();
            start = *end;
            (piece, *class)
        })
    }
}

/// A position in a line. Every method that takes text moves forward only.
#[derive(Debug)]
pub(super) struct Cursor<'l, 't> {
    line: &'l str,
    at: usize,
    /// The length in bytes of the leading white space.
    indent: usize,
    tokens: &'t mut Tokens,
}

impl<'l, 't> Cursor<'l, 't> {
    pub(super) fn new(line: &'l str, tokens: &'t mut Tokens) -> Self {
        let indent = line.len() - line.trim_start().len();
        Self { line, at: 0, indent, tokens }
    }

    /// Returns the text after the position.
    pub(super) fn rest(&self) -> &'l str {
        self.line.get(self.at..).unwrap_or_default()
    }

    pub(super) fn is_done(&self) -> bool {
        self.at >= self.line.len()
    }

    pub(super) fn is_at_start(&self) -> bool {
        self.at == 0
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Returns the character before the position.
    pub(super) fn before(&self) -> Option<char> {
        self.line.get(..self.at).and_then(|before| before.chars().next_back())
    }

    /// Returns `true` if only white space precedes the position.
    pub(super) fn is_first(&self) -> bool {
        self.at <= self.indent
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// Takes `length` bytes. A length that ends within a character takes all of it.
    pub(super) fn take(&mut self, length: usize, class: Option<Class>) {
        let mut end = self.at.saturating_add(length).min(self.line.len());
        while !self.line.is_char_boundary(end) {
            end += 1;
        }
        self.at = end;
        self.tokens.push(end, class);
    }

    /// Takes one character.
    pub(super) fn take_char(&mut self, class: Option<Class>) {
        self.take(self.peek().map_or(1, char::len_utf8), class);
    }

    /// Takes the text if it is next.
    pub(super) fn take_text(&mut self, text: &str, class: Option<Class>) -> bool {
        let found = self.starts_with(text);
        if found {
            self.take(text.len(), class);
        }
        found
    }

    /// Takes characters as long as they match, and returns them.
    pub(super) fn take_while(
        &mut self,
        class: Option<Class>,
        matches: impl Fn(char) -> bool,
    ) -> &'l str {
        let rest = self.rest();
        let length = rest.find(|c| !matches(c)).unwrap_or(rest.len());
        self.take(length, class);
        rest.get(..length).unwrap_or_default()
    }

    /// Takes white space.
    pub(super) fn take_space(&mut self) {
        self.take_while(None, char::is_whitespace);
    }

    /// Takes everything before the first occurrence of `end`, or the rest of the line if there is
    /// none.
    pub(super) fn take_until(&mut self, end: &str, class: Option<Class>) {
        let rest = self.rest();
        self.take(rest.find(end).unwrap_or(rest.len()), class);
    }

    /// Takes the rest of the line.
    pub(super) fn take_rest(&mut self, class: Option<Class>) {
        self.take(self.rest().len(), class);
    }
}

/// Returns `true` if a word of most languages can begin with this character.
pub(super) fn begins_word(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

/// Returns `true` if a word of most languages can contain this character.
pub(super) fn continues_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}
