//! The stored index of references is updated after an edit in the background, and responses do not
//! wait for it.

use std::time::Duration;

use bindery_app::content::links::{DELAY, store_next};
use bindery_app::{content::spaces as app_spaces, jobs::collector};
use bindery_model::{Clock as _, SpaceId, Timestamp};
use bindery_outbound::CancellationToken;
use bindery_store::outdated::{self, Derived};
use bindery_store::{Store, link_indexes, revisions, space_references, spaces};
use serde_json::{Value, json};

use crate::support::content::{change, insert};
use crate::support::links::{locations, told};
use crate::support::{SystemClock, TestEnv, each_engine, until};

/// Returns `true` if the stored index of a space describes its main content.
async fn is_of_head(store: &Store, space: SpaceId) -> bool {
    let found = store.read(move |tx| {
        let head = spaces::get(tx, space)?.unwrap().head;
        let head = revisions::get(tx, space, head)?.unwrap().object;
        Ok::<_, bindery_store::StoreError>((head, link_indexes::get(tx, space)?))
    });
    let (head, stored) = found.await.unwrap();
    stored.is_some_and(|stored| stored.base == head)
}

/// Stores all indexes that are due at a time, and returns their number.
async fn store_all(store: &Store, now: Timestamp) -> usize {
    let mut count = 0;
    while store_next(store, now, &CancellationToken::new()).await.unwrap() {
        count += 1;
    }
    count
}

#[test]
fn a_stored_index_gives_the_same_results() {
    each_engine(async |env: &mut TestEnv| {
        let (target, source) = (env.space("Target").await, env.space("Source").await);
        let plan = insert(&env.client, &target, "The plan", "x").await;
        let address = format!("https://app.gitbook.com/s/{target}/the-plan");
        let text = format!("[there]({address}) [gone](nowhere.md)");
        let page = insert(&env.client, &source, "Links", &text).await;
        let before = (links(env, &source).await, back(env, &target, &plan).await);
        assert_eq!(before.0.1, json!({ "total": 2, "broken": { "total": 1 } }));
        assert_eq!(before.1, ["page Links in a block"]);

        let (to, from) = (id(&target), id(&source));
        let now = SystemClock.now();
        let later = now.plus_millis(2 * DELAY);
        env.with_store(async |store| {
            store_all(store, later).await;
            assert!(is_of_head(store, from).await && is_of_head(store, to).await);
            let oldest =
                move |tx: &bindery_store::Tx<'_>| outdated::oldest(tx, Derived::LinkIndex, later);
            let behind = store.read(oldest).await;
            assert_eq!(behind.unwrap(), None);
            let known = store.read(move |tx| space_references::list(tx, to)).await.unwrap();
            assert_eq!(known, [from]);
            for _ in 0..3 {
                let _round = collector::collect(store, Duration::ZERO).await.unwrap().unwrap();
            }
        })
        .await;
        assert_eq!((links(env, &source).await, back(env, &target, &plan).await), before);

        let copy = edits_take_effect_at_once(env, &target, &source, &plan, &page, &address).await;

        // Another node is working on the index: this node waits until the other one must have
        // failed.
        let twin = id(&copy);
        env.with_store(async |store| {
            let now = SystemClock.now();
            let behind = move |tx: &bindery_store::Tx<'_>| {
                link_indexes::set_outdated_since(tx, from, Some(now.plus_millis(60_000)))
            };
            store.write(behind).await.unwrap();
            store_all(store, now.plus_millis(2 * DELAY)).await;
            assert!(is_of_head(store, twin).await && !is_of_head(store, from).await);
            assert_eq!(store_all(store, now.plus_millis(60_000 + 2 * DELAY)).await, 1);
            assert!(is_of_head(store, from).await);
        })
        .await;
        assert_eq!(back(env, &target, &plan).await, ["page More in a block"]);

        let _deleted = env.of_space("deleteSpaceById", &copy).await.expect(205);
        assert_eq!(back(env, &target, &plan).await, Vec::<String>::new());
        env.with_store(async |store| {
            assert!(app_spaces::remove_one(store, SystemClock.now()).await.unwrap());
            let left = store.read(move |tx| link_indexes::get(tx, twin)).await.unwrap();
            assert_eq!(left, None);
        })
        .await;
    });
}

/// Edits the source, copies it and edits the copy. Returns the copy.
async fn edits_take_effect_at_once(
    env: &TestEnv,
    target: &str,
    source: &str,
    plan: &str,
    page: &str,
    address: &str,
) -> String {
    // Edits take effect at once; a copy starts with the index of the original.
    let other = insert(&env.client, source, "More", &format!("[m]({address})")).await;
    assert_eq!(back(env, target, plan).await.len(), 2);
    let copy = env.of_space("duplicateSpace", source).await.expect(201);
    let copy = copy.text_at("/id").to_owned();
    assert_eq!(back(env, target, plan).await.len(), 4);
    assert_eq!(links(env, &copy).await.1, links(env, source).await.1);
    let gone = json!([{ "operation": "delete_page", "page": page }]);
    let _gone = change(&env.client, source, gone.clone()).await;
    let _gone = change(&env.client, &copy, gone).await;
    assert_eq!(back(env, target, plan).await, ["page More in a block"; 2]);
    let gone = json!([{ "operation": "delete_page", "page": other }]);
    let _gone = change(&env.client, source, gone).await;
    assert_eq!(back(env, target, plan).await, ["page More in a block"]);
    let none = json!({ "total": 0, "broken": { "total": 0 } });
    assert_eq!(links(env, source).await, (Vec::new(), none));
    copy
}

/// Returns the links of a space with their statistics.
async fn links(env: &TestEnv, space: &str) -> (Vec<String>, Value) {
    let links = env.of_space("listSpaceLinks", space).await.expect(200);
    (told(&links), links.at("/stats").clone())
}

/// Returns the places that link to a page.
async fn back(env: &TestEnv, space: &str, page: &str) -> Vec<String> {
    let call = env.client.call("listSpacePageBacklinks").path("spaceId", space);
    locations(&call.path("pageId", page).send().await.expect(200))
}

fn id(space: &str) -> SpaceId {
    SpaceId::parse(space).unwrap()
}

#[test]
fn the_server_stores_indexes_in_the_background() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Kept").await;
        let _page = insert(&env.client, &space, "Links", "[gone](nowhere.md)").await;
        // The embedded database can be opened by its server only.
        let Some(beside) = env.store_beside().await else { return };
        let id = SpaceId::parse(&space).unwrap();
        until(async || is_of_head(&beside, id).await.then_some(())).await;
    });
}
