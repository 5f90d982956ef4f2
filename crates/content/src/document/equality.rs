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
pub(crate) trait ContentEq {
    /// Returns `true` if both have the same content.
    fn content_eq(&self, other: &Self) -> bool;
    /// Feeds the content into a hasher. Equal content gives equal digests.
    fn hash_content<H: Hasher>(&self, to: &mut H);
    /// Distinguishes kinds of blocks that cannot be edited into each other.
    fn variant(&self) -> Option<std::mem::Discriminant<BlockKind>> {
        None
    }
}

/// Returns the digest of a value's content.
pub(crate) fn digest(content: &impl ContentEq) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    content.hash_content(&mut hasher);
    hasher.finish()
}

impl Document {
    /// Returns `true` if both documents have the same content. Keys and spans are ignored.
    #[must_use]
    pub fn has_same_content_as(&self, other: &Self) -> bool {
        self.nodes.content_eq(&other.nodes)
    }
}

/// Implements `ContentEq` by plain equality, for types without ignored fields.
macro_rules! plain {
    ($($kind:ty),*) => {$(
        impl ContentEq for $kind {
            fn content_eq(&self, other: &Self) -> bool {
                self == other
            }
            fn hash_content<H: Hasher>(&self, to: &mut H) {
                self.hash(to);
            }
        }
    )*};
}

plain!(u8, u64, bool, String, &'static str);

/// Implements `ContentEq` for enums without fields and small plain values.
macro_rules! discriminated {
    ($($kind:ty),*) => {$(
        impl ContentEq for $kind {
            fn content_eq(&self, other: &Self) -> bool {
                self == other
            }
            fn hash_content<H: Hasher>(&self, to: &mut H) {
                std::mem::discriminant(self).hash(to);
            }
        }
    )*};
}

discriminated!(Align, HintStyle, ColumnRole, OpaqueKind, View);

impl ContentEq for Color {
    fn content_eq(&self, other: &Self) -> bool {
        self == other
    }
    fn hash_content<H: Hasher>(&self, to: &mut H) {
        self.hash(to);
    }
}

/// Implements `ContentEq` field by field. Every field is named, so that adding one breaks the
/// build.
macro_rules! fields {
    ($($kind:ident { $($field:ident),* } $(derived { $($other:ident),* })?;)*) => {$(
        impl ContentEq for $kind {
            fn content_eq(&self, other: &Self) -> bool {
                let Self { $($field,)* $($($other: _,)*)? } = self;
                true $(&& $field.content_eq(&other.$field))*
            }
            fn hash_content<H: Hasher>(&self, to: &mut H) {
                let Self { $($field,)* $($($other: _,)*)? } = self;
                $($field.hash_content(to);)*
            }
        }
    )*};
}

fields! {
    Paragraph { align, nodes };
    Heading { level, id, align, nodes } derived { anchor };
    ListItem { checked, nodes };
    Hint { style, icon, nodes };
    Code { syntax, title, wrap, line_numbers, full_width, expandable, collapsed_line_count, lines };
    CodeLine { highlighted, text, rich };
    Images { align, full_width, with_frame, images };
    Image { reference, dark, alt, width, height, caption };
    Length { value, unit };
    FileBlock { reference, caption };
    Embed { url, full_width, caption };
    Expandable { open, title, nodes } derived { anchor };
    Tab { title, icon, nodes } derived { anchor };
    Step { icon, nodes };
    Column { width, vertical_alignment, nodes };
    OpenApi { part, reference } derived { anchor };
    Integration { integration, block, props, url, full_width };
    Opaque { block, source } derived { nodes, references };
    Leaf { text, marks, is_markup };
    Marks { bold, italic, code, keyboard, strikethrough, superscript, subscript, color };
    ColorMark { text, background };
    Link { reference, nodes };
    Icon { icon, color };
    InlineImage { reference, dark, caption, alt, original_size, width, height };
    Annotation { leaves, body } derived { label };
    Button { label, primary, icon, reference, action };
    Table { view, columns, rows, full_width, search };
    TableColumn { title, kind, width, hidden, role } derived { id };
    SelectOption { value, label, color };
    Row { cells } derived { id, span };
}

impl<T: ContentEq> ContentEq for Node<T> {
    fn content_eq(&self, other: &Self) -> bool {
        self.kind.content_eq(&other.kind)
    }
    fn hash_content<H: Hasher>(&self, to: &mut H) {
        self.kind.hash_content(to);
    }
}

impl<T: ContentEq> ContentEq for Vec<T> {
    fn content_eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.content_eq(b))
    }
    fn hash_content<H: Hasher>(&self, to: &mut H) {
        self.len().hash(to);
        self.iter().for_each(|one| one.hash_content(to));
    }
}

impl<T: ContentEq> ContentEq for Option<T> {
    fn content_eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.content_eq(b),
            (None, None) => true,
            _ => false,
        }
    }
    fn hash_content<H: Hasher>(&self, to: &mut H) {
        self.is_some().hash(to);
        self.iter().for_each(|one| one.hash_content(to));
    }
}

impl<T: ContentEq> ContentEq for Box<T> {
    fn content_eq(&self, other: &Self) -> bool {
        self.as_ref().content_eq(other)
    }
    fn hash_content<H: Hasher>(&self, to: &mut H) {
        self.as_ref().hash_content(to);
    }
}

impl<T: ContentEq> ContentEq for Arc<T> {
    fn content_eq(&self, other: &Self) -> bool {
        Self::ptr_eq(self, other) || self.as_ref().content_eq(other)
    }
    fn hash_content<H: Hasher>(&self, to: &mut H) {
        self.as_ref().hash_content(to);
    }
}

impl<A: ContentEq, B: ContentEq> ContentEq for (A, B) {
    fn content_eq(&self, other: &Self) -> bool {
        self.0.content_eq(&other.0) && self.1.content_eq(&other.1)
    }
    fn hash_content<H: Hasher>(&self, to: &mut H) {
        self.0.hash_content(to);
        self.1.hash_content(to);
    }
}

impl ContentEq for f64 {
    fn content_eq(&self, other: &Self) -> bool {
        self == other
    }
    fn hash_content<H: Hasher>(&self, to: &mut H) {
        // Zero and negative zero are equal.
        (*self + 0.0).to_bits().hash(to);
    }
}

impl ContentEq for Map<String, Value> {
    fn content_eq(&self, other: &Self) -> bool {
        self == other
    }
    fn hash_content<H: Hasher>(&self, to: &mut H) {
        // Maps are equal regardless of order.
        self.len().hash(to);
    }
}

impl ContentEq for Reference {
    fn content_eq(&self, other: &Self) -> bool {
        self.target == other.target
    }
    fn hash_content<H: Hasher>(&self, to: &mut H) {
        self.target.hash(to);
    }
}

impl ContentEq for OpenApiPart {
    fn content_eq(&self, other: &Self) -> bool {
        self == other
    }
    fn hash_content<H: Hasher>(&self, to: &mut H) {
        format!("{self:?}").hash(to);
    }
}

impl ContentEq for ColumnKind {
    fn content_eq(&self, other: &Self) -> bool {
        self == other
    }
    fn hash_content<H: Hasher>(&self, to: &mut H) {
        format!("{self:?}").hash(to);
    }
}

impl ContentEq for BlockKind {
    fn variant(&self) -> Option<std::mem::Discriminant<BlockKind>> {
        Some(std::mem::discriminant(self))
    }

    fn content_eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Paragraph(a), Self::Paragraph(b)) => a.content_eq(b),
            (Self::Heading(a), Self::Heading(b)) => a.content_eq(b),
            (
                Self::OrderedList { start, items },
                Self::OrderedList { start: other_start, items: other_items },
            ) => start == other_start && items.content_eq(other_items),
            (Self::UnorderedList { items: a }, Self::UnorderedList { items: b })
            | (Self::TaskList { items: a }, Self::TaskList { items: b }) => a.content_eq(b),
            (Self::Quote { nodes: a }, Self::Quote { nodes: b }) => a.content_eq(b),
            (Self::Hint(a), Self::Hint(b)) => a.content_eq(b),
            (Self::Code(a), Self::Code(b)) => a.content_eq(b),
            (Self::Math { formula: a }, Self::Math { formula: b }) => a == b,
            (Self::Divider, Self::Divider) => true,
            (Self::Images(a), Self::Images(b)) => a.content_eq(b),
            (Self::File(a), Self::File(b)) => a.content_eq(b),
            (Self::Drawing(a), Self::Drawing(b))
            | (Self::ContentRef(a), Self::ContentRef(b))
            | (Self::ReusableContent(a), Self::ReusableContent(b)) => a.content_eq(b),
            (Self::Embed(a), Self::Embed(b)) => a.content_eq(b),
            (Self::Table(a), Self::Table(b)) => a.content_eq(b),
            (Self::Expandable(a), Self::Expandable(b)) => a.content_eq(b),
            (
                Self::Tabs { full_width, items },
                Self::Tabs { full_width: other_width, items: other_items },
            ) => full_width == other_width && items.content_eq(other_items),
            (Self::Stepper { steps: a }, Self::Stepper { steps: b }) => a.content_eq(b),
            (
                Self::Columns { full_width, columns },
                Self::Columns { full_width: other_width, columns: other_columns },
            ) => full_width == other_width && columns.content_eq(other_columns),
            (
                Self::If { expression, nodes },
                Self::If { expression: other_expression, nodes: other_nodes },
            ) => expression == other_expression && nodes.content_eq(other_nodes),
            (Self::OpenApi(a), Self::OpenApi(b)) => a.content_eq(b),
            (Self::Integration(a), Self::Integration(b)) => a.content_eq(b),
            (Self::Opaque(a), Self::Opaque(b)) => a.content_eq(b),
            _ => false,
        }
    }

    fn hash_content<H: Hasher>(&self, to: &mut H) {
        std::mem::discriminant(self).hash(to);
        match self {
            Self::Paragraph(block) => block.hash_content(to),
            Self::Heading(block) => block.hash_content(to),
            Self::OrderedList { start, items } => {
                start.hash(to);
                items.hash_content(to);
            }
            Self::UnorderedList { items } | Self::TaskList { items } => items.hash_content(to),
            Self::Quote { nodes } => nodes.hash_content(to),
            Self::Hint(block) => block.hash_content(to),
            Self::Code(block) => block.hash_content(to),
            Self::Math { formula } => formula.hash(to),
            Self::Divider => {}
            Self::Images(block) => block.hash_content(to),
            Self::File(block) => block.hash_content(to),
            Self::Drawing(reference)
            | Self::ContentRef(reference)
            | Self::ReusableContent(reference) => reference.hash_content(to),
            Self::Embed(block) => block.hash_content(to),
            Self::Table(block) => block.hash_content(to),
            Self::Expandable(block) => block.hash_content(to),
            Self::Tabs { full_width, items } => {
                full_width.hash_content(to);
                items.hash_content(to);
            }
            Self::Stepper { steps } => steps.hash_content(to),
            Self::Columns { full_width, columns } => {
                full_width.hash_content(to);
                columns.hash_content(to);
            }
            Self::If { expression, nodes } => {
                expression.hash(to);
                nodes.hash_content(to);
            }
            Self::OpenApi(block) => block.hash_content(to),
            Self::Integration(block) => block.hash_content(to),
            Self::Opaque(block) => block.hash_content(to),
        }
    }
}

impl ContentEq for InlineKind {
    fn content_eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.content_eq(b),
            (Self::Link(a), Self::Link(b)) => a.content_eq(b),
            (Self::Emoji { code: a }, Self::Emoji { code: b })
            | (Self::Expression { expression: a }, Self::Expression { expression: b })
            | (Self::Math { formula: a }, Self::Math { formula: b }) => a == b,
            (Self::Icon(a), Self::Icon(b)) => a.content_eq(b),
            (Self::Image(a), Self::Image(b)) => a.content_eq(b),
            (Self::Annotation(a), Self::Annotation(b)) => a.content_eq(b),
            (Self::Mention(a), Self::Mention(b)) => a.content_eq(b),
            (Self::Button(a), Self::Button(b)) => a.content_eq(b),
            _ => false,
        }
    }

    fn hash_content<H: Hasher>(&self, to: &mut H) {
        std::mem::discriminant(self).hash(to);
        match self {
            Self::Text(leaves) => leaves.hash_content(to),
            Self::Link(link) => link.hash_content(to),
            Self::Emoji { code: text }
            | Self::Expression { expression: text }
            | Self::Math { formula: text } => text.hash(to),
            Self::Icon(icon) => icon.hash_content(to),
            Self::Image(image) => image.hash_content(to),
            Self::Annotation(annotation) => annotation.hash_content(to),
            Self::Mention(reference) => reference.hash_content(to),
            Self::Button(button) => button.hash_content(to),
        }
    }
}

impl ContentEq for Cell {
    fn content_eq(&self, other: &Self) -> bool {
        match (self, other) {
            // JSON cannot tell unusable text from an empty cell.
            (Self::Empty, Self::Empty | Self::Unusable(_)) | (Self::Unusable(_), Self::Empty) => {
                true
            }
            (Self::Unusable(a), Self::Unusable(b)) => a == b,
            (Self::Text { nodes: a, .. }, Self::Text { nodes: b, .. }) => a.content_eq(b),
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::Checkbox(a), Self::Checkbox(b)) => a == b,
            (Self::Values(a), Self::Values(b)) => a == b,
            (Self::References(a), Self::References(b)) => a.content_eq(b),
            (Self::Reference(a), Self::Reference(b)) => a.content_eq(b),
            (
                Self::Image { reference, object_fit, alt },
                Self::Image { reference: other_reference, object_fit: other_fit, alt: other_alt },
            ) => {
                reference.content_eq(other_reference) && object_fit == other_fit && alt == other_alt
            }
            _ => false,
        }
    }

    fn hash_content<H: Hasher>(&self, to: &mut H) {
        match self {
            Self::Empty | Self::Unusable(_) => std::mem::discriminant(&Self::Empty).hash(to),
            _ => std::mem::discriminant(self).hash(to),
        }
        match self {
            Self::Empty | Self::Unusable(_) => {}
            Self::Text { nodes, .. } => nodes.hash_content(to),
            Self::Number(number) => number.hash_content(to),
            Self::Checkbox(checked) => checked.hash(to),
            Self::Values(values) => values.hash_content(to),
            Self::References(references) => references.hash_content(to),
            Self::Reference(reference) | Self::Image { reference, .. } => {
                reference.hash_content(to)
            }
        }
    }
}
