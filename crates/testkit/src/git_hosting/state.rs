//! The content of the server, which is the same for all services.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

/// The commit of a branch whose commits nobody has set.
pub(super) const SOME_COMMIT: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
/// The time at which tokens expire that are valid during a test.
const LATER: &str = "2999-01-01T00:00:00Z";
/// The time at which tokens expire that are not valid any more.
const EARLIER: &str = "2001-01-01T00:00:00Z";

/// The state of a pull request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PullState {
    /// It is open.
    Open,
    /// It was merged.
    Merged,
    /// It was closed without a merge.
    Closed,
}

/// A pull request, or a merge request of GitLab.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostedPull {
    /// Its number in the repository.
    pub number: u64,
    /// The state.
    pub state: PullState,
    /// `true` for a draft. At GitLab and Gitea, the title decides.
    pub draft: bool,
    /// The title as the service stores it.
    pub title: String,
    /// The description.
    pub body: String,
    /// The branch that it wants to merge.
    pub head: String,
    /// The commit at that branch when it was opened, merged or closed.
    pub head_oid: String,
    /// `true` if that branch is one of another repository.
    pub is_from_fork: bool,
    /// The branch into which it is merged.
    pub base: String,
    /// The commit of its merge.
    pub merge_oid: Option<String>,
}

/// The state of a commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostedStatus {
    /// The commit.
    pub commit: String,
    /// The state as the service names it.
    pub state: String,
    /// The name of the check.
    pub context: String,
    /// The explanation.
    pub description: String,
    /// The address to which it leads.
    pub target_url: Option<String>,
}

/// A webhook of a project at GitLab.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostedHook {
    /// Its number.
    pub id: u64,
    /// The address that receives the events.
    pub url: String,
    /// The secret token, which the service never shows.
    pub token: String,
    /// The events that it sends, such as `push_events`.
    pub events: BTreeSet<String>,
    /// `true` if the service checks the certificate of the address.
    pub verifies: bool,
}

/// Returns the commit at a branch of a repository.
pub(super) type Tips = Box<dyn Fn(&str) -> Option<String> + Send>;

/// A repository of the server.
pub(super) struct Hosted {
    pub(super) name: String,
    pub(super) clone_url: String,
    pub(super) default_branch: Option<String>,
    pub(super) tips: Option<Tips>,
    pub(super) pulls: Vec<HostedPull>,
    pub(super) statuses: Vec<HostedStatus>,
    pub(super) hooks: Vec<HostedHook>,
}

impl Hosted {
    pub(super) fn tip(&self, branch: &str) -> Option<String> {
        match &self.tips {
            Some(tips) => tips(branch),
            None => Some(SOME_COMMIT.to_owned()),
        }
    }

    pub(super) fn pull(&mut self, number: &str) -> Option<&mut HostedPull> {
        let number: u64 = number.parse().ok()?;
        self.pulls.iter_mut().find(|pull| pull.number == number)
    }

    /// Returns the open pull request between two branches of the repository.
    pub(super) fn open_between(&self, head: &str, base: &str) -> Option<&HostedPull> {
        self.pulls.iter().find(|pull| {
            let is_open = pull.state == PullState::Open && !pull.is_from_fork;
            is_open && pull.head == head && pull.base == base
        })
    }

    /// Opens a pull request with the values of a request.
    pub(super) fn open(&mut self, head: &str, base: &str, is_from_fork: bool) -> &mut HostedPull {
        let number = self.pulls.len() as u64 + 1;
        let head_oid = self.tip(head).unwrap_or_else(|| SOME_COMMIT.to_owned());
        self.pulls.push(HostedPull {
            number,
            state: PullState::Open,
            draft: false,
            title: format!("Merge {head}"),
            body: String::new(),
            head: head.to_owned(),
            head_oid,
            is_from_fork,
            base: base.to_owned(),
            merge_oid: None,
        });
        self.pulls.last_mut().expect("the new pull request")
    }

    /// Returns the commit at the branch of a pull request.
    pub(super) fn head_oid(&self, pull: &HostedPull) -> String {
        let live =
            (pull.state == PullState::Open && !pull.is_from_fork).then(|| self.tip(&pull.head));
        live.flatten().unwrap_or_else(|| pull.head_oid.clone())
    }

    /// Sets the state of a commit.
    pub(super) fn set_status(&mut self, status: HostedStatus) {
        let is_same =
            |known: &HostedStatus| known.commit == status.commit && known.context == status.context;
        self.statuses.retain(|known| !is_same(known));
        self.statuses.push(status);
    }
}

/// An answer that replaces the real one.
#[derive(Clone, Debug)]
pub(super) struct InjectedFault {
    /// The beginning of the method and path of the requests; empty for all.
    pub(super) requests: String,
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Value,
}

/// An answer of the server.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Value,
}

impl Reply {
    pub(super) fn new(status: u16, body: Value) -> Self {
        Self { status, headers: Vec::new(), body }
    }

    pub(super) fn message(status: u16, message: &str) -> Self {
        Self::new(status, json!({ "message": message }))
    }

    pub(super) fn not_found() -> Self {
        Self::message(404, "404 Not Found")
    }
}

/// A request with its decoded path and query.
pub(super) struct Asked<'a> {
    pub(super) method: &'a str,
    pub(super) segments: Vec<String>,
    pub(super) query: BTreeMap<String, String>,
    pub(super) token: &'a str,
    pub(super) body: Value,
}

impl Asked<'_> {
    /// Returns the entries of the page that the query asks for.
    pub(super) fn page(&self, entries: Vec<Value>) -> Value {
        let number = |name: &str| self.query.get(name).and_then(|value| value.parse().ok());
        let size: usize = number("per_page").or_else(|| number("limit")).unwrap_or(30);
        let skipped = number("page").unwrap_or(1).saturating_sub(1) * size;
        entries.into_iter().skip(skipped).take(size).collect()
    }

    pub(super) fn is(&self, name: &str, value: &str) -> bool {
        self.query.get(name).is_none_or(|asked| asked == value)
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.body[name].as_str().map(str::to_owned)
    }
}

#[derive(Default)]
pub(super) struct State {
    pub(super) repositories: BTreeMap<u64, Hosted>,
    /// The access tokens of people, and the tokens that the GitHub App received.
    pub(super) tokens: BTreeSet<String>,
    /// The accounts on which the GitHub App is installed.
    pub(super) accounts: Vec<String>,
    /// `true` if new tokens of the GitHub App have expired already.
    pub(super) gives_expired_tokens: bool,
    /// Number of tokens that the GitHub App received.
    pub(super) given: usize,
    pub(super) faults: Vec<InjectedFault>,
    pub(super) requests: Vec<String>,
    pub(super) given_hooks: u64,
}

impl State {
    /// Returns a repository by its number or its name, if the token is valid.
    ///
    /// # Errors
    /// Returns the answer to the request otherwise.
    pub(super) fn repository(
        &mut self,
        token: &str,
        key: &str,
    ) -> Result<(u64, &mut Hosted), Reply> {
        if !self.tokens.contains(token) {
            return Err(Reply::message(401, "401 Unauthorized"));
        }
        let found = self.repositories.iter_mut().find(|(number, hosted)| {
            number.to_string() == key || hosted.name.eq_ignore_ascii_case(key)
        });
        found.map(|(number, hosted)| (*number, hosted)).ok_or_else(Reply::not_found)
    }

    /// Returns the page of the GitHub App's installations that a request asks for.
    pub(super) fn installations(&self, asked: &Asked<'_>) -> Value {
        let entries = self.accounts.iter().enumerate().map(|(index, login)| {
            let account = match login.as_str() {
                "" => json!({ "slug": "an-enterprise" }),
                login => json!({ "login": login }),
            };
            json!({ "id": index + 1, "account": account })
        });
        asked.page(entries.collect())
    }

    /// Returns the token of an installation of the GitHub App for a repository.
    pub(super) fn give_token(&mut self, installation: &str, body: &Value) -> Reply {
        let installation: usize = installation.parse().unwrap_or_default();
        let repository = body["repository_ids"][0].as_u64().unwrap_or_default();
        if !self.reaches(installation, repository) {
            return Reply::message(422, "no such repository");
        }
        self.given += 1;
        let token = format!("given-{}", self.given);
        self.tokens.insert(token.clone());
        let expires = if self.gives_expired_tokens { EARLIER } else { LATER };
        Reply::new(201, json!({ "token": token, "expires_at": expires }))
    }

    /// Returns `true` if the account of an installation owns a repository.
    fn reaches(&self, installation: usize, repository: u64) -> bool {
        let account = installation.checked_sub(1).and_then(|index| self.accounts.get(index));
        let owner = self.repositories.get(&repository).and_then(|found| found.name.split_once('/'));
        account.zip(owner).is_some_and(|(account, (owner, _))| account.eq_ignore_ascii_case(owner))
    }
}
