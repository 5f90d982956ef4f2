//! Events have one order, and no event appears late in it.

use std::sync::Arc;

use bindery_model::{Entropy, SpaceId, UserId};
use bindery_store::{Event, NewEvent, Store, StoreError};

use crate::support::{Home, START, on_both};

on_both! {
    events_are_recorded_with_their_change,
    events_of_one_moment_keep_their_order,
    followers_see_every_event,
}

fn named(title: &str) -> NewEvent {
    NewEvent::new(Event::SpaceCreated { title: Some(title.to_owned()) })
}

async fn events_are_recorded_with_their_change(home: Arc<Home>) {
    let store = home.open().await;
    let entropy = Entropy::seeded(1);
    let (user, space) = (UserId::random(&entropy), SpaceId::random(&entropy));
    let id = store.write(move |tx| tx.record(&named("a").by(user).space(space))).await.unwrap();
    let failed = store
        .write(|tx| {
            tx.record(&named("b"))?;
            Err::<(), _>(StoreError::NoRow)
        })
        .await;
    assert_eq!(failed, Err(StoreError::NoRow));
    store.write(|tx| tx.record(&NewEvent::new(Event::SpaceDeleted))).await.unwrap();
    let events = store.events_after(0, 10).await.unwrap();
    assert_eq!(events.len(), 2);
    let first = &events[0];
    assert_eq!((first.id, first.at, first.position), (id, START, 1));
    assert_eq!((first.actor, first.space, first.organization), (Some(user), Some(space), None));
    assert_eq!(first.event, named("a").event);
    assert_eq!(events[1].event, Event::SpaceDeleted);
    assert_eq!(store.events_after(1, 10).await.unwrap(), events[1..]);
    assert_eq!(store.events_after(0, 1).await.unwrap(), events[..1]);
}

async fn events_of_one_moment_keep_their_order(home: Arc<Home>) {
    let store = home.open().await;
    let titles: Vec<String> = (0..30).map(|n| n.to_string()).collect();
    for three in titles.chunks(3) {
        let three = three.to_vec();
        store
            .write(move |tx| three.iter().try_for_each(|title| tx.record(&named(title)).map(drop)))
            .await
            .unwrap();
    }
    let events = store.events_after(0, 99).await.unwrap();
    let read = events.into_iter().map(|event| event.event);
    assert!(read.eq(titles.iter().map(|title| named(title).event)));
}

async fn follow(store: Store, expected: usize) -> Vec<i64> {
    let mut seen = Vec::new();
    while seen.len() < expected {
        let after = seen.last().copied().unwrap_or(0);
        seen.extend(store.events_after(after, 7).await.unwrap().iter().map(|e| e.position));
        tokio::task::yield_now().await;
    }
    seen
}

async fn followers_see_every_event(home: Arc<Home>) {
    let store = home.open().await;
    let followers = [(); 2].map(|()| tokio::spawn(follow(store.clone(), 60)));
    let writers: Vec<_> = (0..6)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                for _ in 0..10 {
                    store.write(|tx| tx.record(&named("a"))).await.unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    for follower in followers {
        assert_eq!(follower.await.unwrap(), (1..=60).collect::<Vec<_>>());
    }
}
