//! A uniform view of the parts of documents: a name, a key, a text and child parts.

use std::hash::Hasher;

use crate::document::equality::ContentEq;
use crate::document::{
    Block, BlockKind, Cell, CodeLine, Column, Image, Inline, Key, Leaf, ListItem, Node, OpaqueKind,
    OpenApiPart, Row, Step, Tab, TableColumn,
};

/// A block, or a part of one.
#[derive(Debug, Clone, Copy)]
pub enum Part<'d> {
    /// A block.
    Block(&'d Block),
    /// An item of a list.
    Item(&'d Node<ListItem>),
    /// One of several tabs.
    Tab(&'d Node<Tab>),
    /// One of several steps.
    Step(&'d Node<Step>),
    /// One of several columns of text.
    Column(&'d Node<Column>),
    /// A line of code.
    Line(&'d Node<CodeLine>),
    /// A line of a formula or of opaque source.
    Source(&'d str),
    /// An image.
    Image(&'d Node<Image>),
    /// A column of a table.
    TableColumn(&'d TableColumn),
    /// A row of a table, with the columns of the table.
    Row(&'d Row, &'d [TableColumn]),
    /// A cell of a table, with its column.
    Cell(&'d Cell, &'d TableColumn),
}

/// The text of a part.
#[derive(Clone, Copy)]
pub(crate) enum Text<'d> {
    /// Inlines.
    Inlines(&'d [Inline]),
    /// Text with marks.
    Leaves(&'d [Leaf]),
    /// Text without marks.
    Plain(&'d str),
}

impl<'d> Part<'d> {
    /// Returns the key, if the part has one.
    #[must_use]
    pub fn key(&self) -> Option<Key> {
        let key = match self {
            Self::Block(block) => block.key,
            Self::Item(item) => item.key,
            Self::Tab(tab) => tab.key,
            Self::Step(step) => step.key,
            Self::Column(column) => column.key,
            Self::Line(line) => line.key,
            Self::Image(image) => image.key,
            Self::Cell(Cell::Text { key, .. }, _) => *key,
            Self::Source(_) | Self::TableColumn(_) | Self::Row(..) | Self::Cell(..) => return None,
        };
        (key != Key::default()).then_some(key)
    }

    /// Returns the name of the part's type in the contract.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Block(block) => block_name(&block.kind),
            Self::Item(_) => "list-item",
            Self::Tab(_) => "tabs-item",
            Self::Step(_) => "stepper-step",
            Self::Column(_) => "column",
            Self::Line(_) => "code-line",
            Self::Source(_) => "source-line",
            Self::Image(_) => "image",
            Self::TableColumn(_) => "table-column",
            Self::Row(..) => "table-row",
            Self::Cell(..) => "table-cell",
        }
    }

    /// Returns the part's own text, if it has one.
    pub(crate) fn text(&self) -> Option<Text<'d>> {
        Some(match *self {
            Self::Block(block) => match &block.kind {
                BlockKind::Paragraph(paragraph) => Text::Inlines(&paragraph.nodes),
                BlockKind::Heading(heading) => Text::Inlines(&heading.nodes),
                BlockKind::Expandable(expandable) => Text::Inlines(&expandable.title),
                BlockKind::File(file) => Text::Inlines(&file.caption),
                BlockKind::Embed(embed) => Text::Inlines(&embed.caption),
                _ => return None,
            },
            Self::Tab(tab) => Text::Plain(tab.kind.title.as_deref()?),
            Self::Line(line) if line.kind.rich.is_empty() => Text::Plain(&line.kind.text),
            Self::Line(line) => Text::Inlines(&line.kind.rich),
            Self::Source(line) => Text::Plain(line),
            Self::Image(image) => Text::Inlines(&image.kind.caption),
            Self::TableColumn(column) => Text::Plain(&column.title),
            Self::Item(_) | Self::Step(_) | Self::Column(_) | Self::Row(..) | Self::Cell(..) => {
                return None;
            }
        })
    }

    /// Returns the child parts, in order.
    pub(crate) fn parts(&self) -> Vec<Self> {
        match *self {
            Self::Block(block) => block_parts(block),
            Self::Item(item) => blocks(&item.kind.nodes),
            Self::Tab(tab) => blocks(&tab.kind.nodes),
            Self::Step(step) => blocks(&step.kind.nodes),
            Self::Column(column) => blocks(&column.kind.nodes),
            Self::Row(row, columns) => row
                .cells
                .iter()
                .zip(columns)
                .map(|(cell, column)| Self::Cell(cell, column))
                .collect(),
            Self::Cell(Cell::Text { nodes, .. }, _) => blocks(nodes),
            Self::Line(_)
            | Self::Source(_)
            | Self::Image(_)
            | Self::TableColumn(_)
            | Self::Cell(..) => Vec::new(),
        }
    }

    /// Returns `true` if this is not a block but contains blocks, directly or in its parts.
    pub(super) fn holds_blocks(&self) -> bool {
        matches!(
            self,
            Self::Item(_)
                | Self::Tab(_)
                | Self::Step(_)
                | Self::Column(_)
                | Self::Row(..)
                | Self::Cell(..)
        )
    }

    /// Returns `true` if one part can be edited into the other.
    pub(super) fn is_compatible(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Block(one), Self::Block(other)) => {
                let group = |kind: &BlockKind| match kind {
                    BlockKind::Paragraph(_) | BlockKind::Heading(_) => 1,
                    BlockKind::OrderedList { .. }
                    | BlockKind::UnorderedList { .. }
                    | BlockKind::TaskList { .. } => 2,
                    _ => 0,
                };
                one.kind.variant() == other.kind.variant()
                    || group(&one.kind) != 0 && group(&one.kind) == group(&other.kind)
            }
            _ => true,
        }
    }
}

pub(super) fn blocks(nodes: &[Block]) -> Vec<Part<'_>> {
    nodes.iter().map(Part::Block).collect()
}

/// Maximum number of lines of a source that are compared individually. The parts of a longer source
/// are stretches of lines, which bounds the memory of a comparison.
const LINES_LIMIT: usize = 10_000;

/// Returns the lines of a source; none for an empty source.
fn lines(source: &str) -> Vec<Part<'_>> {
    if source.lines().nth(LINES_LIMIT).is_some() {
        return stretches(source).map(Part::Source).collect();
    }
    source.lines().map(Part::Source).collect()
}

/// Splits a source into stretches of lines. The bytes of a line determine whether a stretch ends
/// there, so an edit moves only the boundaries beside it.
fn stretches(source: &str) -> impl Iterator<Item = &str> {
    const LENGTHS: std::ops::Range<usize> = 8..64;
    let mut rest = source;
    std::iter::from_fn(move || {
        let mut end = 0;
        for (count, line) in (1..).zip(rest.split_inclusive('\n')) {
            end += line.len();
            let sum: usize = line.bytes().map(usize::from).sum();
            if count >= LENGTHS.end || count >= LENGTHS.start && sum.is_multiple_of(8) {
                break;
            }
        }
        let (stretch, after) = rest.split_at_checked(end).filter(|_| end > 0)?;
        rest = after;
        Some(stretch.strip_suffix('\n').unwrap_or(stretch))
    })
}

fn block_parts(block: &Block) -> Vec<Part<'_>> {
    match &block.kind {
        BlockKind::OrderedList { items, .. }
        | BlockKind::UnorderedList { items }
        | BlockKind::TaskList { items } => items.iter().map(Part::Item).collect(),
        BlockKind::Quote { nodes } | BlockKind::If { nodes, .. } => blocks(nodes),
        BlockKind::Hint(hint) => blocks(&hint.nodes),
        BlockKind::Expandable(expandable) => blocks(&expandable.nodes),
        BlockKind::Code(code) => code.lines.iter().map(Part::Line).collect(),
        BlockKind::Math { formula } => lines(formula),
        BlockKind::Images(images) => images.images.iter().map(Part::Image).collect(),
        BlockKind::Table(table) => {
            let rows = table.rows.iter().map(|row| Part::Row(row, &table.columns));
            table.columns.iter().map(Part::TableColumn).chain(rows).collect()
        }
        BlockKind::Tabs { items, .. } => items.iter().map(Part::Tab).collect(),
        BlockKind::Stepper { steps } => steps.iter().map(Part::Step).collect(),
        BlockKind::Columns { columns, .. } => columns.iter().map(Part::Column).collect(),
        BlockKind::Opaque(opaque) => lines(&opaque.source),
        BlockKind::Paragraph(_)
        | BlockKind::Heading(_)
        | BlockKind::Divider
        | BlockKind::File(_)
        | BlockKind::Drawing(_)
        | BlockKind::Embed(_)
        | BlockKind::ContentRef(_)
        | BlockKind::ReusableContent(_)
        | BlockKind::OpenApi(_)
        | BlockKind::Integration(_) => Vec::new(),
    }
}

fn block_name(kind: &BlockKind) -> &'static str {
    match kind {
        BlockKind::Paragraph(_) => "paragraph",
        BlockKind::Heading(heading) => match heading.level {
            1 => "heading-1",
            2 => "heading-2",
            _ => "heading-3",
        },
        BlockKind::OrderedList { .. } => "list-ordered",
        BlockKind::UnorderedList { .. } => "list-unordered",
        BlockKind::TaskList { .. } => "list-tasks",
        BlockKind::Quote { .. } => "blockquote",
        BlockKind::Hint(_) => "hint",
        BlockKind::Code(_) => "code",
        BlockKind::Math { .. } => "math",
        BlockKind::Divider => "divider",
        BlockKind::Images(_) => "images",
        BlockKind::File(_) => "file",
        BlockKind::Drawing(_) => "drawing",
        BlockKind::Embed(_) => "embed",
        BlockKind::Table(_) => "table",
        BlockKind::Expandable(_) => "expandable",
        BlockKind::Tabs { .. } => "tabs",
        BlockKind::Stepper { .. } => "stepper",
        BlockKind::Columns { .. } => "columns",
        BlockKind::ContentRef(_) => "content-ref",
        BlockKind::ReusableContent(_) => "reusable-content",
        BlockKind::If { .. } => "if",
        BlockKind::OpenApi(block) => match block.part {
            OpenApiPart::Swagger { .. } => "swagger",
            OpenApiPart::Operation { .. } => "openapi-operation",
            OpenApiPart::Schemas { .. } => "openapi-schemas",
            OpenApiPart::Webhook { .. } => "openapi-webhook",
        },
        BlockKind::Integration(_) => "integration",
        BlockKind::Opaque(opaque) => match opaque.block {
            OpaqueKind::Unknown => "source",
            OpaqueKind::Comment => "comment",
            OpaqueKind::Updates => "updates",
            OpaqueKind::Prompt => "prompt",
        },
    }
}

impl ContentEq for Part<'_> {
    fn content_eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Block(one), Self::Block(other)) => one.content_eq(other),
            (Self::Item(one), Self::Item(other)) => one.content_eq(other),
            (Self::Tab(one), Self::Tab(other)) => one.content_eq(other),
            (Self::Step(one), Self::Step(other)) => one.content_eq(other),
            (Self::Column(one), Self::Column(other)) => one.content_eq(other),
            (Self::Line(one), Self::Line(other)) => one.content_eq(other),
            (Self::Source(one), Self::Source(other)) => one == other,
            (Self::Image(one), Self::Image(other)) => one.content_eq(other),
            (Self::TableColumn(one), Self::TableColumn(other)) => one.content_eq(other),
            (Self::Row(one, _), Self::Row(other, _)) => one.content_eq(other),
            (Self::Cell(one, _), Self::Cell(other, _)) => one.content_eq(other),
            _ => false,
        }
    }

    fn hash_content<H: Hasher>(&self, to: &mut H) {
        match self {
            Self::Block(part) => part.hash_content(to),
            Self::Item(part) => part.hash_content(to),
            Self::Tab(part) => part.hash_content(to),
            Self::Step(part) => part.hash_content(to),
            Self::Column(part) => part.hash_content(to),
            Self::Line(part) => part.hash_content(to),
            Self::Source(line) => (*line).to_owned().hash_content(to),
            Self::Image(part) => part.hash_content(to),
            Self::TableColumn(part) => part.hash_content(to),
            Self::Row(part, _) => part.hash_content(to),
            Self::Cell(part, _) => part.hash_content(to),
        }
    }

    fn variant(&self) -> Option<std::mem::Discriminant<BlockKind>> {
        match self {
            Self::Block(block) => block.kind.variant(),
            _ => None,
        }
    }
}
