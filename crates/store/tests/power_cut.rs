//! Acknowledged writes survive a power cut at any moment, and no write survives partially. The
//! files are as a disk may leave them: all synced data and an arbitrary part of the rest.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use bindery_faultfs::{Replay, Step, acknowledge, install, start, stop};
use bindery_model::{Entropy, FixedClock, Timestamp};
use bindery_store::{Store, StoreConfig, StoreError};

const WRITERS: u64 = 8;
const WRITES: u64 = 160;

/// Large enough that SQLite copies the write-ahead log into the database several times.
const HALF: usize = 16 << 10;

/// Number of moments at which the power is cut.
const CUTS: usize = 60;

async fn open(dir: &Path) -> Store {
    let clock = Arc::new(FixedClock::new(Timestamp::from_millis(0)));
    let entropy = Arc::new(Entropy::from_system().unwrap());
    Store::open(StoreConfig::embedded(dir, clock, entropy)).await.unwrap()
}

/// Runs both tests in sequence, as they share one recorder.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn power_cuts() {
    assert!(install());
    acknowledged_writes_survive().await;
    unsynced_writes_are_detected();
}

async fn acknowledged_writes_survive() {
    let dir = tempfile::TempDir::new().unwrap();
    start();
    let store = open(dir.path()).await;
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                for n in 0..WRITES {
                    let id = writer * WRITES + n;
                    let written = store
                        .write(move |tx| {
                            let value = vec![id.to_le_bytes()[0]; HALF];
                            tx.set_meta(&format!("{id}a"), &value)?;
                            if id % 10 == 9 {
                                return Err(StoreError::NoRow);
                            }
                            tx.set_meta(&format!("{id}b"), &value)
                        })
                        .await;
                    match written {
                        Ok(()) => acknowledge(id),
                        Err(error) => assert_eq!(error, StoreError::NoRow),
                    }
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    let steps = stop();
    drop(store);

    let checkpoints = syncs(&steps, "bindery.db");
    assert!(checkpoints > 2, "the log was copied {checkpoints} times only");
    let every = steps.len() / CUTS;
    let mut replay = Replay::new();
    let random = Entropy::seeded(11);
    let mut found = 0;
    for (n, step) in steps.into_iter().enumerate() {
        replay.step(step);
        // The database may not exist before the first acknowledgement.
        if n % every == every - 1 && !replay.acknowledged().is_empty() {
            found += check(&replay, n, &random).await;
        }
    }
    assert!(found > 0);
}

fn syncs(steps: &[Step], name: &str) -> usize {
    steps.iter().filter(|step| matches!(step, Step::Sync { file } if file.ends_with(name))).count()
}

/// Opens the store that a power cut leaves, checks it, and returns the number of writes in it.
async fn check(replay: &Replay, moment: usize, random: &Entropy) -> usize {
    // Of the data that was not synced: nothing, everything, or random sectors.
    let kind = moment % 3;
    let dir = tempfile::TempDir::new().unwrap();
    for (path, bytes) in replay.after_power_failure(|| match kind {
        0 => false,
        1 => true,
        _ => random.bytes::<1>() < [128],
    }) {
        std::fs::write(dir.path().join(path.file_name().unwrap()), bytes).unwrap();
    }
    let store = open(dir.path()).await;
    let (health, keys) = store
        .read(|tx| {
            let health: String = tx.query_one("PRAGMA integrity_check", &[], |row| row.get(0))?;
            let keys: Vec<String> = tx.query("SELECT key FROM meta", &[], |row| row.get(0))?;
            Ok::<_, StoreError>((health, keys))
        })
        .await
        .unwrap();
    assert_eq!(health, "ok", "at step {moment}");
    let mut halves: HashMap<u64, usize> = HashMap::new();
    for key in keys {
        *halves.entry(key.trim_end_matches(['a', 'b']).parse().unwrap()).or_default() += 1;
    }
    assert!(halves.values().all(|count| *count == 2), "half a write at step {moment}");
    for id in replay.acknowledged() {
        assert!(halves.contains_key(id), "write {id} is lost at step {moment}");
    }
    halves.len()
}

/// Shows that the test can fail: without a sync in each commit, writes are lost.
fn unsynced_writes_are_detected() {
    let dir = tempfile::TempDir::new().unwrap();
    start();
    let connection = rusqlite::Connection::open(dir.path().join("careless.db")).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE t (n INTEGER);",
        )
        .unwrap();
    for n in 0..50_u32 {
        connection.execute("INSERT INTO t (n) VALUES (?1)", [n]).unwrap();
        acknowledge(n.into());
    }
    let steps = stop();
    drop(connection);
    let mut replay = Replay::new();
    steps.into_iter().for_each(|step| replay.step(step));
    assert_eq!(replay.acknowledged().len(), 50);
    let left = tempfile::TempDir::new().unwrap();
    for (path, bytes) in replay.after_power_failure(|| false) {
        std::fs::write(left.path().join(path.file_name().unwrap()), bytes).unwrap();
    }
    let connection = rusqlite::Connection::open(left.path().join("careless.db")).unwrap();
    let count = connection.query_row("SELECT COUNT(*) FROM t", [], |row| row.get::<_, i64>(0));
    assert!(!matches!(count, Ok(50)), "nothing was lost");
}
