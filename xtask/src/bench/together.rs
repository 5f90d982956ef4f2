//! Many people who write pages together: the time from a key to the windows of others, and what
//! that costs the server.

use super::http::Connection;
use super::product::{Product, id};
use super::usage::{Watch, cpu_seconds};
use super::{Options, megabytes, verdict};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between two keys of a person, who types 300 in a minute.
const KEY_INTERVAL: Duration = Duration::from_millis(200);
/// Maximum time from a key to the windows of others at the 95th percentile, in milliseconds.
const LIMIT: f64 = 100.0;
/// Maximum time in which all clients are connected again after a restart, in seconds.
const RECONNECT_LIMIT: f64 = 3.0;
/// Number of paragraphs of a page.
const PARAGRAPHS: usize = 100;

/// Number of people who share a user, which has a limited number of connections.
const PER_USER: usize = 50;

/// A page that people write.
struct Page {
    path: String,
    session: String,
    version: AtomicU64,
}

/// The state that all threads of a measurement share.
struct Shared {
    /// The address of the server.
    address: String,
    /// The headers with the tokens of the users.
    users: Vec<String>,
    start: Instant,
    is_over: AtomicBool,
    /// The times of the keys of each person, in microseconds since the start.
    keys: Vec<Mutex<Vec<u64>>>,
    /// Times from keys to the windows of others, in microseconds.
    delays: Mutex<Vec<u64>>,
}

pub(super) fn run(options: &Options) -> Result<bool> {
    let seconds = Duration::from_secs(u64::from(options.seconds.max(5)));
    let (tail, cpu) = measure("50 people in one page", 50, 1, seconds)?;
    let text = format!("  p95 {tail:.1} ms, limit {LIMIT}, ratio {:.2}", tail / LIMIT);
    let is_fast = verdict(&text, tail <= LIMIT);
    let is_cheap = verdict(&format!("  {cpu:.2} cores, limit 1"), cpu <= 1.0);
    let _figures = measure("1,000 people in 200 pages", 1_000, 200, seconds)?;
    let restarted = reconnect(200)?;
    Ok(is_fast && is_cheap && restarted)
}

/// Measures people who write pages without a pause, each page by as many of them. Returns the 95th
/// percentile of the time from a key to the windows of others, in milliseconds, and the processors
/// that the server used.
fn measure(name: &str, people: usize, pages: usize, time: Duration) -> Result<(f64, f64)> {
    // All people come from one address here.
    let product = Product::with_limits("connections_per_address = 4000\n")?;
    let pages = prepare(&product, pages)?;
    let shared = Arc::new(Shared {
        address: product.url(""),
        users: users(&product, people)?,
        start: Instant::now(),
        is_over: AtomicBool::new(false),
        keys: (0..people).map(|_| Mutex::default()).collect(),
        delays: Mutex::default(),
    });
    let mut threads = Vec::new();
    for person in 0..people {
        let page = pages.get(person % pages.len()).context("a page")?;
        threads.push(follow(&shared, page, person));
    }
    std::thread::sleep(Duration::from_secs(2));
    let memory = Watch::start(product.process());
    let before = cpu_seconds(product.process())?;
    let begun = Instant::now();
    for person in 0..people {
        let page = pages.get(person % pages.len()).context("a page")?;
        threads.push(write(&shared, page, person));
    }
    std::thread::sleep(time);
    let cpu = (cpu_seconds(product.process())? - before) / begun.elapsed().as_secs_f64();
    shared.is_over.store(true, Ordering::Relaxed);
    let peak = memory.finish().anonymous;
    let mut delays = locked(&shared.delays).clone();
    delays.sort_unstable();
    let at = |share: usize| delays.get(delays.len() * share / 100).copied().unwrap_or(u64::MAX);
    let milliseconds = |microseconds: u64| microseconds as f64 / 1e3;
    let keys: usize = shared.keys.iter().map(|keys| locked(keys).len()).sum();
    let (median, tail) = (milliseconds(at(50)), milliseconds(at(95)));
    println!(
        "{name}: {keys} keys in {} s, seen {} times; p50 {median:.1} ms, p95 {tail:.1} ms, p99 \
         {:.1} ms, {cpu:.2} cores, {}",
        time.as_secs(),
        delays.len(),
        milliseconds(at(99)),
        megabytes(peak),
    );
    drop(product);
    for thread in threads {
        // The connection of a follower ends with the server.
        let _ended = thread.join();
    }
    Ok((tail, cpu))
}

/// Measures the time from the start of a server until all clients are connected again.
fn reconnect(clients: usize) -> Result<bool> {
    let product = Product::empty()?;
    let pages = prepare(&product, 1)?;
    let page = pages.first().context("a page")?;
    let users = Arc::new(users(&product, clients)?);
    let product = product.restart()?;
    let begun = Instant::now();
    let address = product.url("");
    let threads: Vec<_> = (0..clients)
        .map(|client| {
            let (page, address, users) = (Arc::clone(page), address.clone(), Arc::clone(&users));
            std::thread::spawn(move || {
                let user = users.get(client / PER_USER).map_or("", String::as_str);
                connect(&address, user, &page, client).is_ok()
            })
        })
        .collect();
    let connected = threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|ok| *ok);
    let connected = connected.count();
    let time = begun.elapsed().as_secs_f64();
    let text = format!("{connected} of {clients} clients connected again in {time:.2} s, limit 3");
    Ok(verdict(&text, connected == clients && time <= RECONNECT_LIMIT))
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a change request with pages, and begins their sessions.
fn prepare(product: &Product, pages: usize) -> Result<Vec<Arc<Page>>> {
    let organization = product.organization()?;
    let space =
        product.post(&format!("/orgs/{organization}/spaces"), &json!({ "title": "Measured" }))?;
    let space = id(&space).context("the space")?;
    let made = product.post(&format!("/spaces/{space}/change-requests"), &json!({}))?;
    let change_request = id(&made).context("the change request")?;
    let text = "Eleven words of a paragraph that somebody wrote before the others.\n\n";
    let change = json!({
        "operation": "insert_page", "title": "Page",
        "document": { "markdown": text.repeat(PARAGRAPHS) },
    });
    let base = format!("/bindery/spaces/{space}/change-requests/{change_request}");
    let mut found = Vec::new();
    for _ in 0..pages {
        let path = format!("/spaces/{space}/change-requests/{change_request}/content?compat=false");
        let made = product.post(&path, &json!({ "changes": [change] }))?;
        let page = made.pointer("/changes/0/page/id").and_then(Value::as_str).context("a page")?;
        let joined = product.post(&format!("{base}/pages/{page}/editing"), &json!({}))?;
        let session = id(&joined).context("the session")?;
        let path = format!("/v1{base}/editing/{session}/steps");
        found.push(Arc::new(Page { path, session, version: AtomicU64::new(0) }));
    }
    Ok(found)
}

/// Creates users for as many people, and returns the headers with their tokens.
fn users(product: &Product, people: usize) -> Result<Vec<String>> {
    let organization = product.organization()?;
    let create = |number: usize| {
        let body = json!({
            "email": format!("p{number}@example.org"), "displayName": format!("Person {number}"),
            "organization": organization, "role": "edit", "token": true,
        });
        let made = product.post("/bindery/users", &body)?;
        let token = made.get("token").and_then(Value::as_str).context("a token")?;
        Ok(format!("Authorization: Bearer {token}"))
    };
    (0..people.div_ceil(PER_USER)).map(create).collect()
}

impl Shared {
    /// Returns the header with the token of a person.
    fn user(&self, person: usize) -> &str {
        self.users.get(person / PER_USER).map_or("", String::as_str)
    }
}

/// Connects to a session and waits for the first sign of it.
fn connect(address: &str, user: &str, page: &Page, person: usize) -> Result<Connection> {
    let version = page.version.load(Ordering::Relaxed);
    let url = format!("{address}{}?version={version}&follow=true&client=c{person}", page.path);
    let mut connection = Connection::open(address)?;
    connection.begin(&url, &[user])?;
    connection.line()?;
    Ok(connection)
}

/// Follows a page and records when the keys of others arrive.
fn follow(shared: &Arc<Shared>, page: &Arc<Page>, person: usize) -> std::thread::JoinHandle<()> {
    let (shared, page) = (Arc::clone(shared), Arc::clone(page));
    std::thread::spawn(move || {
        let user = shared.user(person);
        let Ok(mut connection) = connect(&shared.address, user, &page, person) else { return };
        while let Ok(line) = connection.line() {
            let Some(batches) = line.strip_prefix("data: [") else { continue };
            let now = micros(shared.start);
            let mut delays = Vec::new();
            for batch in batches.split("{\"version\":").skip(1) {
                let number = |name: &str| -> Option<u64> {
                    let (_, rest) = batch.split_once(name)?;
                    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                    rest.get(..end)?.parse().ok()
                };
                let end = batch.find(',').unwrap_or_default();
                let version = batch.get(..end).and_then(|text| text.parse().ok()).unwrap_or(0);
                page.version.fetch_max(version, Ordering::Relaxed);
                let Some((client, key)) = number("\"client\":\"c").zip(number("\"number\":"))
                else {
                    continue;
                };
                let client = usize::try_from(client).unwrap_or_default();
                let keys = shared.keys.get(client).filter(|_| client != person);
                let key = usize::try_from(key).unwrap_or_default().wrapping_sub(1);
                let sent = keys.and_then(|keys| locked(keys).get(key).copied());
                delays.extend(sent.map(|sent| now.saturating_sub(sent)));
            }
            locked(&shared.delays).extend(delays);
        }
    })
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// Types in a page, one key after the other.
fn write(shared: &Arc<Shared>, page: &Arc<Page>, person: usize) -> std::thread::JoinHandle<()> {
    let (shared, page) = (Arc::clone(shared), Arc::clone(page));
    std::thread::spawn(move || {
        let Ok(mut connection) = Connection::open(&shared.address) else { return };
        let url = format!("{}{}", shared.address, page.path);
        // People do not type at the same time.
        std::thread::sleep(KEY_INTERVAL * u32::try_from(person % 40).unwrap_or(0) / 40);
        for number in 1_u64.. {
            let next = Instant::now() + KEY_INTERVAL;
            if shared.is_over.load(Ordering::Relaxed) {
                return;
            }
            if let Some(keys) = shared.keys.get(person) {
                locked(keys).push(micros(shared.start));
            }
            let step = json!({
                "stepType": "replace", "from": 1 + person % 40, "to": 1 + person % 40,
                "slice": { "content": [{ "type": "text", "text": "a" }] },
            });
            let body = json!({
                "version": page.version.load(Ordering::Relaxed), "client": format!("c{person}"),
                "number": number, "steps": [step],
            });
            let sent = connection.send(&url, &[shared.user(person)], Some(&body));
            if sent.and_then(|answer| answer.success(&page.session)).is_err() {
                return;
            }
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
        }
    })
}
