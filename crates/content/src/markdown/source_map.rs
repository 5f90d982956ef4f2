//! Maps positions in separately parsed text to positions in the whole text.

use crate::source::Span;

/// A piece of a text: its start there, and its start in another text. Both texts have the same
/// bytes from there to the next piece.
pub(super) type Segment = (usize, usize);

/// The location of separately parsed text in the whole text.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SourceMap<'p> {
    /// The text starts at this offset.
    Offset(usize),
    /// The text consists of several pieces, because containers prefix its lines.
    Segments {
        /// The pieces, in order. The first starts at 0.
        segments: &'p [Segment],
        /// The text's start within the text that the pieces belong to.
        from: usize,
    },
}

impl<'p> SourceMap<'p> {
    /// Creates the location of a text that consists of these pieces.
    pub(super) fn of(segments: &'p [Segment]) -> Self {
        match segments {
            [] => Self::Offset(0),
            [(_, start)] => Self::Offset(*start),
            segments => Self::Segments { segments, from: 0 },
        }
    }

    /// Maps a span of the text to a span of the whole.
    pub(super) fn span(self, local: Span) -> Span {
        match self {
            Self::Offset(offset) => local.shifted(offset),
            Self::Segments { segments, from } => {
                let (start, end) = (local.start + from, local.end + from);
                let first =
                    shifted(segments, segments.partition_point(|(at, _)| *at <= start), start);
                if start == end {
                    return Span::new(first, first);
                }
                let last = shifted(segments, segments.partition_point(|(at, _)| *at < end), end);
                Span::new(first, last)
            }
        }
    }

    /// Returns the location of the part of the text that begins at offset `at`.
    pub(super) fn inner(self, at: usize) -> Self {
        match self {
            Self::Offset(offset) => Self::Offset(offset + at),
            Self::Segments { segments, from } => Self::Segments { segments, from: from + at },
        }
    }

    /// Returns the pieces, in the whole, of a text of `length` bytes that consists of the pieces
    /// `inner` of this text.
    pub(super) fn compose(self, inner: &[Segment], length: usize) -> Vec<Segment> {
        let Self::Segments { segments, from } = self else {
            return inner
                .iter()
                .map(|&(at, start)| (at, self.span(Span::new(start, start)).start))
                .collect();
        };
        let mut composed = Vec::with_capacity(inner.len());
        for (n, &(at, start)) in inner.iter().enumerate() {
            let end = inner.get(n + 1).map_or(length, |&(next, _)| next);
            composed.push((at, self.span(Span::new(start, start)).start));
            let breaks = segments.partition_point(|(break_at, _)| *break_at <= start + from);
            for &(break_at, whole) in segments.get(breaks..).unwrap_or_default() {
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

fn shifted(segments: &[Segment], after: usize, at: usize) -> usize {
    let segment = segments.get(after.saturating_sub(1));
    let shifted = segment.map_or(at, |(start, whole)| whole + at.saturating_sub(*start));
    // A tab in the source may be several spaces in the text.
    segments.get(after.max(1)).map_or(shifted, |(_, next)| shifted.min(*next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_pieces_are_exact() {
        // "> ab\n> cd\n" without its quote markers.
        let segments = [(0, 2), (3, 7)];
        let map = SourceMap::of(&segments);
        let check = |map: SourceMap<'_>, local: (usize, usize), whole: (usize, usize)| {
            let span = map.span(Span::new(local.0, local.1));
            assert_eq!((span.start, span.end), whole, "{local:?}");
        };
        check(map, (0, 2), (2, 4));
        check(map, (0, 3), (2, 5));
        check(map, (3, 5), (7, 9));
        check(map, (1, 4), (3, 8));
        check(map, (3, 3), (7, 7));
        check(map.inner(3), (0, 2), (7, 9));
        // "b\ncd" of that text, as one piece and as several.
        assert_eq!(map.compose(&[(0, 1)], 4), [(0, 3), (2, 7)]);
        assert_eq!(map.compose(&[(0, 1), (1, 4)], 2), [(0, 3), (1, 8)]);
        assert_eq!(SourceMap::Offset(5).compose(&[(0, 1), (1, 4)], 2), [(0, 6), (1, 9)]);
    }
}
