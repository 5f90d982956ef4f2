//! A server with an organization for each test and engine, and common operations.

use std::sync::Arc;
use std::time::Instant;

use bindery_model::Entropy;
use bindery_store::{EngineConfig, RecordedEvent, Store, StoreConfig, StoreError, Tx};
use bindery_testkit::{Answer, Client, Engine, Installation, Server};
use serde_json::{Value, json};

use crate::support::wait::{POLL_INTERVAL, TIMEOUT};
use crate::support::{Raw, SystemClock, items, raw, until};

/// A running server and its first organization.
pub(crate) struct TestEnv {
    // Before the installation in drop order: the server must stop before its files are deleted.
    server: Option<Server>,
    /// A client of the administrator.
    pub(crate) client: Client,
    /// The organization created at the first start.
    pub(crate) organization: String,
    pub(crate) installation: Installation,
}

/// Runs a test on a separate server for each engine.
pub(crate) fn each_engine(test: impl AsyncFn(&mut TestEnv)) {
    each_engine_with(|installation| installation, test);
}

/// Like `each_engine`, with a different configuration.
pub(crate) fn each_engine_with(
    configure: impl Fn(Installation) -> Installation,
    test: impl AsyncFn(&mut TestEnv),
) {
    for engine in Engine::all() {
        on(engine, &configure, &test);
    }
}

/// Runs a test on SQLite only, if it does not depend on the database.
pub(crate) fn on_sqlite(test: impl AsyncFn(&mut TestEnv)) {
    on_sqlite_with(|installation| installation, test);
}

/// Like `on_sqlite`, with a different configuration.
pub(crate) fn on_sqlite_with(
    configure: impl Fn(Installation) -> Installation,
    test: impl AsyncFn(&mut TestEnv),
) {
    on(Engine::Sqlite, &configure, &test);
}

fn on(
    engine: Engine,
    configure: &impl Fn(Installation) -> Installation,
    test: &impl AsyncFn(&mut TestEnv),
) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    // This line is shown if the test fails.
    println!("on {engine:?}");
    let installation = configure(Installation::new(env!("CARGO_BIN_EXE_bindery"), engine));
    runtime.block_on(async {
        let mut env = TestEnv::start(installation).await;
        test(&mut env).await;
    });
}

impl TestEnv {
    async fn start(installation: Installation) -> Self {
        let server = installation.start();
        let client = server.client();
        let list = client.call("listOrganizationsForAuthenticatedUser").send().await.expect(200);
        let organization = list.text_at("/items/0/id").to_owned();
        Self { server: Some(server), client, organization, installation }
    }

    /// Returns the running server.
    pub(crate) fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    /// Returns the installation.
    pub(crate) const fn installation(&self) -> &Installation {
        &self.installation
    }

    /// Stops the server, edits its store, and starts it again.
    pub(crate) async fn edit_store<T: Send + 'static>(
        &mut self,
        edit: impl FnMut(&Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> T {
        self.with_store(async |store| store.write(edit).await.unwrap()).await
    }

    /// Returns all events, oldest first.
    pub(crate) async fn events(&mut self) -> Vec<RecordedEvent> {
        self.with_store(async |store| store.events_after(0, 10_000).await.unwrap()).await
    }

    /// Stops the server, runs `work` on its store, and starts the server again.
    pub(crate) async fn with_store<T>(&mut self, work: impl AsyncFnOnce(&Store) -> T) -> T {
        assert!(self.server.take().unwrap().stop().success());
        let store = self.open_store().await;
        let done = work(&store).await;
        drop(store);
        self.start_again().await;
        done
    }

    /// Stops the server, runs an offline command, and starts the server again. Returns the output
    /// of the command.
    pub(crate) async fn on_store(&mut self, command: &[&str]) -> String {
        let done = self.try_on_store(command).await;
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    /// Stops the server, runs a command on its store, and starts it again.
    pub(crate) async fn try_on_store(&mut self, command: &[&str]) -> std::process::Output {
        assert!(self.server.take().unwrap().stop().success());
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_bindery"));
        program.args(command).arg("--data").arg(self.installation.data());
        if let Some(database) = self.installation.database() {
            program.args(["--database-url", database.url()]);
        }
        let done = program.output().unwrap();
        self.start_again().await;
        done
    }

    /// Kills the server and starts it again.
    pub(crate) async fn kill(&mut self) {
        self.server.take().unwrap().kill();
        self.start_again().await;
    }

    async fn start_again(&mut self) {
        let deadline = Instant::now() + TIMEOUT;
        let server = loop {
            match self.installation.try_start() {
                Ok(server) => break server,
                // The store's threads close its files a moment after the handle is dropped.
                Err(_) if Instant::now() < deadline => tokio::time::sleep(POLL_INTERVAL).await,
                Err(refused) => panic!("the server does not start again: {}", refused.log),
            }
        };
        self.client = server.client();
        self.server = Some(server);
    }

    /// Opens the store while the server is running, if the engine permits it.
    pub(crate) async fn store_beside(&self) -> Option<Store> {
        self.installation.database()?;
        Some(self.open_store().await)
    }

    async fn open_store(&self) -> Store {
        let entropy = Arc::new(Entropy::from_system().unwrap());
        let data = self.installation.data();
        let mut config = StoreConfig::embedded(data, Arc::new(SystemClock), entropy);
        if let Some(database) = self.installation.database() {
            config.engine =
                EngineConfig::Postgres { url: database.url().to_owned(), connections: 2 };
        }
        Store::open(config).await.unwrap()
    }

    /// Creates a space in the organization and returns its id.
    pub(crate) async fn space(&self, title: &str) -> String {
        let call = self.client.call("createSpace").path("organizationId", &self.organization);
        let made = call.json(&json!({ "title": title })).send().await.expect(201);
        made.text_at("/id").to_owned()
    }

    /// Runs an import and waits for the end of its job.
    pub(crate) async fn import(&self, space: &str, body: &Value) -> Answer {
        let job = self.start_import(space, body).await;
        self.ended(&job).await
    }

    /// Starts an import and returns the id of its job.
    pub(crate) async fn start_import(&self, space: &str, body: &Value) -> String {
        let call = self.client.call("importGitRepository").path("spaceId", space);
        let started = call.json(body).send().await.expect(204);
        let location = started.header("location");
        location.rsplit('/').next().unwrap().to_owned()
    }

    /// Uploads an archive and waits for the end of its job.
    pub(crate) async fn import_archive(
        &self,
        space: &str,
        content_type: &str,
        bytes: Vec<u8>,
    ) -> Answer {
        let call = self.client.call("importSpaceArchive").path("spaceId", space);
        let started = call.body(content_type, bytes).send().await.expect(202);
        self.ended(started.text_at("/id")).await
    }

    /// Waits for the end of a job.
    pub(crate) async fn ended(&self, job: &str) -> Answer {
        self.job_when(job, |job| matches!(job.text_at("/status"), "done" | "failed" | "cancelled"))
            .await
    }

    /// Waits until `holds` returns `true` for a job.
    pub(crate) async fn job_when(&self, job: &str, holds: impl Fn(&Answer) -> bool) -> Answer {
        until(async || {
            let answer = self.client.call("getJob").path("jobId", job).send().await.expect(200);
            holds(&answer).then_some(answer)
        })
        .await
    }

    /// Calls an operation on a space.
    pub(crate) async fn of_space(&self, operation: &str, space: &str) -> Answer {
        self.client.call(operation).path("spaceId", space).send().await
    }

    /// Creates a user and returns a client with a token.
    pub(crate) async fn person(&self, email: &str, role: Option<&str>) -> Client {
        let body = json!({
            "email": email, "displayName": email, "organization": self.organization,
            "role": role, "token": true,
        });
        let made = self.client.call("createUser").json(&body).send().await.expect(201);
        self.client.with_token(made.text_at("/token"))
    }

    /// Makes a user with an account a member: the user is invited and accepts.
    pub(crate) async fn join(
        &self,
        person: &Client,
        organization: &str,
        email: &str,
        role: Option<&str>,
    ) {
        let body = json!({
            "email": email, "displayName": email, "organization": organization, "role": role,
        });
        let _invited = self.client.call("createUser").json(&body).send().await.expect(201);
        let list = self.client.call("listInvitations").path("organizationId", organization);
        let list = list.send().await.expect(200);
        let invitation = items(&list).iter().find(|one| one["email"] == email).unwrap();
        let accept = invitation["urls"]["accept"].as_str().unwrap().rsplit('/').next().unwrap();
        let accept = person.call("acceptInvitation").json(&json!({ "invitation": accept }));
        let _joined = accept.send().await.expect(200);
    }

    /// Creates a token of the administrator and returns its text and id.
    pub(crate) async fn token(&self, body: &Value) -> (String, String) {
        let made = self.client.call("createToken").json(body).send().await.expect(201);
        (made.text_at("/token").to_owned(), made.text_at("/id").to_owned())
    }

    /// Sends a request byte for byte with the administrator's token.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Raw {
        let authorization = format!("Authorization: Bearer {}\r\n", bindery_testkit::SETUP_TOKEN);
        raw(self.server(), method, path, &format!("{authorization}{headers}"), body)
    }
}
