//! Edits a table of contents and changes only the lines of changed entries.
//!
//! The entries of the old and the new tree are paired. Entries that keep their order keep their
//! lines and the lines between them, moved entries take their lines along, and all other entries
//! are printed. The result is parsed again; if it differs from the new tree, the whole table is
//! printed.

use std::ops::Range;

use super::pair::{FlatEntry, flatten, in_order, pair};
use super::print::content;
use super::{Entry, EntryKind, Item, parse};
use crate::yaml::line_end;

/// Title of a table of contents that is printed as a whole.
const HEADER: &str = "# Table of contents";

/// Changes the source to hold `items`, and keeps everything else in it. `path` is its own path from
/// the content root.
///
/// A table of contents cannot represent some items, which change: a title that begins with an emoji
/// not given as such, line endings in titles, and a page that is listed twice.
#[must_use]
pub fn edit(source: &str, path: &str, items: &[Item]) -> String {
    let summary = parse(source, path);
    if summary.items() == items {
        return source.to_owned();
    }
    let end = line_end(source);
    let lines: Vec<&str> = source.split_inclusive('\n').collect();
    let entries = flatten(&summary.entries);
    let new = flatten(items);
    let old = old_entries(&entries, &lines).filter(|_| !source.trim().is_empty());
    let changed = old.map(|old| {
        let pairs = pair(&entries, &new);
        Writer::new(path, end, &lines, &old, &new, &pairs).write(&lines)
    });
    let matches = |text: &String| parse(text, path).items() == items;
    if let Some(changed) = changed.filter(matches) {
        return changed;
    }
    let title = lines.first().map(|line| line.trim_end()).filter(|line| line.starts_with("# "));
    let header = format!("{}{end}", title.unwrap_or(HEADER));
    let header: Vec<&str> = vec![&header, end];
    let pairs = vec![None; new.len()];
    Writer::new(path, end, &header, &[], &new, &pairs).write(&header)
}

/// Changes the title of the page stored in the file `page`. Returns the source unchanged if the
/// page is not listed.
#[must_use]
pub fn set_title(source: &str, path: &str, page: &str, title: &str) -> String {
    fn set(items: &mut [Item], page: &str, title: &str) -> bool {
        items.iter_mut().any(|item| {
            let is_page = matches!(&item.kind, EntryKind::Page { path } if path == page);
            if is_page {
                title.clone_into(&mut item.title);
            }
            is_page || set(&mut item.children, page, title)
        })
    }
    let mut items = parse(source, path).items();
    if set(&mut items, page, title) { edit(source, path, &items) } else { source.to_owned() }
}

/// An entry of the source with its lines.
struct OldEntry<'s, 'e> {
    flat: &'s FlatEntry<'e, Entry>,
    /// The first of the entry's own lines, which exclude those of its children.
    first: usize,
    end: usize,
    /// The text before the entry's bullet.
    indent: &'s str,
    /// The entry's bullet or `#` characters, with the space after them.
    bullet: &'s str,
}

/// Returns the entries with their lines, or `None` if entries share lines.
fn old_entries<'s, 'e>(
    flat: &'s [FlatEntry<'e, Entry>],
    lines: &[&'s str],
) -> Option<Vec<OldEntry<'s, 'e>>> {
    let mut old: Vec<OldEntry<'s, 'e>> = Vec::with_capacity(flat.len());
    for flat in flat {
        let entry = flat.node;
        let first = entry.lines.start;
        let line = *lines.get(first)?;
        let text = line.trim_start_matches([' ', '\t']);
        let indent = line.get(..line.len() - text.len())?;
        let marker = marker_length(text, flat.is_group)?;
        let bullet = text.get(..marker)?;
        let end = match &entry.kind {
            EntryKind::Computed { .. } => {
                entry.children.first().map_or(entry.lines.end, |child| child.lines.start)
            }
            EntryKind::Group { .. } if marker == 0 => {
                let is_underline = |line: &&str| {
                    let line = line.trim();
                    !line.is_empty()
                        && (line.bytes().all(|b| b == b'=') || line.bytes().all(|b| b == b'-'))
                };
                first + lines.get(first..)?.iter().position(is_underline)? + 1
            }
            _ => first + 1,
        };
        if old.last().is_some_and(|last| last.end > first) {
            return None;
        }
        old.push(OldEntry { flat, first, end, indent, bullet });
    }
    Some(old)
}

/// Returns the length of the bullet or `#` characters at the start of `text`, including the space
/// after them.
fn marker_length(text: &str, is_group: bool) -> Option<usize> {
    let marker = if is_group {
        text.bytes().take_while(|byte| *byte == b'#').count()
    } else if text.starts_with(['*', '-', '+']) {
        1
    } else {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let is_numbered = digits > 0 && text.get(digits..)?.starts_with(['.', ')']);
        is_numbered.then_some(digits + 1)?
    };
    if marker == 0 {
        return Some(0);
    }
    let rest = text.get(marker..)?;
    let space = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    // Only lines with text show the indentation of their text.
    (is_group || !rest.trim().is_empty()).then_some(marker + space)
}

/// The kinds of entries before and after the lines between two entries. Such lines can be reused
/// between entries of the same kinds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Boundary {
    Start,
    GroupToGroup,
    GroupToItem,
    ItemToGroup,
    ItemToItem,
    /// Before a child of an item. Only list items may stand here.
    Nested,
    /// Before a top-level item that follows a group.
    AfterGroup,
}

impl Boundary {
    fn of<T>(before: Option<&FlatEntry<'_, T>>, after: &FlatEntry<'_, T>) -> Self {
        match (before, after.is_group) {
            (None, _) => Self::Start,
            _ if after.follows_group => Self::AfterGroup,
            (Some(before), true) if before.is_group => Self::GroupToGroup,
            (Some(before), false) if before.is_group => Self::GroupToItem,
            _ if after.is_nested => Self::Nested,
            (Some(_), true) => Self::ItemToGroup,
            (Some(_), false) => Self::ItemToItem,
        }
    }

    /// Returns the lines that are required between the entries.
    fn default_lines(self) -> &'static [&'static str] {
        match self {
            Self::Start | Self::ItemToItem | Self::Nested => &[],
            Self::GroupToGroup | Self::GroupToItem | Self::ItemToGroup => &[""],
            Self::AfterGroup => &["", "***", ""],
        }
    }
}

struct Writer<'w, 's, 'e> {
    path: &'w str,
    line_end: &'w str,
    lines: &'w [&'s str],
    old: &'w [OldEntry<'s, 'e>],
    new: &'w [FlatEntry<'w, Item>],
    /// The index of the old entry that each new entry was.
    pairs: &'w [Option<usize>],
    out: Vec<String>,
    /// Lines between old entries that have not been placed yet.
    unplaced: Vec<(Boundary, Range<usize>)>,
    /// The indentation and the bullet of each entry written so far.
    written_positions: Vec<(String, String)>,
}

impl<'w, 's, 'e> Writer<'w, 's, 'e> {
    fn new(
        path: &'w str,
        line_end: &'w str,
        lines: &'w [&'s str],
        old: &'w [OldEntry<'s, 'e>],
        new: &'w [FlatEntry<'w, Item>],
        pairs: &'w [Option<usize>],
    ) -> Self {
        Self {
            path,
            line_end,
            lines,
            old,
            new,
            pairs,
            out: Vec::new(),
            unplaced: Vec::new(),
            written_positions: Vec::new(),
        }
    }

    fn write(mut self, source: &[&str]) -> String {
        let kept = in_order(self.pairs);
        let (mut from_new, mut from_old) = (0, 0);
        for (at, kept) in kept.iter().enumerate() {
            if let Some(old) = self.pairs.get(at).copied().flatten().filter(|_| *kept) {
                self.write_range(from_new..at + 1, from_old..old + 1);
                (from_new, from_old) = (at + 1, old + 1);
            }
        }
        self.write_range(from_new..self.new.len(), from_old..self.old.len());
        self.write_remaining_text();
        let tail = self.old.last().map_or(self.lines.len(), |last| last.end);
        self.copy(tail..self.lines.len());
        self.finish(source)
    }

    fn finish(mut self, source: &[&str]) -> String {
        let last = self.out.len().saturating_sub(1);
        for line in self.out.iter_mut().take(last) {
            if !line.ends_with('\n') {
                line.push_str(self.line_end);
            }
        }
        let is_open = source.last().is_some_and(|line| !line.ends_with('\n'));
        if let Some(last) = self.out.last_mut() {
            let length = last.trim_end_matches(['\n', '\r']).len();
            if is_open {
                last.truncate(length);
            } else if length == last.len() {
                last.push_str(self.line_end);
            }
        }
        self.out.concat()
    }

    /// Replaces a range of old entries by a range of new ones. Both may end with the same unchanged
    /// entry.
    fn write_range(&mut self, new: Range<usize>, old: Range<usize>) {
        let mut gaps: Vec<(Boundary, Range<usize>)> = old.map(|at| self.gap(at)).collect();
        if self.old.is_empty() && new.start == 0 {
            gaps.push((Boundary::Start, 0..self.lines.len()));
        }
        let last = new.end.saturating_sub(1);
        for at in new {
            let Some(flat) = self.new.get(at) else { continue };
            let before = at.checked_sub(1).and_then(|before| self.new.get(before));
            let boundary = Boundary::of(before, flat);
            match gaps.iter().position(|(found, _)| *found == boundary) {
                Some(found) => {
                    let (_, lines) = gaps.remove(found);
                    self.copy_gap(lines, boundary);
                    if self.old.is_empty() {
                        self.add_lines(&[""]);
                    }
                }
                None => self.add_lines(boundary.default_lines()),
            }
            if at == last {
                self.unplaced.append(&mut gaps);
            }
            if boundary != Boundary::Nested {
                self.write_remaining_text();
            }
            self.entry(at, flat);
        }
        self.unplaced.append(&mut gaps);
    }

    /// Writes the remaining text between old entries, which is never lost.
    fn write_remaining_text(&mut self) {
        for (boundary, lines) in std::mem::take(&mut self.unplaced) {
            let has_text = |line: &&str| !line.trim().is_empty() && !is_rule(line);
            if self.lines.get(lines.clone()).unwrap_or_default().iter().any(has_text) {
                self.copy_gap(lines, boundary);
            }
        }
    }

    /// Returns the lines before an old entry.
    fn gap(&self, at: usize) -> (Boundary, Range<usize>) {
        let before = at.checked_sub(1).and_then(|before| self.old.get(before));
        let after = self.old.get(at);
        let boundary = after.map_or(Boundary::ItemToItem, |after| {
            Boundary::of(before.map(|before| before.flat), after.flat)
        });
        (boundary, before.map_or(0, |old| old.end)..after.map_or(0, |old| old.first))
    }

    fn copy_gap(&mut self, range: Range<usize>, boundary: Boundary) {
        for line in self.lines.get(range).unwrap_or_default() {
            // A rule would end the current group.
            if boundary == Boundary::AfterGroup || boundary == Boundary::Start || !is_rule(line) {
                self.out.push((*line).to_owned());
            }
        }
    }

    fn copy(&mut self, range: Range<usize>) {
        let lines = self.lines.get(range).unwrap_or_default();
        self.out.extend(lines.iter().map(|line| (*line).to_owned()));
    }

    fn add_lines(&mut self, lines: &[&str]) {
        for line in lines {
            let is_blank = self.out.last().is_none_or(|last| last.trim().is_empty());
            if !line.is_empty() || !is_blank {
                self.out.push(format!("{line}{}", self.line_end));
            }
        }
    }

    fn entry(&mut self, at: usize, flat: &FlatEntry<'_, Item>) {
        let old = self.pairs.get(at).copied().flatten().and_then(|old| self.old.get(old));
        let (indent, bullet) = self.indent_and_bullet(flat, old);
        match old.filter(|old| is_same(old.flat.node, flat.node)) {
            Some(old) => {
                for line in self.lines.get(old.first..old.end).unwrap_or_default() {
                    let rest = line.strip_prefix(old.indent);
                    let rest = rest.unwrap_or_else(|| line.trim_start_matches([' ', '\t']));
                    self.out.push(format!("{indent}{rest}"));
                }
                self.written_positions.push((indent, old.bullet.to_owned()));
            }
            None => {
                let pad = " ".repeat(bullet.len());
                for (at, line) in content(flat.node, self.path).iter().enumerate() {
                    let lead = if at == 0 { &bullet } else { &pad };
                    let line = format!("{indent}{lead}{line}");
                    self.out.push(format!("{}{}", line.trim_end(), self.line_end));
                }
                self.written_positions.push((indent, bullet));
            }
        }
    }

    /// Returns the indentation and the bullet of an entry.
    fn indent_and_bullet(
        &self,
        flat: &FlatEntry<'_, Item>,
        old: Option<&OldEntry<'_, '_>>,
    ) -> (String, String) {
        if flat.is_group {
            let bullet = old.map(|old| old.bullet).filter(|bullet| !bullet.is_empty());
            return (String::new(), format!("{} ", bullet.unwrap_or("##").trim_end()));
        }
        let own = |old: &OldEntry<'_, '_>| (old.indent.to_owned(), old.bullet.to_owned());
        let is_top = |parent: Option<usize>, is_group: bool| parent.is_none() || is_group;
        let parent = flat.parent;
        let parent_is_group =
            parent.and_then(|parent| self.new.get(parent)).is_some_and(|parent| parent.is_group);
        let old_parent_is_group = |old: &OldEntry<'_, '_>| {
            let parent = old.flat.parent.and_then(|parent| self.old.get(parent));
            parent.is_some_and(|parent| parent.flat.is_group)
        };
        let at_top = |old: &&OldEntry<'_, '_>| {
            !old.flat.is_group && is_top(old.flat.parent, old_parent_is_group(old))
        };
        let file_bullet = || {
            let first = self.old.iter().find(|old| !old.flat.is_group);
            first.map_or("* ", |old| old.bullet).to_owned()
        };
        if is_top(parent, parent_is_group) {
            return match old.filter(at_top).or_else(|| self.old.iter().find(at_top)) {
                Some(old) => own(old),
                None => (String::new(), file_bullet()),
            };
        }
        let Some((indent, bullet)) = parent.and_then(|parent| self.written_positions.get(parent))
        else {
            return (String::new(), file_bullet());
        };
        // If the parent kept its place, its children keep theirs.
        let old_parent =
            parent.and_then(|parent| self.pairs.get(parent).copied().flatten()).filter(|parent| {
                self.old
                    .get(*parent)
                    .is_some_and(|old| old.indent == indent && old.bullet == bullet)
            });
        if let Some(old_parent) = old_parent {
            let is_below = |old: &&OldEntry<'_, '_>| old.flat.parent == Some(old_parent);
            if let Some(old) = old.filter(is_below).or_else(|| self.old.iter().find(is_below)) {
                return own(old);
            }
        }
        (format!("{indent}{}", self.nested_indent(bullet)), file_bullet())
    }

    /// Returns the additional indentation of entries below one with this bullet.
    fn nested_indent(&self, bullet: &str) -> String {
        let nested = self.old.iter().find_map(|old| {
            let parent = self.old.get(old.flat.parent?)?;
            (!parent.flat.is_group).then(|| old.indent.strip_prefix(parent.indent))?
        });
        match nested {
            Some(step) if step.contains('\t') || step.len() >= bullet.len() => step.to_owned(),
            _ => " ".repeat(bullet.len()),
        }
    }
}

fn is_same(entry: &Entry, item: &Item) -> bool {
    entry.kind == item.kind
        && entry.title == item.title
        && entry.link_title == item.link_title
        && entry.emoji == item.emoji
}

/// Returns `true` if a line is a rule, which ends a group.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    ['*', '-', '_'].iter().any(|mark| {
        line.matches(*mark).count() >= 3 && line.chars().all(|c| c == *mark || c == ' ')
    })
}

#[cfg(test)]
mod tests;
