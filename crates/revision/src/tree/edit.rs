//! Edits of single pages. Each of them preserves the structure of the tree.

use bindery_model::PageId;

use super::read::Tree;
use super::write::{Change, write};
use super::{TreeError, child_key, numbered};
use crate::content::Content;
use crate::map::Direction;
use crate::object::{ObjectError, Staging};
use crate::order::OrderKey;
use crate::record::PageRecord;

/// The position of a page among its siblings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Position {
    /// Before all siblings.
    First,
    /// After all siblings.
    #[default]
    Last,
    /// Immediately before this sibling.
    Before(PageId),
    /// Immediately after this sibling.
    After(PageId),
    /// After this number of siblings, or last if there are fewer.
    At(u64),
}

/// Inserts a new page under the parent that its record names. Its order key is assigned here. A
/// number is appended to its slug if a sibling already has the slug.
///
/// # Errors
/// Returns an error if the id exists, the parent or the sibling does not exist, or an object cannot
/// be read.
pub fn insert(
    content: &Content,
    staging: &mut Staging<'_>,
    mut page: PageRecord,
    position: Position,
) -> Result<(Content, PageRecord), TreeError> {
    if content.page(staging, page.id)?.is_some() {
        return Err(TreeError::Exists(page.id));
    }
    if let Some(parent) = page.parent {
        Tree::new(content, staging).page(parent)?;
    }
    page.slug = free_slug(content, staging, page.parent, &page.slug, page.id)?;
    insert_at(content, staging, page, position)
}

/// Changes attributes of a page. Changes of id, parent and order are ignored. A number is appended
/// to a new slug if a sibling already has the slug. A change without effect writes nothing.
///
/// # Errors
/// Returns an error if the page does not exist or an object cannot be read.
pub fn update(
    content: &Content,
    staging: &mut Staging<'_>,
    id: PageId,
    change: impl FnOnce(&mut PageRecord),
) -> Result<(Content, PageRecord), TreeError> {
    let old = Tree::new(content, staging).page(id)?;
    let mut page = old.clone();
    change(&mut page);
    page.id = old.id;
    page.parent = old.parent;
    page.order = old.order.clone();
    if page.slug != old.slug {
        page.slug = free_slug(content, staging, page.parent, &page.slug, id)?;
    }
    if page == old {
        return Ok((content.clone(), page));
    }
    let content = write(content, staging, [Change::Put(Box::new(page.clone()))])?;
    Ok((content, page))
}

/// Moves a page with all pages below it to another parent or to another position under its parent.
///
/// # Errors
/// Returns an error if the page would be placed under itself, a named page does not exist, or an
/// object cannot be read.
pub fn relocate(
    content: &Content,
    staging: &mut Staging<'_>,
    id: PageId,
    parent: Option<PageId>,
    position: Position,
) -> Result<(Content, PageRecord), TreeError> {
    let tree = Tree::new(content, staging);
    let mut page = tree.page(id)?;
    if let Some(parent) = parent
        && page.parent != Some(parent)
    {
        let above = tree.ancestors(parent)?;
        if parent == id || above.iter().any(|ancestor| ancestor.id == id) {
            return Err(TreeError::Cycle(id));
        }
    }
    page.parent = parent;
    page.slug = free_slug(content, staging, parent, &page.slug, id)?;
    insert_at(content, staging, page, position)
}

/// Deletes a page and all pages below it. Also returns the ids of the deleted pages.
///
/// # Errors
/// Returns an error if the page does not exist or an object cannot be read.
pub fn delete(
    content: &Content,
    staging: &mut Staging<'_>,
    id: PageId,
) -> Result<(Content, Vec<PageId>), TreeError> {
    let tree = Tree::new(content, staging);
    let mut deleted = vec![tree.page(id)?.id];
    let mut at = 0;
    while let Some(&parent) = deleted.get(at) {
        for child in tree.children(Some(parent)) {
            deleted.push(child?.id);
        }
        at += 1;
    }
    let content = write(content, staging, deleted.iter().map(|id| Change::Delete(*id)))?;
    Ok((content, deleted))
}

/// Returns a slug that no sibling has: the wanted one, or with a number appended. The number is
/// found by binary search, so that a thousand pages with one title need about ten lookups each.
pub(super) fn free_slug(
    content: &Content,
    staging: &Staging<'_>,
    parent: Option<PageId>,
    wanted: &str,
    own: PageId,
) -> Result<String, ObjectError> {
    let tree = Tree::new(content, staging);
    let free = |slug: &str| {
        tree.by_slug(parent, slug).map(|holder| holder.is_none_or(|holder| holder == own))
    };
    if free(wanted)? {
        return Ok(wanted.to_owned());
    }
    let (mut taken, mut high) = (0, 1);
    while !free(&numbered(wanted, high))? {
        taken = high;
        high *= 2;
    }
    while high - taken > 1 {
        let middle = u64::midpoint(taken, high);
        if free(&numbered(wanted, middle))? { high = middle } else { taken = middle }
    }
    Ok(numbered(wanted, high))
}

/// Assigns a page its order key and writes it. Neighbouring keys are reassigned if they become too
/// long.
fn insert_at(
    content: &Content,
    staging: &mut Staging<'_>,
    mut page: PageRecord,
    position: Position,
) -> Result<(Content, PageRecord), TreeError> {
    let (before, after) = neighbours(content, staging, &page, position)?;
    page.order = OrderKey::between(before.as_ref().map(|n| &n.0), after.as_ref().map(|n| &n.0));
    let mut changes = Vec::new();
    if page.order.as_bytes().len() > OrderKey::MAX_LEN {
        changes = reassign_keys(content, staging, &mut page, before, after)?;
    }
    changes.push(Change::Put(Box::new(page.clone())));
    let content = write(content, staging, changes)?;
    Ok((content, page))
}

type Neighbour = (OrderKey, PageId);

/// Returns the siblings on both sides of a position, ignoring the page itself.
fn neighbours(
    content: &Content,
    staging: &Staging<'_>,
    page: &PageRecord,
    position: Position,
) -> Result<(Option<Neighbour>, Option<Neighbour>), TreeError> {
    let tree = Tree::new(content, staging);
    let beside = |neighbour: Option<&Neighbour>, direction| -> Result<_, TreeError> {
        let Some((order, id)) = neighbour else {
            return Ok(None);
        };
        let key = child_key(page.parent.as_ref(), order, id);
        let mut rest = tree.siblings_from(page.parent, key, direction);
        let other = rest.find(|one| one.as_ref().map_or(true, |child| child.id != page.id));
        Ok(other.transpose()?.map(|child| (child.order, child.id)))
    };
    let sibling = |id: PageId| -> Result<Neighbour, TreeError> {
        let record = tree.page(id)?;
        if record.parent != page.parent || id == page.id {
            return Err(TreeError::NotASibling(id));
        }
        Ok((record.order, id))
    };
    let others = |offset: u64| -> Result<Option<Neighbour>, TreeError> {
        let mut rest = tree.children_from(page.parent, offset)?;
        let other = rest.find(|one| one.as_ref().map_or(true, |child| child.id != page.id));
        Ok(other.transpose()?.map(|child| (child.order, child.id)))
    };
    let last = || -> Result<Option<Neighbour>, TreeError> {
        match tree.last_child(page.parent)? {
            Some(child) if child.id == page.id => {
                beside(Some(&(child.order, child.id)), Direction::Descending)
            }
            child => Ok(child.map(|child| (child.order, child.id))),
        }
    };
    let after = match position {
        Position::First => others(0)?,
        Position::Last => None,
        Position::Before(id) => Some(sibling(id)?),
        Position::After(id) => {
            let before = sibling(id)?;
            let after = beside(Some(&before), Direction::Ascending)?;
            return Ok((Some(before), after));
        }
        Position::At(offset) => {
            // The page itself does not count as a sibling.
            let own = content.page(staging, page.id)?.filter(|old| old.parent == page.parent);
            let shift = match own {
                Some(own) => u64::from(tree.position(&own)? <= offset),
                None => 0,
            };
            others(offset.saturating_add(shift))?
        }
    };
    match after {
        Some(after) => Ok((beside(Some(&after), Direction::Descending)?, Some(after))),
        None => Ok((last()?, None)),
    }
}

/// Reassigns the keys of the siblings around a gap, widening the range until the keys are short
/// again.
fn reassign_keys(
    content: &Content,
    staging: &Staging<'_>,
    page: &mut PageRecord,
    before: Option<Neighbour>,
    after: Option<Neighbour>,
) -> Result<Vec<Change>, TreeError> {
    let tree = Tree::new(content, staging);
    let side = |from: &Option<Neighbour>, direction, count: usize| -> Result<Vec<_>, TreeError> {
        let Some((order, id)) = from else {
            return Ok(Vec::new());
        };
        let key = child_key(page.parent.as_ref(), order, id);
        let rest = tree.siblings_from(page.parent, key, direction);
        let rest = rest.filter(|one| one.as_ref().map_or(true, |child| child.id != page.id));
        let rest = rest.map(|one| one.map(|child| (child.order, child.id)));
        let all = std::iter::once(Ok((order.clone(), *id))).chain(rest);
        Ok(all.take(count).collect::<Result<_, _>>()?)
    };
    let mut width = 16;
    loop {
        // One more sibling on each side bounds the range and keeps its key.
        let mut left = side(&before, Direction::Descending, width + 1)?;
        let mut right = side(&after, Direction::Ascending, width + 1)?;
        let whole = left.len() <= width && right.len() <= width;
        let low = if left.len() > width { left.pop() } else { None };
        let high = if right.len() > width { right.pop() } else { None };
        let count = left.len() + right.len() + 1;
        let low = low.as_ref().map(|n| &n.0);
        let keys = OrderKey::spread(low, high.as_ref().map(|n| &n.0), count);
        let longest = keys.iter().map(|key| key.as_bytes().len()).max().unwrap_or(0);
        if longest > OrderKey::MAX_LEN / 2 && !whole {
            width *= 2;
            continue;
        }
        let own = left.len();
        left.reverse();
        let ids = left.into_iter().chain([(OrderKey::default(), page.id)]).chain(right);
        let mut changes = Vec::with_capacity(count);
        for (at, ((_, id), key)) in ids.zip(keys).enumerate() {
            if at == own {
                page.order = key;
            } else {
                let mut sibling = tree.page(id)?;
                sibling.order = key;
                changes.push(Change::Put(Box::new(sibling)));
            }
        }
        return Ok(changes);
    }
}
