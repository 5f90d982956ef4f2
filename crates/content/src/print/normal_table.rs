//! The normal form of tables (rule 14).

use super::inline::LineKind;
use super::normal::Scope;
use super::normal_inline::{clean, inlines, one_line, some};
use crate::document::{
    Block, BlockKind, Cell, Code, ColumnKind, Inline, InlineImage, InlineKind, Leaf, Link,
    ListItem, Marks, Node, Paragraph, Reference, Row, Table, TableColumn,
};
use crate::source::Span;

/// Returns the normal form of a table.
pub(super) fn table(table: &Table, scope: Scope<'_>) -> Table {
    let columns: Vec<TableColumn> = table
        .columns
        .iter()
        .map(|column| TableColumn {
            title: one_line(&clean(&column.title)).trim().to_owned(),
            width: column.width.filter(|width| width.is_finite()),
            ..column.clone()
        })
        .collect();
    let rows = table.rows.iter().map(|row| {
        let cells = row.cells.iter().map(Some).chain(std::iter::repeat(None));
        let cells = columns.iter().zip(cells);
        let cells = cells.map(|(column, found)| match found {
            Some(found) => cell(&column.kind, found, scope),
            None => Cell::Empty,
        });
        Row { id: row.id.clone(), span: row.span, cells: cells.collect() }
    });
    Table { rows: rows.collect(), columns: columns.clone(), ..table.clone() }
}

fn cell(kind: &ColumnKind, cell: &Cell, scope: Scope<'_>) -> Cell {
    let has_text = |reference: &Reference| !reference.raw.is_empty();
    match (kind, cell) {
        (ColumnKind::Text { .. }, Cell::Text { key, nodes }) => {
            let mut flat = Vec::new();
            flatten(nodes, scope, &mut flat);
            if flat.is_empty() { Cell::Empty } else { Cell::Text { key: *key, nodes: flat } }
        }
        (ColumnKind::Number | ColumnKind::Rating { .. }, Cell::Number(number))
            if number.is_finite() =>
        {
            Cell::Number(*number)
        }
        (ColumnKind::Checkbox, Cell::Checkbox(checked)) => Cell::Checkbox(*checked),
        (ColumnKind::Select { .. }, Cell::Values(values)) => {
            let values: Vec<String> =
                values.iter().filter_map(|value| some(Some(value.as_str()))).collect();
            if values.is_empty() { Cell::Empty } else { Cell::Values(values) }
        }
        (ColumnKind::Files | ColumnKind::Users { .. }, Cell::References(references)) => {
            let kept: Vec<Reference> =
                references.iter().filter(|reference| has_text(reference)).cloned().collect();
            if kept.is_empty() { Cell::Empty } else { Cell::References(kept) }
        }
        (ColumnKind::ContentRef, Cell::Reference(reference)) if has_text(reference) => cell.clone(),
        (ColumnKind::Image, Cell::Image { reference, object_fit, alt }) if has_text(reference) => {
            let is_known = |fit: &String| matches!(fit.as_str(), "contain" | "fill" | "cover");
            Cell::Image {
                reference: reference.clone(),
                object_fit: object_fit.clone().filter(is_known),
                alt: some(alt.as_deref()),
            }
        }
        (kind, Cell::Unusable(text)) if !matches!(kind, ColumnKind::Text { .. }) => {
            Cell::Unusable(text.clone())
        }
        _ => Cell::Empty,
    }
}

/// Adds blocks as paragraphs, code and lists of paragraphs.
fn flatten(nodes: &[Block], scope: Scope<'_>, to: &mut Vec<Block>) {
    for node in nodes {
        let mut text = |nodes: &[Inline]| {
            let nodes = inlines(nodes, LineKind::Cell, scope);
            if !nodes.is_empty() {
                let kind = BlockKind::Paragraph(Paragraph { align: None, nodes });
                to.push(Node { key: node.key, span: node.span, kind });
            }
        };
        let leaf = |text: String| {
            let leaf = Leaf { text, ..Leaf::default() };
            vec![Node::new(node.span, InlineKind::Text(vec![leaf]))]
        };
        match &node.kind {
            BlockKind::Paragraph(paragraph) => text(&paragraph.nodes),
            BlockKind::Heading(heading) => text(&heading.nodes),
            BlockKind::OrderedList { items, .. } => list(items, true, scope, to),
            BlockKind::UnorderedList { items } | BlockKind::TaskList { items } => {
                list(items, false, scope, to);
            }
            BlockKind::Code(code) => {
                let kind = BlockKind::Code(Box::new(super::normal::code(code, scope)));
                to.push(Node { key: node.key, span: node.span, kind });
            }
            BlockKind::Math { formula } => {
                let formula = InlineKind::Math { formula: formula.clone() };
                text(&[Node::new(node.span, formula)]);
            }
            BlockKind::Images(images) => {
                for image in &images.images {
                    let image = InlineImage {
                        reference: image.kind.reference.clone(),
                        dark: image.kind.dark.clone(),
                        caption: None,
                        alt: image.kind.alt.clone(),
                        original_size: None,
                        width: image.kind.width.clone(),
                        height: image.kind.height.clone(),
                    };
                    text(&[Node::new(node.span, InlineKind::Image(Box::new(image)))]);
                }
            }
            BlockKind::File(file) => text(&[link(&file.reference, node.span)]),
            BlockKind::Drawing(reference) | BlockKind::ContentRef(reference) => {
                text(&[link(reference, node.span)]);
            }
            BlockKind::Embed(embed) => text(&leaf(embed.url.clone())),
            BlockKind::Opaque(opaque) => text(&leaf(opaque.source.clone())),
            BlockKind::Quote { nodes } | BlockKind::If { nodes, .. } => flatten(nodes, scope, to),
            BlockKind::Hint(hint) => flatten(&hint.nodes, scope, to),
            BlockKind::Expandable(expandable) => {
                text(&expandable.title);
                flatten(&expandable.nodes, scope, to);
            }
            BlockKind::Tabs { items, .. } => {
                items.iter().for_each(|tab| flatten(&tab.kind.nodes, scope, to));
            }
            BlockKind::Stepper { steps } => {
                steps.iter().for_each(|step| flatten(&step.kind.nodes, scope, to));
            }
            BlockKind::Columns { columns, .. } => {
                columns.iter().for_each(|column| flatten(&column.kind.nodes, scope, to));
            }
            BlockKind::Divider
            | BlockKind::Table(_)
            | BlockKind::ReusableContent(_)
            | BlockKind::OpenApi(_)
            | BlockKind::Integration(_) => {}
        }
    }
}

fn link(reference: &Reference, span: Span) -> Inline {
    let text = crate::reference::label(&reference.raw).to_owned();
    let leaf = Leaf { text, ..Leaf::default() };
    let nodes = vec![Node::new(span, InlineKind::Text(vec![leaf]))];
    let reference = reference.clone();
    Node::new(span, InlineKind::Link(Box::new(Link { reference, nodes })))
}

/// Returns code as inline code, for places that cannot hold blocks.
fn code_text(code: &Code, span: Span) -> Vec<Inline> {
    let lines: Vec<&str> = code.lines.iter().map(|line| line.kind.text.as_str()).collect();
    let marks = Marks { code: true, ..Marks::default() };
    let leaf = Leaf { text: lines.join("\n"), marks, is_markup: false };
    vec![Node::new(span, InlineKind::Text(vec![leaf]))]
}

/// Adds a list of paragraphs, or extends the preceding list if it is of the same kind.
fn list(items: &[Node<ListItem>], is_ordered: bool, scope: Scope<'_>, to: &mut Vec<Block>) {
    let mut flat = Vec::new();
    for item in items {
        flatten(&item.kind.nodes, scope, &mut flat);
    }
    let mut added = Vec::new();
    for block in flat {
        match block.kind {
            BlockKind::Code(code) => {
                let nodes = code_text(&code, block.span);
                let nodes = inlines(&nodes, LineKind::Cell, scope);
                if !nodes.is_empty() {
                    let kind = BlockKind::Paragraph(Paragraph { align: None, nodes });
                    let nodes = vec![Node { key: block.key, span: block.span, kind }];
                    added.push(Node::new(block.span, ListItem { checked: None, nodes }));
                }
            }
            BlockKind::OrderedList { items, .. } | BlockKind::UnorderedList { items } => {
                added.extend(items);
            }
            kind => {
                let span = block.span;
                let nodes = vec![Node { key: block.key, span, kind }];
                added.push(Node::new(span, ListItem { checked: None, nodes }));
            }
        }
    }
    match to.last_mut().map(|last| &mut last.kind) {
        _ if added.is_empty() => {}
        Some(BlockKind::OrderedList { items, .. }) if is_ordered => items.extend(added),
        Some(BlockKind::UnorderedList { items }) if !is_ordered => items.extend(added),
        _ => {
            let span = added.first().map(|item| item.span).unwrap_or_default();
            let kind = if is_ordered {
                BlockKind::OrderedList { start: 1, items: added }
            } else {
                BlockKind::UnorderedList { items: added }
            };
            to.push(Node::new(span, kind));
        }
    }
}
