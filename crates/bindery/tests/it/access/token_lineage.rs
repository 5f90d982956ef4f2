//! Items created with a token: they expire with it, have at most its permissions, and end when it
//! is revoked.

use bindery_model::{Clock as _, Timestamp};
use bindery_store::Event;
use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::browser::{Browser, PASSWORD};
use crate::support::{SystemClock, TestEnv, each_engine};

/// Returns the time this many minutes from now, in the format of requests.
fn minutes(minutes: i64) -> String {
    SystemClock.now().plus_millis(minutes * 60_000).to_string()
}

async fn create_token(client: &Client, body: Value) -> Answer {
    client.call("createToken").json(&body).send().await
}

async fn sign_in(env: &TestEnv, body: Value) -> Answer {
    env.client.anonymous().call("signIn").json(&body).send().await
}

async fn me(client: &Client) -> u16 {
    client.call("getAuthenticatedUser").send().await.status
}

/// Creates an administrator's account with this client. Returns the whole response.
async fn new_user(env: &TestEnv, client: &Client, email: &str, token: bool) -> Answer {
    let body = json!({
        "email": email, "displayName": "New", "organization": env.organization,
        "role": "admin", "token": token,
    });
    client.call("createUser").json(&body).send().await.expect(201)
}

fn secret_of(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

/// Moves everything that expires within an hour into the past.
async fn let_an_hour_pass(env: &mut TestEnv) {
    let _edited = env
        .edit_store(|tx| {
            let (now, hour) = (SystemClock.now(), SystemClock.now().plus_millis(3_600_000));
            for (table, column) in [
                ("tokens", "expires_at"),
                ("sessions", "expires_at"),
                ("sign_in_links", "expires_at"),
                ("invitations", "expires_at"),
                ("invite_links", "expires_at"),
            ] {
                let sql = format!("UPDATE {table} SET {column} = $1 WHERE {column} < $2");
                tx.execute(&sql, &[now.plus_millis(-1_000).into(), hour.into()])?;
            }
            Ok(())
        })
        .await;
}

#[test]
fn nothing_outlives_the_token_that_created_it() {
    each_engine(async |env: &mut TestEnv| {
        let until = minutes(30);
        let (text, brief_id) = env.token(&json!({ "name": "brief", "expiresAt": until })).await;
        let (brief, mut tokens) = (env.client.with_token(&text), vec![text]);
        // A token without an explicit expiry inherits that of its creator, and the response states
        // it.
        let child = create_token(&brief, json!({ "name": "child" })).await.expect(201);
        assert_eq!(child.text_at("/expiresAt"), until);
        assert_eq!(child.text_at("/parent"), brief_id);
        let longer = json!({ "name": "longer", "expiresAt": minutes(31) });
        let refused = create_token(&brief, longer).await.expect(403);
        assert!(refused.message().contains(&until), "{refused}");
        let sooner = json!({ "name": "sooner", "expiresAt": minutes(20) });
        let _sooner = create_token(&brief, sooner).await.expect(201);

        let (text, _) = env.token(&json!({ "name": "signs in", "expiresAt": until })).await;
        let session = sign_in(env, json!({ "token": text })).await.expect(201);
        assert_eq!(session.text_at("/session/expiresAt"), until);
        let browser = Browser::of(env, &session);
        let made = browser.act("createToken").json(&json!({ "name": "in the session" }));
        let made = made.send().await.expect(201);
        assert_eq!(made.text_at("/expiresAt"), until);
        // A password would outlive the token.
        for call in [brief.call("setPassword"), browser.act("setPassword")] {
            let refused = call.json(&json!({ "password": PASSWORD })).send().await.expect(403);
            assert!(refused.message().contains("expires"), "{refused}");
        }

        // Accounts for others: their first token, and the session started with the link.
        let ann = new_user(env, &brief, "ann@example.com", true).await;
        assert_eq!(ann.text_at("/expiresAt"), until);
        let bob = new_user(env, &brief, "bob@example.com", false).await;
        let bob = json!({ "link": secret_of(bob.text_at("/signInURL")) });
        let bob = sign_in(env, bob).await.expect(201);
        assert_eq!(bob.text_at("/session/expiresAt"), until);
        let bob = Browser::of(env, &bob);
        let set = bob.act("setPassword").json(&json!({ "password": PASSWORD }));
        let _refused = set.send().await.expect(403);
        let eve = new_user(env, &brief, "eve@example.com", false).await;

        let (link, invitation) = invite_until(env, &brief, &until).await;

        tokens.extend([&child, &ann, &made].map(|answer| answer.text_at("/token").to_owned()));
        for token in &tokens {
            assert_eq!(me(&env.client.with_token(token)).await, 200);
        }
        let eve = secret_of(eve.text_at("/signInURL")).to_owned();
        let_an_hour_pass(env).await;
        for token in &tokens {
            assert_eq!(me(&env.client.with_token(token)).await, 401);
        }
        let _ended = sign_in(env, json!({ "link": eve })).await.expect(401);
        invitations_have_ended(env, &invitation, &link).await;
    });
}

/// Creates a link and an invitation with a token. Returns the secrets of both.
async fn invite_until(env: &TestEnv, brief: &Client, until: &str) -> (String, String) {
    let of = |client: &Client, operation: &str| {
        client.call(operation).path("organizationId", &env.organization)
    };
    let link = of(brief, "createOrganizationInvite").json(&json!({ "role": "read" }));
    let link = link.send().await.expect(201).text_at("/id").to_owned();
    let invite = json!({ "emails": ["zoe@example.com"], "role": "read" });
    let _sent = of(brief, "inviteUsersToOrganization").json(&invite).send().await.expect(200);
    let waiting = of(&env.client, "listInvitations").send().await.expect(200);
    let expires = Timestamp::parse(waiting.text_at("/items/0/expiresAt")).unwrap();
    assert!(expires <= Timestamp::parse(until).unwrap(), "{waiting}");
    let invitation = secret_of(waiting.text_at("/items/0/urls/accept")).to_owned();
    // The secrets of invitations that live longer than the token are hidden from it.
    let lasting = json!({ "emails": ["yan@example.com"], "role": "read" });
    let lasting = of(&env.client, "inviteUsersToOrganization").json(&lasting).send().await;
    let _sent = lasting.expect(200);
    let seen = of(brief, "listInvitations").send().await.expect(200);
    assert_eq!(secret_of(seen.text_at("/items/0/urls/accept")), invitation);
    assert!(seen.text_at("/items/1/urls/accept").ends_with("/app/sign-in"), "{seen}");
    (link, invitation)
}

/// Checks that neither the invitation nor the link can be used.
async fn invitations_have_ended(env: &TestEnv, invitation: &str, link: &str) {
    let accept = env.client.anonymous().call("acceptInvitation");
    let accept = accept.json(&json!({ "invitation": invitation })).send().await;
    let _ended = accept.expect(404);
    let follow = env.client.call("joinOrganizationWithInvite");
    let follow = follow.path("organizationId", &env.organization).path("inviteId", link);
    let _ended = follow.send().await.expect(404);
    let list = env.client.call("listOrganizationInviteLinks");
    let list = list.path("organizationId", &env.organization).send().await.expect(200);
    assert_eq!(list.at("/count"), &json!(0));
}

#[test]
fn revoking_a_token_ends_its_creations() {
    each_engine(async |env: &mut TestEnv| {
        let (root, root_id) = env.token(&json!({ "name": "root" })).await;
        let signed_in = sign_in(env, json!({ "token": root })).await.expect(201);
        let root = env.client.with_token(&root);
        let browser = Browser::of(env, &signed_in);
        let child = create_token(&root, json!({ "name": "child" })).await.expect(201);
        let child_client = env.client.with_token(child.text_at("/token"));
        let grandchild = create_token(&child_client, json!({ "name": "grandchild" })).await;
        let grandchild = env.client.with_token(grandchild.expect(201).text_at("/token"));
        let begun = sign_in(env, json!({ "token": child.text_at("/token") })).await.expect(201);
        let in_session = Browser::of(env, &begun).act("createToken");
        let in_session = in_session.json(&json!({ "name": "in a session" })).send().await;
        let in_session = in_session.expect(201);
        assert_eq!(in_session.text_at("/parent"), child.text_at("/id"));
        let in_session = env.client.with_token(in_session.text_at("/token"));
        let ann = new_user(env, &grandchild, "ann@example.com", true).await;
        let ann_client = env.client.with_token(ann.text_at("/token"));
        let link = root.call("createOrganizationInvite").json(&json!({ "role": "read" }));
        let link = link.path("organizationId", &env.organization).send().await.expect(201);
        // A session started with a link is not ended later if the token had no expiry.
        let bob = new_user(env, &root, "bob@example.com", false).await;
        let bob = sign_in(env, json!({ "link": secret_of(bob.text_at("/signInURL")) })).await;
        let bob = Browser::of(env, &bob.expect(201));

        let others = [&child_client, &grandchild, &in_session, &ann_client];
        for client in others {
            assert_eq!(me(client).await, 200);
        }
        let revoke = env.client.call("deleteToken").path("tokenId", &root_id).send().await;
        let _revoked = revoke.expect(205);
        for client in others {
            assert_eq!(me(client).await, 401);
        }
        assert_eq!(me(&root).await, 401);
        for ended in [&browser, &Browser::of(env, &begun)] {
            let _ended = ended.ask("getAuthenticatedUser").send().await.expect(401);
        }
        let _on = bob.ask("getAuthenticatedUser").send().await.expect(200);
        let unused = json!({ "link": secret_of(ann.text_at("/signInURL")) });
        let _ended = sign_in(env, unused).await.expect(401);
        let follow = env.client.call("joinOrganizationWithInvite");
        let follow = follow.path("organizationId", &env.organization);
        let follow = follow.path("inviteId", link.text_at("/id")).send().await;
        let _ended = follow.expect(404);
        // Each of them is recorded as ended.
        let events = env.events().await;
        let count = |is: fn(&Event) -> bool| events.iter().filter(|one| is(&one.event)).count();
        assert_eq!(count(|event| matches!(event, Event::TokenRevoked { .. })), 5);
        assert_eq!(count(|event| matches!(event, Event::SessionEnded { .. })), 2);
        assert_eq!(count(|event| matches!(event, Event::InviteLinkRevoked { .. })), 1);
    });
}

#[test]
fn a_user_has_at_most_a_hundred_tokens() {
    each_engine(async |env: &mut TestEnv| {
        let expired = json!({ "name": "brief", "expiresAt": minutes(30) });
        for _ in 0..3 {
            let _made = env.token(&expired).await;
        }
        let list = env.client.call("listTokens").send().await.expect(200);
        for _ in list.at("/count").as_u64().unwrap()..100 {
            let _made = env.token(&json!({ "name": "one of many" })).await;
        }
        let refused = create_token(&env.client, json!({ "name": "more" })).await.expect(409);
        for part in ["100 tokens", "revoke"] {
            assert!(refused.message().contains(part), "{refused}");
        }
        // Expired items no longer count towards the limit.
        let_an_hour_pass(env).await;
        let _made = create_token(&env.client, json!({ "name": "more" })).await.expect(201);
        let list = env.client.call("listTokens").send().await.expect(200);
        assert_eq!(list.at("/count"), &json!(98));
    });
}
