//! Adapts steps to a document that other steps changed. What one person writes stays, also where
//! another one removed the text around it: a removal leaves what its author did not see, and an
//! insertion into removed text comes to the place of that text.

use std::ops::Range;

use crate::map::{Mapping, Side};
use crate::node::{Attrs, Fragment, Node};
use crate::position::Position;
use crate::replace::{Slice, replace};
use crate::schema::NodeType;
use crate::step::{Change, Step};

/// Maximum number of positions that are looked up for all steps together. Removals after that remove
/// what others inserted as well.
const MAX_LOOKUPS: usize = 4_000_000;

/// Returns steps for a document that other steps changed since, and the document after them. A step
/// that does not fit any more is left out, unless it inserts something.
#[must_use]
pub fn rebase(steps: &[Step], over: &[Step], doc: &Node) -> (Vec<Step>, Node) {
    let mut mapping = Mapping::default();
    for step in steps.iter().rev() {
        mapping.push(step.positions().inverted(), None);
    }
    for step in over {
        mapping.push(step.positions(), None);
    }
    let mut doc = doc.clone();
    let mut rebased = Vec::with_capacity(steps.len());
    let mut own_paragraph = None;
    let mut lookups = MAX_LOOKUPS;
    for (index, before) in steps.iter().enumerate() {
        let mirror = steps.len() - index - 1;
        mapping.start_at(mirror + 1);
        let found = match fitting(before, &mapping, &doc, &mut lookups) {
            Some(found) => {
                own_paragraph = None;
                Some(found)
            }
            None => inserted(before, &mapping, &doc, &mut own_paragraph),
        };
        let Some((step, next)) = found else { continue };
        // A position in what the step inserts is found again if the step still inserts the same.
        mapping.push(step.positions(), step.inserts_as(before).then_some(mirror));
        rebased.push(step);
        doc = next;
    }
    (rebased, doc)
}

/// Returns a step for a document, and the document after it, if what the step changes is still
/// there.
fn fitting(
    step: &Step,
    mapping: &Mapping,
    doc: &Node,
    lookups: &mut usize,
) -> Option<(Step, Node)> {
    let step = with_insertions(step, step.map(mapping)?, mapping, doc, lookups)?;
    let next = step.apply(doc).ok()?;
    Some((step, next))
}

/// Returns a step that keeps what others inserted in the range that it replaces. `None` if nothing
/// else is left there, or if it does not fit between.
fn with_insertions(
    step: &Step,
    mapped: Step,
    mapping: &Mapping,
    doc: &Node,
    lookups: &mut usize,
) -> Option<Step> {
    let Change::Replace { from, to, .. } = &step.0 else { return Some(mapped) };
    let Change::Replace { from: start, to: end, slice, is_structure } = &mapped.0 else {
        return Some(mapped);
    };
    if from == to {
        // The two sides of an insertion can be mapped to different places.
        let (slice, is_structure) = (slice.clone(), *is_structure);
        return Some(Step(Change::Replace { from: *start, to: *start, slice, is_structure }));
    }
    let needed = (to - from).saturating_mul(mapping.len());
    let Some(left) = lookups.checked_sub(needed) else { return Some(mapped) };
    *lookups = left;
    let seen = present(*from..*to, mapping);
    if seen == std::slice::from_ref(&(*start..*end)) {
        return Some(mapped);
    }
    let (first, last) = (seen.first()?.start.min(*start), seen.last()?.end.max(*end));
    let without = replace(doc, *start, *start, slice).map(|with_slice| {
        seen.iter().rev().fold(with_slice, |doc, range| {
            let behind = range.start.max(*start) + slice.size()..range.end + slice.size();
            removed(&removed(&doc, behind), range.start..range.end.min(*start))
        })
    });
    let kept = without.and_then(|without| {
        let behind = doc.content_size().saturating_sub(last);
        Slice::of(&without, first, without.content_size().saturating_sub(behind))
    });
    let slice = kept.ok()?;
    Some(Step(Change::Replace { from: first, to: last, slice, is_structure: false }))
}

/// Returns the ranges in which the content of a range is now, without what others removed of it and
/// inserted between.
fn present(range: Range<usize>, mapping: &Mapping) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in range {
        let (start, end) = (mapping.map(at, Side::Behind), mapping.map(at + 1, Side::Before));
        if start.is_behind || end.at != start.at + 1 {
            continue;
        }
        match found.last_mut().filter(|last| last.end == start.at) {
            Some(last) => last.end = end.at,
            None => found.push(start.at..end.at),
        }
    }
    // What this person inserted themselves can have another place among the rest.
    found.sort_by_key(|range| range.start);
    found
}

/// Returns a document without what is between two positions, as far as its schema permits.
fn removed(doc: &Node, Range { start: from, end: to }: Range<usize>) -> Node {
    if from >= to {
        return doc.clone();
    }
    if let Ok(next) = replace(doc, from, to, &Slice::default()) {
        return next;
    }
    let (Ok(start), Ok(end)) = (Position::resolve(doc, from), Position::resolve(doc, to)) else {
        return doc.clone();
    };
    // One end is deeper in the document: its node stays, without the content.
    if end.depth() > start.depth() {
        let begin = end.start(end.depth());
        return removed(&removed(doc, begin..to), from..begin - 1);
    }
    if start.depth() > end.depth() {
        let close = start.end(start.depth());
        return removed(&removed(doc, close + 1..to), from..close);
    }
    doc.clone()
}

/// Returns a step that inserts what another one inserts into a range that others removed. Text comes
/// into a paragraph if the one around it is gone. `own_paragraph` is the position behind that
/// paragraph if the step before made one, into which this text comes if it follows.
fn inserted(
    step: &Step,
    mapping: &Mapping,
    doc: &Node,
    own_paragraph: &mut Option<usize>,
) -> Option<(Step, Node)> {
    let Change::Replace { from, slice, .. } = &step.0 else { return None };
    if !slice.content.iter().any(has_leaf) {
        return None;
    }
    let at = mapping.map(*from, Side::Behind).at;
    let is_inline = slice.content.first()?.kind().is_inline();
    let insertion = |at: usize, slice: Slice| {
        let step = Step(Change::Replace { from: at, to: at, slice, is_structure: false });
        let next = step.apply(doc).ok()?;
        Some((step, next))
    };
    let follows = own_paragraph.take() == Some(at) && is_inline;
    if follows && let Some(found) = insertion(at - 1, slice.clone()) {
        *own_paragraph = Some(at + slice.size());
        return Some(found);
    }
    if let Some(found) = insertion(at, slice.clone()) {
        return Some(found);
    }
    let content = match is_inline {
        true => {
            Fragment::of(vec![NodeType::Paragraph.node(&Attrs::default(), slice.content.clone())?])
        }
        false => slice.content.clone(),
    };
    let blocks = Slice { content, open_start: 0, open_end: 0 };
    blocks.check().ok()?;
    let place = Position::resolve(doc, at).ok()?;
    let around = (1..=place.depth()).rev().map(|depth| place.end(depth) + 1);
    let (at, found) = std::iter::once(at)
        .chain(around)
        .find_map(|at| Some((at, insertion(at, blocks.clone())?)))?;
    *own_paragraph = is_inline.then(|| at + blocks.size());
    Some(found)
}

/// Returns `true` if a node is, or contains, a text or another node without content.
fn has_leaf(node: &Node) -> bool {
    node.kind().is_leaf() || node.content().iter().any(has_leaf)
}
