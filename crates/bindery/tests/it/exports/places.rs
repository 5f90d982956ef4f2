//! Branches that do not exist yet, other repositories, and files that are no documentation.

use bindery_testkit::git_server::{Change, GitServer};
use serde_json::json;

use super::{Synced, export};
use crate::support::{TestEnv, each_engine, repositories};

fn tree(repository: &bindery_testkit::git_server::Repository, branch: &str) -> String {
    repository.git(&["rev-parse", &format!("{branch}^{{tree}}")])
}

#[test]
fn a_new_branch_has_the_same_files() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let other = repositories::writable(&synced.git, "other.git");
        let expected = tree(&synced.repository, "main");
        let branch = json!({ "ref": "copy" });
        let job = synced.export(env, &branch).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert_eq!(tree(&synced.repository, "copy"), expected);
        assert_eq!(synced.repository.find("copy").unwrap(), synced.oid);

        let elsewhere = json!({ "url": synced.git.url("other.git") });
        let job = synced.export(env, &elsewhere).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert_eq!(tree(&other, "main"), expected);
        other.git(&["fsck", "--strict"]);

        // Each branch has its own agreement, and the one with the import stays.
        let guide = synced.page(env, "Guide").await;
        let text = json!({ "markdown": "Changed.\n" });
        let change = json!({ "operation": "update_page", "page": guide, "document": text });
        synced.change(env, json!([change])).await;
        for with in [&branch, &elsewhere, &json!({})] {
            let job = synced.export(env, with).await;
            assert_eq!(job.text_at("/status"), "done", "{job}");
        }
        let expected = tree(&synced.repository, "main");
        assert_eq!(tree(&synced.repository, "copy"), expected);
        assert_eq!(tree(&other, "main"), expected);
        let info = env.of_space("getSpaceGitInfo", &synced.space).await.expect(200);
        assert_eq!(info.text_at("/url"), synced.git.url("docs.git"));
    });
}

#[test]
fn an_empty_repository_gets_the_documentation_of_one_that_cannot_be_read() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        synced.git.set_login("reader", "secret");
        let git = GitServer::start();
        let other = repositories::writable(&git, "other.git");
        let job = synced.export(env, &json!({ "url": git.url("other.git") })).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let documentation = |repository: &bindery_testkit::git_server::Repository| {
            repository.git(&["rev-parse", "main:docs"])
        };
        assert_eq!(documentation(&other), documentation(&synced.repository));
        assert_eq!(other.git(&["ls-tree", "--name-only", "main"]), "docs");
    });
}

#[test]
fn a_space_without_a_repository_is_exported() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let docs = repositories::writable(&git, "docs.git");
        let space = env.space("Own").await;
        let changes = json!({ "changes": [
            {
                "operation": "insert_page", "title": "One", "icon": "book",
                "document": { "markdown": "First.\n" },
            },
            { "operation": "insert_page", "title": "Two", "document": { "markdown": "See [one](/pages/one).\n" } },
        ] });
        let call = env.client.call("updateSpaceContent").path("spaceId", &space);
        let _ = call.json(&changes).send().await.expect(200);
        let body = json!({
            "url": git.url("docs.git"), "ref": "main", "commitMessage": "Begin",
            "repoProjectDirectory": "handbook",
        });
        let job = export(env, &space, &body).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let show = |path: &str| docs.git(&["show", &format!("main:handbook/{path}")]);
        assert_eq!(show("one.md"), "---\nicon: book\n---\n\n# One\n\nFirst.");
        assert_eq!(show("two.md"), "# Two\n\nSee [one](one.md).");
        let table = show("SUMMARY.md");
        assert_eq!(table, "# Table of contents\n\n* [One](one.md)\n* [Two](two.md)");
        let info = env.of_space("getSpaceGitInfo", &space).await.expect(200);
        assert_eq!(info.text_at("/url"), git.url("docs.git"));

        // The repository is the same content for another space.
        let again = env.space("Again").await;
        let from = json!({
            "url": git.url("docs.git"), "ref": "main", "repoProjectDirectory": "handbook",
        });
        env.import(&again, &from).await;
        let pages = env.of_space("listPages", &again).await.expect(200);
        assert_eq!(pages.text_at("/pages/0/title"), "One");
        assert_eq!(pages.text_at("/pages/0/icon"), "book");
        assert_eq!(pages.text_at("/pages/1/title"), "Two");
    });
}

#[test]
fn modes_links_and_submodules_stay() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let repository = &synced.repository;
        repository.commit(
            "main",
            "Odd",
            [
                Change::Link(b"docs/link.md".to_vec(), b"guide.md".to_vec()),
                Change::Submodule(b"docs/module".to_vec(), "1".repeat(40)),
                Change::file("docs/.gitattributes", "* text=auto\n"),
                Change::File(b"docs/bad-\xff.bin".to_vec(), b"x".to_vec()),
            ],
        );
        let blob = repository.git(&["rev-parse", "main:docs/guide.md"]);
        let index = repository.path().join("index.tmp");
        let run = |arguments: &[&str]| {
            let mut command = std::process::Command::new("git");
            command.current_dir(repository.path()).env("GIT_INDEX_FILE", &index).args(arguments);
            let out = command.output().unwrap();
            String::from_utf8_lossy(&out.stdout).trim().to_owned()
        };
        run(&["read-tree", "main"]);
        run(&["update-index", "--add", "--cacheinfo", &format!("100755,{blob},docs/guide.md")]);
        let tree = run(&["write-tree"]);
        let commit = repository.git(&["commit-tree", &tree, "-p", "main", "-m", "Mode"]);
        repository.git(&["update-ref", "refs/heads/main", &commit]);
        synced.import(env).await;
        let before = repository.git(&["ls-tree", "-r", "main"]);

        let guide = synced.page(env, "Guide").await;
        let text = json!({ "markdown": "Changed.\n" });
        let change = json!({ "operation": "update_page", "page": guide, "document": text });
        synced.change(env, json!([change])).await;
        synced.exported(env).await;
        let new = repository.git(&["rev-parse", "main:docs/guide.md"]);
        assert_ne!(new, blob);
        let expected = before.replace(
            &format!("100755 blob {blob}\tdocs/guide.md"),
            &format!("100755 blob {new}\tdocs/guide.md"),
        );
        assert_eq!(repository.git(&["ls-tree", "-r", "main"]), expected);
    });
}
