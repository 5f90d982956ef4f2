//! Queries about the events of a site.

use bindery_model::Clock as _;
use serde_json::{Value, json};

use crate::support::insights::{SiteWithEvents, event};
use crate::support::{SystemClock, TestEnv, each_engine};

/// Returns one event of each type with all of its properties.
fn one_of_each() -> Vec<Value> {
    let feedback = json!({ "rating": "good", "comment": "Clear." });
    let operation = json!({ "path": "/pets", "method": "get" });
    let ad = json!({ "domain": "ads.example", "zoneId": "z", "placement": "aside" });
    let target = json!({ "kind": "url", "url": "https://Shop.example.com/a" });
    let link = json!({ "target": target, "position": "footer" });
    let result = json!({ "spaceId": "space", "pageId": "found" });
    vec![
        event("page_view", &[]),
        event("search_open", &[]),
        event("search_type_query", &[("/query", json!("zebra")), ("/results", json!(0))]),
        event("search_open_result", &[("/query", json!("price")), ("/result", result)]),
        event("page_post_feedback", &[("/feedback", json!({ "rating": "good" }))]),
        event("page_post_feedback_comment", &[("/feedback", feedback)]),
        event("ask_question", &[("/query", json!("why?"))]),
        event("ask_view", &[]),
        event(
            "ask_rate_response",
            &[("/query", json!("why?")), ("/rating", json!(-1)), ("/responseId", json!("r"))],
        ),
        event("link_click", &[("/link", link)]),
        event("api_client_open", &[("/operation", operation.clone())]),
        event("api_client_request", &[("/operation", operation)]),
        event("ad_click", &[("/ad", ad.clone())]),
        event("ad_display", &[("/ad", ad)]),
        event("trademark_click", &[("/placement", json!("pdf"))]),
    ]
}

/// Columns that events of some types have, and their groups with the numbers of events.
const OF_TYPES: &[(&str, &str)] = &[
    ("eventSearchQuery", r#"[["price", "why?", "zebra"], [1, 2, 1]]"#),
    ("eventSearchResults", "[[0], [1]]"),
    ("eventSearchResultPage", r#"[[{"page": "found", "space": "space"}], [1]]"#),
    ("eventPageFeedbackRating", r#"[["good"], [2]]"#),
    ("eventPageFeedbackComment", r#"[["Clear."], [1]]"#),
    ("eventAskResponseRating", "[[-1], [1]]"),
    ("eventLinkTargetValue", r#"[[{"kind": "url", "url": "https://Shop.example.com/a"}], [1]]"#),
    ("eventLinkTargetKind", r#"[["url"], [1]]"#),
    ("eventLinkTargetDomain", r#"[["shop.example.com"], [1]]"#),
    ("eventLinkPosition", r#"[["footer"], [1]]"#),
    ("eventAPIOperationPath", r#"[["/pets"], [2]]"#),
    ("eventAPIOperationMethod", r#"[["get"], [2]]"#),
    ("eventAdDomain", r#"[["ads.example"], [2]]"#),
    ("eventAdPlacement", r#"[["aside"], [2]]"#),
    ("eventTrademarkPlacement", r#"[["pdf"], [1]]"#),
    ("displayContext", r#"[["site"], [15]]"#),
    ("visitorBot", "[[null], [15]]"),
    ("visitorGeoCountry", "[[null], [15]]"),
    ("visitorGeoPoint", "[[null], [15]]"),
];

#[test]
fn every_type_of_event_has_its_columns() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let _sent = site.send(&one_of_each()).await.expect(204);
        let [types, counts] = &site.counts(&json!({ "column": "eventType" })).await[..] else {
            panic!("two columns")
        };
        assert_eq!((types.as_array().unwrap().len(), counts[0].clone()), (15, json!(1)));
        for (column, expect) in OF_TYPES {
            let expect: Vec<Value> = serde_json::from_str(expect).unwrap();
            assert_eq!(site.counts(&json!({ "column": column })).await, expect, "{column}");
        }
        let select = json!([
            { "column": "eventsCount" }, { "column": "sessionsCount" },
            { "column": "visitorsCount" }, { "column": "pageFeedbackRating" },
            { "column": "askResponseRating" },
        ]);
        let expect = [
            json!([15]),
            json!([1]),
            json!([1]),
            json!([{ "ok": 0, "good": 1, "bad": 0 }]),
            json!([{ "positive": 0, "negative": 1 }]),
        ];
        assert_eq!(site.values(&json!({ "select": select })).await, expect);
    });
}

/// Columns that events of all types have, and the groups of the two events of the test.
const OF_ALL: &[(&str, &str)] = &[
    (
        "url",
        r#"[["https://docs.example.com/", "https://docs.example.com/a?utm_source=news&utm_medium=mail&utm_campaign=spring&utm_term=a+b&utm_content=top"], [1, 1]]"#,
    ),
    ("siteSection", r#"[[null, "section"], [1, 1]]"#),
    ("siteSpace", r#"[[null, "site-space"], [1, 1]]"#),
    ("siteShareKey", r#"[[null, "no-such-key"], [1, 1]]"#),
    ("displayContext", r#"[["embed", "site"], [1, 1]]"#),
    ("page", r#"[[null, {"page": "page", "space": "space"}], [1, 1]]"#),
    ("visitorDevice", r#"[["desktop", "mobile"], [1, 1]]"#),
    ("visitorBrowser", r#"[["firefox", "safari"], [1, 1]]"#),
    ("visitorOS", r#"[["ios", "linux"], [1, 1]]"#),
    ("visitorLanguage", r#"[["de", "en"], [1, 1]]"#),
    ("referrer", r#"[["", "https://search.example/?q=1"], [1, 1]]"#),
    ("referrerDomain", r#"[["", "search.example"], [1, 1]]"#),
    ("utmSource", r#"[["", "news"], [1, 1]]"#),
    ("utmMedium", r#"[["", "mail"], [1, 1]]"#),
    ("utmCampaign", r#"[["", "spring"], [1, 1]]"#),
    ("utmTerm", r#"[["", "a b"], [1, 1]]"#),
    ("utmContent", r#"[["", "top"], [1, 1]]"#),
    ("visitorClaimProperty", r#"[["plan", "roles"], [1, 1]]"#),
    ("visitorClaimsVerified", "[[false], [2]]"),
];

#[test]
fn every_property_groups_events() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile Safari/604";
        let url = "https://docs.example.com/a?utm_source=news&utm_medium=mail\
                   &utm_campaign=spring&jwt_token=secret&utm_term=a+b&utm_content=top";
        let claims = json!({ "plan": "pro", "roles": ["a", "b"] });
        let other = event(
            "page_view",
            &[
                ("/location/url", json!(url)),
                ("/location/siteSection", json!("section")),
                ("/location/siteSpace", json!("site-space")),
                ("/location/siteShareKey", json!("no-such-key")),
                ("/location/space", json!("space")),
                ("/location/page", json!("page")),
                ("/location/displayContext", json!("embed")),
                ("/session/userAgent", json!(phone)),
                ("/session/language", json!("de")),
                ("/session/referrer", json!("https://search.example/?q=1")),
                ("/session/visitorAuthClaims", claims),
            ],
        );
        let _sent = site.send(&[event("page_view", &[]), other]).await.expect(204);
        for (column, expect) in OF_ALL {
            let expect: Vec<Value> = serde_json::from_str(expect).unwrap();
            assert_eq!(site.counts(&json!({ "column": column })).await, expect, "{column}");
        }
        let claim = json!({ "column": "visitorClaim", "claim": "roles" });
        let answer = site.ask(&json!({ "select": [claim] })).await.expect(200);
        let expect =
            json!({ "column": "visitorClaim", "values": ["", "a", "b"], "claim": "roles" });
        assert_eq!(answer.json["columns"][0], expect);
    });
}

#[test]
fn filters_order_and_limits_apply() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let mut events = Vec::new();
        for (query, results, times) in [("a", 0, 3), ("b", 2, 2), ("c", 5, 1)] {
            let one = [("/query", json!(query)), ("/results", json!(results))];
            events.extend((0..times).map(|_| event("search_type_query", &one)));
        }
        let _sent = site.send(&events).await.expect(204);
        let asked = async |filter: Value| {
            let select = [json!({ "column": "eventSearchQuery" })];
            site.values(&json!({ "select": select, "where": [filter] })).await[0].clone()
        };
        for (column, operator, values, expect) in [
            ("eventSearchResults", "in", json!([0, 5]), json!(["a", "c"])),
            ("eventSearchResults", "notIn", json!([0]), json!(["b", "c"])),
            ("eventSearchResults", "greaterThan", json!([2]), json!(["c"])),
            ("eventSearchResults", "greaterThanOrEqual", json!([2]), json!(["b", "c"])),
            ("eventSearchResults", "lessThan", json!([2]), json!(["a"])),
            ("eventSearchResults", "lessThanOrEqual", json!([2]), json!(["a", "b"])),
            ("eventSearchQuery", "in", json!(["b", "x"]), json!(["b"])),
            ("eventsCount", "greaterThan", json!([1]), json!(["a", "b"])),
            ("visitorBot", "in", json!([""]), json!(["a", "b", "c"])),
            ("datetime", "lessThan", json!(["2020-01-01T00:00:00.000Z"]), json!([])),
        ] {
            let filter = json!({ "column": column, "operator": operator, "values": values });
            assert_eq!(asked(filter).await, expect, "{column} {operator}");
        }
        assert_eq!(
            asked(json!({ "column": "eventSearchQuery", "values": ["c"] })).await,
            json!(["c"])
        );
        let query = json!({
            "groupBy": [{ "column": "eventSearchQuery" }],
            "order": { "by": { "column": "eventsCount" }, "direction": "asc" },
            "limit": 2,
        });
        assert_eq!(site.values(&query).await, [json!(["c", "b"]), json!([1, 2])]);
    });
}

#[test]
fn times_are_grouped_and_limited_to_the_range() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let now = SystemClock.now();
        let day = 24 * 60 * 60 * 1_000;
        let events =
            [(0, "v1"), (2, "v1"), (20, "v2"), (80, "v3"), (300, "v4")].map(|(age, visitor)| {
                let at = now.plus_millis(-age * day - 1_000);
                event(
                    "page_view",
                    &[("/timestamp", json!(at)), ("/session/visitorId", json!(visitor))],
                )
            });
        let _sent = site.send(&events).await.expect(204);
        let count = async |range: Value| {
            let select = json!([{ "column": "eventsCount" }, { "column": "visitorsCount" }]);
            site.values(&json!({ "select": select, "range": range })).await
        };
        for (range, events, visitors) in [
            (json!("last24Hours"), 1, 1),
            (json!("last7Days"), 2, 1),
            (json!("last30Days"), 3, 2),
            (json!("last3Months"), 4, 3),
            (json!("lastYear"), 5, 4),
            (json!({ "from": now.plus_millis(-25 * day), "to": now.plus_millis(-day) }), 2, 2),
        ] {
            assert_eq!(count(range.clone()).await, [json!([events]), json!([visitors])], "{range}");
        }
        for (interval, zeros) in
            [("hour", ":00:00.000Z"), ("day", "T00:00:00.000Z"), ("month", "-01T00:00:00.000Z")]
        {
            let column = json!({ "column": "datetime", "interval": interval });
            let query = json!({
                "select": [{ "column": "datetime" }, { "column": "eventsCount" }],
                "groupBy": [column],
                "order": { "by": column, "direction": "desc" },
            });
            let [times, _] = &site.values(&query).await[..] else { panic!("two columns") };
            let times: Vec<&str> =
                times.as_array().unwrap().iter().map(|time| time.as_str().unwrap()).collect();
            assert!(times.is_sorted_by(|a, b| a > b), "{times:?}");
            assert!(times.iter().all(|time| time.ends_with(zeros)), "{times:?}");
        }
    });
}

#[test]
fn queries_are_refused_with_a_reason() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let count = json!({ "column": "eventsCount" });
        let filter = |column: &str, operator: &str, values: Value| json!({ "where": [{ "column": column, "operator": operator, "values": values }] });
        let many: Vec<String> = (0..1_001).map(|number| number.to_string()).collect();
        for (query, reason) in [
            (json!({ "groupBy": [count] }), "/groupBy/0"),
            (json!({ "groupBy": vec![json!({ "column": "url" }); 11] }), "at most 10"),
            (json!({ "select": [{ "column": "color" }] }), "/select/0"),
            (json!({ "select": [{ "column": "visitorClaim" }] }), "claim"),
            (
                json!({ "groupBy": [{ "column": "visitorClaim", "claim": "a".repeat(1_025) }] }),
                "at most 1024 bytes",
            ),
            (json!({ "order": { "by": { "column": "url" }, "direction": "asc" } }), "/order/by"),
            (json!({ "order": { "by": count, "direction": "up" } }), "/order/direction"),
            (json!({ "limit": 0 }), "/limit"),
            (json!({ "limit": 1_001 }), "/limit"),
            (json!({ "range": "lastWeek" }), "/range"),
            (
                json!({ "range": { "from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z" } }),
                "/range/to",
            ),
            (json!({ "range": { "from": "yesterday", "to": "2026-01-01T00:00:00Z" } }), "/range"),
            (filter("url", "greaterThan", json!(["https://a.example/"])), "/where/0/operator"),
            (filter("eventsCount", "lessThan", json!([1, 2])), "/where/0/values"),
            (filter("eventsCount", "in", json!([1.5])), "/where/0/values/0"),
            (filter("siteSpace", "in", json!(many)), "at most 1000"),
            (filter("eventType", "in", json!(["click"])), "/where/0"),
        ] {
            let refused = site.ask(&query).await.expect(400);
            assert!(refused.message().contains(reason), "{query} {}", refused.message());
        }
        let query = json!({ "range": "lastYear", "groupBy": [], "limit": 1 });
        assert_eq!(site.values(&query).await, [json!([0])]);
    });
}
