//! Adapts the copy for the CommonMark parser to what the dialect reads differently within lines.
//!
//! A tag whose name HTML does not know is text, such as the placeholder in `http://<host>/x`. The
//! copy has a `,` in place of its `<`.
//!
//! As in [`mask`](super::mask), the copy has the same length in bytes as the text, and all text is
//! taken from the original.

use std::borrow::Cow;
use std::ops::Range;

use super::mask::{Fences, prefix_length};
use crate::syntax::markup::{self, Token};
use crate::work;

/// Maximum length of a link's target and title, in bytes, within which nothing is replaced.
const MAX_TARGET_BYTES: usize = 4096;
/// Maximum number of searches for the ends of constructs that are not closed. Keeps masking linear.
const MAX_FAILED_SEARCHES: usize = 64;
/// Maximum length of a code span in bytes.
const MAX_CODE_BYTES: usize = 4096;

/// Adapts `copy`, in which block tags and formulas of `text` are masked already.
pub(super) fn adapt(text: &str, copy: &mut [u8]) {
    let mut adapter = Adapter {
        text,
        copy,
        fences: Fences::default(),
        has_svg: markup::has_graphics(text),
        failures: 0,
    };
    let mut at = 0;
    while at < text.len() {
        at = adapter.line(at);
    }
}

/// Returns `true` if the text contains anything that may have to be adapted.
pub(super) fn is_needed(text: &str) -> bool {
    has_unknown_tags(text)
}

fn has_unknown_tags(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'<', bytes).any(|at| {
        let after = text.get(at + 1..).unwrap_or_default();
        let name = markup::name(after.strip_prefix('/').unwrap_or(after));
        !name.is_empty() && !markup::is_html_name(name)
    })
}

struct Adapter<'t, 'c> {
    text: &'t str,
    copy: &'c mut [u8],
    fences: Fences,
    /// `true` if the text contains graphics or formulas in XML, whose elements are known.
    has_svg: bool,
    failures: usize,
}

impl<'t> Adapter<'t, '_> {
    fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    /// Adapts the line at `start`, and what continues on the lines after it. Returns the start of
    /// the next line.
    fn line(&mut self, start: usize) -> usize {
        let rest = self.rest(start);
        let length = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        let line = rest.get(..length).unwrap_or_default();
        work::spend(length);
        let end = start + length;
        let content_start = start + prefix_length(line);
        let content = self.text.get(content_start..end).unwrap_or_default().trim_end();
        if self.fences.track(content) || self.fences.is_open() {
            return end;
        }
        let mut at = content_start;
        let is_definition = content.starts_with('[') && !content.starts_with("[^");
        if is_definition && content.contains("]:") {
            at += content.len();
            // The target can be on the next line.
            let next = self.rest(end);
            if content.ends_with(':') && next.trim_start_matches(' ').starts_with('<') {
                at = end + memchr::memchr(b'\n', next.as_bytes()).unwrap_or(next.len());
            }
        }
        loop {
            match self.copy.get(at) {
                None => return self.text.len(),
                Some(b'\n') => return at + 1,
                Some(_) => at = self.part(at),
            }
        }
    }

    /// Adapts the part at `at`, and returns its end.
    fn part(&mut self, at: usize) -> usize {
        let copy = self.copy.get(at..).unwrap_or_default();
        match copy {
            [b'\\', next, ..] if *next != b'\n' => at + 2,
            [b'`', ..] => at + code_span_length(copy),
            [b'<', ..] => self.angle(at),
            [b']', b'(', ..] => self.target(at),
            _ => {
                let special = |byte: &u8| b"\\`<]\n".contains(byte);
                let skipped = copy.iter().skip(1).position(special);
                at + 1 + skipped.unwrap_or(copy.len().saturating_sub(1))
            }
        }
    }

    /// Skips a known tag, a comment or an address. Masks an unknown tag.
    fn angle(&mut self, at: usize) -> usize {
        let rest = self.rest(at);
        let copy = self.copy.get(at..).unwrap_or_default();
        let long = [(&b"<?"[..], &b"?>"[..]), (b"<!--", b"-->")];
        if let Some((_, end)) = long.into_iter().find(|(start, _)| copy.starts_with(start)) {
            if self.failures >= MAX_FAILED_SEARCHES {
                return at + 1;
            }
            let found = memchr::memmem::find(copy, end);
            work::spend(found.unwrap_or(copy.len()));
            self.failures += usize::from(found.is_none());
            return at + found.map_or(1, |found| found + end.len());
        }
        if let Some(length) = address_length(rest) {
            return at + length;
        }
        let Some((token, length)) = markup::tag_at(rest) else { return at + 1 };
        let is_known = match &token {
            Token::Open(tag) => markup::is_known(tag, self.has_svg),
            Token::Close(name) => markup::is_known_name(name, self.has_svg),
            Token::Text(_) | Token::Comment => true,
        };
        if is_known {
            return at + length;
        }
        if let Some(byte) = self.copy.get_mut(at) {
            *byte = b',';
        }
        at + 1
    }

    /// Returns the end of the target of a link, whose `](` is at `at`.
    fn target(&mut self, at: usize) -> usize {
        if self.failures >= MAX_FAILED_SEARCHES {
            return at + 2;
        }
        let mut start = at + 2;
        let rest = self.rest(start);
        let target = rest.trim_start();
        if target.starts_with('<') {
            let line = target.as_bytes().iter().take(MAX_TARGET_BYTES);
            let mut is_escaped = false;
            let end = line.take_while(|byte| **byte != b'\n').position(|byte| {
                let ends = *byte == b'>' && !is_escaped;
                is_escaped = *byte == b'\\' && !is_escaped;
                ends
            });
            start += end.map_or(0, |end| rest.len() - target.len() + end);
        }
        let rest = self.rest(start);
        let mut depth = 1_u32;
        let mut is_escaped = false;
        let mut is_blank = false;
        for (offset, byte) in rest.bytes().enumerate().take(MAX_TARGET_BYTES) {
            work::spend(1);
            match byte {
                _ if std::mem::take(&mut is_escaped) => {}
                b'\\' => is_escaped = true,
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'\n' if is_blank => break,
                _ => {}
            }
            if depth == 0 {
                return start + offset + 1;
            }
            is_blank = byte == b'\n' || is_blank && byte.is_ascii_whitespace();
        }
        self.failures += 1;
        at + 2
    }
}

/// Returns the length of the code span at the start of a text, or of the run of backticks if the
/// span is not closed before the next blank line.
fn code_span_length(bytes: &[u8]) -> usize {
    let length = |bytes: &[u8]| bytes.iter().take_while(|byte| **byte == b'`').count();
    let bytes = bytes.get(..MAX_CODE_BYTES.min(bytes.len())).unwrap_or_default();
    let run = length(bytes);
    let mut at = run;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        work::spend(1);
        match rest {
            [b'`', ..] => {
                let found = length(rest);
                at += found;
                if found == run {
                    return at;
                }
            }
            [b'\n', after @ ..] => {
                let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'>');
                let next = after.iter().find(|byte| !is_space(byte));
                if next.is_none_or(|byte| *byte == b'\n') {
                    return run;
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    run
}

/// Returns the length of the address in `<` and `>` at the start of a text.
fn address_length(text: &str) -> Option<usize> {
    const MAX_BYTES: usize = 1024;
    let inner = text.as_bytes().get(1..)?;
    let is_end = |byte: &u8| matches!(byte, b'>' | b'<') || byte.is_ascii_whitespace();
    let end = inner.iter().take(MAX_BYTES).position(is_end)?;
    work::spend(end);
    let is_address = inner.get(..end)?.iter().any(|byte| matches!(byte, b':' | b'@'));
    (is_address && inner.get(end) == Some(&b'>')).then_some(end + 2)
}

/// Returns a text adapted like the copy of a document's lines, for a parser of its own.
pub(crate) fn adapted(text: &str) -> Cow<'_, str> {
    if !is_needed(text) {
        return Cow::Borrowed(text);
    }
    let mut copy = text.as_bytes().to_vec();
    adapt(text, &mut copy);
    String::from_utf8(copy).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Returns a text of the parser's events as it is in the source, of which `seen` is the adapted
/// copy.
pub(crate) fn original<'t>(
    source: &'t str,
    seen: &str,
    range: Range<usize>,
    text: &'t str,
) -> &'t str {
    let is_copied = seen.get(range.clone()) == Some(text);
    if is_copied { source.get(range).unwrap_or(text) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_tags_are_masked() {
        for (source, expected) in [
            ("http://<host>:<port>/x", "http://,host>:,port>/x"),
            ("<b>x</b> <u x=y>", "<b>x</b> <u x=y>"),
            ("<host>\n</host>", ",host>\n,/host>"),
            ("`<host>` ``<host>`` \\<host>", "`<host>` ``<host>`` \\<host>"),
            ("`<host>\n<host>` <host>", "`<host>\n<host>` ,host>"),
            ("it`s <host>\n\n`<host>`", "it`s ,host>\n\n`<host>`"),
            ("```\n<host>\n```\n<host>", "```\n<host>\n```\n,host>"),
            ("[a](<host x.md>) ![a]( <host> )", "[a](<host x.md>) ![a]( <host> )"),
            ("[a]: <host x.md>", "[a]: <host x.md>"),
            ("[a](<c (0.md>) <c>", "[a](<c (0.md>) ,c>"),
            ("[a]:\n<host x.md>\n<b>", "[a]:\n<host x.md>\n<b>"),
            ("[^a]: <host>", "[^a]: ,host>"),
            ("<https://host> <a@host>", "<https://host> <a@host>"),
            ("<!-- <host>\n\n<host> --> <host>", "<!-- <host>\n\n<host> --> ,host>"),
            ("<!-- <host>", "<!-- ,host>"),
            ("<a title=\"<host>\">", "<a title=\"<host>\">"),
            ("cd <path> <path d=\"x\">", "cd ,path> <path d=\"x\">"),
            ("<path> <svg>", "<path> <svg>"),
            ("a < b > c <3 <a", "a < b > c <3 <a"),
        ] {
            assert_eq!(adapted(source), expected, "{source}");
        }
    }
}
