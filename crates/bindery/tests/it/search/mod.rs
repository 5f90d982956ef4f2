//! Search in a space, in an organization and on a site.

mod access;
mod content;
mod index;
mod published;
mod results;

use bindery_testkit::{Answer, Client};
use serde_json::json;

use crate::support::{TestEnv, until};

/// Searches a space.
async fn in_space(client: &Client, space: &str, query: &str) -> Answer {
    let call = client.call("searchSpaceContent").path("spaceId", space).query("query", query);
    call.send().await.expect(200)
}

/// Searches the spaces of the organization.
async fn in_organization(env: &TestEnv, client: &Client, query: &str) -> Answer {
    let call = client.call("searchOrganizationContent").path("organizationId", &env.organization);
    call.query("query", query).send().await.expect(200)
}

/// Searches all spaces of a site.
async fn on_site(env: &TestEnv, client: &Client, site: &str, query: &str) -> Answer {
    let call = client.call("searchSiteContent").path("organizationId", &env.organization);
    let body = json!({ "query": query, "scope": { "mode": "all" } });
    call.path("siteId", site).json(&body).send().await.expect(200)
}

/// Returns the values of a field of the items, in order.
fn of_items(answer: &Answer, field: &str) -> Vec<String> {
    let items = answer.at("/items").as_array().unwrap();
    items.iter().map(|item| item[field].as_str().unwrap().to_owned()).collect()
}

/// Waits until a search in a space finds pages with these titles and no others.
pub(crate) async fn found(env: &TestEnv, space: &str, query: &str, titles: &[&str]) -> Answer {
    until(async || {
        let answer = in_space(&env.client, space, query).await;
        let mut found = of_items(&answer, "title");
        found.sort();
        (found == titles && *answer.at("/count") == json!(titles.len())).then_some(answer)
    })
    .await
}
