//! Rendering and highlighting of code blocks.

use super::{Renderer, fill};
use crate::document::{Code, CodeLine, Node};
use crate::highlight::{Highlighter, Tokens};

/// Number of lines shown of collapsed code if the block does not specify it.
const COLLAPSED_LINES: u64 = 10;
/// Maximum size in bytes of a code block that is highlighted.
const BLOCK_LIMIT: usize = 64 * 1024;
/// Maximum length in bytes of a highlighted line. A longer line ends the highlighting of its block.
const LINE_LIMIT: usize = 2_000;
/// Maximum number of bytes of code highlighted on a page. Included contents count too.
pub(super) const PAGE_LIMIT: usize = 256 * 1024;

impl Renderer<'_> {
    pub(super) fn code(&mut self, code: &Code) {
        let Code {
            syntax,
            title,
            wrap,
            line_numbers,
            full_width,
            expandable,
            collapsed_line_count,
            lines,
        } = code;
        // Other tools write `{.js}` or append further attributes of the fence.
        let syntax = syntax.as_deref().map(|name| name.trim_matches(['{', '}', '.']));
        let syntax = syntax.filter(|name| !name.is_empty());
        self.raw("<figure class=\"code");
        self.raw(if *line_numbers == Some(true) { " numbered" } else { "" });
        self.raw(if *full_width == Some(true) { " full-width" } else { "" });
        self.raw(if *wrap == Some(true) { " wrap\">" } else { "\">" });
        if title.is_some() || syntax.is_some() {
            self.raw("<figcaption>");
            if let Some(title) = title {
                self.raw("<span class=\"code-title\">");
                self.text(title);
                self.raw("</span>");
            }
            if let Some(syntax) = syntax {
                // Source states the language at the fence.
                self.raw("<span class=\"code-lang\" data-markdown-ignore>");
                self.text(syntax);
                self.raw("</span>");
            }
            self.raw("</figcaption>");
        }
        self.raw("<pre tabindex=\"0\"><code");
        if let Some(syntax) = syntax {
            self.attribute("class", &format!("language-{syntax}"));
        }
        self.raw(">");
        let shown = collapsed_line_count.unwrap_or(COLLAPSED_LINES).max(1);
        let shown = usize::try_from(shown).unwrap_or(usize::MAX);
        let shown = if *expandable == Some(true) { shown } else { usize::MAX };
        self.code_lines(syntax, lines, shown);
        self.raw("</code></pre>");
        if lines.len() > shown {
            self.raw("<label class=\"code-more\" data-markdown-ignore><input type=\"checkbox\"> ");
            self.text(&fill(self.labels().show_lines, lines.len()));
            self.raw("</label>");
        }
        self.raw("</figure>\n");
    }

    /// Writes the lines of code. Those from index `shown` on are collapsible.
    fn code_lines(&mut self, syntax: Option<&str>, lines: &[Node<CodeLine>], shown: usize) {
        let size: usize = lines.iter().map(|line| line.kind.text.len() + 1).sum();
        let is_affordable = size <= BLOCK_LIMIT.min(self.code_budget);
        let mut highlighter =
            syntax.filter(|_| self.context.highlight && is_affordable).and_then(Highlighter::new);
        if highlighter.is_some() {
            self.code_budget = self.code_budget.saturating_sub(size);
        }
        let mut tokens = Tokens::default();
        for (at, line) in lines.iter().enumerate() {
            if self.is_full() {
                break;
            }
            let CodeLine { highlighted, text, rich } = &line.kind;
            self.raw("<span class=\"line");
            self.raw(if *highlighted { " hl" } else { "" });
            self.raw(if at >= shown { " rest\">" } else { "\">" });
            highlighter = highlighter.filter(|_| text.len() <= LINE_LIMIT);
            if !rich.is_empty() {
                // The inlines of the line are not highlighted; highlighting resumes after it.
                self.inlines(rich);
                self.raw("\n");
            } else if let Some(highlighter) = &mut highlighter {
                highlighter.line(text, &mut tokens);
                self.highlighted_line(text, &tokens);
            } else {
                self.text(text);
                self.raw("\n");
            }
            self.raw("</span>");
        }
    }

    /// Writes a line and its line ending, with an element around each run of tokens of the same
    /// class.
    fn highlighted_line(&mut self, line: &str, tokens: &Tokens) {
        let mut open = None;
        for (piece, class) in tokens.pieces(line) {
            let is_blank = piece.trim().is_empty();
            // White space needs no element of its own.
            if class != open && !(is_blank && open.is_some()) {
                if open.take().is_some() {
                    self.raw("</span>");
                }
                if let Some(class) = class.filter(|_| !is_blank) {
                    self.raw("<span class=\"");
                    self.raw(class.name());
                    self.raw("\">");
                    open = Some(class);
                }
            }
            self.text(piece);
        }
        self.raw("\n");
        if open.is_some() {
            self.raw("</span>");
        }
    }
}
