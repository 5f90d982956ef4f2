//! Many clients at once in one space: what was acknowledged is in the content, and nothing else.

use std::collections::BTreeMap;
use std::sync::Mutex;

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::{World, each_engine};

/// Clients, and merges of each; `BINDERY_CROWD` asks for others, as `200x20`.
const CROWD: (usize, usize) = (24, 4);

fn crowd() -> (usize, usize) {
    std::env::var("BINDERY_CROWD").ok().map_or(CROWD, |text| {
        let (clients, merges) = text.split_once('x').unwrap();
        (clients.parse().unwrap(), merges.parse().unwrap())
    })
}

/// What clients were told is in the main content.
#[derive(Default)]
struct Told {
    /// The newest number of each client's word.
    words: BTreeMap<usize, usize>,
    /// Lines of their own.
    lines: Vec<String>,
    /// How often the same edit had to be made again because of a conflict.
    conflicts: usize,
}

#[test]
fn two_hundred_people_lose_no_edit() {
    each_engine(async |world: &mut World| {
        let (clients, merges) = crowd();
        let space = world.space("Crowd").await;
        let words: Vec<String> = (0..clients).map(word(0)).collect();
        let text = format!("{}.\n\nLines:\n", words.join(", "));
        let change = json!({
            "operation": "insert_page", "title": "Shared", "document": { "markdown": text },
        });
        let call = world.client.call("updateSpaceContent").path("spaceId", &space);
        let made = call.json(&json!({ "changes": [change] })).send().await.expect(200);
        let page = made.text_at("/changes/0/page/id").to_owned();
        let told = Mutex::new(Told::default());
        let everybody = (0..clients).map(|me| {
            let client = world.client.clone();
            let (space, page, told) = (&space, &page, &told);
            async move {
                for number in 1..=merges {
                    edit(&client, space, page, me, number, told).await;
                }
            }
        });
        let mut everybody: Vec<_> = everybody.map(Box::pin).collect();
        std::future::poll_fn(|context| {
            everybody.retain_mut(|one| one.as_mut().poll(context).is_pending());
            match everybody.is_empty() {
                true => std::task::Poll::Ready(()),
                false => std::task::Poll::Pending,
            }
        })
        .await;

        drop(everybody);
        let told = told.into_inner().unwrap();
        let call = world.client.call("getPageById").path("spaceId", &space).path("pageId", &page);
        let answer = call.query("format", "markdown").send().await.expect(200);
        let text = answer.text_at("/markdown");
        println!("{} merges, {} conflicts", clients * merges, told.conflicts);
        for (me, number) in &told.words {
            assert!(text.contains(&word(*number)(*me)), "{me} {number}: {text}");
        }
        assert_eq!(told.lines.len(), clients * merges);
        for line in &told.lines {
            assert_eq!(text.matches(line.as_str()).count(), 1, "{line}: {text}");
        }
        // Nothing is there that nobody wrote.
        let written = text.lines().filter(|line| line.starts_with("line ")).count();
        assert_eq!(written, told.lines.len());
        let space = world.of_space("getSpaceById", &space).await.expect(200);
        assert_eq!(space.at("/changeRequests"), &json!(clients * merges));
        assert_eq!(space.at("/changeRequestsDraft"), &json!(0));
    });
}

/// A client's word with a number.
fn word(number: usize) -> impl Fn(usize) -> String {
    move |me| format!("w{me}v{number}")
}

/// One change of one client, from the change request to its merge.
async fn edit(
    client: &Client,
    space: &str,
    page: &str,
    me: usize,
    number: usize,
    told: &Mutex<Told>,
) {
    let call = client.call("createChangeRequest").path("spaceId", space);
    let made = call.json(&json!({})).send().await.expect(201);
    let id = made.text_at("/id").to_owned();
    let at = |operation: &str| {
        client.call(operation).path("spaceId", space).path("changeRequestId", &id)
    };
    let line = format!("line {me} {number} end");
    loop {
        let call = at("getPageInChangeRequestById").path("pageId", page);
        let now = call.query("format", "markdown").send().await.expect(200);
        let text = now.text_at("/markdown");
        let mut wanted = text.replace(&word(number - 1)(me), &word(number)(me));
        if !wanted.contains(&line) {
            wanted.push_str(&format!("\n{line}\n"));
        }
        let change = json!({
            "operation": "update_page", "page": page, "document": { "markdown": wanted },
        });
        let call = at("updateChangeRequestContent").json(&json!({ "changes": [change] }));
        let _changed = call.send().await.expect(200);
        let merged: Answer = at("mergeChangeRequest").send().await.expect(200);
        if merged.text_at("/result") == "merge" {
            break;
        }
        told.lock().unwrap().conflicts += 1;
        let choice: Value = json!({ "choice": "main" });
        let call = at("resolveChangeRequestConflicts").json(&choice);
        let _resolved = call.send().await.expect(200);
    }
    let mut told = told.lock().unwrap();
    told.words.insert(me, number);
    told.lines.push(line);
}
