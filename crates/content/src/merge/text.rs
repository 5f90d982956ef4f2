//! Merging text: word by word, with marks that count for themselves.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::document::same::{Content, digest};
use crate::document::{ColorMark, Inline, InlineKind, Key, Leaf, Link, Marks};
use crate::source::Span;

use super::{Merger, common};

/// A piece of a text: a word, what stands between words, or something that is no text.
#[derive(Clone)]
enum Piece<'d> {
    Text { key: Key, text: &'d str, marks: Marks, is_markup: bool },
    Node(Inline),
}

impl Piece<'_> {
    /// Whether both say the same, marks aside.
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Text { text, is_markup, .. },
                Self::Text { text: other, is_markup: markup, .. },
            ) => text == other && is_markup == markup,
            (Self::Node(one), Self::Node(other)) => one.same(other),
            _ => false,
        }
    }

    fn digest(&self) -> u64 {
        match self {
            Self::Text { text, is_markup, .. } => digest(&((*text).to_owned(), *is_markup)),
            Self::Node(node) => digest(&node.kind),
        }
    }

    /// Whether it is a sign that two texts have this place in common: spaces and full stops are
    /// everywhere.
    fn is_telling(&self) -> bool {
        match self {
            Self::Text { text, is_markup, .. } => {
                *is_markup || text.chars().any(char::is_alphanumeric)
            }
            Self::Node(_) => true,
        }
    }
}

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
        let mut names = Names::default();
        let [base_ids, our_ids, their_ids] = [base, ours, theirs].map(|pieces| names.of(pieces));
        let mine = partners(base, &base_ids, &our_ids);
        let other = partners(base, &base_ids, &their_ids);
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

    /// Merges what lies between two places that all three have in common.
    fn chunk<'d>(&mut self, chunk: &Chunk<'_, 'd>, merged: &mut Vec<Piece<'d>>) {
        let Chunk { base, ours, theirs } = *chunk;
        let same = |one: &[Piece<'_>], other: &[Piece<'_>]| {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.same(b))
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
            merged.push(Piece::Node(self.inline(base, ours, theirs)));
        } else {
            self.clash = true;
            merged.extend_from_slice(ours);
        }
    }

    /// What the side that changed the words made of them, with the marks of both.
    fn one_sided<'d>(
        &mut self,
        base: &[Piece<'d>],
        kept: &[Piece<'d>],
        changed: &[Piece<'d>],
        merged: &mut Vec<Piece<'d>>,
    ) {
        let mut names = Names::default();
        let (base_ids, changed_ids) = (names.of(base), names.of(changed));
        let found = partners(base, &base_ids, &changed_ids);
        let mut before: Vec<Option<usize>> = vec![None; changed.len()];
        for (index, partner) in found.iter().enumerate() {
            if let Some(slot) = partner.and_then(|at| before.get_mut(at)) {
                *slot = Some(index);
            }
        }
        let turned = turned(base, kept);
        for (piece, before) in changed.iter().zip(before) {
            let both = before.and_then(|at| base.get(at).zip(kept.get(at)));
            merged.push(match (both, piece, turned) {
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

    /// A piece that all three have.
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

    /// Something in a text that both sides changed.
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

/// The marks that all of a text had and the others that all of it has now: what is written in
/// its place has them too.
fn turned(before: &[Piece<'_>], after: &[Piece<'_>]) -> Option<(Marks, Marks)> {
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

/// Pieces between two places that three texts have in common.
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

/// Equal numbers for equal pieces.
#[derive(Default)]
struct Names<'p, 'd> {
    seen: HashMap<u64, Vec<(u32, &'p Piece<'d>)>>,
    next: u32,
}

impl<'p, 'd> Names<'p, 'd> {
    fn of(&mut self, pieces: &'p [Piece<'d>]) -> Vec<u32> {
        pieces.iter().map(|piece| self.name(piece)).collect()
    }

    fn name(&mut self, piece: &'p Piece<'d>) -> u32 {
        let equal = self.seen.entry(piece.digest()).or_default();
        if let Some(&(name, _)) = equal.iter().find(|(_, other)| other.same(piece)) {
            return name;
        }
        self.next += 1;
        equal.push((self.next, piece));
        self.next
    }
}

/// For each piece before, which piece after it is.
fn partners(before: &[Piece<'_>], old: &[u32], new: &[u32]) -> Vec<Option<usize>> {
    let mut partners = vec![None; old.len()];
    for (old_index, new_index, len) in common::runs(old, new) {
        let run = before.get(old_index..old_index + len).unwrap_or_default();
        let is_edge = old_index == 0 && new_index == 0
            || old_index + len == old.len() && new_index + len == new.len();
        if is_edge || run.iter().any(Piece::is_telling) {
            for offset in 0..len {
                if let Some(partner) = partners.get_mut(old_index + offset) {
                    *partner = Some(new_index + offset);
                }
            }
        }
    }
    partners
}

/// A text in pieces.
fn pieces(nodes: &[Inline]) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for node in nodes {
        let InlineKind::Text(leaves) = &node.kind else {
            pieces.push(Piece::Node(node.clone()));
            continue;
        };
        for leaf in leaves {
            let (marks, is_markup) = (leaf.marks, leaf.is_markup);
            let of = |text| Piece::Text { key: node.key, text, marks, is_markup };
            if is_markup {
                pieces.push(of(leaf.text.as_str()));
            } else {
                pieces.extend(words(&leaf.text).map(of));
            }
        }
    }
    pieces
}

/// Words and what stands between them. A character of a script without spaces is a word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_alphanumeric() && c < '\u{2E80}' || c == '\u{301}';
        let end = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if first == ' ' {
            rest.find(|c| c != ' ').unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// Text put together again.
fn assemble(pieces: Vec<Piece<'_>>) -> Vec<Inline> {
    let mut nodes: Vec<Inline> = Vec::new();
    for piece in pieces {
        let (key, text, marks, is_markup) = match piece {
            Piece::Node(node) => {
                nodes.push(node);
                continue;
            }
            Piece::Text { key, text, marks, is_markup } => (key, text, marks, is_markup),
        };
        let leaf = || Leaf { text: text.to_owned(), marks, is_markup };
        match nodes.last_mut().map(|node| &mut node.kind) {
            Some(InlineKind::Text(leaves)) => match leaves.last_mut() {
                Some(last) if last.marks == marks && !last.is_markup && !is_markup => {
                    last.text.push_str(text);
                }
                _ => leaves.push(leaf()),
            },
            _ => {
                let kind = InlineKind::Text(vec![leaf()]);
                nodes.push(Inline { key, span: Span::default(), kind });
            }
        }
    }
    nodes
}
