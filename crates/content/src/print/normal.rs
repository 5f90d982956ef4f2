//! The normal form of documents: the part of the document model that the dialect can represent.
//!
//! [`normal()`] applies these rules:
//!
//! 1. Text contains no NUL and no invalid bytes (U+FFFD replaces them), and its line endings are
//!    line feeds.
//! 2. Empty leaves and texts are removed. Adjacent leaves with equal marks are merged, and so are
//!    adjacent texts.
//! 3. Bold, italic and strikethrough text neither begins nor ends with a space. Such spaces lie
//!    outside the mark.
//! 4. Links contain text and images. Notes within notes are plain text.
//! 5. Inline source that is not an HTML tag is text. So is a formula that contains `$$`; an empty
//!    formula is removed.
//! 6. Attributes contain no line endings. Empty attributes are absent.
//! 7. Buttons with an action link to `#`.
//! 8. Emoji have the code that the parser assigns.
//! 9. A paragraph that consists of a formula becomes a formula block, one that consists of an image
//!    without a size becomes an image block, and one that consists of a single space or line break
//!    becomes empty.
//! 10. A heading has a level from 1 to 3, no trailing space, and an id that yields a slug.
//! 11. Code has at least one line. Its lines contain no line endings and consist of text, notes and
//!     expressions. Its language is one word.
//! 12. A container of blocks contains at least an empty paragraph. Lists without items, image
//!     blocks without images and tables without columns are removed.
//! 13. Items of a task list have a checkbox and begin with a paragraph. Other items have no
//!     checkbox.
//! 14. A row has a cell for each column, of the column's kind. Text cells contain paragraphs, code
//!     and lists of paragraphs; other blocks are flattened to these.
//! 15. Aligned text and captions contain only what HTML can represent.
//! 16. A file block whose target is not a file becomes an embed. An opaque block has no trailing
//!     line ending, and its source also parses to an opaque block on its own.
//! 17. The numbers of a list have at most nine digits.
//! 18. Opaque source that extends to the end of the text gets a closing delimiter, and an unpaired
//!     tag becomes text. Both would otherwise affect the parsing of the text after them.

use super::inline::LineKind;
use super::normal_inline::{clean, ends_code, inlines, one_line, paragraph, some, trim_end};
use super::normal_opaque;
use super::normal_table::table;
use std::cell::RefCell;
use std::collections::HashSet;

use crate::document::equality::{ContentEq, digest};
use crate::document::{
    Block, BlockKind, Code, CodeLine, Column, Document, Embed, Expandable, Heading, Hint, Image,
    Images, Inline, InlineImage, InlineKind, Leaf, Length, ListItem, Node, Opaque, OpenApi,
    Paragraph, Step, Tab, Visit,
};
use crate::markdown;
use crate::reference::{ContentRef, ParseContext};
use crate::slug;
use crate::source::Span;

/// Returns the normal form of a document. Keys and spans are those of the document.
#[must_use]
pub fn normal(document: &Document, reader: &ParseContext<'_>) -> Document {
    normal_with(document, reader, &Stable::default())
}

/// Does what [`normal()`] does. Opaque blocks in `stable` are not parsed again.
pub(super) fn normal_with(
    document: &Document,
    reader: &ParseContext<'_>,
    stable: &Stable,
) -> Document {
    let scope = Scope { in_note: false, opaque: 0, known: None, reader, stable };
    Document { nodes: blocks(&document.nodes, scope), ..Document::default() }
}

/// Digests of opaque blocks whose source is known to parse to the same block on its own. It saves
/// parsing them again for each attempt to print a document.
#[derive(Default)]
pub(super) struct Stable(RefCell<HashSet<u64>>);

/// Returns the normal form of a document, except for blocks that `before` contains in the same
/// form. Such blocks have a source.
pub(super) fn normal_except_known(
    document: &Document,
    before: &Document,
    reader: &ParseContext<'_>,
    stable: &Stable,
) -> Document {
    struct Digests(HashSet<u64>);
    impl<'d> Visit<'d> for Digests {
        fn block(&mut self, block: &'d Block) {
            self.0.insert(digest(&block.kind));
        }
    }
    let mut digests = Digests(HashSet::new());
    before.walk(&mut digests);
    normal_except(document, &digests.0, reader, stable)
}

/// Returns the normal form of a document that keeps its unpaired tags, or `None` if it has none.
pub(super) fn normal_with_unpaired_tags(
    document: &Document,
    reader: &ParseContext<'_>,
    stable: &Stable,
) -> Option<Document> {
    let unpaired = normal_opaque::unpaired_tags(document);
    (!unpaired.is_empty()).then(|| normal_except(document, &unpaired, reader, stable))
}

fn normal_except(
    document: &Document,
    known: &HashSet<u64>,
    reader: &ParseContext<'_>,
    stable: &Stable,
) -> Document {
    let scope = Scope { in_note: false, opaque: 0, known: Some(known), reader, stable };
    Document { nodes: blocks(&document.nodes, scope), ..Document::default() }
}

/// The context of a node that is being normalized.
#[derive(Clone, Copy)]
pub(super) struct Scope<'c> {
    /// `true` within a note, which cannot contain other notes.
    pub(super) in_note: bool,
    /// The number of enclosing opaque sources that have been parsed again.
    opaque: u8,
    /// Digests of the blocks that stay unchanged.
    known: Option<&'c HashSet<u64>>,
    reader: &'c ParseContext<'c>,
    stable: &'c Stable,
}

/// Returns the normal form of one block.
pub(super) fn block_of(block: &Block, reader: &ParseContext<'_>) -> Block {
    let stable = Stable::default();
    let scope = Scope { in_note: false, opaque: 0, known: None, reader, stable: &stable };
    let mut nodes = Vec::new();
    add(block, true, scope, &mut nodes);
    let empty = || with_kind(block, BlockKind::Paragraph(Paragraph::default()));
    nodes.into_iter().next().unwrap_or_else(empty)
}

/// Returns the normal form of a note on its own.
pub(super) fn note_of(body: &[Block], reader: &ParseContext<'_>) -> Vec<Block> {
    let stable = Stable::default();
    note(body, Scope { in_note: true, opaque: 0, known: None, reader, stable: &stable })
}

/// Returns the normal form of a note.
pub(super) fn note(body: &[Block], scope: Scope<'_>) -> Vec<Block> {
    filled(blocks(body, Scope { in_note: true, ..scope }))
}

fn blocks(nodes: &[Block], scope: Scope<'_>) -> Vec<Block> {
    let mut normal = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        add(node, index + 1 == nodes.len(), scope, &mut normal);
    }
    normal
}

/// Adds the normal form of a block. Replaces opaque source by the blocks that it parses to on its
/// own.
fn add(node: &Block, is_last: bool, scope: Scope<'_>, to: &mut Vec<Block>) {
    const LIMIT: u8 = 3;
    if scope.known.is_some_and(|known| known.contains(&digest(&node.kind)))
        && (is_last || !normal_opaque::extends_to_end(node))
    {
        return to.push(node.clone());
    }
    let Some(mut normal) = block(node, scope) else {
        return;
    };
    if let BlockKind::Opaque(opaque) = &normal.kind
        && let Some(kind) = normal_opaque::contained(opaque, scope.reader)
        && let Some(contained) = block(&with_kind(node, kind), scope)
    {
        normal = contained;
    }
    if let BlockKind::Opaque(opaque) = &normal.kind {
        let digest = digest(&normal.kind);
        if scope.stable.0.borrow().contains(&digest) {
            return to.push(normal);
        }
        let read = markdown::parse(&opaque.source, scope.reader);
        let is_itself = matches!(read.nodes.as_slice(), [only] if only.content_eq(&normal));
        if !is_itself && scope.opaque == LIMIT {
            // The source would parse to more and more blocks.
            let text = with_kind(node, normal_opaque::text(&opaque.source));
            return to.extend(block(&text, scope));
        }
        if !is_itself {
            let scope = Scope { opaque: scope.opaque + 1, ..scope };
            return read.nodes.iter().for_each(|block| add(block, false, scope, to));
        }
        scope.stable.0.borrow_mut().insert(digest);
    }
    to.push(normal);
}

fn filled(mut nodes: Vec<Block>) -> Vec<Block> {
    if nodes.is_empty() {
        nodes.push(Node::new(Span::default(), BlockKind::Paragraph(Paragraph::default())));
    }
    nodes
}

fn with_kind(block: &Block, kind: BlockKind) -> Block {
    Node { key: block.key, span: block.span, kind }
}

fn within<T, U>(node: &Node<T>, kind: U) -> Node<U> {
    Node { key: node.key, span: node.span, kind }
}

fn block(block: &Block, scope: Scope<'_>) -> Option<Block> {
    let inner = |nodes: &[Block]| filled(blocks(nodes, scope));
    let kind = match &block.kind {
        BlockKind::Paragraph(found) => match found.align {
            Some(_) => {
                let nodes = inlines(&found.nodes, LineKind::Html, scope);
                BlockKind::Paragraph(Paragraph {
                    align: found.align,
                    nodes: without_markup(nodes, scope),
                })
            }
            None => paragraph(inlines(&found.nodes, LineKind::Paragraph, scope)),
        },
        BlockKind::Heading(found) => heading(found, scope),
        BlockKind::OrderedList { start, items } if !items.is_empty() => BlockKind::OrderedList {
            start: (*start).min(999_999_999_u64.saturating_sub(items.len() as u64)),
            items: items.iter().map(|item| list_item(item, false, scope)).collect(),
        },
        BlockKind::UnorderedList { items } if !items.is_empty() => BlockKind::UnorderedList {
            items: items.iter().map(|item| list_item(item, false, scope)).collect(),
        },
        BlockKind::TaskList { items } if !items.is_empty() => BlockKind::TaskList {
            items: items.iter().map(|item| list_item(item, true, scope)).collect(),
        },
        BlockKind::OrderedList { .. }
        | BlockKind::UnorderedList { .. }
        | BlockKind::TaskList { .. } => return None,
        BlockKind::Quote { nodes } => BlockKind::Quote { nodes: inner(nodes) },
        BlockKind::Hint(hint) => BlockKind::Hint(Box::new(Hint {
            style: hint.style,
            icon: attribute(hint.icon.as_deref()),
            nodes: inner(&hint.nodes),
        })),
        BlockKind::If { expression, nodes } => BlockKind::If {
            expression: one_line(expression).trim().to_owned(),
            nodes: inner(nodes),
        },
        BlockKind::Code(found) => BlockKind::Code(Box::new(code(found, scope))),
        BlockKind::Math { formula } => {
            let formula = clean(formula).replace("$$", "$");
            let formula = formula.trim_start_matches('\n').trim_end_matches(['\n', '$']);
            if formula.trim().is_empty() {
                return None;
            }
            BlockKind::Math { formula: formula.to_owned() }
        }
        BlockKind::Images(found) if found.images.is_empty() => return None,
        BlockKind::Images(found) => BlockKind::Images(Box::new(Images {
            images: found
                .images
                .iter()
                .map(|node| within(node, image(&node.kind, scope)))
                .collect(),
            ..(**found).clone()
        })),
        BlockKind::File(file) => {
            let caption = caption(&file.caption, scope);
            if matches!(file.reference.target, ContentRef::File { .. }) {
                let mut file = (**file).clone();
                file.caption = caption;
                BlockKind::File(Box::new(file))
            } else {
                let url = file.reference.raw.clone();
                BlockKind::Embed(Box::new(Embed { url, full_width: None, caption }))
            }
        }
        BlockKind::Embed(embed) => BlockKind::Embed(Box::new(Embed {
            url: one_line(&embed.url),
            full_width: embed.full_width,
            caption: caption(&embed.caption, scope),
        })),
        BlockKind::Table(found) if found.columns.is_empty() => return None,
        BlockKind::Table(found) => BlockKind::Table(Box::new(table(found, scope))),
        BlockKind::Expandable(found) => BlockKind::Expandable(Box::new(Expandable {
            anchor: found.anchor.clone(),
            open: found.open,
            title: inlines(&found.title, LineKind::Html, scope),
            nodes: inner(&found.nodes),
        })),
        BlockKind::Tabs { full_width, items } => BlockKind::Tabs {
            full_width: *full_width,
            items: items.iter().map(|node| within(node, tab(&node.kind, scope))).collect(),
        },
        BlockKind::Stepper { steps } => BlockKind::Stepper {
            steps: steps
                .iter()
                .map(|node| {
                    within(
                        node,
                        Step {
                            icon: attribute(node.kind.icon.as_deref()),
                            nodes: inner(&node.kind.nodes),
                        },
                    )
                })
                .collect(),
        },
        BlockKind::Columns { full_width, columns } => BlockKind::Columns {
            full_width: *full_width,
            columns: columns.iter().map(|node| within(node, column(&node.kind, scope))).collect(),
        },
        BlockKind::OpenApi(found) => {
            let OpenApi { part, reference, anchor } = (**found).clone();
            BlockKind::OpenApi(Box::new(OpenApi { part, reference, anchor }))
        }
        BlockKind::Integration(found) => {
            let mut found = (**found).clone();
            for value in found.props.values_mut() {
                if !value.is_string() {
                    *value = serde_json::Value::String(value.to_string());
                }
            }
            let url = found.props.get("url").and_then(serde_json::Value::as_str);
            found.url = url.map(str::to_owned);
            BlockKind::Integration(Box::new(found))
        }
        BlockKind::Opaque(found) => {
            let source = clean(found.source.trim_end_matches(['\n', '\r']));
            if source.is_empty() {
                return None;
            }
            BlockKind::Opaque(Box::new(Opaque { source, ..(**found).clone() }))
        }
        kind @ (BlockKind::Divider
        | BlockKind::Drawing(_)
        | BlockKind::ContentRef(_)
        | BlockKind::ReusableContent(_)) => kind.clone(),
    };
    Some(with_kind(block, kind))
}

fn attribute(value: Option<&str>) -> Option<String> {
    some(value).map(|value| one_line(&clean(&value)))
}

/// Turns markup that the parser does not understand into text.
fn without_markup(mut nodes: Vec<Inline>, scope: Scope<'_>) -> Vec<Inline> {
    fn clear(nodes: &mut [Inline]) {
        let plain = |leaves: &mut Vec<Leaf>| leaves.iter_mut().for_each(|l| l.is_markup = false);
        for node in nodes {
            match &mut node.kind {
                InlineKind::Text(leaves) => plain(leaves),
                InlineKind::Annotation(annotation) => plain(&mut annotation.leaves),
                InlineKind::Link(link) => clear(&mut link.nodes),
                _ => {}
            }
        }
    }
    clear(&mut nodes);
    inlines(&nodes, LineKind::Html, scope)
}

/// Returns the normal form of a caption, which is a paragraph.
fn caption(nodes: &[Inline], scope: Scope<'_>) -> Vec<Inline> {
    match paragraph(inlines(nodes, LineKind::Paragraph, scope)) {
        BlockKind::Paragraph(paragraph) => paragraph.nodes,
        _ => Vec::new(),
    }
}

fn heading(heading: &Heading, scope: Scope<'_>) -> BlockKind {
    let line_kind = if heading.align.is_some() { LineKind::Html } else { LineKind::Heading };
    let mut nodes = inlines(&heading.nodes, line_kind, scope);
    if heading.align.is_some() {
        nodes = without_markup(nodes, scope);
    }
    trim_end(&mut nodes);
    let mut id = some(heading.id.as_deref()).filter(|id| !slug::anchor(id).is_empty());
    if id.is_none()
        && let Some(Node { kind: InlineKind::Text(leaves), .. }) = nodes.last_mut()
        && let Some(last) = leaves.last_mut()
        && let Some((text, found)) =
            last.text.strip_suffix('}').and_then(|text| text.rsplit_once("{#"))
        && !found.is_empty()
        && !found.contains(char::is_whitespace)
    {
        id = Some(found.to_owned());
        last.text = text.to_owned();
        trim_end(&mut nodes);
    }
    let level = heading.level.clamp(1, 3);
    let anchor = heading.anchor.clone();
    BlockKind::Heading(Box::new(Heading { level, id, anchor, align: heading.align, nodes }))
}

fn list_item(item: &Node<ListItem>, has_box: bool, scope: Scope<'_>) -> Node<ListItem> {
    let mut nodes = filled(blocks(&item.kind.nodes, scope));
    let checked = has_box.then(|| item.kind.checked.unwrap_or(false));
    let is_text = |block: &Block| matches!(&block.kind, BlockKind::Paragraph(paragraph) if paragraph.align.is_none());
    if has_box && !nodes.first().is_some_and(is_text) {
        nodes.insert(0, Node::new(item.span, BlockKind::Paragraph(Paragraph::default())));
    }
    within(item, ListItem { checked, nodes })
}

pub(super) fn code(code: &Code, scope: Scope<'_>) -> Code {
    let mut lines = Vec::with_capacity(code.lines.len());
    for line in &code.lines {
        let mut rich = rich(&line.kind.rich, scope);
        if !rich.is_empty() {
            let all_bold = rich.iter_mut().flat_map(leaves_of).all(|leaf| leaf.marks.bold);
            let has_text = rich.iter_mut().flat_map(leaves_of).next().is_some();
            let highlighted = line.kind.highlighted || all_bold && has_text;
            if highlighted {
                // A highlighted line is bold as a whole.
                rich.iter_mut().flat_map(leaves_of).for_each(|leaf| leaf.marks.bold = false);
                rich = inlines(&rich, LineKind::Html, scope);
            }
            lines.push(within(line, CodeLine::of(highlighted, rich)));
            continue;
        }
        for text in clean(&line.kind.text).split('\n') {
            let kind = CodeLine {
                highlighted: line.kind.highlighted,
                text: text.to_owned(),
                rich: Vec::new(),
            };
            lines.push(within(line, kind));
        }
    }
    if lines.is_empty() {
        lines.push(Node::new(Span::default(), CodeLine::default()));
    }
    let syntax = code.syntax.as_deref().and_then(|syntax| syntax.split_whitespace().next());
    let syntax = syntax.map(|syntax| clean(syntax).replace('`', ""));
    Code {
        syntax: some(syntax.as_deref()),
        title: attribute(code.title.as_deref()),
        lines,
        ..code.clone()
    }
}

/// Returns the normal form of a line of code: text with marks, notes and expressions, without line
/// endings.
fn rich(nodes: &[Inline], scope: Scope<'_>) -> Vec<Inline> {
    let fits = |node: &&Inline| {
        matches!(
            node.kind,
            InlineKind::Text(_) | InlineKind::Annotation(_) | InlineKind::Expression { .. }
        )
    };
    let mut kept: Vec<Inline> = nodes.iter().filter(fits).cloned().collect();
    let leaves = kept.iter_mut().flat_map(leaves_of);
    leaves.for_each(|leaf| leaf.is_markup &= !ends_code(&leaf.text));
    let mut kept = inlines(&kept, LineKind::Html, scope);
    kept.iter_mut().flat_map(leaves_of).for_each(|leaf| leaf.text = one_line(&leaf.text));
    kept
}

/// Returns the leaves of a text or an annotation.
fn leaves_of(node: &mut Inline) -> &mut [Leaf] {
    match &mut node.kind {
        InlineKind::Text(leaves) => leaves,
        InlineKind::Annotation(annotation) => &mut annotation.leaves,
        _ => &mut [],
    }
}

fn image(image: &Image, scope: Scope<'_>) -> Image {
    Image {
        reference: image.reference.clone(),
        dark: image.dark.clone(),
        alt: attribute(image.alt.as_deref()),
        width: image.width.as_ref().and_then(length),
        height: image.height.as_ref().and_then(length),
        caption: inlines(&image.caption, LineKind::Html, scope),
    }
}

pub(super) fn length(length: &Length) -> Option<Length> {
    let is_unit = |unit: &String| unit.chars().all(|c| c.is_alphanumeric() || c == '%');
    let unit = some(length.unit.as_deref()).filter(|unit| unit != "px" && is_unit(unit));
    (length.value.is_finite() && length.value >= 0.0)
        .then_some(Length { value: length.value, unit })
}

/// Returns the image block for an image that is alone in its paragraph.
pub(super) fn picture(image: InlineImage, span: Span) -> BlockKind {
    let text = image.caption.or_else(|| image.alt.clone()).filter(|text| !text.is_empty());
    let caption =
        text.map(|text| Node::new(span, InlineKind::Text(vec![Leaf { text, ..Leaf::default() }])));
    let picture = Image {
        reference: image.reference,
        dark: image.dark,
        alt: image.alt,
        width: image.width,
        height: image.height,
        caption: caption.into_iter().collect(),
    };
    let images = vec![Node::new(span, picture)];
    BlockKind::Images(Box::new(Images { images, ..Images::default() }))
}

fn tab(tab: &Tab, scope: Scope<'_>) -> Tab {
    Tab {
        anchor: tab.anchor.clone(),
        title: tab.title.as_deref().map(|title| one_line(&clean(title))),
        icon: attribute(tab.icon.as_deref()),
        nodes: filled(blocks(&tab.nodes, scope)),
    }
}

fn column(column: &Column, scope: Scope<'_>) -> Column {
    let vertical = column.vertical_alignment.clone();
    Column {
        width: column.width.as_ref().and_then(length),
        vertical_alignment: vertical.filter(|v| matches!(v.as_str(), "top" | "middle" | "bottom")),
        nodes: filled(blocks(&column.nodes, scope)),
    }
}

/// Calls `visit` with each list of inlines within a block, except in code.
pub(super) fn each_inline_list(
    block: &mut Block,
    visit: &mut dyn FnMut(&mut Vec<Inline>, LineKind),
) {
    use crate::document::Cell;
    let each = |nodes: &mut Vec<Block>, visit: &mut dyn FnMut(&mut Vec<Inline>, LineKind)| {
        nodes.iter_mut().for_each(|block| each_inline_list(block, visit));
    };
    match &mut block.kind {
        BlockKind::Paragraph(paragraph) => visit(&mut paragraph.nodes, LineKind::Paragraph),
        BlockKind::Heading(heading) => visit(&mut heading.nodes, LineKind::Heading),
        BlockKind::OrderedList { items, .. }
        | BlockKind::UnorderedList { items }
        | BlockKind::TaskList { items } => {
            items.iter_mut().for_each(|item| each(&mut item.kind.nodes, visit));
        }
        BlockKind::Quote { nodes } | BlockKind::If { nodes, .. } => each(nodes, visit),
        BlockKind::Hint(hint) => each(&mut hint.nodes, visit),
        BlockKind::Images(images) => {
            for image in &mut images.images {
                visit(&mut image.kind.caption, LineKind::Html);
            }
        }
        BlockKind::File(file) => visit(&mut file.caption, LineKind::Paragraph),
        BlockKind::Embed(embed) => visit(&mut embed.caption, LineKind::Paragraph),
        BlockKind::Table(table) => {
            for cell in table.rows.iter_mut().flat_map(|row| &mut row.cells) {
                if let Cell::Text { nodes, .. } = cell {
                    each(nodes, visit);
                }
            }
        }
        BlockKind::Expandable(expandable) => {
            visit(&mut expandable.title, LineKind::Html);
            each(&mut expandable.nodes, visit);
        }
        BlockKind::Tabs { items, .. } => {
            items.iter_mut().for_each(|item| each(&mut item.kind.nodes, visit));
        }
        BlockKind::Stepper { steps } => {
            steps.iter_mut().for_each(|step| each(&mut step.kind.nodes, visit));
        }
        BlockKind::Columns { columns, .. } => {
            columns.iter_mut().for_each(|column| each(&mut column.kind.nodes, visit));
        }
        BlockKind::Code(_)
        | BlockKind::Math { .. }
        | BlockKind::Divider
        | BlockKind::Drawing(_)
        | BlockKind::ContentRef(_)
        | BlockKind::ReusableContent(_)
        | BlockKind::OpenApi(_)
        | BlockKind::Integration(_)
        | BlockKind::Opaque(_) => {}
    }
}
