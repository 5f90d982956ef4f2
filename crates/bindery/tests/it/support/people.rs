//! Users, and organizations for them.

use bindery_model::{Clock as _, Id, OrganizationId, Role};
use bindery_store::organizations::{self, Organization};
use bindery_store::{members, users};
use bindery_testkit::Client;
use serde_json::json;

use crate::support::{SystemClock, TestEnv};

/// Returns the id of the client's user.
pub(crate) async fn id_of(client: &Client) -> String {
    let user = client.call("getAuthenticatedUser").send().await.expect(200);
    user.text_at("/id").to_owned()
}

/// Creates a user who is a member of another organization only.
pub(crate) async fn stranger(env: &TestEnv, email: &str) -> Client {
    let elsewhere = json!({ "title": "Elsewhere" });
    let made = env.client.call("createOrganization").json(&elsewhere).send().await.expect(201);
    let body = json!({
        "email": email, "displayName": email, "organization": made.text_at("/id"),
        "role": "read", "token": true,
    });
    let made = env.client.call("createUser").json(&body).send().await.expect(201);
    env.client.with_token(made.text_at("/token"))
}

/// Creates a user and returns the secret of the sign-in link.
pub(crate) async fn sign_in_link(env: &TestEnv, email: &str, role: &str) -> String {
    let body = json!({
        "email": email, "displayName": "New", "organization": env.organization, "role": role,
    });
    let made = env.client.call("createUser").json(&body).send().await.expect(201);
    made.text_at("/signInURL").rsplit('/').next().unwrap().to_owned()
}

/// Creates a second organization with the administrator as its only member.
pub(crate) async fn second_organization(env: &mut TestEnv) -> String {
    let entropy = bindery_model::Entropy::from_system().unwrap();
    let id = OrganizationId::parse(Id::random(&entropy).as_str()).unwrap();
    let organization = Organization::new(id, "The second".to_owned(), SystemClock.now());
    env.edit_store(move |tx| {
        organizations::create(tx, &organization)?;
        let admin = users::get_by_email(tx, "admin@localhost")?.unwrap();
        members::create(tx, id, admin.id, Some(Role::Admin), SystemClock.now())
    })
    .await;
    id.to_string()
}
