//! The interface of GitLab, whose pull requests are named merge requests.

use bindery_outbound::{Method, Url};
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{HostingClient, Opened, PULL_REQUEST, Step};
use super::error::HostingError;
use super::exchange::ServiceAnswer;
use super::pull_request::{NewPullRequest, PullRequest, PullRequestChange, PullRequestState};
use super::{draft, values};

const MERGE_REQUESTS: &str = "a list of merge requests";

/// The part of a merge request that is read.
#[derive(Deserialize)]
struct MergeRequest {
    iid: u64,
    web_url: String,
    state: String,
    #[serde(default)]
    draft: Option<bool>,
    title: String,
    /// The commit at the source branch.
    #[serde(default)]
    sha: Option<String>,
    source_branch: String,
    target_branch: String,
    /// Absent if the project was deleted.
    #[serde(default)]
    source_project_id: Option<u64>,
    target_project_id: u64,
    /// Absent after a merge that moved the branch without a commit of its own.
    #[serde(default)]
    merge_commit_sha: Option<String>,
    #[serde(default)]
    squash_commit_sha: Option<String>,
}

impl MergeRequest {
    /// Returns `true` if the branch is one of the same project.
    fn is_own(&self) -> bool {
        self.source_project_id == Some(self.target_project_id)
    }

    fn read(self) -> Option<PullRequest> {
        let (marked, title) = draft::GITLAB.split(&self.title);
        let state = match self.state.as_str() {
            // A merge request is locked for a moment while it is merged.
            "opened" | "locked" if self.draft.unwrap_or(marked) => PullRequestState::Draft,
            "opened" | "locked" => PullRequestState::Open,
            "merged" => PullRequestState::Merged,
            "closed" => PullRequestState::Closed,
            _ => return None,
        };
        let merge = [&self.merge_commit_sha, &self.squash_commit_sha, &self.sha];
        let merge = merge.into_iter().flatten().next();
        let merge = merge.filter(|_| state == PullRequestState::Merged);
        Some(PullRequest {
            number: values::number(self.iid)?,
            url: values::address(&self.web_url)?,
            state,
            title: values::title(title),
            head: values::branch(&self.source_branch)?,
            head_oid: self.sha.as_deref().and_then(values::commit),
            base: values::branch(&self.target_branch)?,
            merge_oid: merge.and_then(|merge| values::commit(merge)),
        })
    }
}

fn one(client: HostingClient<'_>, found: MergeRequest) -> Result<PullRequest, HostingError> {
    found.read().ok_or_else(|| client.answer_error(PULL_REQUEST))
}

fn parsed(client: HostingClient<'_>, answer: &ServiceAnswer) -> Result<PullRequest, HostingError> {
    one(client, answer.parse(PULL_REQUEST)?)
}

fn merge_requests(client: HostingClient<'_>, number: Option<u64>) -> Url {
    match number {
        None => client.place.at(&["merge_requests"]),
        Some(number) => client.place.at(&["merge_requests", &number.to_string()]),
    }
}

async fn list(
    client: HostingClient<'_>,
    query: &[(&str, &str)],
) -> Result<Vec<PullRequest>, HostingError> {
    let mut url = merge_requests(client, None);
    url.query_pairs_mut()
        .extend_pairs(query)
        .append_pair("order_by", "created_at")
        .append_pair("sort", "desc");
    let mut found = Vec::new();
    client
        .pages(&url, "per_page", MERGE_REQUESTS, |entry: MergeRequest| {
            if entry.is_own() {
                found.push(one(client, entry)?);
            }
            Ok(Step::Next)
        })
        .await?;
    Ok(found)
}

/// Lists the merge requests from a branch.
pub(super) async fn list_from(
    client: HostingClient<'_>,
    head: &str,
) -> Result<Vec<PullRequest>, HostingError> {
    list(client, &[("source_branch", head), ("state", "all")]).await
}

pub(super) async fn get(
    client: HostingClient<'_>,
    number: u64,
) -> Result<Option<PullRequest>, HostingError> {
    let answer = client.call(Method::GET, merge_requests(client, Some(number)), None).await?;
    match answer.status {
        404 => Ok(None),
        _ => parsed(client, &answer.expect(&[200])?).map(Some),
    }
}

pub(super) async fn open(
    client: HostingClient<'_>,
    new: &NewPullRequest,
) -> Result<Opened, HostingError> {
    let NewPullRequest { title, body, head, base, draft: is_draft } = new;
    let body = json!({
        "title": draft::GITLAB.set(title, *is_draft), "description": body,
        "source_branch": head, "target_branch": base,
    });
    let answer = client.call(Method::POST, merge_requests(client, None), Some(body)).await?;
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
    let mut body = json!({});
    if change.title.is_some() || change.is_ready {
        let known = known(client, number).await?;
        body["title"] = Value::from(draft::GITLAB.changed(&known, change));
    }
    if let Some(text) = &change.body {
        body["description"] = Value::from(text.as_str());
    }
    put(client, number, body).await
}

pub(super) async fn close(
    client: HostingClient<'_>,
    number: u64,
) -> Result<PullRequest, HostingError> {
    let known = known(client, number).await?;
    if !known.state.is_open() {
        return Ok(known);
    }
    put(client, number, json!({ "state_event": "close" })).await
}

async fn known(client: HostingClient<'_>, number: u64) -> Result<PullRequest, HostingError> {
    let known = get(client, number).await?;
    known.ok_or_else(|| client.missing())
}

async fn put(
    client: HostingClient<'_>,
    number: u64,
    body: Value,
) -> Result<PullRequest, HostingError> {
    let url = merge_requests(client, Some(number));
    parsed(client, &client.call(Method::PUT, url, Some(body)).await?.expect(&[200])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OID: &str = "0123456789abcdef0123456789abcdef01234567";
    const MERGE: &str = "89abcdef0123456789abcdef0123456789abcdef";

    fn described(with: Value) -> Value {
        let mut found = json!({
            "iid": 7, "web_url": "https://git.example/team/docs/-/merge_requests/7",
            "state": "opened", "draft": false, "title": "Add a page", "sha": OID,
            "source_branch": "topic", "target_branch": "main",
            "source_project_id": 3, "target_project_id": 3,
        });
        for (name, value) in with.as_object().unwrap() {
            found[name] = value.clone();
        }
        found
    }

    fn read(with: Value) -> Option<PullRequest> {
        serde_json::from_value::<MergeRequest>(described(with)).ok()?.read()
    }

    #[test]
    fn states_are_read() {
        use PullRequestState::{Closed, Draft, Merged, Open};
        let merged = |with: Value| {
            let mut all = json!({ "state": "merged" });
            for (name, value) in with.as_object().unwrap() {
                all[name] = value.clone();
            }
            all
        };
        for (with, state, merge) in [
            (json!({}), Open, None),
            (json!({ "state": "locked" }), Open, None),
            (json!({ "draft": true, "title": "Draft: x" }), Draft, None),
            (json!({ "draft": null, "title": "[Draft] x" }), Draft, None),
            (json!({ "state": "closed" }), Closed, None),
            (merged(json!({ "merge_commit_sha": MERGE })), Merged, Some(MERGE)),
            (merged(json!({ "squash_commit_sha": MERGE })), Merged, Some(MERGE)),
            (merged(json!({})), Merged, Some(OID)),
        ] {
            let found = read(with.clone()).unwrap();
            assert_eq!((found.state, found.merge_oid.as_deref()), (state, merge), "{with}");
        }
        let draft = read(json!({ "draft": true, "title": "Draft: x" })).unwrap();
        assert_eq!(draft.title, "x");
    }

    #[test]
    fn hostile_answers_are_refused() {
        for with in [
            json!({ "iid": 0 }),
            json!({ "iid": "7" }),
            json!({ "web_url": "javascript:alert(1)" }),
            json!({ "web_url": "https://user:word@git.example/" }),
            json!({ "state": "odd" }),
            json!({ "source_branch": "a\nb" }),
            json!({ "target_branch": "x".repeat(5_000) }),
            json!({ "target_project_id": null }),
        ] {
            assert_eq!(read(with.clone()), None, "{with}");
        }
        let found = read(json!({ "sha": "x", "title": "a\u{202e}b" })).unwrap();
        assert_eq!((found.title.as_str(), found.head_oid), ("a b", None));
    }

    #[test]
    fn branches_of_other_projects_are_recognised() {
        for (with, expect) in [
            (json!({}), true),
            (json!({ "source_project_id": 4 }), false),
            (json!({ "source_project_id": null }), false),
        ] {
            let found: MergeRequest = serde_json::from_value(described(with.clone())).unwrap();
            assert_eq!(found.is_own(), expect, "{with}");
        }
    }
}
