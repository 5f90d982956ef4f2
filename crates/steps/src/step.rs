//! Steps: the changes of which edits of a document consist.

use std::sync::Arc;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::map::{Mapping, Side, StepMap};
use crate::node::{Fragment, Mark, Marks, Node};
use crate::position::Position;
use crate::replace::{Slice, replace};
use crate::schema::NodeType;
use crate::{MAX_DEPTH, MAX_SIZE};

/// A change of a document at positions of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step(pub(crate) Change);

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    Replace {
        from: usize,
        to: usize,
        slice: Slice,
        is_structure: bool,
    },
    ReplaceAround {
        from: usize,
        to: usize,
        gap_from: usize,
        gap_to: usize,
        slice: Slice,
        insert: usize,
        is_structure: bool,
    },
    AddMark {
        from: usize,
        to: usize,
        mark: Mark,
    },
    RemoveMark {
        from: usize,
        to: usize,
        mark: Mark,
    },
    /// Several changes of marks.
    Marks(Vec<Step>),
    SetAttr {
        at: usize,
        name: String,
        value: Value,
    },
}

impl Step {
    /// Returns the document after the step.
    ///
    /// # Errors
    /// Returns an error if the step does not fit the document, and if the document would have nodes
    /// where its schema does not permit them.
    pub fn apply(&self, doc: &Node) -> Result<Node> {
        let changed = self.changed(doc)?;
        if changed.depth() > MAX_DEPTH {
            return Err(Error::Limit("60 nodes within each other"));
        }
        if changed.content_size() > MAX_SIZE {
            return Err(Error::Limit("8,388,608 positions"));
        }
        Ok(changed)
    }

    fn changed(&self, doc: &Node) -> Result<Node> {
        match &self.0 {
            Change::Replace { from, to, slice, is_structure } => {
                if *is_structure && has_content(doc, *from, *to)? {
                    return Err(Error::Overwrite);
                }
                replace(doc, *from, *to, slice)
            }
            Change::ReplaceAround { from, to, gap_from, gap_to, slice, insert, is_structure } => {
                let removes = || -> Result<bool> {
                    Ok(has_content(doc, *from, *gap_from)? || has_content(doc, *gap_to, *to)?)
                };
                if *is_structure && removes()? {
                    return Err(Error::Overwrite);
                }
                let gap = Slice::of(doc, *gap_from, *gap_to)?;
                if gap.open_start > 0 || gap.open_end > 0 {
                    return Err(Error::Gap);
                }
                let slice = slice.with_inserted(*insert, &gap.content)?;
                slice.check()?;
                replace(doc, *from, *to, &slice)
            }
            Change::AddMark { from, to, mark } => mark_range(doc, *from, *to, |node, parent| {
                let is_marked = node.kind().is_leaf() && parent.allows_marks();
                is_marked.then(|| mark.add_to(node.marks()))
            }),
            Change::RemoveMark { from, to, mark } => {
                mark_range(doc, *from, *to, |node, _| Some(mark.remove_from(node.marks())))
            }
            Change::Marks(steps) => {
                steps.iter().try_fold(doc.clone(), |doc, step| step.apply(&doc))
            }
            Change::SetAttr { at, name, value } => {
                let node = doc.at(*at).ok_or(Error::NoNode(*at))?;
                if node.as_text().is_some() {
                    return Err(Error::NoNode(*at));
                }
                let mut attrs = (**node.attrs()).clone();
                attrs.insert(name.clone(), value.clone());
                let attrs = node.kind().complete(Some(&attrs)).unwrap_or_default();
                let marks = Arc::clone(node.marks());
                let head = Node::new(node.kind(), attrs, Fragment::default(), marks);
                replace(doc, *at, at + 1, &Slice::head_of(head))
            }
        }
    }

    /// Returns the map of positions before the step to those behind it.
    pub(crate) fn positions(&self) -> StepMap {
        match &self.0 {
            Change::Replace { from, to, slice, .. } => {
                StepMap::one(*from, to.saturating_sub(*from), slice.size())
            }
            Change::ReplaceAround { from, to, gap_from, gap_to, slice, insert, .. } => {
                let before = (*from, gap_from.saturating_sub(*from), *insert);
                let behind = slice.size().saturating_sub(*insert);
                StepMap::two(before, (*gap_to, to.saturating_sub(*gap_to), behind))
            }
            _ => StepMap::default(),
        }
    }

    /// Returns `true` if the step inserts the same as another one that it was made from.
    pub(crate) fn inserts_as(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Change::Replace { slice, .. }, Change::Replace { slice: other, .. }) => slice == other,
            _ => true,
        }
    }

    /// Returns where a position is after the step. One at which something is inserted moves behind
    /// that.
    #[must_use]
    pub fn map_position(&self, at: usize) -> usize {
        self.positions().map(at, Side::Behind).at
    }

    /// Returns the step for a document in which other steps came before it. `None` if they removed
    /// what it changes.
    pub(crate) fn map(&self, mapping: &Mapping) -> Option<Self> {
        let range = |from, to| {
            let [from, to] = [mapping.map(from, Side::Behind), mapping.map(to, Side::Before)];
            (from.at < to.at).then_some((from.at, to.at))
        };
        Some(Self(match &self.0 {
            Change::Replace { from, to, slice, is_structure } => {
                let to = mapping.map(*to, Side::Before);
                let from = mapping.map(*from, Side::Behind);
                if from.is_across && to.is_across {
                    return None;
                }
                Change::Replace {
                    from: from.at,
                    to: to.at.max(from.at),
                    slice: slice.clone(),
                    is_structure: *is_structure,
                }
            }
            Change::ReplaceAround { from, to, gap_from, gap_to, slice, insert, is_structure } => {
                let start = mapping.map(*from, Side::Behind);
                let end = mapping.map(*to, Side::Before);
                let gap_from = match from == gap_from {
                    true => start.at,
                    false => mapping.map(*gap_from, Side::Before).at,
                };
                let gap_to = match to == gap_to {
                    true => end.at,
                    false => mapping.map(*gap_to, Side::Behind).at,
                };
                let is_kept = start.at <= gap_from && gap_from <= gap_to && gap_to <= end.at;
                if (start.is_across && end.is_across) || !is_kept {
                    return None;
                }
                Change::ReplaceAround {
                    from: start.at,
                    to: end.at,
                    gap_from,
                    gap_to,
                    slice: slice.clone(),
                    insert: *insert,
                    is_structure: *is_structure,
                }
            }
            Change::AddMark { from, to, mark } => {
                let (from, to) = range(*from, *to)?;
                Change::AddMark { from, to, mark: mark.clone() }
            }
            Change::RemoveMark { from, to, mark } => {
                let (from, to) = range(*from, *to)?;
                Change::RemoveMark { from, to, mark: mark.clone() }
            }
            Change::Marks(steps) => {
                let steps: Vec<_> = steps.iter().filter_map(|step| step.map(mapping)).collect();
                if steps.is_empty() {
                    return None;
                }
                Change::Marks(steps)
            }
            Change::SetAttr { at, name, value } => {
                let place = mapping.map(*at, Side::Behind);
                if place.is_behind {
                    return None;
                }
                Change::SetAttr { at: place.at, name: name.clone(), value: value.clone() }
            }
        }))
    }
}

/// Replaces the marks of the inline nodes between two positions.
fn mark_range(
    doc: &Node,
    from: usize,
    to: usize,
    change: impl Fn(&Node, NodeType) -> Option<Marks>,
) -> Result<Node> {
    let slice = Slice::of(doc, from, to)?;
    let start = Position::resolve(doc, from)?;
    let parent = start.node(start.shared_depth(to)).kind();
    let content = marked(&slice.content, parent, &change);
    replace(doc, from, to, &Slice { content, ..slice })
}

fn marked(
    content: &Fragment,
    parent: NodeType,
    change: &impl Fn(&Node, NodeType) -> Option<Marks>,
) -> Fragment {
    Fragment::joined(content.iter().map(|node| {
        let node = match node.content().is_empty() {
            true => node.clone(),
            false => node.with_content(marked(node.content(), node.kind(), change)),
        };
        match node.kind().is_inline().then(|| change(&node, parent)).flatten() {
            Some(marks) => node.with_marks(marks),
            None => node,
        }
    }))
}

/// Returns `true` if there is more between two positions than ends and beginnings of nodes.
fn has_content(doc: &Node, from: usize, to: usize) -> Result<bool> {
    let start = Position::resolve(doc, from)?;
    let mut rest = to.saturating_sub(from);
    let mut depth = start.depth();
    while rest > 0 && depth > 0 && start.index_after(depth) == start.node(depth).content().len() {
        depth -= 1;
        rest -= 1;
    }
    let mut next = start.node(depth).content().get(start.index_after(depth));
    while rest > 0 {
        let Some(node) = next.filter(|node| !node.kind().is_leaf()) else { return Ok(true) };
        next = node.content().first();
        rest -= 1;
    }
    Ok(false)
}
