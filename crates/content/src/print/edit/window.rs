//! Reprints a run of blocks that cannot be edited in place.

use super::plan::Planner;
use super::source::{is_line_rest, place, prefix, prefixed};
use super::{Edit, NeighborPolicy, notes};
use crate::document::Document;
use crate::document::equality::ContentEq;
use crate::print::PrintContext;
use crate::print::notes::Notes;
use crate::print::writer::Writer;
use crate::source::Span;

/// Returns the edits that reprint all top-level blocks from the first to the last difference,
/// extended by `margin` blocks before and after. Returns `None` if the blocks do not occupy whole
/// lines.
pub(super) fn plan(
    source: &str,
    before: &Document,
    after: &Document,
    context: &PrintContext<'_>,
    (margin, line_end): ((usize, usize), &'static str),
) -> Option<Vec<Edit>> {
    let (old, new) = (&before.nodes, &after.nodes);
    let start = old.iter().zip(new).take_while(|(l, r)| l.content_eq(r)).count();
    let limit = old.len().min(new.len()) - start;
    let ends = old.iter().rev().zip(new.iter().rev()).take(limit);
    let end = ends.take_while(|(l, r)| l.content_eq(r)).count();
    let (mut first, mut tail) = (start.saturating_sub(margin.0), end.saturating_sub(margin.1));
    let places: Vec<Span> = old.iter().map(|block| place(source, block)).collect();
    while first > 0 && prefix(source, places.get(first)?.start).is_none() {
        first -= 1;
    }
    while tail > 0 && !is_line_rest(source, places.get((old.len() - tail).checked_sub(1)?)?.end) {
        tail -= 1;
    }
    let own = places.get(first..old.len() - tail)?;
    let (from, to) = (own.first()?.start, own.last()?.end);
    let from = from - prefix(source, from)?.len();

    let notes = Notes::default();
    let changed = notes::register(before, after, &notes, context);
    let mut planner = Planner::new(source, context, &notes, NeighborPolicy::BLANK_LINES, line_end);
    let mut writer = Writer::default();
    planner.printer().sequence(new.get(first..new.len() - tail)?, &mut writer);
    let mut text = writer.out.trim_end_matches('\n').to_owned();
    // Link and note definitions stand between blocks.
    let between = own.windows(2).filter_map(|pair| match pair {
        [left, right] => Some(Span::new(left.end.min(right.start), right.start).of(source).trim()),
        _ => None,
    });
    for definition in between.filter(|text| !text.is_empty()) {
        text.push_str("\n\n");
        text.push_str(&definition.replace("\r\n", "\n"));
    }
    let text = prefixed(&text, "", planner.line_end_at(from));
    planner.replace(Span::new(from, to), text);
    notes::write_changes(&mut planner, &changed);
    Some(planner.edits)
}
