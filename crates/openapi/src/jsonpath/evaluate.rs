//! Walks through a document along the segments of a query.
//!
//! Each node goes through all segments before the next one is looked at, so that no list of nodes
//! between two segments takes memory.

use std::slice;

use serde_json::{Map, Value, map};

use super::regexp::Patterns;
use super::{Budget, Exhausted, MAX_NODES, Query, Segment, Selector};

/// Steps that keeping a node takes for each value around it, which bound the memory of places.
const STEPS_PER_DEPTH: usize = 4;

/// A value of a document that a query selects.
#[derive(Clone, Debug)]
pub struct Node<'v> {
    /// The value.
    pub value: &'v Value,
    /// Position of each value in the array or the object around it, from the root on.
    pub(crate) place: Box<[u32]>,
}

/// Reason for the end of a walk.
pub(super) enum Stop {
    /// The nodes found so far are enough.
    Enough,
    Exhausted(Exhausted),
}

impl From<Exhausted> for Stop {
    fn from(exhausted: Exhausted) -> Self {
        Self::Exhausted(exhausted)
    }
}

/// Function that takes a node and its place.
type Found<'f, 'v> = dyn FnMut(&'v Value, &[u32]) -> Result<(), Stop> + 'f;

/// Receiver of the nodes that a query selects.
struct Sink<'f, 'v> {
    place: Vec<u32>,
    /// `true` if the places of the nodes are needed.
    has_places: bool,
    found: &'f mut Found<'f, 'v>,
}

pub(super) struct Evaluation<'v, 'b> {
    pub(super) root: &'v Value,
    pub(super) budget: &'b mut Budget,
    pub(super) patterns: Patterns,
}

pub(super) fn select<'v>(
    query: &'v Query,
    root: &'v Value,
    budget: &mut Budget,
) -> Result<Vec<Node<'v>>, Exhausted> {
    let mut nodes = Vec::new();
    let mut found = |value: &'v Value, place: &[u32]| {
        if nodes.len() == MAX_NODES {
            return Err(Exhausted::Nodes.into());
        }
        nodes.push(Node { value, place: place.into() });
        Ok(())
    };
    let mut sink = Sink { place: Vec::new(), has_places: true, found: &mut found };
    let mut evaluation = Evaluation { root, budget, patterns: Patterns::default() };
    match evaluation.segments(&query.segments, root, &mut sink) {
        Err(Stop::Exhausted(exhausted)) => Err(exhausted),
        Ok(()) | Err(Stop::Enough) => Ok(nodes),
    }
}

impl<'v> Evaluation<'v, '_> {
    /// Returns the number of nodes that a query in a filter selects, at most `most`, and the first.
    pub(super) fn count(
        &mut self,
        query: &'v Query,
        at: &'v Value,
        most: usize,
    ) -> Result<(usize, Option<&'v Value>), Stop> {
        let (mut count, mut first) = (0, None);
        let mut found = |value: &'v Value, _: &[u32]| {
            count += 1;
            first = first.or(Some(value));
            if count < most { Ok(()) } else { Err(Stop::Enough) }
        };
        let mut sink = Sink { place: Vec::new(), has_places: false, found: &mut found };
        let start = if query.is_absolute { self.root } else { at };
        match self.segments(&query.segments, start, &mut sink) {
            Err(Stop::Exhausted(exhausted)) => Err(exhausted.into()),
            Ok(()) | Err(Stop::Enough) => Ok((count, first)),
        }
    }

    fn segments(
        &mut self,
        segments: &'v [Segment],
        value: &'v Value,
        sink: &mut Sink<'_, 'v>,
    ) -> Result<(), Stop> {
        match segments.split_first() {
            None => {
                if sink.has_places {
                    self.budget.take(sink.place.len() * STEPS_PER_DEPTH)?;
                }
                (sink.found)(value, &sink.place)
            }
            Some((first, rest)) if first.descends => self.descend(first, rest, value, sink),
            Some((first, rest)) => self.segment(first, rest, value, sink),
        }
    }

    /// Applies a segment to a value and to all values within it. The values around the present one
    /// are in a list, because the stack of calls would have one for each segment and each depth.
    fn descend(
        &mut self,
        segment: &'v Segment,
        rest: &'v [Segment],
        value: &'v Value,
        sink: &mut Sink<'_, 'v>,
    ) -> Result<(), Stop> {
        let depth = sink.place.len();
        self.segment(segment, rest, value, sink)?;
        let mut around = vec![Children::of(value)];
        while let Some(children) = around.last_mut() {
            let Some((index, child)) = children.next() else {
                around.pop();
                sink.place.truncate(depth + around.len().saturating_sub(1));
                continue;
            };
            self.budget.take(1)?;
            if child.is_object() || child.is_array() {
                sink.place.push(index);
                self.segment(segment, rest, child, sink)?;
                around.push(Children::of(child));
            }
        }
        Ok(())
    }

    fn segment(
        &mut self,
        segment: &'v Segment,
        rest: &'v [Segment],
        value: &'v Value,
        sink: &mut Sink<'_, 'v>,
    ) -> Result<(), Stop> {
        segment.selectors.iter().try_for_each(|selector| self.selector(selector, rest, value, sink))
    }

    fn selector(
        &mut self,
        selector: &'v Selector,
        rest: &'v [Segment],
        value: &'v Value,
        sink: &mut Sink<'_, 'v>,
    ) -> Result<(), Stop> {
        self.budget.take(1)?;
        match (selector, value) {
            (Selector::Name(name), Value::Object(fields)) => {
                if let Some(child) = fields.get(name) {
                    let index = if sink.has_places { self.index_of(fields, name)? } else { 0 };
                    self.child(rest, index, child, sink)?;
                }
            }
            (Selector::Index(index), Value::Array(items)) => {
                let index = from_start(*index, items.len());
                if let Some(child) = usize::try_from(index).ok().and_then(|at| items.get(at)) {
                    self.child(rest, u32::try_from(index).unwrap_or(u32::MAX), child, sink)?;
                }
            }
            (Selector::Slice { start, end, step }, Value::Array(items)) => {
                for index in indices(*start, *end, *step, items.len()) {
                    if let Some(child) = items.get(index) {
                        self.child(rest, u32::try_from(index).unwrap_or(u32::MAX), child, sink)?;
                    }
                }
            }
            (Selector::Wildcard, _) => {
                for (index, child) in Children::of(value) {
                    self.child(rest, index, child, sink)?;
                }
            }
            (Selector::Filter(test), _) => {
                for (index, child) in Children::of(value) {
                    if self.holds(test, child)? {
                        self.child(rest, index, child, sink)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn child(
        &mut self,
        rest: &'v [Segment],
        index: u32,
        child: &'v Value,
        sink: &mut Sink<'_, 'v>,
    ) -> Result<(), Stop> {
        self.budget.take(1)?;
        sink.place.push(index);
        self.segments(rest, child, sink)?;
        sink.place.pop();
        Ok(())
    }

    /// Returns the position of a field that exists.
    fn index_of(&mut self, fields: &Map<String, Value>, name: &str) -> Result<u32, Stop> {
        let index = fields.keys().position(|key| key == name).unwrap_or(0);
        self.budget.take(index)?;
        Ok(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// The values in an array or an object, with their positions.
struct Children<'v> {
    values: Values<'v>,
    next: u32,
}

enum Values<'v> {
    Items(slice::Iter<'v, Value>),
    Fields(map::Values<'v>),
}

impl<'v> Children<'v> {
    fn of(value: &'v Value) -> Self {
        let values = match value {
            Value::Array(items) => Values::Items(items.iter()),
            Value::Object(fields) => Values::Fields(fields.values()),
            _ => Values::Items([].iter()),
        };
        Self { values, next: 0 }
    }
}

impl<'v> Iterator for Children<'v> {
    type Item = (u32, &'v Value);

    fn next(&mut self) -> Option<Self::Item> {
        let value = match &mut self.values {
            Values::Items(items) => items.next(),
            Values::Fields(fields) => fields.next(),
        }?;
        let index = self.next;
        self.next = index.saturating_add(1);
        Some((index, value))
    }
}

/// Returns an index from the start of an array; a negative one counts from the end.
fn from_start(index: i64, length: usize) -> i64 {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    if index < 0 { index.saturating_add(length) } else { index }
}

/// Returns the indices of a slice, as RFC 9535 (section 2.3.4.2.2) computes them.
fn indices(
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
    length: usize,
) -> impl Iterator<Item = usize> {
    let last = i64::try_from(length).unwrap_or(i64::MAX);
    let bound = |index: Option<i64>, least: i64, default: i64| {
        let most = last.saturating_add(least);
        index.map_or(default, |index| from_start(index, length).clamp(least, most))
    };
    let (first, end) = match step {
        1.. => (bound(start, 0, 0), bound(end, 0, last)),
        _ => (bound(start, -1, last.saturating_sub(1)), bound(end, -1, -1)),
    };
    let is_within = move |index: &i64| match step {
        0 => false,
        1.. => *index < end,
        _ => *index > end,
    };
    let indices = std::iter::successors(Some(first), move |index| index.checked_add(step));
    indices.take_while(is_within).filter_map(|index| usize::try_from(index).ok())
}
