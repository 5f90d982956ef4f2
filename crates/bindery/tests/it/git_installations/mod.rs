//! Installations of Git hosting services.

mod github;
mod gitlab;
mod refusals;
mod sites;
mod webhooks;

use bindery_testkit::git_hosting::GitHosting;
use bindery_testkit::git_server::{Change, GitServer, Repository};
use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::{TestEnv, items, repositories, until};

/// The access token that the hosting service accepts.
const TOKEN: &str = "glpat-accepted-token";
/// The number of the repository at the hosting service.
const NUMBER: u64 = 7;

/// A hosting service with one repository.
struct Hosted {
    git: GitServer,
    repository: Repository,
    hosting: GitHosting,
}

impl Hosted {
    /// Starts the service, whose repository accepts this login.
    fn start(user: &str, password: &str) -> Self {
        let git = GitServer::start();
        let repository = repositories::with_pages(&git);
        git.set_login(user, password);
        let hosting = GitHosting::start();
        hosting.add(NUMBER, "team/docs", &git.url("docs.git"), Some("main"));
        Self { git, repository, hosting }
    }

    /// Starts a GitLab server that accepts the token.
    fn gitlab() -> Self {
        let hosted = Self::start("oauth2", TOKEN);
        hosted.hosting.allow(TOKEN);
        hosted
    }

    /// Returns the configuration of the repository at the GitLab server.
    fn configuration(&self) -> Value {
        json!({
            "projectId": NUMBER, "accessToken": TOKEN,
            "customInstanceURL": self.hosting.address(), "branch": "refs/heads/main",
        })
    }

    fn commit(&self, path: &str, text: &str) -> String {
        self.repository.commit("main", "Outside", [Change::file(path, text)])
    }

    fn file(&self, path: &str) -> String {
        self.repository.git(&["show", &format!("main:{path}")])
    }
}

async fn install(client: &Client, provider: &str, target: Value) -> Answer {
    let body = json!({ "provider": provider, "target": target });
    client.call("installGitSyncProviderOnTarget").json(&body).send().await
}

/// Installs a service on a space and returns the id of the installation.
async fn installed(env: &TestEnv, provider: &str, space: &str) -> String {
    let target = json!({ "type": "space", "spaceId": space });
    install(&env.client, provider, target).await.expect(201).text_at("/id").to_owned()
}

async fn of_installation(client: &Client, operation: &str, id: &str) -> Answer {
    client.call(operation).path("installationId", id).send().await
}

async fn get(env: &TestEnv, id: &str) -> Answer {
    of_installation(&env.client, "getGitSyncInstallationById", id).await.expect(200)
}

/// Changes an installation. `with` are further fields of the body.
async fn update(
    client: &Client,
    id: &str,
    provider: &str,
    configuration: Value,
    with: Value,
) -> Answer {
    let mut body = json!({ "provider": provider, "providerConfiguration": configuration });
    for (name, value) in with.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    let call = client.call("updateGitSyncInstallationById").path("installationId", id);
    call.json(&body).send().await
}

/// Waits until no run of a space is queued or running.
async fn settled(env: &TestEnv, space: &str) {
    until(async || {
        for status in ["queued", "running"] {
            let list = env.client.call("listJobs").query("space", space);
            let list = list.query("status", status).query("kind", "git-sync");
            if !items(&list.send().await.expect(200)).is_empty() {
                return None;
            }
        }
        Some(())
    })
    .await;
}

/// Returns the text of a page.
async fn markdown(env: &TestEnv, space: &str, title: &str) -> String {
    let pages = env.of_space("listPages", space).await.expect(200);
    let found = pages.at("/pages").as_array().unwrap().iter().find(|page| page["title"] == title);
    let page = found.unwrap_or_else(|| panic!("{title} in {pages}"))["id"].as_str().unwrap();
    let call = env.client.call("getPageById").path("spaceId", space).path("pageId", page);
    call.query("format", "markdown").send().await.expect(200).text_at("/markdown").to_owned()
}

/// Replaces the text of a page.
async fn edit(env: &TestEnv, space: &str, title: &str, text: &str) {
    let pages = env.of_space("listPages", space).await.expect(200);
    let found = pages.at("/pages").as_array().unwrap().iter().find(|page| page["title"] == title);
    let page = found.unwrap_or_else(|| panic!("{title} in {pages}"))["id"].clone();
    let change =
        json!({ "operation": "update_page", "page": page, "document": { "markdown": text } });
    let call = env.client.call("updateSpaceContent").path("spaceId", space);
    let _edited = call.json(&json!({ "changes": [change] })).send().await.expect(200);
}
