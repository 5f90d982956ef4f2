//! Tests of the feeds.

use super::llms::{FileList, MAX_CHARS, PageList, Part, Parts};
use super::*;

fn entry(n: usize) -> FeedEntry {
    FeedEntry {
        href: format!("https://x.example/h/{n}?a&b"),
        title: format!("Page [{n}]"),
        updated: (n == 1).then_some(Timestamp::from_millis(0)),
        ..FeedEntry::default()
    }
}

#[test]
fn a_sitemap_names_the_pages_and_their_last_changes() {
    let mut sitemap = Sitemap::default();
    assert!((1..=2).map(entry).all(|entry| sitemap.push(&entry)));
    insta::assert_snapshot!(sitemap.finish(), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    <url><loc>https://x.example/h/1?a&amp;b</loc><lastmod>1970-01-01T00:00:00.000Z</lastmod></url>
    <url><loc>https://x.example/h/2?a&amp;b</loc></url>
    </urlset>
    "#);
}

#[test]
fn a_large_sitemap_has_an_index_of_its_parts() {
    assert_eq!(
        [0, 1, 50_000, 50_001, 150_000].map(sitemap_parts),
        [0, 1, 1, 2, 3],
        "parts by number of pages"
    );
    insta::assert_snapshot!(sitemap_index("https://x.example/h/", 2), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    <sitemap><loc>https://x.example/h/sitemap-1.xml</loc></sitemap>
    <sitemap><loc>https://x.example/h/sitemap-2.xml</loc></sitemap>
    </sitemapindex>
    "#);
}

#[test]
fn a_feed_is_limited_in_bytes() {
    let large = FeedEntry { href: "x".repeat(10 << 20), ..FeedEntry::default() };
    let mut sitemap = Sitemap::default();
    assert_eq!((0..4).take_while(|_| sitemap.push(&large)).count(), 2);
}

#[test]
fn robots_name_the_sitemap_of_what_is_indexed() {
    assert_eq!(
        robots("https://x.example/h/", true),
        "User-agent: *\nAllow: /\n\nSitemap: https://x.example/h/sitemap.xml\n"
    );
    assert!(!robots("https://x.example/h/", false).contains("Sitemap"));
}

#[test]
fn llms_txt_lists_pages_by_section() {
    let page = |title: &str, section: Option<&str>, description: Option<&str>| FeedEntry {
        href: format!("https://x.example/{}", title.len()),
        markdown_href: Some(format!("https://x.example/({}).md", title.len())),
        title: title.to_owned(),
        description: description.map(str::to_owned),
        section: section.map(str::to_owned),
        updated: None,
    };
    let mut llms = PageList::new("The\nHandbook", Some("All of it."), "Each page is linked.");
    for entry in [
        page("Welcome", None, Some("Start\n\n# here")),
        page("A [b] \\c", Some("Guides"), None),
        page("Second", Some("Guides"), Some("")),
    ] {
        assert!(llms.push(&entry));
    }
    let text = llms.finish();
    insta::assert_snapshot!(text, @r"
    # The Handbook

    > All of it.

    Each page is linked.

    ## Pages

    - [Welcome](https://x.example/(7%29.md): Start # here

    ## Guides

    - [A \[b\] \\c](https://x.example/(8%29.md)
    - [Second](https://x.example/(6%29.md)
    ");
}

#[test]
fn a_long_list_of_pages_has_parts() {
    let page = |number: usize| FeedEntry {
        href: format!("https://x.example/{}", "x".repeat(40)),
        title: format!("Page {number}"),
        description: Some("y".repeat(900)),
        section: (number >= 60).then(|| "Later".to_owned()),
        ..FeedEntry::default()
    };
    let mut parts = Parts::default();
    let numbers: Vec<usize> = (0..200).map(|number| parts.push(&page(number))).collect();
    assert_eq!((numbers[59], numbers[60], numbers[199]), (1, 2, 3));
    assert_eq!(parts.pages(), 200);
    assert_eq!(parts.list()[0].title(), "Page 0 – Page 59");
    for part in 1..=3 {
        let mut list = PageList::new("Title", Some(&"z".repeat(900)), "Note.");
        let mut pages = (0..200).filter(|number| numbers[*number] == part).map(page);
        assert!(pages.all(|page| list.push(&page)), "{part}");
        let chars = list.finish().chars().count();
        assert!(chars < MAX_CHARS && chars > MAX_CHARS / 2 - 10_000, "{part}: {chars}");
    }
}

#[test]
fn a_list_of_files_names_their_pages() {
    let mut files = FileList::new("Handbook", None, "Files.");
    files.heading("Guides");
    let one = Part { first: "A [b]".into(), last: "A [b]".into(), pages: 1 };
    files.push(&one.title(), "https://x.example/(1).txt", one.pages);
    insta::assert_snapshot!(files.finish(), @r"
    # Handbook

    Files.

    ## Guides

    - [A \[b\]](https://x.example/(1%29.txt): 1 page
    ");
}

#[test]
fn llms_full_txt_contains_the_pages() {
    let mut full = LlmsFullTxt::new("The\nHandbook");
    assert!(full.push("https://x.example/", "# Welcome\n\nText.\n"));
    assert!(full.push("https://x.example/a", "# Empty"));
    insta::assert_snapshot!(full.finish("https://x.example/llms.txt"), @r"
    # The Handbook

    ---

    # Welcome

    Source: https://x.example/

    Text.

    ---

    # Empty

    Source: https://x.example/a
    ");
    let mut full = LlmsFullTxt::new("Large");
    let page = format!("# Page\n\n{}", "x".repeat(3 << 20));
    assert_eq!((0..4).take_while(|_| full.push("https://x.example/", &page)).count(), 2);
    let text = full.finish("https://x.example/llms.txt");
    assert!(text.len() < MAX_FULL_BYTES + 200);
    assert!(text.ends_with("further pages. All pages: https://x.example/llms.txt\n"));
}

#[test]
fn a_search_is_described() {
    let text = super::open_search("Docs & <more> than that", "https://a.b/~search");
    assert!(text.contains("<ShortName>Docs &amp; &lt;more&gt; th</ShortName>"), "{text}");
    assert!(text.contains("template=\"https://a.b/~search?q={searchTerms}\""), "{text}");
}
