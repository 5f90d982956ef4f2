//! Exports over branches that changed since the last synchronisation.

use bindery_testkit::git_server::Change;
use serde_json::json;

use super::Synced;
use crate::support::{TestEnv, each_engine};

async fn edit_guide(env: &TestEnv, synced: &Synced, text: &str) {
    let guide = synced.page(env, "Guide").await;
    let document = json!({ "markdown": text });
    let change = json!({ "operation": "update_page", "page": guide, "document": document });
    synced.change(env, json!([change])).await;
}

fn guide(synced: &Synced) -> String {
    synced.repository.git(&["show", "main:docs/guide.md"])
}

#[test]
fn changes_of_other_files_stay() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let outside = synced.commit("docs/README.md", "# Welcome\n\nFrom outside.\n");
        edit_guide(env, &synced, "* one\n* two\n\nFrom inside.\n").await;
        assert_eq!(
            synced.exported(env).await,
            "--- a/docs/guide.md\n+++ b/docs/guide.md\n-Last __words__.\n+From inside.\n"
        );
        assert_eq!(synced.repository.git(&["log", "--format=%P", "-1", "main"]), outside);
        // The import that follows brings the change from outside and keeps the other.
        synced.import(env).await;
        assert!(synced.markdown(env, "Welcome").await.contains("From outside."));
        assert!(synced.markdown(env, "Guide").await.contains("From inside."));
        let job = synced.export(env, &json!({})).await;
        assert!(job.text_at("/progress/message").contains("nothing to do"), "{job}");
    });
}

#[test]
fn a_complete_export_leaves_changes_from_outside_to_the_import() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let outside = synced.commit("docs/README.md", "# Welcome\n\nFrom outside.\n");
        let job = synced.export(env, &json!({ "force": true })).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert_eq!(synced.repository.find("main").unwrap(), outside);
        synced.import(env).await;
        assert!(synced.markdown(env, "Welcome").await.contains("From outside."));
    });
}

#[test]
fn changes_of_other_lines_are_merged() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let before = guide(&synced) + "\n";
        synced.commit("docs/guide.md", &before.replace("* one", "* first"));
        edit_guide(env, &synced, "* one\n* two\n\nFrom inside.\n").await;
        assert_eq!(
            synced.exported(env).await,
            "--- a/docs/guide.md\n+++ b/docs/guide.md\n-Last __words__.\n+From inside.\n"
        );
        assert!(guide(&synced).contains("* first"));
        synced.import(env).await;
        let text = synced.markdown(env, "Guide").await;
        assert!(text.contains("* first") && text.contains("From inside."), "{text}");
    });
}

#[test]
fn conflicts_change_nothing_unless_forced() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let before = guide(&synced) + "\n";
        let outside = synced.commit("docs/guide.md", &before.replace("Last", "Outside"));
        edit_guide(env, &synced, "* one\n* two\n\nFrom inside.\n").await;
        let job = synced.export(env, &json!({})).await;
        assert_eq!(job.text_at("/error/code"), "conflict", "{job}");
        assert!(job.text_at("/error/message").contains("`docs/guide.md` was changed"), "{job}");
        assert_eq!(synced.repository.find("main").unwrap(), outside);
        let forced = synced.export(env, &json!({ "force": true })).await;
        assert_eq!(forced.text_at("/status"), "done", "{forced}");
        assert!(guide(&synced).ends_with("From inside."), "{}", guide(&synced));
        assert_eq!(synced.repository.git(&["log", "--format=%P", "-1", "main"]), outside);
    });
}

#[test]
fn a_file_that_the_repository_deleted_is_a_conflict() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        synced.repository.commit("main", "Gone", [Change::Delete(b"docs/guide.md".to_vec())]);
        edit_guide(env, &synced, "From inside.\n").await;
        let job = synced.export(env, &json!({})).await;
        assert!(job.text_at("/error/message").contains("was deleted in the repository"), "{job}");
    });
}

#[test]
fn a_new_page_never_replaces_a_file() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let outside = synced.commit("docs/made.md", "Somebody's file.\n");
        let made = json!({ "operation": "insert_page", "title": "Made", "document": {} });
        synced.change(env, json!([made])).await;
        let job = synced.export(env, &json!({})).await;
        assert!(job.text_at("/error/message").contains("`docs/made.md` exists"), "{job}");
        assert_eq!(synced.repository.find("main").unwrap(), outside);
    });
}

#[test]
fn a_rewritten_history_is_not_overwritten() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        synced.commit("docs/README.md", "# Welcome\n\nSecond.\n");
        synced.import(env).await;
        // The branch goes back to the first commit.
        synced.repository.git(&["update-ref", "refs/heads/main", &synced.oid]);
        edit_guide(env, &synced, "* one\n* two\n\nFrom inside.\n").await;
        synced.exported(env).await;
        assert_eq!(synced.repository.git(&["log", "--format=%P", "-1", "main"]), synced.oid);
        assert!(synced.repository.git(&["show", "main:docs/README.md"]).contains("Hello"));
    });
}
