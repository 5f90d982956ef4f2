//! The page tree as one page shows it: a small tree completely, a large one only along the path to
//! the page and around it.

use std::cell::Cell;
use std::ops::Range;

use bindery_revision::PageOperation;

/// Maximum number of entries that a large tree shows below groups that lead to no page, such as
/// groups of links. Other groups are links to their first page there.
const MAX_ENTRIES_OF_GROUPS: usize = 200;

/// The kind of a navigation entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NavKind {
    /// A page.
    #[default]
    Page,
    /// A heading over pages without a page of its own. Its `href`, if any, is that of its first
    /// page, which is used when its children are left out.
    Group,
    /// A link to another address.
    Link,
    /// Stands for the siblings before the shown ones. `title` is their number.
    Earlier,
    /// Stands for the siblings after the shown ones. `title` is their number.
    Later,
}

/// An entry of the navigation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NavNode {
    /// The kind of the entry.
    pub kind: NavKind,
    /// The displayed text.
    pub title: String,
    /// The target address.
    pub href: Option<String>,
    /// The emoji.
    pub emoji: Option<String>,
    /// The icon's name.
    pub icon: Option<String>,
    /// The operation of an API that the page is about.
    pub operation: Option<PageOperation>,
    /// `true` if the entry is the current page.
    pub current: bool,
    /// `true` if the children are visible without a click.
    pub open: bool,
    /// `true` if the entry has children, whether they are shown here or not.
    pub parent: bool,
    /// The children that this page shows.
    pub children: Vec<NavNode>,
}

/// An entry of a [`TreeSource`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeEntry<Id> {
    /// The entry's id in the tree.
    pub id: Id,
    /// The kind: page, group or link.
    pub kind: NavKind,
    /// The displayed text.
    pub title: String,
    /// The target address. The address of a group is that of its first page.
    pub href: Option<String>,
    /// The emoji.
    pub emoji: Option<String>,
    /// The icon's name.
    pub icon: Option<String>,
    /// The operation of an API that the page is about.
    pub operation: Option<PageOperation>,
    /// `true` if the entry has children.
    pub parent: bool,
    /// `true` if the entry is hidden, except on its own page and those below it.
    pub hidden: bool,
}

/// A source of navigation entries.
pub trait TreeSource {
    /// The id of an entry.
    type Id: Clone + PartialEq;
    /// The error of a failed read.
    type Error;

    /// Returns the number of all entries, which decides whether the whole tree is shown.
    fn size(&self) -> usize;

    /// Returns the number of children of an entry, or of the top level.
    ///
    /// # Errors
    /// Returns an error if the tree cannot be read.
    fn count(&self, parent: Option<&Self::Id>) -> Result<usize, Self::Error>;

    /// Returns the children of an entry at these positions.
    ///
    /// # Errors
    /// Returns an error if the tree cannot be read.
    fn children(
        &self,
        parent: Option<&Self::Id>,
        range: Range<usize>,
    ) -> Result<Vec<TreeEntry<Self::Id>>, Self::Error>;
}

/// One step of the path from the top of the tree to a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step<Id> {
    /// The entry's id.
    pub id: Id,
    /// The entry's position among its siblings, counted from 0.
    pub position: usize,
}

/// Limits of the part of a tree that one page shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Maximum number of entries of a tree that is shown completely.
    pub whole: usize,
    /// Maximum number of entries of a tree whose top-level groups are initially open.
    pub open: usize,
    /// Maximum number of shown siblings in a tree that is not shown completely.
    pub window: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { whole: 250, open: 80, window: 50 }
    }
}

impl Limits {
    /// Returns the extent to which a tree with `size` entries is shown.
    pub fn extent(&self, size: usize) -> Extent {
        Extent { whole: size <= self.whole, groups_open: size <= self.open }
    }
}

/// The extent to which pages show a tree, derived from the tree's size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    whole: bool,
    groups_open: bool,
}

/// Returns the navigation of the page at the end of `path`. An empty path stands for a page that
/// does not exist.
///
/// # Errors
/// Returns an error if the tree cannot be read.
pub fn navigation<T: TreeSource>(
    tree: &T,
    path: &[Step<T::Id>],
    limits: &Limits,
) -> Result<Vec<NavNode>, T::Error> {
    let Extent { whole, groups_open } = limits.extent(tree.size());
    let planner = Planner {
        tree,
        whole,
        groups_open,
        window: limits.window.max(3),
        entries_of_groups: Cell::new(MAX_ENTRIES_OF_GROUPS),
    };
    planner.level(None, path, true)
}

struct Planner<'t, T> {
    tree: &'t T,
    whole: bool,
    groups_open: bool,
    window: usize,
    /// Number of entries that can still be shown below groups that lead to no page.
    entries_of_groups: Cell<usize>,
}

impl<T: TreeSource> Planner<'_, T> {
    /// Returns the shown children of `parent`. `path` is the remaining path to the page if it leads
    /// through `parent`, otherwise empty.
    fn level(
        &self,
        parent: Option<&T::Id>,
        path: &[Step<T::Id>],
        top: bool,
    ) -> Result<Vec<NavNode>, T::Error> {
        let count = self.tree.count(parent)?;
        let here = path.first();
        let range = self.range(count, here.map(|step| step.position));
        let mut nodes = Vec::with_capacity(range.len() + 2);
        if range.start > 0 {
            nodes.push(self.siblings_link(
                parent,
                range.start - 1,
                range.start,
                NavKind::Earlier,
            )?);
        }
        for entry in self.tree.children(parent, range.clone())? {
            let remaining = here.filter(|step| step.id == entry.id).and(path.get(1..));
            if !entry.hidden || remaining.is_some() {
                nodes.push(self.node(entry, remaining, top)?);
            }
        }
        if range.end < count {
            nodes.push(self.siblings_link(parent, range.end, count - range.end, NavKind::Later)?);
        }
        Ok(nodes)
    }

    /// Returns one entry with its shown children. `remaining` is the remaining path to the page if
    /// it leads through the entry.
    fn node(
        &self,
        entry: TreeEntry<T::Id>,
        remaining: Option<&[Step<T::Id>]>,
        top: bool,
    ) -> Result<NavNode, T::Error> {
        let TreeEntry { id, kind, title, href, emoji, icon, operation, parent, hidden: _ } = entry;
        let on_path = remaining.is_some();
        let heading = top && kind == NavKind::Group && self.groups_open;
        let leads_nowhere = kind == NavKind::Group && href.is_none();
        let is_shown = self.whole || on_path || (leads_nowhere && self.fits(&id)?);
        let children = if parent && is_shown {
            self.level(Some(&id), remaining.unwrap_or_default(), false)?
        } else {
            Vec::new()
        };
        Ok(NavNode {
            kind,
            title,
            href,
            emoji,
            icon,
            operation,
            current: remaining.is_some_and(<[_]>::is_empty),
            open: on_path || heading,
            parent: parent && (!self.whole || !children.is_empty()),
            children,
        })
    }

    /// Returns `true` if the children of a group that leads to no page can be shown too.
    fn fits(&self, group: &T::Id) -> Result<bool, T::Error> {
        let count = self.tree.count(Some(group))?.min(self.window);
        let left = self.entries_of_groups.get().checked_sub(count);
        self.entries_of_groups.set(left.unwrap_or(0));
        Ok(left.is_some())
    }

    /// Returns the positions to show: all, or a window around the path to the page.
    fn range(&self, count: usize, position: Option<usize>) -> Range<usize> {
        if self.whole || count <= self.window {
            return 0..count;
        }
        let before = position.unwrap_or(0).saturating_sub(self.window / 2);
        let start = before.min(count - self.window);
        // Leaving out a single entry would save no space, as its placeholder takes as much.
        let start = if start == 1 { 0 } else { start };
        let end = start + self.window;
        start..if end + 1 >= count { count } else { end }
    }

    /// Returns the entry that stands for the siblings on one side, a link to the nearest of them.
    fn siblings_link(
        &self,
        parent: Option<&T::Id>,
        nearest: usize,
        count: usize,
        kind: NavKind,
    ) -> Result<NavNode, T::Error> {
        let nearest = self.tree.children(parent, nearest..nearest + 1)?;
        let href = nearest.into_iter().next().and_then(|entry| entry.href);
        Ok(NavNode { kind, title: count.to_string(), href, ..NavNode::default() })
    }
}
