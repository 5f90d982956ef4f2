//! Adaptive content: the schema of claims, and what visitors see of a site with conditions.

mod pages;
mod schema;

use serde_json::json;

use crate::support::TestEnv;

/// Creates a site without spaces and returns its id.
async fn empty_site(env: &TestEnv) -> String {
    let create = env.client.call("createSite").path("organizationId", &env.organization);
    let body = json!({ "title": "Adaptive", "spaces": [] });
    create.json(&body).send().await.expect(201).text_at("/id").to_owned()
}
