//! Tests of the feeds.

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
fn a_small_site_has_one_sitemap() {
    let files = sitemap("https://x.example/h/", (1..=2).map(entry));
    let [file] = files.as_slice() else { panic!("{} files", files.len()) };
    assert_eq!(file.name, "sitemap.xml");
    insta::assert_snapshot!(file.xml, @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    <url><loc>https://x.example/h/1?a&amp;b</loc><lastmod>1970-01-01T00:00:00.000Z</lastmod></url>
    <url><loc>https://x.example/h/2?a&amp;b</loc></url>
    </urlset>
    "#);
    assert_eq!(sitemap("https://x.example/", []).len(), 1);
}

#[test]
fn a_large_site_has_an_index_and_parts() {
    let files = sitemap_in_parts("https://x.example/h/", (0..7).map(entry), 3);
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["sitemap.xml", "sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml"]);
    assert!(files[0].xml.contains("<sitemap><loc>https://x.example/h/sitemap-3.xml</loc>"));
    let counts: Vec<usize> = files.iter().map(|file| file.xml.matches("<url>").count()).collect();
    assert_eq!(counts, [0, 3, 3, 1]);
    assert_eq!(sitemap_in_parts("", (0..3).map(entry), 3).len(), 1);
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
    let text = llms_txt(
        "The\nHandbook",
        Some("All of it."),
        [
            page("Welcome", None, Some("Start\n\n# here")),
            page("A [b] \\c", Some("Guides"), None),
            page("Second", Some("Guides"), Some("")),
        ],
    );
    insta::assert_snapshot!(text, @r"
    # The Handbook

    > All of it.

    ## Pages

    - [Welcome](https://x.example/(7%29.md): Start # here

    ## Guides

    - [A \[b\] \\c](https://x.example/(8%29.md)
    - [Second](https://x.example/(6%29.md)
    ");
}
