//! Prints inline content as Markdown and as HTML.

use super::escape::{self, attribute};
use super::marks;
use super::notes::Notes;
use super::{PrintContext, reference_text};
use crate::document::{
    Annotation, Button, Icon, Inline, InlineImage, InlineKind, Leaf, Link, Marks, Reference,
};
use crate::{emoji, reference};

/// The context of a line, which determines its special characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// The lines of a paragraph.
    Paragraph,
    /// The single line of a heading.
    Heading,
    /// A cell of a pipe table.
    Cell,
    /// An HTML element, in which nothing is parsed as Markdown.
    Html,
}

/// The strictness with which a line is escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Escaping {
    /// Uses Markdown's delimiters, and escapes only characters that are special in their context.
    Plain,
    /// Uses Markdown's delimiters, and escapes all characters that can be special.
    Escaped,
    /// Uses HTML for everything that depends on its neighbors.
    Full,
    /// Uses only HTML, with entities for all characters except letters and digits.
    Literal,
}

impl Escaping {
    /// Returns the next stricter level.
    pub(super) fn stricter(self) -> Option<Self> {
        match self {
            Self::Plain => Some(Self::Escaped),
            Self::Escaped => Some(Self::Full),
            Self::Full => Some(Self::Literal),
            Self::Literal => None,
        }
    }
}

/// Writes one line.
pub(super) struct Line<'p> {
    pub(super) out: String,
    pub(super) kind: LineKind,
    pub(super) escaping: Escaping,
    pub(super) context: &'p PrintContext<'p>,
    pub(super) notes: &'p Notes,
    pub(super) in_link: bool,
}

/// Prints inlines in the given context.
pub(super) fn line(
    nodes: &[Inline],
    kind: LineKind,
    escaping: Escaping,
    context: &PrintContext<'_>,
    notes: &Notes,
) -> String {
    let mut line = Line { out: String::new(), kind, escaping, context, notes, in_link: false };
    line.nodes(nodes);
    line.finish()
}

impl Line<'_> {
    /// Returns `true` if nothing is written in Markdown syntax.
    pub(super) fn is_html(&self) -> bool {
        self.kind == LineKind::Html || self.escaping == Escaping::Literal
    }

    fn nodes(&mut self, nodes: &[Inline]) {
        for (index, node) in nodes.iter().enumerate() {
            let next = nodes.get(index + 1).map(first_character);
            match &node.kind {
                InlineKind::Text(leaves) => {
                    marks::leaves(self, leaves, Marks::default(), next.flatten());
                }
                InlineKind::Link(link) => self.link(link),
                InlineKind::Emoji { code } => self.emoji(code),
                InlineKind::Icon(icon) => self.icon(icon),
                InlineKind::Expression { expression } => self.expression(expression),
                InlineKind::Math { formula } => self.math(formula),
                InlineKind::Image(image) => self.image(image),
                InlineKind::Annotation(annotation) => self.annotation(annotation),
                InlineKind::Mention(reference) => self.mention(reference),
                InlineKind::Button(button) => self.button(button),
            }
        }
    }

    /// Returns the line, with a trailing space as an entity, because the parser would trim it.
    fn finish(mut self) -> String {
        if self.kind != LineKind::Html
            && let Some(last @ (' ' | '\t' | '\u{b}' | '\u{c}')) = self.out.chars().last()
        {
            self.out.pop();
            escape::entity(last, &mut self.out);
        }
        self.out
    }

    /// Returns `true` if a block could begin at the current position.
    pub(super) fn at_line_start(&self) -> bool {
        match self.kind {
            LineKind::Paragraph => self.out.is_empty() || self.out.ends_with('\n'),
            LineKind::Heading | LineKind::Cell => self.out.is_empty(),
            LineKind::Html => false,
        }
    }

    pub(super) fn attribute(&mut self, name: &str, value: &str) {
        attribute(name, value, &mut self.out);
    }

    fn some_attribute(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.attribute(name, value);
        }
    }

    fn link(&mut self, link: &Link) {
        let raw = reference_text(&link.reference, self.context);
        if self.is_html() {
            self.out.push_str("<a");
            self.attribute("href", &raw);
            self.out.push('>');
            self.within_link(|line| line.nodes(&link.nodes));
            self.out.push_str("</a>");
            return;
        }
        self.open_bracket();
        self.within_link(|line| line.nodes(&link.nodes));
        self.out.push_str("](");
        self.out.push_str(&escape::destination(&raw));
        self.out.push(')');
    }

    /// Writes `[`. A preceding `!` is escaped, because it would make the link an image.
    fn open_bracket(&mut self) {
        if self.out.ends_with('!') && !self.out.ends_with("\\!") {
            self.out.pop();
            self.out.push_str("\\!");
        }
        self.out.push('[');
    }

    fn within_link(&mut self, write: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.in_link, true);
        write(self);
        self.in_link = before;
    }

    fn emoji(&mut self, code: &str) {
        let shortcode = emoji::name(code).filter(|name| {
            let found = emoji::by_shortcode(name);
            found.is_some_and(|characters| emoji::code(characters) == code)
        });
        match shortcode {
            Some(name) if !self.is_html() && self.escaping == Escaping::Plain => {
                self.out.push(':');
                self.out.push_str(name);
                self.out.push(':');
            }
            _ => {
                self.out.push_str("<span data-gb-custom-inline data-tag=\"emoji\"");
                self.attribute("data-code", code);
                self.out.push('>');
                self.out.push_str(&emoji::characters(code).unwrap_or_default());
                self.out.push_str("</span>");
            }
        }
    }

    fn icon(&mut self, icon: &Icon) {
        self.out.push_str("<i");
        self.attribute("class", &format!("fa-{}", icon.icon));
        if let Some(color) = icon.color {
            self.attribute("style", &format!("color:{};", color.name()));
        }
        self.out.push_str(">:");
        self.out.push_str(&icon.icon);
        self.out.push_str(":</i>");
    }

    fn expression(&mut self, expression: &str) {
        self.out.push_str("<code class=\"expression\">");
        let (is_plain_and, has_formula) =
            (self.is_plain_and(expression), expression.contains("$$"));
        for c in expression.chars() {
            let is_special = match c {
                '<' | '&' | '`' | '|' | '$' | '\n' => true,
                c if c.is_ascii_punctuation() => self.escaping != Escaping::Plain,
                _ => false,
            };
            // A condition with several `&&` is more readable with literal `&`.
            let is_special = is_special && !(c == '&' && is_plain_and);
            if is_special && c != '$' || c == '$' && has_formula {
                escape::entity(c, &mut self.out);
            } else {
                self.out.push(c);
            }
        }
        self.out.push_str("</code>");
    }

    fn is_plain_and(&self, expression: &str) -> bool {
        let mut rest = expression;
        while let Some(at) = rest.find('&') {
            rest = rest.get(at..).unwrap_or_default();
            if escape::is_entity(rest)
                || rest.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic)
            {
                return false;
            }
            rest = rest.get(1..).unwrap_or_default();
        }
        self.escaping == Escaping::Plain
    }

    fn math(&mut self, formula: &str) {
        self.separate_from("$`");
        self.out.push_str("$$");
        if self.kind == LineKind::Html {
            self.out.push_str(&formula.replace('&', "&#x26;").replace('<', "&#x3C;"));
        } else {
            self.out.push_str(formula);
        }
        self.out.push_str("$$");
    }

    /// Separates the next text from a preceding delimiter with which it would combine.
    pub(super) fn separate_from(&mut self, delimiters: &str) {
        let last = self.out.chars().last();
        if last.is_some_and(|last| delimiters.contains(last)) {
            self.out.push_str("<span></span>");
        }
    }

    fn image(&mut self, image: &InlineImage) {
        if let Some(dark) = &image.dark {
            self.out.push_str("<picture><source");
            self.attribute("srcset", &reference_text(dark, self.context));
            self.out.push_str(" media=\"(prefers-color-scheme: dark)\">");
        }
        self.out.push_str("<img");
        self.attribute("src", &reference_text(&image.reference, self.context));
        self.attribute("alt", image.alt.as_deref().unwrap_or_default());
        self.some_attribute("title", image.caption.as_deref());
        for (name, length) in [("width", &image.width), ("height", &image.height)] {
            let length = length.as_ref().map(super::block::length_text);
            self.some_attribute(name, length.as_deref());
        }
        self.some_attribute(
            "data-size",
            image.original_size.map(|original| if original { "original" } else { "line" }),
        );
        self.out.push('>');
        if image.dark.is_some() {
            self.out.push_str("</picture>");
        }
    }

    fn annotation(&mut self, annotation: &Annotation) {
        let label = self.notes.label(&annotation.body);
        if self.is_html() || self.escaping == Escaping::Full {
            self.out.push_str("<a data-footnote-ref");
            self.attribute("href", &format!("#user-content-fn-{label}"));
            self.out.push('>');
            self.within_link(|line| {
                marks::leaves(line, &annotation.leaves, Marks::default(), Some('<'));
            });
            self.out.push_str("</a>");
            return;
        }
        self.open_bracket();
        self.within_link(|line| {
            marks::leaves(line, &annotation.leaves, Marks::default(), Some(']'));
        });
        self.out.push_str(&format!("](#user-content-fn-{label})[^{label}]"));
    }

    fn mention(&mut self, reference: &Reference) {
        let raw = reference_text(reference, self.context);
        let text = reference.name.as_deref().unwrap_or_else(|| reference::label(&raw));
        if self.is_html() {
            self.out.push_str("<a data-mention");
            self.attribute("href", &raw);
            self.out.push('>');
            let label = Leaf { text: text.to_owned(), ..Leaf::default() };
            marks::leaves(self, &[label], Marks::default(), Some('<'));
            self.out.push_str("</a>");
            return;
        }
        self.open_bracket();
        let label = Leaf { text: text.to_owned(), ..Leaf::default() };
        self.within_link(|line| marks::leaves(line, &[label], Marks::default(), Some(']')));
        self.out.push_str("](");
        self.out.push_str(&escape::destination(&raw));
        self.out.push_str(" \"mention\")");
    }

    fn button(&mut self, button: &Button) {
        let style = if button.primary { "button primary" } else { "button secondary" };
        let name = if let Some((action, query)) = &button.action {
            self.out.push_str("<button type=\"button\"");
            self.attribute("class", style);
            self.attribute("data-action", action);
            self.some_attribute("data-query", query.as_deref());
            "button"
        } else {
            self.out.push_str("<a");
            self.attribute("href", &reference_text(&button.reference, self.context));
            self.attribute("class", style);
            "a"
        };
        self.some_attribute("data-icon", button.icon.as_deref());
        self.out.push('>');
        let label = Leaf { text: button.label.clone(), ..Leaf::default() };
        self.within_link(|line| marks::leaves(line, &[label], Marks::default(), Some('<')));
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }
}

/// Returns the first character of a node as it will be written, or a character of the same class.
fn first_character(node: &Inline) -> Option<char> {
    match &node.kind {
        InlineKind::Text(leaves) => leaves.first().and_then(marks::first_character),
        InlineKind::Link(_) | InlineKind::Annotation(_) | InlineKind::Mention(_) => Some('['),
        InlineKind::Emoji { .. } => Some(':'),
        InlineKind::Math { .. } => Some('$'),
        InlineKind::Icon(_)
        | InlineKind::Expression { .. }
        | InlineKind::Image(_)
        | InlineKind::Button(_) => Some('<'),
    }
}
