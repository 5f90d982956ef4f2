//! Compares cached responses with newly rendered ones after random edits, and measures how many
//! renderings an edit causes.

use std::sync::Arc;

use bindery_app::content::revisions::{self, Committed};
use bindery_app::content::spaces::{self as space_cases, NewSpace};
use bindery_app::publishing::sites::{self as site_cases, NewSite};
use bindery_app::publishing::structure;
use bindery_app::publishing::urls::Urls;
use bindery_app::secrets::Secrets;
use bindery_app::{App, Limits, Parts, people::organizations};
use bindery_model::{
    Entropy, FileId, Id, PageId, ReusableContentId, RevisionId, SiteType, SiteVisibility, SpaceId,
    Timestamp,
};
use bindery_model::{FixedClock, LanguageTag};
use bindery_outbound::Guard;
use bindery_revision::tree::{self, Position, Tree};
use bindery_revision::{
    Author, Content, ContentKind, ContentRef, Dimensions, FileRecord, Hash, PageBody, PageKind,
    PageRecord, PathEntry, Record, Redirect, Reference, ReusableRecord, Revision, Staging,
    Variable,
};
use bindery_store::{Store, StoreConfig};
use http::HeaderMap;
use proptest::prelude::*;
use tokio::runtime::Runtime;

use super::*;

/// The client address of requests.
const READER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

/// Returns the response for a path.
async fn respond(sites: &Sites, path: &str) -> Result<Arc<PreparedResponse>> {
    let (method, headers) = (&Method::GET, &HeaderMap::new());
    let request = PageRequest { method, path, query: "", headers, address: READER };
    match sites.respond(request, &HostSites::All, None).await? {
        Answer::Prepared(prepared) => Ok(prepared),
        Answer::Direct(response) => panic!("{path}: {response:?}"),
    }
}

/// Number of pages, files and reusable contents that edits choose from.
const PAGES: u8 = 14;
const FILES: u8 = 3;

/// A server without a listener, with one space on one published site.
struct Bench {
    runtime: Runtime,
    app: Arc<App>,
    space: SpaceId,
    site: String,
    content: Content,
    previous: Vec<Content>,
    _folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self::with_language(None)
    }

    /// Creates a bench whose space has this language.
    fn with_language(language: Option<&'static str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let clock = Arc::new(FixedClock::new(Timestamp::from_millis(1_000)));
        let entropy = Arc::new(Entropy::seeded(7));
        let config =
            StoreConfig::embedded(folder.path(), Arc::clone(&clock) as _, Arc::clone(&entropy));
        let store = runtime.block_on(Store::open(config)).unwrap();
        let app = App::new(Parts {
            store,
            clock,
            entropy,
            urls: Urls::new("http://bindery.example"),
            secrets: Secrets::new(&[1; 32], &[2; 32]),
            guard: Guard::public_only(),
            mailer: None,
            github: None,
            limits: Limits::default(),
            describes_embeds: false,
            cache_dir: folder.path().join("cache"),
            labels: |language| crate::i18n::messages(language).text,
        });
        let app = Arc::new(app.unwrap());
        let held = Arc::clone(&app);
        let (space, site) = runtime
            .block_on(app.store.write(move |tx| {
                let now = held.clock.now();
                let organization = organizations::create(tx, &held, "Tests", now)?;
                let language = language.map(|tag| LanguageTag::parse(tag).unwrap());
                let title = "Space".to_owned();
                let new = NewSpace { title, language, ..NewSpace::default() };
                let space = space_cases::store(tx, &held, organization.id, &new, None)?;
                let new = NewSite {
                    site_type: SiteType::Basic,
                    title: None,
                    visibility: SiteVisibility::Public,
                    spaces: Vec::new(),
                };
                let site = site_cases::store(tx, &held, organization.id, "Site", &new)?;
                structure::store_site_space(tx, &held, &site, &space, None)?;
                bindery_store::sites::set_published(tx, site.id, true)?;
                Ok::<_, bindery_model::Error>((space.id, site.basename))
            }))
            .unwrap();
        let content = Content::new(&app.entropy);
        Self { runtime, app, space, site, content, previous: Vec::new(), _folder: folder }
    }

    /// Applies an edit to the content. Ignores an edit that is impossible now.
    fn edit(&mut self, edit: &Edit) {
        let base = self.app.store.objects();
        let mut staging = Staging::new(&base);
        if let Some(next) = edit.apply(&self.content, &self.previous, &mut staging) {
            let objects = staging.drain();
            self.runtime
                .block_on(self.app.store.write(move |tx| tx.put_objects(objects.clone())))
                .unwrap();
            self.previous.push(std::mem::replace(&mut self.content, next));
        }
    }

    /// Makes the content the main content of the space.
    fn publish(&self) {
        let (app, content, id) = (Arc::clone(&self.app), self.content.clone(), self.space);
        self.runtime
            .block_on(self.app.store.write(move |tx| {
                let space = bindery_store::spaces::get(tx, id)?.unwrap();
                let revision = Revision {
                    parents: vec![space.head],
                    kind: ContentKind::Edits,
                    author: Author::System,
                    created_at: app.clock.now(),
                    message: None,
                    content: content.clone(),
                };
                let id = RevisionId::random(&app.entropy);
                let done = revisions::commit(tx, &space, id, space.head, &revision)?;
                assert_eq!(done, Committed::Done);
                Ok::<_, bindery_model::Error>(())
            }))
            .unwrap();
    }

    /// Returns the paths of all pages.
    fn paths(&self) -> Vec<String> {
        let objects = self.app.store.objects();
        let tree = Tree::new(&self.content, &objects);
        tree.walk().map(|child| tree.path(child.unwrap().id).unwrap()).collect()
    }

    fn get(&self, sites: &Sites, path: &str) -> Arc<PreparedResponse> {
        self.runtime.block_on(respond(sites, &format!("/{}/{path}", self.site))).unwrap()
    }

    fn get_all(&self, sites: &Sites, paths: &[String]) {
        for path in paths {
            self.get(sites, path);
        }
    }
}

/// An edit: its kind, its target and its values.
#[derive(Clone, Debug)]
struct Edit {
    kind: Kind,
    page: u8,
    other: u8,
    number: u8,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Insert,
    Title,
    Slug,
    Move,
    Delete,
    Text,
    Hide,
    Condition,
    BecomeGroup,
    BecomeLink,
    Describe,
    File,
    Reusable,
    Redirect,
    Variable,
    Back,
}

const KINDS: [Kind; 25] = [
    Kind::Insert,
    Kind::Insert,
    Kind::Insert,
    Kind::Insert,
    Kind::Insert,
    Kind::Title,
    Kind::Title,
    Kind::Slug,
    Kind::Slug,
    Kind::Move,
    Kind::Move,
    Kind::Delete,
    Kind::Text,
    Kind::Text,
    Kind::Text,
    Kind::Hide,
    Kind::Condition,
    Kind::BecomeGroup,
    Kind::BecomeLink,
    Kind::Describe,
    Kind::File,
    Kind::Reusable,
    Kind::Redirect,
    Kind::Variable,
    Kind::Back,
];

fn id(kind: u8, number: u8) -> Id {
    Id::derived(&[kind.wrapping_mul(31).wrapping_add(number); 32])
}

fn page_id(number: u8) -> PageId {
    PageId::new(id(1, number % PAGES))
}

/// Stages a text that refers to pages and files by path. In every other text, the first reference
/// is already resolved.
fn text(edit: &Edit, staging: &mut Staging<'_>) -> Hash {
    let Edit { page, other, number, .. } = edit;
    let (a, b) = (other % PAGES, number % PAGES);
    let source = format!(
        "# Page {page}\n\n## Part {number}\n\n[](p{a}.md) and [text](p{b}.md#part) \
         [path](/page-{b}) ![](pic-{}.png)\n\n{{% include \"part-{}.md\" %}}\n\n\
         ```rust\nlet x = {number};\n```\n",
        number % FILES,
        other % FILES,
    );
    let known = Reference {
        raw: format!("p{a}.md"),
        target: ContentRef::Page { page: page_id(a), space: None },
    };
    let body = PageBody {
        source: source.into(),
        path: Some(format!("p{}.md", page % PAGES)),
        references: if number % 2 == 0 { vec![known] } else { Vec::new() },
        identity: Vec::new().into(),
    };
    staging.put(body.encode().unwrap())
}

impl Edit {
    fn apply(
        &self,
        content: &Content,
        previous: &[Content],
        staging: &mut Staging<'_>,
    ) -> Option<Content> {
        let Self { kind, page, other, number } = self;
        let (page, target) = (page_id(*page), page_id(*other));
        let exists = |id| content.page(staging, id).unwrap().is_some();
        let parent = Some(target).filter(|_| number % 3 > 0 && exists(target));
        let position = if number % 2 == 0 { Position::First } else { Position::At(1) };
        let update = |staging: &mut Staging<'_>, change: &dyn Fn(&mut PageRecord)| {
            tree::update(content, staging, page, change).ok().map(|(content, _)| content)
        };
        match kind {
            Kind::Insert => {
                let at = Timestamp::from_millis(i64::from(*number) * 90_000_000);
                let (title, slug) = (format!("Page {number}"), format!("page-{}", number % 9));
                let mut record = PageRecord::new(page, PageKind::Document, &title, &slug, at);
                record.parent = parent;
                record.body = Some(text(self, staging));
                record.source_path = Some(format!("p{}.md", self.page % PAGES));
                tree::insert(content, staging, record, position).ok().map(|done| done.0)
            }
            Kind::Title => update(staging, &|page| page.title = format!("Title {number}")),
            Kind::Slug => update(staging, &|page| page.slug = format!("page-{}", number % 9)),
            Kind::Move => {
                tree::relocate(content, staging, page, parent, position).ok().map(|done| done.0)
            }
            Kind::Delete => tree::delete(content, staging, page).ok().map(|done| done.0),
            Kind::Text => {
                let body = text(self, staging);
                update(staging, &|page| {
                    page.body = Some(body);
                    page.updated_at = Timestamp::from_millis(i64::from(*number) * 90_000_000);
                })
            }
            Kind::Hide => update(staging, &|page| page.hidden = !page.hidden),
            Kind::Condition => update(staging, &|page| {
                page.condition = page.condition.is_none().then(|| "visitor".to_owned());
            }),
            Kind::BecomeGroup => update(staging, &|page| {
                let group = page.kind == PageKind::Group;
                page.kind = if group { PageKind::Document } else { PageKind::Group };
            }),
            Kind::BecomeLink => update(staging, &|page| {
                let target = ContentRef::Page { page: target, space: None };
                let link = matches!(page.kind, PageKind::Link { .. });
                page.kind = if link { PageKind::Document } else { PageKind::Link { target } };
            }),
            Kind::Describe => update(staging, &|page| {
                page.description = Some(format!("Description {number}"));
                page.emoji = Some("1f4d8".to_owned());
                page.no_index = number % 2 == 0;
                page.layout.outline = number % 3 > 0;
            }),
            Kind::File => Some(self.file(content, staging)),
            Kind::Reusable => Some(self.reusable(content, staging)),
            Kind::Redirect => {
                let key = format!("page-{}", number % 9);
                let value = Redirect::Page(target).encode().unwrap();
                let redirects = content.redirects.apply(staging, [(key.into(), Some(value))]);
                Some(Content { redirects: redirects.unwrap(), ..content.clone() })
            }
            Kind::Variable => {
                let mut next = content.clone();
                next.variables.insert("name".to_owned(), Variable::Text(number.to_string()));
                Some(next)
            }
            Kind::Back => previous.get(usize::from(*number) % previous.len().max(1)).cloned(),
        }
    }

    fn file(&self, content: &Content, staging: &mut Staging<'_>) -> Content {
        let number = self.other % FILES;
        let (id, path) = (FileId::new(id(2, number)), format!("pic-{number}.png"));
        let record = FileRecord {
            id,
            name: path.clone(),
            path: Some(path.clone()),
            content_type: "image/png".to_owned(),
            size: u64::from(self.number),
            hash: Hash::of(&[self.number]),
            dimensions: Some(Dimensions { width: 10 + u32::from(self.number), height: 10 }),
        };
        let there = !self.number.is_multiple_of(4);
        let record = there.then(|| record.encode().unwrap());
        let entry = there.then(|| PathEntry::File(id).encode().unwrap());
        let key = id.as_bytes().to_vec().into();
        Content {
            files: content.files.apply(staging, [(key, record)]).unwrap(),
            paths: content.paths.apply(staging, [(path.into(), entry)]).unwrap(),
            ..content.clone()
        }
    }

    fn reusable(&self, content: &Content, staging: &mut Staging<'_>) -> Content {
        let number = self.page % FILES;
        let (id, path) = (ReusableContentId::new(id(3, number)), format!("part-{number}.md"));
        let record = ReusableRecord {
            id,
            title: "Part".to_owned(),
            path: Some(path.clone()),
            body: Some(text(self, staging)),
            computed: None,
        };
        let there = !self.number.is_multiple_of(4);
        let record = there.then(|| record.encode().unwrap());
        let entry = there.then(|| PathEntry::Reusable(id).encode().unwrap());
        let key = id.as_bytes().to_vec().into();
        Content {
            reusable: content.reusable.apply(staging, [(key, record)]).unwrap(),
            paths: content.paths.apply(staging, [(path.into(), entry)]).unwrap(),
            ..content.clone()
        }
    }
}

fn edits(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Edit>> {
    let edit = (prop::sample::select(&KINDS[..]), any::<u8>(), any::<u8>(), any::<u8>())
        .prop_map(|(kind, page, other, number)| Edit { kind, page, other, number });
    prop::collection::vec(edit, count)
}

/// Returns the complete response to a reader.
fn complete_response(prepared: &PreparedResponse) -> (http::StatusCode, HeaderMap, bytes::Bytes) {
    let (parts, body) = prepared.to_response(&Method::GET, &HeaderMap::new()).into_parts();
    (parts.status, parts.headers, body)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn cached_responses_equal_new_ones(
        first in edits(10..30),
        rounds in prop::collection::vec(edits(0..3), 1..8),
    ) {
        let mut bench = Bench::new();
        let sites = Sites::new(Arc::clone(&bench.app));
        let mut requested = vec!["sitemap.xml".to_owned(), "llms.txt".to_owned(), String::new()];
        for round in std::iter::once(first).chain(rounds) {
            for edit in &round {
                bench.edit(edit);
            }
            bench.publish();
            for path in bench.paths() {
                requested.push(format!("{path}.md"));
                requested.push(path);
            }
            requested.sort();
            requested.dedup();
            let fresh = Sites::new(Arc::clone(&bench.app));
            for path in &requested {
                let (cached, new) = (bench.get(&sites, path), bench.get(&fresh, path));
                prop_assert_eq!(complete_response(&cached), complete_response(&new), "/{}, after {:?}", path, round);
            }
        }
    }
}

/// Creates the pages one to `count` at the top level, each with a text of its own.
fn flat(count: u8) -> Bench {
    with_pages(Bench::new(), count, |number| format!("# Page\n\nText {number}\n"))
}

/// Creates the pages one to `count` at the top level with these texts.
fn with_pages(mut bench: Bench, count: u8, source: impl Fn(u8) -> String) -> Bench {
    for number in 0..count {
        let at = Timestamp::from_millis(0);
        let slug = format!("page-{number}");
        let mut record = PageRecord::new(page_id(number), PageKind::Document, &slug, &slug, at);
        let base = bench.app.store.objects();
        let mut staging = Staging::new(&base);
        let body = PageBody {
            source: source(number).into(),
            path: Some(format!("{slug}.md")),
            references: Vec::new(),
            identity: Vec::new().into(),
        };
        record.body = Some(staging.put(body.encode().unwrap()));
        let (content, _) =
            tree::insert(&bench.content, &mut staging, record, Position::Last).unwrap();
        let objects = staging.drain();
        bench
            .runtime
            .block_on(bench.app.store.write(move |tx| tx.put_objects(objects.clone())))
            .unwrap();
        bench.content = content;
    }
    bench.publish();
    bench
}

#[test]
fn an_edit_invalidates_only_the_pages_that_show_it() {
    let mut bench = flat(PAGES);
    let sites = Sites::new(Arc::clone(&bench.app));
    let paths = bench.paths();
    let pages = u64::from(PAGES);
    let work = |bench: &Bench| {
        let before = sites.render_counts();
        bench.get_all(&sites, &paths);
        (
            sites.render_counts().responses - before.responses,
            sites.render_counts().texts - before.texts,
        )
    };
    // The first page's own path redirects to the root, which is not among these.
    assert_eq!(work(&bench), (pages - 1, pages - 1));
    assert_eq!(work(&bench), (0, 0));
    let edit = |kind| Edit { kind, page: 5, other: 1, number: 1 };
    bench.edit(&edit(Kind::Text));
    bench.publish();
    assert_eq!(work(&bench), (1, 1), "a text is on its own page");
    bench.edit(&edit(Kind::Title));
    bench.publish();
    assert_eq!(work(&bench), (pages - 1, 0), "a title is in the navigation of all pages");
    bench.edit(&edit(Kind::File));
    bench.publish();
    assert_eq!(work(&bench), (1, 1), "a file is on the page that shows it");
    bench.publish();
    assert_eq!(work(&bench), (0, 0), "a version in which nothing changed");
}

#[test]
fn an_unchanged_response_keeps_its_compressed_forms() {
    let mut bench = flat(4);
    let sites = Sites::new(Arc::clone(&bench.app));
    let before = bench.get(&sites, "page-2");
    // Any page may use the variable, so everything is rendered again.
    bench.edit(&Edit { kind: Kind::Variable, page: 1, other: 0, number: 1 });
    bench.publish();
    let before_edit = sites.render_counts().responses;
    assert!(Arc::ptr_eq(&before, &bench.get(&sites, "page-2")));
    assert_eq!(sites.render_counts().responses, before_edit + 1);
}

#[test]
fn pages_use_the_language_of_their_space() {
    const SOURCE: &str = "# Page\n\n## Part\n\n{% hint style=\"warning\" %}\nx\n{% endhint %}\n\n\
        {% updates format=\"full\" %}\n{% update date=\"2026-01-31\" %}\ny\n{% endupdate %}\n\
        {% endupdates %}\n";
    for (language, words) in [
        (None, ["<html lang=\"en\" dir=\"ltr\"", "\"Warning\"", ">31 January 2026<", ">Next<"]),
        (
            Some("de"),
            ["<html lang=\"de\" dir=\"ltr\"", "\"Warnung\"", ">31. Januar 2026<", ">Weiter<"],
        ),
        (Some("ar"), ["<html lang=\"ar\" dir=\"rtl\"", "\"تحذير\"", ">31 يناير 2026<", ">التالي<"]),
        (
            Some("fa"),
            [
                "<html lang=\"fa\" dir=\"rtl\"",
                "\"هشدار\"",
                "<meta property=\"og:locale\" content=\"fa_IR\">",
                ">بعدی<",
            ],
        ),
        (
            Some("zh-TW"),
            ["<html lang=\"zh-TW\" dir=\"ltr\"", "\"警告\"", ">2026年1月31日<", ">下一頁<"],
        ),
    ] {
        let bench = with_pages(Bench::with_language(language), 2, |_| SOURCE.to_owned());
        let sites = Sites::new(Arc::clone(&bench.app));
        let page = bench.get(&sites, "");
        let page = String::from_utf8_lossy(page.body());
        for word in words {
            assert!(page.contains(word), "{language:?}: {word}\n{page}");
        }
    }
}

#[test]
fn requests_for_one_page_render_it_once() {
    let bench = flat(4);
    let sites = Arc::new(Sites::new(Arc::clone(&bench.app)));
    let path = format!("/{}/page-2", bench.site);
    bench.runtime.block_on(async {
        let get = || {
            let (sites, path) = (Arc::clone(&sites), path.clone());
            tokio::spawn(async move { respond(&sites, &path).await.unwrap() })
        };
        let waiting: Vec<_> = (0..16).map(|_| get()).collect();
        for response in waiting {
            assert_eq!(response.await.unwrap().status(), StatusCode::OK);
        }
    });
    assert_eq!(sites.render_counts(), RenderCounts { responses: 1, texts: 1 });
    assert_eq!(sites.single_flight.len(), 0);
}

#[test]
fn a_large_page_is_rendered_completely() {
    let text = |number: u8| match number {
        1 => format!("# Page\n\n{}", "word\n\n".repeat(60_000)),
        _ => "# Page\n\nText\n".to_owned(),
    };
    let bench = with_pages(Bench::new(), 3, text);
    let sites = Sites::new(Arc::clone(&bench.app));
    let page = bench.get(&sites, "page-1");
    assert_eq!(page.status(), StatusCode::OK);
    let body = String::from_utf8_lossy(page.body());
    assert_eq!(body.matches("<p>word</p>").count(), 60_000);
    assert_eq!(sites.render_counts(), RenderCounts { responses: 1, texts: 1 });
}
