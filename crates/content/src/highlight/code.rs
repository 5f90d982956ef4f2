//! The scanner for programming languages. It finds comments, strings, numbers, words and
//! punctuation as described by a table for each language.

use super::languages::{Language, Quote};
use super::tokens::{Class, Cursor, Tokens, begins_word, continues_word};

/// Maximum depth of strings within interpolations within strings.
const MODE_DEPTH_LIMIT: usize = 12;
/// Maximum length of a word that is looked up.
const WORD_LIMIT: usize = 40;

/// The construct around the current position.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Mode {
    /// Code in an interpolation; `open` counts its own open brackets.
    Interpolation { open: u32, brackets: (char, char) },
    /// A comment, with its nesting depth.
    Comment { index: usize, depth: u32 },
    /// A string.
    Text(&'static Quote),
    /// A here document, which ends with a line that equals this word.
    HereDocument(String),
}

/// The state of a block of code.
#[derive(Debug)]
pub(super) struct CodeState {
    language: &'static Language,
    modes: Vec<Mode>,
    /// The end word of a here document that begins on the next line.
    here_document: Option<String>,
    /// The class of the next word, as after `class` or `def`.
    expected: Option<Class>,
    /// `true` if the next word is a command.
    is_command: bool,
    /// `true` if the previous line continues on this one.
    is_continued: bool,
    /// `true` if the previous token ends a value, so that `/` and `<` are operators.
    after_value: bool,
    /// `true` if no regular expression ends on this line.
    no_regex: bool,
}

impl CodeState {
    pub(super) fn new(language: &'static Language) -> Self {
        Self {
            language,
            modes: Vec::new(),
            here_document: None,
            expected: None,
            is_command: true,
            is_continued: false,
            after_value: false,
            no_regex: false,
        }
    }

    pub(super) fn line(&mut self, line: &str, tokens: &mut Tokens) {
        let mut cursor = Cursor::new(line, tokens);
        self.scan(&mut cursor);
        self.end_line(line);
    }

    /// Scans to the end of the line.
    pub(super) fn scan(&mut self, cursor: &mut Cursor<'_, '_>) {
        self.is_command = !self.is_continued;
        self.after_value = false;
        self.no_regex = false;
        while !cursor.is_done() {
            self.step(cursor);
        }
    }

    /// Updates the state at the end of a line.
    pub(super) fn end_line(&mut self, line: &str) {
        self.is_continued = line.ends_with('\\');
        self.expected = None;
        while let Some(Mode::Text(quote)) = self.modes.last()
            && !quote.multiline
            && !self.is_continued
        {
            self.modes.pop();
        }
        if let Some(end) = self.here_document.take() {
            self.push(Mode::HereDocument(end));
        }
    }

    /// Returns `true` outside comments, strings and interpolations.
    pub(super) fn is_outside(&self) -> bool {
        self.modes.is_empty()
    }

    fn push(&mut self, mode: Mode) {
        if self.modes.len() < MODE_DEPTH_LIMIT {
            self.modes.push(mode);
        }
    }

    fn step(&mut self, cursor: &mut Cursor<'_, '_>) {
        match self.modes.last() {
            None | Some(Mode::Interpolation { .. }) => self.code(cursor),
            Some(Mode::Comment { index, .. }) => {
                let index = *index;
                self.comment(index, cursor);
            }
            Some(Mode::Text(quote)) => {
                let quote = *quote;
                self.text(quote, cursor);
            }
            Some(Mode::HereDocument(end)) => {
                let is_end = cursor.rest().trim().trim_end_matches([';', ')', ',']) == end;
                cursor.take_rest(Some(if is_end { Class::Keyword } else { Class::Text }));
                if is_end {
                    self.modes.pop();
                }
            }
        }
    }

    fn comment(&mut self, index: usize, cursor: &mut Cursor<'_, '_>) {
        let Some((open, close)) = self.language.spec.block_comments.get(index) else {
            self.modes.pop();
            return;
        };
        if cursor.take_text(close, Some(Class::Comment)) {
            self.leave_comment();
        } else if self.language.spec.nested_comments && cursor.take_text(open, Some(Class::Comment))
        {
            if let Some(Mode::Comment { depth, .. }) = self.modes.last_mut() {
                *depth = depth.saturating_add(1);
            }
        } else {
            // Skip to the next possible start of either delimiter.
            let heads = [open, close].map(|text| text.chars().next().unwrap_or_default());
            cursor.take_char(Some(Class::Comment));
            cursor.take_while(Some(Class::Comment), |c| !heads.contains(&c));
        }
    }

    fn leave_comment(&mut self) {
        if let Some(Mode::Comment { depth, .. }) = self.modes.last_mut()
            && *depth > 1
        {
            *depth -= 1;
            return;
        }
        self.modes.pop();
    }

    fn text(&mut self, quote: &'static Quote, cursor: &mut Cursor<'_, '_>) {
        let class = Some(if quote.is_pattern { Class::Number } else { Class::Text });
        if quote.doubled && cursor.starts_with(&quote.close.repeat(2)) {
            return cursor.take(quote.close.len() * 2, class);
        }
        if cursor.take_text(quote.close, class) {
            self.modes.pop();
            self.after_value = true;
            self.is_command = false;
            return;
        }
        if let Some(escape) = quote.escape
            && cursor.peek() == Some(escape)
        {
            cursor.take_char(Some(Class::Number));
            return cursor.take_char(Some(Class::Number));
        }
        if let Some(open) = quote.interpolation {
            if cursor.starts_with(open) && self.modes.len() < MODE_DEPTH_LIMIT {
                cursor.take(open.len(), Some(Class::Punctuation));
                let brackets = if open.ends_with('(') { ('(', ')') } else { ('{', '}') };
                self.is_command = true;
                self.after_value = false;
                return self.push(Mode::Interpolation { open: 0, brackets });
            }
            if self.language.spec.sigils.contains('$') && cursor.peek() == Some('$') {
                return self.variable(cursor, class);
            }
        }
        let stops = [
            quote.close.chars().next().unwrap_or_default(),
            quote.escape.unwrap_or_default(),
            quote.interpolation.and_then(|open| open.chars().next()).unwrap_or_default(),
            if quote.interpolation.is_some() { '$' } else { '\0' },
        ];
        cursor.take_char(class);
        cursor.take_while(class, |c| !stops.contains(&c) || c == '\0');
    }

    /// Scans a variable after `$` or another sigil.
    fn variable(&mut self, cursor: &mut Cursor<'_, '_>, otherwise: Option<Class>) {
        let mut rest = cursor.rest().chars();
        rest.next();
        match rest.next() {
            Some(next) if begins_word(next) => {
                cursor.take_char(Some(Class::Variable));
                cursor.take_while(Some(Class::Variable), continues_word);
            }
            Some(next) if next.is_ascii_digit() || "?@#*!$:-".contains(next) => {
                cursor.take(2, Some(Class::Variable));
            }
            _ => cursor.take_char(otherwise),
        }
    }

    fn code(&mut self, cursor: &mut Cursor<'_, '_>) {
        let Some(first) = cursor.peek() else { return };
        if first.is_whitespace() {
            return cursor.take_space();
        }
        if self.begins_comment(cursor) || self.begins_text(first, cursor) {
            return;
        }
        let spec = &self.language.spec;
        if spec.shell && self.shell(first, cursor) {
            return;
        }
        if spec.sigils.contains(first) {
            let before = cursor.rest().len();
            self.variable(cursor, Some(Class::Punctuation));
            if before - cursor.rest().len() > 1 {
                self.after_value = true;
                self.is_command = false;
                return;
            }
            return self.after_punctuation(first);
        }
        if first == '@' && spec.annotations {
            cursor.take_char(Some(Class::Function));
            cursor.take_while(Some(Class::Function), |c| continues_word(c) || c == '.');
            return;
        }
        if first == '#' && spec.preprocessor && cursor.is_first() {
            cursor.take_char(Some(Class::Keyword));
            cursor.take_while(Some(Class::Keyword), |c| c.is_ascii_alphabetic());
            if cursor.rest().trim_start().starts_with('<') {
                cursor.take_rest(Some(Class::Text));
            }
            return;
        }
        if first.is_ascii_digit() {
            return self.number(cursor);
        }
        if begins_word(first) || spec.extra_word.contains(first) {
            return self.word(cursor);
        }
        self.punctuation(first, cursor);
    }

    fn begins_comment(&mut self, cursor: &mut Cursor<'_, '_>) -> bool {
        let spec = &self.language.spec;
        // In a shell, `#` within a word, a URL or a parameter list does not begin a comment.
        let apart = cursor.before().is_none_or(|c| c.is_whitespace() || c == ';');
        let block = spec.block_comments.iter().position(|(open, _)| cursor.starts_with(open));
        if let Some(index) = block
            && let Some((open, _)) = spec.block_comments.get(index)
        {
            cursor.take(open.len(), Some(Class::Comment));
            self.push(Mode::Comment { index, depth: 1 });
            return true;
        }
        let line = spec.line_comments.iter().any(|open| cursor.starts_with(open));
        if line && (apart || !spec.comments_apart) {
            cursor.take_rest(Some(Class::Comment));
            return true;
        }
        let first = spec.first_comments.iter().any(|open| {
            let (text, word) = (cursor.rest(), open.ends_with(char::is_alphabetic));
            let head = text.get(..open.len());
            let next = text.get(open.len()..).and_then(|rest| rest.chars().next());
            head.is_some_and(|head| head.eq_ignore_ascii_case(open))
                && !(word && next.is_some_and(continues_word))
        });
        if first && cursor.is_first() {
            cursor.take_rest(Some(Class::Comment));
        }
        first && cursor.is_done()
    }

    fn begins_text(&mut self, first: char, cursor: &mut Cursor<'_, '_>) -> bool {
        let spec = &self.language.spec;
        if spec.lifetimes && first == '\'' {
            let mut next = cursor.rest().chars().skip(1);
            let (one, two) = (next.next(), next.next());
            if one.is_some_and(begins_word) && two != Some('\'') {
                cursor.take_char(Some(Class::Keyword));
                cursor.take_while(Some(Class::Keyword), continues_word);
                return true;
            }
        }
        let quote = spec.quotes.iter().find(|quote| cursor.starts_with(quote.open));
        if let Some(quote) = quote {
            if spec.keys && is_key(quote, cursor.rest()) {
                cursor.take(quote.open.len(), Some(Class::Variable));
                cursor.take_until(quote.close, Some(Class::Variable));
                cursor.take(quote.close.len(), Some(Class::Variable));
                self.after_value = true;
                return true;
            }
            cursor.take(quote.open.len(), Some(Class::Text));
            self.push(Mode::Text(quote));
            return true;
        }
        if spec.regexes && first == '/' && !self.after_value && !self.no_regex {
            return self.regex(cursor);
        }
        spec.here_documents.iter().any(|open| cursor.starts_with(open))
            && self.begins_here_document(cursor)
    }

    /// Scans a regular expression if it ends on this line. If one does not, the line is not
    /// searched again.
    fn regex(&mut self, cursor: &mut Cursor<'_, '_>) -> bool {
        let mut in_class = false;
        let mut escaped = false;
        let mut length = None;
        for (at, c) in cursor.rest().char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => {
                    length = Some(at + 1);
                    break;
                }
                _ => {}
            }
        }
        self.no_regex = length.is_none();
        let Some(length) = length else { return false };
        cursor.take(length, Some(Class::Number));
        cursor.take_while(Some(Class::Number), |c| c.is_ascii_lowercase());
        self.after_value = true;
        true
    }

    /// Scans `<<EOF` and similar, which begin a here document on the next line.
    fn begins_here_document(&mut self, cursor: &mut Cursor<'_, '_>) -> bool {
        let rest = cursor.rest();
        let name = rest.trim_start_matches('<').trim_start_matches(['-', '~', ' ', '\'', '"']);
        let end = name.find(|c| !continues_word(c)).unwrap_or(name.len());
        let word = name.get(..end).unwrap_or_default();
        let begins = word.starts_with(|c: char| c == '_' || c.is_ascii_uppercase());
        if !begins || word.len() > WORD_LIMIT || rest.starts_with("<<<<") {
            return false;
        }
        self.here_document = Some(word.to_owned());
        cursor.take_while(Some(Class::Punctuation), |c| "<-~'\" ".contains(c));
        cursor.take(word.len(), Some(Class::Keyword));
        cursor.take_while(Some(Class::Punctuation), |c| "'\"".contains(c));
        true
    }

    /// Scans options, assignments, prompts and commands of a shell.
    fn shell(&mut self, first: char, cursor: &mut Cursor<'_, '_>) -> bool {
        let rest = cursor.rest();
        let apart = cursor.before().is_none_or(char::is_whitespace);
        if cursor.is_first() && apart && (rest.starts_with("$ ") || rest.starts_with("% ")) {
            cursor.take(1, Some(Class::Punctuation));
            return true;
        }
        if first == '-' && apart {
            cursor.take_while(Some(Class::Punctuation), |c| c == '-');
            cursor.take_while(Some(Class::Variable), |c| continues_word(c) || c == '-');
            self.is_command = false;
            return true;
        }
        if rest.starts_with("${") || rest.starts_with("$(") {
            let brackets = if rest.starts_with("${") { ('{', '}') } else { ('(', ')') };
            let is_command = brackets.0 == '(';
            cursor.take(2, Some(Class::Punctuation));
            self.push(Mode::Interpolation { open: 0, brackets });
            self.is_command = is_command;
            return true;
        }
        let is_path = |c: char| continues_word(c) || "-./~+@%:,".contains(c);
        if !(begins_word(first) || "./~".contains(first)) {
            return false;
        }
        let length = rest.find(|c| !is_path(c)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let after = rest.get(length..).and_then(|after| after.chars().next());
        if after == Some('=') && word.chars().all(continues_word) {
            cursor.take(length, Some(Class::Variable));
            cursor.take(1, Some(Class::Punctuation));
            return true;
        }
        let known = self.language.class(word).filter(|_| self.is_command || word == "in");
        let class = match known {
            Some(class) => Some(class),
            None if self.is_command && (apart || self.modes.is_empty()) => Some(Class::Function),
            None => None,
        };
        // A command can follow a keyword, except for keywords that are followed by a name.
        self.is_command = known == Some(Class::Keyword)
            && !matches!(word, "for" | "in" | "case" | "select" | "function" | "export" | "local");
        cursor.take(length, class);
        true
    }

    fn number(&mut self, cursor: &mut Cursor<'_, '_>) {
        let mut before = '0';
        let rest = cursor.rest();
        let length = rest
            .find(|c: char| {
                let signed = "+-".contains(c) && matches!(before, 'e' | 'E');
                let ends = !(c.is_ascii_alphanumeric() || c == '_' || c == '.' || signed);
                before = c;
                ends
            })
            .unwrap_or(rest.len());
        let digits = rest.get(..length).unwrap_or_default();
        // `1..10` is a range, and the period of `1.` can end a sentence.
        let digits = digits.find("..").map_or(digits, |at| digits.get(..at).unwrap_or(digits));
        let length = digits.trim_end_matches('.').len();
        cursor.take(length.max(1), Some(Class::Number));
        self.after_value = true;
        self.is_command = false;
    }

    fn word(&mut self, cursor: &mut Cursor<'_, '_>) {
        let spec = &self.language.spec;
        let rest = cursor.rest();
        let extra = spec.extra_word;
        let length =
            rest.find(|c| !(continues_word(c) || extra.contains(c))).unwrap_or(rest.len()).max(1);
        let word = rest.get(..length).unwrap_or_default();
        let after = rest.get(length..).unwrap_or_default();
        // The prefix of a string, as in `f"…"` or `b'…'`.
        if length <= 2
            && spec.prefixes.contains(&word.to_ascii_lowercase().as_str())
            && after.starts_with(['"', '\''])
        {
            return cursor.take(length, Some(Class::Text));
        }
        let gap = after.find(|c: char| c != ' ').unwrap_or(after.len());
        let next = after.get(gap..).and_then(|after| after.chars().next());
        let is_member = cursor.before() == Some('.');
        let known = self.language.class(word).filter(|_| !is_member);
        let class = match (known, self.expected.take()) {
            (Some(class), _) => Some(class),
            (None, Some(expected)) => Some(expected),
            (None, None) => self.class_of_name(word, next, gap == 0),
        };
        if known == Some(Class::Keyword) {
            self.expected = self.language.expected_after(word);
        }
        self.after_value = known != Some(Class::Keyword);
        self.is_command = false;
        cursor.take(length, class);
    }

    fn class_of_name(&self, word: &str, next: Option<char>, touches: bool) -> Option<Class> {
        let spec = &self.language.spec;
        let mut letters = word.chars();
        let upper = letters.next().is_some_and(char::is_uppercase);
        if spec.calls && touches && next == Some('(') {
            return Some(if upper && spec.upper_types { Class::Type } else { Class::Function });
        }
        if spec.macros && touches && next == Some('!') {
            return Some(Class::Function);
        }
        if spec.colon_keys && next == Some(':') {
            return Some(Class::Variable);
        }
        if spec.upper_types && upper {
            let is_constant = word.len() > 1 && !word.chars().any(char::is_lowercase);
            return Some(if is_constant { Class::Number } else { Class::Type });
        }
        (spec.list_heads && self.is_command).then_some(Class::Function)
    }

    fn punctuation(&mut self, first: char, cursor: &mut Cursor<'_, '_>) {
        self.expected = None;
        if let Some(Mode::Interpolation { open, brackets }) = self.modes.last_mut() {
            if first == brackets.0 {
                *open = open.saturating_add(1);
            } else if first == brackets.1 {
                if *open == 0 {
                    self.modes.pop();
                    self.after_value = true;
                    self.is_command = false;
                    return cursor.take_char(Some(Class::Punctuation));
                }
                *open -= 1;
            }
        }
        // A JSX tag occurs where a value is expected.
        let tag = self.language.spec.tags && first == '<' && !self.after_value;
        cursor.take_char(first.is_ascii_punctuation().then_some(Class::Punctuation));
        if tag {
            cursor.take_text("/", Some(Class::Punctuation));
            if cursor.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
                cursor.take_while(Some(Class::Keyword), |c| {
                    continues_word(c) || c == '.' || c == '-'
                });
            }
        }
        self.after_punctuation(first);
    }

    fn after_punctuation(&mut self, first: char) {
        self.after_value = matches!(first, ')' | ']' | '}');
        let begins = matches!(first, '|' | ';' | '&' | '(' | '`' | '!');
        self.is_command = begins || (self.is_command && !self.language.spec.list_heads);
    }
}

/// Returns `true` if the string at the start of `text` is a key of an object. Reads the string a
/// second time. Strings with escapes are never treated as keys.
fn is_key(quote: &Quote, text: &str) -> bool {
    let Some(rest) = text.get(quote.open.len()..) else { return false };
    rest.find(quote.close).is_some_and(|end| {
        let string = rest.get(..end).unwrap_or_default();
        let after = rest.get(end + quote.close.len()..).unwrap_or_default();
        !string.contains('\\') && after.trim_start().starts_with(':')
    })
}
