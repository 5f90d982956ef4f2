//! Change requests through the API: written, read, updated, merged and rejected.

use bindery_testkit::Answer;
use serde_json::{Value, json};

use crate::support::change_requests::Proposal;
use crate::support::{self, TestEnv, each_engine, pages};

async fn main_markdown(env: &TestEnv, space: &str, page: &str) -> String {
    let call = env.client.call("getPageById").path("spaceId", space).path("pageId", page);
    let answer = call.query("format", "markdown").send().await.expect(200);
    answer.text_at("/markdown").to_owned()
}

#[test]
fn a_change_request_from_draft_to_main_content() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Written").await;
        let before = env.of_space("getSpaceById", &space).await.expect(200);
        assert_eq!(before.at("/changeRequests"), &json!(0));
        let proposal = Proposal::new(&env.client, &space).await;
        let made = proposal.get("getChangeRequestById").await;
        assert_eq!(made.at("/number"), &json!(1));
        assert_eq!(made.text_at("/status"), "draft");
        assert_eq!(made.text_at("/revision"), before.text_at("/revision"));
        assert_eq!(made.text_at("/revisionInitial"), before.text_at("/revision"));
        assert_eq!(made.at("/outdated"), &json!(false));

        let page = proposal.page("First", "Hello *you*.\n\n- a\n- b\n").await;
        assert_eq!(proposal.markdown(&page).await, "# First\n\nHello *you*.\n\n- a\n- b\n");
        let changed = proposal.get("getChangeRequestById").await;
        assert_ne!(changed.text_at("/revision"), made.text_at("/revision"));
        // The main content does not have the page.
        let call = env.client.call("getPageById").path("spaceId", &space);
        let _none = call.path("pageId", &page).send().await.expect(404);
        let counted = env.of_space("getSpaceById", &space).await.expect(200);
        assert_eq!(counted.at("/changeRequests"), &json!(1));
        assert_eq!(counted.at("/changeRequestsDraft"), &json!(1));
        assert_eq!(counted.at("/changeRequestsOpen"), &json!(0));

        let open = proposal.call("updateChangeRequestById").json(&json!({ "status": "open" }));
        assert_eq!(open.send().await.expect(200).text_at("/status"), "open");
        let listed = env.of_space("listChangeRequestsForSpace", &space).await.expect(200);
        assert_eq!(listed.text_at("/items/0/id"), proposal.id);

        let merged = proposal.merge().await.expect(200);
        assert_eq!(merged.text_at("/result"), "merge");
        let after = proposal.get("getChangeRequestById").await;
        assert_eq!(after.text_at("/status"), "merged");
        assert_eq!(after.text_at("/revisionMerged"), merged.text_at("/revision"));
        let main = env.of_space("getCurrentRevision", &space).await.expect(200);
        assert_eq!(main.text_at("/id"), merged.text_at("/revision"));
        assert_eq!(main.text_at("/type"), "merge");
        assert_eq!(main.text_at("/mergedFrom/id"), proposal.id);
        assert_eq!(main.text_at("/pages/0/path"), "first");
        assert_eq!(
            main_markdown(env, &space, &page).await,
            "# First\n\nHello *you*.\n\n- a\n- b\n"
        );
        let counted = env.of_space("getSpaceById", &space).await.expect(200);
        assert_eq!(counted.at("/changeRequests"), &json!(1));
        assert_eq!(counted.at("/changeRequestsOpen"), &json!(0));

        a_merged_change_request_is_final(&proposal, &page).await;
    });
}

/// Changes a merged change request: only its subject can be set.
async fn a_merged_change_request_is_final(proposal: &Proposal<'_>, page: &str) {
    // A merged change request cannot be changed.
    let _again = proposal.merge().await.expect(409);
    let _update = proposal.update().await.expect(409);
    let reopen = proposal.call("updateChangeRequestById").json(&json!({ "status": "open" }));
    let _refused = reopen.send().await.expect(409);
    let change = json!([{ "operation": "delete_page", "page": page }]);
    let _refused = proposal.change(change).await.expect(409);
    let subject = proposal.call("updateChangeRequestById").json(&json!({ "subject": "Told" }));
    let told = subject.send().await.expect(200);
    assert_eq!(told.text_at("/subject"), "Told");
    let subject = proposal.call("updateChangeRequestById").json(&json!({ "subject": "Told" }));
    assert_eq!(subject.send().await.expect(200).at("/updatedAt"), told.at("/updatedAt"));
}

#[test]
fn concurrent_edits_of_a_page_are_merged() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Shared").await;
        let first = Proposal::new(&env.client, &space).await;
        let text = "One two three.\n\nFour *five* six.\n\nSeven.\n";
        let page = first.page("Page", text).await;
        let _merged = first.merge().await.expect(200);

        let (ours, theirs) =
            (Proposal::new(&env.client, &space).await, Proposal::new(&env.client, &space).await);
        ours.set(&page, "One TWO three.\n\nFour *five* six.\n\nSeven.\n\nEight.\n").await;
        theirs.set(&page, "One two three!\n\nFour *five* six seven.\n\nSeven.\n").await;
        let _merged = theirs.merge().await.expect(200);
        assert_eq!(ours.get("getChangeRequestById").await.at("/outdated"), &json!(true));
        let merged = ours.merge().await.expect(200);
        assert_eq!(merged.text_at("/result"), "merge");
        assert_eq!(
            main_markdown(env, &space, &page).await,
            "# Page\n\nOne TWO three!\n\nFour *five* six seven.\n\nSeven.\n\nEight.\n"
        );

        // A conflict leaves the main content unchanged, and both versions are kept.
        let (ours, theirs) =
            (Proposal::new(&env.client, &space).await, Proposal::new(&env.client, &space).await);
        ours.set(&page, "One ours three!\n\nFour *five* six seven.\n\nSeven.\n\nEight.\n").await;
        theirs
            .set(&page, "One theirs three!\n\nFour *five* six seven.\n\nSeven.\n\nEight.\n")
            .await;
        let _merged = theirs.merge().await.expect(200);
        let head = env.of_space("getSpaceById", &space).await.text_at("/revision").to_owned();
        let stopped = ours.merge().await.expect(200);
        assert_eq!(stopped.text_at("/result"), "conflicts");
        let now = env.of_space("getSpaceById", &space).await.text_at("/revision").to_owned();
        assert_eq!(now, head);
        let proposal = ours.get("getChangeRequestById").await;
        assert_eq!(proposal.text_at("/revision"), stopped.text_at("/revision"));
        assert_eq!(proposal.text_at("/status"), "draft");
        for again in [ours.merge().await, ours.update().await] {
            let again = again.expect(200);
            assert_eq!(again.text_at("/result"), "conflicts");
            assert_eq!(again.text_at("/revision"), stopped.text_at("/revision"));
        }
        // An edit of the text resolves the conflict.
        ours.set(&page, "One both three!\n\nFour *five* six seven.\n\nSeven.\n\nEight.\n").await;
        assert_eq!(ours.merge().await.expect(200).text_at("/result"), "merge");
        assert!(main_markdown(env, &space, &page).await.contains("One both three!"));
    });
}

/// A picture of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

#[test]
fn links_within_a_batch_are_resolved() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Linked").await;
        let proposal = Proposal::new(&env.client, &space).await;
        let parent = proposal.page("Guides", "x\n").await;
        let changes = json!([
            {
                "operation": "insert_page", "into": parent, "ref": "one",
                "document": { "markdown": format!(
                    "---\ndescription: Told\n---\n\n# The *one*\n\n[two](./two.md#x) [up](/pages/{parent}) \
                     [slug](/pages/guides/two) [none](./none.md) [out](https://example.com)\n\n![p](./pic)\n"
                ) },
            },
            {
                "operation": "insert_page", "into": parent, "at": 0, "ref": "two", "title": "Two",
                "document": { "document": { "object": "document", "data": {}, "nodes": [{
                    "object": "block", "type": "paragraph", "isVoid": false, "data": {},
                    "nodes": [{ "object": "text", "leaves": [
                        { "object": "leaf", "text": "Second", "marks": [] }
                    ] }],
                }] } },
            },
            { "operation": "insert_files", "files": [
                { "ref": "pic", "name": "p.png", "contentType": "image/png", "base64": PNG },
            ] },
        ]);
        let made = proposal.change(changes).await.expect(200);
        assert_eq!(made.at("/changes").as_array().map(Vec::len), Some(2), "{made}");
        assert_eq!(made.text_at("/changes/0/object"), "created_page");
        assert_eq!(made.text_at("/changes/0/ref"), "one");
        let one = made.text_at("/changes/0/page/id").to_owned();
        let two = made.text_at("/changes/1/page/id").to_owned();
        let file = made.text_at("/insertedFiles/0/id").to_owned();
        assert_eq!(made.at("/insertedFiles/0/dimensions/width"), &json!(1));
        // The file can be downloaded before the merge.
        let download = made.text_at("/insertedFiles/0/downloadURL");
        let bytes = env.client.get(download, &[]).await.expect(200).body;
        assert!(bytes.starts_with(b"\x89PNG"));
        let unsigned = download.split_once('?').unwrap().0;
        assert_eq!(env.client.get(unsigned, &[]).await.status, 404);
        let pages = proposal.get("listPagesInChangeRequest").await;
        assert_eq!(pages.text_at("/pages/0/pages/0/id"), two, "{pages}");
        assert_eq!(pages.text_at("/pages/0/pages/1/title"), "The one");
        assert_eq!(pages.text_at("/pages/0/pages/1/description"), "Told");

        references_have_the_right_targets(env, &proposal, &one, &two, &parent, &file).await;
        front_matter_sets_fields(&proposal).await;

        let _merged = proposal.merge().await.expect(200);
        let path = env.client.call("getPageByPath").path("spaceId", &space);
        let found = path.path("pagePath", "guides/the-one").send().await.expect(200);
        assert_eq!(found.text_at("/id"), one);
    });
}

/// Checks the references of a page, in its document and as Markdown.
async fn references_have_the_right_targets(
    env: &TestEnv,
    proposal: &Proposal<'_>,
    one: &str,
    two: &str,
    parent: &str,
    file: &str,
) {
    let space = &proposal.space;
    let call = proposal.call("getPageInChangeRequestById").path("pageId", one);
    let page = call.send().await.expect(200);
    let text = page.at("/document").to_string();
    for id in [two, parent, file] {
        assert!(text.contains(id), "{id} in {text}");
    }
    let markdown = proposal.markdown(one).await;
    let picture = format!("![p]({}/~files/{space}/{file}?", env.server().address());
    for (target, expect) in [
        ("two", "[two](two#x)"),
        ("up", "[up](../guides)"),
        ("slug", "[slug](two)"),
        ("none", "[none](./none.md)"),
        ("out", "[out](https://example.com)"),
        ("p", &picture),
    ] {
        assert!(markdown.contains(expect), "{target}: {markdown}");
    }
}

/// Inserts a page with a front matter.
async fn front_matter_sets_fields(proposal: &Proposal<'_>) {
    // Front matter sets fields of the page; the `data:` address of an image is removed.
    let front = "---\nlayout:\n  width: wide\ncover: ./pic\nvars:\n  a: b\n---\n\n# Front\n\n\
                 ![x](data:image/png;base64,AAAA) `data:`\n";
    let text = json!([
        { "operation": "insert_page", "document": { "markdown": front } },
        { "operation": "insert_files", "files": [
            { "ref": "pic", "name": "p.png", "contentType": "image/png", "base64": PNG },
        ] },
    ]);
    let made = proposal.change(text).await.expect(200);
    let page = made.text_at("/changes/0/page/id").to_owned();
    let call = proposal.call("getPageInChangeRequestById").path("pageId", &page);
    let shown = call.send().await.expect(200);
    assert_eq!(shown.text_at("/layout/width"), "wide", "{shown}");
    assert_eq!(shown.at("/cover/ref/file"), made.at("/insertedFiles/0/id"));
    assert_eq!(shown.text_at("/variables/a"), "b");
    assert_eq!(proposal.markdown(&page).await, "# Front\n\n![x]() `data:`\n");
}

#[test]
fn a_batch_is_atomic_and_names_the_failed_change() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Refused").await;
        let other = env.space("Other").await;
        let proposal = Proposal::new(&env.client, &space).await;
        let top = proposal.page("Top", "x\n").await;
        let below = json!([{
            "operation": "insert_page", "into": top, "title": "Below", "document": {},
        }]);
        let below = proposal.change(below).await.expect(200);
        let below = below.text_at("/changes/0/page/id").to_owned();
        let before = proposal.get("getChangeRequestById").await.text_at("/revision").to_owned();

        let insert = insertion(json!({}));
        for (last, status, place) in failing_changes(&top, &below) {
            let answer = proposal.change(json!([insert, last])).await.expect(status);
            assert!(answer.message().contains(place), "{place}: {answer}");
        }
        let twice =
            json!([insertion(json!({ "ref": "same" })), insertion(json!({ "ref": "same" })),]);
        assert!(proposal.change(twice).await.expect(400).message().contains("/changes/1/ref"));
        let under_the_dead = json!([
            { "operation": "delete_page", "page": top }, insertion(json!({ "into": below })),
        ]);
        let answer = proposal.change(under_the_dead).await.expect(404);
        assert!(answer.message().contains("/changes/1/into"), "{answer}");
        for count in [0, 51] {
            let answer = proposal.change(Value::Array(vec![insert.clone(); count])).await;
            assert!(answer.expect(400).message().contains("/changes"));
        }
        let after = proposal.get("getChangeRequestById").await;
        assert_eq!(after.text_at("/revision"), before);

        // A space of another organization, and an outdated revision.
        let strange = Proposal { client: &env.client, space: other, id: proposal.id.clone() };
        let _unseen = strange.change(json!([insert])).await.expect(404);
        let stale = proposal.call("updateChangeRequestContent").header("If-Match", "\"old\"");
        let stale = stale.json(&json!({ "changes": [insert] })).send().await.expect(412);
        assert!(stale.message().contains(&before), "{stale}");
        let fresh = proposal.call("updateChangeRequestContent");
        let fresh = fresh.header("If-Match", &format!("\"{before}\""));
        let fresh = fresh.json(&json!({ "changes": [insert] })).send().await.expect(200);
        assert_eq!(fresh.text_at("/object"), "change-request");
        // The number can be used instead of the id.
        let number = Proposal { client: &env.client, space: space.clone(), id: "1".to_owned() };
        assert_eq!(number.get("getChangeRequestById").await.text_at("/id"), proposal.id);
    });
}

/// Returns changes that fail, each with the status and the position in the message.
fn failing_changes(top: &str, below: &str) -> [(Value, u16, &'static str); 22] {
    let update = |extra: Value| with(json!({ "operation": "update_page", "page": top }), extra);
    [
        (insertion(json!({ "title": "" })), 400, "/changes/1/title"),
        (insertion(json!({ "title": "t".repeat(300) })), 400, "/changes/1/title"),
        (insertion(json!({ "slug": "top" })), 409, "/changes/1/slug"),
        (insertion(json!({ "slug": "a/b" })), 400, "/changes/1/slug"),
        (insertion(json!({ "into": "nobody" })), 404, "/changes/1/into"),
        (insertion(json!({ "ref": "a", "emoji": "zz" })), 400, "/changes/1/emoji"),
        (insertion(json!({ "condition": "visitor.." })), 400, "/changes/1/condition"),
        (insertion(json!({ "ref": "top" })), 400, "/changes/1/ref"),
        (insertion(json!({ "ref": "../x" })), 400, "/changes/1/ref"),
        (
            insertion(json!({ "document": { "document": {
                "object": "document", "data": {}, "nodes": [{ "object": "block" }],
            } } })),
            400,
            "/changes/1/document/document/nodes/0",
        ),
        (update(json!({ "into": top })), 400, "/changes/1/into"),
        (update(json!({ "into": below })), 400, "/changes/1/into"),
        (json!({ "operation": "delete_page", "page": "nobody" }), 404, "/changes/1/page"),
        (
            json!({ "operation": "revert_page", "page": below, "revision": "none" }),
            404,
            "/changes/1/revision",
        ),
        (json!({ "operation": "revert_page", "page": below, "block": ["x"] }), 404, "/changes/1"),
        (json!({ "operation": "explode", "page": below }), 400, "/changes/1"),
        (insertion_of_file(json!({ "base64": "no base64!" })), 400, "/changes/1/files/0/base64"),
        (
            insertion_of_file(json!({ "base64": "R0lGODlhAQABAAAAACw=" })),
            400,
            "/changes/1/files/0/contentType",
        ),
        (insertion_of_file(json!({ "base64": "aGVsbG8=" })), 400, "/changes/1/files/0/contentType"),
        (
            insertion_of_file(json!({ "url": "http://127.0.0.1/x.png" })),
            400,
            "/changes/1/files/0/url",
        ),
        (insertion_of_file(json!({ "url": "file:///etc/passwd" })), 400, "/changes/1/files/0/url"),
        (
            insertion_of_file(json!({ "name": "../a", "base64": "aGVsbG8=" })),
            400,
            "/changes/1/files/0/name",
        ),
    ]
}

/// Returns an object with the fields of another one added.
fn with(mut object: Value, extra: Value) -> Value {
    object.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    object
}

/// Returns the change that inserts a page with these fields.
fn insertion(extra: Value) -> Value {
    with(json!({ "operation": "insert_page", "title": "New", "document": {} }), extra)
}

/// Returns the change that inserts a file with these fields.
fn insertion_of_file(extra: Value) -> Value {
    let file = with(json!({ "name": "a.png", "contentType": "image/png" }), extra);
    json!({ "operation": "insert_files", "files": [file] })
}

#[test]
fn moved_and_edited_pages_are_reverted() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Moved").await;
        let first = Proposal::new(&env.client, &space).await;
        let (a, b) =
            (first.page("A", "One.\n\nTwo.\n\nThree.\n").await, first.page("B", "b\n").await);
        let _merged = first.merge().await.expect(200);
        let proposal = Proposal::new(&env.client, &space).await;
        let document = proposal.call("getPageInChangeRequestById").path("pageId", &a);
        let document = document.send().await.expect(200);
        let second = document.text_at("/document/nodes/1/key").to_owned();

        let changes = json!([
            { "operation": "update_page", "page": a, "into": b, "title": "Again", "emoji": "1f680" },
            { "operation": "update_page", "page": a, "document": { "markdown": "Uno.\n\nDos.\n\nThree.\n" } },
        ]);
        let changed = proposal.change(changes).await.expect(200);
        assert_eq!(changed.at("/changes").as_array().map(Vec::len), Some(1));
        let pages = proposal.get("listPagesInChangeRequest").await;
        assert_eq!(pages.text_at("/pages/0/pages/0/title"), "Again", "{pages}");
        assert_eq!(pages.text_at("/pages/0/pages/0/emoji"), "1f680");

        // Revert one block, then the whole page.
        let block = json!([{ "operation": "revert_page", "page": a, "block": [second] }]);
        let _changed = proposal.change(block).await.expect(200);
        assert_eq!(proposal.markdown(&a).await, "# Again\n\nUno.\n\nTwo.\n\nThree.\n");
        let whole = json!([{ "operation": "revert_page", "page": a }]);
        let _changed = proposal.change(whole).await.expect(200);
        assert_eq!(proposal.markdown(&a).await, "# A\n\nOne.\n\nTwo.\n\nThree.\n");
        let pages = proposal.get("listPagesInChangeRequest").await;
        assert_eq!((pages.text_at("/pages/0/id"), pages.text_at("/pages/1/id")), (&*a, &*b));
        assert_eq!(pages.at("/pages/0").get("emoji"), None);
        // A change request without changes cannot be merged.
        let _nothing = proposal.merge().await.expect(409);

        let gone = json!([{ "operation": "delete_page", "page": a }]);
        assert_eq!(proposal.change(gone).await.expect(200).text_at("/changes/0/page"), a);
        let back = json!([{ "operation": "revert_page", "page": a }]);
        let _back = proposal.change(back).await.expect(200);
        assert_eq!(proposal.markdown(&a).await, "# A\n\nOne.\n\nTwo.\n\nThree.\n");
        let new = proposal.page("C", "c\n").await;
        let vanish = json!([{ "operation": "revert_page", "page": new }]);
        assert_eq!(
            proposal.change(vanish).await.expect(200).text_at("/changes/0/object"),
            "deleted_page"
        );
    });
}

#[test]
fn changes_are_listed_and_can_be_discarded() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Told").await;
        let first = Proposal::new(&env.client, &space).await;
        let (a, b) = (first.page("A", "One.\n").await, first.page("B", "b\n").await);
        let start = env.of_space("getSpaceById", &space).await.text_at("/revision").to_owned();
        let merged = first.merge().await.expect(200).text_at("/revision").to_owned();

        let proposal = Proposal::new(&env.client, &space).await;
        let changes = json!([
            { "operation": "update_page", "page": a, "title": "Again", "into": b, "hidden": true },
            { "operation": "update_page", "page": b, "document": { "markdown": "c\n" } },
            { "operation": "insert_page", "title": "C", "document": {} },
        ]);
        let _changed = proposal.change(changes).await.expect(200);
        let told = proposal.get("getChangeRequestChanges").await;
        changes_of_pages_are_listed(env, &proposal, &told, &a, &first, &merged).await;

        // The changes of one page are discarded, the others stay.
        let discard = proposal.call("discardChangeRequestPage").json(&json!({ "page": a }));
        let _discarded = discard.send().await.expect(200);
        let told = proposal.get("getChangeRequestChanges").await;
        assert_eq!(types(&told), [r#""page_created" "C""#, r#""page_edited" "B""#], "{told}");

        // The main content is changed directly and reverted.
        let live = |changes: Value| {
            let call = env.client.call("updateSpaceContent").path("spaceId", &space);
            call.json(&json!({ "changes": changes })).send()
        };
        let insert = json!({ "operation": "insert_page", "title": "Live", "document": {} });
        let made = live(json!([insert])).await.expect(200);
        assert_eq!(made.text_at("/changes/0/object"), "created_page");
        // A change without effect creates no revision.
        let page = made.text_at("/changes/0/page/id");
        let same = json!({ "operation": "update_page", "page": page, "title": "Live" });
        let same = live(json!([same])).await.expect(200);
        assert_eq!(same.text_at("/revision"), made.text_at("/revision"));
        let before = proposal.get("getChangeRequestById").await;
        let same = json!({ "operation": "update_page", "page": b, "title": "B" });
        let _same = proposal.change(json!([same])).await.expect(200);
        let after = proposal.get("getChangeRequestById").await;
        assert_eq!(after.text_at("/revision"), before.text_at("/revision"));
        assert_eq!(after.text_at("/updatedAt"), before.text_at("/updatedAt"));
        history_is_paged(env, &space, &made, &first, &start).await;
        let compared = env.client.call("compareRevisions").path("spaceId", &space);
        let compared = compared.query("from", &merged).query("to", made.text_at("/revision"));
        assert_eq!(types(&compared.send().await.expect(200)), [r#""page_created" "Live""#]);
        only_revisions_of_the_main_content_are_restored(env, &space, &merged, &proposal).await;
        let merged = proposal.merge().await.expect(200);
        assert_eq!(merged.text_at("/result"), "merge");
    });
}

/// Checks the list of changes of the open and of the merged change request.
async fn changes_of_pages_are_listed(
    env: &TestEnv,
    proposal: &Proposal<'_>,
    told: &Answer,
    a: &str,
    first: &Proposal<'_>,
    merged: &str,
) {
    assert_eq!(
        types(told),
        [
            r#""page_created" "C""#,
            r#""page_edited" "Again""#,
            r#""page_edited" "B""#,
            r#""page_moved" "Again""#,
        ]
    );
    let edited = told.at("/changes").as_array().unwrap().iter();
    let edited = edited
        .clone()
        .find(|change| change["type"] == "page_edited" && change["page"]["id"] == json!(a));
    let attributes = &edited.unwrap()["attributes"];
    assert_eq!(attributes["title"], json!({ "before": "A", "after": "Again" }));
    assert_eq!(attributes["hidden"], json!({ "before": false, "after": true }));
    let limited = proposal.call("getChangeRequestChanges").query("limit", 1).send().await;
    let limited = limited.expect(200);
    assert_eq!(limited.at("/more"), &json!(3), "{limited}");
    for limit in ["0", "1.5", "1001", "x"] {
        let call = proposal.call("getChangeRequestChanges").query("limit", limit);
        let _refused = call.send().await.expect(400);
    }
    let revision = env.client.call("getRevisionSemanticChanges").path("spaceId", &proposal.space);
    let revision = revision.path("revisionId", merged).send().await.expect(200);
    assert_eq!(types(&revision), [r#""page_created" "A""#, r#""page_created" "B""#]);
    assert_eq!(revision.text_at("/mergedFrom/id"), first.id);
}

/// Checks the history of a space after a merge and a direct change.
async fn history_is_paged(
    env: &TestEnv,
    space: &str,
    made: &Answer,
    first: &Proposal<'_>,
    start: &str,
) {
    let history = env.of_space("listSpaceHistory", space).await.expect(200);
    assert_eq!(history.at("/count"), &json!(3));
    assert_eq!(history.text_at("/items/0/revision"), made.text_at("/revision"));
    assert_eq!(history.text_at("/items/1/type"), "merge");
    assert_eq!(history.text_at("/items/1/mergedFrom/id"), first.id);
    assert_eq!(history.text_at("/items/2/revision"), start);
    let page = env.client.call("listSpaceHistory").path("spaceId", space);
    let page = page.query("limit", 2).send().await.expect(200);
    let next = page.text_at("/next/page").to_owned();
    let rest = env.client.call("listSpaceHistory").path("spaceId", space);
    let rest = rest.query("limit", 2).query("page", next).send().await.expect(200);
    assert_eq!(rest.text_at("/items/0/revision"), start);
}

/// Reverts a space to earlier, missing and foreign revisions.
async fn only_revisions_of_the_main_content_are_restored(
    env: &TestEnv,
    space: &str,
    merged: &str,
    proposal: &Proposal<'_>,
) {
    let revert = |revision: &str| {
        let call = env.client.call("revertSpace").path("spaceId", space);
        call.json(&json!({ "revision": revision })).send()
    };
    let back = revert(merged).await.expect(200).text_at("/revision").to_owned();
    let main = env.of_space("getCurrentRevision", space).await.expect(200);
    assert_eq!((main.text_at("/id"), main.text_at("/type")), (&*back, "rollback"));
    assert_eq!(main.at("/pages").as_array().map(Vec::len), Some(2));
    let _same = revert(merged).await.expect(409);
    let _missing = revert("nothing").await.expect(404);
    let proposed = proposal.get("getChangeRequestById").await.text_at("/revision").to_owned();
    let _strange = revert(&proposed).await.expect(409);
}

/// Returns the types of changes with the titles of their pages, sorted.
fn types(answer: &Answer) -> Vec<String> {
    let changes = answer.at("/changes").as_array().cloned().unwrap_or_default();
    let mut types: Vec<String> = changes
        .iter()
        .map(|change| format!("{} {}", change["type"], change["page"]["title"]))
        .collect();
    types.sort();
    types
}

#[test]
fn conflicts_are_shown_and_resolved() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Contested").await;
        let first = Proposal::new(&env.client, &space).await;
        let (a, b) = (first.page("A", "One.\n").await, first.page("B", "b\n").await);
        let _merged = first.merge().await.expect(200);
        let (ours, theirs) =
            (Proposal::new(&env.client, &space).await, Proposal::new(&env.client, &space).await);
        for (proposal, word) in [(&ours, "ours"), (&theirs, "theirs")] {
            let changes = json!([
                { "operation": "update_page", "page": a, "title": word,
                    "document": { "markdown": format!("One {word}.\n") } },
            ]);
            let _changed = proposal.change(changes).await.expect(200);
        }
        let gone = json!([{ "operation": "delete_page", "page": b }]);
        let _changed = theirs.change(gone).await.expect(200);
        ours.set(&b, "b and more\n").await;
        let _merged = theirs.merge().await.expect(200);
        let updated = ours.update().await.expect(200);
        assert_eq!(updated.text_at("/result"), "conflicts");
        let open = ours.get("listChangeRequestConflicts").await;
        assert_eq!(open.at("/count"), &json!(3), "{open}");
        let items = open.at("/items").as_array().unwrap().clone();
        let list = || ours.call("listChangeRequestConflicts").query("limit", 2);
        let mut paged = Vec::new();
        for page in pages(list).await {
            let found = support::items(&page);
            assert!((1..=2).contains(&found.len()), "{page}");
            paged.extend(found.iter().cloned());
        }
        assert_eq!(paged, items);
        let about = |about: &str| {
            items.iter().find(|item| item["about"] == about).unwrap_or_else(|| panic!("{about}"))
        };
        let title = about("attribute");
        assert_eq!(
            (&title["attribute"], &title["base"], &title["proposed"], &title["main"]),
            (&json!("title"), &json!("A"), &json!("ours"), &json!("theirs"))
        );
        let block = about("block");
        assert!(block["proposed"].to_string().contains("One ours."), "{block}");
        assert!(block["main"].to_string().contains("One theirs."), "{block}");
        let existence = about("existence");
        assert_eq!((&existence["page"], existence.get("main")), (&json!(b), None));

        conflicts_are_resolved_by_choice(env, &ours, block, &a, &b).await;
    });
}

/// Resolves one conflict with the main content and the others as proposed.
async fn conflicts_are_resolved_by_choice(
    env: &TestEnv,
    ours: &Proposal<'_>,
    block: &Value,
    a: &str,
    b: &str,
) {
    let resolve =
        async |body: Value| ours.call("resolveChangeRequestConflicts").json(&body).send().await;
    let _none = resolve(json!({ "choice": "main", "conflicts": [] })).await.expect(400);
    let body = json!({ "choice": "main", "conflicts": [block["id"]] });
    assert_eq!(resolve(body.clone()).await.expect(200).at("/conflicts"), &json!(2));
    assert_eq!(ours.markdown(a).await, "# ours\n\nOne theirs.\n");
    let _again = resolve(body).await.expect(404);
    let _unknown = resolve(json!({ "choice": "main", "conflicts": ["!"] })).await.expect(404);
    let _bad = resolve(json!({ "choice": "mine" })).await.expect(400);
    assert_eq!(ours.merge().await.expect(200).text_at("/result"), "conflicts");
    let done = resolve(json!({ "choice": "proposed" })).await.expect(200);
    assert_eq!(done.at("/conflicts"), &json!(0));
    let nothing = resolve(json!({ "choice": "main" })).await.expect(200);
    assert_eq!(nothing.text_at("/revision"), done.text_at("/revision"));
    assert_eq!(ours.merge().await.expect(200).text_at("/result"), "merge");
    assert_eq!(main_markdown(env, &ours.space, a).await, "# ours\n\nOne theirs.\n");
    assert_eq!(main_markdown(env, &ours.space, b).await, "# B\n\nb and more\n");
    let _late = resolve(json!({ "choice": "main" })).await.expect(409);
}
