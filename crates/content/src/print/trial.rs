//! Edits by chance, to try printing on any repository: one edit of one kind, chosen by a seed.

use crate::document::{
    Block, BlockKind, Cell, Document, Inline, InlineKind, Leaf, Node, Paragraph, Visit,
};
use crate::source::Span;

/// The kinds of edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EditKind {
    /// Another word in a text.
    Word,
    /// A new paragraph.
    Insert,
    /// A block less.
    Delete,
    /// A block at another place among its siblings.
    Move,
    /// Another text in a table's cell.
    Cell,
    /// Another text in a list's item.
    Item,
    /// Another line in code.
    CodeLine,
    /// Another attribute, such as the style of a hint.
    Attribute,
}

impl EditKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Word,
        Self::Insert,
        Self::Delete,
        Self::Move,
        Self::Cell,
        Self::Item,
        Self::CodeLine,
        Self::Attribute,
    ];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Insert => "insert",
            Self::Delete => "delete",
            Self::Move => "move",
            Self::Cell => "cell",
            Self::Item => "item",
            Self::CodeLine => "code-line",
            Self::Attribute => "attribute",
        }
    }
}

/// An edited document.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// What was done.
    pub kind: EditKind,
    /// The document after it.
    pub document: Document,
    /// The place of the block in the source; of the one before it for a new one.
    pub span: Span,
    /// The place in the source within which anything may differ: the block's own, and for one that
    /// is moved also what it is moved over.
    pub reach: Span,
}

/// Numbers by chance, the same for the same seed.
#[derive(Debug, Clone)]
pub struct Chance(u64);

impl Chance {
    /// The numbers of a seed for a name.
    #[must_use]
    pub fn new(seed: u64, name: &str) -> Self {
        let start = 0xCBF2_9CE4_8422_2325_u64 ^ seed;
        let mixed = name
            .bytes()
            .fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
        Self(mixed)
    }

    /// A number below `end`; 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from((z ^ (z >> 31)) % end).unwrap_or(0)
    }
}

/// An edit of some kind that the document has a place for. `None` for a document without one.
#[must_use]
pub fn any_edit(document: &Document, chance: &mut Chance) -> Option<Trial> {
    let mut kinds = EditKind::ALL.to_vec();
    while !kinds.is_empty() {
        let kind = kinds.swap_remove(chance.below(kinds.len()));
        if let Some(trial) = edit(document, kind, chance) {
            return Some(trial);
        }
    }
    None
}

/// An edit of this kind, where the document has a place for it.
#[must_use]
pub fn edit(document: &Document, kind: EditKind, chance: &mut Chance) -> Option<Trial> {
    let mut document = document.clone();
    let all = Search { kind, left: usize::MAX, seen: 0, chance, span: None, reach: None };
    let places = all.run(&mut document);
    if places.seen == 0 {
        return None;
    }
    let left = places.chance.below(places.seen);
    let search = Search { kind, left, seen: 0, chance: places.chance, span: None, reach: None };
    let found = search.run(&mut document);
    let span = found.span?;
    Some(Trial { kind, document, span, reach: found.reach.unwrap_or(span) })
}

/// Goes through all places for an edit, and makes it at one.
struct Search<'c> {
    kind: EditKind,
    /// How many places to pass.
    left: usize,
    seen: usize,
    chance: &'c mut Chance,
    span: Option<Span>,
    reach: Option<Span>,
}

impl Search<'_> {
    fn run(mut self, document: &mut Document) -> Self {
        self.blocks(&mut document.nodes, 0);
        self
    }

    /// Whether this is the place.
    fn is_here(&mut self) -> bool {
        self.seen += 1;
        self.span.is_none() && self.seen == self.left.saturating_add(1)
    }

    /// Blocks, the first `fixed` of which stay: on the line of an item's first block is also its
    /// marker.
    fn blocks(&mut self, nodes: &mut Vec<Block>, fixed: usize) {
        match self.kind {
            EditKind::Insert if self.is_insertable(nodes) => self.insert(nodes),
            EditKind::Delete if nodes.len() > 1 => self.delete(nodes, fixed),
            EditKind::Move if nodes.len() > fixed + 1 => self.relocate(nodes, fixed),
            _ => {}
        }
        nodes.iter_mut().for_each(|block| self.block(block));
    }

    fn is_insertable(&self, nodes: &[Block]) -> bool {
        !nodes.is_empty() && nodes.iter().all(|node| !node.span.is_empty())
    }

    fn insert(&mut self, nodes: &mut Vec<Block>) {
        if !self.is_here() {
            return;
        }
        let at = self.chance.below(nodes.len());
        self.span = nodes.get(at).map(|node| node.span);
        let leaf = Leaf { text: "A new paragraph.".to_owned(), ..Leaf::default() };
        let text = Node::new(Span::default(), InlineKind::Text(vec![leaf]));
        let paragraph = Paragraph { align: None, nodes: vec![text] };
        nodes.insert(at + 1, Node::new(Span::default(), BlockKind::Paragraph(paragraph)));
    }

    fn delete(&mut self, nodes: &mut Vec<Block>, fixed: usize) {
        if !self.is_here() {
            return;
        }
        let first = self.chance.below(nodes.len() - fixed);
        for turn in 0..nodes.len() - fixed {
            let at = fixed + (first + turn) % (nodes.len() - fixed);
            let was_titled = is_titled(nodes);
            let removed = nodes.remove(at);
            let is_titled = is_titled(nodes) && !was_titled;
            if !joins(nodes, at) && !is_titled && !has_notes(&removed) {
                self.span = Some(removed.span);
                return;
            }
            nodes.insert(at, removed);
        }
    }

    fn relocate(&mut self, nodes: &mut Vec<Block>, fixed: usize) {
        if !self.is_here() {
            return;
        }
        let first = self.chance.below(nodes.len() - fixed);
        for turn in 0..nodes.len() - fixed {
            let at = fixed + (first + turn) % (nodes.len() - fixed);
            let was_titled = is_titled(nodes);
            let moved = nodes.remove(at);
            let to = fixed + self.chance.below(nodes.len() + 1 - fixed);
            let parted = !joins(nodes, at);
            let span = moved.span;
            let passed = nodes.get(at.min(to)..at.max(to)).unwrap_or_default();
            let around = passed.iter().map(|node| node.span).chain([span]);
            let start = around.clone().map(|span| span.start).min().unwrap_or(span.start);
            let end = around.map(|span| span.end).max().unwrap_or(span.end);
            nodes.insert(to, moved);
            let is_titled = is_titled(nodes) && !was_titled;
            if parted && !joins(nodes, to) && !joins(nodes, to + 1) && !is_titled {
                self.span = Some(span);
                self.reach = Some(Span::new(start, end));
                return;
            }
            let moved = nodes.remove(to);
            nodes.insert(at, moved);
        }
    }

    fn block(&mut self, block: &mut Block) {
        let span = block.span;
        match (&mut block.kind, self.kind) {
            (BlockKind::Paragraph(paragraph), EditKind::Word) => {
                self.word(&mut paragraph.nodes, span);
            }
            (BlockKind::Heading(heading), EditKind::Word) => self.word(&mut heading.nodes, span),
            (BlockKind::Code(code), EditKind::CodeLine) => {
                for line in &mut code.lines {
                    if self.is_here() {
                        line.kind.text.push_str(" changed");
                        line.kind.rich.clear();
                        self.span = Some(span);
                    }
                }
            }
            (BlockKind::Table(table), EditKind::Cell) => {
                for cell in table.rows.iter_mut().flat_map(|row| &mut row.cells) {
                    if let Cell::Text { nodes, .. } = cell
                        && let Some(Node { kind: BlockKind::Paragraph(first), .. }) =
                            nodes.first_mut()
                    {
                        self.word(&mut first.nodes, span);
                    }
                }
            }
            (kind, EditKind::Attribute) => self.attribute(kind, span),
            _ => {}
        }
        self.children(&mut block.kind);
    }

    fn children(&mut self, kind: &mut BlockKind) {
        match kind {
            BlockKind::OrderedList { items, .. }
            | BlockKind::UnorderedList { items }
            | BlockKind::TaskList { items } => {
                for item in items {
                    if self.kind == EditKind::Item
                        && let Some(Node { kind: BlockKind::Paragraph(first), .. }) =
                            item.kind.nodes.first_mut()
                    {
                        self.word(&mut first.nodes, item.span);
                    }
                    self.blocks(&mut item.kind.nodes, 1);
                }
            }
            BlockKind::Quote { nodes } | BlockKind::If { nodes, .. } => self.blocks(nodes, 0),
            BlockKind::Hint(hint) => self.blocks(&mut hint.nodes, 0),
            BlockKind::Expandable(expandable) => self.blocks(&mut expandable.nodes, 0),
            BlockKind::Tabs { items, .. } => {
                items.iter_mut().for_each(|tab| self.blocks(&mut tab.kind.nodes, 0));
            }
            BlockKind::Stepper { steps } => {
                steps.iter_mut().for_each(|step| self.blocks(&mut step.kind.nodes, 0));
            }
            BlockKind::Columns { columns, .. } => {
                columns.iter_mut().for_each(|column| self.blocks(&mut column.kind.nodes, 0));
            }
            _ => {}
        }
    }

    /// Another word in place of one of a text's.
    fn word(&mut self, nodes: &mut [Inline], span: Span) {
        for node in nodes {
            let InlineKind::Text(leaves) = &mut node.kind else {
                continue;
            };
            for leaf in leaves.iter_mut().filter(|leaf| !leaf.is_markup) {
                let words: Vec<(usize, usize)> = words(&leaf.text);
                if words.is_empty() || !self.is_here() {
                    continue;
                }
                let (from, to) =
                    words.get(self.chance.below(words.len())).copied().unwrap_or((0, 0));
                leaf.text.replace_range(from..to, "changed");
                self.span = Some(span);
            }
        }
    }

    fn attribute(&mut self, kind: &mut BlockKind, span: Span) {
        use crate::document::HintStyle;
        match kind {
            BlockKind::Hint(hint) if self.is_here() => {
                hint.style = match hint.style {
                    HintStyle::Info => HintStyle::Warning,
                    HintStyle::Warning => HintStyle::Danger,
                    HintStyle::Danger => HintStyle::Success,
                    HintStyle::Success => HintStyle::Info,
                };
            }
            BlockKind::Code(code) if self.is_here() => code.title = Some("changed.txt".to_owned()),
            BlockKind::Tabs { items, .. } if !items.is_empty() && self.is_here() => {
                let at = self.chance.below(items.len());
                if let Some(tab) = items.get_mut(at) {
                    tab.kind.title = Some("Changed".to_owned());
                }
            }
            BlockKind::Expandable(expandable) if self.is_here() => {
                expandable.open = !expandable.open;
            }
            BlockKind::TaskList { items } if self.is_here() => {
                let at = self.chance.below(items.len());
                if let Some(item) = items.get_mut(at) {
                    item.kind.checked = item.kind.checked.map(|checked| !checked);
                }
            }
            BlockKind::Images(images) if self.is_here() => {
                if let Some(image) = images.images.first_mut() {
                    image.kind.alt = Some("changed".to_owned());
                }
            }
            BlockKind::Embed(embed) if self.is_here() => {
                embed.full_width = Some(embed.full_width != Some(true));
            }
            _ => return,
        }
        if self.span.is_none() && self.seen == self.left.saturating_add(1) {
            self.span = Some(span);
        }
    }
}

/// Whether the block at an index and the one before it could be read as one: lists can only be told
/// apart by other markers, code by fences, and code after a list could be part of its last item.
fn joins(nodes: &[Block], at: usize) -> bool {
    let is_code = |node: &Block| matches!(node.kind, BlockKind::Code(_));
    let is_list = |node: &Block| {
        matches!(
            node.kind,
            BlockKind::OrderedList { .. }
                | BlockKind::UnorderedList { .. }
                | BlockKind::TaskList { .. }
        )
    };
    let before = at.checked_sub(1).and_then(|before| nodes.get(before));
    before.zip(nodes.get(at)).is_some_and(|(before, node)| {
        is_list(before) && (is_list(node) || is_code(node)) || is_code(before) && is_code(node)
    })
}

/// Whether a document begins with a heading that would be taken for the page's title.
fn is_titled(nodes: &[Block]) -> bool {
    matches!(
        nodes.first().map(|node| &node.kind),
        Some(BlockKind::Heading(heading)) if heading.level == 1
    )
}

/// Whether a block holds notes, which stand elsewhere in the source.
fn has_notes(block: &Block) -> bool {
    struct Found(bool);
    impl<'d> Visit<'d> for Found {
        fn inline(&mut self, inline: &'d Inline) {
            self.0 |= matches!(inline.kind, InlineKind::Annotation(_));
        }
    }
    let mut found = Found(false);
    Document { nodes: vec![block.clone()], ..Document::default() }.walk(&mut found);
    found.0
}

/// Where the words of a text are, those of letters alone.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match start {
            None if c.is_alphabetic() => start = Some(at),
            Some(from) if !c.is_alphanumeric() => {
                words.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    words
}
