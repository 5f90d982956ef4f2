//! Links to other websites among the sections of a site.

use bindery_testkit::{Answer, Call};
use serde_json::{Value, json};

use crate::support::content::{insert, publish};
use crate::support::{TestEnv, each_engine, items, pages};

/// A published site with one page.
struct Site<'a> {
    env: &'a TestEnv,
    id: String,
}

impl<'a> Site<'a> {
    async fn published(env: &'a TestEnv) -> Self {
        let space = env.space("Guide").await;
        let _page = insert(&env.client, &space, "Home", "Text.\n").await;
        let site = publish(env, "Docs", &space).await;
        Self { env, id: site.text_at("/id").to_owned() }
    }

    fn call(&self, operation: &str) -> Call {
        let call = self.env.client.call(operation);
        call.path("organizationId", &self.env.organization).path("siteId", &self.id)
    }

    async fn add(&self, body: Value) -> Answer {
        self.call("addExternalLinkToSite").json(&body).send().await
    }

    fn of_link(&self, operation: &str, link: &str) -> Call {
        self.call(operation).path("siteExternalLinkId", link)
    }

    async fn update(&self, link: &str, body: Value) -> Answer {
        self.of_link("updateSiteExternalLinkById", link).json(&body).send().await
    }

    async fn titles(&self) -> Vec<String> {
        let pages = pages(|| self.call("listSiteExternalLinks").query("limit", 1)).await;
        let titles = pages.iter().flat_map(items).map(|link| link["title"].as_str().unwrap());
        titles.map(str::to_owned).collect()
    }

    async fn page(&self) -> String {
        self.env.client.anonymous().get("/docs/", &[]).await.expect(200).text()
    }
}

#[test]
fn links_are_shown_among_the_sections() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let body = json!({ "title": "Status", "url": "https://status.example.com/a?b=c&d" });
        let status = site.add(body).await.expect(201);
        let id = status.text_at("/id");
        assert!(status.header("location").ends_with(&format!("/external-links/{id}")), "{status}");
        assert_eq!(status.at("/draft"), false);
        let address = "href=\"https://status.example.com/a?b=c&amp;d\"";
        assert!(site.page().await.contains(address), "{}", site.page().await);

        let group = site.call("addSectionGroupToSite").json(&json!({ "title": "More" }));
        let group = group.send().await.expect(201).text_at("/id").to_owned();
        let body =
            json!({ "title": "Forum", "url": "https://forum.example.com/", "parent": group });
        let forum = site.add(body).await.expect(201).text_at("/id").to_owned();
        let page = site.page().await;
        let menu = page.find("<summary").and_then(|at| page.get(at..)).unwrap_or_default();
        assert!(menu.contains("More") && menu.contains("https://forum.example.com/"), "{page}");
        assert_eq!(site.titles().await, ["Status", "Forum"]);

        let moved = json!({
            "item": { "type": "site-external-link", "id": forum },
            "position": { "before": { "type": "site-external-link", "id": id } },
        });
        let moved = site.call("sortSiteStructure").json(&moved).send().await.expect(200);
        assert_eq!(moved.text_at("/title"), "Forum");
        assert_eq!(site.titles().await, ["Forum", "Status"]);
        let moved = site.update(&forum, json!({ "parent": group })).await.expect(200);
        assert_eq!(moved.text_at("/sectionGroup"), group);
        let delete = site.call("deleteSiteSectionGroupById").path("siteSectionGroupId", &group);
        let _deleted = delete.send().await.expect(205);
        assert!(site.page().await.contains("https://forum.example.com/"));

        for status in [205, 204] {
            let delete = site.of_link("deleteSiteExternalLinkById", id).send().await;
            let _deleted = delete.expect(status);
        }
        assert!(!site.page().await.contains("status.example.com"));
        assert_eq!(site.titles().await, ["Forum"]);
        let _deleted = site.call("deleteSiteById").send().await.expect(205);
    });
}

#[test]
fn readers_see_the_links_that_are_meant_for_them() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let body = json!({
            "title": "Beta", "localizedTitle": { "de": "Vorschau" }, "draft": true,
            "description": "Try it", "icon": "flask", "url": "https://beta.example.com/",
        });
        let link = site.add(body.clone()).await.expect(201);
        for (name, value) in body.as_object().unwrap() {
            assert_eq!(&link.json[name], value, "{link}");
        }
        let id = link.text_at("/id");
        assert!(!site.page().await.contains("beta.example.com"));
        let preview = site.call("getSitePublishingPreviewById").send().await.expect(200);
        let (_, path) = preview.text_at("/url").split_once("/~preview").unwrap();
        let reader = env.client.anonymous();
        let entered = reader.get(&format!("/~preview{path}"), &[]).await.expect(302);
        let cookie = entered.header("set-cookie").split(';').next().unwrap().to_owned();
        let shown = reader.get(entered.header("location"), &[("cookie", &cookie)]).await;
        assert!(shown.expect(200).text().contains("https://beta.example.com/"));

        let _published = site.update(id, json!({ "draft": false })).await.expect(200);
        assert!(site.page().await.contains("Beta"));
        let _hidden = site.update(id, json!({ "condition": "false" })).await.expect(200);
        assert!(!site.page().await.contains("beta.example.com"));
        let shown = site.update(id, json!({ "condition": null, "icon": null })).await.expect(200);
        assert!(shown.json.get("condition").is_none() && shown.json.get("icon").is_none());
        let minimal =
            site.of_link("updateSiteExternalLinkById", id).header("prefer", "return=minimal");
        let minimal = minimal.json(&json!({ "title": "Preview" })).send().await.expect(204);
        assert_eq!(minimal.header("preference-applied"), "return=minimal");
        assert_eq!(site.titles().await, ["Preview"]);
    });
}

#[test]
fn invalid_links_are_refused() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let link = |more: Value| {
            let mut body = json!({ "title": "Status", "url": "https://status.example.com/" });
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            body
        };
        for (more, status, words) in [
            (json!({ "url": "javascript:alert(1)" }), 400, "/url"),
            (json!({ "url": "//example.com" }), 400, "/url"),
            (json!({ "url": format!("https://example.com/{}", "x".repeat(2_048)) }), 400, "/url"),
            (json!({ "title": "" }), 400, "/title"),
            (json!({ "title": "x".repeat(129) }), 400, "/title"),
            (json!({ "title": "\u{202e}x" }), 400, "/title"),
            (json!({ "localizedTitle": { "klingon": "x" } }), 400, "klingon"),
            (json!({ "localizedTitle": { "de": "" } }), 400, "/localizedTitle/de"),
            (json!({ "condition": "visitor.claims.(" }), 400, "/condition"),
            (json!({ "parent": "0".repeat(20) }), 404, "section group"),
        ] {
            let refused = site.add(link(more.clone())).await.expect(status);
            assert!(refused.message().contains(words), "{more}: {refused}");
        }
        assert!(site.titles().await.is_empty());
        let made = site.add(link(json!({}))).await.expect(201);
        let refused =
            site.update(made.text_at("/id"), json!({ "url": "data:x" })).await.expect(400);
        assert!(refused.message().contains("/url"), "{refused}");
        let _none = site.update(&"0".repeat(20), json!({ "title": "New" })).await.expect(404);
        for _ in 1..100 {
            let _made = site.add(link(json!({}))).await.expect(201);
        }
        let full = site.add(link(json!({}))).await.expect(409);
        assert!(full.message().contains("100 external links"), "{full}");
    });
}
