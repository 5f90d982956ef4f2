//! Tests of queries on events in memory.

use bindery_model::{PageFeedbackRating, SiteInsightsEventType as Type, Timestamp};
use serde_json::{Map, Value, json};

use super::super::event::{PageLocation, Properties};
use super::super::filter::Operator;
use super::super::range::Interval;
use super::*;

fn event(kind: Type, at: &str, properties: Properties) -> Event {
    let at = Timestamp::parse(at).unwrap();
    Event { at, kind, visitor: Some(1), session: Some(1), properties }
}

fn search(query: &str, results: u32, at: &str) -> Event {
    let properties = Properties {
        query: Some(query.to_owned()),
        results: Some(results),
        ..Properties::default()
    };
    event(Type::SearchTypeQuery, at, properties)
}

fn query(select: &[ColumnName]) -> Query {
    let select = select.iter().copied().map(Column::new).collect();
    Query { select, filters: vec![], group_by: vec![], order: None, limit: 1_000 }
}

fn filter(name: ColumnName, operator: Operator, values: &[Key]) -> Filter {
    Filter::new(Column::new(name), operator, values.to_vec())
}

/// Returns the result by the names of its columns.
fn evaluate(query: &Query, events: &[Event]) -> Value {
    let mut aggregation = Aggregation::new(query);
    events.iter().for_each(|event| aggregation.add(event).unwrap());
    let columns = aggregation.finish().into_iter().map(|ResultColumn { column, values }| {
        let values = values.iter().map(|cell| cell.to_json(column.name)).collect();
        (column.name.as_str().to_owned(), Value::Array(values))
    });
    Value::Object(columns.collect::<Map<_, _>>())
}

#[test]
fn queries_without_results_are_counted() {
    let events = [
        search("instal", 0, "2026-01-01T00:00:00Z"),
        search("price", 3, "2026-01-01T00:00:00Z"),
        search("zebra", 0, "2026-01-02T00:00:00Z"),
        search("zebra", 0, "2026-01-03T00:00:00Z"),
        event(Type::PageView, "2026-01-03T00:00:00Z", Properties::default()),
    ];
    let mut query = query(&[ColumnName::EventSearchQuery, ColumnName::EventsCount]);
    query.filters = vec![filter(ColumnName::EventSearchResults, Operator::In, &[Key::Int(0)])];
    query.order = Some((Column::new(ColumnName::EventsCount), true));
    let expected = json!({ "eventSearchQuery": ["zebra", "instal"], "eventsCount": [2, 1] });
    assert_eq!(evaluate(&query, &events), expected);
    assert_eq!(query.types(), Some(vec![Type::SearchTypeQuery]));

    // A filter on a count applies to groups.
    query.filters.push(filter(ColumnName::EventsCount, Operator::GreaterThan, &[Key::Int(1)]));
    let expected = json!({ "eventSearchQuery": ["zebra"], "eventsCount": [2] });
    assert_eq!(evaluate(&query, &events), expected);
}

#[test]
fn times_are_grouped_by_intervals() {
    let events = ["2026-01-01T10:00:00Z", "2026-01-01T23:00:00Z", "2026-01-02T00:00:00Z"]
        .map(|at| event(Type::PageView, at, Properties::default()));
    let by_day = Column { interval: Some(Interval::Day), ..Column::new(ColumnName::Datetime) };
    let mut query = query(&[ColumnName::EventsCount]);
    query.select.insert(0, by_day.clone());
    query.group_by = vec![by_day.clone()];
    let days = json!(["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"]);
    assert_eq!(evaluate(&query, &events), json!({ "datetime": days, "eventsCount": [2, 1] }));
    assert!(!query.needs_properties());
    query.order = Some((by_day, true));
    query.limit = 1;
    let expected = json!({ "datetime": ["2026-01-02T00:00:00.000Z"], "eventsCount": [1] });
    assert_eq!(evaluate(&query, &events), expected);
}

#[test]
fn sessions_and_visitors_are_counted_once() {
    let of = |visitor: Option<i64>, session: Option<i64>| Event {
        visitor,
        session,
        ..event(Type::PageView, "2026-01-01T00:00:00Z", Properties::default())
    };
    let events = [of(Some(1), Some(1)), of(Some(1), Some(2)), of(Some(2), Some(3)), of(None, None)];
    let counts = [ColumnName::EventsCount, ColumnName::SessionsCount, ColumnName::VisitorsCount];
    let expected = json!({ "eventsCount": [4], "sessionsCount": [3], "visitorsCount": [2] });
    assert_eq!(evaluate(&query(&counts), &events), expected);
    // Without a property there is one group, even of no events.
    let expected = json!({ "eventsCount": [0], "sessionsCount": [0], "visitorsCount": [0] });
    assert_eq!(evaluate(&query(&counts), &[]), expected);
    let by_type = query(&[ColumnName::EventType, ColumnName::EventsCount]);
    assert_eq!(evaluate(&by_type, &[]), json!({ "eventType": [], "eventsCount": [] }));
}

#[test]
fn ratings_are_counted_by_their_values() {
    let rated = |kind, rating, page: &str| {
        let properties = Properties {
            rating: Some(rating),
            space: Some("s".to_owned()),
            page: Some(page.to_owned()),
            ..Properties::default()
        };
        event(kind, "2026-01-01T00:00:00Z", properties)
    };
    let events = [
        rated(Type::PagePostFeedback, PageFeedbackRating::Good, "a"),
        rated(Type::PagePostFeedback, PageFeedbackRating::Bad, "a"),
        rated(Type::PagePostFeedbackComment, PageFeedbackRating::Bad, "a"),
        rated(Type::PagePostFeedback, PageFeedbackRating::Ok, "b"),
    ];
    let query = query(&[ColumnName::Page, ColumnName::PageFeedbackRating]);
    let expected = json!({
        "page": [{ "page": "a", "space": "s" }, { "page": "b", "space": "s" }],
        "pageFeedbackRating": [{ "ok": 0, "good": 1, "bad": 1 }, { "ok": 1, "good": 0, "bad": 0 }],
    });
    assert_eq!(evaluate(&query, &events), expected);
}

#[test]
fn events_without_a_column_are_left_out_or_have_an_empty_value() {
    let opened = Properties {
        query: Some("a".to_owned()),
        result: Some(PageLocation { space: "s".to_owned(), page: "p".to_owned() }),
        ..Properties::default()
    };
    let at = "2026-01-01T00:00:00Z";
    let events = [
        event(Type::SearchOpenResult, at, opened),
        event(Type::PageView, at, Properties::default()),
    ];
    let count_by = |name| evaluate(&query(&[name, ColumnName::EventsCount]), &events);
    for (name, expect) in [
        (ColumnName::EventSearchResultPage, json!([[{ "page": "p", "space": "s" }], [1]])),
        (ColumnName::EventLinkTargetDomain, json!([[], []])),
        (ColumnName::SiteSection, json!([[null], [2]])),
        (ColumnName::ReferrerDomain, json!([[""], [2]])),
        (ColumnName::VisitorBot, json!([[null], [2]])),
        (ColumnName::VisitorDevice, json!([["unknown"], [2]])),
        (ColumnName::VisitorClaimProperty, json!([[], []])),
    ] {
        let found = count_by(name);
        assert_eq!(json!([found[name.as_str()], found["eventsCount"]]), expect, "{name:?}");
    }
}

#[test]
fn an_event_counts_for_each_item_of_a_claim() {
    let claims = json!({ "roles": ["a", "b", "a"], "plan": "pro" });
    let Value::Object(claims) = claims else { panic!("an object") };
    let properties = Properties { claims, ..Properties::default() };
    let events = [event(Type::PageView, "2026-01-01T00:00:00Z", properties)];
    let mut query = query(&[ColumnName::VisitorClaimProperty, ColumnName::EventsCount]);
    let expected = json!({ "visitorClaimProperty": ["plan", "roles"], "eventsCount": [1, 1] });
    assert_eq!(evaluate(&query, &events), expected);
    query.select[0] =
        Column { claim: Some("roles".to_owned()), ..Column::new(ColumnName::VisitorClaim) };
    let expected = json!({ "visitorClaim": ["a", "b"], "eventsCount": [1, 1] });
    assert_eq!(evaluate(&query, &events), expected);
}

#[test]
fn queries_with_too_many_groups_are_refused() {
    let query = query(&[ColumnName::EventSearchQuery]);
    let mut aggregation = Aggregation::new(&query);
    let added: Result<Vec<()>, _> = (0..200_u32)
        .map(|number| {
            let long = format!("{number}{}", "x".repeat(512 << 10));
            aggregation.add(&search(&long, 0, "2026-01-01T00:00:00Z"))
        })
        .collect();
    assert_eq!(added, Err(Exceeded::Memory));
}
