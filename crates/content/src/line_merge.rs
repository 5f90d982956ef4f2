//! Merges the changes that two sides made to the lines of a text.

use std::collections::HashMap;
use std::ops::Range;

use crate::subsequence::runs;

/// Lines of the base that one side replaced by other lines.
#[derive(Clone, PartialEq, Eq)]
struct Hunk {
    base: Range<usize>,
    side: Range<usize>,
}

/// Merges two versions of `base` line by line. Returns `None` if both sides changed the same lines,
/// or lines next to each other, in different ways.
#[must_use]
pub fn merge(base: &str, ours: &str, theirs: &str) -> Option<String> {
    if ours == theirs || theirs == base {
        return Some(ours.to_owned());
    }
    if ours == base {
        return Some(theirs.to_owned());
    }
    let [base, ours, theirs] =
        [base, ours, theirs].map(|text| -> Vec<&str> { text.split_inclusive('\n').collect() });
    let mut numbers = HashMap::new();
    let [of_base, of_ours, of_theirs] = [&base, &ours, &theirs].map(|lines| {
        let mut number = |line| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(line).or_insert(next)
        };
        lines.iter().map(|line| number(*line)).collect::<Vec<u32>>()
    });
    let (mine, yours) = (hunks(&of_base, &of_ours), hunks(&of_base, &of_theirs));
    let mut merged = String::new();
    let mut at = 0;
    let (mut mine, mut yours) = (mine.into_iter().peekable(), yours.into_iter().peekable());
    loop {
        let (hunk, lines) = match (mine.peek(), yours.peek()) {
            (None, None) => break,
            (Some(own), Some(other))
                if own.base.start <= other.base.end && other.base.start <= own.base.end =>
            {
                let same = own.base == other.base
                    && ours.get(own.side.clone()) == theirs.get(other.side.clone());
                if !same {
                    return None;
                }
                yours.next();
                (mine.next()?, &ours)
            }
            (Some(own), Some(other)) if other.base.start < own.base.start => {
                (yours.next()?, &theirs)
            }
            (Some(_), _) => (mine.next()?, &ours),
            (None, Some(_)) => (yours.next()?, &theirs),
        };
        merged.extend(base.get(at..hunk.base.start)?.iter().copied());
        merged.extend(lines.get(hunk.side)?.iter().copied());
        at = hunk.base.end;
    }
    merged.extend(base.get(at..)?.iter().copied());
    Some(merged)
}

/// Returns the numbers of lines that were added to and removed from a text.
#[must_use]
pub fn changed_lines(old: &str, new: &str) -> (usize, usize) {
    let mut numbers = HashMap::new();
    let [old, new] = [old, new].map(|text| {
        let mut number = |line| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(line).or_insert(next)
        };
        text.split_inclusive('\n').map(&mut number).collect::<Vec<u32>>()
    });
    hunks(&old, &new).iter().fold((0, 0), |(added, removed), Hunk { base, side }| {
        (added + side.len(), removed + base.len())
    })
}

/// Returns the parts in which `side` differs from `base`, in order.
fn hunks(base: &[u32], side: &[u32]) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let mut at = (0, 0);
    let end = (base.len(), side.len(), 0);
    for (old, new, length) in runs(base, side).into_iter().chain([end]) {
        if at != (old, new) {
            hunks.push(Hunk { base: at.0..old, side: at.1..new });
        }
        at = (old + length, new + length);
    }
    hunks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{changed_lines, merge};

    const BASE: &str = "1\n2\n3\n4\n5\n";

    #[test]
    fn separate_changes_are_merged() {
        let merged = merge(BASE, "0\n1\n2\n3\n4\n5\n", "1\n2\n3\nfour\n5\n6\n");
        assert_eq!(merged.as_deref(), Some("0\n1\n2\n3\nfour\n5\n6\n"));
        let merged = merge(BASE, "1\n3\n4\n5\n", "1\n2\n3\n4\n");
        assert_eq!(merged.as_deref(), Some("1\n3\n4\n"));
    }

    #[test]
    fn equal_changes_are_merged() {
        let both = "1\ntwo\n3\n4\n5\n";
        assert_eq!(
            merge(BASE, both, "1\ntwo\n3\n4\nfive\n").as_deref(),
            Some("1\ntwo\n3\n4\nfive\n")
        );
        assert_eq!(merge(BASE, both, both).as_deref(), Some(both));
    }

    #[test]
    fn overlapping_changes_are_conflicts() {
        assert_eq!(merge(BASE, "1\ntwo\n3\n4\n5\n", "1\nII\n3\n4\n5\n"), None);
        assert_eq!(merge(BASE, "1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\nsix\n"), None);
        assert_eq!(merge(BASE, "1\ntwo\n3\n4\n5\n", "1\n2\nthree\n4\n5\n"), None);
        assert_eq!(merge("", "a\n", "b\n"), None);
        // The last line changes with the line end after it.
        assert_eq!(merge("1", "1\n2\n", "one"), None);
    }

    #[test]
    fn changed_lines_are_counted() {
        for (new, expected) in [
            (BASE, (0, 0)),
            ("", (0, 5)),
            ("0\n1\n2\n3\n4\n5\n", (1, 0)),
            ("1\ntwo\nand a half\n3\n4\n", (2, 2)),
            ("1\n2\n3\n4\n5", (1, 1)),
        ] {
            assert_eq!(changed_lines(BASE, new), expected, "{new:?}");
        }
        assert_eq!(changed_lines("", BASE), (5, 0));
    }

    proptest! {
        #[test]
        fn one_sided_changes_are_kept(base in "[ab\n]{0,20}", side in "[abc\n]{0,20}") {
            prop_assert_eq!(merge(&base, &side, &base), Some(side.clone()));
            prop_assert_eq!(merge(&base, &base, &side), Some(side.clone()));
            prop_assert_eq!(merge(&base, &side, &side), Some(side));
        }

        #[test]
        fn both_orders_agree(
            base in "[ab\n]{0,20}", ours in "[abc\n]{0,20}", theirs in "[abd\n]{0,20}"
        ) {
            prop_assert_eq!(merge(&base, &ours, &theirs), merge(&base, &theirs, &ours));
        }
    }
}
