//! The site spaces that a search on a site covers.

use std::collections::{BTreeMap, HashSet};

use bindery_model::{SiteSectionId, SiteSpaceId};
use bindery_store::site_spaces::SiteSpace;

/// Weight of the pages of the site space in which the reader searches, relative to other pages.
const CURRENT_WEIGHT: f32 = 1.25;
/// Weight of the pages of other site spaces in the same language.
const LANGUAGE_WEIGHT: f32 = 1.1;

/// The part of a site that a search covers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchScope {
    /// The site space in which the reader searches, if it is named, and one site space of each
    /// section: the first with the same language, otherwise the default one.
    Default(Option<SiteSpaceId>),
    /// These site spaces.
    Specific(HashSet<SiteSpaceId>),
    /// All site spaces.
    All,
}

impl SearchScope {
    /// Returns the site spaces that the scope covers, as [`Self::covered`] does, with the weights of
    /// their pages for a reader who searches in the site space `current`.
    pub fn weighted(
        &self,
        seen: &[(&SiteSpace, Option<&str>)],
        current: Option<SiteSpaceId>,
    ) -> Vec<(SiteSpaceId, f32)> {
        let covered = self.covered(seen);
        let here = seen.iter().find(|(one, _)| Some(one.id) == current);
        let language = here.and_then(|(_, language)| *language);
        let of_scope = seen.iter().filter(|(one, _)| covered.contains(&one.id));
        let weighted = of_scope.map(|(one, its_language)| {
            let weight = match language {
                _ if Some(one.id) == current => CURRENT_WEIGHT,
                Some(_) if *its_language == language => LANGUAGE_WEIGHT,
                _ => 1.0,
            };
            (one.id, weight)
        });
        weighted.collect()
    }

    /// Returns the site spaces that the scope covers, of those that the reader sees. These have
    /// their languages and are in the order of the site.
    pub fn covered(&self, seen: &[(&SiteSpace, Option<&str>)]) -> HashSet<SiteSpaceId> {
        let ids = seen.iter().map(|(one, _)| one.id);
        match self {
            Self::All => ids.collect(),
            Self::Specific(named) => ids.filter(|id| named.contains(id)).collect(),
            Self::Default(current) => {
                let current = seen.iter().find(|(one, _)| Some(one.id) == *current);
                let language = current.and_then(|(_, language)| *language);
                let mut covered = of_each_section(seen, language);
                covered.extend(current.map(|(one, _)| one.id));
                covered
            }
        }
    }
}

/// Returns one site space of each section.
fn of_each_section(
    seen: &[(&SiteSpace, Option<&str>)],
    language: Option<&str>,
) -> HashSet<SiteSpaceId> {
    let mut best: BTreeMap<Option<SiteSectionId>, (bool, bool, SiteSpaceId)> = BTreeMap::new();
    for (one, its_language) in seen {
        let has_language = language.is_some() && *its_language == language;
        let candidate = (has_language, one.is_default, one.id);
        let chosen = best.entry(one.section).or_insert(candidate);
        if (candidate.0, candidate.1) > (chosen.0, chosen.1) {
            *chosen = candidate;
        }
    }
    best.into_values().map(|(_, _, id)| id).collect()
}

#[cfg(test)]
mod tests {
    use bindery_model::{Entropy, SiteId, SpaceId};

    use super::*;

    #[test]
    fn the_default_scope_has_one_site_space_of_each_section() {
        let entropy = Entropy::seeded(1);
        let (site, sections) =
            (SiteId::random(&entropy), [0, 1].map(|_| SiteSectionId::random(&entropy)));
        let space = |section: usize, is_default| SiteSpace {
            id: SiteSpaceId::random(&entropy),
            site,
            section: Some(sections[section]),
            space: SpaceId::random(&entropy),
            path: String::new(),
            title: String::new(),
            condition: None,
            position: 0,
            is_default,
            language: None,
        };
        let all =
            [space(0, true), space(0, false), space(0, false), space(1, false), space(1, true)];
        let languages = [Some("en"), Some("de"), Some("fr"), Some("de"), None];
        let seen: Vec<_> = all.iter().zip(languages).collect();
        let check = |scope: &SearchScope, expected: &[usize]| {
            let expected: HashSet<_> = expected.iter().map(|at| all[*at].id).collect();
            assert_eq!(scope.covered(&seen), expected, "{scope:?}");
        };
        check(&SearchScope::All, &[0, 1, 2, 3, 4]);
        check(&SearchScope::Specific(HashSet::from([all[2].id])), &[2]);
        check(&SearchScope::Default(None), &[0, 4]);
        check(&SearchScope::Default(Some(all[1].id)), &[1, 3]);
        // No other section has a site space in this language.
        check(&SearchScope::Default(Some(all[2].id)), &[2, 4]);
        let weighted = SearchScope::All.weighted(&seen, Some(all[1].id));
        let weights: Vec<f32> = weighted.iter().map(|(_, weight)| *weight).collect();
        assert_eq!(weights, [1.0, CURRENT_WEIGHT, 1.0, LANGUAGE_WEIGHT, 1.0]);
        // Without a language, the named site space is added to the default ones.
        check(&SearchScope::Default(Some(all[4].id)), &[0, 4]);
    }
}
