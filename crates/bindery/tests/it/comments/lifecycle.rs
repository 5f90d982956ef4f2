//! Comments on spaces and change requests, their replies and reactions.

use std::collections::BTreeSet;

use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::comments::call;
use crate::support::change_requests::propose;
use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine};

/// A page with a block of each kind that can have comments.
const PAGE: &str = "The first words.\n\nThe second words.\n\n| Name | Age |\n| --- | --- |\n\
                    | Ada | 36 |\n| Bob | 7 |\n\n* an item\n";

/// The content that is commented on: the main content of a space, or a change request.
struct Place {
    space: String,
    change_request: Option<String>,
}

impl Place {
    /// Returns a call of an operation, given its name without the words for the kind of content.
    fn call(&self, client: &Client, operation: &str) -> Call {
        call(client, operation, &self.space, self.change_request.as_deref())
    }

    fn of_comment(&self, client: &Client, operation: &str, comment: &str) -> Call {
        self.call(client, operation).path("commentId", comment)
    }

    /// Posts a comment and returns its id.
    async fn post(&self, client: &Client, markdown: &str) -> String {
        let body = json!({ "body": { "markdown": markdown } });
        let posted = self.call(client, "postComment").json(&body).send().await.expect(200);
        posted.text_at("/id").to_owned()
    }

    /// Replies to a comment and returns the id of the reply.
    async fn reply(&self, client: &Client, comment: &str, markdown: &str) -> String {
        let body = json!({ "body": { "markdown": markdown } });
        let call = self.of_comment(client, "postCommentReply", comment).json(&body);
        call.send().await.expect(200).text_at("/id").to_owned()
    }

    async fn update(&self, client: &Client, comment: &str, patch: Value) -> Answer {
        self.of_comment(client, "updateComment", comment).json(&patch).send().await
    }

    async fn get(&self, client: &Client, comment: &str) -> Answer {
        self.of_comment(client, "getComment", comment).send().await
    }

    /// Returns the number of open comments that the space or change request reports.
    async fn open(&self, client: &Client) -> u64 {
        let call = match &self.change_request {
            None => client.call("getSpaceById").path("spaceId", &self.space),
            Some(id) => {
                let call = client.call("getChangeRequestById").path("spaceId", &self.space);
                call.path("changeRequestId", id)
            }
        };
        call.send().await.expect(200).at("/comments").as_u64().unwrap()
    }

    /// Returns all ids of a list, page by page, running `between` after each page.
    async fn all(&self, call: impl Fn() -> Call, between: impl AsyncFn()) -> Vec<String> {
        let (mut ids, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let call = call();
            let call = match &cursor {
                None => call,
                Some(cursor) => call.query("page", cursor),
            };
            let page = call.send().await.expect(200);
            let items = page.at("/items").as_array().unwrap();
            ids.extend(items.iter().map(|item| item["id"].as_str().unwrap().to_owned()));
            match page.json.pointer("/next/page").and_then(Value::as_str) {
                Some(next) => cursor = Some(next.to_owned()),
                None => return ids,
            }
            between().await;
        }
    }
}

/// A space with a page, and a change request of it with the same page.
struct Scene {
    main: Place,
    proposal: Place,
    page: String,
}

impl Scene {
    async fn new(env: &TestEnv) -> Self {
        let space = env.space("Discussed").await;
        let first = propose(&env.client, &space).await;
        let insert = json!({
            "operation": "insert_page", "title": "Page", "document": { "markdown": PAGE },
        });
        let made = edited(&env.client, &space, &first, insert).await;
        merge(&env.client, &space, &first).await;
        let second = propose(&env.client, &space).await;
        Self {
            main: Place { space: space.clone(), change_request: None },
            proposal: Place { space, change_request: Some(second) },
            page: made.text_at("/changes/0/page/id").to_owned(),
        }
    }

    fn places(&self) -> [&Place; 2] {
        [&self.main, &self.proposal]
    }

    /// Returns the document of the page in the main content.
    async fn document(&self, client: &Client) -> Value {
        let call = client.call("getPageById").path("spaceId", &self.main.space);
        let page = call.path("pageId", &self.page).send().await.expect(200);
        page.at("/document").clone()
    }
}

async fn edited(client: &Client, space: &str, proposal: &str, change: Value) -> Answer {
    let call = client.call("updateChangeRequestContent").path("spaceId", space);
    let call = call.path("changeRequestId", proposal).query("compat", "false");
    call.json(&json!({ "changes": [change] })).send().await.expect(200)
}

async fn merge(client: &Client, space: &str, proposal: &str) {
    let call = client.call("mergeChangeRequest").path("spaceId", space);
    let merged = call.path("changeRequestId", proposal).send().await.expect(200);
    assert_eq!(merged.text_at("/result"), "merge");
}

#[test]
fn comments_are_created_updated_resolved_and_deleted() {
    each_engine(async |env: &mut TestEnv| {
        let scene = Scene::new(env).await;
        let ada = env.person("ada@example.com", Some("comment")).await;
        for place in scene.places() {
            let posted = a_comment_is_posted(&scene, place, &ada).await;
            let id = posted.text_at("/id").to_owned();

            // The document can be sent back as it was read.
            let edited = json!({ "body": posted.at("/body") });
            let same = place.update(&ada, &id, edited).await.expect(200);
            assert_eq!(same.json, posted.json, "nothing changed");
            let edited = json!({ "body": { "markdown": "Is this true?" } });
            let edited = place.update(&ada, &id, edited).await.expect(200);
            assert!(!edited.text_at("/editedAt").is_empty());

            let first = replies_are_counted(env, place, &ada, &id).await;
            a_comment_is_resolved_and_reopened(env, place, &ada, &id).await;
            let delete = || place.of_comment(&ada, "deleteComment", &id);
            let _gone = delete().send().await.expect(205);
            let _gone = delete().send().await.expect(204);
            let _gone = place.get(&ada, &id).await.expect(404);
            let call = place.of_comment(&ada, "getCommentReply", &id);
            let _gone = call.path("commentReplyId", &first).send().await.expect(404);
            assert_eq!(place.open(&ada).await, 0);
            // A resolved comment is not counted as open, and deleting it does not reduce the count
            // again.
            let (kept, other) = (place.post(&ada, "Kept").await, place.post(&ada, "Gone").await);
            let _done = place.update(&ada, &other, json!({ "resolved": true })).await.expect(200);
            let call = place.of_comment(&ada, "deleteComment", &other);
            let _gone = call.send().await.expect(205);
            assert_eq!(place.open(&ada).await, 1);
            let _kept = place.get(&ada, &kept).await.expect(200);
        }
    });
}

/// Posts a comment on the page, and reads it in both formats.
async fn a_comment_is_posted(scene: &Scene, place: &Place, ada: &Client) -> Answer {
    let body = json!({ "body": { "markdown": "Is this *right*?" }, "page": scene.page });
    let posted = place.call(ada, "postComment").json(&body).send().await.expect(200);
    let id = posted.text_at("/id").to_owned();
    assert_eq!(posted.header("location"), posted.text_at("/urls/location"));
    assert!(posted.text_at("/urls/location").ends_with(&format!("/comments/{id}")));
    assert_eq!(posted.text_at("/postedBy/email"), "ada@example.com");
    assert_eq!(posted.text_at("/target/space"), place.space);
    assert_eq!(posted.text_at("/target/page/id"), scene.page);
    assert!(!posted.text_at("/target/revision").is_empty());
    assert_eq!(
        posted.json.pointer("/target/changeRequest").and_then(Value::as_str),
        place.change_request.as_deref()
    );
    assert_eq!(posted.text_at("/status"), "open");
    assert_eq!(posted.json.pointer("/editedAt"), None);
    assert_eq!(posted.at("/replies"), &json!(0));
    assert_eq!(
        posted.text_at("/body/document/nodes/0/nodes/0/leaves/1/marks/0/type"),
        "italic",
        "{posted}"
    );
    assert_eq!(place.open(ada).await, 1);
    let read = place.get(ada, &id).await.expect(200);
    assert_eq!(read.json, posted.json);
    let call = place.of_comment(ada, "getComment", &id).query("format", "markdown");
    let read = call.send().await.expect(200);
    assert_eq!(read.text_at("/body/markdown").trim(), "Is this _right_?");
    assert_eq!(read.json.pointer("/body/document"), None);
    posted
}

/// Adds three replies, and reads, updates and deletes one. Returns the id of the first.
async fn replies_are_counted(env: &TestEnv, place: &Place, ada: &Client, id: &str) -> String {
    let first = place.reply(&env.client, id, "It is.").await;
    let second = place.reply(ada, id, "Thanks :tada:").await;
    let _third = place.reply(&env.client, id, "Welcome.").await;
    let read = place.get(ada, id).await.expect(200);
    assert_eq!(read.at("/replies"), &json!(3));
    assert_eq!(read.text_at("/repliers/0/user/email"), "admin@localhost", "{read}");
    assert_eq!(read.at("/repliers/0/count"), &json!(2));
    assert_eq!(read.text_at("/repliers/1/user/email"), "ada@example.com");
    let call = || place.of_comment(ada, "listCommentReplies", id).query("limit", 2);
    let replies = place.all(call, async || {}).await;
    assert_eq!(replies.len(), 3);
    assert_eq!((&replies[0], &replies[1]), (&first, &second), "the oldest first");
    let of_reply =
        |operation: &str| place.of_comment(ada, operation, id).path("commentReplyId", &second);
    let read = of_reply("getCommentReply").query("format", "markdown").send().await;
    let read = read.expect(200);
    assert!(read.text_at("/urls/location").ends_with(&format!("{id}/replies/{second}")));
    assert_eq!(read.text_at("/body/markdown").trim(), "Thanks :tada:");
    let patch = json!({ "body": { "markdown": "Thank you" }, "addedReactions": ["👍"] });
    let call = of_reply("updateCommentReply").json(&patch);
    let changed = call.send().await.expect(200);
    assert!(!changed.text_at("/editedAt").is_empty());
    assert_eq!(changed.text_at("/reactions/0/emoji"), "1f44d");
    let _gone = of_reply("deleteCommentReply").send().await.expect(205);
    let _gone = of_reply("deleteCommentReply").send().await.expect(204);
    let _gone = of_reply("getCommentReply").send().await.expect(404);
    let read = place.get(ada, id).await.expect(200);
    assert_eq!(read.at("/replies"), &json!(2));
    assert_eq!(read.json.pointer("/repliers/1"), None);
    first
}

/// Resolves a comment twice, and reopens it.
async fn a_comment_is_resolved_and_reopened(env: &TestEnv, place: &Place, ada: &Client, id: &str) {
    let resolved = place.update(&env.client, id, json!({ "resolved": true })).await;
    let resolved = resolved.expect(200);
    assert_eq!(resolved.text_at("/status"), "resolved");
    assert_eq!(resolved.text_at("/resolvedBy/email"), "admin@localhost");
    assert!(!resolved.text_at("/resolvedAt").is_empty());
    assert_eq!(place.open(ada).await, 0);
    let again = place.update(ada, id, json!({ "resolved": true })).await.expect(200);
    assert_eq!(again.text_at("/resolvedBy/email"), "admin@localhost");
    assert_eq!(place.open(ada).await, 0);
    let reopened = place.update(ada, id, json!({ "resolved": false })).await;
    assert_eq!(reopened.expect(200).text_at("/status"), "open");
    assert_eq!(place.open(ada).await, 1);
    let nothing = place.update(ada, id, json!({})).await.expect(200);
    assert_eq!(nothing.text_at("/status"), "open");
}

#[test]
fn stale_updates_of_comments_are_rejected() {
    each_engine(async |env: &mut TestEnv| {
        let scene = Scene::new(env).await;
        let ada = env.person("ada@example.com", Some("comment")).await;
        for place in scene.places() {
            let id = place.post(&ada, "First").await;
            let reply = place.reply(&ada, &id, "First").await;
            let of_reply = |operation: &str| {
                let operation = format!("{operation}CommentReply");
                place.of_comment(&ada, &operation, &id).path("commentReplyId", &reply)
            };
            let of_comment =
                |operation: &str| place.of_comment(&ada, &format!("{operation}Comment"), &id);
            for noun in ["reply", "comment"] {
                let of = |operation: &str| match noun {
                    "reply" => of_reply(operation),
                    _ => of_comment(operation),
                };
                let known = of("get").send().await.expect(200).header("etag").to_owned();
                let other = of("get").query("format", "markdown").send().await.expect(200);
                assert_eq!(other.header("etag"), known, "{noun}");
                let write = async |tag: &str, patch: Value| {
                    of("update").header("if-match", tag).json(&patch).send().await
                };
                // Reactions of others do not change the version.
                let liked = json!({ "addedReactions": ["👍"] });
                assert_eq!(write(&known, liked).await.expect(200).header("etag"), known);
                let second = json!({ "body": { "markdown": "Second" } });
                let written = write(&known, second).await.expect(200);
                let now = written.header("etag").to_owned();
                assert_ne!(now, known, "{noun}");
                let third = json!({ "body": { "markdown": "Third" } });
                let stale = write(&known, third.clone()).await.expect(412);
                let told = format!("the current version of the {noun} is {now}");
                assert!(stale.message().contains(&told), "{stale}");
                let stale = of("delete").header("if-match", &known).send().await.expect(412);
                assert!(stale.message().contains(&told), "{stale}");
                let read = of("get").query("format", "markdown").send().await.expect(200);
                assert_eq!(read.text_at("/body/markdown").trim(), "Second");
                assert_eq!(read.header("etag"), now, "{noun}");
                let either = write(&format!("{known}, {now}"), third).await.expect(200);
                assert_ne!(either.header("etag"), now, "{noun}");
                let _any = write("*", json!({ "addedReactions": ["👍"] })).await.expect(200);
            }
            states_have_versions(of_comment, of_reply).await;
        }
    });
}

/// Resolves a comment, and deletes it and its reply with their current versions.
async fn states_have_versions(of_comment: impl Fn(&str) -> Call, of_reply: impl Fn(&str) -> Call) {
    // The version includes the state of the discussion.
    let open = of_comment("get").send().await.expect(200).header("etag").to_owned();
    let ended = of_comment("update").json(&json!({ "resolved": true }));
    let ended = ended.send().await.expect(200).header("etag").to_owned();
    let stale = of_comment("update").header("if-match", &open);
    let _stale = stale.json(&json!({ "resolved": false })).send().await.expect(412);
    for (of, tag) in [(&of_reply as &dyn Fn(&str) -> Call, None), (&of_comment, Some(ended))] {
        let tag = match tag {
            Some(tag) => tag,
            None => of("get").send().await.expect(200).header("etag").to_owned(),
        };
        let _gone = of("delete").header("if-match", &tag).send().await.expect(205);
        let _gone = of("delete").header("if-match", &tag).send().await.expect(204);
    }
}

#[test]
fn reactions_are_added_and_removed() {
    each_engine(async |env: &mut TestEnv| {
        let scene = Scene::new(env).await;
        let ada = env.person("ada@example.com", Some("comment")).await;
        for place in scene.places() {
            let id = place.post(&env.client, "Look").await;
            let react =
                async |client: &Client, patch: Value| place.update(client, &id, patch).await;
            let added = json!({ "addedReactions": ["👍", "1f44d", ":tada:"] });
            let once = react(&ada, added.clone()).await.expect(200);
            assert_eq!(once.json.pointer("/editedAt"), None);
            assert_eq!(once.at("/reactions").as_array().map(Vec::len), Some(2), "{once}");
            let twice = react(&ada, added).await.expect(200);
            assert_eq!(twice.at("/reactions"), once.at("/reactions"));
            let more = json!({ "addedReactions": ["1F44D"], "removedReactions": ["2764"] });
            let both = react(&env.client, more).await.expect(200);
            let reactions = both.at("/reactions").as_array().unwrap();
            let thumbs = reactions.iter().find(|one| one["emoji"] == "1f44d").unwrap();
            assert_eq!(thumbs["count"], json!(2));
            assert_eq!(thumbs["users"][0]["user"]["email"], json!("ada@example.com"));
            // A user can remove only their own reactions.
            let less = json!({ "removedReactions": ["1f44d", "1f389"] });
            let left = react(&env.client, less).await.expect(200);
            let left = left.at("/reactions").as_array().unwrap();
            let left: BTreeSet<_> = left.iter().map(|one| one["emoji"].as_str()).collect();
            assert_eq!(left, BTreeSet::from([Some("1f389"), Some("1f44d")]));
            for (patch, names) in [
                (json!({ "addedReactions": ["x"] }), "/addedReactions/0"),
                (json!({ "addedReactions": ["1f44d", ""] }), "/addedReactions/1"),
                (json!({ "removedReactions": ["no emoji"] }), "/removedReactions/0"),
                (json!({ "addedReactions": vec!["1f44d"; 51] }), "/addedReactions"),
            ] {
                let refused = react(&ada, patch).await.expect(400);
                assert!(refused.message().contains(names), "{refused}");
            }
            // The limit applies to the reactions of all users together.
            let code = |index: u32| format!("{:x}", 0x1f600 + index);
            let many = |from: u32| (from..from + 30).map(code).collect::<Vec<_>>();
            let some = react(&env.client, json!({ "addedReactions": many(0) })).await;
            let some = some.expect(200);
            let refused = react(&env.client, json!({ "addedReactions": many(30) })).await;
            let _refused = refused.expect(409);
            let same = place.get(&env.client, &id).await.expect(200);
            assert_eq!(same.at("/reactions"), some.at("/reactions"));
        }
    });
}

/// Returns the first node of a document for which `holds` returns `true`.
fn find<'v>(node: &'v Value, holds: &impl Fn(&Value) -> bool) -> Option<&'v Value> {
    if holds(node) {
        return Some(node);
    }
    let children = ["nodes", "fragments"].into_iter().filter_map(|list| node[list].as_array());
    children.flatten().find_map(|child| find(child, holds))
}

/// Returns the key of the `n`th block of a type.
fn key(document: &Value, kind: &str, n: usize) -> String {
    let blocks = document["nodes"].as_array().unwrap().iter();
    let block = blocks.filter(|block| block["type"] == kind).nth(n).unwrap();
    block["key"].as_str().unwrap().to_owned()
}

#[test]
fn targets_survive_edits_and_deleted_ones_are_marked() {
    each_engine(async |env: &mut TestEnv| {
        let scene = Scene::new(env).await;
        let document = scene.document(&env.client).await;
        let (first, second) = (key(&document, "paragraph", 0), key(&document, "paragraph", 1));
        let table = find(&document, &|node| node["type"] == "table").unwrap();
        let item = find(&document, &|node| node["type"] == "list-item").unwrap()["key"].clone();
        let names = |of: &str| -> Vec<String> {
            table["data"][of].as_object().unwrap().keys().cloned().collect()
        };
        let mut records = names("records");
        records.sort_by_key(|id| table["data"]["records"][id]["orderIndex"].to_string());
        let column = names("definition")[0].clone();
        let (ada, bob) = (cell(&records[0], &column), cell(&records[1], &column));
        for place in scene.places() {
            let page = &scene.page;
            let mut ids = Vec::new();
            // The page can be omitted if only one page has the node.
            for target in [json!({ "node": first }), json!({ "tableCell": ada })] {
                let found = post_about(env, place, target.clone()).await.expect(200);
                assert_eq!(found.text_at("/target/page/id"), page);
                let call = place.of_comment(&env.client, "deleteComment", found.text_at("/id"));
                let _gone = call.send().await.expect(205);
            }
            for target in [
                json!({}),
                json!({ "page": page }),
                json!({ "page": page, "node": first }),
                json!({ "page": page, "node": second }),
                json!({ "page": page, "node": item }),
                json!({ "page": page, "node": table["key"], "tableCell": ada }),
                json!({ "page": page, "tableCell": bob }),
            ] {
                let posted = post_about(env, place, target.clone()).await.expect(200);
                assert_eq!(posted.json.pointer("/target/gone"), None);
                assert_eq!(posted.json.pointer("/target/page/id"), target.get("page"));
                assert_eq!(posted.json.pointer("/target/node/id"), target.get("node"));
                assert_eq!(posted.json.pointer("/target/tableCell"), target.get("tableCell"));
                ids.push(posted.text_at("/id").to_owned());
            }
            unknown_targets_are_rejected(env, place, page, &first, &ada, &records[0], &column)
                .await;

            assert_eq!(gone(env, place, page).await, [const { None::<String> }; 6]);
            edits_mark_deleted_targets(env, place, page, &ids, &second).await;
            let whole = place.get(&env.client, &ids[0]).await.expect(200);
            assert_eq!(whole.json.pointer("/target/gone"), None);
            // Deleted targets cannot receive new comments, but existing comments on them can be
            // answered.
            for (target, names) in
                [(json!({ "page": page }), "/page"), (json!({ "node": first }), "/node")]
            {
                let refused = post_about(env, place, target).await.expect(400);
                assert!(refused.message().contains(names), "{refused}");
            }
            let _reply = place.reply(&env.client, &ids[3], "It was wrong.").await;
        }
    });
}

/// Posts comments on items that do not exist or do not belong together.
async fn unknown_targets_are_rejected(
    env: &TestEnv,
    place: &Place,
    page: &str,
    first: &str,
    ada: &Value,
    record: &str,
    column: &str,
) {
    let before = place.open(&env.client).await;
    let none = "00000000000000000000";
    for (target, names) in [
        (json!({ "page": none }), "/page"),
        (json!({ "page": "x" }), "/page"),
        (json!({ "page": none, "node": first }), "/page"),
        (json!({ "node": "0000000000000000" }), "/node"),
        (json!({ "tableCell": cell("x", "x") }), "/tableCell"),
        (json!({ "page": page, "node": "0000000000000000" }), "/node"),
        (json!({ "page": page, "node": page }), "/node"),
        (json!({ "page": page, "node": first, "tableCell": ada }), "/tableCell"),
        (json!({ "page": page, "tableCell": cell("x", column) }), "/tableCell"),
        (json!({ "page": page, "tableCell": cell(record, "x") }), "/tableCell"),
        (json!({ "page": page, "tableCell": {} }), "/tableCell"),
        (json!({ "page": 1 }), "/page"),
    ] {
        let refused = post_about(env, place, target).await.expect(400);
        assert!(refused.message().contains(names), "{names}: {refused}");
    }
    assert_eq!(place.open(&env.client).await, before, "nothing was posted");
}

/// Edits the page and deletes it.
async fn edits_mark_deleted_targets(
    env: &TestEnv,
    place: &Place,
    page: &str,
    ids: &[String],
    second: &str,
) {
    // Edits of a block and of its neighbours keep the block's key. The second paragraph and
    // Bob's row are deleted.
    let text = "## New before\n\nThe first words, mended.\n\n| Name | Age |\n\
                | --- | --- |\n| Ada | 36 |\n\n* an item\n";
    let edit = |text: &str| {
        json!({
            "operation": "update_page", "page": page, "document": { "markdown": text },
        })
    };
    let delete = json!({ "operation": "delete_page", "page": page });
    let apply = async |change: Value| match &place.change_request {
        Some(proposal) => drop(edited(&env.client, &place.space, proposal, change).await),
        None => {
            let proposal = propose(&env.client, &place.space).await;
            let _edited = edited(&env.client, &place.space, &proposal, change).await;
            merge(&env.client, &place.space, &proposal).await;
        }
    };
    apply(edit(text)).await;
    let told = gone(env, place, page).await;
    let told: Vec<_> = told.iter().map(Option::as_deref).collect();
    assert_eq!(told, [None, None, Some("node"), None, None, Some("tableCell")]);
    let one = place.get(&env.client, &ids[3]).await.expect(200);
    assert_eq!(one.text_at("/target/node/id"), second, "the target stays");
    assert_eq!(one.text_at("/target/gone"), "node");
    apply(delete).await;
    assert_eq!(
        gone(env, place, page).await,
        [const { Some("page") }; 6].map(|gone| gone.map(str::to_owned))
    );
}

/// Returns the target for a cell of a table.
fn cell(record: &str, definition: &str) -> Value {
    json!({ "record": record, "definition": definition })
}

/// Posts a comment on a target.
async fn post_about(env: &TestEnv, place: &Place, target: Value) -> Answer {
    let mut body = json!({ "body": { "markdown": "About this" } });
    for (name, value) in target.as_object().unwrap() {
        body[name] = value.clone();
    }
    place.call(&env.client, "postComment").json(&body).send().await
}

/// Returns the deleted part of the target of each comment on a page, oldest first.
async fn gone(env: &TestEnv, place: &Place, page: &str) -> Vec<Option<String>> {
    let call = place.call(&env.client, "listComments").query("order", "asc");
    let list = call.query("targetPage", page).send().await.expect(200);
    let items = list.at("/items").as_array().unwrap().iter();
    let told = items.map(|item| {
        assert_ne!(item["target"]["page"]["id"], Value::Null);
        item["target"]["gone"].as_str().map(str::to_owned)
    });
    told.collect()
}

#[test]
fn comments_are_filtered_and_paged_during_writes() {
    each_engine(async |env: &mut TestEnv| {
        let scene = Scene::new(env).await;
        let ada = env.person("ada@example.com", Some("comment")).await;
        let bob = env.person("bob@example.com", Some("comment")).await;
        let (ada_id, bob_id) = (id_of(&ada).await, id_of(&bob).await);
        for place in scene.places() {
            let mut posted = Vec::new();
            for number in 0..5 {
                posted.push(place.post(&ada, &format!("Ada {number}")).await);
            }
            let of_bob = place.post(&bob, "Bob").await;
            let _replied = place.reply(&env.client, &of_bob, "Admin").await;
            let _done = place.update(&bob, &posted[0], json!({ "resolved": true })).await;
            let list = || place.call(&ada, "listComments").query("limit", 2);
            let none = async || {};
            let everything: Vec<_> = posted.iter().chain([&of_bob]).cloned().collect();
            assert_eq!(sorted(place.all(list, none).await), sorted(everything.clone()));
            for (query, expect) in [
                (vec![("status", "resolved")], vec![posted[0].clone()]),
                (vec![("authors", bob_id.as_str())], vec![of_bob.clone()]),
                (vec![("authors", &bob_id), ("authors", &ada_id)], everything.clone()),
                (vec![("authors", "x")], vec![]),
                (vec![("authors", &bob_id), ("status", "resolved")], vec![]),
                (vec![("targetPage", &scene.page)], vec![]),
                (vec![("targetPage", "x")], vec![]),
                (vec![("status", "open"), ("authors", &ada_id)], posted[1..].to_vec()),
            ] {
                let call = || query.iter().fold(list(), |call, (name, to)| call.query(name, to));
                assert_eq!(
                    sorted(place.all(call, none).await),
                    sorted(expect.clone()),
                    "{query:?}"
                );
                let count = call().send().await.expect(200);
                assert_eq!(count.at("/count"), &json!(expect.len()), "{query:?}");
            }
            existing_comments_are_listed_once(place, &ada, &bob).await;
            // A cursor is valid for one list only.
            let page = list().send().await.expect(200);
            let cursor = page.text_at("/next/page");
            for call in [
                list().query("status", "open"),
                list().query("order", "asc"),
                place.of_comment(&ada, "listCommentReplies", &of_bob),
                place.call(&ada, "listCommenters"),
            ] {
                let _refused = call.query("page", cursor).send().await.expect(400);
            }

            commenters_are_listed(place, &ada, &ada_id, &bob_id).await;
        }
        // Commenters count as contributors of a change request.
        let call = ada.call("listChangeRequestsForSpace").path("spaceId", &scene.main.space);
        let call = call.query("contributor", &bob_id).query("status", "draft");
        let worked = call.send().await.expect(200);
        assert_eq!(worked.at("/count"), &json!(1));
    });
}

/// Reads the list in both orders while comments are added.
async fn existing_comments_are_listed_once(place: &Place, ada: &Client, bob: &Client) {
    let list = || place.call(ada, "listComments").query("limit", 2);
    let none = async || {};
    // Comments that exist throughout are listed exactly once, in either order.
    let more = async || drop(place.post(bob, "One more").await);
    for order in ["asc", "desc"] {
        let before = place.all(list, none).await;
        let seen = place.all(|| list().query("order", order), more).await;
        for id in &before {
            let times = seen.iter().filter(|seen| *seen == id).count();
            assert_eq!(times, 1, "{order}");
        }
    }
    let times = async |order: &str| {
        let list = place.call(ada, "listComments").query("order", order).send().await;
        let items = list.expect(200).at("/items").as_array().unwrap().clone();
        items.iter().map(|item| item["postedAt"].to_string()).collect::<Vec<_>>()
    };
    assert!(times("asc").await.is_sorted());
    assert!(times("desc").await.iter().rev().is_sorted());
}

/// Reads the users who commented.
async fn commenters_are_listed(place: &Place, ada: &Client, ada_id: &str, bob_id: &str) {
    let none = async || {};
    let commenters = || place.call(ada, "listCommenters").query("limit", 1);
    let who = place.all(commenters, none).await;
    assert_eq!(who.len(), 3, "{who:?}");
    assert_eq!(&who[1..], [ada_id, bob_id], "as they joined");
    let whole = place.call(ada, "listCommenters").send().await.expect(200);
    assert_eq!(whole.text_at("/items/1/role"), "comment");
    assert_eq!(whole.text_at("/items/1/user/id"), ada_id);
}

fn sorted(mut ids: Vec<String>) -> Vec<String> {
    ids.sort();
    ids
}
