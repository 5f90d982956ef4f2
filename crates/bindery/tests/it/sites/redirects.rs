//! Redirects of sites.

use bindery_testkit::git_server::{Change, GitServer};
use bindery_testkit::{Answer, Call};
use serde_json::{Value, json};

use crate::support::content::{change, insert, publish};
use crate::support::{TestEnv, each_engine, items, pages};

/// A published site with the pages `home`, `guide`, `guide/part` and `other`.
struct Site<'a> {
    env: &'a TestEnv,
    id: String,
    space: String,
    site_space: String,
    guide: String,
    part: String,
}

impl<'a> Site<'a> {
    async fn published(env: &'a TestEnv) -> Self {
        let space = env.space("Led").await;
        let _home = insert(&env.client, &space, "Home", "Home.").await;
        let guide = insert(&env.client, &space, "Guide", "Guide.").await;
        let below = json!({
            "operation": "insert_page", "title": "Part", "document": { "markdown": "Part." },
            "into": guide,
        });
        let part = change(&env.client, &space, json!([below])).await;
        let part = part.text_at("/changes/0/page/id").to_owned();
        let _other = insert(&env.client, &space, "Other", "Other.").await;
        let id = publish(env, "Led", &space).await.text_at("/id").to_owned();
        let mut site = Self { env, id, space, site_space: String::new(), guide, part };
        let spaces = site.call("listSiteSpaces").send().await.expect(200);
        spaces.text_at("/items/0/id").clone_into(&mut site.site_space);
        site
    }

    fn call(&self, operation: &str) -> Call {
        let call = self.env.client.call(operation);
        call.path("organizationId", &self.env.organization).path("siteId", &self.id)
    }

    fn of(&self, operation: &str, redirect: &str) -> Call {
        self.call(operation).path("siteRedirectId", redirect)
    }

    fn root(&self) -> Value {
        json!({ "kind": "site-space", "siteSpaceId": self.site_space })
    }

    fn page(&self, page: &str) -> Value {
        json!({ "kind": "site-page", "siteSpaceId": self.site_space, "pageId": page })
    }

    async fn create(&self, source: &str, destination: &Value) -> Answer {
        let body = json!({ "source": source, "destination": destination });
        self.call("createSiteRedirect").json(&body).send().await
    }

    async fn bulk(&self, changes: Value) -> Answer {
        let call = self.call("bulkUpsertSiteRedirects");
        call.json(&json!({ "redirects": changes })).send().await.expect(200)
    }

    async fn find(&self, source: &str) -> Answer {
        self.call("getSiteRedirectBySource").query("source", source).send().await
    }

    /// Requests a path of the published site.
    async fn get(&self, path: &str) -> Answer {
        self.env.client.anonymous().get(&format!("/led/{path}"), &[]).await
    }

    /// Asserts that a path of the published site redirects to another one.
    async fn expect_redirect(&self, path: &str, status: u16, target: &str) {
        let answer = self.get(path).await.expect(status);
        assert_eq!(answer.header("location"), format!("/led/{target}"), "{path}");
    }
}

#[test]
fn redirects_lead_readers_to_parts_of_the_site() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let _missing = site.get("old/part").await.expect(404);
        let made = site.create("/old/part", &site.page(&site.part)).await.expect(201);
        assert_eq!(made.text_at("/object"), "site-redirect");
        assert_eq!(made.at("/destination"), &site.page(&site.part));
        let _root = site.create("/old", &site.root()).await.expect(201);
        site.expect_redirect("old/part", 308, "guide/part").await;
        site.expect_redirect("old", 308, "").await;
        // Other spellings of the same path.
        site.expect_redirect("ol%64/part", 308, "guide/part").await;
        site.expect_redirect("old/part.md", 308, "guide/part.md").await;
        let _below = site.get("old/part/more").await.expect(404);
        let found = site.find("/old/part").await.expect(200);
        assert_eq!(found.at("/redirect"), &made.json);
        assert!(found.text_at("/target").ends_with("/led/guide/part"), "{found}");
        let _none = site.find("/old/none").await.expect(404);

        // A page takes precedence, and the redirect follows the page.
        let _shadowed = site.create("/other", &site.page(&site.part)).await.expect(201);
        let _page = site.get("other").await.expect(200);
        let rename = json!({ "operation": "update_page", "page": site.guide, "slug": "manual" });
        let _renamed = change(&env.client, &site.space, json!([rename])).await;
        site.expect_redirect("old/part", 308, "manual/part").await;
        // A redirect of the site takes precedence over the one that the page left.
        let _made = site.create("/guide", &site.root()).await.expect(201);
        site.expect_redirect("guide", 308, "").await;
        site.expect_redirect("guide/part", 308, "manual/part").await;

        let removal = json!({ "operation": "delete_page", "page": site.part });
        let _removed = change(&env.client, &site.space, json!([removal])).await;
        let _missing = site.get("old/part").await.expect(404);
        let _none = site.find("/old/part").await.expect(404);
    });
}

#[test]
fn files_of_other_tools_can_be_sources() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        for source in ["/docs/set-up.html", "/docs/index.html", "/docs/a.md", "/caf%C3%A9"] {
            let _made = site.create(source, &site.page(&site.guide)).await.expect(201);
            site.expect_redirect(&source[1..], 308, "guide").await;
        }
        site.expect_redirect("guide/part.html", 308, "guide/part").await;
    });
}

#[test]
fn redirects_are_changed_listed_and_deleted() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let mut ids = Vec::new();
        for source in ["/a/one", "/a/two", "/b/One_1"] {
            let made = site.create(source, &site.root()).await.expect(201);
            ids.push(made.text_at("/id").to_owned());
        }
        let list = |search: &str| site.call("listSiteRedirects").query("search", search).send();
        for (search, count) in [("", 3), ("one", 2), ("/a/", 2), ("E_1", 1), ("%", 0)] {
            let found = list(search).await.expect(200);
            assert_eq!(items(&found).len(), count, "{search}");
            assert_eq!(found.at("/count"), count, "{search}");
        }
        let all = pages(|| site.call("listSiteRedirects").query("limit", "2")).await;
        let all: Vec<_> = all.iter().flat_map(items).map(|one| one["id"].clone()).collect();
        assert_eq!(all.len(), 3);

        let update = |id: &str, body| site.of("updateSiteRedirectById", id).json(&body).send();
        let moved = update(&ids[0], json!({ "source": "/c" })).await.expect(200);
        assert_eq!(moved.text_at("/source"), "/c");
        assert_eq!(moved.at("/destination"), &site.root());
        let _taken = update(&ids[0], json!({ "source": "/a/tw%6f" })).await.expect(409);
        let body = json!({ "destination": site.page(&site.guide) });
        let _changed = update(&ids[0], body).await.expect(200);
        site.expect_redirect("c", 308, "guide").await;
        let _missing = site.get("a/one").await.expect(404);
        let _unknown = update(&"0".repeat(20), json!({ "source": "/d" })).await.expect(404);
        let _gone = site.of("deleteSiteRedirectById", &ids[0]).send().await.expect(205);
        let _again = site.of("deleteSiteRedirectById", &ids[0]).send().await.expect(204);
        let _missing = site.get("c").await.expect(404);
    });
}

#[test]
fn invalid_redirects_change_nothing() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let long = format!("/{}", "a".repeat(512));
        for source in
            ["", "/", "a", "/a/", "//a", "/a//b", "/a b", "/a?b", "/é", "/%4", "/a#b", &long]
        {
            let _invalid = site.create(source, &site.root()).await.expect(400);
        }
        for source in ["/../x", "/a/.", "/a/%2e%2E/b"] {
            let removed = site.create(source, &site.root()).await.expect(400);
            assert!(removed.message().contains("the segments `.` and `..`"), "{removed}");
        }
        let _longest = site.create(&long[..512], &site.root()).await.expect(201);
        let loops = site.create("/guide/p%61rt", &site.page(&site.part)).await.expect(400);
        assert!(loops.message().contains("/source"), "{loops}");
        let absent = "0".repeat(20);
        for destination in [
            site.page(&absent),
            json!({ "kind": "site-space", "siteSpaceId": absent }),
            json!({ "kind": "site-section", "siteSectionId": absent }),
            json!({ "kind": "site-page", "siteSpaceId": absent, "pageId": site.part }),
        ] {
            let _absent = site.create("/b", &destination).await.expect(404);
        }
        for destination in [
            json!("https://example.com/"),
            json!({ "kind": "url", "url": "https://example.com/" }),
            json!({ "kind": "path", "spaceId": site.space, "path": "guide" }),
        ] {
            let _unknown = site.create("/b", &destination).await.expect(400);
        }
        let listed = site.call("listSiteRedirects").send().await.expect(200);
        assert_eq!(items(&listed).len(), 1);
    });
}

#[test]
fn many_redirects_change_at_once() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let made = site
            .bulk(json!([
                { "source": "/a", "destination": site.root(), "permanent": false },
                { "source": "/b", "destination": {
                    "kind": "path", "spaceId": site.space, "path": "guide/part",
                } },
                { "source": "/b", "destination": site.page(&site.guide), "permanent": true },
                { "source": "/c", "intent": "draft", "destination": site.root() },
                { "source": "/d", "destination": null },
                { "source": "/guide", "destination": site.page(&site.guide) },
                { "source": "/e", "intent": "publish" },
            ]))
            .await;
        let results = made.at("/results").as_array().unwrap();
        let told: Vec<_> = results.iter().map(|one| one["status"].as_str().unwrap()).collect();
        assert_eq!(told, ["created", "created", "updated", "created", "error", "error", "error"]);
        assert_eq!(results[3]["draft"], true);
        assert_eq!(results[1]["id"], results[2]["id"]);
        site.expect_redirect("a", 307, "").await;
        site.expect_redirect("b", 308, "guide").await;

        // A draft has no effect until it is published.
        let _draft = site.get("c").await.expect(404);
        let _draft = site.find("/c").await.expect(404);
        let listed = site.call("listSiteRedirects").send().await.expect(200);
        assert_eq!(items(&listed).len(), 2);
        let draft = json!({
            "source": "/a", "intent": "draft", "destination": site.page(&site.part),
        });
        let _drafted = site.bulk(json!([draft])).await;
        site.expect_redirect("a", 307, "").await;
        let done = site
            .bulk(json!([
                { "source": "/a", "intent": "publish" },
                { "source": "/c", "intent": "publish" },
                { "source": "/b", "destination": null },
            ]))
            .await;
        assert_eq!(done.at("/results/0/status"), "published");
        assert_eq!(done.at("/results/0/id"), &results[0]["id"]);
        assert_eq!(done.at("/results/2/status"), "deleted");
        site.expect_redirect("a", 308, "guide/part").await;
        site.expect_redirect("c", 308, "").await;
        let _missing = site.get("b").await.expect(404);
    });
}

#[test]
fn paths_below_a_source_can_follow_it() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let made = site
            .bulk(json!([
                { "source": "/old", "destination": site.page(&site.guide), "captureWildcard": true },
                { "source": "/old/deep", "destination": site.root() },
                { "source": "/guide", "destination": site.root(), "captureWildcard": true },
            ]))
            .await;
        assert_eq!(made.at("/results/2/status"), "created");
        site.expect_redirect("old", 308, "guide").await;
        site.expect_redirect("old/part", 308, "guide/part").await;
        site.expect_redirect("old/none/at/all", 308, "guide").await;
        site.expect_redirect("old/deep", 308, "").await;
        site.expect_redirect("old/deep/more", 308, "guide").await;
        // Redirects lead to pages only, so they form no loops.
        site.expect_redirect("guide/none", 308, "").await;
        site.expect_redirect("guide/guide/guide", 308, "").await;
        let _page = site.get("guide/part").await.expect(200);
    });
}

#[test]
fn redirects_lead_to_sections() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let space = env.space("Second").await;
        let _page = insert(&env.client, &space, "First", "First.").await;
        let section = site.call("addSectionToSite").json(&json!({ "spaceId": space }));
        let section = section.send().await.expect(201);
        let destination =
            json!({ "kind": "site-section", "siteSectionId": section.text_at("/id") });
        let made = site.create("/second-part", &destination).await.expect(201);
        assert_eq!(made.at("/destination"), &destination);
        let answer = site.get("second-part").await.expect(308);
        let found = site.find("/second-part").await.expect(200);
        assert!(found.text_at("/target").ends_with(answer.header("location")), "{found}");
        let arrived = env.client.anonymous().get(answer.header("location"), &[]).await;
        assert!(arrived.expect(200).text().contains("First."));
    });
}

#[test]
fn a_share_key_finds_redirects() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let _made = site.create("/old", &site.page(&site.part)).await.expect(201);
        let closed = site.call("updateSiteById").json(&json!({ "visibility": "share-link" }));
        let _closed = closed.send().await.expect(200);
        let link = site.call("createSiteShareLink").json(&json!({ "name": "Partners" }));
        let link = link.send().await.expect(201);
        let key = link.text_at("/urls/published").trim_end_matches('/').rsplit('/').next();
        let find = |key: &str| {
            let call = env.client.anonymous().call("getSiteRedirectBySource");
            let call = call.path("organizationId", &env.organization).path("siteId", &site.id);
            call.query("source", "/old").query("shareKey", key).send()
        };
        let found = find(key.unwrap()).await.expect(200);
        assert!(found.text_at("/target").ends_with("/guide/part"), "{found}");
        let _absent = find("guessed").await.expect(404);
        let _absent = site.get("old").await.expect(404);
    });
}

#[test]
fn imported_redirects_lead_to_pages_in_one_step() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let repository = git.repository("led.git");
        let redirects = "redirects:\n  old: older\n  older: page.md\n  a: b\n  b: a\n";
        let changes = [
            Change::file("README.md", "# Home\n"),
            Change::file("page.md", "# Page\n"),
            Change::file(".gitbook.yaml", redirects),
        ];
        repository.commit("main", "one", changes);
        let space = env.space("Led").await;
        let request = json!({ "url": git.url("led.git"), "ref": "refs/heads/main" });
        let job = env.import(&space, &request).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let _site = publish(env, "Led", &space).await;
        let get = async |path: &str| env.client.anonymous().get(path, &[]).await;
        for old in ["/led/old", "/led/older"] {
            assert_eq!(get(old).await.expect(308).header("location"), "/led/page");
        }
        let _loop = get("/led/a").await.expect(404);
    });
}
