//! Installations on sites, whose spaces have installations of their own.

use bindery_testkit::Answer;
use serde_json::{Value, json};

use super::{Hosted, get, install, installed, markdown, of_installation, settled, update};
use crate::support::{TestEnv, each_engine, items};

/// A site with two spaces.
pub(super) struct Site {
    pub(super) id: String,
    pub(super) spaces: [String; 2],
}

impl Site {
    pub(super) async fn new(env: &TestEnv) -> Self {
        let spaces = [env.space("Guide").await, env.space("Reference").await];
        let body = json!({ "title": "Docs", "spaces": spaces });
        let made = env.client.call("createSite").path("organizationId", &env.organization);
        let made = made.json(&body).send().await.expect(201);
        Self { id: made.text_at("/id").to_owned(), spaces }
    }

    pub(super) async fn install(&self, env: &TestEnv) -> String {
        let target = json!({ "type": "site", "siteId": self.id });
        install(&env.client, "gitlab", target).await.expect(201).text_at("/id").to_owned()
    }

    async fn list(&self, env: &TestEnv) -> Answer {
        let list = env.client.call("listSiteGitSyncInstallations");
        let list = list.path("organizationId", &env.organization).path("siteId", &self.id);
        list.send().await.expect(200)
    }

    pub(super) fn directories(&self, names: [&str; 2]) -> Value {
        let [one, two] = &self.spaces;
        json!({ "childInstallationProjectDirectories": { one: names[0], two: names[1] } })
    }
}

#[test]
fn the_spaces_of_a_site_share_a_repository() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        hosted.commit("one/README.md", "# One\n\nFirst.\n");
        hosted.commit("two/README.md", "# Two\n\nSecond.\n");
        let site = Site::new(env).await;
        let id = site.install(env).await;
        let configuration = hosted.configuration();
        let missing =
            update(&env.client, &id, "gitlab", configuration.clone(), json!({})).await.expect(409);
        assert_eq!(missing.text_at("/error/type"), "missing_site_git_sync_config");
        assert_eq!(missing.text_at("/error/details/branch"), "refs/heads/main");
        assert!(missing.text_at("/error/details/prompt").contains(&site.spaces[0]), "{missing}");
        assert_eq!(items(&site.list(env).await).len(), 1);
        assert_eq!(get(env, &id).await.text_at("/status"), "unauthenticated");

        let with = site.directories(["one", "two"]);
        let active = update(&env.client, &id, "gitlab", configuration, with).await.expect(200);
        assert_eq!(active.text_at("/status"), "active");
        for space in &site.spaces {
            settled(env, space).await;
        }
        assert!(markdown(env, &site.spaces[0], "One").await.contains("First."));
        assert!(markdown(env, &site.spaces[1], "Two").await.contains("Second."));
        let listed = site.list(env).await;
        let listed = items(&listed);
        assert_eq!(listed.len(), 3);
        assert_eq!(listed[0]["id"], id.as_str());
        for child in &listed[1..] {
            assert_eq!(child["parentInstallationId"], id.as_str());
            assert_eq!(child["target"]["siteId"], site.id.as_str());
            assert_eq!(child["status"], "active");
        }
        // Later changes keep the folders.
        let _kept = update(&env.client, &id, "gitlab", json!({}), json!({})).await.expect(200);
        for space in &site.spaces {
            settled(env, space).await;
        }
        let removed = of_installation(&env.client, "uninstallGitSyncInstallation", &id).await;
        let _removed = removed.expect(205);
        assert!(items(&site.list(env).await).is_empty());
        for space in &site.spaces {
            let _ended = env.of_space("getGitSync", space).await.expect(404);
        }
    });
}

#[test]
fn deleted_spaces_of_a_site_are_left_out() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        let site = Site::new(env).await;
        let id = site.install(env).await;
        let _deleted = env.of_space("deleteSpaceById", &site.spaces[1]).await.expect(205);
        let active = update(&env.client, &id, "gitlab", hosted.configuration(), json!({})).await;
        assert_eq!(active.expect(200).text_at("/status"), "active");
        settled(env, &site.spaces[0]).await;
        assert!(markdown(env, &site.spaces[0], "Home").await.contains("Hello."));
        let listed = site.list(env).await;
        let targets = items(&listed)[1..].iter().map(|child| &child["target"]["spaceId"]);
        assert_eq!(targets.collect::<Vec<_>>(), [&json!(site.spaces[0])]);
    });
}

#[test]
fn folders_of_a_site_are_separate() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        let site = Site::new(env).await;
        let id = site.install(env).await;
        for names in [["a", "a"], ["a", "a/b"], ["", "b"], ["a", "../b"]] {
            let with = site.directories(names);
            let answer = update(&env.client, &id, "gitlab", hosted.configuration(), with).await;
            let answer = answer.expect(400);
            assert!(answer.message().contains("childInstallation"), "{names:?}: {answer}");
        }
        let unknown = json!({ "childInstallationProjectDirectories": { "x": "y" } });
        let answer = update(&env.client, &id, "gitlab", hosted.configuration(), unknown).await;
        assert!(answer.expect(400).message().contains("/x"));
        let _own = installed(env, "gitlab", &site.spaces[1]).await;
        let with = site.directories(["a", "b"]);
        let answer = update(&env.client, &id, "gitlab", hosted.configuration(), with).await;
        assert!(answer.expect(400).message().contains(&site.spaces[1]));
        assert_eq!(items(&site.list(env).await).len(), 2);
    });
}

#[test]
fn a_space_of_a_site_uses_its_repository() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        let site = Site::new(env).await;
        let id = site.install(env).await;
        let with = json!({ "priority": "gitbook" });
        let active = update(&env.client, &id, "gitlab", hosted.configuration(), with).await;
        let _active = active.expect(200);
        let listed = site.list(env).await;
        let child = items(&listed)[1]["id"].as_str().unwrap().to_owned();
        let own = json!({ "branch": "refs/heads/other" });
        let refused = update(&env.client, &child, "gitlab", own, json!({})).await.expect(400);
        assert!(refused.message().contains("providerConfiguration"), "{refused}");
        let with = json!({ "commitMessageTemplate": "docs" });
        let changed = update(&env.client, &child, "gitlab", json!({}), with).await.expect(200);
        assert_eq!(changed.text_at("/commitMessageTemplate"), "docs");
        assert_eq!(changed.text_at("/status"), "active");
        for space in &site.spaces {
            settled(env, space).await;
        }
        let call = env.client.call("deleteSiteById").path("organizationId", &env.organization);
        let _deleted = call.path("siteId", &site.id).send().await.expect(205);
        for space in &site.spaces {
            let _ended = env.of_space("getGitSync", space).await.expect(404);
        }
        let gone = of_installation(&env.client, "getGitSyncInstallationById", &id).await;
        let _gone = gone.expect(404);
    });
}
