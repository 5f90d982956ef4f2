//! The page tree of a revision as the source of a page's navigation.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use bindery_app::content::{broken_object, broken_tree};
use bindery_content::html::safe_url;
use bindery_model::{Error, PageId, Result};
use bindery_revision::tree::{Child, Tree, TreeError};
use bindery_revision::{Content, ContentRef, Facet, NavigationKind, Objects, PageRecord};

use super::kept::Traced;
use crate::urls;
use crate::view::NavKind;
use crate::view::navigation::{Step, TreeEntry, TreeSource};

/// Neighbours that nobody is shown and that are passed over on the way to the next one.
const PASSED: usize = 200;

/// From a page to its neighbour in reading order.
type Neighbour<'a> = fn(&Tree<'a>, PageId) -> std::result::Result<Option<Child>, TreeError>;

/// Whether readers come by it: a page that is not hidden. One with a condition is shown to nobody
/// until conditions are evaluated here.
pub(super) fn shown(child: &Child) -> bool {
    matches!(child.entry.kind, NavigationKind::Document)
        && !child.entry.hidden
        && child.entry.condition.is_none()
}

/// A revision's tree with the addresses of one site.
pub(super) struct SpaceTree<'a> {
    pub(super) tree: Tree<'a>,
    objects: &'a Traced<'a>,
    /// The path that the space's addresses begin with.
    pub(super) base: String,
    /// The page at the space's root.
    pub(super) first: Option<PageId>,
    /// Paths of parents that were asked for.
    paths: RefCell<HashMap<PageId, String>>,
}

impl<'a> SpaceTree<'a> {
    pub(super) fn new(
        content: &'a Content,
        objects: &'a Traced<'a>,
        base: String,
        first: Option<PageId>,
    ) -> Self {
        let tree = Tree::new(content, objects);
        Self { tree, objects, base, first, paths: RefCell::default() }
    }

    /// The path of a page below the space's base; the first page's is empty.
    pub(super) fn path(&self, id: PageId) -> Result<String> {
        if self.first == Some(id) {
            self.objects.looked_at(Facet::Page(id));
            return Ok(String::new());
        }
        self.full_path(id)
    }

    fn full_path(&self, id: PageId) -> Result<String> {
        if let Some(path) = self.paths.borrow().get(&id) {
            return Ok(path.clone());
        }
        let path = self.tree.path(id).map_err(broken_tree)?;
        self.paths.borrow_mut().insert(id, path.clone());
        Ok(path)
    }

    /// The address of a page.
    pub(super) fn href(&self, id: PageId) -> Result<String> {
        Ok(urls::href(&self.base, &self.path(id)?))
    }

    /// The address of a child whose parent's path is known.
    fn href_of_child(&self, child: &Child) -> Result<String> {
        if self.first == Some(child.id) {
            return Ok(self.base.clone());
        }
        let path = match child.parent {
            None => child.entry.slug.clone(),
            Some(parent) => format!("{}/{}", self.full_path(parent)?, child.entry.slug),
        };
        Ok(urls::href(&self.base, &path))
    }

    /// The address that a link in the tree leads to.
    pub(super) fn target(&self, target: &ContentRef) -> Result<Option<String>> {
        Ok(match target {
            // A table of contents may name any address, and one that runs a script is among them.
            ContentRef::Url(url) => safe_url(url).map(str::to_owned),
            ContentRef::Page { page, space: None } => self.href(*page).ok(),
            ContentRef::Anchor { page: Some(page), space: None, anchor } => {
                self.href(*page).ok().map(|href| format!("{href}#{anchor}"))
            }
            _ => None,
        })
    }

    /// The first page below a group, by which the group is reached.
    pub(super) fn first_below(&self, group: PageId) -> Result<Option<String>> {
        let mut at = group;
        // Groups in groups are few; a damaged tree must not hold us.
        for _ in 0..16 {
            let children = self.tree.children(Some(at));
            let shown = children
                .filter(|child| {
                    child.as_ref().map_or(true, |child| {
                        !child.entry.hidden && child.entry.condition.is_none()
                    })
                })
                .find(|child| {
                    child.as_ref().map_or(true, |child| {
                        matches!(child.entry.kind, NavigationKind::Document | NavigationKind::Group)
                    })
                });
            match shown.transpose().map_err(broken_object)? {
                None => return Ok(None),
                Some(child) if child.entry.kind == NavigationKind::Group => at = child.id,
                Some(child) => return self.href_of_child(&child).map(Some),
            }
        }
        Ok(None)
    }

    /// The page that is read after this one.
    pub(super) fn next(&self, id: PageId) -> Result<Option<Child>> {
        self.beside(id, Tree::next)
    }

    /// The page that is read before this one.
    pub(super) fn previous(&self, id: PageId) -> Result<Option<Child>> {
        self.beside(id, Tree::previous)
    }

    fn beside(&self, id: PageId, step: Neighbour<'a>) -> Result<Option<Child>> {
        let mut at = id;
        for _ in 0..PASSED {
            match step(&self.tree, at).map_err(broken_tree)? {
                Some(child) if !shown(&child) => at = child.id,
                found => return Ok(found),
            }
        }
        Ok(None)
    }

    /// The way from the top to a page.
    pub(super) fn steps(
        &self,
        ancestors: &[PageRecord],
        page: &PageRecord,
    ) -> Result<Vec<Step<PageId>>> {
        ancestors
            .iter()
            .chain([page])
            .map(|record| {
                let position = self.tree.position(record).map_err(broken_object)?;
                let position = usize::try_from(position).unwrap_or(usize::MAX);
                Ok(Step { id: record.id, position })
            })
            .collect()
    }

    fn entry(&self, child: Child) -> Result<TreeEntry<PageId>> {
        let (kind, href) = match &child.entry.kind {
            NavigationKind::Document | NavigationKind::Computed => {
                (NavKind::Page, Some(self.href_of_child(&child)?))
            }
            NavigationKind::Group => (NavKind::Group, self.first_below(child.id)?),
            NavigationKind::Link(target) => (NavKind::Link, self.target(target)?),
        };
        // A page with a condition is shown to nobody until conditions are evaluated here. Where it
        // is on the way to a page it stands there as a heading.
        let conditional = child.entry.condition.is_some();
        let (kind, href) = if conditional { (NavKind::Group, None) } else { (kind, href) };
        let hidden = child.entry.hidden || conditional;
        Ok(TreeEntry {
            id: child.id,
            kind,
            title: child.entry.label().to_owned(),
            href,
            emoji: child.entry.emoji,
            icon: child.entry.icon,
            parent: child.entry.has_children,
            hidden,
        })
    }
}

impl TreeSource for SpaceTree<'_> {
    type Id = PageId;
    type Error = Error;

    fn size(&self) -> usize {
        usize::try_from(self.tree.len()).unwrap_or(usize::MAX)
    }

    fn count(&self, parent: Option<&PageId>) -> Result<usize> {
        let count = self.tree.count_children(parent.copied()).map_err(broken_object)?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    fn children(
        &self,
        parent: Option<&PageId>,
        range: Range<usize>,
    ) -> Result<Vec<TreeEntry<PageId>>> {
        self.tree
            .children_from(parent.copied(), range.start as u64)
            .map_err(broken_object)?
            .take(range.len())
            .map(|child| self.entry(child.map_err(broken_object)?))
            .collect()
    }
}
