//! Tables: typed columns and rows of values, shown as a grid or as cards.

use crate::document::{Block, Key, Reference};
use crate::source::Span;

/// A table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The layout of the table.
    pub view: View,
    /// The columns, hidden ones included.
    pub columns: Vec<TableColumn>,
    /// The rows.
    pub rows: Vec<Row>,
    /// `true` if the table spans the full width; `None` if unspecified.
    pub full_width: Option<bool>,
    /// `true` if the table can be searched; `None` if unspecified.
    pub search: Option<bool>,
}

/// The layout of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Rows and columns.
    Grid {
        /// `true` if the column titles are hidden.
        hide_header: bool,
    },
    /// A card for each row.
    Cards {
        /// `true` if the cards are large.
        large: bool,
        /// `true` if the column titles are hidden; `None` if unspecified.
        hide_column_title: Option<bool>,
        /// `true` if the cards wrap onto several lines; `None` if unspecified.
        wrap: Option<bool>,
    },
}

impl Default for View {
    fn default() -> Self {
        Self::Grid { hide_header: false }
    }
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub struct TableColumn {
    /// The column's id, unique within the table.
    pub id: String,
    /// The column's title.
    pub title: String,
    /// The type of the column's values.
    pub kind: ColumnKind,
    /// The width in pixels, if specified.
    pub width: Option<f64>,
    /// `true` if the view does not show the column.
    pub hidden: bool,
    /// The role of the column in a view of cards.
    pub role: Option<ColumnRole>,
}

/// The role of a column in a view of cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnRole {
    /// The target of the card's link.
    Target,
    /// The card's cover image.
    Cover,
    /// The card's cover image in dark mode.
    CoverDark,
}

/// The type of a column's values.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnKind {
    /// Text and other blocks.
    Text {
        /// `left`, `center` or `right`.
        align: &'static str,
        /// The vertical alignment: `top`, `middle` or `bottom`, if specified.
        vertical: Option<&'static str>,
    },
    /// A number.
    Number,
    /// A checkbox.
    Checkbox,
    /// A rating from zero to `max`.
    Rating {
        /// The best rating.
        max: f64,
    },
    /// Files.
    Files,
    /// An image.
    Image,
    /// A reference.
    ContentRef,
    /// People.
    Users {
        /// `true` if a cell can hold several people.
        multiple: bool,
    },
    /// One or more of a list of options.
    Select {
        /// `true` if a cell can hold several options.
        multiple: bool,
        /// The options.
        options: Vec<SelectOption>,
    },
}

/// An option of a select column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectOption {
    /// The value stored in cells.
    pub value: String,
    /// The text shown to readers.
    pub label: String,
    /// The colour of the label.
    pub color: String,
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The row's id, unique within the table.
    pub id: String,
    /// The row's span in the source.
    pub span: Span,
    /// The cells, one for each column.
    pub cells: Vec<Cell>,
}

/// The value of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// No value.
    Empty,
    /// Blocks.
    Text {
        /// The key of the fragment that holds the blocks.
        key: Key,
        /// The blocks.
        nodes: Vec<Block>,
    },
    /// A number.
    Number(f64),
    /// Text that a column of its type cannot contain, such as `null` among numbers. It is shown as
    /// given, and is an empty cell in every other respect.
    Unusable(String),
    /// A checkbox.
    Checkbox(bool),
    /// The values of the selected options.
    Values(Vec<String>),
    /// Files, people or pages.
    References(Vec<Reference>),
    /// One reference.
    Reference(Box<Reference>),
    /// An image.
    Image {
        /// The image file or address.
        reference: Box<Reference>,
        /// The way in which the image fills its box, if specified.
        object_fit: Option<String>,
        /// The alternative text.
        alt: Option<String>,
    },
}
