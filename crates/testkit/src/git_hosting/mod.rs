//! A server with the parts of the interfaces of GitLab and GitHub that describe repositories and
//! give tokens.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

/// The private key of a GitHub App, for tests only.
pub const APP_KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/git_hosting/app_key.pem");

/// The time at which tokens expire that are valid during a test.
const LATER: &str = "2999-01-01T00:00:00Z";
/// The time at which tokens expire that are not valid any more.
const EARLIER: &str = "2001-01-01T00:00:00Z";

/// A repository of the server.
#[derive(Clone, Debug)]
struct Hosted {
    name: String,
    clone_url: String,
    default_branch: Option<String>,
}

#[derive(Default)]
struct State {
    repositories: BTreeMap<u64, Hosted>,
    /// The access tokens of GitLab, and the tokens that the GitHub App received.
    tokens: BTreeSet<String>,
    /// The accounts on which the GitHub App is installed.
    accounts: Vec<String>,
    /// `true` if new tokens of the GitHub App have expired already.
    gives_expired_tokens: bool,
    /// Number of tokens that the GitHub App received.
    given: usize,
    /// A status that answers every request.
    fault: Option<u16>,
    requests: Vec<String>,
}

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
    /// Starts a server without repositories.
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
        };
        self.state().repositories.insert(number, repository);
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

    /// Answers every request with this status; `None` for none.
    pub fn set_fault(&self, status: Option<u16>) {
        self.state().fault = status;
    }

    /// Returns the methods and paths of the requests so far.
    pub fn requests(&self) -> Vec<String> {
        self.state().requests.clone()
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
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let token = headers.get("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let request = (method, path, query);
        let (status, answer) = self.answer(request, token.unwrap_or_default(), &body);
        let answer = answer.to_string();
        // A client that disconnects is not a failure of the server.
        drop(write!(
            &stream,
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{answer}",
            answer.len()
        ));
    }

    fn answer(
        &self,
        (method, path, query): (&str, &str, &str),
        token: &str,
        body: &Value,
    ) -> (u16, Value) {
        let mut state = self.state();
        state.requests.push(format!("{method} {path}"));
        if let Some(status) = state.fault {
            return (status, json!({ "message": "fault" }));
        }
        // The App signs with three parts: the header, the claims and the signature.
        let is_app = token.split('.').count() == 3;
        let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
        match (method, segments.as_slice()) {
            ("GET", ["api", "v4", "projects", number]) => {
                state.described(token, number, |number, hosted| {
                    json!({
                        "id": number, "path_with_namespace": hosted.name,
                        "web_url": format!("{}/{}", self.address, hosted.name),
                        "http_url_to_repo": hosted.clone_url,
                        "default_branch": hosted.default_branch,
                    })
                })
            }
            ("GET", ["repositories", number]) => {
                state.described(token, number, |number, hosted| {
                    json!({
                        "id": number, "full_name": hosted.name,
                        "html_url": format!("{}/{}", self.address, hosted.name),
                        "clone_url": hosted.clone_url, "default_branch": hosted.default_branch,
                    })
                })
            }
            ("GET", ["app", "installations"]) if is_app => (200, state.installations(query)),
            ("POST", ["app", "installations", number, "access_tokens"]) if is_app => {
                let number = number.parse::<usize>().unwrap_or_default();
                let repository = body["repository_ids"][0].as_u64().unwrap_or_default();
                if !state.reaches(number, repository) {
                    return (422, json!({ "message": "no such repository" }));
                }
                state.given += 1;
                let token = format!("given-{}", state.given);
                state.tokens.insert(token.clone());
                let expires = if state.gives_expired_tokens { EARLIER } else { LATER };
                (201, json!({ "token": token, "expires_at": expires }))
            }
            ("GET" | "POST", ["app", ..]) => (401, json!({ "message": "Bad credentials" })),
            _ => (404, json!({ "message": "Not Found" })),
        }
    }
}

impl State {
    /// Returns the page of the GitHub App's installations that a query asks for.
    fn installations(&self, query: &str) -> Value {
        let number = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(found, _)| *found == name).and_then(|(_, value)| value.parse().ok())
        };
        let size = number("per_page").unwrap_or(30);
        let skipped = number("page").unwrap_or(1_usize).saturating_sub(1) * size;
        let accounts = self.accounts.iter().enumerate().skip(skipped).take(size);
        accounts
            .map(|(index, login)| {
                let account = match login.as_str() {
                    "" => json!({ "slug": "an-enterprise" }),
                    login => json!({ "login": login }),
                };
                json!({ "id": index + 1, "account": account })
            })
            .collect()
    }

    /// Returns `true` if the account of an installation owns a repository.
    fn reaches(&self, installation: usize, repository: u64) -> bool {
        let account = installation.checked_sub(1).and_then(|index| self.accounts.get(index));
        let owner = self.repositories.get(&repository).and_then(|found| found.name.split_once('/'));
        account.zip(owner).is_some_and(|(account, (owner, _))| account.eq_ignore_ascii_case(owner))
    }

    fn described(
        &self,
        token: &str,
        number: &str,
        describe: impl FnOnce(u64, &Hosted) -> Value,
    ) -> (u16, Value) {
        if !self.tokens.contains(token) {
            return (401, json!({ "message": "401 Unauthorized" }));
        }
        let number = number.parse().unwrap_or_default();
        match self.repositories.get(&number) {
            None => (404, json!({ "message": "404 Not Found" })),
            Some(hosted) => (200, describe(number, hosted)),
        }
    }
}
