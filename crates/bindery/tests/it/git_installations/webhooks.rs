//! Webhooks that installations register at GitLab.

use bindery_testkit::Answer;
use bindery_testkit::git_hosting::HostedHook;
use serde_json::{Value, json};

use super::sites::Site;
use super::{Hosted, NUMBER, TOKEN, get, installed, markdown, of_installation, settled, update};
use crate::support::{TestEnv, each_engine, items, until};

/// The number of another repository at the service.
const OTHER: u64 = 9;

/// Installs GitLab on a new space and connects it. Returns the ids of the space and the
/// installation.
async fn connected(env: &TestEnv, hosted: &Hosted) -> (String, String) {
    let space = env.space("Docs").await;
    let id = installed(env, "gitlab", &space).await;
    let active = update(&env.client, &id, "gitlab", hosted.configuration(), json!({})).await;
    assert_eq!(active.expect(200).text_at("/status"), "active");
    settled(env, &space).await;
    (space, id)
}

/// Waits until the service has this number of webhooks.
async fn hooks(hosted: &Hosted, repository: u64, count: usize) -> Vec<HostedHook> {
    until(async || {
        let hooks = hosted.hosting.hooks(repository);
        (hooks.len() == count).then_some(hooks)
    })
    .await
}

/// Waits for the end of all jobs for webhooks of a space, and returns them.
async fn jobs(env: &TestEnv, space: &str, count: usize) -> Vec<Value> {
    until(async || {
        let list = env.client.call("listJobs").query("space", space);
        let list = list.query("kind", "git-webhook").send().await.expect(200);
        let ended =
            items(&list).iter().all(|job| job["status"] == "done" || job["status"] == "failed");
        (ended && items(&list).len() == count).then(|| items(&list).to_vec())
    })
    .await
}

/// Sends a push as the service would do.
async fn push(env: &TestEnv, hook: &HostedHook) -> Answer {
    let id = hook.url.rsplit('/').next().unwrap();
    let call = env.client.anonymous().call("receiveGitEvent").path("syncId", id);
    let call = call.header("x-gitlab-token", &hook.token).header("x-gitlab-event", "Push Hook");
    call.body("application/json", r#"{"ref":"refs/heads/main"}"#.to_owned()).send().await
}

#[test]
fn pushes_arrive_through_the_registered_webhook() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        let (space, id) = connected(env, &hosted).await;
        let [hook] = hooks(&hosted, NUMBER, 1).await.try_into().unwrap();
        let sync = env.of_space("getGitSync", &space).await.expect(200);
        assert_eq!(hook.url, sync.text_at("/webhookUrl"));
        assert!(hook.verifies, "{hook:?}");
        assert!(hook.events.contains("push_events"), "{hook:?}");
        assert!(hook.events.contains("merge_requests_events"), "{hook:?}");

        hosted.commit("guide.md", "# Guide\n\nThrough the webhook.\n");
        let _accepted = push(env, &hook).await.expect(204);
        settled(env, &space).await;
        assert!(markdown(env, &space, "Guide").await.contains("Through the webhook."));

        let again = update(&env.client, &id, "gitlab", json!({}), json!({})).await;
        let _again = again.expect(200);
        for job in jobs(env, &space, 2).await {
            assert_eq!(job["status"], "done", "{job}");
        }
        assert_eq!(hosted.hosting.hooks(NUMBER), [hook]);
        let removed = of_installation(&env.client, "uninstallGitSyncInstallation", &id).await;
        let _removed = removed.expect(205);
        let _none = hooks(&hosted, NUMBER, 0).await;
    });
}

#[test]
fn missing_rights_leave_the_installation_active() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        let message = json!({ "message": "403 Forbidden" });
        hosted.hosting.fail("GET /api/v4/projects/7/hooks", 403, &[], message);
        let (space, id) = connected(env, &hosted).await;
        let [job] = jobs(env, &space, 1).await.try_into().unwrap();
        assert_eq!(job["status"], "failed", "{job}");
        assert_eq!(job["error"]["code"], "needs-credentials", "{job}");
        let text = job["error"]["message"].as_str().unwrap();
        assert!(text.contains("Maintainer") && !text.contains(TOKEN), "{text}");
        assert_eq!(get(env, &id).await.text_at("/status"), "active");
        assert!(hosted.hosting.hooks(NUMBER).is_empty());
        // The next change tries again.
        hosted.hosting.set_fault(None);
        let again = update(&env.client, &id, "gitlab", json!({}), json!({})).await;
        let _again = again.expect(200);
        let _registered = hooks(&hosted, NUMBER, 1).await;
    });
}

#[test]
fn another_project_takes_the_webhook_over() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        hosted.hosting.add(OTHER, "team/other", &hosted.git.url("docs.git"), Some("main"));
        let (_, id) = connected(env, &hosted).await;
        let before = hooks(&hosted, NUMBER, 1).await;
        let moved = update(&env.client, &id, "gitlab", json!({ "projectId": OTHER }), json!({}));
        let _moved = moved.await.expect(200);
        let after = hooks(&hosted, OTHER, 1).await;
        let _none = hooks(&hosted, NUMBER, 0).await;
        assert_eq!(before[0].url, after[0].url);
    });
}

#[test]
fn each_space_of_a_site_has_a_webhook() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        let site = Site::new(env).await;
        let id = site.install(env).await;
        let with = site.directories(["one", "two"]);
        let active = update(&env.client, &id, "gitlab", hosted.configuration(), with).await;
        let _active = active.expect(200);
        let both = hooks(&hosted, NUMBER, 2).await;
        assert_ne!(both[0].url, both[1].url);
        let deleted = env.client.call("deleteSiteById").path("organizationId", &env.organization);
        let _deleted = deleted.path("siteId", &site.id).send().await.expect(205);
        let _none = hooks(&hosted, NUMBER, 0).await;
    });
}
