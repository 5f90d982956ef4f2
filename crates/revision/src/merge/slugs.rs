//! Distinct slugs among siblings: a number is appended to the slug of the younger of two pages.

use std::collections::{BTreeMap, BTreeSet};

use bindery_model::PageId;

use super::{Merger, RenumberedPage};
use crate::object::ObjectError;
use crate::tree::{Tree, numbered};

type Address = (Option<PageId>, String);

impl Merger<'_, '_> {
    /// Appends numbers to slugs that siblings share.
    pub(super) fn number_slugs(&mut self) -> Result<Vec<RenumberedPage>, ObjectError> {
        let mut claims: BTreeMap<Address, Vec<PageId>> = BTreeMap::new();
        for (id, entry) in &self.pages {
            if let Some(page) = &entry.merged {
                claims.entry((page.parent, page.slug.clone())).or_default().push(*id);
            }
        }
        let mut taken: BTreeSet<Address> = claims.keys().cloned().collect();
        let mut numbered_pages = Vec::new();
        for ((parent, wanted), mut pages) in claims {
            pages.sort_by_key(|id| {
                let merged = self.pages.get(id).and_then(|entry| entry.merged.as_ref());
                merged.map(crate::PageRecord::age_key)
            });
            // A page that neither side changed keeps its slug; otherwise the oldest page does.
            let kept = usize::from(!self.is_held(parent, &wanted)?);
            let mut last = 0;
            for page in pages.into_iter().skip(kept) {
                last = self.free_number(parent, &wanted, last, &taken)?;
                let slug = numbered(&wanted, last);
                taken.insert((parent, slug.clone()));
                if let Some(merged) = self.pages.get_mut(&page).and_then(|one| one.merged.as_mut())
                {
                    merged.slug.clone_from(&slug);
                }
                numbered_pages.push(RenumberedPage { page, wanted: wanted.clone(), slug });
            }
        }
        numbered_pages.sort_unstable_by_key(|one| one.page);
        Ok(numbered_pages)
    }

    /// Returns `true` if a page that neither side changed has this slug.
    fn is_held(&self, parent: Option<PageId>, slug: &str) -> Result<bool, ObjectError> {
        let holder = Tree::new(self.base, &*self.staging).by_slug(parent, slug)?;
        Ok(holder.is_some_and(|holder| !self.pages.contains_key(&holder)))
    }

    /// Returns a free number greater than `last`. It is found by exponential and binary search, so
    /// that many pages with one title need few lookups each.
    fn free_number(
        &self,
        parent: Option<PageId>,
        wanted: &str,
        last: u64,
        taken: &BTreeSet<Address>,
    ) -> Result<u64, ObjectError> {
        let free = |number: u64| -> Result<bool, ObjectError> {
            let slug = numbered(wanted, number);
            let held = self.is_held(parent, &slug)?;
            Ok(!held && !taken.contains(&(parent, slug)))
        };
        let (mut low, mut step) = (last, 1);
        while !free(low + step)? {
            low += step;
            step *= 2;
        }
        let mut high = low + step;
        while high - low > 1 {
            let middle = u64::midpoint(low, high);
            if free(middle)? { high = middle } else { low = middle }
        }
        Ok(high)
    }
}
