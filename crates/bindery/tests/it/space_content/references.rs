//! References in documents: each kind is stored, returned unchanged, and listed if the caller can
//! see its target. Also rich text that the dialect does not support.

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::content::{change, insert};
use crate::support::links::told;
use crate::support::openapi::{PETSTORE, put_source};
use crate::support::{TestEnv, each_engine};

/// Returns a document of one paragraph with these links.
fn linking(targets: &[Value]) -> Value {
    let links: Vec<Value> = targets
        .iter()
        .map(|target| {
            json!({
                "object": "inline", "type": "link", "data": { "ref": target },
                "nodes": [{ "object": "text", "leaves": [{ "object": "leaf", "text": "x", "marks": [] }] }]
            })
        })
        .collect();
    let paragraph = json!({ "object": "block", "type": "paragraph", "nodes": links });
    json!({ "object": "document", "data": {}, "nodes": [paragraph] })
}

/// Returns the targets of the links of a page in order.
async fn targets(client: &Client, space: &str, page: &str) -> Vec<Value> {
    let call = client.call("getPageById").path("spaceId", space).path("pageId", page);
    let shown = call.query("format", "document").send().await.expect(200);
    let nodes = shown.at("/document/nodes/0/nodes").as_array().unwrap();
    nodes.iter().filter_map(|node| node.pointer("/data/ref").cloned()).collect()
}

#[test]
fn references_of_every_kind_are_preserved() {
    each_engine(async |env: &mut TestEnv| {
        let client = &env.client;
        let (own, other) = (env.space("Own").await, env.space("Other").await);
        let there = insert(client, &other, "There", "x").await;
        let here = insert(client, &own, "Here", "x").await;
        let make = client.call("createCollection").path("organizationId", &env.organization);
        let made = make.json(&json!({ "title": "Shelf" })).send().await.expect(201);
        let collection = made.text_at("/id").to_owned();
        let _spec = put_source(env, "pets", json!({ "text": PETSTORE })).await;
        let user = client.call("getAuthenticatedUser").send().await.expect(200);
        let person = user.text_at("/id").to_owned();
        let kinds = [
            json!({ "kind": "page", "page": there, "space": other }),
            json!({ "kind": "page", "page": here, "space": own }),
            json!({ "kind": "page", "page": here }),
            json!({ "kind": "anchor", "anchor": "a", "page": there, "space": other }),
            json!({ "kind": "anchor", "anchor": "a", "space": other }),
            json!({ "kind": "space", "space": other }),
            json!({ "kind": "space", "space": own }),
            json!({ "kind": "collection", "collection": collection }),
            json!({ "kind": "openapi", "spec": "pets" }),
            json!({ "kind": "user", "user": person }),
            json!({ "kind": "url", "url": "https://example.com/x" }),
        ];
        let insertion = json!({
            "operation": "insert_page", "title": "Links",
            "document": { "document": linking(&kinds) }
        });
        let made = change(client, &own, json!([insertion])).await;
        let page = made.text_at("/changes/0/page/id").to_owned();
        assert_eq!(targets(client, &own, &page).await, kinds);

        // Written as Markdown, and parsed from it again.
        let call = client.call("getPageById").path("spaceId", &own).path("pageId", &page);
        let shown = call.query("format", "markdown").send().await.expect(200);
        let again = insert(client, &own, "Again", shown.text_at("/markdown")).await;
        assert_eq!(targets(client, &own, &again).await, kinds);

        let name = user.text_at("/displayName");
        let mut expected = vec![
            "ok to page There: page Links in a block".to_owned(),
            "ok to page Here: page Links in a block".to_owned(),
            "ok to page Here: page Links in a block".to_owned(),
            "ok to page There#a: page Links in a block".to_owned(),
            "ok to space Other: page Links in a block".to_owned(),
            "ok to space Other: page Links in a block".to_owned(),
            "ok to space Own: page Links in a block".to_owned(),
            "ok to collection Shelf: page Links in a block".to_owned(),
            "ok to openapi pets: page Links in a block".to_owned(),
            format!("ok to user {name}: page Links in a block"),
            "ok to url https://example.com/x: page Links in a block".to_owned(),
        ];
        expected.sort();
        assert_eq!(links(client, &own, &page).await, expected);

        hidden_targets_are_not_named(env, &own, &other, &page, &collection, &kinds).await;
    });
}

/// Reads the page as a user who sees neither the other space nor the collection.
async fn hidden_targets_are_not_named(
    env: &TestEnv,
    own: &str,
    other: &str,
    page: &str,
    collection: &str,
    kinds: &[Value],
) {
    let client = &env.client;
    // A user who sees neither the other space nor the collection.
    let closed = json!({ "defaultLevel": null });
    let call = client.call("updateSpaceById").path("spaceId", other);
    let _closed = call.json(&closed).send().await.expect(200);
    let call = client.call("updateCollectionById").path("collectionId", collection);
    let _closed = call.json(&closed).send().await.expect(200);
    let reader = env.person("reader@example.com", Some("read")).await;
    let seen = links(&reader, own, page).await;
    let hidden = ["There", "space Other", "Shelf"];
    assert!(!seen.iter().any(|one| hidden.iter().any(|name| one.contains(name))), "{seen:?}");
    assert_eq!(seen.iter().filter(|one| one.starts_with("in-app to url")).count(), 5, "{seen:?}");
    assert_eq!(targets(&reader, own, page).await, kinds);
}

/// Returns the links of a page that a caller sees.
async fn links(client: &Client, space: &str, page: &str) -> Vec<String> {
    let call = client.call("listPageLinksInSpace").path("spaceId", space);
    told(&call.path("pageId", page).send().await.expect(200))
}

#[test]
fn block_properties_are_kept_or_rejected() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Props").await;
        let send = async |data: Value| -> Answer {
            let block = json!({ "object": "block", "type": "integration", "data": data });
            let document = json!({ "object": "document", "data": {}, "nodes": [block] });
            let insertion = json!({
                "operation": "insert_page", "document": { "document": document }
            });
            let call = env.client.call("updateSpaceContent").path("spaceId", &space);
            let call = call.query("compat", "false");
            call.json(&json!({ "changes": [insertion] })).send().await
        };
        let of = |props: Value| json!({ "integration": "a", "block": "b", "props": props });
        for (props, place) in [
            (json!({ "n": 1 }), "/props/n"),
            (json!({ "o": { "a": [] } }), "/props/o"),
            (json!({ "t": true }), "/props/t"),
            (json!({ "a b": "x" }), "/props/a b"),
        ] {
            let refused = send(of(props)).await.expect(400);
            assert!(refused.message().contains(place), "{refused}");
        }
        for (data, props) in [
            (of(json!({ "content": "a\n\"b\"", "url": "https://x.y" })), None),
            (
                json!({ "integration": "a", "block": "b", "props": {}, "url": "https://x.y" }),
                Some(json!({ "url": "https://x.y" })),
            ),
        ] {
            let made = send(data.clone()).await.expect(200);
            let page = made.text_at("/changes/0/page/id").to_owned();
            let call = env.client.call("getPageById").path("spaceId", &space);
            let call = call.path("pageId", &page).query("format", "document");
            let shown = call.send().await.expect(200);
            let props = props.unwrap_or_else(|| data["props"].clone());
            assert_eq!(shown.at("/document/nodes/0/data/props"), &props);
        }
    });
}

#[test]
fn rich_text_keeps_unknown_properties() {
    each_engine(async |env: &mut TestEnv| {
        let document = json!({
            "object": "document",
            "data": { "schemaVersion": 2, "theme": { "dark": true } },
            "nodes": [{
                "object": "block", "type": "paragraph", "key": "my own key", "isVoid": false,
                "data": { "align": "center", "mood": ["a", 1] },
                "nodes": [{ "object": "text", "leaves": [{ "object": "leaf", "text": "x", "marks": [] }] }]
            }]
        });
        let check = |given: &Value| {
            for pointer in ["/data", "/nodes/0/key", "/nodes/0/data"] {
                assert_eq!(given.pointer(pointer), document.pointer(pointer), "{pointer}: {given}");
            }
        };
        let organization =
            |operation: &str| env.client.call(operation).path("organizationId", &env.organization);
        let call = organization("updateOrganizationAgentInstructions");
        let put = call.json(&json!({ "instructions": document })).send().await.expect(200);
        check(put.at("/instructions"));
        let got = organization("getOrganizationAgentInstructions").send().await.expect(200);
        check(got.at("/instructions"));

        let space = env.space("Talked about").await;
        let of_space = |operation: &str| env.client.call(operation).path("spaceId", &space);
        let made = of_space("createChangeRequest").json(&json!({ "subject": "S" }));
        let proposal = made.send().await.expect(201).text_at("/id").to_owned();
        let of_proposal = |operation: &str| of_space(operation).path("changeRequestId", &proposal);
        let call = of_proposal("updateChangeRequestById");
        let described = call.json(&json!({ "description": document })).send().await.expect(200);
        check(described.at("/description"));

        let body = json!({ "body": { "document": document } });
        let posted = of_space("postCommentInSpace").json(&body).send().await.expect(200);
        let call = of_space("getCommentInSpace").path("commentId", posted.text_at("/id"));
        let shown = call.query("format", "document").send().await.expect(200);
        check(shown.at("/body/document"));
    });
}
