//! The scanner for HTML, XML and templates written in them.

use super::code::CodeState;
use super::css::CssState;
use super::languages;
use super::tokens::{Class, Cursor, Tokens};

/// The construct around the current position.
#[derive(Debug, Default)]
enum Mode {
    #[default]
    Text,
    Comment,
    /// A tag; the element's name determines the content after it.
    Tag(Content),
    /// The value of an attribute up to this quote.
    Value(char, Content),
    /// A template tag, up to this text.
    Template(&'static str),
    /// Code up to the end tag.
    Script(Box<CodeState>),
    Style(CssState),
}

/// The content after a tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Content {
    Markup,
    Script,
    Style,
}

/// The scanner state for a document.
#[derive(Debug, Default)]
pub(super) struct MarkupState(Mode);

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || "-_:.@#*".contains(c)
}

const TEMPLATES: [(&str, &str); 4] = [("{{", "}}"), ("{%", "%}"), ("<%", "%>"), ("<?", "?>")];

/// Keywords of template languages.
const KEYWORDS: [&str; 24] = [
    "if",
    "else",
    "elsif",
    "elif",
    "endif",
    "for",
    "endfor",
    "in",
    "block",
    "endblock",
    "include",
    "extends",
    "assign",
    "set",
    "end",
    "unless",
    "endunless",
    "not",
    "and",
    "or",
    "with",
    "endwith",
    "do",
    "load",
];

impl MarkupState {
    pub(super) fn line(&mut self, line: &str, tokens: &mut Tokens) {
        let mut cursor = Cursor::new(line, tokens);
        while !cursor.is_done() {
            self.step(line, &mut cursor);
        }
    }

    fn step(&mut self, line: &str, cursor: &mut Cursor<'_, '_>) {
        match &mut self.0 {
            Mode::Text => self.text(cursor),
            Mode::Comment => {
                cursor.take_until("-->", Some(Class::Comment));
                if cursor.take_text("-->", Some(Class::Comment)) {
                    self.0 = Mode::Text;
                }
            }
            Mode::Tag(content) => {
                let content = *content;
                self.tag(content, cursor);
            }
            Mode::Value(quote, content) => {
                let (quote, content) = (*quote, *content);
                cursor.take_while(Some(Class::Text), |c| c != quote);
                if cursor.peek() == Some(quote) {
                    cursor.take_char(Some(Class::Text));
                    self.0 = Mode::Tag(content);
                }
            }
            Mode::Template(end) => {
                let end = *end;
                self.template(end, cursor);
            }
            Mode::Script(state) => {
                if cursor.is_at_start() && !line.contains("</script") {
                    state.scan(cursor);
                    state.end_line(line);
                } else {
                    cursor.take_until("</script", None);
                    if !cursor.is_done() {
                        self.0 = Mode::Text;
                    }
                }
            }
            Mode::Style(state) => {
                if cursor.is_at_start() && !line.contains("</style") {
                    state.scan(cursor, line.trim_end().ends_with(['{', ',']));
                } else {
                    cursor.take_until("</style", None);
                    if !cursor.is_done() {
                        self.0 = Mode::Text;
                    }
                }
            }
        }
    }

    fn text(&mut self, cursor: &mut Cursor<'_, '_>) {
        if cursor.take_text("<!--", Some(Class::Comment)) {
            self.0 = Mode::Comment;
        } else if let Some((open, close)) =
            TEMPLATES.iter().find(|(open, _)| cursor.starts_with(open))
        {
            cursor.take(open.len(), Some(Class::Punctuation));
            self.0 = Mode::Template(close);
        } else if cursor.starts_with("<") {
            self.begin_tag(cursor);
        } else if cursor.starts_with("&") {
            let rest = cursor.rest();
            let name = rest.get(1..).unwrap_or_default();
            let length = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '#'));
            let length = length.unwrap_or(name.len());
            let is_entity = length > 0 && name.get(length..).is_some_and(|n| n.starts_with(';'));
            cursor.take(if is_entity { length + 2 } else { 1 }, is_entity.then_some(Class::Number));
        } else {
            cursor.take_char(None);
            cursor.take_while(None, |c| !matches!(c, '<' | '&' | '{'));
        }
    }

    fn begin_tag(&mut self, cursor: &mut Cursor<'_, '_>) {
        let next = cursor.rest().chars().nth(1);
        if !next.is_some_and(|c| c.is_alphabetic() || "/!>".contains(c)) {
            return cursor.take_char(None);
        }
        cursor.take_char(Some(Class::Punctuation));
        let is_end = cursor.take_text("/", Some(Class::Punctuation));
        cursor.take_text("!", Some(Class::Punctuation));
        let name = cursor.take_while(Some(Class::Keyword), is_name);
        let content = match name {
            "script" if !is_end => Content::Script,
            "style" if !is_end => Content::Style,
            _ => Content::Markup,
        };
        self.0 = Mode::Tag(content);
    }

    fn tag(&mut self, content: Content, cursor: &mut Cursor<'_, '_>) {
        let Some(first) = cursor.peek() else { return };
        match first {
            '>' => {
                cursor.take_char(Some(Class::Punctuation));
                self.0 = match content {
                    Content::Markup => Mode::Text,
                    Content::Script => languages::javascript()
                        .map_or(Mode::Text, |code| Mode::Script(Box::new(CodeState::new(code)))),
                    Content::Style => Mode::Style(CssState::default()),
                };
            }
            '/' => {
                cursor.take_char(Some(Class::Punctuation));
                if cursor.starts_with(">") {
                    self.0 = Mode::Tag(Content::Markup);
                }
            }
            '"' | '\'' => {
                cursor.take_char(Some(Class::Text));
                self.0 = Mode::Value(first, content);
            }
            '=' => {
                cursor.take_char(Some(Class::Punctuation));
                cursor.take_while(Some(Class::Text), |c| {
                    !(c.is_whitespace() || matches!(c, '"' | '\'' | '>' | '{'))
                });
            }
            '<' => self.0 = Mode::Text,
            c if c.is_whitespace() => cursor.take_space(),
            c if is_name(c) => {
                cursor.take_while(Some(Class::Variable), is_name);
            }
            _ => cursor.take_char(Some(Class::Punctuation)),
        }
    }

    fn template(&mut self, end: &'static str, cursor: &mut Cursor<'_, '_>) {
        if cursor.take_text(end, Some(Class::Punctuation)) {
            self.0 = Mode::Text;
            return;
        }
        let Some(first) = cursor.peek() else { return };
        match first {
            '"' | '\'' => {
                cursor.take_char(Some(Class::Text));
                cursor.take_while(Some(Class::Text), |c| c != first);
                cursor.take_char(Some(Class::Text));
            }
            c if c.is_whitespace() => cursor.take_space(),
            c if c.is_ascii_digit() => {
                cursor.take_while(Some(Class::Number), |c| c.is_ascii_digit() || c == '.');
            }
            c if c == '_' || c.is_alphabetic() => {
                let rest = cursor.rest();
                let length = rest.find(|c: char| !(c == '_' || c.is_alphanumeric()));
                let length = length.unwrap_or(rest.len());
                let word = rest.get(..length).unwrap_or_default();
                let is_keyword = KEYWORDS.contains(&word);
                let class = if is_keyword { Class::Keyword } else { Class::Variable };
                cursor.take(length, Some(class));
            }
            _ => cursor.take_char(Some(Class::Punctuation)),
        }
    }
}
