//! The interface of GitHub, and that of Gitea and Forgejo, which is nearly the same.

use bindery_model::HostingService;
use bindery_outbound::{Method, Url};
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{HostingClient, Opened, PULL_REQUEST, Step};
use super::error::HostingError;
use super::exchange::ServiceAnswer;
use super::pull_request::{NewPullRequest, PullRequest, PullRequestChange, PullRequestState};
use super::{draft, values};

const PULL_REQUESTS: &str = "a list of pull requests";

/// The part of a pull request that is read.
#[derive(Deserialize)]
struct Pull {
    number: u64,
    html_url: String,
    /// The id in the interface of queries, which Gitea does not have.
    #[serde(default)]
    node_id: String,
    state: String,
    #[serde(default)]
    draft: Option<bool>,
    /// Only Gitea has it in lists.
    #[serde(default)]
    merged: Option<bool>,
    #[serde(default)]
    merged_at: Option<String>,
    /// The commit of the merge. For an open pull request at GitHub, that of a trial.
    #[serde(default)]
    merge_commit_sha: Option<String>,
    title: String,
    head: Side,
    base: Side,
}

/// A branch of a pull request.
#[derive(Deserialize)]
struct Side {
    #[serde(rename = "ref")]
    reference: String,
    sha: String,
    /// Absent if the repository was deleted.
    #[serde(default)]
    repo: Option<Repo>,
}

#[derive(Deserialize)]
struct Repo {
    id: u64,
}

impl Pull {
    /// Returns `true` if the branch is one of the same repository.
    fn is_own(&self) -> bool {
        let id = |side: &Side| side.repo.as_ref().map(|repo| repo.id);
        id(&self.head).is_some() && id(&self.head) == id(&self.base)
    }

    fn read(self, service: HostingService) -> Option<PullRequest> {
        let (marked, title) = match service {
            HostingService::Gitea => draft::GITEA.split(&self.title),
            HostingService::Github | HostingService::Gitlab => (false, self.title.as_str()),
        };
        let is_merged = self.merged == Some(true) || self.merged_at.is_some();
        let state = match self.state.as_str() {
            "open" if marked || self.draft == Some(true) => PullRequestState::Draft,
            "open" => PullRequestState::Open,
            "closed" if is_merged => PullRequestState::Merged,
            "closed" => PullRequestState::Closed,
            _ => return None,
        };
        let merge = self.merge_commit_sha.as_deref().filter(|_| is_merged);
        Some(PullRequest {
            number: values::number(self.number)?,
            url: values::address(&self.html_url)?,
            state,
            title: values::title(title),
            head: values::branch(&self.head.reference)?,
            head_oid: values::commit(&self.head.sha),
            base: values::branch(&self.base.reference)?,
            merge_oid: merge.and_then(values::commit),
        })
    }
}

fn one(client: HostingClient<'_>, pull: Pull) -> Result<PullRequest, HostingError> {
    pull.read(client.place.service).ok_or_else(|| client.answer_error(PULL_REQUEST))
}

fn parsed(client: HostingClient<'_>, answer: &ServiceAnswer) -> Result<PullRequest, HostingError> {
    one(client, answer.parse(PULL_REQUEST)?)
}

fn pulls(client: HostingClient<'_>, number: Option<u64>) -> Url {
    match number {
        None => client.place.at(&["pulls"]),
        Some(number) => client.place.at(&["pulls", &number.to_string()]),
    }
}

/// Lists pull requests of GitHub or Gitea that `keep` accepts, up to the first after which it asks
/// to stop.
async fn list(
    client: HostingClient<'_>,
    query: &[(&str, &str)],
    mut keep: impl FnMut(&PullRequest) -> (bool, Step),
) -> Result<Vec<PullRequest>, HostingError> {
    let mut url = pulls(client, None);
    url.query_pairs_mut().extend_pairs(query);
    let size = match client.place.service {
        HostingService::Gitea => "limit",
        HostingService::Github | HostingService::Gitlab => "per_page",
    };
    let mut found = Vec::new();
    client
        .pages(&url, size, PULL_REQUESTS, |pull: Pull| {
            if !pull.is_own() {
                return Ok(Step::Next);
            }
            let pull = one(client, pull)?;
            let (is_kept, step) = keep(&pull);
            if is_kept {
                found.push(pull);
            }
            Ok(step)
        })
        .await?;
    Ok(found)
}

/// Lists the pull requests of GitHub from a branch.
pub(super) async fn list_from(
    client: HostingClient<'_>,
    head: &str,
) -> Result<Vec<PullRequest>, HostingError> {
    let head = format!("{}:{head}", client.place.owner_and_name().0);
    let query = [("state", "all"), ("sort", "created"), ("direction", "desc"), ("head", &head)];
    list(client, &query, |_| (true, Step::Next)).await
}

/// Searches the pull requests of Gitea, which cannot list those of one branch.
pub(super) async fn search_from(
    client: HostingClient<'_>,
    head: &str,
    base: Option<&str>,
) -> Result<Vec<PullRequest>, HostingError> {
    for state in ["open", "closed"] {
        // The first one is the newest one.
        let query = [("state", state)];
        let found = list(client, &query, |pull| {
            let is_asked = pull.head == head && base.is_none_or(|base| pull.base == base);
            (is_asked, if is_asked { Step::Stop } else { Step::Next })
        })
        .await?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

pub(super) async fn get(
    client: HostingClient<'_>,
    number: u64,
) -> Result<Option<PullRequest>, HostingError> {
    let answer = client.call(Method::GET, pulls(client, Some(number)), None).await?;
    match answer.status {
        404 => Ok(None),
        _ => parsed(client, &answer.expect(&[200])?).map(Some),
    }
}

/// Opens a pull request at GitHub. Private repositories of some plans have no drafts.
pub(super) async fn open(
    client: HostingClient<'_>,
    new: &NewPullRequest,
) -> Result<Opened, HostingError> {
    let NewPullRequest { title, body, head, base, draft } = new;
    let body = |draft: bool| json!({ "title": title, "body": body, "head": head, "base": base, "draft": draft });
    let mut answer = client.call(Method::POST, pulls(client, None), Some(body(*draft))).await?;
    if answer.status == 422 && *draft && answer.reason().to_lowercase().contains("draft pull") {
        answer = client.call(Method::POST, pulls(client, None), Some(body(false))).await?;
    }
    opened(client, answer)
}

pub(super) async fn open_at_gitea(
    client: HostingClient<'_>,
    new: &NewPullRequest,
) -> Result<Opened, HostingError> {
    let NewPullRequest { title, body, head, base, draft: is_draft } = new;
    let title = draft::GITEA.set(title, *is_draft);
    let body = json!({ "title": title, "body": body, "head": head, "base": base });
    opened(client, client.call(Method::POST, pulls(client, None), Some(body)).await?)
}

fn opened(client: HostingClient<'_>, answer: ServiceAnswer) -> Result<Opened, HostingError> {
    match answer.status {
        409 | 422 => Ok(Opened::Refused(answer.unexpected())),
        _ => parsed(client, &answer.expect(&[201])?).map(Opened::Done),
    }
}

pub(super) async fn update(
    client: HostingClient<'_>,
    number: u64,
    change: &PullRequestChange,
) -> Result<PullRequest, HostingError> {
    let changed = patch(client, number, fields(change)).await?;
    let node = changed.node_id.clone();
    let changed = one(client, changed)?;
    if !change.is_ready || changed.state != PullRequestState::Draft {
        return Ok(changed);
    }
    mark_ready(client, &node).await?;
    Ok(PullRequest { state: PullRequestState::Open, ..changed })
}

fn fields(change: &PullRequestChange) -> Value {
    let mut body = json!({});
    for (name, value) in [("title", &change.title), ("body", &change.body)] {
        if let Some(value) = value {
            body[name] = Value::from(value.as_str());
        }
    }
    body
}

/// Marks a draft at GitHub as ready for review. Only its interface of queries can do so.
async fn mark_ready(client: HostingClient<'_>, node: &str) -> Result<(), HostingError> {
    let query = "mutation($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) \
                 { pullRequest { isDraft } } }";
    let body = json!({ "query": query, "variables": { "id": node } });
    let answer = client.call(Method::POST, client.place.queries(), Some(body)).await?;
    let answer = answer.expect(&[200])?;
    // Errors have the same status as results.
    let result: Value = answer.parse("the result of a query")?;
    let changed = &result["data"]["markPullRequestReadyForReview"]["pullRequest"];
    if changed["isDraft"] == false { Ok(()) } else { Err(answer.unexpected()) }
}

/// Changes a pull request of Gitea, whose title says that it is a draft.
pub(super) async fn update_at_gitea(
    client: HostingClient<'_>,
    number: u64,
    change: &PullRequestChange,
) -> Result<PullRequest, HostingError> {
    let mut change = change.clone();
    if change.title.is_some() || change.is_ready {
        let known = get(client, number).await?.ok_or_else(|| client.missing())?;
        change.title = Some(draft::GITEA.changed(&known, &change));
    }
    one(client, patch(client, number, fields(&change)).await?)
}

pub(super) async fn close(
    client: HostingClient<'_>,
    number: u64,
) -> Result<PullRequest, HostingError> {
    // Gitea refuses to close one that was merged.
    let known = get(client, number).await?.ok_or_else(|| client.missing())?;
    if !known.state.is_open() {
        return Ok(known);
    }
    one(client, patch(client, number, json!({ "state": "closed" })).await?)
}

async fn patch(client: HostingClient<'_>, number: u64, body: Value) -> Result<Pull, HostingError> {
    let answer = client.call(Method::PATCH, pulls(client, Some(number)), Some(body)).await?;
    // Gitea answers with 201.
    answer.expect(&[200, 201])?.parse(PULL_REQUEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OID: &str = "0123456789abcdef0123456789abcdef01234567";

    /// Reads an open pull request in which fields are replaced.
    fn read(service: HostingService, with: Value) -> Option<PullRequest> {
        let mut pull = json!({
            "number": 7, "html_url": "https://git.example/team/docs/pull/7", "state": "open",
            "title": "Add a page", "merge_commit_sha": OID,
            "head": { "ref": "topic", "sha": OID, "repo": { "id": 3 } },
            "base": { "ref": "main", "sha": OID, "repo": { "id": 3 } },
        });
        for (name, value) in with.as_object().unwrap() {
            pull[name] = value.clone();
        }
        serde_json::from_value::<Pull>(pull).ok()?.read(service)
    }

    #[test]
    fn states_are_read() {
        use HostingService::{Gitea, Github};
        use PullRequestState::{Closed, Draft, Merged, Open};
        for (service, with, expect, has_merge) in [
            (Github, json!({}), Open, false),
            (Github, json!({ "draft": true }), Draft, false),
            (Github, json!({ "title": "WIP: x" }), Open, false),
            (Github, json!({ "state": "closed", "draft": true, "merged_at": null }), Closed, false),
            (
                Github,
                json!({ "state": "closed", "merged_at": "2026-01-01T00:00:00Z" }),
                Merged,
                true,
            ),
            (Gitea, json!({ "title": "WIP: x" }), Draft, false),
            (Gitea, json!({ "title": "[wip] x" }), Draft, false),
            (Gitea, json!({ "draft": true }), Draft, false),
            (Gitea, json!({ "state": "closed", "merged": true }), Merged, true),
            (Gitea, json!({ "state": "closed", "merged": false }), Closed, false),
        ] {
            let found = read(service, with.clone()).unwrap();
            assert_eq!(found.state, expect, "{with}");
            assert_eq!(found.merge_oid.is_some(), has_merge, "{with}");
        }
    }

    #[test]
    fn hostile_answers_are_refused() {
        let side = |name: &str| json!({ "ref": name, "sha": OID, "repo": { "id": 3 } });
        for with in [
            json!({ "number": 0 }),
            json!({ "number": -1 }),
            json!({ "number": u64::MAX }),
            json!({ "html_url": "javascript:alert(1)" }),
            json!({ "html_url": null }),
            json!({ "state": "odd" }),
            json!({ "head": side("a\nb") }),
            json!({ "base": side("") }),
            json!({ "title": 7 }),
        ] {
            assert_eq!(read(HostingService::Github, with.clone()), None, "{with}");
        }
        let with = json!({
            "title": "a\u{1b}[2J\nb",
            "head": { "ref": "topic", "sha": "../../secret", "repo": null },
        });
        let found = read(HostingService::Github, with).unwrap();
        assert_eq!((found.title.as_str(), found.head_oid), ("a [2J b", None));
    }

    #[test]
    fn branches_of_other_repositories_are_recognised() {
        for (head, base, expect) in [
            (json!({ "id": 3 }), json!({ "id": 3 }), true),
            (json!({ "id": 4 }), json!({ "id": 3 }), false),
            (Value::Null, json!({ "id": 3 }), false),
            (Value::Null, Value::Null, false),
        ] {
            let side = |repo: &Value| json!({ "ref": "x", "sha": OID, "repo": repo });
            let pull = json!({
                "number": 7, "html_url": "", "state": "open", "title": "",
                "head": side(&head), "base": side(&base),
            });
            let pull: Pull = serde_json::from_value(pull).unwrap();
            assert_eq!(pull.is_own(), expect, "{head} {base}");
        }
    }
}
