//! Failures: their delay, pauses, conflicts, and servers that stop.

use bindery_model::Timestamp;
use bindery_testkit::git_server::Fault;
use serde_json::json;

use super::Synced;
use crate::support::{TestEnv, each_engine, until};

#[test]
fn a_failure_is_shown_and_tried_again() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        synced.git.set_fault(Fault::Status(503));
        let outside = synced.commit("guide.md", "# Guide\n\nFrom outside.\n");
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/error/code"), "remote", "{job}");
        let shown = synced.get(env).await;
        assert_eq!(shown.at("/state"), "failed");
        assert_eq!(shown.at("/error/code"), "remote");
        assert_eq!(shown.at("/failures"), 1);
        assert!(!shown.json["nextCheckAt"].is_null(), "{shown}");
        assert_eq!(synced.runs(env).await[0]["code"], "remote");
        let _again = synced.run(env).await;
        assert_eq!(synced.get(env).await.at("/failures"), 2);
        synced.git.set_fault(Fault::None);
        synced.edit_state(env, |sync| sync.next_at = Some(Timestamp::from_millis(0))).await;
        until(async || (synced.get(env).await.at("/state") == "active").then_some(())).await;
        let shown = synced.get(env).await;
        assert_eq!((shown.at("/failures"), shown.at("/commit")), (&json!(0), &json!(outside)));
        assert!(shown.json["error"].is_null(), "{shown}");
    });
}

#[test]
fn refused_credentials_pause_in_the_end() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        synced.git.set_login("writer", "other");
        synced.edit_state(env, |sync| (sync.failures, sync.auth_failures) = (8, 8)).await;
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/error/code"), "needs-credentials", "{job}");
        assert_eq!(synced.get(env).await.at("/state"), "failed");
        let _job = synced.run(env).await;
        let shown = synced.get(env).await;
        assert_eq!(shown.at("/state"), "paused");
        assert_eq!(shown.at("/pauseReason"), "authentication");
        assert!(shown.json["nextCheckAt"].is_null(), "{shown}");
        let login = json!({ "kind": "basic", "username": "writer", "password": "other" });
        let _set = synced.set(env, json!({ "credentials": login })).await.expect(200);
        let _resumed = env.of_space("resumeGitSync", &synced.space).await.expect(200);
        synced.settled(env).await;
        let shown = synced.get(env).await;
        assert_eq!((shown.at("/state"), shown.at("/failures")), (&json!("active"), &json!(0)));
    });
}

#[test]
fn a_rewritten_history_pauses_on_request() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({ "rewrittenHistory": "pause" })).await;
        let first = synced.tip();
        synced.commit("guide.md", "# Guide\n\nSecond.\n");
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        synced.repository.git(&["update-ref", "refs/heads/main", &first]);
        let rewritten = synced.commit("guide.md", "# Guide\n\nRewritten.\n");
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/error/code"), "rewritten-history", "{job}");
        let shown = synced.get(env).await;
        assert_eq!(shown.at("/pauseReason"), "rewritten-history", "{shown}");
        assert!(synced.markdown(env, "Guide").await.contains("Second."));
        let _resumed = env.of_space("resumeGitSync", &synced.space).await.expect(200);
        synced.settled(env).await;
        assert_eq!(synced.get(env).await.at("/commit"), &json!(rewritten));
        assert!(synced.markdown(env, "Guide").await.contains("Rewritten."));
    });
}

#[test]
fn a_conflict_holds_exports_back() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        let _paused = env.of_space("pauseGitSync", &synced.space).await.expect(200);
        synced.edit(env, "Guide", "* one\n* two\n\nInside words.\n").await;
        let outside = synced.commit("guide.md", "# Guide\n\n* one\n* two\n\nOutside words.\n");
        let _resumed = env.of_space("resumeGitSync", &synced.space).await.expect(200);
        synced.settled(env).await;
        let shown = synced.get(env).await;
        assert_eq!(shown.at("/state"), "conflict", "{shown}");
        assert_eq!(shown.at("/lastRun/state"), "conflict", "{shown}");
        assert_eq!(synced.tip(), outside, "nothing was exported");
        assert!(synced.markdown(env, "Guide").await.contains("Inside words."));
        // Further changes wait too.
        synced.edit(env, "Home", "Hello again.\n").await;
        synced.settled(env).await;
        assert_eq!(synced.tip(), outside);
        assert_eq!(synced.get(env).await.at("/state"), "conflict");
    });
}

#[test]
fn a_run_goes_on_after_the_server_stopped() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        let outside = synced.commit("guide.md", "# Guide\n\nFrom outside.\n");
        synced.git.set_fault(Fault::StallAfter(40));
        let before = synced.git.requests().len();
        let _started = env.of_space("runGitSync", &synced.space).await.expect(204);
        until(async || {
            let requests = synced.git.requests();
            let is_stalled = requests[before..].iter().filter(|r| r.method == "POST").count() >= 3;
            is_stalled.then_some(())
        })
        .await;
        assert_eq!(synced.get(env).await.at("/lastRun/state"), "running");
        synced.edit_state(env, |sync| sync.importing = true).await;
        synced.git.set_fault(Fault::None);
        until(async || (synced.get(env).await.at("/commit") == &json!(outside)).then_some(()))
            .await;
        let runs = synced.runs(env).await;
        assert_eq!((runs.len(), &runs[0]["state"]), (2, &json!("done")), "{runs:?}");
        // Changes of the space start runs again.
        synced.edit(env, "Guide", "From inside.\n").await;
        synced.settled(env).await;
        assert!(synced.file("guide.md").contains("From inside."));
    });
}

#[test]
fn a_cancelled_run_is_closed() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        synced.commit("guide.md", "# Guide\n\nFrom outside.\n");
        synced.git.set_fault(Fault::StallAfter(40));
        let started = env.of_space("runGitSync", &synced.space).await.expect(204);
        let job = started.header("location").rsplit('/').next().unwrap().to_owned();
        let running = |job: &bindery_testkit::Answer| job.text_at("/status") == "running";
        let _running = env.job_when(&job, running).await;
        let _cancelled = env.client.call("cancelJob").path("jobId", &job).send().await.expect(205);
        let shown = until(async || {
            let shown = synced.get(env).await;
            (shown.at("/lastRun/state") == "failed").then_some(shown)
        })
        .await;
        assert_eq!(shown.at("/lastRun/code"), "interrupted", "{shown}");
        assert_eq!(shown.at("/state"), "failed");
    });
}
