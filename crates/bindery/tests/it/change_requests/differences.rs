//! Differences block by block: as JSON, as HTML and as text.

use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::support::{TestEnv, each_engine};

/// Changes the main content. Returns the new revision and the response.
async fn change(client: &Client, space: &str, changes: Value) -> (String, Answer) {
    let call = client.call("updateSpaceContent").path("spaceId", space);
    let changed = call.json(&json!({ "changes": changes })).send().await.expect(200);
    (changed.text_at("/revision").to_owned(), changed)
}

fn insert(title: &str, markdown: &str) -> Value {
    json!({ "operation": "insert_page", "title": title, "document": { "markdown": markdown } })
}

fn rewrite(page: &str, markdown: &str) -> Value {
    json!({ "operation": "update_page", "page": page, "document": { "markdown": markdown } })
}

async fn compare(
    client: &Client,
    (space, page): (&str, &str),
    (from, to): (&str, &str),
    format: &str,
) -> Answer {
    let call = client.call("comparePage").path("spaceId", space).path("pageId", page);
    call.query("from", from).query("to", to).query("format", format).send().await
}

#[test]
fn a_page_is_compared_between_revisions() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Compared").await;
        let client = &env.client;
        let text = "Hello you.\n\n- one a b\n- two a b\n\nThe end of it.\n";
        let (first, made) = change(client, &space, json!([insert("Page", text)])).await;
        let page = made.text_at("/changes/0/page/id").to_owned();
        let text = "Hello **you** there.\n\n- one a b\n- two c b\n\n<script>x</script>\n";
        let edit = json!([
            rewrite(&page, text),
            { "operation": "update_page", "page": page, "title": "Title" },
        ]);
        let (second, _) = change(client, &space, edit).await;
        let at = (space.as_str(), page.as_str());

        let json = compare(client, at, (&first, &second), "json").await.expect(200);
        assert_eq!(json.text_at("/kind"), "page");
        assert_eq!(json.text_at("/change"), "edited");
        assert_eq!(json.text_at("/title"), "Title");
        assert_eq!(
            json.at("/attributes/0"),
            &json!({ "name": "title", "before": "Page", "after": "Title" })
        );
        let document = json.at("/document");
        assert_eq!(document["blocks"][0]["change"], "edited");
        let runs = document["blocks"][0]["text"].as_array().unwrap();
        let inserted = |run: &&Value| run["change"] == "inserted";
        assert_eq!(runs.iter().find(inserted).unwrap()["text"], " there");
        assert_eq!(document["blocks"][1]["type"], "list-unordered");
        assert_eq!(document["blocks"][1]["parts"][0]["type"], "list-item");
        assert_eq!(document["deleted"], 1);

        let shown = compare(client, at, (&first, &second), "html").await.expect(200);
        assert_eq!(shown.header("content-type"), "text/html; charset=utf-8");
        assert!(shown.header("content-security-policy").contains("sandbox"), "{shown}");
        let html = shown.text();
        assert!(html.starts_with("<!DOCTYPE html>"), "{html}");
        assert!(html.contains("<ins> there</ins>"), "{html}");
        assert!(html.contains("<del>Page</del> <ins>Title</ins>"), "{html}");
        assert!(!html.contains("<script"), "{html}");

        let told = compare(client, at, (&first, &second), "text").await.expect(200);
        assert_eq!(told.header("content-type"), "text/plain; charset=utf-8");
        let told = told.text();
        assert!(told.starts_with("edited page: Title (page)\n"), "{told}");
        assert!(told.contains("  title: [-Page-] {+Title+}\n"), "{told}");
        assert!(told.contains("~ Hello you{+ there+}.\n"), "{told}");
        assert!(told.contains("two [-a-]{+c+} b\n"), "{told}");

        // In the other direction, and of a revision with itself.
        let back = compare(client, at, (&second, &first), "text").await.expect(200);
        assert!(back.text().contains("~ Hello you[- there-].\n"), "{back}");
        let same = compare(client, at, (&second, &second), "json").await.expect(200);
        assert_eq!(same.text_at("/change"), "same");
        assert!(same.json.get("document").is_none(), "{same}");

        missing_pages_and_revisions_are_named(env, &space, &page, &first, &second).await;
    });
}

/// Compares revisions of which one or both do not have the page or the space.
async fn missing_pages_and_revisions_are_named(
    env: &TestEnv,
    space: &str,
    page: &str,
    first: &str,
    second: &str,
) {
    let client = &env.client;
    let at = (space, page);
    // A page that exists in one revision only, and a page that exists in neither.
    let gone = json!([{ "operation": "delete_page", "page": page }]);
    let (third, _) = change(client, space, gone).await;
    let deleted = compare(client, at, (second, &third), "json").await.expect(200);
    assert_eq!(deleted.text_at("/change"), "deleted");
    let created = compare(client, at, (&third, second), "json").await.expect(200);
    assert_eq!(created.text_at("/change"), "created");
    let none = compare(client, at, (&third, &third), "json").await.expect(404);
    assert!(none.message().contains("page"), "{none}");
    let unknown = compare(client, at, (first, "00000000000000000000"), "json").await;
    assert!(unknown.expect(404).message().contains("\"to\""));
    let other = env.space("Other").await;
    let theirs = env.of_space("getSpaceById", &other).await.expect(200);
    let theirs = theirs.text_at("/revision").to_owned();
    let elsewhere = compare(client, at, (&theirs, second), "json").await.expect(404);
    assert!(elsewhere.message().contains("\"from\""), "{elsewhere}");
    let odd = compare(client, at, (first, second), "pdf").await.expect(400);
    assert!(odd.message().contains("format") && odd.message().contains("html"), "{odd}");
}

#[test]
fn a_change_request_is_compared_page_by_page() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Proposed").await;
        let client = &env.client;
        let pages = json!([
            insert("Alpha", "One of all.\n"),
            insert("Beta", "Two of all.\n"),
            insert("Gamma", "Three of all.\n"),
            insert("Delta", "Four of all.\n"),
        ]);
        let (_, made) = change(client, &space, pages).await;
        let id = |index: usize| made.text_at(&format!("/changes/{index}/page/id")).to_owned();
        let [alpha, beta, gamma, delta] = [id(0), id(1), id(2), id(3)];
        let call = client.call("createChangeRequest").path("spaceId", &space);
        let made = call.json(&json!({ "subject": "Better" })).send().await.expect(201);
        let request = made.text_at("/id").to_owned();
        let of_request = |operation: &str| {
            let call = client.call(operation).path("spaceId", &space);
            call.path("changeRequestId", &request)
        };
        let none = of_request("getChangeRequestDifferences").send().await.expect(200);
        assert_eq!(none.at("/count"), &json!(0));

        let changes = json!([
            rewrite(&alpha, "One of many.\n"),
            { "operation": "update_page", "page": beta, "into": alpha },
            { "operation": "delete_page", "page": gamma },
            insert("Epsilon", "Five, which is new.\n"),
        ]);
        let call = of_request("updateChangeRequestContent").query("compat", "false");
        let _changed = call.json(&json!({ "changes": changes })).send().await.expect(200);
        let now = of_request("getChangeRequestById").send().await.expect(200);
        let all = of_request("getChangeRequestDifferences").send().await.expect(200);
        assert_eq!(all.header("etag"), format!("\"{}\"", now.text_at("/revision")));
        let told: Vec<(&str, &str)> = all
            .at("/items")
            .as_array()
            .unwrap()
            .iter()
            .map(|item| (item["title"].as_str().unwrap(), item["change"].as_str().unwrap()))
            .collect();
        let expect =
            [("Alpha", "edited"), ("Beta", "moved"), ("Epsilon", "created"), ("Gamma", "deleted")];
        assert_eq!(told, expect);
        assert_eq!(all.at("/items/1/moved"), &json!({ "after": "alpha" }));
        assert_eq!(all.at("/count"), &json!(4));
        assert!(!all.at("/items").as_array().unwrap().iter().any(|item| item["id"] == *delta));

        formats_and_pages_agree(&all, &of_request).await;

        // After the merge, the response shows the changes as they were.
        let _merged = of_request("mergeChangeRequest").send().await.expect(200);
        let after = of_request("getChangeRequestDifferences").send().await.expect(200);
        assert_eq!(after.at("/items").as_array().unwrap(), all.at("/items").as_array().unwrap());
    });
}

/// Reads the list page by page, as text and as HTML.
async fn formats_and_pages_agree(all: &Answer, of_request: &impl Fn(&str) -> Call) {
    // Reading the list page by page gives the same differences in each format.
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let mut call = of_request("getChangeRequestDifferences").query("limit", 3);
        if let Some(cursor) = &cursor {
            call = call.query("page", cursor);
        }
        let page = call.send().await.expect(200);
        seen.extend(page.at("/items").as_array().unwrap().iter().cloned());
        match page.json.pointer("/next/page") {
            Some(next) => cursor = next.as_str().map(str::to_owned),
            None => break,
        }
    }
    assert_eq!(&seen, all.at("/items").as_array().unwrap());
    let form = async |format: &str, limit: usize| {
        let call = of_request("getChangeRequestDifferences").query("format", format);
        call.query("limit", limit).send().await.expect(200)
    };
    let text = form("text", 50).await;
    assert!(text.text().starts_with("#1 Better\n\nedited page: Alpha (alpha)\n"), "{text}");
    assert!(text.text().contains("moved page: Beta (alpha/beta)\n  under: [-/-] {+alpha+}\n"));
    assert!(text.text().contains("+ Five, which is new.\n"), "{text}");
    assert!(text.text().contains("- Three of all.\n"), "{text}");
    assert!(form("text", 1).await.text().ends_with("\n3 more\n"));
    let html = form("html", 50).await;
    assert_eq!(html.text().matches("<article").count(), 4, "{html}");
    assert!(!html.text().contains("rel=\"next\""), "{html}");
    assert!(form("html", 1).await.text().contains("rel=\"next\" href=\"?format=html&amp;limit=1"));
}
