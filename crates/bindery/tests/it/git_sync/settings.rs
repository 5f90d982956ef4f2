//! Settings: their validation, the permissions, and the credentials, which are never shown.

use serde_json::{Value, json};

use super::Synced;
use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine, each_engine_with};

#[test]
fn settings_have_defaults_and_can_be_changed() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("New").await;
        let _none = env.of_space("getGitSync", &space).await.expect(404);
        let put = async |body: Value| {
            let call = env.client.call("setGitSync").path("spaceId", &space);
            call.json(&body).send().await.expect(200)
        };
        let made = put(json!({
            "url": "https://git.invalid/docs.git", "ref": "main", "pollingInterval": 0,
        }))
        .await;
        assert_eq!(made.at("/direction"), "both");
        assert_eq!(made.at("/initialDirection"), "import");
        assert_eq!(made.at("/credentials"), &json!({ "kind": "none" }));
        assert_eq!(made.at("/rewrittenHistory"), "merge");
        assert_eq!(made.at("/commitMessage"), "{change_request.subject}");
        assert_eq!(made.at("/ref"), "refs/heads/main");
        assert_eq!(made.at("/state"), "active");
        let address = format!("/v1/bindery/hooks/git/{}", made.text_at("/id"));
        assert!(made.text_at("/webhookUrl").ends_with(&address), "{made}");
        let secret = made.text_at("/webhookSecret").to_owned();
        assert!(secret.len() >= 40, "{secret}");

        let changed = json!({
            "url": "https://git.invalid/docs.git", "ref": "next", "pollingInterval": 0,
            "direction": "export", "projectDirectory": "docs/", "rewrittenHistory": "pause",
            "commitMessage": "Docs: {change_request.subject} by {author}",
        });
        let again = put(changed.clone()).await;
        assert_eq!(again.at("/id"), made.at("/id"));
        assert_eq!(again.json["webhookSecret"], Value::Null, "it is shown once");
        assert_eq!(again.at("/initialDirection"), "export");
        assert_eq!(again.at("/projectDirectory"), "docs");
        let mut rotated = changed;
        rotated["rotateWebhookSecret"] = true.into();
        assert_ne!(put(rotated).await.text_at("/webhookSecret"), secret);
        let shown = env.of_space("getGitSync", &space).await.expect(200);
        assert_eq!(shown.json["webhookSecret"], Value::Null);
        let _deleted = env.of_space("deleteGitSync", &space).await.expect(205);
        let _gone = env.of_space("deleteGitSync", &space).await.expect(204);
        let _gone = env.of_space("deleteLegacyGitInstallation", &space).await.expect(204);
        let _none = env.of_space("getGitSync", &space).await.expect(404);
    });
}

/// Fields with a value that is refused, and a part of the message.
fn bad_values() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("url", json!("ssh://git:secret@example.com/x"), "/url"),
        ("url", json!("ssh://example.com/"), "/url"),
        ("url", json!("git@10.0.0.1:x"), "/url"),
        ("url", json!("git://example.com/x"), "/url"),
        ("url", json!("https://10.0.0.1/x"), "/url"),
        ("url", json!("https://git.invalid/"), "/url"),
        ("ref", json!("refs/tags/v1"), "/ref"),
        ("ref", json!("HEAD"), "/ref"),
        ("ref", json!("a..b"), "/ref"),
        ("projectDirectory", json!("../up"), "/projectDirectory"),
        ("projectDirectory", json!("/root"), "/projectDirectory"),
        ("direction", json!("sideways"), "/direction"),
        ("pollingInterval", json!(59), "/pollingInterval"),
        ("pollingInterval", json!(604_801), "/pollingInterval"),
        ("pollingInterval", json!(-1), "/pollingInterval"),
        ("commitMessage", json!("{unknown}"), "{space.title}"),
        ("commitMessage", json!("{author"), "brace"),
        ("commitMessage", json!(" "), "/commitMessage"),
        ("rewrittenHistory", json!("ignore"), "/rewrittenHistory"),
        ("credentials", json!({ "kind": "ssh" }), "/credentials/kind"),
        ("credentials", json!({ "kind": "token" }), "/credentials/token"),
        ("credentials", json!({ "kind": "token", "token": "" }), "/credentials/token"),
        ("credentials", json!({ "kind": "token", "token": "a\nb" }), "/credentials/token"),
        ("credentials", json!({ "kind": "basic", "username": "u" }), "/credentials/password"),
        (
            "credentials",
            json!({ "kind": "basic", "username": "a:b", "password": "p" }),
            "/credentials/username",
        ),
        ("credentials", json!({ "kind": "none", "token": "t" }), "/credentials/token"),
    ]
}

#[test]
fn bad_settings_are_refused_and_change_nothing() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Bad").await;
        let good = json!({ "url": "https://git.invalid/x", "ref": "main", "pollingInterval": 0 });
        let put = async |body: &Value| {
            env.client.call("setGitSync").path("spaceId", &space).json(body).send().await
        };
        let _set = put(&good).await.expect(200);
        let before = env.of_space("getGitSync", &space).await.expect(200);
        for (name, value, message) in bad_values() {
            let mut body = good.clone();
            body[name] = value;
            let refused = put(&body).await.expect(400);
            assert!(refused.message().contains(message), "{message}: {refused}");
        }
        let mut only = good.clone();
        only["direction"] = "import".into();
        only["initialDirection"] = "export".into();
        assert!(put(&only).await.expect(400).message().contains("/initialDirection"));
        let after = env.of_space("getGitSync", &space).await.expect(200);
        assert_eq!(before.json, after.json);
    });
}

#[test]
fn roles_run_or_manage() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        let editor = env.person("editor@example.com", Some("edit")).await;
        let creator = env.person("creator@example.com", Some("create")).await;
        let body = json!({ "url": "https://git.invalid/x", "ref": "main" });
        for operation in ["getGitSync", "listGitSyncRuns", "runGitSync", "pauseGitSync"] {
            let of = |client: &bindery_testkit::Client| {
                client.call(operation).path("spaceId", &synced.space)
            };
            let _refused = of(&editor).send().await.expect(403);
            assert!(of(&creator).send().await.status < 300, "{operation}");
        }
        let set = creator.call("setGitSync").path("spaceId", &synced.space);
        let _refused = set.json(&body).send().await.expect(403);
        let delete = creator.call("deleteGitSync").path("spaceId", &synced.space);
        let _refused = delete.send().await.expect(403);
        assert!(!id_of(&creator).await.is_empty());
        assert_eq!(synced.get(env).await.at("/url"), &json!(synced.git.url("docs.git")));
    });
}

#[test]
fn credentials_are_used_and_never_shown() {
    let configure =
        |installation: bindery_testkit::Installation| installation.variable("BINDERY_LOG", "debug");
    each_engine_with(configure, async |env: &mut TestEnv| {
        let synced = Synced::idle(env, json!({})).await;
        synced.git.set_login("writer", "s3cr3t-pass");
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/error/code"), "needs-credentials", "{job}");
        let in_address =
            synced.git.url("docs.git").replace("http://", "http://writer:s3cr3t-pass@");
        let set = synced.set(env, json!({ "url": in_address })).await.expect(200);
        assert_eq!(set.at("/credentials/kind"), "basic");
        assert_eq!(set.at("/url"), &json!(synced.git.url("docs.git")));
        // Without credentials, those of the same repository stay.
        let kept = synced.set(env, json!({ "direction": "both" })).await.expect(200);
        assert_eq!(kept.at("/credentials/kind"), "basic");
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let mut shown = vec![set.text(), kept.text(), job.text()];
        for operation in ["getGitSync", "listGitSyncRuns", "getSpaceGitInfo", "getSpaceById"] {
            shown.push(env.of_space(operation, &synced.space).await.expect(200).text());
        }
        let audit = env.client.call("listOrganizationAuditEvents");
        let audit = audit.path("organizationId", &env.organization).send().await.expect(200);
        shown.push(audit.text());
        // Another server does not get the credentials of this one.
        let elsewhere = json!({ "url": "https://git.invalid/docs.git" });
        let moved = synced.set(env, elsewhere).await.expect(200);
        assert_eq!(moved.at("/credentials/kind"), "none");
        shown.push(env.server().log());
        shown.extend(env.events().await.iter().map(|event| format!("{event:?}")));
        for text in shown {
            assert!(!text.contains("s3cr3t-pass") && !text.contains(&synced.secret), "{text}");
        }
    });
}

#[test]
fn copies_and_deleted_spaces_are_not_synchronised() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        let copy = env.of_space("duplicateSpace", &synced.space).await.expect(201);
        let _none = env.of_space("getGitSync", copy.text_at("/id")).await.expect(404);
        let _deleted = env.of_space("deleteSpaceById", &synced.space).await.expect(205);
        let outside = synced.commit("guide.md", "# Guide\n\nFrom outside.\n");
        let hook = env.client.anonymous().call("receiveGitEvent").path("syncId", &synced.id);
        let hook = hook.header("x-gitlab-token", &synced.secret);
        let _unknown = hook.json(&json!({ "ref": "refs/heads/main" })).send().await.expect(404);
        synced
            .edit_state(env, |sync| sync.next_at = Some(bindery_model::Timestamp::from_millis(0)))
            .await;
        let _restored = env.of_space("restoreSpace", &synced.space).await.expect(200);
        assert_eq!(synced.runs(env).await.len(), 1);
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert_eq!(synced.get(env).await.at("/commit"), &json!(outside));
        assert!(synced.markdown(env, "Guide").await.contains("From outside."));
    });
}
