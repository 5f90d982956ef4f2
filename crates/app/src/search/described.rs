//! The pages whose entries contain operations of OpenAPI descriptions, so that they are indexed
//! again when a description changes.
//!
//! Computed pages are left out: they change themselves with the specification.

use std::collections::{BTreeMap, BTreeSet};

use bindery_model::{OpenApiVersionId, PageId};
use serde::{Deserialize, Serialize};

use crate::content::openapi::CurrentSpecs;

/// Maximum number of pages that are recorded. If there are more, a changed description leads to a
/// new index of the space.
const MAX_PAGES: usize = 1_000;

/// The pages with operations of descriptions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Described {
    /// The specifications, by the slugs or addresses that blocks state.
    specs: BTreeMap<String, DescribedBy>,
    /// The pages with operations of files of the space.
    of_files: BTreeSet<PageId>,
    /// `true` if not all pages are recorded.
    is_cut: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct DescribedBy {
    /// The version that was indexed; `None` if there was none.
    version: Option<OpenApiVersionId>,
    pages: BTreeSet<PageId>,
}

impl Described {
    pub(super) fn is_empty(&self) -> bool {
        self.specs.is_empty() && self.of_files.is_empty()
    }

    /// Records that a page contains an operation of a specification.
    pub(super) fn add_spec(&mut self, page: PageId, name: &str, specs: &CurrentSpecs) {
        let is_full = self.is_full();
        let spec = self.specs.entry(name.to_owned()).or_default();
        spec.version = specs.version(name);
        self.is_cut |= is_full;
        if !is_full {
            spec.pages.insert(page);
        }
    }

    /// Records that a page contains an operation of a file of the space.
    pub(super) fn add_file(&mut self, page: PageId) {
        if self.is_full() {
            self.is_cut = true;
        } else {
            self.of_files.insert(page);
        }
    }

    fn is_full(&self) -> bool {
        let of_specs: usize = self.specs.values().map(|spec| spec.pages.len()).sum();
        of_specs + self.of_files.len() >= MAX_PAGES
    }

    /// Returns `true` if the specifications are those that were indexed.
    pub(super) fn is_current(&self, specs: &CurrentSpecs) -> bool {
        self.outdated(specs).next().is_none()
    }

    fn outdated<'d>(&'d self, specs: &CurrentSpecs) -> impl Iterator<Item = &'d DescribedBy> {
        let entries = self.specs.iter();
        entries.filter(|(name, spec)| spec.version != specs.version(name)).map(|(_, spec)| spec)
    }

    /// Returns the pages to be indexed again because of changed specifications, and of changed files
    /// if `has_other_files`; `None` if not all are known.
    pub(super) fn to_update(
        &self,
        specs: &CurrentSpecs,
        has_other_files: bool,
    ) -> Option<BTreeSet<PageId>> {
        let mut pages: BTreeSet<PageId> =
            self.outdated(specs).flat_map(|spec| &spec.pages).copied().collect();
        let is_outdated = !pages.is_empty() || !self.is_current(specs);
        if self.is_cut && (is_outdated || has_other_files) {
            return None;
        }
        if has_other_files {
            pages.extend(&self.of_files);
        }
        Some(pages)
    }

    /// Takes over the pages of an earlier state, except those that were indexed again.
    pub(super) fn carry_over(&mut self, before: Self, again: &BTreeSet<PageId>) {
        for (name, spec) in before.specs {
            let kept = spec.pages.into_iter().filter(|page| !again.contains(page));
            let kept: BTreeSet<PageId> = kept.collect();
            if !kept.is_empty() || before.is_cut {
                let own = self.specs.entry(name).or_default();
                // A version that has changed has no page that is kept.
                own.version = own.version.or(spec.version);
                own.pages.extend(kept);
            }
        }
        self.of_files.extend(before.of_files.into_iter().filter(|page| !again.contains(page)));
        self.is_cut |= before.is_cut;
    }
}

#[cfg(test)]
mod tests {
    use bindery_model::Entropy;

    use super::*;

    #[test]
    fn pages_of_earlier_states_are_kept_unless_they_were_indexed_again() {
        let entropy = Entropy::seeded(1);
        let [kept, again, of_file] = std::array::from_fn(|_| PageId::random(&entropy));
        let specs = CurrentSpecs::default();
        let mut before = Described::default();
        before.add_spec(kept, "pets", &specs);
        before.add_spec(again, "ships", &specs);
        before.add_file(of_file);
        assert!(before.is_current(&specs) && !before.is_empty());
        assert_eq!(before.to_update(&specs, false), Some(BTreeSet::new()));
        assert_eq!(before.to_update(&specs, true), Some(BTreeSet::from([of_file])));

        let mut after = Described::default();
        after.carry_over(before.clone(), &BTreeSet::from([again]));
        assert_eq!(after.specs.keys().collect::<Vec<_>>(), ["pets"]);
        assert_eq!(after.of_files, before.of_files);

        let version = bindery_model::OpenApiVersionId::random(&entropy);
        if let Some(spec) = after.specs.get_mut("pets") {
            spec.version = Some(version);
        }
        assert!(!after.is_current(&specs));
        assert_eq!(after.to_update(&specs, false), Some(BTreeSet::from([kept])));
        for _page in 0..MAX_PAGES {
            after.add_file(PageId::random(&entropy));
        }
        assert_eq!(after.to_update(&specs, false), None);
    }
}
