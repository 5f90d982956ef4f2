//! Branches that the server protects.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::Branches;
use super::pull_requests::{SERVICES, hosted};
use crate::support::{TestEnv, each_engine};

/// Lets the server refuse pushes to the branch `main`.
fn protect(branches: &Branches) {
    let hook = branches.repository.path().join("hooks/pre-receive");
    let script = "#!/bin/sh\nwhile read old new ref; do\n\
                  [ \"$ref\" = refs/heads/main ] && echo protected >&2 && exit 1\ndone\nexit 0\n";
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, script).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
}

async fn change(env: &TestEnv, branches: &Branches, title: &str, text: &str) {
    let page = branches.page(env, title).await;
    let change = json!({
        "operation": "update_page", "page": page["id"], "document": { "markdown": text },
    });
    let call = env.client.call("updateSpaceContent").path("spaceId", &branches.space);
    let _ = call.json(&json!({ "changes": [change] })).send().await.expect(200);
    branches.settled(env).await;
}

#[test]
fn changes_become_a_branch_until_they_are_merged() {
    each_engine(async |env: &mut TestEnv| {
        let branches = Branches::new(env, json!({})).await;
        protect(&branches);
        let main = branches.repository.find("main").unwrap();
        change(env, &branches, "Guide", "* one\n* two\n\nFrom inside.\n").await;
        assert_eq!(branches.repository.find("main").unwrap(), main);
        assert!(branches.file("bindery/main", "guide.md").contains("From inside."));
        let sync = env.of_space("getGitSync", &branches.space).await.expect(200);
        assert_eq!(sync.at("/state"), "active", "{sync}");
        assert!(sync.text_at("/lastRun/message").contains("bindery/main"), "{sync}");
        // Further changes of both sides.
        branches.commit("main", "Outside", "README.md", "# Home\n\nFrom outside.\n");
        change(env, &branches, "Guide", "* one\n* two\n\nFrom inside again.\n").await;
        assert!(branches.file("bindery/main", "guide.md").contains("From inside again."));
        assert!(branches.markdown(env, "Home").await.contains("From outside."));
        let log = ["rev-list", "--count", "bindery/main", "^main"];
        assert_eq!(branches.repository.git(&log), "2");
        // Somebody merges the branch.
        let tree = branches.repository.git(&["merge-tree", "--write-tree", "main", "bindery/main"]);
        let made = ["commit-tree", &tree, "-p", "main", "-p", "bindery/main", "-m", "Merge"];
        let commit = branches.repository.git(&made);
        branches.repository.git(&["update-ref", "refs/heads/main", &commit]);
        branches.run(env).await;
        assert_eq!(branches.repository.find("bindery/main"), None);
        assert_eq!(branches.repository.find("main").unwrap(), commit);
        assert!(branches.markdown(env, "Guide").await.contains("From inside again."));
        assert_eq!(branches.repository.git(&["fsck", "--strict"]), "");
    });
}

#[test]
fn a_pull_request_is_opened_at_a_known_service() {
    each_engine(async |env: &mut TestEnv| {
        let (branches, hosting) = hosted(env, SERVICES[0]).await;
        protect(&branches);
        change(env, &branches, "Guide", "* one\n* two\n\nFrom inside.\n").await;
        change(env, &branches, "Guide", "* one\n* two\n\nFrom inside again.\n").await;
        let pulls = hosting.pulls(7);
        assert_eq!(pulls.len(), 1, "{pulls:?}");
        assert_eq!((pulls[0].head.as_str(), pulls[0].base.as_str()), ("bindery/main", "main"));
        assert_eq!(pulls[0].title, "Update Synced");
        assert!(branches.proposals(env).await.is_empty());
        let sync = env.of_space("getGitSync", &branches.space).await.expect(200);
        assert!(sync.text_at("/lastRun/message").contains("pull request http"), "{sync}");
    });
}
