//! The scanner of CSS, SCSS and Less.

use super::tokens::{Class, Cursor, Tokens};

/// The state of a style sheet.
#[derive(Debug, Default)]
pub(super) struct CssState {
    in_comment: bool,
    /// The number of open braces.
    depth: u32,
    /// `true` within the value of a property.
    in_value: bool,
}

fn is_name(c: char) -> bool {
    c == '-' || c == '_' || c.is_alphanumeric()
}

impl CssState {
    pub(super) fn line(&mut self, line: &str, tokens: &mut Tokens) {
        let mut cursor = Cursor::new(line, tokens);
        self.scan(&mut cursor, line.trim_end().ends_with(['{', ',']));
    }

    /// Scans to the end of the line. With `is_selector`, the line cannot contain a declaration.
    pub(super) fn scan(&mut self, cursor: &mut Cursor<'_, '_>, is_selector: bool) {
        while !cursor.is_done() {
            self.step(cursor, is_selector);
        }
    }

    fn step(&mut self, cursor: &mut Cursor<'_, '_>, is_selector: bool) {
        if self.in_comment {
            cursor.take_until("*/", Some(Class::Comment));
            self.in_comment = !cursor.take_text("*/", Some(Class::Comment));
            return;
        }
        let Some(first) = cursor.peek() else { return };
        if first.is_whitespace() {
            return cursor.take_space();
        }
        if cursor.take_text("/*", Some(Class::Comment)) {
            self.in_comment = true;
            return;
        }
        if cursor.starts_with("//") && !self.in_value {
            return cursor.take_rest(Some(Class::Comment));
        }
        match first {
            '"' | '\'' => {
                cursor.take_char(Some(Class::Text));
                cursor.take_while(Some(Class::Text), |c| c != first);
                cursor.take_char(Some(Class::Text));
            }
            '@' | '!' => {
                cursor.take_char(Some(Class::Keyword));
                cursor.take_while(Some(Class::Keyword), is_name);
            }
            '$' => {
                cursor.take_char(Some(Class::Variable));
                cursor.take_while(Some(Class::Variable), is_name);
            }
            '#' if self.in_value => {
                cursor.take_char(Some(Class::Number));
                cursor.take_while(Some(Class::Number), is_name);
            }
            '#' | '.' if !self.in_value => {
                cursor.take_char(Some(Class::Variable));
                cursor.take_while(Some(Class::Variable), is_name);
            }
            c if c.is_ascii_digit() => {
                cursor.take_while(Some(Class::Number), |c| is_name(c) || c == '.' || c == '%');
            }
            c if is_name(c) => self.name(cursor, is_selector),
            c => self.punctuation(c, cursor, is_selector),
        }
    }

    fn name(&mut self, cursor: &mut Cursor<'_, '_>, is_selector: bool) {
        let rest = cursor.rest();
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let after = rest.get(length..).unwrap_or_default();
        let is_property = self.depth > 0 && !is_selector && after.trim_start().starts_with(':');
        let class = if rest.starts_with("--") {
            Some(Class::Variable)
        } else if after.starts_with('(') {
            Some(Class::Function)
        } else if self.in_value {
            None
        } else if is_property {
            Some(Class::Type)
        } else {
            Some(Class::Keyword)
        };
        cursor.take(length, class);
    }

    fn punctuation(&mut self, first: char, cursor: &mut Cursor<'_, '_>, is_selector: bool) {
        match first {
            '{' => {
                self.depth = self.depth.saturating_add(1);
                self.in_value = false;
            }
            '}' => {
                self.depth = self.depth.saturating_sub(1);
                self.in_value = false;
            }
            ';' => self.in_value = false,
            ':' if self.depth > 0 && !is_selector => self.in_value = true,
            _ => {}
        }
        cursor.take_char(first.is_ascii_punctuation().then_some(Class::Punctuation));
    }
}
