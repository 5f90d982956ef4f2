//! Makes the dialect's block tags visible to a CommonMark parser.
//!
//! The parser receives a copy of the text, of the same length in bytes, in which each tag line `{%
//! … %}` is an HTML processing instruction `<? … ?>`. Such a block may interrupt a paragraph, may
//! span blank lines, and stays code inside code. Formulas between `$$` become code spans or
//! processing instructions in the same way. So do `<details>` and `<summary>` at the start of a
//! line, so that Markdown around them is parsed without blank lines, and a `<table>` with blank
//! lines, which would end it. All text is then taken from the original by its offsets.
//!
//! For example:
//!
//! ```text
//! original                      copy
//!
//! {% hint style="info" %}       <? hint style="info" ?>
//! a $$x_1$$ b                   a ``x_1`` b
//! {% endhint %}                 <? endhint ?>
//! ```

use std::borrow::Cow;

use super::mask_inline;
use crate::syntax::markup::{self, Token};
use crate::syntax::tag;
use crate::work;

/// Maximum number of searches to the end of the text for unclosed constructs. Afterwards, only
/// constructs on one line are found. Keeps masking linear.
const MAX_FAILED_SEARCHES: usize = 16;
/// Maximum length of a summary that spans lines, in bytes.
const MAX_SUMMARY_BYTES: usize = 4096;

/// Returns the copy for the CommonMark parser, or the text itself if nothing has to be masked.
pub(crate) fn mask(text: &str) -> Cow<'_, str> {
    let has_html = text.contains("<details") || text.contains("<summary");
    let has_html = has_html || text.contains("</details") || text.contains("<DETAILS");
    let has_html = has_html || text.contains("<table") || text.contains("<TABLE");
    let has_blocks = has_html || text.contains("{%") || text.contains("$$");
    let is_adapted = mask_inline::is_needed(text);
    let has_cells = text.contains("<code") && text.contains('|');
    if !has_blocks && !is_adapted && !has_cells {
        return Cow::Borrowed(text);
    }
    let mut copy = text.as_bytes().to_vec();
    if has_blocks {
        let fences = Fences::default();
        let mut masker = Masker { text, copy, failures: 0, fences, html_start: None };
        let mut at = 0;
        while at < text.len() {
            at = masker.line(at);
        }
        copy = masker.copy;
    }
    if is_adapted {
        mask_inline::adapt(text, &mut copy);
    }
    if has_cells {
        mask_cells(text, &mut copy);
    }
    match String::from_utf8(copy) {
        Ok(copy) => Cow::Owned(copy),
        // Unreachable, because characters are replaced as a whole.
        Err(_) => Cow::Borrowed(text),
    }
}

/// Masks the bars in code of the rows of pipe tables, where they do not end a cell.
fn mask_cells(text: &str, copy: &mut [u8]) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('|') {
            for at in bars_in_code(line) {
                if let Some(byte) = copy.get_mut(start + at) {
                    *byte = b',';
                }
            }
        }
        start += line.len();
    }
}

/// Returns the offsets of the bars between `<code>` and `</code>` in a row of a pipe table, except
/// escaped ones.
pub(crate) fn bars_in_code(row: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let bytes = row.as_bytes();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        match rest {
            [b'\\', ..] => at += 2,
            [b'`', ..] => at += code_span_length(rest),
            _ if rest.starts_with(b"<code>") => {
                let Some(length) = memchr::memmem::find(rest, b"</code>") else { break };
                let code = rest.get(..length).unwrap_or_default();
                work::spend(length);
                // Targets of links are taken from the copy.
                if memchr::memmem::find(code, b"](").is_none() {
                    let bars = memchr::memchr_iter(b'|', code);
                    found.extend(
                        bars.filter(|bar| code.get(bar - 1) != Some(&b'\\')).map(|bar| at + bar),
                    );
                }
                at += length;
            }
            _ => {
                at +=
                    1 + rest.iter().skip(1).position(|b| b"\\`<".contains(b)).unwrap_or(rest.len())
            }
        }
    }
    found
}

struct Masker<'s> {
    text: &'s str,
    copy: Vec<u8>,
    failures: usize,
    fences: Fences,
    /// The start of the HTML block that the line may belong to.
    html_start: Option<usize>,
}

/// Tracks fenced code.
#[derive(Default)]
pub(super) struct Fences {
    /// The character and length of the open fence.
    open: Option<(u8, usize)>,
}

impl Fences {
    /// Returns `true` if a fence is open.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Returns `true` if the line opens or closes a fence.
    pub(super) fn track(&mut self, content: &str) -> bool {
        let Some(&mark @ (b'`' | b'~')) = content.as_bytes().first() else {
            return false;
        };
        let length = content.bytes().take_while(|&b| b == mark).count();
        let after = content.get(length..).unwrap_or_default();
        match self.open {
            _ if length < 3 => false,
            Some((open, needed)) => {
                let closes = mark == open && length >= needed && after.is_empty();
                if closes {
                    self.open = None;
                }
                closes
            }
            None if mark == b'`' && after.contains('`') => false,
            None => {
                self.open = Some((mark, length));
                true
            }
        }
    }
}

impl Masker<'_> {
    /// Masks the line at `start`, and returns the offset of the next line to process.
    fn line(&mut self, start: usize) -> usize {
        let rest = self.text.get(start..).unwrap_or_default();
        let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let line = rest.get(..length).unwrap_or_default();
        work::spend(length);
        let next = start + length;
        let content_start = start + prefix_length(line);
        let content = self.text.get(content_start..next).unwrap_or_default().trim_end();
        if content.is_empty() {
            self.html_start = None;
        }
        if self.fences.track(content) {
            return next;
        }
        let end = match content.as_bytes() {
            [b'{', b'%', ..] => self.tag(content_start, content),
            [b'$', b'$', ..] if !self.fences.is_open() => self.formula(content_start, content),
            [b'<', ..] if is_table(content) => self.table(start, content_start),
            [b'<', ..] => self.details(content_start, content),
            _ => None,
        };
        let Some((from, to)) = end else {
            if content.starts_with('<') {
                self.html_start.get_or_insert(content_start);
            }
            if !self.fences.is_open() && content.contains("$$") {
                self.inline_formulas(content_start, content);
            }
            return next;
        };
        self.html_start = None;
        self.instruction(from, to);
        // Continue with the line after the construct.
        let rest = self.text.get(to..).unwrap_or_default();
        (to + rest.find('\n').map_or(rest.len(), |at| at + 1)).max(next)
    }

    fn tag(&mut self, start: usize, content: &str) -> Option<(usize, usize)> {
        if let Some(length) = tag::end(content) {
            return Some((start, start + length));
        }
        let spans_lines = content.matches('"').count() % 2 == 1 || !content.contains("%}");
        if !spans_lines || self.fences.is_open() || self.failures >= MAX_FAILED_SEARCHES {
            return None;
        }
        let rest = self.text.get(start..)?;
        let found = tag::end(rest).filter(|_| {
            let next_line = rest.get(content.len()..).unwrap_or_default().trim_start();
            content.matches('"').count() % 2 == 1
                || next_line.starts_with("%}")
                || is_attribute(next_line)
        });
        match found {
            Some(length) => Some((start, start + length)),
            None => {
                self.failures += 1;
                None
            }
        }
    }

    fn formula(&mut self, start: usize, content: &str) -> Option<(usize, usize)> {
        let after = content.get(2..)?;
        if after.contains("$$") || self.failures >= MAX_FAILED_SEARCHES {
            return None;
        }
        let rest = self.text.get(start + 2..)?;
        let limit = if after.is_empty() { rest.len() } else { paragraph_length(rest) };
        let found = rest.get(..limit)?.find("$$");
        work::spend(found.unwrap_or(limit));
        let found = found.filter(|&at| {
            let tail = rest.get(at + 2..).unwrap_or_default();
            tail.split('\n').next().unwrap_or_default().trim().is_empty()
        });
        match found {
            Some(at) => Some((start, start + 2 + at + 2)),
            None => {
                self.failures += 1;
                None
            }
        }
    }

    /// Returns the location of the table at `start`, whose line begins at `line`, if it contains
    /// blank lines and can be read as one element.
    fn table(&mut self, line: usize, start: usize) -> Option<(usize, usize)> {
        if self.fences.is_open() || self.failures >= MAX_FAILED_SEARCHES {
            return None;
        }
        let prefix = self.text.get(line..start)?;
        let rest = self.text.get(start..)?;
        let close = rest.find("</table>").or_else(|| rest.find("</TABLE>"));
        work::spend(close.unwrap_or(rest.len()));
        let length = close.map(|close| close + "</table>".len());
        let table = length.and_then(|length| rest.get(..length)).filter(|table| {
            // Tables within tables stay apart, as do their parts.
            table.get(1..).is_some_and(|inner| !inner.contains("<table"))
        });
        let Some(table) = table else {
            self.failures += 1;
            return None;
        };
        let is_indented = |line: &str| {
            line.trim().is_empty()
                || line.bytes().take(prefix.len()).filter(|byte| *byte == b' ').count()
                    == prefix.len()
        };
        let is_whole = has_blank_line(table)
            && !prefix.contains('>')
            && table.lines().skip(1).all(is_indented)
            && is_one_element(table);
        // An HTML block around the table would end at its first blank line.
        is_whole.then_some((self.html_start.unwrap_or(start), start + table.len()))
    }

    fn details(&mut self, start: usize, content: &str) -> Option<(usize, usize)> {
        let named = |name: &str| {
            let ends = |rest: &str| {
                rest.is_empty()
                    || rest.starts_with(|c: char| c.is_whitespace() || c == '>' || c == '/')
            };
            content
                .split_at_checked(name.len())
                .is_some_and(|(head, rest)| head.eq_ignore_ascii_case(name) && ends(rest))
        };
        let close = if named("<summary") {
            self.summary(start).or(content.find('>').map(|at| at + 1))
        } else if named("<details") || named("</details") || named("</summary") {
            content.find('>').map(|at| at + 1)
        } else {
            None
        };
        close.map(|length| (start, start + length))
    }

    /// Returns the length of the summary that begins at `start` and may span lines.
    fn summary(&mut self, start: usize) -> Option<usize> {
        if self.failures >= MAX_FAILED_SEARCHES {
            return None;
        }
        let window = self.text.get(start..)?;
        let limit = (0..=MAX_SUMMARY_BYTES.min(window.len()))
            .rev()
            .find(|&at| window.is_char_boundary(at))?;
        work::spend(limit);
        let close = window.get(..limit)?.find("</summary>");
        if close.is_none() {
            self.failures += 1;
        }
        close.map(|at| at + "</summary>".len())
    }

    /// Turns `from..to` into a processing instruction.
    fn instruction(&mut self, from: usize, to: usize) {
        let Some(bytes) = self.copy.get_mut(from..to) else {
            return;
        };
        bytes.iter_mut().filter(|b| **b == b'?').for_each(|b| *b = b'x');
        if let [first, second, .., before_last, last] = bytes {
            (*first, *second, *before_last, *last) = (b'<', b'?', b'?', b'>');
        }
    }

    /// Turns each `$$…$$` of a line outside code spans into a code span.
    fn inline_formulas(&mut self, start: usize, content: &str) {
        let bytes = content.as_bytes();
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            match rest {
                [b'\\', ..] => at += 2,
                [b'`', ..] => at += code_span_length(rest),
                [b'$', b'$', after @ ..] => {
                    let close = after.windows(2).position(|pair| pair == b"$$");
                    let Some(close) = close.filter(|&close| close > 0) else {
                        return;
                    };
                    let (from, to) = (start + at, start + at + close + 4);
                    if let Some(bytes) = self.copy.get_mut(from..to) {
                        bytes.iter_mut().filter(|b| **b == b'`').for_each(|b| *b = b'x');
                        if let [a, b, .., c, d] = bytes {
                            (*a, *b, *c, *d) = (b'`', b'`', b'`', b'`');
                        }
                    }
                    at += close + 4;
                }
                _ => at += 1,
            }
        }
    }
}

fn is_table(content: &str) -> bool {
    const START: &str = "<table";
    let name = content.get(..START.len()).filter(|name| name.eq_ignore_ascii_case(START));
    let after = content.as_bytes().get(START.len());
    name.is_some() && after.is_none_or(|byte| matches!(byte, b'>' | b' ' | b'\t'))
}

/// Returns `true` if a text contains a blank line.
pub(super) fn has_blank_line(text: &str) -> bool {
    let mut lines = text.split('\n').skip(1).peekable();
    while let Some(line) = lines.next() {
        if line.trim().is_empty() && lines.peek().is_some() {
            return true;
        }
    }
    false
}

/// Returns `true` if a table with blank lines can be read as one element: unless its cells contain
/// Markdown and some of them span rows or columns, which the document model cannot represent.
fn is_one_element(table: &str) -> bool {
    let (mut in_cell, mut in_code) = (false, false);
    let (mut has_markdown, mut has_spans) = (false, false);
    for (token, _) in markup::tokens(table) {
        match token {
            Token::Open(tag) if tag.is("td") || tag.is("th") => {
                in_cell = true;
                has_spans |= tag.has("rowspan") || tag.has("colspan");
            }
            Token::Open(tag) if tag.is("pre") => in_code = true,
            Token::Open(tag) if tag.is("tr") => in_cell = false,
            Token::Close(name) if name.eq_ignore_ascii_case("pre") => in_code = false,
            Token::Close(name) => {
                let ends_cell = ["td", "th", "tr"].iter().any(|n| n.eq_ignore_ascii_case(name));
                in_cell &= !ends_cell;
            }
            Token::Text(text) => has_markdown |= in_cell && !in_code && has_blank_line(text),
            _ => {}
        }
    }
    !(has_markdown && has_spans)
}

fn is_attribute(line: &str) -> bool {
    let name = line.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'-').count();
    name > 0 && line.as_bytes().get(name) == Some(&b'=')
}

/// Returns the length of the code span, or of the run of backticks if the span is not closed.
fn code_span_length(bytes: &[u8]) -> usize {
    /// Maximum distance to the end of a span, which bounds the cost of a line of backticks.
    const WINDOW: usize = 4096;
    let bytes = bytes.get(..WINDOW.min(bytes.len())).unwrap_or_default();
    let run = bytes.iter().take_while(|&&b| b == b'`').count();
    let mut at = run;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let length = rest.iter().take_while(|&&b| b == b'`').count();
        work::spend(length.max(1));
        if length == run {
            return at + run;
        }
        at += length.max(1);
    }
    run
}

/// Returns the length of the text before the next blank line.
fn paragraph_length(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            break;
        }
        length += line.len();
    }
    length
}

/// Returns the length of the prefix of a block's own text: indentation, quote markers and list
/// markers.
pub(super) fn prefix_length(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut at = 0;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        at += match rest {
            [b' ' | b'\t' | b'>', ..] => 1,
            [b'*' | b'-' | b'+', b' ' | b'\t', ..] => 2,
            _ if (1..10).contains(&digits)
                && matches!(rest.get(digits..), Some([b'.' | b')', b' ' | b'\t', ..])) =>
            {
                digits + 2
            }
            _ => return at,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_become_processing_instructions_of_the_same_length() {
        for (source, expected) in [
            ("plain", "plain"),
            (
                "{% hint style=\"info\" %}\nx\n{% endhint %}",
                "<? hint style=\"info\" ?>\nx\n<? endhint ?>",
            ),
            ("* {% a %}\n> {% b %}", "* <? a ?>\n> <? b ?>"),
            ("x {% a %}", "x {% a %}"),
            ("{% a", "{% a"),
            ("{% a b=\"?>\n\n?\" %}\nz", "<? a b=\"x>\n\nx\" ?>\nz"),
            ("{% a b=\"c\nd", "{% a b=\"c\nd"),
            ("```\n{% a b=\"\n```\n{% c d=\"e\" %}", "```\n{% a b=\"\n```\n<? c d=\"e\" ?>"),
            ("$$\na_b\n$$\nx", "<?\na_b\n?>\nx"),
            ("$$\na", "$$\na"),
            ("a $$x_1*y$$ `$$z$$` \\$$q$$", "a ``x_1*y`` `$$z$$` \\$$q$$"),
            ("a $$x`y$$", "a ``xxy``"),
            (
                "<details open>\n<summary>T</summary>\nb\n</details>",
                "<?etails ope?>\n<?ummary>T</summar?>\nb\n<?detail?>",
            ),
            ("{% stepper %}\r\n$$x$$", "<? stepper ?>\r\n``x``"),
            ("<table><tr>\n</tr></table>", "<table><tr>\n</tr></table>"),
            ("<table>\n<tr>\n\n</tr></table>", "<?able>\n<tr>\n\n</tr></tabl?>"),
            ("* <table>\n\n  </table>", "* <?able>\n\n  </tabl?>"),
            ("* <table>\n\n</table>", "* <table>\n\n</table>"),
            ("<div>\n<table>\n\n</table>\n</div>", "<?iv>\n<table>\n\n</tabl?>\n</div>"),
            ("<b>x</b>\n\n<table>\n\n</table>", "<b>x</b>\n\n<?able>\n\n</tabl?>"),
            ("<table>\n\n<table></table></table>", "<table>\n\n<table></table></table>"),
            ("<table><td rowspan=2>\n\nx</td></table>", "<table><td rowspan=2>\n\nx</td></table>"),
        ] {
            let masked = mask(source);
            assert_eq!(masked, expected, "{source}");
            assert_eq!(masked.len(), source.len(), "{source}");
        }
    }
}
