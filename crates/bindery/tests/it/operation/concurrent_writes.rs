//! Concurrent clients in one space: the content has exactly the acknowledged changes.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::{TestEnv, each_engine};

/// The number of clients and the end of the test.
#[derive(Clone, Copy)]
struct Crowd {
    clients: usize,
    merges: usize,
    until: Option<Instant>,
}

impl Crowd {
    /// Reads `BINDERY_CROWD`: clients and merges as `200x20`, or clients and a duration as
    /// `200x60s`. The default is 24 clients with 4 merges each.
    fn asked() -> Self {
        let text = std::env::var("BINDERY_CROWD").unwrap_or_else(|_| "24x4".to_owned());
        let (clients, much) = text.split_once('x').unwrap();
        let clients = clients.parse().unwrap();
        match much.strip_suffix('s') {
            None => Self { clients, merges: much.parse().unwrap(), until: None },
            Some(seconds) => {
                let time = Duration::from_secs(seconds.parse().unwrap());
                Self { clients, merges: usize::MAX, until: Some(Instant::now() + time) }
            }
        }
    }

    fn has_enough(&self, merges: usize) -> bool {
        merges >= self.merges || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// The changes that the server acknowledged, which the main content must have.
#[derive(Default)]
struct Told {
    /// The number of merges of each client, which is the number in its word and its page's title.
    numbers: BTreeMap<usize, usize>,
    /// The pages of the clients.
    pages: BTreeMap<usize, String>,
    /// The lines that clients added.
    lines: Vec<String>,
    /// The number of edits that were repeated because of a conflict.
    conflicts: usize,
}

#[test]
fn concurrent_clients_lose_no_edit() {
    each_engine(async |env: &mut TestEnv| {
        let crowd = Crowd::asked();
        let space = env.space("Crowd").await;
        let words: Vec<String> = (0..crowd.clients).map(word(0)).collect();
        let text = format!("{}.\n\nLines:\n", words.join(", "));
        let change = json!({
            "operation": "insert_page", "title": "Shared", "document": { "markdown": text },
        });
        let call = env.client.call("updateSpaceContent").path("spaceId", &space);
        let made = call.json(&json!({ "changes": [change] })).send().await.expect(200);
        let page = made.text_at("/changes/0/page/id").to_owned();
        let told = Mutex::new(Told::default());
        let everybody = (0..crowd.clients).map(|me| {
            let client = Person { client: env.client.clone(), space: &space, me };
            let (page, told) = (&page, &told);
            async move {
                let mut number = 0;
                while !crowd.has_enough(number) {
                    number += 1;
                    client.edit(page, number, told).await;
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
        text_has_all_edits(env, &space, &page, &told).await;

        pages_have_their_last_titles(env, &space, &page, &told).await;

        let seen = env.of_space("getSpaceById", &space).await.expect(200);
        assert_eq!(seen.at("/changeRequests"), &json!(told.lines.len()));
        assert_eq!(seen.at("/changeRequestsDraft"), &json!(0));
        // One revision for the new space, one for the shared page, and one for each merge.
        let history = env.of_space("listSpaceHistory", &space).await.expect(200);
        assert_eq!(history.at("/count"), &json!(2 + told.lines.len()));
    });
}

/// Checks the shared page: the last number of each client, and each line once.
async fn text_has_all_edits(env: &TestEnv, space: &str, page: &str, told: &Told) {
    let call = env.client.call("getPageById").path("spaceId", space).path("pageId", page);
    let answer = call.query("format", "markdown").send().await.expect(200);
    let text = answer.text_at("/markdown");
    println!("{} merges, {} conflicts", told.lines.len(), told.conflicts);
    for (me, number) in &told.numbers {
        assert!(text.contains(&word(*number)(*me)), "{me} {number}: {text}");
    }
    assert_eq!(told.lines.len(), told.numbers.values().sum::<usize>());
    let mut written: Vec<&str> = text.lines().filter(|line| line.starts_with("line ")).collect();
    let mut lines: Vec<&str> = told.lines.iter().map(String::as_str).collect();
    written.sort_unstable();
    lines.sort_unstable();
    // Each line is there once, and there are no others.
    assert_eq!(written, lines);
}

/// Checks the pages of the clients.
async fn pages_have_their_last_titles(env: &TestEnv, space: &str, page: &str, told: &Told) {
    let tree = env.of_space("listPages", space).await.expect(200);
    let mut found = BTreeMap::new();
    pages_of(tree.at("/pages"), &mut found);
    assert_eq!(found.remove(page).as_deref(), Some("Shared"));
    let wanted: BTreeMap<String, String> =
        told.pages.iter().map(|(me, page)| (page.clone(), title(*me, told.numbers[me]))).collect();
    assert_eq!(found, wanted);
}

/// Collects all pages with their titles; panics if a page is listed twice.
fn pages_of(pages: &Value, found: &mut BTreeMap<String, String>) {
    for page in pages.as_array().into_iter().flatten() {
        let text = |field: &str| page[field].as_str().unwrap().to_owned();
        assert_eq!(found.insert(text("id"), text("title")), None, "{page}");
        pages_of(&page["pages"], found);
    }
}

/// Returns a function from a client to its word with this number.
fn word(number: usize) -> impl Fn(usize) -> String {
    move |me| format!("w{me}v{number}")
}

/// Returns the title of a client's page with this number.
fn title(me: usize, number: usize) -> String {
    format!("Page {me} v{number}")
}

/// A concurrent client.
struct Person<'w> {
    client: Client,
    space: &'w str,
    me: usize,
}

impl Person<'_> {
    /// Makes one change request and merges it: it changes a word and adds a line in the shared
    /// page, renames the client's own page and moves it under a page of another client.
    async fn edit(&self, shared: &str, number: usize, told: &Mutex<Told>) {
        let me = self.me;
        let call = self.client.call("createChangeRequest").path("spaceId", self.space);
        let made = call.json(&json!({})).send().await.expect(201);
        let id = made.text_at("/id").to_owned();
        let at = |operation: &str| {
            let call = self.client.call(operation).path("spaceId", self.space);
            call.path("changeRequestId", &id)
        };
        let own = told.lock().unwrap().pages.get(&me).cloned();
        let titled = title(me, number);
        let change = match &own {
            None => {
                let document = json!({ "markdown": "Mine.\n" });
                json!({ "operation": "insert_page", "title": titled, "document": document })
            }
            Some(page) => json!({ "operation": "update_page", "page": page, "title": titled }),
        };
        let change = json!({ "changes": [change] });
        let call = at("updateChangeRequestContent").query("compat", "false").json(&change);
        let changed = call.send().await.expect(200);
        let own = own.unwrap_or_else(|| changed.text_at("/changes/0/page/id").to_owned());
        self.go_under_another(&own, number, told, &at).await;

        let line = format!("line {me} {number} end");
        loop {
            let call = at("getPageInChangeRequestById").path("pageId", shared);
            let now = call.query("format", "markdown").send().await.expect(200);
            let text = now.text_at("/markdown");
            let mut wanted = text.replace(&word(number - 1)(me), &word(number)(me));
            if !wanted.contains(&line) {
                wanted.push_str(&format!("\n{line}\n"));
            }
            let change = json!({
                "operation": "update_page", "page": shared, "document": { "markdown": wanted },
            });
            let call = at("updateChangeRequestContent").json(&json!({ "changes": [change] }));
            let _changed = call.send().await.expect(200);
            if (me + number).is_multiple_of(3) {
                let _updated = at("updateChangeRequest").send().await.expect(200);
            }
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
        told.numbers.insert(me, number);
        told.pages.insert(me, own);
        told.lines.push(line);
    }

    /// Moves the client's page under another one, unless that page is below it.
    async fn go_under_another(
        &self,
        own: &str,
        number: usize,
        told: &Mutex<Told>,
        at: &impl Fn(&str) -> bindery_testkit::Call,
    ) {
        let under = {
            let told = told.lock().unwrap();
            let pages: Vec<&String> = told.pages.values().collect();
            let under = pages.get((self.me * 7 + number * 13) % pages.len().max(1));
            under.map(|page| (*page).clone())
        };
        let Some(under) = under else { return };
        let change = json!({ "operation": "update_page", "page": own, "into": under });
        let call = at("updateChangeRequestContent").json(&json!({ "changes": [change] }));
        let moved = call.send().await;
        // The target is the page itself or below it, or did not exist when the change request was
        // made.
        assert!(matches!(moved.status, 200 | 400 | 404 | 409), "{moved}");
    }
}
