//! Imports with conflicts, which wait in a change request.

use serde_json::json;

use super::{assert_equal, change_request, commit, conflicting, edit, edit_guide, file};
use crate::exports::Synced;
use crate::support::change_requests::Proposal;
use crate::support::{TestEnv, each_engine};

async fn resolve(proposal: &Proposal<'_>, choice: &str) {
    let call = proposal.call("resolveChangeRequestConflicts");
    let _resolved = call.json(&json!({ "choice": choice })).send().await.expect(200);
}

#[test]
fn a_conflict_is_resolved_in_a_change_request() {
    each_engine(async |env: &mut TestEnv| {
        for (choice, words) in [("main", "Inside."), ("proposed", "Outside.")] {
            let synced = Synced::new(env).await;
            edit(env, &synced, "Least", json!({ "description": "Of the space" })).await;
            commit(&synced, "docs/README.md", "Hello", "Good day");
            let proposal = conflicting(env, &synced).await;
            // Neither side changes.
            let tip = synced.repository.find("main").unwrap();
            assert!(synced.markdown(env, "Guide").await.contains("Inside."));
            assert!(synced.markdown(env, "Welcome").await.contains("Hello"));
            let shown = proposal.get("getChangeRequestById").await;
            let subject = format!("Changes from main of docs at {}", &tip[..7]);
            assert_eq!(shown.text_at("/subject"), subject);
            assert!(shown.at("/description").to_string().contains("Guide"), "{shown}");
            let conflicts = proposal.get("listChangeRequestConflicts").await;
            assert_eq!(conflicts.at("/count"), &json!(1), "{conflicts}");
            for side in ["words", "Inside", "Outside"] {
                assert!(conflicts.text().contains(side), "{side}: {conflicts}");
            }
            assert_eq!(proposal.merge().await.expect(200).text_at("/result"), "conflicts");
            resolve(&proposal, choice).await;
            assert_eq!(proposal.merge().await.expect(200).text_at("/result"), "merge");
            assert!(synced.markdown(env, "Guide").await.contains(words));
            assert!(synced.markdown(env, "Welcome").await.contains("Good day"));
            let again = synced.imported(env, &json!({})).await;
            assert!(again.contains("nothing to do"), "{again}");
            synced.exported(env).await;
            assert_eq!(file(&synced, "docs/guide.md").lines().last(), Some(words));
            assert_equal(env, &synced).await;
        }
    });
}

#[test]
fn a_decision_for_the_space_alone_can_be_merged() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let proposal = conflicting(env, &synced).await;
        resolve(&proposal, "main").await;
        // Nothing changes in the main content, but the repository is behind now.
        assert_eq!(proposal.merge().await.expect(200).text_at("/result"), "merge");
        assert_eq!(
            synced.exported(env).await,
            "--- a/docs/guide.md\n+++ b/docs/guide.md\n-Outside.\n+Inside.\n"
        );
        assert_equal(env, &synced).await;
    });
}

#[test]
fn further_imports_continue_the_change_request() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let proposal = conflicting(env, &synced).await;
        let again = synced.imported(env, &json!({})).await;
        assert_eq!(again, "nothing to do: this commit waits in change request 1");
        let tip = commit(&synced, "docs/README.md", "Hello", "Good day");
        let message = synced.imported(env, &json!({})).await;
        assert_eq!(message, "conflicts in 1 page: change request 1");
        let shown = change_request(env, &synced, "open").await.get("getChangeRequestById").await;
        assert_eq!(
            shown.text_at("/subject"),
            format!("Changes from main of docs at {}", &tip[..7])
        );
        let welcome = synced.page(env, "Welcome").await;
        assert!(proposal.markdown(&welcome).await.contains("Good day"));
        // Edits of people stay, and later commits are added to them.
        resolve(&proposal, "main").await;
        proposal.set(&synced.page(env, "Least").await, "Edited in the change request.\n").await;
        commit(&synced, "docs/README.md", "Good day", "Good night");
        let message = synced.imported(env, &json!({})).await;
        assert_eq!(message, "added to change request 1, which somebody edited");
        assert_eq!(proposal.get("listChangeRequestConflicts").await.at("/count"), &json!(0));
        assert!(proposal.markdown(&welcome).await.contains("Good night"));
        assert_eq!(proposal.merge().await.expect(200).text_at("/result"), "merge");
        assert_eq!(
            synced.exported(env).await,
            "--- a/docs/deep/least.md\n+++ b/docs/deep/least.md\n-Little.\n\
             +Edited in the change request.\n\
             --- a/docs/guide.md\n+++ b/docs/guide.md\n-Outside.\n+Inside.\n"
        );
        assert_equal(env, &synced).await;
    });
}

#[test]
fn exports_wait_for_the_change_request() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let proposal = conflicting(env, &synced).await;
        let tip = synced.repository.find("main").unwrap();
        let job = synced.export(env, &json!({})).await;
        assert_eq!(job.text_at("/error/code"), "conflict", "{job}");
        assert!(job.text_at("/error/message").contains("change request 1"), "{job}");
        assert_eq!(synced.repository.find("main").unwrap(), tip);
        // Another branch has no part in the conflict.
        let job = synced.export(env, &json!({ "ref": "refs/heads/other" })).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        // A forced export decides the conflict for the space.
        let job = synced.export(env, &json!({ "force": true })).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let shown = proposal.get("getChangeRequestById").await;
        assert_eq!(shown.text_at("/status"), "archived", "{shown}");
        assert!(file(&synced, "docs/guide.md").ends_with("Inside."));
        assert_equal(env, &synced).await;
    });
}

#[test]
fn an_archived_change_request_is_replaced() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let proposal = conflicting(env, &synced).await;
        let archived = json!({ "status": "archived" });
        let call = proposal.call("updateChangeRequestById").json(&archived);
        let _archived = call.send().await.expect(200);
        let message = synced.imported(env, &json!({})).await;
        assert_eq!(message, "conflicts in 1 page: change request 2");
        let second = change_request(env, &synced, "open").await;
        resolve(&second, "proposed").await;
        let _merged = second.merge().await.expect(200);
        assert_equal(env, &synced).await;
    });
}

#[test]
fn an_import_without_conflicts_archives_the_change_request() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let proposal = conflicting(env, &synced).await;
        commit(&synced, "docs/guide.md", "Outside", "Last __words__");
        synced.imported(env, &json!({})).await;
        let shown = proposal.get("getChangeRequestById").await;
        assert_eq!(shown.text_at("/status"), "archived", "{shown}");
        assert!(synced.markdown(env, "Guide").await.contains("Inside."));
        synced.exported(env).await;
        assert_equal(env, &synced).await;
        // A conflict that ends in the space ends with the same commit.
        commit(&synced, "docs/guide.md", "Inside", "Outside again");
        edit_guide(env, &synced, "Last __words__", "Inside again").await;
        let message = synced.imported(env, &json!({})).await;
        assert_eq!(message, "conflicts in 1 page: change request 2");
        edit_guide(env, &synced, "Last __words__", "Inside").await;
        synced.imported(env, &json!({})).await;
        assert!(synced.markdown(env, "Guide").await.contains("Outside again."));
        assert_equal(env, &synced).await;
    });
}
