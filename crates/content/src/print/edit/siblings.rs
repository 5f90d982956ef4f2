//! Edits a list of siblings: what stays is edited in its place, what goes takes one blank line
//! with it, what comes brings one.

use super::plan::{Outcome, Planner, Stuck};
use super::source::{extent, is_line_rest, line_end_at, marker, prefix, prefixed, unprefixed};
use crate::document::same::Content;
use crate::document::{Block, BlockKind, Node};
use crate::pairing::{self, Partner};
use crate::source::Span;

/// Prints a sibling.
pub(super) type Print<'r, T> = dyn Fn(&Planner<'_>, &Node<T>) -> String + 'r;
/// Edits a sibling that stays, at an index after.
pub(super) type EditOne<'r, T> =
    dyn Fn(&mut Planner<'_>, (&Node<T>, &Node<T>), usize) -> Outcome + 'r;

/// How the siblings of a container stand.
pub(super) struct Region<'r, T> {
    /// Prints one of them, where they are no blocks.
    pub(super) print: Option<&'r Print<'r, T>>,
    /// Whether they may follow each other without blank lines.
    pub(super) is_tight: bool,
    /// Whether they are the blocks of a list's item.
    pub(super) in_item: bool,
}

impl<T> Default for Region<'_, T> {
    fn default() -> Self {
        Self { print: None, is_tight: false, in_item: false }
    }
}

/// What siblings of a document can be.
pub(super) trait Sibling: Content + Sized {
    /// Whether its indentation belongs to it.
    fn keeps_indent(&self) -> bool {
        false
    }
    /// Whether in a list's item `next` can follow it without a blank line.
    fn joins(_this: &Node<Self>, _next: &Node<Self>) -> bool {
        false
    }
    /// The character of the marker that its items have in the source, where it is a list.
    fn marker(_this: &Node<Self>, _source: &str) -> Option<char> {
        None
    }
    /// Gives its items another marker.
    fn remark(_this: &Node<Self>, _planner: &mut Planner<'_>) -> Outcome {
        Ok(())
    }
    /// Prints it where nothing else is said; `previous` and `next` are those around it.
    fn print(
        planner: &Planner<'_>,
        node: &Node<Self>,
        previous: Option<&str>,
        next: Option<&str>,
    ) -> String;
}

/// A gap between two siblings that stay: what goes, and what comes.
#[derive(Default)]
struct Gap {
    /// The indices before of those around it.
    left: Option<usize>,
    right: Option<usize>,
    comes: Vec<usize>,
}

/// Edits siblings; `edit` edits one that stays.
pub(super) fn edit<T: Sibling>(
    planner: &mut Planner<'_>,
    before: &[Node<T>],
    after: &[Node<T>],
    region: &Region<'_, T>,
    edit: &EditOne<'_, T>,
) -> Outcome {
    let partners = pairing::pair(before, after);
    let extents = extents(planner, before)?;
    let mut gaps: Vec<Gap> = vec![Gap::default()];
    for (at, partner) in partners.iter().enumerate() {
        match *partner {
            Partner::Stays { index, same } => {
                if let Some(gap) = gaps.last_mut() {
                    gap.right = Some(index);
                }
                gaps.push(Gap { left: Some(index), ..Gap::default() });
                if let (false, Some(old), Some(new)) = (same, before.get(index), after.get(at)) {
                    edit(planner, (old, new), at)?;
                }
            }
            Partner::New | Partner::Moved { .. } => {
                if let Some(gap) = gaps.last_mut() {
                    gap.comes.push(at);
                }
            }
        }
    }
    let editor = Editor { before, after, region, partners: &partners, extents: &extents };
    gaps.iter().try_for_each(|gap| editor.gap(planner, gap))?;
    editor.part_lists(planner)
}

/// Where the siblings are; they must stand one after the other.
fn extents<T: Sibling>(planner: &Planner<'_>, nodes: &[Node<T>]) -> Result<Vec<Span>, Stuck> {
    let mut extents = Vec::with_capacity(nodes.len());
    let mut end = 0;
    for node in nodes {
        let place = extent(planner.source, node.span, node.kind.keeps_indent());
        if place.is_empty() || place.start < end {
            return Err(Stuck);
        }
        end = place.end;
        extents.push(place);
    }
    Ok(extents)
}

struct Editor<'e, T> {
    before: &'e [Node<T>],
    after: &'e [Node<T>],
    region: &'e Region<'e, T>,
    partners: &'e [Partner],
    extents: &'e [Span],
}

impl<T: Sibling> Editor<'_, T> {
    fn extent(&self, index: usize) -> Result<Span, Stuck> {
        self.extents.get(index).copied().ok_or(Stuck)
    }

    /// Lists that had something between them and now stand side by side would be one.
    fn part_lists(&self, planner: &mut Planner<'_>) -> Outcome {
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
                T::remark(right, planner)?;
            }
        }
        Ok(())
    }

    /// Whether what is moved would be one with a list beside it.
    fn would_join(&self, source: &str, at: usize) -> bool {
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

    fn gap(&self, planner: &mut Planner<'_>, gap: &Gap) -> Outcome {
        let first = gap.left.map_or(0, |left| left + 1);
        let last = gap.right.unwrap_or(self.before.len());
        let gone = first < last;
        if !gone && gap.comes.is_empty() {
            return Ok(());
        }
        let source = planner.source;
        let left = gap.left.map(|left| self.extent(left)).transpose()?;
        let right = gap.right.map(|right| self.extent(right)).transpose()?;
        let goes = if gone {
            Some(Span::new(self.extent(first)?.start, self.extent(last - 1)?.end))
        } else {
            None
        };
        // Whole lines only.
        let starts = [goes, right].into_iter().flatten().map(|span| span.start);
        let own = starts.chain(left.map(|left| left.start)).next().ok_or(Stuck)?;
        let own_prefix = prefix(source, own).ok_or(Stuck)?;
        for end in [left, goes].into_iter().flatten().map(|span| span.end) {
            if !is_line_rest(source, end) {
                return Err(Stuck);
            }
        }
        if let Some(right) = right {
            prefix(source, right.start).ok_or(Stuck)?;
        }
        let line_end = line_end_at(source, own).unwrap_or(planner.line_end);
        let separator = self.separator(planner, line_end, &own_prefix);
        let comes = self.comes(planner, gap, (&own_prefix, line_end), (left, right))?;
        let text = comes.join(&separator);
        // Spaces at the end of a line stay there.
        let left = left.map(|left| Span::new(left.start, line_rest_end(source, left.end)));
        let goes = goes.map(|goes| Span::new(goes.start, line_rest_end(source, goes.end)));
        match (goes, left, right) {
            (Some(goes), ..) if !text.is_empty() => {
                let kept = self.definitions(source, first, last);
                let text = kept.into_iter().fold(text, |text, kept| text + &kept);
                planner.replace(goes, text);
            }
            (Some(goes), left, right) => {
                self.remove(planner, (first, last), goes, (left, right), line_end)?;
            }
            (None, Some(place), right) => {
                let around = gap.left.and_then(|left| self.before.get(left));
                let around = around.zip(gap.comes.first().and_then(|at| self.after.get(*at)));
                let joins = self.region.in_item
                    && gap.comes.len() == 1
                    && around.is_some_and(|(left, next)| T::joins(left, next));
                if joins {
                    let text = format!("{line_end}{own_prefix}{text}");
                    planner.replace(Span::new(place.end, place.end), text);
                } else if let (None, Some(at)) = (right, last_blank(source, place.end)) {
                    // There is a blank line already.
                    planner.replace(Span::new(at, at), format!("{own_prefix}{text}{line_end}"));
                } else {
                    planner.replace(Span::new(place.end, place.end), separator + &text);
                }
            }
            (None, None, Some(right)) => {
                planner.replace(Span::new(right.start, right.start), text + &separator);
            }
            (None, None, None) => return Err(Stuck),
        }
        Ok(())
    }

    /// What stands between two siblings: a blank line, or what stands between others of a tight
    /// list.
    fn separator(&self, planner: &Planner<'_>, line_end: &str, own_prefix: &str) -> String {
        let blank = format!("{line_end}{}{line_end}{own_prefix}", own_prefix.trim_end());
        if !self.region.is_tight {
            return blank;
        }
        let between = self.extents.windows(2).find_map(|pair| match pair {
            [left, right] => Some(Span::new(left.end, right.start).of(planner.source)),
            _ => None,
        });
        match between {
            Some(text) if text.matches('\n').count() > 1 => blank,
            _ => format!("{line_end}{own_prefix}"),
        }
    }

    /// The texts of what comes.
    fn comes(
        &self,
        planner: &Planner<'_>,
        gap: &Gap,
        (own_prefix, line_end): (&str, &str),
        (left, right): (Option<Span>, Option<Span>),
    ) -> Result<Vec<String>, Stuck> {
        let mut texts: Vec<String> = Vec::with_capacity(gap.comes.len());
        for &at in &gap.comes {
            let node = self.after.get(at).ok_or(Stuck)?;
            if let Some(Partner::Moved { index }) = self.partners.get(at)
                && !self.would_join(planner.source, at)
            {
                let place = self.extent(*index)?;
                let text = place.of(planner.source);
                let old_prefix = prefix(planner.source, place.start).ok_or(Stuck)?;
                if old_prefix == own_prefix {
                    texts.push(text.to_owned());
                } else {
                    let plain = unprefixed(text, &old_prefix);
                    texts.push(prefixed(&plain, own_prefix, line_end));
                }
                continue;
            }
            let text = match self.region.print {
                Some(print) => print(planner, node),
                None => {
                    let source = planner.source;
                    let previous = texts.last().map(String::as_str);
                    let previous = previous.or(left.map(|left| left.of(source)));
                    T::print(planner, node, previous, right.map(|right| right.of(source)))
                }
            };
            texts.push(prefixed(&text, own_prefix, line_end));
        }
        Ok(texts)
    }

    /// What stands between those that go and is no white space: definitions of links and notes.
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

    /// Takes siblings away with the blank line that set them apart.
    fn remove(
        &self,
        planner: &mut Planner<'_>,
        (first, last): (usize, usize),
        goes: Span,
        (left, right): (Option<Span>, Option<Span>),
        line_end: &str,
    ) -> Outcome {
        let source = planner.source;
        let kept: String = self.definitions(source, first, last).concat();
        match (left, right) {
            (None, None) => {
                let text = kept.trim_start().to_owned();
                // Nothing remains: the line goes with what stood on it.
                let rest = source.get(goes.end..).unwrap_or_default();
                let end = if text.is_empty() { goes.end + first_line_end(rest) } else { goes.end };
                planner.replace(Span::new(goes.start, end), text);
            }
            (Some(left), None) => {
                let before = Span::new(left.end, goes.start).of(source);
                let before = if is_blank(before) { spare(before) } else { before.trim_end() };
                planner.replace(Span::new(left.end, goes.end), format!("{before}{kept}"));
            }
            (None, Some(right)) => {
                let behind = Span::new(goes.end, right.start).of(source);
                let behind = if is_blank(behind) { "" } else { behind.trim_start() };
                let kept = kept.trim_start();
                let text = if kept.is_empty() {
                    behind.to_owned()
                } else {
                    format!("{kept}{line_end}{line_end}{behind}")
                };
                planner.replace(Span::new(goes.start, right.start), text);
            }
            (Some(left), Some(right)) => {
                let before = Span::new(left.end, goes.start).of(source);
                let behind = Span::new(goes.end, right.start).of(source);
                let is_enough = |text: &str| line_ends(text) > 1 || self.region.is_tight;
                let text = match (is_blank(before), is_blank(behind)) {
                    (true, true) if is_enough(behind) => {
                        format!("{}{kept}{behind}", spare(before))
                    }
                    (true, true) if is_enough(before) => format!("{kept}{before}"),
                    (true, true) => format!("{kept}{line_end}{behind}"),
                    (true, false) => format!("{kept}{behind}"),
                    (false, _) => format!("{}{kept}{behind}", before.trim_end()),
                };
                planner.replace(Span::new(left.end, right.start), text);
            }
        }
        Ok(())
    }
}

fn line_ends(text: &str) -> usize {
    text.matches('\n').count()
}

/// The length of the line end that a text begins with, white space before it included.
fn first_line_end(text: &str) -> usize {
    match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|rest| rest.trim().is_empty()) => at + 1,
        _ => 0,
    }
}

/// The blank lines of a gap that are more than the one that sets blocks apart.
fn spare(gap: &str) -> &str {
    let ends: Vec<usize> = gap.match_indices('\n').map(|(at, _)| at).collect();
    let end = ends.len().checked_sub(2).and_then(|last| ends.get(last)).copied().unwrap_or(0);
    let end = if end > 0 && gap.as_bytes().get(end - 1) == Some(&b'\r') { end - 1 } else { end };
    gap.get(..end).unwrap_or_default()
}

/// The offset after the blank line that follows the last block of a source, where there is
/// nothing else.
fn last_blank(source: &str, end: usize) -> Option<usize> {
    let rest = source.get(end..)?;
    let mut ends = rest.match_indices('\n').map(|(at, _)| at);
    let second = ends.nth(1)?;
    rest.trim().is_empty().then_some(end + second + 1)
}

/// The end of the white space at the end of a line.
fn line_rest_end(source: &str, end: usize) -> usize {
    let rest = source.get(end..).unwrap_or_default();
    end + rest.len() - rest.trim_start_matches([' ', '\t']).len()
}

/// Whether a text holds nothing but white space and quote marks.
fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '>')
}

impl Sibling for BlockKind {
    fn joins(this: &Block, next: &Block) -> bool {
        crate::print::block::joins(this, next)
    }

    fn keeps_indent(&self) -> bool {
        matches!(self, Self::Code(_))
    }

    fn marker(this: &Block, source: &str) -> Option<char> {
        let items = items(&this.kind)?;
        let text = extent(source, items.first()?.span, false).of(source);
        text.get(..marker(text))?.chars().last()
    }

    fn remark(this: &Block, planner: &mut Planner<'_>) -> Outcome {
        let own = Self::marker(this, planner.source).ok_or(Stuck)?;
        let other = match own {
            '*' => "-",
            '.' => ")",
            ')' => ".",
            _ => "*",
        };
        for item in items(&this.kind).unwrap_or_default() {
            let place = extent(planner.source, item.span, false);
            let length = marker(place.of(planner.source));
            let end = place.start + length;
            let start = end.checked_sub(1).filter(|_| length > 0).ok_or(Stuck)?;
            planner.replace(Span::new(start, end), other.to_owned());
        }
        Ok(())
    }

    fn print(
        planner: &Planner<'_>,
        node: &Block,
        previous: Option<&str>,
        next: Option<&str>,
    ) -> String {
        let mut markers = crate::print::block::MARKERS;
        let begins = |text: Option<&str>, marker: char| {
            text.is_some_and(|text| text.trim_start().starts_with(marker))
        };
        if begins(previous, '*') || begins(next, '*') {
            let is_other = !begins(previous, '-') && !begins(next, '-');
            markers.bullet = if is_other { '-' } else { '+' };
        }
        let is_dotted = |text: Option<&str>| {
            let text = text.unwrap_or_default().trim_start();
            text.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('.')
                && text.starts_with(|c: char| c.is_ascii_digit())
        };
        if is_dotted(previous) || is_dotted(next) {
            markers.number = ')';
        }
        planner.print_with(node, markers)
    }
}

/// The items of a list.
fn items(kind: &BlockKind) -> Option<&[Node<crate::document::ListItem>]> {
    match kind {
        BlockKind::OrderedList { items, .. }
        | BlockKind::UnorderedList { items }
        | BlockKind::TaskList { items } => Some(items),
        _ => None,
    }
}

/// Siblings that their container prints.
macro_rules! printed_by_container {
    ($($kind:ty),*) => {$(
        impl Sibling for $kind {
            fn print(
                _: &Planner<'_>,
                _: &Node<Self>,
                _: Option<&str>,
                _: Option<&str>,
            ) -> String {
                String::new()
            }
        }
    )*};
}

printed_by_container!(
    crate::document::ListItem,
    crate::document::Tab,
    crate::document::Step,
    crate::document::Column
);
