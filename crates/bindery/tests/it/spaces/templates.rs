//! Templates: listing, applying to spaces and change requests, and errors.

use std::collections::BTreeSet;

use bindery_testkit::Answer;
use serde_json::{Value, json};

use crate::support::{TestEnv, each_engine};

async fn apply(env: &TestEnv, space: &str, body: &Value) -> Answer {
    let call = env.client.call("applyTemplateToSpace").path("spaceId", space);
    call.json(body).send().await
}

/// Returns every page of a space by its path, with its Markdown.
async fn pages(env: &TestEnv, space: &str) -> Vec<(String, String)> {
    fn paths(pages: &Value, found: &mut Vec<String>) {
        for page in pages.as_array().unwrap() {
            if page["type"] == "document" {
                found.push(page["path"].as_str().unwrap().to_owned());
            }
            paths(&page["pages"], found);
        }
    }
    let list = env.of_space("listPages", space).await.expect(200);
    let mut found = Vec::new();
    paths(list.at("/pages"), &mut found);
    let mut texts = Vec::new();
    for path in found {
        let call = env.client.call("getPageByPath").path("spaceId", space);
        let call = call.path("pagePath", &path).query("format", "markdown");
        let page = call.send().await.expect(200);
        texts.push((path, page.text_at("/markdown").to_owned()));
    }
    texts
}

fn named(pages: &[(String, String)]) -> Vec<&str> {
    pages.iter().map(|(path, _)| path.as_str()).collect()
}

#[test]
fn every_template_of_the_server_can_be_applied() {
    each_engine(async |env: &mut TestEnv| {
        let list = env.client.call("listTemplates").send().await.expect(200);
        let items = list.at("/items").as_array().unwrap();
        let ids: BTreeSet<&str> = items.iter().map(|item| item["id"].as_str().unwrap()).collect();
        let expect =
            ["api-guide", "blank", "changelog", "handbook", "knowledge-base", "product-guide"];
        assert_eq!(ids, BTreeSet::from(expect));
        for item in items {
            assert_ne!(item["description"], "", "{item}");
            let space = env.space("From a template").await;
            let id = item["id"].as_str().unwrap();
            let before = env.of_space("getSpaceById", &space).await.expect(200);
            // All listed placeholders can be filled.
            let places = item["params"].as_array().unwrap().iter();
            let references: serde_json::Map<String, Value> = places
                .map(|place| {
                    let url = json!({ "kind": "url", "url": "https://filled.example/x" });
                    (place["name"].as_str().unwrap().to_owned(), url)
                })
                .collect();
            let filled = references.len();
            let body = json!({ "id": id, "params": { "contentRefs": references } });
            let applied = apply(env, &space, &body).await.expect(201);
            let after = env.of_space("getSpaceById", &space).await.expect(200);
            assert_ne!(after.text_at("/revision"), before.text_at("/revision"));
            assert_eq!(applied.header("etag"), format!("\"{}\"", after.text_at("/revision")));
            let pages = pages(env, &space).await;
            let texts: String = pages.iter().map(|(_, text)| text.as_str()).collect();
            assert!(!texts.contains("template:"), "{id}: {texts}");
            assert_eq!(texts.matches("https://filled.example/x").count() > 0, filled > 0, "{id}");
            // The pages have no broken links.
            for (path, _) in &pages {
                let page = env.client.call("getPageByPath").path("spaceId", &space);
                let page = page.path("pagePath", path).send().await.expect(200);
                let document = page.at("/document").to_string();
                assert!(!document.contains(".md\""), "{id} {path}: {document}");
            }
        }
    });
}

#[test]
fn templates_keep_existing_content() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Twice").await;
        let blank = json!({ "id": "blank" });
        let _once = apply(env, &space, &blank).await.expect(201);
        let _twice = apply(env, &space, &blank).await.expect(201);
        let guide = json!({ "id": "knowledge-base" });
        let _guide = apply(env, &space, &guide).await.expect(201);
        let _again = apply(env, &space, &guide).await.expect(201);
        let pages = pages(env, &space).await;
        let help = |number: &str| {
            vec![
                format!("how-can-we-help{number}"),
                format!("account{number}/change-your-address"),
                format!("account{number}/reset-your-password"),
                format!("billing{number}/understand-your-invoice"),
            ]
        };
        let mut expect = vec!["start-here".to_owned(), "start-here-1".to_owned()];
        expect.extend(help(""));
        expect.extend(help("-1"));
        assert_eq!(named(&pages), expect.iter().map(String::as_str).collect::<Vec<_>>());
        // Links in the second copy refer to its own pages.
        let call = env.client.call("getPageByPath").path("spaceId", &space);
        let page = call.path("pagePath", "how-can-we-help-1").send().await.expect(200);
        let call = env.client.call("getPageByPath").path("spaceId", &space);
        let own = call.path("pagePath", "account-1/change-your-address").send().await.expect(200);
        assert!(page.at("/document").to_string().contains(own.text_at("/id")), "{page}");
    });
}

#[test]
fn change_requests_and_spaces_start_from_templates() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Begun").await;
        let call = env.client.call("createChangeRequest").path("spaceId", &space);
        let body = json!({
            "subject": "Begin", "template": { "id": "changelog" }, "ticket": { "number": 7 },
        });
        let made = call.json(&body).send().await.expect(201);
        assert_ne!(made.text_at("/revision"), made.text_at("/revisionInitial"));
        let of_request = |operation: &str| {
            let call = env.client.call(operation).path("spaceId", &space);
            call.path("changeRequestId", made.text_at("/id"))
        };
        let pages_of = async || {
            let list = of_request("listPagesInChangeRequest").send().await.expect(200);
            list.at("/pages").as_array().unwrap().len()
        };
        assert_eq!(pages_of().await, 2);
        let kept = of_request("getChangeRequestProperties").send().await.expect(200);
        assert_eq!(kept.at("/properties/ticket"), &json!({ "number": 7 }));
        assert!(pages(env, &space).await.is_empty());

        // Another template is applied to the same change request.
        let body = json!({ "id": "blank", "changeRequestId": made.at("/number").to_string() });
        let _applied = apply(env, &space, &body).await.expect(201);
        assert_eq!(pages_of().await, 3);
        let _merged = of_request("mergeChangeRequest").send().await.expect(200);
        assert_eq!(named(&pages(env, &space).await).len(), 3);
        let _merged_already = apply(env, &space, &body).await.expect(409);

        let call = env.client.call("createSpace").path("organizationId", &env.organization);
        let body =
            json!({ "title": "New", "template": { "id": "handbook" }, "editMode": "locked" });
        let new = call.json(&body).send().await.expect(201);
        let pages = pages(env, new.text_at("/id")).await;
        let expect = [
            "welcome",
            "who-we-are",
            "how-we-work/a-week",
            "how-we-work/decisions",
            "new-here/the-first-week",
        ];
        assert_eq!(named(&pages), expect);
        let read = env.of_space("getSpaceById", new.text_at("/id")).await.expect(200);
        assert_eq!(read.text_at("/revision"), new.text_at("/revision"));
        let locked = apply(env, new.text_at("/id"), &json!({ "id": "blank" })).await.expect(409);
        assert!(locked.message().contains("locked"), "{locked}");
    });
}

#[test]
fn spaces_can_be_templates() {
    each_engine(async |env: &mut TestEnv| {
        let source = env.space("House style").await;
        let changes = json!({ "changes": [
            { "operation": "insert_page", "ref": "a", "title": "A",
              "document": { "markdown": "See [b](b.md) and [help](template:help).\n\nMore.\n" } },
            { "operation": "insert_page", "ref": "b", "title": "B",
              "document": { "markdown": "See [a](a.md).\n" } },
        ] });
        let call = env.client.call("updateSpaceContent").path("spaceId", &source);
        let _made = call.json(&changes).send().await.expect(200);
        let space = env.space("Target").await;
        let body = json!({ "id": source });
        let _no_template = apply(env, &space, &body).await.expect(404);
        let mark = |template: bool| {
            let call = env.client.call("updateSpaceById").path("spaceId", &source);
            call.json(&json!({ "template": template, "title": "House style" })).send()
        };
        let _marked = mark(true).await.expect(200);
        let list = env.client.call("listTemplates").send().await.expect(200);
        let listed = list.at("/items").as_array().unwrap().iter();
        let listed: Vec<&Value> = listed.filter(|item| item["space"] == *source).collect();
        assert_eq!(listed.len(), 1, "{list}");
        assert_eq!(
            (&listed[0]["id"], &listed[0]["title"]),
            (&json!(source), &json!("House style"))
        );

        let _applied = apply(env, &space, &body).await.expect(201);
        let texts = pages(env, &space).await;
        assert_eq!(named(&texts), ["a", "b"]);
        assert_eq!(texts[0].1, "# A\n\nMore.\n", "the line with the place is left out");
        // The placeholder is filled with a page of the space.
        let call = env.client.call("getPageByPath").path("spaceId", &space);
        let help = call.path("pagePath", "b").send().await.expect(200);
        let with = |name: &str, page: &str| {
            let to = json!({ "kind": "page", "page": page });
            json!({ "id": source, "params": { "contentRefs": { name: to } } })
        };
        let _filled = apply(env, &space, &with("help", help.text_at("/id"))).await.expect(201);
        let texts = pages(env, &space).await;
        assert_eq!(named(&texts), ["a", "b", "a-1", "b-1"]);
        assert!(texts[2].1.contains("See [b](b-1) and [help](b)."), "{:?}", texts[2]);
        for (body, told) in [
            (with("other", help.text_at("/id")), "allowed: help"),
            (with("help", "00000000000000000000"), "/params/contentRefs/help"),
        ] {
            let refused = apply(env, &space, &body).await.expect(400);
            assert!(refused.message().contains(told), "{refused}");
        }
        assert_eq!(pages(env, &space).await.len(), 4);

        only_readers_apply_a_template(env, &source, &space, &body).await;

        let _unmarked = mark(false).await.expect(200);
        let _gone = apply(env, &space, &body).await.expect(404);
    });
}

/// Closes the template to members, and tries to apply it as one of them.
async fn only_readers_apply_a_template(env: &TestEnv, source: &str, space: &str, body: &Value) {
    // A template can be applied only by users who can read it.
    let level = env.client.call("updateSpaceById").path("spaceId", source);
    let _closed = level.json(&json!({ "defaultLevel": null, "title": "x" })).send().await;
    let editor = env.person("editor@example.com", Some("edit")).await;
    let call = editor.call("applyTemplateToSpace").path("spaceId", space);
    let refused = call.json(body).send().await.expect(404);
    assert!(refused.message().contains("template"), "{refused}");
    let list = editor.call("listTemplates").send().await.expect(200);
    assert!(!list.text().contains(source), "{list}");
    let call = editor.call("applyTemplateToSpace").path("spaceId", space);
    let _own = call.json(&json!({ "id": "blank" })).send().await.expect(201);
}

#[test]
fn invalid_templates_are_rejected() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Plain").await;
        let before = env.of_space("getSpaceById", &space).await.expect(200);
        for (body, status, told) in [
            (json!({ "id": "no-such" }), 404, "/id"),
            (json!({ "id": "00000000000000000000" }), 404, "/id"),
            (json!({}), 400, "id"),
            (json!({ "id": "blank", "changeRequestId": "99" }), 404, "/changeRequestId"),
            (json!({ "id": "blank", "changeRequestId": "%" }), 404, "/changeRequestId"),
            (
                json!({ "id": "blank", "params": { "contentRefs": {
                    "x": { "kind": "url", "url": "https://x.example" },
                } } }),
                400,
                "allowed: none",
            ),
        ] {
            let refused = apply(env, &space, &body).await.expect(status);
            assert!(refused.message().contains(told), "{body}: {refused}");
        }
        let stale = env.client.call("applyTemplateToSpace").path("spaceId", &space);
        let stale = stale.header("if-match", "\"00000000000000000000\"");
        let _stale = stale.json(&json!({ "id": "blank" })).send().await.expect(412);
        let after = env.of_space("getSpaceById", &space).await.expect(200);
        assert_eq!(after.text_at("/revision"), before.text_at("/revision"));
    });
}
