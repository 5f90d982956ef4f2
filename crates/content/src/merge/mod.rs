//! Three-way merge of documents, block by block, and within text word by word.
//!
//! Blocks are matched to those of the base by key, then by content. A change by only one side is
//! applied: to single attributes, words of a text, rows and columns of a table, the order of
//! blocks, or the container of a block. If both sides changed the same thing in different ways, the
//! document has our version and a [`Conflict`] records all three. An edit wins over a deletion and
//! is reported as a conflict. The rules in detail:
//!
//! - Lists: elements that neither side moved form a frame. An element that a side inserted between
//!   two elements of the frame goes there, ours first. Two equal insertions at the same position
//!   become one. A move by one side is applied; if both sides moved a block, it is where ours has
//!   it.
//! - Moves between containers: if one side moved a block into another container, or wrapped it in a
//!   new one, the changes of the other side are applied to it there.
//! - Text: words that only one side changed are that side's. Marks are merged separately, so one
//!   side can make a sentence bold while the other corrects a word in it.
//! - Types: a paragraph that became a heading, or a list whose type changed, is still the same
//!   block.

mod containers;
mod list;
mod table;
mod text;
mod value;

use std::collections::HashSet;

use crate::document::complete::child_lists;
use crate::document::equality::ContentEq;
use crate::document::{Block, Document, Key};

use containers::Containers;
use list::Entry;

/// The result of a merge.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeResult {
    /// The merged document. At a conflict it has our version, or the remaining one of the two.
    pub document: Document,
    /// The conflicts, in the order in which they were found.
    pub conflicts: Vec<Conflict>,
}

/// A block that both sides changed in incompatible ways.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// The key of the block in the merged document.
    pub key: Key,
    /// The block in the base; `None` if unknown.
    pub base: Option<Block>,
    /// The block of our side; `None` if our side deleted it.
    pub ours: Option<Block>,
    /// The block of their side; `None` if their side deleted it.
    pub theirs: Option<Block>,
}

/// Merges the changes that two sides made to `base`.
#[must_use]
pub fn merge(base: &Document, ours: &Document, theirs: &Document) -> MergeResult {
    if theirs.has_same_content_as(base) {
        return MergeResult { document: ours.clone(), conflicts: Vec::new() };
    }
    if ours.has_same_content_as(base) {
        return MergeResult { document: theirs.clone(), conflicts: Vec::new() };
    }
    let containers = [base, ours, theirs].map(|document| Containers::of(&document.nodes));
    let moved_blocks = containers::moved_blocks(&containers);
    let mut merger = Merger::new(&containers, moved_blocks);
    let mut nodes = merger.blocks(&base.nodes, &ours.nodes, &theirs.nodes);
    if merger.has_lost() {
        // Containers were moved into each other; merge again without moves between containers.
        merger = Merger::new(&containers, HashSet::new());
        nodes = merger.blocks(&base.nodes, &ours.nodes, &theirs.nodes);
    }
    let conflicts = merger.conflicts;
    let mut document = Document { nodes, ..Document::default() };
    document.complete();
    MergeResult { document, conflicts }
}

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Ours,
    Theirs,
}

struct Merger<'d> {
    /// The blocks of the three versions by key.
    containers: &'d [Containers<'d>; 3],
    /// Blocks that a side moved to another container.
    moved_blocks: HashSet<Key>,
    /// The blocks of `moved_blocks` that were omitted at their old position, and those inserted at
    /// their new one.
    omitted: HashSet<Key>,
    inserted: HashSet<Key>,
    conflicts: Vec<Conflict>,
    /// `true` if both sides changed a part of the current block differently.
    has_conflict: bool,
}

impl<'d> Merger<'d> {
    fn new(containers: &'d [Containers<'d>; 3], moved_blocks: HashSet<Key>) -> Self {
        Self {
            containers,
            moved_blocks,
            omitted: HashSet::new(),
            inserted: HashSet::new(),
            conflicts: Vec::new(),
            has_conflict: false,
        }
    }

    fn has_lost(&self) -> bool {
        !self.omitted.is_subset(&self.inserted)
    }

    /// Merges lists of blocks.
    fn blocks(&mut self, base: &[Block], ours: &[Block], theirs: &[Block]) -> Vec<Block> {
        let mut merged = Vec::with_capacity(ours.len());
        for entry in list::merge_order(base, ours, theirs) {
            let Entry { base: before, ours: mine, theirs: other } = entry;
            let before = before.and_then(|at| base.get(at));
            let mine = mine.and_then(|at| ours.get(at));
            let other = other.and_then(|at| theirs.get(at));
            merged.extend(self.entry(before, mine, other));
        }
        merged
    }

    fn entry(
        &mut self,
        base: Option<&Block>,
        ours: Option<&Block>,
        theirs: Option<&Block>,
    ) -> Option<Block> {
        match (base, ours, theirs) {
            (Some(base), Some(ours), Some(theirs)) => Some(self.block(base, ours, theirs)),
            (Some(base), Some(kept), None) => self.kept_or_deleted(base, kept, Side::Ours),
            (Some(base), None, Some(kept)) => self.kept_or_deleted(base, kept, Side::Theirs),
            (None, Some(new), _) => self.insert_block(new, Side::Ours),
            (None, None, Some(new)) => self.insert_block(new, Side::Theirs),
            (_, None, None) => None,
        }
    }

    /// Handles a block that one side kept and the other no longer has in this list.
    fn kept_or_deleted(&mut self, base: &Block, kept: &Block, side: Side) -> Option<Block> {
        if self.moved_blocks.contains(&base.key) && self.moved_by(base.key, other(side)) {
            self.omitted.insert(base.key);
            return None;
        }
        if kept.kind.content_eq(&base.kind) {
            return None;
        }
        let block = self.adopt_children(kept, side);
        let (ours, theirs) = match side {
            Side::Ours => (Some(kept.clone()), None),
            Side::Theirs => (None, Some(kept.clone())),
        };
        let base = Some(base.clone());
        self.conflicts.push(Conflict { key: block.key, base, ours, theirs });
        Some(block)
    }

    /// Handles a block that is new in its list on one side: a new block, or one from another
    /// container.
    fn insert_block(&mut self, block: &Block, side: Side) -> Option<Block> {
        if !self.moved_blocks.contains(&block.key) {
            return Some(self.adopt_children(block, side));
        }
        let [before, ours, theirs] = self.containers;
        if side == Side::Theirs && self.moved_by(block.key, Side::Ours) {
            // Both sides moved it, and our position wins.
            return None;
        }
        self.inserted.insert(block.key);
        match (before.get(block.key), ours.get(block.key), theirs.get(block.key)) {
            (Some(base), Some(ours), Some(theirs)) => Some(self.block(base, ours, theirs)),
            _ => Some(self.adopt_children(block, side)),
        }
    }

    fn adopt_children(&mut self, block: &Block, side: Side) -> Block {
        let mut block = block.clone();
        if !self.moved_blocks.is_empty() {
            child_lists(&mut block, &mut |nodes| {
                *nodes = nodes.iter().filter_map(|node| self.insert_block(node, side)).collect();
            });
        }
        block
    }

    /// Returns `true` if a side moved a block of the base to another container.
    fn moved_by(&self, key: Key, side: Side) -> bool {
        let [before, ours, theirs] = self.containers;
        let after = if side == Side::Ours { ours } else { theirs };
        after.container(key).is_some_and(|container| before.container(key) != Some(container))
    }

    /// Merges one block.
    fn block(&mut self, base: &Block, ours: &Block, theirs: &Block) -> Block {
        // Without moves between containers, an unchanged side needs no merge. With them,
        // descendants can differ in their container only.
        if self.moved_blocks.is_empty()
            || value::is_leaf(&ours.kind) && value::is_leaf(&theirs.kind)
        {
            if theirs.kind.content_eq(&base.kind) || theirs.kind.content_eq(&ours.kind) {
                return ours.clone();
            }
            if ours.kind.content_eq(&base.kind) {
                return Block { key: ours.key, ..theirs.clone() };
            }
        }
        let outer = std::mem::take(&mut self.has_conflict);
        let kind = self.kind(&base.kind, &ours.kind, &theirs.kind);
        if std::mem::replace(&mut self.has_conflict, outer) {
            self.conflicts.push(Conflict {
                key: ours.key,
                base: Some(base.clone()),
                ours: Some(ours.clone()),
                theirs: Some(theirs.clone()),
            });
        }
        Block { key: ours.key, span: ours.span, kind }
    }
}

fn other(side: Side) -> Side {
    match side {
        Side::Ours => Side::Theirs,
        Side::Theirs => Side::Ours,
    }
}

#[cfg(test)]
mod tests;
