//! Merging of the order of lists.

use std::collections::{HashMap, VecDeque};

use crate::document::equality::{ContentEq, digest};
use crate::document::{Key, Node};
use crate::pairing::{Partner, pair};

/// An element of a merged list: its index in each version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) base: Option<usize>,
    pub(super) ours: Option<usize>,
    pub(super) theirs: Option<usize>,
}

/// The changes of one side to the order of a list.
struct Order {
    /// For each element of the new list, its index in the old one.
    old_indices: Vec<Option<usize>>,
    /// For each element of the old list, its index in the new one.
    new_indices: Vec<Option<usize>>,
    /// For each element of the old list, `true` if its order changed.
    moved: Vec<bool>,
}

impl Order {
    fn of<T: ContentEq>(before: &[Node<T>], after: &[Node<T>]) -> Self {
        let pairs = pair(before, after);
        let mut order = Self {
            old_indices: vec![None; after.len()],
            new_indices: vec![None; before.len()],
            moved: vec![false; before.len()],
        };
        for (at, partner) in pairs.iter().enumerate() {
            match *partner {
                Partner::Stays { index, .. } => order.record(index, at, false),
                Partner::Moved { index } => order.record(index, at, true),
                Partner::New => {}
            }
        }
        order.find_moved_and_changed(before, after);
        order
    }

    fn record(&mut self, index: usize, at: usize, moved: bool) {
        if let Some(place) = self.new_indices.get_mut(index) {
            *place = Some(at);
        }
        if let Some(partner) = self.old_indices.get_mut(at) {
            *partner = Some(index);
        }
        if let Some(flag) = self.moved.get_mut(index) {
            *flag = moved;
        }
    }

    /// Matches elements that were both moved and changed by their keys.
    fn find_moved_and_changed<T>(&mut self, before: &[Node<T>], after: &[Node<T>]) {
        let open = |new_indices: &[Option<usize>], at: usize| new_indices.get(at) == Some(&None);
        let mut by_key: HashMap<Key, Vec<usize>> = HashMap::new();
        for (index, node) in before.iter().enumerate() {
            if node.key != Key::default() && open(&self.new_indices, index) {
                by_key.entry(node.key).or_default().push(index);
            }
        }
        for (at, node) in after.iter().enumerate() {
            if open(&self.old_indices, at)
                && let Some(&[index]) = by_key.get(&node.key).map(Vec::as_slice)
                && open(&self.new_indices, index)
            {
                self.record(index, at, true);
            }
        }
    }

    fn new_index(&self, index: usize) -> Option<usize> {
        self.new_indices.get(index).copied().flatten()
    }

    fn has_moved(&self, index: usize) -> bool {
        self.moved.get(index) == Some(&true)
    }
}

/// Returns the elements of the merged list in order. Elements that a side deleted are included with
/// their remaining versions; the caller decides if they stay.
pub(super) fn merge_order<T: ContentEq>(
    base: &[Node<T>],
    ours: &[Node<T>],
    theirs: &[Node<T>],
) -> Vec<Entry> {
    let orders = [Order::of(base, ours), Order::of(base, theirs)];
    let [mine, other] = &orders;
    let is_frame = |index: usize| {
        let both = mine.new_index(index).is_some() && other.new_index(index).is_some();
        both && !mine.has_moved(index) && !other.has_moved(index)
    };
    let frame: Vec<usize> = (0..base.len()).filter(|&index| is_frame(index)).collect();
    let runs_of = |order: &Order, decides: &dyn Fn(usize) -> bool| {
        let mut runs: Vec<Vec<(Option<usize>, usize)>> = vec![Vec::new(); frame.len() + 1];
        let mut gap = 0;
        for (at, partner) in order.old_indices.iter().enumerate() {
            match *partner {
                Some(index) if is_frame(index) => {
                    gap = frame.partition_point(|&before| before <= index);
                }
                Some(index) if !decides(index) => {}
                index => runs.iter_mut().skip(gap).take(1).for_each(|run| run.push((index, at))),
            }
        }
        runs
    };
    let our_runs =
        runs_of(mine, &|index| other.new_index(index).is_none() || mine.has_moved(index));
    let their_runs = runs_of(other, &|index| {
        mine.new_index(index).is_none() || other.has_moved(index) && !mine.has_moved(index)
    });
    let mut entries = Vec::with_capacity(ours.len());
    for (gap, (ours_run, theirs_run)) in our_runs.into_iter().zip(their_runs).enumerate() {
        if let Some(&index) = gap.checked_sub(1).and_then(|gap| frame.get(gap)) {
            let (ours, theirs) = (mine.new_index(index), other.new_index(index));
            entries.push(Entry { base: Some(index), ours, theirs });
        }
        let mut insertions = EqualInsertions::of(theirs, &theirs_run);
        for (index, at) in ours_run {
            let inserted = match index {
                Some(index) => other.new_index(index),
                None => ours.get(at).and_then(|node| insertions.take(node)),
            };
            entries.push(Entry { base: index, ours: Some(at), theirs: inserted });
        }
        for (index, at) in theirs_run {
            if index.is_some() || insertions.matched.binary_search(&at).is_err() {
                let ours = index.and_then(|index| mine.new_index(index));
                entries.push(Entry { base: index, ours, theirs: Some(at) });
            }
        }
    }
    entries
}

/// The new elements of theirs in one gap, to which equal new elements of ours are matched in order.
struct EqualInsertions<'t, T> {
    theirs: &'t [Node<T>],
    /// Their indices by the digest of their content.
    by_digest: HashMap<u64, VecDeque<usize>>,
    /// The indices matched so far, in order.
    matched: Vec<usize>,
}

impl<'t, T: ContentEq> EqualInsertions<'t, T> {
    fn of(theirs: &'t [Node<T>], run: &[(Option<usize>, usize)]) -> Self {
        let mut by_digest: HashMap<u64, VecDeque<usize>> = HashMap::new();
        for &(_, at) in run.iter().filter(|(index, _)| index.is_none()) {
            if let Some(node) = theirs.get(at) {
                by_digest.entry(digest(&node.kind)).or_default().push_back(at);
            }
        }
        Self { theirs, by_digest, matched: Vec::new() }
    }

    /// Returns the next element with the same content as `ours`.
    fn take(&mut self, ours: &Node<T>) -> Option<usize> {
        let by_digest = self.by_digest.get_mut(&digest(&ours.kind))?;
        while by_digest.front() <= self.matched.last() && by_digest.pop_front().is_some() {}
        let at = by_digest
            .front()
            .copied()
            .filter(|at| self.theirs.get(*at).is_some_and(|theirs| theirs.content_eq(ours)))?;
        self.matched.push(at);
        Some(at)
    }
}
