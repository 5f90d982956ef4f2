//! The link targets of a page. Each id is used once.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::Renderer;
use super::target::Anchors;
use crate::anchor_index::AnchorIndex;
use crate::document::{Block, BlockKind, Document, Key, Reference, Visit};
use crate::slug;

/// The start of the ids of a page's own elements. Anchors of headings have no upper-case letters, and
/// authors' other ids that begin so are not written.
const OWN_ID_START: &str = "B--";

impl Anchors for Renderer<'_> {
    fn anchor<'a>(&'a self, written: &'a str) -> &'a str {
        self.own_anchor(written)
    }

    fn title(&self, anchor: &str) -> Option<&str> {
        self.anchors().title(anchor)
    }
}

/// The start of an element that is only a link target.
pub(super) const ANCHOR_START: &str = "<span class=\"alias\" id=\"";

/// The ids of a page.
pub(super) struct PageIds {
    /// The ids in use.
    taken: HashSet<String>,
    /// The next suffix for each id.
    next: HashMap<String, usize>,
}

impl PageIds {
    fn of(document: &Document) -> Self {
        let taken = document.aliases.values().flatten().cloned().collect();
        let mut ids = Self { taken, next: HashMap::new() };
        document.walk(&mut ids);
        ids
    }

    fn add(&mut self, id: &str) {
        self.taken.insert(id.to_owned());
    }
}

impl<'d> Visit<'d> for PageIds {
    fn block(&mut self, block: &'d Block) {
        match &block.kind {
            BlockKind::Heading(heading) => self.add(&heading.anchor),
            BlockKind::Expandable(block) => self.add(&block.anchor),
            BlockKind::Tabs { items, .. } => {
                for tab in items {
                    self.add(&tab.kind.anchor);
                }
            }
            BlockKind::OpenApi(block) => self.add(&block.anchor),
            _ => {}
        }
    }
}

impl Renderer<'_> {
    fn ids(&mut self) -> &mut PageIds {
        let document = self.document;
        self.ids.get_or_insert_with(|| PageIds::of(document))
    }

    /// Reserves an id that the author wrote. Returns `false` if it is in use.
    pub(super) fn reserve_id(&mut self, id: &str) -> bool {
        self.ids().taken.insert(id.to_owned())
    }

    /// Returns the id for a block's anchor: the anchor itself, or the anchor with a suffix if the
    /// block is part of an included content and the anchor is in use.
    pub(super) fn unique_id<'i>(&mut self, anchor: &'i str) -> Cow<'i, str> {
        // Documents of other programs can have any text as an anchor.
        if !is_usable(anchor) {
            let slug = slug::anchor(anchor);
            let slug = if slug.is_empty() { "section" } else { &slug };
            return Cow::Owned(self.new_id(slug).into_owned());
        }
        if self.included.is_empty() || self.reserve_id(anchor) {
            return Cow::Borrowed(anchor);
        }
        self.new_id(anchor)
    }

    /// Reserves an id that begins with this text.
    pub(super) fn new_id<'i>(&mut self, anchor: &'i str) -> Cow<'i, str> {
        if self.reserve_id(anchor) {
            return Cow::Borrowed(anchor);
        }
        let ids = self.ids();
        let next = ids.next.entry(anchor.to_owned()).or_insert(1);
        // Each suffix is tried once per page, however often the anchor occurs.
        loop {
            let id = format!("{anchor}-{next}");
            *next += 1;
            if ids.taken.insert(id.clone()) {
                return Cow::Owned(id);
            }
        }
    }

    /// Returns the anchor of this page that a link means. Anchors of included contents are taken as
    /// written.
    pub(super) fn own_anchor<'a>(&'a self, written: &'a str) -> &'a str {
        if !self.included.is_empty() {
            return written;
        }
        self.anchors().resolve(written).unwrap_or(written)
    }

    /// Returns the page's own anchors.
    fn anchors(&self) -> &AnchorIndex {
        self.anchors.get_or_init(|| AnchorIndex::of(self.document))
    }

    /// Returns the title of the element with this id on the page itself.
    pub(super) fn title_of(&self, id: &str) -> Option<String> {
        self.anchors().title(id).map(str::to_owned)
    }

    /// Writes the additional link targets of the node with this key.
    pub(super) fn write_aliases(&mut self, key: Key) {
        // Aliases in a reusable content do not belong to the page.
        if !self.included.is_empty() {
            return;
        }
        let document = self.document;
        for alias in document.aliases.get(&key).into_iter().flatten() {
            self.write_anchor(alias);
        }
    }

    /// Reserves the ids of the title that the body does not use, and returns them.
    pub(super) fn title_ids(&mut self) -> Vec<String> {
        let anchors = &self.document.title_anchors;
        let is_free = |id: &&String| is_usable(id) && self.reserve_id(id);
        anchors.iter().filter(is_free).cloned().collect()
    }

    /// Writes a link target.
    pub(super) fn write_anchor(&mut self, id: &str) {
        if !is_usable(id) {
            return;
        }
        self.raw(ANCHOR_START);
        self.text(id);
        self.raw("\"></span>");
    }

    /// Returns the reference for the target of an attribute of an inline HTML tag, as written in
    /// the source.
    pub(super) fn frame_reference(&self, raw: &str) -> Option<Reference> {
        let document = self.included.last().map_or(self.document, |document| document);
        document.frame(raw).cloned()
    }
}

/// Returns `true` if an element of a text can have this id.
pub(super) fn is_usable(id: &str) -> bool {
    !id.is_empty() && !id.starts_with(OWN_ID_START) && !id.contains(char::is_whitespace)
}
