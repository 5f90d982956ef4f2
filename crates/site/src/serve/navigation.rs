//! Reads the page tree of a revision as the source of a page's navigation.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use bindery_app::content::openapi::PUBLIC_PATH;
use bindery_app::content::snapshot::{broken_object, broken_tree};
use bindery_app::publishing::adaptive::Answers;
use bindery_content::html::safe_url;
use bindery_model::{Error, PageId, Result};
use bindery_revision::tree::{Child, Tree, TreeError};
use bindery_revision::{
    Content, ContentRef, Facet, NavigationKind, Objects, PageRecord, Variables,
};

use super::page::emoji;
use super::validity::ReadTracker;
use crate::urls;
use crate::view::NavKind;
use crate::view::navigation::{Step, TreeEntry, TreeSource};

/// Maximum number of hidden neighbours that are skipped to find the next visible page.
const MAX_SKIPPED: usize = 200;

/// A function that steps from a page to its neighbour in reading order.
type Neighbour<'a> = fn(&Tree<'a>, PageId) -> std::result::Result<Option<Child>, TreeError>;

/// Returns `true` if readers can reach the entry as a page, provided that its condition holds.
pub(super) fn is_page(child: &Child) -> bool {
    matches!(child.entry.kind, NavigationKind::Document) && !child.entry.hidden
}

/// Returns `true` if the page's own condition holds for the visitor.
fn condition_holds(
    tree: &Tree<'_>,
    variables: &Variables,
    answers: &Answers,
    child: &Child,
) -> Result<bool> {
    let Some(condition) = &child.entry.condition else { return Ok(true) };
    answers.holds(condition, variables, || Ok(tree.page(child.id).map_err(broken_tree)?.variables))
}

/// Iterates over the entries that readers see, in reading order. Skips hidden pages and pages whose
/// condition does not hold, each with its subpages. Ends after an error.
pub(super) fn entries<'t>(
    tree: &Tree<'t>,
    variables: &Variables,
    answers: &Answers,
) -> impl Iterator<Item = Result<Child>> {
    let mut walk = tree.walk().visible();
    std::iter::from_fn(move || {
        loop {
            let child = match walk.next()? {
                Ok(child) => child,
                Err(error) => return Some(Err(broken_object(error))),
            };
            match condition_holds(tree, variables, answers, &child) {
                Ok(true) => return Some(Ok(child)),
                Ok(false) => walk.skip_children(),
                Err(error) => return Some(Err(error)),
            }
        }
    })
}

/// Returns the page at the root of a space: the first one that the visitor sees.
pub(super) fn first_page(
    tree: &Tree<'_>,
    variables: &Variables,
    answers: &Answers,
) -> Result<Option<PageId>> {
    let mut entries = entries(tree, variables, answers);
    let first = entries.find(|child| child.as_ref().map_or(true, is_page));
    Ok(first.transpose()?.map(|child| child.id))
}

/// A revision's tree with the addresses of one site.
pub(super) struct SpaceTree<'a> {
    pub(super) tree: Tree<'a>,
    objects: &'a ReadTracker<'a>,
    /// The path with which the space's addresses begin.
    pub(super) base: String,
    /// The page at the space's root.
    pub(super) first_page: Option<PageId>,
    /// The space's variables, which conditions of pages read.
    variables: &'a Variables,
    /// The visitor who reads.
    answers: &'a Answers,
    /// Cached paths of parent pages.
    paths: RefCell<HashMap<PageId, String>>,
    /// Cached results of [`Self::is_present`].
    present: RefCell<HashMap<PageId, bool>>,
}

impl<'a> SpaceTree<'a> {
    pub(super) fn new(
        content: &'a Content,
        objects: &'a ReadTracker<'a>,
        base: String,
        first_page: Option<PageId>,
        answers: &'a Answers,
    ) -> Self {
        let tree = Tree::new(content, objects);
        Self {
            tree,
            objects,
            base,
            first_page,
            variables: &content.variables,
            answers,
            paths: RefCell::default(),
            present: RefCell::default(),
        }
    }

    /// Returns `true` if the page's own condition holds for the visitor.
    fn holds(&self, child: &Child) -> Result<bool> {
        condition_holds(&self.tree, self.variables, self.answers, child)
    }

    /// Returns `true` if the page's condition and those of all its ancestors hold. An absent page
    /// is neither listed nor served, as if it did not exist.
    pub(super) fn is_present(&self, id: PageId) -> Result<bool> {
        let mut above = Vec::new();
        let mut next = Some(id);
        let mut present = true;
        while let Some(page) = next {
            if let Some(known) = self.present.borrow().get(&page) {
                present = *known;
                break;
            }
            let child = self.tree.child(page).map_err(broken_tree)?;
            next = child.parent;
            above.push(child);
        }
        for child in above.iter().rev() {
            present = present && self.holds(child)?;
            self.present.borrow_mut().insert(child.id, present);
        }
        Ok(present)
    }

    /// Iterates over the entries that readers see, in reading order.
    pub(super) fn entries(&self) -> impl Iterator<Item = Result<Child>> {
        entries(&self.tree, self.variables, self.answers)
    }

    /// Returns the path of a page below the space's base. The path of the first page is empty.
    pub(super) fn path(&self, id: PageId) -> Result<String> {
        if self.first_page == Some(id) {
            self.objects.record_read(Facet::Page(id));
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

    /// Returns the address of a page.
    pub(super) fn href(&self, id: PageId) -> Result<String> {
        Ok(urls::href(&self.base, &self.path(id)?))
    }

    /// Returns the address of a page if the page is present.
    pub(super) fn href_of_present(&self, id: PageId) -> Option<String> {
        self.is_present(id).ok().filter(|present| *present)?;
        self.href(id).ok()
    }

    /// Returns the address of a page if the page is present, and neither the page nor a page above it
    /// is hidden.
    pub(super) fn href_of_listed(&self, id: PageId) -> Option<String> {
        let mut next = Some(id);
        while let Some(page) = next {
            let child = self.tree.child(page).ok().filter(|child| !child.entry.hidden)?;
            next = child.parent;
        }
        self.href_of_present(id)
    }

    /// Returns the address of a child. Looks the parent's path up in the cache.
    fn href_of_child(&self, child: &Child) -> Result<String> {
        Ok(urls::href(&self.base, &self.path_of_child(child)?))
    }

    /// Returns the path of a child below the space's base. Looks the parent's path up in the cache.
    pub(super) fn path_of_child(&self, child: &Child) -> Result<String> {
        if self.first_page == Some(child.id) {
            return Ok(String::new());
        }
        let path = match child.parent {
            None => child.entry.slug.clone(),
            Some(parent) => format!("{}/{}", self.full_path(parent)?, child.entry.slug),
        };
        // The paths of its children begin with it. The entries that it depends on were just listed.
        if child.entry.has_children {
            self.paths.borrow_mut().insert(child.id, path.clone());
        }
        Ok(path)
    }

    /// Returns the address that a link in the tree leads to.
    pub(super) fn target(&self, target: &ContentRef) -> Result<Option<String>> {
        Ok(match target {
            // A table of contents may name any address, including one that runs a script.
            ContentRef::Url(url) if url.starts_with(PUBLIC_PATH) => Some(url.clone()),
            ContentRef::Url(url) => safe_url(url).map(str::to_owned),
            ContentRef::Page { page, space: None } => self.href_of_present(*page),
            ContentRef::Anchor { page: Some(page), space: None, anchor } => {
                self.href_of_present(*page).map(|href| format!("{href}#{anchor}"))
            }
            _ => None,
        })
    }

    /// Returns the address of the first page below a group, which is used as the group's own
    /// address.
    pub(super) fn first_below(&self, group: PageId) -> Result<Option<String>> {
        let mut at = group;
        // Groups are rarely nested. The limit prevents an endless loop in a damaged tree.
        for _ in 0..16 {
            let mut children = self.tree.children(Some(at));
            let shown = loop {
                let Some(child) = children.next().transpose().map_err(broken_object)? else {
                    break None;
                };
                let is_reachable =
                    matches!(child.entry.kind, NavigationKind::Document | NavigationKind::Group);
                if is_reachable && !child.entry.hidden && self.holds(&child)? {
                    break Some(child);
                }
            };
            match shown {
                None => return Ok(None),
                Some(child) if child.entry.kind == NavigationKind::Group => at = child.id,
                Some(child) => return self.href_of_child(&child).map(Some),
            }
        }
        Ok(None)
    }

    /// Returns the next page in reading order.
    pub(super) fn next(&self, id: PageId) -> Result<Option<Child>> {
        self.visible_neighbour(id, Tree::next)
    }

    /// Returns the previous page in reading order.
    pub(super) fn previous(&self, id: PageId) -> Result<Option<Child>> {
        self.visible_neighbour(id, Tree::previous)
    }

    fn visible_neighbour(&self, id: PageId, step: Neighbour<'a>) -> Result<Option<Child>> {
        let mut at = id;
        for _ in 0..MAX_SKIPPED {
            match step(&self.tree, at).map_err(broken_tree)? {
                Some(child) if !is_page(&child) || !self.is_present(child.id)? => at = child.id,
                found => return Ok(found),
            }
        }
        Ok(None)
    }

    /// Returns the path from the top of the tree to a page.
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
        let hidden = child.entry.hidden || !self.holds(&child)?;
        Ok(TreeEntry {
            id: child.id,
            kind,
            title: child.entry.label().to_owned(),
            href,
            emoji: child.entry.emoji.as_deref().and_then(emoji),
            icon: child.entry.icon,
            operation: child.entry.operation,
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
