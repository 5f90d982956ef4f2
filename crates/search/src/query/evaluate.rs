//! Finds the pages that match the units of a query, and the best of them.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use tantivy::columnar::Column;
use tantivy::postings::SegmentPostings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, TERMINATED};

use crate::error::SearchError;
use crate::page::Facts;
use crate::query::lookup::{OpenSegment, SearchedSpace, Source, UnitSources, form_info};
use crate::query::postings::{Occurrence, UnitCursor, Work, cost};
use crate::query::score::{PageScore, Scoring, score_unit};
use crate::query::units::Unit;
use crate::schema::{FormPart, FormPrefix};

/// The share of the weight of a query that a page must match if it need not match all of it.
const MIN_PARTIAL: f32 = 0.3;

/// A page that matches, with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) score: f32,
    pub(crate) segment: usize,
    pub(crate) doc: DocId,
    /// Index into the searched spaces.
    pub(crate) space: usize,
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    /// Orders by score, then by a fixed order.
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then_with(|| other.space.cmp(&self.space))
            .then_with(|| other.segment.cmp(&self.segment))
            .then_with(|| other.doc.cmp(&self.doc))
    }
}

/// The rule by which pages match a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matching {
    /// Pages with all required units.
    All,
    /// Pages with a part of the weight of the units.
    Most,
    /// Pages with any unit.
    Any,
}

/// A query with everything that was looked up for it.
pub(crate) struct Plan<'p> {
    pub(crate) units: &'p [Unit],
    /// For each variant, the share of its inverse frequency in that of its unit.
    pub(crate) shares: &'p [&'p [f32]],
    /// The inverse frequencies of the units.
    pub(crate) weights: &'p [f32],
    /// `true` for the units that pages must have.
    pub(crate) required: &'p [bool],
    pub(crate) matching: Matching,
    /// The keys of titles that equal the whole query.
    pub(crate) whole_keys: &'p [String],
    pub(crate) segments: &'p [OpenSegment<'p>],
    pub(crate) facts: &'p [Column<u64>],
}

/// The pages that were found so far.
pub(crate) struct Found {
    pub(crate) total: usize,
    pub(crate) best: BinaryHeap<Reverse<Candidate>>,
    /// The number of candidates to keep.
    pub(crate) keep: usize,
    /// For each unit the variants that found a page.
    pub(crate) used: Vec<Vec<bool>>,
    pub(crate) is_complete: bool,
}

impl Found {
    pub(crate) fn new(units: &[Unit], keep: usize) -> Self {
        Self {
            total: 0,
            best: BinaryHeap::new(),
            keep,
            used: units.iter().map(|unit| vec![false; unit.variants.len()]).collect(),
            is_complete: true,
        }
    }

    fn push(&mut self, candidate: Candidate) {
        self.total += 1;
        if self.best.len() < self.keep {
            self.best.push(Reverse(candidate));
        } else if let Some(mut worst) = self.best.peek_mut()
            && candidate > worst.0
        {
            *worst = Reverse(candidate);
        }
    }

    /// Returns the candidates, best first.
    pub(crate) fn into_sorted(self) -> Vec<Candidate> {
        self.best.into_sorted_vec().into_iter().map(|Reverse(candidate)| candidate).collect()
    }
}

impl Plan<'_> {
    /// Evaluates the query in one space.
    pub(crate) fn evaluate(
        &self,
        at: usize,
        space: &SearchedSpace,
        sources: &[&UnitSources],
        found: &mut Found,
        work: &mut Work,
    ) -> Result<(), SearchError> {
        for (number, segment) in self.segments.iter().enumerate() {
            let here: Vec<&[Source]> = sources.iter().map(|unit| unit.in_segment(number)).collect();
            let mut required: Vec<usize> =
                (0..here.len()).filter(|unit| self.is_required(*unit)).collect();
            required.sort_by_key(|unit| here.get(*unit).map_or(0, |sources| cost(sources)));
            let leads = match required.first() {
                Some(lead) if here.get(*lead).is_none_or(|sources| sources.is_empty()) => continue,
                Some(lead) => vec![*lead],
                None => self.sufficient(),
            };
            let mut units = Vec::with_capacity(here.len());
            for (unit, sources) in here.iter().enumerate() {
                units.push(UnitCursor::open(sources, segment, leads.contains(&unit), work)?);
            }
            let mut evaluation = Evaluation {
                plan: self,
                segment,
                facts: self.facts.get(number),
                whole_titles: self.whole((number, segment), space, FormPrefix::WholeTitle)?,
                whole_headings: self.whole((number, segment), space, FormPrefix::WholeHeading)?,
                units,
                required,
                leads,
                occurrences: Vec::new(),
            };
            let target = Target { number, space: at, weight: space.weight };
            evaluation.run(&target, found, work);
            if work.0 == 0 {
                found.is_complete = false;
                return Ok(());
            }
        }
        Ok(())
    }

    fn is_required(&self, unit: usize) -> bool {
        self.matching == Matching::All && self.required.get(unit).copied().unwrap_or(false)
    }

    /// Returns units of which a page must have one in order to match. The others, mostly the frequent
    /// ones, do not suffice together.
    fn sufficient(&self) -> Vec<usize> {
        let weight = |unit: usize| self.weights.get(unit).copied().unwrap_or_default();
        let mut units: Vec<usize> = (0..self.units.len()).collect();
        if self.matching == Matching::Most {
            units.sort_by(|a, b| weight(*a).total_cmp(&weight(*b)));
            // A margin, because sums of numbers in another order differ.
            let least = self.weights.iter().sum::<f32>() * MIN_PARTIAL * 0.999;
            let mut sum = 0.0;
            units.retain(|unit| {
                sum += weight(*unit);
                sum >= least
            });
        }
        units
    }

    /// Opens the pages of which a title or heading equals the whole query.
    fn whole(
        &self,
        (number, segment): (usize, &OpenSegment<'_>),
        space: &SearchedSpace,
        prefix: FormPrefix,
    ) -> Result<Vec<SegmentPostings>, SearchError> {
        let part =
            if prefix == FormPrefix::WholeTitle { FormPart::Title } else { FormPart::Heading };
        let mut lists = Vec::new();
        let mut term = String::new();
        for key in self.whole_keys {
            for namespace in space.namespaces_in(number) {
                if let Some(info) = form_info(segment, namespace, prefix, key, part, &mut term)? {
                    let list = segment
                        .forms
                        .read_postings_from_terminfo(&info, IndexRecordOption::Basic)
                        .map_err(SearchError::damaged)?;
                    lists.push(list);
                }
            }
        }
        Ok(lists)
    }
}

/// A segment of the index and a space whose pages in it are evaluated.
struct Target {
    number: usize,
    space: usize,
    weight: f32,
}

struct Evaluation<'e> {
    plan: &'e Plan<'e>,
    segment: &'e OpenSegment<'e>,
    facts: Option<&'e Column<u64>>,
    units: Vec<UnitCursor>,
    /// The units that a page must have, the rarest first.
    required: Vec<usize>,
    /// The units of which a page must have one.
    leads: Vec<usize>,
    whole_titles: Vec<SegmentPostings>,
    whole_headings: Vec<SegmentPostings>,
    occurrences: Vec<Occurrence>,
}

impl Evaluation<'_> {
    fn run(&mut self, target: &Target, found: &mut Found, work: &mut Work) {
        let required = std::mem::take(&mut self.required);
        let leads = std::mem::take(&mut self.leads);
        let mut next = 0;
        while work.spend(1) {
            let doc = match required.split_first() {
                Some((lead, others)) => self.next_common(*lead, others, next, work),
                None => self.next_any(&leads, next, work),
            };
            if doc == TERMINATED {
                return;
            }
            next = doc + 1;
            if self.segment.reader.is_deleted(doc) {
                continue;
            }
            if let Some(score) = self.score(doc, target.weight, found, work) {
                found.push(Candidate { score, segment: target.number, doc, space: target.space });
            }
        }
    }

    /// Returns the first document from `target` that all required units contain.
    fn next_common(
        &mut self,
        lead: usize,
        others: &[usize],
        mut target: DocId,
        work: &mut Work,
    ) -> DocId {
        loop {
            let doc = self.seek(lead, target, work);
            if doc == TERMINATED || !work.spend(1) {
                return TERMINATED;
            }
            target = doc;
            for other in others {
                target = self.seek(*other, doc, work);
                if target != doc {
                    break;
                }
            }
            if target == doc {
                return doc;
            }
            if target == TERMINATED {
                return TERMINATED;
            }
        }
    }

    /// Returns the first document from `target` that one of some units contains.
    fn next_any(&mut self, units: &[usize], target: DocId, work: &mut Work) -> DocId {
        units.iter().map(|unit| self.seek(*unit, target, work)).min().unwrap_or(TERMINATED)
    }

    fn seek(&mut self, unit: usize, target: DocId, work: &mut Work) -> DocId {
        let Some(unit) = self.units.get_mut(unit) else { return TERMINATED };
        unit.seek(target, work);
        unit.doc()
    }

    /// Returns the score of a document, or `None` if it does not match.
    fn score(
        &mut self,
        doc: DocId,
        weight: f32,
        found: &mut Found,
        work: &mut Work,
    ) -> Option<f32> {
        let encoded = self.facts.and_then(|facts| facts.first(doc)).unwrap_or_default();
        let facts = Facts::decode(encoded);
        let scoring = match self.plan.matching {
            Matching::Most => Scoring::SOME,
            Matching::All | Matching::Any => Scoring::ALL,
        };
        let length = scoring.length_factor(facts);
        let mut score = PageScore {
            sum: 0.0,
            all: 0.0,
            in_title: 0.0,
            title_words: 0,
            is_whole_title: has(&mut self.whole_titles, doc),
            is_whole_heading: has(&mut self.whole_headings, doc),
        };
        let mut matched = 0.0;
        for (at, (unit, cursor)) in self.plan.units.iter().zip(&mut self.units).enumerate() {
            let weight = self.plan.weights.get(at).copied().unwrap_or_default();
            score.all += weight;
            cursor.seek(doc, work);
            if cursor.doc() != doc {
                continue;
            }
            let shares = self.plan.shares.get(at).copied().unwrap_or_default();
            cursor.occurrences(&mut self.occurrences);
            work.spend(self.occurrences.len() as u64);
            let result = score_unit(&self.occurrences, &unit.variants, shares, scoring, length);
            matched += weight;
            score.sum += weight * result.value;
            if result.title > 0.0 {
                score.in_title += weight * result.title.min(1.0);
                score.title_words += unit.words;
            }
            if let Some(used) = found.used.get_mut(at).and_then(|used| used.get_mut(result.variant))
            {
                *used = true;
            }
        }
        let share = if score.all > 0.0 { matched / score.all } else { 1.0 };
        let score = score.total(facts, weight);
        match self.plan.matching {
            Matching::All => Some(score),
            Matching::Most if share < MIN_PARTIAL => None,
            Matching::Most => Some(score * share.sqrt()),
            Matching::Any => Some(score * share),
        }
    }
}

fn has(lists: &mut [SegmentPostings], doc: DocId) -> bool {
    lists.iter_mut().any(|list| {
        if list.doc() < doc {
            list.seek(doc);
        }
        list.doc() == doc
    })
}
