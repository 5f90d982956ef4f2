//! Tests that each address has one meaning.

use proptest::prelude::*;

use super::*;

#[test]
fn paths_route_to_pages_redirects_and_feeds() {
    let check = |path: &str, expect: Route| assert_eq!(route(path), expect, "{path}");
    let page = |path: &str| Route::Page(path.to_owned());
    let markdown = |path: &str| Route::Markdown(path.to_owned());
    let redirect = |path: &str| Route::Redirect(path.to_owned());
    check("", page(""));
    check("guides/install", page("guides/install"));
    check("a%20b/%C3%A9", page("a b/é"));
    check("v1.2/notes", page("v1.2/notes"));
    check("release-1.0", page("release-1.0"));
    check("guides/install/", redirect("guides/install"));
    check("/", redirect(""));
    check("//evil.example/x", redirect("evil.example/x"));
    check("guides//install", redirect("guides/install"));
    check("%2F%2Fevil.example", redirect("evil.example"));
    check("README.md", redirect(""));
    check("guides/README.md", redirect("guides"));
    check("guides/readme.html", redirect("guides"));
    check("guides/index.html", redirect("guides"));
    check("index.html", redirect(""));
    check("guides/Install.html", redirect("guides/Install"));
    check("a%20b/README.md", redirect("a%20b"));
    check("guides/install.markdown", redirect("guides/install.md"));
    check("index.md", markdown(""));
    check("guides/install.md", markdown("guides/install"));
    check("guides/index.md", markdown("guides/index"));
    check("guides/install.md/", redirect("guides/install.md"));
    check(".md", page(".md"));
    check("sitemap.xml", Route::Sitemap(None));
    check("sitemap-12.xml", Route::Sitemap(Some(12)));
    check("sitemap-0.xml", page("sitemap-0.xml"));
    check("sitemap-01.xml", page("sitemap-01.xml"));
    check("robots.txt", Route::Robots);
    check("llms.txt", Route::Llms);
    check("llms-full.txt", Route::LlmsFull);
    check("atom.xml", Route::Feed);
    check("guides/atom.xml", page("guides/atom.xml"));
    check("guides/log.2.atom", Route::Updates("guides/log.2".to_owned()));
    check(".atom", page(".atom"));
    check("~search", Route::Reserved("search".to_owned()));
    for path in ["..", "a/../b", "a/%2e%2e/b", "./a", "%00", "a%0d%0ab", "%ff", "a%5Cb"] {
        check(path, Route::Malformed);
    }
    check(&"x".repeat(5000), Route::Malformed);
}

#[test]
fn addresses_are_encoded() {
    assert_eq!(href("/handbook/", ""), "/handbook/");
    assert_eq!(href("/handbook/", "a b/é?#%"), "/handbook/a%20b/%C3%A9%3F%23%25");
    assert_eq!(markdown_href("/handbook/", ""), "/handbook/index.md");
    assert_eq!(markdown_href("/handbook/", "a/b"), "/handbook/a/b.md");
    assert_eq!(updates_href("/handbook/", "", 0), "/handbook/index.atom");
    assert_eq!(updates_href("/handbook/", "a/b", 1), "/handbook/a/b.2.atom");
}

proptest! {
    #[test]
    fn a_redirect_leads_to_something_that_is_not_a_redirect(path in "[a-zA-Z0-9./%~ -]{0,40}") {
        if let Route::Redirect(target) = route(&path) {
            prop_assert!(!target.starts_with('/'));
            let mut next = route(&target);
            // `README/README.md` and `a.html.html` take one redirect for each part.
            for _ in 0..20 {
                let Route::Redirect(further) = &next else { break };
                prop_assert!(further.len() < target.len());
                next = route(further);
            }
            prop_assert!(!matches!(next, Route::Redirect(_)));
        }
    }

    #[test]
    fn the_address_of_a_page_leads_to_that_page(path in "[a-zé中 _+-]{1,12}(/[a-z0-9é?#&-]{1,12}){0,3}") {
        prop_assert_eq!(route(&encode(&path)), Route::Page(path));
    }
}

#[test]
fn the_most_similar_pages_come_first() {
    let pages = || {
        [
            ("guides/install", "Install"),
            ("guides/installation-on-windows", "Install on Windows"),
            ("reference/http-api", "HTTP API"),
            ("operate/configuration", "Configuration"),
            ("指南/安装", "安装"),
        ]
        .into_iter()
        .map(|(path, title)| Candidate { path: path.to_owned(), title: title.to_owned() })
    };
    let check = |path: &str, expect: Option<&str>| {
        let pages = NearMatches::new(pages());
        let found = pages.nearest(path, 3);
        assert_eq!(found.first().map(|page| page.path.as_str()), expect, "{path}");
    };
    check("guide/instal", Some("guides/install"));
    check("install.html", Some("guides/install"));
    check("Config", Some("operate/configuration"));
    check("old/HTTP_API.md", Some("reference/http-api"));
    check("安装", Some("指南/安装"));
    check("zzzzzz", None);
    check("", None);
    assert!(NearMatches::new(pages()).nearest("guides/install", 1).len() == 1);
}

#[test]
fn the_most_similar_of_many_pages_is_compared() {
    let candidates = (0..3000).map(|n| Candidate {
        path: format!("part-{}/an-unrelated-thing-{n}", n % 7),
        title: format!("An unrelated thing {n}"),
    });
    let wanted = ("guides/rotate-signing-keys", "Rotate signing keys");
    let wanted = Candidate { path: wanted.0.to_owned(), title: wanted.1.to_owned() };
    let pages = NearMatches::new(candidates.chain([wanted.clone()]));
    assert_eq!(pages.nearest("old/rotating-signing-key", 1), [&wanted]);
}

#[test]
fn words_of_a_path_are_searched() {
    for (path, expect) in [
        ("guides/Install-the_agent.md", "install the agent"),
        ("api/v1.2/", "v1 2"),
        ("", ""),
        ("/", ""),
    ] {
        assert_eq!(words(path), expect, "{path}");
    }
}
