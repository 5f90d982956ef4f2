//! Reading the tree: ranges of children, paths, ancestors and neighbours.

use bindery_model::{Id, PageId};
use bytes::Bytes;

use super::walk::{Walk, is_visible_document};
use super::{TreeError, child_key, parent_prefix, parse_child_key, slug_key};
use crate::content::Content;
use crate::facet::Facet;
use crate::map::{Direction, Range};
use crate::object::{ObjectError, Objects};
use crate::order::OrderKey;
use crate::record::{NavigationEntry, PageRecord, Record};

/// A page with its position among its siblings and its navigation entry.
#[derive(Clone, PartialEq, Debug)]
pub struct Child {
    /// The page.
    pub id: PageId,
    /// Its parent.
    pub parent: Option<PageId>,
    /// Its position among its siblings.
    pub order: OrderKey,
    /// Its navigation entry.
    pub entry: NavigationEntry,
}

/// Read access to the page tree of a content.
#[derive(Clone, Copy)]
pub struct Tree<'a> {
    content: &'a Content,
    objects: &'a dyn Objects,
}

impl std::fmt::Debug for Tree<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tree").field("pages", &self.len()).finish()
    }
}

impl<'a> Tree<'a> {
    /// Returns the tree of `content`, whose objects are read from `objects`.
    pub const fn new(content: &'a Content, objects: &'a dyn Objects) -> Self {
        Self { content, objects }
    }

    /// Returns the number of pages of all kinds.
    pub const fn len(&self) -> u64 {
        self.content.pages.len()
    }

    /// Returns `true` if there are no pages.
    pub const fn is_empty(&self) -> bool {
        self.content.pages.is_empty()
    }

    /// Returns a page that must exist.
    ///
    /// # Errors
    /// Returns an error if the page does not exist or an object cannot be read.
    pub fn page(&self, id: PageId) -> Result<PageRecord, TreeError> {
        self.content.page(self.objects, id)?.ok_or(TreeError::NotFound(id))
    }

    /// Returns the number of pages directly under `parent`.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn count_children(&self, parent: Option<PageId>) -> Result<u64, ObjectError> {
        self.objects.record_read(Facet::Children(parent));
        self.content.children.count_prefix(self.objects, parent_prefix(parent.as_ref()))
    }

    /// Iterates over all pages directly under `parent` in order, reading them lazily.
    pub fn children(&self, parent: Option<PageId>) -> Children<'a> {
        let range = self.content.children.prefix(self.objects, parent_prefix(parent.as_ref()));
        self.listed(range, parent)
    }

    /// Iterates over the pages directly under `parent`, skipping the first `offset` ones.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn children_from(
        &self,
        parent: Option<PageId>,
        offset: u64,
    ) -> Result<Children<'a>, ObjectError> {
        let prefix = parent_prefix(parent.as_ref());
        let children = &self.content.children;
        let rank = children.rank(self.objects, prefix)?.saturating_add(offset);
        let range = children.range_from_rank(self.objects, rank).within(prefix);
        Ok(self.listed(range, parent))
    }

    /// Iterates over the siblings on one side of a page, nearest first.
    pub fn siblings(&self, page: &PageRecord, direction: Direction) -> Children<'a> {
        let key = child_key(page.parent.as_ref(), &page.order, &page.id);
        self.siblings_from(page.parent, key, direction)
    }

    /// Iterates over the children of `parent` on one side of a key, nearest first.
    pub(crate) fn siblings_from(
        &self,
        parent: Option<PageId>,
        key: Bytes,
        direction: Direction,
    ) -> Children<'a> {
        let range = self.content.children.range(self.objects, Some(&key), direction);
        let range = range.within(parent_prefix(parent.as_ref())).without(key);
        self.listed(range, parent)
    }

    fn listed(&self, range: Range<'a>, parent: Option<PageId>) -> Children<'a> {
        self.objects.record_read(Facet::Children(parent));
        Children { range, parent, recorder: Some(self.objects) }
    }

    /// Records the read of an entry that was loaded in advance.
    pub(super) fn record_read(&self, child: &Child) {
        self.objects.record_read(Facet::Entry(child.id));
    }

    /// Returns the last page directly under `parent`.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn last_child(&self, parent: Option<PageId>) -> Result<Option<Child>, ObjectError> {
        // This bound is greater than every order key, since only the head of a key has the maximum
        // byte.
        let mut bound = parent_prefix(parent.as_ref()).to_vec();
        bound.extend([u8::MAX; 2 * Id::LEN]);
        self.siblings_from(parent, bound.into(), Direction::Descending).next().transpose()
    }

    /// Returns the number of siblings before a page.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn position(&self, page: &PageRecord) -> Result<u64, ObjectError> {
        let key = child_key(page.parent.as_ref(), &page.order, &page.id);
        self.objects.record_read(Facet::Children(page.parent));
        let children = &self.content.children;
        let first = children.rank(self.objects, parent_prefix(page.parent.as_ref()))?;
        Ok(children.rank(self.objects, &key)? - first)
    }

    /// Iterates over all pages in reading order, parents before their children, with their depth.
    pub fn walk(&self) -> Walk<'a> {
        Walk::new(*self)
    }

    /// Like [`Tree::walk`], but starts after this page.
    ///
    /// # Errors
    /// Returns an error if the page does not exist or an object cannot be read.
    pub fn walk_after(&self, id: PageId) -> Result<Walk<'a>, TreeError> {
        Walk::after(*self, id)
    }

    /// Returns the ancestors of a page, the outermost first.
    ///
    /// # Errors
    /// Returns an error if the page does not exist or an object cannot be read.
    pub fn ancestors(&self, id: PageId) -> Result<Vec<PageRecord>, TreeError> {
        let mut above = Vec::new();
        let mut next = self.page(id)?.parent;
        while let Some(parent) = next {
            if above.len() as u64 > self.len() {
                return Err(ObjectError::Corrupt("a page tree").into());
            }
            let record = self.page(parent)?;
            next = record.parent;
            above.push(record);
        }
        above.reverse();
        Ok(above)
    }

    /// Returns the path of a page: the slugs of its ancestors, including groups, and its own slug.
    ///
    /// # Errors
    /// Returns an error if the page does not exist or an object cannot be read.
    pub fn path(&self, id: PageId) -> Result<String, TreeError> {
        let mut slugs: Vec<String> =
            self.ancestors(id)?.into_iter().map(|record| record.slug).collect();
        slugs.push(self.page(id)?.slug);
        Ok(slugs.join("/"))
    }

    /// Returns the page at a path. Leading and trailing slashes are ignored; the empty path is that
    /// of the first page.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn by_path(&self, path: &str) -> Result<Option<PageId>, ObjectError> {
        let path = path.trim_matches('/');
        if path.is_empty() {
            return Ok(self.first()?.map(|child| child.id));
        }
        let mut at = None;
        for slug in path.split('/') {
            match self.by_slug(at, slug)? {
                Some(id) => at = Some(id),
                None => return Ok(None),
            }
        }
        Ok(at)
    }

    /// Returns the page with this slug directly under `parent`.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn by_slug(
        &self,
        parent: Option<PageId>,
        slug: &str,
    ) -> Result<Option<PageId>, ObjectError> {
        let key = slug_key(parent.as_ref(), slug);
        self.objects.record_read(Facet::Slug(&key));
        let found = self.content.slugs.get(self.objects, &key)?;
        found.map(|id| PageId::from_bytes(&id).ok_or(ObjectError::Corrupt("a slug"))).transpose()
    }

    /// Returns the first page in reading order that is a visible document.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn first(&self) -> Result<Option<Child>, ObjectError> {
        self.walk()
            .visible()
            .find(|step| step.as_ref().map_or(true, is_visible_document))
            .transpose()
    }

    /// Returns the next page in reading order that is a visible document, at any depth.
    ///
    /// # Errors
    /// Returns an error if the page does not exist or an object cannot be read.
    pub fn next(&self, id: PageId) -> Result<Option<Child>, TreeError> {
        let mut rest = self.walk_after(id)?.visible();
        Ok(rest.find(|step| step.as_ref().map_or(true, is_visible_document)).transpose()?)
    }

    /// Returns the previous page in reading order that is a visible document.
    ///
    /// # Errors
    /// Returns an error if the page does not exist or an object cannot be read.
    pub fn previous(&self, id: PageId) -> Result<Option<Child>, TreeError> {
        let mut at = self.child(id)?;
        loop {
            let key = child_key(at.parent.as_ref(), &at.order, &at.id);
            let mut before = self.siblings_from(at.parent, key, Direction::Descending);
            let sibling = before.find(|one| one.as_ref().map_or(true, |child| !child.entry.hidden));
            at = match (sibling.transpose()?, at.parent) {
                (Some(sibling), _) => self.deepest(sibling)?,
                (None, Some(parent)) => self.child(parent)?,
                (None, None) => return Ok(None),
            };
            if is_visible_document(&at) {
                return Ok(Some(at));
            }
        }
    }

    /// Returns the last page in reading order among `child` and the visible pages below it.
    fn deepest(&self, mut child: Child) -> Result<Child, ObjectError> {
        while child.entry.has_children {
            let Some(last) = self.last_child(Some(child.id))? else {
                break;
            };
            if !last.entry.hidden {
                child = last;
                continue;
            }
            let key = child_key(last.parent.as_ref(), &last.order, &last.id);
            let mut before = self.siblings_from(last.parent, key, Direction::Descending);
            match before
                .find(|one| one.as_ref().map_or(true, |child| !child.entry.hidden))
                .transpose()?
            {
                Some(visible) => child = visible,
                None => break,
            }
        }
        Ok(child)
    }

    /// Returns a page as listed among its parent's children.
    ///
    /// # Errors
    /// Returns an error if the page does not exist or an object cannot be read.
    pub fn child(&self, id: PageId) -> Result<Child, TreeError> {
        let page = self.page(id)?;
        let key = child_key(page.parent.as_ref(), &page.order, &id);
        self.objects.record_read(Facet::Entry(id));
        let entry = self.content.children.get(self.objects, &key)?;
        let entry = entry.ok_or(ObjectError::Corrupt("a page tree"))?;
        let entry = NavigationEntry::decode(&entry)?;
        Ok(Child { id, parent: page.parent, order: page.order, entry })
    }
}

/// Iterator over the pages under one parent. Pages are read lazily.
pub struct Children<'a> {
    range: Range<'a>,
    parent: Option<PageId>,
    /// The source that records the read of each page; `None` if the caller does so.
    recorder: Option<&'a dyn Objects>,
}

impl std::fmt::Debug for Children<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Children").field("range", &self.range).finish_non_exhaustive()
    }
}

impl Children<'_> {
    /// Disables recording, for a caller that reads ahead and records each entry when it is used.
    pub(super) fn without_recording(mut self) -> Self {
        self.recorder = None;
        self
    }
}

impl Iterator for Children<'_> {
    type Item = Result<Child, ObjectError>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = |(key, value): (Bytes, Bytes)| {
            let (order, id) = parse_child_key(&key)?;
            if let Some(recorder) = self.recorder {
                recorder.record_read(Facet::Entry(id));
            }
            Ok(Child { id, parent: self.parent, order, entry: NavigationEntry::decode(&value)? })
        };
        self.range.next().map(|entry| entry.and_then(read))
    }
}
