//! Edits by chance, to try printing on any repository: one edit of one kind, chosen by a seed.

use std::cell::OnceCell;

use super::edit::source::{
    indent_at, is_line_rest, item_place, line_end, list_marker, missing_fence, place, prefix,
};
use crate::document::same::Content;
use crate::document::{
    Block, BlockKind, Cell, Document, Inline, InlineKind, Leaf, Node, Paragraph, Visit,
};
use crate::markdown::{self, ParseContext};
use crate::reference::NoLookup;
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

impl Trial {
    /// The first and the last line, from 1, within which anything may differ. The document was read
    /// from what begins at `start` in `source`.
    #[must_use]
    pub fn lines(&self, source: &str, start: usize) -> [usize; 2] {
        let place = self.reach.shifted(start);
        let line = |at: usize| source.get(..at).unwrap_or_default().matches('\n').count() + 1;
        [line(place.start), line(place.start + place.of(source).trim_end().len())]
    }
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

/// An edit of some kind that a document, read from `source`, has a place for. `None` for one
/// without any.
#[must_use]
pub fn any_edit(source: &str, document: &Document, chance: &mut Chance) -> Option<Trial> {
    let mut kinds = EditKind::ALL.to_vec();
    while !kinds.is_empty() {
        let kind = kinds.swap_remove(chance.below(kinds.len()));
        if let Some(trial) = edit(source, document, kind, chance) {
            return Some(trial);
        }
    }
    None
}

/// An edit of this kind, where a document, read from `source`, has a place for it.
///
/// It changes what one block says and needs no other block's lines: no block goes from between two
/// that would then be read as one, or with a note that stands elsewhere, or if what is beside it
/// begins or ends with the same line, as nobody could tell from outside which of them went. What
/// shares its line with something else stays where it is, as does code whose fence has no end, and
/// a block comes where a blank line parts nothing.
#[must_use]
pub fn edit(
    source: &str,
    document: &Document,
    kind: EditKind,
    chance: &mut Chance,
) -> Option<Trial> {
    let mut document = document.clone();
    let mut search = Search {
        source,
        kind,
        left: usize::MAX,
        seen: 0,
        chance,
        span: None,
        reach: None,
        read: OnceCell::new(),
    };
    search.siblings(&mut document.nodes, Level::Top);
    if search.seen == 0 {
        return None;
    }
    let left = search.chance.below(search.seen);
    let mut found = Search { left, seen: 0, ..search };
    found.siblings(&mut document.nodes, Level::Top);
    let span = found.span?;
    Some(Trial { kind, document, span, reach: found.reach.unwrap_or(span) })
}

/// Where siblings stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// At the top of the document: a heading that comes first there would be the page's title.
    Top,
    /// In a list's item: on the line of the first is also the item's marker.
    Item,
    /// In another container.
    Within,
}

/// Goes through all places for an edit, and makes it at one.
struct Search<'c> {
    source: &'c str,
    kind: EditKind,
    /// How many places to pass.
    left: usize,
    seen: usize,
    chance: &'c mut Chance,
    span: Option<Span>,
    reach: Option<Span>,
    /// What the source is read as where nothing is known around it.
    read: OnceCell<Document>,
}

/// So many places that seem to do are looked at closely.
const TRIES: usize = 4;
/// So many places are looked at where one after the other does not do.
const TURNS: usize = 64;

impl Search<'_> {
    /// Whether this is the place.
    fn is_here(&mut self) -> bool {
        self.seen += 1;
        self.span.is_none() && self.seen == self.left.saturating_add(1)
    }

    fn siblings(&mut self, nodes: &mut Vec<Block>, level: Level) {
        match self.kind {
            EditKind::Insert => self.insert(nodes),
            EditKind::Delete => self.delete(nodes, level),
            EditKind::Move => self.relocate(nodes, level),
            _ => {}
        }
        nodes.iter_mut().for_each(|block| self.block(block));
    }

    fn insert(&mut self, nodes: &mut Vec<Block>) {
        let places = self.places(nodes, Level::Within);
        if places.is_empty() || !self.is_here() {
            return;
        }
        let first = self.chance.below(places.len());
        let turns = places.iter().copied().cycle().skip(first).take(places.len());
        // Most blocks can be followed by another: the first few say whether these can.
        let Some(at) = turns.take(TRIES).find(|at| self.have_room(&self.ends(nodes, [at + 1])))
        else {
            return;
        };
        self.span = nodes.get(at).map(|node| place(self.source, node));
        let leaf = Leaf { text: "A new paragraph.".to_owned(), ..Leaf::default() };
        let text = Node::new(Span::default(), InlineKind::Text(vec![leaf]));
        let paragraph = Paragraph { align: None, nodes: vec![text] };
        nodes.insert(at + 1, Node::new(Span::default(), BlockKind::Paragraph(paragraph)));
    }

    fn delete(&mut self, nodes: &mut Vec<Block>, level: Level) {
        let places = self.places(nodes, level);
        if nodes.len() < 2 || places.is_empty() || !self.is_here() {
            return;
        }
        let first = self.chance.below(places.len());
        let mut left = TRIES;
        for &at in places.iter().cycle().skip(first).take(places.len().min(TURNS)) {
            let was_titled = self.is_titled(nodes, level);
            let ends = self.ends(nodes, [at, at + 1]);
            let removed = nodes.remove(at);
            let is_titled = self.is_titled(nodes, level) && !was_titled;
            let span = place(self.source, &removed);
            let stays_apart = !self.joins(nodes, at) && self.is_told_apart(span);
            if stays_apart && !is_titled && !has_notes(&removed) {
                if self.have_room(&ends) {
                    self.span = Some(span);
                    return;
                }
                left -= 1;
            }
            nodes.insert(at, removed);
            if left == 0 {
                return;
            }
        }
    }

    fn relocate(&mut self, nodes: &mut Vec<Block>, level: Level) {
        let places = self.places(nodes, level);
        if places.len() < 2 || !self.is_here() {
            return;
        }
        let first = self.chance.below(places.len());
        let mut left = TRIES;
        let turns = places.iter().cycle().skip(first).take(places.len().min(TURNS));
        for (turn, &at) in turns.enumerate() {
            // Any of the other places.
            let other = (first + turn + 1 + self.chance.below(places.len() - 1)) % places.len();
            let to = places.get(other).copied().unwrap_or(at);
            let was_titled = self.is_titled(nodes, level);
            let around = nodes.get(at.min(to)..=at.max(to)).unwrap_or_default();
            let around = around.iter().map(|node| place(self.source, node));
            let reach = around.reduce(|left, right| {
                Span::new(left.start.min(right.start), left.end.max(right.end))
            });
            let ends = self.ends(nodes, [at, at + 1, if to > at { to + 1 } else { to }]);
            let moved = nodes.remove(at);
            let parted = !self.joins(nodes, at);
            let passed = nodes.get(at.min(to)..at.max(to)).unwrap_or_default();
            let is_same = passed.iter().all(|node| node.same(&moved));
            let span = place(self.source, &moved);
            nodes.insert(to, moved);
            let is_titled = self.is_titled(nodes, level) && !was_titled;
            let joins = self.joins(nodes, to) || self.joins(nodes, to + 1);
            let is_told_apart = reach.is_none_or(|reach| self.is_told_apart(reach));
            if parted && !joins && !is_titled && !is_same && is_told_apart {
                if self.have_room(&ends) {
                    self.span = Some(span);
                    self.reach = reach;
                    return;
                }
                left -= 1;
            }
            let moved = nodes.remove(to);
            nodes.insert(at, moved);
            if left == 0 {
                return;
            }
        }
    }

    /// Whether a document begins with a heading that would be taken for the page's title.
    fn is_titled(&self, nodes: &[Block], level: Level) -> bool {
        let Some(first) = nodes.first().filter(|_| level == Level::Top) else {
            return false;
        };
        let is_first = matches!(&first.kind, BlockKind::Heading(heading) if heading.level == 1);
        is_first && !place(self.source, first).of(self.source).starts_with("##")
    }

    /// Whether nothing else stands on the lines of a place, as these end with a line feed.
    fn has_lines(&self, place: Span) -> bool {
        let space = [' ', '\t', '\r'];
        let before = self.source.get(..place.start).unwrap_or_default();
        let lead = before.rfind(['\n', '\r']).and_then(|at| before.get(..=at)).unwrap_or_default();
        let lead = lead.trim_end_matches(space);
        let rest = self.source.get(place.end..).unwrap_or_default().trim_start_matches(space);
        matches!(lead.as_bytes(), [] | [.., b'\n']) && matches!(rest.as_bytes(), [] | [b'\n', ..])
    }

    /// The indices of blocks that have lines of their own, all that they are. None where what holds
    /// them ends between them, which only happens where its tags stand in disorder.
    fn places(&self, nodes: &[Block], level: Level) -> Vec<usize> {
        let first = usize::from(level == Level::Item);
        let between = nodes.windows(2).map(|pair| match pair {
            [left, right] => {
                let (left, right) = (place(self.source, left), place(self.source, right));
                self.source.get(left.end..right.start).unwrap_or_default()
            }
            _ => "",
        });
        if between.into_iter().any(|text| text.contains("{%") || text.contains("</")) {
            return Vec::new();
        }
        let is_alone = |at: &usize| {
            nodes.get(*at).is_some_and(|node| {
                let place = place(self.source, node);
                let begins = prefix(self.source, place.start).is_some();
                !place.is_empty()
                    && begins
                    && is_line_rest(self.source, place.end)
                    && self.has_lines(place)
                    && missing_fence(place.of(self.source)).is_none()
                    && !is_half(node)
            })
        };
        (first..nodes.len()).filter(is_alone).collect()
    }

    /// Where the blocks before these indices end.
    fn ends<const N: usize>(&self, nodes: &[Block], indices: [usize; N]) -> Vec<usize> {
        let before = indices.into_iter().filter_map(|at| nodes.get(at.checked_sub(1)?));
        before.map(|node| place(self.source, node).end).collect()
    }

    /// Whether a blank line at each of these offsets parts nothing, as it would between two tags of
    /// HTML.
    fn have_room(&self, ends: &[usize]) -> bool {
        let read = |text: &str| {
            let context = ParseContext { path: "", lookup: &NoLookup };
            markdown::parse(text, &context)
        };
        let as_it_is = self.read.get_or_init(|| read(self.source));
        ends.iter().all(|&at| {
            let start = at - indent_at(self.source, at);
            let line = self.source.get(start..at).unwrap_or_default();
            let marks = line.len() - line.trim_start_matches([' ', '\t', '>']).len();
            let marks = line.get(..marks).unwrap_or_default().trim_end();
            let mut parted = self.source.to_owned();
            parted.insert_str(at, &format!("{}{marks}", line_end(self.source)));
            read(&parted).says_the_same_as(as_it_is)
        })
    }

    /// Whether a difference of lines can say that it is what stands here that is gone: beside the
    /// same line it could as well be that one.
    fn is_told_apart(&self, span: Span) -> bool {
        let start = span.start - indent_at(self.source, span.start);
        let rest = self.source.get(span.end..).unwrap_or_default();
        let end = rest.find('\n').map_or(self.source.len(), |at| span.end + at);
        let lines = |from: usize, to: usize| {
            let lines = self.source.get(from..to).unwrap_or_default().lines();
            lines.filter(|line| !line.chars().all(|c| c.is_whitespace() || c == '>'))
        };
        let before = lines(0, start).next_back();
        let behind = lines(end, self.source.len()).next();
        let is_other = |beside: Option<&str>, own: Option<&str>| beside.is_none() || beside != own;
        is_other(before, lines(start, end).next_back())
            && is_other(behind, lines(start, end).next())
    }

    /// Whether the block at an index and the one before it could be read as one: lists with the
    /// same marker, two pieces of code without fences, and a list with what is indented behind it.
    fn joins(&self, nodes: &[Block], at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| nodes.get(before));
        let Some((before, node)) = before.zip(nodes.get(at)) else {
            return false;
        };
        let marker = list_marker(self.source, before);
        let is_indented = |node: &Block| {
            matches!(node.kind, BlockKind::Code(_))
                && place(self.source, node).of(self.source).starts_with([' ', '\t'])
        };
        match marker {
            Some(_) if marker == list_marker(self.source, node) => true,
            Some(_) => {
                let indent = |node: &Block| indent_at(self.source, place(self.source, node).start);
                is_indented(node) || indent(node) > indent(before)
            }
            None => is_indented(before) && is_indented(node),
        }
    }

    fn block(&mut self, block: &mut Block) {
        let span = place(self.source, block);
        match (&mut block.kind, self.kind) {
            (BlockKind::Paragraph(paragraph), EditKind::Word) => {
                self.word(&mut paragraph.nodes, span);
            }
            (BlockKind::Heading(heading), EditKind::Word) => self.word(&mut heading.nodes, span),
            (BlockKind::Code(code), EditKind::CodeLine) => {
                for line in &mut code.lines {
                    // With a note or a link in it, a plain line would take that away as well.
                    if line.kind.rich.is_empty() && self.is_here() {
                        line.kind.text.push_str(" changed");
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
                    let span = item_place(self.source, item);
                    if self.kind == EditKind::Item
                        && let Some(Node { kind: BlockKind::Paragraph(first), .. }) =
                            item.kind.nodes.first_mut()
                    {
                        self.word(&mut first.nodes, span);
                    }
                    self.siblings(&mut item.kind.nodes, Level::Item);
                }
            }
            BlockKind::Quote { nodes } | BlockKind::If { nodes, .. } => self.within(nodes),
            BlockKind::Hint(hint) => self.within(&mut hint.nodes),
            BlockKind::Expandable(expandable) => self.within(&mut expandable.nodes),
            BlockKind::Tabs { items, .. } => {
                items.iter_mut().for_each(|tab| self.within(&mut tab.kind.nodes));
            }
            BlockKind::Stepper { steps } => {
                steps.iter_mut().for_each(|step| self.within(&mut step.kind.nodes));
            }
            BlockKind::Columns { columns, .. } => {
                columns.iter_mut().for_each(|column| self.within(&mut column.kind.nodes));
            }
            _ => {}
        }
    }

    fn within(&mut self, nodes: &mut Vec<Block>) {
        self.siblings(nodes, Level::Within);
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
                let is_said = leaf.text.get(from..to) == Some("changed");
                leaf.text.replace_range(from..to, if is_said { "altered" } else { "changed" });
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
            BlockKind::Code(code) if self.is_here() => {
                code.title = other(code.title.as_deref(), "changed.txt")
            }
            BlockKind::Tabs { items, .. } if !items.is_empty() && self.is_here() => {
                let at = self.chance.below(items.len());
                if let Some(tab) = items.get_mut(at) {
                    tab.kind.title = other(tab.kind.title.as_deref(), "Changed");
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
                    image.kind.alt = other(image.kind.alt.as_deref(), "changed");
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

/// Another text than the one there is.
fn other(text: Option<&str>, new: &str) -> Option<String> {
    let is_said = text == Some(new);
    Some(if is_said { format!("{new}!") } else { new.to_owned() })
}

/// Whether a block is one tag of an element whose other one stands elsewhere.
fn is_half(block: &Block) -> bool {
    let BlockKind::Opaque(opaque) = &block.kind else {
        return false;
    };
    opaque.source.starts_with('<') && !opaque.source.starts_with("<!--")
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
