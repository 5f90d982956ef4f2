//! Transactions are atomic and serializable, and the store keeps working after a failure.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use bindery_model::Role;
use bindery_store::{Column, Store, StoreError, Tx, params};

use crate::support::{Home, on_both};

on_both! {
    failing_closures_do_not_affect_their_batch,
    a_panic_is_an_error_of_one_transaction,
    concurrent_increments_are_all_counted,
    a_transaction_that_always_loses_runs_alone,
    readers_see_one_snapshot,
    a_failed_statement_aborts_the_transaction,
    values_round_trip,
    unknown_names_are_errors,
    text_compares_by_bytes,
    parameters_count_by_number,
    readers_cannot_write,
    changes_are_signalled,
    writes_finish_without_their_caller,
}

fn add(tx: &Tx<'_>, key: &str) -> Result<(), StoreError> {
    tx.execute("INSERT INTO meta (key, value) VALUES ($1, $2)", params![key, &[1]])?;
    Ok(())
}

async fn keys(store: &Store) -> Vec<String> {
    store
        .read(|tx| tx.query("SELECT key FROM meta ORDER BY key", &[], |row| row.get(0)))
        .await
        .unwrap()
}

/// Blocks the writer until it receives a message, so that later writes land in one batch.
fn hold(store: &Store) -> (mpsc::Sender<()>, tokio::task::JoinHandle<Result<(), StoreError>>) {
    let (release, held) = mpsc::channel();
    let (store, held) = (store.clone(), std::sync::Mutex::new(held));
    let task = tokio::spawn(async move {
        store
            .write(move |_| {
                held.lock().unwrap().recv().unwrap();
                Ok(())
            })
            .await
    });
    (release, task)
}

async fn failing_closures_do_not_affect_their_batch(home: Arc<Home>) {
    let store = home.open().await;
    store.write(|tx| add(tx, "00")).await.unwrap();
    let (release, held) = hold(&store);
    let writes: Vec<_> = (1..=20)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move {
                store
                    .write(move |tx| {
                        add(tx, &format!("{n:02}"))?;
                        if n % 2 == 1 {
                            return Err(StoreError::Config(n.to_string()));
                        }
                        if n % 4 == 2 {
                            add(tx, "00")?;
                        }
                        Ok(n)
                    })
                    .await
            })
        })
        .collect();
    release.send(()).unwrap();
    held.await.unwrap().unwrap();
    for (n, write) in (1..).zip(writes) {
        let result = write.await.unwrap();
        match n {
            n if n % 2 == 1 => assert_eq!(result, Err(StoreError::Config(n.to_string()))),
            n if n % 4 == 2 => assert!(matches!(result, Err(StoreError::Unique(_)))),
            n => assert_eq!(result, Ok(n)),
        }
    }
    let keys = keys(&store).await;
    assert_eq!(keys, ["00", "04", "08", "12", "16", "20"]);
}

async fn a_panic_is_an_error_of_one_transaction(home: Arc<Home>) {
    let store = home.open().await;
    let result = store
        .write(|tx| -> Result<(), StoreError> {
            add(tx, "half")?;
            panic!("on purpose");
        })
        .await;
    assert_eq!(result, Err(StoreError::Panicked("on purpose".to_owned())));
    store.write(|tx| add(tx, "after")).await.unwrap();
    assert_eq!(keys(&store).await, ["after"]);
    // A reader that panicked must not leave its connection inside a transaction.
    for _ in 0..40 {
        let store = store.clone();
        let reader = tokio::spawn(async move {
            store.read(|_| -> Result<(), StoreError> { panic!("on purpose") }).await
        });
        assert!(!matches!(reader.await, Ok(Ok(()))));
    }
    store.write(|tx| add(tx, "later")).await.unwrap();
    assert_eq!(keys(&store).await, ["after", "later"]);
}

async fn concurrent_increments_are_all_counted(home: Arc<Home>) {
    let store = home.open().await;
    store.write(|tx| tx.set_meta("count", b"0")).await.unwrap();
    let runs = Arc::new(AtomicU32::new(0));
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let (store, runs) = (store.clone(), runs.clone());
            tokio::spawn(async move {
                for _ in 0..10 {
                    let runs = runs.clone();
                    store
                        .write(move |tx| {
                            runs.fetch_add(1, Ordering::Relaxed);
                            let count = tx.meta("count")?.unwrap_or_default();
                            let count: u32 = String::from_utf8_lossy(&count).parse().unwrap();
                            tx.set_meta("count", (count + 1).to_string().as_bytes())
                        })
                        .await
                        .unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let count = store.read(|tx| tx.meta("count")).await.unwrap().unwrap();
    assert_eq!(String::from_utf8_lossy(&count), "80");
    if home.is_sqlite() {
        assert_eq!(runs.load(Ordering::Relaxed), 80);
    } else {
        assert!(runs.load(Ordering::Relaxed) > 80, "no transaction was repeated");
    }
}

/// A competitor writes what a slower transaction has read, as often as that one is tried.
async fn a_transaction_that_always_loses_runs_alone(home: Arc<Home>) {
    let store = home.open().await;
    let (wrote, written) = mpsc::channel();
    let over = Arc::new(AtomicU32::new(0));
    let competitor = {
        let (store, over) = (store.clone(), Arc::clone(&over));
        tokio::spawn(async move {
            while over.load(Ordering::Relaxed) == 0 {
                store.write(|tx| tx.set_meta("contended", b"competitor")).await?;
                let _unheard = wrote.send(());
            }
            Ok::<(), StoreError>(())
        })
    };
    let slow = store.write(move |tx| {
        tx.meta("contended")?;
        while written.try_recv().is_ok() {}
        // The second of two commits began after this transaction had read.
        for _commit in 0..2 {
            let _alone = written.recv_timeout(Duration::from_millis(200));
        }
        tx.set_meta("contended", b"slow")
    });
    slow.await.unwrap();
    over.store(1, Ordering::Relaxed);
    competitor.await.unwrap().unwrap();
}

async fn readers_see_one_snapshot(home: Arc<Home>) {
    let store = home.open().await;
    let (started, start) = mpsc::channel();
    let (go_on, written) = mpsc::channel();
    let reader = {
        let store = store.clone();
        tokio::spawn(async move {
            store
                .read_blocking(move |tx| {
                    let before = tx.meta("a")?;
                    started.send(()).unwrap();
                    written.recv().unwrap();
                    Ok::<_, StoreError>((before, tx.meta("a")?))
                })
                .await
        })
    };
    tokio::task::spawn_blocking(move || start.recv().unwrap()).await.unwrap();
    store.write(|tx| tx.set_meta("a", b"new")).await.unwrap();
    go_on.send(()).unwrap();
    assert_eq!(reader.await.unwrap().unwrap(), (None, None));
    assert_eq!(store.read(|tx| tx.meta("a")).await.unwrap(), Some(b"new".to_vec()));
}

async fn a_failed_statement_aborts_the_transaction(home: Arc<Home>) {
    let store = home.open().await;
    store.write(|tx| add(tx, "a")).await.unwrap();
    let result = store
        .write(|tx| {
            add(tx, "b")?;
            assert!(matches!(add(tx, "a"), Err(StoreError::Unique(_))));
            assert_eq!(add(tx, "c"), Err(StoreError::Aborted));
            Ok::<_, StoreError>(())
        })
        .await;
    assert_eq!(result, Err(StoreError::Aborted));
    assert_eq!(keys(&store).await, ["a"]);
}

async fn unknown_names_are_errors(home: Arc<Home>) {
    let store = home.open().await;
    let read = |name: &'static str| {
        store.read(move |tx| {
            tx.query_one("SELECT CAST($1 AS TEXT)", params![name], |row| row.get::<Role>(0))
        })
    };
    assert_eq!(read("edit").await, Ok(Role::Edit));
    for name in ["editor", "Edit", ""] {
        let error = read(name).await.unwrap_err().to_string();
        assert_eq!(error, format!("column 0 is {name:?}, expected a role"));
    }
}

async fn values_round_trip(home: Arc<Home>) {
    let store = home.open().await;
    let result = store
        .write(|tx| {
            tx.execute(
                "INSERT INTO jobs (id, kind, payload, content, status, attempts, max_attempts,
                     run_at, stamp, cancel_requested, created_at)
                 VALUES ($1, $2, $3, $4, '', 0, 0, $5, 0, 0, 0)",
                params!["id", "", "é\u{1F600}", true, i64::MIN],
            )?;
            tx.query_one("SELECT id, kind, payload, content, run_at, space FROM jobs", &[], |row| {
                assert_eq!(row.column(5)?, Column::Null);
                assert!(row.get::<i64>(0).is_err());
                assert!(row.get::<i64>(5).is_err());
                assert!(row.get::<i64>(99).is_err());
                Ok((
                    (row.get::<String>(0)?, row.get::<String>(1)?, row.get::<String>(2)?),
                    (row.get::<bool>(3)?, row.get::<i64>(4)?, row.get::<Option<i64>>(5)?),
                ))
            })
        })
        .await
        .unwrap();
    let text = ("id".to_owned(), String::new(), "é\u{1F600}".to_owned());
    assert_eq!(result, (text, (true, i64::MIN, None)));
    let nul = store.write(|tx| add(tx, "a\0b")).await;
    assert_eq!(nul, Err(StoreError::Nul));
}

async fn text_compares_by_bytes(home: Arc<Home>) {
    let store = home.open().await;
    store
        .write(|tx| ["a", "B", "é", "Z", "_", "ä"].into_iter().try_for_each(|key| add(tx, key)))
        .await
        .unwrap();
    assert_eq!(keys(&store).await, ["B", "Z", "_", "a", "ä", "é"]);
}

async fn parameters_count_by_number(home: Arc<Home>) {
    let store = home.open().await;
    let read = |sql: &'static str, n: usize| {
        let store = store.clone();
        async move {
            store
                .read(move |tx| {
                    let values = params![1_i64, 2_i64, 3_i64];
                    tx.query_one(sql, &values[..n], |row| {
                        Ok((row.get::<i64>(0)?, row.get::<i64>(1)?))
                    })
                })
                .await
        }
    };
    let sql = "SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT) + CAST($2 AS BIGINT)";
    assert_eq!(read(sql, 2).await, Ok((2, 3)));
    assert!(read(sql, 1).await.is_err());
    assert!(read(sql, 3).await.is_err());
}

async fn readers_cannot_write(home: Arc<Home>) {
    let store = home.open().await;
    let result = store.read(|tx| add(tx, "a")).await;
    assert!(matches!(result, Err(StoreError::Database(_))), "{result:?}");
    assert_eq!(keys(&store).await, [""; 0]);
}

async fn changes_are_signalled(home: Arc<Home>) {
    let store = home.open().await;
    let mut watch = store.watch_changes();
    let before = store.changes();
    let commits = store.commits();
    store.write(|tx| tx.meta("nothing")).await.unwrap();
    let failed = store
        .write(|tx| {
            add(tx, "a")?;
            Err::<(), _>(StoreError::NoRow)
        })
        .await;
    assert_eq!(failed, Err(StoreError::NoRow));
    assert_eq!(store.commits(), commits);
    if home.is_sqlite() {
        assert_eq!(store.changes(), before);
        assert!(!watch.has_changed().unwrap());
    } else {
        assert_eq!(before, None);
    }
    watch.mark_unchanged();
    store.write(|tx| add(tx, "a")).await.unwrap();
    watch.changed().await.unwrap();
    assert_eq!(store.commits(), commits + 1);
    if home.is_sqlite() {
        assert!(store.changes() > before);
    }
}

async fn writes_finish_without_their_caller(home: Arc<Home>) {
    let store = home.open().await;
    let (release, held) = hold(&store);
    let task = {
        let store = store.clone();
        tokio::spawn(async move { store.write(|tx| add(tx, "a")).await })
    };
    while tokio::runtime::Handle::current().metrics().num_alive_tasks() < 2 {
        tokio::task::yield_now().await;
    }
    let next = store.write(|tx| add(tx, "b"));
    task.abort();
    release.send(()).unwrap();
    next.await.unwrap();
    held.await.unwrap().unwrap();
    let keys = keys(&store).await;
    assert!(keys.contains(&"b".to_owned()), "{keys:?}");
}
