//! Completes a parsed document: assigns notes, anchors and keys.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::block::or_empty_paragraph;
use super::{NOTE_LEVELS, Note, ParseState};
use crate::document::complete::{self, child_lists, inline_lists};
use crate::document::key::{hash, part};
use crate::document::{
    Block, BlockKind, Cell, Document, Identity, Inline, InlineKind, JSON_LEVELS, Key, Leaf, Marks,
    Node, Paragraph, Visit, blocks,
};
use crate::slug::Anchors;
use crate::source::Span;

/// Creates a document from blocks without notes, anchors and keys.
pub(super) fn document(nodes: Vec<Block>, source: &str, state: &ParseState<'_>) -> Document {
    let identity = state.identity;
    let mut nodes = nodes;
    let mut keys = Keys { source, identity, counts: HashMap::new(), last: (Span::default(), 0) };
    let mut anchors = Anchors::default();
    nodes.iter_mut().for_each(|block| {
        keys.block(block);
    });
    complete::anchors(&mut nodes, &mut anchors, identity);
    let mut unused_notes = Vec::new();
    if state.has_annotations.get() || !state.notes.borrow().is_empty() {
        finish_notes(state, &mut anchors, &mut keys);
        let budget = 2 * source.len() + 4096;
        let uses = HashMap::new();
        let mut notes = Notes { notes: &state.notes, uses, budget, level: 0 };
        nodes.iter_mut().for_each(|block| notes.block(block));
        let used = notes.uses;
        unused_notes = unused(state, &used, &nodes);
    }
    let aliases = complete::aliases(&mut nodes, &mut anchors, identity);
    let mut frames = state.frames.take();
    frames.sort_by(|a, b| a.raw.cmp(&b.raw));
    frames.dedup_by(|a, b| a.raw == b.raw);
    Document { nodes, aliases, frames, unused_notes, title_anchors: Vec::new() }
}

/// Returns the notes that are not used, in the order of the source, each after its label. Those in
/// conditional blocks are left out, because not all readers may see them.
fn unused(state: &ParseState<'_>, used: &HashMap<String, u64>, nodes: &[Block]) -> Vec<Block> {
    struct Conditional(Vec<Span>);
    impl<'d> Visit<'d> for Conditional {
        fn block(&mut self, block: &'d Block) {
            if matches!(block.kind, BlockKind::If { .. }) {
                self.0.push(block.span);
            }
        }
    }
    let mut conditional = Conditional(Vec::new());
    blocks(nodes, &mut conditional);
    let is_conditional =
        |at: usize| conditional.0.iter().any(|span| (span.start..span.end).contains(&at));
    let mut notes: Vec<_> = state.notes.take().into_iter().collect();
    notes.retain(|(label, note)| {
        !used.contains_key(label) && !is_blank(&note.body) && !is_conditional(note.start)
    });
    notes.sort_by_key(|(_, note)| note.start);
    let labelled = notes.into_iter().flat_map(|(label, note)| {
        let mut body = Arc::unwrap_or_clone(note.body);
        let marks = Marks { superscript: true, ..Marks::default() };
        let leaves = vec![
            Leaf { text: label, marks, is_markup: false },
            Leaf { text: " ".to_owned(), ..Leaf::default() },
        ];
        let at = Span::new(note.start, note.start);
        let label = Node::new(at, InlineKind::Text(leaves));
        match body.first_mut() {
            Some(Node { kind: BlockKind::Paragraph(paragraph), .. }) => {
                paragraph.nodes.insert(0, label);
            }
            _ => {
                let paragraph = Paragraph { align: None, nodes: vec![label] };
                body.insert(0, Node::new(at, BlockKind::Paragraph(paragraph)));
            }
        }
        body
    });
    labelled.collect()
}

/// Returns `true` if the blocks are one paragraph without text.
fn is_blank(body: &[Block]) -> bool {
    match body {
        [] => true,
        [Node { kind: BlockKind::Paragraph(paragraph), .. }] => paragraph.nodes.is_empty(),
        _ => false,
    }
}

/// Completes the notes in the order of their labels. References to notes within notes become text.
fn finish_notes(state: &ParseState<'_>, anchors: &mut Anchors, keys: &mut Keys<'_>) {
    let mut notes = state.notes.borrow_mut();
    let mut all: Vec<_> = notes.iter_mut().collect();
    all.sort_by_cached_key(|(label, _)| (*label).clone());
    let empty = RefCell::default();
    for (_, note) in all {
        let Some(body) = Arc::get_mut(&mut note.body) else {
            continue;
        };
        note.levels = complete::levels(body);
        let mut nested = Notes { notes: &empty, uses: HashMap::new(), budget: 0, level: 0 };
        for block in body.iter_mut() {
            nested.block(block);
            complete::generated_anchors(block, anchors);
            keys.block(block);
        }
    }
}

/// Assigns each annotation the body of its note.
struct Notes<'n> {
    notes: &'n RefCell<HashMap<String, Note>>,
    /// The number of times that each note has been used.
    uses: HashMap<String, u64>,
    /// Remaining bytes of notes that may be repeated, which bounds the copies of a note with many
    /// references.
    budget: usize,
    /// The number of JSON levels of the open containers.
    level: usize,
}

impl Notes<'_> {
    fn block(&mut self, block: &mut Block) {
        inline_lists(block, &mut |nodes| self.inlines(nodes));
        let levels = complete::json_levels_of(&block.kind);
        self.level += levels;
        child_lists(block, &mut |nodes| nodes.iter_mut().for_each(|block| self.block(block)));
        self.level -= levels;
    }

    fn inlines(&mut self, nodes: &mut Vec<Inline>) {
        let mut is_joined = false;
        for node in nodes.iter_mut() {
            let InlineKind::Annotation(annotation) = &mut node.kind else {
                continue;
            };
            let notes = self.notes.borrow();
            let room = JSON_LEVELS.saturating_sub(self.level + NOTE_LEVELS);
            let fits = |note: &&Note| note.size <= self.budget && note.levels <= room;
            let note = notes.get(&annotation.label).filter(fits);
            if let Some(note) = note {
                self.budget -= note.size;
                annotation.body = Arc::clone(&note.body);
                let uses = self.uses.entry(annotation.label.clone()).or_default();
                if *uses > 0 {
                    // A repeated note consists of different nodes.
                    let again = *uses;
                    complete::keys(&mut *Arc::make_mut(&mut annotation.body), &mut |key| {
                        *key = key.part(part::REPEATS + again);
                    });
                }
                *uses += 1;
                continue;
            }
            let mut leaves = std::mem::take(&mut annotation.leaves);
            let text = format!("[^{}]", annotation.label);
            match leaves.last_mut() {
                Some(last) if last.marks == Marks::default() && !last.is_markup => {
                    last.text.push_str(&text);
                }
                _ => leaves.push(Leaf { text, marks: Marks::default(), is_markup: false }),
            }
            node.kind = InlineKind::Text(leaves);
            is_joined = true;
        }
        if is_joined {
            join_texts(nodes);
        }
    }
}

/// Merges adjacent texts and adjacent leaves with equal marks, which exist where a reference to a
/// note became text or a tag was removed.
pub(super) fn join_texts(nodes: &mut Vec<Inline>) {
    let mut joined: Vec<Inline> = Vec::with_capacity(nodes.len());
    for mut node in nodes.drain(..) {
        if let InlineKind::Text(leaves) = &mut node.kind {
            let leaves = std::mem::take(leaves);
            match joined.last_mut() {
                Some(Node { kind: InlineKind::Text(before), span, .. }) => {
                    span.end = span.end.max(node.span.end);
                    leaves.into_iter().for_each(|leaf| push_leaf(before, leaf));
                    continue;
                }
                _ => {
                    let mut own = Vec::with_capacity(leaves.len());
                    leaves.into_iter().for_each(|leaf| push_leaf(&mut own, leaf));
                    node.kind = InlineKind::Text(own);
                }
            }
        }
        joined.push(node);
    }
    *nodes = joined;
}

/// Appends a leaf, or its text if the last leaf has the same marks.
fn push_leaf(leaves: &mut Vec<Leaf>, leaf: Leaf) {
    match leaves.last_mut() {
        Some(last) if last.marks == leaf.marks && last.is_markup == leaf.is_markup => {
            last.text.push_str(&leaf.text);
        }
        _ => leaves.push(leaf),
    }
}

/// Derives keys: for a block without child blocks from its source, for a container from its
/// children's keys, and for equal blocks also from their order. A change to a block does not affect
/// the keys of its neighbors. The identity does not affect derivation; it replaces derived keys
/// afterwards.
struct Keys<'s> {
    source: &'s str,
    identity: &'s Identity,
    counts: HashMap<u64, u64>,
    /// The last hashed span and its hash, because adjacent blocks may share a span.
    last: (Span, u64),
}

impl Keys<'_> {
    fn unique(&mut self, hash: u64) -> Key {
        let count = self.counts.entry(hash).or_default();
        *count += 1;
        if *count == 1 { Key(hash) } else { Key(hash).part(part::DUPLICATES + *count) }
    }

    fn of_source(&mut self, seed: u64, span: Span) -> Key {
        if self.last.0 != span || span.is_empty() {
            self.last = (span, hash(0, span.of(self.source).as_bytes()));
        }
        let mixed = Key(self.last.1).part(seed);
        self.unique(mixed.0)
    }

    fn list(&mut self, seed: u64, nodes: &mut [Block]) -> u64 {
        nodes.iter_mut().fold(seed, |all, block| Key(all).part(self.block(block).0).0)
    }

    fn items<T>(
        &mut self,
        seed: u64,
        items: &mut [Node<T>],
        nodes: fn(&mut T) -> &mut Vec<Block>,
    ) -> u64 {
        items.iter_mut().fold(seed, |all, item| {
            let hash = self.list(seed, or_empty_paragraph_in_place(nodes(&mut item.kind)));
            let derived = self.unique(Key(hash).part(1).0);
            item.key = self.identity.key(derived);
            Key(all).part(derived.0).0
        })
    }

    /// Assigns keys to a block and everything in it. Returns the block's derived key.
    fn block(&mut self, block: &mut Block) -> Key {
        let span = block.span;
        let hash = match &mut block.kind {
            BlockKind::OrderedList { items, start } => {
                let seed = Key(11).part(*start).0;
                self.items(seed, items, |item| &mut item.nodes)
            }
            BlockKind::UnorderedList { items } => self.items(12, items, |item| &mut item.nodes),
            BlockKind::TaskList { items } => self.items(13, items, |item| &mut item.nodes),
            BlockKind::Quote { nodes } => self.list(14, nodes),
            BlockKind::If { nodes, .. } => self.list(15, nodes),
            BlockKind::Hint(hint) => self.list(16, &mut hint.nodes),
            BlockKind::Expandable(expandable) => self.list(17, &mut expandable.nodes),
            BlockKind::Tabs { items, .. } => self.items(18, items, |tab| &mut tab.nodes),
            BlockKind::Stepper { steps } => self.items(19, steps, |step| &mut step.nodes),
            BlockKind::Columns { columns, .. } => {
                self.items(20, columns, |column| &mut column.nodes)
            }
            BlockKind::Opaque(opaque) if !opaque.nodes.is_empty() => {
                self.list(21, &mut opaque.nodes)
            }
            kind => {
                let derived = self.of_source(seed_of(kind), span);
                block.key = self.identity.key(derived);
                let key = block.key;
                self.leaf_block(kind, key);
                self.inlines_of(block);
                return derived;
            }
        };
        let derived = self.unique(Key(hash).part(2).0);
        block.key = self.identity.key(derived);
        self.inlines_of(block);
        derived
    }

    /// Assigns keys to the parts of a block without child blocks.
    fn leaf_block(&mut self, kind: &mut BlockKind, key: Key) {
        match kind {
            BlockKind::Code(code) => {
                for line in &mut code.lines {
                    let derived = self.unique(hash(23, line.kind.text.as_bytes()));
                    line.key = self.identity.key(derived);
                    self.inlines(&mut line.kind.rich, line.key);
                }
            }
            BlockKind::Images(images) => {
                for (n, image) in (part::IMAGES..).zip(&mut images.images) {
                    image.key = self.identity.key(key.part(n));
                }
            }
            BlockKind::Table(table) => {
                let cells = table.rows.iter_mut().flat_map(|row| &mut row.cells);
                for (n, cell) in (part::CELLS..).zip(cells) {
                    if let Cell::Text { key: cell_key, nodes } = cell {
                        *cell_key = self.identity.key(key.part(n));
                        nodes.iter_mut().for_each(|block| {
                            self.block(block);
                        });
                    }
                }
            }
            _ => {}
        }
    }

    /// Assigns keys to a block's own inlines. Inlines of images and lines of code derive their keys
    /// from those.
    fn inlines_of(&self, block: &mut Block) {
        let key = block.key;
        match &mut block.kind {
            BlockKind::Code(_) => {}
            BlockKind::Images(images) => {
                images.images.iter_mut().for_each(|i| self.inlines(&mut i.kind.caption, i.key));
            }
            _ => inline_lists(block, &mut |nodes| self.inlines(nodes, key)),
        }
    }

    fn inlines(&self, nodes: &mut [Inline], parent: Key) {
        for (n, node) in (part::INLINES..).zip(nodes) {
            node.key = self.identity.key(parent.part(n));
            if let InlineKind::Link(link) = &mut node.kind {
                self.inlines(&mut link.nodes, node.key);
            }
        }
    }
}

fn or_empty_paragraph_in_place(nodes: &mut Vec<Block>) -> &mut Vec<Block> {
    if nodes.is_empty() {
        *nodes = or_empty_paragraph(Vec::new());
    }
    nodes
}

fn seed_of(kind: &BlockKind) -> u64 {
    match kind {
        BlockKind::Paragraph(_) => 31,
        BlockKind::Heading(_) => 32,
        BlockKind::Code(_) => 33,
        BlockKind::Table(_) => 34,
        _ => 35,
    }
}
