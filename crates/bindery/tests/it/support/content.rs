//! Changes of the main content of a space, and its publication.

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::TestEnv;

/// Changes the main content of a space.
pub(crate) async fn change(client: &Client, space: &str, changes: Value) -> Answer {
    let call = client.call("updateSpaceContent").path("spaceId", space);
    call.json(&json!({ "changes": changes })).send().await.expect(200)
}

/// Adds a page with a text and returns its id.
pub(crate) async fn insert(client: &Client, space: &str, title: &str, markdown: &str) -> String {
    let insertion = json!({
        "operation": "insert_page", "title": title, "document": { "markdown": markdown },
    });
    let made = change(client, space, json!([insertion])).await;
    made.text_at("/changes/0/page/id").to_owned()
}

/// Returns the revision of the main content of a space.
pub(crate) async fn head(env: &TestEnv, space: &str) -> String {
    env.of_space("getSpaceById", space).await.expect(200).text_at("/revision").to_owned()
}

/// Publishes a site with one space, and returns the site.
pub(crate) async fn publish(env: &TestEnv, title: &str, space: &str) -> Answer {
    let site = env.client.call("createSite").path("organizationId", &env.organization);
    let site = site.json(&json!({ "title": title, "spaces": [space] })).send().await.expect(201);
    let publish = env.client.call("publishSite").path("organizationId", &env.organization);
    publish.path("siteId", site.text_at("/id")).send().await.expect(200)
}
