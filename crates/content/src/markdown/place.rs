//! Where a text that is parsed on its own lies in the whole.

use crate::source::Span;

/// A piece of a text: where it starts there, and where it starts in another text, which has the
/// same bytes from there to the next piece.
pub(super) type Piece = (usize, usize);

/// Where a text that is parsed on its own lies in the whole.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'p> {
    /// So many bytes after the start.
    Offset(usize),
    /// In pieces, as containers put marks before its lines.
    Pieces {
        /// The pieces in order; the first starts at 0.
        pieces: &'p [Piece],
        /// Where the text starts in that which the pieces are of.
        from: usize,
    },
}

impl<'p> Place<'p> {
    /// The place of a text of these pieces.
    pub(super) fn of(pieces: &'p [Piece]) -> Self {
        match pieces {
            [] => Self::Offset(0),
            [(_, start)] => Self::Offset(*start),
            pieces => Self::Pieces { pieces, from: 0 },
        }
    }

    /// The place in the whole of a place in the text.
    pub(super) fn span(self, local: Span) -> Span {
        match self {
            Self::Offset(offset) => local.shifted(offset),
            Self::Pieces { pieces, from } => {
                let (start, end) = (local.start + from, local.end + from);
                let first = shifted(pieces, pieces.partition_point(|(at, _)| *at <= start), start);
                if start == end {
                    return Span::new(first, first);
                }
                let last = shifted(pieces, pieces.partition_point(|(at, _)| *at < end), end);
                Span::new(first, last)
            }
        }
    }

    /// The place of what begins at the local offset `at`.
    pub(super) fn inner(self, at: usize) -> Self {
        match self {
            Self::Offset(offset) => Self::Offset(offset + at),
            Self::Pieces { pieces, from } => Self::Pieces { pieces, from: from + at },
        }
    }

    /// The pieces, in the whole, of a text of `length` bytes with these pieces in this one.
    pub(super) fn compose(self, inner: &[Piece], length: usize) -> Vec<Piece> {
        let Self::Pieces { pieces, from } = self else {
            return inner
                .iter()
                .map(|&(at, start)| (at, self.span(Span::new(start, start)).start))
                .collect();
        };
        let mut composed = Vec::with_capacity(inner.len());
        for (n, &(at, start)) in inner.iter().enumerate() {
            let end = inner.get(n + 1).map_or(length, |&(next, _)| next);
            composed.push((at, self.span(Span::new(start, start)).start));
            let breaks = pieces.partition_point(|(break_at, _)| *break_at <= start + from);
            for &(break_at, whole) in pieces.get(breaks..).unwrap_or_default() {
                let inner_at = at + (break_at - from - start);
                if inner_at >= end {
                    break;
                }
                composed.push((inner_at, whole));
            }
        }
        composed
    }
}

fn shifted(pieces: &[Piece], after: usize, at: usize) -> usize {
    let piece = pieces.get(after.saturating_sub(1));
    let shifted = piece.map_or(at, |(start, whole)| whole + at.saturating_sub(*start));
    // A tab of the source may be several spaces in the text.
    pieces.get(after.max(1)).map_or(shifted, |(_, next)| shifted.min(*next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_pieces_are_exact() {
        // "> ab\n> cd\n" without its marks.
        let pieces = [(0, 2), (3, 7)];
        let place = Place::of(&pieces);
        let check = |place: Place<'_>, local: (usize, usize), whole: (usize, usize)| {
            let span = place.span(Span::new(local.0, local.1));
            assert_eq!((span.start, span.end), whole, "{local:?}");
        };
        check(place, (0, 2), (2, 4));
        check(place, (0, 3), (2, 5));
        check(place, (3, 5), (7, 9));
        check(place, (1, 4), (3, 8));
        check(place, (3, 3), (7, 7));
        check(place.inner(3), (0, 2), (7, 9));
        // "b\ncd" of it, in one piece and in pieces of its own.
        assert_eq!(place.compose(&[(0, 1)], 4), [(0, 3), (2, 7)]);
        assert_eq!(place.compose(&[(0, 1), (1, 4)], 2), [(0, 3), (1, 8)]);
        assert_eq!(Place::Offset(5).compose(&[(0, 1), (1, 4)], 2), [(0, 6), (1, 9)]);
    }
}
