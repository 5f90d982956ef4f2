//! Finds blocks that were moved from one container to another.

use std::collections::{HashMap, HashSet};

use super::list::{Comparer, can_move};
use super::{Change, Entry, Part};
use crate::document::Key;
use crate::document::equality::{ContentEq, digest};

/// A deleted block.
struct DeletedBlock<'d> {
    part: Part<'d>,
    /// The number after that of its last descendant.
    end: usize,
}

/// The deleted blocks, numbered in document order.
#[derive(Default)]
struct DeletedBlocks<'d> {
    blocks: Vec<DeletedBlock<'d>>,
    /// Numbers by key and by digest of the content; `None` if ambiguous.
    by_key: HashMap<Key, Option<usize>>,
    by_content: HashMap<u64, Option<usize>>,
    /// The numbers of blocks found elsewhere, and of those that are within one or contain one.
    moved: HashSet<usize>,
    taken: HashSet<usize>,
    /// For each block, the numbers of the blocks that contain it.
    ancestors: Vec<Vec<usize>>,
}

/// Finds moved blocks. Descendants of a moved block are not examined, as they moved with it.
pub(super) fn find<'d>(comparer: &mut Comparer, entries: &mut [Entry<'d>]) {
    if !has(entries, Change::Deleted) || !has(entries, Change::Inserted) {
        return;
    }
    let mut deleted = DeletedBlocks::default();
    deleted.record(entries, &mut Vec::new());
    match_inserted(comparer, entries, &mut deleted);
    if !deleted.moved.is_empty() {
        mark_moved_away(entries, &deleted.moved, &mut 0);
    }
}

fn has(entries: &[Entry<'_>], change: Change) -> bool {
    entries.iter().any(|entry| {
        entry.change == change || entry.change != Change::Moved && has(&entry.parts, change)
    })
}

fn block_of(part: Option<Part<'_>>) -> Option<Part<'_>> {
    part.filter(|part| matches!(part, Part::Block(_)))
}

impl<'d> DeletedBlocks<'d> {
    fn record(&mut self, entries: &[Entry<'d>], within: &mut Vec<usize>) {
        for entry in entries.iter().filter(|entry| entry.change != Change::Moved) {
            let block = block_of(entry.before).filter(|_| entry.change == Change::Deleted);
            let Some(part) = block else {
                self.record(&entry.parts, within);
                continue;
            };
            let number = self.blocks.len();
            self.blocks.push(DeletedBlock { part, end: number });
            self.ancestors.push(within.clone());
            let once = |place: &mut Option<usize>| *place = None;
            if let Some(key) = part.key() {
                self.by_key.entry(key).and_modify(once).or_insert(Some(number));
            }
            self.by_content.entry(digest(&part)).and_modify(once).or_insert(Some(number));
            within.push(number);
            self.record(&entry.parts, within);
            within.pop();
            let end = self.blocks.len();
            if let Some(block) = self.blocks.get_mut(number) {
                block.end = end;
            }
        }
    }

    /// Returns the deleted block that reappears as this inserted one.
    fn take_match(&mut self, inserted: Part<'d>) -> Option<Part<'d>> {
        if !can_move(inserted) {
            return None;
        }
        let known = |number: &Option<usize>| *number;
        let by_key = inserted.key().and_then(|key| self.by_key.get(&key).and_then(known));
        let by_content = || self.by_content.get(&digest(&inserted)).and_then(known);
        let number =
            by_key.filter(|&number| self.is_available(number, inserted)).or_else(|| {
                let number = by_content()?;
                let is_equal = self.blocks.get(number)?.part.content_eq(&inserted);
                (is_equal && self.is_available(number, inserted)).then_some(number)
            })?;
        let block = self.blocks.get(number)?;
        let part = block.part;
        self.taken.extend(number..block.end);
        self.taken.extend(self.ancestors.get(number).into_iter().flatten());
        self.moved.insert(number);
        Some(part)
    }

    fn is_available(&self, number: usize, inserted: Part<'_>) -> bool {
        let is_kin =
            self.blocks.get(number).is_some_and(|block| block.part.is_compatible(&inserted));
        is_kin && !self.taken.contains(&number)
    }
}

fn match_inserted<'d>(
    comparer: &mut Comparer,
    entries: &mut [Entry<'d>],
    deleted: &mut DeletedBlocks<'d>,
) {
    for entry in entries.iter_mut().filter(|entry| entry.change != Change::Moved) {
        let inserted = block_of(entry.after).filter(|_| entry.change == Change::Inserted);
        match inserted
            .and_then(|inserted| deleted.take_match(inserted).map(|block| (block, inserted)))
        {
            Some((block, inserted)) => *entry = comparer.pair(block, inserted, true),
            None => match_inserted(comparer, &mut entry.parts, deleted),
        }
    }
}

/// Marks the moved blocks at their old position, in the order in which they were numbered.
fn mark_moved_away(entries: &mut [Entry<'_>], moved: &HashSet<usize>, next: &mut usize) {
    for entry in entries.iter_mut().filter(|entry| entry.change != Change::Moved) {
        let is_gone = entry.change == Change::Deleted && block_of(entry.before).is_some();
        let is_found = is_gone && moved.contains(next);
        *next += usize::from(is_gone);
        mark_moved_away(&mut entry.parts, moved, next);
        if is_found {
            entry.change = Change::MovedAway;
            entry.runs.clear();
            entry.parts.clear();
        }
    }
}
