//! Merging of text, word by word, with marks merged separately.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::document::{ColorMark, Inline, InlineKind, Leaf, Link, Marks};
use crate::pieces::{Piece, PieceNumbers, assemble, match_pieces, pieces};
use crate::source::Span;

use super::Merger;

impl Merger<'_> {
    /// Merges the text of a block.
    pub(super) fn text(
        &mut self,
        base: &[Inline],
        ours: &[Inline],
        theirs: &[Inline],
    ) -> Vec<Inline> {
        let (base, ours, theirs) = (pieces(base), pieces(ours), pieces(theirs));
        let merged = self.pieces(&base, &ours, &theirs);
        assemble(merged)
    }

    fn pieces<'d>(
        &mut self,
        base: &[Piece<'d>],
        ours: &[Piece<'d>],
        theirs: &[Piece<'d>],
    ) -> Vec<Piece<'d>> {
        let mut names = PieceNumbers::default();
        let [base_ids, our_ids, their_ids] = [base, ours, theirs].map(|pieces| names.of(pieces));
        let mine = match_pieces(base, &base_ids, &our_ids);
        let other = match_pieces(base, &base_ids, &their_ids);
        let mut merged = Vec::with_capacity(ours.len());
        let mut from = (0, 0, 0);
        loop {
            let both = |at: &usize| at_of(&mine, *at).zip(at_of(&other, *at));
            let fixed = (from.0..base.len()).find_map(|at| both(&at).map(|(o, t)| (at, o, t)));
            let to = fixed.unwrap_or((base.len(), ours.len(), theirs.len()));
            let chunk = Chunk {
                base: piece_range(base, from.0..to.0),
                ours: piece_range(ours, from.1..to.1),
                theirs: piece_range(theirs, from.2..to.2),
            };
            self.chunk(&chunk, &mut merged);
            let Some((b, o, t)) = fixed else {
                return merged;
            };
            if let (Some(base), Some(ours), Some(theirs)) =
                (base.get(b), ours.get(o), theirs.get(t))
            {
                merged.push(self.piece(base, ours, theirs));
            }
            from = (b + 1, o + 1, t + 1);
        }
    }

    /// Merges the pieces between two positions that all three texts have in common.
    fn chunk<'d>(&mut self, chunk: &Chunk<'_, 'd>, merged: &mut Vec<Piece<'d>>) {
        let Chunk { base, ours, theirs } = *chunk;
        let same = |one: &[Piece<'_>], other: &[Piece<'_>]| {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.content_eq(b))
        };
        if same(ours, base) {
            self.one_sided(base, ours, theirs, merged);
        } else if same(theirs, base) {
            self.one_sided(base, theirs, ours, merged);
        } else if same(ours, theirs) {
            merged.extend_from_slice(ours);
        } else if let ([Piece::Node(base)], [Piece::Node(ours)], [Piece::Node(theirs)]) =
            (base, ours, theirs)
        {
            merged.push(Piece::Node(Cow::Owned(self.inline(base, ours, theirs))));
        } else {
            self.has_conflict = true;
            merged.extend_from_slice(ours);
        }
    }

    /// Returns the words of the side that changed them, with the marks of both sides.
    fn one_sided<'d>(
        &mut self,
        base: &[Piece<'d>],
        kept: &[Piece<'d>],
        changed: &[Piece<'d>],
        merged: &mut Vec<Piece<'d>>,
    ) {
        let mut names = PieceNumbers::default();
        let (base_ids, changed_ids) = (names.of(base), names.of(changed));
        let found = match_pieces(base, &base_ids, &changed_ids);
        let mut before: Vec<Option<usize>> = vec![None; changed.len()];
        for (index, partner) in found.iter().enumerate() {
            if let Some(slot) = partner.and_then(|at| before.get_mut(at)) {
                *slot = Some(index);
            }
        }
        let new_marks = changed_marks(base, kept);
        for (piece, before) in changed.iter().zip(before) {
            let both = before.and_then(|at| base.get(at).zip(kept.get(at)));
            merged.push(match (both, piece, new_marks) {
                (Some((base, kept)), ..) => self.piece(base, kept, piece),
                (None, Piece::Text { key, text, marks, is_markup }, Some((from, to)))
                    if *marks == from =>
                {
                    Piece::Text { key: *key, text, marks: to, is_markup: *is_markup }
                }
                _ => piece.clone(),
            });
        }
    }

    /// Merges a piece that all three texts have.
    fn piece<'d>(&mut self, base: &Piece<'d>, ours: &Piece<'d>, theirs: &Piece<'d>) -> Piece<'d> {
        match (base, ours, theirs) {
            (
                Piece::Text { marks: before, .. },
                Piece::Text { key, text, marks: mine, is_markup },
                Piece::Text { marks: other, .. },
            ) => {
                let marks = self.marks(*before, *mine, *other);
                Piece::Text { key: *key, text, marks, is_markup: *is_markup }
            }
            _ => ours.clone(),
        }
    }

    fn marks(&mut self, base: Marks, ours: Marks, theirs: Marks) -> Marks {
        let pick = |base: bool, ours: bool, theirs: bool| if ours == base { theirs } else { ours };
        let none = ColorMark::default();
        let [before, mine, other] = [base, ours, theirs].map(|marks| marks.color.unwrap_or(none));
        let color = ColorMark {
            text: self.value(&before.text, &mine.text, &other.text),
            background: self.value(&before.background, &mine.background, &other.background),
        };
        let had = if ours.color == base.color { theirs.color } else { ours.color };
        Marks {
            bold: pick(base.bold, ours.bold, theirs.bold),
            italic: pick(base.italic, ours.italic, theirs.italic),
            code: pick(base.code, ours.code, theirs.code),
            keyboard: pick(base.keyboard, ours.keyboard, theirs.keyboard),
            strikethrough: pick(base.strikethrough, ours.strikethrough, theirs.strikethrough),
            superscript: pick(base.superscript, ours.superscript, theirs.superscript),
            subscript: pick(base.subscript, ours.subscript, theirs.subscript),
            color: if color == none { had.filter(|had| *had == none) } else { Some(color) },
        }
    }

    /// Merges an inline other than text that both sides changed.
    fn inline(&mut self, base: &Inline, ours: &Inline, theirs: &Inline) -> Inline {
        let kind = match (&base.kind, &ours.kind, &theirs.kind) {
            (InlineKind::Link(base), InlineKind::Link(ours), InlineKind::Link(theirs)) => {
                InlineKind::Link(Box::new(Link {
                    reference: self.value(&base.reference, &ours.reference, &theirs.reference),
                    nodes: self.text(&base.nodes, &ours.nodes, &theirs.nodes),
                }))
            }
            (
                InlineKind::Annotation(base),
                InlineKind::Annotation(ours),
                InlineKind::Annotation(theirs),
            ) => {
                let mut merged = ours.clone();
                let leaves = |leaves: &[Leaf]| {
                    Inline::new(Span::default(), InlineKind::Text(leaves.to_vec()))
                };
                let [before, mine, other] = [base, ours, theirs].map(|one| [leaves(&one.leaves)]);
                let text = self.text(&before, &mine, &other);
                merged.leaves = text.into_iter().flat_map(|node| leaves_of(node.kind)).collect();
                merged.body = Arc::new(self.blocks(&base.body, &ours.body, &theirs.body));
                InlineKind::Annotation(merged)
            }
            (base, ours, theirs) => self.value(base, ours, theirs),
        };
        Inline { key: ours.key, span: ours.span, kind }
    }
}

/// Returns the marks that all of a text had before and the different ones that all of it has now,
/// so that its replacement gets them too.
fn changed_marks(before: &[Piece<'_>], after: &[Piece<'_>]) -> Option<(Marks, Marks)> {
    let marks = |piece: &Piece<'_>| match piece {
        Piece::Text { marks, .. } => Some(*marks),
        Piece::Node(_) => None,
    };
    let all = |pieces: &[Piece<'_>]| {
        let first = marks(pieces.first()?)?;
        pieces.iter().all(|piece| marks(piece) == Some(first)).then_some(first)
    };
    all(before).zip(all(after)).filter(|(from, to)| from != to)
}

/// The pieces between two positions that three texts have in common.
struct Chunk<'c, 'd> {
    base: &'c [Piece<'d>],
    ours: &'c [Piece<'d>],
    theirs: &'c [Piece<'d>],
}

fn piece_range<'c, 'd>(pieces: &'c [Piece<'d>], range: Range<usize>) -> &'c [Piece<'d>] {
    pieces.get(range).unwrap_or_default()
}

fn at_of(partners: &[Option<usize>], at: usize) -> Option<usize> {
    partners.get(at).copied().flatten()
}

fn leaves_of(kind: InlineKind) -> Vec<Leaf> {
    match kind {
        InlineKind::Text(leaves) => leaves,
        _ => Vec::new(),
    }
}
