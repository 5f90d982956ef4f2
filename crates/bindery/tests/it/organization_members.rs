//! Members of organizations: lists, roles, disabling and leaving.

use bindery_model::{OrganizationId, Timestamp, UserId};
use bindery_store::{Event, members};
use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine};

fn of(client: &Client, operation: &str, organization: &str, user: &str) -> Call {
    client.call(operation).path("organizationId", organization).path("userId", user)
}

fn list(client: &Client, organization: &str) -> Call {
    client.call("listMembersInOrganizationById").path("organizationId", organization)
}

async fn set_role(client: &Client, organization: &str, user: &str, role: Value) -> Answer {
    let call = of(client, "updateMemberInOrganizationById", organization, user);
    call.json(&json!({ "role": role })).send().await
}

fn names(answer: &Answer) -> Vec<String> {
    let items = answer.at("/items").as_array().unwrap().iter();
    items.map(|item| item["user"]["displayName"].as_str().unwrap().to_owned()).collect()
}

/// Returns all items of a list, running `between` after each page.
async fn pages(begin: impl Fn() -> Call, mut between: impl AsyncFnMut(usize)) -> Vec<String> {
    let mut all = Vec::new();
    let mut cursor: Option<String> = None;
    for number in 0.. {
        let call = match &cursor {
            Some(cursor) => begin().query("page", cursor),
            None => begin(),
        };
        let page = call.send().await.expect(200);
        all.extend(names(&page));
        match page.json.pointer("/next/page").and_then(Value::as_str) {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
        between(number).await;
    }
    all
}

#[test]
fn members_are_listed_filtered_and_searched() {
    each_engine(async |env: &mut TestEnv| {
        let first = json!({
            "email": "first@one.example", "displayName": "Ärger", "organization": env.organization,
            "role": "edit", "token": true,
        });
        let first = env.client.call("createUser").json(&first).send().await.expect(201);
        let mut people = vec![env.client.with_token(first.text_at("/token"))];
        for (name, role) in [
            ("bob_x@two.example", Some("edit")),
            ("bobyx@two.example", None),
            ("zoe@one.example", Some("admin")),
        ] {
            people.push(env.person(name, role).await);
        }
        let all = list(&env.client, &env.organization).send().await.expect(200);
        assert_eq!(all.at("/count"), &json!(5));
        // Latest first.
        assert_eq!(names(&all)[0], "zoe@one.example");
        assert_eq!(names(&all)[4], "Administrator");
        let item = all.at("/items/1");
        assert_eq!(
            (&item["role"], &item["disabled"], &item["sso"]),
            (&json!(null), &json!(false), &json!(false),)
        );
        assert_eq!((&item["spaces"], &item["teams"]), (&json!(0), &json!(0)));
        assert_eq!(item["id"], item["user"]["id"]);
        let oldest = list(&env.client, &env.organization).query("order", "asc");
        let mut reversed = names(&oldest.send().await.expect(200));
        reversed.reverse();
        assert_eq!(reversed, names(&all));

        queries_filter_the_list(env).await;
        // A cursor is valid for its query only.
        let first = list(&env.client, &env.organization).query("limit", 1).send().await.expect(200);
        let cursor = first.text_at("/next/page");
        let other = list(&env.client, &env.organization).query("role", "edit");
        let _refused = other.query("page", cursor).send().await.expect(400);

        let guest = &people[2];
        let refused = list(guest, &env.organization).send().await.expect(403);
        assert!(refused.message().contains("see the members"), "{refused}");
        let space = env.space("Only").await;
        let (limited, _) = env.token(&json!({ "name": "space", "spaces": [space] })).await;
        let limited = env.client.with_token(&limited);
        let _refused = list(&limited, &env.organization).send().await.expect(403);
        let _reader = list(&people[0], &env.organization).send().await.expect(200);
    });
}

/// Checks filters, searches and invalid queries.
async fn queries_filter_the_list(env: &TestEnv) {
    for (query, expect) in [
        (vec![("role", "edit")], vec!["bob_x@two.example", "Ärger"]),
        (vec![("role", "guest")], vec!["bobyx@two.example"]),
        (vec![("role", "create")], vec![]),
        (vec![("search", "ärg")], vec!["Ärger"]),
        (vec![("search", "ONE.EX")], vec!["zoe@one.example", "Ärger"]),
        // Wildcards have no special meaning.
        (vec![("search", "b_x")], vec!["bob_x@two.example"]),
        (vec![("search", "%")], vec![]),
        (vec![("search", "administrator")], vec!["Administrator"]),
        (vec![("search", "two"), ("role", "edit")], vec!["bob_x@two.example"]),
    ] {
        let mut call = list(&env.client, &env.organization);
        for (name, value) in &query {
            call = call.query(name, value);
        }
        let found = call.send().await.expect(200);
        assert_eq!(names(&found), expect, "{query:?}");
        assert_eq!(found.at("/count"), &json!(expect.len()), "{query:?}");
    }
    for (name, value) in [
        ("role", "emperor"),
        ("sort", "name"),
        ("order", "up"),
        ("limit", "0"),
        ("limit", "1001"),
        ("page", "made-up"),
    ] {
        let bad = list(&env.client, &env.organization).query(name, value).send().await;
        let bad = bad.expect(400);
        assert!(bad.message().contains(name), "{bad}");
    }
}

#[test]
fn every_member_is_listed_once_during_changes() {
    each_engine(async |env: &mut TestEnv| {
        let organization = env.organization.clone();
        let mut people = Vec::new();
        for number in 0..7 {
            let client = env.person(&format!("{number}@example.com"), Some("read")).await;
            people.push(client);
        }
        let ids = [id_of(&people[0]).await, id_of(&people[6]).await];
        for order in ["asc", "desc"] {
            let begin = || list(&env.client, &organization).query("limit", 2).query("order", order);
            let seen = pages(begin, async |number| {
                // Role changes and new members do not change the order of the other members.
                for id in &ids {
                    let role = json!(["edit", "read"][number % 2]);
                    let _set = set_role(&env.client, &organization, id, role).await.expect(200);
                }
                let email = format!("new-{order}-{number}@example.com");
                let _new = env.person(&email, Some("read")).await;
            })
            .await;
            for number in 0..7 {
                let name = format!("{number}@example.com");
                assert_eq!(seen.iter().filter(|seen| **seen == name).count(), 1, "{seen:?}");
            }
        }
    });
}

#[test]
fn members_are_sorted_by_last_activity() {
    each_engine(async |env: &mut TestEnv| {
        let mut people = Vec::new();
        for number in 0..6 {
            let client = env.person(&format!("{number}@example.com"), Some("read")).await;
            people.push((id_of(&client).await, client));
        }
        // Member 5 was never seen; the others were seen at different times long ago.
        see_long_ago(env, &people).await;
        let people: Vec<(String, Client)> = people
            .into_iter()
            .map(|(id, client)| (id, client.at(env.server().address())))
            .collect();
        let by_seen = || list(&env.client, &env.organization).query("sort", "lastSeenAt");
        let all = by_seen().send().await.expect(200);
        assert_eq!(all.at("/count"), &json!(5));
        let expect: Vec<_> = (0..5).rev().map(|n| format!("{n}@example.com")).collect();
        assert_eq!(names(&all), expect);
        assert_eq!(all.text_at("/items/4/lastSeenAt"), "1970-01-01T00:01:00.000Z");
        for order in ["desc", "asc"] {
            let begin = || by_seen().query("limit", 2).query("order", order);
            let seen = pages(begin, async |number| {
                // A member who was listed already, and one who was not.
                for index in [number, 4 - number] {
                    let ping = people[index].1.call("updateOrganizationMemberLastSeenAt");
                    let ping = ping.path("organizationId", &env.organization).send().await;
                    let pinged = ping.expect(200);
                    assert_eq!(pinged.text_at("/id"), people[index].0);
                    assert!(pinged.at("/lastSeenAt").is_string(), "{pinged}");
                }
            })
            .await;
            let mut sorted = seen.clone();
            sorted.sort();
            let expect: Vec<_> = (0..5).map(|n| format!("{n}@example.com")).collect();
            assert_eq!(sorted, expect, "{seen:?}");
        }
        // The time is updated at most once per minute.
        let ping = async || {
            let ping = people[5].1.call("updateOrganizationMemberLastSeenAt");
            let ping = ping.path("organizationId", &env.organization).send().await.expect(200);
            ping.text_at("/lastSeenAt").to_owned()
        };
        let (first, second) = (ping().await, ping().await);
        assert_eq!(first, second);
        let guest = env.person("guest@example.com", None).await;
        let seen = guest.call("updateOrganizationMemberLastSeenAt");
        let _seen = seen.path("organizationId", &env.organization).send().await.expect(200);
        assert_eq!(by_seen().send().await.expect(200).at("/count"), &json!(7));
    });
}

/// Sets different times of the last activity of users.
async fn see_long_ago(env: &mut TestEnv, people: &[(String, Client)]) {
    let within = OrganizationId::parse(&env.organization).unwrap();
    let seen: Vec<UserId> = people[..5].iter().map(|(id, _)| UserId::parse(id).unwrap()).collect();
    let order = seen.clone();
    env.edit_store(move |tx| {
        for (user, minute) in order.iter().zip(1..) {
            let at = Timestamp::from_millis(minute * 60_000);
            members::touch(tx, within, *user, at, at)?;
        }
        Ok(())
    })
    .await;
}

#[test]
fn only_administrators_assign_roles() {
    each_engine(async |env: &mut TestEnv| {
        let admin = id_of(&env.client).await;
        let ann = env.person("ann@example.com", Some("create")).await;
        let guest = env.person("guest@example.com", None).await;
        let (ann_id, guest_id) = (id_of(&ann).await, id_of(&guest).await);

        // Members cannot raise their own role.
        for role in ["admin", "read"] {
            let refused = set_role(&ann, &env.organization, &ann_id, json!(role)).await.expect(403);
            assert!(refused.message().contains("admin"), "{refused}");
        }
        let _refused =
            set_role(&guest, &env.organization, &guest_id, json!("read")).await.expect(403);
        let _unseen = set_role(&guest, &env.organization, &ann_id, json!("read")).await.expect(404);
        let _refused = set_role(&ann, &env.organization, &admin, json!(null)).await.expect(403);

        let last = set_role(&env.client, &env.organization, &admin, json!("edit")).await;
        let last = last.expect(409);
        assert!(last.message().contains("last administrator"), "{last}");
        let shown =
            set_role(&env.client, &env.organization, &ann_id, json!(null)).await.expect(200);
        assert_eq!(shown.at("/role"), &json!(null));
        let _guest_now = list(&ann, &env.organization).send().await.expect(403);
        let shown = set_role(&env.client, &env.organization, &ann_id, json!("admin")).await;
        assert_eq!(shown.expect(200).at("/role"), &json!("admin"));
        // One of two administrators can lower their role; the last one cannot.
        let stepped = set_role(&env.client, &env.organization, &admin, json!("edit")).await;
        let _stepped = stepped.expect(200);
        let _no_more = set_role(&env.client, &env.organization, &admin, json!("admin")).await;
        let _last = set_role(&ann, &env.organization, &ann_id, json!(null)).await.expect(409);
        let _back = set_role(&ann, &env.organization, &admin, json!("admin")).await.expect(200);

        invalid_roles_and_users_are_rejected(env, &ann_id).await;
        // A guest sees only itself.
        for (who, status) in [(&guest_id, 200), (&ann_id, 404)] {
            let get = of(&guest, "getMemberInOrganizationById", &env.organization, who);
            let _answer = get.send().await.expect(status);
        }
        let sso = of(&env.client, "setUserAsSSOMemberForOrganization", &env.organization, &ann_id);
        let sso = sso.send().await.expect(409);
        assert!(sso.message().contains("no sign-in provider"), "{sso}");

        let events = env.events().await;
        let told: Vec<(Value, Value)> = events
            .iter()
            .filter_map(|one| match &one.event {
                Event::MemberUpdated { user, changes } if user.to_string() == ann_id => {
                    Some((changes[0].before.clone(), changes[0].after.clone()))
                }
                _ => None,
            })
            .collect();
        assert_eq!(told, [(json!("create"), json!(null)), (json!(null), json!("admin"))]);
    });
}

/// Updates a member without effect, with an unknown role, and unknown users.
async fn invalid_roles_and_users_are_rejected(env: &TestEnv, ann_id: &str) {
    let nothing = of(&env.client, "updateMemberInOrganizationById", &env.organization, ann_id);
    let unchanged = nothing.json(&json!({})).send().await.expect(200);
    assert_eq!(unchanged.at("/role"), &json!("admin"));
    let bad = set_role(&env.client, &env.organization, ann_id, json!("emperor")).await;
    assert!(bad.expect(400).message().contains("/role"));
    for odd in ["00000000000000000000", "x"] {
        let missing = set_role(&env.client, &env.organization, odd, json!("read")).await;
        let _missing = missing.expect(404);
        let get = of(&env.client, "getMemberInOrganizationById", &env.organization, odd);
        let _missing = get.send().await.expect(404);
    }
}

#[test]
fn a_disabled_member_loses_access_at_once() {
    each_engine(async |env: &mut TestEnv| {
        let organization = env.organization.clone();
        let admin = id_of(&env.client).await;
        let ann = env.person("ann@example.com", Some("edit")).await;
        let id = id_of(&ann).await;
        let space = env.space("Here").await;
        let set = async |client: &Client, user: &str, disabled: Value| {
            let call = of(client, "updateMemberAccess", &organization, user);
            call.json(&json!({ "disabled": disabled })).send().await
        };
        let reads = async || {
            let get = ann.call("getSpaceById").path("spaceId", &space).send().await.status;
            let call = ann.call("getOrganizationById").path("organizationId", &organization);
            (get, call.send().await.status)
        };
        assert_eq!(reads().await, (200, 200));
        let _refused = set(&ann, &id, json!(true)).await.expect(403);
        let shown = set(&env.client, &id, json!(true)).await.expect(200);
        assert_eq!(shown.at("/disabled"), &json!(true));
        assert_eq!(reads().await, (404, 404));
        let orgs = ann.call("listOrganizationsForAuthenticatedUser").send().await.expect(200);
        assert_eq!(orgs.at("/count"), &json!(0));
        // The author of existing content is still shown.
        let shown = env.client.call("getUserById").path("userId", &id).send().await;
        let _shown = shown.expect(200);
        let _enabled = set(&env.client, &id, json!(false)).await.expect(200);
        assert_eq!(reads().await, (200, 200));
        let last = set(&env.client, &admin, json!(true)).await.expect(409);
        assert!(last.message().contains("last administrator"), "{last}");
        // A disabled administrator does not count as one.
        let _second = set_role(&env.client, &organization, &id, json!("admin")).await.expect(200);
        let _off = set(&env.client, &id, json!(true)).await.expect(200);
        let _last = set_role(&env.client, &organization, &admin, json!("read")).await.expect(409);
        for bad in [json!(null), json!("yes")] {
            let refused = set(&env.client, &id, bad).await.expect(400);
            assert!(refused.message().contains("/disabled"), "{refused}");
        }
    });
}

#[test]
fn leaving_ends_all_access() {
    each_engine(async |env: &mut TestEnv| {
        let organization = env.organization.clone();
        let admin = id_of(&env.client).await;
        let ann = env.person("ann@example.com", Some("edit")).await;
        let bob = env.person("bob@example.com", Some("edit")).await;
        let guest = env.person("guest@example.com", None).await;
        let id = id_of(&ann).await;
        let space = env.space("Here").await;
        let comment = ann.call("postCommentInSpace").path("spaceId", &space);
        let comment = comment.json(&json!({ "body": { "markdown": "Mine." } })).send().await;
        let comment = comment.expect(200).text_at("/id").to_owned();
        let (granted, user) = (space.clone(), id.clone());
        env.edit_store(move |tx| {
            tx.execute(
                "INSERT INTO space_users (space, user_id, role) VALUES ($1, $2, 'admin')",
                &[granted.as_str().into(), user.as_str().into()],
            )
        })
        .await;
        let at = env.server().address().to_owned();
        let [ann, bob, guest] = [&ann, &bob, &guest].map(|client| client.at(&at));
        let get = of(&env.client, "getMemberInOrganizationById", &organization, &id);
        assert_eq!(get.send().await.expect(200).at("/spaces"), &json!(1));
        let remove = async |client: &Client, user: &str| {
            of(client, "removeMemberFromOrganizationById", &organization, user).send().await
        };
        let _refused = remove(&bob, &id).await.expect(403);
        // A guest does not see other members.
        let _unseen = remove(&guest, &id).await.expect(204);
        let last = remove(&env.client, &admin).await.expect(409);
        assert!(last.message().contains("last administrator"), "{last}");
        let _removed = remove(&env.client, &id).await.expect(205);
        let _again = remove(&env.client, &id).await.expect(204);
        let gone = ann.call("getSpaceById").path("spaceId", &space).send().await;
        let _gone = gone.expect(404);
        let shown = env.client.call("getCommentInSpace").path("spaceId", &space);
        let shown = shown.path("commentId", &comment).send().await.expect(200);
        assert_eq!(shown.text_at("/postedBy/id"), id);
        // A member who joins again does not regain the earlier grant on the space.
        env.join(&ann, &organization, "ann@example.com", None).await;
        let gone = ann.call("getSpaceById").path("spaceId", &space).send().await;
        let _gone = gone.expect(404);
        // Every member can leave.
        let _left = remove(&ann, &id).await.expect(205);
        let _left = remove(&guest, &id_of(&guest).await).await.expect(205);
        let _left = remove(&bob, &id_of(&bob).await).await.expect(205);
        assert_eq!(list(&env.client, &organization).send().await.expect(200).at("/count"), 1);

        let events = env.events().await;
        let removed = events.iter().find_map(|one| match &one.event {
            Event::MemberRemoved { user, changes } if user.to_string() == id => Some(changes),
            _ => None,
        });
        let fields: Vec<_> = removed.unwrap().iter().map(|one| one.field.as_str()).collect();
        assert_eq!(fields, ["role".to_owned(), format!("space:{space}")]);
    });
}
