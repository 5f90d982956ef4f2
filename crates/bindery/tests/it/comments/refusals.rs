//! Comments that are rejected, permissions for creating and changing them, their events, and
//! concurrent requests.

use bindery_store::Event;
use bindery_testkit::{Call, Client};
use serde_json::{Value, json};

use crate::comments::call;
use crate::support::change_requests::propose;
use crate::support::{TestEnv, each_engine};

async fn post(client: &Client, space: &str, change_request: Option<&str>) -> String {
    let body = json!({ "body": { "markdown": "Said." } });
    let posted = call(client, "postComment", space, change_request).json(&body).send().await;
    posted.expect(200).text_at("/id").to_owned()
}

async fn reply(client: &Client, space: &str, change: Option<&str>, comment: &str) -> String {
    let body = json!({ "body": { "markdown": "Answered." } });
    let call = call(client, "postCommentReply", space, change).path("commentId", comment);
    call.json(&body).send().await.expect(200).text_at("/id").to_owned()
}

async fn open(client: &Client, space: &str, change_request: Option<&str>) -> Value {
    let call = match change_request {
        None => client.call("getSpaceById").path("spaceId", space),
        Some(id) => {
            let call = client.call("getChangeRequestById").path("spaceId", space);
            call.path("changeRequestId", id)
        }
    };
    call.send().await.expect(200).at("/comments").clone()
}

#[test]
fn invalid_bodies_are_rejected_with_their_position() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Discussed").await;
        let proposal = propose(&env.client, &space).await;
        for change in [None, Some(proposal.as_str())] {
            let id = post(&env.client, &space, change).await;
            let answer = reply(&env.client, &space, change, &id).await;
            let fine = document(json!([paragraph(leaf("Fine."))]));
            let bad = invalid_bodies();
            for (body, names) in bad {
                let request = json!({ "body": body });
                for (operation, with_reply) in [
                    ("postComment", false),
                    ("updateComment", false),
                    ("postCommentReply", false),
                    ("updateCommentReply", true),
                ] {
                    let mut call = call(&env.client, operation, &space, change);
                    if operation != "postComment" {
                        call = call.path("commentId", &id);
                    }
                    if with_reply {
                        call = call.path("commentReplyId", &answer);
                    }
                    let refused = call.json(&request).send().await.expect(400);
                    assert!(refused.message().contains(names), "{operation} {names}: {refused}");
                }
            }
            for (operation, request, names) in [
                ("postComment", json!({}), "/body"),
                ("postCommentReply", json!({}), "/body"),
                ("updateComment", json!({ "resolved": "yes" }), "/resolved"),
                ("updateComment", json!({ "addedReactions": "1f44d" }), "/addedReactions"),
            ] {
                let mut call = call(&env.client, operation, &space, change);
                if operation != "postComment" {
                    call = call.path("commentId", &id);
                }
                let refused = call.json(&request).send().await.expect(400);
                assert!(refused.message().contains(names), "{operation}: {refused}");
            }
            // If the last part of a change is invalid, no part takes effect.
            let half = json!({ "body": fine, "resolved": true, "addedReactions": ["x"] });
            let call_ = call(&env.client, "updateComment", &space, change).path("commentId", &id);
            let _refused = call_.json(&half).send().await.expect(400);
            let get = call(&env.client, "getComment", &space, change).path("commentId", &id);
            let read = get.query("format", "markdown").send().await.expect(200);
            assert_eq!(read.text_at("/body/markdown").trim(), "Said.");
            assert_eq!(read.text_at("/status"), "open");
            assert_eq!(read.at("/replies"), &json!(1));
            assert_eq!(open(&env.client, &space, change).await, json!(1));
        }
    });
}

/// Returns invalid bodies, each with the position in the message.
fn invalid_bodies() -> [(Value, &'static str); 15] {
    [
        (json!({}), "/body"),
        (json!({ "markdown": "" }), "/body"),
        (json!({ "markdown": " \n\t\u{a0}" }), "/body"),
        (json!({ "markdown": "<!-- hidden -->" }), "/body"),
        (json!({ "markdown": 5 }), "/body"),
        (json!({ "document": 5 }), "/body/document"),
        (json!({ "document": {} }), "/body/document"),
        (document(json!([])), "/body"),
        (document(json!([paragraph(leaf(" "))])), "/body"),
        (
            document(json!([paragraph(leaf("x")), { "object": "block", "type": "none" }])),
            "/body/document/nodes/1",
        ),
        (
            document(json!([paragraph(json!([{ "object": "leaf", "text": 1 }]))])),
            "/body/document/nodes/0/nodes/0/leaves/0",
        ),
        (json!({ "markdown": "x".repeat(300_000) }), "/body/markdown"),
        (json!({ "markdown": "*a* ".repeat(50_000) }), "/body"),
        (json!([]), "/body"),
        (json!(" "), "/body"),
    ]
}

/// Returns the body of a comment with these blocks.
fn document(nodes: Value) -> Value {
    json!({ "document": { "object": "document", "data": {}, "nodes": nodes } })
}

fn paragraph(leaves: Value) -> Value {
    json!({
        "object": "block", "type": "paragraph", "isVoid": false, "data": {},
        "nodes": [{ "object": "text", "leaves": leaves }],
    })
}

fn leaf(text: &str) -> Value {
    json!([{ "object": "leaf", "text": text, "marks": [] }])
}

#[test]
fn comments_are_changed_only_with_permission() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Discussed").await;
        let proposal = propose(&env.client, &space).await;
        let ada = env.person("ada@example.com", Some("comment")).await;
        let bob = env.person("bob@example.com", Some("comment")).await;
        let reviewer = env.person("review@example.com", Some("review")).await;
        let reader = env.person("read@example.com", Some("read")).await;
        let (text, _) = env.token(&json!({ "name": "reads", "scopes": ["read"] })).await;
        let reads = env.client.with_token(&text);
        let guest = env.person("guest@example.com", None).await;
        for change in [None, Some(proposal.as_str())] {
            let id = post(&ada, &space, change).await;
            let answer = reply(&ada, &space, change, &id).await;
            let of = |client: &Client, operation: &str| {
                let call = call(client, operation, &space, change).path("commentId", &id);
                if operation.ends_with("Reply") && !operation.starts_with("post") {
                    call.path("commentReplyId", &answer)
                } else {
                    call
                }
            };
            let expect = |edit: bool, reply: bool, delete: bool| json!({ "view": true, "edit": edit, "reply": reply, "delete": delete });
            for (client, permissions) in [
                (&ada, expect(true, true, true)),
                (&bob, expect(false, true, false)),
                (&reviewer, expect(false, true, true)),
                (&env.client, expect(false, true, true)),
                (&reads, expect(false, false, false)),
                (&reader, expect(false, false, false)),
            ] {
                for operation in ["getComment", "getCommentReply"] {
                    let read = of(client, operation).send().await.expect(200);
                    assert_eq!(read.at("/permissions"), &permissions, "{read}");
                }
                let edit = json!({ "body": { "markdown": "Mine now." } });
                let resolve = json!({ "resolved": false });
                let says = if permissions["reply"] == true { 200 } else { 403 };
                let edits = if permissions["edit"] == true { 200 } else { 403 };
                for (operation, body, expect) in [
                    ("updateComment", &edit, edits),
                    ("updateCommentReply", &edit, edits),
                    ("updateComment", &resolve, says),
                    ("postCommentReply", &edit, says),
                ] {
                    let _answer = of(client, operation).json(body).send().await.expect(expect);
                }
            }
            comments_are_deleted_only_with_permission(&of, [&bob, &reader, &reads], &guest).await;
            let _unseen = of(&guest, "getComment").send().await.expect(404);
            let _unseen = of(&guest, "updateComment").json(&json!({})).send().await.expect(404);
            let _gone = of(&reviewer, "deleteCommentReply").send().await.expect(205);
            let _gone = of(&reviewer, "deleteComment").send().await.expect(205);
            assert_eq!(open(&ada, &space, change).await, json!(0));
        }
    });
}

/// Deletes a comment and a reply as users who may not, and as a guest who sees neither.
async fn comments_are_deleted_only_with_permission(
    of: impl Fn(&Client, &str) -> Call,
    others: [&Client; 3],
    guest: &Client,
) {
    for client in others {
        for operation in ["deleteCommentReply", "deleteComment"] {
            let refused = of(client, operation).send().await.expect(403);
            assert!(!refused.message().is_empty());
        }
    }
    for operation in ["deleteCommentReply", "deleteComment"] {
        let _unseen = of(guest, operation).send().await.expect(204);
    }
}

#[test]
fn comments_of_other_content_are_not_found() {
    each_engine(async |env: &mut TestEnv| {
        let (one, other) = (env.space("One").await, env.space("Other").await);
        let first = propose(&env.client, &one).await;
        let second = propose(&env.client, &one).await;
        let foreign = propose(&env.client, &other).await;
        let places = [
            (&one, None),
            (&other, None),
            (&one, Some(first.as_str())),
            (&one, Some(second.as_str())),
            (&other, Some(foreign.as_str())),
        ];
        let mut made = Vec::new();
        for (space, change) in places {
            let id = post(&env.client, space, change).await;
            let answer = reply(&env.client, space, change, &id).await;
            made.push((id, answer));
        }
        for (at, (space, change)) in places.into_iter().enumerate() {
            for (of, (id, answer)) in made.iter().enumerate() {
                let to = |operation: &str| {
                    call(&env.client, operation, space, change).path("commentId", id)
                };
                let expect = if at == of { 200 } else { 404 };
                let _read = to("getComment").send().await.expect(expect);
                let _read = to("listCommentReplies").send().await.expect(expect);
                let call = to("getCommentReply").path("commentReplyId", answer);
                let _read = call.send().await.expect(expect);
                if at != of {
                    let patch = json!({ "resolved": true });
                    let _none = to("updateComment").json(&patch).send().await.expect(404);
                    let _none = to("deleteComment").send().await.expect(204);
                    // The reply belongs to another comment.
                    let call = call_to(&env.client, space, change, &made[at].0, answer);
                    let _none = call.send().await.expect(404);
                }
            }
            // The number of a change request can be used instead of its id.
            if change.is_some() {
                let number = if at == 3 { "2" } else { "1" };
                let call = call(&env.client, "getComment", space, Some(number));
                let _read = call.path("commentId", &made[at].0).send().await.expect(200);
            }
            assert_eq!(open(&env.client, space, change).await, json!(1));
        }
    });
}

fn call_to(client: &Client, space: &str, change: Option<&str>, comment: &str, reply: &str) -> Call {
    let call = call(client, "getCommentReply", space, change).path("commentId", comment);
    call.path("commentReplyId", reply)
}

#[test]
fn concurrent_comments_are_counted() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Discussed").await;
        let proposal = propose(&env.client, &space).await;
        for change in [None, Some(proposal.as_str())] {
            let thread = post(&env.client, &space, change).await;
            let both =
                tokio::join!(post(&env.client, &space, change), post(&env.client, &space, change),);
            assert_eq!(open(&env.client, &space, change).await, json!(3));
            let tasks = (0..16).map(|number| {
                let client = env.client.clone();
                let (space, thread, one) = (space.clone(), thread.clone(), both.0.clone());
                let change = change.map(str::to_owned);
                tokio::spawn(async move {
                    let change = change.as_deref();
                    match number % 4 {
                        0 => drop(post(&client, &space, change).await),
                        1 => drop(reply(&client, &space, change, &thread).await),
                        2 => {
                            // Only one of them ends the discussion.
                            let call = call(&client, "updateComment", &space, change);
                            let call = call.path("commentId", &thread);
                            let _done =
                                call.json(&json!({ "resolved": true })).send().await.expect(200);
                        }
                        _ => {
                            let call = call(&client, "deleteComment", &space, change);
                            let answer = call.path("commentId", &one).send().await;
                            assert!(matches!(answer.status, 204 | 205), "{answer}");
                        }
                    }
                })
            });
            for task in tasks.collect::<Vec<_>>() {
                task.await.unwrap();
            }
            // Three and four more comments, without the resolved and the deleted one.
            assert_eq!(open(&env.client, &space, change).await, json!(5));
            let list = call(&env.client, "listComments", &space, change);
            let list = list.query("status", "open").send().await.expect(200);
            assert_eq!(list.at("/count"), &json!(5));
            let get = call(&env.client, "getComment", &space, change);
            let read = get.path("commentId", &thread).send().await.expect(200);
            assert_eq!(read.at("/replies"), &json!(4));
        }
    });
}

#[test]
fn every_comment_action_records_an_event() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Discussed").await;
        let proposal = propose(&env.client, &space).await;
        for change in [None, Some(proposal.as_str())] {
            let id = post(&env.client, &space, change).await;
            let answer = reply(&env.client, &space, change, &id).await;
            let update = async |operation: &str, body: Value| {
                let mut call = call(&env.client, operation, &space, change).path("commentId", &id);
                if operation == "updateCommentReply" {
                    call = call.path("commentReplyId", &answer);
                }
                let _changed = call.json(&body).send().await.expect(200);
            };
            let edit = json!({ "body": { "markdown": "Else." }, "addedReactions": ["1f44d"] });
            update("updateComment", edit.clone()).await;
            // Changes without effect record no event.
            update("updateComment", edit.clone()).await;
            update("updateComment", json!({ "resolved": true })).await;
            update("updateComment", json!({ "resolved": true })).await;
            update("updateComment", json!({ "resolved": false })).await;
            update("updateCommentReply", edit.clone()).await;
            update("updateCommentReply", edit).await;
            let to =
                |operation| call(&env.client, operation, &space, change).path("commentId", &id);
            let call = to("deleteCommentReply").path("commentReplyId", &answer);
            let _gone = call.send().await.expect(205);
            let _gone = to("deleteComment").send().await.expect(205);
        }
        let events = env.events().await;
        let said: Vec<&Event> = events
            .iter()
            .filter(|event| event.space.is_some_and(|id| id.as_str() == space))
            .map(|event| &event.event)
            .collect();
        for of_change in [false, true] {
            assert_eq!(
                kinds(&said, of_change),
                [
                    "commentPosted",
                    "commentReplyPosted",
                    "commentUpdated [\"body\",\"reactions\"]",
                    "commentResolved",
                    "commentReopened",
                    "commentReplyUpdated [\"body\",\"reactions\"]",
                    "commentReplyDeleted",
                    "commentDeleted",
                ]
            );
        }
    });
}

/// Returns the kinds of comment events of the main content or of a change request.
fn kinds(events: &[&Event], of_change: bool) -> Vec<String> {
    let told = events.iter().filter_map(|event| {
        let event = serde_json::to_value(event).unwrap();
        let kind = event["kind"].as_str().unwrap().to_owned();
        let fits = kind.starts_with("comment") && event["changeRequest"].is_string() == of_change;
        fits.then(|| match event["fields"].as_array() {
            Some(fields) => format!("{kind} {}", json!(fields)),
            None => kind,
        })
    });
    told.collect()
}

#[test]
fn a_plain_text_is_markdown_and_a_reply_is_not_resolved() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Discussed plainly").await;
        let proposal = propose(&env.client, &space).await;
        let places = [String::new(), format!("/change-requests/{proposal}")];
        for comments in places.map(|place| format!("/v1/spaces/{space}{place}/comments")) {
            // The test client does not send requests that violate the contract, so these are sent
            // directly.
            let send = |method: &str, path: &str, body: Value| {
                let header = "Content-Type: application/json\r\n";
                let answer = env.ask(method, path, header, body.to_string().as_bytes());
                let json: Value = serde_json::from_slice(&answer.body).unwrap();
                (answer.status, json)
            };
            let (status, posted) = send("POST", &comments, json!({ "body": "Said **it**." }));
            assert_eq!(status, 200, "{posted}");
            assert!(posted["body"].to_string().contains("\"bold\""), "{posted}");
            let replies = format!("{comments}/{}/replies", posted["id"].as_str().unwrap());
            let (status, replied) = send("POST", &replies, json!({ "body": "So **it** is." }));
            assert_eq!(status, 200, "{replied}");
            let reply = format!("{replies}/{}", replied["id"].as_str().unwrap());
            for resolved in [json!(true), json!(false), json!(null)] {
                let body = json!({ "body": "Lost.", "resolved": resolved });
                let (status, refused) = send("PUT", &reply, body);
                assert_eq!(status, 400, "{refused}");
                assert!(refused.to_string().contains("/resolved"), "{refused}");
            }
            let (status, refused) = send("POST", &comments, json!({ "body": 7 }));
            assert_eq!(status, 400, "{refused}");
            let told = refused["error"]["message"].as_str().unwrap();
            assert!(told.contains("allowed: an object like {\"markdown\": \"…\"}"), "{told}");
        }
    });
}
