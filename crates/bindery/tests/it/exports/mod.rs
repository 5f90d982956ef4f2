//! Exports of spaces to Git repositories.

mod both_sides;
mod edits;
mod git_lfs;
mod places;
mod requests;

use std::sync::Arc;

use bindery_testkit::Answer;
use bindery_testkit::git_server::{Change, GitServer, Repository};
use serde_json::{Value, json};

use crate::support::{TestEnv, repositories};

/// Files of a repository with documentation in a folder next to other files. Their texts are not
/// written as an exporter would write them.
const FILES: [(&str, &str); 8] = [
    (
        "docs/SUMMARY.md",
        "# Contents\n\n- [Welcome](README.md)\n- [Guide](./guide.md \"Short\")\n\n## Deep things\n\n\
         - [More](deep/more.md)\n    - [Least](deep/least.md)\n",
    ),
    ("docs/README.md", "# Welcome\n\nHello *there*.\n"),
    (
        "docs/guide.md",
        "---\nowner: \"docs\"   # who\ndescription: >-\n  A guide\n---\n\nGuide\n=====\n\n* one\n* two\n\n\
         Last __words__.\n",
    ),
    ("docs/deep/more.md", "# More\r\n\r\n![Logo](../.gitbook/assets/a.txt)\r\n"),
    ("docs/deep/least.md", "# Least\n\nLittle.\n"),
    ("docs/.gitbook/assets/a.txt", "a file\n"),
    ("docs/.gitbook/vars.yaml", "name: \"old\"\n"),
    ("src/main.rs", "fn main() {}\n"),
];

/// A repository, and a space that was imported from its branch `main`.
pub(crate) struct Synced {
    git: Arc<GitServer>,
    pub(crate) repository: Repository,
    /// The imported commit.
    pub(crate) oid: String,
    pub(crate) space: String,
}

impl Synced {
    pub(crate) async fn new(env: &TestEnv) -> Self {
        let git = GitServer::start();
        let repository = repositories::writable(&git, "docs.git");
        let changes = FILES.iter().map(|(path, text)| Change::file(path, text));
        let oid = repository.commit("main", "First", changes);
        let space = env.space("Synced").await;
        let synced = Self { git: Arc::new(git), repository, oid, space };
        synced.import(env).await;
        synced
    }

    async fn import(&self, env: &TestEnv) {
        let _message = self.imported(env, &json!({})).await;
    }

    /// Imports the branch `main`, which must succeed, and returns the message of the job, or an empty
    /// text if it has none.
    pub(crate) async fn imported(&self, env: &TestEnv, with: &Value) -> String {
        let mut body = json!({
            "url": self.git.url("docs.git"), "ref": "main", "repoProjectDirectory": "docs",
        });
        for (name, value) in with.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let job = env.import(&self.space, &body).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let message = job.json.pointer("/progress/message").and_then(Value::as_str);
        message.unwrap_or_default().to_owned()
    }

    /// Imports the branch `main` into a new space.
    pub(crate) async fn again(&self, env: &TestEnv) -> Self {
        let space = env.space("Again").await;
        let again = Self {
            git: Arc::clone(&self.git),
            repository: self.repository.clone(),
            oid: self.oid.clone(),
            space,
        };
        again.import(env).await;
        again
    }

    /// Exports to the branch `main` and returns the ended job.
    pub(crate) async fn export(&self, env: &TestEnv, with: &Value) -> Answer {
        let mut body = json!({
            "url": self.git.url("docs.git"), "ref": "refs/heads/main", "commitMessage": "Export",
            "repoProjectDirectory": "docs",
        });
        for (name, value) in with.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        export(env, &self.space, &body).await
    }

    /// Exports to the branch `main`, which must succeed, and returns the differences of its last
    /// commit: the changed paths, and the removed and added lines.
    pub(crate) async fn exported(&self, env: &TestEnv) -> String {
        let job = self.export(env, &json!({})).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        self.last_change()
    }

    fn last_change(&self) -> String {
        let lines =
            self.repository.git(&["show", "--format=", "--unified=0", "--no-renames", "main"]);
        let shown = |line: &&str| {
            (line.starts_with(['+', '-']) && *line != "--- /dev/null" && *line != "+++ /dev/null")
                || line.starts_with("\\ ")
        };
        lines.lines().filter(shown).map(|line| format!("{line}\n")).collect()
    }

    /// Changes the space by operations of `updateSpaceContent`.
    pub(crate) async fn change(&self, env: &TestEnv, changes: Value) {
        let call = env.client.call("updateSpaceContent").path("spaceId", &self.space);
        let _ = call.json(&json!({ "changes": changes })).send().await.expect(200);
    }

    /// Returns the id of the page with a title.
    pub(crate) async fn page(&self, env: &TestEnv, title: &str) -> String {
        let pages = env.of_space("listPages", &self.space).await.expect(200);
        find(pages.at("/pages"), title).unwrap_or_else(|| panic!("{title} in {pages}"))
    }

    pub(crate) async fn markdown(&self, env: &TestEnv, title: &str) -> String {
        let page = self.page(env, title).await;
        let call = env.client.call("getPageById").path("spaceId", &self.space);
        let page = call.path("pageId", &page).query("format", "markdown").send().await.expect(200);
        page.text_at("/markdown").to_owned()
    }

    /// Commits a file to the branch `main`.
    pub(crate) fn commit(&self, path: &str, text: &str) -> String {
        self.repository.commit("main", "Outside", [Change::file(path, text)])
    }
}

/// Exports a space and returns the ended job.
pub(crate) async fn export(env: &TestEnv, space: &str, body: &Value) -> Answer {
    let call = env.client.call("exportToGitRepository").path("spaceId", space);
    let started = call.json(body).send().await.expect(204);
    let job = started.header("location").rsplit('/').next().unwrap().to_owned();
    env.ended(&job).await
}

fn find(pages: &Value, title: &str) -> Option<String> {
    pages.as_array().into_iter().flatten().find_map(|page| {
        if page["title"] == title {
            return page["id"].as_str().map(str::to_owned);
        }
        find(&page["pages"], title)
    })
}
