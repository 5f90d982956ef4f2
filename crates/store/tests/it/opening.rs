//! Opening a store: repeatedly, by a second process, and after a newer program.

use std::sync::Arc;

use bindery_store::{Store, StoreConfig, StoreError};

use crate::support::{Home, on_both};

on_both! {
    a_store_opens_again,
    many_nodes_may_open_at_once,
    a_newer_store_is_refused,
}

async fn a_store_opens_again(home: Arc<Home>) {
    let store = home.open().await;
    store.write(|tx| tx.set_meta("a", b"1")).await.unwrap();
    drop(store);
    let store = home.open().await;
    assert_eq!(store.read(|tx| tx.meta("a")).await.unwrap(), Some(b"1".to_vec()));
}

async fn many_nodes_may_open_at_once(home: Arc<Home>) {
    if home.is_sqlite() {
        let first = home.open().await;
        let error = home.try_open().await.unwrap_err();
        assert_eq!(error, StoreError::InUse(home.dir.path().to_owned()));
        assert!(error.to_string().contains("another process"), "{error}");
        drop(first);
        home.open().await;
        return;
    }
    let nodes = [(); 6].map(|()| {
        let home = home.clone();
        tokio::spawn(async move { home.try_open().await })
    });
    for node in nodes {
        node.await.unwrap().unwrap();
    }
}

async fn a_newer_store_is_refused(home: Arc<Home>) {
    let store = home.open().await;
    store
        .write(|tx| {
            tx.execute("UPDATE store_version SET version = 999, written_by = 'Bindery 9.9'", &[])
        })
        .await
        .unwrap();
    drop(store);
    let error = home.try_open().await.unwrap_err().to_string();
    for part in ["Bindery 9.9", "999", concat!("Bindery ", env!("CARGO_PKG_VERSION"))] {
        assert!(error.contains(part), "{error}");
    }
}

#[tokio::test]
async fn errors_omit_passwords() {
    for url in [
        "postgres://user:hunter2@127.0.0.1:1/x",
        "postgres://user:hunter2@127.0.0.1:nonsense/x",
        "postgres://user:hunter2@127.0.0.1/x?hunter2=hunter2",
    ] {
        let home = Home::sqlite();
        let config = StoreConfig {
            engine: bindery_store::EngineConfig::Postgres { url: url.to_owned(), connections: 1 },
            ..home.config()
        };
        assert!(!format!("{config:?}").contains("hunter2"));
        let error = Store::open(config).await.unwrap_err().to_string();
        assert!(!error.contains("hunter2") || url.ends_with("hunter2"), "{error}");
    }
}
