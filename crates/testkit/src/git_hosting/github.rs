//! The paths of GitHub below `/` and `/api/v3`, and those of Gitea below `/api/v1`.

use serde_json::{Value, json};

use super::state::{Asked, Hosted, HostedPull, HostedStatus, PullState, Reply, State};

/// The commit of the trial merge that GitHub shows for open pull requests.
const TRIAL: &str = "ffffffffffffffffffffffffffffffffffffffff";
/// The time at which everything happens.
const TIME: &str = "2026-01-01T00:00:00Z";
/// Maximum length of the explanation of a status.
const MAX_DESCRIPTION: usize = 140;

/// The service that answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    GitHub,
    Gitea,
}

/// Answers a request whose path begins after the base of the interface.
pub(super) fn answer(
    state: &mut State,
    address: &str,
    flavour: Flavour,
    path: &[&str],
    asked: &Asked<'_>,
) -> Reply {
    // The App signs with three parts: the header, the claims and the signature.
    let is_app = asked.token.split('.').count() == 3;
    match (asked.method, path) {
        ("GET", ["repositories", number]) if flavour == Flavour::GitHub => {
            match state.repository(asked.token, number) {
                Ok((number, hosted)) => Reply::new(200, repository(address, number, hosted)),
                Err(refused) => refused,
            }
        }
        ("GET", ["app", "installations"]) if is_app => Reply::new(200, state.installations(asked)),
        ("POST", ["app", "installations", number, "access_tokens"]) if is_app => {
            state.give_token(number, &asked.body)
        }
        ("GET" | "POST", ["app", ..]) => Reply::message(401, "Bad credentials"),
        (_, ["repos", owner, name, rest @ ..]) => {
            match state.repository(asked.token, &format!("{owner}/{name}")) {
                Ok((number, hosted)) => {
                    Place { address, flavour, number }.answer(hosted, rest, asked)
                }
                Err(refused) => refused,
            }
        }
        _ => Reply::not_found(),
    }
}

/// Answers a query: the mutation that marks a pull request as ready for review.
pub(super) fn query(state: &mut State, asked: &Asked<'_>) -> Reply {
    const MUTATION: &str = "markPullRequestReadyForReview";
    if !state.tokens.contains(asked.token) {
        return Reply::message(401, "Bad credentials");
    }
    let is_known = asked.text("query").is_some_and(|query| query.contains(MUTATION));
    let id = asked.body["variables"]["id"].as_str().unwrap_or_default();
    let pulls = state.repositories.iter_mut().flat_map(|(number, hosted)| {
        hosted.pulls.iter_mut().map(|pull| (node(*number, pull.number), pull))
    });
    let pull = pulls.filter(|(node, _)| node == id && is_known).map(|(_, pull)| pull).next();
    let Some(pull) = pull else {
        let error = json!({ "type": "NOT_FOUND", "message": "Could not resolve to a node" });
        return Reply::new(200, json!({ "data": null, "errors": [error] }));
    };
    pull.draft = false;
    let mut data = json!({});
    data[MUTATION] = json!({ "pullRequest": { "isDraft": false } });
    Reply::new(200, json!({ "data": data }))
}

/// Returns the id of a pull request for queries.
fn node(repository: u64, number: u64) -> String {
    format!("PR_{repository}_{number}")
}

fn repository(address: &str, number: u64, hosted: &Hosted) -> Value {
    json!({
        "id": number, "full_name": hosted.name,
        "html_url": format!("{address}/{}", hosted.name),
        "clone_url": hosted.clone_url, "default_branch": hosted.default_branch,
    })
}

struct Place<'a> {
    address: &'a str,
    flavour: Flavour,
    number: u64,
}

impl Place<'_> {
    fn answer(&self, hosted: &mut Hosted, path: &[&str], asked: &Asked<'_>) -> Reply {
        match (asked.method, path) {
            ("GET", ["pulls"]) => self.list(hosted, asked),
            ("POST", ["pulls"]) => self.open(hosted, asked),
            ("GET", ["pulls", number]) => self.one(hosted, number, 200),
            ("PATCH", ["pulls", number]) => self.change(hosted, number, asked),
            ("POST", ["statuses", commit]) => self.status(hosted, commit, asked),
            _ => Reply::not_found(),
        }
    }

    fn one(&self, hosted: &mut Hosted, number: &str, status: u16) -> Reply {
        let Some(pull) = hosted.pull(number).cloned() else { return Reply::not_found() };
        let mut described = self.described(hosted, &pull);
        described["merged"] = Value::from(pull.state == PullState::Merged);
        Reply::new(status, described)
    }

    fn is_draft(&self, pull: &HostedPull) -> bool {
        match self.flavour {
            Flavour::GitHub => pull.draft,
            Flavour::Gitea => ["WIP:", "[WIP]"].iter().any(|mark| pull.title.starts_with(mark)),
        }
    }

    fn described(&self, hosted: &Hosted, pull: &HostedPull) -> Value {
        let head_oid = hosted.head_oid(pull);
        let is_merged = pull.state == PullState::Merged;
        let trial = (self.flavour == Flavour::GitHub).then(|| TRIAL.to_owned());
        let kind = if self.flavour == Flavour::GitHub { "pull" } else { "pulls" };
        let own = json!({ "id": self.number, "full_name": hosted.name });
        let from = match pull.is_from_fork {
            true => json!({ "id": self.number + 1_000, "full_name": "somebody/fork" }),
            false => own.clone(),
        };
        let base_oid = hosted.tip(&pull.base);
        let mut described = json!({
            "id": pull.number + 10_000, "number": pull.number,
            "node_id": node(self.number, pull.number),
            "html_url": format!("{}/{}/{kind}/{}", self.address, hosted.name, pull.number),
            "state": if pull.state == PullState::Open { "open" } else { "closed" },
            "draft": self.is_draft(pull), "title": pull.title, "body": pull.body,
            "user": { "login": "somebody" }, "created_at": TIME, "updated_at": TIME,
            "closed_at": (pull.state != PullState::Open).then_some(TIME),
            "merged_at": is_merged.then_some(TIME),
            "merge_commit_sha": if is_merged { pull.merge_oid.clone() } else { trial },
            "head": { "ref": pull.head, "sha": head_oid, "repo": from },
            "base": { "ref": pull.base, "sha": base_oid.unwrap_or_default(), "repo": own },
        });
        if self.flavour == Flavour::Gitea {
            described["merged"] = Value::from(is_merged);
        }
        described
    }

    fn list(&self, hosted: &Hosted, asked: &Asked<'_>) -> Reply {
        let state = asked.query.get("state").map_or("open", String::as_str);
        let owner = hosted.name.split('/').next().unwrap_or_default();
        let found = hosted.pulls.iter().rev().filter(|pull| {
            let label = match pull.is_from_fork {
                true => format!("somebody:{}", pull.head),
                false => format!("{owner}:{}", pull.head),
            };
            let is_asked = match (self.flavour, asked.query.get("head")) {
                // GitHub ignores a branch without an owner, and Gitea has no such parameter.
                (Flavour::GitHub, Some(head)) if head.contains(':') => *head == label,
                _ => true,
            };
            let base = if self.flavour == Flavour::GitHub { "base" } else { "base_branch" };
            let is_open = pull.state == PullState::Open;
            is_asked
                && asked.is(base, &pull.base)
                && (state == "all" || (state == "open") == is_open)
        });
        let found = found.map(|pull| self.described(hosted, pull)).collect();
        Reply::new(200, asked.page(found))
    }

    fn open(&self, hosted: &mut Hosted, asked: &Asked<'_>) -> Reply {
        let (Some(head), Some(base)) = (asked.text("head"), asked.text("base")) else {
            return self.invalid("head and base are required");
        };
        if hosted.open_between(&head, &base).is_some() {
            return match self.flavour {
                Flavour::GitHub => {
                    let owner = hosted.name.split('/').next().unwrap_or_default();
                    self.invalid(&format!("A pull request already exists for {owner}:{head}."))
                }
                Flavour::Gitea => {
                    Reply::message(409, "pull request already exists for these targets")
                }
            };
        }
        match (hosted.tip(&head), hosted.tip(&base), self.flavour) {
            (Some(one), Some(two), Flavour::GitHub) if one == two && hosted.tips.is_some() => {
                return self.invalid(&format!("No commits between {base} and {head}"));
            }
            (Some(_), Some(_), _) => {}
            (_, _, Flavour::Gitea) => return Reply::not_found(),
            _ => {
                let error =
                    json!({ "resource": "PullRequest", "field": "head", "code": "invalid" });
                return Reply::new(
                    422,
                    json!({ "message": "Validation Failed", "errors": [error] }),
                );
            }
        }
        let pull = hosted.open(&head, &base, false);
        pull.title = asked.text("title").unwrap_or_default();
        pull.body = asked.text("body").unwrap_or_default();
        pull.draft = self.flavour == Flavour::GitHub && asked.body["draft"] == true;
        let number = pull.number.to_string();
        self.one(hosted, &number, 201)
    }

    fn change(&self, hosted: &mut Hosted, number: &str, asked: &Asked<'_>) -> Reply {
        let Some(pull) = hosted.pull(number) else { return Reply::not_found() };
        if self.flavour == Flavour::Gitea && pull.state == PullState::Merged {
            return Reply::message(412, "cannot change state of this pull request");
        }
        pull.title = asked.text("title").unwrap_or_else(|| pull.title.clone());
        pull.body = asked.text("body").unwrap_or_else(|| pull.body.clone());
        if asked.body["state"] == "closed" && pull.state == PullState::Open {
            pull.state = PullState::Closed;
        }
        self.one(hosted, number, if self.flavour == Flavour::Gitea { 201 } else { 200 })
    }

    fn status(&self, hosted: &mut Hosted, commit: &str, asked: &Asked<'_>) -> Reply {
        let state = asked.text("state").unwrap_or_default();
        let description = asked.text("description").unwrap_or_default();
        if !matches!(state.as_str(), "pending" | "success" | "failure" | "error") {
            return self.invalid("state is not included in the list");
        }
        if description.chars().count() > MAX_DESCRIPTION {
            return self.invalid("description is too long (maximum is 140 characters)");
        }
        let context = asked.text("context").unwrap_or_else(|| "default".to_owned());
        let (commit, target_url) = (commit.to_owned(), asked.text("target_url"));
        hosted.set_status(HostedStatus { commit, state, context, description, target_url });
        Reply::new(201, json!({ "id": 1 }))
    }

    fn invalid(&self, message: &str) -> Reply {
        match self.flavour {
            Flavour::GitHub => {
                let error =
                    json!({ "resource": "PullRequest", "code": "custom", "message": message });
                Reply::new(422, json!({ "message": "Validation Failed", "errors": [error] }))
            }
            Flavour::Gitea => Reply::message(422, message),
        }
    }
}
