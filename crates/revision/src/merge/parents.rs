//! Parents of merged pages: deleted parents, and moves that form a cycle.

use std::collections::{BTreeMap, BTreeSet};

use bindery_model::PageId;

use super::conflict::{PageSubject, Subject};
use super::{Merger, Side};
use crate::object::ObjectError;

impl Merger<'_, '_> {
    /// Moves pages with a deleted parent to the nearest ancestor that is left.
    pub(super) fn lift_orphans(&mut self) {
        let ids: Vec<PageId> = self.pages.keys().copied().collect();
        for id in ids {
            self.lift(id);
        }
    }

    fn is_gone(&self, id: PageId) -> bool {
        self.pages.get(&id).is_some_and(|entry| entry.merged.is_none())
    }

    fn lift(&mut self, id: PageId) {
        let Some(entry) = self.pages.get(&id) else { return };
        let (Some(merged), Some(side)) = (&entry.merged, entry.from) else { return };
        let mut outermost = None;
        let mut parent = merged.parent;
        // A deleted page is in `pages`, and the side that the position is taken from still has it.
        while let Some(above) = parent.filter(|above| self.is_gone(*above)) {
            outermost = Some(above);
            parent = self.pages.get(&above).and_then(|above| above.on(side)?.parent);
        }
        // A page that one side deleted has a conflict already.
        let survivor = entry.base.is_some() && entry.ours.is_some() != entry.theirs.is_some();
        let sides = (outermost.is_some() && !survivor).then(|| entry.positions());
        let Some(entry) = self.pages.get_mut(&id) else { return };
        entry.lifted = outermost;
        if let Some(merged) = &mut entry.merged {
            merged.parent = parent;
        }
        if let Some(sides) = sides {
            self.conflict(Subject::Page(id, PageSubject::Position), sides);
        }
    }

    /// Undoes their moves that form cycles with ours.
    ///
    /// A cycle requires a move of each side, since the parents of one side alone lead upwards in
    /// its tree. It always has a page that they moved and that we have too, because the pages that
    /// only they have are under pages of their tree.
    pub(super) fn break_cycles(&mut self) -> Result<(), ObjectError> {
        let moved = |side| self.pages.values().any(|entry| entry.reparented(side));
        if !Side::BOTH.into_iter().all(moved) {
            return Ok(());
        }
        loop {
            let cycles = self.cycles()?;
            if cycles.is_empty() {
                return Ok(());
            }
            let mut undone = false;
            for id in cycles.into_iter().flatten() {
                undone |= self.undo_in_cycle(id);
            }
            if !undone {
                return Err(ObjectError::Corrupt("a page tree"));
            }
        }
    }

    /// Records the conflict of a page in a cycle, and undoes their move of it.
    fn undo_in_cycle(&mut self, id: PageId) -> bool {
        let Some(entry) = self.pages.get(&id) else { return false };
        if Side::BOTH.into_iter().any(|side| entry.reparented(side)) {
            let positions = entry.positions();
            self.conflict(Subject::Page(id, PageSubject::Position), positions);
        }
        let Some(entry) = self.pages.get_mut(&id) else { return false };
        let theirs = entry.from == Some(Side::Theirs);
        let (Some(ours), Some(merged), true) = (&entry.ours, &mut entry.merged, theirs) else {
            return false;
        };
        merged.parent = ours.parent;
        merged.order = ours.order.clone();
        entry.from = Some(Side::Ours);
        self.lift(id);
        true
    }

    /// Returns the cycles among the merged parents. A page has one parent, so it is in one cycle at
    /// most.
    fn cycles(&self) -> Result<Vec<Vec<PageId>>, ObjectError> {
        let mut cycles = Vec::new();
        // The start of the traversal on which each page was first visited.
        let mut met: BTreeMap<PageId, PageId> = BTreeMap::new();
        let starts = self.pages.iter().filter(|(_, entry)| {
            entry.merged.is_some() && Side::BOTH.into_iter().any(|side| entry.reparented(side))
        });
        for (start, _) in starts {
            let mut path = Vec::new();
            let mut at = Some(*start);
            while let Some(id) = at {
                match met.get(&id) {
                    Some(walk) if walk == start => {
                        let first = path.iter().position(|one| *one == id).unwrap_or(0);
                        let cycle: BTreeSet<PageId> = path.drain(first..).collect();
                        cycles.push(cycle.into_iter().collect());
                        break;
                    }
                    Some(_) => break,
                    None => {}
                }
                met.insert(id, *start);
                path.push(id);
                at = self.parent(id)?;
            }
        }
        Ok(cycles)
    }

    /// Returns the merged parent of an existing page.
    fn parent(&self, id: PageId) -> Result<Option<PageId>, ObjectError> {
        if let Some(entry) = self.pages.get(&id) {
            return Ok(entry.merged.as_ref().and_then(|page| page.parent));
        }
        Ok(self.base.page(&*self.staging, id)?.and_then(|page| page.parent))
    }
}
