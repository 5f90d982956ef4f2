//! Tests of complete small pages, of the escaping of every field, and of navigation trees of every
//! size.

use std::convert::Infallible;
use std::ops::Range;

use bindery_revision::PageOperation;

use super::navigation::{Limits, Step, TreeEntry, TreeSource, navigation};
use super::*;
use crate::http::{CacheControl, Encoding, PreparedResponse};
use crate::style;

fn link(title: &str, href: &str) -> Link {
    Link { title: title.to_owned(), href: href.to_owned() }
}

/// Returns the document without the content hashes in the addresses of its assets.
fn stable(html: &str) -> String {
    html.replace(style::stylesheet().path(), "/~assets/site.css")
        .replace(style::script().path(), "/~assets/reader.js")
        .replace(style::favicon().path(), "/~assets/icon.svg")
        .replace("><", ">\n<")
}

#[test]
fn a_small_page() {
    let site = SiteView::new("Handbook", "https://x.example", "/handbook/");
    let page = PageView {
        title: "Install".to_owned(),
        description: Some("In five minutes.".to_owned()),
        href: "/handbook/guides/install".to_owned(),
        markdown_href: Some("/handbook/guides/install.md".to_owned()),
        breadcrumbs: vec![link("Guides", "")],
        navigation: vec![
            NavNode {
                kind: NavKind::Group,
                title: "Guides".to_owned(),
                open: true,
                parent: true,
                children: vec![
                    NavNode {
                        title: "Install".to_owned(),
                        href: Some("/handbook/guides/install".to_owned()),
                        icon: Some("fa-rocket".to_owned()),
                        current: true,
                        ..NavNode::default()
                    },
                    NavNode {
                        title: "Operate".to_owned(),
                        href: Some("/handbook/guides/operate".to_owned()),
                        parent: true,
                        children: vec![NavNode {
                            title: "Backups".to_owned(),
                            href: Some("/handbook/b".to_owned()),
                            ..NavNode::default()
                        }],
                        ..NavNode::default()
                    },
                ],
                ..NavNode::default()
            },
            NavNode {
                kind: NavKind::Later,
                title: "12".to_owned(),
                href: Some("/handbook/c".to_owned()),
                ..NavNode::default()
            },
        ],
        outline: vec![
            OutlineEntry { level: 2, anchor: "a".to_owned(), title: "A".to_owned() },
            OutlineEntry { level: 3, anchor: "b".to_owned(), title: "B".to_owned() },
        ],
        body: "<h2 id=\"a\">A</h2><h3 id=\"b\">B</h3>".to_owned(),
        next: Some(link("Operate", "/handbook/guides/operate")),
        updated: Some(Timestamp::from_millis(0)),
        author: Some("Ann".to_owned()),
        ..PageView::default()
    };
    insta::assert_snapshot!(stable(&render_page(&site, &page)));
}

#[test]
fn states_without_a_page() {
    let site = SiteView {
        language: "de".to_owned(),
        ..SiteView::new("Handbuch", "https://x.example", "/h/")
    };
    let near =
        Suggestion { title: "Start".to_owned(), href: "/h/start".to_owned(), ancestors: None };
    insta::assert_snapshot!(stable(&render_not_found(&site, &[], &[near], "install")));
    insta::assert_snapshot!(stable(&render_empty_space(&site)));
    insta::assert_snapshot!(stable(&render_forbidden(&site, Some("/app/sign-in"))));
}

const EVIL: &str = "<script>'\"&</script>";

pub(super) fn evil() -> String {
    EVIL.to_owned()
}

fn evil_link() -> Link {
    link(EVIL, EVIL)
}

fn evil_choices() -> Vec<Choice> {
    let choice = Choice {
        title: evil(),
        href: evil(),
        emoji: Some(evil()),
        icon: Some(evil()),
        language: Some(evil()),
        current: false,
        is_same_page: true,
        is_default: true,
    };
    vec![choice.clone(), Choice { emoji: None, ..choice }]
}

fn evil_sections(depth: usize) -> Vec<SectionEntry> {
    let mut entries: Vec<_> = evil_choices().into_iter().map(SectionEntry::Section).collect();
    let link = evil_link();
    entries.push(SectionEntry::Link(ExternalLink { link, icon: Some(EVIL.to_owned()) }));
    if depth > 0 {
        let entries_below = evil_sections(depth - 1);
        let menu = SectionMenu { title: evil(), icon: Some(evil()), entries: entries_below };
        entries.push(SectionEntry::Menu(menu));
    }
    entries
}

fn evil_image() -> ThemedImage {
    ThemedImage { src: evil(), dark: Some(evil()), alt: evil(), ..ThemedImage::default() }
}

fn evil_header() -> Vec<HeaderItem> {
    let styles =
        [HeaderItemStyle::Link, HeaderItemStyle::PrimaryButton, HeaderItemStyle::SecondaryButton];
    let links = || vec![evil_link()];
    let item = |style| HeaderItem { title: evil(), href: Some(evil()), links: links(), style };
    styles
        .into_iter()
        .flat_map(|style| [HeaderItem { links: vec![], ..item(style) }, item(style)])
        .collect()
}

pub(super) fn evil_site() -> SiteView {
    SiteView {
        title: evil(),
        emoji: Some(evil()),
        logo: Some(evil_image()),
        base: evil(),
        origin: evil(),
        language: evil(),
        direction: Direction::RightToLeft,
        font_stylesheets: Vec::new(),
        root: "/".to_owned(),
        theme: style::Theme::default(),
        scheme: Scheme::Dark,
        switches_scheme: true,
        favicon: Some(Favicon { light: evil(), dark: Some(evil()) }),
        social_image: Some(evil()),
        search: Some(evil()),
        header: evil_header(),
        hides_header: false,
        announcement: Some(Announcement {
            message: evil(),
            link: Some(evil_link()),
            tone: Tone::Danger,
        }),
        sections: evil_sections(2),
        variants: evil_choices(),
        translations: evil_choices(),
        copyright: Some(evil()),
        footer: vec![LinkGroup { title: evil(), links: vec![evil_link()] }],
        footer_logo: Some(evil_image()),
        privacy_policy: Some(evil()),
        trademark: true,
        opens_windows: true,
        noindex: true,
        is_preview: false,
        proposed: Some((1, evil())),
    }
}

fn evil_nodes(kind: NavKind, depth: usize) -> Vec<NavNode> {
    let children = if depth == 0 { Vec::new() } else { evil_nodes(kind, depth - 1) };
    vec![NavNode {
        kind,
        title: evil(),
        href: Some(evil()),
        emoji: Some(evil()),
        operation: Some(PageOperation { method: evil(), is_deprecated: true }),
        icon: Some(evil()),
        current: true,
        open: true,
        parent: true,
        children,
    }]
}

pub(super) fn expect_escaped(html: &str) {
    assert_eq!(html.matches("<script").count(), 2, "{html}");
    assert_eq!(html.matches("src=\"/~assets/").count(), 2, "{html}");
    assert!(html.contains("<script src=\"/~assets/reader-"), "{html}");
    assert!(!html.contains("'\"&<"), "{html}");
    assert!(html.contains("&lt;script&gt;"));
}

#[test]
fn every_text_is_escaped() {
    let kinds = [NavKind::Page, NavKind::Group, NavKind::Link, NavKind::Earlier, NavKind::Later];
    let navigation: Vec<NavNode> = kinds.into_iter().flat_map(|kind| evil_nodes(kind, 1)).collect();
    let page = PageView {
        title: evil(),
        title_ids: vec![evil()],
        window_title: Some(evil()),
        description: Some(evil()),
        emoji: Some(evil()),
        icon: Some(evil()),
        cover: Some(CoverView { image: evil_image(), height: Some(300), focus: 3 }),
        layout: Layout { cover_full: true, wide: true, ..Layout::default() },
        href: evil(),
        canonical: Some(evil()),
        markdown_href: Some(evil()),
        pdf: Some(PdfLinks { page: evil_link(), everything: evil_link() }),
        edit_href: Some(evil()),
        feedback: Some(evil()),
        related: Some(evil()),
        view: Some(evil()),
        card: Some(evil()),
        feeds: vec![evil_link()],
        assistants: vec![evil_link()],
        mcp: Some(McpLinks { address: evil(), clients: vec![evil_link()] }),
        navigation: navigation.clone(),
        breadcrumbs: vec![evil_link(), link(EVIL, "")],
        outline: vec![OutlineEntry { level: 1, anchor: evil(), title: evil() }; 2],
        body: "<p>body</p>".to_owned(),
        previous: Some(evil_link()),
        next: Some(evil_link()),
        published: Some(Timestamp::from_millis(0)),
        updated: Some(Timestamp::from_millis(0)),
        author: Some(evil()),
        noindex: true,
        is_unlisted: true,
    };
    let near = Suggestion { title: evil(), href: evil(), ancestors: Some(evil()) };
    for html in [
        render_page(&evil_site(), &page),
        render_not_found(&evil_site(), &navigation, &[near], EVIL),
        render_empty_space(&evil_site()),
        render_forbidden(&evil_site(), Some(EVIL)),
    ] {
        expect_escaped(&html);
    }
}

#[test]
fn a_page_has_no_inline_script_or_style_and_its_landmarks() {
    let html = render_page(
        &evil_site(),
        &PageView { navigation: evil_nodes(NavKind::Page, 0), ..PageView::default() },
    );
    for forbidden in ["<script>", " style=", "<style", " onclick", "javascript:"] {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
    for landmark in
        ["<header", "<nav", "<main", "<footer", "href=\"#B--content\"", "id=\"B--content\""]
    {
        assert!(html.contains(landmark), "{landmark}");
    }
    assert_eq!(html.matches("<h1").count(), 1);
    assert_eq!(html.matches("<main").count(), 1);
}

#[test]
fn groups_of_sections_are_menus_without_scripts() {
    let section = |title: &str, current| {
        let href = format!("/{title}/");
        SectionEntry::Section(Choice {
            title: title.to_owned(),
            href,
            current,
            ..Choice::default()
        })
    };
    let menu = |title: &str, entries| {
        SectionEntry::Menu(SectionMenu { title: title.to_owned(), icon: None, entries })
    };
    let sections = vec![
        section("guide", false),
        menu("Outer", vec![section("api", false), menu("Inner", vec![section("cli", true)])]),
    ];
    let site = SiteView { sections, ..SiteView::new("S", "https://x.example", "/") };
    let html = render_page(&site, &PageView::default());
    assert_eq!(html.matches("<details class=\"menu\"").count(), 1, "{html}");
    assert!(html.contains("<summary aria-current=\"true\">"), "{html}");
    assert!(html.contains("<a href=\"/cli/\" aria-current=\"true\">"), "{html}");
    let one = SiteView { sections: vec![menu("Outer", vec![section("guide", true)])], ..site };
    assert!(!render_page(&one, &PageView::default()).contains("class=\"sections\""));
}

#[test]
fn only_translations_of_the_page_are_alternates() {
    let choice = |href: &str, language: &str, is_same_page| Choice {
        title: language.to_owned(),
        href: href.to_owned(),
        language: Some(language.to_owned()),
        current: language == "en",
        is_same_page,
        ..Choice::default()
    };
    let translations =
        vec![choice("/a", "en", true), choice("/de/a", "de", true), choice("/fr/", "fr", false)];
    let site = SiteView { translations, ..SiteView::new("S", "https://x.example", "/") };
    let page = PageView { href: "/canonical".to_owned(), ..PageView::default() };
    let html = render_page(&site, &page);
    let german = "rel=\"alternate\" hreflang=\"de\" href=\"https://x.example/de/a\"";
    assert!(html.contains(german), "{html}");
    let english = "rel=\"alternate\" hreflang=\"en\" href=\"https://x.example/canonical\"";
    assert!(html.contains(english), "{html}");
    assert_eq!(html.matches("rel=\"alternate\"").count(), 2, "{html}");
    assert!(html.contains("href=\"/fr/\" hreflang=\"fr\""), "{html}");
}

#[test]
fn the_layout_hides_parts() {
    let site = SiteView::new("S", "https://x.example", "/");
    let page = PageView {
        title: "T".to_owned(),
        description: Some("D".to_owned()),
        cover: Some(CoverView::default()),
        navigation: evil_nodes(NavKind::Page, 0),
        outline: vec![OutlineEntry::default(); 2],
        next: Some(link("N", "/n")),
        markdown_href: Some("/t.md".to_owned()),
        ..PageView::default()
    };
    let parts = [
        "class=\"cover",
        "class=\"lead",
        "site-nav",
        "class=\"outline",
        "class=\"pagination",
        "class=\"metadata",
    ];
    let all = render_page(&site, &page);
    let nothing = Layout {
        wide: true,
        cover: false,
        cover_full: false,
        title: false,
        description: false,
        table_of_contents: false,
        outline: false,
        pagination: false,
        metadata: false,
    };
    let none = render_page(&site, &PageView { layout: nothing, ..page });
    for part in parts {
        assert!(all.contains(part), "{part}");
        assert!(!none.contains(part), "{part}");
    }
    assert!(none.contains("<h1 class=\"page-title sr\""), "the title stays for screen readers");
}

/// A tree in which each level has a fixed number of children.
struct Rule(Vec<usize>);

impl TreeSource for Rule {
    type Id = Vec<usize>;
    type Error = Infallible;

    fn size(&self) -> usize {
        let mut level = 1;
        self.0
            .iter()
            .map(|count| {
                level *= count;
                level
            })
            .sum()
    }

    fn count(&self, parent: Option<&Self::Id>) -> Result<usize, Infallible> {
        Ok(self.0.get(parent.map_or(0, Vec::len)).copied().unwrap_or(0))
    }

    fn children(
        &self,
        parent: Option<&Self::Id>,
        range: Range<usize>,
    ) -> Result<Vec<TreeEntry<Self::Id>>, Infallible> {
        Ok(range
            .map(|i| {
                let id: Vec<usize> = parent.into_iter().flatten().copied().chain([i]).collect();
                let title = id.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
                TreeEntry {
                    kind: NavKind::Page,
                    href: Some(format!("/{title}")),
                    title,
                    emoji: None,
                    icon: None,
                    operation: None,
                    parent: id.len() < self.0.len(),
                    hidden: i == 1,
                    id,
                }
            })
            .collect())
    }
}

/// Draws one line per entry, indented by level: `*` current, `+` open, `>` with children that are
/// not shown.
fn drawn(nodes: &[NavNode], depth: usize) -> String {
    nodes
        .iter()
        .map(|node| {
            let mark = match (node.kind, node.current, node.open, node.parent) {
                (NavKind::Earlier, ..) => "^",
                (NavKind::Later, ..) => "v",
                (_, true, ..) => "*",
                (_, _, true, _) => "+",
                (_, _, _, true) if node.children.is_empty() => ">",
                (_, _, _, true) => "-",
                _ => "",
            };
            let href = if mark == "^" || mark == "v" {
                node.href.as_deref().unwrap_or_default()
            } else {
                ""
            };
            format!(
                "{}{mark}{}{href}\n{}",
                " ".repeat(depth),
                node.title,
                drawn(&node.children, depth + 1)
            )
        })
        .collect()
}

fn planned(fan_out: &[usize], path: &[usize], limits: Limits) -> String {
    let steps: Vec<_> = path
        .iter()
        .enumerate()
        .map(|(depth, position)| Step { id: path[..=depth].to_vec(), position: *position })
        .collect();
    drawn(&navigation(&Rule(fan_out.to_vec()), &steps, &limits).unwrap(), 0)
}

/// A large tree whose top-level entries are groups of links.
struct LinkGroups;

impl TreeSource for LinkGroups {
    type Id = Vec<usize>;
    type Error = Infallible;

    fn size(&self) -> usize {
        10_000
    }

    fn count(&self, parent: Option<&Self::Id>) -> Result<usize, Infallible> {
        Rule(vec![6, 45]).count(parent)
    }

    fn children(
        &self,
        parent: Option<&Self::Id>,
        range: Range<usize>,
    ) -> Result<Vec<TreeEntry<Self::Id>>, Infallible> {
        let entries = Rule(vec![6, 45]).children(parent, range)?.into_iter();
        Ok(entries
            .map(|entry| match parent {
                None => TreeEntry { kind: NavKind::Group, href: None, hidden: false, ..entry },
                Some(_) => TreeEntry { kind: NavKind::Link, hidden: false, ..entry },
            })
            .collect())
    }
}

#[test]
fn groups_of_links_can_be_opened_in_large_trees() {
    let nodes = navigation(&LinkGroups, &[], &Limits::default()).unwrap();
    let shown: Vec<usize> = nodes.iter().map(|node| node.children.len()).collect();
    // The number of entries is bounded, however many groups there are.
    assert_eq!(shown, [45, 45, 45, 45, 0, 0]);
    assert!(nodes.iter().all(|node| !node.open));
}

#[test]
fn a_small_tree_is_shown_completely() {
    let drawn = planned(&[3, 3], &[2, 0], Limits::default());
    insta::assert_snapshot!(drawn, @r"
    -0
     0.0
     0.2
    +2
     *2.0
     2.2
    ");
}

#[test]
fn large_trees_show_the_path_to_the_page_and_its_surroundings() {
    let limits = Limits { whole: 10, open: 5, window: 4 };
    let drawn = planned(&[20, 3, 30], &[10, 2, 29], limits);
    insta::assert_snapshot!(drawn, @r"
    ^8/7
    >8
    >9
    +10
     >10.0
     +10.2
      ^26/10.2.25
      10.2.26
      10.2.27
      10.2.28
      *10.2.29
    >11
    v8/12
    ");
}

#[test]
fn the_window_counts_what_it_leaves_out_and_never_hides_one_entry() {
    let limits = Limits { whole: 1, open: 1, window: 4 };
    for count in 0..12 {
        for position in 0..count {
            let shown = planned(&[count], &[position], limits);
            let number = |mark: char| {
                shown.lines().find_map(|line| {
                    line.strip_prefix(mark)?.split('/').next()?.parse::<usize>().ok()
                })
            };
            let entries = shown.lines().filter(|line| !line.starts_with(['^', 'v'])).count();
            let (before, after) = (number('^'), number('v'));
            assert!(before != Some(1) && after != Some(1), "{shown}");
            assert!(shown.contains(&format!("*{position}\n")), "{shown}");
            let hidden = usize::from(
                shown.lines().all(|line| line != "1")
                    && before.unwrap_or(0) < 2
                    && count - after.unwrap_or(0) > 1
                    && position != 1,
            );
            assert_eq!(
                before.unwrap_or(0) + entries + after.unwrap_or(0) + hidden,
                count,
                "{shown}"
            );
        }
    }
}

#[test]
fn a_hidden_page_is_listed_on_itself_only() {
    assert!(planned(&[3], &[1], Limits::default()).contains("*1"));
    assert!(!planned(&[3], &[0], Limits::default()).contains('1'));
}

#[test]
fn a_page_of_a_large_space_stays_small() {
    let path = [500, 3, 2, 7];
    let steps: Vec<_> = (0..path.len())
        .map(|depth| Step { id: path[..=depth].to_vec(), position: path[depth] })
        .collect();
    let tree = Rule(vec![1000, 10, 10, 10]);
    let navigation = navigation(&tree, &steps, &Limits::default()).unwrap();
    let site = SiteView::new("Handbook", "https://x.example", "/handbook/");
    let html = render_page(&site, &PageView { navigation, ..PageView::default() });
    assert!(html.len() < 16_000, "{}", html.len());
}

#[test]
fn a_first_visit_is_small() {
    let site = SiteView::new("Handbook", "https://x.example", "/handbook/");
    let page = PageView {
        title: "From a repository to a page".to_owned(),
        navigation: evil_nodes(NavKind::Page, 20),
        body: include_str!("../../examples/article.html").to_owned(),
        ..PageView::default()
    };
    let page = PreparedResponse::page(render_page(&site, &page), CacheControl::Revalidate);
    let style = style::stylesheet().prepared();
    let total = |encoding| page.encoded(encoding).len() + style.encoded(encoding).len();
    assert!(total(Encoding::Gzip) < 20_000, "gzip {}", total(Encoding::Gzip));
    assert!(total(Encoding::Brotli) < 18_000, "brotli {}", total(Encoding::Brotli));
}

#[test]
fn covers_have_their_height_and_focus() {
    let site = SiteView::new("Handbook", "https://x.example", "/handbook/");
    let image = ThemedImage { src: "/c.png".to_owned(), ..ThemedImage::default() };
    let cover = Some(CoverView { image, height: Some(320), focus: 4 });
    let html = render_page(&site, &PageView { cover, ..PageView::default() });
    let img = r#"<img class="cover-image cover-y-4 cover-high" src="/c.png" alt="" height="320">"#;
    assert!(html.contains(img), "{html}");
    assert!(style::SOURCE.contains(".cover-y-4 {") && style::SOURCE.contains(".cover-high {"));
}

#[test]
fn dark_images_follow_the_scheme_of_the_site() {
    let source = concat!(
        "<picture><source srcset=\"https://x.example/d.png\" ",
        "media=\"(prefers-color-scheme: dark)\"><img src=\"https://x.example/l.png\"></picture>\n"
    );
    let context = bindery_content::ParseContext {
        path: "page.md",
        lookup: &bindery_content::reference::NoLookup,
    };
    let document = bindery_content::markdown::parse(source, &context);
    let context = bindery_content::html::RenderContext {
        links: &bindery_content::html::NoLinks,
        highlight: false,
    };
    let body = bindery_content::html::render(&document, &context).body;
    let logo = ThemedImage {
        src: "l.svg".to_owned(),
        dark: Some("d.svg".to_owned()),
        ..ThemedImage::default()
    };
    let page = PageView { body, ..PageView::default() };
    for (scheme, media) in [
        (Scheme::Reader, "media=\"(prefers-color-scheme: dark)\">"),
        (Scheme::Light, "media=\"not all\">"),
        (Scheme::Dark, "media=\"all\">"),
    ] {
        let logo = Some(logo.clone());
        let site =
            SiteView { scheme, logo, ..SiteView::new("Handbook", "https://x.example", "/h/") };
        let html = render_page(&site, &page);
        assert_eq!(html.matches(media).count(), 2, "{scheme:?}: {html}");
    }
}

#[test]
fn only_pages_with_formulas_or_diagrams_load_what_these_need() {
    let page = |body: &str| {
        let site = SiteView::new("Handbook", "https://x.example", "/h/");
        render_page(&site, &PageView { body: body.to_owned(), ..PageView::default() })
    };
    let plain = page("<p>&lt;math&gt; and <code>class=&quot;language-mermaid&quot;</code></p>");
    for part in ["math-", "diagrams-", "mermaid-"] {
        assert!(!plain.contains(part), "{part}");
    }
    assert_eq!(plain.matches("rel=\"preload\"").count(), 1);
    let formula = page("<p><math><mi>x</mi></math></p>");
    assert!(formula.contains(style::math().path()));
    assert_eq!(formula.matches("rel=\"preload\"").count(), 2);
    let diagram = page("<figure><pre><code class=\"language-mermaid\">pie</code></pre></figure>");
    for part in [style::diagram_script(), style::diagram_stylesheet(), style::diagram_frame()] {
        assert!(diagram.contains(part.path()), "{part:?}");
    }
    let font = style::Font::parse("Roboto");
    let theme = style::Theme { font, ..style::Theme::default() };
    let site = SiteView { theme, ..SiteView::new("Handbook", "https://x.example", "/h/") };
    assert!(!render_page(&site, &PageView::default()).contains("rel=\"preload\""));
}

#[test]
fn navigation_has_the_menus_of_the_header_for_narrow_windows() {
    let mut site = SiteView::new("Handbook", "https://x.example", "/handbook/");
    let navigation = vec![NavNode { title: "Page".to_owned(), ..NavNode::default() }];
    let page = PageView { navigation, ..PageView::default() };
    assert!(!render_page(&site, &page).contains("nav-tools"));
    let choice = |title: &str, current| Choice {
        title: title.to_owned(),
        href: "/handbook/v1/".to_owned(),
        current,
        ..Choice::default()
    };
    site.variants = vec![choice("1.0", false), choice("2.0", true)];
    let html = render_page(&site, &page);
    let tools = html.split_once("<div class=\"nav-tools narrow-tools\">").unwrap().1;
    let tools = tools.split_once("</div>").unwrap().0;
    assert!(tools.contains("<bdi class=\"menu-current\">2.0</bdi>"), "{tools}");
    assert!(!tools.contains("<form"), "{tools}");
    site.search = Some("/handbook/~search".to_owned());
    let html = render_page(&site, &page);
    let tools = html.split_once("<div class=\"nav-tools narrow-tools\">").unwrap().1;
    assert!(
        tools.contains("<form class=\"search-start\" action=\"/handbook/~search\">"),
        "{tools}"
    );
    assert_eq!(html.matches("role=\"search\"").count(), 1, "{html}");
}
