//! Evaluates the expressions in Markdown source.

use bindery_expression::{Context, Evaluator};

use super::{Evaluation, Mode, Replacement};
use crate::document::{Block, BlockKind, Document, Inline, InlineKind, Visit};
use crate::source::Span;
use crate::syntax::tag::Tag;

/// Returns the source of a document with its expressions evaluated, like
/// [`evaluate_document`](super::evaluate_document). The content of false conditions is removed; if
/// its span in the source is not exact, the enclosing top-level block is removed.
#[must_use]
pub fn evaluate_source(source: &str, document: &Document, context: &Context, mode: Mode) -> String {
    evaluate_source_with(source, document, &Evaluator::new(context), mode)
}

/// Evaluates the expressions of a source like [`evaluate_source`], with an evaluator.
#[must_use]
pub fn evaluate_source_with(
    source: &str,
    document: &Document,
    evaluator: &Evaluator<'_>,
    mode: Mode,
) -> String {
    if mode == Mode::Nothing {
        return source.to_owned();
    }
    let evaluation = Evaluation { evaluator, mode };
    let mut edits = Edits { source, evaluation, edits: Vec::new(), depth: 0, top: Span::default() };
    document.walk(&mut edits);
    edits.apply()
}

/// Maximum length in bytes of the opening tag of an expression.
const TAG_LIMIT: usize = 256;

struct Edits<'e> {
    source: &'e str,
    evaluation: Evaluation<'e>,
    /// Spans and their replacements.
    edits: Vec<(Span, String)>,
    depth: usize,
    /// The current top-level block.
    top: Span,
}

impl Edits<'_> {
    fn remove(&mut self, span: Span) {
        self.edits.push((span, String::new()));
    }

    fn condition(&mut self, expression: &str, span: Span) {
        let replacement =
            self.evaluation.evaluate(expression, false, |read| self.evaluation.is_true(read));
        let text = span.of(self.source);
        let open = Tag::parse(text).filter(|tag| tag.name == "if" && !tag.is_end);
        let close = text.rfind("{%").filter(|at| {
            text.get(*at..).and_then(Tag::parse).is_some_and(|tag| tag.name == "if" && tag.is_end)
        });
        match (replacement, open, close) {
            (Replacement::Keep, ..) => {}
            (Replacement::With(false), Some(_), Some(_)) => self.remove(span),
            (Replacement::With(false), ..) => self.remove(self.top),
            (Replacement::With(true), Some(open), Some(close)) => {
                let end = span.start + open.length;
                let blank = text.get(open.length..).unwrap_or_default();
                let line_end = ["\r\n", "\n"].iter().find(|end| blank.starts_with(**end));
                self.remove(Span::new(span.start, end + line_end.map_or(0, |end| end.len())));
                self.remove(Span::new(span.start + close, span.end));
            }
            (Replacement::With(true), ..) => {}
        }
    }

    /// Returns the span of the `<code>` element around an expression. `span` covers its content or
    /// all of it.
    fn element(&self, span: Span) -> Option<Span> {
        const END: &str = "</code>";
        if span.of(self.source).starts_with("<code") {
            return Some(span);
        }
        let before = self.source.get(..span.start)?;
        let tag = before.bytes().rev().take(TAG_LIMIT).position(|byte| byte == b'<')?;
        let start = span.start.checked_sub(tag + 1)?;
        let is_tag = before.get(start..)?.starts_with("<code") && before.ends_with('>');
        let is_ended = self.source.get(span.end..)?.starts_with(END);
        (is_tag && is_ended).then(|| Span::new(start, span.end + END.len()))
    }

    /// Applies all edits. Edits within a removed span are ignored.
    fn apply(mut self) -> String {
        self.edits.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        let mut text = String::with_capacity(self.source.len());
        let mut at = 0;
        for (span, instead) in &self.edits {
            if span.start >= at {
                text.push_str(Span::new(at, span.start).of(self.source));
                text.push_str(instead);
                at = span.end;
            } else {
                at = at.max(span.end);
            }
        }
        text.push_str(Span::new(at, self.source.len()).of(self.source));
        text
    }
}

impl<'d> Visit<'d> for Edits<'_> {
    fn block(&mut self, block: &'d Block) {
        if self.depth == 0 {
            self.top = block.span;
        }
        self.depth += 1;
        if let BlockKind::If { expression, .. } = &block.kind {
            self.condition(expression, block.span);
        }
    }

    fn end_block(&mut self, _block: &'d Block) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn inline(&mut self, inline: &'d Inline) {
        let InlineKind::Expression { expression } = &inline.kind else { return };
        let Some(span) = self.element(inline.span) else { return };
        let replacement =
            self.evaluation.evaluate(expression, None, |read| self.evaluation.render(read));
        if let Replacement::With(text) = replacement {
            self.edits.push((span, escaped(&text.unwrap_or_default())));
        }
    }
}

/// Escapes a text so that Markdown reads it as plain text.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => escaped.push(' '),
            c if c.is_ascii_punctuation() && !matches!(c, '.' | ',' | '-' | ':' | '/' | '\'') => {
                escaped.extend(['\\', c]);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::NoLookup;
    use crate::{ParseContext, markdown};

    fn evaluate(source: &str, mode: Mode) -> String {
        let context = ParseContext { path: "page.md", lookup: &NoLookup };
        let document = markdown::parse(source, &context);
        let known = Context::new()
            .with_space([("version".into(), "5.8".into()), ("marks".into(), "*a*".into())]);
        evaluate_source(source, &document, &known, mode)
    }

    #[test]
    fn sources_are_evaluated() {
        for (source, mode, expected) in [
            ("a\n\n{% if false %}\nb\n{% endif %}\n\nc\n", Mode::Everything, "a\n\n\n\nc\n"),
            ("a\n\n{% if true %}\nb\n{% endif %}\n\nc\n", Mode::Everything, "a\n\nb\n\n\nc\n"),
            ("{% if true %}\r\nb\r\n{% endif %}\r\n", Mode::Everything, "b\r\n\r\n"),
            (
                "{% if true %}\na\n\n{% if false %}\nb\n{% endif %}\n\nc\n{% endif %}\n",
                Mode::Everything,
                "a\n\n\n\nc\n\n",
            ),
            (
                "x <code class=\"expression\">space.vars.version</code> y",
                Mode::Everything,
                "x 5.8 y",
            ),
            (
                "x <code class=\"expression\">space.vars.marks</code> y",
                Mode::Everything,
                "x \\*a\\* y",
            ),
            ("x <code class=\"expression\">nothing</code> y", Mode::Everything, "x  y"),
            (
                "{% if visitor.claims.x %}\na\n{% endif %}\n",
                Mode::Deterministic,
                "{% if visitor.claims.x %}\na\n{% endif %}\n",
            ),
            ("{% if false %}\nb\n{% endif %}\n", Mode::Nothing, "{% if false %}\nb\n{% endif %}\n"),
        ] {
            assert_eq!(evaluate(source, mode), expected, "{source}");
        }
    }

    #[test]
    fn a_block_with_an_inexact_span_is_removed() {
        let source = "a\n\n> {% if false %}\n> SECRET\n> {% endif %}\n\nb\n";
        let context = ParseContext { path: "page.md", lookup: &NoLookup };
        let mut document = markdown::parse(source, &context);
        let BlockKind::Quote { nodes } = &mut document.nodes[1].kind else { panic!("no quote") };
        nodes[0].span = Span::new(2, 5);
        let text = evaluate_source(source, &document, &Context::new(), Mode::Everything);
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["a", "b"]);
    }

    /// Content under a false condition is removed in every context.
    #[test]
    fn false_conditions_leave_no_content() {
        let guarded = "{% if visitor.claims.x %}\nSECRET\n\n* SECRET\n{% endif %}";
        for context in [
            "@",
            "a\n@\nb",
            "> @",
            "* a\n\n  @\n* b",
            "1. a\n   * b\n\n     @",
            "> * a\n>\n>   @",
            "{% hint style=\"info\" %}\n@\n{% endhint %}",
            "{% tabs %}\n{% tab title=\"a\" %}\n@\n{% endtab %}\n{% endtabs %}",
            "<details>\n\n<summary>a</summary>\n\n@\n\n</details>",
            "{% columns %}\n{% column %}\n@\n{% endcolumn %}\n{% endcolumns %}",
            "{% updates %}\n{% update date=\"2026-01-01\" %}\n@\n{% endupdate %}\n{% endupdates %}",
            "{% if true %}\n@\n{% endif %}",
            "a[^1]\n\n[^1]: b\n\n    @",
        ] {
            for line_end in ["\n", "\r\n"] {
                // Inner lines take the prefix of the line on which the block begins.
                let line = context.lines().find(|line| line.contains('@')).unwrap_or_default();
                let prefix = line.split('@').next().unwrap_or_default();
                let prefix: String =
                    prefix.chars().map(|c| if c == '>' { '>' } else { ' ' }).collect();
                let inner = guarded.replace('\n', &format!("\n{prefix}"));
                let source = context.replace('@', &inner).replace('\n', line_end);
                let text = evaluate(&source, Mode::Everything);
                assert!(!text.contains("SECRET"), "{source}\n---\n{text}");
            }
        }
    }
}
