//! Merges of page trees: created, moved and deleted pages.

use bindery_testkit::git_server::Change;
use serde_json::json;

use super::{assert_equal, change_request, commit, edit, file, titles};
use crate::exports::Synced;
use crate::support::{TestEnv, each_engine};

const MADE: &str = "# Made\n\nSomebody's text.\n";

async fn make(env: &TestEnv, synced: &Synced, text: &str) {
    let made = json!({ "operation": "insert_page", "title": "Made", "at": 2, "document": { "markdown": text } });
    synced.change(env, json!([made])).await;
}

fn commit_made(synced: &Synced) {
    commit(synced, "docs/SUMMARY.md", "\n\n## Deep", "\n* [Made](made.md)\n\n## Deep");
    synced.commit("docs/made.md", MADE);
}

#[test]
fn different_pages_at_one_path_are_both_kept() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        make(env, &synced, "A text of the space.\n").await;
        commit_made(&synced);
        synced.imported(env, &json!({})).await;
        let all = titles(env, &synced).await;
        assert_eq!(all.iter().filter(|title| *title == "Made").count(), 2, "{all:?}");
        synced.exported(env).await;
        // The file of the repository stays as it is.
        assert_eq!(file(&synced, "docs/made.md"), MADE.trim_end());
        assert_eq!(file(&synced, "docs/made-1.md"), "# Made\n\nA text of the space.");
        assert!(file(&synced, "docs/SUMMARY.md").contains("[Made](made-1.md)"));
        let again = synced.again(env).await;
        assert_eq!(titles(env, &again).await, titles(env, &synced).await);
    });
}

#[test]
fn equal_pages_at_one_path_are_one_page() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        make(env, &synced, "Somebody's text.\n").await;
        let made = synced.page(env, "Made").await;
        commit_made(&synced);
        synced.imported(env, &json!({})).await;
        assert_eq!(synced.page(env, "Made").await, made);
        let all = titles(env, &synced).await;
        assert_eq!(all.iter().filter(|title| *title == "Made").count(), 1, "{all:?}");
        synced.export(env, &json!({})).await;
        assert_eq!(file(&synced, "docs/made.md"), MADE.trim_end());
        assert_equal(env, &synced).await;
    });
}

#[test]
fn new_pages_of_both_sides_are_in_the_table_of_contents() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let here =
            json!({ "operation": "insert_page", "title": "Here", "document": { "markdown": "h" } });
        synced.change(env, json!([here])).await;
        commit_made(&synced);
        synced.imported(env, &json!({})).await;
        synced.exported(env).await;
        let table = file(&synced, "docs/SUMMARY.md");
        assert!(
            table.contains("* [Made](made.md)") && table.contains("[Here](here.md)"),
            "{table}"
        );
        assert!(table.contains("(./guide.md \"Short\")"), "{table}");
        assert_equal(env, &synced).await;
    });
}

#[test]
fn a_page_that_was_moved_here_is_edited_there() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let guide = synced.page(env, "Guide").await;
        let least = synced.page(env, "Least").await;
        edit(env, &synced, "Least", json!({ "into": guide, "at": 0 })).await;
        commit(&synced, "docs/deep/least.md", "Little.", "More than little.");
        commit(&synced, "docs/SUMMARY.md", "[Welcome]", "[Home]");
        synced.imported(env, &json!({})).await;
        assert_eq!(titles(env, &synced).await, ["Home", "Guide", " Least", "Deep things", " More"]);
        assert_eq!(synced.page(env, "Least").await, least);
        assert!(synced.markdown(env, "Least").await.contains("More than little."));
        synced.exported(env).await;
        assert!(file(&synced, "docs/SUMMARY.md").contains("\")\n    - [Least](deep/least.md)"));
        assert_equal(env, &synced).await;
    });
}

#[test]
fn a_page_that_was_deleted_here_stays_deleted() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let least = synced.page(env, "Least").await;
        synced.change(env, json!([{ "operation": "delete_page", "page": least }])).await;
        commit(&synced, "docs/README.md", "Hello", "Good day");
        commit(&synced, "docs/SUMMARY.md", "[Welcome]", "[Home]");
        synced.imported(env, &json!({})).await;
        assert_eq!(titles(env, &synced).await, ["Home", "Guide", "Deep things", " More"]);
        synced.exported(env).await;
        let listed = synced.repository.git(&["ls-tree", "-r", "--name-only", "main"]);
        assert!(!listed.contains("least.md"), "{listed}");
        assert_equal(env, &synced).await;
    });
}

#[test]
fn a_page_that_one_side_deleted_and_the_other_changed_is_a_conflict() {
    each_engine(async |env: &mut TestEnv| {
        for here in [true, false] {
            let synced = Synced::new(env).await;
            if here {
                let least = synced.page(env, "Least").await;
                synced.change(env, json!([{ "operation": "delete_page", "page": least }])).await;
                commit(&synced, "docs/deep/least.md", "Little.", "Much.");
            } else {
                edit(env, &synced, "Least", json!({ "document": { "markdown": "Much.\n" } })).await;
                let deletion = Change::Delete(b"docs/deep/least.md".to_vec());
                synced.repository.commit("main", "Gone", [deletion]);
                commit(&synced, "docs/SUMMARY.md", "    - [Least](deep/least.md)\n", "");
            }
            let before = titles(env, &synced).await;
            let message = synced.imported(env, &json!({})).await;
            assert_eq!(message, "conflicts in 1 page: change request 1");
            assert_eq!(titles(env, &synced).await, before);
            let proposal = change_request(env, &synced, "open").await;
            let conflicts = proposal.get("listChangeRequestConflicts").await;
            assert_eq!(conflicts.at("/count"), &json!(1), "{conflicts}");
            let decision = json!({ "choice": "main" });
            let call = proposal.call("resolveChangeRequestConflicts").json(&decision);
            let _resolved = call.send().await.expect(200);
            let _merged = proposal.merge().await.expect(200);
            assert_eq!(titles(env, &synced).await, before);
            synced.exported(env).await;
            assert_equal(env, &synced).await;
        }
    });
}
