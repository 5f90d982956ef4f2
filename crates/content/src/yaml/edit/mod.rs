//! Edits YAML key by key and preserves the lines of all other keys.

use std::fmt;

use serde_json::{Map, Value};

use super::layout::{self, Entry, Mapping, Node};
use super::print;
use crate::source::Span;

/// A change of one key.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The key's path, outermost key first.
    pub path: Vec<String>,
    /// The new value. `None` removes the key and any enclosing mappings that become empty.
    pub value: Option<Value>,
}

impl Change {
    /// Creates a change that sets the key at `path` to a value.
    pub fn set(path: &[&str], value: impl Into<Value>) -> Self {
        Self { path: path.iter().map(|&key| key.to_owned()).collect(), value: Some(value.into()) }
    }

    /// Creates a change that removes the key at `path`.
    #[must_use]
    pub fn remove(path: &[&str]) -> Self {
        Self { path: path.iter().map(|&key| key.to_owned()).collect(), value: None }
    }
}

/// The reason why an edit of YAML failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum YamlError {
    /// The source is not valid YAML. Holds the parser's message.
    Invalid(String),
    /// The document is not a mapping.
    NotAMapping,
    /// The result would not parse to the intended values, for example because a key is too long.
    Unwritable,
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(message) => write!(f, "the YAML is not valid: {message}"),
            Self::NotAMapping => f.write_str("the YAML is not a list of keys and values"),
            Self::Unwritable => f.write_str("the values cannot be written as YAML"),
        }
    }
}

impl std::error::Error for YamlError {}

/// Applies the changes. `order` lists key paths, joined by `.`, in the order in which new keys are
/// inserted; keys that it lacks are appended. New lines end in `line_end`.
///
/// The result always parses to the original values with the changes applied. If line-by-line
/// editing cannot achieve that (anchors, flow mappings), the whole document is printed again.
///
/// For example, setting `icon` to `key` in
///
/// ```yaml
/// title: T   # as printed
/// icon: x    # small
/// ```
///
/// changes one line and keeps its comment:
///
/// ```yaml
/// title: T   # as printed
/// icon: key    # small
/// ```
pub(crate) fn edit(
    text: &str,
    changes: &[Change],
    order: &[&str],
    line_end: &str,
) -> Result<String, YamlError> {
    if let Some(rest) = text.strip_prefix('\u{FEFF}') {
        return edit(rest, changes, order, line_end).map(|written| format!("\u{FEFF}{written}"));
    }
    let mut value = match super::parse(text).map_err(YamlError::Invalid)? {
        Value::Null => Map::new(),
        Value::Object(map) => map,
        _ => return Err(YamlError::NotAMapping),
    };
    let mut written = text.to_owned();
    for change in changes {
        let before = value.clone();
        apply(&mut value, &change.path, change.value.as_ref());
        if value == before {
            continue;
        }
        let writer = Writer { text: &written, order, line_end, value: &value };
        let changed = writer.change(&change.path);
        written = match changed.filter(|changed| parses_to(changed, &value)) {
            Some(changed) => changed,
            None => {
                let lines = print::mapping(&value, 0);
                let reprinted: String =
                    lines.iter().map(|line| format!("{line}{line_end}")).collect();
                if !parses_to(&reprinted, &value) {
                    return Err(YamlError::Unwritable);
                }
                reprinted
            }
        };
    }
    Ok(written)
}

fn parses_to(text: &str, value: &Map<String, Value>) -> bool {
    match super::parse(text) {
        Ok(Value::Object(map)) => map == *value,
        Ok(Value::Null) => value.is_empty(),
        _ => false,
    }
}

fn apply(map: &mut Map<String, Value>, path: &[String], value: Option<&Value>) {
    let Some((key, rest)) = path.split_first() else {
        return;
    };
    if rest.is_empty() {
        match value {
            Some(value) => {
                map.insert(key.clone(), value.clone());
            }
            None => {
                map.shift_remove(key);
            }
        }
        return;
    }
    if !map.get(key).is_some_and(Value::is_object) {
        if value.is_none() {
            return;
        }
        map.insert(key.clone(), Value::Object(Map::new()));
    }
    if let Some(Value::Object(inner)) = map.get_mut(key) {
        let was_empty = inner.is_empty();
        apply(inner, rest, value);
        if inner.is_empty() && !was_empty {
            map.shift_remove(key);
        }
    }
}

struct Writer<'w> {
    text: &'w str,
    order: &'w [&'w str],
    line_end: &'w str,
    /// The values that the edited text must parse to.
    value: &'w Map<String, Value>,
}

impl Writer<'_> {
    /// Returns the text with one key changed, or `None` if the key cannot be changed by lines.
    fn change(&self, path: &[String]) -> Option<String> {
        if super::parse(self.text).ok()?.is_null() {
            let lines = print::mapping(self.value, 0);
            return Some(self.splice(Span::new(self.text.len(), self.text.len()), &lines));
        }
        let root = layout::read(self.text)?;
        self.change_in(&root, Span::new(0, self.text.len()), self.value, path, "")
    }

    /// Changes `mapping`, whose lines are within `bounds` and whose new value is `value`.
    fn change_in(
        &self,
        mapping: &Mapping,
        bounds: Span,
        value: &Map<String, Value>,
        path: &[String],
        prefix: &str,
    ) -> Option<String> {
        let (key, rest) = path.split_first()?;
        let at = mapping.entries.iter().position(|entry| entry.key == *key);
        let new = value.get(key);
        let Some(at) = at else {
            return self.insert(mapping, bounds, key, new?, prefix);
        };
        let entry = mapping.entries.get(at)?;
        let lines = self.lines(mapping, at, bounds)?;
        let Some(new) = new else {
            return Some(self.splice(lines, &[]));
        };
        if let (Node::Mapping(inner), Value::Object(map), false) =
            (&entry.value, new, rest.is_empty())
        {
            let start = self.line_after(entry.key_span.end);
            let prefix = format!("{prefix}{key}.");
            return self.change_in(inner, Span::new(start, lines.end), map, rest, &prefix);
        }
        self.replace(entry, lines, new)
    }

    /// Returns the whole lines of an entry, up to the next entry but without the comments above
    /// that.
    fn lines(&self, mapping: &Mapping, at: usize, bounds: Span) -> Option<Span> {
        let entry = mapping.entries.get(at)?;
        let start = self.line_start(entry.key_span.start);
        let indent = self.indent(entry)?;
        let end = match mapping.entries.get(at + 1) {
            Some(next) => self.line_start(next.key_span.start),
            None => bounds.end,
        };
        let mut span = Span::new(start, end);
        let first = self.line_after(entry.key_span.end);
        while span.end > first {
            let last = self.line_start(span.end - 1);
            let line = Span::new(last, span.end).of(self.text);
            let text = line.trim();
            let depth = line.len() - line.trim_start_matches(' ').len();
            if !text.is_empty() && (depth > indent || !text.starts_with('#')) {
                break;
            }
            span.end = last.max(first);
        }
        (start >= bounds.start).then_some(span)
    }

    fn replace(&self, entry: &Entry, lines: Span, new: &Value) -> Option<String> {
        let indent = self.indent(entry)?;
        let colon = self.colon(entry)?;
        let printed = print::value(new, indent);
        let mut first = Span::new(lines.start, colon).of(self.text).to_owned();
        if !printed.head.is_empty() {
            first.push(' ');
            first.push_str(&printed.head);
        }
        first.push_str(self.comment(entry, colon));
        let all: Vec<String> = std::iter::once(first).chain(printed.lines).collect();
        Some(self.splice(lines, &all))
    }

    fn insert(
        &self,
        mapping: &Mapping,
        bounds: Span,
        key: &str,
        new: &Value,
        prefix: &str,
    ) -> Option<String> {
        let rank = |key: &str| {
            let name = format!("{prefix}{key}");
            self.order.iter().position(|known| *known == name)
        };
        let own = rank(key);
        let ranks: Vec<Option<usize>> =
            mapping.entries.iter().map(|entry| rank(&entry.key)).collect();
        let at = match own {
            None => mapping.entries.len(),
            Some(own) => {
                let after = ranks.iter().rposition(|rank| rank.is_some_and(|rank| rank < own));
                let before = ranks.iter().position(|rank| rank.is_some_and(|rank| rank > own));
                after.map(|at| at + 1).or(before).unwrap_or(mapping.entries.len())
            }
        };
        let indent = self.indent(mapping.entries.first()?)?;
        let offset = match at.checked_sub(1) {
            Some(last) => self.lines(mapping, last, bounds)?.end,
            None => self.line_start(mapping.entries.first()?.key_span.start),
        };
        let lines = print::entry(&print::key(key), new, indent);
        Some(self.splice(Span::new(offset, offset), &lines))
    }

    /// Returns the text with `lines` in place of `span`.
    fn splice(&self, span: Span, lines: &[String]) -> String {
        let mut written = self.text.get(..span.start).unwrap_or_default().to_owned();
        if !written.is_empty() && !written.ends_with('\n') && !lines.is_empty() {
            written.push_str(self.line_end);
        }
        for line in lines {
            written.push_str(line);
            written.push_str(self.line_end);
        }
        let rest = self.text.get(span.end..).unwrap_or_default();
        let was_open = !self.text.is_empty() && !self.text.ends_with('\n');
        if rest.is_empty() && was_open && !lines.is_empty() {
            written.truncate(written.len() - self.line_end.len());
        }
        written.push_str(rest);
        written
    }

    /// Returns the comment on a key's line, with the whitespace before it.
    fn comment(&self, entry: &Entry, colon: usize) -> &str {
        let line = |from: usize| {
            let rest = self.text.get(from..).unwrap_or_default();
            rest.split(['\n', '\r']).next().unwrap_or_default()
        };
        let rest = match &entry.value {
            Node::Inline(span) if !span.is_empty() => {
                if self.line_start(span.end) > entry.key_span.end {
                    return "";
                }
                line(span.end)
            }
            Node::Block => {
                let header = line(colon);
                let trimmed = header.trim_start();
                if trimmed.starts_with('#') {
                    header
                } else {
                    header.find(" #").and_then(|at| header.get(at..)).unwrap_or_default()
                }
            }
            _ => line(colon),
        };
        if rest.trim_start().starts_with('#') { rest } else { "" }
    }

    /// Returns the offset after the `:` that follows a key.
    fn colon(&self, entry: &Entry) -> Option<usize> {
        let rest = self.text.get(entry.key_span.end..)?;
        let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        (rest.as_bytes().get(gap) == Some(&b':')).then_some(entry.key_span.end + gap + 1)
    }

    /// Returns the indentation of a key in columns, or `None` if something else precedes it on its
    /// line.
    fn indent(&self, entry: &Entry) -> Option<usize> {
        let start = self.line_start(entry.key_span.start);
        let before = Span::new(start, entry.key_span.start).of(self.text);
        before.bytes().all(|byte| byte == b' ').then_some(before.len())
    }

    fn line_start(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().get(..offset).unwrap_or_default();
        memchr::memrchr(b'\n', before).map_or(0, |at| at + 1)
    }

    fn line_after(&self, offset: usize) -> usize {
        let rest = self.text.as_bytes().get(offset..).unwrap_or_default();
        memchr::memchr(b'\n', rest).map_or(self.text.len(), |at| offset + at + 1)
    }
}

#[cfg(test)]
mod tests;
