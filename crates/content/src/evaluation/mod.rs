//! Evaluates the expressions of documents and of their sources.

mod includes;
mod source;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use bindery_expression::{Context, Evaluator, Expression};

use crate::document::{
    Block, BlockKind, Cell, Document, Inline, InlineKind, Key, Leaf, Node, Paragraph, Visit,
    plain_text,
};
use crate::source::Span;

pub use includes::include;
pub use source::{evaluate_source, evaluate_source_with};

/// Selects the expressions of a document to evaluate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// No expressions.
    Nothing,
    /// Expressions that do not depend on the visitor.
    Deterministic,
    /// Expressions that do not depend on the visitor. Conditional blocks that nobody sees are kept.
    DeterministicKeepingUnmet,
    /// All expressions.
    Everything,
}

/// Evaluates the expressions of a document. A conditional block is replaced by its content if its
/// condition is true and removed otherwise; an inline expression is replaced by its text.
#[must_use]
pub fn evaluate_document(document: &Document, context: &Context, mode: Mode) -> Document {
    evaluate_document_with(document, &Evaluator::new(context), mode)
}

/// Evaluates the expressions of a document like [`evaluate_document`], with an evaluator.
#[must_use]
pub fn evaluate_document_with(
    document: &Document,
    evaluator: &Evaluator<'_>,
    mode: Mode,
) -> Document {
    let mut document = document.clone();
    if mode != Mode::Nothing && has_expressions(&document) {
        let evaluation = Evaluation { evaluator, mode };
        evaluation.blocks(&mut document.nodes);
        evaluation.blocks(&mut document.unused_notes);
    }
    document
}

fn has_expressions(document: &Document) -> bool {
    struct Found(bool);
    impl<'d> Visit<'d> for Found {
        fn block(&mut self, block: &'d Block) {
            self.0 |= match &block.kind {
                BlockKind::If { .. } => true,
                // Walks skip the inlines of code lines and visit only the text of the line.
                BlockKind::Code(code) => code.lines.iter().any(|line| !line.kind.rich.is_empty()),
                _ => false,
            };
        }
        fn inline(&mut self, inline: &'d Inline) {
            self.0 |= matches!(inline.kind, InlineKind::Expression { .. });
        }
    }
    let mut found = Found(false);
    document.walk(&mut found);
    document.walk_unused_notes(&mut found);
    found.0
}

#[derive(Clone, Copy)]
struct Evaluation<'e> {
    evaluator: &'e Evaluator<'e>,
    mode: Mode,
}

/// The result of evaluating an expression, or `Keep` if it is not to be evaluated.
enum Replacement<T> {
    Keep,
    With(T),
}

impl Evaluation<'_> {
    fn is_true(&self, expression: &Expression) -> bool {
        self.evaluator.is_true(expression)
    }

    fn render(&self, expression: &Expression) -> Option<String> {
        self.evaluator.render(expression)
    }

    fn evaluate<T>(
        &self,
        source: &str,
        failed: T,
        run: impl FnOnce(&Expression) -> T,
    ) -> Replacement<T> {
        match Expression::parse(source) {
            Ok(read) if self.mode != Mode::Everything && read.depends_on_visitor() => {
                Replacement::Keep
            }
            Ok(read) => Replacement::With(run(&read)),
            Err(_) => Replacement::With(failed),
        }
    }

    fn blocks(&self, nodes: &mut Vec<Block>) {
        for mut block in std::mem::take(nodes) {
            let replacement = match &block.kind {
                BlockKind::If { expression, .. } => {
                    self.evaluate(expression, false, |read| self.is_true(read))
                }
                _ => Replacement::Keep,
            };
            let replacement = match replacement {
                Replacement::With(false) if self.mode == Mode::DeterministicKeepingUnmet => {
                    Replacement::Keep
                }
                other => other,
            };
            match (replacement, &mut block.kind) {
                (Replacement::With(false), _) => {}
                (Replacement::With(true), BlockKind::If { nodes: guarded, .. }) => {
                    self.blocks(guarded);
                    nodes.append(guarded);
                }
                (_, kind) => {
                    self.block(kind, block.key);
                    nodes.push(block);
                }
            }
        }
    }

    /// Evaluates the blocks of a container that must not be empty.
    fn non_empty_blocks(&self, nodes: &mut Vec<Block>, container: Key) {
        self.blocks(nodes);
        if nodes.is_empty() {
            let empty = BlockKind::Paragraph(Paragraph::default());
            let key = Key(container.0.wrapping_add(1));
            nodes.push(Node { key, span: Span::default(), kind: empty });
        }
    }

    fn block(&self, block: &mut BlockKind, key: Key) {
        match block {
            BlockKind::Paragraph(paragraph) => self.inlines(&mut paragraph.nodes),
            BlockKind::Heading(heading) => self.inlines(&mut heading.nodes),
            BlockKind::OrderedList { items, .. }
            | BlockKind::UnorderedList { items }
            | BlockKind::TaskList { items } => {
                items
                    .iter_mut()
                    .for_each(|item| self.non_empty_blocks(&mut item.kind.nodes, item.key));
            }
            BlockKind::Quote { nodes } => self.non_empty_blocks(nodes, key),
            BlockKind::If { nodes, .. } => self.blocks(nodes),
            BlockKind::Hint(hint) => self.non_empty_blocks(&mut hint.nodes, key),
            BlockKind::Images(images) => {
                images.images.iter_mut().for_each(|image| self.inlines(&mut image.kind.caption));
            }
            BlockKind::File(file) => self.inlines(&mut file.caption),
            BlockKind::Embed(embed) => self.inlines(&mut embed.caption),
            BlockKind::Table(table) => {
                for cell in table.rows.iter_mut().flat_map(|row| &mut row.cells) {
                    if let Cell::Text { nodes, key } = cell {
                        self.non_empty_blocks(nodes, *key);
                    }
                }
            }
            BlockKind::Expandable(expandable) => {
                self.inlines(&mut expandable.title);
                self.non_empty_blocks(&mut expandable.nodes, key);
            }
            BlockKind::Tabs { items, .. } => {
                items
                    .iter_mut()
                    .for_each(|tab| self.non_empty_blocks(&mut tab.kind.nodes, tab.key));
            }
            BlockKind::Stepper { steps } => {
                steps
                    .iter_mut()
                    .for_each(|step| self.non_empty_blocks(&mut step.kind.nodes, step.key));
            }
            BlockKind::Columns { columns, .. } => {
                columns
                    .iter_mut()
                    .for_each(|one| self.non_empty_blocks(&mut one.kind.nodes, one.key));
            }
            BlockKind::Opaque(opaque) => self.blocks(&mut opaque.nodes),
            BlockKind::Code(code) => {
                for line in code.lines.iter_mut().filter(|line| !line.kind.rich.is_empty()) {
                    self.inlines(&mut line.kind.rich);
                    line.kind.text = plain_text(&line.kind.rich);
                }
            }
            BlockKind::Math { .. }
            | BlockKind::Divider
            | BlockKind::Drawing(_)
            | BlockKind::ContentRef(_)
            | BlockKind::ReusableContent(_)
            | BlockKind::OpenApi(_)
            | BlockKind::Integration(_) => {}
        }
    }

    fn inlines(&self, nodes: &mut Vec<Inline>) {
        nodes.retain_mut(|node| match &mut node.kind {
            InlineKind::Expression { expression } => {
                let replacement = self.evaluate(expression, None, |read| self.render(read));
                match replacement {
                    Replacement::Keep => true,
                    Replacement::With(None) => false,
                    Replacement::With(Some(text)) => {
                        node.kind = InlineKind::Text(vec![Leaf { text, ..Leaf::default() }]);
                        true
                    }
                }
            }
            InlineKind::Link(link) => {
                self.inlines(&mut link.nodes);
                true
            }
            InlineKind::Annotation(annotation) => {
                self.non_empty_blocks(Arc::make_mut(&mut annotation.body), node.key);
                true
            }
            InlineKind::Text(_)
            | InlineKind::Emoji { .. }
            | InlineKind::Icon(_)
            | InlineKind::Math { .. }
            | InlineKind::Image(_)
            | InlineKind::Mention(_)
            | InlineKind::Button(_) => true,
        });
    }
}
