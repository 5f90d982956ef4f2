//! Events that programs send.

use bindery_model::{Clock as _, Entropy, SiteId, SiteInsightsEventType, Timestamp};
use bindery_store::site_insights::{self, DayCount, StoredEvent};
use bindery_store::{StoreError, Tx};
use serde_json::{Value, json};

use crate::support::insights::{SiteWithEvents, event};
use crate::support::{SystemClock, TestEnv, each_engine};

/// Values that are too large, with a part of the refusal.
fn too_large() -> Vec<(&'static str, Value, &'static str)> {
    let text = |length: usize| json!("x".repeat(length));
    let cookies: serde_json::Map<String, Value> =
        (0..101).map(|number| (format!("c{number}"), json!("x"))).collect();
    let claims: serde_json::Map<String, Value> =
        (0..51).map(|number| (format!("c{number}"), json!(number))).collect();
    let deep = json!({ "a": { "b": { "c": { "d": { "e": { "f": 1 } } } } } });
    vec![
        ("/session/visitorId", text(129), "at most 128 bytes"),
        ("/session/sessionId", text(129), "at most 128 bytes"),
        ("/session/userAgent", text(1_025), "at most 1024 bytes"),
        ("/session/language", text(129), "at most 128 bytes"),
        ("/session/visitorAuthToken", text(8_193), "at most 8192 bytes"),
        ("/session/cookies", Value::Object(cookies), "at most 100"),
        ("/session/visitorAuthClaims", Value::Object(claims), "50 names"),
        ("/session/visitorAuthClaims", deep, "5 levels"),
        ("/session/visitorAuthClaims", json!({ "a": "x".repeat(4_096) }), "at most 4096 bytes"),
        ("/location/siteSpace", text(129), "at most 128 bytes"),
        ("/location/page", text(129), "at most 128 bytes"),
        ("/location/url", json!(format!("https://a.example/{}", "x".repeat(2_048))), "2048"),
        ("/query", text(1_025), "at most 1024 bytes"),
        ("/session/cookies", json!({ "a": "x".repeat(33_000) }), "at most 32768 bytes"),
        ("/timestamp", json!("2020-01-01T00:00:00.000Z"), "last 400 days"),
        ("/timestamp", json!("soon"), "timestamp"),
        ("/type", json!("page_print"), "/events/0"),
    ]
}

#[test]
fn events_are_refused_with_a_reason() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        for (pointer, value, reason) in too_large() {
            let one = event("search_type_query", &[("/query", json!("a")), (pointer, value)]);
            let refused = site.send(&[one]).await.expect(400);
            let message = refused.message();
            assert!(message.contains("/events/0"), "{pointer}: {message}");
            assert!(message.contains(reason), "{pointer}: {message}");
        }
        let many = vec![event("page_view", &[]); 101];
        let refused = site.send(&many).await.expect(400);
        assert!(refused.message().contains("at most 100"), "{}", refused.message());
        // One bad event refuses all of a request.
        let bad = event("page_view", &[("/session/visitorId", json!("x".repeat(129)))]);
        let refused = site.send(&[event("page_view", &[]), bad]).await.expect(400);
        assert!(refused.message().contains("/events/1/session/visitorId"), "{refused}");
        assert_eq!(site.values(&json!({})).await, [json!([0])]);
        let _none = site.send(&[]).await.expect(204);
    });
}

#[test]
fn times_in_the_future_become_the_present() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let later = SystemClock.now().plus_millis(60 * 60 * 1_000);
        let _sent = site.send(&[event("page_view", &[("/timestamp", json!(later))])]).await;
        let [times, _] = &site.counts(&json!({ "column": "datetime" })).await[..] else {
            panic!("two columns")
        };
        let time = times[0].as_str().unwrap();
        assert!(time <= SystemClock.now().to_string().as_str(), "{time}");
    });
}

/// Stores an event on each of the days 1 to 3, and removes those before the third one by one.
fn remove_by_steps(tx: &Tx<'_>, site: SiteId) -> Result<(), StoreError> {
    for day in 1..=3 {
        let at = Timestamp::from_millis(day * site_insights::DAY_MILLIS);
        let kind = SiteInsightsEventType::PageView;
        let properties = "{}".to_owned();
        let event =
            StoredEvent { site, at, id: day, kind, visitor: None, session: None, properties };
        site_insights::create(tx, &event)?;
        site_insights::add_to_day(tx, site, DayCount { day, stored: 1, ..DayCount::default() })?;
    }
    assert_eq!(site_insights::list_oversized(tx, 1, 3)?, []);
    assert_eq!(site_insights::list_oversized(tx, 1, 2)?, [site]);
    assert_eq!(site_insights::list_oversized(tx, 2, 3)?, [site]);
    for (deleted, days) in [(1, 3), (1, 3), (0, 1)] {
        assert_eq!(site_insights::delete_oldest(tx, site, Some(3), 1)?, deleted);
        assert_eq!(site_insights::list_days(tx, site)?.len(), days);
    }
    // The events of a site that does not exist are found and removed, too.
    let absent = SiteId::random(&Entropy::seeded(1));
    site_insights::add_to_day(tx, absent, DayCount { day: 9, stored: 1, ..DayCount::default() })?;
    assert_eq!(site_insights::list_oversized(tx, 0, 9)?, [absent]);
    site_insights::delete_oldest(tx, absent, None, 1)?;
    assert_eq!(site_insights::list_oversized(tx, 0, 9)?, []);
    Ok(())
}

#[test]
fn old_events_are_removed_in_steps() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let id = SiteId::parse(&site.id).unwrap();
        drop(site);
        env.edit_store(move |tx| remove_by_steps(tx, id)).await;
    });
}

#[test]
fn a_deleted_site_leaves_no_events() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let _sent = site.send(&[event("page_view", &[]), event("ask_view", &[])]).await.expect(204);
        let deleted = site.call_as(&env.client, "deleteSiteById").send().await;
        let _deleted = deleted.expect(205);
        let _absent = site.send(&[event("page_view", &[])]).await.expect(404);
        let _absent = site.ask(&json!({})).await.expect(404);
        let id = SiteId::parse(&site.id).unwrap();
        drop(site);
        let left = env.edit_store(move |tx| site_insights::list_days(tx, id)).await;
        assert_eq!(left, []);
    });
}
