//! Runs: what they transfer, what starts them, and that they come to rest.

use bindery_model::Timestamp;
use serde_json::json;

use super::Synced;
use crate::support::{TestEnv, each_engine, join_all, until};

#[test]
fn both_directions_come_to_rest() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        let first = synced.tip();
        assert!(synced.markdown(env, "Guide").await.contains("Last words."));
        // An import is not exported as a change.
        synced.settled(env).await;
        assert_eq!(synced.runs(env).await.len(), 1);
        assert_eq!(synced.tip(), first);
        // A change of the space becomes a commit.
        synced.edit(env, "Guide", "* one\n* two\n\nFrom inside.\n").await;
        synced.settled(env).await;
        assert!(synced.file("guide.md").contains("From inside."));
        assert_eq!(synced.repository.git(&["log", "--format=%P", "-1", "main"]), first);
        let runs = synced.runs(env).await;
        assert_eq!(runs[0]["trigger"], "merge", "{runs:?}");
        assert_eq!(runs[0]["state"], "done", "{runs:?}");
        assert_eq!(runs[0]["commitBefore"], json!(first));
        assert_eq!(runs[0]["commitAfter"], json!(synced.tip()));
        // A commit becomes a revision.
        let outside = synced.commit("README.md", "# Home\n\nFrom outside.\n");
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert!(synced.markdown(env, "Home").await.contains("From outside."));
        assert_eq!(synced.tip(), outside);
        // Now nothing is left to do.
        let revision = env.of_space("getCurrentRevision", &synced.space).await.expect(200);
        let job = synced.run(env).await;
        assert!(job.text_at("/progress/message").contains("nothing to do"), "{job}");
        synced.settled(env).await;
        let same = env.of_space("getCurrentRevision", &synced.space).await.expect(200);
        assert_eq!(revision.at("/id"), same.at("/id"));
        assert_eq!(synced.tip(), outside);
        assert_eq!(synced.runs(env).await.len(), 4);
    });
}

#[test]
fn changes_of_both_sides_are_transferred_in_one_run() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        let _paused = env.of_space("pauseGitSync", &synced.space).await.expect(200);
        synced.edit(env, "Guide", "* one\n* two\n\nFrom inside.\n").await;
        synced.commit("README.md", "# Home\n\nFrom outside.\n");
        let _conflict = env.of_space("runGitSync", &synced.space).await.expect(409);
        synced.settled(env).await;
        assert_eq!(synced.runs(env).await.len(), 1);
        let resumed = env.of_space("resumeGitSync", &synced.space).await.expect(200);
        assert_eq!(resumed.at("/state"), "active");
        synced.settled(env).await;
        assert!(synced.file("guide.md").contains("From inside."));
        assert!(synced.file("README.md").contains("From outside."));
        assert!(synced.markdown(env, "Home").await.contains("From outside."));
        assert!(synced.markdown(env, "Guide").await.contains("From inside."));
        let tip = synced.tip();
        let job = synced.run(env).await;
        assert!(job.text_at("/progress/message").contains("nothing to do"), "{job}");
        assert_eq!(synced.tip(), tip);
    });
}

#[test]
fn the_first_run_can_begin_with_the_space() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::idle(env, json!({ "initialDirection": "export" })).await;
        let made = json!({ "operation": "insert_page", "title": "Mine", "document": {
            "markdown": "From the space.\n",
        } });
        let change = env.client.call("updateSpaceContent").path("spaceId", &synced.space);
        let _changed = change.json(&json!({ "changes": [made] })).send().await.expect(200);
        synced.settled(env).await;
        let runs = synced.runs(env).await;
        assert_eq!(runs[0]["state"], "done", "{runs:?}");
        assert!(synced.file("mine.md").contains("From the space."));
        assert!(synced.markdown(env, "Mine").await.contains("From the space."));
        let tip = synced.tip();
        let job = synced.run(env).await;
        assert!(job.text_at("/progress/message").contains("nothing to do"), "{job}");
        assert_eq!(synced.tip(), tip);
    });
}

#[test]
fn one_direction_leaves_the_other_side_alone() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({ "direction": "import" })).await;
        let tip = synced.tip();
        synced.edit(env, "Guide", "From inside.\n").await;
        synced.settled(env).await;
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert_eq!(synced.tip(), tip);
        assert!(synced.markdown(env, "Guide").await.contains("From inside."));

        let synced = Synced::new(env, json!({ "direction": "export" })).await;
        assert!(!synced.file("guide.md").is_empty());
        let outside = synced.commit("new.md", "# New\n");
        let before = env.of_space("getCurrentRevision", &synced.space).await.expect(200);
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let after = env.of_space("getCurrentRevision", &synced.space).await.expect(200);
        assert_eq!(before.at("/id"), after.at("/id"));
        assert_eq!(synced.tip(), outside);
    });
}

#[test]
fn commits_have_the_message_of_the_change_request() {
    each_engine(async |env: &mut TestEnv| {
        let template = "{change_request.subject} (#{change_request.number}) in {space.title}";
        let synced = Synced::new(env, json!({ "commitMessage": template })).await;
        let of_space = |operation: &str| env.client.call(operation).path("spaceId", &synced.space);
        let proposal = of_space("createChangeRequest").json(&json!({ "subject": "Fix it" }));
        let proposal = proposal.send().await.expect(201);
        let page = synced.page(env, "Guide").await;
        let change = json!({ "changes": [{
            "operation": "update_page", "page": page["id"], "document": { "markdown": "Fixed.\n" },
        }] });
        let of = |operation| of_space(operation).path("changeRequestId", proposal.text_at("/id"));
        let _changed = of("updateChangeRequestContent").json(&change).send().await.expect(200);
        let _merged = of("mergeChangeRequest").send().await.expect(200);
        synced.settled(env).await;
        let message = synced.repository.git(&["log", "--format=%s", "-1", "main"]);
        assert_eq!(message, format!("Fix it (#{}) in Synced", proposal.at("/number")));
        let _set = synced.set(env, json!({})).await.expect(200);
        synced.edit(env, "Guide", "Fixed again.\n").await;
        synced.settled(env).await;
        let message = synced.repository.git(&["log", "--format=%s", "-1", "main"]);
        assert_eq!(message, "Update Synced");
    });
}

#[test]
fn requests_at_the_same_time_share_a_run() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        synced.commit("guide.md", "# Guide\n\nFrom outside.\n");
        let calls = (0..6).map(async |_| {
            let _started = env.of_space("runGitSync", &synced.space).await.expect(204);
        });
        join_all(calls).await;
        synced.settled(env).await;
        let runs = synced.runs(env).await;
        assert!(runs.iter().all(|run| run["state"] == "done"), "{runs:?}");
        let changed = runs.iter().filter(|run| run["revisionBefore"] != run["revisionAfter"]);
        assert_eq!(changed.count(), 2, "{runs:?}");
        assert!(synced.markdown(env, "Guide").await.contains("From outside."));
    });
}

#[test]
fn branches_are_checked_and_only_new_commits_start_runs() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::idle(env, json!({ "pollingInterval": 60 })).await;
        // The first run begins by itself.
        until(async || (synced.get(env).await.json["lastRun"]["state"] == "done").then_some(()))
            .await;
        let due = |sync: &mut bindery_store::git_syncs::GitSync| {
            sync.next_at = Some(Timestamp::from_millis(0));
            sync.checked_at = None;
        };
        synced.edit_state(env, due).await;
        let checked = until(async || {
            let sync = synced.get(env).await;
            (!sync.json["lastCheckedAt"].is_null()).then_some(sync)
        })
        .await;
        assert!(!checked.json["nextCheckAt"].is_null(), "{checked}");
        assert_eq!(synced.runs(env).await.len(), 1, "a check is no run");
        let outside = synced.commit("guide.md", "# Guide\n\nFrom outside.\n");
        synced.edit_state(env, due).await;
        until(async || (synced.get(env).await.at("/commit") == &json!(outside)).then_some(()))
            .await;
        let runs = synced.runs(env).await;
        assert_eq!((runs.len(), &runs[0]["trigger"]), (2, &json!("poll")), "{runs:?}");
        assert!(synced.markdown(env, "Guide").await.contains("From outside."));
    });
}

#[test]
fn the_space_shows_its_synchronisation() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        let info = env.of_space("getSpaceGitInfo", &synced.space).await.expect(200);
        assert_eq!(info.at("/url"), &json!(synced.git.url("docs.git")));
        assert_eq!(info.at("/lastAttempt/state"), "done");
        let job = synced.run(env).await;
        let space = env.of_space("getSpaceById", &synced.space).await.expect(200);
        assert_eq!(space.at("/gitSync/lastAttempt/job"), job.at("/id"));
        let runs = synced.runs(env).await;
        let shown = synced.get(env).await;
        assert_eq!(shown.at("/lastRun"), &runs[0]);
        let first = env.client.call("listGitSyncRuns").path("spaceId", &synced.space);
        let first = first.query("limit", 1).send().await.expect(200);
        assert_eq!(first.at("/items"), &json!([runs[0]]));
        let next = env.client.call("listGitSyncRuns").path("spaceId", &synced.space);
        let next = next.query("limit", 1).query("page", first.text_at("/next/page"));
        assert_eq!(next.send().await.expect(200).at("/items"), &json!([runs[1]]));
    });
}
