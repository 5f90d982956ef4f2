//! Signing in with a browser, and permissions of sessions.

use std::cell::RefCell;

use bindery_model::{Clock as _, Timestamp};
use bindery_store::Event;
use bindery_testkit::{Answer, Call, Installation, ReceivedMail, SmtpServer};
use serde_json::json;

use crate::support::browser::{Browser, PASSWORD, sign_in};
use crate::support::mail::secret_after;
use crate::support::people::sign_in_link;
use crate::support::{
    SystemClock, TestEnv, each_engine, each_engine_with, join_all, parse, raw, send, until,
};

/// A second valid password.
const NEW_PASSWORD: &str = "nine rivers and one slow train";
/// Creates a user with a password.
async fn with_password(env: &TestEnv, email: &str) -> Browser {
    let browser = Browser::signed_in(env, email).await;
    let set = browser.act("setPassword").json(&json!({ "password": PASSWORD }));
    let _set = set.send().await.expect(204);
    browser
}

#[test]
fn users_sign_in_by_link_and_password_and_sign_out() {
    each_engine(async |env: &mut TestEnv| {
        let link = sign_in_link(env, "New@example.com", "read").await;
        let answer = sign_in(env, json!({ "link": link })).await.expect(201);
        assert_eq!(answer.text_at("/user/email"), "New@example.com");
        assert_eq!(answer.text_at("/session/way"), "link");
        let cookie = answer.header("set-cookie");
        for part in ["bindery-session=", "; Path=/;", "; HttpOnly;", "; SameSite=Lax"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        assert_eq!(answer.header("cache-control"), "no-store");
        let first = Browser::of(env, &answer);
        // The link is valid only once.
        let again = sign_in(env, json!({ "link": link })).await.expect(401);
        let never = sign_in(env, json!({ "link": "x".repeat(42) })).await.expect(401);
        assert_eq!(again.message(), never.message());

        let mine = first.ask("getAuthenticatedUser").send().await.expect(200);
        assert_eq!(mine.text_at("/email"), "New@example.com");
        let current = first.ask("getCurrentSession").send().await.expect(200);
        assert_eq!(current.text_at("/csrfToken"), first.csrf);
        assert_eq!(current.at("/session/current"), &json!(true));

        weak_passwords_are_rejected(&first).await;
        let body = json!({ "email": "new@example.com", "password": PASSWORD });
        let _none = sign_in(env, body.clone()).await.expect(401);
        let set = first.act("setPassword").json(&json!({ "password": PASSWORD }));
        let _set = set.send().await.expect(204);
        let second = Browser::of(env, &sign_in(env, body.clone()).await.expect(201));
        let third = Browser::of(env, &sign_in(env, body.clone()).await.expect(201));
        let list = second.ask("listSessions").query("limit", 2).send().await.expect(200);
        assert_eq!(list.at("/count"), &json!(3));
        let ways = ["/items/0/way", "/items/1/way"].map(|at| list.text_at(at).to_owned());
        assert_eq!(ways, ["link", "password"]);
        let rest = second.ask("listSessions").query("page", list.text_at("/next/page"));
        assert_eq!(rest.send().await.expect(200).at("/items/0/current"), &json!(false));

        // The response to a wrong password does not reveal whether the account exists.
        let wrong = json!({ "email": "new@example.com", "password": "wrong" });
        let wrong = sign_in(env, wrong).await.expect(401);
        let nobody = json!({ "email": "nobody@example.com", "password": PASSWORD });
        assert_eq!(sign_in(env, nobody).await.expect(401).message(), wrong.message());

        a_password_change_ends_other_sessions(&first, &second, &third).await;
        let _old = sign_in(env, body).await.expect(401);
        let body = json!({ "email": "new@example.com", "password": NEW_PASSWORD });
        let fourth = Browser::of(env, &sign_in(env, body.clone()).await.expect(201));

        let out = fourth.act("signOut").send().await.expect(204);
        assert!(out.header("set-cookie").contains("bindery-session=; Path=/; Max-Age=0"));
        let _out = fourth.ask("getAuthenticatedUser").send().await.expect(401);
        // Removing the password requires a recent sign-in.
        let _stale = second.act("deletePassword").send().await.expect(409);
        let _still = sign_in(env, body).await.expect(201);
        a_password_is_removed_after_a_recent_sign_in(env).await;
    });
}

/// Sets passwords that are too short, too long or easily guessed.
async fn weak_passwords_are_rejected(first: &Browser) {
    for (password, part) in [
        ("short", "characters"),
        ("password1234", "guessed too easily"),
        ("new@example.com", "guessed too easily"),
        ("aaaaaaaaaaaaaa", "guessed too easily"),
        ("qwertyuiop[]", "guessed too easily"),
        (&"x".repeat(300), "characters"),
    ] {
        let set = first.act("setPassword").json(&json!({ "password": password }));
        let refused = set.send().await.expect(400);
        assert!(refused.message().contains(part), "{password}: {refused}");
    }
}

/// Changes the password, which requires the current one.
async fn a_password_change_ends_other_sessions(first: &Browser, second: &Browser, third: &Browser) {
    // A password change requires the current password and ends the other sessions.
    let set = |body| second.act("setPassword").json(&body).send();
    let asked = set(json!({ "password": NEW_PASSWORD })).await.expect(409);
    assert!(asked.message().contains("/currentPassword"), "{asked}");
    let body_of = |current| json!({ "password": NEW_PASSWORD, "currentPassword": current });
    let _wrong = set(body_of("wrong")).await.expect(403);
    // Of two concurrent changes with the same current password, the later one fails.
    let (one, two) = tokio::join!(set(body_of(PASSWORD)), set(body_of(PASSWORD)));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses[0], 204, "{one} {two}");
    assert!(matches!(statuses[1], 403 | 409), "{one} {two}");
    for ended in [first, third] {
        let _ended = ended.ask("getAuthenticatedUser").send().await.expect(401);
    }
}

/// Removes a password in a new session.
async fn a_password_is_removed_after_a_recent_sign_in(env: &TestEnv) {
    let link = sign_in_link(env, "bob@example.com", "read").await;
    let bob = Browser::of(env, &sign_in(env, json!({ "link": link })).await.expect(201));
    let _none = bob.act("deletePassword").send().await.expect(204);
    let set = bob.act("setPassword").json(&json!({ "password": PASSWORD }));
    let _set = set.send().await.expect(204);
    let _gone = bob.act("deletePassword").send().await.expect(205);
    let body = json!({ "email": "bob@example.com", "password": PASSWORD });
    let _none = sign_in(env, body).await.expect(401);
}

#[test]
fn session_changes_require_the_csrf_token() {
    each_engine(async |env: &mut TestEnv| {
        let browser = with_password(env, "ann@example.com").await;
        let token = || json!({ "name": "made" });
        let make = |call: Call| call.json(&token()).send();
        let without = make(browser.ask("createToken")).await.expect(403);
        assert!(without.message().contains("X-CSRF-Token"), "{without}");
        let wrong = browser.ask("createToken").header("x-csrf-token", "x");
        let _wrong = make(wrong).await.expect(403);
        for (name, value) in [("origin", "https://evil.example"), ("sec-fetch-site", "same-site")] {
            let foreign = browser.act("createToken").header(name, value);
            let _foreign = make(foreign).await.expect(403);
            let body = json!({ "email": "ann@example.com", "password": PASSWORD });
            let nobody = env.client.anonymous();
            let foreign = nobody.call("signIn").header(name, value).json(&body);
            let refused = foreign.send().await.expect(403);
            assert_eq!(refused.header("set-cookie"), "");
            let mail = json!({ "email": "ann@example.com" });
            let foreign = nobody.call("sendSignInLink").header(name, value).json(&mail);
            let _refused = foreign.send().await.expect(403);
        }
        let own = format!("http://{}", env.server().address().trim_start_matches("http://"));
        let _made = make(browser.act("createToken").header("origin", &own)).await.expect(201);
        let list = browser.ask("listTokens").send().await.expect(200);
        assert_eq!(list.at("/count"), &json!(1));
        // Pages of other origins cannot read responses to requests with a cookie.
        let seen = browser.ask("getAuthenticatedUser").header("origin", "https://evil.example");
        let seen = seen.send().await.expect(200);
        assert_eq!(seen.header("access-control-allow-origin"), "*");
        assert_eq!(seen.header("access-control-allow-credentials"), "");
        assert!(seen.header("vary").contains("Cookie"), "{}", seen.header("vary"));

        // A cookie is valid for its host only, and must be sent only once.
        let cookie = format!("Cookie: {}\r\n", browser.cookie);
        assert_eq!(raw(env.server(), "GET", "/v1/user", &cookie, b"").status, 200);
        let elsewhere = format!("GET /v1/user HTTP/1.1\r\nHost: docs.example.com\r\n{cookie}");
        let elsewhere = format!("{elsewhere}Connection: close\r\n\r\n");
        parse(&send(env.server(), elsewhere.as_bytes())).error(401);
        let twice = format!("Cookie: bindery-session=x; {}\r\n", browser.cookie);
        raw(env.server(), "GET", "/v1/user", &twice, b"").error(401);
        // Tokens in addresses and in cookies are ignored.
        let (text, _) = env.token(&token()).await;
        for path in [format!("/v1/user?access_token={text}"), format!("/v1/user?token={text}")] {
            raw(env.server(), "GET", &path, "", b"").error(401);
        }
        let cookie = format!("Cookie: bindery-session={text}\r\n");
        raw(env.server(), "GET", "/v1/user", &cookie, b"").error(401);

        // An invalid cookie does not prevent signing in.
        let _out = browser.act("signOut").send().await.expect(204);
        let body = json!({ "email": "ann@example.com", "password": PASSWORD });
        let _in = browser.ask("signIn").json(&body).send().await.expect(201);
    });
}

#[test]
fn sessions_are_listed_and_ended() {
    each_engine(async |env: &mut TestEnv| {
        let ann = with_password(env, "ann@example.com").await;
        let bob = with_password(env, "bob@example.com").await;
        let body = json!({ "email": "ann@example.com", "password": PASSWORD });
        let nobody = env.client.anonymous();
        let phone = nobody.call("signIn").header("user-agent", "Phone/1.0").json(&body);
        let phone = Browser::of(env, &phone.send().await.expect(201));
        let list = ann.ask("listSessions").send().await.expect(200);
        assert_eq!(list.text_at("/items/1/agent"), "Phone/1.0");
        assert_eq!(list.text_at("/items/1/address"), "127.0.0.1");
        let id = list.text_at("/items/1/id").to_owned();
        // The session is not visible to other users.
        let end = |who: &Browser| who.act("deleteSession").path("sessionId", &id).send();
        let _not_his = end(&bob).await.expect(204);
        let _still = phone.ask("getAuthenticatedUser").send().await.expect(200);
        let _ended = end(&ann).await.expect(205);
        let _twice = end(&ann).await.expect(204);
        let _ended = phone.ask("getAuthenticatedUser").send().await.expect(401);

        let _third = sign_in(env, body.clone()).await.expect(201);
        let _others = ann.act("deleteOtherSessions").send().await.expect(205);
        let list = ann.ask("listSessions").send().await.expect(200);
        assert_eq!(list.at("/count"), &json!(1));
        let _bob = bob.ask("getAuthenticatedUser").send().await.expect(200);

        // A user who is removed from the organization keeps the session but loses access to the
        // organization.
        let remove = env.client.call("removeMemberFromOrganizationById");
        let me = ann.ask("getAuthenticatedUser").send().await.expect(200);
        let remove = remove.path("organizationId", &env.organization);
        let _removed = remove.path("userId", me.text_at("/id")).send().await.expect(205);
        let get = ann.ask("getOrganizationById").path("organizationId", &env.organization);
        let _gone = get.send().await.expect(404);

        // Audit events record the user and the address of each sign-in.
        let audit = env.client.call("listOrganizationAuditEvents");
        let audit = audit.path("organizationId", &env.organization).query("limit", 100);
        let audit = audit.send().await.expect(200);
        let told = audit.text();
        for action in ["session.created", "session.ended", "password.set"] {
            assert!(told.contains(action), "{action}: {told}");
        }
        assert!(!told.contains(PASSWORD) && !told.contains(ann.cookie.split('=').nth(1).unwrap()));
    });
}

#[test]
fn only_unlimited_tokens_sign_in() {
    each_engine(async |env: &mut TestEnv| {
        let (whole, _) = env.token(&json!({ "name": "whole" })).await;
        let answer = sign_in(env, json!({ "token": whole })).await.expect(201);
        assert_eq!(answer.text_at("/session/way"), "token");
        let space = env.space("One").await;
        for limit in [
            json!({ "name": "read", "scopes": ["read"] }),
            json!({ "name": "space", "spaces": [space] }),
            json!({ "name": "organization", "organizations": [env.organization] }),
        ] {
            let (limited, _) = env.token(&limit).await;
            let _refused = sign_in(env, json!({ "token": limited })).await.expect(403);
            let limited = env.client.with_token(&limited);
            let set = limited.call("setPassword").json(&json!({ "password": PASSWORD }));
            let _refused = set.send().await.expect(403);
        }
        let _unknown = sign_in(env, json!({ "token": "bnd_x" })).await.expect(401);
        for body in [
            json!({}),
            json!({ "email": "a@b" }),
            json!({ "email": "a@b", "token": whole }),
            json!({ "email": 1, "password": "x" }),
            json!({ "email": "no address", "password": "x" }),
        ] {
            let _refused = sign_in(env, body).await.expect(400);
        }
        let out = env.client.call("signOut").send().await.expect(409);
        assert!(out.message().contains("token"), "{out}");
        let _none = env.client.call("getCurrentSession").send().await.expect(409);
    });
}

#[test]
fn failed_sign_ins_are_limited() {
    each_engine(async |env: &mut TestEnv| {
        let browser = with_password(env, "ann@example.com").await;
        let guess = |email: &'static str, password: &'static str| {
            sign_in(env, json!({ "email": email, "password": password }))
        };
        // The limit applies to concurrent and sequential attempts, for existing and unknown
        // accounts.
        for email in ["ann@example.com", "nobody@example.com"] {
            let answers = RefCell::new(Vec::new());
            let many = (0..14).map(async |_| {
                let answer = guess(email, "wrong").await;
                answers.borrow_mut().push(answer);
            });
            join_all(many).await;
            let answers = answers.into_inner();
            let wrong = answers.iter().filter(|answer| answer.status == 401).count();
            assert_eq!(wrong, 10, "{email}");
            let late = answers.iter().find(|answer| answer.status == 429).unwrap();
            let seconds: u32 = late.header("retry-after").parse().unwrap();
            assert!((1..=900).contains(&seconds), "{late}");
            assert!(late.message().contains("10 attempts"), "{late}");
        }
        // The correct password is rejected too, in any case of the address; existing sessions stay
        // valid.
        let _late = guess("ANN@example.com", PASSWORD).await.expect(429);
        let _session = browser.ask("getAuthenticatedUser").send().await.expect(200);
        let body = json!({ "password": "another good one, I think", "currentPassword": PASSWORD });
        let fresh = browser.act("setPassword").json(&body).send().await;
        // The session was started with a link recently, which confirms the user.
        let _fresh = fresh.expect(204);
        // A successful sign-in resets the count of the same account.
        let _bob = with_password(env, "bob@example.com").await;
        for _ in 0..2 {
            for _ in 0..6 {
                let _wrong = guess("bob@example.com", "wrong").await.expect(401);
            }
            let _right = guess("bob@example.com", PASSWORD).await.expect(201);
        }
        let counts = env
            .edit_store(|tx| {
                let sql = "SELECT a.tried FROM sign_in_attempts a ORDER BY a.tried";
                tx.query(sql, &[], |row| row.get::<i64>(0))
            })
            .await;
        // The counts of failed attempts for both addresses remain. Rejected attempts are not
        // counted, and the addresses of Ann and Bob are known here.
        assert_eq!(counts, [10, 10, 10, 32], "{counts:?}");
        // After 15 minutes, attempts are accepted again.
        let _edited = env
            .edit_store(|tx| {
                let ago = SystemClock.now().plus_millis(-15 * 60 * 1000);
                tx.execute("UPDATE sign_in_attempts SET began_at = $1", &[ago.into()])
            })
            .await;
        let body = json!({ "email": "ann@example.com", "password": "another good one, I think" });
        let _right = sign_in(env, body).await.expect(201);
    });
}

#[test]
fn sign_in_links_are_mailed_to_accounts() {
    let smtp = SmtpServer::start();
    each_engine_with(
        |installation| installation.mailing_through(&smtp),
        async |env: &mut TestEnv| {
            let before = smtp.received().len();
            let handed_over = sign_in_link(env, "ann@example.com", "read").await;
            let answer = sign_in(env, json!({ "link": handed_over })).await.expect(201);
            assert!(answer.header("set-cookie").starts_with("__Host-bindery-session="));
            assert!(answer.header("set-cookie").ends_with("; Secure"));
            let first = Browser::of(env, &answer);
            let set = first.act("setPassword").json(&json!({ "password": PASSWORD }));
            let _set = set.send().await.expect(204);
            let made = first.act("createToken").json(&json!({ "name": "x" })).send().await;
            let made = env.client.with_token(made.expect(201).text_at("/token"));

            let nobody = env.client.anonymous();
            let ask = async |email: &str| {
                let call = nobody.call("sendSignInLink").json(&json!({ "email": email }));
                call.send().await
            };
            let known = ask("Ann@Example.com").await.expect(202);
            let _again = ask("ann@example.com").await.expect(202);
            let unknown = ask("nobody@example.com").await.expect(202);
            assert_eq!(known.text(), unknown.text());
            let _bad = ask("no address").await.expect(400);
            let mails = until(async || {
                let all = smtp.received();
                (all.len() >= before + 2).then(|| all[before..].to_vec())
            })
            .await;
            let (secret, unused) = secrets_of(&mails);
            let answer = sign_in(env, json!({ "link": secret })).await.expect(201);
            let second = Browser::of(env, &answer);
            // The link confirms the address, which ends everything that another person may have
            // created.
            let _ended = first.ask("getAuthenticatedUser").send().await.expect(401);
            let _ended = made.call("getAuthenticatedUser").send().await.expect(401);
            let body = json!({ "email": "ann@example.com", "password": PASSWORD });
            let _ended = sign_in(env, body).await.expect(401);
            let set = second.act("setPassword").json(&json!({ "password": PASSWORD }));
            let _set = set.send().await.expect(204);
            let _used = sign_in(env, json!({ "link": secret })).await.expect(401);
            let _ended = sign_in(env, json!({ "link": unused })).await.expect(401);
            for _ in 0..4 {
                let _asked = ask("nobody@example.com").await.expect(202);
            }
            let late = ask("nobody@example.com").await.expect(429);
            assert!(!late.header("retry-after").is_empty());
            // No mail was sent to the unknown address.
            assert!(smtp.received()[before..].iter().all(|mail| mail.to == ["ann@example.com"]));
            account_events_are_recorded(env, &second).await;
        },
    );
}

/// Checks the first mail, and returns the secrets of both.
fn secrets_of(mails: &[ReceivedMail]) -> (String, String) {
    let mail = &mails[0];
    assert_eq!(mail.to, ["ann@example.com"]);
    let text = mail.decoded();
    for part in [
        "Subject: Sign in to docs.example.org\r\n",
        "within 15 minutes",
        "https://docs.example.org/app/sign-in/",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let secret_in = |text: &str| secret_after("/app/sign-in/", text);
    let (secret, unused) = (secret_in(&text), secret_in(&mails[1].decoded()));
    (secret, unused)
}

/// Checks the events of the account.
async fn account_events_are_recorded(env: &mut TestEnv, second: &Browser) {
    let ann = second.ask("getAuthenticatedUser").send().await.expect(200);
    let ann = ann.text_at("/id").to_owned();
    let events = env.events().await;
    let told = events.iter().filter_map(|one| {
        let event = serde_json::to_value(&one.event).unwrap();
        let of_account = matches!(
            &one.event,
            Event::UserCreated { user }
            | Event::UserVerified { user }
            | Event::PasswordSet { user }
            | Event::PasswordRemoved { user } if user.to_string() == ann
        );
        of_account.then(|| event["kind"].as_str().unwrap().to_owned())
    });
    let expect = ["userCreated", "passwordSet", "passwordRemoved", "userVerified", "passwordSet"];
    assert_eq!(told.collect::<Vec<_>>(), expect);
}

#[test]
fn unused_and_old_sessions_expire() {
    // With a trusted proxy, the host stays the same when the server restarts.
    let proxied = |installation: Installation| {
        installation
            .variable("BINDERY_TRUSTED_PROXY", "127.0.0.1")
            .variable("BINDERY_PUBLIC_URL", "https://docs.example.org")
    };
    each_engine_with(proxied, async |env: &mut TestEnv| {
        let there = |call: Call| {
            call.header("x-forwarded-for", "203.0.113.5")
                .header("x-forwarded-host", "docs.example.org")
                .header("x-forwarded-proto", "https")
        };
        let link = sign_in_link(env, "ann@example.com", "read").await;
        let begin = env.client.anonymous().call("signIn").json(&json!({ "link": link }));
        let mut ann = Browser::of(env, &there(begin).send().await.expect(201));
        let since = |session: &Answer, name: &str| {
            let text = session.text_at(&format!("/session/{name}"));
            Timestamp::parse(text).unwrap().millis() - SystemClock.now().millis()
        };
        let hours = 60 * 60 * 1000;
        // Hours since the last use and since the start of a session, with the remaining hours if it
        // is still valid.
        for (used, begun, goes_on) in
            [(13 * 24, 20 * 24, Some(14 * 24)), (1, 89 * 24, Some(24)), (1, 90 * 24 + 1, None)]
        {
            let _edited = env
                .edit_store(move |tx| {
                    let ago = |hours_ago: i64| SystemClock.now().plus_millis(-hours_ago * hours);
                    let ends = [ago(used - 14 * 24), ago(begun - 90 * 24)].into_iter().min();
                    let values = [ago(used).into(), ago(begun).into(), ends.unwrap().into()];
                    let sql = "UPDATE sessions SET last_used_at = $1, created_at = $2, \
                               expires_at = $3";
                    tx.execute(sql, &values)
                })
                .await;
            ann.nobody = env.client.anonymous();
            let current = || there(ann.ask("getCurrentSession")).send();
            let Some(most) = goes_on else {
                let _ended = current().await.expect(401);
                let me = env.client.call("createToken").json(&json!({ "name": "whole" }));
                let token = me.send().await.expect(201).text_at("/token").to_owned();
                let _in = sign_in(env, json!({ "token": token })).await.expect(201);
                continue;
            };
            let found = until(async || {
                let session = current().await.expect(200);
                (since(&session, "lastUsedAt") > -hours / 2).then_some(session)
            })
            .await;
            let left = since(&found, "expiresAt");
            assert!((-hours / 2..hours / 2).contains(&(left - most * hours)), "{left}: {found}");
        }
        // Signing in deletes expired sessions.
        let sql = "SELECT COUNT(*) FROM sessions";
        let left = env.edit_store(move |tx| tx.query_one(sql, &[], |row| row.get::<i64>(0)));
        assert_eq!(left.await, 1);
    });
}

#[test]
fn the_command_line_creates_sign_in_links() {
    each_engine(async |env: &mut TestEnv| {
        let _before = with_password(env, "ann@example.com").await;
        let command = ["user", "sign-in-link", "--email", "Ann@example.com"];
        let said = env.on_store(&command).await;
        let address = said.trim().strip_prefix("sign in: http://127.0.0.1:8080/app/sign-in/");
        let link = address.unwrap_or_else(|| panic!("{said}"));
        let ann = Browser::of(env, &sign_in(env, json!({ "link": link })).await.expect(201));
        let other = "nine rivers and one slow train";
        let set = ann.act("setPassword").json(&json!({ "password": other })).send().await;
        let _set = set.expect(204);
        let body = json!({ "email": "ann@example.com", "password": other });
        let _in = sign_in(env, body).await.expect(201);

        let said = env.on_store(&["token", "create", "--email", "ann@example.com"]).await;
        let token = said.trim().strip_prefix("token: ").unwrap();
        let me = env.client.with_token(token).call("getAuthenticatedUser").send().await;
        assert_eq!(me.expect(200).text_at("/email"), "ann@example.com");

        let command = ["token", "create", "--email", "ann@example.com", "--name", ""];
        let refused = env.try_on_store(&command).await;
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && error.starts_with("bindery: --name: "), "{error}");
    });
}
