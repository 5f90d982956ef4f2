//! The product under test: the release binary on a temporary store.

use super::http::{Answer, Connection, fetch};
use crate::process::Group;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A fixed token suffices, since the server accepts only local connections and is stopped at the
/// end.
const TOKEN: &str = "benchmark-token-of-a-throw-away-store";

/// The environment variable that names a binary to measure instead of the release build.
const BINARY: &str = "BINDERY_BIN";

pub(super) struct Product {
    server: Group,
    folder: TempDir,
    address: String,
    started_in: Duration,
}

impl Product {
    /// Starts the release binary with its sample site.
    pub(super) fn start() -> Result<Self> {
        Self::on(new_folder()?, true, "")
    }

    /// Starts the release binary with an empty store.
    pub(super) fn empty() -> Result<Self> {
        Self::on(new_folder()?, false, "")
    }

    /// Starts the release binary with limits, given as lines of the configuration file.
    pub(super) fn with_limits(limits: &str) -> Result<Self> {
        Self::on(new_folder()?, false, limits)
    }

    /// Restarts the server on the same store.
    pub(super) fn restart(self) -> Result<Self> {
        let Self { server, folder, .. } = self;
        drop(server);
        Self::on(folder, false, "")
    }

    fn on(folder: TempDir, sample: bool, limits: &str) -> Result<Self> {
        let config = folder.path().join("bindery.toml");
        // The measurements shall not be affected by rate limits.
        let rates = "requests_per_user = 0\nrequests_per_address = 0\n";
        let text = format!("metrics_token = \"{TOKEN}\"\n[limits]\n{rates}{limits}");
        std::fs::write(&config, text)?;
        let mut command = Command::new(binary()?);
        command
            .arg("serve")
            .arg("--config")
            .arg(config)
            .arg("--data")
            .arg(folder.path())
            .args(["--listen", "127.0.0.1:0"]);
        command.args(["--setup-sample", if sample { "true" } else { "false" }]);
        command.env("BINDERY_SETUP_TOKEN", TOKEN).current_dir(folder.path());
        command.env("BINDERY_OUTBOUND_ALLOW", "127.0.0.0/8");
        let start = Instant::now();
        let mut server = Group::start(command.stdin(Stdio::null()).stdout(Stdio::piped()))?;
        let output = server.child.stdout.take().context("the server's output")?;
        let mut lines = BufReader::new(output).lines();
        let address = loop {
            let Some(line) = lines.next() else { bail!("the server ended before it listened") };
            if let Some(address) = line?.strip_prefix("bindery listening on ") {
                break address.to_owned();
            }
        };
        let started_in = start.elapsed();
        // Later output is discarded, so that the server is never blocked by a full pipe.
        std::thread::spawn(move || lines.count());
        Ok(Self { server, folder, address, started_in })
    }

    pub(super) fn process(&self) -> u32 {
        self.server.child.id()
    }

    /// Returns the time from the start of the program until it listened.
    pub(super) fn started_in(&self) -> Duration {
        self.started_in
    }

    /// Returns the data folder.
    pub(super) fn data(&self) -> &Path {
        self.folder.path()
    }

    /// Opens a connection to the server.
    pub(super) fn connect(&self) -> Result<Connection> {
        Connection::open(&self.address)
    }

    /// Returns the authorization header for the API.
    pub(super) fn authorization() -> String {
        format!("Authorization: Bearer {TOKEN}")
    }

    /// Returns the absolute address of an API path.
    pub(super) fn api(&self, path: &str) -> String {
        format!("{}/v1{path}", self.address)
    }

    /// Returns the absolute address of a path.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    /// Returns the server's metrics.
    pub(super) fn metrics(&self) -> Result<String> {
        let url = format!("{}/metrics", self.address);
        let metrics = fetch(&url, &[&Self::authorization()], None)?;
        String::from_utf8(metrics).context("the metrics")
    }

    /// Sends a GET request to the API and returns the JSON body.
    pub(super) fn get(&self, path: &str) -> Result<Value> {
        let body = fetch(&self.api(path), &[&Self::authorization()], None)?;
        serde_json::from_slice(&body).with_context(|| format!("the answer of {path}"))
    }

    /// Sends a POST request to the API and returns the JSON body.
    pub(super) fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let answer = self.post_for_answer(path, body)?.body;
        serde_json::from_slice(&answer).with_context(|| format!("the answer of {path}"))
    }

    /// Sends a PUT request to the API and returns the JSON body.
    pub(super) fn put(&self, path: &str, body: &Value) -> Result<Value> {
        let url = self.api(path);
        let token = Self::authorization();
        let answer = self.connect()?.put(&url, &[&token], body)?.success(path)?;
        serde_json::from_slice(&answer.body).with_context(|| format!("the answer of {path}"))
    }

    /// Sends a PATCH request to the API.
    pub(super) fn patch(&self, path: &str, body: &Value) -> Result<()> {
        let url = self.api(path);
        let token = Self::authorization();
        self.connect()?.patch(&url, &[&token], body)?.success(path)?;
        Ok(())
    }

    /// Sends a POST request to the API and returns the whole successful response.
    pub(super) fn post_for_answer(&self, path: &str, body: &Value) -> Result<Answer> {
        let url = self.api(path);
        self.connect()?.send(&url, &[&Self::authorization()], Some(body))?.success(path)
    }

    /// Returns the id of the organization created at the first start.
    pub(super) fn organization(&self) -> Result<String> {
        first_id(&self.get("/orgs")?).context("the first organization")
    }

    /// Returns the address of the sample site published at the first start.
    pub(super) fn sample_site(&self) -> Result<String> {
        let sites = self.get(&format!("/orgs/{}/sites", self.organization()?))?;
        let published = sites.pointer("/items/0/urls/published").and_then(Value::as_str);
        Ok(published.context("the sample site has no published address")?.to_owned())
    }

    /// Creates a space and an unpublished site with it.
    pub(super) fn new_site(&self) -> Result<Site> {
        let organization = self.organization()?;
        let space =
            self.post(&format!("/orgs/{organization}/spaces"), &json!({"title": "Measured"}))?;
        let space = id(&space).context("the new space")?;
        let body = json!({"title": "Measured", "spaces": [space]});
        let site = self.post(&format!("/orgs/{organization}/sites"), &body)?;
        let site = format!("/orgs/{organization}/sites/{}", id(&site).context("the new site")?);
        Ok(Site { space, path: site })
    }
}

/// A site with one space.
pub(super) struct Site {
    /// The id of the space.
    pub(super) space: String,
    /// The path of the site in the API.
    pub(super) path: String,
}

/// Returns the id of the first item of a list.
pub(super) fn first_id(list: &Value) -> Option<String> {
    id(list.pointer("/items/0")?)
}

/// Returns the id of an object.
pub(super) fn id(object: &Value) -> Option<String> {
    Some(object.get("id")?.as_str()?.to_owned())
}

fn new_folder() -> Result<TempDir> {
    Ok(tempfile::Builder::new().prefix("bindery-bench-").tempdir()?)
}

/// Returns the path of the program: a release build, or that of `BINDERY_BIN`.
pub(crate) fn binary() -> Result<PathBuf> {
    std::env::var_os(BINARY).map_or_else(crate::workspace::release_binary, |named| Ok(named.into()))
}
