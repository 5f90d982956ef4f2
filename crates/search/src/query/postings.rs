//! Cursors over the documents that contain a unit.

use tantivy::postings::{Postings, SegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, InvertedIndexReader, TERMINATED};

use crate::error::SearchError;
use crate::query::lookup::{OpenSegment, Place, Source, SourceKind};

/// The number of lists above which they are merged into one before the evaluation.
const MAX_CURSORS: usize = 28;
/// The number of documents up to which merging lists costs less than moving along each of them.
const FEW_DOCUMENTS: u64 = 512;
/// The number of documents that are merged for the cost of one that is scored.
const MERGED_PER_STEP: u64 = 4;
/// Lists with fewer documents than this share of a segment are sorted by comparison.
const SPARSE: usize = 8;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Occurrence {
    pub(crate) variant: usize,
    pub(crate) place: Place,
    pub(crate) frequency: u32,
}

/// An occurrence with its document in one number, which sorts by document and variant: 32 bits of
/// the document, 8 of the variant, 4 of the place and 20 of the frequency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packed(u64);

impl Packed {
    const MAX_FREQUENCY: u32 = (1 << 20) - 1;

    /// Returns what the documents of a source have in common.
    fn source(variant: usize, place: Place) -> u64 {
        let variant = u64::from(u8::try_from(variant).unwrap_or(u8::MAX));
        variant << 24 | (place as u64) << 20
    }

    fn new(doc: DocId, source: u64, frequency: u32) -> Self {
        let frequency = u64::from(frequency.min(Self::MAX_FREQUENCY));
        Self(u64::from(doc) << 32 | source | frequency)
    }

    fn doc(self) -> DocId {
        u32::try_from(self.0 >> 32).unwrap_or(TERMINATED)
    }

    fn occurrence(self) -> Occurrence {
        let bits = |shift: u32, mask: u64| self.0 >> shift & mask;
        let place = usize::try_from(bits(20, 0xF)).unwrap_or_default();
        Occurrence {
            variant: usize::try_from(bits(24, 0xFF)).unwrap_or_default(),
            place: Place::ALL.get(place).copied().unwrap_or(Place::Body),
            frequency: u32::try_from(bits(0, u64::from(Self::MAX_FREQUENCY))).unwrap_or_default(),
        }
    }
}

/// Sorts lists that follow each other, each of which is in the order of its documents.
fn sort_lists(lists: Vec<Packed>, documents: usize) -> Vec<Packed> {
    if lists.len() < documents / SPARSE {
        let mut sorted = lists;
        sorted.sort_unstable();
        return sorted;
    }
    // The place at which the next occurrence of each document goes.
    let mut next = vec![0u32; documents + 1];
    let slot = |one: &Packed| usize::try_from(one.doc()).unwrap_or(usize::MAX);
    for one in &lists {
        if let Some(count) = next.get_mut(slot(one) + 1) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for count in &mut next {
        sum += *count;
        *count = sum;
    }
    let mut sorted = vec![Packed(u64::MAX); lists.len()];
    for one in &lists {
        let Some(at) = next.get_mut(slot(one)) else { continue };
        if let Some(place) = usize::try_from(*at).ok().and_then(|at| sorted.get_mut(at)) {
            *place = *one;
        }
        *at += 1;
    }
    sorted
}

/// The documents that contain a unit.
pub(crate) struct UnitCursor {
    cursors: Vec<Cursor>,
    /// The occurrences of all lists, if they are merged.
    merged: Vec<Packed>,
    at: usize,
    doc: DocId,
}

/// Returns an upper bound of the number of documents of a unit.
pub(crate) fn cost(sources: &[Source]) -> u64 {
    sources.iter().map(|source| u64::from(source.kind.documents())).sum()
}

impl UnitCursor {
    /// Opens the sources of a unit in one segment. `reads_all` says that all of their documents are
    /// read, and not only those that other units have.
    pub(crate) fn open(
        sources: &[Source],
        segment: &OpenSegment<'_>,
        reads_all: bool,
        work: &mut Work,
    ) -> Result<Self, SearchError> {
        let mut unit = Self { cursors: Vec::new(), merged: Vec::new(), at: 0, doc: TERMINATED };
        if reads_all || sources.len() > MAX_CURSORS || cost(sources) <= FEW_DOCUMENTS {
            unit.merged = merge(sources, segment, work)?;
        } else {
            for source in sources {
                let list = List::open(&source.kind, segment, work)?;
                unit.cursors.push(Cursor { list, variant: source.variant, place: source.place });
            }
        }
        unit.update();
        Ok(unit)
    }

    fn update(&mut self) {
        let merged = self.merged.get(self.at).map_or(TERMINATED, |one| one.doc());
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
            let near = rest.iter().take(16).position(|one| one.doc() >= target);
            self.at += near.unwrap_or_else(|| rest.partition_point(|one| one.doc() < target));
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
        let here = merged.iter().take_while(|one| one.doc() == self.doc);
        out.extend(here.map(|one| one.occurrence()));
        for cursor in self.cursors.iter().filter(|cursor| cursor.doc() == self.doc) {
            out.push(Occurrence {
                variant: cursor.variant,
                place: cursor.place,
                frequency: cursor.frequency(),
            });
        }
    }
}

impl List {
    fn open(
        kind: &SourceKind,
        segment: &OpenSegment<'_>,
        work: &mut Work,
    ) -> Result<Self, SearchError> {
        let open = |reader: &InvertedIndexReader, info: &TermInfo, option| {
            reader.read_postings_from_terminfo(info, option).map_err(SearchError::damaged)
        };
        let with_freqs = IndexRecordOption::WithFreqs;
        Ok(match kind {
            SourceKind::Word(info) => Self::One(Box::new(open(&segment.words, info, with_freqs)?)),
            SourceKind::Form(info) => Self::One(Box::new(open(&segment.forms, info, with_freqs)?)),
            SourceKind::Phrase(infos) => {
                let option = IndexRecordOption::WithFreqsAndPositions;
                let words: Result<Vec<_>, _> =
                    infos.iter().map(|info| open(&segment.words, info, option)).collect();
                Self::Phrase(Box::new(PhraseCursor::new(words?, work)))
            }
        })
    }
}

/// Reads the lists of a unit into one.
fn merge(
    sources: &[Source],
    segment: &OpenSegment<'_>,
    work: &mut Work,
) -> Result<Vec<Packed>, SearchError> {
    let mut lists = Vec::with_capacity(usize::try_from(cost(sources)).unwrap_or_default());
    for source in sources {
        let common = Packed::source(source.variant, source.place);
        match &source.kind {
            SourceKind::Word(info) => read(&segment.words, info, common, work, &mut lists)?,
            SourceKind::Form(info) => read(&segment.forms, info, common, work, &mut lists)?,
            SourceKind::Phrase(_) => {
                let list = List::open(&source.kind, segment, work)?;
                let mut cursor = Cursor { list, variant: source.variant, place: source.place };
                while cursor.doc() != TERMINATED && work.spend(1) {
                    lists.push(Packed::new(cursor.doc(), common, cursor.frequency()));
                    cursor.seek(cursor.doc() + 1, work);
                }
            }
        }
    }
    if sources.len() < 2 {
        return Ok(lists);
    }
    Ok(sort_lists(lists, usize::try_from(segment.reader.max_doc()).unwrap_or_default()))
}

/// Appends the documents of a term.
fn read(
    reader: &InvertedIndexReader,
    info: &TermInfo,
    source: u64,
    work: &mut Work,
    out: &mut Vec<Packed>,
) -> Result<(), SearchError> {
    let block = reader.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs);
    let mut block = block.map_err(SearchError::damaged)?;
    while block.block_len() > 0 && work.spend(1 + block.block_len() as u64 / MERGED_PER_STEP) {
        let documents = block.docs().iter().zip(block.freqs());
        out.extend(documents.map(|(doc, frequency)| Packed::new(*doc, source, *frequency)));
        block.advance();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_merged_in_order() {
        let one = |doc, variant, frequency| {
            Packed::new(doc, Packed::source(variant, Place::Heading), frequency)
        };
        let lists =
            vec![one(2, 0, 3), one(7, 0, 1), one(0, 1, 9), one(7, 1, u32::MAX), one(9, 2, 1)];
        let mut expect = lists.clone();
        expect.sort_unstable();
        for documents in [10, 1_000] {
            assert_eq!(sort_lists(lists.clone(), documents), expect, "{documents}");
        }
        let last = one(7, 1, u32::MAX);
        let Occurrence { variant, place, frequency } = last.occurrence();
        let found = (last.doc(), variant, place, frequency);
        assert_eq!(found, (7, 1, Place::Heading, Packed::MAX_FREQUENCY));
    }
}
