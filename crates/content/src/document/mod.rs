//! The document model: the content of a page as a tree, in the structure of the API contract.
//!
//! Every node has a key and its span in the source. Serialization ([`json`](crate::json)) writes
//! exactly the contract's structure; spans are not part of it.

mod color;
pub(crate) mod complete;
pub(crate) mod equality;
mod find;
mod identity;
pub(crate) mod key;
mod table;
mod walk;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::reference::ContentRef;
use crate::source::Span;

pub use color::Color;
pub use identity::Identity;
pub(crate) use identity::{Overrides, unused_key};
pub use key::Key;
pub use table::{Cell, ColumnKind, ColumnRole, Row, SelectOption, Table, TableColumn, View};
pub(crate) use walk::blocks;
pub use walk::{ReferenceRole, ReferenceUse, Visit, plain_text};

/// Maximum number of JSON levels that the containers around a block may take: two for a container
/// of blocks, and four for a container that has parts. Deeper containers are kept as opaque source.
///
/// Many JSON parsers reject more than 128 levels. A document takes two levels itself, and a block
/// with its text takes at most ten. The rest is left for the response that contains the document.
pub(crate) const JSON_LEVELS: usize = 108;

/// The content of a page or of a reusable content.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// The top-level blocks, in order.
    pub nodes: Vec<Block>,
    /// Additional ids under which links find nodes that have anchors, by the nodes' keys.
    pub aliases: HashMap<Key, Vec<String>>,
    /// The targets of attributes of inline HTML tags such as `<iframe src>`, sorted by `raw`,
    /// without duplicates.
    pub frames: Vec<Reference>,
    /// The notes that nothing refers to, in order. They are not part of the JSON; readers find
    /// them at the end of the page.
    pub unused_notes: Vec<Block>,
    /// The anchors of the heading that is the title of the page. A node with the same anchor has
    /// precedence.
    pub title_anchors: Vec<String>,
}

impl Document {
    /// Returns the reference for the target of an attribute of an inline HTML tag. `raw` is the
    /// target as written in the source.
    pub(crate) fn frame(&self, raw: &str) -> Option<&Reference> {
        let at = self.frames.binary_search_by(|found| found.raw.as_str().cmp(raw)).ok()?;
        self.frames.get(at)
    }
}

/// A node with its key and its span in the parsed text.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<T> {
    /// The key.
    pub key: Key,
    /// The span in the source.
    pub span: Span,
    /// The node's content.
    pub kind: T,
}

impl<T> Node<T> {
    /// Creates a node with the given span. Its key is set when the document is completed.
    pub fn new(span: Span, kind: T) -> Self {
        Self { key: Key::default(), span, kind }
    }
}

/// A block.
pub type Block = Node<BlockKind>;
/// An inline node: a piece of text or another element within a line.
pub type Inline = Node<InlineKind>;

/// The kinds of blocks.
#[derive(Debug, Clone, PartialEq)]
pub enum BlockKind {
    /// Text.
    Paragraph(Paragraph),
    /// A heading.
    Heading(Box<Heading>),
    /// A numbered list.
    OrderedList {
        /// The first number.
        start: u64,
        /// The items.
        items: Vec<Node<ListItem>>,
    },
    /// A list with bullets.
    UnorderedList {
        /// The items.
        items: Vec<Node<ListItem>>,
    },
    /// A list in which every item has a checkbox.
    TaskList {
        /// The items.
        items: Vec<Node<ListItem>>,
    },
    /// A quotation.
    Quote {
        /// The quoted blocks.
        nodes: Vec<Block>,
    },
    /// A callout: a box with a style and an icon.
    Hint(Box<Hint>),
    /// Code, line by line.
    Code(Box<Code>),
    /// A formula.
    Math {
        /// TeX, as written.
        formula: String,
    },
    /// A thematic break.
    Divider,
    /// One or more images.
    Images(Box<Images>),
    /// A file to download.
    File(Box<FileBlock>),
    /// A drawing.
    Drawing(Box<Reference>),
    /// Embedded content from another address.
    Embed(Box<Embed>),
    /// A table, as a grid or as cards.
    Table(Box<Table>),
    /// A section with a title that can be collapsed.
    Expandable(Box<Expandable>),
    /// Tabs.
    Tabs {
        /// `true` if the tabs span the full width; `None` if unspecified.
        full_width: Option<bool>,
        /// The tabs.
        items: Vec<Node<Tab>>,
    },
    /// Numbered steps.
    Stepper {
        /// The steps.
        steps: Vec<Node<Step>>,
    },
    /// Columns side by side.
    Columns {
        /// `true` if the columns span the full width; `None` if unspecified.
        full_width: Option<bool>,
        /// The columns.
        columns: Vec<Node<Column>>,
    },
    /// A block-level link to a page.
    ContentRef(Box<Reference>),
    /// A reusable content, included here.
    ReusableContent(Box<Reference>),
    /// Blocks that are shown if an expression is true.
    If {
        /// The expression, as written.
        expression: String,
        /// The conditional blocks.
        nodes: Vec<Block>,
    },
    /// A part of an OpenAPI specification.
    OpenApi(Box<OpenApi>),
    /// A block of an integration.
    Integration(Box<Integration>),
    /// Source for which the contract has no type, kept verbatim.
    Opaque(Box<Opaque>),
}

/// Text with an alignment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Paragraph {
    /// The alignment, if specified.
    pub align: Option<Align>,
    /// The text.
    pub nodes: Vec<Inline>,
}

/// The alignment of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Aligned to the start of the line.
    Start,
    /// Centered.
    Center,
    /// Aligned to the end of the line.
    End,
}

impl Align {
    /// Returns the contract's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Center => "center",
            Self::End => "end",
        }
    }
}

/// A heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Heading {
    /// The level, 1 to 3.
    pub level: u8,
    /// The id that the source specifies.
    pub id: Option<String>,
    /// The id that links use; unique within the page.
    pub anchor: String,
    /// The alignment, if specified.
    pub align: Option<Align>,
    /// The text.
    pub nodes: Vec<Inline>,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListItem {
    /// The state of the checkbox; `None` unless the list is a task list.
    pub checked: Option<bool>,
    /// The item's content; at least one block.
    pub nodes: Vec<Block>,
}

/// A callout.
#[derive(Debug, Clone, PartialEq)]
pub struct Hint {
    /// The style, which sets the colour and the default icon.
    pub style: HintStyle,
    /// The name of the icon, if specified.
    pub icon: Option<String>,
    /// The callout's content.
    pub nodes: Vec<Block>,
}

/// The style of a callout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HintStyle {
    /// Neutral information.
    #[default]
    Info,
    /// A warning.
    Warning,
    /// A warning about damage or data loss.
    Danger,
    /// Success or good news.
    Success,
}

impl HintStyle {
    /// Returns the contract's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Danger => "danger",
            Self::Success => "success",
        }
    }
}

/// A code block.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Code {
    /// The name of the language, if specified.
    pub syntax: Option<String>,
    /// The title, such as a file name.
    pub title: Option<String>,
    /// `true` if long lines wrap; `None` if unspecified.
    pub wrap: Option<bool>,
    /// `true` if lines are numbered; `None` if unspecified.
    pub line_numbers: Option<bool>,
    /// `true` if the block spans the full width; `None` if unspecified.
    pub full_width: Option<bool>,
    /// `true` if long code is collapsed; `None` if unspecified.
    pub expandable: Option<bool>,
    /// The number of lines shown while the code is collapsed.
    pub collapsed_line_count: Option<u64>,
    /// The lines; at least one.
    pub lines: Vec<Node<CodeLine>>,
}

/// A line of a code block.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodeLine {
    /// `true` if the line is highlighted.
    pub highlighted: bool,
    /// The text without its line ending.
    pub text: String,
    /// The line as inlines if it contains notes, expressions or marks; empty if it is plain text.
    pub rich: Vec<Inline>,
}

/// A reference to a page, file, space, person or address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The target as written in the source, with escapes resolved.
    pub raw: String,
    /// The span of the element that contains the target.
    pub span: Span,
    /// The target that `raw` resolves to.
    pub target: ContentRef,
    /// A text that the source gives the target: the name of a person, which is shown for a person
    /// who is unknown here, the title of a page of another space, which is shown where that is
    /// unknown, the title of a link, or the alternative text of a drawing. Not part of the content.
    pub name: Option<String>,
}

/// A row of images.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Images {
    /// The alignment, if specified.
    pub align: Option<Align>,
    /// `true` if the row spans the full width; `None` if unspecified.
    pub full_width: Option<bool>,
    /// `true` if the images have a frame; `None` if unspecified.
    pub with_frame: Option<bool>,
    /// The images; at least one.
    pub images: Vec<Node<Image>>,
}

/// An image.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// The image file or address.
    pub reference: Reference,
    /// The variant for dark mode.
    pub dark: Option<Reference>,
    /// The alternative text.
    pub alt: Option<String>,
    /// The width, if specified.
    pub width: Option<Length>,
    /// The height, if specified.
    pub height: Option<Length>,
    /// The caption; empty if there is none.
    pub caption: Vec<Inline>,
}

/// A length in pixels or in another unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Length {
    /// The number of units.
    pub value: f64,
    /// The unit; `None` means pixels.
    pub unit: Option<String>,
}

impl Length {
    /// Parses a length such as `375`, `375px` or `41.6%`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at_checked(digits)?;
        let value = number.parse::<f64>().ok().filter(|value| value.is_finite())?;
        let unit = Some(unit.trim()).filter(|unit| !matches!(*unit, "" | "px")).map(str::to_owned);
        Some(Self { value, unit })
    }
}

/// A file to download.
#[derive(Debug, Clone, PartialEq)]
pub struct FileBlock {
    /// The file.
    pub reference: Reference,
    /// The caption; empty if there is none.
    pub caption: Vec<Inline>,
}

/// Embedded content from another address.
#[derive(Debug, Clone, PartialEq)]
pub struct Embed {
    /// The address of the embedded content.
    pub url: String,
    /// `true` if the block spans the full width; `None` if unspecified.
    pub full_width: Option<bool>,
    /// The caption; empty if there is none.
    pub caption: Vec<Inline>,
}

/// A section with a title that can be collapsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Expandable {
    /// The id that links use; unique within the page.
    pub anchor: String,
    /// `true` if the section is expanded initially.
    pub open: bool,
    /// The title.
    pub title: Vec<Inline>,
    /// The section's content; at least one block.
    pub nodes: Vec<Block>,
}

/// One of several tabs.
#[derive(Debug, Clone, PartialEq)]
pub struct Tab {
    /// The id that links use; unique within the page.
    pub anchor: String,
    /// The title, if specified.
    pub title: Option<String>,
    /// The name of the icon, if specified.
    pub icon: Option<String>,
    /// The tab's content; at least one block.
    pub nodes: Vec<Block>,
}

/// One of several steps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Step {
    /// The name of the icon, if specified.
    pub icon: Option<String>,
    /// The step's content; at least one block.
    pub nodes: Vec<Block>,
}

/// One of several columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The width, if specified.
    pub width: Option<Length>,
    /// The vertical alignment: `top`, `middle` or `bottom`.
    pub vertical_alignment: Option<String>,
    /// The column's content; at least one block.
    pub nodes: Vec<Block>,
}

/// A part of an OpenAPI specification.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenApi {
    /// The part of the specification.
    pub part: OpenApiPart,
    /// The specification.
    pub reference: Reference,
    /// The id that links use; unique within the page.
    pub anchor: String,
}

/// Selects a part of an OpenAPI specification.
#[derive(Debug, Clone, PartialEq)]
pub enum OpenApiPart {
    /// An operation in the legacy `swagger` block.
    Swagger {
        /// The path of the operation.
        path: String,
        /// The HTTP method.
        method: String,
        /// `true` if the operation is expanded initially; `None` if unspecified.
        expanded: Option<bool>,
        /// `true` if the block spans the full width; `None` if unspecified.
        full_width: Option<bool>,
    },
    /// An operation.
    Operation {
        /// The path of the operation.
        path: String,
        /// The HTTP method.
        method: String,
    },
    /// Schemas.
    Schemas {
        /// The names of the schemas.
        schemas: Vec<String>,
        /// `true` if the schemas are shown as one group; `None` if unspecified.
        grouped: Option<bool>,
    },
    /// A webhook.
    Webhook {
        /// The name of the webhook.
        name: String,
        /// The HTTP method.
        method: String,
    },
}

/// A block of an integration.
#[derive(Debug, Clone, PartialEq)]
pub struct Integration {
    /// The name of the integration.
    pub integration: String,
    /// The name of the block within the integration.
    pub block: String,
    /// The properties passed to the block.
    pub props: Map<String, Value>,
    /// The address that the block shows, if any.
    pub url: Option<String>,
    /// `true` if the block spans the full width; `None` if unspecified.
    pub full_width: Option<bool>,
}

/// Source for which the contract has no type.
#[derive(Debug, Clone, PartialEq)]
pub struct Opaque {
    /// The kind of source.
    pub block: OpaqueKind,
    /// The exact source.
    pub source: String,
    /// The parts of the source that can be read as blocks. They are not part of the JSON, which
    /// holds only the source.
    pub nodes: Vec<Block>,
    /// The possible targets of HTML attributes in the source, sorted by `raw`, without duplicates.
    pub references: Vec<Reference>,
}

/// The kind of a piece of opaque source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpaqueKind {
    /// Source of an unknown kind.
    Unknown,
    /// A comment; never rendered.
    Comment,
    /// A list of dated updates.
    Updates,
    /// A prompt for an AI assistant.
    Prompt,
}

/// The kinds of inlines.
#[derive(Debug, Clone, PartialEq)]
pub enum InlineKind {
    /// Text as a sequence of leaves, each with uniform marks.
    Text(Vec<Leaf>),
    /// A link.
    Link(Box<Link>),
    /// An emoji.
    Emoji {
        /// The emoji's code points, as in `1f600`.
        code: String,
    },
    /// An icon.
    Icon(Box<Icon>),
    /// An expression whose value is inserted.
    Expression {
        /// The expression.
        expression: String,
    },
    /// A formula.
    Math {
        /// TeX, as written.
        formula: String,
    },
    /// An inline image.
    Image(Box<InlineImage>),
    /// Text with an attached note.
    Annotation(Box<Annotation>),
    /// A reference shown as the name of its target.
    Mention(Box<Reference>),
    /// A button.
    Button(Box<Button>),
}

/// Text with uniform marks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Leaf {
    /// The text; a line feed is a hard line break.
    pub text: String,
    /// The marks.
    pub marks: Marks,
    /// `true` if the text is the source of an unknown HTML tag or of a comment. Such text is not
    /// visible to readers.
    pub is_markup: bool,
}

/// A set of text marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// Bold.
    pub bold: bool,
    /// Italic.
    pub italic: bool,
    /// Code.
    pub code: bool,
    /// A keyboard key.
    pub keyboard: bool,
    /// Struck through.
    pub strikethrough: bool,
    /// Raised.
    pub superscript: bool,
    /// Lowered.
    pub subscript: bool,
    /// Text and background colour.
    pub color: Option<ColorMark>,
}

/// The text and background colour of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ColorMark {
    /// The text colour.
    pub text: Color,
    /// The background colour.
    pub background: Color,
}

/// A link.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The target of the link.
    pub reference: Reference,
    /// The content of the link: text and images.
    pub nodes: Vec<Inline>,
}

/// An icon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    /// The name of the icon.
    pub icon: String,
    /// The colour, if specified.
    pub color: Option<Color>,
}

/// An inline image.
#[derive(Debug, Clone, PartialEq)]
pub struct InlineImage {
    /// The image file or address.
    pub reference: Reference,
    /// The variant for dark mode.
    pub dark: Option<Reference>,
    /// The caption, if specified.
    pub caption: Option<String>,
    /// The alternative text.
    pub alt: Option<String>,
    /// `true` for the original size, `false` for the height of the line; `None` if unspecified.
    pub original_size: Option<bool>,
    /// The width, if specified.
    pub width: Option<Length>,
    /// The height, if specified.
    pub height: Option<Length>,
}

/// Text with an attached note.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    /// The label of the note in the source.
    pub label: String,
    /// The annotated text.
    pub leaves: Vec<Leaf>,
    /// The content of the note; at least one block.
    pub body: Arc<Vec<Block>>,
}

/// A button.
#[derive(Debug, Clone, PartialEq)]
pub struct Button {
    /// The text of the button.
    pub label: String,
    /// `true` for the primary style, `false` for the secondary one.
    pub primary: bool,
    /// The name of the icon, if specified.
    pub icon: Option<String>,
    /// The target of the button.
    pub reference: Reference,
    /// The action that replaces the link, with its argument.
    pub action: Option<(String, Option<String>)>,
}

#[cfg(test)]
mod tests;
