//! Access: a search finds what its scopes include, and tells nothing about the rest.

#![expect(clippy::unwrap_used, reason = "an error fails the test")]

use std::collections::{BTreeMap, BTreeSet};

use bindery_model::{Entropy, PageId, SpaceId};
use bindery_search::{
    Condition, Hits, Mode, PageEntry, PageKey, Preparation, Query, Scope, SearchIndex, Section,
    Snapshot,
};
use proptest::prelude::*;

/// Words that differ in few letters and share beginnings, so that corrections and completions
/// choose among them.
const WORDS: [&str; 8] =
    ["network", "networks", "netwrok", "netbook", "notebook", "workbench", "work", "数据库"];

#[derive(Debug, Clone)]
struct TestSection {
    words: Vec<usize>,
    heading: Option<usize>,
    conditions: Vec<u8>,
}

#[derive(Debug, Clone)]
struct TestPage {
    space: u8,
    title: usize,
    is_hidden: bool,
    conditions: Vec<u8>,
    sections: Vec<TestSection>,
}

fn condition(number: u8) -> Condition {
    Condition::Expression(format!("visitor.claims.c{number}"))
}

fn pages() -> impl Strategy<Value = Vec<TestPage>> {
    let words = || prop::collection::vec(0..WORDS.len(), 0..4);
    let conditions = || prop::collection::vec(0u8..3, 0..3);
    let section = (words(), prop::option::of(0..WORDS.len()), conditions())
        .prop_map(|(words, heading, conditions)| TestSection { words, heading, conditions });
    let page = (
        0u8..3,
        0..WORDS.len(),
        prop::bool::weighted(0.2),
        conditions(),
        prop::collection::vec(section, 0..4),
    );
    let page = page.prop_map(|(space, title, is_hidden, conditions, sections)| TestPage {
        space,
        title,
        is_hidden,
        conditions,
        sections,
    });
    prop::collection::vec(page, 1..14)
}

fn entry(id: PageId, page: &TestPage) -> PageEntry {
    let conditions = |numbers: &[u8]| numbers.iter().map(|number| condition(*number)).collect();
    let text =
        |words: &[usize]| words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" ");
    let mut own: Vec<Condition> = conditions(&page.conditions);
    own.extend(page.is_hidden.then_some(Condition::Hidden));
    PageEntry {
        id,
        path: "p".into(),
        title: WORDS[page.title].into(),
        description: String::new(),
        ancestors: Vec::new(),
        language: Some("en".into()),
        boost: 1.0,
        conditions: own,
        sections: page
            .sections
            .iter()
            .map(|section| Section {
                heading: section.heading.map(|word| WORDS[word].to_owned()).unwrap_or_default(),
                text: text(&section.words),
                conditions: conditions(&section.conditions),
                ..Section::default()
            })
            .collect(),
    }
}

/// The rights of a reader: the visible spaces, the conditions that hold, and the access to hidden
/// pages.
#[derive(Debug, Clone)]
struct Reader {
    spaces: BTreeSet<u8>,
    conditions: BTreeSet<u8>,
    sees_hidden: bool,
}

fn readers() -> impl Strategy<Value = Reader> {
    let set = || prop::collection::btree_set(0u8..3, 0..4);
    (set(), set(), any::<bool>()).prop_map(|(spaces, conditions, sees_hidden)| Reader {
        spaces,
        conditions,
        sees_hidden,
    })
}

impl Reader {
    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Hidden => self.sees_hidden,
            Condition::Expression(text) => {
                self.conditions.iter().any(|number| *text == format!("visitor.claims.c{number}"))
            }
        }
    }

    fn all(&self, conditions: &[u8]) -> bool {
        conditions.iter().all(|number| self.conditions.contains(number))
    }

    /// Returns the words that the reader may see in a page.
    fn words(&self, page: &TestPage) -> BTreeSet<usize> {
        let mut words = BTreeSet::new();
        if !self.spaces.contains(&page.space)
            || !self.all(&page.conditions)
            || page.is_hidden && !self.sees_hidden
        {
            return words;
        }
        words.insert(page.title);
        for section in page.sections.iter().filter(|section| self.all(&section.conditions)) {
            words.extend(section.words.iter().copied());
            words.extend(section.heading);
        }
        words
    }
}

struct Fixture {
    _folder: tempfile::TempDir,
    snapshot: Snapshot,
    spaces: Vec<SpaceId>,
    pages: BTreeMap<PageId, TestPage>,
}

fn fixture(pages: &[TestPage]) -> Fixture {
    let entropy = Entropy::seeded(7);
    let folder = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(folder.path(), 32 << 20).unwrap();
    let spaces: Vec<SpaceId> = (0..3).map(|_| SpaceId::random(&entropy)).collect();
    let pages: BTreeMap<PageId, TestPage> =
        pages.iter().map(|page| (PageId::random(&entropy), page.clone())).collect();
    // Two commits, so that there are several segments and removed documents.
    for _ in 0..2 {
        let mut batch = index.batch().unwrap();
        for (id, page) in &pages {
            let prepared = Preparation::default().prepare(&entry(*id, page));
            batch.replace_page(spaces[usize::from(page.space)], prepared).unwrap();
        }
        batch.commit().unwrap();
    }
    Fixture { _folder: folder, snapshot: index.snapshot(), spaces, pages }
}

impl Fixture {
    fn with_scopes<T>(&self, reader: &Reader, run: impl FnOnce(&[Scope<'_>]) -> T) -> T {
        let holds = |condition: &Condition| reader.holds(condition);
        let spaces = reader.spaces.iter().map(|number| self.spaces[usize::from(*number)]);
        let scopes: Vec<Scope<'_>> = spaces.map(|space| Scope::new(space, &holds)).collect();
        run(&scopes)
    }

    fn search(&self, reader: &Reader, text: &str, mode: Mode, offset: usize, limit: usize) -> Hits {
        self.with_scopes(reader, |scopes| {
            let query = Query { mode, offset, limit, ..Query::new(text, scopes) };
            self.snapshot.search(&query).unwrap()
        })
    }

    fn visible_words(&self, reader: &Reader) -> BTreeSet<&'static str> {
        let words = self.pages.values().flat_map(|page| reader.words(page));
        words.map(|word| WORDS[word]).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_are_found_if_and_only_if_the_reader_may_see_the_word(pages in pages(), reader in readers()) {
        let fixture = fixture(&pages);
        for (number, word) in WORDS.iter().enumerate() {
            let hits = fixture.search(&reader, &format!("\"{word}\""), Mode::Full, 0, 100);
            let found: BTreeSet<PageId> = hits.pages.iter().map(|page| page.page).collect();
            let expect: BTreeSet<PageId> = fixture.pages.iter()
                .filter(|(_, page)| reader.words(page).contains(&number))
                .map(|(id, _)| *id)
                .collect();
            prop_assert_eq!(hits.total, expect.len());
            prop_assert_eq!(found, expect, "{}", word);
        }
    }

    #[test]
    fn results_tell_nothing_that_the_reader_may_not_see(pages in pages(), reader in readers()) {
        let fixture = fixture(&pages);
        let visible = fixture.visible_words(&reader);
        for text in ["network", "netwrk", "ntebook", "net", "work", "workbnch netbook", "数据", "xyzzy"] {
            for mode in [Mode::Full, Mode::Typing] {
                let hits = fixture.search(&reader, text, mode, 0, 100);
                for correction in &hits.corrections {
                    prop_assert!(visible.contains(correction.used.as_str()), "{:?}", correction);
                }
                for page in &hits.pages {
                    let words = reader.words(&fixture.pages[&page.page]);
                    let words: BTreeSet<&str> = words.into_iter().map(|word| WORDS[word]).collect();
                    prop_assert!(words.contains(page.title.as_str()));
                    let shown = page.sections.iter().flat_map(|section| [&section.heading, &section.snippet]);
                    for word in shown.flat_map(|text| text.split_whitespace()) {
                        prop_assert!(words.contains(word), "{} {:?}", word, page);
                    }
                }
            }
        }
    }

    #[test]
    fn hidden_content_changes_nothing_for_other_readers(pages in pages(), reader in readers()) {
        // The same pages without anything that the reader may not see, and other spaces as empty.
        let full = fixture(&pages);
        let mut reduced = pages.clone();
        reduced.retain(|page| !reader.words(page).is_empty());
        for page in &mut reduced {
            page.sections.retain(|section| reader.all(&section.conditions));
        }
        let reduced = fixture(&reduced);
        for text in ["network", "netwrk", "work net", "数据库", "notebok"] {
            let show = |fixture: &Fixture| {
                let hits = fixture.search(&reader, text, Mode::Typing, 0, 100);
                let mut titles: Vec<String> = hits.pages.iter().map(|page| page.title.clone()).collect();
                titles.sort();
                (hits.total, hits.is_partial, hits.corrections, titles)
            };
            prop_assert_eq!(show(&full), show(&reduced), "{}", text);
        }
    }

    #[test]
    fn pages_of_results_are_full_and_agree_with_the_total(pages in pages(), reader in readers(), limit in 1usize..5) {
        let fixture = fixture(&pages);
        let all = fixture.search(&reader, "work", Mode::Typing, 0, 100);
        prop_assert_eq!(all.total, all.pages.len());
        let mut paged = Vec::new();
        while paged.len() < all.total {
            let hits = fixture.search(&reader, "work", Mode::Typing, paged.len(), limit);
            prop_assert_eq!(hits.total, all.total);
            prop_assert_eq!(hits.pages.len(), limit.min(all.total - paged.len()));
            paged.extend(hits.pages);
        }
        prop_assert_eq!(paged, all.pages);
    }

    #[test]
    fn names_are_those_of_visible_pages(pages in pages(), reader in readers()) {
        let fixture = fixture(&pages);
        let is_visible = |page: &PageId| !reader.words(&fixture.pages[page]).is_empty();
        fixture.with_scopes(&reader, |scopes| {
            for text in ["net", "work", "/a/netwrok"] {
                let suggested = fixture.snapshot.suggest(scopes, text, 50).unwrap();
                let nearest = fixture.snapshot.nearest(scopes, text, 50).unwrap();
                assert!(suggested.iter().chain(&nearest).all(|hit| is_visible(&hit.page)));
            }
            for (page, test) in &fixture.pages {
                let key = PageKey { space: fixture.spaces[usize::from(test.space)], page: *page };
                let related = fixture.snapshot.related(scopes, key, 5).unwrap();
                assert!(related.iter().all(|hit| is_visible(&hit.page) && hit.page != *page));
                assert!(is_visible(page) || related.is_empty());
            }
        });
    }
}
