//! Requests that are refused: bad input, conflicts, permissions, and servers that are not reached.

use std::cell::RefCell;

use bindery_testkit::git_hosting::GitHosting;
use serde_json::{Value, json};

use super::{Hosted, NUMBER, get, install, installed, of_installation, settled, update};
use crate::support::{TestEnv, each_engine, each_engine_with, join_all};

#[test]
fn bad_input_is_refused_with_its_place() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        let space = env.space("Docs").await;
        let id = installed(env, "gitlab", &space).await;
        let none = || json!({});
        let cases: [(Value, Value, &str); 16] = [
            (json!({ "projectId": 0 }), none(), "projectId"),
            (json!({ "projectId": 1.5 }), none(), "projectId"),
            (json!({ "repositoryId": 1 }), none(), "repositoryId"),
            (json!({ "accessToken": "" }), none(), "accessToken"),
            (json!({ "accessToken": "a b" }), none(), "accessToken"),
            (json!({ "accessToken": "x".repeat(5_000) }), none(), "accessToken"),
            (json!({ "customInstanceURL": "ftp://x.example" }), none(), "customInstanceURL"),
            (json!({ "customInstanceURL": "http://gitlab.com" }), none(), "customInstanceURL"),
            (json!({ "customInstanceURL": "https://a:b@x.example" }), none(), "customInstanceURL"),
            (json!({ "branch": "refs/heads/a..b" }), none(), "branch"),
            (json!({ "branch": "main" }), none(), "branch"),
            (none(), json!({ "projectDirectory": "../x" }), "projectDirectory"),
            (none(), json!({ "projectDirectory": "/x" }), "projectDirectory"),
            (none(), json!({ "commitMessageTemplate": "{nothing}" }), "commitMessageTemplate"),
            (none(), json!({ "agentInstructions": ["other"] }), "agentInstructions"),
            (
                none(),
                json!({ "childInstallationProjectDirectories": { "x": "y" } }),
                "childInstallationProjectDirectories",
            ),
        ];
        for (configuration, with, place) in cases {
            let answer = update(&env.client, &id, "gitlab", configuration.clone(), with.clone());
            let answer = answer.await.expect(400);
            assert!(answer.message().contains(place), "{configuration} {with}: {answer}");
        }
        let other = update(&env.client, &id, "github", json!({}), json!({})).await.expect(400);
        assert!(other.message().contains("provider"), "{other}");
        let mut absent = hosted.configuration();
        absent["projectId"] = (NUMBER + 1).into();
        let absent = update(&env.client, &id, "gitlab", absent, json!({})).await.expect(400);
        assert!(absent.message().contains("projectId"), "{absent}");
        let unchanged = get(env, &id).await;
        assert_eq!(unchanged.text_at("/status"), "unauthenticated");
        assert_eq!(*unchanged.at("/providerConfiguration"), json!({}));
    });
}

#[test]
fn values_are_stored_without_a_repository() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Docs").await;
        let id = installed(env, "gitlab", &space).await;
        let with = json!({
            "projectDirectory": "handbook/", "commitMessageTemplate": "docs",
            "previewExternalBranches": true, "agentInstructions": ["claude", "agents", "claude"],
            "priority": "gitbook",
        });
        let token = json!({ "accessToken": "waiting" });
        let stored = update(&env.client, &id, "gitlab", token, with).await.expect(200);
        assert_eq!(stored.text_at("/status"), "pending");
        assert_eq!(stored.text_at("/projectDirectory"), "handbook");
        assert_eq!(stored.text_at("/commitMessageTemplate"), "docs");
        assert_eq!(*stored.at("/previewExternalBranches"), true);
        assert_eq!(*stored.at("/agentInstructions"), json!(["agents", "claude"]));
        assert_eq!(stored.text_at("/priority"), "gitbook");
        let kept = update(&env.client, &id, "gitlab", json!({}), json!({})).await.expect(200);
        assert_eq!(kept.text_at("/priority"), "gitbook");
        assert_eq!(kept.text_at("/status"), "pending");
    });
}

#[test]
fn servers_that_fail_change_nothing() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        let space = env.space("Docs").await;
        let id = installed(env, "gitlab", &space).await;
        hosted.hosting.set_fault(Some(502));
        let failed = update(&env.client, &id, "gitlab", hosted.configuration(), json!({}));
        let failed = failed.await.expect(503);
        assert!(failed.message().contains("502"), "{failed}");
        let mut closed = hosted.configuration();
        closed["customInstanceURL"] = "http://127.0.0.1:1".into();
        let failed = update(&env.client, &id, "gitlab", closed, json!({})).await.expect(503);
        assert!(failed.message().contains("127.0.0.1"), "{failed}");
        assert_eq!(*get(env, &id).await.at("/providerConfiguration"), json!({}));
        let _none = env.of_space("getGitSync", &space).await.expect(404);
    });
}

#[test]
fn private_addresses_are_refused_by_default() {
    let hosting = GitHosting::start();
    each_engine_with(
        |installation| installation.without("BINDERY_OUTBOUND_ALLOW"),
        async |env: &mut TestEnv| {
            let space = env.space("Docs").await;
            let id = installed(env, "gitlab", &space).await;
            for address in [hosting.address(), "https://127.0.0.1", "https://localhost"] {
                let configuration = json!({
                    "projectId": 1, "accessToken": "x", "customInstanceURL": address,
                });
                let answer = update(&env.client, &id, "gitlab", configuration, json!({})).await;
                let answer = answer.expect(400);
                assert!(answer.message().contains("customInstanceURL"), "{answer}");
            }
            assert!(hosting.requests().is_empty());
        },
    );
}

#[test]
fn a_space_has_one_installation_or_synchronisation() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        let space = env.space("Docs").await;
        let id = installed(env, "gitlab", &space).await;
        let target = json!({ "type": "space", "spaceId": space });
        let second = install(&env.client, "gitlab", target.clone()).await.expect(409);
        assert!(second.message().contains(&id), "{second}");
        let settings = json!({ "url": "https://git.invalid/x", "ref": "main" });
        let own = env.client.call("setGitSync").path("spaceId", &space).json(&settings);
        let own = own.send().await.expect(409);
        assert!(own.message().contains(&id), "{own}");
        let connected = update(&env.client, &id, "gitlab", hosted.configuration(), json!({}));
        let _connected = connected.await.expect(200);
        settled(env, &space).await;
        let _kept = env.of_space("deleteGitSync", &space).await.expect(409);

        let other = env.space("Own").await;
        let own = env.client.call("setGitSync").path("spaceId", &other).json(&settings);
        let _own = own.send().await.expect(200);
        let target = json!({ "type": "space", "spaceId": other });
        let _busy = install(&env.client, "gitlab", target).await.expect(409);
    });
}

#[test]
fn simultaneous_installations_give_one() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Docs").await;
        let body = json!({ "title": "Docs", "spaces": [] });
        let site = env.client.call("createSite").path("organizationId", &env.organization);
        let site = site.json(&body).send().await.expect(201);
        for target in [
            json!({ "type": "space", "spaceId": space }),
            json!({ "type": "site", "siteId": site.text_at("/id") }),
        ] {
            let answers = RefCell::new(Vec::new());
            let once = async || {
                let answer = install(&env.client, "gitlab", target.clone()).await;
                answers.borrow_mut().push(answer);
            };
            join_all((0..8).map(|_| once())).await;
            let answers = answers.into_inner();
            let made: Vec<_> = answers.iter().filter(|answer| answer.status == 201).collect();
            assert_eq!(made.len(), 1, "{answers:?}");
            let id = made[0].text_at("/id");
            for answer in answers.iter().filter(|answer| answer.status != 201) {
                assert_eq!(answer.status, 409, "{answer}");
                assert!(answer.message().contains(id), "{answer}");
            }
        }
    });
}

#[test]
fn installations_are_managed_by_administrators() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Docs").await;
        let id = installed(env, "gitlab", &space).await;
        let editor = env.person("edit@example.com", Some("edit")).await;
        let creator = env.person("create@example.com", Some("create")).await;
        let guest = env.person("guest@example.com", None).await;
        let target = || json!({ "type": "space", "spaceId": space });
        let _install = install(&creator, "gitlab", target()).await.expect(403);
        let _install = install(&guest, "gitlab", target()).await.expect(404);
        let unknown = json!({ "type": "space", "spaceId": "00000000000000000000" });
        let _install = install(&env.client, "gitlab", unknown).await.expect(404);
        let unknown = json!({ "type": "site", "siteId": "00000000000000000000" });
        let _install = install(&env.client, "gitlab", unknown).await.expect(404);
        let _seen = of_installation(&creator, "getGitSyncInstallationById", &id).await.expect(200);
        for client in [&editor, &guest] {
            let hidden = of_installation(client, "getGitSyncInstallationById", &id).await;
            let _hidden = hidden.expect(404);
            let _hidden = update(client, &id, "gitlab", json!({}), json!({})).await.expect(404);
        }
        let _refused = update(&creator, &id, "gitlab", json!({}), json!({})).await.expect(403);
        let refused = of_installation(&creator, "uninstallGitSyncInstallation", &id).await;
        let _refused = refused.expect(403);
    });
}
