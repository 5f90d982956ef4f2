//! Events of the readers of sites, and queries about them.

use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::support::TestEnv;
use crate::support::content::{insert, publish};

/// Returns an event. `changes` are values at JSON pointers.
pub(crate) fn event(kind: &str, changes: &[(&str, Value)]) -> Value {
    let mut event = json!({
        "type": kind,
        "session": {
            "visitorId": "v1",
            "sessionId": "s1",
            "cookies": {},
            "userAgent": "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/131.0 Firefox/131.0",
            "language": "en",
            "referrer": null,
        },
        "location": {
            "url": "https://docs.example.com/",
            "siteSection": null,
            "siteSpace": null,
            "siteShareKey": null,
            "space": null,
            "revision": null,
            "page": null,
        },
    });
    for (pointer, value) in changes {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        event.pointer_mut(parent).unwrap()[name] = value.clone();
    }
    event
}

/// A site whose readers send events.
pub(crate) struct SiteWithEvents<'a> {
    pub(crate) env: &'a TestEnv,
    pub(crate) id: String,
    pub(crate) space: String,
    /// The page at the root.
    pub(crate) page: String,
}

impl<'a> SiteWithEvents<'a> {
    pub(crate) async fn published(env: &'a TestEnv, title: &str) -> Self {
        let space = env.space(title).await;
        let page = insert(&env.client, &space, "Home", "Text about zebras.\n").await;
        let site = publish(env, title, &space).await;
        Self { env, id: site.text_at("/id").to_owned(), space, page }
    }

    pub(crate) fn call_as(&self, client: &Client, operation: &str) -> Call {
        let call = client.call(operation).path("organizationId", &self.env.organization);
        call.path("siteId", &self.id)
    }

    /// Sends events as a reader.
    pub(crate) async fn send(&self, events: &[Value]) -> Answer {
        let reader = self.env.client.anonymous();
        let track = self.call_as(&reader, "trackEventsInSiteById");
        track.json(&json!({ "events": events })).send().await
    }

    /// Answers a query of the last year.
    pub(crate) async fn ask(&self, query: &Value) -> Answer {
        let mut query = query.clone();
        if query.get("range").is_none() {
            query["range"] = json!("lastYear");
        }
        self.call_as(&self.env.client, "aggregateSiteEvents").json(&query).send().await
    }

    /// Returns the values of columns, by their order in the query.
    pub(crate) async fn values(&self, query: &Value) -> Vec<Value> {
        let answer = self.ask(query).await.expect(200);
        let columns = answer.json["columns"].as_array().unwrap();
        columns.iter().map(|column| column["values"].clone()).collect()
    }

    /// Returns the groups of one property with the number of their events.
    pub(crate) async fn counts(&self, column: &Value) -> Vec<Value> {
        self.values(&json!({ "select": [column, { "column": "eventsCount" }] })).await
    }
}
