//! Benchmark of the store against SQLite's own limit in the same run: `cargo run --release
//! --package bindery-store --example writes`.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use bindery_model::{Entropy, FixedClock, Timestamp};
use bindery_revision::{Hash, Objects};
use bindery_store::{PreparedObject, Store, StoreConfig, StoreError, params};
use bytes::Bytes;

const CALLERS: usize = 64;
const WRITES: usize = 400;
const READS: u32 = 200_000;
const OBJECTS: usize = 100_000;

type Result<T = (), E = Box<dyn std::error::Error + Send + Sync>> = std::result::Result<T, E>;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
async fn main() -> Result {
    for round in 1..=3 {
        println!("round {round}");
        println!("  writes, SQLite's limit    {}", sqlite_limit()?);
        println!("  writes, {CALLERS} callers        {}", writes(CALLERS).await?);
        println!("  writes, 1 caller          {}", writes(1).await?);
    }
    for (what, each) in reads().await? {
        println!("  {what:<25} {each:?} each");
    }
    for (what, took) in objects().await? {
        println!("  {what:<25} {:.2} s", took.as_secs_f64());
    }
    Ok(())
}

async fn open(dir: &tempfile::TempDir) -> Result<Store> {
    let clock = Arc::new(FixedClock::new(Timestamp::from_millis(0)));
    let entropy = Arc::new(Entropy::from_system()?);
    Ok(Store::open(StoreConfig::embedded(dir.path(), clock, entropy)).await?)
}

/// Returns a row with the size of a small record.
fn row(n: usize) -> (String, [u8; 200]) {
    (format!("key-{n:012}"), [n.to_le_bytes()[0]; 200])
}

const INSERT: &str = "INSERT INTO meta (key, value) VALUES ($1, $2)";

/// Measures SQLite without the store: one thread commits all waiting rows together. The rows arrive
/// over a channel from one thread per caller, and each caller waits for its commit.
fn sqlite_limit() -> Result<String> {
    let dir = tempfile::TempDir::new()?;
    let connection = rusqlite::Connection::open(dir.path().join("limit.db"))?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
         CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;",
    )?;
    let (send, receive) = mpsc::channel::<(usize, mpsc::Sender<()>)>();
    let start = Instant::now();
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| {
            let send = send.clone();
            std::thread::spawn(move || {
                let (done, wait) = mpsc::channel();
                let mut times = Vec::with_capacity(WRITES);
                for n in 0..WRITES {
                    let start = Instant::now();
                    if send.send((caller * WRITES + n, done.clone())).is_err() {
                        break;
                    }
                    if wait.recv().is_err() {
                        break;
                    }
                    times.push(start.elapsed());
                }
                times
            })
        })
        .collect();
    drop(send);
    while let Ok(first) = receive.recv() {
        let mut batch = vec![first];
        batch.extend(receive.try_iter().take(CALLERS));
        connection.execute_batch("BEGIN IMMEDIATE")?;
        for (n, _) in &batch {
            let (key, value) = row(*n);
            connection.prepare_cached(INSERT)?.execute(rusqlite::params![key, value])?;
        }
        connection.execute_batch("COMMIT")?;
        for (_, done) in batch {
            done.send(())?;
        }
    }
    let mut times = Vec::new();
    for caller in callers {
        times.extend(caller.join().map_err(|_| "a caller panicked")?);
    }
    Ok(figures(times, start.elapsed()))
}

async fn writes(callers: usize) -> Result<String> {
    let dir = tempfile::TempDir::new()?;
    let store = open(&dir).await?;
    let start = Instant::now();
    let tasks: Vec<_> = (0..callers)
        .map(|caller| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut times = Vec::with_capacity(WRITES);
                for n in 0..WRITES {
                    let (key, value) = row(caller * WRITES + n);
                    let start = Instant::now();
                    store.write(move |tx| tx.execute(INSERT, params![&key, &value])).await?;
                    times.push(start.elapsed());
                }
                Ok::<_, StoreError>(times)
            })
        })
        .collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    Ok(figures(times, start.elapsed()))
}

fn figures(mut times: Vec<Duration>, took: Duration) -> String {
    times.sort_unstable();
    let at = |part: f64| times.get((times.len() as f64 * part) as usize).copied();
    format!(
        "{:>8.0}/s, p50 {:?}, p99 {:?}",
        times.len() as f64 / took.as_secs_f64(),
        at(0.5).unwrap_or_default(),
        at(0.99).unwrap_or_default()
    )
}

async fn reads() -> Result<Vec<(&'static str, Duration)>> {
    let dir = tempfile::TempDir::new()?;
    let store = open(&dir).await?;
    store
        .write(|tx| (0..10_000).map(row).try_for_each(|(key, value)| tx.set_meta(&key, &value)))
        .await?;
    let keys: Vec<String> = (0..10_000).map(|n| row(n * 7 % 10_000).0).collect();
    let mut out = Vec::new();

    let start = Instant::now();
    for n in 0..READS {
        let key = keys[n as usize % keys.len()].clone();
        store.read(move |tx| tx.meta(&key)).await?.ok_or("no row")?;
    }
    out.push(("a point read", start.elapsed() / READS));

    let start = Instant::now();
    for n in 0..READS / 10 {
        let key = keys[n as usize % keys.len()].clone();
        store
            .read(move |tx| {
                for _ in 0..10 {
                    tx.meta(&key)?.ok_or(StoreError::NoRow)?;
                }
                Ok::<_, StoreError>(())
            })
            .await?;
    }
    out.push(("a point read, ten at once", start.elapsed() / READS));
    Ok(out)
}

async fn objects() -> Result<Vec<(&'static str, Duration)>> {
    let dir = tempfile::TempDir::new()?;
    let store = open(&dir).await?;
    let objects: Vec<Bytes> = (0..OBJECTS).map(page).collect();
    let mut out = Vec::new();

    let start = Instant::now();
    let (a, b) = objects.split_at(OBJECTS / 2);
    let prepare =
        |some: &[Bytes]| some.iter().cloned().map(PreparedObject::new).collect::<Vec<_>>();
    let prepared = std::thread::scope(|scope| {
        let a = scope.spawn(|| prepare(a));
        let b = prepare(b);
        a.join().map(|a| [a, b].concat())
    })
    .map_err(|_| "a thread panicked")?;
    out.push(("100,000 objects prepared", start.elapsed()));
    let (size, kept) =
        prepared.iter().fold((0, 0), |(size, kept), o| (size + o.size(), kept + o.stored_size()));
    let again = prepared.clone();

    let start = Instant::now();
    store.put_objects(prepared).await?;
    out.push(("100,000 objects stored", start.elapsed()));
    let start = Instant::now();
    store.put_objects(again).await?;
    out.push(("100,000 objects again", start.elapsed()));

    let hashes: Vec<Hash> = objects.iter().map(|bytes| Hash::of(bytes)).collect();
    let reader = store.objects();
    let start = Instant::now();
    for hash in &hashes {
        reader.get(hash)?;
    }
    out.push(("100,000 objects read", start.elapsed()));
    out.push((if kept * 2 < size { "kept below half" } else { "kept above half" }, Duration::ZERO));
    Ok(out)
}

/// Returns about 1.5 KB of text that compresses like prose.
fn page(n: usize) -> Bytes {
    const WORDS: [&str; 16] = [
        "space",
        "revision",
        "the",
        "a",
        "content",
        "page",
        "of",
        "to",
        "and",
        "import",
        "organization",
        "is",
        "published",
        "site",
        "with",
        "change",
    ];
    let mut hash = blake3::Hasher::new().update(&n.to_le_bytes()).finalize_xof();
    let mut text = format!("# Page {n}\n\n");
    let mut random = [0; 64];
    while text.len() < 1500 {
        hash.fill(&mut random);
        for byte in random {
            text.push_str(WORDS[usize::from(byte % 16)]);
            text.push(if byte > 240 { '\n' } else { ' ' });
        }
    }
    text.into()
}
