//! Merging of the attributes and parts of blocks.

use crate::document::equality::ContentEq;
use crate::document::{
    Block, BlockKind, Code, CodeLine, Column, Embed, Expandable, FileBlock, Heading, Hint, Image,
    Images, Integration, ListItem, Node, OpenApi, Paragraph, Step, Tab,
};

use super::list;
use super::{Entry, Merger, Side};

/// Merges values. On a clash, takes ours and marks the block as clashing.
pub(super) trait Merge: ContentEq + Clone {
    fn merge(merger: &mut Merger<'_>, base: &Self, ours: &Self, theirs: &Self) -> Self;
    /// Returns the child blocks.
    fn child_blocks(&mut self) -> Option<&mut Vec<Block>> {
        None
    }
}

/// Implements `Merge` field by field, each with the given method. Every field is named, so that
/// adding one breaks the build. Derived fields are taken from ours.
macro_rules! fields {
    ($($kind:ident { $($field:ident: $method:ident),* } $(derived { $($derived:ident),* })?
        $(children $child_blocks:ident)?;)*) => {$(
        impl Merge for $kind {
            fn merge(merger: &mut Merger<'_>, base: &Self, ours: &Self, theirs: &Self) -> Self {
                Self {
                    $($field: merger.$method(&base.$field, &ours.$field, &theirs.$field),)*
                    $($($derived: ours.$derived.clone(),)*)?
                }
            }
            $(fn child_blocks(&mut self) -> Option<&mut Vec<Block>> {
                Some(&mut self.$child_blocks)
            })?
        }
    )*};
}

fields! {
    Paragraph { align: value, nodes: text };
    Heading { level: value, id: value, align: value, nodes: text } derived { anchor };
    ListItem { checked: value, nodes: child_blocks } children nodes;
    Hint { style: value, icon: value, nodes: child_blocks };
    Code {
        syntax: value, title: value, wrap: value, line_numbers: value, full_width: value,
        expandable: value, collapsed_line_count: value, lines: nodes
    };
    Images { align: value, full_width: value, with_frame: value, images: nodes };
    Image { reference: value, dark: value, alt: value, width: value, height: value, caption: text };
    FileBlock { reference: value, caption: text };
    Embed { url: value, full_width: value, caption: text };
    Expandable { open: value, title: text, nodes: child_blocks } derived { anchor };
    Tab { title: value, icon: value, nodes: child_blocks } derived { anchor } children nodes;
    Step { icon: value, nodes: child_blocks } children nodes;
    Column { width: value, vertical_alignment: value, nodes: child_blocks } children nodes;
    OpenApi { part: value, reference: value } derived { anchor };
    Integration { integration: value, block: value, props: value, url: value, full_width: value };
}

impl Merge for CodeLine {
    fn merge(merger: &mut Merger<'_>, base: &Self, ours: &Self, theirs: &Self) -> Self {
        let highlighted = merger.value(&base.highlighted, &ours.highlighted, &theirs.highlighted);
        // The text and its inlines are merged as one value.
        let text = |line: &Self| (line.text.clone(), line.rich.clone());
        let (text, rich) = merger.value(&text(base), &text(ours), &text(theirs));
        Self { highlighted, text, rich }
    }
}

impl Merger<'_> {
    /// Merges values without parts.
    pub(super) fn value<T: ContentEq + Clone>(&mut self, base: &T, ours: &T, theirs: &T) -> T {
        if theirs.content_eq(base) || theirs.content_eq(ours) {
            return ours.clone();
        }
        if ours.content_eq(base) {
            return theirs.clone();
        }
        self.has_conflict = true;
        ours.clone()
    }

    /// Merges the blocks of a container that must not be empty.
    fn child_blocks(&mut self, base: &[Block], ours: &[Block], theirs: &[Block]) -> Vec<Block> {
        let mut nodes = self.blocks(base, ours, theirs);
        if nodes.is_empty() && !(ours.is_empty() && theirs.is_empty()) {
            let span = ours.first().or(theirs.first()).map(|node| node.span).unwrap_or_default();
            nodes.push(Block::new(span, BlockKind::Paragraph(Paragraph::default())));
        }
        nodes
    }

    /// Merges lists of parts, such as items, tabs, lines or images.
    pub(super) fn nodes<T: Merge>(
        &mut self,
        base: &[Node<T>],
        ours: &[Node<T>],
        theirs: &[Node<T>],
    ) -> Vec<Node<T>> {
        let mut merged = Vec::with_capacity(ours.len());
        for entry in list::merge_order(base, ours, theirs) {
            merged.extend(self.part(base, ours, theirs, entry));
        }
        if merged.is_empty() {
            // Each side removed what the other kept, and the list must not be empty.
            self.has_conflict |= !ours.is_empty();
            return ours.to_vec();
        }
        merged
    }

    fn part<T: Merge>(
        &mut self,
        base: &[Node<T>],
        ours: &[Node<T>],
        theirs: &[Node<T>],
        entry: Entry,
    ) -> Option<Node<T>> {
        let base = entry.base.and_then(|at| base.get(at));
        let ours = entry.ours.and_then(|at| ours.get(at));
        let theirs = entry.theirs.and_then(|at| theirs.get(at));
        match (base, ours, theirs) {
            (Some(base), Some(ours), Some(theirs)) => {
                let kind = T::merge(self, &base.kind, &ours.kind, &theirs.kind);
                Some(Node { key: ours.key, span: ours.span, kind })
            }
            (Some(base), Some(kept), None) => self.part_beside_deletion(base, kept, Side::Ours),
            (Some(base), None, Some(kept)) => self.part_beside_deletion(base, kept, Side::Theirs),
            (None, Some(new), _) => Some(self.adopt_part(new, Side::Ours)),
            (None, None, Some(new)) => Some(self.adopt_part(new, Side::Theirs)),
            (_, None, None) => None,
        }
    }

    fn part_beside_deletion<T: Merge>(
        &mut self,
        base: &Node<T>,
        kept: &Node<T>,
        side: Side,
    ) -> Option<Node<T>> {
        if kept.kind.content_eq(&base.kind) {
            return None;
        }
        self.has_conflict = true;
        Some(self.adopt_part(kept, side))
    }

    fn adopt_part<T: Merge>(&mut self, part: &Node<T>, side: Side) -> Node<T> {
        let mut part = part.clone();
        if !self.moved_blocks.is_empty()
            && let Some(nodes) = part.kind.child_blocks()
        {
            *nodes = nodes.iter().filter_map(|node| self.insert_block(node, side)).collect();
        }
        part
    }

    /// Merges the kinds of blocks, with their attributes and content.
    pub(super) fn kind(
        &mut self,
        base: &BlockKind,
        ours: &BlockKind,
        theirs: &BlockKind,
    ) -> BlockKind {
        use BlockKind as Kind;
        match (base, ours, theirs) {
            (Kind::Paragraph(base), Kind::Paragraph(ours), Kind::Paragraph(theirs)) => {
                Kind::Paragraph(Merge::merge(self, base, ours, theirs))
            }
            (Kind::Heading(base), Kind::Heading(ours), Kind::Heading(theirs)) => {
                Kind::Heading(self.boxed(base, ours, theirs))
            }
            (Kind::Quote { nodes: base }, Kind::Quote { nodes: ours }, Kind::Quote { nodes }) => {
                Kind::Quote { nodes: self.child_blocks(base, ours, nodes) }
            }
            (Kind::Hint(base), Kind::Hint(ours), Kind::Hint(theirs)) => {
                Kind::Hint(self.boxed(base, ours, theirs))
            }
            (Kind::Code(base), Kind::Code(ours), Kind::Code(theirs)) => {
                Kind::Code(self.boxed(base, ours, theirs))
            }
            (Kind::Images(base), Kind::Images(ours), Kind::Images(theirs)) => {
                Kind::Images(self.boxed(base, ours, theirs))
            }
            (Kind::File(base), Kind::File(ours), Kind::File(theirs)) => {
                Kind::File(self.boxed(base, ours, theirs))
            }
            (Kind::Embed(base), Kind::Embed(ours), Kind::Embed(theirs)) => {
                Kind::Embed(self.boxed(base, ours, theirs))
            }
            (Kind::Table(base), Kind::Table(ours), Kind::Table(theirs)) => {
                Kind::Table(Box::new(self.table(base, ours, theirs)))
            }
            (Kind::Expandable(base), Kind::Expandable(ours), Kind::Expandable(theirs)) => {
                Kind::Expandable(self.boxed(base, ours, theirs))
            }
            (
                Kind::Tabs { full_width, items },
                Kind::Tabs { full_width: our_width, items: our_items },
                Kind::Tabs { full_width: their_width, items: their_items },
            ) => Kind::Tabs {
                full_width: self.value(full_width, our_width, their_width),
                items: self.nodes(items, our_items, their_items),
            },
            (
                Kind::Stepper { steps: base },
                Kind::Stepper { steps: ours },
                Kind::Stepper { steps: theirs },
            ) => Kind::Stepper { steps: self.nodes(base, ours, theirs) },
            (
                Kind::Columns { full_width, columns },
                Kind::Columns { full_width: our_width, columns: our_columns },
                Kind::Columns { full_width: their_width, columns: their_columns },
            ) => Kind::Columns {
                full_width: self.value(full_width, our_width, their_width),
                columns: self.nodes(columns, our_columns, their_columns),
            },
            (
                Kind::If { expression, nodes },
                Kind::If { expression: ours, nodes: our_nodes },
                Kind::If { expression: theirs, nodes: their_nodes },
            ) => Kind::If {
                expression: self.value(expression, ours, theirs),
                nodes: self.child_blocks(nodes, our_nodes, their_nodes),
            },
            (Kind::OpenApi(base), Kind::OpenApi(ours), Kind::OpenApi(theirs)) => {
                Kind::OpenApi(self.boxed(base, ours, theirs))
            }
            (Kind::Integration(base), Kind::Integration(ours), Kind::Integration(theirs)) => {
                Kind::Integration(self.boxed(base, ours, theirs))
            }
            _ => self.changed_kind(base, ours, theirs),
        }
    }

    /// Merges blocks whose type a side changed, and blocks without parts.
    fn changed_kind(
        &mut self,
        base: &BlockKind,
        ours: &BlockKind,
        theirs: &BlockKind,
    ) -> BlockKind {
        let changed = if ours.variant() == base.variant() { theirs } else { ours };
        if let (Some(base), Some(ours), Some(theirs)) = (items(base), items(ours), items(theirs)) {
            let nodes = self.nodes(base, ours, theirs);
            return self.list(changed, nodes);
        }
        let one_side = ours.variant() == base.variant() || theirs.variant() == base.variant();
        if one_side
            && let (Some(base), Some(ours), Some(theirs)) = (line(base), line(ours), line(theirs))
        {
            let nodes = self.text(base, ours, theirs);
            return match changed {
                BlockKind::Heading(heading) => {
                    let mut heading = heading.clone();
                    heading.nodes = nodes;
                    BlockKind::Heading(heading)
                }
                BlockKind::Paragraph(paragraph) => {
                    BlockKind::Paragraph(Paragraph { nodes, ..paragraph.clone() })
                }
                other => other.clone(),
            };
        }
        self.value(base, ours, theirs)
    }

    /// Builds a list of these items with the type of another list.
    fn list(&mut self, kind: &BlockKind, mut items: Vec<Node<ListItem>>) -> BlockKind {
        let is_task = matches!(kind, BlockKind::TaskList { .. });
        for item in &mut items {
            item.kind.checked = is_task.then(|| item.kind.checked.unwrap_or_default());
        }
        match kind {
            BlockKind::OrderedList { start, .. } => BlockKind::OrderedList { start: *start, items },
            BlockKind::TaskList { .. } => BlockKind::TaskList { items },
            _ => BlockKind::UnorderedList { items },
        }
    }

    fn boxed<T: Merge>(&mut self, base: &T, ours: &T, theirs: &T) -> Box<T> {
        Box::new(T::merge(self, base, ours, theirs))
    }
}

/// Returns the items of a list of any type.
fn items(kind: &BlockKind) -> Option<&Vec<Node<ListItem>>> {
    match kind {
        BlockKind::OrderedList { items, .. }
        | BlockKind::UnorderedList { items }
        | BlockKind::TaskList { items } => Some(items),
        _ => None,
    }
}

/// Returns the text of a paragraph or heading.
fn line(kind: &BlockKind) -> Option<&Vec<crate::document::Inline>> {
    match kind {
        BlockKind::Paragraph(paragraph) => Some(&paragraph.nodes),
        BlockKind::Heading(heading) => Some(&heading.nodes),
        _ => None,
    }
}

/// Returns `true` if a block of this kind never contains blocks.
pub(super) fn is_leaf(kind: &BlockKind) -> bool {
    crate::document::complete::json_levels_of(kind) == 0
}
