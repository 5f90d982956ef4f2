//! Tables: columns with types, rows with values, shown as a grid or as cards.

use crate::document::{Block, Key, Reference};
use crate::source::Span;

/// A table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// How it is shown.
    pub view: View,
    /// The columns, hidden ones included.
    pub columns: Vec<TableColumn>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Whether it takes the whole width, where said.
    pub full_width: Option<bool>,
    /// Whether it can be searched, where said.
    pub search: Option<bool>,
}

/// How a table is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Rows and columns.
    Grid {
        /// Whether the titles of the columns are hidden.
        hide_header: bool,
    },
    /// A card for each row.
    Cards {
        /// Whether the cards are large.
        large: bool,
        /// Whether the titles of the columns are hidden, where said.
        hide_column_title: Option<bool>,
        /// Whether the cards are broken into lines, where said.
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
    /// Its id within the table.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What its cells hold.
    pub kind: ColumnKind,
    /// Its width in pixels, where given.
    pub width: Option<f64>,
    /// Whether it is left out of the view.
    pub hidden: bool,
    /// What it does for cards.
    pub role: Option<ColumnRole>,
}

/// What a column does for cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnRole {
    /// Where the card leads.
    Target,
    /// The card's picture.
    Cover,
    /// The card's picture in dark surroundings.
    CoverDark,
}

/// What the cells of a column hold.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnKind {
    /// Text and other blocks.
    Text {
        /// `left`, `center` or `right`.
        align: &'static str,
        /// `top`, `middle` or `bottom`, where given.
        vertical: Option<&'static str>,
    },
    /// A number.
    Number,
    /// A box.
    Checkbox,
    /// So many of `max`.
    Rating {
        /// The best.
        max: f64,
    },
    /// Files.
    Files,
    /// A picture.
    Image,
    /// A reference.
    ContentRef,
    /// People.
    Users {
        /// Whether there may be several.
        multiple: bool,
    },
    /// One or several of given values.
    Select {
        /// Whether there may be several.
        multiple: bool,
        /// The values.
        options: Vec<SelectOption>,
    },
}

/// A value that can be selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectOption {
    /// The value.
    pub value: String,
    /// What readers see.
    pub label: String,
    /// Its colour.
    pub color: String,
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its id within the table.
    pub id: String,
    /// Its place in the source.
    pub span: Span,
    /// A cell for each column.
    pub cells: Vec<Cell>,
}

/// What a cell holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// Blocks.
    Text {
        /// The key of the fragment.
        key: Key,
        /// The blocks.
        nodes: Vec<Block>,
    },
    /// A number.
    Number(f64),
    /// A box.
    Checkbox(bool),
    /// Chosen values.
    Values(Vec<String>),
    /// Files, people or pages.
    References(Vec<Reference>),
    /// One reference.
    Reference(Box<Reference>),
    /// A picture.
    Image {
        /// The picture.
        reference: Box<Reference>,
        /// How it fills its place, where said.
        object_fit: Option<String>,
        /// The text in place of the picture.
        alt: Option<String>,
    },
}
