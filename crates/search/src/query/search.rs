//! Runs queries.

use tantivy::columnar::Column;
use tantivy::{DocAddress, TantivyDocument};

use crate::analyzer::{Analyzer, whole_key};
use crate::error::SearchError;
use crate::index::{Snapshot, stored_bytes};
use crate::page::StoredPage;
use crate::query::dictionary::{FEW_DOCUMENTS, complete, correct};
use crate::query::evaluate::{Candidate, Found, Matching, Plan};
use crate::query::lookup::{OpenSegment, Places, SearchedSpace, UnitSources, form_info, look_up};
use crate::query::matcher::{Match, Matcher, ranges};
use crate::query::postings::Work;
use crate::query::score::inverse_frequency;
use crate::query::snippet::snippet;
use crate::query::units::{Origin, Target, Unit, add_related, is_question, parse};
use crate::query::{Correction, Hits, MAX_RANK, Mode, PageHit, Query, Scope, SectionHit};
use crate::schema::{FormPart, FormPrefix};
use crate::text::stem::Language;

/// Maximum amount of work of a query, in documents read: about half a second.
const MAX_WORK: u64 = 30_000_000;
/// The factor of the weight of words of little meaning.
const WEAK: f32 = 0.25;
/// The power of the inverse frequency of a word in a question. A rare word of a question is often
/// just another wording, so that rarity says less than in a short query.
const QUESTION_RARITY: f32 = 0.6;
/// Maximum factor by which a form counts more because it is rarer than others of the same unit.
const MAX_RARITY: f32 = 2.5;
/// The number of pages below which words are taken for errors that few pages have.
const FEW_PAGES: usize = 3;
/// The number of pages with all words of a question from which pages with some of them are left out:
/// there would be too many of both.
const MANY_PAGES: usize = 100;
/// Maximum number of sections of a page in a result.
const MAX_SECTIONS: usize = 3;
/// A section is shown if its weight is at least this share of that of the best one.
const MIN_SECTION_SHARE: f32 = 0.5;
/// The weight of a word in a heading, relative to one in a text.
const HEADING_WEIGHT: f32 = 1.5;
/// The share of its score that a page gains if its title or one of its sections has all of a
/// question.
const WHOLE_SECTION: f32 = 1.0;
/// The number of pages that are ordered again by their best sections.
const REORDERED: usize = 10;

/// The index as one query sees it.
pub(crate) struct Session<'s> {
    snapshot: &'s Snapshot,
    pub(crate) spaces: Vec<SearchedSpace>,
    pub(crate) segments: Vec<OpenSegment<'s>>,
    facts: Vec<Column<u64>>,
    pub(crate) languages: Vec<Language>,
    /// The number of pages that the reader may see.
    pub(crate) pages: u64,
    work: Work,
}

/// The postings that match a unit of the query.
struct UnitLookup {
    /// By space.
    sources: Vec<UnitSources>,
    /// The number of documents of its most frequent variant.
    documents: u64,
    /// The inverse frequency.
    weight: f32,
    /// For each variant, the share of its inverse frequency in that of the unit.
    shares: Vec<f32>,
}

/// A query with what was found for it.
pub(crate) struct Outcome {
    pub(crate) units: Vec<Unit>,
    pub(crate) weights: Vec<f32>,
    pub(crate) used: Vec<Vec<bool>>,
    pub(crate) total: usize,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) is_partial: bool,
    pub(crate) is_complete: bool,
    /// `true` if pages with some of the words of a question were found.
    pub(crate) is_question: bool,
}

impl<'s> Session<'s> {
    pub(crate) fn open(snapshot: &'s Snapshot, scopes: &[Scope<'_>]) -> Result<Self, SearchError> {
        let spaces = snapshot.searched_spaces(scopes);
        let segments = snapshot.open_segments()?;
        let facts = segments.iter().map(|segment| segment.reader.fast_fields().u64("facts"));
        let facts: Result<Vec<_>, _> = facts.collect();
        let mut languages: Vec<Language> =
            spaces.iter().flat_map(|space| space.languages.iter().copied()).collect();
        languages.sort_unstable();
        languages.dedup();
        let mut session = Self {
            snapshot,
            spaces,
            segments,
            facts: facts.map_err(SearchError::damaged)?,
            languages,
            pages: 0,
            work: Work(MAX_WORK),
        };
        session.find_namespaces()?;
        Ok(session)
    }

    /// Finds the namespaces that each segment has, and counts their pages.
    fn find_namespaces(&mut self) -> Result<(), SearchError> {
        let mut key = String::new();
        for space in &mut self.spaces {
            for segment in &self.segments {
                let mut present = Vec::new();
                for namespace in &space.namespaces {
                    let mut documents = |prefix| {
                        let info =
                            form_info(segment, namespace, prefix, "", FormPart::Other, &mut key)?;
                        Ok::<_, SearchError>(info.map_or(0, |info| u64::from(info.doc_freq)))
                    };
                    let pages = documents(FormPrefix::Page)?;
                    self.pages += pages;
                    if pages > 0 || documents(FormPrefix::PagePart)? > 0 {
                        present.push(namespace.clone());
                    }
                }
                space.by_segment.push(present);
            }
        }
        Ok(())
    }

    /// Looks a unit up in all spaces.
    fn find(&self, unit: &Unit, places: Places) -> Result<UnitLookup, SearchError> {
        let found = self.spaces.iter().map(|space| look_up(unit, space, &self.segments, places));
        let found: Result<Vec<_>, _> = found.collect();
        let found = found?;
        let mut documents = vec![0u64; unit.variants.len()];
        for sources in &found {
            for (sum, one) in documents.iter_mut().zip(&sources.documents) {
                *sum += u64::from(*one);
            }
        }
        let most = documents.iter().copied().max().unwrap_or(0);
        let common = inverse_frequency(most, self.pages);
        // The weight is that of the rarest form that was typed, so that a page with the word as it is
        // wins against pages with frequent forms of it.
        let typed = unit.variants.iter().zip(&documents);
        let typed = typed.filter(|(one, count)| one.origin == Origin::Typed && **count > 0);
        let rarest = typed.map(|(_, count)| inverse_frequency(*count, self.pages));
        let weight = rarest.fold(common, f32::max).min(common * MAX_RARITY);
        let shares = unit.variants.iter().zip(&documents).map(|(variant, count)| {
            // Other words than the typed one would gain from being rare, and are less likely then.
            let own = match variant.origin {
                Origin::Typed => inverse_frequency(*count, self.pages),
                Origin::Completed
                | Origin::CompletedInNames
                | Origin::Related
                | Origin::Corrected => common,
            };
            if weight > 0.0 { (own / weight).min(1.0) } else { 1.0 }
        });
        Ok(UnitLookup { shares: shares.collect(), sources: found, documents: most, weight })
    }

    /// Finds the best pages for units, whose words are completed and corrected first.
    pub(crate) fn run(
        &mut self,
        mut units: Vec<Unit>,
        places: Places,
        text: &str,
        keep: usize,
    ) -> Result<Outcome, SearchError> {
        let is_question = places == Places::All && is_question(&units);
        if let Some(last) = units.last_mut() {
            complete(last, &self.spaces, &self.segments, places)?;
        }
        let mut lookups = Vec::with_capacity(units.len());
        for unit in &mut units {
            let mut found = self.find(unit, places)?;
            if found.documents == 0 && unit.correctable().is_some() && !self.knows_parts(unit)? {
                correct(unit, found.documents, &self.spaces, &self.segments, places)?;
                found = self.find(unit, places)?;
            }
            lookups.push(found);
        }
        let mut strict = self.evaluate(units, lookups, Matching::All, text, keep)?;
        if strict.total < FEW_PAGES {
            strict = self.correct_rare(strict, places, text, keep)?;
        }
        if strict.total >= MANY_PAGES || strict.total > 0 && !is_question {
            return Ok(strict);
        }
        let mut partial = self.run_partial(strict.units.clone(), places, text, keep)?;
        partial.is_partial = strict.total == 0;
        partial.is_question = is_question;
        let is_better = partial.total > 0 && partial.total >= strict.total;
        Ok(if is_better { partial } else { strict })
    }

    /// Corrects words that few pages have, which may be errors, too. Returns the outcome with the
    /// corrected words if it has more pages.
    fn correct_rare(
        &mut self,
        strict: Outcome,
        places: Places,
        text: &str,
        keep: usize,
    ) -> Result<Outcome, SearchError> {
        let mut units = strict.units.clone();
        let mut lookups = Vec::with_capacity(units.len());
        let mut is_changed = false;
        for unit in &mut units {
            let mut found = self.find(unit, places)?;
            let is_rare = (1..=FEW_DOCUMENTS).contains(&found.documents);
            if is_rare && unit.correctable().is_some() && !self.knows_parts(unit)? {
                let before = unit.variants.len();
                correct(unit, found.documents, &self.spaces, &self.segments, places)?;
                is_changed |= unit.variants.len() > before;
                found = self.find(unit, places)?;
            }
            lookups.push(found);
        }
        if !is_changed {
            return Ok(strict);
        }
        let corrected = self.evaluate(units, lookups, Matching::All, text, keep)?;
        Ok(if corrected.total > strict.total { corrected } else { strict })
    }

    /// Returns `true` for an identifier whose parts are all known words, which is no error.
    fn knows_parts(&self, unit: &Unit) -> Result<bool, SearchError> {
        for part in &unit.parts {
            if self.find(part, Places::All)?.documents == 0 {
                return Ok(false);
            }
        }
        Ok(!unit.parts.is_empty())
    }

    /// Finds the pages that have some of the words of a query, or words that are related to them.
    pub(crate) fn run_partial(
        &mut self,
        mut units: Vec<Unit>,
        places: Places,
        text: &str,
        keep: usize,
    ) -> Result<Outcome, SearchError> {
        add_related(&mut units);
        let mut divided = Vec::with_capacity(units.len());
        for unit in units {
            if unit.parts.is_empty()
                || unit.is_word_or_compound() && self.find(&unit, places)?.documents > 0
            {
                divided.push(unit);
            } else {
                divided.extend(unit.parts);
            }
        }
        let mut matching = Matching::Most;
        loop {
            let lookups: Result<Vec<_>, _> =
                divided.iter().map(|unit| self.find(unit, places)).collect();
            let mut outcome = self.evaluate(divided, lookups?, matching, text, keep)?;
            outcome.is_partial = true;
            if outcome.total > 0 || matching == Matching::Any {
                return Ok(outcome);
            }
            divided = outcome.units;
            matching = Matching::Any;
        }
    }

    fn evaluate(
        &mut self,
        units: Vec<Unit>,
        lookups: Vec<UnitLookup>,
        matching: Matching,
        text: &str,
        keep: usize,
    ) -> Result<Outcome, SearchError> {
        let has_strong = units.iter().any(|unit| !unit.is_weak);
        let required: Vec<bool> = units.iter().map(|unit| !unit.is_weak || !has_strong).collect();
        let mut weights = Vec::with_capacity(units.len());
        for (unit, found) in units.iter().zip(&lookups) {
            // A word that no page has does not make any page better than others.
            let is_absent = matching != Matching::All && found.documents == 0;
            let is_light = matching != Matching::All && unit.is_light;
            let weight = match matching {
                Matching::All => found.weight,
                Matching::Most | Matching::Any => found.weight.powf(QUESTION_RARITY),
            };
            weights.push(match (unit.is_weak || is_light) && has_strong {
                _ if is_absent => 0.0,
                true => weight * WEAK,
                false => weight,
            });
        }
        self.evaluate_weighted(units, weights, &required, lookups, matching, text, keep)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a plan, which borrows them")]
    fn evaluate_weighted(
        &mut self,
        units: Vec<Unit>,
        weights: Vec<f32>,
        required: &[bool],
        lookups: Vec<UnitLookup>,
        matching: Matching,
        text: &str,
        keep: usize,
    ) -> Result<Outcome, SearchError> {
        let mut keys: Vec<String> =
            self.languages.iter().filter_map(|language| whole_key(text, *language)).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut found = Found::new(&units, keep);
        let shares: Vec<&[f32]> = lookups.iter().map(|found| found.shares.as_slice()).collect();
        let plan = Plan {
            units: &units,
            shares: &shares,
            weights: &weights,
            required,
            matching,
            whole_keys: &keys,
            segments: &self.segments,
            facts: &self.facts,
        };
        if !units.is_empty() {
            for (at, space) in self.spaces.iter().enumerate() {
                let sources: Vec<&UnitSources> =
                    lookups.iter().filter_map(|found| found.sources.get(at)).collect();
                plan.evaluate(at, space, &sources, &mut found, &mut self.work)?;
            }
        }
        let (total, is_complete) = (found.total, found.is_complete);
        let used = std::mem::take(&mut found.used);
        Ok(Outcome {
            units,
            weights,
            used,
            total,
            candidates: found.into_sorted(),
            is_partial: false,
            is_complete,
            is_question: false,
        })
    }

    /// Finds the pages that share the most of weighted units.
    pub(crate) fn run_weighted(
        &mut self,
        units: Vec<Unit>,
        weights: Vec<f32>,
        keep: usize,
    ) -> Result<Outcome, SearchError> {
        let lookups: Result<Vec<_>, _> =
            units.iter().map(|unit| self.find(unit, Places::All)).collect();
        let required = vec![false; units.len()];
        self.evaluate_weighted(units, weights, &required, lookups?, Matching::Any, "", keep)
    }

    /// Loads a page as it is stored, without the sections that the reader may not see. Returns
    /// `None` for a page that the reader may not see at all.
    pub(crate) fn load(&self, candidate: &Candidate) -> Result<Option<StoredPage>, SearchError> {
        let segment = u32::try_from(candidate.segment).unwrap_or_default();
        let address = DocAddress::new(segment, candidate.doc);
        let searcher = &self.snapshot.generation.searcher;
        let document: TantivyDocument = searcher.doc(address).map_err(SearchError::damaged)?;
        let bytes = stored_bytes(&document, &self.snapshot.fields)?;
        let mut page: StoredPage = postcard::from_bytes(bytes).map_err(SearchError::damaged)?;
        let visible = self.spaces.get(candidate.space).map(|space| &space.numbers);
        let namespaces = std::mem::take(&mut page.namespaces);
        let is_visible = |at: usize| {
            let number = namespaces.get(at);
            number.is_some_and(|number| visible.is_some_and(|visible| visible.contains(number)))
        };
        // The first namespace is that of the title.
        if !is_visible(0) {
            return Ok(None);
        }
        page.sections.retain(|section| is_visible(usize::from(section.namespace)));
        Ok(Some(page))
    }
}

impl Outcome {
    /// Returns the words that were replaced in the pages that were found.
    pub(crate) fn corrections(&self) -> Vec<Correction> {
        let mut corrections = Vec::new();
        for (unit, used) in self.units.iter().zip(&self.used) {
            let of_unit = unit.variants.iter().zip(used);
            let mut found = of_unit.filter(|(_, is_used)| **is_used).map(|(variant, _)| variant);
            if found.clone().any(|variant| variant.origin != Origin::Corrected) {
                continue;
            }
            if let Some(variant) = found.next()
                && let Target::Word(word) = &variant.target
            {
                corrections.push(Correction { typed: unit.typed.clone(), used: word.clone() });
            }
        }
        corrections
    }
}

impl Snapshot {
    /// Finds pages.
    ///
    /// Work and memory are bounded for every query.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is damaged.
    pub fn search(&self, query: &Query<'_>) -> Result<Hits, SearchError> {
        let mut session = Session::open(self, query.scopes)?;
        let is_typing = query.mode == Mode::Typing;
        let units = parse(query.text, &session.languages, query.synonyms, is_typing);
        let offset = query.offset.min(MAX_RANK);
        let end = (offset + query.limit).min(MAX_RANK);
        let outcome = session.run(units, Places::All, query.text, end.max(REORDERED))?;
        let matcher = Matcher::new(&outcome.units, &outcome.weights, &outcome.used);
        let mut analyzer = Analyzer::new(Language::of(None));
        let mut pages = Vec::new();
        let is_reordered = outcome.is_question && offset < REORDERED;
        let loaded = if is_reordered { 0..end.max(REORDERED) } else { offset..end };
        let all = outcome.weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        for (rank, candidate) in outcome.candidates.iter().enumerate() {
            if !loaded.contains(&rank) {
                continue;
            }
            let Some(page) = session.load(candidate)? else { continue };
            let Some(space) = session.spaces.get(candidate.space) else { continue };
            analyzer.set_language(Language::from_code(page.language));
            let in_title = matcher.find(&page.title, &mut analyzer);
            let (in_section, sections) = sections(&page, &matcher, &mut analyzer);
            let share = in_section.max(matcher.best(in_title.iter())) / all;
            let gain = if is_reordered && rank < REORDERED { WHOLE_SECTION * share } else { 0.0 };
            pages.push(PageHit {
                space: space.space,
                page: page.id,
                title_highlights: ranges(in_title.iter()),
                path: page.path,
                title: page.title,
                description: page.description,
                ancestors: page.ancestors,
                score: candidate.score * (1.0 + gain),
                sections,
            });
        }
        if is_reordered {
            pages.sort_by(|a: &PageHit, b| b.score.total_cmp(&a.score));
            pages = pages.into_iter().skip(offset).take(query.limit).collect();
        }
        Ok(Hits {
            total: outcome.total,
            corrections: outcome.corrections(),
            is_partial: outcome.is_partial,
            is_complete: outcome.is_complete,
            pages,
        })
    }
}

/// Returns the best sections of a page, and the weight of the words that the best one of them has.
fn sections(
    page: &StoredPage,
    matcher: &Matcher,
    analyzer: &mut Analyzer,
) -> (f32, Vec<SectionHit>) {
    let mut found = Vec::new();
    let mut most: f32 = 0.0;
    for (at, section) in page.sections.iter().enumerate() {
        let heading = matcher.find(&section.heading, analyzer);
        let text = matcher.find(&section.text, analyzer);
        let code = matcher.find(&section.code, analyzer);
        most = most.max(matcher.best(heading.iter().chain(&text).chain(&code)));
        let weighted = |matches: &[Match], factor: f32| -> Vec<Match> {
            let scale = |one: &Match| Match { weight: one.weight * factor, ..one.clone() };
            matches.iter().map(scale).collect()
        };
        let in_heading =
            weighted(&heading, if section.is_continuation { 1.0 } else { HEADING_WEIGHT });
        let weight = matcher.weight(in_heading.iter().chain(&text).chain(&code));
        found.push((weight, at, heading, text, code));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let best = found.first().map_or(0.0, |(weight, ..)| *weight);
    // A page that matches by its title alone is shown with its beginning.
    let shown = if best > 0.0 { MAX_SECTIONS } else { 1 };
    let mut hits: Vec<SectionHit> = Vec::new();
    for (weight, at, heading, text, code) in found {
        let Some(section) = page.sections.get(at) else { continue };
        if hits.len() >= shown || weight < best * MIN_SECTION_SHARE {
            break;
        }
        if hits.iter().any(|hit| hit.anchor == section.anchor) {
            continue;
        }
        let is_code = matcher.weight(code.iter()) > matcher.weight(text.iter());
        let (source, matches) = if is_code { (&section.code, code) } else { (&section.text, text) };
        let snippet = snippet(source, &matches, matcher);
        hits.push(SectionHit {
            anchor: section.anchor.clone(),
            heading_highlights: ranges(heading.iter()),
            heading: section.heading.clone(),
            snippet: snippet.text,
            highlights: snippet.highlights,
        });
    }
    (most, hits)
}
