//! Comparison of texts, word by word.

use std::borrow::Cow;

use super::list::Comparer;
use super::part::Text;
use super::{Change, Entry, Run, attributes};
use crate::document::{Annotation, Inline, InlineKind, Key, Marks};
use crate::pieces::{Piece, PieceNumbers, assemble, match_pieces, pieces, push_leaves, units};
use crate::work;

impl<'d> Text<'d> {
    fn pieces(self) -> Vec<Piece<'d>> {
        match self {
            Self::Inlines(nodes) => pieces(nodes),
            Self::Leaves(leaves) => {
                let mut pieces = Vec::new();
                push_leaves(Key::default(), leaves, &mut pieces);
                pieces
            }
            Self::Plain(text) => units(text).into_iter().map(plain).collect(),
        }
    }
}

fn plain(text: &str) -> Piece<'_> {
    Piece::Text { key: Key::default(), text, marks: Marks::default(), is_markup: false }
}

impl<'d> Run<'d> {
    /// Creates a run for a text with the same change throughout; `None` for an empty text.
    pub(super) fn whole(text: Text<'d>, change: Change) -> Option<Self> {
        let nodes = assemble(text.pieces());
        (!nodes.is_empty()).then(|| Self::of(change, nodes))
    }

    fn of(change: Change, nodes: Vec<Inline>) -> Self {
        let (before, after) = match change {
            Change::Deleted => (nodes, Vec::new()),
            _ => (Vec::new(), nodes),
        };
        Self { change, before, after, attributes: Vec::new(), text: Vec::new(), parts: Vec::new() }
    }
}

/// Consecutive unchanged pieces with the same change of marks.
#[derive(Default)]
struct UnchangedPieces<'d> {
    before: Vec<Piece<'d>>,
    after: Vec<Piece<'d>>,
    /// The old and new marks, if they differ.
    marks: Option<(Marks, Marks)>,
}

impl<'d> UnchangedPieces<'d> {
    fn push(&mut self, before: &Piece<'d>, after: &Piece<'d>, runs: &mut Vec<Run<'d>>) {
        let marks = match (before, after) {
            (Piece::Text { marks: old, .. }, Piece::Text { marks: new, .. }) if old != new => {
                Some((*old, *new))
            }
            _ => None,
        };
        if marks != self.marks {
            self.flush(runs);
            self.marks = marks;
        }
        self.before.push(before.clone());
        self.after.push(after.clone());
    }

    fn flush(&mut self, runs: &mut Vec<Run<'d>>) {
        let before = std::mem::take(&mut self.before);
        let after = std::mem::take(&mut self.after);
        if after.is_empty() {
            return;
        }
        let attributes = self.marks.map(|(old, new)| attributes::compare_marks(old, new));
        let attributes = attributes.unwrap_or_default();
        let mut run = Run::of(Change::Same, assemble(after));
        if !attributes.is_empty() {
            run = Run { change: Change::Edited, before: assemble(before), attributes, ..run };
        }
        runs.push(run);
    }
}

impl Comparer {
    /// Compares two texts. An absent text is treated as empty.
    pub(super) fn texts<'d>(
        &mut self,
        before: Option<Text<'d>>,
        after: Option<Text<'d>>,
    ) -> Vec<Run<'d>> {
        let [old, new] = [before, after].map(|text| text.map(Text::pieces).unwrap_or_default());
        work::spend(old.len() + new.len());
        let mut names = PieceNumbers::default();
        let [old_ids, new_ids] = [&old, &new].map(|pieces| names.of(pieces));
        let found = match_pieces(&old, &old_ids, &new_ids);
        let both = found.iter().enumerate().filter_map(|(b, a)| a.map(|a| (b, a)));
        let mut runs = Vec::new();
        let mut unchanged = UnchangedPieces::default();
        let mut from = (0, 0);
        for (b, a) in both.chain([(old.len(), new.len())]) {
            let deleted = old.get(from.0..b).unwrap_or_default();
            let inserted = new.get(from.1..a).unwrap_or_default();
            if !(deleted.is_empty() && inserted.is_empty()) {
                unchanged.flush(&mut runs);
                self.replaced(deleted, inserted, &mut runs);
            }
            if let (Some(old), Some(new)) = (old.get(b), new.get(a)) {
                unchanged.push(old, new, &mut runs);
            }
            from = (b + 1, a + 1);
        }
        unchanged.flush(&mut runs);
        runs
    }

    fn replaced<'d>(
        &mut self,
        deleted: &[Piece<'d>],
        inserted: &[Piece<'d>],
        runs: &mut Vec<Run<'d>>,
    ) {
        if let ([Piece::Node(Cow::Borrowed(old))], [Piece::Node(Cow::Borrowed(new))]) =
            (deleted, inserted)
            && let Some(run) = self.inline(old, new)
        {
            return runs.push(run);
        }
        for (change, pieces) in [(Change::Deleted, deleted), (Change::Inserted, inserted)] {
            if !pieces.is_empty() {
                runs.push(Run::of(change, assemble(pieces.to_vec())));
            }
        }
    }

    /// Compares two inlines that contain text.
    fn inline<'d>(&mut self, before: &'d Inline, after: &'d Inline) -> Option<Run<'d>> {
        let (attributes, text, parts): (_, _, Vec<Entry<'d>>) = match (&before.kind, &after.kind) {
            (InlineKind::Link(old), InlineKind::Link(new)) => (
                attributes::compare_references(&old.reference, &new.reference),
                self.texts(Some(Text::Inlines(&old.nodes)), Some(Text::Inlines(&new.nodes))),
                Vec::new(),
            ),
            (InlineKind::Annotation(old), InlineKind::Annotation(new)) => {
                let leaves = |note: &'d Annotation| Some(Text::Leaves(&note.leaves));
                let text = self.texts(leaves(old), leaves(new));
                (Vec::new(), text, self.blocks(&old.body, &new.body))
            }
            _ => return None,
        };
        let run = Run::of(Change::Edited, vec![after.clone()]);
        Some(Run { before: vec![before.clone()], attributes, text, parts, ..run })
    }
}
