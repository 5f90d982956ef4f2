//! Pairs the children of two versions of a node.

use std::collections::{HashMap, HashSet};

use bindery_content::subsequence::runs;

use super::{common_ends, number_of};
use crate::node::Node;
use crate::schema::NodeType;

/// The pairs of two lists, in the order of both.
#[derive(Debug)]
pub(super) struct Pairs {
    rights: Vec<Option<usize>>,
    lefts: Vec<Option<usize>>,
}

impl Pairs {
    pub(super) fn of(left: &[Node], right: &[Node]) -> Self {
        let mut pairs = Self { rights: vec![None; left.len()], lefts: vec![None; right.len()] };
        let (start, end) = common_ends(left, right);
        for index in 0..start {
            pairs.add(index, index);
        }
        for index in 1..=end {
            pairs.add(left.len() - index, right.len() - index);
        }
        let mut numbers = HashMap::new();
        let mut inner = |nodes: &[Node]| {
            let (before, rest) = nodes.split_at(start);
            let mut seen: HashSet<&str> = before.iter().filter_map(Node::key).collect();
            let changed = rest.get(..rest.len() - end).unwrap_or_default().iter();
            let names = changed.map(|node| {
                // Only the first node with a key has it as its name.
                let key = node.key().filter(|key| seen.insert(key));
                number_of(&mut numbers, name_of(node, key))
            });
            names.collect::<Vec<u32>>()
        };
        let (one, other) = (inner(left), inner(right));
        for (from, to, length) in runs(&one, &other) {
            for index in 0..length {
                pairs.add(start + from + index, start + to + index);
            }
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

/// Returns the name of a node with a key, or its text if it has none.
fn name_of(node: &Node, key: Option<&str>) -> (NodeType, String) {
    match key {
        Some(key) => (NodeType::Doc, key.to_owned()),
        None => (node.kind(), node.text_content()),
    }
}
