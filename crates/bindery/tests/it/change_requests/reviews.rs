//! Reviews of change requests, requested reviewers and contributors.

use bindery_model::SpaceId;
use bindery_testkit::{Answer, Client};
use serde_json::json;

use crate::support::change_requests::{Proposed, proposed};
use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine};

/// Returns the kinds and actors of a space's review events.
async fn told(env: &mut TestEnv, space: &str) -> Vec<(String, Option<String>)> {
    let space = SpaceId::parse(space).unwrap();
    env.edit_store(move |tx| {
        tx.query(
            "SELECT e.kind, e.actor FROM events e WHERE e.space = $1 \
                 AND e.kind LIKE 'review%' ORDER BY e.stamp, e.id",
            &[space.into()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    })
    .await
}

fn ids_of(list: &Answer) -> Vec<&str> {
    let items = list.at("/items").as_array().unwrap();
    items.iter().map(|item| item["id"].as_str().unwrap()).collect()
}

#[test]
fn reviews_apply_to_the_reviewed_revision() {
    each_engine(async |env: &mut TestEnv| {
        let proposed = proposed(env, &[("ada@example.com", "One"), ("", "Two")]).await;
        let reviewer = env.person("rob@example.com", Some("review")).await;
        let editor = env.person("ed@example.com", Some("edit")).await;
        let guest = env.person("guest@example.com", None).await;
        let revision = proposed.shown(&env.client, 0).await.text_at("/revision").to_owned();

        let (first, second) =
            a_review_is_submitted(&proposed, &reviewer, &editor, &guest, &revision).await;

        reviews_are_paged(&proposed, &editor, &first, &second).await;

        new_content_outdates_reviews(env, &proposed, &reviewer, &editor, &first, &revision).await;

        a_review_has_a_comment(env, &proposed, &reviewer, &editor).await;

        // Authors can review their own change request if they have the permission.
        let own = proposed.review(&env.client, 1, "approved").await.expect(201);
        assert_eq!(own.json.pointer("/requestedBy"), None);
        invalid_reviews_are_rejected(&proposed, &reviewer).await;
        closed_change_requests_are_not_reviewed(env, &proposed, &reviewer, &editor).await;

        let (rob, ed) = (id_of(&reviewer).await, id_of(&editor).await);
        let admin = id_of(&env.client).await;
        let space = proposed.space.clone();
        let submitted = |by: &str| ("reviewSubmitted".to_owned(), Some(by.to_owned()));
        assert_eq!(
            told(env, &space).await,
            [
                submitted(&rob),
                ("reviewerRequested".to_owned(), Some(ed)),
                submitted(&rob),
                submitted(&admin),
                submitted(&rob),
                submitted(&admin),
            ]
        );
    });
}

/// Submits two reviews, the second one on request.
async fn a_review_is_submitted(
    proposed: &Proposed,
    reviewer: &Client,
    editor: &Client,
    guest: &Client,
    revision: &str,
) -> (Answer, Answer) {
    let refused = proposed.review(editor, 0, "approved").await.expect(403);
    assert!(refused.message().contains("review"), "{refused}");
    let _unseen = proposed.review(guest, 0, "approved").await.expect(404);
    let first = proposed.review(reviewer, 0, "changes-requested").await.expect(201);
    assert_eq!(first.text_at("/status"), "changes-requested");
    assert_eq!(first.text_at("/revision"), revision);
    assert_eq!(first.at("/outdated"), &json!(false));
    assert_eq!(first.text_at("/reviewer/email"), "rob@example.com");
    assert_eq!(first.json.pointer("/requestedBy"), None);
    assert_eq!(first.header("location"), first.text_at("/urls/location"));

    let body = json!({ "users": [id_of(reviewer).await] });
    let _asked = proposed.ask(editor, 0, &body).await.expect(200);
    let second = proposed.review(reviewer, 0, "approved").await.expect(201);
    assert_eq!(second.text_at("/requestedBy/email"), "ed@example.com");
    let again = proposed.get_review(editor, 0, second.text_at("/id")).await.expect(200);
    assert_eq!(again.json, second.json);
    let _of_another = proposed.get_review(editor, 1, second.text_at("/id")).await.expect(404);
    let _unknown = proposed.get_review(editor, 0, "00000000000000000000").await.expect(404);
    let _no_id = proposed.get_review(editor, 0, "x").await.expect(404);
    (first, second)
}

/// Reads the two reviews page by page, the newest first.
async fn reviews_are_paged(proposed: &Proposed, editor: &Client, first: &Answer, second: &Answer) {
    let all = proposed.list_reviews(editor, None, 50, "").await.expect(200);
    assert_eq!(ids_of(&all), [second.text_at("/id"), first.text_at("/id")]);
    assert_eq!(all.at("/count"), &json!(2));
    let page = proposed.list_reviews(editor, None, 1, "").await.expect(200);
    assert_eq!(ids_of(&page), [second.text_at("/id")]);
    let cursor = page.text_at("/next/page");
    let page = proposed.list_reviews(editor, None, 1, cursor).await.expect(200);
    assert_eq!((ids_of(&page), page.json.get("next")), (vec![first.text_at("/id")], None));
    // A cursor is valid for its list and its filter only.
    let _other_list = proposed.list_reviews(editor, Some(true), 1, cursor).await.expect(400);
}

/// Updates the change request, and reviews it again.
async fn new_content_outdates_reviews(
    env: &TestEnv,
    proposed: &Proposed,
    reviewer: &Client,
    editor: &Client,
    first: &Answer,
    revision: &str,
) {
    proposed.renew(env, 0).await;
    let stale = proposed.call(reviewer, "submitChangeRequestReview", 0);
    let stale = stale.header("If-Match", &format!("\"{revision}\""));
    let stale = stale.json(&json!({ "status": "approved" })).send().await.expect(412);
    let revision = proposed.shown(&env.client, 0).await.text_at("/revision").to_owned();
    assert!(stale.message().contains(&revision), "{stale}");
    let outdated = proposed.list_reviews(editor, Some(true), 50, "").await.expect(200);
    assert_eq!(outdated.at("/count"), &json!(2));
    assert_eq!(outdated.at("/items/0/outdated"), &json!(true));
    assert_eq!(
        proposed.list_reviews(editor, Some(false), 50, "").await.expect(200).at("/count"),
        &json!(0)
    );
    let third = proposed.review(&env.client, 0, "approved").await.expect(201);
    assert_eq!(third.text_at("/revision"), revision);
    assert_eq!(
        ids_of(&proposed.list_reviews(editor, Some(false), 50, "").await.expect(200)),
        [third.text_at("/id")]
    );
    let gone = proposed.get_review(editor, 0, first.text_at("/id")).await.expect(200);
    assert_eq!(gone.at("/outdated"), &json!(true));
}

/// Submits a review with a comment, and deletes the comment.
async fn a_review_has_a_comment(
    env: &TestEnv,
    proposed: &Proposed,
    reviewer: &Client,
    editor: &Client,
) {
    // The comment of a review is a comment on the change request.
    let call = proposed.call(reviewer, "submitChangeRequestReview", 0);
    let body = json!({ "status": "approved", "comment": { "markdown": "Very _good_." } });
    let fourth = call.json(&body).send().await.expect(201);
    let comment = fourth.text_at("/comment/id");
    assert_eq!(fourth.text_at("/comment/target/review"), fourth.text_at("/id"));
    assert_eq!(fourth.text_at("/comment/postedBy/email"), "rob@example.com");
    let call = proposed.call(editor, "getCommentInChangeRequest", 0);
    let said = call.path("commentId", comment).query("format", "markdown").send().await;
    assert_eq!(said.expect(200).text_at("/body/markdown").trim(), "Very _good_.");
    assert_eq!(proposed.shown(&env.client, 0).await.at("/comments"), &json!(1));
    let again = proposed.get_review(editor, 0, fourth.text_at("/id")).await.expect(200);
    assert_eq!(again.at("/comment/body"), fourth.at("/comment/body"));
    let call = proposed.call(reviewer, "deleteCommentInChangeRequest", 0);
    let _deleted = call.path("commentId", comment).send().await.expect(205);
    let again = proposed.get_review(editor, 0, fourth.text_at("/id")).await.expect(200);
    assert_eq!(again.json.get("comment"), None, "{again}");
}

/// Submits reviews without a status or with an invalid comment.
async fn invalid_reviews_are_rejected(proposed: &Proposed, reviewer: &Client) {
    for (body, names) in [
        (json!({ "status": "perhaps" }), "/status"),
        (json!({}), "status"),
        (json!({ "status": 1 }), "/status"),
        (json!({ "status": "approved", "comment": "fine" }), "/comment"),
        (json!({ "status": "approved", "comment": {} }), "/comment"),
        (json!({ "status": "approved", "comment": { "markdown": " " } }), "/comment"),
    ] {
        let call = proposed.call(reviewer, "submitChangeRequestReview", 0);
        let refused = call.json(&body).send().await.expect(400);
        assert!(refused.message().contains(names), "{refused}");
    }
}

/// Archives one change request and merges the other.
async fn closed_change_requests_are_not_reviewed(
    env: &TestEnv,
    proposed: &Proposed,
    reviewer: &Client,
    editor: &Client,
) {
    let archive = proposed.call(&env.client, "updateChangeRequestById", 1);
    let _archived = archive.json(&json!({ "status": "archived" })).send().await.expect(200);
    let refused = proposed.review(reviewer, 1, "approved").await.expect(409);
    assert!(refused.message().contains("archived"), "{refused}");
    let merge = proposed.call(&env.client, "mergeChangeRequest", 0);
    let merged = merge.send().await.expect(200);
    assert_eq!(merged.text_at("/result"), "merge", "{merged}");
    let refused = proposed.review(reviewer, 0, "approved").await.expect(409);
    assert!(refused.message().contains("merged"), "{refused}");
    assert_eq!(
        proposed.list_reviews(editor, None, 50, "").await.expect(200).at("/count"),
        &json!(4)
    );
}

#[test]
fn reviews_are_requested() {
    each_engine(async |env: &mut TestEnv| {
        let by = [("ada@example.com", "One"), ("", "Two"), ("", "Three")];
        let proposed = proposed(env, &by).await;
        let reviewer = env.person("rob@example.com", Some("review")).await;
        let reader = env.person("rea@example.com", Some("read")).await;
        let editor = env.person("ed@example.com", Some("edit")).await;
        let guest = env.person("guest@example.com", None).await;
        let (rob, rea) = (id_of(&reviewer).await, id_of(&reader).await);
        let unseeing = id_of(&guest).await;

        invalid_requests_are_rejected(&proposed, &reader, &editor, &guest, &rob, &rea, &unseeing)
            .await;
        let before = proposed.shown(&reader, 0).await;
        assert_eq!(
            (proposed.requested(&reader, 0, &[]).await.at("/count"), before.text_at("/status")),
            (&json!(0), "draft")
        );

        let asked = a_request_opens_a_draft(&proposed, &reader, &editor, &rob, &before).await;
        // An existing request keeps its requester and is not recorded again.
        let again = proposed.ask(&env.client, 0, &json!({ "users": [rob, rea] })).await;
        let again = again.expect(200);
        assert_eq!(again.text_at("/users/0/requestedBy/email"), "ed@example.com");
        assert_eq!(again.text_at("/users/1/user/email"), "rea@example.com");
        // A reader can be requested as reviewer, but gains no permission.
        let refused = proposed.review(&reader, 0, "approved").await.expect(403);
        assert!(refused.message().contains("review"), "{refused}");
        let page = proposed.requested(&reader, 0, &[("limit", "1")]).await;
        assert_eq!((page.at("/count"), page.text_at("/items/0/user/id")), (&json!(2), &*rob));
        let page = proposed
            .requested(&reader, 0, &[("limit", "1"), ("page", page.text_at("/next/page"))])
            .await;
        assert_eq!((page.json.get("next"), page.text_at("/items/0/user/id")), (None, &*rea));
        // After new content, a request is made anew.
        proposed.renew(env, 0).await;
        let renewed = proposed.ask(&env.client, 0, &json!({ "users": [rob] })).await.expect(200);
        assert_eq!(
            renewed.text_at("/users/0/revision"),
            proposed.shown(&reader, 0).await.text_at("/revision")
        );
        assert_eq!(renewed.text_at("/users/0/requestedBy/email"), "admin@localhost");
        assert_eq!(renewed.text_at("/users/0/createdAt"), asked.text_at("/users/0/createdAt"));
        let _nobody = proposed.ask(&editor, 1, &json!({ "users": [] })).await.expect(200);
        assert_eq!(proposed.shown(&reader, 1).await.text_at("/status"), "open");

        requests_are_removed(&proposed, &reader, &guest, &editor, &rob, &rea).await;

        closed_change_requests_have_no_new_reviewers(env, &proposed, &editor, &rob, &rea).await;

        let space = proposed.space.clone();
        let kinds: Vec<_> = told(env, &space).await.into_iter().map(|(kind, _)| kind).collect();
        let requested = "reviewerRequested";
        assert_eq!(kinds, [requested, requested, requested, "reviewerRemoved"]);
    });
}

/// Requests reviews without permission and from unknown users.
async fn invalid_requests_are_rejected(
    proposed: &Proposed,
    reader: &Client,
    editor: &Client,
    guest: &Client,
    rob: &str,
    rea: &str,
    unseeing: &str,
) {
    let _refused = proposed.ask(reader, 0, &json!({ "users": [rob] })).await.expect(403);
    let _unseen = proposed.ask(guest, 0, &json!({ "users": [rob] })).await.expect(404);
    for (body, names) in [
        (json!({ "users": [rob, unseeing] }), "/users/1"),
        (json!({ "users": ["00000000000000000000"] }), "/users/0"),
        (json!({ "users": [rob, rea, "rob"] }), "/users/2"),
        (json!({ "users": rob }), "/users"),
        (json!({}), "users"),
        (json!({ "users": [rob], "subject": "a\u{202E}b" }), "/subject"),
        (json!({ "users": [rob], "subject": "x".repeat(101) }), "/subject"),
    ] {
        let refused = proposed.ask(editor, 0, &body).await.expect(400);
        assert!(refused.message().contains(names), "{refused}");
    }
}

/// Requests the first review.
async fn a_request_opens_a_draft(
    proposed: &Proposed,
    reader: &Client,
    editor: &Client,
    rob: &str,
    before: &Answer,
) -> Answer {
    // Requesting a review opens a draft.
    let body = json!({ "users": [rob, rob], "subject": "Sweet home" });
    let asked = proposed.ask(editor, 0, &body).await.expect(200);
    assert_eq!(asked.at("/users").as_array().map(Vec::len), Some(1), "{asked}");
    for (pointer, expect) in [
        ("/users/0/kind", "user"),
        ("/users/0/user/email", "rob@example.com"),
        ("/users/0/requestedBy/email", "ed@example.com"),
        ("/users/0/revision", before.text_at("/revision")),
    ] {
        assert_eq!(asked.text_at(pointer), expect, "{asked}");
    }
    let now = proposed.shown(reader, 0).await;
    let said = (now.text_at("/status"), now.text_at("/subject"));
    assert_eq!(said, ("open", "Sweet home"));
    asked
}

/// Removes requests with and without permission.
async fn requests_are_removed(
    proposed: &Proposed,
    reader: &Client,
    guest: &Client,
    editor: &Client,
    rob: &str,
    rea: &str,
) {
    for (client, index, user, expect) in [
        (reader, 0, rob, 403),
        (guest, 0, rob, 204),
        (editor, 1, rob, 204),
        (editor, 0, "x", 204),
        (editor, 0, rob, 205),
        (editor, 0, rob, 204),
    ] {
        assert_eq!(proposed.remove_reviewer(client, index, user).await, expect, "{index} {user}");
    }
    assert_eq!(proposed.requested(reader, 0, &[]).await.text_at("/items/0/user/id"), rea);
}

/// Archives one change request and merges another.
async fn closed_change_requests_have_no_new_reviewers(
    env: &TestEnv,
    proposed: &Proposed,
    editor: &Client,
    rob: &str,
    rea: &str,
) {
    let archive = proposed.call(&env.client, "updateChangeRequestById", 2);
    let _archived = archive.json(&json!({ "status": "archived" })).send().await.expect(200);
    let body = json!({ "users": [rob] });
    let refused = proposed.ask(editor, 2, &body).await.expect(409);
    assert!(refused.message().contains("archived"), "{refused}");
    let merge = proposed.call(&env.client, "mergeChangeRequest", 0);
    assert_eq!(merge.send().await.expect(200).text_at("/result"), "merge");
    let refused = proposed.ask(editor, 0, &body).await.expect(409);
    assert!(refused.message().contains("merged"), "{refused}");
    assert_eq!(proposed.remove_reviewer(editor, 0, rea).await, 409);
}

#[test]
fn reviews_are_filtered_by_user_and_status() {
    each_engine(async |env: &mut TestEnv| {
        let by = [("ada@example.com", "One"), ("bob@example.com", "Two"), ("", "Three"), ("", "4")];
        let proposed = proposed(env, &by).await;
        let reviewer = env.person("rob@example.com", Some("review")).await;
        let guest = env.person("guest@example.com", None).await;
        let rob = id_of(&reviewer).await;
        let author = proposed.call(&env.client, "getChangeRequestById", 0).send().await;
        let ada = author.expect(200).text_at("/createdBy/id").to_owned();
        change_requests_are_counted_by_status(env, &proposed, &reviewer, &rob).await;
        contributors_are_counted(env, &proposed, &reviewer, &rob).await;
        let ids = &proposed.ids;
        let none: &[(&str, &str)] = &[];
        let cases = [
            (none, [2, 1].as_slice()),
            (&[("status", "draft")], &[0]),
            (&[("status", "merged")], &[3]),
            (&[("status", "archived")], &[]),
            (&[("status", "draft"), ("creator", &ada)], &[0]),
            (&[("status", "open"), ("creator", &ada)], &[]),
            (&[("status", "open"), ("creator", &rob)], &[]),
            (&[("status", "draft"), ("contributor", &rob)], &[0]),
            (&[("status", "draft"), ("contributor", &ada)], &[0]),
            (&[("contributor", &ada)], &[]),
            (&[("requestedReviewer", &rob)], &[1]),
            (&[("requestedReviewer", &ada)], &[]),
            (&[("creator", "x")], &[]),
        ];
        for (query, expect) in cases {
            let expect: Vec<&str> = expect.iter().map(|index| ids[*index].as_str()).collect();
            for (operation, name, id) in [
                ("listChangeRequestsForSpace", "spaceId", &proposed.space),
                ("listChangeRequestsForOrganization", "organizationId", &env.organization),
            ] {
                let ask = async |client: &Client| {
                    let call = client.call(operation).path(name, id);
                    let call =
                        query.iter().fold(call, |call, (name, value)| call.query(name, value));
                    call.send().await
                };
                let list = ask(&reviewer).await.expect(200);
                assert_eq!(ids_of(&list), expect, "{operation} {query:?}");
                assert_eq!(list.at("/count"), &json!(expect.len()), "{operation} {query:?}");
                let unseen = ask(&guest).await;
                match name {
                    "spaceId" => drop(unseen.expect(404)),
                    _ => assert_eq!(unseen.expect(200).at("/items"), &json!([])),
                }
            }
        }
    });
}

/// Changes the status of the change requests, and reads the counts of the space.
async fn change_requests_are_counted_by_status(
    env: &TestEnv,
    proposed: &Proposed,
    reviewer: &Client,
    rob: &str,
) {
    let counts = async || {
        let space = env.of_space("getSpaceById", &proposed.space).await.expect(200);
        ["", "Open", "Draft"].map(|of| space.at(&format!("/changeRequests{of}")).as_u64().unwrap())
    };
    assert_eq!(counts().await, [4, 0, 4]);
    let _asked = proposed.ask(reviewer, 1, &json!({ "users": [rob] })).await.expect(200);
    assert_eq!(counts().await, [4, 1, 3]);
    let set = async |index, status: &str| {
        let call = proposed.call(reviewer, "updateChangeRequestById", index);
        let _set = call.json(&json!({ "status": status })).send().await.expect(200);
    };
    set(2, "archived").await;
    assert_eq!(counts().await, [4, 1, 2]);
    set(0, "open").await;
    set(0, "open").await;
    assert_eq!(counts().await, [4, 2, 1]);
    let merge = proposed.call(reviewer, "mergeChangeRequest", 3);
    assert_eq!(merge.send().await.expect(200).text_at("/result"), "merge");
    assert_eq!(counts().await, [4, 2, 0]);
    set(0, "draft").await;
    assert_eq!(counts().await, [4, 1, 1]);
    set(2, "open").await;
    assert_eq!(counts().await, [4, 2, 1]);
}

/// Edits change requests, and reads their contributors.
async fn contributors_are_counted(
    env: &TestEnv,
    proposed: &Proposed,
    reviewer: &Client,
    rob: &str,
) {
    for title in ["Again", "And again"] {
        proposed.edit(reviewer, 0, title).await;
    }
    let contributors = proposed.call(&env.client, "getContributorsByChangeRequestId", 0);
    let contributors = contributors.send().await.expect(200);
    let items = contributors.at("/items").as_array().unwrap().iter();
    let mut counted: Vec<_> = items
        .map(|item| {
            assert_eq!(item["actionType"], "edit", "{item}");
            (item["user"]["email"].as_str().unwrap(), item["count"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(contributors.text_at("/items/0/user/id"), rob);
    counted.sort_unstable();
    assert_eq!(counted, [("ada@example.com", 1), ("rob@example.com", 2)]);
    assert_eq!(contributors.at("/count"), &json!(2));
    // An update with the main content does not make a contributor.
    proposed.renew(env, 1).await;
    let one = proposed.call(reviewer, "getContributorsByChangeRequestId", 1);
    let one = one.send().await.expect(200);
    assert_eq!(
        (one.at("/count"), one.text_at("/items/0/user/email")),
        (&json!(1), "bob@example.com")
    );
}
