//! A Git server for tests and benchmarks: smart HTTP by `git http-backend` for a folder of bare
//! repositories, with simulated failures.

use std::fs;
use std::io::{BufWriter, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

mod backend;
mod large_files;
mod packs;
mod pages;

pub use large_files::LargeFileFault;
pub use packs::{PackBuilder, comb_pack, marked_copy};
pub use pages::generated_pages;

/// A failure that the server simulates.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Fault {
    /// No failure.
    #[default]
    None,
    /// Closes the connection after this many bytes of a response with a pack.
    CutAfter(usize),
    /// Stops sending after this many bytes of a response with a pack, but keeps the connection
    /// open.
    StallAfter(usize),
    /// Sends each response in parts of this many bytes, with this pause after each part.
    Drip(usize, Duration),
    /// Sends this body as the first response.
    Advertise(Bytes),
    /// Sends this pack in response to each request for a pack.
    Pack(Bytes),
    /// Sends this response to each request for a pack.
    Answer(Bytes),
    /// Sends responses with this status and an empty body.
    Status(u16),
    /// Redirects each request to this address, with the path and query of the request appended.
    RedirectTo(String),
    /// Sends a web page, like an address that is not a repository.
    WebPage,
    /// Sends an invalid pack.
    Garbage,
    /// Supports only version 0 of the protocol.
    VersionZero,
}

#[derive(Clone, Default, Debug)]
struct Settings {
    fault: Fault,
    login: Option<(String, String)>,
    large_files: large_files::LargeFiles,
}

/// A request to the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReceivedRequest {
    /// The method.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// The `Accept-Encoding` header.
    pub accept_encoding: Option<String>,
}

struct Shared {
    root: PathBuf,
    settings: Mutex<Settings>,
    requests: Mutex<Vec<ReceivedRequest>>,
}

/// A running server on a free port of 127.0.0.1, which is stopped when it is dropped.
pub struct GitServer {
    folder: tempfile::TempDir,
    address: SocketAddr,
    shared: Arc<Shared>,
    runtime: Option<Runtime>,
}

impl GitServer {
    /// Starts a server without repositories.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder for repositories");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let shared = Arc::new(Shared {
            root: folder.path().to_owned(),
            settings: Mutex::default(),
            requests: Mutex::default(),
        });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a socket of the runtime");
        let address = listener.local_addr().expect("its port");
        let serving = shared.clone();
        runtime.spawn(async move {
            let listener = TcpListener::from_std(listener).expect("a socket of the runtime");
            backend::serve(listener, serving).await;
        });
        Self { folder, address, shared, runtime: Some(runtime) }
    }

    /// Returns `http://127.0.0.1:PORT`.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the address of a repository.
    pub fn url(&self, name: &str) -> String {
        format!("{}/{name}", self.origin())
    }

    /// Creates an empty bare repository.
    pub fn repository(&self, name: &str) -> Repository {
        let path = self.folder.path().join(name);
        fs::create_dir_all(&path).expect("a folder for a repository");
        let repository = Repository { path };
        repository.git(&["init", "--quiet", "--bare", "--initial-branch=main", "."]);
        repository.git(&["config", "uploadpack.allowAnySHA1InWant", "false"]);
        repository
    }

    /// Sets the failure to simulate from now on.
    pub fn set_fault(&self, fault: Fault) {
        self.shared.settings().fault = fault;
    }

    /// Requires this user name and password from now on.
    pub fn set_login(&self, user: &str, password: &str) {
        self.shared.settings().login = Some((user.to_owned(), password.to_owned()));
    }

    /// Accepts files in Git LFS from now on.
    pub fn enable_large_files(&self) {
        self.shared.settings().large_files.enable();
    }

    /// Sets the failure of uploads to Git LFS to simulate from now on.
    pub fn set_large_file_fault(&self, fault: LargeFileFault) {
        self.shared.settings().large_files.fault = fault;
    }

    /// Returns the content of a file in Git LFS.
    pub fn large_file(&self, oid: &str) -> Option<Bytes> {
        self.shared.settings().large_files.get(oid)
    }

    /// Stores the content of a file in Git LFS under its SHA-256, in hexadecimal digits. The server
    /// has no Git LFS before that, unless it is enabled.
    pub fn add_large_file(&self, oid: &str, content: impl Into<Bytes>) {
        self.shared.settings().large_files.insert(oid, content.into());
    }

    /// Returns the requests received so far.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.shared.lock_requests().clone()
    }
}

impl Drop for GitServer {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Shared {
    fn settings(&self) -> std::sync::MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_requests(&self) -> std::sync::MutexGuard<'_, Vec<ReceivedRequest>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A change of one path in a commit. Paths are bytes, as in Git.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// A file with its content.
    File(Vec<u8>, Vec<u8>),
    /// A symbolic link with its target.
    Link(Vec<u8>, Vec<u8>),
    /// A submodule at this commit.
    Submodule(Vec<u8>, String),
    /// Deletes the path.
    Delete(Vec<u8>),
}

impl Change {
    /// Returns a change that writes a file.
    pub fn file(path: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> Self {
        Self::File(path.as_ref().to_vec(), content.as_ref().to_vec())
    }
}

/// A bare repository on disk.
#[derive(Clone, Debug)]
pub struct Repository {
    path: PathBuf,
}

impl Repository {
    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Commits changes to a branch, which is created if it does not exist. Returns the id of the
    /// commit.
    pub fn commit(
        &self,
        branch: &str,
        message: &str,
        changes: impl IntoIterator<Item = Change>,
    ) -> String {
        let reference = format!("refs/heads/{branch}");
        let parent = self.find(&reference);
        let mut child = self
            .command(&["fast-import", "--quiet"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("git fast-import");
        let mut to = BufWriter::with_capacity(1 << 20, child.stdin.take().expect("its input"));
        let commits: u64 = parent.as_ref().map_or(0, |_| {
            let count = self.git(&["rev-list", "--count", &reference]);
            count.parse().expect("a number of commits")
        });
        let time = 1_700_000_000 + commits * 60;
        write!(
            to,
            "commit {reference}\nauthor Ada Writer <ada@example.com> {time} +0000\n\
             committer Ada Writer <ada@example.com> {time} +0000\ndata {}\n{message}\n",
            message.len()
        )
        .expect("fast-import reads");
        if let Some(parent) = parent {
            writeln!(to, "from {parent}").expect("fast-import reads");
        }
        for change in changes {
            write_change(&mut to, &change).expect("fast-import reads");
        }
        to.flush().expect("fast-import reads");
        drop(to);
        assert!(child.wait().expect("git fast-import").success(), "git fast-import failed");
        self.find(&reference).expect("the new commit")
    }

    /// Returns the object id that a ref resolves to.
    pub fn find(&self, reference: &str) -> Option<String> {
        let out = self
            .command(&["rev-parse", "--verify", "--quiet", reference])
            .output()
            .expect("git rev-parse");
        let id = String::from_utf8_lossy(&out.stdout).trim().to_owned();
        (!id.is_empty()).then_some(id)
    }

    /// Runs a Git command in the repository and returns its output.
    pub fn git(&self, arguments: &[&str]) -> String {
        let out = self.command(arguments).output().expect("git");
        let (said, error) = (out.stdout, String::from_utf8_lossy(&out.stderr).into_owned());
        assert!(out.status.success(), "git {arguments:?}: {error}");
        String::from_utf8_lossy(&said).trim().to_owned()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = git();
        command.current_dir(&self.path).args(arguments);
        command
    }
}

/// Returns a Git command that ignores the configuration of the machine.
pub(crate) fn git() -> Command {
    let mut command = Command::new("git");
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_AUTHOR_NAME", "Ada Writer")
        .env("GIT_AUTHOR_EMAIL", "ada@example.com")
        .env("GIT_COMMITTER_NAME", "Ada Writer")
        .env("GIT_COMMITTER_EMAIL", "ada@example.com");
    command
}

fn write_change(to: &mut impl Write, change: &Change) -> std::io::Result<()> {
    let mut blob = |mode: &str, path: &[u8], content: &[u8]| {
        writeln!(to, "M {mode} inline {}", quoted(path))?;
        writeln!(to, "data {}", content.len())?;
        to.write_all(content)?;
        writeln!(to)
    };
    match change {
        Change::File(path, content) => blob("100644", path, content),
        Change::Link(path, target) => blob("120000", path, target),
        Change::Submodule(path, commit) => writeln!(to, "M 160000 {commit} {}", quoted(path)),
        Change::Delete(path) => writeln!(to, "D {}", quoted(path)),
    }
}

/// Quotes a path for git-fast-import(1), which accepts any bytes in this form.
fn quoted(path: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in path {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            0x20..=0x7e => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}
