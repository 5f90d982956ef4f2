//! Edits a list of siblings: unchanged siblings are edited in place, a removed sibling takes one
//! blank line with it, and an inserted sibling adds one.

use super::plan::{CannotEdit, EditResult, Planner};
use super::sibling::Sibling;
use super::source::{is_line_rest, prefix, prefixed, unprefixed};
use super::whitespace::{
    blank_lines_end, ends_with_html, extended_by_returns, extra_blank_lines, first_line_end,
    is_blank, last_blank, line_ends, line_rest_end, protect_return,
};
use crate::document::Node;
use crate::pairing::{self, Partner};
use crate::source::Span;

/// Maximum number of blank lines that are kept where blocks are replaced by fewer blocks.
const MAX_KEPT_BLANK_LINES: usize = 4;

/// Prints a sibling.
pub(super) type Print<'r, T> = dyn Fn(&Planner<'_>, &Node<T>) -> String + 'r;
/// Edits a sibling that stays. Receives its index in the document after the edit.
pub(super) type EditOne<'r, T> =
    dyn Fn(&mut Planner<'_>, (&Node<T>, &Node<T>), usize) -> EditResult + 'r;

/// The layout of the siblings of a container.
pub(super) struct SiblingLayout<'r, T> {
    /// Prints a sibling, if the siblings are not blocks.
    pub(super) print: Option<&'r Print<'r, T>>,
    /// `true` if the siblings may follow each other without blank lines.
    pub(super) is_tight: bool,
    /// `true` if the siblings are the blocks of a list item.
    pub(super) in_item: bool,
}

impl<T> Default for SiblingLayout<'_, T> {
    fn default() -> Self {
        Self { print: None, is_tight: false, in_item: false }
    }
}

/// A gap between two siblings that stay: the siblings removed there, and those inserted.
#[derive(Default)]
struct Gap {
    /// The indices of the surrounding siblings in the document before the edit.
    left: Option<usize>,
    right: Option<usize>,
    insertions: Vec<usize>,
}

impl Gap {
    /// Returns the range of removed siblings, as indices in the document before the edit. The end
    /// is exclusive.
    fn removed(&self, count: usize) -> (usize, usize) {
        (self.left.map_or(0, |left| left + 1), self.right.unwrap_or(count))
    }

    /// Returns `true` if nothing is removed and nothing is inserted.
    fn is_empty(&self, count: usize) -> bool {
        let (first, last) = self.removed(count);
        first >= last && self.insertions.is_empty()
    }
}

/// Edits siblings. `edit` edits a sibling that stays.
pub(super) fn edit<T: Sibling>(
    planner: &mut Planner<'_>,
    before: &[Node<T>],
    after: &[Node<T>],
    layout: &SiblingLayout<'_, T>,
    edit: &EditOne<'_, T>,
) -> EditResult {
    let partners = pairing::pair(before, after);
    let (extents, prefix) = extents(planner, before, layout)?;
    let mut gaps: Vec<Gap> = vec![Gap::default()];
    for (at, partner) in partners.iter().enumerate() {
        match *partner {
            Partner::Stays { index, same } => {
                if let Some(gap) = gaps.last_mut() {
                    gap.right = Some(index);
                }
                gaps.push(Gap { left: Some(index), ..Gap::default() });
                if let (false, Some(old), Some(new)) = (same, before.get(index), after.get(at)) {
                    if planner.neighbors.separates_containers {
                        end_html(planner, index, &extents, prefix.as_deref());
                    }
                    edit(planner, (old, new), at)?;
                }
            }
            Partner::New | Partner::Moved { .. } => {
                if let Some(gap) = gaps.last_mut() {
                    gap.insertions.push(at);
                }
            }
        }
    }
    gaps.retain(|gap| !gap.is_empty(before.len()));
    let Some(prefix) = prefix.filter(|_| !gaps.is_empty()) else {
        return if gaps.is_empty() { Ok(()) } else { Err(CannotEdit) };
    };
    let editor =
        Editor { before, after, layout, partners: &partners, extents: &extents, prefix: &prefix };
    editor.reprint_neighbors(planner, &gaps)?;
    gaps.iter().try_for_each(|gap| editor.gap(planner, gap))?;
    editor.separate_lists(planner)
}

/// Inserts a blank line between HTML and an edited sibling directly after it. Without it, the HTML
/// ends at the first blank line within the sibling.
fn end_html(planner: &mut Planner<'_>, index: usize, extents: &[Span], prefix: Option<&str>) {
    let before = index.checked_sub(1).and_then(|before| extents.get(before));
    let Some((left, right)) = before.zip(extents.get(index)) else {
        return;
    };
    let between = Span::new(left.end, right.start).of(planner.source);
    let above = planner.source.get(..left.end).unwrap_or_default();
    if line_ends(between) == 1 && is_blank(between) && ends_with_html(above) {
        let line_end = planner.line_end_at(left.end);
        let blank = format!("{line_end}{}", prefix.unwrap_or_default().trim_end());
        planner.replace(Span::new(left.end, left.end), blank);
    }
}

/// Returns the locations of the siblings, and the line prefix of new siblings.
///
/// A sibling that occupies whole lines is returned with the whitespace around it. Returns
/// `CannotEdit` if siblings overlap. The prefix is `None` if no sibling begins a line.
fn extents<T: Sibling>(
    planner: &Planner<'_>,
    nodes: &[Node<T>],
    layout: &SiblingLayout<'_, T>,
) -> Result<(Vec<Span>, Option<String>), CannotEdit> {
    let source = planner.source;
    let mut extents = Vec::with_capacity(nodes.len());
    let mut end = 0;
    let mut shared: Option<String> = None;
    for node in nodes {
        let place = T::place(node, source);
        if place.is_empty() || place.start < end {
            return Err(CannotEdit);
        }
        end = place.end;
        extents.push(place);
        if let Some(own) = prefix(source, place.start) {
            let length = shared.as_deref().map_or(own.len(), |shared| {
                shared.bytes().zip(own.bytes()).take_while(|(l, r)| l == r).count()
            });
            shared = own.get(..length).map(str::to_owned);
        }
    }
    let Some(shared) = shared else {
        return Ok((extents, None));
    };
    for place in &mut extents {
        let own = prefix(source, place.start).map_or(0, |own| own.len());
        let start = place.start - own.saturating_sub(shared.len());
        let lead = source.get(start..place.start).unwrap_or_default();
        if lead.bytes().all(|b| matches!(b, b' ' | b'\t')) {
            place.start = start;
        }
        if is_line_rest(source, place.end) {
            place.end = line_rest_end(source, place.end);
        }
        *place = extended_by_returns(source, *place);
    }
    let first = extents.first().and_then(|first| prefix(source, first.start));
    let own = match first {
        Some(first) if layout.in_item => first,
        _ if shared.ends_with('>') => shared + " ",
        _ => shared,
    };
    Ok((extents, Some(own)))
}

/// A sibling to insert, with the prefix of its first line.
struct Insertion {
    prefix: String,
    text: String,
}

struct Editor<'e, T> {
    before: &'e [Node<T>],
    after: &'e [Node<T>],
    layout: &'e SiblingLayout<'e, T>,
    partners: &'e [Partner],
    extents: &'e [Span],
    /// The line prefix of new siblings.
    prefix: &'e str,
}

impl<T: Sibling> Editor<'_, T> {
    fn extent(&self, index: usize) -> Result<Span, CannotEdit> {
        self.extents.get(index).copied().ok_or(CannotEdit)
    }

    /// Gives the second of two lists another marker if the siblings between them were removed,
    /// because the lists would merge otherwise.
    fn separate_lists(&self, planner: &mut Planner<'_>) -> EditResult {
        for pair in self.partners.windows(2) {
            let (left, right) = match *pair {
                [Partner::Stays { index: left, .. }, Partner::Stays { index: right, .. }]
                    if right != left + 1 =>
                {
                    (left, right)
                }
                _ => continue,
            };
            let (Some(left), Some(right)) = (self.before.get(left), self.before.get(right)) else {
                continue;
            };
            let own = T::marker(right, planner.source);
            if own.is_some() && T::marker(left, planner.source) == own {
                T::change_marker(right, planner)?;
            }
        }
        Ok(())
    }

    /// Closes or reprints unchanged siblings next to a gap that would parse differently next to new
    /// siblings.
    fn reprint_neighbors(&self, planner: &mut Planner<'_>, gaps: &[Gap]) -> EditResult {
        let mut reprinted: Vec<usize> = Vec::new();
        for gap in gaps {
            reprinted.extend(gap.right.filter(|_| planner.neighbors.reprints_next));
            reprinted.extend(gap.left.filter(|_| planner.neighbors.reprints_previous));
        }
        reprinted.sort_unstable();
        reprinted.dedup();
        for index in reprinted {
            let is_same = self.partners.contains(&Partner::Stays { index, same: true });
            let Some(node) = self.before.get(index).filter(|_| is_same) else {
                continue;
            };
            let source_of = |at: Option<usize>| {
                at.and_then(|at| self.extents.get(at)).map(|place| place.of(planner.source))
            };
            let end = T::missing_end(node, planner.source)
                .filter(|_| planner.neighbors.reprints_previous);
            if let Some(end) = end {
                let place = self.extent(index)?;
                let text = format!("{}{}{end}", planner.line_end_at(place.start), self.prefix);
                planner.replace(Span::new(place.end, place.end), text);
                continue;
            }
            let text = match self.layout.print {
                Some(print) => print(planner, node),
                None => T::print(
                    planner,
                    node,
                    source_of(index.checked_sub(1)),
                    source_of(Some(index + 1)),
                ),
            };
            let place = T::place(node, planner.source);
            let own = prefix(planner.source, place.start).ok_or(CannotEdit)?;
            let text = prefixed(&text, &own, planner.line_end_at(place.start));
            planner.replace(place, text);
        }
        Ok(())
    }

    /// Returns `true` if a moved list would merge with a list next to it.
    fn would_merge(&self, source: &str, at: usize) -> bool {
        let node = |at: usize| match self.partners.get(at) {
            Some(Partner::Stays { index, .. } | Partner::Moved { index }) => {
                self.before.get(*index).and_then(|node| T::marker(node, source))
            }
            _ => None,
        };
        let own = node(at);
        let before = at.checked_sub(1).and_then(node);
        own.is_some() && (before == own || node(at + 1) == own)
    }

    fn gap(&self, planner: &mut Planner<'_>, gap: &Gap) -> EditResult {
        let (first, last) = gap.removed(self.before.len());
        let source = planner.source;
        let left = gap.left.map(|left| self.extent(left)).transpose()?;
        let right = gap.right.map(|right| self.extent(right)).transpose()?;
        let removed = if first < last {
            Some(Span::new(self.extent(first)?.start, self.extent(last - 1)?.end))
        } else {
            None
        };
        let starts = [removed, right].into_iter().flatten().map(|span| span.start);
        let own = starts.chain(left.map(|left| left.start)).next().ok_or(CannotEdit)?;
        let line_end = planner.line_end_at(own);
        let insertions = self.insertions(planner, gap, line_end, (left, right))?;
        match removed {
            Some(removed) if insertions.is_empty() => {
                self.remove(planner, (first, last), removed, (left, right), line_end);
            }
            Some(removed) => {
                let mut text = self.joined(planner, &insertions, line_end);
                let lead = insertions.first().map_or("", |first| first.prefix.as_str());
                let ends = |left: usize, right: usize| line_ends(Span::new(left, right).of(source));
                let mut place = removed;
                match (prefix(source, removed.start), left) {
                    (Some(own), left) => {
                        let is_apart = left.is_none_or(|left| ends(left.end, removed.start) > 1);
                        let blank = planner.neighbors.adds_blank_lines
                            && !is_apart
                            && !self.layout.is_tight;
                        let blank = if blank { line_end } else { "" };
                        let lead = lead.strip_prefix(own.as_str()).unwrap_or_default();
                        text = format!(
                            "{blank}{}{lead}{text}",
                            if blank.is_empty() { "" } else { &own }
                        );
                    }
                    (None, left) => {
                        place.start = left.ok_or(CannotEdit)?.end;
                        text = format!("{}{lead}{text}", self.separator(planner, line_end));
                    }
                }
                self.definitions(source, first, last).iter().for_each(|kept| text += kept);
                if let Some(right) = right {
                    let count = ends(removed.end, right.start);
                    if count == 0 {
                        place.end = right.start;
                        protect_return(&mut text, line_end);
                        text = text + &self.separator(planner, line_end) + self.prefix;
                    } else {
                        let is_close = count < 2 && planner.neighbors.adds_blank_lines;
                        let blank = format!("{line_end}{}", self.prefix.trim_end());
                        let blanks = self.remaining_blank_lines(source, (first, last), &text);
                        let blanks = blanks.max(usize::from(is_close && !self.layout.is_tight));
                        if blanks > 0 {
                            protect_return(&mut text, line_end);
                        }
                        text += &blank.repeat(blanks);
                    }
                } else {
                    place.end = blank_lines_end(source, removed.end, self.growth_at_end());
                }
                planner.replace(place, text);
            }
            None => self.insert(planner, gap, &insertions, (left, right), line_end)?,
        }
        Ok(())
    }

    /// Inserts new siblings between two siblings that stay.
    fn insert(
        &self,
        planner: &mut Planner<'_>,
        gap: &Gap,
        insertions: &[Insertion],
        (left, right): (Option<Span>, Option<Span>),
        line_end: &str,
    ) -> EditResult {
        let source = planner.source;
        let open = self.joined(planner, insertions, line_end);
        let mut text = open.clone();
        protect_return(&mut text, line_end);
        let first = insertions.first().ok_or(CannotEdit)?;
        let separator = self.separator(planner, line_end);
        // Siblings moved up stay below the link and note definitions in the gap.
        let is_from_below = gap.insertions.iter().all(|at| match self.partners.get(*at) {
            Some(Partner::Moved { index }) => gap.right.is_some_and(|right| *index > right),
            _ => false,
        }) && left
            .zip(right)
            .is_some_and(|(left, right)| !is_blank(Span::new(left.end, right.start).of(source)));
        let Some(left) = left.filter(|_| !is_from_below) else {
            let right = right.ok_or(CannotEdit)?;
            let own = prefix(source, right.start).ok_or(CannotEdit)?;
            let lead = first.prefix.strip_prefix(own.as_str()).unwrap_or_default();
            let text = format!("{lead}{text}{separator}{own}");
            planner.replace(Span::new(right.start, right.start), text);
            return Ok(());
        };
        let neighbors = gap.left.and_then(|left| self.before.get(left));
        let neighbors = neighbors.zip(gap.insertions.first().and_then(|at| self.after.get(*at)));
        let can_follow_directly = self.layout.in_item
            && insertions.len() == 1
            && neighbors.is_some_and(|(left, next)| T::can_follow_directly(left, next));
        let lead = &first.prefix;
        if can_follow_directly {
            let text = format!("{line_end}{lead}{open}");
            planner.replace(Span::new(left.end, left.end), text);
            return Ok(());
        }
        let Some(right) = right else {
            // A blank line would end a quote.
            let blank = last_blank(source, left.end).filter(|_| !self.prefix.contains('>'));
            let (place, text) = match blank {
                // An existing blank line separates the new sibling.
                Some(at) => {
                    let text = format!("{lead}{text}{line_end}");
                    let limit = self.growth_at_end().saturating_sub(1);
                    (Span::new(at, blank_lines_end(source, at, limit)), text)
                }
                None => (Span::new(left.end, left.end), format!("{separator}{lead}{open}")),
            };
            let following = source.get(place.end..).unwrap_or_default();
            let following = following.get(first_line_end(following)..).unwrap_or_default();
            let is_followed =
                following.lines().next().is_some_and(|line| !is_blank(line)) && blank.is_none();
            let text = if is_followed && planner.neighbors.separates_containers {
                format!("{text}{line_end}{}", self.prefix.trim_end())
            } else {
                text
            };
            planner.replace(place, text);
            return Ok(());
        };
        let between = Span::new(left.end, right.start).of(source);
        match line_ends(between) {
            0 => {
                let text = format!("{separator}{lead}{text}{separator}{}", self.prefix);
                planner.replace(Span::new(left.end, right.start), text);
            }
            1 if !self.layout.is_tight => {
                let blank = format!("{line_end}{}", self.prefix.trim_end());
                let text = format!("{separator}{lead}{text}{blank}");
                planner.replace(Span::new(left.end, left.end), text);
            }
            _ => {
                let text = format!("{separator}{lead}{open}");
                planner.replace(Span::new(left.end, left.end), text);
            }
        }
        Ok(())
    }

    /// Returns the text between two siblings: a blank line, or the separator that a tight list uses
    /// elsewhere.
    fn separator(&self, planner: &Planner<'_>, line_end: &str) -> String {
        let blank = format!("{line_end}{}{line_end}", self.prefix.trim_end());
        if !self.layout.is_tight {
            return blank;
        }
        let between = self.extents.windows(2).find_map(|pair| match pair {
            [left, right] => Some(Span::new(left.end, right.start).of(planner.source)),
            _ => None,
        });
        match between {
            Some(text) if line_ends(text) > 1 => blank,
            _ => line_end.to_owned(),
        }
    }

    /// Joins the inserted siblings, without the prefix of the first line.
    fn joined(&self, planner: &Planner<'_>, insertions: &[Insertion], line_end: &str) -> String {
        let separator = self.separator(planner, line_end);
        let mut joined = String::new();
        for (index, insertion) in insertions.iter().enumerate() {
            if index > 0 {
                joined.push_str(&separator);
                joined.push_str(&insertion.prefix);
            }
            joined.push_str(&insertion.text);
            if index + 1 < insertions.len() {
                protect_return(&mut joined, line_end);
            }
        }
        joined
    }

    /// Prints the inserted siblings.
    fn insertions(
        &self,
        planner: &Planner<'_>,
        gap: &Gap,
        line_end: &str,
        (left, right): (Option<Span>, Option<Span>),
    ) -> Result<Vec<Insertion>, CannotEdit> {
        let source = planner.source;
        let mut insertions: Vec<Insertion> = Vec::with_capacity(gap.insertions.len());
        for &at in &gap.insertions {
            let node = self.after.get(at).ok_or(CannotEdit)?;
            if let Some(Partner::Moved { index }) = self.partners.get(at)
                && !self.would_merge(source, at)
            {
                insertions.push(self.moved(source, self.extent(*index)?, line_end));
                continue;
            }
            let text = match self.layout.print {
                Some(print) => print(planner, node),
                None => {
                    let previous = insertions.last().map(|insertion| insertion.text.as_str());
                    let previous = previous.or(left.map(|left| left.of(source)));
                    T::print(planner, node, previous, right.map(|right| right.of(source)))
                }
            };
            let text = prefixed(&text, self.prefix, line_end);
            insertions.push(Insertion { prefix: self.prefix.to_owned(), text });
        }
        Ok(insertions)
    }

    /// Returns the source text of a moved sibling for its new place.
    fn moved(&self, source: &str, place: Span, line_end: &str) -> Insertion {
        let text = place.of(source);
        let old = prefix(source, place.start);
        let start = place.start - old.as_ref().map_or(0, String::len);
        let lead = source.get(start..place.start).unwrap_or_default();
        match old {
            // The prefix of its first line is valid anywhere.
            Some(old) if old == lead => Insertion { prefix: old, text: text.to_owned() },
            Some(old) if old == self.prefix => Insertion { prefix: old, text: text.to_owned() },
            old => {
                let plain = unprefixed(text, &old.unwrap_or_else(|| self.prefix.to_owned()));
                let text = prefixed(&plain, self.prefix, line_end);
                Insertion { prefix: self.prefix.to_owned(), text }
            }
        }
    }

    /// Returns the link and note definitions between removed siblings.
    fn definitions(&self, source: &str, first: usize, last: usize) -> Vec<String> {
        let places = self.extents.get(first..last).unwrap_or_default();
        let between = places.windows(2).filter_map(|pair| match pair {
            [left, right] => Some(Span::new(left.end, right.start).of(source)),
            _ => None,
        });
        between
            .filter(|text| !is_blank(text))
            .map(|text| text.trim_end_matches([' ', '\t', '>', '\n', '\r']).to_owned())
            .collect()
    }

    /// Returns the number of blank lines between removed siblings that the inserted text does not
    /// contain. These lines belong to no block and stay, up to a limit.
    fn remaining_blank_lines(
        &self,
        source: &str,
        (first, last): (usize, usize),
        text: &str,
    ) -> usize {
        let places = self.extents.get(first..last).unwrap_or_default();
        let blanks = places.windows(2).map(|pair| match pair {
            [left, right] => Span::new(left.end, right.start).of(source),
            _ => "",
        });
        let blanks = blanks.filter(|text| is_blank(text));
        let blanks = blanks.map(|text| line_ends(text).saturating_sub(1));
        let kept = text.lines().filter(|line| is_blank(line)).count();
        let spare = blanks.sum::<usize>().saturating_sub(kept);
        if spare > MAX_KEPT_BLANK_LINES || self.layout.is_tight { 0 } else { spare }
    }

    /// Returns by how many siblings the part after the last unchanged sibling grows.
    fn growth_at_end(&self) -> usize {
        let is_same = |partner: &Partner| matches!(partner, Partner::Stays { same: true, .. });
        let new_count = self.partners.iter().rev().take_while(|partner| !is_same(partner)).count();
        let last = self.partners.iter().rfind(|partner| is_same(partner));
        let old_count = match last {
            Some(Partner::Stays { index, .. }) => self.before.len() - index - 1,
            _ => self.before.len(),
        };
        new_count.saturating_sub(old_count)
    }

    /// Returns `true` if a blank line may stay where the last block was removed. A moved block
    /// leaves none.
    fn may_leave_blank_line(&self) -> bool {
        self.prefix.is_empty() && !self.layout.is_tight && self.after.len() < self.before.len()
    }

    /// Removes siblings, with the blank line that separated them.
    fn remove(
        &self,
        planner: &mut Planner<'_>,
        (first, last): (usize, usize),
        removed: Span,
        (left, right): (Option<Span>, Option<Span>),
        line_end: &str,
    ) {
        let source = planner.source;
        let kept: String = self.definitions(source, first, last).concat();
        match (left, right) {
            (None, None) => {
                let text = kept.trim_start().to_owned();
                // No sibling remains: the line is removed with its content.
                let rest = source.get(removed.end..).unwrap_or_default();
                let end =
                    if text.is_empty() { removed.end + first_line_end(rest) } else { removed.end };
                planner.replace(Span::new(removed.start, end), text);
            }
            (Some(left), None) => {
                let before = Span::new(left.end, removed.start).of(source);
                let is_last = matches!(source.get(removed.end..), Some("\n" | "\r\n"));
                let before = match before.strip_suffix('\n') {
                    // The blank line before the last block is not part of it.
                    Some(blank)
                        if is_last && blank.trim().is_empty() && self.may_leave_blank_line() =>
                    {
                        blank.strip_suffix('\r').unwrap_or(blank)
                    }
                    _ if is_blank(before) => extra_blank_lines(before),
                    _ => before.trim_end(),
                };
                // A line that was not the last one keeps its line ending.
                let is_open = removed.end == source.len() && kept.is_empty();
                let end = if is_open && line_ends(before) == 0 { line_end } else { "" };
                planner.replace(Span::new(left.end, removed.end), format!("{before}{kept}{end}"));
            }
            (None, Some(right)) => {
                let following = Span::new(removed.end, right.start).of(source);
                let following = if is_blank(following) {
                    // A lone carriage return belongs to the line after it.
                    let own = following.rsplit_once('\n').map_or("", |(_, own)| own);
                    if own.bytes().all(|byte| byte == b'\r') { own } else { "" }
                } else {
                    following.trim_start_matches(['\n', '\r'])
                };
                let kept = kept.trim_start();
                // Spaces after a marker would change the content's indentation.
                let line = source.get(..removed.start).unwrap_or_default();
                let is_marked =
                    prefix(source, removed.start).is_none_or(|own| !line.ends_with(own.as_str()));
                let right = if is_marked {
                    let text = right.of(source);
                    right.start + text.len() - text.trim_start_matches([' ', '\t']).len()
                } else {
                    right.start
                };
                let text = if kept.is_empty() {
                    following.to_owned()
                } else {
                    format!("{kept}{line_end}{line_end}{following}")
                };
                planner.replace(Span::new(removed.start, right), text);
            }
            (Some(left), Some(right)) => {
                let before = Span::new(left.end, removed.start).of(source);
                let following = Span::new(removed.end, right.start).of(source);
                let is_enough = |text: &str| line_ends(text) > 1 || self.layout.is_tight;
                let text = match (is_blank(before), is_blank(following)) {
                    (true, true)
                        if line_ends(before) == 0 && !planner.neighbors.adds_blank_lines =>
                    {
                        format!("{kept}{following}")
                    }
                    (true, true)
                        if line_ends(following) == 0 && !planner.neighbors.adds_blank_lines =>
                    {
                        format!("{before}{kept}")
                    }
                    (true, true) if is_enough(following) => {
                        format!("{}{kept}{following}", extra_blank_lines(before))
                    }
                    (true, true) if is_enough(before) => format!("{kept}{before}"),
                    (true, true) => {
                        format!("{kept}{}{}", self.separator(planner, line_end), self.prefix)
                    }
                    (true, false) => format!("{kept}{following}"),
                    (false, _) => format!("{}{kept}{following}", before.trim_end()),
                };
                planner.replace(Span::new(left.end, right.start), text);
            }
        }
    }
}
