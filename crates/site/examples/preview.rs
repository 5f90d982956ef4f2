//! Writes a gallery of published pages to a folder for inspection in a browser: `cargo run -p
//! bindery-site --example preview -- FOLDER`.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use bindery_model::Timestamp;
use bindery_site::http::{CacheControl, Encoding, PreparedResponse};
use bindery_site::style::{self, ColorPair, Theme};
use bindery_site::urls::{Candidate, NearMatches};
use bindery_site::view::navigation::{Limits, Step, TreeEntry, TreeSource, navigation};
use bindery_site::view::{
    Choice, CoverView, Direction, HeaderItem, Link, LinkGroup, NavKind, NavNode, OutlineEntry,
    PageView, SectionEntry, SiteView, Suggestion, ThemedImage, render_empty_space,
    render_forbidden, render_not_found, render_page,
};

const ARTICLE: &str = include_str!("article.html");

fn main() -> io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "target/preview".to_owned());
    let folder = Path::new(&folder);
    let site = site();
    let write = |name: &str, html: String| put(folder, &format!("{name}.html"), html.as_bytes());

    write("article", render_page(&site, &article()))?;
    write("deep", render_page(&site, &deep()))?;
    write("wide-list", render_page(&site, &wide_list()))?;
    write("wide-table", render_page(&site, &wide_table()))?;
    write("long-titles", render_page(&site, &long_titles()))?;
    write("cover", render_page(&sectioned(), &cover()))?;
    write("arabic", render_page(&arabic_site(), &arabic()))?;
    write("chinese", render_page(&chinese_site(), &chinese()))?;
    write(
        "empty-page",
        render_page(
            &site,
            &PageView {
                body: String::new(),
                outline: Vec::new(),
                title: "Empty page".to_owned(),
                description: None,
                ..article()
            },
        ),
    )?;
    write("empty-space", render_empty_space(&site))?;
    write("forbidden", render_forbidden(&site, Some("/app/sign-in")))?;
    write("not-found", render_not_found(&site, &small_tree(), &nearest(), "install"))?;
    write("home", render_page(&colored(), &home()))?;

    for asset in [style::stylesheet(), style::favicon()] {
        put(folder, asset.path().trim_start_matches('/'), asset.prepared().body())?;
    }
    if let Some(path) = colored().theme.path()
        && let Some(css) = style::asset(path.trim_start_matches(style::ASSETS))
    {
        put(folder, path.trim_start_matches('/'), css.body())?;
    }
    put(folder, "sizes.txt", sizes(&site).as_bytes())?;
    put(folder, "diagram.svg", DIAGRAM.as_bytes())
}

/// Reports the bytes that a first visit of the article transfers and the time that rendering it
/// takes.
fn sizes(site: &SiteView) -> String {
    let page = article();
    let started = Instant::now();
    let mut html = String::new();
    for _ in 0..100 {
        html = render_page(site, &page);
    }
    let render = started.elapsed() / 100;
    let prepared = PreparedResponse::page(html, CacheControl::Revalidate);
    let css = style::stylesheet().prepared();
    let candidates = (0..5000).map(|n| Candidate {
        path: format!("guides/part-{}/a-page-about-subject-{n}", n % 40),
        title: format!("A page about subject {n}"),
    });
    let candidates = NearMatches::new(candidates);
    let started = Instant::now();
    let found = candidates.nearest("guides/part-7/page-about-subjct-77", 5).len();
    let elapsed = started.elapsed();
    let mut out = format!("render {render:?}, nearest {found} of 5000 {elapsed:?}\n");
    for encoding in [Encoding::Identity, Encoding::Gzip, Encoding::Brotli] {
        let started = Instant::now();
        let (html, css) = (prepared.encoded(encoding).len(), css.encoded(encoding).len());
        let took = started.elapsed();
        out.push_str(&format!(
            "{encoding:?}: html {html}, css {css}, sum {}, in {took:?}\n",
            html + css
        ));
    }
    out
}

fn put(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, bytes)
}

const DIAGRAM: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 240"><rect width="720" height="240" fill="#eef1fa"/><path d="M80 150h560M180 150c60-90 200-90 260-90s80 30 120 90" fill="none" stroke="#5468c9" stroke-width="4"/><g fill="#3b4fb5"><circle cx="80" cy="150" r="11"/><circle cx="180" cy="150" r="11"/><circle cx="330" cy="150" r="11"/><circle cx="560" cy="150" r="11"/><circle cx="640" cy="150" r="11"/><circle cx="330" cy="70" r="11"/><circle cx="440" cy="60" r="11"/></g></svg>"##;

fn site() -> SiteView {
    SiteView {
        search: Some("/handbook/~search".to_owned()),
        header: ["API", "Changelog", "Community"]
            .map(|title| HeaderItem {
                title: title.to_owned(),
                href: Some("#".to_owned()),
                ..HeaderItem::default()
            })
            .into(),
        variants: vec![
            Choice {
                title: "2.x".to_owned(),
                href: "#".to_owned(),
                current: true,
                ..Choice::default()
            },
            Choice { title: "1.x".to_owned(), href: "#".to_owned(), ..Choice::default() },
        ],
        copyright: Some("© 2026 Example Ltd".to_owned()),
        footer: vec![
            LinkGroup {
                title: "Product".to_owned(),
                links: vec![link("Pricing", "#"), link("Status", "#")],
            },
            LinkGroup {
                title: "Company".to_owned(),
                links: vec![link("About", "#"), link("Privacy", "#")],
            },
        ],
        ..SiteView::new("Bindery Handbook", "https://docs.example.com", "/handbook/")
    }
}

fn sectioned() -> SiteView {
    let section = |title: &str, icon: &str, current| {
        SectionEntry::Section(Choice {
            title: title.to_owned(),
            href: "#".to_owned(),
            icon: Some(icon.to_owned()),
            current,
            ..Choice::default()
        })
    };
    SiteView {
        sections: vec![
            section("Guides", "book", true),
            section("API reference", "code", false),
            section("Changelog", "clock", false),
        ],
        theme: Theme { primary: ColorPair::parse("#0f8a5f", "#3ddc97"), ..Theme::default() },
        ..site()
    }
}

fn colored() -> SiteView {
    SiteView { emoji: Some("🧵".to_owned()), ..sectioned() }
}

fn arabic_site() -> SiteView {
    SiteView {
        language: "ar".to_owned(),
        direction: Direction::of_language("ar"),
        title: "دليل بندري".to_owned(),
        ..site()
    }
}

fn chinese_site() -> SiteView {
    SiteView { language: "zh-Hans".to_owned(), title: "装订手册".to_owned(), ..site() }
}

fn link(title: &str, href: &str) -> Link {
    Link { title: title.to_owned(), href: href.to_owned() }
}

fn node(title: &str, children: Vec<NavNode>) -> NavNode {
    NavNode {
        title: title.to_owned(),
        href: Some("#".to_owned()),
        parent: !children.is_empty(),
        children,
        ..NavNode::default()
    }
}

fn group(title: &str, children: Vec<NavNode>) -> NavNode {
    NavNode { kind: NavKind::Group, open: true, ..node(title, children) }
}

fn icon(name: &str, node: NavNode) -> NavNode {
    NavNode { icon: Some(name.to_owned()), ..node }
}

fn small_tree() -> Vec<NavNode> {
    let mut current = node("From a repository to a page", Vec::new());
    current.current = true;
    let mut git = icon(
        "code-branch",
        node(
            "Git sync",
            vec![
                node("Connect a repository", Vec::new()),
                current,
                node("Resolve conflicts", Vec::new()),
                node("Monorepos", Vec::new()),
            ],
        ),
    );
    git.open = true;
    vec![
        icon("house", node("Welcome", Vec::new())),
        icon("rocket", node("Quick start", Vec::new())),
        NavNode {
            emoji: Some("🧭".to_owned()),
            ..node(
                "Concepts",
                vec![
                    node("Spaces", Vec::new()),
                    node("Sites", Vec::new()),
                    node("Revisions", Vec::new()),
                ],
            )
        },
        group(
            "Guides",
            vec![
                git,
                icon(
                    "users",
                    node(
                        "People and roles",
                        vec![node("Invite people", Vec::new()), node("Teams", Vec::new())],
                    ),
                ),
                icon(
                    "globe",
                    node(
                        "Publishing",
                        vec![node("Hostnames", Vec::new()), node("Who may read", Vec::new())],
                    ),
                ),
                icon("magnifying-glass", node("Search", Vec::new())),
            ],
        ),
        group(
            "Operate",
            vec![
                node("Install", Vec::new()),
                node("Configuration", vec![node("Limits", Vec::new())]),
                node("Backups", Vec::new()),
                node("Cluster", Vec::new()),
            ],
        ),
        group(
            "Reference",
            vec![
                node("HTTP API", Vec::new()),
                node("Command line", Vec::new()),
                NavNode { kind: NavKind::Link, ..node("Status page", Vec::new()) },
            ],
        ),
    ]
}

fn outline_of(body: &str) -> Vec<OutlineEntry> {
    let mut entries = Vec::new();
    for part in body.split("\n<h").skip(1) {
        let level = match part.as_bytes().first() {
            Some(b'2') => 1,
            Some(b'3') => 2,
            Some(b'4') => 3,
            _ => continue,
        };
        let id = part.split('"').nth(1).unwrap_or_default();
        let title = part
            .split_once('>')
            .map_or("", |(_, rest)| rest)
            .split(" <a")
            .next()
            .unwrap_or_default();
        entries.push(OutlineEntry { level, anchor: id.to_owned(), title: title.to_owned() });
    }
    entries
}

fn article() -> PageView {
    PageView {
        title: "From a repository to a page".to_owned(),
        description: Some("How a change travels from a pull request to what your readers see, and what to do when it does not.".to_owned()),
        href: "/handbook/guides/git/from-a-repository".to_owned(),
        markdown_href: Some("/handbook/guides/git/from-a-repository.md".to_owned()),
        edit_href: Some("https://git.example.com/handbook".to_owned()),
        navigation: small_tree(),
        breadcrumbs: vec![link("Guides", ""), link("Git sync", "#")],
        outline: outline_of(ARTICLE),
        body: ARTICLE.to_owned(),
        previous: Some(link("Connect a repository", "#")),
        next: Some(link("Resolve conflicts", "#")),
        updated: Some(Timestamp::from_millis(1_773_273_600_000)),
        author: Some("Ann Example".to_owned()),
        ..PageView::default()
    }
}

fn home() -> PageView {
    PageView {
        title: "Welcome".to_owned(),
        icon: Some("hand-wave".to_owned()),
        breadcrumbs: Vec::new(),
        previous: None,
        next: Some(link("Quick start", "#")),
        ..article()
    }
}

fn cover() -> PageView {
    PageView {
        cover: Some(CoverView {
            image: ThemedImage { src: "diagram.svg".to_owned(), ..ThemedImage::default() },
            height: Some(240),
            focus: 10,
        }),
        ..article()
    }
}

/// A generated tree with a fixed number of children per entry on each level.
struct Rule {
    fan_out: Vec<usize>,
}

impl TreeSource for Rule {
    type Id = Vec<usize>;
    type Error = std::convert::Infallible;

    fn size(&self) -> usize {
        self.fan_out.iter().product()
    }

    fn count(&self, parent: Option<&Self::Id>) -> Result<usize, Self::Error> {
        Ok(self.fan_out.get(parent.map_or(0, Vec::len)).copied().unwrap_or(0))
    }

    fn children(
        &self,
        parent: Option<&Self::Id>,
        range: Range<usize>,
    ) -> Result<Vec<TreeEntry<Self::Id>>, Self::Error> {
        let above = parent.cloned().unwrap_or_default();
        Ok(range
            .map(|i| {
                let mut id = above.clone();
                id.push(i);
                let digits: Vec<String> = id.iter().map(|n| (n + 1).to_string()).collect();
                TreeEntry {
                    parent: id.len() < self.fan_out.len(),
                    id,
                    kind: NavKind::Page,
                    title: format!("Chapter {}", digits.join(".")),
                    href: Some("#".to_owned()),
                    emoji: None,
                    icon: None,
                    operation: None,
                    hidden: false,
                }
            })
            .collect())
    }
}

fn nodes(fan_out: &[usize], path: &[usize]) -> Vec<NavNode> {
    let steps: Vec<Step<Vec<usize>>> = path
        .iter()
        .enumerate()
        .map(|(depth, position)| Step {
            id: path.iter().take(depth + 1).copied().collect(),
            position: *position,
        })
        .collect();
    let Ok(nodes) = navigation(&Rule { fan_out: fan_out.to_vec() }, &steps, &Limits::default());
    nodes
}

fn deep() -> PageView {
    PageView {
        title: "Seven levels down".to_owned(),
        navigation: nodes(&[8, 4, 3, 4, 3, 5, 6], &[2, 1, 1, 2, 1, 3, 2]),
        breadcrumbs: [
            "Chapter 3",
            "Chapter 3.2",
            "Chapter 3.2.2",
            "Chapter 3.2.2.3",
            "Chapter 3.2.2.3.2",
            "Chapter 3.2.2.3.2.4",
        ]
        .map(|title| link(title, "#"))
        .to_vec(),
        ..article()
    }
}

fn wide_list() -> PageView {
    PageView {
        title: "One of four hundred".to_owned(),
        navigation: nodes(&[3, 400], &[1, 211]),
        ..article()
    }
}

fn wide_table() -> PageView {
    let head: String = (1..=20).map(|n| format!("<th scope=\"col\">Column {n}</th>")).collect();
    let rows: String = (1..=40)
        .map(|row| {
            let cells: String = (1..=20).map(|n| format!("<td>{}</td>", row * n * 37)).collect();
            format!("<tr>{cells}</tr>")
        })
        .collect();
    let body = format!(
        "<p>Twenty columns and forty rows.</p><div class=\"table\" tabindex=\"0\"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div><p>And the text goes on.</p>"
    );
    PageView { title: "A wide table".to_owned(), body, outline: Vec::new(), ..article() }
}

fn long_titles() -> PageView {
    let title = "A heading of two hundred characters that goes on about configuration, deployment, observability, Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen and then still on until it is really long enough";
    let body = format!(
        "<h2 id=\"long\">{title} <a class=\"anchor\" href=\"#long\" aria-label=\"Link to this heading\"></a></h2>\n<p>https://example.com/{}</p>\n<h2 id=\"short\">Short <a class=\"anchor\" href=\"#short\" aria-label=\"Link to this heading\"></a></h2>\n<p>Text.</p>",
        "very-long-path/".repeat(20)
    );
    let mut navigation = small_tree();
    navigation.insert(2, node(title, Vec::new()));
    PageView {
        title: title.to_owned(),
        outline: vec![
            OutlineEntry { level: 1, anchor: "long".to_owned(), title: title.to_owned() },
            OutlineEntry { level: 1, anchor: "short".to_owned(), title: "Short".to_owned() },
        ],
        body,
        navigation,
        next: Some(link(title, "#")),
        ..article()
    }
}

fn arabic() -> PageView {
    let body = "<p>تحتفظ المساحة بتاريخها كسلسلة من المراجعات. لا يتغير أي شيء في المراجعة أبدًا: ما تقرؤه يوم الاثنين يبقى كما هو يوم الجمعة.</p><div class=\"hint hint-info\" role=\"note\"><div class=\"hint-icon\" aria-hidden=\"true\"></div><div class=\"hint-body\"><p>الاستيراد تدريجي، ولا يكلف إلا ما تغير.</p></div></div>\n<h2 id=\"import\">كيف يعمل الاستيراد <a class=\"anchor\" href=\"#import\" aria-label=\"Link\"></a></h2><p>أرسل مجلدًا من سطر الأوامر:</p><figure class=\"code\"><figcaption><span class=\"code-lang\">bash</span></figcaption><pre tabindex=\"0\"><code><span class=\"line\">bindery import ./docs --publish\n</span></code></pre></figure><ol class=\"stepper\"><li class=\"step\"><h3 id=\"a\">اختر القراء</h3><p>الجميع أو فريقك فقط.</p></li><li class=\"step\"><h3 id=\"b\">انشر</h3><p>يظهر الموقع فورًا.</p></li></ol><details class=\"expandable\"><summary>هل يمكن أن يضيع تعديل؟</summary><div class=\"expandable-body\"><p>لا.</p></div></details>\n<h2 id=\"merge\">الدمج <a class=\"anchor\" href=\"#merge\" aria-label=\"Link\"></a></h2><ul><li>لكل كتلة</li><li>لكل مقطع نص</li></ul><a class=\"content-ref\" href=\"#\">التاريخ والاستعادة</a>";
    PageView {
        title: "من المستودع إلى الصفحة".to_owned(),
        description: Some("كيف ينتقل التغيير من الطلب إلى ما يراه القراء.".to_owned()),
        outline: outline_of(body),
        body: body.to_owned(),
        breadcrumbs: vec![link("الأدلة", "#"), link("المزامنة", "#")],
        previous: Some(link("اربط مستودعًا", "#")),
        next: Some(link("حل التعارضات", "#")),
        ..article()
    }
}

fn chinese() -> PageView {
    let body = "<p>空间把历史保存为一连串修订。修订中的任何内容都不会改变：你星期一读到的内容，星期五仍然在那里，一个字节也不差。本页说明一次更改如何从合并请求走到读者看到的页面，以及两个人修改同一段落时会发生什么。</p>\n<h2 id=\"import\">导入如何工作 <a class=\"anchor\" href=\"#import\" aria-label=\"Link\"></a></h2><p>服务器克隆分支，读取 <code>SUMMARY.md</code>，并把每个文件与上次的页面配对。</p>\n<h2 id=\"publish\">发布 <a class=\"anchor\" href=\"#publish\" aria-label=\"Link\"></a></h2><p>发布是站点上的一个开关，而不是一次构建。</p>";
    PageView {
        title: "从仓库到页面".to_owned(),
        description: Some("一次更改如何到达读者。".to_owned()),
        outline: outline_of(body),
        body: body.to_owned(),
        breadcrumbs: vec![link("指南", "#")],
        ..article()
    }
}

fn nearest() -> Vec<Suggestion> {
    let page = |title: &str, ancestors: &str| Suggestion {
        title: title.to_owned(),
        href: "#".to_owned(),
        ancestors: Some(ancestors.to_owned()),
    };
    vec![
        page("Connect a repository", "Guides · Git sync"),
        page("Resolve conflicts", "Guides · Git sync"),
        page("Configuration", "Operate"),
    ]
}
