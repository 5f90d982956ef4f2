//! Matches the nodes of a document to those of the previous version.
//!
//! Nodes with equal content are matched first, wherever they are: unique ones, then their
//! neighbours, then repeated ones in order. Nodes between matched ones are then matched list by
//! list, by similarity and position. Finally, similar nodes among the rest are matched.

use std::collections::HashMap;

use super::flat_document::{Entry, FlatDocument, NodeRef};
use crate::document::BlockKind;
use crate::pairing::{Words, best_pairs, common_words, longest_increasing};

/// Gaps with more pairs of nodes than this are matched in order, without computing similarity.
const SIMILARITY_LIMIT: usize = 1_000;
/// Similarity of two nodes of the same kind at the same position that share no word.
const POSITION_SCORE: u32 = 50;
/// Similarity of two nodes with equal content; greater than that of any two others.
const EQUAL_SCORE: u32 = 4_000;
/// Minimum share of words, in thousandths, that two containers at the same position must have in
/// common to be matched early.
const CONTAINER_SIMILARITY: u32 = 300;
/// Divisor for the weight of the following nodes' similarity.
const NEIGHBOUR_DIVISOR: u32 = 32;
/// Minimum share of words, in thousandths, that two nodes must have in common to be matched
/// regardless of position.
const MOVED_SIMILARITY: u32 = 600;

/// Returns, for each entry of `new`, the matching entry of `old`. Matches are unique.
pub(super) fn partners(old: &FlatDocument<'_>, new: &FlatDocument<'_>) -> Vec<Option<usize>> {
    let mut matching = Matching {
        old: &old.entries,
        new: &new.entries,
        of_new: vec![None; new.entries.len()],
        of_old: vec![None; old.entries.len()],
        words: HashMap::new(),
    };
    matching.match_equal((&old.top, &new.top));
    matching.match_lists(&old.top, &new.top, Certainty::Any);
    matching.match_children(Certainty::Any);
    if matching.match_remaining() {
        matching.match_children(Certainty::Any);
    }
    matching.of_new
}

/// The nodes that can be matched between two matched ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    /// Nodes with equal content, preferring the one with the most similar neighbour, and similar
    /// containers.
    Same,
    /// All nodes of compatible kinds.
    Any,
}

struct Matching<'e, 'd> {
    old: &'e [Entry<'d>],
    new: &'e [Entry<'d>],
    of_new: Vec<Option<usize>>,
    of_old: Vec<Option<usize>>,
    /// Cached words of entries that were compared: `true` for old entries, `false` for new ones.
    words: HashMap<(bool, usize), Vec<u64>>,
}

impl<'e, 'd> Matching<'e, 'd> {
    fn are_unmatched(&self, index: usize, at: usize) -> bool {
        self.of_old.get(index) == Some(&None) && self.of_new.get(at) == Some(&None)
    }

    /// Matches two entries that are both unmatched. If they have equal content, their descendants
    /// are matched too.
    fn match_entries(&mut self, index: usize, at: usize) {
        let (Some(old), Some(new)) = (self.old.get(index), self.new.get(at)) else { return };
        let within = |entries: &'e [Entry<'d>], at: usize, entry: &Entry<'_>| {
            entries.get(at..entry.end).unwrap_or_default()
        };
        let (held, here) = (within(self.old, index, old), within(self.new, at, new));
        let is_same = |(old, new): (&Entry<'_>, &Entry<'_>)| old.digest == new.digest;
        // A note that occurred earlier in the document has no descendants here.
        let is_whole = held.len() == here.len() && held.iter().zip(here).all(is_same);
        let size = held.len();
        for inner in 0..if is_whole { size } else { 1 } {
            let (index, at) = (index + inner, at + inner);
            if self.are_unmatched(index, at)
                && let (Some(old), Some(new)) =
                    (self.of_old.get_mut(index), self.of_new.get_mut(at))
            {
                (*old, *new) = (Some(at), Some(index));
            }
        }
    }

    fn is_equal(&self, index: usize, at: usize) -> bool {
        let digests = self.old.get(index).zip(self.new.get(at));
        digests.is_some_and(|(old, new)| old.digest == new.digest)
    }

    /// Matches nodes with equal content.
    fn match_equal(&mut self, top: (&[usize], &[usize])) {
        let free = |entries: &[Entry<'_>]| -> Vec<usize> {
            (0..entries.len()).filter(|at| entries.get(*at).is_some_and(|e| e.can_move)).collect()
        };
        let (old, new) = (free(self.old), free(self.new));
        // Matching the others can leave a single candidate, so run it twice.
        for _ in 0..2 {
            self.match_unique(&old, &new);
            self.match_neighbours(&old, &new, false);
        }
        self.match_lists(top.0, top.1, Certainty::Same);
        self.match_children(Certainty::Same);
        self.match_neighbours(&old, &new, true);
        self.match_repeated(&old, &new);
    }

    /// Matches unmatched nodes whose content occurs exactly once on either side.
    fn match_unique(&mut self, old: &[usize], new: &[usize]) {
        let mut once: HashMap<u64, (usize, usize, usize, usize)> = HashMap::new();
        for &index in old.iter().filter(|index| self.of_old.get(**index) == Some(&None)) {
            if let Some(entry) = self.old.get(index) {
                let seen = once.entry(entry.digest).or_default();
                (seen.0, seen.1) = (seen.0 + 1, index);
            }
        }
        for &at in new.iter().filter(|at| self.of_new.get(**at) == Some(&None)) {
            if let Some(seen) = self.new.get(at).and_then(|entry| once.get_mut(&entry.digest)) {
                (seen.2, seen.3) = (seen.2 + 1, at);
            }
        }
        let mut pairs: Vec<_> = once.into_values().filter(|one| one.0 == 1 && one.2 == 1).collect();
        pairs.sort_unstable_by_key(|one| one.3);
        pairs.into_iter().for_each(|(_, index, _, at)| self.match_entries(index, at));
    }

    /// Matches nodes with equal content next to matched ones. With `ends`, the ends of the document
    /// count as matched. Goes backward first, as a heading belongs to the content after it rather
    /// than before.
    fn match_neighbours(&mut self, old: &[usize], new: &[usize], ends: bool) {
        let places: HashMap<usize, usize> = (0..).zip(old).map(|(n, index)| (*index, n)).collect();
        let place_of = |this: &Self, at: usize| -> Option<usize> {
            places.get(&this.of_new.get(at).copied().flatten()?).copied()
        };
        let mut next = old.len().checked_sub(1).filter(|_| ends);
        for &at in new.iter().rev() {
            self.match_if_equal(next.and_then(|next| old.get(next)), at);
            next = place_of(self, at).and_then(|place| place.checked_sub(1));
        }
        let mut next = ends.then_some(0);
        for &at in new {
            if ends || !self.is_heading(at) {
                self.match_if_equal(next.and_then(|next| old.get(next)), at);
            }
            next = place_of(self, at).map(|place| place + 1);
        }
    }

    fn is_heading(&self, at: usize) -> bool {
        let content = self.new.get(at).map(|entry| entry.content);
        matches!(content, Some(NodeRef::Block(BlockKind::Heading(_))))
    }

    fn match_if_equal(&mut self, index: Option<&usize>, at: usize) {
        if let Some(&index) = index
            && self.are_unmatched(index, at)
            && self.is_equal(index, at)
        {
            self.match_entries(index, at);
        }
    }

    /// Matches repeated content in order: a node is matched with the first candidate after the
    /// previous match.
    fn match_repeated(&mut self, old: &[usize], new: &[usize]) {
        let mut open: HashMap<u64, std::collections::BTreeSet<usize>> = HashMap::new();
        for &index in old.iter().filter(|index| self.of_old.get(**index) == Some(&None)) {
            if let Some(entry) = self.old.get(index) {
                open.entry(entry.digest).or_default().insert(index);
            }
        }
        let mut after = 0;
        for &at in new {
            if self.of_new.get(at) == Some(&None)
                && let Some(candidates) =
                    self.new.get(at).and_then(|entry| open.get_mut(&entry.digest))
            {
                // Candidates that were matched in the meantime are skipped here.
                while let Some(index) =
                    candidates.range(after..).next().or(candidates.last()).copied()
                {
                    candidates.remove(&index);
                    if self.of_old.get(index) == Some(&None) {
                        self.match_entries(index, at);
                        break;
                    }
                }
            }
            if let Some(Some(index)) = self.of_new.get(at) {
                after = index + 1;
            }
        }
    }

    /// Matches the child lists of all matched nodes.
    fn match_children(&mut self, certainty: Certainty) {
        for at in 0..self.new.len() {
            let Some(Some(index)) = self.of_new.get(at).copied() else { continue };
            let (Some(old), Some(new)) = (self.old.get(index), self.new.get(at)) else { continue };
            for (old, new) in old.lists.iter().zip(&new.lists) {
                self.match_lists(old, new, certainty);
            }
        }
    }

    /// Matches the nodes in the gaps between the matched nodes of two lists.
    fn match_lists(&mut self, old: &[usize], new: &[usize], certainty: Certainty) {
        let places: HashMap<usize, usize> = (0..).zip(old).map(|(n, index)| (*index, n)).collect();
        let place_of = |at: &usize| {
            let index = self.of_new.get(*at).copied().flatten()?;
            places.get(&index).copied()
        };
        let known: Vec<(usize, usize)> =
            (0..).zip(new).filter_map(|(n, at)| Some((place_of(at)?, n))).collect();
        let mut open = (0, 0);
        let ends = longest_increasing(&known).into_iter().chain([(old.len(), new.len())]);
        for (old_end, new_end) in ends {
            let left = old.get(open.0..old_end).unwrap_or_default().iter().copied();
            let left: Vec<usize> =
                left.filter(|index| self.of_old.get(*index) == Some(&None)).collect();
            let right = new.get(open.1..new_end).unwrap_or_default().iter().copied();
            let right: Vec<usize> =
                right.filter(|at| self.of_new.get(*at) == Some(&None)).collect();
            for (index, at) in self.most_similar(&left, &right) {
                if certainty == Certainty::Any || self.is_certain(index, at) {
                    self.match_entries(index, at);
                }
            }
            open = (old_end + 1, new_end + 1);
        }
    }

    /// Returns `true` if two nodes have equal content, or are containers with similar content.
    fn is_certain(&mut self, index: usize, at: usize) -> bool {
        let holds = |entries: &[Entry<'_>], at: usize| {
            let held = |list: &Vec<usize>| {
                list.iter().any(|at| entries.get(*at).is_some_and(|entry| entry.can_move))
            };
            entries.get(at).is_some_and(|entry| entry.lists.iter().any(held))
        };
        self.is_equal(index, at)
            || (holds(self.old, index)
                && holds(self.new, at)
                && self.common_words(index, at) >= CONTAINER_SIMILARITY)
    }

    /// Returns the most similar pairs of nodes, in order.
    fn most_similar(&mut self, left: &[usize], right: &[usize]) -> Vec<(usize, usize)> {
        if left.is_empty() || right.is_empty() {
            return Vec::new();
        }
        if left.len() * right.len() > SIMILARITY_LIMIT {
            return self.in_order(left, right);
        }
        let mut values = vec![0_u32; left.len() * right.len()];
        for (n, value) in values.iter_mut().enumerate() {
            if let (Some(index), Some(at)) = (left.get(n / right.len()), right.get(n % right.len()))
            {
                *value = self.similarity(*index, *at);
            }
        }
        let value_of = |l: usize, r: usize| {
            if r < right.len() { values.get(l * right.len() + r).copied().unwrap_or(0) } else { 0 }
        };
        // Among equals, prefer the one whose following node is equal too.
        let similarity = |l: usize, r: usize| match value_of(l, r) {
            0 => 0,
            value => value + value_of(l + 1, r + 1) / NEIGHBOUR_DIVISOR,
        };
        best_pairs(left, right, similarity)
    }

    /// Returns pairs of nodes with equal content, else of the same kind, in order.
    fn in_order(&self, left: &[usize], right: &[usize]) -> Vec<(usize, usize)> {
        let kind = |entries: &[Entry<'_>], at: usize| entries.get(at).map(|entry| entry.kind);
        let mut pairs = Vec::new();
        let mut same: HashMap<u64, Vec<usize>> = HashMap::new();
        for (n, index) in left.iter().enumerate().rev() {
            if let Some(entry) = self.old.get(*index) {
                same.entry(entry.digest).or_default().push(n);
            }
        }
        let mut known = Vec::new();
        for (n, at) in right.iter().enumerate() {
            let found = self.new.get(*at).and_then(|entry| same.get_mut(&entry.digest));
            known.extend(found.and_then(Vec::pop).map(|place| (place, n)));
        }
        let mut open = (0, 0);
        let ends = longest_increasing(&known).into_iter().chain([(left.len(), right.len())]);
        for (old_end, new_end) in ends {
            let old = left.get(open.0..old_end).unwrap_or_default();
            let new = right.get(open.1..new_end).unwrap_or_default();
            let between = old.iter().zip(new).map(|(index, at)| (*index, *at));
            pairs.extend(
                between.filter(|(index, at)| kind(self.old, *index) == kind(self.new, *at)),
            );
            pairs.extend(left.get(old_end).copied().zip(right.get(new_end).copied()));
            open = (old_end + 1, new_end + 1);
        }
        pairs
    }

    /// Returns the similarity of two unmatched nodes.
    fn similarity(&mut self, index: usize, at: usize) -> u32 {
        let (Some(old), Some(new)) = (self.old.get(index), self.new.get(at)) else { return 0 };
        if old.digest == new.digest {
            return EQUAL_SCORE;
        }
        if old.kind == new.kind {
            return POSITION_SCORE + self.common_words(index, at);
        }
        let is_text = |entry: &Entry<'_>| {
            matches!(entry.content, NodeRef::Block(BlockKind::Paragraph(_) | BlockKind::Heading(_)))
        };
        let common_words =
            if is_text(old) && is_text(new) { self.common_words(index, at) } else { 0 };
        if common_words >= MOVED_SIMILARITY { common_words } else { 0 }
    }

    /// Returns the share of words that two nodes have in common, in thousandths.
    fn common_words(&mut self, index: usize, at: usize) -> u32 {
        let (old, new) = (self.old, self.new);
        for (key, content) in [
            ((true, index), old.get(index).map(|entry| entry.content)),
            ((false, at), new.get(at).map(|entry| entry.content)),
        ] {
            let words = || {
                Words::of(|words| {
                    content.into_iter().for_each(|content| content.hash_content(words))
                })
            };
            self.words.entry(key).or_insert_with(words);
        }
        match (self.words.get(&(true, index)), self.words.get(&(false, at))) {
            (Some(old), Some(new)) => common_words(old, new),
            _ => 0,
        }
    }

    /// Matches nodes that were both moved and edited, if few are left. Returns `true` if it found
    /// any.
    fn match_remaining(&mut self) -> bool {
        let left: Vec<usize> = (0..self.old.len())
            .filter(|index| self.of_old.get(*index) == Some(&None))
            .filter(|index| self.old.get(*index).is_some_and(|entry| entry.can_move))
            .collect();
        let right: Vec<usize> = (0..self.new.len())
            .filter(|at| self.of_new.get(*at) == Some(&None))
            .filter(|at| self.new.get(*at).is_some_and(|entry| entry.can_move))
            .collect();
        if left.len() * right.len() > SIMILARITY_LIMIT {
            return false;
        }
        let mut pairs = Vec::new();
        for &at in &right {
            for &index in &left {
                let value = self.similarity(index, at);
                if value >= POSITION_SCORE + MOVED_SIMILARITY {
                    pairs.push((value, index, at));
                }
            }
        }
        pairs.sort_by_key(|&(value, index, at)| (std::cmp::Reverse(value), at, index));
        for &(_, index, at) in &pairs {
            if self.are_unmatched(index, at) {
                self.match_entries(index, at);
            }
        }
        !pairs.is_empty()
    }
}
