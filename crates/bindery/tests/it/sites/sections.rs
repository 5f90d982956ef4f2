//! Sections, groups of sections and variants on the pages of a published site.

use bindery_testkit::{Answer, Call};
use serde_json::json;

use crate::support::content::{insert, publish};
use crate::support::{TestEnv, each_engine};

/// A published site.
struct Docs<'a> {
    env: &'a TestEnv,
    id: String,
}

impl<'a> Docs<'a> {
    /// Publishes a site with one space.
    async fn publish(env: &'a TestEnv, space: &str) -> Self {
        let site = publish(env, "Docs", space).await;
        Self { env, id: site.text_at("/id").to_owned() }
    }

    fn call(&self, operation: &str) -> Call {
        let call = self.env.client.call(operation).path("organizationId", &self.env.organization);
        call.path("siteId", &self.id)
    }

    /// Adds a section with an icon and returns its id.
    async fn section(&self, space: &str, title: &str) -> String {
        let body = json!({ "spaceId": space, "title": title, "icon": "book" });
        let added = self.call("addSectionToSite").json(&body).send().await.expect(201);
        added.text_at("/id").to_owned()
    }

    /// Adds a group with sections and returns its id.
    async fn group(&self, title: &str, sections: &[&str], parent: Option<&str>) -> String {
        let mut body = json!({ "title": title, "sections": sections });
        if let Some(parent) = parent {
            body["parent"] = json!(parent);
        }
        let added = self.call("addSectionGroupToSite").json(&body).send().await.expect(201);
        added.text_at("/id").to_owned()
    }

    /// Adds a variant to the site, or to a section of it.
    async fn variant(&self, space: &str, section: Option<&str>) {
        let mut body = json!({ "spaceId": space });
        if let Some(section) = section {
            body["sectionId"] = json!(section);
        }
        let _added = self.call("addSpaceToSite").json(&body).send().await.expect(201);
    }

    async fn get(&self, path: &str) -> Answer {
        self.env.client.anonymous().get(&format!("/docs/{path}"), &[]).await
    }

    /// Returns the HTML of a page.
    async fn html(&self, path: &str) -> String {
        let page = self.get(path).await.expect(200);
        String::from_utf8_lossy(&page.body).into_owned()
    }
}

/// Creates a space with pages of these titles.
async fn space(env: &TestEnv, title: &str, pages: &[&str]) -> String {
    let space = env.space(title).await;
    for page in pages {
        let _page = insert(&env.client, &space, page, "Text.\n").await;
    }
    space
}

/// Returns the navigation of sections in a page.
fn sections(html: &str) -> &str {
    let start = html.find("<nav class=\"sections\"").unwrap();
    html[start..].split_once("</nav>").unwrap().0
}

#[test]
fn sections_are_tabs_and_groups_are_nested_menus() {
    each_engine(async |env: &mut TestEnv| {
        let guide = space(env, "Guide", &["Home", "Setup"]).await;
        let docs = Docs::publish(env, &guide).await;
        assert!(!docs.html("").await.contains("class=\"sections\""));
        let api = space(env, "Reference", &["Calls", "Errors"]).await;
        let reference = docs.section(&api, "Reference").await;
        let tool = space(env, "Tool", &["Start"]).await;
        let tool = docs.section(&tool, "Tool").await;
        let outer = docs.group("Developers", &[&reference], None).await;
        let _inner = docs.group("Programs", &[&tool], Some(&outer)).await;
        let _empty = docs.group("Nothing", &[], None).await;

        let page = docs.html("setup").await;
        let tabs = sections(&page);
        let of = |text: &str| tabs.find(text).unwrap_or_else(|| panic!("no {text}: {tabs}"));
        assert!(of("href=\"/docs/\"") < of("Developers"));
        assert!(of("Developers") < of("href=\"/docs/reference/\""));
        assert!(of("href=\"/docs/reference/\"") < of("Programs"));
        assert!(of("Programs") < of("href=\"/docs/tool/\""));
        assert!(tabs.contains("href=\"#B--i-book\"") && !tabs.contains("Nothing"), "{tabs}");
        assert!(tabs.contains("<a href=\"/docs/\" aria-current"), "{tabs}");
        assert!(!tabs.contains("<summary aria-current"), "{tabs}");

        let page = docs.html("reference/errors").await;
        let tabs = sections(&page);
        assert!(tabs.contains("<summary aria-current"), "{tabs}");
        assert!(tabs.contains("<a href=\"/docs/reference/\" aria-current"), "{tabs}");
    });
}

#[test]
fn variants_keep_the_page_where_it_exists() {
    each_engine(async |env: &mut TestEnv| {
        let guide = space(env, "Guide", &["Home"]).await;
        let docs = Docs::publish(env, &guide).await;
        let two = space(env, "Two", &["Calls", "Errors", "New"]).await;
        let section = docs.section(&two, "Reference").await;
        let one = space(env, "One", &["Calls", "Errors"]).await;
        docs.variant(&one, Some(&section)).await;

        let page = docs.html("reference/errors").await;
        assert!(page.contains("href=\"/docs/reference/one/errors\""), "{page}");
        let page = docs.html("reference/new").await;
        assert!(page.contains("href=\"/docs/reference/one/\""), "{page}");
        // The address of a space ends with a slash, like that of the site.
        for root in ["reference", "reference/one"] {
            let _page = docs.html(&format!("{root}/")).await;
            for other in [root.to_owned(), format!("{root}/README.md"), format!("{root}//")] {
                let moved = docs.get(&other).await.expect(308);
                assert_eq!(moved.header("location"), format!("/docs/{root}/"), "{other}");
            }
            let markdown = docs.get(&format!("{root}/index.md")).await.expect(200);
            assert_eq!(markdown.header("content-type"), "text/markdown; charset=utf-8");
        }
        let page = docs.html("reference/one/errors").await;
        assert!(page.contains("href=\"/docs/reference/errors\""), "{page}");
        assert!(!page.contains("hreflang"), "{page}");
        let hint = "You are reading One. <a href=\"/docs/reference/errors\">Go to Two</a>";
        assert!(page.contains(hint), "{page}");
        assert!(!docs.html("reference/errors").await.contains("You are reading"));

        // The cached page follows changes of the other variant.
        let _added = insert(&env.client, &one, "New", "Text.\n").await;
        let page = docs.html("reference/new").await;
        assert!(page.contains("href=\"/docs/reference/one/new\""), "{page}");
        let new = docs.get("reference/one/new").await.expect(200);
        assert_eq!(new.header("content-type"), "text/html; charset=utf-8");
        let page = docs.html("").await;
        assert!(!page.contains("/docs/reference/one"), "{page}");
    });
}

#[test]
fn translations_name_the_same_page_in_other_languages() {
    each_engine(async |env: &mut TestEnv| {
        let mut spaces = Vec::new();
        for (title, language) in [("English", "en"), ("German", "de")] {
            let made = space(env, title, &["Home", "Setup"]).await;
            let call = env.client.call("updateSpaceById").path("spaceId", &made);
            let _set = call.json(&json!({ "language": language })).send().await.expect(200);
            spaces.push(made);
        }
        let _page = insert(&env.client, &spaces[0], "Only here", "Text.\n").await;
        let docs = Docs::publish(env, &spaces[0]).await;
        docs.variant(&spaces[1], None).await;

        let alternate = "rel=\"alternate\" hreflang=\"de\"";
        let page = docs.html("setup").await;
        assert!(page.contains(alternate), "{page}");
        assert!(page.contains("/docs/german/setup\""), "{page}");
        let own = "rel=\"alternate\" hreflang=\"en\"";
        assert!(page.contains(own) && page.contains("hreflang=\"x-default\""), "{page}");
        assert!(!page.contains("You are reading"), "{page}");
        let page = docs.html("only-here").await;
        assert!(!page.contains(alternate), "{page}");
        assert!(page.contains("href=\"/docs/german/\""), "{page}");
    });
}

#[test]
fn links_between_the_spaces_of_a_site_stay_on_the_site() {
    each_engine(async |env: &mut TestEnv| {
        let manual = space(env, "Manual", &["Home", "Setup"]).await;
        let guide = env.space("Guide").await;
        let site = Docs::publish(env, &guide).await;
        let _section = site.section(&manual, "Manual").await;
        let of_manual = env.client.call("getPageByPath").path("spaceId", &manual);
        let setup = of_manual.path("pagePath", "setup").send().await.expect(200);
        let setup = setup.text_at("/id").to_owned();
        let unknown = "0".repeat(20);
        let app = "https://app.gitbook.com";
        let text = format!(
            "[space]({app}/s/{manual}/~/) [page]({app}/s/{manual}/~/pages/{setup}#a) \
             [path]({app}/o/org/s/{manual}/setup#b) [none]({app}/s/{unknown}/setup)\n\n\
             {{% content-ref url=\"{app}/s/{manual}/~/pages/{setup}\" %}}\n\
             [x]({app}/s/{manual}/~/pages/{setup})\n{{% endcontent-ref %}}\n"
        );
        let _page = insert(&env.client, &guide, "Links", &text).await;
        let html = site.html("").await;
        for link in [
            "<a href=\"/docs/manual/\">space</a>",
            "<a href=\"/docs/manual/setup#a\">page</a>",
            "<a href=\"/docs/manual/setup#b\">path</a>",
            "<a class=\"content-ref\" href=\"/docs/manual/setup\">Setup</a>",
        ] {
            assert!(html.contains(link), "{link} in {html}");
        }
        assert!(html.contains(&format!("href=\"{app}/s/{unknown}/setup\"")), "{html}");
        // The page is rendered again when the other space changes.
        let rename = json!({ "changes": [
            { "operation": "update_page", "page": setup, "title": "Set up", "slug": "set-up" },
        ] });
        let rename = env.client.call("updateSpaceContent").path("spaceId", &manual).json(&rename);
        let _renamed = rename.send().await.expect(200);
        let html = site.html("").await;
        assert!(html.contains("href=\"/docs/manual/set-up\">Set up</a>"), "{html}");
        assert!(!html.contains("/docs/manual/setup#a"), "{html}");
    });
}

#[test]
fn names_of_defaults_are_left_out_of_addresses() {
    each_engine(async |env: &mut TestEnv| {
        let mut spaces = Vec::new();
        for title in ["Guide", "Second", "Reference"] {
            let space = env.space(title).await;
            let _first = insert(&env.client, &space, "Home", "Text.\n").await;
            let _page = insert(&env.client, &space, "Page", "Text.\n").await;
            spaces.push(space);
        }
        let docs = Docs::publish(env, &spaces[0]).await;
        let reference = docs.section(&spaces[2], "Reference").await;
        docs.variant(&spaces[1], Some(&reference)).await;
        let listed = docs.call("listSiteSections").send().await.expect(200);
        let first = listed.text_at("/items/0/path").to_owned();
        let api = listed.text_at("/items/1/path").to_owned();
        for (path, target) in [
            (first.clone(), "/docs/".to_owned()),
            (format!("{first}/page"), "/docs/page".to_owned()),
        ] {
            let answer = docs.get(&path).await.expect(302);
            assert_eq!(answer.header("location"), target, "{path}");
        }
        let _none = docs.get(&format!("{api}/{first}/page")).await.expect(404);
        // The addresses of spaces are those of their pages.
        for (space, address) in
            [(&spaces[0], "/docs/".to_owned()), (&spaces[2], format!("/docs/{api}/"))]
        {
            let shown =
                env.client.call("getSpaceById").path("spaceId", space).send().await.expect(200);
            let published = shown.text_at("/urls/published");
            assert!(published.ends_with(&address), "{published} {address}");
            let _page = docs.get(&address["/docs/".len()..]).await.expect(200);
        }
        let second = env.client.call("getSpaceById").path("spaceId", &spaces[1]);
        let second = second.send().await.expect(200);
        let published = second.text_at("/urls/published").to_owned();
        let (_, below) = published.split_once("/docs/").unwrap();
        assert!(below.starts_with(&format!("{api}/")) && below.len() > api.len() + 2, "{below}");
        let _page = docs.get(&format!("{below}page")).await.expect(200);
    });
}

#[test]
fn lists_of_pages_follow_the_order_of_the_sections() {
    each_engine(async |env: &mut TestEnv| {
        let guide = space(env, "Guide", &["Home"]).await;
        let docs = Docs::publish(env, &guide).await;
        let mut sections = Vec::new();
        for title in ["One", "Two", "Three"] {
            let space = space(env, title, &["First"]).await;
            sections.push(docs.section(&space, title).await);
        }
        let _group = docs.group("More", &[&sections[0]], None).await;
        let order = async || {
            let mut orders = Vec::new();
            for (list, end) in [("sitemap.xml", "</loc>"), ("llms.txt", "index.md)")] {
                let text = docs.html(list).await;
                let parts = text.split("/docs/").skip(1).filter_map(|part| part.split_once(end));
                let paths = parts.map(|(path, _)| path.trim_end_matches('/').to_owned());
                orders.push(paths.collect::<Vec<_>>());
            }
            assert_eq!(orders[0], orders[1]);
            orders.remove(0)
        };
        assert_eq!(order().await, ["", "two", "three", "one"]);
        let item = |id: &str| json!({ "type": "site-section", "id": id });
        let position = json!({ "before": item(&sections[1]) });
        let body = json!({ "item": item(&sections[2]), "position": position });
        let _sorted = docs.call("sortSiteStructure").json(&body).send().await.expect(200);
        assert_eq!(order().await, ["", "three", "two", "one"]);
    });
}
