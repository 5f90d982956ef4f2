//! Completes documents with missing keys and anchors, and provides mutable iteration over the child
//! lists of blocks.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{
    Block, BlockKind, Cell, Document, Identity, Inline, InlineKind, Key, Node, OpenApiPart, Tab,
    plain_text,
};
use crate::slug::{self, Anchors};
use crate::source::Span;

impl Document {
    /// Gives every node that has no key, or a duplicate one, a unique key, and gives an anchor to
    /// every linkable node that has none. The result is deterministic.
    pub fn complete(&mut self) {
        anchors(&mut self.nodes, &mut Anchors::default(), &Identity::default());
        let mut assigner = Keys { taken: HashSet::new(), next: 0 };
        keys(&mut self.nodes, &mut |key| assigner.record(key));
        keys(&mut self.nodes, &mut |key| assigner.assign(key));
    }
}

/// Returns `true` if the contract permits `id` as an anchor.
pub(crate) fn is_anchor(id: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-.+_".contains(&b);
    !id.is_empty() && id.bytes().all(allowed)
}

/// Sets the anchors of all linkable nodes. Fixed anchors take precedence, then those recorded in
/// `identity`, then generated ones in document order.
pub(crate) fn anchors(nodes: &mut [Block], anchors: &mut Anchors, identity: &Identity) {
    nodes.iter_mut().for_each(|block| fixed_anchors(block, anchors));
    if identity.has_anchors() {
        each_link_target(nodes, &mut |target| {
            if target.anchor.is_empty()
                && let Some(kept) = identity.anchor(target.key)
                && !anchors.is_taken(kept)
            {
                *target.anchor = anchors.take(kept);
            }
        });
    }
    nodes.iter_mut().for_each(|block| generated_anchors(block, anchors));
}

/// Returns additional ids under which nodes are found, as far as they are not in use: ids that a
/// node had before, and the id derived from its title if the node keeps an older anchor.
pub(crate) fn aliases(
    nodes: &mut [Block],
    anchors: &mut Anchors,
    identity: &Identity,
) -> HashMap<Key, Vec<String>> {
    let mut aliases = HashMap::<Key, Vec<String>>::new();
    if !identity.has_anchors() {
        return aliases;
    }
    each_link_target(nodes, &mut |target| {
        let is_kept = identity.anchor(target.key).is_some_and(|kept| kept == target.anchor);
        let titled = target.slug.filter(|_| is_kept);
        for id in titled.iter().chain(identity.former(target.key)) {
            if !id.is_empty() && !anchors.is_taken(id) {
                aliases.entry(target.key).or_default().push(anchors.take(id));
            }
        }
    });
    aliases
}

/// A node that links can point to.
struct LinkTarget<'p> {
    key: Key,
    anchor: &'p mut String,
    /// The slug from which the anchor is generated; `None` if the source specifies the anchor.
    slug: Option<String>,
}

/// Calls `visit` with every linkable node outside notes.
fn each_link_target(nodes: &mut [Block], visit: &mut dyn FnMut(LinkTarget<'_>)) {
    for block in nodes {
        let key = block.key;
        let slug = slug_of(&block.kind);
        match &mut block.kind {
            BlockKind::Heading(heading) => {
                visit(LinkTarget { key, anchor: &mut heading.anchor, slug })
            }
            BlockKind::Expandable(expandable) => {
                visit(LinkTarget { key, anchor: &mut expandable.anchor, slug });
            }
            BlockKind::OpenApi(block) => visit(LinkTarget { key, anchor: &mut block.anchor, slug }),
            BlockKind::Tabs { items, .. } => {
                for tab in items {
                    let slug = Some(slug_of_tab(&tab.kind));
                    visit(LinkTarget { key: tab.key, anchor: &mut tab.kind.anchor, slug });
                }
            }
            _ => {}
        }
        child_lists(block, &mut |nodes| each_link_target(nodes, visit));
    }
}

/// Clears all anchors outside notes.
pub(crate) fn clear_anchors(nodes: &mut [Block]) {
    each_link_target(nodes, &mut |target| target.anchor.clear());
}

/// Returns the slug from which a block's anchor is generated, or `None` if the source specifies the
/// anchor.
pub(crate) fn slug_of(kind: &BlockKind) -> Option<String> {
    match kind {
        BlockKind::Heading(heading) if heading.id.is_none() => {
            Some(slug::anchor(&plain_text(&heading.nodes)))
        }
        BlockKind::Expandable(expandable) => Some(slug::anchor(&plain_text(&expandable.title))),
        BlockKind::OpenApi(block) => {
            let name = match &block.part {
                OpenApiPart::Swagger { path, method, .. }
                | OpenApiPart::Operation { path, method } => format!("{method} {path}"),
                OpenApiPart::Schemas { schemas, .. } => schemas.join(" "),
                OpenApiPart::Webhook { name, .. } => name.clone(),
            };
            Some(slug::anchor(&name))
        }
        _ => None,
    }
}

/// Returns the slug from which a tab's anchor is generated.
pub(crate) fn slug_of_tab(tab: &Tab) -> String {
    let slug = slug::anchor(tab.title.as_deref().unwrap_or_default());
    if slug.is_empty() { "tab".to_owned() } else { slug }
}

struct Keys {
    taken: HashSet<u64>,
    next: u64,
}

impl Keys {
    /// Records an existing key and resets a duplicate one.
    fn record(&mut self, key: &mut Key) {
        if *key != Key::default() && !self.taken.insert(key.0) {
            *key = Key::default();
        }
    }

    fn assign(&mut self, key: &mut Key) {
        while *key == Key::default() {
            self.next += 1;
            let candidate = Key(0).part(self.next);
            if self.taken.insert(candidate.0) {
                *key = candidate;
            }
        }
    }
}

/// Resets everything that a parser assigned to blocks: keys, spans and generated anchors.
pub(crate) fn clear_positions(nodes: &mut [Block]) {
    keys(nodes, &mut |key| *key = Key::default());
    nodes.iter_mut().for_each(clear_block);
}

fn clear_block(block: &mut Block) {
    fn all<T>(nodes: &mut [Node<T>]) {
        nodes.iter_mut().for_each(|node| node.span = Span::default());
    }
    block.span = Span::default();
    match &mut block.kind {
        BlockKind::Heading(heading) => heading.anchor.clear(),
        BlockKind::Expandable(expandable) => expandable.anchor.clear(),
        BlockKind::OpenApi(part) => part.anchor.clear(),
        BlockKind::OrderedList { items, .. }
        | BlockKind::UnorderedList { items }
        | BlockKind::TaskList { items } => all(items),
        BlockKind::Tabs { items, .. } => {
            all(items);
            items.iter_mut().for_each(|tab| tab.kind.anchor.clear());
        }
        BlockKind::Stepper { steps } => all(steps),
        BlockKind::Columns { columns, .. } => all(columns),
        BlockKind::Code(code) => all(&mut code.lines),
        BlockKind::Images(images) => all(&mut images.images),
        BlockKind::Table(table) => {
            table.rows.iter_mut().for_each(|row| row.span = Span::default());
        }
        _ => {}
    }
    inline_lists(block, &mut |nodes| nodes.iter_mut().for_each(clear_inline));
    child_lists(block, &mut |nodes| nodes.iter_mut().for_each(clear_block));
}

fn clear_inline(node: &mut Inline) {
    node.span = Span::default();
    match &mut node.kind {
        InlineKind::Link(link) => link.nodes.iter_mut().for_each(clear_inline),
        InlineKind::Annotation(annotation) => {
            Arc::make_mut(&mut annotation.body).iter_mut().for_each(clear_block);
        }
        _ => {}
    }
}

/// Returns the number of levels of JSON nesting between a block and its child blocks.
pub(crate) fn json_levels_of(kind: &BlockKind) -> usize {
    match kind {
        BlockKind::Quote { .. } | BlockKind::If { .. } | BlockKind::Hint(_) => 2,
        BlockKind::OrderedList { .. }
        | BlockKind::UnorderedList { .. }
        | BlockKind::TaskList { .. }
        | BlockKind::Expandable(_)
        | BlockKind::Tabs { .. }
        | BlockKind::Stepper { .. }
        | BlockKind::Columns { .. }
        | BlockKind::Table(_) => 4,
        _ => 0,
    }
}

/// Returns the depth of the JSON nesting of these blocks.
pub(crate) fn levels(nodes: &mut [Block]) -> usize {
    let deepest = nodes.iter_mut().map(|block| {
        let mut inner = 0;
        child_lists(block, &mut |nodes| inner = inner.max(levels(nodes)));
        json_levels_of(&block.kind) + inner
    });
    deepest.max().unwrap_or_default()
}

/// Calls `visit` with every key, in document order.
pub(crate) fn keys(nodes: &mut [Block], visit: &mut dyn FnMut(&mut Key)) {
    fn all<T>(nodes: &mut [Node<T>], visit: &mut dyn FnMut(&mut Key)) {
        nodes.iter_mut().for_each(|node| visit(&mut node.key));
    }
    for block in nodes {
        visit(&mut block.key);
        match &mut block.kind {
            BlockKind::OrderedList { items, .. }
            | BlockKind::UnorderedList { items }
            | BlockKind::TaskList { items } => all(items, visit),
            BlockKind::Tabs { items, .. } => all(items, visit),
            BlockKind::Stepper { steps } => all(steps, visit),
            BlockKind::Columns { columns, .. } => all(columns, visit),
            BlockKind::Code(code) => all(&mut code.lines, visit),
            BlockKind::Images(images) => all(&mut images.images, visit),
            BlockKind::Table(table) => {
                for cell in table.rows.iter_mut().flat_map(|row| &mut row.cells) {
                    if let Cell::Text { key, .. } = cell {
                        visit(key);
                    }
                }
            }
            _ => {}
        }
        inline_lists(block, &mut |nodes| inlines(nodes, visit));
        child_lists(block, &mut |nodes| keys(nodes, visit));
    }
}

fn inlines(nodes: &mut [Inline], visit: &mut dyn FnMut(&mut Key)) {
    for node in nodes {
        visit(&mut node.key);
        match &mut node.kind {
            InlineKind::Link(link) => inlines(&mut link.nodes, visit),
            InlineKind::Annotation(annotation) => {
                keys(&mut *Arc::make_mut(&mut annotation.body), visit);
            }
            _ => {}
        }
    }
}

/// Calls `visit` with each list of child blocks of a block.
pub(crate) fn child_lists(block: &mut Block, visit: &mut dyn FnMut(&mut Vec<Block>)) {
    match &mut block.kind {
        BlockKind::OrderedList { items, .. }
        | BlockKind::UnorderedList { items }
        | BlockKind::TaskList { items } => {
            items.iter_mut().for_each(|item| visit(&mut item.kind.nodes));
        }
        BlockKind::Quote { nodes } | BlockKind::If { nodes, .. } => visit(nodes),
        BlockKind::Hint(hint) => visit(&mut hint.nodes),
        BlockKind::Expandable(expandable) => visit(&mut expandable.nodes),
        BlockKind::Tabs { items, .. } => {
            items.iter_mut().for_each(|item| visit(&mut item.kind.nodes));
        }
        BlockKind::Stepper { steps } => steps.iter_mut().for_each(|s| visit(&mut s.kind.nodes)),
        BlockKind::Columns { columns, .. } => {
            columns.iter_mut().for_each(|column| visit(&mut column.kind.nodes));
        }
        BlockKind::Opaque(opaque) => visit(&mut opaque.nodes),
        BlockKind::Table(table) => {
            for cell in table.rows.iter_mut().flat_map(|row| &mut row.cells) {
                if let Cell::Text { nodes, .. } = cell {
                    visit(nodes);
                }
            }
        }
        BlockKind::Paragraph(_)
        | BlockKind::Heading(_)
        | BlockKind::Code(_)
        | BlockKind::Math { .. }
        | BlockKind::Divider
        | BlockKind::Images(_)
        | BlockKind::File(_)
        | BlockKind::Drawing(_)
        | BlockKind::Embed(_)
        | BlockKind::ContentRef(_)
        | BlockKind::ReusableContent(_)
        | BlockKind::OpenApi(_)
        | BlockKind::Integration(_) => {}
    }
}

/// Calls `visit` with each list of inlines that belongs directly to a block.
pub(crate) fn inline_lists(block: &mut Block, visit: &mut dyn FnMut(&mut Vec<Inline>)) {
    match &mut block.kind {
        BlockKind::Paragraph(paragraph) => visit(&mut paragraph.nodes),
        BlockKind::Heading(heading) => visit(&mut heading.nodes),
        BlockKind::Images(images) => {
            images.images.iter_mut().for_each(|image| visit(&mut image.kind.caption));
        }
        BlockKind::File(file) => visit(&mut file.caption),
        BlockKind::Embed(embed) => visit(&mut embed.caption),
        BlockKind::Expandable(expandable) => visit(&mut expandable.title),
        BlockKind::Code(code) => code.lines.iter_mut().for_each(|line| visit(&mut line.kind.rich)),
        _ => {}
    }
}

/// Calls `visit` with each block of the notes in a block's own text.
fn note_blocks(block: &mut Block, visit: &mut dyn FnMut(&mut Block)) {
    inline_lists(block, &mut |nodes| {
        for node in nodes {
            if let InlineKind::Annotation(annotation) = &mut node.kind
                && !annotation.body.is_empty()
            {
                Arc::make_mut(&mut annotation.body).iter_mut().for_each(&mut *visit);
            }
        }
    });
}

/// Reserves the anchors that are fixed, either by the source of a heading, in a form that the
/// contract permits, or by the author of a JSON document.
fn fixed_anchors(block: &mut Block, anchors: &mut Anchors) {
    let mut take = |anchor: &mut String| {
        if !anchor.is_empty() {
            *anchor = anchors.take(anchor);
        }
    };
    match &mut block.kind {
        BlockKind::Heading(heading) => {
            if heading.anchor.is_empty()
                && let Some(id) = &heading.id
            {
                heading.anchor = if is_anchor(id) { id.clone() } else { slug::anchor(id) };
                if heading.anchor.is_empty() {
                    heading.id = None;
                }
            }
            take(&mut heading.anchor);
        }
        BlockKind::Expandable(expandable) => take(&mut expandable.anchor),
        BlockKind::Tabs { items, .. } => {
            items.iter_mut().for_each(|tab| take(&mut tab.kind.anchor))
        }
        BlockKind::OpenApi(block) => take(&mut block.anchor),
        _ => {}
    }
    child_lists(block, &mut |nodes| {
        nodes.iter_mut().for_each(|block| fixed_anchors(block, anchors));
    });
    note_blocks(block, &mut |block| fixed_anchors(block, anchors));
}

/// Generates the anchors of all linkable nodes that have none.
pub(crate) fn generated_anchors(block: &mut Block, anchors: &mut Anchors) {
    let has_none = match &block.kind {
        BlockKind::Heading(heading) => heading.anchor.is_empty(),
        BlockKind::Expandable(expandable) => expandable.anchor.is_empty(),
        BlockKind::OpenApi(block) => block.anchor.is_empty(),
        _ => false,
    };
    let slug = if has_none { slug_of(&block.kind) } else { None };
    match (&mut block.kind, slug) {
        (BlockKind::Heading(heading), Some(slug)) => heading.anchor = anchors.take(&slug),
        (BlockKind::Expandable(expandable), Some(slug)) => expandable.anchor = anchors.take(&slug),
        (BlockKind::OpenApi(block), Some(slug)) => block.anchor = anchors.take(&slug),
        (BlockKind::Tabs { items, .. }, _) => {
            for tab in items.iter_mut().filter(|tab| tab.kind.anchor.is_empty()) {
                tab.kind.anchor = anchors.take(&slug_of_tab(&tab.kind));
            }
        }
        _ => {}
    }
    child_lists(block, &mut |nodes| {
        nodes.iter_mut().for_each(|block| generated_anchors(block, anchors));
    });
    note_blocks(block, &mut |block| generated_anchors(block, anchors));
}
