//! Maps of positions: the place of a position after a step.

/// A range that a step replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    start: usize,
    old: usize,
    new: usize,
}

/// The ranges that a step replaced, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StepMap {
    ranges: [Option<Range>; 2],
    is_inverted: bool,
}

/// A place in a replaced range, by which a position that was deleted is found again when the range
/// comes back.
#[derive(Clone, Copy, Debug)]
struct Place {
    range: usize,
    offset: usize,
}

/// The side to which a position belongs when something is inserted there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// It stays before what is inserted.
    Before,
    /// It moves behind what is inserted.
    Behind,
}

/// A mapped position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapped {
    pub(crate) at: usize,
    /// True if something was removed around the position, on both sides.
    pub(crate) is_across: bool,
    /// True if what is behind the position was removed.
    pub(crate) is_behind: bool,
    place: Option<Place>,
}

impl StepMap {
    /// Returns the map of a step that replaces `old` positions by `new` ones.
    pub(crate) fn one(start: usize, old: usize, new: usize) -> Self {
        Self { ranges: [Some(Range { start, old, new }), None], is_inverted: false }
    }

    /// Returns the map of a step that replaces two ranges.
    pub(crate) fn two(first: (usize, usize, usize), second: (usize, usize, usize)) -> Self {
        let range = |(start, old, new)| Some(Range { start, old, new });
        Self { ranges: [range(first), range(second)], is_inverted: false }
    }

    #[must_use]
    pub(crate) fn inverted(&self) -> Self {
        Self { ranges: self.ranges, is_inverted: !self.is_inverted }
    }

    /// Returns the ranges as they are before the step, each with its size behind it.
    fn ranges(&self) -> impl Iterator<Item = Range> {
        let mut moved = 0_isize;
        let is_inverted = self.is_inverted;
        self.ranges.iter().flatten().map(move |range| {
            if !is_inverted {
                return *range;
            }
            let Range { start, old, new } = *range;
            let at = start.saturating_add_signed(moved);
            moved += signed(new) - signed(old);
            Range { start: at, old: new, new: old }
        })
    }

    pub(crate) fn map(&self, at: usize, side: Side) -> Mapped {
        let mut moved = 0_isize;
        for (index, Range { start, old, new }) in self.ranges().enumerate() {
            if start > at {
                break;
            }
            let end = start + old;
            if at <= end {
                let is_before = match old {
                    0 => side == Side::Before,
                    _ if at == start => true,
                    _ if at == end => false,
                    _ => side == Side::Before,
                };
                let begin = start.saturating_add_signed(moved);
                let is_edge = at == if side == Side::Before { start } else { end };
                return Mapped {
                    at: if is_before { begin } else { begin + new },
                    is_across: old > 0 && at != start && at != end,
                    is_behind: old > 0 && at != end,
                    place: (!is_edge).then_some(Place { range: index, offset: at - start }),
                };
            }
            moved += signed(new) - signed(old);
        }
        let at = at.saturating_add_signed(moved);
        Mapped { at, is_across: false, is_behind: false, place: None }
    }

    /// Returns the position of a place of the map that this one is the inverse of.
    fn recover(&self, place: Place) -> usize {
        let mut moved = 0_isize;
        for (index, range) in self.ranges.iter().flatten().enumerate() {
            if index == place.range {
                return range.start.saturating_add_signed(moved) + place.offset;
            }
            if !self.is_inverted {
                moved += signed(range.new) - signed(range.old);
            }
        }
        0
    }
}

fn signed(size: usize) -> isize {
    isize::try_from(size).unwrap_or(isize::MAX)
}

/// A sequence of maps. A map can be the inverse of an earlier one, so that positions that the first
/// one deleted are found again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mapping {
    maps: Vec<StepMap>,
    /// The index of the inverse of each map, if it has one.
    mirrors: Vec<Option<usize>>,
    from: usize,
}

impl Mapping {
    /// Adds a map, which can be the inverse of the one at an index.
    pub(crate) fn push(&mut self, map: StepMap, mirror: Option<usize>) {
        let index = self.maps.len();
        self.maps.push(map);
        self.mirrors.push(None);
        if let Some(mirror) = mirror
            && let Some(place) = self.mirrors.get_mut(mirror)
        {
            *place = Some(index);
        }
    }

    /// Returns the number of maps.
    pub(crate) fn len(&self) -> usize {
        self.maps.len()
    }

    /// Leaves out the maps before an index from now on.
    pub(crate) fn start_at(&mut self, from: usize) {
        self.from = from;
    }

    pub(crate) fn map(&self, at: usize, side: Side) -> Mapped {
        let mut result = Mapped { at, is_across: false, is_behind: false, place: None };
        let mut index = self.from;
        while let Some(map) = self.maps.get(index) {
            let next = map.map(result.at, side);
            if let Some(place) = next.place
                && let Some(mirror) = self.mirrors.get(index).copied().flatten()
                && let Some(back) = self.maps.get(mirror)
            {
                result.at = back.recover(place);
                index = mirror + 1;
                continue;
            }
            result.at = next.at;
            result.is_across |= next.is_across;
            result.is_behind |= next.is_behind;
            index += 1;
        }
        result
    }
}
