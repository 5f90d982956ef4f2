//! Tracks the blocks that need stricter escaping because they were misread before.

use std::collections::HashMap;

use super::inline::Escaping;
use crate::document::equality::{ContentEq, digest};
use crate::document::{Block, BlockKind, Cell, Inline, InlineKind};

/// The escaping levels of blocks that need more than plain printing. Blocks are keyed by their
/// contents, so that equal blocks are printed in the same way everywhere.
#[derive(Default)]
pub(super) struct EscapingLevels(HashMap<u64, Escaping>);

impl EscapingLevels {
    /// Returns the escaping level of a block.
    pub(super) fn of(&self, block: &Block) -> Escaping {
        if self.0.is_empty() {
            return Escaping::Plain;
        }
        self.0.get(&digest(&block.kind)).copied().unwrap_or(Escaping::Plain)
    }

    /// Raises the level of the innermost blocks that were misread. Returns `false` if no level can
    /// be raised further.
    pub(super) fn raise(&mut self, expected: &[Block], read: &[Block]) -> bool {
        let same = |(left, right): &(&Block, &Block)| left.content_eq(right);
        let start = expected.iter().zip(read).take_while(same).count();
        let limit = expected.len().min(read.len()) - start;
        let ends = expected.iter().rev().zip(read.iter().rev()).take(limit);
        let end = ends.take_while(same).count();
        let expected_blocks = expected.get(start..expected.len() - end).unwrap_or_default();
        let read_blocks = read.get(start..read.len() - end).unwrap_or_default();
        let mut raised = false;
        if expected_blocks.len() == read_blocks.len() {
            for (expected_block, read_block) in
                expected_blocks.iter().zip(read_blocks).filter(|pair| !same(pair))
            {
                raised |= self.raise_differing(expected_block, read_block);
            }
            return raised;
        }
        // A block that merges with a neighbor may not be the cause itself.
        let to = (expected.len() - end + 1).min(expected.len());
        for block in expected.get(start.saturating_sub(1)..to).unwrap_or_default() {
            raised |= self.raise_all(block);
        }
        raised
    }

    fn raise_differing(&mut self, expected_block: &Block, read_block: &Block) -> bool {
        let (inner, other) = (children(expected_block), children(read_block));
        let is_alike = expected_block.kind.variant() == read_block.kind.variant()
            && inner.len() == other.len();
        if !is_alike {
            return self.raise_all(expected_block);
        }
        let mut raised = false;
        for (expected_block, read_block) in inner.iter().zip(&other) {
            raised |=
                !all_same(expected_block, read_block) && self.raise(expected_block, read_block);
        }
        raised || self.raise_one(expected_block)
    }

    /// Raises the level of a block and of all blocks within it.
    fn raise_all(&mut self, block: &Block) -> bool {
        let mut raised = false;
        for block in children(block).into_iter().flatten() {
            raised |= self.raise_all(block);
        }
        self.raise_one(block) || raised
    }

    fn raise_one(&mut self, block: &Block) -> bool {
        let escaping = self.0.entry(digest(&block.kind)).or_insert(Escaping::Plain);
        match escaping.stricter() {
            Some(more) => {
                *escaping = more;
                true
            }
            None => false,
        }
    }
}

fn all_same(left: &[Block], right: &[Block]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.content_eq(right))
}

/// Returns the lists of blocks within a block, including those of its notes.
fn children(block: &Block) -> Vec<&[Block]> {
    fn notes<'b>(nodes: &'b [Inline], to: &mut Vec<&'b [Block]>) {
        for node in nodes {
            if let InlineKind::Annotation(annotation) = &node.kind {
                to.push(&annotation.body);
            }
        }
    }
    let mut lists: Vec<&[Block]> = Vec::new();
    match &block.kind {
        BlockKind::Paragraph(paragraph) => notes(&paragraph.nodes, &mut lists),
        BlockKind::Heading(heading) => notes(&heading.nodes, &mut lists),
        BlockKind::OrderedList { items, .. }
        | BlockKind::UnorderedList { items }
        | BlockKind::TaskList { items } => {
            lists.extend(items.iter().map(|item| item.kind.nodes.as_slice()));
        }
        BlockKind::Quote { nodes } | BlockKind::If { nodes, .. } => lists.push(nodes),
        BlockKind::Hint(hint) => lists.push(&hint.nodes),
        BlockKind::Code(code) => {
            code.lines.iter().for_each(|line| notes(&line.kind.rich, &mut lists));
        }
        BlockKind::Images(images) => {
            images.images.iter().for_each(|image| notes(&image.kind.caption, &mut lists));
        }
        BlockKind::File(file) => notes(&file.caption, &mut lists),
        BlockKind::Embed(embed) => notes(&embed.caption, &mut lists),
        BlockKind::Table(table) => {
            for cell in table.rows.iter().flat_map(|row| &row.cells) {
                if let Cell::Text { nodes, .. } = cell {
                    nodes.iter().for_each(|block| lists.extend(children(block)));
                }
            }
        }
        BlockKind::Expandable(expandable) => {
            notes(&expandable.title, &mut lists);
            lists.push(&expandable.nodes);
        }
        BlockKind::Tabs { items, .. } => {
            lists.extend(items.iter().map(|tab| tab.kind.nodes.as_slice()));
        }
        BlockKind::Stepper { steps } => {
            lists.extend(steps.iter().map(|step| step.kind.nodes.as_slice()));
        }
        BlockKind::Columns { columns, .. } => {
            lists.extend(columns.iter().map(|column| column.kind.nodes.as_slice()));
        }
        BlockKind::Math { .. }
        | BlockKind::Divider
        | BlockKind::Drawing(_)
        | BlockKind::ContentRef(_)
        | BlockKind::ReusableContent(_)
        | BlockKind::OpenApi(_)
        | BlockKind::Integration(_)
        | BlockKind::Opaque(_) => {}
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arbitrary;

    fn parse(source: &str) -> Vec<Block> {
        arbitrary::parse(source).nodes
    }

    #[test]
    fn care_is_taken_of_the_innermost_block_that_was_read_otherwise() {
        let expected = parse("a\n\n> b\n>\n> c\n");
        let mut escaping_levels = EscapingLevels::default();
        assert!(escaping_levels.raise(&expected, &parse("a\n\n> b\n>\n> x\n")));
        let escaping = |escaping_levels: &EscapingLevels, source: &str| {
            parse(source).iter().map(|block| escaping_levels.of(block)).collect::<Vec<_>>()
        };
        assert_eq!(
            escaping(&escaping_levels, "a\n\nb\n\nc\n"),
            [Escaping::Plain, Escaping::Plain, Escaping::Escaped]
        );
        assert_eq!(escaping(&escaping_levels, "> b\n>\n> c\n"), [Escaping::Plain]);
        assert!(escaping_levels.raise(&expected, &parse("a\n\n> b\n>\n> x\n")));
        assert_eq!(escaping(&escaping_levels, "c\n"), [Escaping::Full]);
        assert!(escaping_levels.raise(&expected, &parse("a\n\n> b\n>\n> x\n")));
        assert_eq!(escaping(&escaping_levels, "c\n"), [Escaping::Literal]);
        // Then the level of the container rises, up to the limit.
        assert!(escaping_levels.raise(&expected, &parse("a\n\n> b\n>\n> x\n")));
        assert!(escaping_levels.raise(&expected, &parse("a\n\n> b\n>\n> x\n")));
        assert!(escaping_levels.raise(&expected, &parse("a\n\n> b\n>\n> x\n")));
        assert_eq!(escaping(&escaping_levels, "> b\n>\n> c\n"), [Escaping::Literal]);
        assert!(!escaping_levels.raise(&expected, &parse("a\n\n> b\n>\n> x\n")));
    }

    #[test]
    fn care_is_taken_of_all_that_ran_together() {
        let expected = parse("a\n\nb\n\nc\n\nd\n");
        let mut escaping_levels = EscapingLevels::default();
        assert!(escaping_levels.raise(&expected, &parse("a\n\nb c\n\nd\n")));
        let escaping_levels: Vec<Escaping> =
            expected.iter().map(|block| escaping_levels.of(block)).collect();
        assert_eq!(escaping_levels, [Escaping::Escaped; 4]);
    }

    #[test]
    fn care_is_taken_of_notes() {
        let expected = parse("a[^1]\n\n[^1]: b\n");
        let mut escaping_levels = EscapingLevels::default();
        assert!(escaping_levels.raise(&expected, &parse("a[^1]\n\n[^1]: c\n")));
        assert_eq!(escaping_levels.of(&expected[0]), Escaping::Plain);
        assert_eq!(escaping_levels.of(&parse("b")[0]), Escaping::Escaped);
    }
}
