//! Merges of rewritten and of other branches.

use serde_json::json;

use super::{assert_equal, commit, edit, edit_guide, file};
use crate::exports::Synced;
use crate::support::{TestEnv, each_engine};

#[test]
fn a_rewritten_branch_is_merged() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        commit(&synced, "docs/README.md", "Hello", "Good day");
        synced.imported(env, &json!({})).await;
        edit_guide(env, &synced, "Last __words__", "Inside").await;
        // The branch loses the imported commit and gets another one.
        synced.repository.git(&["update-ref", "refs/heads/main", &synced.oid]);
        commit(&synced, "docs/guide.md", "* one", "* first");
        synced.imported(env, &json!({})).await;
        let text = synced.markdown(env, "Guide").await;
        assert!(text.contains("* first") && text.contains("Inside."), "{text}");
        assert!(synced.markdown(env, "Welcome").await.contains("Hello"));
        assert_eq!(
            synced.exported(env).await,
            "--- a/docs/guide.md\n+++ b/docs/guide.md\n-Last __words__.\n+Inside.\n"
        );
        assert_equal(env, &synced).await;
    });
}

#[test]
fn another_branch_is_merged_with_what_it_was_given() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let made =
            json!({ "operation": "insert_page", "title": "Made", "document": { "markdown": "m" } });
        synced.change(env, json!([made])).await;
        let job = synced.export(env, &json!({ "ref": "refs/heads/other" })).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let page = synced.page(env, "Made").await;
        edit(env, &synced, "Least", json!({ "document": { "markdown": "Inside.\n" } })).await;
        synced.repository.git(&["update-ref", "refs/heads/main", "refs/heads/other"]);
        commit(&synced, "docs/made.md", "m", "more");
        synced.repository.git(&["update-ref", "refs/heads/other", "refs/heads/main"]);
        synced.imported(env, &json!({ "ref": "other" })).await;
        assert_eq!(synced.page(env, "Made").await, page);
        assert!(synced.markdown(env, "Made").await.contains("more"));
        assert!(synced.markdown(env, "Least").await.contains("Inside."));
        let job = synced.export(env, &json!({ "ref": "refs/heads/other" })).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        synced.repository.git(&["update-ref", "refs/heads/main", "refs/heads/other"]);
        assert!(file(&synced, "docs/deep/least.md").ends_with("Inside."));
    });
}
