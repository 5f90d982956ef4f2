//! Mistakes in documents that readers see as missing or unformatted content.

use bindery_expression::Expression;

use crate::Document;
use crate::document::{Block, BlockKind, Inline, InlineKind, Key, OpaqueKind, Visit};
use crate::html;

/// The kind of a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// A block tag that is not known, which is shown as its source.
    UnknownBlock,
    /// A condition that cannot be evaluated, whose blocks are never shown.
    InvalidCondition,
    /// An inline expression that cannot be evaluated, which shows nothing.
    InvalidExpression,
    /// A formula that cannot be typeset, which is shown as its source.
    InvalidFormula,
    /// A block for a part of an OpenAPI specification that does not exist, which shows nothing. Only
    /// callers that know the specifications find it.
    MissingApiPart,
    /// A block for an operation whose new version breaks programs. Only callers that know the versions
    /// find it.
    BreakingApiChange,
}

/// A mistake in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The kind of the mistake.
    pub kind: ProblemKind,
    /// The explanation.
    pub message: String,
    /// The key of the block.
    pub block: Key,
    /// The source of the mistake.
    pub source: String,
}

/// Returns the first mistakes in a document, at most `limit`.
#[must_use]
pub fn problems(document: &Document, limit: usize) -> Vec<Problem> {
    let mut finder = Finder { found: Vec::new(), limit, blocks: Vec::new() };
    document.walk(&mut finder);
    finder.found
}

/// Returns the explanation of a mistake in an expression; `None` if it has none.
fn mistake(expression: &str) -> Option<String> {
    Expression::check(expression).err().map(|error| error.to_string())
}

struct Finder {
    found: Vec<Problem>,
    limit: usize,
    /// The keys of the enclosing blocks.
    blocks: Vec<Key>,
}

impl Finder {
    fn is_full(&self) -> bool {
        self.found.len() >= self.limit
    }

    fn add(&mut self, kind: ProblemKind, message: String, source: &str) {
        if let Some(block) = self.blocks.last() {
            self.found.push(Problem { kind, message, block: *block, source: source.to_owned() });
        }
    }

    fn formula(&mut self, formula: &str, is_block: bool) {
        if !html::is_formula(formula, is_block) {
            let message = "The formula cannot be typeset: it is shown as its source.".to_owned();
            self.add(ProblemKind::InvalidFormula, message, formula);
        }
    }
}

impl<'d> Visit<'d> for Finder {
    fn block(&mut self, block: &'d Block) {
        self.blocks.push(block.key);
        if self.is_full() {
            return;
        }
        match &block.kind {
            BlockKind::If { expression, .. } => {
                if let Some(message) = mistake(expression) {
                    self.add(ProblemKind::InvalidCondition, message, expression);
                }
            }
            BlockKind::Math { formula } => self.formula(formula, true),
            BlockKind::Opaque(opaque)
                if opaque.block == OpaqueKind::Unknown
                    && opaque.source.trim_start().starts_with("{%") =>
            {
                let message = "The block is of an unknown kind: it is shown as its source.";
                self.add(ProblemKind::UnknownBlock, message.to_owned(), &opaque.source);
            }
            _ => {}
        }
    }

    fn end_block(&mut self, _: &'d Block) {
        self.blocks.pop();
    }

    fn inline(&mut self, inline: &'d Inline) {
        if self.is_full() {
            return;
        }
        match &inline.kind {
            InlineKind::Expression { expression } => {
                if let Some(message) = mistake(expression) {
                    self.add(ProblemKind::InvalidExpression, message, expression);
                }
            }
            InlineKind::Math { formula } => self.formula(formula, false),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown;
    use crate::reference::{NoLookup, ParseContext};

    fn found(source: &str, limit: usize) -> Vec<(ProblemKind, String)> {
        let context = ParseContext { path: "a.md", lookup: &NoLookup };
        let document = markdown::parse(source, &context);
        problems(&document, limit).into_iter().map(|one| (one.kind, one.source)).collect()
    }

    #[test]
    fn mistakes_are_found_and_correct_content_is_not() {
        let correct = "# A\n\n<div>html</div>\n\n$$x^2$$ and <code class=\"expression\">\
                       space.vars.a</code>\n\n{% if visitor.claims.b %}\nText\n{% endif %}\n";
        assert_eq!(found(correct, 9), []);
        let wrong = "{% parrot %}\n\n<code class=\"expression\">space.vars.</code>\n\n\
                     > {% if plan == 1 %}\n> Text $$\\frac{1$$\n> {% endif %}\n\n$$\n\\nix{\n$$\n";
        let kinds: Vec<_> = found(wrong, 9).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(
            kinds,
            [
                ProblemKind::UnknownBlock,
                ProblemKind::InvalidExpression,
                ProblemKind::InvalidCondition,
                ProblemKind::InvalidFormula,
                ProblemKind::InvalidFormula,
            ]
        );
        assert_eq!(found(wrong, 2).len(), 2);
        assert_eq!(found(wrong, 9)[2].1, "plan == 1");
    }
}
