//! Warnings about broken links in responses to writes.

use bindery_testkit::Answer;
use serde_json::{Value, json};

use crate::support::change_requests::Proposal;
use crate::support::{TestEnv, each_engine};

const TEXT: &str = "[none](./none.md) [two](./two.md#nowhere) [out](https://example.com)\n\n\
    > [lost](/pages/aaaaaaaaaaaaaaaaaaaa)\n\n![p](missing.png)\n\n[fine](./two.md)\n";

#[track_caller]
fn check(answer: &Answer, page: &str) {
    let warnings = answer.at("/warnings").as_array().unwrap();
    let shown: Vec<(&str, Value)> =
        warnings.iter().map(|one| (one["url"].as_str().unwrap(), one["text"].clone())).collect();
    assert_eq!(shown.len(), 4, "{answer}");
    assert_eq!(shown[0], ("./none.md", json!("none")));
    assert_eq!(shown[1], ("./two.md#nowhere", json!("two")));
    assert_eq!(shown[2].1, json!("lost"));
    assert_eq!(shown[3], ("missing.png", Value::Null));
    for warning in warnings {
        assert_eq!(warning["type"], "broken-link");
        assert_eq!(warning["page"], page);
        assert!(warning["message"].as_str().unwrap().contains("does not exist"));
        assert!(!warning["block"].as_str().unwrap().is_empty());
    }
}

#[test]
fn writes_warn_about_broken_links() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Warned").await;
        let changes = json!([
            { "operation": "insert_page", "title": "One", "document": { "markdown": TEXT } },
            { "operation": "insert_page", "title": "Two", "ref": "two", "document": { "markdown": "x\n" } },
        ]);
        let call = env.client.call("updateSpaceContent").path("spaceId", &space);
        let written = call.json(&json!({ "changes": changes })).send().await.expect(200);
        let page = written.text_at("/changes/0/page/id").to_owned();
        check(&written, &page);
        // The block named in the warning belongs to the page's document.
        let read = env.client.call("getPageById").path("spaceId", &space).path("pageId", &page);
        let document = read.send().await.expect(200).at("/document").to_string();
        for warning in written.at("/warnings").as_array().unwrap() {
            assert!(document.contains(warning["block"].as_str().unwrap()), "{warning}");
        }

        // The same text in a change request, in both forms of the response.
        let proposal = Proposal::new(&env.client, &space).await;
        for compat in ["true", "false"] {
            let change = json!([{
                "operation": "update_page", "page": page, "document": { "markdown": TEXT },
            }]);
            let call = proposal.call("updateChangeRequestContent").query("compat", compat);
            check(&call.json(&json!({ "changes": change })).send().await.expect(200), &page);
        }
        // Changes of other pages do not repeat the warnings, and a corrected text has none.
        let title = json!([{ "operation": "update_page", "page": page, "title": "Uno" }]);
        assert_eq!(proposal.change(title).await.expect(200).json.get("warnings"), None);
        let mended = json!([{
            "operation": "update_page", "page": page, "document": { "markdown": "[fine](two)\n" },
        }]);
        assert_eq!(proposal.change(mended).await.expect(200).json.get("warnings"), None);
    });
}
