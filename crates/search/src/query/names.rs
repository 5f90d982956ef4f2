//! Finds pages by their names, for links and for addresses that lead nowhere, and related pages.

use std::collections::HashMap;
use std::ops::Range;

use bindery_model::{PageId, SpaceId};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED, Term};

use crate::analyzer::{Analyzer, FormKind, Sink};
use crate::entry::PageKey;
use crate::error::SearchError;
use crate::index::Snapshot;
use crate::page::StoredPage;
use crate::query::Scope;
use crate::query::dictionary::correct;
use crate::query::evaluate::Candidate;
use crate::query::lookup::{Places, word_info};
use crate::query::matcher::{Matcher, ranges};
use crate::query::score::inverse_frequency;
use crate::query::search::{Outcome, Session};
use crate::query::units::{Unit, parse};
use crate::schema::WordPart;
use crate::text::stem::Language;
use crate::text::weak_words;

/// Maximum number of pages in a list of names.
const MAX_NAMES: usize = 50;
/// The number of a page's words by which related pages are found.
const RELATED_WORDS: usize = 14;
/// Maximum number of a page's words that are looked up for that.
const MAX_LOOKUPS: usize = 300;
/// The weight of the words of a title and of headings, relative to those of a text.
const TITLE_COUNT: f32 = 4.0;
const HEADING_COUNT: f32 = 2.0;
/// Maximum share of pages that have a word by which related pages are found.
const MAX_SHARE: f32 = 0.3;

/// A page that was found by its name.
#[derive(Debug, Clone, PartialEq)]
pub struct NameHit {
    /// The space.
    pub space: SpaceId,
    /// The page.
    pub page: PageId,
    /// The path in the space.
    pub path: String,
    /// The title.
    pub title: String,
    /// The byte ranges of the matches in the title.
    pub highlights: Vec<Range<usize>>,
    /// The titles of the pages above, outermost first.
    pub ancestors: Vec<String>,
}

impl Snapshot {
    /// Returns pages whose titles have the words of a text, the last of which may be incomplete.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is damaged.
    pub fn suggest(
        &self,
        scopes: &[Scope<'_>],
        text: &str,
        limit: usize,
    ) -> Result<Vec<NameHit>, SearchError> {
        let mut session = Session::open(self, scopes)?;
        let units = parse(text, &session.languages, &[], true);
        let outcome = session.run(units, Places::Titles, text, limit.min(MAX_NAMES))?;
        if outcome.is_partial {
            return Ok(Vec::new());
        }
        names(&session, &outcome)
    }

    /// Returns the pages whose names resemble a path or words most, for an address without a page.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is damaged.
    pub fn nearest(
        &self,
        scopes: &[Scope<'_>],
        path: &str,
        limit: usize,
    ) -> Result<Vec<NameHit>, SearchError> {
        let mut session = Session::open(self, scopes)?;
        let spaced: String = path
            .chars()
            .map(|c| if matches!(c, '/' | '-' | '_' | '.' | '"') { ' ' } else { c })
            .collect();
        let mut units = parse(&spaced, &session.languages, &[], false);
        for unit in &mut units {
            correct(unit, 0, &session.spaces, &session.segments, Places::Names)?;
        }
        let outcome = session.run_partial(units, Places::Names, &spaced, limit.min(MAX_NAMES))?;
        names(&session, &outcome)
    }

    /// Returns the pages in the scopes that share the most of the words that distinguish a page.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is damaged.
    pub fn related(
        &self,
        scopes: &[Scope<'_>],
        key: PageKey,
        limit: usize,
    ) -> Result<Vec<NameHit>, SearchError> {
        let mut session = Session::open(self, scopes)?;
        let Some(page) = self.stored(&session, key)? else { return Ok(Vec::new()) };
        let words = characteristic_words(&session, &page)?;
        let (units, weights) =
            words.into_iter().map(|(word, weight)| (Unit::of_word(word), weight)).unzip();
        let limit = limit.min(MAX_NAMES);
        let outcome = session.run_weighted(units, weights, limit + 1)?;
        let mut hits = names(&session, &outcome)?;
        hits.retain(|hit| (hit.space, hit.page) != (key.space, key.page));
        hits.truncate(limit);
        Ok(hits)
    }

    /// Returns the visible part of a page.
    fn stored(
        &self,
        session: &Session<'_>,
        key: PageKey,
    ) -> Result<Option<StoredPage>, SearchError> {
        let Some(space) = session.spaces.iter().position(|space| space.space == key.space) else {
            return Ok(None);
        };
        let term = Term::from_field_text(self.fields.key, &key.text());
        for (segment, reader) in self.generation.searcher.segment_readers().iter().enumerate() {
            let inverted = reader.inverted_index(self.fields.key).map_err(SearchError::damaged)?;
            let postings = inverted.read_postings(&term, IndexRecordOption::Basic);
            let Some(mut postings) = postings.map_err(SearchError::damaged)? else { continue };
            while postings.doc() != TERMINATED {
                let doc = postings.doc();
                if !reader.is_deleted(doc) {
                    return session.load(&Candidate { score: 0.0, segment, doc, space });
                }
                postings.advance();
            }
        }
        Ok(None)
    }
}

fn names(session: &Session<'_>, outcome: &Outcome) -> Result<Vec<NameHit>, SearchError> {
    let matcher = Matcher::new(&outcome.units, &outcome.weights, &outcome.used);
    let mut analyzer = Analyzer::new(Language::of(None));
    let mut hits = Vec::new();
    for candidate in &outcome.candidates {
        let Some(page) = session.load(candidate)? else { continue };
        let Some(space) = session.spaces.get(candidate.space) else { continue };
        analyzer.set_language(Language::from_code(page.language));
        hits.push(NameHit {
            space: space.space,
            page: page.id,
            path: page.path,
            highlights: ranges(matcher.find(&page.title, &mut analyzer).iter()),
            title: page.title,
            ancestors: page.ancestors,
        });
    }
    Ok(hits)
}

/// Counts the words of texts.
struct Counts {
    counts: HashMap<String, f32>,
    step: f32,
}

impl Sink for Counts {
    fn word(&mut self, folded: &str, _: Range<usize>) {
        if folded.chars().any(char::is_alphabetic)
            && folded.len() > 2
            && !weak_words::is_weak(folded)
        {
            *self.counts.entry(folded.to_owned()).or_default() += self.step;
        }
    }
    fn form(&mut self, _: FormKind, _: &str, _: Range<usize>) {}
    fn needs_stem(&self, _: &str) -> bool {
        false
    }
}

/// Returns the words that distinguish a page from the others, with their weights.
fn characteristic_words(
    session: &Session<'_>,
    page: &StoredPage,
) -> Result<Vec<(String, f32)>, SearchError> {
    let mut analyzer = Analyzer::new(Language::from_code(page.language));
    let mut sink = Counts { counts: HashMap::new(), step: TITLE_COUNT };
    analyzer.analyze(&page.title, &mut sink);
    for section in &page.sections {
        sink.step = HEADING_COUNT;
        analyzer.analyze(&section.heading, &mut sink);
        sink.step = 1.0;
        analyzer.analyze(&section.text, &mut sink);
    }
    let mut counted: Vec<(String, f32)> = sink.counts.into_iter().collect();
    counted.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counted.truncate(MAX_LOOKUPS);
    let mut weighted = Vec::with_capacity(counted.len());
    let mut key = String::new();
    for (word, count) in counted {
        let mut documents = 0;
        for (at, segment) in session.segments.iter().enumerate() {
            for namespace in session.spaces.iter().flat_map(|space| space.namespaces_in(at)) {
                let info = word_info(segment, namespace, &word, WordPart::Body, &mut key)?;
                documents += info.map_or(0, |info| u64::from(info.doc_freq));
            }
        }
        // A word of this page alone finds no other.
        if documents < 2 || documents as f32 > MAX_SHARE * session.pages as f32 + 1.0 {
            continue;
        }
        let frequency = count / (count + 2.0);
        weighted.push((word, frequency * inverse_frequency(documents, session.pages)));
    }
    weighted.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    weighted.truncate(RELATED_WORDS);
    Ok(weighted)
}
