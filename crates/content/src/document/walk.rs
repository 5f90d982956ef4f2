//! A visitor over documents, and the collections of references and text built on it.

use std::collections::HashSet;

use super::{
    Block, BlockKind, Cell, ColumnKind, Document, Inline, InlineKind, Leaf, Reference, TableColumn,
};

/// Visits the parts of a document. Every method does nothing by default.
pub trait Visit<'d> {
    /// Called for a block, before its content.
    fn block(&mut self, block: &'d Block) {
        let _ = block;
    }
    /// Called at the end of a block.
    fn end_block(&mut self, block: &'d Block) {
        let _ = block;
    }
    /// Called for an inline, before its content.
    fn inline(&mut self, inline: &'d Inline) {
        let _ = inline;
    }
    /// Called for every reference: links, images, files, pages, reusable contents.
    fn reference(&mut self, reference: &'d Reference, role: ReferenceRole) {
        let _ = (reference, role);
    }
    /// Called for a leaf of text.
    fn leaf(&mut self, leaf: &'d Leaf) {
        let _ = leaf;
    }
    /// Called for text outside leaves that forms its own line: code lines, titles of tabs.
    fn plain(&mut self, text: &'d str) {
        let _ = text;
    }
    /// Called for text outside leaves that is part of a line: labels of buttons.
    fn label(&mut self, text: &'d str) {
        let _ = text;
    }
    /// Called for a number in a table cell.
    fn number(&mut self, number: f64) {
        let _ = number;
    }
    /// Called with the column of a table before its title and before each of its cells, and with
    /// `None` after the table.
    fn column(&mut self, column: Option<&'d TableColumn>) {
        let _ = column;
    }
}

/// The kind of element that contains a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReferenceRole {
    /// A link in text.
    Link,
    /// A reference shown as the name of its target.
    Mention,
    /// A button.
    Button,
    /// A block-level image or its variant for dark mode.
    Image,
    /// An inline image or its variant for dark mode.
    InlineImage,
    /// A file to download.
    File,
    /// A drawing.
    Drawing,
    /// A block-level link to a page.
    ContentRef,
    /// An included reusable content.
    ReusableContent,
    /// A part of an OpenAPI specification.
    OpenApi,
    /// A table cell.
    Cell,
    /// An attribute of unknown HTML.
    Foreign,
}

/// A reference and its location in a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReferenceUse<'d> {
    /// The kind of element that contains the reference.
    pub role: ReferenceRole,
    /// The innermost block that contains the reference.
    pub block: &'d Block,
    /// The reference.
    pub reference: &'d Reference,
}

impl Document {
    /// Visits the document in order. The parser bounds the depth of recursion.
    pub fn walk<'d>(&'d self, visitor: &mut impl Visit<'d>) {
        blocks(&self.nodes, visitor);
    }

    /// Visits the notes that nothing refers to.
    pub(crate) fn walk_unused_notes<'d>(&'d self, visitor: &mut impl Visit<'d>) {
        blocks(&self.unused_notes, visitor);
    }

    /// Returns all references of the document, in order.
    #[must_use]
    pub fn references(&self) -> Vec<ReferenceUse<'_>> {
        struct Collect<'d> {
            document: &'d Document,
            open: Vec<&'d Block>,
            found: Vec<ReferenceUse<'d>>,
        }
        impl<'d> Visit<'d> for Collect<'d> {
            fn block(&mut self, block: &'d Block) {
                self.open.push(block);
            }
            fn end_block(&mut self, _: &'d Block) {
                self.open.pop();
            }
            fn leaf(&mut self, leaf: &'d Leaf) {
                if leaf.is_markup && !self.document.frames.is_empty() {
                    for raw in crate::syntax::frame_targets(&leaf.text) {
                        if let Some(reference) = self.document.frame(&raw) {
                            self.reference(reference, ReferenceRole::Foreign);
                        }
                    }
                }
            }
            fn reference(&mut self, reference: &'d Reference, role: ReferenceRole) {
                let block = self.open.last().copied();
                self.found.extend(block.map(|block| ReferenceUse { role, block, reference }));
            }
        }
        let mut collect = Collect { document: self, open: Vec::new(), found: Vec::new() };
        self.walk(&mut collect);
        self.walk_unused_notes(&mut collect);
        collect.found
    }
}

impl Document {
    /// Returns the addresses on the web that the document embeds, as blocks or as frames, in order
    /// and without duplicates; at most `limit`. Videos and audio files are none of them.
    #[must_use]
    pub fn embeds(&self, limit: usize) -> Vec<String> {
        struct Collect {
            found: Vec<String>,
            known: HashSet<String>,
            limit: usize,
        }
        impl Collect {
            fn add(&mut self, url: &str) {
                let Some(url) = crate::html::safe_web_url(url) else { return };
                if self.found.len() < self.limit && self.known.insert(url.to_owned()) {
                    self.found.push(url.to_owned());
                }
            }
            fn frames(&mut self, source: &str) {
                crate::syntax::embedded_targets(source).for_each(|url| self.add(&url));
            }
        }
        impl<'d> Visit<'d> for Collect {
            fn block(&mut self, block: &'d Block) {
                match &block.kind {
                    BlockKind::Embed(embed) => self.add(&embed.url),
                    BlockKind::Integration(block) => {
                        block.url.iter().for_each(|url| self.add(url));
                    }
                    BlockKind::Opaque(opaque) => self.frames(&opaque.source),
                    _ => {}
                }
            }
            fn leaf(&mut self, leaf: &'d Leaf) {
                if leaf.is_markup {
                    self.frames(&leaf.text);
                }
            }
        }
        let mut collect = Collect { found: Vec::new(), known: HashSet::new(), limit };
        self.walk(&mut collect);
        collect.found
    }

    /// Returns the anchors of this document, except ids in HTML source.
    #[must_use]
    pub fn anchors(&self) -> HashSet<&str> {
        struct Collect<'d>(HashSet<&'d str>);
        impl<'d> Visit<'d> for Collect<'d> {
            fn block(&mut self, block: &'d Block) {
                match &block.kind {
                    BlockKind::Heading(heading) => self.0.extend([heading.anchor.as_str()]),
                    BlockKind::Expandable(block) => self.0.extend([block.anchor.as_str()]),
                    BlockKind::OpenApi(block) => self.0.extend([block.anchor.as_str()]),
                    BlockKind::Tabs { items, .. } => {
                        self.0.extend(items.iter().map(|tab| tab.kind.anchor.as_str()));
                    }
                    _ => {}
                }
            }
        }
        let aliases = self.aliases.values().flatten().map(String::as_str);
        let mut collect = Collect(aliases.collect());
        self.walk(&mut collect);
        collect.0
    }
}

pub(crate) fn blocks<'d>(nodes: &'d [Block], visitor: &mut impl Visit<'d>) {
    for node in nodes {
        block(node, visitor);
    }
}

fn block<'d>(node: &'d Block, visitor: &mut impl Visit<'d>) {
    visitor.block(node);
    match &node.kind {
        BlockKind::Paragraph(paragraph) => inlines(&paragraph.nodes, visitor),
        BlockKind::Heading(heading) => inlines(&heading.nodes, visitor),
        BlockKind::OrderedList { items, .. }
        | BlockKind::UnorderedList { items }
        | BlockKind::TaskList { items } => {
            items.iter().for_each(|item| blocks(&item.kind.nodes, visitor));
        }
        BlockKind::Quote { nodes } | BlockKind::If { nodes, .. } => blocks(nodes, visitor),
        BlockKind::Hint(hint) => blocks(&hint.nodes, visitor),
        BlockKind::Code(code) => {
            code.title.iter().for_each(|title| visitor.plain(title));
            for line in &code.lines {
                visitor.plain(&line.kind.text);
                notes(&line.kind.rich, visitor);
            }
        }
        BlockKind::Images(images) => {
            for image in &images.images {
                visitor.reference(&image.kind.reference, ReferenceRole::Image);
                image
                    .kind
                    .dark
                    .iter()
                    .for_each(|dark| visitor.reference(dark, ReferenceRole::Image));
                inlines(&image.kind.caption, visitor);
            }
        }
        BlockKind::File(file) => {
            visitor.reference(&file.reference, ReferenceRole::File);
            inlines(&file.caption, visitor);
        }
        BlockKind::Embed(embed) => inlines(&embed.caption, visitor),
        BlockKind::Table(table) => {
            for column in &table.columns {
                visitor.column(Some(column));
                visitor.plain(&column.title);
            }
            for row in &table.rows {
                for (column, one) in table.columns.iter().zip(&row.cells) {
                    visitor.column(Some(column));
                    cell(one, column, visitor);
                }
            }
            visitor.column(None);
        }
        BlockKind::Expandable(expandable) => {
            inlines(&expandable.title, visitor);
            blocks(&expandable.nodes, visitor);
        }
        BlockKind::Tabs { items, .. } => {
            for item in items {
                item.kind.title.iter().for_each(|title| visitor.plain(title));
                blocks(&item.kind.nodes, visitor);
            }
        }
        BlockKind::Stepper { steps } => steps.iter().for_each(|s| blocks(&s.kind.nodes, visitor)),
        BlockKind::Columns { columns, .. } => {
            columns.iter().for_each(|column| blocks(&column.kind.nodes, visitor));
        }
        BlockKind::Drawing(reference) => visitor.reference(reference, ReferenceRole::Drawing),
        BlockKind::ContentRef(reference) => visitor.reference(reference, ReferenceRole::ContentRef),
        BlockKind::ReusableContent(reference) => {
            visitor.reference(reference, ReferenceRole::ReusableContent);
        }
        BlockKind::OpenApi(part) => visitor.reference(&part.reference, ReferenceRole::OpenApi),
        BlockKind::Opaque(opaque) => {
            for reference in &opaque.references {
                visitor.reference(reference, ReferenceRole::Foreign);
            }
            blocks(&opaque.nodes, visitor);
        }
        BlockKind::Math { .. } | BlockKind::Divider | BlockKind::Integration(_) => {}
    }
    visitor.end_block(node);
}

fn cell<'d>(cell: &'d Cell, column: &'d TableColumn, visitor: &mut impl Visit<'d>) {
    match cell {
        Cell::Text { nodes, .. } => blocks(nodes, visitor),
        Cell::References(references) => {
            references
                .iter()
                .for_each(|reference| visitor.reference(reference, ReferenceRole::Cell));
        }
        Cell::Reference(reference) | Cell::Image { reference, .. } => {
            visitor.reference(reference, ReferenceRole::Cell);
        }
        Cell::Values(values) => {
            for value in values {
                let label = match &column.kind {
                    ColumnKind::Select { options, .. } => {
                        options.iter().find(|option| option.value == *value).map(|o| &o.label)
                    }
                    _ => None,
                };
                visitor.plain(label.unwrap_or(value));
            }
        }
        Cell::Number(number) => visitor.number(*number),
        Cell::Unusable(text) => visitor.plain(text),
        Cell::Empty | Cell::Checkbox(_) => {}
    }
}

/// Visits the notes of a code line whose text was already visited.
fn notes<'d>(nodes: &'d [Inline], visitor: &mut impl Visit<'d>) {
    for node in nodes {
        if let InlineKind::Annotation(annotation) = &node.kind {
            visitor.inline(node);
            blocks(&annotation.body, visitor);
        }
    }
}

fn inlines<'d>(nodes: &'d [Inline], visitor: &mut impl Visit<'d>) {
    for node in nodes {
        visitor.inline(node);
        match &node.kind {
            InlineKind::Text(leaves) => leaves.iter().for_each(|leaf| visitor.leaf(leaf)),
            InlineKind::Link(link) => {
                visitor.reference(&link.reference, ReferenceRole::Link);
                inlines(&link.nodes, visitor);
            }
            InlineKind::Image(image) => {
                visitor.reference(&image.reference, ReferenceRole::InlineImage);
                image
                    .dark
                    .iter()
                    .for_each(|dark| visitor.reference(dark, ReferenceRole::InlineImage));
            }
            InlineKind::Annotation(annotation) => {
                annotation.leaves.iter().for_each(|leaf| visitor.leaf(leaf));
                blocks(&annotation.body, visitor);
            }
            InlineKind::Mention(reference) => visitor.reference(reference, ReferenceRole::Mention),
            InlineKind::Button(button) => {
                visitor.label(&button.label);
                visitor.reference(&button.reference, ReferenceRole::Button);
            }
            InlineKind::Emoji { .. }
            | InlineKind::Icon(_)
            | InlineKind::Expression { .. }
            | InlineKind::Math { .. } => {}
        }
    }
}

/// Returns the text of inlines without marks, notes and unknown tags.
#[must_use]
pub fn plain_text(nodes: &[Inline]) -> String {
    let mut text = String::new();
    push_plain_text(nodes, &mut text);
    text
}

fn push_plain_text(nodes: &[Inline], text: &mut String) {
    let mut push = |leaves: &[Leaf]| {
        leaves.iter().filter(|leaf| !leaf.is_markup).for_each(|leaf| text.push_str(&leaf.text));
    };
    for node in nodes {
        match &node.kind {
            InlineKind::Text(leaves) => push(leaves),
            InlineKind::Annotation(annotation) => push(&annotation.leaves),
            InlineKind::Link(link) => {
                for inner in &link.nodes {
                    if let InlineKind::Text(leaves) = &inner.kind {
                        push(leaves);
                    }
                }
            }
            InlineKind::Math { formula } => push(&[plain_leaf(formula)]),
            InlineKind::Button(button) => push(&[plain_leaf(&button.label)]),
            InlineKind::Emoji { code } => {
                if let Some(characters) = crate::emoji::characters(code) {
                    push(&[plain_leaf(&characters)]);
                }
            }
            InlineKind::Icon(_)
            | InlineKind::Expression { .. }
            | InlineKind::Image(_)
            | InlineKind::Mention(_) => {}
        }
    }
}

fn plain_leaf(text: &str) -> Leaf {
    Leaf { text: text.to_owned(), ..Leaf::default() }
}
