//! Branches that become change requests.

use bindery_testkit::git_server::Change;
use serde_json::{Value, json};

use super::Branches;
use crate::support::change_requests::Proposal;
use crate::support::{TestEnv, each_engine, items};

fn all() -> Value {
    json!({ "import": ["*"] })
}

#[test]
fn a_pushed_branch_opens_and_updates_a_change_request() {
    each_engine(async |env: &mut TestEnv| {
        let branches = Branches::new(env, all()).await;
        // A branch without changes of the documentation is no proposal.
        branches.branch("idle");
        branches.commit("idle", "Code", "src/main.rs", "fn main() {}\n");
        branches.branch("topic");
        let text = "# Guide\n\n* one\n* two\n\nProposed words.\n";
        branches.commit("topic", "Say it better\n\nBecause of *readers*.", "guide.md", text);
        branches.run(env).await;
        let proposal = branches.proposal(env).await;
        assert_eq!(proposal["subject"], "Say it better");
        assert_eq!(proposal["status"], "open");
        assert!(branches.proposed(env, &proposal, "Guide").await.contains("Proposed words."));
        assert!(branches.markdown(env, "Guide").await.contains("Last words."));
        let call = env.client.call("getChangeRequestChanges").path("spaceId", &branches.space);
        let call = call.path("changeRequestId", proposal["id"].as_str().unwrap());
        let changes = call.send().await.expect(200);
        assert_eq!(changes.at("/changes").as_array().unwrap().len(), 1, "{changes}");
        // A further commit updates it, and nothing is written to the branch.
        let tip = branches.commit("topic", "More", "README.md", "# Home\n\nWelcome.\n");
        branches.run(env).await;
        let same = branches.proposal(env).await;
        assert_eq!(same["id"], proposal["id"]);
        assert!(branches.proposed(env, &same, "Home").await.contains("Welcome."));
        assert_eq!(branches.repository.find("topic"), Some(tip.clone()));
        let followed = branches.followed(env).await;
        let topic = followed.iter().find(|branch| branch["ref"] == "refs/heads/topic").unwrap();
        assert_eq!(topic["commit"], json!(tip));
        assert_eq!(topic["changeRequest"], proposal["id"]);
        assert_eq!(topic["createdHere"], false);
        // Nothing is left to do.
        let before = branches.proposal(env).await;
        branches.run(env).await;
        assert_eq!(branches.proposal(env).await, before);
    });
}

#[test]
fn a_branch_of_an_older_commit_proposes_its_own_changes_only() {
    each_engine(async |env: &mut TestEnv| {
        let branches = Branches::new(env, all()).await;
        branches.branch("topic");
        branches.commit("main", "Outside", "README.md", "# Home\n\nNews of main.\n");
        branches.commit("main", "Outside", "README.md", "# Home\n\nMore news of main.\n");
        branches.commit("topic", "Add", "guide.md", "# Guide\n\n* one\n* two\n\nProposed.\n");
        branches.run(env).await;
        let proposal = branches.proposal(env).await;
        assert!(branches.proposed(env, &proposal, "Home").await.contains("More news of main."));
        assert!(branches.proposed(env, &proposal, "Guide").await.contains("Proposed."));
        let id = proposal["id"].as_str().unwrap().to_owned();
        let proposal = Proposal { client: &env.client, space: branches.space.clone(), id };
        assert_eq!(proposal.merge().await.expect(200).text_at("/result"), "merge");
        assert!(branches.markdown(env, "Home").await.contains("More news of main."));
        assert!(branches.markdown(env, "Guide").await.contains("Proposed."));
    });
}

#[test]
fn a_merged_branch_that_moved_a_file_leaves_no_old_path() {
    each_engine(async |env: &mut TestEnv| {
        let branches = Branches::new(env, all()).await;
        branches.branch("topic");
        let table = "# Contents\n\n* [Home](README.md)\n* [Guide](deep/guide.md)\n";
        let guide = branches.file("topic", "guide.md") + "\n";
        let changes = [
            Change::file("SUMMARY.md", table),
            Change::file("deep/guide.md", guide),
            Change::Delete(b"guide.md".to_vec()),
        ];
        branches.repository.commit("topic", "Move the guide", changes);
        branches.run(env).await;
        let proposal = branches.proposal(env).await;
        let id = proposal["id"].as_str().unwrap().to_owned();
        let proposal = Proposal { client: &env.client, space: branches.space.clone(), id };
        let _merged = proposal.merge().await.expect(200);
        branches.settled(env).await;
        assert_eq!(branches.repository.git(&["diff", "main", "topic"]), "");
    });
}

#[test]
fn a_conflict_is_shown_in_the_change_request() {
    each_engine(async |env: &mut TestEnv| {
        let branches = Branches::new(env, all()).await;
        branches.branch("topic");
        let text = |words: &str| format!("# Guide\n\n* one\n* two\n\n{words}\n");
        branches.commit("main", "Outside", "guide.md", &text("Of main."));
        branches.commit("topic", "Propose", "guide.md", &text("Of the branch."));
        branches.run(env).await;
        let proposal = branches.proposal(env).await;
        let call = env.client.call("listChangeRequestConflicts").path("spaceId", &branches.space);
        let call = call.path("changeRequestId", proposal["id"].as_str().unwrap());
        let conflicts = call.send().await.expect(200);
        assert_eq!(items(&conflicts).len(), 1, "{conflicts}");
        // Nothing is overwritten on either side.
        assert!(branches.markdown(env, "Guide").await.contains("Of main."));
        assert!(branches.file("main", "guide.md").contains("Of main."));
        assert!(branches.file("topic", "guide.md").contains("Of the branch."));
    });
}

#[test]
fn a_merge_in_the_repository_closes_the_change_request() {
    each_engine(async |env: &mut TestEnv| {
        for squashed in [false, true] {
            let branches = Branches::new(env, all()).await;
            branches.branch("topic");
            branches.repository.commit(
                "topic",
                "Add a page",
                [
                    Change::file("new.md", "# New\n\nA new page.\n"),
                    Change::file(
                        "SUMMARY.md",
                        "# Contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n* [New](new.md)\n",
                    ),
                ],
            );
            branches.run(env).await;
            let proposal = branches.proposal(env).await;
            let of = |operation: &str| {
                let call = env.client.call(operation).path("spaceId", &branches.space);
                call.path("changeRequestId", proposal["id"].as_str().unwrap())
            };
            let pages = of("listPagesInChangeRequest").send().await.expect(200);
            let page = super::page_of(&pages, "New");
            let repository = &branches.repository;
            if squashed {
                let tree = repository.git(&["rev-parse", "topic^{tree}"]);
                let made = ["commit-tree", &tree, "-p", "main", "-m", "Squashed"];
                let commit = repository.git(&made);
                repository.git(&["update-ref", "refs/heads/main", &commit]);
            } else {
                repository.git(&["update-ref", "refs/heads/main", "topic"]);
            }
            repository.git(&["update-ref", "-d", "refs/heads/topic"]);
            branches.run(env).await;
            let merged = branches.proposal(env).await;
            assert_eq!(merged["status"], "merged", "{merged}");
            // The page keeps the id that it had in the change request.
            assert_eq!(branches.page(env, "New").await["id"], page["id"]);
            branches.run(env).await;
            assert!(branches.followed(env).await.is_empty());
        }
    });
}

#[test]
fn a_deleted_branch_archives_the_change_request_unless_people_edited_it() {
    each_engine(async |env: &mut TestEnv| {
        let branches = Branches::new(env, all()).await;
        for (name, path) in [("left", "README.md"), ("edited", "guide.md")] {
            branches.branch(name);
            branches.commit(name, name, path, "# Page\n\nProposed.\n");
        }
        branches.run(env).await;
        let of = |list: &[Value], subject: &str| {
            list.iter().find(|proposal| proposal["subject"] == subject).unwrap().clone()
        };
        let edited =
            of(&branches.proposals(env).await, "edited")["id"].as_str().unwrap().to_owned();
        let _paused = env.of_space("pauseGitSync", &branches.space).await.expect(200);
        let edited = Proposal { client: &env.client, space: branches.space.clone(), id: edited };
        edited.page("By people", "Text.\n").await;
        for name in ["left", "edited"] {
            branches.repository.git(&["update-ref", "-d", &format!("refs/heads/{name}")]);
        }
        let _resumed = env.of_space("resumeGitSync", &branches.space).await.expect(200);
        branches.settled(env).await;
        let list = branches.proposals(env).await;
        assert_eq!(of(&list, "left")["status"], "archived");
        assert_eq!(of(&list, "edited")["status"], "open");
    });
}

#[test]
fn only_matching_branches_of_the_same_history_are_proposals() {
    each_engine(async |env: &mut TestEnv| {
        let branches = Branches::new(env, json!({ "import": ["docs/*", "*-draft"] })).await;
        for name in ["docs/a", "new-draft", "other", "bindery/x"] {
            branches.branch(name);
            branches.commit(name, name, "README.md", &format!("# Home\n\nOf {name}.\n"));
        }
        branches.commit("docs/alien", "Alien", "README.md", "# Home\n\nOf nobody.\n");
        branches.run(env).await;
        let mut subjects: Vec<String> = branches
            .proposals(env)
            .await
            .iter()
            .map(|proposal| proposal["subject"].as_str().unwrap().to_owned())
            .collect();
        subjects.sort();
        assert_eq!(subjects, ["docs/a", "new-draft"]);
        let followed = branches.followed(env).await;
        let alien =
            followed.iter().find(|branch| branch["ref"] == "refs/heads/docs/alien").unwrap();
        assert_eq!(alien["error"]["code"], "unrelated-history", "{alien}");
    });
}
