//! Joining an organization: invite links, and invitations by mail.

use bindery_store::Event;
use bindery_testkit::{Answer, Call, Client, SmtpServer};
use serde_json::{Value, json};

use crate::support::mail::secret_after;
use crate::support::people::{id_of, stranger};
use crate::support::{TestEnv, each_engine, each_engine_with, until};

fn of(client: &Client, operation: &str, organization: &str) -> Call {
    client.call(operation).path("organizationId", organization)
}

fn link(client: &Client, operation: &str, organization: &str, invite: &str) -> Call {
    of(client, operation, organization).path("inviteId", invite)
}

async fn new_link(env: &TestEnv, body: Value) -> Answer {
    let call = of(&env.client, "createOrganizationInvite", &env.organization);
    call.json(&body).send().await
}

async fn follow(client: &Client, organization: &str, invite: &str) -> Answer {
    link(client, "joinOrganizationWithInvite", organization, invite).send().await
}

async fn role_of(env: &TestEnv, who: &Client) -> Value {
    let call = of(&env.client, "getMemberInOrganizationById", &env.organization);
    let member = call.path("userId", id_of(who).await).send().await;
    match member.status {
        200 => member.at("/role").clone(),
        _ => json!("none"),
    }
}

async fn set(env: &TestEnv, body: Value) -> Answer {
    let call = of(&env.client, "updateOrganizationById", &env.organization);
    call.json(&body).send().await.expect(200)
}

#[test]
fn invite_links_admit_users() {
    each_engine(async |env: &mut TestEnv| {
        let ann = stranger(env, "ann@example.com").await;
        let made = new_link(env, json!({ "role": "comment" })).await.expect(201);
        let id = made.text_at("/id").to_owned();
        assert_eq!(id.len(), 20);
        assert!(made.header("location").ends_with(&format!("/link-invites/{id}")), "{made}");
        assert_eq!((made.at("/role"), made.at("/redundant")), (&json!("comment"), &json!(false)));
        let shown = link(&env.client, "getOrganizationInviteLink", &env.organization, &id);
        assert_eq!(shown.send().await.expect(200).json, made.json);

        let _in = follow(&ann, &env.organization, &id).await.expect(200);
        assert_eq!(role_of(env, &ann).await, json!("comment"));
        let _again = follow(&ann, &env.organization, &id).await.expect(200);
        let guest = roles_follow_the_link(env, &id, &ann).await;

        invalid_links_are_rejected(env, &id).await;
        // A link belongs to its organization, and its id cannot be guessed.
        let second = env.client.call("createOrganization").json(&json!({ "title": "Second" }));
        let second = second.send().await.expect(201).text_at("/id").to_owned();
        let late = stranger(env, "late@example.com").await;
        for (organization, invite) in [
            (second.as_str(), id.as_str()),
            (&env.organization, "00000000000000000000"),
            (&env.organization, "x"),
            ("00000000000000000000", &id),
        ] {
            let missing = follow(&late, organization, invite).await.expect(404);
            assert_eq!(missing.message(), "invite not found");
        }
        // A disabled member cannot rejoin by a link.
        let shut = of(&env.client, "updateMemberAccess", &env.organization);
        let shut = shut.path("userId", id_of(&ann).await).json(&json!({ "disabled": true }));
        let _shut = shut.send().await.expect(200);
        let _missing = follow(&ann, &env.organization, &id).await.expect(404);
        let limited = json!({ "name": "limited", "organizations": [second] });
        let (limited, _) = env.token(&limited).await;
        let limited = env.client.with_token(&limited);
        let _missing = follow(&limited, &env.organization, &id).await.expect(404);

        unavailable_links_admit_no_one(env, &id, &late).await;

        link_events_hide_the_id(env, &id, &guest).await;
    });
}

/// Checks which role a link gives to new and to existing members. Returns a former guest.
async fn roles_follow_the_link(env: &TestEnv, id: &str, ann: &Client) -> Client {
    // A link gives its current role: it can raise the role of a member but does not reduce it.
    let _null = update_link(env, id, json!({ "role": null })).await.expect(200);
    let guest = stranger(env, "guest@example.com").await;
    let _in = follow(&guest, &env.organization, id).await.expect(200);
    assert_eq!(role_of(env, &guest).await, json!(null));
    let _in = follow(ann, &env.organization, id).await.expect(200);
    assert_eq!(role_of(env, ann).await, json!("comment"));
    let changed = update_link(env, id, json!({ "role": "edit" })).await.expect(200);
    assert_eq!(changed.at("/role"), &json!("edit"));
    let _in = follow(&guest, &env.organization, id).await.expect(200);
    assert_eq!(role_of(env, &guest).await, json!("edit"));
    guest
}

/// Checks the fields of new and updated links.
async fn invalid_links_are_rejected(env: &TestEnv, id: &str) {
    let wrong = update_link(env, id, json!({ "level": "edit" })).await.expect(400);
    assert!(wrong.message().contains("role"), "{wrong}");
    for (body, names) in [
        (json!({}), "role"),
        (json!({ "role": "emperor" }), "role"),
        (json!({ "level": "read" }), "role"),
        (json!({ "level": "read", "space": "x", "collection": "y" }), "/collection"),
    ] {
        let refused = new_link(env, body).await.expect(400);
        assert!(refused.message().contains(names), "{refused}");
    }
}

/// Disables links, enables them again, and deletes one.
async fn unavailable_links_admit_no_one(env: &TestEnv, id: &str, late: &Client) {
    // While links are disabled, none can be created or followed; existing links are kept.
    let _off = set(env, json!({ "inviteLinks": false })).await;
    let off = new_link(env, json!({ "role": "read" })).await.expect(409);
    assert!(off.message().contains("switched invite links off"), "{off}");
    let _missing = follow(late, &env.organization, id).await.expect(404);
    let _on = set(env, json!({ "inviteLinks": true })).await;
    let _in = follow(late, &env.organization, id).await.expect(200);

    let delete = async || {
        let call = link(&env.client, "deleteOrganizationInviteById", &env.organization, id);
        call.send().await.status
    };
    assert_eq!((delete().await, delete().await), (205, 204));
    let latest = stranger(env, "latest@example.com").await;
    let _missing = follow(&latest, &env.organization, id).await.expect(404);
}

/// Checks the events of a link and of the guest who became a member.
async fn link_events_hide_the_id(env: &mut TestEnv, id: &str, guest: &Client) {
    let guest = id_of(guest).await;
    let events = env.events().await;
    assert!(events.iter().any(|one| {
        matches!(&one.event, Event::MemberUpdated { user, .. } if user.to_string() == guest)
    }));
    let told: Vec<&Event> = events
        .iter()
        .map(|one| &one.event)
        .filter(|event| {
            matches!(
                event,
                Event::InviteLinkCreated { .. }
                    | Event::InviteLinkUpdated { .. }
                    | Event::InviteLinkRevoked { .. }
            )
        })
        .collect();
    assert_eq!(told.len(), 4, "{told:?}");
    // The event must not contain the whole id, which would let its readers join.
    assert!(!format!("{told:?}").contains(id));
    assert!(format!("{told:?}").contains(&id[..6]));
}

/// Updates an invite link.
async fn update_link(env: &TestEnv, id: &str, body: Value) -> Answer {
    let call = link(&env.client, "updateOrganizationInviteById", &env.organization, id);
    call.json(&body).send().await
}

#[test]
fn links_to_a_space_are_managed_by_its_administrators() {
    each_engine(async |env: &mut TestEnv| {
        let organization = env.organization.clone();
        let (space, other) = (env.space("Mine").await, env.space("Other").await);
        let ann = env.person("ann@example.com", Some("edit")).await;
        let grant = env.client.call("updateUserPermissionInSpace").path("spaceId", &space);
        let grant = grant.path("userId", id_of(&ann).await).json(&json!({ "role": "admin" }));
        let _granted = grant.send().await.expect(204);
        let list = async |client: &Client| {
            of(client, "listOrganizationInviteLinks", &organization).send().await
        };
        let _none = list(&ann).await.expect(403);
        let collection = of(&env.client, "createCollection", &organization);
        let collection = collection.json(&json!({ "title": "All" })).send().await.expect(201);
        for body in [
            json!({ "role": "read" }),
            json!({ "level": "read", "space": other }),
            json!({ "level": "edit", "space": space }),
            json!({ "level": "read", "collection": collection.text_at("/id") }),
        ] {
            let _made = new_link(env, body).await.expect(201);
        }
        let all = list(&env.client).await.expect(200);
        assert_eq!(all.at("/count"), &json!(4));
        assert_eq!(all.text_at("/items/3/collection/title"), "All");
        let own = list(&ann).await.expect(200);
        assert_eq!(own.at("/count"), &json!(1));
        assert_eq!(own.text_at("/items/0/level"), "edit");
        assert_eq!(own.text_at("/items/0/space/id"), space);
        let id = own.text_at("/items/0/id");
        let delete = link(&ann, "deleteOrganizationInviteById", &organization, id);
        let _revoked = delete.send().await.expect(205);
        assert_eq!(list(&env.client).await.expect(200).at("/count"), &json!(3));
        // A token without administrative scope cannot list links, since their ids let people join.
        let (reader, _) = env.token(&json!({ "name": "reader", "scopes": ["write"] })).await;
        let _refused = list(&env.client.with_token(&reader)).await.expect(403);
    });
}

#[test]
fn links_are_listed_to_those_who_manage_members() {
    each_engine(async |env: &mut TestEnv| {
        let mut made = Vec::new();
        for _ in 0..5 {
            let link = new_link(env, json!({ "role": "read" })).await.expect(201);
            made.push(link.text_at("/id").to_owned());
        }
        let space = env.space("Apart").await;
        let apart = new_link(env, json!({ "level": "read", "space": space })).await.expect(201);
        made.push(apart.text_at("/id").to_owned());
        let mut seen = Vec::new();
        let mut cursor = String::new();
        loop {
            let call = of(&env.client, "listOrganizationInviteLinks", &env.organization);
            let call = call.query("limit", 2);
            let call = if cursor.is_empty() { call } else { call.query("page", &cursor) };
            let page = call.send().await.expect(200);
            for item in page.at("/items").as_array().unwrap() {
                seen.push(item["id"].as_str().unwrap().to_owned());
            }
            // A link is revoked between two pages: the other links are still listed once each.
            if cursor.is_empty() {
                assert_eq!(page.at("/count"), &json!(6));
                let call =
                    link(&env.client, "deleteOrganizationInviteById", &env.organization, &seen[0]);
                let _gone = call.send().await.expect(205);
            }
            match page.json.pointer("/next/page").and_then(Value::as_str) {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
        let there = seen[1].clone();
        seen.sort();
        made.sort();
        assert_eq!(seen, made);
        others_see_no_links(env, &there).await;
    });
}

/// Uses the operations on links as a member without the permission.
async fn others_see_no_links(env: &TestEnv, there: &str) {
    let editor = env.person("editor@example.com", Some("create")).await;
    for call in [
        of(&editor, "listOrganizationInviteLinks", &env.organization),
        of(&editor, "createOrganizationInvite", &env.organization).json(&json!({ "role": "read" })),
        of(&editor, "listInvitations", &env.organization),
        of(&editor, "inviteUsersToOrganization", &env.organization)
            .json(&json!({ "emails": ["x@example.com"] })),
    ] {
        let refused = call.send().await.expect(403);
        assert!(refused.message().contains("admin"), "{refused}");
    }
    // Knowing a link is sufficient to follow it, so existing links are not disclosed to others.
    let _unseen = link(&editor, "getOrganizationInviteLink", &env.organization, there)
        .send()
        .await
        .expect(404);
    let _kept = link(&editor, "deleteOrganizationInviteById", &env.organization, there)
        .send()
        .await
        .expect(204);
    let _there = link(&env.client, "getOrganizationInviteLink", &env.organization, there)
        .send()
        .await
        .expect(200);
}

#[test]
fn a_link_to_a_space_admits_a_guest() {
    each_engine(async |env: &mut TestEnv| {
        let organization = env.organization.clone();
        let space = env.space("Shared").await;
        let other = env.space("Not shared").await;
        let made = new_link(env, json!({ "level": "edit", "space": space })).await.expect(201);
        let id = made.text_at("/id").to_owned();
        assert_eq!((made.at("/level"), made.text_at("/space/id")), (&json!("edit"), &*space));
        assert_eq!(made.at("/redundant"), &json!(false));
        let lower = new_link(env, json!({ "level": "read", "space": space })).await.expect(201);
        // All members can read the space already.
        assert_eq!(lower.at("/redundant"), &json!(true));

        let ann = stranger(env, "ann@example.com").await;
        let _in = follow(&ann, &organization, &id).await.expect(200);
        assert_eq!(role_of(env, &ann).await, json!(null));
        let reads =
            async |space: &str| ann.call("getSpaceById").path("spaceId", space).send().await;
        let shown = reads(&space).await.expect(200);
        assert_eq!(shown.at("/permissions/edit"), &json!(true));
        assert_eq!(shown.at("/permissions/review"), &json!(false));
        let _unseen = reads(&other).await.expect(404);
        // A link with a lower role does not reduce permissions.
        let _in = follow(&ann, &organization, lower.text_at("/id")).await.expect(200);
        assert_eq!(reads(&space).await.expect(200).at("/permissions/edit"), &json!(true));

        let call = link(&env.client, "updateOrganizationInviteById", &organization, &id);
        let wrong = call.json(&json!({ "role": "read" })).send().await.expect(400);
        assert!(wrong.message().contains("level"), "{wrong}");
        for missing in ["00000000000000000000", "x"] {
            let body = json!({ "level": "read", "space": missing });
            let _missing = new_link(env, body).await.expect(404);
            let body = json!({ "level": "read", "collection": missing });
            let _missing = new_link(env, body).await.expect(404);
        }
        // An administrator of the space only can create links to it, but not to anything else.
        let keeper = new_link(env, json!({ "level": "admin", "space": space })).await;
        let keeper = keeper.expect(201).text_at("/id").to_owned();
        let bob = stranger(env, "bob@example.com").await;
        let _in = follow(&bob, &organization, &keeper).await.expect(200);
        let make = async |body: Value| {
            of(&bob, "createOrganizationInvite", &organization).json(&body).send().await
        };
        let _made = make(json!({ "level": "read", "space": space })).await.expect(201);
        let _refused = make(json!({ "role": "read" })).await.expect(403);
        let _unseen = make(json!({ "level": "read", "space": other })).await.expect(404);
        // When the target of a link is deleted, the link is no longer valid.
        let _deleted = env.of_space("deleteSpaceById", &space).await.expect(205);
        let late = stranger(env, "late@example.com").await;
        let _missing = follow(&late, &organization, &id).await.expect(404);
    });
}

async fn invite(env: &TestEnv, body: Value) -> Answer {
    let call = of(&env.client, "inviteUsersToOrganization", &env.organization);
    call.json(&body).send().await
}

/// Returns the secrets of pending invitations, by mail address.
async fn waiting(env: &TestEnv) -> Vec<(String, String)> {
    let list = of(&env.client, "listInvitations", &env.organization).send().await.expect(200);
    let items = list.at("/items").as_array().unwrap().iter();
    items
        .map(|item| {
            let address = item["urls"]["accept"].as_str().unwrap();
            let secret = address.rsplit('/').next().unwrap().to_owned();
            (item["email"].as_str().unwrap().to_owned(), secret)
        })
        .collect()
}

async fn accept(client: &Client, body: Value) -> Answer {
    client.call("acceptInvitation").json(&body).send().await
}

#[test]
fn an_invitation_is_valid_once_for_one_address() {
    each_engine(async |env: &mut TestEnv| {
        let member = env.person("member@example.com", Some("read")).await;
        let ann = stranger(env, "ann@example.com").await;
        let body = json!({
            "emails": [
                "New@Example.com", "new@example.com", "member@example.com",
                { "email": "ann@example.com", "role": "review" },
                { "email": "guest@example.com", "role": null },
            ],
            "role": "comment",
        });
        let answer = invite(env, body).await.expect(200);
        assert_eq!(answer.at("/users"), &json!([id_of(&member).await]));
        assert_eq!(answer.at("/invited").as_f64(), Some(3.0));
        assert_eq!(answer.json.pointer("/failedSSOEmails"), None);
        let mut secrets = waiting(env).await;
        secrets.sort();
        let emails: Vec<&str> = secrets.iter().map(|(email, _)| email.as_str()).collect();
        assert_eq!(emails, ["New@Example.com", "ann@example.com", "guest@example.com"]);
        let nobody = env.client.anonymous();
        let [new, for_ann, guest] = [0, 1, 2].map(|index: usize| secrets[index].1.clone());

        // A user with an account must sign in; knowing the address is not sufficient.
        let refused = accept(&nobody, json!({ "invitation": for_ann })).await.expect(401);
        assert!(refused.message().contains("sign in"), "{refused}");
        for other in [&member, &env.client] {
            let _missing = accept(other, json!({ "invitation": for_ann })).await.expect(404);
            let _missing = follow(other, &env.organization, &for_ann).await.expect(404);
        }
        a_user_accepts_with_a_sufficient_token(env, &ann, &for_ann).await;

        // A user without an account receives one.
        let _wrong = accept(&member, json!({ "invitation": new })).await.expect(404);
        let name = json!({ "invitation": new, "displayName": "New", "token": true });
        let accepted = accept(&nobody, name).await.expect(200);
        assert_eq!(accepted.text_at("/organization"), env.organization);
        assert_eq!(accepted.text_at("/user/displayName"), "New");
        assert_eq!(accepted.text_at("/user/email"), "New@Example.com");
        let person = env.client.with_token(accepted.text_at("/token"));
        assert_eq!(role_of(env, &person).await, json!("comment"));
        let _once = accept(&nobody, json!({ "invitation": new })).await.expect(404);
        let accepted = accept(&nobody, json!({ "invitation": guest })).await.expect(200);
        assert_eq!(accepted.text_at("/user/displayName"), "guest");
        assert_eq!(accepted.json.pointer("/token"), None);
        assert!(waiting(env).await.is_empty());

        let mut forged = new.clone().into_bytes();
        let last = forged.len() - 2;
        forged[last] = if forged[last] == b'A' { b'B' } else { b'A' };
        let forged = String::from_utf8(forged).unwrap();
        for odd in [forged.as_str(), "x", "", "h00000000000000000000", "é"] {
            let _missing = accept(&nobody, json!({ "invitation": odd })).await.expect(404);
        }
        let _bad = accept(&nobody, json!({})).await.expect(400);
    });
}

/// Accepts an invitation with tokens of the invited user.
async fn a_user_accepts_with_a_sufficient_token(env: &TestEnv, ann: &Client, for_ann: &str) {
    // A token with only the `read` scope is not sufficient.
    let reading = ann.call("createToken").json(&json!({ "name": "r", "scopes": ["read"] }));
    let reading = ann.with_token(reading.send().await.expect(201).text_at("/token"));
    let refused = accept(&reading, json!({ "invitation": for_ann })).await.expect(403);
    assert!(refused.message().contains("scope"), "{refused}");
    let _refused = follow(&reading, &env.organization, for_ann).await.expect(403);
    let late = accept(ann, json!({ "invitation": for_ann, "token": true })).await.expect(409);
    assert!(late.message().contains("/token"), "{late}");
    let _in = follow(ann, &env.organization, for_ann).await.expect(200);
    assert_eq!(role_of(env, ann).await, json!("review"));
    let _once = follow(ann, &env.organization, for_ann).await.expect(404);
}

#[test]
fn invitations_are_revoked_and_expire() {
    each_engine(async |env: &mut TestEnv| {
        let organization = env.organization.clone();
        let nobody = env.client.anonymous();
        let one = json!({ "emails": ["one@example.com"], "role": "read" });
        let _invited = invite(env, one.clone()).await.expect(200);
        let first = waiting(env).await.remove(0).1;
        // A later invitation replaces the earlier one.
        let _again = invite(env, one.clone()).await.expect(200);
        let list = waiting(env).await;
        assert_eq!(list.len(), 1);
        let _missing = accept(&nobody, json!({ "invitation": first })).await.expect(404);
        // Revoked.
        let all = of(&env.client, "listInvitations", &organization).send().await.expect(200);
        let id = all.text_at("/items/0/id").to_owned();
        let delete = async |organization: &str| {
            let call = of(&env.client, "deleteInvitation", organization);
            call.path("invitationId", &id).send().await.status
        };
        let second = env.client.call("createOrganization").json(&json!({ "title": "Second" }));
        let second = second.send().await.expect(201).text_at("/id").to_owned();
        assert_eq!(delete(&second).await, 204);
        assert_eq!((delete(&organization).await, delete(&organization).await), (205, 204));
        let _missing = accept(&nobody, json!({ "invitation": list[0].1 })).await.expect(404);
        // Expired.
        let _third = invite(env, one).await.expect(200);
        let secret = waiting(env).await.remove(0).1;
        env.edit_store(|tx| tx.execute("UPDATE invitations SET expires_at = created_at + 1", &[]))
            .await;
        let nobody = env.client.anonymous();
        let _missing = accept(&nobody, json!({ "invitation": secret })).await.expect(404);
        assert!(waiting(env).await.is_empty());

        for (body, names) in [
            (json!({ "emails": ["no address"] }), "/emails/0"),
            (json!({ "emails": ["a@b.example", "c"] }), "/emails/1"),
            (json!({ "emails": vec!["a@b.example"; 201] }), "/emails"),
            (json!({ "emails": "a@b.example" }), "/emails"),
            (json!({ "emails": [{ "email": "a@b.example" }] }), "/emails/0"),
            (json!({ "emails": ["a@b.example"], "role": "emperor" }), "/role"),
        ] {
            let refused = invite(env, body).await.expect(400);
            assert!(refused.message().contains(names), "{refused}");
        }
        let sso = json!({ "emails": ["sso@example.com"], "sso": true });
        let sso = invite(env, sso).await.expect(200);
        assert_eq!(sso.at("/failedSSOEmails"), &json!(["sso@example.com"]));
        assert_eq!(sso.at("/invited").as_f64(), Some(0.0));
        assert!(waiting(env).await.is_empty());
    });
}

#[test]
fn invitations_are_mailed() {
    let smtp = SmtpServer::start();
    each_engine_with(
        |installation| installation.mailing_through(&smtp),
        async |env: &mut TestEnv| {
            let before = smtp.received().len();
            let title = "A <b>\"bold\"</b> & long title";
            let _titled =
                set(env, json!({ "title": title, "emailDomains": ["example.com"] })).await;
            let ann = stranger(env, "ann@example.com").await;
            let body = json!({ "emails": ["new@example.com", "ann@example.com"], "role": "edit" });
            let _invited = invite(env, body).await.expect(200);
            let mails = until(async || {
                let all = smtp.received();
                (all.len() >= before + 2).then(|| all[before..].to_vec())
            })
            .await;
            let to = |whom: &str| mails.iter().find(|mail| mail.to == [whom]).unwrap().clone();
            let mail = to("new@example.com");
            assert_eq!(mail.from, "docs@example.org");
            let text = mail.decoded();
            invitation_is_complete(&text);
            // The mailed secret is not shown to others, and using it confirms the address.
            let seen = waiting(env).await;
            assert!(seen.iter().all(|(_, seen)| *seen != secret_after("/app/invitations/", &text)));
            let sent = until(async || {
                let list = of(&env.client, "listInvitations", &env.organization);
                let list = list.send().await.expect(200);
                let items = list.at("/items").as_array().unwrap().clone();
                items.iter().all(|item| item["sentAt"].is_string()).then_some(items.len())
            })
            .await;
            assert_eq!(sent, 2);
            let nobody = env.client.anonymous();
            let body =
                json!({ "invitation": secret_after("/app/invitations/", &text), "token": true });
            let accepted = accept(&nobody, body).await.expect(200);
            let new = env.client.with_token(accepted.text_at("/token"));
            let domain = new.call("getOrganizationsForEmailDomain");
            let domain = domain.path("emailDomain", "example.com").send().await.expect(200);
            assert_eq!(domain.text_at("/organizations/0/id"), env.organization);

            // Tokens created before the address was confirmed lose their access.
            let other = ann.call("createToken").json(&json!({ "name": "other" }));
            let other = other.send().await.expect(201);
            let other = env.client.with_token(other.text_at("/token"));
            let text = to("ann@example.com").decoded();
            let _in = follow(&ann, &env.organization, &secret_after("/app/invitations/", &text))
                .await
                .expect(200);
            let _works = ann.call("getAuthenticatedUser").send().await.expect(200);
            let _ended = other.call("getAuthenticatedUser").send().await.expect(401);

            unreachable_addresses_are_reported(env).await;
        },
    );
}

/// Checks the headers and both bodies of an invitation.
fn invitation_is_complete(text: &str) {
    for part in [
        "From: Docs <docs@example.org>\r\n",
        "To: new@example.com\r\n",
        "Auto-Submitted: auto-generated\r\n",
        "Subject: Administrator invites you to A <b>\"bold\"</b> & long title\r\n",
        "multipart/alternative",
        "text/plain; charset=utf-8",
        "text/html; charset=utf-8",
        "documentation of A <b>\"bold\"</b> & long title",
        "<strong>A &lt;b&gt;&quot;bold&quot;&lt;/b&gt; &amp; long title</strong>",
        "https://docs.example.org/app/invitations/m",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Invites an address that the mail server rejects.
async fn unreachable_addresses_are_reported(env: &TestEnv) {
    // The job reports addresses that cannot be reached.
    let body = json!({ "emails": ["nobody@example.com"] });
    let _invited = invite(env, body).await.expect(200);
    let failed = until(async || {
        let jobs = env.client.call("listJobs").query("kind", "invitation-mail");
        let jobs = jobs.query("status", "failed").send().await.expect(200);
        jobs.json.pointer("/items/0/error/message").cloned()
    })
    .await;
    assert!(failed.as_str().unwrap().contains("no such person"), "{failed}");
}

#[test]
fn subdomains_are_found_only_with_access() {
    each_engine(async |env: &mut TestEnv| {
        let _named = set(env, json!({ "hostname": "our-own" })).await;
        let site = of(&env.client, "createSite", &env.organization);
        let site = site.json(&json!({ "title": "The site" })).send().await.expect(201);
        let find = async |client: &Client, name: &str| {
            client.call("getSubdomain").path("subdomain", name).send().await
        };
        let own = find(&env.client, "our-own").await.expect(200);
        assert_eq!(
            own.at("/target"),
            &json!({
                "type": "organization", "organization": env.organization,
            })
        );
        assert_eq!(own.at("/isActive"), &json!(true));
        let draft = find(&env.client, "the-site").await.expect(200);
        assert_eq!(draft.at("/isActive"), &json!(false));
        let publish = of(&env.client, "publishSite", &env.organization);
        let _published = publish.path("siteId", site.text_at("/id")).send().await.expect(200);
        let shown = find(&env.client, "the-site").await.expect(200);
        assert_eq!(shown.at("/isActive"), &json!(true));
        let guest = env.person("guest@example.com", None).await;
        let stranger = stranger(env, "stranger@example.com").await;
        for (client, name, expect) in [
            (&guest, "our-own", 200),
            (&guest, "the-site", 404),
            (&stranger, "our-own", 404),
            (&stranger, "the-site", 404),
            (&env.client, "nothing-here", 404),
            (&env.client, "é", 400),
        ] {
            let _answer = find(client, name).await.expect(expect);
        }
    });
}
