//! Users: visibility and profiles.

use serde_json::json;

use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine};

#[test]
fn users_see_members_of_their_organizations() {
    each_engine(async |env: &mut TestEnv| {
        let ann = env.person("ann@example.com", Some("read")).await;
        let bob = env.person("bob@example.com", Some("edit")).await;
        let guest = env.person("guest@example.com", None).await;
        let body = json!({ "title": "Elsewhere" });
        let other = env.client.call("createOrganization").json(&body).send().await.expect(201);
        let stranger = json!({
            "email": "stranger@example.com", "displayName": "Stranger", "role": "admin",
            "organization": other.text_at("/id"), "token": true,
        });
        let stranger = env.client.call("createUser").json(&stranger).send().await.expect(201);
        let stranger = env.client.with_token(stranger.text_at("/token"));
        let (limited, _) = env
            .token(&json!({
                "name": "limited", "organizations": [other.text_at("/id")],
            }))
            .await;
        let limited = env.client.with_token(&limited);
        let admin = &env.client;

        for (who, whom, expect) in [
            (&ann, &ann, 200),
            (&ann, &bob, 200),
            (&ann, &guest, 200),
            (&ann, admin, 200),
            (&ann, &stranger, 404),
            (&guest, &guest, 200),
            // Guests see only themselves.
            (&guest, &ann, 404),
            (&stranger, &ann, 404),
            (&stranger, admin, 200),
            (&limited, &stranger, 200),
            (&limited, &ann, 404),
            (&limited, admin, 200),
        ] {
            let id = id_of(whom).await;
            let shown = who.call("getUserById").path("userId", &id).send().await.expect(expect);
            if expect == 200 {
                assert_eq!(shown.text_at("/id"), id);
                let location = shown.text_at("/urls/location");
                assert!(location.ends_with(&format!("/v1/users/{id}")), "{shown}");
            }
            let update = who.call("updateUserById").path("userId", &id);
            let body = json!({ "displayName": "Theirs" });
            let own = std::ptr::eq(who, whom) || id == id_of(who).await;
            let refused = match (expect, own) {
                (404, _) => 404,
                (_, false) => 403,
                (_, true) => 200,
            };
            let _answer = update.json(&body).send().await.expect(refused);
        }
        for odd in ["00000000000000000000", "x", "é"] {
            let _missing = ann.call("getUserById").path("userId", odd).send().await.expect(404);
        }
    });
}

#[test]
fn a_profile_belongs_to_its_owner() {
    each_engine(async |env: &mut TestEnv| {
        let ann = env.person("ann@example.com", Some("read")).await;
        let id = id_of(&ann).await;
        let update = async |body: serde_json::Value| {
            ann.call("updateUserById").path("userId", &id).json(&body).send().await
        };
        let before = ann.call("getUserById").path("userId", &id).send().await.expect(200);
        assert_eq!(before.json.pointer("/photoURL"), None, "{before}");
        let photo = "https://example.com/ann.png";
        let after = update(json!({ "displayName": " Ann\u{301} ", "photoURL": photo })).await;
        let after = after.expect(200);
        assert_eq!((after.text_at("/displayName"), after.text_at("/photoURL")), ("Anń", photo));
        let shown = ann.call("getAuthenticatedUser").send().await.expect(200);
        assert_eq!(shown.json, after.json);
        for (body, names) in [
            (json!({}), "at least 1"),
            (json!({ "displayName": "" }), "/displayName"),
            (json!({ "displayName": "x".repeat(65) }), "/displayName"),
            (json!({ "displayName": "a\u{202E}b" }), "/displayName"),
            (json!({ "photoURL": "javascript:alert(1)" }), "/photoURL"),
            (json!({ "photoURL": null }), "/photoURL"),
            (json!({ "photoURL": "no address" }), "/photoURL"),
            (json!({ "onboardingPreferences": {} }), "/onboardingPreferences"),
        ] {
            let refused = update(body).await.expect(400);
            assert!(refused.message().contains(names), "{refused}");
        }
        let events = env.events().await;
        let told = events.iter().filter_map(|one| match &one.event {
            bindery_store::Event::UserUpdated { user, changes } => Some((user, changes)),
            _ => None,
        });
        let told: Vec<_> = told.collect();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].0.to_string(), id);
        let fields: Vec<_> = told[0].1.iter().map(|change| change.field.as_str()).collect();
        assert_eq!(fields, ["displayName", "photoURL"]);
        assert_eq!(told[0].1[0].before, json!("ann@example.com"));
    });
}
