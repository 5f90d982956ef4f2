//! Change requests that become branches.

use bindery_store::{git_branches, revisions, spaces};
use serde_json::{Value, json};

use super::Branches;
use crate::support::change_requests::Proposal;
use crate::support::{TestEnv, each_engine};

const BRANCH: &str = "bindery/1-a-change";

fn branch() -> Value {
    json!({ "export": "branch" })
}

/// Returns a change request with an edit that its branch has.
async fn edited(env: &TestEnv) -> (Branches, Proposal<'_>) {
    let branches = Branches::new(env, branch()).await;
    let proposal = Proposal::new(&env.client, &branches.space).await;
    branches.edit(env, &proposal, "Guide", "* one\n* two\n\nFrom inside.\n").await;
    branches.settled(env).await;
    (branches, proposal)
}

/// Returns a change request with an edit, which lacks a later commit of the main content.
async fn behind(env: &TestEnv) -> (Branches, Proposal<'_>) {
    let (branches, proposal) = edited(env).await;
    branches.commit("main", "Outside", "README.md", "# Home\n\nNews of main.\n");
    branches.run(env).await;
    (branches, proposal)
}

#[test]
fn a_change_request_becomes_a_branch_and_both_sides_write() {
    each_engine(async |env: &mut TestEnv| {
        let branches = Branches::new(env, branch()).await;
        let main = branches.repository.find("main").unwrap();
        let proposal = Proposal::new(&env.client, &branches.space).await;
        branches.settled(env).await;
        assert_eq!(branches.repository.find(BRANCH), None, "it has no changes");
        branches.edit(env, &proposal, "Guide", "* one\n* two\n\nFrom inside.\n").await;
        branches.settled(env).await;
        let diff = ["diff", "--unified=0", "main", BRANCH];
        let diff = branches.repository.git(&diff);
        assert!(diff.ends_with("-Last words.\n+From inside."), "{diff}");
        assert_eq!(branches.repository.git(&["log", "--format=%P", "-1", BRANCH]), main);
        assert_eq!(branches.repository.git(&["log", "--format=%s", "-1", BRANCH]), "A change");
        assert_eq!(branches.repository.find("main").unwrap(), main);
        // A commit from outside and an edit meet.
        let _paused = env.of_space("pauseGitSync", &branches.space).await.expect(200);
        branches.commit(BRANCH, "Outside", "README.md", "# Home\n\nFrom outside.\n");
        branches.edit(env, &proposal, "Guide", "* one\n* two\n\nFrom inside again.\n").await;
        let _resumed = env.of_space("resumeGitSync", &branches.space).await.expect(200);
        branches.settled(env).await;
        assert!(branches.file(BRANCH, "guide.md").contains("From inside again."));
        assert!(branches.file(BRANCH, "README.md").contains("From outside."));
        let shown = branches.proposal(env).await;
        assert!(branches.proposed(env, &shown, "Home").await.contains("From outside."));
        assert!(branches.proposed(env, &shown, "Guide").await.contains("From inside again."));
        assert_eq!(branches.repository.git(&["fsck", "--strict"]), "");
    });
}

#[test]
fn a_merge_here_merges_the_branch_and_deletes_it() {
    each_engine(async |env: &mut TestEnv| {
        let branches = Branches::new(env, branch()).await;
        let main = branches.repository.find("main").unwrap();
        let proposal = Proposal::new(&env.client, &branches.space).await;
        branches.edit(env, &proposal, "Guide", "* one\n* two\n\nFrom inside.\n").await;
        branches.settled(env).await;
        let tip = branches.repository.find(BRANCH).unwrap();
        assert_eq!(proposal.merge().await.expect(200).text_at("/result"), "merge");
        branches.settled(env).await;
        assert!(branches.file("main", "guide.md").contains("From inside."));
        let parents = branches.repository.git(&["log", "--format=%P", "-1", "main"]);
        assert_eq!(parents, format!("{main} {tip}"));
        assert_eq!(branches.repository.find(BRANCH), None);
        assert!(branches.followed(env).await.is_empty());
        assert_eq!(branches.repository.git(&["fsck", "--strict"]), "");
    });
}

#[test]
fn a_run_goes_on_after_the_server_stopped_between_push_and_record() {
    each_engine(async |env: &mut TestEnv| {
        let (branches, proposal) = edited(env).await;
        let id = proposal.id;
        // The state from before the push: the branch begins at main and has no changes.
        let main = branches.repository.find("main").unwrap();
        let space = bindery_model::SpaceId::parse(&branches.space).unwrap();
        env.edit_store(move |tx| {
            let mut branch = git_branches::list(tx, space, "", 9)?.remove(0);
            let head = spaces::get(tx, space)?.unwrap().head;
            let row = revisions::get(tx, space, head)?.unwrap();
            let synced = revisions::import_base(tx, space, head)?.unwrap();
            branch.oid.clone_from(&main);
            (branch.object, branch.shared) = (Some(synced.object), Some(row.object));
            branch.state = Some(synced.state);
            git_branches::set(tx, &branch)
        })
        .await;
        let proposal = Proposal { client: &env.client, space: branches.space.clone(), id };
        let tip = branches.repository.find(BRANCH).unwrap();
        branches.run(env).await;
        assert_eq!(branches.repository.find(BRANCH), Some(tip));
        assert_eq!(branches.followed(env).await.len(), 1);
        branches.edit(env, &proposal, "Home", "Further words.\n").await;
        branches.settled(env).await;
        assert!(branches.file(BRANCH, "README.md").contains("Further words."));
        assert!(branches.file(BRANCH, "guide.md").contains("From inside."));
        let shown = branches.proposal(env).await;
        assert!(branches.proposed(env, &shown, "Guide").await.contains("From inside."));
        assert_eq!(branches.repository.git(&["branch", "--list", "bindery/*"]).lines().count(), 1);
    });
}

#[test]
fn changes_of_code_are_not_marked_as_merged() {
    each_engine(async |env: &mut TestEnv| {
        let branches = Branches::new(env, json!({ "import": ["*"] })).await;
        branches.branch("topic");
        branches.commit("topic", "Code and text", "src/main.rs", "fn main() {}\n");
        branches.commit("topic", "Text", "guide.md", "# Guide\n\n* one\n* two\n\nProposed.\n");
        branches.run(env).await;
        let id = branches.proposal(env).await["id"].as_str().unwrap().to_owned();
        let proposal = Proposal { client: &env.client, space: branches.space.clone(), id };
        let _merged = proposal.merge().await.expect(200);
        branches.settled(env).await;
        assert!(branches.file("main", "guide.md").contains("Proposed."));
        let merged = branches.repository.git(&["branch", "--merged", "main"]);
        assert!(!merged.contains("topic"), "{merged}");
        assert!(branches.repository.find("topic").is_some());
    });
}

#[test]
fn an_archived_change_request_deletes_its_branch() {
    each_engine(async |env: &mut TestEnv| {
        let (branches, proposal) = edited(env).await;
        assert!(branches.repository.find(BRANCH).is_some());
        let patch = proposal.call("updateChangeRequestById").json(&json!({ "status": "archived" }));
        let _archived = patch.send().await.expect(200);
        branches.settled(env).await;
        assert_eq!(branches.repository.find(BRANCH), None);
        // Opening it again makes the branch again.
        let patch = proposal.call("updateChangeRequestById").json(&json!({ "status": "open" }));
        let _opened = patch.send().await.expect(200);
        branches.settled(env).await;
        assert!(branches.file(BRANCH, "guide.md").contains("From inside."));
    });
}

#[test]
fn the_branch_follows_an_update_from_the_main_content() {
    each_engine(async |env: &mut TestEnv| {
        let (branches, proposal) = behind(env).await;
        assert!(branches.file(BRANCH, "README.md").contains("Hello."));
        let tips = [BRANCH, "main"].map(|name| branches.repository.find(name).unwrap());
        let _updated = proposal.update().await.expect(200);
        branches.settled(env).await;
        assert!(branches.file(BRANCH, "README.md").contains("News of main."));
        assert!(branches.file(BRANCH, "guide.md").contains("From inside."));
        // The commit is a merge, so the pull request shows the changes of the branch only.
        let parents = branches.repository.git(&["log", "--format=%P", "-1", BRANCH]);
        assert_eq!(parents, tips.join(" "));
        // A merge in the repository closes the change request, although main has moved.
        let merged = ["merge-tree", "--write-tree", "main", BRANCH];
        let tree = branches.repository.git(&merged);
        let made = ["commit-tree", &tree, "-p", "main", "-p", BRANCH, "-m", "Merge"];
        let commit = branches.repository.git(&made);
        branches.repository.git(&["update-ref", "refs/heads/main", &commit]);
        branches.run(env).await;
        assert_eq!(branches.proposal(env).await["status"], "merged");
        assert_eq!(branches.repository.find(BRANCH), None);
        assert!(branches.markdown(env, "Guide").await.contains("From inside."));
    });
}

#[test]
fn an_update_between_edits_is_a_commit_of_its_own() {
    each_engine(async |env: &mut TestEnv| {
        let (branches, proposal) = behind(env).await;
        let [before, main] = [BRANCH, "main"].map(|name| branches.repository.find(name).unwrap());
        let _paused = env.of_space("pauseGitSync", &branches.space).await.expect(200);
        branches.edit(env, &proposal, "Guide", "* one\n* two\n\nFirst edit.\n").await;
        let _updated = proposal.update().await.expect(200);
        branches.edit(env, &proposal, "Guide", "* one\n* two\n\nSecond edit.\n").await;
        branches.edit(env, &proposal, "Guide", "* one\n* two\n\nThird edit.\n").await;
        // The branch of the space has moved on since the update.
        branches.commit("main", "Later", "README.md", "# Home\n\nLater news.\n");
        let _resumed = env.of_space("resumeGitSync", &branches.space).await.expect(200);
        branches.settled(env).await;
        let log = ["log", "--first-parent", "--format=%P", &format!("{before}..{BRANCH}")];
        let log = branches.repository.git(&log);
        let parents: Vec<&str> = log.lines().collect();
        assert_eq!(parents.len(), 3, "{log}");
        assert_eq!(parents[2], before);
        assert!(parents[1].ends_with(&format!(" {main}")), "{log}");
        let update = ["show", "--first-parent", "--format=", "--name-only", &format!("{BRANCH}~1")];
        assert_eq!(branches.repository.git(&update), "README.md");
        assert!(branches.file(&format!("{BRANCH}~2"), "guide.md").contains("First edit."));
        assert!(branches.file(BRANCH, "guide.md").contains("Third edit."));
        let author = branches.repository.git(&["log", "--format=%an", "-2", BRANCH]);
        let name = branches.repository.git(&["log", "--format=%an", "-1", &before]);
        assert_eq!(author, format!("{name}\n{name}"));
    });
}

#[test]
fn settings_are_checked() {
    each_engine(async |env: &mut TestEnv| {
        let branches = Branches::new(env, branch()).await;
        for (with, place) in [
            (json!({ "import": ["a b"] }), "/changeRequests/import/0"),
            (json!({ "import": ["refs/heads/*"] }), "/changeRequests/import/0"),
            (json!({ "branchPrefix": "a..b/" }), "/changeRequests/branchPrefix"),
            (json!({ "branchPrefix": "" }), "/changeRequests/branchPrefix"),
            (json!({ "export": "pull-request" }), "/changeRequests/service"),
            (
                json!({ "service": "gitlab", "apiUrl": "http://other.example/api/v4" }),
                "/changeRequests/apiUrl",
            ),
            (json!({ "service": "gitlab", "apiUrl": "file:///etc" }), "/changeRequests/apiUrl"),
            (json!({ "apiUrl": "http://127.0.0.1/api/v4" }), "/changeRequests/service"),
        ] {
            let refused = branches.set(env, with.clone()).await.expect(400);
            assert!(refused.to_string().contains(place), "{with}: {refused}");
        }
        let shown = env.of_space("getGitSync", &branches.space).await.expect(200);
        let expect = json!({ "import": [], "export": "branch", "branchPrefix": "bindery/" });
        assert_eq!(*shown.at("/changeRequests"), expect);
    });
}
