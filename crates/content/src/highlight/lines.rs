//! The scanners for line-based formats: settings, YAML, patches, HTTP and Markdown.

use super::code::CodeState;
use super::languages;
use super::tokens::{Class, Cursor, Tokens};

/// A line-based format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    /// INI, TOML, properties and environment files.
    Settings,
    /// YAML.
    Yaml,
    /// Unified diffs.
    Patch,
    /// HTTP requests and responses.
    Http,
    /// Markdown.
    Markdown,
}

/// The scanner state for a line-based format.
#[derive(Debug)]
pub(super) struct LineState {
    format: Format,
    /// The scanner of values.
    values: Option<CodeState>,
    /// The indentation of the key of the current block scalar; deeper lines belong to it.
    block: Option<usize>,
    /// `true` after the head of a message, or within a fence.
    inside: bool,
    /// `true` after the first line.
    has_begun: bool,
}

fn is_key(c: char) -> bool {
    c.is_alphanumeric() || "-_./$@*~\\ ".contains(c)
}

impl LineState {
    pub(super) fn new(format: Format) -> Self {
        let values = match format {
            Format::Http => languages::json().map(CodeState::new),
            Format::Settings | Format::Yaml => languages::values().map(CodeState::new),
            Format::Patch | Format::Markdown => None,
        };
        Self { format, values, block: None, inside: false, has_begun: false }
    }

    pub(super) fn line(&mut self, line: &str, tokens: &mut Tokens) {
        let mut cursor = Cursor::new(line, tokens);
        match self.format {
            Format::Settings => self.setting(line, &mut cursor),
            Format::Yaml => self.yaml(line, &mut cursor),
            Format::Patch => patch(line, &mut cursor),
            Format::Http => self.http(line, &mut cursor),
            Format::Markdown => self.markdown(&mut cursor),
        }
        self.has_begun = true;
    }

    fn value(&mut self, line: &str, cursor: &mut Cursor<'_, '_>) {
        if let Some(values) = &mut self.values {
            values.scan(cursor);
            values.end_line(line);
        }
    }

    fn in_value(&self) -> bool {
        self.values.as_ref().is_some_and(|values| !values.is_outside())
    }

    fn setting(&mut self, line: &str, cursor: &mut Cursor<'_, '_>) {
        if self.in_value() {
            return self.value(line, cursor);
        }
        cursor.take_space();
        match cursor.peek() {
            Some('#' | ';' | '!') => return cursor.take_rest(Some(Class::Comment)),
            Some('[') if !line.contains('=') && !line.trim_end().ends_with(',') => {
                cursor.take_while(Some(Class::Punctuation), |c| c == '[');
                cursor.take_while(Some(Class::Keyword), |c| c != ']');
                return cursor.take_rest(Some(Class::Punctuation));
            }
            _ => {}
        }
        let rest = cursor.rest();
        let key = rest.find(|c| !(is_key(c) || c == '"' || c == '\'')).unwrap_or(rest.len());
        let after = rest.get(key..).unwrap_or_default();
        if after.starts_with('=') || (after.starts_with(':') && !after.starts_with("://")) {
            cursor.take(
                rest.get(..key).map_or(key, |key| key.trim_end().len()),
                Some(Class::Keyword),
            );
            cursor.take_space();
            cursor.take_char(Some(Class::Punctuation));
        }
        self.value(line, cursor);
    }

    fn yaml(&mut self, line: &str, cursor: &mut Cursor<'_, '_>) {
        let indent = line.len() - line.trim_start().len();
        if let Some(above) = self.block {
            if line.trim().is_empty() || indent > above {
                return cursor.take_rest(Some(Class::Text));
            }
            self.block = None;
        }
        if self.in_value() {
            return self.value(line, cursor);
        }
        cursor.take_space();
        let mut depth = indent;
        while cursor.starts_with("- ") || cursor.rest() == "-" {
            let before = cursor.rest().len();
            cursor.take(1, Some(Class::Punctuation));
            cursor.take_space();
            depth = depth.saturating_add(before - cursor.rest().len());
        }
        if cursor.starts_with("#") {
            return cursor.take_rest(Some(Class::Comment));
        }
        if cursor.starts_with("---") || cursor.starts_with("...") {
            cursor.take(3, Some(Class::Punctuation));
        }
        if let Some(length) = yaml_key(cursor.rest()) {
            cursor.take(length, Some(Class::Keyword));
            cursor.take_space();
            cursor.take(1, Some(Class::Punctuation));
            cursor.take_space();
        }
        match cursor.peek() {
            Some('|' | '>') => {
                self.block = Some(depth);
                cursor.take_rest(Some(Class::Punctuation));
            }
            Some('&' | '*' | '!') => {
                cursor.take_while(Some(Class::Variable), |c| !c.is_whitespace());
                self.value(line, cursor);
            }
            Some('"' | '\'' | '[' | '{' | '#') => self.value(line, cursor),
            Some(_) => plain_scalar(cursor),
            None => {}
        }
    }

    fn http(&mut self, line: &str, cursor: &mut Cursor<'_, '_>) {
        if self.inside {
            return self.value(line, cursor);
        }
        if line.trim().is_empty() {
            self.inside = self.has_begun;
            return;
        }
        if line.starts_with("HTTP/") {
            cursor.take_while(Some(Class::Keyword), |c| c != ' ');
            cursor.take_space();
            cursor.take_while(Some(Class::Number), |c| c.is_ascii_digit());
            return cursor.take_rest(Some(Class::Text));
        }
        let word = line.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(line.len());
        if word > 1 && line.get(word..).is_some_and(|rest| rest.starts_with(' ')) {
            cursor.take(word, Some(Class::Keyword));
            cursor.take_space();
            cursor.take_while(Some(Class::Text), |c| c != ' ');
            cursor.take_space();
            return cursor.take_rest(Some(Class::Keyword));
        }
        match line.split_once(':') {
            Some((name, _)) if !name.contains(' ') => {
                cursor.take(name.len(), Some(Class::Variable));
                cursor.take(1, Some(Class::Punctuation));
                cursor.take_rest(Some(Class::Text));
            }
            _ => self.value(line, cursor),
        }
    }

    fn markdown(&mut self, cursor: &mut Cursor<'_, '_>) {
        cursor.take_space();
        if cursor.starts_with("```") || cursor.starts_with("~~~") {
            self.inside = !self.inside;
            return cursor.take_rest(Some(Class::Punctuation));
        }
        if self.inside {
            return cursor.take_rest(Some(Class::Text));
        }
        if cursor.starts_with("#") {
            return cursor.take_rest(Some(Class::Keyword));
        }
        if cursor.starts_with("<!--") {
            return cursor.take_rest(Some(Class::Comment));
        }
        let rest = cursor.rest();
        if ["- ", "* ", "+ ", "> "].iter().any(|mark| rest.starts_with(mark)) {
            cursor.take(1, Some(Class::Punctuation));
        }
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        if digits > 0 && rest.get(digits..).is_some_and(|rest| rest.starts_with(". ")) {
            cursor.take(digits + 1, Some(Class::Punctuation));
        }
        while !cursor.is_done() {
            inline(cursor);
        }
    }
}

/// Scans a word or an inline element of Markdown.
fn inline(cursor: &mut Cursor<'_, '_>) {
    match cursor.peek() {
        Some('`') => {
            cursor.take_char(Some(Class::Text));
            cursor.take_while(Some(Class::Text), |c| c != '`');
            cursor.take_char(Some(Class::Text));
        }
        Some(']') if cursor.starts_with("](") => {
            cursor.take(2, Some(Class::Punctuation));
            cursor.take_while(Some(Class::Text), |c| c != ')' && c != ' ');
        }
        Some('*' | '_' | '[' | ']' | '!' | '(' | ')') => {
            cursor.take_char(Some(Class::Punctuation));
        }
        Some('{') if cursor.starts_with("{%") => {
            cursor.take_until("%}", Some(Class::Keyword));
            cursor.take_text("%}", Some(Class::Keyword));
        }
        Some('<') => {
            cursor.take_while(Some(Class::Keyword), |c| c != '>' && c != ' ');
            cursor.take_text(">", Some(Class::Keyword));
        }
        _ => {
            cursor.take_char(None);
            cursor.take_while(None, |c| !"`]*_[!(){<".contains(c));
        }
    }
}

/// Returns the length of the key at the start of a line of YAML.
fn yaml_key(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let length = match quote {
        Some(quote) => text.get(1..)?.find(quote)? + 2,
        None => {
            if text.starts_with(['[', '{', '&', '*', '!', '|', '>']) {
                return None;
            }
            let at = text.find(": ").or_else(|| text.ends_with(':').then(|| text.len() - 1))?;
            let key = text.get(..at)?;
            (!key.contains(" #") && !key.contains('"')).then_some(at)?
        }
    };
    text.get(length..)?.trim_start().starts_with(':').then_some(length)
}

/// Scans a plain scalar of YAML and the comment after it.
fn plain_scalar(cursor: &mut Cursor<'_, '_>) {
    let rest = cursor.rest();
    let length = rest.find(" #").unwrap_or(rest.len());
    let value = rest.get(..length).unwrap_or_default().trim_end();
    let is_number = value.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.')
        && value.parse::<f64>().is_ok();
    let is_literal = matches!(value, "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "~");
    let class = if is_number || is_literal { Class::Number } else { Class::Text };
    cursor.take(value.len(), Some(class));
    cursor.take_space();
    cursor.take_rest(Some(Class::Comment));
}

fn patch(line: &str, cursor: &mut Cursor<'_, '_>) {
    let heads = ["diff ", "index ", "---", "+++", "@@", "rename ", "new file", "deleted file"];
    let class = if heads.iter().any(|head| line.starts_with(head)) {
        Some(Class::Keyword)
    } else if line.starts_with(['+', '>']) {
        Some(Class::Inserted)
    } else if line.starts_with(['-', '<']) {
        Some(Class::Deleted)
    } else {
        None
    };
    cursor.take_rest(class);
}
