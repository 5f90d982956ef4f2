//! The document model: what a page holds, in the shape of the contract.
//!
//! Every node has a key and its place in the source. Serialisation (`json.rs`) writes exactly
//! the contract's structure; places are not part of it.

#[cfg(any(test, feature = "arbitrary"))]
pub mod arbitrary;
mod color;
pub(crate) mod complete;
mod find;
mod from_json;
mod json;
pub(crate) mod same;
mod table;
mod walk;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::reference::ContentRef;
use crate::source::Span;

pub use color::Color;
pub use from_json::{Invalid, JsonContext, NODE_LIMIT, TEXT_LIMIT};
pub use table::{Cell, ColumnKind, ColumnRole, Row, SelectOption, Table, TableColumn, View};
pub use walk::{Held, Holder, Visit, plain_text};

/// What a page or a reusable content holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// The blocks at the top, in order.
    pub nodes: Vec<Block>,
    /// Further ids under which links find headings and the like, by their keys.
    pub aliases: HashMap<Key, Vec<String>>,
    /// What tags within lines show from elsewhere, by raw targets in order, each once.
    pub frames: Vec<Reference>,
}

impl Document {
    /// What a tag within a line shows, by its target as the source has it.
    pub(crate) fn frame(&self, raw: &str) -> Option<&Reference> {
        let at = self.frames.binary_search_by(|found| found.raw.as_str().cmp(raw)).ok()?;
        self.frames.get(at)
    }
}

/// Identifies a node within its document. The same source gives the same keys, and a change to
/// one block leaves the keys of the others as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Key(pub u64);

/// A node with its key and its place in the text that was parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<T> {
    /// The key.
    pub key: Key,
    /// The place in the source.
    pub span: Span,
    /// The node itself.
    pub kind: T,
}

impl<T> Node<T> {
    /// A node at this place. Its key is set when the document is complete.
    pub fn new(span: Span, kind: T) -> Self {
        Self { key: Key::default(), span, kind }
    }
}

/// A block.
pub type Block = Node<BlockKind>;
/// A piece of a line.
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
    /// A list whose items all have a box.
    TaskList {
        /// The items.
        items: Vec<Node<ListItem>>,
    },
    /// A quotation.
    Quote {
        /// What is quoted.
        nodes: Vec<Block>,
    },
    /// A coloured box.
    Hint(Box<Hint>),
    /// Code, line by line.
    Code(Box<Code>),
    /// A formula.
    Math {
        /// TeX, as written.
        formula: String,
    },
    /// A line across.
    Divider,
    /// One or several pictures.
    Images(Box<Images>),
    /// A file to download.
    File(Box<FileBlock>),
    /// A drawing.
    Drawing(Box<Reference>),
    /// Something from elsewhere.
    Embed(Box<Embed>),
    /// A table, as a grid or as cards.
    Table(Box<Table>),
    /// A title that opens.
    Expandable(Box<Expandable>),
    /// Tabs.
    Tabs {
        /// Whether they take the whole width, where said.
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
        /// Whether they take the whole width, where said.
        full_width: Option<bool>,
        /// The columns.
        columns: Vec<Node<Column>>,
    },
    /// A link to a page, as a block.
    ContentRef(Box<Reference>),
    /// A reusable content, shown here.
    ReusableContent(Box<Reference>),
    /// Blocks that are shown if an expression holds.
    If {
        /// The expression, as written.
        expression: String,
        /// What is shown.
        nodes: Vec<Block>,
    },
    /// A part of an OpenAPI specification.
    OpenApi(Box<OpenApi>),
    /// A block of an integration.
    Integration(Box<Integration>),
    /// Source that the contract has no type for, kept as it is.
    Opaque(Box<Opaque>),
}

/// Text with its alignment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Paragraph {
    /// The alignment, where given.
    pub align: Option<Align>,
    /// The text.
    pub nodes: Vec<Inline>,
}

/// Alignment of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Where lines begin.
    Start,
    /// In the middle.
    Center,
    /// Where lines end.
    End,
}

impl Align {
    /// The contract's name for it.
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
    /// 1 to 3.
    pub level: u8,
    /// The id that the source fixes.
    pub id: Option<String>,
    /// The id that links use; unique on the page.
    pub anchor: String,
    /// The alignment, where given.
    pub align: Option<Align>,
    /// The text.
    pub nodes: Vec<Inline>,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListItem {
    /// In a task list: whether it is done.
    pub checked: Option<bool>,
    /// What it holds; at least one block.
    pub nodes: Vec<Block>,
}

/// A coloured box.
#[derive(Debug, Clone, PartialEq)]
pub struct Hint {
    /// What it says by its colour.
    pub style: HintStyle,
    /// Name of an icon, where given.
    pub icon: Option<String>,
    /// What it holds.
    pub nodes: Vec<Block>,
}

/// What a hint says by its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HintStyle {
    /// For your information.
    #[default]
    Info,
    /// Take care.
    Warning,
    /// Something may break.
    Danger,
    /// All is well.
    Success,
}

impl HintStyle {
    /// The contract's name for it.
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

/// Code.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Code {
    /// Name of the language, where given.
    pub syntax: Option<String>,
    /// Title, such as a file name.
    pub title: Option<String>,
    /// Whether long lines are broken, where said.
    pub wrap: Option<bool>,
    /// Whether lines are numbered, where said.
    pub line_numbers: Option<bool>,
    /// Whether it takes the whole width, where said.
    pub full_width: Option<bool>,
    /// Whether long code is folded, where said.
    pub expandable: Option<bool>,
    /// How many lines a folded code shows.
    pub collapsed_line_count: Option<u64>,
    /// The lines; at least one.
    pub lines: Vec<Node<CodeLine>>,
}

/// A line of code.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodeLine {
    /// Whether it is marked.
    pub highlighted: bool,
    /// The text without its line end.
    pub text: String,
    /// The same line in pieces where it is more than text: notes, expressions, marks. Else empty.
    pub rich: Vec<Inline>,
}

/// Something that is referred to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The target as the source has it, escapes resolved.
    pub raw: String,
    /// The place of what holds the target.
    pub span: Span,
    /// What it points to.
    pub target: ContentRef,
}

/// Pictures in a row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Images {
    /// The alignment, where given.
    pub align: Option<Align>,
    /// Whether they take the whole width, where said.
    pub full_width: Option<bool>,
    /// Whether they have a frame, where said.
    pub with_frame: Option<bool>,
    /// The pictures; at least one.
    pub images: Vec<Node<Image>>,
}

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// The picture.
    pub reference: Reference,
    /// The picture for dark surroundings.
    pub dark: Option<Reference>,
    /// The text in place of the picture.
    pub alt: Option<String>,
    /// The width, where given.
    pub width: Option<Length>,
    /// The height, where given.
    pub height: Option<Length>,
    /// The caption; empty for none.
    pub caption: Vec<Inline>,
}

/// A length in pixels or in another unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Length {
    /// How much.
    pub value: f64,
    /// Of what; pixels where absent.
    pub unit: Option<String>,
}

/// A file to download.
#[derive(Debug, Clone, PartialEq)]
pub struct FileBlock {
    /// The file.
    pub reference: Reference,
    /// The caption; empty for none.
    pub caption: Vec<Inline>,
}

/// Something from elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Embed {
    /// Its address.
    pub url: String,
    /// Whether it takes the whole width, where said.
    pub full_width: Option<bool>,
    /// The caption; empty for none.
    pub caption: Vec<Inline>,
}

/// A title that opens.
#[derive(Debug, Clone, PartialEq)]
pub struct Expandable {
    /// The id that links use; unique on the page.
    pub anchor: String,
    /// Whether it is open at first.
    pub open: bool,
    /// The title.
    pub title: Vec<Inline>,
    /// What it holds; at least one block.
    pub nodes: Vec<Block>,
}

/// One of several tabs.
#[derive(Debug, Clone, PartialEq)]
pub struct Tab {
    /// The id that links use; unique on the page.
    pub anchor: String,
    /// The title, where given.
    pub title: Option<String>,
    /// Name of an icon, where given.
    pub icon: Option<String>,
    /// What it holds; at least one block.
    pub nodes: Vec<Block>,
}

/// One of several steps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Step {
    /// Name of an icon, where given.
    pub icon: Option<String>,
    /// What it holds; at least one block.
    pub nodes: Vec<Block>,
}

/// One of several columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The width, where given.
    pub width: Option<Length>,
    /// Where the text stands: `top`, `middle` or `bottom`.
    pub vertical_alignment: Option<String>,
    /// What it holds; at least one block.
    pub nodes: Vec<Block>,
}

/// A part of an OpenAPI specification.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenApi {
    /// Which part.
    pub part: OpenApiPart,
    /// The specification.
    pub reference: Reference,
    /// The id that links use; unique on the page.
    pub anchor: String,
}

/// Which part of an OpenAPI specification.
#[derive(Debug, Clone, PartialEq)]
pub enum OpenApiPart {
    /// An operation, in the older block.
    Swagger {
        /// The path.
        path: String,
        /// The method.
        method: String,
        /// Whether it is open at first, where said.
        expanded: Option<bool>,
        /// Whether it takes the whole width, where said.
        full_width: Option<bool>,
    },
    /// An operation.
    Operation {
        /// The path.
        path: String,
        /// The method.
        method: String,
    },
    /// Schemas.
    Schemas {
        /// Their names.
        schemas: Vec<String>,
        /// Whether they are shown together, where said.
        grouped: Option<bool>,
    },
    /// A webhook.
    Webhook {
        /// Its name.
        name: String,
        /// The method.
        method: String,
    },
}

/// A block of an integration.
#[derive(Debug, Clone, PartialEq)]
pub struct Integration {
    /// The integration's name.
    pub integration: String,
    /// The block's name.
    pub block: String,
    /// What it is given.
    pub props: Map<String, Value>,
    /// The address it shows, where there is one.
    pub url: Option<String>,
    /// Whether it takes the whole width, where said.
    pub full_width: Option<bool>,
}

/// Source that the contract has no type for.
#[derive(Debug, Clone, PartialEq)]
pub struct Opaque {
    /// What it is.
    pub block: OpaqueKind,
    /// The exact source.
    pub source: String,
    /// What of it can be read as blocks. Clients get the source alone.
    pub nodes: Vec<Block>,
    /// What attributes of HTML in it may point to, by their raw targets in order, each once.
    pub references: Vec<Reference>,
}

/// What a piece of opaque source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpaqueKind {
    /// Nothing that is understood.
    Unknown,
    /// A comment, never shown.
    Comment,
    /// A list of dated updates.
    Updates,
    /// A prompt for an assistant.
    Prompt,
}

/// The kinds of pieces of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum InlineKind {
    /// Text in leaves of equal marks.
    Text(Vec<Leaf>),
    /// A link.
    Link(Box<Link>),
    /// An emoji by its code.
    Emoji {
        /// Its code points.
        code: String,
    },
    /// An icon.
    Icon(Box<Icon>),
    /// An expression whose value is shown.
    Expression {
        /// The expression.
        expression: String,
    },
    /// A formula.
    Math {
        /// TeX, as written.
        formula: String,
    },
    /// A picture in the text.
    Image(Box<InlineImage>),
    /// Text with a note.
    Annotation(Box<Annotation>),
    /// A reference whose text is the name of its target.
    Mention(Box<Reference>),
    /// A button.
    Button(Box<Button>),
}

/// Text of equal marks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Leaf {
    /// The text; a line feed is a hard break.
    pub text: String,
    /// The marks.
    pub marks: Marks,
    /// Whether the text is the source of an HTML tag that is not known, or of a comment. Readers
    /// do not see it.
    pub is_markup: bool,
}

/// Marks of text, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// Bold.
    pub bold: bool,
    /// Italic.
    pub italic: bool,
    /// Code.
    pub code: bool,
    /// A key of a keyboard.
    pub keyboard: bool,
    /// Struck through.
    pub strikethrough: bool,
    /// Raised.
    pub superscript: bool,
    /// Lowered.
    pub subscript: bool,
    /// Colours.
    pub color: Option<ColorMark>,
}

/// The colours of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ColorMark {
    /// Of the letters.
    pub text: Color,
    /// Of what is behind them.
    pub background: Color,
}

/// A link.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Where it leads.
    pub reference: Reference,
    /// Text and pictures.
    pub nodes: Vec<Inline>,
}

/// An icon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    /// Its name.
    pub icon: String,
    /// Its colour, where given.
    pub color: Option<Color>,
}

/// A picture in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct InlineImage {
    /// The picture.
    pub reference: Reference,
    /// The picture for dark surroundings.
    pub dark: Option<Reference>,
    /// The caption, where given.
    pub caption: Option<String>,
    /// The text in place of the picture.
    pub alt: Option<String>,
    /// Whether it has its own size (`original`) or that of the line, where said.
    pub original_size: Option<bool>,
    /// The width, where given.
    pub width: Option<Length>,
    /// The height, where given.
    pub height: Option<Length>,
}

/// Text with a note.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    /// The label of the note in the source.
    pub label: String,
    /// The text.
    pub leaves: Vec<Leaf>,
    /// The note; at least one block.
    pub body: Arc<Vec<Block>>,
}

/// A button.
#[derive(Debug, Clone, PartialEq)]
pub struct Button {
    /// Its text.
    pub label: String,
    /// Whether it is the more important kind.
    pub primary: bool,
    /// Name of an icon, where given.
    pub icon: Option<String>,
    /// Where it leads.
    pub reference: Reference,
    /// What it does instead, with its argument.
    pub action: Option<(String, Option<String>)>,
}

#[cfg(test)]
mod tests;
