//! Pages that a specification computes: in the API, on sites and in search.

use bindery_testkit::git_server::{Change, GitServer};
use serde_json::{Value, json};

use crate::support::content::{change, insert, publish};
use crate::support::openapi::{PETSTORE, of_spec, put_source};
use crate::support::{TestEnv, each_engine, until};

fn source(spec: &str, grouping: &str) -> Value {
    json!({
        "type": "builtin:openapi",
        "props": { "models": true, "grouping": grouping },
        "dependencies": { "spec": { "ref": { "kind": "openapi", "spec": spec } } },
    })
}

/// Creates a space with the pages of a specification.
async fn computed_space(env: &TestEnv, source: &Value) -> String {
    let create = env.client.call("createSpace").path("organizationId", &env.organization);
    let body = json!({ "title": "API", "computedSource": source });
    create.json(&body).send().await.expect(201).text_at("/id").to_owned()
}

/// Returns the titles of the pages of a space, each with its type.
async fn titles(env: &TestEnv, space: &str, computed: &str) -> Vec<(String, String)> {
    let pages = env.client.call("listPages").path("spaceId", space).query("computed", computed);
    let pages = pages.send().await.expect(200);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pages = pages.at("/pages").as_array().unwrap().iter();
    pages.map(|page| (text(&page["title"]), text(&page["type"]))).collect()
}

#[test]
fn a_space_shows_a_page_for_each_tag() {
    each_engine(async |env: &mut TestEnv| {
        let _spec = put_source(env, "pets", json!({ "text": PETSTORE })).await;
        let space = computed_space(env, &source("pets", "by-tag")).await;
        let pair = |title: &str, kind: &str| (title.to_owned(), kind.to_owned());
        assert_eq!(
            titles(env, &space, "true").await,
            [pair("Pets", "document"), pair("Models", "document")]
        );
        assert_eq!(titles(env, &space, "false").await, [pair("Untitled", "computed")]);

        let page = env.client.call("getPageByPath").path("spaceId", &space);
        let page = page.path("pagePath", "pets").send().await.expect(200);
        assert_eq!(page.at("/computed/props"), &json!({ "doc": "operations", "page": "Pets" }));
        assert_eq!(page.text_at("/computed/dependencies/spec/value/slug"), "pets");
        let body = json!({ "source": page.at("/computed"), "seed": page.at("/computedSeed") });
        let document = env.client.call("getComputedDocument").path("spaceId", &space);
        let document = document.json(&body).send().await.expect(200);
        let block = document.at("/nodes/0");
        assert_eq!(block["type"], "openapi-operation");
        assert_eq!(block["data"]["path"], "/pets/{petId}");
        let body = json!({ "source": source("pets", "by-operation"), "seed": "s" });
        let revision = env.client.call("getComputedRevision").path("spaceId", &space);
        let revision = revision.json(&body).send().await.expect(200);
        assert_eq!(revision.text_at("/pages/0/pages/0/title"), "Returns a pet");

        // A new version has other pages at once, and pages of the same part keep their ids.
        let changed = PETSTORE.replace("tags: [Pets]", "tags: [Animals]");
        let _spec = put_source(env, "pets", json!({ "text": changed })).await;
        assert_eq!(
            titles(env, &space, "true").await,
            [pair("Animals", "document"), pair("Models", "document")]
        );
        let _spec = put_source(env, "pets", json!({ "text": PETSTORE })).await;
        let again = env.client.call("getPageByPath").path("spaceId", &space);
        let again = again.path("pagePath", "pets").send().await.expect(200);
        assert_eq!(again.at("/id"), page.at("/id"));
    });
}

#[test]
fn pages_begin_with_the_api_and_end_with_its_description() {
    each_engine(async |env: &mut TestEnv| {
        let text = PETSTORE.replace(
            "  version: '1'",
            "  version: '1.2'\n  description: 'All pets {% include \"x\" %}'\nservers: [{url: 'https://pets.example.com'}]",
        );
        let _spec = put_source(env, "pets", json!({ "text": text })).await;
        let mut source = source("pets", "by-operation");
        source["props"]["overview"] = json!(true);
        source["props"]["downloadLink"] = json!(true);
        let space = computed_space(env, &source).await;
        let _site = publish(env, "API", &space).await;
        let reader = env.client.anonymous();
        let page = reader.get("/api/", &[]).await.expect(200).text();
        let entry =
            "<span class=\"openapi-method\" data-method=\"GET\">GET</span> <bdi>Returns a pet";
        for text in [
            entry,
            "Overview</bdi>",
            "Petstore</h1>",
            "All pets {% include",
            "1.2",
            "https://pets.example.com",
        ] {
            assert!(page.contains(text), "{text} in {page}");
        }
        // A private description is not for readers.
        assert!(!page.contains("/~openapi/"), "{page}");
        let publish = of_spec(env, "updateOpenAPISpecBySlug", "pets");
        let _public = publish.json(&json!({ "visibility": "public" })).send().await.expect(200);
        let page = reader.get("/api/", &[]).await.expect(200).text();
        let (_, rest) = page.split_once("href=\"/~openapi/").unwrap();
        let (id, _) = rest.split_once('"').unwrap();
        let file = reader.get(&format!("/~openapi/{id}"), &[]).await.expect(200);
        assert_eq!((file.text(), file.header("content-type")), (text, "application/yaml"));
        let first = env.client.call("getPageByPath").path("spaceId", &space);
        let first = first.path("pagePath", "overview").send().await.expect(200);
        let body = json!({ "source": first.at("/computed"), "seed": first.at("/computedSeed") });
        let document = env.client.call("getComputedDocument").path("spaceId", &space);
        let document = document.json(&body).send().await.expect(200);
        assert_eq!(document.at("/nodes/0/type"), "list-unordered", "{document}");
        let kinds = titles(env, &space, "true").await;
        let kinds: Vec<(&str, &str)> =
            kinds.iter().map(|(title, kind)| (title.as_str(), kind.as_str())).collect();
        let expect = [
            ("Petstore", "document"),
            ("Pets", "document"),
            ("Models", "document"),
            ("OpenAPI description", "link"),
        ];
        assert_eq!(kinds, expect);
        let private = of_spec(env, "updateOpenAPISpecBySlug", "pets");
        let _private = private.json(&json!({ "visibility": "private" })).send().await.expect(200);
        let page = reader.get("/api/", &[]).await.expect(200).text();
        assert!(!page.contains("/~openapi/"), "{page}");
        let _gone = reader.get(&format!("/~openapi/{id}"), &[]).await.expect(404);
    });
}

#[test]
fn a_site_shows_operations_and_models() {
    each_engine(async |env: &mut TestEnv| {
        let _spec = put_source(env, "pets", json!({ "text": PETSTORE })).await;
        let space = computed_space(env, &source("pets", "by-tag")).await;
        let _site = publish(env, "API", &space).await;
        let reader = env.client.anonymous();
        let page = reader.get("/api/", &[]).await.expect(200).text();
        for text in [
            "<h2 id=\"get-pets-petid\"",
            "Returns a pet",
            "data-method=\"GET\">GET</span>",
            "<code class=\"api-name\">petId</code>",
            "The name of the pet",
            "<summary>cURL</summary>",
        ] {
            assert!(page.contains(text), "{text} in {page}");
        }
        let models = reader.get("/api/models", &[]).await.expect(200).text();
        assert!(models.contains("id=\"model-Pet\""), "{models}");
        let changed = PETSTORE.replace("The name of the pet", "Its name");
        let _spec = put_source(env, "pets", json!({ "text": changed })).await;
        let page = reader.get("/api/", &[]).await.expect(200).text();
        assert!(page.contains("Its name") && !page.contains("The name of the pet"), "{page}");
        let found = until(async || {
            let search = env.client.call("searchSpaceContent").path("spaceId", &space);
            let found = search.query("query", "Pets").send().await.expect(200);
            (found.at("/count") != 0).then_some(found)
        })
        .await;
        assert_eq!(found.text_at("/items/0/title"), "Pets");
    });
}

#[test]
fn a_table_of_contents_in_git_names_a_specification() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let repository = git.repository("api.git");
        let summary = "# Summary\n\n* [Home](README.md)\n\n## API\n\n* ```yaml\n  type: builtin:openapi\n  \
                       props:\n    models: false\n  dependencies:\n    spec:\n      ref:\n        \
                       kind: openapi\n        spec: pets\n  ```\n* [Last](last.md)\n";
        let changes = [
            Change::file("README.md", "# Home\n"),
            Change::file("last.md", "# Last\n"),
            Change::file("SUMMARY.md", summary),
        ];
        repository.commit("main", "one", changes);
        let space = env.space("Imported").await;
        let request = json!({ "url": git.url("api.git"), "ref": "refs/heads/main" });
        let job = env.import(&space, &request).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let shown = async || {
            let pages = env.client.call("listPages").path("spaceId", &space).send().await;
            let pages = pages.expect(200).at("/pages/1/pages").clone();
            let pages = pages.as_array().unwrap().iter();
            pages.map(|page| page["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        // The specification does not exist yet.
        assert_eq!(shown().await, ["Untitled", "Last"]);
        let _spec = put_source(env, "pets", json!({ "text": PETSTORE })).await;
        assert_eq!(shown().await, ["Pets", "Last"]);
        // Edits elsewhere and beside the page of the source keep the pages in its place.
        let _page = insert(&env.client, &space, "Top", "Text.\n").await;
        assert_eq!(shown().await, ["Pets", "Last"]);
        let group = env.client.call("listPages").path("spaceId", &space).send().await.expect(200);
        let beside = json!([{
            "operation": "insert_page", "title": "Beside", "into": group.at("/pages/1/id"),
            "document": { "markdown": "Text.\n" },
        }]);
        let _changed = change(&env.client, &space, beside).await;
        assert_eq!(shown().await, ["Pets", "Last", "Beside"]);
        // An import without changes keeps the page of the source.
        let job = env.import(&space, &request).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert_eq!(shown().await, ["Pets", "Last", "Beside"]);
    });
}
