//! The places of a page that links lead to: each id once, whoever gives it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::Renderer;
use crate::document::{Block, BlockKind, Document, Key, Reference, Visit, plain_text};

/// What a place begins with that is no more than an id.
pub(super) const PLACE: &str = "<span class=\"alias\" id=\"";

/// What has ids.
pub(super) struct Places {
    /// The ids that are taken.
    taken: HashSet<String>,
    /// The text of headings and the like of the page itself.
    titles: HashMap<String, String>,
    /// The number that the next id of the same name gets.
    next: HashMap<String, usize>,
}

impl Places {
    fn of(document: &Document) -> Self {
        let taken = document.aliases.values().flatten().cloned().collect();
        let mut places = Self { taken, titles: HashMap::new(), next: HashMap::new() };
        document.walk(&mut places);
        places
    }

    fn add(&mut self, id: &str, title: &str) {
        self.taken.insert(id.to_owned());
        if !title.trim().is_empty() {
            self.titles.insert(id.to_owned(), title.trim().to_owned());
        }
    }
}

impl<'d> Visit<'d> for Places {
    fn block(&mut self, block: &'d Block) {
        match &block.kind {
            BlockKind::Heading(heading) => self.add(&heading.anchor, &plain_text(&heading.nodes)),
            BlockKind::Expandable(block) => self.add(&block.anchor, &plain_text(&block.title)),
            BlockKind::Tabs { items, .. } => {
                for tab in items {
                    self.add(&tab.kind.anchor, tab.kind.title.as_deref().unwrap_or_default());
                }
            }
            BlockKind::OpenApi(block) => self.add(&block.anchor, ""),
            _ => {}
        }
    }
}

impl Renderer<'_> {
    fn places(&mut self) -> &mut Places {
        let document = self.document;
        self.places.get_or_insert_with(|| Places::of(document))
    }

    /// Takes an id for a place that an author made by hand. `false` where it is taken.
    pub(super) fn claims(&mut self, id: &str) -> bool {
        self.places().taken.insert(id.to_owned())
    }

    /// The id of a block that has one: its own, or on pages that show it beside others of the same
    /// name a further one.
    pub(super) fn id<'i>(&mut self, anchor: &'i str) -> Cow<'i, str> {
        if self.included.is_empty() || self.claims(anchor) {
            return Cow::Borrowed(anchor);
        }
        let places = self.places();
        let next = places.next.entry(anchor.to_owned()).or_insert(1);
        // A number is tried once for the whole page, however often the name comes.
        loop {
            let id = format!("{anchor}-{next}");
            *next += 1;
            if places.taken.insert(id.clone()) {
                return Cow::Owned(id);
            }
        }
    }

    /// The text of what has this id on the page itself.
    pub(super) fn title_of(&mut self, id: &str) -> Option<String> {
        self.places().titles.get(id).cloned()
    }

    /// Further places at which links find what has this key.
    pub(super) fn aliases(&mut self, key: Key) {
        // Those of a reusable content are not the page's.
        if !self.included.is_empty() {
            return;
        }
        let document = self.document;
        for alias in document.aliases.get(&key).into_iter().flatten() {
            self.place(alias);
        }
    }

    /// Writes a place that links lead to.
    pub(super) fn place(&mut self, id: &str) {
        self.raw(PLACE);
        self.text(id);
        self.raw("\"></span>");
    }

    /// What a tag within a line shows, by its target as the source has it.
    pub(super) fn frame_of(&self, raw: &str) -> Option<Reference> {
        let document = self.included.last().map_or(self.document, |document| document);
        document.frame(raw).cloned()
    }
}
