//! Teams: creation, visibility, management and members.

use bindery_model::{TeamRole, UserId};
use bindery_store::Event;
use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine, pages};

/// Returns a call of an operation on the organization.
fn of(env: &TestEnv, client: &Client, operation: &str) -> Call {
    client.call(operation).path("organizationId", &env.organization)
}

/// Returns a call of an operation on a team.
fn about(env: &TestEnv, client: &Client, operation: &str, team: &str) -> Call {
    of(env, client, operation).path("teamId", team)
}

/// Creates a team and returns its id.
async fn made(env: &TestEnv, title: &str, members: &[&str]) -> String {
    let body = json!({ "title": title, "members": members });
    let call = of(env, &env.client, "createOrganizationTeam").json(&body);
    call.send().await.expect(201).text_at("/id").to_owned()
}

/// Makes a user the owner of a team.
async fn own(env: &TestEnv, team: &str, user: &str) {
    let call = about(env, &env.client, "addMemberToOrganizationTeamById", team);
    let _put = call.path("userId", user).json(&json!({ "role": "owner" })).send().await.expect(204);
}

/// Returns the texts at a pointer in each item of a list.
fn texts<'a>(list: &'a Answer, pointer: &str) -> Vec<&'a str> {
    let items = list.at("/items").as_array().unwrap();
    items.iter().map(|item| item.pointer(pointer).unwrap().as_str().unwrap()).collect()
}

/// Returns the members of a team with their roles.
async fn roles(env: &TestEnv, team: &str) -> Vec<(String, String)> {
    let call = about(env, &env.client, "listTeamMembersInOrganizationById", team);
    let list = call.send().await.expect(200);
    let ids = texts(&list, "/organization/id").into_iter().map(str::to_owned);
    let mut roles: Vec<_> =
        ids.zip(texts(&list, "/team/role").into_iter().map(str::to_owned)).collect();
    assert_eq!(list.at("/count"), &json!(roles.len()));
    roles.sort();
    roles
}

/// Returns the pairs sorted.
fn sorted(roles: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = roles.iter().map(|(user, role)| ((*user).to_owned(), (*role).to_owned()));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    pairs
}

#[test]
fn teams_are_created_updated_and_deleted() {
    each_engine(async |env: &mut TestEnv| {
        let ada = id_of(&env.person("ada@example.com", Some("read")).await).await;
        let bob = id_of(&env.person("bob@example.com", None).await).await;
        let body = json!({ "title": "  Dock e\u{301} ", "members": [ada, bob, ada] });
        let call = of(env, &env.client, "createOrganizationTeam").json(&body);
        let team = call.send().await.expect(201);
        assert_eq!(team.text_at("/title"), "Dock é");
        assert_eq!((team.at("/members"), team.at("/spaces")), (&json!(2), &json!(0)));
        assert_eq!(team.at("/permissions"), &json!({ "admin": true, "view": true }));
        let id = team.text_at("/id").to_owned();
        assert!(team.header("location").ends_with(&format!("/teams/{id}")), "{team}");
        assert_eq!(roles(env, &id).await, sorted(&[(&ada, "member"), (&bob, "member")]));
        let got = about(env, &env.client, "getTeamInOrganizationById", &id).send().await;
        assert_eq!(got.expect(200).json, team.json);

        let update = async |title: &str| {
            let call = about(env, &env.client, "updateTeamInOrganizationById", &id);
            call.json(&json!({ "title": title })).send().await
        };
        assert_eq!(update("Ops").await.expect(200).text_at("/title"), "Ops");
        invalid_teams_are_rejected(env, &id, &ada).await;
        let list = of(env, &env.client, "listTeamsInOrganizationById").send().await;
        assert_eq!(texts(&list.expect(200), "/title"), ["Ops"]);

        let delete = async || {
            let call = about(env, &env.client, "removeTeamFromOrganizationById", &id);
            call.send().await.status
        };
        assert_eq!(delete().await, 205);
        assert_eq!(delete().await, 204);
        for operation in ["getTeamInOrganizationById", "listTeamMembersInOrganizationById"] {
            let _gone = about(env, &env.client, operation, &id).send().await.expect(404);
        }
        let list = of(env, &env.client, "listTeamsForOrganizationMember").path("userId", &ada);
        assert_eq!(list.send().await.expect(200).at("/count"), &json!(0));

        let told: Vec<Event> = env.events().await.into_iter().map(|event| event.event).collect();
        let [.., created, updated, deleted] = &told[..] else { panic!("{told:?}") };
        assert!(matches!(created, Event::TeamCreated { members, .. } if members.len() == 2));
        assert!(
            matches!(updated, Event::TeamUpdated { before, after, .. }
                if before.title == "Dock é" && after.title == "Ops"),
            "{updated:?}"
        );
        assert!(
            matches!(deleted, Event::TeamDeleted { title, members, .. }
                if title == "Ops" && members.len() == 2),
            "{deleted:?}"
        );
    });
}

/// Creates and updates teams with invalid titles and members.
async fn invalid_teams_are_rejected(env: &TestEnv, id: &str, ada: &str) {
    let long = "x".repeat(65);
    for (body, names) in [
        (json!({ "title": "" }), "/title"),
        (json!({ "title": " " }), "/title"),
        (json!({ "title": long }), "/title"),
        (json!({ "title": "a\u{202E}b" }), "/title"),
        (json!({ "title": 1 }), "/title"),
        (json!({}), "title"),
    ] {
        for operation in ["createOrganizationTeam", "updateTeamInOrganizationById"] {
            let call = of(env, &env.client, operation);
            let call = if operation.starts_with("update") { call.path("teamId", id) } else { call };
            let refused = call.json(&body).send().await.expect(400);
            assert!(refused.message().contains(names), "{refused}");
        }
    }
    for (members, names) in [
        (json!([ada, "x"]), "/members/1"),
        (json!([ada, "00000000000000000000"]), "/members/1"),
        (json!("all"), "/members"),
    ] {
        let call = of(env, &env.client, "createOrganizationTeam");
        let body = json!({ "title": "No", "members": members });
        let refused = call.json(&body).send().await.expect(400);
        assert!(refused.message().contains(names), "{refused}");
    }
}

#[test]
fn team_members_are_updated_atomically() {
    each_engine(async |env: &mut TestEnv| {
        let mut ids = Vec::new();
        for name in ["a", "b", "c", "d"] {
            let client = env.person(&format!("{name}@example.com"), Some("read")).await;
            ids.push(id_of(&client).await);
        }
        let [a, b, c, d] = [0, 1, 2, 3].map(|index: usize| ids[index].as_str());
        let team = made(env, "Team", &[a, b]).await;
        let _changed = update_members(
            env,
            &team,
            json!({
                "add": [a, c], "memberships": { a: { "role": "owner" }, d: { "role": "member" } },
                "remove": [b],
            }),
        )
        .await
        .expect(204);
        let expect = sorted(&[(a, "owner"), (c, "member"), (d, "member")]);
        assert_eq!(roles(env, &team).await, expect);
        invalid_updates_have_no_effect(env, &team, a, b, &expect).await;
        // Adding a member keeps the role, and removing a user who is not a member has no effect.
        let _same =
            update_members(env, &team, json!({ "add": [a], "remove": [b, "x"] })).await.expect(204);
        let _nothing = update_members(env, &team, json!({})).await.expect(204);
        assert_eq!(roles(env, &team).await, expect);

        single_members_are_added(env, &team, a, b, c).await;
        let delete = async |user: &str| {
            let call = about(env, &env.client, "deleteMemberFromOrganizationTeamById", &team);
            call.path("userId", user).send().await.status
        };
        assert_eq!((delete(d).await, delete(d).await, delete("x").await), (205, 204, 204));
        let expect = sorted(&[(a, "member"), (b, "member"), (c, "owner")]);
        assert_eq!(roles(env, &team).await, expect);

        let (of_a, of_c) = (UserId::parse(a).unwrap(), UserId::parse(c).unwrap());
        let changes: Vec<_> = env
            .events()
            .await
            .into_iter()
            .filter_map(|event| match event.event {
                Event::TeamMembersUpdated { before, after, .. } => Some((before, after)),
                _ => None,
            })
            .collect();
        // Changes without effect record no event.
        assert_eq!(changes.len(), 5, "{changes:?}");
        let (before, after) = &changes[0];
        assert_eq!((before.len(), after.len()), (2, 3));
        assert_eq!(before.get(&of_a), Some(&TeamRole::Member));
        assert_eq!(after.get(&of_a), Some(&TeamRole::Owner));
        assert_eq!((before.get(&of_c), after.get(&of_c)), (None, Some(&TeamRole::Member)));
    });
}

/// Updates members with bodies of which one part is invalid.
async fn invalid_updates_have_no_effect(
    env: &TestEnv,
    team: &str,
    a: &str,
    b: &str,
    expect: &[(String, String)],
) {
    for (body, names) in [
        (json!({ "add": [b, "x"], "remove": [a] }), "/add/1"),
        (json!({ "add": [b, "00000000000000000000"] }), "/add/1"),
        (json!({ "memberships": { "x/y": { "role": "owner" } } }), "/memberships/x~1y"),
        (json!({ "memberships": { b: { "role": "king" } } }), "/role"),
        (json!({ "add": [b], "remove": [b] }), "/add/0"),
        (json!({ "memberships": { a: { "role": "member" } }, "remove": [a] }), "/memberships/"),
        (json!({ "add": "everybody" }), "/add"),
    ] {
        let refused = update_members(env, team, body).await.expect(400);
        assert!(refused.message().contains(names), "{refused}");
        assert_eq!(roles(env, team).await, expect);
    }
}

/// Adds members and changes their roles one by one.
async fn single_members_are_added(env: &TestEnv, team: &str, a: &str, b: &str, c: &str) {
    let put = async |user: &str, body: Option<Value>| {
        let call = about(env, &env.client, "addMemberToOrganizationTeamById", team);
        let call = call.path("userId", user);
        match body {
            Some(body) => call.json(&body).send().await.status,
            None => call.send().await.status,
        }
    };
    assert_eq!(put(a, None).await, 204);
    assert_eq!(put(b, None).await, 204);
    assert_eq!(put(c, Some(json!({ "role": "owner" }))).await, 204);
    assert_eq!(put(a, Some(json!({ "role": "member" }))).await, 204);
    assert_eq!(put(a, Some(json!({ "role": "king" }))).await, 400);
    for nobody in ["x", "00000000000000000000"] {
        assert_eq!(put(nobody, None).await, 404);
    }
}

/// Updates several members of a team at once.
async fn update_members(env: &TestEnv, team: &str, body: Value) -> Answer {
    let call = about(env, &env.client, "updateMembersInOrganizationTeam", team);
    call.json(&body).send().await
}

#[test]
fn teams_are_filtered_and_paged() {
    each_engine(async |env: &mut TestEnv| {
        let ada = env.person("ada@example.com", Some("read")).await;
        let ada = id_of(&ada).await;
        let admin = id_of(&env.client).await;
        let mut teams = Vec::new();
        for title in ["Straße", "50% off", "ÄRZTE", "under_score", "Five", "Six", "Seven"] {
            teams.push(made(env, title, &[&ada]).await);
        }
        own(env, &teams[1], &ada).await;
        own(env, &teams[4], &ada).await;
        teams_are_filtered(env, &ada, &admin).await;

        teams_are_listed_once(env, &ada).await;
        let call = of(env, &env.client, "listTeamsForOrganizationMember").path("userId", &ada);
        let page = call.query("title", "VE").query("limit", 1).send().await.expect(200);
        assert_eq!(page.at("/count"), &json!(2));
        let cursor = page.text_at("/next/page");
        let call = of(env, &env.client, "listTeamsForOrganizationMember").path("userId", &ada);
        let _other_filter = call.query("page", cursor).send().await.expect(400);
        let call = of(env, &env.client, "listTeamsForOrganizationMember").path("userId", &ada);
        let roles = call.query("title", "five").send().await.expect(200);
        assert_eq!(texts(&roles, "/member/role"), ["owner"]);
        for nobody in ["x", "00000000000000000000"] {
            let call = of(env, &env.client, "listTeamsForOrganizationMember");
            let _missing = call.path("userId", nobody).send().await.expect(404);
        }

        members_are_listed_once(env).await;
    });
}

/// Filters teams by title and owner.
async fn teams_are_filtered(env: &TestEnv, ada: &str, admin: &str) {
    let list = async |query: &[(&str, &str)]| {
        let call = of(env, &env.client, "listTeamsInOrganizationById");
        query.iter().fold(call, |call, (name, value)| call.query(name, value)).send().await
    };
    for (query, expect) in [
        ([("title", "STRASSE")], vec!["Straße"]),
        ([("title", "ra\u{df}")], vec!["Straße"]),
        ([("title", "a\u{308}rz")], vec!["ÄRZTE"]),
        ([("title", "%")], vec!["50% off"]),
        ([("title", "_")], vec!["under_score"]),
        ([("title", "nothing")], vec![]),
        ([("title", &"x".repeat(60_000))], vec![]),
        ([("owner", ada)], vec!["50% off", "Five"]),
        ([("owner", "x")], vec![]),
        ([("owner", "00000000000000000000")], vec![]),
    ] {
        let found = list(&query).await.expect(200);
        assert_eq!(texts(&found, "/title"), expect, "{query:?}");
        assert_eq!(found.at("/count"), &json!(expect.len()));
    }
    // An administrator manages all teams.
    let all = list(&[("owner", admin)]).await.expect(200);
    assert_eq!(
        (all.at("/count"), list(&[]).await.expect(200).at("/count")),
        (&json!(7), &json!(7))
    );
    let both = list(&[("owner", ada), ("title", "FIVE")]).await.expect(200);
    assert_eq!(texts(&both, "/title"), ["Five"]);
}

/// Reads both lists page by page while teams are created and deleted.
async fn teams_are_listed_once(env: &TestEnv, ada: &str) {
    // All pages can be read while teams are created and deleted.
    for operation in ["listTeamsInOrganizationById", "listTeamsForOrganizationMember"] {
        let title = match operation {
            "listTeamsInOrganizationById" => "/title",
            _ => "/team/title",
        };
        let (mut titles, mut cursor) = (Vec::new(), String::new());
        for round in 0.. {
            let mut call = of(env, &env.client, operation).query("limit", 2);
            if operation.ends_with("Member") {
                call = call.path("userId", ada);
            }
            if !cursor.is_empty() {
                call = call.query("page", &cursor);
            }
            let page = call.send().await.expect(200);
            titles.extend(texts(&page, title).into_iter().map(str::to_owned));
            let passing = made(env, &format!("Passing {round}"), &[ada]).await;
            let call = about(env, &env.client, "removeTeamFromOrganizationById", &passing);
            let _gone = call.send().await.expect(205);
            match page.json.pointer("/next/page").and_then(Value::as_str) {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
        titles.sort();
        let mut expect = ["Straße", "50% off", "ÄRZTE", "under_score", "Five", "Six", "Seven"];
        expect.sort_unstable();
        assert_eq!(titles, expect, "{operation}");
    }
}

/// Reads the members of a team page by page while some of them are removed.
async fn members_are_listed_once(env: &TestEnv) {
    // Members are listed in the order in which they were added.
    let mut ids = Vec::new();
    for number in 0..5 {
        let client = env.person(&format!("m{number}@example.com"), Some("read")).await;
        ids.push(id_of(&client).await);
    }
    let big = made(env, "Big", &ids.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let call = about(env, &env.client, "listTeamMembersInOrganizationById", &big);
        let call = call.query("limit", 2);
        let call = if cursor.is_empty() { call } else { call.query("page", &cursor) };
        let page = call.send().await.expect(200);
        let here = texts(&page, "/organization/id");
        found.extend(here.into_iter().map(str::to_owned));
        // Removing a member who was listed already does not skip another one.
        let call = about(env, &env.client, "deleteMemberFromOrganizationTeamById", &big);
        let _left = call.path("userId", &found[0]).send().await;
        match page.json.pointer("/next/page").and_then(Value::as_str) {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    found.sort();
    ids.sort();
    assert_eq!(found, ids);
}

#[test]
fn teams_are_seen_and_managed_with_permission() {
    each_engine(async |env: &mut TestEnv| {
        let member = env.person("mem@example.com", Some("create")).await;
        let body = json!({
            "email": "own@example.com", "displayName": "Own", "role": "read",
            "organization": env.organization, "token": true,
        });
        let owner = env.client.call("createUser").json(&body).send().await.expect(201);
        let token_of_owner = owner.text_at("/token").to_owned();
        let owner = env.client.with_token(&token_of_owner);
        let guest = env.person("guest@example.com", None).await;
        let inside = env.person("inside@example.com", None).await;
        let (of_member, of_owner) = (id_of(&member).await, id_of(&owner).await);
        let (of_guest, of_inside) = (id_of(&guest).await, id_of(&inside).await);
        let team = made(env, "One", &[&of_member, &of_inside]).await;
        let other = made(env, "Other", &[&of_member]).await;
        own(env, &team, &of_owner).await;

        assert_eq!(listed(env, &member).await, ["One", "Other"]);
        assert_eq!(listed(env, &guest).await, Vec::<String>::new());
        assert_eq!(listed(env, &inside).await, ["One"]);

        each_user_has_its_permissions(
            env,
            &team,
            &other,
            &of_member,
            [&owner, &member, &inside, &guest],
        )
        .await;
        let organization = of(env, &env.client, "getOrganizationById").send().await.expect(200);
        assert_eq!(organization.at("/permissions/ownTeam"), &json!(true));

        users_cannot_raise_themselves(
            env,
            &team,
            [(&member, &of_member, 403), (&inside, &of_inside, 403), (&guest, &of_guest, 404)],
        )
        .await;
        // A team that the guest does not see is treated as nonexistent.
        let unseen = about(env, &guest, "getTeamInOrganizationById", &team).send().await;
        let never = about(env, &guest, "getTeamInOrganizationById", "00000000000000000000");
        assert_eq!(unseen.json, never.send().await.json);

        assert_eq!(teams_of(env, &owner, &of_member).await, Ok(2));
        assert_eq!(teams_of(env, &inside, &of_inside).await, Ok(1));
        assert_eq!(teams_of(env, &inside, &of_member).await, Err(404));

        limited_tokens_manage_no_team(env, &team).await;

        a_disabled_owner_has_no_permissions(env, &team, &of_owner, &token_of_owner).await;
    });
}

/// Returns the number of teams of a user that a caller sees, or the status of the refusal.
async fn teams_of(env: &TestEnv, client: &Client, user: &str) -> Result<usize, u16> {
    let call = of(env, client, "listTeamsForOrganizationMember").path("userId", user);
    let list = call.send().await;
    match list.status {
        200 => Ok(texts(&list, "/team/id").len()),
        status => Err(status),
    }
}

/// Checks an owner, a member of the organization, a guest in the team, and a guest outside of it.
async fn each_user_has_its_permissions(
    env: &TestEnv,
    team: &str,
    other: &str,
    of_member: &str,
    clients: [&Client; 4],
) {
    let [owner, member, inside, guest] = clients;
    // Permissions of each user on the two teams: see, rename, add, create, and list a member's
    // teams.
    let refusals = async |client: &Client, team: &str| {
        let get = about(env, client, "getTeamInOrganizationById", team).send().await;
        let shown = (get.status == 200).then(|| get.at("/permissions/admin").clone());
        let rename = about(env, client, "updateTeamInOrganizationById", team);
        let rename = rename.json(&json!({ "title": get.status.to_string() })).send().await;
        let put = about(env, client, "addMemberToOrganizationTeamById", team);
        let put = put.path("userId", of_member).send().await;
        assert_eq!(rename.status == 200, shown == Some(json!(true)), "{rename}");
        (get.status, rename.status, put.status)
    };
    for (client, of_team, of_other) in [
        (owner, (200, 200, 204), (200, 403, 403)),
        (member, (200, 403, 403), (200, 403, 403)),
        (inside, (200, 403, 403), (404, 404, 404)),
        (guest, (404, 404, 404), (404, 404, 404)),
    ] {
        assert_eq!(refusals(client, team).await, of_team);
        assert_eq!(refusals(client, other).await, of_other);
        let create = of(env, client, "createOrganizationTeam");
        let create = create.json(&json!({ "title": "Mine" })).send().await.expect(403);
        assert!(create.message().contains("create teams"), "{create}");
        let organization = of(env, client, "getOrganizationById").send().await.expect(200);
        let owns = of_team.1 == 200;
        assert_eq!(organization.at("/permissions/ownTeam"), &json!(owns));
    }
}

/// Lets users change their own membership and delete the team.
async fn users_cannot_raise_themselves(
    env: &TestEnv,
    team: &str,
    users: [(&Client, &str, u16); 3],
) {
    // Users cannot make themselves owners or add themselves to a team.
    for (client, user, expect) in users {
        let body = json!({ "role": "owner" });
        let call = about(env, client, "addMemberToOrganizationTeamById", team);
        let put = call.path("userId", user).json(&body).send().await;
        assert_eq!(put.status, expect, "{put}");
        let call = about(env, client, "updateMembersInOrganizationTeam", team);
        let body = json!({ "memberships": { user: { "role": "owner" } } });
        assert_eq!(call.json(&body).send().await.status, expect);
        let delete = about(env, client, "removeTeamFromOrganizationById", team);
        let expect = if expect == 404 { 204 } else { expect };
        assert_eq!(delete.send().await.status, expect);
    }
}

/// Uses tokens with a limited scope and with a limited set of spaces.
async fn limited_tokens_manage_no_team(env: &TestEnv, team: &str) {
    // Tokens are restricted to their limits.
    let token = async |body: Value| {
        let (text, _) = env.token(&body).await;
        env.client.with_token(&text)
    };
    let written = token(json!({ "name": "w", "scopes": ["write"] })).await;
    let rename = about(env, &written, "updateTeamInOrganizationById", team);
    let rename = rename.json(&json!({ "title": "Mine" })).send().await.expect(403);
    assert!(rename.message().contains("scope admin"), "{rename}");
    let space = env.space("Space").await;
    let narrow = token(json!({ "name": "s", "spaces": [space] })).await;
    let _unseen = about(env, &narrow, "getTeamInOrganizationById", team).send().await.expect(404);
    assert_eq!(listed(env, &narrow).await, Vec::<String>::new());
}

/// Disables the owner of the team.
async fn a_disabled_owner_has_no_permissions(
    env: &mut TestEnv,
    team: &str,
    of_owner: &str,
    token_of_owner: &str,
) {
    // A disabled owner has no permissions.
    let disabled = of_owner.to_owned();
    env.edit_store(move |tx| {
        tx.execute(
            "UPDATE members SET disabled = 1 WHERE user_id = $1",
            &[disabled.as_str().into()],
        )
    })
    .await;
    let owner = env.client.with_token(token_of_owner);
    let gone = about(env, &owner, "getTeamInOrganizationById", team).send().await;
    let _gone = gone.expect(404);
    let list = of(env, &env.client, "listTeamsInOrganizationById").query("owner", of_owner);
    assert_eq!(list.send().await.expect(200).at("/count"), &json!(0));
}

/// Returns the titles of the teams that a caller sees.
async fn listed(env: &TestEnv, client: &Client) -> Vec<String> {
    let list = of(env, client, "listTeamsInOrganizationById").send().await.expect(200);
    let titles: Vec<String> = texts(&list, "/title").into_iter().map(str::to_owned).collect();
    assert_eq!(list.at("/count"), &json!(titles.len()));
    titles
}

#[test]
fn a_user_can_be_in_ten_thousand_teams() {
    each_engine(async |env: &mut TestEnv| {
        let ada = id_of(&env.person("ada@example.com", Some("read")).await).await;
        let organization = env.organization.clone();
        let user = ada.clone();
        env.edit_store(move |tx| {
            for number in 0..10_000 {
                let id = format!("{number:020}");
                tx.execute(
                    "INSERT INTO teams \
                         (id, organization, title, title_folded, members, created_at) \
                         VALUES ($1, $2, $1, $1, 1, $3)",
                    &[id.as_str().into(), organization.as_str().into(), number.into()],
                )?;
                tx.execute(
                    "INSERT INTO team_members (team, user_id, role, joined_at) \
                         VALUES ($1, $2, 'member', $3)",
                    &[id.as_str().into(), user.as_str().into(), number.into()],
                )?;
            }
            Ok(())
        })
        .await;
        let list = || {
            let call = of(env, &env.client, "listTeamsForOrganizationMember");
            call.path("userId", &ada).query("limit", 1000)
        };
        let seen: usize = pages(list).await.iter().map(|page| texts(page, "/team/id").len()).sum();
        assert_eq!(seen, 10_000);
        let remove = of(env, &env.client, "removeMemberFromOrganizationById");
        let _removed = remove.path("userId", &ada).send().await.expect(205);
        let list = of(env, &env.client, "listTeamsInOrganizationById").query("limit", 1000);
        let list = list.send().await.expect(200);
        let members = list.at("/items").as_array().unwrap().iter().map(|team| &team["members"]);
        assert!(members.into_iter().all(|members| members == &json!(0)));
    });
}
