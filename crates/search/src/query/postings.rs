//! Cursors over the documents that contain a unit.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, TERMINATED};

use crate::error::SearchError;
use crate::query::lookup::{OpenSegment, Place, Source, SourceKind};

/// The number of lists above which they are merged into one before the evaluation.
const MAX_CURSORS: usize = 28;

/// The amount of work that a query may still do, in documents read.
#[derive(Debug)]
pub(crate) struct Work(pub(crate) u64);

impl Work {
    /// Counts a number of steps. Returns `false` if the query must stop.
    pub(crate) fn spend(&mut self, steps: u64) -> bool {
        self.0 = self.0.saturating_sub(steps);
        self.0 > 0
    }
}

/// A list of documents.
enum List {
    One(Box<SegmentPostings>),
    Phrase(Box<PhraseCursor>),
}

struct Cursor {
    list: List,
    variant: usize,
    place: Place,
}

impl Cursor {
    fn doc(&self) -> DocId {
        match &self.list {
            List::One(postings) => postings.doc(),
            List::Phrase(phrase) => phrase.doc,
        }
    }

    fn frequency(&self) -> u32 {
        match &self.list {
            List::One(postings) => postings.term_freq(),
            List::Phrase(phrase) => phrase.frequency,
        }
    }

    fn seek(&mut self, target: DocId, work: &mut Work) {
        match &mut self.list {
            List::One(postings) => {
                if postings.doc() < target {
                    postings.seek(target);
                }
            }
            List::Phrase(phrase) => phrase.seek(target, work),
        }
    }
}

/// The documents in which all words of a phrase are adjacent.
struct PhraseCursor {
    words: Vec<SegmentPostings>,
    doc: DocId,
    frequency: u32,
    positions: Vec<u32>,
    others: Vec<u32>,
}

impl PhraseCursor {
    fn new(words: Vec<SegmentPostings>, work: &mut Work) -> Self {
        let mut cursor =
            Self { words, doc: 0, frequency: 0, positions: Vec::new(), others: Vec::new() };
        cursor.find(0, work);
        cursor
    }

    fn seek(&mut self, target: DocId, work: &mut Work) {
        if self.doc < target {
            self.find(target, work);
        }
    }

    /// Moves to the first document from `target` that has the phrase.
    fn find(&mut self, mut target: DocId, work: &mut Work) {
        self.doc = loop {
            if !work.spend(1) {
                break TERMINATED;
            }
            let mut next = target;
            for word in &mut self.words {
                if word.doc() < next {
                    word.seek(next);
                }
                next = next.max(word.doc());
            }
            if next == TERMINATED {
                break TERMINATED;
            }
            if next > target || self.words.iter().any(|word| word.doc() != next) {
                target = next;
                if self.words.iter().any(|word| word.doc() != next) {
                    continue;
                }
            }
            if self.has_phrase(work) {
                break next;
            }
            target = next + 1;
        };
    }

    /// Counts the places in which the words are adjacent.
    fn has_phrase(&mut self, work: &mut Work) -> bool {
        let Some((first, rest)) = self.words.split_first_mut() else { return false };
        first.positions(&mut self.positions);
        for (offset, word) in (1..).zip(rest) {
            word.positions(&mut self.others);
            work.spend((self.positions.len() + self.others.len()) as u64 / 8);
            let mut others = self.others.iter().peekable();
            self.positions.retain(|position| {
                let wanted = position + offset;
                while others.next_if(|other| **other < wanted).is_some() {}
                others.peek().is_some_and(|other| **other == wanted)
            });
            if self.positions.is_empty() {
                return false;
            }
        }
        self.frequency = u32::try_from(self.positions.len()).unwrap_or(u32::MAX);
        !self.positions.is_empty()
    }
}

/// An occurrence of a variant in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Occurrence {
    pub(crate) variant: usize,
    pub(crate) place: Place,
    pub(crate) frequency: u32,
}

/// The documents that contain a unit.
pub(crate) struct UnitCursor {
    cursors: Vec<Cursor>,
    /// The occurrences of all lists, if there are too many lists.
    merged: Vec<(DocId, Occurrence)>,
    at: usize,
    doc: DocId,
    /// An upper bound of the number of documents.
    pub(crate) cost: u64,
}

impl UnitCursor {
    /// Opens the sources of a unit in one segment.
    pub(crate) fn open(
        sources: &[Source],
        segment: &OpenSegment<'_>,
        work: &mut Work,
    ) -> Result<Self, SearchError> {
        let mut cursors = Vec::with_capacity(sources.len());
        for source in sources {
            let list = match &source.kind {
                SourceKind::Word(info) => List::One(Box::new(
                    segment
                        .words
                        .read_postings_from_terminfo(info, IndexRecordOption::WithFreqs)
                        .map_err(SearchError::damaged)?,
                )),
                SourceKind::Form(info) => List::One(Box::new(
                    segment
                        .forms
                        .read_postings_from_terminfo(info, IndexRecordOption::WithFreqs)
                        .map_err(SearchError::damaged)?,
                )),
                SourceKind::Phrase(infos) => {
                    let option = IndexRecordOption::WithFreqsAndPositions;
                    let words: Result<Vec<_>, _> = infos
                        .iter()
                        .map(|info| segment.words.read_postings_from_terminfo(info, option))
                        .collect();
                    List::Phrase(Box::new(PhraseCursor::new(
                        words.map_err(SearchError::damaged)?,
                        work,
                    )))
                }
            };
            cursors.push(Cursor { list, variant: source.variant, place: source.place });
        }
        let cost = sources.iter().map(|source| u64::from(source.kind.documents())).sum();
        let mut unit = Self { cursors, merged: Vec::new(), at: 0, doc: TERMINATED, cost };
        if unit.cursors.len() > MAX_CURSORS {
            unit.merge(work);
        }
        unit.update();
        Ok(unit)
    }

    /// Reads all lists into one.
    fn merge(&mut self, work: &mut Work) {
        for mut cursor in self.cursors.drain(..) {
            while cursor.doc() != TERMINATED && work.spend(1) {
                let doc = cursor.doc();
                let occurrence = Occurrence {
                    variant: cursor.variant,
                    place: cursor.place,
                    frequency: cursor.frequency(),
                };
                self.merged.push((doc, occurrence));
                cursor.seek(doc + 1, work);
            }
        }
        self.merged.sort_unstable();
    }

    fn update(&mut self) {
        let merged = self.merged.get(self.at).map_or(TERMINATED, |(doc, _)| *doc);
        let lists = self.cursors.iter().map(Cursor::doc).min().unwrap_or(TERMINATED);
        self.doc = merged.min(lists);
    }

    /// Returns the current document.
    pub(crate) fn doc(&self) -> DocId {
        self.doc
    }

    /// Moves to the first document from `target`.
    pub(crate) fn seek(&mut self, target: DocId, work: &mut Work) {
        if self.doc >= target {
            return;
        }
        if !self.merged.is_empty() {
            let rest = self.merged.get(self.at..).unwrap_or_default();
            // The next documents are near in most cases.
            let near = rest.iter().take(16).position(|(doc, _)| *doc >= target);
            self.at += near.unwrap_or_else(|| rest.partition_point(|(doc, _)| *doc < target));
        }
        for cursor in &mut self.cursors {
            cursor.seek(target, work);
        }
        self.update();
    }

    /// Passes the occurrences in the current document, ordered by variant.
    pub(crate) fn occurrences(&self, out: &mut Vec<Occurrence>) {
        out.clear();
        let merged = self.merged.get(self.at..).unwrap_or_default();
        out.extend(merged.iter().take_while(|(doc, _)| *doc == self.doc).map(|(_, one)| *one));
        for cursor in self.cursors.iter().filter(|cursor| cursor.doc() == self.doc) {
            out.push(Occurrence {
                variant: cursor.variant,
                place: cursor.place,
                frequency: cursor.frequency(),
            });
        }
    }
}
