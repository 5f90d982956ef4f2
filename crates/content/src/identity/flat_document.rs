//! A flat list of a document's nodes with the data needed to match them.

use std::collections::HashSet;
use std::hash::Hasher;

use crate::document::equality::ContentEq;
use crate::document::key::part;
use crate::document::{
    Block, BlockKind, Cell, CodeLine, Column, Document, Image, Inline, InlineKind, Key, ListItem,
    Node, Row, Step, Tab,
};

/// The nodes of a document in preorder.
pub(super) struct FlatDocument<'d> {
    pub(super) entries: Vec<Entry<'d>>,
    /// The top-level blocks.
    pub(super) top: Vec<usize>,
}

/// A node.
pub(super) struct Entry<'d> {
    /// The node's key; `None` for rows of tables.
    pub(super) key: Option<Key>,
    /// The source of the node's key, if it is derived from another node's key.
    pub(super) key_source: Option<KeySource>,
    /// The node's kind; nodes are matched only within a kind.
    pub(super) kind: u64,
    /// A digest of the node's kind and content.
    pub(super) digest: u64,
    /// The node itself.
    pub(super) content: NodeRef<'d>,
    /// The node's child lists, which are matched independently of each other.
    pub(super) lists: Vec<Vec<usize>>,
    /// The index of the first entry after its descendants.
    pub(super) end: usize,
    /// `true` if the node can move anywhere; `false` if it is matched only within its parent's
    /// counterpart.
    pub(super) can_move: bool,
}

/// The source of a derived key.
#[derive(Clone, Copy)]
pub(super) struct KeySource {
    /// The index of the entry with the original key.
    pub(super) entry: usize,
    /// The number of the part.
    pub(super) part: u64,
}

/// The node of an entry.
#[derive(Clone, Copy)]
pub(super) enum NodeRef<'d> {
    Block(&'d BlockKind),
    Item(&'d ListItem),
    Tab(&'d Tab),
    Step(&'d Step),
    Column(&'d Column),
    Line(&'d CodeLine),
    Image(&'d Image),
    Row(&'d Row),
    Cell(&'d Cell),
    Inline(&'d InlineKind),
}

impl NodeRef<'_> {
    /// Feeds the content into a hasher.
    pub(super) fn hash_content(self, to: &mut impl Hasher) {
        match self {
            Self::Block(content) => content.hash_content(to),
            Self::Item(content) => content.hash_content(to),
            Self::Tab(content) => content.hash_content(to),
            Self::Step(content) => content.hash_content(to),
            Self::Column(content) => content.hash_content(to),
            Self::Line(content) => content.hash_content(to),
            Self::Image(content) => content.hash_content(to),
            Self::Row(content) => content.hash_content(to),
            Self::Cell(content) => content.hash_content(to),
            Self::Inline(content) => content.hash_content(to),
        }
    }

    /// Returns a number for the kind. All lists are one kind, because items keep their identity
    /// when a list changes its type.
    fn kind(self) -> u64 {
        match self {
            Self::Block(
                BlockKind::OrderedList { .. }
                | BlockKind::UnorderedList { .. }
                | BlockKind::TaskList { .. },
            ) => 1,
            Self::Item(_) => 2,
            Self::Tab(_) => 3,
            Self::Step(_) => 4,
            Self::Column(_) => 5,
            Self::Line(_) => 6,
            Self::Image(_) => 7,
            Self::Row(_) => 8,
            Self::Cell(_) => 9,
            Self::Block(block) => kind_of(std::mem::discriminant(block)),
            Self::Inline(inline) => kind_of(std::mem::discriminant(inline)),
        }
    }
}

fn kind_of(kind: impl std::hash::Hash) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    kind.hash(&mut hasher);
    hasher.finish()
}

impl<'d> FlatDocument<'d> {
    pub(super) fn of(document: &'d Document) -> Self {
        let mut builder = Builder { entries: Vec::new(), notes: HashSet::new() };
        let top = builder.blocks(&document.nodes);
        Self { entries: builder.entries, top }
    }
}

struct Builder<'d> {
    entries: Vec<Entry<'d>>,
    /// The labels of the notes so far. Their keys derive from the first occurrence.
    notes: HashSet<&'d str>,
}

impl<'d> Builder<'d> {
    /// Adds a node. Its children are added next, then [`Builder::close`] is called.
    fn open(
        &mut self,
        key: Option<Key>,
        key_source: Option<KeySource>,
        content: NodeRef<'d>,
    ) -> usize {
        let kind = content.kind();
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write_u64(kind);
        content.hash_content(&mut hasher);
        self.entries.push(Entry {
            key,
            key_source,
            kind,
            digest: hasher.finish(),
            content,
            lists: Vec::new(),
            end: 0,
            can_move: key_source.is_none() && !matches!(content, NodeRef::Line(_)),
        });
        self.entries.len() - 1
    }

    fn close(&mut self, at: usize, lists: Vec<Vec<usize>>) -> usize {
        let end = self.entries.len();
        if let Some(entry) = self.entries.get_mut(at) {
            entry.lists = lists;
            entry.end = end;
        }
        at
    }

    fn blocks(&mut self, nodes: &'d [Block]) -> Vec<usize> {
        nodes.iter().map(|node| self.block(node)).collect()
    }

    /// Adds the parts of a block that contain blocks.
    fn parts<T>(
        &mut self,
        nodes: &'d [Node<T>],
        content: fn(&'d T) -> NodeRef<'d>,
        held: fn(&'d T) -> &'d [Block],
    ) -> Vec<usize> {
        let part = |node: &'d Node<T>| {
            let at = self.open(Some(node.key), None, content(&node.kind));
            let list = self.blocks(held(&node.kind));
            self.close(at, vec![list])
        };
        nodes.iter().map(part).collect()
    }

    fn block(&mut self, node: &'d Block) -> usize {
        let at = self.open(Some(node.key), None, NodeRef::Block(&node.kind));
        let lists = match &node.kind {
            BlockKind::Paragraph(paragraph) => vec![self.inlines(at, &paragraph.nodes)],
            BlockKind::Heading(heading) => vec![self.inlines(at, &heading.nodes)],
            BlockKind::OrderedList { items, .. }
            | BlockKind::UnorderedList { items }
            | BlockKind::TaskList { items } => vec![self.parts(items, NodeRef::Item, |i| &i.nodes)],
            BlockKind::Quote { nodes } | BlockKind::If { nodes, .. } => vec![self.blocks(nodes)],
            BlockKind::Hint(hint) => vec![self.blocks(&hint.nodes)],
            BlockKind::Code(code) => vec![code.lines.iter().map(|line| self.line(line)).collect()],
            BlockKind::Images(images) => {
                let numbered = (part::IMAGES..).zip(&images.images);
                vec![numbered.map(|(part, image)| self.image(at, part, image)).collect()]
            }
            BlockKind::File(file) => vec![self.inlines(at, &file.caption)],
            BlockKind::Embed(embed) => vec![self.inlines(at, &embed.caption)],
            BlockKind::Table(table) => {
                let mut part = part::CELLS;
                vec![table.rows.iter().map(|row| self.row(at, &mut part, row)).collect()]
            }
            BlockKind::Expandable(expandable) => {
                vec![self.inlines(at, &expandable.title), self.blocks(&expandable.nodes)]
            }
            BlockKind::Tabs { items, .. } => vec![self.parts(items, NodeRef::Tab, |t| &t.nodes)],
            BlockKind::Stepper { steps } => vec![self.parts(steps, NodeRef::Step, |s| &s.nodes)],
            BlockKind::Columns { columns, .. } => {
                vec![self.parts(columns, NodeRef::Column, |column| &column.nodes)]
            }
            BlockKind::Opaque(opaque) => vec![self.blocks(&opaque.nodes)],
            BlockKind::Math { .. }
            | BlockKind::Divider
            | BlockKind::Drawing(_)
            | BlockKind::ContentRef(_)
            | BlockKind::ReusableContent(_)
            | BlockKind::OpenApi(_)
            | BlockKind::Integration(_) => Vec::new(),
        };
        self.close(at, lists)
    }

    fn line(&mut self, line: &'d Node<CodeLine>) -> usize {
        let at = self.open(Some(line.key), None, NodeRef::Line(&line.kind));
        let list = self.inlines(at, &line.kind.rich);
        self.close(at, vec![list])
    }

    fn image(&mut self, parent: usize, part: u64, image: &'d Node<Image>) -> usize {
        let key_source = Some(KeySource { entry: parent, part });
        let at = self.open(Some(image.key), key_source, NodeRef::Image(&image.kind));
        let list = self.inlines(at, &image.kind.caption);
        self.close(at, vec![list])
    }

    fn row(&mut self, parent: usize, part: &mut u64, row: &'d Row) -> usize {
        let at = self.open(None, None, NodeRef::Row(row));
        let mut list = Vec::new();
        for cell in &row.cells {
            if let Cell::Text { key, nodes } = cell {
                let key_source = Some(KeySource { entry: parent, part: *part });
                let at = self.open(Some(*key), key_source, NodeRef::Cell(cell));
                let nodes = self.blocks(nodes);
                list.push(self.close(at, vec![nodes]));
            }
            *part += 1;
        }
        self.close(at, vec![list])
    }

    fn inlines(&mut self, parent: usize, nodes: &'d [Inline]) -> Vec<usize> {
        let mut list = Vec::with_capacity(nodes.len());
        for (part, node) in (part::INLINES..).zip(nodes) {
            let key_source = Some(KeySource { entry: parent, part });
            let at = self.open(Some(node.key), key_source, NodeRef::Inline(&node.kind));
            let lists = match &node.kind {
                InlineKind::Link(link) => vec![self.inlines(at, &link.nodes)],
                InlineKind::Annotation(annotation) if self.notes.insert(&annotation.label) => {
                    vec![self.blocks(&annotation.body)]
                }
                _ => Vec::new(),
            };
            list.push(self.close(at, lists));
        }
        list
    }
}
