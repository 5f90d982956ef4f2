//! Two organizations with one of everything each, and those who look from one at the other.

use std::collections::BTreeMap;
use std::{fmt, mem};

use bindery_contract::{Contract, Method, Operation};
use bindery_testkit::git_server::GitServer;
use bindery_testkit::{Answer, Client};
use serde_json::{Map, Value, json};

use crate::callers::second_organization;
use crate::everything::{Ids, about, attempt, built, one_of_everything, with_new};
use crate::support::World;

/// The title of everything that is hidden, which no answer may hold.
pub(crate) const HIDDEN: &str = "Zanzibar";

/// Ids of an organization; comments of the space and of the change request are different ones.
#[derive(Clone)]
pub(crate) struct Known {
    in_space: Ids,
    in_change_request: Ids,
}

impl Known {
    /// The ids that an operation is called with.
    pub(crate) fn of(&self, operation: &Operation) -> &Ids {
        match operation.path.contains("{changeRequestId}") {
            true => &self.in_change_request,
            false => &self.in_space,
        }
    }

    /// Well-formed ids that never were.
    fn that_never_were(&self) -> Self {
        let never = |ids: &Ids| ids.iter().map(|(name, id)| (*name, never(id))).collect();
        Self { in_space: never(&self.in_space), in_change_request: never(&self.in_change_request) }
    }
}

/// An id of the same form that never was.
fn never(id: &str) -> String {
    match id.rsplit_once('-') {
        Some((head, tail)) if id.len() == 36 => {
            format!("{head}-{}", tail.chars().rev().collect::<String>())
        }
        _ => id.chars().rev().collect(),
    }
}

/// Somebody who looks from one organization at another.
pub(crate) struct Onlooker {
    pub(crate) name: &'static str,
    pub(crate) client: Client,
    /// What of the other organization does exist for them.
    pub(crate) sees: &'static [&'static str],
}

/// Two organizations with one of everything each, and those who look from one at the other.
pub(crate) struct Neighbours {
    /// In the onlookers' own organization, where they are administrators.
    pub(crate) own: Known,
    /// In the same organization, around another space.
    pub(crate) beside: Known,
    /// In the other organization, where nobody of them sees it.
    pub(crate) hidden: Known,
    /// In no organization.
    pub(crate) never: Known,
    pub(crate) onlookers: Vec<Onlooker>,
    /// The other organization's administrator.
    host: Client,
    _git: [GitServer; 3],
}

impl Neighbours {
    pub(crate) async fn settle(world: &mut World) -> Self {
        let second = second_organization(world).await;
        let first = world.organization.clone();
        let host = member(world, "host@zanzibar.example", &first, Some("admin")).await;
        let ada = member(world, "ada@example.com", &second, Some("admin")).await;
        let git = [GitServer::start(), GitServer::start(), GitServer::start()];
        let hidden = everything(world, &git[0], (&host, &first), HIDDEN).await;
        let own = everything(world, &git[1], (&ada, &second), "Own").await;
        let beside = everything(world, &git[2], (&ada, &second), "Beside").await;
        for (client, known) in [(&host, &hidden), (&ada, &own), (&ada, &beside)] {
            let call = client.call("updateSpaceById").path("spaceId", &known.in_space["spaceId"]);
            let _template = call.json(&json!({ "template": true })).send().await.expect(200);
        }
        for (operation, name) in
            [("updateSpaceById", "spaceId"), ("updateCollectionById", "collectionId")]
        {
            let call = host.call(operation).path(name, &hidden.in_space[name]);
            let _closed = call.json(&json!({ "defaultLevel": null })).send().await.expect(200);
        }
        let guest = member(world, "guest@example.com", &first, None).await;
        let member_there = member(world, "member@example.com", &first, Some("review")).await;
        for (person, email) in
            [(&guest, "guest@example.com"), (&member_there, "member@example.com")]
        {
            world.join(person, &second, email, Some("admin")).await;
        }
        let onlookers = vec![
            Onlooker { name: "a stranger", client: ada, sees: &[] },
            Onlooker { name: "a guest", client: guest, sees: &["organizationId"] },
            Onlooker {
                name: "a member",
                client: member_there,
                sees: &["organizationId", "siteId", "subdomain", "userId", "teamId", "inviteId"],
            },
        ];
        let never = hidden.that_never_were();
        Self { own, beside, hidden, never, onlookers, host, _git: git }
    }

    /// Fails unless everything in the other organization is as it was.
    pub(crate) async fn check_untouched(&self, before: &BTreeMap<&'static str, Value>) {
        for (operation, now) in self.hidden_state().await {
            assert_eq!(now, before[operation], "{operation} answers otherwise now");
        }
    }

    /// Everything that the other organization's administrator reads of it.
    pub(crate) async fn hidden_state(&self) -> BTreeMap<&'static str, Value> {
        let mut state = BTreeMap::new();
        let reads = built().filter(|operation| operation.method == Method::Get);
        for operation in reads.filter(|operation| operation.path.contains('{')) {
            let ids = self.hidden.of(operation);
            let mut json = attempt(&self.host, operation, ids).await.json;
            if operation.id == "listOrganizationAuditEvents" {
                // Those who look on are members too, and what they do with their tokens is told.
                let call = about(&self.host, operation, ids).query("limit", 100);
                let list = call.query("actor", &ids["userId"]).send().await.expect(200);
                json = list.json;
            }
            without(&mut json, "lastSeenAt");
            state.insert(operation.id.as_str(), json);
        }
        state
    }
}

/// A value without a field, wherever that is.
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

async fn member(world: &World, email: &str, organization: &str, role: Option<&str>) -> Client {
    let body = json!({
        "email": email, "displayName": email, "organization": organization, "role": role,
        "token": true,
    });
    let made = world.client.call("createUser").json(&body).send().await.expect(201);
    world.client.with_token(made.text_at("/token"))
}

/// One of everything in an organization, made by its administrator.
async fn everything(
    world: &mut World,
    git: &GitServer,
    (administrator, organization): (&Client, &str),
    title: &str,
) -> Known {
    let client = mem::replace(&mut world.client, administrator.clone());
    let first = mem::replace(&mut world.organization, organization.to_owned());
    let mut ids = one_of_everything(world, git, title).await;
    let user = administrator.call("getAuthenticatedUser").send().await.expect(200);
    ids.insert("mail", user.text_at("/email").to_owned());
    let operation = |id: &str| Contract::embedded().operation(id).unwrap();
    let ids = with_new(world, operation("getTeamInOrganizationById"), &ids).await;
    let known = Known {
        in_space: with_new(world, operation("getCommentReplyInSpace"), &ids).await,
        in_change_request: with_new(world, operation("getCommentReplyInChangeRequest"), &ids).await,
    };
    world.client = client;
    world.organization = first;
    known
}

/// What is told of what is hidden, beside what is told of what never was.
pub(crate) struct Comparison {
    what: String,
    answers: [Answer; 2],
    /// What was sent, by the names under which the answers are compared.
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

    /// In words, how the answers differ, or what of the hidden is in them.
    pub(crate) fn leak(&self, hidden: &Known, sees: &[&str]) -> Option<String> {
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

    /// Whether there is nothing of that name. What a DELETE does not find was deleted before.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self.answers[0].status, 404 | 204)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.answers[0])
    }
}

/// What an answer says, with what was sent under its names. What a request made has an id and a
/// time of its own, and the keys of a text follow from what it says.
fn told(answer: &Answer, sent: &[(String, String)]) -> (u16, Vec<(String, String)>, String) {
    let text = sent.iter().fold(answer.text(), |text, (name, id)| text.replace(id, name));
    if answer.status < 300 && !answer.json.is_null() {
        let mut json = serde_json::from_str(&text).unwrap();
        settle(&mut json);
        return (answer.status, Vec::new(), json.to_string());
    }
    let mut headers: Vec<_> = answer
        .headers
        .iter()
        // What is left of a limit is counted by caller, with each request.
        .filter(|(name, _)| !name.as_str().starts_with("ratelimit"))
        .filter(|(name, _)| !["date", "x-request-id"].contains(&name.as_str()))
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()))
        .collect();
    headers.sort();
    (answer.status, headers, text)
}

/// Takes out of an answer what differs between any two.
fn settle(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let mut settled = Map::new();
            for (name, mut value) in mem::take(fields) {
                settle(&mut value);
                // It follows from all that a page says.
                if name != "documentId" {
                    settled.insert(without_ids(&name), value);
                }
            }
            *fields = settled;
        }
        Value::Array(items) => items.iter_mut().for_each(settle),
        Value::String(text) if text.len() == 24 && text.ends_with('Z') => "a time".clone_into(text),
        Value::String(text) => *text = without_ids(text),
        _ => {}
    }
}

/// A text with "an id" in the place of each id, key and token, and an address without its signature.
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
