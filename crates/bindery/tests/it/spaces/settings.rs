//! Settings of a space: single changes, invalid values, and locking.

use bindery_model::SpaceId;
use bindery_testkit::archives::zip;
use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::change_requests::{page, proposed};
use crate::support::{TestEnv, each_engine};

async fn change(client: &Client, space: &str, body: &Value) -> Answer {
    client.call("updateSpaceById").path("spaceId", space).json(body).send().await
}

/// Returns the changes recorded in the events of a space.
async fn told(env: &mut TestEnv, space: &str) -> Vec<Value> {
    let space = SpaceId::parse(space).unwrap();
    env.edit_store(move |tx| {
        tx.query(
            "SELECT e.payload FROM events e WHERE e.space = $1 AND e.kind = 'spaceUpdated' \
                 AND e.actor IS NOT NULL ORDER BY e.stamp, e.id",
            &[space.into()],
            |row| row.get::<String>(0),
        )
    })
    .await
    .iter()
    .map(|payload| {
        let payload: Value = serde_json::from_str(payload).unwrap();
        let changes = payload["changes"].as_array().unwrap();
        changes.iter().map(|change| change["field"].clone()).collect()
    })
    .collect()
}

#[test]
fn each_setting_changes_alone() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Before").await;
        let shown = async || env.of_space("getSpaceById", &space).await.expect(200);
        let mut fields = Vec::new();
        for (body, told, expect) in changes() {
            let answer = change(&env.client, &space, &body).await.expect(200);
            for (name, value) in expect.as_object().unwrap() {
                match value.as_object().filter(|_| name == "urls") {
                    Some(urls) => assert_eq!(answer.at("/urls/icon"), &urls["icon"], "{answer}"),
                    None => assert_eq!(answer.at(&format!("/{name}")), value, "{answer}"),
                }
            }
            if body.get("icon") == Some(&Value::Null) {
                assert_eq!(answer.json.pointer("/urls/icon"), None, "{answer}");
            }
            assert_eq!(shown().await.json, answer.json);
            fields.push(json!(told));
        }
        let before = shown().await;
        for same in [json!({}), json!({ "title": "After " }), json!({ "language": "de" })] {
            let answer = change(&env.client, &space, &same).await.expect(200);
            assert_eq!(answer.json, before.json);
        }
        assert_eq!(told(env, &space).await, fields);
    });
}

/// Returns changes, the fields that each records, and the new values.
fn changes() -> [(Value, Vec<&'static str>, Value); 14] {
    let picture = "https://example.org/icon.png";
    let rules = json!({ "type": "rules", "rules": [{ "rule": "require_agent_review" }] });
    [
        (json!({ "title": " Cafe\u{301} " }), vec!["title"], json!({ "title": "Café" })),
        (json!({ "emoji": "1f4d6" }), vec!["emoji"], json!({ "emoji": "1f4d6" })),
        (json!({ "emoji": null }), vec!["emoji"], json!({ "emoji": "" })),
        (json!({ "emoji": "1f4d6" }), vec!["emoji"], json!({ "emoji": "1f4d6" })),
        // A space has either an icon or an emoji.
        (
            json!({ "icon": picture }),
            vec!["emoji", "icon"],
            json!({ "emoji": "", "urls": { "icon": picture } }),
        ),
        (json!({ "icon": null }), vec!["icon"], json!({ "emoji": "" })),
        (json!({ "editMode": "locked" }), vec!["editMode"], json!({ "editMode": "locked" })),
        (json!({ "editMode": "live" }), vec!["editMode"], json!({ "editMode": "live" })),
        (
            json!({ "defaultLevel": "comment" }),
            vec!["defaultLevel"],
            json!({ "defaultLevel": "comment" }),
        ),
        (json!({ "defaultLevel": null }), vec!["defaultLevel"], json!({ "defaultLevel": null })),
        (
            json!({ "defaultLevel": "inherit" }),
            vec!["defaultLevel"],
            json!({ "defaultLevel": "inherit" }),
        ),
        (json!({ "language": "fr" }), vec!["language"], json!({ "language": "fr" })),
        (json!({ "mergeRules": rules }), vec!["mergeRules"], json!({ "mergeRules": rules })),
        (
            json!({ "title": "After", "language": "de", "emoji": "1f4d7" }),
            vec!["title", "emoji", "language"],
            json!({ "title": "After", "language": "de", "emoji": "1f4d7" }),
        ),
    ]
}

#[test]
fn invalid_settings_are_rejected() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Stays").await;
        let before = env.of_space("getSpaceById", &space).await.expect(200);
        for (body, place) in [
            (json!({ "title": "" }), "/title"),
            (json!({ "title": "  " }), "/title"),
            (json!({ "title": "x".repeat(51) }), "/title"),
            (json!({ "title": "a\u{202E}b" }), "/title"),
            (json!({ "title": null }), "/title"),
            (json!({ "emoji": "x".repeat(51) }), "/emoji"),
            (json!({ "emoji": "zz zz" }), "/emoji"),
            (json!({ "emoji": "1f4d6 1f4d7" }), "/emoji"),
            (json!({ "emoji": 1 }), "emoji"),
            (json!({ "icon": "javascript:alert(1)" }), "/icon"),
            (json!({ "icon": "no address" }), "icon"),
            (json!({ "icon": "https://example.org/i.png", "emoji": "1f4d6" }), "/icon"),
            (json!({ "editMode": "open" }), "/editMode"),
            (json!({ "defaultLevel": "emperor" }), "/defaultLevel"),
            (json!({ "language": "zh_TW" }), "/language"),
            (json!({ "language": null }), "/language"),
            // A change with an invalid part has no effect.
            (json!({ "title": "Other", "mergeRules": { "type": "all" } }), "/mergeRules"),
        ] {
            let refused = change(&env.client, &space, &body).await.expect(400);
            assert!(refused.message().contains(place), "{refused}");
        }
        let body = json!({ "title": "Other" });
        let creator = env.person("create@example.com", Some("create")).await;
        let refused = change(&creator, &space, &body).await.expect(403);
        assert!(refused.message().contains("admin"), "{refused}");
        let guest = env.person("guest@example.com", None).await;
        let _unseen = change(&guest, &space, &body).await.expect(404);
        let (text, _) = env.token(&json!({ "name": "writes", "scopes": ["write"] })).await;
        let writes = env.client.with_token(&text);
        let refused = change(&writes, &space, &body).await.expect(403);
        assert!(refused.message().contains("scope"), "{refused}");
        assert_eq!(env.of_space("getSpaceById", &space).await.json, before.json);

        // The default visibility follows from the level.
        let reader = env.person("read@example.com", Some("read")).await;
        let sees = async || reader.call("getSpaceById").path("spaceId", &space).send().await.status;
        assert_eq!(sees().await, 200);
        let hidden = json!({ "defaultLevel": null });
        let _hidden = change(&env.client, &space, &hidden).await.expect(200);
        assert_eq!(sees().await, 404);
        let edits = json!({ "defaultLevel": "edit" });
        let _open = change(&env.client, &space, &edits).await.expect(200);
        let call = reader.call("createChangeRequest").path("spaceId", &space);
        let _made = call.json(&json!({ "subject": "By a reader" })).send().await.expect(201);
    });
}

#[test]
fn a_lock_applies_to_every_operation() {
    each_engine(async |env: &mut TestEnv| {
        let proposed = proposed(env, &[("", "One")]).await;
        let space = proposed.space.as_str();
        let lock = json!({ "editMode": "locked" });
        let locked = change(&env.client, space, &lock).await.expect(200);
        assert_eq!(locked.at("/permissions/edit"), &json!(false));
        assert_eq!(locked.at("/permissions/editChangeRequests"), &json!(true));
        let of_space = |operation| env.client.call(operation).path("spaceId", space);
        let page = page("Direct");
        let git = json!({ "url": "https://git.invalid/x", "ref": "refs/heads/main" });
        let archive = zip(&[("README.md", "# Other\n")]);
        for refused in [
            of_space("updateSpaceContent").json(&page).send().await,
            of_space("importGitRepository").json(&git).send().await,
            of_space("importSpaceArchive").body("application/zip", archive).send().await,
            proposed.call(&env.client, "mergeChangeRequest", 0).send().await,
        ] {
            let refused = refused.expect(409);
            assert!(refused.message().contains("locked"), "{refused}");
        }
        let head = env.of_space("getSpaceById", space).await.expect(200);
        assert_eq!(head.text_at("/revision"), locked.text_at("/revision"));
        // Change requests can still be edited.
        let call = proposed.call(&env.client, "updateChangeRequestContent", 0);
        let _changed = call.json(&page).send().await.expect(200);
        let _open = change(&env.client, space, &json!({ "editMode": "live" })).await.expect(200);
        let merge = proposed.call(&env.client, "mergeChangeRequest", 0);
        assert_eq!(merge.send().await.expect(200).text_at("/result"), "merge");
    });
}
