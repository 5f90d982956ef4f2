//! Fields of a page beside its document: conditions, navigation titles and tags are in every
//! response with the page, and are kept by merges, reverts, copies and updates.

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::change_requests::Proposal;
use crate::support::{TestEnv, each_engine};

fn written() -> Value {
    json!({
        "operation": "insert_page", "title": "Plans", "linkTitle": "Our plans",
        "condition": "visitor.claims.plan == 'pro'",
        "tags": [{ "tag": "pricing", "primary": true }, { "tag": "sales" }],
        "document": { "markdown": "Text.\n" },
    })
}

#[track_caller]
fn has_all(answer: &Answer, page: &str) {
    let at = |field: &str| answer.json.pointer(&format!("{page}/{field}")).cloned();
    assert_eq!(at("linkTitle"), Some(json!("Our plans")), "{answer}");
    assert_eq!(at("condition"), Some(json!("visitor.claims.plan == 'pro'")), "{answer}");
    let tags = json!([{ "tag": "pricing", "primary": true }, { "tag": "sales" }]);
    assert_eq!(at("tags"), Some(tags), "{answer}");
}

async fn change(client: &Client, space: &str, changes: Value) -> Answer {
    let call = client.call("updateSpaceContent").path("spaceId", space);
    call.json(&json!({ "changes": changes })).send().await
}

#[test]
fn responses_contain_all_page_fields() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Told").await;
        let proposal = Proposal::new(&env.client, &space).await;
        let made = proposal.change(json!([written()])).await.expect(200);
        let page = made.text_at("/changes/0/page/id").to_owned();
        let of_proposal = |operation: &str| proposal.call(operation);
        has_all(
            &of_proposal("getRevisionOfChangeRequestById").send().await.expect(200),
            "/pages/0",
        );
        has_all(&of_proposal("listPagesInChangeRequest").send().await.expect(200), "/pages/0");
        let by_id = of_proposal("getPageInChangeRequestById").path("pageId", &page);
        has_all(&by_id.send().await.expect(200), "");
        let by_path = of_proposal("getPageInChangeRequestByPath").path("pagePath", "plans");
        has_all(&by_path.send().await.expect(200), "");

        // An update of another field keeps them, and a merge includes them.
        let other = json!([{ "operation": "update_page", "page": page, "description": "Told" }]);
        let _changed = proposal.change(other).await.expect(200);
        assert_eq!(proposal.merge().await.expect(200).text_at("/result"), "merge");
        let revision = env.of_space("getCurrentRevision", &space).await.expect(200);
        has_all(&revision, "/pages/0");
        has_all(&env.of_space("listPages", &space).await.expect(200), "/pages/0");
        let of_revision = |operation: &str| {
            let call = env.client.call(operation).path("spaceId", &space);
            call.path("revisionId", revision.text_at("/id"))
        };
        has_all(&of_revision("listPagesInRevisionById").send().await.expect(200), "/pages/0");
        for format in ["document", "markdown"] {
            let call = of_revision("getPageInRevisionById").path("pageId", &page);
            has_all(&call.query("format", format).send().await.expect(200), "");
        }

        // A copy has them, and a revert restores them.
        let copy = env.of_space("duplicateSpace", &space).await.expect(201);
        let copied = env.of_space("listPages", copy.text_at("/id")).await.expect(200);
        has_all(&copied, "/pages/0");
        let cleared = json!([{
            "operation": "update_page", "page": page, "linkTitle": "", "condition": "", "tags": [],
        }]);
        let _changed = change(&env.client, &space, cleared).await.expect(200);
        let listed = env.of_space("listPages", &space).await.expect(200);
        for field in ["linkTitle", "condition", "tags"] {
            assert_eq!(listed.json.pointer(&format!("/pages/0/{field}")), None, "{listed}");
        }
        let back = env.client.call("revertSpace").path("spaceId", &space);
        let back = back.json(&json!({ "revision": revision.text_at("/id") }));
        let _reverted = back.send().await.expect(200);
        has_all(&env.of_space("listPages", &space).await.expect(200), "/pages/0");
    });
}

#[test]
fn tags_of_front_matter_and_of_changes_agree() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Tagged").await;
        let front =
            "---\nif: space.vars.beta\ntags:\n  - tag: api\n    primary: true\n---\n\n# A\n";
        let pages = json!([
            { "operation": "insert_page", "document": { "markdown": front } },
            {
                "operation": "insert_page", "tags": [{ "tag": "kept" }],
                "document": { "markdown": "---\ndescription: B\n---\n\n# B\n" },
            },
        ]);
        let _made = change(&env.client, &space, pages).await.expect(200);
        let listed = env.of_space("listPages", &space).await.expect(200);
        assert_eq!(listed.at("/pages/0/tags"), &json!([{ "tag": "api", "primary": true }]));
        assert_eq!(listed.text_at("/pages/0/condition"), "space.vars.beta");
        assert_eq!(listed.at("/pages/1/tags"), &json!([{ "tag": "kept" }]));

        for (tags, told) in [
            (json!([{ "tag": "a" }, { "tag": "a" }]), "/changes/0/tags/1/tag"),
            (
                json!([{ "tag": "a", "primary": true }, { "tag": "b", "primary": true }]),
                "/changes/0/tags/1/primary",
            ),
            (json!([{ "tag": "" }]), "tag"),
            (json!(["a"]), "tags"),
        ] {
            let page = listed.text_at("/pages/0/id");
            let body = json!([{ "operation": "update_page", "page": page, "tags": tags }]);
            let refused = change(&env.client, &space, body).await.expect(400);
            assert!(refused.message().contains(told), "{refused}");
        }
    });
}

#[test]
fn unsupported_input_is_rejected() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Refused").await;
        let text = json!({ "markdown": "Text.\n" });
        let page = json!([{ "operation": "insert_page", "title": "A", "document": text }]);
        let made = change(&env.client, &space, page).await.expect(200);
        let page = made.text_at("/changes/0/page/id").to_owned();
        for (fields, told) in [
            (json!({ "layout": { "width": "wide" } }), "/changes/0/layout"),
            (json!({ "cover": {} }), "/changes/0/cover"),
            (json!({ "variables": { "a": 1 } }), "front matter"),
            (json!({ "document": { "text": "x" } }), "/changes/0/document"),
            (json!({ "document": { "markdown": 3 } }), "markdown"),
            (
                json!({ "document": { "markdown": "x", "document": { "object": "document" } } }),
                "or",
            ),
        ] {
            let mut body = fields;
            body["operation"] = json!("update_page");
            body["page"] = json!(page);
            let refused = change(&env.client, &space, json!([body])).await.expect(400);
            assert!(refused.message().contains(told), "{refused}");
        }
        let call = env.client.call("getPageById").path("spaceId", &space).path("pageId", &page);
        let read = call.query("format", "markdown").send().await.expect(200);
        assert_eq!(read.text_at("/markdown"), "# A\n\nText.\n");
        let empty = json!([{ "operation": "update_page", "page": page, "document": {} }]);
        let _emptied = change(&env.client, &space, empty).await.expect(200);
    });
}
