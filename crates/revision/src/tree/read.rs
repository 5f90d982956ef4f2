//! Reading the tree: windows of children, paths, ancestors and neighbours.

use bindery_model::{Id, PageId};
use bytes::Bytes;

use super::walk::{Walk, reads};
use super::{TreeError, child_key, parent_prefix, parse_child_key, slug_key};
use crate::content::Content;
use crate::facet::Facet;
use crate::map::{Direction, Range};
use crate::object::{ObjectError, Objects};
use crate::order::OrderKey;
use crate::record::{NavigationEntry, PageRecord, Record};

/// A page's place among its siblings and what navigation shows of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Child {
    /// The page.
    pub id: PageId,
    /// Its parent.
    pub parent: Option<PageId>,
    /// Its place among its siblings.
    pub order: OrderKey,
    /// What navigation shows.
    pub entry: NavigationEntry,
}

/// The tree of a content, for reading.
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
    /// The tree of `content`, whose objects are in `objects`.
    pub const fn new(content: &'a Content, objects: &'a dyn Objects) -> Self {
        Self { content, objects }
    }

    /// How many pages there are, of all kinds.
    pub const fn len(&self) -> u64 {
        self.content.pages.len()
    }

    /// Whether there is no page.
    pub const fn is_empty(&self) -> bool {
        self.content.pages.is_empty()
    }

    /// A page that must be there.
    ///
    /// # Errors
    /// When it is not, or an object cannot be read.
    pub fn page(&self, id: PageId) -> Result<PageRecord, TreeError> {
        self.content.page(self.objects, id)?.ok_or(TreeError::NotFound(id))
    }

    /// How many pages stand directly under `parent`.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn count_children(&self, parent: Option<PageId>) -> Result<u64, ObjectError> {
        self.objects.looked_at(Facet::Children(parent));
        self.content.children.count_prefix(self.objects, parent_prefix(parent.as_ref()))
    }

    /// All pages directly under `parent`, in order, read as the iterator goes.
    pub fn children(&self, parent: Option<PageId>) -> Children<'a> {
        let range = self.content.children.prefix(self.objects, parent_prefix(parent.as_ref()));
        self.listed(range, parent)
    }

    /// The pages directly under `parent` from the one that `offset` others come before.
    ///
    /// # Errors
    /// When an object cannot be read.
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

    /// The siblings on one side of a page, nearest first.
    pub fn siblings(&self, page: &PageRecord, direction: Direction) -> Children<'a> {
        let key = child_key(page.parent.as_ref(), &page.order, &page.id);
        self.beside(page.parent, key, direction)
    }

    /// The children of `parent` on one side of a key of theirs, nearest first.
    pub(crate) fn beside(
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
        self.objects.looked_at(Facet::Children(parent));
        Children { range, parent, told: Some(self.objects) }
    }

    /// An entry that was read ahead is looked at now.
    pub(super) fn looked_at(&self, child: &Child) {
        self.objects.looked_at(Facet::Entry(child.id));
    }

    /// The last page directly under `parent`.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn last_child(&self, parent: Option<PageId>) -> Result<Option<Child>, ObjectError> {
        // Larger than every order key, which holds no digit beyond the largest in its head.
        let mut bound = parent_prefix(parent.as_ref()).to_vec();
        bound.extend([u8::MAX; 2 * Id::LEN]);
        self.beside(parent, bound.into(), Direction::Descending).next().transpose()
    }

    /// How many siblings come before a page.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn position(&self, page: &PageRecord) -> Result<u64, ObjectError> {
        let key = child_key(page.parent.as_ref(), &page.order, &page.id);
        self.objects.looked_at(Facet::Children(page.parent));
        let children = &self.content.children;
        let first = children.rank(self.objects, parent_prefix(page.parent.as_ref()))?;
        Ok(children.rank(self.objects, &key)? - first)
    }

    /// Every page in reading order, parents before their children, with its depth.
    pub fn walk(&self) -> Walk<'a> {
        Walk::new(*self)
    }

    /// Like [`Tree::walk`], from the page behind this one on.
    ///
    /// # Errors
    /// When the page is not there, or an object cannot be read.
    pub fn walk_after(&self, id: PageId) -> Result<Walk<'a>, TreeError> {
        Walk::after(*self, id)
    }

    /// The pages above a page, the outermost first.
    ///
    /// # Errors
    /// When the page is not there, or an object cannot be read.
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

    /// The path of a page: the slugs of its ancestors, groups included, and its own.
    ///
    /// # Errors
    /// When the page is not there, or an object cannot be read.
    pub fn path(&self, id: PageId) -> Result<String, TreeError> {
        let mut slugs: Vec<String> =
            self.ancestors(id)?.into_iter().map(|record| record.slug).collect();
        slugs.push(self.page(id)?.slug);
        Ok(slugs.join("/"))
    }

    /// The page at a path; slashes at its ends do not count, and the empty path is the first page.
    ///
    /// # Errors
    /// When an object cannot be read.
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

    /// The page of this slug directly under `parent`.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn by_slug(
        &self,
        parent: Option<PageId>,
        slug: &str,
    ) -> Result<Option<PageId>, ObjectError> {
        let key = slug_key(parent.as_ref(), slug);
        self.objects.looked_at(Facet::Slug(&key));
        let found = self.content.slugs.get(self.objects, &key)?;
        found.map(|id| PageId::from_bytes(&id).ok_or(ObjectError::Corrupt("a slug"))).transpose()
    }

    /// The first page that a reader can read.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn first(&self) -> Result<Option<Child>, ObjectError> {
        self.walk().visible().find(|step| step.as_ref().map_or(true, reads)).transpose()
    }

    /// The page that a reader reads after this one: documents that are not hidden, whatever their
    /// depth.
    ///
    /// # Errors
    /// When the page is not there, or an object cannot be read.
    pub fn next(&self, id: PageId) -> Result<Option<Child>, TreeError> {
        let mut rest = self.walk_after(id)?.visible();
        Ok(rest.find(|step| step.as_ref().map_or(true, reads)).transpose()?)
    }

    /// The page that a reader reads before this one.
    ///
    /// # Errors
    /// When the page is not there, or an object cannot be read.
    pub fn previous(&self, id: PageId) -> Result<Option<Child>, TreeError> {
        let mut at = self.place(id)?;
        loop {
            let key = child_key(at.parent.as_ref(), &at.order, &at.id);
            let mut before = self.beside(at.parent, key, Direction::Descending);
            let sibling = before.find(|one| one.as_ref().map_or(true, |child| !child.entry.hidden));
            at = match (sibling.transpose()?, at.parent) {
                (Some(sibling), _) => self.deepest(sibling)?,
                (None, Some(parent)) => self.place(parent)?,
                (None, None) => return Ok(None),
            };
            if reads(&at) {
                return Ok(Some(at));
            }
        }
    }

    /// The last page in reading order of those at and below `child`, without hidden ones.
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
            let mut before = self.beside(last.parent, key, Direction::Descending);
            match before
                .find(|one| one.as_ref().map_or(true, |child| !child.entry.hidden))
                .transpose()?
            {
                Some(shown) => child = shown,
                None => break,
            }
        }
        Ok(child)
    }

    /// A page as its parent's children list it.
    ///
    /// # Errors
    /// When the page is not there, or an object cannot be read.
    pub fn place(&self, id: PageId) -> Result<Child, TreeError> {
        let page = self.page(id)?;
        let key = child_key(page.parent.as_ref(), &page.order, &id);
        self.objects.looked_at(Facet::Entry(id));
        let entry = self.content.children.get(self.objects, &key)?;
        let entry = entry.ok_or(ObjectError::Corrupt("a page tree"))?;
        let entry = NavigationEntry::decode(&entry)?;
        Ok(Child { id, parent: page.parent, order: page.order, entry })
    }
}

/// Pages under one parent, read as the iterator goes.
pub struct Children<'a> {
    range: Range<'a>,
    parent: Option<PageId>,
    /// Who is told of each page that is read.
    told: Option<&'a dyn Objects>,
}

impl std::fmt::Debug for Children<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Children").field("range", &self.range).finish_non_exhaustive()
    }
}

impl Children<'_> {
    /// Reads ahead: who takes an entry tells of it.
    pub(super) fn ahead(mut self) -> Self {
        self.told = None;
        self
    }
}

impl Iterator for Children<'_> {
    type Item = Result<Child, ObjectError>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = |(key, value): (Bytes, Bytes)| {
            let (order, id) = parse_child_key(&key)?;
            if let Some(told) = self.told {
                told.looked_at(Facet::Entry(id));
            }
            Ok(Child { id, parent: self.parent, order, entry: NavigationEntry::decode(&value)? })
        };
        self.range.next().map(|entry| entry.and_then(read))
    }
}
