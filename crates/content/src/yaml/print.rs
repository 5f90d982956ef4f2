//! Prints YAML in the style of the dialect's exporter.

use serde_json::{Map, Value};

/// Maximum width of a line in columns, including its indentation. Longer text is folded.
const MAX_WIDTH: usize = 80;
/// Minimum width of folded text in columns, regardless of its indentation.
const MIN_WIDTH: usize = 40;

/// A printed value, split into the part after `key:` and the lines below it.
pub(super) struct PrintedValue {
    /// The text on the key's own line.
    pub(super) head: String,
    /// The lines below the key, indented, without line endings.
    pub(super) lines: Vec<String>,
}

/// Prints a value for a key that is indented by `indent` columns.
pub(super) fn value(value: &Value, indent: usize) -> PrintedValue {
    match value {
        Value::Object(map) if !map.is_empty() => {
            PrintedValue { head: String::new(), lines: mapping(map, indent + 2) }
        }
        Value::Array(items) if !items.is_empty() => {
            PrintedValue { head: String::new(), lines: sequence(items, indent + 2) }
        }
        scalar => self::scalar(scalar, indent + 2),
    }
}

/// Prints a whole document as lines.
pub(crate) fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::Object(map) if !map.is_empty() => mapping(map, 0),
        Value::Array(items) if !items.is_empty() => sequence(items, 0),
        scalar => {
            let PrintedValue { head, lines } = self::scalar(scalar, 2);
            std::iter::once(head).chain(lines).collect()
        }
    }
}

/// Prints a mapping as lines.
pub(super) fn mapping(map: &Map<String, Value>, indent: usize) -> Vec<String> {
    map.iter().flat_map(|(key, value)| entry(&self::key(key), value, indent)).collect()
}

/// Prints a key and its value as lines.
pub(super) fn entry(key: &str, value: &Value, indent: usize) -> Vec<String> {
    let PrintedValue { head, lines } = self::value(value, indent);
    let gap = if head.is_empty() { "" } else { " " };
    let first = format!("{}{key}:{gap}{head}", " ".repeat(indent));
    std::iter::once(first).chain(lines).collect()
}

fn sequence(items: &[Value], indent: usize) -> Vec<String> {
    let item = |value: &Value| {
        let mut lines = match value {
            Value::Object(map) if !map.is_empty() => mapping(map, indent + 2),
            Value::Array(items) if !items.is_empty() => sequence(items, indent + 2),
            scalar => {
                let PrintedValue { head, lines } = self::scalar(scalar, indent + 2);
                let first = format!("{}{head}", " ".repeat(indent + 2));
                std::iter::once(first).chain(lines).collect()
            }
        };
        if let Some(first) = lines.first_mut() {
            first.replace_range(indent..indent + 1, "-");
        }
        lines
    };
    items.iter().flat_map(item).collect()
}

/// Prints a key.
pub(super) fn key(key: &str) -> String {
    text(key)
}

fn scalar(value: &Value, indent: usize) -> PrintedValue {
    let single = |head: String| PrintedValue { head, lines: Vec::new() };
    match value {
        Value::Null => single("null".to_owned()),
        Value::Bool(flag) => single(flag.to_string()),
        Value::Number(number) => single(number.to_string()),
        Value::Object(_) => single("{}".to_owned()),
        Value::Array(_) => single("[]".to_owned()),
        Value::String(text) => {
            let pad = " ".repeat(indent);
            let width = MAX_WIDTH.saturating_sub(indent).max(MIN_WIDTH);
            if let Some(lines) = literal(text) {
                let lines =
                    lines.map(|line| if line.is_empty() { line } else { pad.clone() + &line });
                return PrintedValue { head: "|-".to_owned(), lines: lines.collect() };
            }
            match folded(text, width) {
                Some(lines) => PrintedValue {
                    head: ">-".to_owned(),
                    lines: lines.into_iter().map(|line| pad.clone() + line).collect(),
                },
                None => single(self::text(text)),
            }
        }
    }
}

/// Returns the lines of a text that is printed as a literal block: several lines without unusual
/// characters.
fn literal(text: &str) -> Option<impl Iterator<Item = String>> {
    let fits = text.contains('\n')
        && !text.starts_with([' ', '\n'])
        && !text.ends_with('\n')
        && text.chars().all(|c| c == '\n' || is_printable(c));
    fits.then(|| text.split('\n').map(str::to_owned))
}

/// Returns the lines of a text that is too long for one line, folded at single spaces.
fn folded(text: &str, width: usize) -> Option<Vec<&str>> {
    let length = |text: &str| text.chars().map(char::len_utf16).sum::<usize>();
    let is_long = text.len() > width && length(text) > width;
    let is_plain = !text.starts_with(' ') && !text.ends_with(' ') && text.chars().all(is_printable);
    if !is_long || !is_plain {
        return None;
    }
    let bytes = text.as_bytes();
    let is_break = |at: usize| {
        let neighbour =
            |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|b| *b != b' ');
        bytes.get(at) == Some(&b' ') && neighbour(at.checked_sub(1)) && neighbour(Some(at + 1))
    };
    let mut lines = Vec::new();
    let mut start = 0;
    let mut last: Option<usize> = None;
    let mut columns = 0;
    for (at, c) in text.char_indices() {
        if is_break(at) {
            last = Some(at);
        }
        columns += c.len_utf16();
        if columns > width
            && let Some(end) = last.take()
        {
            lines.push(text.get(start..end)?);
            start = end + 1;
            columns = length(text.get(start..at + c.len_utf8()).unwrap_or_default());
        }
    }
    lines.push(text.get(start..)?);
    Some(lines)
}

/// Prints a text on one line: plain if it is unambiguous, otherwise quoted.
fn text(text: &str) -> String {
    if !text.chars().all(is_printable) {
        return double_quoted(text);
    }
    if is_plain(text) { text.to_owned() } else { format!("'{}'", text.replace('\'', "''")) }
}

fn is_plain(text: &str) -> bool {
    const INDICATORS: &str = "-?:,[]{}#&*!|=>'\"%@` ";
    let Some(first) = text.chars().next() else {
        return false;
    };
    !INDICATORS.contains(first)
        && !text.ends_with([':', ' '])
        && !text.contains(": ")
        && !text.contains(" #")
        && !is_word(text)
        && !is_number(text)
}

/// Returns `true` if some version of YAML gives this word a special meaning.
fn is_word(text: &str) -> bool {
    const WORDS: [&str; 14] = [
        "null", "~", "true", "false", "yes", "no", "on", "off", "y", "n", "<<", ".inf", "+.inf",
        ".nan",
    ];
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Returns `true` if some version of YAML could read this text as a number or a date.
fn is_number(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '.'));
    starts && text.chars().all(|c| c.is_ascii_hexdigit() || "_xXoO.:+-TtZz ".contains(c))
}

/// Returns `true` if a character needs no escape.
fn is_printable(c: char) -> bool {
    match c {
        ' '..='~' => true,
        '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => false,
        c => c > '\u{A0}',
    }
}

fn double_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\0' => quoted.push_str("\\0"),
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\u{85}' => quoted.push_str("\\N"),
            '\u{A0}' => quoted.push_str("\\_"),
            '\u{2028}' => quoted.push_str("\\L"),
            '\u{2029}' => quoted.push_str("\\P"),
            c if is_printable(c) => quoted.push(c),
            c if u32::from(c) < 0x100 => quoted.push_str(&format!("\\x{:02X}", u32::from(c))),
            c => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns the line ending that most lines of a text have.
pub(crate) fn line_end(text: &str) -> &'static str {
    let feeds = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let returns = text.matches("\r\n").count();
    if returns * 2 > feeds { "\r\n" } else { "\n" }
}
