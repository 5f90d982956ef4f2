//! Stored responses for idempotency keys, and the settings of the installation.

use std::sync::Arc;

use bindery_revision::Hash;
use bindery_store::{IdempotencyKey, StoreError, StoredResponse};

use crate::support::{Home, on_both};

on_both! {
    responses_are_kept_for_a_day,
    responses_are_returned_until_they_expire,
    secrets_are_created_once,
}

async fn responses_are_kept_for_a_day(home: Arc<Home>) {
    let store = home.open().await;
    let key = |key: &str| IdempotencyKey {
        caller: "user".to_owned(),
        operation: "createSpace".to_owned(),
        key: key.to_owned(),
    };
    let answer = StoredResponse {
        request: Hash::of(b"body"),
        status: 201,
        headers: vec![("location".to_owned(), "/v1/spaces/1".to_owned())],
        body: b"{}".to_vec(),
    };
    let given = answer.clone();
    let put = move |at: IdempotencyKey| {
        let (store, given) = (store.clone(), given.clone());
        async move { store.write(move |tx| tx.store_response(&at, &given)).await }
    };
    put(key("a")).await.unwrap();
    assert!(matches!(put(key("a")).await, Err(StoreError::Unique(_))));
    put(key("b")).await.unwrap();
    home.clock.advance(24 * 60 * 60 * 1000 - 1);
    let again = put(key("a")).await;
    assert!(matches!(again, Err(StoreError::Unique(_))), "{again:?}");
    home.clock.advance(1);
    put(key("a")).await.unwrap();
}

async fn responses_are_returned_until_they_expire(home: Arc<Home>) {
    let store = home.open().await;
    let answer = StoredResponse {
        request: Hash::of(b""),
        status: 204,
        headers: Vec::new(),
        body: Vec::new(),
    };
    let key =
        IdempotencyKey { caller: "c".to_owned(), operation: "o".to_owned(), key: "k".to_owned() };
    let (given, at) = (answer.clone(), key.clone());
    store.write(move |tx| tx.store_response(&at, &given)).await.unwrap();
    let at = key.clone();
    assert_eq!(store.read(move |tx| tx.stored_response(&at)).await.unwrap(), Some(answer));
    home.clock.advance(25 * 60 * 60 * 1000);
    assert_eq!(store.read(move |tx| tx.stored_response(&key)).await.unwrap(), None);
    assert_eq!(store.write(|tx| tx.delete_expired_responses()).await.unwrap(), 1);
}

async fn secrets_are_created_once(home: Arc<Home>) {
    let store = home.open().await;
    let first = store.write(|tx| tx.secret("cursor")).await.unwrap();
    drop(store);
    let store = home.open().await;
    assert_eq!(store.write(|tx| tx.secret("cursor")).await.unwrap(), first);
    assert_ne!(store.write(|tx| tx.secret("session")).await.unwrap(), first);
}
