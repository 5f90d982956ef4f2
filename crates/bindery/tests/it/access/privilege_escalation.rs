//! Privilege escalation: role changes, moved content, links, tokens and repeated joining give no
//! one more permissions than they have.

use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::support::containers::{collection, grant, level, sees, space_in};
use crate::support::people::{id_of, second_organization};
use crate::support::{TestEnv, each_engine};

async fn move_collection(client: &Client, collection: &str, parent: &str) -> Answer {
    let call = client.call("moveCollection").path("collectionId", collection);
    call.json(&json!({ "parent": parent })).send().await
}

/// Grants on a collection apply to everything in it, including items that are closed to members. A
/// user who moves another collection into it must therefore not gain access to its closed items.
#[test]
fn moving_a_collection_grants_nothing_in_it() {
    each_engine(async |env: &mut TestEnv| {
        let own = collection(env, "Own", None).await;
        let moved = collection(env, "Moved", None).await;
        let inner = collection(env, "Inner", Some(&moved)).await;
        let closed = space_in(env, "Closed", &inner).await;
        let call = env.client.call("updateSpaceById").path("spaceId", &closed);
        let _closed = call.json(&json!({ "defaultLevel": null })).send().await.expect(200);
        let mover = env.person("mover@example.com", Some("create")).await;
        let id = id_of(&mover).await;
        let _granted = grant(env, "Collection", &own, &id, json!("create")).await.expect(204);
        assert_eq!(sees(&mover, &closed).await, 404);

        let refused = move_collection(&mover, &moved, &own).await.expect(403);
        assert!(refused.message().contains("your own permissions"), "{refused}");
        // Items that the user does not see are not named.
        assert!(!refused.message().contains(&closed) && !refused.message().contains("Closed"));
        assert_eq!(sees(&mover, &closed).await, 404);
        let shown = env.client.call("getCollectionById").path("collectionId", &moved);
        assert_eq!(shown.send().await.expect(200).json.pointer("/parent"), None);

        // Visible items can be moved, and an administrator can move everything.
        level(env, "Collection", &inner, json!("read")).await;
        let refused = move_collection(&mover, &inner, &own).await.expect(403);
        assert!(refused.message().contains("permission"), "{refused}");
        let _granted = grant(env, "Space", &closed, &id, json!("create")).await.expect(204);
        level(env, "Collection", &inner, json!("create")).await;
        let _moved = move_collection(&mover, &moved, &own).await.expect(200);
    });
}

/// All roles, as targets of an escalation.
const LEVELS: [&str; 6] = ["read", "comment", "edit", "review", "create", "admin"];

/// Every role below administrator tries all ways to a higher role on all visible items, without
/// effect.
#[test]
fn no_role_can_raise_itself() {
    each_engine(async |env: &mut TestEnv| {
        let place = collection(env, "Place", None).await;
        let space = space_in(env, "Space", &place).await;
        let made = env.client.call("createOrganizationTeam");
        let made = made.path("organizationId", &env.organization).json(&json!({ "title": "Team" }));
        let team = made.send().await.expect(201).text_at("/id").to_owned();
        for role in [Value::Null].into_iter().chain(LEVELS[..5].iter().map(|role| json!(role))) {
            let email = format!("{}@example.com", role.as_str().unwrap_or("guest"));
            let client = env.person(&email, role.as_str()).await;
            let id = id_of(&client).await;
            let of =
                |operation: &str| client.call(operation).path("organizationId", &env.organization);
            let on_space = |operation: &str| client.call(operation).path("spaceId", &space);
            let on_place = |operation: &str| client.call(operation).path("collectionId", &place);
            for wanted in LEVELS {
                let to = json!({ "role": wanted });
                let invited = json!({ "role": wanted, "users": [id], "teams": [team] });
                let tries = [
                    of("updateMemberInOrganizationById").path("userId", &id).json(&to),
                    of("updateMemberAccess")
                        .path("userId", &id)
                        .json(&json!({ "disabled": false })),
                    of("updateOrganizationById").json(&json!({ "defaultRole": wanted })),
                    of("createOrganizationInvite").json(&to),
                    of("createOrganizationInvite")
                        .json(&json!({ "level": wanted, "space": space })),
                    of("createOrganizationInvite")
                        .json(&json!({ "level": wanted, "collection": place })),
                    of("inviteUsersToOrganization")
                        .json(&json!({ "emails": [email], "role": wanted })),
                    of("addMemberToOrganizationTeamById")
                        .path("teamId", &team)
                        .path("userId", &id)
                        .json(&json!({ "role": "owner" })),
                    of("updateMembersInOrganizationTeam")
                        .path("teamId", &team)
                        .json(&json!({ "memberships": { id.as_str(): { "role": "owner" } } })),
                    on_space("updateUserPermissionInSpace").path("userId", &id).json(&to),
                    on_space("updateTeamPermissionInSpace").path("teamId", &team).json(&to),
                    on_space("inviteToSpace").json(&invited),
                    on_space("updateSpaceById").json(&json!({ "defaultLevel": wanted })),
                    on_space("transferSpace")
                        .json(&json!({ "organization": env.organization, "parent": null })),
                    on_place("updateUserPermissionInCollection").path("userId", &id).json(&to),
                    on_place("updateTeamPermissionInCollection").path("teamId", &team).json(&to),
                    on_place("inviteToCollection").json(&invited),
                    on_place("updateCollectionById").json(&json!({ "defaultLevel": wanted })),
                    client.call("createUser").json(&json!({
                        "email": format!("x-{email}"), "displayName": "X", "role": wanted,
                        "organization": env.organization, "token": true,
                    })),
                ];
                all_are_refused(tries, &role, wanted).await;
            }
            role_is_unchanged(env, &id, &space, &role).await;
        }
    });
}

/// Sends requests that must not be permitted.
async fn all_are_refused(tries: impl IntoIterator<Item = Call>, role: &Value, wanted: &str) {
    for attempt in tries {
        let answer = attempt.send().await;
        assert!(matches!(answer.status, 403 | 404), "{role} wants {wanted}: {answer}");
        // If the item is visible, the message names the missing role.
        let named = answer.message().contains("admin");
        assert!(answer.status == 404 || named, "{role} wants {wanted}: {answer}");
    }
}

/// Checks the role of a user in the organization and in a space.
async fn role_is_unchanged(env: &TestEnv, id: &str, space: &str, role: &Value) {
    let member = env.client.call("getMemberInOrganizationById");
    let member = member.path("organizationId", &env.organization).path("userId", id);
    assert_eq!(member.send().await.expect(200).at("/role"), role);
    let permission = env.client.call("getAccess").query("user", id);
    let permission = permission.query("resource", space).send().await.expect(200);
    let expect = role.clone();
    assert_eq!(permission.json.pointer("/permission").unwrap_or(&Value::Null), &expect);
}

/// Invalid, revoked and foreign links have the same response, and no membership changes.
#[test]
fn invalid_invites_have_identical_responses() {
    each_engine(async |env: &mut TestEnv| {
        let organization = env.organization.clone();
        let body = json!({ "title": "Elsewhere" });
        let elsewhere = env.client.call("createOrganization").json(&body).send().await;
        let elsewhere = elsewhere.expect(201).text_at("/id").to_owned();
        let body = json!({
            "email": "eve@example.com", "displayName": "Eve", "organization": elsewhere,
            "role": "read", "token": true,
        });
        let eve = env.client.call("createUser").json(&body).send().await.expect(201);
        let eve = env.client.with_token(eve.text_at("/token"));
        let revoke = async |invite: &str| {
            let call = env.client.call("deleteOrganizationInviteById");
            let call = call.path("organizationId", &organization).path("inviteId", invite);
            let _revoked = call.send().await.expect(205);
        };
        let space = env.space("Gone").await;
        let there = new_link(env, &organization, json!({ "role": "admin" })).await;
        let revoked = new_link(env, &organization, json!({ "role": "admin" })).await;
        let to_gone =
            new_link(env, &organization, json!({ "level": "admin", "space": space })).await;
        let of_others = new_link(env, &elsewhere, json!({ "role": "admin" })).await;
        revoke(&revoked).await;
        let gone = env.client.call("deleteSpaceById").path("spaceId", &space).send().await;
        let _gone = gone.expect(205);

        let mut heard = Vec::new();
        let mut follow = async |invite: &str| {
            let call = eve.call("joinOrganizationWithInvite");
            let call = call.path("organizationId", &organization).path("inviteId", invite);
            let answer = call.send().await.expect(404);
            heard.push((invite.to_owned(), answer.text()));
        };
        let entropy = bindery_model::Entropy::from_system().unwrap();
        for _ in 0..20 {
            follow(bindery_model::Id::random(&entropy).as_str()).await;
        }
        for invite in [&revoked, &to_gone, &of_others] {
            follow(invite).await;
        }
        let set = async |on: bool| {
            let call = env.client.call("updateOrganizationById");
            let call = call.path("organizationId", &organization);
            let _set = call.json(&json!({ "inviteLinks": on })).send().await.expect(200);
        };
        set(false).await;
        follow(&there).await;
        set(true).await;
        revoke(&there).await;
        follow(&there).await;
        let first = heard[0].1.clone();
        for (invite, text) in &heard {
            assert_eq!(text, &first, "{invite}");
        }
        let seen = eve.call("getOrganizationById").path("organizationId", &organization);
        let _stranger = seen.send().await.expect(404);
    });
}

/// Creates an invite link and returns its id.
async fn new_link(env: &TestEnv, organization: &str, body: Value) -> String {
    let call = env.client.call("createOrganizationInvite");
    let made = call.path("organizationId", organization).json(&body).send().await;
    made.expect(201).text_at("/id").to_owned()
}

/// A token's permissions are limited to its scopes, and it cannot create tokens with wider ones.
#[test]
fn tokens_cannot_create_wider_tokens() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Space").await;
        let other = env.space("Other").await;
        let limited = [
            json!({ "name": "w", "scopes": ["read", "write"] }),
            json!({ "name": "s", "spaces": [space] }),
            json!({ "name": "o", "organizations": [env.organization] }),
        ];
        let wider = [
            (0, json!({ "name": "x", "scopes": ["admin"] })),
            (0, json!({ "name": "x" })),
            (1, json!({ "name": "x" })),
            (1, json!({ "name": "x", "spaces": [] })),
            (1, json!({ "name": "x", "spaces": [other] })),
            (1, json!({ "name": "x", "spaces": [space, other] })),
            (1, json!({ "name": "x", "organizations": [env.organization] })),
            (2, json!({ "name": "x" })),
            (2, json!({ "name": "x", "organizations": [] })),
            (2, json!({ "name": "x", "spaces": [space] })),
            (2, json!({ "name": "x", "organizations": [env.organization, "x"] })),
        ];
        let mut clients = Vec::new();
        for body in &limited {
            let (text, _) = env.token(body).await;
            clients.push(env.client.with_token(&text));
        }
        for (which, body) in wider {
            let made = clients[which].call("createToken").json(&body).send().await;
            assert!(matches!(made.status, 400 | 403), "{} makes {body}: {made}", limited[which]);
        }
        let narrower = json!({ "name": "x", "spaces": [space], "scopes": ["read"] });
        let narrower = clients[1].call("createToken").json(&narrower).send().await.expect(201);
        let narrower = env.client.with_token(narrower.text_at("/token"));
        assert_eq!((sees(&narrower, &space).await, sees(&narrower, &other).await), (200, 404));

        // No token of a disabled member is valid.
        let ann = env.person("ann@example.com", Some("admin")).await;
        let made = ann.call("createToken").json(&json!({ "name": "second" })).send().await;
        let second = env.client.with_token(made.expect(201).text_at("/token"));
        assert_eq!(sees(&second, &space).await, 200);
        let shut = env.client.call("updateMemberAccess").path("userId", id_of(&ann).await);
        let shut = shut.path("organizationId", &env.organization);
        let _shut = shut.json(&json!({ "disabled": true })).send().await.expect(200);
        for client in [&ann, &second] {
            assert_eq!(sees(client, &space).await, 404);
            let call = client.call("createSpace").path("organizationId", &env.organization);
            let _missing = call.json(&json!({ "title": "x" })).send().await.expect(404);
            let back = client.call("updateMemberAccess").path("userId", id_of(&ann).await);
            let back = back.path("organizationId", &env.organization);
            let _missing = back.json(&json!({ "disabled": false })).send().await.expect(404);
        }
    });
}

/// Grants and links of content end when it is transferred to another organization.
#[test]
fn tokens_without_the_scope_admin_show_no_access_of_others() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Docs").await;
        let ann = env.person("ann@example.com", Some("edit")).await;
        let id = |client: Client| async move {
            let user = client.call("getAuthenticatedUser").send().await.expect(200);
            user.text_at("/id").to_owned()
        };
        let (own, other) = (id(env.client.clone()).await, id(ann).await);
        let (token, _) = env.token(&json!({ "name": "reader", "scopes": ["read"] })).await;
        let reader = env.client.with_token(&token);
        for (user, status) in [(&own, 200), (&other, 403)] {
            let call = reader.call("getAccess").query("user", user).query("resource", &space);
            let access = call.send().await.expect(status);
            let call = reader.call("listSpacesForOrganizationMember").path("userId", user);
            let call = call.path("organizationId", &env.organization);
            let list = call.send().await.expect(status);
            if status == 403 {
                for answer in [access, list] {
                    assert!(answer.message().contains("lacks the scope admin"), "{answer}");
                }
            }
        }
    });
}

#[test]
fn a_transfer_ends_grants_and_links() {
    each_engine(async |env: &mut TestEnv| {
        let second = second_organization(env).await;
        let (space, place) = (env.space("Alone").await, collection(env, "Place", None).await);
        let inside = space_in(env, "Inside", &place).await;
        let guest = env.person("guest@example.com", None).await;
        let id = id_of(&guest).await;
        let to_space =
            new_link(env, &env.organization, json!({ "level": "edit", "space": space })).await;
        let to_place =
            new_link(env, &env.organization, json!({ "level": "edit", "collection": place })).await;
        for (kind, on) in [("Space", &space), ("Space", &inside), ("Collection", &place)] {
            let _granted = grant(env, kind, on, &id, json!("edit")).await.expect(204);
        }
        assert_eq!((sees(&guest, &space).await, sees(&guest, &inside).await), (200, 200));
        let shown_first = async |set: Option<Value>| {
            let operation =
                if set.is_some() { "updateOrganizationById" } else { "getOrganizationById" };
            let call = env.client.call(operation).path("organizationId", &env.organization);
            let call = match set {
                Some(content) => call.json(&json!({ "defaultContent": content })),
                None => call,
            };
            call.send().await.expect(200).json.pointer("/defaultContent").cloned()
        };
        let first = json!({ "type": "space", "space": space });
        assert_eq!(shown_first(Some(first.clone())).await, Some(first.clone()));
        assert_eq!(shown_first(None).await, Some(first));
        let to = json!({ "organization": second });
        let gone = env.client.call("transferSpace").path("spaceId", &space).json(&to);
        let _gone = gone.send().await.expect(200);
        let gone = env.client.call("transferCollection").path("collectionId", &place).json(&to);
        let _gone = gone.send().await.expect(200);

        assert_eq!(shown_first(None).await, None);
        // An administrator of both organizations cannot create links to content of the other one.
        for (kind, on) in [("space", &space), ("collection", &place)] {
            let call = env.client.call("createOrganizationInvite");
            let call = call.path("organizationId", &env.organization);
            let body = json!({ "level": "read", kind: on });
            let refused = call.json(&body).send().await.expect(404);
            assert!(refused.message().contains(&format!("/{kind}")), "{refused}");
        }
        // The grants do not return when the user joins the other organization as a guest.
        env.join(&guest, &second, "guest@example.com", None).await;
        for invite in [to_space, to_place] {
            for organization in [&env.organization, &second] {
                let call = guest.call("joinOrganizationWithInvite");
                let call = call.path("organizationId", organization).path("inviteId", &invite);
                let missing = call.send().await.expect(404);
                assert_eq!(missing.message(), "invite not found");
            }
        }
        assert_eq!((sees(&guest, &space).await, sees(&guest, &inside).await), (404, 404));
        let listed = guest.call("listCollectionsInOrganizationById");
        let listed = listed.path("organizationId", &second).send().await.expect(200);
        assert_eq!(listed.at("/count"), &json!(0));
    });
}
