//! Random edits for testing printing on any repository. A seed selects one edit of one kind.

use std::cell::OnceCell;

use super::edit::source::{
    indent_at, is_line_rest, item_place, line_end, list_marker, missing_fence, place, prefix,
};
use crate::document::equality::ContentEq;
use crate::document::{
    Block, BlockKind, Cell, Document, Inline, InlineKind, Leaf, Node, Paragraph, Visit,
};
use crate::markdown;
use crate::reference::{NoLookup, ParseContext};
use crate::source::Span;

/// A kind of edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EditKind {
    /// Replaces a word in a text.
    Word,
    /// Inserts a paragraph.
    Insert,
    /// Deletes a block.
    Delete,
    /// Moves a block among its siblings.
    Move,
    /// Changes the text of a table cell.
    Cell,
    /// Changes the text of a list item.
    Item,
    /// Changes a line of code.
    CodeLine,
    /// Changes an attribute, such as the style of a hint.
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

    /// Returns the kind's name in reports.
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

/// A document after a random edit.
#[derive(Debug, Clone, PartialEq)]
pub struct RandomEdit {
    /// The kind of the edit.
    pub kind: EditKind,
    /// The edited document.
    pub document: Document,
    /// The location of the edited block in the source. For a new block, the location of the block
    /// before it.
    pub span: Span,
    /// The part of the source that may change: the block's own location, and for a moved block also
    /// the blocks that it moves over.
    pub reach: Span,
}

impl RandomEdit {
    /// Returns the first and the last line, counted from 1, that may change. `start` is the offset
    /// in `source` at which the document begins.
    #[must_use]
    pub fn lines(&self, source: &str, start: usize) -> [usize; 2] {
        let place = self.reach.shifted(start);
        let line = |at: usize| source.get(..at).unwrap_or_default().matches('\n').count() + 1;
        [line(place.start), line(place.start + place.of(source).trim_end().len())]
    }
}

/// A pseudorandom number generator. The same seed yields the same numbers.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// Creates a generator from a seed and a name.
    #[must_use]
    pub fn new(seed: u64, name: &str) -> Self {
        let start = 0xCBF2_9CE4_8422_2325_u64 ^ seed;
        let mixed = name
            .bytes()
            .fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
        Self(mixed)
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from((z ^ (z >> 31)) % end).unwrap_or(0)
    }
}

/// Edits a document that was parsed from `source`, with a random kind of edit. Returns `None` if no
/// kind is applicable.
#[must_use]
pub fn any_edit(source: &str, document: &Document, random: &mut Rng) -> Option<RandomEdit> {
    let mut kinds = EditKind::ALL.to_vec();
    while !kinds.is_empty() {
        let kind = kinds.swap_remove(random.below(kinds.len()));
        if let Some(trial) = edit(source, document, kind, random) {
            return Some(trial);
        }
    }
    None
}

/// Edits a document that was parsed from `source`, with the given kind of edit. Returns `None` if
/// the kind is not applicable.
///
/// The edit changes the contents of one block and requires no change to the lines of other blocks.
/// It therefore does not delete a block
///
/// - between two blocks that would then merge,
/// - with a note, whose definition stands elsewhere, or
/// - next to an identical line, because a diff could not tell which of the two was deleted.
///
/// Blocks that share a line and code without a closing fence stay in place. A block is inserted
/// only where a blank line does not change the parsing of its surroundings.
#[must_use]
pub fn edit(
    source: &str,
    document: &Document,
    kind: EditKind,
    random: &mut Rng,
) -> Option<RandomEdit> {
    let mut document = document.clone();
    let mut search = Search {
        source,
        kind,
        left: usize::MAX,
        seen: 0,
        random,
        span: None,
        reach: None,
        read: OnceCell::new(),
    };
    search.siblings(&mut document.nodes, Level::Top);
    if search.seen == 0 {
        return None;
    }
    let left = search.random.below(search.seen);
    let mut found = Search { left, seen: 0, ..search };
    found.siblings(&mut document.nodes, Level::Top);
    let span = found.span?;
    Some(RandomEdit { kind, document, span, reach: found.reach.unwrap_or(span) })
}

/// The container of siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// The document. Its first heading would become the page's title.
    Top,
    /// A list item. Its first line also holds the marker.
    Item,
    /// Another container.
    Within,
}

/// Visits all candidate places of an edit, and applies the edit at one of them.
struct Search<'c> {
    source: &'c str,
    kind: EditKind,
    /// The number of places to skip.
    left: usize,
    seen: usize,
    random: &'c mut Rng,
    span: Option<Span>,
    reach: Option<Span>,
    /// The document that the source parses to without a lookup.
    read: OnceCell<Document>,
}

/// Maximum number of promising places that are checked by parsing.
const MAX_CHECKED_PLACES: usize = 4;
/// Maximum number of places that are considered before the search ends.
const MAX_PLACES: usize = 64;

impl Search<'_> {
    /// Counts a place, and returns `true` if the edit applies to it.
    fn is_selected(&mut self) -> bool {
        self.seen += 1;
        self.span.is_none() && self.seen == self.left.saturating_add(1)
    }

    fn siblings(&mut self, nodes: &mut Vec<Block>, level: Level) {
        match self.kind {
            EditKind::Insert => self.insert(nodes),
            EditKind::Delete => self.delete(nodes, level),
            EditKind::Move => self.move_block(nodes, level),
            _ => {}
        }
        nodes.iter_mut().for_each(|block| self.block(block));
    }

    fn insert(&mut self, nodes: &mut Vec<Block>) {
        let places = self.places(nodes, Level::Within);
        if places.is_empty() || !self.is_selected() {
            return;
        }
        let first = self.random.below(places.len());
        let candidates = places.iter().copied().cycle().skip(first).take(places.len());
        // Most blocks can be followed by another block, so a few attempts suffice.
        let Some(at) = candidates
            .take(MAX_CHECKED_PLACES)
            .find(|at| self.allow_blank_lines(&self.ends(nodes, [at + 1])))
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
        if nodes.len() < 2 || places.is_empty() || !self.is_selected() {
            return;
        }
        let first = self.random.below(places.len());
        let mut left = MAX_CHECKED_PLACES;
        for &at in places.iter().cycle().skip(first).take(places.len().min(MAX_PLACES)) {
            let had_page_title = self.has_page_title(nodes, level);
            let ends = self.ends(nodes, [at, at + 1]);
            let removed = nodes.remove(at);
            let has_page_title = self.has_page_title(nodes, level) && !had_page_title;
            let span = place(self.source, &removed);
            let stays_apart = !self.could_merge(nodes, at) && self.is_identifiable(span);
            if stays_apart && !has_page_title && !has_notes(&removed) {
                if self.allow_blank_lines(&ends) {
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

    fn move_block(&mut self, nodes: &mut Vec<Block>, level: Level) {
        let places = self.places(nodes, level);
        if places.len() < 2 || !self.is_selected() {
            return;
        }
        let first = self.random.below(places.len());
        let mut left = MAX_CHECKED_PLACES;
        let candidates = places.iter().cycle().skip(first).take(places.len().min(MAX_PLACES));
        for (candidate, &at) in candidates.enumerate() {
            // Choose any of the other places.
            let other =
                (first + candidate + 1 + self.random.below(places.len() - 1)) % places.len();
            let to = places.get(other).copied().unwrap_or(at);
            let had_page_title = self.has_page_title(nodes, level);
            let range = nodes.get(at.min(to)..=at.max(to)).unwrap_or_default();
            let range = range.iter().map(|node| place(self.source, node));
            let reach = range.reduce(|left, right| {
                Span::new(left.start.min(right.start), left.end.max(right.end))
            });
            let ends = self.ends(nodes, [at, at + 1, if to > at { to + 1 } else { to }]);
            let moved = nodes.remove(at);
            let separated = !self.could_merge(nodes, at);
            let passed = nodes.get(at.min(to)..at.max(to)).unwrap_or_default();
            let is_same = passed.iter().all(|node| node.content_eq(&moved));
            let span = place(self.source, &moved);
            nodes.insert(to, moved);
            let has_page_title = self.has_page_title(nodes, level) && !had_page_title;
            let merges = self.could_merge(nodes, to) || self.could_merge(nodes, to + 1);
            let is_identifiable = reach.is_none_or(|reach| self.is_identifiable(reach));
            if separated && !merges && !has_page_title && !is_same && is_identifiable {
                if self.allow_blank_lines(&ends) {
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

    /// Returns `true` if the document begins with a heading that would become the page's title.
    fn has_page_title(&self, nodes: &[Block], level: Level) -> bool {
        let Some(first) = nodes.first().filter(|_| level == Level::Top) else {
            return false;
        };
        let is_first = matches!(&first.kind, BlockKind::Heading(heading) if heading.level == 1);
        is_first && !place(self.source, first).of(self.source).starts_with("##")
    }

    /// Returns `true` if nothing else shares the lines of a span, where a line ends with a line
    /// feed.
    fn has_lines(&self, place: Span) -> bool {
        let space = [' ', '\t', '\r'];
        let before = self.source.get(..place.start).unwrap_or_default();
        let lead = before.rfind(['\n', '\r']).and_then(|at| before.get(..=at)).unwrap_or_default();
        let lead = lead.trim_end_matches(space);
        let rest = self.source.get(place.end..).unwrap_or_default().trim_start_matches(space);
        matches!(lead.as_bytes(), [] | [.., b'\n']) && matches!(rest.as_bytes(), [] | [b'\n', ..])
    }

    /// Returns the indices of the blocks that occupy whole lines. Returns none if the container
    /// ends between its blocks, which only misplaced tags cause.
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
                    && !is_unpaired_tag(node)
            })
        };
        (first..nodes.len()).filter(is_alone).collect()
    }

    /// Returns the end offsets of the blocks before these indices.
    fn ends<const N: usize>(&self, nodes: &[Block], indices: [usize; N]) -> Vec<usize> {
        let before = indices.into_iter().filter_map(|at| nodes.get(at.checked_sub(1)?));
        before.map(|node| place(self.source, node).end).collect()
    }

    /// Returns `true` if a blank line at each of these offsets would not change how the source is
    /// parsed.
    fn allow_blank_lines(&self, ends: &[usize]) -> bool {
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
            let mut separated = self.source.to_owned();
            separated.insert_str(at, &format!("{}{marks}", line_end(self.source)));
            read(&separated).has_same_content_as(as_it_is)
        })
    }

    /// Returns `true` if a diff of lines can identify the deletion of this span. It cannot if an
    /// adjacent line is identical.
    fn is_identifiable(&self, span: Span) -> bool {
        let start = span.start - indent_at(self.source, span.start);
        let rest = self.source.get(span.end..).unwrap_or_default();
        let end = rest.find('\n').map_or(self.source.len(), |at| span.end + at);
        let lines = |from: usize, to: usize| {
            let lines = self.source.get(from..to).unwrap_or_default().lines();
            lines.filter(|line| !line.chars().all(|c| c.is_whitespace() || c == '>'))
        };
        let before = lines(0, start).next_back();
        let following = lines(end, self.source.len()).next();
        let is_other =
            |neighbor: Option<&str>, own: Option<&str>| neighbor.is_none() || neighbor != own;
        is_other(before, lines(start, end).next_back())
            && is_other(following, lines(start, end).next())
    }

    /// Returns `true` if the block at an index could merge with the block before it: lists with the
    /// same marker, adjacent indented code, or a list followed by indented content.
    fn could_merge(&self, nodes: &[Block], at: usize) -> bool {
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
                    // Plain text would replace a note or a link in the line.
                    if line.kind.rich.is_empty() && self.is_selected() {
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

    /// Replaces a word of a text.
    fn word(&mut self, nodes: &mut [Inline], span: Span) {
        for node in nodes {
            let InlineKind::Text(leaves) = &mut node.kind else {
                continue;
            };
            for leaf in leaves.iter_mut().filter(|leaf| !leaf.is_markup) {
                let words: Vec<(usize, usize)> = words(&leaf.text);
                if words.is_empty() || !self.is_selected() {
                    continue;
                }
                let (from, to) =
                    words.get(self.random.below(words.len())).copied().unwrap_or((0, 0));
                let is_changed = leaf.text.get(from..to) == Some("changed");
                leaf.text.replace_range(from..to, if is_changed { "altered" } else { "changed" });
                self.span = Some(span);
            }
        }
    }

    fn attribute(&mut self, kind: &mut BlockKind, span: Span) {
        use crate::document::HintStyle;
        match kind {
            BlockKind::Hint(hint) if self.is_selected() => {
                hint.style = match hint.style {
                    HintStyle::Info => HintStyle::Warning,
                    HintStyle::Warning => HintStyle::Danger,
                    HintStyle::Danger => HintStyle::Success,
                    HintStyle::Success => HintStyle::Info,
                };
            }
            BlockKind::Code(code) if self.is_selected() => {
                code.title = changed_value(code.title.as_deref(), "changed.txt")
            }
            BlockKind::Tabs { items, .. } if !items.is_empty() && self.is_selected() => {
                let at = self.random.below(items.len());
                if let Some(tab) = items.get_mut(at) {
                    tab.kind.title = changed_value(tab.kind.title.as_deref(), "Changed");
                }
            }
            BlockKind::Expandable(expandable) if self.is_selected() => {
                expandable.open = !expandable.open;
            }
            BlockKind::TaskList { items } if self.is_selected() => {
                let at = self.random.below(items.len());
                if let Some(item) = items.get_mut(at) {
                    item.kind.checked = item.kind.checked.map(|checked| !checked);
                }
            }
            BlockKind::Images(images) if self.is_selected() => {
                if let Some(image) = images.images.first_mut() {
                    image.kind.alt = changed_value(image.kind.alt.as_deref(), "changed");
                }
            }
            BlockKind::Embed(embed) if self.is_selected() => {
                embed.full_width = Some(embed.full_width != Some(true));
            }
            _ => return,
        }
        if self.span.is_none() && self.seen == self.left.saturating_add(1) {
            self.span = Some(span);
        }
    }
}

/// Returns `new`, or a variation of it if the text is already `new`.
fn changed_value(text: Option<&str>, new: &str) -> Option<String> {
    let is_changed = text == Some(new);
    Some(if is_changed { format!("{new}!") } else { new.to_owned() })
}

/// Returns `true` if a block is an HTML tag whose counterpart stands elsewhere.
fn is_unpaired_tag(block: &Block) -> bool {
    let BlockKind::Opaque(opaque) = &block.kind else {
        return false;
    };
    opaque.source.starts_with('<') && !opaque.source.starts_with("<!--")
}

/// Returns `true` if a block contains notes, whose definitions stand elsewhere in the source.
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

/// Returns the ranges of the words of a text that begin with a letter.
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
