//! Servers that are killed and started again on the same store.

use crate::bench::{binary, folder_size, http::Connection};
use crate::postgres::{self, Cluster};
use crate::process::Group;
use anyhow::{Context, Result, bail, ensure};
use rustix::process::Signal;
use serde_json::Value;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A fixed token suffices, since the servers accept only local connections and are stopped at the
/// end.
pub(super) const TOKEN: &str = "soak-token-of-a-throw-away-store";
/// The nodes of a cluster have the same sealing key.
const SEALING_KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
/// Maximum time until a server answers after its start.
const STARTUP: Duration = Duration::from_mins(1);

pub(super) struct Nodes {
    // Before the cluster and the folder in drop order: servers must stop before their store.
    nodes: Vec<Node>,
    cluster: Option<Cluster>,
    folder: TempDir,
}

struct Node {
    address: String,
    folder: PathBuf,
    server: Mutex<Option<Group>>,
}

impl Nodes {
    /// Starts one server with SQLite, or two with a private PostgreSQL server.
    pub(super) fn start(is_shared: bool) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("bindery-soak-").tempdir()?;
        let cluster = match is_shared {
            true => {
                let programs = postgres::find_or_install()?.context(postgres::HOW_TO_INSTALL)?;
                Some(Cluster::start(&programs)?)
            }
            false => None,
        };
        let objects = folder.path().join("objects");
        std::fs::create_dir(&objects)?;
        let mut nodes = Vec::new();
        for number in 0..if is_shared { 2 } else { 1 } {
            let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            let data = folder.path().join(format!("data-{number}"));
            std::fs::create_dir(&data)?;
            // All nodes have the same objects, as they have with an object store.
            std::os::unix::fs::symlink(&objects, data.join("objects"))?;
            // The requests of all people come from one address and one user.
            let limits = "requests_per_user = 0\nrequests_per_address = 0\n\
                          connections_per_address = 4000\n";
            std::fs::write(data.join("bindery.toml"), format!("[limits]\n{limits}"))?;
            let address = format!("http://127.0.0.1:{port}");
            nodes.push(Node { address, folder: data, server: Mutex::default() });
        }
        let all = Self { nodes, cluster, folder };
        for node in &all.nodes {
            all.serve(node)?;
        }
        Ok(all)
    }

    pub(super) fn addresses(&self) -> Vec<&str> {
        self.nodes.iter().map(|node| node.address.as_str()).collect()
    }

    /// Returns the bytes of all files of the store, if it is one of files.
    pub(super) fn stored_bytes(&self) -> Result<Option<u64>> {
        let is_files = self.cluster.is_none();
        is_files.then(|| folder_size(self.folder.path())).transpose()
    }

    /// Kills a server, and starts it again after some time.
    pub(super) fn kill(&self, number: usize, pause: Duration) -> Result<()> {
        let node = self.nodes.get(number % self.nodes.len()).context("a node")?;
        let server = node.server.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(server);
        std::thread::sleep(pause);
        self.serve(node)
    }

    fn serve(&self, node: &Node) -> Result<()> {
        let mut command = Command::new(binary()?);
        let listen = node.address.strip_prefix("http://").unwrap_or_default();
        command.args(["serve", "--setup-sample", "false", "--listen", listen]);
        command.arg("--config").arg(node.folder.join("bindery.toml"));
        command.arg("--data").arg(&node.folder).current_dir(&node.folder);
        command.env("BINDERY_SETUP_TOKEN", TOKEN).env("BINDERY_SEALING_KEY", SEALING_KEY);
        command.env("BINDERY_OUTBOUND_ALLOW", "127.0.0.0/8");
        if let Some(cluster) = &self.cluster {
            command.env("BINDERY_DATABASE_URL", cluster.url());
        }
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut server = Group::start(&mut command)?;
        server.stop_signal = Signal::KILL;
        let begun = Instant::now();
        while Connection::open(&node.address).is_err() {
            ensure!(server.child.try_wait()?.is_none(), "a server ended at its start");
            ensure!(begun.elapsed() < STARTUP, "a server does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
        *node.server.lock().unwrap_or_else(PoisonError::into_inner) = Some(server);
        Ok(())
    }

    /// Sends a request to the API of the first node: a GET request if there is no body.
    pub(super) fn api(&self, path: &str, body: Option<&Value>) -> Result<Value> {
        self.send(path, |connection, url, token| connection.send(url, &[token], body))
    }

    /// Sends a PUT request to the API.
    pub(super) fn put(&self, path: &str, body: &Value) -> Result<Value> {
        self.send(path, |connection, url, token| connection.put(url, &[token], body))
    }

    fn send(
        &self,
        path: &str,
        send: impl Fn(&mut Connection, &str, &str) -> Result<crate::bench::http::Answer>,
    ) -> Result<Value> {
        let Some(node) = self.nodes.first() else { bail!("there is no node") };
        let url = format!("{}/v1{path}", node.address);
        let token = format!("Authorization: Bearer {TOKEN}");
        let answer = send(&mut Connection::open(&url)?, &url, &token)?.success(path)?;
        if answer.body.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&answer.body).with_context(|| format!("the answer of {path}"))
    }
}
