//! Comparison of content without identity: equality of two parts of documents, and a matching
//! digest. Keys, spans, ids derived from content and labels of notes are ignored. References are
//! compared by target.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    Align, Annotation, BlockKind, Button, Cell, Code, CodeLine, Color, ColorMark, Column,
    ColumnKind, ColumnRole, Document, Embed, Expandable, FileBlock, Heading, Hint, HintStyle, Icon,
    Image, Images, InlineImage, InlineKind, Integration, Leaf, Length, Link, ListItem, Marks, Node,
    Opaque, OpaqueKind, OpenApi, OpenApiPart, Paragraph, Reference, Row, SelectOption, Step, Tab,
    Table, TableColumn, View,
};

/// Equality and hashing by content.
pub(crate) trait Content {
    /// Returns `true` if both have the same content.
    fn same(&self, other: &Self) -> bool;
    /// Feeds the content into a hasher. Equal content gives equal digests.
    fn feed<H: Hasher>(&self, to: &mut H);
    /// Distinguishes kinds of blocks that cannot be edited into each other.
    fn family(&self) -> Option<std::mem::Discriminant<BlockKind>> {
        None
    }
}

/// Returns the digest of a value's content.
pub(crate) fn digest(content: &impl Content) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    content.feed(&mut hasher);
    hasher.finish()
}

impl Document {
    /// Returns `true` if both documents have the same content. Keys and spans are ignored.
    #[must_use]
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        self.nodes.same(&other.nodes)
    }
}

/// Implements `Content` by plain equality, for types without ignored fields.
macro_rules! plain {
    ($($kind:ty),*) => {$(
        impl Content for $kind {
            fn same(&self, other: &Self) -> bool {
                self == other
            }
            fn feed<H: Hasher>(&self, to: &mut H) {
                self.hash(to);
            }
        }
    )*};
}

plain!(u8, u64, bool, String, &'static str);

/// Implements `Content` for enums without fields and small plain values.
macro_rules! discriminated {
    ($($kind:ty),*) => {$(
        impl Content for $kind {
            fn same(&self, other: &Self) -> bool {
                self == other
            }
            fn feed<H: Hasher>(&self, to: &mut H) {
                std::mem::discriminant(self).hash(to);
            }
        }
    )*};
}

discriminated!(Align, HintStyle, ColumnRole, OpaqueKind, View);

impl Content for Color {
    fn same(&self, other: &Self) -> bool {
        self == other
    }
    fn feed<H: Hasher>(&self, to: &mut H) {
        self.hash(to);
    }
}

/// Implements `Content` field by field. Every field is named, so that adding one breaks the build.
macro_rules! fields {
    ($($kind:ident { $($field:ident),* } $(but { $($other:ident),* })?;)*) => {$(
        impl Content for $kind {
            fn same(&self, other: &Self) -> bool {
                let Self { $($field,)* $($($other: _,)*)? } = self;
                true $(&& $field.same(&other.$field))*
            }
            fn feed<H: Hasher>(&self, to: &mut H) {
                let Self { $($field,)* $($($other: _,)*)? } = self;
                $($field.feed(to);)*
            }
        }
    )*};
}

fields! {
    Paragraph { align, nodes };
    Heading { level, id, align, nodes } but { anchor };
    ListItem { checked, nodes };
    Hint { style, icon, nodes };
    Code { syntax, title, wrap, line_numbers, full_width, expandable, collapsed_line_count, lines };
    CodeLine { highlighted, text, rich };
    Images { align, full_width, with_frame, images };
    Image { reference, dark, alt, width, height, caption };
    Length { value, unit };
    FileBlock { reference, caption };
    Embed { url, full_width, caption };
    Expandable { open, title, nodes } but { anchor };
    Tab { title, icon, nodes } but { anchor };
    Step { icon, nodes };
    Column { width, vertical_alignment, nodes };
    OpenApi { part, reference } but { anchor };
    Integration { integration, block, props, url, full_width };
    Opaque { block, source } but { nodes, references };
    Leaf { text, marks, is_markup };
    Marks { bold, italic, code, keyboard, strikethrough, superscript, subscript, color };
    ColorMark { text, background };
    Link { reference, nodes };
    Icon { icon, color };
    InlineImage { reference, dark, caption, alt, original_size, width, height };
    Annotation { leaves, body } but { label };
    Button { label, primary, icon, reference, action };
    Table { view, columns, rows, full_width, search };
    TableColumn { title, kind, width, hidden, role } but { id };
    SelectOption { value, label, color };
    Row { cells } but { id, span };
}

impl<T: Content> Content for Node<T> {
    fn same(&self, other: &Self) -> bool {
        self.kind.same(&other.kind)
    }
    fn feed<H: Hasher>(&self, to: &mut H) {
        self.kind.feed(to);
    }
}

impl<T: Content> Content for Vec<T> {
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.same(b))
    }
    fn feed<H: Hasher>(&self, to: &mut H) {
        self.len().hash(to);
        self.iter().for_each(|one| one.feed(to));
    }
}

impl<T: Content> Content for Option<T> {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.same(b),
            (None, None) => true,
            _ => false,
        }
    }
    fn feed<H: Hasher>(&self, to: &mut H) {
        self.is_some().hash(to);
        self.iter().for_each(|one| one.feed(to));
    }
}

impl<T: Content> Content for Box<T> {
    fn same(&self, other: &Self) -> bool {
        self.as_ref().same(other)
    }
    fn feed<H: Hasher>(&self, to: &mut H) {
        self.as_ref().feed(to);
    }
}

impl<T: Content> Content for Arc<T> {
    fn same(&self, other: &Self) -> bool {
        Self::ptr_eq(self, other) || self.as_ref().same(other)
    }
    fn feed<H: Hasher>(&self, to: &mut H) {
        self.as_ref().feed(to);
    }
}

impl<A: Content, B: Content> Content for (A, B) {
    fn same(&self, other: &Self) -> bool {
        self.0.same(&other.0) && self.1.same(&other.1)
    }
    fn feed<H: Hasher>(&self, to: &mut H) {
        self.0.feed(to);
        self.1.feed(to);
    }
}

impl Content for f64 {
    fn same(&self, other: &Self) -> bool {
        self == other
    }
    fn feed<H: Hasher>(&self, to: &mut H) {
        // Zero and negative zero are equal.
        (*self + 0.0).to_bits().hash(to);
    }
}

impl Content for Map<String, Value> {
    fn same(&self, other: &Self) -> bool {
        self == other
    }
    fn feed<H: Hasher>(&self, to: &mut H) {
        // Maps are equal regardless of order.
        self.len().hash(to);
    }
}

impl Content for Reference {
    fn same(&self, other: &Self) -> bool {
        self.target == other.target
    }
    fn feed<H: Hasher>(&self, to: &mut H) {
        self.target.hash(to);
    }
}

impl Content for OpenApiPart {
    fn same(&self, other: &Self) -> bool {
        self == other
    }
    fn feed<H: Hasher>(&self, to: &mut H) {
        format!("{self:?}").hash(to);
    }
}

impl Content for ColumnKind {
    fn same(&self, other: &Self) -> bool {
        self == other
    }
    fn feed<H: Hasher>(&self, to: &mut H) {
        format!("{self:?}").hash(to);
    }
}

impl Content for BlockKind {
    fn family(&self) -> Option<std::mem::Discriminant<BlockKind>> {
        Some(std::mem::discriminant(self))
    }

    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Paragraph(a), Self::Paragraph(b)) => a.same(b),
            (Self::Heading(a), Self::Heading(b)) => a.same(b),
            (
                Self::OrderedList { start, items },
                Self::OrderedList { start: other_start, items: other_items },
            ) => start == other_start && items.same(other_items),
            (Self::UnorderedList { items: a }, Self::UnorderedList { items: b })
            | (Self::TaskList { items: a }, Self::TaskList { items: b }) => a.same(b),
            (Self::Quote { nodes: a }, Self::Quote { nodes: b }) => a.same(b),
            (Self::Hint(a), Self::Hint(b)) => a.same(b),
            (Self::Code(a), Self::Code(b)) => a.same(b),
            (Self::Math { formula: a }, Self::Math { formula: b }) => a == b,
            (Self::Divider, Self::Divider) => true,
            (Self::Images(a), Self::Images(b)) => a.same(b),
            (Self::File(a), Self::File(b)) => a.same(b),
            (Self::Drawing(a), Self::Drawing(b))
            | (Self::ContentRef(a), Self::ContentRef(b))
            | (Self::ReusableContent(a), Self::ReusableContent(b)) => a.same(b),
            (Self::Embed(a), Self::Embed(b)) => a.same(b),
            (Self::Table(a), Self::Table(b)) => a.same(b),
            (Self::Expandable(a), Self::Expandable(b)) => a.same(b),
            (
                Self::Tabs { full_width, items },
                Self::Tabs { full_width: other_width, items: other_items },
            ) => full_width == other_width && items.same(other_items),
            (Self::Stepper { steps: a }, Self::Stepper { steps: b }) => a.same(b),
            (
                Self::Columns { full_width, columns },
                Self::Columns { full_width: other_width, columns: other_columns },
            ) => full_width == other_width && columns.same(other_columns),
            (
                Self::If { expression, nodes },
                Self::If { expression: other_expression, nodes: other_nodes },
            ) => expression == other_expression && nodes.same(other_nodes),
            (Self::OpenApi(a), Self::OpenApi(b)) => a.same(b),
            (Self::Integration(a), Self::Integration(b)) => a.same(b),
            (Self::Opaque(a), Self::Opaque(b)) => a.same(b),
            _ => false,
        }
    }

    fn feed<H: Hasher>(&self, to: &mut H) {
        std::mem::discriminant(self).hash(to);
        match self {
            Self::Paragraph(block) => block.feed(to),
            Self::Heading(block) => block.feed(to),
            Self::OrderedList { start, items } => {
                start.hash(to);
                items.feed(to);
            }
            Self::UnorderedList { items } | Self::TaskList { items } => items.feed(to),
            Self::Quote { nodes } => nodes.feed(to),
            Self::Hint(block) => block.feed(to),
            Self::Code(block) => block.feed(to),
            Self::Math { formula } => formula.hash(to),
            Self::Divider => {}
            Self::Images(block) => block.feed(to),
            Self::File(block) => block.feed(to),
            Self::Drawing(reference)
            | Self::ContentRef(reference)
            | Self::ReusableContent(reference) => reference.feed(to),
            Self::Embed(block) => block.feed(to),
            Self::Table(block) => block.feed(to),
            Self::Expandable(block) => block.feed(to),
            Self::Tabs { full_width, items } => {
                full_width.feed(to);
                items.feed(to);
            }
            Self::Stepper { steps } => steps.feed(to),
            Self::Columns { full_width, columns } => {
                full_width.feed(to);
                columns.feed(to);
            }
            Self::If { expression, nodes } => {
                expression.hash(to);
                nodes.feed(to);
            }
            Self::OpenApi(block) => block.feed(to),
            Self::Integration(block) => block.feed(to),
            Self::Opaque(block) => block.feed(to),
        }
    }
}

impl Content for InlineKind {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.same(b),
            (Self::Link(a), Self::Link(b)) => a.same(b),
            (Self::Emoji { code: a }, Self::Emoji { code: b })
            | (Self::Expression { expression: a }, Self::Expression { expression: b })
            | (Self::Math { formula: a }, Self::Math { formula: b }) => a == b,
            (Self::Icon(a), Self::Icon(b)) => a.same(b),
            (Self::Image(a), Self::Image(b)) => a.same(b),
            (Self::Annotation(a), Self::Annotation(b)) => a.same(b),
            (Self::Mention(a), Self::Mention(b)) => a.same(b),
            (Self::Button(a), Self::Button(b)) => a.same(b),
            _ => false,
        }
    }

    fn feed<H: Hasher>(&self, to: &mut H) {
        std::mem::discriminant(self).hash(to);
        match self {
            Self::Text(leaves) => leaves.feed(to),
            Self::Link(link) => link.feed(to),
            Self::Emoji { code: text }
            | Self::Expression { expression: text }
            | Self::Math { formula: text } => text.hash(to),
            Self::Icon(icon) => icon.feed(to),
            Self::Image(image) => image.feed(to),
            Self::Annotation(annotation) => annotation.feed(to),
            Self::Mention(reference) => reference.feed(to),
            Self::Button(button) => button.feed(to),
        }
    }
}

impl Content for Cell {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Empty, Self::Empty) => true,
            (Self::Text { nodes: a, .. }, Self::Text { nodes: b, .. }) => a.same(b),
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::Checkbox(a), Self::Checkbox(b)) => a == b,
            (Self::Values(a), Self::Values(b)) => a == b,
            (Self::References(a), Self::References(b)) => a.same(b),
            (Self::Reference(a), Self::Reference(b)) => a.same(b),
            (
                Self::Image { reference, object_fit, alt },
                Self::Image { reference: other_reference, object_fit: other_fit, alt: other_alt },
            ) => reference.same(other_reference) && object_fit == other_fit && alt == other_alt,
            _ => false,
        }
    }

    fn feed<H: Hasher>(&self, to: &mut H) {
        std::mem::discriminant(self).hash(to);
        match self {
            Self::Empty => {}
            Self::Text { nodes, .. } => nodes.feed(to),
            Self::Number(number) => number.feed(to),
            Self::Checkbox(checked) => checked.hash(to),
            Self::Values(values) => values.feed(to),
            Self::References(references) => references.feed(to),
            Self::Reference(reference) | Self::Image { reference, .. } => reference.feed(to),
        }
    }
}
