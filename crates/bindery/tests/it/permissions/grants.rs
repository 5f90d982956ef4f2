//! Permissions in spaces and collections: granted, inherited, listed and explained.

use std::collections::BTreeMap;

use bindery_model::Entropy;
use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::containers::{collection, grant, level, parameter, space_in};
use crate::support::people::{id_of, second_organization};
use crate::support::{TestEnv, each_engine, items, pages};

const ROLES: [&str; 6] = ["read", "comment", "edit", "review", "create", "admin"];

async fn access(client: &Client, user: &str, resource: &str) -> Answer {
    client.call("getAccess").query("user", user).query("resource", resource).send().await
}

#[test]
fn grants_give_and_remove_access() {
    each_engine(async |env: &mut TestEnv| {
        let second = second_organization(env).await;
        let outer = collection(env, "Outer", None).await;
        let space = space_in(env, "Inside", &outer).await;
        level(env, "Collection", &outer, Value::Null).await;
        let guest = env.person("guest@example.com", None).await;
        let member = env.person("member@example.com", Some("edit")).await;
        let id = id_of(&guest).await;
        assert_eq!((see(&guest, &space).await.0, see(&member, &space).await.0), (404, 404));

        grants_add_up(env, &outer, &space, &guest, &id).await;

        // Users of other organizations, and teams that do not exist.
        let body = json!({
            "email": "stranger@example.com", "displayName": "Stranger", "organization": second,
            "role": "admin",
        });
        let stranger = env.client.call("createUser").json(&body).send().await.expect(201);
        let stranger = stranger.text_at("/user/id");
        for user in [stranger, "00000000000000000000", "x"] {
            let _unknown = grant(env, "Space", &space, user, json!("read")).await.expect(404);
            let _unknown = access(&env.client, user, &space).await.expect(404);
        }
        let _absent = grant(env, "Space", &space, &id, json!("king")).await.expect(400);
        invitations_give_and_remove_roles(env, &space, &guest, &member, &id, stranger).await;

        // Seeing a space does not permit managing it, and users cannot raise their own role.
        for client in [&guest, &member] {
            let own = id_of(client).await;
            let call = client.call("updateUserPermissionInSpace").path("spaceId", &space);
            let call = call.path("userId", &own).json(&json!({ "role": "admin" }));
            let _refused = call.send().await.expect(403);
            let _refused = access(client, stranger, &space).await.expect(403);
            let _own = access(client, &own, &space).await.expect(200);
        }
    });
}

/// Grants roles on a space and on the collection around it, and removes them.
async fn grants_add_up(env: &TestEnv, outer: &str, space: &str, guest: &Client, id: &str) {
    // On the space only: the collection around it is not shown.
    let _granted = grant(env, "Space", space, id, json!("comment")).await.expect(204);
    assert_eq!(see(guest, space).await, (200, false));
    let unseen = guest.call("getCollectionById").path("collectionId", outer).send().await;
    let _unseen = unseen.expect(404);
    // On the collection: everything in it is visible.
    let _granted = grant(env, "Collection", outer, id, json!("read")).await.expect(204);
    assert_eq!(see(guest, space).await, (200, true));
    let role = access(&env.client, id, space).await.expect(200);
    assert_eq!(role.text_at("/permission"), "comment", "{role}");
    let _back = grant(env, "Space", space, id, Value::Null).await.expect(204);
    let role = access(&env.client, id, space).await.expect(200);
    assert_eq!(role.text_at("/permission"), "read");
    assert_eq!(role.text_at("/sources/0/collection"), outer);
    assert!(role.text_at("/summary").contains("granted"), "{role}");
    let remove = async |kind: &str, on: &str, user: &str| {
        let call = env.client.call(&format!("removeUserFrom{kind}"));
        call.path(parameter(kind), on).path("userId", user).send().await.status
    };
    assert_eq!(remove("Space", space, id).await, 204);
    assert_eq!(remove("Collection", outer, id).await, 205);
    assert_eq!(remove("Collection", outer, id).await, 204);
    assert_eq!(see(guest, space).await, (404, false));
}

/// Invites users and teams to a space, with valid and invalid bodies.
async fn invitations_give_and_remove_roles(
    env: &TestEnv,
    space: &str,
    guest: &Client,
    member: &Client,
    id: &str,
    stranger: &str,
) {
    let invite = async |body: Value| {
        env.client.call("inviteToSpace").path("spaceId", space).json(&body).send().await
    };
    for (body, status, names) in [
        (json!({ "role": "read", "users": [id, stranger] }), 404, "/users/1"),
        (json!({ "role": "read", "users": [id], "teams": ["x"] }), 404, "/teams/0"),
        (json!({ "role": "read", "users": ["nobody@example.com"] }), 404, "/users/0"),
        (json!({ "users": [id] }), 400, "role"),
        (json!({ "role": "read" }), 400, "/teams"),
        (json!({ "role": "read", "users": [] }), 400, "at least 1"),
    ] {
        let refused = invite(body).await.expect(status);
        assert!(refused.message().contains(names), "{refused}");
        // An invalid request has no partial effect.
        assert_eq!(see(guest, space).await.0, 404);
    }
    // The role null makes a guest without grants, and removes existing grants.
    let _nothing = invite(json!({ "role": null, "users": [id] })).await.expect(204);
    assert_eq!(see(guest, space).await.0, 404);
    let _granted = invite(json!({ "role": "edit", "users": [id] })).await.expect(204);
    // A change without effect records no event, also for teams.
    let unchanged = async |operation: &str, name: &str, id: &str| {
        let call = env.client.call(operation).path("spaceId", space).path(name, id);
        call.json(&json!({})).send().await.status
    };
    assert_eq!(unchanged("updateUserPermissionInSpace", "userId", id).await, 204);
    assert_eq!(unchanged("updateUserPermissionInSpace", "userId", stranger).await, 404);
    let team = env.client.call("createOrganizationTeam");
    let team = team.path("organizationId", &env.organization);
    let team = team.json(&json!({ "title": "Readers" })).send().await.expect(201);
    let team = team.text_at("/id");
    assert_eq!(unchanged("updateTeamPermissionInSpace", "teamId", team).await, 204);
    assert_eq!(unchanged("updateTeamPermissionInSpace", "teamId", "x").await, 404);
    assert_eq!(see(guest, space).await.0, 200);
    let _taken = invite(json!({ "role": null, "users": [id] })).await.expect(204);
    assert_eq!(see(guest, space).await.0, 404);
    let users = json!([id, "member@example.com"]);
    let _invited = invite(json!({ "role": "read", "users": users })).await.expect(204);
    assert_eq!((see(guest, space).await.0, see(member, space).await.0), (200, 200));
    let listed = env.client.call("listUserPermissionsInSpace").path("spaceId", space);
    let listed = listed.query("limit", 1).send().await.expect(200);
    assert_eq!(listed.at("/count"), &json!(2));
    assert_eq!(listed.text_at("/items/0/permission"), "read");
}

/// Returns the status of a space for a caller, and `true` if its collection is shown.
async fn see(client: &Client, space: &str) -> (u16, bool) {
    let answer = client.call("getSpaceById").path("spaceId", space).send().await;
    (answer.status, answer.json.pointer("/parent").is_some())
}

#[test]
fn access_is_explained_to_administrators_and_oneself() {
    each_engine(async |env: &mut TestEnv| {
        let organization = env.organization.clone();
        let member = env.person("member@example.com", Some("edit")).await;
        let guest = env.person("guest@example.com", None).await;
        let (of_member, of_guest) = (id_of(&member).await, id_of(&guest).await);
        for (client, user, role) in [
            (&env.client, &of_member, "edit"),
            (&env.client, &of_guest, "read"),
            (&member, &of_member, "edit"),
            (&guest, &of_guest, "read"),
        ] {
            let told = access(client, user, &organization).await.expect(200);
            assert_eq!(told.text_at("/permission"), role, "{told}");
        }
        let _others = access(&member, &of_guest, &organization).await.expect(403);
        let absent = "00000000000000000000";
        let _nobody = access(&env.client, absent, &organization).await.expect(404);
        let _nothing = access(&env.client, &of_member, absent).await.expect(404);
    });
}

#[test]
fn inherited_team_grants_are_removed_at_their_source() {
    each_engine(async |env: &mut TestEnv| {
        let outer = collection(env, "Outer", None).await;
        let inner = collection(env, "Inner", Some(&outer)).await;
        let space = space_in(env, "Inside", &inner).await;
        let guest = env.person("guest@example.com", None).await;
        let call = env.client.call("createOrganizationTeam");
        let call = call.path("organizationId", &env.organization);
        let body = json!({ "title": "Team", "members": [id_of(&guest).await] });
        let team = call.json(&body).send().await.expect(201).text_at("/id").to_owned();
        let granting = env.client.call("updateTeamPermissionInCollection");
        let granting = granting.path("collectionId", &outer).path("teamId", &team);
        let _granted = granting.json(&json!({ "role": "read" })).send().await.expect(204);

        let remove = async |kind: &str, on: &str, team: &str| {
            let call = env.client.call(&format!("removeTeamFrom{kind}"));
            call.path(parameter(kind), on).path("teamId", team).send().await
        };
        let see = async || guest.call("getSpaceById").path("spaceId", &space).send().await.status;
        for (kind, on) in [("Space", &space), ("Collection", &inner)] {
            let refused = remove(kind, on, &team).await.expect(400);
            assert!(refused.message().contains(&outer), "{refused}");
            let _unknown = remove(kind, on, "00000000000000000000").await.expect(204);
        }
        assert_eq!(see().await, 200);
        let _taken = remove("Collection", &outer, &team).await.expect(205);
        assert_eq!(see().await, 404);
        let _nothing = remove("Space", &space, &team).await.expect(204);
    });
}

#[test]
fn a_copy_has_the_audience_of_the_original() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Original").await;
        let guest = env.person("guest@example.com", None).await;
        let mate = env.person("mate@example.com", None).await;
        let stranger = env.person("stranger@example.com", None).await;
        let _granted = grant(env, "Space", &space, &id_of(&guest).await, json!("edit")).await;
        let call = env.client.call("createOrganizationTeam");
        let call = call.path("organizationId", &env.organization);
        let body = json!({ "title": "Team", "members": [id_of(&mate).await] });
        let team = call.json(&body).send().await.expect(201).text_at("/id").to_owned();
        let granting = env.client.call("updateTeamPermissionInSpace").path("spaceId", &space);
        let granting = granting.path("teamId", &team).json(&json!({ "role": "read" }));
        let _granted = granting.send().await.expect(204);

        let copy = env.of_space("duplicateSpace", &space).await.expect(201);
        let copy = copy.text_at("/id");
        let edits = async |client: &Client| {
            let shown = client.call("getSpaceById").path("spaceId", copy).send().await;
            (shown.status, shown.json.pointer("/permissions/edit").cloned())
        };
        assert_eq!(edits(&guest).await, (200, Some(json!(true))));
        assert_eq!(edits(&mate).await, (200, Some(json!(false))));
        assert_eq!(edits(&stranger).await.0, 404);
    });
}

#[test]
fn a_move_does_not_raise_the_movers_role() {
    each_engine(async |env: &mut TestEnv| {
        let own = collection(env, "Own", None).await;
        let space = env.space("Coveted").await;
        let mover = env.person("mover@example.com", Some("create")).await;
        let id = id_of(&mover).await;
        let _granted = grant(env, "Collection", &own, &id, json!("admin")).await.expect(204);
        let call = mover.call("moveSpace").path("spaceId", &space);
        let refused = call.json(&json!({ "parent": own })).send().await.expect(403);
        assert!(refused.message().contains("from create to admin"), "{refused}");
        let shown = env.of_space("getSpaceById", &space).await.expect(200);
        assert_eq!(shown.json.pointer("/parent"), None);
    });
}

/// An independent implementation of the rules for permissions.
struct Model {
    members: BTreeMap<String, Option<usize>>,
    default_role: usize,
    /// Collections and spaces: parent and default level (`None`: inherit).
    places: BTreeMap<String, (Option<String>, Option<Option<usize>>)>,
    /// Levels by space or collection and by user or team.
    grants: BTreeMap<(String, String), usize>,
    /// The members of each team.
    teams: BTreeMap<String, Vec<String>>,
}

impl Model {
    fn role(&self, user: &str, place: &str) -> Option<usize> {
        let own = self.members[user];
        if own == Some(5) {
            return Some(5);
        }
        let mut above = vec![place.to_owned()];
        while let Some(parent) = self.places[above.last().unwrap()].0.clone() {
            above.push(parent);
        }
        let teams = self.teams.iter().filter(|(_, members)| members.iter().any(|one| one == user));
        let grantees: Vec<&str> =
            std::iter::once(user).chain(teams.map(|(id, _)| id.as_str())).collect();
        let granted = above.iter().flat_map(|at| {
            let to = grantees.iter().map(|to| ((*at).clone(), (*to).to_owned()));
            to.filter_map(|key| self.grants.get(&key))
        });
        let granted = granted.max().copied();
        let default = match own {
            None => None,
            Some(own) => match above.iter().find_map(|at| self.places[at].1) {
                Some(level) => level,
                None => Some(own.max(self.default_role)),
            },
        };
        default.max(granted)
    }
}

/// Random structures, levels and grants: single responses, lists, counts, aggregated lists and
/// explanations all agree with the model.
#[test]
fn lists_agree_with_single_answers() {
    each_engine(async |env: &mut TestEnv| {
        let entropy = Entropy::seeded(7);
        let pick = |most: usize| u64::from_le_bytes(entropy.bytes()) as usize % most;
        let mut model = Model {
            members: BTreeMap::new(),
            default_role: 0,
            places: BTreeMap::new(),
            grants: BTreeMap::new(),
            teams: BTreeMap::new(),
        };
        let people = members_of_each_role(env, &mut model).await;
        let users: Vec<String> = people.keys().cloned().collect();
        for index in 0..3 {
            let members: Vec<String> = users.iter().filter(|_| pick(2) == 0).cloned().collect();
            let call = env.client.call("createOrganizationTeam");
            let call = call.path("organizationId", &env.organization);
            let body = json!({ "title": format!("t{index}"), "members": members });
            let made = call.json(&body).send().await.expect(201);
            model.teams.insert(made.text_at("/id").to_owned(), members);
        }
        let teams: Vec<String> = model.teams.keys().cloned().collect();
        let (collections, spaces) = random_places(env, &mut model, &pick).await;
        for round in 0..4 {
            for _ in 0..8 {
                change_a_level_or_grant(
                    env,
                    &mut model,
                    &users,
                    &teams,
                    &spaces,
                    &collections,
                    &pick,
                )
                .await;
            }
            // The space moves to a random collection.
            let (moved, target) = (spaces[pick(12)].clone(), collections[pick(8)].clone());
            let call = env.client.call("moveSpace").path("spaceId", &moved);
            if call.json(&json!({ "parent": target })).send().await.status == 200 {
                model.places.get_mut(&moved).unwrap().0 = Some(target);
            }
            let (moved, target) = (collections[pick(8)].clone(), collections[pick(8)].clone());
            let call = env.client.call("moveCollection").path("collectionId", &moved);
            if call.json(&json!({ "parent": target })).send().await.status == 200 {
                model.places.get_mut(&moved).unwrap().0 = Some(target);
            }
            agrees(env, &model, &people, &spaces, &collections, round).await;
        }
    });
}

/// Adds a member with each role, two guests among them.
async fn members_of_each_role(env: &TestEnv, model: &mut Model) -> BTreeMap<String, Client> {
    let mut people = BTreeMap::new();
    for (index, role) in [None, None, Some("read"), Some("edit"), Some("create"), Some("admin")]
        .into_iter()
        .enumerate()
    {
        let client = env.person(&format!("p{index}@example.com"), role).await;
        let id = id_of(&client).await;
        let rank = role.map(|role| ROLES.iter().position(|one| *one == role).unwrap());
        model.members.insert(id.clone(), rank);
        people.insert(id, client);
    }
    people
}

/// Creates collections and spaces in random places.
async fn random_places(
    env: &TestEnv,
    model: &mut Model,
    pick: &impl Fn(usize) -> usize,
) -> (Vec<String>, Vec<String>) {
    let (mut collections, mut spaces) = (Vec::<String>::new(), Vec::<String>::new());
    for index in 0..8 {
        let parent = match pick(3) {
            0 => None,
            _ => collections.get(pick(collections.len().max(1))).cloned(),
        };
        let id = collection(env, &format!("c{index}"), parent.as_deref()).await;
        model.places.insert(id.clone(), (parent, None));
        collections.push(id);
    }
    for index in 0..12 {
        let parent = (pick(4) > 0).then(|| collections[pick(8)].clone());
        let id = match &parent {
            Some(parent) => space_in(env, &format!("s{index}"), parent).await,
            None => env.space(&format!("s{index}")).await,
        };
        model.places.insert(id.clone(), (parent, None));
        spaces.push(id);
    }
    (collections, spaces)
}

/// Changes a random level, or grants or removes a random role.
async fn change_a_level_or_grant(
    env: &TestEnv,
    model: &mut Model,
    users: &[String],
    teams: &[String],
    spaces: &[String],
    collections: &[String],
    pick: &impl Fn(usize) -> usize,
) {
    let (kind, id) = match pick(2) {
        0 => ("Space", spaces[pick(12)].clone()),
        _ => ("Collection", collections[pick(8)].clone()),
    };
    if pick(2) == 0 {
        let (level_word, own) = match pick(4) {
            0 => (json!("inherit"), None),
            1 | 2 => (Value::Null, Some(None)),
            _ => {
                let rank = pick(5);
                (json!(ROLES[rank]), Some(Some(rank)))
            }
        };
        level(env, kind, &id, level_word).await;
        model.places.get_mut(&id).unwrap().1 = own;
    } else {
        let rank = pick(7);
        let word = ROLES.get(rank).map_or(Value::Null, |role| json!(role));
        let to = if pick(2) == 0 {
            let user = users[pick(users.len())].clone();
            let _granted = grant(env, kind, &id, &user, word).await.expect(204);
            user
        } else {
            let team = teams[pick(teams.len())].clone();
            let call = env.client.call(&format!("updateTeamPermissionIn{kind}"));
            let call = call.path(parameter(kind), &id).path("teamId", &team);
            let _granted = call.json(&json!({ "role": word })).send().await.expect(204);
            team
        };
        match rank {
            6 => model.grants.remove(&(id, to)),
            rank => model.grants.insert((id, to), rank),
        };
    }
}

async fn agrees(
    env: &TestEnv,
    model: &Model,
    people: &BTreeMap<String, Client>,
    spaces: &[String],
    collections: &[String],
    round: usize,
) {
    let word = |rank: Option<usize>| rank.map_or(Value::Null, |rank| json!(ROLES[rank]));
    for (user, client) in people {
        for (kind, ids, list) in [
            ("Space", spaces, "listSpacesInOrganizationById"),
            ("Collection", collections, "listCollectionsInOrganizationById"),
        ] {
            let mut seen = Vec::new();
            for id in ids {
                let expect = model.role(user, id);
                let why = || format!("round {round}, {user} on {id}: {expect:?}");
                let single = client.call(&format!("get{kind}ById")).path(parameter(kind), id);
                let single = single.send().await;
                assert_eq!(single.status, if expect.is_some() { 200 } else { 404 }, "{}", why());
                if expect.is_some() {
                    seen.push(id.clone());
                    assert_eq!(single.at("/permissions/admin"), &json!(expect == Some(5)));
                    let parent = model.places[id].0.clone();
                    let parent = parent.filter(|parent| model.role(user, parent).is_some());
                    let shown = single.json.pointer("/parent").and_then(Value::as_str);
                    assert_eq!(shown.map(str::to_owned), parent, "{}", why());
                }
                let told = access(&env.client, user, id).await.expect(200);
                assert_eq!(told.at("/permission"), &word(expect), "{}", why());
            }
            let call = || client.call(list).path("organizationId", &env.organization);
            let pages = pages(|| call().query("limit", 5)).await;
            let items = pages.iter().flat_map(items);
            let listed: Vec<_> =
                items.map(|item| item["id"].as_str().unwrap().to_owned()).collect();
            let last = &pages[pages.len() - 1];
            assert_eq!(last.at("/count").as_u64(), Some(listed.len() as u64));
            let made = |id: &String| ids.contains(id);
            assert_eq!(listed.into_iter().filter(made).collect::<Vec<_>>(), seen, "{round} {user}");
        }
        let call = env.client.call("listSpacesForOrganizationMember");
        let call = call.path("organizationId", &env.organization).path("userId", user);
        let list = call.query("order", "asc").query("limit", 1000).send().await.expect(200);
        // The member's own responses count the same spaces.
        let member = env.client.call("getMemberInOrganizationById");
        let member = member.path("organizationId", &env.organization).path("userId", user);
        let member = member.send().await.expect(200);
        assert_eq!(member.at("/spaces"), list.at("/count"), "{round} {user}");
        for item in list.at("/items").as_array().unwrap() {
            let id = item["space"]["id"].as_str().unwrap();
            if spaces.iter().any(|one| one == id) {
                assert_eq!(item["permission"], word(model.role(user, id)), "{round} {user} {id}");
            }
        }
    }
    for (kind, ids) in [("Space", spaces), ("Collection", collections)] {
        for id in ids {
            let call = env.client.call(&format!("listTeamPermissionsIn{kind}"));
            let list = call.path(parameter(kind), id).send().await.expect(200);
            let items = list.at("/items").as_array().unwrap();
            let granted = model.teams.keys().filter_map(|team| {
                let rank = model.grants.get(&(id.clone(), team.clone()))?;
                Some((team.as_str(), ROLES[*rank]))
            });
            let told: BTreeMap<&str, &str> = items
                .iter()
                .map(|item| {
                    (item["team"]["id"].as_str().unwrap(), item["permission"].as_str().unwrap())
                })
                .collect();
            assert_eq!(told, granted.collect(), "{id}");
            let call = env.client.call(&format!("listPermissionsAggregateIn{kind}"));
            let list = call.path(parameter(kind), id).send().await.expect(200);
            let told: BTreeMap<&str, &Value> = list
                .at("/items")
                .as_array()
                .unwrap()
                .iter()
                .map(|item| (item["user"]["id"].as_str().unwrap(), &item["permission"]))
                .collect();
            for user in people.keys() {
                let expect = word(model.role(user, id));
                let told = told.get(user.as_str()).copied().unwrap_or(&Value::Null);
                assert_eq!(told, &expect, "round {round}, {user} on {id}");
            }
        }
    }
}
