//! Finds blocks that were moved from one container to another.

use std::collections::{HashMap, HashSet};

use super::list::{Comparer, can_move};
use super::{Change, Entry, Part};
use crate::document::Key;
use crate::document::equality::{ContentEq, digest};

/// A deleted block.
struct Gone<'d> {
    part: Part<'d>,
    /// The number after that of its last descendant.
    end: usize,
}

/// The deleted blocks, numbered in document order.
#[derive(Default)]
struct Lost<'d> {
    blocks: Vec<Gone<'d>>,
    /// Numbers by key and by digest of the content; `None` if ambiguous.
    by_key: HashMap<Key, Option<usize>>,
    by_content: HashMap<u64, Option<usize>>,
    /// The numbers of blocks found elsewhere, and of those that are within one or contain one.
    found: HashSet<usize>,
    taken: HashSet<usize>,
    /// For each block, the numbers of the blocks that contain it.
    holders: Vec<Vec<usize>>,
}

/// Finds moved blocks. Descendants of a moved block are not examined, as they moved with it.
pub(super) fn find<'d>(comparer: &mut Comparer, entries: &mut [Entry<'d>]) {
    if !has(entries, Change::Deleted) || !has(entries, Change::Inserted) {
        return;
    }
    let mut lost = Lost::default();
    lost.note(entries, &mut Vec::new());
    arrive(comparer, entries, &mut lost);
    if !lost.found.is_empty() {
        leave(entries, &lost.found, &mut 0);
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

impl<'d> Lost<'d> {
    fn note(&mut self, entries: &[Entry<'d>], within: &mut Vec<usize>) {
        for entry in entries.iter().filter(|entry| entry.change != Change::Moved) {
            let gone = block_of(entry.before).filter(|_| entry.change == Change::Deleted);
            let Some(part) = gone else {
                self.note(&entry.parts, within);
                continue;
            };
            let number = self.blocks.len();
            self.blocks.push(Gone { part, end: number });
            self.holders.push(within.clone());
            let once = |place: &mut Option<usize>| *place = None;
            if let Some(key) = part.key() {
                self.by_key.entry(key).and_modify(once).or_insert(Some(number));
            }
            self.by_content.entry(digest(&part)).and_modify(once).or_insert(Some(number));
            within.push(number);
            self.note(&entry.parts, within);
            within.pop();
            let end = self.blocks.len();
            if let Some(gone) = self.blocks.get_mut(number) {
                gone.end = end;
            }
        }
    }

    /// Returns the deleted block that reappears as this inserted one.
    fn take(&mut self, came: Part<'d>) -> Option<Part<'d>> {
        if !can_move(came) {
            return None;
        }
        let known = |number: &Option<usize>| *number;
        let by_key = came.key().and_then(|key| self.by_key.get(&key).and_then(known));
        let by_content = || self.by_content.get(&digest(&came)).and_then(known);
        let number = by_key.filter(|&number| self.fits(number, came)).or_else(|| {
            let number = by_content()?;
            let says_the_same = self.blocks.get(number)?.part.content_eq(&came);
            (says_the_same && self.fits(number, came)).then_some(number)
        })?;
        let gone = self.blocks.get(number)?;
        let part = gone.part;
        self.taken.extend(number..gone.end);
        self.taken.extend(self.holders.get(number).into_iter().flatten());
        self.found.insert(number);
        Some(part)
    }

    fn fits(&self, number: usize, came: Part<'_>) -> bool {
        let is_kin = self.blocks.get(number).is_some_and(|gone| gone.part.is_kin(&came));
        is_kin && !self.taken.contains(&number)
    }
}

fn arrive<'d>(comparer: &mut Comparer, entries: &mut [Entry<'d>], lost: &mut Lost<'d>) {
    for entry in entries.iter_mut().filter(|entry| entry.change != Change::Moved) {
        let came = block_of(entry.after).filter(|_| entry.change == Change::Inserted);
        match came.and_then(|came| lost.take(came).map(|gone| (gone, came))) {
            Some((gone, came)) => *entry = comparer.pair(gone, came, true),
            None => arrive(comparer, &mut entry.parts, lost),
        }
    }
}

/// Marks the moved blocks at their old position, in the order in which they were numbered.
fn leave(entries: &mut [Entry<'_>], found: &HashSet<usize>, next: &mut usize) {
    for entry in entries.iter_mut().filter(|entry| entry.change != Change::Moved) {
        let is_gone = entry.change == Change::Deleted && block_of(entry.before).is_some();
        let is_found = is_gone && found.contains(next);
        *next += usize::from(is_gone);
        leave(&mut entry.parts, found, next);
        if is_found {
            entry.change = Change::MovedAway;
            entry.runs.clear();
            entry.parts.clear();
        }
    }
}
