//! Tracks the blocks that need stricter escaping because they were misread before.

use std::collections::HashMap;

use super::inline::Care;
use crate::document::equality::{ContentEq, digest};
use crate::document::{Block, BlockKind, Cell, Inline, InlineKind};

/// The escaping levels of blocks that need more than plain printing. Blocks are keyed by their
/// contents, so that equal blocks are printed in the same way everywhere.
#[derive(Default)]
pub(super) struct Cares(HashMap<u64, Care>);

impl Cares {
    /// Returns the escaping level of a block.
    pub(super) fn of(&self, block: &Block) -> Care {
        if self.0.is_empty() {
            return Care::Plain;
        }
        self.0.get(&digest(&block.kind)).copied().unwrap_or(Care::Plain)
    }

    /// Raises the level of the innermost blocks that were misread. Returns `false` if no level can
    /// be raised further.
    pub(super) fn raise(&mut self, expected: &[Block], read: &[Block]) -> bool {
        let same = |(left, right): &(&Block, &Block)| left.content_eq(right);
        let start = expected.iter().zip(read).take_while(same).count();
        let most = expected.len().min(read.len()) - start;
        let ends = expected.iter().rev().zip(read.iter().rev()).take(most);
        let end = ends.take_while(same).count();
        let ours = expected.get(start..expected.len() - end).unwrap_or_default();
        let theirs = read.get(start..read.len() - end).unwrap_or_default();
        let mut raised = false;
        if ours.len() == theirs.len() {
            for (ours, theirs) in ours.iter().zip(theirs).filter(|pair| !same(pair)) {
                raised |= self.differs(ours, theirs);
            }
            return raised;
        }
        // A block that merges with a neighbor may not be the cause itself.
        let to = (expected.len() - end + 1).min(expected.len());
        for block in expected.get(start.saturating_sub(1)..to).unwrap_or_default() {
            raised |= self.deep(block);
        }
        raised
    }

    fn differs(&mut self, ours: &Block, theirs: &Block) -> bool {
        let (inner, other) = (children(ours), children(theirs));
        let is_alike = ours.kind.variant() == theirs.kind.variant() && inner.len() == other.len();
        if !is_alike {
            return self.deep(ours);
        }
        let mut raised = false;
        for (ours, theirs) in inner.iter().zip(&other) {
            raised |= !all_same(ours, theirs) && self.raise(ours, theirs);
        }
        raised || self.one(ours)
    }

    /// Raises the level of a block and of all blocks within it.
    fn deep(&mut self, block: &Block) -> bool {
        let mut raised = false;
        for block in children(block).into_iter().flatten() {
            raised |= self.deep(block);
        }
        self.one(block) || raised
    }

    fn one(&mut self, block: &Block) -> bool {
        let care = self.0.entry(digest(&block.kind)).or_insert(Care::Plain);
        match care.more() {
            Some(more) => {
                *care = more;
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
    use crate::document::arbitrary;

    fn parse(source: &str) -> Vec<Block> {
        arbitrary::parse(source).nodes
    }

    #[test]
    fn care_is_taken_of_the_innermost_block_that_was_read_otherwise() {
        let expected = parse("a\n\n> b\n>\n> c\n");
        let mut cares = Cares::default();
        assert!(cares.raise(&expected, &parse("a\n\n> b\n>\n> x\n")));
        let care = |cares: &Cares, source: &str| {
            parse(source).iter().map(|block| cares.of(block)).collect::<Vec<_>>()
        };
        assert_eq!(care(&cares, "a\n\nb\n\nc\n"), [Care::Plain, Care::Plain, Care::Full]);
        assert_eq!(care(&cares, "> b\n>\n> c\n"), [Care::Plain]);
        assert!(cares.raise(&expected, &parse("a\n\n> b\n>\n> x\n")));
        assert_eq!(care(&cares, "c\n"), [Care::Literal]);
        // Then the level of the container rises, up to the limit.
        assert!(cares.raise(&expected, &parse("a\n\n> b\n>\n> x\n")));
        assert!(cares.raise(&expected, &parse("a\n\n> b\n>\n> x\n")));
        assert_eq!(care(&cares, "> b\n>\n> c\n"), [Care::Literal]);
        assert!(!cares.raise(&expected, &parse("a\n\n> b\n>\n> x\n")));
    }

    #[test]
    fn care_is_taken_of_all_that_ran_together() {
        let expected = parse("a\n\nb\n\nc\n\nd\n");
        let mut cares = Cares::default();
        assert!(cares.raise(&expected, &parse("a\n\nb c\n\nd\n")));
        let cares: Vec<Care> = expected.iter().map(|block| cares.of(block)).collect();
        assert_eq!(cares, [Care::Full; 4]);
    }

    #[test]
    fn care_is_taken_of_notes() {
        let expected = parse("a[^1]\n\n[^1]: b\n");
        let mut cares = Cares::default();
        assert!(cares.raise(&expected, &parse("a[^1]\n\n[^1]: c\n")));
        assert_eq!(cares.of(&expected[0]), Care::Plain);
        assert_eq!(cares.of(&parse("b")[0]), Care::Full);
    }
}
