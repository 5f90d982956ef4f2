//! Branches of synchronised repositories as change requests, and the reverse.

mod from_branches;
mod previews;
mod protected;
mod pull_requests;
mod to_branches;

use bindery_testkit::Answer;
use bindery_testkit::git_server::{Change, GitServer, Repository};
use serde_json::{Value, json};

use crate::support::change_requests::Proposal;
use crate::support::{TestEnv, items, repositories};

/// The path of the repository, which hosting services divide into an owner and a name.
const REPOSITORY: &str = "team/docs.git";

/// A repository, and a space that is synchronised with its branch `main`.
pub(crate) struct Branches {
    git: GitServer,
    repository: Repository,
    pub(crate) space: String,
}

impl Branches {
    /// Sets up a synchronisation with this relation of branches and change requests, and waits for
    /// its first run.
    pub(crate) async fn new(env: &TestEnv, change_requests: Value) -> Self {
        let git = GitServer::start();
        git.set_login("x-access-token", "token-1");
        let repository = repositories::with_pages_at(&git, REPOSITORY);
        let space = env.space("Synced").await;
        let branches = Self { git, repository, space };
        let _set = branches.set(env, change_requests).await.expect(200);
        branches.run(env).await;
        branches
    }

    async fn set(&self, env: &TestEnv, change_requests: Value) -> Answer {
        let body = json!({
            "url": self.git.url(REPOSITORY), "ref": "main", "pollingInterval": 0,
            "credentials": { "kind": "token", "token": "token-1" },
            "changeRequests": change_requests,
        });
        env.client.call("setGitSync").path("spaceId", &self.space).json(&body).send().await
    }

    /// Runs the synchronisation and waits until nothing is left to do.
    pub(crate) async fn run(&self, env: &TestEnv) {
        let started = env.of_space("runGitSync", &self.space).await.expect(204);
        let job = started.header("location").rsplit('/').next().unwrap().to_owned();
        let job = env.ended(&job).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        self.settled(env).await;
    }

    /// Waits until no run is queued or running.
    async fn settled(&self, env: &TestEnv) {
        env.no_jobs(&self.space, "git-sync").await;
    }

    /// Creates a branch at the branch `main`.
    pub(crate) fn branch(&self, name: &str) {
        self.repository.git(&["branch", name, "main"]);
    }

    pub(crate) fn commit(&self, branch: &str, message: &str, path: &str, text: &str) -> String {
        self.repository.commit(branch, message, [Change::file(path, text)])
    }

    /// Returns a file of a branch.
    fn file(&self, branch: &str, path: &str) -> String {
        self.repository.git(&["show", &format!("{branch}:{path}")])
    }

    /// Returns the change requests of all states.
    async fn proposals(&self, env: &TestEnv) -> Vec<Value> {
        let mut all = Vec::new();
        for status in ["draft", "open", "merged", "archived"] {
            let list = env.client.call("listChangeRequestsForSpace").path("spaceId", &self.space);
            let list = list.query("status", status).send().await.expect(200);
            all.extend_from_slice(items(&list));
        }
        all
    }

    /// Returns the only change request.
    pub(crate) async fn proposal(&self, env: &TestEnv) -> Value {
        let list = self.proposals(env).await;
        assert_eq!(list.len(), 1, "{list:?}");
        list[0].clone()
    }

    /// Returns the branches that agree with change requests.
    async fn followed(&self, env: &TestEnv) -> Vec<Value> {
        items(&env.of_space("listGitSyncBranches", &self.space).await.expect(200)).to_vec()
    }

    /// Returns the Markdown of a page of a change request.
    pub(crate) async fn proposed(&self, env: &TestEnv, proposal: &Value, title: &str) -> String {
        let of = |operation: &str| {
            let call = env.client.call(operation).path("spaceId", &self.space);
            call.path("changeRequestId", proposal["id"].as_str().unwrap())
        };
        let pages = of("listPagesInChangeRequest").send().await.expect(200);
        let page = page_of(&pages, title);
        let call = of("getPageInChangeRequestById").path("pageId", page["id"].as_str().unwrap());
        let page = call.query("format", "markdown").send().await.expect(200);
        page.text_at("/markdown").to_owned()
    }

    pub(crate) async fn page(&self, env: &TestEnv, title: &str) -> Value {
        page_of(&env.of_space("listPages", &self.space).await.expect(200), title)
    }

    async fn markdown(&self, env: &TestEnv, title: &str) -> String {
        let page = self.page(env, title).await["id"].as_str().unwrap().to_owned();
        let call = env.client.call("getPageById").path("spaceId", &self.space);
        let page = call.path("pageId", &page).query("format", "markdown").send().await.expect(200);
        page.text_at("/markdown").to_owned()
    }

    /// Replaces the text of a page in a change request.
    async fn edit(&self, env: &TestEnv, proposal: &Proposal<'_>, title: &str, text: &str) {
        let page = self.page(env, title).await;
        let change = json!({
            "operation": "update_page", "page": page["id"], "document": { "markdown": text },
        });
        let _changed = proposal.change(json!([change])).await.expect(200);
    }
}

fn page_of(pages: &Answer, title: &str) -> Value {
    let found = pages.at("/pages").as_array().unwrap().iter().find(|page| page["title"] == title);
    found.unwrap_or_else(|| panic!("{title} in {pages}")).clone()
}
