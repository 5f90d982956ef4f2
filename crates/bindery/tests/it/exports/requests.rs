//! Bad requests, refusals of the server, and the order of events.

use std::os::unix::fs::PermissionsExt;

use bindery_testkit::git_server::Fault;
use serde_json::json;

use super::Synced;
use crate::support::{TestEnv, each_engine};

#[test]
fn bad_requests_are_refused() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Bad").await;
        let good = json!({
            "url": "https://git.invalid/x", "ref": "refs/heads/main", "commitMessage": "m",
        });
        for (name, value, at) in [
            ("url", json!("ssh://git@example.com/x"), "/url"),
            ("url", json!("https://10.0.0.1/x"), "/url"),
            ("ref", json!("refs/tags/v1"), "/ref"),
            ("ref", json!("HEAD"), "/ref"),
            ("ref", json!(""), "/ref"),
            ("ref", json!("a..b"), "/ref"),
            ("commitMessage", json!(" \n"), "/commitMessage"),
            ("commitMessage", json!("a\0b"), "/commitMessage"),
            ("commitMessage", json!("m".repeat(70_000)), "/commitMessage"),
            ("repoProjectDirectory", json!("../up"), "/repoProjectDirectory"),
            ("repoCommitURL", json!("javascript:x"), "/repoCommitURL"),
        ] {
            let mut body = good.clone();
            body[name] = value;
            let call = env.client.call("exportToGitRepository").path("spaceId", &space);
            let answer = call.json(&body).send().await.expect(400);
            assert!(answer.text().contains(at), "{at}: {answer}");
        }
        let jobs = env.client.call("listJobs").query("space", &space).send().await.expect(200);
        assert_eq!(jobs.at("/items"), &json!([]));
    });
}

#[test]
fn a_refusal_of_the_server_is_told() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let made = json!({ "operation": "insert_page", "title": "Made", "document": {} });
        synced.change(env, json!([made])).await;
        let hook = synced.repository.path().join("hooks/pre-receive");
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
        let job = synced.export(env, &json!({})).await;
        assert_eq!(job.text_at("/error/code"), "rejected", "{job}");
        assert!(job.text_at("/error/message").contains("hook declined"), "{job}");
        assert_eq!(synced.repository.find("main").unwrap(), synced.oid);
        std::fs::remove_file(&hook).unwrap();
        assert!(synced.exported(env).await.contains("docs/made.md"));

        synced.git.set_fault(Fault::Status(403));
        let job = synced.export(env, &json!({})).await;
        assert_eq!(job.text_at("/error/code"), "needs-credentials", "{job}");
    });
}

#[test]
fn credentials_are_used_and_never_shown() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        synced.git.set_login("writer", "s3cret");
        let made = json!({ "operation": "insert_page", "title": "Made", "document": {} });
        synced.change(env, json!([made])).await;
        let url = synced.git.url("docs.git");
        let url = url.replace("http://", "http://writer:s3cret@");
        let job = synced.export(env, &json!({ "url": url })).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert!(!job.text().contains("s3cret"), "{job}");
        let info = env.of_space("getSpaceGitInfo", &synced.space).await.expect(200);
        assert!(!info.text().contains("s3cret"), "{info}");
        assert!(synced.last_change().contains("docs/made.md"));
    });
}

#[test]
fn an_older_event_is_skipped() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let at = |time: &str| json!({ "timestamp": time });
        let job = synced.export(env, &at("2024-05-02T00:00:00Z")).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let made = json!({ "operation": "insert_page", "title": "Made", "document": {} });
        synced.change(env, json!([made])).await;
        let job = synced.export(env, &at("2024-05-01T00:00:00Z")).await;
        assert!(job.text_at("/progress/message").contains("timestamp is older"), "{job}");
        assert_eq!(synced.repository.find("main").unwrap(), synced.oid);
        let job = synced.export(env, &at("2024-05-02T00:00:00Z")).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert_ne!(synced.repository.find("main").unwrap(), synced.oid);
    });
}
