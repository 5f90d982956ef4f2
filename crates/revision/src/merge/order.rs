//! Merging the order of siblings.
//!
//! If only one side placed pages under a parent, the keys of that side are taken. Elsewhere, the
//! siblings that neither side moved are the frame: they have the same order in all three contents.
//! The pages that each side placed are inserted between them. The number of entries to be read is
//! bounded by the size of the changes, since only changed pages lie between a placed page and the
//! frame.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bindery_model::PageId;
use bytes::Bytes;

use super::conflict::{PageSubject, Subject};
use super::pages::ChangedPage;
use super::{Merger, Side};
use crate::diff::{KeyChange, moved_siblings};
use crate::map::Direction;
use crate::object::ObjectError;
use crate::order::OrderKey;
use crate::tree::{Tree, child_key};

type Parent = Option<PageId>;

/// The changed pages of one parent.
#[derive(Default)]
struct Siblings {
    /// Pages that neither side moved.
    frame: Vec<PageId>,
    /// Pages that a side placed, with this side.
    placed: Vec<(Side, PageId)>,
    /// Pages that both sides placed; they are also in `placed`.
    placed_by_both: Vec<PageId>,
}

/// A page that a side placed.
struct PlacedPage {
    id: PageId,
    /// The keys from the parent under consideration down to the page, as in its side. There is more
    /// than one if pages in between are deleted.
    path: Vec<Bytes>,
    /// The page of the first key.
    first: PageId,
}

/// The pages that each side placed after one page of the frame. Pages that both sides placed are in
/// both runs.
#[derive(Default)]
struct Gap {
    runs: BTreeMap<Side, Vec<PageId>>,
}

impl Merger<'_, '_> {
    /// Assigns every changed page its order key.
    pub(super) fn order_siblings(&mut self) -> Result<(), ObjectError> {
        let moved = Side::BOTH.map(|side| self.moved(side));
        let [ours, theirs] = moved;
        let moved = BTreeMap::from([(Side::Ours, ours?), (Side::Theirs, theirs?)]);
        let mut frame = BTreeSet::new();
        let mut parents: BTreeMap<Parent, Siblings> = BTreeMap::new();
        for (id, entry) in &self.pages {
            let (Some(merged), Some(mut from)) = (&entry.merged, entry.from) else { continue };
            let siblings = parents.entry(merged.parent).or_default();
            let stays = [&entry.base, &entry.ours, &entry.theirs]
                .into_iter()
                .all(|page| page.as_ref().is_some_and(|page| page.parent == merged.parent));
            let by = |side: Side| moved.get(&side).is_some_and(|moved| moved.contains(id));
            let here = |side| entry.on(side).is_some_and(|page| page.parent == merged.parent);
            match (stays, by(Side::Ours), by(Side::Theirs)) {
                (true, false, false) => {
                    frame.insert(*id);
                    siblings.frame.push(*id);
                    continue;
                }
                (true, false, true) => from = Side::Theirs,
                (true, true, true) => siblings.placed_by_both.push(*id),
                (true, true, false) => {}
                (false, ..) => {
                    let was_here =
                        entry.base.as_ref().map(|page| page.parent) == Some(merged.parent);
                    if !was_here && Side::BOTH.into_iter().all(here) {
                        siblings.placed_by_both.push(*id);
                    }
                }
            }
            siblings.placed.push((from, *id));
        }
        for (parent, siblings) in parents {
            self.order_under(parent, &siblings, &frame)?;
        }
        Ok(())
    }

    /// Returns the pages that a side moved among their siblings.
    fn moved(&self, side: Side) -> Result<BTreeSet<PageId>, ObjectError> {
        let (mut rekeyed, mut left) = (Vec::new(), Vec::new());
        for entry in self.pages.values() {
            let Some(base) = &entry.base else { continue };
            match entry.on(side) {
                Some(page) if page.parent != base.parent => left.push(base.child_key()),
                Some(page) if page.order != base.order => rekeyed.push(KeyChange::of(base, page)),
                Some(_) => {}
                None => left.push(base.child_key()),
            }
        }
        let moved = moved_siblings(&self.base.children, &*self.staging, &rekeyed, left)?;
        Ok(moved.into_iter().collect())
    }

    fn order_under(
        &mut self,
        parent: Parent,
        siblings: &Siblings,
        frame: &BTreeSet<PageId>,
    ) -> Result<(), ObjectError> {
        let active = |merger: &Self, side: Side| {
            siblings.placed.iter().any(|(from, _)| *from == side)
                || !siblings.placed_by_both.is_empty()
                || siblings.frame.iter().any(|id| merger.has_new_key(*id, side))
        };
        let lifted = |merger: &Self| {
            let lifted = |id| merger.pages.get(id).is_some_and(|entry| entry.lifted.is_some());
            siblings.placed.iter().any(|(_, id)| lifted(id))
        };
        let contested = Side::BOTH.into_iter().all(|side| active(self, side)) || lifted(self);
        for (from, id) in &siblings.placed {
            self.take_order(*id, *from);
        }
        let keys = self.order_frame(siblings);
        if !contested {
            return Ok(());
        }
        let mut at: Vec<(Side, PageId, Parent)> = Vec::new();
        for side in Side::BOTH {
            let placed = siblings.placed.iter().filter(|(from, _)| *from == side);
            let placed_by_both = siblings.placed_by_both.iter().filter(|_| side == Side::Theirs);
            let ids = placed.map(|(_, id)| id).chain(placed_by_both);
            let items = ids.map(|id| self.item(parent, *id, side)).collect::<Result<_, _>>()?;
            for (id, anchor) in self.anchors(parent, side, items, frame)? {
                at.push((side, id, anchor));
            }
        }
        let anchor_of = |side: Side, page: PageId| {
            at.iter().find(|(of, id, _)| (*of, *id) == (side, page)).map(|(.., anchor)| *anchor)
        };
        // A move by both sides takes effect only where both chose the same position.
        let contested_pages: BTreeSet<PageId> = siblings
            .placed_by_both
            .iter()
            .copied()
            .filter(|id| anchor_of(Side::Ours, *id) != anchor_of(Side::Theirs, *id))
            .collect();
        for id in &contested_pages {
            if let Some(positions) = self.pages.get(id).map(ChangedPage::positions) {
                self.conflict(Subject::Page(*id, PageSubject::Position), positions);
            }
        }
        let mut gaps: BTreeMap<Parent, Gap> = BTreeMap::new();
        for (side, id, anchor) in at {
            if side == Side::Ours || !contested_pages.contains(&id) {
                gaps.entry(anchor).or_default().runs.entry(side).or_default().push(id);
            }
        }
        for (anchor, gap) in gaps {
            self.fill_gap(parent, anchor, gap, keys, frame)?;
        }
        Ok(())
    }

    /// Returns `true` if a side gave a page of the frame another key.
    fn has_new_key(&self, id: PageId, side: Side) -> bool {
        self.pages.get(&id).is_some_and(|entry| {
            let was = entry.base.as_ref().map(|page| &page.order);
            entry.on(side).map(|page| &page.order) != was
        })
    }

    /// Gives the pages of the frame the keys of one side, so that they are in order. Returns that
    /// side.
    fn order_frame(&mut self, siblings: &Siblings) -> Side {
        let keys = |merger: &Self, side| -> Vec<OrderKey> {
            let entries = siblings.frame.iter().filter_map(|id| merger.pages.get(id));
            entries.filter_map(|entry| entry.on(side).map(|page| page.order.clone())).collect()
        };
        let any = |side| siblings.frame.iter().any(|id| self.has_new_key(*id, side));
        let side = match (any(Side::Ours), any(Side::Theirs)) {
            // The choice is the same in both directions of the merge.
            (true, true) if keys(self, Side::Theirs) < keys(self, Side::Ours) => Side::Theirs,
            (false, true) => Side::Theirs,
            _ => Side::Ours,
        };
        for id in &siblings.frame {
            self.take_order(*id, side);
        }
        side
    }

    /// Returns the position of a page below a parent on one side.
    fn item(&self, parent: Parent, id: PageId, side: Side) -> Result<PlacedPage, ObjectError> {
        let (mut path, mut first) = (Vec::new(), id);
        let lifted = self.pages.get(&id).is_some_and(|entry| entry.lifted.is_some());
        let mut next = Some(id);
        while let Some(at) = next
            && let Some(page) = self.pages.get(&at).and_then(|entry| entry.on(side))
        {
            path.push(page.child_key());
            first = at;
            // All ancestors that a lifted page left are deleted, and therefore in `pages`.
            next = page.parent.filter(|_| lifted && page.parent != parent);
        }
        path.reverse();
        Ok(PlacedPage { id, path, first })
    }

    /// Returns for each item the page of the frame that precedes it. Items are returned in their
    /// order.
    fn anchors(
        &self,
        parent: Parent,
        side: Side,
        mut items: Vec<PlacedPage>,
        frame: &BTreeSet<PageId>,
    ) -> Result<Vec<(PageId, Parent)>, ObjectError> {
        items.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let tree = Tree::new(self.side(side), &*self.staging);
        let mut known: HashMap<PageId, Parent> = HashMap::new();
        let mut anchors = Vec::with_capacity(items.len());
        for item in items {
            let mut anchor = known.get(&item.first).copied();
            if anchor.is_none()
                && let Some(key) = item.path.first()
            {
                for sibling in tree.siblings_from(parent, key.clone(), Direction::Descending) {
                    let sibling = sibling?.id;
                    anchor = match known.get(&sibling) {
                        Some(anchor) => Some(*anchor),
                        None => self.in_frame(sibling, frame).then_some(Some(sibling)),
                    };
                    if anchor.is_some() {
                        break;
                    }
                }
            }
            let anchor = anchor.unwrap_or_default();
            known.insert(item.first, anchor);
            anchors.push((item.id, anchor));
        }
        Ok(anchors)
    }

    /// Returns `true` if neither side moved the page.
    fn in_frame(&self, id: PageId, frame: &BTreeSet<PageId>) -> bool {
        frame.contains(&id) || !self.pages.contains_key(&id)
    }

    /// Assigns order keys to the pages that follow a page of the frame.
    fn fill_gap(
        &mut self,
        parent: Parent,
        anchor: Parent,
        gap: Gap,
        keys: Side,
        frame: &BTreeSet<PageId>,
    ) -> Result<(), ObjectError> {
        let tree = Tree::new(self.side(keys), &*self.staging);
        let order_of = |id: PageId, side: Side| -> Result<Option<OrderKey>, ObjectError> {
            match self.pages.get(&id) {
                Some(entry) => Ok(entry.on(side).map(|page| page.order.clone())),
                None => Ok(self.base.page(&*self.staging, id)?.map(|page| page.order)),
            }
        };
        let low = anchor.map(|id| order_of(id, keys)).transpose()?.flatten();
        let rest = match anchor.zip(low.as_ref()) {
            Some((id, order)) => {
                let key = child_key(parent.as_ref(), order, &id);
                tree.siblings_from(parent, key, Direction::Ascending)
            }
            None => tree.children(parent),
        };
        let mut after = None;
        for sibling in rest {
            let sibling = sibling?;
            if self.in_frame(sibling.id, frame) {
                after = Some((sibling.id, sibling.order));
                break;
            }
        }
        let high = after.as_ref().map(|(_, order)| order);

        let runs = self.runs(gap);
        let entry = |id: &PageId| self.pages.get(id);
        if let [(side, run)] = &runs[..]
            && run.iter().filter_map(entry).all(|entry| entry.lifted.is_none())
        {
            let before = anchor.map(|id| order_of(id, *side)).transpose()?.flatten();
            let behind = after.as_ref().map(|(id, _)| order_of(*id, *side)).transpose()?.flatten();
            if before == low && behind.as_ref() == high {
                // The keys of the side itself lie in this gap.
                for id in run {
                    self.take_order(*id, *side);
                }
                return Ok(());
            }
        }
        let ids: Vec<PageId> = runs.into_iter().flat_map(|(_, run)| run).collect();
        for (id, order) in ids.iter().zip(OrderKey::spread(low.as_ref(), high, ids.len())) {
            if let Some(merged) = self.pages.get_mut(id).and_then(|entry| entry.merged.as_mut()) {
                merged.order = order;
            }
        }
        Ok(())
    }

    /// Returns the runs of a gap; the run that begins with the older page is first. A page that is
    /// in both runs stays in the first.
    fn runs(&self, gap: Gap) -> Vec<(Side, Vec<PageId>)> {
        let rank = |side: Side, run: &[PageId]| -> Vec<_> {
            let of = |id: &PageId| {
                let page = self.pages.get(id)?.on(side)?;
                Some((page.age_key(), page.order.clone()))
            };
            run.iter().filter_map(of).collect()
        };
        let mut runs: Vec<(Side, Vec<PageId>)> = gap.runs.into_iter().collect();
        runs.sort_by_cached_key(|(side, run)| rank(*side, run));
        let mut seen = BTreeSet::new();
        for (_, run) in &mut runs {
            run.retain(|id| seen.insert(*id));
        }
        runs.retain(|(_, run)| !run.is_empty());
        runs
    }

    fn take_order(&mut self, id: PageId, side: Side) {
        if let Some(entry) = self.pages.get_mut(&id)
            && let Some(order) = entry.on(side).map(|page| page.order.clone())
            && let Some(merged) = &mut entry.merged
        {
            merged.order = order;
        }
    }
}
