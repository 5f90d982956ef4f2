//! Pages of a site with conditions, as visitors with different claims see them.

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::sites::audience::{cookies, path_of};
use crate::support::content::{change, insert};
use crate::support::{TestEnv, each_engine, until};

const TEXT: &str = "For all.\n\n{% if visitor.claims.unsigned.plan == \"pro\" %}\nFor pros.\n\
     {% endif %}\n\nHello <code class=\"expression\">visitor.claims.unsigned.plan</code>.\n";

/// A published site with adaptive content.
struct Adaptive<'a> {
    env: &'a TestEnv,
    id: String,
    reader: Client,
}

impl<'a> Adaptive<'a> {
    /// Publishes a site with an open page, a page for the plan `pro`, and a variant for `pro`.
    async fn published(env: &'a TestEnv) -> Self {
        let space = env.space("Content").await;
        let _home = insert(&env.client, &space, "Home", TEXT).await;
        let secret = insert(&env.client, &space, "Secret", "Only for pros.\n").await;
        let condition = "visitor.claims.unsigned.plan == \"pro\"";
        let update = json!({ "operation": "update_page", "page": secret, "condition": condition });
        let _changed = change(&env.client, &space, json!([update])).await;
        let create = env.client.call("createSite").path("organizationId", &env.organization);
        let body = json!({ "title": "Adaptive", "spaces": [space] });
        let id = create.json(&body).send().await.expect(201).text_at("/id").to_owned();
        let site = Self { env, id, reader: env.client.anonymous() };
        let _published = site.send("publishSite", json!({})).await;
        let plan = json!({ "type": "string", "enum": ["free", "pro"], "description": "The plan" });
        let unsigned = json!({
            "type": "object",
            "description": "Unsigned claims of the site visitor.",
            "properties": { "plan": plan },
            "additionalProperties": false,
        });
        let schema = json!({
            "type": "object", "properties": { "unsigned": unsigned }, "additionalProperties": false,
        });
        let _schema = site.send("updateSiteAdaptiveSchema", json!({ "jsonSchema": schema })).await;
        site.enable(true).await;
        site
    }

    async fn send(&self, operation: &str, body: Value) -> Answer {
        let call = self.env.client.call(operation).path("organizationId", &self.env.organization);
        call.path("siteId", &self.id).json(&body).send().await.expect(200)
    }

    async fn enable(&self, enabled: bool) {
        let body = json!({ "adaptiveContent": { "enabled": enabled } });
        let _updated = self.send("updateSiteById", body).await;
    }

    async fn get(&self, path: &str, cookie: &str) -> Answer {
        self.reader.get(&format!("/adaptive/{path}"), &[("cookie", cookie)]).await
    }
}

#[test]
fn visitors_see_what_their_claims_allow() {
    each_engine(async |env: &mut TestEnv| {
        let site = Adaptive::published(env).await;
        let pro = "bindery-visitor-public=%7B%22plan%22%3A%22pro%22%7D";
        for _ in 0..2 {
            let text = site.get("", "").await.expect(200).text();
            assert!(text.contains("For all") && !text.contains("For pros"), "{text}");
            assert!(!text.contains("Secret"), "{text}");
            let shown = site.get("", pro).await.expect(200);
            assert!(shown.header("cache-control").starts_with("private"), "{shown}");
            assert!(shown.header("vary").contains("cookie"), "{shown}");
            let text = shown.text();
            assert!(text.contains("For pros") && text.contains("Secret"), "{text}");
            let _absent = site.get("secret", "").await.expect(404);
            let _present = site.get("secret", pro).await.expect(200);
            let near = site.get("secrets", pro).await.expect(404);
            assert!(near.header("cache-control").starts_with("private"), "{near}");
            assert!(near.text().contains("/adaptive/secret\""), "{near}");
            assert!(
                !site.get("secrets", "").await.expect(404).text().contains("/adaptive/secret\"")
            );
            for feed in ["sitemap.xml", "llms.txt"] {
                assert!(!site.get(feed, "").await.expect(200).text().contains("secret"));
            }
            let markdown = site.get("index.md", "").await;
            assert!(!markdown.text().contains("For pros"));
        }
        let stated = site.get("?visitor.plan=pro", "").await.expect(200);
        assert!(stated.text().contains("For pros"));
        assert!(stated.header("set-cookie").starts_with("bindery-visitor-public="), "{stated}");
        for query in ["?visitor.plan=other", "?visitor.other=pro", "?visitor.plan=free"] {
            assert!(!site.get(query, "").await.expect(200).text().contains("For pros"), "{query}");
        }
        site.enable(false).await;
        assert!(!site.get("", pro).await.expect(200).text().contains("For pros"));
        let _absent = site.get("secret", pro).await.expect(404);
    });
}

#[test]
fn the_headers_of_absent_pages_are_alike() {
    each_engine(async |env: &mut TestEnv| {
        let site = Adaptive::published(env).await;
        for path in ["secret", "secret.md", "~related/secret", "~search/secret"] {
            let absent = site.get(path, "").await.expect(404);
            let unknown = site.get(&path.replace("secret", "secrez"), "").await.expect(404);
            assert_eq!(absent.header("vary"), unknown.header("vary"), "{path}");
            assert_eq!(absent.header("vary").matches("cookie").count(), 1, "{absent}");
        }
    });
}

#[test]
fn programs_cannot_tell_hidden_spaces_from_unknown_ones() {
    each_engine(async |env: &mut TestEnv| {
        let site = Adaptive::published(env).await;
        let space = env.space("Hidden").await;
        let _page = insert(&env.client, &space, "Start", "Hidden.\n").await;
        let call = |operation: &str| {
            let call = env.client.call(operation).path("organizationId", &env.organization);
            call.path("siteId", &site.id)
        };
        let add = call("addSpaceToSite").json(&json!({ "spaceId": space }));
        let added = add.send().await.expect(201);
        let change = json!({ "condition": "visitor.claims.plan == 'pro'", "path": "hidden" });
        let update = call("updateSiteSpaceById").path("siteSpaceId", added.text_at("/id"));
        let _updated = update.json(&change).send().await.expect(200);
        for end in ["", "/", "/atom.xml", "/start"] {
            let get = async |space: &str| {
                let path = format!("/adaptive/{space}{end}");
                site.reader.get(&path, &[("accept", "text/markdown")]).await
            };
            let (hidden, unknown) = (get("hidden").await, get("hiddem").await);
            assert_eq!(hidden.status, unknown.status, "{end}: {hidden} {unknown}");
            assert_eq!(hidden.header("content-type"), unknown.header("content-type"), "{end}");
        }
    });
}

#[test]
fn searches_find_what_the_claims_of_the_visitor_allow() {
    each_engine(async |env: &mut TestEnv| {
        let site = Adaptive::published(env).await;
        let found = async |path: &str, cookie: &str| {
            let answer = site.get(path, cookie).await.expect(200);
            assert!(answer.header("cache-control").starts_with("private"), "{answer}");
            answer.text()
        };
        let _settled = until(async || {
            let html =
                found("~search?q=pros", "bindery-visitor-public={%22plan%22:%22pro%22}").await;
            html.contains("Pages found: 2<").then_some(())
        })
        .await;
        let html = found("~search?q=pros", "").await;
        assert!(html.contains("Nothing found") && !html.contains("Secret"), "{html}");
        let stated = found("~search?q=pros&visitor.plan=pro", "").await;
        assert!(stated.contains("Pages found: 2<"), "{stated}");
        let ask = env.client.call("getSitePublishingPreviewById");
        let ask = ask.path("organizationId", &env.organization).path("siteId", &site.id);
        let address = path_of(ask.send().await.expect(200).text_at("/url"));
        let base = format!("/~preview/{}/", site.id);
        let cookie = cookies(&site.reader.get(&address, &[]).await.expect(302), &base);
        let search = async |query: &str| {
            let address = format!("{base}~search?q=pros{query}");
            site.reader.get(&address, &[("cookie", cookie.as_str())]).await.expect(200).text()
        };
        assert!(search("").await.contains("Nothing found"));
        let pro = search("&visitor.plan=pro").await;
        assert!(pro.contains(&format!("href=\"{base}secret\"")), "{pro}");
    });
}

#[test]
fn previews_show_what_their_claims_allow() {
    each_engine(async |env: &mut TestEnv| {
        let site = Adaptive::published(env).await;
        let ask = env.client.call("getSitePublishingPreviewById");
        let ask = ask.path("organizationId", &env.organization).path("siteId", &site.id);
        let address = path_of(ask.send().await.expect(200).text_at("/url"));
        let base = format!("/~preview/{}/", site.id);
        let entered = site.reader.get(&address, &[]).await.expect(302);
        let cookie = cookies(&entered, &base);
        let get = async |path: &str, cookie: &str| {
            site.reader.get(&format!("{base}{path}"), &[("cookie", cookie)]).await
        };
        let plain = get("", &cookie).await.expect(200).text();
        assert!(plain.contains("For all") && !plain.contains("For pros"), "{plain}");
        let _absent = get("secret", &cookie).await.expect(404);

        let stated = get("?visitor.plan=pro", &cookie).await.expect(200);
        assert!(stated.text().contains("For pros"), "{stated}");
        assert!(stated.header("cache-control").starts_with("private"), "{stated}");
        let kept = format!("{cookie}; {}", cookies(&stated, &base));
        let secret = get("secret", &kept).await.expect(200);
        assert!(secret.text().contains("Only for pros"), "{secret}");
        let free = get("?visitor.plan=free", &kept).await.expect(200);
        assert!(!free.text().contains("For pros"), "{free}");
        let _absent = get("secret", &cookie).await.expect(404);
    });
}

#[test]
fn previews_show_what_their_signed_claims_allow() {
    each_engine(async |env: &mut TestEnv| {
        let site = Adaptive::published(env).await;
        let of_site = |operation: &str| {
            let call = env.client.call(operation).path("organizationId", &env.organization);
            call.path("siteId", &site.id)
        };
        let listed = of_site("listSiteSpaces").send().await.expect(200);
        let condition = json!({ "condition": "visitor.claims.team == 'docs'" });
        let update =
            of_site("updateSiteSpaceById").path("siteSpaceId", listed.text_at("/items/0/id"));
        let _updated = update.json(&condition).send().await.expect(200);
        let base = format!("/~preview/{}/", site.id);
        for (claims, is_shown) in
            [("{}", true), (r#"{"team":"docs"}"#, true), (r#"{"team":"sales"}"#, false)]
        {
            let ask = of_site("getSitePublishingPreviewById").query("claims", claims);
            let address = path_of(ask.send().await.expect(200).text_at("/url"));
            let entered = site.reader.get(&address, &[]).await.expect(302);
            let cookie = cookies(&entered, &base);
            let page = site.reader.get(&base, &[("cookie", cookie.as_str())]).await;
            assert_eq!(page.text().contains("For all"), is_shown, "{claims} {page}");
        }
    });
}

#[test]
fn front_ends_read_what_the_claims_of_their_visitor_allow() {
    each_engine(async |env: &mut TestEnv| {
        let site = Adaptive::published(env).await;
        let shown = env.client.call("getSiteById").path("organizationId", &env.organization);
        let shown = shown.path("siteId", &site.id).send().await.expect(200);
        let url = shown.text_at("/urls/published");
        let reader = |plan: &'static str| {
            let claims = json!({ "plan": plan, "other": "ignored" });
            let body = json!({ "url": url, "visitor": { "unsignedClaims": claims } });
            site.reader.call("resolvePublishedContentByUrl").json(&body).send()
        };
        // A member finds all pages and parts, whatever their conditions.
        until(async || {
            let search = env.client.call("searchOrganizationContent").query("query", "pros");
            let found = search.path("organizationId", &env.organization).send().await.expect(200);
            (*found.at("/count") == json!(2)).then_some(())
        })
        .await;
        for (plan, is_pro) in [("pro", true), ("free", false), ("unknown", false), ("pro", true)] {
            let resolved = reader(plan).await.expect(200);
            let space = resolved.text_at("/space").to_owned();
            let client = site.reader.with_token(resolved.text_at("/apiToken"));
            let revision = client.call("getCurrentRevision").path("spaceId", &space);
            let revision = revision.send().await.expect(200);
            let pages = revision.at("/pages").as_array().unwrap();
            assert_eq!(pages.len(), if is_pro { 2 } else { 1 }, "{plan}");
            // The index may not contain the condition of the page yet.
            until(async || {
                let search = client.call("searchSiteContent").path("siteId", &site.id);
                let search = search.path("organizationId", &env.organization);
                let body = json!({ "query": "pros", "mode": "all" });
                let found = search.json(&body).send().await.expect(200);
                (*found.at("/count") == json!(if is_pro { 2 } else { 0 })).then_some(())
            })
            .await;
            let read = |operation: &str| {
                let call = client.call(operation).path("spaceId", &space);
                let call = call.path("revisionId", revision.text_at("/id"));
                call.path("pageId", revision.text_at("/pages/0/id"))
            };
            let document = read("getPageDocumentInRevisionById");
            let document = document.query("evaluated", "deterministic-only").send().await;
            assert_eq!(document.expect(200).text().contains("For pros."), is_pro, "{plan}");
            let markdown = read("getPageInRevisionById").query("format", "markdown").send().await;
            let markdown = markdown.expect(200);
            assert_eq!(markdown.text_at("/markdown").contains("For pros."), is_pro, "{plan}");
        }
        // Without adaptive content, claims have no effect.
        site.enable(false).await;
        let resolved = reader("pro").await.expect(200);
        let client = site.reader.with_token(resolved.text_at("/apiToken"));
        let revision = client.call("getCurrentRevision");
        let revision = revision.path("spaceId", resolved.text_at("/space")).send().await;
        assert_eq!(revision.expect(200).at("/pages").as_array().unwrap().len(), 1);
    });
}
