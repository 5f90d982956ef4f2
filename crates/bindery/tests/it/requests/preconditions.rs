//! Conditional and idempotent requests.

use serde_json::json;

use crate::support::change_requests::Proposal;
use crate::support::{TestEnv, each_engine, join_all};

#[test]
fn if_match_prevents_overwriting() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Edited").await;
        let proposal = Proposal::new(&env.client, &space).await;
        let page = proposal.page("Page", "One.\n").await;
        let of_space = |operation: &str| env.client.call(operation).path("spaceId", &space);
        let insert = json!({ "changes": [
            { "operation": "insert_page", "title": "New", "document": {} },
        ] });
        let first = of_space("listSpaceHistory").send().await.expect(200);
        let revert = json!({ "revision": first.text_at("/items/0/revision") });
        let made = of_space("updateSpaceContent").json(&insert).send().await.expect(200);
        let main = made.text_at("/revision").to_owned();
        let proposed = proposal.get("getChangeRequestById").await.text_at("/revision").to_owned();
        let calls = [
            (of_space("updateSpaceContent").json(&insert), &main),
            (of_space("revertSpace").json(&revert), &main),
            (proposal.call("updateChangeRequestContent").json(&insert), &proposed),
            (
                proposal.call("resolveChangeRequestConflicts").json(&json!({ "choice": "main" })),
                &proposed,
            ),
            (proposal.call("discardChangeRequestPage").json(&json!({ "page": page })), &proposed),
        ];
        let stale = format!("\"{}\"", first.text_at("/items/0/revision"));
        for (call, current) in calls {
            let call = call.header("if-match", &stale);
            let stale = call.send().await.expect(412);
            assert!(stale.message().contains(current.as_str()), "{stale}");
        }
        let now = env.of_space("getSpaceById", &space).await;
        assert_eq!(now.text_at("/revision"), main);
        let now = proposal.get("getChangeRequestById").await;
        assert_eq!(now.text_at("/revision"), proposed);
    });
}

#[test]
fn invalid_idempotency_keys_are_rejected() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Keyed").await;
        let long = "k".repeat(256);
        for key in ["", &long] {
            let call = env.client.call("createChangeRequest").path("spaceId", &space);
            let call = call.header("idempotency-key", key).json(&json!({}));
            let refused = call.send().await.expect(400);
            assert!(refused.message().contains("Idempotency-Key"), "{refused}");
        }
        let call = env.client.call("createChangeRequest").path("spaceId", &space);
        let _made =
            call.header("idempotency-key", &long[1..]).json(&json!({})).send().await.expect(201);
        let now = env.of_space("getSpaceById", &space).await;
        assert_eq!(now.at("/changeRequestsDraft"), &json!(1));
    });
}

#[test]
fn replayed_requests_fetch_nothing() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Once").await;
        let proposal = Proposal::new(&env.client, &space).await;
        // This server answers a single request and then stops.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/a.txt", listener.local_addr().unwrap());
        let once = std::thread::spawn(move || {
            use std::io::{Read as _, Write as _};
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]).unwrap();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n";
            write!(stream, "{head}content-length: 4\r\n\r\ntext").unwrap();
        });
        let file = json!({ "name": "a.txt", "contentType": "text/plain", "url": url });
        let changes = json!({ "changes": [{ "operation": "insert_files", "files": [file] }] });
        let send = async || {
            let call = proposal.call("updateChangeRequestContent").query("compat", "false");
            call.header("Idempotency-Key", "one").json(&changes).send().await.expect(200)
        };
        let first = send().await;
        once.join().unwrap();
        assert_eq!(send().await.json, first.json);
        let other = proposal.call("updateChangeRequestContent").header("Idempotency-Key", "one");
        let _other = other.json(&changes).send().await.expect(422);
    });
}

#[test]
fn concurrent_duplicates_are_processed_once() {
    each_engine(async |env: &mut TestEnv| {
        let before = env.space("Before").await;
        let made = std::cell::RefCell::new(Vec::new());
        let sends = (0..8).map(async |_| {
            let call = env.client.call("createSpace").path("organizationId", &env.organization);
            let call = call.header("Idempotency-Key", "one").json(&json!({ "title": "Once" }));
            let answer = call.send().await.expect(201);
            made.borrow_mut().push(answer);
        });
        join_all(sends).await;
        let made = made.into_inner();
        let id = made[0].text_at("/id");
        assert_ne!(id, before);
        for answer in &made {
            assert_eq!(answer.text_at("/id"), id);
            assert_eq!(answer.header("location"), made[0].header("location"));
        }
        let list = env.client.call("listSpacesInOrganizationById").query("limit", 100);
        let list = list.path("organizationId", &env.organization).send().await.expect(200);
        let items = list.at("/items").as_array().unwrap();
        assert_eq!(items.iter().filter(|item| item["title"] == "Once").count(), 1);
    });
}
