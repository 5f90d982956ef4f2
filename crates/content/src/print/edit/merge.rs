//! Applies the difference between two printed texts to the source of the first. The source keeps
//! its own spelling outside the difference.
//!
//! For example, the source `__a__ b \(c\)` prints as `**a** b (c)`. If the new text is `**a** b
//! (d)`, the merged source is `__a__ b \(d\)`.

use super::source::without;
use super::token::{Token, words};
use crate::work;

/// Maximum number of differences for which the shortest difference is computed.
const MAX_DIFFERENCES: usize = 600;
/// Maximum number of differences between two runs of equal tokens in texts with more differences.
const MAX_LOCAL_DIFFERENCES: usize = 400;
/// The number of equal tokens after which texts with many differences are considered aligned.
const ALIGNED_RUN: usize = 24;
/// Maximum number of steps for texts with many differences.
const MAX_STEPS: usize = 1 << 20;

/// Maximum length of a text that is merged word by word, in bytes. A merge takes up to 900 times as
/// much memory.
const MAX_WORD_MERGE_BYTES: usize = 64 << 10;

/// The unit into which a text is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Granularity {
    /// Words, punctuation characters, and runs of whitespace.
    Words,
    /// Lines.
    Lines,
}

/// A part of a merged text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'t> {
    /// Text of the source, byte for byte.
    Kept(&'t str),
    /// New text.
    New(&'t str),
}

/// Applies the difference from `before` to `after` to `source`. Returns `None` if the texts are too
/// different. `prefix` is a line prefix of the source that the other texts lack.
pub(super) fn merge<'t>(
    source: &'t str,
    before: &'t str,
    after: &'t str,
    granularity: Granularity,
    prefix: &str,
) -> Option<Vec<Part<'t>>> {
    if granularity == Granularity::Words && source.len() > MAX_WORD_MERGE_BYTES {
        return None;
    }
    let source_tokens = tokens(source, granularity, prefix);
    let (before, after) = (tokens(before, granularity, ""), tokens(after, granularity, ""));
    let in_source = matches(&before, &source_tokens, Token::is_alike)?;
    let in_after = matches(&before, &after, Token::is_same)?;
    let mut parts = Vec::new();
    let mut done = 0;
    for hunk in hunks(&in_after, before.len(), after.len()) {
        let (from, to, new) = widen(hunk, &in_source, &in_after, source_tokens.len(), after.len());
        if from < done {
            return None;
        }
        parts.extend(source_tokens.get(done..from)?.iter().map(|token| Part::Kept(token.text)));
        parts.extend(after.get(new)?.iter().map(|token| Part::New(token.text)));
        done = to.max(from);
    }
    parts.extend(source_tokens.get(done..)?.iter().map(|token| Part::Kept(token.text)));
    Some(parts)
}

fn tokens<'t>(text: &'t str, granularity: Granularity, prefix: &str) -> Vec<Token<'t>> {
    if granularity == Granularity::Words {
        return words(text);
    }
    let lines = text.split_inclusive('\n').flat_map(by_returns).enumerate();
    let lines = lines.map(|(index, text)| {
        let line = text.trim_end_matches(['\n', '\r']);
        Token::line(text, if index > 0 { without(line, prefix) } else { line })
    });
    lines.collect()
}

/// Splits a line at its lone carriage returns, each of which ends a line.
fn by_returns(line: &str) -> impl Iterator<Item = &str> {
    let own = match line.strip_suffix('\n') {
        Some(text) => text.strip_suffix('\r').unwrap_or(text).len(),
        None => line.len(),
    };
    let mut from = 0;
    let ends = line.match_indices('\r').map(|(at, _)| at + 1).filter(move |at| *at <= own);
    let ends = ends.chain([line.len()]);
    ends.filter_map(move |to| {
        let piece = line.get(from..to).filter(|piece| !piece.is_empty());
        from = to;
        piece
    })
}

/// A range of `before` and the range of `after` that replaces it.
#[derive(Debug, Clone, Copy)]
struct Hunk {
    before: (usize, usize),
    after: (usize, usize),
}

/// Returns the ranges in which a text differs from the text that it was matched with.
fn hunks(matched: &[Option<usize>], before: usize, after: usize) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let (mut from, mut to) = (0, 0);
    let ends = matched.iter().enumerate().filter_map(|(index, at)| at.map(|at| (index, at)));
    for (index, at) in ends.chain([(before, after)]) {
        if from < index || to < at {
            hunks.push(Hunk { before: (from, index), after: (to, at) });
        }
        (from, to) = (index + 1, at + 1);
    }
    hunks
}

/// Returns the range of the source that a hunk affects, and its replacement, widened to tokens that
/// both texts share.
fn widen(
    hunk: Hunk,
    in_source: &[Option<usize>],
    in_after: &[Option<usize>],
    source_length: usize,
    after_length: usize,
) -> (usize, usize, std::ops::Range<usize>) {
    let place = |index: usize| in_source.get(index).copied().flatten();
    let ((mut first, mut last), (mut new_first, mut new_last)) = (hunk.before, hunk.after);
    let is_insertion = first == last;
    let from = loop {
        if is_insertion && first == in_source.len() {
            break source_length;
        }
        if let Some(at) = place(first).filter(|_| !is_insertion) {
            break at;
        }
        let Some(previous) = first.checked_sub(1) else {
            break 0;
        };
        if let Some(at) = place(previous) {
            break at + 1;
        }
        first = previous;
        new_first = in_after.get(previous).copied().flatten().unwrap_or(new_first);
    };
    let to = loop {
        if is_insertion && first == hunk.before.0 && last == hunk.before.1 {
            // An insertion directly follows the token before it.
            break from;
        }
        if let Some(at) = last.checked_sub(1).and_then(place).filter(|_| last > first) {
            break at + 1;
        }
        if last >= in_source.len() {
            break source_length;
        }
        if let Some(at) = place(last) {
            break at;
        }
        new_last = in_after.get(last).copied().flatten().map_or(new_last, |at| at + 1);
        last += 1;
    };
    (from, to.max(from), new_first..new_last.max(new_first).min(after_length))
}

/// Returns the index in `right` that matches each token of `left`, in order, along the shortest
/// difference (Myers' algorithm). Returns `None` if there are too many differences.
fn matches<'t>(
    left: &[Token<'t>],
    right: &[Token<'t>],
    equal: impl Fn(&Token<'t>, &Token<'t>) -> bool,
) -> Option<Vec<Option<usize>>> {
    let mut matched = vec![None; left.len()];
    let start = left.iter().zip(right).take_while(|(l, r)| equal(l, r)).count();
    let limit = left.len().min(right.len()) - start;
    let end = left
        .iter()
        .rev()
        .zip(right.iter().rev())
        .take(limit)
        .take_while(|(l, r)| equal(l, r))
        .count();
    for (at, slot) in matched.iter_mut().enumerate() {
        if at < start {
            *slot = Some(at);
        } else if at >= left.len() - end {
            *slot = Some(at + right.len() - left.len());
        }
    }
    let old = left.get(start..left.len() - end)?;
    let new = right.get(start..right.len() - end)?;
    for (l, r) in shortest(old, new, &equal).or_else(|| aligned(old, new, &equal))? {
        if let Some(slot) = matched.get_mut(start + l) {
            *slot = Some(start + r);
        }
    }
    Some(matched)
}

/// Returns the pairs of equal tokens along the shortest difference.
fn shortest<'t>(
    old: &[Token<'t>],
    new: &[Token<'t>],
    equal: &impl Fn(&Token<'t>, &Token<'t>) -> bool,
) -> Option<Pairs> {
    let mut steps = usize::MAX;
    let search = Search { limit: MAX_DIFFERENCES, run: usize::MAX };
    search.pairs(old, new, equal, &mut steps).map(|(pairs, _)| pairs)
}

/// Returns pairs of equal tokens of texts with many differences, from each long run of equal tokens
/// to the next. The difference may not be the shortest, and the work is bounded.
fn aligned<'t>(
    old: &[Token<'t>],
    new: &[Token<'t>],
    equal: &impl Fn(&Token<'t>, &Token<'t>) -> bool,
) -> Option<Pairs> {
    let search = Search { limit: MAX_LOCAL_DIFFERENCES, run: ALIGNED_RUN };
    let (mut pairs, mut from, mut steps) = (Vec::new(), (0, 0), MAX_STEPS);
    while from != (old.len(), new.len()) {
        let (rest, new_rest) = (old.get(from.0..)?, new.get(from.1..)?);
        let (found, end) = search.pairs(rest, new_rest, equal, &mut steps)?;
        pairs.extend(found.into_iter().map(|(l, r)| (from.0 + l, from.1 + r)));
        from = (from.0 + end.0, from.1 + end.1);
    }
    Some(pairs)
}

/// The offsets of equal tokens in two texts.
type Pairs = Vec<(usize, usize)>;

/// A search for the shortest difference of two texts, or of their beginnings.
struct Search {
    /// Maximum number of differences.
    limit: usize,
    /// The number of equal tokens in sequence that ends the search.
    run: usize,
}

impl Search {
    /// Returns the pairs of equal tokens, and the offsets in both texts at which the search ended.
    /// Subtracts its work from `steps`; returns `None` if it exceeds them.
    fn pairs<'t>(
        &self,
        old: &[Token<'t>],
        new: &[Token<'t>],
        equal: &impl Fn(&Token<'t>, &Token<'t>) -> bool,
        steps: &mut usize,
    ) -> Option<(Pairs, (usize, usize))> {
        if old.is_empty() || new.is_empty() {
            return Some((Vec::new(), (old.len(), new.len())));
        }
        let limit = (old.len() + new.len()).min(self.limit);
        let middle = limit + 1;
        // The furthest position in `old` on each diagonal, with one snapshot for each step.
        let mut reach = vec![0_usize; 2 * limit + 3];
        let mut trace: Vec<Vec<usize>> = Vec::new();
        let get = |reach: &[usize], at: usize| reach.get(at).copied().unwrap_or(0);
        let (goal, end) = 'search: {
            for step in 0..=limit {
                *steps = steps.checked_sub(step + 1)?;
                work::spend(step + 1);
                trace.push(reach.get(middle - step..=middle + step)?.to_vec());
                for diagonal in (middle - step..=middle + step).step_by(2) {
                    let down = diagonal == middle - step
                        || diagonal != middle + step
                            && get(&reach, diagonal - 1) < get(&reach, diagonal + 1);
                    let mut l = if down {
                        get(&reach, diagonal + 1)
                    } else {
                        get(&reach, diagonal - 1) + 1
                    };
                    // The position in `new` is the position in `old` minus the diagonal, counted
                    // from the middle.
                    let Some(mut r) = (l + middle).checked_sub(diagonal) else {
                        continue;
                    };
                    let start = l;
                    while let (Some(a), Some(b)) = (old.get(l), new.get(r)) {
                        if !equal(a, b) || l - start >= self.run {
                            break;
                        }
                        (l, r) = (l + 1, r + 1);
                    }
                    if let Some(slot) = reach.get_mut(diagonal) {
                        *slot = l;
                    }
                    if l >= old.len() && r >= new.len() || l - start >= self.run {
                        break 'search Some((step, (l, r)));
                    }
                }
            }
            None
        }?;
        Some((trace_back(&trace, goal, end, middle)?, end))
    }
}

/// Returns the pairs of equal tokens on the path to `end`, which is reached after `goal` steps.
fn trace_back(
    trace: &[Vec<usize>],
    goal: usize,
    end: (usize, usize),
    middle: usize,
) -> Option<Pairs> {
    let mut pairs = Vec::new();
    let (mut l, mut r) = end;
    for step in (1..=goal).rev() {
        let reach = trace.get(step)?;
        let at = |diagonal: usize| {
            (diagonal + step).checked_sub(middle).and_then(|at| reach.get(at)).copied()
        };
        let diagonal = (l + middle).checked_sub(r)?;
        let down = diagonal == middle - step
            || diagonal != middle + step
                && at(diagonal - 1).unwrap_or(0) < at(diagonal + 1).unwrap_or(0);
        let from = if down { diagonal + 1 } else { diagonal - 1 };
        let before = at(from).unwrap_or(0);
        let (to_l, to_r) = (before, (before + middle).checked_sub(from)?);
        let begin = if down { to_l } else { to_l + 1 };
        while l > begin {
            (l, r) = (l.checked_sub(1)?, r.checked_sub(1)?);
            pairs.push((l, r));
        }
        (l, r) = (to_l, to_r);
    }
    while l > 0 && r > 0 {
        (l, r) = (l - 1, r - 1);
        pairs.push((l, r));
    }
    pairs.reverse();
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_brought_into_the_source() {
        for (source, before, after, expected) in [
            ("a b c", "a b c", "a x c", "a x c"),
            ("a\nb\nc", "a b c", "a x c", "a\nx\nc"),
            ("__a__ b \\(c\\)", "**a** b (c)", "**a** b (d)", "__a__ b \\(d\\)"),
            ("Title\n===", "## Title", "## New", "New\n==="),
            ("##### d", "#### d", "#### e", "##### e"),
            ("a b", "a b", "a b c", "a b c"),
            ("a b", "a b", "c a b", "c a b"),
            ("a\nb", "a b", "a", "a"),
            ("*a* b", "_a_ b", "_c_ b", "*c* b"),
            ("*a* b", "_a_ b", "**a** b", "**a** b"),
            ("", "", "x", "x"),
            ("x", "x", "", ""),
        ] {
            let parts = merge(source, before, after, Granularity::Words, "").expect(source);
            let merged: String = parts
                .into_iter()
                .map(|part| match part {
                    Part::Kept(text) | Part::New(text) => text,
                })
                .collect();
            assert_eq!(merged, expected, "{source:?} {before:?} {after:?}");
        }
    }

    #[test]
    fn very_different_texts_are_not_merged() {
        let left: String = (0..2_000).map(|n| format!("a{n} ")).collect();
        let right: String = (0..2_000).map(|n| format!("b{n} ")).collect();
        assert_eq!(merge(&left, &left, &right, Granularity::Words, ""), None);
    }
}
