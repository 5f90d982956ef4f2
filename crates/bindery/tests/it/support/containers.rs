//! Spaces and collections, and access to them.

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::TestEnv;

/// Creates a collection in an organization.
pub(crate) async fn made(client: &Client, organization: &str, body: Value) -> Answer {
    let call = client.call("createCollection").path("organizationId", organization);
    call.json(&body).send().await
}

/// Creates a collection in the first organization, under a parent if one is given.
pub(crate) async fn collection(env: &TestEnv, title: &str, parent: Option<&str>) -> String {
    let mut body = json!({ "title": title });
    if let Some(parent) = parent {
        body["parent"] = parent.into();
    }
    made(&env.client, &env.organization, body).await.expect(201).text_at("/id").to_owned()
}

/// Creates a space in a collection and returns its id.
pub(crate) async fn space_in(env: &TestEnv, title: &str, parent: &str) -> String {
    let call = env.client.call("createSpace").path("organizationId", &env.organization);
    let call = call.json(&json!({ "title": title, "parent": parent }));
    call.send().await.expect(201).text_at("/id").to_owned()
}

/// Gives a user a role in a `Space` or a `Collection`, or removes it with `null`.
pub(crate) async fn grant(env: &TestEnv, kind: &str, id: &str, user: &str, role: Value) -> Answer {
    let call = env.client.call(&format!("updateUserPermissionIn{kind}"));
    let call = call.path(parameter(kind), id).path("userId", user);
    call.json(&json!({ "role": role })).send().await
}

/// Sets the default level of a `Space` or a `Collection`.
pub(crate) async fn level(env: &TestEnv, kind: &str, id: &str, level: Value) {
    let call = env.client.call(match kind {
        "Space" => "updateSpaceById",
        _ => "updateCollectionById",
    });
    let call = call.path(parameter(kind), id).json(&json!({ "defaultLevel": level }));
    let _changed = call.send().await.expect(200);
}

/// Returns the path parameter for the id of a `Space` or a `Collection`.
pub(crate) fn parameter(kind: &str) -> &'static str {
    match kind {
        "Space" => "spaceId",
        _ => "collectionId",
    }
}

/// Returns the status of a request for a space.
pub(crate) async fn sees(client: &Client, space: &str) -> u16 {
    client.call("getSpaceById").path("spaceId", space).send().await.status
}
