//! Edits code line by line. Each line keeps its own indentation, which may consist of spaces, tabs,
//! parts of tabs, and the prefixes of containers.

use std::collections::HashMap;

use super::plan::{CannotEdit, EditResult, Planner};
use super::source::missing_fence;
use crate::document::{Code, CodeLine};
use crate::source::Span;
use crate::subsequence;

/// A line of code in the source.
struct Line<'s> {
    /// The offset of the line.
    start: usize,
    /// The line without its line ending.
    text: &'s str,
    /// The length of the text before the code. `None` if a tab belongs to both.
    indent: Option<usize>,
}

impl<'s> Line<'s> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Returns the offset of the code.
    fn code(&self) -> Result<usize, CannotEdit> {
        Ok(self.start + self.indent.ok_or(CannotEdit)?)
    }

    /// Returns the text before the code.
    fn indent(&self) -> Option<&'s str> {
        self.text.get(..self.indent?)
    }

    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// Edits code in place if only its lines differ. `place` is the location of the block, which has
/// indentation instead of fences if `is_indented` is `true`.
///
/// Returns `CannotEdit` if the lines of the source are not those of the code, or if the block
/// cannot contain the new lines.
pub(super) fn edit(
    planner: &mut Planner<'_>,
    place: Span,
    is_indented: bool,
    before: &Code,
    after: &Code,
) -> EditResult {
    if !has_same_attributes(before, after) {
        return Err(CannotEdit);
    }
    let (old, new) =
        (plain_lines(before).ok_or(CannotEdit)?, plain_lines(after).ok_or(CannotEdit)?);
    let source = planner.source;
    let head = source.get(..place.start).ok_or(CannotEdit)?;
    let start = head.rfind('\n').map_or(0, |end| end + 1);
    let mut lines = source_lines(source, Span::new(start, place.end));
    if is_indented {
        // Blank lines at its ends are not part of indented code.
        let is_blank = |line: Option<&&str>| line.is_none_or(|line| line.trim().is_empty());
        if is_blank(new.first()) || is_blank(new.last()) {
            return Err(CannotEdit);
        }
    } else {
        let block = place.of(source);
        let is_closed = missing_fence(block).is_none() && lines.len() > 2;
        if !is_closed || !can_hold(block, &new) {
            return Err(CannotEdit);
        }
        lines.pop();
        lines.remove(0);
    }
    if lines.len() != old.len() {
        return Err(CannotEdit);
    }
    for (line, text) in lines.iter_mut().zip(&old) {
        line.indent = line.text.strip_suffix(text).map(str::len);
    }
    for ((first, last), new) in hunks(&old, &new) {
        let shared = (last - first).min(new.len());
        let (replacing, inserted) = new.split_at_checked(shared).ok_or(CannotEdit)?;
        for (at, new) in (first..).zip(replacing) {
            let old = old.get(at).ok_or(CannotEdit)?;
            replace_line(planner, &lines, at, (old, new))?;
        }
        replace(planner, &lines, (first + shared, last), inserted)?;
    }
    Ok(())
}

fn has_same_attributes(before: &Code, after: &Code) -> bool {
    before.syntax == after.syntax
        && before.title == after.title
        && before.wrap == after.wrap
        && before.line_numbers == after.line_numbers
        && before.full_width == after.full_width
        && before.expandable == after.expandable
        && before.collapsed_line_count == after.collapsed_line_count
}

/// Returns the texts of the lines, or `None` if lines have markup or lone carriage returns, which
/// end lines too.
fn plain_lines(code: &Code) -> Option<Vec<&str>> {
    let is_plain =
        |line: &CodeLine| !line.highlighted && line.rich.is_empty() && !line.text.contains('\r');
    let lines = code.lines.iter();
    lines.map(|line| is_plain(&line.kind).then_some(line.kind.text.as_str())).collect()
}

/// Returns `true` if none of the lines ends the fenced block.
fn can_hold(block: &str, lines: &[&str]) -> bool {
    let Some(mark) = block.chars().next().filter(|mark| matches!(mark, '`' | '~')) else {
        return false;
    };
    let length = |line: &str| line.len() - line.trim_start_matches(mark).len();
    let fence = length(block);
    fence > 2 && lines.iter().all(|line| length(line.trim_start()) < fence)
}

fn source_lines(source: &str, span: Span) -> Vec<Line<'_>> {
    let mut start = span.start;
    let lines = span.of(source).split('\n').map(|text| {
        let line = Line { start, text: text.strip_suffix('\r').unwrap_or(text), indent: None };
        start += text.len() + 1;
        line
    });
    lines.collect()
}

/// Returns the ranges of old lines that differ, with the new lines that replace them.
fn hunks<'n, 't>(old: &[&'t str], new: &'n [&'t str]) -> Vec<((usize, usize), &'n [&'t str])> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut numbered = |texts: &[&'t str]| -> Vec<u32> {
        let number = |text: &&'t str| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(*text).or_insert(next)
        };
        texts.iter().map(number).collect()
    };
    let (left, right) = (numbered(old), numbered(new));
    let mut hunks = Vec::new();
    let (mut from, mut to) = (0, 0);
    let end = (old.len(), new.len(), 0);
    for (at, new_at, length) in subsequence::runs(&left, &right).into_iter().chain([end]) {
        if from < at || to < new_at {
            hunks.push(((from, at), new.get(to..new_at).unwrap_or_default()));
        }
        (from, to) = (at + length, new_at + length);
    }
    hunks
}

/// Replaces the part of a line that differs.
fn replace_line(
    planner: &mut Planner<'_>,
    lines: &[Line<'_>],
    at: usize,
    (old, new): (&str, &str),
) -> EditResult {
    let line = lines.get(at).ok_or(CannotEdit)?;
    if at > 0 && (line.is_blank() || new.is_empty()) {
        let indent = indent_at(lines, at, at + 1);
        let text = format!("{}{new}", lead(&indent, new));
        planner.replace(Span::new(line.start, line.end()), text);
        return Ok(());
    }
    let shared = old.char_indices().zip(new.chars()).take_while(|((_, l), r)| l == r);
    let shared = shared.last().map_or(0, |((at, c), _)| at + c.len_utf8());
    let (old, new) = (old.get(shared..).ok_or(CannotEdit)?, new.get(shared..).ok_or(CannotEdit)?);
    let own = line.text.strip_suffix(old).ok_or(CannotEdit)?;
    planner.replace(Span::new(line.start + own.len(), line.end()), new.to_owned());
    Ok(())
}

/// Removes the lines in a range, or inserts new ones where the range is empty.
fn replace(
    planner: &mut Planner<'_>,
    lines: &[Line<'_>],
    (first, last): (usize, usize),
    new: &[&str],
) -> EditResult {
    if first == last && new.is_empty() {
        return Ok(());
    }
    let line = |at: usize| lines.get(at).ok_or(CannotEdit);
    let Some(above) = first.checked_sub(1) else {
        // The first line may begin with a list marker, which stays.
        let start = line(0)?.code()?;
        let indent = indent_at(lines, 0, 1);
        let (head, rest) = match new.split_first() {
            Some((head, rest)) => (*head, rest),
            None => {
                planner.replace(Span::new(start, line(last)?.code()?), String::new());
                return Ok(());
            }
        };
        let line_end = planner.line_end_at(start);
        let following = following(rest, &indent, line_end);
        let text = format!("{head}{following}{line_end}{indent}");
        planner.replace(Span::new(start, start), text);
        return Ok(());
    };
    let start = line(above)?.end();
    let end = if first < last { line(last - 1)?.end() } else { start };
    let text = following(new, &indent_at(lines, first, last), planner.line_end_at(start));
    planner.replace(Span::new(start, end), text);
    Ok(())
}

/// Returns lines to insert after another line.
fn following(lines: &[&str], indent: &str, line_end: &str) -> String {
    lines.iter().map(|line| format!("{line_end}{}{line}", lead(indent, line))).collect()
}

/// Returns the indentation of a line. An empty line has only the markers of quotes.
fn lead<'i>(indent: &'i str, line: &str) -> &'i str {
    if line.is_empty() { indent.trim_end() } else { indent }
}

/// Returns the indentation of the lines in a range, or that of the nearest line with one. A list
/// marker occurs on the first line only and is replaced by spaces.
fn indent_at(lines: &[Line<'_>], first: usize, last: usize) -> String {
    let own = lines.get(first..last).unwrap_or_default();
    let above = lines.get(..first).unwrap_or_default();
    let below = lines.get(last..).unwrap_or_default();
    let nearest = own.iter().chain(above.iter().rev()).chain(below);
    let indent = nearest.filter(|line| !line.is_blank()).find_map(Line::indent);
    let space = |c: char| if matches!(c, ' ' | '\t' | '>') { c } else { ' ' };
    indent.unwrap_or_default().chars().map(space).collect()
}
