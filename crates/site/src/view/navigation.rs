//! The tree of pages as one page shows it: whole where it is small, and where it is large only
//! the way to the page and what surrounds it.

use std::ops::Range;

/// What an entry of the navigation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NavKind {
    /// A page.
    #[default]
    Page,
    /// A heading over pages, without a page of its own. Its `href`, if any, is that of its first
    /// page, for where its children are left out.
    Group,
    /// A link to elsewhere.
    Link,
    /// Siblings before the ones shown: `title` is their number.
    Earlier,
    /// Siblings after the ones shown: `title` is their number.
    Later,
}

/// An entry of the navigation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NavNode {
    /// What it is.
    pub kind: NavKind,
    /// The text.
    pub title: String,
    /// Where to.
    pub href: Option<String>,
    /// Its emoji.
    pub emoji: Option<String>,
    /// The name of its icon.
    pub icon: Option<String>,
    /// It is the page itself.
    pub current: bool,
    /// Its children are visible without a click.
    pub open: bool,
    /// It has children, shown here or not.
    pub parent: bool,
    /// The children that this page shows.
    pub children: Vec<NavNode>,
}

/// An entry as a tree gives it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeEntry<Id> {
    /// What the tree knows it by.
    pub id: Id,
    /// Page, group or link.
    pub kind: NavKind,
    /// The text.
    pub title: String,
    /// Where to. A group's is that of its first page.
    pub href: Option<String>,
    /// Its emoji.
    pub emoji: Option<String>,
    /// The name of its icon.
    pub icon: Option<String>,
    /// Whether it has children.
    pub parent: bool,
    /// Not to be shown, but for the page itself and its ancestors.
    pub hidden: bool,
}

/// Where the tree comes from.
pub trait TreeSource {
    /// What an entry is known by.
    type Id: Clone + PartialEq;
    /// Why reading failed.
    type Error;

    /// The number of all entries, as far as it decides whether the tree is small.
    fn size(&self) -> usize;

    /// The number of children of an entry, or of the top.
    ///
    /// # Errors
    /// When the tree cannot be read.
    fn count(&self, parent: Option<&Self::Id>) -> Result<usize, Self::Error>;

    /// Children by their position.
    ///
    /// # Errors
    /// When the tree cannot be read.
    fn children(
        &self,
        parent: Option<&Self::Id>,
        range: Range<usize>,
    ) -> Result<Vec<TreeEntry<Self::Id>>, Self::Error>;
}

/// One step from the top to the page: an entry and its position among its siblings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step<Id> {
    /// The entry.
    pub id: Id,
    /// Its position, from 0.
    pub position: usize,
}

/// How much of a tree one page shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// A tree of at most so many entries is shown whole.
    pub whole: usize,
    /// Top-level groups of a tree of at most so many entries start open.
    pub open: usize,
    /// Of a longer list of siblings only so many are shown.
    pub window: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { whole: 250, open: 80, window: 50 }
    }
}

impl Limits {
    /// How much is shown of a tree of so many entries.
    pub fn extent(&self, size: usize) -> Extent {
        Extent { whole: size <= self.whole, groups_open: size <= self.open }
    }
}

/// How much of a tree its pages show, by its size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    whole: bool,
    groups_open: bool,
}

/// The navigation for the page at the end of `path`; an empty path is no page (not found).
///
/// # Errors
/// When the tree cannot be read.
pub fn navigation<T: TreeSource>(
    tree: &T,
    path: &[Step<T::Id>],
    limits: &Limits,
) -> Result<Vec<NavNode>, T::Error> {
    let Extent { whole, groups_open } = limits.extent(tree.size());
    let planner = Planner { tree, whole, groups_open, window: limits.window.max(3) };
    planner.level(None, path, true)
}

struct Planner<'t, T> {
    tree: &'t T,
    whole: bool,
    groups_open: bool,
    window: usize,
}

impl<T: TreeSource> Planner<'_, T> {
    /// The children of `parent`; `path` is what is left of the way to the page, if it leads here.
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
            nodes.push(self.rest(parent, range.start - 1, range.start, NavKind::Earlier)?);
        }
        for entry in self.tree.children(parent, range.clone())? {
            let way = here.filter(|step| step.id == entry.id).and(path.get(1..));
            if !entry.hidden || way.is_some() {
                nodes.push(self.node(entry, way, top)?);
            }
        }
        if range.end < count {
            nodes.push(self.rest(parent, range.end, count - range.end, NavKind::Later)?);
        }
        Ok(nodes)
    }

    /// An entry; `way` is what is left of the path if the path leads through it.
    fn node(
        &self,
        entry: TreeEntry<T::Id>,
        way: Option<&[Step<T::Id>]>,
        top: bool,
    ) -> Result<NavNode, T::Error> {
        let TreeEntry { id, kind, title, href, emoji, icon, parent, hidden: _ } = entry;
        let on_path = way.is_some();
        let heading = top && kind == NavKind::Group && self.groups_open;
        let children = if parent && (self.whole || on_path) {
            self.level(Some(&id), way.unwrap_or_default(), false)?
        } else {
            Vec::new()
        };
        Ok(NavNode {
            kind,
            title,
            href,
            emoji,
            icon,
            current: way.is_some_and(<[_]>::is_empty),
            open: on_path || heading,
            parent: parent && (!self.whole || !children.is_empty()),
            children,
        })
    }

    /// The positions to show: all, or a window around the way to the page.
    fn range(&self, count: usize, position: Option<usize>) -> Range<usize> {
        if self.whole || count <= self.window {
            return 0..count;
        }
        let before = position.unwrap_or(0).saturating_sub(self.window / 2);
        let start = before.min(count - self.window);
        // Leaving out a single entry would save nothing: its place goes to the entry itself.
        let start = if start == 1 { 0 } else { start };
        let end = start + self.window;
        start..if end + 1 >= count { count } else { end }
    }

    /// What stands for the siblings on one side: a link to the nearest of them.
    fn rest(
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
