//! Parts of inlines: shortcodes, icons, colors and the content of links.

use std::borrow::Cow;

use crate::document::{Color, ColorMark, Icon, Inline, InlineKind, Leaf, Node, plain_text};
use crate::emoji;
use crate::syntax::markup::{self, OpenTag};
use crate::work;

pub(super) fn icon(tag: &OpenTag<'_>) -> Option<Icon> {
    let class = tag.attribute("class")?;
    let icon = class.split_whitespace().find_map(|class| class.strip_prefix("fa-"))?.to_owned();
    let color = tag
        .attribute("style")
        .and_then(|style| markup::style_property(&style, "color").map(Color::from_name));
    Some(Icon { icon, color })
}

pub(super) fn color(tag: &OpenTag<'_>) -> ColorMark {
    let style = tag.attribute("style").unwrap_or_default();
    let of = |name| markup::style_property(&style, name).map(Color::from_css).unwrap_or_default();
    let background = match of("background-color") {
        Color::Default => of("background"),
        color => color,
    };
    ColorMark { text: of("color"), background }
}

/// Reduces inlines to those that a link can contain: text and images. Everything else becomes text.
pub(super) fn link_nodes(nodes: Vec<Inline>) -> Vec<Inline> {
    let mut kept: Vec<Inline> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let span = node.span;
        let leaves = match node.kind {
            InlineKind::Text(leaves) => leaves,
            InlineKind::Image(_) => {
                kept.push(node);
                continue;
            }
            InlineKind::Expression { expression } => vec![plain_leaf(expression)],
            kind => vec![plain_leaf(plain_text(&[Node::new(span, kind)]))],
        };
        let leaves = leaves.into_iter().filter(|leaf| !leaf.text.is_empty());
        match kept.last_mut() {
            Some(Node { kind: InlineKind::Text(before), span: whole, .. }) => {
                whole.end = whole.end.max(span.end);
                leaves.for_each(|leaf| match before.last_mut() {
                    Some(last) if last.marks == leaf.marks && last.is_markup == leaf.is_markup => {
                        last.text.push_str(&leaf.text);
                    }
                    _ => before.push(leaf),
                });
            }
            _ => {
                let leaves: Vec<Leaf> = leaves.collect();
                if !leaves.is_empty() {
                    kept.push(Node::new(span, InlineKind::Text(leaves)));
                }
            }
        }
    }
    kept
}

pub(super) fn leaves_of(nodes: Vec<Inline>) -> Vec<Leaf> {
    link_nodes(nodes)
        .into_iter()
        .flat_map(|node| match node.kind {
            InlineKind::Text(leaves) => leaves,
            _ => Vec::new(),
        })
        .collect()
}

fn plain_leaf(text: String) -> Leaf {
    Leaf { text, ..Leaf::default() }
}

/// Replaces line endings with spaces, as HTML does.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(['\n', '\r']) {
        return Cow::Borrowed(text);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let edge = |is_space: bool| if is_space { " " } else { "" };
    let starts = edge(text.starts_with(char::is_whitespace));
    let ends = edge(text.ends_with(char::is_whitespace) && !words.is_empty());
    Cow::Owned(format!("{starts}{}{ends}", words.join(" ")))
}

/// Returns the text before the next known shortcode, the emoji's code, and the text after it.
pub(crate) fn next_shortcode(text: &str) -> Option<(&str, String, &str)> {
    const MAX_BYTES: usize = 48;
    let mut from = 0;
    while let Some(start) = text.get(from..)?.find(':').map(|at| at + from) {
        let after = text.get(start + 1..)?;
        let length = after
            .bytes()
            .take(MAX_BYTES)
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+'))
            .count();
        work::spend(start + 1 + length - from);
        if length > 0 && after.as_bytes().get(length) == Some(&b':') {
            let known = after.get(..length).and_then(emoji::by_shortcode);
            if let Some(characters) = known {
                return Some((
                    text.get(..start)?,
                    emoji::code(characters),
                    after.get(length + 1..)?,
                ));
            }
        }
        from = start + 1 + length;
    }
    None
}
