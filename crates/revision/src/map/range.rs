//! Ordered reading of a map from any position.

use bytes::Bytes;

use super::Map;
use super::node::Node;
use crate::object::{Hash, ObjectError, Objects};

/// The direction of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From smaller to larger keys.
    Ascending,
    /// From larger to smaller keys.
    Descending,
}

/// Iterator over entries in order. A node is loaded when the range reaches it. It ends after an
/// error.
pub struct Range<'a> {
    objects: &'a dyn Objects,
    direction: Direction,
    /// The path from the root: each node with the number of its items that are still to be
    /// returned.
    stack: Vec<(Node, usize)>,
    prefix: Option<Bytes>,
    excluded: Option<Bytes>,
    failed: Option<ObjectError>,
}

impl std::fmt::Debug for Range<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Range").field("direction", &self.direction).finish_non_exhaustive()
    }
}

impl<'a> Range<'a> {
    fn new(objects: &'a dyn Objects, direction: Direction) -> Self {
        Self { objects, direction, stack: Vec::new(), prefix: None, excluded: None, failed: None }
    }

    pub(super) fn from_key(
        objects: &'a dyn Objects,
        map: &Map,
        from: Option<&[u8]>,
        direction: Direction,
    ) -> Self {
        let mut range = Self::new(objects, direction);
        if let Some(root) = map.root {
            range.failed = range.descend(root, |node| start(node, from, direction)).err();
        }
        range
    }

    pub(super) fn from_rank(objects: &'a dyn Objects, map: &Map, rank: u64) -> Self {
        let mut range = Self::new(objects, Direction::Ascending);
        let mut left = rank;
        if let Some(root) = map.root.filter(|_| rank < map.len) {
            range.failed = range.descend(root, |node| skip(node, &mut left)).err();
        }
        range
    }

    /// Restricts the range to keys that begin with `prefix`: it ends at the first other key.
    pub(crate) fn within(mut self, prefix: &[u8]) -> Self {
        self.prefix = Some(Bytes::copy_from_slice(prefix));
        self
    }

    /// Omits this key, from which the range starts.
    pub(crate) fn without(mut self, key: Bytes) -> Self {
        self.excluded = Some(key);
        self
    }

    /// Loads the path down to a leaf. `remaining` returns the number of items of a node that are
    /// still to be returned.
    fn descend(
        &mut self,
        hash: Hash,
        mut remaining: impl FnMut(&Node) -> usize,
    ) -> Result<(), ObjectError> {
        let mut next = Some(hash);
        while let Some(hash) = next {
            let node = Node::load(self.objects, &hash)?;
            let left = remaining(&node);
            next = match &node {
                Node::Inner { children, .. } if left > 0 => {
                    let at = self.index(&node, left);
                    children.get(at).map(|child| child.hash)
                }
                _ => None,
            };
            // The child that is descended into is already consumed.
            let left = if next.is_some() { left - 1 } else { left };
            self.stack.push((node, left));
        }
        Ok(())
    }

    fn index(&self, node: &Node, left: usize) -> usize {
        match self.direction {
            Direction::Ascending => node.len() - left,
            Direction::Descending => left - 1,
        }
    }

    fn step(&mut self) -> Result<Option<(Bytes, Bytes)>, ObjectError> {
        loop {
            let direction = self.direction;
            let Some((node, left)) = self.stack.last_mut() else {
                return Ok(None);
            };
            if *left == 0 {
                self.stack.pop();
                continue;
            }
            let at = match direction {
                Direction::Ascending => node.len() - *left,
                Direction::Descending => *left - 1,
            };
            *left -= 1;
            match node {
                Node::Leaf(entries) => {
                    return Ok(entries.get(at).map(|e| (e.key.clone(), e.value.clone())));
                }
                Node::Inner { children, .. } => {
                    if let Some(hash) = children.get(at).map(|child| child.hash) {
                        self.descend(hash, Node::len)?;
                    }
                }
            }
        }
    }
}

impl Iterator for Range<'_> {
    type Item = Result<(Bytes, Bytes), ObjectError>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = match self.failed.take() {
            Some(error) => Err(error),
            None => self.step(),
        };
        match result {
            Ok(Some((key, value))) => {
                if self.excluded.take_if(|excluded| *excluded == key).is_some() {
                    return self.next();
                }
                if self.prefix.as_ref().is_some_and(|prefix| !key.starts_with(prefix)) {
                    self.stack.clear();
                    return None;
                }
                Some(Ok((key, value)))
            }
            Ok(None) => None,
            Err(error) => {
                self.stack.clear();
                Some(Err(error))
            }
        }
    }
}

/// Returns the number of items of `node` that a range from a key still returns.
fn start(node: &Node, from: Option<&[u8]>, direction: Direction) -> usize {
    let Some(from) = from else { return node.len() };
    let at = node.position(from);
    match (direction, node) {
        (Direction::Ascending, _) => node.len() - at,
        (Direction::Descending, Node::Leaf(entries)) => {
            at + usize::from(entries.get(at).is_some_and(|entry| entry.key == from))
        }
        (Direction::Descending, Node::Inner { .. }) => (at + 1).min(node.len()),
    }
}

/// Returns the number of items of `node` that remain after skipping `left` entries.
fn skip(node: &Node, left: &mut u64) -> usize {
    match node {
        Node::Leaf(entries) => {
            entries.len() - usize::try_from(*left).unwrap_or(0).min(entries.len())
        }
        Node::Inner { children, .. } => {
            let mut skipped = 0;
            for child in children {
                if *left < child.count {
                    break;
                }
                *left -= child.count;
                skipped += 1;
            }
            children.len() - skipped
        }
    }
}
