//! What a source may refer to, found by its signs alone.
//!
//! Faster than taking the page apart, and allowed to find too much: what leads to nothing in the
//! repository is left out when it is resolved.

/// Every target that stands in a source: of links, pictures, definitions, HTML and tags of the
/// dialect. Markdown's own escapes are resolved; sorted, each once.
pub(super) fn targets(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let bytes = source.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let rest = || window(source, at + 1);
        let target = match byte {
            b']' if bytes.get(at + 1) == Some(&b'(') => {
                destination(rest().get(1..).unwrap_or_default()).map(unescape)
            }
            b']' if bytes.get(at + 1) == Some(&b':') && begins_line(bytes, at) => {
                destination(rest().get(1..).unwrap_or_default()).map(unescape)
            }
            b'=' if names_target(bytes, at) => attribute(rest()).map(entities),
            b'e' | b'E' if ends_include(bytes, at) => attribute(rest()).map(str::to_owned),
            _ => None,
        };
        found.extend(target.filter(|target| may_resolve(target)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The longest target that is looked at, in bytes, so that every sign costs the same.
const LONGEST: usize = 2048;

/// The next bytes of a source, as far as a target can reach.
fn window(source: &str, from: usize) -> &str {
    let rest = source.get(from..).unwrap_or_default();
    let mut end = rest.len().min(LONGEST);
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    rest.get(..end).unwrap_or_default()
}

/// Whether it can lead to something of the repository.
fn may_resolve(target: &str) -> bool {
    !target.is_empty()
        && target.len() < LONGEST - 8
        && !target.starts_with('#')
        && !target.contains("://")
        && !target.starts_with("mailto:")
        && !target.contains(['\n', '\0'])
}

/// Whether the `]` at `at` closes a label that begins its line: `[label]: target`.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(LONGEST);
    let before = bytes.get(from..at).unwrap_or_default();
    let line = match before.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => end + 1,
        None if from == 0 => 0,
        None => return false,
    };
    before.get(line..).unwrap_or_default().trim_ascii_start().first() == Some(&b'[')
}

/// Whether the `=` at `at` follows the name of an attribute that holds a target.
fn names_target(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    ["src", "href", "url", "page", "srcset"].iter().any(|name| {
        let (rest, end) = before.split_at(before.len().saturating_sub(name.len()));
        end.eq_ignore_ascii_case(name.as_bytes())
            && rest.last().is_none_or(|byte| !byte.is_ascii_alphanumeric())
    })
}

/// Whether the `e` at `at` ends the name of an include.
fn ends_include(bytes: &[u8], at: usize) -> bool {
    let Some(rest) = bytes.get(..=at).and_then(|before| before.strip_suffix(b"include")) else {
        return false;
    };
    rest.trim_ascii_end().ends_with(b"{%")
}

/// A destination as links write it, behind their `(` or definitions behind their `:`.
fn destination(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
    if let Some(inner) = rest.strip_prefix('<') {
        let end = inner.find(['>', '\n'])?;
        return inner.get(..end).filter(|_| inner.as_bytes().get(end) == Some(&b'>'));
    }
    let mut depth = 0u32;
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '(' => depth += 1,
            ')' if depth == 0 => return rest.get(..at),
            ')' => depth -= 1,
            c if c.is_ascii_whitespace() || c.is_ascii_control() => return rest.get(..at),
            _ => {}
        }
    }
    Some(rest)
}

/// The value of an attribute behind its `=`, or of a tag behind its name.
fn attribute(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix('\\').unwrap_or(rest);
    match rest.chars().next()? {
        quote @ ('"' | '\'') => {
            let inner = rest.get(1..)?;
            let value = inner.get(..inner.find(quote)?)?;
            Some(value.strip_suffix('\\').unwrap_or(value))
        }
        _ => rest.get(..rest.find([' ', '\t', '\n', '\r', '>', '%'])?),
    }
}

fn unescape(text: &str) -> String {
    if !text.contains(['\\', '&']) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match characters.peek() {
            Some(next) if c == '\\' && next.is_ascii_punctuation() => {
                out.extend(characters.next());
            }
            _ => out.push(c),
        }
    }
    entities(&out)
}

fn entities(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let plain = [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&#x26;", "&")];
    let text = plain.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    text.replace("&amp;", "&")
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
            ("[a]: b.md \"t\"\n  [c]: <d e.md>\nx [f]: g.md", &["b.md", "d e.md"]),
            ("<img src=\"a b (1).png\" alt=\"\"><a href='c.md'>", &["a b (1).png", "c.md"]),
            ("{% content-ref url=\"a/\" %}\n{% page-ref page=b.md %}", &["a/", "b.md"]),
            ("{% include \"../.gitbook/includes/x.md\" %}", &["../.gitbook/includes/x.md"]),
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
}
