//! Differences between two maps. Equal subtrees are not read.

use bytes::Bytes;

use super::Map;
use super::node::{Child, Entry, Node};
use crate::object::{Hash, ObjectError, Objects};

/// An entry in which two maps differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The key.
    pub key: Bytes,
    /// The value in the old map; `None` if the key is missing there.
    pub old: Option<Bytes>,
    /// The value in the new map; `None` if the key is missing there.
    pub new: Option<Bytes>,
}

/// Iterator over the differences of two maps in ascending order of keys. It ends after an error.
pub struct Diff<'a> {
    objects: &'a dyn Objects,
    old: Vec<Part>,
    new: Vec<Part>,
}

impl std::fmt::Debug for Diff<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Diff").finish_non_exhaustive()
    }
}

/// A part of one side that is not compared yet. The next part is the last of its list.
enum Part {
    Node { hash: Hash, level: u8 },
    Entry(Entry),
}

impl<'a> Diff<'a> {
    pub(super) fn new(objects: &'a dyn Objects, old: &Map, new: &Map) -> Self {
        // The level of a root is not known before it is read. The highest level is assumed, so that
        // an unread root is opened first.
        let side = |map: &Map| {
            map.root.map(|hash| Part::Node { hash, level: u8::MAX }).into_iter().collect()
        };
        Self { objects, old: side(old), new: side(new) }
    }

    fn step(&mut self) -> Result<Option<Difference>, ObjectError> {
        loop {
            let (open_old, open_new) = match (self.old.last(), self.new.last()) {
                (None, None) => return Ok(None),
                (
                    Some(Part::Node { hash: a, level: x }),
                    Some(Part::Node { hash: b, level: y }),
                ) => {
                    if a == b {
                        self.old.pop();
                        self.new.pop();
                        continue;
                    }
                    (x >= y, y >= x)
                }
                (Some(Part::Node { .. }), _) => (true, false),
                (_, Some(Part::Node { .. })) => (false, true),
                (Some(Part::Entry(_)) | None, Some(Part::Entry(_)) | None) => {
                    match self.entries() {
                        Some(difference) => return Ok(Some(difference)),
                        None => continue,
                    }
                }
            };
            if open_old {
                open(self.objects, &mut self.old)?;
            }
            if open_new {
                open(self.objects, &mut self.new)?;
            }
        }
    }

    /// Takes the smaller of the next two entries, or both if their keys are equal.
    fn entries(&mut self) -> Option<Difference> {
        let order = match (self.old.last(), self.new.last()) {
            (Some(Part::Entry(a)), Some(Part::Entry(b))) => a.key.cmp(&b.key),
            (Some(_), None) => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Greater,
        };
        let old = if order.is_le() { take(&mut self.old) } else { None };
        let new = if order.is_ge() { take(&mut self.new) } else { None };
        if old == new {
            return None;
        }
        let key = old.as_ref().or(new.as_ref()).map(|entry| entry.key.clone())?;
        Some(Difference { key, old: old.map(|e| e.value), new: new.map(|e| e.value) })
    }
}

fn take(parts: &mut Vec<Part>) -> Option<Entry> {
    match parts.pop() {
        Some(Part::Entry(entry)) => Some(entry),
        _ => None,
    }
}

/// Replaces the next part, which is a node, with the node's contents.
fn open(objects: &dyn Objects, parts: &mut Vec<Part>) -> Result<(), ObjectError> {
    let Some(Part::Node { hash, .. }) = parts.pop() else {
        return Ok(());
    };
    match Node::load(objects, &hash)? {
        Node::Leaf(entries) => parts.extend(entries.into_iter().rev().map(Part::Entry)),
        Node::Inner { level, children } => {
            let level = level.saturating_sub(1);
            let part = |child: Child| Part::Node { hash: child.hash, level };
            parts.extend(children.into_iter().rev().map(part));
        }
    }
    Ok(())
}

impl Iterator for Diff<'_> {
    type Item = Result<Difference, ObjectError>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = self.step();
        if result.is_err() {
            self.old.clear();
            self.new.clear();
        }
        result.transpose()
    }
}
