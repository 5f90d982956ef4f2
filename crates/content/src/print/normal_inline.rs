//! The normal form of inlines (rules 1 to 9).

use std::sync::Arc;

use super::inline::LineKind;
use super::normal::Scope;
use crate::document::{
    Annotation, BlockKind, Button, Inline, InlineImage, InlineKind, Leaf, Link, Marks, Node,
    Paragraph, plain_text,
};
use crate::emoji;
use crate::reference::ContentRef;
use crate::source::INVALID_BYTE;

/// Returns the normal form of inlines in the given context.
pub(super) fn inlines(nodes: &[Inline], line_kind: LineKind, scope: Scope<'_>) -> Vec<Inline> {
    let mut normal: Vec<Inline> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let Some(kind) = inline(&node.kind, line_kind, scope) else {
            continue;
        };
        push(&mut normal, Node { key: node.key, span: node.span, kind });
    }
    for node in &mut normal {
        if let InlineKind::Text(leaves) = &mut node.kind {
            *leaves = with_spaces_outside_marks(std::mem::take(leaves));
        }
    }
    normal
}

fn push(to: &mut Vec<Inline>, node: Inline) {
    match (to.last_mut().map(|last| &mut last.kind), node.kind) {
        (_, InlineKind::Text(leaves)) if leaves.is_empty() => {}
        (Some(InlineKind::Text(before)), InlineKind::Text(leaves)) => {
            leaves.into_iter().for_each(|leaf| push_leaf(before, leaf));
        }
        (_, kind) => to.push(Node { key: node.key, span: node.span, kind }),
    }
}

fn push_leaf(to: &mut Vec<Leaf>, leaf: Leaf) {
    match to.last_mut() {
        _ if leaf.text.is_empty() => {}
        Some(last) if last.marks == leaf.marks && last.is_markup == leaf.is_markup => {
            last.text.push_str(&leaf.text);
        }
        _ => to.push(leaf),
    }
}

fn text_of(text: String) -> InlineKind {
    InlineKind::Text(vec![Leaf { text, ..Leaf::default() }])
}

fn inline(kind: &InlineKind, line_kind: LineKind, scope: Scope<'_>) -> Option<InlineKind> {
    Some(match kind {
        InlineKind::Text(found) => InlineKind::Text(leaves(found)),
        InlineKind::Link(link) => {
            let nodes = inlines(&link_nodes(&link.nodes), line_kind, scope);
            InlineKind::Link(Box::new(Link { reference: link.reference.clone(), nodes }))
        }
        InlineKind::Emoji { code } if code.is_empty() => return None,
        InlineKind::Emoji { code } => {
            let code = emoji::characters(code).map_or_else(|| code.clone(), |c| emoji::code(&c));
            InlineKind::Emoji { code }
        }
        InlineKind::Expression { expression } => {
            InlineKind::Expression { expression: one_line(expression).trim().to_owned() }
        }
        InlineKind::Math { formula } => {
            let formula = one_line(&clean(formula));
            let inside_pipes = line_kind == LineKind::Cell && formula.contains('|');
            if formula.trim().is_empty() {
                return None;
            }
            let unsayable = formula.contains("$$") || formula.starts_with('$');
            if unsayable || formula.ends_with(['$', '\\']) || inside_pipes {
                text_of(format!("$${formula}$$"))
            } else {
                InlineKind::Math { formula }
            }
        }
        InlineKind::Image(image) => InlineKind::Image(Box::new(InlineImage {
            caption: some(image.caption.as_deref()),
            alt: some(image.alt.as_deref()),
            width: image.width.as_ref().and_then(super::normal::length),
            height: image.height.as_ref().and_then(super::normal::length),
            ..(**image).clone()
        })),
        InlineKind::Annotation(annotation) => {
            let leaves = leaves(&annotation.leaves);
            if scope.in_note {
                return Some(InlineKind::Text(leaves));
            }
            let leaves = with_spaces_outside_marks(leaves);
            let body = Arc::new(super::normal::note(&annotation.body, scope));
            InlineKind::Annotation(Box::new(Annotation {
                label: annotation.label.clone(),
                leaves,
                body,
            }))
        }
        InlineKind::Button(button) => {
            let action = button.action.clone().filter(|(action, _)| !action.is_empty());
            let mut reference = button.reference.clone();
            if action.is_some() {
                "#".clone_into(&mut reference.raw);
                reference.target = ContentRef::Url { url: "#".to_owned() };
            }
            InlineKind::Button(Box::new(Button {
                label: one_line(&clean(&button.label)).trim().to_owned(),
                primary: button.primary,
                icon: some(button.icon.as_deref()),
                reference,
                action: action.map(|(action, query)| (action, some(query.as_deref()))),
            }))
        }
        InlineKind::Icon(_) | InlineKind::Mention(_) => kind.clone(),
    })
}

/// Reduces inlines to those that a link can contain: text and images.
fn link_nodes(nodes: &[Inline]) -> Vec<Inline> {
    let kept = nodes.iter().map(|node| match &node.kind {
        InlineKind::Text(_) | InlineKind::Image(_) => node.clone(),
        InlineKind::Expression { expression } => Node::new(node.span, text_of(expression.clone())),
        _ => Node::new(node.span, text_of(plain_text(std::slice::from_ref(node)))),
    });
    kept.collect()
}

pub(super) fn some(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Replaces the line endings of a text with spaces.
pub(super) fn one_line(text: &str) -> String {
    text.replace("\r\n", " ").replace(['\n', '\r'], " ")
}

/// Removes the characters that a text file cannot contain, and normalizes line endings.
pub(super) fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if text.contains(['\0', INVALID_BYTE]) {
        text.replace(['\0', INVALID_BYTE], "\u{FFFD}")
    } else {
        text
    }
}

/// Returns `true` if a source within code contains a tag that would end the code.
pub(super) fn ends_code(source: &str) -> bool {
    let source = source.to_ascii_lowercase();
    ["</code", "<pre", "</pre"].iter().any(|tag| source.contains(tag))
}

fn leaves(leaves: &[Leaf]) -> Vec<Leaf> {
    let mut normal: Vec<Leaf> = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let is_tag = leaf.text.starts_with('<') && leaf.text.ends_with('>');
        // A tag that would end the code is text.
        let ends_code = leaf.marks.code && ends_code(&leaf.text);
        let is_markup = leaf.is_markup && is_tag && !ends_code;
        let text = clean(&leaf.text);
        let text = if is_markup { one_line(&text) } else { text };
        push_leaf(&mut normal, Leaf { text, marks: leaf.marks, is_markup });
    }
    normal
}

/// Moves spaces at the edges of bold, italic and strikethrough text outside the mark.
fn with_spaces_outside_marks(leaves: Vec<Leaf>) -> Vec<Leaf> {
    type Field = fn(&mut Marks) -> &mut bool;
    const FIELDS: [Field; 3] =
        [|marks| &mut marks.bold, |marks| &mut marks.italic, |marks| &mut marks.strikethrough];
    let mut leaves = leaves;
    let is_space = |leaf: &Leaf| !leaf.marks.code && !leaf.is_markup;
    loop {
        let mut changed = false;
        for field in FIELDS {
            let mut parts: Vec<Leaf> = Vec::with_capacity(leaves.len() + 2);
            let mut marked = leaves.into_iter().peekable();
            let mut is_inside = false;
            while let Some(mut leaf) = marked.next() {
                let has = |leaf: &Leaf| *field(&mut leaf.marks.clone());
                if !has(&leaf) {
                    is_inside = false;
                    push_leaf(&mut parts, leaf);
                    continue;
                }
                let ends = !marked.peek().is_some_and(has);
                let text = leaf.text.as_str();
                let from = text.len() - text.trim_start().len();
                let from = if is_space(&leaf) && !is_inside { from } else { 0 };
                let to = if is_space(&leaf) && ends { text.trim_end().len() } else { text.len() };
                let to = to.max(from);
                let mut bare = leaf.marks;
                *field(&mut bare) = false;
                let before = text.get(..from).unwrap_or_default().to_owned();
                let after = text.get(to..).unwrap_or_default().to_owned();
                changed |= !before.is_empty() || !after.is_empty();
                leaf.text = text.get(from..to).unwrap_or_default().to_owned();
                push_leaf(&mut parts, Leaf { text: before, marks: bare, is_markup: false });
                is_inside |= !leaf.text.is_empty();
                push_leaf(&mut parts, leaf);
                push_leaf(&mut parts, Leaf { text: after, marks: bare, is_markup: false });
            }
            leaves = parts;
        }
        if !changed {
            return leaves;
        }
    }
}

/// Removes trailing whitespace from the text at the end of a line.
pub(super) fn trim_end(nodes: &mut Vec<Inline>) {
    if let Some(Node { kind: InlineKind::Text(leaves), .. }) = nodes.last_mut() {
        if let Some(last) = leaves.last_mut() {
            last.text.truncate(last.text.trim_end().len());
        }
        if leaves.last().is_some_and(|leaf| leaf.text.is_empty()) {
            leaves.pop();
        }
        if leaves.is_empty() {
            nodes.pop();
        }
    }
}

/// Returns the block that a Markdown paragraph with these inlines parses to.
pub(super) fn paragraph(mut nodes: Vec<Inline>) -> BlockKind {
    if let [Node { kind: InlineKind::Text(leaves), .. }] = nodes.as_slice()
        && let [leaf] = leaves.as_slice()
        && matches!(leaf.text.as_str(), " " | "\n")
    {
        return BlockKind::Paragraph(Paragraph::default());
    }
    if let [Node { kind: InlineKind::Math { formula }, .. }] = nodes.as_slice() {
        return BlockKind::Math { formula: formula.trim().to_owned() };
    }
    let is_picture = |node: &Inline| matches!(&node.kind, InlineKind::Image(image) if image.original_size.is_none());
    if nodes.len() == 1
        && nodes.first().is_some_and(is_picture)
        && let Some(Node { span, kind: InlineKind::Image(image), .. }) = nodes.pop()
    {
        return super::normal::picture(*image, span);
    }
    BlockKind::Paragraph(Paragraph { align: None, nodes })
}
