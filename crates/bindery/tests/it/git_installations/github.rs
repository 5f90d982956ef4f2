//! The cycle of an installation of GitHub, with the GitHub App of the operator.

use bindery_testkit::git_hosting::APP_KEY;
use bindery_testkit::{Answer, Installation};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{Hosted, NUMBER, get, install, installed, markdown, of_installation, settled, update};
use crate::support::people::second_organization;
use crate::support::{Configured, TestEnv, each_engine, each_engine_with, items};

/// The number of a repository of another account, on which the App is installed, too.
const FOREIGN: u64 = 8;

/// The secret of the events of the App.
const WEBHOOK_SECRET: &str = "the secret of the App's events";

/// A service on which the App is installed, and a server that uses it.
struct WithApp {
    hosted: Hosted,
    configured: Configured,
}

impl WithApp {
    fn start() -> Self {
        let hosted = Hosted::start("x-access-token", "given-1");
        hosted.hosting.add(FOREIGN, "rival/secrets", &hosted.git.url("docs.git"), Some("main"));
        hosted.hosting.set_accounts(&["rival", "", "Team"]);
        Self { hosted, configured: Configured::new("") }
    }

    /// Returns a function that configures the App, with the accounts in the configuration file.
    fn apply(&self) -> impl Fn(Installation) -> Installation + use<> {
        let (address, configure) =
            (self.hosted.hosting.address().to_owned(), self.configured.apply());
        move |installation| {
            configure(installation)
                .variable("BINDERY_GITHUB_APP_ID", "12")
                .variable("BINDERY_GITHUB_APP_PRIVATE_KEY_FILE", APP_KEY)
                .variable("BINDERY_GITHUB_APP_WEBHOOK_SECRET", WEBHOOK_SECRET)
                .variable("BINDERY_GITHUB_API_URL", &address)
        }
    }

    /// Restarts the server, which permits the first organization to use these accounts.
    async fn permit(&self, env: &mut TestEnv, accounts: &[&str]) {
        let of = |account: &&str| format!("{}={account}", env.organization);
        let list: Vec<_> = accounts.iter().map(of).collect();
        let text = format!("github_app_accounts = \"{}\"\n", list.join(","));
        self.configured.restart(env, &text).await;
    }

    /// Lets the Git server accept the next token that the App receives.
    fn accept_next_token(&self) -> usize {
        let given = self.hosted.hosting.given_tokens();
        self.hosted.git.set_login("x-access-token", &format!("given-{}", given + 1));
        given
    }

    /// Returns the number of requests for tokens of the account with the foreign repository.
    fn foreign_requests(&self) -> usize {
        let requests = self.hosted.hosting.requests();
        requests.iter().filter(|one| one.contains("/app/installations/1/")).count()
    }
}

/// Installs GitHub on a new space, connects the repository, and waits for the first run. Returns
/// the ids of the space and the installation.
async fn connected(env: &TestEnv, app: &WithApp) -> (String, String) {
    let _given = app.accept_next_token();
    let space = env.space("Docs").await;
    let id = installed(env, "github", &space).await;
    let configuration = json!({ "repositoryId": NUMBER });
    let active = update(&env.client, &id, "github", configuration, json!({})).await.expect(200);
    assert_eq!(active.text_at("/status"), "active");
    assert_eq!(active.text_at("/repositoryConnection/repositoryName"), "team/docs");
    settled(env, &space).await;
    (space, id)
}

#[test]
fn github_repositories_are_synchronised() {
    let app = WithApp::start();
    each_engine_with(app.apply(), async |env: &mut TestEnv| {
        app.permit(env, &["other", "team"]).await;
        let given = app.hosted.hosting.given_tokens();
        let (space, id) = connected(env, &app).await;
        assert!(markdown(env, &space, "Home").await.contains("Hello."));
        let text = format!("# Home\n\nCommit {given}.\n");
        app.hosted.commit("README.md", &text);
        let _started = env.of_space("runGitSync", &space).await.expect(204);
        settled(env, &space).await;
        assert!(markdown(env, &space, "Home").await.contains(&format!("Commit {given}.")));
        // One token serves until it expires.
        assert_eq!(app.hosted.hosting.given_tokens(), given + 1);
        assert!(!env.server().log().contains("given-"));
        let _removed =
            of_installation(&env.client, "uninstallGitSyncInstallation", &id).await.expect(205);
        app.hosted.commit("README.md", "# Home\n\nHello.\n");
    });
}

#[test]
fn repositories_of_other_accounts_are_refused() {
    let app = WithApp::start();
    each_engine_with(app.apply(), async |env: &mut TestEnv| {
        app.permit(env, &["team"]).await;
        let space = env.space("Docs").await;
        let id = installed(env, "github", &space).await;
        for number in [FOREIGN, 404] {
            let foreign = json!({ "repositoryId": number });
            let refused = update(&env.client, &id, "github", foreign, json!({})).await.expect(403);
            for part in ["/providerConfiguration/repositoryId", &number.to_string(), "team"] {
                assert!(refused.message().contains(part), "{refused}");
            }
            assert!(!refused.message().contains("rival"), "{refused}");
            let unchanged = get(env, &id).await;
            assert_eq!(unchanged.text_at("/status"), "pending");
            assert_eq!(*unchanged.at("/providerConfiguration"), json!({}));
            let _none = env.of_space("getGitSync", &space).await.expect(404);
        }

        let (space, id) = connected(env, &app).await;
        let foreign = json!({ "repositoryId": FOREIGN });
        let _refused = update(&env.client, &id, "github", foreign, json!({})).await.expect(403);
        let unchanged = get(env, &id).await;
        assert_eq!(*unchanged.at("/providerConfiguration/repositoryId"), NUMBER);
        assert_eq!(unchanged.text_at("/status"), "active");
        let sync = env.of_space("getGitSync", &space).await.expect(200);
        assert_eq!(sync.text_at("/state"), "active");
        assert_eq!(app.foreign_requests(), 0);
    });
}

#[test]
fn organizations_use_no_account_by_default() {
    let app = WithApp::start();
    each_engine_with(app.apply(), async |env: &mut TestEnv| {
        app.configured.restart(env, "").await;
        let space = env.space("Docs").await;
        let target = json!({ "type": "space", "spaceId": space });
        let refused = install(&env.client, "github", target.clone()).await.expect(403);
        for part in ["--github-app-accounts", &env.organization] {
            assert!(refused.message().contains(part), "{refused}");
        }
        let before = app.hosted.hosting.requests().len();
        let second = second_organization(env).await;
        app.permit(env, &["team"]).await;
        let _permitted = install(&env.client, "github", target).await.expect(201);
        let there = env.client.call("createSpace").path("organizationId", &second);
        let there = there.json(&json!({ "title": "There" })).send().await.expect(201);
        let target = json!({ "type": "space", "spaceId": there.text_at("/id") });
        let _refused = install(&env.client, "github", target).await.expect(403);
        assert_eq!(app.hosted.hosting.requests().len(), before);
    });
}

#[test]
fn runs_end_when_an_account_is_not_permitted_any_more() {
    let app = WithApp::start();
    each_engine_with(app.apply(), async |env: &mut TestEnv| {
        app.permit(env, &["team"]).await;
        let (space, id) = connected(env, &app).await;
        let given = app.hosted.hosting.given_tokens();
        app.permit(env, &["rival"]).await;
        let _started = env.of_space("runGitSync", &space).await.expect(204);
        settled(env, &space).await;
        let failed = env.of_space("getGitSync", &space).await.expect(200);
        assert_eq!(failed.text_at("/error/code"), "needs-credentials");
        let same = update(&env.client, &id, "github", json!({}), json!({})).await.expect(403);
        assert!(same.message().contains("rival"), "{same}");

        // The second organization did not get the account with the space.
        app.permit(env, &["team"]).await;
        let second = second_organization(env).await;
        let transfer = env.client.call("transferSpace").path("spaceId", &space);
        let transfer = transfer.json(&json!({ "organization": second }));
        let _transferred = transfer.send().await.expect(200);
        let _started = env.of_space("runGitSync", &space).await.expect(204);
        settled(env, &space).await;
        let failed = env.of_space("getGitSync", &space).await.expect(200);
        assert_eq!(failed.text_at("/error/code"), "needs-credentials");
        let _refused = update(&env.client, &id, "github", json!({}), json!({})).await.expect(403);
        assert_eq!(app.hosted.hosting.given_tokens(), given);
    });
}

#[test]
fn all_pages_of_installations_are_searched() {
    let app = WithApp::start();
    let mut accounts: Vec<String> = (0..150).map(|number| format!("account-{number}")).collect();
    accounts.push("team".to_owned());
    let accounts: Vec<&str> = accounts.iter().map(String::as_str).collect();
    app.hosted.hosting.set_accounts(&accounts);
    each_engine_with(app.apply(), async |env: &mut TestEnv| {
        app.permit(env, &["team"]).await;
        let (space, _) = connected(env, &app).await;
        assert!(markdown(env, &space, "Home").await.contains("Hello."));
    });
}

#[test]
fn expired_tokens_are_replaced() {
    let app = WithApp::start();
    app.hosted.hosting.expire_tokens();
    each_engine_with(app.apply(), async |env: &mut TestEnv| {
        app.permit(env, &["team"]).await;
        let space = env.space("Docs").await;
        let id = installed(env, "github", &space).await;
        let configuration = json!({ "repositoryId": NUMBER });
        let _active =
            update(&env.client, &id, "github", configuration, json!({})).await.expect(200);
        settled(env, &space).await;
        let before = app.hosted.hosting.given_tokens();
        let _started = env.of_space("runGitSync", &space).await.expect(204);
        settled(env, &space).await;
        assert!(app.hosted.hosting.given_tokens() > before);
    });
}

#[test]
fn github_needs_an_app() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Docs").await;
        let target = json!({ "type": "space", "spaceId": space });
        let refused = install(&env.client, "github", target).await.expect(409);
        for setting in ["--github-app-id", "--github-app-private-key-file"] {
            assert!(refused.message().contains(setting), "{refused}");
        }
        let _free = installed(env, "gitlab", &space).await;
    });
}

/// Sends an event to the App, signed with a secret.
async fn send(env: &TestEnv, secret: &str, event: &str, body: &Value) -> Answer {
    let body = body.to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    let signature = mac
        .finalize()
        .into_bytes()
        .iter()
        .fold("sha256=".to_owned(), |text, byte| format!("{text}{byte:02x}"));
    let call = env.client.anonymous().call("receiveGitEvent").path("syncId", "github-app");
    let call = call.header("x-hub-signature-256", &signature).header("x-github-event", event);
    call.body("application/json", body).send().await
}

#[test]
fn events_of_the_app_reach_the_spaces_of_their_repository() {
    let app = WithApp::start();
    each_engine_with(app.apply(), async |env: &mut TestEnv| {
        app.permit(env, &["team"]).await;
        let (space, _) = connected(env, &app).await;
        let runs = async || {
            settled(env, &space).await;
            let list = env.of_space("listGitSyncRuns", &space).await.expect(200);
            items(&list).iter().filter(|run| run["trigger"] == "webhook").count()
        };
        let push = |repository: u64, reference: &str| json!({ "ref": reference, "repository": { "id": repository } });
        let main = push(NUMBER, "refs/heads/main");
        for (secret, event, body, status, expect) in [
            ("wrong", "push", main.clone(), 401, 0),
            ("", "push", main.clone(), 401, 0),
            (WEBHOOK_SECRET, "push", push(FOREIGN, "refs/heads/main"), 204, 0),
            (WEBHOOK_SECRET, "push", push(NUMBER, "refs/heads/other"), 204, 0),
            (WEBHOOK_SECRET, "ping", json!({ "zen": "…" }), 204, 0),
            (WEBHOOK_SECRET, "push", json!({ "ref": "refs/heads/main" }), 204, 0),
            (WEBHOOK_SECRET, "push", json!([]), 400, 0),
            (WEBHOOK_SECRET, "push", main.clone(), 204, 1),
            (WEBHOOK_SECRET, "push", main.clone(), 409, 1),
        ] {
            let _answer = send(env, secret, event, &body).await.expect(status);
            assert_eq!(runs().await, expect, "{event} {body}");
        }
    });
}
