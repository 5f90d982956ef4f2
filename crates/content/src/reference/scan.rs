//! Finds the positions in a source that may hold targets, by delimiters alone.
//!
//! The scan is much faster than parsing and may report false positives. A caller that needs
//! certainty compares the result with a parsed document. The result always contains every reference
//! of the parsed document.

use std::borrow::Cow;

use super::inlined;
use crate::source::Span;
use crate::syntax::tag;

/// Maximum length of a target in bytes. Bounds the cost of each delimiter.
const MAX_TARGET_BYTES: usize = 2048;

/// A target and its location in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScannedTarget<'s> {
    /// The target's bytes, without enclosing quotes or brackets.
    pub span: Span,
    /// The target's syntax.
    pub syntax: Syntax,
    /// The target's text, with escapes and entities resolved.
    pub raw: Cow<'s, str>,
}

/// The syntax in which a target is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// `[text](target)` or `[text](<target>)`.
    Link {
        /// `true` if the target is enclosed in `<` and `>`.
        enclosed: bool,
    },
    /// `[label]: target`.
    Definition {
        /// `true` if the target is enclosed in `<` and `>`.
        enclosed: bool,
    },
    /// An HTML attribute.
    Attribute {
        /// The quote character around the value, if any.
        quote: Option<u8>,
    },
    /// An attribute of a block tag, or the path of an include.
    Tag {
        /// The quote character around the value, if any.
        quote: Option<u8>,
    },
}

/// Returns every possible target in `source`, in order.
pub fn scan(source: &str) -> impl Iterator<Item = ScannedTarget<'_>> {
    let bytes = source.as_bytes();
    memchr::memchr3_iter(b']', b'=', b'%', bytes).filter_map(move |at| match bytes.get(at)? {
        b']' => match bytes.get(at + 1)? {
            b'(' => destination(source, at + 2, |enclosed| Syntax::Link { enclosed }),
            b':' if begins_line(bytes, at) => {
                destination(source, at + 2, |enclosed| Syntax::Definition { enclosed })
            }
            _ => None,
        },
        b'=' if names_target(bytes, at) => attribute(source, at + 1, is_in_tag(bytes, at)),
        b'%' => attribute(source, include_name_end(source, at)?, true),
        _ => None,
    })
}

/// Returns every target in `source` that may lead into the repository, sorted and without
/// duplicates. A picture that contains its data is represented by the path of its file.
#[must_use]
pub fn targets(source: &str) -> Vec<String> {
    let places = scan(source).map(|place| place.raw);
    let mut found: Vec<String> =
        places.filter(|raw| may_resolve(raw)).map(Cow::into_owned).collect();
    found.extend(inlined::scan(source).map(|(_, path)| format!("/{path}")));
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns `true` if a target may lead into the repository.
fn may_resolve(target: &str) -> bool {
    !target.is_empty()
        && target.len() < MAX_TARGET_BYTES - 8
        && !target.starts_with('#')
        && !target.contains("://")
        && !target.starts_with("mailto:")
        && !inlined::is_data(target)
        && !target.contains(['\n', '\0'])
}

/// Returns the part of a source from `from` that a target can occupy.
fn window(source: &str, from: usize) -> &str {
    let rest = source.get(from..).unwrap_or_default();
    let mut end = rest.len().min(MAX_TARGET_BYTES);
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    rest.get(..end).unwrap_or_default()
}

/// Returns `true` if the `]` at `at` closes a label at the start of its line: `[label]: target`.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(MAX_TARGET_BYTES);
    let before = bytes.get(from..at).unwrap_or_default();
    let line = match before.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')) {
        Some(end) => end + 1,
        None if from == 0 => 0,
        None => return false,
    };
    let line = before.get(line..).unwrap_or_default();
    // In quotes and list items, the line begins with their markers.
    let marker =
        |byte: &u8| byte.is_ascii_whitespace() || b">*+-.)".contains(byte) || byte.is_ascii_digit();
    line.iter().find(|byte| !marker(byte)) == Some(&b'[')
}

/// Returns `true` if the `=` at `at` follows the name of an attribute that holds a target.
fn names_target(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default().trim_ascii_end();
    ["src", "href", "url", "page", "srcset"].iter().any(|name| {
        let (rest, end) = before.split_at(before.len().saturating_sub(name.len()));
        end.eq_ignore_ascii_case(name.as_bytes())
            && rest.last().is_none_or(|byte| !byte.is_ascii_alphanumeric())
    })
}

/// Returns `true` if the attribute whose `=` is at `at` belongs to a block tag instead of an HTML
/// tag.
fn is_in_tag(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(at.saturating_sub(MAX_TARGET_BYTES)..at).unwrap_or_default();
    memchr::memmem::rfind(before, b"{%") > memchr::memrchr(b'<', before)
}

/// Returns the offset after the word `include` of a block tag whose `%` is at `at`, or `None` if
/// the tag is not an include.
fn include_name_end(source: &str, at: usize) -> Option<usize> {
    source.get(..at)?.ends_with('{').then_some(())?;
    let inner = source.get(at + 1..)?;
    let inner = inner.strip_prefix('-').unwrap_or(inner).trim_start();
    let rest = inner
        .get(7..)
        .filter(|_| inner.get(..7).is_some_and(|n| n.eq_ignore_ascii_case("include")))?;
    rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '"' | '\''))
        .then(|| source.len() - rest.len())
}

/// Finds the destination of a link after its `(`, or of a definition after its `:`.
fn destination(
    source: &str,
    from: usize,
    syntax: impl Fn(bool) -> Syntax,
) -> Option<ScannedTarget<'_>> {
    let rest = window(source, from);
    let start = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    let rest = rest.get(start..)?;
    let place = |start: usize, text: &'_ str, enclosed: bool| ScannedTarget {
        span: Span::new(start, start + text.len()),
        syntax: syntax(enclosed),
        raw: Cow::Borrowed(""),
    };
    let from = from + start;
    let (found, text) = if let Some(inner) = rest.strip_prefix('<') {
        let mut escaped = false;
        let end = inner.bytes().position(|byte| {
            let ends = !escaped && matches!(byte, b'>' | b'\n');
            escaped = byte == b'\\' && !escaped;
            ends
        })?;
        let text = inner.get(..end).filter(|_| inner.as_bytes().get(end) == Some(&b'>'))?;
        (place(from + 1, text, true), text)
    } else {
        let text = bare_destination(rest)?;
        (place(from, text, false), text)
    };
    Some(ScannedTarget { raw: unescape(text), ..found })
}

/// Maximum nesting of parentheses in a bare destination. The Markdown parser rejects deeper
/// nesting.
const MAX_PARENTHESES: u32 = 33;

/// Returns the destination without `<` and `>` at the start of `rest`.
fn bare_destination(rest: &str) -> Option<&str> {
    let mut depth = 0u32;
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        let ends = match c {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            '(' if !escaped => {
                depth += 1;
                if depth > MAX_PARENTHESES {
                    return None;
                }
                false
            }
            ')' if !escaped => {
                depth = depth.wrapping_sub(1);
                depth == u32::MAX
            }
            c => c.is_ascii_whitespace() || c.is_ascii_control(),
        };
        if ends {
            return rest.get(..at);
        }
        escaped = false;
    }
    Some(rest)
}

/// Finds the value of an attribute after its `=`, or of an include after its name.
fn attribute(source: &str, from: usize, in_tag: bool) -> Option<ScannedTarget<'_>> {
    let rest = window(source, from);
    let value = rest.trim_start();
    let from = from + (rest.len() - value.len());
    let quote = value.bytes().next().filter(|byte| matches!(byte, b'"' | b'\''));
    let (start, text) = match quote {
        Some(quote) => {
            let inner = value.get(1..)?;
            let mut escaped = false;
            let end = inner.bytes().position(|byte| {
                let ends = byte == quote && !escaped;
                escaped = in_tag && byte == b'\\' && !escaped;
                ends
            })?;
            (from + 1, inner.get(..end)?)
        }
        None if in_tag => {
            let end = value.find(char::is_whitespace).unwrap_or(value.len());
            let end = value.find("%}").map_or(end, |close| close.min(end));
            (from, value.get(..end)?)
        }
        None => (from, value.get(..value.find([' ', '\t', '\n', '\r', '>'])?)?),
    };
    let raw = match quote {
        Some(_) if in_tag => tag::unescape(text),
        None if in_tag => Cow::Borrowed(text),
        _ => entities(text),
    };
    let syntax = if in_tag { Syntax::Tag { quote } } else { Syntax::Attribute { quote } };
    Some(ScannedTarget { span: Span::new(start, start + text.len()), syntax, raw })
}

/// Resolves Markdown's escapes and entities.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return entities(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, after) = rest.split_at(at);
        out.push_str(&entities(before));
        let next = after.chars().nth(1).filter(char::is_ascii_punctuation);
        out.push(next.unwrap_or('\\'));
        rest = after.get(1 + next.map_or(0, char::len_utf8)..).unwrap_or_default();
    }
    out.push_str(&entities(rest));
    Cow::Owned(out)
}

fn entities(text: &str) -> Cow<'_, str> {
    crate::syntax::markup::unescape(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_where_the_dialect_writes_them() {
        for (source, expect) in [
            ("[a](b.md) ![c](d.png \"t\") [e]( f.md )", &["b.md", "d.png", "f.md"][..]),
            ("[a](<b c.md>) [d](e_(f).md)", &["b c.md", "e_(f).md"]),
            ("[a](p\\_q.md) [b](x&amp;y.md)", &["p_q.md", "x&y.md"]),
            ("[a](<b\\>c.md>) [a](b\\).md)", &["b).md", "b>c.md"]),
            (
                "[a]: b.md \"t\"\n  [c]: <d e.md>\nx [f]: g.md\n> - [h]: i.md",
                &["b.md", "d e.md", "i.md"],
            ),
            ("<img src=\"a b (1).png\" alt=\"\"><a href='c.md'>", &["a b (1).png", "c.md"]),
            ("<a href=c.md>", &["c.md"]),
            ("<img src = \"a&#x26;b.png\">", &["a&b.png"]),
            ("{% content-ref url=\"a/\" %}\n{% page-ref page=b.md %}", &["a/", "b.md"]),
            ("{% page-ref page=a%20b.md%}", &["a%20b.md"]),
            ("{% include \"../.gitbook/includes/x.md\" %}", &["../.gitbook/includes/x.md"]),
            ("{%include 'x.md'%}", &["x.md"]),
            ("{% file src=\"a\\_b \\(1\\).png\" %}", &["a_b (1).png"]),
            ("[a](https://x/y) [b](#c) [d](mailto:e) [f]()", &[]),
            ("[a](b.md) [a](b.md#c)", &["b.md", "b.md#c"]),
            ("x](", &[]),
            ("[a](<b", &[]),
            ("src=\"", &[]),
            ("é](ü.md)", &["ü.md"]),
        ] {
            assert_eq!(targets(source), expect, "{source}");
        }
    }

    #[test]
    fn targets_have_few_brackets_within_one_another() {
        let nested = |depth: usize| format!("[a](b{}{}.md)", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(scan(&nested(33)).count(), 1);
        assert_eq!(scan(&nested(34)).count(), 0);
        // The parser has the same limit.
        let context = crate::ParseContext { path: "page.md", lookup: &crate::reference::NoLookup };
        let read = |depth| crate::markdown::parse(&nested(depth), &context).references().len();
        assert_eq!((read(33), read(34)), (1, 0));
    }

    #[test]
    fn places_are_those_of_the_bytes() {
        for (source, expect) in [
            ("[a]( <b c.md> \"t\")", "b c.md"),
            ("[a](b\\_c.md)", "b\\_c.md"),
            ("<a href='c.md'>", "c.md"),
            ("{% include \"x.md\" %}", "x.md"),
        ] {
            let found: Vec<&str> = scan(source).map(|place| place.span.of(source)).collect();
            assert_eq!(found, [expect], "{source}");
        }
    }
}
