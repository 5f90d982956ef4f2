//! The paths of GitLab below `/api/v4`.

use serde_json::{Value, json};

use super::state::{Asked, Hosted, HostedHook, HostedPull, HostedStatus, PullState, Reply, State};

/// The events that a webhook can send.
const EVENTS: [&str; 3] = ["push_events", "merge_requests_events", "tag_push_events"];

/// Answers a request whose path begins after the base of the interface.
pub(super) fn answer(state: &mut State, address: &str, path: &[&str], asked: &Asked<'_>) -> Reply {
    let ["projects", project, rest @ ..] = path else { return Reply::not_found() };
    let next_hook = state.given_hooks + 1;
    let (number, hosted) = match state.repository(asked.token, project) {
        Ok(found) => found,
        Err(refused) => return refused,
    };
    let place = Place { address, number };
    match (asked.method, rest) {
        ("GET", []) => Reply::new(200, place.project(hosted)),
        ("GET", ["merge_requests"]) => place.list(hosted, asked),
        ("POST", ["merge_requests"]) => place.open(hosted, asked),
        ("GET", ["merge_requests", number]) => place.one(hosted, number, 200),
        ("PUT", ["merge_requests", number]) => place.change(hosted, number, asked),
        ("POST", ["statuses", commit]) => status(hosted, commit, asked),
        ("GET", ["hooks"]) => Reply::new(200, asked.page(hosted.hooks.iter().map(hook).collect())),
        ("POST", ["hooks"]) => {
            let added = changed_hook(next_hook, None, asked);
            let answer = Reply::new(201, hook(&added));
            hosted.hooks.push(added);
            state.given_hooks = next_hook;
            answer
        }
        (method, ["hooks", id]) => one_hook(hosted, method, id, asked),
        _ => Reply::not_found(),
    }
}

struct Place<'a> {
    address: &'a str,
    number: u64,
}

impl Place<'_> {
    fn project(&self, hosted: &Hosted) -> Value {
        json!({
            "id": self.number, "path_with_namespace": hosted.name,
            "web_url": format!("{}/{}", self.address, hosted.name),
            "http_url_to_repo": hosted.clone_url,
            "default_branch": hosted.default_branch,
        })
    }

    fn one(&self, hosted: &mut Hosted, number: &str, status: u16) -> Reply {
        let Some(pull) = hosted.pull(number).cloned() else { return Reply::not_found() };
        Reply::new(status, self.described(hosted, &pull))
    }

    fn described(&self, hosted: &Hosted, pull: &HostedPull) -> Value {
        let state = match pull.state {
            PullState::Open => "opened",
            PullState::Merged => "merged",
            PullState::Closed => "closed",
        };
        let source = if pull.is_from_fork { self.number + 1_000 } else { self.number };
        let web_url = format!("{}/{}/-/merge_requests/{}", self.address, hosted.name, pull.number);
        json!({
            "id": pull.number + 10_000, "iid": pull.number, "project_id": self.number,
            "web_url": web_url, "state": state, "draft": pull.title.starts_with("Draft:"),
            "title": pull.title, "description": pull.body, "sha": hosted.head_oid(pull),
            "source_branch": pull.head, "target_branch": pull.base,
            "source_project_id": source, "target_project_id": self.number,
            "merge_commit_sha": pull.merge_oid, "squash_commit_sha": null,
        })
    }

    fn list(&self, hosted: &Hosted, asked: &Asked<'_>) -> Reply {
        let found = hosted.pulls.iter().rev().filter(|pull| {
            let state = match pull.state {
                PullState::Open => "opened",
                PullState::Merged => "merged",
                PullState::Closed => "closed",
            };
            asked.is("source_branch", &pull.head)
                && asked.is("target_branch", &pull.base)
                && (asked.is("state", state) || asked.is("state", "all"))
        });
        let found = found.map(|pull| self.described(hosted, pull)).collect();
        Reply::new(200, asked.page(found))
    }

    fn open(&self, hosted: &mut Hosted, asked: &Asked<'_>) -> Reply {
        let field = |name: &str| asked.text(name).unwrap_or_default();
        let (head, base) = (field("source_branch"), field("target_branch"));
        if head == base {
            let message = "You can't use same project/branch for source and target";
            return Reply::new(422, json!({ "message": [message] }));
        }
        if let Some(known) = hosted.open_between(&head, &base) {
            let message = format!(
                "Another open merge request already exists for this source branch: !{}",
                known.number
            );
            return Reply::new(409, json!({ "message": [message] }));
        }
        for (name, branch) in [("source_branch", &head), ("target_branch", &base)] {
            if hosted.tip(branch).is_none() {
                let mut message = json!({});
                message[name] = json!(["does not exist"]);
                return Reply::new(400, json!({ "message": message }));
            }
        }
        let (title, body) = (field("title"), field("description"));
        let pull = hosted.open(&head, &base, false);
        (pull.title, pull.body) = (title, body);
        let number = pull.number.to_string();
        self.one(hosted, &number, 201)
    }

    fn change(&self, hosted: &mut Hosted, number: &str, asked: &Asked<'_>) -> Reply {
        let Some(pull) = hosted.pull(number) else { return Reply::not_found() };
        pull.title = asked.text("title").unwrap_or_else(|| pull.title.clone());
        pull.body = asked.text("description").unwrap_or_else(|| pull.body.clone());
        if asked.body["state_event"] == "close" && pull.state == PullState::Open {
            pull.state = PullState::Closed;
        }
        self.one(hosted, number, 200)
    }
}

fn status(hosted: &mut Hosted, commit: &str, asked: &Asked<'_>) -> Reply {
    let field = |name: &str| asked.text(name).unwrap_or_default();
    let (state, context) = (field("state"), field("name"));
    if !matches!(state.as_str(), "pending" | "running" | "success" | "failed" | "canceled") {
        return Reply::message(400, "state does not have a valid value");
    }
    let is_pending = hosted.statuses.iter().any(|known| {
        known.commit == commit && known.context == context && known.state == "pending"
    });
    if is_pending && state == "pending" {
        let message = "Cannot transition status via :enqueue from :pending (Reason(s): Status \
                       cannot transition via \"enqueue\")";
        return Reply::message(400, message);
    }
    let (commit, description) = (commit.to_owned(), field("description"));
    let target_url = asked.text("target_url");
    hosted.set_status(HostedStatus { commit, state, context, description, target_url });
    Reply::new(201, json!({ "id": 1 }))
}

/// Describes a webhook, without its secret.
fn hook(hook: &HostedHook) -> Value {
    let mut described = json!({
        "id": hook.id, "url": hook.url, "enable_ssl_verification": hook.verifies,
    });
    for event in EVENTS {
        described[event] = Value::from(hook.events.contains(event));
    }
    described
}

/// Returns a webhook with the values of a request.
fn changed_hook(id: u64, before: Option<&HostedHook>, asked: &Asked<'_>) -> HostedHook {
    let mut hook = before.cloned().unwrap_or_else(|| HostedHook {
        id,
        url: String::new(),
        token: String::new(),
        events: ["push_events".to_owned()].into(),
        verifies: true,
    });
    hook.url = asked.text("url").unwrap_or(hook.url);
    hook.token = asked.text("token").unwrap_or(hook.token);
    hook.verifies = asked.body["enable_ssl_verification"].as_bool().unwrap_or(hook.verifies);
    for event in EVENTS {
        match asked.body[event].as_bool() {
            Some(true) => drop(hook.events.insert(event.to_owned())),
            Some(false) => drop(hook.events.remove(event)),
            None => {}
        }
    }
    hook
}

fn one_hook(hosted: &mut Hosted, method: &str, id: &str, asked: &Asked<'_>) -> Reply {
    let found = hosted.hooks.iter().position(|hook| hook.id.to_string() == id);
    let Some(index) = found else { return Reply::not_found() };
    match method {
        "GET" => Reply::new(200, hook(&hosted.hooks[index])),
        "PUT" => {
            let known = &hosted.hooks[index];
            hosted.hooks[index] = changed_hook(known.id, Some(known), asked);
            Reply::new(200, hook(&hosted.hooks[index]))
        }
        "DELETE" => {
            hosted.hooks.remove(index);
            Reply::new(204, Value::Null)
        }
        _ => Reply::message(405, "405 Method Not Allowed"),
    }
}
