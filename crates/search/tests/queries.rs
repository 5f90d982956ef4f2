//! Queries: which pages are found by which words, in which order.

#![expect(clippy::unwrap_used, reason = "an error fails the test")]

use bindery_model::{Entropy, PageId, SpaceId};
use bindery_search::{
    Hits, Mode, PageEntry, PageKey, Preparation, Query, Scope, SearchIndex, Section, Snapshot,
};
use proptest::prelude::*;

struct Fixture {
    _folder: tempfile::TempDir,
    snapshot: Snapshot,
    space: SpaceId,
    pages: Vec<PageId>,
}

/// Indexes pages given as title, language and text, whose sections empty lines separate.
fn fixture(pages: &[(&str, &str, &str)]) -> Fixture {
    let entropy = Entropy::seeded(5);
    let folder = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(folder.path(), 32 << 20).unwrap();
    let space = SpaceId::random(&entropy);
    let mut batch = index.batch().unwrap();
    let mut ids = Vec::new();
    for (title, language, text) in pages {
        let id = PageId::random(&entropy);
        ids.push(id);
        let page = PageEntry {
            id,
            path: title.to_lowercase().replace(' ', "-"),
            title: (*title).into(),
            description: String::new(),
            ancestors: Vec::new(),
            language: Some((*language).into()),
            boost: 1.0,
            conditions: Vec::new(),
            sections: text.split("\n\n").map(section).collect(),
        };
        batch.replace_page(space, Preparation::default().prepare(&page)).unwrap();
    }
    batch.commit().unwrap();
    Fixture { _folder: folder, snapshot: index.snapshot(), space, pages: ids }
}

fn section(text: &str) -> Section {
    Section { text: text.into(), ..Section::default() }
}

impl Fixture {
    fn search(&self, text: &str, mode: Mode) -> Hits {
        let scopes = [Scope::new(self.space, &|_| false)];
        let synonyms = [vec!["login".to_owned(), "sign in".to_owned()]];
        let query = Query { mode, synonyms: &synonyms, ..Query::new(text, &scopes) };
        self.snapshot.search(&query).unwrap()
    }

    fn check(&self, cases: &[(&str, &[&str])]) {
        for (text, expect) in cases {
            let hits = self.search(text, Mode::Full);
            let found: Vec<&str> = hits.pages.iter().map(|page| page.title.as_str()).collect();
            assert_eq!(found, *expect, "{text}");
        }
    }
}

#[test]
fn words_of_little_meaning_count_less_in_questions() {
    let fixture = fixture(&[
        ("A", "en", "They take what the server has, and take it again, and take more."),
        ("B", "en", "This creates a backup of all data of your server in a file."),
    ]);
    fixture.check(&[("how do i take a backup of my server", &["B", "A"]), ("take again", &["A"])]);
}

#[test]
fn two_words_of_a_question_win_against_a_rarer_one() {
    let mut pages = vec![("Rare", "en", "quokka"), ("Both", "en", "gadget widget")];
    pages.extend([("Gadget", "en", "gadget"); 7]);
    pages.extend([("Widget", "en", "widget"); 7]);
    pages.extend([("Other", "en", "nothing"); 4]);
    let found = fixture(&pages).search("quokka gadget widget", Mode::Full);
    let titles: Vec<&str> = found.pages.iter().map(|page| page.title.as_str()).collect();
    assert_eq!(titles, ["Both", "Rare"]);
}

#[test]
fn a_third_of_a_question_is_enough() {
    let mut pages = vec![("D", "en", "apple pear"), ("C", "en", "plum")];
    pages.extend([("A", "en", "apple"), ("B", "en", "pear")]);
    pages.extend([("Other", "en", "nothing"); 6]);
    fixture(&pages).check(&[("apple pear plum", &["D", "C", "A", "B"])]);
}

#[test]
fn words_of_a_question_in_one_section_count_more() {
    let apart = "apple apple apple apple\n\npear pear pear pear";
    let together = "nothing here\n\napple pear and more\n\nnothing there";
    let fixture = fixture(&[("Apart", "en", apart), ("Together", "en", together)]);
    fixture.check(&[
        ("apple pear prune", &["Together", "Apart"]),
        // Short queries are not questions.
        ("apple pear", &["Apart", "Together"]),
    ]);
    let query = |offset, limit| {
        let scopes = [Scope::new(fixture.space, &|_| false)];
        let query = Query { offset, limit, ..Query::new("apple pear prune", &scopes) };
        fixture.snapshot.search(&query).unwrap().pages.into_iter().map(|page| page.title)
    };
    assert!(query(0, 1).eq(["Together"]) && query(1, 1).eq(["Apart"]));
}

#[test]
fn identifiers_are_found_in_every_form() {
    let fixture = fixture(&[
        ("A", "en", "Call getUserById with a number."),
        ("B", "en", "The option --max-retries and the field snake_case_name."),
        ("C", "en", "In C++ use std::vector, see v1.2.3 of /v1/spaces/{id}."),
        ("D", "en", "The language C is older. HTTP 404 means not found."),
        ("E", "en", "Put a .gitbook.yaml here and call foo.bar() then."),
        ("F", "en", "Release 2.4.1 is out."),
    ]);
    fixture.check(&[
        ("getUserById", &["A"]),
        ("getuserbyid", &["A"]),
        ("get_user_by_id", &["A"]),
        // Three words can be a question, which finds pages with some of them after the others.
        ("user by id", &["A", "C"]),
        ("users", &["A"]),
        ("--max-retries", &["B"]),
        ("max retries", &["B"]),
        ("maxRetries", &["B"]),
        ("snake_case_name", &["B"]),
        ("c++", &["C", "D"]),
        ("std::vector", &["C"]),
        ("vector", &["C"]),
        ("v1.2.3", &["C"]),
        ("1.2.3", &["C"]),
        ("2.4.1", &["F"]),
        ("v2.4.1", &["F"]),
        ("/v1/spaces/{id}", &["C"]),
        ("v1/spaces", &["C"]),
        ("http 404", &["D"]),
        (".gitbook.yaml", &["E"]),
        ("gitbook.yaml", &["E"]),
        ("foo.bar()", &["E"]),
        ("foo.bar", &["E"]),
    ]);
}

#[test]
fn scripts_and_accents_are_found() {
    let fixture = fixture(&[
        ("Zh", "zh", "如何安装数据库连接工具。"),
        ("Ja", "ja", "データベースを設定する方法"),
        ("Ko", "ko", "사용자는 설정을 변경할 수 있습니다"),
        ("Th", "th", "วิธีตั้งค่าฐานข้อมูล"),
        ("Ar", "ar", "إعدادات المُستخدِم"),
        ("Fa", "fa", "کاربران می\u{200C}توانند آن را ببینند"),
        ("He", "he", "הגדרות המשתמש"),
        ("Fr", "fr", "Créer des paramètres à l’aide de l’API"),
        ("Ru", "ru", "Настройка сервера ещё раз"),
        ("De", "de", "Die Straßen und Einstellungen"),
    ]);
    fixture.check(&[
        ("数据库", &["Zh"]),
        ("据", &["Zh"]),
        ("データベース", &["Ja"]),
        ("ﾃﾞｰﾀﾍﾞｰｽ", &["Ja"]),
        ("설정", &["Ko"]),
        ("사용자", &["Ko"]),
        ("ฐานข้อมูล", &["Th"]),
        ("المستخدم", &["Ar"]),
        ("می توانند", &["Fa"]),
        ("میتوانند", &["Fa"]),
        ("המשתמש", &["He"]),
        ("creer parametres", &["Fr"]),
        ("paramètre", &["Fr"]),
        ("настройки серверов", &["Ru"]),
        ("еще", &["Ru"]),
        ("strassen einstellung", &["De"]),
    ]);
}

#[test]
fn exact_titles_come_first() {
    let fixture = fixture(&[
        (
            "Advanced webhooks guide",
            "en",
            "Webhooks webhooks webhooks webhooks, all about webhooks.",
        ),
        ("Webhooks", "en", "Short."),
        ("Other", "en", "Webhooks webhooks webhooks."),
        ("Webhook", "en", "Similar."),
    ]);
    let titles = |text| -> Vec<String> {
        fixture.search(text, Mode::Typing).pages.into_iter().map(|page| page.title).collect()
    };
    assert_eq!(titles("webhooks")[0], "Webhooks");
    assert_eq!(titles("webhook")[0], "Webhook");
    assert_eq!(titles("webhooks guide")[0], "Advanced webhooks guide");
}

#[test]
fn phrases_weak_words_and_synonyms() {
    let fixture = fixture(&[
        ("A", "en", "To be or not to be."),
        ("B", "en", "The server is to be restarted by the owner."),
        ("C", "en", "Restart a server. It has an owner."),
        ("D", "en", "Press sign in."),
        ("E", "en", "A login with a key."),
    ]);
    fixture.check(&[
        ("\"not to be\"", &["A"]),
        ("\"server is to\"", &["B"]),
        ("“restart a server”", &["C"]),
        ("to be", &["A", "B"]),
        ("how to restart the server", &["B", "C"]),
        ("login", &["E", "D"]),
        ("sign in", &["D", "E"]),
        ("key for sign in", &["E", "D"]),
    ]);
}

#[test]
fn errors_are_corrected_and_beginnings_completed() {
    let fixture = fixture(&[
        ("A", "en", "Configuration of webhooks."),
        ("B", "en", "Installation of notebooks. Catalog."),
    ]);
    let correct = |text, expect: Option<&str>| {
        let hits = fixture.search(text, Mode::Full);
        assert_eq!(hits.corrections.first().map(|one| one.used.as_str()), expect, "{text}");
        assert_eq!(hits.total > 0, expect.is_some(), "{text}");
    };
    correct("confguration", Some("configuration"));
    correct("wehbooks", Some("webhooks"));
    correct("wbhoks", None);
    correct("xebhooks", Some("webhooks"));
    correct("xatalog", None);
    correct("qqqqqq", None);
    for (text, expect) in
        [("conf", 1), ("config", 1), ("note", 1), ("instalat", 1), ("zz", 0), ("conf ", 0)]
    {
        assert_eq!(fixture.search(text, Mode::Typing).total, expect, "{text}");
    }
}

#[test]
fn partial_matches_are_given_if_there_are_no_others() {
    let fixture = fixture(&[
        ("A", "en", "Apples and pears."),
        ("B", "en", "Pears and plums."),
        ("Zh", "zh", "安装数据库。"),
    ]);
    let hits = fixture.search("apples plums", Mode::Full);
    assert!(hits.is_partial && hits.total == 2);
    let hits = fixture.search("如何安装数据库", Mode::Full);
    assert!(hits.is_partial && hits.pages[0].title == "Zh");
    assert!(!fixture.search("pears", Mode::Full).is_partial);
}

#[test]
fn names_and_related_pages() {
    let fixture = fixture(&[
        ("Getting started", "en", "Kubernetes clusters and helm charts."),
        ("Helm charts", "en", "Charts for kubernetes clusters are installed with helm."),
        ("Billing", "en", "Invoices and payments."),
        ("Payments", "en", "Payments appear on invoices."),
    ]);
    let scopes = [Scope::new(fixture.space, &|_| false)];
    let show = |hits: Vec<bindery_search::NameHit>| -> Vec<String> {
        hits.into_iter().map(|hit| hit.title).collect()
    };
    let snapshot = &fixture.snapshot;
    assert_eq!(show(snapshot.suggest(&scopes, "get st", 5).unwrap()), ["Getting started"]);
    assert_eq!(show(snapshot.suggest(&scopes, "invoices", 5).unwrap()), Vec::<String>::new());
    assert_eq!(
        show(snapshot.nearest(&scopes, "/docs/geting-started", 1).unwrap()),
        ["Getting started"]
    );
    let key = PageKey { space: fixture.space, page: fixture.pages[2] };
    assert_eq!(show(snapshot.related(&scopes, key, 3).unwrap()), ["Payments"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hostile_queries_are_answered(text in "(?s).{0,80}", more in "[\\x00-\\x1f\"*?(){}\\[\\]:^~+\\-!&|/\\\\数据เก็ ء\u{200d}a]{0,600}") {
        thread_local!(static FIXTURE: Fixture = fixture(&[
            ("数据", "zh", "数据数据数据 a * ? ( ) AND OR NOT"),
            ("Abc", "en", "a b c \" quoted \" a+b a-b"),
        ]));
        FIXTURE.with(|fixture| {
            for text in [&text, &more] {
                for mode in [Mode::Full, Mode::Typing] {
                    let hits = fixture.search(text, mode);
                    assert!(hits.is_complete && hits.pages.len() == hits.total.min(10));
                    for page in &hits.pages {
                        assert!(page.title_highlights.iter().all(|range| page.title.get(range.clone()).is_some()));
                        for section in &page.sections {
                            assert!(section.highlights.iter().all(|range| section.snippet.get(range.clone()).is_some()));
                        }
                    }
                }
                let scopes = [Scope::new(fixture.space, &|_| false)];
                fixture.snapshot.nearest(&scopes, text, 3).unwrap();
                fixture.snapshot.suggest(&scopes, text, 3).unwrap();
            }
        });
    }
}
