//! Pagination of lists while items are added and removed.

use bindery_contract::Contract;
use bindery_testkit::{Answer, Call};
use serde_json::{Value, json};

use crate::support::{TestEnv, each_engine};

/// The initial number of items of each kind.
const MANY: usize = 8;

/// The kinds of items in the lists.
const KINDS: [&str; 6] = ["person", "team", "collection", "space", "link", "token"];

/// The lists, with the kind of items that each one contains.
const LISTS: [(&str, &str); 14] = [
    ("listMembersInOrganizationById", "person"),
    ("listTeamMembersInOrganizationById", "person"),
    ("listUserPermissionsInSpace", "person"),
    ("listUserPermissionsInCollection", "person"),
    ("listPermissionsAggregateInSpace", "person"),
    ("listPermissionsAggregateInCollection", "person"),
    ("listTeamsInOrganizationById", "team"),
    ("listTeamsForOrganizationMember", "team"),
    ("listTeamPermissionsInSpace", "team"),
    ("listTeamPermissionsInCollection", "team"),
    ("listCollectionsInOrganizationById", "collection"),
    ("listSpacesInOrganizationById", "space"),
    ("listSpacesInCollectionById", "space"),
    ("listSpacesForOrganizationMember", "space"),
];

/// The values of the lists' path parameters.
struct Places {
    organization: String,
    team: String,
    space: String,
    collection: String,
    member: String,
}

impl Places {
    /// Returns a call with the parameters that the path of the operation contains.
    fn call(&self, env: &TestEnv, id: &str) -> Call {
        let operation = Contract::embedded().operation(id).unwrap();
        let mut call = env.client.call(id);
        for (name, value) in [
            ("organizationId", &self.organization),
            ("teamId", &self.team),
            ("spaceId", &self.space),
            ("collectionId", &self.collection),
            ("userId", &self.member),
        ] {
            if operation.path.contains(&format!("{{{name}}}")) {
                call = call.path(name, value);
            }
        }
        call
    }

    /// Creates an item that the lists of its kind contain.
    async fn make(&self, env: &TestEnv, kind: &str, name: &str) -> String {
        let title = json!({ "title": name });
        let call = |id: &str| self.call(env, id);
        let id = |answer: Answer| answer.text_at("/id").to_owned();
        match kind {
            "person" => {
                let body = json!({
                    "email": format!("{name}@example.com"), "displayName": name,
                    "organization": self.organization, "role": "read",
                });
                let made = env.client.call("createUser").json(&body).send().await.expect(201);
                let person = made.text_at("/user/id").to_owned();
                self.grant(env, &json!({ "role": "edit", "users": [person] })).await;
                let join = env.client.call("addMemberToOrganizationTeamById");
                let join = join.path("organizationId", &self.organization);
                let join = join.path("teamId", &self.team).path("userId", &person);
                let _joined = join.send().await.expect(204);
                person
            }
            "team" => {
                let made = call("createOrganizationTeam").json(&title).send().await;
                let team = id(made.expect(201));
                let join = env.client.call("addMemberToOrganizationTeamById");
                let join = join.path("organizationId", &self.organization);
                let join = join.path("teamId", &team).path("userId", &self.member);
                let _joined = join.send().await.expect(204);
                self.grant(env, &json!({ "role": "edit", "teams": [team] })).await;
                team
            }
            "collection" => id(call("createCollection").json(&title).send().await.expect(201)),
            "space" => {
                let body = json!({ "title": name, "parent": self.collection });
                id(call("createSpace").json(&body).send().await.expect(201))
            }
            "link" => {
                let body = json!({ "role": "read" });
                id(call("createOrganizationInvite").json(&body).send().await.expect(201))
            }
            _ => {
                let body = json!({ "name": name });
                let made = env.client.call("createToken").json(&body).send().await.expect(201);
                id(made)
            }
        }
    }

    async fn grant(&self, env: &TestEnv, body: &Value) {
        for id in ["inviteToSpace", "inviteToCollection"] {
            let _granted = self.call(env, id).json(body).send().await.expect(204);
        }
    }

    async fn remove(&self, env: &TestEnv, kind: &str, thing: &str) {
        let (id, name) = match kind {
            "person" => ("removeMemberFromOrganizationById", "userId"),
            "team" => ("removeTeamFromOrganizationById", "teamId"),
            "collection" => ("deleteCollectionById", "collectionId"),
            "space" => ("deleteSpaceById", "spaceId"),
            "link" => ("deleteOrganizationInviteById", "inviteId"),
            _ => ("deleteToken", "tokenId"),
        };
        let call = env.client.call(id).path(name, thing);
        let within = matches!(kind, "person" | "team" | "link");
        let call = if within { call.path("organizationId", &self.organization) } else { call };
        let _gone = call.send().await.expect(205);
    }
}

/// The state of paging through a list.
struct Walk {
    list: &'static str,
    kind: &'static str,
    items: Vec<String>,
    next: Option<String>,
    ended: bool,
}

#[test]
fn remaining_items_are_listed_once_during_changes() {
    each_engine(async |env: &mut TestEnv| {
        let places = places(env).await;
        let mut things: Vec<(&str, Vec<String>)> = Vec::new();
        for kind in KINDS {
            let mut made = Vec::new();
            for number in 0..MANY {
                made.push(places.make(env, kind, &format!("{kind}-{number}")).await);
            }
            things.push((kind, made));
        }
        let own = [("listOrganizationInviteLinks", "link"), ("listTokens", "token")];
        let walk = |(list, kind)| Walk { list, kind, items: Vec::new(), next: None, ended: false };
        let mut walks: Vec<Walk> = LISTS.into_iter().chain(own).map(walk).collect();
        for round in 0.. {
            for walk in walks.iter_mut().filter(|walk| !walk.ended) {
                let call = places.call(env, walk.list).query("limit", 2);
                let call = match &walk.next {
                    Some(cursor) => call.query("page", cursor),
                    None => call,
                };
                let page = call.send().await.expect(200);
                let items = page.at("/items").as_array().unwrap();
                assert!(items.len() <= 2, "{}", walk.list);
                walk.items.extend(items.iter().map(Value::to_string));
                walk.next =
                    page.json.pointer("/next/page").and_then(Value::as_str).map(str::to_owned);
                walk.ended = walk.next.is_none();
            }
            if walks.iter().all(|walk| walk.ended) {
                break;
            }
            assert!(round < 40, "a list has no end");
            // The first items are deleted, whether listed already or not, and new ones are created.
            if round < 3 {
                for (kind, made) in &things {
                    places.remove(env, kind, &made[round]).await;
                    let _new = places.make(env, kind, &format!("{kind}-new-{round}")).await;
                }
            }
        }
        for Walk { list, kind, items, .. } in &walks {
            let (_, made) = things.iter().find(|(known, _)| known == kind).unwrap();
            for (number, id) in made.iter().enumerate().skip(3) {
                let shown = items.iter().filter(|item| item.contains(id.as_str())).count();
                assert_eq!(shown, 1, "{list} shows {kind} {number} so often: {items:#?}");
            }
        }
    });
}

/// Creates the containers of the listed items.
async fn places(env: &TestEnv) -> Places {
    let organization = env.organization.clone();
    let of = |id: &str| env.client.call(id).path("organizationId", &organization);
    let title = json!({ "title": "All" });
    let space = of("createSpace").json(&title).send().await.expect(201);
    let collection = of("createCollection").json(&title).send().await.expect(201);
    let team = of("createOrganizationTeam").json(&title).send().await.expect(201);
    let body = json!({
        "email": "member@example.com", "displayName": "Member", "organization": organization,
        "role": "read",
    });
    let member = env.client.call("createUser").json(&body).send().await.expect(201);
    Places {
        team: team.text_at("/id").to_owned(),
        space: space.text_at("/id").to_owned(),
        collection: collection.text_at("/id").to_owned(),
        member: member.text_at("/user/id").to_owned(),
        organization: organization.clone(),
    }
}
