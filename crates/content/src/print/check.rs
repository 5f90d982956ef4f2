//! Parses printed text to verify that it has the intended meaning.

use std::sync::Arc;

use super::inline::LineKind;
use super::{PrintContext, marks};
use crate::document::equality::ContentEq;
use crate::document::{Block, BlockKind, Inline, InlineKind, Leaf, Marks, Node, Paragraph};
use crate::markdown;
use crate::source::Span;

/// Returns `true` if a block contains only text that cannot be parsed as anything else.
pub(super) fn is_literal(block: &Block) -> bool {
    let nodes = match &block.kind {
        BlockKind::Paragraph(paragraph) => &paragraph.nodes,
        BlockKind::Heading(heading) => &heading.nodes,
        _ => return false,
    };
    nodes.iter().all(|node| match &node.kind {
        InlineKind::Text(leaves) => leaves.iter().all(|leaf| {
            leaf.marks == Marks::default() && !leaf.is_markup && marks::is_literal(&leaf.text)
        }),
        _ => false,
    })
}

/// Returns `true` if `text` parses to exactly this block. Ignores the contents of notes.
pub(super) fn parses_to(text: &str, block: &Block, context: &PrintContext<'_>) -> bool {
    let mut expected = block.clone();
    let has_notes = unify_notes(std::slice::from_mut(&mut expected));
    let mut source = text.to_owned();
    if has_notes {
        for after in text.split("#user-content-fn-").skip(1) {
            let label = after.split([')', '"']).next().unwrap_or_default();
            source.push_str(&format!("\n\n[^{label}]: x"));
        }
    }
    let mut read = markdown::parse(&source, &context.reader());
    unify_notes(&mut read.nodes);
    matches!(read.nodes.as_slice(), [only] if super::normal::block_of(only, &context.reader()).content_eq(&expected))
}

/// Replaces all notes with the same note, and returns `true` if there were any.
fn unify_notes(blocks: &mut [Block]) -> bool {
    let leaf = Leaf { text: "x".to_owned(), ..Leaf::default() };
    let text: Inline = Node::new(Span::default(), InlineKind::Text(vec![leaf]));
    let paragraph = Paragraph { align: None, nodes: vec![text] };
    let note = Arc::new(vec![Node::new(Span::default(), BlockKind::Paragraph(paragraph))]);
    let mut found = false;
    for block in blocks {
        super::normal::each_inline_list(block, &mut |nodes, _: LineKind| {
            for node in nodes {
                if let InlineKind::Annotation(annotation) = &mut node.kind {
                    annotation.body = Arc::clone(&note);
                    found = true;
                }
            }
        });
    }
    found
}
