//! Continuous synchronisation of spaces with branches of Git repositories.

mod dry_run;
mod failures;
mod hooks;
mod runs;
mod settings;
mod ssh;

use bindery_model::SpaceId;
use bindery_store::git_syncs::{self, GitSync};
use bindery_testkit::Answer;
use bindery_testkit::git_server::{Change, GitServer, Repository};
use serde_json::{Value, json};

use crate::support::{TestEnv, items, repositories};

/// A repository and a space that is synchronised with its branch `main`.
struct Synced {
    git: GitServer,
    repository: Repository,
    space: String,
    /// The id of the synchronisation.
    id: String,
    /// The secret that signs events.
    secret: String,
}

impl Synced {
    /// Sets up a synchronisation that checks nothing by itself, and waits for its first run.
    async fn new(env: &TestEnv, with: Value) -> Self {
        let synced = Self::idle(env, with).await;
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        synced
    }

    /// Sets up a synchronisation without a run.
    async fn idle(env: &TestEnv, with: Value) -> Self {
        let git = GitServer::start();
        let repository = repositories::with_pages(&git);
        let space = env.space("Synced").await;
        let mut synced = Self { git, repository, space, id: String::new(), secret: String::new() };
        let set = synced.set(env, with).await.expect(200);
        synced.id = set.text_at("/id").to_owned();
        synced.secret = set.text_at("/webhookSecret").to_owned();
        synced
    }

    /// Calls `setGitSync` with the address of the repository and these settings.
    async fn set(&self, env: &TestEnv, with: Value) -> Answer {
        let mut body =
            json!({ "url": self.git.url("docs.git"), "ref": "main", "pollingInterval": 0 });
        for (name, value) in with.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        env.client.call("setGitSync").path("spaceId", &self.space).json(&body).send().await
    }

    /// Starts a run and returns its ended job.
    async fn run(&self, env: &TestEnv) -> Answer {
        let started = env.of_space("runGitSync", &self.space).await.expect(204);
        let job = started.header("location").rsplit('/').next().unwrap().to_owned();
        env.ended(&job).await
    }

    /// Waits until no run is queued or running.
    async fn settled(&self, env: &TestEnv) {
        env.no_jobs(&self.space, "git-sync").await;
    }

    async fn get(&self, env: &TestEnv) -> Answer {
        env.of_space("getGitSync", &self.space).await.expect(200)
    }

    /// Returns the runs, newest first.
    async fn runs(&self, env: &TestEnv) -> Vec<Value> {
        items(&env.of_space("listGitSyncRuns", &self.space).await.expect(200)).to_vec()
    }

    /// Replaces the text of a page in the space.
    async fn edit(&self, env: &TestEnv, title: &str, text: &str) {
        let page = self.page(env, title).await;
        let change = json!({
            "operation": "update_page", "page": page["id"], "document": { "markdown": text },
        });
        let call = env.client.call("updateSpaceContent").path("spaceId", &self.space);
        let _ = call.json(&json!({ "changes": [change] })).send().await.expect(200);
    }

    async fn page(&self, env: &TestEnv, title: &str) -> Value {
        let pages = env.of_space("listPages", &self.space).await.expect(200);
        let found =
            pages.at("/pages").as_array().unwrap().iter().find(|page| page["title"] == title);
        found.unwrap_or_else(|| panic!("{title} in {pages}")).clone()
    }

    async fn markdown(&self, env: &TestEnv, title: &str) -> String {
        let page = self.page(env, title).await["id"].as_str().unwrap().to_owned();
        let call = env.client.call("getPageById").path("spaceId", &self.space);
        let page = call.path("pageId", &page).query("format", "markdown").send().await.expect(200);
        page.text_at("/markdown").to_owned()
    }

    /// Commits a file to the branch `main` and returns the commit.
    fn commit(&self, path: &str, text: &str) -> String {
        self.repository.commit("main", "Outside", [Change::file(path, text)])
    }

    /// Returns a file of the branch `main`.
    fn file(&self, path: &str) -> String {
        self.repository.git(&["show", &format!("main:{path}")])
    }

    fn tip(&self) -> String {
        self.repository.find("main").unwrap()
    }

    /// Changes the stored state while the server is stopped.
    async fn edit_state(&self, env: &mut TestEnv, change: impl Fn(&mut GitSync) + Send + 'static) {
        let space = SpaceId::parse(&self.space).unwrap();
        env.edit_store(move |tx| {
            let mut sync = git_syncs::get(tx, space)?.unwrap();
            change(&mut sync);
            git_syncs::set(tx, &sync)
        })
        .await;
    }
}
