//! Requests with an `Idempotency-Key` that are repeated by the same and by other callers.

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::people::{id_of, sign_in_link};
use crate::support::{TestEnv, each_engine};

const KEY: &str = "the-same-key";

async fn keyed(client: &Client, operation: &str, body: &Value) -> Answer {
    client.call(operation).header("Idempotency-Key", KEY).json(body).send().await
}

fn new_user(env: &TestEnv) -> Value {
    json!({
        "email": "new@example.com", "displayName": "New", "organization": env.organization,
        "role": "read", "token": true,
    })
}

#[test]
fn another_credential_receives_no_replayed_secret() {
    each_engine(async |env: &mut TestEnv| {
        let body = json!({ "name": "for the nightly import" });
        let made = keyed(&env.client, "createToken", &body).await.expect(201);
        let secret = made.text_at("/token").to_owned();
        let (reader, _) = env.token(&json!({ "name": "reader", "scopes": ["read"] })).await;
        let refused = keyed(&env.client.with_token(&reader), "createToken", &body).await;
        assert!(!refused.expect(403).text().contains(&secret));
        // Another token with the same permissions creates a token of its own.
        let (other, _) = env.token(&json!({ "name": "other" })).await;
        let other = keyed(&env.client.with_token(&other), "createToken", &body).await.expect(201);
        assert_ne!(other.text_at("/id"), made.text_at("/id"));
        assert_ne!(other.text_at("/token"), secret);
    });
}

#[test]
fn a_removed_member_receives_no_replayed_token() {
    each_engine(async |env: &mut TestEnv| {
        let link = sign_in_link(env, "ann@example.com", "admin").await;
        let session = env.client.anonymous().call("signIn").json(&json!({ "link": link }));
        let session = session.send().await.expect(201);
        let cookie = session.header("set-cookie").split(';').next().unwrap().to_owned();
        let ann = env.client.anonymous().call("createToken").header("cookie", &cookie);
        let ann = ann.header("x-csrf-token", session.text_at("/csrfToken"));
        let ann = ann.json(&json!({ "name": "Ann's" })).send().await.expect(201);
        let ann = env.client.with_token(ann.text_at("/token"));
        let created = keyed(&ann, "createUser", &new_user(env)).await.expect(201);
        let secret = created.text_at("/token").to_owned();
        let space = json!({ "title": "Once" });
        let make = async |client: &Client| {
            let call = client.call("createSpace").path("organizationId", &env.organization);
            call.header("Idempotency-Key", KEY).json(&space).send().await
        };
        let first = make(&ann).await.expect(201);
        assert_eq!(make(&ann).await.expect(201).json, first.json);

        let remove = env.client.call("removeMemberFromOrganizationById");
        let remove = remove.path("organizationId", &env.organization);
        let _removed = remove.path("userId", id_of(&ann).await).send().await.expect(205);
        let replayed = keyed(&ann, "createUser", &new_user(env)).await.expect(404);
        assert!(!replayed.text().contains(&secret));
        let replayed = make(&ann).await.expect(404);
        assert!(!replayed.text().contains("Once"), "{replayed}");
        // The user and the space exist only once.
        let spaces = env.client.call("listSpacesInOrganizationById");
        let spaces = spaces.path("organizationId", &env.organization).query("limit", 100);
        let spaces = spaces.send().await.expect(200);
        assert_eq!(spaces.text().matches("\"Once\"").count(), 1);
    });
}

#[test]
fn replays_require_current_permissions() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Once").await;
        let editor = env.person("editor@example.com", Some("edit")).await;
        let propose = async || {
            let call = editor.call("createChangeRequest").path("spaceId", &space);
            let call = call.header("Idempotency-Key", KEY);
            call.json(&json!({ "subject": "Mine" })).send().await
        };
        let first = propose().await.expect(201);
        assert_eq!(propose().await.expect(201).json, first.json);
        let change = async |role: &str| {
            let call = env.client.call("updateMemberInOrganizationById");
            let call = call.path("organizationId", &env.organization);
            let call = call.path("userId", id_of(&editor).await).json(&json!({ "role": role }));
            let _changed = call.send().await.expect(200);
        };
        change("read").await;
        let _refused = propose().await.expect(403);
        change("edit").await;
        assert_eq!(propose().await.expect(201).json, first.json);
        let now = env.of_space("getSpaceById", &space).await;
        assert_eq!(now.at("/changeRequestsDraft"), &json!(1));
    });
}

#[test]
fn secrets_are_shown_once_and_not_stored() {
    each_engine(async |env: &mut TestEnv| {
        let token = json!({ "name": "once" });
        let made = keyed(&env.client, "createToken", &token).await.expect(201);
        assert_eq!(made.header("cache-control"), "no-store");
        let again = keyed(&env.client, "createToken", &token).await.expect(409);
        assert!(!again.text().contains(made.text_at("/token")));
        for part in ["Idempotency-Key", "shown once", made.text_at("/id"), "revoke"] {
            assert!(again.message().contains(part), "{part}: {again}");
        }
        let user = new_user(env);
        let made = keyed(&env.client, "createUser", &user).await.expect(201);
        let again = keyed(&env.client, "createUser", &user).await.expect(409);
        assert!(again.message().contains(made.text_at("/user/id")), "{again}");
        let link = async || {
            let call = env.client.call("createOrganizationInvite");
            let call = call.path("organizationId", &env.organization);
            call.header("Idempotency-Key", KEY).json(&json!({ "role": "read" })).send().await
        };
        let made_link = link().await.expect(201);
        let again = link().await.expect(409);
        assert!(!again.text().contains(made_link.text_at("/id")), "{again}");
        let _other = keyed(&env.client, "createToken", &json!({ "name": "x" })).await.expect(422);
        // These responses contain secrets and are not stored, not even encrypted.
        let sql = "SELECT i.operation, i.headers, i.body FROM idempotency i ORDER BY i.operation";
        let kept = env
            .edit_store(move |tx| {
                tx.query(sql, &[], |row| {
                    Ok((row.get::<String>(0)?, row.get::<String>(1)?, row.get::<Vec<u8>>(2)?))
                })
            })
            .await;
        let operations: Vec<&str> = kept.iter().map(|(operation, ..)| operation.as_str()).collect();
        assert_eq!(operations, ["createOrganizationInvite", "createToken", "createUser"]);
        for (operation, headers, body) in kept {
            assert_eq!(body, b"", "{operation}");
            assert!(!headers.contains(made_link.text_at("/id")), "{headers}");
        }
    });
}
