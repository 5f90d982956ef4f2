//! Traversal of the tree in reading order, with little memory for trees of any depth or width.

use std::collections::VecDeque;

use bindery_model::PageId;
use bytes::Bytes;

use super::read::{Child, Tree};
use super::{TreeError, child_key};
use crate::map::Direction;
use crate::object::ObjectError;
use crate::record::NavigationKind;

/// The number of siblings that are read at a time.
const WINDOW: usize = 64;

/// Returns `true` for the pages that a reader reaches by paging: documents that are not hidden.
pub(super) fn is_visible_document(child: &Child) -> bool {
    matches!(child.entry.kind, NavigationKind::Document) && !child.entry.hidden
}

/// Iterator over pages in reading order. It ends after an error.
#[derive(Debug)]
pub struct Walk<'a> {
    tree: Tree<'a>,
    levels: Vec<Level>,
    visible: bool,
    /// The page returned last, if its children are still to be visited.
    enter: Option<PageId>,
    depth: usize,
}

/// The siblings of one level that are still to be visited.
#[derive(Debug)]
struct Level {
    parent: Option<PageId>,
    window: VecDeque<Child>,
    unread: Unread,
}

/// The siblings that are not in the window yet.
#[derive(Debug)]
enum Unread {
    All,
    After(Bytes),
    None,
}

impl<'a> Walk<'a> {
    pub(super) fn new(tree: Tree<'a>) -> Self {
        let mut walk = Self { tree, levels: Vec::new(), visible: false, enter: None, depth: 0 };
        walk.levels.push(Level::unread(None));
        walk
    }

    pub(super) fn after(tree: Tree<'a>, id: PageId) -> Result<Self, TreeError> {
        let mut walk = Self::new(tree);
        walk.levels.clear();
        for page in tree.ancestors(id)?.into_iter().map(|page| page.id).chain([id]) {
            let child = tree.child(page)?;
            walk.levels.push(Level {
                parent: child.parent,
                window: VecDeque::new(),
                unread: Unread::After(child_key(child.parent.as_ref(), &child.order, &child.id)),
            });
        }
        walk.depth = walk.levels.len().saturating_sub(1);
        walk.enter = Some(id);
        Ok(walk)
    }

    /// Omits hidden pages and all pages under them.
    #[must_use]
    pub fn visible(mut self) -> Self {
        self.visible = true;
        self
    }

    /// Returns the depth of the page returned last; 0 at the top level.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Omits the children of the page returned last.
    pub fn skip_children(&mut self) {
        self.enter = None;
    }

    fn step(&mut self) -> Result<Option<Child>, ObjectError> {
        if let Some(parent) = self.enter.take() {
            self.levels.push(Level::unread(Some(parent)));
        }
        while let Some(level) = self.levels.last_mut() {
            let Some(child) = level.next(&self.tree)? else {
                self.levels.pop();
                continue;
            };
            if self.visible && child.entry.hidden {
                continue;
            }
            self.enter = child.entry.has_children.then_some(child.id);
            self.depth = self.levels.len() - 1;
            return Ok(Some(child));
        }
        Ok(None)
    }
}

impl Level {
    const fn unread(parent: Option<PageId>) -> Self {
        Self { parent, window: VecDeque::new(), unread: Unread::All }
    }

    fn next(&mut self, tree: &Tree<'_>) -> Result<Option<Child>, ObjectError> {
        if self.window.is_empty() {
            let rest = match std::mem::replace(&mut self.unread, Unread::None) {
                Unread::All => tree.children(self.parent),
                Unread::After(key) => tree.siblings_from(self.parent, key, Direction::Ascending),
                Unread::None => return Ok(None),
            };
            self.window = rest.without_recording().take(WINDOW).collect::<Result<_, _>>()?;
            if let Some(last) = self.window.back().filter(|_| self.window.len() == WINDOW) {
                let key = child_key(last.parent.as_ref(), &last.order, &last.id);
                self.unread = Unread::After(key);
            }
        }
        let child = self.window.pop_front();
        if let Some(child) = &child {
            tree.record_read(child);
        }
        Ok(child)
    }
}

impl Iterator for Walk<'_> {
    type Item = Result<Child, ObjectError>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = self.step();
        if result.is_err() {
            self.levels.clear();
            self.enter = None;
        }
        result.transpose()
    }
}
