//! Killing the server at random moments while clients write: acknowledged writes survive, and no
//! partial writes remain.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use bindery_testkit::{Client, Engine, Installation, SETUP_TOKEN};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client as Connections;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

use crate::support::{join_all, until};

/// The number of rounds on each engine, unless `BINDERY_KILL_ROUNDS` is set.
const ROUNDS: u32 = 25;
/// The time limit of a request, far longer than the server runs in a round.
const TIMEOUT: Duration = Duration::from_mins(1);
/// The number of concurrent writing clients.
const CLIENTS: usize = 4;
/// The number of concurrent clients that merge into one space.
const MERGERS: usize = 3;

/// The writes that a server acknowledged: ids with titles or names.
#[derive(Default)]
struct Acknowledged {
    spaces: BTreeMap<String, String>,
    tokens: BTreeMap<String, String>,
    /// Titles of pages that were merged into the main content.
    merged: Vec<String>,
    /// Change requests that were merged.
    proposals: Vec<String>,
}

#[test]
fn acknowledged_writes_survive_a_kill() {
    let rounds = std::env::var("BINDERY_KILL_ROUNDS").ok().map_or(ROUNDS, |n| n.parse().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for engine in Engine::all() {
        println!("on {engine:?}");
        runtime.block_on(rounds_on(engine, rounds));
    }
}

async fn rounds_on(engine: Engine, rounds: u32) {
    let installation = Installation::new(env!("CARGO_BIN_EXE_bindery"), engine);
    let acknowledged = Mutex::new(Acknowledged::default());
    let shared = shared_space(&installation).await;
    for round in 0..rounds {
        let server = installation.start();
        let client = server.client();
        let list = client.call("listOrganizationsForAuthenticatedUser").send().await.expect(200);
        let organization = list.text_at("/items/0/id").to_owned();
        let address = server.address().to_owned();
        let writers = async {
            let writers = (0..CLIENTS)
                .map(|writer| write(&address, &organization, round, writer, &acknowledged));
            let mergers =
                (0..MERGERS).map(|merger| merge(&address, &shared, round, merger, &acknowledged));
            let all = async { tokio::join!(join_all(writers), join_all(mergers)) };
            // A request without a response is not acknowledged.
            let _unanswered = tokio::time::timeout(TIMEOUT, all).await;
        };
        // The moment differs between rounds.
        let moment = Duration::from_micros(u64::from(round) * 7_919 % 120_000 + 1_000);
        let merged = || acknowledged.lock().unwrap().merged.len();
        let before = merged();
        let killer = async {
            // A merge is the fourth request of a client: some rounds last until one is acknowledged.
            if round % 4 == 3 {
                until(async || (merged() > before).then_some(())).await;
            }
            tokio::time::sleep(moment).await;
            server.kill();
        };
        tokio::join!(writers, killer);
    }
    let server = installation.start();
    let acknowledged = acknowledged.into_inner().unwrap();
    check(&server.client(), &acknowledged).await;
    check_merges(&server.client(), &shared, &acknowledged).await;
    assert!(server.stop().success());
}

/// Creates a space that all merging clients share.
async fn shared_space(installation: &Installation) -> String {
    let server = installation.start();
    let client = server.client();
    let list = client.call("listOrganizationsForAuthenticatedUser").send().await.expect(200);
    let call = client.call("createSpace").path("organizationId", list.text_at("/items/0/id"));
    let space = call.json(&json!({ "title": "Shared" })).send().await.expect(201);
    assert!(server.stop().success());
    space.text_at("/id").to_owned()
}

/// Creates and merges change requests until the server stops.
async fn merge(
    address: &str,
    space: &str,
    round: u32,
    merger: usize,
    acknowledged: &Mutex<Acknowledged>,
) {
    let connections: Connections<HttpConnector, Full<Bytes>> =
        Connections::builder(TokioExecutor::new()).build_http();
    let post = async |path: String, body: Value| -> Option<Value> {
        let request = http::Request::post(format!("{address}/v1/spaces/{space}{path}"))
            .header("authorization", format!("Bearer {SETUP_TOKEN}"))
            .header("content-type", "application/json")
            .body(Full::from(body.to_string()))
            .unwrap();
        let answer = connections.request(request).await.ok()?;
        let status = answer.status();
        let body = answer.into_body().collect().await.ok()?.to_bytes();
        assert!(status.is_success(), "{path}: {status} {}", String::from_utf8_lossy(&body));
        Some(serde_json::from_slice(&body).unwrap())
    };
    for number in 0.. {
        let title = format!("Merged {round} {merger} {number}");
        let Some(made) = post("/change-requests".to_owned(), json!({})).await else { return };
        let id = made["id"].as_str().unwrap().to_owned();
        let change = json!({
            "operation": "insert_page", "title": title, "document": { "markdown": "Text.\n" },
        });
        let changes = json!({ "changes": [change] });
        let Some(_) = post(format!("/change-requests/{id}/content"), changes).await else { return };
        let Some(merged) = post(format!("/change-requests/{id}/merge"), json!({})).await else {
            return;
        };
        assert_eq!(merged["result"], "merge");
        let mut acknowledged = acknowledged.lock().unwrap();
        acknowledged.merged.push(title);
        acknowledged.proposals.push(id);
    }
}

/// Checks that every acknowledged merge is in the main content once, and that none is partial.
async fn check_merges(client: &Client, space: &str, acknowledged: &Acknowledged) {
    let pages = client.call("listPages").path("spaceId", space).send().await.expect(200);
    let titles: Vec<&str> = pages
        .at("/pages")
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["title"].as_str().unwrap())
        .collect();
    assert!(!acknowledged.merged.is_empty());
    println!("acknowledged {} merges, found {} pages", acknowledged.merged.len(), titles.len());
    for title in &acknowledged.merged {
        let found = titles.iter().filter(|found| *found == title).count();
        assert_eq!(found, 1, "{title}");
    }
    let mut merged = 0;
    for status in ["draft", "merged"] {
        let mut cursor = String::new();
        loop {
            let call = client.call("listChangeRequestsForSpace").path("spaceId", space);
            let mut call = call.query("status", status).query("limit", 1000);
            if !cursor.is_empty() {
                call = call.query("page", &cursor);
            }
            let list = call.send().await.expect(200);
            let items = list.at("/items").as_array().unwrap();
            merged += if status == "merged" { items.len() } else { 0 };
            for item in items {
                let id = item["id"].as_str().unwrap().to_owned();
                assert!(status == "merged" || !acknowledged.proposals.contains(&id), "{item}");
                assert_eq!(item.get("revisionMerged").is_some(), status == "merged", "{item}");
            }
            match list.json.pointer("/next/page").and_then(Value::as_str) {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
    }
    // The pages correspond to the merges, including merges that were not acknowledged.
    assert_eq!(merged, titles.len());
    let shown = client.call("getSpaceById").path("spaceId", space).send().await.expect(200);
    let history = client.call("listSpaceHistory").path("spaceId", space).send().await.expect(200);
    assert_eq!(history.at("/count"), &json!(merged + 1));
    // The search index agrees with the database.
    until(async || {
        let search = client.call("searchSpaceContent").path("spaceId", space);
        let found = search.query("query", "text").send().await.expect(200);
        (found.at("/count") == &json!(merged)).then_some(())
    })
    .await;
    assert_eq!(history.text_at("/items/0/revision"), shown.text_at("/revision"));
}

/// Writes until the server stops.
async fn write(
    address: &str,
    organization: &str,
    round: u32,
    writer: usize,
    acknowledged: &Mutex<Acknowledged>,
) {
    let connections: Connections<HttpConnector, Full<Bytes>> =
        Connections::builder(TokioExecutor::new()).build_http();
    for number in 0.. {
        let name = format!("{round} {writer} {number}");
        let is_space = (writer + number).is_multiple_of(2);
        let (path, body) = if is_space {
            (format!("/v1/orgs/{organization}/spaces"), json!({ "title": name }))
        } else {
            ("/v1/bindery/user/tokens".to_owned(), json!({ "name": name }))
        };
        let request = http::Request::post(format!("{address}{path}"))
            .header("authorization", format!("Bearer {SETUP_TOKEN}"))
            .header("content-type", "application/json")
            .body(Full::from(body.to_string()))
            .unwrap();
        let Ok(answer) = connections.request(request).await else { return };
        // The status is the acknowledgement, but without the body there is no id to check.
        let status = answer.status().as_u16();
        let Ok(body) = answer.into_body().collect().await else { return };
        let made: Value = serde_json::from_slice(&body.to_bytes()).unwrap();
        if !is_space && status == 409 {
            // The limit of tokens is reached.
            continue;
        }
        assert_eq!(status, 201, "{made}");
        let id = made["id"].as_str().unwrap().to_owned();
        let mut acknowledged = acknowledged.lock().unwrap();
        let list = if is_space { &mut acknowledged.spaces } else { &mut acknowledged.tokens };
        list.insert(id, name);
    }
}

async fn check(client: &Client, acknowledged: &Acknowledged) {
    let list = client.call("listOrganizationsForAuthenticatedUser").send().await.expect(200);
    let organization = list.text_at("/items/0/id").to_owned();
    let spaces = all(client, "listSpacesInOrganizationById", Some(&organization), "title").await;
    let tokens = all(client, "listTokens", None, "name").await;
    assert!(!acknowledged.spaces.is_empty() && !acknowledged.tokens.is_empty());
    println!(
        "acknowledged {} spaces and {} tokens, found {} and {}",
        acknowledged.spaces.len(),
        acknowledged.tokens.len(),
        spaces.len(),
        tokens.len()
    );
    for (kept, promised) in [(&spaces, &acknowledged.spaces), (&tokens, &acknowledged.tokens)] {
        for (id, name) in promised {
            assert_eq!(kept.get(id), Some(name), "{id}");
        }
    }
    // Every space is complete, acknowledged or not: its head exists and can be read.
    for (id, title) in &spaces {
        let space = client.call("getSpaceById").path("spaceId", id).send().await.expect(200);
        assert_eq!(space.text_at("/title"), title);
        let head = client.call("getCurrentRevision").path("spaceId", id).send().await.expect(200);
        assert_eq!(head.at("/id"), space.at("/revision"));
    }
}

/// Returns all items of a list by id.
async fn all(
    client: &Client,
    operation: &str,
    organization: Option<&str>,
    name: &str,
) -> BTreeMap<String, String> {
    let (mut found, mut cursor) = (BTreeMap::new(), String::new());
    loop {
        let mut call = client.call(operation).query("limit", 1000);
        if let Some(organization) = organization {
            call = call.path("organizationId", organization);
        }
        if !cursor.is_empty() {
            call = call.query("page", &cursor);
        }
        let page = call.send().await.expect(200);
        for item in page.at("/items").as_array().unwrap() {
            let text = |field: &str| item[field].as_str().unwrap().to_owned();
            assert_eq!(found.insert(text("id"), text(name)), None, "{item}");
        }
        match page.json.pointer("/next/page").and_then(Value::as_str) {
            Some(next) => cursor = next.to_owned(),
            None => {
                assert_eq!(page.at("/count"), &json!(found.len()));
                return found;
            }
        }
    }
}
