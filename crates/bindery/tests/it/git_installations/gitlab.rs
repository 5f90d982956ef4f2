//! The cycle of an installation of GitLab.

use bindery_model::{Clock as _, GitInstallationId, SpaceId};
use bindery_store::{git_installations, spaces};
use serde_json::json;

use super::{
    Hosted, NUMBER, TOKEN, edit, get, installed, markdown, of_installation, settled, update,
};
use crate::support::{SystemClock, TestEnv, each_engine, until};

/// Requests a run and waits for its end.
async fn run(env: &TestEnv, space: &str) {
    let _started = env.of_space("runGitSync", space).await.expect(204);
    settled(env, space).await;
}

#[test]
fn gitlab_projects_are_synchronised() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        let space = env.space("Docs").await;
        let id = installed(env, "gitlab", &space).await;
        let before = get(env, &id).await;
        assert_eq!(before.text_at("/status"), "unauthenticated");
        assert_eq!(before.json.get("repositoryConnection"), None);

        let updated = update(&env.client, &id, "gitlab", hosted.configuration(), json!({}));
        let updated = updated.await.expect(200);
        assert_eq!(updated.text_at("/status"), "active");
        assert_eq!(updated.text_at("/repositoryConnection/repositoryName"), "team/docs");
        assert_eq!(updated.text_at("/repositoryConnection/repositoryId"), NUMBER.to_string());
        assert_eq!(updated.text_at("/repositoryConnection/defaultBranch"), "main");
        assert_eq!(updated.text_at("/repositoryConnection/authState"), "active");
        assert_eq!(updated.text_at("/repositoryRef/name"), "refs/heads/main");
        assert_eq!(updated.text_at("/syncRoot/status"), "active");
        assert_eq!(*updated.at("/providerConfiguration/projectId"), NUMBER);

        settled(env, &space).await;
        assert!(markdown(env, &space, "Guide").await.contains("Last words."));
        let commit = hosted.commit("guide.md", "# Guide\n\nFrom outside.\n");
        run(env, &space).await;
        assert!(markdown(env, &space, "Guide").await.contains("From outside."));
        let seen = get(env, &id).await;
        assert_eq!(seen.text_at("/repositoryRef/latestObservedCommitId"), commit);

        edit(env, &space, "Guide", "From inside.").await;
        settled(env, &space).await;
        assert!(hosted.file("guide.md").contains("From inside."), "{}", hosted.file("guide.md"));

        let _removed =
            of_installation(&env.client, "uninstallGitSyncInstallation", &id).await.expect(205);
        let _gone = env.of_space("getGitSync", &space).await.expect(404);
        let _gone =
            of_installation(&env.client, "getGitSyncInstallationById", &id).await.expect(404);
        assert!(markdown(env, &space, "Guide").await.contains("From inside."));
        let _again = installed(env, "gitlab", &space).await;
    });
}

#[test]
fn the_priority_decides_about_the_first_run() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        let space = env.space("Docs").await;
        let id = installed(env, "gitlab", &space).await;
        let page = json!({
            "operation": "insert_page", "title": "Inside", "document": { "markdown": "Kept." },
        });
        let call = env.client.call("updateSpaceContent").path("spaceId", &space);
        let _edited = call.json(&json!({ "changes": [page] })).send().await.expect(200);
        let with = json!({
            "priority": "gitbook", "projectDirectory": "handbook",
            "commitMessageTemplate": "docs: {space.title}",
        });
        let updated = update(&env.client, &id, "gitlab", hosted.configuration(), with);
        let updated = updated.await.expect(200);
        assert_eq!(updated.text_at("/syncRoot/defaultMergeAuthorityPolicy"), "gitbook");
        settled(env, &space).await;
        assert!(hosted.file("handbook/inside.md").contains("Kept."));
        assert_eq!(hosted.repository.git(&["log", "-1", "--format=%s", "main"]), "docs: Docs");
    });
}

#[test]
fn tokens_stay_with_their_server_and_are_never_shown() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        let space = env.space("Docs").await;
        let id = installed(env, "gitlab", &space).await;
        let first = update(&env.client, &id, "gitlab", hosted.configuration(), json!({}));
        let mut answers = vec![first.await.expect(200)];
        settled(env, &space).await;
        // Without a token, the present one stays.
        let same = json!({ "projectId": NUMBER });
        answers.push(update(&env.client, &id, "gitlab", same, json!({})).await.expect(200));
        assert_eq!(answers[1].text_at("/status"), "active");
        settled(env, &space).await;
        let other = Hosted::gitlab();
        let moved = json!({ "customInstanceURL": other.hosting.address() });
        answers.push(update(&env.client, &id, "gitlab", moved, json!({})).await.expect(200));
        assert_eq!(answers[2].text_at("/status"), "unauthenticated");
        assert!(other.hosting.requests().is_empty(), "{:?}", other.hosting.requests());
        answers.push(get(env, &id).await);
        answers.push(env.of_space("getGitSync", &space).await.expect(200));
        assert_eq!(answers[4].text_at("/pauseReason"), "authentication");
        for answer in &answers {
            assert!(!answer.text().contains(TOKEN), "{answer}");
        }
        assert!(!env.server().log().contains(TOKEN));
        let events = env.events().await;
        assert!(!format!("{events:?}").contains(TOKEN));
    });
}

#[test]
fn refused_tokens_end_the_authentication() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        let space = env.space("Docs").await;
        let id = installed(env, "gitlab", &space).await;
        let mut wrong = hosted.configuration();
        wrong["accessToken"] = "wrong".into();
        let refused = update(&env.client, &id, "gitlab", wrong, json!({})).await.expect(200);
        assert_eq!(refused.text_at("/status"), "unauthenticated");
        let _none = env.of_space("getGitSync", &space).await.expect(404);

        let right = hosted.configuration();
        let active = update(&env.client, &id, "gitlab", right.clone(), json!({})).await.expect(200);
        assert_eq!(active.text_at("/status"), "active");
        settled(env, &space).await;
        hosted.hosting.revoke_all();
        let ended = update(&env.client, &id, "gitlab", json!({}), json!({})).await.expect(200);
        assert_eq!(ended.text_at("/status"), "unauthenticated");
        assert_eq!(ended.text_at("/repositoryConnection/authState"), "unauthenticated");
        assert_eq!(ended.text_at("/syncRoot/status"), "disabled");
        hosted.hosting.allow(TOKEN);
        let again = update(&env.client, &id, "gitlab", right, json!({})).await.expect(200);
        assert_eq!(again.text_at("/syncRoot/status"), "active");
        settled(env, &space).await;
    });
}

#[test]
fn removed_spaces_take_their_installations_along() {
    each_engine(async |env: &mut TestEnv| {
        let hosted = Hosted::gitlab();
        let space = env.space("Docs").await;
        let id = installed(env, "gitlab", &space).await;
        let active = update(&env.client, &id, "gitlab", hosted.configuration(), json!({})).await;
        let _active = active.expect(200);
        settled(env, &space).await;
        let _deleted = env.of_space("deleteSpaceById", &space).await.expect(205);
        let hidden = of_installation(&env.client, "getGitSyncInstallationById", &id).await;
        let _hidden = hidden.expect(404);
        let key = SpaceId::parse(&space).unwrap();
        let week = 7 * 24 * 60 * 60 * 1000 + 1000;
        env.edit_store(move |tx| {
            let _back = spaces::set_deleted(tx, key, None)?;
            spaces::set_deleted(tx, key, Some(SystemClock.now().plus_millis(-week)))
        })
        .await;
        until(async || (env.of_space("getSpaceById", &space).await.status == 404).then_some(()))
            .await;
        let key = GitInstallationId::parse(&id).unwrap();
        let left = env.edit_store(move |tx| git_installations::get(tx, key)).await;
        assert_eq!(left, None);
    });
}
