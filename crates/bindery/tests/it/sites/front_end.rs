//! The calls of a front end that renders a published site through the API, in their order.

use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::support::content::{insert, publish};
use crate::support::{TestEnv, each_engine};

/// Asks for the published content at an address.
async fn resolve(client: &Client, url: &str) -> Answer {
    let body = json!({ "url": url, "visitor": { "unsignedClaims": {} }, "redirectOnError": false });
    client.call("resolvePublishedContentByUrl").json(&body).send().await
}

/// A front end with the answer to its first call.
struct FrontEnd {
    resolved: Answer,
    /// A client with the token of the site.
    client: Client,
}

impl FrontEnd {
    /// Resolves an address as a client that sends these credentials.
    async fn at(client: &Client, url: &str) -> Self {
        let resolved = resolve(client, url).await.expect(200);
        let client = client.with_token(resolved.text_at("/apiToken"));
        Self { resolved, client }
    }

    fn of_space(&self, operation: &str) -> Call {
        self.client.call(operation).path("spaceId", self.resolved.text_at("/space"))
    }

    /// Loads the profile of the site.
    async fn profile(&self) -> Answer {
        let call = self.client.call("getPublishedContentSite");
        let call = call.path("organizationId", self.resolved.text_at("/organization"));
        call.path("siteId", self.resolved.text_at("/site")).send().await.expect(200)
    }

    /// Loads the tree of the pages, and returns the revision and the pages.
    async fn pages(&self, revision: &str) -> Vec<Value> {
        let tree = self.of_space("getRevisionById").path("revisionId", revision);
        let tree = tree.query("metadata", false).send().await.expect(200);
        tree.at("/pages").as_array().unwrap().clone()
    }

    /// Loads the document of a page.
    async fn document(&self, revision: &str, page: &str) -> Answer {
        let document = self.of_space("getPageDocumentInRevisionById").path("revisionId", revision);
        let document = document.path("pageId", page).query("evaluated", "deterministic-only");
        document.send().await.expect(200)
    }
}

/// Publishes a site with two spaces, and returns the site and the first space.
async fn two_variants(env: &TestEnv) -> (Answer, String) {
    let guide = env.space("Guide").await;
    for title in ["Home", "Setup"] {
        let _page = insert(&env.client, &guide, title, "Text with **marks**.\n").await;
    }
    let api = env.space("API").await;
    let _page = insert(&env.client, &api, "Calls", "Calls.\n").await;
    let site = publish(env, "Docs", &guide).await;
    let add = env.client.call("addSpaceToSite").path("organizationId", &env.organization);
    let add = add.path("siteId", site.text_at("/id")).json(&json!({ "spaceId": api }));
    let _added = add.send().await.expect(201);
    (site, guide)
}

#[test]
fn a_front_end_renders_the_pages_of_a_site() {
    each_engine(async |env: &mut TestEnv| {
        let (site, space) = two_variants(env).await;
        let url = format!("{}setup", site.text_at("/urls/published"));
        let front_end = FrontEnd::at(&env.client.anonymous(), &url).await;
        assert_eq!(front_end.resolved.text_at("/pathname"), "/setup");
        assert_eq!(front_end.resolved.text_at("/basePath"), "/docs/");
        assert_eq!(front_end.resolved.text_at("/canonicalUrl"), url);
        assert_eq!(front_end.resolved.text_at("/space"), space);

        let profile = front_end.profile().await;
        let shown = profile.at("/structure/structure").as_array().unwrap();
        let site_space = front_end.resolved.at("/siteSpace");
        assert!(shown.iter().any(|one| &one["id"] == site_space), "{profile}");
        assert!(profile.at("/customizations/site/styling/primaryColor/light").is_string());
        assert_eq!(profile.at("/scripts"), &json!([]));

        let space = front_end.of_space("getSpaceById").send().await.expect(200);
        let revision = space.text_at("/revision");
        let pages = front_end.pages(revision).await;
        let page = pages.iter().find(|page| page["path"] == "setup").unwrap();
        assert!(page["documentId"].is_string() && page["layout"].is_object(), "{page}");
        let missing = front_end.of_space("getPageInRevisionByPath").path("revisionId", revision);
        let _missing = missing.path("pagePath", "a/b").send().await.expect(404);

        let page = page["id"].as_str().unwrap();
        let document = front_end.document(revision, page).await;
        assert!(document.text().contains("\"marks\""), "{document}");
        let markdown = front_end.of_space("getPageInRevisionById").path("revisionId", revision);
        let markdown = markdown.path("pageId", page).query("format", "markdown").send().await;
        assert!(markdown.expect(200).text_at("/markdown").contains("**marks**"));
    });
}

#[test]
fn prefixes_of_an_address_are_complete_when_no_other_space_is_below() {
    each_engine(async |env: &mut TestEnv| {
        let (site, _) = two_variants(env).await;
        let base = site.text_at("/urls/published");
        let reader = env.client.anonymous();
        for (path, complete, base_path, pathname) in [
            ("", false, "/docs/", "/"),
            ("api", true, "/docs/api/", "/"),
            ("api/calls", true, "/docs/api/", "/calls"),
            ("setup", true, "/docs/", "/setup"),
            ("setup/", true, "/docs/", "/setup"),
        ] {
            let found = resolve(&reader, &format!("{base}{path}")).await.expect(200);
            assert_eq!(found.at("/complete"), complete, "{path}");
            assert_eq!(found.text_at("/basePath"), base_path, "{path}");
            assert_eq!(found.text_at("/siteBasePath"), "/docs/", "{path}");
            assert_eq!(found.text_at("/pathname"), pathname, "{path}");
            let deprecated = reader.call("getPublishedContentByUrl");
            let deprecated = deprecated.query("url", format!("{base}{path}")).send().await;
            assert_eq!(deprecated.expect(200).json, found.json, "{path}");
        }
        for url in ["https://example.com/docs", &base.replace("/docs", "/none"), "ftp://x/docs"] {
            let _none = resolve(&reader, url).await.expect(404);
        }
    });
}

#[test]
fn a_token_lasts_until_the_site_changes_what_it_shows() {
    each_engine(async |env: &mut TestEnv| {
        let (site, space) = two_variants(env).await;
        let (url, reader) = (site.text_at("/urls/published"), env.client.anonymous());
        let first = FrontEnd::at(&reader, url).await;
        let again = FrontEnd::at(&reader, url).await;
        assert_eq!(first.resolved.text_at("/apiToken"), again.resolved.text_at("/apiToken"));
        let _page = insert(&env.client, &space, "New", "New.\n").await;
        let changed = FrontEnd::at(&reader, url).await;
        assert_ne!(first.resolved.text_at("/apiToken"), changed.resolved.text_at("/apiToken"));
        let _read = first.of_space("getSpaceById").send().await.expect(200);
        let unpublish = env.client.call("unpublishSite");
        let unpublish = unpublish.path("organizationId", &env.organization);
        let _closed = unpublish.path("siteId", site.text_at("/id")).send().await.expect(200);
        let _ended = changed.of_space("getSpaceById").send().await.expect(401);
        let _none = resolve(&reader, url).await.expect(404);
    });
}

#[test]
fn a_token_reads_the_content_of_its_site_and_nothing_else() {
    each_engine(async |env: &mut TestEnv| {
        let (site, space) = two_variants(env).await;
        let other = env.space("Other").await;
        let elsewhere = publish(env, "Elsewhere", &other).await;
        let reader = FrontEnd::at(&env.client.anonymous(), site.text_at("/urls/published")).await;
        let client = &reader.client;
        let _other = client.call("getSpaceById").path("spaceId", &other).send().await.expect(404);
        let of_site = |operation: &str, id: &str| {
            let call = client.call(operation).path("organizationId", &env.organization);
            call.path("siteId", id)
        };
        let id = elsewhere.text_at("/id");
        let _other = of_site("getPublishedContentSite", id).send().await.expect(404);
        let _unseen = of_site("listSiteShareLinks", site.text_at("/id")).send().await.expect(404);
        let sites = client.call("listSites").path("organizationId", &env.organization);
        let _unseen = sites.send().await.expect(404);
        let _nobody = client.call("getAuthenticatedUser").send().await.expect(404);
        for operation in ["listChangeRequestsForSpace", "listSpaceLinks", "getSpaceGitInfo"] {
            let _unseen = reader.of_space(operation).send().await.expect(404);
        }
        let change = client.call("updateSpaceById").path("spaceId", &space);
        let _refused = change.json(&json!({ "title": "Mine" })).send().await.expect(404);
        let token = reader.resolved.text_at("/apiToken");
        let (signed, _) = token.rsplit_once('.').unwrap();
        let forged = env.client.with_token(&format!("{signed}.{}", "A".repeat(43)));
        let _forged = forged.call("getSpaceById").path("spaceId", &space).send().await.expect(401);
    });
}

#[test]
fn a_front_end_previews_a_site_with_the_token_of_a_member() {
    each_engine(async |env: &mut TestEnv| {
        let (site, space) = two_variants(env).await;
        let unpublish = env.client.call("unpublishSite");
        let unpublish = unpublish.path("organizationId", &env.organization);
        let _closed = unpublish.path("siteId", site.text_at("/id")).send().await.expect(200);
        let create = env.client.call("createChangeRequest").path("spaceId", &space);
        let proposed = create.json(&json!({ "subject": "New" })).send().await.expect(201);
        let url = format!("https://preview/{}", site.text_at("/id"));
        let _nobody = resolve(&env.client.anonymous(), &url).await.expect(404);
        let preview = FrontEnd::at(&env.client, &url).await;
        assert_eq!(preview.resolved.text_at("/pathname"), "/");
        let _profile = preview.profile().await;
        let head = preview.of_space("getSpaceById").send().await.expect(200);
        let pages = preview.pages(head.text_at("/revision")).await;
        assert_eq!(pages.len(), 2);
        let hidden = preview.of_space("getChangeRequestById");
        let id = proposed.text_at("/id");
        let _hidden = hidden.path("changeRequestId", id).send().await.expect(404);

        let changes = format!("{url}/~/changes/{id}/");
        let preview = FrontEnd::at(&env.client, &changes).await;
        assert_eq!(preview.resolved.text_at("/changeRequest"), id);
        let shown = preview.of_space("getChangeRequestById").path("changeRequestId", id);
        let _shown = shown.send().await.expect(200);
        let pages = preview.pages(preview.resolved.text_at("/revision")).await;
        assert_eq!(pages.len(), 2);
    });
}

#[test]
fn a_share_key_replaces_the_token_where_it_is_accepted() {
    each_engine(async |env: &mut TestEnv| {
        let (site, space) = two_variants(env).await;
        let of_site = |client: &Client, operation: &str| {
            let call = client.call(operation).path("organizationId", &env.organization);
            call.path("siteId", site.text_at("/id"))
        };
        let restricted = json!({ "visibility": "share-link" });
        let restrict = of_site(&env.client, "updateSiteById").json(&restricted);
        let _restricted = restrict.send().await.expect(200);
        let link = of_site(&env.client, "createSiteShareLink").json(&json!({ "name": "One" }));
        let link = link.send().await.expect(201);
        let shared = link.text_at("/urls/published");
        let key = shared.trim_end_matches('/').rsplit('/').next().unwrap();
        let reader = env.client.anonymous();
        let _none = resolve(&reader, site.text_at("/urls/published")).await.expect(404);
        let found = FrontEnd::at(&reader, shared).await;
        assert_eq!(found.resolved.text_at("/shareKey"), key);
        assert_eq!(found.resolved.text_at("/siteBasePath"), format!("/docs/{key}/"));
        let _profile = found.profile().await;
        for (key, status) in [(key, 200), ("00000000000000000000", 404)] {
            let profile = of_site(&reader, "getPublishedContentSite").query("shareKey", key);
            let _profile = profile.send().await.expect(status);
            let space = reader.call("getSpaceById").path("spaceId", &space).query("shareKey", key);
            let _space = space.send().await.expect(status);
            let elsewhere = of_site(&reader, "listSiteSpaces").query("shareKey", key);
            let _refused = elsewhere.send().await.expect(401);
        }
        let revoke = of_site(&env.client, "deleteSiteShareLinkById");
        let revoke = revoke.path("shareLinkId", link.text_at("/id"));
        let _revoked = revoke.send().await.expect(205);
        let _ended = found.of_space("getSpaceById").send().await.expect(401);
    });
}

#[test]
fn blocks_without_a_type_are_rendered_for_front_ends() {
    each_engine(async |env: &mut TestEnv| {
        let (site, _) = two_variants(env).await;
        let front_end =
            FrontEnd::at(&env.client.anonymous(), site.text_at("/urls/published")).await;
        let render = async |client: &Client, integration: &str, block: &str, props: Value| {
            let context = json!({
                "type": "document", "spaceId": front_end.resolved.text_at("/space"),
                "editable": false, "theme": "light",
            });
            let body = json!({ "componentId": block, "props": props, "context": context });
            let call = client.call("renderIntegrationUIWithPost");
            call.path("integrationName", integration).json(&body).send().await
        };
        let client = &front_end.client;
        let shown = async |block: &str, props: Value| {
            let answer = render(client, "bindery", block, props).await.expect(200);
            assert_eq!(answer.text_at("/type"), "element");
            assert_eq!(answer.text_at("/element/type"), "block");
            answer.at("/element/children").clone()
        };
        let tag = json!({ "markdown": "{% filename %}x{% endfilename %}" });
        let code = json!([{
            "type": "codeblock", "content": "{% filename %}x{% endfilename %}", "syntax": "markdown",
        }]);
        assert_eq!(shown("opaque", tag.clone()).await, code);
        let comment = json!({ "markdown": "<!-- x -->", "hidden": true });
        assert_eq!(shown("opaque", comment).await, json!([]));
        let updates = json!({ "markdown": "{% updates %}\n## One\n{% endupdates %}\n" });
        let text = json!([{ "type": "markdown", "content": "## One\n" }]);
        assert_eq!(shown("updates", updates).await, text);
        let _unknown = render(client, "bindery", "other", tag.clone()).await.expect(404);
        let _unknown = render(client, "other", "opaque", tag.clone()).await.expect(404);
        let anonymous = env.client.anonymous();
        let _unsigned = render(&anonymous, "bindery", "opaque", tag).await.expect(401);
        let specification = client.call("getLatestOpenAPISpecVersionContent");
        let specification = specification.path("organizationId", &env.organization);
        let _absent = specification.path("specSlug", "petstore").send().await.expect(404);
    });
}

#[test]
fn names_of_defaults_in_an_address_lead_to_the_default() {
    each_engine(async |env: &mut TestEnv| {
        let (site, _) = two_variants(env).await;
        let listed = env.client.call("listSiteSpaces").path("organizationId", &env.organization);
        let listed = listed.path("siteId", site.text_at("/id")).send().await.expect(200);
        let name = listed.text_at("/items/0/path");
        let base = site.text_at("/urls/published");
        let client = env.client.anonymous();
        for (path, pathname) in [("", "/"), ("/setup", "/setup"), ("/absent", "/absent")] {
            let found = resolve(&client, &format!("{base}{name}{path}")).await.expect(200);
            assert_eq!(found.text_at("/pathname"), pathname);
            assert_eq!(found.text_at("/basePath"), format!("/docs/{name}/"));
            let short = path.trim_start_matches('/');
            assert_eq!(found.text_at("/canonicalUrl"), format!("{base}{short}"));
        }
        // A page with the name comes first.
        let _page = insert(&env.client, listed.text_at("/items/0/space/id"), name, "Text.\n").await;
        let found = resolve(&client, &format!("{base}{name}")).await.expect(200);
        assert_eq!(found.text_at("/pathname"), format!("/{name}"));
        assert_eq!(found.text_at("/basePath"), "/docs/");
    });
}
