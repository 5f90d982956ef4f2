//! The layout of blocks in a source: line prefixes, line endings and block boundaries.

use crate::document::{Block, BlockKind, ListItem, Node};
use crate::source::Span;

/// Markdown's whitespace. Other whitespace characters are text.
const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Returns the prefix that continues the lines of a block that begins at `at`: spaces in place of
/// list markers, and quote markers verbatim. Returns `None` if other text precedes the block on its
/// line.
///
/// For example, a block after `> 1) ` has the prefix `>    `.
pub(in crate::print) fn prefix(source: &str, at: usize) -> Option<String> {
    // Many blocks may share a long line, so the line is not scanned for each of them.
    let is_marker = |b: &u8| b" \t>*-+.)[]xX0123456789".contains(b);
    let line = source.as_bytes().get(..at)?;
    let start = line.iter().rposition(|b| !is_marker(b)).map_or(0, |before| before + 1);
    if !matches!(line.get(..start)?, [] | [.., b'\n' | b'\r'] | b"\xEF\xBB\xBF") {
        return None;
    }
    let mut rest = source.get(start..at)?;
    let mut prefix = String::with_capacity(rest.len());
    while let Some(first) = rest.chars().next() {
        let length = marker(rest);
        if matches!(first, ' ' | '\t' | '>') {
            prefix.push(first);
            rest = rest.get(1..)?;
        } else if length > 0 {
            prefix.push_str(&" ".repeat(length));
            rest = rest.get(length..)?;
            // A checkbox belongs to the text of its item.
            let after = rest.trim_start_matches(' ');
            if let Some(text) = after.strip_prefix('[')
                && matches!(text.as_bytes(), [b' ' | b'x' | b'X', b']', ..])
            {
                prefix.push_str(&" ".repeat(rest.len() - after.len()));
                return text.get(2..)?.trim().is_empty().then_some(prefix);
            }
        } else {
            return None;
        }
    }
    Some(prefix)
}

/// Returns the length of the list or note marker at the start of a text, or 0.
pub(super) fn marker(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    let length = match bytes {
        [b'*' | b'-' | b'+', ..] => 1,
        [b'[', b'^', ..] => return text.find("]:").map_or(0, |_| 4),
        _ if (1..10).contains(&digits) && matches!(bytes.get(digits), Some(b'.' | b')')) => {
            digits + 1
        }
        _ => return 0,
    };
    match bytes.get(length) {
        None | Some(b' ' | b'\t' | b'\n' | b'\r') => length,
        _ => 0,
    }
}

/// Returns the line ending that most lines of a text have.
pub(in crate::print) fn line_end(source: &str) -> &'static str {
    let all = source.bytes().filter(|b| *b == b'\n').count();
    let with_return = source.matches("\r\n").count();
    if with_return * 2 > all { "\r\n" } else { "\n" }
}

/// An index of the line feeds of a text. Many blocks may share a long line, so its end is not
/// searched for each of them.
pub(super) struct LineEnds<'s> {
    source: &'s str,
    ends: Vec<usize>,
}

impl<'s> LineEnds<'s> {
    pub(super) fn of(source: &'s str) -> Self {
        crate::work::spend(source.len());
        Self { source, ends: source.match_indices('\n').map(|(end, _)| end).collect() }
    }

    /// Returns the line ending of the line at an offset, or `None` if the line has none.
    pub(super) fn at(&self, at: usize) -> Option<&'static str> {
        let end = *self.ends.get(self.ends.partition_point(|end| *end < at))?;
        let is_return = end > at && self.source.as_bytes().get(end - 1) == Some(&b'\r');
        Some(if is_return { "\r\n" } else { "\n" })
    }
}

/// Returns `true` if only whitespace follows an offset on its line.
pub(in crate::print) fn is_line_rest(source: &str, at: usize) -> bool {
    let rest = source.get(at..).unwrap_or_default();
    let text = rest.trim_start_matches(|c: char| c.is_whitespace() && !matches!(c, '\n' | '\r'));
    text.is_empty() || text.starts_with(['\n', '\r'])
}

/// Trims whitespace from a span and, in a quote, trailing lines that consist of quote markers. Code
/// keeps its indentation if `keeps_indent` is `true`.
pub(super) fn extent(source: &str, span: Span, keeps_indent: bool) -> Span {
    let text = span.of(source);
    let lead = if keeps_indent {
        text.len() - text.trim_start_matches(['\n', '\r']).len()
    } else {
        text.len() - text.trim_start_matches(SPACE).len()
    };
    let mut start = span.start + lead;
    if start > 0
        && lead == 0
        && source.as_bytes().get(start - 1) == Some(&b'\\')
        && text.starts_with(|c: char| c.is_ascii_punctuation())
    {
        // Text that begins with an escaped character begins at its backslash.
        start -= 1;
    }
    if keeps_indent && !is_marked_code(text) {
        // The indentation that makes the block code stands before its span.
        let before = source.get(..start).unwrap_or_default();
        let spaces = before.bytes().rev().take(4).take_while(|b| *b == b' ').count();
        start -= if before.ends_with('\t') { 1 } else { spaces };
    }
    let is_quoted = prefix(source, start).is_some_and(|prefix| prefix.contains('>'));
    let mut text = text.trim_end_matches(SPACE);
    while is_quoted
        && let Some((head, last)) = text.rsplit_once('\n')
        && last.chars().all(|c| matches!(c, '>' | ' ' | '\t' | '\r'))
    {
        text = head.trim_end_matches(SPACE);
    }
    Span::new(start, span.start + text.len())
}

/// Returns `true` if a code block begins with a fence, an element or a tag, and not with
/// indentation.
pub(super) fn is_marked_code(text: &str) -> bool {
    let text = text.trim_start();
    ["```", "~~~", "<pre", "<code", "{%"].iter().any(|mark| text.starts_with(mark))
}

/// Returns the location of a block without surrounding whitespace.
pub(in crate::print) fn place(source: &str, block: &Block) -> Span {
    let place = extent(source, block.span, matches!(block.kind, BlockKind::Code(_)));
    match items(&block.kind).and_then(<[_]>::last) {
        Some(last) => before(place, last_end(&last.kind.nodes)),
        None => place,
    }
}

/// Returns the location of a list item without surrounding whitespace.
pub(in crate::print) fn item_place(source: &str, item: &Node<ListItem>) -> Span {
    before(extent(source, item.span, false), last_end(&item.kind.nodes))
}

/// Ends a span at `end`, because the parser includes link definitions after a list in the list.
fn before(place: Span, end: Option<usize>) -> Span {
    match end {
        Some(end) if end > place.start => Span::new(place.start, end.min(place.end)),
        _ => place,
    }
}

/// Returns the end of the last of a list item's blocks.
fn last_end(nodes: &[Block]) -> Option<usize> {
    let last = nodes.last()?;
    match items(&last.kind) {
        Some(items) => last_end(&items.last()?.kind.nodes),
        None => (!last.span.is_empty()).then_some(last.span.end),
    }
}

/// Returns the last character of a list's item marker, or `None` if the block is not a list.
pub(in crate::print) fn list_marker(source: &str, block: &Block) -> Option<char> {
    let text = extent(source, items(&block.kind)?.first()?.span, false).of(source);
    text.get(..marker(text))?.chars().last()
}

/// Returns the distance of an offset from the start of its line, in bytes.
pub(in crate::print) fn indent_at(source: &str, at: usize) -> usize {
    let before = source.get(..at).unwrap_or_default();
    before.len() - before.rfind('\n').map_or(0, |end| end + 1)
}

/// Returns the closing fence that a fenced code block lacks, if any.
pub(in crate::print) fn missing_fence(code: &str) -> Option<String> {
    let first = code.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let length = code.len() - code.trim_start_matches(first).len();
    let last =
        code.rsplit_once('\n').map_or("", |(_, last)| last.trim_start_matches([' ', '\t', '>']));
    let is_end = last.trim_end().chars().all(|c| c == first) && last.trim_end().len() >= length;
    (length > 2 && !is_end).then(|| first.to_string().repeat(length))
}

/// Returns the items of a list, or `None` for another block.
pub(super) fn items(kind: &BlockKind) -> Option<&[Node<ListItem>]> {
    match kind {
        BlockKind::OrderedList { items, .. }
        | BlockKind::UnorderedList { items }
        | BlockKind::TaskList { items } => Some(items),
        _ => None,
    }
}

/// Prefixes all lines of a text except the first, and converts its line endings.
pub(super) fn prefixed(text: &str, prefix: &str, line_end: &str) -> String {
    let mut prefixed = String::with_capacity(text.len() + prefix.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            prefixed.push_str(line_end);
            prefixed.push_str(if line.is_empty() { prefix.trim_end() } else { prefix });
            if prefix.ends_with('>') && !line.is_empty() {
                prefixed.push(' ');
            }
        }
        prefixed.push_str(line);
    }
    prefixed
}

/// Removes the prefix from all lines of a text except the first.
pub(super) fn unprefixed(text: &str, prefix: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            plain.push('\n');
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        let rest = if index > 0 { without(line, prefix) } else { line };
        plain.push_str(rest);
    }
    plain
}

/// Removes as much of a prefix from a line as the line has. A space after a quote marker belongs to
/// the marker.
pub(super) fn without<'l>(line: &'l str, prefix: &str) -> &'l str {
    let shared = line.bytes().zip(prefix.bytes()).take_while(|(l, p)| l == p).count();
    let rest = line.get(shared..).unwrap_or(line);
    if prefix.ends_with('>') { rest.strip_prefix(' ').unwrap_or(rest) } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_continue_lines() {
        for (line, expected) in [
            ("", Some("")),
            ("  ", Some("  ")),
            ("> ", Some("> ")),
            ("* ", Some("  ")),
            ("10. > ", Some("    > ")),
            ("*   ", Some("    ")),
            ("* [x] ", Some("  ")),
            ("> 1) * ", Some(">      ")),
            ("[^note]: ", None),
            ("a ", None),
            ("{% hint %} ", None),
        ] {
            let source = format!("x\n{line}text");
            assert_eq!(prefix(&source, 2 + line.len()).as_deref(), expected, "{line:?}");
        }
    }
}
