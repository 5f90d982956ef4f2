//! The stored index of references is updated after an edit in the background, and responses do not
//! wait for it.

use std::time::Duration;

use bindery_app::links::{DELAY, store_next};
use bindery_app::{collector, spaces as app_spaces};
use bindery_model::{Clock as _, SpaceId, Timestamp};
use bindery_outbound::CancellationToken;
use bindery_store::{Store, link_indexes, revisions, space_references, spaces};
use serde_json::json;

use crate::links::{change, insert, locations, told};
use crate::support::{SystemClock, World, each_engine, until};

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
    each_engine(async |world: &mut World| {
        let (target, source) = (world.space("Target").await, world.space("Source").await);
        let plan = insert(&world.client, &target, "The plan", "x").await;
        let address = format!("https://app.gitbook.com/s/{target}/the-plan");
        let text = format!("[there]({address}) [gone](nowhere.md)");
        let page = insert(&world.client, &source, "Links", &text).await;
        let links = async |world: &World, space: &str| {
            let links = world.of_space("listSpaceLinks", space).await.expect(200);
            (told(&links), links.at("/stats").clone())
        };
        let back = async |world: &World| {
            let call = world.client.call("listSpacePageBacklinks").path("spaceId", &target);
            locations(&call.path("pageId", &plan).send().await.expect(200))
        };
        let before = (links(world, &source).await, back(world).await);
        assert_eq!(before.0.1, json!({ "total": 2, "broken": { "total": 1 } }));
        assert_eq!(before.1, ["page Links in a block"]);

        let id = |space: &str| SpaceId::parse(space).unwrap();
        let (to, from) = (id(&target), id(&source));
        let now = SystemClock.now();
        let later = now.plus_millis(2 * DELAY);
        world
            .with_store(async |store| {
                store_all(store, later).await;
                assert!(is_of_head(store, from).await && is_of_head(store, to).await);
                let behind = store.read(move |tx| link_indexes::oldest_outdated(tx, later)).await;
                assert_eq!(behind.unwrap(), None);
                let known = store.read(move |tx| space_references::list(tx, to)).await.unwrap();
                assert_eq!(known, [from]);
                for _ in 0..3 {
                    let _round = collector::collect(store, Duration::ZERO).await.unwrap().unwrap();
                }
            })
            .await;
        assert_eq!((links(world, &source).await, back(world).await), before);

        // Edits take effect at once; a copy starts with the index of the original.
        let other = insert(&world.client, &source, "More", &format!("[m]({address})")).await;
        assert_eq!(back(world).await.len(), 2);
        let copy = world.of_space("duplicateSpace", &source).await.expect(201);
        let copy = copy.text_at("/id").to_owned();
        assert_eq!(back(world).await.len(), 4);
        assert_eq!(links(world, &copy).await.1, links(world, &source).await.1);
        let gone = json!([{ "operation": "delete_page", "page": page }]);
        let _gone = change(&world.client, &source, gone.clone()).await;
        let _gone = change(&world.client, &copy, gone).await;
        assert_eq!(back(world).await, ["page More in a block"; 2]);
        let gone = json!([{ "operation": "delete_page", "page": other }]);
        let _gone = change(&world.client, &source, gone).await;
        assert_eq!(back(world).await, ["page More in a block"]);
        let none = json!({ "total": 0, "broken": { "total": 0 } });
        assert_eq!(links(world, &source).await, (Vec::new(), none));

        // Another node is working on the index: this node waits until the other one must have
        // failed.
        let twin = id(&copy);
        world
            .with_store(async |store| {
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
        assert_eq!(back(world).await, ["page More in a block"]);

        let _deleted = world.of_space("deleteSpaceById", &copy).await.expect(205);
        assert_eq!(back(world).await, Vec::<String>::new());
        world
            .with_store(async |store| {
                assert!(app_spaces::remove_one(store, SystemClock.now()).await.unwrap());
                let left = store.read(move |tx| link_indexes::get(tx, twin)).await.unwrap();
                assert_eq!(left, None);
            })
            .await;
    });
}

#[test]
fn the_server_stores_indexes_in_the_background() {
    each_engine(async |world: &mut World| {
        let space = world.space("Kept").await;
        let _page = insert(&world.client, &space, "Links", "[gone](nowhere.md)").await;
        // The embedded database can be opened by its server only.
        let Some(beside) = world.store_beside().await else { return };
        let id = SpaceId::parse(&space).unwrap();
        until(async || is_of_head(&beside, id).await.then_some(())).await;
    });
}
