//! The line endings and blank lines between siblings in a source.

use crate::source::Span;

/// Keeps a carriage return at the end of a text from combining with the line ending after it.
pub(super) fn protect_return(text: &mut String, line_end: &str) {
    if text.ends_with('\r') && line_end.starts_with('\n') {
        text.push('\r');
    }
}

pub(super) fn line_ends(text: &str) -> usize {
    text.matches('\n').count()
}

/// Returns the length of the line ending at the start of a text, including whitespace before it.
pub(super) fn first_line_end(text: &str) -> usize {
    match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|rest| rest.trim().is_empty()) => at + 1,
        _ => 0,
    }
}

/// Returns the blank lines of a gap in excess of the one that separates blocks.
pub(super) fn extra_blank_lines(gap: &str) -> &str {
    let ends: Vec<usize> = gap.match_indices('\n').map(|(at, _)| at).collect();
    let end = ends.len().checked_sub(2).and_then(|last| ends.get(last)).copied().unwrap_or(0);
    let end = if end > 0 && gap.as_bytes().get(end - 1) == Some(&b'\r') { end - 1 } else { end };
    gap.get(..end).unwrap_or_default()
}

/// Returns the offset after the blank line that follows the last block of a source, or `None` if
/// other content follows.
pub(super) fn last_blank(source: &str, end: usize) -> Option<usize> {
    let rest = source.get(end..)?;
    let mut ends = rest.match_indices('\n').map(|(at, _)| at);
    let second = ends.nth(1)?;
    rest.trim().is_empty().then_some(end + second + 1)
}

/// Returns the offset after at most `limit` of the trailing line endings of a source, excluding its
/// last.
pub(super) fn blank_lines_end(source: &str, at: usize, limit: usize) -> usize {
    let rest = source.get(at..).unwrap_or_default();
    let spare = if rest.trim().is_empty() { line_ends(rest).saturating_sub(1) } else { 0 };
    let ends = rest.match_indices('\n').map(|(end, _)| at + end + 1);
    ends.take(limit.min(spare)).last().unwrap_or(at)
}

/// Returns the end of the whitespace at the end of a line.
pub(super) fn line_rest_end(source: &str, end: usize) -> usize {
    let rest = source.get(end..).unwrap_or_default();
    end + rest.len() - rest.trim_start_matches([' ', '\t']).len()
}

/// Extends a span by the lone carriage returns before it on its first line and after it on its
/// last.
pub(super) fn extended_by_returns(source: &str, place: Span) -> Span {
    // Many blocks may share a long line, so the line is not scanned for each of them.
    let is_space = |b: &u8| matches!(b, b' ' | b'\t' | b'\r');
    let before = source.as_bytes().get(..place.start).unwrap_or_default();
    let line = before.iter().rposition(|b| !is_space(b)).map_or(0, |at| at + 1);
    let lead = before.get(line..).unwrap_or_default();
    let begins = matches!(before.get(..line), Some([] | [.., b'\n']));
    let start = if begins && lead.contains(&b'\r') { line } else { place.start };
    let following = source.as_bytes().get(place.end..).unwrap_or_default();
    let rest = following.iter().take_while(|b| is_space(b)).count();
    let own = match (following.get(..rest), following.get(rest)) {
        (Some([own @ .., b'\r']), Some(b'\n')) => own,
        (Some(own), None | Some(b'\n')) => own,
        _ => &[],
    };
    let end = if own.contains(&b'\r') { place.end + own.len() } else { place.end };
    Span::new(start, end)
}

/// Returns `true` if HTML begins on one of the last lines of a text, after its last blank line.
pub(super) fn ends_with_html(text: &str) -> bool {
    let is_marker = |c: char| c.is_ascii_digit() || " \t>*-+.)".contains(c);
    let lines = text.lines().rev().take_while(|line| !is_blank(line));
    lines.into_iter().any(|line| line.trim_start_matches(is_marker).starts_with('<'))
}

/// Returns `true` if a text consists of whitespace and quote markers.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '>')
}
