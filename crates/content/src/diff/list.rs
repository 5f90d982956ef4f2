//! Comparison of lists of parts, and of single parts.

use std::collections::HashMap;

use super::part::blocks;
use super::{Change, Entry, Part, attributes};
use crate::document::equality::ContentEq;
use crate::document::{Block, BlockKind, Key, Node, Row, TableColumn};
use crate::pairing::{Partner, Words, pair};
use crate::source::Span;
use crate::work;

/// Minimum number of words with which a part can be moved; a shorter one is deleted and inserted.
const MIN_MOVED_WORDS: usize = 3;

/// Compares documents.
#[derive(Default)]
pub(super) struct Comparer {
    /// The columns of the current table, as pairs of old and new indices.
    columns: Vec<(Option<usize>, Option<usize>)>,
}

impl Comparer {
    pub(super) fn blocks<'d>(&mut self, before: &'d [Block], after: &'d [Block]) -> Vec<Entry<'d>> {
        self.list(&blocks(before), &blocks(after))
    }

    /// Compares two lists of parts of the same kind.
    fn list<'d>(&mut self, before: &[Part<'d>], after: &[Part<'d>]) -> Vec<Entry<'d>> {
        let partners = partners(before, after);
        let mut is_kept = vec![false; before.len()];
        let mut moved = vec![false; before.len()];
        for partner in &partners {
            let (flags, index) = match *partner {
                Partner::New => continue,
                Partner::Stays { index, .. } => (&mut is_kept, index),
                Partner::Moved { index } => (&mut moved, index),
            };
            if let Some(flag) = flags.get_mut(index) {
                *flag = true;
            }
        }
        let mut entries = Vec::with_capacity(after.len());
        let mut old = 0;
        let mut push_deleted = |until: usize, entries: &mut Vec<Entry<'d>>| {
            while old < until {
                if let (Some(part), Some(false)) = (before.get(old), is_kept.get(old)) {
                    entries.push(match moved.get(old) {
                        Some(true) => Entry::of(*part, Change::MovedAway),
                        _ => Entry::whole(*part, Change::Deleted),
                    });
                }
                old += 1;
            }
        };
        // The old index of the next part that stays, for each new part.
        let mut next = vec![before.len(); after.len()];
        let mut old_index = before.len();
        for (slot, partner) in next.iter_mut().zip(&partners).rev() {
            if let Partner::Stays { index, .. } = partner {
                old_index = *index;
            }
            *slot = old_index;
        }
        for ((part, partner), next) in after.iter().zip(&partners).zip(next) {
            push_deleted(next, &mut entries);
            let index = match *partner {
                Partner::New => None,
                Partner::Stays { index, .. } | Partner::Moved { index } => Some(index),
            };
            entries.push(match index.and_then(|index| before.get(index)) {
                None => Entry::whole(*part, Change::Inserted),
                Some(old) => {
                    let is_moved = matches!(partner, Partner::Moved { .. });
                    self.pair(*old, *part, is_moved)
                }
            });
        }
        push_deleted(before.len(), &mut entries);
        entries
    }

    /// Compares a part with its new version.
    pub(super) fn pair<'d>(
        &mut self,
        before: Part<'d>,
        after: Part<'d>,
        is_moved: bool,
    ) -> Entry<'d> {
        let unedited = if is_moved { Change::Moved } else { Change::Same };
        let mut entry = Entry::of(after, Change::Same);
        (entry.change, entry.before) = (unedited, Some(before));
        if before.content_eq(&after) {
            return entry;
        }
        entry.attributes = attributes::compare(before, after);
        entry.runs = self.texts(before.text(), after.text());
        entry.parts = match (before, after) {
            (Part::Row(old, old_columns), Part::Row(new, new_columns)) => {
                self.row((old, old_columns), (new, new_columns))
            }
            _ if is_table(before) => self.table(&before.parts(), &after.parts()),
            _ => self.list(&before.parts(), &after.parts()),
        };
        if !entry.is_edited() {
            // The difference is not visible to readers.
            entry.runs.clear();
            entry.parts.clear();
        } else if !is_moved {
            entry.change = Change::Edited;
        }
        entry
    }

    /// Compares the columns and rows of two tables.
    fn table<'d>(&mut self, before: &[Part<'d>], after: &[Part<'d>]) -> Vec<Entry<'d>> {
        let columns_of = |parts: &[Part<'d>]| {
            parts.iter().take_while(|part| matches!(part, Part::TableColumn(_))).count()
        };
        let (old_columns, old_rows) = before.split_at(columns_of(before));
        let (new_columns, new_rows) = after.split_at(columns_of(after));
        let mut entries = self.list(old_columns, new_columns);
        let (mut old, mut new) = (0, 0);
        let mut places = Vec::with_capacity(entries.len());
        for entry in &entries {
            places.push((entry.before.map(|_| old), entry.after.map(|_| new)));
            old += usize::from(entry.before.is_some());
            new += usize::from(entry.after.is_some());
        }
        let outer = std::mem::replace(&mut self.columns, places);
        entries.extend(self.list(old_rows, new_rows));
        self.columns = outer;
        entries
    }

    /// Compares the cells of two rows.
    fn row<'d>(
        &mut self,
        (old, old_columns): (&'d Row, &'d [TableColumn]),
        (new, new_columns): (&'d Row, &'d [TableColumn]),
    ) -> Vec<Entry<'d>> {
        let cell = |row: &'d Row, columns: &'d [TableColumn], at: Option<usize>| {
            Some(Part::Cell(row.cells.get(at?)?, columns.get(at?)?))
        };
        let columns = std::mem::take(&mut self.columns);
        let entries = columns.iter().filter_map(|&(before, after)| {
            match (cell(old, old_columns, before), cell(new, new_columns, after)) {
                (Some(old), Some(new)) => Some(self.pair(old, new, false)),
                (None, Some(new)) => Some(Entry::whole(new, Change::Inserted)),
                (Some(old), None) => Some(Entry::whole(old, Change::Deleted)),
                (None, None) => None,
            }
        });
        let entries = entries.collect();
        self.columns = columns;
        entries
    }
}

fn is_table(part: Part<'_>) -> bool {
    matches!(part, Part::Block(block) if matches!(block.kind, BlockKind::Table(_)))
}

/// Matches the new parts with the old ones.
fn partners(before: &[Part<'_>], after: &[Part<'_>]) -> Vec<Partner> {
    work::spend(before.len() + after.len());
    let [old, new] =
        [before, after].map(|parts| parts.iter().copied().map(node).collect::<Vec<_>>());
    let mut partners = pair(&old, &new);
    for (partner, part) in partners.iter_mut().zip(after) {
        let old = match *partner {
            Partner::New => continue,
            Partner::Stays { index, .. } | Partner::Moved { index } => before.get(index),
        };
        let is_moved = matches!(partner, Partner::Moved { .. });
        if !old.is_some_and(|old| old.is_compatible(part)) || is_moved && !can_move(*part) {
            *partner = Partner::New;
        }
    }
    moved_and_edited(before, after, &mut partners);
    partners
}

/// Matches parts that were both moved and edited by their keys.
fn moved_and_edited(before: &[Part<'_>], after: &[Part<'_>], partners: &mut [Partner]) {
    if !partners.contains(&Partner::New) {
        return;
    }
    let mut open = vec![true; before.len()];
    for partner in partners.iter() {
        if let Partner::Stays { index, .. } | Partner::Moved { index } = *partner
            && let Some(open) = open.get_mut(index)
        {
            *open = false;
        }
    }
    let mut by_key: HashMap<Key, Option<usize>> = HashMap::new();
    for (index, part) in before.iter().enumerate() {
        if let (Some(key), Some(true)) = (part.key(), open.get(index)) {
            by_key.entry(key).and_modify(|place| *place = None).or_insert(Some(index));
        }
    }
    for (partner, part) in partners.iter_mut().zip(after) {
        if *partner == Partner::New
            && can_move(*part)
            && let Some(place) = part.key().and_then(|key| by_key.get_mut(&key))
            && let Some(index) = *place
            && before.get(index).is_some_and(|old| old.is_compatible(part))
        {
            *place = None;
            *partner = Partner::Moved { index };
        }
    }
}

/// Returns `true` if a part has enough content to be recognized at another position.
pub(super) fn can_move(part: Part<'_>) -> bool {
    match part {
        Part::Line(_)
        | Part::Source(_)
        | Part::Image(_)
        | Part::TableColumn(_)
        | Part::Cell(..) => false,
        Part::Block(_)
        | Part::Item(_)
        | Part::Tab(_)
        | Part::Step(_)
        | Part::Column(_)
        | Part::Row(..) => Words::of(|words| part.hash_content(words)).len() >= MIN_MOVED_WORDS,
    }
}

/// Wraps a part as a node for matching. Keys of lines and cells are dropped, because they depend on
/// the position.
fn node(part: Part<'_>) -> Node<Part<'_>> {
    let key = part.key().filter(|_| !matches!(part, Part::Line(_) | Part::Cell(..)));
    Node { key: key.unwrap_or_default(), span: Span::default(), kind: part }
}
