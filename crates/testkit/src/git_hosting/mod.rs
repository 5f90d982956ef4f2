//! A server with parts of the interfaces of GitHub, GitLab and Gitea: repositories, pull requests,
//! states of commits, webhooks, and tokens of a GitHub App.

mod github;
mod gitlab;
mod state;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

pub use self::state::{HostedHook, HostedPull, HostedStatus, PullState};

use self::github::Flavour;
use self::state::{Asked, Hosted, InjectedFault, Reply, State};

/// The private key of a GitHub App, for tests only.
pub const APP_KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/git_hosting/app_key.pem");

/// A running server on a free port of 127.0.0.1. Its threads end with the process.
#[derive(Clone)]
pub struct GitHosting {
    address: String,
    state: Arc<Mutex<State>>,
}

impl std::fmt::Debug for GitHosting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GitHosting").field("address", &self.address).finish_non_exhaustive()
    }
}

impl GitHosting {
    /// Starts a server without repositories. GitHub is at `/` and `/api/v3`, Gitea at `/api/v1`,
    /// and GitLab at `/api/v4`. All of them have the same repositories.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("its port"));
        let hosting = Self { address, state: Arc::default() };
        let shared = hosting.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let hosting = shared.clone();
                std::thread::spawn(move || hosting.serve(stream));
            }
        });
        hosting
    }

    /// Returns `http://127.0.0.1:PORT`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Adds a repository whose content is at another address.
    pub fn add(&self, number: u64, name: &str, clone_url: &str, default_branch: Option<&str>) {
        let repository = Hosted {
            name: name.to_owned(),
            clone_url: clone_url.to_owned(),
            default_branch: default_branch.map(str::to_owned),
            tips: None,
            pulls: Vec::new(),
            statuses: Vec::new(),
            hooks: Vec::new(),
        };
        self.state().repositories.insert(number, repository);
    }

    /// Reads the commits of the branches of a repository with a function from now on. Before, each
    /// branch exists.
    pub fn set_tips(
        &self,
        repository: u64,
        tips: impl Fn(&str) -> Option<String> + Send + 'static,
    ) {
        self.repository(repository, |hosted| hosted.tips = Some(Box::new(tips)));
    }

    /// Accepts an access token from now on.
    pub fn allow(&self, token: &str) {
        self.state().tokens.insert(token.to_owned());
    }

    /// Accepts no token from now on that was accepted before.
    pub fn revoke_all(&self) {
        self.state().tokens.clear();
    }

    /// Installs the GitHub App on these accounts, and removes it from all others. The number of an
    /// installation is its position, beginning with 1. An empty name stands for an enterprise.
    pub fn set_accounts(&self, accounts: &[&str]) {
        self.state().accounts = accounts.iter().map(|&account| account.to_owned()).collect();
    }

    /// Lets the tokens of the GitHub App expire at once.
    pub fn expire_tokens(&self) {
        self.state().gives_expired_tokens = true;
    }

    /// Returns the number of tokens that the GitHub App received.
    pub fn given_tokens(&self) -> usize {
        self.state().given
    }

    /// Answers every request with this status; `None` for none. Removes all other faults.
    pub fn set_fault(&self, status: Option<u16>) {
        self.state().faults.clear();
        if let Some(status) = status {
            self.fail("", status, &[], json!({ "message": "fault" }));
        }
    }

    /// Answers requests whose method and path begin with `requests`, such as `POST /api/v4/`, with
    /// this status, headers and body.
    pub fn fail(&self, requests: &str, status: u16, headers: &[(&str, &str)], body: Value) {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let headers = headers.iter().map(owned).collect();
        let requests = requests.to_owned();
        self.state().faults.push(InjectedFault { requests, status, headers, body });
    }

    /// Returns the methods and paths of the requests so far.
    pub fn requests(&self) -> Vec<String> {
        self.state().requests.clone()
    }

    /// Returns the pull requests of a repository, oldest first.
    pub fn pulls(&self, repository: u64) -> Vec<HostedPull> {
        self.repository(repository, |hosted| hosted.pulls.clone())
    }

    /// Opens a pull request, as a person would do, and returns its number.
    pub fn open_pull(&self, repository: u64, head: &str, base: &str) -> u64 {
        self.repository(repository, |hosted| hosted.open(head, base, false).number)
    }

    /// Opens a pull request from a branch of a fork, and returns its number.
    pub fn open_pull_from_fork(&self, repository: u64, head: &str, base: &str) -> u64 {
        self.repository(repository, |hosted| hosted.open(head, base, true).number)
    }

    /// Changes a pull request, as a person would do.
    pub fn edit_pull(&self, repository: u64, number: u64, edit: impl FnOnce(&mut HostedPull)) {
        self.repository(repository, |hosted| {
            edit(hosted.pull(&number.to_string()).expect("the pull request"));
        });
    }

    /// Marks a pull request as merged by a commit. The repository stays as it is.
    pub fn merge_pull(&self, repository: u64, number: u64, merge_oid: &str) {
        self.end_pull(repository, number, PullState::Merged, Some(merge_oid));
    }

    /// Closes a pull request without a merge.
    pub fn close_pull(&self, repository: u64, number: u64) {
        self.end_pull(repository, number, PullState::Closed, None);
    }

    fn end_pull(&self, repository: u64, number: u64, state: PullState, merge: Option<&str>) {
        self.repository(repository, |hosted| {
            let pull = hosted.pull(&number.to_string()).expect("the pull request").clone();
            let head_oid = hosted.head_oid(&pull);
            let pull = hosted.pull(&number.to_string()).expect("the pull request");
            (pull.state, pull.head_oid) = (state, head_oid);
            pull.merge_oid = merge.map(str::to_owned);
        });
    }

    /// Returns the states of commits of a repository, the last set one last.
    pub fn statuses(&self, repository: u64) -> Vec<HostedStatus> {
        self.repository(repository, |hosted| hosted.statuses.clone())
    }

    /// Returns the webhooks of a project at GitLab, oldest first.
    pub fn hooks(&self, repository: u64) -> Vec<HostedHook> {
        self.repository(repository, |hosted| hosted.hooks.clone())
    }

    fn repository<T>(&self, number: u64, with: impl FnOnce(&mut Hosted) -> T) -> T {
        with(self.state().repositories.get_mut(&number).expect("the repository"))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
        let mut first = String::new();
        if reader.read_line(&mut first).is_err() {
            return;
        }
        let mut headers = BTreeMap::new();
        loop {
            let mut line = String::new();
            match reader.read_line(&mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) if line.trim().is_empty() => break,
                Ok(_) => {}
            }
            if let Some((name, value)) = line.split_once(':') {
                headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
            }
        }
        let length = headers.get("content-length").and_then(|length| length.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let mut words = first.split_whitespace();
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let token = headers.get("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let reply = self.answer(method, target, token.unwrap_or_default(), body);
        let headers: String =
            reply.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let answer = if reply.status == 204 { String::new() } else { reply.body.to_string() };
        // A client that disconnects is not a failure of the server.
        drop(write!(
            &stream,
            "HTTP/1.1 {} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\
             Connection: close\r\n\r\n{answer}",
            reply.status,
            answer.len()
        ));
    }

    fn answer(&self, method: &str, target: &str, token: &str, body: Value) -> Reply {
        let mut state = self.state();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let request = format!("{method} {path}");
        state.requests.push(request.clone());
        let fault = state.faults.iter().find(|fault| request.starts_with(&fault.requests));
        if let Some(InjectedFault { status, headers, body, .. }) = fault {
            return Reply { status: *status, headers: headers.clone(), body: body.clone() };
        }
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let pairs = pairs.map(|(name, value)| (decoded(name), decoded(&value.replace('+', " "))));
        let segments = path.trim_matches('/').split('/').map(decoded).collect();
        let asked = Asked { method, segments, query: pairs.collect(), token, body };
        let segments: Vec<&str> = asked.segments.iter().map(String::as_str).collect();
        match segments.as_slice() {
            ["api", "v4", rest @ ..] => gitlab::answer(&mut state, &self.address, rest, &asked),
            ["api", "v1", rest @ ..] => {
                github::answer(&mut state, &self.address, Flavour::Gitea, rest, &asked)
            }
            ["graphql"] | ["api", "graphql"] => github::query(&mut state, &asked),
            ["api", "v3", rest @ ..] | rest => {
                github::answer(&mut state, &self.address, Flavour::GitHub, rest, &asked)
            }
        }
    }
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}
