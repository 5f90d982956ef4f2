//! Dry runs: what they show, and that they change nothing.

use bindery_testkit::Answer;
use bindery_testkit::archives::{file, tar};
use serde_json::{Value, json};

use super::Synced;
use crate::support::{TestEnv, each_engine, items};

impl Synced {
    /// Starts a dry run and returns its ended job.
    async fn dry_run(&self, env: &TestEnv) -> Answer {
        let started = env.of_space("startGitSyncDryRun", &self.space).await.expect(204);
        let job = started.header("location").rsplit('/').next().unwrap().to_owned();
        env.ended(&job).await
    }

    /// Starts a dry run, which must succeed, and returns its result.
    async fn preview(&self, env: &TestEnv) -> Answer {
        let before = self.state(env).await;
        let job = self.dry_run(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert_eq!(self.state(env).await, before);
        let result = env.of_space("getGitSyncDryRun", &self.space).await.expect(200);
        assert_eq!(result.text_at("/job"), job.text_at("/id"));
        result
    }

    /// Returns all that a run would change: the state of the synchronisation, its runs, the head of
    /// the space, its change requests, the last import and the branch.
    async fn state(&self, env: &TestEnv) -> Vec<Value> {
        let mut state = vec![json!(self.repository.find("main"))];
        for operation in ["getGitSync", "listGitSyncRuns", "listChangeRequestsForSpace"] {
            state.push(env.of_space(operation, &self.space).await.expect(200).json);
        }
        let revision = env.of_space("getCurrentRevision", &self.space).await.expect(200);
        state.push(revision.at("/id").clone());
        let info = env.client.call("getSpaceGitInfo").path("spaceId", &self.space).send().await;
        state.push(info.json);
        state
    }
}

/// Returns the values of these fields of the items of a list.
fn shown(result: &Answer, list: &str, fields: &[&str]) -> Vec<String> {
    let items = items_of(result, list);
    assert_eq!(result.at(&format!("/{list}/count")), items.len());
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let line = |item: &Value| {
        let present = fields.iter().filter(|field| !item[**field].is_null());
        present.map(|field| text(&item[*field])).collect::<Vec<_>>().join(" ")
    };
    items.iter().map(line).collect()
}

fn items_of<'a>(result: &'a Answer, list: &str) -> &'a Vec<Value> {
    result.at(&format!("/{list}/items")).as_array().unwrap()
}

const FILE: [&str; 5] = ["change", "path", "previousPath", "linesAdded", "linesRemoved"];
const ITEM: [&str; 3] = ["change", "title", "path"];

#[test]
fn changes_of_both_sides_are_shown() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        let nothing = synced.preview(env).await;
        for list in ["repository", "space", "conflicts"] {
            assert_eq!(nothing.at(&format!("/{list}/count")), 0, "{nothing}");
        }
        let _paused = env.of_space("pauseGitSync", &synced.space).await.expect(200);
        synced.edit(env, "Guide", "* one\n* two\n\nFrom inside.\n\nMore.\n").await;
        let binary = json!({ "name": "b.bin", "contentType": "text/plain", "base64": "AAAA" });
        let changes = json!([
            { "operation": "insert_page", "title": "New", "document": { "markdown": "Words.\n" } },
            { "operation": "insert_files", "files": [binary] },
        ]);
        let call = env.client.call("updateSpaceContent").path("spaceId", &synced.space);
        let _ = call.json(&json!({ "changes": changes })).send().await.expect(200);
        synced.commit("README.md", "# Home\n\nFrom outside.\n");
        synced.commit("deep/other.md", "# Other\n");
        let tip = synced.commit(
            "SUMMARY.md",
            "# Contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n* [Other](deep/other.md)\n",
        );
        let result = synced.preview(env).await;
        assert_eq!(result.at("/commit"), &json!(tip));
        let head = env.of_space("getCurrentRevision", &synced.space).await.expect(200);
        assert_eq!(result.at("/revision"), head.at("/id"));
        let files = shown(&result, "repository", &FILE);
        let expected = [
            "added .gitbook/assets/b.bin",
            "modified SUMMARY.md 1 0",
            "modified guide.md 3 1",
            "added new.md 3 0",
        ];
        assert_eq!(files, expected, "{result}");
        let pages = shown(&result, "space", &ITEM);
        assert_eq!(pages, ["added Other other", "modified Home readme"], "{result}");
        let home = synced.page(env, "Home").await;
        assert_eq!(items_of(&result, "space")[1]["page"], home["id"]);
        assert_eq!(items_of(&result, "space")[0]["page"], Value::Null);
        assert_eq!(result.at("/conflicts/count"), 0);

        // A run makes these changes.
        let _resumed = env.of_space("resumeGitSync", &synced.space).await.expect(200);
        synced.settled(env).await;
        let lines = synced.repository.git(&["diff", "--numstat", &tip, "main"]);
        let expected =
            "-\t-\t.gitbook/assets/b.bin\n1\t0\tSUMMARY.md\n3\t1\tguide.md\n3\t0\tnew.md";
        assert_eq!(lines, expected);
        assert!(synced.markdown(env, "Home").await.contains("From outside."));
    });
}

#[test]
fn renamed_and_removed_files_are_shown() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        synced.commit("old.md", "# Old\n\nText.\n");
        let table = "# Contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n* [Old](old.md)\n";
        synced.commit("SUMMARY.md", table);
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let _paused = env.of_space("pauseGitSync", &synced.space).await.expect(200);
        let archive = tar(&[
            file("README.md", "# Home\n\nHello.\n"),
            file("SUMMARY.md", "# Contents\n\n* [Home](README.md)\n* [Guide](deep/manual.md)\n"),
            file("deep/manual.md", "# Guide\n\n* one\n* two\n\nLast words.\n\nMore.\n"),
        ]);
        let job = env.import_archive(&synced.space, "application/octet-stream", archive).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let result = synced.preview(env).await;
        let files = shown(&result, "repository", &FILE);
        for expected in ["renamed deep/manual.md guide.md 2 0", "removed old.md 0 3"] {
            assert!(files.iter().any(|file| file == expected), "{expected} in {result}");
        }
        assert!(!files.iter().any(|file| file.contains(" guide.md 0")), "{result}");

        let _resumed = env.of_space("resumeGitSync", &synced.space).await.expect(200);
        synced.settled(env).await;
        let table = synced.repository.git(&["show", "main:SUMMARY.md"]);
        assert_eq!(table, "# Contents\n\n* [Home](README.md)\n* [Guide](deep/manual.md)");
    });
}

#[test]
fn conflicts_are_shown() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        let _paused = env.of_space("pauseGitSync", &synced.space).await.expect(200);
        synced.edit(env, "Guide", "* one\n* two\n\nInside words.\n").await;
        synced.edit(env, "Home", "Hello inside.\n").await;
        synced.commit("guide.md", "# Guide\n\n* one\n* two\n\nOutside words.\n");
        let result = synced.preview(env).await;
        let guide = synced.page(env, "Guide").await;
        let conflicts = shown(&result, "conflicts", &["page", "title", "path", "reason"]);
        let id = guide["id"].as_str().unwrap();
        let reason = "was changed in different ways in the repository and here";
        assert_eq!(conflicts, [format!("{id} Guide guide {reason}")], "{result}");
        assert_eq!(shown(&result, "repository", &FILE), ["modified README.md 1 1"], "{result}");

        // Exports alone have conflicts of files.
        let only = json!({ "direction": "export", "initialDirection": "export" });
        let _set = synced.set(env, only).await.expect(200);
        let result = synced.preview(env).await;
        let conflicts = shown(&result, "conflicts", &["page", "title", "path", "reason"]);
        assert!(conflicts[0].starts_with("guide.md was changed in the same lines"), "{result}");
        assert_eq!(result.at("/space/count"), 0);
    });
}

#[test]
fn first_runs_show_all_files() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::idle(env, json!({})).await;
        let _none = env.of_space("getGitSyncDryRun", &synced.space).await.expect(404);
        let made = json!([{ "operation": "insert_page", "title": "Mine", "document": {
            "markdown": "From the space.\n",
        } }]);
        let _paused = env.of_space("pauseGitSync", &synced.space).await.expect(200);
        let call = env.client.call("updateSpaceContent").path("spaceId", &synced.space);
        let _ = call.json(&json!({ "changes": made })).send().await.expect(200);
        let result = synced.preview(env).await;
        let pages = shown(&result, "space", &ITEM);
        let expected = ["added Guide guide", "removed Mine mine", "added Home readme"];
        assert_eq!(pages, expected, "{result}");
        assert_eq!(result.at("/repository/count"), 0, "{result}");

        let _set = synced.set(env, json!({ "initialDirection": "export" })).await.expect(200);
        let result = synced.preview(env).await;
        assert!(shown(&result, "repository", &FILE).contains(&"added mine.md 3 0".to_owned()));
        assert_eq!(result.at("/space/count"), 0, "{result}");

        // Another branch has no result yet.
        let _set = synced.set(env, json!({ "ref": "other" })).await.expect(200);
        let _none = env.of_space("getGitSyncDryRun", &synced.space).await.expect(404);
        let job = synced.dry_run(env).await;
        assert_eq!(job.text_at("/error/code"), "ref-not-found", "{job}");
        let shown = synced.get(env).await;
        assert_eq!((shown.at("/state"), shown.at("/failures")), (&json!("paused"), &json!(0)));
        let _none = env.of_space("getGitSyncDryRun", &synced.space).await.expect(404);
        assert_eq!(
            items(&env.of_space("listGitSyncRuns", &synced.space).await.expect(200)).len(),
            0
        );
    });
}
