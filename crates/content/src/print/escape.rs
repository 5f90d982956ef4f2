//! Escapes text so that it is not parsed as markup.

use std::fmt::Write as _;

use crate::emoji;
use crate::syntax::tag;

/// Returns `true` if `text` begins with an entity.
pub(super) fn is_entity(text: &str) -> bool {
    let Some(after) = text.strip_prefix('&') else {
        return false;
    };
    let body = after.strip_prefix('#').unwrap_or(after);
    let length = body.bytes().take_while(u8::is_ascii_alphanumeric).count();
    length > 0 && body.as_bytes().get(length) == Some(&b';')
}

/// Returns `true` if `text` begins with a known emoji shortcode.
pub(super) fn is_shortcode(text: &str) -> bool {
    let Some(after) = text.strip_prefix(':') else {
        return false;
    };
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+');
    let length = after.bytes().take(48).take_while(is_part).count();
    after.as_bytes().get(length) == Some(&b':')
        && after.get(..length).is_some_and(|name| emoji::by_shortcode(name).is_some())
}

/// Writes a character as an entity.
pub(super) fn entity(c: char, to: &mut String) {
    let _ = write!(to, "&#x{:X};", u32::from(c));
}

/// Writes an attribute of an HTML element.
pub(super) fn attribute(name: &str, value: &str, to: &mut String) {
    to.push(' ');
    to.push_str(name);
    to.push_str("=\"");
    let has_formula = value.contains("$$");
    for c in value.chars() {
        let is_special = match c {
            '"' | '\n' | '\r' | '|' | '`' | '&' => true,
            '$' => has_formula,
            _ => false,
        };
        if is_special { entity(c, to) } else { to.push(c) }
    }
    to.push('"');
}

/// Writes an attribute of a block tag on one line.
pub(super) fn tag_attribute(name: &str, value: &str, to: &mut String) {
    to.push(' ');
    to.push_str(name);
    to.push_str("=\"");
    to.push_str(&tag::escape(value));
    to.push('"');
}

/// Writes a property of an integration's tag, whose backslashes are not escapes.
pub(super) fn tag_property(name: &str, value: &str, to: &mut String) {
    let is_bare = value.ends_with('\\') && !value.contains([' ', '\t', '\n', '%', '"', '\'']);
    to.push(' ');
    to.push_str(name);
    if is_bare {
        to.push('=');
        to.push_str(value);
        return;
    }
    to.push_str("=\"");
    to.push_str(&value.replace('"', "\\\""));
    to.push('"');
}

/// Writes the target of a Markdown link.
pub(super) fn destination(raw: &str) -> String {
    let balanced = {
        let mut depth = 0_i32;
        let closes = raw.chars().all(|c| {
            depth += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            (0..30).contains(&depth)
        });
        closes && depth == 0
    };
    let bracketed = !balanced
        || raw.starts_with('<')
        || raw.contains(|c: char| c.is_ascii_whitespace() || c.is_control());
    let has_formula = raw.contains("$$");
    let mut written = String::with_capacity(raw.len() + 2);
    if bracketed {
        written.push('<');
    }
    for (at, c) in raw.char_indices() {
        let ahead = raw.get(at..).unwrap_or_default();
        let next = ahead.chars().nth(1);
        match c {
            '\n' | '\r' => entity(c, &mut written),
            '\\' if next.is_none_or(|next| next.is_ascii_punctuation()) => {
                written.push_str("\\\\");
            }
            '<' | '>' | '`' | '|' => written.extend(['\\', c]),
            '&' if is_entity(ahead) => written.extend(['\\', c]),
            '$' if has_formula => written.extend(['\\', c]),
            c => written.push(c),
        }
    }
    if bracketed {
        written.push('>');
    }
    written
}

/// Returns the length of the longest run of `mark` in a text.
pub(super) fn longest_run(text: &str, mark: char) -> usize {
    text.split(|c| c != mark).map(str::len).max().unwrap_or(0)
}

/// Escapes decorative text, none of which may be parsed as markup.
pub(super) fn plain(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => written.push(' '),
            c if c.is_ascii_punctuation() && !matches!(c, '.' | '-' | '/' | '#' | ',' | ':') => {
                written.extend(['\\', c]);
            }
            c => written.push(c),
        }
    }
    written
}

/// Escapes the language after a code fence.
pub(super) fn info(syntax: &str) -> String {
    let mut written = String::with_capacity(syntax.len());
    for (at, c) in syntax.char_indices() {
        let ahead = syntax.get(at..).unwrap_or_default();
        let next = ahead.chars().nth(1);
        let is_special = match c {
            '\\' => next.is_some_and(|next| next.is_ascii_punctuation()),
            '&' => is_entity(ahead),
            _ => false,
        };
        if is_special {
            written.push('\\');
        }
        written.push(c);
    }
    written
}
