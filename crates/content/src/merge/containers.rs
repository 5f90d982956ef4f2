//! The blocks of a document by key, and the containers they are in.

use std::collections::{HashMap, HashSet};

use crate::document::{Block, BlockKind, Cell, Inline, InlineKind, Key};

/// The blocks of a document by key, each with the key of its container.
pub(super) struct Containers<'d> {
    containers: HashMap<Key, (Key, &'d Block)>,
    /// Keys of several blocks, which identify none.
    ambiguous: HashSet<Key>,
}

impl<'d> Containers<'d> {
    pub(super) fn of(nodes: &'d [Block]) -> Self {
        let mut containers = Self { containers: HashMap::new(), ambiguous: HashSet::new() };
        containers.blocks(Key::default(), nodes);
        for key in &containers.ambiguous {
            containers.containers.remove(key);
        }
        containers
    }

    /// Returns the block with this key if it is unique.
    pub(super) fn get(&self, key: Key) -> Option<&'d Block> {
        self.containers.get(&key).map(|&(_, block)| block)
    }

    /// Returns the key of the container of the block with this key.
    pub(super) fn container(&self, key: Key) -> Option<Key> {
        self.containers.get(&key).map(|&(container, _)| container)
    }

    fn blocks(&mut self, container: Key, nodes: &'d [Block]) {
        for node in nodes {
            if node.key == Key::default()
                || self.containers.insert(node.key, (container, node)).is_some()
            {
                self.ambiguous.insert(node.key);
            }
            self.children(node);
        }
    }

    fn children(&mut self, block: &'d Block) {
        match &block.kind {
            BlockKind::OrderedList { items, .. }
            | BlockKind::UnorderedList { items }
            | BlockKind::TaskList { items } => {
                items.iter().for_each(|item| self.blocks(item.key, &item.kind.nodes));
            }
            BlockKind::Quote { nodes } | BlockKind::If { nodes, .. } => {
                self.blocks(block.key, nodes);
            }
            BlockKind::Hint(hint) => self.blocks(block.key, &hint.nodes),
            BlockKind::Expandable(expandable) => {
                self.notes(&expandable.title);
                self.blocks(block.key, &expandable.nodes);
            }
            BlockKind::Tabs { items, .. } => {
                items.iter().for_each(|item| self.blocks(item.key, &item.kind.nodes));
            }
            BlockKind::Stepper { steps } => {
                steps.iter().for_each(|step| self.blocks(step.key, &step.kind.nodes));
            }
            BlockKind::Columns { columns, .. } => {
                columns.iter().for_each(|column| self.blocks(column.key, &column.kind.nodes));
            }
            BlockKind::Table(table) => {
                for cell in table.rows.iter().flat_map(|row| &row.cells) {
                    if let Cell::Text { key, nodes } = cell {
                        self.blocks(*key, nodes);
                    }
                }
            }
            BlockKind::Paragraph(paragraph) => self.notes(&paragraph.nodes),
            BlockKind::Heading(heading) => self.notes(&heading.nodes),
            _ => {}
        }
    }

    /// Blocks of notes stay in their note, so their keys are excluded.
    fn notes(&mut self, nodes: &'d [Inline]) {
        for node in nodes {
            if let InlineKind::Annotation(annotation) = &node.kind {
                self.ambiguous.extend(annotation.body.iter().map(|block| block.key));
            }
        }
    }
}

/// Returns the blocks of the base that a side moved to another container.
pub(super) fn moved_blocks([base, ours, theirs]: &[Containers<'_>; 3]) -> HashSet<Key> {
    let moved = |key: &Key, container: Key| {
        [ours, theirs]
            .into_iter()
            .any(|side| side.container(*key).is_some_and(|at| at != container))
    };
    let clear = |key: &Key| {
        [base, ours, theirs].into_iter().all(|containers| !containers.ambiguous.contains(key))
    };
    let keys =
        base.containers.iter().filter(|(key, (container, _))| clear(key) && moved(key, *container));
    keys.map(|(key, _)| *key).collect()
}
