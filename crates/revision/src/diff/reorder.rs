//! Detection of siblings that changed their order, as opposed to their order keys only.
//!
//! An edit can reassign the order keys of neighbouring pages when the keys become too long. These
//! pages keep their order. A page is reported as moved if it passed a sibling whose key is
//! unchanged. Among the remaining pages, the smallest set of moves that explains the new order is
//! reported.

use std::collections::BTreeMap;
use std::ops::Bound;

use bindery_model::PageId;
use bytes::Bytes;

use crate::map::Map;
use crate::object::{ObjectError, Objects};
use crate::record::PageRecord;
use crate::tree::child_key;

/// A page with the same parent in both contents and a different order key.
#[derive(Debug)]
pub(crate) struct KeyChange {
    id: PageId,
    parent: Option<PageId>,
    old: Bytes,
    new: Bytes,
}

impl KeyChange {
    pub(crate) fn of(old: &PageRecord, new: &PageRecord) -> Self {
        Self { id: old.id, parent: old.parent, old: old.child_key(), new: new.child_key() }
    }
}

impl PageRecord {
    /// Returns the page's key in its parent's list of children.
    pub(crate) fn child_key(&self) -> Bytes {
        child_key(self.parent.as_ref(), &self.order, &self.id)
    }
}

/// Returns the ids of the pages in `rekeyed` that moved, in ascending order. `children` is the map
/// of the old content. `left` holds the keys in this map of the other pages that are no longer
/// under the same parent.
pub(crate) fn moved_siblings(
    children: &Map,
    on: &dyn Objects,
    rekeyed: &[KeyChange],
    left: Vec<Bytes>,
) -> Result<Vec<PageId>, ObjectError> {
    let mut changed = left;
    changed.extend(rekeyed.iter().map(|page| page.old.clone()));
    changed.sort_unstable();
    let mut moved = Vec::new();
    let mut rest: BTreeMap<Option<PageId>, Vec<&KeyChange>> = BTreeMap::new();
    for page in rekeyed {
        if passes_unchanged(children, on, page, &changed)? {
            moved.push(page.id);
        } else {
            rest.entry(page.parent).or_default().push(page);
        }
    }
    for mut siblings in rest.into_values() {
        siblings.sort_unstable_by(|a, b| a.old.cmp(&b.old));
        let stay = longest_ascending(&siblings);
        moved.extend(siblings.iter().zip(stay).filter(|(_, stay)| !stay).map(|(page, _)| page.id));
    }
    moved.sort_unstable();
    Ok(moved)
}

/// Returns `true` if a sibling with an unchanged key lies between the page's old and new positions.
fn passes_unchanged(
    children: &Map,
    on: &dyn Objects,
    page: &KeyChange,
    changed: &[Bytes],
) -> Result<bool, ObjectError> {
    let (low, high) =
        (page.old.clone().min(page.new.clone()), page.old.clone().max(page.new.clone()));
    let own = u64::from(page.old == low);
    let between = children.rank(on, &high)? - children.rank(on, &low)? - own;
    let first = changed.partition_point(|key| *key <= low);
    let last = changed.partition_point(|key| *key < high);
    Ok(between > last.saturating_sub(first) as u64)
}

/// Marks a longest subsequence of ascending new keys. The siblings are in their old order.
fn longest_ascending(siblings: &[&KeyChange]) -> Vec<bool> {
    // For each length, the last page of the best subsequence found so far, under its new key.
    let mut ends: BTreeMap<&Bytes, usize> = BTreeMap::new();
    let mut before = vec![None; siblings.len()];
    for (at, page) in siblings.iter().enumerate() {
        if let Some(link) = before.get_mut(at) {
            *link = ends.range::<Bytes, _>(..&page.new).next_back().map(|(_, end)| *end);
        }
        let next = ends.range::<Bytes, _>((Bound::Excluded(&page.new), Bound::Unbounded)).next();
        if let Some(next) = next.map(|(key, _)| *key) {
            ends.remove(next);
        }
        ends.insert(&page.new, at);
    }
    let mut stay = vec![false; siblings.len()];
    let mut at = ends.into_values().next_back();
    while let Some(index) = at {
        if let Some(one) = stay.get_mut(index) {
            *one = true;
        }
        at = before.get(index).copied().flatten();
    }
    stay
}
