//! Two organizations with one item of every kind each, and callers from one who request items of
//! the other.

use std::collections::BTreeMap;
use std::{fmt, mem};

use bindery_contract::{Contract, Method, Operation};
use bindery_testkit::git_server::GitServer;
use bindery_testkit::{Answer, Client};
use serde_json::{Map, Value, json};

use crate::support::TestEnv;
use crate::support::every_operation::{Ids, about, attempt, built, one_of_everything, with_new};
use crate::support::people::second_organization;

/// The title of all hidden items. It must not be in any response.
pub(crate) const HIDDEN: &str = "Zanzibar";

/// The ids of an organization. The space and the change request have different comments.
#[derive(Clone)]
pub(crate) struct TestIds {
    in_space: Ids,
    in_change_request: Ids,
}

impl TestIds {
    /// Returns the ids that an operation is called with.
    pub(crate) fn of(&self, operation: &Operation) -> &Ids {
        match operation.path.contains("{changeRequestId}") {
            true => &self.in_change_request,
            false => &self.in_space,
        }
    }

    /// Returns well-formed ids that do not exist.
    fn nonexistent(&self) -> Self {
        let nonexistent =
            |ids: &Ids| ids.iter().map(|(name, id)| (*name, nonexistent_id(id))).collect();
        Self {
            in_space: nonexistent(&self.in_space),
            in_change_request: nonexistent(&self.in_change_request),
        }
    }
}

/// Returns an id of the same form that does not exist.
fn nonexistent_id(id: &str) -> String {
    match id.rsplit_once('-') {
        Some((head, tail)) if id.len() == 36 => {
            format!("{head}-{}", tail.chars().rev().collect::<String>())
        }
        _ => id.chars().rev().collect(),
    }
}

/// A caller who requests items of another organization.
pub(crate) struct Observer {
    pub(crate) name: &'static str,
    pub(crate) client: Client,
    /// The path parameters whose items in the other organization are visible to the caller.
    pub(crate) sees: &'static [&'static str],
}

/// Two organizations with one item of every kind each, and callers from one who request items of
/// the other.
pub(crate) struct TwoOrganizations {
    /// The items of the observers' own organization, where they are administrators.
    pub(crate) own: TestIds,
    /// The items of another space in the same organization.
    pub(crate) beside: TestIds,
    /// The items of the other organization, which no observer sees.
    pub(crate) hidden: TestIds,
    /// Ids that do not exist.
    pub(crate) never: TestIds,
    pub(crate) observers: Vec<Observer>,
    /// The administrator of the other organization.
    other_admin: Client,
    _git: [GitServer; 3],
}

impl TwoOrganizations {
    pub(crate) async fn create(env: &mut TestEnv) -> Self {
        let second = second_organization(env).await;
        let first = env.organization.clone();
        let other_admin = member(env, "host@zanzibar.example", &first, Some("admin")).await;
        let ada = member(env, "ada@example.com", &second, Some("admin")).await;
        let git = [GitServer::start(), GitServer::start(), GitServer::start()];
        let hidden = everything(env, &git[0], (&other_admin, &first), HIDDEN).await;
        let own = everything(env, &git[1], (&ada, &second), "Own").await;
        let beside = everything(env, &git[2], (&ada, &second), "Beside").await;
        for (client, known) in [(&other_admin, &hidden), (&ada, &own), (&ada, &beside)] {
            let call = client.call("updateSpaceById").path("spaceId", &known.in_space["spaceId"]);
            let _template = call.json(&json!({ "template": true })).send().await.expect(200);
        }
        for (operation, name) in
            [("updateSpaceById", "spaceId"), ("updateCollectionById", "collectionId")]
        {
            let call = other_admin.call(operation).path(name, &hidden.in_space[name]);
            let _closed = call.json(&json!({ "defaultLevel": null })).send().await.expect(200);
        }
        let guest = member(env, "guest@example.com", &first, None).await;
        let member_there = member(env, "member@example.com", &first, Some("review")).await;
        for (person, email) in
            [(&guest, "guest@example.com"), (&member_there, "member@example.com")]
        {
            env.join(person, &second, email, Some("admin")).await;
        }
        let observers = vec![
            Observer { name: "a stranger", client: ada, sees: &[] },
            Observer { name: "a guest", client: guest, sees: &["organizationId"] },
            Observer {
                name: "a member",
                client: member_there,
                sees: &[
                    "organizationId",
                    "siteId",
                    "subdomain",
                    "userId",
                    "teamId",
                    "inviteId",
                    "fontId",
                    "versionId",
                    "hostname",
                ],
            },
        ];
        let never = hidden.nonexistent();
        Self { own, beside, hidden, never, observers, other_admin, _git: git }
    }

    /// Asserts that everything in the other organization is unchanged.
    pub(crate) async fn check_untouched(&self, before: &BTreeMap<&'static str, Value>) {
        for (operation, now) in self.hidden_state().await {
            assert_eq!(now, before[operation], "{operation} answers otherwise now");
        }
    }

    /// Returns everything that the administrator of the other organization can read of it.
    pub(crate) async fn hidden_state(&self) -> BTreeMap<&'static str, Value> {
        let mut state = BTreeMap::new();
        let reads = built().filter(|operation| operation.method == Method::Get);
        // The address of a preview contains the time.
        let reads = reads.filter(|operation| operation.id != "getSitePublishingPreviewById");
        for operation in reads.filter(|operation| operation.path.contains('{')) {
            let ids = self.hidden.of(operation);
            let mut json = attempt(&self.other_admin, operation, ids).await.json;
            if operation.id == "listOrganizationAuditEvents" {
                // The observers are members of both, and their use of tokens is recorded in both.
                let call = about(&self.other_admin, operation, ids).query("limit", 100);
                let list = call.query("actor", &ids["userId"]).send().await.expect(200);
                json = list.json;
            }
            without(&mut json, "lastSeenAt");
            state.insert(operation.id.as_str(), json);
        }
        state
    }
}

/// Removes a field from a value at any depth.
fn without(value: &mut Value, field: &str) {
    match value {
        Value::Object(fields) => {
            fields.remove(field);
            fields.values_mut().for_each(|value| without(value, field));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| without(item, field)),
        _ => {}
    }
}

async fn member(env: &TestEnv, email: &str, organization: &str, role: Option<&str>) -> Client {
    let body = json!({
        "email": email, "displayName": email, "organization": organization, "role": role,
        "token": true,
    });
    let made = env.client.call("createUser").json(&body).send().await.expect(201);
    env.client.with_token(made.text_at("/token"))
}

/// Creates one item of every kind in an organization, as its administrator.
async fn everything(
    env: &mut TestEnv,
    git: &GitServer,
    (administrator, organization): (&Client, &str),
    title: &str,
) -> TestIds {
    let client = mem::replace(&mut env.client, administrator.clone());
    let first = mem::replace(&mut env.organization, organization.to_owned());
    let mut ids = one_of_everything(env, git, title).await;
    let user = administrator.call("getAuthenticatedUser").send().await.expect(200);
    ids.insert("mail", user.text_at("/email").to_owned());
    let operation = |id: &str| Contract::embedded().operation(id).unwrap();
    let ids = with_new(env, operation("getTeamInOrganizationById"), &ids).await;
    let known = TestIds {
        in_space: with_new(env, operation("getCommentReplyInSpace"), &ids).await,
        in_change_request: with_new(env, operation("getCommentReplyInChangeRequest"), &ids).await,
    };
    env.client = client;
    env.organization = first;
    known
}

/// A response for hidden items, next to a response for items that do not exist.
pub(crate) struct Comparison {
    what: String,
    answers: [Answer; 2],
    /// The values that were sent, with the names that replace them in the comparison.
    sent: [Vec<(String, String)>; 2],
}

impl Comparison {
    pub(crate) fn new(
        what: String,
        answers: [Answer; 2],
        sent: [Vec<(String, String)>; 2],
    ) -> Self {
        Self { what, answers, sent }
    }

    /// Describes how the responses differ, or which hidden value they contain. Returns `None` if
    /// they reveal nothing.
    pub(crate) fn leak(&self, hidden: &TestIds, sees: &[&str]) -> Option<String> {
        let [one, other] = [0, 1].map(|at| told(&self.answers[at], &self.sent[at]));
        if one != other {
            let (one, other) = (format!("{one:?}"), format!("{other:?}"));
            let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other);
            let from = same.count().saturating_sub(200);
            let part = |text: &str| String::from_utf8_lossy(&text.as_bytes()[from..]).into_owned();
            let what = format!("{}: {}", self.what, self.answers[0]);
            return Some(format!("{what}\n  …{:.400}\n  …{:.400}", part(&one), part(&other)));
        }
        let (_, _, text) = one;
        let secrets = hidden.in_space.iter().chain(&hidden.in_change_request);
        let secrets = secrets.filter(|(name, id)| !sees.contains(name) && id.len() >= 20);
        let told = secrets.map(|(_, id)| id.as_str()).chain([HIDDEN, "zanzibar"]);
        let told = told.into_iter().find(|secret| text.contains(secret))?;
        Some(format!("{} tells {told}: {}", self.what, self.answers[0]))
    }

    /// Returns `true` if the item was not found. DELETE of something that does not exist succeeds.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self.answers[0].status, 404 | 204)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.answers[0])
    }
}

/// Returns a response with the sent values replaced by their names. In successful responses, new
/// ids, times and block keys are replaced too, since they differ between requests.
fn told(answer: &Answer, sent: &[(String, String)]) -> (u16, Vec<(String, String)>, String) {
    let text = sent.iter().fold(answer.text(), |text, (name, id)| text.replace(id, name));
    if answer.status < 300 && !answer.json.is_null() {
        let mut json = serde_json::from_str(&text).unwrap();
        normalize(&mut json);
        return (answer.status, Vec::new(), json.to_string());
    }
    let mut headers: Vec<_> = answer
        .headers
        .iter()
        // The remaining rate limit changes with each request of the caller.
        .filter(|(name, _)| !name.as_str().starts_with("ratelimit"))
        .filter(|(name, _)| !["date", "x-request-id"].contains(&name.as_str()))
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()))
        .collect();
    headers.sort();
    (answer.status, headers, text)
}

/// Replaces the values that differ between any two responses.
fn normalize(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let mut settled = Map::new();
            for (name, mut value) in mem::take(fields) {
                normalize(&mut value);
                // The document id depends on the whole content of the page.
                if name != "documentId" {
                    settled.insert(without_ids(&name), value);
                }
            }
            *fields = settled;
        }
        Value::Array(items) => items.iter_mut().for_each(normalize),
        Value::String(text) if text.len() == 24 && text.ends_with('Z') => "a time".clone_into(text),
        Value::String(text) => *text = without_ids(text),
        _ => {}
    }
}

/// Replaces each id, key and token with "an id", and removes the signature of an address.
fn without_ids(text: &str) -> String {
    let text = text.split("&sig=").next().unwrap();
    let is_other = |c: char| !c.is_alphanumeric() && c != '_';
    let is_id = |run: &str| {
        let has_digits = run.contains(|c: char| c.is_ascii_digit());
        run.len() == 20 || (run.len() >= 16 && has_digits) || run.starts_with("bnd_")
    };
    let runs = text.split_inclusive(is_other).map(|run| {
        let (name, rest) = run.split_at(run.trim_end_matches(is_other).len());
        format!("{}{rest}", if is_id(name) { "an id" } else { name })
    });
    runs.collect()
}
