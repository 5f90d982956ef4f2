//! Arbitrary documents for property tests: every block, inline and mark, nested as the dialect
//! permits.
//!
//! Content without a Markdown form is excluded: marks around spaces at their ends, breaks at the
//! ends of a paragraph or next to a space, backslashes in attributes, a formula or an image alone
//! in a paragraph (these are blocks), and lists whose items do not begin with text.

mod block;
mod inline;
mod table;
mod world;

use std::sync::Arc;

use proptest::prelude::*;

pub use self::world::{PAGE_PATH, World};
use crate::document::{
    Block, BlockKind, Cell, Document, Inline, InlineKind, Key, Node, Reference, complete,
};
use crate::markdown;
use crate::reference::ParseContext;
use crate::source::Span;

/// An arbitrary document with keys and anchors. Its references are those of [`World`], relative to
/// [`PAGE_PATH`]. It has no source, so its spans are empty.
pub fn document() -> impl Strategy<Value = Document> {
    blocks(0..6).prop_map(|nodes| {
        let mut document = Document { nodes, ..Document::default() };
        document.complete();
        document
    })
}

/// An arbitrary block, not yet completed with keys and anchors.
pub fn block() -> impl Strategy<Value = Block> {
    self::block::block()
}

/// A list of arbitrary blocks.
pub fn blocks(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Block>> {
    prop::collection::vec(block(), count)
}

/// Parses Markdown as the file [`PAGE_PATH`] of [`World`].
#[must_use]
pub fn parse(source: &str) -> Document {
    markdown::parse(source, &ParseContext { path: PAGE_PATH, lookup: &World })
}

/// Returns the document without everything that depends on its source or history: keys, spans, ids
/// of tables, spellings of targets, labels of notes, generated anchors. Two documents with the same
/// content are then equal.
#[must_use]
pub fn without_identity(document: &Document) -> Document {
    let mut document = document.clone();
    clear_blocks(&mut document.nodes);
    document
}

fn clear_blocks(blocks: &mut [Block]) {
    for block in blocks {
        (block.key, block.span) = Default::default();
        clear_parts(block);
        complete::inline_lists(block, &mut |nodes| clear_inlines(nodes));
        complete::child_lists(block, &mut |nodes| clear_blocks(nodes));
    }
}

fn clear_parts(block: &mut Block) {
    fn clear_nodes<T>(nodes: &mut [Node<T>]) {
        nodes.iter_mut().for_each(|node| (node.key, node.span) = Default::default());
    }
    match &mut block.kind {
        BlockKind::Heading(heading) => heading.anchor.clear(),
        BlockKind::OrderedList { items, .. }
        | BlockKind::UnorderedList { items }
        | BlockKind::TaskList { items } => clear_nodes(items),
        BlockKind::Code(code) => clear_nodes(&mut code.lines),
        BlockKind::Images(images) => {
            clear_nodes(&mut images.images);
            for image in &mut images.images {
                clear_reference(&mut image.kind.reference);
                image.kind.dark.iter_mut().for_each(clear_reference);
            }
        }
        BlockKind::File(file) => clear_reference(&mut file.reference),
        BlockKind::Drawing(reference)
        | BlockKind::ContentRef(reference)
        | BlockKind::ReusableContent(reference) => clear_reference(reference),
        BlockKind::OpenApi(part) => {
            clear_reference(&mut part.reference);
            part.anchor.clear();
        }
        BlockKind::Expandable(expandable) => expandable.anchor.clear(),
        BlockKind::Opaque(opaque) => opaque.references.iter_mut().for_each(clear_reference),
        BlockKind::Tabs { items, .. } => {
            clear_nodes(items);
            items.iter_mut().for_each(|tab| tab.kind.anchor.clear());
        }
        BlockKind::Stepper { steps } => clear_nodes(steps),
        BlockKind::Columns { columns, .. } => clear_nodes(columns),
        BlockKind::Table(table) => {
            for (n, column) in table.columns.iter_mut().enumerate() {
                column.id = format!("column-{n}");
            }
            for (n, row) in table.rows.iter_mut().enumerate() {
                row.id = format!("row-{n}");
                row.span = Span::default();
                row.cells.iter_mut().for_each(clear_cell);
            }
        }
        BlockKind::Paragraph(_)
        | BlockKind::Quote { .. }
        | BlockKind::Hint(_)
        | BlockKind::Math { .. }
        | BlockKind::Divider
        | BlockKind::Embed(_)
        | BlockKind::If { .. }
        | BlockKind::Integration(_) => {}
    }
}

fn clear_cell(cell: &mut Cell) {
    match cell {
        Cell::Text { key, .. } => *key = Key::default(),
        Cell::References(references) => references.iter_mut().for_each(clear_reference),
        Cell::Reference(reference) | Cell::Image { reference, .. } => clear_reference(reference),
        Cell::Empty | Cell::Number(_) | Cell::Unusable(_) | Cell::Checkbox(_) | Cell::Values(_) => {
        }
    }
}

fn clear_inlines(nodes: &mut [Inline]) {
    for node in nodes {
        (node.key, node.span) = Default::default();
        match &mut node.kind {
            InlineKind::Link(link) => {
                clear_reference(&mut link.reference);
                clear_inlines(&mut link.nodes);
            }
            InlineKind::Image(image) => {
                clear_reference(&mut image.reference);
                image.dark.iter_mut().for_each(clear_reference);
            }
            InlineKind::Annotation(annotation) => {
                annotation.label.clear();
                clear_blocks(&mut *Arc::make_mut(&mut annotation.body));
            }
            InlineKind::Mention(reference) => clear_reference(reference),
            InlineKind::Button(button) => clear_reference(&mut button.reference),
            InlineKind::Text(_)
            | InlineKind::Emoji { .. }
            | InlineKind::Icon(_)
            | InlineKind::Expression { .. }
            | InlineKind::Math { .. } => {}
        }
    }
}

fn clear_reference(reference: &mut Reference) {
    reference.raw.clear();
    reference.span = Span::default();
}
