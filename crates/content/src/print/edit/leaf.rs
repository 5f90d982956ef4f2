//! Edits blocks that hold no blocks: word by word, or reprinted with their own markers.

use super::code;
use super::merge::{Granularity, Part, merge};
use super::plan::{CannotEdit, EditResult, Planner, same_kind};
use super::source::{self, marker, prefix, prefixed};
use crate::document::{Block, BlockKind};
use crate::print::block::MARKERS;
use crate::source::Span;
use crate::syntax::tag_length;

/// Reprints a block in place, with its existing marker and heading level.
pub(super) fn reprint(planner: &mut Planner<'_>, before: &Block, after: &Block) -> EditResult {
    let place = place_of(planner, before)?;
    let source = place.of(planner.source);
    let mut markers = MARKERS;
    if same_kind(before, after) {
        let own = source.get(..marker(source)).unwrap_or_default();
        match own.chars().last() {
            Some(last @ ('*' | '-' | '+')) => markers.bullet = last,
            Some(last @ ('.' | ')')) => markers.number = last,
            _ => {}
        }
    }
    let mut text = planner.print_with(after, markers);
    if let (BlockKind::Heading(old), BlockKind::Heading(new)) = (&before.kind, &after.kind)
        && old.level == new.level
        && text.starts_with('#')
    {
        let level = |text: &str| text.bytes().take_while(|b| *b == b'#').count();
        let own = level(source);
        if (1..7).contains(&own) {
            text.replace_range(..level(&text), &"#".repeat(own));
        }
    }
    let prefix = match prefix(planner.source, place.start) {
        Some(prefix) => prefix,
        None if text.contains('\n') => return Err(CannotEdit),
        None => String::new(),
    };
    let text = prefixed(&text, &prefix, planner.line_end_at(place.start));
    planner.replace(place, text);
    Ok(())
}

fn place_of(planner: &Planner<'_>, block: &Block) -> Result<Span, CannotEdit> {
    let place = source::place(planner.source, block);
    if place.is_empty() { Err(CannotEdit) } else { Ok(place) }
}

/// Applies the difference between two blocks of the same kind to the source of the first.
pub(super) fn merged(planner: &mut Planner<'_>, before: &Block, after: &Block) -> EditResult {
    let place = place_of(planner, before)?;
    if let (BlockKind::Code(old), BlockKind::Code(new)) = (&before.kind, &after.kind) {
        let is_indented = !source::is_marked_code(place.of(planner.source));
        let mark = planner.edits.len();
        if code::edit(planner, place, is_indented, old, new).is_ok() {
            return Ok(());
        }
        planner.edits.truncate(mark);
    }
    let (old, new) = (planner.print_for_comparison(before), planner.print_for_comparison(after));
    match &before.kind {
        BlockKind::Code(_) => {
            let has_tag = |text: &str| text.starts_with("{%");
            if has_tag(place.of(planner.source)) && has_tag(&old) && has_tag(&new) {
                let length = tag_length(place.of(planner.source)).ok_or(CannotEdit)?;
                tag(planner, place.start, &old, &new)?;
                let rest = Span::new(place.start + length, place.end);
                let rest_of = |text: &str| {
                    let length = tag_length(text).unwrap_or(0);
                    text.get(length..).unwrap_or_default().to_owned()
                };
                return lines(planner, rest, &rest_of(&old), &rest_of(&new));
            }
            match indented(planner.source, before.span, place).zip(fenced(&old, &new)) {
                Some((place, (old, new))) => lines(planner, place, old, new),
                None => lines(planner, place, &old, &new),
            }
        }
        BlockKind::Opaque(_) => lines(planner, place, &old, &new),
        _ => words(planner, place, &old, &new),
    }
}

/// Returns the location of an indented code block without its indentation, or `None` if the code
/// block is not indented.
fn indented(source: &str, span: Span, place: Span) -> Option<Span> {
    let inner = Span::new(span.start, place.end);
    let lead = source.get(place.start..inner.start)?;
    let is_code = lead.ends_with("    ") || lead.ends_with('\t');
    (is_code && lead.trim().is_empty()).then_some(inner)
}

/// Returns the lines between the fences of two code blocks with the same fences.
fn fenced<'t>(old: &'t str, new: &'t str) -> Option<(&'t str, &'t str)> {
    let parts = |text: &'t str| {
        let (first, rest) = text.split_once('\n')?;
        let (inner, last) = rest.rsplit_once('\n')?;
        first.starts_with(['`', '~']).then_some((first, inner, last))
    };
    let ((old_first, old, old_last), (new_first, new, new_last)) = (parts(old)?, parts(new)?);
    (old_first == new_first && old_last == new_last).then_some((old, new))
}

/// Applies the difference between two texts to a part of the source, word by word.
pub(super) fn words(planner: &mut Planner<'_>, place: Span, old: &str, new: &str) -> EditResult {
    let parts =
        merge(place.of(planner.source), old, new, Granularity::Words, "").ok_or(CannotEdit)?;
    let line_end = planner.line_end_at(place.start);
    let prefix = prefix(planner.source, place.start);
    let mut text = String::with_capacity(place.len());
    for part in parts {
        match part {
            Part::Kept(kept) => text.push_str(kept),
            Part::New(new) if new.contains('\n') => {
                text.push_str(&prefixed(new, prefix.as_ref().ok_or(CannotEdit)?, line_end));
            }
            Part::New(new) => text.push_str(new),
        }
    }
    planner.replace(place, text);
    Ok(())
}

/// Applies the difference between two texts to a part of the source, line by line.
fn lines(planner: &mut Planner<'_>, place: Span, old: &str, new: &str) -> EditResult {
    let prefix = prefix(planner.source, place.start).unwrap_or_default();
    let source = place.of(planner.source);
    let parts = merge(source, old, new, Granularity::Lines, &prefix).ok_or(CannotEdit)?;
    let line_end = planner.line_end_at(place.start);
    let mut text = String::with_capacity(place.len());
    for (index, part) in parts.iter().enumerate() {
        let is_last = index + 1 == parts.len();
        match *part {
            Part::Kept(line) if is_last => text.push_str(line.trim_end_matches(['\n', '\r'])),
            Part::Kept(line) => {
                text.push_str(line);
                if !line.ends_with(['\n', '\r']) {
                    text.push_str(line_end);
                }
            }
            Part::New(line) => {
                let line = line.trim_end_matches('\n');
                let own = if line.is_empty() { prefix.trim_end() } else { &prefix };
                text.push_str(if index > 0 { own } else { "" });
                if index > 0 && !line.is_empty() && own.ends_with('>') {
                    text.push(' ');
                }
                text.push_str(line);
                text.push_str(if is_last { "" } else { line_end });
            }
        }
    }
    planner.replace(place, text);
    Ok(())
}

/// Edits the tag at the start of a block. `old` and `new` begin with the old and the new tag.
pub(super) fn tag(planner: &mut Planner<'_>, start: usize, old: &str, new: &str) -> EditResult {
    let tag_of = |text: &str| text.get(..tag_length(text)?).map(str::to_owned);
    let (old, new) = (tag_of(old).ok_or(CannotEdit)?, tag_of(new).ok_or(CannotEdit)?);
    if old == new {
        return Ok(());
    }
    let rest = planner.source.get(start..).ok_or(CannotEdit)?;
    let start = start + rest.len() - rest.trim_start().len();
    let length = planner.source.get(start..).and_then(tag_length).ok_or(CannotEdit)?;
    words(planner, Span::new(start, start + length), &old, &new)
}

/// Edits the start of an expandable block, including its title.
pub(super) fn summary(planner: &mut Planner<'_>, before: &Block, after: &Block) -> EditResult {
    const END: &str = "</summary>";
    let head =
        |text: &str| text.find(END).and_then(|at| text.get(..at + END.len())).map(str::to_owned);
    let (old, new) = (planner.print(before), planner.print(after));
    let (old, new) = (head(&old).ok_or(CannotEdit)?, head(&new).ok_or(CannotEdit)?);
    if old == new {
        return Ok(());
    }
    let place = place_of(planner, before)?;
    let own = head(place.of(planner.source)).ok_or(CannotEdit)?;
    words(planner, Span::new(place.start, place.start + own.len()), &old, &new)
}
