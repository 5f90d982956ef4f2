//! Options of Git imports, and the Git information of edited content.

use bindery_testkit::Answer;
use bindery_testkit::git_server::{Change, GitServer, Repository};
use serde_json::{Value, json};

use crate::support::change_requests::Proposal;
use crate::support::content::head;
use crate::support::{TestEnv, each_engine};

const TREE: &str = "https://git.example.com/team/docs/tree/main";

/// Creates a repository with documentation in a folder next to other files.
fn repository(git: &GitServer) -> (Repository, String) {
    let repository = git.repository("docs.git");
    let files = [
        (
            "docs/SUMMARY.md",
            "* [Welcome](README.md)\n* [Guide](guide.md)\n* [More](deep/more.md)\n",
        ),
        ("docs/README.md", "# Welcome\n\nHello.\n"),
        ("docs/guide.md", "# Guide\n\nSee [the code](../src/main.rs) and [more](deep/more.md).\n"),
        (
            "docs/deep/more.md",
            "# More\n\n![Logo](../.gitbook/assets/a.txt)\n\n{% include \"../.gitbook/includes/note.md\" %}\n",
        ),
        ("docs/.gitbook/assets/a.txt", "a file\n"),
        ("docs/.gitbook/includes/note.md", "A note.\n"),
        ("src/main.rs", "fn main() {}\n"),
    ];
    let files: Vec<Change> = files.iter().map(|(path, text)| Change::file(path, text)).collect();
    let oid = repository.commit("main", "First", files);
    (repository, oid)
}

fn request(git: &GitServer, with: &Value) -> Value {
    let mut body = json!({
        "url": git.url("docs.git"), "ref": "main", "repoProjectDirectory": "docs",
    });
    for (name, value) in with.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}

/// Asserts that a job succeeded, and returns the revision that it created.
fn done(job: &Answer) -> Option<String> {
    assert_eq!(job.text_at("/status"), "done", "{job}");
    job.json.pointer("/revision").and_then(Value::as_str).map(str::to_owned)
}

async fn edit(env: &TestEnv, space: &str, change: Value) -> String {
    let call = env.client.call("updateSpaceContent").path("spaceId", space);
    let changed = call.json(&json!({ "changes": [change] })).send().await.expect(200);
    changed.text_at("/revision").to_owned()
}

#[test]
fn an_imported_commit_creates_no_revision_unless_forced() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let (repository, _) = repository(&git);
        let space = env.space("Again").await;
        let plain = request(&git, &json!({}));
        let first = done(&env.import(&space, &plain).await).unwrap();
        let proposal = Proposal::new(&env.client, &space).await;

        // The default branch, the full ref, and a directory with a trailing slash select the same
        // content.
        for with in [
            json!({}),
            json!({ "ref": "refs/heads/main" }),
            json!({ "ref": "HEAD", "repoProjectDirectory": "docs/" }),
        ] {
            let job = env.import(&space, &request(&git, &with)).await;
            assert_eq!(done(&job), None, "{job}");
            assert!(job.text_at("/progress/message").contains("nothing to do"), "{job}");
        }
        assert_eq!(head(env, &space).await, first);
        let untouched = proposal.get("getChangeRequestById").await;
        assert_eq!(untouched.at("/outdated"), &json!(false), "{untouched}");

        // Edits are kept if nothing was imported, and replaced by a forced import.
        let pages = env.of_space("listPages", &space).await.expect(200);
        let guide = pages.text_at("/pages/1/id").to_owned();
        let text = json!({ "markdown": "Edited here.\n" });
        let change = json!({ "operation": "update_page", "page": guide, "document": text });
        let edited = edit(env, &space, change).await;
        assert_eq!(done(&env.import(&space, &plain).await), None);
        assert_eq!(head(env, &space).await, edited);
        let forced = env.import(&space, &request(&git, &json!({ "force": true }))).await;
        let forced = done(&forced).unwrap();
        assert_eq!(head(env, &space).await, forced);
        let page = env.client.call("getPageById").path("spaceId", &space).path("pageId", &guide);
        let page = page.query("format", "markdown").send().await.expect(200);
        assert!(page.text_at("/markdown").contains("the code"), "{page}");
        assert!(proposal.get("getChangeRequestById").await.at("/outdated") == &json!(true));

        // A forced import of an unchanged commit creates a revision too.
        let again = env.import(&space, &request(&git, &json!({ "force": true }))).await;
        assert_ne!(done(&again).unwrap(), forced);
        repository.commit(
            "main",
            "Second",
            [Change::file("docs/README.md", "# Welcome\n\nNew.\n")],
        );
        assert!(done(&env.import(&space, &plain).await).is_some());
    });
}

#[test]
fn a_standalone_import_leaves_the_main_content() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let (repository, _) = repository(&git);
        let space = env.space("Beside").await;
        let first = done(&env.import(&space, &request(&git, &json!({}))).await).unwrap();
        let oid = repository.commit(
            "preview",
            "Preview",
            [
                Change::file("docs/SUMMARY.md", "* [Welcome](README.md)\n"),
                Change::file("docs/README.md", "# Welcome\n\nPreviewed.\n"),
            ],
        );
        let beside = json!({ "ref": "preview", "standalone": true });
        let job = env.import(&space, &request(&git, &beside)).await;
        let made = done(&job).unwrap();
        assert_ne!(made, first);
        assert_eq!(head(env, &space).await, first);
        let history = env.of_space("listSpaceHistory", &space).await.expect(200);
        assert!(!history.text().contains(&made), "{history}");

        let of = |operation: &str| {
            env.client.call(operation).path("spaceId", &space).path("revisionId", &made)
        };
        let revision = of("getRevisionById").send().await.expect(200);
        assert_eq!(revision.text_at("/git/oid"), oid);
        assert_eq!(revision.text_at("/git/ref"), "refs/heads/preview");
        assert_eq!(revision.at("/parents"), &json!([first]));
        assert_eq!(revision.at("/pages").as_array().map(Vec::len), Some(1), "{revision}");
        assert_eq!(revision.text_at("/pages/0/git/path"), "docs/README.md");
        let page = of("getPageInRevisionByPath").path("pagePath", "readme");
        let page = page.query("format", "markdown").send().await.expect(200);
        assert!(page.text_at("/markdown").contains("Previewed."), "{page}");
        // It was never the main content, and the next import is not based on it.
        let call = env.client.call("revertSpace").path("spaceId", &space);
        let _refused = call.json(&json!({ "revision": made })).send().await.expect(409);
        assert_eq!(done(&env.import(&space, &request(&git, &json!({}))).await), None);
        let info = env.of_space("getSpaceGitInfo", &space).await.expect(200);
        assert_eq!(info.text_at("/lastAttempt/state"), "done");

        // A locked space accepts a standalone import, but no other.
        let lock = env.client.call("updateSpaceById").path("spaceId", &space);
        let _locked = lock.json(&json!({ "editMode": "locked" })).send().await.expect(200);
        assert!(done(&env.import(&space, &request(&git, &beside)).await).is_some());
        let call = env.client.call("importGitRepository").path("spaceId", &space);
        let _refused = call.json(&request(&git, &json!({}))).send().await.expect(409);
    });
}

#[test]
fn timestamps_keep_imports_in_order() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let (repository, _) = repository(&git);
        let space = env.space("Ordered").await;
        let at = |time: &str| request(&git, &json!({ "timestamp": time }));
        let change = |text: &str| {
            let text = format!("# Welcome\n\n{text}\n");
            repository.commit("main", "x", [Change::file("docs/README.md", text)]);
        };
        let first = done(&env.import(&space, &at("2026-02-01T10:00:00Z")).await).unwrap();
        change("Older.");
        let older = env.import(&space, &at("2026-02-01T09:59:59.999Z")).await;
        assert_eq!(done(&older), None, "{older}");
        assert!(older.text_at("/progress/message").contains("timestamp"), "{older}");
        let forced = json!({ "timestamp": "2026-02-01T09:00:00Z", "force": true });
        assert_eq!(done(&env.import(&space, &request(&git, &forced)).await), None);
        assert_eq!(head(env, &space).await, first);
        // An equal time, a later time and no time are accepted. An import without a time keeps the
        // recorded one.
        assert!(done(&env.import(&space, &at("2026-02-01T10:00:00Z")).await).is_some());
        change("Later.");
        assert!(done(&env.import(&space, &at("2026-02-02T00:00:00Z")).await).is_some());
        change("At any time.");
        let now = done(&env.import(&space, &request(&git, &json!({}))).await).unwrap();
        change("Older again.");
        assert_eq!(done(&env.import(&space, &at("2026-02-01T23:00:00Z")).await), None);
        assert_eq!(head(env, &space).await, now);
        // Standalone imports are not ordered.
        let beside = json!({ "timestamp": "2020-01-01T00:00:00Z", "standalone": true });
        assert!(done(&env.import(&space, &request(&git, &beside)).await).is_some());
        let call = env.client.call("importGitRepository").path("spaceId", &space);
        let refused = call.json(&at("yesterday")).send().await.expect(400);
        assert!(refused.message().contains("/timestamp"), "{refused}");
    });
}

#[test]
fn links_outside_of_the_project_become_urls() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        repository(&git);
        let space = env.space("Outside").await;
        let guide = async |env: &TestEnv| {
            let page = env.client.call("getPageByPath").path("spaceId", &space);
            page.path("pagePath", "guide").send().await.expect(200)
        };
        assert!(done(&env.import(&space, &request(&git, &json!({}))).await).is_some());
        let plain = guide(env).await;
        assert!(!plain.text().contains(TREE), "{plain}");

        // With other URL prefixes the texts are processed again, although the commit is the same.
        let tree = json!({
            "repoTreeURL": format!("{TREE}/"), "repoCommitURL": "https://git.example.com/commit/",
            "gitInfo": { "provider": "gitlab", "url": "https://git.example.com/team/docs" },
        });
        let made = done(&env.import(&space, &request(&git, &tree)).await).unwrap();
        let linked = guide(env).await;
        assert!(linked.text().contains(&format!("\"{TREE}/src/main.rs\"")), "{linked}");
        let revision = env.of_space("getCurrentRevision", &space).await.expect(200);
        assert_eq!(revision.text_at("/id"), made);
        assert!(revision.text_at("/git/url").starts_with("https://git.example.com/commit/"));
        // Without prefixes or provider, the recorded ones are kept.
        assert_eq!(done(&env.import(&space, &request(&git, &json!({}))).await), None);
        let info = env.of_space("getSpaceGitInfo", &space).await.expect(200);
        assert_eq!(info.text_at("/installationProvider"), "gitlab");
        assert_eq!(info.text_at("/url"), "https://git.example.com/team/docs");
        assert_eq!(info.text_at("/repoName"), "team/docs");
        let shown = env.of_space("getSpaceById", &space).await.expect(200);
        assert_eq!(shown.at("/gitSync"), &info.json, "{shown}");

        // An edit elsewhere on the page keeps the links.
        let markdown = "See [the code](../src/main.rs) and [more](deep/more.md).\n\nAdded.\n";
        let document = json!({ "markdown": markdown });
        let id = linked.text_at("/id");
        edit(env, &space, json!({ "operation": "update_page", "page": id, "document": document }))
            .await;
        let edited = guide(env).await;
        assert!(edited.text().contains(&format!("\"{TREE}/src/main.rs\"")), "{edited}");

        for (field, value) in [
            ("repoTreeURL", json!("javascript:alert(1)")),
            ("repoTreeURL", json!("https://me:secret@git.example.com/x")),
            ("repoCommitURL", json!("data:text/html,x")),
            ("repoCacheID", json!("x".repeat(300))),
            ("gitInfo", json!({ "url": "file:///etc/passwd" })),
            ("gitInfo", json!({ "provider": "sourceforge" })),
        ] {
            let call = env.client.call("importGitRepository").path("spaceId", &space);
            let body = request(&git, &json!({ field: value }));
            let refused = call.json(&body).send().await.expect(400);
            assert!(refused.message().contains(&format!("/{field}")), "{refused}");
            assert!(!refused.text().contains("secret"), "{refused}");
        }
    });
}

#[test]
fn a_named_cache_serves_one_organization() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let (repository, first) = repository(&git);
        let space = env.space("Cached").await;
        let named = request(&git, &json!({ "repoCacheID": "../../../etc/team docs" }));
        assert!(done(&env.import(&space, &named).await).is_some());
        repository.commit("main", "x", [Change::file("docs/README.md", "# Welcome\n\nMore.\n")]);
        assert!(done(&env.import(&space, &named).await).is_some());
        let folder = env.installation.data().join("cache").join("git");
        let caches = std::fs::read_dir(folder.join(&env.organization)).unwrap();
        let caches: Vec<_> = caches.map(|entry| entry.unwrap().path()).collect();
        let folders = caches.iter().filter(|path| path.is_dir()).count();
        assert_eq!(folders, 1, "{caches:?}");

        // A commit by its id, if the server permits it, and a tag by its short name.
        repository.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
        repository.git(&["tag", "v1", &first]);
        for reference in [first.as_str(), "v1"] {
            let body = request(&git, &json!({ "ref": reference, "standalone": true }));
            let made = done(&env.import(&space, &body).await).unwrap();
            let call = env.client.call("getRevisionById").path("spaceId", &space);
            let revision = call.path("revisionId", &made).send().await.expect(200);
            assert_eq!(revision.text_at("/git/oid"), first);
        }
        // Without a ref, the default branch is imported.
        repository.git(&["branch", "trunk", &first]);
        repository.git(&["symbolic-ref", "HEAD", "refs/heads/trunk"]);
        let mut body = request(&git, &json!({ "standalone": true }));
        body.as_object_mut().unwrap().remove("ref");
        let made = done(&env.import(&space, &body).await).unwrap();
        let call = env.client.call("getRevisionById").path("spaceId", &space);
        let revision = call.path("revisionId", &made).send().await.expect(200);
        assert_eq!(revision.text_at("/git/ref"), "refs/heads/trunk");
        assert_eq!(revision.text_at("/git/oid"), first);
    });
}

#[test]
fn the_last_import_is_shown_with_the_space() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        repository(&git);
        let space = env.space("Tried").await;
        let _none = env.of_space("getSpaceGitInfo", &space).await.expect(404);
        let missing = request(&git, &json!({ "ref": "nowhere" }));
        let mut secret = missing.clone();
        secret["url"] = json!(git.url("docs.git").replace("//", "//ada:pass-word@"));
        let job = env.import(&space, &secret).await;
        assert_eq!(job.text_at("/status"), "failed", "{job}");
        let info = env.of_space("getSpaceGitInfo", &space).await.expect(200);
        assert_eq!(info.text_at("/url"), git.url("docs.git"));
        assert_eq!(info.json.pointer("/updatedAt"), None, "{info}");
        assert_eq!(info.text_at("/lastAttempt/state"), "failed");
        assert_eq!(info.text_at("/lastAttempt/code"), "ref-not-found");
        assert_eq!(info.text_at("/lastAttempt/message"), job.text_at("/error/message"));
        assert_eq!(info.text_at("/lastAttempt/time"), job.text_at("/finishedAt"));
        assert_eq!(info.text_at("/lastAttempt/job"), job.text_at("/id"));
        assert!(!info.text().contains("pass-word"), "{info}");
        let shown = env.of_space("getSpaceById", &space).await.expect(200);
        assert_eq!(shown.at("/gitSync"), &info.json);

        assert!(done(&env.import(&space, &request(&git, &json!({}))).await).is_some());
        let _failed = env.import(&space, &missing).await;
        let info = env.of_space("getSpaceGitInfo", &space).await.expect(200);
        assert_eq!(info.text_at("/lastAttempt/state"), "failed", "{info}");
        assert!(info.json.pointer("/updatedAt").is_some(), "{info}");
        let call = env.client.call("listJobs").query("space", &space);
        let jobs = call.query("kind", "git-import").query("status", "failed").send().await;
        assert_eq!(jobs.expect(200).at("/count"), &json!(2));
        for (name, value) in [("kind", "import"), ("kind", "anything"), ("status", "lost")] {
            let refused = env.client.call("listJobs").query(name, value).send().await.expect(400);
            assert!(refused.message().contains(name), "{refused}");
            let allowed = if name == "kind" { "git-import" } else { "failed" };
            assert!(refused.message().contains(allowed), "{refused}");
        }
    });
}

/// Returns the `git` field of all pages in order; null for a page without one.
fn git_of(pages: &Value) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    for page in pages.as_array().into_iter().flatten() {
        let title = page["title"].as_str().unwrap_or_default().to_owned();
        out.push((title, page["git"].clone()));
        out.extend(git_of(&page["pages"]));
    }
    out
}

#[test]
fn edits_keep_git_information() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let (repository, _) = repository(&git);
        let space = env.space("Kept").await;
        assert!(done(&env.import(&space, &request(&git, &json!({}))).await).is_some());
        let before = env.of_space("getCurrentRevision", &space).await.expect(200);
        let known = git_of(before.at("/pages"));
        let oid = |path: &str| repository.git(&["rev-parse", &format!("main:{path}")]);
        assert_eq!(known[1].1["oid"], json!(oid("docs/guide.md").trim()), "{before}");
        let page = |index: usize| before.text_at(&format!("/pages/{index}/id")).to_owned();

        // Edit a text, rename and move a page, and add a page.
        let text = json!({ "markdown": "Edited.\n" });
        let update = json!({ "operation": "update_page", "page": page(1), "document": text });
        let after_edit = edit(env, &space, update).await;
        let moved = json!({
            "operation": "update_page", "page": page(2), "title": "Moved", "slug": "moved",
            "into": page(0),
        });
        edit(env, &space, moved).await;
        let text = json!({ "markdown": "New.\n" });
        let insert = json!({ "operation": "insert_page", "title": "New", "document": text });
        edit(env, &space, insert).await;
        let check = |answer: &Answer| {
            let now = git_of(answer.at("/pages"));
            let of = |title: &str| {
                let found = now.iter().find(|(known, _)| known == title);
                found.map(|(_, git)| git.clone()).unwrap_or_default()
            };
            assert_eq!(of("Welcome"), known[0].1, "{answer}");
            assert_eq!(of("Moved"), known[2].1, "{answer}");
            assert_eq!(of("Guide")["path"], "docs/guide.md", "{answer}");
            assert_ne!(of("Guide")["oid"], known[1].1["oid"], "{answer}");
            assert_eq!(of("New"), Value::Null, "{answer}");
            assert_eq!(answer.at("/files/0/git"), before.at("/files/0/git"), "{answer}");
            let reusable = "/reusableContents/0/git";
            assert_eq!(answer.at(reusable), before.at(reusable), "{answer}");
        };
        let main = env.of_space("getCurrentRevision", &space).await.expect(200);
        check(&main);

        merges_and_copies_keep_git_information(env, &space, check).await;

        // After a revert to an older text, the revision has the path of the import again.
        let call = env.client.call("revertSpace").path("spaceId", &space);
        let _back = call.json(&json!({ "revision": after_edit })).send().await.expect(200);
        let main = env.of_space("getCurrentRevision", &space).await.expect(200);
        assert_eq!(git_of(main.at("/pages"))[0].1, known[0].1, "{main}");
        assert_eq!(git_of(main.at("/pages"))[1].1["path"], "docs/guide.md", "{main}");
        // An import that replaces the edits updates all of the information.
        let change = Change::file("docs/guide.md", "# Guide\n\nFrom the repository.\n");
        repository.commit("main", "Guide", [change]);
        let forced = request(&git, &json!({ "force": true }));
        assert!(done(&env.import(&space, &forced).await).is_some());
        let main = env.of_space("getCurrentRevision", &space).await.expect(200);
        let guide = repository.git(&["rev-parse", "main:docs/guide.md"]);
        assert_eq!(git_of(main.at("/pages"))[1].1["oid"], json!(guide.trim()), "{main}");
    });
}

/// Merges and updates change requests, and copies the space.
async fn merges_and_copies_keep_git_information(
    env: &TestEnv,
    space: &str,
    check: impl Fn(&Answer),
) {
    // The same through a change request that is updated and merged, and in a copy of the space.
    let (one, other) =
        (Proposal::new(&env.client, space).await, Proposal::new(&env.client, space).await);
    one.page("Proposed", "Text.\n").await;
    other.page("Other", "Text.\n").await;
    check(&other.get("getRevisionOfChangeRequestById").await);
    let _merged = one.merge().await.expect(200);
    check(&env.of_space("getCurrentRevision", space).await.expect(200));
    let _updated = other.update().await.expect(200);
    check(&other.get("getRevisionOfChangeRequestById").await);
    let copy = env.of_space("duplicateSpace", space).await.expect(201);
    let copy = env.of_space("getCurrentRevision", copy.text_at("/id")).await.expect(200);
    check(&copy);
}
