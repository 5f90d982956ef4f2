//! Code, coloured by the language's grammar.

use std::sync::LazyLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::{Renderer, escape, fill};
use crate::document::{Code, CodeLine, Node};

/// So many lines of folded code are shown where nothing else is said.
const COLLAPSED_LINES: u64 = 10;
/// Longer code is shown without colours.
const BLOCK_LIMIT: usize = 64 * 1024;
/// Longer lines end the colouring of their block.
const LINE_LIMIT: usize = 2_000;
/// So many bytes of code are coloured on a page.
pub(super) const PAGE_LIMIT: usize = 256 * 1024;

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// The class of a token by the innermost scope that has one.
static CLASSES: LazyLock<Vec<(Scope, &'static str)>> = LazyLock::new(|| {
    const PREFIXES: [(&str, &str); 28] = [
        ("punctuation.definition.comment", "c"),
        ("comment", "c"),
        ("constant.character.escape", "n"),
        ("punctuation.definition.string", "s"),
        ("string", "s"),
        ("constant", "n"),
        ("keyword.operator", "p"),
        ("keyword", "k"),
        ("storage", "k"),
        ("entity.name.function", "f"),
        ("support.function", "f"),
        ("variable.function", "f"),
        ("entity.name.tag", "k"),
        ("entity.name.type", "t"),
        ("entity.name.class", "t"),
        ("entity.name.struct", "t"),
        ("entity.name.enum", "t"),
        ("entity.name.section", "k"),
        ("entity.other.inherited-class", "t"),
        ("support.type", "t"),
        ("support.class", "t"),
        ("entity.other.attribute-name", "v"),
        ("variable.language", "k"),
        ("variable", "v"),
        ("markup.inserted", "g"),
        ("markup.deleted", "d"),
        ("support.constant", "n"),
        ("punctuation", "p"),
    ];
    let scope = |(name, class): &(&str, &'static str)| Some((Scope::new(name).ok()?, *class));
    PREFIXES.iter().filter_map(scope).collect()
});

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
        // Other programs write `{.js}`, and what belongs to the fence behind it.
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
                self.raw("<span class=\"code-lang\">");
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
            self.raw("<label class=\"code-more\"><input type=\"checkbox\"> ");
            self.text(&fill(self.words().show_lines, lines.len()));
            self.raw("</label>");
        }
        self.raw("</figure>\n");
    }

    /// The lines of code, those from `shown` on as the rest that can be folded.
    fn code_lines(&mut self, syntax: Option<&str>, lines: &[Node<CodeLine>], shown: usize) {
        let size: usize = lines.iter().map(|line| line.kind.text.len() + 1).sum();
        let may_color = self.context.highlight && size <= BLOCK_LIMIT.min(self.code_budget);
        let grammar = if may_color { syntax.and_then(grammar) } else { None };
        let mut state = grammar.map(|grammar| (ParseState::new(grammar), ScopeStack::new()));
        if state.is_some() {
            self.code_budget = self.code_budget.saturating_sub(size);
        }
        let mut buffer = String::new();
        for (at, line) in lines.iter().enumerate() {
            let CodeLine { highlighted, text, rich } = &line.kind;
            self.raw("<span class=\"line");
            self.raw(if *highlighted { " hl" } else { "" });
            self.raw(if at >= shown { " rest\">" } else { "\">" });
            if !rich.is_empty() {
                // Pieces are shown as they are; the grammar goes on behind them.
                self.inlines(rich);
                self.raw("\n</span>");
                continue;
            }
            let colored =
                state.as_mut().filter(|_| text.len() <= LINE_LIMIT).and_then(|(parser, stack)| {
                    buffer.clear();
                    buffer.push_str(text);
                    buffer.push('\n');
                    color_line(&buffer, parser, stack)
                });
            match colored {
                Some(html) => self.raw(&html),
                None => {
                    state = None;
                    self.text(text);
                    self.raw("\n");
                }
            }
            self.raw("</span>");
        }
    }
}

/// A line, its line end included, as HTML. `None` where the grammar fails.
fn color_line(line: &str, parser: &mut ParseState, stack: &mut ScopeStack) -> Option<String> {
    let operations = parser.parse_line(line, &SYNTAXES).ok()?;
    let mut tokens = Tokens { html: String::with_capacity(line.len() * 2), class: None };
    let mut at = 0;
    for (offset, operation) in &operations {
        if *offset > at {
            tokens.push(line.get(at..*offset)?, class_of(stack));
            at = *offset;
        }
        stack.apply(operation).ok()?;
    }
    tokens.push(line.get(at..)?, class_of(stack));
    tokens.close();
    Some(tokens.html)
}

struct Tokens {
    html: String,
    class: Option<&'static str>,
}

impl Tokens {
    fn push(&mut self, text: &str, class: Option<&'static str>) {
        if text.is_empty() {
            return;
        }
        // Blank text needs no token of its own.
        if class != self.class && !(text.trim().is_empty() && self.class.is_some()) {
            self.close();
            if let Some(class) = class.filter(|_| !text.trim().is_empty()) {
                self.html.push_str("<span class=\"");
                self.html.push_str(class);
                self.html.push_str("\">");
                self.class = Some(class);
            }
        }
        escape(text, &mut self.html);
    }

    fn close(&mut self) {
        if self.class.take().is_some() {
            self.html.push_str("</span>");
        }
    }
}

fn class_of(stack: &ScopeStack) -> Option<&'static str> {
    stack.scopes.iter().rev().find_map(|scope| {
        CLASSES.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|(_, class)| *class)
    })
}

/// The grammar of a language by the name that authors use.
fn grammar(name: &str) -> Option<&'static SyntaxReference> {
    let lower = name.to_ascii_lowercase();
    let known = match lower.as_str() {
        "text" | "plain" | "plaintext" | "txt" | "none" | "tree" => return None,
        "shell" | "console" | "zsh" | "curl" | "shellscript" | "terminal" => "bash",
        "csharp" => "cs",
        "golang" => "go",
        "jsonc" | "json5" => "json",
        "docker" => "dockerfile",
        "objectivec" | "objective-c" => "m",
        "mdx" => "md",
        "vue-html" => "vue",
        "mermaid" => return None,
        other => other,
    };
    SYNTAXES.find_syntax_by_token(known)
}
