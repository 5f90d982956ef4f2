//! Adapts the copy for the CommonMark parser to what the dialect reads differently within lines.
//!
//! Two readings differ from CommonMark:
//!
//! - A tag whose name HTML does not know is text, such as the placeholder in `http://<host>/x`. The
//!   copy has a `,` in place of its `<`.
//! - Delimiters of emphasis between two characters of which one belongs to a script without spaces
//!   around punctuation, such as Chinese, open and close emphasis, so that `**粗体：**文字` is bold.
//!   The rule is that of the amendments for such scripts in CommonMark's discussion of emphasis. In
//!   the copy, the characters beside the delimiters are replaced by others of the same length: both
//!   by letters, or both by punctuation.
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
        has_words: false,
        failures: 0,
    };
    let mut at = 0;
    while at < text.len() {
        at = adapter.line(at);
    }
}

/// Returns `true` if the text contains anything that may have to be adapted.
pub(super) fn is_needed(text: &str) -> bool {
    has_unknown_tags(text) || has_emphasis_beside_scripts(text)
}

fn has_unknown_tags(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'<', bytes).any(|at| {
        let after = text.get(at + 1..).unwrap_or_default();
        let name = markup::name(after.strip_prefix('/').unwrap_or(after));
        !name.is_empty() && !markup::is_html_name(name)
    })
}

fn has_emphasis_beside_scripts(text: &str) -> bool {
    let has_marks = memchr::memchr2(b'*', b'~', text.as_bytes()).is_some();
    // The characters of all these scripts begin with one of these bytes.
    has_marks && text.bytes().any(|byte| matches!(byte, 0xD8..=0xDD | 0xE0..=0xF4))
}

struct Adapter<'t, 'c> {
    text: &'t str,
    copy: &'c mut [u8],
    fences: Fences,
    /// `true` if the text contains graphics or formulas in XML, whose elements are known.
    has_svg: bool,
    /// `true` after a known tag whose name is also a word.
    has_words: bool,
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
            [mark @ (b'*' | b'~'), ..] => {
                let length = copy.iter().take_while(|byte| *byte == mark).count();
                self.delimiters(at, at + length);
                at + length
            }
            _ => {
                let special = |byte: &u8| b"\\`<]*~\n".contains(byte);
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
            Token::Open(tag) => {
                let is_known = markup::is_known(tag, self.has_svg);
                self.has_words |= is_known && !markup::is_known_name(tag.name, false);
                is_known
            }
            Token::Close(name) => markup::is_known_name(name, self.has_svg || self.has_words),
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

    /// Makes delimiters both opening and closing if a character beside them belongs to a script
    /// without spaces around punctuation.
    fn delimiters(&mut self, start: usize, end: usize) {
        let before = self.text.get(..start).and_then(|text| text.chars().next_back());
        let mut after = self.rest(end).chars();
        let (Some(before), Some(next)) = (before, after.next()) else { return };
        if before.is_whitespace() || next.is_whitespace() {
            return;
        }
        if !adjoins_emphasis(before, next) {
            return;
        }
        let before_at = start - before.len_utf8();
        let (left, right) = (self.class(before_at, before), self.class(end, next));
        if left == right {
            return;
        }
        let class = match (before.is_ascii(), next.is_ascii()) {
            (true, true) => return,
            (true, false) => {
                // One character between two delimiters must suit both.
                let is_single =
                    left == Class::Punctuation && after.next().is_some_and(is_delimiter);
                if is_single {
                    return;
                }
                left
            }
            (false, true) => {
                let before = self.text.get(..before_at).and_then(|text| text.chars().next_back());
                if right == Class::Punctuation && before.is_some_and(is_delimiter) {
                    return;
                }
                right
            }
            (false, false) => Class::Letter,
        };
        self.replace(before_at, before, class);
        self.replace(end, next, class);
    }

    /// Returns the class of the character of the copy at `at`, which is `original` in the text.
    fn class(&self, at: usize, original: char) -> Class {
        let length = original.len_utf8();
        let copied =
            self.copy.get(at..at + length).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let c = copied.and_then(|text| text.chars().next()).unwrap_or(original);
        // Selectors and joiners belong to the character before them.
        let is_joined = matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{200B}'..='\u{200F}');
        if c.is_alphanumeric() || is_joined { Class::Letter } else { Class::Punctuation }
    }

    /// Replaces the character `original` at `at` with one of the class and of the same length.
    fn replace(&mut self, at: usize, original: char, class: Class) {
        if original.is_ascii() || self.class(at, original) == class {
            return;
        }
        let new = match (original.len_utf8(), class) {
            (2, Class::Letter) => 'é',
            (2, Class::Punctuation) => '§',
            (3, Class::Letter) => '一',
            (3, Class::Punctuation) => '、',
            (_, Class::Letter) => '\u{20000}',
            (_, Class::Punctuation) => '\u{10100}',
        };
        let mut encoded = [0; 4];
        let new = new.encode_utf8(&mut encoded).as_bytes();
        if let Some(bytes) = self.copy.get_mut(at..at + new.len()) {
            bytes.copy_from_slice(new);
        }
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

/// The class of a character beside delimiters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Punctuation,
}

fn is_delimiter(c: char) -> bool {
    matches!(c, '*' | '~')
}

/// Returns `true` if delimiters other than `_` between these characters both open and close.
///
/// They do beside any character of Chinese, Japanese or Korean. Arabic separates words by spaces,
/// so that only its letters next to punctuation count: after a closing and before an opening one.
pub(crate) fn adjoins_emphasis(before: char, after: char) -> bool {
    const CLOSING: &str = "،؛؟.,:;!?)]}»”’%";
    if is_east_asian(before) || is_east_asian(after) {
        return true;
    }
    let is_word = char::is_alphanumeric;
    let closes = !is_word(before) && is_word(after) && (is_arabic(before) || is_arabic(after));
    let opens = is_word(before) && is_arabic(before) && !is_word(after) && !CLOSING.contains(after);
    closes || opens
}

/// Returns `true` for letters and punctuation of Chinese, Japanese and Korean.
fn is_east_asian(c: char) -> bool {
    matches!(
        u32::from(c),
        // Hangul.
        0x1100..=0x11FF | 0xA960..=0xA97F | 0xAC00..=0xD7FF
            // Radicals, punctuation, kana, bopomofo, ideographs.
            | 0x2E80..=0xA4CF | 0xF900..=0xFAFF | 0xFE30..=0xFE4F
            // Full-width and half-width forms.
            | 0xFF01..=0xFFEE
            | 0x1_B000..=0x1_B2FF | 0x1_F200..=0x1_F2FF | 0x2_0000..=0x3_FFFF
    ) && c != '\u{3000}'
}

/// Returns `true` for letters and punctuation of Arabic.
fn is_arabic(c: char) -> bool {
    matches!(
        u32::from(c),
        0x0600..=0x06FF | 0x0750..=0x077F | 0x0870..=0x08FF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFC
    )
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
            ("cd <path>x</path>", "cd ,path>x,/path>"),
            ("<path d=\"x\">x</path>", "<path d=\"x\">x</path>"),
            ("<path>x</path> </svg>", "<path>x</path> </svg>"),
            ("a < b > c <3 <a", "a < b > c <3 <a"),
        ] {
            assert_eq!(adapted(source), expected, "{source}");
        }
    }

    #[test]
    fn delimiters_beside_unspaced_scripts_open_and_close() {
        for (source, expected) in [
            ("**粗体：**文字", "**粗体一**文字"),
            ("**粗体： **文字", "**粗体： **文字"),
            ("文字**“引”**文字", "文字**一引一**文字"),
            ("文字**\"引\"**文字", "文、**\"引\"**、字"),
            ("**`码`**文字", "**`码`**、字"),
            ("a**（括）**b", "a**一括一**b"),
            ("~~删除。~~文字", "~~删除一~~文字"),
            ("文**中**\"x\"", "文**中**\"x\""),
            (")**中**文", ")**中**文"),
            ("و**\"كلمة\"**و", "§**\"كلمة\"**§"),
            ("**نص،**نص", "**نصé**نص"),
            ("a * b*، c*،", "a * b*، c*،"),
            ("**نص**، **نص**.", "**نص**، **نص**."),
            ("`**：**文` [a](x**：**文)", "`**：**文` [a](x**：**文)"),
            ("a**“b”**c", "a**“b”**c"),
        ] {
            assert_eq!(adapted(source), expected, "{source}");
            assert_eq!(adapted(source).len(), source.len());
        }
    }
}
