//! Matches the blocks of an edited document to those of the previous version: by key, then by
//! content, then by similarity within the gaps between matched blocks.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use crate::document::equality::{ContentEq, digest};
use crate::document::{Key, Node};

/// Gaps with more pairs of blocks than this are matched in order, without computing similarity.
const SIMILARITY_LIMIT: usize = 2_500;
/// Maximum number of equal nodes examined on either side of a node.
const DUPLICATE_LIMIT: usize = 32;
/// Maximum number of words of a block that are compared.
const WORD_LIMIT: usize = 512;

/// The counterpart in the old list of a node in the new list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Partner {
    /// None: the node is new.
    New,
    /// The node at this index, which keeps its order among the other nodes that stay.
    Stays {
        /// The index in the old list.
        index: usize,
        /// `true` if both have the same content.
        same: bool,
    },
    /// The node at this index, which has the same content at another position.
    Moved {
        /// The index in the old list.
        index: usize,
    },
}

/// Matches two lists of nodes.
pub(crate) fn pair<T: ContentEq>(before: &[Node<T>], after: &[Node<T>]) -> Vec<Partner> {
    let digests = |nodes: &[Node<T>]| nodes.iter().map(|n| digest(&n.kind)).collect::<Vec<_>>();
    let (old, new) = (digests(before), digests(after));
    let mut partners = vec![Partner::New; after.len()];
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let most = old.len().min(new.len()) - start;
    let ends = old.iter().rev().zip(new.iter().rev()).take(most);
    let end = ends.take_while(|(old, new)| old == new).count();
    // Among adjacent nodes with equal content, the keys identify the counterparts.
    let is_other = |index: usize, at: usize| {
        after.get(at).is_some_and(|n| has_neighbour_key(before, &old, index, n))
    };
    let start = start - (0..start).rev().take_while(|&at| is_other(at, at)).count();
    let ends =
        (0..end).rev().take_while(|from| is_other(old.len() - from - 1, new.len() - from - 1));
    let end = end - ends.count();
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    for (at, partner) in partners.iter_mut().enumerate() {
        if at < start {
            *partner = Partner::Stays { index: at, same: true };
        } else if at >= new_end {
            *partner = Partner::Stays { index: at + old_end - new_end, same: true };
        }
    }
    let known = known_pairs(before, after, (&old, &new), (start..old_end, start..new_end));
    let stays = longest_increasing(&known);
    let mut open = (start, start);
    let mut fixed = stays.iter().copied().chain([(old_end, new_end)]);
    let mut taken = vec![false; before.len()];
    known.iter().for_each(|&(index, _)| mark(&mut taken, index));
    for &(index, at) in &known {
        let same = old.get(index) == new.get(at);
        if let Some(partner) = partners.get_mut(at) {
            *partner = if stays.binary_search_by_key(&at, |&(_, at)| at).is_ok() {
                Partner::Stays { index, same }
            } else if same {
                Partner::Moved { index }
            } else {
                Partner::New
            };
        }
    }
    loop {
        let Some((index, at)) = fixed.next() else {
            return partners;
        };
        let left: Vec<usize> = (open.0..index).filter(|&i| taken.get(i) == Some(&false)).collect();
        let right: Vec<usize> =
            (open.1..at).filter(|&at| partners.get(at) == Some(&Partner::New)).collect();
        for (index, at) in most_similar(before, after, &left, &right) {
            if let Some(partner) = partners.get_mut(at) {
                *partner = Partner::Stays { index, same: false };
            }
        }
        open = (index + 1, at + 1);
    }
}

/// Returns `true` if a node has the key of another old node with equal content in the same run as
/// the node at `index`.
fn has_neighbour_key<T>(before: &[Node<T>], digests: &[u64], index: usize, node: &Node<T>) -> bool {
    let key_of = |at: usize| before.get(at).map(|node| node.key);
    if node.key == Key::default() || key_of(index) == Some(node.key) {
        return false;
    }
    let own = digests.get(index);
    let is_like = |at: &usize| digests.get(*at) == own;
    let above = (0..index).rev().take_while(is_like).take(DUPLICATE_LIMIT);
    let below = (index + 1..before.len()).take_while(is_like).take(DUPLICATE_LIMIT);
    above.chain(below).any(|at| key_of(at) == Some(node.key))
}

fn mark(taken: &mut [bool], index: usize) {
    if let Some(taken) = taken.get_mut(index) {
        *taken = true;
    }
}

/// Returns the pairs that key or content determine, sorted by the new index.
fn known_pairs<T>(
    before: &[Node<T>],
    after: &[Node<T>],
    (old, new): (&[u64], &[u64]),
    (old_range, new_range): (std::ops::Range<usize>, std::ops::Range<usize>),
) -> Vec<(usize, usize)> {
    let mut by_key: HashMap<Key, Vec<usize>> = HashMap::new();
    let mut by_digest: HashMap<u64, Vec<usize>> = HashMap::new();
    for index in old_range.rev() {
        if let (Some(node), Some(digest)) = (before.get(index), old.get(index)) {
            by_key.entry(node.key).or_default().push(index);
            by_digest.entry(*digest).or_default().push(index);
        }
    }
    let mut taken = vec![false; before.len()];
    let mut pairs = Vec::new();
    let mut rest = Vec::new();
    for at in new_range {
        let key = after.get(at).map(|node| node.key).filter(|key| *key != Key::default());
        let found = key.and_then(|key| by_key.get(&key)).filter(|found| found.len() == 1);
        let found = found.and_then(|found| found.first().copied());
        match found.filter(|&index| taken.get(index) == Some(&false)) {
            Some(index) => {
                mark(&mut taken, index);
                pairs.push((index, at));
            }
            None => rest.push(at),
        }
    }
    for at in rest {
        let Some(candidates) = new.get(at).and_then(|digest| by_digest.get_mut(digest)) else {
            continue;
        };
        while let Some(index) = candidates.pop() {
            if taken.get(index) == Some(&false) {
                mark(&mut taken, index);
                pairs.push((index, at));
                break;
            }
        }
    }
    pairs.sort_by_key(|&(_, at)| at);
    pairs
}

/// Returns the longest subsequence of pairs in which both indices increase.
pub(crate) fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; pairs.len()];
    let index_of = |n: usize| pairs.get(n).map_or(0, |&(index, _)| index);
    for (n, &(index, _)) in pairs.iter().enumerate() {
        let place = tails.partition_point(|&tail| index_of(tail) < index);
        let before = place.checked_sub(1).and_then(|place| tails.get(place).copied());
        if let Some(previous) = previous.get_mut(n) {
            *previous = before;
        }
        match tails.get_mut(place) {
            Some(tail) => *tail = n,
            None => tails.push(n),
        }
    }
    let mut rising = Vec::with_capacity(tails.len());
    let mut at = tails.last().copied();
    while let Some(n) = at {
        rising.extend(pairs.get(n));
        at = previous.get(n).copied().flatten();
    }
    rising.reverse();
    rising
}

/// Returns the most similar pairs of nodes of the same kind, in order.
fn most_similar<T: ContentEq>(
    before: &[Node<T>],
    after: &[Node<T>],
    left: &[usize],
    right: &[usize],
) -> Vec<(usize, usize)> {
    let kind_of = |nodes: &[Node<T>], index: usize| nodes.get(index).map(|n| n.kind.variant());
    let is_kin = |l: usize, r: usize| kind_of(before, l) == kind_of(after, r);
    if left.len() * right.len() > SIMILARITY_LIMIT || left.len() == right.len() {
        let in_order = left.iter().copied().zip(right.iter().copied());
        let pairs: Vec<_> = in_order.filter(|&(l, r)| is_kin(l, r)).collect();
        if left.len() * right.len() > SIMILARITY_LIMIT || pairs.len() == left.len() {
            return pairs;
        }
    }
    let sketch = |nodes: &[Node<T>], index: &usize| nodes.get(*index).map(|n| words(&n.kind));
    let old: Vec<_> = left.iter().filter_map(|index| sketch(before, index)).collect();
    let new: Vec<_> = right.iter().filter_map(|index| sketch(after, index)).collect();
    let similarity = |l: usize, r: usize| match (left.get(l), right.get(r), old.get(l), new.get(r))
    {
        (Some(&at), Some(&to), Some(old), Some(new)) if is_kin(at, to) => {
            50 + common_words(old, new)
        }
        _ => 0,
    };
    best_pairs(left, right, similarity)
}

/// Returns the pairs, in order in both lists, with the largest total similarity. A similarity of 0
/// means that the nodes do not match.
pub(crate) fn best_pairs(
    left: &[usize],
    right: &[usize],
    similarity: impl Fn(usize, usize) -> u32,
) -> Vec<(usize, usize)> {
    let width = right.len() + 1;
    let mut best = vec![0_u32; width * (left.len() + 1)];
    let value = |best: &[u32], l: usize, r: usize| best.get(l * width + r).copied().unwrap_or(0);
    for l in (0..left.len()).rev() {
        for r in (0..right.len()).rev() {
            let alike = similarity(l, r);
            let paired = if alike > 0 { alike + value(&best, l + 1, r + 1) } else { 0 };
            let most = paired.max(value(&best, l + 1, r)).max(value(&best, l, r + 1));
            if let Some(slot) = best.get_mut(l * width + r) {
                *slot = most;
            }
        }
    }
    let mut pairs = Vec::new();
    let (mut l, mut r) = (0, 0);
    while let (Some(&index), Some(&at)) = (left.get(l), right.get(r)) {
        let alike = similarity(l, r);
        let here = value(&best, l, r);
        if alike > 0 && here == alike + value(&best, l + 1, r + 1) {
            pairs.push((index, at));
            (l, r) = (l + 1, r + 1);
        } else if here == value(&best, l + 1, r) {
            l += 1;
        } else {
            r += 1;
        }
    }
    pairs
}

/// Returns the sorted digests of the words of a node.
fn words(content: &impl ContentEq) -> Vec<u64> {
    Words::of(|words| content.hash_content(words))
}

/// A hasher that collects the words fed to it.
pub(crate) struct Words(Vec<u64>);

impl Words {
    /// Returns the sorted digests of the words fed by `feed`.
    pub(crate) fn of(feed: impl FnOnce(&mut Self)) -> Vec<u64> {
        let mut words = Self(Vec::new());
        feed(&mut words);
        words.0.sort_unstable();
        words.0
    }
}

impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.split(|b| b.is_ascii_whitespace() || b.is_ascii_punctuation()) {
            if word.len() > 1 && self.0.len() < WORD_LIMIT {
                let mut hasher = std::hash::DefaultHasher::new();
                word.hash(&mut hasher);
                self.0.push(hasher.finish());
            }
        }
    }

    fn write_usize(&mut self, _: usize) {}
    fn write_isize(&mut self, _: isize) {}
    fn write_u64(&mut self, _: u64) {}
    fn write_u8(&mut self, _: u8) {}

    fn finish(&self) -> u64 {
        0
    }
}

/// Returns the share of words that two sorted lists have in common, in thousandths.
pub(crate) fn common_words(left: &[u64], right: &[u64]) -> u32 {
    let (mut l, mut r, mut count) = (0, 0, 0_usize);
    while let (Some(a), Some(b)) = (left.get(l), right.get(r)) {
        match a.cmp(b) {
            std::cmp::Ordering::Less => l += 1,
            std::cmp::Ordering::Greater => r += 1,
            std::cmp::Ordering::Equal => (l, r, count) = (l + 1, r + 1, count + 1),
        }
    }
    let most = left.len().max(right.len()).max(1);
    u32::try_from(count * 1000 / most).unwrap_or(0)
}
