//! Groups and links of the page tree, layouts, covers and uploaded files of a change request.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bindery_testkit::Answer;
use serde_json::{Value, json};

use crate::support::change_requests::Proposal;
use crate::support::{TestEnv, each_engine};

impl Proposal<'_> {
    async fn insert(&self, body: Value) -> Answer {
        self.call("insertChangeRequestPage").json(&body).send().await
    }

    async fn look(&self, page: &str, body: Value) -> Answer {
        self.call("updateChangeRequestPage").path("pageId", page).json(&body).send().await
    }

    async fn upload(&self, body: Value) -> Answer {
        self.call("uploadChangeRequestFile").json(&body).send().await
    }
}

#[track_caller]
fn is_refused(answer: &Answer, status: u16, at: &str) {
    assert_eq!(answer.status, status, "{answer}");
    assert!(answer.text_at("/error/message").contains(at), "{answer}");
}

#[test]
fn groups_and_links_are_inserted_and_published() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Tree").await;
        let proposal = Proposal::new(&env.client, &space).await;
        let page = proposal.page("One", "Text.\n").await;
        let group = json!({ "type": "group", "title": "Deep things", "at": 0 });
        let group = proposal.insert(group).await.expect(200);
        assert_eq!(group.text_at("/page/slug"), "deep-things");
        let group = group.text_at("/page/id").to_owned();
        let target = json!({ "kind": "url", "url": "https://example.com/a" });
        let link = json!({ "type": "link", "title": "Out", "into": group, "target": target });
        let link = proposal.insert(link).await.expect(200);
        assert_eq!(link.at("/page/target"), &target);
        let inner = json!({ "kind": "page", "page": page });
        let other = json!({ "type": "link", "title": "In", "target": inner });
        let other = proposal.insert(other).await.expect(200);

        let _moved = proposal
            .change(json!([{ "operation": "update_page", "page": page, "into": group }]))
            .await
            .expect(200);
        let _merged = proposal.merge().await.expect(200);
        let pages = env.of_space("listPages", &space).await.expect(200);
        assert_eq!(pages.text_at("/pages/0/id"), group);
        assert_eq!(pages.text_at("/pages/0/type"), "group");
        assert_eq!(pages.text_at("/pages/0/pages/0/title"), "Out");
        assert_eq!(pages.text_at("/pages/0/pages/1/id"), page);
        assert_eq!(pages.text_at("/pages/1/id"), other.text_at("/page/id"));
        assert_eq!(pages.at("/pages/1/target"), &inner);
    });
}

#[test]
fn invalid_groups_and_links_are_refused_and_change_nothing() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Tree").await;
        let proposal = Proposal::new(&env.client, &space).await;
        let page = proposal.page("One", "Text.\n").await;
        let before = proposal.get("listPagesInChangeRequest").await;
        let url = |url: &str| json!({ "kind": "url", "url": url });
        let absent = "00000000000000000000";
        for (body, status, at) in [
            (json!({ "type": "link", "title": "A" }), 400, "/target"),
            (
                json!({ "type": "group", "title": "A", "target": url("https://a.example") }),
                400,
                "/target",
            ),
            (json!({ "type": "group", "title": "A", "into": page }), 400, "/into"),
            (json!({ "type": "group", "title": "A", "into": absent }), 404, "/into"),
            (json!({ "type": "group", "title": " " }), 400, "/title"),
            (json!({ "type": "page", "title": "A" }), 400, "/type"),
            (
                json!({ "type": "link", "title": "A", "target": url("javascript:alert(1)") }),
                400,
                "/target/url",
            ),
            (json!({ "type": "link", "title": "A", "target": url("a b") }), 400, "/target/url"),
            (
                json!({ "type": "link", "title": "A", "target": { "kind": "page", "page": absent } }),
                404,
                "/target/page",
            ),
            (
                json!({ "type": "link", "title": "A", "target": { "kind": "file", "file": absent } }),
                404,
                "/target/file",
            ),
            (
                json!({ "type": "link", "title": "A", "target": { "kind": "page", "page": page, "space": absent } }),
                400,
                "/target/space",
            ),
        ] {
            is_refused(&proposal.insert(body).await, status, at);
        }
        assert_eq!(proposal.get("listPagesInChangeRequest").await.json, before.json);
        let old = proposal.call("insertChangeRequestPage").header("If-Match", "\"old\"");
        let group = json!({ "type": "group", "title": "A" });
        assert_eq!(old.json(&group).send().await.status, 412);
        let _archived = proposal
            .call("updateChangeRequestById")
            .json(&json!({ "status": "archived" }))
            .send()
            .await
            .expect(200);
        assert_eq!(proposal.insert(group).await.status, 409);
    });
}

#[test]
fn a_look_changes_beside_the_text() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Looks").await;
        let proposal = Proposal::new(&env.client, &space).await;
        let page = proposal.page("One", "Text *here*.\n").await;
        let layout = json!({ "width": "wide", "outline": false });
        let cover =
            json!({ "ref": { "kind": "url", "url": "https://example.com/a.png" }, "yPos": 12 });
        let changed = proposal.look(&page, json!({ "layout": layout, "cover": cover })).await;
        let changed = changed.expect(200);
        assert_eq!(changed.text_at("/page/layout/width"), "wide");
        assert_eq!(changed.at("/page/layout/outline"), &json!(false));
        assert_eq!(changed.at("/page/layout/pagination"), &json!(true));
        assert_eq!(changed.text_at("/page/cover/ref/url"), "https://example.com/a.png");
        let text = proposal.markdown(&page).await;
        assert!(text.ends_with("Text *here*.\n"), "{text}");

        let removed = proposal.look(&page, json!({ "cover": null })).await.expect(200);
        assert_eq!(removed.json.pointer("/page/cover"), None);
        assert_eq!(removed.text_at("/page/layout/width"), "wide");
        for (body, status, at) in [
            (json!({}), 400, ""),
            (json!({ "layout": {} }), 400, "/layout"),
            (json!({ "layout": { "width": "broad" } }), 400, "/layout/width"),
            (json!({ "target": { "kind": "url", "url": "https://example.com" } }), 400, "/target"),
            (
                json!({ "cover": { "yPos": 0, "ref": { "kind": "file", "file": page } } }),
                404,
                "/cover/ref/file",
            ),
        ] {
            is_refused(&proposal.look(&page, body).await, status, at);
        }
        let group = proposal.insert(json!({ "type": "group", "title": "G" })).await.expect(200);
        let group = group.text_at("/page/id");
        is_refused(&proposal.look(group, json!({ "layout": layout })).await, 400, "/layout");
        assert_eq!(
            proposal.look("00000000000000000000", json!({ "cover": null })).await.status,
            404
        );
    });
}

#[test]
fn a_link_gets_another_target() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Links").await;
        let proposal = Proposal::new(&env.client, &space).await;
        let target = json!({ "kind": "url", "url": "https://example.com" });
        let link = json!({ "type": "link", "title": "Out", "target": target });
        let link = proposal.insert(link).await.expect(200);
        let link = link.text_at("/page/id");
        let target = json!({ "kind": "url", "url": "mailto:a@example.com" });
        let changed = proposal.look(link, json!({ "target": target })).await.expect(200);
        assert_eq!(changed.at("/page/target"), &target);
        is_refused(&proposal.look(link, json!({ "cover": null })).await, 400, "/cover");
    });
}

#[test]
fn a_file_of_several_megabytes_is_uploaded() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Files").await;
        let proposal = Proposal::new(&env.client, &space).await;
        let bytes: Vec<u8> = (0..3 << 20).map(|index: u32| index.to_le_bytes()[0]).collect();
        let file = json!({ "name": "a.bin", "base64": STANDARD.encode(&bytes) });
        let made = proposal.upload(file).await.expect(200);
        assert_eq!(made.at("/file/size"), &json!(bytes.len()));
        let listed = proposal.get("listFilesInChangeRequestById").await;
        assert_eq!(listed.text_at("/items/0/id"), made.text_at("/file/id"));

        let large = "A".repeat((25 << 20) / 3 * 4 + 8);
        is_refused(&proposal.upload(json!({ "name": "a", "base64": large })).await, 400, "/base64");
        is_refused(&proposal.upload(json!({ "name": "a", "base64": "?" })).await, 400, "/base64");
        is_refused(
            &proposal.upload(json!({ "name": "../a", "base64": "YQ==" })).await,
            400,
            "/name",
        );
        let listed = proposal.get("listFilesInChangeRequestById").await;
        assert_eq!(listed.at("/count"), &json!(1));
    });
}

#[test]
fn the_address_and_the_file_of_a_new_page_follow_its_title() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Tree").await;
        let proposal = Proposal::new(&env.client, &space).await;
        let page = proposal.page("Untitled", "Text.\n").await;
        let rename = |title: &str| json!([{ "operation": "update_page", "page": page, "title": title, "slug": "" }]);
        let _renamed = proposal.change(rename("First steps")).await.expect(200);
        let pages = proposal.get("listPagesInChangeRequest").await;
        assert_eq!(pages.text_at("/pages/0/slug"), "first-steps");
        // Links name the files of pages.
        let other = proposal.page("Other", "[a](first-steps.md) [b](untitled.md)\n").await;
        let call = proposal.call("getPageInChangeRequestById").path("pageId", &other);
        let shown = call.query("format", "document").send().await.expect(200);
        let links = shown.at("/document/nodes/0/nodes").as_array().unwrap();
        let kinds: Vec<_> =
            links.iter().filter_map(|node| node.pointer("/data/ref/kind")).collect();
        assert_eq!(kinds, [&json!("page"), &json!("url")], "{shown}");

        let _merged = proposal.merge().await.expect(200);
        let by_path = async |path: &str| {
            let call = env.client.call("getPageByPath").path("spaceId", &space);
            call.path("pagePath", path).send().await.status
        };
        assert_eq!((by_path("first-steps").await, by_path("untitled").await), (200, 404));

        // The file of a page in the main content keeps its name.
        let later = Proposal::new(&env.client, &space).await;
        let _renamed = later.change(rename("Later")).await.expect(200);
        let last = later.page("Last", "[a](first-steps.md)\n").await;
        let call = later.call("getPageInChangeRequestById").path("pageId", &last);
        let shown = call.query("format", "document").send().await.expect(200);
        let link = shown.at("/document/nodes/0/nodes").as_array().unwrap();
        assert!(link.iter().any(|node| node.pointer("/data/ref/kind") == Some(&json!("page"))));
    });
}
