//! Common subsequences of two texts, computed with bounded work.

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::pairing::longest_increasing;
use crate::work;

/// Maximum number of pieces compared in full between two certain matches; longer stretches are
/// compared only from their ends. The work grows with the square.
const PIECE_LIMIT: usize = 1_000;

/// Returns the equal stretches of two texts: the start of each in both, and its length. They are in
/// order in both texts, and no two of them touch.
pub fn runs(old: &[u32], new: &[u32]) -> Vec<(usize, usize, usize)> {
    let mut runs = Runs::default();
    let (start, end) = equal_ends(old, new);
    runs.add(0, 0, start);
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    let inner = (piece_range(old, start, old_end), piece_range(new, start, new_end));
    let mut from = (start, start);
    for (l, r) in unique_pairs(inner.0, inner.1) {
        let (l, r) = (start + l, start + r);
        runs.between((old, from.0, l), (new, from.1, r));
        runs.add(l, r, 1);
        from = (l + 1, r + 1);
    }
    runs.between((old, from.0, old_end), (new, from.1, new_end));
    runs.add(old_end, new_end, end);
    runs.0
}

#[derive(Default)]
struct Runs(Vec<(usize, usize, usize)>);

impl Runs {
    fn add(&mut self, old: usize, new: usize, length: usize) {
        match self.0.last_mut() {
            _ if length == 0 => {}
            Some(last) if last.0 + last.2 == old && last.1 + last.2 == new => last.2 += length,
            _ => self.0.push((old, new, length)),
        }
    }

    /// Adds the equal stretches within a range of both texts. Each argument holds the text, the
    /// start and the end.
    fn between(&mut self, old: (&[u32], usize, usize), new: (&[u32], usize, usize)) {
        let (left, right) = (piece_range(old.0, old.1, old.2), piece_range(new.0, new.1, new.2));
        let (start, end) = equal_ends(left, right);
        self.add(old.1, new.1, start);
        let (left_end, right_end) = (left.len() - end, right.len() - end);
        let (left, right) =
            (piece_range(left, start, left_end), piece_range(right, start, right_end));
        let pieces = left.len() + right.len();
        if pieces <= PIECE_LIMIT {
            work::spend(pieces * pieces / 64);
            for op in capture_diff_slices(Algorithm::Myers, left, right) {
                if let DiffOp::Equal { old_index, new_index, len } = op {
                    self.add(old.1 + start + old_index, new.1 + start + new_index, len);
                }
            }
        }
        self.add(old.1 + left_end, new.1 + right_end, end);
    }
}

fn piece_range(pieces: &[u32], from: usize, to: usize) -> &[u32] {
    pieces.get(from..to).unwrap_or_default()
}

/// Returns the number of equal pieces at the start of two texts, and at the end of the remainder.
fn equal_ends(old: &[u32], new: &[u32]) -> (usize, usize) {
    work::spend(old.len().min(new.len()));
    let start = old.iter().zip(new).take_while(|(l, r)| l == r).count();
    let most = old.len().min(new.len()) - start;
    let ends = old.iter().rev().zip(new.iter().rev()).take(most);
    (start, ends.take_while(|(l, r)| l == r).count())
}

/// Returns the longest sequence of pairs, in order in both texts, of pieces that occur exactly once
/// in each.
fn unique_pairs(old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
    let once = |pieces: &[u32]| {
        let mut places: HashMap<u32, Option<usize>> = HashMap::new();
        for (at, piece) in pieces.iter().enumerate() {
            places.entry(*piece).and_modify(|place| *place = None).or_insert(Some(at));
        }
        places
    };
    let (old_places, new_places) = (once(old), once(new));
    let mut pairs: Vec<(usize, usize)> = old_places
        .into_iter()
        .filter_map(|(piece, at)| at.zip(new_places.get(&piece).copied().flatten()))
        .collect();
    pairs.sort_unstable_by_key(|&(_, at)| at);
    longest_increasing(&pairs)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ids(text: &str) -> Vec<u32> {
        text.chars().map(u32::from).collect()
    }

    #[test]
    fn equal_runs_are_found() {
        for (old, new, expected) in [
            ("", "", vec![]),
            ("abc", "abc", vec![(0, 0, 3)]),
            ("abc", "xyz", vec![]),
            ("abc", "abxc", vec![(0, 0, 2), (2, 3, 1)]),
            ("abcd", "bcda", vec![(1, 0, 3)]),
            ("a-b-c-d", "a-b-x-d", vec![(0, 0, 4), (5, 5, 2)]),
            ("--a--", "-a----", vec![(0, 0, 1), (2, 1, 1), (3, 4, 2)]),
        ] {
            assert_eq!(runs(&ids(old), &ids(new)), expected, "{old} {new}");
        }
    }

    #[test]
    fn repetitive_texts_take_linear_work() {
        let work = |length: usize| {
            let text = |names: [u32; 3]| -> Vec<u32> {
                (0..length).map(|at| names[at % 7 % 3]).chain([9]).collect()
            };
            let (old, new) = (text([1, 2, 3]), text([3, 1, 4]));
            work::measure(|| assert_eq!(runs(&old, &new).last(), Some(&(length, length, 1))))
        };
        let (once, twice) = (work(100_000), work(200_000));
        assert!(twice <= 2 * once + 1000, "{once} {twice}");
        assert!(twice < 100 * 200_000, "{twice}");
    }

    proptest! {
        #[test]
        fn runs_are_equal_and_in_order(old in "[a-d]{0,40}", new in "[a-d]{0,40}") {
            let (old, new) = (ids(&old), ids(&new));
            let mut end = (0, 0);
            for (l, r, length) in runs(&old, &new) {
                prop_assert!(l >= end.0 && r >= end.1 && length > 0);
                prop_assert!((l, r) != end || end == (0, 0));
                prop_assert_eq!(&old[l..l + length], &new[r..r + length]);
                end = (l + length, r + length);
            }
        }
    }
}
