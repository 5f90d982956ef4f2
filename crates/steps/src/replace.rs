//! Slices, and the replacement of a part of a document by one.

use crate::error::{Error, Result};
use crate::node::{Fragment, Node, push_joined};
use crate::position::Position;

/// A part of a document. Nodes at its sides can be open: they have lost what was outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Slice {
    pub(crate) content: Fragment,
    /// Number of nodes that are open at the beginning.
    pub(crate) open_start: usize,
    /// Number of nodes that are open at the end.
    pub(crate) open_end: usize,
}

impl Slice {
    /// Returns a slice of one node whose content stays in the document.
    pub(crate) fn head_of(node: Node) -> Self {
        let open_end = usize::from(!node.kind().is_leaf());
        Self { content: Fragment::of(vec![node]), open_start: 0, open_end }
    }

    /// Returns the part of a document between two positions.
    pub(crate) fn of(doc: &Node, from: usize, to: usize) -> Result<Self> {
        if from == to {
            return Ok(Self::default());
        }
        let (start, end) = (Position::resolve(doc, from)?, Position::resolve(doc, to)?);
        let depth = start.shared_depth(to);
        let offset = start.start(depth);
        let content = match from < to {
            true => start.node(depth).content().cut(from - offset, to - offset),
            false => Some(Fragment::default()),
        };
        Ok(Self {
            content: content.ok_or(Error::InsideCharacter(from))?,
            open_start: start.depth() - depth,
            open_end: end.depth().checked_sub(depth).ok_or(Error::Fit)?,
        })
    }

    /// Checks the children of all nodes of the slice, except for those that are open, whose children
    /// are checked where they are inserted.
    pub(crate) fn check(&self) -> Result<()> {
        check_children(&self.content, self.open_start, self.open_end)
    }

    /// Returns the number of positions that the slice adds to a document.
    pub(crate) fn size(&self) -> usize {
        self.content.size().saturating_sub(self.open_start + self.open_end)
    }

    /// Returns the slice with nodes inserted at a position in it.
    pub(crate) fn with_inserted(&self, at: usize, nodes: &Fragment) -> Result<Self> {
        let place = Insertion { nodes, parent: None };
        let content = place.insert_at(
            &self.content,
            at + self.open_start,
            (self.open_start + 1, self.open_end + 1),
        )?;
        Ok(Self { content, ..*self })
    }
}

impl Node {
    /// Checks the children of the node and of all nodes in it.
    pub(crate) fn check(&self) -> Result<()> {
        if !self.kind().allows(self.content()) {
            return Err(Error::Content(self.kind().name()));
        }
        self.content().iter().try_for_each(Self::check)
    }
}

fn check_children(content: &Fragment, open_start: usize, open_end: usize) -> Result<()> {
    let last = content.len().saturating_sub(1);
    content.iter().enumerate().try_for_each(|(index, child)| {
        let open_start = if index == 0 { open_start } else { 0 };
        let open_end = if index == last { open_end } else { 0 };
        match open_start > 0 || open_end > 0 {
            true => {
                let [start, end] = [open_start, open_end].map(|open| open.saturating_sub(1));
                check_children(child.content(), start, end)
            }
            false => child.check(),
        }
    })
}

/// Nodes to be inserted, and the node whose content they go into.
struct Insertion<'a> {
    nodes: &'a Fragment,
    parent: Option<&'a Node>,
}

impl Insertion<'_> {
    fn insert_at(&self, content: &Fragment, at: usize, open: (usize, usize)) -> Result<Fragment> {
        let (index, offset) = content.find(at).ok_or(Error::Fit)?;
        let child = content.get(index);
        if offset == at || child.is_some_and(|child| child.as_text().is_some()) {
            if let Some(parent) = self.parent.filter(|_| open == (0, 0)) {
                let (before, behind) = content.as_slice().split_at(index);
                let all = before.iter().chain(self.nodes.iter()).chain(behind);
                if !parent.kind().allows_nodes(all) {
                    return Err(Error::Content(parent.kind().name()));
                }
            }
            let cut = |from, to| content.cut(from, to).ok_or(Error::Fit);
            return Ok(cut(0, at)?.append(self.nodes).append(&cut(at, content.size())?));
        }
        let child = child.ok_or(Error::Fit)?;
        let inner = Insertion { nodes: self.nodes, parent: Some(child) };
        let is_last = index + 1 == content.len();
        let open = (
            if index == 0 { open.0.saturating_sub(1) } else { 0 },
            if is_last { open.1.saturating_sub(1) } else { 0 },
        );
        let inner = inner.insert_at(child.content(), at - offset - 1, open)?;
        Ok(content.with(index, child.with_content(inner)))
    }
}

/// Returns a document whose part between two positions is replaced by a slice.
pub(crate) fn replace(doc: &Node, from: usize, to: usize, slice: &Slice) -> Result<Node> {
    if from > to {
        return Err(Error::Position(to));
    }
    let (start, end) = (Position::resolve(doc, from)?, Position::resolve(doc, to)?);
    let outer = start.depth().checked_sub(slice.open_start);
    let outer = outer.filter(|outer| end.depth().checked_sub(slice.open_end) == Some(*outer));
    outer_levels(&start, &end, slice, 0, outer.ok_or(Error::Fit)?)
}

fn outer_levels(
    from: &Position,
    to: &Position,
    slice: &Slice,
    depth: usize,
    outer: usize,
) -> Result<Node> {
    let (index, node) = (from.index(depth), from.node(depth));
    if index == to.index(depth) && depth < outer {
        let inner = outer_levels(from, to, slice, depth + 1, outer)?;
        return Ok(node.with_content(node.content().with(index, inner)));
    }
    if slice.content.size() == 0 {
        return close(node, two_sides(from, to, depth)?);
    }
    let is_flat = slice.open_start == 0 && slice.open_end == 0;
    if is_flat && from.depth() == depth && to.depth() == depth {
        let content = node.content();
        let cut = |start, end| content.cut(start, end).ok_or(Error::InsideCharacter(start));
        let before = cut(0, from.parent_offset())?;
        let behind = cut(to.parent_offset(), content.size())?;
        return close(node, before.append(&slice.content).append(&behind));
    }
    let (start, end) = placed(slice, from)?;
    close(node, three_parts(from, &start, &end, to, depth)?)
}

/// Returns the positions of the beginning and the end of a slice within copies of the nodes around
/// the place where it is inserted.
fn placed(slice: &Slice, along: &Position) -> Result<(Position, Position)> {
    let extra = along.depth() - slice.open_start;
    let mut node = along.node(extra).with_content(slice.content.clone());
    for depth in (0..extra).rev() {
        node = along.node(depth).with_content(Fragment::of(vec![node]));
    }
    let start = Position::resolve(&node, slice.open_start + extra)?;
    let end = node.content_size().checked_sub(slice.open_end + extra).ok_or(Error::Fit)?;
    Ok((start, Position::resolve(&node, end)?))
}

/// Returns the node that goes on from one position to another, at a depth.
fn joined<'a>(before: &'a Position, behind: &Position, depth: usize) -> Result<&'a Node> {
    if depth > before.depth() || depth > behind.depth() {
        return Err(Error::Fit);
    }
    let (node, other) = (before.node(depth), behind.node(depth));
    check_join(node, other)?;
    Ok(node)
}

fn check_join(node: &Node, other: &Node) -> Result<()> {
    match other.kind().joins(node.kind()) {
        true => Ok(()),
        false => Err(Error::Join(other.kind().name(), node.kind().name())),
    }
}

fn close(node: &Node, content: Fragment) -> Result<Node> {
    match node.kind().allows(&content) {
        true => Ok(node.with_content(content)),
        false => Err(Error::Content(node.kind().name())),
    }
}

/// Adds the children between two positions at a depth. Those that are open at that side are left
/// out.
fn add_range(
    start: Option<&Position>,
    end: Option<&Position>,
    depth: usize,
    found: &mut Vec<Node>,
) -> Result<()> {
    let Some(node) = end.or(start).map(|position| position.node(depth)) else { return Ok(()) };
    let mut first = 0;
    if let Some(start) = start {
        first = start.index(depth);
        if start.depth() > depth {
            first += 1;
        } else if let Some((_, behind)) = start.split_text()? {
            push_joined(found, behind);
            first += 1;
        }
    }
    let last = end.map_or(node.content().len(), |end| end.index(depth));
    for child in node.content().as_slice().get(first..last).unwrap_or_default() {
        push_joined(found, child.clone());
    }
    if let Some(end) = end.filter(|end| end.depth() == depth)
        && let Some((before, _)) = end.split_text()?
    {
        push_joined(found, before);
    }
    Ok(())
}

fn three_parts(
    from: &Position,
    start: &Position,
    end: &Position,
    to: &Position,
    depth: usize,
) -> Result<Fragment> {
    let open_start = match from.depth() > depth {
        true => Some(joined(from, start, depth + 1)?),
        false => None,
    };
    let open_end = match to.depth() > depth {
        true => Some(joined(end, to, depth + 1)?),
        false => None,
    };
    let mut found = Vec::new();
    add_range(None, Some(from), depth, &mut found)?;
    match (open_start, open_end) {
        (Some(first), Some(last)) if start.index(depth) == end.index(depth) => {
            check_join(first, last)?;
            let inner = three_parts(from, start, end, to, depth + 1)?;
            push_joined(&mut found, close(first, inner)?);
        }
        _ => {
            if let Some(first) = open_start {
                let inner = two_sides(from, start, depth + 1)?;
                push_joined(&mut found, close(first, inner)?);
            }
            add_range(Some(start), Some(end), depth, &mut found)?;
            if let Some(last) = open_end {
                let inner = two_sides(end, to, depth + 1)?;
                push_joined(&mut found, close(last, inner)?);
            }
        }
    }
    add_range(Some(to), None, depth, &mut found)?;
    Ok(Fragment::of(found))
}

fn two_sides(from: &Position, to: &Position, depth: usize) -> Result<Fragment> {
    let mut found = Vec::new();
    add_range(None, Some(from), depth, &mut found)?;
    if from.depth() > depth {
        let node = joined(from, to, depth + 1)?;
        let inner = two_sides(from, to, depth + 1)?;
        push_joined(&mut found, close(node, inner)?);
    }
    add_range(Some(to), None, depth, &mut found)?;
    Ok(Fragment::of(found))
}
