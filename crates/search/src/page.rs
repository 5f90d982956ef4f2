//! Prepares pages for the index: their terms, and what is stored for showing them.

use std::ops::Range;

use bindery_model::PageId;
use serde::{Deserialize, Serialize};

use crate::analyzer::{Analyzer, FormKind, Sink, whole_key};
use crate::entry::{Condition, PageEntry, Section};
use crate::schema::{FormPart, FormPrefix, TermLines, WordPart};
use crate::text::cut;
use crate::text::stem::Language;

/// Maximum number of bytes of a page's text that are indexed.
const MAX_PAGE_BYTES: usize = 1 << 20;
/// Maximum number of bytes of terms of one page.
const MAX_TERM_BYTES: usize = 12 << 20;
/// Maximum number of bytes of a section's text that are stored for snippets.
const MAX_STORED_TEXT: usize = 12 << 10;
/// Maximum number of bytes of a section's code that are stored for snippets.
const MAX_STORED_CODE: usize = 2 << 10;
/// Maximum number of bytes of a page's sections that are stored.
const MAX_STORED_PAGE: usize = 64 << 10;
/// Maximum number of bytes of a title, a path or a heading.
const MAX_TITLE_BYTES: usize = 1_000;
/// Maximum number of different sets of conditions in a page. Parts with others are not indexed.
const MAX_CONDITION_SETS: usize = 64;

/// Numbers of a page that are stored for scoring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Facts {
    /// The number of words in the title.
    pub(crate) title_words: u8,
    /// The number of pages above.
    pub(crate) depth: u8,
    /// The number of words in the text.
    pub(crate) body_words: u16,
    /// The factor of the score.
    pub(crate) boost: f32,
}

/// The number of steps between a boost and one that is twice as large.
const BOOST_STEPS: f32 = 16.0;

impl Facts {
    pub(crate) fn encode(self) -> u64 {
        let boost = (self.boost.clamp(0.1, 10.0).log2() * BOOST_STEPS).round() + 128.0;
        u64::from(self.title_words)
            | u64::from(self.depth) << 8
            | u64::from(self.body_words) << 16
            | (boost as u64 & 0xFF) << 32
    }

    pub(crate) fn decode(encoded: u64) -> Self {
        let byte = |shift: u32| u8::try_from(encoded >> shift & 0xFF).unwrap_or_default();
        Self {
            title_words: byte(0),
            depth: byte(8),
            body_words: u16::try_from(encoded >> 16 & 0xFFFF).unwrap_or_default(),
            boost: match byte(32) {
                // Almost all pages have it.
                128 => 1.0,
                steps => ((f32::from(steps) - 128.0) / BOOST_STEPS).exp2(),
            },
        }
    }
}

/// A page as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredPage {
    pub(crate) id: PageId,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) ancestors: Vec<String>,
    pub(crate) language: u8,
    /// The namespaces of the page, first that of its title.
    pub(crate) namespaces: Vec<u32>,
    pub(crate) sections: Vec<StoredSection>,
}

/// A section as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredSection {
    pub(crate) anchor: Option<String>,
    pub(crate) heading: String,
    pub(crate) level: u8,
    pub(crate) is_continuation: bool,
    pub(crate) text: String,
    pub(crate) code: String,
    /// Index into the page's namespaces.
    pub(crate) namespace: u16,
}

/// A page whose text has been analysed.
#[derive(Debug)]
pub struct PreparedPage {
    pub(crate) page: StoredPage,
    pub(crate) language: Language,
    pub(crate) facts: Facts,
    /// For each namespace its conditions, the words and the forms.
    pub(crate) namespaces: Vec<NamespaceTerms>,
}

#[derive(Debug)]
pub(crate) struct NamespaceTerms {
    pub(crate) conditions: Vec<Condition>,
    pub(crate) words: TermLines,
    pub(crate) forms: TermLines,
}

impl PreparedPage {
    /// Returns about how many bytes of memory the page takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let terms = self.namespaces.iter().map(|one| one.words.len() + one.forms.len());
        let stored = self.page.sections.iter().map(|one| {
            size_of::<StoredSection>() + one.heading.len() + one.text.len() + one.code.len()
        });
        size_of::<Self>() + terms.sum::<usize>() + stored.sum::<usize>()
    }
}

/// Analyses the text of pages. It can be used on several threads at once, one on each.
#[derive(Debug)]
pub struct Preparation {
    analyzer: Analyzer,
}

impl Default for Preparation {
    fn default() -> Self {
        Self { analyzer: Analyzer::new(Language::of(None)) }
    }
}

impl Preparation {
    /// Analyses a page.
    #[must_use]
    pub fn prepare(&mut self, entry: &PageEntry) -> PreparedPage {
        let language = Language::of(entry.language.as_deref());
        self.analyzer.set_language(language);
        let mut builder =
            Builder { analyzer: &mut self.analyzer, namespaces: Vec::new(), left: MAX_PAGE_BYTES };
        let main = builder.namespace(entry.conditions.clone()).unwrap_or_default();
        let title = cut(&entry.title, MAX_TITLE_BYTES);
        let title_words = builder.text(main, title, WordPart::Title);
        if let Some(key) = whole_key(title, language) {
            builder.forms(main, FormPrefix::WholeTitle, &key, FormPart::Title);
        }
        for ancestor in &entry.ancestors {
            builder.text(main, cut(ancestor, MAX_TITLE_BYTES), WordPart::Place);
        }
        builder.text(main, cut(&entry.path, MAX_TITLE_BYTES), WordPart::Place);
        builder.text(main, &entry.description, WordPart::Emphasis);
        let mut stored = MAX_STORED_PAGE;
        let mut body_words = 0;
        let mut sections = Vec::new();
        for section in &entry.sections {
            let mut conditions = entry.conditions.clone();
            conditions.extend(section.conditions.iter().cloned());
            let Some(at) = builder.namespace(conditions) else { continue };
            body_words += builder.section(at, section, language);
            let section = store_section(section, at, stored);
            stored = stored
                .saturating_sub(section.text.len() + section.code.len() + section.heading.len());
            sections.push(section);
        }
        PreparedPage {
            language,
            facts: Facts {
                title_words: u8::try_from(title_words).unwrap_or(u8::MAX),
                depth: u8::try_from(entry.ancestors.len()).unwrap_or(u8::MAX),
                body_words: u16::try_from(body_words).unwrap_or(u16::MAX),
                boost: entry.boost,
            },
            namespaces: builder.namespaces,
            page: StoredPage {
                id: entry.id,
                path: cut(&entry.path, MAX_TITLE_BYTES).to_owned(),
                title: title.to_owned(),
                description: cut(&entry.description, MAX_STORED_CODE).to_owned(),
                ancestors: entry
                    .ancestors
                    .iter()
                    .map(|a| cut(a, MAX_TITLE_BYTES).to_owned())
                    .collect(),
                language: language.code(),
                namespaces: Vec::new(),
                sections,
            },
        }
    }
}

fn store_section(section: &Section, namespace: usize, left: usize) -> StoredSection {
    let heading = cut(&section.heading, MAX_TITLE_BYTES.min(left));
    StoredSection {
        anchor: section.anchor.clone(),
        heading: heading.to_owned(),
        level: section.level,
        is_continuation: section.is_continuation,
        text: cut(&section.text, MAX_STORED_TEXT.min(left)).to_owned(),
        code: cut(&section.code, MAX_STORED_CODE.min(left)).to_owned(),
        namespace: u16::try_from(namespace).unwrap_or_default(),
    }
}

struct Builder<'a> {
    analyzer: &'a mut Analyzer,
    namespaces: Vec<NamespaceTerms>,
    /// The number of bytes that may still be indexed.
    left: usize,
}

impl Builder<'_> {
    /// Returns the index of the namespace with a set of conditions.
    fn namespace(&mut self, mut conditions: Vec<Condition>) -> Option<usize> {
        conditions.sort();
        conditions.dedup();
        if let Some(at) = self.namespaces.iter().position(|known| known.conditions == conditions) {
            return Some(at);
        }
        if self.namespaces.len() >= MAX_CONDITION_SETS {
            return None;
        }
        let (words, mut forms) = (TermLines::new(), TermLines::new());
        let marker =
            if self.namespaces.is_empty() { FormPrefix::Page } else { FormPrefix::PagePart };
        forms.form(marker, "", FormPart::Other);
        self.namespaces.push(NamespaceTerms { conditions, words, forms });
        Some(self.namespaces.len() - 1)
    }

    fn forms(&mut self, namespace: usize, prefix: FormPrefix, form: &str, part: FormPart) {
        if let Some(terms) = self.namespaces.get_mut(namespace) {
            terms.forms.form(prefix, form, part);
        }
    }

    /// Adds a section and returns the number of words in its text.
    fn section(&mut self, namespace: usize, section: &Section, language: Language) -> usize {
        if !section.is_continuation {
            let heading = cut(&section.heading, MAX_TITLE_BYTES);
            self.text(namespace, heading, WordPart::Heading);
            if let Some(key) = whole_key(heading, language) {
                self.forms(namespace, FormPrefix::WholeHeading, &key, FormPart::Heading);
            }
        }
        self.text(namespace, &section.emphasis, WordPart::Emphasis);
        let words = self.text(namespace, &section.text, WordPart::Body);
        words + self.text(namespace, &section.code, WordPart::Code)
    }

    /// Adds a text and returns the number of its words.
    fn text(&mut self, namespace: usize, text: &str, part: WordPart) -> usize {
        let text = cut(text, self.left);
        self.left -= text.len();
        let Some(terms) = self.namespaces.get_mut(namespace) else { return 0 };
        let mut sink = Terms { terms, part, words: 0 };
        self.analyzer.analyze(text, &mut sink);
        let words = sink.words;
        if words > 0 {
            terms.words.gap();
        }
        words
    }
}

struct Terms<'a> {
    terms: &'a mut NamespaceTerms,
    part: WordPart,
    words: usize,
}

impl Sink for Terms<'_> {
    fn word(&mut self, folded: &str, _: Range<usize>) {
        if self.terms.words.len() < MAX_TERM_BYTES {
            self.terms.words.word(folded, self.part);
            self.words += 1;
        }
    }

    fn form(&mut self, kind: FormKind, form: &str, _: Range<usize>) {
        if self.terms.forms.len() < MAX_TERM_BYTES {
            self.terms.forms.form(FormPrefix::Kind(kind), form, self.part.form_part());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_stored_in_a_number() {
        let facts = Facts { title_words: 3, depth: 2, body_words: 700, boost: 2.0 };
        assert_eq!(Facts::decode(facts.encode()), facts);
        let long = Facts { title_words: 255, depth: 255, body_words: 65_535, boost: 1.0 };
        assert_eq!(Facts::decode(long.encode()), long);
    }
}
