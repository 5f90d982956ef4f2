//! Looks the terms of a query up in the namespaces of its scopes.

use std::collections::HashSet;

use bindery_model::SpaceId;
use tantivy::postings::TermInfo;
use tantivy::{InvertedIndexReader, SegmentReader};

use std::sync::Arc;

use crate::error::SearchError;
use crate::index::Snapshot;
use crate::query::Scope;
use crate::query::units::{Origin, Target, Unit, Variant};
use crate::schema::{FormPart, FormPrefix, WordPart, push_form, push_namespace, push_word};
use crate::text::stem::Language;

/// A space that is searched, reduced to what the reader may see.
#[derive(Debug, Clone)]
pub(crate) struct SearchedSpace {
    pub(crate) space: SpaceId,
    pub(crate) weight: f32,
    /// The namespaces whose conditions hold, as they are written in terms.
    pub(crate) namespaces: Vec<String>,
    /// Those of them that are in each segment.
    pub(crate) by_segment: Vec<Vec<String>>,
    /// Their numbers.
    pub(crate) numbers: HashSet<u32>,
    pub(crate) languages: Vec<Language>,
}

impl SearchedSpace {
    /// Returns the visible namespaces that a segment has.
    pub(crate) fn namespaces_in(&self, segment: usize) -> &[String] {
        self.by_segment.get(segment).map_or(&[], Vec::as_slice)
    }
}

/// A segment of the index with its dictionaries.
pub(crate) struct OpenSegment<'s> {
    pub(crate) reader: &'s SegmentReader,
    pub(crate) words: Arc<InvertedIndexReader>,
    pub(crate) forms: Arc<InvertedIndexReader>,
}

impl Snapshot {
    /// Returns the spaces of scopes that are in the index and of which the reader sees anything.
    pub(crate) fn searched_spaces(&self, scopes: &[Scope<'_>]) -> Vec<SearchedSpace> {
        let mut known = HashSet::new();
        let scopes = scopes.iter().filter(|scope| known.insert(scope.space));
        let spaces = scopes.filter_map(|scope| {
            let state = self.generation.spaces.get(&scope.space)?;
            let visible = state.namespaces.iter().filter(|namespace| {
                namespace.conditions.iter().all(|condition| (scope.holds)(condition))
            });
            let numbers: HashSet<u32> = visible.map(|namespace| namespace.number).collect();
            let mut sorted: Vec<u32> = numbers.iter().copied().collect();
            sorted.sort_unstable();
            let namespaces = sorted.into_iter().map(|number| {
                let mut name = String::new();
                push_namespace(number, &mut name);
                name
            });
            Some(SearchedSpace {
                space: scope.space,
                weight: scope.weight,
                namespaces: namespaces.collect(),
                languages: state.languages.iter().map(|code| Language::from_code(*code)).collect(),
                numbers,
                by_segment: Vec::new(),
            })
        });
        spaces.filter(|space| !space.namespaces.is_empty()).collect()
    }

    pub(crate) fn open_segments(&self) -> Result<Vec<OpenSegment<'_>>, SearchError> {
        let segments = self.generation.searcher.segment_readers().iter().map(|reader| {
            let words = reader.inverted_index(self.fields.words).map_err(SearchError::damaged)?;
            let forms = reader.inverted_index(self.fields.forms).map_err(SearchError::damaged)?;
            Ok(OpenSegment { reader, words, forms })
        });
        segments.collect()
    }
}

/// The part of a page in which a term was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Title,
    Heading,
    Ancestors,
    Emphasis,
    Body,
    Code,
}

impl Place {
    /// All places, in the order of their numbers.
    pub(crate) const ALL: [Self; 6] =
        [Self::Title, Self::Heading, Self::Ancestors, Self::Emphasis, Self::Body, Self::Code];
}

impl From<WordPart> for Place {
    fn from(part: WordPart) -> Self {
        match part {
            WordPart::Title => Self::Title,
            WordPart::Heading => Self::Heading,
            WordPart::Place => Self::Ancestors,
            WordPart::Emphasis => Self::Emphasis,
            WordPart::Body => Self::Body,
            WordPart::Code => Self::Code,
        }
    }
}

impl From<FormPart> for Place {
    fn from(part: FormPart) -> Self {
        match part {
            FormPart::Title => Self::Title,
            FormPart::Heading => Self::Heading,
            FormPart::Other => Self::Body,
        }
    }
}

/// The postings in which a variant of a unit was found.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) segment: usize,
    pub(crate) variant: usize,
    pub(crate) place: Place,
    pub(crate) kind: SourceKind,
}

/// The terms whose postings a source reads.
#[derive(Debug, Clone)]
pub(crate) enum SourceKind {
    Word(TermInfo),
    Form(TermInfo),
    /// The words of a phrase.
    Phrase(Vec<TermInfo>),
}

impl SourceKind {
    /// Returns an upper bound of the number of documents.
    pub(crate) fn documents(&self) -> u32 {
        match self {
            Self::Word(info) | Self::Form(info) => info.doc_freq,
            Self::Phrase(infos) => infos.iter().map(|info| info.doc_freq).min().unwrap_or(0),
        }
    }
}

/// The sources of one unit in one space.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnitSources {
    /// Ordered by segment and variant.
    pub(crate) sources: Vec<Source>,
    /// The number of documents of each variant, at most.
    pub(crate) documents: Vec<u32>,
}

impl UnitSources {
    /// Returns the sources in a segment.
    pub(crate) fn in_segment(&self, number: usize) -> &[Source] {
        let start = self.sources.partition_point(|source| source.segment < number);
        let end = self.sources.partition_point(|source| source.segment <= number);
        self.sources.get(start..end).unwrap_or_default()
    }
}

/// The parts of pages that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Places {
    /// All parts.
    All,
    /// Titles.
    Titles,
    /// Titles and headings.
    Headings,
    /// Titles, the titles of ancestors, and paths.
    Names,
}

impl Places {
    fn words(self) -> &'static [WordPart] {
        match self {
            Self::All => &WordPart::ALL,
            Self::Titles => &[WordPart::Title],
            Self::Headings => &[WordPart::Title, WordPart::Heading],
            Self::Names => &[WordPart::Title, WordPart::Place],
        }
    }

    fn forms(self) -> &'static [FormPart] {
        match self {
            Self::All => &FormPart::ALL,
            Self::Headings => &[FormPart::Title, FormPart::Heading],
            Self::Titles | Self::Names => &[FormPart::Title],
        }
    }

    pub(crate) fn include(self, part: WordPart) -> bool {
        self.words().contains(&part)
    }
}

/// Looks up the variants of a unit in one space.
pub(crate) fn look_up(
    unit: &Unit,
    space: &SearchedSpace,
    segments: &[OpenSegment<'_>],
    places: Places,
) -> Result<UnitSources, SearchError> {
    let mut found = UnitSources { sources: Vec::new(), documents: vec![0; unit.variants.len()] };
    let mut key = String::new();
    for (at, segment) in segments.iter().enumerate() {
        for (variant, documents) in (0..).zip(&mut found.documents) {
            let Some(Variant { target, origin, .. }) = unit.variants.get(variant) else { continue };
            let places =
                if *origin == Origin::CompletedInNames { Places::Headings } else { places };
            for namespace in space.namespaces_in(at) {
                let mut most = 0;
                let mut push = |place, kind: SourceKind| {
                    most = most.max(kind.documents());
                    found.sources.push(Source { segment: at, variant, place, kind });
                };
                match target {
                    Target::Word(word) => {
                        for part in places.words() {
                            let info = word_info(segment, namespace, word, *part, &mut key)?;
                            if let Some(info) = info {
                                push((*part).into(), SourceKind::Word(info));
                            }
                        }
                    }
                    Target::Form(kind, form) => {
                        for part in places.forms() {
                            let prefix = FormPrefix::Kind(*kind);
                            let info =
                                form_info(segment, namespace, prefix, form, *part, &mut key)?;
                            if let Some(info) = info {
                                push((*part).into(), SourceKind::Form(info));
                            }
                        }
                    }
                    Target::Phrase(words) => {
                        for part in places.words() {
                            let infos = phrase_infos(segment, namespace, words, *part, &mut key)?;
                            if let Some(infos) = infos {
                                push((*part).into(), SourceKind::Phrase(infos));
                            }
                        }
                    }
                }
                *documents += most;
            }
        }
    }
    Ok(found)
}

pub(crate) fn word_info(
    segment: &OpenSegment<'_>,
    namespace: &str,
    word: &str,
    part: WordPart,
    key: &mut String,
) -> Result<Option<TermInfo>, SearchError> {
    key.clear();
    push_word(namespace, word, key);
    key.push(part.letter());
    segment.words.terms().get(key.as_bytes()).map_err(SearchError::damaged)
}

pub(crate) fn form_info(
    segment: &OpenSegment<'_>,
    namespace: &str,
    prefix: FormPrefix,
    form: &str,
    part: FormPart,
    key: &mut String,
) -> Result<Option<TermInfo>, SearchError> {
    key.clear();
    push_form(namespace, prefix, form, key);
    key.push(part.letter());
    segment.forms.terms().get(key.as_bytes()).map_err(SearchError::damaged)
}

fn phrase_infos(
    segment: &OpenSegment<'_>,
    namespace: &str,
    words: &[String],
    part: WordPart,
    key: &mut String,
) -> Result<Option<Vec<TermInfo>>, SearchError> {
    let mut infos = Vec::with_capacity(words.len());
    for word in words {
        match word_info(segment, namespace, word, part, key)? {
            Some(info) => infos.push(info),
            None => return Ok(None),
        }
    }
    Ok(Some(infos))
}
