//! Audit events: listing, filtering and permissions.

use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::support::content::publish;
use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine, each_engine_with, until};

/// Returns a call of an operation on the organization.
fn of(env: &TestEnv, client: &Client, operation: &str) -> Call {
    client.call(operation).path("organizationId", &env.organization)
}

async fn list(env: &TestEnv, query: &[(&str, &str)]) -> Answer {
    let call = of(env, &env.client, "listOrganizationAuditEvents");
    query.iter().fold(call, |call, (name, value)| call.query(name, value)).send().await
}

fn actions(list: &Answer) -> Vec<&str> {
    let items = list.at("/items").as_array().unwrap();
    items.iter().map(|item| item["action"].as_str().unwrap()).collect()
}

/// Returns the details of the newest event with an action.
async fn newest(env: &TestEnv, action: &str) -> Value {
    let found = list(env, &[("action", action)]).await.expect(200);
    let call = of(env, &env.client, "getOrganizationAuditEvent");
    let call = call.path("auditEventId", found.text_at("/items/0/id"));
    let details = call.send().await.expect(200);
    assert_eq!(details.at("/urls"), found.at("/items/0/urls"));
    details.json
}

#[test]
fn events_contain_old_and_new_values() {
    each_engine(async |env: &mut TestEnv| {
        let admin = id_of(&env.client).await;
        let ada = id_of(&env.person("ada@example.com", Some("read")).await).await;
        let added = newest(env, "member.added").await;
        assert_eq!(added["actor"]["type"], "user");
        assert_eq!(added["actor"]["id"], *admin);
        assert_eq!(added["actor"]["label"], "Administrator");
        assert_eq!(added["source"], "api");
        assert_eq!(
            added["target"],
            json!({ "type": "user", "id": ada, "label": "ada@example.com" })
        );
        assert_eq!(added["payload"]["role"], "read");
        assert_eq!(added["payload"]["origin"]["address"], "127.0.0.1");
        assert_eq!(added["schemaVersion"], 1);
        let token = added["payload"]["origin"]["token"].as_str().unwrap();
        assert_eq!(token.len(), 20);

        a_team_event_has_the_roles(env, &ada).await;

        let space = env.space("Space").await;
        let update = env.client.call("updateSpaceById").path("spaceId", &space);
        let body = json!({ "title": "Other", "editMode": "locked" });
        let _updated = update.json(&body).send().await.expect(200);
        let updated = newest(env, "space.updated").await;
        assert_eq!(
            updated["payload"]["changes"],
            json!([
                { "field": "title", "before": "Space", "after": "Other" },
                { "field": "editMode", "before": "live", "after": "locked" },
            ])
        );
        assert_eq!(updated["target"], json!({ "type": "space", "id": space }));

        let (text, id) = env.token(&json!({ "name": "for a while", "scopes": ["read"] })).await;
        let made = newest(env, "token.created").await;
        assert_eq!(made["target"], json!({ "type": "token", "id": id, "label": "for a while" }));
        assert_eq!(made["payload"]["scopes"], json!(["read"]));
        assert!(!made.to_string().contains(&text), "{made}");
        let _gone = env.client.call("deleteToken").path("tokenId", &id).send().await.expect(205);
        assert_eq!(newest(env, "token.revoked").await["payload"]["name"], "for a while");

        site_events_have_the_site(env, &space).await;

        // The first start is recorded as an action of the system.
        let first = list(env, &[("actor", "system")]).await.expect(200);
        assert_eq!(first.text_at("/items/0/actor/id"), "system");
        assert_eq!(first.text_at("/items/0/source"), "workflow");
    });
}

/// Creates a team, and changes the role of its member.
async fn a_team_event_has_the_roles(env: &TestEnv, ada: &str) {
    let body = json!({ "title": "Team", "members": [ada] });
    let team = of(env, &env.client, "createOrganizationTeam").json(&body);
    let team = team.send().await.expect(201).text_at("/id").to_owned();
    let put = of(env, &env.client, "addMemberToOrganizationTeamById");
    let put = put.path("teamId", &team).path("userId", ada);
    let _put = put.json(&json!({ "role": "owner" })).send().await.expect(204);
    let changed = newest(env, "team.members.updated").await;
    assert_eq!(changed["target"]["id"], *team);
    assert_eq!(changed["payload"]["before"], json!({ ada: "member" }));
    assert_eq!(changed["payload"]["after"], json!({ ada: "owner" }));
}

/// Publishes a site with a space.
async fn site_events_have_the_site(env: &TestEnv, space: &str) {
    let site = publish(env, "Site", space).await;
    assert_eq!(newest(env, "site.published").await["target"]["id"], *site.text_at("/id"));
    let added = newest(env, "site.space.added").await;
    assert_eq!(added["payload"]["space"], space);
    assert_eq!(
        added["payload"]["after"],
        json!({ "title": "Other", "path": "other", "default": true })
    );
    let newest_first = list(env, &[("limit", "3")]).await.expect(200);
    let expect = ["site.published", "site.space.added", "site.created"];
    assert_eq!(actions(&newest_first), expect);
}

#[test]
fn audit_events_are_filtered_and_paged() {
    each_engine(async |env: &mut TestEnv| {
        let admin = id_of(&env.client).await;
        let one = env.space("One").await;
        let two = env.space("Two").await;
        let count =
            async |query: &[(&str, &str)]| list(env, query).await.expect(200).at("/count").clone();
        assert_eq!(count(&[("target", &one)]).await, json!(1));
        assert_eq!(count(&[("target", &one), ("actor", &admin)]).await, json!(1));
        assert_eq!(count(&[("target", &two), ("action", "space.deleted")]).await, json!(0));
        assert_eq!(count(&[("actor", "nobody")]).await, json!(0));
        let all = list(env, &[("target", &two)]).await.expect(200);
        let at = all.text_at("/items/0/occurredAt").to_owned();
        assert_eq!(count(&[("target", &two), ("from", &at)]).await, json!(1));
        assert_eq!(count(&[("target", &two), ("to", &at)]).await, json!(0));
        assert_eq!(count(&[("from", "2999-01-01T00:00:00Z")]).await, json!(0));
        for (query, names) in [
            ([("action", "made.up")], "team.created"),
            ([("from", "yesterday")], "from"),
            ([("limit", "101")], "limit"),
            ([("limit", "0")], "limit"),
            ([("page", "x")], "page"),
        ] {
            let refused = list(env, &query).await.expect(400);
            assert!(refused.message().contains(names), "{refused}");
        }
        let query = [("from", "2026-01-02T00:00:00Z"), ("to", "2026-01-01T00:00:00Z")];
        let refused = list(env, &query).await.expect(400);
        assert!(refused.message().contains("to"), "{refused}");

        // All pages can be read while further events are added.
        let whole = list(env, &[("limit", "100")]).await.expect(200);
        let ids = |list: &Answer| -> Vec<String> {
            let items = list.at("/items").as_array().unwrap();
            items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
        };
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let mut query = vec![("limit", "2")];
            if !cursor.is_empty() {
                query.push(("page", &cursor));
            }
            let page = list(env, &query).await.expect(200);
            found.extend(ids(&page));
            let _more = env.space("More").await;
            match page.json.pointer("/next/page").and_then(Value::as_str) {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
        assert_eq!(found, ids(&whole));
    });
}

#[test]
fn only_administrators_see_audit_events() {
    each_engine(async |env: &mut TestEnv| {
        let member = env.person("mem@example.com", Some("create")).await;
        let guest = env.person("guest@example.com", None).await;
        let known = list(env, &[]).await.expect(200).text_at("/items/0/id").to_owned();
        for client in [&member, &guest] {
            for operation in ["listOrganizationAuditEvents", "listOrganizationAuditEventActions"] {
                let refused = of(env, client, operation).send().await.expect(403);
                assert!(refused.message().contains("admin"), "{refused}");
            }
            let call = of(env, client, "getOrganizationAuditEvent");
            let _refused = call.path("auditEventId", &known).send().await.expect(403);
        }
        let listed = of(env, &env.client, "listOrganizationAuditEventActions").send().await;
        let listed = listed.expect(200);
        let items = listed.at("/items").as_array().unwrap();
        assert!(items.iter().any(|action| action["id"] == "permission.changed"), "{listed}");
        let call = of(env, &env.client, "getOrganizationAuditEvent");
        let absent = "00000000-0000-4000-8000-000000000000";
        let _missing = call.path("auditEventId", absent).send().await.expect(404);
    });
}

#[test]
fn audit_events_expire() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("bindery.toml");
    std::fs::write(&config, "[audit]\nretention_days = 30\n").unwrap();
    each_engine_with(
        |installation| installation.argument("--config").argument(&config),
        async |env: &mut TestEnv| {
            let space = env.space("Kept").await;
            env.edit_store(|tx| {
                tx.execute("UPDATE audit_events SET at = 0 WHERE actor IS NULL", &[])
            })
            .await;
            until(async || {
                let left = list(env, &[("actor", "system")]).await.expect(200);
                (left.at("/count") == &json!(0)).then_some(())
            })
            .await;
            let kept = list(env, &[("target", &space)]).await.expect(200);
            assert_eq!(kept.at("/count"), &json!(1));
        },
    );
}
