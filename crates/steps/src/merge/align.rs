//! Pairs the children of two versions of a node.

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::node::Node;
use crate::schema::NodeType;

/// Maximum number of nodes between equal ends that are compared with each other. The work grows
/// with the square.
const MAX_COMPARED: usize = 4_000;

/// The pairs of two lists, in the order of both.
#[derive(Debug)]
pub(super) struct Pairs {
    rights: Vec<Option<usize>>,
    lefts: Vec<Option<usize>>,
}

impl Pairs {
    pub(super) fn of(left: &[Node], right: &[Node]) -> Self {
        let mut pairs = Self { rights: vec![None; left.len()], lefts: vec![None; right.len()] };
        let most = left.len().min(right.len());
        let start = left.iter().zip(right).take_while(|(one, other)| one == other).count();
        let rest = left.iter().rev().zip(right.iter().rev()).take(most - start);
        let end = rest.take_while(|(one, other)| one == other).count();
        for index in 0..start {
            pairs.add(index, index);
        }
        for index in 1..=end {
            pairs.add(left.len() - index, right.len() - index);
        }
        let inner = |nodes: &[Node]| {
            let nodes = nodes.get(start..nodes.len() - end).unwrap_or_default();
            nodes.iter().map(name_of).collect::<Vec<_>>()
        };
        for (one, other) in common(&inner(left), &inner(right)) {
            pairs.add(start + one, start + other);
        }
        pairs.fill(left, right);
        pairs
    }

    /// Returns the partner of a node of the left list.
    pub(super) fn right(&self, index: usize) -> Option<usize> {
        self.rights.get(index).copied().flatten()
    }

    /// Returns the partner of a node of the right list.
    pub(super) fn left(&self, index: usize) -> Option<usize> {
        self.lefts.get(index).copied().flatten()
    }

    fn add(&mut self, left: usize, right: usize) {
        if let (Some(one), Some(other)) = (self.rights.get_mut(left), self.lefts.get_mut(right)) {
            (*one, *other) = (Some(right), Some(left));
        }
    }

    /// Pairs nodes without names between two pairs, in their order, if they have the same type.
    fn fill(&mut self, left: &[Node], right: &[Node]) {
        let (mut one, mut other) = (0, 0);
        while one < left.len() && other < right.len() {
            match (self.right(one), self.left(other)) {
                (Some(partner), _) if partner == other => (one, other) = (one + 1, other + 1),
                (Some(_), None) => other += 1,
                (None, Some(_)) => one += 1,
                (None, None) => {
                    let nodes = left.get(one).zip(right.get(other));
                    let is_pair = nodes.is_some_and(|(one, other)| {
                        let is_unnamed = one.key().is_none() && other.key().is_none();
                        is_unnamed && one.kind() == other.kind()
                    });
                    if is_pair {
                        self.add(one, other);
                    }
                    (one, other) = (one + 1, other + 1);
                }
                (Some(_), Some(_)) => (one, other) = (one + 1, other + 1),
            }
        }
    }
}

/// Returns the name of a node, or its text if it has none.
fn name_of(node: &Node) -> (NodeType, String) {
    match node.key() {
        Some(key) => (NodeType::Doc, key.to_owned()),
        None => (node.kind(), node.text_content()),
    }
}

/// Returns pairs of equal values, in the order of both lists.
pub(super) fn common<T: Ord + std::hash::Hash>(left: &[T], right: &[T]) -> Vec<(usize, usize)> {
    if left.len() + right.len() <= MAX_COMPARED {
        let equal = |op| match op {
            DiffOp::Equal { old_index, new_index, len } => Some((old_index, new_index, len)),
            _ => None,
        };
        let runs = capture_diff_slices(Algorithm::Myers, left, right).into_iter();
        let runs = runs.filter_map(equal);
        return runs
            .flat_map(|(one, other, len)| (0..len).map(move |at| (one + at, other + at)))
            .collect();
    }
    let mut places: HashMap<&T, Vec<usize>> = HashMap::new();
    for (index, value) in left.iter().enumerate().rev() {
        places.entry(value).or_default().push(index);
    }
    let mut next = 0;
    let mut pairs = Vec::new();
    for (index, value) in right.iter().enumerate() {
        let Some(found) = places.get_mut(value) else { continue };
        while found.last().is_some_and(|place| *place < next) {
            found.pop();
        }
        if let Some(place) = found.pop() {
            pairs.push((place, index));
            next = place + 1;
        }
    }
    pairs
}
